# SPDX-License-Identifier: GPL-3.0-or-later
"""The evasions through a complete server, in one engine and with each isolation. They get past the rules of Python, as far as builtins or
memory of the interpreter, and must be contained there: no file, process or address outside is reached, nothing is written, the next call is
right, and nothing is left.

Ours go to a server without validator, policy and guard, many in one run, because starting sandboxes is what takes time; after each one the
same run attempts harm, with whatever the evasion has changed. The shared ones go to the real server, one in each run.

LECTERN_SANDBOX: the engine. LECTERN_ENGINES: all with which this test is registered. LECTERN_WHOLE=1 (make soak): every shared one instead of
a sample.
"""
import collections
import contextlib
import os
import pathlib
import re
import secrets
import subprocess
import sys
import textwrap
import unittest

import sandbox
import test_alone
import watch
from test_alone import CANARY, ENGINE, Knocks, category, harness

sys.path.insert(0, str(sandbox.ROOT / "tests/data"))
import corpus  # noqa: E402

PROGRAMS = [program for program in corpus.programs("evasions") if "static" not in program.words]
IN_ONE_RUN = 100
SECONDS = 60  # of one run; the machine is busy
HARM = """
import statistics
modules = statistics.sys.modules
def harm(os=modules["os"], socket=modules["builtins"].__import__("socket"), open=modules["builtins"].open):
    for act in (lambda: open("/srv/canary.txt").read(), lambda: os.read(os.open("/srv/canary.txt", os.O_RDONLY), 100),
                lambda: open("/etc/passwd").read(), lambda: open("%(file)s", "w").write("x"), os.fork, lambda: os.kill(os.getppid(), 9),
                lambda: os.posix_spawn("/bin/true", ["true"], {}), lambda: socket.create_connection(("127.0.0.1", %(port)d), 1)):
        try:
            print("DONE", act())
        except BaseException:
            continue
"""
BATCH = """
print("== %(id)s")
try:
%(code)s
except BaseException as error:
    print("ENDED", type(error).__name__)
harm()
"""


def choices(option):
    """What the product offers for an option, in the order of its message."""
    done = subprocess.run([harness.LECTERN, "exec", "--" + option, "?", "-"], input=b"1", capture_output=True, check=False)
    found = re.search(r"must be (.*) or (\S+), not '\?'", done.stderr.decode())
    return [*found[1].split(", "), found[2]]


def batches():
    """Programs of one profile."""
    by_profile = collections.defaultdict(list)
    for program in PROGRAMS:
        by_profile[program.profile].append(program)
    for programs in by_profile.values():
        for first in range(0, len(programs), IN_ONE_RUN):
            yield programs[first:first + IN_ONE_RUN]


class Evasions(unittest.TestCase):
    def setUp(self):
        self.secret = secrets.token_hex(16)  # one for all, so that the image is built once
        if ENGINE != "docker" and CANARY.exists():
            self.secret = CANARY.read_text().strip()
        elif ENGINE != "docker" and os.access(CANARY.parent, os.W_OK):
            CANARY.write_text(self.secret + "\n")
            self.addCleanup(CANARY.unlink)
        self.written = pathlib.Path("/tmp/lectern-evasion-" + self.secret)
        self.knocks = Knocks()
        self.addCleanup(self.knocks.close)

    def check_text(self, answer, name):
        text = answer["content"][0]["text"]
        self.assertNotIn(self.secret, text, name)
        self.assertNotRegex(text, test_alone.LEAKS, name)
        self.assertNotIn("DONE", text, name)
        return text

    def next_call(self, setting, client, name):
        number = secrets.randbelow(10 ** 9)
        answer = setting.call(client, "print(%d + 1, session_id)" % number)
        self.assertTrue(answer["content"][0]["text"].startswith("%d %s\n" % (number + 1, setting.sid)), (name, answer))

    def check_ours(self, setting, client):
        harm = HARM % {"file": self.written, "port": self.knocks.port}
        for programs in batches():
            while programs:  # an index out of bounds may end the process, and with it the run
                code = harm + "".join(BATCH % {"id": program.id, "code": textwrap.indent(program.code.decode(), "    ")} for program in programs)
                answer = setting.call(client, code, SECONDS)
                text = self.check_text(answer, programs[0].id)
                begun = re.findall("^== (.*)$", text, re.MULTILINE)
                self.assertGreater(len(begun), 0, text[-2000:])
                self.assertEqual(begun, [program.id for program in programs[:len(begun)]])
                self.assertIn(category(answer), (None, "runtime"), text[-2000:])
                if category(answer) is None:
                    self.assertEqual(len(begun), len(programs))
                self.next_call(setting, client, begun[-1])
                programs = programs[len(begun):]

    def check_shared(self, setting, client):
        paths = [path for folder in ("evasions", "guards") for path in sorted(sandbox.shared("corpus", folder).glob("*.py"))]
        self.assertGreater(len(paths), 20)
        for path in corpus.sample(paths, 6):
            answer = setting.call(client, path.read_text(), SECONDS)
            with self.subTest(path.name):
                self.assertIn(category(answer), (None, "validation", "runtime"), answer)
                self.check_text(answer, path.name)
                self.next_call(setting, client, path.name)

    def check(self, isolation, programs, **left_out):
        words = ("--isolation", isolation, "--profile", "visualization", "--warm", "bare=1,data=1,plot=0", "--stdout-cap", "60000", "--timeout", str(SECONDS))
        with contextlib.ExitStack() as stack:
            setting = test_alone.Setting(stack, self.secret, words=words, **left_out)
            if os.getuid() == 0:
                seen = watch.Watch(setting.server.process.pid, os.environ.get("LECTERN_DOCKERD") if ENGINE == "docker" else None,
                                   forks=isolation != "execution", filters=3 + (ENGINE == "docker"))
                stack.callback(lambda: self.assertEqual(seen.finish(), []))
            else:
                print("NOTICE: watching what the kernel sees needs root")
            programs(setting, setting.client())
            self.assertEqual(setting.server.close(), 0)
            left = [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if os.fsencode(setting.share) in watch.words(pid)]
            self.assertEqual([pid for pid in left if sandbox.alive(pid)], [])
        self.assertEqual(self.knocks.count, 0)
        self.assertFalse(self.written.exists())
        if ENGINE == "docker":
            self.assertEqual(harness.containers(), [])

    def test_each_isolation(self):
        for isolation in choices("isolation"):
            with self.subTest(isolation):
                self.check(isolation, self.check_ours, guard="no_guard.py")
            with self.subTest(isolation, shared=True):
                self.check(isolation, self.check_shared, policy=True, server="../../lectern")

    def test_each_engine_has_this_test(self):
        engines = {*os.environ["LECTERN_ENGINES"].split(",")}
        self.assertIn(ENGINE, engines)
        self.assertEqual({*choices("sandbox")} - {"auto"}, engines)


if __name__ == "__main__":
    unittest.main(verbosity=2)
