# SPDX-License-Identifier: GPL-3.0-or-later
"""A person whose token may only read is told so, and offered nothing that edits."""
import unittest

import demo

SECONDS = 300


class ReadOnly(unittest.TestCase):
    def test_wide(self):
        self.assertIn("only read", demo.run("read_only.test.mjs", SECONDS, "wide"))

    def test_narrow(self):
        self.assertIn("only read", demo.run("read_only.test.mjs", SECONDS, "narrow"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
