# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions about curricula, answered by execute_code in the engine that the environment selects: those of demo_questions.py on the demo
curriculum, and those of the shared data if available. An answer is correct if it equals the reference as JSON, floats to 1e-6.
LECTERN_WHOLE=1 asks all shared questions over stdio too, instead of every fifth."""
import json
import math
import os
import re
import unittest

import demo_questions
import harness

CURRICULA = ("fractions", "exercism_python", "openstax_algebra")


def same(got, wanted):
    if isinstance(wanted, bool) or isinstance(got, bool):
        return got is wanted
    if isinstance(wanted, (int, float)) and isinstance(got, (int, float)):
        return math.isclose(got, wanted, rel_tol=1e-6, abs_tol=1e-6)
    if isinstance(wanted, list) and isinstance(got, list):
        return len(got) == len(wanted) and all(same(a, b) for a, b in zip(got, wanted))
    if isinstance(wanted, dict) and isinstance(got, dict):
        return got.keys() == wanted.keys() and all(same(got[key], wanted[key]) for key in wanted)
    return got == wanted


def ask(client, sid, code):
    """(answer, text): the JSON value that the code printed, or None where it printed none or failed."""
    is_error, text = client.call("execute_code", session_id=sid, code=code)
    trailer = re.search(r"\n\[\w+, [0-9.]+ s[^\n]*\]$", text)
    try:
        return (json.loads(text[:trailer.start()]) if trailer and not is_error else None), text
    except ValueError:
        return None, text


class Questions(unittest.TestCase):
    def check(self, client, cases):
        """cases: (id, session id, code that prints JSON, answer)."""
        wrong, asked = [], 0
        client.initialize()
        for ident, sid, code, wanted in cases:
            got, text = ask(client, sid, code)
            asked += 1
            if not same(got, wanted):
                wrong.append("%s: wanted %.200s, got %.600s" % (ident, json.dumps(wanted), text))
        self.assertEqual(wrong, [])
        self.assertGreater(asked, 0)
        print("%d questions answered" % asked)

    def over_stdio(self, cases):
        client = harness.Stdio(self.workspace)
        try:
            self.check(client, cases)
        finally:
            status = client.close()
        self.assertEqual(status, 0)

    def over_http(self, cases, *options):
        server = harness.Server(self.workspace, *options)
        try:
            self.check(server, cases)
        finally:
            status = server.close()
        self.assertEqual(status, 0)


class Demo(Questions):
    """The demo curriculum, which is part of the project. All but the first few questions share a sandbox, which is quick."""

    @classmethod
    def setUpClass(cls):
        cls.workspace = harness.Workspace()
        sid = cls.workspace.run("demo").stdout.decode().split()[-1]
        path = harness.ROOT / "mcp/curriculum/demo/demo_curriculum.json"
        curriculum = json.loads(path.read_text(encoding="utf-8"))
        cls.cases = [(question, sid, "import json\n%s\nprint(json.dumps(result))" % code, reference(curriculum))
                     for question, code, reference in demo_questions.QUESTIONS]

    @classmethod
    def tearDownClass(cls):
        cls.workspace.close()

    def test_over_stdio(self):
        self.over_stdio(self.cases[:2])

    def test_over_http(self):
        self.over_http(self.cases, "--isolation", "session")


class Shared(Questions):
    """Real curricula and their questions, which are not part of the project."""

    @classmethod
    def setUpClass(cls):
        harness.shared("truth")
        cls.workspace = harness.Workspace()
        cls.cases = []
        for name in CURRICULA:
            sid = cls.workspace.load(harness.shared("data", name + ".json"))
            for line in harness.shared("truth", name + ".jsonl").read_text(encoding="utf-8").splitlines():
                case = json.loads(line)
                cls.cases.append((case["id"], sid, case["code"], case["answer"]))

    @classmethod
    def tearDownClass(cls):
        cls.workspace.close()

    def test_over_stdio(self):
        self.over_stdio(self.cases if os.environ.get("LECTERN_WHOLE") else self.cases[::5])

    def test_over_http(self):
        self.over_http(self.cases)


if __name__ == "__main__":
    unittest.main(verbosity=2)
