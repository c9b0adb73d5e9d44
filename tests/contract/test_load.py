# SPDX-License-Identifier: GPL-3.0-or-later
"""32 concurrent callers: no wrong answer, no starvation, no growth. Each caller has its own session and numbers, so an answer to another
caller is detected; some calls fail, time out, are cancelled, or disconnect on purpose.

LECTERN_LOAD_SECONDS: duration (6); LECTERN_LOAD_RUNS: minimum number of runs in the test of growth (100). `make bench` takes 120 s and
10,000 runs.
"""
import contextlib
import http.client
import json
import os
import random
import re
import statistics
import sys
import threading
import time
import unittest

import harness

ENGINE = os.environ.get("LECTERN_SANDBOX", harness.LOCAL)
SECONDS = float(os.environ.get("LECTERN_LOAD_SECONDS", "6"))
RUNS = int(os.environ.get("LECTERN_LOAD_RUNS", "100"))
CALLERS = 32
GROWTH_CALLERS = 4
CALL_SECONDS = 120
SETTLE_SECONDS = 6  # for what runs to end and what waits to be full again
# The slowest caller's answers against the mean: calls differ in length, but nobody is left behind. Where sandboxes stay with
# sessions there are fewer of them than sessions, and who has one is quick; whoever waits has it within the server's 30 s.
FAIR = {"execution": 0.4, "auto": 0.05}
SANDBOXES = min(64, max(4, 8 * len(os.sched_getaffinity(0))))  # there may be at most, plan_room() with enough memory
# Of the server: what may come and go, with sandboxes that are waiting or stay with a session; what goes beyond has grown.
SLACK = {"kB resident": 6 * 1024, "descriptors": 3 * SANDBOXES, "threads": 2, "children": 5 * SANDBOXES, "containers": SANDBOXES}


def resident(pid):
    with open("/proc/%d/status" % pid, encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))


def is_sanitized(pid):
    """A sanitizer keeps memory of its own, and keeps what was freed."""
    with open("/proc/%d/maps" % pid, encoding="utf-8") as maps:
        return bool(re.search(r"lib[at]san|libclang_rt", maps.read()))


def children(pid):
    found = []
    for thread in os.listdir("/proc/%d/task" % pid):
        with contextlib.suppress(OSError), open("/proc/%d/task/%s/children" % (pid, thread), encoding="ascii") as text:
            for child in text.read().split():
                found += [int(child), *children(int(child))]
    return found


def containers():
    if ENGINE != "docker":
        return 0
    return len(harness.containers())


def measure(pid):
    """What there is of each now."""
    with contextlib.suppress(OSError):
        return {"kB resident": resident(pid), "descriptors": len(os.listdir("/proc/%d/fd" % pid)),
                "threads": len(os.listdir("/proc/%d/task" % pid)), "children": len(children(pid)),
                "containers": containers()}
    raise AssertionError("the server is gone")


def grown(before, after):
    """What there is more of afterwards, beyond what may come and go."""
    return {name: (before[name], after[name]) for name in before if after[name] > before[name] + SLACK[name]}


def category(result):
    return result.get("_meta", {}).get("lectern/error", {}).get("errorCategory") if result.get("isError") else None


class Caller(threading.Thread):
    """One client with a session and a series of random numbers of its own. It calls until the time is over and it has had an answer,
    however slow the machine is; one that is left without an answer for CALL_SECONDS more was starved."""

    def __init__(self, server, sid, number, until):
        super().__init__(name="caller %d" % number)
        self.server, self.sid, self.number, self.until = server, sid, number, until
        self.random = random.Random("%d of %s" % (number, sid))
        self.right, self.busy, self.wrong, self.longest = 0, 0, [], 0.0

    def run(self):
        self.client = self.connect()
        deeds = [self.sum] * 6 + [self.nodes] * 4 + [self.table, self.mistake, self.mistake, self.leave]
        slow = [self.endless, self.cancel]
        try:
            while self.goes_on() and not self.wrong:
                self.random.choice(slow if self.random.random() < 0.02 else deeds)()
        except (AssertionError, OSError, http.client.HTTPException, KeyError, ValueError) as error:
            self.wrong.append("%s: %r" % (self.name, error))
        self.client.connection.close()

    def goes_on(self):
        over = time.monotonic() - self.until
        return over < 0 or (self.right == 0 and over < CALL_SECONDS)

    def connect(self):
        client = harness.Client(self.server.port)
        client.connection.timeout = CALL_SECONDS
        client.initialize()
        return client

    def call(self, code, seconds=None):
        """The result; where it is busy, after the time that it says."""
        while True:
            arguments = {"code": code, "session_id": self.sid}
            if seconds:
                arguments["timeout_seconds"] = seconds
            began = time.monotonic()
            result = self.client.request("tools/call", {"name": "execute_code", "arguments": arguments})["result"]
            self.longest = max(self.longest, time.monotonic() - began)
            if category(result) != "busy" or time.monotonic() > self.until:
                return result
            self.busy += 1
            told = result["_meta"]["lectern/error"]
            self.check(told["isRetryable"] is True, result)
            time.sleep(min(float(told.get("retryAfterSeconds", 1)), 10))

    def check(self, good, what):
        if not good:
            self.wrong.append("%s: %s" % (self.name, json.dumps(what)[:600]))

    def expect(self, code, text, wanted=None, **words):
        result = self.call(code, **words)
        if category(result) == "busy":
            return  # the time is over
        got = result["content"][0]["text"]
        self.check(category(result) == wanted and text in got, [code, text, wanted, result])
        self.right += 1

    def sum(self):
        number = self.random.randrange(10 ** 12)
        self.expect("print(%d * 3, session_id)" % number, "%d %s\n" % (number * 3, self.sid))

    def nodes(self):
        number = self.random.randrange(10 ** 12)
        self.expect("from code_helpers import get_nodes\nprint(get_nodes()[%d]['title'], %d + 1)" % (number % 5, number),
                    "caller %d node %d %d\n" % (self.number, number % 5, number + 1))

    def table(self):
        number = self.random.randrange(10 ** 6)
        self.expect("import pandas as pd\nprint(pd.Series([%d, 2]).sum())" % number, "%d\n" % (number + 2))

    def mistake(self):
        number = self.random.randrange(10 ** 12)
        self.expect("print('before %d')\n{}['key %d']" % (number, number), "key %d" % number, "runtime")

    def endless(self):
        number = self.random.randrange(10 ** 12)
        self.expect("print(%d + 1)\nwhile True: pass" % number, "%d\n" % (number + 1), "timeout", seconds=1)

    def leave(self):
        """Sends a call and hangs up."""
        other = self.connect()
        other.connection.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": "left", "method": "tools/call", "params": {
            "name": "execute_code", "arguments": {"code": "print('left')", "session_id": self.sid}}}), {
                "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                "Mcp-Session-Id": other.session, "MCP-Protocol-Version": other.version})
        time.sleep(self.random.uniform(0, 0.05))
        other.connection.close()

    def cancel(self):
        """Cancels an endless call by its id, from a second connection of the same MCP session."""
        other = harness.Client(self.server.port)
        other.session, other.version = self.client.session, self.client.version
        ident = self.client.last_id + 1
        timer = threading.Timer(self.random.uniform(0.05, 0.5), lambda: other.notify(
            "notifications/cancelled", {"requestId": ident}))
        timer.start()
        try:
            result = self.client.request("tools/call", {"name": "execute_code", "arguments": {
                "code": "while True: pass", "session_id": self.sid, "timeout_seconds": 5}})
            self.check(category(result.get("result", {})) in ("cancelled", "timeout", "busy"), result)
        except (AssertionError, OSError, http.client.HTTPException, StopIteration, RuntimeError):
            self.client.connection.close()  # a cancelled request need not be answered
            self.client = self.connect()
        finally:
            timer.join()
            other.connection.close()


class Serving(unittest.TestCase):
    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        self.workspace = harness.Workspace()
        self.stack.callback(self.workspace.close)

    def sessions(self, count):
        path = os.path.join(self.workspace.data, "curriculum.json")
        found = []
        for number in range(count):
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"meta": {}, "relationships": [], "nodes": [
                    {"node_id": "N%d" % node, "title": "caller %d node %d" % (number, node), "components": []}
                    for node in range(5)]}, file)
            found.append(self.workspace.load(path))
        return found

    def start(self, isolation):
        server = harness.Server(self.workspace, "--sandbox", ENGINE, "--isolation", isolation)
        self.stack.callback(lambda: server.process.poll() is None and server.close())
        server.initialize()
        return server

    def settled(self, server, enough=lambda least: False):
        """What there is once nothing runs: the least of several looks, as what waits is being filled up. Looks no more once it is enough."""
        least = measure(server.process.pid)
        deadline = time.monotonic() + SETTLE_SECONDS
        while time.monotonic() < deadline and not enough(least):
            time.sleep(0.5)
            least = {name: min(amount, least[name]) for name, amount in measure(server.process.pid).items()}
        return least


class Load(Serving):
    def check_growth(self, server, before, after):
        more = grown(before, after)
        if is_sanitized(server.process.pid):
            more.pop("kB resident", None)
        self.assertEqual(more, {})

    def call_all(self, server, sessions, seconds):
        until = time.monotonic() + seconds
        callers = [Caller(server, sid, number, until) for number, sid in enumerate(sessions)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        return callers

    def load(self, isolation):
        sessions = self.sessions(CALLERS)
        server = self.start(isolation)
        self.call_all(server, sessions, 3)  # what grows once, as tables and arenas do, has grown
        before = self.settled(server)
        callers = self.call_all(server, sessions, SECONDS)
        after = self.settled(server, lambda least: not grown(before, least))
        counts = sorted(caller.right for caller in callers)
        print("%s, %s: %d right answers in %g s, %d to the slowest, %g to the median, %d to the quickest caller; the "
              "longest took %.1f s; %d busy; before %s, after %s" % (ENGINE, isolation, sum(counts), SECONDS, counts[0], statistics.median(counts), counts[-1],
                                       max(caller.longest for caller in callers), sum(caller.busy for caller in callers),
                                       before, after), file=sys.stderr)
        self.assertEqual([text for caller in callers for text in caller.wrong], [])
        self.assertGreater(counts[0], 0)
        if statistics.mean(counts) >= 10:
            self.assertGreater(counts[0], FAIR[isolation] * statistics.mean(counts))
        self.check_growth(server, before, after)
        self.assertEqual(server.close(), 0)
        self.assertEqual(containers(), 0)

    def test_fresh_for_each_execution(self):
        self.load("execution")

    def test_a_new_one_or_that_of_the_session(self):
        self.load("auto")

    def test_no_growth_in_many_runs_of_few_sessions(self):
        sessions = self.sessions(GROWTH_CALLERS)
        server = self.start("session")
        self.call_all(server, sessions, 5)
        before, done, began = self.settled(server), 0, time.monotonic()
        halfway = None
        while done < RUNS:
            callers = self.call_all(server, sessions, 5)
            self.assertEqual([text for caller in callers for text in caller.wrong], [])
            done += sum(caller.right for caller in callers)
            if halfway is None and done >= RUNS / 2:
                halfway = resident(server.process.pid)
        took = time.monotonic() - began
        after = self.settled(server, lambda least: not grown(before, least))
        print("%s: %d runs in %.0f s, %.0f a second; resident %d kB before, %s halfway, %d after; %s" % (
            ENGINE, done, took, done / took, before["kB resident"], halfway, after["kB resident"], after), file=sys.stderr)
        self.check_growth(server, before, after)
        self.assertEqual(server.close(), 0)
        self.assertEqual(containers(), 0)


class Idle(Serving):
    """What an idle server on the demo curriculum keeps resident: less than 25 MB."""
    MEGABYTES = 25

    def test_resident_memory(self):
        self.workspace.run("demo")
        server = self.start("execution")
        server.good("execute_code", code="import pandas\nprint(1)")
        if is_sanitized(server.process.pid):
            self.skipTest("a sanitizer has memory of its own")
        amount = self.settled(server)["kB resident"]
        print("%s: %.1f MB resident" % (ENGINE, amount / 1024), file=sys.stderr)
        self.assertLess(amount, self.MEGABYTES * 1024)
        self.assertEqual(server.close(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
