# SPDX-License-Identifier: GPL-3.0-or-later
# Which lessons have little content although many others depend on them? `make run` runs this over the demo curriculum. It works
# with any curriculum:
#   lectern exec --session SID mcp/curriculum/demo/analysis.py
import networkx as nx
import pandas as pd
from code_helpers import analyze_graph, get_node_content


def texts(component):
    """The parameters of a component, without the code of an exercise."""
    code = {"cases", "starter", "solution"} if component["type"] == "exercise-code" else set()
    return {name: value for name, value in component["parameters"].items() if name not in code}


def words(value):
    """The words of texts, without drawings."""
    if isinstance(value, dict):
        return sum(words(part) for part in value.values())
    if isinstance(value, list):
        return sum(words(part) for part in value)
    if isinstance(value, str) and not value.startswith(("<svg", "data:")):
        return len(value.split())
    return 0


graph = analyze_graph(session_id)
needs = nx.DiGraph()
needs.add_nodes_from(graph)
needs.add_edges_from((a, b) for a, b, kind in graph.edges(data="relationship_type") if "PREREQUISITE" in kind)

rows = []
for node_id, title in graph.nodes(data="title"):
    components = get_node_content(node_id)["components"]
    rows.append({
        "node": node_id,
        "title": title,
        "dependents": len(nx.descendants(needs, node_id)),
        "components": len(components),
        "worked examples": sum(c["type"] == "worked-example" for c in components),
        "words": sum(words(texts(c)) for c in components),
    })
lessons = pd.DataFrame(rows)
print(f"{len(lessons)} lessons, {graph.number_of_edges()} relationships, {lessons['components'].sum()} components, "
      f"{lessons['words'].sum()} words.")

typical = lessons["words"].median()
weak = lessons[(lessons["words"] < typical) & (lessons["dependents"] > 0)]
weak = weak.assign(risk=(weak["dependents"] / weak["words"].clip(lower=1) * 100).round(1))
print(f"Lessons with dependents and fewer words than the median of {typical:.0f} (risk: dependents per 100 words):")
print(weak.sort_values("risk", ascending=False).head(5).to_string(index=False))

alone = lessons[lessons["worked examples"] == 0]
print("Lessons without a worked example: " + ", ".join(alone["node"] + " " + alone["title"]))
