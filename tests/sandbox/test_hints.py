# SPDX-License-Identifier: GPL-3.0-or-later
"""Frequent mistakes, each with its hint."""
import functools
import unittest

import sandbox
from sandbox import DATA_PRELOAD, Curriculum

CURRICULUM = {"nodes": [{"node_id": "N%03d" % n, "title": "Title %d" % n, "components": []} for n in range(1, 6)],
              "relationships": []}
NODE = "n = {'node_id': 'N1', 'title': 'T', 'chapter_id': 1}\n"
COMPONENT = ("c = {'component_type': 'definition', 'parameters': {'term': 't', 'definition': 'd'}, 'order_index': 1}\n")
GRAPH = "import networkx as nx\ng = nx.DiGraph([('N001', 'N002'), ('N002', 'N003')])\n"
FRAME = "import pandas as pd\ndf = pd.DataFrame({'chapter': [1, 2], 'title': ['a', None]})\n"

# code | the exception's type | what the hint says
BARE = (
    (NODE + "n['titel']", "KeyError", ("the node n has the fields: node_id, title", "did you mean 'title'?", ".get('titel')")),
    (NODE + "n['components']", "KeyError", ('get_node_content(n["node_id"])',)),
    (COMPONENT + "c['term']", "KeyError", ("'term' is in c[\"parameters\"]",)),
    (COMPONENT + "c['parameters']['terms']", "KeyError", ("did you mean 'term'?",)),
    ("from code_helpers import *\nquery_graph('order')['ordr']", "KeyError", ("print(list(query_graph('order'))) shows its keys",)),
    (COMPONENT + "c['text']", "KeyError", ("its parameters are: term, definition",)),
    ("d = {}\nd['x']", "KeyError", ("d is empty",)),
    ("content = {'node_id': 'N1', 'components': []}\ncontent['parameters']", "KeyError", ('content["components"]',)),
    ("xs = [1, 2]\nxs[2]", "IndexError", ("xs has 2 items, from 0 to 1",)),
    ("xs = []\nxs[0]", "IndexError", ("xs is empty",)),
    ("t = None\nt.upper()", "AttributeError", ("may be None",)),
    ("t = None\nt > 1", "TypeError", ("None has no order",)),
    ("1 < None", "TypeError", ("None has no order",)),
    ("sorted(['a', None])", "TypeError", ("None has no order", "key=lambda n")),
    ("sorted([{'a': 1}, {'a': 0}])", "TypeError", ("say by what",)),
    ("sorted(['a', 1])", "TypeError", ("different types",)),
    ("t = None\nlen(t)", "TypeError", ("may be None",)),
    ("for x in None: pass", "TypeError", ("may be None",)),
    ("', '.join(['a', None])", "TypeError", ("may be None",)),
    ("', '.join(['a', 1])", "TypeError", ("str(x) for x in xs",)),
    ("{{'a': 1}}", "TypeError", ('node["node_id"]',)),
    ("d = {}\nd[[1]] = 2", "TypeError", ("tuple(xs)",)),
    ("xs = [{'a': 1}]\nxs['a']", "TypeError", ("it is a list: loop over it",)),
    ("xs = [1, 2]\nxs[len(xs) / 2]", "TypeError", ("//",)),
    ("for c in {'components': []}: c['type']", "TypeError", ("gives its keys",)),
    ("for c in {'components': []}: c.get('type')", "AttributeError", ("gives its keys",)),
    ("'a' + 1", "TypeError", ("f\"",)),
    ("1 + 'a'", "TypeError", ("int(x)",)),
    ("d = {'a': 1}\nd('a')", "TypeError", ("square brackets",)),
    ("import json\nd = {'a': 1}\njson.loads(d)", "TypeError", ("d is a dict already; leave json.loads away",)),
    ("import json\nt = ''\njson.loads(t)", "JSONDecodeError", ("t is empty",)),
    ("import json\njson.loads('plain words')", "JSONDecodeError", ("json.loads takes text of JSON",)),
    ("import json\njson.dumps({1, 2})", "TypeError", ("default=str",)),
    ("from code_helpers import *\nget_node_content(get_nodes()[0])", "TypeError", ('get_node_content(node["node_id"])',)),
    ("from code_helpers import *\nfor n in get_nodes():\n    get_node_content(n)", "TypeError", ('get_node_content(n["node_id"])',)),
    ("from code_helpers import *\nns = get_nodes()\nget_node_content(ns)", "TypeError", ("get_all_content()", "for n in ns")),
    ("from code_helpers import *\nget_nodes().titles", "AttributeError", ("loop over them",)),
    ("n = {'title': 1}\nn.title", "AttributeError", ('value["title"]',)),
    ("import statistics\nstatistics.mean([])", "StatisticsError", ("statistics.mean(xs) if xs else 0",)),
    ("import statistics\nstatistics.stdev([1])", "StatisticsError", ("len(xs) > 1",)),
    ("xs = []\nsum(xs) / len(xs)", "ZeroDivisionError", ("if xs else 0",)),
    ("max([])", "ValueError", ("default=0",)),
    ("a, b = [1, 2, 3]", "ValueError", ("items",)),
    ("int('x1')", "ValueError", ("not a number",)),
    ("[1].index(2)", "ValueError", ("if x in xs",)),
    ("next(iter([]))", "StopIteration", ("next(iterator, None)",)),
    ("d = {1: 2}\nfor k in d: d[k + 1] = 0", "RuntimeError", ("list(d)",)),
    ("'abc'.uper()", "AttributeError", ("did you mean .upper?",)),
    ("[1].push(2)", "AttributeError", ("loop over them",)),
    ("counter = 1\nprint(conter)", "NameError", ("did you mean counter?",)),
    ("x = 1\ndef f():\n    x += 1\nf()", "UnboundLocalError", ("pass it as an argument",)),
    ("plt.plot([1])", "NameError", ("import matplotlib.pyplot as plt",)),
)
LIBRARIES = (
    (FRAME + "df['chaptr']", "KeyError", ("the columns of df are: chapter, title", "did you mean 'chapter'?")),
    (FRAME + "df.groupby('chaptr').size()", "KeyError", ("did you mean 'chapter'?",)),
    (FRAME + "df.groupby('chapter')['titel'].count()", "KeyError", ("did you mean 'title'?",)),
    (FRAME + "df[['chapter', 'tit']]", "KeyError", ("the columns of df are",)),
    (FRAME + "df.sort_values('Title')", "KeyError", ("did you mean 'title'?",)),
    (FRAME + "df.chaptr", "AttributeError", ("did you mean 'chapter'?",)),
    (FRAME + "df.group_by('chapter')", "AttributeError", ("did you mean 'groupby'?",)),
    (FRAME + "if df['chapter'] > 1: pass", "ValueError", ("&", ".any()")),
    (FRAME + "df[df['chapter'] > 1 and df['title'] == 'a']", "ValueError", ("&",)),
    (FRAME + "df.merge(pd.DataFrame({'chapter': ['1']}), on='chapter')", "ValueError", ("astype(str)",)),
    (FRAME + "df.merge(pd.DataFrame({'x': [1]}))", "MergeError", ("left_on",)),
    (FRAME + "df.iloc[7]", "IndexError", ("len(df)",)),
    ("import pandas as pd\npd.DataFrame({'a': [1], 'b': [1, 2]})", "ValueError", ("differ in length",)),
    (FRAME + "df['title'].astype(float)", "ValueError", ("to_numeric",)),
    (FRAME + "df['n'] = [1, 2, 3]", "ValueError", ("differ in length",)),
    ("import numpy as np\nif np.array([1, 2]) > 1: pass", "ValueError", ("np.any",)),
    (GRAPH + "nx.shortest_path(g, 'N01', 'N003')", "NodeNotFound", ("g has the nodes: N001, N002, N003", "did you mean 'N001'?")),
    (GRAPH + "nx.descendants(g, 'X')", "NetworkXError", ("ask if n in g",)),
    (GRAPH + "list(g.successors('N01'))", "NetworkXError", ("g has the nodes",)),
    (GRAPH + "g.nodes['N004']", "KeyError", ("g has no node 'N004'", "did you mean")),
    (GRAPH + "g.nodes['N001']['title']", "KeyError", ("title",)),
    (GRAPH + "nx.shortest_path(g, 'N003', 'N001')", "NetworkXNoPath", ("nx.has_path",)),
    (GRAPH + "g.add_edge('N003', 'N001')\nlist(nx.topological_sort(g))", "NetworkXUnfeasible", ("query_graph", "cycles")),
    (GRAPH + "g.add_edge('N003', 'N001')\nnx.dag_longest_path(g)", "NetworkXUnfeasible", ("nx.find_cycle",)),
    (GRAPH + "list(nx.connected_components(g))", "NetworkXNotImplemented", ("to_undirected",)),
    (GRAPH + "nx.diameter(g.to_undirected().__class__([(1, 2), (3, 4)]))", "NetworkXError", ("connected part",)),
    (GRAPH + "g.add_node({'node_id': 'N1'})", "TypeError", ('node["node_id"]',)),
    (GRAPH + "nx.is_connected(nx.Graph())", "NetworkXPointlessConcept", ("no nodes",)),
)


class Hints(unittest.TestCase):
    def check(self, rows, run):
        for code, error_type, texts in rows:
            with self.subTest(code):
                outcome = run(code, Curriculum(data=CURRICULUM))
                self.assertEqual((outcome.status, outcome.result["error_type"]), ("error", error_type), outcome.result)
                told = outcome.result["error"].partition("\nHint: ")[2]
                for text in texts:
                    self.assertIn(text, told, outcome.result["error"])
                self.assertLess(len(told), 600)

    def test_plain_python_and_the_helpers(self):
        self.check(BARE, functools.partial(sandbox.run, policy=False))

    def test_libraries(self):
        self.check(LIBRARIES, functools.partial(sandbox.run, policy=False, kind="data", preload=DATA_PRELOAD, profile="data-science"))

    def test_a_timeout_says_how_far_it_came(self):
        code = "def f(n):\n    for k in range(10**9):\n        pass\nfor name in ('a', 'b'):\n    f(name)"
        outcome = sandbox.run(code, timeout_ms=300)
        self.assertRegex(outcome.result["error"], r"It had come to k = [0-9]+ \(line 2\)")
        outcome = sandbox.run("for i, n in enumerate([{'node_id': 'N7'}]):\n    while True: pass", timeout_ms=300)
        self.assertIn("i = 0 (line 1), n = the node N7 (line 1)", outcome.result["error"])

    def test_hostile_values_are_not_asked(self):
        for code in ("class D(dict):\n    def __iter__(self): raise SystemExit(9)\n    __len__ = get = __contains__ = __iter__\n"
                     "D()['x']", "class M(type):\n    def mro(cls): return [cls, Exception, BaseException, object]\n"
                     "    __mro__ = property(lambda c: 1 / 0)\nclass E(Exception, metaclass=M):\n    pass\nraise E('x')",
                     "class E(KeyError):\n    args = property(lambda self: 1 / 0)\nraise E('x')",
                     "class A:\n    __dict__ = property(lambda self: 1 / 0)\n    def __getattr__(self, name):\n        raise "
                     "AttributeError(name, name=name, obj=self)\nA().x"):
            with self.subTest(code):
                outcome = sandbox.run(code, policy=False)
                self.assertEqual((outcome.status, outcome.exit["exit_code"], outcome.stderr), ("error", 1, b""))


if __name__ == "__main__":
    unittest.main()
