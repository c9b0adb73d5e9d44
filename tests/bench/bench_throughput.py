# SPDX-License-Identifier: GPL-3.0-or-later
"""How many analyses a second, over HTTP: with a fresh container for each and none waiting, against what the daemon itself does when the
same is asked of it directly; and in isolation by session, where each session's container forks an interpreter for each.

    bench_throughput.py [SECONDS]

Wants a Docker daemon (DOCKER_HOST, a unix socket) with the sandbox image."""
import http.client
import json
import os
import pathlib
import socket
import sys
import threading
import time
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "contract"))
import harness  # noqa: E402
import load  # noqa: E402

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 15
IN_FLIGHT = 4
SESSIONS = 4
# What a container of each kind has imported when it can take a job.
PRELOAD = {"bare": "", "data": "numpy,pandas,networkx"}


def rate(workers, seconds=SECONDS):
    """Each worker, a function to be called again and again, on a thread of its own: calls a second, and those of the slowest."""
    counts = [0] * len(workers)
    failures = []
    end = time.monotonic() + seconds

    def work(index):
        try:
            while time.monotonic() < end:
                workers[index]()
                counts[index] += 1
        except Exception as error:  # carried to the main thread, which raises it
            failures.append(error)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(len(workers))]
    start = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return sum(counts) / (time.monotonic() - start), min(counts)


class Daemon:
    """Docker's API over its unix socket, one connection."""

    def __init__(self):
        self.path = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock").removeprefix("unix://")
        self.connection = http.client.HTTPConnection("localhost", timeout=120)
        self.connection.sock = socket.socket(socket.AF_UNIX)
        self.connection.sock.connect(self.path)

    def call(self, method, path, body=None):
        self.connection.request(method, path, json.dumps(body) if body is not None else None,
                                {"Content-Type": "application/json"})
        response = self.connection.getresponse()
        text = response.read()
        if response.status >= 300 and response.status != 409:  # 409: it is being removed already
            raise AssertionError("%s %s: %d %s" % (method, path, response.status, text[:300]))
        return json.loads(text) if text else None

    def attach(self, name):
        """The container's streams, on a connection of its own."""
        stream = socket.socket(socket.AF_UNIX)
        stream.settimeout(120)
        stream.connect(self.path)
        stream.sendall(b"POST /containers/%s/attach?stream=1&stdin=1&stdout=1 HTTP/1.1\r\nHost: localhost\r\n"
                       b"Connection: Upgrade\r\nUpgrade: tcp\r\n\r\n" % name.encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += stream.recv(1)
        return stream

    def start_one(self, preload):
        """A sandbox as ours, from its creation until it says that it can take a job; then it is removed."""
        name = "lectern-bench-%s" % uuid.uuid4().hex
        self.call("POST", "/containers/create?name=" + name, {
            "Image": load.IMAGE, "Cmd": ["--memory-mb", "256", *(["--preload", preload] if preload else [])],
            "User": "65534:65534", "NetworkDisabled": True, "OpenStdin": True, "StdinOnce": True,
            "AttachStdin": True, "AttachStdout": True, "HostConfig": {
                "NetworkMode": "none", "ReadonlyRootfs": True, "CapDrop": ["ALL"], "PidsLimit": 64, "Memory": 256 << 20,
                "SecurityOpt": ["no-new-privileges"], "LogConfig": {"Type": "none"}, "Tmpfs": {"/tmp": "rw,size=16m"}}})
        stream = self.attach(name)
        self.call("POST", "/containers/%s/start" % name)
        said = b""
        while len(said) < 9 or said[8:9] != b"R":  # behind the daemon's own head of 8 bytes
            more = stream.recv(4096)
            if not more:
                raise AssertionError("the sandbox ended: %s" % said)
            said += more
        stream.close()
        self.call("DELETE", "/containers/%s?force=1" % name)


def fresh(workspace):
    server = harness.Server(workspace, "--sandbox", "docker")
    clients = [load.Client(server.port) for _ in range(IN_FLIGHT)]
    for name, (kind, code) in load.PROGRAMS.items():
        for _ in range(3):  # what waits is used up
            clients[0].execute(code)
        ours, least = rate([lambda client=client: client.execute(code) for client in clients])
        daemons = [Daemon() for _ in range(IN_FLIGHT)]
        plain, _ = rate([lambda daemon=daemon: daemon.start_one(PRELOAD[kind]) for daemon in daemons])
        print("fresh containers, %-9s %d in flight: %5.1f a second (slowest client: %d), the daemon alone %5.1f: %3.0f %%" % (
            name + ",", IN_FLIGHT, ours, least, plain, 100 * ours / plain))
    for client in clients:
        client.close()
    server.close()


def by_session(workspace, sessions):
    server = harness.Server(workspace, "--sandbox", "docker", "--isolation", "session")
    clients = [load.Client(server.port, session) for session in sessions]
    for name, (_, code) in load.PROGRAMS.items():
        for client in clients:
            client.execute(code)
        ours, least = rate([lambda client=client: client.execute(code) for client in clients])
        print("isolation by session, %-9s %d sessions: %5.1f a second (slowest: %.1f)" % (
            name + ",", SESSIONS, ours, least / SECONDS))
    for client in clients:
        client.close()
    server.close()


def main():
    workspace = harness.Workspace()
    curriculum = harness.BUILD / "share" / "demo_curriculum.json"
    sessions = [workspace.load(curriculum) for _ in range(SESSIONS)]
    fresh_workspace = harness.Workspace()
    fresh_workspace.run("demo")
    fresh(fresh_workspace)
    by_session(workspace, sessions)
    workspace.close()
    fresh_workspace.close()


if __name__ == "__main__":
    main()
