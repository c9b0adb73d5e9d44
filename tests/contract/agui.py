# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of AG-UI 1.0 for the frames that a page receives, as far as the server uses them: the members of each event, and the order of
the events of a run. For tests without npm; where AG-UI's own packages are installed, both check (chat_page.py), and test_chat_frames.py
compares them."""
import json

MESSAGES = "=developer|system|assistant|user"
BASE = "timestamp?:integer metadata?:object"
BY_AGENT = BASE + " subagentRunId?:string"

# The members of an object: NAME:TYPE, with a question mark behind the name where it may be left out. A type is one of CHECKS, a
# name of OBJECTS or UNIONS, [TYPE] for an array, or =WORD|WORD for one of these words.
EVENTS = {
    "RUN_STARTED": BASE + " threadId:string runId:string protocolVersion?:string parentRunId?:string input?:input",
    "RUN_FINISHED": BASE + " threadId:string runId:string result?:any outcome?:outcome usage?:[usage]",
    "RUN_ERROR": BASE + " message:string code?:string usage?:[usage]",
    "STEP_STARTED": BY_AGENT + " stepName:string",
    "STEP_FINISHED": BY_AGENT + " stepName:string",
    "TEXT_MESSAGE_START": BY_AGENT + " messageId:string role?:" + MESSAGES + " name?:string",
    "TEXT_MESSAGE_CONTENT": BY_AGENT + " messageId:string delta:string",
    "TEXT_MESSAGE_END": BY_AGENT + " messageId:string",
    "TOOL_CALL_START": BY_AGENT + " toolCallId:string toolCallName:string parentMessageId?:string",
    "TOOL_CALL_ARGS": BY_AGENT + " toolCallId:string delta:string",
    "TOOL_CALL_END": BY_AGENT + " toolCallId:string",
    "TOOL_CALL_RESULT": BY_AGENT + " messageId:string toolCallId:string content:content role?:=tool",
    "REASONING_START": BY_AGENT + " messageId:string",
    "REASONING_MESSAGE_START": BY_AGENT + " messageId:string role:=reasoning",
    "REASONING_MESSAGE_CONTENT": BY_AGENT + " messageId:string delta:string",
    "REASONING_MESSAGE_END": BY_AGENT + " messageId:string",
    "REASONING_END": BY_AGENT + " messageId:string",
    "REASONING_ENCRYPTED_VALUE": BY_AGENT + " subtype:=tool-call|message entityId:string encryptedValue:string",
    "STATE_SNAPSHOT": BY_AGENT + " snapshot:any",
    "STATE_DELTA": BY_AGENT + " delta:[patch]",
    "MESSAGES_SNAPSHOT": BASE + " messages:[message]",
    "ACTIVITY_SNAPSHOT": BY_AGENT + " messageId:string activityType:string content:object replace?:boolean",
    "ACTIVITY_DELTA": BY_AGENT + " messageId:string activityType:string patch:[patch]",
    "CUSTOM": BY_AGENT + " name:string value:any",
}
OBJECTS = {
    "input": "threadId:string runId:string protocolVersion?:string parentRunId?:string state?:any messages:[message] tools?:[tool] "
             "context?:[context] forwardedProps?:any resume?:[resume]",
    "tool": "name:string description:string parameters?:any metadata?:object",
    "context": "description:string value:string",
    "resume": "interruptId:string status:=resolved|cancelled payload?:any metadata?:object",
    "interrupt": "subagentRunId?:string id:string reason:string message?:string toolCallId?:string responseSchema?:object "
                 "expiresAt?:string metadata?:object",
    "usage": "provider?:string model?:string inputTokens?:integer outputTokens?:integer totalTokens?:integer "
             "reasoningTokens?:integer cachedInputTokens?:integer cacheWriteInputTokens?:integer",
    "call": "id:string type:=function function:function encryptedValue?:string metadata?:object",
    "function": "name:string arguments:string",
}
# Objects whose kind is one member's value: the member, and by its value the others.
NAMED = "subagentRunId?:string id:string name?:string encryptedValue?:string metadata?:object"
FILE = "id?:string source:source metadata?:any"
UNIONS = {
    "outcome": ("type", {"success": "pendingToolCallIds?:[string]", "interrupt": "interrupts:[interrupt]", "cancelled": ""}),
    "part": ("type", {"text": "id?:string text:string metadata?:any", "image": FILE, "audio": FILE, "video": FILE, "document": FILE}),
    "source": ("type", {"data": "value:string mimeType:string", "url": "value:string mimeType?:string",
                        "file": "value:string provider?:string mimeType?:string"}),
    "patch": ("op", {"add": "path:string value:any", "replace": "path:string value:any", "test": "path:string value:any",
                     "remove": "path:string", "move": "from:string path:string", "copy": "from:string path:string"}),
    "message": ("role", {
        "developer": NAMED + " content:string", "system": NAMED + " content:string",
        "assistant": NAMED + " content?:string toolCalls?:[call]", "user": NAMED + " content:content",
        "tool": "subagentRunId?:string id:string content:content toolCallId:string error?:string encryptedValue?:string "
                "metadata?:object",
        "activity": "subagentRunId?:string id:string activityType:string content:object metadata?:object",
        "reasoning": "subagentRunId?:string id:string content:string encryptedValue?:string metadata?:object"}),
}
CHECKS = {
    "any": lambda value: True,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "string": lambda value: isinstance(value, str),
}
# Unknown members are faults in these; AG-UI lets them pass, and then nobody would ever see what they say.
STRICT = ("interrupt", "usage")

# What is opened and closed inside a run, by the event: (what it is, the member that identifies it).
OPENS = {"TEXT_MESSAGE_START": ("text message", "messageId"), "TOOL_CALL_START": ("tool call", "toolCallId"),
         "REASONING_START": ("reasoning span", "messageId"), "REASONING_MESSAGE_START": ("reasoning message", "messageId"),
         "STEP_STARTED": ("step", "stepName")}
CONTINUES = {"TEXT_MESSAGE_CONTENT": "TEXT_MESSAGE_START", "TOOL_CALL_ARGS": "TOOL_CALL_START",
             "REASONING_MESSAGE_CONTENT": "REASONING_MESSAGE_START"}
CLOSES = {"TEXT_MESSAGE_END": "TEXT_MESSAGE_START", "TOOL_CALL_END": "TOOL_CALL_START", "REASONING_END": "REASONING_START",
          "REASONING_MESSAGE_END": "REASONING_MESSAGE_START", "STEP_FINISHED": "STEP_STARTED"}


def member_faults(value, members, path, strict):
    """members: a row of the tables above."""
    if not isinstance(value, dict):
        return ["%s: must be an object" % path]
    rows = [row.split(":", 1) for row in members.split()]
    faults = []
    for name, kind in rows:
        required, name = not name.endswith("?"), name.rstrip("?")
        if name in value:
            faults += value_faults(value[name], kind, "%s.%s" % (path, name))
        elif required:
            faults.append("%s.%s: is missing" % (path, name))
    if strict:
        known = {name.rstrip("?") for name, _ in rows}
        faults += ["%s.%s: unknown member" % (path, name) for name in value if name not in known]
    return faults


def value_faults(value, kind, path):
    if kind in CHECKS:
        return [] if CHECKS[kind](value) else ["%s: must be of type %s" % (path, kind)]
    if kind == "content":
        return [] if isinstance(value, str) else value_faults(value, "[part]", path)
    if kind.startswith("["):
        if not isinstance(value, list):
            return ["%s: must be an array" % path]
        return [fault for number, item in enumerate(value) for fault in value_faults(item, kind[1:-1], "%s.%d" % (path, number))]
    if kind in OBJECTS:
        return member_faults(value, OBJECTS[kind], path, kind in STRICT)
    if kind in UNIONS:
        member, rows = UNIONS[kind]
        if not isinstance(value, dict) or not isinstance(value.get(member), str) or value[member] not in rows:
            return ["%s.%s: must be one of %s" % (path, member, ", ".join(rows))]
        return member_faults(value, rows[value[member]], path, False)
    return [] if value in kind[1:].split("|") else ["%s: must be one of %s" % (path, kind[1:])]


def event_faults(event):
    kind = event.get("type") if isinstance(event, dict) else None
    if not isinstance(kind, str) or kind not in EVENTS:
        return ["type: unknown event %r" % kind]
    return member_faults(event, "type:=%s %s" % (kind, EVENTS[kind]), kind, True)


def order_faults(events):
    """The first event out of order, of one stream."""
    open_things, state = set(), "before"
    for number, event in enumerate(events):
        kind = event["type"]
        where = "after %d events (%s): " % (number, kind)
        if kind == "RUN_STARTED":
            if state == "running":
                return [where + "the previous run is still active"]
            open_things, state = set(), "running"
        elif kind == "RUN_ERROR" and state != "failed":
            state = "failed"
        elif state == "before":
            return [where + "the first event must be RUN_STARTED"]
        elif state != "running":
            return [where + "the run has already finished"]
        elif kind == "RUN_FINISHED":
            if open_things:
                return [where + "still active: " + ", ".join(sorted("%s %s" % (OPENS[opener][0], name) for opener, name in open_things))]
            state = "finished"
        elif kind in OPENS:
            thing = (kind, event[OPENS[kind][1]])
            if thing in open_things:
                return [where + "%s %s is already active" % (OPENS[kind][0], thing[1])]
            open_things.add(thing)
        elif kind in CONTINUES or kind in CLOSES:
            opener = CONTINUES.get(kind) or CLOSES[kind]
            what, member = OPENS[opener]
            if (opener, event[member]) not in open_things:
                return [where + "No active %s %s" % (what, event[member])]
            if kind in CLOSES:
                open_things.remove((opener, event[member]))
    return []


def streams(events):
    """The stream of a connection. A RUN_ERROR between two runs refuses an input: for a client, the whole stream of that run."""
    whole, refused, running = [], [], False
    for event in events:
        if event["type"] == "RUN_ERROR" and not running:
            refused.append([event])
        else:
            whole.append(event)
        running = event["type"] not in ("RUN_FINISHED", "RUN_ERROR")
    return [whole, *refused]


def connection_faults(frames):
    faults, events = [], []
    for frame in frames:
        try:
            events.append(json.loads(frame))
        except ValueError as error:
            faults.append("no JSON: %s: %s" % (error, frame[:200]))
            continue
        faults += ["%s in %s" % (fault, frame[:300]) for fault in event_faults(events[-1])]
    return faults or [fault for stream in streams(events) for fault in order_faults(stream)]


class Rules:
    """These rules, with the same interface as the npm packages have in chat_page.py."""

    def faults(self, connections, inputs=()):
        found = ["connection %d: %s" % (number, fault) for number, frames in enumerate(connections) for fault in connection_faults(frames)]
        return found + ["the test's own input: " + fault for run_input in inputs for fault in value_faults(run_input, "input", "input")]

    def close(self):
        pass
