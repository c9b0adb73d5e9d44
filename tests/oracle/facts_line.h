/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The facts that the parser finds in one program, as a line of JSON, for the comparison with
 * CPython.
 */
#ifndef LECTERN_ORACLE_FACTS_LINE_H
#define LECTERN_ORACLE_FACTS_LINE_H

#include <stddef.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"

/* Appends the facts that the parser finds in one program, as a line of JSON.
 * The policy is not applied, the bytes are decoded as Python does (with cookies of PEP 263), and a
 * program may have VALIDATOR_PARSE_CAP bytes; bytes is not read if len is larger.
 * {"file", "grammar": "ok"|"reject", "facts": {...}|null, "error", "rule"}
 * file: name of the program. facts: {"imports": ["a.b", "..mod:name"], "names", "attributes",
 * "other", "strings"}, each a list without duplicates, sorted by code points. other: definitions,
 * parameters, keywords, aliases, global and nonlocal names, and what handlers and patterns bind or
 * look up. strings: bytes as Latin-1; null for a lone surrogate, which JSON cannot represent.
 * error: why it is not valid Python, with the line. rule: "encoding" or "too-long" if the grammar
 * was not checked. Returns 0, or -1 if out of memory. */
int facts_line(const char *file, const char *bytes, size_t len, struct buf *to, struct error *err);

#endif
