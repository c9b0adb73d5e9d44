/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One file of a node: front matter and body. A written one is read again; what would not come back
 * the same stands whole in the front matter, as `lectern_node`.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/format/markdown.h"
#include "mcp/format/yaml.h"

#define FRONT_LINE "---"
#define WHOLE_KEY  "lectern_node"

/* ---- writing ---- */

static int write_front(struct buf *to, const json_t *front, struct error *err)
{
    buf_adds(to, FRONT_LINE "\n");
    if (yaml_write(to, front, err) < 0)
        return -1;
    buf_adds(to, FRONT_LINE "\n");
    return 0;
}

static int write_plain(struct buf *to, const json_t *node, unsigned usual, struct error *err)
{
    const json_t *components = json_object_get(node, "components"), *component;
    json_t *front = json_copy((json_t *)node);
    size_t i;
    int rc;

    if (json_array_size(components) > 0)
        json_object_del(front, "components");
    rc = write_front(to, front, err);
    json_array_foreach((json_t *)components, i, component)
    {
        buf_addc(to, '\n');
        if (rc == 0)
            rc = component_write(to, component, i + 1, usual, err);
    }
    json_decref(front);
    return rc;
}

static int write_whole(struct buf *to, const json_t *node, struct error *err)
{
    json_t *front = json_pack("{s:O}", WHOLE_KEY, node);
    int rc = write_front(to, front, err);

    json_decref(front);
    return rc;
}

static bool reads_as(const struct buf *text, const json_t *node, unsigned usual)
{
    json_t *read = node_read(text, "", usual, NULL, NULL);
    bool same = read && json_equal(read, (json_t *)node);

    json_decref(read);
    return same;
}

int node_write(struct buf *to, const json_t *node, unsigned usual, struct error *err)
{
    if (json_is_object(node)) {
        if (write_plain(to, node, usual, err) < 0)
            return -1;
        if (!to->failed && reads_as(to, node, usual))
            return 0;
        buf_clear(to);
    }
    if (write_whole(to, node, err) < 0)
        return -1;
    if (!to->failed && reads_as(to, node, usual))
        return 0;
    return error_set(err, ERROR_INTERNAL, "it cannot be written as Markdown");
}

/* ---- reading ---- */

struct cursor {
    const char *at, *end;
    size_t line; /* of at, from 1 */
    const char *name;
};

static size_t line_len(const struct cursor *cursor)
{
    const char *end = memchr(cursor->at, '\n', (size_t)(cursor->end - cursor->at));

    return (size_t)((end ? end : cursor->end) - cursor->at);
}

static bool skip_line(struct cursor *cursor)
{
    size_t len = line_len(cursor);

    if (cursor->at + len >= cursor->end) {
        cursor->at = cursor->end;
        return false;
    }
    cursor->at += len + 1;
    cursor->line++;
    return true;
}

static bool is_front_line(const struct cursor *cursor)
{
    size_t len = line_len(cursor);

    while (len > 0 && (cursor->at[len - 1] == '\r' || cursor->at[len - 1] == ' '))
        len--;
    return len == 3 && !memcmp(cursor->at, FRONT_LINE, 3);
}

/* The front matter, or an empty object; NULL with err. In a note a "---" that nothing ends is a
 * line, as ordinary Markdown has it. */
static json_t *read_front(struct cursor *cursor, bool note, struct error *err)
{
    struct cursor begin = *cursor;
    const char *from;
    json_t *front;

    if (!is_front_line(cursor))
        return json_object();
    skip_line(cursor);
    from = cursor->at;
    while (!is_front_line(cursor)) {
        if (!skip_line(cursor)) {
            *cursor = begin;
            if (note)
                return json_object();
            error_set(err, ERROR_MALFORMED,
                      "%s line %zu: the front matter is not ended by a line \"" FRONT_LINE "\"",
                      begin.name, begin.line);
            return NULL;
        }
    }
    front = yaml_read(from, (size_t)(cursor->at - from), cursor->name, begin.line + 1, err);
    skip_line(cursor);
    if (json_is_null(front))
        return json_object();
    if (!front || json_is_object(front))
        return front;
    json_decref(front);
    error_set(err, ERROR_MALFORMED, "%s line %zu: front matter must be `name: value` lines",
              begin.name, begin.line + 1);
    return NULL;
}

/* To the next mark, or the end. */
static void skip_body(struct cursor *cursor)
{
    while (cursor->at < cursor->end && !component_is_mark(cursor->at, line_len(cursor)))
        skip_line(cursor);
}

static int read_body(struct cursor *cursor, unsigned usual, struct note *note, json_t *components,
                     struct error *err)
{
    const char *from = cursor->at;

    skip_body(cursor);
    if (note_read(from, (size_t)(cursor->at - from), components, note, err) < 0)
        return error_wrap(err, "%s", cursor->name);
    while (cursor->at < cursor->end) {
        const char *mark = cursor->at, *body;
        size_t mark_len = line_len(cursor), line = cursor->line;
        json_t *component;

        skip_line(cursor);
        body = cursor->at;
        skip_body(cursor);
        component = component_read(mark, mark_len, body, (size_t)(cursor->at - body),
                                   json_array_size(components) + 1, usual, cursor->name, line, err);
        if (!component)
            return -1;
        json_array_append_new(components, component);
    }
    return 0;
}

/* Text must be UTF-8 without NUL, for all that looks at it later. */
static int check_text(const struct cursor *whole, struct error *err)
{
    struct cursor cursor = *whole;

    while (cursor.at < cursor.end) {
        size_t len = line_len(&cursor);
        json_t *line = json_stringn(cursor.at, len);
        bool good = line && !memchr(cursor.at, '\0', len);

        json_decref(line);
        if (!good)
            return error_set(err, ERROR_MALFORMED, "%s line %zu: this is no text in UTF-8",
                             cursor.name, cursor.line);
        skip_line(&cursor);
    }
    return 0;
}

json_t *node_read(const struct buf *text, const char *name, unsigned usual, struct note *note,
                  struct error *err)
{
    struct cursor cursor = {
        .at = text->data, .end = text->data + text->len, .line = 1, .name = name};
    json_t *node, *components, *whole;

    if (text->len >= 3 && !memcmp(text->data, "\xEF\xBB\xBF", 3))
        cursor.at += 3;
    if (check_text(&cursor, err) < 0)
        return NULL;
    node = read_front(&cursor, note != NULL, err);
    whole = json_object_get(node, WHOLE_KEY);
    if (whole && json_object_size(node) == 1) {
        json_incref(whole);
        json_decref(node);
        return whole;
    }
    if (!node)
        return NULL;
    components = json_array();
    if (read_body(&cursor, usual, note, components, err) < 0) {
        json_decref(components);
        json_decref(node);
        return NULL;
    }
    if (json_array_size(components) > 0)
        json_object_set(node, "components", components);
    json_decref(components);
    return node;
}
