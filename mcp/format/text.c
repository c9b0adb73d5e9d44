/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A curriculum from one text instead of a file: what it is, its first characters say. Models write
 * such a text in a fence ("```json"), which is taken away.
 */
#include <cmark.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/format/encoding.h"
#include "mcp/format/file.h"
#include "mcp/format/format.h"
#include "mcp/format/json_text.h"
#include "mcp/format/markdown.h"
#include "mcp/format/xml.h"

#define TEXT_NAME "the text"
#define NOTE_ID   "N%03zu" /* of a note that has none */
#define ID_SIZE   32

static json_t *read_json(const struct buf *text, struct format_report *report, struct error *err)
{
    json_auto_t *root = json_text_read(text->data, text->len, TEXT_NAME, report, err);

    if (!root)
        return NULL;
    if (json_object_get(root, "CFDocument") || json_object_get(root, "CFPackage"))
        return case_curriculum(root, report, err);
    return json_curriculum(root, report, err);
}

/* ---- lessons in Markdown ---- */

struct notes {
    struct format_report *report;
    json_t *nodes;         /* owned */
    struct findings *said; /* owned; see note_say */
    size_t rules, links;
    const char *title; /* of a lesson with front matter that has none; or NULL */
};

/* What has no title is no lesson: a path, prose, a diagram. */
static int refuse(struct error *err)
{
    return error_set_at(
        err, "text",
        "text: this is not a curriculum. Send one of: JSON, as {\"nodes\": [{\"node_id\": \"N1\", "
        "\"title\": \"Counting\"}], \"relationships\": []}; a CFPackage of CASE; CSV, with the "
        "heading Id,Title,Prerequisites; or lessons in Markdown, each with a title, as # Counting. "
        "Send the content of a file, not its path");
}

static bool has_fields(const json_t *node)
{
    return json_object_size(node) > (json_object_get(node, "components") ? 1u : 0u);
}

/* One lesson, or an ordinary note, which becomes one. */
static int read_note(struct notes *notes, const struct buf *text, struct error *err)
{
    struct note note = {.links = json_array(), .said = notes->said};
    json_t *node = node_read(text, TEXT_NAME, SHAPE_USUAL, &note, err);
    char id[ID_SIZE];
    int rc = node ? 0 : -1;

    if (node && !json_is_object(node)) {
        rc = error_set(err, ERROR_INVALID, TEXT_NAME " is not a lesson in Markdown");
    } else if (node) {
        if (!node_name_field(node, "title") && json_string_length(note.title) > 0)
            json_object_set(node, "title", note.title);
        if (!node_name_field(node, "node_id") && node_name_field(node, "id"))
            json_object_set(node, "node_id", json_object_get(node, "id"));
        if (!node_name_field(node, "title") && notes->title && has_fields(node))
            json_object_set_new(node, "title", json_string(notes->title));
        if (!node_name_field(node, "node_id") && !node_name_field(node, "title"))
            rc = refuse(err);
        snprintf(id, sizeof id, NOTE_ID, json_array_size(notes->nodes) + 1);
        if (!node_name_field(node, "node_id"))
            json_object_set_new(node, "node_id", json_string(id));
        if (!node_name_field(node, "title"))
            json_object_set(node, "title", json_object_get(node, "node_id"));
        notes->rules += note.rules;
        notes->links += json_array_size(note.links);
        json_array_append(notes->nodes, node);
    }
    json_decref(node);
    note_finish(&note);
    return rc;
}

/* The start of a line, from 1. */
static const char *find_line(const struct buf *text, const char *from, size_t lines)
{
    for (; lines > 0; lines--) {
        const char *end = memchr(from, '\n', text->len - (size_t)(from - text->data));

        if (!end)
            break;
        from = end + 1;
    }
    return from;
}

/* Whether the whole text is one lesson: it begins with front matter, or has the marks of our own
 * components. */
static bool is_node_file(const struct buf *text)
{
    const char *line = text->data;

    if (strncmp(line, "---", 3) == 0 || strncmp(line, "+++\n", 4) == 0 || *line == '{')
        return true;
    for (; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (component_is_mark(line, strcspn(line, "\n")))
            return true;
    return false;
}

/* A lesson for each heading of level 1; the text before the first belongs to it. */
static int read_parts(struct notes *notes, const struct buf *text, struct error *err)
{
    cmark_node *document = cmark_parse_document(text->data, text->len, CMARK_OPT_DEFAULT);
    const char *part = text->data, *at = part;
    size_t line = 1, headings = 0;
    int rc = 0;

    for (cmark_node *block = cmark_node_first_child(document); block && rc == 0;
         block = cmark_node_next(block)) {
        size_t start = (size_t)cmark_node_get_start_line(block);
        struct buf BUF_AUTO lesson = {0};

        if (cmark_node_get_type(block) != CMARK_NODE_HEADING ||
            cmark_node_get_heading_level(block) != 1 || headings++ == 0)
            continue;
        at = find_line(text, at, start - line);
        line = start;
        buf_add(&lesson, part, (size_t)(at - part));
        part = at;
        rc = read_note(notes, &lesson, err);
    }
    cmark_node_free(document);
    if (rc == 0) {
        struct buf BUF_AUTO lesson = {0};

        buf_add(&lesson, part, text->len - (size_t)(part - text->data));
        rc = read_note(notes, &lesson, err);
    }
    return rc;
}

static void write_what_was_read(const struct notes *notes)
{
    size_t count = json_array_size(notes->nodes);

    if (count > 1)
        format_note(notes->report, TEXT_NAME ": %zu lessons, one for each heading of level 1",
                    count);
    if (notes->rules > 0)
        findings_add_count(&notes->report->lines, FINDING_LEFT_OUT, notes->rules,
                           PLACE(TEXT_NAME, 0, NULL), "lines between paragraphs (---)");
    if (notes->links > 0)
        format_note(notes->report, TEXT_NAME ": links that are kept as text alone: %zu",
                    notes->links);
}

static json_t *read_notes(struct buf *text, const char *name, struct format_report *report,
                          struct error *err)
{
    struct notes notes = {
        .report = report, .nodes = json_array(), .said = &report->lines, .title = name};
    json_t *curriculum = NULL, *title;

    note_decode(text, TEXT_NAME, notes.said);
    if ((is_node_file(text) ? read_note : read_parts)(&notes, text, err) == 0) {
        write_what_was_read(&notes);
        title = json_object_get(json_array_get(notes.nodes, 0), "title");
        curriculum = json_pack("{s:{s:O}, s:O, s:[]}", "meta", "title", title, "nodes", notes.nodes,
                               "relationships");
    }
    json_decref(notes.nodes);
    return curriculum;
}

/* ---- any text ---- */

/* Whether the first line is the heading of a table, and the second a row of it. */
static bool is_table(const char *text)
{
    size_t at = strcspn(text, ",;\t|"), end = strcspn(text, "\r\n");
    const char *row = text + end + strspn(text + end, "\r\n");

    return at < end && *row && memchr(row, text[at], strcspn(row, "\r\n"));
}

static json_t *read_xml(const struct buf *text, struct format_report *report, struct error *err)
{
    if (xml_has_root(text->data, text->len, "gexf"))
        return gexf_curriculum(TEXT_NAME, text, true, report, err);
    return graphml_curriculum(TEXT_NAME, text, true, report, err);
}

static bool is_graph(const struct buf *text)
{
    return *text->data == '<' &&
           (strncmp(text->data, "<?xml", 5) == 0 || xml_has_root(text->data, text->len, "gexf") ||
            xml_has_root(text->data, text->len, "graphml"));
}

static json_t *read_bare(struct buf *text, struct format_report *report, struct error *err)
{
    if (is_graph(text))
        return read_xml(text, report, err);
    if (strchr("{[", *text->data))
        return read_json(text, report, err);
    return strchr("#-<>*|", *text->data) || !is_table(text->data)
               ? read_notes(text, NULL, report, err)
               : csv_curriculum(TEXT_NAME, text, report, err);
}

/* Appends the text without the blanks and the byte order mark before it. */
static int take(struct buf *to, const char *given, size_t len, struct error *err)
{
    size_t skip = 0, mark;

    do {
        while (skip < len && strchr(" \t\r\n", given[skip]))
            skip++;
        mark = file_mark(given + skip, len - skip);
        skip += mark;
    } while (mark > 0);
    if (skip == len) {
        error_set_at(err, "text",
                     "text: is empty: send a curriculum as JSON, CSV, CASE or Markdown");
        return -1;
    }
    buf_init(to, len + 1);
    buf_add(to, given + skip, len - skip);
    return buf_check(to, TEXT_NAME, err);
}

/* What the fence holds, where nothing else is in the text. */
static int unwrap(struct buf *text, struct error *err)
{
    cmark_node *document, *block;
    int rc = 0;

    if (!strchr("`~", *text->data))
        return 0;
    document = cmark_parse_document(text->data, text->len, CMARK_OPT_DEFAULT);
    block = cmark_node_first_child(document);
    if (block && cmark_node_get_type(block) == CMARK_NODE_CODE_BLOCK && !cmark_node_next(block)) {
        const char *content = cmark_node_get_literal(block);

        buf_finish(text);
        rc = take(text, content, strlen(content), err);
    }
    cmark_node_free(document);
    return rc;
}

json_t *notes_read(const char *given, size_t len, const char *title, struct format_report *report,
                   struct error *err)
{
    struct buf BUF_AUTO text = {0};

    return take(&text, given, len, err) == 0 ? read_notes(&text, title, report, err) : NULL;
}

json_t *format_read_text(const char *given, size_t len, struct format_report *report,
                         struct error *err)
{
    struct buf BUF_AUTO text = {0};

    if (take(&text, given, len, err) < 0 || unwrap(&text, err) < 0)
        return NULL;
    return read_bare(&text, report, err);
}

/* ---- a file of text ---- */

static bool has_name(const char *name)
{
    static const char *const suffixes[] = {".txt", ".text", ".tab", NULL};

    return file_ends_in_any(name, suffixes);
}

/* Excel saves "Unicode Text" as UTF-16 with tabs between the cells. */
static json_t *read_file(const char *name, const struct buf *bytes, struct format_report *report,
                         struct error *err)
{
    struct buf BUF_AUTO text = {0};
    json_t *curriculum;

    buf_init(&text, 2 * bytes->len + 1);
    buf_add(&text, bytes->data, bytes->len);
    if (buf_check(&text, name, err) < 0 || encoding_to_utf8(&text, name, report, err) < 0)
        return NULL;
    if (is_table(text.data ? text.data : ""))
        return csv_curriculum(name, &text, report, err);
    curriculum = format_read_text(text.data ? text.data : "", text.len, report, err);
    if (!curriculum && err->kind == ERROR_INVALID)
        format_refuse(name, err);
    return curriculum;
}

const struct format format_text = {
    .name = "text",
    .what = "a text in one of the formats that are text, by its content",
    .has_name = has_name,
    .read = read_file,
};
