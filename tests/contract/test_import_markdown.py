# SPDX-License-Identifier: GPL-3.0-or-later
"""Folders of Markdown as people and their programs have them: what is read, what is kept as text, and what the report says."""
import json
import pathlib
import tempfile
import unicodedata
import unittest

import harness


class Notes(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)

    def load(self, files, *words):
        """(the curriculum of a new folder with these files, the report)"""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return self.load_path(folder, *words)

    def load_path(self, path, *words):
        done = self.workspace.run("import", *words, str(path))
        return json.loads(self.workspace.run("export", done.stdout.decode().split()[-1]).stdout), done.stderr.decode()

    def by_title(self, back):
        return {node["title"]: node for node in back["nodes"]}

    def texts(self, node):
        return [component["parameters"].get("text") for component in node.get("components", [])]

    def edges(self, back):
        titles = {node["node_id"]: node["title"] for node in back["nodes"]}
        return sorted((titles[edge["from_node_id"]], titles[edge["to_node_id"]]) for edge in back["relationships"])


class Front(Notes):
    """Front matter that is not what YAML wants does not stop the import."""

    def test_values_that_are_no_yaml_are_text(self):
        back, said = self.load({
            "a.md": "---\ntitle: Energy: a first look\nlevel: 3\n---\nText.\n", "b.md": "---\ntitle: {{name}}\nmade: <% now %>\n---\nText.\n",
            "c.md": "---\ntitle: Heat\ntags:\n\t- warm\n\t- cold\n---\n", "d.md": "---\ntitle: Light\ntitle: Lamp\n---\n",
            "e.md": "---\ntitle: Sound\ntags: #ear #wave\n---\n", "f.md": "---\nx: &a [1]\ny: *a\n---\n# Force\n", "g.md": "# Good\n"})
        nodes = self.by_title(back)
        self.assertEqual(list(nodes), ["Energy: a first look", "{{name}}", "Heat", "Light", "Sound", "Force", "Good"])
        self.assertEqual(nodes["Energy: a first look"]["level"], 3)
        self.assertEqual(nodes["{{name}}"]["made"], "<% now %>")
        self.assertEqual(nodes["Heat"]["tags"], ["warm", "cold"])
        self.assertEqual(nodes["Light"]["title_2"], "Lamp")
        self.assertEqual(nodes["Sound"]["tags"], "#ear #wave")
        self.assertEqual((nodes["Force"]["x"], nodes["Force"]["y"]), ([1], "*a"))
        for place in "a.md line 2: 'Energy: a first look'", "b.md line 2", "c.md line 3", "d.md line 3: 'title'", "e.md line 3: 'tags'", "f.md line 3: '*a'":
            self.assertIn(place, said)

    def test_scalars_of_all_types(self):
        back, _ = self.load({"a.md": "---\ntitle: 2024\nid: 007\nversion: 1.10\npart: 1e3\nweight: 3\nopen: true\nnone: null\n---\n",
                             "b.md": "---\ntitle: true\nnode_id: 5\n---\n", "c.md": "---\ntitle: null\n---\n# Named\n", "d.md": "---\ntitle: [x, y]\n---\n"})
        nodes = self.by_title(back)
        self.assertEqual(set(nodes), {"2024", "true", "Named", '["x","y"]'})
        self.assertEqual([nodes["2024"][key] for key in ("node_id", "version", "part", "weight", "open", "none")], ["007", "1.10", "1e3", 3, True, None])
        self.assertEqual(nodes["true"]["node_id"], "5")

    def test_text_between_lines_is_text(self):
        back, said = self.load({"a.md": "---\n\nOnly text here\n\n---\n\nMore.\n", "b.md": "---\n- x\n---\nEnd.\n", "c.md": "---\n---\nEmpty.\n",
                                "d.md": "---\nnever ended\n", "e.md": "---\n{{ all }}\ntitle: Mixed: up\n---\n"})
        nodes = self.by_title(back)
        self.assertIn("Only text here", self.texts(nodes["a"])[0] + nodes["a"]["title"])
        self.assertIn("More.", self.texts(nodes["a"]))
        self.assertIn("End.", self.texts(nodes["b"]))
        self.assertEqual(self.texts(nodes["c"]), ["Empty."])
        self.assertIn("never ended", str(nodes["d"]))
        self.assertIn("{{ all }}", str(nodes))
        self.assertIn("is not front matter", said)

    def test_headings_keep_their_addresses(self):
        back, _ = self.load({"a.md": "---\ntitle: T\n---\n# Other\n\n## See [it](https://x.example/y)\n\nUse [this](https://x.example/z)\n===\n",
                             "b.md": "# Go to [page](https://x.example/b)\n"})
        nodes = self.by_title(back)
        self.assertEqual(self.texts(nodes["T"]), ["Other", "See [it](https://x.example/y)", "Use [this](https://x.example/z)"])
        self.assertIn("https://x.example/b", str(nodes["Go to page"]))


class Files(Notes):
    """Bytes, names and places of files."""

    def test_other_characters(self):
        back, said = self.load({"a.md": "# Größe\n\nMaß.\n".encode("cp1252"), "b.md": "\ufeff# Länge\r\n\r\nEins\r\nzwei\r\n".encode(),
                                "c.md": "# Breite\n".encode("utf-16"), "d.md": b"# Tiefe \xc3\xa4\n\nx \xff y\n", "e.md": b"# Old\r\rMac\rline\r", "f.md": b"# N\0L\n"})
        nodes = self.by_title(back)
        self.assertEqual(set(nodes), {"Größe", "Länge", "Breite", "Tiefe ä", "Old", "N\ufffdL"})
        self.assertEqual(self.texts(nodes["Größe"]), ["Maß."])
        self.assertEqual(self.texts(nodes["Länge"]), ["Eins\nzwei"])
        self.assertEqual(self.texts(nodes["Old"]), ["Mac\nline"])
        self.assertEqual(self.texts(nodes["Tiefe ä"]), ["x \ufffd y"])
        for text in "read as Windows-1252", "a.md line 1", "d.md line 3", "UTF-16", "CRLF":
            self.assertIn(text, said)

    def test_places_and_endings(self):
        back, said = self.load({"Unit/a.md": "# A\n", "Unit/Deep/b.markdown": "# B\n", "c.mdx": "# C\n", "d.MD": "# D\n", ".obsidian/e.md": "# E\n", "p.png": "x",
                                "q.canvas": "{}"})
        self.assertEqual(set(self.by_title(back)), {"A", "B", "C", "D"})
        self.assertIn("which are not read (2): ", said)
        back, _ = self.load({"only/in/here.markdown": "Text.\n"})
        self.assertEqual(list(self.by_title(back)), ["here"])
        back, _ = self.load({"%d. part.md" % number: "" for number in (10, 9, 1, 2)})
        self.assertEqual([node["title"] for node in back["nodes"]], ["1. part", "2. part", "9. part", "10. part"])

    def test_ids_of_names_in_any_script(self):
        names = ["分数", "除法", "Дроби", "Größe", "Maß", "שבר", "🔢 Numbers", "🔢", "भिन्न"]
        ids = []
        for form, more in ("NFC", []), ("NFD", []), ("NFC", ["加法", "A", "🔣"]):
            back, _ = self.load({unicodedata.normalize(form, name) + ".md": "Text.\n" for name in names + more})
            ids.append({node["title"]: node["node_id"] for node in back["nodes"] if node["title"] in names})
        self.assertEqual(ids[0], ids[1])
        self.assertEqual(ids[0], ids[2])
        self.assertEqual([ids[0][name] for name in names if "🔢" not in name], [name for name in names if "🔢" not in name])
        self.assertEqual(ids[0]["🔢 Numbers"], "Numbers")
        back, said = self.load({"a/one.md": "", "b/one.md": "", "a b.md": "", "a-b.md": "", "x.md": "---\nid: same\n---\n", "y.md": "---\nid: same\n---\n"})
        self.assertEqual(len({node["node_id"] for node in back["nodes"]}), 6)
        self.assertIn("ids that another note has", said)

    def test_our_own_export_after_other_programs(self):
        curriculum = {"meta": {"title": "P"}, "nodes": [
            {"node_id": "A", "title": "A", "note": "x\r\ny", "components": [
                {"type": "paragraph", "parameters": {"text": "One.\nTwo.\n\nThree."}, "order": 1},
                {"type": "definition", "parameters": {"term": "a", "definition": "b\nc"}, "order": 2},
                {"type": "step-sequence", "parameters": {"steps": ["one", "two\nlines"]}, "order": 3},
                {"type": "callout-box", "parameters": {"text": "Mind\n\nthe gap", "style": "warning"}, "order": 4},
                {"type": "paragraph", "parameters": {"text": "own\r\nend"}, "order": 5},
                {"type": "code-exercise", "parameters": {"prompt": "p\nq", "cases": [{"call": "f(1)", "expected": "1"}]}, "order": 6}]},
            {"node_id": "B", "title": "B", "components": []}],
            "relationships": [{"from_node_id": "A", "to_node_id": "B", "relationship_type": "PREREQUISITE"}]}
        path = self.folder / "in.json"
        path.write_text(json.dumps(curriculum))
        sid = self.workspace.load(path)
        was = json.loads(self.workspace.run("export", sid).stdout)
        for change in (lambda text: text.replace(b"\n", b"\r\n"), lambda text: text.replace(b"\n", b"\r"), lambda text: b"\xef\xbb\xbf" + text,
                       lambda text: b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n")):
            out = pathlib.Path(tempfile.mkdtemp(dir=self.folder)) / "out"
            self.workspace.run("export", sid, "-o", str(out), "--format", "markdown")
            for file in out.iterdir():
                self.assertNotIn(b"\r", file.read_bytes())
                file.write_bytes(change(file.read_bytes()))
            self.assertEqual(self.load_path(out)[0], was)

    def test_a_damaged_file_of_an_export_is_read_as_text(self):
        back, said = self.load({"curriculum.yaml": "lectern: markdown 1\nnodes: [b.md, a.md]\n", "a.md": "---\nnode_id: N1\ntitle: One\n---\n\n"
                                "<!-- component: definition -->\n\nno label\n\n<!-- component: paragraph -->\nGood.\n",
                                "b.md": "---\nnode_id: N2\ntitle: Two: more\n---\n\n<!-- component: paragraph -->\nAlso good.\n"})
        self.assertEqual([(node["node_id"], node["title"]) for node in back["nodes"]], [("N2", "Two: more"), ("N1", "One")])
        self.assertIn("no label", self.texts(back["nodes"][1])[0])
        self.assertEqual(self.texts(back["nodes"][1])[1], "Good.")
        self.assertIn("a.md line 8: a field must begin here", said)


class Links(Notes):
    """Links of all forms become relationships."""

    def test_forms_of_links(self):
        forms = {"wiki": "[[Water]]", "alias": "[[Water|the sea]]", "part": "[[Water#Ice|x]]", "folder": "[[Unit/Water]]", "table": "| a |\n|---|\n| [[Water\\|w]] |",
                 "embed": "![[Water]]", "block": "![[Water#^a1]]", "case": "[[wATER]]", "title": "[[Water in nature]]", "other name": "[[Wasser]]",
                 "relative": "[w](Unit/Water.md)", "bare": "[w](Unit/Water)", "root": "[w](/Unit/Water.md#ice)", "site": "[w](/docs/Unit/Water/)", "reference": "[w][1]\n\n[1]: Unit/Water.md",
                 "html": 'See <a class="x" href="Unit/Water.md">w</a>.', "html block": "<div>\n<a href='./Unit/Water.md'>w</a>\n</div>", "page": "[w](Unit/Water.html)",
                 "hugo": '[w]({{< ref "Unit/Water.md" >}})', "list": "- a\n  - b [[Water]]", "quote": "> [[Water]]", "heading": "## On [[Water]]",
                 "brackets": "<Unit/Water.md> [w](<Unit/Water.md>)"}
        files = {name + ".md": text + "\n" for name, text in forms.items()}
        back, said = self.load({**files, "Unit/Water.md": "---\ntitle: Water in nature\naliases: [Wasser, Aqua]\n---\nWet.\n"})
        self.assertEqual({one for one, other in self.edges(back) if other == "Water in nature"}, set(self.by_title(back)) - {"Water in nature"}, said)
        self.assertEqual(len(back["relationships"]), len(forms))
        self.assertNotIn("lead to no note", said)

    def test_addresses_of_sites(self):
        """Docusaurus leaves numbers out of addresses, Jekyll the "_" of collections; slug, permalink, url and aliases replace them."""
        back, said = self.load({
            "docs/01-intro/01-start.md": "---\nslug: /begin\n---\n# Start\n[a](../deep/dive) [b](/docs/deep/more#part) [c](../02-deep/03-most.md)\n",
            "docs/01-intro/index.md": "# Intro\n[a](/docs/begin/)\n", "docs/02-deep/01-dive.md": "# Dive\n[a](/begin) [b](../intro/) [c](last-words)\n",
            "docs/02-deep/02-more.md": "---\ntitle: More\npermalink: /more/things/\n---\n[a](/2026/01/02/hello.html)\n",
            "docs/02-deep/03-most.md": "---\ntitle: Most\naliases: [/old/most/]\n---\n[a](/more/things)\n",
            "docs/02-deep/04-end.md": "---\ntitle: End\nslug: last-words\nurl: https://x.org/y\n---\n[a](/old/most)\n",
            "_posts/2026-01-02-hello.md": "---\ntitle: Hello\n---\n[a](/lessons/one) [b](/docs/02-nothing)\n", "_lessons/one.md": "# One\n"})
        self.assertEqual(self.edges(back), sorted([
            ("Start", "Dive"), ("Start", "More"), ("Start", "Most"), ("Intro", "Start"), ("Dive", "Start"), ("Dive", "Intro"), ("Dive", "End"), ("More", "Hello"),
            ("Most", "More"), ("End", "Most"), ("Hello", "One")]))
        self.assertIn("kept as text alone: _posts/2026-01-02-hello.md line 4: '/docs/02-nothing'", said)

    def test_links_in_templates(self):
        """Those of Hugo and Jekyll, which CommonMark does not take for links because of their blanks."""
        back, said = self.load({
            "docs/a.md": "# A\n[x]({{< relref \"b\" >}}) and [y]({{% ref path=\"c.md\" %}}).\n\n[z]({{< ref d >}}), not `{{< ref \"e\" >}}`.\n",
            "docs/b.md": "# B\n[x]({% link docs/c.md %}) [y]({{ site.baseurl }}{% link docs/d.md %}) [z]({% post_url 2026-01-02-hello %})\n",
            "docs/c.md": "# C\n[x]({{ '/docs/d' | relative_url }}) [y]({{ site.baseurl }}/docs/e.html) [z]({{site.baseurl}}/docs/a)\n",
            "docs/d.md": "# D\n<a href=\"{{ site.url }}/docs/e\">E</a>\n\n<div>\n<a href=\"{% link docs/a.md %}\">A</a>\n</div>\n",
            "docs/e.md": "# E\n{% link docs/gone.md %} {% include docs/a.md %} {{ page.title }} {{ unended\n", "_posts/2026-01-02-hello.md": "---\ntitle: Hello\n---\n"})
        self.assertEqual(self.edges(back), sorted([("A", "B"), ("A", "C"), ("A", "D"), ("B", "C"), ("B", "D"), ("B", "Hello"), ("C", "D"), ("C", "E"), ("C", "A"),
                                                   ("D", "E"), ("D", "A")]))
        self.assertIn("lead to no note of the folder are kept as text alone: docs/e.md line 2: '/docs/gone.md'", said)

    def test_templates_that_never_end(self):
        """Each is searched for its end in a bounded part of the text: otherwise this takes minutes."""
        back, _ = self.load({"a.md": "# A\n" + "{{ {% " * 500_000 + "{% link b.md %}\n", "b.md": "# B\n"})
        self.assertEqual(self.edges(back), [("A", "B")])

    def test_folders_and_unresolved(self):
        back, said = self.load({"start.md": "[a](unit/) [b](other) [c](gone.md)\n\n[[Nowhere]] [[Missing|x]] ![[pic.png]] [web](https://x.example/a.md)\n",
                                "unit/index.md": "# Unit\n\n[up](../start.md)\n", "other/README.md": "# Rest\n",
                                "code.md": "```\n[[start]]\n```\n\n    [[start]]\n\n`[[start]]` \\[[start]]\n"})
        self.assertEqual(self.edges(back), [("Unit", "start"), ("start", "Rest"), ("start", "Unit")])
        self.assertEqual(said.count("lead to no note"), 1)
        self.assertIn("kept as text alone (3): start.md line 1: 'gone.md'; start.md line 3: 'Nowhere'; start.md line 3: 'Missing'", said)
        self.assertIn("other than notes are kept as text alone: ", said)

    def test_composed_and_decomposed_names(self):
        for files, links in ("NFD", "NFC"), ("NFC", "NFD"):
            one, other = (unicodedata.normalize(form, "Größe Ünit") for form in (files, links))
            back, said = self.load({one + ".md": "x\n", "a.md": "[[%s]]\n" % other, "b.md": "[x](%s.md)\n" % other.replace(" ", "%20"), "c.md": "[[%s]]\n" % other.upper()})
            self.assertEqual(len(back["relationships"]), 3, said)
            self.assertIn("Größe Ünit", self.by_title(back))

    def test_several_notes_of_a_name(self):
        back, said = self.load({"a/Same.md": "# A\n", "b/Same.md": "# B\n", "b/from.md": "[[Same]]\n", "a/Maths___Half.md": "# Half\n", "c.md": "[[Maths/Half]]\n"})
        self.assertEqual(self.edges(back), [("c", "Half"), ("from", "B")])
        self.assertIn("several notes", said)

    def test_front_matter_names_other_notes(self):
        back, said = self.load({"a.md": "---\nprerequisites: [Bee, d-id]\nnext: c.md\n---\n", "b.md": "# Bee\n", "c.md": "---\nrequires: Bee, [[a]]; gone\n---\n",
                                "d.md": "---\nid: d-id\nprerequisite: [[Bee]]\n---\n"})
        kinds = sorted((edge["from_node_id"], edge["to_node_id"], edge["relationship_type"]) for edge in back["relationships"])
        self.assertIn(("b", "a", "PREREQUISITE"), kinds, said)
        self.assertEqual(kinds, sorted([("b", "a", "PREREQUISITE"), ("d-id", "a", "PREREQUISITE"), ("a", "c", "LEADS_TO"), ("b", "c", "PREREQUISITE"),
                                        ("a", "c", "PREREQUISITE"), ("b", "d-id", "PREREQUISITE")]))
        self.assertIn("'gone'", said)

    def kinds(self, back):
        titles = {node["node_id"]: node["title"] for node in back["nodes"]}
        return sorted((titles[edge["from_node_id"]], titles[edge["to_node_id"]], edge["relationship_type"]) for edge in back["relationships"])

    def test_properties_in_the_text(self):
        """As Notion exports a relation, as Dataview has it, and as people write it; other links on the page stay links."""
        notion = "Adding 00112233445566778899aabbccddeeff"
        for text in ("Prerequisites: Counting (Counting.md), Two (2) (sub/Two%20(2).md)", "requires:: [[Counting]], [[Two|second]]",
                     "- **Voraussetzungen:** [Counting](Counting.md) und [zwei](<sub/Two (2).md>)", "> Needs: [[Counting#Part|one]] [[Two]]"):
            with self.subTest(text):
                back, said = self.load({notion + ".md": "# Adding\n\nTags: maths\n%s\n\nSee [[Other]].\n" % text, "Counting.md": "# Counting\n",
                                        "sub/Two (2).md": "---\naliases: Two\n---\n# Two\n", "Other.md": "# Other\nNext: [[Counting]]\n"})
                self.assertEqual(self.kinds(back), [("Adding", "Other", "LEADS_TO"), ("Counting", "Adding", "PREREQUISITE"), ("Other", "Counting", "LEADS_TO"),
                                                    ("Two", "Adding", "PREREQUISITE")], said)
                self.assertIn(text.splitlines()[0][2:], json.dumps(back, ensure_ascii=False))

    def test_links_below_a_heading_of_prerequisites(self):
        back, said = self.load({"a.md": "# A\n\nSee [[D]].\n\n## Prerequisites\n\n- [[B]]\n- [c](c.md)\n- [Python](https://python.org)\n- [[gone]]\n\n## Text\n\nSee [[E]].\n",
                                "b.md": "# B\n\n## Requirements\n\nChalk.\n", "c.md": "# C\n", "d.md": "# D\n", "e.md": "# Prerequisites\n\n[[B]]\n"})
        self.assertEqual(self.kinds(back), [("A", "D", "LEADS_TO"), ("A", "Prerequisites", "LEADS_TO"), ("B", "A", "PREREQUISITE"), ("C", "A", "PREREQUISITE"),
                                            ("Prerequisites", "B", "LEADS_TO")])
        self.assertIn("'gone'", said)

    def test_keys_in_other_languages(self):
        """Their values need not be notes, so that others are fields alone."""
        back, said = self.load({"a.md": "---\nVoraussetzungen: ['[[B]]', Kreide]\nrequirements: chalk, ruler\n---\n# A\n", "b.md": "# B\n"})
        self.assertEqual(self.kinds(back), [("B", "A", "PREREQUISITE")])
        self.assertEqual(self.by_title(back)["A"]["requirements"], "chalk, ruler")
        self.assertNotIn("Left out", said)

    def test_callouts_and_comments(self):
        back, said = self.load({"a.md": "> [!warning] Mind it\n> Never.\n> Ever.\n\n> [!danger]-\n> Hot.\n\n> quote\n\nSee %%secret%% this.\n\n%%\nmore\n\nsecret\n%%\n\n"
                                        "```\n%%time%%\n```\n\n`%%a%%` end\n"})
        parts = [(part["type"], part["parameters"]) for part in back["nodes"][0]["components"]]
        self.assertEqual(parts[:3], [("callout-box", {"text": "Mind it\n\nNever.\nEver.", "style": "warning"}),
                                     ("callout-box", {"text": "Hot.", "style": "warning", "callout": "danger"}), ("paragraph", {"text": "> quote"})])
        self.assertNotIn("secret", json.dumps(back))
        self.assertIn("%%time%%", json.dumps(back))
        self.assertIn("`%%a%%`", json.dumps(back))
        self.assertIn("are left out (2): a.md line 10; a.md line 12", said)


class Hugo(Notes):
    """Front matter in TOML and JSON; weights."""

    def test_front_matter(self):
        back, said = self.load({
            "_index.md": "+++\ntitle = 'Course'\n+++\nWelcome.\n",
            "a.md": "+++\n# made by hand\ntitle = \"Adding \\u00fc\"\nweight = 20\ndraft = false\ndate = 2026-03-01T09:00:00Z\nversion = 1.10\n"
                    "tags = [\"sum\", 'plus', # both\n  \"total\",\n]\ntext = \"\"\"\nOne\ntwo\\\n   three\"\"\"\nsite.name = \"x\"\n"
                    "prerequisites = [\"b\"]\nplace = { x = 1 }\n\n[params]\n  author = \"Ada\"\n[[resources]]\nsrc = \"1.png\"\n[[resources]]\nsrc = \"2.png\"\n+++\n\nText.\n",
            "b.md": "{\n  \"title\": \"Base\",\n  \"weight\": 10,\n  \"tags\": [\"x\"],\n  \"params\": {\"a\": 1}\n}\n\nBody.\n",
            "c.md": "+++\ntitle = broken here\nweight = 5\n+++\nC.\n", "d.md": "{{< figure >}}\n\nD.\n", "e.md": "{\n\"title\": oops\n}\nE.\n",
            "f.md": "+++\ntitle = \"F\"\nnever ended\n", "g.md": "+++\ntitle = 7\ntitle = \"Again\"\nnonsense\n+++\n"})
        nodes = self.by_title(back)
        adding = nodes["Adding ü"]
        self.assertEqual([adding[key] for key in ("weight", "draft", "date", "version", "tags", "text", "site.name", "place", "params")],
                         [20, False, "2026-03-01T09:00:00Z", "1.10", ["sum", "plus", "total"], "One\ntwothree", "x", "{ x = 1 }", 'author = "Ada"'])
        self.assertEqual(adding["resources"], 'src = "1.png"\n\nsrc = "2.png"')
        self.assertEqual(self.texts(adding), ["Text."])
        self.assertEqual((nodes["Base"]["tags"], nodes["Base"]["params"], self.texts(nodes["Base"])), (["x"], {"a": 1}, ["Body."]))
        self.assertEqual((nodes["broken here"]["weight"], nodes["7"]["title_2"], nodes["7"]["front_matter"]), (5, "Again", "nonsense"))
        self.assertIn("{{< figure >}}", str(nodes["d"]))
        self.assertIn("oops", str(nodes["e"]))
        self.assertIn("never ended", str(nodes["f"]))
        self.assertIn(("Base", "Adding ü"), self.edges(back))
        for place in ("a.md line 2", "a.md line 17: 'place'", "a.md line 19: 'params'", "a.md line 21: 'resources'", "c.md line 2: 'title'", "e.md line 1", "g.md line 3: 'title'",
                      "g.md line 4"):
            self.assertIn(place, said)
        self.assertEqual([node["title"] for node in back["nodes"]][:4], ["Course", "broken here", "Base", "Adding ü"])

    def test_sections_by_weight(self):
        back, _ = self.load({
            "_index.md": "---\ntitle: Top\n---\n", "zebra/_index.md": "+++\ntitle = \"Zebra\"\nweight = 1\n+++\n", "zebra/b.md": "---\ntitle: B\nweight: 1\n---\n",
            "zebra/a.md": "---\ntitle: A\nweight: 2\n---\n", "apple/_index.md": "---\ntitle: Apple\nweight: 2\n---\n", "apple/x.md": "---\ntitle: X\n---\n",
            "apple/y.md": "---\ntitle: Y\nweight: 3\n---\n", "last.md": "---\ntitle: Last\nweight: 0\n---\n"})
        self.assertEqual([node["title"] for node in back["nodes"]], ["Top", "Zebra", "B", "A", "Apple", "Y", "X", "Last"])
        self.assertEqual(self.by_title(back)["A"]["weight"], 2)

    def test_titles_of_sections_are_chapters(self):
        back, _ = self.load({
            "content/_index.md": "+++\ntitle = 'Home'\n+++\n", "content/numbers/_index.md": "+++\ntitle = 'All numbers'\nweight = 2\n+++\nWelcome.\n",
            "content/numbers/a.md": "A.\n", "content/numbers/more/_index.md": "---\ntitle: More\n---\n", "content/numbers/more/b.md": "B.\n",
            "content/plain/c.md": "C.\n", "content/own/_index.md": "---\ntitle: Own\nweight: 1\n---\n", "content/own/d.md": "---\nchapter: Mine\n---\nD.\n"})
        self.assertEqual([(node["title"], node.get("chapter")) for node in back["nodes"]],
                         [("Home", None), ("Own", "Own"), ("d", "Mine"), ("All numbers", "All numbers"), ("a", "All numbers"), ("More", "All numbers / More"),
                          ("b", "All numbers / More"), ("c", None)])

    def test_one_file_takes_its_name(self):
        for text in "+++\ndraft = true\n+++\nText.\n", "---\ndraft: true\n---\nText.\n", '{\n"draft": true\n}\nText.\n':
            path = self.folder / "Long division.md"
            path.write_text(text)
            back, _ = self.load_path(path)
            [node] = back["nodes"]
            self.assertEqual((node["title"], node["draft"], self.texts(node)), ("Long division", True, ["Text."]))


class Jekyll(Notes):
    def test_nav_order(self):
        back, _ = self.load({"index.md": "---\ntitle: Home\nnav_order: 1\nlayout: home\n---\n", "alpha.md": "---\ntitle: Alpha\nnav_order: 3\n---\n",
                             "beta.md": "---\ntitle: Beta\nnav_order: '2'\n---\n", "aaa.md": "---\ntitle: None\n---\n", "ten.md": "---\ntitle: Ten\nnav_order: 2.5\n---\n"})
        self.assertEqual([node["title"] for node in back["nodes"]], ["Home", "Beta", "Ten", "Alpha", "None"])
        self.assertEqual(self.by_title(back)["Alpha"]["nav_order"], 3)


    FILES = {
        "_config.yml": "theme: just-the-docs\n", "index.md": "---\ntitle: Home\nnav_order: 1\n---\n", "ui.md": "---\ntitle: Shapes\nhas_children: true\nnav_order: 3\n---\n",
        "a.md": "---\ntitle: Ten\nparent: Shapes\nnav_order: 10\n---\n", "b.md": "---\ntitle: Two\nparent: Shapes\nnav_order: 2\nhas_children: true\n---\n",
        "c.md": "---\ntitle: Inner\nparent: Two\ngrand_parent: Shapes\n---\n", "d.md": "---\ntitle: Zebra\nparent: Shapes\n---\n",
        "e.md": "---\ntitle: Apple\nparent: Shapes\n---\n", "f.md": "---\ntitle: Numbers\nnav_order: 2\n---\n", "g.md": "---\ntitle: Two\nparent: Numbers\n---\n",
        "h.md": "---\ntitle: Deep\nparent: Two\ngrand_parent: Numbers\n---\n", "i.md": "---\ntitle: Hidden\nnav_exclude: true\nnav_order: 1\n---\n",
        "j.md": "---\ntitle: Below hidden\nparent: Hidden\n---\n", "k.md": "---\ntitle: Lost\nparent: Nowhere\n---\n"}

    def test_parents(self):
        back, said = self.load(self.FILES)
        self.assertEqual([(node["title"], node.get("chapter")) for node in back["nodes"]],
                         [("Home", None), ("Numbers", "Numbers"), ("Two", "Numbers / Two"), ("Deep", "Numbers / Two"), ("Shapes", "Shapes"), ("Two", "Shapes / Two"),
                          ("Inner", "Shapes / Two"), ("Ten", "Shapes"), ("Apple", "Shapes"), ("Zebra", "Shapes"), ("Lost", None), ("Hidden", None), ("Below hidden", None)])
        self.assertEqual(self.by_title(back)["Inner"]["parent"], "Two")
        self.assertTrue(self.by_title(back)["Hidden"]["nav_exclude"])
        for words in ("the parents of pages give the order of the notes and their chapters (8)", "parents that name a page which is missing give no chapter: k.md: 'Nowhere'", "(nav_exclude)"):
            self.assertIn(words, said)

    def test_parents_in_a_circle(self):
        back, _ = self.load({"a.md": "---\ntitle: A\nparent: B\nnav_order: 1\n---\n", "b.md": "---\ntitle: B\nparent: A\n---\n", "c.md": "---\ntitle: C\nparent: C\n---\n",
                             **{"p%02d.md" % n: "---\ntitle: P%d\nparent: P%d\n---\n" % (n, n - 1) for n in range(40)}})
        self.assertEqual(len(back["nodes"]), 43)

    def test_a_parent_of_another_program(self):
        back, said = self.load({"a.md": "---\ntitle: A\n---\n", "b.md": "---\ntitle: B\nparent: A\n---\n"})
        self.assertEqual([node.get("chapter") for node in back["nodes"]], [None, None])
        self.assertNotIn("parents", said)


class Docusaurus(Notes):
    SITE = {
        "docusaurus.config.js": "module.exports = {};\n", "sidebars.js": "module.exports = {};\n",
        "docs/01-intro.md": "Hello.\n", "docs/03 - Shapes/_category_.json": '\ufeff{"label": "All shapes", "position": 2, "collapsed": true}',
        "docs/03 - Shapes/02-Circles.md": "# Round ones\n", "docs/03 - Shapes/01-Lines.mdx": "Lines.\n", "docs/02-numbers/_category_.yml": "label: 'Numbers'\nposition: 3.5\n",
        "docs/02-numbers/10-Ten.md": "Ten.\n", "docs/02-numbers/9-Nine.md": "Nine.\n", "docs/02-numbers/extra.md": "---\nsidebar_position: 1\nsidebar_label: First\n---\nExtra.\n",
        "docs/02-numbers/05-deep/1.5-notes.md": "Version.\n", "docs/02-numbers/05-deep/2026-01-15-news.md": "Date.\n", "docs/04-guides/index.md": "---\nsidebar_label: Guides\n---\n# How to\n",
        "docs/04-guides/01-intro.md": "Again.\n", "blog/2026-01-01-post.md": "# Post\n"}

    def test_site(self):
        back, said = self.load(self.SITE)
        self.assertEqual([(node["node_id"], node["title"], node.get("chapter")) for node in back["nodes"] if node["title"] != "Post"], [
            ("intro", "intro", None), ("Lines", "Lines", "All shapes"), ("Circles", "Round ones", "All shapes"), ("extra", "extra", "Numbers"),
            ("1-5-notes", "1.5-notes", "Numbers / deep"), ("2026-01-15-news", "2026-01-15-news", "Numbers / deep"), ("Nine", "Nine", "Numbers"), ("Ten", "Ten", "Numbers"),
            ("index", "How to", "Guides"), ("docs-guides-intro", "intro", "Guides")])
        self.assertIsNone(self.by_title(back)["Post"].get("chapter"))
        self.assertEqual(self.by_title(back)["extra"]["sidebar_label"], "First")
        for words in ("sidebars that are code are not run: the order is that of positions and names: sidebars.js", "other than its label and position: docs/03 - Shapes/_category_.json: 'collapsed'",
                      "categories of Docusaurus give the order of folders and their chapters (2)", "which are not read (2)"):
            self.assertIn(words, said)
        inner, _ = self.load({name.removeprefix("docs/"): text for name, text in self.SITE.items() if name.startswith("docs/")})
        self.assertEqual([node.get("chapter") for node in inner["nodes"]], [node.get("chapter") for node in back["nodes"] if node["title"] != "Post"])

    def test_categories_that_cannot_be_read(self):
        back, said = self.load({"a/_category_.json": "{label", "a/01-x.md": "X.\n", "b/_category_.yml": "- label\n", "b/y.md": "Y.\n", "c/_category_.json": '{"label": "C", "position": "2"}', "c/z.md": "Z.\n"})
        self.assertEqual([(node["title"], node.get("chapter")) for node in back["nodes"]], [("x", "a"), ("y", "b"), ("z", "C")])
        self.assertIn("files _category_ that cannot be read name no chapter (2)", said)
        self.assertIn("c/_category_.json: 'position'", said)

    def test_pages_alone(self):
        back, _ = self.load({"01-intro.md": "X.\n", "02-shapes/02-more.md": "# 3-Angles\n", "02-shapes/01-first.md": "---\nsidebar_position: 9\n---\nY.\n"})
        self.assertEqual([(node["node_id"], node["title"], node.get("chapter")) for node in back["nodes"]],
                         [("intro", "intro", None), ("more", "3-Angles", "shapes"), ("first", "first", "shapes")])

    def test_numbers_stay_without_a_site(self):
        back, _ = self.load({"01-intro.md": "X.\n", "sub/02-more.md": "Y.\n"})
        self.assertEqual([(node["node_id"], node["title"], node.get("chapter")) for node in back["nodes"]], [("01-intro", "01-intro", None), ("02-more", "02-more", None)])

    def test_positions_and_admonitions(self):
        back, said = self.load({
            "docs/b.md": "---\nsidebar_position: 1\ntitle: B\n---\n\nBefore.\n:::warning Mind the gap\nFirst **line**.\n\nSecond, see [a](a.md).\n:::\nAfter.\n\n"
                         ":::tip[Own title]\nOne.\n:::\n\n:::note\nBare.\n:::\n",
            "docs/a.md": "---\nsidebar_position: 2\ntitle: A\n---\n```\n:::note\ncode\n:::\n```\n\n:::danger\nnever ended\n\n::: {.pandoc}\nx\n",
            "docs/c.mdx": "---\ntitle: C\n---\n::::info\n:::tip\ninner\n:::\n::::\n"})
        self.assertEqual([node["title"] for node in back["nodes"]], ["B", "A", "C"])
        b, a, c = back["nodes"]
        boxes = [component["parameters"] for component in b["components"] if component["type"] == "callout-box"]
        self.assertEqual(boxes, [{"text": "Mind the gap\n\nFirst **line**.\n\nSecond, see [a](a.md).", "style": "warning"},
                                 {"text": "Own title\n\nOne.", "style": "tip"}, {"text": "Bare.", "style": "info", "callout": "note"}])
        self.assertEqual([component["parameters"]["text"] for component in b["components"] if component["type"] == "paragraph"], ["Before.", "After."])
        self.assertEqual(self.edges(back), [("B", "A")])
        self.assertIn(":::note\ncode\n:::", str(self.texts(a)[0]))
        self.assertIn("never ended", str(a))
        self.assertIn("{.pandoc}", str(a))
        self.assertIn("docs/a.md line 11", said)
        self.assertEqual([component["type"] for component in c["components"]], ["callout-box"])
        self.assertIn("inner", c["components"][0]["parameters"]["text"])


class MkDocs(Notes):
    FILES = {
        "mkdocs.yml": "site_name: Maths\ntheme:\n  name: material\nmarkdown_extensions:\n  - pymdownx.emoji:\n      emoji_index: !!python/name:material.extensions.emoji.twemoji\n"
                      "nav:\n  - Home: index.md\n  - Numbers:\n    - Zero: numbers/zero.md\n    - Lists:\n      - numbers/adding.md\n  # a comment\n  - Gone: gone.md\n"
                      "  - Site: https://x.example/\n- about.md\nplugins:\n  - search\n".replace("\n- about", "\n  - about"),
        "docs/index.md": "# Welcome\n", "docs/about.md": "# About\n", "docs/numbers/zero.md": "# Zero\n", "docs/numbers/adding.md": "---\nweight: 1\n---\n# Adding\n",
        "docs/aaa.md": "# Left over\n", "docs/first.md": "---\nweight: 1\n---\n# With a number\n"}

    def test_navigation(self):
        back, said = self.load(self.FILES)
        self.assertEqual([node["title"] for node in back["nodes"]], ["Welcome", "Zero", "Adding", "About", "With a number", "Left over"])
        nodes = self.by_title(back)
        self.assertEqual([nodes[title].get("chapter") for title in ("Welcome", "Zero", "Adding", "About")], [None, "Numbers", "Numbers / Lists", None])
        self.assertEqual((nodes["Welcome"]["nav_title"], nodes["Zero"].get("nav_title")), ("Home", None))
        self.assertIn("not in the folder: mkdocs.yml: 'gone.md'", said)
        self.assertIn("mkdocs.yml: 'https://x.example/'", said)
        self.assertNotIn("files other than notes", said)
        other = {name.replace("docs/", "pages/en/"): text.replace("nav:", "docs_dir: pages/en\nnav:") for name, text in self.FILES.items()}
        self.assertEqual([node["title"] for node in self.load(other)[0]["nodes"]][:3], ["Welcome", "Zero", "Adding"])

    def test_a_navigation_that_cannot_be_read(self):
        back, said = self.load({"mkdocs.yml": "nav: [a.md, *x\n", "docs/b.md": "# B\n", "docs/a.md": "# A\n"})
        self.assertEqual([node["title"] for node in back["nodes"]], ["A", "B"])
        self.assertIn("a navigation that cannot be read gives no order", said)

    def test_admonitions(self):
        back, _ = self.load({"a.md": "# A\n\n!!! note \"Read this\"\n    One.\n\n    Two.\n\n        code\n\nBetween.\n!!! warning\n    Hot.\nAfter.\n\n??? tip \"\"\n\tFolded.\n\n"
                             "???+ question\n    Open.\n\nNot !!! one.\n"})
        components = back["nodes"][0]["components"]
        self.assertEqual([component["type"] for component in components],
                         ["callout-box", "paragraph", "callout-box", "paragraph", "callout-box", "callout-box", "paragraph"])
        self.assertEqual([component["parameters"]["text"] for component in components],
                         ["Read this\n\nOne.\n\nTwo.\n\n    code", "Between.", "Hot.", "After.", "Folded.", "Open.", "Not !!! one."])
        self.assertEqual([component["parameters"].get("style") for component in components], ["info", None, "warning", None, "tip", "info", None])


class MdBook(Notes):
    def test_summary(self):
        back, said = self.load({
            "book.toml": "[book]\ntitle = \"B\"\n", "src/SUMMARY.md": "# Summary\n\n[Introduction](README.md)\n\n# First part\n\n- [Two](two.md)\n  - [Deep](deep/one%20more.md)\n"
            "- [One](./one.md)\n- [Draft]()\n\n# Second part\n\n- [Gone](gone.md)\n- [Three](three.md)\n\n---\n\n[End](end.md)\n",
            "src/README.md": "# Introduction\n", "src/one.md": "# One\n", "src/two.md": "# Two\n", "src/three.md": "# Three\n", "src/deep/one more.md": "# Deep inside\n",
            "src/end.md": "# End\n", "src/also.md": "# Also\n"})
        self.assertEqual([node["title"] for node in back["nodes"]], ["Introduction", "Two", "Deep inside", "One", "Three", "End", "Also"])
        self.assertEqual([node.get("chapter") for node in back["nodes"]],
                         [None, "First part", "First part", "First part", "Second part", "Second part", None])
        self.assertEqual(self.by_title(back)["Deep inside"]["nav_title"], "Deep")
        for text in "SUMMARY.md: 'gone.md'", "drafts", "'Draft'":
            self.assertIn(text, said)
        self.assertEqual(back["relationships"], [])

    def test_chapters_without_parts(self):
        back, _ = self.load({"SUMMARY.md": "* [Ratio](ratio.md)\n    * [Rates](rates.md)\n* [Powers](powers.md)\n", "powers.md": "# Powers\n", "rates.md": "# Rates\n",
                             "ratio.md": "# Ratio\n"})
        self.assertEqual([(node["title"], node.get("chapter")) for node in back["nodes"]], [("Ratio", "Ratio"), ("Rates", "Ratio"), ("Powers", None)])

    def test_a_summary_that_is_a_note(self):
        back, _ = self.load({"summary.md": "# Summary\n\nWe saw [a](a.md), and more.\n", "a.md": "# A\n"})
        self.assertEqual(set(self.by_title(back)), {"Summary", "A"})


class Logseq(Notes):
    def test_page_properties(self):
        back, said = self.load({
            "pages/ratio.md": "title:: Ratio and rate\nalias:: Proportion, [[Ratios]]\ntags:: maths, #numbers, [[First, second]]\nrequires:: [[Counting]], [[Fractions]]\nlevel:: easy\n\n"
                              "- A block\n  id:: 123\n- See [[Fractions]]\n",
            "pages/Counting.md": "- One, two.\n", "pages/Fractions.md": "- Needs [[proportion]].\n", "pages/code.md": "std::sort\n\nvector:: is no property\n"})
        nodes = self.by_title(back)
        ratio = nodes["Ratio and rate"]
        self.assertEqual([ratio[key] for key in ("alias", "tags", "requires", "level")],
                         [["Proportion", "Ratios"], ["maths", "numbers", "First, second"], ["Counting", "Fractions"], "easy"])
        self.assertNotIn("title::", str(ratio["components"]))
        edges = [(edge["relationship_type"], edge["from_node_id"], edge["to_node_id"]) for edge in back["relationships"]]
        ids = {title: node["node_id"] for title, node in nodes.items()}
        for title in "Counting", "Fractions":
            self.assertIn(("PREREQUISITE", ids[title], ids["Ratio and rate"]), edges)
        self.assertIn(("Fractions", "Ratio and rate"), self.edges(back))
        self.assertIn("std::sort", str(nodes["code"]["components"]))
        self.assertIn("vector:: is no property", str(nodes["code"]["components"]))


if __name__ == "__main__":
    unittest.main()
