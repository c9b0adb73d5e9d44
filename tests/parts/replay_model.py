# SPDX-License-Identifier: GPL-3.0-or-later
"""A model's service played from a script, byte by byte: POST .../v1/messages as the Anthropic Messages API streams it.

    from replay_model import Replay, answer, text, thinking, call, ping, error_event, pause, drop, hold, fail

    with Replay([answer(text("I look."), call("query_graph", {"query": "roots"})),     # first request
                 answer(text("Two nodes: A and B."))]) as model:                       # second request
        ... run lectern with ANTHROPIC_BASE_URL=model.url, ANTHROPIC_API_KEY=model.key ...
        model.check()                       # AssertionError with every rule of the API that a request broke
        model.requests[1].json["messages"]  # requests are kept raw: .head, .headers, .body, .json, .at, .closed

A script is a list of answers, one a request, or a function request -> answer (on a thread of its own; it sees
request.json). Where the list is at its end, the request is refused and `check` complains.

Parts of an answer, in their order:
    text("..."), thinking("...", signature="..."), redacted("..."), call(name, arguments, id="toolu_..."): a content block each;
        pieces=N: in so many deltas; cut=N: only its first N characters, and the block stays open; units=N: deltas of N
        UTF-16 units, an emoji's two halves apart. Several calls are parallel calls.
    ping(), unknown_event(), error_event(type, message), raw(bytes), pause(seconds)
    gate(event): nothing more comes until that threading.Event is set, or the client leaves;
    drop(): the connection is cut there (TCP reset); end(): the body ends there in good order, without message_stop;
    hold(): nothing more comes, and nothing ends, until the client leaves.
and of the whole: answer(..., stop="end_turn", details={...}, usage={"input": 10, "cache_read": 0, "cache_write": 0,
    "output": 5}, newline="\\r\\n", chunk=1 (bytes a write: cuts inside characters and JSON), gap=seconds between writes,
    delay=seconds before the first byte, ascii=True (\\uXXXX for all that is not ASCII)).
A call has an id of its own; an answer that is played twice repeats it, which a second turn of one conversation may not.
fail(429, "rate_limit_error", "...", retry_after=1, should_retry=None, headers={}): an answer that is an error. plain(status,
    body, content_type): anything else. times(n, answer): a list of n of them.

Each request is checked against the API's rules (check_request): roles, tool calls and their results, thinking sent back as it
was sent, cache marks, what may stand where. By itself, for tests in C: `replay_model.py` prints its port and plays SCENARIOS, each
under http://127.0.0.1:PORT/NAME; GET /journal tells what came.
"""
import collections
import itertools
import json
import re
import select
import socket
import struct
import sys
import threading
import time

KEY = "test-key-0123456789"
HEAD_CAP = 64 << 10
MARKS_MAX = 4
WAIT_SECONDS = 20

# ---- what an answer is made of ----

_ids = itertools.count(1)


class Part:
    """One piece of an answer; kind says which."""

    def __init__(self, kind, **members):
        self.kind = kind
        self.__dict__.update(members)


def text(words, pieces=None, cut=None, units=None):
    return Part("block", block={"type": "text", "text": ""}, member="text", delta="text_delta", words=words, pieces=pieces,
                cut=cut, units=units)


def thinking(words, signature="c2lnbmVk", pieces=None, cut=None, units=None):
    return Part("block", block={"type": "thinking", "thinking": "", "signature": ""}, member="thinking",
                delta="thinking_delta", words=words, pieces=pieces, cut=cut, units=units, signature=signature)


def redacted(data):
    return Part("block", block={"type": "redacted_thinking", "data": data}, member=None, words="", pieces=None, cut=None,
                units=None)


def call(name, arguments, id=None, pieces=None, cut=None, units=None):  # noqa: A002: the API's own name
    """arguments: an object, or the text that is to stand in for its JSON."""
    words = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return Part("block", block={"type": "tool_use", "id": id or "toolu_%04d" % next(_ids), "name": name, "input": {}},
                member="partial_json", delta="input_json_delta", words=words, pieces=pieces, cut=cut, units=units)


def ping():
    return Part("event", name="ping", data={"type": "ping"})


def unknown_event():
    return Part("event", name="weather_report", data={"type": "weather_report", "outlook": "fair"})


def error_event(type="overloaded_error", message="Overloaded"):  # noqa: A002
    return Part("event", name="error", data={"type": "error", "error": {"type": type, "message": message}}, last=True)


def raw(data):
    return Part("raw", data=data)


def pause(seconds):
    return Part("pause", seconds=seconds)


def gate(event):
    return Part("gate", event=event)


def drop():
    return Part("drop")


def end():
    return Part("end")


def hold():
    return Part("hold")


class Answer:
    """Bytes and pauses to play, and the message they are (for the check of what comes back)."""

    def __init__(self, status, headers, steps, chunk=None, gap=0, delay=0, content=None, chunked=True, stop=None):
        self.status, self.headers, self.steps = status, headers, steps
        self.chunk, self.gap, self.delay, self.content, self.chunked = chunk, gap, delay, content, chunked
        self.stop = stop


def _deltas(part):
    words = part.words if part.cut is None else part.words[:part.cut]
    if part.units:
        code = words.encode("utf-16-le")
        return [code[i:i + 2 * part.units].decode("utf-16-le", "surrogatepass") for i in range(0, len(code), 2 * part.units)]
    size = 12 if part.pieces is None else max(1, -(-len(words) // part.pieces))
    return [words[i:i + size] for i in range(0, len(words), size)]


def _block_events(part, index):
    yield "content_block_start", {"index": index, "content_block": part.block}
    for piece in _deltas(part):
        yield "content_block_delta", {"index": index, "delta": {"type": part.delta, part.member: piece}}
    if part.cut is not None:
        return
    if part.block["type"] == "thinking" and part.signature:
        yield "content_block_delta", {"index": index, "delta": {"type": "signature_delta", "signature": part.signature}}
    yield "content_block_stop", {"index": index}


def _whole_block(part):
    block = dict(part.block)
    if block["type"] == "tool_use":
        try:
            block["input"] = json.loads(part.words or "{}")
        except ValueError:
            block["input"] = {}
    elif part.member:
        block[part.member] = part.words
    if block["type"] == "thinking" and part.signature:
        block["signature"] = part.signature
    return block


def answer(*parts, stop=None, details=None, usage=None, newline="\n", chunk=None, gap=0, delay=0, ascii=False,  # noqa: A002
           headers=None, model="claude-replayed"):
    steps, content = [], []
    tokens = {"input": 10, "cache_read": 0, "cache_write": 0, "output": 5, **(usage or {})}

    def event(name, data):
        data = json.dumps({"type": name, **data}, ensure_ascii=ascii or _has_halves(data))
        steps.append(("send", ("event: %s%sdata: %s%s%s" % (name, newline, data, newline, newline)).encode()))

    event("message_start", {"message": {
        "id": "msg_%04d" % next(_ids), "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": None, "stop_sequence": None,
        "usage": {"input_tokens": tokens["input"], "cache_read_input_tokens": tokens["cache_read"],
                  "cache_creation_input_tokens": tokens["cache_write"], "output_tokens": 1}}})
    index, ended = 0, False
    for part in parts:
        if part.kind == "block":
            for name, data in _block_events(part, index):
                event(name, data)
            index += 1
            if part.cut is None:
                content.append(_whole_block(part))
        elif part.kind == "event":
            event(part.name, part.data)
            ended = ended or getattr(part, "last", False)
        elif part.kind == "raw":
            steps.append(("send", part.data))
        elif part.kind == "pause":
            steps.append(("pause", part.seconds))
        elif part.kind == "gate":
            steps.append(("gate", part.event))
        else:
            steps.append((part.kind, None))
            ended = True
    if not ended:
        if stop is None:
            stop = "tool_use" if any(block["type"] == "tool_use" for block in content) else "end_turn"
        event("message_delta", {"delta": {"stop_reason": stop, "stop_sequence": None, "stop_details": details},
                                "usage": {"output_tokens": tokens["output"]}})
        event("message_stop", {})
    return Answer(200, {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache", **(headers or {})},
                  steps, chunk, gap, delay, content, stop=stop)


def _has_halves(data):
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def fail(status, type="api_error", message="Internal error", retry_after=None, should_retry=None, headers=None,  # noqa: A002
         delay=0):
    body = {"type": "error", "error": {"type": type, "message": message}}
    more = dict(headers or {})
    if retry_after is not None:
        more["retry-after"] = str(retry_after)
    if should_retry is not None:
        more["x-should-retry"] = "true" if should_retry else "false"
    return Answer(status, {"content-type": "application/json", **more}, [("send", json.dumps(body).encode())], delay=delay,
                  chunked=False)


def plain(status, body, content_type="text/html", headers=None):
    return Answer(status, {"content-type": content_type, **(headers or {})}, [("send", body)], chunked=False)


def hang_up():
    """The connection is cut before a byte of the answer."""
    return Answer(None, {}, [("drop", None)])


def times(count, one):
    return [one] * count


# ---- the rules of the API ----

TOP_LEVEL = {"model", "max_tokens", "messages", "stream", "system", "tools", "tool_choice", "thinking", "output_config",
             "cache_control", "metadata", "stop_sequences", "service_tier", "diagnostics"}
VERSIONS = {"2023-06-01", "2026-10-21"}
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")
IDENTIFIER = re.compile(r"[a-zA-Z0-9_-]+\Z")
# Types of blocks by role, and the members each may have beside type and cache_control.
BLOCKS = {
    "user": {"text": {"text", "citations"}, "image": {"source"}, "document": {"source", "title", "context", "citations"},
             "tool_result": {"tool_use_id", "content", "is_error"}},
    "assistant": {"text": {"text", "citations"}, "thinking": {"thinking", "signature"}, "redacted_thinking": {"data"},
                  "tool_use": {"id", "name", "input"}},
    "result": {"text": {"text", "citations"}, "image": {"source"}, "document": {"source", "title", "context", "citations"}},
    "system": {"text": {"text", "citations"}},
}


def _check_mark(mark, where):
    if not isinstance(mark, dict) or mark.get("type") != "ephemeral" or set(mark) - {"type", "ttl"} or \
            mark.get("ttl", "5m") not in ("5m", "1h"):
        yield "%s: cache_control %r" % (where, mark)


def _check_block(block, role, where):
    kind = block.get("type") if isinstance(block, dict) else None
    if kind not in BLOCKS[role]:
        yield "%s: a block of type %r in %s content" % (where, kind, role)
        return
    strange = set(block) - BLOCKS[role][kind] - {"type", "cache_control"}
    if strange:
        yield "%s: members %s in a %s block" % (where, sorted(strange), kind)
    if kind == "text" and (not isinstance(block.get("text"), str) or not block["text"].strip()):
        yield "%s: a text block without text" % where
    if kind in ("thinking", "redacted_thinking") and "cache_control" in block:
        yield "%s: a cache mark on thinking" % where
    if kind == "tool_use":
        if not isinstance(block.get("input"), dict):
            yield "%s: a tool_use whose input is no object" % where
        if not IDENTIFIER.match(str(block.get("id"))) or not NAME.match(str(block.get("name"))):
            yield "%s: a tool_use without a good id and name" % where
    if kind == "image":
        source = block.get("source") or {}
        if source.get("type") == "base64" and (not source.get("data") or source.get("media_type") not in
                                               ("image/png", "image/jpeg", "image/gif", "image/webp")):
            yield "%s: an image without its data or type" % where
    if kind == "tool_result":
        if not isinstance(block.get("is_error", False), bool):
            yield "%s: is_error %r" % (where, block["is_error"])
        inner = block.get("content", "")
        if not isinstance(inner, (str, list)):
            yield "%s: a result's content is %r" % (where, type(inner).__name__)
        for i, one in enumerate(inner if isinstance(inner, list) else []):
            yield from _check_block(one, "result", "%s.content.%d" % (where, i))


def _blocks(message):
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _check_results(messages):
    """Each tool_use is answered in the very next message, all results first, one each; no result without its call."""
    seen = set()
    for i, message in enumerate(messages):
        calls = [block.get("id") for block in _blocks(message) if block.get("type") == "tool_use"]
        for one in calls:
            if one in seen:
                yield "messages.%d: the id %s a second time" % (i, one)
            seen.add(one)
        before = [block.get("id") for block in _blocks(messages[i - 1]) if block.get("type") == "tool_use"] if i else []
        kinds = [block.get("type") for block in _blocks(message)]
        results = [block.get("tool_use_id") for block in _blocks(message) if block.get("type") == "tool_result"]
        if sorted(map(str, results)) != sorted(map(str, before)):
            yield "messages.%d: results of %s, calls before were %s" % (i, results, before)
        if "tool_result" in kinds[len(results):]:
            yield "messages.%d: results are not first: %s" % (i, kinds)
        if calls and i == len(messages) - 1:
            yield "messages.%d: the last message has calls without results" % i


def _is_paused(message, sent):
    """An answer that paused, sent back as it came for the model to go on."""
    back = [{name: value for name, value in block.items() if name != "cache_control"} for block in _blocks(message)]
    return message.get("role") == "assistant" and any(stop == "pause_turn" and back == content for content, _, stop in sent)


def _check_messages(messages, sent):
    if not isinstance(messages, list) or not messages or not all(isinstance(message, dict) for message in messages):
        yield "messages: none"
        return
    if messages[0].get("role") != "user" or messages[-1].get("role") != "user" and not _is_paused(messages[-1], sent):
        yield "messages: they begin with %r and end with %r" % (messages[0].get("role"), messages[-1].get("role"))
    for i, message in enumerate(messages):
        where, role = "messages.%d" % i, message.get("role")
        if role not in ("user", "assistant") or set(message) != {"role", "content"}:
            yield "%s: role %r, members %s" % (where, role, sorted(message))
            continue
        if i and role == messages[i - 1].get("role"):
            yield "%s: a second %s message in a row" % (where, role)
        content = message["content"]
        if not content or not isinstance(content, (str, list)):
            yield "%s: no content" % where
        for j, block in enumerate(content if isinstance(content, list) else []):
            yield from _check_block(block, role, "%s.content.%d" % (where, j))
    yield from _check_results(messages)


def _check_tools(body):
    tools = body.get("tools", [])
    if not isinstance(tools, list):
        yield "tools: no list"
        return
    for i, tool in enumerate(tools):
        where = "tools.%d" % i
        if set(tool) - {"name", "description", "input_schema", "strict", "cache_control"}:
            yield "%s: members %s" % (where, sorted(tool))
        if not NAME.match(str(tool.get("name"))) or not isinstance(tool.get("description"), str):
            yield "%s: no good name, or no description" % where
        if not isinstance(tool.get("input_schema"), dict) or tool["input_schema"].get("type") != "object":
            yield "%s: its schema is not of an object" % where
    names = [tool.get("name") for tool in tools]
    if len(set(names)) < len(names):
        yield "tools: a name twice"
    if not tools and any(block.get("type") == "tool_use" for message in body.get("messages", []) for block in
                         _blocks(message)):
        yield "tools: none, while messages have calls"


def _check_options(body):
    if set(body) - TOP_LEVEL:
        yield "members %s" % sorted(set(body) - TOP_LEVEL)
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield "model: %r" % body.get("model")
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        yield "max_tokens: %r" % body.get("max_tokens")
    if body.get("stream") is not True:
        yield "stream: %r" % body.get("stream")
    choice, mode = body.get("tool_choice"), body.get("thinking")
    if choice is not None and choice.get("type") not in ("auto", "any", "tool", "none"):
        yield "tool_choice: %r" % choice
    if mode is not None:
        if mode.get("type") not in ("adaptive", "enabled", "between_tools", "disabled"):
            yield "thinking: %r" % mode
        if mode.get("type") == "enabled" and not 1024 <= mode.get("budget_tokens", 0) < body.get("max_tokens", 0):
            yield "thinking: budget_tokens %r" % mode.get("budget_tokens")
        if mode.get("type") != "disabled" and (choice or {}).get("type") in ("any", "tool"):
            yield "thinking, and a tool_choice that forces a call"
    system = body.get("system", "x")
    if not isinstance(system, (str, list)) or not system:
        yield "system: %r" % type(system).__name__
    for i, block in enumerate(system if isinstance(system, list) else []):
        yield from _check_block(block, "system", "system.%d" % i)


def _marks(value, where="request"):
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "cache_control":
                yield where, inner
            elif name not in ("input", "input_schema"):
                yield from _marks(inner, "%s.%s" % (where, name))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from _marks(inner, "%s.%d" % (where, i))


def _check_thinking(messages, sent):
    """What was sent as thinking comes back byte by byte, in its place in front of its calls; nothing else does."""
    known = [block for content, _, _ in sent for block in content if block["type"].endswith("thinking")]
    ids = collections.Counter(block["id"] for content, _, _ in sent for block in content if block["type"] == "tool_use")
    for i, message in enumerate(messages):
        if message.get("role") != "assistant":
            continue
        back = [block for block in _blocks(message) if block.get("type", "").endswith("thinking")]
        if any(block not in known for block in back):
            yield "messages.%d: thinking that was not sent so" % i
        calls = {block.get("id") for block in _blocks(message) if block.get("type") == "tool_use"}
        for content, whole, _ in sent:
            own = {block["id"] for block in content if block["type"] == "tool_use"}
            # An id that was sent twice, or is none, comes back as another: then nobody can say which call it is.
            if calls & own and all(ids[one] == 1 and IDENTIFIER.match(one) for one in own):
                order = [block for block in content if block["type"].endswith("thinking") or block["type"] == "tool_use"]
                got = [block for block in _blocks(message) if block.get("type", "").endswith("thinking") or
                       block.get("type") == "tool_use"]
                expected = [_identity(block) for block in order]
                if [_identity(block) for block in got] != (expected if whole else expected[:len(got)]):
                    yield "messages.%d: thinking or calls are missing, or in another order" % i


def _identity(block):
    return block.get("id") or json.dumps({name: value for name, value in block.items() if name != "cache_control"},
                                         sort_keys=True)


def _check_strings(value):
    """Text that no service takes."""
    if isinstance(value, str):
        if "\0" in value or any("\ud800" <= c <= "\udfff" for c in value):
            yield "a text with NUL or half a character: %r" % value[:60]
    elif isinstance(value, (dict, list)):
        for inner in itertools.chain(value, value.values()) if isinstance(value, dict) else value:
            yield from _check_strings(inner)


def check_request(request, sent=(), key=KEY):
    """Every rule of the Messages API that the request breaks, a line each. sent: of each answer before it the content, whether
    the client got all of it, and its stop reason."""
    headers, body = request.headers, request.json
    if request.method != "POST" or not request.path.endswith("/v1/messages"):
        yield "%s %s" % (request.method, request.path)
    if headers.get("anthropic-version") not in VERSIONS:
        yield "anthropic-version: %r" % headers.get("anthropic-version")
    if headers.get("content-type", "").split(";")[0] != "application/json":
        yield "content-type: %r" % headers.get("content-type")
    given = [value for value in (headers.get("x-api-key"), headers.get("authorization")) if value is not None]
    if key and given not in ([key], ["Bearer " + key]):
        yield "the key: %d headers, or another one" % len(given)
    if not isinstance(body, dict):
        yield "the body is not a JSON object"
        return
    yield from _check_options(body)
    yield from _check_tools(body)
    yield from _check_messages(body.get("messages"), sent)
    yield from _check_strings(body)
    marks = list(_marks(body))
    if len(marks) > MARKS_MAX:
        yield "%d cache marks: %s" % (len(marks), [where for where, _ in marks])
    for where, mark in marks:
        yield from _check_mark(mark, where)
    if isinstance(body.get("messages"), list):
        yield from _check_thinking(body["messages"], sent)


# ---- the server ----

class Request:
    """One request as it came."""

    def __init__(self, head, body):
        self.head, self.body = head, body
        lines = head.decode("latin-1").split("\r\n")
        self.method, self.path, _ = lines[0].split(" ", 2)
        self.headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            self.headers[name.strip().lower()] = value.strip()
        self.at = time.monotonic()
        self.first_byte = self.finished = None  # of the answer
        self.closed = None  # when the client closed the connection before the answer was through
        self.violations = []
        try:
            self.json = json.loads(body)
        except ValueError:
            self.json = None


class _Gone(Exception):
    """The client has left."""


class Replay:
    """The server, on a free port of loopback. key None: none is wanted."""

    def __init__(self, script, key=KEY, port=0):
        self.key, self.requests, self._sent = key, [], []
        self._script = script if callable(script) else None
        self._answers = None if callable(script) else iter(list(script))
        self._lock = threading.Condition()
        self._listener = socket.create_server(("127.0.0.1", port))
        self.port = self._listener.getsockname()[1]
        self.url = "http://127.0.0.1:%d" % self.port
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._stop.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(WAIT_SECONDS)
        self._listener.close()

    @property
    def violations(self):
        with self._lock:
            return ["request %d: %s" % (i, line) for i, request in enumerate(self.requests) for line in request.violations]

    def check(self):
        if self.violations:
            raise AssertionError("\n".join(self.violations))

    def forget(self):
        """What was sent so far is another conversation's: its calls may come again with the same ids."""
        with self._lock:
            self._sent.clear()

    def wait(self, condition, seconds=WAIT_SECONDS):
        """Until condition(self) holds: it is asked whenever something happened. False when time is up."""
        with self._lock:
            return self._lock.wait_for(lambda: condition(self), seconds)

    def wait_closed(self, number, seconds=WAIT_SECONDS):
        """When the client left the request of that number (time.monotonic()), or None."""
        self.wait(lambda _: len(self.requests) > number and self.requests[number].closed, seconds)
        return self.requests[number].closed if len(self.requests) > number else None

    def _accept(self):
        while not self._stop.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection:
            rest = b""
            while not self._stop.is_set():
                request, rest = self._receive(connection, rest)
                if request is None or not self._handle(connection, request):
                    return

    def _receive(self, connection, rest):
        while b"\r\n\r\n" not in rest and len(rest) < HEAD_CAP:
            more = self._read(connection)
            if more[:1] == b"\x16":  # TLS, which it does not speak
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n")
            if not more or more[:1] == b"\x16":
                return None, b""
            rest += more
        head, _, rest = rest.partition(b"\r\n\r\n")
        found = re.search(rb"\r\ncontent-length: *(\d+)", head, re.IGNORECASE)
        length = int(found.group(1)) if found else 0
        while len(rest) < length:
            more = self._read(connection)
            if not more:
                return None, b""
            rest += more
        return Request(head, rest[:length]), rest[length:]

    def _read(self, connection):
        while not self._stop.is_set():
            if select.select([connection], [], [], 0.1)[0]:
                try:
                    return connection.recv(1 << 16)
                except OSError:
                    return b""
        return b""

    def _handle(self, connection, request):
        with self._lock:
            sent = [(content, one.finished is not None, stop) for content, one, stop in self._sent]
            request.violations = list(check_request(request, sent, self.key))
            self.requests.append(request)
            chosen = None if self._script else next(self._answers, None)
            if chosen is None and not self._script:
                request.violations.append("the script has no answer for it")
                chosen = fail(500, "api_error", "the script is at its end", should_retry=False)
            self._lock.notify_all()
        if self._script:
            chosen = self._script(request)
        return self._play(connection, request, chosen)

    def _play(self, connection, request, chosen):
        """True where the connection can take another request."""
        open_still = False
        try:
            self._pause(connection, chosen.delay)
            if chosen.content is not None:  # whatever comes of it, the client may have seen it
                with self._lock:
                    self._sent.append((chosen.content, request, chosen.stop))
            if chosen.status is not None:
                self._send(connection, self._head(chosen, request))
                request.first_byte = time.monotonic()
            open_still = self._play_steps(connection, chosen)
            request.finished = time.monotonic()
        except (_Gone, OSError):
            request.closed = time.monotonic()
        with self._lock:
            self._lock.notify_all()
        return open_still and not request.closed

    def _head(self, chosen, request):
        number = self.requests.index(request) + 1
        lines = ["HTTP/1.1 %d Replayed" % chosen.status, "request-id: req_%04d" % number]
        lines += ["%s: %s" % pair for pair in chosen.headers.items()]
        if chosen.chunked:
            lines.append("transfer-encoding: chunked")
        else:
            lines.append("content-length: %d" % sum(len(data) for kind, data in chosen.steps if kind == "send"))
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def _play_steps(self, connection, chosen):
        for kind, value in chosen.steps:
            if kind == "send":
                size = chosen.chunk or max(1, len(value))
                for i in range(0, len(value), size):
                    piece = value[i:i + size]
                    self._send(connection, b"%x\r\n%s\r\n" % (len(piece), piece) if chosen.chunked else piece)
                    self._pause(connection, chosen.gap)
            elif kind == "pause":
                self._pause(connection, value)
            elif kind == "gate":
                self._pause(connection, None, value)
            elif kind == "hold":
                self._pause(connection, None)
            elif kind == "drop":
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                time.sleep(0.05)  # what was sent is read first: a reset throws away what waits
                return False
            elif kind == "end":
                break
        if chosen.chunked:
            self._send(connection, b"0\r\n\r\n")
        return True

    def _send(self, connection, data):
        connection.sendall(data)

    def _pause(self, connection, seconds, event=None):
        """Waits; leaves at once where the client does. None: until then, or until the event is set."""
        until = None if seconds is None else time.monotonic() + seconds
        while (until is None or time.monotonic() < until) and not (event and event.is_set()):
            if self._stop.is_set():
                raise _Gone
            left = 0.01 if event else 0.1 if until is None else min(0.1, max(0, until - time.monotonic()))
            if select.select([connection], [], [], left)[0]:
                if connection.recv(1, socket.MSG_PEEK) == b"":
                    raise _Gone
                time.sleep(left)  # more bytes than the request: nothing to wait for


# ---- by itself ----

def scenarios():
    """Name -> script, for tests that cannot bring their own; a function makes a new one for each name and each run."""
    hello = answer(text("Hello, w\u00f6rld \U0001f984"), usage={"input": 7, "cache_read": 5, "cache_write": 3, "output": 9})
    return {
        "hello": times(1000, hello),
        "bytes": times(100, answer(ping(), thinking("hm \u00e4"), text("\U0001f984 ab", units=1), unknown_event(),
                                   call("run", {"code": "print('\U0001f984')"}, id="c1"), chunk=1, newline="\r\n")),
        "overloaded-twice": [fail(529, "overloaded_error", "Overloaded", headers={"retry-after-ms": "20"})] * 2 + [hello],
        "overloaded": times(100, fail(529, "overloaded_error", "Overloaded", headers={"retry-after-ms": "5"})),
        "limited": times(100, fail(429, "rate_limit_error", "Slow down", retry_after=120)),
        "spent": times(100, fail(429, "rate_limit_error", "Slow down", should_retry=False)),
        "asked-anew": [fail(400, "invalid_request_error", "odd", should_retry=True, headers={"retry-after-ms": "1"}), hello],
        "key": times(100, fail(401, "authentication_error", "invalid x-api-key: %s" % KEY)),
        "forbidden": times(100, fail(403, "permission_error", "not yours")),
        "unknown-model": times(100, fail(404, "not_found_error", "model: nobody")),
        "too-long": times(100, fail(400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum")),
        "too-large": times(100, plain(413, b"<html>no</html>")),
        "bad-request": times(100, fail(400, "invalid_request_error", "tools.0: \x1b[31mno\n" + "x" * 5000)),
        "page": times(100, plain(200, b"<html>a page</html>")),
        "moved": times(100, plain(301, b"", headers={"location": "http://127.0.0.1:1/"})),
        "huge-error": times(100, plain(500, b"x" * (1 << 20), "text/plain", {"x-should-retry": "false"})),
        "drop-first": [hang_up(), hang_up(), hello],
        "drop-in-text": times(100, answer(text("Hello, world", cut=5), drop())),
        "drop-in-call": times(100, answer(text("I run."), call("run", {"code": "print(1)"}, cut=9), drop())),
        "end-early": times(100, answer(text("Hello"), end())),
        "error-event": times(100, answer(text("Hello", cut=3), error_event())),
        "malformed": times(100, answer(text("Hello"), raw(b"event: content_block_delta\ndata: {\"index\":\n\n"))),
        "hold": times(100, answer(text("Hello", cut=5), hold())),
        "silent": times(100, answer(text("never"), delay=600)),
        "slow": times(100, answer(text("Hello"), delay=0.3)),
        "flood": times(100, answer(*[text("0123456789abcdef" * 1024, pieces=4) for _ in range(60)])),
        "refusal": times(100, answer(stop="refusal", details={"category": "cyber", "explanation": "no"})),
    }


class Scenarios(Replay):
    """All of them, each under its name; /journal is what came so far."""

    def __init__(self, port=0):
        self._scripts = {name: iter(script) for name, script in scenarios().items()}
        super().__init__(self._choose, key=None, port=port)

    def _choose(self, request):
        if request.path == "/journal":
            return plain(200, json.dumps([self._entry(one) for one in self.requests if one is not request]).encode(),
                         "application/json")
        with self._lock:
            chosen = next(self._scripts.get(request.path.split("/")[1], iter(())), None)
        return chosen or fail(404, "not_found_error", "no scenario of that name", should_retry=False)

    @staticmethod
    def _entry(request):
        return {"path": request.path, "headers": request.headers, "body": request.body.decode("utf-8", "replace"),
                "at": request.at, "closed": request.closed, "finished": request.finished, "now": time.monotonic(),
                "violations": request.violations}


def main():
    with Scenarios(int(sys.argv[1]) if len(sys.argv) > 1 else 0) as server:
        print(server.port, flush=True)
        sys.stdin.read()  # until whoever started it has gone


if __name__ == "__main__":
    main()
