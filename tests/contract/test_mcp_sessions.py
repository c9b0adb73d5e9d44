# SPDX-License-Identifier: GPL-3.0-or-later
"""MCP sessions outlive the server: a restart, a second server on the same store, thousands of them; one that was ended stays ended. And
what open streams and connections cost in memory."""
import http.client
import json
import os
import pathlib
import sqlite3
import time
import unittest

import cms
import harness

NO_SANDBOX = ("--sandbox", harness.LOCAL, "--warm", "bare=0,data=0,plot=0")
MANY = 2000
STREAMS, STREAM_KIB = 200, 16
# The server may take 25 MB, and takes 22.6 here; of this, pages of its libraries are 17. On another file system the kernel maps 20 MB of the
# same libraries, so the test has a bound for the rest.
CONNECTIONS, OWN_MB = 500, 8


def kib_of(server, what="VmRSS:"):
    with open("/proc/%d/status" % server.process.pid, encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(what))


def is_sanitized(server):
    """A sanitizer keeps memory of its own, and keeps what was freed."""
    maps = pathlib.Path("/proc/%d/maps" % server.process.pid).read_text(encoding="utf-8")
    return any(name in maps for name in ("libasan", "libtsan", "liblsan", "libubsan"))


def key_of(data):
    """The store's key for sealed ids, in hex."""
    found = next(pathlib.Path(data).rglob("*.db"))
    with sqlite3.connect("file:%s?mode=ro" % found, uri=True) as store:
        return store.execute("SELECT value FROM secret WHERE name = 'seal'").fetchone()[0]


class Case(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)

    def start(self, *words):
        server = harness.Server(self.workspace, *NO_SANDBOX, *words)
        self.addCleanup(lambda: server.process.poll() is None and server.close())
        return server

    def follow(self, client, server):
        """The client's session, used at another server."""
        other = harness.Client(server.port)
        self.addCleanup(other.connection.close)
        other.session, other.version = client.session, client.version
        return other

    def ping(self, client):
        """The status of one request of the session."""
        client.last_id += 1
        return client.post({"jsonrpc": "2.0", "id": client.last_id, "method": "ping"})[0]

    def delete(self, client):
        return client.http("DELETE", "/mcp", Mcp_Session_Id=client.session)[0]


class Restart:
    """What holds for each kind of store."""
    words = ()

    def setUp(self):
        super().setUp()
        self.first_server = self.start(*self.words)

    def test_the_next_call_answers(self):
        self.first_server.initialize("2025-06-18")
        self.first_server.good("history", session_id=self.a_session(self.first_server))
        self.first_server.kill()
        client = self.follow(self.first_server, self.start(*self.words))
        self.assertEqual(self.ping(client), 200)
        # Who it is and what it agreed on is in the id.
        sid = self.a_session(client)
        client.good("change_curriculum", session_id=sid, operations=[
            {"op": "create_node", "node_id": "AFTER%d" % os.getpid(), "title": "after the restart"}])
        self.assertIn("mcp:harness", client.good("history", session_id=sid))
        client.version = "2020-01-01"
        self.assertEqual(self.ping(client), 400)

    def a_session(self, client):
        return client.http("POST", "/session/create", {})[1]["session_id"]

    def test_ended_stays_ended(self):
        other = self.start(*self.words)
        self.first_server.initialize()
        follower = self.follow(self.first_server, other)
        self.assertEqual(self.ping(follower), 200)
        self.assertEqual(self.delete(self.first_server), 204)
        self.assertEqual(self.ping(self.first_server), 404)
        self.assertEqual(self.ping(follower), 404)
        self.assertEqual(self.delete(follower), 404)
        self.first_server.kill()
        self.assertEqual(self.ping(self.follow(follower, self.start(*self.words))), 404)
        # Another session of the same client is another one.
        follower.session = None
        follower.initialize()
        self.assertEqual(self.ping(follower), 200)


class Store(Restart, Case):
    def test_each_bit_counts(self):
        client = self.first_server
        client.initialize()
        good = client.session
        for place, letter in enumerate(good):
            for bit in (1, 2, 4, 8, 16, 32):
                if chr(ord(letter) ^ bit).isprintable() and chr(ord(letter) ^ bit) not in " ":
                    client.session = good[:place] + chr(ord(letter) ^ bit) + good[place + 1:]
                    self.assertEqual(self.ping(client), 404, client.session)
        client.session = good
        self.assertEqual(self.ping(client), 200)

    def test_a_foreign_store(self):
        self.first_server.initialize()
        workspace = harness.Workspace()
        self.addCleanup(workspace.close)
        foreign = harness.Server(workspace, *NO_SANDBOX)
        self.addCleanup(foreign.close)
        self.assertEqual(self.ping(self.follow(self.first_server, foreign)), 404)

    def test_thousands(self):
        first = self.follow(self.first_server, self.first_server)
        first.initialize()
        self.more_sessions(100)
        before = kib_of(self.first_server)
        self.more_sessions(MANY)
        self.assertEqual(self.ping(first), 200)
        if not is_sanitized(self.first_server):
            self.assertLess(kib_of(self.first_server) - before, 512)

    def more_sessions(self, count):
        for _ in range(count):
            self.first_server.session = None
            self.first_server.initialize()

    def test_the_key_is_nowhere_else(self):
        self.first_server.initialize()
        key = key_of(self.workspace.data)
        self.assertEqual(len(key), 64)
        sid = self.workspace.run("demo").stdout.decode().split()[-1]
        said = [self.workspace.run("export", sid).stdout, json.dumps(self.first_server.request("tools/list")).encode(),
                self.workspace.run("sessions").stdout, self.workspace.run("doctor", check=False).stdout]
        said += [self.first_server.http("GET", path)[1] for path in ("/metrics", "/openapi.json", "/sessions", "/health")]
        said.append("".join(self.first_server.lines).encode())
        for text in said:
            text = text if isinstance(text, bytes) else json.dumps(text).encode()
            self.assertNotIn(key.encode(), text.lower())
            self.assertNotIn(bytes.fromhex(key), text)
        found = next(pathlib.Path(self.workspace.data).rglob("*.db"))
        self.assertEqual(os.stat(found).st_mode & 0o077, 0)


class Service(Restart, Case):
    """With a service as the store: its copy has what the service cannot keep."""
    def setUp(self):
        self.service = cms.Cms()
        self.addCleanup(self.service.close)
        self.words = ("--store", self.service.url)
        super().setUp()


class Memory(Case):
    def setUp(self):
        super().setUp()
        self.workspace.run("demo")
        self.server = self.start()
        if is_sanitized(self.server):
            self.skipTest("a sanitizer has memory of its own")

    def test_open_streams(self):
        """Of sessions that were all opened on one connection, so that no memory of others is used again."""
        ids = []
        for _ in range(STREAMS):
            self.server.session = None
            self.server.initialize()
            ids.append(self.server.session)
        before = kib_of(self.server)
        for session in ids:
            connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=harness.ANSWER_SECONDS)
            connection.request("GET", "/mcp", headers={"Accept": "text/event-stream", "Mcp-Session-Id": session})
            response = connection.getresponse()
            self.addCleanup(connection.close)
            self.addCleanup(response.close)
            self.assertEqual(response.status, 200)
            self.assertRegex(response.fp.readline(), rb"^id: g")
        each = (kib_of(self.server) - before) / STREAMS
        print("%d open streams: %.1f KiB each" % (STREAMS, each))
        self.assertLessEqual(each, STREAM_KIB)
        self.assertEqual(self.ping(self.server), 200)

    def test_connections(self):
        before = kib_of(self.server)
        clients = []
        for _ in range(CONNECTIONS):
            clients.append(harness.Client(self.server.port))
            self.addCleanup(clients[-1].connection.close)
            clients[-1].initialize()
            clients[-1].good("query_graph", query="counts")
        after = kib_of(self.server)
        own = kib_of(self.server, "RssAnon:") / 1024
        print("%d connections and sessions: %.1f MB, %.1f KiB each; without the pages of files %.1f MB" % (
            CONNECTIONS, after / 1024, (after - before) / CONNECTIONS, own))
        self.assertLess(own, OWN_MB)
        self.assertEqual(self.ping(clients[0]), 200)


class Streams(Case):
    """The notifications to a session that no call causes, on the stream of a GET."""
    def setUp(self):
        super().setUp()
        self.server = self.start()
        self.server.initialize()
        self.sid = self.server.http("POST", "/session/create", {})[1]["session_id"]
        self.uri = "lectern://curriculum/" + self.sid

    def open(self, client, last=None):
        """(connection, lines) of a new stream, after its first event; and that event's id."""
        connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=harness.ANSWER_SECONDS)
        headers = {"Accept": "text/event-stream", "Mcp-Session-Id": client.session}
        connection.request("GET", "/mcp", headers={**headers, **({"Last-Event-ID": last} if last else {})})
        response = connection.getresponse()
        self.assertEqual(response.status, 200)
        self.addCleanup(connection.close)
        self.addCleanup(response.close)
        return response

    def event(self, response):
        """The next one's id and message; None at the end."""
        ident, data = None, None
        for line in response.fp:
            if line.startswith(b"id: "):
                ident = line[4:].strip().decode()
            elif line.startswith(b"data: "):
                data = line[6:].strip()
            elif line == b"\n" and ident:
                return ident, json.loads(data) if data else None
        return None

    def edit(self, number):
        self.server.good("change_curriculum", session_id=self.sid, operations=[
            {"op": "create_node", "node_id": "NEW%d" % number, "title": "new"}])

    def test_changes_are_told(self):
        stream = self.open(self.server)
        self.assertIsNone(self.event(stream)[1])
        self.assertIn("result", self.server.request("resources/subscribe", {"uri": self.uri}))
        self.edit(1)
        first, message = self.event(stream)
        self.assertEqual((message["method"], message["params"]["uri"]), ("notifications/resources/updated", self.uri))
        # Lost, and told meanwhile: the client comes back with the id of the last one that it has.
        stream.close()
        time.sleep(0.3)
        self.edit(2)
        stream = self.open(self.server, first)
        ident, message = self.event(stream)
        self.assertEqual(message["method"], "notifications/resources/updated")
        self.assertGreater(int(ident.split("-")[1]), int(first.split("-")[1]))
        self.edit(3)
        self.assertEqual(self.event(stream)[1]["method"], "notifications/resources/updated")
        # A new curriculum is told to each.
        self.server.http("POST", "/session/create", {})
        self.assertEqual(self.event(stream)[1]["method"], "notifications/resources/list_changed")

    def test_the_server_stops(self):
        """An open stream keeps no server from stopping; its client comes back to the next one."""
        stream = self.open(self.server)
        first, _ = self.event(stream)
        self.assertEqual(self.server.close(), 0)
        self.assertIsNone(self.event(stream))
        next_one = self.follow(self.server, self.start())
        second, _ = self.event(self.open(next_one, first))
        self.assertNotEqual(first, second)


if __name__ == "__main__":
    unittest.main()
