/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <time.h>

#include "helpers/base/json.h"
#include "mcp/tutor/tutor_call.h"

#define LEFT_SHOWN      5u  /* lessons left to the goal; with detail full LEFT_FULL */
#define LEFT_FULL       20u /* likewise */
#define STATE_FULL      20u /* lessons of one state, with detail full */
#define EVIDENCE_SHOWN  20u /* the latest of a lesson */
#define DAY_SIZE        11u
#define DETAIL_ARGUMENT "detail"

static int start(struct tool_call *call, struct error *err);

static const char *const details[] = {"brief", "full", NULL};

const struct tool tool_get_learner_state = {
    .name = "get_learner_state",
    .toolset = TOOLSET_TUTOR,
    .title = "The learner's progress",
    .description = "Call first: lessons by state, goal, lessons left, what to learn next and why. "
                   "node_id: the evidence of one lesson.",
    .call_title = "Progress[ in {node_id}]",
    .icon = "ask",
    .use = "at the beginning, and when a lesson is done",
    .arguments = ARGUMENTS("get_learner_state", ARGUMENT_LEARNER, FIELD("node_id", FIELD_TEXT),
                           FIELD(DETAIL_ARGUMENT, FIELD_TEXT, .choices = details)),
    .read_only = true,
    .start = start,
    .stop = tutor_call_stop,
};

static bool is_full(const struct tutor_call *teaching)
{
    return json_string_is(teaching->call->arguments, DETAIL_ARGUMENT, "full");
}

/* "2 mastered, 1 practising, 30 locked". */
static void add_counts(const struct tutor_call *teaching, struct buf *to)
{
    const struct path *path = teaching->standing->path;
    size_t counts[LESSON_STATE_COUNT] = {0}, withheld = 0;
    const char *comma = "";

    for (uint32_t v = 0; v < path->count; v++) {
        if (teaching->standing->lessons[v].withheld)
            withheld++;
        else
            counts[path->states[v]]++;
    }
    for (int state = 0; state < LESSON_STATE_COUNT; state++) {
        if (counts[state] == 0)
            continue;
        buf_addf(to, "%s%zu %s", comma, counts[state], lesson_states[state]);
        comma = ", ";
    }
    if (withheld > 0)
        buf_addf(to, "%s%zu above the tier", comma, withheld);
    buf_adds(to, *comma || withheld > 0 ? "" : "no lessons");
}

static void add_goal(const struct tutor_call *teaching, struct buf *to)
{
    const struct standing *standing = teaching->standing;
    const struct path *path = standing->path;

    if (standing->goal == PATH_NO_GOAL) {
        buf_adds(to, "Goal: none. Ask for one, and call update_progress with event goal.\n");
        return;
    }
    buf_adds(to, "Goal: ");
    tutor_add_lesson(teaching, standing->goal, to);
    if (path->left_count == 0) {
        buf_adds(to, ", reached. Ask for a new goal (update_progress, event goal).\n");
        return;
    }
    buf_addf(to, ", %u left: ", path->left_count);
    tutor_add_lessons(teaching, path->left, path->left_count,
                      is_full(teaching) ? LEFT_FULL : LEFT_SHOWN, to);
    buf_addc(to, '\n');
}

/* The lessons of each state in which the learner has begun them. */
static int add_states(const struct tutor_call *teaching, struct buf *to, struct error *err)
{
    static const enum lesson_state shown[] = {LESSON_REVIEW, LESSON_PRACTISING, LESSON_LEARNING,
                                              LESSON_MASTERED, LESSON_READ};
    const struct path *path = teaching->standing->path;
    uint32_t *list = calloc((size_t)path->count + 1, sizeof *list);

    if (!list)
        return error_set(err, ERROR_MEMORY, "out of memory for the lessons");
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        size_t count = 0;

        for (uint32_t v = 0; v < path->count; v++)
            if (path->states[v] == shown[i])
                list[count++] = v;
        if (count == 0)
            continue;
        buf_addf(to, "%s: ", lesson_states[shown[i]]);
        tutor_add_lessons(teaching, list, count, STATE_FULL, to);
        buf_addc(to, '\n');
    }
    free(list);
    return 0;
}

static int show_learner(const struct tutor_call *teaching, struct error *err)
{
    struct buf *to = &teaching->call->text;

    buf_addf(to, "%s: ", json_get_string(teaching->record, "name"));
    add_counts(teaching, to);
    buf_addc(to, '\n');
    add_goal(teaching, to);
    if (is_full(teaching) && add_states(teaching, to, err) < 0)
        return -1;
    tutor_add_next(teaching, to);
    if (teaching->standing->path->next_count > 0)
        buf_adds(to, "Next call: get_chapter_content for a lesson that is new to the learner, "
                     "get_exercises for one that is begun or due for review.\n");
    return 0;
}

static void write_day(int64_t time, char day[DAY_SIZE])
{
    const time_t seconds = (time_t)time;
    struct tm utc;

    gmtime_r(&seconds, &utc);
    strftime(day, DAY_SIZE, "%Y-%m-%d", &utc);
}

static int show_lesson(struct tutor_call *teaching, struct error *err)
{
    const struct standing *standing = teaching->standing;
    struct buf *to = &teaching->call->text;
    size_t first, end;
    uint32_t lesson;
    char day[DAY_SIZE];

    if (tutor_lesson(teaching, &lesson, err) < 0)
        return -1;
    first = standing->start[lesson];
    end = standing->start[lesson + 1];
    tutor_add_lesson(teaching, lesson, to);
    buf_adds(to, ": ");
    tutor_add_state(teaching, lesson, to);
    buf_adds(to, end > first ? "\nEvidence, latest last:\n" : "\nNo evidence yet.\n");
    if (end - first > EVIDENCE_SHOWN) {
        buf_addf(to, "(%zu earlier rows are left out)\n", end - first - EVIDENCE_SHOWN);
        first = end - EVIDENCE_SHOWN;
    }
    for (size_t i = first; i < end; i++) {
        const struct evidence *evidence = &standing->evidence[i];

        write_day(evidence->time, day);
        buf_addf(to, "%s %s", day, evidence_kinds[evidence->kind]);
        if (evidence->item)
            buf_addf(to, " %s", evidence->item);
        if (evidence->hints > 0)
            buf_addf(to, ", %d hint%s", evidence->hints, evidence->hints == 1 ? "" : "s");
        buf_addc(to, '\n');
    }
    buf_adds(to, "Next call: get_exercises or get_chapter_content for this lesson.\n");
    return 0;
}

static int run(struct tutor_call *teaching, struct error *err)
{
    return argument_text(teaching->call, "node_id") ? show_lesson(teaching, err)
                                                    : show_learner(teaching, err);
}

static int start(struct tool_call *call, struct error *err)
{
    return tutor_call_start(call, run, err);
}
