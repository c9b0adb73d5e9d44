#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds what the validator's parser sees against CPython 3.11's ast.parse and ast.walk.

    compare_facts.py FACTS DRIVER [--mutants N] [--seed N] [--first N] [--jobs N] [--kinds K,K] [--no-files]

FACTS is validator_facts, asked about the files of CPython's library and tests, and about differentials.jsonl of the shared corpus
(LECTERN_SHARED, default ../shared beside the project). DRIVER is facts_driver, asked about mutants of pieces of those programs,
and of programs made from the grammar. Accept or reject and all facts must be equal. A file that one of our own
stricter rules refuses is counted by rule and named.

Mutants come in batches of BATCH; batch B of seed S holds the same programs in each run, whatever --jobs and --mutants.
--first B starts with that batch, --mutants 0 leaves mutants out. Exit status 0 when there is no disagreement.
"""
import argparse
import base64
import collections
import concurrent.futures
import json
import os
import random
import subprocess
import sys
import tempfile
import time

import encoded
import generate
import mutate
import pieces
import python_facts
import short
import special
from library import python_files
from shrink import shrink

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.environ.get("LECTERN_SHARED", os.path.join(os.path.dirname(ROOT), "shared"))
BATCH = 500
FILES_A_CALL = 400
POOL_FILES = 120 # of the library, to take pieces from; which ones depends on the seed
SHOWN = 25 # disagreements that are printed in full
KINDS = ("library", "grammar", "shared", "generated", "short", "lines", "encoded")
MADE = ("generated", "short", "lines", "encoded") # not from a pool of pieces
WEIGHTS = {"library": 3, "grammar": 3, "shared": 1, "generated": 4, "short": 4, "lines": 2, "encoded": 1}


def facts_of_line(line):
    """(facts, why, rule) of a line of validator_facts."""
    row = json.loads(line)
    good = row["grammar"] == "ok"
    if good == (row["facts"] is None) or row["grammar"] not in ("ok", "reject"):
        raise ValueError("a line that contradicts itself: %r" % line)
    return row["facts"], row.get("error"), row.get("rule")


def ask_driver(driver, programs):
    """Its (facts, why, rule) for each of the programs, which are bytes."""
    stream = b"".join(b"%d\n%s" % (len(program), program) for program in programs)
    done = subprocess.run([driver], input=stream, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    lines = done.stdout.split(b"\n")[:-1]
    if done.returncode != 0 or len(lines) != len(programs):
        at = min(len(lines), len(programs) - 1)
        raise RuntimeError("the driver ended with status %d at %.300r\n%s" % (done.returncode, programs[at], done.stderr.decode(
            "utf-8", "replace")))
    return [facts_of_line(line) for line in lines]


def differs(theirs, ours):
    return theirs[0] != ours[0]


def describe(theirs, ours):
    """Both answers, or where both accept only what differs."""
    if theirs[0] is None or ours[0] is None:
        return "cpython: %s\nours:    %s" % (theirs[1] or "accepts", ours[1] or "accepts")
    rows = []
    for key, their in theirs[0].items():
        our = ours[0][key]
        if their != our and their is not None and our is not None:
            their, our = sorted(set(their) - set(our)), sorted(set(our) - set(their))
        if their != our:
            rows.append("%s: cpython %.500r, ours %.500r" % (key, their, our))
    return "\n".join(rows)


# Files.

def ask_files(program, paths):
    answers = []
    for start in range(0, len(paths), FILES_A_CALL):
        part = paths[start:start + FILES_A_CALL]
        done = subprocess.run([program, *part], stdout=subprocess.PIPE, check=False)
        lines = done.stdout.split(b"\n")[:-1]
        if done.returncode != 0 or [json.loads(line)["file"] for line in lines] != part:
            raise RuntimeError("validator_facts: status %d, %d lines for %d files" % (done.returncode, len(lines), len(part)))
        answers.extend(map(facts_of_line, lines))
    return answers


def read_path(path):
    with open(path, "rb") as file:
        return python_facts.read(file.read())


def compare_files(program, paths, label, jobs, known=None):
    """known: what CPython is known to say, by path, beside what it says here."""
    rules, bad, accepted = collections.defaultdict(list), 0, 0
    ours = ask_files(program, paths)
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        theirs = list(pool.map(read_path, paths, chunksize=16))
    for path, their, our in zip(paths, theirs, ours):
        accepted += their[0] is not None
        if known and known[path] != their[0]:
            bad += 1
            print("CPYTHON DIFFERS FROM THE CORPUS %s\n%s" % (path, describe((known[path], "rejects"), their)))
        if not differs(their, our):
            continue
        if our[2] and their[0] is not None:
            rules[our[2]].append("%s: %s" % (path, our[1]))
            continue
        bad += 1
        print("DIFFERS %s\n%s" % (path, describe(their, our)))
    for rule, refused in sorted(rules.items()):
        print("refused by the rule '%s': %d files that CPython takes" % (rule, len(refused)))
        print("".join("  %s\n" % line for line in refused), end="")
    print("%s: %d files, %d accepted by CPython, %d refused by stricter rules, %d disagree" % (
        label, len(paths), accepted, sum(map(len, rules.values())), bad))
    return bad


def compare_differentials(program, shared, jobs):
    path = os.path.join(shared or "", "corpus", "differentials.jsonl")
    if not shared or not os.path.exists(path):
        print("SKIPPED: differentials.jsonl of the shared corpus: set LECTERN_SHARED to the shared folder")
        return 0
    with open(path, encoding="utf-8") as file, tempfile.TemporaryDirectory() as folder:
        known = {}
        for row in map(json.loads, file):
            name = os.path.join(folder, row["id"] + ".py")
            with open(name, "wb") as written:
                written.write(base64.b64decode(row["code_b64"]))
            known[name] = row["facts"]
        return compare_files(program, sorted(known), "differentials", jobs, known)


def compare_programs(driver, programs, label):
    """Where CPython's parser runs out of its own stack (MemoryError) it gives no answer: such are counted apart."""
    counts, bad = collections.Counter(), 0
    for program, our in zip(programs, ask_driver(driver, programs)):
        their = python_facts.read(program)
        counts["accepted"] += their[0] is not None
        if not differs(their, our):
            continue
        if their[1] and their[1].startswith("MemoryError"):
            counts["unanswered"] += 1
            continue
        bad += 1
        print("DIFFERS %.200r\n%s" % (program, describe(their, our)))
    print("%s: %d programs, %d accepted by CPython, %d that it has no stack for and we take, %d disagree" % (
        label, len(programs), counts["accepted"], counts["unanswered"], bad))
    return bad


# Mutants.

class Mutants:
    """What a worker needs to make and compare a batch."""

    def __init__(self, args):
        self.args = args
        rng = random.Random("pool %d" % args.seed)
        self.pool = pieces.collect(SHARED, rng, POOL_FILES)
        self.kinds = [kind for kind in args.kinds.split(",") if kind in MADE or kind in self.pool]

    def text(self, rng, kind):
        if kind == "short":
            return short.program(rng)
        if kind == "lines":
            return short.lines(rng)
        if kind == "generated":
            text = generate.program(rng)
            if rng.random() < 0.4:
                return text
            if rng.random() < 0.4: # an expression, a pattern, ... alone, in a surrounding that may be its own
                return rng.choice(mutate.WHOLE)(generate.part(rng))
            other = generate.program(rng) if rng.random() < 0.5 else rng.choice(self.pool["grammar"])
        else:
            text, other = rng.choice(self.pool[kind]), rng.choice(self.pool[rng.choice(sorted(self.pool))])
        return mutate.mutate(rng, text, other)

    def program(self, rng):
        """(kind, bytes)"""
        kind = rng.choices(self.kinds, [WEIGHTS[kind] for kind in self.kinds])[0]
        if kind == "encoded":
            return kind, encoded.program(rng)
        text = self.text(rng, kind)
        try:
            data = text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError: # a surrogate of its own, of an escape in CPython's tests
            data = text.encode("utf-8", "surrogatepass")
        return kind, encoded.noisy(rng, data) if rng.random() < 0.02 else data

    def batch(self, number):
        rng = random.Random("%d/%d" % (self.args.seed, number))
        made = [self.program(rng) for _ in range(BATCH)]
        return [kind for kind, _ in made], [program for _, program in made]


worker = None


def start_worker(args):
    global worker # one for each process
    worker = Mutants(args)


def run_batch(number):
    """(counts, disagreements as (kind, program))"""
    kinds, programs = worker.batch(number)
    counts, found = collections.Counter(), []
    for kind, program, our in zip(kinds, programs, ask_driver(worker.args.driver, programs)):
        their = python_facts.read(program)
        counts[kind] += 1
        counts["accepted"] += their[0] is not None
        if differs(their, our):
            if our[2] and their[0] is not None:
                counts["rule " + our[2]] += 1
            else:
                found.append((kind, program))
    return number, counts, found


def show(args, number, kind, program):
    """Prints the disagreement, made small."""
    def answers(text):
        data = text.encode("utf-8", "surrogateescape")
        return python_facts.read(data), ask_driver(args.driver, [data])[0]

    text = program.decode("utf-8", "surrogateescape")
    their, our = answers(text)
    which = (their[0] is None, our[0] is None)

    def disagree(candidate):
        their, our = answers(candidate)
        return differs(their, our) and (their[0] is None, our[0] is None) == which and not our[2]

    small = shrink(text, disagree, 600)
    print("DIFFERS seed %d batch %d (%s): %r\n%s" % (args.seed, number, kind, small, describe(*answers(small))), flush=True)


def compare_mutants(args):
    batches = range(args.first, args.first + (args.mutants + BATCH - 1) // BATCH)
    counts, bad, begun = collections.Counter(), 0, time.monotonic()
    print("mutants: seed %d, batches %d to %d of %d programs" % (args.seed, batches[0], batches[-1], BATCH), flush=True)
    with concurrent.futures.ProcessPoolExecutor(args.jobs, initializer=start_worker, initargs=(args,)) as pool:
        for number, of_batch, found in pool.map(run_batch, batches):
            counts += of_batch
            for kind, program in found:
                bad += 1
                if bad <= SHOWN:
                    show(args, number, kind, program)
    print("mutants: %d, %d accepted by CPython, %s; %d disagree; %.0f s" % (
        len(batches) * BATCH, counts.pop("accepted", 0), ", ".join("%d %s" % (n, kind) for kind, n in sorted(counts.items())), bad,
        time.monotonic() - begun), flush=True)
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("facts")
    parser.add_argument("driver")
    parser.add_argument("--mutants", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--no-files", action="store_true")
    args = parser.parse_args()
    bad = 0
    if not args.no_files:
        bad += compare_files(args.facts, python_files(), "library", args.jobs)
        bad += compare_differentials(args.facts, SHARED, args.jobs)
        bad += compare_programs(args.driver, list(special.names()), "names of characters")
        bad += compare_programs(args.driver, list(special.deep()), "limits")
    if args.mutants > 0:
        bad += compare_mutants(args)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
