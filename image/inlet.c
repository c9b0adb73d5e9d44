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
    const struct inlet_rule *rule = inlet->rules;
    unsigned char type;

    inlet->len = frame_unpack(inlet->head, &type);
    while (rule->type && rule->type != type)
        rule++;
    if (!rule->type)
        return complain("a frame of type 0x%02x does not belong here", type);
    if (inlet->head[1] || inlet->head[2] || inlet->head[3])
        return complain("a frame of type '%c' has reserved bytes that are not 0", type);
    if (inlet->len < rule->min || inlet->len > rule->cap)
        return complain("a frame of type '%c' has %u bytes, not %u to %u", type, inlet->len,
                        rule->min, rule->cap);
    inlet->hold = rule->hold ? rule->hold : inlet->len;
    inlet->held = malloc(inlet->hold ? inlet->hold : 1);
    return inlet->held ? 0 : complain("no memory for a frame of %u bytes", inlet->hold);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t move(unsigned char *to, size_t room, const unsigned char **data, size_t *len)
{
    size_t count = smaller(room, *len);

    if (count == 0)
        return 0;
    memcpy(to, *data, count);
    *data += count;
    *len -= count;
    return count;
}

/* The part that is handed over at once; INLET_MORE while it is not together. */
static enum inlet_state take_held(struct inlet *inlet, const unsigned char **data, size_t *len,
                                  struct inlet_piece *piece)
{
    inlet->taken +=
        (uint32_t)move(inlet->held + inlet->taken, inlet->hold - inlet->taken, data, len);
    if (inlet->taken < inlet->hold)
        return INLET_MORE;
    inlet->opened = true;
    piece->first = true;
    piece->data = inlet->held;
    piece->data_len = inlet->hold;
    return INLET_PIECE;
}

static enum inlet_state take_rest(struct inlet *inlet, const unsigned char **data, size_t *len,
                                  struct inlet_piece *piece)
{
    if (*len == 0)
        return INLET_MORE;
    piece->first = false;
    piece->data = *data;
    piece->data_len = smaller(*len, inlet->len - inlet->taken);
    inlet->taken += (uint32_t)piece->data_len;
    *data += piece->data_len;
    *len -= piece->data_len;
    return INLET_PIECE;
}

enum inlet_state inlet_take(struct inlet *inlet, const unsigned char **data, size_t *len,
                            struct inlet_piece *piece)
{
    if (inlet->opened && inlet->taken == inlet->len)
        next_frame(inlet);
    if (!inlet->held) {
        inlet->head_len +=
            move(inlet->head + inlet->head_len, FRAME_HEAD_SIZE - inlet->head_len, data, len);
        if (inlet->head_len < FRAME_HEAD_SIZE)
            return INLET_MORE;
        if (open_frame(inlet) < 0 || !inlet->held)
            return INLET_BREACH;
    }
    piece->type = inlet->head[0];
    piece->len = inlet->len;
    return inlet->opened ? take_rest(inlet, data, len, piece) : take_held(inlet, data, len, piece);
}
