# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulated service detects violations of the Messages API: one valid request, then one error after another."""
import copy
import http.client
import json
import pathlib
import socket
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "parts"))
from replay_model import KEY, Replay, answer, call, drop, fail, hold, text, thinking  # noqa: E402

HEADERS = {"anthropic-version": "2026-10-21", "content-type": "application/json", "x-api-key": KEY}
MARK = {"type": "ephemeral"}
GOOD = {
    "model": "m", "max_tokens": 2000, "stream": True, "system": [{"type": "text", "text": "s", "cache_control": MARK}],
    "tools": [{"name": "look", "description": "d", "input_schema": {"type": "object"}, "cache_control": MARK}],
    "messages": [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "c2lnbmVk"},
                                          {"type": "text", "text": "I look."},
                                          {"type": "tool_use", "id": "c1", "name": "look", "input": {}},
                                          {"type": "tool_use", "id": "c2", "name": "look", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "x"},
                                     {"type": "tool_result", "tool_use_id": "c2", "content": [{"type": "text", "text": "y"}],
                                      "is_error": True, "cache_control": MARK}]}]}


def results(body):
    return body["messages"][2]["content"]


def said(body):
    return body["messages"][1]["content"]


def mark_all(body):
    for block in said(body)[1:]:
        block["cache_control"] = MARK


# What is done to the good request, and a word of the violation.
FAULTS = (
    (lambda b: b.update(temperature=1), "temperature"),
    (lambda b: b.update(stream=False), "stream"),
    (lambda b: b.update(max_tokens=0), "max_tokens"),
    (lambda b: b.pop("model"), "model"),
    (lambda b: b.update(messages=[]), "messages: none"),
    (lambda b: b["messages"].pop(0), "begin with"),
    (lambda b: b["messages"].pop(), "last message has calls"),
    (lambda b: b["messages"].append({"role": "user", "content": "x"}), "in a row"),
    (lambda b: b["messages"].append({"role": "note", "content": "x"}), "role 'note'"),
    (lambda b: b["messages"][0].update(id="m1"), "members"),
    (lambda b: b["messages"][0].update(content=""), "no content"),
    (lambda b: results(b).pop(), "results of ['c1']"),
    (lambda b: results(b).append(dict(results(b)[0])), "results of"),
    (lambda b: results(b).insert(0, {"type": "text", "text": "x"}), "not first"),
    (lambda b: results(b)[0].update(is_error="no"), "is_error"),
    (lambda b: results(b)[0].update(content=[{"type": "image", "source": {"type": "base64", "data": ""}}]), "image"),
    (lambda b: said(b)[0].update(thinking="HM"), "not sent so"),
    (lambda b: said(b).pop(0), "missing, or in another order"),
    (lambda b: said(b).insert(3, said(b).pop(0)), "missing, or in another order"),
    (lambda b: said(b)[1].update(text=" \n"), "without text"),
    (lambda b: said(b)[1].update(shown=1), "members ['shown']"),
    (lambda b: said(b)[2].update(input="{}"), "no object"),
    (lambda b: said(b)[3].update(id="c1"), "second time"),
    (lambda b: b["tools"].append(dict(b["tools"][0])), "a name twice"),
    (lambda b: b["tools"][0].update(input_schema={}), "schema"),
    (lambda b: b["tools"][0].update(name="a b"), "no good name"),
    (lambda b: b.pop("tools"), "while messages have calls"),
    (mark_all, "6 cache marks"),
    (lambda b: b["system"][0].update(cache_control={"type": "x"}), "cache_control"),
    (lambda b: said(b)[0].update(cache_control=MARK), "mark on thinking"),
    (lambda b: b.update(thinking={"type": "enabled", "budget_tokens": 2000}), "budget_tokens"),
    (lambda b: b.update(thinking={"type": "adaptive"}, tool_choice={"type": "any"}), "forces a call"),
    (lambda b: b["messages"][0].update(content="a\0"), "NUL"),
    (lambda b: b["messages"][0].update(content="\ud83e"), "half a character"),
)


def post(model, body, headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", model.port, timeout=20)
    try:
        connection.request("POST", "/v1/messages", json.dumps(body), headers or HEADERS)
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


def first_answer():
    return answer(thinking("hm"), text("I look."), call("look", {}, id="c1"), call("look", {}, id="c2"))


class Rules(unittest.TestCase):
    def ask_twice(self, body, headers=None):
        """The first answer has what the second request sends back."""
        with Replay([first_answer(), answer(text("Done."))]) as model:
            post(model, dict(GOOD, messages=GOOD["messages"][:1]))
            post(model, body, headers)
            self.assertEqual(model.requests[0].violations, [])
            return model.requests[1].violations

    def test_good_request(self):
        self.assertEqual(self.ask_twice(GOOD), [])

    def test_each_fault_is_seen(self):
        for spoil, words in FAULTS:
            body = copy.deepcopy(GOOD)
            spoil(body)
            with self.subTest(words):
                self.assertIn(words, "\n".join(self.ask_twice(body)))

    def test_a_paused_answer_goes_back(self):
        """As it came, and last; after any other stop reason, or otherwise than it came, it may not."""
        one = GOOD["messages"][:1]
        for stop, back, good in (("pause_turn", "I look", True), ("end_turn", "I look", False), ("pause_turn", "I looked", False)):
            with self.subTest(stop=stop, back=back), Replay([answer(text("I look"), stop=stop), answer(text("Done."))]) as model:
                post(model, dict(GOOD, messages=one))
                post(model, dict(GOOD, messages=[*one, {"role": "assistant", "content": [{"type": "text", "text": back}]}]))
                self.assertEqual(model.requests[1].violations == [], good)

    def test_headers(self):
        for name, value, words in (("anthropic-version", "2020-01-01", "anthropic-version"), ("x-api-key", "other", "the key"),
                                   ("authorization", "Bearer " + KEY, "the key"), ("content-type", "text/plain", "content-type")):
            with self.subTest(name):
                self.assertIn(words, "\n".join(self.ask_twice(GOOD, dict(HEADERS, **{name: value}))))


class Playing(unittest.TestCase):
    ONE = dict(GOOD, messages=GOOD["messages"][:1])

    def test_end_of_the_script(self):
        with Replay([fail(429, "rate_limit_error", "slow", retry_after=7)]) as model:
            response, _ = post(model, self.ONE)
            self.assertEqual((response.status, response.getheader("retry-after")), (429, "7"))
            model.check()
            self.assertEqual(post(model, self.ONE)[0].status, 500)
            self.assertRaisesRegex(AssertionError, "no answer for it", model.check)

    def test_bytes_are_cut_and_lost(self):
        whole = answer(text("w\u00f6rld \U0001f984", units=1), newline="\r\n", chunk=1)
        with Replay(lambda request: whole if len(request.json["messages"]) == 1 else
                    answer(text("Hello", cut=2), drop())) as model:
            data = post(model, self.ONE)[1]
            self.assertEqual(data, b"".join(value for kind, value in whole.steps if kind == "send"))
            self.assertIn(b"\\ud83e", data)
            self.assertRaises((ConnectionError, http.client.IncompleteRead), post, model, GOOD)

    def test_client_that_leaves(self):
        with Replay([answer(text("Hello"), hold())]) as model:
            body = json.dumps(self.ONE).encode()
            with socket.create_connection(("127.0.0.1", model.port)) as connection:
                connection.sendall(b"POST /v1/messages HTTP/1.1\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body))
                self.assertIn(b"200", connection.recv(100))
                self.assertIsNone(model.requests[0].closed)
            self.assertIsNotNone(model.wait_closed(0))


if __name__ == "__main__":
    unittest.main()
