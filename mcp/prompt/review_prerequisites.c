/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The prompt review_prerequisites: what to ask about the prerequisites of a curriculum or a lesson,
 * and how to report it.
 */
#include "mcp/prompt/prompt.h"
#include "mcp/resource/resource.h"
#include "mcp/tool/arguments.h"

static int start(struct tool_call *call, struct error *err)
{
    const char *sid = argument_text(call, "session_id"), *node = argument_text(call, "node_id");

    (void)err;
    buf_adds(&call->text, "Review the prerequisites ");
    if (node)
        buf_addf(&call->text, "of the lesson %s ", node);
    buf_adds(&call->text, "of the curriculum");
    if (sid)
        buf_addf(&call->text, " with session_id %s", sid);
    buf_adds(&call->text, ". Ask query_graph: ");
    if (node)
        buf_adds(&call->text, "needs and neighbours of the lesson, then needed_by; ");
    buf_adds(&call->text,
             "cycles (lessons that need one another), redundant (relationships that longer chains "
             "imply), unreachable (lessons that no start leads to) and longest_chain. Read the "
             "lessons that these name before you report them. Then list, the most serious first: "
             "what is wrong or missing, which lessons it concerns by id and title, and the one "
             "change that you would make. Change nothing before I agree.");
    tool_call_complete(call);
    return 0;
}

static const struct tool get = {
    .name = "review_prerequisites",
    .title = "Review prerequisites",
    .description = "Find missing, circular and needless prerequisites",
    .arguments =
        ARGUMENTS("review_prerequisites",
                  FIELD("session_id", FIELD_TEXT,
                        .documentation = "the curriculum; may be left out where there is only one"),
                  FIELD("node_id", FIELD_TEXT, .documentation = "one lesson; all if left out")),
    .read_only = true,
    .start = start,
};

const struct prompt prompt_review_prerequisites = {
    .get = &get,
    .complete = &tool_complete_curriculum,
};
