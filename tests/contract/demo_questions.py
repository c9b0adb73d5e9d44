# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions about the demo curriculum. Each has the analysis that a model would send and a reference that computes the answer
from the curriculum's file in plain Python, without the helpers, the sandbox or networkx."""
import collections


def _components(curriculum):
    for node in curriculum["nodes"]:
        for component in node["components"]:
            yield node["node_id"], component


def _texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _before(curriculum, *parts):
    """node id -> the ids that come directly before it, over relationship types that contain one of the parts."""
    before = {node["node_id"]: set() for node in curriculum["nodes"]}
    for edge in curriculum["relationships"]:
        if any(part in edge["relationship_type"] for part in parts):
            before[edge["to_node_id"]].add(edge["from_node_id"])
    return before


def _closure(before, start):
    found, open_ids = set(), [start]
    while open_ids:
        for other in before[open_ids.pop()] - found:
            found.add(other)
            open_ids.append(other)
    return found


def _levels(before):
    level = {}

    def of(node):
        if node not in level:
            level[node] = max((of(other) + 1 for other in before[node]), default=0)
        return level[node]

    for node in before:
        of(node)
    return level


def _distance(curriculum, start, end):
    after = collections.defaultdict(set)
    for edge in curriculum["relationships"]:
        after[edge["from_node_id"]].add(edge["to_node_id"])
    steps, reached = 0, {start}
    while end not in reached:
        grown = reached.union(*(after[node] for node in reached))
        if grown == reached:
            return None
        steps, reached = steps + 1, grown
    return steps


def _pieces(curriculum):
    beside = collections.defaultdict(set)
    for edge in curriculum["relationships"]:
        beside[edge["from_node_id"]].add(edge["to_node_id"])
        beside[edge["to_node_id"]].add(edge["from_node_id"])
    left, sizes = {node["node_id"] for node in curriculum["nodes"]}, []
    while left:
        piece = {min(left)} | _closure(beside, min(left))
        sizes.append(len(piece))
        left -= piece
    return sorted(sizes, reverse=True)


def _redundant(curriculum):
    before = _before(curriculum, "PREREQUISITE")
    return sorted([start, end] for end, starts in before.items() for start in starts
                  if any(start in _closure(before, other) for other in starts - {start}))


NODES = "from code_helpers import get_nodes\nnodes = get_nodes(session_id)\n"
EDGES = "from code_helpers import get_relationships\nedges = get_relationships(session_id)\n"
CONTENT = NODES + ("from code_helpers import get_node_content\n"
                   "content = {n['node_id']: get_node_content(n['node_id'])['components'] for n in nodes}\n")
NEEDS = NODES + EDGES + ("import networkx as nx\nG = nx.DiGraph()\nG.add_nodes_from(n['node_id'] for n in nodes)\n"
                         "G.add_edges_from((e['from_node_id'], e['to_node_id']) for e in edges if 'PREREQUISITE' in e['relationship_type'])\n")
TEXTS = ("def texts(v):\n    if isinstance(v, str):\n        yield v\n    elif isinstance(v, dict):\n        for x in v.values():\n"
         "            yield from texts(x)\n    elif isinstance(v, list):\n        for x in v:\n            yield from texts(x)\n")
FRAME = CONTENT + ("import pandas as pd\nframe = pd.DataFrame([{'node': k, 'type': c['type'], 'order': c['order']}"
                   " for k, cs in content.items() for c in cs])\n")

# (question, code whose last line binds `result`, reference)
QUESTIONS = [
    ("How many lessons are there?", NODES + "result = len(nodes)", lambda c: len(c["nodes"])),
    ("How many relationships of each type are there?",
     EDGES + "from collections import Counter\nresult = dict(Counter(e['relationship_type'] for e in edges))",
     lambda c: dict(collections.Counter(edge["relationship_type"] for edge in c["relationships"]))),
    ("Which chapter has the most lessons?",
     NODES + "from collections import Counter\nresult = sorted(Counter(n['chapter'] for n in nodes).items(), key=lambda t: (-t[1], t[0]))[0]",
     lambda c: sorted(([chapter, count] for chapter, count in collections.Counter(node["chapter"] for node in c["nodes"]).items()),
                      key=lambda row: (-row[1], row[0]))[0]),
    ("Which titles contain 'ratio', in any case?",
     NODES + "result = sorted(n['title'] for n in nodes if 'ratio' in n['title'].lower())",
     lambda c: sorted(node["title"] for node in c["nodes"] if "ratio" in node["title"].lower())),
    ("How many components of each type are there?",
     CONTENT + "from collections import Counter\nresult = dict(Counter(x['type'] for cs in content.values() for x in cs))",
     lambda c: dict(collections.Counter(component["type"] for _, component in _components(c)))),
    ("What is the mean number of components of a lesson?",
     CONTENT + "result = sum(map(len, content.values())) / len(content)",
     lambda c: sum(len(node["components"]) for node in c["nodes"]) / len(c["nodes"])),
    ("Which lesson has the most components (smallest id on a tie)?",
     CONTENT + "result = sorted(((k, len(v)) for k, v in content.items()), key=lambda t: (-t[1], t[0]))[0]",
     lambda c: sorted(([node["node_id"], len(node["components"])] for node in c["nodes"]), key=lambda row: (-row[1], row[0]))[0]),
    ("How many words do the components' parameters hold?",
     CONTENT + TEXTS + "result = sum(len(t.split()) for cs in content.values() for x in cs for t in texts(x['parameters']))",
     lambda c: sum(len(text.split()) for _, component in _components(c) for text in _texts(component["parameters"]))),
    ("Which lessons mention 'percent', in any case?",
     CONTENT + TEXTS + "result = sorted(k for k, cs in content.items() if any('percent' in t.lower() for x in cs for t in texts(x['parameters'])))",
     lambda c: sorted({node for node, component in _components(c)
                       if any("percent" in text.lower() for text in _texts(component["parameters"]))})),
    ("Which lessons have no worked example?",
     CONTENT + "result = sorted(k for k, cs in content.items() if not any(x['type'] == 'worked-example' for x in cs))",
     lambda c: sorted(node["node_id"] for node in c["nodes"]
                      if not any(component["type"] == "worked-example" for component in node["components"]))),
    ("Which terms are defined, in alphabetical order?",
     CONTENT + "result = sorted({x['parameters']['term'] for cs in content.values() for x in cs if x['type'] == 'definition'})",
     lambda c: sorted({component["parameters"]["term"] for _, component in _components(c) if component["type"] == "definition"})),
    ("How many steps does the longest procedure have?",
     CONTENT + "result = max(len(x['parameters']['steps']) for cs in content.values() for x in cs if x['type'] == 'step-sequence')",
     lambda c: max(len(component["parameters"]["steps"]) for _, component in _components(c) if component["type"] == "step-sequence")),
    ("How many components of each type come first in their lesson?",
     FRAME + "result = frame[frame['order'] == 1].groupby('type').size().to_dict()",
     lambda c: dict(collections.Counter(node["components"][0]["type"] for node in c["nodes"] if node["components"]))),
    ("What is the median number of components?",
     FRAME + "result = float(frame.groupby('node').size().median())",
     lambda c: (lambda counts: (counts[(len(counts) - 1) // 2] + counts[len(counts) // 2]) / 2)(
         sorted(len(node["components"]) for node in c["nodes"] if node["components"]))),
    ("Which lessons need nothing?",
     NEEDS + "result = sorted(n for n in G if G.in_degree(n) == 0)",
     lambda c: sorted(node for node, before in _before(c, "PREREQUISITE").items() if not before)),
    ("What must come before N036, directly or indirectly?",
     NEEDS + "result = sorted(nx.ancestors(G, 'N036'))",
     lambda c: sorted(_closure(_before(c, "PREREQUISITE"), "N036"))),
    ("How many lessons depend on N010, directly or indirectly?",
     NEEDS + "result = len(nx.descendants(G, 'N010'))",
     lambda c: sum("N010" in _closure(_before(c, "PREREQUISITE"), node["node_id"]) for node in c["nodes"])),
    ("On which level is each lesson, when each comes one level after its latest prerequisite?",
     NEEDS + "result = {n: i for i, level in enumerate(nx.topological_generations(G)) for n in level}",
     lambda c: _levels(_before(c, "PREREQUISITE"))),
    ("How many lessons are on the longest chain of prerequisites?",
     NEEDS + "result = len(nx.dag_longest_path(G))",
     lambda c: 1 + max(_levels(_before(c, "PREREQUISITE")).values())),
    ("Are there cycles of prerequisites?",
     NEEDS + "result = not nx.is_directed_acyclic_graph(G)",
     lambda c: any(node in _closure(_before(c, "PREREQUISITE"), node) for node in _before(c))),
    ("Which direct prerequisites are redundant, because a longer chain implies them?",
     NEEDS + "H = nx.transitive_reduction(G)\nresult = sorted(e for e in G.edges if not H.has_edge(*e))", _redundant),
    ("How many steps are there from N001 to N036, over all relationships?",
     "import networkx as nx\nfrom code_helpers import analyze_graph\n"
     "result = nx.shortest_path_length(analyze_graph(session_id), 'N001', 'N036')",
     lambda c: _distance(c, "N001", "N036")),
    ("Into how many connected pieces does the curriculum fall, and how large are they?",
     "import networkx as nx\nfrom code_helpers import analyze_graph\n"
     "result = sorted(map(len, nx.weakly_connected_components(analyze_graph(session_id))), reverse=True)", _pieces),
    ("What is the mean confidence of the relationships?",
     EDGES + "import numpy as np\nresult = float(np.mean([e['confidence_score'] for e in edges]))",
     lambda c: sum(edge["confidence_score"] for edge in c["relationships"]) / len(c["relationships"])),
]
