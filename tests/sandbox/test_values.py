# SPDX-License-Identifier: GPL-3.0-or-later
"""The value of a run: which value is reported, how long values are cut, and how the cut is shown. And warnings."""
import functools
import unittest

import sandbox
from sandbox import DATA_PRELOAD

run = functools.partial(sandbox.run, policy=False)
run_data = functools.partial(run, kind="data", preload=DATA_PRELOAD, profile="data-science")


class Which(unittest.TestCase):
    def value(self, code):
        outcome = run(code)
        self.assertEqual((outcome.status, outcome.result["error"]), ("ok", None), outcome.result)
        return outcome.result["value"]

    def test_a_result_that_was_bound_counts(self):
        self.assertEqual(self.value("result = [1, 2]"), "[1, 2]")
        self.assertEqual(self.value("result = 7\nprint(result)"), "7")
        self.assertEqual(self.value("def f():\n    global result\n    result = 1\nf()"), "1")
        self.assertEqual(self.value("result = 0\nfor i in range(3):\n    result += i"), "3")

    def test_the_last_expression_goes_first(self):
        self.assertEqual(self.value("result = 1\n2"), "2")
        self.assertEqual(self.value("result = 1\n0"), "0")

    def test_which_of_the_two_it_is_is_said(self):
        for code, bound in (("result = 1", True), ("result = 1\n2", False), ("2", False), ("result = None", False), ("", False)):
            self.assertEqual(run(code).result["bound"], bound, code)

    def test_none_is_no_value(self):
        for code in ("result = None", "def f():\n    result = 1\nf()", "x = {'result': 1}", "result = 1\ndel result"):
            self.assertIsNone(self.value(code), code)

    def test_an_error_leaves_no_value(self):
        outcome = run("result = 1\n1 / 0")
        self.assertEqual((outcome.result["value"], outcome.result["error_type"]), (None, "ZeroDivisionError"))


class Plain(unittest.TestCase):
    def test_small_things_are_their_repr(self):
        code = ("from collections import Counter, defaultdict, deque, OrderedDict, namedtuple\nP = namedtuple('P', 'x')\n"
                "d = defaultdict(list); d['a'].append(1)\nr = [1]; r.append((2,))\n")
        for text in ("[1, 'a', None, 2.5]", "(1,)", "()", "set()", "frozenset()", "frozenset({1})", "{1, 2}", "{}", "[]",
                     "{'a': [1, {'b': (2, 3)}]}", "Counter('abb')", "d", "deque([1, 2], maxlen=3)", "P(1)",
                     "OrderedDict(a=1)", "range(3)", "{'a': 1}.keys()", "'text'", "b'x'", "1.5", "True", "r", "Counter()",
                     "[float('nan'), 1e300]", "deque()"):
            outcome = run(code + "print(repr(%s))\n%s" % (text, text))
            self.assertEqual(outcome.result["value"] + "\n", outcome.text, text)

    def test_long_ones_say_how_many_there_are(self):
        value = run("[{'node_id': 'N%05d' % n, 'title': 'A title'} for n in range(10000)]").result["value"]
        self.assertLess(len(value), 33000)
        self.assertRegex(value, r"more of 10,000\)\]$")
        self.assertTrue(value.startswith("[{'node_id': 'N00000', 'title': 'A title'}, "))
        value = run("{n: n * n for n in range(10 ** 5)}").result["value"]
        self.assertRegex(value, r"more of 100,000\)\}$")
        value = run("set(range(10 ** 5))").result["value"]
        self.assertRegex(value, r"^\{0, 1, .*more of 100,000\)\}$")

    def test_a_long_part_leaves_room_for_the_others(self):
        value = run("{'all': list(range(10 ** 5)), 'texts': ['x' * 10 ** 5], 'count': 3}").result["value"]
        self.assertIn("more of 100,000)]", value)
        self.assertRegex(value, r"xxx'\.\.\. \([0-9,]+ characters more\)")
        self.assertTrue(value.endswith("'count': 3}"), value[-80:])
        self.assertLess(len(value), 33000)

    def test_what_holds_itself_and_what_is_deep(self):
        self.assertEqual(run("a = [1]\na.append(a)\na").result["value"], "[1, ...]")
        outcome = run("a = []\nfor _ in range(100000):\n    a = [a]\na")
        self.assertEqual(outcome.status, "ok")
        self.assertIn("deeper than is shown", outcome.result["value"])
        outcome = run("a = ['lol']\nfor _ in range(30): a = [a] * 10\na")
        self.assertEqual(outcome.status, "ok")

    def test_the_codes_own_repr(self):
        own = "class A:\n    def __repr__(self):\n        %s\n"
        outcome = run(own % "raise ValueError('no')" + "{'x': [A()]}")
        self.assertEqual((outcome.status, outcome.result["error_type"]), ("error", "ValueError"))
        outcome = run(own % "return 7" + "[A()]")
        self.assertEqual((outcome.status, outcome.result["error_type"]), ("error", "TypeError"))
        outcome = run("class L(list):\n    def __repr__(self):\n        return 'mine'\n    __iter__ = __len__ = None\nL([1])")
        self.assertEqual(outcome.result["value"], "mine")
        outcome = run("x = []\nclass A:\n    def __repr__(self):\n        x.clear()\n        return 'A'\nx += [A(), 1, 2]\nx")
        self.assertEqual(outcome.status, "ok")
        outcome = run(own % "while True: pass" + "A()", timeout_ms=300)
        self.assertEqual(outcome.status, "timeout")


class Tables(unittest.TestCase):
    HEAD = "import pandas as pd, numpy as np, networkx as nx\n"

    def value(self, code, **fields):
        outcome = run_data(self.HEAD + code, **fields)
        self.assertEqual((outcome.status, outcome.result["error"], outcome.stderr), ("ok", None, b""), outcome.result)
        return outcome.result["value"]

    def test_frames(self):
        self.assertEqual(self.value("pd.DataFrame({'a': [1, 2], 'b': ['x', None]})"),
                         "DataFrame, 2 rows x 2 columns\n   a     b\n0  1     x\n1  2  None")
        value = self.value("pd.DataFrame({'c%d' % n: range(10000) for n in range(30)})")
        self.assertTrue(value.startswith("DataFrame, 10,000 rows x 30 columns\n"), value)
        self.assertRegex(value, r"\n\.\.\. and 9,980 rows, and 18 columns: c12, c13, ")
        self.assertEqual(value.count("\n"), 22)
        value = self.value("pd.DataFrame({'text': ['x' * 10 ** 6] * 3})")
        self.assertLess(len(value), 400)
        self.assertIn("Empty DataFrame", self.value("pd.DataFrame(columns=['a'])"))
        self.assertLess(len(self.value("pd.DataFrame([range(10000)])")), 2000)
        self.assertIn("1  2", self.value("pd.DataFrame({('a', 1): [1], ('a', 2): [2]})"))

    def test_series(self):
        self.assertEqual(self.value("pd.Series([3, 4], index=['x', 'y'], name='n')"),
                         "Series n, 2 values of int64\nx  3\ny  4")
        value = self.value("pd.Series(range(10000))")
        self.assertRegex(value, r"^Series, 10,000 values of int64\n0 +0\n[^.]*\n\.\.\. and 9,980 rows$")
        self.assertEqual(self.value("pd.Series([], dtype=float)"), "Series, 0 values of float64")

    def test_arrays(self):
        self.assertEqual(self.value("np.arange(4).reshape(2, 2)"), "array([[0, 1],\n       [2, 3]])")
        value = self.value("np.zeros((1000, 1000))")
        self.assertTrue(value.startswith("array of shape 1000 x 1000, float64\n[["), value)
        self.assertLess(len(value), 500)
        self.assertEqual(self.value("np.float64(2.5)"), "2.5")

    def test_graphs(self):
        value = self.value("g = nx.DiGraph()\ng.add_node('A', title='x' * 100, a=1, b=2, c=3, d=4)\n"
                           "g.add_edge('A', 'B', kind='LEADS_TO')\ng")
        lines = value.split("\n")
        self.assertEqual(lines[0], "DiGraph with 2 nodes and 1 edge")
        self.assertRegex(lines[1], r"^  'A'  title='x+.*, a=1, b=2, c=3, and 1 more$")
        self.assertEqual(lines[2:], ["  'B'", "  'A' -> 'B'  kind='LEADS_TO'"])
        value = self.value("nx.path_graph(1000)")
        self.assertIn("Graph with 1,000 nodes and 999 edges", value)
        self.assertIn("... and 990 more nodes", value)
        self.assertIn("... and 989 more edges", value)
        self.assertIn("MultiDiGraph with 1 node and 2 edges", self.value("nx.MultiDiGraph([(1, 1), (1, 1)])"))

    def test_what_a_table_holds_may_fail(self):
        own = "class A:\n    def __%s__(self):\n        raise ValueError('no')\n    __str__ = __repr__\n" % "repr"
        for code in ("pd.DataFrame({'a': [A()]})", "nx.path_graph(1).__class__([(A(), 1)])", "pd.Series([A()])"):
            outcome = run_data(self.HEAD + own + code)
            self.assertEqual((outcome.status, outcome.result["error_type"]), ("error", "ValueError"), code)

    def test_a_class_of_ones_own_speaks_for_itself(self):
        self.assertEqual(self.value("class F(pd.DataFrame):\n    def __repr__(self):\n        return 'mine'\nF({'a': [1]})"), "mine")


class Printed(unittest.TestCase):
    """What print() shows of a table; the value of a run is shortened further."""

    def lines(self, code):
        outcome = run_data("import pandas as pd\n" + code)
        self.assertEqual((outcome.status, outcome.stderr), ("ok", b""), outcome.result)
        return outcome.text.splitlines()

    def test_all_columns_stand_in_one_line(self):
        for code in ("print(%s)", "print(%s.T.describe().T)", "print(str(%s))"):
            head, *rows = self.lines(code % "pd.DataFrame([[10 ** 8] * 60] * 2, columns=['column_%d' % n for n in range(60)])")
            self.assertEqual(len(rows), 2, code)
        self.assertEqual(head.split(), ["column_%d" % n for n in range(60)])

    def test_some_hundred_rows_are_shown(self):
        for table in ("pd.DataFrame({'a': range(500)})", "pd.Series(range(500), name='a')"):
            rows = [line.split() for line in self.lines("print(%s)" % table) if line[:1].isdigit()]
            self.assertEqual(rows, [[str(n), str(n)] for n in range(500)])

    def test_longer_tables_show_both_ends_and_their_shape(self):
        lines = self.lines("print(pd.DataFrame({'a': range(10 ** 6)}))")
        self.assertEqual((len(lines), lines[-1]), (504, "[1000000 rows x 1 columns]"))
        self.assertEqual((lines[250].split(), lines[252].split()), (["249", "249"], ["999750", "999750"]))

    def test_a_sentence_is_whole_and_a_text_is_cut(self):
        sentence, text = self.lines("print(pd.Series(['x' * 199, 'y' * 2000]))")[:2]
        self.assertIn("x" * 199, sentence)
        self.assertRegex(text, r"^1 +y{150,199}\.\.\.$")

    def test_the_program_may_choose(self):
        lines = self.lines("pd.set_option('display.max_rows', 10, 'display.min_rows', 4)\nprint(pd.DataFrame({'a': range(20)}))")
        self.assertEqual(len(lines), 8)


class Warnings(unittest.TestCase):
    CODE = "import re\nre.compile('[[a]')\nprint(1)"

    def test_silent_unless_asked_for(self):
        outcome = run(self.CODE)
        self.assertEqual((outcome.text, outcome.stderr), ("1\n", b""))
        outcome = run(self.CODE, warnings=False)
        self.assertEqual(outcome.stderr, b"")

    def test_on_standard_error_when_asked_for(self):
        outcome = run(self.CODE, warnings=True)
        self.assertIn(b"<code>:2: FutureWarning: ", outcome.stderr)

    def test_those_of_libraries_likewise(self):
        code = "import numpy as np\nnp.array([1.0]) / 0\nprint(1)"
        self.assertEqual(run_data(code).stderr, b"")
        self.assertIn(b"<code>:2: RuntimeWarning: divide by zero", run_data(code, warnings=True).stderr)


if __name__ == "__main__":
    unittest.main()
