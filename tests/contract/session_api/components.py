# SPDX-License-Identifier: GPL-3.0-or-later
"""Components: every type, sequences, single ones, auto-save."""
import datetime

from .nodes import STRANGE
from .target import CAPABILITIES, Case, paragraph

PICTURE = {"title": "T", "body": "B", "svgCode": "<svg/>"}
PHOTO = {"title": "T", "body": "B", "imagePath": "/a.png", "imageUrl": "https://example.org/a.png"}
GOOD = [
    ("heading", {"text": "H"}),
    ("paragraph", {"text": ""}),
    ("memory-trick", {"text": STRANGE[4], "note": {"kept": [1, None]}}),
    ("definition", {"term": "T", "definition": "D"}),
    ("step-sequence", {"steps": ["a", "", "c"]}),
    ("step-sequence", {"steps": []}),
    ("worked-example", {"problem": "P", "solution": "S", "answer": "A"}),
    ("callout-box", {"text": "T"}),
    ("callout-box", {"text": "T", "style": "warning"}),
    ("two-pictures", {"pictures": {"svg1": PICTURE, "svg2": PICTURE}}),
    ("three-pictures", {"pictures": {"image1": PHOTO, "svg2": PICTURE, "image3": PHOTO}}),
    ("four-pictures", {"pictures": {"svg%d" % i: {**PICTURE, **PHOTO} for i in range(1, 5)}}),
    ("hero-number", {"visual_type": "text", "visual_content": "42"}),
    ("hero-number", {"visual_type": "pie-chart", "visual_content": "3/4", "caption": "C", "background_style": "purple",
                     "chart_data": {"numerator": 3, "denominator": 4}}),
    ("hero-number", {"visual_type": "bar-chart", "visual_content": "x", "chart_data": {"current": 1.5, "maximum": 2}}),
    ("three-svgs", {"title1": "a", "title2": "b", "title3": "c", "description1": "d", "description2": "e", "description3": "f",
                    "svg2": "<svg/>"}),
]
# Types that a service of the original contract does not know.
EXERCISES = [
    ("exercise-code", {"prompt": "P", "cases": [{"call": "f", "args": [1, {"py": "(1,)"}], "expect": None}, {"stdin": "1", "stdout": "2"}],
                       "starter": "", "hints": ["a"], "solution": "S", "compare": "approximate", "time_s": 5}),
    ("question", {"prompt": "P", "kind": "choice", "options": ["a", "b"], "answer": "b"}),
    ("question", {"prompt": "P", "kind": "number", "answer": "3/4", "tolerance": 0}),
    ("question", {"prompt": "P", "kind": "open", "criteria": ["says why"]}),
]
WRONG = [
    ("heading", {}),
    ("paragraph", {"text": 5}),
    ("memory-trick", {"text": None}),
    ("definition", {"term": "T"}),
    ("step-sequence", {"steps": "a"}),
    ("step-sequence", {"steps": ["a", 5]}),
    ("worked-example", {"problem": "P", "solution": "S"}),
    ("callout-box", {"text": "T", "style": "loud"}),
    ("two-pictures", {"pictures": {"svg1": PICTURE}}),
    ("three-pictures", {"pictures": []}),
    ("four-pictures", {"pictures": {"svg1": 5, "svg2": PICTURE, "svg3": PICTURE, "svg4": PICTURE}}),
    ("hero-number", {"visual_type": "film", "visual_content": "x"}),
    ("hero-number", {"visual_type": "text"}),
    ("hero-number", {"visual_type": "bar-chart", "visual_content": "x", "chart_data": {"current": "1", "maximum": 2}}),
    ("three-svgs", {"title1": "a", "title2": "b", "title3": "c"}),
    ("exercise-code", {"prompt": "P", "cases": []}),
    ("exercise-code", {"prompt": "P", "cases": [{"call": "f", "expect": {"py": "f()"}}]}),
    ("exercise-code", {"prompt": "P", "cases": [{"call": "f", "expect": 1}], "time_s": 6}),
    ("question", {"prompt": "P", "kind": "choice", "options": ["a", "b"], "answer": "c"}),
    ("question", {"prompt": "P", "kind": "open"}),
    ("nonsense", {"text": "x"}),
    ("Paragraph", {"text": "x"}),
]


class Components(Case):
    @staticmethod
    def body(good):
        return {"node_id": "N001", "components": [{"type": kind, "order": order, "parameters": parameters, "confidence": 0.5}
                                                  for order, (kind, parameters) in enumerate(good, 1)],
                "suggested_template": "T", "overall_confidence": 0.25}

    def check_types(self, good):
        self.good("POST", "~/nodes/N001/components", self.body(good))
        answer = self.good("GET", "~/nodes/N001/components")
        self.assertEqual((answer["node_id"], answer["total_components"], answer["suggested_template"],
                          answer["overall_confidence"]), ("N001", len(good), "T", 0.25))
        for order, ((kind, parameters), component) in enumerate(zip(good, answer["components"]), 1):
            self.assertEqual((component["type"], component["component_type"]), (kind, kind))
            self.assertEqual((component["order"], component["order_index"]), (order, order))
            self.assertEqual((component["parameters"], component["confidence"]), (parameters, 0.5))
            self.assertIsInstance(component["component_id"], str)
            self.assertIsInstance(component["revision"], int)
        self.assertEqual(len({component["component_id"] for component in answer["components"]}), len(good))

    def test_every_type(self):
        self.check_types(GOOD)

    def test_exercises(self):
        if "exercises" in CAPABILITIES[self.target.name]:
            self.check_types(EXERCISES)
            return
        self.paragraphs("N001", "stays")
        for kind, parameters in EXERCISES:
            self.bad(422, "POST", "~/nodes/N001/components/insert", {"type": kind, "parameters": parameters})
        self.bad(422, "POST", "~/nodes/N001/components", self.body(EXERCISES))
        self.assertEqual(self.texts("N001"), ["stays"])

    def test_every_wrong_one_is_named_and_none_is_kept(self):
        self.paragraphs("N001", "stays")
        for kind, parameters in WRONG:
            body = {"type": kind, "order": 1, "parameters": parameters, "confidence": 1}
            with self.subTest(kind=kind, parameters=parameters):
                self.bad(422, "POST", "~/nodes/N001/components/insert", body)
                self.bad(422, "PUT", "~/nodes/N001/components/1", body)
        both = [paragraph("a"), {"type": "nonsense", "parameters": {}}, paragraph("b"), {"type": "heading", "parameters": {}},
                {"type": "paragraph"}, 5]
        for method, path in (("POST", "~/nodes/N001/components"), ("PUT", "~/nodes/N001/auto-save")):
            faults = self.places(method, path, {"components": both})
            self.assertEqual(sorted({".".join(fault.split(".")[:2]) for fault in faults}),
                             ["components.1", "components.3", "components.4", "components.5"])
        self.assertEqual(self.texts("N001"), ["stays"])

    def test_wrong_members(self):
        self.paragraphs("N001", "stays")
        for field, values in {"confidence": (-0.1, 1.1, "0.5", True, []), "parameters": (None, [], "text", 5),
                              "type": (None, 5, "", []), "order": ("1", [], {})}.items():
            for value in values:
                with self.subTest(field=field, value=value):
                    self.bad(422, "POST", "~/nodes/N001/components",
                             {"components": [paragraph("first"), {**paragraph("x"), field: value}]})
        for wrong in ({}, {"components": {}}, {"components": None}, {"components": "x"}):
            with self.subTest(wrong=wrong):
                self.assertEqual(self.places("POST", "~/nodes/N001/components", wrong), {"components"})
        self.assertEqual(self.texts("N001"), ["stays"])

    def test_sorted_and_renumbered(self):
        self.good("POST", "~/nodes/N001/components", {"components": [
            paragraph("c", 30), paragraph("a", -5), paragraph("b", 7), paragraph("b2", 7)]})
        self.assertEqual(self.texts("N001"), ["a", "b", "b2", "c"])
        self.good("POST", "~/nodes/N001/components", {"components": []})
        self.assertEqual(self.texts("N001"), [])

    def test_either_name_of_type_and_order(self):
        self.good("POST", "~/nodes/N001/components", {"components": [
            {"component_type": "paragraph", "order_index": 2, "parameters": {"text": "b"}},
            {"component_type": "paragraph", "order_index": 1, "parameters": {"text": "a"}}]})
        self.assertEqual(self.texts("N001"), ["a", "b"])

    def test_further_fields_are_kept(self):
        further = {"content": "text", "tags": [1, {"a": None}], "ö": "ü"}
        self.good("POST", "~/nodes/N001/components", {"components": [paragraph("x", **further)]})
        self.good("POST", "~/nodes/N001/components/insert", {**paragraph("y"), **further})
        for component in self.good("GET", "~/nodes/N001/components")["components"]:
            self.assertEqual({name: component[name] for name in further}, further)

    def test_strange_texts(self):
        self.paragraphs("N001", *STRANGE)
        self.assertEqual(self.texts("N001"), list(STRANGE))

    def test_the_longest_sequence(self):
        self.paragraphs("N001", *map(str, range(500)))
        self.assertEqual(self.texts("N001"), list(map(str, range(500))))
        self.bad(422, "POST", "~/nodes/N001/components", {"components": [paragraph("x")] * 501})
        self.assertEqual(len(self.texts("N001")), 500)

    def test_update_one(self):
        self.paragraphs("N001", "a", "b", "c")
        before = self.good("GET", "~/nodes/N001/components")["components"]
        self.good("PUT", "~/nodes/N001/components/2",
                  {"type": "heading", "order": 2, "parameters": {"text": "B"}, "confidence": 0.1})
        after = self.good("GET", "~/nodes/N001/components")["components"]
        self.assertEqual((after[0], after[2]), (before[0], before[2]))
        self.assertEqual((after[1]["type"], after[1]["parameters"], after[1]["confidence"]), ("heading", {"text": "B"}, 0.1))
        self.assertEqual(after[1]["component_id"], before[1]["component_id"])
        self.assertGreater(after[1]["revision"], before[1]["revision"])

    def test_delete_one(self):
        self.paragraphs("N001", "a", "b", "c")
        self.assertEqual(self.good("DELETE", "~/nodes/N001/components/2"), {"success": True, "remaining_components": 2})
        self.assertEqual(self.texts("N001"), ["a", "c"])
        self.bad(404, "DELETE", "~/nodes/N001/components/3")

    def test_orders_that_are_none(self):
        self.paragraphs("N001", "a")
        for method, body in (("PUT", {"type": "paragraph", "parameters": {"text": "x"}, "confidence": 1}), ("DELETE", None)):
            for order, status in (("2", 404), ("99999", 404), ("0", 422), ("-1", 422), ("x", 422), ("1.5", 422)):
                with self.subTest(method=method, order=order):
                    self.bad(status, method, "~/nodes/N001/components/" + order, body)
        self.assertEqual(self.texts("N001"), ["a"])

    def test_unknown_node(self):
        for method, path, body in (("GET", "", None), ("POST", "", {"components": []}), ("POST", "/insert", paragraph("x")),
                                   ("POST", "/reorder", [1]), ("PUT", "/1", paragraph("x")), ("DELETE", "/1", None)):
            with self.subTest(path=path):
                self.bad(404, method, "~/nodes/N777/components" + path, body)
        self.bad(404, "PUT", "~/nodes/N777/auto-save", {"components": []})

    def test_auto_save(self):
        self.paragraphs("N001", "a")
        answer = self.good("PUT", "~/nodes/N001/auto-save", {"components": [paragraph("z", 2), paragraph("y", 1)]})
        self.assertEqual((answer["success"], answer["total_components"]), (True, 2))
        datetime.datetime.fromisoformat(answer["saved_at"].replace("Z", "+00:00"))
        self.assertEqual(self.texts("N001"), ["y", "z"])


class Sequences(Case):
    def setUp(self):
        super().setUp()
        self.paragraphs("N001", "a", "b", "c")

    def test_reorder_in_both_forms(self):
        self.good("POST", "~/nodes/N001/components/reorder", {"order": [3, 1, 2]})
        self.assertEqual(self.texts("N001"), ["c", "a", "b"])
        self.good("POST", "~/nodes/N001/components/reorder", [3, 1, 2])
        self.assertEqual(self.texts("N001"), ["b", "c", "a"])

    def test_reorder_keeps_ids(self):
        before = {component["component_id"]: component["parameters"]["text"]
                  for component in self.good("GET", "~/nodes/N001/components")["components"]}
        self.good("POST", "~/nodes/N001/components/reorder", [2, 3, 1])
        after = {component["component_id"]: component["parameters"]["text"]
                 for component in self.good("GET", "~/nodes/N001/components")["components"]}
        self.assertEqual(after, before)

    def test_reorder_refuses(self):
        for order in ([], [1, 2], [1, 2, 2], [1, 2, 4], [0, 1, 2], ["1", "2", "3"], [1, 2, 3, 4], [1.5, 2, 3], [1, 2, None],
                      [1, 2, 10**9], [True, 2, 3]):
            with self.subTest(order=order):
                self.bad(422, "POST", "~/nodes/N001/components/reorder", order)
                self.bad(422, "POST", "~/nodes/N001/components/reorder", {"order": order})
        self.bad(422, "POST", "~/nodes/N001/components/reorder", {})
        self.assertEqual(self.texts("N001"), ["a", "b", "c"])

    def test_insert(self):
        for position, text, expected in ((1, "first", ["first", "a", "b", "c"]), (3, "third", ["first", "a", "third", "b", "c"]),
                                         (None, "end", ["first", "a", "third", "b", "c", "end"]),
                                         (7, "last", ["first", "a", "third", "b", "c", "end", "last"])):
            body = {"type": "paragraph", "parameters": {"text": text}, "confidence": 1}
            if position:
                body["position"] = position
            answer = self.good("POST", "~/nodes/N001/components/insert", body)
            self.assertEqual(self.texts("N001"), expected)
            component = self.good("GET", "~/nodes/N001/components")["components"][expected.index(text)]
            self.assertEqual(component["component_id"], answer["component_id"])
            self.assertNotIn("position", component)

    def test_insert_refuses(self):
        for position in (0, -1, 1.5, "1", [], True):
            with self.subTest(position=position):
                self.assertEqual(self.places("POST", "~/nodes/N001/components/insert", {**paragraph("x"), "position": position}),
                                 {"position"})
        self.assertEqual(self.texts("N001"), ["a", "b", "c"])

    def test_replace_with_ids(self):
        before = self.good("GET", "~/nodes/N001/components")["components"]
        ids = [component["component_id"] for component in before]
        for method, path in (("POST", "~/nodes/N001/components"), ("PUT", "~/nodes/N001/auto-save")):
            self.good(method, path, {"components": [
                paragraph("c", 1, component_id=ids[2]), paragraph("new", 2), paragraph("A", 3, component_id=ids[0])]})
            after = self.good("GET", "~/nodes/N001/components")["components"]
            self.assertEqual(self.texts("N001"), ["c", "new", "A"])
            self.assertEqual((after[0]["component_id"], after[2]["component_id"]), (ids[2], ids[0]))
            self.assertNotIn(after[1]["component_id"], ids)
        self.assertGreater(after[2]["revision"], before[0]["revision"])

    def test_what_is_read_can_be_sent_back(self):
        before = self.good("GET", "~/nodes/N001/components")
        self.good("POST", "~/nodes/N001/components", before)
        after = self.good("GET", "~/nodes/N001/components")
        for component in [*before["components"], *after["components"]]:
            component.pop("revision")
        self.assertEqual(after, before)

    def test_an_id_is_one_component(self):
        first = self.good("GET", "~/nodes/N001/components")["components"][0]["component_id"]
        status, _, _ = self.ask("POST", "~/nodes/N001/components", {"components": [
            paragraph("x", 1, component_id=first), paragraph("y", 2, component_id=first)]})
        self.ask("POST", "~/nodes/N002/components", {"components": [paragraph("z", 1, component_id=first)]})
        ids = [component["component_id"] for nid in ("N001", "N002")
               for component in self.good("GET", "~/nodes/%s/components" % nid)["components"]]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertIn(status, (200, 422))


class BarePaths(Case):
    """The original spelling, without a session."""

    ROUTES = [("GET", "", None), ("POST", "", {"components": [paragraph("new")]}), ("POST", "/insert", paragraph("more")),
              ("POST", "/reorder", [2, 1]), ("PUT", "/1", paragraph("changed")), ("DELETE", "/1", None)]

    def setUp(self):
        super().setUp()
        self.nid = "U" + self.sid.replace("-", "")      # no other session has it
        self.good("POST", "~/nodes", {"node_id": self.nid, "title": "Unique"})
        self.bare = "/nodes/%s/components" % self.nid

    def test_an_id_of_one_session(self):
        for method, path, body in self.ROUTES:
            self.good(method, self.bare + path, body)
        self.assertEqual(self.texts(self.nid), ["new"])
        self.assertEqual(self.good("GET", self.bare), self.good("GET", "~/nodes/%s/components" % self.nid))

    def twice(self):
        """The same node id in a second session, whose id is given."""
        other = self.new_session()
        self.good("POST", "/session/%s/nodes" % other, {"node_id": self.nid, "title": "Other"})
        for sid in (self.sid, other):
            self.good("POST", "/session/%s/nodes/%s/components" % (sid, self.nid),
                      {"components": [paragraph(sid, 1), paragraph("second", 2)]})
        return other

    def test_an_id_of_two_sessions_is_409(self):
        other = self.twice()
        for method, path, body in self.ROUTES:
            with self.subTest(method=method, path=path):
                self.assertIn("x-session-id", self.bad(409, method, self.bare + path, body).lower())
        for sid in (self.sid, other):
            self.sid = sid
            self.assertEqual(self.texts(self.nid), [sid, "second"])

    def test_header_and_query_name_the_session(self):
        other = self.twice()
        mine = self.good("GET", "~/nodes/%s/components" % self.nid)
        self.assertEqual(self.good("GET", self.bare, X_Session_ID=self.sid), mine)
        self.assertEqual(self.good("GET", self.bare + "?session_id=" + self.sid), mine)
        for method, path, body in self.ROUTES:
            self.good(method, self.bare + path, body, X_Session_ID=other)
        self.assertEqual(self.good("GET", "~/nodes/%s/components" % self.nid), mine)
        self.good("DELETE", self.bare + "/1?session_id=" + self.sid)
        self.assertEqual(self.texts(self.nid), ["second"])

    def test_a_session_that_does_not_have_it(self):
        empty = self.new_session()
        self.bad(404, "GET", self.bare, X_Session_ID=empty)
        self.bad(404, "DELETE", self.bare + "/1?session_id=" + empty)
        self.bad(401, "GET", self.bare, X_Session_ID="nonsense")
        self.bad(401, "GET", self.bare + "?session_id=nonsense")
        self.bad(404, "GET", "/nodes/nowhere-at-all/components")
