# SPDX-License-Identifier: GPL-3.0-or-later
"""The stop button: in a text that streams and in an analysis that never ends, wide and on a phone. What had come stays, the
model's request and the sandbox end, the next question works; and it is all the same after a reload."""
import unittest

import played
from replay_model import answer, call, hold, text

SECONDS = 300
ENDLESS = "print('It has begun.', flush=True)\nwhile True:\n    pass\n"


class Stop(unittest.TestCase):
    def walk(self, size):
        played.run("stop.test.mjs", SECONDS, [
            answer(text("This is the first half of it, and then", pieces=4), hold()),
            answer(text("Here I am.")),
            answer(text("I will look."), call("execute_code", {"code": ENDLESS})),
            answer(text("Still here.")),
            answer(text("And after a reload.")),
        ], size)

    def test_wide(self):
        self.walk("wide")

    def test_narrow(self):
        self.walk("narrow")


if __name__ == "__main__":
    unittest.main(verbosity=2)
