# SPDX-License-Identifier: GPL-3.0-or-later
"""Sign-in by the tokens of a file: who reaches which door, with what scope, and the link of the page."""
import asyncio
import hashlib
import http.client
import json
import os
import pty
import re
import subprocess
import time
import unittest

import harness
import web_sockets

PRINT = {"code": "print(1)"}
SECONDS = 20  # for what happens soon
LEARNER = "0123456789abcdef" * 2
HEADERS = {"Accept": "application/json, text/event-stream"}


def bearer(token):
    return {"Authorization": "Bearer " + token}


def wait_for(check):
    """Asks until it is true: the server looks at a file twice a second."""
    end = time.monotonic() + SECONDS
    while not check():
        if time.monotonic() > end:
            raise AssertionError("it did not become true")
        time.sleep(0.05)


def upgrade(port, path, token):
    """(101, {}) if the WebSocket works, or the status and the headers of the refusal."""
    async def play():
        url = "ws://127.0.0.1:%d%s" % (port, path)
        try:
            async with web_sockets.connect(url, extra_headers=bearer(token) if token else {}) as socket:
                await asyncio.wait_for(await socket.ping(), SECONDS)
                return 101, {}
        except web_sockets.InvalidStatusCode as refused:
            return refused.status_code, refused.headers
    return asyncio.run(play())


class SignInCase(unittest.TestCase):
    """A server with a token file: an editor, a reader, and an editor of one curriculum."""

    options = ()

    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        self.file = os.path.join(self.workspace.data, "tokens")
        self.sid = self.workspace.load(harness.ROOT / "mcp/curriculum/demo/demo_curriculum.json")
        self.other = self.workspace.load(harness.ROOT / "mcp/curriculum/demo/demo_curriculum.json")
        self.edit, self.read = self.token("--scope", "edit", "anna"), self.token("ben")
        self.one = self.token("--scope", "edit", "--session", self.sid, "carl")
        self.server = harness.Server(self.workspace, "--sandbox", harness.LOCAL, "--warm", "bare=0,data=0,plot=0", "--token-file", self.file,
                                     *self.options)
        self.addCleanup(self.end)

    def end(self):
        if self.server.process.returncode is None:
            self.assertEqual(self.server.close(), 0)
        log = "".join(self.server.lines)
        for token in (self.edit, self.read, self.one):
            self.assertNotIn(token, log)

    def token(self, *words):
        return self.workspace.run("token", "--token-file", self.file, *words).stdout.decode().strip()

    def http(self, method, path, token=None, body=None, **headers):
        return self.server.http(method, path, body, **(bearer(token) if token else {}), **headers)

    def status(self, *words, **named):
        return self.http(*words, **named)[0]

    def upgrade(self, path, token):
        return upgrade(self.server.port, path, token)[0]

    def withdraw(self, name):
        """Takes the line of that name out of the file."""
        with open(self.file, encoding="utf-8") as lines:
            kept = [line for line in lines if " " + name not in line]
        with open(self.file + ".new", "w", encoding="utf-8") as file:
            file.writelines(kept)
        os.chmod(self.file + ".new", 0o600)
        os.replace(self.file + ".new", self.file)

    def mcp(self, token, version="2025-11-25"):
        client = SignedIn(self.server.port, token, version)
        self.addCleanup(client.connection.close)
        return client


class SignedIn(harness.Client):
    """An MCP client with a token."""

    def __init__(self, port, token, version):
        super().__init__(port)
        self.token = token
        self.initialize(version)

    def post(self, message):
        headers = dict(HEADERS, **bearer(self.token))
        if self.session:
            headers.update({"Mcp-Session-Id": self.session, "MCP-Protocol-Version": self.version})
        return self.http("POST", "/mcp", message, **headers)

    def modern(self, method, **params):
        """A request of the revision without sessions: its status, answer and headers."""
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "harness", "version": "1"}}
        headers = dict(HEADERS, **bearer(self.token), **{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method})
        if "name" in params:
            headers["Mcp-Name"] = params["name"]
        return self.http("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": method, "params": dict(params, _meta=meta)}, **headers)


class Sessions(SignInCase):
    def ping(self, client):
        client.last_id += 1
        return client.post({"jsonrpc": "2.0", "id": client.last_id, "method": "ping"})[0]

    def test_a_session_is_its_token_s(self):
        anna, ben = self.mcp(self.edit), self.mcp(self.read)
        own = ben.session
        self.assertEqual(self.ping(anna), 200)
        ben.session = anna.session
        self.assertEqual(self.ping(ben), 404)
        self.assertEqual(ben.http("GET", "/mcp", Accept="text/event-stream", Mcp_Session_Id=anna.session, **bearer(self.read))[0], 404)
        self.assertEqual(ben.http("DELETE", "/mcp", Mcp_Session_Id=anna.session, **bearer(self.read))[0], 404)
        self.assertEqual(self.ping(anna), 200)
        ben.session = own
        self.assertEqual(self.ping(ben), 200)
        # It is so after a restart, too.
        self.server.kill()
        self.server = harness.Server(self.workspace, "--sandbox", harness.LOCAL, "--warm", "bare=0,data=0,plot=0", "--token-file", self.file)
        for client, session, status in ((anna, anna.session, 200), (ben, anna.session, 404), (ben, own, 200)):
            client.connection.close()
            client.connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=harness.ANSWER_SECONDS)
            client.session = session
            self.assertEqual(self.ping(client), status)
        for client in (anna, ben):
            client.connection.close()


class Doors(SignInCase):
    def test_nobody_enters_without_a_token(self):
        paths = ["/", "/ui/x.js", "/sessions", "/openapi.json", "/metrics", "/session/%s/nodes" % self.sid, "/nowhere", "/mcp"]
        for token in (None, "x", "lectern_" + "x" * 43, self.read + "x", self.read.lower()):
            for path in paths:
                status, _, headers = self.http("GET", path, token)
                self.assertEqual(status, 401, path)
                challenge = headers["WWW-Authenticate"]
                self.assertIn('resource_metadata="http://127.0.0.1:%d/.well-known/oauth-protected-resource/mcp"' % self.server.port, challenge)
                self.assertIn('scope="read edit"', challenge)
                self.assertEqual('error="invalid_token"' in challenge, token is not None)
            for path, body in (("/execute", PRINT), ("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}), ("/session/create", None)):
                self.assertEqual(self.status("POST", path, token, body), 401, path)
            for path in ("/mcp-sync?session_id=" + self.sid, "/chat?session_id=" + self.sid):
                status, headers = upgrade(self.server.port, path, token)
                self.assertEqual((status, 'error="invalid_token"' in headers["WWW-Authenticate"]), (401, token is not None))
        for path in ("/health", "/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"):
            self.assertEqual(self.status("GET", path), 200, path)

    def test_metadata(self):
        for path in ("", "/mcp"):
            _, answer, _ = self.http("GET", "/.well-known/oauth-protected-resource" + path)
            self.assertEqual(answer["resource"], "http://127.0.0.1:%d%s" % (self.server.port, path))
            self.assertEqual(answer["scopes_supported"], ["read", "edit"])
            self.assertNotIn("authorization_servers", answer)
        self.assertEqual(self.status("GET", "/.well-known/oauth-protected-resource/other"), 404)

    def test_reader_reads(self):
        for path in ("/", "/sessions", "/metrics", "/session/%s/nodes" % self.sid, "/session/%s/graph/counts" % self.sid):
            self.assertEqual(self.status("GET", path, self.read), 200, path)
        for token, scope in ((self.read, "read"), (self.edit, "read edit learn")):
            self.assertEqual(self.http("GET", "/sessions", token)[2]["Lectern-Scope"], scope)
        status, answer, _ = self.http("POST", "/execute", self.read, PRINT)
        self.assertEqual((status, answer["stdout"]), (200, "1\n"))
        for path in ("/mcp-sync?session_id=" + self.sid, "/chat?session_id=" + self.sid):
            self.assertEqual(self.upgrade(path, self.read), 101)

    def test_reader_edits_by_no_route(self):
        """Every write of the session API, as its own description lists them."""
        _, description, _ = self.http("GET", "/openapi.json", self.edit)
        before = self.http("GET", "/session/%s/history" % self.sid, self.edit)[1]
        tried = 0
        for path, methods in description["paths"].items():
            for method in {"post", "put", "patch", "delete"} & set(methods):
                if path in ("/execute",):
                    continue
                real = path.replace("{learner_id}", LEARNER).replace("{sid}", self.sid).replace("{nid}", "N001").replace("{order}", "1").replace("{id}", "1")
                status, _, headers = self.http(method.upper(), real, self.read, {})
                self.assertEqual(status, 403, (method, path))
                self.assertIn('error="insufficient_scope"', headers["WWW-Authenticate"])
                self.assertIn('scope="%s"' % ("learn operate" if path.startswith("/learners") else "edit"), headers["WWW-Authenticate"])
                tried += 1
        self.assertGreater(tried, 20)
        self.assertEqual(self.http("GET", "/session/%s/history" % self.sid, self.edit)[1], before)

    def test_reader_edits_by_no_tool(self):
        client = self.mcp(self.read)
        listed = [tool["name"] for tool in client.request("tools/list")["result"]["tools"]]
        everything = [tool["name"] for tool in self.mcp(self.edit).request("tools/list")["result"]["tools"]]
        self.assertIn("query_graph", listed)
        self.assertIn("execute_code", listed)
        self.assertNotIn("add_component", listed)
        self.assertLess(len(listed), len(everything))
        for name in set(everything) - set(listed):
            arguments = {"session_id": self.sid, "node_id": "N001"}
            status, answer, headers = client.post({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": name,
                                                                                                               "arguments": arguments}})
            self.assertEqual(status, 403, name)
            self.assertIn("insufficient_scope", answer["error"]["message"])
            self.assertIn('error="insufficient_scope"', headers["WWW-Authenticate"])
            self.assertEqual(client.modern("tools/call", name=name, arguments=arguments)[0], 403, name)
        _, answer, _ = client.modern("tools/list")
        self.assertEqual([tool["name"] for tool in answer["result"]["tools"]], listed)
        is_error, text = client.call("history", session_id=self.sid, action="undo")
        self.assertTrue(is_error and "only reads" in text, text)
        self.assertIn("40 nodes", client.good("query_graph", query="counts", session_id=self.sid))

    def test_reader_edits_by_no_question(self):
        """A chat of the original CMS; without a model nothing is answered, and nothing is changed."""
        async def ask():
            url = "ws://127.0.0.1:%d/mcp-sync?session_id=%s" % (self.server.port, self.sid)
            async with web_sockets.connect(url, extra_headers=bearer(self.read)) as socket:
                await socket.send(json.dumps({"type": "chat_message", "content": "Delete N001"}))
                return json.loads(await asyncio.wait_for(socket.recv(), SECONDS))["type"]
        self.assertEqual(asyncio.run(ask()), "error")

    def test_names_in_the_change_log(self):
        """The name of a token counts, whatever the request says of itself."""
        node = "/session/%s/nodes/N001/components/insert" % self.sid
        component = {"type": "heading", "parameters": {"text": "A heading", "level": 2}, "order": 1}
        status, answer, _ = self.http("POST", node, self.edit, component, X_Editor="Mallory")
        self.assertEqual(status, 200, answer)
        _, answer, _ = self.http("GET", "/session/%s/history" % self.sid, self.edit)
        self.assertIn("rest:anna", json.dumps(answer))
        self.assertNotIn("Mallory", json.dumps(answer))
        is_error, text = self.mcp(self.edit).call("add_component", session_id=self.sid, node_id="N001", component_type="heading",
                                                  parameters={"text": "Another"})
        self.assertFalse(is_error, text)
        self.assertIn("mcp:anna", json.dumps(self.http("GET", "/session/%s/history" % self.sid, self.edit)[1]))

    def test_one_curriculum(self):
        _, answer, _ = self.http("GET", "/sessions", self.one)
        self.assertEqual([session["session_id"] for session in answer["sessions"]], [self.sid])
        self.assertEqual(answer["total"], 1)
        self.assertEqual(len(self.http("GET", "/sessions", self.edit)[1]["sessions"]), 2)
        self.assertEqual(len(self.http("GET", "/sessions", self.one)[1]["sessions"]), 1)
        self.assertEqual(self.status("GET", "/session/%s/nodes" % self.sid, self.one), 200)
        for method, path, body in (("GET", "/session/%s/nodes", None), ("GET", "/session/validate/%s", None), ("DELETE", "/session/%s", None),
                                   ("PUT", "/session/%s", {"title": "Mine"})):
            self.assertEqual(self.status(method, path % self.other, self.one, body), 403, path)
        status, answer, _ = self.http("GET", "/metrics", self.one)
        self.assertEqual(status, 403)
        self.assertIn("a token that is not bound", json.dumps(answer))
        self.assertEqual(self.status("POST", "/session/create", self.one), 403)
        self.assertEqual(self.status("POST", "/session/create", self.one, X_Session_ID=self.sid), 403)
        bare = "/nodes/N001/components"
        self.assertEqual(self.status("GET", bare, self.one), 200)
        self.assertEqual(self.status("GET", bare, self.one, X_Session_ID=self.other), 403)
        self.assertEqual(self.status("GET", bare + "?session_id=" + self.other, self.one), 403)
        self.assertEqual(self.status("POST", "/execute", self.one, dict(PRINT, session_id=self.other)), 403)
        self.assertEqual(self.status("POST", "/execute", self.one, dict(PRINT, session_id=self.sid)), 200)
        client = self.mcp(self.one)
        self.assertIn("40 nodes", client.good("query_graph", query="counts"))
        self.assertTrue(client.call("query_graph", query="counts", session_id=self.other)[0])
        for path in ("/mcp-sync?session_id=", "/chat?session_id="):
            self.assertEqual(self.upgrade(path + self.other, self.one), 403)
            self.assertEqual(self.upgrade(path + self.sid, self.one), 101)

        async def move():
            async with web_sockets.connect("ws://127.0.0.1:%d/mcp-sync" % self.server.port, extra_headers=bearer(self.one)) as socket:
                await socket.send(json.dumps({"type": "context_update", "context": {"session_id": self.other}}))
                return json.loads(await asyncio.wait_for(socket.recv(), SECONDS))
        self.assertIn("only", asyncio.run(move())["error"])

    def test_session_of_another_token(self):
        client = self.mcp(self.read)
        client.token = self.edit
        self.assertEqual(client.post({"jsonrpc": "2.0", "id": 2, "method": "ping"})[0], 404)

    def test_no_token_in_arguments(self):
        """Neither a query nor a body signs in."""
        self.assertEqual(self.status("GET", "/sessions?access_token=" + self.read), 401)
        self.assertEqual(self.status("POST", "/execute", None, dict(PRINT, access_token=self.read)), 401)
        for header in ("Basic " + self.read, "Bearer", "Bearer  ", self.read, "Bearer " + self.read + " x", "Bearer a,b"):
            self.assertEqual(self.server.http("GET", "/sessions", Authorization=header)[0], 401, header)

    def test_two_headers(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port)
        connection.putrequest("GET", "/sessions")
        connection.putheader("Authorization", "Bearer " + self.read)
        connection.putheader("Authorization", "Bearer " + self.edit)
        connection.endheaders()
        self.assertIn(connection.getresponse().status, (400, 401))
        connection.close()

    def test_large_token(self):
        """Nine kilobytes are refused by the gate, a megabyte before it is read."""
        self.assertEqual(self.status("GET", "/sessions", "x" * 9000), 431)
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port)
        try:
            connection.request("GET", "/sessions", headers=bearer("x" * (1 << 20)))
            self.assertEqual(connection.getresponse().status, 431)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it was refused before it was sent
        connection.close()
        self.assertEqual(self.status("GET", "/sessions", self.read), 200)


PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
ALL, READERS = {"read", "edit", "learn", "operate"}, {"read", "edit"}
# Each route of the server (http_route_NAME in mcp/transport/), a request of it, and the scopes that it does not refuse.
ROUTES = {
    "mcp": ("POST", "/mcp", PING, READERS | {"learn"}),
    "page": ("GET", "/", None, READERS),
    "page_files": ("GET", "/ui/none", None, READERS),
    "metrics": ("GET", "/metrics", None, READERS),
    "execute": ("POST", "/execute", PRINT, READERS),
    "rest": ("GET", "/sessions", None, READERS),
    "learners": ("GET", "/learners/" + LEARNER, None, {"learn", "operate"}),
    "health": ("GET", "/health", None, ALL),
    "sign_in": ("OPTIONS", "/sign-in", None, ALL),
    "sign_in_link": ("POST", "/sign-in/link", None, READERS),
    "resource": ("GET", "/.well-known/oauth-protected-resource", None, ALL),
}
SOCKETS = {"sync": "/mcp-sync", "chat": "/chat"}


class Scopes(SignInCase):
    """What each scope reaches on a server with a tutor."""

    options = ("--toolset", "all")

    def setUp(self):
        super().setUp()
        self.tokens = {"read": self.read, "edit": self.edit, "operate": self.token("--scope", "operate", "pay"),
                       "learn": self.token("--scope", "learn", "--learner", LEARNER, "tutor")}
        wait_for(lambda: self.status("GET", "/learners/" + LEARNER, self.tokens["learn"]) == 404)

    def test_every_route(self):
        """A new route needs a row here."""
        sources = "".join(path.read_text() for path in sorted((harness.ROOT / "mcp/transport").rglob("*.c")))
        self.assertEqual(set(re.findall(r"^const struct http_route http_route_(\w+) = ", sources, re.M)), set(ROUTES))
        self.assertEqual(set(re.findall(r"^static const struct web_socket_kind (\w+)_kind = ", sources, re.M)), set(SOCKETS))
        for name, (method, path, body, scopes) in ROUTES.items():
            for scope, token in self.tokens.items():
                with self.subTest(route=name, scope=scope):
                    status, answer, headers = self.http(method, path, token, body, Accept=HEADERS["Accept"])
                    self.assertEqual(status == 403, scope not in scopes, answer)
                    if status == 403:
                        self.assertIn('error="insufficient_scope"', headers["WWW-Authenticate"])
                        self.assertRegex(json.dumps(answer), "the scope that this needs|operate token")
            self.assertEqual(self.status(method, path, None, body) == 401, scopes != ALL, name)
        for path in SOCKETS.values():
            for scope, token in self.tokens.items():
                status, headers = upgrade(self.server.port, path + "?session_id=" + self.sid, token)
                self.assertEqual(status, 101 if scope in READERS else 403, (path, scope))
                if status == 403:
                    self.assertIn('scope="read"', headers["WWW-Authenticate"])

    def test_every_operation_of_the_session_api(self):
        """As its own description lists them: learn and operate reach none but those of learners."""
        _, description, _ = self.http("GET", "/openapi.json", self.edit)
        operations = [(method, path) for path, methods in description["paths"].items() for method in methods]
        self.assertGreater(len(operations), 40)
        for method, path in operations:
            real = path.replace("{learner_id}", LEARNER).replace("{sid}", self.sid).replace("{nid}", "N001").replace("{order}", "1")
            real = real.replace("{id}", "1").replace("{query}", "counts")
            reached = {scope for scope in ALL if self.status(method.upper(), real, self.tokens[scope], {} if method != "get" else None) != 403}
            if path.startswith("/learners/"):
                self.assertEqual(reached, {"learn", "operate"} if method == "get" else {"operate"}, (method, path))
            else:
                self.assertEqual(reached & {"learn", "operate"}, ALL & {"learn", "operate"} if path == "/health" else set(), (method, path))

    def test_one_learner(self):
        other = "f" * 32
        for token, status in ((self.tokens["learn"], 403), (self.tokens["operate"], 404)):
            self.assertEqual(self.status("GET", "/learners/" + other, token), status)
        unbound = self.token("--scope", "learn", "any")
        wait_for(lambda: self.status("GET", "/learners/" + LEARNER, unbound) != 401)
        status, answer, headers = self.http("GET", "/learners/" + LEARNER, unbound)
        self.assertEqual(status, 403)
        self.assertIn("--scope learn --learner ID NAME", answer["detail"])
        self.assertIn('scope="operate"', headers["WWW-Authenticate"])

    def test_no_page(self):
        """No link for the token, none that an earlier scope of it has made, and no socket that stays open."""
        token = self.tokens["learn"]
        status, answer, _ = self.http("POST", "/sign-in/link", token)
        self.assertEqual((status, "'read'" in answer["detail"]), (403, True))
        url = self.http("POST", "/sign-in/link", self.read)[1]["url"]
        with open(self.file, encoding="utf-8") as file:
            lines = file.read()
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(lines.replace(" read ben", " learn ben"))
        wait_for(lambda: self.status("GET", "/sessions", self.read) == 403)
        _, _, headers = self.http("GET", url.partition("%d" % self.server.port)[2])
        self.assertEqual(self.http("GET", "/", Cookie=headers["Set-Cookie"].partition(";")[0])[0], 403)

    def test_a_socket_closes_with_its_scope(self):
        async def play():
            url = "ws://127.0.0.1:%d/mcp-sync?session_id=%s" % (self.server.port, self.sid)
            async with web_sockets.connect(url, extra_headers=bearer(self.read)) as socket:
                with open(self.file, encoding="utf-8") as file:
                    lines = file.read()
                with open(self.file, "w", encoding="utf-8") as file:
                    file.write(lines.replace(" read ben", " learn ben"))
                await asyncio.wait_for(socket.wait_closed(), SECONDS)
                return socket.close_code
        self.assertEqual(asyncio.run(play()), 1008)

    def test_scopes_that_clients_ask_for(self):
        _, answer, _ = self.http("GET", "/.well-known/oauth-protected-resource")
        self.assertEqual(answer["scopes_supported"], ["read", "edit", "learn", "operate"])
        for path, scope in (("/mcp", "read edit"), ("/mcp?toolset=tutor", "learn"), ("/learners/" + LEARNER, "learn operate")):
            self.assertIn('scope="%s"' % scope, self.http("GET", path)[2]["WWW-Authenticate"])


class File(SignInCase):
    def test_read_again(self):
        dora = self.token("dora")
        wait_for(lambda: self.status("GET", "/sessions", dora) == 200)
        self.withdraw("ben")
        wait_for(lambda: self.status("GET", "/sessions", self.read) == 401)
        self.assertEqual(self.status("GET", "/sessions", self.edit), 200)

    def test_unusable(self):
        """None of its tokens is valid while others may read it, or a line is wrong; afterwards they are again."""
        os.chmod(self.file, 0o640)
        wait_for(lambda: self.status("GET", "/sessions", self.read) == 503)
        self.assertEqual(self.status("GET", "/sessions"), 401)
        os.chmod(self.file, 0o600)
        wait_for(lambda: self.status("GET", "/sessions", self.read) == 200)
        with open(self.file, "a", encoding="utf-8") as file:
            file.write(self.edit + " edit mistake\n")
        wait_for(lambda: self.status("GET", "/sessions", self.read) == 503)
        os.unlink(self.file)
        self.assertEqual(self.status("GET", "/sessions", self.read), 503)
        text = self.token("ben")
        wait_for(lambda: self.status("GET", "/sessions", text) == 200)


class Ends(SignInCase):
    def open_shortly(self):
        """A token that ends in some seconds, the time of its end, and a stream that is open with it."""
        for seconds in (2, 8, 30):  # a slow server knows a token late
            end = int(time.time()) + seconds
            token = self.token("--end", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(end)), "eve")
            wait_for(lambda: self.status("GET", "/sessions", token) == 200 or time.time() >= end)  # pylint: disable=cell-var-from-loop
            try:
                return token, end, self.stream(token)
            except (AssertionError, KeyError):
                self.assertLessEqual(end, time.time())  # it was over too soon
        raise AssertionError("no token was good for long enough")

    def stream(self, token):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=harness.ANSWER_SECONDS)
        self.addCleanup(connection.close)
        connection.request("GET", "/mcp", headers=dict(bearer(token), Accept="text/event-stream", **{"Mcp-Session-Id": self.mcp(token).session}))
        answer = connection.getresponse()
        self.assertEqual(answer.status, 200)
        return answer

    def test_end(self):
        """A stream ends with its token, while its client says nothing."""
        token, end, stream = self.open_shortly()
        stream.read()
        self.assertGreaterEqual(time.time(), end)
        self.assertEqual(self.status("GET", "/sessions", token), 401)


class Page(SignInCase):
    def link(self, token):
        status, answer, _ = self.http("POST", "/sign-in/link", token)
        self.assertEqual(status, 200, answer)
        return re.fullmatch(r"http://127\.0\.0\.1:%d(/sign-in\?code=\S+)" % self.server.port, answer["url"])[1]

    def open(self, link):
        """The cookie that a browser keeps."""
        status, _, headers = self.http("GET", link)
        self.assertEqual(status, 200)
        cookie = headers["Set-Cookie"]
        self.assertEqual(sorted(part.split("=")[0] for part in cookie.split("; ")[1:]), ["HttpOnly", "Max-Age", "Path", "SameSite"])
        self.assertIn("SameSite=Strict", cookie)
        return cookie.split(";")[0]

    def test_link(self):
        link = self.link(self.read)
        self.assertNotIn(self.read, link)
        cookie = self.open(link)
        self.assertNotIn(self.read, cookie)
        self.assertEqual(self.status("GET", link), 403)
        self.assertEqual(self.status("GET", "/", Cookie="other=1; " + cookie), 200)
        self.assertEqual(self.status("GET", "/sessions", Cookie=cookie), 200)
        self.assertEqual(self.status("POST", "/session/create", Cookie=cookie), 403)
        self.assertEqual(self.status("GET", "/sessions", Cookie=cookie[:-1]), 401)
        self.assertEqual(self.status("POST", "/session/create", Cookie=self.open(self.link(self.edit))), 200)
        self.assertEqual(self.status("GET", "/", "x", Cookie=cookie), 401)  # a header counts

    def test_cookie_ends_with_its_token(self):
        cookie = self.open(self.link(self.read))
        self.withdraw("ben")
        wait_for(lambda: self.status("GET", "/sessions", Cookie=cookie) == 401)

    def test_link_of_a_withdrawn_token(self):
        link = self.link(self.read)
        self.withdraw("ben")
        wait_for(lambda: self.status("GET", "/sessions", self.read) == 401)
        status, text, headers = self.http("GET", link)
        self.assertEqual(status, 403)
        self.assertIn(b"has been withdrawn or has expired", text)
        self.assertNotIn("Set-Cookie", headers)

    def test_a_cookie_makes_no_time(self):
        """A link that the page makes for another device ends with the page's own sign-in."""
        first = self.open(self.link(self.edit))
        status, answer, _ = self.http("POST", "/sign-in/link", Cookie=first)
        self.assertEqual(status, 200)
        second = self.open(answer["url"].split(str(self.server.port))[1])
        self.assertEqual(self.status("GET", "/sessions", Cookie=second), 200)
        self.withdraw("anna")
        wait_for(lambda: self.status("GET", "/sessions", Cookie=second) == 401)

    def test_other_origins(self):
        """A page of another origin is not signed in by the cookie, even one that may use the server."""
        cookie = self.open(self.link(self.edit))
        self.assertEqual(self.status("POST", "/session/create", Cookie=cookie, Origin="https://evil.example"), 403)
        self.assertEqual(self.status("POST", "/session/create", Cookie=cookie, Sec_Fetch_Site="cross-site"), 403)

    def test_page_without_cookie(self):
        status, text, headers = self.http("GET", "/")
        self.assertEqual(status, 401)
        self.assertIn("text/html", headers["Content-Type"])
        self.assertIn(b"link", text)

    def test_link_needs_a_token(self):
        self.assertEqual(self.status("POST", "/sign-in/link"), 401)
        for query in ("", "?code=", "?code=x", "?x=1"):
            self.assertEqual(self.status("GET", "/sign-in" + query), 403, query)


class AllowedOrigin(Page):
    options = ("--allow-origin", "https://cms.example")

    def test_other_origins(self):
        cookie = self.open(self.link(self.edit))
        origin = {"Origin": "https://cms.example"}
        self.assertEqual(self.status("POST", "/session/create", Cookie=cookie, **origin), 401)
        status, _, headers = self.http("POST", "/session/create", self.edit, **origin)
        self.assertEqual((status, headers["Access-Control-Allow-Origin"]), (200, "https://cms.example"))
        self.assertNotIn("Access-Control-Allow-Credentials", headers)
        _, _, headers = self.http("OPTIONS", "/sessions", **origin, Access_Control_Request_Method="GET",
                                  Access_Control_Request_Headers="authorization")
        self.assertIn("Authorization", headers["Access-Control-Allow-Headers"])


class Limits(SignInCase):
    options = ("--token-requests", "20", "--token-analyses", "1")

    def test_requests(self):
        statuses = [self.status("GET", "/sessions", self.read) for _ in range(30)]
        self.assertEqual(statuses[:20], [200] * 20)
        self.assertIn(429, statuses)
        status, _, headers = self.http("GET", "/sessions", self.read)
        self.assertEqual(status, 429)
        self.assertLessEqual(1, int(headers["Retry-After"]))
        self.assertEqual(self.status("GET", "/sessions", self.edit), 200)
        time.sleep(4)  # a twentieth of a minute makes room for one
        self.assertEqual(self.status("GET", "/sessions", self.read), 200)

    def test_upgrades(self):
        """Each is one request."""
        answers = [upgrade(self.server.port, "/mcp-sync", self.read) for _ in range(30)]
        self.assertEqual([status for status, _ in answers[:20]], [101] * 20)
        self.assertLessEqual(1, int(dict(answers)[429]["Retry-After"]))

    def test_analyses(self):
        """One at once: another one is refused until it has ended."""
        first = harness.Client(self.server.port)
        busy = {"code": "while True:\n    pass", "timeout_seconds": 3}
        first.connection.request("POST", "/execute", json.dumps(busy), dict(bearer(self.read), **{"Content-Type": "application/json"}))
        wait_for(lambda: b"lectern_runs_running 1" in self.http("GET", "/metrics", self.edit)[1])
        status, answer, headers = self.http("POST", "/execute", self.read, PRINT)
        self.assertEqual(status, 429, answer)
        self.assertGreaterEqual(int(headers["Retry-After"]), 1)
        self.assertEqual(self.status("POST", "/execute", self.edit, PRINT), 200)
        is_error, text = self.mcp(self.read).call("execute_code", code="print(1)", session_id=self.sid)
        self.assertTrue(is_error and "analyses" in text, text)
        self.assertEqual(first.connection.getresponse().status, 200)
        self.assertEqual(self.status("POST", "/execute", self.read, PRINT), 200)
        first.connection.close()

    def test_the_check_of_a_solution_is_an_analysis(self):
        first = harness.Client(self.server.port)
        busy = {"code": "while True:\n    pass", "timeout_seconds": 3}
        first.connection.request("POST", "/execute", json.dumps(busy), dict(bearer(self.edit), **{"Content-Type": "application/json"}))
        wait_for(lambda: b"lectern_runs_running 1" in self.http("GET", "/metrics", self.read)[1])
        exercise = {"prompt": "p", "cases": [{"call": "one", "expect": 1}], "solution": "def one():\n    return 1\n"}
        client = self.mcp(self.edit)
        arguments = {"session_id": self.sid, "node_id": "N001", "component_type": "exercise-code", "parameters": exercise}
        self.assertIn("\nNot checked: this token has as many analyses under way as it may.", client.good("add_component", **arguments))
        self.assertEqual(first.connection.getresponse().status, 200)
        for _ in range(2):
            self.assertIn("\nIts solution passes 1 of 1 cases.", client.good("add_component", **arguments))
        first.connection.close()


class Starts(unittest.TestCase):
    """What the server refuses to start with, and the command that makes tokens."""

    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        self.file = os.path.join(self.workspace.data, "tokens")

    def refused(self, *words):
        done = self.workspace.run("serve", "--port", "0", "--no-demo", *words, check=False)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr.decode()

    def write(self, text, mode=0o600):
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.file, mode)

    def test_addresses(self):
        for host in ("0.0.0.0", "::", "192.0.2.1", "example.org"):
            self.assertIn("--no-auth", self.refused("--host", host))
        for words in (("--no-auth", "--token-file", self.file), ("--audience", "https://x.example"), ("--tls-cert", self.file),
                      ("--public-url", "lectern.example.org"), ("--public-url", "https://lectern.example.org/"), ("--issuer", "https://x.example"),
                      ("--issuer", "http://x.example", "--audience", "https://y.example")):
            self.refused(*words)
        for words in (("--no-auth",), ("--host", "0.0.0.0", "--no-auth"), ("--host", "localhost")):
            server = harness.Server(self.workspace, "--no-demo", "--sandbox", harness.LOCAL, "--warm", "bare=0,data=0,plot=0", *words)
            status, _, headers = server.http("GET", "/sessions")
            self.assertEqual((status, headers["Lectern-Scope"]), (200, None))
            self.assertEqual(server.http("GET", "/.well-known/oauth-protected-resource")[0], 404)
            self.assertEqual(server.close(), 0)

    def test_files(self):
        good = hashlib.sha256(b"x").hexdigest() + " read anna\n"
        self.assertIn("open", self.refused("--token-file", self.file))
        for mode in (0o644, 0o640, 0o604, 0o620, 0o601):
            self.write(good, mode)
            self.assertIn("chmod 600", self.refused("--token-file", self.file))
        for line in ("read anna", "x" * 64 + " read anna", good[:63] + " read anna", good[:64] + " write anna", good[:64] + " read",
                     good[:64] + " read " + "a" * 65, good[:64] + " read anna curriculum=1", good[:64] + " read anna end=tomorrow",
                     good[:64] + " read anna more", good + good, good[:64] + " read anna " + "x" * 600):
            self.write(line + "\n")
            self.assertIn("line ", self.refused("--token-file", self.file), line)
        secret = "lectern_mistake"
        self.write(secret + " read anna\n")
        self.assertNotIn(secret, self.refused("--token-file", self.file))

    def test_doctor(self):
        self.write("")
        for mode, word in ((0o600, "ok"), (0o644, "MISSING")):
            os.chmod(self.file, mode)
            said = self.workspace.run("doctor", "--token-file", self.file, check=False).stdout.decode()
            self.assertRegex(said, word + r" +token file +")

    def test_command(self):
        token, line = self.workspace.run("token", "--scope", "edit", "--end", "2030-01-31", "anna").stdout.decode().splitlines()
        self.assertRegex(token, r"^lectern_[A-Za-z0-9_-]{43}$")
        self.assertEqual(line, hashlib.sha256(token.encode()).hexdigest() + " edit anna end=2030-01-31")
        self.assertNotEqual(self.workspace.run("token", "anna").stdout.decode().split()[0], token)
        for words in ((), ("a b",), ("anna", "ben"), ("--scope", "all", "anna"), ("--end", "soon", "anna"), ("--session", "x", "anna"), ("x" * 65,)):
            self.assertNotEqual(self.workspace.run("token", *words, check=False).returncode, 0, words)
        self.workspace.run("token", "--token-file", self.file, "anna")
        self.assertEqual(os.stat(self.file).st_mode & 0o777, 0o600)

    def test_link_at_the_start(self):
        """On a terminal only, as it is a secret."""
        self.write("")
        above, below = pty.openpty()
        environment = self.workspace.environment()
        with subprocess.Popen([str(harness.LECTERN), "serve", "--port", "0", "--no-demo", "--token-file", self.file, "--sandbox", harness.LOCAL,
                               "--warm", "bare=0,data=0,plot=0"], stdin=subprocess.DEVNULL, stderr=below, env=environment) as process:
            os.close(below)
            text = b""
            while b"Ctrl-C" not in text:
                text += os.read(above, 4096)
            found = re.search(rb"http://127\.0\.0\.1:(\d+)(/sign-in\?code=\S+)", text)
            if found:
                client = harness.Client(int(found[1]))
                _, _, headers = client.http("GET", found[2].decode())
                cookie = headers["Set-Cookie"].split(";")[0]
                self.assertEqual(client.http("POST", "/session/create", Cookie=cookie)[0], 200)
                client.connection.close()
            process.terminate()
            process.wait(timeout=harness.ANSWER_SECONDS)
        os.close(above)
        self.assertTrue(found or b"not in this build" in text, text)


if __name__ == "__main__":
    unittest.main()
