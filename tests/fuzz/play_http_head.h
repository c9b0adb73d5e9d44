/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One input of fuzz_http_head played, for the fuzzer and for the unit test that replays what it has
 * found. Aborts where a promise of http_head.h is broken.
 */
#ifndef LECTERN_TESTS_PLAY_HTTP_HEAD_H
#define LECTERN_TESTS_PLAY_HTTP_HEAD_H

#include <stdlib.h>
#include <string.h>

#include "mcp/transport/http/http_head.h"

static inline void expect(bool holds)
{
    if (!holds)
        abort();
}

/* Of a complete head; the request line and the empty one are none. */
static inline size_t count_fields(const struct buf *head)
{
    size_t lines = 0;

    for (size_t i = 0; i < head->len; i++)
        lines += head->data[i] == '\n';
    return lines - 2;
}

/* What libwebsockets gets has one reading: read again, it stays as it is, unless Host and
 * Content-Length, which are added, make it more fields than a client may send. */
static inline void play_http_head(const uint8_t *bytes, size_t len)
{
    const char *text = (const char *)bytes;
    size_t end = http_head_end(text, len);
    struct buf BUF_AUTO first = {0};
    struct buf BUF_AUTO second = {0};
    struct http_head head, again;

    if (end == 0)
        return;
    expect(end <= len && text[end - 1] == '\n');
    http_head_read(text, end, &head, &first);
    expect(!first.failed && first.len > 4 && !memchr(first.data, '\0', first.len));
    expect(memcmp(first.data + first.len - 4, "\r\n\r\n", 4) == 0);
    expect(http_head_end(first.data, first.len) == first.len);
    expect((head.status != 0) == (head.wrong != NULL) && head.path_len > 0 && *head.path == '/');
    if (count_fields(&first) > HTTP_HEAD_LINES_CAP) {
        expect(count_fields(&first) <= HTTP_HEAD_LINES_CAP + 2);
        return;
    }
    http_head_read(first.data, first.len, &again, &second);
    expect(again.status == 0 && again.method == head.method && !again.chunked);
    expect(again.length == (head.chunked ? 0 : head.length) && again.websocket == head.websocket);
    expect(second.len == first.len && memcmp(second.data, first.data, first.len) == 0);
}

#endif
