/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The state of one check: the tree and its facts, the policy's entry for each distinct name, and
 * the meaning of imported names. A rule reads the lists of facts and reports problems. It is one
 * function, in the file of its subject, and one row in the table below. Private to validator/.
 */
#ifndef LECTERN_VALIDATOR_CHECK_H
#define LECTERN_VALIDATOR_CHECK_H

#include "validator/facts/facts.h"
#include "validator/policy/policy.h"
#include "validator/report.h"

enum word_flags {
    WORD_DUNDER = 1 << 0,
    WORD_METHOD = 1 << 1, /* a dunder that classes may define */
    WORD_MIXED = 1 << 2,
    WORD_PRIVATE =
        1 << 3, /* begins with '_', and is neither a dunder nor an exception of the policy */
    WORD_MODULE = 1 << 5,  /* bound to a module somewhere; set by rule_import */
    WORD_OWN = 1 << 4,     /* private, and defined by the program; set by rule_private */
    WORD_UNKNOWN = 1 << 6, /* rule_unknown has checked it */
    WORD_CLASS = 1 << 7,   /* classes of the program have such an attribute; set by rule_module */
};

/* What the policy says about a name, looked up once for each symbol. */
struct word {
    const struct policy_name *name; /* NULL: nothing special */
    uint32_t import; /* binding in the module's scope that refers to a module, or NONE */
    uint32_t roles;  /* of `name` */
    uint8_t flags;
};

/* What a binding refers to. */
struct meaning {
    const struct policy_module *module; /* NULL: not a module */
    uint32_t until; /* from this byte on it certainly refers to something else; FACTS_NONE */
};

/* What module.attribute is, in this profile. */
struct step {
    const struct policy_module *from; /* NULL: empty */
    uint32_t symbol;
    const struct policy_module *to; /* the attribute is itself a module */
    bool allowed;                   /* it is not a module, and may be used */
    bool chart;                     /* it may be used and loads matplotlib */
};

#define CHECK_STEPS 16 /* a power of two */

struct check {
    struct report *report;
    const struct validator_profile *profile;
    const struct ast *ast;
    const struct facts *facts;
    enum policy_kind kind;
    enum policy_profile needs; /* the narrowest profile that has everything the program imports */
    bool uses_added;           /* it imports a module that its profile adds to these */
    unsigned roles;            /* of all names of the program */
    unsigned flags;            /* also of all names */
    struct word *words;        /* by symbol; owned, like everything here */
    struct meaning *meanings;  /* by binding; NULL if no name refers to a module */
    const struct policy_module **imported; /* by row of facts->imports: the module that it binds */
    bool is_foreign;   /* of the current import: what it imports is not a module */
    bool *foreign;     /* by binding: the name was imported from a module; NULL if there is none */
    bool *of_module;   /* by row of facts->attributes: rule_module has checked it as a module's
                          attribute */
    uint32_t *parents; /* by node; see check_parent */
    /* Private to rule_writer.c, NULL until needed. By node of a NAME or ATTRIBUTE: its row in the
     * list of facts, plus one. */
    uint32_t *buffer_sites;
    uint8_t *buffer_bindings; /* by binding: what is bound to it */
    struct step steps[CHECK_STEPS];
    struct buf value;    /* the text of an f-string */
    bool modules_listed; /* a message has listed the allowed modules */
    bool has_arrays;     /* the program imports a library with arrays */
    bool failed;         /* out of memory */
};

/* The rules in order. All depend on the results of the first two. */
#define RULES(ROW)                                                                                 \
    ROW(import)      /* what is imported, and under which name */                                  \
    ROW(module)      /* names that mean a module: what is reached, nothing stored, no value */     \
    ROW(name)        /* forbidden names and dunders, in every role but the next */                 \
    ROW(attribute)   /* the same of attributes */                                                  \
    ROW(memory)      /* attributes that reach the memory of arrays */                              \
    ROW(chart)       /* attributes that load matplotlib */                                         \
    ROW(private)     /* attributes that begin with '_', unless they are the program's */           \
    ROW(look_alike)  /* names in letters of two alphabets */                                       \
    ROW(writer)      /* methods that write a file when they are given a path */                    \
    ROW(query)       /* methods that evaluate their text */                                        \
    ROW(getter)      /* functions that make getters from text */                                   \
    ROW(option)      /* options by text */                                                         \
    ROW(setting)     /* settings whose text is run */                                              \
    ROW(place)       /* names that are allowed in their own places only */                         \
    ROW(type)        /* type() of more than one argument */                                        \
    ROW(template)    /* format fields that reach for dunders */                                    \
    ROW(method_name) /* methods named by text */                                                   \
    ROW(unknown)     /* names that nothing binds, where what was meant is clear. No matter of      \
                        safety: Python would raise NameError. image/python/policy.py has it not */

#define RULE_DECLARE(name) void rule_##name(struct check *check);
RULES(RULE_DECLARE)
#undef RULE_DECLARE

/* rule_import.c: the module that a name with this binding refers to, in this scope at this byte; or
 * NULL. */
const struct policy_module *check_meaning(const struct check *check, uint32_t binding,
                                          uint32_t scope, uint32_t at);

/* Whether an item of the NAME or ATTRIBUTE is stored or deleted: x.y[0] = 1, del x.y[0][1]. */
bool check_is_item_store(struct check *check, uint32_t node, uint32_t parent);

/* Whether the NAME is a method's first parameter, used in the method itself. */
bool check_is_self(const struct check *check, uint32_t binding, uint32_t scope);

/* rule_writer.c: whether the attribute of the module is a function that is called with a buffer.
 * Its other arguments are then checked too. */
bool check_reads_buffer(struct check *check, const struct site *site,
                        const struct policy_module *module);

/* check.c: reports that a dunder is not allowed here. */
void check_refuse_dunder(struct check *check, uint32_t node, bool is_attribute);

static inline const struct node *check_node(const struct check *check, uint32_t node)
{
    return &check->ast->nodes[node];
}

/* The word of the node's name. */
static inline const struct word *check_word(const struct check *check, uint32_t node)
{
    return &check->words[check->ast->nodes[node].name];
}

/* Whether the parent calls this NAME or ATTRIBUTE. */
static inline bool check_is_called(const struct check *check, const struct site *site)
{
    const struct node *parent = check_node(check, site->parent);

    return parent->kind == NODE_CALL && parent->child == site->node;
}

/* The first argument of the call of this function; the others are its siblings. */
static inline uint32_t check_first_argument(const struct check *check, uint32_t function)
{
    return check->ast->nodes[function].next;
}

/* Reports a problem at the node. */
#define check_report(check, code, node, ...)                                                       \
    report_add((check)->report, code, check_node(check, node)->at, __VA_ARGS__)

/* A node's name for a message, truncated if long: `"%.*s", check_shown(...)`. */
#define check_shown(check, node) check_shown_len(check, node), check_shown_text(check, node)
int check_shown_len(const struct check *check, uint32_t node);
const char *check_shown_text(const struct check *check, uint32_t node);

/* Whether the node's name is this one, or one of the words. */
bool check_is_text(const struct check *check, uint32_t node, const char *name);
bool check_has_word(const struct check *check, uint32_t node, const char *words);

/* The text of a STRING or an f-string, with U+FFFD for each field; NULL for other nodes. Borrowed
 * until the next call. has_fields may be NULL. */
const char *check_text(struct check *check, uint32_t node, size_t *len, bool *has_fields);

/* Whether the node is a text that is one of the words. */
bool check_text_is(struct check *check, uint32_t node, const char *words);

/* Calls look for each row whose name has one of these roles. */
void check_each(struct check *check, const struct site_list *list, unsigned roles,
                void (*look)(struct check *check, const struct site *site));
/* Calls look for each import that renames such a name: from m import node as bound. */
void check_renamed(struct check *check, unsigned roles,
                   void (*look)(struct check *check, uint32_t node, uint32_t bound));
bool check_has_attribute(const struct check *check, unsigned roles);

/* Sets a flag on the names that class bodies bind. */
void check_mark_class_names(struct check *check, unsigned flag);

/* The parent of a node; FACTS_NONE for the module, or if out of memory. The first call computes all
 * parents. */
uint32_t check_parent(struct check *check, uint32_t node);

/* Whether module.attribute is one of the dotted words. */
bool check_has_dotted(const struct check *check, const struct policy_module *module,
                      uint32_t attribute, const char *words);

struct step check_step(struct check *check, const struct policy_module *from, uint32_t attribute);

/* Adds a module that the program uses to the verdict. */
void check_add_module(struct check *check, const struct policy_module *module);

#endif
