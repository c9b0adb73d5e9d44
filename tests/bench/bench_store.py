# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads and writes a second over REST: our server with its SQLite file on disk, beside a FastAPI service on SQLite (tests/fastapi),
on the same machine, with the same data, asked in turn by the same load generator (wrk). What each costs in CPU time is told too:
it is the figure that other work on the machine disturbs least.

Both keep what they acknowledge by a full sync. LECTERN_BENCH_SECONDS: of one turn (5); LECTERN_BENCH_ROUNDS: turns of each (4);
LECTERN_BENCH_CONNECTIONS (32). The files are in the build folder.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "contract"))
import cms  # noqa: E402
import harness  # noqa: E402

SECONDS = int(os.environ.get("LECTERN_BENCH_SECONDS", "5"))
ROUNDS = int(os.environ.get("LECTERN_BENCH_ROUNDS", "4"))
CONNECTIONS = int(os.environ.get("LECTERN_BENCH_CONNECTIONS", "32"))
NODES = 100
COMPONENTS = 8
TARGETS = {"reads": 10.0, "writes": 3.0}    # times the service's


def fill(client):
    """The same curriculum in either; the session's id."""
    def good(method, path, body):
        status, answer, _ = client.http(method, path, body)
        assert status == 200, answer
        return answer

    sid = good("POST", "/session/create", {})["session_id"]
    path = "/session/" + sid
    for number in range(1, NODES + 1):
        nid = "B%03d" % number
        good("POST", path + "/nodes", {"node_id": nid, "title": "Node %d" % number, "raw_content": "Some words. " * 20})
        good("POST", "%s/nodes/%s/components" % (path, nid), {"components": [
            {"type": "paragraph", "order": order, "parameters": {"text": "words of a paragraph " * 10}, "confidence": 0.9}
            for order in range(1, COMPONENTS + 1)]})
        if number > 1:
            good("POST", path + "/relationships", {"from_node_id": "B%03d" % (number - 1), "to_node_id": nid})
    return sid


def cpu_seconds(pid):
    fields = pathlib.Path("/proc/%d/stat" % pid).read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def load(kind, port, sid):
    done = subprocess.run(["wrk", "-t1", "-c%d" % CONNECTIONS, "-d%ds" % SECONDS, "--timeout", "30s", "-s", str(HERE / "store_load.lua"),
                           "http://127.0.0.1:%d" % port, "--", kind, sid, str(NODES), str(COMPONENTS)],
                          capture_output=True, check=True, timeout=SECONDS + 60)
    line = next(line for line in done.stdout.decode().splitlines() if line.startswith("RESULT "))
    result = json.loads(line[7:])
    if result["bad"]:
        raise SystemExit("%d of %d requests failed:\n%s" % (result["bad"], result["requests"], done.stdout.decode()))
    return result


def compare(kind, places):
    """In turn, so that what else the machine does is shared; the ratio of the medians."""
    rates = {name: [] for name in places}
    costs = {name: [] for name in places}
    for _ in range(ROUNDS):
        for name, (pid, port, sid) in places.items():
            before = cpu_seconds(pid)
            result = load(kind, port, sid)
            costs[name].append((cpu_seconds(pid) - before) / result["requests"])
            rates[name].append(result["requests"] / result["seconds"])
            print("%-7s %-8s %9.0f a second, %8.2f ms median, %8.2f ms of 100 99, %6.0f us of CPU each" %
                  (kind, name, rates[name][-1], result["p50_ms"], result["p99_ms"], costs[name][-1] * 1e6), flush=True)
    medians = {name: statistics.median(found) for name, found in rates.items()}
    ratio = medians["lectern"] / medians["fastapi"]
    print("%s: lectern %.0f, fastapi %.0f a second: %.1f times (target %.0f); in CPU time 1 to %.1f" %
          (kind, medians["lectern"], medians["fastapi"], ratio, TARGETS[kind],
           statistics.median(costs["fastapi"]) / statistics.median(costs["lectern"])), flush=True)
    return ratio >= TARGETS[kind]


def main():
    tempfile.tempdir = str(harness.BUILD)   # a disk, where /tmp may be memory
    service = cms.Cms()
    workspace = harness.Workspace()
    server = harness.Server(workspace, "--sandbox", "local", "--warm", "bare=0,data=0,plot=0")
    places = {"lectern": (server.process.pid, server.port, fill(server)),
              "fastapi": (service.process.pid, service.port, fill(service))}
    met = [compare(kind, places) for kind in TARGETS]
    server.close()
    workspace.close()
    service.close()
    sys.exit(0 if all(met) else "a target is missed")


if __name__ == "__main__":
    main()
