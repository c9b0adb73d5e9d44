/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What analysis code may use, as const tables: profiles, modules with their reachable attributes,
 * names that are special everywhere, dunder methods that a class may define. policy_modules.c and
 * policy_names.c contain the tables, policy.c the look-ups. The tables do not depend on tokens or
 * trees. `lectern validate --dump-policy` prints them.
 */
#ifndef LECTERN_VALIDATOR_POLICY_H
#define LECTERN_VALIDATOR_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "validator/validator.h"

enum policy_profile { PROFILE_MINIMAL, PROFILE_DATA_SCIENCE, PROFILE_VISUALIZATION, PROFILE_COUNT };

/* The smallest kind of sandbox with the modules of each profile. A program checked with a wide
 * profile may need only a smaller one. */
enum policy_kind {
    KIND_BARE = PROFILE_MINIMAL,
    KIND_DATA = PROFILE_DATA_SCIENCE,
    KIND_PLOT = PROFILE_VISUALIZATION,
};

struct validator_profile {
    const char *name;
    enum policy_profile rank;
    const char *kind; /* of its sandbox; the same name and number as in enum policy_kind */
    /* Of a variant of the profile with that rank: a module that it lacks, and a name with ROLE_NAME
     * that it allows; or NULL. */
    const char *without, *builtin;
    const struct profile_additions *additions; /* of validator_profile_create; or NULL */
};

extern const struct validator_profile policy_profiles[PROFILE_COUNT];
extern const struct validator_profile policy_learner; /* a variant of the narrowest */

struct policy_module;
/* The rows of the modules that a profile adds to the policy's, sorted by name. */
const struct policy_module *profile_added(const struct validator_profile *profile, size_t *count);
bool policy_module_is_added(const struct validator_profile *profile,
                            const struct policy_module *module);
/* The name of another profile with the module; NULL if none is known to have it. */
const char *profile_elsewhere(const struct validator_profile *profile, const char *module);
/* Whether programs of the profile may use the module. */
bool policy_profile_has(const struct validator_profile *profile,
                        const struct policy_module *module);

/* Whether a module can be imported, and its position in messages that list the modules of its
 * profile. */
enum policy_import {
    IMPORT_NO, /* only part of a chain, like np.char in np.char.upper */
    IMPORT_FIRST,
    IMPORT_YES,
    IMPORT_LAST,
};

/* How the attributes of a module are checked. */
enum policy_reach {
    REACH_LISTED,   /* only those in `attributes` are allowed */
    REACH_UNLISTED, /* all are allowed except those in `attributes`, names that begin with '_', and
                       names of modules */
    REACH_ADDED,    /* likewise, but of modules only policy_python_modules; of the modules that a
                       profile adds, whose functions may have the names of others: sympy.integrate */
};

struct policy_module {
    const char *name;            /* dotted */
    enum policy_profile profile; /* the narrowest that contains it */
    enum policy_import importable;
    enum policy_reach reach;
    const char *attributes; /* words separated by single spaces */
};

/* Of a profile that is made at the start (validator_profile_create): all is owned. */
struct profile_additions {
    const char *base;
    char *name;
    char **modules;             /* NULL-terminated */
    struct policy_module *rows; /* sorted by name, with owned texts */
    size_t row_count;
    struct validator_elsewhere *elsewhere;
    size_t elsewhere_count;
};

extern const struct policy_module
    policy_modules[]; /* sorted by name; ends with a row without name */
extern const size_t policy_module_count;

/* Why something is refused and what to write instead, by its dotted name: "pandas.read_csv", or
 * "pandas.read_*". */
struct policy_advice {
    const char *name;
    const char *text;
};

extern const struct policy_advice policy_attribute_advice[]; /* ends with a row without name */
extern const struct policy_advice
    policy_import_advice[]; /* by the first part of the module's name; likewise */
/* The same for libraries that no profile of the table has. */
extern const struct policy_advice policy_library_advice[];

/* The same for attributes that load matplotlib, in profiles without it. */
extern const struct policy_advice policy_chart_advice[];

/* Names of modules that Python and the allowed libraries have as attributes: "os", "codecs",
 * "multiarray". Sorted. */
extern const char *const policy_inner_modules[];
extern const size_t policy_inner_module_count;

/* What a name may not be, or only so. A method of WRITER, QUERY or GETTER is not taken without a
 * call: not by a pattern either. `--dump-policy` has the second column. */
#define POLICY_ROLES(ROW)                                                                          \
    ROW(NAME, name)           /* refused as a name, a binding, a keyword or an import */           \
    ROW(ATTRIBUTE, attribute) /* refused as an attribute, and as a pattern's keyword */            \
    ROW(WRITER, writer)       /* writes a file when it is given a path: called, without one */     \
    ROW(QUERY, query)         /* evaluates its text: called, with the text written out */          \
    ROW(BY_NAME, by_name)     /* takes names of methods as strings */                              \
    ROW(TYPE, type)           /* type: one argument only */                                        \
    ROW(GETTER, getter) /* operator.attrgetter and methodcaller: called with plain names only, and \
                           imported under their own */                                             \
    ROW(GRAPH, graph)   /* gives a networkx graph: needs the kind "data" */                        \
    ROW(KEYWORD, keyword)     /* refused as a keyword argument */                                  \
    ROW(OPTION, option)       /* takes names of pandas' options as strings */                      \
    ROW(ASKED_FOR, asked_for) /* a type for isinstance() and annotations, not called */            \
    ROW(INDEXED, indexed)     /* takes an index in brackets that is no text */                     \
    ROW(BASE, base)           /* a base of classes only */                                         \
    ROW(FORMAT, format)       /* makes text of a template: names by text may be put together */    \
    ROW(METHOD_BY_NAME, method_by_name) /* ROLE_BY_NAME, of attributes only */                     \
    ROW(EVALUATED, evaluated)           /* as a keyword argument: given text, it is run */         \
    ROW(DECORATOR, decorator)           /* a decorator of classes only */                          \
    ROW(STORE, store)                   /* an attribute that no program with arrays stores to */   \
    ROW(OWN_STORE, own_store)           /* likewise, unless classes of the program have it */      \
    ROW(ITEM_STORE, item_store)         /* likewise, for items in it */                            \
    ROW(MEMORY, memory)   /* refused as an attribute of anything in such a program */              \
    ROW(CHART, chart)     /* loads matplotlib as an attribute, unless classes have it too */       \
    ROW(CHECK, check)     /* as a keyword argument: nothing but True */                            \
    ROW(WRAPPER, wrapper) /* stores attributes by name, if it is given which: called with          \
                             functions alone */                                                    \
    ROW(NO_BASE, no_base) /* no base of classes */

#define POLICY_ROLE_BIT(role, name) ROLE_BIT_##role,
enum { POLICY_ROLES(POLICY_ROLE_BIT) };
#undef POLICY_ROLE_BIT

#define POLICY_ROLE(role, name) ROLE_##role = 1 << ROLE_BIT_##role,
enum policy_role { POLICY_ROLES(POLICY_ROLE) };
#undef POLICY_ROLE

enum {
    ROLE_ANY_MEMORY = ROLE_STORE | ROLE_OWN_STORE | ROLE_ITEM_STORE | ROLE_MEMORY,
    ROLE_ANY_PLACE =
        ROLE_ASKED_FOR | ROLE_INDEXED | ROLE_BASE | ROLE_DECORATOR | ROLE_WRAPPER | ROLE_NO_BASE,
};

struct policy_name {
    const char *name;
    unsigned roles;
    const char *advice; /* a sentence that says what to do instead; or NULL */
};

extern const struct policy_name policy_names[]; /* sorted */
extern const size_t policy_name_count;

/* Lists of words with single spaces between. policy_NAME has the words, `--dump-policy` the name.
 */
#define POLICY_WORDS(ROW)                                                                          \
    ROW(dunder_methods) /* what a class may define and super() may be asked for */                 \
    ROW(path_keywords)  /* keyword arguments through which a ROLE_WRITER method takes a path */    \
    ROW(query_keywords) /* keyword arguments that a ROLE_QUERY method may not be given */          \
    ROW(private_names)  /* attributes that begin with '_' and are public all the same */           \
    ROW(dunder_texts)   /* names in double underscores that are no text either: what Python keeps  \
                           under them leads out of the program. Others, such as "__class__", are   \
                           keys of honest data */                                                  \
    ROW(dunder_pieces)  /* beside them where a program fills in templates */                       \
    ROW(command_texts)  /* texts that a library takes for a command: whole, up to '*', or anywhere \
                           behind '*' */                                                           \
    ROW(evaluated_settings) /* keys of settings whose value, where it is text, is run */           \
    ROW(item_storable)      /* attributes of modules in which items may be stored */               \
    ROW(storable)           /* attributes of modules that may be stored to: "pandas.options" */    \
    ROW(readers)         /* functions that read a file or a buffer: called with a buffer alone */  \
    ROW(reader_keywords) /* their keyword arguments that take it */                                \
    ROW(reader_refused)  /* keyword arguments that they may not be given: those import modules or  \
                            map files */                                                           \
    ROW(python_modules)  /* Python's own modules that lead to files, processes, networks, or code  \
                          */                                                                       \
    ROW(buffers)         /* what makes a buffer */

#define POLICY_WORDS_DECLARE(name) extern const char policy_##name[];
POLICY_WORDS(POLICY_WORDS_DECLARE)
#undef POLICY_WORDS_DECLARE

/* The functions below take names of len bytes, not NUL-terminated. */
/* Also finds the modules of wider profiles, and those that the profile adds. NULL if there is none.
 */
const struct policy_module *policy_module_find(const struct validator_profile *profile,
                                               const char *name, size_t len);
const struct policy_module *policy_module_step(const struct validator_profile *profile,
                                               const struct policy_module *module,
                                               const char *attribute, size_t len);
const struct policy_name *policy_name_find(const char *name, size_t len);
bool policy_is_builtin(const char *name, size_t len);
bool policy_has_word(const char *words, const char *word, size_t len);

/* Whether code of the profile may use the attribute of the module. The attribute must not be a
 * module itself. */
bool policy_attribute_allowed(const struct policy_module *module, const char *attribute, size_t len,
                              enum policy_profile profile);

/* The advice on module.attribute, or NULL. */
const char *policy_advice_on(const struct policy_module *module, const char *attribute, size_t len,
                             enum policy_profile profile);

/* Whether module.attribute is one of policy_chart_advice. */
bool policy_is_chart(const struct policy_module *module, const char *attribute, size_t len);

/* The allowed attribute that is nearest to a misspelt one; NULL if none is near. word has room for
 * NEAREST_WORD_CAP bytes. */
const char *policy_nearest_attribute(const struct policy_module *module, const char *attribute,
                                     size_t len, char *word);

/* The builtin names of Python. Sorted. */
extern const char *const policy_builtins[];
extern const size_t policy_builtin_count;

/* Names that programs give to the module code_helpers; words. */
extern const char policy_helper_modules[];

/* The function of code_helpers that is meant by a guessed name; NULL if there is none, or if the
 * module is another one. */
const char *policy_guessed_helper(const struct policy_module *module, const char *name, size_t len);

/* The replacement of an unbound name. */
struct policy_unknown {
    char text[2 * VALIDATOR_MODULE_NAME_CAP + 128]; /* for a person */
    char import[2 * VALIDATOR_MODULE_NAME_CAP];     /* the statement that binds it, or "" */
    const char *instead;                            /* the name that is meant; NULL: itself */
    bool certain;                                   /* import and instead are all that it takes */
};
/* Returns false if nothing is known. */
bool policy_unknown_advice(const char *name, size_t len, struct policy_unknown *unknown);

bool policy_is_dunder(const char *name, size_t len); /* __x__ */

#endif
