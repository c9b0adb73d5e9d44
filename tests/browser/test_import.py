# SPDX-License-Identifier: GPL-3.0-or-later
"""Files are imported in the page: chosen, dropped, wrong ones, and over the open curriculum; each is also asked for by the session API."""
import unittest

import chromium
import harness

SECONDS = 300


class Import(unittest.TestCase):
    def run_in(self, size):
        workspace = harness.Workspace()
        self.addCleanup(workspace.close)
        self.assertIn("chosen, looked at, imported", chromium.run("import.test.mjs", workspace, SECONDS, size))

    def test_wide(self):
        self.run_in("wide")

    def test_narrow(self):
        self.run_in("narrow")


if __name__ == "__main__":
    unittest.main(verbosity=2)
