/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * JSON values as YAML and back; see yaml.h.
 */
#include "mcp/format/yaml.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

#include "helpers/base/json.h"
#include "mcp/format/format.h"

#define YAML_JSON_KEY "lectern_json" /* the only key of a mapping whose value is JSON in a text */

/* Uses the event parser of libyaml. Nesting is limited and aliases are refused, so the result is
 * not larger than the input. */

#define YAML_DEPTH_CAP 200
#define NUMBER_CAP     40 /* bytes of a plain word that may be a number */

struct yaml_reader {
    yaml_parser_t parser;
    yaml_event_t event; /* the current one; to be deleted before the next */
    bool has_event;
    const char *name;
    size_t first_line;
    const char *const *texts; /* NULL, or the keys of yaml_read_as_written */
    bool is_text;             /* the value that is read next is of such a key */
    struct error *err;
};

/* null, true, false or a number; NULL for a string. */
static json_t *yaml_plain_value(const char *text, size_t len)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
    char word[NUMBER_CAP];

    if (len >= sizeof word || memchr(text, '\0', len))
        return NULL;
    memcpy(word, text, len);
    word[len] = '\0';
    for (size_t i = 0; nulls[i]; i++)
        if (strcmp(word, nulls[i]) == 0)
            return json_null();
    if (strcmp(word, "true") == 0 || strcmp(word, "True") == 0 || strcmp(word, "TRUE") == 0)
        return json_true();
    if (strcmp(word, "false") == 0 || strcmp(word, "False") == 0 || strcmp(word, "FALSE") == 0)
        return json_false();
    if (word[0] != '-' && (word[0] < '0' || word[0] > '9'))
        return NULL;
    return json_read(word, len, "", NULL);
}

/* Whether a text would be read as something else without quotes, by us or by others. */
static bool yaml_text_needs_quotes(const char *text, size_t len)
{
    static const char *const words[] = {"yes", "no", "on", "off", "y", "n", NULL};
    json_auto_t *value = yaml_plain_value(text, len);
    bool other = value != NULL;

    for (size_t i = 0; words[i]; i++)
        other = other || (strlen(words[i]) == len && strncasecmp(words[i], text, len) == 0);
    /* Dates, times and numbers of YAML 1.1 begin so. */
    return other || len == 0 || (!memchr(text, '\n', len) && strchr("0123456789+-.", text[0]));
}

static json_t *fail(struct yaml_reader *reader, size_t line, const char *what)
{
    error_set(reader->err, ERROR_MALFORMED, "%s line %zu: %s", reader->name,
              reader->first_line + line, what);
    return NULL;
}

static bool next(struct yaml_reader *reader)
{
    if (reader->has_event)
        yaml_event_delete(&reader->event);
    reader->has_event = yaml_parser_parse(&reader->parser, &reader->event) != 0;
    if (!reader->has_event)
        fail(reader,
             reader->parser.problem_mark.line ? reader->parser.problem_mark.line
                                              : reader->parser.mark.line,
             reader->parser.problem ? reader->parser.problem : "this is not YAML");
    return reader->has_event;
}

static json_t *read_value(struct yaml_reader *reader, unsigned depth);

static bool is_written_as(const json_t *value, const char *text, size_t len)
{
    struct buf BUF_AUTO json = {0};

    json_write(&json, value);
    return json.len == len && memcmp(json.data, text, len) == 0;
}

static json_t *read_scalar(struct yaml_reader *reader)
{
    const char *text = (const char *)reader->event.data.scalar.value;
    size_t len = reader->event.data.scalar.length;
    json_t *value = NULL;

    if (reader->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
        reader->event.data.scalar.plain_implicit)
        value = yaml_plain_value(text, len);
    if (value && reader->texts && !json_is_null(value) &&
        (reader->is_text || (json_is_number(value) && !is_written_as(value, text, len)))) {
        json_decref(value);
        value = NULL;
    }
    if (!value)
        value = json_stringn(text, len);
    return value ? value : fail(reader, reader->event.start_mark.line, "this is not UTF-8");
}

static json_t *read_array(struct yaml_reader *reader, unsigned depth)
{
    json_t *array = json_array();

    while (next(reader) && reader->event.type != YAML_SEQUENCE_END_EVENT) {
        if (json_array_append_new(array, read_value(reader, depth + 1)) < 0)
            goto failed;
    }
    if (reader->has_event)
        return array;
failed:
    json_decref(array);
    return NULL;
}

static json_t *read_object(struct yaml_reader *reader, unsigned depth)
{
    json_t *object = json_object();
    char *key = NULL;

    while (next(reader) && reader->event.type != YAML_MAPPING_END_EVENT) {
        size_t line = reader->event.start_mark.line;
        const char *fault = NULL;

        if (reader->event.type != YAML_SCALAR_EVENT)
            fault = "a key must be a word or a text";
        else if (memchr(reader->event.data.scalar.value, '\0', reader->event.data.scalar.length))
            fault = "a key must not have a NUL in it";
        else
            key = strdup((const char *)reader->event.data.scalar.value);
        if (!fault && key && json_object_get(object, key))
            fault = "this key stands here twice";
        if (fault)
            fail(reader, line, fault);
        reader->is_text = false;
        for (size_t i = 0; depth == 0 && key && reader->texts && reader->texts[i]; i++)
            reader->is_text = reader->is_text || strcmp(reader->texts[i], key) == 0;
        if (fault || !key || !next(reader) ||
            json_object_set_new(object, key, read_value(reader, depth + 1)) < 0)
            goto failed;
        free(key);
        key = NULL;
    }
    if (reader->has_event)
        return object;
failed:
    free(key);
    json_decref(object);
    return NULL;
}

static json_t *read_value(struct yaml_reader *reader, unsigned depth)
{
    size_t line = reader->event.start_mark.line;

    if (depth > YAML_DEPTH_CAP)
        return fail(reader, line, "this is nested too deep");
    switch (reader->event.type) {
    case YAML_SCALAR_EVENT:
        return read_scalar(reader);
    case YAML_SEQUENCE_START_EVENT:
        return read_array(reader, depth);
    case YAML_MAPPING_START_EVENT:
        return read_object(reader, depth);
    case YAML_ALIAS_EVENT:
        return fail(reader, line, "aliases (*name) are not taken: write the value itself");
    default:
        return fail(reader, line, "a value is missing");
    }
}

static json_t *read_document(struct yaml_reader *reader)
{
    json_t *value;

    if (!next(reader) || !next(reader)) /* the stream's start, then the document's */
        return NULL;
    if (reader->event.type == YAML_STREAM_END_EVENT)
        return json_null();
    if (!next(reader))
        return NULL;
    value = read_value(reader, 0);
    if (value && next(reader) && next(reader) && reader->event.type == YAML_STREAM_END_EVENT)
        return value;
    if (value && reader->has_event)
        fail(reader, reader->event.start_mark.line, "a second document begins here");
    json_decref(value);
    return NULL;
}

static json_t *unwrap(struct yaml_reader *reader, json_t *value)
{
    const json_t *json =
        json_object_size(value) == 1 ? json_object_get(value, YAML_JSON_KEY) : NULL;
    json_t *inner;

    if (!json_is_string(json))
        return value;
    inner =
        json_read(json_string_value(json), json_string_length(json), YAML_JSON_KEY, reader->err);
    if (!inner)
        error_wrap(reader->err, "%s line %zu", reader->name, reader->first_line);
    json_decref(value);
    return inner;
}

json_t *yaml_read_as_written(const char *text, size_t len, const char *const *texts,
                             const char *name, size_t first_line, struct error *err)
{
    struct yaml_reader reader = {
        .name = name, .first_line = first_line, .texts = texts, .err = err};
    json_t *value;

    if (!yaml_parser_initialize(&reader.parser)) {
        error_set(err, ERROR_MEMORY, "out of memory for %s", name);
        return NULL;
    }
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)(text ? text : ""), len);
    value = read_document(&reader);
    if (reader.has_event)
        yaml_event_delete(&reader.event);
    yaml_parser_delete(&reader.parser);
    return value ? unwrap(&reader, value) : NULL;
}

json_t *yaml_read(const char *text, size_t len, const char *name, size_t first_line,
                  struct error *err)
{
    return yaml_read_as_written(text, len, NULL, name, first_line, err);
}

/* Writing by libyaml's emitter. Its result is read again before it is believed: first as a person
 * would write it, then with every text in quotes, at last as JSON in one text. */

struct yaml_writer {
    yaml_emitter_t emitter;
    struct buf *to;
    bool quoted; /* every text */
    bool failed;
};

static int on_bytes(void *user, unsigned char *bytes, size_t len)
{
    struct yaml_writer *writer = user;

    buf_add(writer->to, bytes, len);
    return !writer->to->failed;
}

/* Takes the event over, as yaml_emitter_emit does. made: what making it returned. */
static void emit(struct yaml_writer *writer, yaml_event_t *event, int made)
{
    if (!made || !yaml_emitter_emit(&writer->emitter, event))
        writer->failed = true;
}

static void write_scalar(struct yaml_writer *writer, const char *text, size_t len, bool plain)
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

static void write_value(struct yaml_writer *writer, const json_t *value);

static void write_object(struct yaml_writer *writer, const json_t *value)
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

static void write_array(struct yaml_writer *writer, const json_t *value)
{
    json_t *entry;
    yaml_event_t event;
    size_t i;

    emit(writer, &event,
         yaml_sequence_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_SEQUENCE_STYLE));
    json_array_foreach((json_t *)value, i, entry) write_value(writer, entry);
    emit(writer, &event, yaml_sequence_end_event_initialize(&event));
}

static void write_value(struct yaml_writer *writer, const json_t *value)
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
    struct yaml_writer writer = {.to = to, .quoted = quoted};
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
    json_auto_t *read = yaml_read(text->data, text->len, "", 1, NULL);

    return read && json_equal(read, (json_t *)value);
}

int yaml_write(struct buf *to, const json_t *value, struct error *err)
{
    struct buf BUF_AUTO text = {0}, json = {0};
    json_auto_t *wrapped = NULL;
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
    if (!done)
        return error_set(err, ERROR_INTERNAL, "a value could not be written as YAML");
    buf_add(to, text.data, text.len);
    return 0;
}
