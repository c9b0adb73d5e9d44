# SPDX-License-Identifier: GPL-3.0-or-later
"""The solutions of the code exercises that an editing tool saves: they run before the write, and the answer says which of them fail."""
import json
import os
import threading
import time
import unittest

import harness
from test_confirm import FORM, modern_meta
from test_mcp import modern_headers

RIGHT = "def area(a, b):\n    return a * b\n"
WRONG = "def area(a, b):\n    return a + b\n"
HANGING = "def area(a, b):\n    while True:\n        pass\n"
MISSING = "It has no solution, so nothing was checked."
PASSES = "Its solution passes 2 of 2 cases."
NOWHERE = ("--sandbox", "docker", "--docker-host", "unix:///no/such/socket")


def exercise(solution=RIGHT, **more):
    """Parameters: the second case is hidden. A solution of None is left out."""
    parameters = {"prompt": "Write area(a, b).", "solution": solution, "time_s": 0.3,
                  "cases": [{"call": "area", "args": [2, 3], "expect": 6}, {"call": "area", "args": [4, 5], "expect": 20, "hidden": True}], **more}
    return {name: value for name, value in parameters.items() if value is not None}


def component(*arguments, **more):
    return {"type": "exercise-code", "parameters": exercise(*arguments, **more)}


class Case(unittest.TestCase):
    words = ("--sandbox", os.environ.get("LECTERN_SANDBOX", harness.LOCAL), "--warm", "bare=2,data=0,plot=0")

    @classmethod
    def setUpClass(cls):
        cls.workspace = harness.Workspace()
        cls.addClassCleanup(cls.workspace.close)
        cls.server = harness.Server(cls.workspace, "--no-demo", *cls.words)
        cls.addClassCleanup(cls.end)
        cls.server.initialize()

    @classmethod
    def end(cls):
        if cls.server.process.returncode is None:
            status = cls.server.close()
            assert status == 0, (status, cls.server.lines)

    def setUp(self):
        self.sid = self.server.http("POST", "/session/create")[1]["session_id"]
        self.server.http("POST", "/session/%s/nodes/N001/components/insert" % self.sid,
                         {"type": "worked-example", "parameters": {"problem": "p", "solution": "s", "answer": "a"}})

    def good(self, tool, **arguments):
        return self.server.good(tool, session_id=self.sid, **arguments)

    def add(self, *arguments, **more):
        """The last line of the answer."""
        parameters = exercise(*arguments, **more)
        return self.good("add_component", node_id="N001", component_type="exercise-code", parameters=parameters).splitlines()[-1]

    def edit(self, **parameters):
        """The lines after the first; of the newest component."""
        return self.good("edit_component", node_id="N001", component_order=len(self.components()), new_parameters=parameters).splitlines()[1:]

    def change(self, *operations, **more):
        return self.good("change_curriculum", operations=list(operations), **more)

    def components(self):
        return self.server.http("GET", "/session/%s/nodes/N001/components" % self.sid)[1]["components"]

    def metric(self, name):
        text = self.server.http("GET", "/metrics")[1].decode()
        return next(float(line.split()[1]) for line in text.splitlines() if line.startswith(name + " "))

    def started(self):
        return self.metric("lectern_run_attempts_total")


class Solutions(Case):
    def test_one_exercise(self):
        for solution, said in (
                (RIGHT, PASSES), (None, MISSING), ("", MISSING),
                (WRONG, "Its solution fails 2 of 2 cases: area(2, 3) returned 5; expected 6."),
                ("def area(a, b):\n    return 6\n", "Its solution fails 1 of 2 cases: area(4, 5) returned 6; expected 20."),
                ("def area(a, b):\n    return [][a]\n", "Its solution fails 2 of 2 cases: area(2, 3) failed: IndexError: list index out of range."),
                ("x = int('x')\n", "Its solution fails 2 of 2 cases: ValueError: invalid literal for int() with base 10: 'x'"),
                (HANGING, "Its solution fails 2 of 2 cases: the program was stopped: it ran for more than 0.3 s."),
                ("import os\n", "Its solution is refused: line 1: Import 'os' is not allowed")):
            with self.subTest(solution):
                before = len(self.components())
                self.assertTrue(self.add(solution).startswith(said), said)
                self.assertEqual(len(self.components()), before + 1)

    def test_an_edit_is_merged_first(self):
        self.assertEqual(self.add(WRONG).split(":")[0], "Its solution fails 2 of 2 cases")
        self.assertEqual(self.edit(solution=RIGHT), [PASSES])
        cases = [{"call": "area", "args": [2, 3], "expect": 7}]
        self.assertEqual(self.edit(cases=cases), ["Its solution fails 1 of 1 cases: area(2, 3) returned 6; expected 7."])
        self.assertEqual(self.edit(cases=[{"call": "area", "args": [0.1, 3], "expect": 0.3}]),
                         ["Its solution fails 1 of 1 cases: area(0.1, 3) returned 0.30000000000000004; expected 0.3."])
        self.assertEqual(self.edit(compare="approximate"), ["Its solution passes 1 of 1 cases."])
        self.assertEqual(self.edit(solution=""), [MISSING])

    def test_what_changes_no_result_runs_nothing(self):
        other = {"node_id": "N001", "component_order": 1}  # a worked example, which has a solution too
        self.good("edit_component", **other, new_parameters={"solution": "def"})
        self.add()
        before = self.started()
        self.assertEqual(self.edit(prompt="Write the function area(a, b)."), [])
        self.assertEqual(self.edit(solution=RIGHT), [])  # it was so already
        self.good("edit_component", **other, new_parameters={"solution": RIGHT})
        self.assertEqual(self.components()[0]["parameters"]["solution"], RIGHT)
        is_error, text = self.server.call("add_component", session_id=self.sid, node_id="N001", component_type="exercise-code",
                                          parameters=exercise(cases=[]))
        self.assertTrue(is_error)
        self.assertNotIn("olution passes", text)
        self.assertEqual(self.started(), before)

    def test_several_of_a_batch(self):
        text = self.good("batch_add_components", node_id="N001", components=[
            component(), component(None), component(WRONG), {"type": "heading", "parameters": {"text": "x"}}, component(), component("")])
        self.assertEqual(text.splitlines()[1:], [
            "The solutions of 2 of 5 exercises pass all cases.", "N001 component 3, N001 component 7: there is no solution, so nothing was checked.",
            "N001 component 4: the solution fails 2 of 2 cases: area(2, 3) returned 5; expected 6."])

    def test_operations_build_on_each_other(self):
        operations = [{"op": "create_component", "node_id": "N001", "component_type": "exercise-code", "parameters": exercise(WRONG), "position": 1},
                      {"op": "edit_component", "node_id": "N001", "component_id": "$0", "new_parameters": {"solution": RIGHT}},
                      {"op": "create_component", "node_id": "N900", "component_type": "exercise-code", "parameters": json.dumps(exercise(WRONG))}]
        said = ["The solutions of 1 of 2 exercises pass all cases.", "N900 component 1: the solution fails 2 of 2 cases: area(2, 3) returned 5; expected 6."]
        operations.insert(0, {"op": "create_node", "node_id": "N900", "title": "Two"})
        operations[2]["component_id"] = "$1"
        text = self.change(*operations, dry_run=True)
        self.assertIn("\n".join(["", *said, ""]), text)
        self.assertEqual(len(self.components()), 1)
        self.assertIn("\n".join(["", *said, ""]), self.change(*operations))
        self.assertEqual(len(self.components()), 2)

    def test_a_bad_operation_that_is_left_out(self):
        bad = {"op": "create_component", "node_id": "N001", "component_type": "exercise-code", "parameters": exercise(cases=[])}
        good = dict(bad, parameters=exercise())
        self.assertIn("\n%s\n" % PASSES, self.change(bad, good, keep_going=True))

    def test_an_import_says_that_it_checks_nothing(self):
        before = self.started()
        nodes = [{"node_id": "N001", "title": "One", "components": [component(WRONG), component(None), component()]}]
        text = self.server.good("import_curriculum", text=json.dumps({"title": "One", "nodes": nodes, "relationships": []}))
        self.assertEqual(text.splitlines()[-1], "Not checked: the solutions of 2 code exercises.")
        self.assertEqual(self.started(), before)

    def test_a_repeated_call_gets_the_same_answer(self):
        arguments = {"node_id": "N001", "component_type": "exercise-code", "parameters": exercise(WRONG), "idempotency_key": "one"}
        text = self.good("add_component", **arguments)
        self.assertIn("Its solution fails", text)
        before = self.started()
        self.assertEqual(self.good("add_component", **arguments), text)
        self.assertEqual(self.started(), before)
        self.assertEqual(len(self.components()), 2)


class Many(Case):
    def test_at_most_twenty_are_checked(self):
        before = self.started()
        text = self.good("batch_add_components", node_id="N001", components=[component() for _ in range(21)])
        self.assertEqual(text.splitlines()[1:], ["The solutions of 20 of 21 exercises pass all cases.", "1 exercise was not checked: at most 20 are in one call."])
        self.assertEqual(self.started(), before + 20)
        self.assertEqual(len(self.components()), 22)

    def test_the_answer_stays_small(self):
        text = self.good("batch_add_components", node_id="N001", components=[component("import os%d\n" % place + "#" * 9999) for place in range(20)])
        self.assertLess(len(text), 6000)


class Ended(Case):
    """A check that its client does not wait for."""

    def slow(self, count):
        parameters = {"name": "batch_add_components", "arguments": {
            "session_id": self.sid, "node_id": "N001", "components": [component(HANGING, time_s=5) for _ in range(count)]}}
        return {"jsonrpc": "2.0", "id": 900, "method": "tools/call", "params": parameters}

    def wait_for(self, name, number):
        until = time.monotonic() + harness.ANSWER_SECONDS
        while self.metric(name) != number:
            self.assertLess(time.monotonic(), until, name)
            time.sleep(0.02)

    def test_a_cancelled_call(self):
        before = self.metric("lectern_run_attempts_total")
        client = harness.Client(self.server.port)
        client.session, client.version = self.server.session, self.server.version
        thread = threading.Thread(target=lambda: client.post(self.slow(20)))
        thread.start()
        self.wait_for("lectern_runs_running", 1)
        self.server.notify("notifications/cancelled", {"requestId": 900})
        self.wait_for("lectern_runs_running", 0)
        self.wait_for("lectern_mcp_calls", 0)
        thread.join()
        client.connection.close()
        self.assertEqual(self.metric("lectern_run_attempts_total"), before + 1)
        self.assertEqual(len(self.components()), 1)
        self.assertEqual(self.add(), PASSES)

    def test_the_server_ends(self):
        client = harness.Stdio(self.workspace, *self.words)
        client.initialize()
        client.send(self.slow(20))
        seen = {}
        until = time.monotonic() + harness.ANSWER_SECONDS
        while True:  # an interpreter has begun to hang
            used = {pid: seconds for pid, seconds in harness.descendants(client.process.pid).items() if harness.is_interpreter(pid)}
            if any(seconds > seen.setdefault(pid, seconds) + 0.5 for pid, seconds in used.items()):
                break
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)
        client.process.terminate()
        self.assertEqual(client.close(), 0)
        self.assertEqual(len(self.components()), 1)


class Asked(Case):
    def call(self, **more):
        """The result; the person at the client is asked first, since something is deleted."""
        operations = [{"op": "delete_component", "node_id": "N001", "component_order": 1},
                      {"op": "create_component", "node_id": "N001", "component_type": "exercise-code", "parameters": exercise()}]
        params = {"name": "change_curriculum", "arguments": {"session_id": self.sid, "operations": operations}, "_meta": modern_meta(FORM), **more}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        return self.server.http("POST", "/mcp", message, **modern_headers(message))[1]["result"]

    def test_the_person_agrees_first(self):
        before = self.started()
        state = self.call()["requestState"]
        self.assertEqual(self.started(), before)
        result = self.call(requestState=state, inputResponses={"confirm": {"action": "accept", "content": {}}})
        self.assertIn("\n%s\n" % PASSES, result["content"][0]["text"])
        self.assertEqual([one["type"] for one in self.components()], ["exercise-code"])


class InFrontOfAService(Case):
    @classmethod
    def setUpClass(cls):
        workspace = harness.Workspace()
        cls.addClassCleanup(workspace.close)
        service = harness.Server(workspace, "--no-demo", *NOWHERE)
        cls.addClassCleanup(service.close)
        cls.words = (*Case.words, "--store", "http://127.0.0.1:%d" % service.port)
        super().setUpClass()

    def test_edits(self):
        self.assertEqual(self.add(WRONG).split(":")[0], "Its solution fails 2 of 2 cases")
        self.assertEqual(self.edit(solution=RIGHT), [PASSES])
        text = self.good("batch_add_components", node_id="N001", components=[component(), component()])
        self.assertIn("\nThe solutions of 2 of 2 exercises pass all cases.", text)
        self.assertEqual(len(self.components()), 4)


class WithoutSandbox(Case):
    words = NOWHERE

    def test_all_is_saved(self):
        self.assertEqual(self.add(), "Not checked: no sandbox is available.")
        self.assertEqual(self.add(None), MISSING)
        self.assertEqual(self.edit(solution=WRONG), ["Not checked: no sandbox is available."])
        text = self.good("batch_add_components", node_id="N001", components=[component(), component()])
        self.assertEqual(text.splitlines()[1:], ["N001 component 4, N001 component 5: not checked: no sandbox is available."])
        self.assertEqual(len(self.components()), 5)


if __name__ == "__main__":
    unittest.main()
