# SPDX-License-Identifier: GPL-3.0-or-later
"""/chat: accepted and refused connections, the greeting, changes by others with their names, two pages on one thread, questions that wait,
stop, large frames, and what remains when pages disconnect; also the old protocol of /mcp-sync. A small fake model sends what the test
requests. Uses the WebSocket client of python3-websockets."""
import asyncio
import base64
import http.server
import importlib.util
import json
import os
import threading
import time
import unittest
import urllib.parse

import harness
from socket_case import SECONDS, SocketCase

PAGES = 60
NOWHERE = "11111111-2222-4333-8444-555555555555"


def event(name, **fields):
    return ("event: %s\ndata: %s\n\n" % (name, json.dumps(dict(type=name, **fields)))).encode()


def answer(text):
    """An answer of the Messages API, as it streams."""
    yield event("message_start", message={"id": "msg_1", "type": "message", "role": "assistant", "model": "double",
                                          "content": [], "stop_reason": None, "usage": {"input_tokens": 10, "output_tokens": 1}})
    yield event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    for word in text.split(" "):
        yield event("content_block_delta", index=0, delta={"type": "text_delta", "text": word + " "})
    yield event("content_block_stop", index=0)
    yield event("message_delta", delta={"stop_reason": "end_turn", "stop_sequence": None}, usage={"output_tokens": 7})
    yield event("message_stop")


class Double:
    """The model's service: each request waits until the test lets it go on."""

    def __init__(self):
        double = self
        self.requests, self.go, self.gone = [], threading.Semaphore(0), threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                double.requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                try:
                    pieces = list(answer("Word by word"))
                    self.wfile.write(pieces[0] + pieces[1])
                    self.wfile.flush()
                    while not double.go.acquire(timeout=0.05):
                        self.wfile.write(event("ping"))
                    self.wfile.write(b"".join(pieces[2:]))
                except OSError:
                    double.gone.set()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = "http://127.0.0.1:%d" % self.server.server_address[1]

    def close(self):
        for _ in range(100):
            self.go.release()
        self.server.shutdown()
        self.server.server_close()


class Chat(SocketCase):
    def setUp(self):
        for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
            os.environ.pop(name, None)
        super().setUp()

    def connect(self, sid=None, thread=None, editor=None, path="/chat", **options):
        import web_sockets
        given = {"session_id": sid, "thread_id": thread, "editor": editor}
        query = urllib.parse.urlencode({name: value for name, value in given.items() if value is not None})
        return web_sockets.connect("ws://127.0.0.1:%d%s?%s" % (self.server.port, path, query), max_size=None, **options)

    async def hear(self, page, until="RUN_FINISHED"):
        """Frames up to one of that type, which are one run or a part of it."""
        frames = []
        while not frames or frames[-1]["type"] not in (until, "RUN_ERROR"):
            frames.append(json.loads(await asyncio.wait_for(page.recv(), SECONDS)))
        return frames

    async def greeting(self, page):
        frames = await self.hear(page)
        self.assertEqual(frames[0]["type"], "RUN_STARTED")
        self.assertTrue(frames[0]["runId"].startswith("live-"))
        self.assertEqual(frames[1]["type"], "STATE_SNAPSHOT")
        return frames

    async def ask(self, page, thread, run, text="Why?", **more):
        await page.send(json.dumps(dict({"threadId": thread, "runId": run, "messages": [
            {"id": "m-" + run, "role": "user", "content": text}]}, **more)))

    def metric(self, name):
        text = self.server.http("GET", "/metrics")[1].decode()
        return next(float(line.split()[-1]) for line in text.splitlines() if line.startswith(name + " "))

    async def until(self, holds, what):
        end = time.monotonic() + SECONDS
        while not holds():
            self.assertLess(time.monotonic(), end, what)
            await asyncio.sleep(0.02)


@unittest.skipUnless(importlib.util.find_spec("websockets"), "SKIPPED: python3-websockets is not installed; `make deps` brings it")
class WithoutModel(Chat):
    async def test_greeting(self):
        async with self.connect(self.sid) as page:
            state = (await self.greeting(page))[1]["snapshot"]
            self.assertEqual(state["session"]["session_id"], self.sid)
            self.assertEqual(state["threads"], [])
            self.assertEqual(state["repairs"], 2)
            self.assertFalse(state["model"]["ready"])
            self.assertIn("ANTHROPIC_API_KEY", state["model"]["advice"])
            await self.ask(page, "t1", "r1")
            error = (await self.hear(page))[-1]
            self.assertEqual((error["type"], error["code"]), ("RUN_ERROR", "no_model"))
            self.assertIn("ANTHROPIC_API_KEY", error["message"])
            # It goes on.
            await page.send("{")
            self.assertEqual((await self.hear(page))[-1]["code"], "malformed")
            await page.send(json.dumps({"threadId": "t1", "runId": "r2", "messages": []}))
            self.assertEqual((await self.hear(page))[-1]["code"], "invalid")

    async def test_who_is_refused(self):
        import web_sockets
        for arguments, status in (
                ({"sid": self.sid, "extra_headers": {"Origin": "http://evil.example"}}, 403),
                ({"sid": self.sid, "extra_headers": {"Host": "evil.example"}}, 403),
                ({"sid": self.sid, "subprotocols": ["ag-ui"]}, 400), ({}, 422), ({"sid": "x" * 60}, 422),
                ({"sid": self.sid, "thread": "t" * 129}, 422), ({"sid": self.sid, "editor": "e" * 65}, 422),
                ({"sid": self.sid, "editor": "a\nb"}, 400), ({"sid": self.sid, "thread": "a\x7f"}, 422),
                ({"sid": self.sid, "path": "/chats"}, 404)):
            with self.assertRaises(web_sockets.InvalidStatusCode, msg=str(arguments)) as caught:
                await self.connect(**arguments)
            self.assertEqual(caught.exception.status_code, status, arguments)

    async def test_a_session_that_is_not_there(self):
        import web_sockets
        async with self.connect(NOWHERE) as page:
            error = (await self.hear(page))[0]
            self.assertEqual((error["type"], error["code"]), ("RUN_ERROR", "unknown_session"))
            with self.assertRaises(web_sockets.ConnectionClosed):
                await asyncio.wait_for(page.recv(), SECONDS)
            self.assertEqual(page.close_code, 1008)

    async def test_changes_by_others(self):
        async with self.connect(self.sid, editor="Anna/ab12") as anna, self.connect(self.other) as other:
            await self.greeting(anna)
            await self.greeting(other)
            path = "/session/" + self.sid
            for number, (given, who) in enumerate(((None, "rest"), ("page:Ben/cd34", "page:Ben/cd34"), ("cms 2", "rest:cms 2"),
                                                   ("page:%C5%81ukasz%2Fx", "page:Łukasz/x"), (" page:Eve ", "page:Eve"),
                                                   ("page:" + "%C5%81" * 32, "page:" + "Ł" * 32))):
                headers = {} if given is None else {"X-Editor": given}
                self.http("PUT", path + "/nodes/N001", {"title": "n%d" % number}, **headers)
                frames = await self.hear(anna)
                self.assertEqual([frame["type"] for frame in frames], ["RUN_STARTED", "CUSTOM", "RUN_FINISHED"])
                self.assertEqual(frames[1]["name"], "lectern.change")
                self.assertEqual(frames[1]["value"], {"target": "nodes", "node_id": "N001", "who": who})
                self.assertEqual(frames[2]["outcome"], {"type": "success"})
                newest = self.http("GET", path + "/history?limit=1")["changes"][0]
                self.assertEqual(newest["who"], who)
            for bad in ("x" * 65, "a\tb", "%00", "%0A", "%FF", "page:" + "%C5%81" * 33):
                status, value, _ = self.server.http("PUT", path + "/nodes/N001", {"title": "bad"}, **{"X-Editor": bad})
                self.assertEqual(status, 422, bad)
                self.assertIn("X-Editor", value["detail"])
            self.server.initialize()
            self.server.good("add_component", session_id=self.sid, node_id="N002", component_type="paragraph",
                             parameters={"text": "by a tool"})
            self.assertTrue((await self.hear(anna))[1]["value"]["who"].startswith("mcp"))
            with self.assertRaises(asyncio.TimeoutError):
                self.fail(await asyncio.wait_for(other.recv(), 0.3))

    async def test_legacy_chat(self):
        async with self.connect(self.sid, path="/mcp-sync") as client:
            await client.send(json.dumps({"type": "chat_message", "content": "Why?"}))
            error = json.loads(await asyncio.wait_for(client.recv(), SECONDS))
            self.assertEqual(error["type"], "error")
            self.assertIn("ANTHROPIC_API_KEY", error["error"])
            self.assertEqual(error["error"], error["message"])
            for bad, says in (({}, "content"), ({"content": "x", "file": "%%"}, "base64"), ({"content": 5}, "content"),
                              ({"content": "x", "file": base64.b64encode(b"\xff\xfe\x00").decode()}, "UTF-8"),
                              ({"content": "x", "file": base64.b64encode(b"a" * 300000).decode()}, "256 KB"),
                              ({"content": "x", "context": {"session_id": "y" * 99}}, "session_id")):
                await client.send(json.dumps(dict({"type": "chat_message"}, **bad)))
                error = json.loads(await asyncio.wait_for(client.recv(), SECONDS))
                self.assertIn(says, error["error"], bad)


class ModelCase(Chat):
    def setUp(self):
        self.double = Double()
        self.options = ("--llm-url", self.double.url, "--llm-model", "double")
        super().setUp()

    def tearDown(self):
        super().tearDown()
        self.double.close()

    def text(self, frames):
        return "".join(frame.get("delta", "") for frame in frames if frame["type"] == "TEXT_MESSAGE_CONTENT")


@unittest.skipUnless(importlib.util.find_spec("websockets"), "SKIPPED: python3-websockets is not installed; `make deps` brings it")
class WithModel(ModelCase):
    async def test_a_question_and_a_page_that_comes_back(self):
        self.double.go.release()
        async with self.connect(self.sid, thread="t1") as page:
            self.assertTrue((await self.greeting(page))[1]["snapshot"]["model"]["ready"])
            await self.ask(page, "t1", "r1", "Which nodes?")
            frames = await self.hear(page)
            self.assertEqual((frames[0]["type"], frames[0]["runId"]), ("RUN_STARTED", "r1"))
            self.assertEqual(self.text(frames), "Word by word ")
            self.assertEqual(frames[-1]["outcome"], {"type": "success"})
            self.assertEqual(frames[-1]["usage"][0]["outputTokens"], 7)
        self.assertEqual(self.server.close(), 0)
        self.start()
        async with self.connect(self.sid, thread="t1") as page:
            frames = await self.greeting(page)
            self.assertEqual(frames[1]["snapshot"]["threads"][0]["thread_id"], "t1")
            self.assertEqual(frames[1]["snapshot"]["threads"][0]["title"], "Which nodes?")
            messages = frames[2]["messages"]
            self.assertEqual([message["role"] for message in messages], ["user", "assistant", "activity"])
            self.assertEqual(messages[0]["content"], "Which nodes?")
            self.assertEqual(messages[1]["content"], "Word by word ")
            self.assertEqual((messages[2]["activityType"], messages[2]["content"]["requests"]), ("lectern.usage", 1))

    async def test_questions_wait_and_changes_come_inside(self):
        async with self.connect(self.sid) as page:
            await self.greeting(page)
            await self.ask(page, "t1", "r1")
            await self.ask(page, "t1", "r2", "And?")
            await page.send("nonsense")
            await self.hear(page, "TEXT_MESSAGE_START")
            self.http("PUT", "/session/%s/nodes/N001" % self.sid, {"title": "n"}, **{"X-Editor": "page:Ben/1"})
            frames = await self.hear(page, "CUSTOM")
            self.assertEqual(frames[-1]["value"]["who"], "page:Ben/1")
            self.double.go.release()
            await self.hear(page)
            self.double.go.release()
            frames = await self.hear(page)
            self.assertEqual(frames[0]["runId"], "r2")
            self.assertEqual((await self.hear(page))[0]["code"], "malformed")
            self.assertEqual([message["role"] for message in self.double.requests[1]["messages"]], ["user", "assistant", "user"])

    async def test_two_pages_on_one_thread(self):
        async with self.connect(self.sid, "t1") as one, self.connect(self.sid, "t1") as two:
            await self.greeting(one)
            await self.greeting(two)
            await self.ask(one, "t1", "r1", "First")
            await self.hear(one, "TEXT_MESSAGE_START")
            frames = await self.hear(two)
            self.assertEqual([frame["type"] for frame in frames], ["RUN_STARTED", "STATE_SNAPSHOT", "RUN_FINISHED"])
            self.assertEqual([thread["title"] for thread in frames[1]["snapshot"]["threads"]], ["First"])
            await self.ask(two, "t1", "r2", "Second")
            self.double.go.release()
            await self.hear(one)
            frames = await self.hear(two)
            self.assertEqual([frame["type"] for frame in frames], ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"])
            self.assertEqual([message["content"] for message in frames[1]["messages"][:2]], ["First", "Word by word "])
            self.double.go.release()
            self.assertEqual((await self.hear(two))[0]["runId"], "r2")
            frames = await self.hear(one)
            self.assertEqual([message["role"] for message in frames[1]["messages"]], ["user", "assistant", "activity"] * 2)

    async def test_legacy_chat(self):
        self.double.go.release()
        async with self.connect(self.sid, path="/mcp-sync") as client:
            await client.send(json.dumps({"type": "context_update", "context": {"session_id": self.sid, "node_id": "N002"}}))
            await client.send(json.dumps({"type": "chat_message", "content": "Why?", "fileName": "notes.txt",
                                          "file": base64.b64encode("Grüße".encode() * 20000).decode()}))
            said = json.loads(await asyncio.wait_for(client.recv(), SECONDS))
            self.assertEqual(said, {"type": "ai_response", "content": "Word by word "})
            sent = json.dumps(self.double.requests[0]["messages"], ensure_ascii=False)
            for part in ("Why?", "N002", "notes.txt", "GrüßeGrüße"):
                self.assertIn(part, sent)


@unittest.skipUnless(importlib.util.find_spec("websockets"), "SKIPPED: python3-websockets is not installed; `make deps` brings it")
class SlowPages(Chat):
    async def test_a_page_that_does_not_read(self):
        async with self.connect(self.sid, max_queue=1) as slow:
            for number in range(300):
                self.http("POST", "/session/%s/nodes" % self.sid, {"node_id": "S%d" % number, "title": "t"})
            heard = []
            while not heard or heard[-1] not in (("session", None), ("nodes", "S299")):
                frame = json.loads(await asyncio.wait_for(slow.recv(), SECONDS))
                if frame["type"] == "CUSTOM":
                    heard.append((frame["value"]["target"], frame["value"]["node_id"]))

    async def test_big_frames(self):
        async with self.connect(self.sid) as page:
            await self.greeting(page)
            history = [{"id": "h%d" % i, "role": "assistant", "content": "x" * 70000} for i in range(100)]
            whole = json.dumps({"threadId": "t", "runId": "r", "messages": history + [
                {"id": "m", "role": "user", "content": "y"}]})
            self.assertGreater(len(whole), 7000000)
            await page.send([whole[at:at + 300000] for at in range(0, len(whole), 300000)])
            self.assertEqual((await self.hear(page))[-1]["code"], "no_model")
            await page.send("x" * ((24 << 20) + 1))
            error = (await self.hear(page))[-1]
            self.assertEqual(error["code"], "too_large")
            self.assertIn("24 MB", error["message"])
            self.assertIn("new message alone", error["message"])
            await self.ask(page, "t", "r2")
            self.assertEqual((await self.hear(page))[-1]["code"], "no_model")

    async def test_many_pages_leave_nothing(self):
        pages = [await self.connect(self.sid, thread="t%d" % (number % 7)) for number in range(PAGES)]
        for page in pages:
            await self.greeting(page)
        self.assertEqual(self.metric("lectern_chat_pages"), PAGES)
        self.http("PUT", "/session/%s/nodes/N001" % self.sid, {"title": "n"})
        for page in pages:
            self.assertEqual((await self.hear(page))[1]["value"]["target"], "nodes")
        for page in pages:
            await page.close()
        await self.until(lambda: self.metric("lectern_chat_pages") == 0, "pages are still there")

    async def test_the_end(self):
        import web_sockets
        async with self.connect(self.sid) as page:
            await self.greeting(page)
            await asyncio.wait_for(await page.ping(b"there?"), SECONDS)
            self.assertEqual(await asyncio.to_thread(self.server.close), 0)
            with self.assertRaises(web_sockets.ConnectionClosed):
                await asyncio.wait_for(page.recv(), SECONDS)
            self.assertEqual(page.close_code, 1001)


@unittest.skipUnless(importlib.util.find_spec("websockets"), "SKIPPED: python3-websockets is not installed; `make deps` brings it")
class Endings(ModelCase):
    async def test_in_front_of_a_service(self):
        """Conversations are in the copy, and come back; what changes in the service is told."""
        copies = harness.Workspace()
        self.addCleanup(copies.close)
        service, url = self.server, "http://127.0.0.1:%d" % self.server.port
        for again in (False, True):
            self.server = harness.Server(copies, "--no-demo", "--sandbox", harness.LOCAL, "--warm", "bare=0,data=0,plot=0",
                                         "--store", url, *self.options)
            try:
                async with self.connect(self.sid, "t1") as page:
                    frames = await self.greeting(page)
                    self.assertEqual("MESSAGES_SNAPSHOT" in [frame["type"] for frame in frames], again)
                    self.double.go.release()
                    await self.ask(page, "t1", "r%d" % again, "Why %d?" % again)
                    self.assertEqual((await self.hear(page))[-1]["outcome"], {"type": "success"})
            finally:
                self.assertEqual(self.server.close(), 0)
                self.server = service
        self.assertEqual(len(self.double.requests[-1]["messages"]), 3)

    async def test_stop(self):
        async with self.connect(self.sid) as page:
            await self.greeting(page)
            await self.ask(page, "t1", "r1")
            await self.hear(page, "TEXT_MESSAGE_START")
            await page.send(json.dumps({"type": "lectern.stop", "runId": "r1"}))
            self.assertEqual((await self.hear(page))[-1]["outcome"], {"type": "cancelled"})
            await self.until(self.double.gone.is_set, "the model's request was not cancelled")
            self.double.go.release()
            await self.ask(page, "t1", "r2", "Again?")
            self.assertEqual((await self.hear(page))[-1]["outcome"], {"type": "success"})

    async def test_who_goes_takes_the_run_along(self):
        page = await self.connect(self.sid)
        await self.greeting(page)
        await self.ask(page, "t1", "r1")
        await self.hear(page, "TEXT_MESSAGE_START")
        self.assertEqual(self.metric("lectern_chat_runs"), 1)
        page.transport.abort()
        await self.until(self.double.gone.is_set, "the model's request was not cancelled")
        await self.until(lambda: self.metric("lectern_chat_runs") == 0, "the run is still there")

    async def test_the_server_stops_in_the_middle(self):
        import web_sockets
        async with self.connect(self.sid, "t1") as page:
            await self.greeting(page)
            await self.ask(page, "t1", "r1")
            await self.hear(page, "TEXT_MESSAGE_START")
            self.assertEqual(await asyncio.to_thread(self.server.close), 0)
            with self.assertRaises(web_sockets.ConnectionClosed):
                while True:
                    await asyncio.wait_for(page.recv(), SECONDS)
        self.start()
        async with self.connect(self.sid, "t1") as page:
            frames = await self.greeting(page)
            self.assertEqual(frames[2]["messages"][0]["role"], "user")


if __name__ == "__main__":
    unittest.main()
