# SPDX-License-Identifier: GPL-3.0-or-later
"""The page's TypeScript keeps its types: tsc over mcp/ui, by the packages that the page is built with (build/page)."""
import os
import pathlib
import subprocess
import tempfile
import unittest

import chromium  # noqa: F401  (finds the contract tests' harness)
import harness

PACKAGES = harness.ROOT / "build/page"
SLIP = "export const wrong: number = 'a text';\n"


def packages():
    """Brings the page's packages where they are not there yet; skips loudly without them."""
    subprocess.run([harness.ROOT / "cmake/page.sh"], check=True, stdin=subprocess.DEVNULL, timeout=600)
    why = (PACKAGES / "missing.txt").read_text(encoding="utf-8")
    if why and os.environ.get("CI") == "true":
        raise AssertionError(why)
    if why:
        raise unittest.SkipTest("SKIPPED: %s; `make deps` brings node and npm" % why)
    return PACKAGES


def check(config):
    return subprocess.run(["node", str(PACKAGES / "node_modules/typescript/bin/tsc"), "--preserveSymlinks", "-p", str(config)],
                          cwd=PACKAGES, capture_output=True, text=True, timeout=300, check=False)


class Types(unittest.TestCase):
    def test_sources(self):
        packages()
        done = check(PACKAGES)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_slip_is_found(self):
        packages()
        with tempfile.TemporaryDirectory(dir=PACKAGES) as folder:
            place = pathlib.Path(folder)
            (place / "slip.ts").write_text(SLIP, encoding="utf-8")
            (place / "tsconfig.json").write_text('{"extends": "../tsconfig.json", "include": ["."]}', encoding="utf-8")
            done = check(place)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("TS2322", done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
