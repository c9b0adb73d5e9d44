# SPDX-License-Identifier: GPL-3.0-or-later
"""What analysis code waits for: the contents of a curriculum of 909 nodes and 12 MB, and a graph's figures asked by name against
the same by networkx. End to end, in a local sandbox: each time is the code's own clock, the best of ROUNDS runs.

Run: LECTERN_BUILD=build/release /usr/bin/python3 -B tests/bench/bench_helpers.py
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("LECTERN_BUILD", ROOT / "build" / "release"))
SHARED = pathlib.Path(os.environ.get("LECTERN_SHARED", ROOT.parent / "shared"))
ROUNDS = int(os.environ.get("LECTERN_ROUNDS", "5"))

READS = {
    "get_all_content": "get_all_content()",
    "get_all_content again": ("get_all_content()", "get_all_content()"),
    "get_node_content of each": ("n = get_nodes()", "for x in n: get_node_content(x['node_id'])"),
    "get_node_content of each again": ("n = get_nodes()\nfor x in n: get_node_content(x['node_id'])",
                                       "for x in n: get_node_content(x['node_id'])"),
    "get_nodes": "get_nodes()",
    "get_relationships": "get_relationships()",
    "json.loads of all contents": ("import json\nt = json.dumps(get_all_content(), ensure_ascii=False)", "json.loads(t)"),
}
# By name; by networkx, which has its graph to make from the relationships. The first asking of a session makes the server's
# graph; the second is another question, so that it is not the run that has kept the answer.
QUERIES = {
    "betweenness": ("query_graph('bottlenecks'%s)", "nx.betweenness_centrality(g)", "r['relationship_type'] != 'ENRICHMENT'"),
    "redundant edges": ("query_graph('redundant'%s)", "set(g.edges) - set(nx.transitive_reduction(g).edges)",
                        "'PREREQUISITE' in r['relationship_type']"),
    "longest chain": ("query_graph('longest_chain'%s)", "nx.dag_longest_path(g)", "'PREREQUISITE' in r['relationship_type']"),
}
GRAPH = "g = nx.DiGraph((r['from_node_id'], r['to_node_id']) for r in get_relationships() if %s)\n"


def lectern(data, *words, stdin=""):
    done = subprocess.run([str(BUILD / "lectern"), *words], input=stdin, capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, LECTERN_DATA=data), check=False)
    if done.returncode != 0:
        raise SystemExit("lectern %s: %s%s" % (words[0], done.stdout, done.stderr))
    return done.stdout


def milliseconds(data, session, before, code):
    program = ("from code_helpers import get_nodes, get_relationships, get_node_content, get_all_content, query_graph\n"
               "import time\n")
    program += before + "\nbegin = time.perf_counter()\n" + code + "\nprint(time.perf_counter() - begin)\n"
    best = []
    for _ in range(ROUNDS):
        answer = json.loads(lectern(data, "exec", "--json", "--sandbox", "local", "--timeout", "60", "--session", session, "-",
                                    stdin=program))
        if not answer["ok"]:
            raise SystemExit(answer["error"])
        best.append(float(answer["stdout"]) * 1e3)
    return min(best)


def main():
    path = SHARED / "data" / "openstax_algebra.json"
    if not path.exists():
        print("SKIPPED: %s is not here; set LECTERN_SHARED" % path)
        return
    wanted = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="lectern-bench-") as data:
        session = lectern(data, "import", str(path)).split()[-1]
        for name, code in READS.items():
            before, code = code if isinstance(code, tuple) else ("", code)
            if not wanted or "reads" in wanted:
                print("%-32s %8.1f ms" % (name, milliseconds(data, session, before, code)), flush=True)
        for name, (asked, computed, follows) in QUERIES.items():
            if wanted and "queries" not in wanted:
                continue
            first = milliseconds(data, session, "", asked % "")
            second = milliseconds(data, session, asked % "", asked % ", limit=1000000")
            theirs = milliseconds(data, session, "import networkx as nx", GRAPH % follows + computed)
            print("%-32s %8.1f ms first, %8.1f ms then; networkx %8.1f ms: %.1f and %.1f times"
                  % (name, first, second, theirs, theirs / first, theirs / second), flush=True)


if __name__ == "__main__":
    main()
