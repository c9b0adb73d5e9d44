# SPDX-License-Identifier: GPL-3.0-or-later
"""Relationships, one by one and in bulk."""
from .nodes import MEGABYTE, STRANGE
from .target import Case

TYPES = ("LEADS_TO", "PREREQUISITE_FOR", "PREREQUISITE", "ENRICHMENT")


def link(source, to, **fields):
    return {"from_node_id": source, "to_node_id": to, **fields}


class Relationships(Case):
    def test_create_and_list(self):
        sent = link("N001", "N002", relationship_type="ENRICHMENT", explanation=STRANGE[1], created_by="me", confidence_score=0.5)
        self.good("POST", "~/relationships", sent)
        answer = self.good("GET", "~/relationships")
        self.assertEqual((answer["session_id"], answer["total"]), (self.sid, 1))
        found = answer["relationships"][0]
        self.assertEqual({name: found[name] for name in sent}, sent)
        self.assertEqual(found["session_id"], self.sid)
        self.assertIn("id", found)
        self.assertIn("created_at", found)

    def test_the_default_type(self):
        self.good("POST", "~/relationships", link("N001", "N002"))
        self.assertEqual(self.relationships()[0]["relationship_type"], "LEADS_TO")

    def test_every_type_and_both_directions(self):
        for kind in TYPES:
            self.relate("N001", "N002", kind)
            self.relate("N002", "N001", kind)
        self.assertEqual(len(self.relationships()), 8)

    def test_a_repeat_is_409(self):
        self.relate("N001", "N002")
        self.bad(409, "POST", "~/relationships", link("N001", "N002"))
        self.bad(409, "POST", "~/relationships", link("N001", "N002", relationship_type="LEADS_TO", explanation="another"))
        self.assertEqual(len(self.relationships()), 1)

    def test_a_node_to_itself_is_422(self):
        self.bad(422, "POST", "~/relationships", link("N001", "N001"))

    def test_refuses(self):
        self.assertEqual(self.places("POST", "~/relationships", {}), {"from_node_id", "to_node_id"})
        for field, values in {"from_node_id": (5, None, []), "relationship_type": ("leads_to", "NONSENSE", 5, ""),
                              "explanation": (5, []), "confidence_score": (-0.1, 1.5, "0.5", [])}.items():
            for value in values:
                with self.subTest(field=field, value=value):
                    self.assertEqual(self.places("POST", "~/relationships", link("N001", "N002") | {field: value}), {field})
        self.bad(404, "POST", "~/relationships", link("N001", "N777"))
        self.bad(404, "POST", "~/relationships", link("N777", "N001"))
        self.assertEqual(self.relationships(), [])

    def test_further_fields_are_kept(self):
        self.good("POST", "~/relationships", link("N001", "N002", weight=3, tags=["ä"]))
        found = self.relationships()[0]
        self.assertEqual((found["weight"], found["tags"]), (3, ["ä"]))

    def test_a_megabyte(self):
        self.good("POST", "~/relationships", link("N001", "N002", explanation=MEGABYTE))
        self.assertEqual(self.relationships()[0]["explanation"], MEGABYTE)

    def test_change(self):
        found = self.relate("N001", "N002")
        self.good("PUT", "~/relationships/%s" % found["id"], {"explanation": "why"})
        self.good("PUT", "~/relationships/%s" % found["id"], {"relationship_type": "PREREQUISITE"})
        self.good("PUT", "~/relationships/%s" % found["id"], {"confidence_score": 0.25})
        expected = {**found, "explanation": "why", "relationship_type": "PREREQUISITE", "confidence_score": 0.25}
        after = self.relationships()[0]
        self.assertEqual({name: after[name] for name in found if name != "last_modified"},
                         {name: expected[name] for name in found if name != "last_modified"})

    def test_change_refuses(self):
        found = self.relate("N001", "N002")
        self.relate("N001", "N002", "ENRICHMENT")
        path = "~/relationships/%s" % found["id"]
        self.bad(409, "PUT", path, {"relationship_type": "ENRICHMENT"})
        for field, value in (("relationship_type", "NONSENSE"), ("confidence_score", 2), ("explanation", 5)):
            with self.subTest(field=field):
                self.assertEqual(self.places("PUT", path, {field: value}), {field})
        self.bad(404, "PUT", "~/relationships/999999999", {"explanation": "x"})
        self.bad(422, "PUT", "~/relationships/nonsense", {"explanation": "x"})
        self.assertEqual(self.relationships()[0], found)

    def test_delete(self):
        found = self.relate("N001", "N002")
        self.assertEqual(self.good("DELETE", "~/relationships/%s" % found["id"])["success"], True)
        self.assertEqual(self.relationships(), [])
        self.bad(404, "DELETE", "~/relationships/%s" % found["id"])
        self.bad(422, "DELETE", "~/relationships/nonsense")

    def test_one_of_another_session(self):
        found = self.relate("N001", "N002")
        first, self.sid = self.sid, self.new_session()
        self.bad(404, "PUT", "~/relationships/%s" % found["id"], {"explanation": "x"})
        self.bad(404, "DELETE", "~/relationships/%s" % found["id"])
        self.sid = first
        self.assertEqual(self.relationships(), [found])


class Bulk(Case):
    def setUp(self):
        super().setUp()
        self.good("POST", "~/nodes", {"node_id": "N003", "title": "Three"})

    def bulk(self, *items):
        return {"relationships": [dict(zip(("from", "to", "type", "explanation"), item)) for item in items]}

    def test_all(self):
        self.good("POST", "~/relationships/bulk", self.bulk(("N001", "N002", "LEADS_TO", "e"), ("N002", "N003", "PREREQUISITE"),
                                                            ("N001", "N003")))
        self.assertEqual([(found["from_node_id"], found["to_node_id"], found["relationship_type"])
                          for found in self.relationships()],
                         [("N001", "N002", "LEADS_TO"), ("N002", "N003", "PREREQUISITE"), ("N001", "N003", "LEADS_TO")])
        self.assertEqual(self.relationships()[0]["explanation"], "e")

    def test_a_thousand(self):
        ids = ["B%03d" % number for number in range(33)]
        for nid in ids:
            self.good("POST", "~/nodes", {"node_id": nid, "title": nid})
        pairs = [(a, b, "ENRICHMENT") for a in ids for b in ids if a != b][:500]
        self.good("POST", "~/relationships/bulk", self.bulk(*pairs))
        self.assertEqual(len(self.relationships()), len(pairs))

    def test_or_none_and_each_bad_one_is_named(self):
        self.relate("N001", "N002")
        faults = self.places("POST", "~/relationships/bulk", self.bulk(
            ("N001", "N003"), ("N001", "N001"), ("N002", "N003", "NONSENSE"), ("N003", 5), ("N003",)))
        self.assertEqual(sorted({".".join(fault.split(".")[:2]) for fault in faults}),
                         ["relationships.1", "relationships.2", "relationships.3", "relationships.4"])
        self.assertEqual(len(self.relationships()), 1)

    def test_what_is_there_already(self):
        self.relate("N001", "N002")
        for items in ([("N001", "N003"), ("N001", "N002")], [("N001", "N003"), ("N001", "N003")]):
            with self.subTest(items=items):
                self.assertIn("relationships.1", self.bad(409, "POST", "~/relationships/bulk", self.bulk(*items)))
        status, answer, _ = self.ask("POST", "~/relationships/bulk", self.bulk(("N001", "N003"), ("N001", "N777")))
        self.assertIn(status, (404, 422))
        self.assertIn("N777", str(answer))
        self.assertEqual(len(self.relationships()), 1)

    def test_refuses(self):
        for wrong in ({}, {"relationships": {}}, {"relationships": "x"}, {"relationships": [5]}):
            with self.subTest(wrong=wrong):
                self.bad(422, "POST", "~/relationships/bulk", wrong)
        self.assertEqual(self.relationships(), [])
