/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bodies of components: a table of types and the forms of their text. Who writes one reads it again
 * to see that nothing was lost (markdown_component.c), so a form may fail on odd texts.
 */
#include <ctype.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/format/markdown.h"
#include "mcp/session/format/yaml.h"

#define YAML_FENCE "```yaml parameters\n"
#define FENCE_END  "\n```"
#define LABEL_CAP  64
#define NUMBER_CAP 24

enum form { FORM_FIELDS, FORM_HEADING, FORM_TEXT, FORM_QUOTE, FORM_STEPS };

static const struct {
    const char *type;
    enum form form;
} forms[] = {
    {"heading", FORM_HEADING},   {"paragraph", FORM_TEXT},      {"memory-trick", FORM_QUOTE},
    {"callout-box", FORM_QUOTE}, {"step-sequence", FORM_STEPS},
};

static enum form form_of(const char *type)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (!strcmp(forms[i].type, type))
            return forms[i].form;
    return FORM_FIELDS;
}

/* ---- lines ---- */

/* The next line of the text, without its end; false behind the last. */
struct lines {
    const char *at, *end;
};
static bool next_line(struct lines *lines, const char **line, size_t *len)
{
    const char *end;

    if (lines->at > lines->end)
        return false;
    end = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
    *line = lines->at;
    *len = (size_t)((end ? end : lines->end) - lines->at);
    lines->at = end ? end + 1 : lines->end + 1;
    if (*len > 0 && (*line)[*len - 1] == '\r')
        --*len;
    return true;
}

static void trim(const char **text, size_t *len)
{
    while (*len > 0 && ((*text)[*len - 1] == '\n' || (*text)[*len - 1] == '\r'))
        --*len;
    while (*len > 0 && (**text == '\n' || **text == '\r')) {
        ++*text;
        --*len;
    }
}

/* Every line behind the first with prefix before it, or where it is empty, bare. */
static void add_lines(struct buf *to, const char *text, size_t len, const char *first,
                      const char *prefix, const char *bare)
{
    struct lines lines = {text, text + len};
    const char *line;
    size_t line_len;

    for (bool begun = false; next_line(&lines, &line, &line_len); begun = true) {
        if (begun)
            buf_addc(to, '\n');
        buf_adds(to, !begun ? first : line_len > 0 ? prefix : bare);
        buf_add(to, line, line_len);
    }
    buf_addc(to, '\n');
}

/* ---- writing ---- */

static void write_steps(struct buf *to, const json_t *steps)
{
    json_t *step;
    size_t i;

    json_array_foreach((json_t *)steps, i, step)
    {
        struct buf BUF_AUTO number = {0}, blank = {0};

        buf_addf(&number, "%zu. ", i + 1);
        for (size_t n = 0; n < number.len; n++)
            buf_addc(&blank, ' ');
        add_lines(to, json_string_value(step), json_string_length(step), number.data, blank.data,
                  "");
    }
}

static bool is_label(const char *key)
{
    size_t len = strlen(key);

    for (size_t i = 0; i < len; i++)
        if (!isascii((unsigned char)key[i]) || (!isalnum((unsigned char)key[i]) && key[i] != '_'))
            return false;
    return len > 0 && len < LABEL_CAP;
}

static bool write_fields(struct buf *to, const json_t *parameters)
{
    const char *key, *gap = "";
    json_t *value;

    json_object_foreach((json_t *)parameters, key, value)
    {
        if (!json_is_string(value) || !is_label(key))
            return false;
        buf_addf(to, "%s**%s:** ", gap, key);
        buf_add(to, json_string_value(value), json_string_length(value));
        buf_addc(to, '\n');
        gap = "\n";
    }
    return true;
}

static bool all_texts(const json_t *list)
{
    json_t *entry;
    size_t i;

    json_array_foreach((json_t *)list, i, entry)
    {
        if (!json_is_string(entry))
            return false;
    }
    return json_is_array(list);
}

bool body_write(struct buf *to, const char *type, const json_t *parameters, json_t *left)
{
    enum form form = form_of(type);
    const char *main = form == FORM_STEPS ? "steps" : "text";
    const json_t *value = json_object_get(parameters, main);
    const char *text = json_string_value(value);
    size_t len = json_string_length(value);

    if (form == FORM_FIELDS)
        return write_fields(to, parameters);
    if (form == FORM_STEPS ? !all_texts(value) : !text)
        return false;
    json_object_update(left, (json_t *)parameters);
    json_object_del(left, main);
    if (form == FORM_STEPS)
        write_steps(to, value);
    else if (form == FORM_QUOTE)
        add_lines(to, text, len, len > 0 ? "> " : "", "> ", ">");
    else
        add_lines(to, text, len, form == FORM_HEADING ? "## " : "", "", "");
    return true;
}

/* ---- reading ---- */

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

    for (bool begun = false; next_line(&lines, &line, &line_len); begun = true) {
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

    while (len > 0 && next_line(&lines, &line, &line_len)) {
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
static size_t label_of(const char *line, size_t len, char label[LABEL_CAP])
{
    size_t end = 2;

    if (len < 6 || strncmp(line, "**", 2) != 0)
        return 0;
    while (end < len && end - 2 < LABEL_CAP - 1 &&
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
    char label[LABEL_CAP] = "", found[LABEL_CAP];
    json_t *fields = json_object();
    struct buf BUF_AUTO text = {0};
    const char *line;
    size_t line_len;

    while (len > 0 && next_line(&lines, &line, &line_len)) {
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
    const size_t begin = sizeof YAML_FENCE - 1, end = sizeof FENCE_END - 1;

    return len >= begin - 1 + end && !memcmp(body, YAML_FENCE, begin) &&
           !memcmp(body + len - end, FENCE_END, end);
}

json_t *body_read(const char *type, const char *body, size_t len, const char *name, size_t line,
                  struct error *err)
{
    const size_t begin = sizeof YAML_FENCE - 1, end = sizeof FENCE_END - 1;
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
    switch (form_of(type)) {
    case FORM_FIELDS:
        return read_fields(body, len, name, line, err);
    case FORM_STEPS:
        return json_pack("{s:o}", "steps", read_steps(body, len));
    case FORM_HEADING:
        return json_pack("{s:o}", "text", read_heading(body, len));
    case FORM_QUOTE:
        return json_pack("{s:o}", "text", read_quote(body, len));
    case FORM_TEXT:
        return json_pack("{s:o}", "text", json_stringn(body, len));
    }
    return NULL;
}
