/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/learner/path.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/cleanup.h"
#include "helpers/graph/order.h"

#define SECONDS_A_DAY 86400
#define NO_LESSON     UINT32_MAX
#define SEVERAL       (UINT32_MAX - 1)

/* "{}" stands for the number, or for the goal's title. */
static const struct {
    const char *name, *text;
    const char *none, *one; /* in its place for the numbers 0 and 1, if there are any */
} reasons[PATH_REASON_COUNT] = {
    [PATH_REVIEW] = {"review", "due for review for {} days", "due for review now",
                     "due for review for 1 day"},
    [PATH_GOAL] = {"goal", "the goal", NULL, NULL},
    [PATH_BEGUN_TO_GOAL] = {"begun_to_goal", "begun, on the path to {}", NULL, NULL},
    [PATH_TO_GOAL] = {"to_goal", "next on the path to {}", NULL, NULL},
    [PATH_BEGUN] = {"begun", "begun", NULL, NULL},
    [PATH_UNLOCKS] = {"unlocks", "unlocks {} lessons", NULL, "unlocks 1 lesson"},
    [PATH_IN_ORDER] = {"in_order", "next in teaching order", NULL, NULL},
};

const char *path_reason_name(enum path_reason reason)
{
    return reasons[reason].name;
}

void path_reason_write(const struct path_step *step, const char *goal, struct buf *to)
{
    bool counts = step->reason == PATH_REVIEW || step->reason == PATH_UNLOCKS;
    const char *text = reasons[step->reason].text, *gap;

    if (step->number == 0 && reasons[step->reason].none)
        text = reasons[step->reason].none;
    else if (step->number == 1 && reasons[step->reason].one)
        text = reasons[step->reason].one;
    gap = strstr(text, "{}");
    buf_add(to, text, gap ? (size_t)(gap - text) : strlen(text));
    if (!gap)
        return;
    if (counts)
        buf_addi(to, step->number);
    else
        buf_adds(to, goal ? goal : "the goal");
    buf_adds(to, gap + 2);
}

/* ---- the graph ---- */

static int compare_edges(const void *a, const void *b)
{
    const struct path_edge *one = a, *other = b;

    if (one->after != other->after)
        return one->after < other->after ? -1 : 1;
    return one->before < other->before ? -1 : one->before > other->before;
}

/* Fills needs_start and needs, ascending, each prerequisite once. */
static int fill_needs(struct path *path, const struct path_request *request, struct error *err)
{
    cleanup_free struct path_edge *edges = malloc((request->edge_count + 1) * sizeof *edges);
    size_t kept = 0;
    uint32_t v = 0;

    if (!edges)
        return error_set(err, ERROR_MEMORY, "out of memory for a learner's path");
    for (size_t i = 0; i < request->edge_count; i++) {
        edges[i] = request->edges[i];
        if (edges[i].before >= path->count || edges[i].after >= path->count)
            return error_set(err, ERROR_INVALID, "edge %zu of a learner's path has no lesson", i);
    }
    qsort(edges, request->edge_count, sizeof *edges, compare_edges);
    for (size_t i = 0; i < request->edge_count; i++) {
        if (edges[i].before == edges[i].after ||
            (i > 0 && compare_edges(&edges[i], &edges[i - 1]) == 0))
            continue;
        while (v < edges[i].after)
            path->needs_start[++v] = kept;
        path->needs[kept++] = edges[i].before;
    }
    while (v < path->count)
        path->needs_start[++v] = kept;
    return 0;
}

/* ---- the states ---- */

/* The prerequisite outside of the component that is not fulfilled: NO_LESSON, the only one, or
 * SEVERAL. */
static uint32_t find_missing(const struct path *path, uint32_t component)
{
    const struct graph_order *order = path->order;
    uint32_t missing = NO_LESSON;

    for (uint32_t i = order->start[component]; i < order->start[component + 1]; i++) {
        uint32_t v = order->nodes[i];

        for (size_t j = path->needs_start[v]; j < path->needs_start[v + 1]; j++) {
            uint32_t before = path->needs[j];

            if (order->of[before] == component || path->fulfilled[before] || before == missing)
                continue;
            if (missing != NO_LESSON)
                return SEVERAL;
            missing = before;
        }
    }
    return missing;
}

static void fill_states(struct path *path, const struct path_request *request)
{
    const struct graph_order *order = path->order;

    for (uint32_t c = 0; c < order->count; c++) {
        uint32_t missing = find_missing(path, c);

        for (uint32_t i = order->start[c]; i < order->start[c + 1]; i++) {
            uint32_t v = order->nodes[i];
            const struct path_lesson *lesson = &request->lessons[v];

            path->states[v] = lesson_state(&lesson->knowledge, missing == NO_LESSON, request->now);
            path->fulfilled[v] = lesson->withheld || lesson_state_unlocks(path->states[v]);
            if (path->states[v] == LESSON_LOCKED && missing != SEVERAL && !lesson->withheld)
                path->unlocks[missing]++;
        }
    }
}

/* ---- the goal ---- */

/* Fills left, and marks these lessons in is_left. */
static int fill_left(struct path *path, uint32_t goal, bool *is_left, struct error *err)
{
    cleanup_free uint32_t *queue = malloc(((size_t)path->count + 1) * sizeof *queue);
    uint32_t taken = 0, waiting = 0;

    if (!queue)
        return error_set(err, ERROR_MEMORY, "out of memory for a learner's path");
    if (goal == PATH_NO_GOAL || lesson_state_unlocks(path->states[goal]))
        return 0;
    is_left[goal] = true;
    queue[waiting++] = goal;
    while (taken < waiting) {
        uint32_t v = queue[taken++];

        for (size_t j = path->needs_start[v]; j < path->needs_start[v + 1]; j++) {
            if (!is_left[path->needs[j]]) {
                is_left[path->needs[j]] = true;
                queue[waiting++] = path->needs[j];
            }
        }
    }
    for (uint32_t i = 0; i < path->count; i++) {
        uint32_t v = path->order->nodes[i];

        is_left[v] = is_left[v] && !path->fulfilled[v];
        if (is_left[v])
            path->left[path->left_count++] = v;
    }
    return 0;
}

/* ---- the next lessons ---- */

static bool is_begun(const struct path *path, uint32_t v)
{
    return path->states[v] == LESSON_LEARNING || path->states[v] == LESSON_PRACTISING;
}

/* Whether v comes before another lesson that is earlier in teaching order. */
static bool comes_first(const struct path *path, const struct path_request *request,
                        const bool *is_left, uint32_t v, uint32_t other)
{
    const bool skipped = request->lessons[v].knowledge.skipped;

    if (skipped != request->lessons[other].knowledge.skipped)
        return !skipped;
    if (is_left[v] != is_left[other])
        return is_left[v];
    if (is_begun(path, v) != is_begun(path, other))
        return is_begun(path, v);
    return path->unlocks[v] > path->unlocks[other];
}

static enum path_reason reason_of(const struct path *path, const bool *is_left, uint32_t goal,
                                  uint32_t v)
{
    if (v == goal)
        return PATH_GOAL;
    if (is_left[v])
        return is_begun(path, v) ? PATH_BEGUN_TO_GOAL : PATH_TO_GOAL;
    if (is_begun(path, v))
        return PATH_BEGUN;
    return path->unlocks[v] > 0 ? PATH_UNLOCKS : PATH_IN_ORDER;
}

static void fill_next(struct path *path, const struct path_request *request, const bool *is_left)
{
    uint32_t best[PATH_NEXT_MAX], count = 0, review = NO_LESSON;
    double longest = 0;

    for (uint32_t i = 0; i < path->count; i++) {
        uint32_t v = path->order->nodes[i], at;

        if (request->lessons[v].withheld)
            continue;
        if (path->states[v] == LESSON_REVIEW) {
            const struct review *memory = &request->lessons[v].knowledge.review;
            double wait = (double)(request->now - memory->last) / memory->stability;

            if (review == NO_LESSON || wait > longest) {
                review = v;
                longest = wait;
            }
        }
        if (path->states[v] != LESSON_READY && !is_begun(path, v))
            continue;
        for (at = count; at > 0 && comes_first(path, request, is_left, v, best[at - 1]); at--)
            if (at < PATH_NEXT_MAX)
                best[at] = best[at - 1];
        if (at < PATH_NEXT_MAX)
            best[at] = v;
        if (count < PATH_NEXT_MAX)
            count++;
    }
    if (review != NO_LESSON) {
        int64_t late = request->now - request->lessons[review].knowledge.review.due;

        path->next[path->next_count++] =
            (struct path_step){review, PATH_REVIEW, (uint32_t)(late / SECONDS_A_DAY)};
    }
    for (uint32_t i = 0; i < count && path->next_count < PATH_NEXT_MAX; i++)
        path->next[path->next_count++] = (struct path_step){
            best[i], reason_of(path, is_left, request->goal, best[i]), path->unlocks[best[i]]};
}

struct path *path_create(const struct path_request *request, struct error *err)
{
    size_t room = (size_t)request->count + 1;
    struct path *path;
    cleanup_free bool *is_left = NULL;

    if (request->count > PATH_LESSONS_CAP || request->edge_count > PATH_EDGES_CAP) {
        error_set(err, ERROR_TOO_LARGE, "a learner's path has at most %u lessons and %u edges",
                  PATH_LESSONS_CAP, PATH_EDGES_CAP);
        return NULL;
    }
    if (request->goal != PATH_NO_GOAL && request->goal >= request->count) {
        error_set(err, ERROR_INVALID, "a learner's path has no lesson for its goal");
        return NULL;
    }
    path = calloc(1, sizeof *path);
    is_left = calloc(room, sizeof *is_left);
    if (!path || !is_left)
        goto starved;
    path->count = request->count;
    path->states = calloc(room, sizeof *path->states);
    path->fulfilled = calloc(room, sizeof *path->fulfilled);
    path->unlocks = calloc(room, sizeof *path->unlocks);
    path->needs_start = calloc(room, sizeof *path->needs_start);
    path->needs = calloc(request->edge_count + 1, sizeof *path->needs);
    path->left = calloc(room, sizeof *path->left);
    if (!path->states || !path->fulfilled || !path->unlocks || !path->needs_start || !path->needs ||
        !path->left)
        goto starved;
    if (fill_needs(path, request, err) < 0)
        goto fail;
    path->order = graph_order_create(path->count, path->needs_start, path->needs, NULL, err);
    if (!path->order)
        goto fail;
    fill_states(path, request);
    if (fill_left(path, request->goal, is_left, err) < 0)
        goto fail;
    fill_next(path, request, is_left);
    return path;
starved:
    error_set(err, ERROR_MEMORY, "out of memory for a learner's path");
fail:
    path_destroy(path);
    return NULL;
}

void path_destroy(struct path *path)
{
    if (!path)
        return;
    free(path->states);
    free(path->fulfilled);
    free(path->unlocks);
    free(path->needs_start);
    free(path->needs);
    free(path->left);
    graph_order_destroy(path->order);
    free(path);
}

/* ---- the locks of a lesson ---- */

/* By place in teaching order. */
static int compare_places(const void *a, const void *b, void *user)
{
    const struct graph_order *order = user;
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

    if (order->of[one] != order->of[other])
        return order->of[one] < order->of[other] ? -1 : 1;
    return one < other ? -1 : one > other;
}

int path_locks(const struct path *path, uint32_t lesson, uint32_t *list, uint32_t *count,
               struct error *err)
{
    struct graph_order *order = path->order;
    /* The components of locked lessons, nearest first. */
    cleanup_free uint32_t *queue = malloc(((size_t)order->count + 1) * sizeof *queue);
    cleanup_free bool *queued = calloc((size_t)order->count + 1, sizeof *queued);
    cleanup_free bool *listed = calloc((size_t)path->count + 1, sizeof *listed);
    uint32_t taken = 0, waiting = 0;

    if (!queue || !queued || !listed)
        return error_set(err, ERROR_MEMORY, "out of memory for the locks of a lesson");
    *count = 0;
    if (path->states[lesson] == LESSON_LOCKED)
        queue[waiting++] = order->of[lesson];
    while (taken < waiting) {
        uint32_t as_near = waiting, sorted = *count;

        for (; taken < as_near; taken++) {
            uint32_t c = queue[taken];
            uint32_t first = order->start[c], last = order->start[c + 1];

            for (uint32_t i = first; i < last; i++) {
                uint32_t v = order->nodes[i];

                for (size_t j = path->needs_start[v]; j < path->needs_start[v + 1]; j++) {
                    uint32_t before = path->needs[j], of = order->of[before];

                    if (of == c || path->fulfilled[before])
                        continue;
                    if (path->states[before] != LESSON_LOCKED && !listed[before]) {
                        listed[before] = true;
                        list[(*count)++] = before;
                    } else if (path->states[before] == LESSON_LOCKED && !queued[of]) {
                        queued[of] = true;
                        queue[waiting++] = of;
                    }
                }
            }
        }
        qsort_r(list + sorted, *count - sorted, sizeof *list, compare_places, order);
    }
    return 0;
}
