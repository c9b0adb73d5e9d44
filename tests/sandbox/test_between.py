# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of one session, through a real server in real sandboxes. The first of two leaves something, the second looks for it: the pairs of
tests/data/between. Then runs that take memory and that end themselves. None meets a policy or a guard, so all call the kernel as they like, and
only seccomp, Landlock, limits and the clone are between them.

LECTERN_SANDBOX: local, process or docker. LECTERN_PAIRS: the number of random pairs (10), LECTERN_SEED: what they are drawn from.
"""
import contextlib
import functools
import os
import pathlib
import random
import re
import subprocess
import sys
import threading
import time
import unittest

import sandbox
from test_alone import ENGINE, Setting, category, harness

sys.path.insert(0, str(sandbox.ROOT / "tests/data"))
import corpus  # noqa: E402

PAUSE = 1  # seconds between the runs of a documented pair: the second measures them
MARK = "FOUND\n"


def pairs(*ways):
    """(id, code that leaves, code that looks) of tests/data/between."""
    programs = corpus.programs("between")
    for leave, look in zip(programs[::2], programs[1::2]):
        if (leave.words, look.words[0]) != (["leave"], "look"):
            raise ValueError("%s and %s are no pair" % (leave.id, look.id))
        if look.words[1] in ways:
            yield look.id, leave.code.decode(), look.code.decode()


@functools.cache
def setting(runner, _name, isolation):
    """A server without a validator; its interpreters have no policy and no guard."""
    stack = contextlib.ExitStack()
    unittest.addModuleCleanup(stack.close)
    made = Setting(stack, "secret", runner=runner, guard="no_guard.py", words=("--isolation", isolation))
    return made, made.client()


class Between(unittest.TestCase):
    runner, name, isolation = None, "shared by several tests", "session"

    @classmethod
    def setUpClass(cls):
        cls.setting, cls.client = setting(cls.runner, cls.name, cls.isolation)

    def run_code(self, code, sid=None, seconds=30):
        """(output, error category): of a run in the sandbox of the session."""
        answer = self.setting.call(self.client, code, seconds=seconds, sid=sid)
        return answer["content"][0]["text"].rpartition("[")[0], category(answer)

    def follow(self, leave, look):
        """What the second run prints, and whether it was in the sandbox of the first."""
        which = "print(hash('which sandbox'))\n"
        left = self.run_code(which + leave)[0]
        seen = self.run_code(which + look)[0]
        return seen, seen.split("\n")[0] == left.split("\n")[0]


class Pairs(Between):
    def test_nothing_is_found(self):
        for name, leave, look in pairs("own", "held"):
            with self.subTest(name):
                seen, same = self.follow(leave, look)
                self.assertTrue(same, seen)
                self.assertNotIn(MARK, seen)

    def test_what_is_documented(self):
        """A later run of the session learns it, and a run of another session does not, except where both have the machine's process ids."""
        for name, leave, look in pairs("documented"):
            with self.subTest(name):
                left, _ = self.run_code(leave)
                time.sleep(PAUSE)
                known = "LEFT = %r\n" % left
                other = self.run_code(known + look, self.setting.other)[0]
                if not (ENGINE == "process" and ("/proc" in look or "getpid" in look)):
                    self.assertNotIn(MARK, other)
                self.assertIn(MARK, self.run_code(known + look)[0])


# When a run leaves what it leaves: (statements around it, how often of 100).
MOMENTS = (
    ("exec(LEAVE, globals())", 30),
    ("time.sleep(0.02)\nexec(LEAVE, globals())", 10),
    ("for _ in range(3):\n    exec(LEAVE, globals())", 10),
    ("exec(LEAVE, globals())\nraise ValueError('left')", 15),
    ("print('x' * 60000)\nexec(LEAVE, globals())", 10),
    ("import atexit\natexit.register(exec, LEAVE, globals())", 5),
    ("class Last:\n    def __del__(self):\n        exec(LEAVE, globals())\nlast = Last()\nlast.itself = last", 5),
    ("sys.settrace(lambda *_: exec(LEAVE, globals()))\n(lambda: 1)()", 5),
    ("try:\n    os.fork()\nexcept OSError:\n    pass\nexec(LEAVE, globals())", 6),
    # These end the sandbox too.
    ("exec(LEAVE, globals())\nos.abort()", 2),
    ("exec(LEAVE, globals())\nwhile True: pass", 2),
)
LOOK = """
import os, random, sys
print("RUN", hash("which sandbox"), hash(random.getstate()), os.urandom(8).hex())
for name, look in LOOKS:
    try:
        exec(look, dict(globals(), print=lambda *words: words == ("FOUND",) and sys.stdout.write("GOT %s\\n" % name)))
    except Exception:
        pass
"""


class RandomPairs(Between):
    """Each run looks for all that there may be, under the names that the one before it used, and then leaves some of it."""
    count = int(os.environ.get("LECTERN_PAIRS", "10"))
    least = count  # of two for each pair, runs in the sandbox of the run before

    def setUp(self):
        self.seed = int(os.environ.get("LECTERN_SEED", random.randrange(10 ** 9)))
        self.random = random.Random(self.seed)
        self.randoms, self.shared = set(), 0

    def names(self):
        """The names and numbers of the pairs of tests/data/between: what they are in one pair of runs."""
        word = "".join(self.random.choices("abcdefghijklmnopqrstuvwxyz", k=12))
        number = self.random.randrange(2000, 4000)
        return {"left": word, "LEFT": word.upper(), "0x1ef7": hex(self.random.randrange(1, 1 << 31)), "4321": str(number)}

    def renamed(self, code, names):
        return re.sub("|".join(names), lambda found: names[found[0]], code)

    def draw(self, channels, most=3, moments=MOMENTS):
        """(a part of a program that leaves something, what of the channels, under which names)"""
        names, chosen = self.names(), self.random.sample(channels, self.random.randint(1, most))
        moment = self.random.choices([code for code, _ in moments], [often for _, often in moments])[0]
        part = "".join("try:\n    exec(%r, globals())\nexcept OSError:\n    pass\n" % self.renamed(leave, names) for _, leave, _ in chosen)
        return "import os, sys, time\nLEAVE = %r\n%s\n" % (part, moment), [name for name, _, _ in chosen], names

    def looking(self, channels, before):
        """A part that looks for what the part before has left. What is spent is looked for if it was: that spends, too."""
        looks = [(name, self.renamed(look, before[2])) for name, _, look in channels if not name.startswith("spent") or name in before[1]]
        return "LOOKS = %r\n%s" % (looks, LOOK)

    def run_one(self, kind, channels, before, after):
        """Looks for what the run before it has left, and leaves its own; which sandbox it was in."""
        text, end = self.run_code("%s\n%s%s" % (kind, self.looking(channels, before), after[0]), seconds=3)
        said = "seed %d, after %s of %s: %s, %s" % (self.seed, before[1], before[2], end, text[:2000])
        self.assertNotRegex(text, "(?m)^GOT ", said)
        head = re.match(r"RUN (\S+) (\S+) (\S+)\n", text)
        self.assertTrue(head, said)
        self.assertTrue(self.randoms.isdisjoint(head.groups()[1:]), said)
        self.randoms.update(head.groups()[1:])
        return head[1]

    def test_nothing_is_found(self):
        kinds = {"import json": [], "import pandas, numpy": list(pairs("own", "held"))}
        kinds["import json"] = [pair for pair in kinds["import pandas, numpy"] if not re.search("numpy|pandas", pair[2])]
        last = {kind: (self.draw(channels), None) for kind, channels in kinds.items()}
        for number in range(self.count):
            kind = "import json" if number % 4 else "import pandas, numpy"
            for _ in range(2):
                before, where = last[kind]
                drawn = self.draw(kinds[kind])
                here = self.run_one(kind, kinds[kind], before, drawn)
                self.shared += here == where
                last[kind] = drawn, here
        print("%d pairs of seed %d: %d of %d runs in the sandbox of the run before" % (self.count, self.seed, self.shared, 2 * self.count))
        self.assertGreater(self.shared, self.least)

    @unittest.skipUnless(ENGINE == "local", "one engine shows that the programs can find something")
    def test_in_one_run_it_is_found(self):
        for channel in corpus.sample(list(pairs("own")), 4):
            with self.subTest(channel[0]):
                before = self.draw([channel], 1, MOMENTS[:2])
                kind = "import numpy\n" if "numpy" in channel[2] else "import pandas\n" if "pandas" in channel[2] else ""
                self.assertIn("GOT %s\n" % channel[0], self.run_code(kind + before[0] + self.looking([channel], before))[0])


class RandomPairsOfBothKinds(RandomPairs):
    """The same where a run gets a new sandbox if one waits, and otherwise that of its session."""
    isolation = "auto"
    count = (RandomPairs.count + 1) // 2
    least = 0
    test_in_one_run_it_is_found = None


@unittest.skipUnless(ENGINE == "local", "one engine shows that the programs can find something")
class Open(Between):
    runner = "runner_without_walls"

    def test_without_walls_it_is_found(self):
        for name, leave, look in pairs("held"):
            with self.subTest(name):
                self.assertIn(MARK, self.follow(leave, look)[0])


# Native code: what it is refused, and what it may take until it is ended.
NATIVE = """
import ctypes, mmap, os, signal, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def refused(act):
    try:
        act()
        print("DONE")
    except OSError as error:
        print(error.strerror)
def map_code(protection):
    with open(os.__file__, "rb") as file:
        mmap.mmap(file.fileno(), 4096, flags=mmap.MAP_PRIVATE, prot=protection)
def take(sleep=0, step=1 << 20):
    "Pages that are no data any more, because they have become read-only."
    time.sleep(sleep)
    libc.mmap.restype = ctypes.c_void_p
    while True:
        at = libc.mmap(None, ctypes.c_size_t(step), 3, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, ctypes.c_long(0))
        if at == ctypes.c_void_p(-1).value:
            raise MemoryError("mmap")
        ctypes.memset(at, 1, step)
        libc.mprotect(ctypes.c_void_p(at), ctypes.c_size_t(step), 1)
def reserve(protection):
    "A word in each of the pages that one page of a table names, as far as the address space goes."
    kept = []
    try:
        while len(kept) < 64:
            kept.append(mmap.mmap(-1, 1 << 28, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=protection))
            for at in range(0, 1 << 28, 1 << 21):
                if protection & mmap.PROT_WRITE:
                    kept[-1][at] = 1
                else:
                    kept[-1][at]
    except OSError as error:
        print(error.strerror)
def say(kind, payload):
    os.write(3, kind + b"\\0\\0\\0" + len(payload).to_bytes(4, "big") + payload)
"""
REFUSED = {
    "shared memory": ("refused(lambda: mmap.mmap(-1, 4096, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS))", "Operation not permitted"),
    "writable code of a file": ("refused(lambda: map_code(7))\nrefused(lambda: map_code(6))", "Operation not permitted\n" * 2),
    "page tables of what is read": ("reserve(mmap.PROT_READ)", "Cannot allocate memory"),
    "page tables of what is written": ("reserve(mmap.PROT_READ | mmap.PROT_WRITE)", "Cannot allocate memory"),
    "its own end by SIGKILL": ("refused(lambda: os.kill(os.getpid(), 9))", "Operation not permitted"),
    "its own deadline": ("refused(lambda: os.kill(os.getpid(), signal.SIGALRM))", "Operation not permitted"),
}
# (code, how it ends): each end is the code's own doing, and is told so.
DISAGREEMENT = b'{"value":null,"bound":false,"error":"x","error_type":"x","line":1,"exit_code":1,"disagreement":{"code":"syntax","line":1}}'
ENDS = {
    "memory without Python's help": ("take()", "memory"),
    "memory in large pieces": ("take(step=64 << 20)", "memory"),
    "abort": ("os.abort()", "runtime"),
    "_exit": ("os._exit(0)", "runtime"),
    "a fault": ("ctypes.string_at(0)", "runtime"),
    "its socket closed": ("os.close(3)\ntime.sleep(60)", "runtime"),
    "no frame": ("os.write(3, b'xxxxxxxxxxxxxxxx')", "runtime"),
    "a forged end": ("say(b'x', b'{\"status\":\"memory\"}')", "runtime"),
    "a forged start": ("say(b'S', b'')", "runtime"),
    "a forged refusal": ("say(b'v', %r)\nos._exit(1)" % DISAGREEMENT, "runtime"),
    "no result": ("say(b'v', b'[]')\nos._exit(1)", "runtime"),
    "a call of another numbering": ("libc.syscall(0x40000001)", "runtime"),
}


class OwnDoing(Between):
    def test_refused(self):
        for name, (code, told) in REFUSED.items():
            with self.subTest(name):
                self.assertEqual(self.run_code(NATIVE + code), (told.strip() + "\n", None))

    def test_ends(self):
        for name, (code, told) in ENDS.items():
            with self.subTest(name):
                text, end = self.run_code(NATIVE + code)
                self.assertEqual(end, told, text)
                self.assertNotIn("Lectern", text)
                self.assertEqual(self.run_code("print(1 + 1)"), ("2\n", None))


def inside(name):
    """Process ids of the tests' containers, by what their command line holds."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if name in (folder / "cmdline").read_bytes().split(b"\0") and re.search("/docker/|docker-", (folder / "cgroup").read_text()):
                found.append(int(folder.name))
    return found


@unittest.skipUnless(ENGINE == "docker", "only a container has a control group")
class OutOfMemory(Between):
    """The kernel ends what is in the container, before the runner sees that the code takes too much."""
    name = "with little memory"

    def check(self, scores):
        """scores: for the OOM killer, of the copy and the zygote; None leaves them as they are."""
        def lessen():
            subprocess.run(["docker", "update", "--memory", "64m", "--memory-swap", "64m", *harness.containers()], check=True, stdout=subprocess.DEVNULL)
            for pid in inside(b"/lectern/interpreter.py") if scores else []:
                with contextlib.suppress(OSError):
                    path = pathlib.Path("/proc/%d/oom_score_adj" % pid)
                    path.write_text(scores[path.read_text() != "1000\n"])

        timer = threading.Timer(1, lessen)
        timer.start()
        text, end = self.run_code(NATIVE + "take(2)")
        timer.join()
        self.assertEqual(end, "memory", text)
        self.assertEqual(self.run_code("print(1 + 1)"), ("2\n", None))

    def test_the_copy_is_killed(self):
        self.check(None)

    def test_the_zygote_is_killed(self):
        self.check(("0", "1000"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
