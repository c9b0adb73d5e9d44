# SPDX-License-Identifier: GPL-3.0-or-later
"""200 chat sockets open and 20 of them talking: memory, processor and threads of the server, the time to the first word, and how
much later than from the model itself each further word comes. The model is played by a process of its own, which puts the time
into each of 200 deltas of an answer; the same reader reads it once without a server. Ends with status 1 where an answer was wrong
or something of the pages was left behind."""
import asyncio
import json
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve()
ROOT = HERE.parents[2]
sys.path[:0] = [str(ROOT / "tests/contract"), str(ROOT / "tests/parts")]

SOCKETS, TALKING, DELTAS, GAP = 200, 20, 200, 0.01
WARMING = 40  # more than the server asks a model at once
STAMP = b"@" * 19  # room for time.monotonic_ns(), which is the same clock for all processes
SECONDS = 120


def play():
    """The model: prints its address, plays until its input ends."""
    from replay_model import Replay, answer, text

    class Stamping(Replay):
        def _send(self, connection, data):
            super()._send(connection, data.replace(STAMP, b"%019d" % time.monotonic_ns()))

    words = text("".join("%04d:%s;" % (number, STAMP.decode()) for number in range(DELTAS)), pieces=DELTAS)
    with Stamping(lambda request: answer(words, gap=GAP), key=None) as model:
        print(model.url, flush=True)
        sys.stdin.read()


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


class Reader:
    """One answer's deltas as they come: how old each was, and whether all came, in their order."""

    def __init__(self):
        self.asked, self.first, self.ages, self.text = time.monotonic(), None, [], ""

    def delta(self, words):
        now = time.monotonic_ns()
        self.text += words
        if self.first is None:
            self.first = time.monotonic() - self.asked
        self.ages += [(now - int(piece.split(":")[1])) / 1e6 for piece in words.split(";")[:-1]]  # several where it was busy

    def check(self):
        numbers = [int(piece.split(":")[0]) for piece in self.text.split(";")[:-1]]
        assert numbers == list(range(DELTAS)), "an answer is not whole: %s" % self.text[:200]


async def read_directly(url):
    """What a client of the model itself sees."""
    host, port = url.split("//")[1].split(":")
    body = json.dumps({"model": "m", "max_tokens": 1, "stream": True, "messages": [{"role": "user", "content": "x"}]}).encode()
    reader = Reader()
    stream, writer = await asyncio.open_connection(host, int(port), limit=1 << 20)
    writer.write(b"POST /v1/messages HTTP/1.1\r\nhost: x\r\nanthropic-version: 2023-06-01\r\ncontent-type: application/json\r\n"
                 b"content-length: %d\r\n\r\n" % len(body) + body)
    async for line in stream:
        if line.startswith(b"data: {\"type\": \"content_block_delta\""):
            reader.delta(json.loads(line[6:])["delta"]["text"])
        elif line.startswith(b"data: {\"type\": \"message_stop\""):
            break
    writer.close()
    return reader


async def read_page(page):
    """The same through the server."""
    reader = Reader()
    start, run_id = await page.send_input("Talk.")
    place = start
    while True:
        await page.wait_for(lambda: len(page.events) > place, "an event", SECONDS)
        for event in page.events[place:]:
            place += 1
            if event["type"] == "TEXT_MESSAGE_CONTENT":
                reader.delta(event["delta"])
            elif event["type"] == "RUN_ERROR" or event["type"] == "RUN_FINISHED" and event["runId"] == run_id:
                assert event["type"] == "RUN_FINISHED" and event["outcome"]["type"] == "success", event
                return reader


def tell(name, readers):
    for reader in readers:
        reader.check()
    firsts = [reader.first * 1000 for reader in readers]
    ages = [age for reader in readers for age in reader.ages]
    print("%-26s first delta after %6.1f ms (p50) %6.1f (p99); each delta %5.2f ms old (p50) %6.2f (p99)"
          % (name, percentile(firsts, 0.5), percentile(firsts, 0.99), percentile(ages, 0.5), percentile(ages, 0.99)))


class Process:
    """What the kernel says of the server."""

    def __init__(self, pid):
        self.folder = pathlib.Path("/proc/%d" % pid)

    def memory(self):
        return int(next(line for line in (self.folder / "status").read_text().splitlines()
                        if line.startswith("VmRSS")).split()[1]) / 1024

    def left(self):
        return {"descriptors": len(os.listdir(self.folder / "fd")), "threads": len(os.listdir(self.folder / "task"))}

    def processor(self):
        fields = (self.folder / "stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def talk(pages, process):
    """All of them at once; the readers, the most memory meanwhile."""
    tasks = [asyncio.ensure_future(read_page(page)) for page in pages]
    most = 0
    while not all(task.done() for task in tasks):
        most = max(most, process.memory())
        await asyncio.sleep(0.1)
    return [task.result() for task in tasks], most


async def open_pages(server, sid):
    from chat_page import Page
    pages = [Page(server.port, sid) for _ in range(SOCKETS)]
    for page in pages:
        await page.__aenter__()
    return pages


async def settled(process, wanted):
    """What is left, once it is no more than that."""
    until = time.monotonic() + 10
    while any(process.left()[name] > most for name, most in wanted.items()) and time.monotonic() < until:
        await asyncio.sleep(0.1)
    return process.left()


async def measure(server, sid, url):
    process = Process(server.process.pid)
    pages = await open_pages(server, sid)  # once for nothing: threads, their connections and buffers that stay are there then
    await talk(pages[:WARMING], process)
    for page in pages:
        await page.close()
    await asyncio.sleep(1)
    before, memory = process.left(), process.memory()

    direct = await asyncio.gather(*[read_directly(url) for _ in range(TALKING)])
    begun = time.monotonic()
    pages = await open_pages(server, sid)
    opened, with_sockets = time.monotonic() - begun, process.memory()
    spent, begun = process.processor(), time.monotonic()
    readers, talking = await talk(pages[:TALKING], process)
    spent, seconds = process.processor() - spent, time.monotonic() - begun
    for page in pages:
        await page.close()
    after = await settled(process, before)

    print("%d pages, opened in %.1f s; %d talking, %d deltas each, %.0f a second" % (
        SOCKETS, opened, TALKING, DELTAS, TALKING * DELTAS / seconds))
    tell("the model, read directly", direct)
    tell("through the server", readers)
    print("memory %.1f MB before, %.1f with all sockets (%.0f kB a page), %.1f while talking, %.1f after"
          % (memory, with_sockets, (with_sockets - memory) * 1024 / SOCKETS, talking, process.memory()))
    print("processor %.2f s in %.1f s (%.0f us a delta); left: %s, before: %s" % (
        spent, seconds, spent * 1e6 / (TALKING * DELTAS), after, before))
    assert all(after[name] <= most for name, most in before.items()), "something is left behind"
    _, metrics, _ = server.http("GET", "/metrics")
    for gauge in (b"lectern_chat_pages 0\n", b"lectern_chat_runs 0\n"):
        assert gauge in metrics, gauge


def main():
    import chat_case
    model = subprocess.Popen([sys.executable, "-B", str(HERE), "play"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    url = model.stdout.readline().decode().strip()
    workspace = chat_case.ChatWorkspace()
    server = chat_case.serve(workspace, "--llm-url", url, "--llm-model", "played")
    try:
        sid = workspace.load(chat_case.DEMO_FILE)
        asyncio.run(measure(server, sid, url))
        assert server.close() == 0, "".join(server.lines)
    finally:
        if server.process.returncode is None:
            server.kill()
        workspace.close()
        model.stdin.close()
        model.wait()


if __name__ == "__main__":
    play() if sys.argv[1:] == ["play"] else main()
