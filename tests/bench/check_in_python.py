# SPDX-License-Identifier: GPL-3.0-or-later
"""What CPython takes for the check that bench_validator measures: the seconds of the quickest round, of the process's own time, for
FILE's ast.parse with a bare walk, and for ast.parse with the policy walked over the tree, as image/python/policy.py does in the
sandbox."""
import ast
import os
import sys
import time

BUILD = os.environ["LECTERN_BUILD"]
sys.path.insert(0, os.path.join(BUILD, "share"))
import policy  # noqa: E402

ROUNDS = 5
ROUND_BYTES = 100_000


def quickest(check, source):
    times = max(2, ROUND_BYTES // len(source))
    rounds = []
    for _ in range(ROUNDS):
        start = time.process_time()
        for _ in range(times):
            check(source)
        rounds.append((time.process_time() - start) / times)
    return min(rounds)


def bare(source):
    for _ in ast.walk(ast.parse(source)):
        pass


def main():
    allowed = policy.load(os.path.join(BUILD, "share", "policy.json"))["data-science"]

    def checked(source):
        if policy.check(ast.parse(source), allowed):
            sys.exit("the program was refused")

    with open(sys.argv[1], "rb") as file:
        source = file.read()
    print(quickest(bare, source), quickest(checked, source))


if __name__ == "__main__":
    main()
