# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls that need approval: the call waits, the page shows what would be lost, and a person approves, refuses, does not answer, or answers
twice; before and after a restart of the server."""
import unittest

import chat_case
from chat_case import result_text, results_of
from replay_model import answer, call, text

DELETE = call("delete_component", {"node_id": "N001", "component_order": 1, "confirm": True}, id="toolu_delete")
GRAPH = call("query_graph", {"query": "counts"}, id="toolu_graph")
FIRST = chat_case.DEMO["nodes"][0]["components"][0]["parameters"]["text"]


class Approvals(chat_case.ChatCase):
    async def asked(self, *more_calls, **page_options):
        """A page whose question has led to an open approval."""
        page = await self.page(**page_options)
        self.play(answer(text("I delete it."), *more_calls, DELETE))
        run = await page.ask("Delete the first component of N001.")
        self.assertEqual(run.outcome, "interrupt")
        self.assertEqual(len(run.interrupts), 1)
        return page, run, run.interrupts[0]

    def count(self):
        return len(self.components("N001"))

    async def test_what_is_asked(self):
        before = self.count()
        page, run, interrupt = await self.asked(GRAPH)
        self.assertEqual(interrupt["toolCallId"], "toolu_delete")
        self.assertEqual(interrupt["reason"], "lectern.approval")
        self.assertIn("N001", interrupt["message"])
        self.assertIn("approved", interrupt["responseSchema"]["properties"])
        change = interrupt["metadata"]["changes"][0]
        self.assertEqual(change["node_id"], "N001")
        self.assertIn(FIRST[:20], change["before"])
        self.assertIsNone(change["after"])
        self.assertTrue(run.calls["toolu_delete"].ended)
        self.assertIsNone(run.calls["toolu_delete"].result)
        self.assertEqual(self.count(), before)

    async def test_approved(self):
        before = self.components("N001")
        page, _, interrupt = await self.asked(GRAPH)
        self.play(answer(text("It is gone.")))
        run = await page.answer(interrupt, True)
        self.assertEqual((run.outcome, run.text), ("success", "It is gone."))
        self.assertFalse(run.calls["toolu_delete"].metadata["isError"])
        self.assertEqual([component["component_id"] for component in self.components("N001")],
                         [component["component_id"] for component in before[1:]])
        results = results_of(self.requests()[-1].json)
        self.assertEqual(set(results), {"toolu_graph", "toolu_delete"})
        self.assertIn("Deleted component 1", result_text(results["toolu_delete"]))
        changes = self.http("GET", "/session/%s/history" % self.sid)["changes"]
        self.assertEqual(changes[0]["who"], "chat:Anna/t1")
        self.http("POST", "/session/%s/undo" % self.sid, {"change_set": changes[0]["change_set"]})
        self.assertEqual(len(self.components("N001")), len(before))

    async def test_declined(self):
        before = self.count()
        page, _, interrupt = await self.asked()
        self.play(answer(text("Then not.")))
        run = await page.answer(interrupt, False, "I need this one.")
        self.assertEqual((run.outcome, run.text), ("success", "Then not."))
        self.assertTrue(run.calls["toolu_delete"].metadata["isError"])
        result = results_of(self.requests()[-1].json)["toolu_delete"]
        self.assertTrue(result["is_error"])
        self.assertIn("I need this one.", result_text(result))
        self.assertEqual(self.count(), before)

    async def test_cancelled(self):
        before = self.count()
        page, _, interrupt = await self.asked()
        self.play(answer(text("Then not.")))
        run = await page.ask(resume=[{"interruptId": interrupt["id"], "status": "cancelled"}])
        self.assertEqual((run.outcome, run.text), ("success", "Then not."))
        self.assertEqual(self.count(), before)

    async def test_ignored(self):
        """A plain message instead of an answer: no."""
        before = self.count()
        page, _, interrupt = await self.asked()
        self.play(answer(text("Something else, then.")))
        run = await page.ask("Never mind. What else is there?")
        self.assertEqual((run.outcome, run.text), ("success", "Something else, then."))
        request = self.requests()[-1].json
        results = [block for message in request["messages"] for block in message["content"] if isinstance(block, dict)
                   and block["type"] == "tool_result"]
        self.assertEqual([(block["tool_use_id"], block["is_error"]) for block in results], [("toolu_delete", True)])
        late = await page.answer(interrupt, True)
        self.assertEqual(late.outcome, "error")
        self.assertEqual(self.count(), before)

    async def test_answered_twice(self):
        before = self.count()
        page, _, interrupt = await self.asked()
        self.play(answer(text("It is gone.")))
        await page.answer(interrupt, True)
        asked = len(self.requests())
        again = await page.answer(interrupt, True)
        self.assertEqual(again.outcome, "error")
        self.assertEqual((self.count(), len(self.requests())), (before - 1, asked))
        unknown = await page.answer({"id": "no-such"}, True)
        self.assertEqual(unknown.outcome, "error")

    async def test_answered_by_two_pages(self):
        """Both have it open; one answer counts."""
        before = self.count()
        one, _, interrupt = await self.asked()
        two = await self.page(one.thread_id)
        self.assertEqual(two.greeting.interrupts[0]["id"], interrupt["id"])
        self.play(answer(text("It is gone.")))
        first = await one.answer(interrupt, True)
        second = await two.answer(interrupt, True)
        self.assertEqual((first.outcome, second.outcome), ("success", "error"))
        self.assertEqual(self.count(), before - 1)

    async def test_after_a_restart(self):
        before = self.count()
        page, _, interrupt = await self.asked(GRAPH)
        await page.close()
        await self.restart()
        page = await self.page(page.thread_id)
        self.assertEqual(page.greeting.outcome, "interrupt")
        self.assertEqual(page.greeting.interrupts[0]["id"], interrupt["id"])
        self.assertEqual(self.count(), before)
        self.play(answer(text("It is gone.")))
        run = await page.answer(interrupt, True)
        self.assertEqual((run.outcome, run.text), ("success", "It is gone."))
        self.assertEqual(self.count(), before - 1)
        self.assertEqual(set(results_of(self.requests()[-1].json)), {"toolu_graph", "toolu_delete"})
        await page.close()
        await self.restart()
        page = await self.page(page.thread_id)
        self.assertEqual(page.greeting.interrupts, [])

    async def test_every_edit_where_the_editor_wants_it(self):
        """forwardedProps.lectern.approvals: an addition alone is asked for too."""
        page = await self.page()
        def add(ident):
            return answer(call("add_component", {"node_id": "N001", "component_type": "paragraph",
                                                 "parameters": {"text": "New."}}, id=ident))
        before = self.count()
        self.play(add("toolu_1"), answer(text("Added.")))
        self.assertEqual((await page.ask("Add.", approvals="destructive")).outcome, "success")
        self.assertEqual(self.count(), before + 1)
        self.play(add("toolu_2"))
        run = await page.ask("Add.", approvals="every")
        self.assertEqual(run.outcome, "interrupt")
        self.assertEqual(self.count(), before + 1)
        self.assertIn("New.", run.interrupts[0]["metadata"]["changes"][0]["after"])

    async def test_a_call_that_would_fail_anyway_is_not_asked_for(self):
        page = await self.page()
        self.play(answer(call("delete_component", {"node_id": "N001", "component_order": 99})),
                  answer(text("There is none.")))
        run = await page.ask("Delete the 99th.")
        self.assertEqual((run.outcome, run.text), ("success", "There is none."))
        self.assertTrue(next(iter(run.calls.values())).metadata["isError"])

    async def test_a_large_change_set(self):
        page = await self.page()
        operations = [{"op": "rename_node", "node_id": "N%03d" % number, "title": "T%d" % number} for number in range(1, 13)]
        self.play(answer(call("change_curriculum", {"operations": operations})))
        run = await page.ask("Rename them.")
        self.assertEqual(run.outcome, "interrupt")
        changes = run.interrupts[0]["metadata"]["changes"]
        self.assertEqual(len(changes), 12)
        self.assertIn(chat_case.DEMO["nodes"][0]["title"], changes[0]["before"])
        self.assertIn("T1", changes[0]["after"])
        self.play(answer(text("All renamed.")))
        self.assertEqual((await page.answer(run.interrupts[0], True)).outcome, "success")
        titles = [node["title"] for node in self.http("GET", "/session/%s/nodes" % self.sid)["nodes"]]
        self.assertEqual(titles[:13], ["T%d" % number for number in range(1, 13)] + [chat_case.DEMO["nodes"][12]["title"]])


if __name__ == "__main__":
    unittest.main()
