# SPDX-License-Identifier: GPL-3.0-or-later
"""Repairs by rule of the mistakes of test_hints.py: each program that a rule changes is run again, and no longer fails the same way.
It prints which ones they are."""
import json
import subprocess
import unittest

import sandbox
import test_hints


def failure_of(result):
    """(error, hint) as mcp/tool/failure.h gives them."""
    text, _, hint = result["error"].partition("\nHint: ")
    message = next(line for line in reversed(text.splitlines()) if result["error_type"] in line.split(":")[0])
    context = {"message": message, "errorType": result["error_type"], "line": result.get("line") or 0}
    return {"errorCategory": "runtime", "context": context}, hint or None


def repair(runs):
    """The diagnosis of each run, or None."""
    done = subprocess.run([sandbox.BUILD / "tests/repair_driver"], input="".join(json.dumps(run) + "\n" for run in runs),
                          stdout=subprocess.PIPE, text=True, check=True, timeout=60)
    return [json.loads(line) for line in done.stdout.splitlines()]


class Repairs(unittest.TestCase):
    def check(self, rows, checked_as, at_least, **fields):
        def run(code):
            return sandbox.run(code, sandbox.Curriculum(data=test_hints.CURRICULUM), policy=False, **fields)

        runs = []
        for code, _type, _texts in rows:
            code = code.replace("import *", "import get_nodes, get_node_content, query_graph")  # the validator refuses the star
            error, hint = failure_of(run(code).result)
            runs.append({"source": code, "profile": checked_as, "error": error, "hint": hint})
        repaired = 0
        for row, diagnosis in zip(runs, repair(runs), strict=True):
            if diagnosis is None:
                continue
            repaired += 1
            print("%-60s %s" % (row["source"].splitlines()[-1][:60], diagnosis["change"]))
            with self.subTest(row["source"]):
                again = run(diagnosis["source"])
                if again.status != "ok":
                    self.assertNotEqual(failure_of(again.result)[0]["context"]["message"], row["error"]["context"]["message"])
        print("%d of %d mistakes with %s are repaired by rule" % (repaired, len(rows), checked_as))
        self.assertGreaterEqual(repaired, at_least)

    def test_plain_python_and_the_helpers(self):
        self.check(test_hints.BARE, "visualization", 5)

    def test_libraries(self):
        self.check(test_hints.LIBRARIES, "data-science", 3, kind="data", preload=sandbox.DATA_PRELOAD, profile="data-science")

    def test_right_programs_stay(self):
        error = {"errorCategory": "runtime", "context": {"message": "RuntimeError: x", "errorType": "RuntimeError", "line": 1}}
        rows = [json.loads(line) for name in ("fractions", "exercism_python", "openstax_algebra")
                for line in sandbox.shared("truth", name + ".jsonl").read_text().splitlines()]
        runs = [{"source": row["code"], "profile": "data-science", "error": error, "hint": None} for row in rows]
        self.assertEqual([row["code"] for row, found in zip(rows, repair(runs), strict=True) if found], [])
        for change in (("import json\n", ""), ("print(json.dumps(result))", "print json.dumps(result)")):
            broken = [dict(run, source=run["source"].replace(*change)) for run in runs]
            for run, found in zip(runs, repair(broken), strict=True):
                with self.subTest(run["source"]):
                    self.assertIsNotNone(found)
                    self.assertEqual(sorted(found["source"].split("\n")), sorted(run["source"].split("\n")))


if __name__ == "__main__":
    unittest.main()
