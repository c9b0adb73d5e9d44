# SPDX-License-Identifier: GPL-3.0-or-later
"""The chat with a model simulated by aimock, the real tools and the real sandbox, over the demo curriculum: streaming, an analysis and its
correct answer, parallel calls, repaired code, memory of earlier turns."""
import unittest

import chat_case
from chat_page import AiMock


class Chat(chat_case.ChatCase):
    @classmethod
    def make_model(cls):
        return AiMock()

    async def test_plain_streaming(self):
        page = await self.page()
        self.assertEqual(page.state["session"]["session_id"], self.sid)
        self.assertTrue(page.state["model"]["ready"])
        run = await page.ask("Say something in many pieces")
        self.assertEqual(run.text, "Grüße! 🧮 The ratio is $3 : 5$, so $\\frac{3}{8}$ of it. **Done**.")
        self.assertGreater(len([event for event in run.events if event["type"] == "TEXT_MESSAGE_CONTENT"]), 10)
        self.assertEqual(run.outcome, "success")
        self.assertEqual(run.custom("lectern.usage")[-1]["requests"], 1)

    async def test_an_analysis_and_its_true_answer(self):
        later = {edge["to_node_id"] for edge in chat_case.DEMO["relationships"] if "PREREQUISITE" in edge["relationship_type"]}
        wanted = ["%s %s" % (node["node_id"], node["title"]) for node in chat_case.DEMO["nodes"] if node["node_id"] not in later]
        page = await self.page()
        run = await page.ask("Which nodes have no prerequisites?", context=[("node_id", "N001"), ("screen", "graph")])
        call = run.calls["toolu_analysis"]
        self.assertEqual(call.name, "execute_code")
        self.assertIn("get_relationships", call.input["code"])
        self.assertTrue(call.started)
        self.assertEqual(call.text.splitlines()[:len(wanted)], wanted)
        self.assertFalse(call.metadata["isError"])
        self.assertGreater(call.metadata["milliseconds"], 0)
        for line in wanted:
            self.assertIn(line, run.text)
        usage = run.custom("lectern.usage")[-1]
        self.assertEqual(usage["requests"], 2)
        self.assertGreater(usage["wholeCurriculumTokens"], 10000)

    async def test_two_calls_side_by_side(self):
        page = await self.page()
        run = await page.ask("Are there cycles, and what is the longest chain?")
        self.assertEqual(set(run.calls), {"toolu_cycles", "toolu_chain"})
        self.assertIn("no cycle", run.calls["toolu_cycles"].text.lower())
        self.assertIn("N001", run.calls["toolu_chain"].text)
        self.assertEqual(run.text, "No cycles; the longest chain is told.")

    async def test_failing_code_is_repaired(self):
        page = await self.page()
        run = await page.ask("How many components has a node on average?")
        self.assertTrue(run.calls["toolu_broken"].metadata["isError"])
        self.assertEqual(run.calls["toolu_broken"].metadata["category"], "runtime")
        mended = run.calls["toolu_mended"]
        self.assertFalse(mended.metadata["isError"])
        self.assertEqual((mended.metadata["repair"], mended.metadata["repairsMax"]), (1, 2))
        count = sum(len(node["components"]) for node in chat_case.DEMO["nodes"])
        self.assertEqual(mended.text.splitlines()[0], str(count / len(chat_case.DEMO["nodes"])))
        self.assertIn("6.925 on average.", run.text)

    async def test_earlier_turns_are_remembered(self):
        page = await self.page()
        await page.ask("My name is Ada.")
        run = await page.ask("What is my name?")
        self.assertEqual(run.text, "You are Ada.")
        other = await self.page()  # another thread knows nothing of it
        self.assertEqual((await other.ask("What is my name?")).text, "You have not told me.")


if __name__ == "__main__":
    unittest.main()
