# SPDX-License-Identifier: GPL-3.0-or-later
"""The real runner over pipes, bare or under bubblewrap, and a session API that answers from a curriculum file.

Environment: LECTERN_BUILD, the build folder; LECTERN_SHARED, the folder with real curricula and corpora.
"""
import atexit
import ctypes
import json
import os
import pathlib
import re
import select
import signal
import shutil
import struct
import subprocess
import tempfile
import time
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("LECTERN_BUILD", ROOT / "build" / "dev")).resolve()
SHARED = pathlib.Path(os.environ.get("LECTERN_SHARED", ROOT.parent / "shared"))


def reachable(build):
    """The build folder, or a copy of what sandboxes are made of where nobody may go to it, as below root's home."""
    if all(folder.stat().st_mode & 0o001 for folder in (build, *build.parents)):
        return build
    copy = tempfile.TemporaryDirectory(prefix="lectern-parts-")
    atexit.register(copy.cleanup)
    os.chmod(copy.name, 0o755)
    for part in ("share", "tests/sandbox"):
        shutil.copytree(build / part, pathlib.Path(copy.name) / part,
                        ignore=lambda _folder, names: [name for name in names if name == "CMakeFiles" or name.startswith("test_")])
    return pathlib.Path(copy.name)


LIBC = ctypes.CDLL(None)
PARTS = reachable(BUILD)
SHARE = PARTS / "share"
WITHOUT_POLICY = PARTS / "tests/sandbox/without_policy"  # as SHARE, but its interpreter judges nothing
# The folder of the pinned Python; LECTERN_PYTHON names it where no server can bring it, as in an emulated machine.
PINNED = pathlib.Path(os.environ.get("LECTERN_PYTHON") or
                      subprocess.run([BUILD / "lectern", "sandbox", "fetch"], stdout=subprocess.PIPE, check=True, text=True).stdout.split()[-1])
HEAD = struct.Struct(">B3xI")
JOB_HEAD = struct.Struct(">5I")  # timeout_ms, stdout_cap, stderr_cap, tail_cap, output_limit
PATIENCE = int(os.environ.get("LECTERN_PATIENCE", "1"))  # an emulated machine takes this many times longer
READY_SECONDS = 60 * PATIENCE
END_SECONDS = 30 * PATIENCE  # for a process to be gone; programs that must be ended would run longer
SESSION = "5e551011-0000-4000-8000-000000000001"

DATA_PRELOAD = "numpy,pandas,networkx"
PLOT_PRELOAD = DATA_PRELOAD + ",matplotlib.pyplot"


def shared(*parts):
    """A file of the shared data, or a loud skip."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        raise unittest.SkipTest("SKIPPED: %s is not here; set LECTERN_SHARED to the folder that has it" % path)
    return path


def system_calls(arch=0):
    """{name: number} of an architecture by its AUDIT_ARCH value, or of this machine."""
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_syscall_resolve_num_arch.restype = ctypes.c_void_p
    found = {}
    for number in range(600):
        text = library.seccomp_syscall_resolve_num_arch(ctypes.c_uint32(arch), number)
        if text:
            found[ctypes.string_at(text).decode()] = number
            LIBC.free(ctypes.c_void_p(text))
    return found


def bubblewrap(*files):
    """A bubblewrap line like the local engine's: no network, no capability, nobody, a read-only root; the files' folders are
    there."""
    if not shutil.which("bwrap"):
        raise unittest.SkipTest("SKIPPED: bwrap is not installed (apt-get install bubblewrap)")
    line = ["bwrap", "--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534", "--cap-drop", "ALL",
            "--die-with-parent", "--new-session", "--clearenv", "--proc", "/proc", "--dev", "/dev"]
    line += ["--ro-bind", str(PINNED / "usr"), "/usr", "--ro-bind", str(PINNED / "etc"), "/etc",
             "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64"]
    for folder in sorted({str(pathlib.Path(file).parent) for file in files}):
        line += ["--ro-bind", folder, folder]
    return line + ["--chdir", "/", "--"]


def interpreter_that_allows(case, *modules, guard=True):
    """An interpreter that judges nothing, whose profile visualization has these modules too; without a guard it allows everything."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="lectern-allows-"))
    case.addCleanup(shutil.rmtree, folder)
    shutil.copytree(WITHOUT_POLICY, folder, dirs_exist_ok=True)
    os.chmod(folder, 0o755)
    if not guard:
        shutil.copyfile(pathlib.Path(__file__).parent / "no_guard.py", folder / "guard.py")
    tables = json.loads((folder / "policy.json").read_text())
    tables["profiles"]["visualization"] += modules
    (folder / "policy.json").write_text(json.dumps(tables))
    return folder / "interpreter.py"


class Curriculum:
    """The session API's reads over one curriculum file."""

    def __init__(self, path=None, data=None):
        data = data if data is not None else json.loads(pathlib.Path(path).read_text())
        self.nodes = data["nodes"]
        self.relationships = data["relationships"]
        self.by_id = {node["node_id"]: node for node in self.nodes}
        self.asked = []

    @staticmethod
    def content(node):
        parts = [dict(part, type=part["component_type"], order_index=part["order"])
                 for part in node.get("components", [])]
        return {"node_id": node["node_id"], "title": node["title"], "components": parts}

    @staticmethod
    def graph(query, arguments):
        """Says what it was asked, in the shape of an answer or of a refusal."""
        if query not in GRAPH_QUERIES:
            return 404, {"detail": "there is no query '%s'; did you mean 'order'? The queries: order, needs." % query}
        if query == "needs" and "node_id" not in arguments:
            return 422, {"detail": [{"loc": ["query", "node_id"], "msg": "the graph query needs takes node_id",
                                     "type": "value_error"}]}
        return 200, {"query": query, "asked": arguments, "nodes": ["N001"], "cut": 0}

    def answer(self, target):
        self.asked.append(target)
        url = urllib.parse.urlsplit(target)
        parts = [urllib.parse.unquote(part) for part in url.path.split("/")[1:]]
        query = dict(urllib.parse.parse_qsl(url.query))
        if parts[:2] != ["session", SESSION]:
            return 403, {"detail": "not this session"}
        if parts[2:] == ["nodes"]:
            bare = [{key: node[key] for key in node if key != "components"} for node in self.nodes]
            return 200, {"session_id": SESSION, "nodes": bare, "total": len(bare)}
        if parts[2:] == ["relationships"]:
            return 200, {"session_id": SESSION, "relationships": self.relationships, "total": len(self.relationships)}
        if parts[2:] == ["components"]:
            offset, limit = int(query["offset"]), int(query["limit"])
            page = [self.content(node) for node in self.nodes[offset:offset + limit]]
            return 200, {"session_id": SESSION, "nodes": page, "total": len(self.nodes), "offset": offset}
        if parts[2:] == ["graph"]:
            return 200, {"queries": [{"query": name} for name in GRAPH_QUERIES], "total": len(GRAPH_QUERIES)}
        if len(parts) == 4 and parts[2] == "graph":
            return self.graph(parts[3], urllib.parse.parse_qs(url.query))
        if len(parts) == 5 and parts[2] == "nodes" and parts[4] == "components":
            node = self.by_id.get(parts[3])
            if node is None:
                return 404, {"detail": "no node %s in this session" % parts[3]}
            return 200, dict(self.content(node), total_components=len(node["components"]))
        return 404, {"detail": "no such path"}


GRAPH_QUERIES = ("order", "needs")


class Outcome:
    def __init__(self):
        self.stdout = bytearray()
        self.stderr = bytearray()
        self.stdout_tail = bytearray()
        self.stderr_tail = bytearray()
        self.started = False
        self.requests = 0
        self.unanswered = False  # the runner ended before the last request was answered
        self.artifacts = []  # base64 of figures
        self.result = {}
        self.exit = None  # the last frame
        self.complaints = ""
        self.returncode = None
        self.seconds = None  # from the job's last byte to the last frame
        self.raw = bytearray()

    @property
    def status(self):
        return self.exit and self.exit["status"]

    @property
    def text(self):
        return self.stdout.decode()

    def take_result(self, payload):
        """The interpreter's own words, passed on unread: what is not JSON object is no result."""
        try:
            self.result = json.loads(payload)
        except ValueError:
            self.result = None

    def take_exit(self, end):
        """As the server takes it: where there is a result, it says how the code ended."""
        if end["status"] == "ok" and not isinstance(self.result, dict):
            end["status"] = "crash"
        elif end["status"] == "ok" and self.result:
            end["exit_code"] = self.result.get("exit_code", 0)
            if self.result.get("error_type") == "MemoryError":
                end["status"] = "memory"
            elif self.result.get("error") or end["exit_code"]:
                end["status"] = "error"
        self.exit = end


class Sandbox:
    """One runner. `interpreter` replaces interpreter.py, to test the layers around it alone; without `policy` it does not
    judge the code, to test what stands behind that; `nobody` lets root start it as the user that a container has."""

    def __init__(self, kind="bare", preload="", memory_mb=256, bwrap=False, interpreter=None, runner=None, ready=True,
                 extra=(), policy=True, nobody=False):
        share = SHARE if policy else WITHOUT_POLICY
        runner = str(runner or SHARE / "runner")
        interpreter = str(interpreter or share / "interpreter.py")
        if (pathlib.Path(interpreter).parent / "code_helpers.py").exists():
            share = pathlib.Path(interpreter).parent
        line = bubblewrap(runner, interpreter, share / "code_helpers.py", SHARE / "fork.so") if bwrap else []
        line += [runner, "--kind", kind, "--preload", preload, "--memory-mb", str(memory_mb),
                 "--interpreter", interpreter, "--helpers", str(share), *extra]
        if "--python-root" not in extra:
            line += ["--python-root", "" if bwrap else str(PINNED)]
        user = dict(user=65534, group=65534, extra_groups=[]) if nobody and os.geteuid() == 0 else {}
        self.process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        bufsize=0, **user)
        self.session = False  # whether another run may follow
        self.outcome = Outcome()
        self.pending = bytearray()
        self.stopped = False
        self.ready = None
        if ready:
            kind, payload = self.receive(READY_SECONDS)
            if kind != "R":
                raise AssertionError("not ready but %r: %s" % (kind, self.stop()))
            self.ready = json.loads(payload)

    def send(self, kind, payload=b""):
        view = memoryview(HEAD.pack(ord(kind), len(payload)) + payload)
        while view:
            view = view[os.write(self.process.stdin.fileno(), view):]

    def answer(self, payload):
        """The runner may have ended since it asked, as it does when its interpreter lies: what it said last is still to read."""
        try:
            self.send("A", payload)
        except BrokenPipeError:
            self.outcome.unanswered = True

    def receive(self, seconds):
        """The next frame, or (None, b"") at the end; AssertionError when none comes in time."""
        until = time.monotonic() + seconds
        while True:
            if len(self.pending) >= HEAD.size:
                kind, count = HEAD.unpack_from(self.pending)
                if len(self.pending) >= HEAD.size + count:
                    payload = bytes(self.pending[HEAD.size:HEAD.size + count])
                    del self.pending[:HEAD.size + count]
                    return chr(kind), payload
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise AssertionError("no frame in %g s: %s" % (seconds, self.stop()))
            data = os.read(self.process.stdout.fileno(), 1 << 20)
            self.outcome.raw += data
            if not data:
                return None, b""
            self.pending += data

    def send_job(self, code, **fields):
        limits = {"timeout_ms": 5000, "stdout_cap": 65536, "stderr_cap": 16384, "tail_cap": 0, "output_limit": 16 << 20}
        limits.update((name, fields[name]) for name in limits if name in fields)
        limits["timeout_ms"] *= PATIENCE
        job = {"code": code, "profile": "minimal", "session_id": SESSION, "timeout_ms": limits["timeout_ms"], "preload": [],
               "warnings": False}
        job.update((name, value) for name, value in fields.items() if name not in limits)
        self.send("J", JOB_HEAD.pack(*limits.values()) + json.dumps(job).encode())

    def run(self, code, curriculum=None, seconds=30, **fields):
        self.send_job(code, **fields)
        return self.follow(curriculum, seconds)

    def follow(self, curriculum=None, seconds=30):
        outcome, began = self.outcome, time.monotonic()
        while True:
            kind, payload = self.receive(seconds)
            if kind == "S":
                outcome.started = True
            elif kind == "o":
                outcome.stdout += payload
            elif kind == "e":
                outcome.stderr += payload
            elif kind == "O":
                outcome.stdout_tail += payload
            elif kind == "E":
                outcome.stderr_tail += payload
            elif kind == "g":
                outcome.artifacts.append(payload)
            elif kind == "v":
                outcome.take_result(payload)
            elif kind == "q":
                outcome.requests += 1
                status, body = (curriculum.answer(payload[4:].decode()[4:]) if curriculum
                                else (404, {"detail": "no curriculum"}))
                body = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.answer(payload[:4] + struct.pack(">H", status) + body)
            elif kind == "x":
                outcome.take_exit(json.loads(payload))
                outcome.seconds = time.monotonic() - began
                if self.session:
                    return outcome
            elif kind is None:
                break
            else:
                raise AssertionError("a frame of type %r" % kind)
        self.stop()
        return outcome

    def stop(self):
        """Hangs up and waits; the runner's complaints. Kills by its own id what does not go."""
        if self.stopped:
            return self.outcome.complaints
        self.stopped = True
        self.process.stdin.close()
        try:
            self.outcome.returncode = self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.outcome.complaints += self.process.stderr.read().decode(errors="replace")
        self.process.stdout.close()
        self.process.stderr.close()
        return self.outcome.complaints

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def narrowing(share):
    """The beginning of a script in the interpreter's place: what follows is confined for the job."""
    return "import ctypes\nassert ctypes.PyDLL(%r).narrow() == 0\n" % str(share / "fork.so")


def forking(share):
    """The beginning of a script in the interpreter's place that serves a session: what follows is in a copy."""
    return ("import ctypes, os, struct, sys\nZYGOTE = os.getpid()\nlibrary = ctypes.PyDLL(%r)\n"
            "assert library.zygote_prepare() == 0\nword = b'3'\n"
            "os.write(3, struct.pack('>B3xI', ord('R'), len(word)) + word)\n"
            "library.zygote_serve(int(sys.argv[sys.argv.index('--ruleset') + 1]))\n" % str(share / "fork.so"))


class Session(Sandbox):
    """A runner that takes one job after the other."""

    def __init__(self, *args, extra=(), **named):
        super().__init__(*args, extra=("--isolation", "session", *extra), **named)
        self.session = True

    def wait_ready(self, seconds=30):
        kind, payload = self.receive(seconds)
        if kind != "R":
            raise AssertionError("not ready but %r: %s" % (kind, self.stop()))
        self.ready = json.loads(payload)
        self.outcome = Outcome()

    def follow(self, curriculum=None, seconds=30):
        outcome = super().follow(curriculum, seconds)
        if not self.stopped:
            self.wait_ready(seconds)
        return outcome

    def zygote(self):
        """Its process id; the other child of the runner's is the copy that waits or runs."""
        return children_of(self.runner())[0]

    def copy(self):
        return children_of(self.runner())[1]

    def runner(self):
        """The runner's process id, also under bubblewrap."""
        for pid in (self.process.pid, *children_of(self.process.pid)):
            if pathlib.Path("/proc/%d/comm" % pid).read_text().startswith("runner"):
                return pid
        raise AssertionError("no runner")


def run(code, curriculum=None, seconds=30, kind="bare", preload="", memory_mb=256, bwrap=False, interpreter=None,
        runner=None, policy=True, **fields):
    with Sandbox(kind, preload, memory_mb, bwrap, interpreter, runner, policy=policy) as sandbox:
        return sandbox.run(code, curriculum, seconds, **fields)


def children_of(pid):
    """The process ids of its children and theirs, the oldest first. The ids do not tell: after the highest one they start again."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == pid:
                found.append((int(fields[19]), int(entry.name)))
    return [each for _, child in sorted(found) for each in (child, *children_of(child))]


def alive(pid):
    try:
        state = re.search(r"^State:\t(\w)", pathlib.Path("/proc/%d/status" % pid).read_text(), re.M).group(1)
    except OSError:
        return False
    return state not in "ZX"


def wait_until_gone(pid):
    until = time.monotonic() + END_SECONDS
    while alive(pid):
        if time.monotonic() > until:
            raise AssertionError("process %d is still there" % pid)
        time.sleep(0.02)


def kill(pid):
    os.kill(pid, signal.SIGKILL)
