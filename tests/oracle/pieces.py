# SPDX-License-Identifier: GPL-3.0-or-later
"""Pieces of real programs, to be mutated: statements and functions of the standard library, whole analyses, and the texts in
CPython's own tests of its grammar, most of which are small odd programs, right and wrong."""
import ast
import base64
import json
import os
import re
import sys
import textwrap

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data"))
import corpus  # noqa: E402
import library  # noqa: E402
from python_facts import warnings  # noqa: E402,F401  the filter comes with it

PIECE_CAP = 1500
# The tests of CPython that are about its grammar, and hold programs as texts.
GRAMMAR_TESTS = ("test_grammar", "test_fstring", "test_patma", "test_syntax", "test_named_expressions", "test_string_literals",
                 "test_generators", "test_genexps", "test_unpack_ex", "test_unpack", "test_except_star", "test_coroutines",
                 "test_type_comments", "test_positional_only_arg", "test_keywordonlyarg", "test_exceptions", "test_eof",
                 "test_decorators", "test_with", "test_ast", "test_unparse", "test_tokenize", "test_asyncgen", "test_slice",
                 "test_type_annotations", "test_dictcomps", "test_setcomps", "test_listcomps", "test_extcall", "test_compile",
                 "test_future", "test_global", "test_flufl", "test_peg_generator", "test_codeop", "test_scope", "test_call",
                 "test_parser", "test_source_encoding", "test_int", "test_float", "test_complex", "test_lambda")


def _statements(text, tree):
    """The source of statements, those in functions and classes too, moved to the left edge."""
    lines = text.splitlines(keepends=True)
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt):
            continue
        first = min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", [])])
        if node.end_lineno - first < 60:
            piece = textwrap.dedent("".join(lines[first - 1:node.end_lineno]))
            if 8 < len(piece) <= PIECE_CAP:
                yield piece


def _texts(tree):
    """String constants of some length, and the code of doctests in them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) > 2:
            doctest = re.findall(r"^\s*(?:>>>|\.\.\.) ?(.*)$", node.value, re.MULTILINE)
            if doctest:
                block = []
                for prompt, line in re.findall(r"^\s*(>>>|\.\.\.) ?(.*)$", node.value, re.MULTILINE):
                    if prompt == ">>>" and block:
                        yield "\n".join(block) + "\n"
                        block = []
                    block.append(line)
                yield "\n".join(block) + "\n"
            elif len(node.value) <= PIECE_CAP:
                yield node.value


def _parsed(path):
    try:
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        return text, ast.parse(text)
    except (SyntaxError, ValueError, OSError):
        return None


def shared_programs(shared):
    """[bytes] of the programs of tests/data, and of the shared corpora where they are there."""
    out = [program.code for kind in ("hostile", "ordinary", "mistakes") for program in corpus.programs(kind)]
    for name in ("differentials", "benign", "malicious"):
        path = os.path.join(shared or "", "corpus", name + ".jsonl")
        if shared and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                for row in map(json.loads, file):
                    out.append(row["code"].encode() if row.get("code") is not None else base64.b64decode(row["code_b64"]))
    return out


def collect(shared, rng, files):
    """{kind: [text]}: "library" from so many files picked by rng, "grammar" and "shared"."""
    pool = {"library": [], "grammar": [], "shared": []}
    paths = library.python_files()
    for path in rng.sample(paths, min(files, len(paths))):
        found = os.path.getsize(path) < 200000 and _parsed(path)
        if found:
            pool["library"].extend(sorted(set(_statements(*found))))
    for name in GRAMMAR_TESTS:
        found = _parsed(os.path.join(library.TESTS, name + ".py"))
        if found:
            pool["grammar"].extend(sorted(set(_statements(*found))))
            pool["grammar"].extend(2 * sorted(set(_texts(found[1]))))
    for program in shared_programs(shared):
        text = program.decode("utf-8", "surrogateescape")
        pool["shared"].append(text[:PIECE_CAP])
    return {kind: pieces for kind, pieces in pool.items() if pieces}
