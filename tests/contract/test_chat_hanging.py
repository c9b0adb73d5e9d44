# SPDX-License-Identifier: GPL-3.0-or-later
"""The chat in front of a service that hangs on one session: an edit by the model in another session does not wait for it."""
import asyncio
import unittest

import chat_case
import cms
from chat_case import results_of, result_text
from fault_server import FaultServer
from replay_model import answer, call, text


class Hanging(chat_case.ChatCase):
    @classmethod
    def setUpClass(cls):
        cls.service = cms.Cms()
        cls.between = FaultServer(cls.service.port)
        cls.words = ("--store", cls.between.url, "--store-timeout", "60")
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.between.close()
        cls.service.close()

    def setUp(self):
        super().setUp()
        self.sid, self.other = (self.http("POST", "/session/create", {})["session_id"] for _ in range(2))

    def play_edit(self, words):
        self.play(answer(call("add_component", {"node_id": "N001", "component_type": "paragraph", "parameters": {"text": words}})))

    def texts(self, sid):
        listed = self.http("GET", "/session/%s/nodes/N001/components" % sid)["components"]
        return [one["parameters"]["text"] for one in listed]

    async def test_an_edit_elsewhere_does_not_wait(self):
        held, page = await self.page(), await self.page(sid=self.other)
        self.between.set("held", only=("POST",), about=[self.sid])
        self.addCleanup(self.between.set, "pass")
        self.play_edit("held")
        run = asyncio.ensure_future(held.ask("Write it."))
        await self.eventually(lambda: self.between.holding > 0, "the edit that hangs")
        self.play_edit("done")
        self.play(answer(text("It is written.")))
        self.assertEqual((await page.ask("And here?")).text, "It is written.")
        self.assertEqual(self.texts(self.other), ["done"])
        self.assertFalse(run.done())
        self.play(answer(text("There.")))
        self.between.set("pass")
        self.assertEqual((await run).text, "There.")
        self.assertEqual(self.texts(self.sid), ["held"])
        [result] = results_of(self.requests()[-1].json).values()
        self.assertFalse(result.get("is_error", False), result_text(result))


if __name__ == "__main__":
    unittest.main(verbosity=2)
