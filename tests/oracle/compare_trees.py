#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the validator's syntax tree, node by node, against the one of CPython 3.11.

    compare_trees.py DRIVER [--every N] [--mutants N] [--seed N] [--first N] [--jobs N] [--kinds K,K]

DRIVER is facts_driver. Compared are each N-th file of CPython's library and tests, and mutants, the same as those of
compare_facts.py for a seed; of both only those that both readers accept, for the rest is that program's business. What nests
deeper than Python's own recursion allows is left out and counted. Exit status 0 when there is no difference.
"""
import argparse
import ast
import collections
import concurrent.futures
import json
import os
import random
import subprocess
import sys
import warnings

import compare_facts
import pieces
import python_tree
from library import python_files

warnings.simplefilter("ignore")
HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../validator/syntax/ast.h")
SHOWN = 25


def ask(driver, programs):
    """A line of JSON for each."""
    stream = b"".join(b"%d\n%s" % (len(program), program) for program in programs)
    lines = subprocess.run([driver, "tree"], input=stream, stdout=subprocess.PIPE, check=True).stdout.split(b"\n")[:-1]
    if len(lines) != len(programs):
        raise RuntimeError("%d answers for %d programs" % (len(lines), len(programs)))
    return lines


def first_difference(theirs, ours, path=""):
    """Where two trees that are not equal differ, in words."""
    if theirs[:4] != ours[:4]:
        return "%s: cpython %r, ours %r" % (path, theirs[:4], ours[:4])
    if len(theirs) != len(ours):
        return "%s/%s: cpython %s, ours %s" % (path, theirs[0], [row[0] for row in theirs[4:]], [row[0] for row in ours[4:]])
    for their, our in zip(theirs[4:], ours[4:]):
        if their != our:
            return first_difference(their, our, path + "/" + theirs[0])
    return ""


def compare(names, program, line):
    """None where there is nothing to compare, else how they differ, "" for not at all."""
    if line == b"null" or b"coding" in program[:400]:
        return None # the driver reads trees of UTF-8 only
    try:
        theirs, ours = python_tree.tree(ast.parse(program)), python_tree.same_form(json.loads(line), names)
        return "" if theirs == ours else first_difference(theirs, ours)
    except (SyntaxError, ValueError):
        return None
    except (RecursionError, MemoryError):
        return None


def compare_all(driver, programs):
    """(counts, [(program, difference)])"""
    names, counts, found = python_tree.kinds(HEADER), collections.Counter(), []
    for program, line in zip(programs, ask(driver, programs)):
        difference = compare(names, program, line)
        counts["left out" if difference is None else "compared"] += 1
        if difference:
            found.append((program, difference))
    return counts, found


worker = None


def start_worker(args):
    global worker # one for each process
    worker = compare_facts.Mutants(args)


def run_batch(number):
    return number, *compare_all(worker.args.driver, worker.batch(number)[1])


def run_file(job):
    driver, path = job
    with open(path, "rb") as file:
        return path, *compare_all(driver, [file.read()])


def report(label, results):
    counts, bad = collections.Counter(), 0
    for where, of_one, found in results:
        counts += of_one
        for program, difference in found:
            bad += 1
            if bad <= SHOWN:
                print("DIFFERS %s %.300r\n  %s" % (where, program, difference), flush=True)
    print("%s: %d trees compared, %d left out, %d differ" % (label, counts["compared"], counts["left out"], bad), flush=True)
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("driver")
    parser.add_argument("--every", type=int, default=8)
    parser.add_argument("--mutants", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kinds", default=",".join(kind for kind in compare_facts.KINDS if kind != "encoded"))
    args = parser.parse_args()
    batches = range(args.first, args.first + args.mutants // compare_facts.BATCH)
    print("seed %d, batches %d to %d" % (args.seed, args.first, args.first + len(batches) - 1), flush=True)
    with concurrent.futures.ProcessPoolExecutor(args.jobs, initializer=start_worker, initargs=(args,)) as pool:
        files = [(args.driver, path) for path in python_files()[::args.every]]
        bad = report("library", pool.map(run_file, files, chunksize=4))
        bad += report("mutants", pool.map(run_batch, batches))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
