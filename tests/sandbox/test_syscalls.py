# SPDX-License-Identifier: GPL-3.0-or-later
"""Every system call of this machine, one by one, from a script instead of the interpreter: a call that the filter does not allow
returns EPERM, or ENOSYS where a library has an alternative. unit.system_calls expects the same of the filter as a program."""
import json
import mmap
import os
import pathlib
import platform
import re
import tempfile
import unittest

import sandbox
from sandbox import Sandbox
from test_layers import PROBER, runner_of

X32 = 0x40000000
TABLE = pathlib.Path(__file__).resolve().parents[1] / "data" / "system_calls.txt"
UNNAMED = {335, 336}  # uretprobe and uprobe: newer kernels answer them with SIGILL
# Allowed, and they do not come back; that the interpreter ends well shows the first two.
NO_RETURN = {"exit", "exit_group", "rt_sigreturn"}


def names(kind):
    lines = re.findall(r"(?m)^interpreter %s: ([^#\n]*)" % kind, TABLE.read_text())
    return set(" ".join(lines).split())


ALLOWED = (names("allowed") | names("checked")) - NO_RETURN
UNKNOWN = names("unknown")
# Where the filter looks at arguments, some that it allows and that the kernel then finds wrong, or harmless. Everything else
# is called with all bits set, which no call takes for good.
ARGUMENTS = {
    "mmap": "0, 0, 1, 2, -1, 0", "mprotect": "1, 0, 0", "openat": "-1, 0, 0", "fcntl": "-1, 1",
    "ioctl": "-1, 0x5401", "kill": "os.getpid(), 0", "tgkill": "os.getpid(), os.getpid(), 0",
    "futex": "0, 129, 0", "sched_getaffinity": "0, 0, 0", "madvise": "0, 0, 4", "clock_gettime": "0, 0", "clock_getres": "0, 0", "clock_nanosleep": "0, 0, 0, 0",
}

SWEEPS = """
PROT, MAP_SHARED, MAP_PRIVATE, MAP_ANONYMOUS = range(8), 1, 2, 0x20
F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC = 1, 2, 3, 1030
probes = {}
def add(name, *args):
    probes[name] = lambda: raw(*args)
for command in (*range(64), *range(1024, 1060)):
    add("fcntl %d" % command, 72, -1, command, 0)
for request in (*range(0x5400, 0x5480), 0x541b, 0x8912, 0x8913, 0x8924, 0x4004667e, 0xc0045401, 0x100005401):
    add("ioctl %#x" % request, 16, -1, request, 0)
for flags in (0, *(1 << bit for bit in range(32))):
    add("openat %#x" % flags, 257, -1, 0, flags, 0)
    add("mmap %#x" % flags, 9, 0, 0, 1, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0)
for operation in range(512):
    add("futex %d" % operation, 202, 0, operation, 0, 0, 0, 0)
for prot in PROT:
    add("mprotect %d" % prot, 10, 1, 0, prot)
    add("mmap anonymous %d" % prot, 9, 0, 0, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    add("mmap file %d" % prot, 9, 0, 0, prot, MAP_PRIVATE, -1, 0)
    add("mmap shared %d" % prot, 9, 0, 0, prot, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
for advice in range(26):
    add("madvise %d" % advice, 28, 0, 0, advice)
for clock in (1, 11, -1, -6, (~1 << 3) | 2, (~os.getpid() << 3) | 2):
    for name, number in (("gettime", 228), ("getres", 229), ("nanosleep", 230)):
        add("clock_%s %s" % (name, clock if clock > 0 else "negative %d" % (clock & 7)), number, clock, 0, 0, 0)
for target in (0, 1, -1, RUNNER, -os.getpid(), 2 ** 31 - 1):
    add("kill %s" % ("runner" if target == RUNNER else target), 62, target, 0)
    add("tgkill %s" % ("runner" if target == RUNNER else target), 234, target, target, 0)
"""
# Of those, the ones that reach the kernel.
OPEN_FLAGS = (0, os.O_CLOEXEC, os.O_DIRECTORY, os.O_NOFOLLOW, os.O_NONBLOCK)
MAP_FLAGS = (0, mmap.MAP_PRIVATE, mmap.MAP_ANONYMOUS, 0x10, mmap.MAP_DENYWRITE, 0x4000, 0x20000)  # 0x10: FIXED, then NORESERVE, STACK
WAIT, WAKE, WAIT_BITSET, PRIVATE, CLOCK_REALTIME = 0, 1, 9, 128, 256
SWEPT = {"fcntl 1", "fcntl 2", "fcntl 3", "fcntl 1030", "ioctl 0x5401", "ioctl 0x5451",
         *("openat %#x" % flag for flag in OPEN_FLAGS), *("mmap %#x" % flag for flag in MAP_FLAGS),
         *("futex %d" % (operation | PRIVATE | clock) for operation in (WAIT, WAKE, WAIT_BITSET) for clock in (0, CLOCK_REALTIME)),
         *("mprotect %d" % prot for prot in range(4)), *("mmap anonymous %d" % prot for prot in range(4)),
         *("mmap file %d" % prot for prot in range(6)), "ioctl 0x100005401",
         "madvise 4", "madvise 8", "madvise 14",
         *("clock_%s %d" % (name, clock) for name in ("gettime", "getres", "nanosleep") for clock in (1, 11))}


def ask(code, bwrap=False, session=False):
    """({probe: errno's name or "done"}, the outcome)"""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder).chmod(0o755)
        script = pathlib.Path(folder) / "prober.py"
        script.write_text((sandbox.forking if session else sandbox.narrowing)(sandbox.SHARE) + PROBER + code + "\ntry_all(probes)\n")
        with (sandbox.Session if session else Sandbox)(bwrap=bwrap, interpreter=script) as box:
            outcome = box.run(runner_of(box, bwrap), timeout_ms=20000)
    return json.loads(outcome.result.get("value", "null")), outcome


class EachSystemCall(unittest.TestCase):
    session = False  # whether it is called by what was executed, or by a copy of that

    def ask(self, code, bwrap=False):
        return ask(code, bwrap, self.session)

    def one_by_one(self, bwrap):
        calls = sandbox.system_calls()
        self.assertGreater(len(calls), 300)
        lines = ["probes = {}"]
        for name, number in calls.items():
            if name not in NO_RETURN and number not in UNNAMED:
                arguments = ARGUMENTS.get(name, "-1, -1, -1, -1, -1, -1")
                lines.append("probes[%r] = lambda: native(%d, %s)" % (name, number, arguments))
        # Numbers that have no name yet.
        lines += ["for n in (*range(%d, 600), 1024, 2 ** 29): probes[str(n)] = lambda n=n: native(n, -1, -1, -1, -1, -1, -1)"
                  % (max(calls.values()) + 1)]
        met, outcome = self.ask("\n".join(lines), bwrap)
        self.assertEqual((outcome.status, outcome.complaints), ("ok", ""))
        refused = {name: got for name, got in met.items() if got in ("EPERM", "ENOSYS")}
        self.assertEqual(set(met) - set(refused), ALLOWED & set(calls))
        self.assertEqual({name for name, got in refused.items() if got == "ENOSYS"}, UNKNOWN & set(calls))

    def test_bare(self):
        self.one_by_one(False)

    def test_under_bubblewrap(self):
        self.one_by_one(True)

    def test_arguments(self):
        met, _ = self.ask(SWEEPS)
        self.assertEqual({name for name, got in met.items() if got != "EPERM"}, SWEPT)
        self.assertGreater(len(met), 250)

    @unittest.skipUnless(platform.machine() == "x86_64", "x32 is a numbering of x86-64")
    def test_other_numberings_end_the_process(self):
        for number in (X32, X32 + 1, X32 + 57, X32 + 512):
            met, outcome = self.ask("probes = {'x32': lambda: native(%d, 0)}" % number)
            self.assertEqual((met, outcome.status, outcome.exit["signal"]), (None, "crash", 31), number)


class EachSystemCallOfACopy(EachSystemCall):
    session = True


class Runner(unittest.TestCase):
    def test_its_own_filter(self):
        """Read from outside: process 1 is filtered too, and may not be traced or dumped."""
        with Sandbox(bwrap=True) as box:
            status = [pathlib.Path("/proc/%d/status" % pid).read_text() for pid in sandbox.children_of(box.process.pid)]
            filters = sorted(int(re.search(r"(?m)^Seccomp_filters:\t(\d+)$", text).group(1)) for text in status
                             if "Name:\tbwrap" not in text)
        self.assertEqual(filters, [1, 3])


class EachSystemCallOfACopy(EachSystemCall):
    """The filter of the zygote lies below and allows more: of that nothing is left."""
    session = True

    def test_the_runners_own_filter(self):
        with sandbox.Session(bwrap=True) as box:
            filters = [int(re.search(r"(?m)^Seccomp_filters:\t(\d+)$", pathlib.Path("/proc/%d/status" % pid).read_text()).group(1))
                       for pid in (box.runner(), box.zygote(), box.copy())]
        self.assertEqual(filters, [1, 2, 3])


if __name__ == "__main__":
    unittest.main(verbosity=1)
