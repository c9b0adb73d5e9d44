# SPDX-License-Identifier: GPL-3.0-or-later
"""The dates of reviews compared with ts-fsrs, the reference in TypeScript, over 2,000 random histories: early and late reviews, several on
one day, and years of absence."""
import shutil
import unittest

import harness
import learner
import npm

SOURCES = harness.ROOT / "tests/contract/reviews"
TOLERANCE = 1e-6  # of two libraries' e^x, each rounded to eight decimals
DAY = 86400
START = 1_700_000_000


def history(draw):
    """Grades and times: after each review a wait from an hour to years, mostly about as long as FSRS would plan."""
    time, rows = START + draw.randrange(1000 * DAY), []
    grades = draw.choice(([3], [1, 3], [2, 3], [1, 2, 3, 4], [1, 2], [3, 4]))
    for _ in range(draw.randint(1, 20)):
        rows.append([draw.choice(grades), time])
        time += int(3600 * draw.choice((1, 5, 24, 24 * 7, 24 * 60, 24 * 900)) * draw.uniform(0.5, 2))
    return {"reviews": rows}


class Reviews(unittest.TestCase):
    def test_equal_to_ts_fsrs(self):
        place = npm.folder("reviews")
        shutil.copy(SOURCES / "replay.mjs", place)  # beside node_modules, where its imports resolve
        draw = learner.draws(self.id())
        histories = [history(draw) for _ in range(learner.CASES)]
        ours = learner.compute(histories)
        theirs = learner.compute(histories, (place / npm.NODE, place / "replay.mjs"))
        self.assertEqual(len(ours), len(theirs))
        for asked, mine, reference in zip(histories, ours, theirs, strict=True):
            self.assertEqual(len(mine), len(asked["reviews"]))
            for (stability, difficulty, *dates), (their_stability, their_difficulty, *their_dates) in zip(mine, reference, strict=True):
                self.assertAlmostEqual(stability, their_stability, delta=TOLERANCE, msg=asked)
                self.assertAlmostEqual(difficulty, their_difficulty, delta=TOLERANCE, msg=asked)
                self.assertEqual(dates, their_dates, asked)


if __name__ == "__main__":
    unittest.main()
