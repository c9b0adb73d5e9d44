/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The profiles, and look-ups in the policy's tables. Sorted tables are searched by bisection; the
 * tests check their order.
 */
#include "validator/policy/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/nearest.h"
#include "validator/validator.h"

const struct validator_profile policy_profiles[PROFILE_COUNT] = {
    {"minimal", PROFILE_MINIMAL, "bare", NULL, NULL, NULL},
    {"data-science", PROFILE_DATA_SCIENCE, "data", NULL, NULL, NULL},
    {"visualization", PROFILE_VISUALIZATION, "plot", NULL, NULL, NULL},
};
const struct validator_profile policy_learner = {"learner",      PROFILE_MINIMAL, "bare",
                                                 "code_helpers", "input",         NULL};

const struct validator_profile *validator_profile_find(const char *name)
{
    for (size_t i = 0; i < PROFILE_COUNT; i++)
        if (strcmp(policy_profiles[i].name, name) == 0)
            return &policy_profiles[i];
    return NULL;
}

const struct validator_profile *validator_profile_learner(void)
{
    return &policy_learner;
}

bool policy_profile_has(const struct validator_profile *profile, const struct policy_module *module)
{
    return module->profile <= profile->rank &&
           !(profile->without && strcmp(profile->without, module->name) == 0);
}

const struct policy_module *profile_added(const struct validator_profile *profile, size_t *count)
{
    *count = profile->additions ? profile->additions->row_count : 0;
    return *count ? profile->additions->rows : NULL;
}

bool policy_module_is_added(const struct validator_profile *profile,
                            const struct policy_module *module)
{
    size_t count;
    const struct policy_module *rows = profile_added(profile, &count);

    for (size_t i = 0; i < count; i++)
        if (module == &rows[i])
            return true;
    return false;
}

const char *profile_elsewhere(const struct validator_profile *profile, const char *module)
{
    const struct profile_additions *additions = profile->additions;

    for (size_t i = 0; additions && i < additions->elsewhere_count; i++)
        if (strcmp(additions->elsewhere[i].module, module) == 0)
            return additions->elsewhere[i].profile;
    return NULL;
}

const char *validator_profile_base(const struct validator_profile *profile)
{
    return profile->additions ? profile->additions->base : profile->name;
}

const char *const *validator_profile_added(const struct validator_profile *profile)
{
    return profile->additions ? (const char *const *)profile->additions->modules : NULL;
}

const char *validator_profile_name(const struct validator_profile *profile)
{
    return profile->name;
}

const char *validator_profile_names(void)
{
    return "minimal, data-science, visualization";
}

bool validator_profile_within(const struct validator_profile *profile,
                              const struct validator_profile *limit)
{
    size_t added;

    if (profile == limit)
        return true;
    profile_added(profile, &added);
    return added == 0 && profile->rank <= limit->rank;
}

/* Like strcmp, for a name that is not NUL-terminated. Usually one of the first bytes differs. */
static int compare(const char *name, size_t len, const char *row)
{
    for (size_t i = 0; i < len; i++) {
        int order = (unsigned char)name[i] - (unsigned char)row[i];

        if (order)
            return order;
    }
    return row[len] ? -1 : 0;
}

/* The row of that name in a sorted table whose rows begin with the name. */
static inline const void *find(const void *rows, size_t count, size_t row_size, const char *name,
                               size_t len)
{
    size_t from = 0, to = count;

    while (from < to) {
        size_t middle = (from + to) / 2;
        const char *const *row = (const void *)((const char *)rows + middle * row_size);
        int order = compare(name, len, *row);

        if (order == 0)
            return row;
        if (order < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return NULL;
}

const struct policy_module *policy_module_find(const struct validator_profile *profile,
                                               const char *name, size_t len)
{
    const struct policy_module *row =
        find(policy_modules, policy_module_count, sizeof *policy_modules, name, len);
    size_t count;
    const struct policy_module *added;

    if (row)
        return row;
    added = profile_added(profile, &count);
    return count ? find(added, count, sizeof *added, name, len) : NULL;
}

/* The index-th importable row of that rank and place; *index is what is left to count. */
static const struct policy_module *listed(const struct validator_profile *profile,
                                          const struct policy_module *rows, size_t count, int rank,
                                          int place, size_t *index)
{
    for (size_t i = 0; i < count; i++)
        if ((int)rows[i].profile == rank && (int)rows[i].importable == place &&
            policy_profile_has(profile, &rows[i]) && (*index)-- == 0)
            return &rows[i];
    return NULL;
}

const char *validator_profile_module(const struct validator_profile *profile, size_t index)
{
    const struct policy_module *row = NULL, *added;
    size_t count;

    added = profile_added(profile, &count);
    for (int rank = 0; !row && rank <= (int)profile->rank; rank++)
        for (int place = IMPORT_FIRST; !row && place <= IMPORT_LAST; place++)
            row = listed(profile, policy_modules, policy_module_count, rank, place, &index);
    if (!row)
        row = listed(profile, added, count, profile->rank, IMPORT_YES, &index);
    return row ? row->name : NULL;
}

bool validator_profile_allows(const struct validator_profile *profile, const char *module)
{
    const struct policy_module *row = policy_module_find(profile, module, strlen(module));

    return row && row->importable && policy_profile_has(profile, row);
}

const struct policy_module *policy_module_step(const struct validator_profile *profile,
                                               const struct policy_module *module,
                                               const char *attribute, size_t len)
{
    char name[VALIDATOR_MODULE_NAME_CAP];
    size_t base = strlen(module->name);

    if (base + 1 + len >= sizeof name)
        return NULL;
    memcpy(name, module->name, base);
    name[base] = '.';
    memcpy(name + base + 1, attribute, len);
    return policy_module_find(profile, name, base + 1 + len);
}

const struct policy_name *policy_name_find(const char *name, size_t len)
{
    return find(policy_names, policy_name_count, sizeof *policy_names, name, len);
}

static bool is_inner_module(const char *name, size_t len)
{
    return find(policy_inner_modules, policy_inner_module_count, sizeof *policy_inner_modules, name,
                len);
}

bool policy_is_builtin(const char *name, size_t len)
{
    return find(policy_builtins, policy_builtin_count, sizeof *policy_builtins, name, len);
}

bool policy_has_word(const char *words, const char *word, size_t len)
{
    const char *end = words + strlen(words), *at = words;

    if (len == 0)
        return false;
    while ((at = memmem(at, (size_t)(end - at), word, len))) {
        if ((at == words || at[-1] == ' ') && (at + len == end || at[len] == ' '))
            return true;
        at++;
    }
    return false;
}

bool policy_attribute_allowed(const struct policy_module *module, const char *attribute, size_t len,
                              enum policy_profile profile)
{
    bool listed = policy_has_word(module->attributes, attribute, len);

    if (module->reach == REACH_LISTED)
        return listed;
    if (module->reach == REACH_ADDED)
        return attribute[0] != '_' && !policy_has_word(policy_python_modules, attribute, len);
    if (attribute[0] == '_' || listed || is_inner_module(attribute, len))
        return false;
    return !policy_advice_on(module, attribute, len, profile);
}

/* "read_*" covers "read_csv". */
static bool covers(const char *pattern, const char *name, size_t len)
{
    size_t fixed = strcspn(pattern, "*");

    if (pattern[fixed] == '*')
        return len >= fixed && memcmp(pattern, name, fixed) == 0;
    return len == fixed && memcmp(pattern, name, fixed) == 0;
}

static const char *advice_in(const struct policy_advice *rows, const struct policy_module *module,
                             const char *attribute, size_t len)
{
    size_t base = strlen(module->name);

    for (const struct policy_advice *row = rows; row->name; row++)
        if (strncmp(row->name, module->name, base) == 0 && row->name[base] == '.' &&
            covers(row->name + base + 1, attribute, len))
            return row->text;
    return NULL;
}

const char *policy_advice_on(const struct policy_module *module, const char *attribute, size_t len,
                             enum policy_profile profile)
{
    const char *advice = advice_in(policy_attribute_advice, module, attribute, len);

    if (!advice && profile < PROFILE_VISUALIZATION)
        advice = advice_in(policy_chart_advice, module, attribute, len);
    return advice;
}

bool policy_is_chart(const struct policy_module *module, const char *attribute, size_t len)
{
    return advice_in(policy_chart_advice, module, attribute, len);
}

const char *policy_nearest_attribute(const struct policy_module *module, const char *attribute,
                                     size_t len, char *word)
{
    char wanted[NEAREST_WORD_CAP], *copy, *words, *next;
    struct nearest search;
    bool found;

    if (module->reach != REACH_LISTED || len >= sizeof wanted)
        return NULL;
    snprintf(wanted, sizeof wanted, "%.*s", (int)len, attribute);
    nearest_begin(&search, wanted);
    copy = words = strdup(module->attributes);
    while ((next = strsep(&words, " ")))
        nearest_feed(&search, next);
    found = search.best != NULL;
    if (found)
        snprintf(word, NEAREST_WORD_CAP, "%s", search.best);
    free(copy);
    return found ? word : NULL;
}

bool policy_is_dunder(const char *name, size_t len)
{
    return len > 4 && name[0] == '_' && name[1] == '_' && name[len - 1] == '_' &&
           name[len - 2] == '_';
}
