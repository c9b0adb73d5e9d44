# SPDX-License-Identifier: GPL-3.0-or-later
"""A run while it is active, as an MCP client sees it: its output as progress, its place in the queue, and its end after a cancellation."""
import json
import re
import threading
import time
import unittest

import harness

MESSAGE_CHARACTERS = 1000 + len("... ")
ENDLESS = "while True:\n    pass"
SLOW_LINES = """import time
for i in range(8):
    print("line", i, flush=True)
    until = time.time() + 0.3
    while time.time() < until:
        pass
"""
FLOOD = """import time
until = time.time() + 1.5
i = 0
while time.time() < until:
    if i < 3000:
        print("row", i, "\\u20ac")
        i += 1
print("end")
"""
QUEUED = 24
SOON = 30  # seconds for a cancelled run to be over; it could run for 60


class Streaming(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)

    def run_code(self, client, code, token="p"):
        answer = client.request("tools/call", {"name": "execute_code", "arguments": {"code": code}},
                                meta={"progressToken": token})["result"]
        steps = [m["params"] for m in client.notifications if m.get("method") == "notifications/progress"]
        client.notifications.clear()
        self.assertEqual({step["progressToken"] for step in steps} - {token}, set())
        values = [step["progress"] for step in steps]
        self.assertEqual(values, sorted(set(values)))
        for step in steps:
            self.assertLessEqual(len(step["message"]), MESSAGE_CHARACTERS)
        return answer, [step["message"] for step in steps]

    def test_output_comes_while_it_runs(self):
        client = harness.Stdio(self.workspace)
        client.initialize()
        answer, messages = self.run_code(client, SLOW_LINES)
        self.assertFalse(answer["isError"], answer)
        streamed = "".join(message for message in messages if message.startswith("line"))
        self.assertGreaterEqual(len([message for message in messages if message.startswith("line")]), 3, messages)
        self.assertTrue("".join("line %d\n" % i for i in range(8)).startswith(streamed), messages)
        self.assertIn("line 5", streamed)
        self.assertEqual(client.close(), 0)

    def test_a_silent_run_is_reported_as_well(self):
        client = harness.Stdio(self.workspace, "--timeout", "60")
        client.initialize()
        client.send({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": {
            "name": "execute_code", "arguments": {"code": ENDLESS}, "_meta": {"progressToken": "p"}}})
        steps = [client.notification("notifications/progress")]
        while "under way" not in steps[-1]["message"]:
            steps.append(client.notification("notifications/progress"))
        client.notify("notifications/cancelled", {"requestId": "slow"})
        self.assertEqual({step["progressToken"] for step in steps}, {"p"})
        values = [step["progress"] for step in steps]
        self.assertEqual(values, sorted(set(values)))
        self.assertEqual(client.close(), 0)

    def test_a_flood_is_clipped(self):
        client = harness.Stdio(self.workspace)
        client.initialize()
        answer, messages = self.run_code(client, FLOOD)
        self.assertFalse(answer["isError"], answer)
        clipped = [message for message in messages if message.startswith("... ")]
        self.assertTrue(clipped, messages)
        for message in clipped:
            self.assertRegex(message, r"\A\.\.\. (row \d+ \u20ac\n)+\Z")
        text = answer["content"][0]["text"]
        self.assertRegex(text, r"\n\.\.\. [0-9,]+ (characters|bytes) left out \.\.\.\n")
        self.assertTrue(text.startswith("row 0 "), text[:40])
        self.assertRegex(text, r"\nend\n\[ok, ")
        self.assertLess(len(text), 10_300)
        self.assertEqual(client.close(), 0)

    def test_the_place_in_the_queue(self):
        client = harness.Stdio(self.workspace)
        client.initialize()
        for i in range(QUEUED):
            client.send({"jsonrpc": "2.0", "id": "q%d" % i, "method": "tools/call", "params": {
                "name": "execute_code", "arguments": {"code": "import time\nt = time.time()\n"
                                                              "while time.time() - t < 0.5: pass"},
                "_meta": {"progressToken": i}}})
        for i in range(QUEUED):
            self.assertFalse(client.receive("q%d" % i)["result"]["isError"])
        messages = [m["params"]["message"] for m in client.notifications if m.get("method") == "notifications/progress"]
        places = [re.fullmatch(r"waiting for a sandbox: place (\d+)", message) for message in messages]
        places = [int(place.group(1)) for place in places if place]
        self.assertTrue(places, messages)
        self.assertTrue(all(1 <= place <= QUEUED for place in places), places)
        self.assertIn("running", messages)
        self.assertEqual(client.close(), 0)

    def test_a_cancel_ends_the_run_at_once(self):
        server = harness.Server(self.workspace, "--timeout", "60")
        server.initialize()

        def running():
            text = server.http("GET", "/metrics")[1].decode()
            return re.search(r"^lectern_runs_running (\d+)$", text, re.M).group(1)

        def wait_for(count):
            limit = time.monotonic() + SOON
            while running() != count:
                self.assertLess(time.monotonic(), limit, running())
                time.sleep(0.02)

        def call():
            connection = harness.http.client.HTTPConnection("127.0.0.1", server.port, timeout=harness.ANSWER_SECONDS)
            body = {"jsonrpc": "2.0", "id": "slow", "method": "tools/call",
                    "params": {"name": "execute_code", "arguments": {"code": ENDLESS}, "_meta": {"progressToken": 1}}}
            connection.request("POST", "/mcp", json.dumps(body), {
                "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                "Mcp-Session-Id": server.session, "MCP-Protocol-Version": server.version})
            answers.append(connection.getresponse().read())
            connection.close()

        answers = []
        thread = threading.Thread(target=call)
        thread.start()
        wait_for("1")
        server.notify("notifications/cancelled", {"requestId": "slow"})
        wait_for("0")
        thread.join()
        self.assertNotIn(b'"result"', answers[0])
        text = server.http("GET", "/metrics")[1].decode()
        self.assertIn('lectern_runs_total{ended="cancelled"} 1\n', text)
        self.assertEqual(server.close(), 0)

    def test_a_wish_over_the_limit_is_cut_and_said(self):
        client = harness.Stdio(self.workspace, "--timeout", "2")
        client.initialize()
        text = client.good("execute_code", code="print(1)", timeout_seconds=50)
        self.assertIn("timeout_seconds limited to 2", text)
        self.assertNotIn("timeout_seconds", client.good("execute_code", code="print(1)", timeout_seconds=2))
        is_error, text = client.call("execute_code", code=ENDLESS, timeout_seconds=50)
        self.assertTrue(is_error)
        self.assertLess(float(re.search(r"\[timeout, ([0-9.]+) s", text).group(1)), 50 / 2)
        self.assertEqual(client.close(), 0)

    def test_the_caps_are_the_servers(self):
        client = harness.Stdio(self.workspace, "--stdout-cap", "200", "--stderr-cap", "100")
        client.initialize()
        text = client.good("execute_code", code="print('x' * 1000)")
        self.assertIn("\n... 801 characters left out ...\n", text)
        self.assertLess(len(text), 400)
        self.assertEqual(client.close(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
