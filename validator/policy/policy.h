/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What analysis code may use, as const tables: profiles, modules with what is reachable on them,
 * names that are special anywhere, dunder methods a class may define. policy_modules.c and
 * policy_names.c hold the tables, policy.c finds in them. The tables know nothing of tokens or
 * trees. `lectern validate --dump-policy` prints them.
 */
#ifndef LECTERN_VALIDATOR_POLICY_H
#define LECTERN_VALIDATOR_POLICY_H

#include <stdbool.h>
#include <stddef.h>

enum policy_profile { PROFILE_MINIMAL, PROFILE_DATA_SCIENCE, PROFILE_VISUALIZATION, PROFILE_COUNT };
enum policy_kind { KIND_BARE, KIND_DATA, KIND_PLOT };

const char *policy_kind_name(enum policy_kind kind); /* "bare", "data", "plot" */
/* "minimal", "data-science", "visualization" */
const char *policy_profile_name(enum policy_profile profile);

/* Whether a module can be imported, and where messages name it among those of its profile. */
enum policy_import {
    IMPORT_NO, /* only a step in a chain, as np.char in np.char.upper */
    IMPORT_FIRST,
    IMPORT_YES,
    IMPORT_LAST,
};

/* How the attributes of a module are checked. */
enum policy_reach {
    REACH_LISTED,   /* only those in `attributes` */
    REACH_UNLISTED, /* all but those in `attributes`, names that begin with '_', and names of
                       modules */
};

struct policy_module {
    const char *name;            /* dotted */
    enum policy_profile profile; /* the narrowest that may use it */
    enum policy_kind kind;
    enum policy_import importable;
    enum policy_reach reach;
    const char *attributes; /* words with single spaces between */
};

extern const struct policy_module
    policy_modules[]; /* sorted by name; ends with a row without name */
extern const size_t policy_module_count;

/* Why something is refused and what to write instead, by the dotted name: "pandas.read_csv", or
 * "pandas.read_*". */
struct policy_advice {
    const char *name;
    const char *text;
};

extern const struct policy_advice policy_attribute_advice[]; /* ends with a row without name */
extern const struct policy_advice policy_import_advice[]; /* by a module's first part; likewise */

/* As policy_attribute_advice: what loads matplotlib, for profiles that have none. */
extern const struct policy_advice policy_chart_advice[];

/* Names of modules that Python and the allowed libraries carry as attributes: "os", "codecs",
 * "multiarray". Sorted. */
extern const char *const policy_inner_modules[];
extern const size_t policy_inner_module_count;

/* A method of WRITER, QUERY or GETTER is not taken without a call: not by a pattern either. */
enum policy_role {
    ROLE_NAME = 1 << 0,       /* refused as a name, a binding, a keyword or an import */
    ROLE_ATTRIBUTE = 1 << 1,  /* refused as an attribute of anything, and as a pattern's keyword */
    ROLE_WRITER = 1 << 2,     /* writes a file when it is given a path: called, without one */
    ROLE_QUERY = 1 << 3,      /* evaluates its text: called, with the text written out */
    ROLE_BY_NAME = 1 << 4,    /* takes names of methods as strings */
    ROLE_TYPE = 1 << 5,       /* type: one argument only */
    ROLE_GETTER = 1 << 6,     /* operator.attrgetter and methodcaller: called with plain names only,
                                 and imported under their own */
    ROLE_GRAPH = 1 << 7,      /* gives a networkx graph: needs the kind "data" */
    ROLE_KEYWORD = 1 << 8,    /* refused as a keyword argument */
    ROLE_OPTION = 1 << 9,     /* takes names of pandas' options as strings */
    ROLE_ASKED_FOR = 1 << 10, /* a type for isinstance() and annotations, not called */
    ROLE_INDEXED = 1 << 11,   /* takes an index in brackets that is no text */
    ROLE_BASE = 1 << 12,      /* a base of classes only */
    ROLE_FORMAT = 1 << 13,    /* makes text of a template: names by text may be put together */
    ROLE_METHOD_BY_NAME = 1 << 14, /* ROLE_BY_NAME, of attributes only */
    ROLE_EVALUATED = 1 << 15,      /* as a keyword argument: given text, it is run */
    ROLE_DECORATOR = 1 << 16,      /* a decorator of classes only */
    ROLE_STORE = 1 << 17,          /* an attribute that no program with arrays stores to */
    ROLE_OWN_STORE = 1 << 18,      /* likewise, unless classes of the program have it */
    ROLE_ITEM_STORE = 1 << 19,     /* likewise, for items in it */
    ROLE_MEMORY = 1 << 20,         /* refused as an attribute of anything in such a program */
    ROLE_CHART = 1 << 21,          /* an attribute that loads matplotlib, unless classes of the
                                      program have it */
    ROLE_CHECK = 1 << 22,          /* as a keyword argument: nothing but True */
    ROLE_WRAPPER = 1 << 23,        /* stores attributes by name, if it is given which: called with
                                      functions alone */
    ROLE_NO_BASE = 1 << 24,        /* no base of classes */
    ROLE_ANY_MEMORY = ROLE_STORE | ROLE_OWN_STORE | ROLE_ITEM_STORE | ROLE_MEMORY,
    ROLE_ANY_PLACE =
        ROLE_ASKED_FOR | ROLE_INDEXED | ROLE_BASE | ROLE_DECORATOR | ROLE_WRAPPER | ROLE_NO_BASE,
};

struct policy_name {
    const char *name;
    unsigned roles;
    const char *advice; /* what to do instead, a sentence; or NULL */
};

extern const struct policy_name policy_names[]; /* sorted */
extern const size_t policy_name_count;

/* Keyword arguments through which a ROLE_WRITER method takes a path. */
extern const char policy_path_keywords[];

/* Functions that read a file or a buffer, by dotted names: called with a buffer alone, one of
 * policy_buffers; the keyword arguments that take it; and keyword arguments that they may not be
 * given, since those import modules or map files. */
extern const char policy_readers[];
extern const char policy_reader_keywords[];
extern const char policy_reader_refused[];
extern const char policy_buffers[];

/* Keyword arguments that a ROLE_QUERY method may not be given. */
extern const char policy_query_keywords[];

/* Attributes of modules on which code may store all the same: "pandas.options". */
/* Keys of settings whose value, where it is text, is run. */
extern const char policy_evaluated_settings[];

/* Those in which items are stored. */
extern const char policy_item_storable[];

extern const char policy_storable[];

/* Attributes that begin with '_' and are public all the same. */
extern const char policy_private_names[];

/* Names in double underscores that are no text either: what Python keeps under them leads out of
 * the program. Others, such as "__class__", are keys of honest data. */
extern const char policy_dunder_texts[];

/* Beside them where a program fills in templates. */
extern const char policy_dunder_pieces[];

/* Texts that a library takes for a command: whole, up to '*', or anywhere behind '*'. */
extern const char policy_command_texts[];

extern const char
    policy_dunder_methods[]; /* words: what a class may define and super() may be asked for */

/* The modules that a profile may import, those of narrower profiles first; NULL behind the last. */
const char *policy_profile_module(enum policy_profile profile, size_t index);

/* All take names of len bytes, not NUL-terminated. */
const struct policy_module *policy_module_find(const char *name,
                                               size_t len); /* NULL when there is none */
const struct policy_module *policy_module_step(const struct policy_module *module,
                                               const char *attribute, size_t len);
const struct policy_name *policy_name_find(const char *name, size_t len);
bool policy_is_inner_module(const char *name, size_t len);
bool policy_is_builtin(const char *name, size_t len);
bool policy_has_word(const char *words, const char *word, size_t len);

/* Whether a text is one of policy_command_texts, or names with dots between of which one is of
 * policy_dunder_texts. */
bool policy_is_command(const char *text, size_t len);

/* Whether code may use the attribute of the module in the profile, where it is no module itself. */
bool policy_attribute_allowed(const struct policy_module *module, const char *attribute, size_t len,
                              enum policy_profile profile);

/* The advice on module.attribute, or NULL. */
const char *policy_advice_on(const struct policy_module *module, const char *attribute, size_t len,
                             enum policy_profile profile);

/* Whether module.attribute is one of policy_chart_advice. */
bool policy_is_chart(const struct policy_module *module, const char *attribute, size_t len);

/* Whether module.attribute is one of the dotted words. */
bool policy_has_dotted(const char *words, const struct policy_module *module, const char *attribute,
                       size_t len);

const char *policy_import_advice_on(const char *module, size_t len);

/* The allowed attribute nearest to a misspelt one, NULL when none is near. word has room for
 * NEAREST_WORD_CAP bytes. */
const char *policy_nearest_attribute(const struct policy_module *module, const char *attribute,
                                     size_t len, char *word);

/* What Python binds by itself. Sorted. */
extern const char *const policy_builtins[];
extern const size_t policy_builtin_count;

/* What to write instead of a name that nothing binds. Sorted by name. */
extern const struct policy_advice policy_unknown[];
extern const size_t policy_unknown_count;
const char *policy_unknown_advice(const char *name, size_t len); /* NULL when there is none */

bool policy_is_dunder(const char *name, size_t len); /* __x__ */

#endif
