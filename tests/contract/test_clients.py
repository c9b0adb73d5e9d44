# SPDX-License-Identifier: GPL-3.0-or-later
"""MCP clients of others, from npm, against a real server: clients/walk.mjs is what each of them must be able to do. They are installed
into the build folder from the lock file, with their node."""
import os
import re
import shutil
import subprocess
import unittest

import harness
import npm

SOURCES = harness.ROOT / "tests/contract/clients"
PLACE = harness.BUILD / "clients"
NODE = PLACE / npm.NODE
SECONDS = 600


class NpmCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        npm.folder("clients")
        for script in SOURCES.glob("*.mjs"):
            shutil.copy(script, PLACE)  # beside node_modules, where its imports resolve

    def run_tests(self, name, count):
        """Runs the tests of NAME.test.mjs, which are so many."""
        environment = dict(os.environ, LECTERN=str(harness.LECTERN), NODE_NO_WARNINGS="1", NO_COLOR="1")
        done = subprocess.run([NODE, "--test", "--test-reporter=spec", name + ".test.mjs"], cwd=PLACE, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
        output = done.stdout.decode()
        self.assertEqual(done.returncode, 0, output)
        self.assertEqual(re.findall(r"^ℹ (?:pass|skipped|todo) (\d+)$", output, re.MULTILINE), [str(count), "0", "0"], output)


class Libraries(NpmCase):
    def test_sdk_v1(self):
        self.run_tests("sdk_v1", 2)

    def test_sdk_v2(self):
        self.run_tests("sdk_v2", 4)

    def test_ai_sdk(self):
        self.run_tests("ai_sdk", 2)

    def test_openai_agents(self):
        self.run_tests("openai_agents", 2)

    def test_mastra(self):
        self.run_tests("mastra", 2)

    def test_langchain(self):
        self.run_tests("langchain", 2)


class Bridges(NpmCase):
    def test_bridges(self):
        self.run_tests("bridges", 4)


if __name__ == "__main__":
    unittest.main(verbosity=2)
