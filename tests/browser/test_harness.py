# SPDX-License-Identifier: GPL-3.0-or-later
"""What watches the page in the other tests sees what it should."""
import unittest

import chromium
import harness


class Harness(unittest.TestCase):
    def test_planted_faults_are_told(self):
        workspace = harness.Workspace()
        self.addCleanup(workspace.close)
        self.assertIn("9 planted faults told", chromium.run("harness.test.mjs", workspace, 60))


if __name__ == "__main__":
    unittest.main(verbosity=2)
