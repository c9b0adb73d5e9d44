#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the validator's letters of names against CPython 3.11's, for all characters, and its table against what makes it.

    compare_letters.py DUMP

DUMP is the program validator_dump. Exit status 0 when all agree.
"""
import pathlib
import subprocess
import sys

SYNTAX = pathlib.Path(__file__).resolve().parents[2] / "validator/syntax"
sys.path.insert(0, str(SYNTAX))

import make_unicode_table  # noqa: E402


def main():
    if make_unicode_table.table() != (SYNTAX / "unicode_table.h").read_text():
        sys.exit("unicode_table.h is not what make_unicode_table.py writes")
    digits = subprocess.run([sys.argv[1], "letters"], stdout=subprocess.PIPE, check=True).stdout.decode()
    letters = [chr(number) for number in range(sys.maxunicode + 1)]
    wanted = [str(("a" + letter).isidentifier() + 2 * letter.isidentifier()) for letter in letters]
    differ = ["U+%04X: %s, Python has %s" % (ord(letter), *pair) for letter, *pair in zip(letters, digits, wanted) if pair[0] != pair[1]]
    print("%d characters, %d differ" % (len(digits), len(differ)), *differ[:20], sep="\n")
    sys.exit(bool(differ) or len(digits) != len(letters))


if __name__ == "__main__":
    main()
