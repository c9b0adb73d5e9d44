# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks at run time: the programs of tests/data/evasions, without the policy, and the shared ones, which both policies accept. None
reaches its goal; with the doors not armed, each of ours does. Every row of door_rules.py names a function that exists in this machine's
libraries."""
import ast
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

import door_search
import sandbox

sys.path.insert(0, str(sandbox.ROOT / "tests/data"))
import corpus  # noqa: E402

PROGRAMS = [program for program in corpus.programs("evasions") if "static" not in program.words]
STATIC = [program for program in corpus.programs("evasions") if "static" in program.words]
UNNAMED = {ast.Lambda: "<lambda>", ast.SetComp: "<setcomp>", ast.ListComp: "<listcomp>"}
MARK = "REACHED|Zen of Python"  # the second: the module `this` was imported
ROOMY = dict(kind="plot", preload=sandbox.PLOT_PRELOAD, memory_mb=512, bwrap=True)


class Guarded(unittest.TestCase):
    def test_none_reaches_what_it_is_after(self):
        with sandbox.Session(policy=False, **ROOMY) as box:
            for program in PROGRAMS:
                with self.subTest(program.id):
                    outcome = box.run(program.code.decode(), profile=program.profile, timeout_ms=20000)
                    told = "%s\n%s" % (outcome.text, outcome.result.get("error"))
                    self.assertNotRegex(outcome.text, MARK)
                    self.assertIn(" ".join(word for word in program.words if word != "held"), told)
            self.assertEqual(box.run("print(1 + 1)").text, "2\n")

    def test_the_shared_ones(self):
        with sandbox.Session(**ROOMY) as box:
            for path in sorted(sandbox.shared("corpus/evasions").glob("*.py")):
                with self.subTest(path.name):
                    outcome = box.run(path.read_text(), profile="visualization", timeout_ms=20000)
                    self.assertNotIn("PWN", outcome.text)
                    self.assertNotEqual(outcome.status, "ok", outcome.text)
            self.assertEqual(box.run("print(1 + 1)").text, "2\n")


class Ordinary(unittest.TestCase):
    """What the guards could break."""

    PROGRAMS = {
        "callbacks": """
import numpy as np
from scipy import integrate, optimize
line = optimize.curve_fit(lambda x, a, b: a * x + b, np.arange(10.0), 3 * np.arange(10.0) + 1)[0]
roots = [optimize.fsolve(lambda x: x - 1, [2.0]), optimize.root(lambda x: x - 1, [2.0], jac=lambda x: np.eye(1)).x,
         optimize.least_squares(lambda x: x - 1, [2.0], method="lm").x]
limited = optimize.minimize(lambda x: float((x ** 2).sum()), [1.0, 2.0], method="COBYLA",
                            constraints=[{"type": "ineq", "fun": lambda x: x[0] - 0.5}]).x
print(line.round(3), [root.round(3).tolist() for root in roots], limited[:1].round(1))
print(integrate.odeint(lambda y, t, k: -k * y, [1.0], [0, 1], args=(2,)).round(3).tolist())
for method in ("vode", "lsoda", "dopri5", "dop853"):
    solver = integrate.ode(lambda t, y, k: -k * y).set_integrator(method).set_initial_value([1.0], 0).set_f_params(2)
    print(solver.integrate(1).round(3))
print(integrate.complex_ode(lambda t, y: 1j * y).set_initial_value([1.0], 0).integrate(1).round(3))
print([integrate.solve_ivp(lambda t, y: -y, (0, 1), [1.0], method=method, rtol=1e-8).y[0, -1].round(3) for method in ("RK45", "LSODA", "BDF")])
""",
        "iterators": """
import numpy as np
a = np.arange(6).reshape(2, 3)
with np.nditer(a, op_flags=["readwrite"]) as it:
    for x in it:
        x[...] = 2 * x
print(a.tolist(), sum(int(x) for x in np.nditer(a)))
""",
        "pandas": """
import pandas as pd
s = pd.Series([1.0, 2.0, 3.0])
print(s.rolling(2, win_type="triang").mean().tolist(), pd.Series([1.0, None, 3.0, 4.0]).interpolate("spline", order=2).round(1).tolist())
df = pd.DataFrame({"a": [1, 1, 2], "b": [1.0, 2.0, 3.0]})
print(df.groupby("a").agg("mean").b.tolist(), df.groupby("a").b.filter(lambda x: len(x) > 1).tolist(), df.groupby("a").pct_change().b.tolist()[1])
print(df.pivot_table(index="a", values="b", aggfunc="sum", margins=True).b.tolist(), df.query("a == 1 and b > 1").b.tolist())
""",
        "statistics": """
from scipy import stats
print(round(stats.kstest([0.1, 0.5, 0.9], "uniform").pvalue, 2), round(stats.cramervonmises([0.1, 0.5, 0.9], "uniform").pvalue, 2))
print(stats.anderson([1.0, 2.0, 3.0, 4.0], "norm").statistic.round(2), [round(float(x), 1) for x in stats.norm.fit([1.0, 2.0, 3.0])])
""",
        "functions": """
import functools, json, operator
def f(): pass
f.calls = 5
@functools.wraps(json.loads)
def loads(text): return json.loads(text)
class K:
    def m(self): pass
K.m.order = 1
print(f.calls, loads("1"), K.m.order, functools.partial(f).func is f)
""",
    }
    TOLD = {
        "callbacks": "[3. 1.] [[1.0], [1.0], [1.0]] [0.5]\n[[1.0], [0.135]]\n" + "[0.135]\n" * 4 + "[0.54+0.841j]\n[0.368, 0.368, 0.368]\n",
        "iterators": "[[0, 2, 4], [6, 8, 10]] 30\n",
        "pandas": "[nan, 1.5, 2.5] [1.0, 2.0, 3.0, 4.0]\n[1.5, 3.0] [1.0, 2.0] 1.0\n[3.0, 3.0, 6.0] [2.0]\n",
        "statistics": "0.99 0.98\n0.16 [2.0, 0.8]\n",
        "functions": "5 1 1 True\n",
    }

    # Of tests/data/ordinary.
    PRIVATE = {
        "plain_python-40": "inner\n20 3 1 Low 8 1 1 2 1 3\n",
        "plain_python-41": "2 1.0 [1, 2] 2.0\n",
    }

    def test_private_names_of_their_own(self):
        programs = {program.id: program for program in corpus.programs("ordinary")}
        with sandbox.Session(**ROOMY) as box:
            for name, told in self.PRIVATE.items():
                with self.subTest(name):
                    outcome = box.run(programs[name].code.decode(), profile="data-science", timeout_ms=20000)
                    self.assertEqual((outcome.text, outcome.result.get("error")), (told, None))

    def test_they_print_what_they_should(self):
        with sandbox.Session(**ROOMY) as box:
            for name, code in self.PROGRAMS.items():
                with self.subTest(name):
                    outcome = box.run(code, profile="data-science", timeout_ms=20000)
                    self.assertEqual((outcome.text, outcome.result.get("error")), (self.TOLD[name], None))


class Static(unittest.TestCase):
    def test_both_policies_refuse_them(self):
        sys.path.insert(0, str(sandbox.SHARE))
        policy = __import__("policy")
        sys.path.pop(0)
        tables = policy.load(sandbox.SHARE / "policy.json")
        for program in STATIC:
            with self.subTest(program.id):
                self.assertIn(program.words[1], [rule for _line, rule in policy.check(ast.parse(program.code), tables[program.profile])])
                told = subprocess.run([sandbox.BUILD / "lectern", "validate", "--json", "--profile", program.profile, "-"],
                                      input=program.code, stdout=subprocess.PIPE, check=False).stdout.decode()
                self.assertIn('"%s"' % program.words[1], told)


class Open(unittest.TestCase):
    def test_each_reaches_it_where_the_doors_are_open(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="lectern-doors-"))
        self.addCleanup(shutil.rmtree, folder)
        shutil.copytree(sandbox.WITHOUT_POLICY, folder, dirs_exist_ok=True)
        folder.chmod(0o755)
        for name, line, instead in (("interpreter", "    parts.doors.arm()\n", ""), ("interpreter", "    parts.doors.freeze_classes(", "    frozenset("),
                                    ("interpreter", "    parts.close_arrays()\n", ""), ("guard", "    guard_copy(copy)\n", "")):
            path = folder / (name + ".py")
            text = path.read_text()
            self.assertEqual(text.count(line), 1, line)
            path.write_text(text.replace(line, instead))
        with sandbox.Session(interpreter=folder / "interpreter.py", **ROOMY) as box:
            for program in PROGRAMS:
                with self.subTest(program.id):
                    outcome = box.run(program.code.decode(), profile=program.profile, timeout_ms=20000)
                    if "held" not in program.words and outcome.status != "crash":  # an index out of bounds may end the process
                        self.assertRegex(outcome.text, MARK, (outcome.result or {}).get("error"))


class Compiled(unittest.TestCase):
    CODE = """
import ctypes, importlib.machinery, importlib.util, json, sys
share = sys.argv[1]
def load(name, loader):
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module
doors = load("doors", importlib.machinery.ExtensionFileLoader("doors", share + "/doors.so"))
guard, rules = (load(name, importlib.machinery.SourceFileLoader(name, "%s/%s.py" % (share, name))) for name in ("guard", "door_rules"))
guard.install(doors, rules, "<code>", [], sys.path, json.load(open(share + "/policy.json")))
run = ctypes.pythonapi.PyRun_String
run.restype, run.argtypes = ctypes.py_object, (ctypes.c_char_p, ctypes.c_int, ctypes.py_object, ctypes.py_object)
for time in ("before", "after"):
    try:
        print(time, run(b"6 * 7", 258, {}, {}))
    except PermissionError as error:
        print(time, error)
    doors.arm()
"""

    def test_text_that_c_runs_is_refused(self):
        done = subprocess.run(["/usr/bin/python3", "-I", "-c", self.CODE, sandbox.SHARE], stdout=subprocess.PIPE, check=True)
        self.assertEqual(done.stdout.decode(), "before 42\nafter text is not run as code here (rule: text-as-code)\n")


class Search(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.loaded = door_search.loaded_files(door_search.allowed_modules())
        cls.calls = list(door_search.search(door_search.sources(cls.loaded)))
        cls.rows, cls.rules = door_search.rows(), door_search.load_rules()

    @staticmethod
    def key(call):
        return "%s %s" % (call.place, call.door)

    def test_something_decides_about_each_call(self):
        self.assertGreater(len(self.calls), 1000)
        self.assertEqual([self.key(call) for call in self.calls
                          if door_search.derive(call, self.rules) is None and self.key(call) not in self.rows], [])

    def test_each_row_has_a_call_that_needs_it(self):
        needed = {self.key(call) for call in self.calls if door_search.derive(call, self.rules) is None}
        needed.update(door_search.computed_in_cython(self.loaded))
        self.assertEqual(sorted(self.rows.keys() - needed), [])

    def test_no_compiled_module_runs_code_behind_the_hook(self):
        used = door_search.used_symbols(self.loaded)
        self.assertGreater(len(used), 150)
        self.assertGreater(len([path for path, names in used.items() if "PyRun_StringFlags" in names]), 0)  # Cython, while it is imported
        self.assertEqual({str(path): found for path, names in used.items() if (found := [*filter(door_search.SILENT.fullmatch, names)])}, {})

    def test_something_is_known_of_each_computed_name_in_cython(self):
        found = set(door_search.computed_in_cython(self.loaded))
        self.assertGreater(len(found), 5)
        self.assertEqual(sorted(found - self.rows.keys()), [])

    def test_what_is_left_out_is_not_loaded(self):
        self.assertEqual([path for path in self.loaded if not door_search.UNLOADED.isdisjoint(path.parts)], [])

    def test_functions_with_more_rights_are_found(self):
        """Those that door_rules.py lists call what the rule is about."""
        found = {call.place for call in self.calls}
        for name, rows in (("ATTRIBUTES", self.rules.ATTRIBUTES), ("PUBLIC", self.rules.PUBLIC), ("TEXTS", self.rules.TEXTS),
                           ("MODULES", self.rules.MODULES)):
            with self.subTest(name):
                self.assertEqual(sorted(row for row in rows if not row.startswith("<frozen") and row not in found), [])


class Rules(unittest.TestCase):
    rules = door_search.load_rules()

    @staticmethod
    def functions(path):
        """The qualified names of the functions of a file."""
        found = set()

        def walk(node, prefix):
            for child in ast.iter_child_nodes(node):
                if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, *UNNAMED)):
                    name = prefix + getattr(child, "name", UNNAMED.get(type(child)))
                    found.add(name)
                    walk(child, name + ("." if isinstance(child, ast.ClassDef) else ".<locals>."))
                else:
                    walk(child, prefix)

        walk(ast.parse(path.read_text()), "")
        return found

    def test_each_row_names_a_function(self):
        rows = {*self.rules.ATTRIBUTES, *self.rules.FRAMES, *self.rules.FUNCTIONS, *self.rules.TEXTS, *self.rules.MODULES, *self.rules.PUBLIC}
        for row in sorted(rows):
            with self.subTest(row):
                file, name = row.rsplit(":", 1)
                if file.startswith("<frozen "):
                    file = file[len("<frozen "):-1].replace(".", "/") + ".py"
                paths = [path for folder in door_search.FOLDERS if (path := pathlib.Path(folder, file)).exists()]
                self.assertTrue(paths, file)
                self.assertIn(name, self.functions(paths[0]))

    def test_patterns_match_what_libraries_write_and_nothing_else(self):
        texts = self.rules.TEXTS
        pattern = texts["collections/__init__.py:namedtuple"]
        self.assertTrue(pattern.fullmatch("lambda _cls, x, y: _tuple_new(_cls, (x, y,))"))
        self.assertFalse(pattern.fullmatch("lambda _cls, x, y=print(1): _tuple_new(_cls, (x, y,))"))

        pattern = texts["dataclasses.py:_create_fn"]
        text = "def __create_fn__():\n def __eq__(self,other):\n  if other.__class__ is self.__class__:\n   return (self.%s,)==(other.x,)\n" \
               "  return NotImplemented\n return __eq__"
        self.assertTrue(pattern.fullmatch(text % "x"))
        for name in ("x,print()", "x.y", "__dict__", "x()", "x\n  print()"):
            self.assertFalse(pattern.fullmatch(text % name), name)
        pattern = texts["networkx/utils/decorators.py:argmap.compile"]
        text = "def argmap_density_1(G, *, b, **c):\n \n G = argmap_f_2(G)\n return argmap_density_3(%s, b = b, **c)#"
        self.assertTrue(pattern.fullmatch(text % "G"))
        for argument in ("print(G)", "G.x", "G)\n print(G"):
            self.assertFalse(pattern.fullmatch(text % argument), argument)

    def test_types_have_the_attributes(self):
        for kind, names, _ in self.rules.INTERPRETER:
            for name in names:
                self.assertIn(name, kind.__dict__, kind)
        self.assertIn(types.FrameType, [kind for kind, _, _ in self.rules.INTERPRETER])

    def test_no_library_keeps_a_name_of_its_own_for_what_is_replaced(self):
        """`get = getattr` in a module would pass the doors by, if it came before them."""
        kept = re.compile(r"^\s*\w+ *= *(?:builtins\.)?(?:getattr|setattr|delattr|eval|exec|compile)\s*(?:#.*)?$", re.M)
        found = []
        for package in ("pandas", "numpy", "networkx", "scipy", "matplotlib"):
            for path in pathlib.Path(door_search.FOLDERS[0], package).rglob("*.py"):
                if "/tests/" not in str(path) and kept.search(path.read_text(errors="replace")):
                    found.append(str(path))
        self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
