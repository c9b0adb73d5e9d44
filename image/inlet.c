/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image/inlet.h"

#include <stdlib.h>
#include <string.h>

#include "image/complain.h"

void inlet_init(struct inlet *inlet, const struct inlet_rule *rules)
{
    memset(inlet, 0, sizeof *inlet);
    inlet->rules = rules;
}

static void next_frame(struct inlet *inlet)
{
    inlet_finish(inlet);
    inlet_init(inlet, inlet->rules);
}

void inlet_finish(struct inlet *inlet)
{
    free(inlet->held);
    inlet->held = NULL;
}

static int open_frame(struct inlet *inlet)
{
    unsigned char type;

    inlet->len = frame_unpack(inlet->head, &type);
    for (const struct inlet_rule *rule = inlet->rules; rule->type; rule++) {
        if (rule->type == type)
            inlet->rule = rule;
    }
    if (!inlet->rule)
        return complain("a frame of type 0x%02x does not belong here", type);
    if (inlet->head[1] || inlet->head[2] || inlet->head[3])
        return complain("a frame of type '%c' has reserved bytes that are not 0", type);
    if (inlet->len < inlet->rule->min || inlet->len > inlet->rule->cap)
        return complain("a frame of type '%c' has %u bytes, not %u to %u", type, inlet->len,
                        inlet->rule->min, inlet->rule->cap);
    inlet->hold = inlet->rule->hold ? inlet->rule->hold : inlet->len;
    inlet->held = malloc(inlet->hold ? inlet->hold : 1);
    return inlet->held ? 0 : complain("no memory for a frame of %u bytes", inlet->hold);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

enum inlet_state inlet_take(struct inlet *inlet, const unsigned char **data, size_t *len,
                            struct inlet_piece *piece)
{
    size_t count;

    if (inlet->opened && inlet->taken == inlet->len)
        next_frame(inlet);
    if (!inlet->rule) {
        count = smaller(*len, FRAME_HEAD_SIZE - inlet->head_len);
        memcpy(inlet->head + inlet->head_len, *data, count);
        inlet->head_len += count;
        *data += count;
        *len -= count;
        if (inlet->head_len < FRAME_HEAD_SIZE)
            return INLET_MORE;
        if (open_frame(inlet) < 0)
            return INLET_BREACH;
    }
    piece->type = inlet->rule->type;
    piece->len = inlet->len;
    if (!inlet->opened) {
        count = smaller(*len, inlet->hold - inlet->taken);
        memcpy(inlet->held + inlet->taken, *data, count);
        inlet->taken += (uint32_t)count;
        *data += count;
        *len -= count;
        if (inlet->taken < inlet->hold)
            return INLET_MORE;
        inlet->opened = true;
        piece->first = true;
        piece->data = inlet->held;
        piece->data_len = inlet->hold;
        return INLET_PIECE;
    }
    if (*len == 0)
        return INLET_MORE;
    count = smaller(*len, inlet->len - inlet->taken);
    piece->first = false;
    piece->data = *data;
    piece->data_len = count;
    inlet->taken += (uint32_t)count;
    *data += count;
    *len -= count;
    return INLET_PIECE;
}
