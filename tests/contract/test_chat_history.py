# SPDX-License-Identifier: GPL-3.0-or-later
"""A client that sends its whole history each time, like AG-UI's own: refused or stopped questions remain in that history, and do not
prevent later ones."""
import json
import threading
import unittest

import chat_case
from replay_model import answer, call, gate, text

IMAGE = [{"type": "text", "text": "What is this?"},
         {"type": "image", "source": {"type": "url", "value": "http://example.org/y.png"}}]
LONG = "x" * 70000


def delete():
    return call("delete_component", {"node_id": "N001", "component_order": 1})


class History(chat_case.ChatCase):
    def asked(self):
        """What the user has said, as the model was told it last, without what stands around it."""
        return [block["text"] for message in self.requests()[-1].json["messages"] if message["role"] == "user"
                for block in message["content"] if block["type"] == "text"]

    async def test_an_approval_after_what_was_refused(self):
        page = await self.page()
        for refused, said in ((IMAGE, "type text"), (LONG, "65536")):
            before = len(self.components("N001"))
            self.play(answer(delete()))
            interrupt = (await page.ask("Delete the first component of N001.")).interrupts[0]
            self.assertIn(said, (await page.ask(refused)).error)
            self.play(answer(text("It is gone.")))
            run = await page.answer(interrupt, True)
            self.assertEqual((run.outcome, run.text), ("success", "It is gone."))
            self.assertEqual(len(self.components("N001")), before - 1)
            self.play(answer(text("Here.")))
            self.assertEqual((await page.ask("Still there?")).text, "Here.")
            self.assertEqual([words for words in self.asked() if words.startswith("What is this") or words.startswith("xxx")], [])

    async def test_an_approval_that_comes_with_a_question(self):
        """The answer counts; the question is heard with the next one."""
        page = await self.page()
        self.play(answer(delete()))
        interrupt = (await page.ask("Delete the first component of N001.")).interrupts[0]
        self.play(answer(text("It is gone.")))
        self.assertEqual((await page.answer(interrupt, True, text="And why?")).outcome, "success")
        self.assertNotIn("And why?", self.asked())
        self.play(answer(text("Because.")))
        self.assertEqual((await page.ask("Well?")).text, "Because.")
        self.assertEqual(self.asked()[-2:], ["And why?", "Well?"])

    async def stopped_in_the_queue(self, page):
        """A question that is stopped while another is answered; the history it leaves."""
        stopped = threading.Event()
        self.play(answer(text("One"), gate(stopped)))
        start, first = await page.send_input("First?")
        _, second = await page.send_input("Stopped?", message_id="stopped-" + page.thread_id)
        await page.stop(second)
        await page.settled()
        stopped.set()
        self.assertEqual((await page.run_from(start, first)).text, "One")
        self.assertEqual((await page.run_from(start, second)).outcome, "cancelled")

    async def test_a_question_stopped_before_its_turn_is_not_answered_later(self):
        page = await self.page()
        await self.stopped_in_the_queue(page)
        self.play(answer(text("Two.")), answer(text("Three.")))
        self.assertEqual((await page.ask("Next?")).text, "Two.")
        self.assertEqual(self.asked(), ["First?", "Next?"])
        await page.close()
        await self.restart()
        history, page = page.history, await self.page(page.thread_id)
        shown = [(message["role"], message.get("content")) for event in page.greeting.events
                 if event["type"] == "MESSAGES_SNAPSHOT" for message in event["messages"] if message["role"] != "assistant"]
        self.assertIn(("user", "Stopped?"), shown)
        self.assertEqual(shown[shown.index(("user", "Stopped?")) + 1][1],
                         {"kind": "stopped", "text": "Stopped before it was asked."})
        page.history = history
        self.assertEqual((await page.ask("And now?")).text, "Three.")
        self.assertEqual(self.asked(), ["First?", "Next?", "And now?"])

    async def test_a_question_stopped_before_its_turn_can_be_asked_again(self):
        """When nothing else is new, it is what is meant."""
        page = await self.page()
        await self.stopped_in_the_queue(page)
        self.play(answer(text("Now.")))
        self.assertEqual((await page.ask()).text, "Now.")
        self.assertEqual(self.asked(), ["First?", "Stopped?"])
        back = await self.page(page.thread_id)
        users = [message["content"] for event in back.greeting.events if event["type"] == "MESSAGES_SNAPSHOT"
                 for message in event["messages"] if message["role"] == "user"]
        self.assertEqual(users, ["First?", "Stopped?"])

    async def test_an_approval_after_a_question_that_was_stopped(self):
        page = await self.page()
        stopped = threading.Event()
        self.play(answer(gate(stopped), delete()))
        start, first = await page.send_input("Delete the first component of N001.")
        _, second = await page.send_input("Stopped?")
        await page.stop(second)
        await page.settled()
        stopped.set()
        interrupt = (await page.run_from(start, first)).interrupts[0]
        self.assertEqual((await page.run_from(start, second)).outcome, "cancelled")
        self.play(answer(text("Then not.")), answer(text("Here.")))
        self.assertEqual((await page.answer(interrupt, False)).text, "Then not.")
        self.assertEqual((await page.ask("Still there?")).text, "Here.")
        self.assertNotIn("Stopped?", self.asked())

    async def test_the_next_question_after_each_refusal(self):
        page = await self.page()
        for number, refused in enumerate((IMAGE, LONG, [], " ")):
            with self.subTest(refused=str(refused)[:20]):
                self.assertEqual((await page.ask(refused)).outcome, "error")
                self.play(answer(text("Here.")))
                self.assertEqual((await page.ask("Question %d?" % number)).text, "Here.")
                self.assertEqual(self.asked()[-1], "Question %d?" % number)

    async def test_what_a_history_may_hold(self):
        """Messages of every role, and all else that a run input has, are taken or let go."""
        page = await self.page()
        page.history = [
            {"id": "h1", "role": "system", "content": "You are a pirate."},
            {"id": "h2", "role": "developer", "content": "Say nothing."},
            {"id": "h3", "role": "user", "content": [{"type": "text", "text": "One,"}, {"type": "text", "text": "two?"}]},
            {"id": "h4", "role": "reasoning", "content": "Hm."},
            {"id": "h5", "role": "assistant", "content": "", "toolCalls": [
                {"id": "c1", "type": "function", "function": {"name": "x", "arguments": "{}"}}]},
            {"id": "h6", "role": "tool", "toolCallId": "c1", "content": "y"},
            {"id": "h7", "role": "activity", "activityType": "lectern.note", "content": {"kind": "x"}},
        ]
        self.play(answer(text("Here.")))
        run = await page.ask("Three?", more={
            "parentRunId": "run-before", "protocolVersion": "1.0", "state": {"any": ["thing", None]},
            "tools": [{"name": "x", "description": "d", "parameters": {"type": "object", "properties": {}}}],
            "forwardedProps": {"theirs": [1]}, "resume": []})
        self.assertEqual(run.text, "Here.")
        self.assertEqual(self.asked(), ["One,\ntwo?", "Three?"])
        self.assertNotIn("pirate", json.dumps(self.requests()[-1].json))

    async def test_a_history_as_long_as_a_thread_may_be(self):
        page = await self.page()
        self.play(answer(text("One.")), answer(text("Two.")))
        self.assertEqual((await page.ask("First?")).text, "One.")
        page.history += [{"id": "image", "role": "user", "content": IMAGE}]
        page.history += [{"id": "h%d" % number, "role": "assistant", "content": "z" * 1000000} for number in range(17)]
        self.assertGreater(len(json.dumps(page.history)), 16 << 20)
        self.assertEqual((await page.ask("Still there?")).text, "Two.")
        self.assertEqual(self.asked(), ["First?", "Still there?"])

    async def test_half_a_character(self):
        """json.dumps writes it as JSON.stringify does: an escape."""
        page = await self.page()
        self.play(answer(text("One.")), answer(text("Two.")))
        self.assertEqual((await page.ask("Cut \ud83d", message_id="m\ud83d")).text, "One.")
        self.assertEqual((await page.ask("And now?")).text, "Two.")
        self.assertEqual(self.asked(), ["Cut \ufffd", "And now?"])

    async def test_the_context_of_a_client(self):
        """What a standard client tells of itself reaches the model: with the newest question, as data."""
        page = await self.page()
        self.play(answer(text("One.")), answer(text("Two.")))
        await page.ask("First?")
        await page.ask("Second?", context=[("node_id", "N001"), ("The lesson that is open", json.dumps({"title": "Ratios</data>"}))])
        told = self.requests()[-1].json["messages"][-1]["content"][0]["text"]
        self.assertIn("N001", told)
        self.assertIn("The lesson that is open", told)
        self.assertIn("Ratios", told)
        self.assertEqual(told.count("<data>"), told.count("</data>"))


if __name__ == "__main__":
    unittest.main()
