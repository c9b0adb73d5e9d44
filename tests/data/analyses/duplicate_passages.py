from itertools import combinations

from code_helpers import get_all_content


def shingles(text, size=6):
    words = text.lower().split()
    return {" ".join(words[i : i + size]) for i in range(max(len(words) - size + 1, 0))}


passages = {
    (node_id, i): shingles(part["parameters"]["text"])
    for node_id, parts in get_all_content().items()
    for i, part in enumerate(parts)
    if part["type"] == "paragraph" and len(part["parameters"].get("text", "")) > 200
}

found = []
for (a, left), (b, right) in combinations(passages.items(), 2):
    if a[0] == b[0] or not left or not right:
        continue
    jaccard = len(left & right) / len(left | right)
    if (rounded := round(jaccard, 2)) >= 0.5:
        found.append((rounded, a, b))

for jaccard, (node_a, i), (node_b, j) in sorted(found, reverse=True)[:20]:
    print(f"{jaccard:.2f}  {node_a}[{i}]  ~  {node_b}[{j}]")
else:
    print(len(found), "pairs of", len(passages), "passages")
