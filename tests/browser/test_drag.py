# SPDX-License-Identifier: GPL-3.0-or-later
"""Components of a node moved by the pointer: with a mouse on a wide page, with a finger on a phone."""
import unittest

import demo

SECONDS = 300


class Drag(unittest.TestCase):
    def test_mouse(self):
        self.assertIn("moved by hand", demo.run("drag.test.mjs", SECONDS, "wide"))

    def test_finger(self):
        self.assertIn("moved by hand", demo.run("drag.test.mjs", SECONDS, "narrow"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
