# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports that other programs have saved again (spreadsheets, git, a formatter of Markdown) come back."""
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


if __name__ == "__main__":
    unittest.main()
