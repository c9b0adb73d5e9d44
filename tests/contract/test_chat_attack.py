# SPDX-License-Identifier: GPL-3.0-or-later
"""The chat under attack and failures: invalid frames, floods, sockets that close in each state of a run, a curriculum deleted or locked
during a run, and kill -9 in each state. Nothing is left behind, and the thread can be continued."""
import asyncio
import contextlib
import json
import pathlib
import sqlite3
import threading
import unittest

import chat_case
from chat_case import Page, question_of, results_of
from replay_model import answer, call, gate, hold, pause, text

ENDLESS = "import time\nprint('begun', flush=True)\nwhile True:\n    time.sleep(0.05)\n"
DELETE = {"node_id": "N001", "component_order": 1}
INPUTS = 1000
FRAME_CAP = 8 << 20
TEXT = 1  # opcodes of a frame
LOCK_SECONDS = 40


class AttackCase(chat_case.ChatCase):
    async def goes_on(self, thread_id=None, sid=None):
        """Whatever happened: the server is there, and the thread is one that the service takes."""
        page = await self.page(thread_id, sid=sid or self.sid)
        self.play(answer(text("Here.")))
        run = await page.ask("Are you there?")
        self.assertEqual((run.outcome, run.text), ("success", "Here."), run.error)
        return page

    @contextlib.contextmanager
    def database(self):
        """The store, behind the server's back."""
        path, = pathlib.Path(self.workspace.data).rglob("lectern.db")
        database = sqlite3.connect(path, isolation_level=None, timeout=chat_case.SECONDS)
        database.execute("PRAGMA foreign_keys = ON")
        try:
            yield database
        finally:
            database.close()


class Attack(AttackCase):
    async def test_frames_that_are_none(self):
        page = await self.page()
        for bad in ("", "\0", "7", "[", "[" * 5000, "{" * 100000, '"', '{"a":"\\\U0001f984"}', '{"threadId":"\\ud83e"}',
                    "\U0001f984", " " * 70000, '{"threadId":{},"runId":[],"messages":{}}', '{"type":7}', *map(chr, range(1, 128))):
            start = len(page.events)
            await page.socket.send(bad)
            await page.wait_for(lambda start=start: len(page.events) > start, "an answer to %r" % bad[:20])
            self.assertEqual(page.events[-1]["type"], "RUN_ERROR", bad[:20])
        start = len(page.events)
        await page.socket.send(bytes(1000))
        await page.wait_for(lambda: len(page.events) > start, "an answer")
        self.assertEqual(page.events[-1]["type"], "RUN_ERROR")
        page.inputs.append({"threadId": page.thread_id, "runId": "slow", "messages": [
            {"id": "s1", "role": "user", "content": "Byte by byte, é and \U0001f984."}], "state": {}, "tools": [], "context": [],
            "forwardedProps": {}})
        self.play(answer(text("All of it.")))
        start = len(page.events)
        whole = json.dumps(page.inputs[-1], ensure_ascii=False)
        await page.socket.send(iter(whole))  # a frame for each character
        self.assertEqual((await page.run_from(start, "slow")).text, "All of it.")
        self.assertIn("Byte by byte, é and \U0001f984.", str(self.requests()[-1].json["messages"]))

    async def test_frames_that_are_too_long(self):
        page = await self.page()
        start = len(page.events)
        with contextlib.suppress(Exception):  # it may be closed before all is sent
            await page.socket.send("x" * (FRAME_CAP + 1))
        await page.wait_for(lambda: not page.open or len(page.events) > start, "an answer, or the end")
        await self.goes_on()

    async def test_bytes_that_are_no_text(self):
        for bad in (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b'{"threadId":"\xff"}'):
            page = await self.page()
            start = len(page.events)
            with contextlib.suppress(Exception):
                await page.socket.write_frame(True, TEXT, bad)
            await page.wait_for(lambda start=start, page=page: not page.open or len(page.events) > start, "an answer, or the end")
            if page.open:
                self.assertEqual(page.events[-1]["type"], "RUN_ERROR")
        await self.goes_on()

    async def test_a_thousand_inputs(self):
        page, other = await self.page(), await self.page()
        self.play(answer(text("A long talk."), hold()))
        start, _ = await page.send_input("Talk.")
        await page.wait_for(lambda: any(event["type"] == "TEXT_MESSAGE_CONTENT" for event in page.events[start:]), "text")
        with contextlib.suppress(Exception):
            for number in range(INPUTS):
                await page.send_input("Flood %d." % number)
        await page.wait_for(lambda: not page.open, "the end of the socket")
        del page.inputs[5:]  # what the server did not read need not be checked
        await self.eventually(lambda: self.gauges()["lectern_chat_runs"] == 0, "the end of the run")
        self.assertTrue(other.open)
        await self.goes_on(page.thread_id)

    async def test_many_pages_at_once(self):
        """Each talks, some are stopped, some go, on a few threads."""
        pages = [await self.page() for _ in range(24)]
        for number, page in enumerate(pages):
            page.thread_id = pages[number % 6].thread_id
        self.play(*[answer(text("So it is with %d." % number), pause(0.02), text("Quite.")) for number in range(200)])

        async def use(number, page):
            for turn in range(4):
                start, run_id = await page.send_input("Question %d of %d." % (turn, number))
                if number % 4 == 1:
                    await page.stop(run_id)
                if number % 4 == 2 and turn == 2:
                    page.socket.transport.abort()
                    return
                run = await page.run_from(start, run_id)
                self.assertIn(run.outcome, ("success", "cancelled"), run.error)

        await asyncio.gather(*(use(number, page) for number, page in enumerate(pages)))
        for number, page in enumerate(pages):
            if number % 4 == 2:
                page.frames.clear()
        self.script.answers.clear()
        await self.goes_on(pages[0].thread_id)


class Locked(AttackCase):
    async def test_locked_in_the_midst_of_a_run(self):
        """Another program holds the database for longer than the server waits: the run says so, and the thread is as it was kept."""
        page = await self.page()
        locked = threading.Event()
        self.play(answer(text("I look."), gate(locked), call("query_graph", {"query": "counts"})), answer(text("Done.")))
        start, run_id = await page.send_input("Count.")
        await page.wait_for(lambda: any(event["type"] == "TEXT_MESSAGE_CONTENT" for event in page.events[start:]), "text")
        with self.database() as database:
            database.execute("BEGIN IMMEDIATE")
            locked.set()
            await page.wait_for(lambda: any(event["type"] == "RUN_ERROR" for event in page.events[start:]), "the end of the run",
                                LOCK_SECONDS)
            database.execute("ROLLBACK")
        self.assertIn("locked", (await page.run_from(start, run_id)).error)
        self.script.answers.clear()
        await self.goes_on(page.thread_id)


class Interrupted(AttackCase):
    async def states(self):
        """A page in each state of a run, one after the other: a name, and the page."""
        def heard(page, start, *types):
            return page.wait_for(lambda: any(event["type"] in types or event.get("name") in types for event in page.events[start:]),
                                 types)

        def unheard(request):
            question = question_of(request)
            return "Soon." in question or "Me too." in question or ("Delete it now." in question and results_of(request.json))

        self.script.unheard = unheard
        page = Page(self.server.port, self.sid)
        import web_sockets
        page.socket = await web_sockets.connect("ws://127.0.0.1:%d/chat?%s" % (self.server.port, page.query))
        yield "not greeted", page, page.socket

        page = await self.page()
        page.frames.clear()  # of a run that will not end
        await page.send_input("Soon.")
        yield "just asked", page, page.socket

        first, second = await self.page(), await self.page()
        second.thread_id = first.thread_id
        self.play(answer(text("A long talk."), hold()))
        start, run_id = await first.send_input("Talk.")
        await heard(first, start, "TEXT_MESSAGE_CONTENT")
        await second.send_input("Me too.")
        yield "queued", second, second.socket
        await first.stop(run_id)
        await first.run_from(start, run_id)

        page = await self.page()
        self.play(answer(text("A long talk."), hold()))
        start, _ = await page.send_input("Talk.")
        await heard(page, start, "TEXT_MESSAGE_CONTENT")
        yield "streaming", page, page.socket

        page = await self.page()
        self.play(answer(call("execute_code", {"code": ENDLESS})))
        start, _ = await page.send_input("Run.")
        await heard(page, start, "lectern.output")
        yield "calling", page, page.socket

        page = await self.page()
        self.play(answer(call("delete_component", DELETE)))
        run = await page.ask("Delete it.")
        yield "awaiting", page, page.socket

        page = await self.page()
        self.play(answer(call("delete_component", DELETE)))
        run = await page.ask("Delete it now.")
        await page.send_input(resume=[{"interruptId": run.interrupts[0]["id"], "status": "resolved",
                                       "payload": {"approved": True}}])
        yield "resuming", page, page.socket

    async def test_sockets_that_close_in_each_state(self):
        for how in ("in good order", "cut"):
            async for name, page, socket in self.states():
                with self.subTest(state=name, how=how):
                    if how == "cut":
                        socket.transport.abort()
                    else:
                        await socket.close()
                    await self.eventually(lambda: self.gauges()["lectern_chat_runs"] <= (1 if name == "queued" else 0),
                                          "the end of the run")
                if name in ("calling", "awaiting", "resuming"):
                    self.script.answers.clear()
                    await self.goes_on(page.thread_id)
        for page in self.pages:  # a run that was cut off has no end
            page.frames.clear()
        for page in self.pages:
            if page.open:
                await page.close()
        await self.nothing_left()

    async def test_deleted_in_the_midst_of_a_run(self):
        for table, column in (("chat_thread", "thread_id"), ("session", "session_id")):
            deleted = threading.Event()
            for first in ([text("A word."), gate(deleted), text("Another.")], [text("I look."), call("query_graph", {"query": "counts"})]):
                with self.subTest(table=table, parts=len(first)):
                    sid = self.workspace.load(chat_case.DEMO_FILE)
                    page = await self.page(sid=sid)
                    self.play(answer(*first), answer(text("Done.")))
                    start, run_id = await page.send_input("Talk.")
                    await page.wait_for(lambda start=start, page=page: any(event["type"] == "TEXT_MESSAGE_CONTENT"
                                                                          for event in page.events[start:]), "text")
                    with self.database() as database:
                        key = page.thread_id if table == "chat_thread" else sid
                        self.assertEqual(database.execute("DELETE FROM %s WHERE %s = ?" % (table, column), (key,)).rowcount, 1)
                    deleted.set()
                    run = await page.run_from(start, run_id)
                    self.assertIn(run.outcome, ("error", "success"))  # success where all was kept before
                    self.script.answers.clear()
                    self.play(answer(text("Here.")))
                    again = await page.ask("And now?")
                    if table == "session":
                        self.assertEqual(again.outcome, "error")
                        self.script.answers.clear()
                    else:
                        self.assertIn(again.outcome, ("success", "error"))
                        self.script.answers.clear()
                        self.play(answer(text("Here.")))
                        self.assertEqual((await page.ask("Once more?")).outcome, "success")
        self.script.missed = 0
        await self.goes_on()

    async def test_killed_in_each_state(self):
        """A thread that comes back is one that the service takes, and says of the run that it was cut."""
        async for name, page, _ in self.states():
            with self.subTest(state=name):
                thread_id = page.thread_id
                for other in self.pages:
                    other.frames.clear()  # cut anywhere
                if name in ("not greeted", "just asked", "queued"):
                    await page.socket.close()
                    continue  # there is nothing in the store, or what the next ones have
                self.server.kill()
                type(self).logs += self.server.lines
                self.start_server()
                self.script.answers.clear()
                back = await self.page(thread_id)
                messages = next(event["messages"] for event in back.greeting.events if event["type"] == "MESSAGES_SNAPSHOT")
                calls = [one["id"] for message in messages for one in message.get("toolCalls", ())]
                results = [message["toolCallId"] for message in messages if message["role"] == "tool"]
                # Killed before the answer was taken up, it is asked still; that is seen by who asks.
                if name == "awaiting" or (name == "resuming" and back.greeting.outcome == "interrupt"):
                    self.assertEqual(back.greeting.outcome, "interrupt")
                    if name == "awaiting":  # else the script answers without it
                        self.play(answer(text("Deleted.")))
                    self.assertEqual((await back.answer(back.greeting.interrupts[0], True)).text, "Deleted.")
                    continue
                self.assertEqual(back.greeting.outcome, "success")
                self.assertEqual(sorted(results), sorted(calls))
                self.assertEqual(messages[-1]["role"], "activity", messages)
                self.assertIn("cut", json.dumps(messages[-1]["content"]))
                await self.goes_on(thread_id)


if __name__ == "__main__":
    unittest.main()
