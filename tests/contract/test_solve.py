# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions solved by planner, coder, sandbox and debugger: `lectern solve` in front of a model that plays the roles."""
import os
import signal
import subprocess
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import harness
from solve_case import (EXITS, KEY, Case, SolveCase, answer, call, drop, executions, fail, forced_tool, gate, hold, kinds, requests, text)

NODES = "How many nodes does this curriculum have?"
COUNT = "import json\nfrom code_helpers import get_nodes\nprint(json.dumps(len(get_nodes())))"
ZERO = "print(1 / 0)"
PLAN_BY_MODEL = ("--planner", "model")


def nodes(*broken, plan=None):
    return Case(NODES, "number", COUNT, broken, plan, key="nodes")


class Tasks(SolveCase):
    """The way of a task, its statuses and exit statuses."""

    options = PLAN_BY_MODEL

    def test_a_program_that_is_right_at_once(self):
        model = self.play(nodes())
        found, trace = self.ended(model, NODES, "solved")
        self.assertEqual(kinds(trace), ["task", "plan", "code", "execution", "answer"])
        self.assertEqual((found["values"], found["attempts"], found["open"], found["bound"]), ({"nodes": 40}, 1, [], None))
        self.assertEqual([entry["role"] for entry in requests(trace)], ["planner", "coder", "answer"])
        ledger = {role: (book.requests, book.input, book.output) for role, book in model.ledger.items()}
        self.assertEqual({role: (1, entry["usage"]["input"], entry["usage"]["output"])
                          for entry in requests(trace) for role in [entry["role"]]}, ledger)
        self.assertEqual(found["usage"]["requests"], 3)
        self.assertEqual(found["usage"]["input"], sum(book.input for book in model.ledger.values()))
        model.check()

    def test_repairs_by_a_model(self):
        model = self.play(nodes(ZERO, "print(2 / 0)"))
        found, trace = self.ended(model, NODES, "solved")
        self.assertEqual(found["attempts"], 3)
        self.assertEqual(kinds(trace), ["task", "plan", "code", "execution", "diagnosis", "code", "execution", "diagnosis", "code",
                                        "execution", "answer"])
        programs = [entry["message"] for entry in trace if entry["kind"] == "code"]
        self.assertEqual([program["attempt"] for program in programs], [1, 2, 3])
        self.assertEqual(len({program["hash"] for program in programs}), 3)
        self.assertEqual([execution["ok"] for execution in executions(trace)], [False, False, True])
        self.assertEqual(executions(trace)[0]["error"]["errorCategory"], "runtime")
        self.assertEqual(executions(trace)[0]["error"]["context"]["errorType"], "ZeroDivisionError")
        model.check()

    def test_repairs_by_rule_need_no_model(self):
        model = self.play(nodes("```python\n" + COUNT.replace("import json\n", "") + "\n```"))
        found, trace = self.ended(model, NODES, "solved")
        diagnoses = [entry["message"] for entry in trace if entry["kind"] == "diagnosis"]
        self.assertEqual({diagnosis["by"] for diagnosis in diagnoses}, {"rule"})
        self.assertEqual(found["values"], {"nodes": 40})
        self.assertEqual(requests(trace, "debugger"), [])

    def test_every_attempt_fails(self):
        for most in (1, 3, 5):
            with self.subTest(most):
                model = self.play(nodes(*["print(%d / 0)" % number for number in range(9)]))
                found, trace = self.ended(model, NODES, "failed", "--attempts", str(most))
                self.assertEqual((found["attempts"], found["values"], len(found["open"])), (most, None, 1))
                self.assertIn("ZeroDivisionError", found["text"])
                self.assertEqual(kinds(trace).count("execution"), most)
                self.assertEqual(model.ledger["debugger"].requests, most - 1)
                model.check()

    def test_the_third_attempt_must_take_another_way(self):
        model = self.play(nodes(ZERO, "print(2 / 0)"))
        self.ended(model, NODES, "solved")
        asked = [request for request in model.requests if forced_tool(request) == "diagnosis"]
        words = [str(request.json["messages"]) for request in asked]
        self.assertNotIn("another approach", words[0])
        self.assertIn("another approach", words[1])

    def test_the_same_program_does_not_run_again(self):
        again = "# the same\nprint( 1/0 )"
        model = self.play(nodes(ZERO, again, again))
        found, trace = self.ended(model, NODES, "stuck")
        self.assertEqual(kinds(trace).count("execution"), 1)
        self.assertIn("same program", found["text"])
        model = self.play(nodes(ZERO, again, "print(3 / 0)"))
        found, trace = self.ended(model, NODES, "solved")
        self.assertEqual([entry["outcome"] for entry in requests(trace, "debugger")], ["fault", "message", "message"])
        model.check()

    def test_partial(self):
        plan = {"approach": "code", "steps": [{"name": "nodes", "compute": "the number of nodes", "type": "number"},
                                              {"name": "titles", "compute": "all titles", "type": "list"}]}
        broken = ["import json\nprint(json.dumps({'nodes': 40}))\nprint(%d / 0)" % number for number in range(3)]
        model = self.play(nodes(*broken, plan=plan))
        found, _ = self.ended(model, NODES, "partial")
        self.assertEqual((found["values"], found["open"]), ({"nodes": 40}, ["titles: all titles"]))
        model.check()

    def test_the_output_of_a_failed_program_is_no_value(self):
        model = self.play(nodes(*["print(41)\nprint(%d / 0)" % number for number in range(3)]))
        found, trace = self.ended(model, NODES, "failed")
        self.assertEqual((found["values"], [execution["result"] for execution in executions(trace)]), (None, [None] * 3))

    def test_an_output_that_was_cut(self):
        model = self.play(nodes("import json\nprint(json.dumps(list(range(100000))))"))
        _, trace = self.ended(model, NODES, "solved")
        self.assertIn("too long and was cut", executions(trace)[0]["error"]["context"]["message"])

    def test_a_value_of_another_type_is_a_failure(self):
        model = self.play(nodes("print('forty')"))
        found, trace = self.ended(model, NODES, "solved")
        self.assertEqual(found["attempts"], 2)
        self.assertIn("has no result", executions(trace)[0]["error"]["context"]["message"])

    def test_a_placeholder_is_refused_before_it_runs(self):
        model = self.play(nodes("# TODO\npass"))
        found, trace = self.ended(model, NODES, "solved")
        self.assertEqual((found["attempts"], [entry["outcome"] for entry in requests(trace, "coder")]), (1, ["fault", "message"]))
        model.check()

    def test_queries_questions_and_refusals(self):
        plans = (({"approach": "query", "query": {"query": "counts"}}, "solved"),
                 ({"approach": "query", "query": {"query": "needs", "node_id": "no such lesson"}}, "failed"),
                 ({"approach": "ask", "text": "Which of the two?"}, "ask"), ({"approach": "refuse", "text": "Not about it."}, "refused"))
        for plan, status in plans:
            with self.subTest(plan):
                model = self.play(nodes(plan=plan))
                found, trace = self.ended(model, NODES, status)
                self.assertNotIn("code", kinds(trace))
                self.assertEqual(found["text"], plan.get("text", found["text"]))
                self.assertEqual(model.ledger["coder"].requests, 0)

    def test_an_edit_is_proposed(self):
        before = self.workspace.run("export", self.sid).stdout
        operations = '[{"op": "rename_node", "node_id": "N001", "title": "Another title"}]'
        model = self.play(nodes(plan={"approach": "edit", "operations": operations}))
        found, _ = self.ended(model, NODES, "ask")
        self.assertIn("Proposed, not applied", found["text"])
        self.assertEqual(found["values"]["operations"][0]["title"], "Another title")
        self.assertEqual(self.workspace.run("export", self.sid).stdout, before)
        wrong = operations.replace("N001", "N999")
        found, _ = self.ended(self.play(nodes(plan={"approach": "edit", "operations": wrong})), NODES, "failed")
        self.assertIn("N999", found["text"])

    def test_an_answer_has_no_number_of_another_source(self):
        model = self.play(nodes())
        model.script["answer"] = lambda _: answer(call("answer", {"text": "There are 41 lessons."}))
        found, trace = self.ended(model, NODES, "solved")
        self.assertEqual([entry["outcome"] for entry in requests(trace, "answer")], ["fault", "fault"])
        self.assertEqual((found["text"], found["values"]), ("nodes: 40", {"nodes": 40}))

    def test_rules_alone_send_no_request(self):
        model = self.play(nodes())
        found, trace = self.ended(model, "Sing a song about lessons", "refused", "--planner", "rules")
        self.assertEqual((model.requests, kinds(trace), found["usage"]["requests"]), ([], ["task", "answer"], 0))

    def test_a_question_is_checked(self):
        for words, code in (([""], 2), ([" \n"], 2), (["x" * 9000], 2), ([], 2), (["a", "b"], 2)):
            done = self.workspace.run("solve", "--planner", "rules", "--sandbox", "process", *words, check=False)
            self.assertEqual((done.returncode, done.stdout), (code, b""), words)

    def test_no_model(self):
        environment = {name: value for name, value in self.workspace.environment().items() if not name.startswith("ANTHROPIC_")}
        done = subprocess.run([str(harness.LECTERN), "solve", "--sandbox", "process", "--planner", "model", NODES], env=environment,
                              capture_output=True, check=False, timeout=harness.ANSWER_SECONDS)
        self.assertEqual(done.returncode, 127)
        self.assertIn(b"ANTHROPIC_API_KEY", done.stdout)


class Bounds(SolveCase):
    """Each bound ends the task, is named, and leaves nothing running."""

    options = PLAN_BY_MODEL

    def over(self, bound, *words, broken=(), code=None, model=None):
        model = model or self.play(nodes(*broken))
        found, trace = self.ended(model, NODES, "over_budget", *words, code=code)
        self.assertEqual(found["bound"], bound)
        self.assertIn(bound, found["text"])
        model.check()
        return found, trace

    def test_requests(self):
        found, _ = self.over("requests", "--budget", "requests=1")
        self.assertEqual(found["usage"]["requests"], 1)
        self.over("requests", "--budget", "requests=3", broken=(ZERO, "print(2 / 0)"))

    def test_tokens(self):
        found, _ = self.over("input", "--budget", "input=1600")
        self.assertLessEqual(found["usage"]["input"], 1600)
        found, _ = self.over("output", "--budget", "output=70", broken=(ZERO, "print(2 / 0)"))
        self.assertLessEqual(found["usage"]["output"], 70 + 64)

    def test_the_answer_survives_the_budget(self):
        found, _ = self.ended(self.play(nodes()), NODES, "solved", "--budget", "requests=2")
        self.assertEqual((found["text"], found["values"]), ("nodes: 40", {"nodes": 40}))

    def test_cost(self):
        prices = os.path.join(self.workspace.data, "prices.json")
        with open(prices, "w", encoding="utf-8") as file:
            file.write('{"currency": "EUR", "models": {"played": {"input": 1000, "output": 1000, "cache_read": 1, "cache_write": 1}}}')
        found, trace = self.ended(self.play(nodes()), NODES, "solved", "--prices", prices)
        self.assertEqual(found["cost"]["currency"], "EUR")
        total = found["usage"]["input"] + found["usage"]["output"]
        self.assertAlmostEqual(found["cost"]["amount"], total / 1000, places=6)
        self.assertAlmostEqual(sum(entry["cost"] for entry in requests(trace)), total / 1000, places=6)
        found, _ = self.over("cost", "--prices", prices, "--budget", "cost=1.5")
        self.assertLessEqual(found["cost"]["amount"], 1.5)

    def test_seconds_in_each_role(self):
        for role in ("planner", "coder", "debugger"):
            with self.subTest(role):
                model = self.play(nodes(ZERO, "print(2 / 0)"))
                model.script[role] = lambda _: answer(hold())
                self.over("seconds", "--budget", "seconds=1", code=124, model=model)
        started = time.monotonic()
        self.over("seconds", "--budget", "seconds=1", "--timeout", "30", code=124, broken=("while True: pass",))
        self.assertLess(time.monotonic() - started, 25, "it waited for the end of the program")

    def test_messages_that_do_not_fit(self):
        wrong = ("prose", answer(text("I would compute it."))), ("shape", answer(call("plan", {"approach": "code", "steps": []}))), \
            ("half", answer(call("plan", {"approach": "code", "steps": [1, 2, 3]}, cut=20), drop())), \
            ("max_tokens", answer(call("plan", '{"approach": "co'), stop="max_tokens")), ("other tool", answer(call("code", {})))
        for name, one in wrong:
            with self.subTest(name):
                model = self.play(nodes())
                model.script["planner"] = lambda _, one=one: one
                found, trace = self.ended(model, NODES, "stuck")
                self.assertEqual(len(requests(trace, "planner")), 2, "asked once more")
                self.assertEqual(found["usage"]["requests"], 2)
                model = self.play(nodes())
                once = [one]
                model.script["planner"] = lambda _, once=once: once.pop() if once else None
                self.ended(model, NODES, "solved")

    def test_a_fault_is_named_to_the_model(self):
        model = self.play(nodes())
        once = [answer(call("plan", {"approach": "code", "steps": [{"name": "a", "compute": "b", "type": "int"}]}))]
        model.script["planner"] = lambda _: once.pop() if once else None
        self.ended(model, NODES, "solved")
        self.assertIn("plan.steps.0.type", str(model.requests[1].json["messages"][-1]))
        model.check()

    def test_refusals_and_overload(self):
        refusal = answer(stop="refusal", details={"category": "x", "explanation": "I would rather not."})
        busy = fail(529, "overloaded_error", "Overloaded", headers={"retry-after-ms": "5"})
        model = self.play(nodes())
        model.script["planner"] = lambda _: refusal
        found, _ = self.ended(model, NODES, "refused")
        self.assertIn("I would rather not.", found["text"])
        model = self.play(nodes())
        twice = [busy, busy]
        model.script["planner"] = lambda _: twice.pop() if twice else None
        _, trace = self.ended(model, NODES, "solved")
        self.assertEqual(requests(trace, "planner")[0]["retries"], 2)
        for one in (refusal, busy):
            model = self.play(nodes())
            model.script["planner"] = lambda request, one=one: one if request.json["model"] == "played" else None
            _, trace = self.ended(model, NODES, "solved", "--role", "escalate=stronger")
            self.assertEqual([entry["model"] for entry in requests(trace, "planner")], ["played", "stronger"])
        model = self.play(nodes())
        model.script["planner"] = lambda _: busy
        found, _ = self.ended(model, NODES, "failed", code=127)
        self.assertIn("overloaded", found["text"].lower())

    def test_an_unknown_model(self):
        model = self.play(nodes())
        model.script["coder"] = lambda _: fail(404, "not_found_error", "model: nobody")
        found, _ = self.ended(model, NODES, "failed", code=127)
        self.assertIn("played", found["text"])

    def test_models_of_roles(self):
        model = self.play(nodes(ZERO, "print(2 / 0)"))
        words = [word for pair in ("planner=p", "coder=c", "debugger=d", "answer=a", "escalate=e") for word in ("--role", pair)]
        self.ended(model, NODES, "solved", *words)
        used = {role: dict(book.models) for role, book in model.ledger.items()}
        self.assertEqual(used, {"planner": {"p": 1}, "coder": {"c": 1}, "debugger": {"d": 1, "e": 1}, "answer": {"a": 1}})

    def test_a_key_goes_to_no_other_service(self):
        model, other = self.play(nodes()), self.play(nodes(), key=None)
        other.script["planner"] = lambda request: answer(call("plan", nodes().make_plan()))
        self.ended(model, NODES, "solved", "--role", "planner=p@" + other.url)
        self.assertEqual(len(other.requests), 1)
        self.assertNotIn(KEY, str(other.requests[0].headers))

    def test_a_cut_stream(self):
        model = self.play(nodes())
        once = [answer(call("code", {"source": COUNT}, cut=10), drop())]
        model.script["coder"] = lambda _: once.pop() if once else None
        _, trace = self.ended(model, NODES, "solved")
        self.assertEqual(len(requests(trace, "coder")), 2)


class Crowd(SolveCase):
    """More questions at once than a process takes."""

    def test_the_surplus_is_refused(self):
        model, free = self.play(nodes()), threading.Event()
        model.script["planner"] = lambda _: answer(gate(free), call("plan", nodes().make_plan()))
        server = harness.Server(self.workspace, "--no-demo", "--toolset", "solve", "--planner", "model",
                                *self.words(model))

        def ask(_):
            client = harness.Client(server.port)
            client.initialize()
            failed, said = client.call("solve", session_id=self.sid, question=NODES)
            client.connection.close()
            if failed:
                free.set()  # all others are under way
            return said
        with ThreadPoolExecutor(65) as pool:
            found = list(pool.map(ask, range(65)))
        self.assertEqual(len([said for said in found if "64 questions are under way" in said]), 1)
        self.assertEqual(len([said for said in found if said.startswith("solved: ")]), 64, found[:3])
        self.assertEqual(server.close(), 0)


class Stops(SolveCase):
    """SIGINT in each role ends the task with its state, its request and its sandbox."""

    options = PLAN_BY_MODEL

    def stop(self, model, reached, *words):
        command = [str(harness.LECTERN), "solve", *self.words(model, *words), "--json", NODES]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.workspace.environment())
        try:
            self.assertTrue(reached(), "it did not come so far")
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=harness.ANSWER_SECONDS)
        finally:
            process.kill()
        harness.check_log(err)
        self.assertEqual((process.returncode, b'"status":"cancelled"' in out), (EXITS["cancelled"], True), (out, err))

    def test_in_each_role(self):
        for role in ("planner", "coder", "debugger", "answer"):
            with self.subTest(role):
                model, held = self.play(nodes(ZERO, "print(2 / 0)")), threading.Event()

                def script(_, held=held):
                    held.set()
                    return answer(hold())
                model.script[role] = script
                self.stop(model, lambda held=held: held.wait(harness.ANSWER_SECONDS))
                self.assertTrue(model.wait_closed(len(model.requests) - 1), "the request goes on")

    def test_in_a_program(self):
        model, started = self.play(nodes("while True: pass")), threading.Event()
        coder = model.script.get("coder")
        self.assertIsNone(coder)

        def reached():
            until = time.monotonic() + harness.ANSWER_SECONDS
            while model.ledger["coder"].requests == 0 and time.monotonic() < until:
                time.sleep(0.02)
            started.wait(1)  # until it is in its sandbox
            return model.ledger["coder"].requests == 1
        self.stop(model, reached, "--timeout", "30")


class Scenarios(SolveCase):
    """The four of a run_python tool, and the two of the pipeline of roles."""

    options = PLAN_BY_MODEL

    def one(self, question, kind, program, broken=(), wanted=None, status="solved", words=()):
        model = self.play(Case(question, kind, program, broken, key="step"))
        found, trace = self.ended(model, question, status, *words)
        if wanted is not None:
            self.assertEqual(found["values"], {"step": wanted})
        model.check()
        return found, trace

    def test_statistics_of_a_list(self):
        program = ("import json, statistics\nxs = [4, 8, 15, 16, 23, 42]\n"
                   "print(json.dumps({'mean': statistics.mean(xs), 'median': statistics.median(xs)}))")
        self.one("Mean and median of 4, 8, 15, 16, 23, 42?", "map", program, wanted={"mean": 18, "median": 15.5})

    def test_a_table_given_as_text(self):
        program = ("import io, json\nimport pandas as pd\ndf = pd.read_csv(io.StringIO('name,score\\nAda,3\\nBen,5\\n'))\n"
                   "print(json.dumps(int(df['score'].sum())))")
        self.one("The sum of the scores in this table: name,score / Ada,3 / Ben,5", "number", program, wanted=8)

    def test_a_mistake_that_is_repaired(self):
        found, _ = self.one("Count the lessons", "number", COUNT, broken=(COUNT.replace("get_nodes())", "get_node())"),), wanted=40)
        self.assertEqual(found["attempts"], 2)

    def test_an_endless_loop(self):
        found, trace = self.one("Count for ever", "number", COUNT, broken=["while True:\n    x = %d" % number for number in range(3)],
                                status="failed", words=("--timeout", "1"))
        errors = [execution["error"]["errorCategory"] for execution in executions(trace)]
        self.assertEqual((errors, found["values"]), (["timeout"] * 3, None))

    def test_pipeline_statistics(self):
        program = ("import json\nfrom code_helpers import get_all_content\nimport numpy as np\n"
                   "xs = [len(n['components']) for n in get_all_content()]\nprint(json.dumps(round(float(np.mean(xs)), 2)))")
        found, trace = self.one("The mean number of components, two decimals?", "number", program)
        self.assertIsInstance(found["values"]["step"], float)
        self.assertEqual(kinds(trace), ["task", "plan", "code", "execution", "answer"])

    def test_pipeline_package_that_is_not_there(self):
        found, trace = self.one("Count the lessons", "number", COUNT, broken=("import polars as pl\nprint(pl.DataFrame())",), wanted=40)
        refused = executions(trace)[0]["error"]
        self.assertEqual((refused["errorCategory"], refused["context"]["rule"]), ("validation", "import-not-allowed"))
        self.assertEqual(found["attempts"], 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
