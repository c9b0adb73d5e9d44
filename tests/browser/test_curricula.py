# SPDX-License-Identifier: GPL-3.0-or-later
"""From an empty store: a curriculum is made, renamed and deleted in the page, and one that somebody else deletes is said to be gone."""
import unittest

import chromium
import harness

SECONDS = 300


class Curricula(unittest.TestCase):
    def run_in(self, size):
        workspace = harness.Workspace()
        self.addCleanup(workspace.close)
        self.assertIn("made, renamed, deleted", chromium.run("curricula.test.mjs", workspace, SECONDS, size))

    def test_wide(self):
        self.run_in("wide")

    def test_narrow(self):
        self.run_in("narrow")


if __name__ == "__main__":
    unittest.main(verbosity=2)
