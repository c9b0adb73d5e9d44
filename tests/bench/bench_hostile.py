# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a ping takes beside hostile clients: for each family the median, the 99th percentile and the worst of PINGS, in
milliseconds. Ends with status 1 where a 99th percentile is over TARGET_MS. The hostile clients are a process of their own.

    bench_hostile.py [FAMILY...]
"""
import http.client
import json
import multiprocessing
import pathlib
import ssl
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "contract"))
import harness  # noqa: E402
import hostile  # noqa: E402
import test_hostile  # noqa: E402

PINGS = 2000
TARGET_MS = 50
MANY = 1000
WAIT_SECONDS = 0.05  # between two steps of who does nothing
POST = tuple(hostile.JSON_HEADERS.items())
PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()


# Each family is a generator: up to its first yield it prepares, then each round is a step of the attack.

def nobody(_port, _context):
    while True:
        yield time.sleep(WAIT_SECONDS)


def messages(port, context):
    """What is no JSON, on 16 connections."""
    connections = [hostile.Connection(port, context=context) for _ in range(16)]
    while True:
        for bad in test_hostile.NO_JSON:
            for connection in connections:
                connection.send(hostile.http_bytes("POST", "/mcp", bad, POST))
            for connection in connections:
                connection.answer()
            yield


def large(port, context):
    """Messages of 4 MiB: white space, one deep and one long list."""
    connection = hostile.Connection(port, context=context)
    bodies = [PING + b" " * (hostile.MESSAGE_CAP - len(PING)), b"[" * hostile.MESSAGE_CAP, b"[" + b"0," * (hostile.MESSAGE_CAP // 2 - 2) + b"0]"]
    while True:
        for body in bodies:
            connection.send(hostile.http_bytes("POST", "/mcp", body, POST))
            connection.answer()
            yield


def pipelined(port, context):
    while True:
        connection = hostile.Connection(port, context=context)
        connection.send(hostile.http_bytes("GET", "/health") * 200 + b"\0" * 1000)
        connection.ends()
        connection.close()
        yield


def idle(port, context):
    connections = [hostile.Connection(port, ("127.0.0.1", "127.0.0.2")[number % 2], context) for number in range(MANY)]
    while connections:
        yield time.sleep(WAIT_SECONDS)


def streams(port, context):
    """Of which each is told of the same changes."""
    client = harness.Client(port)
    connections = []
    for number in range(MANY):
        client.session = None
        client.initialize()
        connections.append(hostile.Connection(port, ("127.0.0.1", "127.0.0.2")[number % 2], context))
        connections[-1].send(hostile.get_bytes(client.session))
        connections[-1].head()
    while True:
        client.http("POST", "/session/create", {})
        yield time.sleep(WAIT_SECONDS)


def slow(port, context):
    """Heads that come byte by byte."""
    connections = []
    while True:
        while len(connections) < 200:
            connections.append(hostile.Connection(port, context=context))
            connections[-1].send(b"GET /health HTTP/1.1\r\nX-A: ")
        connections = [connection for connection in connections if connection.send(b"a")]
        yield


def half_handshakes(port, context):
    """And plain HTTP, and clients that leave behind the handshake."""
    while True:
        strangers = [hostile.Connection(port) for _ in range(10)]
        for number, stranger in enumerate(strangers):
            stranger.send((b"", b"\x16\x03\x01\x02\x00\x01", hostile.http_bytes("GET", "/health"))[number % 3])
        hostile.Connection(port, context=context).cut()
        for stranger in strangers:
            stranger.cut()
        yield


PLAIN = {function.__name__: function for function in (nobody, messages, large, pipelined, idle, streams, slow)}
TLS = {"tls_" + function.__name__: function for function in (nobody, half_handshakes, messages, slow)}


def attack(family, port, cert, ready, stop):
    hostile.allow_descriptors()
    steps = family(port, ssl.create_default_context(cafile=cert) if cert else None)
    next(steps)
    ready.set()
    while not stop.is_set():
        next(steps)


def beside(family, workspace, cert=None, key=None):
    """Milliseconds of each ping."""
    server = harness.Server(workspace, *hostile.NO_SANDBOX, *(("--tls-cert", cert, "--tls-key", key) if cert else ()))
    if cert:
        server.connection = http.client.HTTPSConnection("127.0.0.1", server.port, context=ssl.create_default_context(cafile=cert))
    server.initialize()
    ready, stop = multiprocessing.Event(), multiprocessing.Event()
    attacker = multiprocessing.Process(target=attack, args=(family, server.port, cert, ready, stop))
    attacker.start()
    while not ready.wait(1):
        server.request("ping")  # so that its connection is not idle for long
    times = []
    for _ in range(PINGS):
        began = time.perf_counter()
        server.request("ping")
        times.append((time.perf_counter() - began) * 1000)
    stop.set()
    attacker.join()
    if attacker.exitcode != 0 or server.close() != 0:
        sys.exit("%s did not end well" % family.__name__)
    return sorted(times)


def main():
    workspace = harness.Workspace()
    cert, key = hostile.make_certificate(workspace.data)
    missed = []
    for name, family in (*PLAIN.items(), *TLS.items()):
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        times = beside(family, workspace, *((cert, key) if name in TLS else ()))
        late = times[len(times) * 99 // 100]
        print("ping beside %-20s median %6.2f ms, 99th percentile %6.2f, worst %6.2f (target %d)" % (
            name + ":", statistics.median(times), late, times[-1], TARGET_MS), flush=True)
        if late > TARGET_MS:
            missed.append(name)
    workspace.close()
    sys.exit("over the target: " + ", ".join(missed) if missed else 0)


if __name__ == "__main__":
    main()
