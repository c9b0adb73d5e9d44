/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/exercise/exercise.h"
#include "mcp/exercise/view.h"
#include "mcp/tutor/tutor_call.h"

#define LIMIT_DEFAULT 2
#define LIMIT_MAX     5

static int start(struct tool_call *call, struct error *err);

const struct tool tool_get_exercises = {
    .name = "get_exercises",
    .toolset = TOOLSET_TUTOR,
    .title = "Exercises of a lesson",
    .description = "Exercises of a lesson (default: the next), unsolved first, with their "
                   "exercise_id.",
    .call_title = "Exercises[ of {node_id}]",
    .icon = "ask",
    .use = "to let the learner practise",
    .arguments = ARGUMENTS("get_exercises", ARGUMENT_LEARNER, FIELD("node_id", FIELD_TEXT),
                           FIELD("limit", FIELD_WHOLE, .least = 1, .most = LIMIT_MAX)),
    .read_only = true,
    .start = start,
    .stop = tutor_call_stop,
};

static void add_item(const struct course_item *item, const struct item_standing *standing,
                     struct buf *to)
{
    buf_addf(to, "exercise_id: %s (%s", item->id,
             standing->solved         ? "solved"
             : standing->attempts > 0 ? "not solved yet"
                                      : "new");
    if (standing->attempts > 0)
        buf_addf(to, ", %zu attempt%s", standing->attempts, standing->attempts == 1 ? "" : "s");
    buf_addf(to, "; %s)\n",
             item->code     ? "hand in with submit_code"
             : item->graded ? "answer with assess_response"
                            : "open: assess_response, then with scores");
    exercise_view(item->code ? EXERCISE_CODE : EXERCISE_QUESTION, item->parameters, to);
    buf_adds(to, "\n\n");
}

static int run(struct tutor_call *teaching, struct error *err)
{
    const long limit = argument_whole(teaching->call, "limit", LIMIT_DEFAULT);
    const struct course_lesson *lesson;
    struct buf *to = &teaching->call->text;
    uint32_t at;
    long shown = 0;

    if (tutor_lesson(teaching, &at, err) < 0 || tutor_lesson_open(teaching, at, err) < 0)
        return -1;
    lesson = &teaching->course->lessons[at];
    tutor_add_lesson(teaching, at, to);
    buf_adds(to, ": ");
    tutor_add_state(teaching, at, to);
    buf_adds(to, "\n");
    for (int solved = 0; solved <= 1; solved++) {
        for (uint32_t i = 0; i < lesson->items && shown < limit; i++) {
            const struct course_item *item = &teaching->course->items[lesson->first_item + i];
            const struct item_standing standing = standing_of_item(teaching->standing, item);

            if (standing.solved != (solved == 1))
                continue;
            add_item(item, &standing, to);
            shown++;
        }
    }
    if (lesson->items == 0)
        buf_addf(to,
                 "Talk about the lesson, then call update_progress with node_id \"%s\" and "
                 "event explained.\n",
                 lesson->id);
    else
        buf_adds(to, "Show one exercise at a time and let the learner try it alone first.\n");
    if (shown < (long)lesson->items)
        buf_addf(to, "%ld more: limit up to %d.\n", (long)lesson->items - shown, LIMIT_MAX);
    return 0;
}

static int start(struct tool_call *call, struct error *err)
{
    return tutor_call_start(call, run, err);
}
