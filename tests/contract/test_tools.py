# SPDX-License-Identifier: GPL-3.0-or-later
"""The tools as a model uses them, over stdio and HTTP: their effects, their answers to invalid input, and that a refused call changes
nothing."""
import json
import re
import unittest

import harness

# Has something to report all the time; test_streaming.py has the reports of a silent run.
PRINTING = """import time
while True:
    print("line", flush=True)
    until = time.time() + 0.1
    while time.time() < until:
        pass
"""
WRONG = [
    # tool, arguments, what the answer must say
    ("add_component", {"node_id": "N01", "component_type": "heading", "parameters": {"text": "x"}}, ["N01", "N001"]),
    ("add_component", {"node_id": "N001", "component_type": "headin", "parameters": {"text": "x"}}, ["heading"]),
    ("add_component", {"node_id": "N001", "component_type": "definition", "parameters": {"term": "x"}}, ["definition"]),
    ("add_component", {"node_id": "N001", "component_type": "heading", "parameters": ["x"]}, ["parameters", "object"]),
    ("add_component", {"node_id": "N001", "component_type": "heading"}, ["parameters"]),
    ("add_component", {"node": "N001", "component_type": "heading", "parameters": {"text": "x"}}, ["node_id"]),
    ("add_component", {"node_id": "N001", "component_type": "heading", "parameters": {"text": "x"}, "position": 0},
     ["position", "1"]),
    ("edit_component", {"node_id": "N001", "component_order": 9999, "new_parameters": {"text": "x"}}, ["9999"]),
    ("edit_component", {"node_id": "N001", "new_parameters": {"text": "x"}}, ["component_order"]),
    ("edit_component", {"node_id": "N001", "component_order": 1, "new_parameters": {"text": 7}}, ["text"]),
    ("edit_component", {"node_id": "N001", "component_order": 1, "new_parameters": {"text": "x"},
                        "expected_revision": 999}, ["revision"]),
    ("delete_component", {"node_id": "N001", "component_order": -1}, ["component_order"]),
    ("delete_component", {"node_id": "N001", "component_id": "no-such-id"}, ["no-such-id"]),
    ("create_relationship", {"from_node_id": "N001", "to_node_id": "N001"}, ["itself"]),
    ("create_relationship", {"from_node_id": "N001", "to_node_id": "N002", "relationship_type": "PREREQUISIT"},
     ["PREREQUISITE"]),
    ("create_relationship", {"from_node_id": "N001", "to_node_id": "N0022"}, ["N0022"]),
    ("batch_add_components", {"node_id": "N001", "components": []}, ["components"]),
    ("batch_add_components", {"node_id": "N001", "components": [
        {"type": "heading", "parameters": {"text": "good"}}, {"type": "heading", "parameters": {}},
        {"type": "no-such", "parameters": {}}]}, ["1", "2", "text", "no-such"]),
    ("execute_code", {"code": "import os"}, ["line 1", "os", "Allowed"]),
    ("execute_code", {}, ["code"]),
    ("query_graph", {"query": "shortest"}, ["path"]),
    ("query_graph", {"query": "needs", "node_id": "N999"}, ["N999"]),
    ("query_graph", {"query": "needs"}, ["node_id"]),
    ("add_component", {"session_id": "nope", "node_id": "N001", "component_type": "heading",
                       "parameters": {"text": "x"}}, ["session"]),
]


class Tools(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.sid = self.workspace.run("demo").stdout.decode().strip()

    def tearDown(self):
        self.workspace.close()

    def export(self):
        return json.loads(self.workspace.run("export", self.sid).stdout)

    def node(self, node_id):
        return next(node for node in self.export()["nodes"] if node["node_id"] == node_id)

    def both(self, check):
        for make in (harness.Stdio, harness.Server):
            with self.subTest(transport=make.__name__):
                client = make(self.workspace)
                try:
                    check(client)
                finally:
                    status = client.close()
                self.assertEqual(status, 0)

    def test_a_title_names_a_node(self):
        def check(client):
            client.initialize()
            one, two = ((node["node_id"], node["title"]) for node in self.export()["nodes"][:2])
            text = {"text": "by title"}
            said = [client.good("add_component", node_id=one[1].upper(), component_type="heading", parameters=text, position=1),
                    client.good("edit_component", node_id=one[1], component_order=1, new_parameters={"text": "again"}),
                    client.good("delete_component", node_id=one[1], component_order=1, confirm=True),
                    client.good("batch_add_components", node_id=one[1], components=[{"type": "heading", "parameters": text}]),
                    client.good("create_relationship", from_node_id=one[1], to_node_id=two[1],
                                relationship_type="ENRICHMENT"),
                    client.good("change_curriculum", operations=[{"op": "edit_node", "node_id": one[1], "raw_content": "x"}])]
            for answer in said:
                self.assertIn('%s "%s"' % one, answer)
            self.assertIn('%s "%s"' % two, said[4])
            self.assertIn("text: [by title -> again]", said[1])
            self.assertIn("raw_content: ", said[5])
            self.assertIn("ENRICHMENT", client.good("history", node_id=one[1]))
            client.good("undo")
            client.good("undo")
        self.both(check)

    def test_listing_is_whole(self):
        def check(client):
            client.initialize()
            result = client.request("tools/list")["result"]
            names = [tool["name"] for tool in result["tools"]]
            self.assertEqual(names, ["find", "add_component", "edit_component", "delete_component", "create_relationship",
                                     "batch_add_components", "change_curriculum", "import_curriculum",
                                     "history", "undo", "execute_code", "query_graph"])
            self.assertNotIn("nextCursor", result)
            for tool in result["tools"]:
                self.assertEqual(tool["inputSchema"]["type"], "object")
                self.assertTrue(set(tool["inputSchema"].get("required", [])) <= set(tool["inputSchema"]["properties"]))
        self.both(check)

    def test_edits(self):
        def check(client):
            client.initialize()
            before = len(self.node("N001")["components"])
            text = client.good("add_component", node_id="N001", component_type="callout-box",
                               parameters={"text": "Mind the sign", "style": "tip"}, position=1)
            self.assertIn("N001", text)
            node = self.node("N001")
            self.assertEqual(len(node["components"]), before + 1)
            self.assertEqual(node["components"][0]["parameters"], {"text": "Mind the sign", "style": "tip"})
            self.assertEqual([c["order"] for c in node["components"]], list(range(1, before + 2)))
            text = client.good("edit_component", node_id="N001", component_order=1, new_parameters={"text": "Other"})
            self.assertIn("revision 2", text)
            self.assertEqual(self.node("N001")["components"][0]["parameters"], {"text": "Other", "style": "tip"})
            client.good("batch_add_components", node_id="N001", components=[
                {"type": "heading", "parameters": {"text": "A"}},
                {"type": "definition", "parameters": {"term": "t", "definition": "d"}}])
            self.assertEqual(len(self.node("N001")["components"]), before + 3)
            client.good("delete_component", node_id="N001", component_order=before + 3, confirm=True)
            client.good("delete_component", node_id="N001", component_order=before + 2)
            client.good("delete_component", node_id="N001", component_order=1)
            self.assertEqual(len(self.node("N001")["components"]), before)
        self.both(check)

    def test_relationship_repeat_and_cycle(self):
        client = harness.Stdio(self.workspace)
        client.initialize()
        edge = next(r for r in self.export()["relationships"] if r["relationship_type"] == "PREREQUISITE")
        is_error, text = client.call("create_relationship", from_node_id=edge["from_node_id"],
                                     to_node_id=edge["to_node_id"], relationship_type="PREREQUISITE")
        self.assertTrue(is_error)
        self.assertIn("already", text)
        text = client.good("create_relationship", from_node_id=edge["to_node_id"], to_node_id=edge["from_node_id"],
                           relationship_type="PREREQUISITE", explanation="the other way round")
        self.assertIn("cycle", text)
        self.assertIn(edge["from_node_id"], text)
        text = client.good("query_graph", query="cycles")
        self.assertIn(edge["from_node_id"], text)
        self.assertEqual(client.close(), 0)

    def test_wrong_input_says_what_is_right_and_changes_nothing(self):
        before = self.export()

        def check(client):
            client.initialize()
            for tool, arguments, says in WRONG:
                is_error, text = client.call(tool, **arguments)
                self.assertTrue(is_error, (tool, arguments, text))
                for word in says:
                    self.assertIn(word, text, (tool, arguments))
        self.both(check)
        self.assertEqual(self.export(), before)

    def test_protocol_errors(self):
        def check(client):
            client.initialize()
            answer = client.request("tools/call", {"name": "no_such_tool", "arguments": {}})
            self.assertEqual(answer["error"]["code"], -32602)
            self.assertIn("add_component", json.dumps(answer["error"]))
            self.assertEqual(client.request("no/such/method")["error"]["code"], -32601)
            self.assertEqual(client.request("ping")["result"], {})
        self.both(check)

    def test_a_bound_connection_reaches_no_other_session(self):
        other = self.workspace.load(harness.ROOT / "mcp/curriculum/demo/demo_curriculum.json")
        client = harness.Stdio(self.workspace, "--session", self.sid)
        client.initialize()
        client.good("query_graph", query="counts")
        is_error, text = client.call("query_graph", query="counts", session_id=other)
        self.assertTrue(is_error)
        self.assertIn("bound", text)
        is_error, text = client.call("execute_code", session_id=other, code="1")
        self.assertTrue(is_error)
        self.assertEqual(client.close(), 0)
        free = harness.Stdio(self.workspace)
        free.initialize()
        is_error, text = free.call("query_graph", query="counts")
        self.assertTrue(is_error)
        self.assertIn(other, text)
        self.assertIn(self.sid, text)
        self.assertEqual(free.close(), 0)


class AnalysisCase(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)

    def start(self, *words):
        client = harness.Stdio(self.workspace, *words)
        self.addCleanup(lambda: self.assertEqual(client.close(), 0))
        client.initialize()
        return client


class Analyses(AnalysisCase):
    """execute_code: results and each kind of failure, in words and category."""

    CASES = [
        # code, category (None: good), what the answer must say
        ("print(1+1)", None, ["2", "[ok, "]),
        ("1 + 1", None, ["2"]),
        ("from code_helpers import get_nodes\nprint(len(get_nodes(session_id)) > 20)", None, ["True"]),
        ("from code_helpers import analyze_graph\nprint(type(analyze_graph()).__name__)", None, ["DiGraph"]),
        ("import pandas as pd\nprint(pd.DataFrame({'a': [1, 2]}).a.sum())", None, ["3"]),
        ("import scipy.stats\nprint(round(scipy.stats.norm.cdf(0), 2))", None, ["0.5"]),
        ("1/0", "runtime", ["ZeroDivisionError", "line 1"]),
        ("while True:\n    pass", "timeout", ["time"]),
        ("x = []\nwhile True:\n    x.append(bytearray(10_000_000))", "memory", ["memory"]),
        ("while True:\n    print('x' * 1000)", "output", ["output"]),
        ("import os", "validation", ["os", "Allowed"]),
        ("print('a'", "validation", ["line 1"]),
    ]

    def test_outcomes(self):
        client = self.start("--timeout", "60")  # so that only the one that waits for it runs into it
        for code, category, says in self.CASES:
            with self.subTest(code=code):
                arguments = {"code": code, **({"timeout_seconds": 1} if category == "timeout" else {})}
                answer = client.request("tools/call", {"name": "execute_code", "arguments": arguments})["result"]
                text = answer["content"][0]["text"]
                self.assertEqual(answer["isError"], category is not None, text)
                if category:
                    error = answer["_meta"]["lectern/error"]
                    self.assertEqual(error["errorCategory"], category, text)
                    self.assertEqual((error["isRetryable"], error["isRepairable"]), (False, True))
                    self.assertTrue(error["context"]["message"])
                for word in says:
                    self.assertIn(word, text)

    def test_errors_say_what_to_do(self):
        """Of every tool, in _meta: whether the call may be sent again or has to be changed, and what is known of its cause."""
        self.workspace.run("demo")
        client = self.start()
        edit = {"node_id": "N001", "component_order": 1, "new_parameters": {"text": "x"}}
        for tool, arguments, category, known in (
                ("edit_component", {**edit, "expected_revision": 999}, "conflict", {}),
                ("edit_component", {**edit, "node_id": "N999"}, "not_found", {}),
                ("edit_component", {**edit, "component_order": 999}, "not_found", {}),
                ("edit_component", {**edit, "session_id": "nope"}, "not_found", {}),
                ("edit_component", {**edit, "new_parameters": 7}, "validation", {"argument": "new_parameters"}),
                ("change_curriculum", {"operations": [{"op": "delete_node", "node_id": "N999"}]}, "not_found", {}),
                ("change_curriculum", {"operations": [{"op": "edit_component", **edit, "expected_revision": 999}]},
                 "conflict", {}),
                ("query_graph", {"query": "needs", "node_id": "N999"}, "not_found", {}),
                ("execute_code", {"code": "x = 1\nimport os"}, "validation",
                 {"rule": "import-not-allowed", "line": 2, "column": 8}),
                ("execute_code", {"code": "x = {}\n\nx['a']"}, "runtime",
                 {"errorType": "KeyError", "line": 3, "message": "KeyError: 'a'"}),
                ("execute_code", {"code": "while True:\n    pass", "timeout_seconds": 1}, "timeout",
                 {"limit": {"name": "timeout_seconds", "value": 1}})):
            with self.subTest(tool=tool, arguments=arguments):
                answer = client.request("tools/call", {"name": tool, "arguments": arguments})["result"]
                error = answer["_meta"]["lectern/error"]
                self.assertEqual((error["errorCategory"], error["isRetryable"], error["isRepairable"]),
                                 (category, False, True), answer)
                self.assertEqual(error["context"]["tool"], tool)
                self.assertTrue(error["context"]["message"])
                self.assertEqual({name: error["context"].get(name) for name in known}, known)


class Limits(AnalysisCase):
    """execute_code: its time."""

    def test_a_shorter_timeout(self):
        client = self.start("--timeout", "2")
        wishes = (1, 3600)
        for wish in wishes:  # at the same time: the limits are of real time
            client.send({"jsonrpc": "2.0", "id": "wish %d" % wish, "method": "tools/call", "params": {
                "name": "execute_code", "arguments": {"code": "while True: pass", "timeout_seconds": wish}}})
        seconds = []
        for wish in wishes:
            result = client.receive("wish %d" % wish)["result"]
            self.assertTrue(result["isError"])
            seconds.append(float(re.search(r"\[timeout, ([0-9.]+) s", result["content"][0]["text"]).group(1)))
        self.assertLess(seconds[0], seconds[1])
        self.assertLess(seconds[1], 3600 / 100)


class Calls(AnalysisCase):
    """execute_code: its end and its progress."""

    def test_cancel(self):
        client = self.start()
        client.send({"jsonrpc": "2.0", "id": "slow", "method": "tools/call",
                     "params": {"name": "execute_code", "arguments": {"code": "while True: pass"}}})
        client.notify("notifications/cancelled", {"requestId": "slow", "reason": "changed my mind"})
        self.assertIn("4", client.good("execute_code", code="print(2+2)"))
        self.assertNotIn("slow", client.answers)

    def test_progress(self):
        client = self.start("--timeout", "60")
        client.send({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": {
            "name": "execute_code", "arguments": {"code": PRINTING}, "_meta": {"progressToken": "p"}}})
        steps = [client.notification("notifications/progress") for _ in range(2)]
        client.notify("notifications/cancelled", {"requestId": "slow"})
        self.assertEqual({step["progressToken"] for step in steps}, {"p"})
        self.assertLess(steps[0]["progress"], steps[1]["progress"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
