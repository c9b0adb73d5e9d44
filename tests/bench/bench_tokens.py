# SPDX-License-Identifier: GPL-3.0-or-later
"""What a model pays in o200k tokens: the ten tasks of tests/contract/tasks.py, beside what they cost before the tools had find, the
operations on texts and the short answers; reading a curriculum whole; and the listing, beside other servers' listings. Run:
LECTERN_BUILD=build/release /usr/bin/python3 -B tests/bench/bench_tokens.py [--write]; --write makes docs/tokens.md.
"""
import json
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "contract"))
import harness  # noqa: E402
import npm  # noqa: E402
import tasks  # noqa: E402
import tokens  # noqa: E402

DOCUMENT = harness.ROOT / "docs/tokens.md"
WORLDS = (tasks.DEMO, tasks.GERMAN, tasks.ALGEBRA)
# On the demo curriculum, before: calls, tokens, and what was wrong.
BEFORE = {"first_defined": (1, 800, ""), "without_example": (1, 120, ""), "thin_lessons": (4, 1900, ""), "cycle": (5, 570, ""),
          "rename_term": (3, 1550, ""), "split": (6, 2150, ""), "align": (8, 1900, ", not done"),
          "what_changed": (3, 1370, ", not answered"), "weeks": (3, 1250, ""), "undo_yesterday": (2, 320, "")}
# Listings that were not measured here: tools, tokens.
QUOTED = (("Notion's server", 24, 17500), ("Airtable's server", 16, 3200))
ASK = ({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}},
    {"jsonrpc": "2.0", "method": "notifications/initialized"}, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"})

TEXT = """# What tools cost a model

Tokens are those of the encoding o200k. `tests/bench/bench_tokens.py --write` makes this document.

## Ten tasks

Each task is done as a model does it that has read only the listing of the tools: each call uses what the task says and what earlier
answers said. `make test TESTS=contract.tasks` does them all, and checks each by the curriculum afterwards or by its answer. A cell is the
calls, and the tokens of their arguments and answers; *before* is the demo curriculum without `find`, the operations on texts, and the
answers that show the change.

{tasks}

The aim is at most {calls} calls and {tokens} tokens for all ten.

## Reading instead

| curriculum | tokens of its whole JSON | the dearest task that only asks | saved |
|---|---|---|---|
{whole}

## Listings

What a model reads before it has asked anything. Figures that are marked * were not measured by the script.

| server | tools | tokens of the listing |
|---|---|---|
{listings}
"""


def lines(rows):
    return "\n".join("| %s |" % " | ".join(str(cell) for cell in row) for row in rows)


def number(value):
    return "{:,}".format(value)


def task_table(measured):
    """measured: for each world, by task the list of its calls' tokens."""
    def cell(calls, count):
        return "%d, %s" % (calls, number(count))
    rows = [["task", "before"] + [world["name"] for world in WORLDS], ["---"] * (2 + len(WORLDS))]
    for task in tasks.TASKS:
        calls, count, remark = BEFORE[task.__name__]
        rows.append([task.__doc__.strip(), cell(calls, count) + remark]
                    + [cell(len(world[task.__name__]), sum(world[task.__name__])) for world in measured])
    totals = [[count for counts in world.values() for count in counts] for world in measured]
    rows.append(["all", cell(*(sum(BEFORE[task.__name__][i] for task in tasks.TASKS) for i in (0, 1)))]
                + [cell(len(total), sum(total)) for total in totals])
    return lines(rows)


def whole_table(measured, whole):
    rows = []
    for about, calls, cost in zip(WORLDS, measured, whole):
        dearest = max(sum(calls[task.__name__]) for task in tasks.ASKING)
        rows.append([about["name"], number(cost), number(dearest), "%.2f %%" % (100 - 100 * dearest / cost)])
    return lines(rows)


def listing_cost(listed):
    return sum(tokens.count([json.dumps(tool, separators=(",", ":"), ensure_ascii=False) for tool in listed]))


def own_listings():
    workspace = harness.Workspace()
    client = harness.Stdio(workspace)
    client.initialize()
    listed = client.request("tools/list")["result"]["tools"]
    client.close()
    workspace.close()
    reading = [tool for tool in listed if tool.get("annotations", {}).get("readOnlyHint")]
    return [("Lectern", len(listed), number(listing_cost(listed))),
            ("Lectern, for who may only read", len(reading), number(listing_cost(reading)))]


def memory_listing():
    packages = npm.folder("bench/mcp", HERE / "mcp")
    server = subprocess.Popen([packages / npm.NODE, packages / "node_modules/@modelcontextprotocol/server-memory/dist/index.js"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for message in ASK:
        server.stdin.write(json.dumps(message) + "\n")
    server.stdin.flush()
    listed = next(answer for answer in map(json.loads, server.stdout) if answer.get("id") == 2)["result"]["tools"]
    server.stdin.close()
    server.stdout.close()
    server.terminate()
    server.wait()
    return "MCP's memory server", len(listed), number(listing_cost(listed))


def document(measured, whole, listings):
    quoted = [(name, tools, number(count) + " *") for name, tools, count in QUOTED]
    return TEXT.format(tasks=task_table(measured), calls=tasks.CALLS, tokens=number(tasks.TOKENS), whole=whole_table(measured, whole),
                       listings=lines(listings + quoted))


def shape(text):
    """The text without its figures, for which a document is compared with this script."""
    return re.sub(r"\d[\d,.]*", "0", text)


def time_replacement():
    """A term of the largest curriculum replaced in one call, and taken back in one: milliseconds, the best of five."""
    with tasks.World(tasks.ALGEBRA) as world:
        times = []
        for _ in range(5):
            begin = time.perf_counter()
            said = world.edit("change_curriculum", operations=[
                {"op": "replace_text", "find": tasks.ALGEBRA["old"], "replace": tasks.ALGEBRA["new"]}])
            middle = time.perf_counter()
            world.edit("undo")
            times.append(((middle - begin) * 1e3, (time.perf_counter() - middle) * 1e3))
        print("%s\nin one call: %.0f ms; taken back: %.0f ms" % (said.splitlines()[1], min(times)[0], min(times)[1]))


def main():
    time_replacement()
    measured, whole = [], []
    for about in WORLDS:
        with tasks.World(about) as world:
            whole += tokens.count([world.workspace.run("export", world.sid).stdout.decode()])
            for task in tasks.TASKS:
                world.do(task)
            measured.append(world.count())
    text = document(measured, whole, own_listings() + [memory_listing()])
    print(text)
    if "--write" in sys.argv[1:]:
        DOCUMENT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
