/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/model/model_stream.h"

#include <string.h>

#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

void model_stream_init(struct model_stream *stream,
                       int (*on_event)(void *user, const char *name, const char *data, size_t len,
                                       struct error *err),
                       void *user)
{
    memset(stream, 0, sizeof *stream);
    stream->on_event = on_event;
    stream->user = user;
    buf_init(&stream->line, MODEL_STREAM_LINE_CAP);
    buf_init(&stream->data, MODEL_STREAM_DATA_CAP);
}

void model_stream_finish(struct model_stream *stream)
{
    buf_finish(&stream->line);
    buf_finish(&stream->data);
}

static int dispatch(struct model_stream *stream, struct error *err)
{
    int rc = 0;

    if (stream->any_data) {
        buf_add(&stream->data, "", 0); /* NUL-terminated even if empty */
        rc = buf_check(&stream->data, "an event of the stream", err);
        if (rc == 0)
            rc = stream->on_event(stream->user, stream->name[0] ? stream->name : "message",
                                  stream->data.data, stream->data.len, err);
    }
    buf_clear(&stream->data);
    stream->any_data = false;
    stream->name[0] = '\0';
    return rc;
}

/* A longer name than any that is known is cut; so is one with a NUL in it made another. */
static void set_name(struct model_stream *stream, const char *value, size_t len)
{
    if (len > MODEL_STREAM_NAME_MAX)
        len = MODEL_STREAM_NAME_MAX;
    for (size_t i = 0; i < len; i++)
        stream->name[i] = (char)(value[i] ? value[i] : '?');
    stream->name[len] = '\0';
}

static int add_data(struct model_stream *stream, const char *value, size_t len, struct error *err)
{
    if (stream->any_data)
        buf_addc(&stream->data, '\n');
    stream->any_data = true;
    buf_add(&stream->data, value, len);
    return buf_check(&stream->data, "an event of the stream", err);
}

static bool is_field(const char *line, size_t len, const char *name)
{
    return len == strlen(name) && memcmp(line, name, len) == 0;
}

static int end_line(struct model_stream *stream, struct error *err)
{
    const char *line = stream->line.data ? stream->line.data : "", *colon, *value;
    size_t len = stream->line.len, name_len;

    if (!stream->begun && len >= strlen(BYTE_ORDER_MARK) &&
        memcmp(line, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0) {
        line += strlen(BYTE_ORDER_MARK);
        len -= strlen(BYTE_ORDER_MARK);
    }
    stream->begun = true;
    if (len == 0)
        return dispatch(stream, err);
    colon = memchr(line, ':', len);
    name_len = colon ? (size_t)(colon - line) : len;
    value = colon ? colon + 1 : line + len;
    if (value < line + len && *value == ' ')
        value++;
    len = (size_t)(line + len - value);
    if (is_field(line, name_len, "data"))
        return add_data(stream, value, len, err);
    if (is_field(line, name_len, "event"))
        set_name(stream, value, len);
    return 0;
}

static size_t up_to_line_end(const char *bytes, size_t len)
{
    size_t i = 0;

    while (i < len && bytes[i] != '\n' && bytes[i] != '\r')
        i++;
    return i;
}

static int feed(struct model_stream *stream, const char *bytes, size_t len, struct error *err)
{
    size_t at = 0;

    while (at < len) {
        size_t part;
        int rc;

        if (stream->after_cr && bytes[at] == '\n') {
            stream->after_cr = false;
            at++;
            continue;
        }
        stream->after_cr = false;
        part = up_to_line_end(bytes + at, len - at);
        buf_add(&stream->line, bytes + at, part);
        if (buf_check(&stream->line, "a line of the stream", err) < 0)
            return -1;
        at += part;
        if (at == len)
            break;
        stream->after_cr = bytes[at++] == '\r';
        rc = end_line(stream, err);
        buf_clear(&stream->line);
        if (rc != 0)
            return rc;
    }
    return 0;
}

int model_stream_feed(struct model_stream *stream, const char *bytes, size_t len, struct error *err)
{
    int rc;

    if (stream->failed)
        return error_set(err, ERROR_MALFORMED, "the stream has failed before");
    rc = feed(stream, bytes, len, err);
    stream->failed = rc != 0;
    return rc;
}
