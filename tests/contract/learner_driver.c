/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learners from a script: one JSON object a line in, one a line out. {"evidence": [{"kind", "item",
 * "hints", "time"}], "items", "ready", "now"} gives {"p", "solved", "solved_graded", "state",
 * "unlocks", "review"}; {"reviews": [[grade, time], ...]} gives a review of each. A review is
 * [stability, difficulty, days, due]. {"lessons": [{"evidence", "items", "withheld"}], "edges":
 * [[before, after], ...], "goal": index or null, "now", "locks": whether to list them} gives
 * {"states", "fulfilled", "unlocks", "left", "next": [[lesson, reason, number]], "locks": one list
 * a lesson, "seconds": the time of path_create}. It adds nothing to mcp/learner/.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/json.h"
#include "mcp/learner/knowledge.h"
#include "mcp/learner/path.h"

static int kind_named(const char *name)
{
    for (int kind = 0; evidence_kinds[kind]; kind++)
        if (strcmp(evidence_kinds[kind], name) == 0)
            return kind;
    fprintf(stderr, "learner_driver: no kind '%s'\n", name);
    exit(1);
}

static json_t *review_row(const struct review *review)
{
    return json_pack("[f, f, i, I]", review->stability, review->difficulty, review->days,
                     (json_int_t)review->due);
}

static json_t *reviews(const json_t *list)
{
    json_t *rows = json_array();
    struct review review = {0};
    const json_t *item;
    size_t i;

    json_array_foreach(list, i, item)
    {
        review_update(&review, (enum review_grade)json_integer_value(json_array_get(item, 0)),
                      json_integer_value(json_array_get(item, 1)));
        json_array_append_new(rows, review_row(&review));
    }
    return rows;
}

static json_int_t integer_at(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

static struct knowledge folded(const json_t *question)
{
    const json_t *list = json_object_get(question, "evidence");
    cleanup_free struct evidence *evidence = calloc(json_array_size(list) + 1, sizeof *evidence);
    const json_t *item;
    size_t i;

    json_array_foreach(list, i, item) evidence[i] = (struct evidence){
        .kind = (enum evidence_kind)kind_named(json_get_string(item, "kind")),
        .item = json_get_string(item, "item"),
        .hints = (int)integer_at(item, "hints"),
        .time = integer_at(item, "time"),
    };
    return knowledge_fold(evidence, json_array_size(list), (size_t)integer_at(question, "items"));
}

static json_t *knowledge(const json_t *question)
{
    const struct knowledge found = folded(question);
    const enum lesson_state state = lesson_state(
        &found, json_is_true(json_object_get(question, "ready")), integer_at(question, "now"));

    return json_pack("{s:f, s:I, s:I, s:s, s:b, s:o}", "p", found.p, "solved",
                     (json_int_t)found.solved, "solved_graded", (json_int_t)found.solved_graded,
                     "state", lesson_states[state], "unlocks", lesson_state_unlocks(state),
                     "review", review_row(&found.review));
}

static json_t *indices(const uint32_t *list, uint32_t count)
{
    json_t *rows = json_array();

    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(rows, json_integer(list[i]));
    return rows;
}

static json_t *locks_of_all(const struct path *path)
{
    cleanup_free uint32_t *list = calloc(path->count + 1, sizeof *list);
    json_t *rows = json_array();
    uint32_t count;

    for (uint32_t v = 0; v < path->count && path_locks(path, v, list, &count, NULL) == 0; v++)
        json_array_append_new(rows, indices(list, count));
    return rows;
}

static json_t *path_answer(const struct path_request *request, bool locks)
{
    struct timespec start, end;
    struct error err;

    clock_gettime(CLOCK_MONOTONIC, &start);
    struct path *path = path_create(request, &err);
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (!path) {
        fprintf(stderr, "learner_driver: %s\n", err.text);
        exit(1);
    }
    json_t *states = json_array(), *fulfilled = json_array(), *next = json_array();
    for (uint32_t v = 0; v < path->count; v++) {
        json_array_append_new(states, json_string(lesson_states[path->states[v]]));
        json_array_append_new(fulfilled, json_boolean(path->fulfilled[v]));
    }
    for (uint32_t i = 0; i < path->next_count; i++)
        json_array_append_new(next, json_pack("[i, s, i]", (int)path->next[i].lesson,
                                              path_reason_name(path->next[i].reason),
                                              (int)path->next[i].number));
    json_t *answer = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:f}", "states", states, "fulfilled", fulfilled, "unlocks",
        indices(path->unlocks, path->count), "left", indices(path->left, path->left_count), "next",
        next, "locks", locks ? locks_of_all(path) : json_array(), "seconds",
        (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9);
    path_destroy(path);
    return answer;
}

static json_t *path(const json_t *question)
{
    const json_t *list = json_object_get(question, "lessons");
    const json_t *pairs = json_object_get(question, "edges");
    const json_t *goal = json_object_get(question, "goal");
    cleanup_free struct path_lesson *lessons = calloc(json_array_size(list) + 1, sizeof *lessons);
    cleanup_free struct path_edge *edges = calloc(json_array_size(pairs) + 1, sizeof *edges);
    const json_t *item;
    size_t i;

    json_array_foreach(list, i, item) lessons[i] = (struct path_lesson){
        .knowledge = folded(item),
        .withheld = json_is_true(json_object_get(item, "withheld")),
    };
    json_array_foreach(pairs, i, item) edges[i] = (struct path_edge){
        .before = (uint32_t)json_integer_value(json_array_get(item, 0)),
        .after = (uint32_t)json_integer_value(json_array_get(item, 1)),
    };
    return path_answer(
        &(struct path_request){
            .lessons = lessons,
            .count = (uint32_t)json_array_size(list),
            .edges = edges,
            .edge_count = json_array_size(pairs),
            .goal = json_is_integer(goal) ? (uint32_t)json_integer_value(goal) : PATH_NO_GOAL,
            .now = integer_at(question, "now"),
        },
        json_is_true(json_object_get(question, "locks")));
}

int main(void)
{
    struct error err = {0};
    char *text = NULL;
    size_t size = 0;
    ssize_t len;

    while ((len = getline(&text, &size, stdin)) > 0) {
        json_t *line = json_read(text, (size_t)len, "the line", &err);
        const json_t *history = json_object_get(line, "reviews");

        if (!line) {
            fprintf(stderr, "learner_driver: %s\n", err.text);
            break;
        }
        json_t *answer = history                            ? reviews(history)
                         : json_object_get(line, "lessons") ? path(line)
                                                            : knowledge(line);
        struct buf BUF_AUTO out = {0};
        json_write(&out, answer);
        puts(out.data);
        json_decref(answer);
        json_decref(line);
    }
    free(text);
    return len > 0;
}
