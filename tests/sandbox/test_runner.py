# SPDX-License-Identifier: GPL-3.0-or-later
"""The runner and the interpreter: what a job receives, its caps, its deadline, its end. Bare, and under bubblewrap."""
import functools
import json
import os
import pathlib
import select
import signal
import struct
import tempfile
import unittest

import sandbox
from sandbox import DATA_PRELOAD, JOB_HEAD, SESSION, Curriculum

# Most of what is asked here the policy refuses: what stands behind it is looked at.
Sandbox = functools.partial(sandbox.Sandbox, policy=False)
run = functools.partial(sandbox.run, policy=False)

CURRICULUM = {
    "nodes": [
        {"node_id": "N%03d" % number, "title": None if number == 3 else "Title %d" % number, "chapter_id": number,
         "components": [{"component_type": "paragraph", "order": place + 1, "parameters": {"text": "p%d" % place},
                         "confidence": 0.9} for place in range(number % 4)]}
        for number in range(1, 451)],
    "relationships": [
        {"id": 1, "from_node_id": "N001", "to_node_id": "N002", "relationship_type": "LEADS_TO", "explanation": "a"},
        {"id": 2, "from_node_id": "N001", "to_node_id": "N002", "relationship_type": "PREREQUISITE", "explanation": "b"},
        {"id": 3, "from_node_id": "N002", "to_node_id": "GONE", "relationship_type": "LEADS_TO", "explanation": "c"}],
}


class Answers(unittest.TestCase):
    """What a well-meant job gets back."""
    bwrap = False

    def run_code(self, code, **fields):
        return run(code, bwrap=self.bwrap, **fields)

    def test_output_value_and_end(self):
        outcome = self.run_code("print('hello')\nimport json\n{'a': [1, None]}")
        self.assertEqual((outcome.status, outcome.text), ("ok", "hello\n"))
        self.assertEqual(outcome.result, {"value": "{'a': [1, None]}", "bound": False, "error": None, "error_type": None, "line": None,
                                          "exit_code": 0, "disagreement": None})
        self.assertTrue(outcome.started)
        self.assertEqual((outcome.exit["exit_code"], outcome.exit["signal"], outcome.exit["stdout_bytes"]), (0, 0, 6))
        self.assertEqual((outcome.returncode, outcome.complaints), (0, ""))

    def test_no_value_where_there_is_none(self):
        for code in ("", "x = 1", "print(1)", "None", "def f():\n    pass"):
            self.assertIsNone(self.run_code(code).result["value"], code)

    def test_one_text_literal_is_a_value(self):
        """And not a docstring, which nobody would see."""
        for code, value in (('"a text"', "'a text'"), ('"""a text\nof two lines"""', "'a text\\nof two lines'"), ("f'{1 + 1}'", "'2'"),
                            ("b'x'", "b'x'"), ("'a' 'b'  # joined", "'ab'"), ("'first'\n'last'", "'last'")):
            self.assertEqual(self.run_code(code).result["value"], value, code)

    def test_future_annotations_reach_the_last_expression(self):
        outcome = self.run_code("from __future__ import annotations\n(lambda: 1)()")
        self.assertEqual(outcome.result["value"], "1")

    def test_session_is_set(self):
        code = "print(session_id, __name__)\nif __name__ == '__main__':\n    print('main')"
        self.assertEqual(self.run_code(code).text, SESSION + " __main__\nmain\n")
        self.assertEqual(self.run_code("print(session_id)", session_id=None).text, "None\n")

    def test_dataclasses_and_generics_find_their_module(self):
        code = ("from dataclasses import dataclass\nfrom typing import NamedTuple\n@dataclass\nclass A:\n    x: 'int'\n"
                "class B(NamedTuple):\n    y: int\nprint(A(1), B(2))")
        self.assertEqual(self.run_code(code).text, "A(x=1) B(y=2)\n")

    def test_text_outside_of_ascii_and_lone_surrogates(self):
        outcome = self.run_code("print('½ → 😀', '\\ud800')\n'é\\udfff\\0'")
        self.assertEqual(outcome.text, "½ → 😀 \\ud800\n")
        self.assertEqual((outcome.status, outcome.result["value"]), ("ok", "'é\\udfff\\x00'"))

    def test_standard_error_is_the_codes_own(self):
        outcome = self.run_code("import re\nre.compile('[[a]')\nprint(1)", warnings=True)
        self.assertEqual(outcome.text, "1\n")
        self.assertTrue(outcome.stderr.startswith(b"<code>:2: FutureWarning: "), outcome.stderr)

    def test_long_values_and_errors_are_cut(self):
        outcome = self.run_code("'\\x01' * 10**6")
        self.assertEqual(outcome.status, "ok")
        self.assertIn("characters more", outcome.result["value"])
        outcome = self.run_code("raise ValueError('\\x01' * 10**6)")
        self.assertEqual((outcome.status, outcome.result["error_type"]), ("error", "ValueError"))
        self.assertLess(len(outcome.result["error"]), 9000)

    def test_pandas_and_lazy_imports(self):
        code = ("import pandas as pd, networkx as nx, numpy as np\n"
                "g = nx.path_graph(4)\nprint(round(sum(nx.pagerank(g).values()), 6))\n"
                "s = pd.Series([1, 2, 3])\nprint(s.corr(s * 2, method='spearman'))\n"
                "print(pd.DataFrame({'a': [1]}).to_markdown())\nprint(pd.to_datetime('2024-05-01').day_name())\n"
                "print(pd.DataFrame({'a': [1, 2]}).query('a > 1').shape, np.linalg.det(np.eye(3)))\n"
                "from scipy import stats\nprint(stats.describe([1, 2, 3]).mean)")
        outcome = self.run_code(code, preload=DATA_PRELOAD, kind="data", profile="data-science")
        self.assertEqual((outcome.status, outcome.result["error"]), ("ok", None))
        self.assertEqual(outcome.text, "1.0\n1.0\n|    |   a |\n|---:|----:|\n|  0 |   1 |\nWednesday\n(1, 1) 1.0\n2.0\n")
        self.assertEqual(outcome.stderr, b"")

    def test_imports_do_not_count_as_running(self):
        seconds = []
        for preload in (["pandas"], []):
            with Sandbox(bwrap=self.bwrap) as box:
                outcome = box.run("import pandas\nprint(pandas.Series([1]).sum())", profile="data-science", preload=preload)
            self.assertEqual((outcome.status, outcome.text), ("ok", "1\n"))
            seconds.append(outcome.exit["seconds"])
        self.assertLess(seconds[0], seconds[1] / 2)

    def test_what_was_not_preloaded_is_imported_late(self):
        code = ("import pandas\nt = pandas.Timestamp('2024-05-01', tz='Europe/Berlin')\nprint(t.utcoffset())\n"
                "import datetime\nprint(datetime.datetime.strptime('17/05/24', '%d/%m/%y').date())")
        outcome = self.run_code(code, profile="data-science")
        self.assertEqual((outcome.text, outcome.result["error"]), ("2:00:00\n2024-05-17\n", None))


class AnswersUnderBubblewrap(Answers):
    bwrap = True


class Errors(unittest.TestCase):
    """Texts for who wrote the code."""

    def check(self, code, error_type, *texts, line=None, **fields):
        outcome = run(code, **fields)
        self.assertEqual((outcome.status, outcome.result["error_type"]), ("error", error_type), outcome.result)
        for text in texts:
            self.assertIn(text, outcome.result["error"])
        if line:
            self.assertEqual(outcome.result["line"], line)
        for path in ("/usr/", "/lib/", "/tmp/", str(sandbox.SHARE), "interpreter.py", "frozen"):
            self.assertNotIn(path, outcome.result["error"])
        self.assertNotIn(b"Traceback", outcome.stderr)
        return outcome

    def test_own_lines_only(self):
        outcome = self.check("import json\ndef f(x):\n    return json.loads(x)\nprint('before')\nf('{')",
                             "JSONDecodeError", 'File "<code>", line 5, in <module>', 'line 3, in f',
                             "return json.loads(x)", line=3)
        self.assertEqual(outcome.text, "before\n")
        self.assertEqual(outcome.exit["exit_code"], 1)

    def test_syntax(self):
        self.check("x = 1\ndef f(:\n    pass", "SyntaxError", "line 2", "def f(:", "^", line=2)
        self.check("if True:\nx = 1", "IndentationError", "line 2")
        self.check("return 1", "SyntaxError", "outside function")

    def test_key_of_a_component(self):
        code = ("c = {'component_type': 'definition', 'parameters': {'term': 't', 'definition': 'd'}, 'order_index': 1}\n"
                "print(c['term'])")
        self.check(code, "KeyError", "Hint:", "component", "parameters", line=2)
        self.check(code.replace("c['term']", "c['parameters']['text']"), "KeyError", "term, definition")

    def test_key_of_a_frame(self):
        self.check("import pandas as pd\nd = pd.DataFrame({'a': [1]})\nd['b']", "KeyError", "columns of d are: a",
                   profile="data-science", preload=DATA_PRELOAD)

    def test_none_and_attributes(self):
        self.check("t = None\nprint(t + 'x')", "TypeError", "Hint:", "None")
        self.check("n = {'title': 'x'}\nn.title", "AttributeError", 'value["title"]')
        self.check("get_nodes()", "NameError", "from code_helpers import get_nodes")

    def test_recursion(self):
        self.check("def f(n):\n    return f(n + 1)\nf(0)", "RecursionError", "Hint:", "repeated", line=2)

    def test_exits(self):
        outcome = run("import statistics\nraise SystemExit(3)")
        self.assertEqual((outcome.status, outcome.exit["exit_code"]), ("error", 3))
        self.assertIn("status 3", outcome.result["error"])
        outcome = run("print(1)\nraise SystemExit")
        self.assertEqual((outcome.status, outcome.text, outcome.result["error"]), ("ok", "1\n", None))
        outcome = run("raise SystemExit('so be it')")
        self.assertEqual((outcome.status, outcome.exit["exit_code"]), ("error", 1))
        self.assertIn("so be it", outcome.result["error"])
        outcome = run("raise SystemExit(256)")
        self.assertEqual((outcome.status, outcome.exit["exit_code"]), ("error", 1))

    def test_hostile_exceptions(self):
        self.check("class E(Exception):\n    def __str__(self):\n        raise E()\nraise E()", "E", "E")
        self.check("class E(BaseException):\n    pass\nraise E('out')", "E", "E: out")
        self.check("raise GeneratorExit", "GeneratorExit")
        self.check("class A:\n    def __repr__(self):\n        raise ValueError('no')\nA()", "ValueError", "no")
        outcome = run("raise type('A' * 10**6, (Exception,), {})('no')")
        self.assertEqual(outcome.status, "error")
        self.assertLess(len(outcome.result["error_type"]), 300)

    def test_hostile_exits(self):
        evil = "class E:\n    def __str__(self):\n        raise ValueError('no')\n"
        number = "class I(int):\n    def __and__(self, other):\n        raise ValueError('no')\n    __int__ = __eq__ = __and__\n"
        ending = "class S(SystemExit):\n    code = property(lambda self: 1 / 0)\n"
        for code, status in (("raise SystemExit(10**5000 + 7)", (10**5000 + 7) & 0xff), (evil + "raise SystemExit(E())", 1),
                             (number + "raise SystemExit(I(3))", 3), (ending + "raise S(4)", 4)):
            outcome = self.check(code, "SystemExit", "SystemExit: ")
            self.assertEqual((outcome.exit["exit_code"], outcome.stderr), (status, b""))

    def test_a_hostile_value(self):
        text = "class S(str):\n    def __len__(self):\n        %s\n    __getitem__ = __str__ = __len__\n" \
               "class R:\n    def __repr__(self):\n        return S('x' * 10**6)\nR()"
        for body in ("return 0", "raise KeyError('no')"):
            outcome = run(text % body)
            self.assertEqual((outcome.status, outcome.stderr), ("ok", b""))
            self.assertRegex(outcome.result["value"], r"^x{32768}\.\.\. \(967232 characters more\)$")

    def test_streams_taken_away(self):
        own = "import statistics\nsys = statistics.sys\n"
        interpreter = sandbox.interpreter_that_allows(self, guard=False)
        for code in ("del sys.stdout", "sys.stdout = None", "class O:\n    def flush(self):\n        raise SystemExit(5)\n"
                     "sys.stdout = sys.stderr = O()"):
            outcome = run(own + code + "\n7", interpreter=interpreter)
            self.assertEqual((outcome.status, outcome.result["value"], outcome.stderr), ("ok", "7", b""), code)

    def test_imports(self):
        for code, name in (("import os", "os"), ("import os.path", "os.path"), ("from os import path", "os"),
                           ("from statistics import sys", "statistics.sys"), ("from json import codecs", "json.codecs"),
                           ("__import__('subprocess')", "subprocess"), ("import json, socket", "socket")):
            self.check(code, "ImportError", "Import '%s' is not allowed" % name, "Allowed: ", "math")
        self.check("from . import x", "ImportError", "Relative imports")

    def test_a_module_that_is_not_installed(self):
        interpreter = sandbox.interpreter_that_allows(self, "surely_not_there")
        self.check("import surely_not_there", "ModuleNotFoundError", "surely_not_there is not installed",
                   "Installed:", "json", profile="visualization", interpreter=interpreter)
        with Sandbox(interpreter=interpreter) as box:
            outcome = box.run("try:\n    import surely_not_there\nexcept ImportError:\n    print('without')",
                              profile="visualization", preload=["surely_not_there"])
        self.assertEqual(outcome.text, "without\n")

    def test_refused_builtins(self):
        for name in ("open", "exec", "eval", "compile", "input", "breakpoint", "exit"):
            self.check("%s('1')" % name, "PermissionError", "%s() is not allowed" % name)


class Limits(unittest.TestCase):
    bwrap = False

    def run_code(self, code, **fields):
        return run(code, bwrap=self.bwrap, **fields)

    def test_caps_on_output(self):
        outcome = self.run_code("import json\nprint('x' * 1000)", stdout_cap=10)
        self.assertEqual((outcome.status, bytes(outcome.stdout)), ("ok", b"x" * 10))
        self.assertEqual((outcome.exit["stdout_bytes"], outcome.exit["stdout_cut"]), (1001, 991))
        outcome = self.run_code("print(1)", stdout_cap=0)
        self.assertEqual((bytes(outcome.stdout), outcome.exit["stdout_cut"]), (b"", 2))

    def test_head_tail_and_cut_add_up(self):
        whole = "".join("line %d\n" % n for n in range(3000)).encode()
        code = "for n in range(3000): print('line %d' % n)"
        for cap, tail in ((1000, 500), (0, 700), (1000, 0), (len(whole) - 300, 500), (len(whole), 500), (1, 16384)):
            with self.subTest(cap=cap, tail=tail):
                outcome = self.run_code(code, stdout_cap=cap, tail_cap=tail)
                cut = outcome.exit["stdout_cut"]
                self.assertEqual(bytes(outcome.stdout), whole[:cap])
                self.assertEqual(bytes(outcome.stdout_tail), whole[cap:][-tail:] if tail else b"")
                self.assertEqual(len(outcome.stdout) + len(outcome.stdout_tail) + cut, outcome.exit["stdout_bytes"])
                self.assertEqual(outcome.exit["stdout_bytes"], len(whole))
                self.assertEqual((outcome.stderr_tail, outcome.exit["stderr_cut"]), (b"", 0))

    def test_the_tail_of_standard_error(self):
        code = "import statistics\nerr = statistics.sys.stderr\nfor n in range(3000): print('word', n, file=err)\nprint('out')"
        outcome = self.run_code(code, stderr_cap=9, tail_cap=10)
        self.assertEqual((outcome.status, bytes(outcome.stderr), bytes(outcome.stderr_tail), outcome.text),
                         ("ok", b"word 0\nwo", b"word 2999\n", "out\n"))
        self.assertEqual((outcome.stdout_tail, outcome.exit["stdout_cut"]), (b"", 0))

    def test_the_tail_of_a_run_that_was_ended(self):
        for code, fields, status in (("while True: print('y' * 999)", {"output_limit": 1 << 20}, "output"),
                                     ("print('y' * 10**5)\nwhile True: pass", {"timeout_ms": 300}, "timeout")):
            outcome = self.run_code(code, stdout_cap=1000, tail_cap=5000, **fields)
            self.assertEqual((outcome.status, len(outcome.stdout), len(outcome.stdout_tail)), (status, 1000, 5000))
            self.assertEqual(outcome.exit["stdout_cut"], outcome.exit["stdout_bytes"] - 6000)

    def test_flood(self):
        for code in ("while True: print('y' * 1000)", "while True: print('z' * 10**6)"):
            outcome = self.run_code(code, output_limit=1 << 20)
            self.assertEqual((outcome.status, len(outcome.stdout)), ("output", 65536))
            self.assertGreater(outcome.exit["stdout_bytes"], 1 << 20)
            self.assertLess(len(outcome.raw), 80000)

    def test_small_writes_travel_together(self):
        with Sandbox(bwrap=self.bwrap) as box:
            box.send_job("for i in range(20000): print(i)")
            frames = 0
            while box.receive(20)[0] != "x":
                frames += 1
        self.assertLess(frames, 2000)

    def test_deadline(self):
        for code, line in (("print('so far')\nwhile True: pass", 2), ("import time\nprint('so far')\ntime.sleep(60)", 3),
                           ("print('so far')\nwhile True:\n    try:\n        while True: pass\n    except: pass", 4)):
            outcome = self.run_code(code, timeout_ms=300)
            self.assertEqual((outcome.status, outcome.text), ("timeout", "so far\n"))
            self.assertEqual((outcome.result["error_type"], outcome.result["line"]), ("TimeoutError", line))
            self.assertIn("0.3 s", outcome.result["error"])
            self.assertTrue(0.25 < outcome.exit["seconds"] < 60, outcome.exit)

    def test_deadline_in_native_code(self):
        outcome = self.run_code("import itertools\nprint('so far')\nsum(itertools.repeat(1))", timeout_ms=300)
        self.assertEqual((outcome.status, outcome.text, outcome.exit["signal"]), ("timeout", "so far\n", 9))

    def test_memory(self):
        for code in ("a = []\nwhile True: a.append(bytes(10**6))", "x = 'x' * 10**10", "b = bytearray(10**9)",
                     "a = ['lol']\nfor _ in range(30): a = [a] * 10\nprint(str(a)[:10])"):
            outcome = self.run_code("print('so far')\n" + code, memory_mb=128)
            self.assertIn(outcome.status, ("memory", "timeout"), code)
            self.assertEqual(outcome.text, "so far\n")
        outcome = self.run_code("x = 1\ny = [0] * 10**9")
        self.assertEqual((outcome.status, outcome.result["error_type"], outcome.result["line"]),
                         ("memory", "MemoryError", 2))
        self.assertIn("256 MB", outcome.result["error"])

    def test_memory_full_of_small_things(self):
        for code in ("x = []\nwhile True: x.append((1, 2, object()))", "a = None\nwhile True: a = [a]",
                     "def f():\n    a = None\n    while True: a = {1: a}\nf()"):
            outcome = self.run_code(code, memory_mb=200, seconds=120, timeout_ms=60000)  # memory is to end it, not time
            self.assertEqual((outcome.status, outcome.result.get("error_type"), outcome.stderr),
                             ("memory", "MemoryError", b""), code)

    def test_the_next_run_is_unharmed(self):
        self.assertEqual(self.run_code("a = []\nwhile True: a.append(bytes(10**6))").status, "memory")
        self.assertEqual(self.run_code("print(1)").text, "1\n")


class LimitsUnderBubblewrap(Limits):
    bwrap = True


class Helpers(unittest.TestCase):
    def run_code(self, code, data=None, **fields):
        self.curriculum = Curriculum(data=data or CURRICULUM)
        return run("from code_helpers import *\n" + code, self.curriculum, **fields)

    def test_lists(self):
        outcome = self.run_code("n = get_nodes(session_id)\nprint(len(n), n[0]['node_id'], len(get_relationships()))")
        self.assertEqual((outcome.text, outcome.result["error"]), ("450 N001 3\n", None))

    def test_content(self):
        outcome = self.run_code("import json\nprint(json.dumps(get_node_content('N002')))")
        content = json.loads(outcome.text)
        self.assertEqual((content["node_id"], content["title"], len(content["components"])), ("N002", "Title 2", 2))
        part = content["components"][1]
        self.assertEqual((part["component_type"], part["type"], part["order"], part["order_index"], part["confidence"]),
                         ("paragraph", "paragraph", 2, 2, 0.9))
        self.assertEqual(part["parameters"], {"text": "p1"})

    def test_all_contents_one_by_one_come_in_bulk(self):
        outcome = self.run_code("print(sum(len(get_node_content(n['node_id'])['components']) for n in get_nodes()))\n"
                                "print(sum(len(c['components']) for c in get_all_content()))")
        count = sum(len(node["components"]) for node in CURRICULUM["nodes"])
        self.assertEqual(outcome.text, "%d\n%d\n" % (count, count))
        self.assertLess(outcome.requests, 16)

    def test_what_is_returned_is_the_callers(self):
        outcome = self.run_code(
            "a = get_nodes(); a[0]['title'] = 'changed'; a.clear()\nprint(get_nodes()[0]['title'])\n"
            "for _ in range(12):\n    c = get_node_content('N002')\n    assert len(c['components']) == 2\n"
            "    c['components'].clear()\n"
            "r = get_relationships(); r[0]['explanation'] = 'changed'\nprint(get_relationships()[0]['explanation'])")
        self.assertEqual((outcome.text, outcome.result["error"]), ("Title 1\na\n", None))

    def test_graph(self):
        code = ("g = analyze_graph(session_id)\nprint(type(g).__name__, len(g), g.number_of_edges())\n"
                "print(g.nodes['N002']['title'], g.edges['N001', 'N002']['relationship_type'])\n"
                "g.clear()\nprint(len(analyze_graph()))")
        outcome = self.run_code(code, profile="data-science", preload=DATA_PRELOAD)
        self.assertEqual(outcome.text, "DiGraph 450 1\nTitle 2 PREREQUISITE\n450\n")

    def test_other_sessions_are_refused(self):
        for given in ("'11111111-1111-1111-1111-111111111111'", "'../' + session_id", "''"):
            outcome = self.run_code("get_nodes(%s)" % given)
            self.assertEqual(outcome.result["error_type"], "PermissionError")
            self.assertIn("not this run's session", outcome.result["error"])
            self.assertEqual(self.curriculum.asked, [])
        lie = ("class S(str):\n    def __eq__(self, other): return True\n    def __hash__(self): return 1\n"
               "get_nodes(S('44444444-4444-4444-4444-444444444444'))")
        self.assertEqual(self.run_code(lie).result["error_type"], "PermissionError")
        self.assertEqual(self.run_code("get_nodes(7)").result["error_type"], "TypeError")

    def test_what_also_names(self):
        other = "44444444-4444-4444-4444-444444444444"
        data = {"nodes": [{"node_id": "N001", "title": "t", "components": []}], "relationships": []}
        for given in ("Maps", other):
            outcome = self.run_code("try:\n    get_nodes(%r)\nexcept RuntimeError as error:\n    print(error)" % given, data,
                                    also={"Maps": other, other: other})
            self.assertIn("status 403", outcome.text)  # the server's decision
            self.assertEqual(self.curriculum.asked, ["/session/%s/nodes" % other])
        outcome = self.run_code("print(get_nodes()[0]['title'])\nget_nodes('maps')", data, also={"Maps": other})
        self.assertEqual((outcome.text, outcome.result["error_type"]), ("t\n", "PermissionError"))
        self.assertIn("named there: Maps", outcome.result["error"])

    def test_unknown_nodes(self):
        for given in ("'NOPE'", "'N001/../../x'", "'..'", "'N001?session_id=x'", "'N001#x'", "'ä%2F'", "''"):
            outcome = self.run_code("get_node_content(%s)" % given)
            self.assertEqual(outcome.result["error_type"], "ValueError", given)
        self.assertIn("no node NOPE in this session", self.run_code("get_node_content('NOPE')").result["error"])
        self.assertEqual(self.run_code("get_node_content('\\ud800')").result["error_type"], "ValueError")
        self.assertEqual(self.run_code("get_node_content(None)").result["error_type"], "TypeError")
        after_bulk = "for i in range(1, 20): get_node_content('N%03d' % i)\nget_node_content('NOPE')"
        self.assertEqual(self.run_code(after_bulk).result["error_type"], "ValueError")

    def test_odd_node_ids_are_reached(self):
        data = {"nodes": [{"node_id": name, "title": name, "components": []} for name in ("..", "a/b", "ü?#", "%41")],
                "relationships": []}
        outcome = self.run_code("for n in get_nodes(): print(get_node_content(n['node_id'])['title'])", data)
        self.assertEqual(outcome.text, "..\na/b\nü?#\n%41\n")

    def test_without_a_session(self):
        outcome = self.run_code("get_nodes()", session_id=None)
        self.assertEqual(outcome.result["error_type"], "RuntimeError")
        self.assertIn("no session", outcome.result["error"])

    def test_a_large_answer(self):
        data = dict(CURRICULUM, nodes=[{"node_id": "N1", "title": "x" * (12 << 20), "components": []}])
        outcome = self.run_code("print(len(get_nodes()[0]['title']))", data)
        self.assertEqual((outcome.text, outcome.result["error"]), ("%d\n" % (12 << 20), None))
        data = dict(CURRICULUM, nodes=[dict(CURRICULUM["nodes"][1], node_id="N%d" % i, raw_content="y" * 1000)
                                       for i in range(12000)])
        outcome = self.run_code("print(sum(len(n['raw_content']) for n in get_nodes()))", data)
        self.assertEqual((outcome.text, outcome.result["error"]), ("12000000\n", None))

    def test_errors_of_the_server_are_told(self):
        class Broken(Curriculum):
            def answer(self, target):
                return 500, {"detail": "the store is gone"}
        outcome = run("from code_helpers import get_nodes\nget_nodes()", Broken(data=CURRICULUM))
        self.assertIn("status 500): the store is gone", outcome.result["error"])

    def test_a_busy_server_is_asked_again(self):
        class Busy(Curriculum):
            def answer(self, target):
                done = super().answer(target)
                return done if len(self.asked) > 2 else (503, {"detail": "busy"})
        outcome = run("from code_helpers import get_nodes\nprint(len(get_nodes()))", Busy(data=CURRICULUM))
        self.assertEqual(outcome.text, "450\n")

    def test_nothing_else_is_in_the_module(self):
        outcome = run("import code_helpers\nprint(sorted(n for n in vars(code_helpers) if n[:2] != '__'))",
                      interpreter=sandbox.interpreter_that_allows(self, guard=False))
        self.assertEqual(outcome.text, "['analyze_graph', 'find', 'get_all_content', 'get_node_content', 'get_nodes', "
                                       "'get_relationships', 'query_graph']\n")

    def test_each_list_is_read_once(self):
        outcome = self.run_code("for _ in range(3): get_nodes(), get_relationships(), get_all_content()")
        self.assertIsNone(outcome.result["error"])
        self.assertEqual(len(self.curriculum.asked), len(set(self.curriculum.asked)))
        self.assertEqual(sum("/components" in target for target in self.curriculum.asked), 3)  # pages of 200 nodes of 450

    def test_every_content_is_the_callers_own(self):
        """However it was come by: parsed, unpacked, of a page read before, or one by one."""
        outcome = self.run_code(
            "ids = [n['node_id'] for n in get_nodes()]\nfull = get_all_content()\n"
            "for entry in get_all_content(): entry['components'].clear(); entry['title'] = None\n"
            "for _ in range(3):\n    for i, node_id in enumerate(ids):\n        c = get_node_content(node_id)\n"
            "        assert c == full[i], (c, full[i])\n        c['components'].clear(); c['title'] = 'changed'\n"
            "print(get_all_content() == full)")
        self.assertEqual((outcome.text, outcome.result["error"]), ("True\n", None))
        self.assertLess(outcome.requests, 10)

    def test_missing_names_are_completed(self):
        class Short(Curriculum):
            @staticmethod
            def content(node):
                return {"node_id": node["node_id"], "title": node["title"],
                        "components": [{"type": "paragraph", "order": 1}]}
        outcome = run("from code_helpers import *\nprint(sorted(get_all_content()[0]['components'][0].items(), key=str))",
                      Short(data=CURRICULUM))
        self.assertEqual(outcome.text, "[('component_type', 'paragraph'), ('confidence', None), ('order', 1), "
                                       "('order_index', 1), ('parameters', {}), ('type', 'paragraph')]\n")

    def test_query_graph(self):
        outcome = self.run_code("import json\nprint(json.dumps(query_graph('needs', node_id='N0 ä&x=1', types=['A', 'B&'], "
                                "limit=3)))\nprint(query_graph('order', types='all')['asked'])")
        self.assertIsNone(outcome.result["error"])
        first, second = outcome.text.splitlines()
        self.assertEqual(json.loads(first)["asked"], {"node_id": ["N0 ä&x=1"], "types": ["A", "B&"], "limit": ["3"]})
        self.assertEqual(second, "{'types': ['all']}")

    def test_query_graph_is_asked_once_and_given_anew(self):
        outcome = self.run_code("for _ in range(3):\n    a = query_graph('order')\n    assert a['nodes'] == ['N001']\n"
                                "    a['nodes'].clear()\nquery_graph('order', limit=1)")
        self.assertIsNone(outcome.result["error"])
        self.assertEqual([target.split("/graph")[1] for target in self.curriculum.asked], ["/order", "/order?limit=1"])

    def test_query_graph_refuses_with_advice(self):
        for call, kind, text in (
                ("query_graph('oder')", "ValueError", "did you mean 'order'? The queries: order, needs."),
                ("query_graph('')", "ValueError", "say which query: order, needs"),
                ("query_graph('../nodes')", "ValueError", "there is no query"),
                ("query_graph('needs')", "ValueError", "the graph query needs takes node_id"),
                ("query_graph(7)", "TypeError", "query must be text"),
                ("query_graph('needs', 7)", "TypeError", "node_id must be text, not int"),
                ("query_graph('order', types=[7])", "TypeError", "types must be text"),
                ("query_graph('order', limit=0)", "ValueError", "from 1 on"),
                ("query_graph('order', limit=True)", "ValueError", "from 1 on"),
                ("query_graph('order', limit='3')", "ValueError", "from 1 on"),
                ("query_graph('needs', '\\ud800')", "ValueError", "not valid text")):
            outcome = self.run_code(call)
            self.assertEqual(outcome.result["error_type"], kind, call)
            self.assertIn(text, outcome.result["error"])

    def test_refusals_for_size_and_number_say_what_to_do(self):
        for status, text in ((403, "read less often"), (413, "ask for less at once"), (429, "again in a moment"),
                             (503, "again in a moment"), (504, "given up: ask for less")):
            class Capped(Curriculum):
                def answer(self, target):
                    return status, {"detail": "given up: ask for less"}
            outcome = run("from code_helpers import *\nquery_graph('order')", Capped(data=CURRICULUM))
            self.assertEqual(outcome.result["error_type"], "RuntimeError")
            self.assertIn("status %d" % status, outcome.result["error"])
            self.assertIn(text, outcome.result["error"])


# Stands in for interpreter.py: warms up as told, then says to the runner what no honest interpreter would.
LIAR = """
import os, struct, sys
def send(kind, payload=b"", count=None):
    os.write(3, struct.pack(">B3xI", ord(kind), len(payload) if count is None else count) + payload)
def receive():
    head = os.read(3, 8)
    need = struct.unpack(">B3xI", head)[1]
    while need > 0:
        need -= len(os.read(3, need))
send("R", b"3")
receive()
"""


class Judgement(unittest.TestCase):
    """The policy inside, which the others here do without."""

    def judge(self, code, **fields):
        outcome = sandbox.run("print('ran')\n" + code, **fields)
        refused = outcome.result["disagreement"]
        self.assertEqual((outcome.status, outcome.text), ("error", "") if refused else ("ok", "ran\n"), outcome.result)
        return refused and (refused["code"], refused["line"])

    def test_what_is_allowed_runs(self):
        self.assertIsNone(self.judge("import json\njson.dumps([1])\nif __name__ == '__main__':\n    pass"))

    def test_what_is_refused_does_not(self):
        for code, why in {"().__class__": "dunder", "open('x')": "forbidden-name", "import os": "import-not-allowed",
                          "import json\nx = json": "module-as-value", "import json\njson.codecs": "module-attribute",
                          "import json\njson.x = 1": "module-attribute", "x.mro": "forbidden-attribute",
                          "'{0.__class__}'.format(1)": "name-by-text", "x.to_csv('y')": "file-method",
                          "x.query(y)": "text-method", "from json import *": "import-star"}.items():
            with self.subTest(code):
                self.assertEqual(self.judge(code), (why, 2 + code.count("\n")))

    def test_the_profile_counts(self):
        code = "import numpy"
        self.assertEqual(self.judge(code, profile="minimal"), ("import-not-allowed", 2))
        self.assertIsNone(self.judge(code, profile="data-science", kind="data", preload=DATA_PRELOAD))
        self.assertEqual(self.judge("1", profile="none"), ("unknown-profile", 0))

    def test_what_is_no_python(self):
        for code in ("x = (", "x = 5 = y", "(" * 201 + ")" * 201, "x = " + "-" * 5000 + "1"):
            with self.subTest(code[:20]):
                outcome = sandbox.run(code)
                self.assertEqual(outcome.result["disagreement"]["code"], "syntax")
                self.assertIn(outcome.result["error_type"], ("SyntaxError", "MemoryError", "RecursionError"))
        self.assertIn("was never closed", sandbox.run("x = (").result["error"])

    def test_deep_and_wide_trees(self):
        for code in ("x = " + "+".join("1" * 900), "x = " + "not " * 900 + "1", "x = [" + "1," * 20000 + "]",
                     "x = 1\n" + "".join(" " * n + "if x:\n" for n in range(99)) + " " * 99 + "pass"):
            with self.subTest(code[:20]):
                self.assertIsNone(self.judge(code))

    def test_no_job_without_a_profile(self):
        with sandbox.Sandbox() as box:
            outcome = box.run("print(1)", profile=None)
        self.assertEqual((outcome.result["disagreement"]["code"], outcome.text), ("unknown-profile", ""))


class Breaches(unittest.TestCase):
    """Frames that do not belong, from either side."""

    def lie(self, code, **fields):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "liar.py"
            path.write_text(LIAR + code)
            return run("print(1)", interpreter=path, **fields)

    def test_a_lying_interpreter(self):
        result = '{"value": "v", "error": null, "error_type": null, "line": null}'
        cases = {
            "an unknown type": "send('z')",
            "a frame of the server's": "send('J', b'{}')",
            "a frame of the runner's": "send('x', b'{}')",
            "a length beyond the cap": "send('v', b'', 1 << 30)",
            "a request before the start": "send('q', b'\\0\\0\\0\\1GET /x')",
            "a request that is no GET": "send('S'); send('q', b'\\0\\0\\0\\1PUT /x')",
            "a request with a line end": "send('S'); send('q', b'\\0\\0\\0\\1GET /x\\r\\nX: y')",
            "two requests at once": "send('S'); os.write(3, b'q\\0\\0\\0\\0\\0\\0\\x0a\\0\\0\\0\\1GET /x' + b'q\\0\\0\\0\\0\\0\\0\\x0a\\0\\0\\0\\2GET /x')",
            "an answer to no ping": "send('P')",
            "two starts": "send('S'); send('S')",
            "code that runs before the start": "send('C')",
            "code that runs twice": "send('S'); send('C'); send('C')",
            "ready again": "send('R', b'3')",
            "a result that is no JSON": "send('S'); send('v', b'{]')",
            "a result that is no object": "send('S'); send('v', b'[1, 2]')",
            "reserved bytes": "os.write(3, b'S\\1\\0\\0\\0\\0\\0\\0')",
            "silence": "os._exit(0)",
            "half a frame": "os.write(3, b'S\\0'); os._exit(0)",
            "a closed socket": "os.close(3)\nimport time\ntime.sleep(60)",
        }
        for name, code in cases.items():
            with self.subTest(name):
                outcome = self.lie(code + "\nimport time\ntime.sleep(60)")
                self.assertEqual(outcome.status, "crash")
                self.assertFalse(isinstance(outcome.result, dict) and outcome.result)
                self.assertLess(outcome.seconds, 60)
        with self.subTest("a second result is not taken"):
            outcome = self.lie("send('S'); send('v', b'%s'); send('v', b'%s')" % (result, result.replace("v", "w")))
            self.assertIn(outcome.status, ("ok", "crash"))
            self.assertEqual(outcome.result.get("value"), "v")

    def test_the_end_says_whether_code_ran(self):
        """A disagreement is believed only where none has."""
        for frames, ran in (("send('v', b'{}')", False), ("send('S'); send('v', b'{}')", False),
                            ("send('S'); send('C'); send('v', b'{}')", True), ("send('S'); send('C'); os._exit(0)", True)):
            self.assertIs(self.lie(frames).exit["ran"], ran, frames)
        self.assertIs(sandbox.run("x = (").exit["ran"], False)
        self.assertIs(sandbox.run("1").exit["ran"], True)

    def test_a_result_is_passed_on_unread(self):
        """What it says is for the server to judge (unit.frames); the runner's own word says no more than that there is one."""
        for text in ('{"value": 7, "error": [], "line": "x", "more": 1}', '{"exit_code": 3}', "{]", "[7]"):
            with self.subTest(text):
                outcome = self.lie("send('S'); send('v', b'%s')" % text)
                self.assertIn(text.encode(), bytes(outcome.raw))
                self.assertIn(b'"status":"ok"', bytes(outcome.raw))

    def test_an_interpreter_that_does_not_end(self):
        outcome = self.lie("send('S'); send('v', b'{}')\nimport time\ntime.sleep(60)")
        self.assertEqual(outcome.status, "ok")
        self.assertLess(outcome.seconds, 60)

    def test_an_interpreter_that_does_not_read_its_answer(self):
        class Large(Curriculum):
            def answer(self, target):
                return 200, b"x" * (8 << 20)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "liar.py"
            path.write_text(LIAR + "send('S'); send('q', b'\\0\\0\\0\\1GET /x')\nimport time\ntime.sleep(60)")
            with Sandbox(interpreter=path) as box:
                box.send_job("1", timeout_ms=500)
                os.set_blocking(box.process.stdin.fileno(), False)
                while box.receive(10)[0] != "q":
                    pass
                body = sandbox.HEAD.pack(ord("A"), (8 << 20) + 6) + struct.pack(">IH", 1, 200) + b"x" * (8 << 20)
                self.assertLess(os.write(box.process.stdin.fileno(), body), 8 << 20)
                self.assertEqual(box.follow().status, "timeout")

    def test_a_server_that_errs(self):
        job = JOB_HEAD.pack(1000, 1, 1, 1, 1) + json.dumps({"code": "1", "session_id": None, "timeout_ms": 1000, "preload": [],
                                                            "profile": "minimal", "warnings": False}).encode()
        cases = {
            "an unknown type": sandbox.HEAD.pack(ord("z"), 0),
            "a runner's type": sandbox.HEAD.pack(ord("x"), 2) + b"{}",
            "a job beyond the cap": sandbox.HEAD.pack(ord("J"), (1 << 20) + 1),
            "a job without its limits": sandbox.HEAD.pack(ord("J"), 2) + b"{}",
            "an answer to nothing": sandbox.HEAD.pack(ord("A"), 6) + b"\0\0\0\1\0\0",
            "a ping with a payload": sandbox.HEAD.pack(ord("p"), 1) + b"x",
            "two jobs": 2 * (sandbox.HEAD.pack(ord("J"), len(job)) + job),
        }
        for place in range(5):
            for wrong in ((1 << 32) - 1, 0) if place in (0, 4) else ((1 << 32) - 1,):
                limits = [wrong if place == i else 1 for i in range(5)]
                data = JOB_HEAD.pack(*limits) + b"{}"
                cases["a job whose limit %d is %d" % (place, wrong)] = sandbox.HEAD.pack(ord("J"), len(data)) + data
        for name, data in cases.items():
            with self.subTest(name), Sandbox() as box:
                box.process.stdin.write(data)
                self.assertEqual(box.process.wait(sandbox.END_SECONDS), 1)
                self.assertTrue(box.stop().startswith("runner: "))

    def test_a_job_that_the_interpreter_cannot_read(self):
        for text in (b"{]", b"{}", b'{"code": {"no": 1}}'):
            with self.subTest(text), Sandbox() as box:
                box.send("J", JOB_HEAD.pack(1000, 1, 1, 1, 1) + text)
                self.assertEqual(box.follow().status, "crash")

    def test_ping(self):
        with Sandbox() as box:
            for _ in range(3):
                box.send("p")
                self.assertEqual(box.receive(5), ("P", b""))
            self.assertEqual(box.run("print(1)").text, "1\n")

    def test_a_ping_that_a_job_follows_at_once(self):
        with Sandbox() as box:
            box.send("p")
            box.send_job("print(1)")
            self.assertEqual(box.receive(5), ("P", b""))
            self.assertEqual(box.follow().text, "1\n")

    def test_a_ping_is_answered_by_the_interpreter(self):
        with Sandbox() as box:
            pid = sandbox.children_of(box.process.pid)[-1]
            os.kill(pid, signal.SIGSTOP)
            box.send("p")
            self.assertEqual(select.select([box.process.stdout], [], [], 0.5)[0], [])
            os.kill(pid, signal.SIGCONT)
            self.assertEqual(box.receive(5), ("P", b""))
            os.kill(pid, signal.SIGKILL)
            self.assertEqual(box.process.wait(sandbox.END_SECONDS), 1)
            self.assertIn("Python ended", box.stop())

    def test_pings_out_of_turn(self):
        with Sandbox() as box:
            os.kill(sandbox.children_of(box.process.pid)[-1], signal.SIGSTOP)
            box.send("p")
            box.send("p")
            self.assertEqual(box.process.wait(sandbox.END_SECONDS), 1)
            self.assertIn("a ping before the answer", box.stop())
        with Sandbox() as box:
            box.send_job("print(1)\nwhile True: pass")
            while box.receive(10)[0] != "o":
                pass
            box.send("p")
            self.assertEqual(box.process.wait(sandbox.END_SECONDS), 1)
            self.assertIn("a ping where none waits", box.stop())

    def test_an_answer_to_no_ping(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "liar.py"
            path.write_text(LIAR.replace("receive()\n", "send('P')\nreceive()\n"))
            with Sandbox(interpreter=path, ready=False) as box:
                self.assertEqual(box.process.wait(sandbox.END_SECONDS), 1)
                self.assertIn("an answer to no ping", box.stop())

    def test_a_job_may_come_before_ready(self):
        with Sandbox(ready=False) as box:
            box.send_job("print(1)")
            self.assertEqual(box.receive(30)[0], "R")
            self.assertEqual(box.follow().text, "1\n")


class Ends(unittest.TestCase):
    """No run leaves anything behind."""

    def check_gone(self, box, pids):
        for pid in pids:
            sandbox.wait_until_gone(pid)
        box.stop()

    def start(self, bwrap, code=None):
        box = Sandbox(bwrap=bwrap)
        self.addCleanup(box.__exit__)
        if code:
            box.send_job(code)
            while box.receive(10)[0] != "o":
                pass
        pids = [box.process.pid, *sandbox.children_of(box.process.pid)]
        self.assertGreaterEqual(len(pids), 2)
        return box, pids

    def test_hanging_up(self):
        for bwrap in (False, True):
            for code in (None, "print(1)\nwhile True: pass", "print(1)\nimport time\ntime.sleep(60)",
                         "print(1)\nwhile True: print('x' * 10000)"):
                with self.subTest(bwrap=bwrap, code=code):
                    box, pids = self.start(bwrap, code)
                    box.process.stdin.close()
                    self.check_gone(box, pids)

    def test_the_runner_is_killed(self):
        for bwrap in (False, True):
            with self.subTest(bwrap=bwrap):
                box, pids = self.start(bwrap, "print(1)\nwhile True: pass")
                sandbox.kill(box.process.pid)
                self.check_gone(box, pids)

    def test_a_server_that_does_not_read(self):
        box, pids = self.start(False)
        box.send_job("while True: print('x' * 10000)", stdout_cap=1 << 30, output_limit=1 << 30, timeout_ms=500)
        sandbox.wait_until_gone(pids[1])  # by its deadline: it reads nothing more, and does not end by itself
        self.check_gone(box, pids)

    def test_termination_by_signal(self):
        box, pids = self.start(False, "print(1)\nwhile True: pass")
        box.process.terminate()
        self.assertEqual(box.follow().status, "cancelled")
        self.check_gone(box, pids)

    def test_usage(self):
        for words in (["--nonsense", "x"], ["--memory-mb", "12x"], ["--memory-mb", "1"], ["--kind"]):
            with Sandbox(ready=False, extra=words) as box:
                self.assertEqual(box.process.wait(sandbox.END_SECONDS), 1)
                self.assertTrue(box.stop().startswith("runner: "))

    def test_python_that_cannot_start(self):
        for words, text in ((["--python-root", "/nowhere"], "/nowhere/usr/lib"),
                            (["--interpreter", "/nowhere/interpreter.py"], "Python ended"),
                            (["--preload", "no_such_module"], "no_such_module")):
            with Sandbox(ready=False, extra=words) as box:
                self.assertEqual(box.process.wait(sandbox.END_SECONDS), 1)
                self.assertIn(text, box.stop())


if __name__ == "__main__":
    unittest.main(verbosity=1)
