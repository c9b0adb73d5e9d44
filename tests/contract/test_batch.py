# SPDX-License-Identifier: GPL-3.0-or-later
"""Several analyses in one call: execute_code, POST /execute and lectern exec. They run side by side, are answered in their order, and a
failure of one loses no other."""
import base64
import json
import os
import subprocess
import time
import unittest

import harness

SLEEPS = [{"name": "sleep %d" % i, "code": "import time\ntime.sleep(1)\nprint(%d)" % i} for i in range(8)]
MIXED = [{"name": "count", "code": "from code_helpers import get_nodes\nprint(len(get_nodes()))"},
         {"name": "refused", "code": "import os"}, {"name": "crash", "code": "print('before')\n1 / 0"},
         {"name": "endless", "code": "while True: pass"}, {"name": "value", "code": "6 * 7"}, {"name": "two", "code": "print(2)"},
         {"name": "three", "code": "print(3)"}, {"name": "four", "code": "print(4)"}]
REASONS = {"refused": "Import 'os' is not allowed", "crash": "ZeroDivisionError", "endless": "TimeoutError"}
ANSWERS = {"count": "40", "value": "42", "two": "2", "three": "3", "four": "4"}
WORDS = ("--sandbox", os.environ.get("LECTERN_SANDBOX", harness.LOCAL), "--timeout", "2")
WRONG = (([{"name": "a", "code": "1"}], "2 to 8 programs"), ([{"name": str(i), "code": "1"} for i in range(9)], "2 to 8 programs"),
         ([{"name": "a", "code": "1"}, {"name": "a", "code": "2"}], "name of an earlier program"),
         ([{"name": "a", "code": "1"}, {"name": "b"}], "batch.1.code"), ([{"name": "a", "code": "1"}, "print(1)"], "batch.1"))


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workspace = harness.Workspace()
        cls.addClassCleanup(cls.workspace.close)
        cls.server = harness.Server(cls.workspace, *WORDS)
        cls.addClassCleanup(lambda: cls.server.close())
        cls.server.initialize()
        cls.sid = cls.server.http("GET", "/sessions")[1]["sessions"][0]["session_id"]


class Tool(Case):
    def parts(self, text):
        """The text of each program by its name, in their order."""
        found = {}
        for line in text.splitlines():
            if line.startswith("== ") and line.endswith(" =="):
                name = line[3:-3]
                found[name] = ""
            else:
                found[name] += line + "\n"
        return found

    def test_each_has_its_answer(self):
        parts = self.parts(self.server.good("execute_code", batch=MIXED))
        self.assertEqual(list(parts), [program["name"] for program in MIXED])
        for name, answer in ANSWERS.items():
            self.assertEqual(parts[name].splitlines()[0], answer)
            self.assertRegex(parts[name], r"\[ok, 0\.\d+ s\]")
        for name, reason in REASONS.items():
            self.assertIn(reason, parts[name])
        self.assertIn("before\n", parts["crash"])

    def test_it_fails_only_if_all_fail(self):
        is_error, text = self.server.call("execute_code", batch=[MIXED[1], MIXED[2]])
        self.assertTrue(is_error)
        self.assertEqual(list(self.parts(text)), ["refused", "crash"])

    def test_wrong_batches(self):
        for batch, reason in WRONG:
            is_error, text = self.server.call("execute_code", batch=batch)
            self.assertTrue(is_error)
            self.assertIn(reason, text)
        is_error, text = self.server.call("execute_code", batch=MIXED[:2], code="1")
        self.assertIn("batch exclude each other", text)
        is_error, text = self.server.call("execute_code")
        self.assertIn("code: is needed", text)

    def test_figures_come_in_the_order_of_their_programs(self):
        draw = "import matplotlib.pyplot as plt\nplt.figure(figsize=(%d, 1), dpi=50)\nplt.plot([1, 2])"
        server = harness.Server(self.workspace, *WORDS, "--profile", "visualization")
        self.addCleanup(server.close)
        server.initialize()
        batch = [{"name": "wide", "code": "import time\ntime.sleep(0.5)\n" + draw % 4}, {"name": "narrow", "code": draw % 2}]
        answer = server.request("tools/call", {"name": "execute_code", "arguments": {"batch": batch}})["result"]
        pictures = [base64.b64decode(part["data"]) for part in answer["content"] if part["type"] == "image"]
        widths = [int.from_bytes(picture[16:20], "big") for picture in pictures]  # of the PNG's header
        self.assertEqual(len(widths), 2, answer["content"][0])
        self.assertGreater(*widths)

    def test_a_cancelled_batch_leaves_nothing(self):
        client = harness.Stdio(self.workspace, *WORDS)
        client.initialize()
        endless = [{"name": str(i), "code": "while True: pass"} for i in range(4)]
        client.send({"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": {"name": "execute_code", "arguments": {"batch": endless}}})
        client.notify("notifications/cancelled", {"requestId": 77})
        self.assertIn("40", client.good("execute_code", code=MIXED[0]["code"]))
        self.assertEqual(client.close(), 0)

    def test_side_by_side(self):
        """Eight sleeps take at most a third of their time one after another."""
        begin = time.monotonic()
        self.server.good("execute_code", batch=SLEEPS)
        together = time.monotonic() - begin
        self.assertLess(together, len(SLEEPS) / 3)


class Execute(Case):
    def execute(self, batch, **more):
        return self.server.http("POST", "/execute", {"batch": batch, "session_id": self.sid, **more})

    def test_each_has_its_answer(self):
        status, answer, _ = self.execute(MIXED)
        self.assertEqual(status, 200)
        parts = {part["name"]: part for part in answer["batch"]}
        self.assertEqual(list(parts), [program["name"] for program in MIXED])
        for name, text in ANSWERS.items():
            self.assertEqual((parts[name]["stdout"] or parts[name]["result"]).strip(), text)
            self.assertIsNone(parts[name]["error"])
        for name, reason in REASONS.items():
            self.assertIn(reason, parts[name]["error"])
            self.assertIsNotNone(parts[name]["error_info"])
        self.assertEqual((parts["refused"]["exit_code"], parts["crash"]["exit_code"], parts["endless"]["exit_code"]), (3, 1, 124))

    def test_wrong_batches(self):
        for batch, reason in WRONG:
            status, answer, _ = self.execute(batch)
            self.assertEqual(status, 422)
            self.assertIn(reason, json.dumps(answer))
        self.assertEqual(self.execute(MIXED[:2], code="1")[0], 422)
        self.assertEqual(self.server.http("POST", "/execute", {})[0], 422)

    def test_a_client_that_leaves(self):
        """Its programs end before their time, so that the next ones find sandboxes."""
        client = harness.Client(self.server.port)
        body = json.dumps({"batch": [{"name": str(i), "code": "while True: pass"} for i in range(8)]}).encode()
        client.connection.request("POST", "/execute", body, {"Content-Type": "application/json"})
        client.connection.close()
        self.assertEqual(self.execute(MIXED[4:6])[0], 200)


class Exec(Case):
    def run_batch(self, batch, *words):
        path = os.path.join(self.workspace.data, "batch.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(batch, file)
        return subprocess.run([harness.LECTERN, "exec", *WORDS, "--batch", path, *words], capture_output=True, text=True, check=False,
                              env=self.workspace.environment(), timeout=harness.ANSWER_SECONDS)

    def test_json(self):
        for batch in (MIXED, {"batch": MIXED}):
            done = self.run_batch(batch, "--json")
            self.assertEqual(done.returncode, 1, done.stderr)
            parts = {part["name"]: part for part in json.loads(done.stdout)}
            self.assertEqual([name for name, part in parts.items() if part["ok"]], list(ANSWERS))
            for name, reason in REASONS.items():
                self.assertIn(reason, parts[name]["error"])

    def test_text(self):
        done = self.run_batch(MIXED[4:])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "== value ==\n42\n== two ==\n2\n== three ==\n3\n== four ==\n4\n")
        done = self.run_batch(MIXED[:3])
        self.assertEqual(done.returncode, 1)
        self.assertIn("== refused ==\nCode analysis blocked", done.stderr)
        self.assertIn("== crash ==\nTraceback", done.stderr)

    def test_wrong_files(self):
        for batch, reason in WRONG:
            done = self.run_batch(batch)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(reason, done.stderr)
        self.assertEqual(self.run_batch(MIXED, "program.py").returncode, 2)


if __name__ == "__main__":
    unittest.main()
