/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Checks analysis code before it runs. A pure function of (bytes, length, profile): no I/O, no
 * globals, bounded time and memory, callable from any thread. A refusal is advice to a model that
 * will try again: it says what is wrong, where, and what to write instead. Safety does not depend
 * on it, but on the sandbox.
 */
#ifndef LECTERN_VALIDATOR_H
#define LECTERN_VALIDATOR_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/sha256.h"
#include "validator/limits.h"

/* A row of the profile table: what a program may import. */
struct validator_profile;

/* Returns NULL if there is no profile of that name. "minimal", "data-science", "visualization". */
const struct validator_profile *validator_profile_find(const char *name);
/* For the code of learners, which no option names: "minimal" with input() and without a curriculum.
 */
const struct validator_profile *validator_profile_learner(void);
const char *validator_profile_name(const struct validator_profile *profile);
const char *
validator_profile_names(void); /* "minimal, data-science, visualization", for messages */

/* Whether a program of this profile may import no more than one of the other. */
bool validator_profile_within(const struct validator_profile *profile,
                              const struct validator_profile *limit);

/* The modules that a program of this profile may import ("pandas", "collections.abc"), in the order
 * in which messages list them; static; NULL after the last. */
const char *validator_profile_module(const struct validator_profile *profile, size_t index);
/* A further profile: a built-in one and the names of modules that programs may import beside. Of
 * those all attributes are allowed but private ones, names of Python's own modules that lead to
 * files, processes, networks or code, and those that are refused everywhere. A module above an
 * added one ("sklearn" of "sklearn.cluster") is reached, and imported only if it is among them too.
 * elsewhere, for messages: the modules of other profiles. Everything is copied. NULL with
 * ERROR_INVALID, whose place is "modules", for a name that is none, or of a built-in profile. */
struct validator_elsewhere {
    const char *module, *profile; /* module is NULL in the last row */
};
struct validator_profile *validator_profile_create(const char *name,
                                                   const struct validator_profile *base,
                                                   const char *const *modules,
                                                   const struct validator_elsewhere *elsewhere,
                                                   struct error *err);
void validator_profile_destroy(struct validator_profile *profile); /* takes NULL */
/* Of such a profile: the name of the built-in one, and the modules that it adds, NULL-terminated;
 * of a built-in one its own name, and NULL. */
const char *validator_profile_base(const struct validator_profile *profile);
const char *const *validator_profile_added(const struct validator_profile *profile);

/* Whether the profile has the module. */
bool validator_profile_allows(const struct validator_profile *profile, const char *module);

/* The edits that correct a problem, where they are certain: without overlap, in the order of the
 * program. count is 0 where no edit is known. */
#define CORRECTION_EDITS_CAP 2u
#define CORRECTION_TEXT_CAP  128u /* bytes of a text that is put in, with its NUL */
struct correction {
    size_t count;
    struct {
        size_t at, len; /* the bytes of the program that the text replaces */
        char with[CORRECTION_TEXT_CAP];
    } edits[CORRECTION_EDITS_CAP];
};

struct diagnostic {
    const char *code; /* stable, static: "import-not-allowed", "forbidden-name", "syntax", ... */
    size_t line;      /* 1-based; 0 for the whole program */
    size_t column;    /* 1-based, in characters */
    char text[VALIDATOR_TEXT_CAP];
    struct correction correction;
};

/* Large: allocate it on the heap or statically. It owns nothing. */
struct verdict {
    bool accepted;
    const char *kind; /* smallest kind of sandbox that can run it: "bare", "data", "plot"; static */
    const char *profile; /* the narrowest profile that has all its imports; static */
    size_t diagnostic_count;
    size_t diagnostics_left_out; /* number of diagnostics found beyond the cap */
    struct diagnostic diagnostics[VALIDATOR_DIAGNOSTICS_CAP];
    size_t module_count; /* allowed modules that the program imports, dotted, each once */
    char modules[VALIDATOR_MODULES_CAP][VALIDATOR_MODULE_NAME_CAP];
};

/* Whether a program is only white space. It is valid Python, but there is nothing to run. */
bool validator_is_blank(const char *source, size_t len);

/* Why a program is a placeholder for one that is still to be written, as a sentence; static; NULL
 * if it is none. It is one if it does nothing but import, define and pass, if the body of a
 * function or a block is `...` alone, if it raises NotImplementedError (all these outside of
 * classes, which may be abstract), or if a comment stands in the place of code: "TODO", "your code
 * here". Of a program that is no Python only the comments are looked at. */
const char *validator_placeholder(const char *source, size_t len);

/* Whether statements of the program itself, outside of functions and classes, bind the name: an
 * assignment, an import or a definition. false if the source is no Python. */
bool validator_assigns(const char *source, size_t len, const char *name);

void validator_check(const char *source, size_t len, const struct validator_profile *profile,
                     struct verdict *verdict);

/* Appends the verdict as text for a model: one "line N: ..." for each diagnostic, with the source
 * line and a caret. */
void validator_explain(const struct verdict *verdict, const char *source, size_t len,
                       struct buf *to);

/* Returns the same as a new JSON object: {"accepted", "kind", "profile", "modules", "diagnostics":
 * [{"code","line","column","text"}]}. NULL if out of memory. */
json_t *validator_explain_json(const struct verdict *verdict);

/* Writes a digest that is equal exactly for programs with the same syntax tree: comments, empty
 * lines, spaces, kinds of quotation marks, redundant brackets and commas do not count; names,
 * constants, docstrings and the order of statements do. The policy is not applied. Where CPython's
 * ast.dump differs: u'a' is 'a'; f"{x:}" is f"{x}"; and numbers are equal only as texts without
 * underscores and letter case, so 16 and 0x10 differ. Returns false, with the diagnostics in
 * *verdict, if the source is not Python 3.11 or has more than VALIDATOR_SOURCE_CAP bytes. */
bool validator_digest(const char *source, size_t len, struct verdict *verdict,
                      char digest[SHA256_TEXT_SIZE]);

/* Appends the tables of the policy as one JSON object. */
void validator_dump_policy(struct buf *to);

#endif
