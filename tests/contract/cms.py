# SPDX-License-Identifier: GPL-3.0-or-later
"""The FastAPI service of the contract (tests/fastapi) as a separate process, for tests that compare with it or use it as the store."""
import importlib.util
import os
import pathlib
import subprocess
import tempfile
import unittest

import harness

SERVICE = harness.ROOT / "tests/fastapi/service.py"
NEEDED = ("fastapi", "uvicorn")


class Cms(harness.Client):
    """Its database is a file on disk, in a folder of its own unless one is given; a restart keeps it."""

    def __init__(self, *words, folder=None, **environment):
        missing = [name for name in NEEDED if not importlib.util.find_spec(name)]
        if missing:
            raise unittest.SkipTest("SKIPPED: python3-%s is not installed; `make deps` brings it" % missing[0])
        self.own = None if folder else tempfile.TemporaryDirectory(prefix="lectern-cms-")
        self.folder = pathlib.Path(folder or self.own.name)
        self.words = words
        self.environment = environment
        self.process = None
        super().__init__(self.start())

    @property
    def url(self):
        return "http://127.0.0.1:%d" % self.port

    def start(self, port=0):
        """The port, once it listens there."""
        with open(self.folder / "service.log", "ab") as log:
            self.process = subprocess.Popen(
                ["/usr/bin/python3", "-B", str(SERVICE), "--database", str(self.folder / "cms.sqlite"), "--port", str(port),
                 *self.words], stdout=subprocess.PIPE, stderr=log, env=dict(os.environ, **self.environment))
        line = self.process.stdout.readline().decode()
        if "Serving http://" not in line:
            raise AssertionError("the service ended: " + self.log())
        return int(line.rsplit(":", 1)[1])

    def stop(self):
        self.connection.close()
        self.process.terminate()
        self.process.wait(timeout=harness.ANSWER_SECONDS)
        self.process.stdout.close()

    def again(self):
        """Starts it anew at the same port, after stop()."""
        self.start(self.port)

    def log(self):
        return (self.folder / "service.log").read_text()

    def close(self):
        """Ends it; a fault of its own (500) fails the test that saw it end."""
        self.stop()
        log = self.log()
        if self.own:
            self.own.cleanup()
        if "Traceback" in log:
            raise AssertionError(log)
