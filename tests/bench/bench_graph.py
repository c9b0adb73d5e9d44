# SPDX-License-Identifier: GPL-3.0-or-later
"""What each graph query costs: on a real curriculum of 909 nodes and on made ones.

Seconds of the first asking (the view of its types is made then) and of the second. Run: LECTERN_BUILD=build/release
/usr/bin/python3 -B tests/bench/bench_graph.py [NODES EDGES]; build the target graph_driver first.
"""
import json
import os
import pathlib
import random
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("LECTERN_BUILD", ROOT / "build" / "release"))
SHARED = pathlib.Path(os.environ.get("LECTERN_SHARED", ROOT.parent / "shared"))
QUERIES = {
    "needs": ["node"], "needed_by": ["node"], "neighbours": ["node"], "path": ["from", "to"], "common_needs": ["from", "to"],
    **{query: [] for query in ("outline", "counts", "starting_points", "end_points", "order", "levels", "longest_chain", "cycles",
                               "bottlenecks", "hubs", "unlocks", "redundant", "unreachable")}}


def made(nodes, edges, back, seed=1):
    """Edges from earlier to later nodes, and `back` of them the other way, which close cycles."""
    rng = random.Random(seed)
    ids = ["N%06d" % i for i in range(nodes)]
    rows = []
    for i in range(edges):
        a = rng.randrange(nodes - 1)
        b = min(nodes - 1, a + 1 + int(rng.expovariate(1 / 200)))
        rows.append((b, a) if i < back else (a, b))
    return {"nodes": [{"node_id": i, "title": "Title of " + i, "chapter": "Chapter %s" % i[:4]} for i in ids],
            "relationships": [{"from_node_id": ids[a], "to_node_id": ids[b], "relationship_type": "PREREQUISITE"} for a, b in rows]}


def measure(name, curriculum):
    driver = subprocess.Popen([str(BUILD / "tests" / "graph_driver")], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(line):
        driver.stdin.write(json.dumps(line).encode() + b"\n")
        driver.stdin.flush()
        answer = json.loads(driver.stdout.readline())
        if "error" in answer:
            raise SystemExit("%s: %s" % (line.get("query"), answer["text"]))
        return answer["seconds"]

    ids = [node["node_id"] for node in curriculum["nodes"]]
    ends = {"node": ids[len(ids) // 2], "from": ids[len(ids) // 3], "to": ids[-1]}
    load = send({"nodes": curriculum["nodes"], "relationships": curriculum["relationships"]})
    print("%s: %d nodes, %d relationships; graph made in %.1f ms" % (name, len(ids), len(curriculum["relationships"]), load * 1e3))
    for query, takes in QUERIES.items():
        question = {"query": query, **{key: ends[key] for key in takes}}
        first, second = send(question), send(question)
        print("  %-16s %10.2f ms %10.2f ms" % (query, first * 1e3, second * 1e3), flush=True)
    driver.stdin.close()
    driver.wait(timeout=60)


def main():
    path = SHARED / "data" / "openstax_algebra.json"
    if len(sys.argv) == 3:
        measure("made", made(int(sys.argv[1]), int(sys.argv[2]), back=0))
        return
    if path.exists():
        with open(path, encoding="utf-8") as file:
            measure("openstax_algebra", json.load(file))
    else:
        print("SKIPPED: %s is not here; set LECTERN_SHARED to the folder that has it" % path)
    measure("made, acyclic", made(20000, 100000, back=0))
    measure("made, cyclic", made(20000, 100000, back=50))


if __name__ == "__main__":
    main()
