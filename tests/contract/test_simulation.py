# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulated learners, whose knowledge is known, on their way to a goal in a curriculum of 909 lessons with three questions each: of the
lessons called mastered at least 95 % are known, and the tutor's path needs fewer items than teaching order and than a random order of ready
lessons. A few more learn through the tools of the server, which must agree with mcp/learner/ at each step.

LECTERN_SIMULATED: how many are simulated, 1,000 in `make soak`. Below that, every eighth of them also goes the other ways."""
import concurrent.futures
import json
import os
import pathlib
import re
import sqlite3
import time
import unittest

import harness
import learner

LEARNERS = int(os.environ.get("LECTERN_SIMULATED", "40"))
COMPARED = LEARNERS if LEARNERS >= 1000 else LEARNERS // 8
DRIVER = (harness.BUILD / "tests/simulation_driver",)
SECONDS = 3600
GROUP = 5
QUESTIONS = 3
KNOWN_SHARE = 0.95
MODEL = {"known": 0.1, "learn": 0.1, "guess": 0.1, "slip": 0.1}  # the parameters of knowledge.h
OTHERS = {"guess twice as often": dict(MODEL, guess=0.2), "slip twice as often": dict(MODEL, slip=0.2),
          "learn half as often": dict(MODEL, learn=0.05)}
WAYS = ("tutor", "order", "random")
DAY = 86400
SIMULATED_DAYS = 5
VISITS_A_DAY = 2


class Curriculum:
    def __init__(self):
        self.document = json.loads(harness.shared("data/openstax_algebra.json").read_text(encoding="utf-8"))
        self.ids = [node["node_id"] for node in self.document["nodes"]]
        self.place = {lesson: index for index, lesson in enumerate(self.ids)}
        self.edges = sorted(([self.place[row["from_node_id"]], self.place[row["to_node_id"]]] for row in self.document["relationships"]
                             if "PREREQUISITE" in row["relationship_type"]), key=lambda edge: edge[::-1])

    def goals(self, draw, count, least, most):
        """Lessons with so many prerequisites, direct and indirect."""
        needs = [set() for _ in self.ids]
        for before, after in self.edges:
            needs[after].add(before)

        def above(lesson):
            found, waiting = set(), [lesson]
            while waiting:
                more = needs[waiting.pop()] - found
                found |= more
                waiting += more
            return len(found)

        fitting = [lesson for lesson in range(len(self.ids)) if least <= above(lesson) <= most]
        return [draw.choice(fitting) for _ in range(count)]


class Learners(unittest.TestCase):
    def simulate(self, curriculum, goals, way, parameters):
        """The figures of each learner."""
        groups = [dict(parameters, count=len(curriculum.ids), edges=curriculum.edges, goals=goals[first:first + GROUP], first=first,
                       seed=learner.SEED, items=QUESTIONS, way=way) for first in range(0, len(goals), GROUP)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            answers = pool.map(lambda group: learner.compute([group], DRIVER, SECONDS)[0], groups)
        return [row for rows in answers for row in rows]

    def report(self, population, way, rows):
        """Prints a line of the table; the share of lessons called mastered that the learners knew at that moment."""
        def mean(name):
            return sum(row[name] for row in rows) / len(rows)

        share = mean("known") / mean("mastered")
        print("%-20s | %-6s | %4d | %7.0f | %7.0f | %5.0f | %8.1f | %6.2f %%" % (
            population, way, len(rows), mean("items"), mean("reviews"), mean("days"), mean("mastered"), 100 * share))
        return share

    def test_mastery_is_knowledge_and_the_path_is_short(self):
        curriculum = Curriculum()
        goals = curriculum.goals(learner.draws(self.id()), LEARNERS, 10, 40)
        print("population           | way    | learners | items | reviews | days | mastered | of these known")
        found = {}
        for way in WAYS:
            found[way] = self.simulate(curriculum, goals[:LEARNERS if way == "tutor" else COMPARED], way, MODEL)
            self.assertTrue(all(row["reached"] for row in found[way]), way)
            self.assertGreaterEqual(self.report("as the model", way, found[way]), KNOWN_SHARE, way)
        for name, parameters in OTHERS.items():
            self.report(name, "tutor", self.simulate(curriculum, goals, "tutor", parameters))
        for way in WAYS[1:]:
            pairs = [(row["items"], other["items"]) for row, other in zip(found["tutor"], found[way])]
            fewer = sum(tutor < other for tutor, other in pairs)
            print("fewer items by the tutor than on the way %r: %d of %d learners" % (way, fewer, len(pairs)))
            self.assertLess(sum(tutor for tutor, _ in pairs), sum(other for _, other in pairs), way)
            self.assertGreater(fewer, 0.9 * len(pairs), way)


class Server(unittest.TestCase):
    """Days pass by making everything stored about learners a day older."""

    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        self.curriculum = Curriculum()
        self.draw = learner.draws(self.id())
        for node in self.curriculum.document["nodes"]:
            node["components"] += [
                {"component_type": "question", "content": "", "order": len(node["components"]) + number,
                 "parameters": {"prompt": "Which number is it? (%d)" % number, "kind": "number", "answer": number}}
                for number in range(1, QUESTIONS + 1)]
        path = pathlib.Path(self.workspace.data, "curriculum.json")
        path.write_text(json.dumps(self.curriculum.document), encoding="utf-8")
        session = self.workspace.load(path)
        self.client = harness.Stdio(self.workspace, "--toolset", "tutor", "--session", session, "--sandbox", harness.LOCAL,
                                    "--warm", "bare=0,data=0,plot=0")
        self.addCleanup(lambda: self.assertEqual(self.client.close(), 0))
        self.client.initialize()
        self.answers = 0

    def database(self):
        database = sqlite3.connect(pathlib.Path(self.workspace.data, "learners.db"), timeout=harness.ANSWER_SECONDS)
        self.addCleanup(database.close)
        return database

    def pass_days(self):
        database = self.database()
        triggers = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        with database:
            for name, _ in triggers:
                database.execute("DROP TRIGGER %s" % name)
            for table in "evidence", "submission", "hint":
                database.execute("UPDATE %s SET time = time - ?" % table, (DAY,))
            for _, sql in triggers:
                database.execute(sql)

    def lessons(self, who):
        """The evidence of each lesson, for the driver."""
        lessons = [{"evidence": [], "items": QUESTIONS} for _ in self.curriculum.ids]
        for node, kind, item, hints, moment in self.database().execute(
                "SELECT node_id, kind, item, hints, evidence.time FROM evidence JOIN learner ON learner.key = evidence.learner"
                " WHERE learner_id = ? ORDER BY evidence.time, evidence.key", (who,)):
            lessons[self.curriculum.place[node]]["evidence"].append({"kind": kind, "item": item, "hints": hints, "time": moment})
        return lessons

    def compare(self, who, goal):
        """That the server and the driver say the same; the driver's next lessons."""
        question = {"lessons": self.lessons(who), "edges": self.curriculum.edges, "goal": goal, "now": int(time.time())}
        wanted, = learner.compute([question])
        text = self.client.good("get_learner_state", learner_id=who, detail="full")
        counts = {state: int(count) for count, state in re.findall(r"(\d+) (\w+)", text.splitlines()[0])}
        self.assertEqual(counts, {state: wanted["states"].count(state) for state in set(wanted["states"])}, text)
        self.assertIn(", %d left:" % len(wanted["left"]) if wanted["left"] else "reached", text)
        for state in "practising", "mastered", "review":
            named = re.search("^%s: (.*)$" % state, text, re.MULTILINE)
            self.assertEqual(re.findall(r"N\d{4}", named[1]) if named else [],
                             [lesson for lesson, found in zip(self.curriculum.ids, wanted["states"]) if found == state], text)
        title = self.curriculum.document["nodes"][goal]["title"]
        texts = {"review": "due for review ", "goal": "the goal", "begun_to_goal": "begun, on the path to " + title,
                 "to_goal": "next on the path to " + title, "begun": "begun", "in_order": "next in teaching order"}
        shown = re.findall(r'^\d\. (N\d{4}) ".*": (.*)$', text, re.MULTILINE)
        self.assertEqual([lesson for lesson, _ in shown], [self.curriculum.ids[row[0]] for row in wanted["next"]], text)
        for (_, words), (_, reason, number) in zip(shown, wanted["next"]):
            self.assertTrue(words.startswith(texts.get(reason, "unlocks %d lesson" % number)), (words, reason, number))
        return wanted["next"]

    def visit(self, who, lesson):
        """Answers to the items of a lesson, some of them wrong and then again after a hint."""
        node = self.curriculum.ids[lesson]
        text = self.client.good("get_exercises", learner_id=who, node_id=node, limit=QUESTIONS)
        items = re.findall(r"^exercise_id: (\S+) .*\n(?:.*\n)*?.*\((\d)\)", text, re.MULTILINE)
        self.assertEqual(len(items), QUESTIONS, text)
        for item, right in items:
            for _ in range(2):
                self.answers += 1
                is_right = self.draw.random() < 0.85
                text = self.client.good("assess_response", learner_id=who, exercise_id=item,
                                        response=right if is_right else str(100 + self.answers))
                log = self.lessons(who)[lesson]["evidence"]
                self.assertEqual([log[-1]["kind"], log[-1]["item"]], ["graded_right" if is_right else "graded_wrong", item])
                known, = learner.compute([{"evidence": log, "items": QUESTIONS, "ready": True, "now": int(time.time())}])
                self.assertIn("%s; probability %.2f" % (known["state"], known["p"]), text)
                if is_right:
                    break
                self.client.good("generate_guidance", learner_id=who, exercise_id=item)

    def test_equal_to_the_driver(self):
        reasons = set()
        for goal in self.curriculum.goals(self.draw, 2, 4, 8):
            text = self.client.good("register_learner", name="Ada", goal=self.curriculum.ids[goal])
            who = re.search("[0-9a-f]{32}", text)[0]
            for _ in range(SIMULATED_DAYS):
                for place in range(VISITS_A_DAY):
                    steps = self.compare(who, goal)
                    reasons.update(reason for _, reason, _ in steps)
                    self.visit(who, steps[min(place, len(steps) - 1)][0])
                self.pass_days()
            self.compare(who, goal)
        print("%d answers through the tools" % self.answers)
        self.assertLessEqual({"review", "begun_to_goal", "to_goal"}, reasons)


if __name__ == "__main__":
    unittest.main()
