# SPDX-License-Identifier: GPL-3.0-or-later
"""The conformance suite of the Model Context Protocol, from npm, against lectern_conformance: the server with the tools, resources
and prompts that the suite's scenarios name. What needs none of those is asked of lectern itself too."""
import base64
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "contract"))
import harness  # noqa: E402
import npm  # noqa: E402

PROGRAM = harness.BUILD / "lectern_conformance"
SUITE = "node_modules/@modelcontextprotocol/conformance/dist/index.js"
SECONDS = 120
# Scenarios of an extension that Lectern does not have. One of them asks nothing.
TASKS = {"tasks-lifecycle", "tasks-capability-negotiation", "tasks-wire-fields", "tasks-request-state-removal", "tasks-mrtr-input",
         "tasks-request-headers", "tasks-dispatch-and-envelope", "tasks-required-task-error", "tasks-mrtr-composition"}
# What lectern serve passes without the names of the suite, by revision.
OF_EVERY_SERVER = {
    "2025-11-25": {"server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "server-session-lifecycle",
                   "server-sse-multiple-streams", "dns-rebinding-protection"},
    "2026-07-28": {"tools-list", "resources-list", "prompts-list", "server-sse-multiple-streams", "dns-rebinding-protection", "caching",
                   "sep-2164-resource-not-found", "http-header-validation"},
}
PNG = {"type": "image", "mimeType": "image/png"}
# What each tool answers without arguments and questions; the data of images and sounds apart.
CONTENTS = {
    "test_simple_text": [{"type": "text", "text": "This is a simple text response for testing."}],
    "test_image_content": [PNG],
    "test_audio_content": [{"type": "audio", "mimeType": "audio/wav"}],
    "test_embedded_resource": [{"type": "resource", "resource": {"uri": "test://embedded-resource", "mimeType": "text/plain",
                                                                 "text": "This is an embedded resource content."}}],
    "test_multiple_content_types": [{"type": "text", "text": "Multiple content types test:"}, PNG,
                                    {"type": "resource", "resource": {"uri": "test://mixed-content-resource", "mimeType": "application/json",
                                                                      "text": '{"test":"data","value":123}'}}],
    "test_error_handling": [{"type": "text", "text": "This tool intentionally returns an error for testing"}],
}
RESOURCES = {
    "test://static-text": ("text/plain", "text", "This is the content of the static text resource."),
    "test://watched-resource": ("text/plain", "text", "This is the content of the watched resource."),
    "test://template/7%208/data": ("application/json", "text", '{"id":"7 8","templateTest":true,"data":"Data for ID: 7 8"}'),
}
META = "io.modelcontextprotocol/"
CAPABILITIES = {"elicitation": {}, "sampling": {}, "roots": {}}


class ServerCase(unittest.TestCase):
    """A server of that program, without curricula and without sandboxes."""

    def serve(self, program, *words):
        workspace = harness.Workspace()
        self.addCleanup(workspace.close)
        with mock.patch.object(harness, "LECTERN", program):
            server = harness.Server(workspace, "--sandbox", "process", "--warm", "bare=0,data=0,plot=0", *words)
        self.addCleanup(lambda: self.assertEqual(server.close(), 0))
        return server


class SuiteCase(ServerCase):
    @classmethod
    def setUpClass(cls):
        cls.place = npm.folder("conformance", harness.ROOT / "tests/conformance")

    def run_suite(self, server, revision):
        """{scenario: (checks passed, checks failed)} and what the suite has printed."""
        with tempfile.TemporaryDirectory() as out:
            done = subprocess.run([self.place / npm.NODE, self.place / SUITE, "server", "--url", "http://127.0.0.1:%d/mcp" % server.port,
                                   "--requirements", revision, "--output-dir", out], cwd=self.place, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
        text = done.stdout.decode()
        lines = re.findall(r"^. (\S+): (\d+) passed, (\d+) failed$", text, re.MULTILINE)
        self.assertGreater(len(lines), 30, text)
        return {name: (int(passed), int(failed)) for name, passed, failed in lines}, text


class Suite(SuiteCase):
    def run_all(self, revision):
        results, text = self.run_suite(self.serve(PROGRAM, "--no-demo"), revision)
        failing = {name for name, (_, failed) in results.items() if failed}
        return sum(passed for passed, _ in results.values()), failing, text

    def test_2025_11_25(self):
        passed, failing, text = self.run_all("2025-11-25")
        self.assertEqual((passed, failing), (84, set()), text)

    def test_2026_07_28(self):
        passed, failing, text = self.run_all("2026-07-28")
        self.assertEqual(failing, TASKS, text)
        self.assertGreaterEqual(passed, 164, text)


class Lectern(SuiteCase):
    def test_scenarios_without_fixtures(self):
        server = self.serve(harness.LECTERN)
        for revision, names in OF_EVERY_SERVER.items():
            results, text = self.run_suite(server, revision)
            self.assertEqual({name: failed for name, (_, failed) in results.items() if failed and name in names}, {}, text)
            self.assertEqual(names - set(results), set())
            self.assertEqual([name for name in names if results[name][0] == 0], [], text)


def accept(**content):
    return {"action": "accept", "content": content}


class Contents(ServerCase):
    """What the suite does not look at: the contents, in both eras, and over stdio too."""

    def setUp(self):
        self.server = self.serve(PROGRAM, "--no-demo")

    def modern(self, method, capabilities=None, **params):
        """The result or the error of a request of 2026-07-28."""
        params["_meta"] = {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": capabilities or CAPABILITIES}
        name = params.get("name", params.get("uri"))
        headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Accept": "application/json, text/event-stream"}
        _, answer, back = self.server.http("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, **headers,
                                           **({"Mcp-Name": name} if name else {}))
        if back.get("Content-Type", "").startswith("text/event-stream"):
            answer = json.loads([line for line in answer.decode().splitlines() if line.startswith("data:")][-1][5:])
        return answer.get("result", answer.get("error"))

    def tool(self, name, **params):
        return self.modern("tools/call", name=name, **params)

    def test_tools(self):
        self.server.initialize()
        for name, expected in CONTENTS.items():
            results = [self.server.request("tools/call", {"name": name})["result"], self.tool(name)]
            for result in results:
                for part in result["content"]:
                    if "data" in part:
                        self.assertTrue(base64.b64decode(part.pop("data"), validate=True).startswith((b"\x89PNG", b"RIFF")))
                self.assertEqual(result["content"], expected)
                self.assertEqual(result["isError"], name == "test_error_handling")
            self.assertEqual((results[0].get("resultType"), results[1]["resultType"]), (None, "complete"))

    def test_resources_and_prompts(self):
        self.server.initialize()
        for uri, (mime, member, value) in RESOURCES.items():
            for result in (self.server.request("resources/read", {"uri": uri})["result"], self.modern("resources/read", uri=uri)):
                self.assertEqual(result["contents"], [{"uri": uri, "mimeType": mime, member: value}])
        (image,) = self.modern("resources/read", uri="test://static-binary")["contents"]
        self.assertTrue(base64.b64decode(image["blob"], validate=True).startswith(b"\x89PNG"))
        prompt = {"name": "test_prompt_with_arguments", "arguments": {"arg1": "hello", "arg2": "wörld"}}
        for result in (self.server.request("prompts/get", prompt)["result"], self.modern("prompts/get", **prompt)):
            self.assertEqual(result["messages"], [{"role": "user", "content": {
                "type": "text", "text": "Prompt with arguments: arg1='hello', arg2='wörld'"}}])
        embedded = self.modern("prompts/get", name="test_prompt_with_embedded_resource", arguments={"resourceUri": "test://any"})
        self.assertEqual([message["content"].get("resource", {}).get("uri") for message in embedded["messages"]], ["test://any", None])
        complete = self.modern("completion/complete", ref={"type": "ref/prompt", "name": "test_prompt_with_arguments"},
                               argument={"name": "arg1", "value": "pa"})
        self.assertEqual(complete["completion"]["values"], ["paris", "park", "party"])

    def test_questions_without_sessions(self):
        name = "test_input_required_result_elicitation"
        asked = self.tool(name)
        self.assertEqual((asked["resultType"], asked["inputRequests"]), ("input_required", {"user_name": {
            "method": "elicitation/create", "params": {"message": "What is your name?", "requestedSchema": {
                "type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}}}}))
        for missing in ({}, {"other": accept(name="Ada")}, {"user_name": {"action": "decline"}}):
            self.assertEqual(self.tool(name, inputResponses=missing)["inputRequests"], asked["inputRequests"])
        result = self.tool(name, inputResponses={"user_name": accept(name="Ada"), "other": accept()})
        self.assertEqual(result["content"], [{"type": "text", "text": "Hello, Ada!"}])
        prompt = self.modern("prompts/get", name="test_input_required_result_prompt", inputResponses={"user_context": accept(context="tests")})
        self.assertEqual(prompt["messages"][0]["content"]["text"], "The context is tests.")

    def test_kept_state(self):
        name = "test_input_required_result_multi_round"
        first = self.tool(name)
        second = self.tool(name, inputResponses={"step1": accept(name="Ada")}, requestState=first["requestState"])
        self.assertEqual(list(second["inputRequests"]), ["step2"])
        done = self.tool(name, inputResponses={"step2": accept(color="blue")}, requestState=second["requestState"])
        self.assertEqual(done["content"][0]["text"], "Your favorite color is blue.")
        other = self.tool("test_input_required_result_request_state")["requestState"]
        changed = first["requestState"]
        changed = changed[:-3] + ("B" if changed[-3] == "A" else "A") + changed[-2:]
        for state in (other, changed, "", 7, first["requestState"] + "x"):
            answer = self.tool(name, inputResponses={"step1": accept(name="Ada")}, requestState=state)
            self.assertEqual(answer.get("code"), -32602, answer)

    def test_only_what_the_client_can_answer(self):
        asked = self.tool("test_input_required_result_capabilities", capabilities={"sampling": {}})
        self.assertEqual(list(asked["inputRequests"]), ["greeting"])
        refused = self.tool("test_missing_capability", capabilities={"elicitation": {}})
        self.assertEqual((refused["code"], refused["data"]), (-32021, {"requiredCapabilities": {"sampling": {}}}))

    def test_over_stdio(self):
        """Questions come as requests on the same line, and what is told meanwhile before the answer, in its order."""
        workspace = harness.Workspace()
        self.addCleanup(workspace.close)
        with mock.patch.object(harness, "LECTERN", PROGRAM):
            client = harness.Stdio(workspace, "--sandbox", "process", "--warm", "bare=0,data=0,plot=0")
        client.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": CAPABILITIES, "clientInfo": {"name": "test", "version": "1"}})
        client.notify("notifications/initialized")
        client.request("logging/setLevel", {"level": "info"})
        client.request("tools/call", {"name": "test_tool_with_logging"})
        self.assertEqual([client.notification("notifications/message")["data"] for _ in range(3)],
                         ["Tool execution started", "Tool processing data", "Tool execution completed"])
        client.request("tools/call", {"name": "test_tool_with_progress"}, meta={"progressToken": "here"})
        self.assertEqual([client.notification("notifications/progress") for _ in range(3)],
                         [{"progressToken": "here", "progress": done, "total": 100} for done in (0, 50, 100)])
        client.send({"jsonrpc": "2.0", "id": 70, "method": "tools/call", "params": {"name": "test_elicitation", "arguments": {"message": "Who?"}}})
        question = client.take("elicitation/create")
        self.assertEqual(question["params"]["message"], "Who?")
        client.send({"jsonrpc": "2.0", "id": question["id"], "result": accept(username="ada", email="a@example.org")})
        text = client.receive(70)["result"]["content"][0]["text"]
        self.assertEqual(json.loads(text.removeprefix("User response: ")), accept(username="ada", email="a@example.org"))
        self.assertEqual(client.close(), 0)


class Product(unittest.TestCase):
    def test_nothing_of_the_suite_is_in_it(self):
        names = re.findall(rb"\btest_[a-z]{3,}_[a-z0-9_]{3,}\b|test://[a-z-]{3,}", PROGRAM.read_bytes())
        self.assertGreater(len(set(names)), 25)
        self.assertEqual({name for name in names if name in harness.LECTERN.read_bytes()}, set())


if __name__ == "__main__":
    unittest.main(verbosity=2)
