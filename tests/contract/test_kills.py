# SPDX-License-Identifier: GPL-3.0-or-later
"""kill -9 during runs, at random moments: of the server, of a sandbox's first process, of the Docker daemon. Each call gets its own error,
nothing is left behind, the next call succeeds, and no acknowledged edit is lost.

LECTERN_ROUNDS: rounds of each (4; 2 without namespaces). LECTERN_SEED: repeats the moments of an earlier run, which printed it.
"""
import contextlib
import http.client
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import harness

sys.path.insert(0, str(harness.ROOT / "tests/sandbox"))
import watch  # noqa: E402

ENGINE = os.environ.get("LECTERN_SANDBOX", harness.LOCAL)
ROUNDS = int(os.environ.get("LECTERN_ROUNDS", "2" if ENGINE == "process" else "4"))
SEED = int(os.environ.get("LECTERN_SEED", random.SystemRandom().randrange(10 ** 6)))
DAEMON = harness.ROOT / "tests/sandbox/dockerd.sh"
LEFT_SECONDS = 20  # after which what is left is left
BACK_SECONDS = 60  # after which the engine is found again
MEGABYTES = {"small": 110, "big": 160}  # what a run holds tells from outside which it is; pandas alone has less
RUN_SECONDS = 2
ENDLESS = 10 ** 9


def code_of(size, answer, seconds=RUN_SECONDS):
    return ("import time\nkept = b'x' * (%d << 20)\nuntil = time.time() + %g\nwhile time.time() < until:\n    pass\n"
            "print(%d + 1, len(kept))" % (MEGABYTES[size], seconds, answer))


def code_until(size, answer, node):
    """The same, until that node is there."""
    return ("import time\nfrom code_helpers import get_node_content\nkept = b'x' * (%d << 20)\nthere = False\nwhile not there:\n"
            "    try:\n        there = bool(get_node_content(%r))\n    except ValueError:\n        until = time.time() + 0.1\n"
            "        while time.time() < until:\n            pass\nprint(%d + 1, len(kept))" % (MEGABYTES[size], node, answer))


def resident(pid):
    try:
        return int(pathlib.Path("/proc/%d/statm" % pid).read_text().split()[1]) >> 8
    except (OSError, IndexError):
        return 0


def processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def category(result):
    return result.get("_meta", {}).get("lectern/error", {}).get("errorCategory") if result.get("isError") else None


class Cage:
    """A control group that a server and all that it starts are in, whatever becomes of their parents."""

    def __init__(self):
        root = pathlib.Path("/sys/fs/cgroup")
        if not (root / "cgroup.controllers").exists():
            root /= "pids"
        self.path = root / ("lectern-test-%d" % os.getpid())
        try:
            self.path.mkdir(exist_ok=True)
        except OSError as error:
            raise unittest.SkipTest("SKIPPED: %s cannot be made; run as root: sudo make test" % self.path) from error

    def script(self, folder):
        """A program that becomes lectern in here."""
        script = pathlib.Path(folder) / "caged"
        script.write_text('#!/bin/sh\necho $$ >%s/cgroup.procs\nexec %s "$@"\n' % (self.path, harness.LECTERN))
        script.chmod(0o755)
        return script

    def inmates(self):
        found = []
        for path in (self.path, *self.path.rglob("*")):
            if path.is_dir():
                found += [int(pid) for pid in (path / "cgroup.procs").read_text().split()]
        return found

    def close(self):
        for path in sorted(self.path.rglob("*"), reverse=True):
            if path.is_dir():
                path.rmdir()
        self.path.rmdir()


class Editor(threading.Thread):
    """Appends components until it is stopped or its server is gone; notes what was acknowledged."""

    def __init__(self, port, sid, name, acknowledged):
        super().__init__()
        self.port, self.sid, self.label, self.acknowledged = port, sid, name, acknowledged
        self.stopping = threading.Event()
        self.wrong = []

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        number = 0
        while not self.stopping.wait(0.005):
            number += 1
            text = "%s %d" % (self.label, number)
            body = json.dumps({"type": "paragraph", "parameters": {"text": text}})
            try:
                connection.request("POST", "/session/%s/nodes/N001/components/insert" % self.sid, body,
                                   {"Content-Type": "application/json"})
                response = connection.getresponse()
                answer = response.read()
            except (OSError, http.client.HTTPException):
                break
            if response.status != 200:
                self.wrong.append((response.status, answer))
            else:
                self.acknowledged.append(text)
        connection.close()

    def stop(self):
        self.stopping.set()
        self.join()
        assert not self.wrong, self.wrong[:3]


class Caller(threading.Thread):
    """One call: its result or the connection's error, and when that came."""

    def __init__(self, port, sid, code):
        super().__init__()
        self.port, self.sid, self.code = port, sid, code
        self.result = self.error = None

    def run(self):
        client = harness.Client(self.port)
        try:
            client.initialize()
            self.result = client.request("tools/call", {"name": "execute_code", "arguments": {
                "code": self.code, "session_id": self.sid, "timeout_seconds": 30}})["result"]
        except (OSError, http.client.HTTPException) as error:
            self.error = error
        except ValueError as error:  # an answer cut short is no JSON
            self.error = error
        client.connection.close()

    @property
    def text(self):
        return self.result["content"][0]["text"]


class Kills(unittest.TestCase):
    isolation = "execution"
    rounds = ROUNDS

    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        self.random = random.Random(SEED)
        print("seed %d, %d rounds" % (SEED, self.rounds), file=sys.stderr)
        self.cage = Cage()
        self.addCleanup(self.end_inmates)
        self.workspace = harness.Workspace()
        self.stack.callback(self.workspace.close)
        self.temporary = self.stack.enter_context(tempfile.TemporaryDirectory(prefix="lectern-test-"))
        os.chmod(self.temporary, 0o1777)
        usual = self.workspace.environment()
        self.workspace.environment = lambda: dict(usual, TMPDIR=self.temporary)
        self.sid = self.workspace.run("demo").stdout.decode().strip()
        script = self.cage.script(self.stack.enter_context(tempfile.TemporaryDirectory(prefix="lectern-test-")))
        self.plain, harness.LECTERN = harness.LECTERN, script
        self.addCleanup(setattr, harness, "LECTERN", self.plain)
        self.acknowledged = []
        self.server = None

    def end_inmates(self):
        for pid in self.cage.inmates():
            with contextlib.suppress(OSError):
                os.kill(pid, 9)
        self.until(lambda: not self.cage.inmates())
        self.cage.close()

    def start(self):
        self.server = harness.Server(self.workspace, "--sandbox", ENGINE, "--warm", "bare=2,data=0,plot=0", "--timeout", "30",
                                     "--isolation", self.isolation)
        server = self.server
        self.stack.callback(lambda: server.process.poll() is None and server.kill())
        return server

    def edit(self, label):
        editor = Editor(self.server.port, self.sid, label, self.acknowledged)
        editor.start()
        self.stack.callback(editor.stopping.set)
        return editor

    def call(self, code):
        caller = Caller(self.server.port, self.sid, code)
        caller.start()
        return caller

    @staticmethod
    def until(what, seconds=LEFT_SECONDS):
        """Whether it became true in that time."""
        deadline = time.monotonic() + seconds
        while not what():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True

    def check_next_call(self, handed_over=False):
        """A plain call is right; one that may have been handed over in the moment of the kill, or the one after it."""
        number = self.random.randrange(10 ** 9)
        caller = self.call("print(%d + 1)" % number)
        caller.join()
        self.assertIsNone(caller.error)
        if handed_over and category(caller.result) == "engine":
            self.assertTrue(caller.result["_meta"]["lectern/error"]["isRetryable"])
            self.check_next_call()
            return
        self.assertEqual(caller.text.split("\n")[0], str(number + 1))

    def check_edits(self):
        export = json.loads(subprocess.run([str(self.plain), "export", self.sid], check=True, capture_output=True,
                                           env=self.workspace.environment()).stdout)
        parts = next(node for node in export["nodes"] if node["node_id"] == "N001")["components"]
        there = {part["parameters"].get("text") for part in parts}
        self.assertEqual([text for text in self.acknowledged if text not in there], [])
        self.assertEqual([part["order"] for part in parts], list(range(1, len(parts) + 1)))

    def check_files(self):
        """Nothing but the store: no lock, no temporary file."""
        self.assertEqual(os.listdir(self.temporary), [])
        self.assertLessEqual(set(os.listdir(self.workspace.data)), {"lectern.db", "lectern.db-wal", "lectern.db-shm"})

    def check_nothing_left(self):
        """After the server's end."""
        self.assertTrue(self.until(lambda: not self.cage.inmates()), [watch.words(pid) for pid in self.cage.inmates()])
        if ENGINE == "docker":
            self.assertTrue(self.until(lambda: not harness.containers()), harness.containers())
        self.check_files()

    def interpreters(self):
        """{interpreter: its runner} of the sandboxes of this server."""
        folder = os.fsencode(os.environ.get("LECTERN_DOCKERD", "")) if ENGINE == "docker" else None

        def is_ours(pid):
            while pid > 1:
                if pid == self.server.process.pid or folder and folder in watch.words(pid):
                    return True
                pid = watch.number(pid, "PPid")
            return False

        found = {}
        for pid in processes():
            words = watch.words(pid)
            if b"interpreter.py" in words and b"/python3.11 " in words and is_ours(pid):
                above = watch.number(pid, "PPid")
                while b"interpreter.py" in watch.words(above):  # a process that was forked for a job
                    above = watch.number(above, "PPid")
                found[pid] = above
        return found

    def find_runners(self):
        """{size: the first process of the sandbox whose run holds that much}; nothing before each is there and full."""
        held = [(resident(pid), runner) for pid, runner in self.interpreters().items()]
        bounds = [*sorted(MEGABYTES.values()), 10 ** 6]
        found = {}
        for size, low in MEGABYTES.items():
            runners = [runner for amount, runner in held if low <= amount < bounds[bounds.index(low) + 1]]
            if len(runners) != 1:
                return {}
            found[size] = runners[0]
        return found

    # ---- the server ----

    def test_the_server(self):
        for number in range(self.rounds):
            with self.subTest(round=number):
                server = self.start()
                editor = self.edit("server %d" % number)
                self.check_next_call()
                callers = [self.call(code_of("small", 1)), self.call("while True: pass"),
                           self.call("from code_helpers import get_nodes\nwhile True: get_nodes()"), self.call("print(1)")]
                time.sleep(self.random.uniform(0, 1.2))
                server.kill()
                for caller in callers:
                    caller.join()
                editor.join()
                for caller in callers:
                    # Either it was answered before, rightly, or its connection ended.
                    self.assertTrue(caller.error is not None or category(caller.result) is None, caller.result)
                self.assertIsNotNone(callers[1].error)
                self.assertTrue(self.until(lambda: not self.cage.inmates()), [watch.words(pid) for pid in self.cage.inmates()])
                if ENGINE == "docker":
                    self.assertTrue(self.until(lambda: not harness.containers("--filter", "status=running")))
                self.check_edits()
        self.assertGreater(len(self.acknowledged), self.rounds)
        server = self.start()  # it clears what was created and never started
        self.check_next_call()
        self.assertEqual(server.close(), 0)
        self.check_nothing_left()
        self.check_edits()

    # ---- a sandbox's first process ----

    def kill_one(self):
        sizes = list(MEGABYTES)
        self.random.shuffle(sizes)
        node = "N%d" % self.random.randrange(10 ** 6, 10 ** 9)  # neither run ends by itself before the other is there
        dead, living = self.call(code_of(sizes[0], 0, ENDLESS)), self.call(code_until(sizes[1], 1, node))
        runners = {}
        self.assertTrue(self.until(lambda: runners.update(self.find_runners()) or runners),
                        [(resident(pid), pid) for pid in self.interpreters()])
        time.sleep(self.random.uniform(0, RUN_SECONDS / 2))
        os.kill(runners[sizes[0]], 9)
        dead.join()
        self.assertEqual(self.server.http("POST", "/session/%s/nodes" % self.sid, {"node_id": node, "title": node})[0], 200)
        living.join()
        self.assertEqual(category(dead.result), "engine", dead.text)
        self.assertTrue(dead.result["_meta"]["lectern/error"]["isRetryable"])
        self.assertEqual((category(living.result), living.text.split("\n")[0]), (None, "2 %d" % (MEGABYTES[sizes[1]] << 20)))
        self.check_next_call()

    def test_a_sandboxs_first_process(self):
        server = self.start()
        editor = self.edit("sandbox")
        self.check_next_call()
        for number in range(self.rounds):
            with self.subTest(round=number):
                self.kill_one()
        editor.stop()
        self.assertEqual(server.close(), 0)
        self.check_nothing_left()
        self.check_edits()
        self.assertGreater(len(self.acknowledged), self.rounds)

    def test_a_waiting_sandboxs_first_process(self):
        """Nobody's run: no call is given a sandbox that is known to be dead."""
        server = self.start()
        for number in range(self.rounds):
            with self.subTest(round=number):
                self.check_next_call()
                self.until(lambda: len(self.interpreters()) >= 2, 10)
                for runner in set(self.interpreters().values()):
                    with contextlib.suppress(OSError):
                        os.kill(runner, 9)
                wait = self.random.choice((0, 0.01, 0.5))
                time.sleep(wait)
                self.check_next_call(handed_over=wait < 0.5)
        self.assertEqual(server.close(), 0)
        self.check_nothing_left()

    # ---- the daemon ----

    @staticmethod
    def daemon(act):
        subprocess.run([str(DAEMON), act, os.environ["LECTERN_DOCKERD"]], check=True, capture_output=True)

    @unittest.skipUnless(ENGINE == "docker", "only where Docker runs the code")
    def test_the_daemon(self):
        self.addCleanup(self.daemon, "start")
        server = self.start()
        editor = self.edit("daemon")
        self.check_next_call()
        for number in range(self.rounds):
            with self.subTest(round=number):
                caller = self.call(code_of("small", 1))
                time.sleep(self.random.uniform(0, RUN_SECONDS))
                self.daemon("kill")
                caller.join()
                self.assertIsNone(caller.error)
                if category(caller.result) is not None:
                    self.assertEqual(category(caller.result), "engine", caller.text)
                # While it is away a call says so. The sandboxes that waited in the pool are away with it.
                away = self.call("print(1)")
                away.join()
                self.assertEqual(category(away.result), "engine", away.text)
                self.assertTrue(away.result["_meta"]["lectern/error"]["isRetryable"])
                self.assertEqual(server.http("GET", "/health")[0], 200)
                self.daemon("start")

                def is_back():
                    again = self.call("print(%d + 1)" % number)
                    again.join()
                    if category(again.result) is None:
                        self.assertEqual(again.text.split("\n")[0], str(number + 1))
                        return True
                    self.assertIn(category(again.result), ("engine", "busy"), again.text)
                    return False

                self.assertTrue(self.until(is_back, BACK_SECONDS))
        editor.stop()
        self.assertEqual(server.close(), 0)
        self.check_nothing_left()
        self.check_edits()
        self.assertGreater(len(self.acknowledged), self.rounds)


class KillsWhereSandboxesStay(Kills):
    """The same with sandboxes that stay with their session, less often."""
    isolation = "session"
    rounds = max(ROUNDS // 4, 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
