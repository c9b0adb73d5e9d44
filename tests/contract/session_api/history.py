# SPDX-License-Identifier: GPL-3.0-or-later
"""History, undo, restore and change sets, where the target has them."""
from .nodes import MEGABYTE
from .target import Case, paragraph


class History(Case):
    def setUp(self):
        super().setUp()
        self.need("history")

    def content(self):
        """All there is, without times and versions."""
        shown = [self.good("GET", path) for path in ("~/nodes", "~/relationships", "~/positions")]
        shown += [self.good("GET", "~/nodes/%s/components" % node["node_id"]) for node in shown[0]["nodes"]]
        return without(shown, {"last_modified", "revision", "overall_confidence"})

    def changes(self, query=""):
        return self.good("GET", "~/history" + query)["changes"]

    def version(self):
        return self.good("GET", "~/history?limit=1")["version"]

    def edit(self):
        """Some of everything: one change set each."""
        self.paragraphs("N001", "a", "b", "c")
        self.good("PUT", "~/nodes/N001/components/2", paragraph("B", 2))
        self.good("POST", "~/nodes/N001/components/reorder", [3, 1, 2])
        self.good("DELETE", "~/nodes/N001/components/1")
        self.good("POST", "~/nodes", {"node_id": "N003", "title": "Three", "tags": ["x"]})
        self.good("PUT", "~/nodes/N003", {"title": "Drei"})
        self.good("POST", "~/nodes/N003/content", {"explanation": "E"})
        self.good("PUT", "~/positions", {"positions": {"N003": {"x": 1, "y": 2}}})
        found = self.relate("N001", "N003", "PREREQUISITE")
        self.good("PUT", "~/relationships/%s" % found["id"], {"explanation": "why"})
        self.good("POST", "~/relationships/bulk", {"relationships": [
            {"from": "N001", "to": "N002", "type": "LEADS_TO"}, {"from": "N002", "to": "N003", "type": "LEADS_TO"}]})
        self.good("DELETE", "~/nodes/N003")
        return 12

    def test_newest_first_who_when_what(self):
        before = self.version()
        count = self.edit()
        changes = self.changes("?since=%d" % before)
        self.assertEqual(len(changes), count)
        versions = [change["version"] for change in changes]
        self.assertEqual(versions, sorted(versions, reverse=True))
        self.assertEqual(len({change["change_set"] for change in changes}), count)
        for change in changes:
            self.assertTrue(change["who"])
            self.assertTrue(change["what"])
            self.assertTrue(change["at"])
        self.assertEqual(versions[0], self.version())

    def test_limit_and_wrong_queries(self):
        self.edit()
        self.assertEqual(len(self.changes("?limit=3")), 3)
        for query in ("?limit=0", "?limit=x", "?since=-1", "?since=x", "?limit=100000"):
            with self.subTest(query=query):
                self.bad(422, "GET", "~/history" + query)

    def test_undo_of_all_brings_everything_back(self):
        before, version = self.content(), self.version()
        states = []
        count = self.edit()
        after = self.content()
        for _ in range(count):
            states.append(self.content())
            self.good("POST", "~/undo", {})
        self.assertEqual(states[0], after)
        self.assertEqual(self.content(), before)
        self.assertGreater(self.version(), version + count)

    def test_undo_of_an_undo_does_it_again(self):
        self.paragraphs("N001", "a")
        self.good("PUT", "~/nodes/N001/components/1", paragraph("b"))
        undone = self.changes("?limit=1")[0]["change_set"]
        self.good("POST", "~/undo", {"change_set": undone})
        self.assertEqual(self.texts("N001"), ["a"])
        self.good("POST", "~/undo", {"change_set": self.changes("?limit=1")[0]["change_set"]})
        self.assertEqual(self.texts("N001"), ["b"])

    def test_undo_refuses_what_was_changed_since(self):
        self.paragraphs("N001", "a")
        self.good("PUT", "~/nodes/N001/components/1", paragraph("b"))
        old = self.changes("?limit=1")[0]["change_set"]
        self.good("PUT", "~/nodes/N001/components/1", paragraph("c"))
        self.bad(409, "POST", "~/undo", {"change_set": old})
        self.assertEqual(self.texts("N001"), ["c"])

    def test_undo_refuses(self):
        self.bad(404, "POST", "~/undo", {"change_set": "nonsense"})
        self.bad(422, "POST", "~/undo", {"change_set": 5})
        self.bad(422, "POST", "~/undo", [])

    def test_restore(self):
        self.paragraphs("N001", "a")
        state, version = self.content(), self.version()
        self.edit()
        self.good("POST", "~/restore", {"version": version})
        self.assertEqual(self.content(), state)
        self.assertGreater(self.version(), version)
        for wrong in ({}, {"version": "x"}, {"version": -1}, {"version": version + 10**6}, {"version": None}):
            with self.subTest(wrong=wrong):
                status, _, _ = self.ask("POST", "~/restore", wrong)
                self.assertIn(status, (404, 422))
        self.assertEqual(self.content(), state)

    def test_an_undo_without_a_name_is_of_ones_own_change(self):
        before = self.content()
        self.good("PUT", "~/nodes/N001", {"title": "Ann's"}, X_Editor="ann")
        between = self.content()
        self.good("PUT", "~/nodes/N002", {"title": "Ben's"}, X_Editor="ben")
        newest = self.changes("?limit=1")[0]
        state = self.content()
        for name in ({"X_Editor": "ann"}, {}, {"X_Editor": "page:ben"}):
            detail = self.bad(409, "POST", "~/undo", {}, **name)
            for part in ("not yours", newest["what"], "rest:ben", newest["at"], newest["change_set"],
                         "version %d" % newest["version"]):
                self.assertIn(part, detail)
            self.assertEqual("version %d, your own newest" % (newest["version"] - 1) in detail, name == {"X_Editor": "ann"})
        self.assertEqual(self.content(), state)
        self.good("POST", "~/undo", {}, X_Editor="ben")
        self.assertEqual(self.content(), between)
        self.good("POST", "~/undo", {}, X_Editor="ann")     # what was undone is nobody's newest change
        self.assertEqual(self.content(), before)
        self.bad(404, "POST", "~/undo", {}, X_Editor="ann")     # the beginning is nobody's

    def test_those_who_give_no_name_are_one_writer(self):
        before = self.content()
        self.good("PUT", "~/nodes/N001", {"title": "Somebody's"})
        self.good("POST", "~/undo", {})
        self.assertEqual(self.content(), before)

    def test_another_change_is_undone_by_its_name(self):
        before = self.content()
        self.good("PUT", "~/nodes/N001", {"title": "Ann's"}, X_Editor="ann")
        newest = self.changes("?limit=1")[0]["change_set"]
        self.good("POST", "~/undo", {"change_set": newest}, X_Editor="ben")
        self.assertEqual(self.content(), before)

    def test_a_megabyte_comes_back(self):
        self.paragraphs("N001", MEGABYTE)
        self.good("PUT", "~/nodes/N001/components/1", paragraph("small"))
        self.good("POST", "~/undo", {})
        self.assertEqual(self.texts("N001"), [MEGABYTE])

    def test_component_ids_come_back(self):
        self.paragraphs("N001", "a", "b")
        before = [component["component_id"] for component in self.good("GET", "~/nodes/N001/components")["components"]]
        self.good("DELETE", "~/nodes/N001/components/1")
        self.good("POST", "~/undo", {})
        after = [component["component_id"] for component in self.good("GET", "~/nodes/N001/components")["components"]]
        self.assertEqual(after, before)


class ChangeSets(Case):
    OPERATIONS = [
        {"op": "create_node", "node_id": "N003", "title": "Three"},
        {"op": "create_component", "node_id": "N003", "component_type": "paragraph", "parameters": {"text": "x"}},
        {"op": "create_relationship", "from_node_id": "N001", "to_node_id": "N003", "relationship_type": "PREREQUISITE"},
        {"op": "rename_node", "node_id": "N002", "title": "Zwei"},
    ]

    def setUp(self):
        super().setUp()
        self.need("changes")

    def test_all_in_one(self):
        self.good("POST", "~/changes", {"operations": self.OPERATIONS})
        self.assertEqual(self.texts("N003"), ["x"])
        self.assertEqual(self.node("N002")["title"], "Zwei")
        self.assertEqual(len(self.relationships()), 1)
        self.good("POST", "~/undo", {})
        self.assertIsNone(self.node("N003"))
        self.assertEqual(self.relationships(), [])

    def test_dry_run_does_nothing(self):
        before = self.good("GET", "~/nodes")
        self.good("POST", "~/changes", {"operations": self.OPERATIONS, "dry_run": True})
        self.assertEqual(self.good("GET", "~/nodes"), before)
        self.assertEqual(self.relationships(), [])

    def test_one_bad_operation_names_itself_and_nothing_is_done(self):
        before = self.good("GET", "~/nodes")
        wrong = [*self.OPERATIONS, {"op": "rename_node", "node_id": "N777", "title": "x"}]
        status, answer, _ = self.ask("POST", "~/changes", {"operations": wrong})
        self.assertIn(status, (404, 409, 422))
        self.assertIn("4", str(answer))
        self.assertIn("N777", str(answer))
        self.assertEqual(self.good("GET", "~/nodes"), before)

    def test_refuses(self):
        for wrong in ({}, {"operations": {}}, {"operations": [5]}, {"operations": [{"op": "nonsense"}]},
                      {"operations": [{}]}, {"operations": [{"op": "create_node"}]}):
            with self.subTest(wrong=wrong):
                self.bad(422, "POST", "~/changes", wrong)


class Tasks(Case):
    """Those of solve; contract.solve_life has some in its store."""

    def setUp(self):
        super().setUp()
        self.need("history")

    def test_none_yet(self):
        self.assertEqual(self.good("GET", "~/tasks"), {"session_id": self.sid, "tasks": []})

    def test_wrong_ones(self):
        for path, status in (("~/tasks?limit=0", 422), ("~/tasks?limit=x", 422), ("~/tasks?limt=3", 422), ("~/tasks/none", 404),
                             ("~/tasks/none?format=xml", 422)):
            with self.subTest(path):
                self.bad(status, "GET", path)
        self.assertEqual(self.ask("GET", "/session/nothing/tasks")[0], 401)


def without(value, names):
    if isinstance(value, dict):
        return {name: without(inner, names) for name, inner in value.items() if name not in names}
    if isinstance(value, list):
        return [without(inner, names) for inner in value]
    return value
