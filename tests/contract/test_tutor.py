# SPDX-License-Identifier: GPL-3.0-or-later
"""A scripted model leads a learner through the demo, from the first meeting to a review a month later, over stdio and over HTTP. Every
answer is asserted, and that each one names the next call."""
import json
import os
import re
import unittest

import harness
import learner
import test_toolsets

WORDS = ("--sandbox", os.environ.get("LECTERN_SANDBOX", harness.LOCAL), "--warm", "bare=2,data=0,plot=0")
TIERS = {"tiers": [{"name": "free", "chapters": ["1 Number foundations"], "attempts_a_day": 4, "url": "https://example.org/free"},
                   {"name": "paid", "url": "https://example.org/upgrade?learner={learner}"}]}
TOOLS = ["register_learner", "get_learner_state", "update_progress", "get_chapter_content", "get_exercises", "generate_guidance",
         "assess_response", "submit_code", "get_upgrade_url"]
DEMO = json.loads((harness.ROOT / "mcp/curriculum/demo/demo_curriculum.json").read_text())
RIGHT = "def common_factors(a, b):\n    return [n for n in range(1, a + 1) if a % n == 0 and b % n == 0]\n"
WRONG = "def common_factors(a, b):\n    return [n for n in range(1, min(a, b)) if a % n == 0 and b % n == 0]\n"


def exercises(node_id):
    """The parameters of a lesson's exercises, in order."""
    node = next(node for node in DEMO["nodes"] if node["node_id"] == node_id)
    return [component["parameters"] for component in node["components"] if component["type"] in ("exercise-code", "question")]


class Lesson:
    """What the two transports share. A subclass has connect()."""

    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        self.tiers = os.path.join(self.workspace.data, "tiers.json")
        with open(self.tiers, "w", encoding="utf-8") as file:
            json.dump(TIERS, file)
        self.database = os.path.join(self.workspace.data, "learners.db")
        self.answers = []
        self.model = self.connect()
        self.model.initialize()

    def good(self, tool, **arguments):
        is_error, text = self.model.call(tool, **arguments)
        self.assertFalse(is_error, text)
        self.answers.append(text)
        return text

    def refused(self, tool, **arguments):
        is_error, text = self.model.call(tool, **arguments)
        self.assertTrue(is_error, text)
        return text

    def of(self, tool, **arguments):
        return self.good(tool, learner_id=self.id, **arguments)

    def says(self, text, *parts):
        for part in parts:
            self.assertIn(part, text)

    def register(self, **arguments):
        text = self.good("register_learner", **arguments)
        self.id, = re.findall("learner_id: ([0-9a-f]{32})\n", text)
        self.says(text, "Next call: get_learner_state")

    def items(self, node_id):
        text = self.of("get_exercises", node_id=node_id, limit=5)
        return dict(zip(re.findall(r"exercise_id: (\S+)", text), exercises(node_id)))

    def hand_in(self, item, code, **more):
        return json.loads(self.of("submit_code", exercise_id=item, code=code, **more))

    # ---- the parts of the session ----

    def test_the_listing(self):
        self.assertEqual([tool["name"] for tool in self.model.request("tools/list")["result"]["tools"]], TOOLS)

    def test_a_whole_session(self):
        self.meet()
        item = self.practise()
        self.refuse(item)
        self.master(item)
        self.review(item)
        self.upgrade()
        self.answer_openly()
        self.compare_with_the_document()

    def compare_with_the_document(self):
        """Each answer that docs/tutor.md shows was given."""
        document = (harness.ROOT / "docs/tutor.md").read_text()
        shown = re.findall("(?m)^< (.*)$", document)
        self.assertGreater(len(shown), 15)
        self.assertEqual([line for line in shown if not any(line in answer for answer in self.answers)], [])
        self.assertEqual(set(re.findall(r"(?m)^> (\w+) ", document)), set(TOOLS))

    def meet(self):
        self.says(self.refused("register_learner", name="ada@example.org"), "e-mail address", "no contact data")
        self.says(self.refused("register_learner", name="+44 20 7946 0000"), "telephone number")
        self.register(name="Ada", goal="Highest common factor and simplest form")
        state = self.of("get_learner_state")
        self.says(state, "Ada: ", "Goal: N003", "3 left: N001", '1. N001 "Factors, multiples and the times tables": next on the path to Highest',
                  "Next call: get_chapter_content")
        self.assertEqual(self.of("get_learner_state"), state)
        self.says(self.of("get_chapter_content"), "# Factors, multiples and the times tables", "N001, part 1 of 1", "update_progress with node_id \"N001\"")
        self.says(self.of("update_progress", node_id="N001", event="skipped"), "comes after the others")
        self.assertNotIn("1. N001", self.of("get_learner_state"))
        locked = self.refused("get_chapter_content", learner_id=self.id, node_id="N003")
        self.says(locked, "N003", "is locked", "N001", "call get_chapter_content with node_id \"N001\"")
        self.says(self.refused("get_exercises", learner_id=self.id, node_id="N003"), "is locked")
        for node_id, event in (("N001", "read"), ("N002", "explained")):
            self.says(self.of("update_progress", node_id=node_id, event=event, note="with drawings"), event, "nothing was tested", "get_learner_state")
        self.says(self.of("get_learner_state", detail="full"), "2 read", 'read: N001 "', "1 left: N003", "1. N003")
        self.says(self.of("update_progress", node_id="N003", event="read"), "position only", "get_exercises with node_id \"N003\"")
        self.says(self.of("get_learner_state", node_id="N003"), "learning; 1 exercise, none tried", " read\n")

    def practise(self):
        (item, exercise), = self.items("N003").items()
        shown = self.of("get_exercises")
        self.says(shown, "common_factors(18, 24) -> [1, 2, 3, 6]", "hidden ones", "```python\ndef common_factors", "let the learner try it alone first")
        for secret in (exercise["solution"], "45, 15", exercise["hints"][0]):
            self.assertNotIn(secret, shown)
        first = self.of("generate_guidance", exercise_id=item, question="what is a common factor?")
        self.says(first, "Hint 1 of 3: " + exercise["hints"][0], "The lesson says about the question: ", "Withhold: a solution", "Next call: submit_code")
        self.says(self.of("generate_guidance"), "Hint 1 of 3: ", "It was given before")

        hello = self.hand_in(item, 'print("hello")')
        self.assertEqual((hello["status"], [test["status"] for test in hello["tests"]]), ("fail", ["error"] * 5))
        self.assertEqual(hello["tests"][0]["message"], "the program has no function named common_factors")
        self.assertEqual(hello["tests"][2], {"name": "hidden 1", "status": "error", "message": None, "output": None})
        self.says(hello["lesson"], "practising")
        self.says(hello["next"], "do not show a solution", "generate_guidance with exercise_id")

        wrong = self.hand_in(item, WRONG)
        self.assertEqual([test["status"] for test in wrong["tests"]], ["pass", "pass", "fail", "fail", "fail"])
        third = self.of("generate_guidance", exercise_id=item)
        self.says(third, "Hint 2 of 3: " + exercise["hints"][1], "an input that the examples do not show")
        self.says(self.of("generate_guidance", exercise_id=item), "Hint 3 of 3: " + exercise["hints"][2])
        return item

    def refuse(self, item):
        """What is refused or repeated is no attempt; what hangs is stopped after its time."""
        before = self.of("get_learner_state", node_id="N003")
        for code, reason in (('import os; os.listdir(".")', "Import 'os' is not allowed"), ('eval("1 + 1")', "'eval' is not allowed"),
                             ('exec("pass")', "'exec' is not allowed"), ("def common_factors(a, b:\n    pass", "line 1"),
                             (" \n", "there is no program")):
            for where in ({"exercise_id": item}, {}):
                text = self.refused("submit_code", learner_id=self.id, code=code, **where)
                self.says(text, "No attempt", "refused before it ran", reason, "call submit_code again")
        again = self.hand_in(item, WRONG.replace("\n    ", "  # the same tree\n\n    "))
        self.assertEqual((again["attempt"], again["status"]), (False, "fail"))
        self.says(again["next"], "same program as before")
        self.assertEqual(self.of("get_learner_state", node_id="N003"), before)
        endless = self.hand_in(item, "while True: pass")
        self.assertEqual((endless["status"], endless["message"]), ("error", "the program was stopped: it ran for more than 5 s"))
        ran = json.loads(self.of("submit_code", code="print(int(input()) * 7)", stdin="6\n"))
        self.assertEqual((ran["status"], ran["message"], ran["output"]), ("ran", None, "42\n"))
        self.says(ran["next"], "submit_code with its exercise_id")
        self.assertEqual(json.loads(self.of("submit_code", code="1 / 0"))["status"], "error")

    def master(self, item):
        right = self.hand_in(item, RIGHT)
        self.assertEqual((right["status"], right["attempt"], {test["status"] for test in right["tests"]}), ("pass", True, {"pass"}))
        self.says(right["lesson"], "practising", "1 of 1 exercises solved")
        self.says(self.refused("submit_code", learner_id=self.id, exercise_id=item, code=WRONG + "0\n"), "4 graded attempts a day",
                  "https://example.org/upgrade?learner=" + self.id, "get_chapter_content")
        for _ in range(4):  # three hints lower what the first success counts
            if "mastered" in self.of("get_learner_state", node_id="N003").splitlines()[0]:
                break
            learner.shift(self.database, 1)
            again = self.hand_in(item, RIGHT)
            self.assertEqual((again["status"], again["attempt"]), ("pass", True))
        state = self.of("get_learner_state")
        self.says(state, "1 mastered", "reached. Ask for a new goal")
        self.says(self.of("update_progress", node_id="N009", event="goal"), "The goal is N009", "Next call: get_learner_state")

    def review(self, item):
        learner.shift(self.database, 31)
        self.says(self.of("get_learner_state"), "1 review", "1. N003", "due for review for", "days")
        failed = self.hand_in(item, "def common_factors(a, b):\n    return []\n")
        self.says(failed["lesson"], "practising")
        learner.shift(self.database, 1)
        self.says(self.hand_in(item, RIGHT)["lesson"], "mastered")

    def upgrade(self):
        self.says(self.refused("get_chapter_content", learner_id=self.id, node_id="N010"), "not part of the learner's tier",
                  "https://example.org/upgrade?learner=" + self.id, "get_learner_state")
        self.says(self.of("get_learner_state"), "31 above the tier")
        self.says(self.of("get_upgrade_url"), 'The tier "paid" has more: https://example.org/upgrade?learner=' + self.id, "go on teaching")
        self.workspace.run("learner", "tier", self.id, "paid")
        self.says(self.of("get_upgrade_url"), 'highest tier, "paid"', "congratulate them", "Go on with N0")

    def answer_openly(self):
        """Each lesson on the path to an open question, by the tutor's own order."""
        self.of("update_progress", node_id="N017", event="goal")
        for _ in range(40):
            state = self.of("get_learner_state")
            node_id = re.search(r"1\. (N\d+)", state)[1]
            if node_id == "N017":
                break
            self.study(node_id)
        (item, question), = self.items("N017").items()
        asked = self.of("assess_response", exercise_id=item, response="A has more juice for its water, so Nadia is wrong.")
        self.says(asked, "Nothing is recorded yet", *question["criteria"])
        self.says(self.refused("assess_response", learner_id=self.id, exercise_id=item, response="A", scores=[True]), "scores must have 3 values")
        self.says(self.of("get_learner_state", node_id="N017"), "no graded exercises", "No evidence yet")
        given = {"exercise_id": item, "response": "A has more juice for its water, so Nadia is wrong."}
        self.says(self.of("assess_response", scores=[True, True, False], **given), "2 of 3 criteria", "model's verdict", "generate_guidance")
        self.says(self.of("assess_response", scores=[True, True, True], **given), "it counts once")
        given["response"] += " B has more water too: 6 : 15 against 6 : 16."
        self.says(self.of("assess_response", scores=[True, True, True], **given), "3 of 3 criteria", "not as a grade")
        self.says(self.of("get_learner_state", node_id="N017"), "verdict_wrong", "verdict_right")
        self.assertNotIn("mastered", self.of("get_learner_state", node_id="N017"))

    def study(self, node_id):
        """Reads the lesson, and answers its questions rightly; the next attempt at one counts on the next day."""
        items = self.items(node_id) if exercises(node_id) else {}
        if not items:
            self.of("update_progress", node_id=node_id, event="read")
        for item, exercise in items.items():
            if "cases" in exercise:
                self.assertEqual(self.hand_in(item, exercise["solution"])["status"], "pass")
            else:
                answer = exercise["answer"]
                self.of("assess_response", exercise_id=item, response=str(answer[0] if isinstance(answer, list) else answer))
        if items:
            learner.shift(self.database, 1)


class Stdio(Lesson, unittest.TestCase):
    def connect(self):
        model = harness.Stdio(self.workspace, *WORDS, "--toolset", "tutor", "--tiers", self.tiers)
        self.addCleanup(lambda: self.assertEqual(model.close(), 0))
        return model


class Http(Lesson, unittest.TestCase):
    def connect(self):
        server = harness.Server(self.workspace, *WORDS, "--toolset", "all", "--tiers", self.tiers)
        self.addCleanup(lambda: self.assertEqual(server.close(), 0))
        return test_toolsets.Http(server.port, "tutor")


if __name__ == "__main__":
    unittest.main()
