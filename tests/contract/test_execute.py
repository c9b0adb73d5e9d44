# SPDX-License-Identifier: GPL-3.0-or-later
"""POST /execute as programs use it: results, refusals, answers to invalid requests, who may request which limits, and that a client that
disconnects ends its run."""
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import time
import unittest

import harness

MEMBERS = {"stdout", "stderr", "result", "error", "exit_code", "execution_time", "artifacts", "error_info"}
ENDLESS = "while True:\n    pass"
GONE_SECONDS = 15  # until a run that nobody waits for is over; far under the 60 s that it may run
QUEUE = 64

WRONG = [
    # body, where the fault is, what the answer must say
    (b"{", ["body"], "send"),
    (b"", ["body"], "send"),
    ([1], ["body"], "object"),
    ({}, ["body", "code"], "is needed"),
    ({"code": None}, ["body", "code"], "must be text, not null"),
    ({"code": 7}, ["body", "code"], "text"),
    ({"code": "1", "warning": True}, ["body", "warning"], "did you mean 'warnings'?"),
    ({"code": "1", "warnings": "yes"}, ["body", "warnings"], "true or false"),
    ({"code": "1", "timeout_seconds": 0}, ["body", "timeout_seconds"], "1 to 3600"),
    ({"code": "1", "timeout_seconds": 1.5}, ["body", "timeout_seconds"], "whole number"),
    ({"code": "1", "timeout_seconds": True}, ["body", "timeout_seconds"], "whole number"),
    ({"code": "1", "session_id": 5}, ["body", "session_id"], "text"),
    ({"code": "1", "profile": "root"}, ["body", "profile"], "minimal"),
    ({"code": "1", "profile": "visualization"}, ["body", "profile"], "data-science"),
]


class ExecuteCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workspace = harness.Workspace()
        cls.sid = cls.workspace.run("demo").stdout.decode().strip()
        cls.server = harness.Server(cls.workspace, "--timeout", "60")

    @classmethod
    def tearDownClass(cls):
        assert cls.server.close() == 0
        cls.workspace.close()

    def execute(self, code, **fields):
        status, answer, _ = self.server.http("POST", "/execute", {"code": code, **fields})
        self.assertEqual(status, 200, answer)
        self.assertEqual(set(answer), MEMBERS)
        return answer


class Execute(ExecuteCase):
    def test_results(self):
        answer = self.execute("print('one')\n1 + 1")
        self.assertEqual((answer["stdout"], answer["result"], answer["error"]), ("one\n", "2", None))
        self.assertEqual((answer["exit_code"], answer["stderr"], answer["artifacts"]), (0, "", []))
        self.assertGreater(answer["execution_time"], 0)
        answer = self.execute("print('before')\n1/0")
        self.assertEqual((answer["stdout"], answer["exit_code"]), ("before\n", 1))
        self.assertIn("ZeroDivisionError", answer["error"])
        answer = self.execute("print('\\u20ac\\0\\x1b')")
        self.assertEqual(answer["stdout"], "\u20ac\0\x1b\n")

    def test_error_info(self):
        self.assertIsNone(self.execute("1")["error_info"])
        for code, fields, category, known in (
                ("x = 1\nimport os", {}, "validation", {"rule": "import-not-allowed", "line": 2, "column": 8}),
                ("1\n1/0", {}, "runtime", {"errorType": "ZeroDivisionError", "line": 2}),
                (ENDLESS, {"timeout_seconds": 1}, "timeout", {"limit": {"name": "timeout_seconds", "value": 1}}),
                ("x = 'a' * 10**9\ny = bytearray(8 * 10**9)", {}, "memory", {"errorType": "MemoryError"})):
            with self.subTest(code=code):
                info = self.execute(code, **fields)["error_info"]
                self.assertEqual((info["errorCategory"], info["isRetryable"], info["isRepairable"]), (category, False, True), info)
                self.assertTrue(info["context"]["message"])
                self.assertEqual({name: info["context"].get(name) for name in known}, known)
        for body, category in (({"code": "1", "session_id": "nope"}, "not_found"), ({"code": 7}, "validation")):
            answer = self.server.http("POST", "/execute", body)[1]
            self.assertEqual((answer["error_info"]["errorCategory"], answer["error_info"]["isRepairable"]), (category, True))

    def test_refusals(self):
        answer = self.execute("import os")
        self.assertTrue(answer["error"].startswith("Code analysis blocked: line 1: "), answer)
        self.assertEqual((answer["exit_code"], answer["execution_time"], answer["stdout"]), (3, 0, ""))
        answer = self.execute("import pandas", profile="minimal")
        self.assertIn("Code analysis blocked", answer["error"])
        self.assertIsNone(self.execute("import math\nmath.pi", profile="minimal")["error"])

    def test_timeout_is_cut_to_the_wish(self):
        answer = self.execute(ENDLESS, timeout_seconds=1)
        self.assertEqual(answer["exit_code"], 124)
        self.assertLess(answer["execution_time"], 60 / 2)

    def test_session(self):
        code = "from code_helpers import get_nodes\nprint(len(get_nodes()))"
        self.assertEqual(self.execute(code, session_id=self.sid)["stdout"], "40\n")
        title = "Demo curriculum"
        self.assertEqual(self.execute(code, session_id=title)["stdout"], "40\n")
        status, answer, _ = self.server.http("POST", "/execute", {"code": code, "session_id": title[:-1]})
        self.assertEqual((status, "did you mean '%s'" % title in answer["detail"]), (404, True), answer)
        without = self.execute(code)
        self.assertIn("session", without["error"])
        status, answer, _ = self.server.http("POST", "/execute", {"code": "1", "session_id": "nope"})
        self.assertEqual(status, 404)
        self.assertIn("nope", answer["detail"])

    def test_warnings_only_when_asked_for(self):
        code = "import numpy as np\nprint(np.array([1.0]) / np.array([0.0]))"
        self.assertEqual(self.execute(code)["stderr"], "")
        self.assertIn("RuntimeWarning", self.execute(code, warnings=True)["stderr"])

    def test_wrong_requests(self):
        for body, loc, says in WRONG:
            with self.subTest(body=body):
                status, answer, _ = self.server.http("POST", "/execute", body)
                self.assertEqual(status, 422, answer)
                self.assertEqual(answer["detail"][0]["loc"], loc)
                self.assertIn(says, answer["detail"][0]["msg"])
        status, answer, headers = self.server.http("GET", "/execute")
        self.assertEqual((status, headers["Allow"]), (405, "POST, OPTIONS"))
        self.assertEqual(self.server.http("OPTIONS", "/execute")[0], 204)
        self.assertEqual(self.server.http("POST", "/execute", b"code=1", **{"Content-Type": "text/plain"})[0], 415)
        self.assertEqual(self.server.http("POST", "/execute", {"code": "1"}, Host="evil.example")[0], 403)
        self.assertEqual(self.server.http("POST", "/execute", {"code": "1"}, Origin="http://evil.example")[0], 403)


class Busy(ExecuteCase):
    def busy_runs(self):
        text = self.server.http("GET", "/metrics")[1].decode()
        return int(next(line for line in text.splitlines() if line.startswith("lectern_runs_running ")).split()[1])

    def wait_for_runs(self, count, seconds=GONE_SECONDS):
        limit = time.monotonic() + seconds
        while self.busy_runs() != count:
            self.assertLess(time.monotonic(), limit, "%d runs, not %d" % (self.busy_runs(), count))
            time.sleep(0.05)

    def send(self, code):
        body = json.dumps({"code": code}).encode()
        client = socket.create_connection(("127.0.0.1", self.server.port))
        client.sendall(b"POST /execute HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                       b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        return client

    def test_a_client_that_leaves_ends_its_run(self):
        client = self.send(ENDLESS)
        self.wait_for_runs(1)
        client.close()
        self.wait_for_runs(0)
        client = self.send(ENDLESS)
        client.close()  # before it began, or just after
        self.assertEqual(self.execute("6 * 7")["result"], "42")
        self.wait_for_runs(0)

    def test_a_full_queue_says_when_to_come_again(self):
        clients, told = [], None
        try:
            for _ in range(4 * QUEUE):
                clients.append(self.send(ENDLESS))
            for client in clients:
                client.settimeout(0)
            limit = time.monotonic() + GONE_SECONDS
            while told is None and time.monotonic() < limit:
                for client in clients:
                    try:
                        told = client.recv(65536)
                        break
                    except BlockingIOError:
                        pass
                time.sleep(0.01)
        finally:
            for client in clients:
                client.close()
        self.assertIsNotNone(told, "all of %d were taken" % len(clients))
        head, _, body = told.partition(b"\r\n\r\n")
        self.assertIn(b" 503 ", head.splitlines()[0])
        fields = {line.split(b": ")[0].lower(): line.split(b": ")[1] for line in head.splitlines()[1:]}
        self.assertGreaterEqual(int(fields[b"retry-after"]), 1)
        self.assertIn("detail", json.loads(body))
        info = json.loads(body)["error_info"]
        self.assertEqual((info["errorCategory"], info["isRetryable"], info["isRepairable"]), ("busy", True, False))
        self.assertGreaterEqual(info["context"]["retryAfterSeconds"], 1)
        # The server learns of each client's end in its turn; until then its queue may be full.
        limit = time.monotonic() + 60
        while (status := self.server.http("POST", "/execute", {"code": "6 * 7"})[0]) == 503 and time.monotonic() < limit:
            time.sleep(0.2)
        self.assertEqual(status, 200)
        self.wait_for_runs(0, 60)


class NoExecutor(unittest.TestCase):
    def test_it_says_what_is_missing(self):
        workspace = harness.Workspace()
        server = harness.Server(workspace, "--sandbox", "docker", "--docker-host", "unix:///no/such/socket")
        status, answer, headers = server.http("POST", "/execute", {"code": "1"})
        self.assertEqual(status, 503)
        self.assertTrue(answer["detail"])
        self.assertEqual((answer["error_info"]["errorCategory"], answer["error_info"]["isRetryable"]), ("engine", True))
        self.assertGreaterEqual(int(headers["Retry-After"]), 1)
        self.assertEqual(server.http("POST", "/execute", {"code": "import os"})[1]["exit_code"], 3)
        self.assertEqual(server.close(), 0)
        workspace.close()


class ExecCase(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)


class Exec(ExecCase):
    """lectern exec: the same result from the shell."""

    def test_json_has_the_documented_members(self):
        done = self.workspace.run("exec", "--json", stdin=b"print('x')\n1 + 1")
        answer = json.loads(done.stdout)
        self.assertEqual(set(answer), {"ok", "stdout", "stderr", "result", "error", "exit_code", "seconds", "error_info"})
        self.assertEqual((answer["ok"], answer["stdout"], answer["result"]), (True, "x\n", "2"))
        self.assertIsNone(answer["error_info"])

    def test_json_says_what_went_wrong(self):
        for code, words, status, category, known in (
                (b"import os", (), 3, "validation", {"rule": "import-not-allowed", "line": 1, "column": 8}),
                (b"1\n1/0", (), 1, "runtime", {"errorType": "ZeroDivisionError", "line": 2}),
                (b"while True: pass", ("--timeout", "1"), 124, "timeout",
                 {"limit": {"name": "timeout_seconds", "value": 1}}),
                (b"1", ("--session", "nope"), 1, "not_found", {}),
                (b"1", ("--sandbox", "docker", "--docker-host", "unix:///no/such/socket"), 127, "engine", {})):
            with self.subTest(code=code, words=words):
                done = self.workspace.run("exec", "--json", *words, stdin=code, check=False)
                answer = json.loads(done.stdout)
                self.assertEqual((done.returncode, answer["ok"], answer["exit_code"]), (status, False, status))
                info = answer["error_info"]
                self.assertEqual((info["errorCategory"], info["isRetryable"]), (category, category == "engine"), info)
                self.assertEqual({name: info["context"].get(name) for name in known}, known)


class ExecLibraries(ExecCase):
    def test_warnings(self):
        code = b"import numpy as np\nprint(np.array([1.0]) / np.array([0.0]))"
        self.assertNotIn(b"RuntimeWarning", self.workspace.run("exec", stdin=code).stderr)
        self.assertIn(b"RuntimeWarning", self.workspace.run("exec", "--warnings", stdin=code).stderr)

    def test_tables_are_read_from_text(self):
        code = b"import io\nimport pandas as pd\npd.read_csv(io.StringIO('a,b\\n1,2\\n3,4'))['b'].tolist()"
        self.assertEqual(json.loads(self.workspace.run("exec", "--json", stdin=code).stdout)["result"], "[2, 4]")

    def test_charts_without_an_import_of_matplotlib(self):
        for code in (b"import networkx as nx\nnx.draw(nx.path_graph(3))", b"import pandas as pd\npd.Series([1, 2]).plot()\n0"):
            done = self.workspace.run("exec", "--json", "--profile", "visualization", stdin=code)
            self.assertEqual(len(json.loads(done.stdout)["artifacts"]), 1, done.stdout[:500])
            self.assertIn(b"Code analysis blocked", self.workspace.run("exec", stdin=code, check=False).stderr)

    def test_running_out_of_memory_names_the_limit_of_the_kind(self):
        """The interpreter and the libraries count too, so much less than the limit may be too much."""
        table = (harness.ROOT / "executor/kinds.c").read_text()
        limits = {kind: int(limit) for kind, limit in re.findall(r'\.name = "(\w+)".*\.memory_mb = (\d+)', table)}
        for kind, library in (("bare", "math"), ("data", "numpy"), ("plot", "matplotlib.pyplot")):
            with self.subTest(kind):
                code = "import %s\nbytearray(%d << 20)" % (library, limits[kind] - 20)
                done = self.workspace.run("exec", "--json", "--profile", "visualization", stdin=code.encode(), check=False)
                answer = json.loads(done.stdout)
                self.assertEqual(answer["error"], "MemoryError: the code needed more than the %d MB of memory that it may use together with the interpreter"
                                                  " and the libraries at line 2; keep less at a time" % limits[kind])
                self.assertEqual(answer["error_info"]["context"]["limit"], {"name": "memory_mb", "value": limits[kind]})

    def test_charts_have_the_characters_of_other_scripts(self):
        """Without glyphs each character is the same box, so the charts of two words are the same. In each sandbox the font is another file."""
        charts = []
        for word in ("\u5206\u6570", "\u9664\u6cd5", "\U00012000"):
            code = "import matplotlib.pyplot as plt\nplt.title(%r)\nplt.plot([1])" % word
            charts.append(json.loads(self.workspace.run("exec", "--json", "--profile", "visualization", stdin=code.encode()).stdout))
        self.assertNotEqual(*(chart["artifacts"][0]["base64"][:10000] for chart in charts[:2]))
        self.assertEqual([chart["stderr"] for chart in charts],
                         ["", "", "the fonts of the figures have no glyph for: \U00012000 (U+12000)\n"])

    def test_a_printed_table_has_all_its_columns(self):
        code = b"import pandas as pd\nprint(pd.DataFrame([[10 ** 8] * 40], columns=['column_%d' % n for n in range(40)]))"
        head, row = self.workspace.run("exec", stdin=code).stdout.decode().splitlines()
        self.assertEqual((head.split(), len(row.split())), (["column_%d" % n for n in range(40)], 41))


class Signals(unittest.TestCase):
    """A signal ends the run of lectern exec, whether the sandbox has just been started or the code is running."""

    def check(self, number, reached):
        workspace = harness.Workspace()
        self.addCleanup(workspace.close)
        program = pathlib.Path(workspace.data, "endless.py")
        program.write_text("while True:\n    pass")
        process = subprocess.Popen([str(harness.LECTERN), "exec", "--timeout", "60", str(program)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=workspace.environment())
        while not reached(process.pid, number):
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        process.send_signal(number)
        _, said = process.communicate(timeout=harness.ANSWER_SECONDS)
        self.assertEqual(process.returncode, 128 + number, said)
        harness.check_log(said)

    @staticmethod
    def handled(pid, number):
        caught = re.search(r"^SigCgt:\s*(\w+)$", pathlib.Path("/proc/%d/status" % pid).read_text(), re.MULTILINE).group(1)
        return int(caught, 16) >> (number - 1) & 1

    def running(self, pid, number):
        """Only the code uses that much time of a processor; a container is a child of its daemon."""
        top = 1 if os.environ.get("LECTERN_SANDBOX") == "docker" else pid
        return self.handled(pid, number) and any(seconds > 1.2 for child, seconds in harness.descendants(top).items()
                                                 if harness.is_interpreter(child))

    def test_at_the_start(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            self.check(number, self.handled)

    def test_while_the_code_runs(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            self.check(number, self.running)


if __name__ == "__main__":
    unittest.main(verbosity=2)
