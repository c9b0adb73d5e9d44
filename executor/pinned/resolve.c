/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/pinned/resolve.h"

#include <stdio.h>
#include <string.h>

#include "executor/pinned/version.h"

#define SPACE " \t"

struct closure {
    const struct package_index *index;
    const struct pinned_lock *lock;
    const struct index_entry **chosen;
    size_t count;
};

/* One alternative: "python3-numpy:any (>= 1:1.20~)". */
struct dependency {
    char name[128], relation[4], version[64]; /* relation: "" if any version will do */
};

static void read_need(const char *text, size_t len, struct dependency *need)
{
    char copy[256];
    const char *bracket;

    memset(need, 0, sizeof *need);
    snprintf(copy, sizeof copy, "%.*s", (int)len, text);
    sscanf(copy, " %127[^ :([]", need->name);
    bracket = strchr(copy, '(');
    if (bracket)
        sscanf(bracket, "( %3[<>=] %63[^) ]", need->relation, need->version);
}

static bool fits(const struct dependency *need, const char *version)
{
    int order = *need->relation ? version_compare(version, need->version) : 0;

    switch (need->relation[0]) {
    case '>':
        return need->relation[1] == '>' ? order > 0 : order >= 0;
    case '<':
        return need->relation[1] == '<' ? order < 0 : order <= 0;
    default:
        return order == 0;
    }
}

/* The version of a package that is chosen or in the lock; NULL. */
static const char *version_had(const struct closure *closure, const char *name)
{
    for (size_t i = 0; i < closure->lock->count; i++)
        if (strcmp(closure->lock->packages[i].name, name) == 0)
            return closure->lock->packages[i].version;
    for (size_t i = 0; i < closure->count; i++)
        if (strcmp(closure->chosen[i]->name, name) == 0)
            return closure->chosen[i]->version;
    return NULL;
}

static bool provides(const struct index_entry *entry, const struct dependency *need)
{
    const char *at = entry->provides;

    while (*at) {
        size_t len = strcspn(at, ",");
        struct dependency provided;

        read_need(at, len, &provided);
        if (strcmp(provided.name, need->name) == 0 &&
            (!*need->relation || (*provided.version && fits(need, provided.version))))
            return true;
        at += len + (at[len] == ',');
    }
    return false;
}

/* The package to take for an alternative: NULL if the release has none. *had: one is there. */
static const struct index_entry *find_package(const struct closure *closure,
                                              const struct dependency *need, bool *had)
{
    const char *version = version_had(closure, need->name);
    const struct index_entry *entry =
        package_index_find(closure->index, need->name, strlen(need->name));

    *had = version && fits(need, version);
    if (*had || version) /* another version of a package of the lock cannot be had */
        return NULL;
    if (entry && fits(need, entry->version))
        return entry;
    entry = NULL;
    for (size_t i = 0; i < closure->index->count; i++) {
        const struct index_entry *other = &closure->index->entries[i];

        if (!*other->provides || !provides(other, need))
            continue;
        *had = version_had(closure, other->name) != NULL;
        if (*had)
            return NULL;
        entry = entry ? entry : other;
    }
    return entry;
}

static int choose(struct closure *closure, const struct index_entry *entry, struct error *err)
{
    if (entry->essential || version_had(closure, entry->name))
        return 0;
    if (closure->count == PINNED_PACKAGES_CAP)
        return error_set(err, ERROR_TOO_LARGE, "more than %d packages are needed",
                         PINNED_PACKAGES_CAP);
    closure->chosen[closure->count++] = entry;
    return 0;
}

/* "a (>= 1) | b" */
static int choose_one_of(struct closure *closure, const struct index_entry *whose, const char *text,
                         size_t len, struct error *err)
{
    const struct index_entry *first = NULL;

    for (size_t at = 0; at < len;) {
        size_t one = strcspn(text + at, "|,");
        const struct index_entry *entry;
        struct dependency need;
        bool had;

        if (at + one > len)
            one = len - at;
        read_need(text + at, one, &need);
        entry = *need.name ? find_package(closure, &need, &had) : NULL;
        if (!*need.name || had)
            return 0;
        first = first ? first : entry;
        at += one + 1;
    }
    if (first)
        return choose(closure, first, err);
    return error_set(err, ERROR_INVALID,
                     "%s needs %.*s, which neither the pinned Python nor its release has; `make "
                     "sandbox-update` takes the newest versions of the pinned Python",
                     whose->name, (int)(len < 200 ? len : 200), text + strspn(text, SPACE));
}

static int choose_all(struct closure *closure, const struct index_entry *whose, const char *text,
                      struct error *err)
{
    while (*text) {
        size_t len = strcspn(text, ",");

        if (choose_one_of(closure, whose, text, len, err) < 0)
            return -1;
        text += len + (text[len] == ',');
    }
    return 0;
}

int packages_resolve(const struct package_index *index, const struct pinned_lock *lock,
                     const char *const *names, const struct index_entry **chosen, size_t *count,
                     struct error *err)
{
    struct closure closure = {.index = index, .lock = lock, .chosen = chosen};
    int rc = 0;

    for (; rc == 0 && *names; names++) {
        const struct index_entry *entry = package_index_find(index, *names, strlen(*names));

        if (!entry && !version_had(&closure, *names))
            rc = error_set(err, ERROR_INVALID, "the release %s has no package %s", lock->release,
                           *names);
        else if (entry)
            rc = choose(&closure, entry, err);
    }
    for (size_t i = 0; rc == 0 && i < closure.count; i++) {
        rc = choose_all(&closure, chosen[i], chosen[i]->pre_depends, err);
        if (rc == 0)
            rc = choose_all(&closure, chosen[i], chosen[i]->depends, err);
    }
    *count = closure.count;
    return rc;
}
