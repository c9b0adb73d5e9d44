# SPDX-License-Identifier: GPL-3.0-or-later
"""The page without a mouse, with less motion, with more contrast and in forced colours."""
import unittest

import demo


class Keyboard(unittest.TestCase):
    def test_main_points(self):
        self.assertIn("by keys alone", demo.run("keyboard.test.mjs", 240))


if __name__ == "__main__":
    unittest.main(verbosity=2)
