# SPDX-License-Identifier: GPL-3.0-or-later
"""Inputs that people and their programs really sent, as public reports of other projects show them, each with the value that its sender
expects. The page's cases are browser.under_path and the page's own tests (keys.test.ts)."""
import json
import pathlib
import unittest

import harness

SHEET = "Id,Title,%s\nL1,Counting,\nL2,Adding,L1\nL3,Times,\"L1; Adding\"\n"


class Case(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)

    def stdio(self, *words, version="2025-11-25"):
        client = harness.Stdio(self.workspace, *words)
        self.addCleanup(lambda: client.process.poll() is None and client.close())
        client.initialize(version)
        return client


class Imports(Case):
    """F12, F20: texts for import_curriculum."""

    def test_prerequisites_of_a_sheet_are_relationships(self):
        client = self.stdio()
        for place, heading in enumerate(("Prerequisites", "prerequisites", "Voraussetzungen")):
            text = client.good("import_curriculum", text=SHEET % heading, title="Sheet %d" % place)
            self.assertIn("3 relationships", text)
            self.assertIn('L1 "Counting"', client.good("query_graph", session_id="Sheet %d" % place, query="needs", node_id="L3"))

    def test_texts_that_are_no_curriculum_are_refused(self):
        client = self.stdio()
        for text in "/home/me/course.json", "C:\\course.json", "https://example.org/c.json", "hello", "graph TD\n  A --> B", "| a | b |\n|---|---|\n| 1 | 2 |":
            is_error, answer = client.call("import_curriculum", text=text)
            self.assertTrue(is_error, (text, answer))
            self.assertIn("CSV", answer)

    def test_json_in_a_fence_is_read(self):
        curriculum = {"meta": {"title": "Fenced"}, "nodes": [{"node_id": "A", "title": "A", "components": []}], "relationships": []}
        client = self.stdio()
        client.good("import_curriculum", text="```json\n%s\n```\n" % json.dumps(curriculum, indent=1))
        self.assertIn('A "A"', client.good("find", session_id="Fenced"))


class Messages(Case):
    """F21, F23, F44: members that clients add or leave empty. contract.client_messages has more."""

    def test_arguments_of_clients(self):
        client = self.stdio()
        for name in "toolCallId", "sessionId", "task_progress", "_sessionID", "wait_for_previous", "random_string", "description":
            self.assertIn("40 nodes", client.good("query_graph", query="counts", **{name: "x"}))

    def test_null_is_not_sent(self):
        client = self.stdio()
        for method, params in ("tools/list", None), ("tools/list", {"cursor": None}), ("tools/list", {"cursor": ""}), \
                ("tools/call", {"name": "find", "arguments": None}), ("tools/call", {"name": "find", "arguments": {}, "_meta": {"progressToken": None}}):
            self.assertIn("result", client.request(method, params), (method, params))

    def test_an_empty_argument_of_a_prompt(self):
        client = self.stdio()
        texts = {json.dumps(client.request("prompts/get", {"name": "plan_course", "arguments": arguments})["result"])
                 for arguments in ({}, {"weeks": ""}, {"weeks": None})}
        self.assertEqual(len(texts), 1)
        self.assertNotIn("in  weeks", texts.pop())


    def test_a_batch(self):
        """F26"""
        client = self.stdio(version="2025-03-26")
        client.send([{"jsonrpc": "2.0", "id": 71, "method": "ping"}, {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"},
                     {"jsonrpc": "2.0", "id": 72, "method": "tools/call", "params": {"name": "query_graph", "arguments": {"query": "counts"}}}])
        answers = {answer["id"]: answer["result"] for answer in client.receive("batch")}
        self.assertEqual(answers[71], {})
        self.assertIn("40 nodes", answers[72]["content"][0]["text"])
        self.assertEqual(len(answers), 2)


class Words(Case):
    """F31."""

    def test_names_with_signs_are_told_apart(self):
        path = pathlib.Path(self.workspace.data) / "languages.json"
        path.write_text(json.dumps({"meta": {"title": "Languages"}, "relationships": [], "nodes": [
            {"node_id": "L%d" % place, "title": "Course %d" % place, "components": [
                {"component_type": "paragraph", "order": 1, "parameters": {"text": "We write %s today." % name}}]}
            for place, name in enumerate(("C++", "C#", "C", "F#"))]}))
        self.workspace.load(path)
        client = self.stdio()
        for place, name in enumerate(("C++", "C#", "C", "F#")):
            for text in name, '"%s"' % name:
                found = client.good("find", session_id="Languages", text=text)
                self.assertEqual([each for each in range(4) if "L%d " % each in found], [place], (text, found))


class Http(Case):
    """F25, F27."""

    def test_a_slash_more(self):
        server = harness.Server(self.workspace)
        self.addCleanup(server.close)
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        for path in "/mcp/", "//mcp":
            status, answer, _ = server.http("POST", path, ping, Accept="application/json, text/event-stream")
            self.assertNotEqual(status, 404, (path, answer))
        self.assertEqual(server.http("GET", "/sessions/")[0], 200)

    def test_a_weak_tag_is_refused_with_its_reason(self):
        server = harness.Server(self.workspace)
        self.addCleanup(server.close)
        _, answer, _ = server.http("GET", "/sessions")
        path = "/session/%s/nodes/N010/components" % answer["sessions"][0]["session_id"]
        tag = server.http("GET", path)[2]["ETag"]
        component = {"type": "paragraph", "parameters": {"text": "x"}}
        status, answer, _ = server.http("POST", path + "/insert", component, If_Match="W/" + tag)
        self.assertEqual(status, 412)
        self.assertIn("weak", answer["detail"])
        self.assertIn("nothing has changed", answer["detail"])
        self.assertEqual(server.http("POST", path + "/insert", component, If_Match=tag)[0], 200)


class Programs(Case):
    """F36, F43."""

    def test_exec_reads_the_only_curriculum(self):
        program = pathlib.Path(self.workspace.data) / "a.py"
        program.write_text("from code_helpers import get_nodes\nprint(len(get_nodes()))\n")
        self.workspace.run("demo")
        self.assertEqual(self.workspace.run("exec", str(program)).stdout, b"40\n")

    def test_a_text_alone_has_its_value(self):
        self.assertIn("a string\\nof two lines", self.stdio().good("execute_code", code='"a string\\nof two lines"'))


if __name__ == "__main__":
    unittest.main(verbosity=2)
