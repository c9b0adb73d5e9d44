/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The position of the learner. No event changes the learner's knowledge, which is computed from
 * graded work alone.
 */
#include <string.h>

#include "mcp/tutor/tutor_call.h"

#define ITEMS_SHOWN 5u

static int start(struct tool_call *call, struct error *err);

static const char *const events[] = {"read", "explained", "skipped", "goal", NULL};

const struct tool tool_update_progress = {
    .name = "update_progress",
    .toolset = TOOLSET_TUTOR,
    .title = "Note the position",
    .description = "Note that a lesson was read, explained or skipped, or is the new goal. It "
                   "never changes mastery.",
    .call_title = "{event=goal}New goal: {node_id}|{node_id}: {event}",
    .icon = "edit",
    .use = "after a lesson was read or explained",
    .arguments = ARGUMENTS("update_progress", ARGUMENT_LEARNER, ARGUMENT_NODE,
                           FIELD("event", FIELD_TEXT, .required = true, .choices = events),
                           FIELD("note", FIELD_TEXT, .most = LEARNER_NOTE_MAX)),
    .start = start,
    .stop = tutor_call_stop,
};

static int log_event(struct tutor_call *teaching, const char *event, const char *node_id,
                     struct error *err)
{
    struct evidence evidence = {.time = teaching->now};

    for (int kind = 0; evidence_kinds[kind]; kind++)
        if (strcmp(evidence_kinds[kind], event) == 0)
            evidence.kind = (enum evidence_kind)kind;
    return learners_log(teaching->learners, teaching->learner, teaching->sid, node_id, &evidence,
                        argument_text(teaching->call, "note"), err);
}

/* The tasks that count as evidence for the lesson. */
static void add_tasks(const struct tutor_call *teaching, uint32_t at, struct buf *to)
{
    const struct course_lesson *lesson = &teaching->course->lessons[at];
    uint32_t shown = 0;

    if (lesson->graded == 0) {
        buf_adds(to, "No task of this lesson is graded: it counts as read, which unlocks the "
                     "lessons after it, but nothing was tested. Next call: get_learner_state.\n");
        return;
    }
    buf_adds(to, "This is the position only. Mastery needs graded work: ");
    for (uint32_t i = 0; i < lesson->items && shown < ITEMS_SHOWN; i++) {
        const struct course_item *item = &teaching->course->items[lesson->first_item + i];

        if (item->graded && !standing_of_item(teaching->standing, item).solved)
            buf_addf(to, "%s%s", shown++ > 0 ? ", " : "", item->id);
    }
    buf_adds(to, shown > 0 ? ".\n" : "all tasks are solved.\n");
    buf_addf(to, "Next call: get_exercises with node_id \"%s\".\n", lesson->id);
}

static int run(struct tutor_call *teaching, struct error *err)
{
    const char *event = argument_text(teaching->call, "event");
    struct buf *to = &teaching->call->text;
    const struct course_lesson *lesson;
    uint32_t at;

    if (tutor_lesson(teaching, &at, err) < 0)
        return -1;
    lesson = &teaching->course->lessons[at];
    if (strcmp(event, "goal") == 0) {
        if (learners_set_goal(teaching->learners, teaching->learner, teaching->sid, lesson->id,
                              err) < 0)
            return -1;
        buf_adds(to, "The goal is ");
        tutor_add_lesson(teaching, at, to);
        buf_adds(to, ".\nNext call: get_learner_state, which has the path to it.\n");
        return 0;
    }
    if (tutor_lesson_open(teaching, at, err) < 0 || log_event(teaching, event, lesson->id, err) < 0)
        return -1;
    tutor_add_lesson(teaching, at, to);
    buf_addf(to, ": %s.\n", event);
    if (strcmp(event, "skipped") == 0)
        buf_adds(to, "It is not learned, locks what needs it, and comes after the others now. Next "
                     "call: get_learner_state.\n");
    else
        add_tasks(teaching, at, to);
    return 0;
}

static int start(struct tool_call *call, struct error *err)
{
    return tutor_call_start(call, run, err);
}
