# SPDX-License-Identifier: GPL-3.0-or-later
"""What analysis code reads of a real session: contents as in the curriculum file, and each graph query as data. Reads over HTTP and from
inside a run must be equal."""
import json
import unittest
import urllib.parse

import harness

# Every query, with arguments that go with it.
QUESTIONS = {
    "outline": {}, "counts": {}, "neighbours": {"node_id": "N002"}, "path": {"from_node_id": "S001", "to_node_id": "N009"},
    "needs": {"node_id": "N009"}, "needed_by": {"node_id": "S004"},
    "common_needs": {"from_node_id": "N009", "to_node_id": "N013"}, "starting_points": {}, "end_points": {},
    "order": {"limit": 5, "words": "true"}, "pace": {"parts": 3}, "levels": {"node_id": "N009"}, "longest_chain": {},
    "cycles": {"types": ["all"]}, "bottlenecks": {"types": ["PREREQUISITE", "ENRICHMENT"]}, "hubs": {"limit": 3},
    "unlocks": {}, "redundant": {}, "unreachable": {"node_id": "N002"},
    "coverage": {"framework": "self.sid"}}


class Helpers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workspace = harness.Workspace()
        cls.addClassCleanup(cls.workspace.close)
        cls.path = harness.shared("data", "fractions.json")
        cls.file = json.loads(cls.path.read_text(encoding="utf-8"))
        cls.sid = cls.workspace.load(cls.path)
        cls.server = harness.Server(cls.workspace)
        cls.addClassCleanup(cls.server.close)
        cls.server.initialize()

    def run_code(self, code):
        """What the code printed, as JSON."""
        names = "import json\nfrom code_helpers import get_nodes, get_node_content, get_all_content, query_graph\n"
        return json.loads(self.server.good("execute_code", session_id=self.sid, code=names + code).splitlines()[0])

    def get(self, path):
        status, body, _ = self.server.http("GET", "/session/%s%s" % (self.sid, path))
        return status, body

    def test_every_query_is_asked_here(self):
        status, listed = self.get("/graph")
        self.assertEqual((status, [row["query"] for row in listed["queries"]]), (200, list(QUESTIONS)))

    def test_a_run_is_told_what_http_says(self):
        for name, given in QUESTIONS.items():
            given = {argument: self.sid if value == "self.sid" else value for argument, value in given.items()}
            inside = self.run_code("print(json.dumps(query_graph(%r, **%r)))" % (name, given))
            status, outside = self.get("/graph/%s?%s" % (name, urllib.parse.urlencode(given, doseq=True)))
            self.assertEqual((status, outside), (200, inside))
            self.assertEqual(outside["query"], name)

    def test_a_write_is_seen_by_the_next_run(self):
        before = self.run_code("print(query_graph('counts')['nodes'])")
        self.server.good("create_relationship", session_id=self.sid, from_node_id="S001", to_node_id="N013",
                         relationship_type="ENRICHMENT", explanation="A test")
        edges = [self.run_code("print(query_graph('counts')['relationships'])"), self.get("/graph/counts")[1]["relationships"]]
        self.assertEqual((before, edges), (len(self.file["nodes"]), [len(self.file["relationships"]) + 1] * 2))

    def test_wrong_questions_say_what_is_right(self):
        for call, text in (("query_graph('bottleneck')", "did you mean 'bottlenecks'"),
                           ("query_graph('needs')", "takes node_id"),
                           ("query_graph('needs', 'N0009')", "the nearest is"),
                           ("query_graph('order', types='NOPE')", "There are: ")):
            is_error, answer = self.server.call("execute_code", session_id=self.sid,
                                                code="from code_helpers import query_graph\n" + call)
            self.assertTrue(is_error)
            self.assertIn("ValueError", answer)
            self.assertIn(text, answer)

    def test_contents_are_those_of_the_file(self):
        one_by_one = self.run_code("all = get_all_content()\nones = [get_node_content(n['node_id']) for n in get_nodes()]\n"
                                   "assert ones == all\nprint(json.dumps([[c['node_id'], c['title'], len(c['components'])] "
                                   "for c in ones]))")
        self.assertEqual(one_by_one, [[node["node_id"], node["title"], len(node.get("components", []))]
                                      for node in self.file["nodes"]])


if __name__ == "__main__":
    unittest.main(verbosity=2)
