# SPDX-License-Identifier: GPL-3.0-or-later
"""MCP of the whole program, on stdio and over HTTP, in both eras: resources, prompts, completions, and what a client is told of changes."""
import http.client
import json
import re
import unittest

import harness

MODERN = "2026-07-28"
PREFIX = "io.modelcontextprotocol/"
CURRICULUM = "lectern://curriculum/{session_id}"
TEMPLATES = [CURRICULUM, CURRICULUM + "/node/{node_id}", CURRICULUM + "/node/{node_id}/component/{component_id}", CURRICULUM + "/chapter/{chapter}",
             CURRICULUM + "/history"]
# Each prompt: its arguments beside session_id, and the tools that it names.
PROMPTS = {
    "review_prerequisites": (["node_id"], {"query_graph", "find", "change_curriculum"}),
    "fill_thin_lesson": (["node_id"], {"find", "query_graph", "change_curriculum"}),
    "gaps_before": (["node_id"], {"find", "query_graph", "create_relationship"}),
    "plan_course": (["weeks"], {"query_graph"}),
    "rename_term": (["from", "to"], {"find", "change_curriculum"}),
    "align_standard": (["framework"], {"query_graph", "find", "import_curriculum", "change_curriculum", "create_relationship"}),
}
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
SECONDS = 15  # for one event to come


def modern_meta():
    return {PREFIX + "protocolVersion": MODERN, PREFIX + "clientInfo": {"name": "test", "version": "1"},
            PREFIX + "clientCapabilities": {}}


def request(method, ident, **params):
    return {"jsonrpc": "2.0", "id": ident, "method": method, "params": params}


def modern_headers(message):
    params = message.get("params", {})
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": MODERN, "Mcp-Method": message["method"]}
    if message["method"] in NAMED:
        headers["Mcp-Name"] = params[NAMED[message["method"]]]
    return headers


class Modern:
    """A client without initialize."""
    modern = True

    def request(self, method, params=None, meta=None):
        return super().request(method, params, meta or modern_meta())


class LegacyStdio(harness.Stdio):
    modern = False


class ModernStdio(Modern, harness.Stdio):
    pass


class LegacyHttp(harness.Client):
    modern = False

    def exchange(self, message):
        """The answer, also an error's."""
        _, answer, headers = self.post(message)
        self.session = headers.get("Mcp-Session-Id", self.session)
        self.version = answer.get("result", {}).get("protocolVersion", self.version)
        return answer


class ModernHttp(Modern, LegacyHttp):
    def post(self, message):
        return self.http("POST", "/mcp", message, **modern_headers(message))


class Case(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        self.server = harness.Server(self.workspace, "--no-demo", "--sandbox", harness.LOCAL, "--warm", "bare=0,data=0,plot=0")
        self.addCleanup(self.end)
        self.sid = self.post("/session/create")["session_id"]
        self.post("/session/%s/nodes/N001/components/insert" % self.sid, {"type": "paragraph", "parameters": {"text": "A text to find."}})
        self.post("/session/%s/nodes" % self.sid, {"node_id": "a/b", "title": "With a slash"})
        self.post("/session/%s/relationships" % self.sid, {"from_node_id": "N001", "to_node_id": "a/b"})

    def end(self):
        if self.server.process.returncode is None:
            self.assertEqual(self.server.close(), 0)

    def post(self, path, body=None):
        status, value, _ = self.server.http("POST", path, body)
        self.assertEqual(status, 200, value)
        return value

    def uri(self, node=None):
        return "lectern://curriculum/" + self.sid + ("/node/" + node if node else "")

    def component(self):
        return self.server.http("GET", "/session/%s/nodes/N001/components" % self.sid)[1]["components"][-1]

    def component_uri(self, component):
        return self.uri("N001") + "/component/" + component["component_id"]

    def clients(self):
        for kind in LegacyStdio, ModernStdio, LegacyHttp, ModernHttp:
            stdio = issubclass(kind, harness.Stdio)
            client = kind(self.workspace, "--sandbox", harness.LOCAL, "--warm", "bare=0,data=0,plot=0") if stdio else kind(self.server.port)
            with self.subTest(kind.__name__):
                yield client
            if stdio:
                self.assertEqual(client.close(), 0)
            else:
                client.connection.close()


class Reading(Case):
    """Every client, on each transport and in each era, reads the same."""

    def offer(self, client):
        result = client.request("server/discover")["result"] if client.modern else client.initialize()
        return result["capabilities"]

    def test_lists(self):
        for client in self.clients():
            offer = self.offer(client)
            self.assertEqual(offer["resources"], {"subscribe": True, "listChanged": True})
            self.assertEqual((offer["prompts"], offer["completions"]), ({"listChanged": False}, {}))
            self.assertEqual("logging" in offer, not client.modern)
            listed = client.request("resources/list")["result"]
            self.assertEqual([one["uri"] for one in listed["resources"]], [self.uri()])
            self.assertEqual(listed.get("cacheScope"), "private" if client.modern else None)
            templates = client.request("resources/templates/list")["result"]["resourceTemplates"]
            self.assertEqual([one["uriTemplate"] for one in templates], TEMPLATES)
            self.assertEqual(client.request("resources/list", {"cursor": "made up"})["error"]["code"], -32602)

    def test_resources(self):
        for client in self.clients():
            self.offer(client)
            contents = client.request("resources/read", {"uri": self.uri()})["result"]["contents"]
            self.assertEqual((len(contents), contents[0]["uri"], contents[0]["mimeType"]), (1, self.uri(), "text/markdown"))
            self.assertIn("## Lessons (3)", contents[0]["text"])
            for node in "N001", "a%2Fb":
                self.assertIn("](%s)" % self.uri(node), contents[0]["text"])
            self.assertIn("## Relationships (1)\n\n- N001 ", contents[0]["text"])
            lesson = client.request("resources/read", {"uri": self.uri("N001")})["result"]["contents"][0]["text"]
            self.assertIn("node_id: N001", lesson)
            self.assertRegex(lesson, r'<!-- component: paragraph {"confidence":1.0,"component_id":"[0-9a-f-]{36}","revision":1} -->\n'
                                     r"A text to find[.]\n")
            self.assertNotIn("total_components", lesson)
            lesson = client.request("resources/read", {"uri": self.uri("a%2Fb")})["result"]["contents"][0]["text"]
            self.assertIn("title: With a slash", lesson)
            component = self.component()
            one = client.request("resources/read", {"uri": self.component_uri(component)})["result"]["contents"][0]["text"]
            self.assertIn(component["component_id"], one)
            self.assertTrue(one.endswith("A text to find.\n"), one)
            self.assertNotIn("node_id", one)
            history = client.request("resources/read", {"uri": self.uri() + "/history"})["result"]["contents"][0]["text"]
            self.assertRegex(history, r"^# Changes, up to version (\d+)\n\n- \1, \d{4}-\d\d-\d\dT[^,]*, [^:]+: ")
            self.assertEqual(history.count("\n- "), 4)
            missing = self.component_uri({"component_id": "0" * 36})
            for uri in self.uri("N999"), TEMPLATES[0].replace("{session_id}", "0" * 36), "file:///etc/passwd", missing:
                error = client.request("resources/read", {"uri": uri})["error"]
                self.assertEqual((error["code"], error["data"]), (-32602 if client.modern else -32002, {"uri": uri}))

    def test_prompts(self):
        for client in self.clients():
            self.offer(client)
            prompts = client.request("prompts/list")["result"]["prompts"]
            self.assertEqual({one["name"]: [argument["name"] for argument in one["arguments"]] for one in prompts},
                             {name: ["session_id"] + arguments for name, (arguments, _) in PROMPTS.items()})
            for name, arguments in {"review_prerequisites": {"node_id": "N002"}, "rename_term": {"from": "N002", "to": "N003"}}.items():
                got = client.request("prompts/get", {"name": name, "arguments": arguments})["result"]
                self.assertEqual(got["messages"][0]["role"], "user")
                self.assertIn("N002", got["messages"][0]["content"]["text"])
            self.assertIn("to", client.request("prompts/get", {"name": "rename_term", "arguments": {"from": "x"}})["error"]["message"])
            for ref in {"type": "ref/resource", "uri": TEMPLATES[1]}, {"type": "ref/prompt", "name": "review_prerequisites"}:
                found = client.request("completion/complete", {"ref": ref, "argument": {"name": "node_id", "value": "n00"},
                                                               "context": {"arguments": {"session_id": self.sid}}})
                self.assertEqual(found["result"]["completion"], {"values": ["N001", "N002"], "total": 2, "hasMore": False})
                found = client.request("completion/complete", {"ref": ref, "argument": {"name": "session_id", "value": self.sid[:6]}})
                self.assertEqual(found["result"]["completion"]["values"], [self.sid])

    def test_prompts_name_what_exists(self):
        """Each tool, operation, query and argument in the text of a prompt, with all of its arguments; its calls, as they are written."""
        client = LegacyHttp(self.server.port)
        client.initialize()
        self.addCleanup(client.connection.close)
        tools = {tool["name"]: tool["inputSchema"] for tool in client.request("tools/list")["result"]["tools"]}
        schemas = json.dumps(list(tools.values()))
        for name, (arguments, needed) in PROMPTS.items():
            given = {"session_id": self.sid, **{argument: {"from": "text", "weeks": "6", "framework": self.sid}.get(argument, "N001") for argument in arguments}}
            text = client.request("prompts/get", {"name": name, "arguments": given})["result"]["messages"][0]["content"]["text"]
            words = set(re.findall(r"[a-z]+(?:_[a-z]+)+|find(?= [{(])", text))
            self.assertEqual({word for word in words if word not in tools and '"%s"' % word not in schemas}, set(), name)
            self.assertEqual(words & set(tools), needed)
            self.assertEqual(text.count("\n\nExample: "), 1)
            calls = [(found[1], json.JSONDecoder().raw_decode(text, found.end())[0]) for found in re.finditer(r"(\w+) (?={\")", text)]
            for tool, call in calls:
                client.good(tool, **{"session_id": self.sid, **call})


class Changes(Case):
    """A subscription over HTTP, and the two eras on stdio."""

    def events(self, response):
        """The next message of a stream."""
        while True:
            line = response.readline()
            self.assertTrue(line, "the stream has ended")
            if line.startswith(b"data:") and line[5:].strip():
                return json.loads(line[5:])

    def listen(self, wanted):
        message = {"jsonrpc": "2.0", "id": "s", "method": "subscriptions/listen", "params": {"_meta": modern_meta(), "notifications": wanted}}
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=SECONDS)
        connection.request("POST", "/mcp", json.dumps(message), {"Content-Type": "application/json", **modern_headers(message)})
        response = connection.getresponse()
        self.assertEqual(response.status, 200)
        return connection, response

    def test_listen(self):
        component = self.component_uri(self.component())
        connection, response = self.listen({"resourcesListChanged": True, "toolsListChanged": True,
                                            "resourceSubscriptions": [self.uri("N001"), self.uri(), component]})
        first = self.events(response)
        self.assertEqual(first["method"], "notifications/subscriptions/acknowledged")
        self.assertEqual(sorted(first["params"]["notifications"]), ["resourceSubscriptions", "resourcesListChanged"])
        self.post("/session/%s/nodes/N002/components/insert" % self.sid, {"type": "paragraph", "parameters": {"text": "elsewhere"}})
        event = self.events(response)
        self.assertEqual((event["method"], event["params"]["uri"]), ("notifications/resources/updated", self.uri()))
        self.post("/session/%s/nodes/N001/components/insert" % self.sid, {"type": "paragraph", "parameters": {"text": "here"}})
        updated = {self.events(response)["params"]["uri"] for _ in range(3)}
        self.assertEqual(updated, {self.uri(), self.uri("N001"), component})
        self.post("/session/create")
        event = self.events(response)
        self.assertEqual(event["method"], "notifications/resources/list_changed")
        self.assertEqual(event["params"]["_meta"], {PREFIX + "subscriptionId": "s"})
        connection.close()

    def test_end_of_the_server(self):
        connection, response = self.listen({"resourcesListChanged": True})
        self.events(response)
        self.assertEqual(self.server.close(), 0)
        last = self.events(response)
        self.assertEqual((last["id"], last["result"]["resultType"]), ("s", "complete"))
        connection.close()

    def test_get_stream(self):
        client = LegacyHttp(self.server.port)
        client.initialize()
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=SECONDS)
        connection.request("GET", "/mcp", headers={"Accept": "text/event-stream", "Mcp-Session-Id": client.session,
                                                   "MCP-Protocol-Version": client.version})
        response = connection.getresponse()
        self.assertEqual(response.status, 200)
        self.assertEqual(client.request("resources/subscribe", {"uri": self.uri("N001")})["result"], {})
        client.good("add_component", session_id=self.sid, node_id="N001", component_type="paragraph", parameters={"text": "new"})
        event = self.events(response)
        self.assertEqual((event["method"], event["params"]), ("notifications/resources/updated", {"uri": self.uri("N001")}))
        self.post("/session/create")
        self.assertEqual(self.events(response)["method"], "notifications/resources/list_changed")
        connection.close()
        client.connection.close()

    def test_batch_on_stdio(self):
        """The answers are one line, the slow call does not hold up what comes after it, and a lone notification has none."""
        client = LegacyStdio(self.workspace, "--sandbox", harness.LOCAL, "--warm", "bare=0,data=0,plot=0")
        client.initialize("2025-03-26")
        self.check_batch(lambda batch: client.send(batch) or client.receive("batch"))
        client.send([request("tools/call", "slow", name="execute_code", arguments={"session_id": self.sid, "code": "import time\ntime.sleep(2)\nprint('awake')"}),
                     request("ping", "quick")])
        self.assertEqual(client.request("ping")["result"], {})
        self.assertNotIn("batch", client.answers)
        answers = {answer["id"]: answer["result"] for answer in client.receive("batch")}
        self.assertEqual(answers["quick"], {})
        self.assertIn("awake", answers["slow"]["content"][0]["text"])
        client.send([{"jsonrpc": "2.0", "method": "notifications/initialized"}])
        self.assertEqual(client.request("ping")["result"], {})
        self.assertNotIn("batch", client.answers)
        self.assertEqual(client.close(), 0)

    def test_batch_over_http(self):
        client = LegacyHttp(self.server.port)
        client.initialize("2025-03-26")
        self.check_batch(lambda batch: client.post(batch)[1])
        status, answers, headers = client.post([request("ping", 1)])
        self.assertEqual((status, [answer["id"] for answer in answers], headers["Content-Type"]), (200, [1], "application/json"))
        call = request("tools/call", 2, name="execute_code", _meta={"progressToken": "t"},
                       arguments={"session_id": self.sid, "code": "import time\ntime.sleep(2)\nprint('awake')"})
        _, stream, headers = client.post([call, request("ping", 3)])
        self.assertTrue(headers["Content-Type"].startswith("text/event-stream"), headers["Content-Type"])
        sent = [json.loads(line[5:]) for line in stream.decode().splitlines() if line.startswith("data: {") or line.startswith("data: [")]
        self.assertEqual(sent[0]["method"], "notifications/progress")
        self.assertEqual({answer["id"] for answer in sent[-1]}, {2, 3})
        self.assertEqual(client.post([{"jsonrpc": "2.0", "method": "notifications/initialized"}])[:2], (202, b""))
        client.connection.close()

    def check_batch(self, send):
        """What is common to the transports."""
        answers = send([request("ping", 1), {"jsonrpc": "2.0", "method": "notifications/initialized"},
                        request("tools/call", "a", name="add_component", arguments={
                            "session_id": self.sid, "node_id": "N001", "component_type": "paragraph", "parameters": {"text": "batched"}}),
                        request("no/such", 3), request("initialize", 4), [], 5, request("tools/list", 6, _meta=modern_meta())])
        found = {answer["id"]: answer.get("error", {}).get("code") for answer in answers if answer["id"] is not None}
        self.assertEqual(found, {1: None, "a": None, 3: -32601, 4: -32600, 6: -32600})
        self.assertEqual([answer["error"]["code"] for answer in answers if answer["id"] is None], [-32600, -32600])
        self.assertEqual(self.component()["parameters"]["text"], "batched")
        self.assertEqual(len(send([request("ping", i) for i in range(64)])), 64)

    def test_refused_batches(self):
        for version, batch, says in (("2025-06-18", [request("ping", 1)], "2025-03-26"), ("2025-03-26", [], "at least one"),
                                     ("2025-03-26", [request("ping", i) for i in range(65)], "at most 64")):
            client = LegacyHttp(self.server.port)
            client.initialize(version)
            status, answer, _ = client.post(batch)
            self.assertEqual((status, answer["error"]["code"]), (400, -32600))
            self.assertIn(says, answer["error"]["message"])
            client.connection.close()

    def test_stdio(self):
        client = LegacyStdio(self.workspace, "--sandbox", harness.LOCAL, "--warm", "bare=0,data=0,plot=0")
        client.initialize()
        self.assertEqual(client.request("resources/subscribe", {"uri": self.uri("N001")})["result"], {})
        client.send({"jsonrpc": "2.0", "id": 900, "method": "subscriptions/listen",
                     "params": {"_meta": modern_meta(), "notifications": {"resourceSubscriptions": [self.uri("N001")]}}})
        self.assertEqual(client.notification("notifications/subscriptions/acknowledged")["_meta"], {PREFIX + "subscriptionId": 900})
        client.good("add_component", session_id=self.sid, node_id="N001", component_type="paragraph", parameters={"text": "new"})
        both = [client.notification("notifications/resources/updated") for _ in range(2)]
        self.assertEqual({one["uri"] for one in both}, {self.uri("N001")})
        self.assertEqual(sorted(len(one) for one in both), [1, 2])  # the modern one says for which subscription
        client.notify("notifications/cancelled", {"requestId": 900})
        client.request("resources/unsubscribe", {"uri": self.uri("N001")})
        client.good("add_component", session_id=self.sid, node_id="N001", component_type="paragraph", parameters={"text": "newer"})
        self.assertEqual(client.close(), 0)
        self.assertEqual([one["method"] for one in client.notifications], [])


if __name__ == "__main__":
    unittest.main()
