# SPDX-License-Identifier: GPL-3.0-or-later
"""validator_facts of tests/oracle: its options, the format of its lines, their order, and its handling of all kinds of bytes and files."""
import json
import os
import pathlib
import subprocess
import unittest

import harness

PROGRAM = '''import a.b as c, d
from ..e import f as g, h
from . import i
@j.k
async def l(m, /, n: o = "p", *q, r, **s) -> t:
    global u, v
    try:
        l(w=b"\\xff")
    except x as y:
        match z:
            case A(aa=1, bb=[*cc, dd] as ee) | {"k": _, **ff}:
                (gg := hh.ii.jj)
class B(metaclass=C): f"{kk!r:>{ll}}mm"
'''
FACTS = {
    "imports": ["..e:f", "..e:h", ".:i", "a.b", "d"],
    "names": ["A", "C", "gg", "hh", "j", "kk", "l", "ll", "o", "t", "x", "z"],
    "attributes": ["ii", "jj", "k"],
    "other": ["B", "aa", "bb", "c", "cc", "dd", "ee", "ff", "g", "l", "m", "metaclass", "n", "q", "r", "s", "u", "v", "w", "y"],
    "strings": [">", "k", "mm", "p", "\xff"],
}
EMPTY = {key: [] for key in FACTS}
PROGRAM_OF_FACTS = harness.BUILD / "tests/oracle/validator_facts"


class ValidatorFacts(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)

    def write(self, name, data):
        path = pathlib.Path(self.workspace.data, name)
        path.write_bytes(data)
        return str(path)

    def run_program(self, *words, stdin=b""):
        done = subprocess.run([PROGRAM_OF_FACTS, *words], input=stdin, capture_output=True, timeout=harness.ANSWER_SECONDS, check=False)
        harness.check_log(done.stderr)
        return done

    def ask(self, *paths, status=0, stdin=b""):
        done = self.run_program(*paths, stdin=stdin)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertTrue(done.stdout == b"" or done.stdout.endswith(b"\n"))
        return [json.loads(line) for line in done.stdout.split(b"\n")[:-1]], done.stderr.decode()

    def facts_of(self, data):
        rows, _ = self.ask(self.write("one.py", data))
        self.assertEqual(len(rows), 1)
        return rows[0]

    def test_all_kinds_of_facts(self):
        path = self.write("all.py", PROGRAM.encode())
        self.assertEqual(self.ask(path)[0], [{"file": path, "grammar": "ok", "facts": FACTS}])

    def test_several_files_in_order_whatever_they_are(self):
        paths = [self.write("2.py", b"import os\nopen('x')\n"), self.write("1.py", b"def (:\n"), self.write("3.py", b"")]
        rows, _ = self.ask(*paths)
        self.assertEqual([row["file"] for row in rows], paths)
        self.assertEqual([row["grammar"] for row in rows], ["ok", "reject", "ok"])
        self.assertEqual(rows[0]["facts"], dict(EMPTY, imports=["os"], names=["open"], strings=["x"]))
        self.assertIsNone(rows[1]["facts"])
        self.assertRegex(rows[1]["error"], "^line 1: .")
        self.assertNotIn("rule", rows[1])
        self.assertEqual(rows[2], {"file": paths[2], "grammar": "ok", "facts": EMPTY})

    def test_standard_input(self):
        expected = [{"file": "-", "grammar": "ok", "facts": dict(EMPTY, names=["x"])}]
        self.assertEqual(self.ask(stdin=b"x")[0], expected)
        self.assertEqual(self.ask("-", stdin=b"x")[0], expected)

    def test_options_of_the_command_that_had_the_facts(self):
        good, dashed = self.write("good.py", b"x\n"), self.write("--json", b"y\n")
        expected = self.ask(good)[0]
        for words in (("--facts",), ("--json",), ("--log", "debug"), ("--profile", "minimal"), ("--profiles=/none", "--facts", "--")):
            self.assertEqual(self.ask(*words, good)[0], expected, words)
        self.assertEqual(self.ask(good, "--facts")[0], expected)
        self.assertEqual(self.ask("--facts", "--", os.path.relpath(dashed))[0][0]["facts"]["names"], ["y"])
        done = self.run_program("--help")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertIn(b"Usage: validator_facts [OPTIONS] [FILE...]\n", done.stdout)
        for words, wanted in ((("--fact-s", good), "unknown option '--fact-s'"), (("-q",), "unknown option '-q'"),
                              ((good, "--profile"), "--profile needs a value"), ((good,) * 4097, "more than 4096 files")):
            done = self.run_program(*words)
            self.assertEqual((done.returncode, done.stdout), (2, b""), words[:2])
            self.assertEqual(done.stderr.decode(), "validator_facts: %s; see validator_facts --help\n" % wanted)

    def test_text_of_a_program_does_not_drive_a_terminal(self):
        shown = harness.on_terminal([PROGRAM_OF_FACTS], stdin=b"x = '\xc2\x9b'")
        self.assertIn(b'"strings":["\\x9b"]', shown)
        self.assertNotIn(b"\x9b", shown)

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM_OF_FACTS, self.write("one.py", b"x\n")], stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, b"validator_facts: standard output: No space left on device\n")

    def test_unreadable_file_is_told_and_the_others_answered(self):
        good = self.write("good.py", b"x\n")
        rows, said = self.ask(self.workspace.data + "/missing.py", good, self.workspace.data, status=2)
        self.assertEqual([row["file"] for row in rows], [good])
        self.assertIn("missing.py: No such file or directory", said)
        self.assertIn("Is a directory", said)

    def test_path_that_is_no_utf8(self):
        path = os.fsencode(self.workspace.data) + b"/\xff.py"
        pathlib.Path(os.fsdecode(path)).write_bytes(b"x\n")
        rows, _ = self.ask(os.fsdecode(path))
        self.assertTrue(rows[0]["file"].endswith("/\ufffd.py"), rows)

    def test_no_cap_of_64_kib(self):
        row = self.facts_of(b"".join(b"name_%d = %d\n" % (i, i) for i in range(20000)))
        self.assertEqual(row["grammar"], "ok")
        self.assertEqual(len(row["facts"]["names"]), 20000)
        row = self.facts_of(b"#" * ((16 << 20) + 1))
        self.assertEqual((row["grammar"], row["facts"], row["rule"]), ("reject", None, "too-long"))

    def test_strings_that_json_cannot_carry(self):
        self.assertIsNone(self.facts_of(b"x = '\\ud800', 'a'\n")["facts"]["strings"])
        self.assertEqual(self.facts_of(b"x = '\\0', b'\\0'\n")["facts"]["strings"], ["\0"])

    def test_encodings(self):
        for data, strings in (
                (b"\xef\xbb\xbfx = '\xc3\xa9'\n", ["é"]), (b"# coding: latin-1\n'\xe9'\n", ["é"]),
                (b"#!x\n# -*- coding: KOI8-R -*-\n'\xd0'\n", ["п"]), (b"# vim: set fileencoding=euc_jp :\n'\xa4\xa2'\n", ["あ"]),
                (b"# coding: utf-7\n'+AOk-'\n", ["é"]), (b"# coding: shift_jis\n'\x82\xa0\\\\~'\n", ["あ\\~"]),
                (b"# coding: raw_unicode_escape\n'\\\\u0041\\u0042'\n", ["\\u0041B"]),
                (b"# coding: hz\n'~{VP~}~~'\n", ["中~"]), (b"# coding: gb18030\n'\xd6\xd0'\n", ["中"]),
                (b"# coding: unicode_escape\n'\\\\xe9'\n", ["é"]), (b"x = 1\n# coding: nope\n'\xc3\xa9'\n", ["é"]),
                (b"# \xff is not looked at\n'a'\n", ["a"])):
            row = self.facts_of(data)
            self.assertEqual((row["grammar"], row["facts"] and row["facts"]["strings"]), ("ok", strings), (data, row))
        for data in (b"# coding: nope\nx\n", b"x\0\n", b"\xef\xbb\xbf# coding: latin-1\nx\n", b"# coding: ascii\n'\xe9'\n",
                     b"# coding: euc_jp\n'\xa4'\n"):
            row = self.facts_of(data)
            self.assertEqual((row["grammar"], row["facts"], row.get("rule")), ("reject", None, "encoding"), data)
        self.assertEqual(self.facts_of(b"x = '\xff'\n")["grammar"], "reject")


if __name__ == "__main__":
    unittest.main()
