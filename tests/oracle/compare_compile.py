#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the validator's checks behind the parser against CPython 3.11's compiler.

    compare_compile.py DUMP [--lib DIR] [--mutants N] [--seed N]

DUMP is the program validator_dump. Of every program that ast.parse takes, compile() takes it if and only if the validator
refuses nothing. The programs: the library with its tests; functions and classes of it, changed by what moves scopes about;
programs of three names in which everything collides, match statements and nests of blocks, put together at random; and
chains as deep as ast.parse takes them.
Exit status 0 when all agree.
"""
import argparse
import ast
import os
import random
import re
import sys
import tempfile
import textwrap
import warnings

from compare_tokens import decoded, run
from library import python_files

warnings.simplefilter("ignore")
REFUSALS = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)
LINES = ["return", "return {n}", "yield", "yield {n}", "{n} = yield", "yield from {n}", "await {n}", "break", "continue",
         "global {n}", "nonlocal {n}", "global {n}, {m}", "from {n} import *", "import {n}", "{n} = {m}", "{n}: {m}",
         "{n}: {m} = 1", "({n}): {m}", "del {n}", "{n} += 1", "*{n}, *{m} = 1, 2", "*{n} = {m}", "{n} = *{m}", "*{n}, {m} = 1, 2",
         "return *{n}, {m}", "[{n} := 1 for {m} in x]", "[{n} for {n} in {m}]", "[1 for {n} in ({m} := 1)]",
         "[[{n} := 1 for x in {m}] for y in z]", "({n} := {m})", "[{n} async for {n} in {m}]", "({n} async for {n} in {m})",
         "[await {n} for {m} in x]", "(await {n} for {m} in x)", "lambda {n}: (yield {m})", "lambda {n}, {m}: await {n}",
         "{n}({m}=1, {n}=2)", "{n}({m}=1, {m}=2)", "__debug__ = {n}", "{n}.__debug__ = 1", "{n}.__debug__ += 1",
         "del {n}.__debug__", "{n}(__debug__=1)", "import __debug__", "from __future__ import annotations",
         "from __future__ import {n}", "async with {n}: pass", "async for {n} in {m}: pass", "for {n} in {m}: global {n}",
         "{n}: (yield)", "{n}: (await {m})", "{n}: ({m} := 1)", "{n}.x: {m}({n}=1, {n}=1)", "super().{n}", "nonlocal __class__",
         "def {n}({m}, {n}): nonlocal {m}", "class {n}: nonlocal {m}", "class {n}({m}=1, {m}=1): {n} = {m}"]
BLOCKS = ["def {n}({m}):", "async def {n}({m}, x=1):", "class {n}:", "while {n}:", "for {n} in {m}:", "async for {n} in {m}:",
          "with {n} as {m}:", "async with {n}, {m}:", "if {n}:", "try:"]
EXPRESSIONS = ["(yield)", "(yield {n})", "(await {n})", "({n} := 1)", "[{n} for {m} in x]", "[{n} := 1 for {m} in x]",
               "[x async for x in {n}]", "(lambda: (yield {n}))", "(lambda {n}, {m}: 1)", "f({n}=1, {m}=2)", "[*{n}, *{m}]", "*{n}",
               "{{**{n}}}", "f'{{{n}}}'", "f'{{(yield)}}'", "[x for x in (yield)]", "__debug__"]
HANDLERS = ["except {n}:", "except {n} as {m}:", "except* {n}:", "except* {n} as {m}:", "finally:", "except:"]
NAME = re.compile(r"\b[A-Za-z_]\w*\b")


def names_of(lines):
    return sorted(set(NAME.findall("\n".join(lines)))) or ["x"]


def filled(pattern, lines, rng):
    names = names_of(lines) + ["x", "y", "__class__"]
    return pattern.format(n=rng.choice(names), m=rng.choice(names))


def indent_of(line):
    return len(line) - len(line.lstrip())


def insert_line(lines, rng):
    at = rng.randrange(len(lines) + 1)
    indent = indent_of(rng.choice([lines[at - 1], lines[min(at, len(lines) - 1)]]))
    return lines[:at] + [" " * indent + filled(rng.choice(LINES), lines, rng)] + lines[at:]


def move_line(lines, rng):
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    moved = " " * indent_of(lines[b]) + lines[a].lstrip()
    rest = lines[:a] + lines[a + 1:]
    return rest[:b] + [moved] + rest[b:]


def replace_line(lines, rng):
    at = rng.randrange(len(lines))
    return lines[:at] + [" " * indent_of(lines[at]) + filled(rng.choice(LINES), lines, rng)] + lines[at + 1:]


def unwrap(lines, rng):
    """A block's header goes, and its body moves out."""
    heads = [i for i, line in enumerate(lines[:-1]) if line.rstrip().endswith(":") and indent_of(lines[i + 1]) > indent_of(line)]
    if not heads:
        return lines
    at = rng.choice(heads)
    outer, inner, end = indent_of(lines[at]), indent_of(lines[at + 1]), at + 1
    while end < len(lines) and (not lines[end].strip() or indent_of(lines[end]) >= inner):
        end += 1
    return lines[:at] + [line[inner - outer:] if line.strip() else line for line in lines[at + 1:end]] + lines[end:]


def wrap(lines, rng):
    """Some lines become a block of their own."""
    at = rng.randrange(len(lines))
    indent, end = indent_of(lines[at]), at + 1
    while end < len(lines) and (not lines[end].strip() or indent_of(lines[end]) > indent or
                                (indent_of(lines[end]) == indent and rng.random() < 0.6)):
        end += 1
    head = filled(rng.choice(BLOCKS), lines, rng)
    out = [" " * indent + head] + ["    " + line for line in lines[at:end]]
    if head == "try:":
        for handler in rng.sample(HANDLERS, rng.randint(1, 2)):
            out += [" " * indent + filled(handler, lines, rng), " " * indent + "    " + filled(rng.choice(LINES), lines, rng)]
    return lines[:at] + out + lines[end:]


def rename(lines, rng):
    text = "\n".join(lines)
    found = list(NAME.finditer(text))
    if not found:
        return lines
    one, other = rng.choice(found), rng.choice(found).group()
    if rng.random() < 0.3:
        return re.sub(r"\b%s\b" % one.group(), other, text).split("\n")
    return (text[:one.start()] + other + text[one.end():]).split("\n")


def replace_expression(lines, rng):
    text = "\n".join(lines)
    found = list(NAME.finditer(text))
    if not found:
        return lines
    one = rng.choice(found)
    return (text[:one.start()] + filled(rng.choice(EXPRESSIONS), lines, rng) + text[one.end():]).split("\n")


def make_async(lines, rng):
    text = "\n".join(lines)
    found = list(re.finditer(r"\b(async )?(def|for|with)\b", text))
    if not found:
        return lines
    one = rng.choice(found)
    word = one.group(2) if one.group(1) else "async " + one.group(2)
    return (text[:one.start()] + word + text[one.end():]).split("\n")


def double_parameter(lines, rng):
    text = "\n".join(lines)
    found = list(re.finditer(r"(\bdef \w+\(|\blambda |\w\()", text))
    if not found:
        return lines
    one = rng.choice(found)
    return (text[:one.end()] + filled(rng.choice(["{n}, ", "{n}, {n}, ", "{n}=1, ", "*{n}, "]), lines, rng) + text[one.end():]).split("\n")


def add_future(lines, rng):
    return ["from __future__ import annotations"] + lines


MUTATIONS = [insert_line, insert_line, insert_line, move_line, replace_line, unwrap, wrap, wrap, rename, replace_expression,
             replace_expression, make_async, double_parameter, add_future]


def pieces_of(path):
    """Functions and classes of a file, not too long."""
    text = decoded(path)
    try:
        tree = ast.parse(text)
    except REFUSALS + (TypeError,):
        return []
    lines = text.split("\n")
    return [textwrap.dedent("\n".join(lines[n.lineno - 1:n.end_lineno])).split("\n") for n in ast.walk(tree)
            if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and 2 < n.end_lineno - n.lineno < 40]


def mutant(pieces, rng):
    lines = rng.choice(pieces)
    for _ in range(rng.randint(1, 4)):
        lines = rng.choice(MUTATIONS)(lines, rng)
    return "\n".join(lines) + "\n"


def pattern(rng, depth):
    """A pattern as Python writes it."""
    kinds = ["name"] * 4 + ["_"] * 2 + ["value"] * 3
    kind = rng.choice(kinds + (["or", "list", "tuple", "dict", "class", "as", "or", "group"] if depth else []))
    if kind == "name":
        return rng.choice("abcdef")
    if kind == "_":
        return "_"
    if kind == "value":
        return rng.choice(["1", "-1", "1.0", "'s'", "b's'", "None", "True", "x.y", "0x1", "1+2j", "f's'"])
    if kind == "or":
        return "(%s)" % " | ".join(pattern(rng, depth - 1) for _ in range(rng.randint(2, 3)))
    if kind == "as":
        return "(%s as %s)" % (pattern(rng, depth - 1), rng.choice("abcdef"))
    if kind == "group":
        return "(%s)" % pattern(rng, depth - 1)
    if kind == "dict":
        parts = ["%s: %s" % (rng.choice(["1", "1.0", "True", "-1", "'s'", "'t'", "b's'", "None", "x.y", "0", "False", "2j", "1+2j", "f'k'"]),
                             pattern(rng, depth - 1)) for _ in range(rng.randint(0, 3))]
        return "{%s}" % ", ".join(parts + rng.choice([[], ["**" + rng.choice("abc")]]))
    if kind == "class":
        parts = [pattern(rng, depth - 1) for _ in range(rng.randint(0, 2))]
        parts += ["%s=%s" % (rng.choice("pqr"), pattern(rng, depth - 1)) for _ in range(rng.randint(0, 2))]
        return "A(%s)" % ", ".join(parts)
    parts = [rng.choice(["", "", "", "*"]) for _ in range(rng.randint(0, 3))]
    parts = [star + rng.choice("abc_") if star else pattern(rng, depth - 1) for star in parts]
    return ("[%s]" if kind == "list" else "(%s)") % "".join(p + ", " for p in parts)


def match_statement(rng):
    lines = ["match x:"]
    for _ in range(rng.randint(1, 3)):
        lines.append("    case %s%s: pass" % (pattern(rng, rng.randint(0, 3)), rng.choice(["", "", " if x"])))
    return "\n".join(lines) + "\n"


NESTING = ["(yield)", "(yield {e})", "(yield from {e})", "(await {e})", "({n} := {e})", "[{e} for {n} in {e}]", "{{{e} for {n}, {m} in {e} if {e}}}",
           "({e} for {n} in {e} for {m} in {e} if {e})", "[{e} async for {n} in {e}]", "({e} async for {n} in {e})",
           "{{{e}: {e} for {n} in {e}}}", "(lambda {n}: {e})", "(lambda {n}={e}, *{m}: {e})", "{n}({e}, {n}={e}, {m}={e})", "{n}.{m}({e})",
           "[*{e}, {e}]", "{n}[{e}]", "f'{{{e}}}'", "({e} if {e} else {e})", "[{e} for {n}[{e}] in {e}]", "super().{n}"]
SIMPLE = ["{n} = {e}", "{n} = {e}", "{e}", "{e}", "{n}: {e}", "{n}: {e} = {e}", "({n}): {e}", "{n}.{m}: {e}", "{n}[{e}]: {e} = {e}", "{n} += {e}",
          "del {n}", "import {n}", "from {n} import {m}", "global {n}", "nonlocal {n}", "nonlocal {n}, {m}", "global {n}, {m}", "return",
          "return {e}", "break", "continue", "pass", "nonlocal __class__", "global __debug__", "from x import *", "assert {e}", "{n}, *{m} = {e}"]
HEADS = ["def {n}({m}):", "def {n}({m}, {n}={e}):", "def {n}({m}: {e}, *{n}: {e}) -> {e}:", "async def {n}({m}):", "async def {n}():",
         "class {n}:", "class {n}({e}):", "for {n} in {e}:", "async for {n} in {e}:", "while {e}:", "with {e} as {n}:",
         "async with {e} as {n}, {e}:", "if {e}:", "@{e}\n{p}def {n}():", "try: pass\n{p}except {e} as {n}:", "try: pass\n{p}except* {e}:",
         "try: pass\n{p}finally:", "try: pass\n{p}except {e}: pass\n{p}else:", "for {n} in {e}: pass\n{p}else:"]


def expression(rng, depth):
    if depth == 0 or rng.random() < 0.45:
        return rng.choice(["x", "y", "z"] * 4 + ["1", "1", "__debug__"])
    text = rng.choice(NESTING)
    names = {"n": rng.choice("xyz"), "m": rng.choice("xyz")}
    while "{e}" in text: # each one its own
        key = "e%d" % len(names)
        text = text.replace("{e}", "{%s}" % key, 1)
        names[key] = expression(rng, depth - 1)
    return text.format(**names)


def filled_in(text, rng, pad):
    names = {"n": rng.choice("xyz"), "m": rng.choice("xyz"), "p": pad}
    while "{e}" in text:
        key = "e%d" % len(names)
        text = text.replace("{e}", "{%s}" % key, 1)
        names[key] = expression(rng, rng.choice([0, 0, 1, 2]))
    return pad + text.format(**names) + "\n"


def block(rng, depth, most, pad):
    out = ""
    for _ in range(rng.randint(1, most)):
        if depth and rng.random() < 0.6:
            out += filled_in(rng.choice(HEADS), rng, pad) + block(rng, depth - 1, most, pad + "  ")
        else:
            out += filled_in(rng.choice(SIMPLE), rng, pad)
    return out


def scopes(rng):
    """A program of three names, in which everything can collide; small ones too, lest one fault hide another."""
    future = rng.choice(["", "", "", "from __future__ import annotations\n"])
    return future + block(rng, rng.randint(1, 4), rng.randint(1, 3), "")


def nest(rng):
    """Blocks in blocks, about as many as CPython allows."""
    lines, indent = [], 0
    closers = []
    for _ in range(rng.randint(8, 26)):
        kind = rng.choice(["for", "while", "with", "with2", "if", "try", "except", "exceptas", "finally", "group", "both", "else", "elsetry"])
        pad = " " * indent
        if kind in ("for", "while", "with", "with2", "if"):
            lines.append(pad + {"for": "for a in b:", "while": "while a:", "with": "with a:", "with2": "with a, b as c:", "if": "if a:"}[kind])
        elif kind == "else":
            lines += [pad + "for a in b: pass", pad + "else:"]
        elif kind == "try":
            lines.append(pad + "try:")
            closers.append((len(lines), indent, rng.choice(["except A: pass", "finally: pass", "except* A: pass"])))
        elif kind == "both":
            lines.append(pad + "try:")
            closers.append((len(lines), indent, "except A: pass\n%sfinally: pass" % pad))
        elif kind == "elsetry":
            lines += [pad + "try: pass", pad + "except A: pass", pad + "else:"]
        else:
            lines += [pad + "try: pass", pad + {"except": "except A:", "exceptas": "except A as b:", "finally": "finally:",
                                                "group": "except* A:"}[kind]]
        indent += 1
    lines.append(" " * indent + rng.choice(["pass", "pass", "break", "continue", "[a for a in b]"]))
    for _, at, text in reversed(closers):
        lines.append(" " * at + text)
    return "\n".join(lines) + "\n"


def chains(rng):
    """As deep as ast.parse takes it, for what could be deeper for the compiler."""
    for make in (lambda n: "x = " + "-" * n + "y", lambda n: "x = " + "not " * n + "y", lambda n: "x = " + "y ** " * n + "y",
                 lambda n: "x = " + "y + " * n + "y", lambda n: "x = y" + ".a" * n, lambda n: "x = y" + "()" * n,
                 lambda n: "x = y" + "[0]" * n, lambda n: "x = y" + ".a()" * (n // 2), lambda n: "x = " + "lambda: " * n + "y",
                 lambda n: "x = " + "lambda a=" * (n // 2) + "1" + ": a" * (n // 2),
                 lambda n: "x = " + "a if b else " * n + "c", lambda n: "if a: pass\n" + "elif b: pass\n" * n,
                 lambda n: "match x:\n case " + "a." * n + "c: pass", lambda n: "x = [y" + " for a in b" * n + "]",
                 lambda n: "x = [y" + " async for a in b" * (n % 40) + "]", lambda n: "x = (y" + " async for a in b" * (n % 40) + ")",
                 lambda n: "with " + "a, " * (n % 40) + "b: pass", lambda n: "x = " + "a < " * n + "b",
                 lambda n: "a, " * (n % 600) + "*b = c", lambda n: "match x:\n case [" + "_, " * (n % 600) + "*b]: pass",
                 lambda n: "match x:\n case [" + "_, " * (n % 600) + "*_]: pass"):
        for n in [2950, 2960, 2970, 255, 256, 257, 18, 19, 20, 21, 22] + [rng.randrange(1, 2979) for _ in range(4)]:
            yield make(n) + "\n"


def takes(read):
    try:
        read()
        return None
    except REFUSALS as e:
        return "%s: %s" % (type(e).__name__, e)


def compare(dump, paths, label, show):
    answers, bad, both, refused, left_out = run(dump, "compile", paths), 0, 0, 0, 0
    for path in paths:
        source = decoded(path)
        if source is None or takes(lambda: ast.parse(source)):
            left_out += 1
            continue
        theirs = takes(lambda: compile(source, path, "exec", dont_inherit=True))
        ours = answers[path]
        both += theirs is None and not ours
        refused += theirs is not None and bool(ours)
        if (theirs is None) != (not ours):
            bad += 1
            print("DIFFERS %s: cpython %s; ours %s" % (path, theirs or "takes it", ours[:1] or "takes it"))
            if show and bad <= 5:
                print(textwrap.indent(source[:1500], "  | "))
    print("%s: %d programs, %d taken by both, %d refused by both, %d that ast.parse refuses left out, %d disagree" % (
        label, len(paths), both, refused, left_out, bad), flush=True)
    return bad


def write(folder, kind, sources):
    paths = []
    for i, source in enumerate(sources):
        paths.append(os.path.join(folder, "%s%d.py" % (kind, i)))
        with open(paths[-1], "w", encoding="utf-8", newline="") as f:
            f.write(source)
    return paths


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dump")
    parser.add_argument("--package", help="of the library, instead of the whole library and its tests")
    parser.add_argument("--mutants", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    args = parser.parse_args()
    rng = random.Random(args.seed)
    print("seed %d" % args.seed)
    paths = python_files(args.package)
    pieces = [p for path in rng.sample(paths, min(len(paths), 200)) for p in pieces_of(path)]
    with tempfile.TemporaryDirectory() as folder:
        bad = compare(args.dump, paths, "library", False)
        bad += compare(args.dump, write(folder, "mutant", (mutant(pieces, rng) for _ in range(args.mutants))), "mutants", True)
        bad += compare(args.dump, write(folder, "scopes", (scopes(rng) for _ in range(args.mutants))), "scopes", True)
        bad += compare(args.dump, write(folder, "match", (match_statement(rng) for _ in range(args.mutants // 4))), "matches", True)
        bad += compare(args.dump, write(folder, "nest", (nest(rng) for _ in range(args.mutants // 4))), "nests", True)
        bad += compare(args.dump, write(folder, "chain", chains(rng)), "chains", False)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
