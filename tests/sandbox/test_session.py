# SPDX-License-Identifier: GPL-3.0-or-later
"""A runner that serves a session: many jobs, each in a process cloned from an interpreter that has run nothing. Whatever a job does, the
next one finds the same state as the first, and gets its own answer."""
import functools
import os
import pathlib
import re
import tempfile
import unittest

import sandbox
import test_runner
from sandbox import DATA_PRELOAD, SESSION, Curriculum

# Most of what is asked here the policy refuses: what stands behind it is looked at.
Session = functools.partial(sandbox.Session, policy=False)
SYSTEM = "import statistics\nsys = statistics.sys\nos = sys.modules['os']\n"


class InSession:
    """Runs the tests of a class that knows nothing of sessions, all jobs of one test in one runner where they can."""

    def run_code(self, code, data=None, seconds=30, kind="bare", preload="", memory_mb=256, **fields):
        boxes = self.__dict__.setdefault("boxes", {})
        key = (kind, preload, memory_mb)
        if key not in boxes:
            boxes[key] = Session(kind, preload, memory_mb, bwrap=self.bwrap)
            self.addCleanup(boxes[key].stop)
        outcome = boxes[key].run(code, data, seconds, **fields)
        outcome.returncode = 0  # it has not ended, and shall not
        return outcome


class Answers(InSession, test_runner.Answers):
    pass


class AnswersUnderBubblewrap(InSession, test_runner.AnswersUnderBubblewrap):
    pass


class Limits(InSession, test_runner.Limits):
    pass


class LimitsUnderBubblewrap(InSession, test_runner.LimitsUnderBubblewrap):
    pass


class Helpers(InSession, test_runner.Helpers):
    bwrap = False

    def run_code(self, code, data=None, **fields):
        self.curriculum = Curriculum(data=data or test_runner.CURRICULUM)
        return super().run_code("from code_helpers import *\n" + code, self.curriculum, **fields)


class Clean(unittest.TestCase):
    """What one job leaves for the next: nothing."""

    def setUp(self):
        self.box = Session()
        self.addCleanup(self.box.stop)

    def run_code(self, code, **fields):
        outcome = self.box.run(code, **fields)
        self.assertEqual((outcome.status, outcome.result["error"]), ("ok", None), code)
        return outcome

    def test_globals_modules_and_the_environment(self):
        self.box = Session(interpreter=sandbox.interpreter_that_allows(self, guard=False))
        self.addCleanup(self.box.stop)
        look = "import json, code_helpers, decimal\n" + SYSTEM + (
            "print(sorted(globals()), sorted(sys.modules) == sorted(set(sys.modules)), len(sys.modules), len(vars(json)),\n"
            "      json.dumps([1]), sorted(os.environ.items()), os.getcwd(), sys.getrecursionlimit(), sorted(vars(code_helpers)),\n"
            "      len(vars(sys.modules['builtins'])), sys.stdout is sys.__stdout__, decimal.getcontext().prec)")
        before = self.run_code(look).text
        self.box.run(SYSTEM + "import json, code_helpers, decimal\nleft = 1\njson.dumps = lambda *a: 'mine'\njson.left = 1\n"
                     "os.environ['LEFT'] = '1'\nsys.setrecursionlimit(5000)\nsys.modules['left'] = json\n"
                     "code_helpers.left = 1\nsys.modules['builtins'].left = 1\nsys.stdout = None\n"
                     "decimal.getcontext().prec = 3\nfor n in list(sys.modules)[30:]: del sys.modules[n]")
        self.assertEqual(self.run_code(look).text, before)

    def test_sessions_do_not_mix(self):
        other = "5e551011-0000-4000-8000-000000000002"
        code = SYSTEM + "print(session_id, os.environ.get('SESSION_ID'))"
        for session in (SESSION, other, None, SESSION):
            self.assertEqual(self.run_code(code, session_id=session).text, "%s %s\n" % (session, session))

    def test_randomness_is_fresh(self):
        with Session("data", DATA_PRELOAD) as box:
            code = ("import random, numpy as np\nprint(random.random(), np.random.rand(), np.random.default_rng().random(),\n"
                    "      random.SystemRandom().random())")
            runs = [box.run(code, profile="data-science").text.split() for _ in range(4)]
        for column in zip(*runs):
            self.assertEqual(len(set(column)), 4, runs)

    def test_caps_and_counts_begin_again(self):
        curriculum = Curriculum(data=test_runner.CURRICULUM)
        code = "from code_helpers import get_nodes\nprint(len(get_nodes()))\nprint('x' * 100)"
        for _ in range(3):
            outcome = self.box.run(code, curriculum, stdout_cap=50, tail_cap=20, output_limit=200)
            self.assertEqual((outcome.status, outcome.requests), ("ok", 1))
            self.assertEqual((len(outcome.stdout), len(outcome.stdout_tail)), (50, 20))
            self.assertEqual((outcome.exit["stdout_bytes"], outcome.exit["stdout_cut"]), (105, 35))

    def test_output_of_before_does_not_come_late(self):
        flood = "while True: print('old' * 1000)"
        for fields, status in (({"output_limit": 1 << 20}, "output"), ({"timeout_ms": 200}, "timeout"),
                               ({"timeout_ms": 200, "stdout_cap": 1 << 24}, "timeout")):
            self.assertEqual(self.box.run(flood, **fields).status, status)
            outcome = self.run_code("print('new')")
            self.assertEqual((outcome.text, outcome.stderr, outcome.stdout_tail), ("new\n", b"", b""))
            self.assertEqual(outcome.exit["stdout_bytes"], 4)

    def test_a_job_that_went_wrong_leaves_the_next_right(self):
        hangs = "while True:\n    try:\n        while True: pass\n    except: pass"
        for code, fields, status in (
                (hangs, {"timeout_ms": 200}, "timeout"), ("import itertools\nsum(itertools.repeat(1))", {"timeout_ms": 200}, "timeout"),
                ("a = []\nwhile True: a.append(bytes(10**6))", {}, "memory"), ("raise ValueError(1)", {}, "error"),
                (SYSTEM + "os.abort()", {}, "crash"), (SYSTEM + "object.__getattribute__(os, '_exit')(3)", {}, "crash"), ("x = (", {}, "error"),
                (SYSTEM + "os.close(3)", {}, "crash"), (SYSTEM + "os.close(1)\nprint(1)", {}, "error"),
                ("while True: print('x' * 1000)", {"output_limit": 1 << 20}, "output")):
            with self.subTest(code):
                self.assertEqual(self.box.run(code, **fields).status, status)
                self.assertEqual(self.run_code("print(1)\n2").text, "1\n")

    def test_what_ended_it_is_told(self):
        outcome = self.box.run(SYSTEM + "os.abort()")
        self.assertEqual((outcome.status, outcome.exit["signal"], outcome.exit["exit_code"]), ("crash", 6, -1))
        outcome = self.box.run(SYSTEM + "object.__getattribute__(os, '_exit')(3)")
        self.assertEqual((outcome.status, outcome.exit["signal"], outcome.exit["exit_code"]), ("crash", 0, 3))

    def test_what_comes_too_late_is_no_matter(self):
        self.box.send_job("from code_helpers import get_nodes\nget_nodes()", timeout_ms=200)
        while True:
            kind, payload = self.box.receive(10)
            if kind == "x":
                break
            if kind == "q":
                asked = payload[:4]
        self.box.wait_ready()
        self.box.send("A", asked + b"\0\xc8" + b"x" * 100000)
        self.assertEqual(self.run_code("print(2)").text, "2\n")
        self.box.send("A", asked + b"\0\xc8{}")  # once is late, twice is a breach
        self.assertEqual(self.box.process.wait(sandbox.END_SECONDS), 1)
        self.assertIn("which nobody waits for", self.box.stop())

    def test_pings(self):
        for _ in range(3):
            self.box.send("p")
            self.assertEqual(self.box.receive(5), ("P", b""))
            self.run_code("1")

    def test_a_job_before_ready(self):
        with Session(ready=False) as box:
            box.send_job("1")
            self.assertEqual(box.process.wait(sandbox.END_SECONDS), 1)
            self.assertIn("before the interpreter is ready", box.stop())

    def test_a_second_job(self):
        self.box.send_job("while True: pass")
        self.box.send_job("1")
        self.assertEqual(self.box.process.wait(sandbox.END_SECONDS), 1)


class Processes(unittest.TestCase):
    """Who there is, and that nobody stays."""

    def processes(self, box):
        return {pid: sorted(os.listdir("/proc/%d/fd" % pid)) for pid in (box.runner(), *sandbox.children_of(box.runner()))}

    def resident(self, pid):
        return int(pathlib.Path("/proc/%d/statm" % pid).read_text().split()[1]) * 4096

    def test_many_jobs_leave_nothing(self):
        sanitized = b"__asan_init" in (sandbox.SHARE / "runner").read_bytes()
        for bwrap in (False, True):
            with self.subTest(bwrap=bwrap), Session(bwrap=bwrap) as box:
                for number in range(20):
                    self.assertEqual(box.run("print(%d)" % number).text, "%d\n" % number)
                before = self.processes(box)
                self.assertEqual(len(before), 3)
                sizes = [self.resident(pid) for pid in (box.runner(), box.zygote())]
                for number in range(200):
                    code, status = (("print(%d)" % number, "ok"), ("1 / 0", "error"), (SYSTEM + "os.abort()", "crash"))[number % 3]
                    outcome = box.run(code)
                    self.assertEqual((outcome.status, outcome.text), (status, "%d\n" % number if status == "ok" else ""))
                after = self.processes(box)
                self.assertEqual(len(after), 3)
                self.assertEqual(sorted(before.values()), sorted(after.values()))
                grown = [self.resident(pid) - size for pid, size in zip((box.runner(), box.zygote()), sizes)]
                # A sanitizer keeps what was freed for a while.
                self.assertLess(max(grown), (64 if sanitized else 1) << 20)

    def test_as_the_kernel_sees_them(self):
        for bwrap in (False, True):
            with self.subTest(bwrap=bwrap), Session(bwrap=bwrap) as box:
                zygote, copy = box.zygote(), box.copy()
                limits = [pathlib.Path("/proc/%d/limits" % pid).read_text() for pid in (zygote, copy)]
                for pid in (zygote, copy):
                    status = pathlib.Path("/proc/%d/status" % pid).read_text()
                    for name, value in (("CapEff", "0" * 16), ("CapPrm", "0" * 16), ("CapBnd", "0" * 16), ("NoNewPrivs", "1"),
                                        ("Seccomp", "2"), ("Threads", "1"), ("PPid", str(box.runner()))):
                        self.assertRegex(status, r"(?m)^%s:\t%s$" % (name, value))
                    # Not dumpable: its /proc belongs to the root of its user namespace, or of all.
                    self.assertNotEqual(os.stat("/proc/%d/mem" % pid).st_uid, 65534)
                # Whom the kernel kills first when memory runs out: the code, then the zygote, then the runner.
                scores = [int(pathlib.Path("/proc/%d/oom_score_adj" % pid).read_text()) for pid in (box.runner(), zygote, copy)]
                self.assertEqual(scores[2], 1000)
                self.assertEqual(scores[1], scores[0] + (1000 - scores[0]) // 5)
                for name, value in (("core file size", 0), ("file size", 0), ("data size", (256 << 20) // 6 * 5)):
                    for text in limits:
                        self.assertRegex(text, r"(?m)^Max %s +%d +%d " % (name, value, value))
                self.assertRegex(limits[1], r"(?m)^Max processes +0 +0 ")
                self.assertRegex(limits[1], r"(?m)^Max cpu time +120 +125 ")
                filters = [int(re.search(r"(?m)^Seccomp_filters:\t(\d+)$", pathlib.Path("/proc/%d/status" % pid).read_text()).group(1))
                           for pid in (zygote, copy)]
                self.assertEqual(filters[1], filters[0] + 1)
                self.assertEqual(sorted(os.listdir("/proc/%d/fd" % copy)), ["0", "1", "2", "3"])

    def check_gone(self, box, pids):
        for pid in pids:
            sandbox.wait_until_gone(pid)
        box.stop()

    def start(self, bwrap, code):
        box = Session(bwrap=bwrap)
        self.addCleanup(box.stop)
        box.run("print(0)")
        if code:
            box.send_job(code)
            while box.receive(10)[0] != "o":
                pass
        return box, [box.process.pid, *sandbox.children_of(box.process.pid)]

    def test_hanging_up(self):
        for bwrap in (False, True):
            for code in (None, "print(1)\nwhile True: pass", "print(1)\nwhile True: print('x' * 10000)"):
                with self.subTest(bwrap=bwrap, code=code):
                    box, pids = self.start(bwrap, code)
                    box.process.stdin.close()
                    self.check_gone(box, pids)

    def test_the_runner_is_killed(self):
        for bwrap in (False, True):
            with self.subTest(bwrap=bwrap):
                box, pids = self.start(bwrap, "print(1)\nwhile True: pass")
                sandbox.kill(box.runner())
                self.check_gone(box, pids)

    def test_the_zygote_is_killed(self):
        for code in (None, "print(1)\nwhile True: pass"):
            box, pids = self.start(False, code)
            sandbox.kill(box.zygote())
            self.assertEqual(box.process.wait(sandbox.END_SECONDS), 1)
            self.check_gone(box, pids)
            self.assertIn("the warm interpreter has ended", box.outcome.complaints)

    def test_the_waiting_copy_is_killed(self):
        box, pids = self.start(False, None)
        sandbox.kill(box.copy())
        self.assertEqual(box.process.wait(sandbox.END_SECONDS), 1)
        self.check_gone(box, pids)

    def test_termination_by_signal(self):
        box, pids = self.start(False, "print(1)\nwhile True: pass")
        box.process.terminate()
        self.assertEqual(sandbox.Sandbox.follow(box).status, "cancelled")
        self.check_gone(box, pids)

    def test_a_server_that_does_not_read(self):
        box, pids = self.start(False, None)
        box.send_job("while True: print('x' * 10000)", stdout_cap=1 << 30, output_limit=1 << 30, timeout_ms=500)
        sandbox.wait_until_gone(pids[-1])  # by its deadline: it reads nothing more, and does not end by itself
        self.check_gone(box, pids)

    def test_usage(self):
        with sandbox.Sandbox(ready=False, extra=["--isolation", "none"]) as box:
            self.assertEqual(box.process.wait(sandbox.END_SECONDS), 1)
            self.assertIn("--isolation wants execution or session", box.stop())


class Breaches(unittest.TestCase):
    """The copy lies to the runner as an interpreter of its own may; and again the next."""
    test_a_lying_interpreter = test_runner.Breaches.test_a_lying_interpreter
    test_a_result_is_passed_on_unread = test_runner.Breaches.test_a_result_is_passed_on_unread
    test_an_interpreter_that_does_not_end = test_runner.Breaches.test_an_interpreter_that_does_not_end

    def lie(self, code, **fields):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "liar.py"
            path.write_text(sandbox.forking(sandbox.SHARE) + test_runner.LIAR + code)
            with sandbox.Session(interpreter=path) as box:
                first = box.run("print(1)", **fields)
                second = box.run("print(1)", **fields)
                self.assertEqual(first.result, second.result)
                return second

    def test_a_copy_that_is_never_ready(self):
        for code in ("os._exit(0)", "os.write(3, b'S\\0\\0\\0\\0\\0\\0\\0')", "os.close(3)"):
            with self.subTest(code), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "liar.py"
                path.write_text(sandbox.forking(sandbox.SHARE) + code + "\nimport time\ntime.sleep(60)")
                with sandbox.Session(interpreter=path, ready=False) as box:
                    self.assertEqual(box.process.wait(sandbox.END_SECONDS), 1)


if __name__ == "__main__":
    unittest.main(verbosity=1)
