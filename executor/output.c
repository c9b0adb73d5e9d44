/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/output.h"

#include <string.h>

#include "executor/frame.h"
#include "helpers/base/utf8.h"

/* ---- repair ---- */

static bool is_whole(const char *bytes, size_t len)
{
    uint32_t character;

    return utf8_decode(bytes, len, &character) == len;
}

/* Whether a character may begin with these bytes. That is so if it can continue with one of the
 * bytes at the ends of the valid range. */
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
    } else { /* the pending bytes are invalid, and this byte may begin the next character */
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

        /* Most input is complete characters, mostly ASCII. */
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

/* ---- one stream ---- */

#define REPAIR_GROWS 3u /* an invalid byte becomes this many */

void output_init(struct output *output, size_t cap)
{
    output->cap = cap;
    buf_init(&output->text, cap + REPAIR_GROWS * (FRAME_OUTPUT_CAP + EXECUTION_TAIL_CAP +
                                                  sizeof output->repair.pending));
    buf_init(&output->tail, EXECUTION_TAIL_CAP);
}

void output_finish(struct output *output)
{
    buf_finish(&output->text);
    buf_finish(&output->tail);
}

static bool is_within_character(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* Truncates the text to the cap, at a boundary between characters. */
static void cut_to_cap(struct output *output)
{
    size_t kept = output->cap;

    if (output->text.len <= output->cap)
        return;
    while (kept > 0 && is_within_character(output->text.data[kept]))
        kept--;
    output->cut += output->text.len - kept + output->repair.pending_len;
    output->repair.pending_len = 0;
    output->text.len = kept;
    output->text.data[kept] = '\0';
}

void output_take(struct output *output, const char *bytes, size_t len)
{
    if (output->cut > 0) {
        output->cut += len;
        return;
    }
    utf8_repair_feed(&output->repair, bytes, len, &output->text);
    cut_to_cap(output);
}

int output_take_tail(struct output *output, const char *bytes, size_t len, struct error *err)
{
    if (output->has_tail)
        return error_set(err, ERROR_MALFORMED, "the sandbox sent the end of an output twice");
    if (len > EXECUTION_TAIL_CAP)
        return error_set(err, ERROR_MALFORMED, "the sandbox sent an end of %zu bytes, over %u", len,
                         EXECUTION_TAIL_CAP);
    buf_add(&output->tail, bytes, len);
    output->has_tail = true;
    return buf_check(&output->tail, "the end of an output", err);
}

/* Appends a tail that does not follow the text directly: it is repaired separately, from the first
 * byte that can begin a character. */
static void add_tail_behind_cut(struct output *output)
{
    struct utf8_repair repair = {.pending_len = 0};
    BUF_AUTO struct buf text = {0};
    size_t skipped = 0;

    while (skipped < sizeof repair.pending - 1 && skipped < output->tail.len &&
           is_within_character(output->tail.data[skipped]))
        skipped++;
    utf8_repair_feed(&repair, output->tail.data + skipped, output->tail.len - skipped, &text);
    utf8_repair_end(&repair, &text);
    output->cut += skipped;
    skipped = text.len > EXECUTION_TAIL_CAP ? text.len - EXECUTION_TAIL_CAP : 0;
    while (skipped < text.len && is_within_character(text.data[skipped]))
        skipped++;
    output->cut += skipped;
    if (text.len > skipped)
        buf_add(&output->text, text.data + skipped, text.len - skipped);
}

void output_end(struct output *output, uint64_t cut_inside)
{
    bool whole = output->cut == 0 && cut_inside == 0;

    if (whole) {
        if (output->tail.len > 0)
            utf8_repair_feed(&output->repair, output->tail.data, output->tail.len, &output->text);
        utf8_repair_end(&output->repair, &output->text);
        if (!output->has_tail)
            cut_to_cap(output);
    }
    output->cut += cut_inside;
    if (!whole) {
        output->cut += output->repair.pending_len;
        output->repair.pending_len = 0;
    }
    output->head = output->text.len;
    if (!whole && output->tail.len > 0)
        add_tail_behind_cut(output);
    buf_add(&output->text, "", 0); /* adds a NUL even if empty */
}

void output_break_off(struct output *output)
{
    buf_clear(&output->tail);
    output->has_tail = false;
    output_end(output, 0);
}
