# SPDX-License-Identifier: GPL-3.0-or-later
"""The life cycle of pages and runs: stop, a page that disconnects, two pages on one session, inputs that wait or are invalid, the end of
the server during a run, a server without a key, and clients of the original CMS."""
import asyncio
import base64
import json
import threading
import unittest

import chat_case
import harness
from chat_case import ChatWorkspace, serve
from replay_model import answer, call, drop, error_event, fail, hold, gate, text

ENDLESS = "import time\nprint('begun', flush=True)\nwhile True:\n    time.sleep(0.05)\n"
SLOW = [text("Half of it ", pieces=3), hold()]


class Life(chat_case.ChatCase):
    def code_runs(self):
        """How many analyses are under way."""
        _, metrics, _ = self.server.http("GET", "/metrics")
        return next(float(line.rsplit(" ", 1)[1]) for line in metrics.decode().splitlines()
                    if line.startswith("lectern_runs_running"))

    async def test_stop_in_a_text(self):
        page = await self.page()
        self.play(answer(*SLOW), answer(text("Next.")))
        start, run_id = await page.send_input("Talk.")
        await page.wait_for(lambda: "Half of " in "".join(event.get("delta", "") for event in page.events[start:]), "text")
        await page.stop(run_id)
        run = await page.run_from(start, run_id)
        self.assertEqual(run.outcome, "cancelled")
        await self.eventually(lambda: self.requests()[0].closed, "the end of the model's request")
        self.assertEqual((await page.ask("And now?")).text, "Next.")
        self.assertIn("Half of ", json.dumps(self.requests()[-1].json["messages"]))

    async def test_stop_in_an_analysis(self):
        page = await self.page()
        self.play(answer(text("I run it."), call("execute_code", {"code": ENDLESS})), answer(text("Next.")))
        start, run_id = await page.send_input("Run.")
        await page.wait_for(lambda: "begun" in json.dumps([event for event in page.events[start:] if event["type"] == "CUSTOM"]),
                            "output of the code")
        await page.stop(run_id)
        run = await page.run_from(start, run_id)
        self.assertEqual(run.outcome, "cancelled")
        await self.eventually(lambda: self.code_runs() == 0, "the end of the analysis")
        self.assertEqual((await page.ask("And now?")).text, "Next.")

    async def test_asked_again(self):
        """A question that is sent again by its id, with no new one: it stands once, whether a part of the answer had come or none."""
        page = await self.page()
        self.play(fail(500, "api_error", "Away", should_retry=False), answer(text("Four.")),
                  answer(text("Half of it"), drop()), answer(text("All of it.")))
        self.assertEqual((await page.ask("How many?")).outcome, "error")
        again = await page.ask()
        self.assertEqual((again.outcome, again.text), ("success", "Four."))
        first, second = (request.json["messages"] for request in self.requests()[:2])
        self.assertEqual(self.bare(second), self.bare(first))
        # What is answered is not asked again, however often it is sent.
        self.assertIn("nothing new", (await page.ask()).error)

        self.assertEqual((await page.ask("And then?")).outcome, "error")
        again = await page.ask()
        self.assertEqual([event["message"] for event in again.custom("lectern.again")], ["Asked again."])
        self.assertEqual(again.text, "All of it.")
        sent = self.requests()[-1].json["messages"]
        self.assertEqual([message["role"] for message in sent], ["user", "assistant", "user", "assistant", "user"])
        self.assertIn("Half of it", json.dumps(sent[3]))
        self.assertIn("same question again", json.dumps(sent[4]))
        back = await self.page(page.thread_id)
        messages = next(event["messages"] for event in back.greeting.events if event["type"] == "MESSAGES_SNAPSHOT")
        self.assertEqual([message["content"] for message in messages if message["role"] == "user"], ["How many?", "And then?"])

    @staticmethod
    def bare(messages):
        """Without the cache's marks."""
        return [[{name: value for name, value in block.items() if name != "cache_control"} for block in message["content"]]
                for message in messages]

    async def test_an_edit_says_its_change_set(self):
        """By it exactly this edit is undone, whatever came in between; also from the history of a later visit."""
        page = await self.page()
        add = {"node_id": "N002", "component_type": "paragraph", "parameters": {"text": "By the chat."}}
        change = {"operations": [{"op": "create_node", "node_id": "N900", "title": "Another"}]}
        self.play(answer(call("add_component", add), call("query_graph", {"query": "counts"}),
                         call("add_component", {**add, "node_id": "nowhere"}), call("change_curriculum", change),
                         call("change_curriculum", {**change, "dry_run": True})), answer(text("Done.")))
        run = await page.ask("Add it.")
        added, asked, failed, changed, tried = run.calls.values()
        self.http("PUT", "/session/%s/nodes/N003" % self.sid, {"title": "By hand"})
        rows = {row["change_set"]: row for row in self.http("GET", "/session/%s/history" % self.sid)["changes"]}
        self.assertEqual([rows[one.metadata["changeSet"]]["who"] for one in (added, changed)], ["chat:Anna/t1"] * 2)
        self.assertNotEqual(added.metadata["changeSet"], changed.metadata["changeSet"])
        self.assertEqual([one.metadata.get("changeSet") for one in (asked, failed, tried)], [None] * 3)
        self.assertTrue(failed.metadata["isError"])
        back = await self.page(page.thread_id)
        messages = next(event["messages"] for event in back.greeting.events if event["type"] == "MESSAGES_SNAPSHOT")
        self.assertEqual([message["metadata"].get("changeSet") for message in messages if message["role"] == "tool"],
                         [one.metadata.get("changeSet") for one in (added, asked, failed, changed, tried)])
        before = len(self.components("N002"))
        self.http("POST", "/session/%s/undo" % self.sid, {"change_set": added.metadata["changeSet"]})
        self.assertEqual(len(self.components("N002")), before - 1)

    async def test_stop_of_nothing(self):
        page = await self.page()
        await page.stop("run-that-never-was")
        self.play(answer(text("Here.")))
        self.assertEqual((await page.ask("Are you there?")).text, "Here.")
        await page.stop(page.inputs[-1]["runId"])
        self.play(answer(text("Here.")))
        self.assertEqual((await page.ask("Are you there?")).text, "Here.")

    async def test_a_page_that_goes(self):
        for first in (SLOW, [call("execute_code", {"code": ENDLESS})]):
            with self.subTest(first=len(first)):
                page = await self.page()
                asked = len(self.requests())
                before = harness.descendants(self.server.process.pid)
                self.play(answer(*first))
                start, _ = await page.send_input("Go on.")
                await page.wait_for(lambda start=start, page=page: any(
                    event["type"] == "TEXT_MESSAGE_CONTENT" or event.get("name") == "lectern.output"
                    for event in page.events[start:]), "a beginning")
                await page.close()
                await self.nothing_left()
                if first is SLOW:
                    await self.eventually(lambda asked=asked: self.requests()[asked].closed, "the end of the model's request")
                else:
                    await self.eventually(lambda: self.code_runs() == 0, "the end of the analysis")
                    await self.eventually(lambda before=before: len(harness.descendants(self.server.process.pid)) <= len(before),
                                          "the end of the sandbox")
                # What came is there again for the page that comes back, and can be asked on.
                back = await self.page(page.thread_id)
                self.assertIn("MESSAGES_SNAPSHOT", [event["type"] for event in back.greeting.events])
                self.play(answer(text("Welcome back.")))
                self.assertEqual((await back.ask("And?")).text, "Welcome back.")
                await back.close()

    async def test_inputs_wait_for_their_turn(self):
        page = await self.page()
        sent = threading.Event()
        self.play(answer(text("One"), gate(sent)), answer(text("Two")))
        start, first = await page.send_input("First.")
        _, second = await page.send_input("Second.")
        await page.settled()
        sent.set()
        one, two = await page.run_from(start, first), await page.run_from(start, second)
        self.assertEqual((one.text, two.text), ("One", "Two"))
        self.assertLess(page.events.index(one.end), page.events.index(two.events[0]))

    async def test_too_many_inputs(self):
        """The answer under way is not lost; each of the others is answered, or told that it was not taken."""
        page = await self.page()
        sent = threading.Event()
        self.play(answer(text("One"), gate(sent)), *[answer(text("More")) for _ in range(4)])
        start = len(page.events)
        runs = [(await page.send_input("Flood %d." % number))[1] for number in range(8)]
        await page.settled()
        sent.set()
        told = [await page.run_from(start, run_id) for run_id in runs[:5]]
        self.assertEqual([run.text for run in told], ["One"] + ["More"] * 4)
        refused = await page.wait_for(lambda: (lambda errors: len(errors) == 3 and errors)(
            [place for place, event in enumerate(page.events) if event["type"] == "RUN_ERROR"]), "refusals")
        for place, run_id in zip(refused, runs[5:]):
            self.assertEqual((page.events[place - 1]["type"], page.events[place - 1]["runId"]), ("RUN_STARTED", run_id))
            self.assertEqual(page.events[place]["code"], "busy")
            self.assertIn("rejected", page.events[place]["message"])
        self.play(answer(text("Here.")))
        self.assertEqual((await page.ask("Still there?")).text, "Here.")

    async def test_inputs_that_are_wrong(self):
        page = await self.page()
        for bad, said in (("{", "JSON"), ("[]", "object"), ('{"type":"lectern.stop"}', "runId"), ("{}", "threadId"),
                          (json.dumps({"threadId": page.thread_id, "runId": "r", "messages": [{"role": "user"}]}), "message")):
            with self.subTest(bad=bad):
                start = len(page.events)
                await page.socket.send(bad)
                await page.wait_for(lambda start=start: len(page.events) > start, "an answer")
                self.assertEqual(page.events[-1]["type"], "RUN_ERROR")
                self.assertIn(said.lower(), page.events[-1]["message"].lower())
        other = await self.page(sid=self.workspace.load(chat_case.DEMO_FILE))
        self.play(answer(text("Mine.")))
        await page.ask("Whose is this?")
        other.thread_id = page.thread_id    # an id is good in its session: this is another conversation
        self.play(answer(text("Theirs.")))
        self.assertEqual((await other.ask("Whose is this?")).text, "Theirs.")
        self.play(answer(text("Here.")))
        self.assertEqual((await page.ask("Still there?")).text, "Here.")

    async def test_two_pages_on_one_session(self):
        """What one has done by its model or by hand comes to the other as it lands, with who did it; into a run as well."""
        one, two = await self.page(editor="Anna/t1"), await self.page(editor="Ben/t2")
        add = {"node_id": "N002", "component_type": "paragraph", "parameters": {"text": "New."}}
        self.play(answer(call("add_component", add)), answer(text("Added.")))
        start = len(two.events)
        await one.ask("Add it.")
        listed = await two.run_from(start)  # the conversation, which is new
        live = await two.run_from(start + len(listed.events))
        self.assertTrue(live.events[0]["runId"].startswith("live-"))
        self.assertEqual(live.custom("lectern.change"), [{"target": "components", "node_id": "N002", "who": "chat:Anna/t1"}])
        self.play(answer(text("A long talk."), hold()))
        start, run_id = await two.send_input("Talk.")
        await two.wait_for(lambda: any(event["type"] == "TEXT_MESSAGE_CONTENT" for event in two.events[start:]), "text")
        seen = len(one.events)
        self.http("PUT", "/session/%s/nodes/N003" % self.sid, {"title": "By hand"}, **{"X-Editor": "page:Cleo/t3"})

        def changes(page, since):
            return [event["value"] for event in page.events[since:] if event.get("name") == "lectern.change"]
        await one.wait_for(lambda: changes(one, seen), "the change")
        self.assertEqual([change["node_id"] for change in changes(one, seen)], ["N003"])
        await two.wait_for(lambda: changes(two, start), "the change, in the run")
        await two.stop(run_id)
        run = await two.run_from(start, run_id)
        self.assertEqual([change["who"] for change in run.custom("lectern.change")], ["page:Cleo/t3"])
        stranger = await self.page(sid=self.workspace.load(chat_case.DEMO_FILE))
        self.http("PUT", "/session/%s/nodes/N003" % self.sid, {"title": "Again"})
        await stranger.quiet()


class LegacyChat(chat_case.ChatCase):
    def old_client(self):
        import web_sockets
        return web_sockets.connect("ws://127.0.0.1:%d/mcp-sync?session_id=%s" % (self.server.port, self.sid))

    async def say(self, client, content, **more):
        """A chat_message; all messages up to the answer."""
        await client.send(json.dumps({"type": "chat_message", "content": content, "context": {
            "session_id": self.sid, "node_id": "N001", "screen": "editor", "action": "open"}, **more}))
        heard = []
        while not heard or heard[-1]["type"] not in ("ai_response", "error"):
            heard.append(json.loads(await asyncio.wait_for(client.recv(), chat_case.SECONDS)))
        return heard

    async def test_the_legacy_chat(self):
        add = {"node_id": "N001", "component_type": "paragraph", "parameters": {"text": "Old."}}
        async with self.old_client() as client:
            self.play(answer(text("I add it."), call("add_component", add)), answer(text("Added.")), answer(text("Yes: Old.")))
            heard = await self.say(client, "Add it.", file=base64.b64encode(b"Notes of a teacher").decode(), fileName="notes.txt")
            kinds = [message["type"] for message in heard]
            self.assertLess(kinds.index("tool_start"), kinds.index("tool_executed"))
            self.assertLess(kinds.index("tool_executed"), kinds.index("tool_complete"))
            self.assertEqual(kinds.count("ai_response"), 1)
            self.assertIn("Added.", heard[-1]["content"])
            executed = heard[kinds.index("tool_executed")]
            self.assertEqual((executed["tool"], executed["arguments"]), ("add_component", add))
            self.assertIn("Added paragraph", json.dumps(executed["result"]))
            asked = json.dumps(self.requests()[0].json["messages"])
            for word in ("Notes of a teacher", "notes.txt", "N001", "Add it."):
                self.assertIn(word, asked)
            heard = await self.say(client, "Is it there?")
            self.assertEqual(heard[-1]["content"], "Yes: Old.")
            self.assertIn("Add it.", json.dumps(self.requests()[-1].json["messages"]))
        self.assertEqual(self.components("N001")[-1]["parameters"], {"text": "Old."})

    async def test_who_asks_on_the_legacy_chat_looks_on(self):
        """With the session in the question alone: what the answer changes is told, and later changes too."""
        import web_sockets
        add = {"node_id": "N001", "component_type": "paragraph", "parameters": {"text": "Old."}}
        async with web_sockets.connect("ws://127.0.0.1:%d/mcp-sync" % self.server.port) as client:
            self.play(answer(call("add_component", add)), answer(text("Added.")))
            heard = await self.say(client, "Add it.")
            self.http("PUT", "/session/%s/nodes/N003" % self.sid, {"title": "By hand"})
            while not any(message.get("node_id") == "N003" for message in heard):
                heard.append(json.loads(await asyncio.wait_for(client.recv(), chat_case.SECONDS)))
            self.assertEqual([(message["target"], message["node_id"]) for message in heard if message["type"] == "refresh_ui"],
                             [("components", "N001"), ("nodes", "N003")])

    async def test_the_legacy_chat_tells_what_came_before_a_failure(self):
        async with self.old_client() as client:
            self.play(answer(text("Half of it"), error_event()))
            heard = await self.say(client, "Talk.")
            self.assertEqual((heard[-1]["type"], heard[-1]["content"]), ("ai_response", "Half of it"))
            failure = json.loads(await asyncio.wait_for(client.recv(), chat_case.SECONDS))
            self.assertEqual(failure["type"], "error")

    async def test_a_nul_goes_to_no_service(self):
        """By a page and by the old wire: what a model is sent is checked at the end of each test."""
        page = await self.page()
        self.play(answer(text("One.")), answer(text("Two.")))
        self.assertEqual((await page.ask("a\0b")).text, "One.")
        async with self.old_client() as client:
            self.assertEqual((await self.say(client, "c\0d"))[-1]["content"], "Two.")
        self.assertIn("c\ufffdd", str(self.requests()[-1].json["messages"]))

    async def test_the_legacy_chat_tells_that_all_attempts_at_code_failed(self):
        async with self.old_client() as client:
            self.play(*[answer(call("execute_code", {"code": "%d // 0" % number})) for number in range(3)],
                      answer(text("It did not work.")))
            heard = await self.say(client, "Divide.")
            self.assertEqual([message["type"] for message in heard].count("tool_executed"), 3)
            self.assertIn("It did not work.", heard[-1]["content"])
            failure = json.loads(await asyncio.wait_for(client.recv(), chat_case.SECONDS))
            self.assertEqual(failure["type"], "error")
            self.assertIn("every attempt at code", failure["error"])

    async def test_the_legacy_chat_marks_a_partial_answer(self):
        async with self.old_client() as client:
            self.play(answer(call("execute_code", {"code": "print(7)"})),
                      *[answer(call("execute_code", {"code": "%d // 0" % number})) for number in range(3)], answer(text("Only 7.")))
            heard = await self.say(client, "Divide.")
            self.assertEqual(heard[-1]["type"], "ai_response")
            self.assertRegex(heard[-1]["content"], r"Only 7\.\n\nPartial answer: [^\n]*\n- attempt 1: .*ZeroDivisionError")

    async def test_the_legacy_chat_replaces_three_things_for_one_question(self):
        """However the model was brought to it: nobody can be asked here."""
        before = self.components("N001")
        orders = [number for number, one in enumerate(before, 1) if one["type"] == "paragraph"][:1] * 5
        edits = [call("edit_component", {"node_id": "N001", "component_order": order, "new_parameters": {"text": "v%d" % number}})
                 for number, order in enumerate(orders)]
        empty = call("edit_component", {"node_id": "N001", "component_order": orders[0], "new_parameters": {"text": ""}})
        async with self.old_client() as client:
            self.play(*[answer(edit) for edit in edits], answer(empty), answer(text("I replaced what I could.")))
            heard = await self.say(client, "Rewrite all.")
        results = [str(message["result"]) for message in heard if message["type"] == "tool_executed"]
        self.assertEqual(["at most 3 components" in result for result in results], [False] * 3 + [True] * 2 + [False])
        self.assertIn("approval", results[-1])
        self.assertIn("At most 3 components or titles are replaced", heard[-1]["content"])
        self.assertEqual(self.components("N001")[orders[0] - 1]["parameters"]["text"], "v2")

    async def test_the_legacy_chat_knows_no_approval(self):
        before = self.components("N001")
        async with self.old_client() as client:
            self.play(answer(call("delete_component", {"node_id": "N001", "component_order": 1})), answer(text("Not done.")))
            heard = await self.say(client, "Delete it.")
            self.assertEqual(heard[-1]["type"], "ai_response")
            self.assertIn("Not done.", heard[-1]["content"])
            await client.send(json.dumps({"type": "chat_message", "content": 7}))
            bad = json.loads(await asyncio.wait_for(client.recv(), chat_case.SECONDS))
            self.assertEqual(bad["type"], "error")
        self.assertEqual(self.components("N001"), before)


class Endings(chat_case.ChatCase):
    async def test_a_session_deleted_in_the_midst(self):
        """Its pages are told, runs under way end with the reason, and what is asked afterwards is refused; others go on."""
        page, other = await self.page(), await self.page(sid=self.workspace.load(chat_case.DEMO_FILE))
        deleted = threading.Event()
        self.play(answer(text("Half of it "), gate(deleted), call("query_graph", {"query": "counts"})))
        start, run_id = await page.send_input("Talk.")
        await page.wait_for(lambda: any(event["type"] == "TEXT_MESSAGE_CONTENT" for event in page.events[start:]), "text")
        self.http("DELETE", "/session/" + self.sid)
        await page.wait_for(lambda: any(event["type"] == "CUSTOM" and '"session"' in json.dumps(event["value"])
                                        for event in page.events[start:]), "the news")
        deleted.set()
        run = await page.run_from(start, run_id)
        self.assertEqual(run.outcome, "error")
        self.assertIn("was deleted by rest", run.error)
        self.assertIn("was deleted by rest", (await page.ask("And now?")).error)
        self.play(answer(text("Yes.")))
        self.assertEqual((await other.ask("Still there?")).text, "Yes.")

    async def test_a_conversation_that_comes(self):
        """It stands in the list of each page of the session, of one that is idle and of one during a run; once."""
        def listed(events):
            return [[thread["title"] for thread in event["snapshot"]["threads"]] for event in events
                    if event["type"] == "STATE_SNAPSHOT"]
        idle, busy, other = await self.page(), await self.page(), await self.page(sid=self.workspace.load(chat_case.DEMO_FILE))
        self.play(answer(text("A long talk."), hold()), answer(text("Here.")), answer(text("There.")))
        seen, start = len(idle.events), len(busy.events)
        _, run_id = await busy.send_input("Talk of fractions.")
        await busy.wait_for(lambda: listed(busy.events[start:]), "the list, in the run")
        await busy.wait_for(lambda: any(event["type"] == "TEXT_MESSAGE_CONTENT" for event in busy.events[start:]), "its answer, before others ask")
        live = await idle.run_from(seen)
        self.assertEqual(listed(live.events), [["Talk of fractions."]])
        self.assertEqual(live.events[-1]["outcome"], {"type": "success"})
        one = await self.page()
        self.assertEqual([thread["thread_id"] for thread in one.state["threads"]], [busy.thread_id])
        seen, middle = len(idle.events), len(busy.events)
        await one.ask("Is anybody here?")
        self.assertEqual(sorted(listed((await idle.run_from(seen)).events)[0]), ["Is anybody here?", "Talk of fractions."])
        await busy.wait_for(lambda: listed(busy.events[middle:]), "the list, in the run")
        self.assertNotIn("RUN_FINISHED", [event["type"] for event in busy.events[start:]])
        await one.ask("And now?")  # nothing new in the list
        await idle.quiet()
        await other.quiet()
        await busy.stop(run_id)
        self.assertEqual((await busy.run_from(start, run_id)).outcome, "cancelled")

    async def test_a_thread_outlives_the_server(self):
        page = await self.page()
        self.play(answer(text("I count."), call("query_graph", {"query": "counts"})), answer(text("Forty.")))
        await page.ask("How many nodes?")
        await page.close()
        await self.restart()
        page = await self.page(page.thread_id)
        messages = next(event["messages"] for event in page.greeting.events if event["type"] == "MESSAGES_SNAPSHOT")
        self.assertEqual([message["role"] for message in messages], ["user", "assistant", "tool", "assistant", "activity"])
        self.assertEqual(messages[0]["content"], "How many nodes?")
        self.assertIn("Forty.", messages[3]["content"])
        self.assertEqual((messages[4]["activityType"], messages[4]["content"]["requests"]), ("lectern.usage", 2))
        self.assertIn(page.thread_id, [thread["thread_id"] for thread in page.state["threads"]])
        self.play(answer(text("Still forty.")))
        self.assertEqual((await page.ask("And now?")).text, "Still forty.")
        self.assertIn("How many nodes?", json.dumps(self.requests()[-1].json["messages"]))

    async def test_a_thread_outlives_kill_9(self):
        """In the midst of a run: what was told to the page before is there, and the thread can be asked on."""
        page = await self.page()
        self.play(answer(text("I count."), call("query_graph", {"query": "counts"})), answer(*SLOW))
        start, _ = await page.send_input("How many nodes?")
        await page.wait_for(lambda: "Half of it" in "".join(event.get("delta", "") for event in page.events[start:]), "text")
        self.server.kill()
        type(self).logs += self.server.lines
        self.start_server()
        page = await self.page(page.thread_id)
        messages = next(event["messages"] for event in page.greeting.events if event["type"] == "MESSAGES_SNAPSHOT")
        self.assertEqual([message["role"] for message in messages[:3]], ["user", "assistant", "tool"])
        self.play(answer(text("Forty.")))
        self.assertEqual((await page.ask("Go on.")).text, "Forty.")

    async def test_the_end_in_the_midst_of_a_run(self):
        page = await self.page()
        self.play(answer(*SLOW))
        start, _ = await page.send_input("Talk.")
        await page.wait_for(lambda: any(event["type"] == "TEXT_MESSAGE_CONTENT" for event in page.events[start:]), "text")
        await self.restart()
        await page.wait_for(lambda: not page.open, "the end of the socket")
        self.assertEqual(page.socket.close_code, 1001)

    async def test_without_a_key(self):
        """The page and all else work; a question says what to set."""
        workspace = ChatWorkspace()
        server = serve(workspace)
        try:
            sid = workspace.load(chat_case.DEMO_FILE)
            page = chat_case.Page(server.port, sid)
            async with page:
                self.assertFalse(page.state["model"]["ready"])
                self.assertIn("ANTHROPIC_API_KEY", page.state["model"]["advice"])
                run = await page.ask("Hello?")
                self.assertIn("ANTHROPIC_API_KEY", run.error)
                start = len(page.events)
                self.assertEqual(server.http("PUT", "/session/%s/nodes/N001" % sid, {"title": "x"})[0], 200)
                self.assertTrue((await page.run_from(start)).custom("lectern.change"))
            self.assertEqual(self.frame_check.faults([page.frames], page.inputs), [])
            self.assertEqual(server.http("GET", "/")[0], 200)
        finally:
            self.assertEqual(server.close(), 0)
            workspace.close()


if __name__ == "__main__":
    unittest.main()
