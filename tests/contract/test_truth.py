# SPDX-License-Identifier: GPL-3.0-or-later
"""Every question of the shared truth, answered through execute_code over HTTP, and each fifth over stdio (LECTERN_WHOLE=1: each), in the engine that the
environment names. Right means: equal as JSON, floats to 1e-6."""
import json
import math
import os
import re
import unittest

import harness

CURRICULA = ("fractions", "exercism_python", "openstax_algebra")
SECONDS = 5.0


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


class Truth(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        harness.shared("truth")
        cls.workspace = harness.Workspace()
        cls.sessions = {name: cls.workspace.load(harness.shared("data", name + ".json")) for name in CURRICULA}

    @classmethod
    def tearDownClass(cls):
        cls.workspace.close()

    def ask(self, client, step=1):
        """Every question, or each step-th."""
        right, wrong, slowest = 0, [], 0.0
        client.initialize()
        for name in CURRICULA:
            for line in harness.shared("truth", name + ".jsonl").read_text(encoding="utf-8").splitlines()[::step]:
                case = json.loads(line)
                is_error, text = client.call("execute_code", session_id=self.sessions[name], code=case["code"])
                trailer = re.search(r"\n\[(\w+), ([0-9.]+) s[^\n]*\]$", text)
                try:
                    got = json.loads(text[:trailer.start()]) if trailer and not is_error else None
                    good = not is_error and same(got, case["answer"]) and float(trailer.group(2)) < SECONDS
                except ValueError:
                    good = False
                right += good
                slowest = max(slowest, float(trailer.group(2)) if trailer else 0.0)
                if not good:
                    wrong.append("%s: wanted %.200s, got %.600s" % (case["id"], json.dumps(case["answer"]), text))
        print("%d of %d right, slowest %.3f s" % (right, right + len(wrong), slowest))
        self.assertEqual(wrong, [])
        self.assertGreater(right, 0)

    def test_over_stdio(self):
        client = harness.Stdio(self.workspace)
        try:
            self.ask(client, step=1 if os.environ.get("LECTERN_WHOLE") else 5)  # the other way in has them all
        finally:
            status = client.close()
        self.assertEqual(status, 0)

    def test_over_http(self):
        server = harness.Server(self.workspace)
        try:
            self.ask(server)
        finally:
            status = server.close()
        self.assertEqual(status, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
