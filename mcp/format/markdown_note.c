/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ordinary Markdown by cmark: each block is a component with its own text as it stands there. What
 * cmark has no block for (definitions of links) is a paragraph too, so that no word is lost.
 */
#include <cmark.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/format/markdown.h"

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

static void find_links(cmark_node *document, json_t *links)
{
    cmark_iter *walk = cmark_iter_new(document);
    cmark_event_type event;

    while ((event = cmark_iter_next(walk)) != CMARK_EVENT_DONE) {
        cmark_node *node = cmark_iter_get_node(walk);

        if (event == CMARK_EVENT_ENTER && cmark_node_get_type(node) == CMARK_NODE_LINK)
            json_array_append_new(links, json_string(cmark_node_get_url(node)));
    }
    cmark_iter_free(walk);
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
        json_t *whole = lines_of(source, (size_t)cmark_node_get_start_line(item),
                                 (size_t)cmark_node_get_end_line(item));
        struct buf BUF_AUTO body = {0};
        json_t *read;

        /* The same reader as for our own steps takes the number and the indentation away. */
        buf_add(&body, json_string_value(whole), json_string_length(whole));
        read = body_read("step-sequence", body.data ? body.data : "", body.len, "", 1, NULL);
        json_array_extend(steps, json_object_get(read, "steps"));
        json_decref(read);
        json_decref(whole);
    }
    add(components, "step-sequence", "steps", steps);
}

static void add_block(const struct source *source, cmark_node *block, json_t *components,
                      struct note *note)
{
    cmark_node_type type = cmark_node_get_type(block);

    if (type == CMARK_NODE_HEADING && note && !note->title)
        note->title = words_of(block);
    else if (type == CMARK_NODE_HEADING)
        add(components, "heading", "text", words_of(block));
    else if (type == CMARK_NODE_LIST)
        add_list(source, block, components);
    else if (type == CMARK_NODE_THEMATIC_BREAK && note)
        note->rules++;
    else if (type != CMARK_NODE_THEMATIC_BREAK)
        add(components, "paragraph", "text",
            lines_of(source, (size_t)cmark_node_get_start_line(block),
                     (size_t)cmark_node_get_end_line(block)));
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

int note_read(const char *text, size_t len, json_t *components, struct note *note,
              struct error *err)
{
    struct source source = {.text = text, .len = len};
    cmark_node *document;
    size_t next = 1;

    while (len > 0 && strchr(" \t\r\n", text[len - 1]))
        len--;
    if (len == 0)
        return 0;
    if (find_lines(&source, err) < 0)
        return -1;
    document = cmark_parse_document(text, source.len, CMARK_OPT_DEFAULT);
    for (cmark_node *block = cmark_node_first_child(document); block;
         block = cmark_node_next(block)) {
        size_t first = (size_t)cmark_node_get_start_line(block);

        if (first > next)
            add_gap(&source, next, first - 1, components);
        add_block(&source, block, components, note);
        if ((size_t)cmark_node_get_end_line(block) >= next)
            next = (size_t)cmark_node_get_end_line(block) + 1;
    }
    add_gap(&source, next, source.lines, components);
    if (note && note->links)
        find_links(document, note->links);
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
