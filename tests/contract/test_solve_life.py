# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks of `solve` in the store: what is kept equals the trace and the model's ledger; and kill -9 in each role, after which the task is
continued to the right answer.

LECTERN_KILLS: kills in each role (1). LECTERN_SEED: seed of the moments."""
import contextlib
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import threading
import time
import unittest

import harness
from solve_case import KEY, Case, SolveCase, answer, executions, hold, kinds, requests

ROUNDS = int(os.environ.get("LECTERN_KILLS", "1"))
SEED = int(os.environ.get("LECTERN_SEED", "0")) or random.randrange(1 << 32)
NODES = "How many nodes does this curriculum have?"
COUNT = "import json\nfrom code_helpers import get_nodes\nprint(json.dumps(len(get_nodes())))"
ZERO = "print(1 / 0)"
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

    def test_what_is_not_there(self):
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
            done = subprocess.run(command, capture_output=True, env=self.environment(), timeout=harness.ANSWER_SECONDS, check=False)
            database.executescript("DROP TRIGGER full")
        found = json.loads(done.stdout)
        self.assertEqual((done.returncode, found["values"]), (0, {"nodes": 40}), done.stderr)
        self.assertIn(b"is not whole in the store: ", done.stderr)
        self.trace(found["task"], code=1)


class Kills(StoredCase):
    """kill -9 in each role."""

    def reach(self, model, role, moment):
        """A function that waits until the role is at work."""
        held = threading.Event()
        if role == "executor":
            def reached():
                until = time.monotonic() + harness.ANSWER_SECONDS
                while model.ledger["coder"].requests == 0 and time.monotonic() < until:
                    time.sleep(0.01)
                time.sleep(moment)
                return model.ledger["coder"].requests == 1
            return reached

        def script(_):
            if not held.is_set():
                held.set()
                return answer(hold())
            return None
        model.script[role] = script
        return lambda: held.wait(harness.ANSWER_SECONDS)

    def start_and_kill(self, model, reached):
        command = [str(harness.LECTERN), "solve", *self.words(model), "--json", "--session", self.sid, NODES]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment())
        try:
            self.assertTrue(reached(), "it did not come so far")
            sandboxes = harness.descendants(process.pid)
        finally:
            process.kill()
        out, _ = process.communicate()
        self.assertEqual(out, b"", "it had ended before")
        return sandboxes

    def go_on(self, model, ident):
        command = [str(harness.LECTERN), "solve", *self.words(model), "--json", "--continue", ident]
        done = subprocess.run(command, capture_output=True, env=self.environment(), timeout=harness.ANSWER_SECONDS, check=False)
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
            moment = moments.uniform(0.1, 0.7)
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
        done = subprocess.run(command, capture_output=True, env=self.environment(), timeout=harness.ANSWER_SECONDS, check=False)
        found = json.loads(done.stdout)
        self.assertEqual((found["status"], found["bound"], found["usage"]["requests"]), ("over_budget", "requests", 2))


if __name__ == "__main__":
    unittest.main(verbosity=2)
