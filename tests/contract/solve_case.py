# SPDX-License-Identifier: GPL-3.0-or-later
"""The shared parts of the tests of `solve`: curricula with their questions, the recorded mistakes, and a server or a command in front of a model
that plays the roles."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

import harness
from chat_case import ChatWorkspace
from test_truth import CURRICULA, same

sys.path.insert(0, str(harness.ROOT / "tests/parts"))
from role_model import Case, Roles, forced_tool  # noqa: E402, F401
from replay_model import KEY, answer, call, drop, error_event, fail, gate, hold, text  # noqa: E402, F401

KINDS = {bool: "truth", int: "number", float: "number", str: "text", list: "list", dict: "map"}
EXITS = {"solved": 0, "partial": 1, "failed": 1, "stuck": 1, "over_budget": 1, "refused": 3, "ask": 4, "cancelled": 130}


def kind_of(value):
    return KINDS.get(type(value), "any")


def truth_cases():
    """(name of the curriculum, line of the shared questions), all 85 where they are."""
    return [(name, json.loads(line)) for name in CURRICULA
            for line in harness.shared("truth", name + ".jsonl").read_text(encoding="utf-8").splitlines()]


def mistakes():
    """The recorded mistakes of the profile data-science that are plain text."""
    found = []
    for path in sorted(pathlib.Path(harness.ROOT, "tests/data/mistakes").glob("*.txt")):
        for part in path.read_text(encoding="utf-8").split("\n%% ")[1:]:
            head, _, rest = part.partition("\n")
            if head.startswith("data-science") and not head.endswith("escaped"):
                found.append("\n".join(line for line in rest.splitlines() if not line.startswith("%=")).strip("\n"))
    return found


class SolveCase(unittest.TestCase):
    """With the demo curriculum, and the options of a command in front of `self.model`."""

    options = ()

    @classmethod
    def setUpClass(cls):
        cls.workspace = ChatWorkspace(ANTHROPIC_API_KEY=KEY)
        cls.sid = cls.workspace.run("demo").stdout.decode().split()[-1]

    @classmethod
    def tearDownClass(cls):
        cls.workspace.close()

    def play(self, *cases, **more):
        """A model for one test."""
        model = Roles(cases, **more)
        self.addCleanup(model.close)
        return model

    def words(self, model, *words):
        engine = os.environ.get("LECTERN_SANDBOX", harness.LOCAL)
        return ["--sandbox", engine, "--llm-url", model.url, "--llm-model", "played", *self.options, *words]

    def solve(self, model, question, *words):
        """(exit status, the answer of `lectern solve --json`, its trace)."""
        path = os.path.join(self.workspace.data, "trace.json")
        command = [str(harness.LECTERN), "solve", *self.words(model, *words), "--json", "--session", self.sid, "--trace", path, question]
        done = subprocess.run(command, capture_output=True, env=self.workspace.environment(), timeout=harness.ANSWER_SECONDS, check=False)
        harness.check_log(done.stderr)
        self.assertNotIn(KEY.encode(), done.stdout + done.stderr)
        self.assertTrue(done.stdout, done.stderr)
        return done.returncode, json.loads(done.stdout), json.loads(pathlib.Path(path).read_text(encoding="utf-8"))

    def ended(self, model, question, status, *words, code=None):
        """Solves it and checks the end; the answer and the trace."""
        exit_status, found, trace = self.solve(model, question, *words)
        self.assertEqual(found["status"], status, (found, trace))
        self.assertEqual(exit_status, EXITS[status] if code is None else code, found)
        self.assertEqual(trace[-1]["message"], found)
        return found, trace


def kinds(trace):
    return [entry["kind"] for entry in trace if entry["kind"] != "request"]


def requests(trace, role=None):
    return [entry for entry in trace if entry["kind"] == "request" and role in (None, entry["role"])]


def executions(trace):
    return [entry["message"] for entry in trace if entry["kind"] == "execution"]


__all__ = [name for name in dir() if not name.startswith("_")] + ["same"]
