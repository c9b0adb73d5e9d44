/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/utf8.h"

#include "helpers/base/utf8.h"

/* Unicode 15, table 3-7: for each lead byte, the length of its sequence and the range of the second
 * byte. */
static size_t sequence(unsigned char lead, unsigned char *low, unsigned char *high)
{
    *low = 0x80;
    *high = 0xbf;
    if (lead < 0x80)
        return 1;
    if (lead >= 0xc2 && lead <= 0xdf)
        return 2;
    if (lead >= 0xe0 && lead <= 0xef) {
        if (lead == 0xe0)
            *low = 0xa0;
        if (lead == 0xed)
            *high = 0x9f;
        return 3;
    }
    if (lead >= 0xf0 && lead <= 0xf4) {
        if (lead == 0xf0)
            *low = 0x90;
        if (lead == 0xf4)
            *high = 0x8f;
        return 4;
    }
    return 0;
}

static void add_replacement(struct buf *to)
{
    buf_add(to, UTF8_REPLACEMENT, 3);
}

static void take(struct utf8_repair *repair, unsigned char byte, struct buf *to)
{
    unsigned char low, high;
    size_t wanted;

    if (repair->pending_len > 0) {
        wanted = sequence(repair->pending[0], &low, &high);
        if (repair->pending_len > 1) {
            low = 0x80;
            high = 0xbf;
        }
        if (byte >= low && byte <= high) {
            repair->pending[repair->pending_len++] = byte;
            if (repair->pending_len == wanted) {
                buf_add(to, repair->pending, wanted);
                repair->pending_len = 0;
            }
            return;
        }
        add_replacement(to);
        repair->pending_len = 0;
    }
    wanted = sequence(byte, &low, &high);
    if (wanted == 1)
        buf_addc(to, (char)byte);
    else if (wanted == 0)
        add_replacement(to);
    else
        repair->pending[repair->pending_len++] = byte;
}

void utf8_repair_feed(struct utf8_repair *repair, const char *bytes, size_t len, struct buf *to)
{
    size_t i = 0;

    while (i < len) {
        size_t run = i;

        /* Runs of ASCII are most of what comes. */
        while (repair->pending_len == 0 && run < len && (unsigned char)bytes[run] < 0x80)
            run++;
        buf_add(to, bytes + i, run - i);
        i = run;
        if (i < len)
            take(repair, (unsigned char)bytes[i++], to);
    }
}

void utf8_repair_end(struct utf8_repair *repair, struct buf *to)
{
    if (repair->pending_len > 0)
        add_replacement(to);
    repair->pending_len = 0;
}
