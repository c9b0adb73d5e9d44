/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Learners from a script: one JSON object a line in, one a line out. {"evidence": [{"kind", "item",
 * "hints", "time"}], "items", "ready", "now"} gives {"p", "solved", "solved_graded", "state",
 * "unlocks", "review"}; {"reviews": [[grade, time], ...]} gives a review of each. A review is
 * [stability, difficulty, days, due]. It adds nothing to mcp/learner/.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/learner/knowledge.h"

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

static json_t *knowledge(const json_t *question)
{
    const json_t *list = json_object_get(question, "evidence");
    struct evidence *evidence = calloc(json_array_size(list) + 1, sizeof *evidence);
    const json_t *item;
    size_t i;

    json_array_foreach(list, i, item) evidence[i] = (struct evidence){
        .kind = (enum evidence_kind)kind_named(json_get_string(item, "kind")),
        .item = json_get_string(item, "item"),
        .hints = (int)json_integer_value(json_object_get(item, "hints")),
        .time = json_integer_value(json_object_get(item, "time")),
    };
    const struct knowledge found =
        knowledge_fold(evidence, json_array_size(list),
                       (size_t)json_integer_value(json_object_get(question, "items")));
    const enum lesson_state state =
        lesson_state(&found, json_is_true(json_object_get(question, "ready")),
                     json_integer_value(json_object_get(question, "now")));
    free(evidence);
    return json_pack("{s:f, s:I, s:I, s:s, s:b, s:o}", "p", found.p, "solved",
                     (json_int_t)found.solved, "solved_graded", (json_int_t)found.solved_graded,
                     "state", lesson_states[state], "unlocks", lesson_state_unlocks(state),
                     "review", review_row(&found.review));
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
        json_t *answer = history ? reviews(history) : knowledge(line);
        struct buf BUF_AUTO out = {0};
        json_write(&out, answer);
        puts(out.data);
        json_decref(answer);
        json_decref(line);
    }
    free(text);
    return len > 0;
}
