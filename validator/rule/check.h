/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One judgement under way: the tokens, what the program's imports bind, and the steps that look at
 * them. Each step is a file. They report through check->report and allocate only in the buffers
 * here. Private to validator/.
 */
#ifndef LECTERN_VALIDATOR_CHECK_H
#define LECTERN_VALIDATOR_CHECK_H

#include "validator/policy/policy.h"
#include "validator/syntax/token_list.h"

#define CHECK_SHADOWS_CAP 64
#define NO_TOKEN          SIZE_MAX

struct validator_profile {
    const char *name;
    enum policy_profile rank;
    const char *const *modules; /* NULL-terminated */
};

/* A name that an import gives to a module. */
struct binding {
    const char *text; /* the name; borrowed */
    size_t len;
    const struct policy_module *module;
    size_t first, last; /* tokens of the imports that bind it to a module */
    bool nested;        /* one of them is indented */
    size_t rebound;     /* behind this token it is something else for certain; NO_TOKEN */
    bool declared;      /* a global or nonlocal statement names it */
};

/* Tokens from..to, a function's body, in which a binding's name means something else. */
struct shadow {
    size_t binding, from, to;
};

struct check {
    struct report *report;
    const struct validator_profile *profile;
    enum policy_kind kind;
    struct token_list list;
    struct binding bindings[VALIDATOR_MODULES_CAP];
    size_t binding_count;
    struct shadow shadows[CHECK_SHADOWS_CAP];
    size_t shadow_count;
    size_t depth;            /* open brackets, as check_names goes along */
    size_t parameters_end;   /* tokens up to here stand between the brackets of a def ... */
    size_t parameters_depth; /* ... its parameters at this depth */
    size_t chain_end;        /* tokens up to here were judged as attributes of a module */
    size_t by_name_end;      /* strings up to here name methods */
    bool modules_listed;     /* a message has named the allowed modules */
    struct buf value;        /* a string's value */
    bool failed;             /* no memory */
};

/* The steps, in this order. */
void check_imports(struct check *check); /* check_import.c: import statements; fills bindings */
void check_shadows(struct check *check); /* check_scope.c: fills shadows */
void check_syntax(struct check *check);  /* check_syntax.c: blocks and frequent slips */
void check_names(
    struct check *check); /* check_name.c: every name, in its role; calls the two below */
void check_strings(struct check *check); /* check_string.c: every literal */

/* check_module.c: at a name that means a module. */
void check_module_use(struct check *check, size_t index, const struct binding *binding);

/* check_call.c: at a name with one of the roles that ask how it is called. */
void check_call(struct check *check, size_t index, const struct policy_name *name,
                bool is_attribute);

/* What the steps ask of the tokens. */
bool check_is_op(const struct check *check, size_t index, unsigned op);
bool check_is_keyword(const struct check *check, size_t index, enum keyword keyword);
bool check_opens(const struct token *token); /* a bracket, or an f-string's field */
bool check_closes(const struct token *token);
bool check_starts_statement(const struct check *check, size_t index);
bool check_is_attribute(const struct check *check, size_t index);
const char *check_text(const struct check *check, size_t index, size_t *len);

/* The value of the STRING token in check->value, fields as U+FFFD. False where an escape is wrong.
 */
bool check_string_value(struct check *check, size_t index);

/* The binding of the name at the token, whatever it means there; NULL for none. */
const struct binding *check_find_binding(const struct check *check, size_t index);

/* The same, if it means a module there. */
const struct binding *check_binding_at(const struct check *check, size_t index);

/* One argument of a call. first..end are its value's tokens. */
struct argument {
    size_t first, end;
    size_t keyword; /* token, or NO_TOKEN */
    bool starred;
};

/* The next argument behind *cursor, which begins as the opening bracket's index. False at the
 * closing one. */
bool check_next_argument(const struct check *check, size_t open, size_t *cursor,
                         struct argument *argument);

/* Adds a module that the program uses to the verdict. */
void check_add_module(struct check *check, const struct policy_module *module);

#endif
