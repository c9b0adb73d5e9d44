# SPDX-License-Identifier: GPL-3.0-or-later
"""A model's service that plays the roles of `solve` from scripts, on top of replay_model.

    from role_model import Roles, Case

    with Roles([Case("How many nodes?", "number", "import json\\n...", answer=49)]) as model:
        ... run lectern solve with --llm-url model.url ...
        model.check()            # the rules of the API, and of what each role may see
        model.ledger["planner"]  # requests, tokens: what the traces and metrics must say

A role is recognised by its forced tool. The name of a plan's step is the key of its case, so the coder and the debugger, which do not
see the question, are recognised too. `Case.broken` has programs that the coder and the debugger send first; `Roles.script` can replace
the answer of one role by a function request -> answer or None."""
import collections
import json
import re
import threading

from replay_model import KEY, Replay, answer, call, fail

ROLES = {"plan": "planner", "code": "coder", "diagnosis": "debugger", "answer": "answer"}
BYTES_PER_TOKEN = 4
CACHE_LEAST = 1024  # tokens of a prefix, below which nothing is cached


def tokens(value):
    return -(-len(json.dumps(value).encode()) // BYTES_PER_TOKEN)


class Case:
    """One question with the right program; broken: programs that fail, in the order in which they are sent."""

    def __init__(self, question, kind, program, broken=(), plan=None, key=None):
        self.question, self.kind, self.program, self.broken, self.plan = question, kind, program, tuple(broken), plan
        self.key = key or "q%08x" % (hash(question) & 0xffffffff)

    def make_plan(self):
        return self.plan or {"approach": "code", "steps": [{"name": self.key, "compute": "the value of " + self.key, "type": self.kind}]}


def forced_tool(request):
    return ((request.json or {}).get("tool_choice") or {}).get("name")


def words_of(request):
    """All texts of a request's messages."""
    texts = []
    for message in request.json["messages"]:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            texts.append(block.get("text") or json.dumps(block))
    return "\n".join(texts)


class Ledger:
    def __init__(self):
        self.requests, self.input, self.output, self.cache_read, self.cache_write = 0, 0, 0, 0, 0
        self.models = collections.Counter()


class Roles(Replay):
    """caches: count the tokens of the tools and the system prompt as a prefix that is cached by its bytes."""

    def __init__(self, cases=(), caches=False, key=KEY):
        self.cases = {case.key: case for case in cases}
        self.by_question = {case.question: case for case in cases}
        self.sent = collections.Counter()  # programs sent, by the key of a case
        self.ledger = collections.defaultdict(Ledger)
        self.faults = []
        self.script = {}
        self.caches, self.prefixes = caches, set()
        self.guard = threading.Lock()
        super().__init__(self.play, key=key)

    def check(self):
        super().check()
        assert not self.faults, self.faults[:5]

    # ---- recognising ----

    def case_of(self, request):
        words = words_of(request)
        if forced_tool(request) == "plan":
            asked = words.partition("The question:\n")[2]
            return max((case for case in self.by_question.values() if asked.startswith(case.question)), key=lambda case: len(case.question),
                       default=None)
        found = re.search(r'"name":"([^"]+)"', words)
        return self.cases.get(found.group(1)) if found else None

    def look(self, request, role, case):
        """What a role may see."""
        words = words_of(request)
        tools = [tool["name"] for tool in request.json["tools"]]
        if len(tools) != 1 or not request.json["tools"][0].get("strict"):
            self.faults.append("%s: not one strict tool: %s" % (role, tools))
        if role in ("coder", "debugger", "answer") and case and case.question in words:
            self.faults.append("%s: it sees the question: %s" % (role, case.question))
        if role == "coder" and ("```" in words or "<data>" in words):
            self.faults.append("coder: it sees more than the plan")
        if role == "debugger" and "Its execution: <data>" not in words:
            self.faults.append("debugger: it does not see the execution")

    # ---- playing ----

    def usage_of(self, request, output):
        prefix = json.dumps([request.json["tools"], request.json["system"]])
        size, rest = tokens(prefix), tokens(request.json["messages"])
        usage = {"input": size + rest, "output": output, "cache_read": 0, "cache_write": 0}
        if self.caches and size >= CACHE_LEAST:
            usage["cache_read" if prefix in self.prefixes else "cache_write"] = size
            usage["input"] = rest
            self.prefixes.add(prefix)
        return usage

    def count(self, role, request, usage):
        book = self.ledger[role]
        book.requests += 1
        for name, value in usage.items():
            setattr(book, name, getattr(book, name) + value)
        book.models[request.json["model"]] += 1

    def message(self, role, case, request):
        if role == "planner":
            return case.make_plan()
        if role == "answer":
            values = json.loads(re.search(r"Values: <data>(.*?)</data>", words_of(request), re.S).group(1))
            return {"text": "Computed: " + "; ".join("%s is %s" % pair for pair in values.items())}
        number = self.sent[case.key]
        self.sent[case.key] += 1
        source = case.broken[number] if number < len(case.broken) else case.program
        if role == "coder":
            return {"source": source}
        return {"cause": "It failed.", "change": "Changed.", "source": source}

    def play(self, request):
        role = ROLES.get(forced_tool(request))
        with self.guard:
            case = self.case_of(request) if role else None
            if not role:
                self.faults.append("a request without a forced tool of a role")
                return fail(500, "api_error", "no role", should_retry=False)
            self.look(request, role, case)
            own = self.script.get(role)
            chosen = own(request) if own else None
            if chosen is not None:
                return chosen
            if not case:
                self.faults.append("no case for: " + words_of(request)[-300:])
                return fail(500, "api_error", "no case", should_retry=False)
            message = self.message(role, case, request)
            usage = self.usage_of(request, tokens(message))
            self.count(role, request, usage)
        return answer(call(forced_tool(request), message), usage=usage)
