# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes, their four texts, and where they stand on the canvas."""
import datetime

from .target import Case, paragraph, quoted

TEXTS = ("explanation", "real_world_example", "textbook_content", "memory_trick")
STRANGE = ("Größe und Maß", "数学 — 分数", "שלום עולם", "e\u0301 beside é", "👩‍👩‍👧‍👦🏳️‍🌈",
           "line\u2028sep\ttab\nnew\r\n", "\\u0041 \\n \"quoted\" </script>", "'; DROP TABLE node; --",
           "\u0001\u001f\u007f", "\ufeffmark", "\U0010ffff")
MEGABYTE = "a" * 999_990 + "é😀"


def time_of(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


class Nodes(Case):
    def test_create_and_list(self):
        sent = {"node_id": "N003", "title": "Three", "raw_content": "Raw", "chapter_id": 7}
        answer = self.good("POST", "~/nodes", sent)
        self.assertEqual(answer["success"], True)
        self.assertIsInstance(answer["message"], str)
        node = self.node("N003")
        self.assertEqual({name: node[name] for name in sent}, sent)
        self.assertEqual(node["session_id"], self.sid)
        self.assertIsNone(node["content_category"])
        for name in ("created_at", "last_modified"):
            self.assertIsNotNone(time_of(node[name]).tzinfo, node[name])
        self.assertEqual([node["node_id"] for node in self.good("GET", "~/nodes")["nodes"]], ["N001", "N002", "N003"])

    def test_only_id_and_title_are_needed(self):
        self.good("POST", "~/nodes", {"node_id": "N003", "title": "Three"})
        node = self.node("N003")
        self.assertEqual([node[name] for name in ("raw_content", "chapter_id", "content_category")], [None] * 3)

    def test_further_fields_are_kept(self):
        further = {"node_type": "core", "chapter": "1 Numbers", "tags": ["a", {"b": [1, 2.5, None, True]}], "Ünï": {"": 0}}
        self.good("POST", "~/nodes", {"node_id": "N003", "title": "Three", **further})
        self.assertEqual({name: self.node("N003")[name] for name in further}, further)
        self.good("PUT", "~/nodes/N003", {"title": "Other"})
        self.assertEqual({name: self.node("N003")[name] for name in further}, further)

    def test_an_id_used_twice_is_409(self):
        self.bad(409, "POST", "~/nodes", {"node_id": "N001", "title": "Again"})
        self.assertNotEqual(self.node("N001")["title"], "Again")

    def test_the_same_id_in_two_sessions(self):
        self.good("POST", "~/nodes", {"node_id": "N003", "title": "Mine"})
        first, self.sid = self.sid, self.new_session()
        self.good("POST", "~/nodes", {"node_id": "N003", "title": "Theirs"})
        self.good("DELETE", "~/nodes/N003")
        self.sid = first
        self.assertEqual(self.node("N003")["title"], "Mine")

    def test_each_fault_is_named(self):
        self.assertEqual(self.places("POST", "~/nodes", {}), {"node_id", "title"})
        faults = self.places("POST", "~/nodes", {"node_id": 5, "raw_content": [], "chapter_id": "x"})
        self.assertEqual(set(faults), {"node_id", "title", "raw_content", "chapter_id"})

    def test_wrong_values(self):
        for field, values in {"node_id": ("", None, 5, ["N003"], "x" * 129), "title": ("", None, 5, {}, "x" * 2001),
                              "raw_content": (5, [], True), "chapter_id": ("1", 1.5, True, []),
                              "content_category": ("nonsense", 5, "Explanation")}.items():
            for value in values:
                with self.subTest(field=field, value=str(value)[:20]):
                    self.assertEqual(self.places("POST", "~/nodes", {"node_id": "N003", "title": "x", field: value}), {field})
        self.assertEqual(self.good("GET", "~/nodes")["total"], 2)

    def test_strange_texts(self):
        for number, text in enumerate(STRANGE, 10):
            with self.subTest(text=text):
                self.good("POST", "~/nodes", {"node_id": "S%d" % number, "title": text, "raw_content": text})
                node = self.node("S%d" % number)
                self.assertEqual((node["title"], node["raw_content"]), (text, text))

    def test_strange_ids(self):
        for nid in ("Größe 1", "a+b", "50%", "x?y=z#q", "数", "a.b-c_d~e", "..."):
            with self.subTest(nid=nid):
                self.good("POST", "~/nodes", {"node_id": nid, "title": nid})
                self.good("POST", "~/nodes/%s/components" % quoted(nid), {"components": [paragraph(nid)]})
                self.assertEqual(self.texts(quoted(nid)), [nid])
                self.good("DELETE", "~/nodes/%s" % quoted(nid))
                self.assertIsNone(self.node(nid))

    def test_a_megabyte(self):
        self.good("POST", "~/nodes", {"node_id": "N003", "title": "Big", "raw_content": MEGABYTE})
        self.assertEqual(self.node("N003")["raw_content"], MEGABYTE)
        self.good("POST", "~/nodes/N003/content", {"explanation": MEGABYTE})
        self.assertEqual(self.good("GET", "~/nodes/N003/content")["explanation"], MEGABYTE)
        self.paragraphs("N003", MEGABYTE, "small")
        self.assertEqual(self.texts("N003"), [MEGABYTE, "small"])

    def test_change(self):
        self.good("POST", "~/nodes", {"node_id": "N003", "title": "Three", "raw_content": "Raw", "chapter_id": 7})
        before = self.node("N003")
        self.good("PUT", "~/nodes/N003", {"title": "Drei", "content_category": "memory_trick"})
        after = self.node("N003")
        self.assertEqual((after["title"], after["content_category"], after["raw_content"], after["chapter_id"]),
                         ("Drei", "memory_trick", "Raw", 7))
        self.assertGreaterEqual(time_of(after["last_modified"]), time_of(before["last_modified"]))
        self.assertEqual(after["created_at"], before["created_at"])
        self.good("PUT", "~/nodes/N003", {"raw_content": None, "chapter_id": None, "content_category": None})
        after = self.node("N003")
        self.assertEqual([after.get(name) for name in ("raw_content", "chapter_id", "content_category")], [None] * 3)

    def test_change_refuses(self):
        for field, value in (("title", ""), ("title", 5), ("chapter_id", "x"), ("content_category", "nonsense")):
            with self.subTest(field=field, value=value):
                self.assertEqual(self.places("PUT", "~/nodes/N001", {field: value}), {field})
        self.bad(404, "PUT", "~/nodes/N777", {"title": "x"})

    def test_delete_takes_components_and_relationships(self):
        self.paragraphs("N002", "x")
        self.relate("N001", "N002")
        self.assertEqual(self.good("DELETE", "~/nodes/N002")["success"], True)
        self.assertIsNone(self.node("N002"))
        self.assertEqual(self.relationships(), [])
        self.bad(404, "GET", "~/nodes/N002/components")
        self.bad(404, "DELETE", "~/nodes/N002")
        self.good("POST", "~/nodes", {"node_id": "N002", "title": "New"})
        self.assertEqual(self.texts("N002"), [])

    def test_four_texts(self):
        answer = self.good("GET", "~/nodes/N001/content")
        self.assertFalse(any(answer[name] for name in TEXTS))
        self.assertEqual(self.good("POST", "~/nodes/N001/content", {"explanation": "E", "memory_trick": "M"})["success"], True)
        self.good("POST", "~/nodes/N001/content", {"memory_trick": "M2", "textbook_content": STRANGE[0]})
        answer = self.good("GET", "~/nodes/N001/content")
        self.assertEqual([answer[name] or None for name in TEXTS], ["E", None, STRANGE[0], "M2"])
        self.good("POST", "~/nodes/N001/content", {"explanation": None})
        self.assertFalse(self.good("GET", "~/nodes/N001/content")["explanation"])

    def test_four_texts_refuse(self):
        self.assertEqual(self.places("POST", "~/nodes/N001/content", {"explanation": 5, "memory_trick": []}),
                         {"explanation", "memory_trick"})
        self.bad(422, "POST", "~/nodes/N001/content", {})
        self.bad(404, "POST", "~/nodes/N777/content", {"explanation": "x"})
        self.bad(404, "GET", "~/nodes/N777/content")


class Positions(Case):
    def positions(self):
        return self.good("GET", "~/positions")["positions"]

    def test_those_not_named_are_kept(self):
        self.assertEqual(self.positions(), {})
        self.good("PUT", "~/positions", {"positions": {"N001": {"x": 100.5, "y": 200.3}, "N002": {"x": -1, "y": 0}}})
        self.good("PUT", "~/positions", {"positions": {"N002": {"x": 1e-3, "y": 1e6}}})
        self.assertEqual(self.positions(), {"N001": {"x": 100.5, "y": 200.3}, "N002": {"x": 1e-3, "y": 1e6}})
        self.good("PUT", "~/positions", {"positions": {}})
        self.assertEqual(len(self.positions()), 2)

    def test_refuses(self):
        self.good("PUT", "~/positions", {"positions": {"N001": {"x": 1, "y": 2}}})
        for wrong in ({}, {"positions": []}, {"positions": {"N001": 5}}, {"positions": {"N001": {"x": "1", "y": 2}}},
                      {"positions": {"N001": {"x": 1}}}, {"positions": {"N002": {"x": 5, "y": 5}, "N001": {"x": None, "y": 2}}}):
            with self.subTest(wrong=wrong):
                self.bad(422, "PUT", "~/positions", wrong)
        self.assertEqual(self.positions(), {"N001": {"x": 1, "y": 2}})

    def test_a_deleted_node_has_none(self):
        self.good("PUT", "~/positions", {"positions": {"N001": {"x": 1, "y": 2}, "N002": {"x": 1, "y": 2}}})
        self.good("DELETE", "~/nodes/N001")
        self.assertEqual(set(self.positions()), {"N002"})
