import networkx as nx
import pandas as pd
from code_helpers import get_nodes, get_relationships

graph = nx.DiGraph()
graph.add_nodes_from((n["node_id"], {"title": n["title"], "section": n.get("section")}) for n in get_nodes())
graph.add_edges_from((e["from_node_id"], e["to_node_id"]) for e in get_relationships() if e["type"] == "prerequisite")

frame = pd.DataFrame(
    {
        "title": nx.get_node_attributes(graph, "title"),
        "section": nx.get_node_attributes(graph, "section"),
        "betweenness": nx.betweenness_centrality(graph),
        "in": dict(graph.in_degree()),
        "out": dict(graph.out_degree()),
    }
)
frame["share"] = frame["betweenness"] / (frame["betweenness"].sum() or 1)
hubs = frame[(frame["in"] > 1) & (frame["out"] > 2)].sort_values("share", ascending=False)
print(hubs.head(10).to_string(index=False, float_format=lambda x: f"{x:.3f}"))

groups = frame.groupby("section").agg(nodes=("title", "count"), hub=("share", "max")).reset_index()
print(groups.sort_values("nodes", ascending=False).to_string(index=False))
if not nx.is_directed_acyclic_graph(graph):
    cycle = nx.find_cycle(graph)
    print("cycle:", " -> ".join(str(a) for a, *_ in cycle))
