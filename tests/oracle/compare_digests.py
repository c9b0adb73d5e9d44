#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the digests of programs (validator/digest.c) against CPython's trees: equal exactly where ast.dump is.

    compare_digests.py DRIVER [--seed N] [--variants N]

DRIVER is facts_driver. Compared are a table of pairs, and variants of the programs in tests/data/ordinary, of short files of CPython's
library and, where it is there, of the shared exercises: another layout, and small edits of their tokens. The exceptions are those of
validator.h: plain() makes them equal, and numbers are compared by their texts. Exit status 0 when there is no difference.
"""
import argparse
import ast
import collections
import io
import json
import os
import random
import subprocess
import sys
import tokenize
import warnings

from library import LIBRARY

warnings.simplefilter("ignore")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXERCISES = os.path.join(os.environ.get("LECTERN_SHARED", os.path.join(os.path.dirname(ROOT), "shared")), "exercises/exercism_cases.json")
SHORT = 6000 # bytes of a file of the library that is varied
LEAST = 300 # variants of each sort
SAME = (
    ("x = 1\n", "x=1 # one\n\n"), ("f(a)\n", "f( (a), )\n"), ("x = 'a'\n", 'x = """a"""\n'), ("x = 'a' 'b'\n", "x = 'ab'\n"),
    ("x = 'a'\n", "x = u'a'\n"), ("x = 1_000\n", "x = 1000\n"), ("x = 0XFF\n", "x = 0xff\n"), ("a; b\n", "a\nb\n"),
    ("if a:\n  b\nelif c:\n  d\nelse:\n  e\n", "if a: b\nelse:\n    if c:\n        d\n    else: e\n"),
    ("f(k=1, *a)\n", "f(*a, k=1)\n"), ("class A(k=1, *a): pass\n", "class A(*a, k=1):\n  pass\n"), ("a[1, 2]\n", "a[(1, 2)]\n"),
    ("x = (a < b)\n", "x = a<b\n"), ("with (a as b, c): pass\n", "with a as b, c: pass\n"), ("(x.y): int\n", "x.y: int\n"),
    ("x = '\\x61'\n", "x = r'a'\n"), ("f'{x:}'\n", "f'{x}'\n"), ("def f(): return\n", "def f():\n\n\t return # nothing\n"),
    ("f'{x=}'\n", "f'x={x!r}'\n"), ("x = \"it's\"\n", "x = 'it\\'s'\n"), ("ﬁ = 1\n", "fi = 1\n"), ("print((yield))\n", "print( (yield) )\n"),
)
DIFFERENT = (
    ("a < b < c\n", "a < b > c\n"), ("a is b\n", "a is not b\n"), ("a in b in c\n", "a in b not in c\n"), ("a < (b < c)\n", "a < b < c\n"),
    ("x = 1\n", "x = 1.0\n"), ("x = 16\n", "x = 0x10\n"), ("x = 'a'\n", "x = b'a'\n"), ("x = 'a'\n", "x = f'a'\n"), ("x = 'a'\n", "'a'\n"),
    ("x = 1\ny = 2\n", "y = 2\nx = 1\n"), ("x = (1)\n", "x = (1,)\n"), ("f(a, b)\n", "f((a, b))\n"), ("f(j=1, k=2)\n", "f(k=2, j=1)\n"),
    ("def f():\n  'a'\n  return 1\n", "def f():\n  return 1\n"), ("(x): int\n", "x: int\n"), ("import a\n", "import a as a\n"),
    ("from . import a\n", "from .. import a\n"), ("a and (b and c)\n", "a and b and c\n"), ("x[1:]\n", "x[:1]\n"), ("x[::]\n", "x[:]\n1\n"),
    ("f'{x=}'\n", "f'x={x}'\n"), ("f'{x!r}'\n", "f'{x!s}'\n"), ("f'{x!s}'\n", "f'{x}'\n"), ("f'{x:>{n}}'\n", "f'{x:>n}'\n"),
    ("async def f(): pass\n", "def f(): pass\n"), ("try: a\nexcept b: c\n", "try: a\nexcept* b: c\n"), ("def f(a, /): pass\n", "def f(a): pass\n"),
    ("def f(*, a): pass\n", "def f(a): pass\n"), ("if a: b\nelse: c\n", "if a: b\nc\n"), ("for a in b: c\nelse: d\n", "for a in b: c\nd\n"),
    ("if a:\n  if b: c\n  else: d\n", "if a:\n  if b: c\nelse: d\n"), ("x = ...\n", "x = None\n"), ("a += 1\n", "a -= 1\n"), ("a + b\n", "a - b\n"),
    ("f(*a)\n", "f(**a)\n"), ("lambda: 0\n", "lambda x: 0\n"), ("global_ = 1\n", "globals_ = 1\n"), ("del a, b\n", "del (a, b)\n"),
    ("x = '\\ud800'\n", "x = '\\ud801'\n"), ("", "pass\n"), ("while a: b\n", "if a: b\n"), ("x.a\n", "x.b\n"), ("{1: 2}\n", "{1, 2}\n"),
)
OPERATORS = "+ - * / // % ** < > <= >= == != & | ^ << >>".split()


class Plain(ast.NodeTransformer):
    """The trees of what validator.h says is equal beyond ast.dump."""

    def visit_Constant(self, node):
        node.kind = None
        return node

    def visit_FormattedValue(self, node):
        self.generic_visit(node)
        if isinstance(node.format_spec, ast.JoinedStr) and not node.format_spec.values:
            node.format_spec = None
        return node


def plain(program):
    return ast.dump(Plain().visit(ast.parse(program)))


def tokens(program):
    return list(tokenize.generate_tokens(io.StringIO(program).readline))


def numbers(program):
    return [token.string.replace("_", "").lower() for token in tokens(program) if token.type == tokenize.NUMBER]


def splice(program, edits):
    """The program with (row, first column, last column, text) in it, last edit first."""
    lines = program.splitlines(keepends=True)
    for row, first, last, text in sorted(edits, reverse=True):
        lines[row - 1] = lines[row - 1][:first] + text + lines[row - 1][last:]
    return "".join(lines)


def layout(program, rng):
    """Comments, empty lines, spaces, brackets and commas, some of which change the tree."""
    edits = []
    for token in tokens(program):
        (row, first), (_, last) = token.start, token.end
        if token.start[0] != token.end[0] or rng.random() < 0.7:
            continue
        if token.type == tokenize.NEWLINE:
            edits.append((row, first, first, "  # a comment\n\n   # another"))
        elif token.type in (tokenize.NUMBER, tokenize.STRING) or token.string in ("None", "True", "False"):
            edits.append((row, first, last, "( %s )" % token.string))
        elif token.string in OPERATORS:
            edits.append((row, first, last, "  %s \\\n" % token.string if rng.random() < 0.3 else "  %s " % token.string))
        elif token.string in (")", "]") and rng.random() < 0.3:
            edits.append((row, first, last, ", " + token.string))
    return splice(program, edits)


def edit(program, rng):
    """One token in the place of another."""
    rows = [token for token in tokens(program) if token.type in (tokenize.NAME, tokenize.NUMBER, tokenize.STRING, tokenize.OP) and
            token.start[0] == token.end[0]]
    if not rows:
        return program + "pass\n"
    token = rng.choice(rows)
    likely = [row.string for row in rows if row.type == token.type]
    text = rng.choice(OPERATORS) if token.string in OPERATORS else rng.choice(likely)
    return splice(program, [(token.start[0], token.start[1], token.end[1], text)])


def programs():
    folder = os.path.join(ROOT, "tests/data/ordinary")
    paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    paths += [os.path.join(LIBRARY, name) for name in sorted(os.listdir(LIBRARY)) if name.endswith(".py")]
    for path in paths:
        if os.path.isfile(path) and os.path.getsize(path) < SHORT:
            with open(path, encoding="utf-8", newline="") as file:
                yield file.read()
    if os.path.exists(EXERCISES):
        with open(EXERCISES, encoding="utf-8") as file:
            yield from (exercise["reference"] for exercise in json.load(file)["exercises"])
    else:
        print("SKIPPED: the shared exercises are missing")


def variants(program, rng):
    try:
        return [ast.unparse(ast.parse(program)) + "\n", layout(program, rng), layout(program, rng), *(edit(program, rng) for _ in range(3))]
    except (SyntaxError, ValueError, IndexError, tokenize.TokenError):
        return [] # an ordinary program of another encoding


def ask(driver, texts):
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    stream = b"".join(b"%d\n%s" % (len(text), text) for text in encoded)
    done = subprocess.run([driver, "digest"], input=stream, stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def judge(first, second, digests):
    """"same" or "different" as both readers say, the name of an exception, or a sentence about how they differ."""
    try:
        wanted = plain(first) == plain(second)
    except (SyntaxError, ValueError):
        return "not Python" if digests[1] is None else "WRONG: not Python, but %s" % digests[1]
    given = digests[0] == digests[1]
    if None in digests:
        return "WRONG: no digest"
    if wanted and not given and numbers(first) != numbers(second):
        return "a number in another form"
    return ("same" if given else "different") if wanted == given else "WRONG: the trees are %s" % ("equal" if wanted else "different")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("driver")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--variants", type=int, default=2000)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    table = [(pair, "same") for pair in SAME] + [(pair, "different") for pair in DIFFERENT]
    pairs, sources = [pair for pair, _ in table], list(programs())
    while len(pairs) < len(table) + args.variants:
        program = rng.choice(sources)
        pairs += [(program, variant) for variant in variants(program, rng)]
    digests = ask(args.driver, [text for pair in pairs for text in pair])
    counts, bad = collections.Counter(), 0
    for at, (first, second) in enumerate(pairs):
        found = judge(first, second, digests[2 * at:2 * at + 2])
        wanted = table[at][1] if at < len(table) else None
        if at < len(table) and found == "a number in another form":
            found = "different"
        counts[found.partition(":")[0]] += at >= len(table)
        if found.startswith("WRONG") or (wanted and found != wanted):
            bad += 1
            print("%s\n%.600r\n%.600r" % (found, first, second))
    print("seed %d: %d pairs of the table, %s, %d wrong" % (args.seed, len(table), dict(counts), bad))
    return 1 if bad or min(counts["same"], counts["different"]) < LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
