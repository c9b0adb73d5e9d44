# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts the tokens of texts in the encoding o200k_base, with a package of npm. Skips where that cannot be installed."""
import json
import shutil
import subprocess

import harness
import npm

SOURCES = harness.ROOT / "tests/contract/tokens"


def count(texts):
    place = npm.folder("tokens")
    script = place / "count.mjs"  # beside node_modules, where its imports resolve
    shutil.copy(SOURCES / script.name, script)
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    done = subprocess.run([place / npm.NODE, script], input=lines, stdout=subprocess.PIPE, text=True, check=True)
    return [int(line) for line in done.stdout.split()]
