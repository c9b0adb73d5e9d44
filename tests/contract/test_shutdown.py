# SPDX-License-Identifier: GPL-3.0-or-later
"""Every command ends cleanly in any state: exit status 0, event loop closed, and in a build with a sanitizer no leak and no race (the
harness checks its reports)."""
import http.client
import json
import os
import signal
import socket
import subprocess
import time
import unittest

import harness

ENGINE = os.environ.get("LECTERN_SANDBOX", "auto")
ENDLESS = "while True: pass"
HELPED = "from code_helpers import get_nodes\nwhile True: get_nodes(session_id)"
INITIALIZE = [
    {"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]
RUN_SECONDS = 60  # what a run may take
END_SECONDS = 45  # shows that the server does not wait for the end of a run; it takes 3 s


def calls(sid):
    """One call for each work queue and for the executor, as messages."""
    made = [
        ("execute_code", {"code": ENDLESS, "session_id": sid, "timeout_seconds": RUN_SECONDS}),
        ("execute_code", {"code": HELPED, "session_id": sid, "timeout_seconds": RUN_SECONDS}),
        ("execute_code", {"code": "print(1)", "session_id": sid}),
        ("add_component", {"session_id": sid, "node_id": "N001", "component_type": "heading", "parameters": {"text": "x"}}),
        ("query_graph", {"session_id": sid, "query": "longest_chain"}),
        ("query_graph", {"session_id": sid, "query": "counts"}),
    ]
    return [{"jsonrpc": "2.0", "id": "c%d" % number, "method": "tools/call",
             "params": {"name": tool, "arguments": arguments, "_meta": {"progressToken": number}}}
            for number, (tool, arguments) in enumerate(made)]


class Ending(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        self.sid = self.workspace.run("demo").stdout.decode().strip()

    def started(self, process):
        """Killed at the test's end where the test could not end it."""
        self.addCleanup(lambda: process.process.poll() is None and process.process.kill())
        return process

    def end(self, process, how):
        """Sends the signals, 0.05 s apart, and waits for a good end."""
        began = time.monotonic()
        for number in how:
            process.process.send_signal(number)
            time.sleep(0.05)
        self.assertEqual(process.wait(), 0)
        self.assertLess(time.monotonic() - began, END_SECONDS)


class Serve(Ending):
    def start(self):
        return self.started(harness.Server(self.workspace, "--sandbox", ENGINE, "--timeout", str(RUN_SECONDS)))

    def test_at_once(self):
        self.end(self.start(), [signal.SIGTERM])

    def test_on_interrupt(self):
        server = self.start()
        server.initialize()
        server.good("execute_code", code="print(1)")
        self.end(server, [signal.SIGINT])

    def test_with_clients_connected(self):
        server = self.start()
        server.initialize()  # keeps its connection
        parts = [b"", b"GET /hea", b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{\"json"]
        clients = []
        for part in parts:
            clients.append(socket.create_connection(("127.0.0.1", server.port)))
            clients[-1].sendall(part)
        time.sleep(0.2)
        self.end(server, [signal.SIGTERM])
        for client in clients:
            client.close()

    def test_in_the_middle_of_calls(self):
        # Before the sandboxes are warm, and while the code runs and more signals come.
        for how, wait in (([signal.SIGTERM], 0.0), ([signal.SIGTERM, signal.SIGINT, signal.SIGTERM], 1.5)):
            with self.subTest(how=how, wait=wait):
                server = self.start()
                server.initialize()
                clients = []
                for message in calls(self.sid):
                    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
                    client.request("POST", "/mcp", json.dumps(message), {
                        "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                        "Mcp-Session-Id": server.session, "MCP-Protocol-Version": server.version})
                    clients.append(client)
                clients[1].close()  # one that does not wait for its answer
                time.sleep(wait)
                self.end(server, how)
                for client in clients:
                    client.close()

    def test_a_taken_port(self):
        server = self.start()
        second = self.workspace.run("serve", "--port", str(server.port), "--sandbox", ENGINE, check=False)
        self.assertEqual(second.returncode, 1)
        self.assertIn(str(server.port), second.stderr.decode())
        self.end(server, [signal.SIGTERM])


class Stdio(Ending):
    def start(self, *words):
        return self.started(harness.Stdio(self.workspace, "--sandbox", ENGINE, "--timeout", "2", *words))

    def test_input_ends(self):
        for part in (b"", b"\n", b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}', b'{"jsonrpc"', b"\x00\xff"):
            with self.subTest(part=part):
                client = self.start()
                client.process.stdin.write(part)
                self.assertEqual(client.close(), 0)

    def test_input_ends_in_the_middle_of_calls(self):
        client = self.start("--session", self.sid)
        client.initialize()
        sent = calls(self.sid)
        for message in sent:
            client.send(message)
        self.assertEqual(client.close(), 0)
        answers = [message for message in iter(client.lines.get, None) if "id" in message]
        self.assertEqual({answer["id"] for answer in answers}, {message["id"] for message in sent})

    def test_signal_in_the_middle_of_calls(self):
        for how in ([signal.SIGTERM], [signal.SIGINT, signal.SIGTERM]):
            with self.subTest(how=how):
                client = self.start()
                client.initialize()
                for message in calls(self.sid):
                    client.send(message)
                time.sleep(0.7)
                self.end(client, how)

    def test_the_reader_leaves_in_the_middle_of_calls(self):
        reading, writing = os.pipe()
        with open(os.path.join(self.workspace.data, "log"), "w+b") as log:
            process = subprocess.Popen([str(harness.LECTERN), "stdio", "--session", self.sid, "--sandbox", ENGINE],
                                       stdin=subprocess.PIPE, stdout=writing, stderr=log,
                                       env=self.workspace.environment())
            os.close(writing)
            os.close(reading)
            for message in INITIALIZE + calls(self.sid):
                process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            status = process.wait(END_SECONDS)
            process.stdin.close()
            log.seek(0)
            text = log.read()
            harness.check_log(text)
            self.assertEqual(status, 0, text.decode())

    def test_an_unknown_session(self):
        done = self.workspace.run("stdio", "--session", "nope", check=False)
        self.assertEqual(done.returncode, 1)


class Commands(Ending):
    """Exit statuses of the commands that end by themselves; the harness looks for a sanitizer's report in each."""

    def check(self, status, *words, stdin=b""):
        with self.subTest(words=words, stdin=stdin[:40]):
            done = self.workspace.run(*words, stdin=stdin, check=False)
            self.assertEqual(done.returncode, status, done.stderr.decode())

    def test_exec(self):
        for status, code in ((0, b"print(1)"), (1, b"1/0"), (3, b"import os"), (124, ENDLESS.encode()),
                             (3, b"print('a'"), (3, b"")):
            self.check(status, "exec", "--sandbox", ENGINE, "--timeout", "1", "-", stdin=code)
        self.check(124, "exec", "--sandbox", ENGINE, "--timeout", "1", "--session", self.sid, "--json", "-",
                   stdin=HELPED.encode())
        self.check(1, "exec", "--session", "nope", "-", stdin=b"1")
        self.check(127, "exec", "--sandbox", "docker", "--docker-host", "unix:///nonexistent/docker.sock", "-", stdin=b"1")
        self.check(1, "exec", "/nonexistent.py")
        self.check(2, "exec", "--no-such-option")

    def test_files(self):
        folder = self.workspace.data
        whole = os.path.join(folder, "whole.json")
        self.check(0, "export", self.sid, "-o", whole)
        self.check(0, "export", self.sid)
        self.check(1, "export", "nope")
        self.check(0, "import", whole)
        self.check(0, "import", "--dry-run", whole)
        self.check(1, "import", os.path.join(folder, "missing.json"))
        for text in (b"", b"{", b"[]", b'{"nodes": 1}', b"\xff\xfe"):
            broken = os.path.join(folder, "broken.json")
            with open(broken, "wb") as file:
                file.write(text)
            self.check(1, "import", broken)

    def test_graph(self):
        self.check(0, "graph", "--session", self.sid, "counts")
        self.check(0, "graph", "--session", self.sid, "needs", "--node", "N001")
        self.check(1, "graph", "--session", "nope", "counts")

    def test_validate(self):
        self.check(0, "validate", "-", stdin=b"print(1)")
        self.check(1, "validate", "-", stdin=b"import os")
        self.check(1, "validate", "--json", "-", stdin=b"print('")

    def test_doctor_and_help(self):
        done = self.workspace.run("doctor", "--json", "--sandbox", ENGINE, check=False)
        self.assertIn(done.returncode, (0, 1))
        self.assertIn("store", [check["name"] for check in json.loads(done.stdout)])
        self.check(0, "--help")
        self.check(0, "serve", "--help")
        self.check(2, "sever")


if __name__ == "__main__":
    unittest.main(verbosity=2)
