/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Components as Markdown: their bodies, their marks, and the fields that follow from their shape.
 * Each body is parsed when it is written; if that does not return the same value, a stricter form
 * is used.
 */
#include "mcp/format/markdown.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/format/yaml.h"

#define BODY_YAML_INFO  "yaml parameters"
#define BODY_YAML_FENCE "```" BODY_YAML_INFO "\n"
#define BODY_FENCE_END  "\n```"
#define BODY_LABEL_CAP  64 /* bytes of a field's name with its NUL */

enum body_form { BODY_FIELDS, BODY_HEADING, BODY_TEXT, BODY_QUOTE, BODY_STEPS };

/* ---- writing bodies: a table of types and the forms of their text ---- */

static const struct {
    const char *type;
    enum body_form form;
} forms[] = {
    {"heading", BODY_HEADING},   {"paragraph", BODY_TEXT},      {"memory-trick", BODY_QUOTE},
    {"callout-box", BODY_QUOTE}, {"step-sequence", BODY_STEPS},
};

static enum body_form body_form(const char *type)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (strcmp(forms[i].type, type) == 0)
            return forms[i].form;
    return BODY_FIELDS;
}

struct lines {
    const char *at, *end;
};

/* The next line of the text, without its end; false after the last. */
static bool lines_next(struct lines *lines, const char **line, size_t *len)
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

/* Appends the text with prefix before every line after the first, except empty ones. */
static void add_lines(struct buf *to, const char *text, size_t len, const char *first,
                      const char *prefix, const char *bare)
{
    struct lines lines = {text, text + len};
    const char *line;
    size_t line_len;

    for (bool begun = false; lines_next(&lines, &line, &line_len); begun = true) {
        if (begun)
            buf_addc(to, '\n');
        buf_adds(to, !begun ? first : line_len > 0 ? prefix : bare);
        buf_add(to, line, line_len);
    }
    buf_addc(to, '\n');
}

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
    return len > 0 && len < BODY_LABEL_CAP;
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

static bool body_write(struct buf *to, const char *type, const json_t *parameters, json_t *left)
{
    enum body_form form = body_form(type);
    const char *main = form == BODY_STEPS ? "steps" : "text";
    const json_t *value = json_object_get(parameters, main);
    const char *text = json_string_value(value);
    size_t len = json_string_length(value);

    if (form == BODY_FIELDS)
        return write_fields(to, parameters);
    if (form == BODY_STEPS ? !all_texts(value) : !text)
        return false;
    json_object_update(left, (json_t *)parameters);
    json_object_del(left, main);
    if (form == BODY_STEPS)
        write_steps(to, value);
    else if (form == BODY_QUOTE)
        add_lines(to, text, len, len > 0 ? "> " : "", "> ", ">");
    else
        add_lines(to, text, len, form == BODY_HEADING ? "## " : "", "", "");
    return true;
}

bool body_has_form(const char *type)
{
    return body_form(type) != BODY_FIELDS;
}

bool body_write_plain(struct buf *to, const char *type, const json_t *parameters)
{
    json_auto_t *left = json_object();
    struct buf BUF_AUTO body = {0};

    if (!body_write(&body, type, parameters, left))
        return false;
    buf_add(to, body.data, body.len);
    return true;
}

/* ---- reading bodies, as they were written or as a person wrote them ---- */

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
        width = width > 0 ? width : 1; /* text before the first mark is a step */
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

/* The content of a text that is one fenced code block with that info string, without its last line
 * break; NULL if it is none. Formatters lengthen fences (CommonMark 0.31, 4.5). */
static const char *fenced(const char *text, size_t len, const char *info, size_t *content_len)
{
    size_t ticks = 0, closing = 0, from;

    while (ticks < len && text[ticks] == '`')
        ticks++;
    from = ticks + strlen(info) + 1;
    if (ticks < 3 || len < from || memcmp(text + ticks, info, strlen(info)) != 0 ||
        text[from - 1] != '\n')
        return NULL;
    while (len > from && text[len - 1] == '`') {
        closing++;
        len--;
    }
    if (closing < ticks || text[len - 1] != '\n')
        return NULL;
    *content_len = len > from ? len - 1 - from : 0;
    return text + from;
}

json_t *body_read(const char *type, const char *body, size_t len, const char *name, size_t line,
                  struct error *err)
{
    const char *from = body, *content;
    size_t content_len;
    json_t *value;

    trim(&body, &len);
    for (; from < body; from++)
        line += *from == '\n';
    content = fenced(body, len, BODY_YAML_INFO, &content_len);
    if (content) {
        value =
            content_len == 0 ? json_object() : yaml_read(content, content_len, name, line + 2, err);
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

/* ---- components ---- */

#define MARK_BEGIN "<!-- component"
#define MARK_END   "-->"
#define RAW_INFO   "json"
#define RAW_FENCE  "```" RAW_INFO "\n"
#define FENCE_END  "\n```"
#define TYPE_CAP   64

static const struct {
    const char *name;
    unsigned bit;
} shapes[] = {
    {"type", SHAPE_TYPE},       {"component_type", SHAPE_COMPONENT_TYPE},
    {"order", SHAPE_ORDER},     {"order_index", SHAPE_ORDER_INDEX},
    {"content", SHAPE_CONTENT},
};
#define SHAPE_COUNT (sizeof shapes / sizeof shapes[0])

json_t *shape_names(unsigned shape)
{
    json_t *names = json_array();

    for (size_t i = 0; i < SHAPE_COUNT; i++)
        if (shape & shapes[i].bit)
            json_array_append_new(names, json_string(shapes[i].name));
    return names;
}

unsigned shape_of_names(const json_t *names)
{
    unsigned shape = 0;
    json_t *name;
    size_t n;

    json_array_foreach((json_t *)names, n, name)
    {
        for (size_t i = 0; i < SHAPE_COUNT; i++)
            if (json_is_string(name) && strcmp(shapes[i].name, json_string_value(name)) == 0)
                shape |= shapes[i].bit;
    }
    return shape;
}

static bool is_type(const char *type)
{
    size_t len = type ? strlen(type) : 0;

    for (size_t i = 0; i < len; i++)
        if (!isascii((unsigned char)type[i]) ||
            (!isalnum((unsigned char)type[i]) && type[i] != '-' && type[i] != '_'))
            return false;
    return len > 0 && len < TYPE_CAP;
}

/* NULL: it has no type that a mark can name. */
static const char *type_of(const json_t *component)
{
    const char *type = json_get_string(component, "type");

    if (!type)
        type = json_get_string(component, "component_type");
    return is_type(type) ? type : NULL;
}

/* What a field of a shape is where it follows from the rest; a new reference, or NULL. */
static json_t *implied(unsigned bit, const char *type, const json_t *parameters, size_t place)
{
    json_t *text = json_object_get(parameters, "text");

    if (bit & (SHAPE_TYPE | SHAPE_COMPONENT_TYPE))
        return json_string(type);
    if (bit & (SHAPE_ORDER | SHAPE_ORDER_INDEX))
        return json_integer((json_int_t)place);
    return json_is_string(text) ? json_incref(text) : NULL;
}

unsigned shape_of(const json_t *component, size_t place)
{
    const json_t *parameters = json_object_get(component, "parameters");
    unsigned shape = 0;

    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        json_auto_t *follows = implied(shapes[i].bit, type_of(component), parameters, place);

        if (json_equal(json_object_get(component, shapes[i].name), follows))
            shape |= shapes[i].bit;
    }
    return shape;
}

/* ---- writing ---- */

/* As JSON that cannot end a comment. */
static void add_attributes(struct buf *to, const json_t *attributes)
{
    struct buf BUF_AUTO json = {0};

    json_write(&json, attributes);
    buf_addc(to, ' ');
    for (size_t i = 0; i < json.len; i++) {
        if (json.data[i] == '>')
            buf_adds(to, "\\u003e");
        else
            buf_addc(to, json.data[i]);
    }
    to->failed = to->failed || json.failed;
}

/* The contents of the mark: fields that follow from nothing, and the shape if it is not the usual
 * one. A content that is not a text cannot follow from one. */
static json_t *attributes_of(const json_t *component, size_t place, unsigned usual,
                             const json_t *left)
{
    json_t *attributes = json_object(), *value;
    unsigned shape = shape_of(component, place);
    unsigned implied = usual;
    const char *key;

    if (!json_is_string(json_object_get(json_object_get(component, "parameters"), "text")))
        implied &= ~(unsigned)SHAPE_CONTENT;
    if (shape != implied)
        json_object_set_new(attributes, "is", shape_names(shape));
    json_object_foreach((json_t *)component, key, value)
    {
        bool follows = strcmp(key, "parameters") == 0;

        for (size_t i = 0; i < SHAPE_COUNT; i++)
            follows = follows || ((shape & shapes[i].bit) && strcmp(key, shapes[i].name) == 0);
        if (!follows)
            json_object_set(attributes, key, value);
    }
    if (json_object_size(left) > 0)
        json_object_set(attributes, "parameters", (json_t *)left);
    return attributes;
}

static bool write_typed(struct buf *to, const json_t *component, size_t place, unsigned usual,
                        bool fenced)
{
    const json_t *parameters = json_object_get(component, "parameters");
    const char *type = type_of(component);
    json_auto_t *left = NULL, *attributes = NULL;
    struct buf BUF_AUTO body = {0};
    bool done;

    if (!type || !json_is_object(parameters))
        return false;
    left = json_object();
    if (fenced) {
        buf_adds(&body, "```yaml parameters\n");
        done = yaml_write(&body, parameters, NULL) == 0;
        buf_adds(&body, "```\n");
    } else {
        done = body_write(&body, type, parameters, left);
    }
    attributes = attributes_of(component, place, usual, left);
    buf_addf(to, MARK_BEGIN ": %s", type);
    if (json_object_size(attributes) > 0)
        add_attributes(to, attributes);
    buf_adds(to, " " MARK_END "\n");
    buf_add(to, body.data, body.len);
    /* Reading takes this sign for the end of a line, so it stands in quotes alone. */
    return done && !body.failed && !(body.len > 0 && memchr(body.data, '\r', body.len));
}

static void write_raw(struct buf *to, const json_t *component)
{
    buf_adds(to, MARK_BEGIN " " MARK_END "\n" RAW_FENCE);
    json_write(to, component);
    buf_adds(to, FENCE_END "\n");
}

static size_t line_end(const char *text, size_t len)
{
    const char *end = memchr(text, '\n', len);

    return end ? (size_t)(end - text) : len;
}

/* Whether the text is one component, and this one. */
static bool reads_as(const struct buf *text, const json_t *component, size_t place, unsigned usual)
{
    size_t mark = line_end(text->data, text->len), at = mark + 1;
    const char *body = text->data + at;
    json_auto_t *read = NULL;

    for (; at < text->len; at += line_end(text->data + at, text->len - at) + 1)
        if (component_is_mark(text->data + at, line_end(text->data + at, text->len - at)))
            return false;
    read = component_read(text->data, mark, body, text->len - mark - 1, place, usual, "", 1, NULL);
    return read && json_equal(read, (json_t *)component);
}

int component_write(struct buf *to, const json_t *component, size_t place, unsigned usual,
                    struct error *err)
{
    struct buf BUF_AUTO text = {0};
    bool done = false;

    for (int fenced = 0; !done && fenced <= 1; fenced++) {
        buf_clear(&text);
        done = write_typed(&text, component, place, usual, fenced) && !text.failed &&
               reads_as(&text, component, place, usual);
    }
    if (!done) {
        buf_clear(&text);
        write_raw(&text, component);
        if (text.failed || !reads_as(&text, component, place, usual))
            return error_set(err, ERROR_INTERNAL, "component %zu cannot be written as Markdown",
                             place);
    }
    buf_add(to, text.data, text.len);
    return 0;
}

/* ---- reading ---- */

bool component_is_mark(const char *line, size_t len)
{
    const size_t begin = sizeof MARK_BEGIN - 1;

    return len > begin && memcmp(line, MARK_BEGIN, begin) == 0 &&
           (line[begin] == ':' || line[begin] == ' ' || line[begin] == '-');
}

struct note_mark {
    char type[TYPE_CAP]; /* "" for one that has none */
    json_t *attributes;  /* owned, or NULL */
};

static int read_mark(const char *line, size_t len, struct note_mark *mark, const char *name,
                     size_t line_number, struct error *err)
{
    const char *at = line + sizeof MARK_BEGIN - 1, *end = line + len;
    size_t type = 0;

    while (end > at && isspace((unsigned char)end[-1]))
        end--;
    if (end - at < 3 || strncmp(end - 3, MARK_END, 3) != 0)
        return error_set(err, ERROR_MALFORMED,
                         "%s line %zu: the mark must end on its line, as in " MARK_BEGIN
                         ": paragraph " MARK_END,
                         name, line_number);
    end -= 3;
    while (at < end && (*at == ' ' || *at == ':'))
        at++;
    while (at < end && *at != ' ' && *at != '{' && type < TYPE_CAP - 1)
        mark->type[type++] = *at++;
    mark->type[type] = '\0';
    while (at < end && *at == ' ')
        at++;
    while (end > at && end[-1] == ' ')
        end--;
    if (type > 0 && !is_type(mark->type))
        return error_set(err, ERROR_MALFORMED, "%s line %zu: '%s' is not the name of a type", name,
                         line_number, mark->type);
    if (at == end)
        return 0;
    mark->attributes = json_read(at, (size_t)(end - at), "", NULL);
    if (!json_is_object(mark->attributes)) {
        json_decref(mark->attributes);
        mark->attributes = NULL;
        return error_set(err, ERROR_MALFORMED,
                         "%s line %zu: behind the type must stand an object of JSON or nothing, as "
                         "in " MARK_BEGIN ": paragraph {\"confidence\":0.9} " MARK_END,
                         name, line_number);
    }
    return 0;
}

static json_t *read_raw(const char *body, size_t len, const char *name, size_t line,
                        struct error *err)
{
    const char *content;
    size_t content_len;
    json_t *value;

    while (len > 0 && isspace((unsigned char)body[len - 1]))
        len--;
    while (len > 0 && isspace((unsigned char)*body)) {
        body++;
        len--;
    }
    content = fenced(body, len, RAW_INFO, &content_len);
    if (content) {
        value = json_read(content, content_len, "the component", err);
        if (!value)
            error_wrap(err, "%s line %zu", name, line);
        return value;
    }
    error_set(err, ERROR_MALFORMED,
              "%s line %zu: the mark names no type, write " MARK_BEGIN ": paragraph " MARK_END,
              name, line);
    return NULL;
}

static void add_implied(json_t *component, unsigned shape, const char *type,
                        const json_t *parameters, size_t place)
{
    for (size_t i = 0; i < SHAPE_COUNT; i++)
        if (shape & shapes[i].bit)
            json_object_set_new(component, shapes[i].name,
                                implied(shapes[i].bit, type, parameters, place));
}

static json_t *assemble(const struct note_mark *mark, json_t *parameters, size_t place,
                        unsigned usual)
{
    const unsigned behind = SHAPE_ORDER | SHAPE_ORDER_INDEX; /* the parameters, as in our files */
    json_t *component = json_object(), *value;
    const json_t *is = json_object_get(mark->attributes, "is");
    unsigned shape = is ? shape_of_names(is) : usual;
    const char *key;

    json_object_update(parameters, json_object_get(mark->attributes, "parameters"));
    add_implied(component, shape & ~behind, mark->type, parameters, place);
    json_object_set(component, "parameters", parameters);
    add_implied(component, shape & behind, mark->type, parameters, place);
    json_object_foreach(mark->attributes, key, value)
    {
        if (strcmp(key, "is") != 0 && strcmp(key, "parameters") != 0)
            json_object_set(component, key, value);
    }
    return component;
}

json_t *component_read(const char *mark_line, size_t mark_len, const char *body, size_t body_len,
                       size_t place, unsigned usual, const char *name, size_t line,
                       struct error *err)
{
    json_auto_t *parameters = NULL;
    json_t *component = NULL;
    struct note_mark mark = {0};

    if (read_mark(mark_line, mark_len, &mark, name, line, err) < 0)
        return NULL;
    if (!*mark.type) {
        component = read_raw(body, body_len, name, line, err);
    } else {
        parameters = body_read(mark.type, body, body_len, name, line, err);
        if (parameters)
            component = assemble(&mark, parameters, place, usual);
    }
    json_decref(mark.attributes);
    return component;
}
