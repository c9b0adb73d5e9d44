/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * import_curriculum: a new curriculum from a text in any of the formats of import.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/change/curriculum_file.h"
#include "mcp/format/format.h"
#include "mcp/store/entities/session.h"
#include "mcp/tool/arguments.h"
#include "mcp/tool/solution_check.h"

#define LINES_SAID_CAP 12                 /* of what was found, each kind */
#define LARGE_TEXT     ((size_t)16 << 10) /* bytes */

static int run(struct tool_call *call, struct store *store, struct error *err);
static bool is_large(const struct tool_call *call);

const struct tool tool_import_curriculum = {
    .name = "import_curriculum",
    .title = "Import a curriculum",
    .description = "A new curriculum from JSON, CASE, CSV or Markdown text.",
    .call_title = "Import {title}|Import a curriculum",
    .icon = "edit",
    .use = "a curriculum that is given as text",
    .arguments = ARGUMENTS("import_curriculum", FIELD("text", FIELD_TEXT, .required = true),
                           FIELD("title", FIELD_TEXT),
                           /* Its report names it. */
                           FIELD("untyped", FIELD_TEXT, .flags = FIELD_UNLISTED)),
    .run = run,
    .writes = true,
    .large = is_large,
    .makes_session = true,
};

static int import(struct tool_call *call, struct store *store, const struct buf *text,
                  struct findings *lines, struct error *err)
{
    const struct writer writer = {.who = call->who, .change_set = call->change_set};
    struct import_report report = {0};
    char title[TITLE_MAX + 1];
    int rc = curriculum_import(store, &writer, text->data, text->len, argument_text(call, "title"),
                               false, NULL, &report, lines, err);

    if (rc == 0)
        rc = store_session(store, report.session_id, title, sizeof title, NULL, err);
    if (rc == 0) {
        buf_addf(&call->text,
                 "Imported \"%s\" as session %s: %zu nodes, %zu components, %zu relationships.",
                 title, report.session_id, report.nodes, report.components, report.relationships);
        findings_write(&call->text, lines, "read", LINES_SAID_CAP);
    }
    return rc;
}

static int run(struct tool_call *call, struct store *store, struct error *err)
{
    const char *given = argument_text(call, "text");
    struct format_report read = {.untyped = argument_text(call, "untyped")};
    struct buf BUF_AUTO text = {0};
    json_auto_t *curriculum = NULL;
    int rc = -1;

    if (call->bound_session)
        return error_set(err, ERROR_FORBIDDEN,
                         "This connection is bound to session %s and adds no other; change that "
                         "one with change_curriculum.",
                         call->bound_session);
    buf_init(&text, 2 * CURRICULUM_FILE_CAP);
    curriculum = format_read_text(given, strlen(given), &read, err);
    if (curriculum) {
        json_write(&text, curriculum);
        rc = buf_check(&text, "the curriculum", err);
    }
    if (rc == 0)
        rc = import(call, store, &text, &read.lines, err);
    if (rc == 0)
        solution_check_write_import(curriculum, &call->text);
    findings_finish(&read.lines);
    return rc;
}

/* Even reading it takes long. */
static bool is_large(const struct tool_call *call)
{
    const char *text = argument_text(call, "text");

    return text && strlen(text) > LARGE_TEXT;
}
