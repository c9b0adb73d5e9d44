# SPDX-License-Identifier: GPL-3.0-or-later
"""The shared questions by roles and by the one loop of the chat, each byte that goes to the model counted: tokens and cost of a solved
question, with and without prompt caching, planner and debugger at a tenth of the price and at the same price. Plans and programs are replayed, and broken as
in tests/contract/test_solve_truth.py. Prints a table in Markdown, and `lectern solve`'s listing."""
import asyncio
import collections
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/contract"), str(ROOT / "tests/parts")]

import harness  # noqa: E402
from chat_case import ChatWorkspace  # noqa: E402
from chat_page import Page  # noqa: E402
from replay_model import KEY, Replay, answer, call, text  # noqa: E402
from role_model import Cache, Case, Ledger, Roles, tokens  # noqa: E402
from solve_case import kind_of, mistakes, truth_cases  # noqa: E402
from test_solve_truth import STATUS, broken_programs  # noqa: E402

PRICE = {"input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75}  # of a million tokens
CHEAP = 0.1  # of planner and debugger


class Loop(Replay):
    """The one model with all tools: it sends the same programs by execute_code, and then says the result."""

    def __init__(self, cases, caches):
        self.by_question = {case.question: case for case in cases}
        self.cache, self.ledger = Cache(caches), collections.defaultdict(Ledger)
        super().__init__(self.play)

    def play(self, request):
        blocks = [block for message in request.json["messages"] for block in message["content"]]
        asked = next(block["text"] for block in reversed(blocks) if block["type"] == "text" and block["text"] in self.by_question)
        case, calls = self.by_question[asked], [block for block in blocks if block["type"] == "tool_use"]
        last = blocks[-1] if blocks[-1]["type"] == "tool_result" else None
        done = last and (not last.get("is_error") or (request.json.get("tool_choice") or {}).get("type") == "none")
        if done:
            words = last["content"] if isinstance(last["content"], str) else last["content"][0]["text"]
            part, size = text("Computed: " + words[:200]), tokens({"text": "Computed: " + words[:200]})
        else:
            code = case.broken[len(calls)] if len(calls) < len(case.broken) else case.program
            part, size = call("execute_code", {"code": code}), tokens({"code": code})
        usage = self.cache.usage(request, size)
        book = self.ledger["loop"]
        book.requests += 1
        for name, value in usage.items():
            setattr(book, name, getattr(book, name) + value)
        return answer(part, usage=usage)


def make_cases():
    """(question's case, name of the curriculum) of each; the name is part of the question, because the same is asked of several."""
    recorded = mistakes()
    return [(Case("%s: %s" % (name, row["question"]), kind_of(row["answer"]), row["code"], broken_programs(number, row["code"], recorded),
                  key=row["id"]), name, row["question"]) for number, (name, row) in enumerate(truth_cases())]


def engine():
    return ["--sandbox", os.environ.get("LECTERN_SANDBOX", harness.LOCAL)]


def by_roles(workspace, sids, rows, caches, planner):
    """The ledger, and how many were solved. By rules first, questions are asked as they are."""
    own = rows if planner == "model" else [(Case(question, case.kind, case.program, case.broken, key=case.key), name, question)
                                           for case, name, question in rows]
    solved, ledger = 0, collections.defaultdict(Ledger)
    for curriculum in sids:  # one model each, because questions occur in several
        with Roles([case for case, name, _ in own if name == curriculum], caches=caches) as model:
            client = harness.Stdio(workspace, "--toolset", "solve", "--llm-url", model.url, "--planner", planner, *engine())
            client.initialize()
            for case, name, _ in own:
                if name == curriculum:
                    _, said = client.call("solve", session_id=sids[name], question=case.question)
                    solved += STATUS.match(said).group(1) == "solved"
            assert client.close() == 0
            model.check()
            for role, book in model.ledger.items():
                ledger[role].add(book)
    return ledger, solved


async def ask_loop(server, sids, rows):
    for case, name, _ in rows:
        async with Page(server.port, sids[name]) as page:
            await page.ask(case.question)


def by_loop(workspace, sids, rows, caches):
    with Loop([case for case, _, _ in rows], caches) as model:
        server = harness.Server(workspace, "--no-demo", "--llm-url", model.url, *engine())
        asyncio.run(ask_loop(server, sids, rows))
        assert server.close() == 0
        model.check()
        return model.ledger, sum(len(case.broken) < 3 for case, _, _ in rows)


def cost(ledger, cheap):
    total = 0
    for role, book in ledger.items():
        one = sum(getattr(book, name) * price for name, price in PRICE.items()) / 1e6
        total += one * (cheap if role in ("planner", "debugger") else 1)
    return total


def main():
    workspace, rows = ChatWorkspace(ANTHROPIC_API_KEY=KEY), make_cases()
    sids = {name: workspace.load(harness.shared("data", name + ".json")) for name in dict.fromkeys(name for _, name, _ in rows)}
    print("| way | caching | solved | requests | input tokens, cached, written | output tokens | a solved question: input | cost | cost with one model |")
    print("|---|---|---|---|---|---|---|---|---|")
    bases = {}
    for caches in (False, True):
        for way, run in (("one loop", lambda: by_loop(workspace, sids, rows, caches)),
                         ("roles, each plan by a model", lambda: by_roles(workspace, sids, rows, caches, "model")),
                         ("roles, rules first", lambda: by_roles(workspace, sids, rows, caches, "auto"))):
            ledger, solved = run()
            sums = Ledger()
            for book in ledger.values():
                sums.add(book)
            whole = sums.input + sums.cache_read + sums.cache_write
            figures = whole / solved, cost(ledger, CHEAP) / solved, cost(ledger, 1) / solved
            base = bases.setdefault(caches, figures)
            print("| %s | %s | %d of %d | %d | %d, %d, %d | %d | %d (%.0f %%) | $%.5f (%.0f %%) | $%.5f (%.0f %%) |" % (
                way, "yes" if caches else "no", solved, len(rows), sums.requests, whole, sums.cache_read, sums.cache_write, sums.output,
                *(part for one, of in zip(figures, base) for part in (one, 100 * one / of))))
    client = harness.Stdio(workspace, "--toolset", "solve")
    client.initialize()
    print("\nlisting of solve: %d tokens" % tokens(client.request("tools/list")["result"]["tools"]))
    client.close()
    workspace.close()


if __name__ == "__main__":
    main()
