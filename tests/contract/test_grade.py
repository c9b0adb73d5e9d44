# SPDX-License-Identifier: GPL-3.0-or-later
"""`lectern grade`: the cases of an exercise test a program in the sandbox, and the server compares the results.

Cheats: programs that try to pass without the answer. Corpus: 91 exercises with 1,127 cases of Exercism's Python track, their reference
solutions, and mutants of these. Run: programs without an exercise.
"""
import ast
import copy
import json
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time
import unittest

import harness

WHOLE = bool(os.environ.get("LECTERN_WHOLE"))  # every mutant
MUTANTS = 1  # of one solution, in the short form
EVERY = 1 if WHOLE else 8 if os.environ.get("LECTERN_SANDBOX") == "docker" else 3  # exercise; the comparison is the same in each engine
REFUSED = {"grep"}  # it opens files, which the policy refuses
TOO_SLOW = {"killer-sudoku-helper"}  # 4 to 9 s for one case, and the limit is 5 s
UNORDERED = {"pythagorean-triplet"}  # the order of its results is free

EXERCISE = {
    "prompt": "Write secret(n), which returns n * n + 41.",
    "cases": [{"name": "two", "call": "secret", "args": [2], "expect": 45}, {"name": "text", "call": "secret", "args": ["a"], "raises": "TypeError"},
              {"name": "large", "call": "secret", "args": [1234], "expect": 1522797, "hidden": True},
              {"name": "larger", "call": "secret", "args": [{"py": "4321"}], "expect": {"py": "18671082"}, "hidden": True}],
    "solution": "def secret(n):\n    return n * n + 41\n", "time_s": 1,
}
PROGRAM_CASES = [{"name": "sum", "stdin": "2 3\n", "stdout": "5\n"}, {"stdin": "10 20\n", "stdout": "30", "hidden": True}]
ALWAYS = """
class Always(int):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
    def __repr__(self): return "141"
"""
# By name, programs that may pass no hidden case.
CHEATS = {
    "an int that equals everything": ALWAYS + "def secret(n): return Always(45)",
    "an object that equals everything": "class All:\n    def __eq__(self, other): return True\ndef secret(n): return All()",
    "a float that equals everything": ALWAYS.replace("int", "float") + "def secret(n): return Always(45)",
    "a str that shows the answer": "class Text(str):\n    def __eq__(self, other): return True\ndef secret(n): return Text('141')",
    "a list that equals everything": "class Many(list):\n    def __eq__(self, other): return True\ndef secret(n): return Many()",
    "a class with a false name": "class int:\n    pass\ndef secret(n): return int()",
    "a bool for a number": "def secret(n): return True",
    "the answer of the visible case": "def secret(n):\n    if n == 'a':\n        raise TypeError\n    return 45",
    "nothing": "",
    "no function": "secret = 141",
    "a printed verdict": "print('{\"status\": \"pass\"}')\ndef secret(n):\n    print('pass')",
    "a printed frame": "def secret(n):\n    print('c\\0\\0\\0\\0\\0\\0\\0' + '{\"status\": \"returned\", \"value\": 141}')",
    "an early exit": "raise SystemExit(0)",
    "an exit in a case": "def secret(n): raise SystemExit(0)",
    "an interrupt": "def secret(n): raise KeyboardInterrupt",
    "a swallowed timeout": "def secret(n):\n    while True:\n        try:\n            while True: pass\n        except BaseException: pass",
    "every exception swallowed": "def secret(n):\n    try:\n        return n * n\n    except BaseException:\n        raise TypeError",
    "endless recursion": "def secret(n): return secret(n)",
    "10 MB of output": "def secret(n):\n    print('x' * 10_000_000)\n    return 0",
    "much output in small pieces": "def secret(n):\n    for _ in range(200000): print('141')\n    return 0",
    "much memory": "def secret(n): return len('x' * 2_000_000_000)",
    "a huge value": "def secret(n): return [0] * 10_000_000",
    "a deep value": "def secret(n):\n    v = []\n    for _ in range(100000): v = [v]\n    return v",
    "a value that contains itself": "def secret(n):\n    v = [141]\n    v.append(v)\n    return v",
    "a huge integer": "def secret(n): return 10 ** 1_000_000",
    "a generator of the answer": "def secret(n): yield n * n + 41",
    "the answer in a list": "def secret(n): return [n * n + 41]",
    "the answer as text": "def secret(n): return str(n * n + 41) if n != 'a' else [][0]",
    "a lambda": "def secret(n): return lambda: n * n + 41",
    "the function itself": "def secret(n): return secret",
    "a class instead of a function": "class secret:\n    def __init__(self, n): pass\n    def __eq__(self, other): return True",
    "a patched sum": "import builtins\nbuiltins.len = lambda _: 141\ndef secret(n): return len([])",
    "patched json": "import json\njson.dumps = lambda *a, **k: '141'\ndef secret(n): return 0",
    "patched math": "import math\nmath.isfinite = lambda _: True\ndef secret(n): return float('nan')",
    "frames": "def secret(n):\n    import sys\n    return sys._getframe(1).f_locals",
    "frames of a generator": "def secret(n):\n    g = (x for x in [1])\n    return g.gi_frame.f_back.f_locals",
    "frames of an exception": "def secret(n):\n    try:\n        1 / 0\n    except Exception as e:\n        return e.__traceback__.tb_frame.f_back",
    "garbage": "import gc\ndef secret(n): return gc.get_objects()",
    "the harness' file": "def secret(n): return open('/lectern/grading.py').read()",
    "globals": "def secret(n): return globals()['program']",
    "the main module": "import __main__\ndef secret(n): return __main__.cases",
    "eval": "def secret(n): return eval('n * n')",
    "exec": "exec('x = 1')\ndef secret(n): return 0",
    "an import of os": "import os; os.listdir('.')",
    "the curriculum": "import code_helpers\ndef secret(n): return code_helpers.get_nodes()",
    "a callback in the past": "import functools\n@functools.cache\ndef secret(n): return 45",
    "a hash that counts": "class H:\n    n = 0\n    def __hash__(self):\n        H.n += 1\n        return H.n\ndef secret(n): return {H(): 141}",
    "arguments that are changed": "seen = []\ndef secret(n):\n    seen.append(n)\n    return seen",
    "hidden arguments printed": "def secret(n):\n    print('argument', n)\n    return None",
    "hidden arguments raised": "def secret(n): raise ValueError('argument %r' % (n,))",
}


class GradeCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="lectern-test-")
        self.addCleanup(self.folder.cleanup)
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)

    def write(self, name, text):
        path = pathlib.Path(self.folder.name, name)
        path.write_text(text, encoding="utf-8")
        return path

    def command(self, exercise, *programs, arguments=()):
        """The finished process. programs: texts."""
        paths = [self.write("%d.py" % number, program) for number, program in enumerate(programs)]
        return self.workspace.run("grade", "--sandbox", os.environ.get("LECTERN_SANDBOX", harness.LOCAL), *arguments,
                                  self.write("exercise.json", json.dumps(exercise)), *paths, check=False, seconds=60 + 10 * len(programs))

    def grade(self, exercise, *programs):
        """The result of each program; without programs that of the solution."""
        done = self.command(exercise, *programs, arguments=["--json"])
        results = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(results), len(programs) or 1, done.stderr)
        return results

    def statuses(self, result):
        return [test["status"] for test in result["tests"]]


class Grade(GradeCase):
    def test_the_solution_passes(self):
        result, = self.grade(EXERCISE)
        self.assertEqual((result["version"], result["status"], result["message"], result["program"]), (2, "pass", None, "solution"))
        self.assertEqual([test["name"] for test in result["tests"]], ["two", "text", "hidden 1", "hidden 2"])
        self.assertEqual(self.statuses(result), ["pass"] * 4)

    def test_messages_of_visible_cases(self):
        wrong, raising, missing, printing = self.grade(
            EXERCISE, "def secret(n): return n", "def secret(n):\n    return [][n]", "def Secret(n): pass",
            "def secret(n):\n    print('n is', n)\n    return n * n + 41.0")
        self.assertEqual(self.statuses(wrong), ["fail"] * 4)
        self.assertEqual(wrong["tests"][0]["message"], "secret(2) returned 2; expected 45")
        self.assertEqual(wrong["tests"][1]["message"], "secret('a') returned 'a'; it must raise TypeError")
        self.assertIn("IndexError: list index out of range", raising["tests"][0]["message"])
        self.assertIn("line 2", raising["tests"][0]["message"])
        self.assertEqual(self.statuses(raising), ["error", "pass", "error", "error"])
        self.assertIn("no function named secret", missing["tests"][0]["message"])
        self.assertEqual((printing["status"], printing["tests"][0]["output"]), ("pass", "n is 2\n"))
        for result in (wrong, raising, missing, printing):
            for test in result["tests"][2:]:
                self.assertEqual((test["message"], test["output"]), (None, None))

    def test_a_program_with_input(self):
        exercise = {"prompt": "Add.", "cases": PROGRAM_CASES, "solution": "a, b = map(int, input('two numbers').split())\nprint(a + b)"}
        prompting, right, wrong, eager = self.grade(
            exercise, exercise["solution"], "a, b = map(int, input().split())\nprint(a + b, '')\nprint()", "print(5)", "input()\ninput()")
        self.assertIn("two numbers5", prompting["tests"][0]["message"])
        self.assertEqual(self.statuses(right), ["pass", "pass"])
        self.assertEqual(self.statuses(wrong), ["pass", "fail"])
        self.assertIn("more input than there is", eager["tests"][0]["message"])

    def test_a_hang_belongs_to_its_case(self):
        hanging, looping = self.grade(EXERCISE, "def secret(n):\n    while n == 'a': pass\n    return n * n + 41", "while True: pass")
        self.assertEqual(self.statuses(hanging), ["pass", "error", "pass", "pass"])
        self.assertIn("ran for more than 1 s", hanging["tests"][1]["message"])
        self.assertEqual((looping["status"], self.statuses(looping)), ("error", ["error"] * 4))
        self.assertEqual(looping["message"], "the program was stopped: it ran for more than 1 s")
        many = dict(EXERCISE, time_s=0.2, cases=[{"call": "secret", "args": [n], "expect": n} for n in range(6)])
        result, = self.grade(many, "def secret(n):\n    while n < 5: pass\n    return n")
        self.assertEqual(self.statuses(result), ["error"] * 6)
        self.assertIn("stopped", result["tests"][1]["message"])  # the runs after the first share the time limit
        self.assertIn("not run: the program was stopped 2 times", result["tests"][2]["message"])

    def test_a_program_that_cannot_be_run(self):
        broken, refused, unparsable = self.grade(EXERCISE, "print('x')\n1 / 0", "import os; os.listdir('.')", "def secret(n:\n    pass")
        self.assertEqual(broken["status"], "error")
        self.assertIn("ZeroDivisionError", broken["message"])
        self.assertEqual(refused["status"], "refused")
        self.assertIn("Import 'os' is not allowed", refused["message"])
        self.assertEqual(unparsable["status"], "refused")

    def test_exit_statuses_and_text(self):
        for program, status, says in (("def secret(n):\n    return n * n + 41", 0, "pass, 4 of 4 cases passed"),
                                      ("def secret(n):\n    return 45", 1, "fail, 1 of 4 cases passed\n  text: fail: "), ("import os", 3, "refused\n")):
            done = self.command(EXERCISE, program)
            self.assertEqual(done.returncode, status, done.stdout)
            self.assertIn(says, done.stdout.decode())
        done = self.command({**EXERCISE, "cases": [{"call": "secret", "expct": 1}]})
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"did you mean 'expect'", done.stderr)
        done = self.command({name: value for name, value in EXERCISE.items() if name != "solution"})
        self.assertIn(b"no solution", done.stderr)

    def test_a_signal_ends_the_run(self):
        """The programs that follow are not tested, and no sandbox is left behind."""
        engine = os.environ.get("LECTERN_SANDBOX", harness.LOCAL)
        paths = [self.write("hanging.py", "while True: pass"), self.write("right.py", EXERCISE["solution"])]
        process = subprocess.Popen([harness.LECTERN, "grade", "--sandbox", engine, self.write("exercise.json", json.dumps(dict(EXERCISE, time_s=5))), *paths],
                                   env=self.workspace.environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        time.sleep(2)
        below = harness.descendants(process.pid)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, output)
        self.assertNotIn("right.py", output)
        until = time.monotonic() + 10  # the kernel ends them after their parent
        while any(map(harness.is_interpreter, below)) and time.monotonic() < until:
            time.sleep(0.02)
        self.assertEqual([pid for pid in below if harness.is_interpreter(pid)], [])
        if engine == "docker":
            self.assertEqual(harness.containers(), [])

    def test_values_of_every_type(self):
        """The program gets the arguments that the author wrote, and its results come back as what they are."""
        literals = ["None", "True", "0", "-7", "18446744073709551616", "0.5", "-0.0", "1e300", "'é\\n'", "'\\ud800'", "b'\\x00a'",
                    "[]", "[1, [2]]", "()", "(1,)", "set()", "{1, (2, 3)}", "{}", "{1: 'a', None: [2]}", "3j", "'quote\\'s \"'"]
        exercise = {"prompt": "Return the argument.", "cases": [{"call": "same", "args": [{"py": text}], "expect": {"py": text}} for text in literals],
                    "solution": "def same(x): return x"}
        result, = self.grade(exercise)
        self.assertEqual({test["message"] for test in result["tests"]}, {None})
        exercise["cases"] = [{"call": "show", "args": [{"py": text}], "expect": repr(ast.literal_eval(text) if text != "set()" else set())}
                             for text in literals]
        result, = self.grade(exercise, "def show(x): return repr(x)")
        self.assertEqual({test["message"] for test in result["tests"]}, {None})


class Run(GradeCase):
    """Programs that only run: the tool submit_code without an exercise."""

    def run_programs(self, *programs):
        """The result of each program; a program is its code, or (code, input)."""
        lines = [dict(zip(("code", "input"), (program,) if isinstance(program, str) else program)) for program in programs]
        done = subprocess.run([harness.BUILD / "tests/run_driver", "--share", harness.BUILD / "share", "--sandbox",
                               os.environ.get("LECTERN_SANDBOX", harness.LOCAL)], input="".join(json.dumps(line) + "\n" for line in lines),
                              env=self.workspace.environment(), stdout=subprocess.PIPE, text=True, timeout=120, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_output(self):
        hello, silent, name, none = self.run_programs(
            'print("hello")', "x = 1", ("print('Hi', input('Name? '))\nprint(int(input()) * 2)", "Ada\n21\n"), "raise SystemExit")
        self.assertEqual(hello, {"status": "ran", "message": None, "output": "hello\n"})
        self.assertEqual(silent, {"status": "ran", "message": None, "output": None})
        self.assertEqual(name, {"status": "ran", "message": None, "output": "Name? Hi Ada\n42\n"})
        self.assertEqual(none["status"], "ran")

    def test_errors(self):
        division, more, refused, broken = self.run_programs("print('first')\n1 / 0", "input()", "import os\nos.listdir('.')", "print('a'")
        self.assertEqual((division["status"], division["output"]), ("error", "first\n"))
        self.assertIn("ZeroDivisionError", division["message"])
        self.assertIn("more input than there is", more["message"])
        self.assertIn("os", refused["refused"])
        self.assertIn("line 1", broken["refused"])

    def test_limits(self):
        endless, large, accents, memory = self.run_programs(
            "while True: pass", "print('x' * 10_000_000)", "print('\u00e4' * 2001, end='')", "x = 'x' * 2_000_000_000")
        self.assertEqual(endless, {"status": "error", "message": "the program was stopped: it ran for more than 5 s", "output": None})
        self.assertRegex(large["output"], r"^x{2000}\n\.\.\. \(\d+ characters more\)$")
        self.assertEqual(accents["output"], "\u00e4" * 2000 + "\n... (1 characters more)")
        self.assertEqual(memory["status"], "error")

    def test_no_curriculum(self):
        helpers, = self.run_programs("import code_helpers")
        self.assertIn("code_helpers", helpers["refused"])


class Cheats(GradeCase):
    def test_no_cheat_passes_and_the_next_program_is_right(self):
        programs = []
        chosen = dict(list(CHEATS.items())[::EVERY if EVERY > 3 else 1])
        for program in chosen.values():
            programs += [program, EXERCISE["solution"]]
        results = self.grade(EXERCISE, *programs)
        for name, cheat, honest in zip(chosen, results[::2], results[1::2]):
            with self.subTest(name):
                self.assertEqual(self.statuses(honest), ["pass"] * 4)
                self.assertNotEqual(cheat["status"], "pass")
                for test in cheat.get("tests", [])[2:]:
                    self.assertNotEqual(test["status"], "pass")
                    self.assertEqual((test["message"], test["output"]), (None, None))
                for secret in ("1234", "4321", "1522797", "18671082"):
                    self.assertNotIn(secret, json.dumps(cheat))


    def test_an_exception_of_many_classes(self):
        """It counts as the first of them, so it does not fit whatever a hidden case wants."""
        exercise = {"prompt": "Refuse.", "cases": [{"call": "f", "args": [number], "raises": name, "hidden": True}
                                                   for number, name in enumerate(("ValueError", "KeyError", "LookupError", "TypeError"))]}
        many, first, own = self.grade(exercise, "class All(KeyError, ValueError, TypeError): pass\ndef f(n): raise All(n)", "def f(n): raise KeyError(n)",
                                      "class Own(KeyError): pass\nclass Deeper(Own): pass\ndef f(n): raise Deeper")
        for result in (many, first, own):
            self.assertEqual(self.statuses(result), ["fail", "pass", "pass", "fail"])

    def test_a_program_that_fails_with_hidden_arguments(self):
        """The report of a program that cannot be loaded is not shown where a hidden case has brought it out."""
        exercise = {"prompt": "Hide.", "cases": [{"call": "f", "args": [1], "expect": 1, "hidden": True}]}
        result, = self.grade(exercise, "raise ValueError('forged arguments')")
        self.assertEqual((result["status"], result["message"]), ("error", "the program fails before its first case"))


def mutants(source):
    """Each program with one change: an operator, a comparison, a number, a text, a condition, or a statement left out."""
    operators = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.Lt: ast.LtE, ast.LtE: ast.Lt,
                 ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And}
    tree = ast.parse(source)
    for place, node in enumerate(ast.walk(tree)):
        changed = copy.deepcopy(tree)
        there = next(other for at, other in enumerate(ast.walk(changed)) if at == place)
        if isinstance(node, (ast.BinOp, ast.BoolOp)) and type(node.op) in operators:
            there.op = operators[type(node.op)]()
        elif isinstance(node, ast.Compare) and type(node.ops[0]) in operators:
            there.ops[0] = operators[type(node.ops[0])]()
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            there.value = node.value + 1
        elif isinstance(node, ast.Return) and node.value is not None:
            there.value = ast.Constant(None)
        elif isinstance(node, (ast.If, ast.While, ast.IfExp)):
            there.test = ast.UnaryOp(ast.Not(), there.test)
        else:
            continue
        yield ast.unparse(ast.fix_missing_locations(changed))


def passes_here(program, case):
    """Whether the program passes the case in this interpreter: the reference for equivalent mutants."""
    try:
        names = {"__name__": "program"}
        exec(compile(program, "program", "exec"), names)
        value = names[case["call"]](*plain(case["args"]), **plain(case.get("kwargs", {})))
        return "expect" in case and value == plain(case["expect"])
    except Exception as error:
        return type(error).__name__ == case.get("raises")


def plain(value):
    if isinstance(value, dict):
        return ast.literal_eval(value["py"]) if set(value) == {"py"} else {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list) else value


def as_literals(value):
    """Numbers that JSON readers do not keep are written as literals."""
    if isinstance(value, dict):
        return {key: as_literals(one) for key, one in value.items()}
    if isinstance(value, list):
        return [as_literals(one) for one in value]
    return {"py": str(value)} if type(value) is int and abs(value) >= 2 ** 63 else value


class Corpus(GradeCase):
    @classmethod
    def setUpClass(cls):
        path = harness.shared("exercises", "exercism_cases.json")
        cls.exercises = {row["slug"]: {"prompt": row["slug"], "starter": row["starter"], "solution": row["reference"], "cases": as_literals(row["cases"]),
                                       "compare": "unordered" if row["slug"] in UNORDERED else "exact"}
                         for row in json.loads(path.read_text())["exercises"][::EVERY]}

    def test_reference_solutions_pass(self):
        cases = 0
        for slug, exercise in self.exercises.items():
            with self.subTest(slug):
                result, = self.grade(exercise)
                if slug in REFUSED:
                    self.assertEqual(result["status"], "refused")
                elif slug in TOO_SLOW:
                    self.assertLessEqual(self.statuses(result).count("error"), 1, result)
                else:
                    self.assertEqual(result["status"], "pass", result)
                    cases += len(result["tests"])
        self.assertGreater(cases, 1000 // EVERY - 100)

    def test_mutants_fail(self):
        dice, tested, equivalent = random.Random(31), 0, []
        for slug, exercise in self.exercises.items():
            if slug in REFUSED | TOO_SLOW:
                continue
            programs = list(mutants(exercise["solution"]))
            if not WHOLE:
                programs = dice.sample(programs, min(MUTANTS, len(programs)))
            hidden = dict(exercise, time_s=1, cases=[dict(case, hidden=place % 2 == 1) for place, case in enumerate(exercise["cases"])])
            for program, result in zip(programs, self.grade(hidden, *programs)):
                tested += 1
                if result["status"] == "pass":  # it does the same: plain Python says so too
                    self.assertTrue(all(passes_here(program, case) for case in exercise["cases"]) or slug in UNORDERED, (slug, program))
                    equivalent.append("%s:\n%s" % (slug, program))
        print("\n%d mutants, %d of them equivalent as far as the cases see" % (tested, len(equivalent)))
        for one in equivalent if WHOLE else ():
            print(one)
        self.assertGreater(tested, 1500 if WHOLE else 80 // EVERY)


if __name__ == "__main__":
    unittest.main(verbosity=2)
