/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the open transaction has changed. The observer hears of it once it is committed, each thing
 * once, in the order of the first change to it.
 */
#include <stdlib.h>
#include <string.h>

#include "mcp/session/sqlite/sqlite_store.h"

#define PENDING_CAP 4096u /* more is told as a change of the whole session */

struct entry {
    enum store_target target;
    char sid[SESSION_ID_SIZE];
    char who[WHO_CAP];
    char node_id[NODE_ID_MAX + 1]; /* "": none. An imported id that is longer is not told */
};

struct pending {
    struct entry *entries;
    size_t count, capacity;
};

struct pending *pending_create(void)
{
    return calloc(1, sizeof(struct pending));
}

void pending_destroy(struct pending *pending)
{
    if (pending)
        free(pending->entries);
    free(pending);
}

size_t pending_mark(const struct pending *pending)
{
    return pending->count;
}

static bool is_known(const struct pending *pending, const struct entry *entry)
{
    for (size_t i = pending->count; i-- > 0;) {
        const struct entry *other = &pending->entries[i];

        if (other->target == entry->target && !strcmp(other->sid, entry->sid) &&
            !strcmp(other->node_id, entry->node_id) && !strcmp(other->who, entry->who))
            return true;
    }
    return false;
}

void pending_add(struct pending *pending, const struct write *write, enum store_target target,
                 const char *node_id)
{
    struct entry entry = {.target = target};

    if (pending->count == PENDING_CAP) { /* the last entry stands for all that follow */
        pending->entries[PENDING_CAP - 1].target = STORE_SESSION;
        pending->entries[PENDING_CAP - 1].node_id[0] = '\0';
        return;
    }
    memcpy(entry.sid, write->sid, sizeof entry.sid);
    memcpy(entry.who, write->who, sizeof entry.who);
    if (node_id && strlen(node_id) <= NODE_ID_MAX)
        memcpy(entry.node_id, node_id, strlen(node_id) + 1);
    if (is_known(pending, &entry))
        return;
    if (pending->count == pending->capacity) {
        size_t capacity = pending->capacity ? pending->capacity * 2 : 16;
        struct entry *more = realloc(pending->entries, capacity * sizeof *more);

        if (!more)
            return; /* an onlooker will see it when it next reads */
        pending->entries = more;
        pending->capacity = capacity;
    }
    pending->entries[pending->count++] = entry;
}

void pending_forget(struct pending *pending, size_t mark)
{
    if (pending->count > mark)
        pending->count = mark;
}

void pending_tell(struct pending *pending, const struct store *store)
{
    for (size_t i = 0; store->observer && i < pending->count; i++) {
        const struct entry *entry = &pending->entries[i];
        const struct store_change change = {
            .target = entry->target,
            .sid = entry->sid,
            .node_id = entry->node_id[0] ? entry->node_id : NULL,
            .who = entry->who,
        };

        store->observer(store->observer_user, &change);
    }
    pending->count = 0;
}
