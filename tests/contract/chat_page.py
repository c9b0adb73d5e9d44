# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of the chat's tests: a page on /chat that keeps every frame it receives, the checks of those frames (agui.py and, where installed,
AG-UI's own packages in one node process), and a model simulated by aimock."""
import asyncio
import base64
import itertools
import json
import os
import shutil
import subprocess
import uuid

import agui
import harness
import npm

SOURCES = harness.ROOT / "tests/contract/chat"
SECONDS = 20
QUIET_SECONDS = 0.3


class Packages:
    """node check.mjs: a line of JSON in, a line of faults out."""

    def __init__(self):
        place = npm.folder("chat")
        script = place / "check.mjs"  # beside node_modules, where its imports resolve
        shutil.copy(SOURCES / "check.mjs", script)
        self.process = subprocess.Popen([str(place / npm.NODE), str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=dict(os.environ, NODE_NO_WARNINGS="1"))

    def faults(self, connections, inputs=()):
        """connections: of each the frames as they came, text; inputs: run inputs that were sent."""
        self.process.stdin.write(json.dumps({"connections": list(connections), "inputs": list(inputs)}).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=SECONDS)
        self.process.stdout.close()


class FrameCheck:
    """agui.py, and AG-UI's packages where they are installed: they must agree whether there is a fault."""

    def __init__(self):
        self.checks = [agui.Rules()]
        if npm.is_installed(SOURCES, harness.BUILD / "chat"):
            self.checks.append(Packages())

    def faults(self, connections, inputs=()):
        found = [check.faults(connections, inputs) for check in self.checks]
        if len({bool(faults) for faults in found}) > 1:
            raise AssertionError("agui.py and AG-UI's packages disagree: %s" % found)
        return found[-1]

    def close(self):
        for check in self.checks:
            check.close()


class AiMock:
    """The model as fixtures/*.json have it; where none of them matches, the request fails."""

    def __init__(self):
        place = npm.folder("chat")
        self.process = subprocess.Popen(
            [str(place / npm.NODE), str(place / "node_modules/.bin/llmock"), "-p", "0", "-f", str(SOURCES / "fixtures"),
             "--validate-on-load", "--strict"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = []
        for line in self.process.stdout:
            said.append(line.decode())
            if b"listening on http://" in line:
                self.url = line.decode().split("listening on ")[1].strip()
                return
        raise AssertionError("aimock ended: " + "".join(said))

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=SECONDS)
        self.process.stdout.close()


class Call:
    """One tool call as a page sees it."""

    def __init__(self, name):
        self.name, self.arguments, self.ended, self.output, self.result, self.metadata = name, "", False, "", None, {}
        self.started = False

    @property
    def input(self):
        return json.loads(self.arguments)

    @property
    def text(self):
        """The result's text."""
        return self.result if isinstance(self.result, str) else "".join(part.get("text", "") for part in self.result)

    @property
    def images(self):
        """The result's pictures, as bytes."""
        return [] if isinstance(self.result, str) else [base64.b64decode(part["source"]["value"]) for part in self.result
                                                        if part["type"] == "image"]


class Run:
    """What one run has told: from its RUN_STARTED to its end."""

    def __init__(self, events):
        self.events = events
        self.texts, self.thinking, self.calls, self.customs = {}, {}, {}, []
        for event in events:
            handler = getattr(self, "_" + event["type"].lower(), None)
            if handler:
                handler(event)

    def _text_message_start(self, event):
        self.texts[event["messageId"]] = ""

    def _text_message_content(self, event):
        self.texts[event["messageId"]] += event["delta"]

    def _reasoning_message_content(self, event):
        self.thinking[event["messageId"]] = self.thinking.get(event["messageId"], "") + event["delta"]

    def _tool_call_start(self, event):
        self.calls[event["toolCallId"]] = Call(event["toolCallName"])

    def _tool_call_args(self, event):
        self.calls[event["toolCallId"]].arguments += event["delta"]

    def _tool_call_end(self, event):
        self.calls[event["toolCallId"]].ended = True

    def _tool_call_result(self, event):
        # Of a call that waited for an approval, the run before this one has the beginning.
        call = self.calls.setdefault(event["toolCallId"], Call(None))
        assert call.result is None, "two results of one call"
        call.result, call.metadata = event["content"], event.get("metadata", {})

    def _custom(self, event):
        self.customs.append((event["name"], event["value"]))
        if event["name"] == "lectern.output":
            self.calls.setdefault(event["value"]["toolCallId"], Call(None)).output += event["value"]["text"]
        elif event["name"] == "lectern.started":
            self.calls.setdefault(event["value"]["toolCallId"], Call(None)).started = True

    @property
    def text(self):
        return "\n".join(self.texts.values())

    @property
    def end(self):
        return self.events[-1]

    @property
    def error(self):
        """The message of RUN_ERROR, or None."""
        return self.end["message"] if self.end["type"] == "RUN_ERROR" else None

    @property
    def outcome(self):
        return self.end.get("outcome", {"type": "success"})["type"] if self.end["type"] == "RUN_FINISHED" else "error"

    @property
    def interrupts(self):
        return self.end.get("outcome", {}).get("interrupts", [])

    def custom(self, name):
        return [value for custom, value in self.customs if custom == name]


class Page:
    """One page's socket. Frames are read in the background, all of them kept for the check."""

    numbers = itertools.count(1)

    def __init__(self, port, session_id, thread_id=None, editor="Anna/t1"):
        self.query = "session_id=%s&editor=%s" % (session_id, editor)
        self.given_thread = thread_id
        if thread_id:
            self.query += "&thread_id=" + thread_id
        self.port = port
        self.thread_id = thread_id or "thread-" + uuid.uuid4().hex
        self.frames, self.events, self.inputs, self.history = [], [], [], []
        self.news = asyncio.Condition()
        self.open = False
        self.state = None

    async def __aenter__(self):
        import web_sockets
        self.socket = await web_sockets.connect("ws://127.0.0.1:%d/chat?%s" % (self.port, self.query), max_size=None,
                                               max_queue=None)
        self.open = True
        self.reader = asyncio.ensure_future(self._read())
        self.greeting = await self.run_from(0)
        self.state = next(event["snapshot"] for event in self.greeting.events if event["type"] == "STATE_SNAPSHOT")
        return self

    async def __aexit__(self, *_):
        await self.close()

    async def close(self):
        await self.socket.close()
        await self.reader

    async def _read(self):
        import web_sockets
        try:
            async for frame in self.socket:
                async with self.news:
                    self.frames.append(frame)
                    self.events.append(json.loads(frame))
                    self.news.notify_all()
        except web_sockets.ConnectionClosed:
            pass
        async with self.news:
            self.open = False
            self.news.notify_all()

    async def wait_for(self, condition, what="that", seconds=SECONDS):
        """Until condition() is true; its value."""
        async def wait():
            async with self.news:
                await self.news.wait_for(lambda: condition() or not self.open)
        try:
            await asyncio.wait_for(wait(), seconds)
        except asyncio.TimeoutError:
            pass
        value = condition()
        if not value:
            raise AssertionError("%s did not come; the last frames: %s" % (what, "\n".join(self.frames[-8:])))
        return value

    def _run_span(self, start, run_id):
        """The place behind the end of the run, once it is there."""
        begun = False
        for place in range(start, len(self.events)):
            event = self.events[place]
            if event["type"] == "RUN_STARTED" and run_id in (None, event["runId"]):
                begun = place
                run_id = event["runId"]
            if event["type"] == "RUN_FINISHED" and event["runId"] == run_id or event["type"] == "RUN_ERROR":
                return begun, place + 1
        return None

    async def run_from(self, start, run_id=None):
        """The first run (with that id) from that event on, once it has ended."""
        begun, end = await self.wait_for(lambda: self._run_span(start, run_id), "the end of the run")
        return Run(self.events[begun if begun is not False else end - 1:end])

    async def send(self, message):
        await self.socket.send(json.dumps(message))

    async def send_input(self, text=None, resume=None, context=(), approvals=None, message_id=None, run_id=None, more=None):
        """A run input as AG-UI's client makes it, the whole history in it; where its frames will begin, and its id. more: members
        of it that stand in place of these."""
        run_id = run_id or "run-%d" % next(self.numbers)
        if text is not None:
            self.history.append({"id": message_id or "message-%d" % next(self.numbers), "role": "user", "content": text})
        run_input = {"threadId": self.thread_id, "runId": run_id, "messages": list(self.history), "state": {}, "tools": [],
                     "context": [{"description": name, "value": value} for name, value in context], "forwardedProps": {}}
        if approvals:
            run_input["forwardedProps"] = {"lectern": {"approvals": approvals}}
        if resume:
            run_input["resume"] = resume
        run_input.update(more or {})
        self.inputs.append(run_input)
        start = len(self.events)
        await self.send(run_input)
        return start, run_id

    async def ask(self, text=None, **more):
        """Sends it and waits for the end of its run."""
        start, run_id = await self.send_input(text, **more)
        run = await self.run_from(start, run_id)
        for message_id, said in run.texts.items():
            self.history.append({"id": message_id, "role": "assistant", "content": said})
        return run

    async def answer(self, interrupt, approved, reason=None, **more):
        """Approves or declines what is open."""
        payload = {"approved": approved, **({"reason": reason} if reason else {})}
        return await self.ask(resume=[{"interruptId": interrupt["id"], "status": "resolved", "payload": payload}], **more)

    async def settled(self):
        """The server has read what was sent before: it answers a ping behind it."""
        await asyncio.wait_for(await self.socket.ping(), SECONDS)

    async def stop(self, run_id):
        await self.send({"type": "lectern.stop", "runId": run_id})

    async def quiet(self, seconds=QUIET_SECONDS):
        """Nothing comes for a while."""
        before = len(self.frames)
        await asyncio.sleep(seconds)
        assert self.frames[before:] == [], self.frames[before:]
