# Nodes that nothing leads to and that lead nowhere, by section.
from code_helpers import get_nodes, get_relationships

edges = [e for e in get_relationships() if e.get("type") in {"prerequisite", "related"}]
touched = {e["from_node_id"] for e in edges} | {e["to_node_id"] for e in edges}
by_section = {}
for node in get_nodes():
    if node["node_id"] not in touched:
        by_section.setdefault(node.get("section", "?"), []).append(node["title"])
for section, titles in sorted(by_section.items()):
    print(f"{section}: {len(titles)}")
    for title in titles[:3]:
        print("   -", title)
print("total", sum(len(t) for t in by_section.values()))
