/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/frames.h"

#include <string.h>

static const struct {
    unsigned char type;
    enum frame_direction direction;
    uint32_t cap;
} types[] = {
    {FRAME_JOB, FRAMES_TO_RUNNER, FRAME_JOB_CAP},
    {FRAME_ANSWER, FRAMES_TO_RUNNER, FRAME_ANSWER_CAP},
    {FRAME_PING, FRAMES_TO_RUNNER, 0},
    {FRAME_READY, FRAMES_FROM_RUNNER, FRAME_STATUS_CAP},
    {FRAME_PONG, FRAMES_FROM_RUNNER, 0},
    {FRAME_STARTED, FRAMES_FROM_RUNNER, 0},
    {FRAME_STDOUT, FRAMES_FROM_RUNNER, FRAME_OUTPUT_CAP},
    {FRAME_STDERR, FRAMES_FROM_RUNNER, FRAME_OUTPUT_CAP},
    {FRAME_STDOUT_TAIL, FRAMES_FROM_RUNNER, FRAME_TAIL_CAP},
    {FRAME_STDERR_TAIL, FRAMES_FROM_RUNNER, FRAME_TAIL_CAP},
    {FRAME_ARTIFACT, FRAMES_FROM_RUNNER, FRAME_ARTIFACT_CAP},
    {FRAME_REQUEST, FRAMES_FROM_RUNNER, FRAME_REQUEST_CAP},
    {FRAME_RESULT, FRAMES_FROM_RUNNER, FRAME_RESULT_CAP},
    {FRAME_EXIT, FRAMES_FROM_RUNNER, FRAME_STATUS_CAP},
};

long frame_cap(enum frame_direction direction, unsigned char type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].type == type && types[i].direction == direction)
            return (long)types[i].cap;
    }
    return -1;
}

void frame_decoder_init(struct frame_decoder *decoder, enum frame_direction direction)
{
    memset(decoder, 0, sizeof *decoder);
    decoder->direction = direction;
    buf_init(&decoder->payload, FRAME_ANSWER_CAP);
}

void frame_decoder_finish(struct frame_decoder *decoder)
{
    buf_finish(&decoder->payload);
}

static int take_head(struct frame_decoder *decoder, struct error *err)
{
    unsigned char type;
    long cap;

    decoder->expected = frame_unpack(decoder->head, &type);
    cap = frame_cap(decoder->direction, type);
    if (cap < 0 || decoder->head[1] || decoder->head[2] || decoder->head[3]) {
        decoder->breached = true;
        return error_set(err, ERROR_MALFORMED,
                         "no frame begins with the byte 0x%02x in this direction", type);
    }
    if (decoder->expected > (uint32_t)cap) {
        decoder->breached = true;
        return error_set(err, ERROR_MALFORMED, "a frame '%c' of %u bytes is over its cap of %ld",
                         type, decoder->expected, cap);
    }
    buf_clear(&decoder->payload);
    return 0;
}

int frame_decoder_feed(struct frame_decoder *decoder, const void *bytes, size_t len, size_t *used,
                       struct frame *frame, struct error *err)
{
    const char *from = bytes;
    size_t some;

    *used = 0;
    if (decoder->breached)
        return error_set(err, ERROR_MALFORMED, "the stream of frames was broken before");
    if (decoder->head_len < FRAME_HEAD_SIZE) {
        some = FRAME_HEAD_SIZE - decoder->head_len;
        some = some < len ? some : len;
        if (some > 0)
            memcpy(decoder->head + decoder->head_len, from, some);
        decoder->head_len += some;
        *used = some;
        if (decoder->head_len < FRAME_HEAD_SIZE)
            return 0;
        if (take_head(decoder, err) < 0)
            return -1;
    }
    some = decoder->expected - decoder->payload.len;
    some = some < len - *used ? some : len - *used;
    buf_add(&decoder->payload, from + *used, some);
    if (decoder->payload.failed) {
        decoder->breached = true;
        return error_set(err, ERROR_MEMORY, "out of memory for a frame of %u bytes",
                         decoder->expected);
    }
    *used += some;
    if (decoder->payload.len < decoder->expected)
        return 0;
    decoder->head_len = 0;
    frame->type = (enum frame_type)decoder->head[0];
    frame->payload = decoder->payload.data;
    frame->len = decoder->payload.len;
    return 1;
}
