# SPDX-License-Identifier: GPL-3.0-or-later
"""The interpreter is assumed to be taken over: native code (attack.c) in its place, in a server's real sandboxes, in each isolation. Only
the kernel's layers hold it. LECTERN_SANDBOX: local, process or docker. A sample of the sequences of frames is sent, because
many wait until their run ends; LECTERN_WHOLE=1 (make soak): all."""
import contextlib
import itertools
import json
import pathlib
import re
import secrets
import struct
import sys
import time
import unittest
import urllib.request

import sandbox
import test_syscalls
from test_alone import CANARY, ENGINE, TESTS, Setting, category

sys.path.insert(0, str(sandbox.ROOT / "tests/data"))
import corpus  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
FURTHER = {"interpreter.py": HERE / "attack_interpreter.py", "attack.so": TESTS / "attack.so"}
FILES = ("/etc/passwd", "/srv/canary.txt", "/proc/1/environ", "/proc/self/maps", "/proc/self/mem", "/proc/kallsyms", "/proc/sys/kernel/hostname",
         "/sys/kernel/notes", "/dev/mem", "/dev/kmsg", "/dev/zero", "/dev/shm", "/dev/pts", "/tmp", "/run", "/var/run/docker.sock", "/root", "/home", "/")
# Routes that answer a run: those of code_helpers. A new route is not among them.
ASKED = ("/session/{sid}/nodes", "/session/{sid}/components", "/session/{sid}/nodes/{nid}/components", "/session/{sid}/nodes/{nid}/content",
         "/session/{sid}/relationships", "/session/{sid}/find", "/session/{sid}/graph", "/session/{sid}/graph/{query}")
REFUSED = (b'{"value":null,"error":"forged","exit_code":1,"disagreement":{"code":"forbidden-name","line":1}}')
FIGURE = b"iVBORw0KGgo" + b"A" * 9
FRAMES = {kind.encode(): payload for kind, payload in (("S", b""), ("C", b""), ("v", b"{}"), ("g", FIGURE))}


EVERY = 16 if ENGINE == "docker" else 4  # sequence of frames
NAMES, MIB, RUNS = 10_000, 100, 10  # sought and used in a run, which a slow machine ends in time; runs of each session


def host():
    """The bytes of memory that programs can have, with those that the kernel gives back when they are needed, and the names of files that it
    cannot forget."""
    memory = re.search(r"MemAvailable: +(\d+) kB", pathlib.Path("/proc/meminfo").read_text())
    names, forgettable = map(int, pathlib.Path("/proc/sys/fs/dentry-state").read_text().split()[:2])
    return {"memory": int(memory.group(1)) << 10, "names in use": names - forgettable}


def frame(kind, payload, length=None):
    return struct.pack(">c3xI", kind, len(payload) if length is None else length) + payload


SEQUENCES = [b"".join(frame(kind, FRAMES[kind]) for kind in order) for count in (1, 2, 3) for order in itertools.product(FRAMES, repeat=count)] + [
    frame(kind, b"x" * 10) for kind in map(bytes, zip(range(33, 127))) if kind not in b"SCvgq"] + [
    frame(b"v", b"", 1 << 31), frame(b"g", b"", 3 << 20), frame(b"q", b"\0\0\0\1GET " + b"/" * 4090), frame(b"q", b""), b"\xff" * 64,
    frame(b"q", b"\0\0\0\1POST /session"), frame(b"A", b"\0\0\0\1\0\xc8{}"), frame(b"R", b"3.11.2"), frame(b"x", b'{"status":"ok"}'),
    frame(b"x", b"{"), frame(b"x", b'{"status":"no such","seconds":1e999}'), frame(b"O", b"x" * 20000), frame(b"g", b"<svg>")]


class Attack:
    isolation = None

    @classmethod
    def setUpClass(cls):
        stack = contextlib.ExitStack()
        cls.addClassCleanup(stack.close)
        secret = secrets.token_hex(16)
        if ENGINE != "docker":
            if CANARY.exists():
                secret = CANARY.read_text().strip()
            else:
                CANARY.write_text(secret + "\n")
                stack.callback(CANARY.unlink)
        cls.setting = Setting(stack, secret, words=("--isolation", cls.isolation), further=FURTHER)
        cls.client = cls.setting.client()

    def attack(self, line, sid=None):
        """The answer of one attack, without its last line."""
        return self.setting.call(self.client, line, 10, sid)["content"][0]["text"].rpartition("[")[0]

    def tried(self, line):
        """{what was tried: "done", "refused" or the error's name}"""
        found = dict(said.rsplit(" ", 1) for said in self.attack(line).splitlines())
        self.assertGreater(len(found), 5, found)
        return found

    def check_next(self):
        """The next run of the same session, and one of another, get their own answers."""
        for sid in (self.setting.sid, self.setting.other):
            nonce = secrets.token_hex(8)
            self.assertEqual(self.attack("nothing " + nonce, sid), nonce + "\n")

    def test_each_system_call(self):
        """As in test_syscalls, from the sandboxes of the server: the calls that are not refused with all bits set are those of the kind allowed."""
        calls = sandbox.system_calls()
        left_out = [calls[name] for name in test_syscalls.NO_RETURN if name in calls] + sorted(test_syscalls.UNNAMED)
        allowed = {calls[name] for name in test_syscalls.names("allowed") - test_syscalls.NO_RETURN if name in calls}
        met = self.attack("calls " + " ".join(map(str, left_out))).split()
        self.assertEqual(set(map(int, met)), allowed)
        self.check_next()

    def test_files(self):
        met = self.tried("files " + " ".join(FILES))
        self.assertEqual(len(met), 6 * len(FILES))
        self.assertEqual({what: how for what, how in met.items() if how == "done"}, {})
        # Beside what may be read it may not be written.
        met = self.tried("files /dev/null /dev/urandom")
        self.assertEqual({what for what, how in met.items() if how == "done"}, {"read /dev/null", "read /dev/urandom"})

    def test_other_processes(self):
        server = self.setting.server.process.pid
        others = sandbox.children_of(server)
        met = self.tried("processes " + " ".join(map(str, (1, 2, server, *others))))
        self.assertEqual({what: how for what, how in met.items() if how != "EPERM"}, {})
        self.assertIsNone(self.setting.server.process.poll())
        self.check_next()

    def test_sockets(self):
        self.assertEqual(set(self.tried("sockets").values()), {"EPERM"})

    def test_memory(self):
        """Not writable and executable, not shared, not beyond the process; no way to other parts of the kernel."""
        met = self.tried("memory")
        self.assertEqual({what for what, how in met.items() if how == "done"}, {"plain"})

    def test_the_host_keeps_its_memory(self):
        """Memory, and what the kernel remembers of names of files, is the host's again after the runs."""
        before = host()
        for sid in (self.setting.sid, self.setting.other) * RUNS:
            self.assertEqual(self.attack("host %d %d" % (NAMES, MIB), sid), "use done\nsought %d\n" % NAMES)
        until = time.monotonic() + sandbox.END_SECONDS
        while True:
            now = host()
            if now["memory"] > before["memory"] - (RUNS * MIB << 20) and now["names in use"] < before["names in use"] + 2 * RUNS * NAMES // 10:
                break
            self.assertLess(time.monotonic(), until, (before, now))
            time.sleep(0.5)

    def test_two_sandboxes_do_not_meet(self):
        """They share pages of libraries and files. Each attempt to use these is refused in the sandboxes of two sessions."""
        for sid in (self.setting.sid, self.setting.other):
            said = self.attack("meeting /dev/urandom", sid).splitlines()
            met = dict(line.rsplit(" ", 1) for line in said)
            self.assertEqual(met.pop("open"), "done")
            self.assertEqual(set(met.values()), {"EPERM"}, met)
            self.assertGreater(len(met), 10)

    def test_frames_in_every_order(self):
        """Frames that come after the code has begun may be forged: no counter of the server counts a disagreement by them."""
        sequences = SEQUENCES + [frame(b"v", REFUSED), frame(b"S", b"") + frame(b"v", REFUSED), frame(b"C", b"") * 2 + frame(b"v", REFUSED)]
        before = self.counters()
        for sent in corpus.sample(sequences, EVERY):
            answer = self.setting.call(self.client, "frames " + sent.hex(), 2)
            self.assertIn(category(answer), (None, "runtime", "timeout", "output"), (sent, answer))
        self.check_next()
        self.assertEqual(self.counters(), before)

    def counters(self):
        """The lines of /metrics that count disagreements."""
        with urllib.request.urlopen("http://127.0.0.1:%d/metrics" % self.setting.server.port, timeout=10) as answer:
            found = [line for line in answer.read().decode().splitlines() if re.search("disagree", line)]
        self.assertNotEqual(found, [])
        return found

    def test_every_route(self):
        """Of its own session those of the helpers, of another session none."""
        paths = [path for path, methods in self.setting.server.http("GET", "/openapi.json")[1]["paths"].items() if "get" in methods]
        self.assertLess(set(ASKED), set(paths))
        self.assertGreater(len(paths), len(ASKED) + 5)
        for sid in (self.setting.sid, self.setting.other):
            full = {path: path.replace("{sid}", sid).replace("{nid}", "N001").replace("{query}", "counts") for path in paths}
            said = self.attack("routes " + " ".join(full.values()))
            status = {path: int(number) for number, path in (line.split(" ", 1) for line in said.splitlines())}
            answered = {path for path in paths if status[full[path]] < 400}
            self.assertEqual(answered, set(ASKED) if sid == self.setting.sid else set(), status)
            self.assertNotIn(self.setting.secret, said)

    def test_a_crash_is_reported_with_its_signal(self):
        answer = self.setting.call(self.client, "crash 16", 5)
        self.assertTrue(answer["isError"])
        self.assertRegex(json.dumps(answer), r"signal 11|SIGSEGV")
        self.check_next()


class Execution(Attack, unittest.TestCase):
    isolation = "execution"


class Session(Attack, unittest.TestCase):
    isolation = "session"


class WithoutWalls(unittest.TestCase):
    def test_the_attempts_can_succeed(self):
        with contextlib.ExitStack() as stack:
            setting = Setting(stack, secrets.token_hex(16), runner="runner_without_walls", further=FURTHER)
            said = setting.call(setting.client(), "memory", 10)["content"][0]["text"].splitlines()
            self.assertLess({"all done", "code later done", "shared done", "file done"}, set(said))
            said = setting.call(setting.client(), "meeting /dev/urandom", 10)["content"][0]["text"].splitlines()
            flock = "flock EPERM" if ENGINE == "docker" else "flock done"  # the container's profile does not have it
            self.assertLess({"wake done", "lock done", flock}, set(said))


class ForgedRunner(unittest.TestCase):
    """The server does not rely on the runner: it checks each frame and each request."""

    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.setting = Setting(stack, secrets.token_hex(16), further={"runner": TESTS / "forged_runner"})
        self.client = self.setting.client()

    def test_frames(self):
        for sent in corpus.sample(SEQUENCES, EVERY):
            answer = self.setting.call(self.client, "frames " + sent.hex(), 2)
            self.assertIn(category(answer), (None, "runtime", "timeout", "output", "memory", "engine", "cancelled", "busy"), (sent, answer))
        answer = self.setting.call(self.client, "nothing at all", 2)
        self.assertEqual(answer["content"][0]["text"].partition("\n")[0], "at all", answer)

    def test_routes(self):
        paths = ["/session/%s/nodes" % self.setting.other, "/session/%s/history" % self.setting.sid, "/sessions", "/metrics", "/openapi.json",
                 "/session/%s/../%s/nodes" % (self.setting.sid, self.setting.other)]
        said = self.setting.call(self.client, "routes " + " ".join(paths), 5)["content"][0]["text"]
        self.assertEqual([int(line.split()[0]) >= 400 for line in said.splitlines()[:len(paths)]], [True] * len(paths), said)


if __name__ == "__main__":
    unittest.main(verbosity=1)
