#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Habits of this project that clang-format and clang-tidy do not see. Prints one line for each fault and fails if there is one.

    cmake/lint.py [--fix] [FOLDER...]

--fix rewrites what is mechanical. Without folders: all."""
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

FOLDERS = ("mcp/", "helpers/", "executor/", "validator/", "image/")
OPAQUE = ("struct engine_box",)  # each engine defines its own
NEVER_POSITIVE = ("error_set", "error_set_at", "error_wrap", "error_errno", "validation_end", "buf_check")
# One spelling for each habit: `strcmp(a, b) == 0`, `struct buf BUF_AUTO name`, and `err) < 0` where a function returns 0 or -1.
COMPARE = re.compile(r"!((?:strn?(?:case)?cmp|memcmp)\()")
DEFINITION = re.compile(r"^(?:static )?(?:inline )?int (\w+)\([^;{]*\)\n\{\n(.*?)^\}", re.M | re.S)
TYPE = re.compile(r"^(?:static |const )*((?:struct|union|enum) \w+) \{", re.M)
ENUM = re.compile(r"\benum(?: \w+)? \{(.*?)\}", re.S)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def closing(text, at):
    """Where the parenthesis that opens before `at` closes."""
    depth = 1
    while depth:
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at


def callee(text, end):
    """The name of the function whose call ends at `end`, the parenthesis included."""
    depth, at = 0, end
    while True:
        at -= 1
        depth += {")": 1, "(": -1}.get(text[at], 0)
        if depth == 0:
            return re.search(r"\w*$", text[:at])[0]


def may_be_positive(name, bodies, seen=()):
    """Whether a function may return more than 0, as far as its definition shows. One without a definition may."""
    if name in NEVER_POSITIVE or name in seen:
        return False
    if name not in bodies:
        return True
    body = re.sub(r'"(?:[^"\\]|\\.)*"', "", bodies[name])
    returned = " ".join(a or b for a, b in re.findall(r"\breturn\b([^;]*);|\brc = ([^;]*);", body))
    calls = set(re.findall(r"(\w+)\(", returned))
    while (plain := re.sub(r"\w*\([^()]*\)", " ", returned)) != returned:  # without arguments
        returned = plain
    literals_and_names = set(re.findall(r"(?<![\w.>-])(\w+)", returned)) - {"0", "rc"}
    return bool(literals_and_names) or any(may_be_positive(call, bodies, seen + (name,)) for call in calls)


def fixed(text, bodies):
    text = re.sub(r"\bstruct buf (\w+) BUF_AUTO\b", r"struct buf BUF_AUTO \1", text)
    while found := COMPARE.search(text):
        end = closing(text, found.end())
        text = text[:found.start()] + found[1] + text[found.end():end] + " == 0" + text[end:]
    for found in reversed(list(re.finditer(r"\berr\) != 0", text))):
        if not may_be_positive(callee(text, found.start() + 4), bodies):
            text = text[:found.start()] + "err) < 0" + text[found.end():]
    return text


def enumerator_faults(text):
    for found in ENUM.finditer(re.sub(r"(?m)^#.*", "", COMMENT.sub("", text))):
        names = re.findall(r"(?:^|,)\s*([A-Za-z_]\w*)", found[1])
        first = names[0].split("_")[0] + "_" if names else "_"
        for name in names:
            if not name.startswith(first) or "_" not in name:
                yield f"enumerator {name} has no prefix"
                break


def faults(files, bodies, chosen):
    types = defaultdict(list)
    for path, text in files.items():
        for name in set(TYPE.findall(text)) - set(OPAQUE):
            types[name].append(path)
    for path, text in sorted(files.items()):
        if not path.startswith(chosen):
            continue
        for number, (line, wanted) in enumerate(zip(text.split("\n"), fixed(text, bodies).split("\n")), 1):
            if line != wanted:
                yield f"{path}:{number}: write {wanted.strip()}"
        for name in sorted(set(TYPE.findall(text))):
            if len(types[name]) > 1:
                yield f"{path}: {name} is defined {len(types[name])} times: {', '.join(types[name])}"
        if path.endswith(".h"):
            yield from (f"{path}: {fault}" for fault in enumerator_faults(text))
            if re.search(r"_(private|parts)\.h$", path) or (re.search(r"\bPrivate to\b", text[:1000]) and "_internal.h" not in path):
                yield f"{path}: a private header is named ..._internal.h"


def main(words):
    root = Path(__file__).resolve().parents[1]
    chosen = tuple(word for word in words if not word.startswith("--")) or FOLDERS
    listed = subprocess.run(["git", "ls-files", *(p + "*.[ch]" for p in FOLDERS)], cwd=root, capture_output=True, text=True, check=True)
    files = {path: (root / path).read_text() for path in listed.stdout.split() if (root / path).exists()}
    bodies = {name: body for text in files.values() for name, body in DEFINITION.findall(text)}
    if "--fix" in words:
        changed = {path: new for path, text in files.items() if path.startswith(chosen) and (new := fixed(text, bodies)) != text}
        for path, text in changed.items():
            (root / path).write_text(text)
        if changed:
            subprocess.run(["clang-format", "-i", *changed], cwd=root, check=True)
        files |= {path: (root / path).read_text() for path in changed}
    found = list(faults(files, bodies, chosen))
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
