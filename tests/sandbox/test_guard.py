# SPDX-License-Identifier: GPL-3.0-or-later
"""The guard (image/python/guard.py): what its builtins and its audit hook refuse, with which message, and ordinary uses of libraries, which it
must not hinder."""
import sys
import unittest

import sandbox

sys.path.insert(0, str(sandbox.ROOT / "tests/data"))
import corpus  # noqa: E402

ROOMY = dict(kind="plot", preload=sandbox.PLOT_PRELOAD, memory_mb=512, bwrap=True)


class Refused(unittest.TestCase):
    BY_NAME = "attribute '%s' is out of reach by its name (rule: attribute-by-name)"
    BUILTINS = {
        "getattr([], '__class__')": BY_NAME % "__class__",
        "getattr([], '_private', None)": BY_NAME % "_private",
        "import json\ngetattr(json.decoder, 'f_back', None)": BY_NAME % "f_back",
        "class S(str):\n    def __eq__(self, other): return False\n    def __hash__(self): return 1\n    def __getitem__(self, at): return 'x'\n"
        "getattr([], S('__class__'))": BY_NAME % "__class__",
        "class C: pass\nsetattr(C(), '__dict__', {})": BY_NAME % "__dict__",
        "class C: pass\ndelattr(C, '__module__')": BY_NAME % "__module__",
        "hasattr([], '__subclasses__')": BY_NAME % "__subclasses__",
        "import json\nvars(json)": "attribute '__dict__' is the interpreter's own (rule: interpreter-object)",
        "vars(int)": "attribute '__dict__' is the interpreter's own (rule: interpreter-object)",
    }
    ALLOWED = """
import collections
class C:
    x = 1
c = C()
setattr(c, "y", 2)
print(getattr(c, "x"), getattr(c, "z", 3), c.y, hasattr(c, "y"), hasattr([], "__iter__"), vars(c))
delattr(c, "y")
print(hasattr(c, "y"), getattr(collections.namedtuple("P", "a")(1), "_asdict")(), "c" in vars())
def f(a):
    return vars()
print(f(1))
"""

    # The modules of the interpreter, as code has them that went around the rules of Python.
    MODULES = "import statistics\nmodules = statistics.sys.modules\nos, io = modules['os'], modules['io']\n"
    FILE = "files are out of reach; use the functions of code_helpers (rule: file)"
    EVENTS = {
        "io.open('/etc/passwd')": FILE,
        "io.FileIO(statistics.__file__, 'r+')": FILE,
        "io.open(statistics.__file__ + '/../../../../etc/passwd')": FILE,
        "io.open(0, closefd=False)": FILE,
        "os.open(statistics.__file__, os.O_WRONLY)": FILE,
        "os.open('/tmp/x', os.O_CREAT)": FILE,
        "os.listdir('/')": "folders are out of reach (rule: file)",
        "os.scandir('/')": "folders are out of reach (rule: file)",
        "os.fork()": "os.fork is not allowed in analysis code (rule: event)",
        "os.system('id')": "os.system is not allowed in analysis code (rule: event)",
        "os.remove('/tmp/x')": "os.remove is not allowed in analysis code (rule: event)",
        "os.kill(os.getpid(), 10)": "os.kill is not allowed in analysis code (rule: event)",
        "modules['builtins'].__import__('socket').socket()": "socket.__new__ is not allowed in analysis code (rule: event)",
        "modules['builtins'].__import__('subprocess').run('id')": "subprocess.Popen is not allowed in analysis code (rule: event)",
        "modules['builtins'].__import__('ctypes').CDLL(None)": "ctypes.dlopen is not allowed in analysis code (rule: event)",
        "modules['builtins'].__import__('signal').pthread_kill(1, 9)": "signal.pthread_kill is not allowed in analysis code (rule: event)",
    }

    def check(self, box, code, message):
        outcome = box.run(code, profile="visualization")
        self.assertEqual((outcome.text, outcome.result["error_type"]), ("", "PermissionError"), (code, outcome.result["error"]))
        self.assertIn("PermissionError: %s" % message, outcome.result["error"], code)

    def test_special_names(self):
        with sandbox.Session(policy=False) as box:
            for code, message in self.BUILTINS.items():
                with self.subTest(code):
                    self.check(box, code, message)
            outcome = box.run(self.ALLOWED)
            self.assertEqual((outcome.text, outcome.result["error"]),
                             ("1 3 2 True True {'y': 2}\nFalse {'a': 1} True\n{'a': 1}\n", None))

    def test_events(self):
        with sandbox.Session(policy=False) as box:
            for code, message in self.EVENTS.items():
                with self.subTest(code):
                    self.check(box, self.MODULES + code, message)
            outcome = box.run(self.MODULES + "print(len(io.open(statistics.__file__).read()) > 0, len(os.listdir(os.path.dirname(json.__file__))) > 0)"
                              .replace("json.", "modules['json']."))
            self.assertEqual((outcome.text, outcome.result["error"]), ("True True\n", None))

    def test_a_library_that_is_imported_late_binds_its_functions(self):
        with sandbox.Session("data", sandbox.DATA_PRELOAD, policy=False) as box:
            outcome = box.run("import math\nif math.pi > 3:\n    from scipy import stats\nprint(stats.norm.cdf(0))", profile="data-science",
                              timeout_ms=20000)
            self.assertEqual((outcome.text, outcome.result["error"]), ("0.5\n", None))


class Ordinary(unittest.TestCase):
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
    PRINTED = {
        "callbacks": "[3. 1.] [[1.0], [1.0], [1.0]] [0.5]\n[[1.0], [0.135]]\n" + "[0.135]\n" * 4 + "[0.54+0.841j]\n[0.368, 0.368, 0.368]\n",
        "iterators": "[[0, 2, 4], [6, 8, 10]] 30\n",
        "pandas": "[nan, 1.5, 2.5] [1.0, 2.0, 3.0, 4.0]\n[1.5, 3.0] [1.0, 2.0] 1.0\n[3.0, 3.0, 6.0] [2.0]\n",
        "statistics": "0.99 0.98\n0.16 [2.0, 0.8]\n",
        "functions": "5 1 1 True\n",
    }

    # Of tests/data/ordinary: private names, and changes of what belongs to a library.
    OF_CORPUS = {
        "plain_python-40": "inner\n20 3 1 Low 8 1 1 2 1 3\n",
        "plain_python-41": "2 1.0 [1, 2] 2.0\n",
        "plain_python-42": "the mean True True\n",
        "buffers_and_arrays-15": "0.0\n1.0\n2.0\n",
        "tables-19": "[1.0, 3.0] 49 short ones\n",
    }

    def test_those_of_the_corpus(self):
        programs = {program.id: program for program in corpus.programs("ordinary")}
        with sandbox.Session(**ROOMY) as box:
            for name, expected in self.OF_CORPUS.items():
                with self.subTest(name):
                    outcome = box.run(programs[name].code.decode(), profile="visualization", timeout_ms=20000)
                    self.assertEqual((outcome.text, outcome.result["error"]), (expected, None))

    def test_they_print_what_they_should(self):
        with sandbox.Session(**ROOMY) as box:
            for name, code in self.PROGRAMS.items():
                with self.subTest(name):
                    outcome = box.run(code, profile="data-science", timeout_ms=20000)
                    self.assertEqual((outcome.text, outcome.result["error"]), (self.PRINTED[name], None))


if __name__ == "__main__":
    unittest.main()
