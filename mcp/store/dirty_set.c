/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the open transaction has changed. The observer hears of it once it is committed, each thing
 * once, in the order of the first change to it.
 */
#include <stdlib.h>
#include <string.h>

#include "mcp/store/store_internal.h"

#define DIRTY_SET_CAP 4096u /* more is told as a change of the whole session */

struct dirty_entry {
    enum store_target target;
    char sid[SESSION_ID_SIZE];
    char who[WHO_CAP];
    char node_id[NODE_ID_MAX + 1]; /* "": none. An imported id that is longer is not told */
};

struct dirty_set {
    struct dirty_entry *entries;
    size_t count, capacity;
};

struct dirty_set *dirty_set_create(void)
{
    return calloc(1, sizeof(struct dirty_set));
}

void dirty_set_destroy(struct dirty_set *dirty)
{
    if (dirty)
        free(dirty->entries);
    free(dirty);
}

size_t dirty_set_mark(const struct dirty_set *dirty)
{
    return dirty->count;
}

static bool is_known(const struct dirty_set *dirty, const struct dirty_entry *entry)
{
    for (size_t i = dirty->count; i-- > 0;) {
        const struct dirty_entry *other = &dirty->entries[i];

        if (other->target == entry->target && strcmp(other->sid, entry->sid) == 0 &&
            strcmp(other->node_id, entry->node_id) == 0 && strcmp(other->who, entry->who) == 0)
            return true;
    }
    return false;
}

void dirty_set_add(struct dirty_set *dirty, const struct write *write, enum store_target target,
                   const char *node_id)
{
    struct dirty_entry entry = {.target = target};

    if (dirty->count == DIRTY_SET_CAP) { /* the last entry stands for all that follow */
        dirty->entries[DIRTY_SET_CAP - 1].target = STORE_SESSION;
        dirty->entries[DIRTY_SET_CAP - 1].node_id[0] = '\0';
        return;
    }
    memcpy(entry.sid, write->sid, sizeof entry.sid);
    memcpy(entry.who, write->who, sizeof entry.who);
    if (node_id && strlen(node_id) <= NODE_ID_MAX)
        memcpy(entry.node_id, node_id, strlen(node_id) + 1);
    if (is_known(dirty, &entry))
        return;
    if (dirty->count == dirty->capacity) {
        size_t capacity = dirty->capacity ? dirty->capacity * 2 : 16;
        struct dirty_entry *more = realloc(dirty->entries, capacity * sizeof *more);

        if (!more)
            return; /* an onlooker will see it when it next reads */
        dirty->entries = more;
        dirty->capacity = capacity;
    }
    dirty->entries[dirty->count++] = entry;
}

void dirty_set_forget(struct dirty_set *dirty, size_t mark)
{
    if (dirty->count > mark)
        dirty->count = mark;
}

void dirty_set_notify(struct dirty_set *dirty, struct db *db)
{
    for (size_t i = 0; i < dirty->count; i++) {
        const struct dirty_entry *entry = &dirty->entries[i];
        const struct store_change change = {
            .target = entry->target,
            .sid = entry->sid,
            .node_id = entry->node_id[0] ? entry->node_id : NULL,
            .who = entry->who,
        };

        db->backend->notify(db, &change);
    }
    dirty->count = 0;
}
