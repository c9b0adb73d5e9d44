# SPDX-License-Identifier: GPL-3.0-or-later
"""The toolsets: which tools, methods and paths a connection reaches, over stdio and HTTP, in both eras, with and without sign-in."""
import http.client
import json
import pathlib
import re
import unittest

import harness
from test_sign_in import bearer, upgrade, wait_for

NO_SANDBOX = ("--sandbox", harness.LOCAL, "--warm", "bare=0,data=0,plot=0")
MODERN = "2026-07-28"
EDITORS_TOOLS = {"find", "add_component", "change_curriculum", "import_curriculum", "undo", "execute_code", "query_graph"}
UNKNOWN_METHOD, INVALID_PARAMS = -32601, -32602
# What only a connection with the tools of the editor has, by its era.
OF_BOTH_ERAS = {
    "resources/list": {}, "resources/templates/list": {}, "prompts/list": {},
    "resources/read": {"uri": "lectern://curricula"},
    "prompts/get": {"name": "review"},
    "completion/complete": {"ref": {"type": "ref/prompt", "name": "review"}, "argument": {"name": "session_id", "value": ""}}}
OF_LEGACY = {"resources/subscribe": {"uri": "lectern://curricula"}, "resources/unsubscribe": {"uri": "lectern://curricula"}}
OF_MODERN = {"subscriptions/listen": {"notifications": {"resourcesListChanged": True}}}


class Http(harness.Client):
    """A client with a toolset in the address, and perhaps a token; modern without a session."""

    def __init__(self, port, choice=None, token=None, query=None):
        super().__init__(port)
        self.path = "/mcp" + (query or ("?toolset=" + choice if choice else ""))
        self.token = bearer(token) if token else {}

    def post(self, message):
        headers = {"Accept": "application/json, text/event-stream", **self.token}
        if self.session:
            headers.update({"Mcp-Session-Id": self.session, "MCP-Protocol-Version": self.version})
        return self.http("POST", self.path, message, **headers)

    def modern(self, method, params=None):
        """(status, answer) of a request of the revision without sessions."""
        meta = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "harness", "version": "1"}}
        headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": MODERN, "Mcp-Method": method, **self.token}
        name = (params or {}).get("name" if method != "resources/read" else "uri")
        if name:
            headers["Mcp-Name"] = name
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": dict(params or {}, _meta=meta)}
        return self.http("POST", self.path, message, **headers)[:2]

    def status(self, method="ping"):
        self.last_id += 1
        return self.post({"jsonrpc": "2.0", "id": self.last_id, "method": method})[0]


def code_of(answer):
    """The code of the error; none for a result."""
    return answer.get("error", {}).get("code")


class Case(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)

    def serve(self, *words):
        server = harness.Server(self.workspace, *NO_SANDBOX, *words)
        self.addCleanup(lambda: self.assertEqual(server.close(), 0))
        return server

    def stdio(self, *words):
        client = harness.Stdio(self.workspace, *NO_SANDBOX, *words)
        self.addCleanup(lambda: self.assertEqual(client.close(), 0))
        return client

    def client(self, server, *words, **named):
        client = Http(server.port, *words, **named)
        self.addCleanup(client.connection.close)
        return client

    def names(self, client):
        return [tool["name"] for tool in client.request("tools/list")["result"]["tools"]]

    def assert_tutor(self, client, opened):
        """A connection that has only the tools of the tutor, after its initialize."""
        self.assertEqual(set(opened["capabilities"]), {"tools", "logging"})
        self.assertIn("get_learner_state", opened["instructions"])
        self.assertNotIn("query_graph", opened["instructions"])
        self.assertFalse(EDITORS_TOOLS & set(self.names(client)))
        for name in EDITORS_TOOLS:
            self.assert_unknown_tool(client.request("tools/call", {"name": name, "arguments": {"code": "1"}}), name)
        for method, params in (OF_BOTH_ERAS | OF_LEGACY).items():
            self.assertEqual(code_of(client.request(method, params)), UNKNOWN_METHOD, method)
        self.assertIsNone(code_of(client.request("logging/setLevel", {"level": "info"})))

    def assert_editor(self, client, opened):
        self.assertEqual(set(opened["capabilities"]), {"tools", "resources", "prompts", "completions", "logging"})
        self.assertIn("query_graph", opened["instructions"])
        self.assertLessEqual(EDITORS_TOOLS, set(self.names(client)))
        self.assertIsNone(code_of(client.request("resources/list")))

    def assert_unknown_tool(self, answer, name):
        """Its text is no hint of another toolset."""
        self.assertEqual(code_of(answer), INVALID_PARAMS, answer)
        text = answer["error"]["message"]
        self.assertIn("unknown tool '%s'" % name, text)
        self.assertFalse(EDITORS_TOOLS & set(re.findall(r"\w+", text.split("'", 2)[2])), text)


class Stdio(Case):
    def test_each_choice(self):
        client = self.stdio()
        self.assert_editor(client, client.initialize())
        before = client.request("tools/list")["result"]
        both = self.stdio("--toolset", "all")
        opened = both.initialize()
        self.assert_editor(both, opened)
        self.assertIn("get_learner_state", opened["instructions"])
        # The listing of the editor is the beginning of that of both.
        self.assertEqual(both.request("tools/list")["result"]["tools"][:len(before["tools"])], before["tools"])
        tutor = self.stdio("--toolset", "tutor")
        self.assert_tutor(tutor, tutor.initialize())
        listed = {tool["name"] for tool in before["tools"]}
        self.assertFalse(listed & set(self.names(tutor)))
        self.assertEqual(listed | set(self.names(tutor)) | {"solve"}, set(self.names(both)))

    def test_solve_and_combinations(self):
        solve = self.stdio("--toolset", "solve")
        opened = solve.initialize()
        self.assertEqual(set(opened["capabilities"]), {"tools", "logging"})
        self.assertIn("solve", opened["instructions"])
        self.assertEqual(self.names(solve), ["solve"])
        for name in sorted(EDITORS_TOOLS) + ["get_learner_state"]:
            self.assert_unknown_tool(solve.request("tools/call", {"name": name, "arguments": {"code": "1"}}), name)
        for choice, parts in (("editor,solve", ("editor", "solve")), ("solve,tutor", ("tutor", "solve")),
                              ("editor,tutor,solve", ("all",))):
            both = self.stdio("--toolset", choice)
            both.initialize()
            wanted = set()
            for part in parts:
                one = self.stdio("--toolset", part)
                one.initialize()
                wanted |= set(self.names(one))
            self.assertEqual(set(self.names(both)), wanted, choice)

    def test_an_operation_is_a_hint_for_editors(self):
        for choice, hinted in (("editor", True), ("all", True), ("tutor", False)):
            client = self.stdio("--toolset", choice)
            client.initialize()
            text = client.request("tools/call", {"name": "rename_node", "arguments": {}})["error"]["message"]
            self.assertEqual("change_curriculum" in text, hinted, text)

    def test_a_batch(self):
        client = self.stdio("--toolset", "tutor")
        client.initialize("2025-03-26")
        client.send([{"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": "execute_code", "arguments": {"code": "1"}}},
                     {"jsonrpc": "2.0", "id": "b", "method": "resources/list"}])
        answers = {answer["id"]: answer for answer in client.receive("batch")}
        self.assert_unknown_tool(answers["a"], "execute_code")
        self.assertEqual(code_of(answers["b"]), UNKNOWN_METHOD)

    def test_wrong_options(self):
        wrong = self.workspace.run("stdio", "--toolset", "teacher", check=False)
        self.assertNotEqual(wrong.returncode, 0)
        self.assertIn(b"editor, tutor, solve", wrong.stderr)
        learner = self.workspace.run("learner", "add", "Ada").stdout.decode().strip()
        wrong = self.workspace.run("stdio", "--learner", learner, check=False)
        self.assertNotEqual(wrong.returncode, 0)
        correct = re.search(r"lectern (stdio --toolset tutor --learner )ID", wrong.stderr.decode())
        self.assertTrue(correct, wrong.stderr)
        self.assertNotIn(learner, wrong.stderr.decode())
        self.workspace.run(*correct[1].split(), learner)
        for unknown in ("0" * 32, "Ada", ""):
            wrong = self.workspace.run("stdio", "--toolset", "tutor", "--learner", unknown, check=False)
            self.assertNotEqual(wrong.returncode, 0, unknown)
            self.assertIn(b"learner", wrong.stderr)

    def test_bound_to_a_learner(self):
        learner = self.workspace.run("learner", "add", "Ada").stdout.decode().strip()
        both = self.stdio("--toolset", "all", "--learner", learner)
        self.assert_editor(both, both.initialize())
        tutor = self.stdio("--toolset", "tutor", "--learner", learner)
        self.assert_tutor(tutor, tutor.initialize())
        for client in both, tutor:
            listed = client.request("tools/list")["result"]["tools"]
            self.assertNotIn("learner_id", json.dumps(listed))
            self.assertNotIn("register_learner", json.dumps([tool["name"] for tool in listed]))


class Query(Case):
    """The toolset in the address, without sign-in."""

    def setUp(self):
        super().setUp()
        self.server = self.serve("--toolset", "all")

    def test_each_choice(self):
        for choice in None, "all", "editor":
            client = self.client(self.server, choice)
            self.assert_editor(client, client.initialize())
        tutor = self.client(self.server, "tutor")
        self.assert_tutor(tutor, tutor.initialize())

    def test_combinations(self):
        for choice in "editor,solve", "editor%2Csolve", "solve,editor":
            client = self.client(self.server, choice)
            self.assert_editor(client, client.initialize())
            self.assertIn("solve", self.names(client))
            self.assertNotIn("get_learner_state", self.names(client))
        client = self.client(self.server, "editor,tutor,solve")
        client.initialize()
        self.assertIn("get_learner_state", self.names(client))

    def test_a_session_keeps_its_choice(self):
        tutor = self.client(self.server, "tutor")
        opened = tutor.initialize()
        for path in "/mcp", "/mcp?toolset=all", "/mcp?toolset=editor":
            tutor.path = path
            self.assert_tutor(tutor, opened)

    def test_each_modern_request_has_its_own(self):
        tutor, editor = self.client(self.server, "tutor"), self.client(self.server)
        discovered = tutor.modern("server/discover")[1]["result"]
        self.assertEqual(set(discovered["capabilities"]), {"tools"})
        self.assertIn("get_learner_state", discovered["instructions"])
        self.assertIn("resources", editor.modern("server/discover")[1]["result"]["capabilities"])
        self.assertFalse(EDITORS_TOOLS & {tool["name"] for tool in tutor.modern("tools/list")[1]["result"]["tools"]})
        for method, params in (OF_BOTH_ERAS | OF_MODERN).items():
            status, answer = tutor.modern(method, params)
            self.assertEqual((status, code_of(answer)), (404, UNKNOWN_METHOD), method)
        self.assert_unknown_tool(tutor.modern("tools/call", {"name": "execute_code", "arguments": {"code": "1"}})[1], "execute_code")
        # An answer to a question that nobody has asked makes no call.
        answered = {"name": "change_curriculum", "arguments": {"operations": []}, "inputResponses": {"confirm": {"action": "accept"}}}
        self.assert_unknown_tool(tutor.modern("tools/call", answered)[1], "change_curriculum")

    def test_a_stream_is_silent_about_curricula(self):
        streams = {}
        for choice in "tutor", "editor":
            client = self.client(self.server, choice)
            client.initialize()
            stream = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=harness.ANSWER_SECONDS)
            self.addCleanup(stream.close)
            stream.request("GET", "/mcp", headers={"Accept": "text/event-stream", "Mcp-Session-Id": client.session})
            streams[choice] = client, stream.getresponse()
        self.assertEqual(self.server.http("POST", "/session/create", {})[0], 200)
        # Both are sent in one turn: the tutor's would be there by now.
        self.assertTrue(any(b"resources/list_changed" in line for line in streams["editor"][1]))
        client, response = streams["tutor"]
        self.assertEqual(client.http("DELETE", "/mcp", Mcp_Session_Id=client.session)[0], 204)
        self.assertNotIn(b"list_changed", response.read())

    def test_wrong_queries(self):
        for query in "?toolset=", "?toolset=Tutor", "?toolset=tutor%20", "?a=b&toolset=teacher", "?toolset=" + "tutor" * 10:
            for method in "POST", "GET", "DELETE":
                status, answer, _ = self.server.http(method, "/mcp" + query, {} if method == "POST" else None)
                self.assertEqual(status, 400, (method, query, answer))
                self.assertIn("editor, tutor, solve", json.dumps(answer))
        # Other members of the query are of others.
        client = self.client(self.server, query="?key=toolset=editor&toolset=tutor&toolset=all")
        self.assert_tutor(client, client.initialize())


class Offer(Case):
    """What a server offers with one toolset."""

    def test_the_tutor_alone(self):
        server = self.serve("--toolset", "tutor")
        self.assertFalse(any("Page" in line or "chat" in line for line in server.lines), server.lines)
        client = self.client(server)
        self.assert_tutor(client, client.initialize())
        for choice in "editor", "all":
            status, answer, _ = server.http("POST", "/mcp?toolset=" + choice, {})
            self.assertEqual(status, 403)
            self.assertIn("--toolset all", answer["error"]["message"])
        for method, path in (("GET", "/"), ("GET", "/ui/page.js"), ("GET", "/sessions"), ("POST", "/session/create"), ("GET", "/openapi.json"),
                             ("POST", "/execute"), ("OPTIONS", "/execute"), ("GET", "/chat"), ("DELETE", "/session/x"), ("GET", "/learnersx"),
                             ("GET", "//sessions"), ("GET", "/mcp/x")):
            status, answer, _ = server.http(method, path, {} if method == "POST" else None)
            self.assertEqual(status, 404, path)
            self.assertIn("--toolset all", answer["detail"], path)
        for path in "/chat?session_id=x", "/mcp-sync", "/other":
            self.assertEqual(upgrade(server.port, path, None)[0], 404)
        self.assertEqual(server.http("GET", "/health")[0], 200)
        self.assertEqual(server.http("GET", "/metrics")[0], 200)

    def test_the_editor_alone(self):
        server = self.serve()
        client = self.client(server, "editor")
        self.assert_editor(client, client.initialize())
        for choice in "tutor", "all":
            status, answer, _ = server.http("POST", "/mcp?toolset=" + choice, {})
            self.assertEqual(status, 403)
            self.assertIn("--toolset", answer["error"]["message"])
        self.assertEqual(server.http("GET", "/sessions")[0], 200)

    def test_a_session_on_a_server_with_fewer(self):
        """The key of the ids is the store's."""
        both = self.serve("--toolset", "all")
        sessions = {}
        for choice in "all", "editor", "tutor":
            client = self.client(both, choice)
            client.initialize()
            sessions[choice] = client
        for words, good in (("tutor", {"tutor"}), ("editor", {"editor"}), ("all", {"all", "editor", "tutor"})):
            other = self.serve("--toolset", words)
            for choice, client in sessions.items():
                follower = self.client(other)
                follower.session, follower.version = client.session, client.version
                self.assertEqual(follower.status(), 200 if choice in good else 404, (words, choice))


class Reader(Case):
    """A token that may only read, and one that may edit, on servers with the tools of a tutor."""

    def start(self, *words):
        self.file = self.workspace.data + "/tokens"
        self.tokens = {scope: self.workspace.run("token", "--token-file", self.file, "--scope", scope, "name-" + scope).stdout.decode().strip()
                       for scope in ("read", "edit")}
        return self.serve("--token-file", self.file, *words)

    def test_both(self):
        server = self.start("--toolset", "all")
        reader = self.client(server, token=self.tokens["read"])
        opened = reader.initialize()
        self.assertNotIn("get_learner_state", opened["instructions"])
        self.assertIn("query_graph", self.names(reader))
        status, answer, headers = reader.http("POST", "/mcp?toolset=tutor", {}, **reader.token)
        self.assertEqual(status, 403)
        self.assertIn("learn", answer["error"]["message"])
        self.assertIn("insufficient_scope", headers["WWW-Authenticate"])
        tutor = self.client(server, "tutor", token=self.tokens["edit"])
        self.assert_tutor(tutor, tutor.initialize())
        # The session of another token is none.
        reader.session = tutor.session
        self.assertEqual(reader.status(), 404)

    def test_a_token_that_loses_a_scope(self):
        """A session with more toolsets than its token is over, and so is its stream."""
        server = self.start("--toolset", "all")
        both, editor = (self.client(server, choice, self.tokens["edit"]) for choice in ("all", "editor"))
        for client in both, editor:
            client.initialize()
        stream = http.client.HTTPConnection("127.0.0.1", server.port, timeout=harness.ANSWER_SECONDS)
        self.addCleanup(stream.close)
        stream.request("GET", "/mcp", headers={"Accept": "text/event-stream", "Mcp-Session-Id": both.session, **both.token})
        opened = stream.getresponse()
        self.assertEqual(opened.status, 200)
        lines = pathlib.Path(self.file).read_text(encoding="utf-8")
        pathlib.Path(self.file).write_text(lines.replace(" edit ", " read "), encoding="utf-8")
        wait_for(lambda: both.status() == 404)
        opened.read()  # to its end
        self.assertEqual(editor.status(), 200)
        self.assertNotIn("add_component", self.names(editor))

    def test_the_tutor_alone(self):
        server = self.start("--toolset", "tutor")
        self.assertEqual(server.http("POST", "/mcp", {}, **bearer(self.tokens["read"]))[0], 403)
        self.assertEqual(server.http("GET", "/sessions")[0], 404)
        self.assertEqual(server.http("GET", "/metrics")[0], 401)
        tutor = self.client(server, token=self.tokens["edit"])
        self.assert_tutor(tutor, tutor.initialize())


class Learn(Case):
    """Tokens with the scope learn, on a server with both toolsets."""

    def setUp(self):
        super().setUp()
        self.file = self.workspace.data + "/tokens"
        self.sid = self.workspace.load(harness.ROOT / "mcp/curriculum/demo/demo_curriculum.json")
        self.learner = self.workspace.run("learner", "add", "Ada").stdout.decode().strip()
        self.edit = self.token("--scope", "edit", "anna")
        self.learn = self.token("--scope", "learn", "tutor")
        self.bound = self.token("--scope", "learn", "--learner", self.learner, "ada")
        self.server = self.serve("--toolset", "all", "--token-file", self.file)

    def token(self, *words):
        return self.workspace.run("token", "--token-file", self.file, *words).stdout.decode().strip()

    def test_it_has_the_tools_of_a_tutor(self):
        for token in self.learn, self.bound:
            for choice in None, "tutor", "all":
                client = self.client(self.server, choice, token)
                self.assert_tutor(client, client.initialize())
            status, answer, headers = client.http("POST", "/mcp?toolset=editor", {}, **client.token)
            self.assertEqual(status, 403)
            self.assertIn("insufficient_scope", headers["WWW-Authenticate"])

    def test_a_bound_one_names_no_learner(self):
        client = self.client(self.server, token=self.bound)
        client.initialize()
        listed = client.request("tools/list")["result"]["tools"]
        self.assertNotIn("learner_id", json.dumps(listed))
        self.assertNotIn("register_learner", [tool["name"] for tool in listed])

    def test_twenty_attacks(self):
        """Each is refused, and nothing has changed after them."""
        editor = self.client(self.server, token=self.edit)
        editor.initialize()
        exported = self.server.http("GET", "/session/%s/export" % self.sid, **bearer(self.edit))[1]
        tutor = self.client(self.server, token=self.learn)
        tutor.initialize()
        batches = self.client(self.server, token=self.learn)
        batches.initialize("2025-03-26")
        modern = self.client(self.server, "all", self.learn)
        code = {"name": "execute_code", "arguments": {"code": "print(1)"}}
        edit = {"name": "change_curriculum", "arguments": {"session_id": self.sid, "operations": [{"op": "delete_node", "node_id": "N001"}]}}
        kept = dict(edit, inputResponses={"confirm": {"action": "accept", "content": {"confirm": True}}}, requestState="x")
        uri = "lectern://curriculum/" + self.sid
        calls = [tutor.request("tools/call", params)
                 for params in (code, edit, kept, {"name": "undo", "arguments": {}}, {"name": "import_curriculum", "arguments": {"content": "{}"}})]
        calls += [modern.modern("tools/call", params)[1] for params in (code, edit, kept)]
        _, batch, _ = batches.post([dict({"jsonrpc": "2.0", "method": "tools/call"}, id=number, params=params)
                                    for number, params in enumerate((code, edit))])
        calls += batch
        for answer in calls:
            self.assertEqual(code_of(answer), INVALID_PARAMS, answer)
            self.assertIn("unknown tool", answer["error"]["message"])
        reads = [tutor.request("resources/read", {"uri": uri}), tutor.request("resources/subscribe", {"uri": uri}),
                 modern.modern("resources/read", {"uri": uri})[1], modern.modern("prompts/list")[1]]
        for answer in reads:
            self.assertEqual(code_of(answer), UNKNOWN_METHOD, answer)
        # The session of an editor is none of its own, whatever is done with it.
        stolen = self.client(self.server, token=self.learn)
        stolen.session, stolen.version = editor.session, editor.version
        refused = [stolen.status("tools/list")]
        for method, last in (("GET", {}), ("GET", {"Last-Event-ID": "p1-0"}), ("DELETE", {})):
            refused.append(stolen.http(method, "/mcp", Mcp_Session_Id=editor.session, Accept="text/event-stream", **last, **stolen.token)[0])
        self.assertEqual(refused, [404] * 4)
        paths = [stolen.http("POST", "/execute", code["arguments"], **stolen.token)[0], stolen.http("GET", "/sessions", **stolen.token)[0],
                 stolen.http("DELETE", "/session/" + self.sid, **stolen.token)[0], stolen.http("POST", "/sign-in/link", **stolen.token)[0],
                 upgrade(self.server.port, "/chat?session_id=" + self.sid, self.learn)[0], upgrade(self.server.port, "/mcp-sync", self.learn)[0]]
        self.assertEqual(paths, [403] * 6)
        self.assertGreaterEqual(len(calls) + len(reads) + len(refused) + len(paths), 20)
        self.assertEqual(self.server.http("GET", "/session/%s/export" % self.sid, **bearer(self.edit))[1], exported)
        self.assertEqual(editor.status(), 200)

    def test_a_token_that_becomes_a_tutors(self):
        """The sessions of its time as an editor's are over; that of the tutor's tools goes on."""
        editor, tutor = (self.client(self.server, choice, self.edit) for choice in (None, "tutor"))
        for client in editor, tutor:
            client.initialize()
        lines = pathlib.Path(self.file).read_text(encoding="utf-8")
        pathlib.Path(self.file).write_text(lines.replace(" edit ", " learn "), encoding="utf-8")
        wait_for(lambda: editor.status() == 404)
        self.assertEqual(tutor.status(), 200)
        self.assertFalse(EDITORS_TOOLS & set(self.names(tutor)))

    def test_an_operator(self):
        """Reaches learners, also where there is only the toolset of a tutor, and no MCP."""
        operate = self.token("--scope", "operate", "pay")
        server = self.serve("--toolset", "tutor", "--token-file", self.file)
        self.assertEqual(server.http("GET", "/learners/" + self.learner, **bearer(operate))[0], 200)
        self.assertEqual(server.http("GET", "/learners/" + self.learner, **bearer(self.learn))[0], 403)
        self.assertEqual(server.http("POST", "/mcp", {}, **bearer(operate))[0], 403)


if __name__ == "__main__":
    unittest.main()
