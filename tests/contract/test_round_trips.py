# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports that other programs have changed come back equal."""
import json
import pathlib
import re
import unittest

import harness


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


if __name__ == "__main__":
    unittest.main()
