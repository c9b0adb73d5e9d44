/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The part of TOML 1.0 that front matter is made of, because Debian 12 has no library in C for it:
 * `key = value` with bare, quoted or dotted keys; strings of all four kinds; integers, floats,
 * booleans, dates and times; arrays of these over several lines; comments. Everything else is kept
 * as its text and named: tables ("[params]" up to the next), inline tables, arrays of arrays, lines
 * that are no TOML.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/format/markdown.h"

struct toml {
    const char *at, *end;
    const char *seen; /* how far lines were counted */
    size_t line;      /* of seen */
    const char *name;
    struct findings *said;
    json_t *fields;
};

static void say(struct toml *toml, enum finding_kind kind, const char *place, const char *value,
                const char *reason)
{
    for (; toml->seen < place; toml->seen++)
        toml->line += *toml->seen == '\n';
    findings_add(toml->said, kind, PLACE(toml->name, toml->line, value), "%s", reason);
}

static void skip_blanks(struct toml *toml)
{
    while (toml->at < toml->end && (*toml->at == ' ' || *toml->at == '\t'))
        toml->at++;
}

static const char *line_end(const struct toml *toml)
{
    const char *end = memchr(toml->at, '\n', (size_t)(toml->end - toml->at));

    return end ? end : toml->end;
}

/* Over a comment, if one begins here. */
static void skip_comment(struct toml *toml)
{
    if (toml->at == toml->end || *toml->at != '#')
        return;
    say(toml, FINDING_LEFT_OUT, toml->at, NULL, "comments in front matter (# ...) are left out");
    toml->at = line_end(toml);
}

/* Blanks, ends of lines and comments. */
static void skip_space(struct toml *toml)
{
    while (toml->at < toml->end) {
        if (strchr(" \t\n", *toml->at))
            toml->at++;
        else if (*toml->at == '#')
            skip_comment(toml);
        else
            break;
    }
}

/* ---- strings ---- */

static bool begins(const struct toml *toml, const char *with)
{
    size_t len = strlen(with);

    return (size_t)(toml->end - toml->at) >= len && memcmp(toml->at, with, len) == 0;
}

static bool add_escape(struct toml *toml, struct buf *to)
{
    static const char signs[] = "btnfre\"\\", means[] = "\b\t\n\f\r\x1b\"\\";
    const char *sign = toml->at < toml->end ? strchr(signs, *toml->at) : NULL;
    size_t digits = 0;
    uint32_t code = 0;

    if (toml->at == toml->end || !*toml->at)
        return false;
    if (sign) {
        buf_addc(to, means[sign - signs]);
        toml->at++;
        return true;
    }
    digits = *toml->at == 'u' ? 4 : *toml->at == 'U' ? 8 : 0;
    if (digits == 0 || (size_t)(toml->end - toml->at) <= digits)
        return false;
    for (size_t i = 1; i <= digits; i++) {
        unsigned char c = (unsigned char)toml->at[i];

        if (!isxdigit(c))
            return false;
        code = code * 16 + (uint32_t)(isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
    }
    if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        return false;
    toml->at += digits + 1;
    if (code < 0x80) {
        buf_addc(to, (char)code);
    } else if (code < 0x800) {
        buf_addc(to, (char)(0xC0 | code >> 6));
    } else if (code < 0x10000) {
        buf_addc(to, (char)(0xE0 | code >> 12));
        buf_addc(to, (char)(0x80 | (code >> 6 & 0x3F)));
    } else {
        buf_addc(to, (char)(0xF0 | code >> 18));
        buf_addc(to, (char)(0x80 | (code >> 12 & 0x3F)));
        buf_addc(to, (char)(0x80 | (code >> 6 & 0x3F)));
    }
    if (code >= 0x80)
        buf_addc(to, (char)(0x80 | (code & 0x3F)));
    return true;
}

/* A "\" at the end of a line takes the end and the blanks after it away. */
static bool skip_line_end(struct toml *toml)
{
    const char *at = toml->at;

    while (at < toml->end && (*at == ' ' || *at == '\t'))
        at++;
    if (at == toml->end || *at != '\n')
        return false;
    while (at < toml->end && strchr(" \t\n", *at))
        at++;
    toml->at = at;
    return true;
}

/* lines: it may have several. */
static json_t *read_string(struct toml *toml, bool several)
{
    static const char *const marks[] = {"\"\"\"", "'''", "\"", "'"};
    struct buf BUF_AUTO text = {0};
    size_t mark = several ? 0 : 2;
    bool literal, lines;

    while (mark < 4 && !begins(toml, marks[mark]))
        mark++;
    if (mark == 4)
        return NULL;
    literal = marks[mark][0] == '\'';
    lines = mark < 2;
    toml->at += strlen(marks[mark]);
    if (lines && toml->at < toml->end && *toml->at == '\n')
        toml->at++;
    while (toml->at < toml->end && !begins(toml, marks[mark])) {
        char c = *toml->at++;

        if (c == '\n' && !lines)
            return NULL;
        if (c != '\\' || literal)
            buf_addc(&text, c);
        else if (!(lines && skip_line_end(toml)) && !add_escape(toml, &text))
            return NULL;
    }
    if (toml->at == toml->end)
        return NULL;
    toml->at += strlen(marks[mark]);
    for (int i = 0; lines && i < 2 && toml->at < toml->end && *toml->at == marks[mark][0]; i++)
        buf_addc(&text, *toml->at++); /* up to two of its own signs before the end */
    return json_stringn(text.data ? text.data : "", text.len);
}

/* ---- other values ---- */

/* A number, a boolean, a date or a time; numbers that JSON would write otherwise are texts. */
static json_t *read_word(struct toml *toml)
{
    const char *from = toml->at;
    struct buf BUF_AUTO again = {0};
    json_t *value;
    size_t len;

    while (toml->at < toml->end &&
           (isalnum((unsigned char)*toml->at) || strchr("+-_.:", *toml->at)))
        toml->at++;
    /* A date and a time with a blank between them. */
    if (toml->at - from == 10 && from[4] == '-' && toml->end - toml->at > 3 && *toml->at == ' ' &&
        isdigit((unsigned char)toml->at[1]) && isdigit((unsigned char)toml->at[2]) &&
        toml->at[3] == ':') {
        toml->at++;
        while (toml->at < toml->end &&
               (isdigit((unsigned char)*toml->at) || strchr("+-.:Z", *toml->at)))
            toml->at++;
    }
    len = (size_t)(toml->at - from);
    if (len == 0 || !(isdigit((unsigned char)*from) || strchr("+-", *from) ||
                      (len == 4 && memcmp(from, "true", 4) == 0) ||
                      (len == 5 && memcmp(from, "false", 5) == 0) ||
                      (len == 3 && (memcmp(from, "inf", 3) == 0 || memcmp(from, "nan", 3) == 0))))
        return NULL;
    value = json_loadb(from, len, JSON_DECODE_ANY, NULL);
    if (value)
        json_write(&again, value);
    if (value && again.len == len && memcmp(again.data, from, len) == 0)
        return value;
    json_decref(value);
    return json_stringn(from, len);
}

static json_t *read_scalar(struct toml *toml)
{
    return toml->at < toml->end && strchr("\"'", *toml->at) ? read_string(toml, true)
                                                            : read_word(toml);
}

static json_t *read_array(struct toml *toml)
{
    json_auto_t *list = json_array();

    toml->at++;
    for (;;) {
        json_t *value;

        skip_space(toml);
        if (toml->at < toml->end && *toml->at == ']')
            break;
        value = toml->at < toml->end ? read_scalar(toml) : NULL;
        if (!value)
            return NULL;
        json_array_append_new(list, value);
        skip_space(toml);
        if (toml->at < toml->end && *toml->at == ',')
            toml->at++;
        else if (toml->at == toml->end || *toml->at != ']')
            return NULL;
    }
    toml->at++;
    return json_incref(list);
}

/* ---- lines ---- */

/* Appends the key up to its "="; false: there is none. */
static bool read_key(struct toml *toml, struct buf *key)
{
    for (;;) {
        const char *from = toml->at;

        if (toml->at < toml->end && strchr("\"'", *toml->at)) {
            json_auto_t *quoted = read_string(toml, false);

            if (!quoted)
                return false;
            buf_adds(key, json_string_value(quoted));
        } else {
            while (toml->at < toml->end &&
                   (isalnum((unsigned char)*toml->at) || strchr("-_", *toml->at)))
                toml->at++;
            if (toml->at == from)
                return false;
            buf_add(key, from, (size_t)(toml->at - from));
        }
        skip_blanks(toml);
        if (toml->at < toml->end && *toml->at == '=') {
            toml->at++;
            return key->len > 0;
        }
        if (toml->at == toml->end || *toml->at != '.')
            return false;
        toml->at++;
        buf_addc(key, '.');
        skip_blanks(toml);
    }
}

/* Under its key, or under another one where that stands already. */
static void keep(struct toml *toml, const char *key, const char *place, json_t *value)
{
    struct buf BUF_AUTO name = {0};

    buf_adds(&name, key);
    for (size_t n = 2; name.data && json_object_get(toml->fields, name.data); n++) {
        if (n == 2)
            say(toml, FINDING_CHANGED, place, key,
                "keys that stand twice in front matter: the second value is kept under another "
                "key, as in title_2");
        buf_clear(&name);
        buf_addf(&name, "%s_%zu", key, n);
    }
    if (name.data)
        json_object_set_new(toml->fields, name.data, value);
    else
        json_decref(value);
}

static json_t *trimmed(const char *from, const char *end)
{
    while (from < end && isspace((unsigned char)*from))
        from++;
    while (end > from && isspace((unsigned char)end[-1]))
        end--;
    return json_stringn(from, (size_t)(end - from));
}

/* Where a line begins that has a key or a table, or the end. */
static const char *next_part(struct toml *toml)
{
    struct toml ahead = *toml;

    ahead.said = NULL;
    while (ahead.at < ahead.end) {
        struct buf BUF_AUTO key = {0};
        const char *begin;

        ahead.at = line_end(&ahead);
        ahead.at += ahead.at < ahead.end;
        begin = ahead.at;
        if (begin == ahead.end || *begin == '[' || read_key(&ahead, &key))
            return begin;
        ahead.at = begin;
    }
    return ahead.end;
}

/* "[params]" and its lines are one text under the name of the table. */
static void keep_table(struct toml *toml)
{
    const char *from = toml->at, *end = line_end(toml), *name = from, *name_end = end;
    json_auto_t *text = NULL, *key = NULL;
    const json_t *had;
    struct buf BUF_AUTO whole = {0};

    toml->at = end;
    while (toml->at < toml->end) {
        toml->at += *toml->at == '\n';
        if (toml->at < toml->end && *toml->at == '[')
            break;
        toml->at = line_end(toml);
    }
    while (name < name_end && strchr("[ \t", *name))
        name++;
    name_end = name + strcspn(name, "]\n") < name_end ? name + strcspn(name, "]\n") : name_end;
    key = trimmed(name, name_end);
    text = trimmed(end, toml->at);
    if (json_string_length(key) == 0) {
        json_decref(key);
        key = json_string("table");
    }
    say(toml, FINDING_CHANGED, from, json_string_value(key),
        "tables and nested values of TOML front matter are kept as text");
    had = json_object_get(toml->fields, json_string_value(key));
    if (json_is_string(had))
        buf_addf(&whole, "%s\n\n", json_string_value(had));
    buf_adds(&whole, json_string_value(text));
    if (had && !json_is_string(had))
        keep(toml, json_string_value(key), from, json_incref(text));
    else
        json_object_set_new(toml->fields, json_string_value(key),
                            json_stringn(whole.data ? whole.data : "", whole.len));
}

static void read_line(struct toml *toml)
{
    const char *from = toml->at, *value_at, *end;
    struct buf BUF_AUTO key = {0};
    json_t *value = NULL;

    if (*from == '[') {
        keep_table(toml);
        return;
    }
    if (!read_key(toml, &key) || !key.data) {
        toml->at = from;
        end = line_end(toml);
        say(toml, FINDING_CHANGED, from, NULL,
            "lines of TOML front matter that cannot be read are kept as text");
        keep(toml, "front_matter", from, trimmed(from, end));
        toml->at = end;
        return;
    }
    buf_add(&key, "", 0);
    skip_blanks(toml);
    value_at = toml->at;
    if (toml->at < toml->end)
        value = *toml->at == '[' ? read_array(toml) : read_scalar(toml);
    skip_blanks(toml);
    if (value && toml->at < toml->end && *toml->at == '#')
        skip_comment(toml);
    if (!value || (toml->at < toml->end && *toml->at != '\n')) {
        json_decref(value);
        toml->at = value_at;
        end = next_part(toml);
        value = trimmed(value_at, end);
        toml->at = end;
        say(toml, FINDING_CHANGED, from, key.data,
            "tables and nested values of TOML front matter are kept as text");
    }
    keep(toml, key.data, from, value);
}

json_t *toml_front_read(const char *text, size_t len, const char *name, size_t line,
                        struct findings *said)
{
    struct toml toml = {.at = text,
                        .end = text + len,
                        .seen = text,
                        .line = line,
                        .name = name,
                        .said = said,
                        .fields = json_object()};

    for (skip_space(&toml); toml.at < toml.end; skip_space(&toml))
        read_line(&toml);
    return toml.fields;
}
