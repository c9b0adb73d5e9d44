# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions of the chat that the roles answer (mcp/chat/run_solve.c): their statuses, the steps and the task that a page sees, approval of
an edit that they propose, Stop in each role, and the loop beside them."""
import asyncio
import json
import os
import tempfile
import unittest

import chat_case
from chat_case import answer, text
from role_model import ROLES, Case, Roles, forced_tool
from replay_model import fail, hold

NODES = "How many nodes does this curriculum have?"
COUNT = "import json\nfrom code_helpers import get_nodes\nprint(json.dumps(len(get_nodes())))"
SLEEP = "import time\ntime.sleep(4)\nprint(1)"
RENAME = '[{"op": "rename_node", "node_id": "N001", "title": "Another title"}]'
BY_ROLES, BY_LOOP = ({"forwardedProps": {"lectern": {"solve": chosen}}} for chosen in (True, False))
FORCED = {role: tool for tool, role in ROLES.items()}


class ChatRoles(Roles):
    """The roles; a request without a forced tool is the loop's, and is answered by `said`."""

    said = "From the loop."

    def play(self, request):
        return super().play(request) if forced_tool(request) else answer(text(self.said))


class SolveCase(chat_case.ChatCase):
    words = ("--planner", "model", "--timeout", "10")
    chosen = BY_ROLES

    @classmethod
    def make_model(cls):
        return ChatRoles()

    def setUp(self):
        super().setUp()
        self.model.script.clear()
        self.model.sent.clear()

    async def asyncTearDown(self):
        self.model.check()
        await super().asyncTearDown()

    def have(self, *broken, plan=None, program=COUNT):
        case = Case(NODES, "number", program, broken, plan, key="nodes")
        self.model.cases, self.model.by_question = {case.key: case}, {case.question: case}

    async def solve(self, *broken, page=None, **more):
        self.have(*broken, **more)
        page = page or await self.page()
        return page, await page.ask(NODES, more=self.chosen)

    def task(self, run):
        [task] = run.custom("lectern.task")
        return task

    def kinds(self, run):
        return [entry["kind"] for entry in self.task(run)["entries"] if entry["kind"] != "request"]

    def steps(self, run):
        began = [event["stepName"] for event in run.events if event["type"] == "STEP_STARTED"]
        self.assertEqual(began, [event["stepName"] for event in run.events if event["type"] == "STEP_FINISHED"])
        return began

    async def messages(self, page):
        """Those that a page receives which comes anew."""
        again = await self.page(page.thread_id)
        found = next(event["messages"] for event in again.greeting.events if event["type"] == "MESSAGES_SNAPSHOT")
        await again.close()
        return found

    async def check_kept(self, page, run):
        """A reload shows the same answer and task."""
        messages = await self.messages(page)
        self.assertEqual([message["content"] for message in messages if message["role"] == "assistant"], [run.text])
        self.assertEqual([message["content"] for message in messages if message.get("activityType") == "lectern.task"], [self.task(run)])


class Statuses(SolveCase):
    async def test_solved(self):
        page, run = await self.solve()
        self.assertEqual((run.outcome, run.end["result"]), ("success", {"status": "solved"}))
        self.assertEqual(run.text, "Computed: nodes is 40")
        self.assertEqual(self.kinds(run), ["task", "plan", "code", "execution", "answer"])
        self.assertEqual(self.steps(run), ["reader", "planner", "coder", "executor: attempt 1 of 3", "answer: attempt 1 of 3"])
        task = self.task(run)
        self.assertEqual((task["status"], task["cut"], task["id"]), ("solved", False, next(iter(run.texts))))
        requests = [entry for entry in task["entries"] if entry["kind"] == "request"]
        self.assertEqual([(entry["role"], entry["model"]) for entry in requests], [(role, "played") for role in ("planner", "coder", "answer")])
        [usage] = run.end["usage"]
        self.assertEqual((usage["model"], usage["inputTokens"]), ("played", sum(entry["usage"]["input"] for entry in requests)))
        self.assertEqual(run.custom("lectern.usage")[-1]["requests"], 3)
        await self.check_kept(page, run)

    async def test_repaired(self):
        page, run = await self.solve("print(1 / 0)", "print(2 / 0)")
        self.assertEqual(run.end["result"], {"status": "solved"})
        self.assertEqual(self.kinds(run).count("code"), 3)
        self.assertEqual([step for step in self.steps(run) if step.startswith("executor")], ["executor: attempt %d of 3" % n for n in (1, 2, 3)])
        sources = [entry["message"]["source"] for entry in self.task(run)["entries"] if entry["kind"] == "code"]
        self.assertEqual(sources, ["print(1 / 0)", "print(2 / 0)", COUNT])
        await self.check_kept(page, run)

    async def test_failed(self):
        """The attempts are kept, and the same question may be asked again."""
        before = self.gauges()['lectern_chat_answers_total{ended="failed"}']
        page, run = await self.solve(*["print(%d / 0)" % number for number in range(3)])
        self.assertEqual((run.outcome, run.end["code"]), ("error", "code_failed"))
        self.assertIn("ZeroDivisionError", run.text)
        self.assertIn("Open points:\n- nodes", run.text)
        await self.check_kept(page, run)
        self.have()
        again = await page.ask(more={**BY_ROLES, "messages": page.history[:1]})
        self.assertEqual(again.end["result"], {"status": "solved"})
        self.assertEqual(self.gauges()['lectern_chat_answers_total{ended="failed"}'], before + 1)

    async def test_partial(self):
        plan = {"approach": "code", "steps": [{"name": "nodes", "compute": "the number of nodes", "type": "number"},
                                              {"name": "titles", "compute": "all titles", "type": "list"}]}
        broken = ["import json\nprint(json.dumps({'nodes': 40}))\nprint(%d / 0)" % number for number in range(3)]
        page, run = await self.solve(*broken, plan=plan)
        self.assertEqual((run.outcome, run.end["result"]), ("success", {"status": "partial"}))
        self.assertIn("Open points:\n- titles: all titles", run.text)
        self.assertEqual([limit["limit"] for limit in run.custom("lectern.limit")], ["partial"])
        await self.check_kept(page, run)

    async def test_the_loop_answers_without_a_plan(self):
        """It sees the conversation, the planner does not."""
        prose = [answer(text("I would rather talk.")) for _ in range(2)]
        for plan, script in (({"approach": "ask", "text": "Of which lessons?"}, None), ({"approach": "refuse", "text": "No."}, None),
                             ({"approach": "edit", "operations": '[{"op": "rename_node", "node_id": "N999", "title": "A"}]'}, None),
                             (None, lambda _: prose.pop())):
            with self.subTest(plan):
                if script:
                    self.model.script["planner"] = script
                page, run = await self.solve(plan=plan)
                self.assertEqual((run.outcome, run.text, run.custom("lectern.task")), ("success", "From the loop.", []))
                self.assertEqual([limit["limit"] for limit in run.custom("lectern.limit")], ["roles"])
                notes = [message["content"]["kind"] for message in await self.messages(page) if message.get("activityType") == "lectern.note"]
                self.assertIn("roles", notes)
                self.assertEqual((await page.ask("And now?", more=BY_LOOP)).text, "From the loop.")

    async def test_a_service_that_fails(self):
        self.model.script["planner"] = lambda _: fail(401, "authentication_error", "no")
        _, run = await self.solve()
        self.assertEqual(run.outcome, "error")
        self.assertEqual(self.task(run)["status"], "failed")

    async def test_a_question_that_is_too_long(self):
        page = await self.page()
        run = await page.ask("Why? " * 2000, more=BY_ROLES)
        self.assertEqual(run.outcome, "error")
        self.assertIn("8192 bytes", run.error)

    async def test_a_large_task_is_cut(self):
        program = "import json\nfrom code_helpers import get_nodes\nprint(json.dumps(40))\n"
        page, run = await self.solve("print(1 / 0)  # %s\n" % ("long " * 8000), program=program + "#" * 40000)
        task = self.task(run)
        self.assertEqual((task["status"], task["cut"]), ("solved", True))
        self.assertLess(len(json.dumps(task)), 128 << 10)
        self.assertEqual([len(entry["message"]["source"]) for entry in task["entries"] if entry["kind"] == "code"], [8 << 10] * 2)
        await self.check_kept(page, run)


class Switch(SolveCase):
    async def test_the_loop_sees_the_answer(self):
        page, first = await self.solve()
        run = await page.ask("And of those, which is the first?", more=BY_LOOP)
        self.assertEqual((run.text, run.end.get("result"), run.custom("lectern.task")), ("From the loop.", None, []))
        self.assertEqual(self.steps(run), ["turn 1"])
        sent = self.requests()[-1].json["messages"]
        self.assertEqual([message["role"] for message in sent], ["user", "assistant", "user"])
        self.assertIn(first.text, json.dumps(sent[1]))

    async def test_the_roles_do_not_see_the_thread(self):
        page = await self.page()
        await page.ask("A word that nobody else says: quetzal.", more=BY_LOOP)
        _, run = await self.solve(page=page)
        self.assertEqual(run.end["result"], {"status": "solved"})
        asked = [json.dumps(request.json) for request in self.requests() if forced_tool(request)]
        self.assertFalse([words for words in asked if "quetzal" in words])

    async def test_without_a_word_the_loop_answers(self):
        page = await self.page()
        self.assertIs(page.state["solve"], False)
        self.assertEqual((await page.ask(NODES)).text, "From the loop.")

    async def test_a_wrong_switch_is_refused(self):
        page = await self.page()
        run = await page.ask(NODES, more={"forwardedProps": {"lectern": {"solve": "yes"}}})
        self.assertIn("forwardedProps.lectern.solve", run.error)


class Default(SolveCase):
    words = (*SolveCase.words, "--chat-solve", "on")
    chosen = None

    async def test_without_a_word_the_roles_answer(self):
        page, run = await self.solve()
        self.assertIs(page.state["solve"], True)
        self.assertEqual(run.end["result"], {"status": "solved"})
        self.assertEqual((await page.ask("Hello", more=BY_LOOP)).text, "From the loop.")

    async def test_the_loop_answers_the_old_wire(self):
        import web_sockets
        async with web_sockets.connect("ws://127.0.0.1:%d/mcp-sync?session_id=%s" % (self.server.port, self.sid)) as client:
            await client.send(json.dumps({"type": "chat_message", "content": NODES, "context": {"session_id": self.sid}}))
            heard = {}
            while heard.get("type") not in ("ai_response", "error"):
                heard = json.loads(await asyncio.wait_for(client.recv(), chat_case.SECONDS))
        self.assertEqual(heard.get("content"), "From the loop.")

    async def test_a_null_character(self):
        page = await self.page()
        self.have()
        self.assertEqual((await page.ask(NODES + "\0")).text, "Computed: nodes is 40")


class CheapPlanner(SolveCase):
    """A planner with another model: the figures favour the roles."""
    words = (*SolveCase.words, "--role", "planner=small")
    chosen = None

    async def test_without_a_word_the_roles_answer(self):
        page, run = await self.solve()
        self.assertIs(page.state["solve"], True)
        self.assertEqual(run.end["result"], {"status": "solved"})


class Off(SolveCase):
    words = (*CheapPlanner.words, "--chat-solve", "off")
    chosen = None

    async def test_without_a_word_the_loop_answers(self):
        page, run = await self.solve()
        self.assertIs(page.state["solve"], False)
        self.assertEqual(run.text, "From the loop.")

    def test_a_wrong_word(self):
        done = self.workspace.run("serve", "--port", "0", "--chat-solve", "always", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"--chat-solve must be auto, on or off, not 'always'", done.stderr)


class Priced(SolveCase):
    """Two models, with prices for both."""

    @classmethod
    def setUpClass(cls):
        prices = {"currency": "EUR", "models": {name: {"input": price, "output": 0, "cache_read": 0, "cache_write": 0}
                                                for name, price in (("played", 100), ("small", 10))}}
        with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
            json.dump(prices, file)
        cls.addClassCleanup(os.unlink, file.name)
        cls.words = (*SolveCase.words, "--role", "planner=small", "--prices", file.name)
        super().setUpClass()

    async def test_the_cost_and_the_usage_of_each_model(self):
        _, run = await self.solve()
        entries = self.task(run)["entries"]
        requests = [entry for entry in entries if entry["kind"] == "request"]
        self.assertEqual([entry["model"] for entry in requests], ["small", "played", "played"])
        for entry in requests:
            self.assertAlmostEqual(entry["cost"], entry["usage"]["input"] * (10 if entry["model"] == "small" else 100) / 1e6)
        cost = entries[-1]["message"]["cost"]
        self.assertEqual(cost["currency"], "EUR")
        self.assertAlmostEqual(cost["amount"], sum(entry["cost"] for entry in requests))
        self.assertEqual({usage["model"]: usage["inputTokens"] for usage in run.end["usage"]},
                         {"small": requests[0]["usage"]["input"], "played": sum(entry["usage"]["input"] for entry in requests[1:])})


class Proposals(SolveCase):
    async def propose(self, operations=RENAME):
        page, run = await self.solve(plan={"approach": "edit", "operations": operations})
        return page, run

    def title(self):
        return next(node["title"] for node in self.http("GET", "/session/%s/nodes" % self.sid)["nodes"] if node["node_id"] == "N001")

    async def test_approved(self):
        before = self.title()
        page, run = await self.propose()
        self.assertEqual(run.outcome, "interrupt")
        [interrupt] = run.interrupts
        self.assertIn("Another title", json.dumps(interrupt["metadata"]["changes"]))
        self.assertEqual(self.title(), before)
        run = await page.answer(interrupt, True)
        self.assertEqual((run.outcome, run.text), ("success", "The proposed change is made."))
        self.assertEqual(self.title(), "Another title")
        self.assertEqual(len(self.requests()), 1)
        run = await page.ask("Thank you.", more=BY_LOOP)
        self.assertEqual(run.text, "From the loop.")

    async def test_declined(self):
        before = self.title()
        page, run = await self.propose()
        run = await page.answer(run.interrupts[0], False)
        self.assertEqual((run.outcome, run.text, self.title()), ("success", "The proposed change was not made.", before))

    async def test_another_question_instead(self):
        before = self.title()
        page, _ = await self.propose()
        run = await page.ask("Never mind.", more=BY_LOOP)
        self.assertEqual((run.text, self.title()), ("From the loop.", before))
        page, _ = await self.propose()
        _, run = await self.solve(page=page)
        self.assertEqual((run.end["result"], self.title()), ({"status": "solved"}, before))

    async def test_one_that_cannot_be_made(self):
        """The loop can read the lessons, and finds the one that was meant."""
        _, run = await self.propose(RENAME.replace("N001", "N999"))
        self.assertEqual((run.outcome, run.text, run.interrupts), ("success", "From the loop.", []))


class Stop(SolveCase):
    async def stop_in(self, page, step):
        start, run_id = await page.send_input(NODES, more=BY_ROLES)
        await page.wait_for(lambda: any(event["type"] == "STEP_STARTED" and event["stepName"].startswith(step)
                                        for event in page.events[start:]), step)
        await page.stop(run_id)
        return await page.run_from(start, run_id)

    async def test_in_each_role(self):
        for role, step in (("planner", "planner"), ("coder", "coder"), ("debugger", "debugger"), ("answer", "answer")):
            with self.subTest(role):
                self.model.script.clear()
                self.model.sent.clear()
                self.model.script[role] = lambda _: answer(hold())
                self.have(*(["print(1 / 0)"] if role == "debugger" else []))
                page = await self.page()
                run = await self.stop_in(page, step)
                self.assertEqual(run.outcome, "cancelled")
                self.assertEqual(self.task(run)["status"], "cancelled")
                await self.check_kept(page, run)
                asked = [request for request in self.requests() if forced_tool(request) == FORCED[role]]
                await self.eventually(lambda: asked[-1].closed is not None, "the end of the request")

    async def test_in_the_executor(self):
        page = await self.page()
        self.have(program=SLEEP)
        run = await self.stop_in(page, "executor")
        self.assertEqual((run.outcome, self.task(run)["status"]), ("cancelled", "cancelled"))
        await self.eventually(lambda: "lectern_runs_running 0" in self.server.http("GET", "/metrics")[1].decode(), "the end of the program")

    async def held(self):
        """A page whose question is with the planner."""
        self.model.script["planner"] = lambda _: answer(hold())
        self.have()
        page = await self.page()
        await page.send_input(NODES, more=BY_ROLES)
        await page.wait_for(lambda: any(event.get("stepName") == "planner" for event in page.events), "the planner")
        return page

    async def check_stopped(self, page):
        """The thread says so, and the question can be asked again."""
        notes = [message["content"] for message in await self.messages(page) if message.get("activityType") == "lectern.note"]
        self.assertEqual([note["kind"] for note in notes], ["stopped"])
        self.model.script.clear()
        again = await self.page(page.thread_id)
        run = await again.ask(more={**BY_ROLES, "messages": page.history[:1]})
        self.assertEqual(run.end["result"], {"status": "solved"})

    async def test_the_page_leaves(self):
        page = await self.held()
        await page.close()
        await self.nothing_left()
        await self.check_stopped(page)

    async def test_the_server_stops(self):
        page = await self.held()
        await self.restart()
        await self.check_stopped(page)


if __name__ == "__main__":
    unittest.main()
