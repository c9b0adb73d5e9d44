# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a script of this folder in a node of its own, with Chromium, axe-core and aimock beside it, on a data folder of its own."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "contract"))
import harness  # noqa: E402
import npm      # noqa: E402

SCREENSHOTS = harness.BUILD / "screenshots"


def chromium():
    command = shutil.which("chromium")
    if command:
        return command
    why = "chromium is not installed; `make deps` brings it"
    if os.environ.get("CI") == "true":
        raise AssertionError(why)
    raise unittest.SkipTest("SKIPPED: " + why)


def place():
    """The folder of the installed packages, with today's scripts beside them, where their imports resolve."""
    folder = npm.folder("browser", HERE)
    for script in HERE.glob("*.mjs"):
        shutil.copy(script, folder / script.name)
    return folder


def run(script, workspace, seconds, *words, **environment):
    """Prints what the script says; fails where it fails. It and all it started are gone afterwards."""
    command, folder = chromium(), place()
    variables = dict(workspace.environment(), LECTERN=str(harness.LECTERN), LECTERN_CHROMIUM=command,
                     LECTERN_SCREENSHOTS=str(SCREENSHOTS), NODE_NO_WARNINGS="1", TMPDIR=workspace.data, **environment)
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
        variables.pop(name, None)
    process = subprocess.Popen([str(folder / npm.NODE), script, *words], cwd=folder, env=variables, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output = process.communicate(timeout=seconds)[0].decode(errors="replace")
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)    # the browser goes with its pipe
        output = process.communicate(timeout=30)[0].decode(errors="replace") + "\nIt took longer than %d s." % seconds
    print(output, flush=True)
    harness.check_log(output.encode())
    if process.returncode != 0:
        raise AssertionError("%s: exit %d\n%s" % (script, process.returncode, output[-6000:]))
    return output
