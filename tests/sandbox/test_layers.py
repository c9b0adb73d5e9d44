# SPDX-License-Identifier: GPL-3.0-or-later
"""Each layer of the sandbox alone: a Python script instead of the interpreter, without hooks, tries what it may not do; with Landlock and
seccomp, with a test build without seccomp, and with one without Landlock."""
import ctypes
import json
import os
import pathlib
import platform
import re
import tempfile
import unittest

import sandbox
from sandbox import Sandbox

AUDIT_ARCH_X86_64 = 0xc000003e

# Runs `probes`, a dict of name to function, and answers with what each met: "done", or the error's name.
PROBER = """
import errno, os, struct, sys
def send(kind, payload=b""):
    data = struct.pack(">B3xI", ord(kind), len(payload)) + payload
    while data:
        data = data[os.write(3, data):]
send("R", b"3")
need = struct.unpack(">B3xI", os.read(3, 8))[1]
job = os.read(3, need)
while len(job) < need:
    job += os.read(3, need - len(job))
send("S")
import ctypes, json, mmap, resource, signal, socket
libc = ctypes.CDLL(None, use_errno=True)
RUNNER = int(json.loads(job)["code"])
def call(name, *args):
    got = getattr(libc, name)(*args)
    if got == -1:
        raise OSError(ctypes.get_errno(), "")
    return got
def native(number, *args):
    return call("syscall", ctypes.c_long(number), *map(ctypes.c_long, args))
def raw(number, *args): # by the number on x86-64
    if NUMBERS and NUMBERS[number] is None:
        raise PermissionError(errno.EPERM, "no such call here")
    return native(NUMBERS[number] if NUMBERS else number, *args)
def fork():
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
def connect():
    socket.create_connection(("127.0.0.1", 9), timeout=1)
def try_all(probes):
    met = {}
    for name, probe in probes.items():
        try:
            probe()
            met[name] = "done"
        except OSError as error:
            met[name] = errno.errorcode.get(error.errno, str(error))
        except Exception as error:
            met[name] = type(error).__name__ + ": " + str(error)
    send("v", json.dumps({"value": json.dumps(met), "error": None, "error_type": None, "line": None}).encode())
    os._exit(0)
"""

def numbers_here():
    """{number on x86-64: number here, or None}; nothing where they are the same."""
    if platform.machine() == "x86_64":
        return {}
    here = sandbox.system_calls()
    return {number: here.get(name) for name, number in sandbox.system_calls(AUDIT_ARCH_X86_64).items()}


PROBER += "NUMBERS = %r\n" % numbers_here()

FILES = """
probes = {
    "read passwd": lambda: open("/etc/passwd").read(),
    "read the canary": lambda: open(CANARY).read(),
    "list the root": lambda: os.listdir("/"),
    "list its own folder": lambda: os.listdir(os.path.dirname(CANARY)),
    "read its memory map": lambda: open("/proc/self/maps").read(),
    "read the runner's environment": lambda: open("/proc/%d/environ" % RUNNER).read(),
    "read the runner's memory": lambda: open("/proc/%d/mem" % RUNNER, "rb").read(1),
    "read a device": lambda: open("/dev/zero", "rb").read(1),
    "write a file": lambda: open(os.path.join(os.path.dirname(CANARY), "new"), "w"),
    "write where Python is": lambda: open(sys.prefix + "/lib/python3/new", "w"),
    "truncate": lambda: os.truncate(CANARY, 0),
    "make a folder": lambda: os.mkdir(os.path.join(os.path.dirname(CANARY), "new")),
    "make a pipe": lambda: os.mkfifo(os.path.join(os.path.dirname(CANARY), "fifo")),
    "make a link": lambda: os.symlink("/etc", os.path.join(os.path.dirname(CANARY), "link")),
    "remove": lambda: os.unlink(CANARY),
    "rename": lambda: os.rename(CANARY, CANARY + "2"),
    "execute a program": lambda: os.execv("/bin/true", ["true"]),
    "execute a shell": lambda: os.execv("/bin/sh", ["sh", "-c", "true"]),
}
"""
NETWORK = """
probes["connect"] = connect
probes["signal the runner"] = lambda: os.kill(RUNNER, 0)
"""
CALLS = """
probes = {
    "fork": fork,
    "vfork": lambda: raw(58),
    "thread": lambda: __import__("threading").Thread(target=print).start(),
    "socket": lambda: socket.socket(),
    "unix socket": lambda: socket.socket(socket.AF_UNIX),
    "socketpair": lambda: socket.socketpair(),
    "send a descriptor": lambda: raw(46, 3, 0, 0),
    "execute": lambda: os.execv("/bin/true", ["true"]),
    "execute Python": lambda: os.execv(sys.executable, [sys.executable]),
    "execute by descriptor": lambda: raw(322, 0, 0, 0, 0, 0x1000),
    "trace": lambda: raw(101, 16, RUNNER, 0, 0),
    "read another's memory": lambda: raw(310, RUNNER, 0, 0, 0, 0, 0),
    "signal the runner": lambda: os.kill(RUNNER, 0),
    "signal a group": lambda: os.kill(-1, 0),
    "signal a thread of others": lambda: raw(234, RUNNER, RUNNER, 0),
    "write a file": lambda: open("/tmp/new-file-of-a-probe", "w"),
    "append to a file": lambda: open(CANARY, "a"),
    "remove": lambda: os.unlink(CANARY),
    "rename": lambda: os.rename(CANARY, CANARY + "2"),
    "mode": lambda: os.chmod(CANARY, 0),
    "truncate": lambda: os.truncate(CANARY, 0),
    "make a folder": lambda: os.mkdir("/tmp/new-folder-of-a-probe"),
    "mount": lambda: raw(165, 0, 0, 0, 0, 0),
    "namespace": lambda: raw(272, 0x10000000),
    "root folder": lambda: os.chroot("/"),
    "user": lambda: os.setuid(0),
    "priority": lambda: os.setpriority(os.PRIO_PROCESS, 0, 0),
    "limits": lambda: raw(302, 0, resource.RLIMIT_CPU, ctypes.addressof(ctypes.create_string_buffer(16)), 0),
    "own process attributes": lambda: raw(157, 4, 1, 0, 0, 0),
    "memory file": lambda: os.memfd_create("x"),
    "executable memory": lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC),
    "executable later": lambda: call("mprotect", ctypes.c_void_p(raw(9, 0, 4096, 3, 0x22, -1, 0)), 4096, 7),
    "io_uring": lambda: raw(425, 1, 0),
    "bpf": lambda: raw(321, 0, 0, 0),
    "perf": lambda: raw(298, 0, 0, -1, -1, 0),
    "keys": lambda: raw(250, 0, 0, 0, 0, 0),
    "userfaultfd": lambda: raw(323, 0),
    "file handle": lambda: raw(303, 0, 0, 0, 0, 0),
    "terminal input": lambda: __import__("fcntl").ioctl(0, 0x5412, b"x"),
    "personality": lambda: raw(135, 0x0040000),
    "timer": lambda: signal.setitimer(signal.ITIMER_REAL, 100),
    "seccomp": lambda: raw(317, 0, 0, 0),
}
"""
# What a copy in a session might do besides, to its zygote and with what that may do.
COPY = """
def clone(flags):
    pid = raw(56, flags, 0, ctypes.addressof(ctypes.create_string_buffer(8)), 0, 0)
    if pid == 0:
        os._exit(0)
def read_zygote():
    text = ctypes.create_string_buffer(8)
    here = ctypes.create_string_buffer(struct.pack("QQ", ctypes.addressof(text), 8))
    there = ctypes.create_string_buffer(struct.pack("QQ", id(None), 8))  # a copy has it at the same place
    raw(310, ZYGOTE, ctypes.addressof(here), 1, ctypes.addressof(there), 1, 0)
probes = {
    "clone as the zygote does": lambda: clone(0x8000 | 0x1000 | 17),
    "clone as fork does": lambda: clone(17),
    "signal the zygote": lambda: os.kill(ZYGOTE, 0),
    "kill the zygote": lambda: os.kill(ZYGOTE, 9),
    "signal the zygote's thread": lambda: raw(234, ZYGOTE, ZYGOTE, 9),
    "pidfd of the zygote": lambda: raw(434, ZYGOTE, 0),
    "signal by pidfd": lambda: raw(424, 3, 9, 0, 0),
    "trace the zygote": lambda: raw(101, 16, ZYGOTE, 0, 0),
    "read the zygote's memory": read_zygote,
    "open the zygote's memory": lambda: open("/proc/%d/mem" % ZYGOTE, "rb"),
    "the zygote's map": lambda: open("/proc/%d/maps" % ZYGOTE),
    "the zygote's descriptors": lambda: os.listdir("/proc/%d/fd" % ZYGOTE),
    "the zygote's use of memory": lambda: open("/proc/%d/statm" % ZYGOTE),
    "its own use of memory": lambda: open("/proc/self/statm"),
    "receive a descriptor": lambda: raw(47, 3, 0, 0),
    "another's limits": lambda: raw(302, ZYGOTE, resource.RLIMIT_CPU, ctypes.addressof(ctypes.create_string_buffer(16)), 0),
    "its own limits": lambda: raw(302, 0, resource.RLIMIT_NPROC, ctypes.addressof(ctypes.create_string_buffer(16)), 0),
    "be dumpable": lambda: raw(157, 4, 1, 0, 0, 0),
    "outlive the runner": lambda: raw(157, 1, 0, 0, 0, 0),
    "another filter": lambda: raw(317, 1, 0, 0),
    "another domain": lambda: raw(446, -1, 0),
    "replace a descriptor": lambda: os.dup2(0, 1),
    "close all": lambda: raw(436, 4, 5, 0),
}
for number in range(4, 64):
    probes["descriptor %d" % number] = lambda number=number: os.fstat(number)
"""
# Those that Landlock alone holds, and being out of a debugger's reach.
COPY_FILES = ("open the zygote's memory", "the zygote's map", "the zygote's descriptors", "the zygote's use of memory",
              "its own use of memory")
COPY_SCOPED = ("signal the zygote", "kill the zygote", "signal the zygote's thread", "trace the zygote", "read the zygote's memory")
ALLOWED = """
probes = {
    "read a library": lambda: open(os.__file__).read(),
    "list the libraries": lambda: os.listdir(os.path.dirname(os.__file__)),
    "randomness": lambda: open("/dev/urandom", "rb").read(1),
    "zones": lambda: os.listdir(sys.prefix + "/share/zoneinfo"),
    "signal itself": lambda: os.kill(os.getpid(), 0),
    "sleep": lambda: __import__("time").sleep(0.001),
}
"""


def runner_of(box, bwrap):
    """The job of a prober: the runner's process id, as the prober would see it; it may not ask for it."""
    return str(1 if bwrap else box.process.pid)


def probe(code, bwrap=False, runner=None, session=False, nobody=False):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        canary = pathlib.Path(folder) / "canary.txt"
        canary.write_text("canary")
        script = pathlib.Path(folder) / "prober.py"
        script.write_text((sandbox.forking if session else sandbox.narrowing)(sandbox.SHARE) + PROBER + "CANARY = %r\n" % str(canary) + code + "\ntry_all(probes)\n")
        with (sandbox.Session if session else Sandbox)(bwrap=bwrap, interpreter=script, runner=runner,
                                                             nobody=nobody) as box:
            outcome = box.run(runner_of(box, bwrap), timeout_ms=8000)
        left = sorted(os.listdir(folder))
    if "value" not in outcome.result:
        raise AssertionError("no result: %s %s %s" % (outcome.exit, outcome.complaints, outcome.stderr))
    return json.loads(outcome.result["value"]), left


def landlock_abi():
    with Sandbox() as box:
        return box.ready["landlock_abi"]


class Layers(unittest.TestCase):
    session = False  # whether what is probed was executed, or cloned from a zygote

    def probe(self, code, **named):
        return probe(code, session=self.session, **named)

    @classmethod
    def setUpClass(cls):
        cls.abi = landlock_abi()

    def check_refused(self, met, errors):
        self.assertGreater(len(met), 3)
        self.assertEqual({name: got for name, got in met.items() if got not in errors}, {})

    def need_landlock(self, abi):
        if self.abi < abi:
            raise unittest.SkipTest("SKIPPED: this kernel's Landlock has ABI %d, not %d" % (self.abi, abi))

    def test_what_python_needs_is_there(self):
        met, _ = self.probe(ALLOWED)
        self.assertEqual(set(met.values()), {"done"}, met)

    def test_landlock_alone(self):
        self.need_landlock(3)
        met, left = self.probe(FILES, runner=sandbox.PARTS / "tests/sandbox/runner_without_seccomp")
        self.check_refused(met, ("EACCES", "EXDEV"))
        self.assertEqual(left, ["canary.txt", "prober.py"])

    def test_landlock_alone_keeps_network_and_signals_in(self):
        self.need_landlock(6)
        met, _ = self.probe("probes = {}\n" + NETWORK, runner=sandbox.PARTS / "tests/sandbox/runner_without_seccomp")
        self.assertEqual(met, {"connect": "EACCES", "signal the runner": "EPERM"})

    def test_without_seccomp_the_runner_ends_what_is_left(self):
        """Also without a namespace that would end with it: what was forked is in the group of the interpreter."""
        if os.getuid() != 0:
            raise unittest.SkipTest("SKIPPED: others than root have a limit on processes besides: sudo make test")
        met, _ = self.probe("def leave():\n    pid = os.fork()\n    while pid == 0:\n        signal.pause()\n"
                            "    raise RuntimeError(pid)\nprobes = {'leave a process': leave}\n",
                            runner=sandbox.PARTS / "tests/sandbox/runner_without_seccomp")
        pid = int(re.fullmatch(r"RuntimeError: (\d+)", met["leave a process"]).group(1))
        sandbox.wait_until_gone(pid)

    def test_seccomp_alone(self):
        met, left = self.probe(CALLS, runner=sandbox.PARTS / "tests/sandbox/runner_without_landlock")
        self.assertEqual(met.pop("thread"), "RuntimeError: can't start new thread")
        self.check_refused(met, ("EPERM", "ENOSYS"))
        self.assertEqual(left, ["canary.txt", "prober.py"])

    def test_both(self):
        for code in (FILES + NETWORK, CALLS):
            met, left = self.probe(code)
            met.pop("thread", None)
            self.check_refused(met, ("EPERM", "ENOSYS", "EACCES"))
            self.assertEqual(left, ["canary.txt", "prober.py"])

    def test_no_descriptor_is_left(self):
        met, _ = self.probe("probes = {n: lambda n=n: os.fstat(n) for n in range(4, 64)}")
        self.assertEqual(set(met.values()), {"EBADF"}, met)

    def test_the_one_exec_is_used_up(self):
        with Sandbox() as box:
            self.assertTrue(box.ready["exec_once"])
        met, _ = self.probe("probes = {'execute Python': lambda: os.execv('/usr/bin/python3', ['python3'])}")
        self.assertEqual(met, {"execute Python": "EPERM"})

    def test_processes_as_the_kernel_sees_them(self):
        for bwrap in (False, True):
            with self.subTest(bwrap=bwrap), Sandbox(bwrap=bwrap) as box:
                pid = sandbox.children_of(box.process.pid)[-1]
                status = pathlib.Path("/proc/%d/status" % pid).read_text()
                for name, value in (("CapEff", "0" * 16), ("CapPrm", "0" * 16), ("CapBnd", "0" * 16),
                                    ("NoNewPrivs", "1"), ("Seccomp", "2"), ("Threads", "1")):
                    self.assertRegex(status, r"(?m)^%s:\t%s$" % (name, value))
                parent = int(re.search(r"(?m)^PPid:\t(\d+)$", status).group(1))
                self.assertRegex(pathlib.Path("/proc/%d/status" % parent).read_text(), r"(?m)^Seccomp:\t2$")
                self.assertEqual(pathlib.Path("/proc/%d/oom_score_adj" % pid).read_text().strip(), "1000")
                limits = pathlib.Path("/proc/%d/limits" % pid).read_text()
                for name, value in (("core file size", 0), ("file size", 0), ("processes", 0), ("data size", (256 << 20) // 6 * 5)):
                    self.assertRegex(limits, r"(?m)^Max %s +%d +%d " % (name, value, value))
                fds = sorted(os.listdir("/proc/%d/fd" % pid), key=int)
                self.assertEqual(fds, ["0", "1", "2", "3"])

    def test_a_fork_bomb(self):
        met, _ = self.probe("def bomb():\n    for _ in range(1000):\n        try: os.fork()\n        except PermissionError: pass\n"
                       "    raise PermissionError(1, '')\nprobes = {'bomb': bomb}")
        self.assertEqual(met, {"bomb": "EPERM"})

    def test_memory_without_pythons_help(self):
        code = ("def eat():\n    kept = []\n    while True:\n        kept.append(mmap.mmap(-1, 1 << 20, flags=FLAGS))\n"
                "        kept[-1].write(b'x' * (1 << 20))\nprobes = {'eat': eat}")
        private = "mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS"
        self.assertEqual(self.probe("FLAGS = %s\n" % private + code)[0], {"eat": "ENOMEM"})
        # Shared pages would be no data to RLIMIT_DATA.
        self.assertEqual(self.probe("FLAGS = mmap.MAP_SHARED | mmap.MAP_ANONYMOUS\n" + code)[0], {"eat": "EPERM"})

    def test_address_space(self):
        """Pages that are only read are no data either, but their page tables are memory."""
        code = ("def reserve():\n    kept = []\n    while True:\n"
                "        kept.append(mmap.mmap(-1, 1 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ))\n"
                "probes = {'reserve': reserve}")
        self.assertEqual(self.probe(code)[0], {"reserve": "ENOMEM"})

    def test_the_runner_says_what_the_kernel_has(self):
        libc = ctypes.CDLL(None)
        abi = libc.syscall(ctypes.c_long(444), None, ctypes.c_long(0), ctypes.c_long(1))
        self.assertEqual(self.abi, max(abi, 0))


class LayersOfACopy(Layers):
    """The same walls around what was cloned, and those between it and its zygote."""
    session = True
    test_processes_as_the_kernel_sees_them = None  # test_session.py
    test_the_runner_says_what_the_kernel_has = None

    def only(self, names):
        return COPY + "probes = {name: probes[name] for name in %r}\n" % (names,)

    def test_the_zygote_is_out_of_reach(self):
        for named in ({}, {"bwrap": True}, {"nobody": True}):
            met, _ = self.probe(COPY, **named)
            for number in range(4, 64):
                self.assertEqual(met.pop("descriptor %d" % number), "EBADF")
            self.check_refused(met, ("EPERM", "ENOSYS", "EACCES"))

    def test_by_seccomp_alone(self):
        met, _ = self.probe(COPY, nobody=True, runner=sandbox.PARTS / "tests/sandbox/runner_without_landlock")
        for number in range(4, 64):
            self.assertEqual(met.pop("descriptor %d" % number), "EBADF")
        # What anybody may read of any process, file by file, Landlock alone keeps away.
        self.assertEqual((met.pop("the zygote's use of memory"), met.pop("its own use of memory")), ("done", "done"))
        self.check_refused(met, ("EPERM", "ENOSYS", "EACCES"))

    def test_by_landlock_alone(self):
        self.need_landlock(3)
        runner = sandbox.PARTS / "tests/sandbox/runner_without_seccomp"
        met, _ = self.probe(self.only(COPY_FILES), runner=runner)
        self.check_refused(met, ("EACCES", "EPERM"))
        self.need_landlock(6)
        met, _ = self.probe(self.only(COPY_SCOPED), runner=runner)
        self.check_refused(met, ("EPERM",))

    def test_no_process_by_the_limit_alone(self):
        """Root it does not hold; but there is none in a sandbox."""
        met, _ = self.probe("probes = {'fork': fork, 'a': fork, 'b': fork, 'c': fork}", nobody=True,
                            runner=sandbox.PARTS / "tests/sandbox/runner_without_seccomp")
        self.check_refused(met, ("EAGAIN",))


if __name__ == "__main__":
    unittest.main(verbosity=1)
