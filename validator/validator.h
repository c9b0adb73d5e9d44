/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Checks analysis code before anything runs. A pure function of (bytes, length, profile): no I/O,
 * no globals, bounded time and memory, safe from any thread. Its refusals are advice to a model
 * that will try again: each says what, where and what to write instead. The sandbox is what holds.
 */
#ifndef LECTERN_VALIDATOR_H
#define LECTERN_VALIDATOR_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "validator/limits.h"

/* A row of the profile table: what code may import. */
struct validator_profile;

/* NULL when there is none of that name. "minimal", "data-science", "visualization". */
const struct validator_profile *validator_profile_find(const char *name);
const char *validator_profile_name(const struct validator_profile *profile);
const char *validator_profile_names(void); /* "minimal, data-science, visualization" for messages */

/* Whether code of this profile may import no more than code of the other. */
bool validator_profile_within(const struct validator_profile *profile,
                              const struct validator_profile *limit);

/* The modules that code of this profile may import ("pandas", "collections.abc"), in the order in
 * which messages name them, static; NULL behind the last one. */
const char *validator_profile_module(const struct validator_profile *profile, size_t index);
/* Whether it is one of them. */
bool validator_profile_allows(const struct validator_profile *profile, const char *module);

struct diagnostic {
    const char *code; /* stable, static: "import-not-allowed", "forbidden-name", "syntax", ... */
    size_t line;      /* 1-based; 0 where the whole program is meant */
    size_t column;    /* 1-based, in characters */
    char text[VALIDATOR_TEXT_CAP];
};

/* Large: keep it on the heap or static, not on a small stack. No ownership: all inline. */
struct verdict {
    bool accepted;
    const char *kind; /* least kind of container that can run it: "bare", "data", "plot"; static */
    const char *profile; /* the narrowest one whose modules are all that it imports; static */
    size_t diagnostic_count;
    size_t diagnostics_left_out; /* found beyond the cap */
    struct diagnostic diagnostics[VALIDATOR_DIAGNOSTICS_CAP];
    size_t module_count; /* modules the program imports, dotted, each once, only allowed ones */
    char modules[VALIDATOR_MODULES_CAP][VALIDATOR_MODULE_NAME_CAP];
};

/* Whether a program is white space alone: Python takes it, and there is nothing to run. */
bool validator_is_blank(const char *source, size_t len);

void validator_check(const char *source, size_t len, const struct validator_profile *profile,
                     struct verdict *verdict);

/* The verdict in words for a model: one "line N: ..." a diagnostic, with the source line and a
 * caret. */
void validator_explain(const struct verdict *verdict, const char *source, size_t len,
                       struct buf *to);

/* The same as a new JSON object: {"accepted", "kind", "profile", "modules", "diagnostics":
 * [{"code","line","column","text"}]}. NULL without memory. */
json_t *validator_explain_json(const struct verdict *verdict);

/* The policy's tables as one JSON object. */
void validator_dump_policy(struct buf *to);

/* What the parser sees in one program, as a line of JSON: what `lectern validate --facts` prints.
 * It stands before any policy: the bytes are read as Python reads them, cookies of PEP 263
 * included, and a program may have VALIDATOR_PARSE_CAP bytes. Appends
 * {"file", "grammar": "ok"|"reject", "facts": {...}|null, "error", "rule"}
 * file: what the program is called. facts: {"imports": ["a.b", "..mod:name"], "names",
 * "attributes", "other", "strings"}, each a list without repetitions, sorted by code points; other:
 * definitions, parameters, keywords, aliases, global and nonlocal names, what handlers and patterns
 * bind or look up; strings: bytes as Latin-1, null where one holds a lone surrogate, which JSON
 * cannot carry. error: why it is no Python, in words, with the line. rule: "encoding" or "too-long"
 * where it was not read as far as the grammar. Where len is above the cap, bytes is not read. 0, or
 * -1 without memory. */
int facts_line(const char *file, const char *bytes, size_t len, struct buf *to, struct error *err);

#endif
