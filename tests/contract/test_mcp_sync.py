# SPDX-License-Identifier: GPL-3.0-or-later
"""/mcp-sync: each committed change of a session, whatever made it, reaches the clients of that session only; and the answers to invalid
clients. Uses the WebSocket client of python3-websockets."""
import asyncio
import importlib.util
import json
import unittest

import harness
from socket_case import SECONDS, SocketCase

QUIET_SECONDS = 0.3
CLIENTS = 100


def refresh(target, node_id=None):
    return {"type": "refresh_ui", "target": target, "node_id": node_id}


class SyncCase(SocketCase):
    def connect(self, query="", **options):
        import web_sockets
        return web_sockets.connect("ws://127.0.0.1:%d/mcp-sync%s" % (self.server.port, query), **options)

    async def say(self, client, **context):
        await client.send(json.dumps({"type": "context_update", "context": context}))

    async def hear(self, client):
        return json.loads(await asyncio.wait_for(client.recv(), SECONDS))

    async def quiet(self, client):
        with self.assertRaises(asyncio.TimeoutError):
            self.fail(await asyncio.wait_for(client.recv(), QUIET_SECONDS))


@unittest.skipUnless(importlib.util.find_spec("websockets"), "SKIPPED: python3-websockets is not installed; `make deps` brings it")
class Changes(SyncCase):
    async def test_changes_by_every_door(self):
        path = "/session/" + self.sid
        async with self.connect() as one, self.connect("?session_id=" + self.sid) as two, self.connect() as third, \
                self.connect() as nobody:
            await self.say(one, session_id=self.sid, node_id="N001", screen="editor", action="open")
            await self.say(third, session_id=self.other)
            self.http("POST", path + "/nodes/N001/components/insert", {"type": "paragraph", "parameters": {"text": "a"}})
            for client in one, two:
                self.assertEqual(await self.hear(client), refresh("components", "N001"))
            self.http("POST", path + "/nodes", {"node_id": "a/b", "title": "t"})
            self.http("POST", path + "/relationships", {"from_node_id": "N001", "to_node_id": "a/b"})
            self.http("PUT", path + "/positions", {"positions": {"N001": {"x": 1, "y": 2}}})
            for client in one, two:
                self.assertEqual(await self.hear(client), refresh("nodes", "a/b"))
                self.assertEqual((await self.hear(client))["target"], "relationships")
                self.assertEqual((await self.hear(client))["target"], "nodes")
            self.server.initialize()
            self.server.good("add_component", session_id=self.sid, node_id="N002", component_type="paragraph",
                             parameters={"text": "by a tool"})
            for client in one, two:
                self.assertEqual(await self.hear(client), refresh("components", "N002"))
            newest = self.http("GET", path + "/history?limit=1")["changes"][0]["change_set"]
            self.http("POST", path + "/undo", {"change_set": newest})
            for client in one, two:
                self.assertEqual(await self.hear(client), refresh("components", "N002"))
            # What is refused changes nothing.
            self.assertEqual(self.server.http("POST", path + "/nodes", {"node_id": "a/b", "title": "t"})[0], 409)
            for client in one, two, third, nobody:
                await self.quiet(client)
            # Moving to another session ends the one and begins the other.
            await self.say(one, session_id=self.other)
            self.http("PUT", "/session/%s/nodes/N001" % self.other, {"title": "n"})
            for client in one, third:
                self.assertEqual(await self.hear(client), refresh("nodes", "N001"))
            await self.quiet(two)

    async def test_a_session_that_is_deleted(self):
        """Its clients are told to read all anew, which says that it is gone; so is an MCP connection that is bound to it."""
        bound = harness.Stdio(self.workspace, "--session", self.other)
        bound.initialize()
        async with self.connect("?session_id=" + self.other) as one, self.connect("?session_id=" + self.sid) as two:
            self.http("DELETE", "/session/" + self.other)
            heard = [await self.hear(one) for _ in range(3)]
            self.assertEqual({message["target"] for message in heard}, {"nodes", "components", "relationships"})
            await self.quiet(two)
            status, answer, _ = self.server.http("GET", "/session/%s/nodes" % self.other)
            self.assertEqual((status, "was deleted by rest" in answer["detail"]), (401, True))
            await self.say(one, session_id=self.other)
            await self.quiet(one)
        is_error, said = bound.call("query_graph", query="counts")
        self.assertEqual((is_error, "was deleted by rest" in said), (True, True), said)
        self.assertEqual(bound.close(), 0)


@unittest.skipUnless(importlib.util.find_spec("websockets"), "SKIPPED: python3-websockets is not installed; `make deps` brings it")
class Clients(SyncCase):
    async def test_many_clients(self):
        clients = [await self.connect("?session_id=" + (self.sid if number % 2 else self.other)) for number in range(CLIENTS)]
        self.http("PUT", "/session/%s/nodes/N001" % self.sid, {"title": "n"})
        for client in clients[1::2]:
            self.assertEqual(await self.hear(client), refresh("nodes", "N001"))
        for client in clients[::2]:
            self.assertFalse(client.messages)
        for client in clients:
            await client.close()

    async def test_a_client_that_does_not_read(self):
        path = "/session/%s/nodes" % self.sid
        async with self.connect("?session_id=" + self.sid, max_queue=1) as slow:
            for number in range(300):
                self.http("POST", path, {"node_id": "S%d" % number, "title": "t"})
            heard = [await self.hear(slow) for _ in range(1)]
            while heard[-1] not in (refresh("nodes"), refresh("nodes", "S299")):
                heard.append(await self.hear(slow))
            self.assertTrue(all(message["target"] in ("nodes", "components", "relationships") for message in heard))

    async def test_bad_messages(self):
        async with self.connect() as client:
            for bad in ("{", "[]", "{}", '{"type":"context_update"}', '{"type":"context_update","context":{}}',
                        '{"type":"context_update","context":{"session_id":5}}', b"\x00\xff"):
                await client.send(bad)
                answer = await self.hear(client)
                self.assertEqual(answer["type"], "error", bad)
                self.assertIn("context_update", answer["message"])
            await self.say(client, session_id=self.sid)  # it goes on
            self.http("PUT", "/session/%s/nodes/N001" % self.sid, {"title": "n"})
            self.assertEqual(await self.hear(client), refresh("nodes", "N001"))
            text = json.dumps({"type": "context_update", "context": {"session_id": self.other, "screen": "s" * 200}})
            await client.send([text[:20], text[20:90], text[90:]])
            self.http("PUT", "/session/%s/nodes/N001" % self.other, {"title": "n"})
            self.assertEqual(await self.hear(client), refresh("nodes", "N001"))

    async def test_a_message_too_long(self):
        import web_sockets
        async with self.connect() as client:
            await client.send("x" * 20000)
            self.assertIn("16384 bytes", (await self.hear(client))["message"])
            with self.assertRaises(web_sockets.ConnectionClosed):
                await self.hear(client)
            self.assertEqual(client.close_code, 1009)

    async def test_who_is_refused(self):
        import web_sockets
        for query, options, status in (
                ("", {"extra_headers": {"Origin": "http://evil.example"}}, 403), ("", {"subprotocols": ["mcp"]}, 400),
                ("?session_id=" + "x" * 60, {}, 422), ("/else", {}, 404)):
            with self.assertRaises(web_sockets.InvalidStatusCode) as caught:
                await self.connect(query, **options)
            self.assertEqual(caught.exception.status_code, status, (query, options))

    async def test_ping_and_the_end(self):
        import web_sockets
        async with self.connect("?session_id=" + self.sid) as client:
            await asyncio.wait_for(await client.ping(b"there?"), SECONDS)
            self.assertEqual(await asyncio.to_thread(self.server.close), 0)
            with self.assertRaises(web_sockets.ConnectionClosed):
                await self.hear(client)
            self.assertEqual(client.close_code, 1001)


if __name__ == "__main__":
    unittest.main()
