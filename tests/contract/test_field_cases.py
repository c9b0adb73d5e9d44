# SPDX-License-Identifier: GPL-3.0-or-later
"""Inputs that people and their programs really sent, as public reports of other projects show them, each with the value that its sender
expects. The page's cases are browser.under_path and the page's own tests (keys.test.ts)."""
import json
import pathlib
import shutil
import subprocess
import unicodedata
import unittest

import harness

SHEET = "Id,Title,%s\nL1,Counting,\nL2,Adding,L1\nL3,Times,\"L1; Adding\"\n"


class Case(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)

    def stdio(self, *words, version="2025-11-25"):
        client = harness.Stdio(self.workspace, *words)
        self.addCleanup(lambda: client.process.poll() is None and client.close())
        client.initialize(version)
        return client


class Imports(Case):
    """F12, F20: texts for import_curriculum."""

    def test_prerequisites_of_a_sheet_are_relationships(self):
        client = self.stdio()
        for place, heading in enumerate(("Prerequisites", "prerequisites", "Voraussetzungen")):
            text = client.good("import_curriculum", text=SHEET % heading, title="Sheet %d" % place)
            self.assertIn("3 relationships", text)
            self.assertIn('L1 "Counting"', client.good("query_graph", session_id="Sheet %d" % place, query="needs", node_id="L3"))

    def test_texts_that_are_no_curriculum_are_refused(self):
        client = self.stdio()
        for text in "/home/me/course.json", "C:\\course.json", "https://example.org/c.json", "hello", "graph TD\n  A --> B", "| a | b |\n|---|---|\n| 1 | 2 |":
            is_error, answer = client.call("import_curriculum", text=text)
            self.assertTrue(is_error, (text, answer))
            self.assertIn("CSV", answer)

    def test_json_in_a_fence_is_read(self):
        curriculum = {"meta": {"title": "Fenced"}, "nodes": [{"node_id": "A", "title": "A", "components": []}], "relationships": []}
        client = self.stdio()
        client.good("import_curriculum", text="```json\n%s\n```\n" % json.dumps(curriculum, indent=1))
        self.assertIn('A "A"', client.good("find", session_id="Fenced"))


class Files(Case):
    """The folders of the shared inputs, by the number of the report. Each was refused or read with losses by an early version."""

    def load(self, path, *words):
        """(the curriculum that an import makes, the report, the session's id)"""
        done = self.workspace.run("import", *words, str(path))
        ident = done.stdout.decode().split()[-1]
        return json.loads(self.workspace.run("export", ident).stdout), done.stderr.decode(), ident

    def graph(self, ident, *words):
        return self.workspace.run("graph", "--session", ident, *words).stdout.decode()

    def refused(self, path):
        done = self.workspace.run("import", str(path), check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, b"")
        return done.stderr.decode()

    def edges(self, back):
        return sorted((edge["from_node_id"], edge["to_node_id"], edge["relationship_type"]) for edge in back["relationships"])

    def ids(self, back):
        return [node["node_id"] for node in back["nodes"]]

    def scratch(self, name):
        path = pathlib.Path(self.workspace.data) / name
        path.mkdir()
        return path

    def test_case_comes_in_the_order_of_its_tree(self):
        """F15, F16"""
        back, _, ident = self.load(harness.shared("field", "01", "framework.json"))
        self.assertEqual([node["humanCodingScheme"] for node in back["nodes"]], ["M", "M.1", "M.2", "M.10", "D", "D.1", "D.2"])
        self.assertEqual([node["chapter"] for node in back["nodes"]], 4 * ["Measurement domain"] + 3 * ["Data domain"])
        self.assertRegex(self.graph(ident, "outline"), r"(?s)Measurement domain: 4 nodes.* M.10 .*\nData domain: 3 nodes")
        client = self.stdio()
        self.assertIn('"Convert units" in chapter', client.good("find", session_id=ident, node_id="M.10"))
        self.assertIn('M.10 "Convert units" needs nothing', client.good("query_graph", session_id=ident, query="needs", node_id="M.10"))
        self.assertTrue(client.good("find", session_id=ident, text="M.10").split("\n")[1].endswith("[M].[10]: Standard"))

    def test_rows_of_blanks_are_no_rows(self):
        """F10"""
        back, said, _ = self.load(harness.shared("field", "03"), "--format", "csv")
        self.assertEqual(back["nodes"], [{"node_id": "A1", "title": "Count to ten", "chapter": "Numbers"},
                                         {"node_id": "A2", "title": "Add to ten", "chapter": "Numbers"}])
        self.assertEqual(self.edges(back), [("A1", "A2", "PREREQUISITE")])
        self.assertNotIn("- ", said)

    def test_a_sheet_with_prerequisites(self):
        """F12"""
        for path in "lessons.csv", "folder":
            back, said, ident = self.load(harness.shared("field", "06", path))
            self.assertEqual(self.edges(back), [(*pair, "PREREQUISITE") for pair in
                                                (("L1", "L2"), ("L1", "L3"), ("L2", "L3"), ("L2", "L4"), ("L3", "L4"))])
            self.assertIn("from the column 'Prerequisites' (5)", said)
            self.assertEqual(back["nodes"][3], {"node_id": "L4", "title": "Multiplication", "Prerequisites": "L2; L3", "Hours": "4"})
            self.assertIn("needs 3 nodes, 2 of them directly", self.graph(ident, "needs", "L4"))

    def test_edge_lists(self):
        """F13"""
        for path in "edges.csv", "edgesonly":
            back, said, _ = self.load(harness.shared("field", "07", path))
            self.assertEqual(self.ids(back), ["Counting", "Addition", "Multiplication"])
            self.assertEqual(self.edges(back), [("Addition", "Multiplication", "LEADS_TO"), ("Counting", "Addition", "LEADS_TO")])
            self.assertIn("the nodes are made of their ends (3)", said)
            self.assertIn("relationships without a type (2) are read as LEADS_TO", said)

    def test_exports_of_neo4j(self):
        """F13"""
        for path in "all.csv", "apoc":
            back, _, _ = self.load(harness.shared("field", "07", path))
            self.assertEqual([(node["node_id"], node["title"], node["hours"], node["_labels"]) for node in back["nodes"]],
                             [("0", "Counting", "2", ":Lesson"), ("1", "Addition", "3", ":Lesson")])
            self.assertEqual(self.edges(back), [("0", "1", "PREREQUISITE")])
        back, _, _ = self.load(harness.shared("field", "07", "pipe"))
        self.assertEqual([(node["node_id"], node["title"], node["tags"], node["node_type"]) for node in back["nodes"]],
                         [("0", "Counting", ["a", "b"], "Lesson"), ("1", "Addition", ["c"], "Lesson;Core")])
        self.assertEqual(self.edges(back), [("0", "1", "PREREQUISITE")])

    def test_what_excel_does_to_an_export(self):
        """F14: without the mark it would read another encoding; it cuts long cells, and the export says so."""
        folder = harness.shared("field", "08")
        _, _, ident = self.load(folder / "c.json")
        was, now = pathlib.Path(self.workspace.data) / "was", self.scratch("now")
        said = self.workspace.run("export", ident, "-o", str(was), "--format", "csv").stderr.decode()
        self.assertRegex(said, r"more than 32,767 characters.*nodes.csv: '02'")
        subprocess.run(["/usr/bin/python3", str(folder / "excel.py"), str(was), str(now)], check=True)
        back, said, _ = self.load(now)
        self.assertEqual([(node["node_id"], node["title"]) for node in back["nodes"]],
                         [("01", "Größen vergleichen"), ("02", "=SUM(1+1)"), ("3-4", "March")])
        self.assertEqual(back["nodes"][0]["components"][0]["parameters"], {"text": "Länge"})
        self.assertEqual(len(back["nodes"][1]["components (text)"]), 32767)
        self.assertIn("is not JSON: it is kept as text in 'components (text)': nodes.csv line 3", said)

    def test_a_vault(self):
        """F03"""
        back, said, _ = self.load(harness.shared("field", "09", "vault"))
        self.assertEqual([edge[:2] for edge in self.edges(back)],
                         [("Decimals", "Fractions"), ("Division", "Whole-numbers"), ("Fractions", "Decimals"), ("Fractions", "Definitions"),
                          ("Fractions", "Division"), ("Fractions", "Whole-numbers")])
        callouts = [component["parameters"] for node in back["nodes"] for component in node["components"] if component["type"] == "callout-box"]
        self.assertEqual(callouts, [{"text": "Mind the gap\n\nNever divide by zero.", "style": "warning"}])
        self.assertNotIn("%%", json.dumps(back))
        for words in "comments (%%...%%) are left out: Lessons/Fractions.md line 18", "links without a type (6)", "which are not read: ruler.png":
            self.assertIn(words, said)

    def test_front_matter_that_is_no_yaml(self):
        """F04, F45: the other notes come, and each value is named once, with its line."""
        for name, titles, words in (
                ("vault", ["Real lesson", "{{title}}", "T"], "kept as text (2): Templates/lesson.md line 2: '{{title}}'; Templates/lesson.md line 3"),
                ("one", ["Ratio: an introduction", "Other"], "colon.md line 2: 'Ratio: an introduction'"),
                ("tab", ["T"], "read as blanks: tab.md line 3"), ("hash", ["T"], "kept as text: hash.md line 2: 'tags'"),
                ("rule", ["r", "s", "t", "u", "v"], "it is read as text: s.md line 1")):
            back, said, _ = self.load(harness.shared("field", "10", name))
            self.assertEqual([node["title"] for node in back["nodes"]], titles)
            self.assertIn(words, said)
            counts, lines = self.groups(said)
            self.assertEqual(counts, lines, said)
        self.assertIn("Not closed, only a line above", json.dumps(back["nodes"][3]))
        self.assertIn("Text between lines", json.dumps(back["nodes"][1]))

    def groups(self, said):
        """The numbers in the headings of a report, and the lines under each."""
        counts, lines = [], []
        for line in said.splitlines()[1:]:
            if line.startswith("- "):
                lines[-1] += 1
            else:
                counts.append(int(line.rsplit("(", 1)[1].rstrip("):")))
                lines.append(0)
        self.assertTrue(counts)
        return counts, lines

    def test_names_composed_and_decomposed(self):
        """F06"""
        folder = pathlib.Path(self.workspace.data) / "n"
        subprocess.run(["/usr/bin/python3", str(harness.shared("field", "12", "make.py")), str(folder)], check=True)
        back, said, ident = self.load(folder)
        names = {node["node_id"]: unicodedata.normalize("NFC", node["title"]) for node in back["nodes"]}
        self.assertEqual(sorted((names[edge[0]], names[edge[1]]) for edge in self.edges(back)),
                         [("Größe", "Länge"), ("Größe", "Maß"), ("Maß", "Größe")])
        self.assertNotIn("no note", said)
        client = self.stdio()
        for form in "NFC", "NFD":
            name = unicodedata.normalize(form, "Größe")
            self.assertIn("Directly after it: 2", client.good("query_graph", session_id=ident, query="neighbours", node_id=name))
            self.assertIn("2 lessons", client.good("find", session_id=ident, text=unicodedata.normalize(form, "Länge")))

    def test_titles_composed_and_decomposed(self):
        """F06: 48, by the tools"""
        client = self.stdio()
        forms = [unicodedata.normalize(name, "Größe") for name in ("NFC", "NFD")]
        for place, written in enumerate(forms):
            client.good("import_curriculum", title="%s %d" % (written, place), text=json.dumps(
                {"nodes": [{"node_id": "A", "title": written}, {"node_id": "B", "title": "Länge"}], "relationships": []}))
            for asked in forms:
                self.assertIn('A "', client.good("find", session_id="%s %d" % (asked, place), node_id=asked))
            made = client.good("create_relationship", session_id="%s %d" % (forms[1 - place], place), from_node_id=forms[1 - place], to_node_id="LÄNGE",
                               relationship_type="ENRICHMENT")
            self.assertIn("Created ENRICHMENT from A ", made)

    def test_ids_of_names_in_all_scripts(self):
        """F37: one more note changes no other id."""
        back, _, _ = self.load(harness.shared("field", "13", "a"))
        self.assertEqual(self.ids(back), ["Дроби", "分数", "除法", "Numbers"])
        self.assertEqual(self.edges(back), [("分数", "除法", "LEADS_TO")])
        more, _, _ = self.load(harness.shared("field", "13", "b"))
        self.assertEqual(self.ids(more), ["Дроби", "分数", "加法", "除法", "Numbers"])
        self.assertEqual(self.edges(more), self.edges(back))

    def test_files_of_other_endings(self):
        """F09"""
        folder = harness.shared("field", "16")
        back, _, _ = self.load(folder / "single.md")
        self.assertEqual((back["nodes"][0]["title"], back["nodes"][0]["components"][0]["parameters"]), ("Single", {"text": "Text."}))
        back, said, _ = self.load(folder / "mixed")
        self.assertEqual([node["title"] for node in back["nodes"]], ["A", "B", "C", "D"])
        self.assertIn("files other than notes (.md, .markdown, .mdx), which are not read (2): e.ipynb", said)
        back, _, _ = self.load(folder / "notes.zip")
        self.assertEqual([node["title"] for node in back["nodes"]], ["A"])
        back, _, _ = self.load(folder / "g.graphml")
        self.assertEqual(self.edges(back), [("a", "b", "LEADS_TO")])
        self.assertIn("course.xml is one file of a course: import the whole export", self.refused(folder / "course.xml"))
        self.assertIn("No such file", self.refused(folder / "nothing.json"))

    def test_a_text_in_no_format(self):
        """F09: the answer lists the formats."""
        for name, text in ("plan.txt", "Week 1: counting\n"), ("plan", "\n\n  hello\n"), ("plan.docx", "\x00\x01\x02"), ("plan.rtf", "{\\rtf1 hello}"):
            path = pathlib.Path(self.workspace.data) / name
            path.write_text(text)
            said = self.refused(path)
            if name != "plan.rtf":
                self.assertIn("is in no format that is read (json, csv, case, markdown, graphml", said)
                self.assertIn("--format", said)

    def test_notes_that_are_all_in_folders(self):
        """F08"""
        back, said, _ = self.load(harness.shared("field", "17", "logseq"))
        self.assertEqual([node["title"] for node in back["nodes"]], ["2025_01_15", "Maths___Division", "Maths/Fractions"])
        self.assertEqual([edge[:2] for edge in self.edges(back)], [("2025_01_15", "Maths___Fractions"), ("Maths___Fractions", "Maths___Division")])
        self.assertIn("config.edn", said)
        folder = self.scratch("v")
        (folder / ".obsidian").mkdir()
        (folder / "Unit1").mkdir()
        (folder / "Unit1" / "a.md").write_text("# A\n")
        self.assertEqual([node["title"] for node in self.load(folder)[0]["nodes"]], ["A"])

    def test_notion(self):
        """F08"""
        back, said, _ = self.load(harness.shared("field", "17", "notion"))
        self.assertEqual([node["title"] for node in back["nodes"]], ["Fractions", "Division"])
        titles = {node["node_id"]: node["title"] for node in back["nodes"]}
        self.assertEqual([(titles[edge[0]], titles[edge[1]]) for edge in self.edges(back)], [("Division", "Fractions"), ("Fractions", "Division")])
        self.assertIn("Lessons 0123456789abcdef0123456789abcdef.csv", said)

    def test_graphs_in_json(self):
        """F18"""
        folder = harness.shared("field", "18")
        self.assertEqual(self.edges(self.load(folder / "links.json")[0]), [("Counting", "Addition", "LEADS_TO")])
        back, said, _ = self.load(folder / "edges.json")
        self.assertEqual([(node["node_id"], node["title"]) for node in back["nodes"]], [("0", "Counting"), ("1", "Addition")])
        self.assertEqual(self.edges(back), [("0", "1", "LEADS_TO")])
        self.assertIn("1 relationship is read from 'edges'", said)

    def test_json_of_programs(self):
        """F45: each value that JSON does not have is named with its line."""
        folder = harness.shared("field", "18")
        for name, field, value, words in (
                ("nan", "w", "NaN", "are kept as text: nan.json line 1: 'NaN'"), ("comma", "title", "A", "a comma before a closing bracket does not count (2)"),
                ("twice", "title", "B", "its last value is kept, and the one before it is left out: twice.json line 1: 'title'"),
                ("big", "n", "12345678901234567890", "kept as text: big.json line 1: '12345678901234567890'"),
                ("lone", "title", "half \ufffd emoji", "half a character is kept as U+FFFD: lone.json line 1: '\\ud83d'")):
            back, said, _ = self.load(folder / (name + ".json"))
            self.assertEqual(back["nodes"][0][field], value)
            self.assertIn(words, said)
        for name, count in (("array.json", 1), ("lines.jsonl", 2)):
            self.assertEqual(len(self.load(folder / name)[0]["nodes"]), count)

    def test_order_of_edges_without_types(self):
        """F02: what is needed, and the teaching order"""
        back, _, ident = self.load(harness.shared("field", "34", "precedes.case.json"))
        self.assertEqual([edge[2] for edge in self.edges(back)].count("PREREQUISITE"), 2)
        needs = self.graph(ident, "needs", "00000000-0000-4000-8000-000000000003")
        self.assertRegex(needs, r'(?s)needs 2 nodes, 1 of them directly.*S.1 "Statement 1" 2\n.*S.2 "Statement 2" 1\n')
        self.assertIn("1 starting point", self.graph(ident, "starting_points"))
        self.assertIn("2 steps, 3 nodes", self.graph(ident, "longest_chain"))
        self.assertIn("3 levels", self.graph(ident, "levels"))
        folder = self.scratch("g")
        (folder / "nodes.csv").write_text("Id,Label\nc,C\nb,B\na,A\n")
        (folder / "edges.csv").write_text("Source,Target,Type\na,b,Directed\nb,c,Directed\n")
        _, _, ident = self.load(folder)
        self.assertIn('\na "A" 2\nb "B" 1\n', self.graph(ident, "needs", "c"))
        self.assertIn('\na "A"\nb "B"\nc "C"\n', self.graph(ident, "order"))
        notes = self.scratch("notes")
        (notes / "z.md").write_text("Next: [B](b.md)\n")
        (notes / "b.md").write_text("End.\n")
        _, _, ident = self.load(notes)
        self.assertIn('\nz "z" 1\n', self.graph(ident, "needs", "b"))
        self.assertIn('\nz "z"\nb "b"\n', self.graph(ident, "order"))

    def test_texts_for_the_tool(self):
        """F20: 42, each text and what becomes of it"""
        made = subprocess.run(["/usr/bin/python3", str(harness.shared("field", "42", "make.py"))], check=True, capture_output=True, text=True).stdout
        client, seen, name = self.stdio(), {}, ""
        for line in made.splitlines():
            if line.startswith("# "):
                name = line[2:]
            elif line.startswith("import_curriculum "):
                seen[name] = client.call("import_curriculum", **json.loads(line.split(" ", 1)[1]))
        for name, words in (("a note with wiki links", "links that are kept as text alone: 1"), ("several notes in one text", "2 lessons, one for each heading"),
                            ("node-link JSON", "2 nodes, 0 components, 1 relationships"), ("CSV with a byte order mark and semicolons", "2 nodes, 0 components, 1 relationships"),
                            ("fenced JSON, as models write it", "1 nodes"), ("quotes of a spreadsheet, a title with a comma unquoted", "'the basics'")):
            self.assertEqual((seen[name][0], words in seen[name][1]), (False, True), (name, seen[name]))
        for name in "a table of Markdown", "Mermaid", "a plain list", "a path":
            self.assertEqual((seen[name][0], "this is not a curriculum. Send one of: JSON" in seen[name][1]), (True, True), (name, seen[name]))
        self.assertIn("must be text, not an object", seen["JSON as an object"][1])
        self.assertIn("is empty", seen["empty"][1])

    def test_statements_of_case_have_their_codes(self):
        """F16"""
        _, _, ident = self.load(harness.shared("field", "44", "long.case.json"))
        self.assertRegex(self.graph(ident, "outline"), r'6\.RP\.1 "Use place value[^"]{40,80}…"')
        client = self.stdio()
        self.assertIn("6.RP.1", client.good("query_graph", session_id=ident, query="needs", node_id="6.RP.1"))
        self.assertIn("3 lessons", client.good("find", session_id=ident, text="pizza"))
        self.assertIn("abcdef01", client.good("find", session_id=ident, text="6.RP.1").splitlines()[1])

    def test_an_export_to_case_is_a_tree(self):
        """F42"""
        ident = self.workspace.run("demo").stdout.decode().split()[-1]
        path = pathlib.Path(self.workspace.data) / "d.case.json"
        self.workspace.run("export", ident, "-o", str(path), "--format", "case")
        package = json.loads(path.read_text())
        document = package["CFDocument"]["identifier"]
        parents = {each["originNodeURI"]["identifier"]: each["destinationNodeURI"]["identifier"] for each in package["CFAssociations"]
                   if each["associationType"] == "isChildOf"}
        items = [item["identifier"] for item in package["CFItems"]]
        self.assertEqual(sorted(parents), sorted(items))
        roots = [item for item in items if parents[item] == document]
        self.assertEqual((len(items), len(roots)), (45, 5))
        self.assertTrue(all(parents[item] in roots for item in items if item not in roots))

    def test_fields_of_a_sheet_are_read(self):
        """F19"""
        folder = self.scratch("f")
        shutil.copy(harness.shared("field", "46", "lessons.csv"), folder / "nodes.csv")
        client = self.stdio()
        for path in folder, harness.shared("field", "46", "lower"):
            _, _, ident = self.load(path)
            for word in "margherita", "eighths", "slices":
                self.assertIn("1 lesson:\nL1 ", client.good("find", session_id=ident, text=word))
            for text in client.good("find", session_id=ident, node_id="L1"), client.good("find", session_id=ident, node_id="L1", **{"in": "all"}):
                for words in "Learners share a margherita pizza fairly", "Cut it in eight slices", "Understand eighths":
                    self.assertIn(words, text)

    def edited(self, how):
        """The demo, exported as Markdown and edited that way; (the curriculum then, the one that comes back, the report)."""
        edit = harness.shared("field", "52", "edit.py")
        ident = self.workspace.run("demo").stdout.decode().split()[-1]
        folder = pathlib.Path(self.workspace.data) / how
        self.workspace.run("export", ident, "-o", str(folder), "--format", "markdown")
        subprocess.run(["/usr/bin/python3", str(edit), how, str(folder)], check=True)
        back, said, _ = self.load(folder)
        return json.loads(self.workspace.run("export", ident).stdout), back, said

    def test_an_edited_export_of_markdown(self):
        """F46"""
        for how in "nothing", "crlf", "trim", "mark", "nfd", "prettier", "obsidian":
            with self.subTest(how):
                was, back, said = self.edited(how)
                self.assertEqual(back["nodes"], was["nodes"])
                self.assertEqual(self.edges(back), self.edges(was))
                self.assertEqual("ends of lines of other systems" in said, how == "crlf")

    def test_an_export_of_markdown_with_other_files(self):
        """F46: a note under another name, a note less, no index"""
        was, back, said = self.edited("rename")
        self.assertEqual(sorted(back["nodes"], key=lambda node: node["node_id"]), was["nodes"])
        self.assertIn("'N004-Place-value-in-decimals.md'", said)
        was, back, said = self.edited("delete")
        self.assertEqual(back["nodes"], [node for node in was["nodes"] if node["node_id"] != "N004"])
        self.assertEqual(self.edges(back), self.edges(was))
        self.assertIn("does not exist (3): relationship 3: 'N004'", said)
        was, back, said = self.edited("noindex")
        self.assertEqual((back["nodes"], back["relationships"]), (was["nodes"], []))


class Messages(Case):
    """F21, F23, F44: members that clients add or leave empty. contract.client_messages has more."""

    def test_arguments_of_clients(self):
        client = self.stdio()
        for name in "toolCallId", "sessionId", "task_progress", "_sessionID", "wait_for_previous", "random_string", "description":
            self.assertIn("40 nodes", client.good("query_graph", query="counts", **{name: "x"}))

    def test_null_is_not_sent(self):
        client = self.stdio()
        for method, params in ("tools/list", None), ("tools/list", {"cursor": None}), ("tools/list", {"cursor": ""}), \
                ("tools/call", {"name": "find", "arguments": None}), ("tools/call", {"name": "find", "arguments": {}, "_meta": {"progressToken": None}}):
            self.assertIn("result", client.request(method, params), (method, params))

    def test_an_empty_argument_of_a_prompt(self):
        client = self.stdio()
        texts = {json.dumps(client.request("prompts/get", {"name": "plan_course", "arguments": arguments})["result"])
                 for arguments in ({}, {"weeks": ""}, {"weeks": None})}
        self.assertEqual(len(texts), 1)
        self.assertNotIn("in  weeks", texts.pop())


    def test_a_batch(self):
        """F26"""
        client = self.stdio(version="2025-03-26")
        client.send([{"jsonrpc": "2.0", "id": 71, "method": "ping"}, {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"},
                     {"jsonrpc": "2.0", "id": 72, "method": "tools/call", "params": {"name": "query_graph", "arguments": {"query": "counts"}}}])
        answers = {answer["id"]: answer["result"] for answer in client.receive("batch")}
        self.assertEqual(answers[71], {})
        self.assertIn("40 nodes", answers[72]["content"][0]["text"])
        self.assertEqual(len(answers), 2)


class Words(Case):
    """F31."""

    def test_names_with_signs_are_told_apart(self):
        path = pathlib.Path(self.workspace.data) / "languages.json"
        path.write_text(json.dumps({"meta": {"title": "Languages"}, "relationships": [], "nodes": [
            {"node_id": "L%d" % place, "title": "Course %d" % place, "components": [
                {"component_type": "paragraph", "order": 1, "parameters": {"text": "We write %s today." % name}}]}
            for place, name in enumerate(("C++", "C#", "C", "F#"))]}))
        self.workspace.load(path)
        client = self.stdio()
        for place, name in enumerate(("C++", "C#", "C", "F#")):
            for text in name, '"%s"' % name:
                found = client.good("find", session_id="Languages", text=text)
                self.assertEqual([each for each in range(4) if "L%d " % each in found], [place], (text, found))


class Http(Case):
    """F25, F27."""

    def test_a_slash_more(self):
        server = harness.Server(self.workspace)
        self.addCleanup(server.close)
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        for path in "/mcp/", "//mcp":
            status, answer, _ = server.http("POST", path, ping, Accept="application/json, text/event-stream")
            self.assertNotEqual(status, 404, (path, answer))
        self.assertEqual(server.http("GET", "/sessions/")[0], 200)

    def test_a_weak_tag_is_refused_with_its_reason(self):
        server = harness.Server(self.workspace)
        self.addCleanup(server.close)
        _, answer, _ = server.http("GET", "/sessions")
        path = "/session/%s/nodes/N010/components" % answer["sessions"][0]["session_id"]
        tag = server.http("GET", path)[2]["ETag"]
        component = {"type": "paragraph", "parameters": {"text": "x"}}
        status, answer, _ = server.http("POST", path + "/insert", component, If_Match="W/" + tag)
        self.assertEqual(status, 412)
        self.assertIn("weak", answer["detail"])
        self.assertIn("nothing has changed", answer["detail"])
        self.assertEqual(server.http("POST", path + "/insert", component, If_Match=tag)[0], 200)


class Programs(Case):
    """F36, F43."""

    def test_exec_reads_the_only_curriculum(self):
        program = pathlib.Path(self.workspace.data) / "a.py"
        program.write_text("from code_helpers import get_nodes\nprint(len(get_nodes()))\n")
        self.workspace.run("demo")
        self.assertEqual(self.workspace.run("exec", str(program)).stdout, b"40\n")

    def test_a_text_alone_has_its_value(self):
        self.assertIn("a string\\nof two lines", self.stdio().good("execute_code", code='"a string\\nof two lines"'))


if __name__ == "__main__":
    unittest.main(verbosity=2)
