# SPDX-License-Identifier: GPL-3.0-or-later
"""Slow work in one session does not delay others: a graph query whose client has disconnected or whose time is over, the same query with
another limit, and a dry run; and which edits cause a graph to be reloaded."""
import contextlib
import itertools
import json
import pathlib
import random
import re
import signal
import socket
import subprocess
import threading
import time
import unittest

import harness

NODES, EDGES = 6000, 40000
MORE_SESSIONS = 6
TYPES = ("PREREQUISITE", "PREREQUISITE_FOR", "LEADS_TO")  # one each makes a question that no earlier one has answered


def large():
    """Edges of each type between the same nodes, from earlier ones to any later one, so that shortest paths are many."""
    rng = random.Random(3)
    ids = ["N%04d" % i for i in range(NODES)]
    pairs = set()
    while len(pairs) < EDGES:
        pairs.add(tuple(sorted(rng.sample(range(NODES), 2))))
    edges = [{"from_node_id": ids[a], "to_node_id": ids[b], "relationship_type": kind} for kind in TYPES for a, b in sorted(pairs)]
    return {"nodes": [{"node_id": i, "title": "Title of " + i, "components": [
        {"type": "paragraph", "order": 1, "parameters": {"text": "About " + i}}]} for i in ids], "relationships": edges}


def small(title):
    return {"meta": {"title": title}, "nodes": [{"node_id": i, "title": "Node " + i, "components": []} for i in "ABC"],
            "relationships": [{"from_node_id": a, "to_node_id": b, "relationship_type": "PREREQUISITE"} for a, b in ("AB", "BC")]}


class Waiting(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workspace = harness.Workspace()
        cls.curriculum = pathlib.Path(cls.workspace.data, "large.json")
        cls.curriculum.write_text(json.dumps(large()))
        cls.large = cls.workspace.load(cls.curriculum)
        path = pathlib.Path(cls.workspace.data, "file.json")
        cls.others = []
        for i in range(MORE_SESSIONS):
            path.write_text(json.dumps(small("Course %d" % i)))
            cls.others.append(cls.workspace.load(path))

    @classmethod
    def tearDownClass(cls):
        cls.workspace.close()

    def setUp(self):
        self.server = self.start()

    def start(self, *words):
        server = harness.Server(self.workspace, *words)
        self.addCleanup(lambda: self.assertEqual(server.close(), 0))
        return server

    def ask(self, query, session=None, server=None):
        """(status, answer, seconds)"""
        begin = time.monotonic()
        status, answer, _ = (server or self.server).http("GET", "/session/%s/graph/%s" % (session or self.others[0], query))
        return status, answer, time.monotonic() - begin

    def leave(self, query, more):
        """A client that asks, sends more bytes behind its request, and leaves."""
        with socket.create_connection(("127.0.0.1", self.server.port)) as client:
            client.sendall(("GET /session/%s/graph/%s HTTP/1.1\r\nHost: localhost\r\n\r\n" % (self.large, query)).encode() + more)

    def graphs(self):
        """(kept, built) of the graphs that were asked for so far."""
        text = self.server.http("GET", "/metrics")[1].decode()
        return tuple(int(re.search(r'lectern_graph_questions_total\{graph="%s"\} (\d+)' % name, text)[1]) for name in ("kept", "built"))

    # ---- graph questions ----

    def test_a_question_ends_when_its_client_leaves(self):
        """Six clients ask and leave while the server is stopped. It begins few of their questions and finishes none: a ranking that was
        computed would be kept, and be there at once when it is asked for again."""
        status, _, whole = self.ask("bottlenecks?types=" + TYPES[0], self.large)
        self.assertEqual(status, 200)
        left = ["bottlenecks?types=" + "&types=".join(types) for count in (1, 2, 3) for types in itertools.combinations(TYPES, count)][1:]
        begun = sum(self.graphs())
        self.server.process.send_signal(signal.SIGSTOP)
        for number, query in enumerate(left):
            self.leave(query, b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n" if number % 2 else b"")
        self.server.process.send_signal(signal.SIGCONT)
        self.assertEqual(self.ask("order")[0], 200)
        self.assertLess(sum(self.graphs()) - begun, len(left))
        again = {query: self.ask(query, self.large) for query in left}
        self.assertEqual({status for status, _, _ in again.values()}, {200})
        kept = [query for query, (_, _, seconds) in again.items() if seconds < whole / 10]
        self.assertLess(len(kept), 2, kept)

    def test_small_questions_overtake_large_ones(self):
        """Four clients ask for bottlenecks, of two sessions, each over other types; meanwhile small questions are answered, of another
        session and of the same one."""
        large = [self.large, self.workspace.load(self.curriculum)]
        for session in large:  # its graph is built
            self.assertEqual(self.ask("counts", session)[0], 200)
        results = []

        def ask(number):
            client = harness.Client(self.server.port)
            client.connection.timeout = 600
            results.append(self.ask("bottlenecks?types=%s&types=ENRICHMENT" % TYPES[number], large[number % 2], client)[::2])
            client.connection.close()
        clients = [threading.Thread(target=ask, args=(number,)) for number in (0, 1, 2)]
        begin = time.monotonic()
        for client in clients:
            client.start()
        small = []
        while not results:
            for session in self.others[0], large[0]:
                status, _, seconds = self.ask("neighbours?node_id=" + ("A" if session == self.others[0] else "N0001"), session)
                self.assertEqual(status, 200)
                small.append(seconds)
        first = time.monotonic() - begin
        for client in clients:
            client.join()
        self.assertEqual([status for status, _ in results], [200] * len(clients))
        self.assertGreater(len(small), 20)
        self.assertLess(sorted(small)[len(small) * 9 // 10], first / 10)

    @contextlib.contextmanager
    def slowed(self, process):
        """The process is stopped nine tenths of the time, so that what it computes takes long on any machine."""
        over = threading.Event()

        def slow():
            while not over.wait(0.02) and process.poll() is None:
                process.send_signal(signal.SIGSTOP)
                over.wait(0.18)
                process.send_signal(signal.SIGCONT)

        thread = threading.Thread(target=slow)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def test_a_question_has_a_time_bound(self):
        server = self.start("--query-timeout", "1")
        with self.slowed(server.process):
            status, answer, _ = self.ask("bottlenecks?types=all", self.large, server)
        self.assertEqual(status, 503)
        self.assertIn("after 1 s", answer["detail"])
        self.assertIn("--query-timeout", answer["detail"])
        self.assertEqual(self.ask("order", server=server)[0], 200)
        command = subprocess.Popen([harness.LECTERN, "graph", "bottlenecks", "--session", self.large, "--query-timeout", "1"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=self.workspace.environment())
        with self.slowed(command):
            _, said = command.communicate(timeout=harness.ANSWER_SECONDS)
        self.assertEqual(command.returncode, 1)
        self.assertIn(b"after 1 s", said)

    def test_another_limit_is_no_other_question(self):
        _, first, once = self.ask("bottlenecks?limit=3", self.large)
        _, second, again = self.ask("bottlenecks?limit=5", self.large)
        self.assertLess(again, once / 4)
        self.assertEqual(second["nodes"][:3], first["nodes"])
        self.assertEqual(len(second["nodes"]), 5)

    # ---- kept graphs ----

    def test_an_edited_text_leaves_the_graph(self):
        path = "/session/%s" % self.others[0]
        self.ask("order")
        kept, built = self.graphs()
        for method, where, body in (
                ("POST", "/changes", {"operations": [{"op": "edit_node", "node_id": "A", "raw_content": "another text"}]}),):
            status, answer, _ = self.server.http(method, path + where, body)
            self.assertEqual(status, 200, answer)
        self.ask("order")
        self.assertEqual(self.graphs(), (kept + 1, built))
        for operation in ({"op": "rename_node", "node_id": "A", "title": "First"},
                          {"op": "create_component", "node_id": "A", "component_type": "heading", "parameters": {"text": "x"}},
                          {"op": "create_node", "node_id": "D", "title": "Fourth"},
                          {"op": "create_relationship", "from": "C", "to": "D", "type": "PREREQUISITE"},
                          {"op": "delete_relationship", "from": "C", "to": "D", "relationship_type": "PREREQUISITE"},
                          {"op": "delete_node", "node_id": "D"}):
            status, answer, _ = self.server.http("POST", path + "/changes", {"operations": [operation]})
            self.assertEqual(status, 200, answer)
            built += 1
            self.ask("order")
            self.assertEqual(self.graphs(), (kept + 1, built), operation)

    def test_more_sessions_in_turns(self):
        for session in self.others:
            self.ask("order", session)
        kept, built = self.graphs()
        for _ in range(3):
            for session in self.others:
                self.ask("order", session)
        self.assertEqual(self.graphs(), (kept + 3 * MORE_SESSIONS, built))

    # ---- dry runs ----

    def dry_run(self, **more):
        """(status, answer, seconds, [seconds of each write to another session meanwhile])"""
        body = {"operations": [{"op": "delete_node", "node_id": "N%04d" % (i * 3)} for i in range(500)], "dry_run": True, **more}
        done = []

        def run():
            client = harness.Client(self.server.port)
            begin = time.monotonic()
            done.extend(client.http("POST", "/session/%s/changes" % self.large, body)[:2])
            done.append(time.monotonic() - begin)
            client.connection.close()

        thread, writes = threading.Thread(target=run), []
        thread.start()
        while thread.is_alive():
            begin = time.monotonic()
            status, answer, _ = self.server.http("PUT", "/session/%s/positions" % self.others[1],
                                                 {"positions": {"A": {"x": begin, "y": 1}}})
            self.assertEqual(status, 200, answer)
            writes.append(time.monotonic() - begin)
        thread.join()
        return (*done, writes)

    def test_a_dry_run_keeps_no_write_waiting(self):
        status, answer, seconds, writes = self.dry_run()
        self.assertEqual(status, 200, answer)
        self.assertTrue(answer["dry_run"])
        self.assertEqual(answer["done"], 500)
        self.assertIsNone(answer["change_set"])
        self.assertLess(max(writes), seconds / 2)

    def test_a_dry_run_says_what_the_call_would_do(self):
        _, dry, _, _ = self.dry_run()
        status, done, _ = self.server.http("POST", "/session/%s/changes" % self.large, {
            "operations": [{"op": "delete_node", "node_id": "N%04d" % (i * 3)} for i in range(500)]})
        self.assertEqual(status, 200, done)
        for member in ("done", "bad", "results", "effect"):
            self.assertEqual(dry[member], done[member], member)
        status, undone, _ = self.server.http("POST", "/session/%s/undo" % self.large, {"change_set": done["change_set"]})
        self.assertEqual(status, 200, undone)


if __name__ == "__main__":
    unittest.main()
