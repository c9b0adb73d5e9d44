# SPDX-License-Identifier: GPL-3.0-or-later
"""Ten tasks of editors, done through the tools as a model does them that has read only their listing: each call uses what the task says
and what earlier answers said. Whether a task is done is judged by the curriculum afterwards, or by its answer, from the data alone.

    with World(DEMO) as world:
        for task in TASKS: world.do(task)     # AssertionError where the task was not done
        world.count()                         # world.calls[task.__name__]: [tokens of a call's arguments and its answer, ...]
"""
import collections
import heapq
import json
import pathlib
import re
import sqlite3
import sys

import harness
import tokens

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "data"))
import german_curriculum  # noqa: E402

CALLS, TOKENS = 18, 5000  # of all ten tasks
WEEKS = 6
READERS = ("find", "query_graph", "history", "execute_code")
LINE = re.compile(r'^(\S+) "(.*?)"(?:,|$| )')   # of an answer: a lesson
MARKUP = re.compile(r"<svg.*?</svg>|<[^>]*>", re.DOTALL)

# What the tasks are about in each curriculum: what a person would say in the question.
DEMO = {"name": "demo curriculum, 40 lessons", "title": "Demo curriculum", "term": "ratio", "forms": "ratios?", "old": "scale factor", "new": "length factor",
        "split": "Equivalent ratios", "half": "Equivalent ratios: examples", "cycle": ("Best buys", "Ratio tables"),
        "edited": ("Density", "paragraph"), "question": "Which two numbers do you need here?", "standards": {
            "Understand what a ratio says and keep its order": "What a ratio says",
            "Find a percentage of an amount": "A percentage of an amount",
            "Read maps and scale drawings": "Maps and scale drawings"}}
GERMAN = {"name": "German curriculum, 12 lessons", "title": german_curriculum.TITLE, "term": "Verhältnis", "forms": "Verhältnis(se)?", "old": "Geschwindigkeit", "new": "Schnelligkeit",
          "split": "Gleichwertige Verhältnisse", "half": "Gleichwertige Verhältnisse: Beispiele",
          "cycle": ("Geschwindigkeit", "Was ein Verhältnis sagt"), "edited": ("Dichte", "paragraph"),
          "question": "Welche zwei Zahlen braucht man hier?", "standards": {
              "Einen Betrag in einem Verhältnis aufteilen": "In einem Verhältnis teilen",
              "Zinsen eines Jahres berechnen": "Zinsen", "Größen in andere Einheiten umrechnen": "Größen und Einheiten"}}
ALGEBRA = {"name": "algebra books, 909 lessons",
           "title": "OpenStax Prealgebra, Elementary Algebra and Intermediate Algebra 2e", "term": "polynomial", "forms": "polynomials?", "old": "polynomial", "new": "multinomial",
           "split": "Use Subtraction Notation", "half": "Use Subtraction Notation: examples",
           "cycle": ("Identify Multiples of Numbers", "Use Multiplication Notation"), "edited": ("Divide Whole Numbers", "paragraph"),
           "question": "Which two numbers do you need here?", "standards": {
               "Round a whole number to a given place": "Round Whole Numbers",
               "Use the place value of a digit": "Identify the Place Value of a Digit",
               "Use common divisibility tests": "Use Common Divisibility Tests"}}


class World:
    """A curriculum in a server, the model's connection, and another editor's."""

    def __init__(self, about):
        self.about = about
        self.calls = collections.OrderedDict()
        self.texts = []
        self.workspace = harness.Workspace()
        self.sid = self.load()
        self.server = harness.Server(self.workspace)
        self.server.initialize()
        self.task = None
        self.seen = None  # the nodes, until an edit

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.close()
        self.workspace.close()

    def load(self):
        if self.about is DEMO:
            return self.workspace.run("demo").stdout.decode().strip()
        if self.about is ALGEBRA:
            return self.workspace.load(harness.shared("data", "openstax_algebra.json"))
        path = pathlib.Path(self.workspace.data, "german.json")
        path.write_text(json.dumps(german_curriculum.curriculum()), encoding="utf-8")
        return self.workspace.load(path)

    # ---- the model ----

    def call(self, tool, **arguments):
        """The answer to a call of the model; it is counted."""
        text = self.edit(tool, **arguments)
        self.texts.append((self.task, json.dumps(arguments, ensure_ascii=False) + text))
        return text

    def do(self, task):
        self.task = task.__name__
        self.calls[self.task] = []
        task(self, self.about)

    def count(self):
        for (task, _), count in zip(self.texts, tokens.count([text for _, text in self.texts])):
            self.calls[task].append(count)
        return self.calls

    # ---- another editor, and what is there ----

    def edit(self, tool, **arguments):
        if tool not in READERS:
            self.seen = None
        return self.server.good(tool, **arguments)

    def get(self, what):
        status, answer, _ = self.server.http("GET", "/session/%s/%s" % (self.sid, what))
        assert status == 200, answer
        return answer[what if what == "relationships" else "nodes"]

    def nodes(self):
        """By id: the node with its fields and its components."""
        if not self.seen:
            self.seen = {node["node_id"]: node for node in self.get("nodes")}
            for node in self.get("components"):
                self.seen[node["node_id"]]["components"] = node["components"]
        return self.seen

    def titled(self, title):
        return next(node for node in self.nodes().values() if node["title"] == title)


# ---- the data, seen without Lectern ----

def prose(node):
    """(path, text) of each text of a lesson and its components, drawings and all."""
    def walk(value, path):
        if isinstance(value, str):
            yield path, value
        elif isinstance(value, (dict, list)):
            for name, member in value.items() if isinstance(value, dict) else enumerate(value):
                yield from walk(member, path + (name,))
    for field in ("title", "raw_content", "description"):
        if node.get(field):
            yield (field,), node[field]
    for component in node["components"]:
        yield from walk(component["parameters"], (component["component_id"], component["component_type"]))


def is_code(path):
    """Whether a text of prose() is a part of a code exercise that is no prose."""
    return path[1:2] == ("exercise-code",) and path[2] in ("cases", "starter", "solution")


def length(node):
    """About how many words a learner reads."""
    hidden = ("visual_type", "background_style", "style", "imagePath", "imageUrl", "kind", "compare")
    return sum(len(re.findall(r"\S*\w\S*", MARKUP.sub(" ", text))) for path, text in prose(node)
               if path[-1] not in hidden and not is_code(path) and not re.search(r"\.(jpg|png|svg)$", text))


def needs(relationships):
    return {(edge["from_node_id"], edge["to_node_id"]) for edge in relationships if "PREREQUISITE" in edge["relationship_type"]}


def teaching_order(nodes, edges):
    """Of the lessons whose needs are met, always the first of the file."""
    place = {node_id: at for at, node_id in enumerate(nodes)}
    open_needs = collections.Counter(end for _, end in edges)
    ready = [place[node_id] for node_id in nodes if not open_needs[node_id]]
    names, order = list(nodes), []
    after = collections.defaultdict(list)
    for start, end in edges:
        after[start].append(end)
    heapq.heapify(ready)
    while ready:
        order.append(names[heapq.heappop(ready)])
        for end in after[order[-1]]:
            open_needs[end] -= 1
            if not open_needs[end]:
                heapq.heappush(ready, place[end])
    return order


def has_cycle(nodes, edges):
    return len(teaching_order(nodes, edges)) < len(nodes)


def named(answer):
    """The ids of the lessons that stand at the beginnings of an answer's lines."""
    return [found.group(1) for found in map(LINE.match, answer.splitlines()) if found]


# ---- the tasks ----

def first_defined(world, about):
    """Where is a term first defined?"""
    answer = world.call("find", text=about["term"], sort="order", limit=1, **{"in": "definition"})
    nodes = world.nodes()
    defining = [node_id for node_id in teaching_order(nodes, needs(world.get("relationships")))
                if any(component["component_type"] == "definition"
                       and re.search(r"\b(%s)\b" % about["forms"], component["parameters"]["term"], re.IGNORECASE)
                       for component in nodes[node_id]["components"])]
    assert named(answer) == defining[:1], (answer, defining[:3])


def without_example(world, _):
    """Which lessons lack a worked example?"""
    answer = world.call("find", without="worked-example", limit=200)
    lacking = [node_id for node_id, node in world.nodes().items()
               if not any(component["component_type"] == "worked-example" for component in node["components"])]
    assert sorted(named(answer)) == sorted(lacking), answer


def thin_lessons(world, about):
    """Give each of the three thinnest lessons a question."""
    before = world.nodes()
    code = ("from code_helpers import find\n"
            "for thin in find(sort='words', limit=3):\n"
            "    print(thin['node_id'], thin['title'], [c['parameters'] for c in find(node_id=thin['node_id'], in_='all')['components']])")
    answer = world.call("execute_code", code=code)
    thin = [line.split()[0] for line in answer.splitlines() if line.split()[0] in before]
    world.call("change_curriculum", operations=[
        {"op": "create_component", "node_id": node_id, "component_type": "callout-box", "parameters": {"text": about["question"]}}
        for node_id in thin])
    after = world.nodes()
    fewest = sorted(before, key=lambda node_id: length(before[node_id]))[:3]
    for node_id, node in after.items():
        added = [c["parameters"] for c in node["components"][len(before[node_id]["components"]):]]
        assert added == ([{"text": about["question"]}] if node_id in fewest else []), (node_id, fewest, answer)


def cycle(world, about):
    """Fix a cycle of prerequisites."""
    start, end = (world.titled(title)["node_id"] for title in about["cycle"])
    before = world.get("relationships")
    world.edit("change_curriculum", operations=[{"op": "create_relationship", "from_node_id": start, "to_node_id": end, "confidence_score": 0.2,
                                                 "relationship_type": "PREREQUISITE", "explanation": "from an import"}])
    assert has_cycle(world.nodes(), needs(world.get("relationships")))
    answer = world.call("query_graph", query="cycles")
    cut = re.search(r"cheapest to delete: (\S+) -> (\S+)", answer).groups()
    ident = int(re.search(r"%s -> %s \S+ \(id (\d+)\)" % tuple(map(re.escape, cut)), answer).group(1))
    world.call("change_curriculum", operations=[{"op": "delete_relationship", "id": ident}])
    assert not has_cycle(world.nodes(), needs(world.get("relationships")))
    assert world.get("relationships") == before, answer


def replaced(text, old, new):
    """The text with the term replaced, in the case of what was there and with the plural's s."""
    def one(found):
        made = new.capitalize() if found.group(1)[0].isupper() else new
        return made + (found.group(2) or "")
    return re.sub(r"(?<!\w)(%s)(s?)(?!\w)" % re.escape(old), one, text, flags=re.IGNORECASE)


def rename_term(world, about):
    """Rename a term everywhere."""
    before = world.nodes()
    world.call("change_curriculum", operations=[{"op": "replace_text", "find": about["old"], "replace": about["new"]}])
    answer = world.call("find", text='"%s"' % about["old"], limit=3)
    assert "No lesson" in answer, answer
    changed = 0
    for node_id, node in world.nodes().items():
        after = dict(prose(node))
        assert list(after) == [path for path, _ in prose(before[node_id])]
        for path, text in prose(before[node_id]):
            right = text if "<svg" in text or is_code(path) else replaced(text, about["old"], about["new"])
            assert after[path] == right, (path, text, after[path])
            changed += right != text
    assert changed > 3, changed


def split(world, about):
    """Split a lesson in two: the worked examples become a second lesson, which follows the first."""
    before = world.titled(about["split"])
    answer = world.call("find", node_id=about["split"])
    places = [int(place) for place in re.findall(r"^(\d+)\. worked-example", answer, re.MULTILINE)]
    node_id = named(answer)[0]
    world.call("change_curriculum", operations=[
        {"op": "split_node", "node_id": node_id, "new_node_id": node_id + "b", "title": about["half"], "components": places},
        {"op": "create_relationship", "from_node_id": node_id, "to_node_id": node_id + "b", "relationship_type": "PREREQUISITE"}])
    first, second = world.titled(about["split"]), world.titled(about["half"])
    ids = [[c["component_id"] for c in node["components"]] for node in (first, second)]
    examples = [c["component_type"] == "worked-example" for c in before["components"]]
    assert ids == [[c["component_id"] for c, example in zip(before["components"], examples) if example == second_one]
                   for second_one in (False, True)], ids
    assert (first["node_id"], second["node_id"]) in needs(world.get("relationships"))


def what_changed(world, about):
    """What changed since a version?"""
    title, kind = about["edited"]
    node = world.titled(title)
    component = next(c for c in node["components"] if c["component_type"] == kind)
    version = int(re.search(r"at version (\d+)", world.edit("history", limit=1)).group(1))
    words = component["parameters"]["text"].split(" ")
    old, words[-2] = words[-2], "somewhat"
    world.edit("edit_component", node_id=node["node_id"], component_id=component["component_id"],
               new_parameters={"text": " ".join(words)})
    world.edit("change_curriculum", operations=[{"op": "rename_node", "node_id": node["node_id"], "title": title + " today"}])
    answer = world.call("history", action="difference", version=version)
    texts = [line for line in answer.splitlines() if line.startswith("~ ")]
    assert len(texts) == 2 and all(node["node_id"] in line for line in texts), answer
    assert "%s -> somewhat" % old in answer and "[+today]" in answer, answer


def weeks(world, _):
    """Plan six weeks."""
    answer = world.call("query_graph", query="pace", parts=WEEKS)
    parts = re.findall(r'^part (\d+), (\d+) nodes?, (\d+) words: (\S+) "', answer, re.MULTILINE)
    assert [int(part[0]) for part in parts] == list(range(1, WEEKS + 1)), answer
    nodes = world.nodes()
    order = teaching_order(nodes, needs(world.get("relationships")))
    ends = [0]
    for _, count, _, first in parts:
        assert order[ends[-1]] == first, (first, answer)
        ends.append(ends[-1] + int(count))
    assert ends[-1] == len(nodes), answer
    lengths = [sum(length(nodes[node_id]) for node_id in order[a:b]) for a, b in zip(ends, ends[1:])]
    longest = max(map(length, nodes.values()))
    assert max(lengths) - min(lengths) < 2 * longest + sum(lengths) / WEEKS / 10, (lengths, longest)


def undo_yesterday(world, _):
    """Undo yesterday's change, and nothing of today's."""
    first, second = list(world.nodes().values())[:2]
    for node, added in ((first, " (draft)"), (second, " (new)")):
        world.edit("change_curriculum", operations=[{"op": "rename_node", "node_id": node["node_id"], "title": node["title"] + added}])
    with sqlite3.connect(world.workspace.data + "/lectern.db") as store:  # the first of them was made a day ago
        version, = store.execute("SELECT max(version) - 1 FROM change WHERE entity != 'session'").fetchone()
        store.execute("UPDATE change SET at = strftime('%Y-%m-%dT%H:%M:%fZ', at, '-1 day') WHERE version = ?", (version,))
    store.close()
    before = world.nodes()
    answer = world.call("history")
    days = re.findall(r"^v(\d+) (\S+)T", answer, re.MULTILINE)
    world.call("undo", version=int(next(version for version, day in days if day < days[0][1])))
    before[first["node_id"]]["title"] = first["title"]
    after = world.nodes()
    assert {i: node["title"] for i, node in after.items()} == {i: node["title"] for i, node in before.items()}, answer


FRAMEWORK = "State standards"


def framework(statements):
    """A CASE package, as a state publishes it."""
    when, document = "2024-05-01T00:00:00Z", {"title": FRAMEWORK, "uri": "https://standards.example.org/all"}
    items = [{"identifier": "5c0e8f5a-0000-4000-8000-%012d" % at, "uri": "https://standards.example.org/%d" % at, "fullStatement": statement,
              "CFDocumentURI": document, "lastChangeDateTime": when} for at, statement in enumerate(statements)]
    return {"CFDocument": {**document, "identifier": "5c0e8f5a-0000-4000-8000-00000000ffff", "creator": "A state", "lastChangeDateTime": when},
            "CFItems": items, "CFAssociations": []}


def align(world, about):
    """Align lessons with the statements of a CASE framework."""
    path = pathlib.Path(world.workspace.data, "framework.json")
    path.write_text(json.dumps(framework(about["standards"])), encoding="utf-8")
    world.workspace.run("import", str(path), "--format", "case")
    before = world.nodes()
    code = ("from code_helpers import find, get_nodes\n"
            "for statement in get_nodes(session_id='%s'):\n"
            "    print(statement['title'], [(hit['node_id'], hit['title']) for hit in find(statement['title'], limit=2)])" % FRAMEWORK)
    answer = world.call("execute_code", session_id=about["title"], also=[FRAMEWORK], code=code)
    found = re.findall(r"^(.+) \[\('([^']+)', ", answer, re.MULTILINE)
    world.call("change_curriculum", session_id=about["title"], operations=[
        {"op": "create_relationship", "from_node_id": node_id, "to_session": FRAMEWORK, "to_node_id": statement,
         "relationship_type": "exactMatchOf"} for statement, node_id in found])
    links = {edge["to_title"]: (edge["relationship_type"], before[edge["from_node_id"]]["title"], edge["to_uri"])
             for edge in world.get("relationships") if edge.get("to_title")}
    assert links == {statement: ("exactMatchOf", title, "https://standards.example.org/%d" % at)
                     for at, (statement, title) in enumerate(about["standards"].items())}, (links, answer)


ASKING = (first_defined, without_example, what_changed, weeks)
TASKS = (first_defined, without_example, thin_lessons, cycle, rename_term, split, what_changed, weeks, undo_yesterday, align)
