# SPDX-License-Identifier: GPL-3.0-or-later
"""Third-party MCP clients from npm (the SDK's client, the Vercel AI SDK's, and the inspector's command line) list and call the tools over
stdio and HTTP. They are installed into the build folder from the lock file."""
import json
import pathlib
import shutil
import subprocess
import unittest

import harness
import npm

SOURCES = harness.ROOT / "tests/contract/clients"
PLACE = harness.BUILD / "clients"
NODE = PLACE / npm.NODE


class Clients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        npm.folder("clients")
        cls.workspace = harness.Workspace()
        cls.workspace.run("demo")
        cls.server = harness.Server(cls.workspace)
        cls.plots = harness.Server(cls.workspace, "--profile", "visualization")

    @classmethod
    def tearDownClass(cls):
        assert cls.server.close() == 0
        assert cls.plots.close() == 0
        cls.workspace.close()

    def environment(self):
        return dict(self.workspace.environment(), LECTERN=str(harness.LECTERN), NODE_NO_WARNINGS="1",
                    LECTERN_URL="http://127.0.0.1:%d/mcp" % self.server.port,
                    LECTERN_PLOT_URL="http://127.0.0.1:%d/mcp" % self.plots.port)

    def run_node(self, *words, folder=PLACE):
        return subprocess.run([str(NODE), *words], cwd=folder, env=self.environment(), capture_output=True, timeout=300,
                              check=False)

    def run_tests(self, name, count):
        script = PLACE / name     # beside node_modules, where its imports resolve
        shutil.copy(SOURCES / name, script)
        done = self.run_node("--test", str(script))
        self.assertEqual(done.returncode, 0, done.stdout.decode() + done.stderr.decode())
        self.assertIn(b"pass %d" % count, done.stdout)

    def test_sdk(self):
        self.run_tests("sdk.test.mjs", 6)

    def test_ai_sdk(self):
        self.run_tests("ai_sdk.test.mjs", 2)

    def inspect(self, target, *words):
        cli = next(pathlib.Path(path) for path in PLACE.glob("node_modules/.bin/mcp-inspector"))
        done = self.run_node(str(cli.resolve()), "--cli", *target, *words)
        self.assertEqual(done.returncode, 0, done.stdout.decode() + done.stderr.decode())
        return json.loads(done.stdout)

    def test_inspector(self):
        for target in (["http://127.0.0.1:%d/mcp" % self.server.port], [str(harness.LECTERN), "stdio"]):
            with self.subTest(target=target[-1]):
                tools = self.inspect(target, "--method", "tools/list")["tools"]
                self.assertEqual(len(tools), 9)
                answer = self.inspect(target, "--method", "tools/call", "--tool-name", "query_graph",
                                      "--tool-arg", "query=starting_points")
                self.assertFalse(answer.get("isError"))
                self.assertIn("N001", answer["content"][0]["text"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
