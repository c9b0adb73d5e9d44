#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the validator's tokenizer against CPython 3.11's.

    compare_tokens.py DUMP [--lib DIR] [--mutants N] [--seed N]

DUMP is the program validator_dump. Three comparisons, each file by file:
1. kinds and texts of tokens, accept and reject, with CPython's tokenizer in C (_tokenize) over the library's files and
   over mutants of them (characters deleted, doubled, swapped; the seed is printed);
2. comments and line ends with the module tokenize;
3. no file that CPython parses may be refused as no Python by the checks over the tokens, and no f-string put together at
   random that CPython parses either; one whose parts CPython refuses must be refused.
Exit status 0 when all agree.
"""
import argparse
import ast
import io
import os
import random
import subprocess
import sys
import tempfile
import token
import tokenize
import warnings

import _tokenize

from library import python_files

warnings.simplefilter("ignore")
NAMES = {0: "ENDMARKER", 1: "NAME", 2: "NUMBER", 3: "STRING", 4: "NEWLINE", 5: "INDENT", 6: "DEDENT",
         token.ASYNC: "NAME", token.AWAIT: "NAME", tokenize.COMMENT: "COMMENT", tokenize.NL: "NL"}
# What the validator's tokenizer refuses earlier than CPython, whose parser refuses it. Such a reject is no disagreement.
EARLY = ("Python has no", "A bytes literal holds", "'<>' is Python 2", "is not an operator of Python")


SENTINEL = [("NAME", "ends_here"), ("OP", "="), ("NUMBER", "1"), ("NEWLINE", "")]


def cpython_tokens(source):
    """[(kind, text)], and whether it came to the end. The iterator stops at some errors without a word, so a last statement
    is added that must be there as a whole."""
    out = []
    try:
        for text, kind, *_ in _tokenize.TokenizerIter(source + "\nends_here = 1\n"):
            name = NAMES.get(kind, "OP")
            if name == "OP" and text in ("$", "?", "!", "`", "<>"):
                return out, False
            out.append((name, text if name in ("NAME", "NUMBER", "STRING", "OP") else ""))
    except (SyntaxError, IndentationError):
        return out, False
    return (out[:-4], True) if out[-4:] == SENTINEL else (out, False)


def run(dump, mode, paths):
    """{path: lines} of the program's answer."""
    done = subprocess.run([dump, mode], input="".join(p + "\n" for p in paths).encode(), stdout=subprocess.PIPE, check=True)
    answers, lines = {}, None
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        if line.startswith("FILE "):
            lines = answers.setdefault(line[5:], [])
        else:
            lines.append(line)
    return answers


def our_tokens(data, lines, keep):
    out, error = [], None
    for line in lines:
        kind, start, rest = line.split(" ", 2)
        if kind == "ERROR":
            error = rest
        elif kind != "ENDMARKER":
            text = data[int(start):int(start) + int(rest)].decode("utf-8", "replace")
            out.append((kind, text.replace("\r\n", "\n").replace("\r", "\n") if kind in keep else ""))
    return out, error


def decoded(path):
    """The file's text as CPython would see it, None where it is not UTF-8 or says another encoding."""
    with open(path, "rb") as f:
        data = f.read()
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        if encoding.lower() not in ("utf-8", "utf-8-sig"):
            return None
        text = data.decode("utf-8")
    except (SyntaxError, UnicodeDecodeError):
        return None
    return None if "\0" in text else text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def compare_sources(dump, paths, label):
    answers, bad, accepted, tokens, left_out = run(dump, "tokens", paths), 0, 0, 0, 0
    for path in paths:
        source = decoded(path)
        if source is None or source.rstrip("\n").endswith("\\"): # a sentinel would go on that line
            left_out += 1
            continue
        with open(path, "rb") as f:
            data = f.read()
        ours, error = our_tokens(data, answers[path], ("NAME", "NUMBER", "STRING", "OP"))
        theirs, good = cpython_tokens(source)
        if error is not None and any(e in error for e in EARLY):
            good, theirs = False, theirs[:len(ours)]
        accepted += good
        tokens += len(theirs)
        if good != (error is None) or (good and ours != theirs):
            bad += 1
            at = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
            print("DIFFERS %s: cpython %s, ours %s; at token %d: %r / %r" % (
                path, "accepts" if good else "rejects", error or "accepts", at, theirs[at:at + 2], ours[at:at + 2]))
    print("%s: %d texts, %d accepted by both, %d tokens, %d left out, %d disagree" % (
        label, len(paths) - left_out, accepted, tokens, left_out, bad))
    return bad


def compare_trivia(dump, paths):
    answers, bad, count = run(dump, "trivia", paths), 0, 0
    for path in paths:
        source = decoded(path)
        if source is None or not source.endswith("\n"):
            continue
        with open(path, "rb") as f:
            data = f.read()
        ours, error = our_tokens(data, answers[path], ("COMMENT",))
        try:
            theirs = [(NAMES.get(t.type, "OP"), t.string if t.type == tokenize.COMMENT else "")
                      for t in tokenize.generate_tokens(io.StringIO(source).readline)
                      if t.type not in (tokenize.ENCODING, tokenize.ENDMARKER)]
        except (tokenize.TokenError, SyntaxError):
            continue
        if error:
            continue
        count += 1
        if [t for t in ours if t[0] in ("COMMENT", "NL", "NEWLINE")] != [t for t in theirs if t[0] in ("COMMENT", "NL", "NEWLINE")]:
            bad += 1
            print("TRIVIA DIFFERS %s" % path)
    print("comments and line ends: %d files, %d disagree" % (count, bad))
    return bad


def parses(source):
    try:
        ast.parse(source)
        return True
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def compiles(source):
    try:
        compile(source, "x", "exec")
        return True
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def compare_syntax(dump, paths):
    answers, bad, count = run(dump, "syntax", paths), 0, 0
    for path in paths:
        source = decoded(path)
        if source is None or not compiles(source):
            continue
        count += 1
        if answers[path]:
            bad += 1
            print("REFUSED %s: %s" % (path, answers[path][0]))
    print("syntax checks: %d files that CPython compiles, %d refused" % (count, bad))
    return bad


FSTRING_PARTS = ["{", "}", "{{", "}}", "x", "'", '"', ":", "!r", "!s", "!", "=", "==", "!=", "<", ">=", "(", ")", "[", "]", "\\",
                 "\\N{BULLET}", "#", " ", "{x}", "{x!r:>{w}}", "{d['k']}", "{x:{y}}", "lambda", "\n", "é", "{x=}", "\\n"]


def compare_fstrings(dump, folder, count, rng):
    """CPython accepts -> not refused. CPython refuses with a message of its f-string reader -> refused."""
    paths, sources = [], []
    for i in range(count):
        quote = rng.choice(["'", '"', "'''", '"""'])
        body = "".join(rng.choice(FSTRING_PARTS) for _ in range(rng.randint(1, 7)))
        source = "%s%s%s%s\n" % (rng.choice(["f", "rf", "F", "fR"]), quote, body, quote)
        path = os.path.join(folder, "f%d.py" % i)
        with open(path, "w", encoding="utf-8", newline="") as f:
            f.write(source)
        paths.append(path)
        sources.append(source)
    answers, bad, accepted, refused = run(dump, "syntax", paths), 0, 0, 0
    for path, source in zip(paths, sources):
        try:
            ast.parse(source)
            good, why = True, ""
        except SyntaxError as e:
            good, why = False, str(e)
        accepted += good
        must = why.startswith("f-string: ") and "invalid syntax" not in why and "Perhaps" not in why
        refused += must
        if (good and answers[path]) or (must and not answers[path]):
            bad += 1
            print("FSTRING DIFFERS %r: cpython %r, ours %r" % (source, why or "accepts", answers[path]))
    print("f-strings: %d, %d accepted by CPython, %d that must be refused, %d disagree" % (count, accepted, refused, bad))
    return bad


def mutate(text, rng):
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(text))
        kind = rng.randrange(4)
        if kind == 0:
            text = text[:at] + text[at + rng.randint(1, 3):]
        elif kind == 1:
            text = text[:at] + text[at] + text[at:]
        elif kind == 2:
            text = text[:at] + rng.choice(" \t\n\f\\'\"()[]{}#0_.eEjJxXoObB!=<>:;,@$?~é½х") + text[at:]
        else:
            other = rng.randrange(len(text))
            text = text[:at] + text[other:other + rng.randint(1, 12)] + text[at:]
        if not text:
            return "x"
    return text


def write_mutants(folder, paths, count, rng):
    texts = [t for t in map(decoded, rng.sample(paths, min(len(paths), 60))) if t and len(t) > 200]
    out = []
    for i in range(count):
        text = rng.choice(texts)
        begin = text.rfind("\n", 0, rng.randrange(len(text))) + 1
        piece = mutate(text[begin:begin + rng.randint(20, 600)], rng)
        path = os.path.join(folder, "m%d.py" % i)
        with open(path, "w", encoding="utf-8", newline="") as f:
            f.write(piece)
        out.append(path)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dump")
    parser.add_argument("--package", help="of the library, instead of the whole library and its tests")
    parser.add_argument("--mutants", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    args = parser.parse_args()
    rng = random.Random(args.seed)
    print("seed %d" % args.seed)
    paths = python_files(args.package)
    with tempfile.TemporaryDirectory() as folder:
        bad = compare_sources(args.dump, paths, "library")
        bad += compare_trivia(args.dump, paths)
        bad += compare_syntax(args.dump, [p for p in paths if os.path.getsize(p) <= 65536])
        mutants = write_mutants(folder, paths, args.mutants, rng)
        bad += compare_sources(args.dump, mutants, "mutants")
        bad += compare_syntax(args.dump, mutants)
        bad += compare_fstrings(args.dump, folder, args.mutants, rng)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
