# SPDX-License-Identifier: GPL-3.0-or-later
"""What a small MCP request costs: requests a second and the server's CPU time for each, beside a bare node:http echo, the servers of the
TypeScript SDK v1 and v2 from npm, and an echo on libwebsockets alone. All of them take turns on one machine, asked by the same load
generator (wrk), over 1, 8 and 64 kept connections. A ratio is the median of those of the rounds, so that what else runs on the machine
counts for both. Takes 6 minutes, and ends with a table of the aims, with status 1 if one is missed.

    bench_mcp.py [PLACE...]      only these beside node

LECTERN_BENCH_SECONDS: of one turn (2); LECTERN_BENCH_ROUNDS: turns of each (5); LECTERN_BENCH_CONNECTIONS (1,8,64).
"""
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "contract"))
import harness  # noqa: E402
import npm  # noqa: E402

SECONDS = int(os.environ.get("LECTERN_BENCH_SECONDS", "2"))
ROUNDS = int(os.environ.get("LECTERN_BENCH_ROUNDS", "5"))
CONNECTIONS = [int(word) for word in os.environ.get("LECTERN_BENCH_CONNECTIONS", "1,8,64").split(",")]
LEGACY = "2025-11-25"
MODERN = "2026-07-28"


def call(tool, **arguments):
    return "tools/call", {"name": tool, "arguments": arguments}


# What lectern is asked for; modern: in the revision without sessions.
REQUESTS = {
    "counts": call("query_graph", query="counts"),
    "history": call("history"),
    "ping": ("ping", None),
    "tools/list": ("tools/list", None),
    "counts, modern": call("query_graph", query="counts"),
    "history, modern": call("history"),
    "tools/list, modern": ("tools/list", None),
}
RATE, P99, CPU = range(3)  # of what a turn measures
# The one, the other, and the least ratio of the one's requests a second to the other's, and of the other's CPU time to the one's.
AIMS = [
    ("counts", "node", 1.2), ("history", "node", 1.2), ("counts", "sdk1", 10), ("history", "sdk1", 10), ("counts", "sdk2", 15),
    ("history", "sdk2", 15), ("ping", "node", 1.5), ("tools/list", "node", 1.5), ("counts, modern", "counts", 0.9),
    ("history, modern", "history", 0.9), ("tools/list, modern", "tools/list", 0.9),
]
P99_OF = ["counts", "history", "ping", "tools/list"]  # whose 99th percentile must be no worse than node's
TOKEN_US = 5  # the most that a known token costs


def cpu_seconds(pid):
    fields = pathlib.Path("/proc/%d/stat" % pid).read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Place:
    """A message to a server, and how to send it."""

    def __init__(self, pid, port, request, headers=None):
        self.pid, self.url = pid, "http://127.0.0.1:%d/mcp" % port
        method, params = request
        self.message = {"jsonrpc": "2.0", "id": "ID", "method": method, **({"params": params} if params is not None else {})}
        self.headers = headers or {}

    def load(self, connections):
        """Requests a second, milliseconds of 99 in 100, and microseconds of the server's CPU for each."""
        words = [word for pair in self.headers.items() for word in pair]
        before = cpu_seconds(self.pid)
        done = subprocess.run(["wrk", "-t1", "-c%d" % connections, "-d%ds" % SECONDS, "-s", str(HERE / "mcp_load.lua"), self.url, "--",
                               json.dumps(self.message), *words], capture_output=True, check=True, timeout=SECONDS + 60)
        cpu = cpu_seconds(self.pid) - before
        result = json.loads(next(line for line in done.stdout.decode().splitlines() if line.startswith("RESULT "))[7:])
        if result["bad"] or not result["requests"]:
            raise SystemExit("%d of %d requests failed: %s" % (result["bad"], result["requests"], self.message))
        return result["requests"] / result["seconds"], result["p99_ms"], cpu / result["requests"] * 1e6


class Program:
    """A server that prints its port; or lectern, by its harness."""

    def __init__(self, *words):
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline())

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


def session_headers(port):
    """Those of a legacy session, initialized."""
    client = harness.Client(port)
    client.initialize(LEGACY)
    client.connection.close()
    return {"Mcp-Session-Id": client.session, "MCP-Protocol-Version": client.version}


def modern(request):
    """The request with what it carries of its client, and its headers; None where this server has sessions only."""
    method, params = request
    key = "io.modelcontextprotocol/"
    meta = {key + "protocolVersion": MODERN, key + "clientCapabilities": {}, key + "clientInfo": {"name": "bench", "version": "1"}}
    headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
    if "name" in (params or {}):
        headers["Mcp-Name"] = params["name"]
    return (method, {**(params or {}), "_meta": meta}), headers


def answers(place):
    """Whether it answers with a result, and not with an error that costs less."""
    client = harness.Client(int(place.url.rsplit(":", 1)[1].split("/")[0]))
    status, answer, _ = client.http("POST", "/mcp", place.message, Accept="application/json, text/event-stream",
                                    **{name.replace("-", "_"): value for name, value in place.headers.items()})
    client.connection.close()
    return status == 200 and "result" in answer and not answer["result"].get("isError")


def places_of(server, programs):
    """All that is measured, by name."""
    headers = session_headers(server.port)
    places = {}
    for name, request in REQUESTS.items():
        sent = headers
        if name.endswith(", modern"):
            request, sent = modern(request)
        places[name] = Place(server.process.pid, server.port, request, sent)
    for name, program in programs.items():
        sent = session_headers(program.port) if name.startswith("sdk") else {}
        places[name] = Place(program.process.pid, program.port, REQUESTS["counts"], sent)
    wanted = sys.argv[1:]
    found = {name: place for name, place in places.items() if not wanted or name in wanted or name == "node"}
    for name in [name for name, place in found.items() if not answers(place)]:
        print("%s: no result, so it is left out: %s" % (name, found.pop(name).message))
    return found


def measure(places, connections):
    """{name: [(requests a second, 99th percentile, CPU) of each round]}"""
    found = {name: [] for name in places}
    for _ in range(ROUNDS):
        for name, place in places.items():
            found[name].append(place.load(connections))
    for name, turns in found.items():
        rate, p99, cpu = (statistics.median(column) for column in zip(*turns))
        print("%2d connections %-18s %7.0f a second (%5.2f of node), %6.2f ms of 99 in 100, %6.1f us of CPU each (%5.2f)" % (
            connections, name, rate, ratio(found, name, "node", RATE), p99, cpu, ratio(found, "node", name, CPU)), flush=True)
    return found


def ratio(found, name, other, what):
    return statistics.median(one[what] / of[what] for one, of in zip(found[name], found[other]))


def token_us():
    """Microseconds for a known token, of a file or of an issuer."""
    done = subprocess.run([harness.BUILD / "tests/bench/bench_sign_in"], capture_output=True, check=True)
    return max(float(line.split(" us ")[0].split()[-1]) for line in done.stdout.decode().splitlines())


def judge(measured):
    """Prints the table of the aims; whether all are met."""
    rows = []  # what, the aim, [ratio for each number of connections], whether it is met
    for name, other, least in AIMS:
        founds = [found for found in measured.values() if name in found and other in found]
        pairs = [(ratio(found, name, other, RATE), ratio(found, other, name, CPU)) for found in founds]
        rows.append(("%s : %s" % (name, other), ">= %.4g" % least, ["%.2f (%.2f)" % pair for pair in pairs],
                     bool(pairs) and all(min(pair) >= least for pair in pairs)))
    for name in P99_OF:
        ratios = [ratio(found, "node", name, P99) for found in measured.values() if name in found]
        rows.append(("99th percentile, node : %s" % name, ">= 1", ["%.2f" % each for each in ratios],
                     bool(ratios) and all(each >= 1 for each in ratios)))
    token = token_us()
    rows.append(("a known token, in us", "<= %d" % TOKEN_US, ["%.2f" % token], token <= TOKEN_US))
    if sys.argv[1:]:
        rows = [row for row in rows if row[2]]
    print("\nRatios of requests a second, in brackets of CPU time a request, by the number of connections.\n%-36s %-7s" % ("", "aim"),
          *["%-15d" % connections for connections in measured])
    for what, aim, ratios, met in rows:
        print("%-36s %-7s" % (what, aim), *["%-15s" % each for each in ratios or ["not measured"]], "met" if met else "MISSED")
    return all(met for _, _, _, met in rows)


def main():
    packages = npm.folder("bench/mcp", HERE / "mcp")
    node = str(packages / npm.NODE)
    for script in HERE.glob("mcp/*.mjs"):  # beside its packages, where node looks for them
        (packages / script.name).write_bytes(script.read_bytes())
    commands = {"node": (node, str(packages / "node_echo.mjs")), "sdk1": (node, str(packages / "sdk1_server.mjs")),
                "sdk2": (node, str(packages / "sdk2_server.mjs")), "libwebsockets": (str(harness.BUILD / "tests/bench/lws_echo"),)}
    with contextlib.ExitStack() as ends:
        workspace = ends.enter_context(contextlib.closing(harness.Workspace()))
        workspace.run("demo")
        server = ends.enter_context(contextlib.closing(
            harness.Server(workspace, "--sandbox", "local", "--warm", "bare=0,data=0,plot=0")))
        programs = {name: ends.enter_context(contextlib.closing(Program(*words))) for name, words in commands.items()}
        places = places_of(server, programs)
        measured = {connections: measure(places, connections) for connections in CONNECTIONS}
    sys.exit(0 if judge(measured) else "an aim is missed")


if __name__ == "__main__":
    main()
