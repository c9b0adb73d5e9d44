# SPDX-License-Identifier: GPL-3.0-or-later
"""A real lectern process for the contract tests: its own data folder, MCP over stdio or HTTP, and the session API.

Environment: LECTERN_BUILD, the build folder; LECTERN_SHARED, the folder with real curricula (default: ../shared beside the
project); LECTERN_SANDBOX and DOCKER_HOST choose the engine, as for lectern itself; LECTERN_INSTEAD_OF_LOCAL, the engine for tests of
the engine local on a machine where bubblewrap cannot work.
"""
import functools
import http.client
import json
import os
import pathlib
import pty
import queue
import re
import signal
import subprocess
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("LECTERN_BUILD", ROOT / "build" / "release"))
SHARED = pathlib.Path(os.environ.get("LECTERN_SHARED", ROOT.parent / "shared"))
LECTERN = BUILD / "lectern"
LOCAL = os.environ.get("LECTERN_INSTEAD_OF_LOCAL", "local")
if os.environ.get("LECTERN_SANDBOX") == "local":
    os.environ["LECTERN_SANDBOX"] = LOCAL
ANSWER_SECONDS = 60
# What a sanitizer says, and lectern itself of an event loop that could not be closed.
COMPLAINT = re.compile(rb"Sanitizer: |: runtime error: |open handles")


def shared(*parts):
    """A file of the shared data, or a loud skip."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        raise unittest.SkipTest("SKIPPED: %s is not here; set LECTERN_SHARED to the folder that has it" % path)
    return path


def check_log(log):
    """Whatever its exit status: no process of ours leaks, races or leaves its event loop open."""
    if COMPLAINT.search(log):
        raise AssertionError(log.decode(errors="replace"))


def descendants(pid):
    """All processes below it: the seconds of a processor that each has used, by pid."""
    found = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text()
        except OSError:
            continue
        fields = text.rsplit(")", 1)[1].split()
        found[int(path.parent.name)] = (int(fields[1]), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
    below, more = {}, {pid}
    while more:
        more = {child for child, (parent, _) in found.items() if parent in more and child not in below}
        below.update((child, found[child][1]) for child in more)
    return below


def is_interpreter(pid):
    """Whether it is the Python of a sandbox."""
    try:
        return b"interpreter.py" in pathlib.Path("/proc/%d/cmdline" % pid).read_bytes()
    except OSError:
        return False


def on_terminal(command, stdin=b"", environment=None):
    """What a command shows on a terminal, standard output and standard error alike."""
    main, terminal = pty.openpty()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=terminal, stderr=terminal, env=environment)
    os.close(terminal)
    process.stdin.write(stdin)
    process.stdin.close()
    shown = b""
    try:
        while piece := os.read(main, 65536):
            shown += piece
    except OSError:  # EIO: the last writer has closed it
        pass
    os.close(main)
    process.wait(timeout=ANSWER_SECONDS)
    return shown.replace(b"\r\n", b"\n")


@functools.cache
def python_cache():
    """The folder with the pinned Python, which a server with another home would not find. Brings it where it is missing."""
    done = subprocess.run([str(LECTERN), "sandbox", "fetch"], stdout=subprocess.PIPE, check=True, text=True)
    return os.environ.get("LECTERN_CACHE") or str(pathlib.Path(done.stdout.split()[-1]).parent)


class Workspace:
    """A data folder of its own, and commands run on it."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="lectern-test-")
        self.data = self.folder.name

    def environment(self):
        return dict(os.environ, LECTERN_DATA=self.data, HOME=self.data, XDG_CONFIG_HOME=self.data, LECTERN_CACHE=python_cache())

    def run(self, *words, stdin=b"", check=True, seconds=ANSWER_SECONDS):
        done = subprocess.run([str(LECTERN), *words], input=stdin, capture_output=True, env=self.environment(),
                              timeout=seconds, check=False)
        check_log(done.stderr)
        if check and done.returncode != 0:
            raise AssertionError("lectern %s: exit %d\n%s" % (" ".join(words), done.returncode, done.stderr.decode()))
        return done

    def load(self, path):
        """Imports a file; the session's id."""
        return self.run("import", str(path)).stdout.decode().split()[-1]

    def close(self):
        self.folder.cleanup()


class Mcp:
    """What stdio and HTTP share: numbering, initialize, tools/call."""

    last_id = 0

    def initialize(self, version="2025-11-25", name="harness"):
        answer = self.request("initialize", {"protocolVersion": version, "capabilities": {},
                                             "clientInfo": {"name": name, "version": "1"}})
        self.notify("notifications/initialized")
        return answer["result"]

    def request(self, method, params=None, meta=None):
        self.last_id += 1
        message = {"jsonrpc": "2.0", "id": self.last_id, "method": method}
        params = dict(params or {})
        if meta:
            params["_meta"] = meta
        if params:
            message["params"] = params
        return self.exchange(message)

    def call(self, tool, **arguments):
        """(is_error, text) of one tool call."""
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        if "error" in answer:
            raise AssertionError("%s: protocol error %s" % (tool, answer["error"]))
        result = answer["result"]
        return result.get("isError", False), result["content"][0]["text"]

    def good(self, tool, **arguments):
        is_error, text = self.call(tool, **arguments)
        if is_error:
            raise AssertionError("%s %s: %s" % (tool, arguments, text))
        return text


class Stdio(Mcp):
    """lectern stdio as a client starts it."""

    def __init__(self, workspace, *words):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen([str(LECTERN), "stdio", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.log, env=workspace.environment())
        self.lines = queue.Queue()
        self.notifications = []
        self.answers = {}  # that nobody has asked for yet, by id
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def notify(self, method, params=None):
        self.send({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})})

    def exchange(self, message):
        self.send(message)
        return self.receive(message["id"])

    def _next(self):
        answer = self.lines.get(timeout=ANSWER_SECONDS)
        if answer is None:
            self.log.seek(0)
            raise AssertionError("lectern stdio ended: " + self.log.read().decode())
        if isinstance(answer, list):
            self.answers["batch"] = answer
        elif "method" in answer:
            self.notifications.append(answer)
        else:
            self.answers[answer["id"]] = answer

    def receive(self, ident):
        """The answer to that request; answers come in any order."""
        while ident not in self.answers:
            self._next()
        return self.answers.pop(ident)

    def take(self, method):
        """Takes the next notification or request of that method."""
        while not any(notification["method"] == method for notification in self.notifications):
            self._next()
        found = next(notification for notification in self.notifications if notification["method"] == method)
        self.notifications.remove(found)
        return found

    def notification(self, method):
        """Takes the next notification of that method; its parameters."""
        return self.take(method)["params"]

    def close(self):
        """Ends it as a client does, by closing its input; the exit status."""
        self.process.stdin.close()
        return self.wait()

    def wait(self):
        """The exit status, once it has ended."""
        status = self.process.wait(timeout=ANSWER_SECONDS)
        self.reader.join()
        self.process.stdout.close()
        self.process.stdin.close()
        self.log.seek(0)
        log = self.log.read()
        self.log.close()
        check_log(log)
        return status


class Client(Mcp):
    """MCP over HTTP and the session API, by one kept connection: for one thread."""

    def __init__(self, port):
        self.port = port
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_SECONDS)
        self.session = None
        self.version = None

    def http(self, method, path, body=None, **headers):
        """(status, parsed body or bytes, headers) of one request on the kept connection."""
        data = None
        if body is not None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            headers.setdefault("Content-Type", "application/json")
        self.connection.request(method, path, data, {name.replace("_", "-"): value for name, value in headers.items()})
        response = self.connection.getresponse()
        text = response.read()
        if response.headers.get("Content-Type", "").startswith("application/json"):
            text = json.loads(text)
        return response.status, text, response.headers

    def post(self, message):
        headers = {"Accept": "application/json, text/event-stream"}
        if self.session:
            headers["Mcp-Session-Id"] = self.session
            headers["MCP-Protocol-Version"] = self.version
        return self.http("POST", "/mcp", message, **headers)

    def notify(self, method, params=None):
        status, _, _ = self.post({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})})
        assert status == 202, status

    def exchange(self, message):
        status, answer, headers = self.post(message)
        if headers.get("Content-Type", "").startswith("text/event-stream"):
            events = [json.loads(line[5:]) for line in answer.decode().splitlines() if line.startswith("data: {")]
            answer = next(event for event in events if event.get("id") == message["id"])
        assert status == 200, (status, answer)
        if message["method"] == "initialize":
            self.session = headers["Mcp-Session-Id"]
            self.version = answer["result"]["protocolVersion"]
        return answer


class Server(Client):
    """lectern serve on a free port, with one client of it; more are made by Client(server.port)."""

    def __init__(self, workspace, *words):
        self.workspace = workspace
        self.process = subprocess.Popen([str(LECTERN), "serve", "--port", "0", *words], stdin=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, env=workspace.environment())
        self.lines = []
        super().__init__(self._wait_for_port())
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _wait_for_port(self):
        for line in self.process.stderr:
            self.lines.append(line.decode())
            if b"Lectern serves http" in line:
                return int(line.split(b"://")[1].split()[0].rsplit(b":", 1)[1])
        raise AssertionError("lectern serve ended: " + "".join(self.lines))

    def _read(self):
        for line in self.process.stderr:
            self.lines.append(line.decode())

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self._finish()

    def close(self):
        """Ends it as a user does; the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.wait()

    def wait(self):
        """The exit status, once it has ended."""
        status = self.process.wait(timeout=ANSWER_SECONDS)
        self._finish()
        check_log("".join(self.lines).encode())
        return status

    def _finish(self):
        self.connection.close()
        self.reader.join()
        self.process.stderr.close()


def containers(*words):
    """The sandboxes' containers, by id. Only those that the daemon can inspect: one that is killed while it removes a container lists it
    as dead for ever after, and knows nothing else of it (Docker 20.10)."""
    listed = subprocess.run(["docker", "ps", "-aq", "--filter", "label=lectern.owner", *words], check=True,
                            capture_output=True).stdout.decode().split()
    return [each for each in listed if subprocess.run(["docker", "inspect", each], capture_output=True, check=False).returncode == 0]
