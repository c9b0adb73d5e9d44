# SPDX-License-Identifier: GPL-3.0-or-later
"""Ten tasks of editors through the tools, in two languages: all done, and what they cost a model in tokens."""
import pathlib
import re
import sys
import unittest

import harness
import tasks

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import bench_tokens  # noqa: E402

SAVED = 0.999         # of reading the larger curriculum whole, by each task that only asks
BYTES_A_TOKEN = 5     # at most, of a curriculum as JSON: a bound on what it costs from below


class Case(unittest.TestCase):
    def check(self, about, part=slice(None)):
        """All of them, or a half, which may then cost half of the calls and tokens."""
        chosen = tasks.TASKS[part]
        share = len(tasks.TASKS) // len(chosen)
        with tasks.World(about) as world:
            for task in chosen:
                with self.subTest(task.__name__):
                    world.do(task)
            calls = world.count()
        print("\n" + "\n".join("%-16s %d calls %5d tokens" % (name, len(counts), sum(counts)) for name, counts in calls.items()))
        total = [count for counts in calls.values() for count in counts]
        print("%d calls, %d tokens" % (len(total), sum(total)))
        self.assertLessEqual(len(total), tasks.CALLS // share)
        self.assertLessEqual(sum(total), tasks.TOKENS // share, calls)
        return calls


class Demo(Case):
    def test_all(self):
        self.check(tasks.DEMO)


class German(Case):
    def test_all(self):
        self.check(tasks.GERMAN)


class Algebra(Case):
    """In two halves, so that each is a quick test."""

    def check_saved(self, part):
        whole = harness.shared("data", "openstax_algebra.json").stat().st_size / BYTES_A_TOKEN
        calls = self.check(tasks.ALGEBRA, part)
        for task in tasks.ASKING:
            self.assertLessEqual(sum(calls.get(task.__name__, ())), (1 - SAVED) * whole, task.__name__)


class AlgebraFirst(Algebra):
    def test_tasks(self):
        self.check_saved(slice(5))


class AlgebraSecond(Algebra):
    def test_tasks(self):
        self.check_saved(slice(5, 10))


class Document(unittest.TestCase):
    """docs/tokens.md is what tests/bench/bench_tokens.py writes, and its figures meet the aims."""

    def test_it_is_the_output_of_its_script(self):
        text = bench_tokens.DOCUMENT.read_text(encoding="utf-8")
        calls = {task.__name__: [1] for task in tasks.TASKS}
        listings = [("Lectern", 1, "1"), ("Lectern, for who may only read", 1, "1"), ("MCP's memory server", 1, "1")]
        made = bench_tokens.document([calls] * len(bench_tokens.WORLDS), [1] * len(bench_tokens.WORLDS), listings)
        self.assertEqual(bench_tokens.shape(text), bench_tokens.shape(made))

    def test_its_figures(self):
        text = bench_tokens.DOCUMENT.read_text(encoding="utf-8").replace(",", "")
        columns = list(zip(*[re.findall(r"(\d+) (\d+)[^|]*\|", line) for line in text.splitlines()
                             if len(re.findall(r"\| \d+ \d+", line)) == 1 + len(bench_tokens.WORLDS)]))
        self.assertEqual(len(columns), 1 + len(bench_tokens.WORLDS))
        for column in columns:
            *each, total = [(int(calls), int(count)) for calls, count in column]
            self.assertEqual(len(each), len(tasks.TASKS))
            self.assertEqual(total, tuple(map(sum, zip(*each))))
        for column in columns[1:]:
            self.assertLessEqual(int(column[-1][0]), tasks.CALLS)
            self.assertLessEqual(int(column[-1][1]), tasks.TOKENS)
        saved = float(re.search(r"909 lessons \|.*\| ([\d.]+) %", text).group(1))
        self.assertGreaterEqual(saved, 100 * SAVED)


if __name__ == "__main__":
    unittest.main(verbosity=2)
