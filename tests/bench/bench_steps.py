# SPDX-License-Identifier: GPL-3.0-or-later
"""One execute_code call on a waiting sandbox, step by step, and what is added to the bare interpreter's own work: compile and exec of the
same code in an interpreter that is as warm. Several builds, engines and isolations are measured in turns, call by call.

    bench_steps.py [ROUNDS [BUILD...]]

BUILD is a build folder, or any folder with lectern and share/. Docker is measured where DOCKER_HOST is set. Each build runs three servers:
as it is, with an interpreter that notes the time of each step, and with one that does nothing but the bare work. All processes share the
clock. LECTERN_STEPS selects by words, for example "docker execution print(1)"."""
import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "contract"))
import harness  # noqa: E402
import load  # noqa: E402

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 25
BUILDS = [pathlib.Path(each).resolve() for each in sys.argv[2:]] or [harness.BUILD]
WORDS = os.environ.get("LECTERN_STEPS", "").split()
REST_SECONDS = 0.05  # after a call in a session, for the next clone
REMOVAL_SECONDS = 0.3  # the daemon removes the sandboxes of earlier calls; that takes processor time from the next one
STEPS = (  # until this mark; the words say what happens before it
    ("received", "request, server, stream, runner"),
    ("set_up", "job read: JSON"),
    ("start", "set up"),
    ("started", "start reported"),
    ("check", "source parsed"),
    ("checked", "policy"),
    ("compiled", "tree compiled"),
    ("run", "check reported"),
    ("ran", "run"),
    ("report", "value"),
    ("result", "streams flushed, result written: JSON"),
    ("sent", "result sent"),
    ("answered", "runner, stream, server, answer"),
)
NOTES = r'''
import time
marks = {}


def note(name):
    marks.setdefault(name, time.monotonic_ns())


def noted(before, function, after=None):
    def call(*words, **more):
        note(before)
        done = function(*words, **more)
        if after:
            marks[after] = time.monotonic_ns()  # the last counts
        return done
    return call


def note_channel(send, receive, ask):
    def noted_send(kind, payload=b""):
        if kind in ("S", "C"):
            note("start" if kind == "S" else "compiled")
        elif kind == "v":
            note("result")
            text = ",".join("%s %d" % pair for pair in marks.items())
            payload = payload.replace(b'"value": null', b'"value": "MARKS ' + text.encode() + b',sent %d"' % time.monotonic_ns())
        send(kind, payload)
        if kind == "S":
            note("started")

    def noted_receive():
        kind, payload = receive()
        if kind == "J":
            note("received")
        return kind, payload
    return noted_send, noted_receive, ask


def note_checks(checks):
    return {profile: noted("check", check, "checked") for profile, check in checks.items()}


def note_run(run):
    def noted_run(job, send, finish, parts):
        marks.pop("check", None)
        marks.pop("checked", None)  # of the rehearsal
        run(job, send, noted("report", finish), parts)
    return noted_run


plain_open, plain_checks = open_control, make_checks
open_control = lambda fd: note_channel(*plain_open(fd))
make_checks = lambda *words: note_checks(plain_checks(*words))
run_job, execute = note_run(run_job), noted("run", execute, "ran")
rehearse_plain, set_up_plain = rehearse, set_up
set_up = lambda job, parts: noted("set_up", set_up_plain)(job, parts)


def rehearse(*words):
    rehearse_plain(*words)
    marks.clear()
'''
BARE = r'''
import time


def run_job(job, send, finish, parts):
    set_up(job, parts)
    send("S")
    namespace = {"__name__": "__main__"}
    before = time.monotonic_ns()
    exec(compile(job["code"], FILENAME, "exec", dont_inherit=True), namespace)
    sys.stdout.flush()
    finish(0, value="BARE %d" % (time.monotonic_ns() - before))
'''
LAST = "\n\nmain(sys.argv)\n"


def variant(build, words, folder):
    """A copy of the build's share folder with an interpreter that does this, too."""
    share = pathlib.Path(folder, "share")
    shutil.copytree(build / "share", share)
    path = share / "interpreter.py"
    text = path.read_text()
    assert text.endswith(LAST)
    path.write_text(text[:-len(LAST)] + "\n\n" + words + LAST)
    return share


class Caller:
    """A client that does as little as it can."""

    def __init__(self, server):
        self.port = server.port
        client = load.Client(server.port)
        self.head = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n" + "".join("%s: %s\r\n" % pair for pair in client.headers.items())
        client.close()
        self.socket = None

    def connect(self):
        """Anew, because the server closes a connection that is not used."""
        self.close()
        self.socket = socket.create_connection(("127.0.0.1", self.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.ping()

    def close(self):
        if self.socket:
            self.socket.close()

    def post(self, message):
        """The answer, and the clock before and after."""
        body = json.dumps(message)
        request = ("%sContent-Length: %d\r\n\r\n%s" % (self.head, len(body), body)).encode()
        before = time.monotonic_ns()
        self.socket.sendall(request)
        answer, end = b"", None
        while end is None or len(answer) < end:
            more = self.socket.recv(65536)
            assert more, answer
            answer += more
            if end is None and b"\r\n\r\n" in answer:
                head = answer.partition(b"\r\n\r\n")[0]
                end = len(head) + 4 + int(re.search(rb"(?i)content-length: *(\d+)", head).group(1))
        return answer, before, time.monotonic_ns()

    def execute(self, code):
        answer, before, after = self.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                                           "params": {"name": "execute_code", "arguments": {"code": code}}})
        assert b'"isError":false' in answer, answer
        return answer, before, after

    def ping(self):
        _, before, after = self.post({"jsonrpc": "2.0", "id": 1, "method": "ping"})
        return (after - before) / 1e6


class Way:
    """One build with its three servers, in one engine and isolation."""

    def __init__(self, build, engine, isolation):
        self.build, self.engine, self.isolation = build, engine, isolation
        self.folder = tempfile.TemporaryDirectory(prefix="lectern-steps-")
        harness.LECTERN = build / "lectern"
        self.workspace = harness.Workspace()
        self.workspace.run("demo")
        self.servers = []
        self.callers = {}
        for name, words in (("plain", None), ("noted", NOTES), ("bare", BARE)):
            self.callers[name] = self.start(name, words)

    def start(self, name, words):
        share = self.build / "share"
        if words:
            share = variant(self.build, words, pathlib.Path(self.folder.name, name))
        if self.engine == "docker":
            image = "lectern-sandbox:steps"
            subprocess.run([self.build / "lectern", "image", "build", "--share", share, "--image", image], check=True, stderr=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL)
            # The tag moves on to the next.
            digest = subprocess.run(["docker", "inspect", "-f", "{{.Id}}", image], check=True, capture_output=True, text=True).stdout
            os.environ["LECTERN_IMAGE"] = digest.strip()
        harness.LECTERN = self.build / "lectern"
        server = harness.Server(self.workspace, "--sandbox", self.engine, "--isolation", self.isolation, "--share", str(share),
                                "--warm", "bare=1,data=1,plot=0")
        self.servers.append(server)
        return Caller(server)

    def wait(self, caller, kind):
        if self.isolation == "execution":
            load.wait_calm(caller.port, kind, 1)
            time.sleep(REMOVAL_SECONDS)
        else:
            time.sleep(REST_SECONDS)

    def measure(self, kind, code, times):
        """Adds one call of each server to times: {name: [ms]}."""
        def add(name, nanoseconds):
            times.setdefault(name, []).append(nanoseconds / 1e6)

        for name, caller in self.callers.items():
            self.wait(caller, kind)
            caller.connect()
            answer, before, after = caller.execute(code)
            if name == "plain":
                add("whole", after - before)
                times.setdefault("ping", []).append(caller.ping())
            elif name == "bare":
                add("bare", int(re.search(rb"BARE (\d+)", answer).group(1)))
            else:
                text = re.search(rb"MARKS ([a-z_]+ [0-9a-z_ ,]*)", answer).group(1).decode()
                marks = dict(pair.split() for pair in text.split(","))
                marks["answered"] = after
                last = before
                for mark, words in STEPS:
                    now = int(marks.get(mark, last))  # an older build may not have the step
                    add(words, now - last)
                    last = now

    def close(self):
        for caller in self.callers.values():
            caller.close()
        for server in self.servers:
            server.close()
        self.workspace.close()
        self.folder.cleanup()


def chosen(*words):
    return all(word in WORDS or not any(word in group and other in WORDS for group in GROUPS for other in group) for word in words)


ENGINES = ("local", "docker") if os.environ.get("DOCKER_HOST") else ("local",)
ISOLATIONS = ("execution", "session")
GROUPS = (("local", "docker"), ISOLATIONS, tuple(load.PROGRAMS))


def table(title, sides):
    medians = [{name: statistics.median(values) for name, values in times.items()} for times in sides]
    print("\n%-44s" % title + "".join("%12s" % ("build %d" % (number + 1)) for number in range(len(sides))))
    for name in [words for _, words in STEPS]:
        print("  %-42s" % name + "".join("%12.3f" % each[name] for each in medians))
    print("%-44s" % "whole call, median, ms" + "".join("%12.2f" % each["whole"] for each in medians))
    for q in (0.25, 0.99):
        print("%-44s" % ("  quantile %.2f" % q) + "".join("%12.2f" % load.quantile(times["whole"], q) for times in sides))
    print("%-44s" % "an HTTP call that does nothing" + "".join("%12.2f" % each["ping"] for each in medians))
    print("%-44s" % "the bare interpreter's own work" + "".join("%12.2f" % each["bare"] for each in medians))
    print("%-44s" % "added to it" + "".join("%12.2f" % (each["whole"] - each["bare"]) for each in medians), flush=True)


def main():
    for number, build in enumerate(BUILDS):
        print("build %d: %s" % (number + 1, build))
    for engine in ENGINES:
        for isolation in ISOLATIONS:
            if not chosen(engine, isolation):
                continue
            with contextlib.ExitStack() as stack:
                ways = [stack.enter_context(contextlib.closing(Way(build, engine, isolation))) for build in BUILDS]
                for program, (kind, code) in load.PROGRAMS.items():
                    if not chosen(program):
                        continue
                    sides = [{} for _ in ways]
                    for _ in range(ROUNDS):
                        for way, times in zip(ways, sides):
                            way.measure(kind, code, times)
                    table("%s, isolation by %s, %s" % (engine, isolation, program), sides)


if __name__ == "__main__":
    main()
