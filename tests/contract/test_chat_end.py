# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of the server while a run of the chat waits: for a model that never answers, for an analysis that never ends, and for a service
behind the store, which cannot be cancelled. The server exits within its limits and leaves nothing behind."""
import asyncio
import os
import signal
import socket
import threading
import unittest

import chat_case
import cms
import harness
from chat_case import ChatWorkspace, KEY, Page, Replay, serve
from fault_server import FaultServer
from replay_model import answer, call, text

ENDLESS = "print('begun', flush=True)\nwhile True: pass\n"
NO_SANDBOX = ("--sandbox", harness.LOCAL, "--warm", "bare=0,data=0,plot=0")
UNENDING = "600"  # seconds that a request to the service may take: more than any test


class Mute:
    """A model's service that takes requests and says nothing, and notices when its clients leave."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d" % self.listener.getsockname()[1]
        self.asked, self.left = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self):
        client, _ = self.listener.accept()
        with client:
            while client.recv(65536):
                self.asked.set()
        self.left.set()

    def close(self):
        self.listener.close()
        self.thread.join(chat_case.SECONDS)


class End(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.workspace = ChatWorkspace(ANTHROPIC_API_KEY=KEY)
        self.addCleanup(self.workspace.close)

    def start(self, make, *words):
        server = make(*words)
        self.addCleanup(lambda: server.process.poll() is None and server.process.kill())
        return server

    async def end(self, server, expected):
        """Sends SIGTERM twice and waits; neither a process of its own nor a file of its making is left."""
        children = harness.descendants(server.process.pid)
        server.process.send_signal(signal.SIGTERM)
        await asyncio.sleep(0.05)
        server.process.send_signal(signal.SIGTERM)
        status = await asyncio.get_running_loop().run_in_executor(None, server.wait)
        self.assertEqual(status, expected, "".join(server.lines))
        for _ in range(100):
            if not [pid for pid in children if os.path.exists("/proc/%d" % pid)]:
                break
            await asyncio.sleep(0.05)
        self.assertEqual([pid for pid in children if os.path.exists("/proc/%d" % pid)], [])
        self.assertNotIn(KEY, "".join(server.lines))

    def local(self, *words):
        return serve(self.workspace, "--llm-model", "played", *words)

    async def test_a_model_that_never_answers(self):
        model = Mute()
        self.addCleanup(model.close)
        server = self.start(self.local, "--llm-url", model.url)
        page = Page(server.port, self.workspace.load(chat_case.DEMO_FILE))
        await page.__aenter__()
        await page.send_input("Talk.")
        await asyncio.get_running_loop().run_in_executor(None, model.asked.wait, chat_case.SECONDS)
        await self.end(server, 0)
        self.assertTrue(model.left.wait(chat_case.SECONDS))
        await page.wait_for(lambda: not page.open, "the end of the socket")
        self.assertEqual(page.socket.close_code, 1001)

    async def test_an_analysis_that_never_ends(self):
        model = Replay([answer(text("I run it."), call("execute_code", {"code": ENDLESS}))])
        self.addCleanup(model.close)
        before = set(os.listdir("/tmp"))
        server = self.start(self.local, "--llm-url", model.url, "--timeout", "60")
        page = Page(server.port, self.workspace.load(chat_case.DEMO_FILE))
        await page.__aenter__()
        start, _ = await page.send_input("Run.")
        await page.wait_for(lambda: any(event.get("name") == "lectern.output" for event in page.events[start:]), "output")
        self.assertTrue(harness.descendants(server.process.pid))
        await self.end(server, 0)
        # The folders of tests that run beside this one begin with lectern-.
        self.assertEqual([name for name in set(os.listdir("/tmp")) - before if "lectern" in name and not name.startswith("lectern-")], [])
        self.assertEqual(model.violations, [])

    def behind(self):
        """A service behind the store that can fall silent, and the options for it."""
        service = cms.Cms()
        self.addCleanup(service.close)
        between = FaultServer(service.port)
        self.addCleanup(between.close)
        return between, (*NO_SANDBOX, "--store", between.url, "--store-timeout", UNENDING, "--llm-model", "played", "--llm-url")

    async def heard(self, between, before):
        """The service was asked since."""
        for _ in range(200):
            if len(between.seen) > before:
                return
            await asyncio.sleep(0.05)
        self.fail("the service was not asked")

    async def test_a_read_that_never_ends(self):
        """Without a run: what waits here is the end of a work queue."""
        between, words = self.behind()
        server = self.start(harness.Server, self.workspace, *words, "http://127.0.0.1:9")
        sid = server.http("POST", "/session/create", {})[1]["session_id"]
        between.set("silent")
        before = len(between.seen)
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            client.sendall(b"GET /session/%s/nodes HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" % sid.encode())
            await self.heard(between, before)
            await self.end(server, 1)
        self.assertIn("shutdown timed out", "".join(server.lines))

    async def test_a_store_that_never_answers(self):
        """No cancel reaches a request to the service, so the bound does; the thread is good for the server that comes next."""
        between, words = self.behind()
        model = Replay([answer(text("Here."))])
        self.addCleanup(model.close)
        server = self.start(harness.Server, self.workspace, *words, model.url)
        sid = server.http("POST", "/session/create", {})[1]["session_id"]
        page = Page(server.port, sid)
        await page.__aenter__()
        between.set("silent")
        before = len(between.seen)
        await page.send_input("Are you there?")
        await self.heard(between, before)
        await self.end(server, 1)
        self.assertIn("did not end within", "".join(server.lines))
        between.set("pass")
        server = self.start(harness.Server, self.workspace, *words, model.url)
        async with Page(server.port, sid, page.thread_id) as page:
            self.assertEqual((await page.ask("And now?")).text, "Here.")
            self.assertIn("Are you there?", str(model.requests[-1].json["messages"]))
        self.assertEqual(server.close(), 0)
        self.assertEqual(model.requests[-1].violations, [])


if __name__ == "__main__":
    unittest.main()
