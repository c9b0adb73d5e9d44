#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes unicode_table.h: the characters that a name may begin with, those that it may contain, and all assigned ones, in CPython 3.11.

    tests/python.sh build/release/lectern validator/syntax/make_unicode_table.py >validator/syntax/unicode_table.h

Each row begins a run of characters that have one level of unicode.c: the first of them, shifted left by two bits, and the level.
"""
import sys
import textwrap
import unicodedata

WIDTH = 99
HEADER = """/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Made by make_unicode_table.py, which describes it. */
#ifndef LECTERN_VALIDATOR_UNICODE_TABLE_H
#define LECTERN_VALIDATOR_UNICODE_TABLE_H

#include <stdint.h>

/* clang-format off */
static const uint32_t unicode_runs[] = {
%s
};

#endif
"""


def level(character):
    if character.isidentifier():
        return 3
    if ("a" + character).isidentifier():
        return 2
    return int(unicodedata.category(character) != "Cn")


def table():
    levels = [level(chr(number)) for number in range(sys.maxunicode + 1)]
    runs = [number << 2 | now for number, (now, last) in enumerate(zip(levels, [None] + levels)) if now != last]
    rows = textwrap.fill(" ".join("0x%X," % run for run in runs), WIDTH)
    return HEADER % rows


if __name__ == "__main__":
    if sys.version_info[:2] != (3, 11) or unicodedata.unidata_version != "14.0.0":
        sys.exit("this wants Python 3.11, whose Unicode is 14.0.0, and not Python %d.%d with %s" % (
            *sys.version_info[:2], unicodedata.unidata_version))
    sys.stdout.write(table())
