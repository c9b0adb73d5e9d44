/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What CPython 3.11's compiler refuses of a program that its parser took (symtable.c, compile.c,
 * future.c): refused here too, with the code "syntax", and all reported at once where CPython stops
 * at the first. Names in classes are not mangled: `__x` is `__x`. Nothing is refused for its depth:
 * CPython's compiler goes deeper than the tree may be (VALIDATOR_TREE_CAP).
 */
#ifndef LECTERN_VALIDATOR_COMPILE_H
#define LECTERN_VALIDATOR_COMPILE_H

#include "validator/facts/facts.h"
#include "validator/report.h"

/* False without memory: then not all was looked at. */
bool compile_check(const struct facts *facts, struct report *report);

#endif
