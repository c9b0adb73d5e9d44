/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One file of a node: front matter and body. It is parsed after it was written; if that does not
 * return the same node, the complete node is in the front matter, as `lectern_node`.
 */
#include "mcp/format/markdown.h"

#include <cmark.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "helpers/base/json.h"
#include "mcp/format/yaml.h"

/* Ordinary Markdown by cmark: each block is a component with its source text. What cmark has no
 * block for (definitions of links) becomes a paragraph, so that nothing is lost. */

struct source {
    const char *text;
    size_t len;
    size_t *starts; /* of lines, from 0; one more than there are */
    size_t lines;
};

static int find_lines(struct source *source, struct error *err)
{
    size_t count = 1;

    for (size_t i = 0; i < source->len; i++)
        count += source->text[i] == '\n';
    source->starts = calloc(count + 1, sizeof *source->starts);
    if (!source->starts)
        return error_set(err, ERROR_MEMORY, "out of memory for its lines");
    source->lines = count;
    count = 0;
    for (size_t i = 0; i < source->len; i++)
        if (source->text[i] == '\n')
            source->starts[++count] = i + 1;
    source->starts[source->lines] = source->len;
    return 0;
}

/* Lines first to last, from 1, without the blanks around. */
static json_t *lines_of(const struct source *source, size_t first, size_t last)
{
    const char *from, *end;

    if (first < 1 || first > last || first > source->lines)
        return json_string("");
    last = last > source->lines ? source->lines : last;
    from = source->text + source->starts[first - 1];
    end = source->text + source->starts[last];
    while (end > from && strchr("\n\r \t", end[-1]))
        end--;
    while (from < end && strchr("\n\r", *from))
        from++;
    return json_stringn(from, (size_t)(end - from));
}

static void add(json_t *components, const char *type, const char *parameter, json_t *value)
{
    json_array_append_new(components,
                          json_pack("{s:s, s:{s:o}, s:I}", "type", type, "parameters", parameter,
                                    value, "order", (json_int_t)json_array_size(components) + 1));
}

/* The words of a block, without marks. */
static json_t *words_of(cmark_node *block)
{
    cmark_iter *walk = cmark_iter_new(block);
    struct buf BUF_AUTO text = {0};
    cmark_event_type event;

    while ((event = cmark_iter_next(walk)) != CMARK_EVENT_DONE) {
        cmark_node *node = cmark_iter_get_node(walk);
        cmark_node_type type = cmark_node_get_type(node);

        if (event != CMARK_EVENT_ENTER)
            continue;
        if (type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE)
            buf_adds(&text, cmark_node_get_literal(node));
        else if (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK)
            buf_addc(&text, ' ');
    }
    cmark_iter_free(walk);
    return json_stringn(text.data ? text.data : "", text.len);
}

/* Takes Obsidian's comments ("%%...%%") out of the text, but for their ends of lines. */
static void leave_out_comments(struct buf *text, const char *name, size_t line, struct note *note)
{
    bool in_fence = false, at_start = true;
    size_t len = 0;

    for (size_t at = 0; at < text->len;) {
        const char *from = text->data + at, *end;

        if (at_start && (strncmp(from + strspn(from, " >"), "```", 3) == 0 ||
                         strncmp(from + strspn(from, " >"), "~~~", 3) == 0))
            in_fence = !in_fence;
        at_start = *from == '\n';
        line += at_start;
        if (!in_fence && *from == '`') { /* a code span on its line */
            size_t marks = strspn(from, "`"), code = marks;

            while (from[code] && from[code] != '\n' && from[code] != '`')
                code++;
            code = from[code] == '`' ? code : marks;
            memmove(text->data + len, from, code);
            len += code;
            at += code;
            continue;
        }
        end = !in_fence && strncmp(from, "%%", 2) == 0 ? strstr(from + 2, "%%") : NULL;
        if (!end) {
            text->data[len++] = *from;
            at++;
            continue;
        }
        findings_add(note->said, FINDING_LEFT_OUT, PLACE(name, line, NULL),
                     "comments (%%%%...%%%%) are left out");
        at = (size_t)(end - text->data) + 2;
        for (; from < end; from++) {
            if (*from == '\n') {
                text->data[len++] = '\n';
                line++;
            }
        }
    }
    text->len = len;
    buf_add(text, "", 0);
}

/* ---- callouts ---- */

static const struct {
    const char *name, *style;
} callouts[] = {
    {"tip", "tip"},         {"hint", "tip"},          {"warning", "warning"},
    {"caution", "warning"}, {"attention", "warning"}, {"danger", "warning"},
    {"error", "warning"},   {"bug", "warning"},       {"failure", "warning"},
    {"fail", "warning"},    {"missing", "warning"},   {"important", "important"},
};

/* "> [!warning]- Title" and the lines below as a callout-box, whose text begins with the title;
 * false: the quote is none. A kind that is no style of ours is kept as the parameter "callout". */
static bool add_callout(const char *quote, json_t *components)
{
    json_auto_t *read = body_read("callout-box", quote, strlen(quote), "", 1, NULL);
    const char *text = json_get_string(read, "text"), *style = "info", *title, *body, *kind;
    struct buf BUF_AUTO whole = {0};
    size_t len = text && strncmp(text, "[!", 2) == 0 ? strcspn(text, "]\n") : 0;
    json_t *parameters;

    if (len < 3 || text[len] != ']')
        return false;
    kind = text + 2;
    title = text + len + 1 + strspn(text + len + 1, "+-");
    title += strspn(title, " \t");
    body = title + strcspn(title, "\n");
    buf_add(&whole, title, (size_t)(body - title));
    if (whole.len > 0 && *body)
        buf_adds(&whole, "\n\n");
    buf_adds(&whole, *body ? body + 1 : "");
    for (size_t i = 0; i < sizeof callouts / sizeof callouts[0]; i++)
        if (strlen(callouts[i].name) == len - 2 &&
            strncasecmp(callouts[i].name, kind, len - 2) == 0)
            style = callouts[i].style;
    parameters =
        json_pack("{s:s%, s:s}", "text", whole.data ? whole.data : "", whole.len, "style", style);
    if (strlen(style) != len - 2 || strncasecmp(style, kind, len - 2) != 0)
        json_object_set_new(parameters, "callout", json_stringn(kind, len - 2));
    json_array_append_new(components, json_pack("{s:s, s:o, s:I}", "type", "callout-box",
                                                "parameters", parameters, "order",
                                                (json_int_t)json_array_size(components) + 1));
    return true;
}

/* Blocks as they stand in the source. */
static void add_paragraph(const struct source *source, cmark_node *block, json_t *components,
                          const struct note *note)
{
    json_t *text = lines_of(source, (size_t)cmark_node_get_start_line(block),
                            (size_t)cmark_node_get_end_line(block));

    if (note && cmark_node_get_type(block) == CMARK_NODE_BLOCK_QUOTE &&
        add_callout(json_string_value(text), components))
        json_decref(text);
    else
        add(components, "paragraph", "text", text);
}

static void add_list(const struct source *source, cmark_node *list, json_t *components)
{
    json_t *steps;

    if (cmark_node_get_list_type(list) != CMARK_ORDERED_LIST) {
        add(components, "paragraph", "text",
            lines_of(source, (size_t)cmark_node_get_start_line(list),
                     (size_t)cmark_node_get_end_line(list)));
        return;
    }
    steps = json_array();
    for (cmark_node *item = cmark_node_first_child(list); item; item = cmark_node_next(item)) {
        json_auto_t *whole = lines_of(source, (size_t)cmark_node_get_start_line(item),
                                      (size_t)cmark_node_get_end_line(item));
        struct buf BUF_AUTO body = {0};
        json_auto_t *read = NULL;

        /* The same reader as for our own steps takes the number and the indentation away. */
        buf_add(&body, json_string_value(whole), json_string_length(whole));
        read = body_read("step-sequence", body.data ? body.data : "", body.len, "", 1, NULL);
        json_array_extend(steps, json_object_get(read, "steps"));
    }
    add(components, "step-sequence", "steps", steps);
}

/* Whether the words of a heading are all of it: no address stands in it. */
static bool is_words(cmark_node *heading)
{
    cmark_iter *walk = cmark_iter_new(heading);
    cmark_event_type event;
    bool words = true;

    while ((event = cmark_iter_next(walk)) != CMARK_EVENT_DONE) {
        cmark_node_type type = cmark_node_get_type(cmark_iter_get_node(walk));

        words = words && type != CMARK_NODE_LINK && type != CMARK_NODE_IMAGE &&
                type != CMARK_NODE_HTML_INLINE;
    }
    cmark_iter_free(walk);
    return words;
}

/* A heading's text as it is written, without its marks. */
static json_t *heading_text(const struct source *source, cmark_node *heading)
{
    size_t first = (size_t)cmark_node_get_start_line(heading);
    size_t last = (size_t)cmark_node_get_end_line(heading);
    json_auto_t *lines = lines_of(source, first, last);
    const char *text = json_string_value(lines);
    size_t len = json_string_length(lines);

    if (!is_words(heading) && len > 0) {
        if (*text != '#') { /* the last line is the mark */
            json_decref(lines);
            lines = lines_of(source, first, last - (last > first));
            return json_incref(lines);
        }
        while (len > 0 && strchr("# \t", *text)) {
            text++;
            len--;
        }
        while (len > 0 && strchr("# \t", text[len - 1]))
            len--;
        return json_stringn(text, len);
    }
    return words_of(heading);
}

/* The first heading is the title if the front matter has none; where it says the same, it is not
 * repeated. title: of the front matter, or NULL. */
static void add_heading(const struct source *source, cmark_node *block, json_t *components,
                        const json_t *title, struct note *note)
{
    if (note && !note->title) {
        note->title = words_of(block);
        if (is_words(block) && (!title || json_equal((json_t *)title, note->title)))
            return;
    }
    add(components, "heading", "text", heading_text(source, block));
}

static void add_block(const struct source *source, cmark_node *block, json_t *components,
                      const json_t *title, struct note *note)
{
    cmark_node_type type = cmark_node_get_type(block);

    if (type == CMARK_NODE_HEADING)
        add_heading(source, block, components, title, note);
    else if (type == CMARK_NODE_LIST)
        add_list(source, block, components);
    else if (type == CMARK_NODE_THEMATIC_BREAK && note)
        note->rules++;
    else if (type != CMARK_NODE_THEMATIC_BREAK)
        add_paragraph(source, block, components, note);
}

/* Lines that belong to no block. */
static void add_gap(const struct source *source, size_t first, size_t last, json_t *components)
{
    json_t *text = lines_of(source, first, last);

    if (json_string_length(text) > 0)
        add(components, "paragraph", "text", text);
    else
        json_decref(text);
}

/* first: the number of the text's first line in its file. */
static int note_read(const char *text, size_t len, const char *name, size_t first,
                     json_t *components, const json_t *title, struct note *note, struct error *err)
{
    struct buf BUF_AUTO kept = {0};
    struct source source;
    cmark_node *document;
    size_t next = 1;

    while (len > 0 && strchr(" \t\r\n", text[len - 1]))
        len--;
    if (len == 0)
        return 0;
    buf_add(&kept, text, len);
    buf_add(&kept, "", 0);
    if (buf_check(&kept, "the note", err) < 0)
        return -1;
    if (note) {
        leave_out_comments(&kept, name, first, note);
        admonitions_as_quotes(&kept, name, first, note->said);
        if (buf_check(&kept, "the note", err) < 0)
            return -1;
    }
    source = (struct source){.text = kept.data, .len = kept.len};
    if (find_lines(&source, err) < 0)
        return -1;
    document = cmark_parse_document(source.text, source.len, CMARK_OPT_DEFAULT);
    for (cmark_node *block = cmark_node_first_child(document); block;
         block = cmark_node_next(block)) {
        size_t begin = (size_t)cmark_node_get_start_line(block);

        if (begin > next)
            add_gap(&source, next, begin - 1, components);
        add_block(&source, block, components, title, note);
        if ((size_t)cmark_node_get_end_line(block) >= next)
            next = (size_t)cmark_node_get_end_line(block) + 1;
    }
    add_gap(&source, next, source.lines, components);
    if (note && note->links)
        links_find(document, source.text, source.starts, source.lines, first, note);
    cmark_node_free(document);
    free(source.starts);
    return 0;
}

void note_finish(struct note *note)
{
    json_decref(note->links);
    json_decref(note->title);
    *note = (struct note){0};
}

/* ---- files of nodes ---- */

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
    json_auto_t *front = json_copy((json_t *)node);
    size_t i;

    if (json_array_size(components) > 0)
        json_object_del(front, "components");
    if (write_front(to, front, err) < 0)
        return -1;
    json_array_foreach((json_t *)components, i, component)
    {
        buf_addc(to, '\n');
        if (component_write(to, component, i + 1, usual, err) < 0)
            return -1;
    }
    return 0;
}

static int write_whole(struct buf *to, const json_t *node, struct error *err)
{
    json_auto_t *front = json_pack("{s:O}", WHOLE_KEY, node);

    return write_front(to, front, err);
}

static bool reads_as(const struct buf *text, const json_t *node, unsigned usual)
{
    json_auto_t *read = node_read(text, "", usual, NULL, NULL);

    /* Git and editors change this sign, and reading takes it for the end of a line. */
    return !memchr(text->data, '\r', text->len) && read && json_equal(read, (json_t *)node);
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
    return len == 3 && memcmp(cursor->at, FRONT_LINE, 3) == 0;
}

static json_t *read_front_other(struct cursor *cursor, const struct note *note)
{
    size_t used;
    json_t *front = front_read_other(cursor->at, (size_t)(cursor->end - cursor->at), cursor->name,
                                     note->said, &used);

    for (const char *end = cursor->at + used; cursor->at < end; cursor->at++)
        cursor->line += *cursor->at == '\n';
    return front ? front : json_object();
}

/* The front matter, or an empty object; NULL with err. In a note a "---" that nothing ends is a
 * line, as ordinary Markdown has it, and so are two with text between them. */
static json_t *read_front(struct cursor *cursor, struct note *note, json_t *components,
                          struct error *err)
{
    struct cursor begin = *cursor;
    struct buf BUF_AUTO rest = {0};
    const char *from;
    json_t *front;

    if (!is_front_line(cursor))
        return note ? read_front_other(cursor, note) : json_object();
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
    if (note) {
        front = front_read(from, (size_t)(cursor->at - from), cursor->name, begin.line + 1,
                           note->said, &rest);
        if (!front) {
            findings_add(
                note->said, FINDING_READ, PLACE(begin.name, begin.line, NULL),
                "text between two lines --- without `name: value` is not front matter: it is read "
                "as text");
            *cursor = begin;
            return json_object();
        }
        skip_line(cursor);
        if (rest.len > 0) {
            add(components, "paragraph", "text", json_stringn(rest.data, rest.len));
            findings_add(note->said, FINDING_CHANGED, PLACE(begin.name, begin.line, NULL),
                         "lines of the front matter without `name: value` are kept as a paragraph");
        }
        return front;
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

static int read_body(struct cursor *cursor, unsigned usual, const json_t *title, struct note *note,
                     json_t *components, struct error *err)
{
    const char *from = cursor->at;
    size_t first = cursor->line;

    skip_body(cursor);
    if (note_read(from, (size_t)(cursor->at - from), cursor->name, first, components, title, note,
                  err) < 0)
        return error_wrap(err, "%s", cursor->name);
    while (cursor->at < cursor->end) {
        const char *mark = cursor->at, *body;
        size_t mark_len = line_len(cursor), line = cursor->line;
        json_t *component;
        struct error why = {0};

        skip_line(cursor);
        body = cursor->at;
        skip_body(cursor);
        component =
            component_read(mark, mark_len, body, (size_t)(cursor->at - body),
                           json_array_size(components) + 1, usual, cursor->name, line, &why);
        if (component) {
            json_array_append_new(components, component);
        } else if (note) {
            add(components, "paragraph", "text", json_stringn(mark, (size_t)(cursor->at - mark)));
            findings_add(note->said, FINDING_CHANGED, PLACE(cursor->name, line, why.text),
                         "components that cannot be read are kept as text");
        } else {
            return error_set(err, why.kind, "%s", why.text);
        }
    }
    return 0;
}

/* Text must be UTF-8 without NUL, for all that looks at it later. */
static int check_text(const struct cursor *whole, struct error *err)
{
    struct cursor cursor = *whole;

    while (cursor.at < cursor.end) {
        size_t len = line_len(&cursor);
        json_auto_t *line = json_stringn(cursor.at, len);

        if (!line || memchr(cursor.at, '\0', len))
            return error_set(err, ERROR_MALFORMED, "%s line %zu: this is not text in UTF-8",
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
    json_auto_t *node = NULL, *components = NULL;
    json_t *whole;

    cursor.at += file_mark(text->data, text->len);
    if (check_text(&cursor, err) < 0)
        return NULL;
    components = json_array();
    node = read_front(&cursor, note, components, err);
    whole = json_object_get(node, WHOLE_KEY);
    if (whole && json_object_size(node) == 1 && (!note || json_is_object(whole)))
        return json_incref(whole);
    if (!node ||
        read_body(&cursor, usual, json_object_get(node, "title"), note, components, err) < 0)
        return NULL;
    if (json_array_size(components) > 0)
        json_object_set(node, "components", components);
    return json_incref(node);
}
