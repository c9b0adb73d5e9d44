# SPDX-License-Identifier: GPL-3.0-or-later
"""The conformance suite of the Model Context Protocol, from npm, against lectern_conformance: the server with the tools, resources
and prompts that the suite's scenarios name. What needs none of those is asked of lectern itself too."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "contract"))
import harness  # noqa: E402
import npm  # noqa: E402

PROGRAM = harness.BUILD / "lectern_conformance"
SUITE = "node_modules/@modelcontextprotocol/conformance/dist/index.js"
SECONDS = 120
# Scenarios of an extension that Lectern does not have. One of them asks nothing.
TASKS = {"tasks-lifecycle", "tasks-capability-negotiation", "tasks-wire-fields", "tasks-request-state-removal", "tasks-mrtr-input",
         "tasks-request-headers", "tasks-dispatch-and-envelope", "tasks-required-task-error", "tasks-mrtr-composition"}
# What lectern serve passes without the names of the suite, by revision.
OF_EVERY_SERVER = {
    "2025-11-25": {"server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "server-session-lifecycle",
                   "server-sse-multiple-streams", "dns-rebinding-protection"},
    "2026-07-28": {"tools-list", "resources-list", "prompts-list", "server-sse-multiple-streams", "dns-rebinding-protection", "caching",
                   "sep-2164-resource-not-found", "http-header-validation"},
}


class ServerCase(unittest.TestCase):
    """A server of that program, without curricula and without sandboxes."""

    def serve(self, program, *words):
        workspace = harness.Workspace()
        self.addCleanup(workspace.close)
        with mock.patch.object(harness, "LECTERN", program):
            server = harness.Server(workspace, "--sandbox", "process", "--warm", "bare=0,data=0,plot=0", *words)
        self.addCleanup(lambda: self.assertEqual(server.close(), 0))
        return server


class SuiteCase(ServerCase):
    @classmethod
    def setUpClass(cls):
        cls.place = npm.folder("conformance", harness.ROOT / "tests/conformance")

    def run_suite(self, server, revision):
        """{scenario: (checks passed, checks failed)} and what the suite has printed."""
        with tempfile.TemporaryDirectory() as out:
            done = subprocess.run([self.place / npm.NODE, self.place / SUITE, "server", "--url", "http://127.0.0.1:%d/mcp" % server.port,
                                   "--requirements", revision, "--output-dir", out], cwd=self.place, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
        text = done.stdout.decode()
        lines = re.findall(r"^. (\S+): (\d+) passed, (\d+) failed$", text, re.MULTILINE)
        self.assertGreater(len(lines), 30, text)
        return {name: (int(passed), int(failed)) for name, passed, failed in lines}, text


class Suite(SuiteCase):
    def run_all(self, revision):
        results, text = self.run_suite(self.serve(PROGRAM, "--no-demo"), revision)
        failing = {name for name, (_, failed) in results.items() if failed}
        return sum(passed for passed, _ in results.values()), failing, text

    def test_2025_11_25(self):
        passed, failing, text = self.run_all("2025-11-25")
        self.assertEqual((passed, failing), (84, set()), text)

    def test_2026_07_28(self):
        passed, failing, text = self.run_all("2026-07-28")
        self.assertEqual(failing, TASKS, text)
        self.assertGreaterEqual(passed, 164, text)


class Lectern(SuiteCase):
    def test_scenarios_without_fixtures(self):
        server = self.serve(harness.LECTERN)
        for revision, names in OF_EVERY_SERVER.items():
            results, text = self.run_suite(server, revision)
            self.assertEqual({name: failed for name, (_, failed) in results.items() if failed and name in names}, {}, text)
            self.assertEqual(names - set(results), set())
            self.assertEqual([name for name in names if results[name][0] == 0], [], text)


class Product(unittest.TestCase):
    def test_nothing_of_the_suite_is_in_it(self):
        names = re.findall(rb"\btest_[a-z]{3,}_[a-z0-9_]{3,}\b|test://[a-z-]{3,}", PROGRAM.read_bytes())
        self.assertGreater(len(set(names)), 25)
        self.assertEqual({name for name in names if name in harness.LECTERN.read_bytes()}, set())


if __name__ == "__main__":
    unittest.main(verbosity=2)
