/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One check under way: the tree and its facts, what the policy says of each different name, and
 * what the imported names mean. A rule looks at the facts' lists and reports; it is one function,
 * in the file of its subject, and one row in the table below. Private to validator/.
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
    WORD_PRIVATE = 1 << 3, /* begins with '_', and is no dunder nor public all the same */
    WORD_MODULE = 1 << 5,  /* bound to a module somewhere. Filled by rule_import */
    WORD_OWN = 1 << 4,     /* private, and the program's. Filled by rule_private */
    WORD_UNKNOWN = 1 << 6, /* rule_unknown has looked at it */
    WORD_CLASS = 1 << 7,   /* classes of the program have such an attribute. Filled by rule_module
                            */
};

/* What the policy says of a name, asked once a symbol. */
struct word {
    const struct policy_name *name; /* NULL: nothing special */
    uint32_t import;                /* binding of the module's scope that means a module, or NONE */
    uint32_t roles;                 /* of `name` */
    uint8_t flags;
};

/* What a binding means. */
struct meaning {
    const struct policy_module *module; /* NULL: no module */
    uint32_t until; /* from this byte on it is something else for certain; FACTS_NONE */
};

/* What module.attribute is, in this profile. */
struct step {
    const struct policy_module *from; /* NULL: empty */
    uint32_t symbol;
    const struct policy_module *to; /* a module, too */
    bool allowed;                   /* it is none, and may be used */
    bool chart;                     /* and loads matplotlib */
};

#define CHECK_STEPS 16 /* a power of two */

struct check {
    struct report *report;
    const struct validator_profile *profile;
    const struct ast *ast;
    const struct facts *facts;
    enum policy_kind kind;
    enum policy_profile needs;             /* the narrowest profile that has what is imported */
    unsigned roles;                        /* of all names of the program */
    unsigned flags;                        /* likewise */
    struct word *words;                    /* by symbol; owned, as all here */
    struct meaning *meanings;              /* by binding; NULL where nothing means a module */
    const struct policy_module **imported; /* by row of facts->imports: the module it binds */
    bool is_foreign;                       /* of the import that is looked at: it gives no module */
    bool *foreign;   /* by binding: a name that was imported from a module; NULL while none is */
    bool *of_module; /* by row of facts->attributes: checked as a module's. Filled by rule_module */
    uint32_t *parents; /* by node; see check_parent */
    /* rule_writer.c's, NULL until a buffer is asked for. By node of a NAME or ATTRIBUTE: its row in
     * the facts' list, plus one. */
    uint32_t *buffer_sites;
    uint8_t *buffer_bindings; /* by binding: what is bound to it */
    struct step steps[CHECK_STEPS];
    struct buf value;    /* an f-string's text */
    bool modules_listed; /* a message has named the allowed modules */
    bool has_arrays;     /* a library with arrays is imported */
    bool failed;         /* no memory */
};

/* The rules, in this order: those behind stand on what the first two found. */
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

/* rule_import.c: the module that a name of this binding means in this scope at this byte, or NULL.
 */
const struct policy_module *check_meaning(const struct check *check, uint32_t binding,
                                          uint32_t scope, uint32_t at);

/* x.y[0] = 1, del x.y[0][1], ...: an item in the NAME or ATTRIBUTE is stored. */
bool check_is_item_store(struct check *check, uint32_t node, uint32_t parent);

/* Whether it is the NAME of a method's first parameter, in the method itself. */
bool check_is_self(const struct check *check, uint32_t binding, uint32_t scope);

/* rule_writer.c: whether the attribute of the module is a function that is called with a buffer;
 * what else it is given is checked then. */
bool check_reads_buffer(struct check *check, const struct site *site,
                        const struct policy_module *module);

/* check.c: the report that such a name is not allowed here. */
void check_refuse_dunder(struct check *check, uint32_t node, bool is_attribute);

static inline const struct node *check_node(const struct check *check, uint32_t node)
{
    return &check->ast->nodes[node];
}

/* Of the node's name. */
static inline const struct word *check_word(const struct check *check, uint32_t node)
{
    return &check->words[check->ast->nodes[node].name];
}

/* The NAME or ATTRIBUTE is what its parent calls. */
static inline bool check_is_called(const struct check *check, const struct site *site)
{
    const struct node *parent = check_node(check, site->parent);

    return parent->kind == NODE_CALL && parent->child == site->node;
}

/* The first argument of a call, whose function this is; the others are its siblings. */
static inline uint32_t check_first_argument(const struct check *check, uint32_t function)
{
    return check->ast->nodes[function].next;
}

/* Reports a problem at the node. */
#define check_report(check, code, node, ...)                                                       \
    report_add((check)->report, code, check_node(check, node)->at, __VA_ARGS__)

/* A node's name for a message, cut where it is long: `"%.*s", check_shown(...)`. */
#define check_shown(check, node) check_shown_len(check, node), check_shown_text(check, node)
int check_shown_len(const struct check *check, uint32_t node);
const char *check_shown_text(const struct check *check, uint32_t node);

/* Whether its name is this one, or one of the words. */
bool check_is_text(const struct check *check, uint32_t node, const char *name);
bool check_has_word(const struct check *check, uint32_t node, const char *words);

/* The text of a STRING or an f-string, whose fields are U+FFFD in it; NULL for all else. Borrowed
 * until the next call. has_fields may be NULL. */
const char *check_text(struct check *check, uint32_t node, size_t *len, bool *has_fields);

/* Whether it is a text that is one of the words. */
bool check_text_is(struct check *check, uint32_t node, const char *words);

/* Looks at each row whose name has one of these roles. */
void check_each(struct check *check, const struct site_list *list, unsigned roles,
                void (*look)(struct check *check, const struct site *site));
/* Looks at imports that give such a name another one: from m import node as bound. */
void check_renamed(struct check *check, unsigned roles,
                   void (*look)(struct check *check, uint32_t node, uint32_t bound));
bool check_has_attribute(const struct check *check, unsigned roles);

/* Gives a flag to the names that the bodies of classes bind. */
void check_mark_class_names(struct check *check, unsigned flag);

/* The parents of all nodes are worked out at the first question. FACTS_NONE for the module's, and
 * without memory. */
uint32_t check_parent(struct check *check, uint32_t node);

/* Whether the module's attribute is one of the dotted words. */
bool check_has_dotted(const struct check *check, const struct policy_module *module,
                      uint32_t attribute, const char *words);

struct step check_step(struct check *check, const struct policy_module *from, uint32_t attribute);

/* Adds a module that the program uses to the verdict. */
void check_add_module(struct check *check, const struct policy_module *module);

#endif
