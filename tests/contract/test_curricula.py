# SPDX-License-Identifier: GPL-3.0-or-later
"""More than one curriculum in a store: named by titles, read together by one analysis, linked to one another, and imported."""
import contextlib
import json
import os
import pathlib
import re
import sqlite3
import time
import unittest

import harness
import test_mirror as mirror

READS = """
import json
from code_helpers import get_nodes, get_relationships, get_node_content, get_all_content, query_graph
def told(act):
    try:
        return act()
    except Exception as error:
        return "%s: %s" % (type(error).__name__, error)
"""


class CurriculaCase(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        self.file = os.path.join(self.workspace.data, "tokens")
        self.scales = self.load("Scales and maps", "S")
        self.levers = self.load("Levers", "L")
        self.secret = self.load("Unseen", "U")

    def load_file(self, curriculum):
        path = pathlib.Path(self.workspace.data) / "curriculum.json"
        path.write_text(json.dumps(curriculum))
        return self.workspace.load(path)

    def load(self, title, letter):
        """A curriculum of two lessons whose texts have its letter."""
        return self.load_file({"meta": {"title": title}, "nodes": [
            {"node_id": "N%03d" % place, "title": "%s%d" % (letter, place), "components": [
                {"component_type": "paragraph", "order": 1, "parameters": {"text": "text of %s%d" % (letter, place)}}]}
            for place in (1, 2)], "relationships": [
                {"from_node_id": "N001", "to_node_id": "N002", "relationship_type": "PREREQUISITE", "explanation": letter}]})

    def start(self, *words, name="harness"):
        client = harness.Stdio(self.workspace, *words)
        self.addCleanup(lambda: self.assertEqual(client.close(), 0))
        client.initialize(name=name)
        return client

    def refused(self, client, tool, *says, **arguments):
        is_error, text = client.call(tool, **arguments)
        self.assertTrue(is_error, text)
        for word in says:
            self.assertIn(word, text)
        return text

    def run_code(self, client, code, **arguments):
        return json.loads(client.good("execute_code", code=READS + "print(json.dumps(%s))" % code, **arguments).splitlines()[0])


class Names(CurriculaCase):
    """Titles, what an analysis reads beside its own curriculum, and what a bound connection or token may not name."""

    def test_a_title_names_a_curriculum(self):
        client = self.start()
        for name in ("Levers", "levers", " LEVERS ", self.levers):
            self.assertIn("L1", client.good("query_graph", query="outline", session_id=name))
        client.good("create_relationship", session_id="Levers", from_node_id="L2", to_node_id="L1",
                    relationship_type="ENRICHMENT", idempotency_key="once")
        client.good("create_relationship", session_id=self.levers, from_node_id="L2", to_node_id="L1",
                    relationship_type="ENRICHMENT", idempotency_key="once")
        self.assertEqual(self.run_code(client, "len(get_relationships())", session_id="levers"), 2)

    def test_find_lists_the_curricula_and_looks_in_several(self):
        client = self.start()
        listed = client.good("find")
        self.assertTrue(listed.startswith("3 curricula:\n"), listed)
        for title, sid in ("Scales and maps", self.scales), ("Levers", self.levers), ("Unseen", self.secret):
            self.assertIn('"%s", session_id %s' % (title, sid), listed)
        found = client.good("find", text="text", session_id="levers", also=["Scales and maps"])
        own, other = found.split('\n\nIn "Scales and maps": ')
        self.assertIn("L2", own)
        self.assertNotIn("S2", own)
        self.assertIn("S2", other)
        self.assertNotIn("U2", found)
        self.refused(client, "find", "did you mean 'Unseen'", text="text", session_id="levers", also=["Unsen"])
        self.refused(client, "find", "at most 4", text="text", session_id="levers", also=["Unseen"] * 5)
        self.refused(client, "find", "leave also out", node_id="N001", session_id="levers", also=["Unseen"])
        bound = self.start("--session", self.levers)
        self.assertIn("L1", bound.good("find"))
        self.refused(bound, "find", "reaches no other", text="text", also=["Unseen"])

    def test_a_wrong_name_is_told_what_there_is(self):
        client = self.start()
        self.refused(client, "query_graph", "session_id", "did you mean 'Scales and maps'", self.scales,
                     query="counts", session_id="Scales and map")
        self.refused(client, "query_graph", "the store has 3", "Levers", self.levers, "Unseen", query="counts", session_id="?")
        self.refused(client, "query_graph", "Levers", self.levers, query="counts", session_id="x" * 5000)
        text = self.refused(client, "query_graph", query="counts", session_id="00000000-0000-4000-8000-000000000000")
        self.assertIn("there is no session", text)
        twin = self.load("Levers", "T")
        self.refused(client, "query_graph", "is the title of 2 curricula", self.levers, twin, query="counts", session_id="levers")
        self.assertIn("T1", client.good("query_graph", query="outline", session_id=twin))

    def test_many_curricula_are_not_all_listed(self):
        client = self.start()
        for number in range(40):
            client.good("import_curriculum", text="# Course %d\n\nA text.\n" % number)
        text = self.refused(client, "query_graph", "the store has 43", query="counts", session_id="?")
        self.assertLess(len(text), 1500)

    def test_an_analysis_reads_what_also_names(self):
        client = self.start()
        code = ("[[n['title'] for n in get_nodes()], [n['title'] for n in get_nodes('Levers')], "
                "get_relationships('Levers')[0]['explanation'], get_node_content('N001', 'Levers')['components'][0]['parameters'], "
                "get_node_content('N001')['components'][0]['parameters'], [n['title'] for n in get_all_content(%r)], "
                "query_graph('counts', session_id='Levers')['nodes'], len(get_all_content())]" % self.levers)
        self.assertEqual(self.run_code(client, code, session_id="Scales and maps", also=["Levers"]), [
            ["S1", "S2"], ["L1", "L2"], "L", {"text": "text of L1"}, {"text": "text of S1"}, ["L1", "L2"], 2, 2])
        self.assertEqual(self.run_code(client, "[get_nodes(s)[0]['title'] for s in (None, %r, %r)]" % (self.levers, self.secret),
                                       session_id=self.scales, also=[self.levers, self.secret]), ["S1", "L1", "U1"])
        self.assertEqual(self.run_code(client, "len(get_nodes('Levers'))", session_id="Scales and maps", also="Levers"), 2)

    def test_an_analysis_reads_no_other(self):
        client = self.start()
        for also in ([], ["Levers"]):
            for name in ("Unseen", self.secret, self.secret.upper(), self.levers + "/../" + self.secret, ""):
                said = self.run_code(client, "told(lambda: get_nodes(%r))" % name, session_id=self.scales, also=also)
                self.assertIn("PermissionError", said)
                self.assertIn("also", said)
        self.assertIn("Levers", said)
        self.assertIn("PermissionError", self.run_code(client, "told(lambda: get_nodes(%r))" % self.levers, session_id=self.scales))
        for node_id in ("../../%s/nodes" % self.secret, "N001/../../../%s/nodes/N001" % self.secret):
            said = self.run_code(client, "told(lambda: get_node_content(%r, 'Levers'))" % node_id, session_id=self.scales,
                                 also=["Levers"])
            self.assertIn("ValueError", said)

    def test_wrong_names_in_also(self):
        client = self.start()
        arguments = {"code": "1", "session_id": self.scales}
        self.refused(client, "execute_code", "also", "did you mean 'Levers'", also=["Lever"], **arguments)
        self.refused(client, "execute_code", "also", "at most 4", also=[self.levers] * 5, **arguments)
        self.refused(client, "execute_code", "also", also=[7], **arguments)
        self.refused(client, "execute_code", "also", also=[""], **arguments)
        client.good("execute_code", also=[], **arguments)

    def check_bound(self, client):
        """Bound to Scales and maps: it names no other, and learns nothing of those that there are."""
        self.assertIn("S1", client.good("query_graph", query="outline", session_id="scales and maps"))
        self.assertEqual(self.run_code(client, "len(get_nodes())", also=[self.scales, "Scales and maps"]), 2)
        for name in ("Levers", self.levers, "Lever", "?", "00000000-0000-4000-8000-000000000000"):
            for tool, arguments in (("query_graph", {"query": "counts", "session_id": name}),
                                    ("execute_code", {"code": "1", "also": [name]}),
                                    ("execute_code", {"code": "1", "session_id": name})):
                text = self.refused(client, tool, "bound to session " + self.scales, **arguments)
                for other in (self.levers, self.secret, "'Levers'", "Unseen"):
                    self.assertNotIn(other, text)
        said = self.run_code(client, "told(lambda: get_nodes(%r))" % self.levers)
        self.assertIn("PermissionError", said)

    def test_a_bound_connection_names_no_other(self):
        self.check_bound(self.start("--session", self.scales))

    def test_a_bound_token_names_no_other(self):
        token = self.workspace.run("token", "--token-file", self.file, "--session", self.scales,
                                   "anna").stdout.decode().strip()
        server = harness.Server(self.workspace, "--token-file", self.file)
        self.addCleanup(server.close)
        plain = server.http
        server.http = lambda *words, **headers: plain(*words, Authorization="Bearer " + token, **headers)
        server.initialize()
        self.check_bound(server)


class Links(CurriculaCase):
    """A lesson linked to another curriculum's: what the graph makes of it, what becomes of it, and who may make one."""

    def link(self, client, **more):
        return client.good("create_relationship", **{
            "session_id": "Scales and maps", "from_node_id": "S1", "to_node_id": "L2", "to_session": "Levers",
            "relationship_type": "exactMatchOf", "explanation": "the same", **more})

    def change(self, client, operation, **more):
        return client.good("change_curriculum", session_id=self.scales, operations=[operation], **more)

    def relationships(self, sid=None):
        return json.loads(self.workspace.run("export", sid or self.scales).stdout)["relationships"]

    def links(self, sid=None):
        return [(each["from_node_id"], each["relationship_type"], each["to_node_id"]) for each in self.relationships(sid)
                if each["to_node_id"].startswith("lectern:")]

    def uri(self, node_id, sid=None):
        return "lectern://curriculum/%s/node/%s" % (sid or self.levers, node_id)

    def lesson(self, client, node_id="N001"):
        answer = client.request("resources/read", {"uri": self.uri(node_id, self.scales)})
        return answer["result"]["contents"][0]["text"]

    def test_a_link_is_kept_and_told(self):
        client = self.start()
        self.assertIn('exactMatchOf from N001 "S1" to L2 "L2" of Levers', self.link(client))
        self.assertEqual(self.links(), [("N001", "exactMatchOf", self.uri("N002"))])
        self.assertEqual((self.relationships()[1]["to_title"], self.relationships()[1]["explanation"]), ("L2", "the same"))
        self.refused(client, "create_relationship", "there is already a exactMatchOf", "the same", session_id=self.scales,
                     from_node_id="N001", to_node_id="N002", to_session=self.levers, relationship_type="exactMatchOf")
        self.assertIn("isRelatedTo", self.link(client, relationship_type=None))
        self.assertIn("- exactMatchOf [L2](%s) of Levers\n" % self.uri("N002"), self.lesson(client))
        self.assertNotIn("Links", self.lesson(client, "N002"))

    def test_links_are_seen_and_removed(self):
        client = self.start()
        self.assertNotIn("Link", client.good("find", session_id=self.scales, node_id="S1"))
        self.link(client)
        self.link(client, relationship_type=None)
        number = re.search(r'N002 "L2" of curriculum %s \(relationship id (\d+)\)' % self.levers,
                           client.good("query_graph", session_id=self.scales, query="neighbours", node_id="S1"))[1]
        self.assertIn("Linked to other curricula (2):",
                      client.good("query_graph", session_id=self.scales, query="neighbours", node_id="S1"))
        self.assertNotIn("Linked", client.good("query_graph", session_id=self.scales, query="neighbours", node_id="S2"))
        self.assertIn("2 links to other curricula, from 1 node", client.good("query_graph", session_id=self.scales, query="counts"))
        self.assertIn('Link: exactMatchOf N002 "L2" of "Levers" (relationship id %s)' % number,
                      client.good("find", session_id=self.scales, node_id="S1"))
        for arguments, first in ({"in": "links"}, "S1"), ({"without": "links"}, "S2"), ({"without": "exactMatchOf"}, "S2"), \
                ({"in": "links", "text": "S1"}, "S1"):
            text = client.good("find", session_id=self.scales, **arguments)
            self.assertIn('"%s"' % first, text)
            self.assertNotIn('"S1"' if first == "S2" else '"S2"', text)
        self.refused(client, "change_curriculum", "did you mean 'Levers'", session_id=self.scales, operations=[
            {"op": "delete_relationship", "from": "S1", "to": "L2", "to_session": "Lever", "type": "exactMatchOf"}])
        self.refused(client, "change_curriculum", "isRelatedTo (id ", session_id=self.scales, operations=[
            {"op": "delete_relationship", "from": "S1", "to": "L2", "to_session": "Levers", "type": "isPartOf"}])
        self.change(client, {"op": "delete_relationship", "from": "S1", "to": "L2", "to_session": "Levers", "type": "isRelatedTo"})
        self.assertEqual([each[1] for each in self.links()], ["exactMatchOf"])
        client.good("change_curriculum", session_id=self.levers, operations=[{"op": "delete_node", "node_id": "L2"}])
        self.assertIn("which is gone", client.good("find", session_id=self.scales, node_id="S1"))
        self.change(client, {"op": "delete_relationship", "from": "S1", "to": "N002", "to_session": "Levers", "type": "exactMatchOf"})
        self.assertEqual(self.links(), [])

    def test_coverage_of_a_framework(self):
        client = self.start()
        framework = self.load_file({
            "meta": {"title": "Grade 6"},
            "nodes": [{"node_id": each, "title": "Statement " + each, "chapter_id": each[0], "components": []}
                      for each in ("A", "A1", "A2", "B", "B1", "B2", "B21")],
            "relationships": [{"from_node_id": below, "to_node_id": above, "relationship_type": "isChildOf"}
                              for below, above in (("A1", "A"), ("A2", "A"), ("B1", "B"), ("B2", "B"), ("B21", "B2"))]})

        def ask(**more):
            return client.good("query_graph", session_id=self.scales, query="coverage", framework="Grade 6", **more)
        self.assertRegex(ask(), r'(?s)^0 of 4 statements have a lesson \(3 headings.*4 without a lesson:\nA1 "Statement A1"\nA2 .*'
                                r'\nB1 .*\nB21 .*0 with several lessons\.\n2 of 2 lessons without a statement:')
        for lesson, statement in ("S1", "A1"), ("S2", "A1"), ("S1", "B21"), ("S2", "B"):
            self.link(client, from_node_id=lesson, to_node_id=statement, to_session="Grade 6", relationship_type="isRelatedTo")
        self.link(client, from_node_id="S1", to_node_id="A1", to_session=framework, relationship_type="exactMatchOf")
        self.assertRegex(ask(), r'(?s)^2 of 4 statements have.*2 without a lesson:\nA2 .*\nB1 .*1 with several lessons:\nA1 "Statement A1": '
                                r'N001 "S1", N002 "S2"\n0 of 2 lessons without a statement\.')
        for part in "B", "Statement B":
            self.assertRegex(ask(node_id=part), r'(?s)^1 of 2 statements.*1 without a lesson:\nB1 "Statement B1"\n0 with several lessons\.\n$')
        self.assertRegex(ask(node_id="B2"), r"^1 of 1 statement ")
        data = self.run_code(client, "query_graph('coverage', framework='Grade 6')", session_id=self.scales, also=["Grade 6"])
        self.assertEqual((data["statements"], data["headings"], data["covered"], data["lessons_without"]), (4, 3, 2, []))
        self.assertEqual(data["several"], [{"node_id": "A1", "title": "Statement A1", "lessons": ["N001", "N002"]}])
        self.assertIn("Error", self.run_code(client, "told(lambda: query_graph('coverage', framework='Grade 6'))", session_id=self.scales))
        for change, says in (({"framework": "Grade 7"}, "did you mean 'Grade 6'"), ({"framework": None}, "takes framework"),
                             ({"node_id": "C"}, "no node"), ({"query": "counts"}, "takes no framework"),
                             ({"from_node_id": "S1"}, "leave from_node_id")):
            self.refused(client, "query_graph", says, **{"session_id": self.scales, "query": "coverage", "framework": "Grade 6", **change})

    def test_a_reader_of_one_curriculum_learns_nothing_of_a_framework(self):
        self.link(self.start())
        client = self.start("--session", self.scales)
        self.refused(client, "query_graph", "session %s alone may be read here" % self.scales, query="coverage", framework="Levers")
        self.assertNotIn("Levers", client.good("find", node_id="S1") + client.good("query_graph", query="neighbours", node_id="S1"))

    def test_the_graph_leaves_links_out(self):
        client = self.start()
        before = {query: client.good("query_graph", query=query, session_id=self.scales, types=["all"])
                  for query in ("outline", "cycles", "order", "hubs")}
        self.link(client)
        self.link(client, relationship_type="precedes")
        self.change(client, {"op": "create_relationship", "from": "S2", "to": "L1", "to_session": "Levers", "type": "isPartOf"})
        for query, text in before.items():
            self.assertEqual(client.good("query_graph", query=query, session_id=self.scales, types=["all"]), text)
        self.assertEqual(self.run_code(client, "[len(get_relationships()), query_graph('counts')['relationships']]",
                                       session_id=self.scales), [4, 1])

    def test_wrong_links_are_told_what_to_send(self):
        client = self.start()
        link = {"session_id": self.scales, "from_node_id": "S1", "to_node_id": "L1", "to_session": "Levers"}
        for change, says in (({"to_session": "Lever"}, ["to_session", "did you mean 'Levers'"]),
                             ({"to_node_id": "L9"}, ["to_node_id", "did you mean"]),
                             ({"from_node_id": "L1"}, ["from_node_id"]),
                             ({"relationship_type": "PREREQUISITE"}, ["exactMatchOf"]),
                             ({"relationship_type": "exactMatch"}, ["exactMatchOf"]),
                             ({"to_session": None, "relationship_type": "exactMatchOf", "to_node_id": "S2"}, ["LEADS_TO"]),
                             ({"to_session": None, "to_node_id": self.uri("N009")}, ["no node 'N009'"]),
                             ({"to_session": None, "to_node_id": self.uri("N001", "nowhere")}, ["no session 'nowhere'"]),
                             ({"to_session": None, "to_node_id": self.uri("%FF")}, ["is not the URI of a node"])):
            arguments = {name: value for name, value in {**link, **change}.items() if value is not None}
            self.refused(client, "create_relationship", *says, **arguments)
        self.assertEqual(len(self.relationships()), 1)
        text = client.good("create_relationship", session_id=self.scales, from_node_id="S2", to_node_id="S1",
                           to_session="Scales and maps", relationship_type="ENRICHMENT")
        self.assertIn("ENRICHMENT", text)  # its own curriculum: a plain relationship
        self.assertEqual((self.links(), len(self.relationships())), ([], 2))

    def test_what_is_deleted_leaves_a_link_that_says_so(self):
        client = self.start()
        self.link(client)
        self.link(client, to_node_id="L1", relationship_type="isPartOf")
        client.good("change_curriculum", session_id=self.levers, operations=[{"op": "delete_node", "node_id": "N002"}])
        text = self.lesson(client)
        self.assertIn("- exactMatchOf [L2](%s): it has been deleted" % self.uri("N002"), text)
        self.assertIn("- isPartOf [L1](%s) of Levers\n" % self.uri("N001"), text)
        self.workspace.run("delete", "--yes", self.levers)
        self.assertIn("[L1](%s): it has been deleted" % self.uri("N001"), self.lesson(client))
        self.assertEqual(len(self.links()), 2)
        client.good("query_graph", query="counts", session_id=self.scales)
        self.refused(client, "create_relationship", "to_session", session_id=self.scales, from_node_id="S1", to_node_id="L1",
                     to_session="Levers")
        self.refused(client, "create_relationship", "was deleted", session_id=self.scales, from_node_id="S1",
                     to_node_id="N001", to_session=self.levers)
        self.change(client, {"op": "delete_relationship", "from": "N001", "to": self.uri("N001"), "type": "isPartOf"})
        self.assertEqual(self.links(), [("N001", "exactMatchOf", self.uri("N002"))])

    def test_undo_restore_merge_and_delete_with_links(self):
        client = self.start()
        self.link(client)
        whole = self.relationships()
        self.change(client, {"op": "merge_nodes", "node_id": "N001", "into_node_id": "N002"})
        self.assertEqual(self.links(), [("N002", "exactMatchOf", self.uri("N002"))])
        status = harness.Server(self.workspace)
        self.addCleanup(status.close)

        def undo():
            newest = status.http("GET", "/session/%s/history" % self.scales)[1]["changes"][0]["change_set"]
            done = status.http("POST", "/session/%s/undo" % self.scales, {"change_set": newest})
            self.assertEqual(done[0], 200, done[1])

        undo()
        self.assertEqual(self.relationships(), whole)
        self.change(client, {"op": "delete_node", "node_id": "N001"})
        self.assertEqual(self.links(), [])
        undo()
        self.assertEqual(sorted(map(json.dumps, self.relationships())), sorted(map(json.dumps, whole)))
        self.change(client, {"op": "edit_relationship", "from": "N001", "to": self.uri("N002"), "type": "exactMatchOf",
                             "new_type": "isPeerOf"})
        self.assertEqual(self.links(), [("N001", "isPeerOf", self.uri("N002"))])
        self.refused(client, "change_curriculum", "exactMatchOf", session_id=self.scales, operations=[
            {"op": "edit_relationship", "from": "N001", "to": self.uri("N002"), "type": "isPeerOf", "new_type": "LEADS_TO"}])
        undo()
        self.change(client, {"op": "delete_relationship", "from": "N001", "to": self.uri("N002"), "type": "exactMatchOf"})
        self.workspace.run("delete", "--yes", self.levers)
        undo()  # back, although what it leads to is gone
        self.assertEqual(self.links(), [("N001", "exactMatchOf", self.uri("N002"))])
        self.assertEqual(status.http("POST", "/session/%s/restore" % self.scales, {"version": 1})[0], 200)
        self.assertEqual(self.links(), [])

    def test_a_dry_run_knows_the_other_end(self):
        client = self.start()
        link = {"op": "create_relationship", "from": "S1", "to": "L2", "to_session": "Levers", "type": "exactMatchOf"}
        self.assertIn('"L2"', self.change(client, link, dry_run=True))
        self.refused(client, "change_curriculum", "did you mean", session_id=self.scales, dry_run=True,
                     operations=[dict(link, to_session="Lever")])
        self.assertEqual(self.links(), [])

    def test_the_session_api_makes_links(self):
        server = harness.Server(self.workspace)
        self.addCleanup(server.close)
        path = "/session/%s/relationships" % self.scales
        body = {"from_node_id": "N001", "to_node_id": "N002", "to_session": self.levers, "relationship_type": "exactMatchOf"}
        self.assertEqual(server.http("POST", path, body)[0], 200)
        self.assertEqual(server.http("POST", path, body)[0], 409)
        self.assertEqual(server.http("POST", path, dict(body, relationship_type="LEADS_TO"))[0], 422)
        self.assertEqual(server.http("POST", path, dict(body, to_session=7))[0], 422)
        self.assertEqual(server.http("POST", path, dict(body, to_node_id="N009"))[0], 404)
        listed = server.http("GET", path)[1]["relationships"]
        self.assertEqual([each["to_node_id"] for each in listed], ["N002", self.uri("N002")])
        self.assertEqual(server.http("POST", path + "/bulk", {"relationships": [
            {"from": "N001", "to": self.uri("N001"), "type": "LEADS_TO"}]})[0], 422)

    def test_a_bound_connection_links_to_no_other(self):
        self.link(self.start())
        bound = self.start("--session", self.scales)
        for name in ("Levers", self.levers, "Lever"):
            text = self.refused(bound, "create_relationship", "bound to session", from_node_id="S1", to_node_id="L1",
                                to_session=name)
            self.assertNotIn(self.secret, text)
            self.refused(bound, "change_curriculum", "bound to session", dry_run=True, operations=[
                {"op": "create_relationship", "from": "S1", "to": "L1", "to_session": name, "type": "isPartOf"}])
        self.refused(bound, "create_relationship", "bound to session", from_node_id="S1", to_node_id=self.uri("N001"))
        bound.good("change_curriculum", operations=[{"op": "rename_node", "node_id": "N002", "title": "S3"}])
        self.workspace.run("delete", "--yes", self.levers)
        self.assertNotIn("deleted", self.lesson(bound))  # it learns nothing of the other

    def test_links_come_through_every_format(self):
        client = self.start()
        self.link(client)
        self.change(client, {"op": "create_relationship", "from": "N002", "to": "N001", "to_session": "Levers", "type": "precedes"})
        before = json.loads(self.workspace.run("export", self.scales).stdout)
        for format_name, path in (("json", "a.json"), ("case", "a.case.json"), ("markdown", "notes"), ("csv", "sheets")):
            path = os.path.join(self.workspace.data, path)
            self.workspace.run("export", self.scales, "--format", format_name, "-o", path)
            done = self.workspace.run("import", path)
            after = json.loads(self.workspace.run("export", done.stdout.decode().split()[-1]).stdout)
            self.assertEqual(after, before, format_name)
            self.assertNotIn(b"does not exist", done.stderr)

    def test_a_link_to_a_framework_is_a_case_association(self):
        """An editor aligns a lesson with a framework of CASE: other tools get the framework's own item."""
        item = {"identifier": "0c2f6b2a-6c56-4a0e-9a52-6f8f0d3c1a11", "fullStatement": "Reads a scale",
                "uri": "https://standards.example/CFItems/0c2f6b2a-6c56-4a0e-9a52-6f8f0d3c1a11",
                "lastChangeDateTime": "2026-01-01T00:00:00Z"}
        package = {"CFDocument": {"identifier": "5a7a5c8e-6d7b-4f60-8f5b-6a3d1f2e0c99", "title": "Standards", "uri": "urn:x",
                                  "creator": "c", "lastChangeDateTime": "2026-01-01T00:00:00Z"},
                   "CFItems": [item], "CFAssociations": []}
        client = self.start()
        client.good("import_curriculum", text=json.dumps(package))
        self.link(client, to_node_id="Reads a scale", to_session="Standards")
        path = os.path.join(self.workspace.data, "out.case.json")
        self.workspace.run("export", self.scales, "--format", "case", "-o", path)
        made = json.loads(pathlib.Path(path).read_text())["CFAssociations"][1]
        self.assertEqual(made["associationType"], "exactMatchOf")
        self.assertEqual(made["destinationNodeURI"], {"title": "Reads a scale", "identifier": item["identifier"], "uri": item["uri"]})


class Imports(CurriculaCase):
    """import_curriculum: each format as a text, and texts that are none."""

    def imported(self, text, **more):
        said = self.start().good("import_curriculum", text=text, **more)
        return said, json.loads(self.workspace.run("export", said.split("session ")[1].split(":")[0]).stdout)

    def test_json(self):
        file = {"meta": {"title": "Small"}, "nodes": [{"node_id": "A", "title": "a", "components": []}], "relationships": [
            {"from_node_id": "A", "to_node_id": "B", "relationship_type": "LEADS_TO"}]}
        said, back = self.imported(json.dumps(file))
        self.assertEqual(back, file)
        self.assertIn('Imported "Small"', said)
        self.assertIn("1 nodes, 0 components, 1 relationships", said)
        self.assertIn("to_node_id of a relationship does not exist: relationship 1: 'B'", said)
        self.assertEqual(self.imported("\ufeff \n" + json.dumps(file), title="Other")[0].split('"')[1], "Other")

    def test_csv_and_markdown(self):
        _, back = self.imported("node_id,title\nA,First\nB,Second\n", title="Sheet")
        self.assertEqual([(node["node_id"], node["title"]) for node in back["nodes"]], [("A", "First"), ("B", "Second")])
        _, back = self.imported("# Levers\n\nA lever turns.\n\n## Arms\n\nTwo arms.\n")
        self.assertEqual((back["meta"]["title"], len(back["nodes"])), ("Levers", 1))
        self.assertIn("A lever turns.", json.dumps(back))
        _, back = self.imported("---\nnode_id: X7\ntitle: Gears\n---\n\n<!-- component: paragraph -->\nTeeth.\n")
        self.assertEqual((back["nodes"][0]["node_id"], back["nodes"][0]["components"][0]["parameters"]), ("X7", {"text": "Teeth."}))

    def add(self, client, title):
        return client.good("import_curriculum", text="# %s\n\nA text.\n" % title).split("session ")[1].split(":")[0]

    def test_an_import_is_undone(self):
        """By its writer, alone or after the changes that the same writer made to it; the session is gone with its history."""
        client = self.start()
        before = self.workspace.run("sessions").stdout
        for more in ({}, {"version": 1}, {"idempotency_key": "once"}):
            sid = self.add(client, "Wheels")
            self.assertIn('Undone: the import of "Wheels" (1 node, 1 component, 0 relationships). Session %s is deleted, with its history' % sid,
                          client.good("undo", session_id=sid, **more))
            self.assertEqual(self.workspace.run("sessions").stdout, before)
            failed, said = client.call("undo", session_id=sid)
            self.assertTrue(failed)
            self.assertIn("was deleted by", said)
        sid = self.add(client, "Wheels")
        client.good("change_curriculum", session_id=sid, operations=[{"op": "create_node", "node_id": "A1", "title": "Axles"}])
        failed, said = client.call("undo", session_id=sid, version=1)
        self.assertTrue(failed)
        self.assertIn("later changes", said)
        client.good("undo", session_id=sid)
        client.good("undo", session_id=sid)
        self.assertEqual(self.workspace.run("sessions").stdout, before)

    def test_an_import_that_others_use_stays(self):
        """Its deletion would take their changes from the history; the refusal has the command that deletes all of it."""
        client = self.start()
        before = self.workspace.run("sessions").stdout
        sid = self.add(client, "Wheels")
        bound, other = self.start("--session", sid), self.start(name="other")
        for using in (bound, other):
            for more in ({}, {"version": 1}):
                failed, said = using.call("undo", session_id=sid, **more)
                self.assertTrue(failed)
                self.assertIn("DELETE /session/%s;" % sid, said)
        other.good("change_curriculum", session_id=sid, operations=[{"op": "create_node", "node_id": "A1", "title": "Axles"}])
        other.good("undo", session_id=sid)
        failed, said = client.call("undo", session_id=sid)
        self.assertTrue(failed)
        command = re.search("run lectern (delete [^ ,]+),", said).group(1)
        self.workspace.run(*command.split(), "--yes")
        self.assertEqual(self.workspace.run("sessions").stdout, before)

    def test_a_chapter_is_a_resource(self):
        def node(node_id, chapter, words=2):
            return {"node_id": node_id, "title": "Lesson " + node_id, "chapter": chapter, "components": [
                {"component_type": "paragraph", "order": 1, "parameters": {"text": "word " * words + node_id}}]}

        client = self.start()
        file = {"meta": {"title": "Parts"}, "nodes": [node("A", "Part / one"), node("B", "Two"), node("C", "Part / one")] + [
            node("L%d" % number, "Long", 1000) for number in range(60)], "relationships": []}
        sid = client.good("import_curriculum", text=json.dumps(file)).split("session ")[1].split(":")[0]
        base = "lectern://curriculum/" + sid

        def read(path):
            return client.request("resources/read", {"uri": base + path})["result"]["contents"][0]["text"]

        self.assertEqual(read("/chapter/Part%20%2F%20one"), read("/node/A") + "\n" + read("/node/C"))
        self.assertEqual(read("/chapter/Two"), read("/node/B"))
        long = read("/chapter/Long")
        left, first = re.search(r"\n(\d+) of 60 lessons are left out, beginning with (\S+)\n$", long).groups()
        shown = 60 - int(left)
        self.assertGreater(shown, 0)
        self.assertEqual(first, "%s/node/L%d" % (base, shown))
        self.assertEqual(re.findall(r"(?m)^node_id: (\w+)$", long), ["L%d" % number for number in range(shown)])
        self.assertIn("error", client.request("resources/read", {"uri": base + "/chapter/Three"}))
        done = client.request("completion/complete", {
            "ref": {"type": "ref/resource", "uri": "lectern://curriculum/{session_id}/chapter/{chapter}"},
            "argument": {"name": "chapter", "value": "o"}, "context": {"arguments": {"session_id": sid}}})
        self.assertEqual(done["result"]["completion"]["values"], ["Part / one", "Two", "Long"])

    def test_what_is_none(self):
        client = self.start()
        before = self.workspace.run("sessions").stdout
        for text, says in (("", "text"), ("  \n", "empty"), ("{", "line"), ('{"nodes": 7}', "nodes"), ("[1]", "object"),
                           ('{"CFDocument": {}}', "identifier"), ("a,b\n1,2\n", "heading"), ("{}", "nodes"), ("\ufeff", "empty")):
            self.refused(client, "import_curriculum", says, text=text)
        self.assertEqual(self.workspace.run("sessions").stdout, before)

    def test_text_that_is_no_curriculum(self):
        """A path, prose, a diagram: the error names what is taken, with an example of each. Nothing is stored."""
        client = self.start()
        before = self.workspace.run("sessions").stdout
        for text in ("/home/me/course.json", "C:\\course.json", "https://example.org/course.json", "hello", "Please, import this.", "Dear all,\n\nHello.", "graph TD\n  A[Counting] --> B[Adding]\n",
                     "```mermaid\ngraph TD\n  A --> B\n```", "| Id | Title |\n|---|---|\n| L1 | Counting |\n", "1. Counting\n2. Adding\n", "#\n\nA text.\n",
                     "````\n```json\n{}\n```\n````", "nodes:\n- node_id: A\n"):
            with self.subTest(text=text):
                for said in ('{"nodes": [{"node_id": ', "Id,Title,Prerequisites", "# Counting", "CASE", "not its path"):
                    self.refused(client, "import_curriculum", said, text=text)
        self.assertEqual(self.workspace.run("sessions").stdout, before)

    def test_a_fence_around_the_text(self):
        file = {"nodes": [{"node_id": "A", "title": "a"}], "relationships": []}
        for text in ("```json\n%s\n```", "~~~\n%s\n~~~\n", "\n```JSON\n\ufeff %s\n```  \n", "````\n%s"):
            with self.subTest(text=text):
                self.assertEqual(self.imported(text % json.dumps(file, indent=1), title="Fenced " + text)[1], file)
        _, back = self.imported("```csv\nId,Title\nA,First\n```")
        self.assertEqual([node["title"] for node in back["nodes"]], ["First"])
        _, back = self.imported("```markdown\n# Levers\n\nA lever turns.\n```")
        self.assertEqual([node["title"] for node in back["nodes"]], ["Levers"])
        _, back = self.imported("# A lesson about JSON\n\n```json\n{}\n```\n")
        self.assertEqual(back["nodes"][0]["components"][0]["parameters"], {"text": "```json\n{}\n```"})

    def test_several_lessons_in_one_markdown_text(self):
        said, back = self.imported("Before.\n\n# Fractions\n\nText.\n\n```\n# no heading\n```\n\nRatios\n======\n\n## More\n\nLast.\n", title="Two")
        self.assertEqual([(node["node_id"], node["title"]) for node in back["nodes"]], [("N001", "Fractions"), ("N002", "Ratios")])
        self.assertEqual([part["parameters"]["text"] for node in back["nodes"] for part in node["components"]],
                         ["Before.", "Text.", "```\n# no heading\n```", "More", "Last."])
        self.assertIn("2 lessons, one for each heading of level 1", said)
        said, back = self.imported("---\ntitle: One\n---\n# A\n\nText.\n\n---\n\n# B\n", title="Front matter")
        self.assertEqual([node["title"] for node in back["nodes"]], ["One"])
        self.assertIn("Left out (1):\n- lines between paragraphs (---): the text", said)

    def test_a_column_of_prerequisites(self):
        for heading in ("Prerequisites", "prereqs:string", "Requires", "Depends on", "Voraussetzungen", "depends_on"):
            with self.subTest(heading=heading):
                said, back = self.imported('Id;Titel;%s\nL1;"Counting; slowly";\nL2;Adding, first;L1\nL3;Halving;"l1 | adding, First"\nL4;Last;"L2,L3;L2;'
                                           'Counting; slowly"\nL5;End;"Counting; slowly"\n' % heading, title=heading)
                self.assertEqual([(edge["from_node_id"], edge["to_node_id"]) for edge in back["relationships"]],
                                 [("L1", "L2"), ("L2", "L3"), ("L2", "L4"), ("L3", "L4"), ("L1", "L5")])
                self.assertEqual({edge["relationship_type"] for edge in back["relationships"]}, {"PREREQUISITE"})
                self.assertEqual(back["nodes"][1][heading.split(":")[0]], "L1")
                self.assertIn("relationships PREREQUISITE from the column '%s' (5)" % heading.split(":")[0], said)
                self.assertIn("'%s' names neither the id nor the title of another row (3): the text line 4: 'l1'; "
                              "the text line 5: 'Counting'; the text line 5: 'slowly'" % heading.split(":")[0], said)
        said, back = self.imported("Id,Title,Needs\nA,Same,A\nB,Same,\nC,Third,Same\n", title="Ambiguous")
        self.assertEqual(back["relationships"], [])
        self.assertIn("'Needs' names the row itself: the text line 2: 'A'", said)
        self.assertIn("'Needs' names a title of several rows: write an id: the text line 4: 'Same'", said)
        said, _ = self.imported("Id,Title,Needs\nA,First,%s\n" % ("é" * 5000), title="Long")
        self.assertRegex(said, "'Needs' names neither .*: the text line 2: 'é+[^é']*'")
        said, back = self.imported("Id,Title\nA,First\n", title="No column")
        self.assertIn("no column is called Prerequisites", said)

    def test_node_link_json(self):
        """As NetworkX and D3 write graphs."""
        for key in "links", "edges":
            graph = {"directed": True, "multigraph": False, "graph": {}, "nodes": [{"id": 1, "name": "Counting"}, {"id": "b", "size": 2}],
                     key: [{"source": 1, "target": "b", "weight": 3}, {"source": "b", "target": 1, "type": "PREREQUISITE"}]}
            said, back = self.imported(json.dumps(graph), title="With " + key)
            self.assertEqual([(node["node_id"], node["title"]) for node in back["nodes"]], [("1", "Counting"), ("b", "b")])
            self.assertEqual(back["nodes"][1]["size"], 2)
            self.assertEqual([(edge["from_node_id"], edge["to_node_id"], edge["relationship_type"]) for edge in back["relationships"]],
                             [("1", "b", "LEADS_TO"), ("b", "1", "PREREQUISITE")])
            self.assertEqual((back["relationships"][0]["weight"], back["directed"], key in back), (3, True, False))
            self.assertIn("1 node has no title: the id stands for it", said)
            self.assertIn("2 relationships are read from '%s'" % key, said)
        file = {"nodes": [{"node_id": "a", "title": "A"}], "links": ["https://example.org"]}
        said, back = self.imported(json.dumps(file), title="Links to pages")
        self.assertEqual(back, file)
        self.assertIn("'links' is kept as a field, and is not read as relationships: links[0]: it has no from_node_id", said)
        self.refused(self.start(), "import_curriculum", "nodes[0]: it has no node_id", text='{"nodes": [{}], "links": [{"from": "a", "to": "b"}]}')

    def test_the_report_is_whole(self):
        said, _ = self.imported("Id,Title\n" + "".join("N%d,\n" % i for i in range(3)), title="Ids")
        self.assertIn("How it was read (2):\n- the text: 3 nodes have no title: the id stands for it\n", said)
        said, _ = self.imported("Id,Title,Needs\n" + "".join("N%d,T%d,missing\n" % (i, i) for i in range(60)), title="Many")
        self.assertIn("Left out (1):\n- 'Needs' names neither the id nor the title of another row (60): the text line 2: 'missing'; ", said)
        self.assertIn("the text line 6: 'missing'; 55 more", said)

    def test_a_key_imports_once(self):
        client = self.start()
        arguments = {"name": "import_curriculum", "arguments": {"text": "# Once\n\nA text.\n"}}
        said = [client.request("tools/call", arguments, meta={"lectern/idempotency-key": "k"})["result"]["content"][0]["text"]
                for _ in range(2)]
        self.assertEqual(said[0], said[1])
        self.assertEqual(self.workspace.run("sessions").stdout.count(b"Once"), 1)

    def test_a_bound_connection_imports_none(self):
        client = self.start("--session", self.scales)
        self.refused(client, "import_curriculum", "bound to session", text="# A\n\nb\n")
        self.assertNotIn("import_curriculum", [tool["name"] for tool in client.request("tools/list")["result"]["tools"]])
        self.assertIn("import_curriculum", [tool["name"] for tool in self.start().request("tools/list")["result"]["tools"]])


class Service(mirror.Case):
    def test_links_and_imports_are_refused(self):
        """The service keeps relationships within one session only."""
        other = self.good("POST", "/session/create", {})["session_id"]
        client = harness.Client(self.server.port)
        self.addCleanup(client.connection.close)
        client.initialize()
        before = self.good("GET", "/session/%s/relationships" % self.sid)
        for arguments in ({"to_node_id": "N002", "to_session": other},
                          {"to_node_id": "lectern://curriculum/%s/node/N002" % other}):
            is_error, text = client.call("create_relationship", session_id=self.sid, from_node_id="N001", **arguments)
            self.assertTrue(is_error)
            self.assertIn("keeps relationships within one curriculum only", text)
        self.assertEqual(self.good("GET", "/session/%s/relationships" % self.sid), before)
        is_error, text = client.call("import_curriculum", text="# A\n\nb\n")
        self.assertTrue(is_error)
        self.assertIn("cannot be imported into a service", text)


class RowsCase(unittest.TestCase):
    """A server with large curricula, and the rows of its store."""

    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        self.server = self.start()

    def start(self):
        server = harness.Server(self.workspace)
        self.addCleanup(server.close)
        server.initialize()
        return server

    def add(self, title, count):
        """Its path, and the seconds that the import took."""
        start = time.monotonic()
        text = self.server.good("import_curriculum", text="# Note\n\n" + "\n\n".join(["word"] * count), title=title)
        return "/session/" + re.search(r"as session (\S+):", text)[1], time.monotonic() - start

    def rows(self):
        """Of the store: sessions, nodes, components, log rows, rows of the search's index."""
        with contextlib.closing(sqlite3.connect("file:%s/lectern.db?mode=ro" % self.workspace.data, uri=True)) as file:
            return [file.execute("SELECT count(*) FROM %s" % table).fetchone()[0]
                    for table in ("session", "node", "component", "change", "search_row")]

    def wait_for(self, rows):
        deadline = time.monotonic() + 120
        while self.rows() != rows and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(self.rows(), rows)


class Deletion(RowsCase):
    """A deleted curriculum is gone at once; its rows are deleted while no other write waits."""

    def test_it_is_gone_at_once(self):
        kept, _ = self.add("kept", 5)
        rows = self.rows()
        path, seconds = self.add("deleted", 8000)
        start = time.monotonic()
        status, answer, _ = self.server.http("DELETE", path)
        self.assertEqual(status, 200, answer)
        self.assertLess(time.monotonic() - start, seconds / 4, "a deletion waits for no row")
        status, answer, _ = self.server.http("GET", path + "/nodes")
        self.assertEqual(status, 401)
        self.assertIn("was deleted by", str(answer))
        self.assertNotIn("deleted", [session["title"] for session in self.server.http("GET", "/sessions")[1]["sessions"]])
        longest, deadline = 0, time.monotonic() + 60
        while self.rows()[:3] != rows[:3] and time.monotonic() < deadline:  # edits of another session beside it
            start = time.monotonic()
            status, answer, _ = self.server.http("PUT", kept, {"title": "kept %f" % start})
            self.assertEqual(status, 200, answer)
            longest = max(longest, time.monotonic() - start)
        self.assertEqual(self.rows()[:3], rows[:3])
        self.assertLess(longest, seconds / 2, "an edit waits for some rows, not for all")

    def test_a_kill_in_the_midst(self):
        rows = self.rows()
        path, _ = self.add("deleted", 8000)
        self.assertEqual(self.server.http("DELETE", path)[0], 200)
        self.server.kill()
        left = self.rows()
        self.assertGreater(left[2], rows[2], "the kill came before the last row")
        self.server = self.start()
        self.wait_for(rows)

    def test_the_command_deletes_all_rows(self):
        rows = self.rows()
        path, _ = self.add("deleted", 500)
        self.workspace.run("delete", "--yes", path.removeprefix("/session/"))
        self.assertEqual(self.rows(), rows)


class Words(RowsCase):
    """The words of a large write follow it in steps, and a search waits for them."""

    def check(self, path, word, count):
        """Each component has the word."""
        found = self.server.good("find", session_id=path.removeprefix("/session/"), text=word)
        self.assertIn("[%s] (+%d)" % (word, count - 1), found)

    def test_a_search_finds_the_words_of_the_last_write(self):
        path, _ = self.add("words", 6000)
        self.check(path, "word", 6000)
        self.server.good("change_curriculum", session_id=path.removeprefix("/session/"),
                         operations=[{"op": "replace_text", "find": "word", "replace": "wolverine"}])
        self.check(path, "wolverine", 6000)

    def test_a_search_finds_the_words_of_a_large_text(self):
        """They follow the write, too."""
        path, _ = self.add("words", 5)
        sid = path.removeprefix("/session/")
        for number, last in enumerate(("wolverine", "marten")):
            status, answer, _ = self.server.http("POST", path + "/nodes", {"node_id": "N90%d" % number, "title": "Large",
                                                                           "description": "note " * 60000 + last})
            self.assertEqual(status, 200, answer)
        for number, last in enumerate(("wolverine", "marten")):
            self.assertIn('N90%d "Large"' % number, self.server.good("find", session_id=sid, text=last))

    def test_a_kill_before_the_last_word(self):
        path, _ = self.add("words", 16000)
        status, answer, _ = self.server.http("POST", path + "/nodes", {"node_id": "N900", "title": "Small"})
        self.assertEqual(status, 200, answer)
        self.assertIn("Small", self.server.good("find", session_id=path.removeprefix("/session/"), node_id="N900"))
        self.server.kill()
        self.assertLess(self.rows()[4], 16000, "a lesson is read, and the kill came, before the last word")
        self.server = self.start()
        self.check(path, "word", 16000)


class Large(unittest.TestCase):
    """The time of a write grows with its size, not with the square of it."""

    def seconds(self, server, count):
        text = "# Note\n\n" + "\n\n".join(["x"] * count)
        start = time.monotonic()
        server.good("import_curriculum", text=text, title="%d paragraphs" % count)
        return time.monotonic() - start

    def test_an_import_is_linear(self):
        with contextlib.closing(harness.Workspace()) as workspace, contextlib.closing(harness.Server(workspace)) as server:
            server.initialize()
            self.seconds(server, 6000)
            small = min(self.seconds(server, 6000) for _ in range(3))
            large = min(self.seconds(server, 48000) for _ in range(2))
            self.assertLess(large, 14 * small, "8 times as many components")

    def undo_of_a_restored_order(self, server, count):
        """Seconds; the reordering, its undo and the undo of that have a row for each component."""
        path = self.lesson(server, count)
        node_id = server.http("GET", path + "/nodes")[1]["nodes"][0]["node_id"]
        for where, body in (("/nodes/%s/components/reorder" % node_id, {"order": [count, *range(1, count)]}), ("/restore", {"version": 1})):
            status, answer, _ = server.http("POST", path + where, body)
            self.assertEqual(status, 200, answer)
        start = time.monotonic()
        status, answer, _ = server.http("POST", path + "/undo")
        self.assertEqual(status, 200, answer)
        return time.monotonic() - start

    def lesson(self, server, count):
        text = server.good("import_curriculum", text="# Note\n\n" + "\n\n".join(["x"] * count), title="%d paragraphs" % count)
        return "/session/" + re.search(r"as session (\S+):", text)[1]

    def test_an_undo_of_a_reordering_is_linear(self):
        with contextlib.closing(harness.Workspace()) as workspace, contextlib.closing(harness.Server(workspace)) as server:
            server.initialize()
            small, large = (min(self.undo_of_a_restored_order(server, count) for _ in range(3)) for count in (500, 4000))
            self.assertLess(large, 32 * small, "8 times as many components")

    def test_a_write_has_a_cap(self):
        with contextlib.closing(harness.Workspace()) as workspace, contextlib.closing(harness.Server(workspace)) as server:
            server.initialize()
            failed, said = server.call("import_curriculum", text="# Note\n\n" + "\n\n".join(["x"] * 50000), title="too large")
            self.assertTrue(failed)
            self.assertIn("at most 50000", said)
            self.assertIn("lectern import", said)
            self.assertNotIn("too large", json.dumps(server.http("GET", "/sessions")[1]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
