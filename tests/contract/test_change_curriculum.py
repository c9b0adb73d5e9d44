# SPDX-License-Identifier: GPL-3.0-or-later
"""change_curriculum and POST /session/{sid}/changes as clients use them, keys that prevent a call from being applied twice, and the answers
of create_relationship to duplicates and cycles. No analysis runs."""
import datetime
import json
import re
import threading
import unittest

import harness


def node(node_id, title):
    return {"node_id": node_id, "title": title, "components": [
        {"type": "heading", "order": 1, "parameters": {"text": "About " + title}},
        {"type": "paragraph", "order": 2, "parameters": {"text": "More on " + title}}]}


def edge(start, end, kind="PREREQUISITE", explanation=""):
    return {"from_node_id": start, "to_node_id": end, "relationship_type": kind, "explanation": explanation}


CURRICULUM = {
    "meta": {"title": "Five in a row"},
    "nodes": [node("N%03d" % i, title) for i, title in enumerate(("Counting", "Adding", "Taking away", "Times", "Sharing"), 1)],
    "relationships": [edge("N001", "N002", explanation="Adding is counting on"), edge("N002", "N003"), edge("N003", "N004"),
                      edge("N004", "N005"), edge("N001", "N003", "LEADS_TO")]}


class Case(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.sid = self.load()

    def tearDown(self):
        self.workspace.close()

    def load(self):
        path = self.workspace.data + "/five.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(CURRICULUM, file)
        return self.workspace.load(path)

    def export(self, sid=None):
        return json.loads(self.workspace.run("export", sid or self.sid).stdout)

    def node(self, node_id):
        return next((n for n in self.export()["nodes"] if n["node_id"] == node_id), None)

    def stdio(self, *words):
        client = harness.Stdio(self.workspace, *words)
        client.initialize()
        self.addCleanup(lambda: client.process.poll() is None and client.close())
        return client

    def bad(self, client, tool, *says, **arguments):
        """The text of a refused call, which says all of that."""
        is_error, text = client.call(tool, **arguments)
        self.assertTrue(is_error, text)
        for word in says:
            self.assertIn(word, text)
        return text


class Tool(Case):
    def test_a_dry_run_tells_and_the_same_call_does(self):
        client = self.stdio()
        before = self.export()
        operations = [{"op": "delete_node", "node_id": "N002"},
                      {"op": "create_relationship", "from_node_id": "N005", "to_node_id": "N003",
                       "relationship_type": "PREREQUISITE"}]
        text = client.good("change_curriculum", operations=operations, dry_run=True)
        for says in ("Dry run, nothing was changed", 'N002 "Adding" with its 2 components and 2 relationships',
                     'New prerequisite cycle: N003 "Taking away" -> N004 "Times" -> N005 "Sharing" -> N003.',
                     "No node is cut off", "Longest prerequisite chain: 4 steps before, 0 after", "Downstream of the change",
                     'N003 "Taking away", N004 "Times", N005 "Sharing"'):
            self.assertIn(says, text)
        self.assertNotIn("change set", text)
        self.assertEqual(self.export(), before)
        text = client.good("change_curriculum", operations=json.dumps(operations))
        self.assertRegex(text, r"^Did 2 of 2 operations \(change set [0-9a-f-]{36}, now version \d+\):\n- Deleted node N002")
        self.assertIn("New prerequisite cycle", text)
        self.assertNotIn("No node is cut off", text)
        self.assertIsNone(self.node("N002"))
        self.assertEqual(client.close(), 0)

    def test_what_is_cut_off(self):
        client = self.stdio()
        text = client.good("change_curriculum", operations=[{"op": "delete_node", "node_id": "N003"}])
        self.assertIn('N004 "Times" (nothing leads to it any more); and 1 that only', text)
        text = client.good("change_curriculum", operations=[{"op": "delete_node", "node_id": "N005"}])
        self.assertIn('N004 "Times" (no relationship is left)', text)
        self.assertEqual(client.close(), 0)

    def test_no_effect_on_the_graph_is_no_word(self):
        client = self.stdio()
        text = client.good("change_curriculum", operations=[
            {"op": "edit_component", "node_id": "N001", "component_order": 1, "new_parameters": {"text": "New"}}])
        self.assertEqual(len(text.strip().splitlines()), 2)
        self.assertIn('component 1 (heading) of N001 "Counting" (revision 2): text: [About Counting -> New]', text)
        self.assertEqual(client.close(), 0)

    def test_one_bad_operation(self):
        client = self.stdio()
        before = self.export()
        operations = [{"op": "rename_node", "node_id": "N001", "title": "Numbers"},
                      {"op": "delete_nod", "node_id": "N002"}, {"op": "delete_node", "node_id": "N0022"},
                      {"op": "rename_node", "node_id": "N003", "title": "Minus"}]
        self.bad(client, "change_curriculum", "operations.1 (delete_nod)", "did you mean 'delete_node'", "operations.2 (delete_node)",
                 "N002 'Adding'", "Nothing was done", operations=operations)
        self.assertEqual(self.export(), before)
        self.bad(client, "change_curriculum", "operations", operations={"op": "delete_node"})
        self.bad(client, "change_curriculum", "dry_run", "true or false", operations=operations, dry_run="perhaps")
        text = client.good("change_curriculum", operations=operations, keep_going=True)
        self.assertIn("Did 2 of 4 operations, 2 bad ones left out", text)
        self.assertIn("operations.2 (delete_node)", text)
        self.assertEqual([n["title"] for n in self.export()["nodes"]], ["Numbers", "Adding", "Minus", "Times", "Sharing"])
        self.assertEqual(client.close(), 0)

    def test_stale_calls_are_refused_with_what_is_there(self):
        client = self.stdio()
        client.good("edit_component", node_id="N001", component_order=1, new_parameters={"text": "Second"})
        self.bad(client, "edit_component", "revision 2", "Second", node_id="N001", component_order=1,
                 new_parameters={"text": "Third"}, expected_revision=1)
        self.bad(client, "delete_component", "revision 2", "Second", node_id="N001", component_order=1, expected_revision=1)
        self.bad(client, "change_curriculum", "operations.0", "revision 2", "Second", operations=[
            {"op": "delete_component", "node_id": "N001", "component_order": 1, "expected_revision": 1}])
        self.bad(client, "change_curriculum", "version", expected_version=1,
                 operations=[{"op": "delete_node", "node_id": "N001"}])
        client.good("delete_component", node_id="N001", component_order=1, expected_revision=2)
        self.assertEqual(client.close(), 0)

    def test_a_bound_connection(self):
        other = self.load()
        client = self.stdio("--session", self.sid)
        self.bad(client, "change_curriculum", "bound", session_id=other, operations=[{"op": "delete_node", "node_id": "N001"}])
        client.good("change_curriculum", operations=[{"op": "delete_node", "node_id": "N001"}])
        self.assertEqual(len(self.export(other)["nodes"]), 5)
        self.assertEqual(client.close(), 0)


class DryRuns(Case):
    NUMBER = r'send operations \[\{"op": "apply_dry_run", "id": (\d+)\}\]'

    def try_out(self, client, operations, **more):
        return int(re.search(self.NUMBER, client.good("change_curriculum", operations=operations, dry_run=True, **more))[1])

    def apply(self, number):
        return [{"op": "apply_dry_run", "id": number}]

    def test_one_is_applied_by_its_number(self):
        client = self.stdio()
        number = self.try_out(client, [{"op": "rename_node", "node_id": "N001", "title": "One"}, {"op": "delete_node", "node_id": "N009"},
                                       {"op": "delete_node", "node_id": "N002"}], keep_going=True)
        self.assertNotEqual(self.try_out(client, [{"op": "delete_node", "node_id": "N003"}]), number)
        self.assertIn("Did 2 of 3 operations", client.good("change_curriculum", operations=self.apply(number)))
        self.assertEqual([self.node(each) is not None for each in ("N001", "N002", "N003")], [True, False, True])
        self.assertEqual(self.node("N001")["title"], "One")
        self.bad(client, "change_curriculum", "another write came between", operations=self.apply(number))

    def test_texts_for_objects_and_numbers(self):
        client = self.stdio()
        number = self.try_out(client, json.dumps([{"op": "rename_node", "node_id": "N001", "title": "One"}]))
        client.good("change_curriculum", operations=json.dumps([json.dumps({"op": "apply_dry_run", "id": str(number)})]))
        self.assertEqual(self.node("N001")["title"], "One")

    def test_wrong_ones_are_refused(self):
        client = self.stdio()
        number = self.try_out(client, [{"op": "delete_node", "node_id": "N001"}])
        rename = {"op": "rename_node", "node_id": "N002", "title": "Two"}
        for operations, says in ((self.apply(number + 1), "is not kept any more"), ([{"op": "apply_dry_run"}], "stands alone"),
                                 (self.apply(number) + [rename], "stands alone"), ([{"op": "apply_dry_run", "id": -1}], "stands alone")):
            self.bad(client, "change_curriculum", says, operations=operations)
        for _ in range(32):
            self.try_out(client, [rename])
        self.bad(client, "change_curriculum", "is not kept any more", operations=self.apply(number))
        self.assertEqual(self.export()["nodes"], CURRICULUM["nodes"])

    def test_a_dry_run_of_another_caller_is_unknown(self):
        server = harness.Server(self.workspace)
        self.addCleanup(server.close)
        server.initialize()
        number = self.try_out(server, [{"op": "delete_node", "node_id": "N001"}])
        self.bad(self.stdio(), "change_curriculum", "is not kept any more", operations=self.apply(number))
        status, answer, _ = server.http("POST", "/session/%s/changes" % self.sid, {"operations": self.apply(number)})
        self.assertEqual(status, 422, answer)
        server.good("change_curriculum", operations=self.apply(number))
        self.assertIsNone(self.node("N001"))


class Versions(Case):
    def setUp(self):
        super().setUp()
        self.client = self.stdio()

    def history(self):
        return self.client.good("history")

    def test_a_change_set_is_one_version(self):
        self.assertIn("is at version 1;", self.history())
        text = self.client.good("change_curriculum", operations=[
            {"op": "rename_node", "node_id": "N001", "title": "Counting on"},
            {"op": "edit_component", "node_id": "N002", "component_order": 1, "new_parameters": {"text": "New"}},
            {"op": "delete_node", "node_id": "N003"}])
        self.assertIn("now version 2)", text)
        self.client.good("edit_component", node_id="N001", component_order=1, new_parameters={"text": "Later"})
        self.assertRegex(self.history(), r"(?s)version 3; 3 changes.*\nv3 .*\nv2 .*\nv1 ")
        self.assertIn("1 thing", self.client.good("history", version=2, to_version=3))
        text = self.client.good("undo", version=2)
        self.assertIn("(version 2)", text)
        self.assertIn("is at version 4 now", text)
        self.assertEqual(self.node("N003"), next(n for n in CURRICULUM["nodes"] if n["node_id"] == "N003") | self.node("N003"))
        self.assertEqual(self.node("N001")["components"][0]["parameters"]["text"], "Later")

    def test_a_new_node_joins_the_chapter_of_the_one_before_it(self):
        self.client.good("change_curriculum", operations=[
            {"op": "edit_node", "node_id": "N001", "fields": {"chapter": "1 Numbers", "chapter_id": 1}},
            {"op": "create_node", "node_id": "X1", "title": "Joins", "after": "N001"},
            {"op": "create_node", "node_id": "X2", "title": "Has its own", "after": "N001", "fields": {"chapter": "2 Sums"}},
            {"op": "create_node", "node_id": "X3", "title": "Stands alone"}])
        self.assertEqual([(self.node(name).get("chapter"), self.node(name).get("chapter_id")) for name in ("X1", "X2", "X3")],
                         [("1 Numbers", 1), ("2 Sums", None), (None, None)])
        self.assertIn('X1 "Joins" in chapter "1 Numbers", 0 words', self.client.good("find", node_id="X1"))

    def test_history_knows_dates_and_its_newest_version(self):
        self.client.good("edit_component", node_id="N001", component_order=1, new_parameters={"text": "Once"})
        day = re.search(r"v2 (\d{4}-\d\d-\d\d)", self.history())[1]
        later = (datetime.date.fromisoformat(day) + datetime.timedelta(2)).isoformat()
        for since in day, day + "T00:00", day + " 00:00:00Z", "0", 0, "2001-02-03":
            self.assertIn("2 changes", self.client.good("history", since=since))
        for since in later, 2, "2", 2.0:
            self.assertIn("; 0 changes", self.client.good("history", since=since))
        self.assertIn("1 thing", self.client.good("history", version=1, to_version=later))
        self.assertIn("2 changes", self.client.good("history", action="list", version=later))
        self.bad(self.client, "history", "version: there is no version 3, the newest is 2", version=3)
        self.bad(self.client, "history", "since: there is no version 9", since=9)
        self.bad(self.client, "history", "begins later", version=day)
        for wrong in "yesterday", "2026-11", -1, "28.11.2026", 1.5, True, "2026-11-28T14:05+01:00":
            self.bad(self.client, "history", "such as 2026-11-28", since=wrong)

    def test_an_edit_that_changes_nothing_leaves_no_trace(self):
        self.client.good("edit_component", node_id="N001", component_order=1, new_parameters={"text": "Once"})
        before, was = self.history(), self.export()
        revision = self.client.good("edit_component", node_id="N001", component_order=1, new_parameters={"text": "Once"})
        self.assertIn("revision 2", revision)
        edits = [
            {"op": "edit_node", "node_id": "N001", "title": "Counting"},
            {"op": "rename_node", "node_id": "N001", "title": "Counting"},
            {"op": "edit_component", "node_id": "N001", "component_order": 2, "new_parameters": {"text": "More on Counting"}},
            {"op": "reorder_components", "node_id": "N001", "order": [1, 2]},
            {"op": "edit_relationship", "from_node_id": "N001", "to_node_id": "N002", "relationship_type": "PREREQUISITE",
             "explanation": "Adding is counting on"}]
        for edit in edits:
            text = self.client.good("change_curriculum", operations=[edit])
            self.assertNotIn("change set", text)
            self.assertEqual(self.history(), before, text)
        self.client.good("change_curriculum", operations=edits)
        self.assertEqual(self.history(), before)
        self.assertEqual(self.export(), was)

    def test_routes_that_change_nothing_leave_no_trace(self):
        server = harness.Server(self.workspace)
        self.addCleanup(server.close)
        base = "/session/" + self.sid
        _, components, _ = server.http("GET", base + "/nodes/N001/components")
        was = self.export()
        for method, path, body in [
                ("PUT", "/nodes/N001/auto-save", components), ("PUT", "/nodes/N001", {"title": "Counting"}),
                ("PUT", "/nodes/N001/components/1", {"parameters": {"text": "About Counting"}}),
                ("PUT", "/relationships/1", {"explanation": "Adding is counting on"}),
                ("PUT", "/positions", {"positions": {}}), ("PUT", "", {"title": "Five in a row"})]:
            status, answer, _ = server.http(method, base + path, body)
            self.assertEqual(status, 200, (method, path, answer))
            _, answer, _ = server.http("GET", base + "/history")
            self.assertEqual(answer["version"], 1, (method, path))
        self.assertEqual(self.export(), was)


class Places(Case):
    """Where a new lesson stands: behind the one that it is made of, behind the one that `after` names, or last."""

    def ids(self):
        return [node["node_id"] for node in self.export()["nodes"]]

    def test_new_lessons_have_a_place(self):
        client = self.stdio()
        first = self.ids()
        client.good("change_curriculum", operations=[
            {"op": "split_node", "node_id": "N003", "new_node_id": "N003b", "title": "Part", "components": [2]},
            {"op": "copy_node", "node_id": "N001", "new_node_id": "N001b", "title": "Copy"},
            {"op": "copy_node", "node_id": "N001", "new_node_id": "N001c", "title": "Copy of today"},
            {"op": "copy_node", "node_id": "N001", "new_node_id": "X1", "title": "Elsewhere", "after": "Taking away"},
            {"op": "create_node", "node_id": "X2", "title": "Between", "after": "X1"},
            {"op": "create_node", "node_id": "X3", "title": "Last"}])
        placed = [made for node in first for made in {"N001": ["N001", "N001c", "N001b"], "N003": ["N003", "X1", "X2", "N003b"]}.get(node, [node])]
        self.assertEqual(self.ids(), placed + ["X3"])
        self.assertNotIn("after", json.dumps(self.export()["nodes"]))
        client.good("change_curriculum", operations=[{"op": "delete_node", "node_id": node} for node in ("X1", "N001c", "N003")])
        client.good("undo")
        self.assertEqual(self.ids(), placed + ["X3"])
        client.good("undo")
        self.assertEqual(self.ids(), first)

    def test_an_unknown_one_is_told(self):
        failed, text = self.stdio().call("change_curriculum", operations=[{"op": "create_node", "node_id": "X1", "title": "X", "after": "Takin away"}])
        self.assertTrue(failed)
        self.assertIn("Taking away", text)


class Between(Case):
    """Operations that move between lessons, and the one on the texts of all."""

    def texts(self, node_id):
        return [c["parameters"]["text"] for c in self.node(node_id)["components"]]

    def change(self, client, *operations, **more):
        return client.good("change_curriculum", operations=list(operations), **more)

    def test_a_lesson_becomes_two_and_two_become_one(self):
        client = self.stdio()
        before = self.export()
        text = self.change(
            client, {"op": "split_node", "node_id": "Taking away", "new_node_id": "N003b", "title": "Borrowing", "components": [2],
                     "relationships": ["Times"]},
            {"op": "create_relationship", "from_node_id": "N003", "to_node_id": "N003b", "relationship_type": "PREREQUISITE"},
            {"op": "move_components", "node_id": "N001", "components": [2], "into_node_id": "Borrowing", "position": 1},
            {"op": "copy_node", "node_id": "N003b", "new_node_id": "N006", "title": "Borrowing again"})
        for says in ('Split node N003 "Taking away": 1 component and 1 relationship went to the new node N003b "Borrowing"; 1 component',
                     'Moved 1 component of N001 "Counting" to N003b "Borrowing", as component 1; 1 remains',
                     'Copied node N003b "Borrowing" with its 2 components to the new node N006 "Borrowing again"'):
            self.assertIn(says, text)
        self.assertEqual(self.texts("N003b"), ["More on Counting", "More on Taking away"])
        self.assertEqual(self.texts("N006"), self.texts("N003b"))
        self.assertEqual(self.texts("N001"), ["About Counting"])
        ends = [(r["from_node_id"], r["to_node_id"]) for r in self.export()["relationships"]]
        self.assertIn(("N003b", "N004"), ends)
        self.assertNotIn(("N003", "N004"), ends)
        self.bad(client, "change_curriculum", "in N001 already", "reorder_components", operations=[
            {"op": "move_components", "node_id": "N001", "components": [1], "into_node_id": "Counting"}])
        self.undo(client)
        self.assertEqual(self.export(), before)
        self.assertEqual(client.close(), 0)

    def undo(self, client):
        client.good("undo")

    def test_a_term_is_replaced_everywhere(self):
        client = self.stdio()
        before = self.export()
        replace = {"op": "replace_text", "find": "counting", "replace": "numbering"}
        text = self.change(client, replace, dry_run=True)
        for says in ('N001 "Counting":\n    title: [Counting -> Numbering]\n    1. heading, text: About [Counting -> Numbering]',
                     "PREREQUISITE from N001 to N002:\n    explanation: ", "4 places"):
            self.assertIn(says, text)
        self.assertEqual(self.export(), before)
        self.bad(client, "change_curriculum", "expected_places is 3, but it would be 4",
                 operations=[dict(replace, expected_places=3)])
        text = self.change(client, dict(replace, expected_places="4"))
        self.assertEqual(len(text.strip().splitlines()), 2)
        self.assertEqual(self.node("N001")["title"], "Numbering")
        self.assertEqual(self.texts("N001"), ["About Numbering", "More on Numbering"])
        self.assertEqual(self.export()["relationships"][0]["explanation"], "Adding is numbering on")
        self.undo(client)
        self.assertEqual(self.export(), before)
        self.assertEqual(client.close(), 0)

    def test_over_rest(self):
        server = harness.Server(self.workspace)
        path = "/session/%s/" % self.sid
        ids = [c["component_id"] for c in server.http("GET", path + "nodes/N001/components")[1]["components"]]
        status, done, _ = server.http("POST", path + "changes", {"operations": [
            {"op": "move_components", "node_id": "N001", "components": [ids[1], 1], "into_node_id": "N002"},
            {"op": "copy_node", "node_id": "N002", "new_node_id": "N006", "title": "Copy"},
            {"op": "split_node", "node_id": "N002", "new_node_id": "N007", "title": "Part", "components": [1, 4],
             "relationships": ["N003"]},
            {"op": "replace_text", "find": "adding", "replace": "plus", "node_ids": ["N007"]}]})
        self.assertEqual(status, 200, done)
        moved, copied, split, replaced = done["results"]
        self.assertEqual((moved["components"], moved["order"], moved["remaining"]), (2, 3, 0))
        self.assertEqual((copied["new_node_id"], copied["components"]), ("N006", 4))
        self.assertEqual((split["components"], split["relationships"], split["remaining"]), (2, 1, 2))
        self.assertEqual((replaced["places"], replaced["components"]), (1, 1))
        there = server.http("GET", path + "nodes/N007/components")[1]["components"]
        self.assertEqual([c["parameters"]["text"] for c in there], ["About Plus", "About Counting"])
        self.assertEqual(there[1]["component_id"], ids[0])
        history = server.http("GET", path + "history?limit=1")[1]["changes"][0]
        self.assertIn('2 components of N001 "Counting" moved away', history["what"])
        status, answer, _ = server.http("POST", path + "changes", {"operations": [
            {"op": "split_node", "node_id": "N003", "new_node_id": "N008", "title": "All", "components": [1, 2]}]})
        self.assertEqual(status, 422)
        self.assertIn("all 2 would go", json.dumps(answer))
        server.http("POST", path + "undo", {})
        self.assertEqual([c["component_id"] for c in server.http("GET", path + "nodes/N001/components")[1]["components"]], ids)
        self.assertEqual(server.close(), 0)


ONCE = [
    ("add_component", {"node_id": "N001", "component_type": "heading", "parameters": {"text": "Once"}}),
    ("edit_component", {"node_id": "N001", "component_order": 1, "new_parameters": {"text": "Edited"}}),
    ("delete_component", {"node_id": "N001", "component_order": 1}),
    ("create_relationship", {"from_node_id": "N002", "to_node_id": "N005"}),
    ("batch_add_components", {"node_id": "N001", "components": [{"type": "heading", "parameters": {"text": "Once"}}]}),
    ("change_curriculum", {"operations": [{"op": "create_node", "node_id": "NEW", "title": "Once"}, edge("N005", "N001") |
                                          {"op": "create_relationship"}]}),  # with news of the graph
]


class Keys(Case):
    def test_every_edit_tool_is_done_once(self):
        client = self.stdio()
        for at, (tool, arguments) in enumerate(ONCE):
            with self.subTest(tool=tool):
                first = client.good(tool, idempotency_key="key %d" % at, **arguments)
                after = self.export()
                self.assertEqual("New prerequisite cycle" in first, tool == "change_curriculum")
                self.assertEqual(client.good(tool, idempotency_key="key %d" % at, **arguments), first)
                self.assertEqual(self.export(), after)
                self.bad(client, tool, "key %d" % at, "another call", idempotency_key="key %d" % at,
                         **dict(arguments, node_id="N002") if "node_id" in arguments else dict(arguments, session_id=self.sid,
                                                                                              **OTHER[tool]))
                self.assertEqual(self.export(), after)
        self.assertEqual(client.close(), 0)
        client = self.stdio()  # a server that starts anew still knows
        self.assertIn("Once", json.dumps(self.export()))
        after = self.export()
        client.good("add_component", idempotency_key="key 0", **ONCE[0][1])
        self.assertEqual(self.export(), after)
        self.assertEqual(client.close(), 0)

    def test_a_key_in_meta(self):
        client = self.stdio()
        for _ in range(2):
            answer = client.request("tools/call", {"name": ONCE[0][0], "arguments": ONCE[0][1]},
                                    meta={"lectern/idempotency-key": "m"})
            self.assertFalse(answer["result"]["isError"])
        self.assertEqual(len(self.node("N001")["components"]), 3)
        client.good("add_component", idempotency_key="m", **ONCE[0][1])
        self.assertEqual(len(self.node("N001")["components"]), 3)
        answer = client.request("tools/call", {"name": ONCE[0][0], "arguments": ONCE[0][1]},
                                meta={"lectern/idempotency-key": 7})
        self.assertEqual(answer["error"]["code"], -32602)
        for wrong in ("x" * 129,):
            self.bad(client, "add_component", "idempotency_key", idempotency_key=wrong, **ONCE[0][1])
        self.assertEqual(len(self.node("N001")["components"]), 3)
        self.assertEqual(client.close(), 0)

    def test_a_refused_call_may_come_again(self):
        client = self.stdio()
        call = {"from_node_id": "N001", "to_node_id": "NEW"}
        self.bad(client, "create_relationship", "NEW", idempotency_key="k", **call)
        client.good("change_curriculum", operations=[{"op": "create_node", "node_id": "NEW", "title": "New"}])
        client.good("create_relationship", idempotency_key="k", **call)
        self.assertEqual(client.close(), 0)

    def test_a_key_counts_within_its_session(self):
        other = self.load()
        client = self.stdio()
        for sid in (self.sid, other):
            client.good("add_component", session_id=sid, idempotency_key="k", **ONCE[0][1])
            self.assertEqual(len(self.export(sid)["nodes"][0]["components"]), 3)
        self.assertEqual(client.close(), 0)

    def test_many_at_once_are_done_once(self):
        server = harness.Server(self.workspace)
        texts = []

        def send():
            client = harness.Client(server.port)
            client.initialize()
            texts.append(client.good("add_component", idempotency_key="same", **ONCE[0][1]))

        threads = [threading.Thread(target=send) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(texts), 8)
        self.assertEqual(len(set(texts)), 1)
        self.assertEqual(len(self.node("N001")["components"]), 3)
        self.assertEqual(server.close(), 0)


OTHER = {"create_relationship": {"explanation": "other"}, "change_curriculum": {"keep_going": True}}


class Relationships(Case):
    def test_a_repeat_is_said_by_titles(self):
        client = self.stdio()
        text = self.bad(client, "create_relationship", "already", 'N001 "Counting"', 'N002 "Adding"', "Adding is counting on",
                        from_node_id="N001", to_node_id="N002", relationship_type="PREREQUISITE")
        self.assertNotIn("\n", text)
        self.bad(client, "create_relationship", "already", "without an explanation", from_node_id="N002", to_node_id="N003",
                 relationship_type="PREREQUISITE")
        self.assertEqual(client.close(), 0)

    def test_a_cycle_is_said_by_titles(self):
        client = self.stdio()
        text = client.good("create_relationship", from_node_id="N003", to_node_id="N001", relationship_type="PREREQUISITE_FOR")
        self.assertIn('cycle of prerequisites: N001 "Counting" -> N002 "Adding" -> N003 "Taking away" -> N001', text)
        self.assertEqual(client.close(), 0)

    def test_other_types_close_no_cycle(self):
        client = self.stdio()
        for kind in ("LEADS_TO", "ENRICHMENT"):
            self.assertNotIn("cycle", client.good("create_relationship", from_node_id="N003", to_node_id="N001",
                                                  relationship_type=kind))
        self.assertNotIn("cycle", client.good("create_relationship", from_node_id="N001", to_node_id="N005",
                                              relationship_type="PREREQUISITE"))
        self.assertEqual(client.close(), 0)

    def test_a_long_cycle_is_cut(self):
        client = self.stdio()
        operations = [{"op": "create_node", "node_id": "L%02d" % i, "title": "Long %d" % i} for i in range(40)]
        operations += [{"op": "create_relationship", "from": "L%02d" % i, "to": "L%02d" % (i + 1), "type": "PREREQUISITE"}
                       for i in range(39)]
        client.good("change_curriculum", operations=operations)
        text = client.good("create_relationship", from_node_id="L39", to_node_id="L00", relationship_type="PREREQUISITE")
        self.assertIn("28 more -> L00", text)
        self.assertEqual(client.close(), 0)

    def test_unknown_nodes(self):
        client = self.stdio()
        self.bad(client, "create_relationship", "to_node_id", "N002 'Adding'", from_node_id="N001", to_node_id="N0022")
        self.bad(client, "create_relationship", "from_node_id", "N003 'Taking away'", from_node_id="Taking awy", to_node_id="N001")
        self.assertEqual(client.close(), 0)


class Rest(Case):
    def setUp(self):
        super().setUp()
        self.server = harness.Server(self.workspace)
        self.path = "/session/%s/changes" % self.sid

    def tearDown(self):
        self.assertEqual(self.server.close(), 0)
        super().tearDown()

    def post(self, body, **headers):
        return self.server.http("POST", self.path, body, **headers)

    def test_the_answer(self):
        operations = [{"op": "create_relationship", "from_node_id": "N005", "to_node_id": "N004", "relationship_type": "PREREQUISITE"},
                      {"op": "delete_node", "node_id": "N002"}]
        status, dry, _ = self.post({"operations": operations, "dry_run": True})
        self.assertEqual(status, 200)
        self.assertEqual((dry["session_id"], dry["dry_run"], dry["change_set"]), (self.sid, True, None))
        self.assertEqual(dry["effect"], {
            "new_cycles": [[{"node_id": "N004", "title": "Times"}, {"node_id": "N005", "title": "Sharing"}]], "new_cycles_total": 1,
            "cut_off": [], "cut_off_total": 0, "longest_chain": {"before": 4, "after": 1},
            "downstream": [{"node_id": "N003", "title": "Taking away"}, {"node_id": "N004", "title": "Times"},
                           {"node_id": "N005", "title": "Sharing"}], "downstream_total": 3})
        status, done, _ = self.post({"operations": operations})
        self.assertEqual(status, 200)
        self.assertEqual(done["effect"], dry["effect"])
        self.assertEqual((done["done"], done["bad"], done["dry_run"]), (2, 0, False))
        self.assertEqual(len(done["change_set"]), 36)
        self.assertGreater(done["version"], dry["version"])
        self.assertEqual([(r["op"], r["ok"]) for r in done["results"]], [("create_relationship", True), ("delete_node", True)])
        self.assertIsInstance(done["results"][0]["id"], int)
        status, done, _ = self.post({"operations": [{"op": "delete_component", "node_id": "N001", "component_order": 1}]})
        self.assertEqual((status, done["effect"]), (200, None))

    def test_refusals(self):
        before = self.export()
        for body, wanted, says in (
                (b"{", 422, "JSON"), ([], 422, "operations"), ({}, 422, "operations"), ({"operations": [], "dry_run": 1}, 422, "dry_run"),
                ({"operations": [{"op": "delete_nod"}]}, 422, "delete_node"),
                ({"operations": [{"op": "delete_node", "node_id": "N0022"}]}, 404, "N002"),
                ({"operations": [dict(CURRICULUM["relationships"][0], op="create_relationship")]}, 409, "Counting"),
                ({"operations": [{"op": "rename_node", "node_id": "N001", "title": "x", "expected_revision": 5}]}, 409, "Counting")):
            with self.subTest(body=body):
                status, answer, _ = self.post(body)
                self.assertIn(status, (wanted, 400) if body == b"{" else (wanted,), answer)
                self.assertIn(says, json.dumps(answer))
                if status == 422 and isinstance(body, dict) and body.get("operations"):
                    self.assertEqual(answer["detail"][0]["loc"][:3], ["body", "operations", 0])
        self.assertEqual(self.server.http("POST", "/session/nobody/changes", {"operations": [{"op": "x"}]})[0], 401)
        self.assertEqual(self.export(), before)

    def test_each_fault_of_many_has_its_place(self):
        status, answer, _ = self.post({"operations": [{"op": "x"}, {"op": "delete_node", "node_id": "N001"},
                                                      {"op": "rename_node", "node_id": "N002"}]})
        self.assertEqual(status, 422)
        self.assertEqual([fault["loc"] for fault in answer["detail"]],
                         [["body", "operations", 0, "op"], ["body", "operations", 2, "title"]])
        status, answer, _ = self.post({"operations": [{"op": "x"}, {"op": "delete_node", "node_id": "N001"}], "keep_going": True})
        self.assertEqual((status, answer["done"], answer["bad"]), (200, 1, 1))
        self.assertIs(answer["results"][0]["ok"], False)

    def test_conditions_and_keys(self):
        body = {"operations": [{"op": "rename_node", "node_id": "N001", "title": "Numbers"}]}
        tag = self.server.http("GET", "/session/%s/nodes" % self.sid)[2]["ETag"]
        status, _, _ = self.post(body, If_Match=tag)
        self.assertEqual(status, 200)
        status, answer, _ = self.post(body, If_Match=tag)
        self.assertEqual(status, 412)
        self.assertIn("Numbers", json.dumps(answer["current"]))
        body = {"operations": [{"op": "create_node", "node_id": "NEW", "title": "New"},
                               {"op": "create_relationship", "from": "N001", "to": "NEW"}]}
        status, first, _ = self.post(body, Idempotency_Key="one")
        self.assertEqual(status, 200)
        status, again, _ = self.post(body, Idempotency_Key="one")
        self.assertEqual((status, again), (200, first))
        self.assertEqual([n["node_id"] for n in first["effect"]["downstream"]], [])
        self.assertEqual(len(self.export()["nodes"]), 6)

    def test_the_effect_of_many_sets_at_once(self):
        """More sets at once than the graph work queue lets wait: each is done, with its effect or with why there is none."""
        answers = []

        def send(at):
            client = harness.Client(self.server.port)
            answers.append(client.http("POST", self.path, {"operations": [
                {"op": "create_node", "node_id": "P%d" % at, "title": "P"},
                {"op": "create_relationship", "from": "N001", "to": "P%d" % at}]}))

        threads = [threading.Thread(target=send, args=(at,)) for at in range(40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([status for status, _, _ in answers], [200] * 40)
        for _, answer, _ in answers:
            self.assertTrue(answer["effect"] or answer["effect_error"])
        self.assertEqual(len(self.export()["nodes"]), 45)


if __name__ == "__main__":
    unittest.main(verbosity=2)
