# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual page lectern(1): groff reads it without a warning, it has every command and option, and an installation contains it."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import harness

PAGE = pathlib.Path(os.environ["LECTERN_BUILD"]) / "lectern.1"


def shown(*words):
    done = subprocess.run(["groff", "-man", "-ww", *words, PAGE], capture_output=True, text=True, check=False, env={**os.environ, "GROFF_NO_SGR": "1"})
    return done.stdout, done.stderr


def help_of(*words):
    return subprocess.run([harness.LECTERN, *words], capture_output=True, text=True, check=True).stdout


class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not shutil.which("groff"):
            raise unittest.SkipTest("SKIPPED: groff is not installed; `make deps` brings it")

    def test_no_warnings(self):
        self.assertEqual(shown("-z")[1], "")

    def test_each_command_and_option(self):
        text = re.sub(r".\x08", "", shown("-Tascii")[0])
        commands = re.findall(r"^  (\w+)  ", help_of("--help"), re.MULTILINE)
        self.assertGreater(len(commands), 15)
        for command in commands:
            self.assertRegex(text, r"(?m)^ +%s\b" % command)
            for option in re.findall(r"^  (--[\w-]+)", help_of(command, "--help"), re.MULTILINE):
                self.assertRegex(text, r"(?m)^ +%s\b" % re.escape(option), command)

    def test_installed(self):
        with tempfile.TemporaryDirectory() as prefix:
            subprocess.run(["cmake", "--install", PAGE.parent, "--prefix", prefix], check=True, capture_output=True)
            self.assertEqual(pathlib.Path(prefix, "share/man/man1/lectern.1").read_text(), PAGE.read_text())


if __name__ == "__main__":
    unittest.main()
