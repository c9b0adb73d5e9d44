/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/transport/sync_outbox.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/transport/sync.h"

static const char *const target_names[] = {
    [SYNC_COMPONENTS] = "components",
    [SYNC_NODES] = "nodes",
    [SYNC_RELATIONSHIPS] = "relationships",
};
#define TARGETS (sizeof target_names / sizeof target_names[0])

struct sync_said {
    STAILQ_ENTRY(sync_said) link;
    size_t len;
    bool is_error;
    char text[];
};

struct sync_refresh {
    STAILQ_ENTRY(sync_refresh) link;
    enum sync_target target;
    char node_id[]; /* "": of all */
};

void sync_outbox_init(struct sync_outbox *outbox)
{
    memset(outbox, 0, sizeof *outbox);
    STAILQ_INIT(&outbox->said);
    STAILQ_INIT(&outbox->refreshes);
}

/* ---- errors and answers ---- */

int sync_outbox_say(struct sync_outbox *outbox, const char *text, size_t len, bool is_error)
{
    struct sync_said *said;

    if (len > SYNC_SAID_CAP - outbox->bytes || (is_error && outbox->errors == SYNC_ERRORS_CAP))
        return -1;
    said = malloc(sizeof *said + len);
    if (!said)
        return -1;
    said->len = len;
    said->is_error = is_error;
    memcpy(said->text, text, len);
    STAILQ_INSERT_TAIL(&outbox->said, said, link);
    outbox->bytes += len;
    outbox->errors += is_error;
    return 0;
}

static void drop_said(struct sync_outbox *outbox)
{
    struct sync_said *said = STAILQ_FIRST(&outbox->said);

    STAILQ_REMOVE_HEAD(&outbox->said, link);
    outbox->bytes -= said->len;
    outbox->errors -= said->is_error;
    free(said);
}

/* ---- refreshes ---- */

static void drop_refresh(struct sync_outbox *outbox)
{
    struct sync_refresh *refresh = STAILQ_FIRST(&outbox->refreshes);

    STAILQ_REMOVE_HEAD(&outbox->refreshes, link);
    outbox->refresh_count--;
    free(refresh);
}

void sync_outbox_forget_refreshes(struct sync_outbox *outbox)
{
    while (!STAILQ_EMPTY(&outbox->refreshes))
        drop_refresh(outbox);
    outbox->refresh_all = 0;
}

void sync_outbox_refresh_all(struct sync_outbox *outbox)
{
    sync_outbox_forget_refreshes(outbox);
    outbox->refresh_all = (1u << TARGETS) - 1;
}

static bool is_waiting(const struct sync_outbox *outbox, enum sync_target target,
                       const char *node_id)
{
    const struct sync_refresh *refresh;

    if (outbox->refresh_all & 1u << target)
        return true;
    STAILQ_FOREACH(refresh, &outbox->refreshes, link)
    if (refresh->target == target && !strcmp(refresh->node_id, node_id))
        return true;
    return false;
}

bool sync_outbox_refresh(struct sync_outbox *outbox, enum sync_target target, const char *node_id)
{
    struct sync_refresh *refresh = NULL;

    if (is_waiting(outbox, target, node_id))
        return false;
    if (outbox->refresh_count < SYNC_QUEUE_CAP)
        refresh = malloc(sizeof *refresh + strlen(node_id) + 1);
    if (!refresh) {
        sync_outbox_refresh_all(outbox);
        return true;
    }
    refresh->target = target;
    memcpy(refresh->node_id, node_id, strlen(node_id) + 1);
    STAILQ_INSERT_TAIL(&outbox->refreshes, refresh, link);
    outbox->refresh_count++;
    return true;
}

static void write_refresh(enum sync_target target, const char *node_id, struct buf *to)
{
    buf_addf(to, "{\"type\":\"refresh_ui\",\"target\":\"%s\",\"node_id\":", target_names[target]);
    if (*node_id)
        json_write_string(to, node_id, strlen(node_id));
    else
        buf_adds(to, "null");
    buf_addc(to, '}');
}

/* ---- both ---- */

bool sync_outbox_next(struct sync_outbox *outbox, struct buf *to)
{
    const struct sync_said *said = STAILQ_FIRST(&outbox->said);
    const struct sync_refresh *refresh = STAILQ_FIRST(&outbox->refreshes);

    if (said) {
        buf_add(to, said->text, said->len);
        drop_said(outbox);
        return true;
    }
    for (unsigned target = 0; target < TARGETS; target++) {
        if (outbox->refresh_all & 1u << target) {
            outbox->refresh_all &= ~(1u << target);
            write_refresh(target, "", to);
            return true;
        }
    }
    if (!refresh)
        return false;
    write_refresh(refresh->target, refresh->node_id, to);
    drop_refresh(outbox);
    return true;
}

void sync_outbox_finish(struct sync_outbox *outbox)
{
    while (!STAILQ_EMPTY(&outbox->said))
        drop_said(outbox);
    sync_outbox_forget_refreshes(outbox);
}
