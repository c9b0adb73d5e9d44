/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Frames that wait for one page. A model speaks in pieces of a few bytes, faster than a slow page
 * reads: pieces of the same text that wait become one.
 */
#include <stdlib.h>
#include <string.h>

#include "mcp/chat/chat_internal.h"

#define DELTA ",\"delta\":\""
#define TAIL  "\"}"

struct chat_frame {
    TAILQ_ENTRY(chat_frame) link;
    struct buf text;
    size_t head; /* bytes up to the delta's text; 0: it does not grow */
};

void chat_queue_init(struct chat_queue *queue)
{
    TAILQ_INIT(&queue->frames);
    queue->bytes = 0;
}

static void drop_first(struct chat_queue *queue)
{
    struct chat_frame *frame = TAILQ_FIRST(&queue->frames);

    TAILQ_REMOVE(&queue->frames, frame, link);
    queue->bytes -= frame->text.len;
    buf_finish(&frame->text);
    free(frame);
}

void chat_queue_finish(struct chat_queue *queue)
{
    while (!TAILQ_EMPTY(&queue->frames))
        drop_first(queue);
}

/* Quotes within a string are escaped, so a match is not part of an id. */
static size_t head_of(const char *frame, size_t len)
{
    const char *delta = memmem(frame, len, DELTA, sizeof DELTA - 1);

    return delta ? (size_t)(delta - frame) + sizeof DELTA - 1 : 0;
}

static bool join(struct chat_queue *queue, const char *frame, size_t len, size_t head)
{
    struct chat_frame *last = TAILQ_LAST(&queue->frames, chat_frames);
    size_t tail = sizeof TAIL - 1;

    if (!last || head == 0 || last->head != head || memcmp(last->text.data, frame, head) != 0 ||
        last->text.len + len > CHAT_JOINED_MAX)
        return false;
    last->text.len -= tail;
    buf_add(&last->text, frame + head, len - head);
    if (last->text.failed) { /* as it was */
        last->text.failed = false;
        last->text.len += tail;
        return false;
    }
    queue->bytes += len - head - tail;
    return true;
}

int chat_queue_add(struct chat_queue *queue, const char *frame, size_t len, bool grows)
{
    size_t head = grows ? head_of(frame, len) : 0;
    struct chat_frame *made;

    if (queue->bytes + len > CHAT_QUEUE_CAP)
        return -1;
    if (join(queue, frame, len, head))
        return 0;
    made = calloc(1, sizeof *made);
    if (!made)
        return -1;
    buf_init(&made->text, CHAT_QUEUE_CAP);
    buf_add(&made->text, frame, len);
    if (made->text.failed) {
        buf_finish(&made->text);
        free(made);
        return -1;
    }
    made->head = head;
    queue->bytes += len;
    TAILQ_INSERT_TAIL(&queue->frames, made, link);
    return 0;
}

bool chat_queue_next(struct chat_queue *queue, struct buf *to)
{
    struct chat_frame *first = TAILQ_FIRST(&queue->frames);

    if (!first)
        return false;
    buf_add(to, first->text.data, first->text.len);
    drop_first(queue);
    return true;
}
