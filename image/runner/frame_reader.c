/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image/runner/frame_reader.h"

#include <stdlib.h>
#include <string.h>

#include "image/runner/log_error.h"

void frame_reader_init(struct frame_reader *reader, const struct frame_reader_rule *rules)
{
    memset(reader, 0, sizeof *reader);
    reader->rules = rules;
}

static void next_frame(struct frame_reader *reader)
{
    frame_reader_finish(reader);
    frame_reader_init(reader, reader->rules);
}

void frame_reader_finish(struct frame_reader *reader)
{
    free(reader->held);
    reader->held = NULL;
}

static int open_frame(struct frame_reader *reader)
{
    const struct frame_reader_rule *rule = reader->rules;
    unsigned char type;

    reader->len = frame_unpack(reader->head, &type);
    while (rule->type && rule->type != type)
        rule++;
    if (!rule->type)
        return log_error("a frame of type 0x%02x does not belong here", type);
    if (reader->head[1] || reader->head[2] || reader->head[3])
        return log_error("a frame of type '%c' has reserved bytes that are not 0", type);
    if (reader->len < rule->min || reader->len > rule->cap)
        return log_error("a frame of type '%c' has %u bytes, not %u to %u", type, reader->len,
                         rule->min, rule->cap);
    reader->hold = rule->hold ? rule->hold : reader->len;
    reader->held = malloc(reader->hold ? reader->hold : 1);
    return reader->held ? 0 : log_error("no memory for a frame of %u bytes", reader->hold);
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

/* The part that is handed over at once; FRAME_READER_MORE while it is not together. */
static enum frame_reader_state take_held(struct frame_reader *reader, const unsigned char **data,
                                         size_t *len, struct frame_reader_piece *piece)
{
    reader->taken +=
        (uint32_t)move(reader->held + reader->taken, reader->hold - reader->taken, data, len);
    if (reader->taken < reader->hold)
        return FRAME_READER_MORE;
    reader->opened = true;
    piece->first = true;
    piece->data = reader->held;
    piece->data_len = reader->hold;
    return FRAME_READER_PIECE;
}

static enum frame_reader_state take_rest(struct frame_reader *reader, const unsigned char **data,
                                         size_t *len, struct frame_reader_piece *piece)
{
    if (*len == 0)
        return FRAME_READER_MORE;
    piece->first = false;
    piece->data = *data;
    piece->data_len = smaller(*len, reader->len - reader->taken);
    reader->taken += (uint32_t)piece->data_len;
    *data += piece->data_len;
    *len -= piece->data_len;
    return FRAME_READER_PIECE;
}

enum frame_reader_state frame_reader_take(struct frame_reader *reader, const unsigned char **data,
                                          size_t *len, struct frame_reader_piece *piece)
{
    if (reader->opened && reader->taken == reader->len)
        next_frame(reader);
    if (!reader->held) {
        reader->head_len +=
            move(reader->head + reader->head_len, FRAME_HEAD_SIZE - reader->head_len, data, len);
        if (reader->head_len < FRAME_HEAD_SIZE)
            return FRAME_READER_MORE;
        if (open_frame(reader) < 0 || !reader->held)
            return FRAME_READER_BREACH;
    }
    piece->type = reader->head[0];
    piece->len = reader->len;
    return reader->opened ? take_rest(reader, data, len, piece)
                          : take_held(reader, data, len, piece);
}
