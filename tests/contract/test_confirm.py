# SPDX-License-Identifier: GPL-3.0-or-later
"""A person at the client is asked before much is lost: on stdio and over HTTP, in both eras."""
import http.client
import json
import unittest

import harness
from test_mcp import MODERN, PREFIX, modern_headers

SECONDS = 15  # for one event to come
FORM = {"elicitation": {"form": {}}}
QUIET = ("--no-demo", "--sandbox", harness.LOCAL, "--warm", "bare=0,data=0,plot=0")


def modern_meta(capabilities):
    return {PREFIX + "protocolVersion": MODERN, PREFIX + "clientInfo": {"name": "test", "version": "1"},
            PREFIX + "clientCapabilities": capabilities}


class Case(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        self.server = harness.Server(self.workspace, *QUIET)
        self.addCleanup(self.end)
        self.sid = self.post("/session/create")["session_id"]
        for text in "first", "second":
            self.post("/session/%s/nodes/N001/components/insert" % self.sid, {"type": "paragraph", "parameters": {"text": "The %s text." % text}})

    def end(self):
        if self.server.process.returncode is None:
            self.assertEqual(self.server.close(), 0)

    def post(self, path, body=None):
        status, value, _ = self.server.http("POST", path, body)
        self.assertEqual(status, 200, value)
        return value

    def texts(self):
        components = self.server.http("GET", "/session/%s/nodes/N001/components" % self.sid)[1]["components"]
        return [one["parameters"]["text"] for one in components]

    def delete(self, order=1):
        return {"name": "delete_component", "arguments": {"session_id": self.sid, "node_id": "N001", "component_order": order, "confirm": True}}


class Modern(Case):
    """The question is the result, and the client calls again."""

    def call(self, params, capabilities=None, **more):
        params = {**params, **more, "_meta": modern_meta(FORM if capabilities is None else capabilities)}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        status, answer, _ = self.server.http("POST", "/mcp", message, **modern_headers(message))
        self.assertEqual(status, 200, answer)
        return answer["result"]

    def ask(self, params):
        result = self.call(params)
        self.assertEqual(result["resultType"], "input_required", result)
        self.assertEqual(list(result["inputRequests"]), ["confirm"])
        self.assertEqual(result["inputRequests"]["confirm"]["method"], "elicitation/create")
        return result["inputRequests"]["confirm"]["params"], result["requestState"]

    def answer(self, params, state, action):
        return self.call(params, requestState=state, inputResponses={"confirm": {"action": action, "content": {}}})

    def test_accepted(self):
        question, state = self.ask(self.delete())
        self.assertIn("The first text.", question["message"])
        self.assertEqual(question["requestedSchema"], {"type": "object", "properties": {}})
        self.assertEqual(len(self.texts()), 2)
        result = self.answer(self.delete(), state, "accept")
        self.assertFalse(result["isError"], result)
        self.assertEqual(self.texts(), ["The second text."])

    def test_declined(self):
        _, state = self.ask(self.delete())
        for action in "decline", "cancel":
            result = self.answer(self.delete(), state, action)
            self.assertTrue(result["isError"])
            self.assertIn("did not agree", result["content"][0]["text"])
            self.assertEqual(result["_meta"]["lectern/error"]["errorCategory"], "forbidden")
        self.assertEqual(len(self.texts()), 2)

    def test_an_answer_without_a_question_counts_for_nothing(self):
        result = self.call(self.delete(), inputResponses={"confirm": {"action": "accept", "content": {}}})
        self.assertEqual(result["resultType"], "input_required")
        _, state = self.ask(self.delete())
        params = {**self.delete(2), "_meta": modern_meta(FORM), "requestState": state,
                  "inputResponses": {"confirm": {"action": "accept", "content": {}}}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        self.assertEqual(self.server.http("POST", "/mcp", message, **modern_headers(message))[1]["error"]["code"], -32602)
        self.assertEqual(len(self.texts()), 2)

    def test_only_what_was_shown_is_done(self):
        _, state = self.ask(self.delete())
        component = self.server.http("GET", "/session/%s/nodes/N001/components" % self.sid)[1]["components"][0]
        status, value, _ = self.server.http("PUT", "/session/%s/nodes/N001/components/%d" % (self.sid, component["order"]),
                                            {"parameters": {"text": "Meanwhile edited."}})
        self.assertEqual(status, 200, value)
        result = self.answer(self.delete(), state, "accept")
        self.assertIn("has changed since the person agreed", result["content"][0]["text"])
        self.assertEqual(self.texts(), ["Meanwhile edited.", "The second text."])

    def test_an_answer_is_good_once(self):
        """What was done is undone; the state that the person agreed to does not do it again."""
        _, state = self.ask(self.delete())
        self.assertFalse(self.answer(self.delete(), state, "accept")["isError"])
        newest = self.server.http("GET", "/session/%s/history" % self.sid)[1]["changes"][0]
        self.post("/session/%s/undo" % self.sid, {"change_set": newest["change_set"]})
        self.assertEqual(len(self.texts()), 2)
        result = self.answer(self.delete(), state, "accept")
        self.assertTrue(result["isError"])
        self.assertIn("agreed to this once", result["content"][0]["text"])
        self.assertEqual(len(self.texts()), 2)
        _, state = self.ask(self.delete())
        self.assertFalse(self.answer(self.delete(), state, "accept")["isError"])
        self.assertEqual(self.texts(), ["The second text."])

    def test_a_repeat_with_a_key_gets_its_answer(self):
        """The answer was lost on the way: the client sends all of it again."""
        params = self.delete()
        params["arguments"]["idempotency_key"] = "once"
        _, state = self.ask(params)
        first, second = (self.answer(params, state, "accept") for _ in range(2))
        self.assertFalse(second["isError"], second)
        self.assertEqual(second["content"], first["content"])
        self.assertEqual(self.texts(), ["The second text."])

    def test_the_undo_of_an_import(self):
        """It deletes a curriculum with its history, so a person is asked, also if the curriculum is empty."""
        for text, lost in (("# Wheels\n\nA text.\n", "Lost: 1 node"), ('{"nodes": []}', "The curriculum is deleted, with its history")):
            made = self.call({"name": "import_curriculum", "arguments": {"text": text, "title": "Wheels"}})
            sid = made["content"][0]["text"].split("session ")[1].split(":")[0]
            params = {"name": "undo", "arguments": {"session_id": sid}}
            question, state = self.ask(params)
            self.assertIn('Undo: the import of "Wheels"', question["message"])
            self.assertIn(lost, question["message"])
            self.assertTrue(self.answer(params, state, "decline")["isError"])
            self.assertIn(sid, json.dumps(self.server.http("GET", "/sessions")[1]))
            _, state = self.ask(params)
            self.assertFalse(self.answer(params, state, "accept")["isError"])
            self.assertNotIn(sid, json.dumps(self.server.http("GET", "/sessions")[1]))

    def test_many_places(self):
        def change(count):
            return {"name": "change_curriculum", "arguments": {"session_id": self.sid, "operations": [
                {"op": "rename_node", "node_id": "M%d" % i, "new_title": "Renamed for %d" % count} for i in range(count)]}}
        for i in range(11):
            self.post("/session/%s/nodes" % self.sid, {"node_id": "M%d" % i, "title": "A node"})
        self.assertEqual(self.call(change(10))["resultType"], "complete")
        question, state = self.ask(change(11))
        self.assertIn("11 operations", question["message"])
        self.assertIn("and 1 more", question["message"])
        self.assertFalse(self.answer(change(11), state, "accept")["isError"])

    def test_who_is_not_asked(self):
        for capabilities in {}, {"elicitation": {"url": {}}}:
            result = self.call(self.delete(), capabilities)
            self.assertEqual(result["resultType"], "complete", result)
            self.assertFalse(result["isError"])
        self.assertEqual(self.texts(), [])

    def test_what_fails_anyway_is_not_asked(self):
        result = self.call(self.delete(9))
        self.assertEqual((result["resultType"], result["isError"]), ("complete", True))


class Legacy(Case):
    """The client is sent a request on the stream of the call."""

    def stdio(self):
        client = harness.Stdio(self.workspace, *QUIET[1:])
        client.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}},
                                      "clientInfo": {"name": "test", "version": "1"}})
        client.notify("notifications/initialized")
        return client

    def test_stdio(self):
        client = self.stdio()
        for ident, result, left in ((91, {"action": "decline"}, 2), (92, {"action": "accept", "content": {}}, 1)):
            client.send({"jsonrpc": "2.0", "id": ident, "method": "tools/call", "params": self.delete()})
            question = client.take("elicitation/create")
            self.assertIn("The first text.", question["params"]["message"])
            self.assertEqual(len(self.texts()), 2)
            client.send({"jsonrpc": "2.0", "id": question["id"], "result": result})
            answer = client.receive(ident)["result"]
            self.assertEqual(answer["isError"], result["action"] == "decline", answer)
            self.assertEqual(len(self.texts()), left)
        self.assertEqual(client.close(), 0)

    def test_the_client_goes_away(self):
        client = self.stdio()
        client.send({"jsonrpc": "2.0", "id": 91, "method": "tools/call", "params": self.delete()})
        client.take("elicitation/create")
        self.assertEqual(client.close(), 0)
        self.assertEqual(len(self.texts()), 2)

    def test_http(self):
        client = harness.Client(self.server.port)
        self.addCleanup(client.connection.close)
        client.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}},
                                      "clientInfo": {"name": "test", "version": "1"}})
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=SECONDS)
        self.addCleanup(connection.close)
        connection.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": self.delete()}),
                           {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                            "Mcp-Session-Id": client.session, "MCP-Protocol-Version": client.version})
        response = connection.getresponse()
        question = self.event(response)
        self.assertEqual(question["method"], "elicitation/create")
        status, _, _ = client.post({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {}}})
        self.assertEqual(status, 202)
        self.assertFalse(self.event(response)["result"]["isError"])
        self.assertEqual(self.texts(), ["The second text."])

    def event(self, response):
        for line in response:
            if line.startswith(b"data: {"):
                return json.loads(line[6:])
        self.fail("the stream ended")

    def test_a_client_without_streams_is_not_asked(self):
        client = harness.Client(self.server.port)
        self.addCleanup(client.connection.close)
        client.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}},
                                      "clientInfo": {"name": "test", "version": "1"}})
        status, answer, _ = client.http("POST", "/mcp", {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": self.delete()},
                                        Accept="application/json", Mcp_Session_Id=client.session, MCP_Protocol_Version=client.version)
        self.assertEqual((status, answer["result"]["isError"]), (200, False))


if __name__ == "__main__":
    unittest.main()
