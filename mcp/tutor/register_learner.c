/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/store/entities/node.h"
#include "mcp/tutor/tutor_call.h"

static int start(struct tool_call *call, struct error *err);

const struct tool tool_register_learner = {
    .name = "register_learner",
    .toolset = TOOLSET_TUTOR,
    .title = "Register a learner",
    .description = "New learner, once: a first name or nickname, no contact data; goal: a lesson "
                   "by id or title. Returns learner_id for all other calls.",
    .call_title = "Register a learner",
    .icon = "edit",
    .use = "when a learner has no learner_id yet",
    .arguments =
        ARGUMENTS("register_learner", FIELD("name", FIELD_TEXT), FIELD("goal", FIELD_TEXT)),
    .makes_learner = true,
    .start = start,
    .stop = tutor_call_stop,
};

/* The goal by id or title; NULL in *goal without one. */
static int find_goal(struct tutor_call *teaching, struct buf *found, const char **goal,
                     struct error *err)
{
    const char *name = argument_text(teaching->call, "goal");

    *goal = NULL;
    return name ? store_node_id(teaching->store, teaching->sid, name, "goal", found, goal, err) : 0;
}

static int run(struct tutor_call *teaching, struct error *err)
{
    struct buf *text = &teaching->call->text, BUF_AUTO found = {0};
    struct learner learner = {.name = argument_text(teaching->call, "name")};
    char id[LEARNER_ID_SIZE];

    if (!learner.name)
        learner.name = "learner";
    if (find_goal(teaching, &found, &learner.goal_node, err) < 0)
        return -1;
    learner.goal_session = learner.goal_node ? teaching->sid : NULL;
    if (learners_add(teaching->learners, &learner, id, err) < 0)
        return -1;
    buf_addf(text, "learner_id: %s\nKeep it: every call needs it, and the learner gives it to you ",
             id);
    buf_adds(text, "when you meet again.\n");
    if (learner.goal_node)
        buf_addf(text, "Goal: %s\n", learner.goal_node);
    else
        buf_adds(text, "No goal yet: ask for one, and call update_progress with event goal.\n");
    buf_adds(text, "Next call: get_learner_state.\n");
    return 0;
}

static int start(struct tool_call *call, struct error *err)
{
    return tutor_call_start(call, run, err);
}
