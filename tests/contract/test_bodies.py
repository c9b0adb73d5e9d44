# SPDX-License-Identifier: GPL-3.0-or-later
"""Input with a wrong name or of a wrong type, on every route and tool: it is refused, the answer says what is wrong and where, and nothing
changes. No analysis runs."""
import json
import re
import unittest

import harness

# Of every kind that JSON has.
KINDS = (5, -1, 1.5, "", "zz", [], [1], {}, {"a": 1}, True, None)
# A member of a body of each form, with a slip, and the name that was meant. What they belong to stays as it is.
MISSPELT = [
    # method, path, body, the member, what was meant
    ("POST", "/session/create", {"titel": "A"}, "titel", "title"),
    ("POST", "/session/{sid}/nodes", {"node_id": "N900", "title": "A", "raw_contents": "b"}, "raw_contents", "raw_content"),
    ("PUT", "/session/{sid}/nodes/N002", {"titel": "A"}, "titel", "title"),
    ("PUT", "/session/{sid}/nodes/N002", {"title": "A", "expected_revison": 1}, "expected_revison", "expected_revision"),
    ("POST", "/session/{sid}/nodes/N002/content", {"explanaton": "A"}, "explanaton", "explanation"),
    ("PUT", "/session/{sid}/positions", {"postions": {"N002": {"x": 1, "y": 1}}}, "postions", "positions"),
    ("POST", "/session/{sid}/relationships", {"from_node_id": "N001", "to_node_id": "N040", "relationship_typ": "ENRICHMENT"},
     "relationship_typ", "relationship_type"),
    ("POST", "/session/{sid}/relationships/bulk", {"relationship": []}, "relationship", "relationships"),
    ("PUT", "/session/{sid}/relationships/{id}", {"explanaton": "A"}, "explanaton", "explanation"),
    ("POST", "/session/{sid}/nodes/N002/components", {"components": [], "overall_confidenc": 1}, "overall_confidenc",
     "overall_confidence"),
    ("PUT", "/session/{sid}/nodes/N002/auto-save", {"components": [], "sugested_template": "a"}, "sugested_template",
     "suggested_template"),
    ("POST", "/session/{sid}/nodes/N002/components/insert",
     {"type": "paragraph", "parameters": {"text": "a"}, "positon": 1}, "positon", "position"),
    ("PUT", "/session/{sid}/nodes/N002/components/1", {"parameters": {}, "confidense": 1}, "confidense", "confidence"),
    ("POST", "/session/{sid}/nodes/N002/components/reorder", {"ordre": [1]}, "ordre", "order"),
    ("POST", "/session/{sid}/undo", {"change_sett": "a"}, "change_sett", "change_set"),
    ("POST", "/session/{sid}/restore", {"versoin": 1}, "versoin", "version"),
    ("POST", "/session/{sid}/changes", {"operations": [{"op": "delete_node", "node_id": "N002"}], "dryrun": True}, "dryrun",
     "dry_run"),
    ("POST", "/session/{sid}/changes", {"operations": [{"op": "delete_node", "node_id": "N002"}], "expected_versions": 1},
     "expected_versions", "expected_version"),
    ("POST", "/execute", {"code": "1", "timeout_second": 1}, "timeout_second", "timeout_seconds"),
]
# Bodies that are an entity keep further members, as the contract has it.
ENTITIES = {"createNode", "updateNode", "createRelationship", "updateRelationship", "insertComponent", "updateComponent",
            "insertComponentBare", "updateComponentBare"}
UNKNOWN = "weather"
# A good value of what a tool needs.
GOOD = {"node_id": "N001", "component_type": "paragraph", "parameters": {"text": "a"}, "component_order": 1, "new_parameters": {},
        "from_node_id": "N001", "to_node_id": "N002", "components": [], "code": "1", "query": "outline", "operations": [],
        "action": "list", "text": "{}"}


def at(body, loc):
    """The value at a place, or KeyError."""
    for part in loc:
        try:
            body = body[part]
        except (TypeError, IndexError):
            raise KeyError(part) from None
    return body


class Wrong(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workspace = harness.Workspace()
        cls.sid = cls.workspace.run("demo").stdout.decode().strip()
        cls.server = harness.Server(cls.workspace)
        cls.server.initialize()
        cls.description = cls.server.http("GET", "/openapi.json")[1]
        cls.relationship = cls.server.http("GET", cls.path("/session/{sid}/relationships"))[1]["relationships"][0]["id"]

    @classmethod
    def tearDownClass(cls):
        assert cls.server.close() == 0
        cls.workspace.close()

    @classmethod
    def path(cls, pattern):
        places = {"sid": cls.sid, "nid": "N002", "order": 1, "id": getattr(cls, "relationship", 1), "query": "outline"}
        return re.sub(r"\{(\w+)\}", lambda name: str(places[name[1]]), pattern)

    def version(self):
        return self.server.http("GET", self.path("/session/{sid}/history"))[1]["version"]

    def writes(self):
        """Each route that writes: method, path, its operation's name, the members of its body."""
        for pattern, methods in self.description["paths"].items():
            for method, operation in methods.items():
                if method not in ("post", "put", "delete") or pattern.startswith("/learners/"):
                    continue
                body = operation.get("requestBody")
                schema = body["content"]["application/json"]["schema"] if body else {}
                path = self.path(pattern) + ("" if "/session/" in pattern or pattern == "/execute" else "?session_id=" + self.sid)
                yield method.upper(), path, operation["operationId"], sorted(self.members(schema))

    def members(self, schema):
        if "$ref" in schema:
            schema = self.description["components"]["schemas"][schema["$ref"].split("/")[-1]]
        found = set(schema.get("properties", ()))
        for part in ("allOf", "oneOf", "anyOf"):
            for inner in schema.get(part, ()):
                found |= self.members(inner)
        return found

    def plain(self, text, about):
        """No sentence ends twice."""
        self.assertNotRegex(text, r"(?<!\.)\.\.(?!\.)|[?!]\.(\s|$)|\.;|;\s*\.", about)

    def test_a_misspelt_member_is_refused_and_the_right_one_named(self):
        for method, pattern, body, member, meant in MISSPELT:
            with self.subTest(path=pattern, member=member):
                before = self.version()
                status, answer, _ = self.server.http(method, self.path(pattern), body)
                self.assertEqual(status, 422, answer)
                self.assertIn("unknown member '%s'; did you mean '%s'?" % (member, meant),
                              [f["msg"] for f in answer["detail"] if f["loc"] == ["body", member]], answer)
                self.assertEqual(self.version(), before)

    def test_every_closed_body_refuses_an_unknown_member(self):
        refused = set()
        for method, path, name, _ in self.writes():
            with self.subTest(path=path):
                before = self.version()
                status, answer, _ = self.server.http(method, path, {UNKNOWN: 1})
                if name in ENTITIES:
                    continue
                self.assertEqual(status, 422, answer)
                self.assertIn(["body", UNKNOWN], [f["loc"] for f in answer["detail"]])
                self.assertEqual(self.version(), before)
                refused.add(name)
        self.assertLess({"changeCurriculum", "deleteNode", "undo", "createSession", "replaceComponentsBare"}, refused)

    def test_the_description_says_which_bodies_are_closed(self):
        schemas = self.description["components"]["schemas"]
        for methods in self.description["paths"].values():
            for operation in methods.values():
                body = operation.get("requestBody", {}).get("content", {}).get("application/json")
                if body:
                    schema = schemas[body["schema"]["$ref"].split("/")[-1]]
                    schema = schema.get("oneOf", [schema])[0]
                    closed = schema.get("additionalProperties") is False
                    self.assertEqual(closed, operation["operationId"] not in ENTITIES, operation["operationId"])

    def test_what_a_client_of_the_contract_sends_is_taken(self):
        sequence = self.server.http("GET", self.path("/session/{sid}/nodes/N003/components"))[1]
        nodes = self.path("/session/{sid}/nodes")
        for method, path, body in (
                ("POST", nodes, {"node_id": "N800", "title": "A", "node_type": "core", "chapter": "1", "created_by": "me"}),
                ("PUT", nodes + "/N800", {"title": "B", "session_id": self.sid, "created_at": "2026-01-01", "weight": 3}),
                ("POST", nodes + "/N003/components", sequence),
                ("PUT", nodes + "/N003/auto-save", dict(sequence, session_id=self.sid)),
                ("POST", nodes + "/N003/content", self.server.http("GET", nodes + "/N003/content")[1]),
                ("PUT", self.path("/session/{sid}/positions"), self.server.http("GET", self.path("/session/{sid}/positions"))[1]),
                ("POST", self.path("/session/{sid}/relationships"),
                 {"from_node_id": "N001", "to_node_id": "N800", "relationship_type": "ENRICHMENT", "explanation": "e",
                  "created_by": "teacher", "confidence_score": 0.5, "colour": "red"}),
                ("POST", nodes + "/N800/components/insert", {"type": "paragraph", "parameters": {"text": "a"}, "content": "a"}),
                ("DELETE", nodes + "/N800", {})):
            with self.subTest(path=path, body=body):
                status, answer, _ = self.server.http(method, path, body)
                self.assertEqual(status, 200, answer)

    def test_wrong_kinds_on_every_route(self):
        asked = 0
        for method, path, _, members in self.writes():
            for body in [*KINDS[:-1], *({name: value} for name in [*members, UNKNOWN] for value in KINDS)]:
                if method == "DELETE" and body == {}:
                    continue
                status, answer, _ = self.server.http(method, path, body)
                asked += 1
                about = "%s %s %s: %s" % (method, path, json.dumps(body), answer)
                self.assertLess(status, 500, about)
                if status == 422:
                    for fault in answer["detail"]:
                        self.plain(fault["msg"], about)
                        self.not_missing(fault, body, about)
                elif status >= 400:
                    self.plain(answer["detail"], about)
        self.assertGreater(asked, 500)

    def not_missing(self, fault, body, about):
        if not re.search("is needed|is missing", fault["msg"]):
            return
        try:
            at(body, fault["loc"][1:])
        except KeyError:
            return
        self.assertRegex(fault["msg"], r"^(svg|image)\d", about)  # a picture within what was sent

    def test_wrong_kinds_in_every_tool(self):
        for tool in self.server.request("tools/list")["result"]["tools"]:
            schema = tool["inputSchema"]
            required = ["code"] if tool["name"] == "execute_code" else schema.get("required", ())  # or batch
            needed = {name: dict(GOOD, session_id=self.sid)[name] for name in required}
            self.plain(self.server.call(tool["name"], **needed, weather=1)[1], tool["name"])
            for name in schema["properties"]:
                for value in KINDS:
                    if tool["name"] == "execute_code" and isinstance(value, str) and value:
                        continue
                    is_error, text = self.server.call(tool["name"], **dict(needed, **{name: value}))
                    about = "%s %s=%r: %s" % (tool["name"], name, value, text)
                    if is_error:
                        self.plain(text, about)
                    if is_error and value is not None and re.search(r"^(\w+:? )?(%s )?(is needed|is missing)" % name, text):
                        self.fail(about)

    def test_code_of_white_space_is_said_to_be_none(self):
        for code in (" ", "\n\t\r\n "):
            answer = self.server.http("POST", "/execute", {"code": code})[1]
            self.assertIn("there is no code to run", answer["error"])
            is_error, text = self.server.call("execute_code", code=code, session_id=self.sid)
            self.assertTrue(is_error)
            self.assertIn("there is no code to run", text)
            said = self.workspace.run("exec", "-", stdin=code.encode(), check=False)
            self.assertEqual((said.returncode, b"there is no code to run" in said.stderr + said.stdout), (3, True), said)
            said = self.workspace.run("validate", "-", stdin=code.encode())
            self.assertIn(b"there is no code to run", said.stdout)

    def test_a_session_that_there_is_not(self):
        """The session API says where they are listed; a tool, which a model calls, says which there are."""
        said = self.server.call("query_graph", query="outline", session_id="zz")[1]
        self.assertIn("there is no curriculum 'zz'; the store has 1: 'Demo curriculum' (%s); leave session_id out" % self.sid, said)
        self.assertIn("there is no session 'zz'; GET /sessions lists those there are", self.server.http("GET", "/session/zz/nodes")[1]["detail"])


class Version(unittest.TestCase):
    """expected_version of a change set, over REST and MCP."""

    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        self.sid = self.workspace.run("demo").stdout.decode().strip()
        self.server = harness.Server(self.workspace)
        self.addCleanup(self.server.close)
        self.server.initialize()

    def title(self):
        nodes = self.server.http("GET", "/session/%s/nodes" % self.sid)[1]["nodes"]
        return next(n["title"] for n in nodes if n["node_id"] == "N001")

    def test_a_stale_one_is_refused_and_the_present_one_taken(self):
        path = "/session/%s/changes" % self.sid
        old = self.server.http("GET", "/session/%s/history" % self.sid)[1]["version"]

        def rename(title, version):
            operations = [{"op": "rename_node", "node_id": "N001", "title": title}]
            return self.server.http("POST", path, {"operations": operations, "expected_version": version})[:2]

        status, answer = rename("First", old)
        self.assertEqual((status, self.title()), (200, "First"), answer)
        now = answer["version"]
        self.assertGreater(now, old)
        status, refused = rename("Second", old)
        self.assertEqual((status, self.title()), (409, "First"), refused)
        is_error, text = self.server.call("change_curriculum", session_id=self.sid, expected_version=old,
                                          operations=[{"op": "rename_node", "node_id": "N001", "title": "Second"}])
        self.assertEqual((is_error, text, self.title()), (True, refused["detail"], "First"))
        self.assertIn("is at version %d now" % now, text)
        status, answer = rename("Third", now)
        self.assertEqual((status, self.title()), (200, "Third"), answer)


if __name__ == "__main__":
    unittest.main(verbosity=2)
