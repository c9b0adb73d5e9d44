/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Front matter as other tools and people write it. All of it as YAML first; else key by key, where
 * a value that is no YAML ("title: Ratio: an introduction", "title: {{title}}") is the text behind
 * the colon. Between two lines "---" may stand ordinary text, too.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/format/markdown.h"
#include "mcp/format/yaml.h"

#define TAB_BLANKS "  " /* of a tab before a value, which YAML refuses */

/* Their values are names, whatever they look like. */
static const char *const front_texts[] = {"title", "node_id", "id", NULL};

struct front {
    const char *at, *end; /* the lines that are left */
    size_t line;          /* of at */
    const char *name;
    struct findings *said;
    json_t *fields;
};

static size_t line_len(const char *at, const char *end)
{
    const char *found = memchr(at, '\n', (size_t)(end - at));

    return (size_t)((found ? found : end) - at);
}

/* The length of the key that begins at the line's first byte, before its colon; 0: none does. */
static size_t key_len(const char *line, size_t len)
{
    if (len == 0 || strchr(" \t#-[]{}<>%`|@&*!?:", *line))
        return 0;
    for (size_t at = 1; at < len; at++)
        if (line[at] == ':' && (at + 1 == len || line[at + 1] == ' ' || line[at + 1] == '\t'))
            return at;
    return 0;
}

static bool begins_with_key(const char *text, size_t len)
{
    const char *at = text, *end = text + len;

    while (at < end) {
        size_t line = line_len(at, end);

        if (line > 0 && *at != '#' && strspn(at, " \t") < line)
            return key_len(at, line) > 0;
        at += line + (at + line < end);
    }
    return false;
}

static const char *trim(const char *from, size_t *len)
{
    while (*len > 0 && strchr(" \t\n", *from)) {
        from++;
        --*len;
    }
    while (*len > 0 && strchr(" \t\n", from[*len - 1]))
        --*len;
    return from;
}

/* Comments go with YAML; "tags: #maths #ratio" is one, though it is meant as a text. */
static void say_comments(struct front *front, const char *text, size_t len, size_t line)
{
    const char *at = text, *end = text + len;

    for (; at < end; line++) {
        size_t size = line_len(at, end), key = key_len(at, size), left = 0;
        char *name = key > 0 ? strndup(at, key) : NULL;
        const char *value = at + key, *sign = NULL;

        if (key > 0) {
            left = size - key - 1;
            value = trim(at + key + 1, &left);
            sign = left > 0 && !strchr("\"'[{|>", *value) ? strstr(value, " #") : NULL;
        }
        if (name && left > 0 && *value == '#' &&
            json_is_null(json_object_get(front->fields, name))) {
            json_object_set_new(front->fields, name, json_stringn(value, left));
            findings_add(front->said, FINDING_CHANGED, PLACE(front->name, line, name),
                         "values of the front matter that begin with # are kept as text");
        } else if ((size > 0 && *at == '#') || (sign && sign < value + left)) {
            findings_add(front->said, FINDING_LEFT_OUT, PLACE(front->name, line, NULL),
                         "comments in front matter (# ...) are left out");
        }
        free(name);
        at += size + (at + size < end);
    }
}

void front_comments(json_t *fields, const char *text, size_t len, const char *name, size_t line,
                    struct findings *said)
{
    struct front front = {.name = name, .said = said, .fields = fields};

    say_comments(&front, text, len, line);
}

/* The lines of one key: its line and those up to the next. */
static size_t part_len(const struct front *front)
{
    const char *at = front->at;

    do {
        size_t len = line_len(at, front->end);

        at += len + (at + len < front->end);
    } while (at < front->end && key_len(at, line_len(at, front->end)) == 0);
    return (size_t)(at - front->at);
}

/* The value of the lines as YAML where they are one key, or NULL; owned. */
static json_t *read_part(const struct front *front, const char *text, size_t len)
{
    json_auto_t *read =
        yaml_read_as_written(text, len, front_texts, front->name, front->line, NULL);
    void *only = json_object_size(read) == 1 ? json_object_iter(read) : NULL;

    return json_is_object(read) && only ? json_incref(json_object_iter_value(only)) : NULL;
}

static json_t *read_with_tabs(const struct front *front, const char *text, size_t len)
{
    struct buf BUF_AUTO blanks = {0};
    bool is_start = true;

    if (!memchr(text, '\t', len))
        return NULL;
    for (size_t at = 0; at < len; at++) {
        if (is_start && text[at] == '\t')
            buf_adds(&blanks, TAB_BLANKS);
        else
            buf_addc(&blanks, text[at]);
        is_start = text[at] == '\n' || (is_start && (text[at] == '\t' || text[at] == ' '));
    }
    return blanks.data ? read_part(front, blanks.data, blanks.len) : NULL;
}

static void keep(struct front *front, const char *key, size_t len, json_t *value)
{
    struct buf BUF_AUTO name = {0};

    if (len >= 2 && strchr("\"'", key[0]) && key[len - 1] == key[0]) {
        key++;
        len -= 2;
    }
    buf_add(&name, key, len);
    for (size_t n = 2; name.data && json_object_get(front->fields, name.data); n++) {
        if (n == 2)
            findings_add(front->said, FINDING_CHANGED, PLACE(front->name, front->line, name.data),
                         "keys that stand twice in front matter: the second value is kept under "
                         "another key, as in title_2");
        buf_clear(&name);
        buf_add(&name, key, len);
        buf_addf(&name, "_%zu", n);
    }
    if (name.data)
        json_object_set_new(front->fields, name.data, value);
    else
        json_decref(value);
}

static void read_keys(struct front *front, struct buf *rest)
{
    while (front->at < front->end) {
        size_t key = key_len(front->at, line_len(front->at, front->end)), len = part_len(front);
        json_t *value = NULL;

        if (key == 0) {
            buf_add(rest, front->at, len);
        } else {
            size_t left = len - key - 1;
            const char *text = trim(front->at + key + 1, &left);

            value = read_part(front, front->at, len);
            if (!value && (value = read_with_tabs(front, front->at, len))) {
                findings_add(front->said, FINDING_CHANGED, PLACE(front->name, front->line, NULL),
                             "tabs before values of the front matter are read as blanks");
            } else if (!value) {
                value = json_stringn(text, left);
                findings_add(front->said, FINDING_CHANGED,
                             PLACE(front->name, front->line, json_string_value(value)),
                             "values of the front matter that are not YAML are kept as text");
            }
            keep(front, front->at, key, value);
        }
        for (size_t at = 0; at < len; at++)
            front->line += front->at[at] == '\n';
        front->at += len;
    }
}

json_t *front_read(const char *text, size_t len, const char *name, size_t line,
                   struct findings *said, struct buf *rest)
{
    struct front front = {.at = text, .end = text + len, .line = line, .name = name, .said = said};
    json_t *read = yaml_read_as_written(text, len, front_texts, name, line, NULL);

    if (json_is_object(read)) {
        front.fields = read;
    } else if (read && !json_is_null(read)) {
        json_decref(read);
        return NULL;
    } else if (!read && !begins_with_key(text, len)) {
        return NULL;
    } else {
        json_decref(read);
        front.fields = json_object();
        if (!read)
            read_keys(&front, rest);
    }
    say_comments(&front, text, len, line);
    return front.fields;
}

bool node_name_field(json_t *node, const char *key)
{
    const json_t *value = json_object_get(node, key);
    struct buf BUF_AUTO text = {0};

    if (json_string_length(value) > 0)
        return true;
    if (!value || json_is_null(value) || json_is_string(value))
        return false;
    json_write(&text, value);
    return json_object_set_new(node, key, json_stringn(text.data ? text.data : "", text.len)) == 0;
}
