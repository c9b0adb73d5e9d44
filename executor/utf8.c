/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/utf8.h"

#include <string.h>

#include "helpers/base/utf8.h"

static bool is_whole(const char *bytes, size_t len)
{
    uint32_t character;

    return utf8_decode(bytes, len, &character) == len;
}

/* Whether a character may begin with these bytes: then it also does with one of these at the end of
 * their range behind them. */
static bool is_beginning(const char *bytes, size_t len)
{
    static const unsigned char ends[] = {0x80, 0xbf};
    char filled[UTF8_LEN_MAX];
    uint32_t character;

    for (size_t i = 0; i < sizeof ends; i++) {
        memset(filled, ends[i], sizeof filled);
        memcpy(filled, bytes, len);
        if (len < sizeof filled && utf8_decode(filled, sizeof filled, &character) > len)
            return true;
    }
    return false;
}

static void take(struct utf8_repair *repair, char byte, struct buf *to)
{
    repair->pending[repair->pending_len++] = byte;
    if (is_beginning(repair->pending, repair->pending_len))
        return;
    if (is_whole(repair->pending, repair->pending_len)) {
        buf_add(to, repair->pending, repair->pending_len);
        repair->pending_len = 0;
        return;
    }
    buf_adds(to, UTF8_REPLACEMENT);
    if (repair->pending_len == 1) {
        repair->pending_len = 0;
    } else { /* what was there is none, and the byte may begin the next */
        repair->pending_len = 0;
        take(repair, byte, to);
    }
}

void utf8_repair_feed(struct utf8_repair *repair, const char *bytes, size_t len, struct buf *to)
{
    uint32_t character;
    size_t i = 0;

    while (i < len) {
        size_t run = i, size = 1;

        /* Whole characters are most of what comes, and most of them are ASCII. */
        for (; repair->pending_len == 0 && run < len && size > 0; run += size)
            size = (unsigned char)bytes[run] < 0x80
                       ? 1
                       : utf8_decode(bytes + run, len - run, &character);
        buf_add(to, bytes + i, run - i);
        i = run;
        if (i < len)
            take(repair, bytes[i++], to);
    }
}

void utf8_repair_end(struct utf8_repair *repair, struct buf *to)
{
    if (repair->pending_len > 0)
        buf_adds(to, UTF8_REPLACEMENT);
    repair->pending_len = 0;
}
