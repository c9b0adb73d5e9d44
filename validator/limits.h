/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every limit of the validator. Above the first group stand the product's own rules; the grammar's
 * are those of CPython 3.11, so that the parser takes what it takes, and no more.
 */
#ifndef LECTERN_VALIDATOR_LIMITS_H
#define LECTERN_VALIDATOR_LIMITS_H

#include <stddef.h>

/* One program, and what is reported about it. */
#define VALIDATOR_SOURCE_CAP      ((size_t)64 << 10) /* bytes of one program */
#define VALIDATOR_DIAGNOSTICS_CAP 20
#define VALIDATOR_TEXT_CAP        1024 /* bytes of one diagnostic's text with its NUL */
#define VALIDATOR_MODULES_CAP     64   /* different modules that one program may import */
#define VALIDATOR_MODULE_NAME_CAP 64
#define VALIDATOR_UNKNOWN_CAP     64 /* names that nothing binds, looked at for what was meant */

/* The grammar. */
#define VALIDATOR_DEPTH_CAP   200  /* open brackets (CPython: MAXLEVEL) */
#define VALIDATOR_INDENT_CAP  100  /* levels of indentation with the first (CPython: MAXINDENT) */
#define VALIDATOR_TREE_CAP    2990 /* levels of the tree; CPython converts no deeper one */
#define VALIDATOR_DIGITS_CAP  4300 /* of a decimal integer (CPython: int_max_str_digits) */
#define VALIDATOR_FSTRING_CAP 8    /* f-strings in f-strings; the quotes of 3.11 make four */
#define VALIDATOR_PARSE_CAP   ((size_t)16 << 20) /* bytes that the parser takes at all: `--facts` */

/* Slots looked at in vain in the table of names, beyond some for each name: honest programs need a
 * few hundred. */
#define VALIDATOR_PROBES_CAP 100000

/* The compiler, behind the grammar. CPython compiles no tree of 1,000 levels, and its interpreter
 * needs some for itself: the first is for a tree that is to run. */
#define VALIDATOR_RUN_DEPTH_CAP 900
#define VALIDATOR_BLOCKS_CAP    20  /* statically nested blocks (CPython: CO_MAXBLOCKS) */
#define VALIDATOR_TARGETS_CAP   255 /* names before an unpacking's star (CPython: a byte) */

#endif
