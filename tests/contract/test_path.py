# SPDX-License-Identifier: GPL-3.0-or-later
"""The path of a learner compared with a slow second reading of mcp/learner/path.h on random graphs with cycles, and a simulated learner who
follows it to a goal in a real curriculum."""
import json
import unittest

import harness
import learner

GRAPHS = 400
DAY = 86400
NOW = 1_700_000_000
BEGUN = ("learning", "practising")
GOALS = 5


# ---- the reference ----

def reachable(needs, start):
    """All lessons that a lesson needs, direct or not; itself only within a cycle."""
    found, waiting = set(), [start]
    while waiting:
        for lesson in needs[waiting.pop()] - found:
            found.add(lesson)
            waiting.append(lesson)
    return found


def groups(needs, above):
    """Lessons that need one another, in teaching order."""
    group = [frozenset({lesson} | {other for other in above[lesson] if lesson in above[other]}) for lesson in range(len(needs))]
    order = []

    def place(one):
        if one in order:
            return
        outside = {group[other] for lesson in one for other in needs[lesson]} - {one}
        for other in sorted(outside, key=min):
            place(other)
        order.append(one)

    for one in group:
        place(one)
    return order


def reference(question, classes, waits):
    """The answer to a question whose lessons have these classes ("" for none), and waits: lesson -> (days for its stability, days late)."""
    count, now_withheld = len(classes), [lesson["withheld"] for lesson in question["lessons"]]
    needs = [{before for before, after in question["edges"] if after == lesson != before} for lesson in range(count)]
    above = [reachable(needs, lesson) for lesson in range(count)]
    order = groups(needs, above)
    states, done, unlocks, missing_of = [None] * count, [False] * count, [0] * count, [None] * count
    for group in order:
        missing = {other for lesson in group for other in needs[lesson] - group if not done[other]}
        for lesson in group:
            states[lesson] = classes[lesson] or ("locked" if missing else "ready")
            done[lesson] = states[lesson] in ("mastered", "review", "read") or now_withheld[lesson]
            missing_of[lesson] = missing
            if states[lesson] == "locked" and len(missing) == 1 and not now_withheld[lesson]:
                unlocks[min(missing)] += 1
    taught = [lesson for group in order for lesson in sorted(group)]
    goal, left = question["goal"], []
    if goal is not None and states[goal] not in ("mastered", "review", "read"):
        left = [lesson for lesson in taught if lesson in above[goal] | {goal} and not done[lesson]]

    def lock_rows(lesson):
        if states[lesson] != "locked":
            return []
        near, level = [], {lesson}
        seen = set()
        while level:
            missing = set().union(*(missing_of[one] for one in level))
            near += sorted((one for one in missing if states[one] != "locked" and one not in near), key=taught.index)
            level = {one for one in missing if states[one] == "locked"} - seen
            seen |= level
        return near

    offered = [lesson for lesson in taught if not now_withheld[lesson]]
    due = [lesson for lesson in offered if states[lesson] == "review"]
    rest = [lesson for lesson in offered if states[lesson] in ("ready", *BEGUN)]
    rest.sort(key=lambda lesson: (was_skipped(question["lessons"][lesson]["evidence"]), lesson not in left, states[lesson] not in BEGUN, -unlocks[lesson], taught.index(lesson)))

    def reason(lesson):
        begun = states[lesson] in BEGUN
        if lesson == goal:
            return "goal"
        if lesson in left:
            return "begun_to_goal" if begun else "to_goal"
        return "begun" if begun else "unlocks" if unlocks[lesson] else "in_order"

    rows = [[lesson, "review", waits[lesson][1]] for lesson in [max(due, key=lambda lesson: waits[lesson][0])]] if due else []
    rows += [[lesson, reason(lesson), unlocks[lesson]] for lesson in rest[:3 - len(rows)]]
    return {"states": states, "fulfilled": done, "unlocks": unlocks, "left": left, "next": rows,
            "locks": [lock_rows(lesson) for lesson in range(count)]}


def was_skipped(evidence):
    return bool(evidence) and evidence[-1]["kind"] == "skipped"


# ---- random questions ----

def attempt(kind, item, time):
    return {"kind": kind, "item": item, "hints": 0, "time": time}


def mastered(draw):
    """The evidence of a mastered lesson, and its reviews."""
    time = NOW - draw.randrange(1, 400) * DAY
    rows, reviews = [attempt("graded_right", "item %d" % item, time) for item in range(3)], [[3, time]]
    for _ in range(draw.randrange(4)):
        time += draw.randrange(1, 30) * DAY
        if time < NOW:
            rows.append(attempt("graded_right", "item 0", time))
            reviews.append([3, time])
    return rows, reviews


def draw_question(draw):
    """A question, the class of each lesson as far as its evidence says it ("mastered" also where a review is due), and its reviews."""
    count = draw.choice((1, 2, 5, 12, 30))
    edges = [[draw.randrange(count), draw.randrange(count)] for _ in range(int(count * draw.choice((0.3, 1, 2))))]
    if draw.random() < 0.6:  # mostly without cycles, not always in the order of the curriculum
        rank = draw.sample(range(count), count) if draw.random() < 0.3 else range(count)
        edges = [sorted(edge, key=lambda lesson: rank[lesson]) for edge in edges]
        edges += [edge[::-1] for edge in edges if draw.random() < 0.05]
    kinds = draw.choice((("none",), ("none", "mastered"), ("none", "skipped", "read", "learning", "practising", "mastered", "mastered")))
    withheld = draw.choice((0, 0, 0.2))
    lessons, classes, reviews = [], [], []
    for _ in range(count):
        kind = draw.choice(kinds)
        rows, history = {
            "none": ([], []), "skipped": ([attempt("skipped", None, NOW - DAY)], []), "read": ([attempt("read", None, NOW - DAY)], []),
            "learning": ([attempt("explained", None, NOW - DAY)], []),
            "practising": ([attempt("graded_wrong", "item 0", NOW - DAY)], []), "mastered": mastered(draw)}[kind]
        lessons.append({"evidence": rows, "items": 0 if kind == "read" else 3, "withheld": draw.random() < withheld})
        classes.append("" if kind in ("none", "skipped") else kind)
        reviews.append(history)
    goal = draw.choice((None, draw.randrange(count)))
    return {"lessons": lessons, "edges": edges, "goal": goal, "now": NOW, "locks": True}, classes, reviews


class Paths(unittest.TestCase):
    def test_equal_to_the_reference(self):
        draw = learner.draws(self.id())
        drawn = [draw_question(draw) for _ in range(GRAPHS)]
        found = learner.compute([question for question, _, _ in drawn])
        histories = iter(learner.compute([{"reviews": history} for _, _, reviews in drawn for history in reviews if history]))
        self.assertEqual(len(found), GRAPHS)
        reasons, states, cycles, far = set(), set(), 0, 0
        for (question, classes, reviews), answer in zip(drawn, found, strict=True):
            waits = {}
            for lesson, history in enumerate(reviews):
                if history:
                    stability, _, _, due = next(histories)[-1]
                    waits[lesson] = ((NOW - history[-1][1]) / stability, (NOW - due) // DAY)
                    if due <= NOW:
                        classes[lesson] = "review"
            wanted = reference(question, classes, waits)
            del answer["seconds"]
            self.assertEqual(answer, wanted, question)
            if question["goal"] is not None and wanted["left"] and not question["lessons"][question["goal"]]["withheld"]:
                self.assertTrue(any(wanted["states"][lesson] in ("ready", *BEGUN) for lesson in wanted["left"]), question)
            reasons.update(row[1] for row in answer["next"])
            states.update(answer["states"])
            cycles += [before for before, after in question["edges"] if [after, before] in question["edges"] and before < after] != []
            far += any(len(locks) > 2 for locks in answer["locks"])
        self.assertEqual(states, {"locked", "ready", "learning", "practising", "mastered", "review", "read"})
        self.assertEqual(reasons, {"review", "goal", "begun_to_goal", "to_goal", "begun", "unlocks", "in_order"})
        self.assertGreater(cycles, GRAPHS / 20)
        self.assertGreater(far, GRAPHS / 20)

    def test_the_largest_curriculum(self):
        """The time is printed only. A chain shows that nothing recurses."""
        draw = learner.draws(self.id())
        count = 6439
        chain = {"lessons": [{"evidence": [], "items": 3}] * count, "edges": [[lesson, lesson + 1] for lesson in range(count - 1)],
                 "goal": count - 1, "now": NOW}
        web = dict(chain, edges=[draw.sample(range(count), 2) for _ in range(20000)])
        long, wide = learner.compute([chain, web])
        print("path of %d lessons: chain %.1f ms, 20,000 edges %.1f ms" % (count, long["seconds"] * 1e3, wide["seconds"] * 1e3))
        self.assertEqual(long["left"], list(range(count)))
        self.assertEqual(long["next"], [[0, "to_goal", 1]])
        self.assertIn("ready", wide["states"])


# ---- a simulated learner ----

class Simulation(unittest.TestCase):
    """A learner with the parameters of the model, who works on one lesson until it is mastered, and does the reviews that are due."""

    def setUp(self):
        curriculum = json.loads(harness.shared("data/openstax_algebra.json").read_text(encoding="utf-8"))
        place = {node["node_id"]: index for index, node in enumerate(curriculum["nodes"])}
        self.count = len(place)
        self.edges = [[place[row["from_node_id"]], place[row["to_node_id"]]] for row in curriculum["relationships"]
                      if "PREREQUISITE" in row["relationship_type"]]

    def work(self, lesson, time, draw):
        """Attempts at one item after another, until six are right; returns the time after them."""
        known = draw.random() < 0.1
        right = 0
        while right < 6:
            answer = draw.random() < (0.9 if known else 0.1)
            right += answer
            lesson["evidence"].append(attempt("graded_right" if answer else "graded_wrong", "item %d" % len(lesson["evidence"]), time))
            known = known or draw.random() < 0.1
            time += 60
        return time

    def follow(self, goal, draw):
        """The lessons that were learnt, in order, and the number of reviews."""
        lessons = [{"evidence": [], "items": 20} for _ in range(self.count)]
        learnt, reviews, time = [], 0, NOW
        while True:
            answer, = learner.compute([{"lessons": lessons, "edges": self.edges, "goal": goal, "now": time}])
            if answer["states"][goal] == "mastered":
                return learnt, reviews
            lesson, reason, _ = answer["next"][0]
            if reason == "review":
                reviews += 1
                lessons[lesson]["evidence"].append(attempt("graded_right", "item 0", time))
            else:
                if lesson not in learnt:
                    learnt.append(lesson)
                time = self.work(lessons[lesson], time, draw)
            time += DAY

    def test_fewer_lessons_than_in_teaching_order(self):
        draw = learner.draws(self.id())
        needs = [set() for _ in range(self.count)]
        for before, after in self.edges:
            needs[after].add(before)
        above = [reachable(needs, lesson) - {lesson} for lesson in range(self.count)]
        goals = draw.sample([lesson for lesson in range(self.count) if 3 <= len(above[lesson]) <= 15], GOALS)
        followed = ordered = 0
        for goal in goals:
            start, = learner.compute([{"lessons": [{"evidence": [], "items": 20}] * self.count, "edges": self.edges, "goal": goal, "now": NOW}])
            learnt, reviews = self.follow(goal, draw)
            self.assertEqual(set(learnt), above[goal] | {goal})
            self.assertEqual(set(start["left"]), above[goal] | {goal})
            self.assertGreater(reviews, 0)
            for index, lesson in enumerate(learnt):
                self.assertLessEqual(needs[lesson], set(learnt[:index]))
            followed += len(learnt)
            ordered += goal + 1
        print("lessons to %d goals: %d, in teaching order %d" % (GOALS, followed, ordered))
        self.assertLess(followed, ordered)


if __name__ == "__main__":
    unittest.main()
