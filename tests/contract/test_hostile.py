# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile clients of `lectern serve` and `lectern stdio`, on each transport and in each revision of MCP. Whatever one sends, or does not
send, it gets an answer that says what is wrong or loses its connection; others are answered meanwhile, and nothing of it is left."""
import base64
import contextlib
import hashlib
import hmac
import http.client
import json
import os
import random
import select
import shutil
import socket
import ssl
import struct
import threading
import time
import unittest

import harness
import hostile
from hostile import JSON_HEADERS, MESSAGE_CAP, Connection, HostileCase, HttpSpeaker, StdioSpeaker, get_bytes, http_bytes
from test_mcp import MODERN, modern_meta
from test_mcp_sessions import key_of

PARSE, INVALID, METHOD, PARAMS, REFUSED, HEADER = -32700, -32600, -32601, -32602, -32000, -32020
HEAD_CAP, HEAD_FIELDS = 16384, 64               # HTTP_HEAD_CAP, HTTP_HEAD_LINES_CAP
ID_CAP, URI_CAP, URIS, LISTENS = 256, 1024, 256, 16  # MESSAGE_ID_CAP, RESOURCE_URI_MAX, PEER_URIS_CAP, PEER_LISTENS_CAP
VALUES_CAP = 1 << 17                            # MESSAGE_VALUES_CAP
BODY_CAP, BODIES_CAP = 16 << 20, 256 << 20      # HTTP_BODY_CAP, HTTP_BODIES_CAP
MANY = 1000
ADDRESS_CAP = 768                               # HTTP_ADDRESS_CONNECTIONS_CAP
PIPELINED = 2000

NO_JSON = (
    b"{", b"}", b"[", b"nul", b"{'a': 1}", b'{"jsonrpc": "2.0",}', b"\0", b'"', b"NaN", b'{"a": Infinity}', b"01", b"1e999", b"9" * 400,
    b"\x1f", b'"\x01"', b'"\\x"', b'"\\u12"', b'{"jsonrpc":"2.0","id":1,"method":"ping"} x', b'{"jsonrpc":"2.0"}{"jsonrpc":"2.0"}',
    b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"ping"}', '{"jsonrpc":"2.0","id":1,"method":"ping"}'.encode("utf-16-be"),
    b'{"jsonrpc":"2.0","id":9223372036854775808,"method":"ping"}',
    # no UTF-8: a lone byte, a cut one, an overlong one, half a pair as bytes and as an escape, beyond the last character
    *(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"%s"}}' % bad for bad in (
        b"\xff", b"\x80", b"\xc3", b"\xe2\x98", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\\ud83e", b"\\udd84\\ud83e")),
    # depth
    b"[" * 100_000, b'{"a":' * 100_000, b"[" * 3000 + b"]" * 3000,
)
NO_MESSAGE = (
    b"[]", b"1", b'"ping"', b"null", b"true", b"1.5", b"{}",
    b'{"id":1,"method":"ping"}', b'{"jsonrpc":"1.0","id":1,"method":"ping"}', b'{"jsonrpc":2.0,"id":1,"method":"ping"}',
    b'{"jsonrpc":null,"id":1,"method":"ping"}', b'{"jsonrpc":"2.0","id":1}', b'{"jsonrpc":"2.0","id":1,"method":1}',
    b'{"jsonrpc":"2.0","id":1,"method":null}', b'{"jsonrpc":"2.0","id":1,"method":["ping"]}',
)
WRONG_IN_BATCH = b"{}", b"[]", b"1", b"null", b'{"jsonrpc":"2.0","id":1}'
NO_ID = (None, True, False, 1.0, -1.5, 1e300, {}, {"a": 1}, [], [1], "x" * (ID_CAP + 1))
IDS = (0, 1, -1, 2 ** 63 - 1, -2 ** 63, "", "1", "x" * ID_CAP, "é☃\U0001f984", "a\0b", "\r\n", "null")
NO_PARAMS = ([], [1], "x", 1, 1.5, True)  # null counts as not sent
CURSORS = ("made up", "0", "1", "-100", "100", "1e2", " 100", "+100", "0x64", "9" * 40, "é", "\0", 0, 100, 1.5, True, [], {}, ["100"])
LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")


def nested(depth):
    return json.loads("[" * depth + "]" * depth)


class Messages(HostileCase):
    def test_no_json(self):
        for client in self.each_client():
            for bad in NO_JSON:
                status, answer = client.give(bad)
                self.assertIn(status, (400, None), bad[:50])
                self.refused(answer, PARSE)

    def test_no_message(self):
        for client in self.each_client():
            for bad in NO_MESSAGE:
                status, answer = client.give(bad)
                self.assertIn(status, (400, None), bad)
                self.refused(answer, INVALID, answer["id"])
                self.assertIn(answer["id"], (None, 1))

    def test_batches_of_what_is_no_message(self):
        """Each item has its answer in the revision with batches; the others refuse the whole."""
        batch = b"[" + b",".join(WRONG_IN_BATCH) + b"]"
        for client in self.each_client():
            status, answer = client.give(batch)
            if client.version != "2025-03-26":
                self.assertIn(status, (400, None))
                self.refused(answer, INVALID)
                continue
            self.assertEqual(len(answer), len(WRONG_IN_BATCH))
            for one in answer:
                self.refused(one, INVALID, one["id"])

    def test_ids_of_every_type(self):
        for client in self.each_client():
            for ident in NO_ID:
                message = dict(client.probe(), id=ident)
                status, answer = client.give(json.dumps(message).encode())
                self.assertIn(status, (400, None), ident)
                self.refused(answer, INVALID)
            for ident in IDS:
                status, answer = client.give(json.dumps(client.probe(ident)).encode())
                self.assertIn(status, (200, None), (ident, answer))
                self.assertEqual((answer["id"], type(answer["id"])), (ident, type(ident)), answer)
                self.assertIn("result", answer)
            # An id of any type may be said to be cancelled.
            for ident in (*NO_ID, *IDS):
                notice = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": ident}}
                self.assertIn(client.give(json.dumps(notice).encode()), ((202, None), (None, None)), ident)

    def test_params_and_methods(self):
        for client in self.each_client():
            for params in NO_PARAMS:
                message = {"jsonrpc": "2.0", "id": 5, "method": "tools/list", "params": params}
                status, answer = client.give(json.dumps(message).encode())
                self.assertIn(status, (400, None), params)
                self.refused(answer, PARAMS, 5)
            for method in "", "no/such", "tools/list/", "Ping", "x" * 60:
                status, answer = client.request(method, ident=6)
                self.assertIn(status, (404 if client.modern else 200, None), method)
                self.refused(answer, METHOD, 6)

    def test_what_is_not_answered(self):
        """Notifications that there are not, and responses to nothing."""
        for client in self.each_client():
            for message in ({"method": "notifications/no/such"}, {"method": "notifications/cancelled"},
                            {"method": "notifications/roots/list_changed", "params": {"a": nested(100)}},
                            {"id": "ask-1", "result": {}}, {"id": 7, "error": {"code": -1, "message": "no"}}, {"id": 7, "result": None}):
                given = client.give(json.dumps({"jsonrpc": "2.0", **message}).encode())
                self.assertIn(given, ((202, None), (None, None)), message)

    def test_depth(self):
        for client in self.each_client():
            status, answer = client.give(json.dumps(client.probe(8, {"deep": nested(800)})).encode())
            self.assertIn(status, (200, None))
            self.assertIn("result", answer)
            for tool in "query_graph", "change_curriculum", "execute_code":
                _, answer = client.request("tools/call", {"name": tool, "arguments": {"operations": nested(800), "session_id": nested(50)}})
                self.assertTrue(answer.get("result", {}).get("isError") or "error" in answer, answer)

    def test_cursors(self):
        for client in self.each_client():
            for method in LISTS:
                for cursor in CURSORS:
                    _, answer = client.request(method, {"cursor": cursor}, 9)
                    self.refused(answer, PARAMS, 9)
                for cursor in None, "":
                    self.assertIn("result", client.request(method, {"cursor": cursor})[1])


class Sizes(HostileCase):
    """At each cap, and one over it."""

    def clients(self):
        for client in self.each_client():
            if client.version in ("2025-11-25", MODERN):
                yield client

    def test_messages(self):
        for client in self.clients():
            probe = json.dumps(client.probe(1)).encode()
            status, answer = client.give(probe + b" " * (MESSAGE_CAP - len(probe)))
            self.assertIn(status, (200, None))
            self.assertIn("result", answer)
            status, answer = client.give(probe + b" " * (MESSAGE_CAP + 1 - len(probe)))
            self.assertIn(status, (413, None))
            self.assertIn(str(MESSAGE_CAP), answer["error"]["message"])
            if status:  # where the next request begins is not looked for
                self.assertEqual(client.connection.ends(), b"")
                continue
            status, answer = client.give(b"x" * (3 * MESSAGE_CAP))
            self.assertIn(str(MESSAGE_CAP), answer["error"]["message"])

    def test_values_in_messages(self):
        """What takes long to read is not read; a comma in a text is no value."""
        for client in self.clients():
            for many, good in ((b"0," * (VALUES_CAP - 100) + b"0", True), (b"0," * VALUES_CAP + b"0", False), (b"{}," * VALUES_CAP + b"{}", False),
                               (b'"' + b"a, b," * VALUES_CAP + b'"', True), (b'"\\"' + b"[{,\\\\" * VALUES_CAP + b'"', True)):
                probe = json.dumps(client.probe(1, {"many": "HERE"})).encode().replace(b'"HERE"', b"[" + many + b"]")
                status, answer = client.give(probe)
                self.assertIn(status, (200 if good else 413, None))
                self.assertEqual("result" in answer, good)
                if not good:
                    self.assertIn(str(VALUES_CAP), answer["error"]["message"])

    def test_texts_in_messages(self):
        uri = "lectern://curriculum/%s/node/" % self.sid
        for client in self.clients():
            for size, good in ((ID_CAP, True), (ID_CAP + 1, False)):
                answer = client.request("tools/call", {"name": "query_graph", "arguments": {"query": "counts"}, "_meta": {"progressToken": "t" * size}})[1]
                self.assertEqual("result" in answer, good, size)
            self.refused(client.request("resources/read", {"uri": uri + "x" * 1_000_000}, 2)[1] if client.transport == "stdio" else
                         client.request("resources/read", {"uri": uri + "x" * 500}, 2)[1], PARAMS if client.modern else -32002, 2)
            if client.modern:
                continue
            for size, code in ((URI_CAP, None), (URI_CAP + 1, PARAMS)):
                answer = client.request("resources/subscribe", {"uri": uri + "x" * (size - len(uri))}, 3)[1]
                self.assertEqual(answer.get("error", {}).get("code"), code, answer)
            for number in range(1, URIS):
                self.assertIn("result", client.request("resources/subscribe", {"uri": uri + str(number)})[1])
            self.refused(client.request("resources/subscribe", {"uri": uri + "more"}, 4)[1], REFUSED, 4)
            self.assertIn("result", client.request("resources/subscribe", {"uri": uri + "1"})[1])  # it has that one
            self.assertIn("result", client.request("resources/unsubscribe", {"uri": uri + "1"})[1])
            self.assertIn("result", client.request("resources/subscribe", {"uri": uri + "more"})[1])
            if client.transport == "http":  # else it is kept for a stream that may come
                self.assertEqual(self.server.http("DELETE", "/mcp", Mcp_Session_Id=client.session)[0], 204)

    def test_heads(self):
        def status_of(size=0, fields=2, path="/health", **more):
            headers = [("X-%d" % number, "a") for number in range(fields - 1)] + list(more.items())
            request = http_bytes("GET", path, headers=headers)
            if size:
                request = http_bytes("GET", path, headers=[("X-Pad", "a" * (size - len(http_bytes("GET", path, headers=[("X-Pad", "")]))))])
                self.assertEqual(len(request), size)
            connection = self.connect()
            connection.send(request)
            self.alive()
            head = connection.head()
            connection.close()
            return head[0]

        self.assertEqual([status_of(size) for size in (HEAD_CAP, HEAD_CAP + 1, 4 * HEAD_CAP)], [200, 431, 431])
        self.assertEqual([status_of(fields=count) for count in (HEAD_FIELDS, HEAD_FIELDS + 1, 4 * HEAD_FIELDS)], [200, 431, 431])
        self.assertEqual([status_of(**{name: "y"}) for name in ("X", "A", "Acc", "Hos", "X-")], [200] * 5)  # how fields begin that are known
        self.assertEqual([status_of(path="/" + "x" * size) for size in (2046, 2047, 8000)], [404, 414, 414])
        session = HttpSpeaker(self, "2025-11-25").session
        self.assertEqual([self.stream(session, ("Last-Event-ID", "g" * size)).head()[0] for size in (63, 64)], [200, 400])
        self.assertEqual([status_of(path="/mcp", **{"Mcp-Session-Id": "x" * size}) for size in (399, 400)], [404, 400])

    def test_names_in_headers(self):
        client = HttpSpeaker(self, MODERN)
        for size, status in ((1023, 200), (1024, 400)):
            given, answer = client.request("tools/call", {"name": "x" * size}, 1)
            self.assertEqual(given, status, answer)
            self.refused(answer, PARAMS if status == 200 else REFUSED, 1 if status == 200 else None)


class Contradictions(HostileCase):
    """Of headers and the body, and of the eras."""

    def setUp(self):
        super().setUp()
        self.edit = {"name": "change_curriculum", "arguments": {
            "session_id": self.sid, "operations": [{"op": "create_node", "node_id": "NEVER", "title": "never"}]}}

    def version(self):
        return self.server.http("GET", "/session/%s/history" % self.sid)[1]["version"]

    def send(self, client, body, headers):
        client.connection.send(http_bytes("POST", "/mcp", json.dumps(body).encode(), [*JSON_HEADERS.items(), *headers]))
        self.alive()
        return client.connection.answer()

    def test_headers(self):
        client = HttpSpeaker(self, MODERN)
        version = self.version()
        good = [("MCP-Protocol-Version", MODERN), ("Mcp-Method", "tools/call"), ("Mcp-Name", "change_curriculum")]
        encoded = base64.b64encode(b"change_curriculum").decode()
        message = client.message("tools/call", self.edit, 1)
        for name, values in (
                ("MCP-Protocol-Version", ("2025-11-25", "2026-07-29", "20260728", "")),
                ("Mcp-Method", ("tools/list", "Tools/Call", "tools/call, tools/call", "=?base64?dG9vbHMvbGlzdA==?=", "")),
                ("Mcp-Name", ("query_graph", "change_curriculu", "change_curriculum, query_graph", "", "=?base64?%s?" % encoded,
                              "=?base64?%s?=" % encoded.rstrip("="), "=?base64?!%s?=" % encoded, "=?BASE64?%s?=" % encoded,
                              "=?base64??=", '"change_curriculum"'))):
            rest = [pair for pair in good if pair[0] != name]
            for headers in ([*rest, (name, value)] for value in values):
                status, answer, _ = self.send(client, message, headers)
                self.assertEqual((status, answer["error"]["code"]), (400, HEADER), (headers, answer))
            self.assertEqual(self.send(client, message, rest)[0], 400, name)
            # Twice: whoever is between may have looked at the other one.
            for pair in ((name, dict(good)[name]), (name, values[0])), ((name.lower(), values[0]), (name, dict(good)[name])):
                other = HttpSpeaker(self, MODERN)
                self.assertEqual(self.send(other, message, [*rest, *pair])[0], 400, pair)
                self.assertEqual(other.connection.ends(), b"")
        self.assertEqual(self.version(), version)
        for raw in b"\xff", "é".encode(), b"a\x01b":
            client.connection.send(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
                                   b"MCP-Protocol-Version: 2026-07-28\r\nMcp-Name: " + raw + b"\r\n\r\n{}")
            self.assertEqual(client.connection.answer()[0], 400)
            if raw == b"a\x01b":
                self.assertEqual(client.connection.ends(), b"")
        client = HttpSpeaker(self, MODERN)
        self.assertEqual(self.send(client, message, [*good[:2], ("mcp-name", "  =?base64?%s?=\t" % encoded)])[0], 200)
        self.assertEqual(self.version(), version + 1)

    def test_the_other_era_s_headers(self):
        client = HttpSpeaker(self, "2025-11-25")
        version = self.version()
        session = ("Mcp-Session-Id", client.session)
        legacy = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": self.edit}
        modern = dict(legacy, params=dict(self.edit, _meta=modern_meta()))
        names = [("Mcp-Method", "tools/call"), ("Mcp-Name", "change_curriculum")]
        for body, headers, code in (
                (legacy, [session, ("MCP-Protocol-Version", MODERN), *names], PARAMS),
                (legacy, [session, ("MCP-Protocol-Version", "2020-01-01")], REFUSED),
                (legacy, [("MCP-Protocol-Version", "2025-11-25")], INVALID),
                (legacy, [("Mcp-Session-Id", "made up"), ("MCP-Protocol-Version", "2025-11-25")], REFUSED),
                (modern, [session, ("MCP-Protocol-Version", "2025-11-25"), *names], HEADER),
                (modern, [session], HEADER)):
            status, answer, _ = self.send(client, body, headers)
            self.assertIn(status, (400, 404))
            self.assertEqual(answer["error"]["code"], code, (headers, answer))
        for method in "GET", "DELETE":
            client.connection.send(http_bytes(method, "/mcp", headers=[session, ("MCP-Protocol-Version", MODERN)]))
            self.assertEqual(client.connection.answer()[0], 405)
        self.assertEqual(self.version(), version)
        self.assertEqual(client.request("ping")[0], 200)  # the session is as it was

    def test_both_eras_on_one_connection(self):
        """One after the other, and all at once: each is answered as its own era has it, in order."""
        legacy, modern = HttpSpeaker(self, "2025-11-25"), HttpSpeaker(self, MODERN)
        modern.connection.close()
        modern.connection = legacy.connection
        steps = (
            (legacy, "ping", 200, None), (modern, "server/discover", 200, None), (legacy, "tools/list", 200, None), (modern, "ping", 404, METHOD),
            (modern, "tools/list", 200, None), (modern, "initialize", 404, METHOD), (legacy, "server/discover", 400, PARAMS),
            (modern, "logging/setLevel", 404, METHOD), (legacy, "subscriptions/listen", 400, PARAMS), (legacy, "initialize", 400, INVALID),
            (modern, "resources/subscribe", 404, METHOD), (legacy, "resources/list", 200, None), (modern, "prompts/list", 200, None))

        def check(answer, number, client, status, code):
            self.assertEqual((answer[0], answer[1]["id"], answer[1].get("error", {}).get("code")), (status, number, code), answer)
            if code is None:
                self.assertEqual("resultType" in answer[1]["result"], client.modern)

        messages = [json.dumps(client.message(method, ident=number)).encode() for number, (client, method, _, _) in enumerate(steps)]
        for number, (client, _, status, code) in enumerate(steps):
            check(client.post(messages[number]), number, client, status, code)
        legacy.connection.send(b"".join(client.whole(messages[number]) for number, (client, *_) in enumerate(steps)))
        self.alive()
        for number, (client, _, status, code) in enumerate(steps):
            check(legacy.connection.answer(), number, client, status, code)

    def test_both_eras_on_stdio(self):
        legacy, modern = StdioSpeaker(self, "2025-11-25"), hostile.Speaker(MODERN)
        steps = (
            (legacy, "ping", None), (modern, "server/discover", None), (modern, "ping", METHOD), (legacy, "tools/list", None),
            (legacy, "server/discover", PARAMS), (modern, "initialize", METHOD), (legacy, "initialize", INVALID),
            (modern, "tools/list", None), (legacy, "subscriptions/listen", PARAMS), (modern, "resources/subscribe", METHOD))
        legacy.write(b"".join(json.dumps(client.message(method, ident=number)).encode() + b"\n"
                              for number, (client, method, _) in enumerate(steps)))
        for number, (client, _, code) in enumerate(steps):
            answer = legacy.read()
            self.assertEqual((answer["id"], answer.get("error", {}).get("code")), (number, code), answer)
            if code is None:
                self.assertEqual("resultType" in answer["result"], client.modern)
        legacy.end()


class States(HostileCase):
    """A `requestState` opens for whom, for what and for as long as it was sealed."""
    arguments = {"query": "counts"}

    def prepare(self):
        self.file = os.path.join(self.workspace.data, "tokens")
        self.anna, self.ben = (self.workspace.run("token", "--token-file", self.file, "--scope", "edit", name).stdout.decode().strip()
                               for name in ("anna", "ben"))
        self.options = ("--token-file", self.file)

    def begin(self):
        self.server.http = lambda method, path, body=None, **headers: harness.Client.http(
            self.server, method, path, body, Authorization="Bearer " + self.anna, **headers)
        super().begin()

    def sealed(self, holder, tool="query_graph", arguments=None, seconds=3600, kept=b""):
        """As the server itself writes it (mcp/protocol/ask.c, helpers/base/seal.h)."""
        key = bytes.fromhex(key_of(self.workspace.data))
        text = json.dumps(arguments or self.arguments, separators=(",", ":"), sort_keys=True)
        purpose = "request state\n%s\ntools/call\n%s\n%s\0" % (holder, tool, text)
        data = struct.pack("=q", int(time.time()) + seconds) + kept
        mac = hmac.new(key, purpose.encode() + data, hashlib.sha256).digest()
        return base64.urlsafe_b64encode(data + mac).decode().rstrip("=")

    def holder(self, token):
        return hashlib.sha256(token.encode()).hexdigest()[:32]

    def call(self, client, state, **more):
        _, answer = client.request("tools/call", {"name": "query_graph", "arguments": self.arguments, "requestState": state, **more})
        return answer.get("error", {}).get("code")

    def check(self, client, good, others):
        self.assertIsNone(self.call(client, good))
        self.assertIsNone(self.call(client, good, inputResponses={}))
        for state in (*others, "", "made up", good[:-1], good + "A", good + "=", good * 1000, good.lower(), None, 1, True, [], [good], {},
                      {"state": good}):
            self.assertEqual(self.call(client, state), PARAMS, state)
        for place, letter in enumerate(good):
            for bit in (1 << number for number in range(7)):
                self.assertEqual(self.call(client, good[:place] + chr(ord(letter) ^ bit) + good[place + 1:]), PARAMS, place)
        for answers in (1, "x", [], {"a": 1}, {"a": None}, True):
            self.assertEqual(self.call(client, good, inputResponses=answers), PARAMS, answers)
        self.assertEqual(self.call(client, good, arguments={"query": "outline"}), PARAMS)
        self.assertEqual(self.call(client, good, name="history", arguments={}), PARAMS)
        self.assertIsNone(self.call(client, good))

    def others(self, holder):
        return (self.sealed(holder, seconds=-1), self.sealed(holder, tool="history"), self.sealed(holder, arguments={"query": "outline"}),
                self.sealed(holder + "x"), self.sealed(holder, kept=b"x" * 100_000))

    def test_http(self):
        anna, ben = HttpSpeaker(self, MODERN, self.anna), HttpSpeaker(self, MODERN, self.ben)
        hers, his = self.sealed(self.holder(self.anna)), self.sealed(self.holder(self.ben))
        self.check(anna, hers, (his, self.sealed(""), *self.others(self.holder(self.anna))))
        self.assertEqual((self.call(ben, hers), self.call(ben, his), self.call(anna, his)), (PARAMS, None, PARAMS))
        # The era before has no such thing.
        self.assertIsNone(self.call(HttpSpeaker(self, "2025-11-25", self.anna), "made up"))

    def test_stdio(self):
        client = StdioSpeaker(self, MODERN)
        self.check(client, self.sealed(""), (self.sealed(self.holder(self.anna)), *self.others("")))
        client.end()


class MadeUp(HostileCase):
    """Sessions, streams and subscriptions that there are not, or that are another's."""

    def test_sessions(self):
        client = HttpSpeaker(self, "2025-11-25")
        good = client.session
        random_bytes = random.Random(16)
        for session in ("made up", "0", good[:-1], good + "A", good.swapcase(), good + ", " + good, "../" + good, "%s", "null",
                        *("".join(random_bytes.choices("ABCdef0123456789-_", k=length)) for length in (1, 43, len(good), 399))):
            client.session = session
            self.assertIn(client.request("ping")[0], (400, 404), session)
            for method in "GET", "DELETE":
                client.connection.send(http_bytes(method, "/mcp", headers=[("Mcp-Session-Id", session), ("Accept", "text/event-stream")]))
                self.assertIn(client.connection.answer()[0], (400, 404), (method, session))
        client.session = good
        self.assertEqual(client.request("ping")[0], 200)

    def test_last_event_ids(self):
        """None of them shows a session what another was sent, and none takes its stream."""
        victim, thief = HttpSpeaker(self, "2025-11-25"), HttpSpeaker(self, "2025-11-25")
        stream = self.stream(victim.session)
        self.assertEqual(stream.head()[0], 200)
        first = stream.take(b"\n").split()[1].decode()
        self.server.http("POST", "/session/create", {})
        self.assertEqual(stream.event()["method"], "notifications/resources/list_changed")
        number = first[1:].split("-")[0]
        for last in ("p" + number + "-0", "p0-0", "p", "px-1", "p-1-1", "p" + "f" * 60):
            self.assertEqual(self.stream(thief.session, ("Last-Event-ID", last)).head()[0], 400, last)
        for last in (first, "g" + number + "-1", "g0-0", "g", "x", "", "g-1--1", "g%s-18446744073709551616" % number, "g" + "f" * 60, "\t", "null"):
            own = self.stream(thief.session, ("Last-Event-ID", last))
            self.assertEqual(own.head()[0], 200, last)
            self.assertNotIn(number, own.take(b"\n").split()[1].decode(), last)
            self.server.http("POST", "/session/create", {})
            for reader in own, stream:
                self.assertEqual(reader.event()["method"], "notifications/resources/list_changed", last)
            own.close()
        self.assertEqual(self.gauges()["lectern_mcp_streams"], 2)

    def test_subscriptions(self):
        uri = "lectern://curriculum/" + self.sid
        for client in self.each_client():
            if client.modern:
                for wanted in (None, [], "x", 1, True, {"resourceSubscriptions": "x"}, {"resourceSubscriptions": [1]},
                               {"resourceSubscriptions": [None]}, {"resourceSubscriptions": ["x" * (URI_CAP + 1)]},
                               {"resourceSubscriptions": [uri] * (URIS + 1)}, {"resourceSubscriptions": {"a": uri}}):
                    self.refused(client.request("subscriptions/listen", {"notifications": wanted}, 1)[1], PARAMS, 1)
                continue
            for method in "resources/subscribe", "resources/unsubscribe":
                for bad in (None, 1, [], {}, "x" * (URI_CAP + 1)):
                    self.refused(client.request(method, {"uri": bad}, 1)[1], PARAMS, 1)
            for bad in ("", "x", "file:///etc/passwd", "lectern://", "lectern://curriculum/", uri + "/node", uri + "/node/", "\0"):
                answer = client.request("resources/subscribe", {"uri": bad}, 2)[1]
                self.refused(answer, -32002, 2)
                self.assertIn("result", client.request("resources/unsubscribe", {"uri": bad})[1])

    def test_listening(self):
        """What has wishes that nothing fulfils is open until it is ended; on stdio there is a cap."""
        wanted = {"notifications": {"resourceSubscriptions": ["x", "lectern://curriculum/none"], "no": 1, "toolsListChanged": "yes"}}
        client = HttpSpeaker(self, MODERN)
        client.connection.send(client.whole(json.dumps(client.message("subscriptions/listen", wanted, 1)).encode()))
        self.assertEqual(client.connection.head()[0], 200)
        self.assertEqual(client.connection.event()["method"], "notifications/subscriptions/acknowledged")
        self.assertEqual(self.gauges()["lectern_mcp_streams"], 1)
        client.connection.cut()
        client = StdioSpeaker(self, MODERN)
        for number in range(LISTENS):
            _, answer = client.request("subscriptions/listen", {"notifications": {}}, number)
            self.assertIsNone(answer)
        self.refused(client.request("subscriptions/listen", {"notifications": {}}, 90)[1], REFUSED, 90)
        self.refused(client.request("subscriptions/listen", {"notifications": {}}, 1)[1], INVALID, 1)  # an id under way
        for number in range(LISTENS):
            client.give(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}).encode())
        self.assertIsNone(client.request("subscriptions/listen", {"notifications": {}}, 91)[1])
        client.end()


class Pipelined(HostileCase):
    """Much at once, and what is no request behind it."""
    garbage = (b"\0" * 1000, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
               b"x" * 100_000, b"\r\n\r\n" * 1000 + b"\0", b"GET /\0 HTTP/1.1\r\n\r\n", b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
               b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n",
               random.Random(7).randbytes(50_000))

    def test_behind_good_requests(self):
        for version in "2025-11-25", MODERN:
            for bad in self.garbage:
                client = HttpSpeaker(self, version)
                probes = b"".join(client.whole(json.dumps(client.probe(number)).encode()) for number in range(20))
                client.connection.send(probes + bad)
                self.alive()
                for number in range(20):
                    status, answer, _ = client.connection.answer()
                    self.assertEqual((status, answer["id"]), (200, number))
                last = client.connection.answer()
                if last:  # or it was closed while it was sent
                    self.assertGreaterEqual(last[0], 400, bad[:20])
                self.assertEqual(client.connection.ends(), b"", bad[:20])

    def test_a_body_that_is_longer_than_it_says(self):
        client = HttpSpeaker(self, "2025-11-25")
        body = json.dumps(client.probe(1)).encode()
        headers = [*client.headers().items(), ("Content-Length", str(len(body) - 1))]
        client.connection.send(http_bytes("POST", "/mcp", body, headers))
        status, answer, _ = client.connection.answer()
        self.assertEqual((status, answer["error"]["code"]), (400, PARSE))
        self.assertEqual(client.connection.answer()[0], 400)  # to the rest, which is no request
        self.assertEqual(client.connection.ends(), b"")

    def test_much(self):
        for version in "2024-11-05", MODERN:
            client = HttpSpeaker(self, version)
            sender = threading.Thread(target=client.connection.send, args=(
                b"".join(client.whole(json.dumps(client.probe(number)).encode()) for number in range(PIPELINED)) + b"\0",))
            sender.start()
            for number in range(PIPELINED):
                self.assertEqual(client.connection.answer()[1]["id"], number)
                if number % 100 == 0:
                    self.alive()
            self.assertEqual(client.connection.answer()[0], 400)
            sender.join()

    def test_much_on_stdio(self):
        for version in "2024-11-05", MODERN:
            client = StdioSpeaker(self, version)
            bad = b"\xff\0{[" * 10
            sender = threading.Thread(target=client.write, args=(
                b"".join(bad + b"\n" + json.dumps(client.probe(number)).encode() + b"\n \t\r\n\n" for number in range(PIPELINED)),))
            sender.start()
            for number in range(PIPELINED):
                self.refused(client.read(), PARSE)
                self.assertEqual(client.read()["id"], number)
            sender.join()
            client.end()

    def test_cut_anywhere(self):
        """Connections that end at each place of a request, in good order and not."""
        client = HttpSpeaker(self, "2025-11-25")
        whole = client.whole(json.dumps(client.message("tools/call", {"name": "query_graph", "arguments": {"query": "counts"}})).encode())
        for place in range(0, len(whole) + 1, 3):
            connection = self.connect()
            connection.send(whole[:place])
            if place % 2:
                connection.cut()
            else:
                connection.close()
        self.alive()

    def test_cut_on_stdio(self):
        """An input that ends anywhere is an end as any other."""
        for version in "2025-11-25", MODERN:
            for data in (b"", b"{", b'{"jsonrpc":"2.0","id":1,"method":"ping"}', b"\xff", b"\n\n", b"[" * 10_000, b"x" * (MESSAGE_CAP + 1)):
                client = StdioSpeaker(self, version)
                client.write(data)
                self.assertEqual(client.client.close(), 0)


class Slow(HostileCase):
    """Who sends byte by byte, and then no more, loses the connection; who goes on for ever, too."""

    def test_slow_senders(self):
        client = HttpSpeaker(self, "2025-11-25")
        modern = HttpSpeaker(self, MODERN)
        wholes = [one.whole(json.dumps(one.message("tools/list")).encode()) for one in (client, modern)]
        wholes.append(get_bytes(client.session))
        stopped = []
        for whole in wholes:
            places = {0, 1, 5, len(whole) // 2, whole.index(b"\r\n\r\n") + 2, len(whole) - 1}
            for place in sorted(places):
                connection = self.connect()
                for at in range(place):
                    connection.send(whole[at:at + 1])
                    if at % 20 == 0:
                        self.alive()
                stopped.append(connection)
        # And those whose head never ends. They are ended although they send: a byte whenever the server has not closed them yet.
        endless = [self.connect() for _ in range(20)]
        for connection in endless:
            connection.send(b"GET /health HTTP/1.1\r\nX-A: ")
        open_ones = list(endless)
        while open_ones:
            self.alive()
            ended = select.select([one.socket for one in open_ones], [], [], 0.2)[0]
            open_ones = [one for one in open_ones if one.socket not in ended and one.send(b"a")]
        for connection in (*endless, *stopped):
            text = connection.ends()  # of half a request nothing was done
            self.assertFalse(text.startswith(b"HTTP/1.1 2"), text)
            connection.close()

    def test_a_stream_that_is_not_read(self):
        """What it is sent goes nowhere, and nobody else waits for that."""
        for _ in range(20):
            client = HttpSpeaker(self, "2025-11-25")
            self.stream(client.session).socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.end()
        self.until(lambda: self.gauges()["lectern_mcp_streams"], 20)
        for _ in range(20):
            self.server.http("POST", "/session/create", {})
            self.alive()

    def test_large_bodies_that_stop(self):
        """Together they hold all the memory that there is for bodies: small ones are taken all the same."""
        def status_of(body):
            return self.server.http("POST", "/session/create", b"{" + b" " * body + b"}")[0]

        part = b" " * (BODY_CAP - 1)
        for _ in range(BODIES_CAP // BODY_CAP):
            connection = self.connect()
            connection.send(http_bytes("POST", "/session/create", headers=[("Content-Type", "application/json"), ("Content-Length", str(BODY_CAP))]))
            connection.send(part)
            self.alive()
        self.until(lambda: status_of(100_000), 503)
        self.assertEqual([status_of(size) for size in (0, 50_000)], [200, 200])
        for connection in self.connections:
            connection.cut()


class Many(HostileCase):
    sources = ("127.0.0.1", "127.0.0.2")  # one address may not have them all

    def source(self, number):
        return self.sources[number % len(self.sources)]

    def test_idle_connections(self):
        for turn in range(2):  # in the second, each goes on where it was
            for number in range(MANY):
                connection = self.connections[number] if turn else self.connect(self.source(number))
                connection.send(http_bytes("GET", "/health"))
                self.assertEqual(connection.answer()[0], 200)
                if number % 50 == 0:
                    self.alive()
            self.assertEqual(self.gauges()["lectern_connections"], MANY + 1)
        for number in range(MANY):  # over the cap: of those that have said nothing, one goes for each that comes
            connection = self.connect(self.source(number))
            connection.send((b"", b"GET /hea", b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{")[number % 3])
            if number % 50 == 0:
                self.alive()
        self.connections[0].send(http_bytes("GET", "/health"))
        self.assertEqual(self.connections[0].answer()[0], 200)
        for number, connection in enumerate(self.connections):
            if number % 3 == 0:
                connection.cut()

    def test_idle_streams(self):
        """Each is told of the next change, and may then go as it likes."""
        legacy, modern = [], HttpSpeaker(self, MODERN)
        for _ in range(MANY // 2):
            self.server.session = None
            self.server.initialize()
            legacy.append(self.server.session)
        self.server.session = None
        self.server.initialize()
        listen = modern.whole(json.dumps(modern.message("subscriptions/listen", {"notifications": {"resourcesListChanged": True}})).encode())
        modern.end()
        streams = []
        for number in range(MANY):
            source = self.source(number // 2)
            if number % 2:
                connection = self.connect(source)
                connection.send(listen)
            else:
                connection = self.stream(legacy[number // 2], source=source)
            self.assertEqual(connection.head()[0], 200)
            streams.append(connection)
            if number % 50 == 0:
                self.alive()
        self.assertEqual(self.gauges()["lectern_mcp_streams"], MANY)
        self.server.http("POST", "/session/create", {})
        self.alive()
        for number, connection in enumerate(streams):
            methods = [connection.event()["method"] for _ in range(1 + number % 2)]
            self.assertEqual(methods[-1], "notifications/resources/list_changed")
            if number % 3 == 0:
                connection.cut()
            elif number % 3 == 1:
                connection.close()

    def test_clients_that_close_late(self):
        """A connection that is answered, and only waits for its client to close, gives way to a new one."""
        modern = HttpSpeaker(self, MODERN)
        listen = modern.whole(json.dumps(modern.message("subscriptions/listen", {"notifications": {"resourcesListChanged": True}})).encode())
        modern.end()
        for _ in range(ADDRESS_CAP - 2):
            connection = self.connect(self.sources[1])
            connection.send(listen)
            self.assertEqual(connection.head()[0], 200)
        for _ in range(20):
            connection = self.connect(self.sources[1])
            connection.send(http_bytes("GET", "/health", headers=[("Connection", "close")]))
            self.assertEqual(connection.answer()[0], 200)

    def test_calls_of_clients_that_leave(self):
        """In the era without sessions the end of the connection ends the call; in the other one a notice does."""
        self.before = None  # sandboxes that were started wait for the next call
        code = {"name": "execute_code", "arguments": {"code": "while True: pass"}}
        client = HttpSpeaker(self, "2025-11-25")
        for number in range(20):
            modern = HttpSpeaker(self, MODERN)
            modern.connection.send(modern.whole(json.dumps(modern.message("tools/call", code)).encode()))
            other = self.connect()
            other.send(client.whole(json.dumps(client.message("tools/call", code, number)).encode()))
        self.until(lambda: self.gauges()["lectern_mcp_calls"] > 20, True)
        for number in range(20):
            client.give(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}).encode())
        for number, connection in enumerate(self.connections):
            if number % 2:
                connection.cut()
            else:
                connection.close()


class Tls(HostileCase):
    """The same behind TLS, and who does not speak it, or not on."""

    def prepare(self):
        if not shutil.which("openssl"):
            raise unittest.SkipTest("SKIPPED: openssl is not installed; `make deps` brings it")
        cert, key = hostile.make_certificate(self.workspace.data)
        self.context = ssl.create_default_context(cafile=cert)
        self.options = ("--tls-cert", cert, "--tls-key", key)

    def begin(self):
        self.server.connection = http.client.HTTPSConnection("127.0.0.1", self.server.port, timeout=harness.ANSWER_SECONDS, context=self.context)
        super().begin()

    def hello(self):
        """The first flight of a handshake."""
        out = ssl.MemoryBIO()
        client = self.context.wrap_bio(ssl.MemoryBIO(), out, server_hostname="127.0.0.1")
        with contextlib.suppress(ssl.SSLWantReadError):
            client.do_handshake()
        return out.read()

    def plain(self):
        connection = Connection(self.server.port)
        self.connections.append(connection)
        return connection

    def test_half_handshakes(self):
        hello = self.hello()
        places = (0, 1, 4, 5, 6, len(hello) // 2, len(hello) - 1, len(hello))
        for number in range(400):
            self.plain().send(hello[:places[number % len(places)]])
            if number % 20 == 0:
                self.alive()
        for number, connection in enumerate(self.connections[:200]):
            if number % 2:
                connection.cut()
            else:
                connection.close()
        for connection in self.connections[200:]:  # the server does not wait for ever
            connection.ends()

    def test_what_is_no_tls(self):
        changed = bytearray(self.hello())
        changed[20:60] = bytes(40)
        for bad in (http_bytes("GET", "/health"), b"\0" * 1000, b"\xff" * 20_000, b"\x16\x03\x01\xff\xff" + b"\0" * 70_000, bytes(changed),
                    b"\x15\x03\x01\x00\x02\x02\x28", random.Random(3).randbytes(5000), self.hello() * 3, self.hello() + b"GET / HTTP/1.1\r\n\r\n"):
            connection = self.plain()
            connection.send(bad)
            self.alive()
            self.assertNotIn(b"HTTP/1.1 2", connection.ends())

    def test_concurrent_handshakes(self):
        failures = []

        def use(number):
            try:
                for turn in range(10):
                    connection = Connection(self.server.port, context=self.context)
                    connection.send(http_bytes("GET", "/health"))
                    if connection.answer()[0] != 200:
                        failures.append(number)
                    if (number + turn) % 2:
                        connection.cut()
                    else:
                        connection.close()
            except (OSError, TypeError) as error:
                failures.append((number, error))

        for _ in range(100):
            self.plain()
        threads = [threading.Thread(target=use, args=(number,)) for number in range(32)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            self.alive()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_ends_in_each_state(self):
        body = b"{" + b" " * 100_000
        states = (b"", b"GET /hea", http_bytes("GET", "/health"), http_bytes("POST", "/mcp", body, [*JSON_HEADERS.items()])[:50_000],
                  http_bytes("GET", "/session/%s/components" % self.sid) * 50, http_bytes("GET", "/openapi.json") * 20)
        for number in range(60):
            connection = self.connect()
            connection.send(states[number % len(states)])
            if number % 4 == 0:
                connection.cut()
            elif number % 4 == 1:
                connection.close()
            elif number % 4 == 2:
                with contextlib.suppress(OSError):
                    connection.socket.unwrap().close()  # in good order
            else:
                connection.socket.shutdown(socket.SHUT_WR)
            self.alive()

    def test_messages(self):
        for version in "2025-11-25", MODERN:
            client = HttpSpeaker(self, version)
            for bad in NO_JSON:
                self.refused(client.give(bad)[1], PARSE)
            client.connection.send(client.whole(json.dumps(client.probe(1)).encode()) * 200 + b"\0" * 100)
            for _ in range(200):
                self.assertEqual(client.connection.answer()[0], 200)
            self.assertEqual(client.connection.answer()[0], 400)
            probe = json.dumps(client.probe(2)).encode()
            client = HttpSpeaker(self, version)
            self.assertEqual(client.give(probe + b" " * (MESSAGE_CAP - len(probe)))[0], 200)
            self.assertEqual(client.give(probe + b" " * (MESSAGE_CAP + 1 - len(probe)))[0], 413)


if __name__ == "__main__":
    unittest.main()
