/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Profiles that are made at the start: a built-in one and further modules. The rows of those
 * modules have the form of the policy's own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/error.h"
#include "validator/policy/policy.h"
#include "validator/validator.h"

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (!memory)
        abort();
    return memory;
}

static char *copy(const char *text, size_t len)
{
    char *to = strndup(text, len);

    if (!to)
        abort();
    return to;
}

/* "sklearn.feature_extraction.text": parts of letters, digits and "_", none of them private. */
static bool is_module_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

    if (strlen(name) >= VALIDATOR_MODULE_NAME_CAP)
        return false;
    for (;; name++) {
        size_t len = strspn(name, letters);

        if (len == 0 || *name == '_' || (*name >= '0' && *name <= '9'))
            return false;
        name += len;
        if (*name != '.')
            return *name == '\0';
    }
}

static int check_name(const struct validator_profile *base, const char *name, struct error *err)
{
    const struct policy_module *row;

    if (!is_module_name(name))
        return error_set_at(err, "modules",
                            "'%.100s' is not the name of a module, such as "
                            "sklearn.cluster",
                            name);
    row = policy_module_find(base, name, strlen(name));
    if (row && row->importable)
        return error_set_at(err, "modules", "'%s' is in the profile %s already: leave it out", name,
                            policy_profiles[row->profile].name);
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
        row = policy_module_find(base, name, (size_t)(dot - name));
        if (row && !policy_profile_has(base, row))
            return error_set_at(err, "modules", "'%s' needs the base %s, because that has %s", name,
                                policy_profiles[row->profile].name, row->name);
    }
    return 0;
}

static int compare(const void *one, const void *other)
{
    return strcmp(((const struct policy_module *)one)->name,
                  ((const struct policy_module *)other)->name);
}

static struct policy_module *row_of(const struct profile_additions *additions, const char *name,
                                    size_t len)
{
    for (size_t i = 0; i < additions->row_count; i++)
        if (strncmp(additions->rows[i].name, name, len) == 0 &&
            additions->rows[i].name[len] == '\0')
            return &additions->rows[i];
    return NULL;
}

/* The row of a module above others has the names of those as attributes. */
static void add_child(struct policy_module *parent, const char *name, size_t len)
{
    char *attributes = NULL;

    if (policy_has_word(parent->attributes, name, len))
        return;
    if (asprintf(&attributes, "%s%s%.*s", parent->attributes, *parent->attributes ? " " : "",
                 (int)len, name) < 0)
        abort();
    free((char *)parent->attributes);
    parent->attributes = attributes;
}

/* Rows for the modules, then for those above them that have none. */
static void add_rows(struct profile_additions *additions, const struct validator_profile *base)
{
    size_t most = 0;

    for (char **name = additions->modules; *name; name++) {
        most++;
        for (const char *dot = strchr(*name, '.'); dot; dot = strchr(dot + 1, '.'))
            most++;
    }
    additions->rows = allocate(most + 1, sizeof *additions->rows);
    for (char **name = additions->modules; *name; name++)
        if (!row_of(additions, *name, strlen(*name)))
            additions->rows[additions->row_count++] = (struct policy_module){
                copy(*name, strlen(*name)), base->rank, IMPORT_YES, REACH_ADDED, copy("", 0)};
    for (char **name = additions->modules; *name; name++)
        for (const char *dot = strchr(*name, '.'); dot; dot = strchr(dot + 1, '.')) {
            size_t len = (size_t)(dot - *name);
            struct policy_module *row = row_of(additions, *name, len);

            if (!row && policy_module_find(&policy_profiles[base->rank], *name, len))
                continue;
            if (!row) {
                row = &additions->rows[additions->row_count++];
                *row = (struct policy_module){copy(*name, len), base->rank, IMPORT_NO, REACH_LISTED,
                                              copy("", 0)};
            }
            if (row->reach == REACH_LISTED)
                add_child(row, dot + 1, strcspn(dot + 1, "."));
        }
    qsort(additions->rows, additions->row_count, sizeof *additions->rows, compare);
}

struct validator_profile *validator_profile_create(const char *name,
                                                   const struct validator_profile *base,
                                                   const char *const *modules,
                                                   const struct validator_elsewhere *elsewhere,
                                                   struct error *err)
{
    struct validator_profile *profile;
    struct profile_additions *additions;
    size_t count = 0, others = 0;

    for (; modules && modules[count]; count++)
        if (check_name(base, modules[count], err) < 0)
            return NULL;
    while (elsewhere && elsewhere[others].module)
        others++;
    profile = allocate(1, sizeof *profile);
    additions = allocate(1, sizeof *additions);
    additions->base = base->name;
    additions->name = copy(name, strlen(name));
    additions->modules = allocate(count + 1, sizeof *additions->modules);
    for (size_t i = 0; i < count; i++)
        additions->modules[i] = copy(modules[i], strlen(modules[i]));
    add_rows(additions, base);
    additions->elsewhere = allocate(others + 1, sizeof *additions->elsewhere);
    for (size_t i = 0; i < others; i++)
        additions->elsewhere[additions->elsewhere_count++] =
            (struct validator_elsewhere){copy(elsewhere[i].module, strlen(elsewhere[i].module)),
                                         copy(elsewhere[i].profile, strlen(elsewhere[i].profile))};
    *profile = *base;
    profile->name = additions->name;
    profile->additions = additions;
    return profile;
}

void validator_profile_destroy(struct validator_profile *profile)
{
    struct profile_additions *additions;

    if (!profile)
        return;
    additions = (struct profile_additions *)profile->additions;
    for (char **name = additions->modules; *name; name++)
        free(*name);
    free(additions->modules);
    for (size_t i = 0; i < additions->row_count; i++) {
        free((char *)additions->rows[i].name);
        free((char *)additions->rows[i].attributes);
    }
    free(additions->rows);
    for (size_t i = 0; i < additions->elsewhere_count; i++) {
        free((char *)additions->elsewhere[i].module);
        free((char *)additions->elsewhere[i].profile);
    }
    free(additions->elsewhere);
    free(additions->name);
    free(additions);
    free(profile);
}
