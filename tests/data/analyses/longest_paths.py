from collections import defaultdict
from functools import lru_cache

from code_helpers import get_nodes, get_relationships

titles = {node["node_id"]: node.get("title") or "(untitled)" for node in get_nodes()}
after = defaultdict(list)
for edge in get_relationships():
    if edge["type"] == "prerequisite":
        after[edge["from_node_id"]].append(edge["to_node_id"])


@lru_cache(maxsize=None)
def depth(node_id, seen=frozenset()):
    """Length of the longest chain of prerequisites that begins here; a cycle counts once."""
    if node_id in seen:
        return 0
    return 1 + max((depth(n, seen | {node_id}) for n in after[node_id]), default=0)


ranked = sorted(((depth(n), t) for n, t in titles.items()), reverse=True)[:10]
width = max(len(title) for _, title in ranked)
for length, title in ranked:
    print(f"{title:<{width}} {length:>4d}")
