# SPDX-License-Identifier: GPL-3.0-or-later
"""The chat with sign-in: a reader's questions edit nothing, whatever the model calls, and an editor's name is the token's."""
import asyncio
import functools
import json
import os
import unittest
from unittest import mock

import chat_case
import web_sockets
from chat_page import Page
from replay_model import KEY, Replay, answer, call, text
from test_sign_in import SECONDS, bearer

ADD = ("add_component", {"node_id": "N001", "component_type": "heading", "parameters": {"text": "Added"}, "position": 1})
EDITS = (ADD, ("delete_component", {"node_id": "N001", "component_order": 1}), ("undo", {}),
         ("change_curriculum", {"operations": [{"op": "rename_node", "node_id": "N003", "title": "Renamed"}]}))


class Chat(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.script = chat_case.Script()
        self.model = Replay(self.script)
        self.addCleanup(self.model.close)
        self.workspace = chat_case.ChatWorkspace(ANTHROPIC_API_KEY=KEY)
        self.addCleanup(self.workspace.close)
        self.sid = self.workspace.load(chat_case.DEMO_FILE)
        self.file = os.path.join(self.workspace.data, "tokens")
        self.edit, self.read = self.token("--scope", "edit", "anna"), self.token("ben")
        self.server = chat_case.serve(self.workspace, "--llm-url", self.model.url, "--llm-model", "played", "--token-file", self.file)
        self.addCleanup(lambda: self.assertEqual(self.server.close(), 0))

    def token(self, *words):
        return self.workspace.run("token", "--token-file", self.file, *words).stdout.decode().strip()

    def history(self):
        status, answered, _ = self.server.http("GET", "/session/%s/history" % self.sid, **bearer(self.read))
        self.assertEqual(status, 200)
        return json.dumps(answered)

    def play(self, *answers):
        self.script.answers.extend(answers)

    def page(self, token):
        connect = functools.partial(web_sockets.connect, extra_headers=bearer(token))
        patch = mock.patch("web_sockets.connect", connect)
        patch.start()
        self.addCleanup(patch.stop)
        return Page(self.server.port, self.sid, editor="Mallory")

    async def test_reader(self):
        status, _, _ = self.server.http("PUT", "/session/" + self.sid, {"title": "Not to be undone"}, **bearer(self.edit))
        self.assertEqual(status, 200)
        before = self.history()
        async with self.page(self.read) as page:
            for tool, arguments in EDITS:
                self.play(answer(call(tool, arguments)), answer(text("I cannot.")))
                run = await page.ask("Do it.")
                self.assertEqual(run.interrupts, [])  # nobody is asked to approve it
                self.assertEqual(run.outcome, "success", run.error)
                refused, = run.calls.values()
                self.assertRegex(refused.text, "read|scope")
                self.assertEqual(self.history(), before)
            self.play(answer(call("query_graph", {"query": "counts"})), answer(text("40.")))
            run = await page.ask("How many?")
            self.assertIn("40 nodes", next(iter(run.calls.values())).text)

    async def test_legacy_reader(self):
        before = self.history()
        url = "ws://127.0.0.1:%d/mcp-sync?session_id=%s" % (self.server.port, self.sid)
        async with web_sockets.connect(url, extra_headers=bearer(self.read)) as socket:
            self.play(answer(call(*ADD)), answer(text("I cannot.")))
            await socket.send(json.dumps({"type": "chat_message", "content": "Do it."}))
            while json.loads(await asyncio.wait_for(socket.recv(), SECONDS))["type"] != "ai_response":
                pass
        self.assertEqual(self.history(), before)

    async def test_editor(self):
        async with self.page(self.edit) as page:
            self.play(answer(call(*ADD)), answer(text("Done.")))
            run = await page.ask("Do it.")
            self.assertEqual(run.outcome, "success", run.error)
        self.assertIn("chat:anna", self.history())
        self.assertNotIn("Mallory", self.history())


if __name__ == "__main__":
    unittest.main()
