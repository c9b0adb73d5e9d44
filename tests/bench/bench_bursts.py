# SPDX-License-Identifier: GPL-3.0-or-later
"""Bursts of execute_code calls: several in a row or at once, from one session or several, in each isolation, compared with `docker run` of
the same code. All of them take turns in one run, so that a noisy machine is noisy for all.

    bench_bursts.py [ENGINE [ROUNDS [ISOLATION,...]]]      docker, 8, and execution,session,auto

Then the last isolation with 8 clients for 30 s. With the engine docker it needs a Docker daemon (DOCKER_HOST) with the sandbox image;
with another engine there is no column for `docker run`."""
import concurrent.futures
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "contract"))
import harness  # noqa: E402
import load  # noqa: E402

ENGINE = sys.argv[1] if len(sys.argv) > 1 else "docker"
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 8
ISOLATIONS = (sys.argv[3] if len(sys.argv) > 3 else "execution,session,auto").split(",")
SESSIONS = 4
IN_A_ROW = ((1, 1), (2, 1), (5, 1))  # calls, sessions
AT_ONCE = ((2, 1), (5, 1), (16, 1), (4, 4), (16, 4))
CLIENTS, SECONDS = 8, 30
PAUSE_SECONDS = 1.0  # between two bursts, for what they leave to do


class Target:
    """A server with its sessions, and one client for each call at once."""

    def __init__(self, name, *options):
        self.name, self.workspace = name, harness.Workspace()
        self.sessions = [self.workspace.load(harness.BUILD / "share" / "demo_curriculum.json") for _ in range(SESSIONS)]
        self.server = harness.Server(self.workspace, "--sandbox", ENGINE, *options)
        self.clients = [load.Client(self.server.port, self.sessions[i % SESSIONS]) for i in range(max(n for n, _ in AT_ONCE))]
        self.one_session = [load.Client(self.server.port, self.sessions[0]) for _ in self.clients]
        self.workers = concurrent.futures.ThreadPoolExecutor(len(self.clients))

    def burst(self, calls, sessions, at_once, code):
        """Milliseconds of each call; of those in a row, as each is seen by its caller."""
        clients = (self.one_session if sessions == 1 else self.clients)[:calls]
        for client in clients:  # the server closes connections that are idle for long
            client.connection.close()
            client.post({"jsonrpc": "2.0", "id": 0, "method": "ping"})
        if not at_once:
            return [load.timed(clients[0].execute, code) for _ in range(calls)]
        return list(self.workers.map(lambda client: load.timed(client.execute, code), clients))

    def resident_kilobytes(self):
        with open("/proc/%d/status" % self.server.process.pid) as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

    def close(self):
        self.workers.shutdown()
        for client in self.clients + self.one_session:
            client.close()
        self.server.close()
        self.workspace.close()


class DockerRun:
    name = "docker run"

    def burst(self, calls, sessions, at_once, code):
        return [load.timed(load.docker_run, code)]


def bursts(targets):
    print("%-10s %5s %9s %8s  %s" % ("", "calls", "sessions", "", "  ".join("%24s" % target.name for target in targets)))
    for name, (kind, code) in load.PROGRAMS.items():
        for at_once, shapes in ((False, IN_A_ROW), (True, AT_ONCE)):
            for calls, sessions in shapes:
                times = {target.name: [] for target in targets}
                for _ in range(ROUNDS):
                    for target in targets:
                        time.sleep(PAUSE_SECONDS)
                        times[target.name] += target.burst(calls, sessions, at_once, code)
                print("%-10s %5d %9d %8s  %s" % (name, calls, sessions, "at once" if at_once else "in a row", "  ".join(
                    "%8.1f, p99 %8.1f ms" % (statistics.median(row), load.quantile(row, 0.99)) for row in times.values())), flush=True)


def sustained(target):
    """CLIENTS callers, each with a session in turn; every answer is checked."""
    _, code = load.PROGRAMS["pandas"]
    until = time.monotonic() + SECONDS
    times, wrong = [], 0

    def work(client):
        nonlocal wrong
        while time.monotonic() < until:
            start = time.perf_counter()
            wrong += b"4950" not in client.execute(code)
            times.append((time.perf_counter() - start) * 1000)

    list(target.workers.map(work, target.clients[:CLIENTS]))
    print("%s, %d clients, pandas: %.1f calls a second, %d wrong, %s; server %.1f MB" % (
        target.name, CLIENTS, len(times) / SECONDS, wrong, load.summary(times), target.resident_kilobytes() / 1024))


def main():
    servers = [Target(name, "--isolation", name) for name in ISOLATIONS]
    targets = servers + [DockerRun()] * (ENGINE == "docker")
    try:
        for target in servers:  # each session's first call is not part of a burst
            for _, code in load.PROGRAMS.values():
                target.burst(16, SESSIONS, True, code)
        bursts(targets)
        sustained(servers[-1])
    finally:  # a server that is left would disturb the next user of the daemon
        for server in servers:
            server.close()


if __name__ == "__main__":
    main()
