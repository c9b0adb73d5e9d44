# SPDX-License-Identifier: GPL-3.0-or-later
"""The layers behind the validator, each left out in turn: the hostile programs pass through a complete server whose validator refuses
nothing, to an interpreter without the policy, in real sandboxes. The effects are observed from outside: the output, the processes that the
kernel saw start, connections to a port, and whether each call got its own answer and the next one the correct one.

LECTERN_SANDBOX: local, process or docker. LECTERN_WHOLE=1 (make soak): every program with every layer left out. Otherwise one program of each sort,
that is of each family and effect, drawn anew in each run from LECTERN_SEED: of ENGINE_CAP sorts, and where a further layer is left out or a sandbox
stays of SORT_CAP.
"""
import concurrent.futures
import contextlib
import json
import os
import pathlib
import random
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

import sandbox
import watch
from test_corpus import CANARY, hostile_cases

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "contract"))
import harness  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
TESTS = sandbox.BUILD / "tests/sandbox"
ENGINE = os.environ.get("LECTERN_SANDBOX", "local")
WHOLE = os.environ.get("LECTERN_WHOLE") == "1"
AT_ONCE = 4
SECONDS = 1
SEED = int(os.environ.get("LECTERN_SEED", random.randrange(10 ** 9)))
SORT_CAP = 20 if ENGINE == "local" else 6  # with a layer left out besides validator and policy, unless WHOLE
ENGINE_CAP = 60 if ENGINE == "local" else 20
CALL_SECONDS = 150
BUSY_TRIES = 5
# What a call may end as. "engine" is not among them: that would be a sandbox that broke, or a frame that was lost.
ENDS = {None, "runtime", "timeout", "memory", "output", "validation", "cancelled"}
# What lies about: a user's name, the password file, a listing of the canary's folder.
LEAKS = re.compile(r"uid=\d|root:[x*]:|\['canary\.txt'")

# Ways to do harm that do not mind a judgement: everything by way of modules that are loaded already.
OWN = """
import statistics
sys = statistics.sys
os = sys.modules["os"]
def attempt(act):
    try:
        print("DONE", act())
    except BaseException as error:
        print(type(error).__name__)
"""
PROBES = {
    "open": "attempt(lambda: open('/srv/canary.txt').read())",
    "os.open": "attempt(lambda: os.read(os.open('/srv/canary.txt', os.O_RDONLY), 100))",
    "FileIO": "attempt(lambda: sys.modules['_io'].FileIO('/srv/canary.txt').read())",
    "passwd": "attempt(lambda: open('/etc/passwd').read())",
    "runner's environment": "attempt(lambda: open('/proc/1/environ').read() or 'root:x:')",
    "write": "attempt(lambda: open('/tmp/x', 'w').write('x') and 'root:x:')",
    "fork": "attempt(os.fork)",
    "posix_spawn": "attempt(lambda: os.posix_spawn('/bin/true', ['true'], {}))",
    "exec": "attempt(lambda: os.execv('/bin/sh', ['sh', '-c', 'cat /srv/canary.txt']))",
    "system": "attempt(lambda: os.system('cat /srv/canary.txt'))",
    "thread": "attempt(lambda: __import__('_thread').start_new_thread(print, (1,)))",
    "socket": "socket = sys.modules['builtins'].__import__('socket')\n"
              "attempt(lambda: socket.create_connection(('127.0.0.1', %(port)d), 1).sendall(b'x'))",
    "kill": "attempt(lambda: os.kill(os.getppid(), 9))\nattempt(lambda: os.kill(-1, 9))",
    "frames": "for fd in range(3, 12):\n    attempt(lambda: os.write(fd, b'x\\0\\0\\0\\0\\0\\0\\x02{}' * 50))",
    "a forged ready": "attempt(lambda: os.write(3, b'R\\0\\0\\0\\0\\0\\0\\x0d{\"python\":\"3\"}'))",
    "a forged end": "attempt(lambda: os.write(1, b'x\\0\\0\\0\\0\\0\\0\\x02{}' * 3))",
    "a forged disagreement": "result = b'{\"disagreement\":{\"code\":\"forbidden-name\",\"line\":3},\"error\":\"forged\",\"exit_code\":1}'\n"
                             "os.write(3, b'v\\0\\0\\0' + len(result).to_bytes(4, 'big') + result)\nwhile True: pass",
    "another's session": "def ask(path):\n    os.write(3, b'q\\0\\0\\0' + (len(path) + 8).to_bytes(4, 'big') + b'\\0\\0\\0\\7GET ' + path)\n"
                         "    return os.read(3, 65536)\n"
                         "attempt(lambda: ask(b'/session/%(other)s/nodes'))",
    "another's session by helper": "from code_helpers import get_nodes\nattempt(lambda: get_nodes('%(other)s'))",
    "another's content": "from code_helpers import get_nodes\nattempt(lambda: get_nodes('../%(other)s'))\n"
                         "attempt(lambda: get_nodes(session_id + '/../%(other)s'))",
}
SAYS = {"a forged disagreement": "forged"}  # the run's own word, told as an error of the code
PROBES = {name: OWN + code for name, code in PROBES.items()}

# What is left out, and what it is left out of. Each row must hold by what is not.
ROWS = {
    "validator and policy": {},
    "seccomp": {"runner": "runner_without_seccomp"},
    "Landlock": {"runner": "runner_without_landlock"},
    "guard": {"guard": "no_guard.py"},
    "limits of the container": {"server": "lectern_without_limits"},
}
EVERYTHING = {"runner": "runner_without_walls", "guard": "no_guard.py", "server": "lectern_without_limits"}


def category(answer):
    return answer.get("_meta", {}).get("lectern/error", {}).get("errorCategory") if answer.get("isError") else None


class Setting:
    """A server without a validator, on sandboxes with some layer left out, and sessions: those that ask, one with a secret."""

    def __init__(self, stack, secret, runner=None, guard=None, policy=False, server="lectern_without_validator", words=(), asking=1,
                 further=None):
        """further: {name in the share folder: file}"""
        self.secret, self.clients = secret, []
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lectern-test-")))
        folder.chmod(0o755)
        self.share = share = folder / "share"
        shutil.copytree(sandbox.SHARE, share)
        if not policy:
            shutil.copyfile(HERE / "no_policy.py", share / "policy.py")
        if runner:
            shutil.copyfile(TESTS / runner, share / "runner")
        if guard:
            shutil.copyfile(HERE / guard, share / "guard.py")
        for name, file in (further or {}).items():
            shutil.copy(file, share / name)
        environment = {}
        if ENGINE == "docker":
            environment["LECTERN_IMAGE"] = self.build(stack, share, further or {})
        self.workspace = harness.Workspace()
        stack.callback(self.workspace.close)
        usual = self.workspace.environment
        self.workspace.environment = lambda: dict(usual(), **environment)
        nodes = [{"node_id": "N%03d" % number, "title": "%s", "components": [
            {"component_type": "paragraph", "order": 1, "parameters": {"text": "%s"}}]} for number in range(1, 60)]
        self.sids = [self.load(folder, nodes, "plain") for _ in range(asking)]
        self.sid = self.sids[0]
        self.other = self.load(folder, nodes, self.secret)
        harness.LECTERN, usual_binary = TESTS / server, harness.LECTERN
        try:
            self.server = harness.Server(self.workspace, "--sandbox", ENGINE, "--share", str(share), *words)
        finally:
            harness.LECTERN = usual_binary
        stack.callback(self.end)

    def load(self, folder, nodes, text):
        path = folder / "curriculum.json"
        path.write_text(json.dumps({"meta": {"title": "t"}, "nodes": nodes, "relationships": []}).replace("%s", text))
        return self.workspace.load(path)

    def build(self, stack, share, further):
        """The image of that share folder, with the canary and the further files in it."""
        base, image = "lectern-sandbox:test-alone-base", "lectern-sandbox:test-alone"
        subprocess.run([harness.BUILD / "lectern", "image", "build", "--share", share, "--image", base], check=True, stdout=subprocess.DEVNULL)
        context = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lectern-test-")))
        (context / "canary.txt").write_text(self.secret)
        (context / "canary.txt").chmod(0o644)
        (context / "passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")  # which the image does not have, and programs look for
        for name in further:
            shutil.copy(share / name, context / name)
        (context / "Dockerfile").write_text("FROM %s\nCOPY canary.txt /srv/canary.txt\nCOPY passwd /etc/passwd\n" % base
                                            + "".join("COPY %s /lectern/%s\n" % (name, name) for name in further))
        subprocess.run(["docker", "build", "-q", "-t", image, str(context)], check=True, capture_output=True)
        return image

    def end(self):
        for client in self.clients:
            client.connection.close()
        if self.server.process.poll() is None:
            self.server.close()

    def client(self):
        client = harness.Client(self.server.port)
        client.connection.timeout = CALL_SECONDS
        client.initialize()
        self.clients.append(client)
        return client

    def call(self, client, code, seconds=SECONDS, sid=None, also=()):
        """The result; where the machine is too busy to have a sandbox in time, of the next try."""
        for _ in range(BUSY_TRIES):
            answer = client.request("tools/call", {"name": "execute_code", "arguments": {
                "code": code, "session_id": sid or self.sid, "timeout_seconds": seconds, "also": list(also)}})["result"]
            if category(answer) != "busy":
                break
        return answer


class Knocks:
    """A port of this machine that nobody should find."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.count = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):  # closed
            while True:
                self.socket.accept()[0].close()
                self.count += 1

    def close(self):
        self.socket.close()


class Alone(unittest.TestCase):
    def setUp(self):
        if os.getuid() != 0:
            raise unittest.SkipTest("SKIPPED: watching what the kernel sees needs root: sudo make test")
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        self.secret = secrets.token_hex(16)
        if ENGINE != "docker":
            if CANARY.exists():
                self.secret = CANARY.read_text().strip()
            else:
                CANARY.write_text(self.secret + "\n")
                self.addCleanup(CANARY.unlink)
        self.knocks = Knocks()
        self.addCleanup(self.knocks.close)

    def programs(self, setting, sort_cap):
        """(name, code), the corpus' and ours."""
        sorts = {}
        for case in hostile_cases():
            try:
                code = case["bytes"].decode("utf-8").replace("11111111-1111-1111-1111-111111111111", setting.other)
            except UnicodeDecodeError:
                continue  # no JSON text: it cannot reach the server
            sorts.setdefault((case["family"], *(case["effect"] or [])[:1]), []).append((case["id"], code))
        if WHOLE:
            chosen = [program for programs in sorts.values() for program in programs]
        else:
            chance = random.Random(SEED)
            print("one program of each sort, drawn from LECTERN_SEED=%d" % SEED)
            drawn = [chance.choice(programs) for programs in sorts.values()]
            chosen = chance.sample(drawn, min(sort_cap or len(drawn), len(drawn)))
        return chosen + [(name, code % {"port": self.knocks.port, "other": setting.other} if "%(" in code else code)
                         for name, code in PROBES.items()]

    def judge(self, setting, name, answer):
        text = json.dumps(answer)
        reasons = []
        if self.secret in text:
            reasons.append("the secret came out")
        if LEAKS.search(text):
            reasons.append("it shows %r" % LEAKS.search(text).group())
        if name in SAYS and (category(answer) != "runtime" or SAYS[name] not in text):
            reasons.append("it is not told as an error of the code: %s" % text[:300])
        if category(answer) not in ENDS:
            reasons.append("it ended as %s: %s" % (category(answer), text[:300]))
        return ["%s: %s" % (name, reason) for reason in reasons]

    def run_all(self, setting, sort_cap, often):
        """Every program, and after each, or some, a plain one in the same session; what was wrong. Several sessions at once."""
        programs = self.programs(setting, sort_cap)
        local, sids = threading.local(), iter(setting.sids)

        def one(numbered):
            number, (name, code) = numbered
            if not hasattr(local, "client"):
                local.client, local.sid = setting.client(), next(sids)
            wrong = self.judge(setting, name, setting.call(local.client, code, sid=local.sid))
            if often or number % 10 == 0:
                nonce = secrets.randbelow(10 ** 9)
                answer = setting.call(local.client, "print(%d + 1, session_id)" % nonce, 30, local.sid)
                if not answer["content"][0]["text"].startswith("%d %s\n" % (nonce + 1, local.sid)):
                    wrong.append("after %s: %s" % (name, answer))
            return wrong

        with concurrent.futures.ThreadPoolExecutor(len(setting.sids)) as pool:
            return len(programs), [reason for found in pool.map(one, enumerate(programs)) for reason in found]

    def check_row(self, row, sort_cap=None, isolation="execution"):
        setting = Setting(self.stack, self.secret, words=("--isolation", isolation), asking=AT_ONCE, **ROWS[row])
        filters = (1 if row == "seccomp" else 3) + (ENGINE == "docker" and row != "limits of the container")  # with Docker's own
        seen = watch.Watch(setting.server.process.pid, os.environ.get("LECTERN_DOCKERD") if ENGINE == "docker" else None,
                           forks=isolation != "execution", filters=filters)
        try:
            count, wrong = self.run_all(setting, sort_cap, seen.forks)
        finally:
            harm = seen.finish()
        self.assertEqual(wrong, [])
        self.assertEqual(sorted(set(harm)), [])
        self.assertGreater(seen.look_count, 0)
        self.assertGreater(seen.job_count if seen.forks else seen.interpreter_count, count * 3 // 4)
        # One for each call and one that waits in each: no job has made another, not even as its sibling.
        self.assertLessEqual(seen.job_count, 2 * count + seen.interpreter_count)
        self.assertEqual(self.knocks.count, 0)
        self.assertEqual(setting.server.http("GET", "/health")[0], 200)
        self.assertEqual(setting.server.close(), 0)
        if ENGINE == "docker":
            self.assertEqual(harness.containers(), [])

    def test_validator_and_policy_left_out(self):
        self.check_row("validator and policy", ENGINE_CAP)

    def test_validator_and_policy_left_out_where_a_sandbox_stays(self):
        """One sandbox for all of a session's runs: after each hostile one, the next is right."""
        self.check_row("validator and policy", SORT_CAP, "session")

    def test_validator_and_policy_left_out_where_some_sandboxes_stay(self):
        self.check_row("validator and policy", SORT_CAP, "auto")

    def test_seccomp_left_out(self):
        self.check_row("seccomp", SORT_CAP)

    def test_landlock_left_out(self):
        self.check_row("Landlock", SORT_CAP)

    def test_guard_left_out(self):
        self.check_row("guard", SORT_CAP)

    def test_what_also_names_is_read_and_nothing_else(self):
        """Where nothing holds the code back but the server: the session and those in also are its, by any spelling of a path."""
        setting = Setting(self.stack, self.secret, **ROWS["validator and policy"])
        named = setting.load(pathlib.Path(setting.workspace.data), [{"node_id": "N001", "title": "named", "components": []}], "")
        client = setting.client()

        def ask(target, also):
            code = OWN + ("path = %r\nos.write(3, b'q\\0\\0\\0' + (len(path) + 8).to_bytes(4, 'big') + b'\\0\\0\\0\\7GET ' + path)\n"
                          "print(os.read(3, 65536)[12:])" % target.encode())
            return json.dumps(setting.call(client, code, 5, also=also))

        self.assertIn("named", ask("/session/%s/nodes" % named, [named]))
        self.assertIn("plain", ask("/session/%s/nodes" % setting.sid, [named]))
        self.assertIn("may read its own session only", ask("/session/%s/nodes" % named, []))
        for target in ("/session/%(other)s/nodes", "/session/%(named)s/../%(other)s/nodes", "/session/%(named)s%%2F..%%2F%(other)s/nodes",
                       "/session/%(named)s/nodes/../../%(other)s/nodes", "//session/%(other)s/nodes", "/sessions", "/nodes/N001/components",
                       "/nodes/N001/components?session_id=%(other)s", "/session/%(named)s/history", "/session/%(named)s",
                       "/session/%(named)s%%00/nodes", "/session/%(named)sx/nodes", "/session/%%2e%%2e/session/%(other)s/nodes"):
            answer = ask(target % {"named": named, "other": setting.other}, [named])
            self.assertIn("may read its own session only", answer, target)
            self.assertNotIn(self.secret, answer)
        answer = ask("/session/%s/nodes?session_id=%s" % (named, setting.other), [named])
        self.assertNotIn(self.secret, answer)

    @unittest.skipUnless(ENGINE == "docker", "bubblewrap's are the container there; test_corpus runs without it")
    def test_limits_of_the_container_left_out(self):
        self.check_row("limits of the container", SORT_CAP)

    @unittest.skipUnless(ENGINE == "docker", "it takes a root of its own to be harmed")
    def test_the_watch_sees_harm(self):
        """With everything left out the same eyes do see it."""
        setting = Setting(self.stack, self.secret, words=("--isolation", "execution"), **EVERYTHING)
        client = setting.client()
        seen = watch.Watch(setting.server.process.pid, os.environ["LECTERN_DOCKERD"])
        try:
            met = {name: json.dumps(setting.call(client, PROBES[name] % {"port": self.knocks.port} if name == "socket" else PROBES[name]))
                   for name in ("open", "passwd", "fork", "posix_spawn", "thread", "socket")}
        finally:
            harm = seen.finish()
        self.assertIn(self.secret, met["open"])
        self.assertRegex(met["passwd"], LEAKS)
        self.assertIn("an interpreter started a process", harm)
        self.assertIn("an interpreter started a thread", harm)
        self.assertEqual(self.knocks.count, 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
