# SPDX-License-Identifier: GPL-3.0-or-later
"""Service, sessions, and what every path has in common."""
import http.client
import json
import uuid

from .target import Case, paragraph

# Each path with a session, and a body that would do.
SESSION_PATHS = [
    ("GET", "~/nodes", None),
    ("POST", "~/nodes", {"node_id": "N009", "title": "Nine"}),
    ("PUT", "~/nodes/N001", {"title": "One"}),
    ("DELETE", "~/nodes/N001", None),
    ("GET", "~/nodes/N001/content", None),
    ("POST", "~/nodes/N001/content", {"explanation": "E"}),
    ("PUT", "~/nodes/N001/auto-save", {"components": []}),
    ("GET", "~/positions", None),
    ("PUT", "~/positions", {"positions": {"N001": {"x": 1, "y": 2}}}),
    ("GET", "~/relationships", None),
    ("POST", "~/relationships", {"from_node_id": "N001", "to_node_id": "N002"}),
    ("POST", "~/relationships/bulk", {"relationships": [{"from": "N001", "to": "N002", "type": "LEADS_TO"}]}),
    ("PUT", "~/relationships/1", {"explanation": "E"}),
    ("DELETE", "~/relationships/1", None),
    ("GET", "~/nodes/N001/components", None),
    ("POST", "~/nodes/N001/components", {"components": []}),
    ("POST", "~/nodes/N001/components/insert", paragraph("x")),
    ("POST", "~/nodes/N001/components/reorder", [1]),
    ("PUT", "~/nodes/N001/components/1", paragraph("x")),
    ("DELETE", "~/nodes/N001/components/1", None),
]
HISTORY_PATHS = [
    ("GET", "~/history", None),
    ("POST", "~/undo", {}),
    ("POST", "~/restore", {"version": 1}),
]
WITH_BODY = [(method, path, body) for method, path, body in SESSION_PATHS if body is not None]
BODY_CAP = 16 << 20


class Sessions(Case):
    def test_health(self):
        answer = self.good("GET", "/health")
        self.assertEqual(set(answer), {"status", "service", "version"})

    def test_create(self):
        answer = self.good("POST", "/session/create")
        self.assertEqual(str(uuid.UUID(answer["session_id"])), answer["session_id"])
        self.assertIsNone(answer["expires_in_hours"])
        self.assertIsInstance(answer["message"], str)
        self.sid = answer["session_id"]
        nodes = self.good("GET", "~/nodes")
        self.assertEqual([node["node_id"] for node in nodes["nodes"]], ["N001", "N002"])
        self.assertEqual((nodes["session_id"], nodes["total"]), (self.sid, 2))

    def test_create_refuses_a_title_that_is_no_text(self):
        self.assertEqual(self.places("POST", "/session/create", {"title": 5}), {"title"})

    def test_validate(self):
        self.assertEqual(self.good("GET", "/session/validate/" + self.sid)["valid"], True)
        other = str(uuid.uuid4())
        answer = self.good("GET", "/session/validate/" + other)
        self.assertEqual((answer["session_id"], answer["valid"]), (other, False))
        self.assertIsInstance(answer["message"], str)

    def test_sessions(self):
        self.relate("N001", "N002")
        answer = self.good("GET", "/sessions")
        self.assertEqual(answer["total"], len(answer["sessions"]))
        mine = next(session for session in answer["sessions"] if session["session_id"] == self.sid)
        self.assertEqual((mine["nodes"], mine["relationships"]), (2, 1))
        self.assertIn("title", mine)
        self.assertIn("last_modified", mine)

    def test_unknown_session_is_401(self):
        for sid in (str(uuid.uuid4()), "nonsense"):
            for method, path, body in SESSION_PATHS:
                with self.subTest(sid=sid, path=path, method=method):
                    self.bad(401, method, path.replace("~", "/session/" + sid), body)

    def test_unknown_session_is_401_in_history(self):
        self.need("history")
        for method, path, body in HISTORY_PATHS:
            with self.subTest(path=path):
                self.bad(401, method, path.replace("~", "/session/" + str(uuid.uuid4())), body)

    def test_unknown_path_and_method(self):
        self.bad(404, "GET", "/nothing")
        self.bad(404, "GET", "~/nothing")
        self.bad(404, "GET", "~/nodes/N001/components/1/2")
        for method, path in (("PATCH", "~/nodes"), ("DELETE", "~/positions"), ("PUT", "/health")):
            status, answer, headers = self.ask(method, path)
            self.assertEqual(status, 405, answer)
            self.assertIn("GET", headers["Allow"])

    def test_openapi_describes_what_is_served(self):
        self.need("openapi")
        described = self.good("GET", "/openapi.json")
        self.assertTrue(described["openapi"].startswith("3."))
        paths = {tuple("{}" if part.startswith("{") else part for part in path.split("/")): methods
                 for path, methods in described["paths"].items()}
        for method, path, _ in SESSION_PATHS:
            parts = path.replace("~", "/session/{}").replace("N001", "{}").split("/")
            if parts[-1] == "1":
                parts[-1] = "{}"
            self.assertIn(method.lower(), paths[tuple(parts)], path)


class RenameAndDelete(Case):
    def setUp(self):
        super().setUp()
        self.need("renaming")

    def listed(self):
        return {session["session_id"]: session["title"] for session in self.good("GET", "/sessions")["sessions"]}

    def test_rename(self):
        answer = self.good("PUT", "~", {"title": "Fractions"})
        self.assertEqual((answer["success"], type(answer["message"])), (True, str))
        self.assertEqual(self.listed()[self.sid], "Fractions")

    def test_a_rename_can_be_undone(self):
        before = self.listed()[self.sid]
        self.good("PUT", "~", {"title": "Fractions"})
        newest = self.good("GET", "~/history?limit=1")["changes"][0]
        self.assertEqual(newest["what"], 'curriculum renamed from "%s"' % before)
        undone = self.good("POST", "~/undo", {"change_set": newest["change_set"]})
        self.assertEqual(self.listed()[self.sid], before)
        self.good("POST", "~/undo", {"change_set": undone["by_set"]})
        self.assertEqual(self.listed()[self.sid], "Fractions")
        self.good("POST", "~/restore", {"version": newest["version"] - 1})
        self.assertEqual(self.listed()[self.sid], before)

    def test_an_older_rename_is_not_undone_over_a_newer_one(self):
        self.good("PUT", "~", {"title": "One"})
        older = self.good("GET", "~/history?limit=1")["changes"][0]["change_set"]
        self.good("PUT", "~", {"title": "Two"})
        self.bad(409, "POST", "~/undo", {"change_set": older})
        self.assertEqual(self.listed()[self.sid], "Two")

    def test_the_same_title_is_no_change(self):
        self.good("PUT", "~", {"title": "Same"})
        tag = self.tag("~/nodes")
        self.good("PUT", "~", {"title": "Same"})
        self.assertEqual(self.tag("~/nodes"), tag)

    def test_wrong_titles(self):
        before = self.listed()[self.sid]
        for body in ({}, {"title": ""}, {"title": None}, {"title": 5}, {"title": "x" * 2001}, {"title": "a\0b"}):
            with self.subTest(body=str(body)[:40]):
                self.assertEqual(self.places("PUT", "~", body), {"title"})
        self.assertEqual(self.listed()[self.sid], before)

    def test_delete(self):
        self.paragraphs("N001", "a", "b")
        self.relate("N001", "N002")
        self.good("PUT", "~/positions", {"positions": {"N001": {"x": 1, "y": 2}}})
        other = self.new_session()
        answer = self.good("DELETE", "~")
        self.assertEqual((answer["success"], type(answer["message"])), (True, str))
        self.assertNotIn(self.sid, self.listed())
        self.assertIn(other, self.listed())
        self.assertFalse(self.good("GET", "/session/validate/" + self.sid)["valid"])
        for method, path, body in SESSION_PATHS + HISTORY_PATHS + [("PUT", "~", {"title": "x"}), ("DELETE", "~", None)]:
            with self.subTest(path=path, method=method):
                self.assertIn("deleted by rest", self.bad(401, method, path, body))

    def test_conditions(self):
        for method, body in (("PUT", {"title": "Mine"}), ("DELETE", None)):
            old = self.tag("~/nodes")
            self.paragraphs("N001", method)
            status, answer, headers = self.ask(method, "~", body, If_Match=old)
            self.assertEqual((status, headers["ETag"]), (412, self.tag("~/nodes")))
            self.assertEqual(answer["current"]["total"], 2)
            self.good(method, "~", body, If_Match=self.tag("~/nodes"))

    def test_the_tag_of_the_list_never_comes_again(self):
        seen = set()
        for _ in range(3):
            self.sid = self.new_session()
            seen.add(self.tag("/sessions"))
            self.good("DELETE", "~")
            seen.add(self.tag("/sessions"))
        self.assertEqual(len(seen), 6)

    def test_a_repeat_of_a_deletion_gets_its_answer(self):
        first = self.good("DELETE", "~", Idempotency_Key="away-" + self.sid)
        status, again, headers = self.ask("DELETE", "~", None, Idempotency_Key="away-" + self.sid)
        self.assertEqual((status, again, headers["Idempotency-Replayed"]), (200, first, "true"))

    def test_unknown_session(self):
        for method, body in (("PUT", {"title": "x"}), ("DELETE", None)):
            self.bad(401, method, "/session/" + str(uuid.uuid4()), body)


class Bodies(Case):
    def setUp(self):
        super().setUp()
        self.paragraphs("N001", "one")
        self.related = self.relate("N002", "N001")["id"]
        self.state = self.whole()

    def whole(self):
        return [self.good("GET", path) for path in ("~/nodes", "~/relationships", "~/nodes/N001/components", "~/positions")]

    def tearDown(self):
        self.assertEqual(self.whole(), self.state)     # what was refused has changed nothing
        super().tearDown()

    def test_malformed_is_400(self):
        for method, path, body in WITH_BODY:
            for text in (b"{", b"nonsense", json.dumps(body).encode()[:-1], json.dumps(body).encode() + b" x"):
                with self.subTest(path=path, method=method, text=text[:40]):
                    self.bad(400, method, path, text)

    def test_bytes_that_are_no_utf8(self):
        self.bad(400, "POST", "~/nodes", b'{"node_id": "N003", "title": "\xff\xfe"}')

    def test_no_body(self):
        for method, path, _ in WITH_BODY:
            with self.subTest(path=path, method=method):
                status, _, _ = self.ask(method, path, b"")
                self.assertIn(status, (400, 422))

    def test_another_kind_of_json(self):
        for method, path, body in WITH_BODY:
            for other in ("text", 5, True, {} if isinstance(body, list) else [5]):
                with self.subTest(path=path, method=method, other=other):
                    self.bad(422, method, path.replace("relationships/1", "relationships/%s" % self.related), other)

    def test_half_a_surrogate_pair(self):
        for path, body in (("~/nodes", b'{"node_id": "N003", "title": "\\ud83d"}'),
                           ("~/nodes/N001/components/insert", b'{"type": "paragraph", "parameters": {"text": "\\udc00"}}')):
            status, _, _ = self.ask("POST", path, body)
            self.assertIn(status, (400, 422))

    def test_numbers_that_nothing_can_hold(self):
        for number in (b"1e999", b"NaN", b"-Infinity", b"9" * 400, b"9223372036854775808"):
            with self.subTest(number=number[:10]):
                status, _, _ = self.ask("POST", "~/nodes", b'{"node_id": "N003", "title": "x", "chapter_id": ' + number + b"}")
                self.assertIn(status, (400, 422))

    def test_too_deep(self):
        deep = b'{"node_id": "N003", "title": "x", "further": ' + b"[" * 100000 + b"]" * 100000 + b"}"
        status, _, _ = self.ask("POST", "~/nodes", deep)
        self.assertIn(status, (400, 422))

    def test_too_large_is_413(self):
        head, tail = b'{"node_id": "N003", "title": "x", "raw_content": "', b'"}'
        self.bad(413, "POST", "~/nodes", head + b"x" * (BODY_CAP + 1 - len(head) - len(tail)) + tail)

    def test_a_body_that_is_announced_too_large_is_not_waited_for(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.target.port, timeout=20)
        connection.putrequest("POST", "/session/%s/nodes" % self.sid)
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", str(1 << 40))
        connection.endheaders()
        if self.target.name != "service":   # that one reads on
            self.assertEqual(connection.getresponse().status, 413)
        connection.close()
