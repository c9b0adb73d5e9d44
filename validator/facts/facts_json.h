/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What stands in a program, as JSON: what its imports, names, attributes, other names and strings
 * are, each once and sorted. Held against CPython's own tree by tests/oracle. Pure.
 */
#ifndef LECTERN_VALIDATOR_FACTS_JSON_H
#define LECTERN_VALIDATOR_FACTS_JSON_H

#include "validator/syntax/ast.h"

/* Appends {"imports": ["a.b", "..mod:name"], "names", "attributes", "other", "strings"}, each a
 * list without repetitions, sorted by code points. other: definitions, parameters, keywords,
 * aliases, global and nonlocal names, what handlers and patterns bind or look up. strings: bytes
 * as Latin-1; null where one holds a lone surrogate, which JSON cannot carry. Without memory
 * to->failed is set. */
void facts_json(const struct ast *ast, struct buf *to);

#endif
