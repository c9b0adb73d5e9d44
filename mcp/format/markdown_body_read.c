/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reading bodies of components, as they were written or as a person wrote them.
 */
#include "mcp/format/markdown_body.h"

#include <ctype.h>
#include <string.h>

#include "mcp/format/markdown.h"
#include "mcp/format/yaml.h"

static void trim(const char **text, size_t *len)
{
    while (*len > 0 && ((*text)[*len - 1] == '\n' || (*text)[*len - 1] == '\r'))
        --*len;
    while (*len > 0 && (**text == '\n' || **text == '\r')) {
        ++*text;
        --*len;
    }
}

static json_t *read_heading(const char *body, size_t len)
{
    size_t marks = 0;

    while (marks < len && body[marks] == '#')
        marks++;
    if (marks > 0 && (marks == len || body[marks] == ' ')) {
        body += marks;
        len -= marks;
        if (len > 0) {
            body++;
            len--;
        }
    }
    return json_stringn(body, len);
}

static json_t *read_quote(const char *body, size_t len)
{
    struct lines lines = {body, body + len};
    struct buf BUF_AUTO text = {0};
    const char *line;
    size_t line_len;

    for (bool begun = false; lines_next(&lines, &line, &line_len); begun = true) {
        if (line_len == 0 || line[0] != '>')
            return json_stringn(body, len); /* not every line is a quote: plain text, as it is */
        if (begun)
            buf_addc(&text, '\n');
        line++;
        line_len--;
        if (line_len > 0 && line[0] == ' ') {
            line++;
            line_len--;
        }
        buf_add(&text, line, line_len);
    }
    return json_stringn(text.data ? text.data : "", text.len);
}

/* The width of "12. ", "- " or "* "; 0: the line begins no step. */
static size_t step_mark(const char *line, size_t len)
{
    size_t digits = 0;

    while (digits < len && isdigit((unsigned char)line[digits]))
        digits++;
    if (digits > 0 && digits + 1 < len && (line[digits] == '.' || line[digits] == ')') &&
        line[digits + 1] == ' ')
        return digits + 2;
    return len >= 2 && digits == 0 && (line[0] == '-' || line[0] == '*') && line[1] == ' ' ? 2 : 0;
}

static void end_step(json_t *steps, struct buf *step)
{
    const char *text = step->data ? step->data : "";
    size_t len = step->len;

    trim(&text, &len);
    json_array_append_new(steps, json_stringn(text, len));
    buf_clear(step);
}

static json_t *read_steps(const char *body, size_t len)
{
    struct lines lines = {body, body + len};
    json_t *steps = json_array();
    struct buf BUF_AUTO step = {0};
    size_t width = 0, line_len;
    const char *line;

    while (len > 0 && lines_next(&lines, &line, &line_len)) {
        size_t mark = step_mark(line, line_len), blank = 0;

        if (mark > 0) {
            if (width > 0)
                end_step(steps, &step);
            width = mark;
            buf_add(&step, line + mark, line_len - mark);
            continue;
        }
        while (blank < width && blank < line_len && line[blank] == ' ')
            blank++;
        buf_addc(&step, '\n');
        buf_add(&step, line + blank, line_len - blank);
        width = width > 0 ? width : 1; /* text before the first mark is a step of its own */
    }
    if (width > 0)
        end_step(steps, &step);
    return steps;
}

/* "**term:** text": the label's length with its marks; 0: none. */
static size_t label_of(const char *line, size_t len, char label[BODY_LABEL_CAP])
{
    size_t end = 2;

    if (len < 6 || strncmp(line, "**", 2) != 0)
        return 0;
    while (end < len && end - 2 < BODY_LABEL_CAP - 1 &&
           (line[end] == '_' || isalnum((unsigned char)line[end])))
        end++;
    if (end == 2 || end + 3 > len || strncmp(line + end, ":**", 3) != 0)
        return 0;
    memcpy(label, line + 2, end - 2);
    label[end - 2] = '\0';
    end += 3;
    return end < len && line[end] == ' ' ? end + 1 : end;
}

static void end_field(json_t *fields, const char *label, struct buf *text)
{
    const char *from = text->data ? text->data : "";
    size_t len = text->len;

    trim(&from, &len);
    if (*label)
        json_object_set_new(fields, label, json_stringn(from, len));
    buf_clear(text);
}

static json_t *read_fields(const char *body, size_t len, const char *name, size_t line_number,
                           struct error *err)
{
    struct lines lines = {body, body + len};
    char label[BODY_LABEL_CAP] = "", found[BODY_LABEL_CAP];
    json_t *fields = json_object();
    struct buf BUF_AUTO text = {0};
    const char *line;
    size_t line_len;

    while (len > 0 && lines_next(&lines, &line, &line_len)) {
        size_t mark = label_of(line, line_len, found);

        line_number++;
        if (mark > 0) {
            end_field(fields, label, &text);
            memcpy(label, found, sizeof label);
        } else if (!*label && line_len > 0) {
            error_set(err, ERROR_MALFORMED,
                      "%s line %zu: a field must begin here, as in **term:** text", name,
                      line_number);
            json_decref(fields);
            return NULL;
        } else {
            buf_addc(&text, '\n');
        }
        buf_add(&text, line + mark, line_len - mark);
    }
    end_field(fields, label, &text);
    return fields;
}

static bool is_fenced(const char *body, size_t len)
{
    const size_t begin = sizeof BODY_YAML_FENCE - 1, end = sizeof BODY_FENCE_END - 1;

    return len >= begin - 1 + end && !memcmp(body, BODY_YAML_FENCE, begin) &&
           !memcmp(body + len - end, BODY_FENCE_END, end);
}

json_t *body_read(const char *type, const char *body, size_t len, const char *name, size_t line,
                  struct error *err)
{
    const size_t begin = sizeof BODY_YAML_FENCE - 1, end = sizeof BODY_FENCE_END - 1;
    const char *from = body;
    json_t *value;

    trim(&body, &len);
    for (; from < body; from++)
        line += *from == '\n';
    if (is_fenced(body, len)) {
        value = len < begin + end ? json_object()
                                  : yaml_read(body + begin, len - begin - end, name, line + 2, err);
        if (!value || json_is_object(value))
            return value;
        json_decref(value);
        error_set(err, ERROR_MALFORMED, "%s line %zu: the parameters must be `name: value` lines",
                  name, line + 2);
        return NULL;
    }
    switch (body_form(type)) {
    case BODY_FIELDS:
        return read_fields(body, len, name, line, err);
    case BODY_STEPS:
        return json_pack("{s:o}", "steps", read_steps(body, len));
    case BODY_HEADING:
        return json_pack("{s:o}", "text", read_heading(body, len));
    case BODY_QUOTE:
        return json_pack("{s:o}", "text", read_quote(body, len));
    case BODY_TEXT:
        return json_pack("{s:o}", "text", json_stringn(body, len));
    }
    return NULL;
}
