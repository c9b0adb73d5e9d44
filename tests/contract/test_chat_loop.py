# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions with an unusual answer: a pause, a refusal, a conversation too long for the model, an interruption, an answer without text; and
content that a service may send but does not accept back."""
import json
import re
import unittest

import chat_case
from chat_case import results_of, result_text
from replay_model import Part, answer, call, fail, hold, text, thinking

TOO_LONG = fail(400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum")


def said(messages):
    """Of each message its role's first letter and its texts."""
    return ["%s: %s" % (message["role"][0], " ".join(
        [message["content"]] if isinstance(message["content"], str) else
        [block.get("text", block["type"]) for block in message["content"]])) for message in messages]


class LoopCase(chat_case.ChatCase):
    def sent(self, number=-1):
        return said(self.requests()[number].json["messages"])

    async def ask(self, page, question, *answers):
        self.play(*answers)
        return await page.ask(question)

    async def shown(self, page):
        """The thread as a page that comes anew sees it."""
        again = await self.page(page.thread_id)
        messages = next(event["messages"] for event in again.greeting.events if event["type"] == "MESSAGES_SNAPSHOT")
        await again.close()
        return messages

    async def notes(self, page):
        return [message["content"] for message in await self.shown(page) if message.get("activityType") == "lectern.note"]


class StopReasons(LoopCase):
    async def test_a_pause_goes_on(self):
        page = await self.page()
        run = await self.ask(page, "Go on.", answer(text("First"), stop="pause_turn"), answer(text("then.")))
        self.assertEqual(run.text, "First\nthen.")
        self.assertEqual(self.sent(), ["u: Go on.", "a: First"])

    async def test_what_was_refused_is_not_sent_again(self):
        """The question, and all that its run had come to; what went before keeps its bytes, what comes is asked without it."""
        page = await self.page()
        await self.ask(page, "One?", answer(text("One.")))
        run = await self.ask(page, "Bad?", answer(text("I look."), call("query_graph", {"query": "counts"})),
                             answer(text("So far"), stop="refusal", details={"type": "refusal", "explanation": "Not for me."}))
        self.assertIn("Not for me.", run.text)
        await self.ask(page, "Two?", answer(text("Two.")))
        self.assertEqual(self.sent(), ["u: One?", "a: One.", "u: Two?"])
        await self.ask(page, "Worse?", answer(stop="refusal"))
        await self.ask(page, "Three?", answer(text("Three.")))
        self.assertEqual(self.sent(), ["u: One?", "a: One.", "u: Two?", "a: Two.", "u: Three?"])
        questions = [message["content"] for message in await self.shown(page) if message["role"] == "user"]
        self.assertEqual(questions, ["One?", "Bad?", "Two?", "Worse?", "Three?"])
        await self.restart()
        page = await self.page(page.thread_id)
        await self.ask(page, "Four?", answer(text("Four.")))
        self.assertEqual(self.sent(), ["u: One?", "a: One.", "u: Two?", "a: Two.", "u: Three?", "a: Three.", "u: Four?"])

    async def test_a_refusal_behind_a_declined_approval(self):
        """The results of the calls before belong to what is sent, and stay."""
        page = await self.page()
        delete = call("delete_component", {"node_id": "N001", "component_order": 1}, id="toolu_delete")
        run = await self.ask(page, "Delete it.", answer(delete))
        self.assertEqual(run.outcome, "interrupt")
        await self.ask(page, "Bad?", answer(stop="refusal"))
        await self.ask(page, "Two?", answer(text("Two.")))
        self.assertEqual(self.sent(), ["u: Delete it.", "a: tool_use", "u: tool_result Two?"])


class TooLong(LoopCase):
    async def thread(self, page, count):
        for number in range(1, count + 1):
            await self.ask(page, "Q%d?" % number, answer(text("A%d." % number)))

    async def test_what_is_left_out_stays_out(self):
        page = await self.page()
        await self.thread(page, 5)
        first = len(self.requests())
        run = await self.ask(page, "Q6?", TOO_LONG, answer(text("A6.")))
        self.assertEqual([len(request.json["messages"]) for request in self.requests()[first:]], [11, 5])
        self.assertEqual([limit["limit"] for limit in run.custom("lectern.limit")], ["context"])
        self.assertIn("first 3 questions", run.custom("lectern.limit")[0]["message"])
        run = await self.ask(page, "Q7?", answer(text("A7.")))
        self.assertEqual(run.custom("lectern.limit"), [])
        before = ["u: Q4?", "a: A4.", "u: Q5?", "a: A5.", "u: Q6?"]
        self.assertEqual((self.sent(-2), self.sent()), (before, [*before, "a: A6.", "u: Q7?"]))
        await self.restart()
        page = await self.page(page.thread_id)
        await self.ask(page, "Q8?", answer(text("A8.")))
        self.assertEqual(self.sent(), [*before, "a: A6.", "u: Q7?", "a: A7.", "u: Q8?"])
        self.assertEqual([note["kind"] for note in await self.notes(page)], ["context"])

    async def test_it_is_halved_until_it_fits(self):
        page = await self.page()
        await self.thread(page, 7)
        first = len(self.requests())
        run = await self.ask(page, "Q8?", TOO_LONG, answer(text("Cut"), stop="model_context_window_exceeded"), TOO_LONG,
                             answer(text("A8.")))
        self.assertEqual([len(request.json["messages"]) for request in self.requests()[first:]], [15, 7, 3, 1])
        self.assertEqual([re.search(r"first \d+", limit["message"]).group() for limit in run.custom("lectern.limit")],
                         ["first 4", "first 6", "first 7"])
        self.assertEqual(run.outcome, "success")
        self.assertEqual(self.sent(), ["u: Q8?"])

    async def test_one_that_never_fits(self):
        page = await self.page()
        await self.thread(page, 1)
        run = await self.ask(page, "Q2?", TOO_LONG, TOO_LONG)
        self.assertIn("too long", run.error)
        run = await self.ask(page, "Q3?", TOO_LONG, answer(text("A3.")))
        self.assertEqual((run.outcome, self.sent()), ("success", ["u: Q3?"]))


class Endings(LoopCase):
    async def begin(self, page, question, *parts):
        """Asks, and waits until the first text is there; where the run's events begin."""
        self.play(answer(text("Half of it"), *parts, hold()))
        start, _ = await page.send_input(question)
        await page.wait_for(lambda: any(event["type"] == "TEXT_MESSAGE_CONTENT" for event in page.events[start:]), "text")
        return start

    async def stop_notes(self, page):
        return [note["text"] for note in await self.notes(page) if note["kind"] == "stopped"]

    async def test_each_stop_is_said(self):
        page = await self.page()
        start = await self.begin(page, "One?")
        await page.stop(page.inputs[-1]["runId"])
        await page.run_from(start, page.inputs[-1]["runId"])
        self.assertEqual(await self.stop_notes(page), ["The editor stopped this answer."])
        await self.begin(page, "Two?")
        await page.close()
        await self.nothing_left()
        notes = await self.stop_notes(page)
        self.assertEqual(len(notes), 2)
        self.assertIn("page", notes[1])
        self.assertNotIn("editor stopped", notes[1])

    async def test_the_server_stops(self):
        """The page is told the end of its run, and why, before its socket is closed."""
        page = await self.page()
        start = await self.begin(page, "One?")
        await self.restart()
        await page.wait_for(lambda: not page.open, "the end of the socket")
        run = await page.run_from(start)
        self.assertEqual((run.outcome, run.end), ("cancelled", page.events[-1]))
        self.assertIn("server was stopped", run.custom("lectern.limit")[-1]["message"])
        self.assertEqual(page.socket.close_code, 1001)
        notes = await self.stop_notes(page)
        self.assertEqual(len(notes), 1)
        self.assertIn("server was stopped", notes[0])

    def kill(self):
        self.server.kill()
        type(self).logs += self.server.lines
        self.start_server()

    async def test_the_server_is_killed(self):
        """What was being answered is shown as was cut off, then and behind the next question; it can be asked on."""
        page = await self.page()
        await self.ask(page, "One?", answer(text("One.")))
        await self.begin(page, "Two?")
        self.kill()
        shown = await self.shown(page)
        self.assertEqual([message["role"] for message in shown], ["user", "assistant", "activity", "user", "activity"])
        self.assertIn("was cut off", shown[4]["content"]["text"])
        page = await self.page(page.thread_id)
        await self.ask(page, "Three?", answer(text("Three.")))
        self.assertEqual(self.sent(), ["u: One?", "a: One.", "u: Two? Three?"])
        shown = await self.shown(page)
        self.assertEqual([message["role"] for message in shown], ["user", "assistant", "activity", "user", "activity", "user",
                                                                  "assistant", "activity"])
        self.assertIn("was cut off", shown[4]["content"]["text"])

    async def test_killed_behind_an_approval(self):
        page = await self.page()
        code = call("execute_code", {"code": "import time\nprint('begun', flush=True)\ntime.sleep(60)"})
        delete = call("delete_component", {"node_id": "N001", "component_order": 1})
        run = await self.ask(page, "Delete it.", answer(code, delete))
        self.assertNotIn("was cut off", json.dumps(await self.shown(page)))
        start, _ = await page.send_input(resume=[{"interruptId": run.interrupts[0]["id"], "status": "resolved",
                                                  "payload": {"approved": True}}])
        await page.wait_for(lambda: "begun" in json.dumps([event for event in page.events[start:] if event["type"] == "CUSTOM"]),
                            "output of the code")
        self.kill()
        self.assertIn("was cut off", json.dumps((await self.shown(page))[-1]))
        page = await self.page(page.thread_id)
        await self.ask(page, "Two?", answer(text("Two.")))
        self.assertEqual(self.sent(), ["u: Delete it.", "a: tool_use tool_use", "u: tool_result tool_result Two?"])

    async def test_an_answer_without_a_word(self):
        page = await self.page()
        for number, nothing in enumerate((answer(), answer(thinking("Hm.")), answer(text(" \n")))):
            run = await self.ask(page, "Q%d?" % number, nothing)
            self.assertEqual((run.outcome, run.end["code"]), ("error", "no_answer"))
            self.assertIn("gave no answer", run.end["message"])
        self.assertEqual([note["kind"] for note in await self.notes(page)], ["error"] * 3)
        await self.ask(page, "And?", answer(text("Here.")))
        self.assertEqual(self.sent(), ["u: Q0? Q1? Q2? And?"])


class Content(LoopCase):
    async def test_ids_that_come_twice(self):
        """In a message and across turns, and one that the service would not take back: each call has an id of its own, its result
        follows it, and the thread can be asked on, after a restart as well."""
        def count(query, ident="toolu_same"):
            return call("query_graph", {"query": query}, id=ident)

        page = await self.page()
        run = await self.ask(page, "Look.", answer(count("counts"), count("end_points"), count("counts", "call:1")),
                             answer(count("end_points")), answer(text("Done.")))
        self.assertEqual([seen.result is not None and not seen.metadata["isError"] for seen in run.calls.values()], [True] * 4)
        asked, again = (request.json["messages"] for request in self.requests()[1:])
        ids = [block["id"] for message in again for block in message["content"] if block["type"] == "tool_use"]
        self.assertEqual((len(set(ids)), ids[0], list(run.calls)), (4, "toolu_same", ids))
        results = results_of({"messages": asked})
        self.assertEqual(list(results), ids[:3])
        self.assertEqual(result_text(results[ids[0]]), result_text(results[ids[2]]))
        self.assertNotEqual(result_text(results[ids[0]]), result_text(results[ids[1]]))
        await self.restart()
        page = await self.page(page.thread_id)
        run = await self.ask(page, "And?", answer(count("counts")), answer(text("Done.")))
        self.assertNotIn(next(iter(run.calls)), ids)

    async def test_a_block_that_nobody_knows(self):
        """What streamed into it is not kept, so it is not sent back."""
        page = await self.page()
        mystery = Part("block", block={"type": "mystery", "foo": 1}, member="words", delta="mystery_delta", words="hm",
                       pieces=None, cut=None, units=None)
        await self.ask(page, "One?", answer(mystery, text("One."), call("query_graph", {"query": "counts"})),
                       answer(mystery, text("Two.")))
        await self.ask(page, "Two?", answer(text("Three.")))
        self.assertEqual(self.sent(), ["u: One?", "a: One. tool_use", "u: tool_result", "a: Two.", "u: Two?"])


    async def test_more_calls_than_are_run(self):
        """Each is answered, those that are too many with an error; so is a message of as many texts as calls."""
        page = await self.page()
        calls = [call("query_graph", {"query": "counts"}) for _ in range(70)]
        texts = [text("Part %d." % number) for number in range(70)]
        run = await self.ask(page, "Look.", answer(*texts, *calls), answer(text("Done.")))
        self.assertEqual((run.outcome, len(run.calls)), ("success", 70))
        results = results_of(self.requests()[-1].json)
        self.assertEqual([bool(block.get("is_error")) for block in results.values()], [False] * 16 + [True] * 54)
        self.assertEqual([limit["limit"] for limit in run.custom("lectern.limit")], ["calls"])

    async def test_how_long_a_call_took(self):
        """The code's own time, as its result says it; what it waited for a sandbox stands apart."""
        page = await self.page()
        code = "import time\ntime.sleep(0.3)\nprint('slept')"
        await self.ask(page, "Run.", answer(*[call("execute_code", {"code": code}) for _ in range(3)]), answer(text("Done.")))
        shown = [(message["metadata"]["milliseconds"], message["metadata"]["waited"]) for message in await self.shown(page)
                 if message["role"] == "tool"]
        told = [event for event in page.events if event["type"] == "TOOL_CALL_RESULT"]
        self.assertEqual(len(told), 3)
        for event in told:
            seconds = float(re.search(r"\[ok, ([0-9.]+) s", event["content"]).group(1))
            self.assertLessEqual(abs(event["metadata"]["milliseconds"] - 1000 * seconds), 1)
            self.assertIn((event["metadata"]["milliseconds"], event["metadata"]["waited"]), shown)
        self.assertGreater(max(waited for _, waited in shown), 0)  # one sandbox was ready, for three


if __name__ == "__main__":
    unittest.main()
