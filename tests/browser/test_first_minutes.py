# SPDX-License-Identifier: GPL-3.0-or-later
"""The first five minutes of a new user with the demo curriculum, the model played by aimock, the tools and the sandbox real: wide
with a mouse, and on a phone with a finger; each state in light and dark."""
import unittest

import demo

SECONDS = 300


class FirstMinutes(unittest.TestCase):
    def test_wide(self):
        demo.run("first_minutes.test.mjs", SECONDS, "wide")

    def test_narrow(self):
        demo.run("first_minutes.test.mjs", SECONDS, "narrow")


if __name__ == "__main__":
    unittest.main(verbosity=2)
