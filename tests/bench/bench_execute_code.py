# SPDX-License-Identifier: GPL-3.0-or-later
"""execute_code on a waiting container against what most people do, `docker run` of the same code: side by side in one run, in
turns, so that a noisy machine is noisy for both. Then how many a second are sustained when none is waiting.

Wants a Docker daemon (DOCKER_HOST) with the sandbox image."""
import os
import pathlib
import statistics
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "contract"))
import harness  # noqa: E402

ROUNDS = 15
SUSTAINED_CALLS = 24
IN_FLIGHT = 4
REFILL_SECONDS = 2.5
IMAGE = os.environ.get("LECTERN_IMAGE", "lectern-sandbox:0.1.0")
PROGRAMS = {
    "print(1)": "print(1)",
    "pandas": "import pandas as pd\nprint(pd.DataFrame({'a': range(100)}).a.sum())",
}


def docker_run(code):
    """The usual flow: a fresh container, the same limits, the same interpreter and libraries."""
    subprocess.run(["docker", "run", "--rm", "--network", "none", "--memory", "256m", "--cpus", "0.5", "--entrypoint",
                    "/usr/bin/python3", IMAGE, "-c", code], check=True, capture_output=True)


def timed(act, *words):
    start = time.perf_counter()
    act(*words)
    return (time.perf_counter() - start) * 1000


def side_by_side(client):
    print("%-10s %22s %22s %8s" % ("", "execute_code, ms", "docker run, ms", "ratio"))
    for name, code in PROGRAMS.items():
        ours, usual = [], []
        for _ in range(ROUNDS):
            time.sleep(REFILL_SECONDS)  # so that one waits again
            ours.append(timed(lambda: client.good("execute_code", code=code)))
            usual.append(timed(docker_run, code))
        row = [(statistics.median(times), max(times)) for times in (ours, usual)]
        print("%-10s %12.2f (max %5.1f) %12.1f (max %5.0f) %7.0fx" % (
            name, row[0][0], row[0][1], row[1][0], row[1][1], row[1][0] / row[0][0]))


def sustained(workspace, port):
    """Calls with none waiting: several clients, each sending its next call when the last is answered."""
    import http.client
    import json

    for name, code in PROGRAMS.items():
        left = [SUSTAINED_CALLS]
        lock = threading.Lock()
        failures = []

        def work():
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
            headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}

            def post(message):
                connection.request("POST", "/mcp", json.dumps(message), headers)
                response = connection.getresponse()
                text = response.read()
                if response.headers.get("Mcp-Session-Id"):
                    headers["Mcp-Session-Id"] = response.headers["Mcp-Session-Id"]
                return text

            post({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}})
            post({"jsonrpc": "2.0", "method": "notifications/initialized"})
            while True:
                with lock:
                    if left[0] == 0:
                        return
                    left[0] -= 1
                text = post({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                             "params": {"name": "execute_code", "arguments": {"code": code}}})
                if b'"isError":false' not in text:
                    failures.append(text)

        threads = [threading.Thread(target=work) for _ in range(IN_FLIGHT)]
        start = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seconds = time.perf_counter() - start
        print("sustained, none waiting, %-9s %d in flight: %.1f a second%s" % (
            name + ",", IN_FLIGHT, SUSTAINED_CALLS / seconds, ", %d failed: %s" % (len(failures), failures[0])
            if failures else ""))


def main():
    workspace = harness.Workspace()
    workspace.run("demo")
    server = harness.Server(workspace, "--sandbox", "docker")
    server.initialize()
    for code in PROGRAMS.values():
        server.good("execute_code", code=code)
        docker_run(code)
    side_by_side(server)
    sustained(workspace, server.port)
    server.close()
    workspace.close()


if __name__ == "__main__":
    main()
