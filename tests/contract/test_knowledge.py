# SPDX-License-Identifier: GPL-3.0-or-later
"""Knowledge tracing compared with exact fractions over 2,000 random logs, by a second reading of the rules in mcp/learner/knowledge.h; and
hints never raise the probability."""
import unittest
from fractions import Fraction

import learner

TOLERANCE = 1e-12
HOUR = 3600
SITTING = 12 * HOUR
TENTH = Fraction(1, 10)
ATTEMPTS = ("graded_right", "graded_wrong", "verdict_right", "verdict_wrong")
POSITIONS = ("read", "explained", "skipped")


def updated(known, right, help):
    """Bayes' theorem, and then the chance to learn."""
    guess = TENTH + Fraction(8, 10) * min(help, 3) / 3
    if_known, if_unknown = (1 - TENTH, guess) if right else (TENTH, 1 - TENTH)
    posterior = known * if_known / (known * if_known + (1 - known) * if_unknown)
    return posterior + (1 - posterior) * TENTH


def fold(question):
    """{p, solved, solved_graded, state} of a log, the state as if no review were due, and the grades and times of its reviews."""
    known, mastered, reviews, begun = TENTH, False, [], set()
    last = {}  # (item, right) -> time of the last such attempt
    solved, graded = set(), set()
    for row in question["evidence"]:
        begun.add(row["kind"])
        if row["kind"] in POSITIONS:
            continue
        item, time, right = row["item"], row["time"], row["kind"].endswith("right")
        recent = {result: time - last.get((item, result), time - SITTING) < SITTING for result in (True, False)}
        last[item, right] = time
        if right:
            solved.add(item)
        if row["kind"] == "graded_right":
            graded.add(item)
        if recent[True] or (recent[False] and not right):
            continue
        help = row["hints"] + recent[False]
        known = updated(known, right, help)
        enough = known >= Fraction(8, 10) if question["items"] == 1 else known >= Fraction(95, 100) and len(solved) >= 2
        before, mastered = mastered, bool(right and question["items"] and graded and enough)
        if mastered or before:
            reviews.append([(2 if help else 3) if right else 1, time])
    attempted, read = bool(begun.intersection(ATTEMPTS)), bool(begun.intersection(("read", "explained")))
    if not attempted and not read:
        state = "ready" if question["ready"] else "locked"
    elif not question["items"] and (read or solved):
        state = "read"
    elif not attempted:
        state = "learning"
    else:
        state = "mastered" if mastered else "practising"
    return {"p": known, "solved": len(solved), "solved_graded": len(graded), "state": state}, reviews


def log(draw):
    """A learner's log: how often answers are right, how long the waits are and how many items there are differ between logs."""
    skill, wait, items = draw.choice((0.2, 0.5, 0.8, 1)), draw.choice((0.1, 5, 30, 300)), draw.choice((1, 2, 3, 8))
    time, rows = 1_700_000_000, []
    for _ in range(draw.choice((0, 1, 2, 5, 12, 30))):
        time += int(wait * HOUR * draw.uniform(0, 2))
        if draw.random() < 0.2:
            rows.append({"kind": draw.choice(POSITIONS), "time": time})
            continue
        kind = draw.choice(("graded_", "graded_", "verdict_")) + ("right" if draw.random() < skill else "wrong")
        rows.append({"kind": kind, "item": "item %d" % draw.randrange(items), "hints": draw.choice((0, 0, 1, 2, 3)), "time": time})
    return {"evidence": rows, "items": draw.choice((0, 1, items, items)), "ready": draw.random() < 0.5, "now": time}


class Knowledge(unittest.TestCase):
    def test_equal_to_exact_fractions(self):
        draw = learner.draws(self.id())
        logs = [log(draw) for _ in range(learner.CASES)]
        found = learner.compute(logs)
        wanted = [fold(question) for question in logs]
        dates = learner.compute([{"reviews": reviews} for _, reviews in wanted])
        self.assertEqual(len(found), len(logs))
        states = set()
        for question, answer, (reference, _), rows in zip(logs, found, wanted, dates, strict=True):
            if reference["state"] == "mastered" and question["now"] >= rows[-1][3]:
                reference["state"] = "review"
            self.assertLess(abs(Fraction(answer["p"]) - reference.pop("p")), TOLERANCE, question)
            self.assertEqual({name: answer[name] for name in reference}, reference, question)
            self.assertEqual(answer["unlocks"], answer["state"] in ("mastered", "review", "read"), question)
            self.assertEqual(answer["review"], rows[-1] if rows else [0, 0, 0, 0], question)
            states.add(answer["state"])
        self.assertEqual(states, {"locked", "ready", "learning", "practising", "mastered", "review", "read"})

    def test_more_hints_never_raise_the_probability(self):
        draw = learner.draws(self.id())
        fewer, more = [], []
        while len(fewer) < learner.CASES:
            question = log(draw)
            helped = [dict(row, hints=row["hints"] + 1) if 0 <= row.get("hints", -1) < 3 and draw.random() < 0.5 else row
                      for row in question["evidence"]]
            if helped != question["evidence"]:
                fewer.append(question)
                more.append(dict(question, evidence=helped))
        pairs = [(one["p"], other["p"]) for one, other in zip(learner.compute(fewer), learner.compute(more), strict=True)]
        self.assertEqual([pair for pair in pairs if pair[1] > pair[0]], [])
        self.assertGreater(sum(other < one for one, other in pairs), learner.CASES / 2)


if __name__ == "__main__":
    unittest.main()
