# SPDX-License-Identifier: GPL-3.0-or-later
"""The documents agree with the project: the table of packages, the make targets and the paths that they name."""
import json
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "WEEK_NOTES.md")
FOLDERS = r"(?:mcp|validator|executor|helpers|image|tests|cmake|\.ci)/[A-Za-z0-9_./]*"


def make_targets(makefile):
    return {name for line in re.findall(r"^([a-z][a-z ]*):(?!=)", makefile, re.MULTILINE) for name in line.split()}


def unknown_targets(document, targets):
    """The words after `make` in code that no rule makes."""
    code = "\n".join(re.findall(r"```.*?```|`[^`\n]+`", document, re.DOTALL))
    words = re.findall(r"(?:^|`)make((?: [a-z]+\b(?!=))+)", code, re.MULTILINE)
    return sorted({word for group in words for word in group.split()} - targets)


def unknown_paths(document, root):
    """Project paths in code marks that lead nowhere. THING stands for a name, and is left out."""
    paths = re.findall(rf"`({FOLDERS})`", document)
    return sorted({path for path in paths if "THING" not in path and not (root / path).exists()})


class Documents(unittest.TestCase):
    def test_package_table_is_the_one_of_deps(self):
        table = subprocess.run([ROOT / "cmake/deps.sh", "--table"], capture_output=True, text=True, check=True).stdout
        self.assertIn("| libigraph-dev |", table)
        self.assertIn(table, (ROOT / "README.md").read_text(encoding="utf-8"))

    def test_packages_of_the_page_are_named(self):
        package = json.loads((ROOT / "mcp/ui/package.json").read_text(encoding="utf-8"))
        table = (ROOT / "README.md").read_text(encoding="utf-8").split("| npm package |")[1].split("\n\n")[0]
        self.assertEqual(sorted(re.findall(r"^\| ([^ |]+) \|", table, re.MULTILINE)),
                         sorted({**package["dependencies"], **package["devDependencies"]}))

    def test_targets_and_paths_exist(self):
        targets = make_targets((ROOT / "Makefile").read_text(encoding="utf-8"))
        self.assertIn("run", targets)
        for name in DOCUMENTS:
            with self.subTest(name):
                document = (ROOT / name).read_text(encoding="utf-8")
                self.assertEqual(unknown_targets(document, targets), [])
                self.assertEqual(unknown_paths(document, ROOT), [])

    def test_wrong_names_are_found(self):
        text = "Say `make coffee` and see `mcp/nowhere/` and `tests/unit/test_THING.c`.\n```sh\nmake run tea   # or not\n```\n"
        self.assertEqual(unknown_targets(text, {"run"}), ["coffee", "tea"])
        self.assertEqual(unknown_paths(text, ROOT), ["mcp/nowhere/"])


if __name__ == "__main__":
    unittest.main()
