/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image/runner/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define QUEUE_SIZE_FIRST 4096u

void queue_init(struct queue *queue, size_t cap)
{
    memset(queue, 0, sizeof *queue);
    queue->cap = cap;
}

void queue_finish(struct queue *queue)
{
    free(queue->data);
    memset(queue, 0, sizeof *queue);
}

static int make_room(struct queue *queue, size_t len)
{
    size_t size = queue->size ? queue->size : QUEUE_SIZE_FIRST;
    unsigned char *data;

    if (queue->cap - queue->len < len)
        return -1;
    if (queue->size - queue->start - queue->len >= len)
        return 0;
    if (queue->data && queue->start > 0) {
        memmove(queue->data, queue->data + queue->start, queue->len);
        queue->start = 0;
    }
    while (size < queue->len + len)
        size *= 2;
    if (size <= queue->size)
        return 0;
    data = realloc(queue->data, size);
    if (!data)
        return -1;
    queue->data = data;
    queue->size = size;
    return 0;
}

int queue_add(struct queue *queue, const void *data, size_t len)
{
    if (len == 0)
        return 0;
    if (make_room(queue, len) < 0)
        return -1;
    memcpy(queue->data + queue->start + queue->len, data, len);
    queue->len += len;
    return 0;
}

int queue_add_frame(struct queue *queue, enum frame_type type, const void *payload, size_t len)
{
    unsigned char head[FRAME_HEAD_SIZE];

    if (queue->cap - queue->len < len + sizeof head)
        return -1;
    frame_pack(head, type, (uint32_t)len);
    if (make_room(queue, len + sizeof head) < 0)
        return -1;
    queue_add(queue, head, sizeof head);
    return queue_add(queue, payload, len);
}

int queue_flush(struct queue *queue, int fd)
{
    while (queue->len > 0) {
        ssize_t done = write(fd, queue->data + queue->start, queue->len);

        if (done < 0)
            return errno == EAGAIN || errno == EINTR ? 0 : -1;
        queue->start += (size_t)done;
        queue->len -= (size_t)done;
    }
    queue->start = 0;
    return 0;
}
