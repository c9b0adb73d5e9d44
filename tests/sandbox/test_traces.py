# SPDX-License-Identifier: GPL-3.0-or-later
"""A job in a session leaves nothing for the next one, as observed from outside. A script instead of the interpreter tries with plain system
calls to leave something in whatever processes share; then the next copy, the zygote and the runner must look unchanged to the kernel."""
import json
import os
import pathlib
import re
import signal
import tempfile
import time
import unittest

import sandbox
import test_layers
from sandbox import DATA_PRELOAD, Session

# A process' state that is not its own use of time and memory.
STATUS = ("Umask", "Uid", "Gid", "Groups", "Threads", "SigPnd", "ShdPnd", "SigBlk", "SigIgn", "SigCgt", "CapInh", "CapPrm",
          "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp", "Seccomp_filters", "Cpus_allowed", "Mems_allowed", "THP_enabled",
          "VmLck", "VmPin", "TracerPid")
FILES = ("limits", "oom_score_adj", "autogroup", "personality", "coredump_filter", "timerslack_ns", "cgroup", "loginuid")
LINKS = ("cwd", "root", "exe", *("ns/" + name for name in ("ipc", "mnt", "net", "pid", "user", "uts", "time", "cgroup")))

LEAVE = """
shared = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
word = ctypes.create_string_buffer(bytes(64))
at = ctypes.addressof(word)
TRIES = {
    "signals ignored": lambda: [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 10, 12, 13, 14, 15, 17, 24)],
    "signals blocked": lambda: signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64)),
    "a signal to itself": lambda: os.kill(os.getpid(), 10),
    "a stack for signals": lambda: raw(131, at, 0),
    "umask": lambda: raw(95, 0o777), "cwd": lambda: raw(80, at), "root": lambda: raw(161, at),
    "niceness": lambda: raw(141, 0, 0, 19), "niceness of the group": lambda: raw(141, 1, 0, 19),
    "niceness of the user": lambda: raw(141, 2, 0, 19),
    "CPUs": lambda: raw(203, 0, 8, at), "the runner's CPUs": lambda: raw(203, RUNNER, 8, at),
    "scheduler": lambda: raw(144, 0, 3, at), "scheduler by attributes": lambda: raw(314, 0, at, 0),
    "priority of reads": lambda: raw(251, 1, 0, 7), "limits": lambda: raw(160, 7, at), "limits of the runner": lambda: raw(302, RUNNER, 7, at, 0),
    "personality": lambda: raw(135, 0x0040000), "a session of its own": lambda: raw(112), "a group": lambda: raw(109, 0, 0),
    "an alarm": lambda: raw(37, 1), "a timer": lambda: raw(38, 0, at, 0), "a POSIX timer": lambda: raw(222, 0, 0, at),
    "a timer by descriptor": lambda: raw(283, 0, 0), "a watch": lambda: raw(253),
    "shared memory": lambda: raw(29, 7, 4096, 0o1666), "a semaphore": lambda: raw(64, 7, 1, 0o1666), "a queue": lambda: raw(68, 7, 0o1666),
    "a POSIX queue": lambda: raw(240, at, 0o100, 0o666, 0), "a key": lambda: raw(248, at, at, at, 1, -4),
    "a memory file": lambda: raw(319, at, 0), "a lock of null": lambda: raw(73, 0, 2), "a record lock": lambda: raw(72, 0, 6, at),
    "a lease": lambda: raw(72, 0, 1024, 0), "nonblocking null": lambda: raw(72, 0, 4, 0o4000), "signals by descriptor": lambda: raw(72, 0, 8, RUNNER),
    "locked memory": lambda: raw(149, at, 64), "all locked": lambda: raw(151, 3), "no core": lambda: raw(157, 4, 1),
    "timer slack": lambda: raw(157, 29, 1), "subreaper": lambda: raw(157, 36, 1), "death signal": lambda: raw(157, 1, 0),
    "name": lambda: raw(157, 15, at), "no huge pages": lambda: raw(157, 41, 1, 0, 0, 0), "merged pages": lambda: raw(157, 67, 1, 0, 0, 0),
    "merged pages of its own": lambda: raw(28, ctypes.addressof(ctypes.c_char.from_buffer(shared)), 4096, 12),
    "poisoned pages": lambda: raw(28, ctypes.addressof(ctypes.c_char.from_buffer(shared)), 4096, 100),
    "barrier": lambda: raw(324, 1, 0), "a file in tmp": lambda: open("/tmp/left", "w"), "a file in shm": lambda: open("/dev/shm/left", "w"),
    "its score": lambda: open("/proc/self/oom_score_adj", "w").write("-1000"),
    "a descriptor to its socket": lambda: raw(46, 3, at, 0),
    "a copy of its socket": lambda: os.dup(3),
}
def leave():
    for name, attempt in TRIES.items():
        try:
            attempt()
        except OSError:
            pass
    raise PermissionError(1, "")
probes = {"leave": leave}
"""


def state(pid):
    folder = pathlib.Path("/proc/%d" % pid)
    found = {name: re.search(r"(?m)^%s:\t(.*)$" % name, (folder / "status").read_text()) for name in STATUS}
    found = {name: match and match.group(1) for name, match in found.items()}
    for name in FILES:
        found[name] = (folder / name).read_text() if (folder / name).exists() else None
    found.update({name: os.readlink(folder / name) for name in LINKS})
    found["descriptors"] = {name: re.sub(r"\d+", "N", os.readlink(folder / "fd" / name)) for name in os.listdir(folder / "fd")}
    fields = (folder / "stat").read_text().rpartition(")")[2].split()
    found["group, session, terminal"] = fields[2:5]  # a copy stays in its zygote's
    found["priority, nice, policy"] = fields[15], fields[16], fields[37], fields[38]
    return found


def settled(pids, wanted):
    """Their states, once they are as wanted: the next copy is announced while the zygote still closes its ends of the copy's pipes.
    What was left behind stays, and is returned at the end."""
    for _ in range(200):
        found = [state(pid) for pid in pids]
        if found == wanted:
            break
        time.sleep(0.05)
    return found


def quiet(pids):
    """Their states, when two looks in a row agree."""
    found, last = [state(pid) for pid in pids], None
    while found != last:
        time.sleep(0.05)
        found, last = [state(pid) for pid in pids], found
    return found


def shared_mappings(pid):
    """Lines of memory that this process and others would both see written."""
    return [line for line in pathlib.Path("/proc/%d/maps" % pid).read_text().splitlines() if re.match(r"\S+ .w.s", line)]


@unittest.skipUnless(os.getuid() == 0, "SKIPPED: looking at processes that may not be looked at needs root: sudo make test")
class Traces(unittest.TestCase):
    def test_no_state_is_left(self):
        for bwrap in (False, True):
            with self.subTest(bwrap=bwrap), tempfile.TemporaryDirectory() as folder:
                pathlib.Path(folder).chmod(0o755)
                script = pathlib.Path(folder) / "prober.py"
                script.write_text(sandbox.forking(sandbox.SHARE) + test_layers.PROBER + LEAVE + "\ntry_all(probes)\n")
                with Session(interpreter=script, bwrap=bwrap) as box:
                    runner = box.runner()
                    before = sandbox.children_of(runner)
                    first = quiet((runner, *before))
                    for _ in range(3):
                        outcome = box.run(test_layers.runner_of(box, bwrap))
                        self.assertEqual(json.loads(outcome.result["value"]), {"leave": "EPERM"})
                        after = sandbox.children_of(runner)
                        self.assertEqual((before[0], before[1] == after[1]), (after[0], False))  # the zygote, and another copy
                        self.assertEqual(settled((runner, *after), first), first)
                        before = after
        self.assertFalse(os.path.exists("/tmp/left") or os.path.exists("/dev/shm/left"))

    def test_every_signal_to_itself(self):
        """Only abort()'s is sent: another one could pass for the runner's or the kernel's. The next one runs."""
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder).chmod(0o755)
            script = pathlib.Path(folder) / "prober.py"
            # The job's code is the signal's number.
            script.write_text(sandbox.forking(sandbox.SHARE) + test_layers.PROBER + "number = int(json.loads(job)['code'])\n"
                              "try:\n    os.kill(os.getpid(), number)\nexcept PermissionError:\n    pass\n"
                              "else:\n    if number: os._exit(3)\ntry_all({})\n")
            with Session(interpreter=script) as box:
                for number in range(1, 65):
                    self.assertEqual(box.run(str(number)).status, "crash" if number == signal.SIGABRT else "ok", number)
                    self.assertEqual(box.run("0").status, "ok", number)  # no signal: whether it may

    def test_no_memory_is_shared(self):
        for kind, preload in (("bare", ""), ("data", DATA_PRELOAD)):
            with self.subTest(kind), Session(kind, preload) as box:
                self.assertEqual([shared_mappings(pid) for pid in (box.copy(), box.zygote(), box.runner())], [[], [], []])

    def test_what_nobody_reads_is_not_in_the_next_ones_way(self):
        """Megabytes of an answer for a job that does not take them, and a flood of frames."""
        ask = "import statistics\nos = statistics.sys.modules['os']\nos.write(3, b'q\\0\\0\\0\\0\\0\\0\\x0c\\0\\0\\0\\1GET /abc')\n"
        flood = "import statistics\nos = statistics.sys.modules['os']\nwhile True: os.write(%d, b'q' * 65536)"
        with Session(policy=False) as box:
            for code, big in ((ask + "while True: pass", True), (flood % 3, False), (flood % 1, False), (flood % 2, False)):
                curriculum = type("Big", (), {"answer": lambda self, target: (200, b"x" * (8 << 20) if big else b"{}")})()
                outcome = box.run(code, curriculum, timeout_ms=300, output_limit=1 << 20)
                self.assertIn(outcome.status, ("timeout", "crash", "output"))
                outcome = box.run("print(6 * 7)")
                self.assertEqual((outcome.status, outcome.text, bytes(outcome.stderr)), ("ok", "42\n", b""))


if __name__ == "__main__":
    unittest.main(verbosity=1)
