# SPDX-License-Identifier: GPL-3.0-or-later
# Which lessons carry much and say little? `make run` runs this over the demo curriculum; it fits any other as well:
#   lectern exec --session SID mcp/session/demo/analysis.py
import networkx as nx
import pandas as pd
from code_helpers import analyze_graph, get_node_content


def words(value):
    """The words of a component's parameters, its drawings left out."""
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
        "rest on it": len(nx.descendants(needs, node_id)),
        "components": len(components),
        "worked examples": sum(c["type"] == "worked-example" for c in components),
        "words": sum(words(c["parameters"]) for c in components),
    })
lessons = pd.DataFrame(rows)
print(f"{len(lessons)} lessons, {graph.number_of_edges()} relationships, {lessons['components'].sum()} components, "
      f"{lessons['words'].sum()} words.")

typical = lessons["words"].median()
weak = lessons[(lessons["words"] < typical) & (lessons["rest on it"] > 0)]
weak = weak.assign(risk=(weak["rest on it"] / weak["words"].clip(lower=1) * 100).round(1))
print(f"Much rests on these, and they say less than the usual {typical:.0f} words (risk: lessons resting on 100 words):")
print(weak.sort_values("risk", ascending=False).head(5).to_string(index=False))

alone = lessons[lessons["worked examples"] == 0]
print("Without any worked example: " + ", ".join(alone["node"] + " " + alone["title"]))
