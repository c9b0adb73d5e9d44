#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two builds side by side in one run: the same calls in turns, so that what else the machine does falls on both. Prints medians and
the ratio of the second build to the first. Requests a second are those of wrk over kept connections, as in bench_mcp.py, whose variables
LECTERN_BENCH_* count here, too.

    tests/bench/compare_builds.py BUILD_BEFORE BUILD_AFTER [CURRICULUM.json]

A build is a build folder (build/release). The curriculum defaults to the largest of the shared ones, else the demo curriculum.
"""
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "contract"))
import bench_mcp  # noqa: E402
import harness  # noqa: E402

ROUNDS = {"import of the curriculum": 5, "execute_code on a warm sandbox": 60, "tools/call of query_graph": 600,
          "insert of a component": 600, "edit of a component": 600}
RATES = ("ping", "counts", "tools/list")  # of bench_mcp.REQUESTS
PAUSE = 0.25  # for the pool to start the next sandbox
TEXT = "a sentence of about the usual length, as an editor would write it " * 3


class Side:
    """One build with its server and the session that is measured."""

    def __init__(self, build, curriculum):
        harness.LECTERN = pathlib.Path(build, "lectern").resolve()
        self.lectern = harness.LECTERN
        self.curriculum = curriculum
        self.workspace = harness.Workspace()
        self.session = self.workspace.load(curriculum)
        self.server = harness.Server(self.workspace, "--sandbox", "local")
        self.server.initialize()
        self.node = None
        _, nodes, _ = self.server.http("GET", "/session/%s/nodes" % self.session)
        self.node = nodes[0]["node_id"] if isinstance(nodes, list) else nodes["nodes"][0]["node_id"]

    def import_of_the_curriculum(self):
        harness.LECTERN = self.lectern
        other = harness.Workspace()
        began = time.perf_counter()
        other.load(self.curriculum)
        seconds = time.perf_counter() - began
        other.close()
        return seconds

    def called(self, tool, **arguments):
        began = time.perf_counter()
        self.server.good(tool, session_id=self.session, **arguments)
        return time.perf_counter() - began

    def execute_code_on_a_warm_sandbox(self):
        time.sleep(PAUSE)
        return self.called("execute_code", code="print(1)")

    def tools_call_of_query_graph(self):
        return self.called("query_graph", query="counts")

    def insert_of_a_component(self):
        return self.called("add_component", node_id=self.node, component_type="paragraph", parameters={"text": TEXT}, position=1)

    def edit_of_a_component(self):
        return self.called("edit_component", node_id=self.node, component_order=1, new_parameters={"text": TEXT + str(time.time())})

    def place(self, request):
        port = self.server.port
        return bench_mcp.Place(self.server.process.pid, port, bench_mcp.REQUESTS[request], bench_mcp.session_headers(port))

    def close(self):
        self.server.close()
        self.bytes = pathlib.Path(self.workspace.data, "lectern.db").stat().st_size
        self.workspace.close()


def compare_rates(sides):
    for name in RATES:
        places = [side.place(name) for side in sides]
        for connections in bench_mcp.CONNECTIONS:
            turns = ([], [])
            for number in range(bench_mcp.ROUNDS):
                for side in (0, 1) if number % 2 else (1, 0):
                    turns[side].append(places[side].load(connections))
            rates = [statistics.median(rate for rate, _, _ in each) for each in turns]
            ratios = [statistics.median(second[of] / first[of] for first, second in zip(*turns)) for of in (bench_mcp.RATE, bench_mcp.CPU)]
            print("%-34s %9.0f /s %9.0f /s   ratio %.2f, of CPU time a request %.2f" % (
                "%s over %d connections" % (name, connections), *rates, *ratios), flush=True)


def main(before, after, *rest):
    curriculum = rest[0] if rest else harness.SHARED / "data" / "openstax_algebra.json"
    if not pathlib.Path(curriculum).exists():
        curriculum = harness.ROOT / "mcp/curriculum/demo/demo_curriculum.json"
    sides = [Side(build, curriculum) for build in (before, after)]
    for name, rounds in ROUNDS.items():
        method = name.replace("tools/call", "tools_call").replace(" ", "_")
        seconds = ([], [])
        for number in range(rounds):
            for side in (0, 1) if number % 2 else (1, 0):
                seconds[side].append(getattr(sides[side], method)())
        first, second = (statistics.median(each) * 1000 for each in seconds)
        print("%-34s %9.2f ms %9.2f ms   ratio %.2f" % (name, first, second, second / first))
    compare_rates(sides)
    for side in sides:
        side.close()
    print("%-34s %9.1f MB %9.1f MB   ratio %.2f" % ("store after these edits", *(side.bytes / 1e6 for side in sides),
                                                  sides[1].bytes / sides[0].bytes))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
