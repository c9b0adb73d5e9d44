#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the validator's policy against the check inside the sandbox (image/python/policy.py), which walks CPython 3.11's own tree.

    compare_policy.py LECTERN [--mutants N] [--seed N] [--keep DIR] [--short]

LECTERN is the program. Over the acceptance corpora, the project's own Python and mutants of both (statements and names
exchanged, the seed is printed), in each profile:
1. what the validator accepts the check inside accepts: everything else is a run refused for a bug of ours;
2. where CPython parses the text, and neither bytes nor syntax are at fault, both find the same: the same codes on the same
   lines.
--keep writes the programs on which they differ. Environment: LECTERN_SHARED, the folder with the corpora. Exit status 0
when all agree.
"""
import argparse
import ast
import base64
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("LECTERN_SHARED", ROOT.parent / "shared"))
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "image/python"), str(ROOT / "tests/data")]
warnings.simplefilter("ignore")

import corpus  # noqa: E402
import policy  # noqa: E402
import mutate_policy  # noqa: E402

PROFILES = ("minimal", "data-science", "visualization")
CODES = frozenset(("import-not-allowed", "import-star", "import-twice", "forbidden-name", "forbidden-attribute", "dunder",
                   "module-attribute", "module-as-value", "module-store", "file-method", "text-method", "name-by-text"))
# Not among them: "unknown-name", which is advice and the validator's alone; Python would raise NameError.
CAP = 20  # diagnostics that the validator tells
BATCH = 500


class Tally:
    def __init__(self, keep):
        self.programs = self.accepted = self.refused = self.compared = 0
        self.wrong = collections.Counter()
        self.keep = keep
        self.shown = 0

    def differ(self, kind, label, source, profile, theirs, ours):
        self.wrong[kind] += 1
        if self.keep:
            (self.keep / ("%s-%d.py" % (kind, self.wrong[kind]))).write_bytes(source)
        if self.shown < 40:
            self.shown += 1
            print("%s %s (%s): only the validator %s, only inside %s" % (
                kind.upper(), label, profile, sorted(theirs - ours), sorted(ours - theirs)))


def validate(lectern, folder, sources, profile):
    """The validator's diagnostics, in order: [(line, code)], accepted or not."""
    paths = []
    for number, source in enumerate(sources):
        path = folder / ("%d.py" % number)
        path.write_bytes(source)
        paths.append(str(path))
    done = subprocess.run([lectern, "validate", "--json", "--profile", profile, *paths], stdout=subprocess.PIPE, check=False)
    for line in done.stdout.splitlines():
        verdict = json.loads(line)
        yield verdict["accepted"], [(one["line"], one["code"]) for one in verdict["diagnostics"]]


def unplaced(tree):
    """Of names whose place CPython's tree does not keep: (from, to), lines between which they stand."""
    for node in ast.walk(tree):
        if isinstance(node, ast.MatchClass):
            ends = [node.cls, *node.patterns, *node.kwd_patterns]
            for before, pattern in zip(ends[len(node.patterns):], node.kwd_patterns):
                yield before.end_lineno, pattern.lineno
        elif isinstance(node, ast.MatchMapping) and node.rest:
            yield max((one.end_lineno for one in node.patterns), default=node.lineno), node.end_lineno
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.type.end_lineno, node.body[0].lineno


def levelled(found, ranges):
    """The findings with all lines of a range made its last one; ranges that meet are one."""
    def level(line):
        last = max((end for begin, end in ranges if begin <= line <= end), default=line)
        return line if last == line else level(last)

    return {(level(line), code) for line, code in found}


def compare(label, source, profile, tables, verdict, tally):
    accepted, diagnostics = verdict
    tally.programs += 1
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        if accepted:
            tally.differ("syntax", label, source, profile, set(), {(0, "syntax")})
        return
    inside = set(policy.check(tree, tables[profile]))
    outside = {one for one in diagnostics if one[1] in CODES}
    tally.accepted += accepted
    tally.refused += bool(inside)
    if accepted and inside:
        tally.differ("accepted", label, source, profile, outside, inside)
        return
    if any(code not in CODES for _, code in diagnostics):
        return
    tally.compared += 1
    if len(diagnostics) >= CAP:
        inside &= outside
    if inside != outside:
        ranges = list(unplaced(tree))
        inside, outside = levelled(inside, ranges), levelled(outside, ranges)
    if inside != outside:
        tally.differ("sets", label, source, profile, outside, inside)


def compare_all(lectern, programs, profiles, tables, tally, label):
    """programs: [(name, bytes)]."""
    before = (tally.programs, tally.accepted, tally.refused, tally.compared, sum(tally.wrong.values()))
    with tempfile.TemporaryDirectory() as folder:
        for profile in profiles:
            for at in range(0, len(programs), BATCH):
                batch = programs[at:at + BATCH]
                verdicts = list(validate(lectern, pathlib.Path(folder), [source for _, source in batch], profile))
                assert len(verdicts) == len(batch), "the validator left one out"
                for (name, source), verdict in zip(batch, verdicts):
                    compare(name, source, profile, tables, verdict, tally)
    after = (tally.programs, tally.accepted, tally.refused, tally.compared, sum(tally.wrong.values()))
    print("%s: %d checks, %d accepted by the validator, %d refused inside, %d compared by code and line, %d differ" % (
        label, *(new - old for new, old in zip(after, before))))


def shared_corpus(name):
    path = SHARED / "corpus" / name
    if not path.exists():
        print("SKIPPED: %s is not here; set LECTERN_SHARED to the folder that has it" % path)
        return []
    cases = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [(case["id"], base64.b64decode(case["code_b64"]) if "code_b64" in case else
             case["code"].encode("utf-8", "surrogatepass")) for case in cases]


def programs(kind):
    """Those of tests/data."""
    return [(program.id, program.code) for program in corpus.programs(kind)]


def own_python():
    """The project's own files: programs of all sorts, most of which use what is refused."""
    paths = (path for folder in ("image", "helpers", "tests", "mcp") for path in (ROOT / folder).rglob("*.py"))
    return [(str(path.relative_to(ROOT)), path.read_bytes()) for path in sorted(paths)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lectern")
    parser.add_argument("--mutants", type=int, default=2500)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--short", action="store_true", help="the ordinary and hostile programs of tests/data, and mutants of them")
    args = parser.parse_args()
    if args.keep:
        args.keep.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run([args.lectern, "validate", "--dump-policy"], stdout=file, check=True)
        tables = policy.load(file.name)
        dump = json.loads(pathlib.Path(file.name).read_text(encoding="utf-8"))
    tally = Tally(args.keep)
    ordinary, hostile, own, groups = programs("ordinary"), programs("hostile"), [], []
    if not args.short:
        ordinary, hostile, own = ordinary + shared_corpus("benign.jsonl"), hostile + shared_corpus("malicious.jsonl"), own_python()
        groups = [("mistakes", programs("mistakes")), ("differentials", shared_corpus("differentials.jsonl")), ("the project's own", own)]
    for label, group in (("ordinary", ordinary), ("hostile", hostile), *groups):
        compare_all(args.lectern, group, PROFILES, tables, tally, label)
    print("seed %d" % args.seed)
    mutants = mutate_policy.mutants([source for _, source in ordinary * 3 + hostile + own], dump, args.mutants, args.seed)
    compare_all(args.lectern, mutants, PROFILES[1:], tables, tally, "mutants")
    print("differ: %s" % (dict(tally.wrong) or "none"))
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
