/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/learner/tiers.h"
#include "mcp/tutor/tutor_call.h"

static int start(struct tool_call *call, struct error *err);

const struct tool tool_get_upgrade_url = {
    .name = "get_upgrade_url",
    .toolset = TOOLSET_TUTOR,
    .title = "The next tier",
    .description = "The link to the next tier, when the learner asks for more or meets its limit.",
    .call_title = "Look for an upgrade",
    .icon = "ask",
    .use = "when the learner asks for more than the tier has",
    .arguments = ARGUMENTS("get_upgrade_url", ARGUMENT_LEARNER),
    .read_only = true,
    .start = start,
    .stop = tutor_call_stop,
};

static int run(struct tutor_call *teaching, struct error *err)
{
    const struct path *path = teaching->standing->path;
    struct buf *to = &teaching->call->text;

    (void)err;
    if (tier_next(teaching->tiers, teaching->tier)) {
        tutor_add_upgrade(teaching, to);
        buf_adds(to, "Give the learner this link once, without pressure, and go on teaching.\n");
    } else if (tier_find(teaching->tiers, NULL) == teaching->tier) {
        buf_adds(to, "There is one tier, and nothing to upgrade to. ");
    } else {
        buf_addf(to,
                 "The learner has the highest tier, \"%s\": congratulate them, and do not offer "
                 "an upgrade. ",
                 teaching->tier->name);
    }
    if (path->next_count > 0) {
        buf_adds(to, "Go on with ");
        tutor_add_lesson(teaching, path->next[0].lesson, to);
        buf_adds(to, ".\n");
    } else {
        buf_adds(to, "Nothing is left to learn in this curriculum.\n");
    }
    return 0;
}

static int start(struct tool_call *call, struct error *err)
{
    return tutor_call_start(call, run, err);
}
