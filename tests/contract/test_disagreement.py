# SPDX-License-Identifier: GPL-3.0-or-later
"""The policy in the sandbox refuses what the validator accepted: nothing runs, the answer says what to do, the log has a line, and the
metric counts it. The sandbox of this test has modified tables, with one more forbidden name."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import harness

IMAGE = "lectern-sandbox:test-disagreement"
METRIC = "lectern_validator_disagreements_total"
LOG_LINE = re.compile(r"^\S+ error executor: .*code forbidden-name, line 3, profile data-science$")


class Workspace(harness.Workspace):
    def environment(self):
        return dict(super().environment(), LECTERN_IMAGE=IMAGE)


class Disagreement(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="lectern-test-")
        self.addCleanup(self.folder.cleanup)
        os.chmod(self.folder.name, 0o755)
        self.share = pathlib.Path(self.folder.name) / "share"
        shutil.copytree(harness.BUILD / "share", self.share)
        tables = json.loads((self.share / "policy.json").read_text())
        tables["names"]["surely_fine"] = ["name"]
        (self.share / "policy.json").write_text(json.dumps(tables))
        if os.environ.get("LECTERN_SANDBOX") == "docker":
            subprocess.run([harness.LECTERN, "image", "build", "--share", self.share, "--image", IMAGE], check=True, stdout=subprocess.DEVNULL)
        self.workspace = Workspace()
        self.addCleanup(self.workspace.close)
        self.workspace.run("demo")

    @staticmethod
    def count(server):
        status, text, headers = server.http("GET", "/metrics")
        assert status == 200 and headers["Content-Type"].startswith("text/plain; version=0.0.4"), (status, headers)
        lines = text.decode().splitlines()
        assert "# TYPE %s counter" % METRIC in lines, lines
        return next(int(line.split()[1]) for line in lines if line.startswith(METRIC + " "))

    def test_the_run_is_refused_logged_and_counted(self):
        server = harness.Server(self.workspace, "--share", str(self.share))
        try:
            server.initialize()
            self.assertEqual(self.count(server), 0)
            self.assertEqual(server.good("execute_code", code="print(6 * 7)").splitlines()[0], "42")
            self.assertEqual(self.count(server), 0)
            for number in (1, 2):
                answer = server.request("tools/call", {"name": "execute_code", "arguments": {
                    "code": "print('ran')\n\nsurely_fine = 1\n"}})["result"]
                text = answer["content"][0]["text"]
                self.assertTrue(answer["isError"])
                self.assertEqual(answer["_meta"]["lectern/error"]["errorCategory"], "validation")
                self.assertFalse(answer["_meta"]["lectern/error"]["isRetryable"])
                for words in ("line 3", "forbidden-name", "Nothing ran", "fault of Lectern's", "logged", "in another way"):
                    self.assertIn(words, text)
                self.assertFalse(text.startswith("ran"), text)
                self.assertEqual(self.count(server), number)
            self.assertEqual(server.http("POST", "/metrics", b"")[0], 405)
        finally:
            self.assertEqual(server.close(), 0)
        logged = [line for line in server.lines if LOG_LINE.match(line.rstrip())]
        self.assertEqual(len(logged), 2, server.lines)
        self.assertNotIn("surely_fine", "".join(server.lines))

    def test_exec_says_so_too(self):
        done = self.workspace.run("exec", "--share", str(self.share), "-", stdin=b"print(1)\nsurely_fine = 2\n", check=False)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"line 2: The check inside the sandbox", done.stderr)

    def test_agreed(self):
        """What mutants once found the two to differ on: a name that was imported is bound anew, before the import and behind it."""
        for program, said in ((b"from statistics import mean\nmean = 1\nmean += 1\nprint(mean)\n", b"2\n"),
                              (b"np = 1\nnp += 1\nprint(np)\nfrom numpy import array as np\n", b"2\n"),
                              (b"def main():\n    print('main')\nif __name__ == '__main__':\n    main()\n", b"main\n")):
            with self.subTest(program=program):
                done = self.workspace.run("exec", "--share", str(self.share), "-", stdin=program, check=False)
                self.assertEqual((done.returncode, done.stdout), (0, said), done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
