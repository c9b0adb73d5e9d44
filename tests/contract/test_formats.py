# SPDX-License-Identifier: GPL-3.0-or-later
"""Other formats of curricula: an export imports as the same JSON values, for any texts, ids and titles; files of other tools are
understood; errors name the file and line; and a file is written completely, to its own path, or not at all. LECTERN_LONG=100: that many
hostile curricula, and the large real ones too."""
import csv
import json
import os
import pathlib
import random
import unittest
import uuid

import harness

FORMS = ("json", "csv", "case", "markdown")
NASTY = ("", " ", "\n", "a", "---", "\n---\n", "```", "```yaml parameters\n```", "```json\n{}\n```", "-->", "<!-- component: heading -->",
         "<!-- component -->\n```json\n1\n```", "a\n<!-- component: x -->\nb", "**term:** x", "x\n\n**answer:** y", "1. one\n2. two", "- a", "> q",
         "> q\nnot", "## h", "#", " lead", "trail ", "\ttab\t", "line\r\nbreak", "cr\ronly", "\x01\x02\x1b[31m\x7f", "nul\x00in", "é ü 漢字 🌊 \u200f\u202e",
         "\u0085\u2028\ufeff\ufffe", 'quo"te', "it's", "a,b;c\td", "=1+1", "null", "true", "~", "yes", "1", "1.0", "-0.0", "1e400", "0x1f", "2020-01-01",
         "{}", "[]", "&a *a", "!!str x", "%YAML 1.2", "? x", ": y", "key: value", "@`", "\\n", "'", "''", "|", "|-\n x", "a\n\n\n", "\n\nb", "  two\n one",
         "x" * 3000, "\u0301" * 50)
NUMBERS = (0, 1, -1, 2 ** 63 - 1, -2 ** 63, 0.0, -0.0, 1.0, 0.1, 1e-07, 1e22, 1.7976931348623157e308, 0.30000000000000004)
KEYS = ("text", "term", "definition", "steps", "a b", "a:int", "Id", "id", "Label", "name", "label", "source", "from", "type", "Type", "uri", "notes",
        "identifier", "extensions", "lectern", "lectern_json", "is", "order", "content", "components", "é", "", " ", "-", "x" * 200, "<!-- component", "weight",
        "---", "fullStatement", "lastChangeDateTime", "educationLevel", "humanCodingScheme", "=x", "\t", "~", "null", "1")
TYPES = {
    "heading": {"text": "Fractions"},
    "paragraph": {"text": "One.\n\n- two\n- three"},
    "memory-trick": {"text": "Few factors.\n\nMany multiples."},
    "definition": {"term": "factor", "definition": "Divides it.\n\nExactly."},
    "step-sequence": {"steps": ["Start", "Go on\n\n    code", "Stop"] + ["more"] * 9},
    "worked-example": {"problem": "1/2 + 1/2", "solution": "add", "answer": "1"},
    "callout-box": {"text": "Mind\n\nthe gap", "style": "warning"},
    "two-pictures": {"pictures": {"svg%d" % i: {"title": "t", "body": "b\nc", "svgCode": "<svg>-->\n</svg>"} for i in (1, 2)}},
    "three-pictures": {"pictures": {"image%d" % i: {"title": "t", "body": "", "imagePath": "p", "imageUrl": None} for i in (1, 2, 3)}},
    "four-pictures": {"pictures": {"svg%d" % i: {"title": "t", "svgCode": ""} for i in (1, 2, 3, 4)}},
    "hero-number": {"visual_type": "bar-chart", "visual_content": "3/4", "chart_data": {"current": 3, "maximum": 4.0}, "background_style": "blue"},
    "three-svgs": {"title1": "a", "title2": "b", "title3": "c", "description1": "d", "description2": "e", "description3": "f", "svg2": "<svg/>"},
    "exercise-code": {"prompt": "Write area().", "cases": [{"name": "one", "call": "area", "args": [2, 3], "expect": 6},
                      {"call": "area", "kwargs": {"a": {"py": "(1,)"}}, "raises": "TypeError", "hidden": True}, {"stdin": "1\n", "stdout": "-->"}],
                      "starter": "def area(a, b):\n    ...\n", "hints": ["Multiply."], "solution": "def area(a, b):\n    return a * b\n", "time_s": 1.5},
    "question": {"prompt": "Which is larger?", "kind": "choice", "options": ["1/2", "1/3"], "answer": "1/2", "hints": ["Cut a cake."]},
}


def value(dice, depth):
    kind = dice.randrange(8 if depth else 5)
    if kind < 2:
        return dice.choice(NASTY)
    if kind < 4:
        return dice.choice(NUMBERS)
    if kind == 4:
        return dice.choice((None, True, False))
    if kind == 5:
        return [value(dice, depth - 1) for _ in range(dice.randrange(4))]
    return {dice.choice(KEYS): value(dice, depth - 1) for _ in range(dice.randrange(5))}


def component(dice):
    if not dice.randrange(12):
        return value(dice, 4)
    made = {"type": dice.choice(list(TYPES) + ["hologram", "a b", "x -->"]), "parameters": value(dice, 4)}
    if dice.randrange(3):
        made["parameters"] = {key: dice.choice(NASTY) for key in dice.choices(("text", "term", "definition", "problem", "svg1", "é"), k=3)}
    if not dice.randrange(4):
        made["parameters"] = {"steps": [dice.choice(NASTY) for _ in range(dice.randrange(13))]}
    if dice.randrange(2):
        made["order"] = dice.randrange(1, 4)
    if not dice.randrange(3):
        made["component_type"] = made["type"]
        made["content"] = made["parameters"].get("text", "") if isinstance(made["parameters"], dict) else None
    if not dice.randrange(3):
        made.update({dice.choice(KEYS): value(dice, 2), "confidence": dice.choice(NUMBERS)})
    return made


def hostile(seed):
    """A curriculum in which everything that may be odd is."""
    dice = random.Random(seed)
    ids = ["N%d" % i for i in range(20)] + ["CON", "nul", "..", "../../etc/passwd", "a/b", "n1", "-", "x" * 300, "N1", "é", "a b", ".hidden", "",
                                             "curriculum", str(uuid.UUID(int=seed + (4 << 76) + (8 << 60))), "nul\x00x", "N 2", "N-2"]
    nodes = []
    for node_id in ids:
        node = {"node_id": node_id, "title": dice.choice(NASTY)}
        node.update({dice.choice(KEYS): value(dice, 3) for _ in range(dice.randrange(6))})
        node["node_id"] = node_id
        if dice.randrange(8):
            node["components"] = [component(dice) for _ in range(dice.randrange(6))]
        nodes.append(node)
    relationships = []
    for _ in range(40):
        edge = {"from_node_id": dice.choice(ids), "to_node_id": dice.choice(ids + ["nowhere"]),
                "relationship_type": dice.choice(("LEADS_TO", "PREREQUISITE", "PREREQUISITE_FOR", "ENRICHMENT", "SEE_ALSO", "precedes", "isChildOf",
                                                  "Directed", "", None, 5))}
        if not dice.randrange(3):
            edge.update({dice.choice(KEYS): value(dice, 2) for _ in range(3)})
        if not dice.randrange(8):
            del edge[dice.choice(list(edge))]
        relationships.append(edge)
    deep = value(dice, 3)
    for _ in range(300):
        deep = [deep] if dice.randrange(2) else {dice.choice(KEYS): deep}
    nodes.append({"node_id": "deep", "title": "Deep", "components": [{"type": "paragraph", "parameters": {"text": "x", "deep": deep}}]})
    return {"meta": {"title": dice.choice(NASTY), "further": value(dice, 4)}, dice.choice(("x", "lectern", "further", "usual")): value(dice, 3),
            "nodes": nodes, "relationships": relationships}


def same(a, b):
    """Equality that tells 1 from 1.0 and from true."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


class FormatCase(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        self.folder = pathlib.Path(self.workspace.data, "files")
        self.folder.mkdir()

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, bytes):
            path.write_bytes(text)
        else:
            path.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8", newline="")
        return str(path)

    def load(self, path, *words):
        """(the curriculum as it came in, standard error)"""
        done = self.workspace.run("import", *words, str(path))
        return json.loads(self.workspace.run("export", done.stdout.decode().split()[-1]).stdout), done.stderr.decode()

    def refused(self, *words, saying=()):
        done = self.workspace.run(*words, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, b""), done.stderr)
        for words_of_it in saying:
            self.assertIn(words_of_it, done.stderr.decode())

    def round_trip(self, curriculum, form):
        sid = self.workspace.load(self.write("in.json", curriculum))
        out = str(self.folder / ("out-" + form))
        self.workspace.run("export", "--format", form, sid, out)
        back, _ = self.load(out, "--format", form)
        if not same(curriculum, back):
            for ours, theirs in zip(curriculum["nodes"] + curriculum.get("relationships", []), back["nodes"] + back.get("relationships", [])):
                self.assertTrue(same(ours, theirs), "%s: %.3000s\n%.3000s" % (form, ours, theirs))
            self.fail("%s: %.3000s\n%.3000s" % (form, {**curriculum, "nodes": 0}, {**back, "nodes": 0}))
        return out

    def framework(self):
        name = [str(uuid.UUID(int=i + (4 << 76) + (8 << 60))) for i in range(6)]
        stamp = {"lastChangeDateTime": "2024-05-01T10:00:00+00:00"}
        link = [{"title": "t", "identifier": one, "uri": "https://case.example/" + one} for one in name]
        items = [{"identifier": name[i], "uri": link[i]["uri"], "fullStatement": "Statement %d" % i, "humanCodingScheme": "M.%d" % i, "CFItemType": "Standard",
                  "educationLevel": ["05"], "x-own": [1], **stamp} for i in (1, 2, 3)]
        edges = [{"identifier": str(uuid.UUID(int=50 + i + (4 << 76) + (8 << 60))), "uri": "urn:x:%d" % i, "associationType": kind, "sequenceNumber": i,
                  "originNodeURI": link[a], "destinationNodeURI": link[b], **stamp}
                 for i, (a, b, kind) in enumerate(((1, 0, "isChildOf"), (2, 1, "isChildOf"), (2, 3, "precedes"), (3, 1, "isRelatedTo"), (1, 5, "exactMatchOf")))]
        return name, {"CFDocument": {"identifier": name[0], "uri": link[0]["uri"], "creator": "A state", "title": "A framework", "adoptionStatus": "Adopted",
                                     "CFPackageURI": link[0], **stamp},
                      "CFItems": items, "CFAssociations": edges, "CFDefinitions": {"CFSubjects": [{"identifier": name[4]}]}}

    def clean(self):
        for path in sorted(self.folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()


class Formats(FormatCase):
    def test_curricula_come_back(self):
        paths = [harness.ROOT / "mcp/curriculum/demo/demo_curriculum.json", harness.ROOT / "tests/data/defective_curriculum.json"]
        for form in FORMS:
            for path in paths:
                with self.subTest(form=form, path=path.name):
                    self.round_trip(json.loads(path.read_text(encoding="utf-8")), form)
                    self.clean()

    def test_real_curricula_come_back(self):
        names = ["fractions"] + ["exercism_python", "openstax_algebra"] * ("LECTERN_LONG" in os.environ)
        for name in names:
            curriculum = json.loads(harness.shared("data", name + ".json").read_text(encoding="utf-8"))
            for form in FORMS[1:]:
                with self.subTest(form=form, name=name):
                    self.round_trip(curriculum, form)
                    self.clean()

    def test_hostile_curricula_come_back(self):
        for seed in range(int(os.environ.get("LECTERN_LONG", 2))):
            for form in FORMS[1:]:
                with self.subTest(form=form, seed=seed):
                    self.round_trip(hostile(seed), form)
                    self.clean()

    def test_every_type_is_readable_markdown(self):
        components = [{"type": name, "parameters": parameters, "order": i + 1} for i, (name, parameters) in enumerate(TYPES.items())]
        out = self.round_trip({"meta": {}, "nodes": [{"node_id": "N001", "title": "All of them", "components": components}], "relationships": []},
                              "markdown")
        self.assertEqual(sorted(os.listdir(out)), ["N001-All-of-them.md", "curriculum.yaml"])
        text = pathlib.Path(out, "N001-All-of-them.md").read_text(encoding="utf-8")
        self.assertNotIn("```json", text)
        for line in ("## Fractions", "One.", "> Few factors.", "**term:** factor", "10. more", "**answer:** 1", '<!-- component: callout-box {"parameters":'
                     '{"style":"warning"}} -->', "visual_type: bar-chart"):
            self.assertIn(line + "\n", text)

    def test_markdown_takes_edits(self):
        node = {"node_id": "N001", "title": "One", "components": [{"type": "paragraph", "parameters": {"text": "Old."}, "order": 1, "confidence": 0.5}]}
        out = self.round_trip({"nodes": [node], "relationships": []}, "markdown")
        path = pathlib.Path(out, "N001-One.md")
        text = path.read_text(encoding="utf-8").replace("title: One", "title: Two").replace("Old.", "New.\r\n\r\nAnd more.")
        path.write_text(text + "\n<!-- component: definition -->\n**term:** x\n**definition:** y\n", encoding="utf-8", newline="")
        pathlib.Path(out, "Another one.md").write_text("# Added\n\nSee [the first](N001-One.md).\n", encoding="utf-8")
        back, said = self.load(out)
        self.assertEqual([n["title"] for n in back["nodes"]], ["Two", "Added"])
        self.assertEqual([c["parameters"] for c in back["nodes"][0]["components"]],
                         [{"text": "New.\n\nAnd more."}, {"term": "x", "definition": "y"}])
        self.assertEqual(back["nodes"][0]["components"][0]["confidence"], 0.5)
        self.assertEqual(back["nodes"][0]["components"][1]["order"], 2)
        self.assertEqual([(r["from_node_id"], r["to_node_id"]) for r in back["relationships"]], [("Another-one", "N001")])
        self.assertIn("ordinary notes (1)", said)

    def test_file_names_are_safe(self):
        curriculum = hostile(7)
        for i, title in enumerate(("../../../up", "CON", "a" * 300, "\x00", "é", "A", "a", "Straße/..\\x", ".", "aux.md", "%2e%2e", "~root", "$(x)")):
            curriculum["nodes"].append({"node_id": "same" if i % 2 else "SAME", "title": title})
        out = pathlib.Path(self.round_trip(curriculum, "markdown"))
        names = os.listdir(out)
        self.assertEqual(len({name.lower() for name in names}), len(curriculum["nodes"]) + 1)
        for name in names:
            self.assertRegex(name, r"\A[A-Za-z0-9][A-Za-z0-9_-]{0,200}\.(md|yaml)\Z")
            self.assertNotIn(name.split(".")[0].lower(), ("con", "nul", "aux", "prn", "com1", "lpt1"))
        sid = self.workspace.load(self.write("again.json", curriculum))
        self.workspace.run("export", sid, "-o", str(self.folder / "second.md"), "--format", "markdown")
        self.assertEqual(sorted(os.listdir(self.folder / "second.md")), sorted(names))
        self.assertEqual(sorted(os.listdir(self.folder)), ["again.json", "in.json", "out-markdown", "second.md"])

    def test_csv_is_what_others_read(self):
        curriculum = json.loads((harness.ROOT / "mcp/curriculum/demo/demo_curriculum.json").read_text(encoding="utf-8"))
        out = pathlib.Path(self.round_trip(curriculum, "csv"))
        with open(out / "nodes.csv", encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file, strict=True))
        self.assertEqual([(row["Id"], row["Label"], row["chapter_id:int"]) for row in rows],
                         [(node["node_id"], node["title"], str(node["chapter_id"])) for node in curriculum["nodes"]])
        self.assertEqual(json.loads(rows[0]["components:json"]), curriculum["nodes"][0]["components"])
        with open(out / "relationships.csv", encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file, strict=True))
        self.assertEqual([(row["Source"], row["Target"], row["relationship_type"]) for row in rows],
                         [(edge["from_node_id"], edge["to_node_id"], edge["relationship_type"]) for edge in curriculum["relationships"]])

    def test_csv_runs_nothing(self):
        """No cell of text begins as a formula of a spreadsheet does, and reading gives back the text, guarded or not."""
        texts = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "'=1", "''=1", "'", "''", "'quoted'", "1-1", "a=b"]
        nodes = [{"node_id": "N%d" % i, "title": text, "note": text, "=field": text, "components": []} for i, text in enumerate(texts)]
        nodes.append({"node_id": "-N", "title": "-", "level": -3, "components": []})
        edges = [{"from_node_id": "-N", "to_node_id": "N1", "relationship_type": "+NEXT"}]
        out = pathlib.Path(self.round_trip({"nodes": nodes, "relationships": edges}, "csv"))
        for name in "nodes.csv", "relationships.csv":
            with open(out / name, encoding="utf-8-sig", newline="") as file:
                rows = list(csv.reader(file, strict=True))
            numbers = [i for i, heading in enumerate(rows[0]) if heading.endswith((":int", ":float"))]
            for row in rows:
                for i, cell in enumerate(row):
                    self.assertNotIn(cell[:1], tuple("=+-@\t\r\n") if i not in numbers else ("=", "+", "@", "\t", "\r", "\n"))

    def test_case_is_what_the_specification_says(self):
        curriculum = json.loads((harness.ROOT / "mcp/curriculum/demo/demo_curriculum.json").read_text(encoding="utf-8"))
        first = json.loads(pathlib.Path(self.round_trip(curriculum, "case")).read_text(encoding="utf-8"))
        for thing, needed in [(first["CFDocument"], ("identifier", "uri", "creator", "title", "lastChangeDateTime"))] + [
                (item, ("identifier", "uri", "fullStatement", "lastChangeDateTime")) for item in first["CFItems"]] + [
                    (edge, ("identifier", "uri", "associationType", "lastChangeDateTime")) for edge in first["CFAssociations"]]:
            for field in needed:
                self.assertTrue(thing[field] and isinstance(thing[field], str), field)
            self.assertRegex(thing["identifier"], r"\A[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\Z")
        items = {item["identifier"]: item for item in first["CFItems"]}
        self.assertEqual([(item["humanCodingScheme"], item["fullStatement"]) for item in first["CFItems"] if item.get("CFItemType") != "Chapter"],
                         [(node["node_id"], node["title"]) for node in curriculum["nodes"]])
        kinds = {"ENRICHMENT": "isRelatedTo"}
        self.assertEqual([(items[edge["originNodeURI"]["identifier"]]["humanCodingScheme"], items[edge["destinationNodeURI"]["identifier"]]
                           ["humanCodingScheme"], edge["associationType"]) for edge in first["CFAssociations"] if edge["associationType"] != "isChildOf"],
                         [(edge["from_node_id"], edge["to_node_id"], kinds.get(edge["relationship_type"], "precedes"))
                          for edge in curriculum["relationships"]])
        self.clean()
        second = json.loads(pathlib.Path(self.round_trip(curriculum, "case")).read_text(encoding="utf-8"))
        self.assertEqual([item["identifier"] for item in second["CFItems"]], [item["identifier"] for item in first["CFItems"]])

    def test_dry_run_writes_nothing(self):
        self.write("csv/nodes.csv", "Id,Label\na,A\nb,\n")
        self.write("csv/edges.csv", "Source,Target,Type\na,b,LEADS_TO\na,zzz,LEADS_TO\n")
        done = self.workspace.run("import", "--dry-run", "--format", "csv", str(self.folder / "csv"))
        self.assertEqual(done.stdout, b'a "A": 0 components\nb "b": 0 components\n')
        for words in ("2 nodes, 0 components, 2 relationships", "'zzz'", "1 node has no title"):
            self.assertIn(words, done.stderr.decode())
        self.assertIn("there is no store at", self.workspace.run("export", check=False).stderr.decode())

    def test_nothing_is_written_over(self):
        sid = self.workspace.load(self.write("in.json", {"nodes": [{"node_id": "N1", "title": "x"}], "relationships": []}))
        taken = self.write("taken.json", "my diary")
        self.refused("export", sid, taken, saying=("taken.json", "--force"))
        self.assertEqual(pathlib.Path(taken).read_text(encoding="utf-8"), "my diary")
        self.workspace.run("export", sid, taken, "--force")
        self.workspace.run("export", sid, taken)
        for form in ("csv", "markdown"):
            out = self.folder / form
            out.mkdir()
            self.workspace.run("export", "--format", form, sid, str(out) + "/")
            before = {path.name: path.read_bytes() for path in out.iterdir()}
            self.refused("export", "--format", form, sid, str(out), saying=("--force",))
            self.workspace.run("export", "--format", form, "--force", sid, str(out))
            self.assertEqual({path.name: path.read_bytes() for path in out.iterdir()}, before)
            (out / "thesis.docx").write_bytes(b"years of work")
            self.refused("export", "--format", form, "--force", sid, str(out), saying=("thesis.docx",))
            self.assertEqual((out / "thesis.docx").read_bytes(), b"years of work")
        self.refused("export", sid, str(self.folder / "csv") + "2/", saying=("--format csv or --format markdown",))
        self.refused("export", "--format", "csv", sid, str(self.folder / "no" / "such" / "place"), saying=("No such file",))
        self.refused("export", "--format", "word", sid, "x", saying=("must be one of json, csv, case, markdown, graphml, gexf, xlsx, olx, cartridge, text",))
        self.refused("export", "--format", "csv", sid, saying=("a folder",))
        self.refused("import", "--format", "csv", str(self.folder / "nothing"), saying=("there is no CSV file",))
        self.write("other/deep/picture.png", "x")
        self.refused("import", str(self.folder / "other"), saying=("neither a sheet nodes.csv (or one sheet alone) nor notes NAME.md",))
        self.assertEqual(sorted(os.listdir(self.folder)), ["csv", "in.json", "markdown", "other", "taken.json"])

    def test_the_path_says_the_form(self):
        curriculum = {"nodes": [{"node_id": "N1", "title": "x", "components": []}], "relationships": []}
        sid = self.workspace.load(self.write("in.json", curriculum))
        for name, made in (("a.json", None), ("b.csv", "nodes.csv"), ("c.md", "N1-x.md"), ("d.case.json", None)):
            out = self.folder / name
            self.workspace.run("export", sid, "-o", str(out))
            self.assertTrue((out / made if made else out).is_file(), name)
            self.assertEqual(self.load(out)[0], curriculum, name)
        self.assertIn("CFDocument", json.loads((self.folder / "d.case.json").read_text(encoding="utf-8")))
        done = self.workspace.run("import", "--format", "case", "-", stdin=(self.folder / "d.case.json").read_bytes())
        self.assertEqual(json.loads(self.workspace.run("export", done.stdout.decode().split()[-1]).stdout), curriculum)


class Foreign(FormatCase):
    def test_foreign_csv(self):
        expected_nodes = [("a", "Alpha"), ("b", 'Be"ta,\nsecond line'), ("c", "Gämma")]
        for name, nodes, edges, kind in (
                ("gephi", "\ufeffId,Label,Weight\r\na,Alpha,1\r\nb,\"Be\"\"ta,\nsecond line\",2.5\r\nc,Gämma,\r\n",
                 "\ufeffSource,Target,Type,Id,Label,Weight\r\na,b,Directed,0,,1.0\r\nb,c,Undirected,1,,2\r\n", "LEADS_TO"),
                ("neo4j", "personId:ID(P);name;weight:int;:LABEL\na;Alpha;1;Topic\nb;\"Be\"\"ta,\nsecond line\";2;Topic\nc;Gämma;;\n",
                 ":START_ID(P);:END_ID(P);:TYPE\na;b;PREREQUISITE\nb;c;PREREQUISITE\n", "PREREQUISITE"),
                ("tabs", "sep=\t\nnode_id\ttitle\na\tAlpha\nb\t\"Be\"\"ta,\nsecond line\"\nc\tGämma",
                 "from_node_id\tto_node_id\trelationship_type\na\tb\tENRICHMENT\nb\tc\tENRICHMENT\n\n", "ENRICHMENT"),
                ("cytoscape", "SUID,shared name,id\n1,Alpha,a\n2,\"Be\"\"ta,\nsecond line\",b\n3,Gämma,c\n",
                 "source,target,interaction\na,b,pp\nb,c,pp\n", "pp")):
            with self.subTest(name):
                folder = os.path.dirname(self.write(name + "/nodes.csv", nodes))
                self.write(name + "/edges.csv", edges)
                back, said = self.load(folder)
                self.assertEqual([(node["node_id"], node["title"]) for node in back["nodes"]], expected_nodes)
                self.assertEqual([(edge["from_node_id"], edge["to_node_id"], edge["relationship_type"]) for edge in back["relationships"]],
                                 [("a", "b", kind), ("b", "c", kind)])
                if name == "gephi":
                    self.assertEqual([node.get("Weight") for node in back["nodes"]], [1, 2.5, None])
                    self.assertIn("- relationships without a direction: read as from source to target: ", said)
                    self.assertIn("read as LEADS_TO", said)
                if name == "neo4j":
                    self.assertEqual([node.get("node_type") for node in back["nodes"]], ["Topic", "Topic", None])
        self.write("algebra-nodes.csv", "id\nx\ny\n")
        self.write("algebra-relationships.csv", "from,to\nx,y\n")
        for path in ("algebra", "algebra-nodes.csv"):
            back, said = self.load(self.folder / path)
            self.assertEqual(back, {"nodes": [{"node_id": "x", "title": "x"}, {"node_id": "y", "title": "y"}],
                                    "relationships": [{"from_node_id": "x", "to_node_id": "y", "relationship_type": "LEADS_TO"}]})
            self.assertIn("2 nodes have no title", said)

    def test_one_sheet(self):
        """A file of lessons is taken without a second file, as the tool takes it."""
        sheet = "Id,Title,Prerequisites\nL1,Counting,\nL2,Adding,L1\nL3,Ratios,Adding; L9\n"
        path = self.write("lessons.csv", sheet)
        back, said = self.load(path)
        self.assertEqual([(edge["from_node_id"], edge["to_node_id"], edge["relationship_type"]) for edge in back["relationships"]],
                         [("L1", "L2", "PREREQUISITE"), ("L2", "L3", "PREREQUISITE")])
        self.assertEqual([node.get("Prerequisites") for node in back["nodes"]], [None, "L1", "Adding; L9"])
        self.assertIn("How it was read (1):\n- ", said)
        self.assertIn("'Prerequisites' names neither the id nor the title of another row: lessons.csv line 4: 'L9'", said)
        self.assertEqual(same(back, self.load(self.round_trip(back, "csv"))[0]), True)
        self.write("pair/nodes.csv", sheet)
        self.write("pair/edges.csv", "Source,Target,Type\nL1,L2,ENRICHMENT\n")
        back, _ = self.load(self.folder / "pair")
        self.assertEqual([(edge["from_node_id"], edge["to_node_id"], edge["relationship_type"]) for edge in back["relationships"]],
                         [("L1", "L2", "ENRICHMENT"), ("L2", "L3", "PREREQUISITE")])
        self.refused("import", str(self.folder / "missing.csv"), saying=("missing.csv", "there is no CSV file"))
        self.assertEqual(len(json.loads(self.workspace.run("export", self.workspace.run("import", "--format", "csv", "-", stdin=sheet.encode())
                                                           .stdout.decode().split()[-1]).stdout)["nodes"]), 3)

    def test_one_file_of_markdown(self):
        path = self.write("lessons.md", "\ufeff# Fractions\n\nText.\n\n# Ratios\n")
        back, said = self.load(path)
        self.assertEqual([node["title"] for node in back["nodes"]], ["Fractions", "Ratios"])
        self.assertIn("2 lessons, one for each heading of level 1", said)
        done = self.workspace.run("import", "--format", "markdown", "-", stdin=b"# One\n")
        self.assertIn("1 nodes", done.stderr.decode())
        self.refused("import", self.write("prose.md", "hello"), saying=("prose.md", "not a curriculum", "# Counting"))
        self.refused("import", self.write("empty.md", ""), saying=("empty.md", "empty"))
        self.refused("import", str(self.folder / "gone.md"), saying=("gone.md",))

    def test_the_report_counts_its_lines(self):
        self.write("odd/nodes.csv", "Id,chapter_id\na,one\n")
        _, said = self.load(self.folder / "odd")
        lines = said.split("How it was read (")[1].split("Kept ")[0]
        self.assertEqual(lines.split("):\n")[0], str(len(lines.splitlines()) - 1))
        self.assertNotIn("things", said)
        broken = self.write("broken.json", {"nodes": [{"node_id": "A", "title": "a"}], "relationships": [
            {"from_node_id": "A", "to_node_id": "B", "relationship_type": "LEADS_TO"}]})
        self.assertIn("Kept as it is, though it breaks the rules (1):\n- ", self.load(broken)[1])
        graph = self.write("graph.json", {"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]})
        self.assertEqual(len(self.load(graph)[0]["relationships"]), 1)

    def test_broken_csv_is_told(self):
        good = "Source,Target\na,a\n"
        for nodes, edges, saying in (
                ("", good, ("nodes.csv is empty",)),
                ("Id\na\n", "Source\na\n", ("edges.csv line 1: no column is called Target",))):
            with self.subTest(saying=saying):
                folder = os.path.dirname(self.write("bad/nodes.csv", nodes))
                self.write("bad/edges.csv", edges)
                self.refused("import", folder, saying=saying)
        self.write("odd/nodes.csv", "Id,chapter_id\na,one\nb,2\n")
        back, said = self.load(self.folder / "odd")
        self.assertEqual([node["chapter_id"] for node in back["nodes"]], ["one", 2])
        self.assertIn("a cell of 'chapter_id' is not a number: it is kept as text: nodes.csv line 2: 'one'", said)
        self.assertIn("the nodes, which come without relationships", said)

    def test_edges_without_a_type(self):
        """They lead to something, unless the user says that they mean order."""
        nodes = self.write("untyped/nodes.csv", "Id,Label\na,A\nb,B\n")
        self.write("untyped/edges.csv", "Source,Target,Type\na,b,Directed\n")
        self.write("linked/a.md", "Next: [B](b.md)")
        self.write("linked/b.md", "End.")
        for folder in os.path.dirname(nodes), str(self.folder / "linked"):
            for words, kind in ((), "LEADS_TO"), (("--untyped", "PREREQUISITE"), "PREREQUISITE"):
                with self.subTest(folder=folder, kind=kind):
                    done = self.workspace.run("import", *words, folder)
                    self.assertIn("read as " + kind, done.stderr.decode())
                    self.assertEqual("with untyped PREREQUISITE" in done.stderr.decode(), not words)
                    export = json.loads(self.workspace.run("export", done.stdout.decode().split()[-1]).stdout)
                    self.assertEqual([edge["relationship_type"] for edge in export["relationships"]], [kind])

    def test_foreign_case(self):
        name, package = self.framework()
        path = self.write("framework.json", package)
        back, said = self.load(path)
        self.assertEqual(self.load(self.write("ours.json", back))[0], back)  # CASE's names further in are no CASE
        self.assertEqual([(node["node_id"], node["title"], node["humanCodingScheme"], node["educationLevel"]) for node in back["nodes"]],
                         [(name[i], "Statement %d" % i, "M.%d" % i, ["05"]) for i in (1, 2, 3)])
        self.assertEqual([(edge["from_node_id"], edge["to_node_id"], edge["relationship_type"]) for edge in back["relationships"]],
                         [(name[2], name[1], "isChildOf"), (name[2], name[3], "PREREQUISITE"), (name[3], name[1], "ENRICHMENT")])
        self.assertEqual(back["meta"]["title"], "A framework")
        self.assertIn("associations that end at the document or outside its items (2)", said)
        self.assertEqual([(node["chapter"], node["chapter_id"]) for node in back["nodes"][:2]], [("Statement 1", 1)] * 2)
        self.assertNotIn("chapter", back["nodes"][2])
        self.assertNotIn("is not a relationship type", said)
        sid = self.workspace.load(path)
        out = self.folder / "again.case.json"
        self.workspace.run("export", sid, str(out))
        again = json.loads(out.read_text(encoding="utf-8"))
        # The words of links are those of the items now; associations that were set aside come last.
        titles = {item["identifier"]: item["fullStatement"] for item in package["CFItems"]}
        for edge in package["CFAssociations"]:
            if edge["originNodeURI"]["identifier"] in titles and edge["destinationNodeURI"]["identifier"] in titles:
                for end in ("originNodeURI", "destinationNodeURI"):
                    edge[end]["title"] = titles[edge[end]["identifier"]]
        for item in package["CFItems"]:
            item["extensions"] = {"lectern": {"fields": {"x-own": item.pop("x-own")}}}
        key = lambda edge: edge["identifier"]
        self.assertEqual(sorted(map(json.dumps, map(key, again.pop("CFAssociations")))), sorted(map(json.dumps, map(key, package.pop("CFAssociations")))))
        self.assertEqual(again, package)

    def test_broken_case_is_told(self):
        package = self.framework()[1]
        package["CFItems"] = {}
        self.refused("import", self.write("bad.case.json", package), saying=("bad.case.json", "CFItems", "must be an array"))
        self.refused("import", self.write("bad.case.json", '{"CFDocument":\n{"identifier":,}}'), saying=("line 2",))
        self.refused("import", self.write("bad.case.json", {"nodes": []}), saying=("not a CASE package",))
        package = self.framework()[1]
        del package["CFDocument"]["creator"], package["CFItems"][0]["lastChangeDateTime"]
        package["CFAssociations"][2]["associationType"] = "leadsOn"
        said = self.load(self.write("poor.json", package))[1]
        self.assertIn("creator is missing, which CASE 1.0 needs: CFDocument", said)
        self.assertIn("lastChangeDateTime is missing, which CASE 1.0 needs: CFItems.0", said)
        self.assertIn("associationType is not one of CASE 1.0's: CFAssociations.2", said)

    def test_foreign_notes(self):
        folder = self.folder / "notes"
        self.write("notes/Start here.md", "# Welcome\n\nRead [this](deep/Second%20note.md#part) and [that](deep/Second%20note.md), or\n[web](https://x.example/a.md) "
                                          "or [gone](gone.md).\n\n- one\n- two\n\n[x]: deep/third.md\n")
        self.write("notes/deep/Second note.md", b"\xef\xbb\xbf---\r\ntags: [a, b]\r\nnode_id: two\r\n---\r\nText  \r\nof it.\r\n\r\n## Part\r\n\r\n"
                                                b"1. first\r\n2. second\r\n   line\r\n\r\n---\r\n\r\n```\r\ncode\r\n```\r\n[up](../Start%20here.md)\r\n")
        self.write("notes/deep/third.md", "")
        self.write("notes/.obsidian/hidden.md", "# no\n")
        self.write("notes/picture.png", b"\x89PNG")
        secret = self.write("secret.md", "# secret\n")
        os.symlink(secret, folder / "link.md")
        os.symlink(self.folder, folder / "loop")
        back, said = self.load(folder)
        self.assertEqual([(node["node_id"], node["title"]) for node in back["nodes"]],
                         [("Start-here", "Welcome"), ("two", "Part"), ("third", "third")])
        self.assertEqual(back["nodes"][1]["tags"], ["a", "b"])
        self.assertEqual([(c["type"], c["parameters"], c["order"]) for c in back["nodes"][0]["components"]], [
            ("paragraph", {"text": "Read [this](deep/Second%20note.md#part) and [that](deep/Second%20note.md), or\n[web](https://x.example/a.md) "
                                   "or [gone](gone.md)."}, 1),
            ("paragraph", {"text": "- one\n- two"}, 2), ("paragraph", {"text": "[x]: deep/third.md"}, 3)])
        self.assertEqual([c["type"] for c in back["nodes"][1]["components"]], ["paragraph", "step-sequence", "paragraph", "paragraph"])
        self.assertEqual(back["nodes"][1]["components"][1]["parameters"], {"steps": ["first", "second\nline"]})
        self.assertEqual([(edge["from_node_id"], edge["to_node_id"], edge["relationship_type"]) for edge in back["relationships"]],
                         [("Start-here", "two", "LEADS_TO"), ("two", "Start-here", "LEADS_TO")])
        self.assertIn("ordinary notes (3)", said)
        self.assertIn("lead to no note of the folder are kept as text alone: Start here.md line 3: 'gone.md'", said)
        self.assertIn("links to files, special files and folders too deep, which are not read (2)", said)
        self.assertIn("\n- lines between paragraphs (---)\n", said)
        self.assertNotIn("secret", json.dumps(back))

    def test_broken_markdown_is_told(self):
        node = "---\nnode_id: N1\ntitle: x\n---\n\n"
        for text, saying in (
                ("---\ntitle: [x\n---\n", "a.md line 2: '[x'"),
                ("---\ntitle: x\ntitle: y\n---\n", "a.md line 3: 'title'"),
                ("---\na: &x [1]\nb: *x\n---\n", "a.md line 3: '*x'"),
                ("---\n- 1\n---\n", "is not front matter"),
                (b"x\n\xff\n", "a.md line 2"),
                (node + "<!-- component: paragraph\n", "a.md line 6: the mark must end on its line"),
                (node + "x\n\n<!-- component: paragraph {] -->\n", "a.md line 8: behind the type"),
                (node + "<!-- component: definition -->\n\nno label\n", "a.md line 8: a field must begin here"),
                (node + "<!-- component -->\n```json\n{\n```\n", "a.md line 6"),
                (node + "<!-- component: x -->\n```yaml parameters\na: [\n```\n", "a.md line ")):
            with self.subTest(saying=saying):
                self.write("bad/a.md", text)
                back, said = self.load(self.folder / "bad")
                self.assertEqual(len(back["nodes"]), 1)
                self.assertIn(saying, said)
                self.clean()
        for files, saying in (
                ({"curriculum.yaml": "lectern: other\n"}, ("curriculum.yaml line 1",)),
                ({"curriculum.yaml": "lectern: markdown 1\nrelationships: 5\n"}, ("relationships must be a list",))):
            with self.subTest(saying=saying):
                for name, text in files.items():
                    self.write("bad/" + name, text)
                self.refused("import", str(self.folder / "bad"), saying=saying)
                self.clean()
        self.write("empty/curriculum.yaml", "lectern: markdown 1\nnodes: [../secret.md, missing.md, 5, a.md, a.md]\n")
        self.write("empty/a.md", node)
        self.write("secret.md", node)
        back, said = self.load(self.folder / "empty")
        self.assertEqual(back, {"nodes": [{"node_id": "N1", "title": "x"}]})
        self.assertEqual(said.count("a file is listed that is not in the folder, or listed twice (4): curriculum.yaml: "), 1)


if __name__ == "__main__":
    unittest.main()
