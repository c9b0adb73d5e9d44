import json
from collections import defaultdict
from dataclasses import dataclass, field

from code_helpers import get_all_content, get_nodes


@dataclass
class Coverage:
    title: str
    questions: int = 0
    hints: int = 0
    kinds: set[str] = field(default_factory=set)

    @property
    def ratio(self) -> float:
        return self.hints / self.questions if self.questions else 0.0

    def __lt__(self, other: "Coverage") -> bool:
        return (self.ratio, self.title) < (other.ratio, other.title)


rows = {n["node_id"]: Coverage(n.get("title", "")) for n in get_nodes()}
problems = defaultdict(list)

for node_id, parts in get_all_content().items():
    row = rows.get(node_id)
    if row is None:
        problems["unknown node"].append(node_id)
        continue
    for part in parts:
        match part:
            case {"type": "question", "parameters": {"hints": [_, *_] as hints, "kind": str(kind)}}:
                row.questions += 1
                row.hints += len(hints)
                row.kinds.add(kind)
            case {"type": "question", "parameters": {"kind": str(kind)}}:
                row.questions += 1
                row.kinds.add(kind)
            case {"type": "question"}:
                problems["no kind"].append(node_id)
            case _:
                pass

worst = sorted(r for r in rows.values() if r.questions >= 3)
for row in worst[:8]:
    print(f"{row.ratio:.2f} hints a question: {row.title!r} ({', '.join(sorted(row.kinds)) or 'none'})")
try:
    average = sum(r.ratio for r in worst) / len(worst)
except ZeroDivisionError as error:
    print("nothing to average:", error)
else:
    print(json.dumps({"average": round(average, 3), "nodes": len(worst), **{k: len(v) for k, v in problems.items()}}))
