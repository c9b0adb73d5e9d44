/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A curriculum from one text instead of a file: what it is, its first characters say.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/format/file.h"
#include "mcp/format/format.h"
#include "mcp/format/markdown.h"

#define TEXT_NAME "the text"
#define NOTE_ID   "N001" /* of a note that has none */

static json_t *read_json(const struct buf *text, struct format_report *report, struct error *err)
{
    json_auto_t *root = json_read(text->data, text->len, TEXT_NAME, err);

    if (!root)
        return NULL;
    if (json_object_get(root, "CFDocument") || json_object_get(root, "CFPackage"))
        return case_curriculum(root, report, err);
    return json_incref(root);
}

/* One lesson, or an ordinary note, which becomes one. */
static json_t *read_note(const struct buf *text, struct error *err)
{
    struct note note = {.links = json_array()};
    json_auto_t *node = node_read(text, TEXT_NAME, SHAPE_USUAL, &note, err);
    json_t *curriculum = NULL;

    if (node && !json_is_object(node)) {
        error_set(err, ERROR_INVALID, TEXT_NAME " is not a lesson in Markdown");
    } else if (node) {
        if (!json_is_string(json_object_get(node, "title")) && json_string_length(note.title) > 0)
            json_object_set(node, "title", note.title);
        if (!json_is_string(json_object_get(node, "node_id")))
            json_object_set_new(node, "node_id", json_string(NOTE_ID));
        if (!json_is_string(json_object_get(node, "title")))
            json_object_set(node, "title", json_object_get(node, "node_id"));
        curriculum = json_pack("{s:{s:O}, s:[O], s:[]}", "meta", "title",
                               json_object_get(node, "title"), "nodes", node, "relationships");
    }
    note_finish(&note);
    return curriculum;
}

static json_t *read_sheet(const struct buf *text, struct format_report *report, struct error *err)
{
    json_t *nodes = csv_read_sheet(&csv_nodes, TEXT_NAME, text, report, err);

    return nodes ? json_pack("{s:o, s:[]}", "nodes", nodes, "relationships") : NULL;
}

/* Whether the first line is the heading of a table. */
static bool is_table(const char *text)
{
    return strcspn(text, ",;\t") < strcspn(text, "\r\n");
}

json_t *format_read_text(const char *given, size_t len, struct format_report *report,
                         struct error *err)
{
    struct buf BUF_AUTO text = {0};
    size_t skip = file_mark(given, len);

    while (skip < len && strchr(" \t\r\n", given[skip]))
        skip++;
    if (skip == len) {
        error_set_at(err, "text",
                     "text: is empty: send a curriculum as JSON, CSV, CASE or Markdown");
        return NULL;
    }
    buf_init(&text, len + 1);
    buf_add(&text, given + skip, len - skip);
    if (buf_check(&text, TEXT_NAME, err) < 0)
        return NULL;
    if (strchr("{[", *text.data))
        return read_json(&text, report, err);
    return strchr("#-<>*", *text.data) || !is_table(text.data) ? read_note(&text, err)
                                                              : read_sheet(&text, report, err);
}
