# SPDX-License-Identifier: GPL-3.0-or-later
"""Notices lie over nothing that can be pressed and move nothing, in any region, wide and on a phone."""
import unittest

import demo

SECONDS = 300


class Notices(unittest.TestCase):
    def test_wide(self):
        self.assertIn("notices in", demo.run("notices.test.mjs", SECONDS, "wide"))

    def test_narrow(self):
        self.assertIn("notices in", demo.run("notices.test.mjs", SECONDS, "narrow"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
