# SPDX-License-Identifier: GPL-3.0-or-later
"""The memory of a server (resident) with many connections and sessions, after many analyses at once, and over connects and cancels.

    bench_memory.py [PART...]       connections, analyses, cancels

LECTERN_BENCH_SECONDS: of connects and cancels (600). Ends with status 1 where a target is missed. The analyses run in the local
sandbox.
"""
import json
import os
import pathlib
import socket
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "contract"))
import harness  # noqa: E402

SECONDS = float(os.environ.get("LECTERN_BENCH_SECONDS", "600"))
CONNECTIONS = 500
CONNECTIONS_MB, CONNECTION_KIB = 25, 6      # in all, and for each
ANALYSES = 200
ANALYSES_MB = 3         # that may stay
SETTLE_SECONDS = 60     # in which it must have come back
FLAT_MB = 1             # more after the second half of connects and cancels
LEGACY = "2025-11-25"


class Socket:
    """One connection, by hand: what Python keeps for each is not of interest."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=harness.ANSWER_SECONDS)
        self.session = None

    def send(self, method, params=None, ident=1):
        message = {"jsonrpc": "2.0", "method": method, **({"params": params} if params else {}),
                   **({"id": ident} if ident is not None else {})}
        body = json.dumps(message).encode()
        session = "Mcp-Session-Id: %s\r\n" % self.session if self.session else ""
        self.socket.sendall(("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                             "Accept: application/json, text/event-stream\r\n%sContent-Length: %d\r\n\r\n" % (
                                 session, len(body))).encode() + body)

    def receive(self):
        """The body of the next answer."""
        text = b""
        while b"\r\n\r\n" not in text:
            text += self._more()
        head, _, body = text.partition(b"\r\n\r\n")
        headers = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
        if b"mcp-session-id" in headers:
            self.session = next(line for line in head.decode().split("\r\n") if line.lower().startswith("mcp-session-id")).split()[1]
        while len(body) < int(headers.get(b"content-length", b"0")):
            body += self._more()
        return body

    def _more(self):
        more = self.socket.recv(1 << 16)
        if not more:
            raise AssertionError("the server has closed the connection")
        return more

    def initialize(self):
        self.send("initialize", {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
        self.receive()
        self.send("notifications/initialized", ident=None)
        self.receive()

    def close(self):
        self.socket.close()


def resident(server):
    """Megabytes."""
    with open("/proc/%d/status" % server.process.pid, encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


def settled(server, wanted):
    """Megabytes, once they are at most that, or else after SETTLE_SECONDS."""
    until = time.monotonic() + SETTLE_SECONDS
    least = resident(server)
    while time.monotonic() < until and least > wanted:
        time.sleep(1)
        least = min(least, resident(server))
    return least


def warmed_up(workspace, *options):
    server = harness.Server(workspace, "--sandbox", "local", *options)
    server.initialize()
    server.good("query_graph", query="counts")
    server.request("tools/list")
    return server


def connections(workspace):
    server = warmed_up(workspace, "--warm", "bare=0,data=0,plot=0")
    before = resident(server)
    sockets = [Socket(server.port) for _ in range(CONNECTIONS)]
    for one in sockets:
        one.initialize()
        one.send("tools/call", {"name": "query_graph", "arguments": {"query": "counts"}})
        one.receive()
    at_once = resident(server)
    after = settled(server, before + CONNECTION_KIB * CONNECTIONS / 1024)
    each = (after - before) * 1024 / CONNECTIONS
    print("%d connections and sessions: %.1f MB before, %.1f at once, %.1f within %d s: %.1f KiB each (targets %d MB, %d KiB)" % (
        CONNECTIONS, before, at_once, after, SETTLE_SECONDS, each, CONNECTIONS_MB, CONNECTION_KIB), flush=True)
    for one in sockets:
        one.close()
    server.close()
    return after <= CONNECTIONS_MB and each <= CONNECTION_KIB


def analyses(workspace):
    server = warmed_up(workspace)
    sockets = [Socket(server.port) for _ in range(ANALYSES)]
    for one in sockets:
        one.initialize()
    server.good("execute_code", code="print(1)")
    before = resident(server)
    for one in sockets:
        one.send("tools/call", {"name": "execute_code", "arguments": {"code": "for i in range(2000): print(i)"}})
    answers = [one.receive() for one in sockets]
    good = sum(b'"isError":false' in answer for answer in answers)
    peak = resident(server)
    least = settled(server, before + ANALYSES_MB)
    print("%d analyses at once, %d of them ran: %.1f MB before, %.1f after, %.1f within %d s (target %.1f)" % (
        ANALYSES, good, before, peak, least, SETTLE_SECONDS, before + ANALYSES_MB), flush=True)
    for one in sockets:
        one.close()
    server.close()
    return least <= before + ANALYSES_MB


def cancels(workspace):
    """Each client connects, begins a call, cancels it, and leaves; every tenth leaves in the middle."""
    server = warmed_up(workspace, "--warm", "bare=2,data=0,plot=0")
    began, turns, half = time.monotonic(), 0, None
    while time.monotonic() < began + SECONDS:
        if half is None and time.monotonic() > began + SECONDS / 2:
            half = resident(server)
        one, other = Socket(server.port), Socket(server.port)
        one.initialize()
        other.session = one.session
        one.send("tools/call", {"name": "execute_code", "arguments": {"code": "while True: pass"}}, ident=turns)
        if turns % 10:
            other.send("notifications/cancelled", {"requestId": turns}, ident=None)
            other.receive()
            one.receive()
        one.close()
        other.close()
        turns += 1
    after = resident(server)
    print("%d connects and cancels in %.0f s: %.1f MB at half the time, %.1f at the end (target: %d more)" % (
        turns, SECONDS, half, after, FLAT_MB), flush=True)
    server.close()
    return after <= half + FLAT_MB


PARTS = {"connections": connections, "analyses": analyses, "cancels": cancels}


def main():
    workspace = harness.Workspace()
    workspace.run("demo")
    met = [PARTS[name](workspace) for name in sys.argv[1:] or PARTS]
    workspace.close()
    sys.exit(0 if all(met) else "a target is missed")


if __name__ == "__main__":
    main()
