/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Front matter in other forms than YAML: TOML between two lines "+++" and a JSON object at the top
 * (Hugo), and the properties of a page at the top ("title:: Ratio", Logseq).
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "helpers/base/json.h"
#include "mcp/format/markdown.h"

#define TOML_LINE "+++"

struct note_top {
    const char *text;
    size_t len;
    const char *name;
    struct findings *said;
    size_t used;
};

static size_t line_at(const struct note_top *top, size_t at)
{
    const char *end = memchr(top->text + at, '\n', top->len - at);

    return end ? (size_t)(end - top->text) - at : top->len - at;
}

static size_t after_line(const struct note_top *top, size_t at)
{
    size_t end = at + line_at(top, at);

    return end < top->len ? end + 1 : end;
}

static size_t bare_line(const struct note_top *top, size_t at)
{
    size_t len = line_at(top, at);

    while (len > 0 && strchr(" \t", top->text[at + len - 1]))
        len--;
    return len;
}

static bool is_toml_line(const struct note_top *top, size_t at)
{
    return bare_line(top, at) == 3 && memcmp(top->text + at, TOML_LINE, 3) == 0;
}

static json_t *read_toml(struct note_top *top)
{
    size_t from, at;

    if (!is_toml_line(top, 0))
        return NULL;
    from = after_line(top, 0);
    for (at = from; at < top->len && !is_toml_line(top, at);)
        at = after_line(top, at);
    if (at >= top->len)
        return NULL;
    top->used = after_line(top, at);
    return toml_front_read(top->text + from, at - from, top->name, 2, top->said);
}

/* An object whose end is the end of a line. */
static json_t *read_json(struct note_top *top)
{
    json_error_t problem;
    json_t *read;

    if (top->len == 0 || *top->text != '{' || strchr("{%", top->text[top->len > 1]))
        return NULL;
    read =
        json_loadb(top->text, top->len, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &problem);
    if (!json_is_object(read) || problem.position <= 0 ||
        bare_line(top, (size_t)problem.position) > 0) {
        bool looks = line_at(top, 0) == 1 || top->text[1] == '"';

        json_decref(read);
        if (looks)
            findings_add(top->said, FINDING_CHANGED, PLACE(top->name, 1, NULL),
                         "front matter that begins as JSON and cannot be read as JSON is kept as "
                         "text");
        return NULL;
    }
    top->used = after_line(top, (size_t)problem.position);
    return read;
}

/* The length of the key of "key:: value" at the line; 0: it is none. */
static size_t property_key(const struct note_top *top, size_t at)
{
    const char *line = top->text + at;
    size_t len = line_at(top, at), key = 0;

    while (key < len && (isalnum((unsigned char)line[key]) || (unsigned char)line[key] >= 0x80 ||
                         strchr("-_./", line[key])))
        key++;
    return key > 0 && key + 2 <= len && memcmp(line + key, "::", 2) == 0 &&
                   (key + 2 == len || line[key + 2] == ' ')
               ? key
               : 0;
}

/* "[[Note]]" and "#tag" without their signs. */
static json_t *bare_name(const char *text, size_t len)
{
    while (len > 0 && isspace((unsigned char)*text)) {
        text++;
        len--;
    }
    while (len > 0 && isspace((unsigned char)text[len - 1]))
        len--;
    if (len > 1 && *text == '#') {
        text++;
        len--;
    }
    if (len > 4 && memcmp(text, "[[", 2) == 0 && memcmp(text + len - 2, "]]", 2) == 0) {
        text += 2;
        len -= 4;
    }
    return json_stringn(text, len);
}

static bool only_links(const char *text, size_t len)
{
    size_t links = 0;

    for (size_t at = 0; at < len;) {
        const char *end;

        at += strspn(text + at, ", ");
        if (at >= len)
            break;
        end = strncmp(text + at, "[[", 2) == 0 ? strstr(text + at, "]]") : NULL;
        if (!end || (size_t)(end - text) + 2 > len)
            return false;
        at = (size_t)(end - text) + 2;
        links++;
    }
    return links > 0;
}

/* Names with commas between them, but not within "[[...]]". */
static json_t *split_names(const char *text, size_t len)
{
    json_t *names = json_array();
    size_t from = 0, deep = 0;

    for (size_t at = 0; at <= len; at++) {
        bool end = at == len || (text[at] == ',' && deep == 0);

        if (!end) {
            deep += text[at] == '[';
            deep -= text[at] == ']' && deep > 0;
            continue;
        }
        if (at > from) {
            json_t *name = bare_name(text + from, at - from);

            if (json_string_length(name) > 0)
                json_array_append_new(names, name);
            else
                json_decref(name);
        }
        from = at + 1;
    }
    return names;
}

static void keep_property(struct note_top *top, json_t *fields, size_t at, size_t key, size_t line)
{
    static const char *const lists[] = {"alias", "aliases", "tags", NULL};
    const char *value = top->text + at + key + 2;
    size_t len = line_at(top, at) - key - 2;
    char *name = strndup(top->text + at, key);
    bool is_list = only_links(value, len);

    while (len > 0 && *value == ' ') {
        value++;
        len--;
    }
    for (size_t i = 0; name && lists[i]; i++)
        is_list = is_list || strcasecmp(name, lists[i]) == 0;
    if (name && json_object_get(fields, name)) {
        findings_add(top->said, FINDING_CHANGED, PLACE(top->name, line, name),
                     "properties that stand twice at the top: the values are one text");
        is_list = false;
    }
    if (name && is_list)
        json_object_set_new(fields, name, split_names(value, len));
    else if (name) {
        const json_t *had = json_object_get(fields, name);
        struct buf BUF_AUTO text = {0};

        if (had && json_is_string(had))
            buf_adds(&text, json_string_value(had));
        else if (had)
            json_write(&text, had);
        buf_adds(&text, had ? "\n" : "");
        buf_add(&text, value, len);
        json_object_set_new(fields, name, json_stringn(text.data ? text.data : "", text.len));
    }
    free(name);
}

static json_t *read_properties(struct note_top *top)
{
    json_t *fields = NULL;
    size_t at = 0, line = 1, key;

    while (at < top->len && (key = property_key(top, at)) > 0) {
        fields = fields ? fields : json_object();
        keep_property(top, fields, at, key, line++);
        at = after_line(top, at);
    }
    top->used = at;
    return fields;
}

json_t *front_read_other(const char *text, size_t len, const char *name, struct findings *said,
                         size_t *used)
{
    static json_t *(*const readers[])(struct note_top *) = {read_toml, read_json, read_properties};
    struct note_top top = {.text = text, .len = len, .name = name, .said = said};
    json_t *fields = NULL;

    for (size_t i = 0; !fields && i < sizeof readers / sizeof readers[0]; i++) {
        top.used = 0;
        fields = readers[i](&top);
    }
    *used = fields ? top.used : 0;
    return fields;
}
