/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * YAML by libyaml's emitter. Its result is read again before it is believed: first as a person
 * would write it, then with every text in quotes, at last as JSON in one text.
 */
#include <string.h>
#include <strings.h>
#include <yaml.h>

#include "helpers/base/json.h"
#include "mcp/format/format.h"
#include "mcp/format/yaml.h"
#include "mcp/format/yaml_text.h"

struct writer {
    yaml_emitter_t emitter;
    struct buf *to;
    bool quoted; /* every text */
    bool failed;
};

static int on_bytes(void *user, unsigned char *bytes, size_t len)
{
    struct writer *writer = user;

    buf_add(writer->to, bytes, len);
    return !writer->to->failed;
}

/* Takes the event over, as yaml_emitter_emit does. made: what making it returned. */
static void emit(struct writer *writer, yaml_event_t *event, int made)
{
    if (!made || !yaml_emitter_emit(&writer->emitter, event))
        writer->failed = true;
}

static void write_scalar(struct writer *writer, const char *text, size_t len, bool plain)
{
    yaml_scalar_style_t style = YAML_ANY_SCALAR_STYLE;
    yaml_event_t event;

    if (!plain && (writer->quoted || yaml_text_needs_quotes(text, len)))
        style = YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    else if (!plain && memchr(text, '\n', len))
        style = YAML_LITERAL_SCALAR_STYLE;
    emit(writer, &event,
         yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)text, (int)len, 1, 1,
                                      style));
}

static void write_value(struct writer *writer, const json_t *value);

static void write_object(struct writer *writer, const json_t *value)
{
    const char *key;
    json_t *entry;
    yaml_event_t event;

    emit(writer, &event,
         yaml_mapping_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_MAPPING_STYLE));
    json_object_foreach((json_t *)value, key, entry)
    {
        write_scalar(writer, key, strlen(key), false);
        write_value(writer, entry);
    }
    emit(writer, &event, yaml_mapping_end_event_initialize(&event));
}

static void write_array(struct writer *writer, const json_t *value)
{
    json_t *entry;
    yaml_event_t event;
    size_t i;

    emit(writer, &event,
         yaml_sequence_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_SEQUENCE_STYLE));
    json_array_foreach((json_t *)value, i, entry) write_value(writer, entry);
    emit(writer, &event, yaml_sequence_end_event_initialize(&event));
}

static void write_value(struct writer *writer, const json_t *value)
{
    struct buf BUF_AUTO text = {0};

    if (writer->failed)
        return;
    if (json_is_object(value)) {
        write_object(writer, value);
    } else if (json_is_array(value)) {
        write_array(writer, value);
    } else if (json_is_string(value)) {
        write_scalar(writer, json_string_value(value), json_string_length(value), false);
    } else {
        json_write(&text, value);
        writer->failed = writer->failed || text.failed;
        write_scalar(writer, text.data ? text.data : "", text.len, true);
    }
}

static bool write_document(struct buf *to, const json_t *value, bool quoted)
{
    struct writer writer = {.to = to, .quoted = quoted};
    yaml_event_t event;

    if (!yaml_emitter_initialize(&writer.emitter))
        return false;
    yaml_emitter_set_output(&writer.emitter, on_bytes, &writer);
    yaml_emitter_set_unicode(&writer.emitter, 1);
    yaml_emitter_set_width(&writer.emitter, -1);
    emit(&writer, &event, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING));
    emit(&writer, &event, yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1));
    write_value(&writer, value);
    if (!writer.failed)
        emit(&writer, &event, yaml_document_end_event_initialize(&event, 1));
    if (!writer.failed)
        emit(&writer, &event, yaml_stream_end_event_initialize(&event));
    if (!writer.failed)
        writer.failed = !yaml_emitter_flush(&writer.emitter);
    yaml_emitter_delete(&writer.emitter);
    return !writer.failed && !to->failed;
}

static bool is_flat_enough(const json_t *value, unsigned depth)
{
    const char *key;
    json_t *entry;
    size_t i;

    if (depth > FORMAT_DEPTH_CAP)
        return false;
    json_array_foreach((json_t *)value, i, entry)
    {
        if (!is_flat_enough(entry, depth + 1))
            return false;
    }
    json_object_foreach((json_t *)value, key, entry)
    {
        if (!is_flat_enough(entry, depth + 1))
            return false;
    }
    return true;
}

static bool reads_as(const struct buf *text, const json_t *value)
{
    json_t *read = yaml_read(text->data, text->len, "", 1, NULL);
    bool same = read && json_equal(read, (json_t *)value);

    json_decref(read);
    return same;
}

int yaml_write(struct buf *to, const json_t *value, struct error *err)
{
    struct buf BUF_AUTO text = {0}, json = {0};
    json_t *wrapped;
    bool done;

    if (is_flat_enough(value, 0)) {
        done = write_document(&text, value, false) && reads_as(&text, value);
        if (!done) {
            buf_clear(&text);
            done = write_document(&text, value, true) && reads_as(&text, value);
        }
        if (done) {
            buf_add(to, text.data, text.len);
            return 0;
        }
    }
    buf_clear(&text);
    json_write(&json, value);
    wrapped = json_pack("{s:s%}", YAML_JSON_KEY, json.data ? json.data : "", json.len);
    done = wrapped && write_document(&text, wrapped, true) && reads_as(&text, value);
    json_decref(wrapped);
    if (!done)
        return error_set(err, ERROR_INTERNAL, "a value could not be written as YAML");
    buf_add(to, text.data, text.len);
    return 0;
}
