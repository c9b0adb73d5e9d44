# SPDX-License-Identifier: GPL-3.0-or-later
"""Observes interpreters from outside, with the kernel's reports of every fork and exec (the process connector) and /proc.

The kernel reports each process and thread, however short its life, so "it started nothing" is an observation. Needs root in the machine's
own namespaces.
"""
import os
import pathlib
import re
import socket
import struct
import threading
import time

import sandbox

NETLINK_CONNECTOR, CN_IDX_PROC, LISTEN = 11, 1, 1
SO_RCVBUFFORCE = 33
FORK, EXEC, EXIT = 1, 2, 0x80000000
POLL_SECONDS = 0.05
# What an interpreter's descriptors may be: null, two pipes, one socket, and files that Python and its libraries open themselves, or beside the runner.
DESCRIPTORS = re.compile(r"/dev/null$|/dev/urandom$|pipe:\[|socket:\[|(%s)?/usr/(lib|share/(zoneinfo|matplotlib|fonts-droid-fallback))(/|$)|/lectern/"
                         r"|/sys/devices/system/cpu/|/tmp/lectern-test-[^/]+/share/" % re.escape(str(sandbox.PINNED)))


def words(pid):
    try:
        return pathlib.Path("/proc/%d/cmdline" % pid).read_bytes().replace(b"\0", b" ")
    except OSError:
        return b""


def number(pid, name):
    """Of the process' status; 0 if it has ended."""
    try:
        return int(re.search(r"\n%s:\t(\d+)" % name, pathlib.Path("/proc/%d/status" % pid).read_text()).group(1))
    except (OSError, AttributeError):
        return 0


class Watch:
    """Of all interpreters below the process `server`, or below a container's shim that names `folder`. Where `forks` is set,
    each job is a process of its own, a child of the runner's, and that process may do nothing of the kind. filters: of seccomp, that a
    process has when it is confined for its job; until then it may have descriptors for that."""

    def __init__(self, server, folder=None, forks=False, filters=3):
        self.filters, self.look_count = filters, 0
        self.server, self.folder, self.forks = server, folder and os.fsencode(folder), forks
        self.runners, self.interpreters, self.jobs = set(), set(), set()  # that live: numbers are used again
        self.interpreter_count = self.job_count = 0
        self.harm, self.descriptors = [], set()
        self.lost = False
        self.stopping = threading.Event()
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, NETLINK_CONNECTOR)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 32 << 20)
        self.socket.bind((0, CN_IDX_PROC))
        self.socket.settimeout(POLL_SECONDS)
        message = struct.pack("=IIIIHHI", CN_IDX_PROC, 1, 0, 0, 4, 0, LISTEN)
        self.socket.send(struct.pack("=IHHII", 16 + len(message), 3, 0, 0, os.getpid()) + message)
        self.threads = [threading.Thread(target=self._listen), threading.Thread(target=self._poll)]
        for thread in self.threads:
            thread.start()

    def _is_ours(self, pid):
        while pid > 1:
            if pid == self.server or self.folder and self.folder in words(pid):
                return True
            pid = number(pid, "PPid")
        return False

    def _on_exec(self, pid):
        if pid in self.interpreters or pid in self.jobs:
            self.harm.append("an interpreter executed %r" % words(pid)[:200])
        elif b"interpreter.py" in words(pid) and re.search(b"python|/ld-linux", words(pid).split(b" ")[0]) and self._is_ours(pid):
            self.interpreters.add(pid)
            self.interpreter_count += 1
            self.runners.add(number(pid, "PPid"))

    def _on_fork(self, by, child, child_group):
        watched = self.interpreters.union(self.jobs)
        if child != child_group:  # a thread; its parent is the parent of all its process
            if child_group in watched:
                self.harm.append("an interpreter started a thread")
        elif by in watched:
            self.harm.append("an interpreter started a process")
        elif by in self.runners:  # or who shares its parent, by CLONE_PARENT
            if self.forks:
                self.jobs.add(child)
                self.job_count += 1
            else:
                self.harm.append("a runner started a second process")

    def _on_exit(self, pid):
        self.runners.discard(pid)
        self.interpreters.discard(pid)
        self.jobs.discard(pid)

    def _take(self, data):
        what = struct.unpack_from("=I", data, 36)[0]
        numbers = struct.unpack_from("=IIII", data, 52) if len(data) >= 68 else (0,) * 4
        if what == FORK:
            self._on_fork(numbers[1], numbers[2], numbers[3])
        elif what == EXEC:
            self._on_exec(numbers[1])
        elif what == EXIT and numbers[0] == numbers[1]:
            self._on_exit(numbers[1])

    def _listen(self):
        while not self.stopping.is_set():
            try:
                self._take(self.socket.recv(1024))
            except socket.timeout:
                continue
            except OSError:  # ENOBUFS: we were too slow
                self.lost = True

    def _poll(self):
        while not self.stopping.wait(POLL_SECONDS):
            for pid in list(self.jobs if self.forks else self.interpreters):
                if number(pid, "Seccomp_filters") >= self.filters:
                    self._look_at(pid)

    def _look_at(self, pid):
        folder = "/proc/%d/fd" % pid
        try:
            found = [os.readlink(os.path.join(folder, name)) for name in os.listdir(folder)]
        except OSError:  # it has ended
            return
        self.look_count += 1
        if sum(link.startswith("socket:") for link in found) > 1:
            self.harm.append("an interpreter has more than one socket")
        self.descriptors.update(link for link in found if not DESCRIPTORS.match(link))

    def finish(self):
        """What was seen, in words; empty where nothing was."""
        time.sleep(2 * POLL_SECONDS)
        self.stopping.set()
        for thread in self.threads:
            thread.join()
        self.socket.close()
        if self.lost:
            raise AssertionError("the kernel told more than was read: nothing is proven")
        return self.harm + ["an interpreter held %s open" % link for link in sorted(self.descriptors)]
