# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs of tests/data, and of the shared corpora if available, sent directly to the runner, without a validator.

Hostile programs, without the policy, must leak nothing, end in time and leave nothing behind; ordinary ones must run, and print the same as
plain Python where that is known. Questions about real curricula are in contract.truth, through the whole server. A sample of them runs;
LECTERN_WHOLE=1 (make soak): all.
"""
import ast
import base64
import concurrent.futures
import json
import os
import pathlib
import re
import secrets
import subprocess
import sys
import unittest

import sandbox
from sandbox import DATA_PRELOAD, Curriculum, Sandbox, run, shared

sys.path.insert(0, str(sandbox.ROOT / "tests/data"))
import corpus  # noqa: E402

CANARY = pathlib.Path("/srv/canary.txt")
AT_ONCE = 2
HOSTILE_MS = 1000
# What lies about the run: another user's name, a password file, a directory listing, an interpreter's own files.
LEAKS = re.compile(rb"uid=\d|root:x:|canary\.txt'\]|/usr/lib/python3")


def own_cases(kind):
    for program in corpus.programs(kind):
        yield {"id": program.id, "family": program.family, "profile": program.profile, "stage": program.stage, "why": program.family,
               "effect": None, "title": program.family, "expect_stdout": None, "bytes": program.code}


def shared_cases(name):
    for line in shared("corpus", name).read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        case["bytes"] = base64.b64decode(case["code_b64"]) if "code_b64" in case else case["code"].encode("utf-8", "surrogatepass")
        yield case


def shared_or_nothing(name):
    """Prints the reason of the skip where they are not there."""
    try:
        return list(shared_cases(name))
    except unittest.SkipTest as reason:
        print(reason)
        return []


def hostile_cases():
    return [*own_cases("hostile"), *shared_or_nothing("malicious.jsonl")]


def curriculum():
    path = sandbox.SHARED / "data/fractions.json"
    return Curriculum(path if path.exists() else sandbox.ROOT / "mcp/curriculum/demo/demo_curriculum.json")


def options_of(case):
    if case["profile"] == "data-science":
        return {"kind": "data", "preload": DATA_PRELOAD, "profile": "data-science"}
    return {"kind": "bare", "profile": "minimal"}


class Hostile(unittest.TestCase):
    def setUp(self):
        self.secret = secrets.token_hex(16)
        if CANARY.exists() or not os.access(CANARY.parent, os.W_OK):
            self.assertTrue(CANARY.exists(), "SKIPPED: %s cannot be made here; run as root" % CANARY)
            self.secret = CANARY.read_text().strip()
        else:
            CANARY.write_text(self.secret + "\n")
            self.addCleanup(CANARY.unlink)
        self.curriculum = curriculum()

    def check(self, case):
        """The reasons why it is not contained; empty when it is."""
        try:
            code = case["bytes"].decode("utf-8")
        except UnicodeDecodeError:
            return []  # cannot be a JSON text, so it cannot reach the runner
        written = [path for path in re.findall(r"/tmp/[\w.-]+", code) if not os.path.exists(path)]
        with Sandbox(kind=options_of(case)["kind"], preload=options_of(case).get("preload", ""), policy=False) as box:
            outcome = box.run(code, self.curriculum, timeout_ms=HOSTILE_MS, profile=options_of(case)["profile"],
                              output_limit=4 << 20)
        everything = bytes(outcome.raw) + outcome.complaints.encode()
        reasons = []
        if self.secret.encode() in everything:
            reasons.append("the canary's text came out")
        leak = LEAKS.search(everything)
        if leak and case["stage"] == "runtime":
            reasons.append("it showed %r" % leak.group())
        if outcome.exit is None or outcome.returncode != 0:
            reasons.append("no orderly end: %s" % outcome.complaints)
        if len(outcome.stdout) > 65536 or len(outcome.stderr) > 16384:
            reasons.append("output over its cap")
        reasons += ["it wrote %s" % path for path in written if os.path.exists(path)]
        return ["%s (%s): %s" % (case["id"], case["why"], reason) for reason in reasons]

    def test_hostile_programs_are_contained(self):
        # Of ours those that are for the sandbox: the others do nothing that these do not.
        everyone = [case for case in hostile_cases() if case["stage"] == "runtime" or "code" in case or "code_b64" in case]
        self.assertGreater(len(everyone), 40)
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            reasons = [reason for found in pool.map(self.check, corpus.sample(everyone, 4)) for reason in found]
        self.assertEqual(reasons, [])
        self.assertEqual(run("print(1)").text, "1\n")
        self.assertEqual(CANARY.read_text().strip(), self.secret)


class Inside(unittest.TestCase):
    """The policy inside by itself: what it refuses, and what CPython refuses as no Python."""

    # What is wrong with bytes and letters before they are Python is the validator's alone.
    LEFT = {"encoding": "broken UTF-8 in a comment", "control": "control characters in comments and strings",
            "unicode": "letters that look alike, and bidirectional controls in comments",
            "encodings": "other encodings", "control_characters": "control characters", "letters": "letters that look alike"}

    @classmethod
    def setUpClass(cls):
        sys.path.insert(0, str(sandbox.SHARE))
        policy = __import__("policy")
        sys.path.pop(0)
        cls.check = staticmethod(policy.check)
        cls.tables = policy.load(sandbox.SHARE / "policy.json")

    def refused(self, case):
        try:
            tree = ast.parse(case["bytes"])
            return bool(self.check(tree, self.tables[case["profile"]])) or compile(tree, "<code>", "exec") is None
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return True

    def test_hostile_programs_are_refused(self):
        hostile = [case for case in hostile_cases() if case["stage"] == "static"]
        self.assertGreater(len(hostile), 700)
        missed = [case for case in hostile if not self.refused(case)]
        self.assertEqual([(case["id"], case["why"]) for case in missed if case["family"] not in self.LEFT], [])
        self.assertLess(len(missed), 20)

    def test_ordinary_programs_are_not(self):
        ordinary = [*own_cases("ordinary"), *shared_or_nothing("benign.jsonl")]
        self.assertEqual([case["id"] for case in ordinary if self.refused(case)], [])


class Static(unittest.TestCase):
    """The evasions that both policies refuse, by the rule beside each."""

    def test_both_policies_refuse_them(self):
        sys.path.insert(0, str(sandbox.SHARE))
        policy = __import__("policy")
        sys.path.pop(0)
        tables = policy.load(sandbox.SHARE / "policy.json")
        static = [program for program in corpus.programs("evasions") if "static" in program.words]
        self.assertGreater(len(static), 5)
        for program in static:
            with self.subTest(program.id):
                self.assertIn(program.words[1], [rule for _line, rule in policy.check(ast.parse(program.code), tables[program.profile])])
                found = subprocess.run([sandbox.BUILD / "lectern", "validate", "--json", "--profile", program.profile, "-"],
                                       input=program.code, stdout=subprocess.PIPE, check=False).stdout.decode()
                self.assertIn('"%s"' % program.words[1], found)


class Ordinary(unittest.TestCase):
    def check(self, case, curriculum):
        options = options_of(case)
        outcome = run(case["bytes"].decode(), curriculum, **{**options, "profile": case["profile"]})
        expected = case["expect_stdout"]
        if expected is not None and outcome.text != expected:
            return ["%s (%s): %r instead of %r; %s" % (case["id"], case["title"], outcome.text[:200], expected[:200],
                                                       outcome.result.get("error"))]
        if outcome.stderr:
            return ["%s: wrote to standard error: %r" % (case["id"], bytes(outcome.stderr[:200]))]
        return []

    def test_ordinary_programs_print_what_they_should(self):
        everyone = list(shared_cases("benign.jsonl"))
        curriculum = Curriculum(shared("data", "fractions.json"))
        self.assertGreater(len(everyone), 100)
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            wrong = [text for found in pool.map(lambda case: self.check(case, curriculum), corpus.sample(everyone, 2)) for text in found]
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main(verbosity=1)
