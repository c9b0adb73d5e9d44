# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages as real clients send them: members that are null or empty for "not sent", arguments as JSON text, notifications that are wrong."""
import json
import unittest

import harness

ACCEPTED = (
    ("tools/list", None), ("tools/list", {"cursor": None}), ("tools/list", {"cursor": ""}), ("tools/list", {"_meta": None}), ("resources/list", {"cursor": None, "_meta": None}),
    ("resources/list", {"cursor": ""}), ("prompts/list", {"cursor": ""}),
    ("ping", None), ("ping", {"_meta": {"progressToken": None}}),
    ("tools/call", {"name": "history", "arguments": None}), ("tools/call", {"name": "history", "arguments": ""}),
    ("tools/call", {"name": "history", "arguments": {}, "_meta": {"progressToken": None}}),
    ("tools/call", {"name": "find", "arguments": '{"text": "ratio"}'}),
    ("tools/call", {"name": "find", "arguments": {"text": "ratio", "session_id": "", "in": "", "node_id": "", "sort": ""}}),
    # Arguments that clients add to each call.
    ("tools/call", {"name": "find", "arguments": {"text": "ratio", "tool": "find", "toolCallId": "call_0BCI"}}),
    ("tools/call", {"name": "query_graph", "arguments": {"query": "counts", "toolCallId": "toolu_01", "sessionId": "abc"}}),
    ("tools/call", {"name": "query_graph", "arguments": {"query": "counts", "task_progress": "- [x] step", "_sessionID": "0d6c"}}),
    ("tools/call", {"name": "query_graph", "arguments": {"query": "counts", "wait_for_previous": True, "requestId": 7, "metadata": {}}}),
    ("tools/call", {"name": "history", "arguments": {"random_string": "dummy"}}),
    ("tools/call", {"name": "execute_code", "arguments": {"code": "print(1)", "explanation": "one", "description": "count"}}),
    ("prompts/get", {"name": "plan_course"}), ("prompts/get", {"name": "plan_course", "arguments": None}),
    ("prompts/get", {"name": "plan_course", "arguments": {"weeks": "", "session_id": ""}}),
    ("prompts/get", {"name": "plan_course", "arguments": {"weeks": None}}),
    ("completion/complete", {"ref": {"type": "ref/prompt", "name": "plan_course"}, "argument": {"name": "session_id", "value": ""}, "context": None}),
)
REFUSED = (
    ("tools/list", [], "must be an object"), ("tools/list", {"cursor": "x"}, "cursor"),
    ("tools/call", {"name": "find", "arguments": []}, "must be an object"), ("tools/call", {"name": "find", "arguments": "ratio"}, "must be an object"),
    ("tools/call", {"name": "find", "arguments": {"text": "ratio"}, "_meta": {"progressToken": []}}, "progressToken"),
)


# The model's own faults: an argument of another tool, a misspelt one, one in place of a required one, a member of an operation.
WRONG = (
    ("query_graph", {"query": "counts", "code": "print(1)"}, "unknown argument 'code'"),
    ("execute_code", {"code": "print(1)", "timeout": 3}, "did you mean 'timeout_seconds'"),
    ("find", {"titel": "ratio", "toolCallId": "c1"}, "unknown argument 'titel'"),
    ("change_curriculum", {"operations": [{"op": "rename_node", "node_id": "N010", "title": "Ratios", "toolCallId": "c1"}]}, "toolCallId"),
    ("change_curriculum", {"operations": [{"op": "create_node", "node_id": "X1", "title": "X", "find": "x"}]}, "unknown member 'find'"),
    ("change_curriculum", {"operations": [{"op": "edit_node", "node_id": "N010", "level": "x"}]}, "fields?"),
)


HEADING = {"type": "heading", "parameters": {"text": "Ratios"}}
RENAMING = {"op": "edit_node", "node_id": "N010", "fields": {"title": "Ratios"}}
# JSON as text at each level where an object or an array is expected: calls that mean the same.
AS_TEXT = (
    ("batch_add_components", "components", ([HEADING], json.dumps([HEADING]), [json.dumps(HEADING)],
                                            [dict(HEADING, parameters=json.dumps(HEADING["parameters"]))],
                                            json.dumps([json.dumps(dict(HEADING, parameters=json.dumps(HEADING["parameters"])))]))),
    ("change_curriculum", "operations", ([RENAMING], [{"op": "edit_node", "node_id": "N010", "title": "Ratios", "raw_content": "a source"}], json.dumps([RENAMING]), [json.dumps(RENAMING)],
                                         json.dumps([dict(RENAMING, fields=json.dumps(RENAMING["fields"]))]))),
    ("add_component", "parameters", (HEADING["parameters"], json.dumps(HEADING["parameters"]))),
    ("edit_component", "new_parameters", (HEADING["parameters"], json.dumps(HEADING["parameters"]))),
)
MORE = {"batch_add_components": {"node_id": "N010"}, "change_curriculum": {"dry_run": True},
        "add_component": {"node_id": "N010", "component_type": "heading"}, "edit_component": {"node_id": "N010", "component_order": 1}}


class Messages(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        self.workspace.run("demo")
        self.number = 100

    def check(self, client):
        client.initialize()

        def send(method, params):
            self.number += 1
            return client.exchange({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})

        for method, params in ACCEPTED:
            with self.subTest(method=method, params=params):
                answer = send(method, params)
                self.assertNotIn("error", answer)
                self.assertFalse(answer["result"].get("isError"), answer)
        for name, arguments, words in WRONG:
            with self.subTest(name=name, arguments=arguments):
                answer = send("tools/call", {"name": name, "arguments": arguments})["result"]
                self.assertTrue(answer["isError"])
                self.assertIn(words, answer["content"][0]["text"])
        empty = send("prompts/get", {"name": "plan_course", "arguments": {"weeks": ""}})["result"]
        self.assertEqual(empty, send("prompts/get", {"name": "plan_course"})["result"])
        return send

    def test_json_as_text_at_each_level(self):
        client = harness.Stdio(self.workspace)
        self.addCleanup(client.close)
        client.initialize()
        for name, argument, ways in AS_TEXT:
            for way in ways:
                with self.subTest(name=name, way=way):
                    answer = client.request("tools/call", {"name": name, "arguments": dict(MORE[name], **{argument: way})})["result"]
                    self.assertFalse(answer.get("isError"), answer)
            for wrong in ("[", "ratio", 3, ["ratio"]):
                answer = client.request("tools/call", {"name": name, "arguments": dict(MORE[name], **{argument: wrong})})["result"]
                self.assertIn(argument, answer["content"][0]["text"])
                self.assertTrue(answer["isError"])

    def test_over_stdio(self):
        client = harness.Stdio(self.workspace)
        self.addCleanup(client.close)
        send = self.check(client)
        for method, params, words in REFUSED:
            with self.subTest(method=method, params=params):
                self.assertIn(words, json.dumps(send(method, params)["error"]))
        for params in (None, [], "x", 1):  # no answer: the next one that comes is that of the ping
            client.send({"jsonrpc": "2.0", "method": "notifications/initialized", "params": params})
            client.send({"jsonrpc": "2.0", "method": "notifications/no/such", "params": params})
            self.assertEqual(send("ping", None)["result"], {})

    def test_over_http(self):
        server = harness.Server(self.workspace)
        self.addCleanup(server.close)
        client = harness.Client(server.port)
        self.addCleanup(client.connection.close)
        self.check(client)
        for params in (None, [], "x"):
            self.assertEqual(client.post({"jsonrpc": "2.0", "method": "notifications/initialized", "params": params})[:2], (202, b""))

    def test_slashes_that_clients_add(self):
        server = harness.Server(self.workspace)
        self.addCleanup(server.close)
        for path in ("/sessions/", "//sessions", "/sessions//"):
            self.assertEqual(server.http("GET", path)[1], server.http("GET", "/sessions")[1], path)
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}
        for path in ("/mcp/", "//mcp", "//mcp//"):
            status, _, headers = server.http("POST", path, message, Accept="application/json, text/event-stream")
            self.assertEqual(status, 200, path)
            self.assertIn("Mcp-Session-Id", headers)
        for path in ("/mcp/x/", "/x/mcp", "/mcp%2f"):
            self.assertEqual(server.http("POST", path, message)[0], 404, path)

    def test_a_tag_that_a_proxy_has_made_weak(self):
        """nginx makes W/"c3" of "c3" when it compresses; RFC 9110, 13.1.1 has If-Match compare strongly."""
        server = harness.Server(self.workspace)
        self.addCleanup(server.close)
        path = "/session/%s" % server.http("GET", "/sessions")[1]["sessions"][0]["session_id"]
        tag = server.http("GET", path + "/nodes")[2]["ETag"]
        for given, words in (("W/" + tag, "makes tags weak"), ('W/"c999"', "has changed since"), ('"c999"', "has changed since")):
            status, answer, _ = server.http("PUT", path, {"title": "New"}, If_Match=given)
            self.assertEqual(status, 412)
            self.assertIn(words, answer["detail"])
        self.assertEqual(server.http("PUT", path, {"title": "New"}, If_Match=tag)[0], 200)


if __name__ == "__main__":
    unittest.main(verbosity=2)
