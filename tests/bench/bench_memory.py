# SPDX-License-Identifier: GPL-3.0-or-later
"""The memory of a server (resident) with many connections and sessions, with many streams of events, after many analyses at once, and
over connects and cancels.

    bench_memory.py [PART...]       connections, streams, analyses, cancels

LECTERN_BENCH_SECONDS: of connects and cancels (600). Ends with status 1 where a target is missed. The analyses run in the local
sandbox.
"""
import json
import os
import pathlib
import re
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "contract"))
import harness  # noqa: E402
import hostile  # noqa: E402

SECONDS = float(os.environ.get("LECTERN_BENCH_SECONDS", "600"))
CONNECTIONS = 500
CONNECTIONS_MB, CONNECTION_KIB = 25, 6      # in all, and for each
KEPT_SECONDS = 45       # in which memory must have come back, and no idle connection is closed (HTTP_KEEPALIVE_TIMEOUT_S is 60)
STREAMS, STREAM_KIB = 200, 16
ANALYSES = 200
ANALYSES_MB = 3         # that may stay
SETTLE_SECONDS = 60     # in which it must have come back
FLAT_MB = 1             # more in the last quarter of connects and cancels than in the second
REPORT_SECONDS = 30     # between two readings of it
LEGACY = "2025-11-25"


class Client(hostile.Connection):
    """One connection by hand: what Python keeps for each is not of interest."""
    session = None

    def post(self, method, params=None, ident=1):
        message = {"jsonrpc": "2.0", "method": method, **({"params": params} if params else {}),
                   **({"id": ident} if ident is not None else {})}
        headers = dict(hostile.JSON_HEADERS, **({"Mcp-Session-Id": self.session} if self.session else {}))
        self.send(hostile.http_bytes("POST", "/mcp", json.dumps(message).encode(), tuple(headers.items())))

    def receive(self):
        """The next answer, or None."""
        _, answer, headers = self.answer()
        self.session = headers.get("mcp-session-id", self.session)
        return answer

    def initialize(self):
        self.post("initialize", {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
        self.receive()
        self.post("notifications/initialized", ident=None)
        self.receive()


def resident(server):
    """Megabytes."""
    with open("/proc/%d/status" % server.process.pid, encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


def settled(server, wanted, seconds):
    """Megabytes, once they are at most that, or else after these seconds."""
    until = time.monotonic() + seconds
    least = resident(server)
    while time.monotonic() < until and least > wanted:
        time.sleep(1)
        least = min(least, resident(server))
    return least


def gauge(server, name):
    """By a connection of its own, which counts too."""
    client = harness.Client(server.port)
    text = client.http("GET", "/metrics")[1].decode()
    client.connection.close()
    return int(re.search("^%s (\\d+)$" % name, text, re.M).group(1))


def warmed_up(workspace, *options):
    server = harness.Server(workspace, "--sandbox", "local", *options)
    server.initialize()
    server.good("query_graph", query="counts")
    server.request("tools/list")
    return server


def connections(workspace):
    server = warmed_up(workspace, "--warm", "bare=0,data=0,plot=0")
    before = resident(server)
    clients = [Client(server.port) for _ in range(CONNECTIONS)]
    for one in clients:
        one.initialize()
        one.post("tools/call", {"name": "query_graph", "arguments": {"query": "counts"}})
        one.receive()
    at_once = resident(server)
    after = settled(server, before + CONNECTION_KIB * CONNECTIONS / 1024, KEPT_SECONDS)
    still = gauge(server, "lectern_connections")
    if still < CONNECTIONS:
        sys.exit("only %d connections are still open: the figure would be of those" % still)
    each = (after - before) * 1024 / CONNECTIONS
    print("%d connections and sessions: %.1f MB before, %.1f at once, %.1f within %d s: %.1f KiB each (targets %d MB, %d KiB)" % (
        CONNECTIONS, before, at_once, after, KEPT_SECONDS, each, CONNECTIONS_MB, CONNECTION_KIB), flush=True)
    for one in clients:
        one.close()
    server.close()
    return after <= CONNECTIONS_MB and each <= CONNECTION_KIB


def streams(workspace):
    """Of sessions that were all opened on one connection, so that no memory of others is used again."""
    server = warmed_up(workspace, "--warm", "bare=0,data=0,plot=0")
    sessions = []
    for _ in range(STREAMS):
        server.session = None
        server.initialize()
        sessions.append(server.session)
    before = resident(server)
    clients = [Client(server.port) for _ in range(STREAMS)]
    for one, session in zip(clients, sessions):
        one.send(hostile.http_bytes("GET", "/mcp", headers=[("Accept", "text/event-stream"), ("Mcp-Session-Id", session)]))
        if one.head()[0] != 200:
            sys.exit("a stream was not opened")
    after = resident(server)
    if gauge(server, "lectern_mcp_streams") != STREAMS:
        sys.exit("not all streams are open")
    each = (after - before) * 1024 / STREAMS
    print("%d open event streams: %.1f MB before, %.1f after: %.1f KiB each (target %d KiB)" % (STREAMS, before, after, each, STREAM_KIB),
          flush=True)
    for one in clients:
        one.close()
    server.close()
    return each <= STREAM_KIB


def analyses(workspace):
    server = warmed_up(workspace)
    clients = [Client(server.port) for _ in range(ANALYSES)]
    for one in clients:
        one.initialize()
    server.good("execute_code", code="print(1)")
    before = resident(server)
    for one in clients:
        one.post("tools/call", {"name": "execute_code", "arguments": {"code": "for i in range(2000): print(i)"}})
    good = sum(one.receive().get("result", {}).get("isError") is False for one in clients)
    peak = resident(server)
    least = settled(server, before + ANALYSES_MB, SETTLE_SECONDS)
    print("%d analyses at once, %d of them ran: %.1f MB before, %.1f after, %.1f within %d s (target %.1f)" % (
        ANALYSES, good, before, peak, least, SETTLE_SECONDS, before + ANALYSES_MB), flush=True)
    for one in clients:
        one.close()
    server.close()
    return least <= before + ANALYSES_MB


def connect_and_cancel(server, turn):
    """A client connects, begins a call, cancels it, and leaves; every tenth leaves in the middle."""
    one, other = Client(server.port), Client(server.port)
    one.initialize()
    other.session = one.session
    one.post("tools/call", {"name": "execute_code", "arguments": {"code": "while True: pass"}}, ident=turn)
    if turn % 10:
        other.post("notifications/cancelled", {"requestId": turn}, ident=None)
        other.receive()
        one.receive()
    one.close()
    other.close()


def cancels(workspace):
    """Flat: its last quarter is no higher than the second one. The first one is left to what is made once."""
    server = warmed_up(workspace, "--warm", "bare=2,data=0,plot=0")
    before = hostile.footprint(server.process.pid)
    began, turns, readings = time.monotonic(), 0, []
    while time.monotonic() < began + SECONDS:
        if time.monotonic() >= began + len(readings) * min(REPORT_SECONDS, SECONDS / 20):
            readings.append(resident(server))
            print("  %4.0f s: %6d connects and cancels, %.1f MB" % (time.monotonic() - began, turns, readings[-1]), flush=True)
        connect_and_cancel(server, turns)
        turns += 1
    quarter = len(readings) // 4
    second, last = statistics.median(readings[quarter:2 * quarter]), statistics.median(readings[-quarter:])
    print("%d connects and cancels in %.0f s: %.1f MB in the second quarter of the time, %.1f in the last (target: %d more): %s" % (
        turns, SECONDS, second, last, FLAT_MB, "flat" if last <= second + FLAT_MB else "NOT FLAT"), flush=True)
    print("descriptors and threads before and after: %s, %s" % (before, hostile.footprint(server.process.pid)), flush=True)
    server.close()
    return last <= second + FLAT_MB


PARTS = {"connections": connections, "streams": streams, "analyses": analyses, "cancels": cancels}


def main():
    hostile.allow_descriptors()
    workspace = harness.Workspace()
    workspace.run("demo")
    met = [PARTS[name](workspace) for name in sys.argv[1:] or PARTS]
    workspace.close()
    sys.exit(0 if all(met) else "a target is missed")


if __name__ == "__main__":
    main()
