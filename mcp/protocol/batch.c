/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answers to a batch of messages, which MCP 2025-03-26 requires a server to receive. They wait
 * here for the last one, and are sent together; what a call sends before its answer goes out at
 * once. Runs on the loop's thread.
 */
#include <stdlib.h>

#include "mcp/protocol/peer_internal.h"

/* Bytes of one error in place of an answer: its text, and an id whose characters are escaped. */
#define ERROR_ROOM ((size_t)2048)

/* The reply to one message of a batch. */
struct batch_part {
    struct peer_reply reply; /* first: a reply that sends with on_send is its part */
    struct batch *batch;
    json_t *id; /* of the message; owned, or NULL */
};

struct batch {
    struct peer_reply *reply; /* to the batch */
    bool forgotten;           /* that reply is gone */
    bool only_accepted;       /* no message had to be answered */
    struct buf answers;       /* an array without its end; empty before the first answer */
    size_t waits;             /* see batch_create */
    size_t count;
    struct batch_part parts[];
};

static void free_batch(struct batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        json_decref(batch->parts[i].id);
    buf_finish(&batch->answers);
    free(batch);
}

static void answer(struct batch *batch)
{
    if (batch->answers.len > 0 || batch->answers.failed) {
        buf_addc(&batch->answers, ']');
        reply_respond(batch->reply, NULL, &batch->answers, 200);
    }
    batch->reply->end(batch->reply, batch->only_accepted);
}

void batch_end_one(struct batch *batch)
{
    if (--batch->waits > 0)
        return;
    if (!batch->forgotten)
        answer(batch);
    free_batch(batch);
}

struct batch *batch_create(struct peer_reply *reply, size_t count)
{
    struct batch *batch = calloc(1, sizeof *batch + count * sizeof batch->parts[0]);

    if (!batch)
        return NULL;
    batch->reply = reply;
    batch->only_accepted = true;
    buf_init(&batch->answers, MESSAGE_OUT_CAP + PEER_BATCH_CAP * ERROR_ROOM);
    batch->count = count;
    batch->waits = 1 + count;
    return batch;
}

/* ---- the reply to one message ---- */

static void on_send(struct peer_reply *reply, const char *json, size_t len, enum peer_output kind)
{
    const struct batch_part *part = (struct batch_part *)reply;
    struct batch *batch = part->batch;
    struct buf *answers = &batch->answers;

    if (kind != PEER_RESPONSE) {
        batch->reply->send(batch->reply, json, len, kind);
        return;
    }
    buf_addc(answers, answers->len > 0 ? ',' : '[');
    if (answers->len + len < MESSAGE_OUT_CAP)
        buf_add(answers, json, len);
    else
        message_error(answers, part->id, MESSAGE_REFUSED,
                      "the answers to this batch are too large together: send this request again "
                      "by itself");
}

static void on_end(struct peer_reply *reply, bool accepted)
{
    struct batch *batch = ((struct batch_part *)reply)->batch;

    batch->only_accepted &= accepted;
    batch_end_one(batch);
}

void batch_forget(struct peer_reply **reply, const struct peer_reply *gone)
{
    struct batch *batch =
        *reply && (*reply)->send == on_send ? ((struct batch_part *)*reply)->batch : NULL;

    if (!batch || batch->reply != gone)
        return;
    *reply = NULL;
    batch->forgotten = true;
    batch_end_one(batch);
}

struct peer_reply *batch_reply(struct batch *batch, size_t i, const json_t *id)
{
    struct batch_part *part = &batch->parts[i];

    part->batch = batch;
    part->id = json_incref((json_t *)id);
    part->reply.streams = batch->reply->streams;
    part->reply.send = on_send;
    part->reply.end = on_end;
    return &part->reply;
}
