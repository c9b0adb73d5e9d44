/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the parser sees in one program, as a line of JSON: what `lectern validate --facts` prints.
 * It stands before any policy: the bytes are read as Python reads them, cookies of PEP 263
 * included, and a program may have VALIDATOR_PARSE_CAP bytes. Pure.
 */
#ifndef LECTERN_VALIDATOR_FACTS_LINE_H
#define LECTERN_VALIDATOR_FACTS_LINE_H

#include "helpers/base/buf.h"
#include "validator/syntax/ast.h"

/* Appends the line of one program; `file` is what it is called there:
 * {"file", "grammar": "ok"|"reject", "facts": {...}|null, "error", "rule"}
 * error: why it is no Python, in words, with the line. rule: "encoding" or "too-long" where it was
 * not read as far as the grammar. 0, or -1 without memory. */
int facts_line(const char *file, const char *bytes, size_t len, struct buf *to, struct error *err);

/* The line of a program that is larger than is read. */
int facts_line_too_long(const char *file, struct buf *to, struct error *err);

/* What stands in a program, as JSON. Appends {"imports": ["a.b", "..mod:name"], "names",
 * "attributes", "other", "strings"}, each a list without repetitions, sorted by code points. other:
 * definitions, parameters, keywords, aliases, global and nonlocal names, what handlers and patterns
 * bind or look up. strings: bytes as Latin-1; null where one holds a lone surrogate, which JSON
 * cannot carry. Without memory to->failed is set. */
void facts_json(const struct ast *ast, struct buf *to);

#endif
