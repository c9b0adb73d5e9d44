# SPDX-License-Identifier: GPL-3.0-or-later
"""What the benchmarks of execute_code share: a client of MCP over HTTP on a connection of its own, the pool's state as /metrics tells
it, the same code as most people run it, and quantiles."""
import http.client
import json
import os
import re
import statistics
import subprocess
import time

IMAGE = os.environ.get("LECTERN_IMAGE", "lectern-sandbox:0.2.0")
READY_SECONDS = 60
PROGRAMS = {
    "print(1)": ("bare", "print(1)"),
    "pandas": ("data", "import pandas as pd\nprint(pd.DataFrame({'a': range(100)}).a.sum())"),
}
TRAILER = re.compile(rb"\[ok, ([0-9.]+) s")


class Client:
    """One connection; a session of its own where one is named."""

    def __init__(self, port, session=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self.headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        self.session = session
        self.post({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}})
        self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def post(self, message):
        self.connection.request("POST", "/mcp", json.dumps(message), self.headers)
        response = self.connection.getresponse()
        text = response.read()
        if response.headers.get("Mcp-Session-Id"):
            self.headers["Mcp-Session-Id"] = response.headers["Mcp-Session-Id"]
        return text

    def execute(self, code):
        """The answer's bytes; a run that failed is an error of the benchmark."""
        arguments = {"code": code, **({"session_id": self.session} if self.session else {})}
        text = self.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                          "params": {"name": "execute_code", "arguments": arguments}})
        if b'"isError":false' not in text:
            raise AssertionError(text.decode())
        return text

    def timed(self, code):
        """Milliseconds of a call: in all, and of them the code's own."""
        start = time.perf_counter()
        text = self.execute(code)
        whole = (time.perf_counter() - start) * 1000
        return whole, float(TRAILER.search(text).group(1)) * 1000

    def close(self):
        self.connection.close()


def docker_run(code):
    """The usual flow: a fresh container, the same limits, the same interpreter and libraries."""
    subprocess.run(["docker", "run", "--rm", "--network", "none", "--memory", "256m", "--cpus", "0.5", "--entrypoint",
                    "/usr/bin/python3", IMAGE, "-c", code], check=True, capture_output=True)


def timed(act, *words):
    start = time.perf_counter()
    act(*words)
    return (time.perf_counter() - start) * 1000


def pool(port):
    """{(kind, state): how many sandboxes} now."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    rows = re.findall(r'^lectern_sandboxes\{kind="(\w+)",state="(\w+)"\} (\d+)', text, re.M)
    return {(kind, state): int(count) for kind, state, count in rows}


def wait_calm(port, kind, ready):
    """Until that many wait and none is being started."""
    until = time.monotonic() + READY_SECONDS
    while time.monotonic() < until:
        now = pool(port)
        if now.get((kind, "ready"), 0) >= ready and not any(count for (_, state), count in now.items() if state == "starting"):
            time.sleep(0.2)  # what has just started is settling
            return
        time.sleep(0.05)
    raise AssertionError("the pool did not come to rest: %s" % pool(port))


def quantile(values, q):
    return sorted(values)[min(len(values) - 1, int(q * len(values)))]


def summary(values):
    return "median %6.2f  p90 %6.2f  p99 %6.2f  max %6.1f" % (
        statistics.median(values), quantile(values, 0.9), quantile(values, 0.99), max(values))
