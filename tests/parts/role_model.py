# SPDX-License-Identifier: GPL-3.0-or-later
"""A model's service that plays the roles of `solve` from scripts, on top of replay_model.

    from role_model import Roles, Case

    with Roles([Case("How many nodes?", "number", "import json\\n...", answer=49)]) as model:
        ... run lectern solve with --llm-url model.url ...
        model.check()            # the rules of the API, and the limits of each role's view
        model.ledger["planner"]  # requests and tokens, which traces and metrics must equal

A role is recognised by its forced tool. The name of a plan's step is the key of its case, so the coder and the debugger, which do not
see the question, are recognised too. `Case.broken` has programs that the coder and the debugger send first; `Roles.script` can replace
the answer of one role by a function request -> answer or None."""
import collections
import hashlib
import json
import re
import threading

from replay_model import KEY, Replay, answer, call, fail

ROLES = {"plan": "planner", "code": "coder", "diagnosis": "debugger", "answer": "answer"}
BYTES_PER_TOKEN = 4
CACHE_LEAST = 1024  # tokens of a prefix, below which nothing is cached


def tokens(value):
    return -(-len(json.dumps(value).encode()) // BYTES_PER_TOKEN)


class Cache:
    """A service's prompt cache as it is documented: the prefix up to each mark (tools, then system, then messages) is kept by its bytes,
    and read again by a request that begins with the same bytes. Without use: every token is input."""

    def __init__(self, used=True):
        self.used, self.kept = used, set()

    @staticmethod
    def _blocks(request):
        yield from request.json.get("tools", [])
        yield from request.json.get("system", [])
        for message in request.json["messages"]:
            content = message["content"]
            yield from ([{"type": "text", "text": content}] if isinstance(content, str) else content)

    def usage(self, request, output):
        size, prefix, marks = 0, hashlib.sha256(), []
        for block in self._blocks(request):
            text = json.dumps({name: value for name, value in block.items() if name != "cache_control"}).encode()
            size += -(-len(text) // BYTES_PER_TOKEN)
            prefix.update(text)
            if self.used and "cache_control" in block and size >= CACHE_LEAST:
                marks.append((size, prefix.digest()))
        read = max([marked for marked, digest in marks if digest in self.kept], default=0)
        written = max([marked for marked, _ in marks], default=0)
        self.kept.update(digest for _, digest in marks)
        return {"input": size - max(read, written), "output": output, "cache_read": read, "cache_write": max(0, written - read)}


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

    def add(self, other):
        for name in ("requests", "input", "output", "cache_read", "cache_write"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.models.update(other.models)


class Roles(Replay):
    """caches: whether the service caches prompts."""

    def __init__(self, cases=(), caches=False, key=KEY):
        self.cases = {case.key: case for case in cases}
        self.by_question = {case.question: case for case in cases}
        self.sent = collections.Counter()  # programs sent, by the key of a case
        self.ledger = collections.defaultdict(Ledger)
        self.faults = []
        self.script = {}
        self.cache = Cache(caches)
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
        """The limits of a role's view."""
        words = words_of(request)
        tools = [tool["name"] for tool in request.json["tools"]]
        if len(tools) != 1 or not request.json["tools"][0].get("strict"):
            self.faults.append("%s: not one strict tool: %s" % (role, tools))
        if role == "planner":
            seen = json.loads(words.partition("<data>")[2].partition("</data>")[0])
            if set(seen) != {"title", "nodes", "components", "relationships", "chapters"}:
                self.faults.append("planner: it sees %s" % sorted(seen))
        elif case:
            known = json.dumps(case.make_plan()) + case.program + "".join(case.broken)
            only = {word for word in re.findall(r"\w{5,}", case.question) if word.lower() not in known.lower()}
            found = sorted(word for word in only if re.search(r"\b%s\b" % word, words))
            if case.question in words or (role == "coder" and found):
                self.faults.append("%s: it sees the question: %s" % (role, found or case.question))
        if role == "coder" and ("```" in words or "<data>" in words):
            self.faults.append("coder: it sees more than the plan")
        if role == "debugger" and "Its execution: <data>" not in words:
            self.faults.append("debugger: it does not see the execution")

    # ---- playing ----

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
            usage = self.cache.usage(request, tokens(message))
            self.count(role, request, usage)
        return answer(call(forced_tool(request), message), usage=usage)
