# SPDX-License-Identifier: GPL-3.0-or-later
"""The page's own tests, mcp/ui/src/**/*.test.ts: what needs no browser, run by node (mcp/ui/test.mjs)."""
import re
import subprocess
import unittest

import chromium  # noqa: F401  (finds the contract tests' harness)
import harness
from test_types import packages

OUT = harness.BUILD / "page_units"


class Units(unittest.TestCase):
    def test_all_pass(self):
        packages()
        done = subprocess.run(["node", str(harness.ROOT / "mcp/ui/test.mjs"), str(OUT)], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        passed = re.search(r"^# pass (\d+)$", done.stdout, re.M)
        self.assertGreater(int(passed.group(1)), 30, done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
