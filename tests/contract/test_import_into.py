# SPDX-License-Identifier: GPL-3.0-or-later
"""lectern import --into: an import repeated over a curriculum. Nodes are updated by id and added, nothing is deleted unless asked, as one
change that can be undone; and the outline of a dry run."""
import base64
import io
import json
import random
import re
import signal
import subprocess
import time
import unittest
import zipfile

import harness
from test_formats import FORMS, FormatCase

SERVE = ("--sandbox", harness.LOCAL, "--warm", "bare=0,data=0,plot=0")


def lesson(node_id, text, **fields):
    return {"node_id": node_id, "title": "Lesson " + node_id, "components": [
        {"type": "heading", "order": 1, "parameters": {"text": text}},
        {"type": "paragraph", "order": 2, "parameters": {"text": "About %s." % text}}], **fields}


def edge(start, end, kind="PREREQUISITE", **fields):
    return {"from_node_id": start, "to_node_id": end, "relationship_type": kind, "explanation": "", **fields}


FILE = {"meta": {"title": "Course"}, "nodes": [lesson("A", "One", note="kept"), lesson("B", "Two"), lesson("C", "Three")],
        "relationships": [edge("A", "B"), edge("B", "C", explanation="why")]}


class IntoCase(FormatCase):
    def setUp(self):
        super().setUp()
        self.sid = self.workspace.load(self.write("first.json", FILE))

    def export(self, sid=None):
        return json.loads(self.workspace.run("export", sid or self.sid).stdout)

    def into(self, file, *words):
        path = file if isinstance(file, str) else self.write("again.json", file)
        done = self.workspace.run("import", "--into", self.sid, *words, path)
        return done.stdout.decode(), done.stderr.decode()

    def undo(self, said):
        """Undoes the change that a report names, which is the newest one."""
        change_set = re.search("One change, which can be undone: (.*)", said).group(1)
        server = harness.Server(self.workspace, *SERVE)
        try:
            status, history, *_ = server.http("GET", "/session/%s/history" % self.sid)
            self.assertEqual((status, history["changes"][0]["change_set"], history["changes"][0]["who"]), (200, change_set, "import"))
            self.assertEqual(server.http("POST", "/session/%s/undo" % self.sid, {"change_set": change_set})[0], 200)
        finally:
            server.close()

    def by_id(self):
        return {node["node_id"]: node for node in self.export()["nodes"]}

    def content(self):
        """The curriculum without times, which writes move on, and orders of the API."""
        whole = self.export()
        for node in whole["nodes"]:
            for name in "created_at", "last_modified":
                node.pop(name, None)
            for component in node["components"]:
                component.pop("order_index", None)
        return whole


class Into(IntoCase):
    def test_an_unchanged_file_writes_nothing(self):
        before = self.export()
        out, said = self.into(FILE)
        self.assertIn("nothing to change", said)
        self.assertEqual(out, self.sid + "\n")
        self.assertEqual(self.export(), before)
        self.assertNotIn("can be undone", said)

    def test_each_format_comes_back_unchanged(self):
        for form in FORMS:
            with self.subTest(form):
                out = str(self.folder / ("out." + form))
                self.workspace.run("export", "--format", form, self.sid, out)
                self.assertIn("nothing to change", self.into(out, "--format", form)[1])

    def test_updates_adds_and_deletes_nothing(self):
        changed = lesson("A", "One anew", level=2)
        del changed["components"][1]
        out, said = self.into({"nodes": [changed, lesson("D", "Four"), {"node_id": "B", "title": "Second"}],
                               "relationships": [edge("A", "B", explanation="new"), edge("A", "D", "ENRICHMENT")]})
        self.assertEqual(out, self.sid + "\n")
        for line in ("nodes: 1 added, 2 updated, 0 unchanged", "components of 1 node replaced", "relationships: 1 added, 1 updated, 0 unchanged",
                     "1 node and 1 relationship are not in the file and stay"):
            self.assertIn(line, said)
        nodes = self.by_id()
        self.assertEqual(list(nodes), ["A", "D", "B", "C"])
        self.assertEqual((nodes["A"]["note"], nodes["A"]["level"], nodes["B"]["title"]), ("kept", 2, "Second"))
        self.assertEqual([c["parameters"]["text"] for c in nodes["A"]["components"]], ["One anew"])
        self.assertEqual(len(nodes["B"]["components"]), 2)   # the file has no components for it
        edges = {(e["from_node_id"], e["to_node_id"], e["relationship_type"]): e["explanation"] for e in self.export()["relationships"]}
        self.assertEqual(edges, {("A", "B", "PREREQUISITE"): "new", ("B", "C", "PREREQUISITE"): "why", ("A", "D", "ENRICHMENT"): ""})

    def test_one_change_that_can_be_undone(self):
        before = self.content()
        _, said = self.into({"nodes": [lesson("A", "Anew"), lesson("D", "Four")], "relationships": [edge("A", "D")]}, "--delete-missing")
        self.assertEqual(list(self.by_id()), ["A", "D"])
        self.undo(said)
        self.assertEqual(self.content(), before)

    def test_delete_missing_deletes_what_the_file_lacks(self):
        _, said = self.into({"nodes": FILE["nodes"][:2], "relationships": []}, "--delete-missing")
        self.assertIn("1 node and 2 relationships that are not in the file are deleted", said)
        self.assertEqual((list(self.by_id()), self.export()["relationships"]), (["A", "B"], []))

    def test_dry_run(self):
        before = self.export()
        out, said = self.into({"nodes": [lesson("A", "Anew"), lesson("B", "Two"), lesson("D", "\x1b[31mFour")], "relationships": []}, "--dry-run")
        self.assertEqual(self.export(), before)
        for line in ("added: 1", "D \"Lesson D\"", "updated: 1", "A \"Lesson A\"", "unchanged: 1", "B \"Lesson B\"", "only in the session, kept: 1",
                     "C \"Lesson C\""):
            self.assertIn(line, out)
        self.assertIn("nothing was written", said)
        out, _ = self.into({"nodes": [lesson("A", "One")], "relationships": []}, "--dry-run", "--delete-missing")
        self.assertIn("would be deleted: 2", out)
        many = {"nodes": [lesson("M%03d" % i, "x") for i in range(60)], "relationships": []}
        out, _ = self.into(many, "--dry-run")
        self.assertIn("added: 60", out)
        self.assertIn("and 50 more", out)

    def test_more_than_one_change_holds(self):
        many = {"nodes": [lesson("M%03d" % i, "x") for i in range(600)], "relationships": []}
        before = self.export()
        self.refused("import", "--into", self.sid, self.write("many.json", many),
                     saying=("600 changes", "at most 500", "Nothing was changed", "lectern import "))
        self.assertEqual(self.export(), before)
        many["nodes"] = many["nodes"][:500]
        self.into(many)
        self.assertEqual(len(self.by_id()), 503)

    def test_what_is_not_taken_over_is_named(self):
        file = {"meta": {"title": "Other"}, "nodes": [lesson("A", "One"), lesson("A", "Twice"), {"title": "No id"}, 7],
                "relationships": [edge("A", "B"), edge("A", "B"), {"from_node_id": "A"}, edge("B", "A", "LEADS_TO"), edge("A", "Z")]}
        file["nodes"][0]["components"].append("text")
        _, said = self.into(file)
        for line in ("meta", "Left out", "the id of a node before it", "no id", "an end or a type"):
            self.assertIn(line, said)
        self.assertNotIn("Twice", json.dumps(self.export()))
        self.assertIn(edge("A", "Z"), self.export()["relationships"])
        self.assertNotIn("B", [line for line in said.split("\n") if "no node" in line and "Z" not in line])
        self.assertIn("nothing to change", self.into(file)[1])

    def test_broken_components_are_kept_as_an_import_keeps_them(self):
        file = {"nodes": [{"node_id": "A", "components": [{"type": "hologram", "parameters": 3}]}], "relationships": []}
        self.into(file)
        self.assertEqual(self.by_id()["A"]["components"][0]["type"], "hologram")
        self.assertIn("nothing to change", self.into(file)[1])

    def test_components_that_stay_keep_their_ids(self):
        def ids():
            server = harness.Server(self.workspace, *SERVE)
            try:
                return [c["component_id"] for c in server.http("GET", "/session/%s/nodes/A/components" % self.sid)[1]["components"]]
            finally:
                server.close()
        before = ids()
        changed = lesson("A", "One")
        changed["components"].insert(0, {"type": "paragraph", "order": 1, "parameters": {"text": "First."}})
        for order, component in enumerate(changed["components"], 1):
            component["order"] = order
        self.into({"nodes": [changed], "relationships": []})
        self.assertEqual(ids()[1:], before)

    def test_sessions_are_named_as_elsewhere(self):
        path = self.write("again.json", FILE)
        self.assertIn("nothing to change", self.workspace.run("import", "--into", "Course", path).stderr.decode())
        self.refused("import", "--into", "Cuorse", path, saying=("Cuorse", "Course"))
        self.refused("import", "--into", "00000000-0000-4000-8000-000000000000", path, saying=("session",))

    def test_options_that_do_not_fit(self):
        path = self.write("again.json", FILE)
        for words, saying in ((("--delete-missing", path), "--into"), (("--into", self.sid, "--title", "T", path), "lectern rename")):
            done = self.workspace.run("import", *words, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertIn(saying, done.stderr.decode())

    def test_while_a_server_has_the_store(self):
        server = harness.Server(self.workspace, *SERVE)
        self.addCleanup(server.close)
        self.into({"nodes": [lesson("A", "From the command")], "relationships": []})
        self.assertIn("From the command", json.dumps(server.http("GET", "/session/%s/nodes/A/components" % self.sid)[1]))


class Kill(IntoCase):
    def test_kill_leaves_before_or_after(self):
        before = self.content()
        many = {"nodes": [lesson("M%03d" % i, "x" * 2000) for i in range(450)] + [lesson("A", "After")], "relationships": []}
        path = self.write("many.json", many)
        began = time.monotonic()
        copy = self.workspace.load(self.write("copy.json", FILE))
        self.workspace.run("import", "--into", copy, path)
        whole, killed = time.monotonic() - began, 0
        for part in range(8):
            with subprocess.Popen([str(harness.LECTERN), "import", "--into", self.sid, path], env=self.workspace.environment(),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                time.sleep(whole * (part + 1) / 10)
                process.send_signal(signal.SIGKILL)
                killed += process.wait() == -signal.SIGKILL
            now = self.content()
            if now != before:
                self.assertEqual(len(now["nodes"]), 453)
                break
        self.assertGreater(killed, 0)
        said = self.into(many)[1]
        self.assertEqual(self.content()["nodes"], self.content_of(copy))
        if "can be undone" in said:
            self.undo(said)
            self.assertEqual(self.content(), before)

    def content_of(self, sid):
        self.sid, kept = sid, self.sid
        nodes = self.content()["nodes"]
        self.sid = kept
        return nodes


class Outline(FormatCase):
    def test_a_dry_run_lists_the_first_lessons(self):
        path = self.write("sheet.csv", "Id,Title,Prerequisites\nL1,One,\nL2,Two,L1\nL3,Three,L1; L2\n")
        done = self.workspace.run("import", "--dry-run", path)
        self.assertEqual(done.stdout.decode().split("\n"), [
            "L1 \"One\": 0 components", "L2 \"Two\": 0 components, needs L1", "L3 \"Three\": 0 components, needs L1, L2", ""])
        self.assertEqual(self.workspace.run("sessions", check=False).returncode, 1)   # there is no store yet

    def test_the_outline_is_short(self):
        nodes = [lesson("N%03d" % i, "x") for i in range(100)]
        edges = [edge("N%03d" % i, "N000") for i in range(1, 30)]
        out = self.workspace.run("import", "--dry-run", self.write("long.json", {"nodes": nodes, "relationships": edges})).stdout.decode()
        self.assertIn("N000 \"Lesson N000\": 2 components, needs N001, N002, N003, N004, N005 and 24 more\n", out)
        self.assertEqual(out.count("\n"), 21)
        self.assertTrue(out.endswith("and 80 more\n"), out)


def given(name, content):
    return {"name": name, "base64": base64.b64encode(content if isinstance(content, bytes) else content.encode()).decode()}


class Rest(FormatCase):
    def setUp(self):
        super().setUp()
        self.server = harness.Server(self.workspace, *SERVE)
        self.addCleanup(self.server.close)

    def post(self, body, path="/session/import", wanted=200):
        status, answer, *_ = self.server.http("POST", path, body)
        self.assertEqual(status, wanted, answer)
        return answer

    def edges(self, sid):
        return {(edge["from_node_id"], edge["to_node_id"], edge["relationship_type"])
                for edge in self.server.http("GET", "/session/%s/relationships" % sid)[1]["relationships"]}

    def titles(self, sid):
        return {node["node_id"]: node["title"] for node in self.server.http("GET", "/session/%s/nodes" % sid)[1]["nodes"]}

    def sessions(self):
        return self.server.http("GET", "/sessions")[1]["total"]

    def test_an_import_and_its_report(self):
        text = "Id,Title,Prerequisites\nL1,One,\nL2,Two,L1; L9\nL3,,L9\n"
        answer = self.post({"text": text, "title": "Sheet"})
        self.assertEqual((answer["nodes"], answer["components"], answer["relationships"], answer["dry_run"]), (3, 0, 1, False))
        self.assertEqual(sorted(answer["report"]), ["changed", "leftOut", "read", "rules"])
        left_out = [entry for entry in answer["report"]["leftOut"] if "neither the id nor the title" in entry["reason"]]
        self.assertEqual([(entry["count"], entry["places"][0]["value"]) for entry in left_out], [(2, "L9")])
        self.assertEqual(list(self.titles(answer["session_id"])), ["L1", "L2", "L3"])

    def test_the_report_is_that_of_the_command(self):
        text = "Id;Titel;Bezug\r\n1;Br\u00fcche;\r\n2;Kehrwert;1, 7\r\n2;Doppelt;1\r\n".encode("cp1252")
        answer = self.post({"files": [given("stunden.csv", text)], "map": {"Bezug": "prerequisites"}})
        done = self.workspace.run("import", "--map", "Bezug=prerequisites", self.write("stunden.csv", text))
        lines = [line for line in done.stderr.decode().split("\n") if line.startswith("- ")]
        for entries in answer["report"].values():
            for entry in entries:
                self.assertEqual(len([line for line in lines if entry["reason"] in line]), 1, (entry, lines))
        self.assertEqual(sum(map(len, answer["report"].values())), len(lines))
        self.assertEqual(self.edges(answer["session_id"]), {("1", "2", "PREREQUISITE")})
        self.assertEqual(self.titles(answer["session_id"])["1"], "Br\u00fcche")

    def test_the_files_of_a_folder_and_an_archive(self):
        notes = {"algebra/lines.md": "# Lines\n\nSee [[Points]].\n", "algebra/points.md": "# Points\n\nA dot.\n"}
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, text in notes.items():
                archive.writestr("vault/" + name, text)
        found = []
        for files in ([given("vault/" + name, text) for name, text in notes.items()] + [given("vault/.obsidian/app.json", "{}")],
                      [{"name": "vault/" + name, "text": text} for name, text in notes.items()],
                      [given("vault.zip", packed.getvalue())]):
            answer = self.post({"files": files, "untyped": "PREREQUISITE"})
            found.append((self.titles(answer["session_id"]), self.edges(answer["session_id"])))
        self.assertEqual(sorted(found[0][0].values()), ["Lines", "Points"])
        self.assertEqual(len(found[0][1]), 1)
        self.assertEqual(found, [found[0]] * 3)

    def test_an_archive_that_unpacks_to_much(self):
        """The cap of a request is smaller than that of the command, because the server shares its memory."""
        chance = random.Random(1)
        words = ["%032x" % chance.getrandbits(128) for _ in range(100)]
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for number in range(5):
                archive.writestr("%d.md" % number, "# Lesson\n\n" + "\n\n".join(chance.choices(words, k=400_000)))
        answer = self.post({"files": [given("a.zip", packed.getvalue())], "dry_run": True}, wanted=413)
        self.assertIn("a.zip unpacks to more than 67108864 bytes: import it with lectern import", answer["detail"])

    def test_a_dry_run_writes_nothing(self):
        sheet = given("sheet.csv", "Id,Title,Prerequisites\nL1,One,\nL2,Two,L1\n")
        before = self.sessions()
        answer = self.post({"files": [sheet], "dry_run": True})
        self.assertEqual((answer["session_id"], answer["dry_run"], answer["nodes"]), (None, True, 2))
        self.assertEqual(answer["lessons"], [{"node_id": "L1", "title": "One", "components": 0, "needs": []},
                                             {"node_id": "L2", "title": "Two", "components": 0, "needs": ["L1"]}])
        self.assertEqual(self.sessions(), before)

    def test_an_update_is_one_change(self):
        sid = self.post({"text": json.dumps(FILE)})["session_id"]
        path = "/session/%s/import" % sid
        sheet = given("sheet.csv", "Id,Title,Prerequisites\nA,New,\nD,Four,A\n")
        tried = self.post({"files": [sheet], "dry_run": True}, path)
        self.assertEqual((tried["change_set"], tried["dry_run"]), (None, True))
        self.assertEqual([tried["changes"][kind]["nodes"] for kind in ("added", "updated", "unchanged", "missing")], [1, 1, 0, 2])
        self.assertEqual(tried["changes"]["added"]["first"], [{"node_id": "D", "title": "Four"}])
        self.assertEqual(self.titles(sid)["A"], "Lesson A")
        done = self.post({"files": [sheet]}, path)
        self.assertEqual(done["changes"], tried["changes"])
        self.assertEqual(self.titles(sid), {"A": "New", "B": "Lesson B", "C": "Lesson C", "D": "Four"})
        self.assertEqual(self.server.http("POST", "/session/%s/undo" % sid, {"change_set": done["change_set"]})[0], 200)
        self.assertEqual(self.titles(sid), {key: "Lesson " + key for key in "ABC"})
        done = self.post({"files": [sheet], "delete_missing": True}, path)
        self.assertEqual(list(self.titles(sid)), ["A", "D"])
        self.assertIsNone(self.post({"files": [sheet]}, path)["change_set"])
        self.post({"files": [sheet]}, "/session/%s/import" % ("0" * 8 + sid[8:]), 401)

    def test_bad_bodies_are_explained(self):
        sheet = given("sheet.csv", "Id,Title\nL1,One\n")
        before = self.sessions()
        for body, wanted in (
                ({"text": "no curriculum"}, "this is not a curriculum"), ({}, '"files"'), ({"files": []}, "1 to"), ({"files": "x"}, "files"),
                ({"files": [sheet], "text": "x"}, "not both"), ({"files": [{"name": "a.csv"}]}, '"base64"'),
                ({"files": [dict(sheet, text="x")]}, '"base64"'), ({"files": [dict(sheet, name="")]}, '"name"'),
                ({"files": [dict(sheet, base64="***")]}, "base64"), ({"files": [sheet], "map": {"Id": 3}}, "Voraussetzung"),
                ({"files": [sheet], "format": "word"}, "json, csv"), ({"files": [given("a.pdf", "%PDF-1.7")]}, "a PDF"),
                ({"files": [given("../a.md", "# A")] * 2}, "no curriculum"),
                ({"files": [sheet], "untyped": 3}, "untyped"), ({"files": [sheet], "dryrun": True}, "dry_run")):
            self.assertIn(wanted, json.dumps(self.post(body, wanted=422), ensure_ascii=False).replace("\\", ""), body)
        self.assertIn("line 1, column 11", self.post({"files": [given("a.json", '{"nodes": [')]}, wanted=400)["detail"])
        self.assertEqual(self.sessions(), before)


if __name__ == "__main__":
    unittest.main()
