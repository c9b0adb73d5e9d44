# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs cmake/lint.py over all folders and tests that each of its rules can fail; then the layout and the shell scripts of `make lint`."""
import importlib.util
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "cmake" / "lint.py"
spec = importlib.util.spec_from_file_location("lint", SCRIPT)
lint = importlib.util.module_from_spec(spec)
spec.loader.exec_module(lint)


class Lint(unittest.TestCase):
    def test_clean(self):
        done = subprocess.run([sys.executable, "-B", SCRIPT], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def faults(self, **files):
        named = {"mcp/" + name.replace("_DOT_", "."): text for name, text in files.items()}
        bodies = {name: body for text in named.values() for name, body in lint.DEFINITION.findall(text)}
        return [fault for fault in lint.faults(named, bodies, ("mcp/",))]

    def test_each_rule(self):
        self.assertEqual(self.faults(a_DOT_c="int f(void)\n{\n    return 0;\n}\n"), [])
        for text, wanted in (
            ("    if (!strcmp(a(b), c) || d)\n", "write if (strcmp(a(b), c) == 0 || d)"),
            ("    struct buf text BUF_AUTO = {0};\n", "write struct buf BUF_AUTO text = {0};"),
            ("static int f(struct error *err)\n{\n    return -1;\n}\n    if (f(err) != 0)\n", "write if (f(err) < 0)"),
        ):
            self.assertIn(wanted, "".join(self.faults(a_DOT_c=text)))
        found = "static int f(struct error *err)\n{\n    return x ? 1 : 0;\n}\n    if (f(err) != 0)\n"
        self.assertEqual(self.faults(a_DOT_c=found), [])
        self.assertIn("is defined 2 times", "".join(self.faults(a_DOT_c="struct s {\n};\n", b_DOT_h="struct s {\n};\n")))
        self.assertIn("enumerator RUNNING", "".join(self.faults(a_DOT_h="enum e { RUNNING, ENDED };\n")))
        self.assertEqual(self.faults(a_DOT_h="enum e { E_RUNNING = 1 << 2, /* x, y */ E_ENDED };\n"), [])
        self.assertIn("_internal.h", "".join(self.faults(a_DOT_h="/* Private to mcp/. */\n")))


class Steps(unittest.TestCase):
    """clang-format and shellcheck find nothing."""

    def passes(self, step, tool):
        if not shutil.which(tool):
            self.skipTest(f"SKIPPED: {tool} is not installed; `cmake/deps.sh lint` brings it")
        done = subprocess.run([SCRIPT.with_name("lint.sh"), step], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_layout(self):
        self.passes("layout", "clang-format")

    def test_shell(self):
        self.passes("shell", "shellcheck")


if __name__ == "__main__":
    unittest.main()
