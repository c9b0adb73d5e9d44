# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples of docs/formats.md: their files are written as they stand there, and their commands give the output that stands there.

An example is all that stands under one heading #### of the section Examples: files, each as a line with the name in code marks and a
colon, and the content in a fence; then a fence ```console with the command behind "$ " and its output.
"""
import re
import shlex
import subprocess
import unittest
from pathlib import Path

import harness

DOCUMENT = harness.ROOT / "docs/formats.md"
FILE = re.compile(r"^`([^`\n]+)`:\n\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^```console\n\$ ([^\n]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Those that the document must have: the programs that people come from.
TOOLS = ("Excel and LibreOffice", "Neo4j with APOC", "neo4j-admin", "Gephi, as CSV", "NetworkX, node-link JSON", "NetworkX, GraphML", "yEd", "Gephi, as GEXF",
         "CASE, as OpenSALT exports it", "Obsidian", "Logseq", "Notion", "MkDocs", "mdBook", "Hugo", "Jekyll", "Just the Docs", "Docusaurus", "Lectern's own JSON")


def examples(document):
    """{heading: (files, commands)} of the section Examples: files as {name: content}, commands as [(words, output)]."""
    section = document.split("\n## Examples\n")[1].split("\n## ")[0]
    parts = re.split(r"^#### (.*)$", section, flags=re.MULTILINE)[1:]
    return {title: (dict(FILE.findall(text)), COMMAND.findall(text)) for title, text in zip(parts[::2], parts[1::2], strict=True)}


def output(workspace, files, command):
    """What the command prints in a folder with these files."""
    folder = Path(workspace.data, "example")
    folder.mkdir()
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    words = shlex.split(command)
    assert words[0] == "lectern", command
    done = subprocess.run([str(harness.LECTERN), *words[1:]], cwd=folder, env=workspace.environment(), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=harness.ANSWER_SECONDS, check=False)
    return done.stdout.decode()


class Examples(unittest.TestCase):
    maxDiff = None

    def run_one(self, files, command):
        workspace = harness.Workspace()
        self.addCleanup(workspace.close)
        return output(workspace, files, command)

    def test_each_tool_has_an_example(self):
        found = examples(DOCUMENT.read_text(encoding="utf-8"))
        self.assertEqual([tool for tool in TOOLS if tool not in found], [])
        for title, (files, commands) in found.items():
            self.assertTrue(files, title)
            self.assertTrue(commands, title)

    def test_the_commands_print_what_the_document_shows(self):
        for title, (files, commands) in examples(DOCUMENT.read_text(encoding="utf-8")).items():
            for command, shown in commands:
                with self.subTest(title):
                    self.assertEqual(self.run_one(files, command), shown)

    def test_a_wrong_example_is_found(self):
        document = ("\n## Examples\n\n#### Sheet\n\nA text.\n\n`a/b.csv`:\n\n```csv\nId,Title\nA,B\n```\n\n"
                    "```console\n$ lectern import --dry-run a/b.csv\nnothing\n```\n\n## More\n")
        [(title, (files, [(command, shown)]))] = examples(document).items()
        self.assertEqual((title, files, shown), ("Sheet", {"a/b.csv": "Id,Title\nA,B\n"}, "nothing\n"))
        self.assertIn('A "B": 0 components', self.run_one(files, command))


if __name__ == "__main__":
    unittest.main()
