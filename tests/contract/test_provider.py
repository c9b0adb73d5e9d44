# SPDX-License-Identifier: GPL-3.0-or-later
"""Sign-in with an issuer and a client from npm (sign_in/provider.test.mjs), installed as in test_clients.py."""
import os
import re
import shutil
import subprocess
import unittest

import harness
import npm

SOURCES = harness.ROOT / "tests/contract/sign_in"
SECONDS = 300


class Provider(unittest.TestCase):
    def test_provider(self):
        npm.folder("sign_in")
        place = harness.BUILD / "sign_in"
        for script in (SOURCES / "provider.test.mjs", *(harness.ROOT / "tests/contract/clients" / name for name in ("walk.mjs", "calls.mjs"))):
            shutil.copy(script, place)
        environment = dict(os.environ, LECTERN=str(harness.LECTERN), NODE_NO_WARNINGS="1", NO_COLOR="1")
        done = subprocess.run([place / npm.NODE, "--test", "--test-reporter=spec", "provider.test.mjs"], cwd=place, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
        output = done.stdout.decode()
        self.assertEqual(done.returncode, 0, output)
        self.assertEqual(re.findall(r"^ℹ (?:pass|skipped|todo) (\d+)$", output, re.MULTILINE), ["3", "0", "0"], output)


if __name__ == "__main__":
    unittest.main(verbosity=2)
