# SPDX-License-Identifier: GPL-3.0-or-later
"""CHANGES.md: each change names a commit of this repository, and the program's version is the newest that is listed."""
import pathlib
import re
import subprocess
import unittest

import harness

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CHANGES.md").read_text(encoding="utf-8")
COMMIT = re.compile(r"\b[0-9a-f]{8}\b")


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=False)


class Changes(unittest.TestCase):
    def test_commits(self):
        if git("rev-parse", "--is-shallow-repository").stdout.strip() != "false":
            print("the history is not here, so the commits of CHANGES.md are not looked up")
            return
        commits = sorted(set(COMMIT.findall(TEXT)))
        self.assertGreater(len(commits), 40)
        self.assertEqual([commit for commit in commits if git("merge-base", "--is-ancestor", commit, "HEAD").returncode != 0], [])

    def test_each_change_has_one(self):
        for change in re.findall(r"^- (?:.*\n)(?:  .*\n)*", TEXT, re.MULTILINE):
            if not re.match(r"- (The build needs|Changed:)", change):
                self.assertRegex(change, COMMIT)

    def test_version(self):
        version = subprocess.run([harness.LECTERN, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
        self.assertEqual(re.findall(r"^## ([0-9.]+)", TEXT, re.MULTILINE)[0], version)


if __name__ == "__main__":
    unittest.main()
