# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports that other programs have saved again (spreadsheets, git, a formatter of Markdown, Obsidian) come back."""
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import unittest

import harness
import npm
import yaml

FORMATTER_SECONDS = 120


class Trip(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        self.made = 0

    def curricula(self):
        """The sessions that each case is tried with: the demo, and a shared curriculum where it is."""
        yield self.workspace.run("demo").stdout.decode().split()[-1]
        yield self.workspace.load(harness.shared("data", "fractions.json"))

    def export(self, ident, form):
        self.made += 1
        path = pathlib.Path(self.workspace.data, "export%d" % self.made)
        self.workspace.run("export", ident, "-o", str(path), "--format", form)
        return path

    def back(self, path, form):
        done = self.workspace.run("import", "--format", form, str(path))
        return json.loads(self.workspace.run("export", done.stdout.decode().split()[-1]).stdout), done.stderr.decode()

    def was(self, ident):
        return json.loads(self.workspace.run("export", ident).stdout)

    def edges(self, back):
        return [(edge["from_node_id"], edge["to_node_id"], edge["relationship_type"]) for edge in back["relationships"]]

    def assert_same(self, back, was):
        self.assertEqual([node["node_id"] for node in back["nodes"]], [node["node_id"] for node in was["nodes"]])
        for mine, theirs in zip(back["nodes"], was["nodes"], strict=True):
            self.assertEqual(mine, theirs)
        self.assertEqual(self.edges(back), self.edges(was))


def texts(path):
    return [each for each in sorted(path.rglob("*")) if each.is_file()]


class Sheets(Trip):
    """A spreadsheet writes its own separator, ends of lines, quotes and encoding, and pads the table."""

    def saved(self, folder, encoding, separator, quoting=csv.QUOTE_MINIMAL, pad=0):
        for path in folder.glob("*.csv"):
            rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))
            self.assertTrue(rows)
            to = io.StringIO()
            csv.writer(to, delimiter=separator, quoting=quoting, lineterminator="\r\n").writerows(
                [row + [""] * pad for row in rows] + [[""] * (len(rows[0]) + pad)] * pad)
            path.write_bytes(to.getvalue().encode(encoding, "replace"))

    def test_saved_by_a_spreadsheet(self):
        for ident in self.curricula():
            was = self.was(ident)
            longest = max(len(json.dumps(node.get("components"))) for node in was["nodes"])
            for words in ("utf-8-sig", ","), ("utf-8", ";"), ("utf-8-sig", ";", csv.QUOTE_ALL), ("utf-16", "\t"), ("utf-8-sig", ",", csv.QUOTE_MINIMAL, 3):
                with self.subTest(words=words, longest=longest):
                    folder = self.export(ident, "csv")
                    self.saved(folder, *words)
                    self.assert_same(self.back(folder, "csv")[0], was)


    def test_saved_in_the_code_page_of_windows(self):
        """Excel's "CSV (Comma delimited)" has the separator of the country, and "?" for each character that Windows-1252 does not have."""
        texts = {"title": "Größe, Maß – “naïf” €; ça", "note": "Œuvre…\nLine two", "components": [{"component_type": "paragraph", "parameters": {"text": "Äß ½"}}]}
        known = {"nodes": [dict(texts, node_id="Ü%d" % n) for n in (1, 2)], "relationships": [
            {"from_node_id": "Ü1", "to_node_id": "Ü2", "relationship_type": "PREREQUISITE", "explanation": "weil § 5 – „so“"}]}
        path = pathlib.Path(self.workspace.data, "known.json")
        path.write_text(json.dumps(known))
        for ident in *self.curricula(), self.workspace.load(path):
            was, folder = self.was(ident), self.export(ident, "csv")
            self.saved(folder, "cp1252", ";")
            back, said = self.back(folder, "csv")
            lost = json.loads(json.dumps(was, ensure_ascii=False).encode("cp1252", "replace").decode("cp1252"))
            self.assert_same(back, lost)
            if any(byte >= 0x80 for each in texts_of(folder) for byte in each):
                self.assertIn("read as Windows-1252", said)
            self.assertNotIn("Left out", said)
            if was["nodes"][0]["node_id"] == "Ü1":
                self.assert_same(back, was)


def texts_of(folder):
    return [path.read_bytes() for path in folder.glob("*.csv")]


class Lines(Trip):
    def test_git_with_autocrlf(self):
        for ident in self.curricula():
            was = self.was(ident)
            for form in "csv", "markdown", "case", "json":
                with self.subTest(form):
                    path = self.export(ident, form)
                    for each in texts(path) if path.is_dir() else [path]:
                        each.write_bytes(re.sub(rb"\r?\n", b"\r\n", each.read_bytes()))
                    self.assert_same(self.back(path, form)[0], was)


def words_of(component):
    """The words of its values, in the order of the keys; a formatter changes marks, blanks and line breaks."""
    if isinstance(component, dict):
        return [word for key in sorted(component) for word in words_of(component[key])]
    if isinstance(component, list):
        return [word for each in component for word in words_of(each)]
    return re.findall(r"[^\W_]+", str(component))


class Formatter(Trip):
    """Prettier changes marks of Markdown, blanks, fences and the layout of YAML and JSON: no lesson, component or relationship is lost."""

    def test_prettier(self):
        place = npm.folder("prettier")
        for ident in self.curricula():
            folder, was = self.export(ident, "markdown"), self.was(ident)
            before = {path: path.read_bytes() for path in texts(folder)}
            subprocess.run([str(place / npm.NODE), str(place / "node_modules/prettier/bin/prettier.cjs"), "--no-config", "--write", str(folder)],
                           check=True, capture_output=True, timeout=FORMATTER_SECONDS, env=dict(os.environ, HOME=self.workspace.data))
            self.assertGreater(sum(path.read_bytes() != text for path, text in before.items()), 10)
            back, said = self.back(folder, "markdown")
            self.assertNotIn("Left out", said)
            self.assertNotIn("are kept as text", said)
            self.assertEqual(self.edges(back), self.edges(was))
            for mine, theirs in zip(back["nodes"], was["nodes"], strict=True):
                self.assertEqual({key: mine[key] for key in mine if key != "components"}, {key: theirs[key] for key in theirs if key != "components"})
                for one, other in zip(mine["components"], theirs["components"], strict=True):
                    kind = "type" if "type" in other else "component_type"
                    self.assertEqual(one[kind], other[kind])
                    given = other["parameters"] if "parameters" in one and "parameters" in other else other
                    if given is not other:
                        self.assertEqual(sorted(words_of(one["parameters"])), sorted(words_of(given)))


PLAIN = re.compile(r"[A-Za-z\u00c0-\uffff0-9/(*.][^\n]*")


def scalar(value, indent):
    """As Obsidian writes the value of a property: quotes where YAML needs them, nothing for null, a block for lines."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if "\n" in value and value == value.rstrip() and not value[0].isspace() and "\t" not in value:
        return "|-\n" + "\n".join(indent + "  " + line if line else "" for line in value.split("\n"))
    plain = PLAIN.fullmatch(value) and ": " not in value and " #" not in value and value == value.strip() and not value.endswith(":") and value[0] not in "*"
    try:
        plain = plain and not isinstance(yaml.load(value, yaml.SafeLoader), (bool, int, float, type(None), list, dict))
    except (yaml.YAMLError, ValueError):
        plain = False
    return value if plain else json.dumps(value, ensure_ascii=False)


def properties(value, indent=""):
    """Lines of YAML in Obsidian's form: dates without quotes, lists in blocks of their own lines."""
    lines = []
    for key, item in value.items() if isinstance(value, dict) else ((None, item) for item in value):
        mark = indent + ("-" if key is None else scalar(key, indent) + ":")
        if isinstance(item, (dict, list)) and item:
            inner = properties(item, indent + "  ")
            lines += [mark, *inner] if key is not None else [mark + " " + inner[0].strip(), *inner[1:]]
        else:
            text = scalar(item, indent) if not isinstance(item, (dict, list)) else json.dumps(item)
            lines.append((mark + " " + text).rstrip() if text else mark)
    return lines


class Texts(yaml.SafeLoader):
    """YAML whose dates are texts, as those of properties are."""


Texts.yaml_implicit_resolvers = {sign: [each for each in found if each[0] in ("tag:yaml.org,2002:null", "tag:yaml.org,2002:int", "tag:yaml.org,2002:float", "tag:yaml.org,2002:bool")]
                                 for sign, found in yaml.SafeLoader.yaml_implicit_resolvers.items()}


def edit(path, more=None):
    """What Obsidian does to a note when one of its properties is edited; more: properties that are added."""
    _, front, body = path.read_text(encoding="utf-8").split("---\n", 2)
    value = {**yaml.load(front, Texts), **(more or {})}
    path.write_text("---\n" + "\n".join(properties(value)) + "\n---\n" + body, encoding="utf-8")
    return front


def rename(folder, old, new):
    """Obsidian moves the note and writes its new name into all links to it."""
    (folder / new).parent.mkdir(exist_ok=True)
    (folder / old).rename(folder / new)
    was, now = pathlib.PurePath(old).stem, pathlib.PurePath(new).stem
    for path in folder.rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r"\[\[%s(?=[\]|#])" % re.escape(was), lambda _: "[[" + now, text), encoding="utf-8")


def settings(folder):
    (folder / ".obsidian").mkdir()
    for name, text in ("app.json", "{}"), ("workspace.json", '{"main": {"id": "1"}}'), ("core-plugins.json", '{"graph": true}'):
        (folder / ".obsidian" / name).write_text(text)


class Obsidian(Trip):
    """Obsidian adds a folder of settings, writes the properties of a note that is edited anew, and follows the renaming of a note."""

    def test_edited_properties(self):
        for ident in self.curricula():
            folder, was = self.export(ident, "markdown"), self.was(ident)
            settings(folder)
            changed = [path for path in folder.glob("*.md") if edit(path) not in path.read_text(encoding="utf-8")]
            self.assertGreater(len(changed), 5)
            back, said = self.back(folder, "markdown")
            self.assert_same(back, was)
            self.assertNotIn("Left out", said)

    def test_values_of_all_kinds(self):
        fields = {"date": "2026-01-15", "time": "2026-01-15T09:00", "empty": None, "blank": "", "tags": ["maths", "one/two"], "aliases": ["Ratio: first", "yes"], "link": "[[Other]]",
                  "links": ["[[A b]]", "[[C|d]]"], "number": 7, "half": 0.5, "digits": "007", "version": "1.10", "truth": "true", "none": "null", "hash": "#maths", "lines": "One\n\ntwo",
                  "quote": 'say "it"', "colon": "a: b", "flag": False, "deep": {"a": [1, {"b": "c"}]}, "list": [], "sign": "- no list", "under": "1_000", "octal": "0o17", "tilde": "~"}
        was = {"nodes": [{"node_id": "n1", "title": "One", **fields, "components": [{"type": "paragraph", "parameters": {"text": "See [[n2-Two]] and [[n2-Two|it]]."}, "order": 1}]},
                         {"node_id": "n2", "title": "Two", "components": [{"component_type": "paragraph", "parameters": {"text": "x"}, "order_index": 4}]},
                         {"node_id": "n2-3", "title": "Three", "components": [{"component_type": "paragraph", "parameters": {"text": "y"}, "order_index": 2}]}],
               "relationships": [{"from_node_id": "n1", "to_node_id": "n2", "relationship_type": "PREREQUISITE"}]}
        path = pathlib.Path(self.workspace.data, "values.json")
        path.write_text(json.dumps(was), encoding="utf-8")
        folder = self.export(self.workspace.load(path), "markdown")
        settings(folder)
        for each in folder.glob("*.md"):
            edit(each)
        self.assert_same(self.back(folder, "markdown")[0], was)
        rename(folder, "n2-Two.md", "New name.md")
        rename(folder, "n2-3-Three.md", "Week 1/n2-3-Three.md")
        edit(folder / "New name.md", {"aliases": ["n2-Two"]})
        back, said = self.back(folder, "markdown")
        was["nodes"][1]["aliases"] = ["n2-Two"]
        was["nodes"][0]["components"][0]["parameters"]["text"] = "See [[New name]] and [[New name|it]]."
        self.assert_same(back, was)
        self.assertIn("files of an export that were renamed or moved are read in their place (2)", said)
        self.assertIn("New name.md: 'n2-Two.md'", said)
        self.assertNotIn("Left out", said)

    def test_comments_in_properties(self):
        ident = next(self.curricula())
        folder, was = self.export(ident, "markdown"), self.was(ident)
        path = min(folder.glob("*.md"))
        path.write_text(path.read_text(encoding="utf-8").replace("---\n", "---\ntags: #maths #ratio\n# by hand\nsize: 3 # cm\n", 1), encoding="utf-8")
        back, said = self.back(folder, "markdown")
        was["nodes"][0].update({"tags": "#maths #ratio", "size": 3})
        self.assert_same(back, was)
        self.assertIn("values of the front matter that begin with # are kept as text: %s line 2: 'tags'" % path.name, said)
        self.assertIn("comments in front matter (# ...) are left out (2): %s line 3; %s line 4" % (path.name, path.name), said)

    def test_renamed_and_deleted_notes(self):
        ident = next(self.curricula())
        folder, was = self.export(ident, "markdown"), self.was(ident)
        names = sorted(path.name for path in folder.glob("*.md"))
        for count, name in enumerate(names[:-1]):
            rename(folder, name, "Note %d.md" % count)
        (folder / names[-1]).unlink()
        (folder / "Own note.md").write_text("Written in Obsidian, see [[Note 0]].\n")
        back, said = self.back(folder, "markdown")
        gone = was["nodes"][-1]["node_id"]
        self.assertTrue(names[-1].startswith(gone))
        self.assertEqual(back["nodes"][:-1], was["nodes"][:-1])
        self.assertEqual(back["nodes"][-1]["title"], "Own note")
        self.assertIn("a file is listed that is not in the folder, or listed twice: curriculum.yaml: '%s'" % names[-1], said)
        self.assertEqual(self.edges(back)[:-1], self.edges(was))


if __name__ == "__main__":
    unittest.main()
