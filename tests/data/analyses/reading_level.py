import re
import statistics
from code_helpers import get_nodes, get_node_content

VOWELS = re.compile(r"[aeiouy]+", re.IGNORECASE)
SENTENCE = re.compile(r"[.!?]+\s")


def syllables(word: str) -> int:
    count = len(VOWELS.findall(word))
    if word.endswith("e") and count > 1:
        count -= 1
    return max(count, 1)


def flesch(text: str) -> float | None:
    words = re.findall(r"[A-Za-z']+", text)
    sentences = [s for s in SENTENCE.split(text) if s.strip()]
    if not words or not sentences:
        return None
    return 206.835 - 1.015 * len(words) / len(sentences) - 84.6 * sum(map(syllables, words)) / len(words)


scores = {}
for node in get_nodes():
    content = get_node_content(node["node_id"])
    text = "\n".join(c["parameters"].get("text", "") for c in content["components"] if c["type"] == "paragraph")
    score = flesch(text)
    if score is not None:
        scores[node["title"]] = score

if not scores:
    print("no paragraphs")
else:
    values = list(scores.values())
    print(f"mean {statistics.mean(values):.1f}, median {statistics.median(values):.1f}, n={len(values)}")
    for title, score in sorted(scores.items(), key=lambda item: item[1])[:5]:
        print(f"  {score:6.1f}  {title}")
