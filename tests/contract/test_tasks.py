# SPDX-License-Identifier: GPL-3.0-or-later
"""Ten tasks of editors through the tools, in two languages: all done, and what they cost a model in tokens."""
import unittest

import harness
import tasks

SAVED = 0.999         # of reading the larger curriculum whole, by each task that only asks
BYTES_A_TOKEN = 5     # at most, of a curriculum as JSON: a bound on what it costs from below


class Case(unittest.TestCase):
    def check(self, about):
        with tasks.World(about) as world:
            for task in tasks.TASKS:
                with self.subTest(task.__name__):
                    world.do(task)
            calls = world.count()
        print("\n" + "\n".join("%-16s %d calls %5d tokens" % (name, len(counts), sum(counts)) for name, counts in calls.items()))
        total = [count for counts in calls.values() for count in counts]
        print("%d calls, %d tokens" % (len(total), sum(total)))
        self.assertLessEqual(len(total), tasks.CALLS)
        self.assertLessEqual(sum(total), tasks.TOKENS, calls)
        return calls


class Demo(Case):
    def test_all(self):
        self.check(tasks.DEMO)


class German(Case):
    def test_all(self):
        self.check(tasks.GERMAN)


class Algebra(Case):
    def test_all(self):
        whole = harness.shared("data", "openstax_algebra.json").stat().st_size / BYTES_A_TOKEN
        calls = self.check(tasks.ALGEBRA)
        for task in tasks.ASKING:
            self.assertLessEqual(sum(calls[task.__name__]), (1 - SAVED) * whole, task.__name__)


if __name__ == "__main__":
    unittest.main(verbosity=2)
