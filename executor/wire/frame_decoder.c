/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/wire/frame_decoder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_FIRST 256u
#define SIZE_KEPT  (FRAME_OUTPUT_CAP + 1u) /* a larger buffer is freed after its frame */

void frame_decoder_init(struct frame_decoder *decoder, const struct frame_rule *rules)
{
    memset(decoder, 0, sizeof *decoder);
    decoder->rules = rules;
}

void frame_decoder_finish(struct frame_decoder *decoder)
{
    free(decoder->held);
    decoder->held = NULL;
    decoder->size = 0;
}

static enum frame_decoded open_frame(struct frame_decoder *decoder)
{
    const struct frame_rule *rule = decoder->rules;
    unsigned char type;

    decoder->expected = frame_unpack(decoder->head, &type);
    decoder->taken = 0;
    while (rule->type && rule->type != type)
        rule++;
    if (!rule->type || decoder->head[1] || decoder->head[2] || decoder->head[3]) {
        snprintf(decoder->fault, sizeof decoder->fault,
                 "no frame begins with the byte 0x%02x in this direction", type);
        return FRAME_BREACH;
    }
    if (decoder->expected < rule->min || decoder->expected > rule->cap) {
        snprintf(decoder->fault, sizeof decoder->fault,
                 "a frame '%c' has %u bytes; it must have %u to %u", type, decoder->expected,
                 rule->min, rule->cap);
        return FRAME_BREACH;
    }
    decoder->rule = rule;
    return FRAME_MORE;
}

/* Makes room for one byte more than len. */
static enum frame_decoded grow(struct frame_decoder *decoder, size_t len)
{
    size_t size = decoder->size ? decoder->size : SIZE_FIRST;
    char *held;

    if (len < decoder->size)
        return FRAME_MORE;
    while (size <= len)
        size *= 2;
    held = realloc(decoder->held, size);
    if (!held) {
        snprintf(decoder->fault, sizeof decoder->fault, "out of memory for a frame of %u bytes",
                 decoder->expected);
        return FRAME_BREACH;
    }
    decoder->held = held;
    decoder->size = size;
    return FRAME_MORE;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

enum frame_decoded frame_decode(struct frame_decoder *decoder, const char **bytes, size_t *len,
                                struct frame *frame)
{
    size_t some, hold;

    if (decoder->fault[0])
        return FRAME_BREACH;
    if (!decoder->rule) {
        if (decoder->size > SIZE_KEPT)
            frame_decoder_finish(decoder);
        some = smaller(FRAME_HEAD_SIZE - decoder->head_len, *len);
        memcpy(decoder->head + decoder->head_len, *bytes, some);
        decoder->head_len += some;
        *bytes += some;
        *len -= some;
        if (decoder->head_len < FRAME_HEAD_SIZE)
            return FRAME_MORE;
        decoder->head_len = 0;
        if (open_frame(decoder) == FRAME_BREACH)
            return FRAME_BREACH;
    }
    hold = decoder->rule->hold ? decoder->rule->hold : decoder->expected;
    frame->is_first = decoder->taken < hold || hold == 0;
    some = smaller(*len, (frame->is_first ? hold : decoder->expected) - decoder->taken);
    frame->payload = *bytes;
    frame->len = some;
    if (frame->is_first) {
        if (grow(decoder, decoder->taken + some) == FRAME_BREACH)
            return FRAME_BREACH;
        memcpy(decoder->held + decoder->taken, *bytes, some);
        frame->payload = decoder->held;
        frame->len = hold;
    }
    decoder->taken += (uint32_t)some;
    *bytes += some;
    *len -= some;
    if (frame->is_first ? decoder->taken < hold : some == 0)
        return FRAME_MORE;
    if (frame->is_first)
        decoder->held[hold] = '\0';
    frame->type = (enum frame_type)decoder->head[0];
    frame->total = decoder->expected;
    if (decoder->taken == decoder->expected)
        decoder->rule = NULL;
    return FRAME_COMPLETE;
}

/* ---- checks of frame contents ---- */

/* The eight bytes of PNG's signature, and the first of a chunk's length, which is 0. */
#define PNG_BEGINS "iVBORw0KGgoA"

static int sextet(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool artifact_is_png(const char *base64, size_t len)
{
    size_t padding = 0;
    int last = 0;

    if (len % 4 != 0 || len < sizeof PNG_BEGINS - 1 ||
        memcmp(base64, PNG_BEGINS, sizeof PNG_BEGINS - 1) != 0)
        return false;
    while (padding < 2 && base64[len - 1 - padding] == '=')
        padding++;
    for (size_t i = 0; i < len - padding; i++) {
        last = sextet(base64[i]);
        if (last < 0)
            return false;
    }
    /* Unused bits before the padding must be 0, or two texts would encode the same bytes. */
    return padding == 0 || (last & (padding == 1 ? 0x03 : 0x0f)) == 0;
}

bool request_is_get(const char *text, size_t len)
{
    if (len < 5 || memcmp(text, "GET /", 5) != 0)
        return false;
    for (size_t i = 4; i < len; i++) {
        if (text[i] <= ' ' || text[i] > '~')
            return false;
    }
    return true;
}
