# SPDX-License-Identifier: GPL-3.0-or-later
"""The exercises of the demo curriculum are right: each solution passes all cases and no starter does, run by the Python of this test,
without the sandbox and without the server's own comparison of values. No hint gives the answer away."""
import ast
import json
import math
import re
import subprocess
import sys
import unittest
from pathlib import Path

DEMO = Path(__file__).resolve().parents[2] / "mcp/curriculum/demo/demo_curriculum.json"
SECONDS = 30  # of a program; an endless loop must not hang the test


def value(authored):
    """The value of Python that an author's JSON stands for."""
    if isinstance(authored, list):
        return [value(item) for item in authored]
    if isinstance(authored, dict):
        return ast.literal_eval(authored["py"]) if list(authored) == ["py"] else {name: value(item) for name, item in authored.items()}
    return authored


def same(expected, given, compare):
    numbers = all(type(one) in (int, float) for one in (expected, given))
    if compare == "approximate" and numbers:
        return math.isclose(expected, given, rel_tol=1e-6, abs_tol=1e-9)
    if type(expected) is not type(given):
        return False
    if not isinstance(expected, (list, tuple)):
        return expected == given
    rest = list(given)
    for item in expected:
        found = [i for i, other in enumerate(rest if compare == "unordered" else rest[:1]) if same(item, other, compare)]
        if not found:
            return False
        del rest[found[0]]
    return not rest


def passes(code, case, compare):
    if "call" not in case:
        done = subprocess.run([sys.executable, "-IS", "-c", code], input=case.get("stdin", ""), capture_output=True, text=True, timeout=SECONDS)
        return (done.returncode, done.stdout) == (0, case["stdout"])
    names = {}
    exec(compile(code, "exercise", "exec"), names)
    try:
        given = names[case["call"]](*value(case.get("args", [])), **value(case.get("kwargs", {})))
    except Exception as error:
        return case.get("raises") in [kind.__name__ for kind in type(error).__mro__]
    return "expect" in case and same(value(case["expect"]), given, compare)


def failed(exercise, code):
    """The names of the cases that the code does not pass."""
    return [case["name"] for case in exercise["cases"] if not passes(code, case, exercise.get("compare", "exact"))]


def given_away(parameters):
    """(hint, text): each hint with an answer of the question, or with a line of the solution that the starter does not have."""
    answer = parameters.get("answer", [])
    texts = [str(one) for one in (answer if isinstance(answer, list) else [answer])]
    starter = parameters.get("starter", "").split("\n")
    texts += [line.strip() for line in parameters.get("solution", "").split("\n") if line.strip() and line not in starter]
    return [(hint, text) for hint in parameters.get("hints", []) for text in texts
            if re.search(r"(?<![\w.,/])%s(?![\w/]|[.,]\d)" % re.escape(text), hint, re.IGNORECASE)]


class DemoExercises(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        components = [(node["node_id"], component) for node in json.loads(DEMO.read_text(encoding="utf-8"))["nodes"]
                      for component in node["components"]]
        cls.questions, cls.exercises = ([("%s/%d" % (node_id, component["order"]), component["parameters"])
                                         for node_id, component in components if component["type"] == kind]
                                        for kind in ("question", "exercise-code"))

    def test_every_form_is_shown(self):
        self.assertGreaterEqual(len(self.questions), 8)
        self.assertEqual({question["kind"] for _, question in self.questions}, {"choice", "number", "text", "open"})
        self.assertGreaterEqual(len(self.exercises), 6)
        self.assertEqual({exercise.get("compare", "exact") for _, exercise in self.exercises}, {"exact", "unordered", "approximate"})
        self.assertLessEqual({"call", "args", "kwargs", "expect", "raises", "stdin", "stdout", "hidden"},
                             {member for _, exercise in self.exercises for case in exercise["cases"] for member in case})

    def test_solutions_pass_and_starters_do_not(self):
        for place, exercise in self.exercises:
            with self.subTest(place):
                self.assertEqual(failed(exercise, exercise["solution"]), [])
                ast.parse(exercise["starter"])
                self.assertNotEqual(failed(exercise, exercise["starter"]), [])

    def test_learners_see_some_cases_and_not_all(self):
        for place, exercise in self.exercises:
            with self.subTest(place):
                self.assertEqual({case.get("hidden", False) for case in exercise["cases"]}, {True, False})
                names = [case["name"] for case in exercise["cases"]]
                self.assertEqual(len(set(names)), len(names))

    def test_there_are_three_hints_and_none_gives_the_answer_away(self):
        for place, parameters in self.questions + self.exercises:
            with self.subTest(place):
                self.assertEqual(len(set(parameters["hints"])), 3)
                self.assertEqual(given_away(parameters), [])

    def test_an_answer_in_a_hint_is_found(self):
        for parameters in ({"answer": 25, "hints": ["4 ÷ 16 = 0.25, so 25 %."]}, {"answer": ["product", "the product"], "hints": ["A Product."]},
                           {"answer": "3/8", "hints": ["Is it 3/8?"]}, {"starter": "a = 1\n", "solution": "a = 1\nb = 2\n", "hints": ["Write `b = 2`."]}):
            self.assertTrue(given_away(parameters), parameters)
        for parameters in ({"answer": 25, "hints": ["1.25, 250 and 25/4"]}, {"starter": "a = 1\n", "solution": "a = 1\nb = 2\n", "hints": ["a = 1"]}):
            self.assertEqual(given_away(parameters), [])

    def test_wrong_results_fail(self):
        for expected, given, compare in ((6, 6.0, "exact"), (6, 6.1, "approximate"), ([1, 2], [2, 1], "approximate"), ([1, 1, 2], [1, 2, 2], "unordered"),
                                         ([1], [1, 2], "exact"), ((1, 2), [1, 2], "unordered"), (1, True, "approximate"), (None, 0, "exact")):
            self.assertFalse(same(expected, given, compare), (expected, given, compare))
        for expected, given, compare in ((6, 6.0, "approximate"), ([1, (2.0, 3)], [1.0000001, (2, 3)], "approximate"), ([1, 1, 2], [2, 1, 1], "unordered")):
            self.assertTrue(same(expected, given, compare), (expected, given, compare))
        raising = {"call": "f", "raises": "ValueError"}
        self.assertTrue(passes("def f(): int('x')", raising, "exact"))
        self.assertFalse(passes("def f(): [][0]", raising, "exact"))
        self.assertFalse(passes("def f(): return None", raising, "exact"))
        self.assertFalse(passes("print('1')", {"stdin": "", "stdout": "1"}, "exact"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
