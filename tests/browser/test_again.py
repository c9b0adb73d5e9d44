# SPDX-License-Identifier: GPL-3.0-or-later
""""Try again": the question stands once, whether its first answer broke off in the middle or never came; also after a reload."""
import unittest

import played
from replay_model import answer, drop, fail, text

SECONDS = 300
AWAY = fail(500, "api_error", "It is away", should_retry=False)


class Again(unittest.TestCase):
    def walk(self, size):
        played.run("again.test.mjs", SECONDS, [
            AWAY, AWAY, answer(text("Four of them.")),
            answer(text("It begins with"), text(" half a", cut=5), drop()), answer(text("It begins with counting.")),
        ], size)

    def test_wide(self):
        self.walk("wide")

    def test_narrow(self):
        self.walk("narrow")


if __name__ == "__main__":
    unittest.main(verbosity=2)
