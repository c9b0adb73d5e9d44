# SPDX-License-Identifier: GPL-3.0-or-later
"""Undo behind an edit that the chat has made undoes that edit and no other, and the chat knows what has become of it."""
import unittest

import demo

SECONDS = 300


class Undo(unittest.TestCase):
    def test_wide(self):
        self.assertIn("undone, brought back", demo.run("undo.test.mjs", SECONDS, "wide"))

    def test_narrow(self):
        self.assertIn("undone, brought back", demo.run("undo.test.mjs", SECONDS, "narrow"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
