/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All limits of the validator. The first group are rules of this project; the limits of the grammar
 * are those of CPython 3.11, so that the parser accepts exactly what CPython accepts.
 */
#ifndef LECTERN_VALIDATOR_LIMITS_H
#define LECTERN_VALIDATOR_LIMITS_H

#include <stddef.h>

/* One program, and the report about it. */
#define VALIDATOR_SOURCE_CAP      ((size_t)64 << 10) /* bytes of one program */
#define VALIDATOR_DIAGNOSTICS_CAP 20
#define VALIDATOR_TEXT_CAP        1024 /* bytes of one diagnostic's text with its NUL */
#define VALIDATOR_MODULES_CAP     64   /* different modules that one program may import */
#define VALIDATOR_MODULE_NAME_CAP 64
#define VALIDATOR_UNKNOWN_CAP     64 /* unbound names that are checked for a better one */

/* The grammar. */
#define VALIDATOR_DEPTH_CAP   200  /* open brackets (CPython: MAXLEVEL) */
#define VALIDATOR_INDENT_CAP  100  /* levels of indentation with the first (CPython: MAXINDENT) */
#define VALIDATOR_TREE_CAP    2990 /* levels of the tree; CPython does not convert deeper ones */
#define VALIDATOR_DIGITS_CAP  4300 /* of a decimal integer (CPython: int_max_str_digits) */
#define VALIDATOR_FSTRING_CAP 8    /* nested f-strings; the quotes of 3.11 allow four */
/* The bytes that the parser is made for. Only the tests give it more than VALIDATOR_SOURCE_CAP:
 * CPython's library has larger files. */
#define VALIDATOR_PARSE_CAP ((size_t)16 << 20)

/* Failed probes of the table of names, beyond some for each name. Ordinary programs need a few
 * hundred; more means that the names were chosen to collide. */
#define VALIDATOR_PROBES_CAP 100000

/* The compiler, which runs after the parser. CPython does not compile a tree of 1,000 levels, and
 * its interpreter needs some of them; VALIDATOR_RUN_DEPTH_CAP is for a program that will run. */
#define VALIDATOR_RUN_DEPTH_CAP 900
#define VALIDATOR_BLOCKS_CAP    20  /* statically nested blocks (CPython: CO_MAXBLOCKS) */
#define VALIDATOR_TARGETS_CAP   255 /* names before the star of an unpacking (CPython: a byte) */

#endif
