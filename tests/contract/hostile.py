# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients that send whatever they like to a real server, over HTTP, TLS and stdio, and what has to hold after each of them."""
import json
import os
import pathlib
import re
import resource
import signal
import socket
import ssl
import struct
import subprocess
import time
import unittest

import harness
from test_mcp import MODERN, modern_headers, modern_meta

NO_SANDBOX = ("--no-demo", "--sandbox", harness.LOCAL, "--warm", "bare=0,data=0,plot=0")
LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
JSON_HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
MESSAGE_CAP = 4 << 20  # MESSAGE_IN_CAP
GAUGES = ("lectern_connections", "lectern_mcp_calls", "lectern_mcp_streams", "lectern_runs_running", "lectern_runs_queued")
DESCRIPTORS = 4096
SETTLE_SECONDS = 60  # a server that needs longer to forget its clients does not forget them


def allow_descriptors():
    """As many as a thousand connections need here."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS if most == resource.RLIM_INFINITY else min(most, DESCRIPTORS), most))


def footprint(pid):
    """How many descriptors and threads a process has."""
    return {name: len(os.listdir("/proc/%d/%s" % (pid, folder))) for name, folder in (("descriptors", "fd"), ("threads", "task"))}


def http_bytes(method, path, body=b"", headers=()):
    """One request. headers: pairs, as one may come twice; a Content-Length among them is left as it is."""
    lines = ["%s %s HTTP/1.1" % (method, path), "Host: 127.0.0.1", *("%s: %s" % pair for pair in headers)]
    if method == "POST" and not any(name == "Content-Length" for name, _ in headers):
        lines.append("Content-Length: %d" % len(body))
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def get_bytes(session, headers=()):
    """The request for the stream of a session."""
    return http_bytes("GET", "/mcp", headers=[("Accept", "text/event-stream"), ("Mcp-Session-Id", session), *headers])


class Connection:
    """One connection by hand. context: of TLS."""

    def __init__(self, port, source="127.0.0.1", context=None):
        self.socket = socket.create_connection(("127.0.0.1", port), harness.ANSWER_SECONDS, (source, 0))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.read = b""
        if context:
            self.socket = context.wrap_socket(self.socket, server_hostname="127.0.0.1")

    def send(self, data):
        """False if the server has closed it."""
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
            return False
        return True

    def fill(self):
        """False at its end."""
        try:
            more = self.socket.recv(1 << 16)
        except (ConnectionResetError, ssl.SSLError):
            more = b""
        self.read += more
        return bool(more)

    def take(self, mark):
        """What comes up to the mark, which goes too; None if the connection ends before."""
        while mark not in self.read:
            if not self.fill():
                return None
        found, _, self.read = self.read.partition(mark)
        return found

    def head(self):
        """(status, headers by name in lower case) of the next answer; None if the connection ends before."""
        text = self.take(b"\r\n\r\n")
        if text is None:
            return None
        first, *lines = text.decode().split("\r\n")
        return int(first.split()[1]), {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}

    def answer(self):
        """(status, body, headers) of the next answer, its body parsed; None if the connection ends before."""
        head = self.head()
        if head is None:
            return None
        status, headers = head
        length = int(headers.get("content-length", "0"))
        while len(self.read) < length and self.fill():
            pass
        body, self.read = self.read[:length], self.read[length:]
        return status, json.loads(body) if body else None, headers

    def event(self):
        """The next message on a stream of events; None at its end."""
        while True:
            line = self.take(b"\n")
            if line is None:
                return None
            if line.startswith(b"data:") and line[5:].strip():
                return json.loads(line[5:])

    def ends(self):
        """Waits for the server to close it, and returns what came meanwhile."""
        while self.fill():
            pass
        return self.read

    def cut(self):
        """Closes it with a reset, as a machine does that goes down."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def close(self):
        self.socket.close()


class Speaker:
    """A client of one revision of MCP that can also send what is no message."""
    last_id = 0

    def __init__(self, version):
        self.version = version
        self.modern = version == MODERN

    def message(self, method, params=None, ident=None):
        if ident is None:
            Speaker.last_id += 1
            ident = "own-%d" % Speaker.last_id
        params = dict(params or {})
        if self.modern:
            params["_meta"] = {**modern_meta(), **params.get("_meta", {})}
        return {"jsonrpc": "2.0", "id": ident, "method": method, **({"params": params} if params else {})}

    def probe(self, ident=None, params=None):
        """A request that each client of this revision may send."""
        return self.message("server/discover" if self.modern else "ping", params, ident)

    def request(self, method, params=None, ident=None):
        return self.give(json.dumps(self.message(method, params, ident)).encode())


class HttpSpeaker(Speaker):
    """On a connection of its own."""
    transport = "http"

    def __init__(self, case, version, token=None):
        super().__init__(version)
        self.case = case
        self.connection = case.connect()
        self.session = None
        self.more = {"Authorization": "Bearer " + token} if token else {}
        if not self.modern:
            status, _, headers = self.post(json.dumps(self.message("initialize", {
                "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "hostile", "version": "1"}})).encode())
            case.assertEqual(status, 200)
            self.session = headers["mcp-session-id"]

    def headers(self, data=b""):
        """Those that belong to this body, or to any where it is no message."""
        found = dict(JSON_HEADERS, **self.more)
        if self.modern:
            try:
                message = json.loads(data)
                found.update(modern_headers(message))
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                found["MCP-Protocol-Version"] = MODERN
        elif self.session:
            found.update({"Mcp-Session-Id": self.session, "MCP-Protocol-Version": self.version})
        return found

    def whole(self, data):
        return http_bytes("POST", "/mcp", data, tuple(self.headers(data).items()))

    def post(self, data):
        """Others are answered before this client reads its own answer."""
        self.connection.send(self.whole(data))
        self.case.alive()
        return self.connection.answer()

    def give(self, data):
        """(HTTP status, the answer or None) of one body."""
        return self.post(data)[:2]

    def end(self):
        self.connection.close()


class StdioSpeaker(Speaker):
    """With a process of its own, which has to be left as it was."""
    transport = "stdio"

    def __init__(self, case, version):
        super().__init__(version)
        self.case = case
        self.client = harness.Stdio(case.workspace, *NO_SANDBOX[1:])
        case.addCleanup(lambda: self.client.process.poll() is None and self.client.process.kill())
        if not self.modern:
            self.client.initialize(version)
        case.warm_up(self)
        self.before = footprint(self.client.process.pid)

    def write(self, data):
        self.client.process.stdin.write(data)
        self.client.process.stdin.flush()

    def read(self):
        message = self.client.lines.get(timeout=harness.ANSWER_SECONDS)
        self.case.assertIsNotNone(message, "lectern stdio ended")
        return message

    def request(self, method, params=None, ident=None):
        """(None, the answer), or (None, None) where the request has opened a stream."""
        message = self.message(method, params, ident)
        self.write(json.dumps(message).encode() + b"\n")
        while True:
            answer = self.read()
            if "method" not in answer:
                self.case.assertEqual(answer["id"], message["id"])
                return None, answer
            if answer["method"] == "notifications/subscriptions/acknowledged":
                return None, None

    def give(self, data):
        """(None, what came or None) of one line that is answered at once: the answer to the next one comes after it."""
        fence = self.probe()
        self.write(data + b"\n" + json.dumps(fence).encode() + b"\n")
        found = None
        while True:
            message = self.read()
            if isinstance(message, dict) and message.get("id") == fence["id"]:
                self.case.assertIn("result", message)
                return None, found
            if "method" not in message:
                self.case.assertIsNone(found, "two answers to one line")
                found = message

    def end(self):
        self.case.assertEqual(footprint(self.client.process.pid), self.before)
        self.client.process.send_signal(signal.SIGTERM)
        self.case.assertEqual(self.client.wait(), 0)


def make_certificate(folder):
    """The paths of a new certificate and its key."""
    cert, key = str(pathlib.Path(folder, "cert.pem")), str(pathlib.Path(folder, "key.pem"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                    "/CN=lectern", "-addext", "subjectAltName=IP:127.0.0.1", "-out", cert, "-keyout", key], check=True, capture_output=True)
    return cert, key


class HostileCase(unittest.TestCase):
    """A server with a client that behaves. Each test ends with all others gone: the server still answers the one, has nothing left of
    them, and ends cleanly."""
    options = ()
    context = None  # of TLS

    def setUp(self):
        allow_descriptors()
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        self.connections = []
        self.streaming = set()
        self.prepare()
        self.server = harness.Server(self.workspace, *NO_SANDBOX, *self.options)
        self.addCleanup(lambda: self.server.process.poll() is None and self.server.process.kill())
        self.begin()
        self.before = footprint(self.server.process.pid)

    def prepare(self):
        """Before the server starts."""

    def begin(self):
        """The one that behaves uses what the server makes once, at its first use."""
        self.server.initialize()
        self.sid = self.server.http("POST", "/session/create", {})[1]["session_id"]
        self.warm_up(self.server)
        self.gauges()

    @staticmethod
    def warm_up(client):
        for method, params in (("tools/list", {}), ("resources/list", {}), ("tools/call", {"name": "history", "arguments": {}}),
                               ("tools/call", {"name": "query_graph", "arguments": {"query": "counts"}})):
            client.request(method, params)

    def tearDown(self):
        for connection in self.connections:
            connection.close()
        self.alive()
        for session in self.streaming:
            self.assertEqual(self.server.http("DELETE", "/mcp", Mcp_Session_Id=session)[0], 204)
        self.nothing_left()
        self.assertEqual(self.server.close(), 0)

    def connect(self, source="127.0.0.1"):
        connection = Connection(self.server.port, source, self.context)
        self.connections.append(connection)
        return connection

    def stream(self, session, *headers, source="127.0.0.1"):
        """A connection with the request for a session's stream. The server keeps the stream for who lost it until the session ends."""
        self.streaming.add(session)
        connection = self.connect(source)
        connection.send(get_bytes(session, headers))
        return connection

    def metrics(self):
        return self.server.http("GET", "/metrics")[1].decode()

    def gauges(self):
        text = self.metrics()
        return {name: int(re.search("^%s (\\d+)$" % name, text, re.M).group(1)) for name in GAUGES}

    def alive(self):
        """The one that behaves is answered now, whatever others are in the middle of."""
        self.assertEqual(self.server.request("ping").get("result"), {})

    def until(self, state, wanted):
        """Waits for a state, answering the one that behaves meanwhile."""
        end = time.monotonic() + SETTLE_SECONDS
        while state() != wanted:
            self.assertLess(time.monotonic(), end, "%s instead of %s" % (state(), wanted))
            self.alive()

    def nothing_left(self):
        self.until(self.gauges, dict.fromkeys(GAUGES, 0) | {"lectern_connections": 1})
        if self.before:
            self.until(lambda: footprint(self.server.process.pid), self.before)

    def each_client(self):
        """Each transport in each revision."""
        for version in (*LEGACY, MODERN):
            for kind in HttpSpeaker, StdioSpeaker:
                with self.subTest(transport=kind.transport, version=version):
                    client = kind(self, version)
                    yield client
                    client.end()
                    self.alive()

    def refused(self, answer, code, ident=None):
        """An error with this code, for this id, that says something."""
        self.assertEqual((answer["error"]["code"], answer["id"]), (code, ident), answer)
        self.assertGreater(len(answer["error"]["message"]), 10)
