# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks of `solve` in the store: they equal the trace and the model's ledger; and kill -9 in each role, after which the task is
continued to the right answer.

LECTERN_KILLS: kills in each role (1). LECTERN_SEED: seed of the moments."""
import contextlib
import datetime
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import threading
import time
import unittest

from prometheus_client.parser import text_string_to_metric_families

import harness
from solve_case import KEY, Case, SolveCase, answer, executions, hold, kinds, requests

ROUNDS = int(os.environ.get("LECTERN_KILLS", "1"))
SEED = int(os.environ.get("LECTERN_SEED", "0")) or random.randrange(1 << 32)
NODES = "How many nodes does this curriculum have?"
COUNT = "import json\nfrom code_helpers import get_nodes\nprint(json.dumps(len(get_nodes())))"
ZERO = "print(1 / 0)"
PRICES = '{"currency": "EUR", "models": {"played": {"input": 1000, "output": 2000, "cache_read": 1, "cache_write": 1}}}'
SLOW_ZERO = "import time\nt = time.time()\nwhile time.time() - t < 1: pass\n" + ZERO


def nodes(*broken):
    return Case(NODES, "number", COUNT, broken, key="nodes")


class StoredCase(SolveCase):
    options = ("--planner", "model")

    def trace(self, *words, code=0):
        done = self.workspace.run("trace", *words, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout.decode()

    def tasks(self):
        return json.loads(self.trace("--session", self.sid, "--json"))["tasks"]

    def task(self, ident):
        return json.loads(self.trace(ident, "--json"))


class Kept(StoredCase):
    """By `lectern trace` and by the session API."""

    def test_the_store_has_the_trace(self):
        found, trace = self.ended(self.play(nodes(ZERO)), NODES, "solved")
        kept = self.task(found["task"])
        self.assertEqual(kept["entries"], trace)
        self.assertEqual((kept["id"], kept["session_id"], kept["question"], kept["status"], kept["attempts"]),
                         (found["task"], self.sid, NODES, "solved", 2))
        self.assertEqual(self.tasks()[0], {name: kept[name] for name in ("id", "question", "status", "created", "updated", "attempts")})

    def test_every_end_is_kept(self):
        for plan, status in (({"approach": "refuse", "text": "No."}, "refused"), ({"approach": "ask", "text": "Which?"}, "ask"),
                             ({"approach": "query", "query": {"query": "counts"}}, "solved")):
            with self.subTest(status):
                found, trace = self.ended(self.play(Case(NODES, "number", COUNT, plan=plan, key="nodes")), NODES, status)
                self.assertEqual((self.task(found["task"])["entries"], self.tasks()[0]["status"]), (trace, status))

    def test_no_secret_is_kept(self):
        self.ended(self.play(nodes()), NODES, "solved")
        files = [path for path in pathlib.Path(self.workspace.data).rglob("*") if path.is_file()]
        self.assertTrue(any(NODES.encode() in path.read_bytes() for path in files), "the question is not there")
        self.assertFalse([path for path in files if KEY.encode() in path.read_bytes()])

    def test_old_ones_go(self):
        path = next(pathlib.Path(self.workspace.data).rglob("lectern.db"))
        found = [self.ended(self.play(nodes()), NODES, "solved")[0]["task"] for _ in range(3)]
        now = datetime.datetime.now(datetime.timezone.utc)
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
            for ident, days in zip(found, (31, 29)):
                created = (now - datetime.timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
                database.execute("UPDATE task SET created_at = ? WHERE task_id = ?", (created, ident))
        newest = self.ended(self.play(nodes()), NODES, "solved")[0]["task"]
        kept = {task["id"] for task in self.tasks()}
        self.assertEqual([ident in kept for ident in [*found, newest]], [False, True, True, True])

    def test_it_is_drawn(self):
        found, trace = self.ended(self.play(nodes(ZERO)), NODES, "solved")
        lines = self.trace(found["task"]).splitlines()
        self.assertEqual(lines[0], NODES)
        self.assertIn("%s: solved, attempts 2" % found["task"], lines[1])
        steps = [line[24:].split() for line in lines[3:]]
        self.assertEqual([step[0] if entry.get("role") else None for step, entry in zip(steps, trace)],
                         [entry.get("role") for entry in trace])
        self.assertTrue(all(entry["kind"] in step for step, entry in zip(steps, trace)))
        debugger = next(line for line in lines if "debugger" in line and "request" in line)
        usage = requests(trace, "debugger")[0]["usage"]
        self.assertRegex(debugger, r"played +%d +%d .* message$" % (usage["input"], usage["output"]))
        self.assertTrue(any("runtime: " in line and "ZeroDivisionError" in line for line in lines), lines)
        self.assertIn(found["task"], self.trace("--session", self.sid))

    def test_unknown_tasks(self):
        self.trace("no-such-task", code=1)
        self.assertIn(b"no task", self.workspace.run("trace", "no-such-task", check=False).stderr)
        done = self.workspace.run("solve", "--continue", "no-such-task", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"no task", done.stderr)
        self.assertEqual(self.workspace.run("solve", "--continue", "x", "question", check=False).returncode, 2)

    def test_the_session_api_has_it(self):
        found, trace = self.ended(self.play(nodes(ZERO)), NODES, "solved")
        server = harness.Server(self.workspace, "--sandbox", "process", "--warm", "bare=0,data=0,plot=0")
        self.addCleanup(server.close)
        path = "/session/%s/tasks" % self.sid
        status, listed, _ = server.http("GET", path + "?limit=1")
        self.assertEqual((status, [task["id"] for task in listed["tasks"]], listed["session_id"]), (200, [found["task"]], self.sid))
        status, kept, _ = server.http("GET", "%s/%s" % (path, found["task"]))
        self.assertEqual((status, kept), (200, self.task(found["task"])))
        status, otlp, _ = server.http("GET", "%s/%s?format=otlp" % (path, found["task"]))
        self.assertEqual((status, otlp), (200, json.loads(self.trace(found["task"], "--otlp"))))
        self.check_otlp(otlp, found, trace)
        for wrong, code in (("?limit=0", 422), ("?limit=501", 422), ("/nothing", 404), ("/%s?format=xml" % found["task"], 422)):
            self.assertEqual(server.http("GET", path + wrong)[0], code, wrong)
        other = server.http("POST", "/session/create")[1]["session_id"]
        self.assertEqual(server.http("GET", "/session/%s/tasks/%s" % (other, found["task"]))[0], 404)
        self.assertEqual(server.http("GET", "/session/%s/tasks" % other)[1]["tasks"], [])

    def test_the_tool_answers_from_the_store(self):
        model = self.play(nodes(ZERO))
        found, _ = self.ended(model, NODES, "solved")
        asked = len(model.requests)
        server = harness.Server(self.workspace, *self.words(model, "--toolset", "editor,solve"))
        self.addCleanup(server.close)
        server.initialize()
        text = server.good("solve", task=found["task"], session_id=self.sid)
        self.assertTrue(text.startswith("solved: " + found["text"]), text)
        self.assertIn("\nattempts 2, model requests 4, ", text)
        self.assertTrue(text.endswith("\ntask %s\n" % found["task"]), text)
        self.assertEqual(len(model.requests), asked)
        other = server.http("POST", "/session/create")[1]["session_id"]
        for arguments in ({"task": found["task"], "session_id": other}, {"task": "nothing", "session_id": self.sid},
                          {"session_id": self.sid}, {"task": found["task"], "question": NODES, "session_id": self.sid}):
            is_error, text = server.call("solve", **arguments)
            self.assertTrue(is_error and "task" in text, (arguments, text))

    def check_otlp(self, otlp, found, trace):
        spans = otlp["resourceSpans"][0]["scopeSpans"][0]["spans"]
        self.assertEqual(len({span["spanId"] for span in spans}), len(spans))
        self.assertEqual({span["traceId"] for span in spans}, {found["task"].replace("-", "")})
        roots = [span for span in spans if "parentSpanId" not in span]
        self.assertEqual([span["name"] for span in roots], ["invoke_agent solve"])
        self.assertEqual({span["parentSpanId"] for span in spans if span not in roots}, {roots[0]["spanId"]})
        for span in spans:
            begin, end = int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])
            self.assertTrue(int(roots[0]["startTimeUnixNano"]) <= begin <= end <= int(roots[0]["endTimeUnixNano"]), span)
        named = [{item["key"]: next(iter(item["value"].values())) for item in span["attributes"]} for span in spans]
        chats = [span for span in named if span["gen_ai.operation.name"] == "chat"]
        self.assertEqual([(span["gen_ai.request.model"], int(span["gen_ai.usage.input_tokens"]), int(span["gen_ai.usage.output_tokens"]))
                          for span in chats],
                         [(entry["model"], entry["usage"]["input"], entry["usage"]["output"]) for entry in requests(trace)])
        tools = [span for span in named if span["gen_ai.operation.name"] == "execute_tool"]
        self.assertEqual([(span["gen_ai.tool.name"], span.get("error.type")) for span in tools],
                         [("execute_code", "runtime"), ("execute_code", None)])
        self.assertEqual(named[-1]["lectern.task.status"], "solved")

    def test_a_store_that_cannot_be_written_loses_no_answer(self):
        path = next(pathlib.Path(self.workspace.data).rglob("lectern.db"))
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.executescript("CREATE TRIGGER full BEFORE INSERT ON task_entry BEGIN SELECT RAISE(ABORT, 'it is full'); END")
            command = [str(harness.LECTERN), "solve", *self.words(self.play(nodes())), "--json", "--session", self.sid, NODES]
            done = subprocess.run(command, capture_output=True, env=self.workspace.environment(), timeout=harness.ANSWER_SECONDS, check=False)
            database.executescript("DROP TRIGGER full")
        found = json.loads(done.stdout)
        self.assertEqual((done.returncode, found["values"]), (0, {"nodes": 40}), done.stderr)
        self.assertIn(b"is not whole in the store: ", done.stderr)
        self.trace(found["task"], code=1)


class Figures(StoredCase):
    """/metrics, the log and the traces of one server equal the model's ledger."""

    questions = (("Right at once?", (), "solved", 1), ("Repaired by a model?", (ZERO,), "solved", 2),
                 ("Repaired by a rule?", ("```python\n" + COUNT + "\n```",), "solved", 2),
                 ("Never right?", ("print(1 / 0)", "print(2 / 0)", "x = [1][9]"), "failed", 3))

    def ask_all(self):
        """The model, the server, /metrics before and after, and the kept tasks by question."""
        prices = os.path.join(self.workspace.data, "prices.json")
        pathlib.Path(prices).write_text(PRICES, encoding="utf-8")
        model = self.play(*(Case(question, "number", COUNT, broken, key="q%d" % number)
                            for number, (question, broken, _, _) in enumerate(self.questions)))
        server = harness.Server(self.workspace, *self.words(model, "--toolset", "editor,solve", "--prices", prices, "--role", "debugger=cheap"))
        try:
            server.initialize()
            before = self.metrics(server)
            for question, _, status, _ in self.questions:
                is_error, text = server.call("solve", question=question, session_id=self.sid)
                self.assertEqual((is_error, text.partition(":")[0]), (status == "failed", status), text)
            after = self.metrics(server)
            status, listed, _ = server.http("GET", "/session/%s/tasks" % self.sid)
            self.assertEqual(status, 200, listed)
            kept = {task["question"]: server.http("GET", "/session/%s/tasks/%s" % (self.sid, task["id"]))[1] for task in listed["tasks"]}
        finally:
            self.assertEqual(server.close(), 0)
        model.check()
        return model, before, after, kept, server.lines

    @staticmethod
    def metrics(server):
        families = text_string_to_metric_families(server.http("GET", "/metrics")[1].decode())
        return {(sample.name, tuple(sorted(sample.labels.items()))): sample.value for family in families for sample in family.samples}

    def test_they_equal_the_ledger(self):
        model, before, after, kept, lines = self.ask_all()

        def moved(name, **labels):
            key = (name, tuple(sorted(labels.items())))
            return after[key] - before.get(key, 0)

        self.assertEqual(set(kept), {question for question, _, _, _ in self.questions})
        for question, _, status, attempts in self.questions:
            self.assertEqual((kept[question]["status"], kept[question]["attempts"]), (status, attempts), question)
        self.assertEqual([moved("lectern_tasks_total", status=status) for status in ("solved", "failed", "partial")], [3, 1, 0])
        self.assertEqual([moved("lectern_task_attempts_bucket", le=le) for le in ("0", "1", "2", "3", "+Inf")], [0, 1, 3, 4, 4])
        self.assertEqual((moved("lectern_task_attempts_sum"), moved("lectern_task_seconds_count")), (8, 4))
        self.assertEqual(after["lectern_task_first_try_ratio", ()], 0.25)
        self.assertEqual([moved("lectern_task_errors_total", category=category) for category in ("runtime", "validation")], [4, 1])
        self.assertEqual([moved("lectern_task_repairs_total", by=by, worked=worked) for by, worked in
                          (("rule", "true"), ("rule", "false"), ("model", "true"), ("model", "false"))], [1, 0, 1, 2])
        entries = [entry for task in kept.values() for entry in task["entries"]]
        self.assertEqual(moved("lectern_task_role_seconds_count", role="executor"), len(executions(entries)))
        self.check_tokens(model, entries, moved)
        self.check_log(kept, lines)

    def check_tokens(self, model, entries, moved):
        for role, book in model.ledger.items():
            name = "cheap" if role == "debugger" else "played"
            asked = requests(entries, role)
            self.assertEqual((len(asked), {entry["model"] for entry in asked}), (book.requests, {name}))
            self.assertEqual(moved("lectern_task_requests_total", role=role, model=name), book.requests)
            self.assertEqual(moved("lectern_task_role_seconds_count", role=role), book.requests)
            for kind in ("input", "output", "cache_read", "cache_write"):
                self.assertEqual(moved("lectern_task_tokens_total", role=role, model=name, kind=kind), getattr(book, kind))
                self.assertEqual(sum(entry["usage"][kind] for entry in asked), getattr(book, kind))
            cost = (book.input + 2 * book.output) / 1000 if name == "played" else 0
            self.assertAlmostEqual(moved("lectern_task_cost_total", role=role, model=name, currency="EUR"), cost, places=6)

    def check_log(self, kept, lines):
        """Each line of a task names it and its role, and the attempt."""
        for task in kept.values():
            own = [line for line in lines if "task=" + task["id"][:8] in line]
            for role in ("planner", "coder", "debugger", "answer"):
                asked = [line for line in own if "role=%s attempt=" % role in line]
                self.assertEqual(len(asked), len(requests(task["entries"], role)), (role, own))
            ran = [line for line in own if "role=executor attempt=" in line]
            self.assertEqual({line.split("attempt=")[1][:3] for line in ran},
                             {"%d/3" % number for number in range(1, task["attempts"] + 1)})
            self.assertTrue(any("status=" + task["status"] in line for line in own), own)
            self.assertTrue(any("code_bytes=" in line or "seconds=" in line for line in ran), "the analysis' line does not name the task")


class Kills(StoredCase):
    """kill -9 in each role."""

    def reach(self, model, role, moment):
        """A function that waits until the role is at work, which does not end before `self.killed`."""
        held, self.killed = threading.Event(), threading.Event()

        def script(_):
            held.set()
            return None if self.killed.is_set() else answer(hold())
        model.script["debugger" if role == "executor" else role] = script

        def code_is_kept():
            until = time.monotonic() + harness.ANSWER_SECONDS
            while time.monotonic() < until:
                task = next(iter(self.tasks()), None)
                if task and task["status"] is None and "code" in kinds(self.task(task["id"])["entries"]):
                    time.sleep(moment)
                    return True
            return False
        return code_is_kept if role == "executor" else lambda: held.wait(harness.ANSWER_SECONDS)

    def start_and_kill(self, model, reached):
        command = [str(harness.LECTERN), "solve", *self.words(model), "--json", "--session", self.sid, NODES]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.workspace.environment())
        try:
            self.assertTrue(reached(), "it did not come so far")
            sandboxes = harness.descendants(process.pid)
        finally:
            process.kill()
            self.killed.set()
        out, _ = process.communicate()
        self.assertEqual(out, b"", "it had ended before")
        return sandboxes

    def go_on(self, model, ident):
        command = [str(harness.LECTERN), "solve", *self.words(model), "--json", "--continue", ident]
        done = subprocess.run(command, capture_output=True, env=self.workspace.environment(), timeout=harness.ANSWER_SECONDS, check=False)
        harness.check_log(done.stderr)
        self.assertEqual(done.returncode, 0, (done.stdout, done.stderr))
        return json.loads(done.stdout)

    def play_round(self, role, moment):
        model = self.play(nodes(SLOW_ZERO if role == "executor" else ZERO))
        sandboxes = self.start_and_kill(model, self.reach(model, role, moment))
        until = time.monotonic() + harness.ANSWER_SECONDS
        while any(map(harness.is_interpreter, sandboxes)) and time.monotonic() < until:
            time.sleep(0.02)
        self.assertFalse([pid for pid in sandboxes if harness.is_interpreter(pid)], "a sandbox is left")
        open_task = self.tasks()[0]
        self.assertEqual((open_task["question"], open_task["status"]), (NODES, None))
        before = self.task(open_task["id"])["entries"]
        found = self.go_on(model, open_task["id"])
        kept = self.task(open_task["id"])
        trace = kept["entries"]
        self.assertEqual(trace[:len(before)], before)
        self.assertEqual((found["task"], found["status"], found["values"], found["attempts"]), (open_task["id"], "solved", {"nodes": 40}, 2))
        self.assertEqual((kept["status"], kept["attempts"], trace[-1]["message"]), ("solved", 2, found))
        self.assertEqual(kinds(trace), ["task", "plan", "code", "execution", "diagnosis", "code", "execution", "answer"])
        self.assertEqual([execution["attempt"] for execution in executions(trace)], [1, 2])
        self.assertEqual([entry["role"] for entry in requests(trace)], ["planner", "coder", "debugger", "answer"])
        self.assertEqual({name: book.requests for name, book in model.ledger.items() if book.requests},
                         dict.fromkeys(("planner", "coder", "debugger", "answer"), 1))
        self.assertEqual(found["usage"]["requests"], 4)
        self.assertEqual(found["usage"]["input"], sum(book.input for book in model.ledger.values()))
        model.check()
        asked = len(model.requests)
        self.assertEqual((self.go_on(model, open_task["id"]), len(model.requests)), (found, asked), "the answer is in the store")

    def in_role(self, role):
        moments = random.Random("%s %d" % (role, SEED))
        for number in range(ROUNDS):
            moment = moments.uniform(0, 0.7)
            with self.subTest(role, round=number, moment=moment, seed=SEED):
                self.play_round(role, moment)

    def test_planner(self):
        self.in_role("planner")

    def test_coder(self):
        self.in_role("coder")

    def test_executor(self):
        self.in_role("executor")

    def test_debugger(self):
        self.in_role("debugger")

    def test_answer(self):
        self.in_role("answer")

    def test_the_budget_is_not_reset(self):
        model = self.play(nodes(ZERO))
        self.start_and_kill(model, self.reach(model, "debugger", 0))
        ident = self.tasks()[0]["id"]
        command = [str(harness.LECTERN), "solve", *self.words(model, "--budget", "requests=2"), "--json", "--continue", ident]
        done = subprocess.run(command, capture_output=True, env=self.workspace.environment(), timeout=harness.ANSWER_SECONDS, check=False)
        found = json.loads(done.stdout)
        self.assertEqual((found["status"], found["bound"], found["usage"]["requests"]), ("over_budget", "requests", 2))


if __name__ == "__main__":
    unittest.main(verbosity=2)
