# SPDX-License-Identifier: GPL-3.0-or-later
"""A server with a simulated model, and the base class of the chat's tests. Each test has its own copy of the demo curriculum; at its end
all frames that its pages received and all requests that the model received are checked."""
import asyncio
import collections
import importlib.util
import json
import logging
import os
import sys
import time
import unittest

import harness
from chat_page import FrameCheck, Page, SECONDS

sys.path.insert(0, str(harness.ROOT / "tests/parts"))
from replay_model import KEY, Replay, answer, fail, text  # noqa: E402

DEMO_FILE = harness.ROOT / "mcp/curriculum/demo/demo_curriculum.json"
DEMO = json.loads(DEMO_FILE.read_text())


logging.getLogger("asyncio").setLevel(logging.ERROR)  # unittest has it tell what is slow


class ChatWorkspace(harness.Workspace):
    """With the settings of the model's service in the environment, and none of the caller's own."""

    def __init__(self, **settings):
        super().__init__()
        self.settings = settings

    def environment(self):
        inherited = {name: value for name, value in super().environment().items() if not name.startswith("ANTHROPIC_")}
        return {**inherited, **self.settings}


def serve(workspace, *words):
    return harness.Server(workspace, "--no-demo", "--sandbox", os.environ.get("LECTERN_SANDBOX", harness.LOCAL),
                          "--warm", "bare=1,data=0,plot=0", *words)


def results_of(request):
    """The last message of a request: its tool results, by the id of the call."""
    return {block["tool_use_id"]: block for block in request["messages"][-1]["content"] if block["type"] == "tool_result"}


def result_text(block):
    content = block["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def question_of(request):
    """The last text of the person, with what the server adds to it."""
    texts = [block["text"] for message in request.json["messages"] if message["role"] == "user" and isinstance(message["content"], list)
             for block in message["content"] if block["type"] == "text"]
    return texts[-1] if texts else ""


class Script:
    """What the model says next, set by each test; a function for Replay."""

    def __init__(self):
        self.answers = collections.deque()
        self.missed = 0
        self.unheard = None  # whether a request is of a run that is cut off: it may come at any time later, or not

    def __call__(self, request):
        if self.unheard and self.unheard(request):
            return answer(text("Deleted."))
        if not self.answers:
            self.missed += 1
            print("no answer for", json.dumps(request.json["messages"])[-1500:], file=sys.stderr)
            return fail(500, "api_error", "the test has no answer for this", should_retry=False)
        return self.answers.popleft()


@unittest.skipUnless(importlib.util.find_spec("websockets"),
                     "SKIPPED: python3-websockets is not installed; `make deps` brings it")
class ChatCase(unittest.IsolatedAsyncioTestCase):
    """With a byte-replay double as the model."""

    words = ()  # further options of the server

    @classmethod
    def setUpClass(cls):
        cls.frame_check = FrameCheck()
        cls.script = Script()
        cls.model = cls.make_model()
        cls.workspace = ChatWorkspace(ANTHROPIC_API_KEY=KEY)
        cls.logs = []
        cls.start_server()

    @classmethod
    def make_model(cls):
        return Replay(cls.script)

    @classmethod
    def start_server(cls):
        cls.server = serve(cls.workspace, "--llm-url", cls.model.url, "--llm-model", "played", *cls.words)

    @classmethod
    def end_server(cls):
        status = cls.server.close()
        cls.logs += cls.server.lines
        assert status == 0, "".join(cls.logs)

    async def restart(self):
        """Beside the loop: the pages answer the end of their sockets, so the server need not wait for them."""
        await asyncio.to_thread(self.end_server)
        self.start_server()

    @classmethod
    def tearDownClass(cls):
        cls.end_server()
        assert KEY not in "".join(cls.logs), "the key is in the log"
        cls.workspace.close()
        cls.model.close()
        cls.frame_check.close()

    def setUp(self):
        self.pages = []
        self.first_request = len(getattr(self.model, "requests", ()))
        self.script.answers.clear()
        self.script.missed = 0
        self.script.unheard = None
        if isinstance(self.model, Replay):
            self.model.forget()
        self.sid = self.workspace.load(DEMO_FILE)

    async def asyncTearDown(self):
        for page in self.pages:
            if page.open:
                await page.close()
        await self.nothing_left()
        self.assertFalse([frame for page in self.pages for frame in page.frames if KEY in frame])
        self.assertEqual([line for request in self.requests() for line in request.violations], [])
        self.assertEqual((len(self.script.answers), self.script.missed), (0, 0), "answers left, requests too many")
        self.assertEqual(self.frame_check.faults([page.frames for page in self.pages],
                                                 [run_input for page in self.pages for run_input in page.inputs]), [])

    async def page(self, thread_id=None, **more):
        """A page that has been greeted; closed with the test."""
        page = Page(self.server.port, more.pop("sid", self.sid), thread_id, **more)
        self.pages.append(page)
        await page.__aenter__()
        return page

    def play(self, *answers):
        """The model's next answers."""
        self.script.answers.extend(answers)

    def requests(self):
        """What the model was asked in this test so far; aimock does not tell."""
        return getattr(self.model, "requests", [])[self.first_request:]

    def http(self, method, path, body=None, **headers):
        status, answer, _ = self.server.http(method, path, body, **headers)
        self.assertEqual(status, 200, answer)
        return answer

    def components(self, node_id):
        return self.http("GET", "/session/%s/nodes/%s/components" % (self.sid, node_id))["components"]

    async def eventually(self, condition, what, seconds=SECONDS):
        until = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > until:
                self.fail("%s: not within %d seconds" % (what, seconds))
            await asyncio.sleep(0.02)

    def gauges(self):
        """The chat's figures of /metrics, by their names."""
        _, text, _ = self.server.http("GET", "/metrics")
        lines = [line.rsplit(" ", 1) for line in text.decode().splitlines() if line.startswith("lectern_chat_")]
        return {name: float(value) for name, value in lines}

    async def nothing_left(self):
        """Neither a page nor a run stays behind when the pages are gone."""
        await self.eventually(lambda: self.gauges()["lectern_chat_pages"] == 0 and self.gauges()["lectern_chat_runs"] == 0,
                              "the end of pages and runs")
