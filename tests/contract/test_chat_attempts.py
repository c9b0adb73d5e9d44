# SPDX-License-Identifier: GPL-3.0-or-later
"""The attempts at the code of one question in the chat: a program that failed does not run again, which failures count, what the model is
asked for after each of them, and how the question ends."""
import json
import re
import unittest

import chat_case
from chat_case import results_of, result_text
from replay_model import answer, call, text

NAME_ERROR = "total = unknown + 1\nprint(total)\n"
SAME_BUT_FOR_LAYOUT = '# Second try, "corrected".\ntotal = (unknown + 1)\n\n\nprint( total, )   # the total\n'


def code(program, ident):
    return call("execute_code", {"code": program}, id=ident)


def batch(ident, **programs):
    return call("execute_code", {"batch": [{"name": name, "code": program} for name, program in programs.items()]}, id=ident)


class AttemptsCase(chat_case.ChatCase):
    most = 3

    def started(self):
        """Programs that the executor has taken."""
        return int(re.search(r"lectern_run_attempts_total (\d+)", self.server.http("GET", "/metrics")[1].decode())[1])

    async def ask(self, page, *answers, question="Compute it."):
        """The run, how many programs were started for it, and the result of each call that the model received."""
        before = self.started()
        self.play(*[answer(*(parts if isinstance(parts, tuple) else (parts,))) for parts in answers])
        run = await page.ask(question)
        sent = {}
        for request in self.requests():
            sent.update({ident: result_text(block) for ident, block in results_of(request.json).items()})
        return run, self.started() - before, sent

    async def notes(self, page):
        """Those of the thread as a page that comes anew sees it."""
        again = await self.page(page.thread_id)
        messages = next(event["messages"] for event in again.greeting.events if event["type"] == "MESSAGES_SNAPSHOT")
        await again.close()
        return {message["content"]["kind"]: message["content"]["text"] for message in messages
                if message.get("activityType") == "lectern.note"}

    def limits(self, run):
        return {limit["limit"]: limit["message"] for limit in run.custom("lectern.limit")}

    def failing(self, count):
        return [code("print(1 // 0 + %d)" % number, "toolu_%d" % number) for number in range(count)]

    async def check_last(self):
        """As many failures as are allowed; then the model gets no more tools."""
        page = await self.page()
        self.assertEqual(page.state["repairs"], self.most - 1)
        run, started, sent = await self.ask(page, *self.failing(self.most), text("Partial answer: nothing."))
        self.assertEqual(started, self.most)
        self.assertEqual(self.requests()[-1].json["tool_choice"], {"type": "none"})
        self.assertEqual([request.json.get("tool_choice") for request in self.requests()[:-1]], [None] * self.most)
        self.assertIn("After %d failed attempt" % self.most, json.dumps(self.requests()[0].json["system"]))
        self.assertEqual([seen.metadata["repairsMax"] for seen in run.calls.values()], [self.most - 1] * self.most)
        self.assertEqual((run.outcome, run.events[-1]["code"]), ("error", "code_failed"))
        self.assertIn("attempt %d of %d" % (self.most, self.most), self.limits(run)["attempts"])
        return sent


class Attempts(AttemptsCase):
    async def test_the_same_program_does_not_run_again(self):
        page = await self.page()
        run, started, sent = await self.ask(page, code(NAME_ERROR, "toolu_a"), code(SAME_BUT_FOR_LAYOUT, "toolu_b"),
                                            code("print(41 + 1)", "toolu_c"), text("42."))
        self.assertEqual(started, 2)
        self.assertTrue(sent["toolu_b"].startswith("Not run: "), sent["toolu_b"])
        self.assertIn("NameError: name 'unknown' is not defined", sent["toolu_b"].splitlines()[0])
        self.assertIn("Attempt 3 of 3 is next", sent["toolu_b"])
        self.assertEqual([seen.metadata["repair"] for seen in run.calls.values()], [0, 1, 2])
        self.assertEqual([seen.metadata["isError"] for seen in run.calls.values()], [True, True, False])
        self.assertEqual((run.outcome, run.events[-1].get("result")), ("success", None))

    async def test_the_same_program_without_end(self):
        page = await self.page()
        run, started, _ = await self.ask(page, *[code(NAME_ERROR, "toolu_%d" % number) for number in range(3)], text("I could not."))
        self.assertEqual((started, run.outcome, run.events[-1]["code"]), (1, "error", "code_failed"))

    async def test_the_same_program_that_is_refused_or_is_not_python(self):
        page = await self.page()
        run, started, sent = await self.ask(page, (code("import os", "toolu_a"), code("print 1", "toolu_b")),
                                            (code("import os  # please", "toolu_c"), code("print 1", "toolu_d")), text("No."))
        self.assertEqual((started, run.outcome), (0, "success"))
        for ident in ("toolu_c", "toolu_d"):
            self.assertTrue(sent[ident].startswith("Not run: "), sent[ident])

    async def test_an_edit_may_have_repaired_it(self):
        """And another question knows nothing of it."""
        page = await self.page()
        program = ("from code_helpers import get_node_content\n"
                   "assert 'By the model' in str(get_node_content('N001'))\nprint('good')\n")
        edit = call("add_component", {"node_id": "N001", "component_type": "paragraph", "parameters": {"text": "By the model."}})
        run, started, sent = await self.ask(page, code(program, "toolu_a"), edit, code(program, "toolu_b"), text("Good."))
        self.assertEqual((run.outcome, started), ("success", 2))
        self.assertTrue(sent["toolu_b"].startswith("good"), sent["toolu_b"])
        self.assertEqual((await self.ask(page, code(NAME_ERROR, "toolu_c"), text("No.")))[1], 1)
        self.assertEqual((await self.ask(page, code(NAME_ERROR, "toolu_d"), text("No.")))[1], 1)

    async def test_an_approval_does_not_begin_the_attempts_anew(self):
        """Neither in the same server nor in a later one."""
        delete = call("delete_component", {"node_id": "N001", "component_order": 1}, id="toolu_delete")
        for restarts in (False, True):
            page = await self.page()
            run, started, _ = await self.ask(page, code("print(5)", "toolu_ok"), code(NAME_ERROR, "toolu_a"), delete)
            self.assertEqual((run.outcome, started), ("interrupt", 2))
            if restarts:
                await self.restart()
                page = await self.page(page.thread_id)
            self.play(answer(code(SAME_BUT_FOR_LAYOUT, "toolu_b")), answer(code("print(1 // 0)", "toolu_c")), answer(text("5.")))
            before = self.started()
            run = await page.answer(run.interrupts[0], False)
            self.assertEqual(self.started() - before, 1)
            self.assertEqual([run.calls[ident].metadata["repair"] for ident in ("toolu_b", "toolu_c")], [1, 2])
            self.assertEqual(run.events[-1].get("result"), {"status": "partial"})

    async def test_the_second_failure_asks_for_another_approach(self):
        sent = await self.check_last()
        self.assertIn("Correct the cause of the error", sent["toolu_0"])
        self.assertNotIn("another approach", sent["toolu_0"])
        self.assertIn("must take another approach", sent["toolu_1"])
        for words in ("Run no more code", "best answer", "Partial answer:", "open points"):
            self.assertIn(words, sent["toolu_2"])

    async def test_earlier_results_make_a_partial_answer(self):
        page = await self.page()
        words = "Partial answer: 42 nodes.\n\nOpen points:\n- the total, because a name is unknown"
        run, started, _ = await self.ask(page, code("print(42)", "toolu_ok"), *self.failing(3), text(words))
        self.assertEqual((run.outcome, started, run.text), ("success", 4, words))
        self.assertEqual(run.events[-1]["result"], {"status": "partial"})
        note = self.limits(run)["partial"]
        self.assertTrue(note.startswith("Partial answer"), note)
        self.assertEqual(note, note.strip())
        self.assertEqual(len(re.findall(r"^- attempt [123]: .*ZeroDivisionError", note, re.MULTILINE)), 3)
        self.assertEqual((await self.notes(page))["partial"], note)

    async def test_a_batch_is_one_attempt(self):
        """Each of its programs is looked at: the one that failed does not run again, and the others do."""
        page = await self.page()
        run, started, sent = await self.ask(
            page, batch("toolu_a", good="print(1)", bad=NAME_ERROR, worse="print(1 // 0)"),
            batch("toolu_b", again=SAME_BUT_FOR_LAYOUT, fresh="print(2)"), batch("toolu_c", one="print(3)", two="print(4)"),
            text("1, 2, 3 and 4."))
        self.assertEqual((run.outcome, started), ("success", 6))
        self.assertIn("Attempt 2 of 3 is next", sent["toolu_a"])
        parts = sent["toolu_b"].split("== fresh ==\n")
        self.assertTrue(parts[0].startswith("== again ==\nNot run: "), sent["toolu_b"])
        self.assertTrue(parts[1].startswith("2\n"), sent["toolu_b"])
        self.assertIn("Attempt 3 of 3 is next", sent["toolu_b"])
        self.assertNotIn("Attempt", sent["toolu_c"])

    async def test_the_log_says_which_attempt_it_was(self):
        page = await self.page()
        await self.ask(page, code("import os, sys", "toolu_a"), code("print(1 // 0)", "toolu_b"), code("print(7)", "toolu_c"), text("7."))
        await self.restart()
        lines = [line for line in self.logs if " run: verdict=" in line][-3:]
        self.assertEqual([re.search(r"verdict=(\w+).* attempt=(\d/\d)$", line.strip()).groups() for line in lines],
                         [("refused", "1/3"), ("accepted", "2/3"), ("accepted", "3/3")])


class One(AttemptsCase):
    words, most = ("--attempts", "1"), 1

    async def test_the_first_failure_is_the_last(self):
        sent = await self.check_last()
        self.assertIn("Attempt 1 of 1 was the last", sent["toolu_0"])


class Five(AttemptsCase):
    words, most = ("--attempts", "5"), 5

    async def test_five_failures(self):
        sent = await self.check_last()
        self.assertEqual(["another approach" in sent["toolu_%d" % number] for number in range(5)], [False, True, True, True, False])

    def test_more_are_refused(self):
        run = self.workspace.run("serve", "--attempts", "6", check=False)
        self.assertEqual(run.returncode, 2)
        self.assertRegex(run.stderr.decode(), "attempts.* 1 .* 5")


class NoEngine(AttemptsCase):
    words = ("--sandbox", "docker", "--docker-host", "unix:///nonexistent/docker.sock")

    async def test_an_engine_that_does_not_work_counts_no_attempt(self):
        """The same program may be sent again as often as the model likes."""
        page = await self.page()
        run, started, sent = await self.ask(page, *[code("print(1)", "toolu_%d" % number) for number in range(5)], text("Later."))
        self.assertEqual((run.outcome, started), ("success", 5))
        self.assertEqual([seen.metadata["category"] for seen in run.calls.values()], ["engine"] * 5)
        self.assertEqual([seen.metadata["repair"] for seen in run.calls.values()], [0] * 5)
        self.assertFalse([words for words in sent.values() if "Attempt" in words or "Not run" in words])


if __name__ == "__main__":
    unittest.main()
