/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The arguments of a tool: rows that several tools share, and parsing. Every word here takes tokens
 * of each client's context: keep them few.
 */
#ifndef LECTERN_TOOL_ARGUMENTS_H
#define LECTERN_TOOL_ARGUMENTS_H

#include <math.h>

#include "mcp/tool/tool.h"

/* The arguments of a tool: rows of struct field. Values may arrive as strings, because models send
 * them so. */
/* clang-format off */
#define ARGUMENTS(tool, ...) \
    {.name = (tool), .rows = (const struct field[]){__VA_ARGS__, {0}}, .flags = FIELDS_AS_TEXT | FIELDS_NAMED, .noun = "argument"}
#define ARGUMENT_SESSION   FIELD("session_id", FIELD_TEXT)
#define ARGUMENT_KEY       FIELD("idempotency_key", FIELD_TEXT, .flags = FIELD_UNLISTED)
#define LEARNER_ARGUMENT   "learner_id"
#define ARGUMENT_LEARNER   FIELD(LEARNER_ARGUMENT, FIELD_TEXT, .required = true, .least = 1)
#define ARGUMENT_NODE      FIELD("node_id", FIELD_TEXT, .required = true, .least = 1, .flags = FIELD_NAME)
#define ARGUMENT_COMPONENT \
    FIELD("component_order", FIELD_WHOLE, .least = 1, .most = INFINITY), FIELD("component_id", FIELD_TEXT)
#define ARGUMENT_REVISION                                                                          \
    FIELD("expected_revision", FIELD_WHOLE, .least = 1, .most = INFINITY, .flags = FIELD_UNLISTED)
/* clang-format on */

/* The fields of a tool for a connection that is bound to a learner: LEARNER_ARGUMENT is in neither
 * the schema nor the lists of names. The result is in *bound, or the tool's own. */
#define ARGUMENTS_MAX 24u
struct bound_arguments {
    struct fields fields;
    struct field rows[ARGUMENTS_MAX + 1];
};
const struct fields *arguments_without_learner(const struct tool *tool,
                                               struct bound_arguments *bound);

/* Checks the call's arguments against the tool's fields, and converts them to their types: a string
 * that is a number, true or false, an object or an array becomes one. LEARNER_ARGUMENT of a bound
 * call is set here. */
int arguments_take(struct tool_call *call, struct error *err);

/* After arguments_take: the string, or NULL; the integer, or `otherwise`. */
const char *argument_text(const struct tool_call *call, const char *name);
long argument_whole(const struct tool_call *call, const char *name, long otherwise);

/* Replaces titles by ids in the rows with FIELD_NAME, which name nodes (store_node_id). */
int arguments_resolve(struct tool_call *call, struct store *store, const char *sid,
                      struct error *err);

/* The tools, in the order of tools/list. tool_NAME is defined in NAME.c, or with others of its kind
 * in edit_tools.c; those of the toolset tutor are in mcp/tutor/. A new tool is its file and a row
 * here. */

#define TOOL_TABLE(ROW)                                                                            \
    ROW(find_lessons)                                                                              \
    ROW(add_component)                                                                             \
    ROW(edit_component)                                                                            \
    ROW(delete_component)                                                                          \
    ROW(create_relationship)                                                                       \
    ROW(batch_add_components)                                                                      \
    ROW(change_curriculum)                                                                         \
    ROW(import_curriculum)                                                                         \
    ROW(history)                                                                                   \
    ROW(undo)                                                                                      \
    ROW(execute_code)                                                                              \
    ROW(query_graph)                                                                               \
    ROW(register_learner)                                                                          \
    ROW(get_learner_state)                                                                         \
    ROW(update_progress)                                                                           \
    ROW(get_chapter_content)                                                                       \
    ROW(get_exercises)                                                                             \
    ROW(generate_guidance)                                                                         \
    ROW(assess_response)                                                                           \
    ROW(submit_code)                                                                               \
    ROW(get_upgrade_url)                                                                           \
    ROW(solve)

#define TOOL_DECLARE(name) extern const struct tool tool_##name;
TOOL_TABLE(TOOL_DECLARE)

#endif
