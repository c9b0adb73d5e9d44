# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks of the frames for pages: they accept every kind of frame that the chat can write, as written by its unit test, and refuse
streams with an error. Rules is agui.py; Packages is AG-UI's own schemas and order. Both must agree on each stream."""
import functools
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import agui
import chat_page
import harness


@functools.cache
def frames():
    """What the unit test writes: 20 kinds of frames, an order that is valid."""
    with tempfile.TemporaryDirectory(prefix="lectern-frames-") as folder:
        path = pathlib.Path(folder) / "frames"
        subprocess.run([str(harness.BUILD / "tests/unit/test_chat_agui")], capture_output=True, timeout=120, cwd=harness.ROOT,
                       env=dict(os.environ, LECTERN_FRAMES=str(path)), check=True)
        return path.read_text().splitlines()


def event(kind, **members):
    return json.dumps({"type": kind, **members})


def run(*events):
    return [event("RUN_STARTED", threadId="t", runId="r"), *events]


DONE = event("RUN_FINISHED", threadId="t", runId="r")
START, END = event("TEXT_MESSAGE_START", messageId="m", role="assistant"), event("TEXT_MESSAGE_END", messageId="m")
CALL, RESULT = event("TOOL_CALL_START", toolCallId="c", toolCallName="x"), {"messageId": "m", "toolCallId": "c"}
ERROR = event("RUN_ERROR", message="x")


def ended(**members):
    return run(event("RUN_FINISHED", threadId="t", runId="r", **members))


def snapshot(**message):
    return run(event("MESSAGES_SNAPSHOT", messages=[message]), DONE)


VALID = (
    [], run(DONE), run(ERROR), [ERROR], [*run(DONE), *run(DONE)], [*run(ERROR), *run(DONE)], [*run(DONE), ERROR, *run(DONE)],
    [ERROR, ERROR], run(START, END, START, END, DONE), run(START), run(CALL, ERROR),
    run(event("TOOL_CALL_RESULT", content="x", **RESULT), DONE),
    run(event("TOOL_CALL_RESULT", content=[{"type": "image", "source": {"type": "data", "value": "", "mimeType": "image/png"}}], **RESULT)),
    run(event("STATE_DELTA", delta=[{"op": "remove", "path": "/a"}]), event("CUSTOM", name="x", value=None)),
    ended(outcome={"type": "interrupt", "interrupts": [{"id": "i", "reason": "x"}]}), ended(usage=[{"inputTokens": 1}]),
    snapshot(id="m", role="assistant", toolCalls=[{"id": "c", "type": "function", "function": {"name": "x", "arguments": "{}"}}]),
)
# Of each what the faults name.
FAULTY = (
    ([START], "RUN_STARTED"),
    (run(event("TEXT_MESSAGE_CONTENT", messageId="m", delta="x")), "No active text message"),
    (run(event("TEXT_MESSAGE_START", messageId=None)), "messageId"),
    (run(event("TEXT_MESSAGE_START", messageId="m", role="tool")), "role"),
    (run(START, START), "already"), (run(START, DONE), "active"), (run(END), "TEXT_MESSAGE_END"), (run(CALL, CALL), "already"),
    (run(CALL, DONE), "active"), (run(event("TOOL_CALL_ARGS", toolCallId="c", delta="")), "No active tool call"),
    (run(event("TOOL_CALL_END", toolCallId="c")), "TOOL_CALL_END"), (run(event("TOOL_CALL_START", toolCallId="c")), "toolCallName"),
    (run(event("STEP_STARTED", stepName="s"), DONE), "active"), (run(event("STEP_FINISHED", stepName="s")), "STEP_FINISHED"),
    (run(event("REASONING_START", messageId="m"), DONE), "active"), (run(event("REASONING_END", messageId="m")), "REASONING_END"),
    (run(event("REASONING_MESSAGE_CONTENT", messageId="m", delta="x")), "No active reasoning message"),
    (run(event("REASONING_MESSAGE_START", messageId="m")), "role"),
    (run(*run()), "RUN_STARTED"), (run(DONE, START), "finished"), (run(ERROR, DONE), "RUN_FINISHED"),
    (ended(extra=1), "extra"), (ended(outcome={"type": "done"}), "outcome"),
    (ended(outcome={"type": "interrupt", "interrupts": [{"id": "i"}]}), "reason"),
    (ended(outcome={"type": "interrupt", "interrupts": [{"id": "i", "reason": "x", "y": 1}]}), "y"),
    (ended(usage=[{"tokens": 1}]), "tokens"), (ended(usage=[{"inputTokens": "1"}]), "inputTokens"),
    (run(event("TOOL_CALL_RESULT", content=[{"type": "image"}], **RESULT)), "content"),
    (run(event("TOOL_CALL_RESULT", content=1, **RESULT)), "content"),
    (run(event("STATE_DELTA", delta=[{"op": "put", "path": "/a"}])), "delta"), (run(event("STATE_DELTA", delta={})), "delta"),
    (run(event("ACTIVITY_SNAPSHOT", messageId="m", activityType="x", content="text")), "content"),
    (run(event("REASONING_ENCRYPTED_VALUE", subtype="x", entityId="e", encryptedValue="v")), "subtype"),
    (snapshot(id="m", role="nobody", content="x"), "role"), (snapshot(id="m", role="tool", content="x"), "toolCallId"),
    (snapshot(id="m", role="assistant", toolCalls=[{"id": "c"}]), "toolCalls"),
    (run(event("NEWS")), "NEWS"), (run(event("CUSTOM", name=1, value=1)), "name"), (run("{"), "no JSON"),
    (run(event("CUSTOM", name="x", value=1, metadata=[])), "metadata"),
    (run(event("CUSTOM", name="x", value=1, timestamp=1.5)), "timestamp"),
)
INPUT = {"threadId": "t", "runId": "r", "messages": [{"id": "m", "role": "user", "content": "x"}], "tools": [], "context": []}


class Rules(unittest.TestCase):
    make = agui.Rules

    def setUp(self):
        self.check = self.make()
        self.addCleanup(self.check.close)

    def test_what_the_chat_writes(self):
        self.assertEqual(len({json.loads(frame)["type"] for frame in frames()}), 20)
        self.assertEqual(self.check.faults([frames()]), [])
        text = "\n".join(frames())
        for old, new in (('"toolCallName"', '"x":1,"toolCallName"'), ('"role":"tool"', '"role":null')):
            self.assertIn(old, text)
            self.assertTrue(self.check.faults([text.replace(old, new).splitlines()]), new)

    def test_a_beginning_left_out(self):
        for number, frame in enumerate(frames()):
            if json.loads(frame)["type"] in agui.OPENS:
                self.assertTrue(self.check.faults([frames()[:number] + frames()[number + 1:]]), frame)

    def test_streams(self):
        for stream in VALID:
            self.assertEqual(self.check.faults([stream]), [], stream)
        for stream, named in FAULTY:
            faults = self.check.faults([stream])
            self.assertIn(named, "\n".join(faults), stream)

    def test_inputs(self):
        self.assertEqual(self.check.faults([], [INPUT, {**INPUT, "resume": [{"interruptId": "i", "status": "resolved"}]}]), [])
        for changed in ({"threadId": None}, {"messages": [{"id": "m"}]}, {"context": [{"description": "x"}]},
                        {"resume": [{"interruptId": "i", "status": "open"}]}):
            self.assertTrue(self.check.faults([], [{**INPUT, **changed}]), changed)


class Packages(Rules):
    make = chat_page.Packages

    def test_both_agree(self):
        """About what the chat writes with any frame left out, sent twice, or behind the next one."""
        rules = agui.Rules()
        for number, frame in enumerate(frames()):
            before, behind = frames()[:number], frames()[number + 1:]
            for stream in ([*before, *behind], [*before, frame, frame, *behind], [*before, *behind[:1], frame, *behind[1:]]):
                ours, theirs = rules.faults([stream]), self.check.faults([stream])
                self.assertEqual(bool(ours), bool(theirs), (frame, ours, theirs))


if __name__ == "__main__":
    unittest.main()
