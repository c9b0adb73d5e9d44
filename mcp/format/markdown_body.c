/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writing bodies of components: a table of types and the forms of their text. Who writes one reads
 * it again to see that nothing was lost (markdown_component.c), so a form may fail on odd texts.
 */
#include "mcp/format/markdown_body.h"

#include <ctype.h>
#include <string.h>

#include "mcp/format/markdown.h"

static const struct {
    const char *type;
    enum body_form form;
} forms[] = {
    {"heading", BODY_HEADING},   {"paragraph", BODY_TEXT},      {"memory-trick", BODY_QUOTE},
    {"callout-box", BODY_QUOTE}, {"step-sequence", BODY_STEPS},
};

enum body_form body_form(const char *type)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (!strcmp(forms[i].type, type))
            return forms[i].form;
    return BODY_FIELDS;
}

bool lines_next(struct lines *lines, const char **line, size_t *len)
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

/* Every line behind the first with prefix before it, or where it is empty, bare. */
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

bool body_write(struct buf *to, const char *type, const json_t *parameters, json_t *left)
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
