/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Simulated learners on their way to a goal, for test_simulation.py. A line of JSON is one group:
 * {"count": lessons, "edges": [[before, after], ...], "goals": [lesson, ...], one a learner,
 * "first": number of the first learner, "seed", "items" a lesson, "way", and the probabilities
 * "known", "learn", "guess" and "slip"}. The answer is a list with the figures of each learner:
 * {"items", "reviews", "days", "mastered": times a lesson was called mastered, "known": of these,
 * times the learner knew it, "reached"}.
 *
 * A learner knows each lesson or does not. Reading it teaches it with the probability "known", and
 * each attempt with "learn", both only if all prerequisites are known. A learner who does not know
 * the lesson answers right with "guess", more after hints as in knowledge.h, and one who does
 * answers wrong with "slip". Each random number depends on seed, learner, lesson and attempt alone,
 * so a learner is the same on all ways:
 *
 *   tutor   the next lessons of path.h that lead to the goal
 *   order   all lessons in teaching order
 *   random  all lessons that are ready, in a random order
 *
 * On each way a lesson ends with its mastery, every third lesson may be a review, an item is tried
 * at most twice a day, the second time after a hint, and a day begins at most ITEMS_A_DAY attempts.
 *
 * Only learner_attempt() reads the truth. The code under test, mcp/learner/, gets its answers.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/json.h"
#include "helpers/graph/order.h"
#include "mcp/learner/path.h"

#define ITEMS_A_DAY   20
#define ITEMS_MAX     3
#define DAYS_MAX      20000
#define SECONDS_A_DAY 86400
#define FIRST_DAY     1700006400 /* 00:00 UTC */
#define NO_LESSON     UINT32_MAX

enum way { WAY_TUTOR, WAY_ORDER, WAY_RANDOM };
static const char *const ways[] = {"tutor", "order", "random", NULL};
static const char *const item_names[ITEMS_MAX] = {"item 0", "item 1", "item 2"};

struct world {
    uint32_t count;
    struct path_edge *edges;
    size_t edge_count;
    int items;
    double known, learn, guess, slip;
    uint64_t seed;
    enum way way;
};

/* ---- the learner's truth ---- */

struct lesson {
    bool known, begun, done_today;
    uint64_t attempts;
    int tries[ITEMS_MAX]; /* today */
    bool solved[ITEMS_MAX], right_today[ITEMS_MAX];
    struct evidence *log;
    size_t count, room;
};

struct learner {
    const struct world *world;
    uint64_t number;
    struct lesson *lessons;
    struct path_lesson *shown; /* what mcp/learner/ says about each */
    uint32_t goal;
    int64_t now;
    int today, since_review;
    struct {
        json_int_t items, reviews, days, mastered, known;
        bool reached;
    } figures;
};

/* From 0 to 1. The function is splitmix64 (G. L. Steele, D. Lea, C. H. Flood: Fast splittable
 * pseudorandom number generators. OOPSLA 2014). */
static double draw(const struct learner *learner, uint32_t lesson, uint64_t purpose)
{
    const uint64_t keys[] = {learner->world->seed, learner->number, lesson, purpose};
    uint64_t z = 0;

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        z = (z ^ keys[i]) + 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        z ^= z >> 31;
    }
    return (double)(z >> 11) * 0x1p-53;
}

enum { PURPOSE_RANK, PURPOSE_READ, PURPOSE_ATTEMPT };

static bool can_learn(const struct learner *learner, uint32_t v)
{
    const struct world *world = learner->world;

    for (size_t i = 0; i < world->edge_count; i++)
        if (world->edges[i].after == v && !learner->lessons[world->edges[i].before].known)
            return false;
    return true;
}

static bool learner_attempt(struct learner *learner, uint32_t v, int hints)
{
    const struct world *world = learner->world;
    struct lesson *lesson = &learner->lessons[v];
    const uint64_t attempt = PURPOSE_ATTEMPT + 2 * lesson->attempts++;
    const double guess = world->guess + (1 - world->slip - world->guess) * hints / HELP_MAX;
    bool right;

    if (!lesson->begun)
        lesson->known = can_learn(learner, v) && draw(learner, v, PURPOSE_READ) < world->known;
    lesson->begun = true;
    right = draw(learner, v, attempt) < (lesson->known ? 1 - world->slip : guess);
    if (!lesson->known)
        lesson->known = draw(learner, v, attempt + 1) < world->learn && can_learn(learner, v);
    return right;
}

/* ---- the code under test ---- */

static void answer(struct learner *learner, uint32_t v, int item)
{
    struct lesson *lesson = &learner->lessons[v];
    const bool was_mastered = learner->shown[v].knowledge.mastered;
    const int hints = lesson->tries[item] > 0;
    const bool right = learner_attempt(learner, v, hints);

    if (lesson->count == lesson->room) {
        lesson->room = lesson->room > 0 ? 2 * lesson->room : 8;
        lesson->log = realloc(lesson->log, lesson->room * sizeof *lesson->log);
        if (!lesson->log)
            abort();
    }
    lesson->log[lesson->count++] = (struct evidence){
        .kind = right ? EVIDENCE_GRADED_RIGHT : EVIDENCE_GRADED_WRONG,
        .item = item_names[item],
        .hints = hints,
        .time = learner->now,
    };
    learner->shown[v].knowledge =
        knowledge_fold(lesson->log, lesson->count, (size_t)learner->world->items);
    lesson->tries[item]++;
    lesson->solved[item] |= right;
    lesson->right_today[item] |= right;
    learner->now += 60;
    learner->today++;
    learner->figures.items++;
    if (!was_mastered && learner->shown[v].knowledge.mastered) {
        learner->figures.mastered++;
        learner->figures.known += lesson->known;
    }
}

static void review_lesson(struct learner *learner, uint32_t v)
{
    learner->figures.reviews++;
    answer(learner, v, (int)(learner->lessons[v].count % (size_t)learner->world->items));
    learner->lessons[v].done_today = true;
}

/* As generate_guidance names it. */
static uint32_t weakest_prerequisite(const struct learner *learner, uint32_t v)
{
    const struct world *world = learner->world;
    uint32_t weakest = NO_LESSON;

    for (size_t i = 0; i < world->edge_count; i++) {
        const uint32_t before = world->edges[i].before;

        if (world->edges[i].after == v &&
            (weakest == NO_LESSON ||
             learner->shown[before].knowledge.p < learner->shown[weakest].knowledge.p))
            weakest = before;
    }
    return weakest;
}

/* The items of a lesson, unsolved ones first, until it is mastered. After a day without a right
 * answer to them, the weakest prerequisite gets a review. */
static void study(struct learner *learner, uint32_t v)
{
    struct lesson *lesson = &learner->lessons[v];
    bool solved_before[ITEMS_MAX], failed = true;
    uint32_t weakest;

    memcpy(solved_before, lesson->solved, sizeof solved_before);
    for (int solved = 0; solved <= 1; solved++)
        for (int item = 0; item < learner->world->items; item++)
            while (solved_before[item] == solved && !learner->shown[v].knowledge.mastered &&
                   lesson->tries[item] < 2 && !lesson->right_today[item] &&
                   learner->today < ITEMS_A_DAY)
                answer(learner, v, item);
    lesson->done_today = true;
    for (int item = 0; item < learner->world->items; item++)
        failed = failed && !lesson->right_today[item];
    weakest = failed ? weakest_prerequisite(learner, v) : NO_LESSON;
    if (weakest != NO_LESSON && learner->shown[weakest].knowledge.mastered &&
        !learner->lessons[weakest].done_today)
        review_lesson(learner, weakest);
}

static uint32_t next_of_tutor(const struct learner *learner, const struct path *path)
{
    for (uint32_t i = 0; i < path->next_count; i++) {
        const enum path_reason reason = path->next[i].reason;
        const uint32_t v = path->next[i].lesson;

        if ((reason == PATH_GOAL || reason == PATH_BEGUN_TO_GOAL || reason == PATH_TO_GOAL) &&
            !learner->lessons[v].done_today)
            return v;
    }
    return NO_LESSON;
}

/* In teaching order, or begun lessons first and then by a random rank. */
static uint32_t next_of_all(const struct learner *learner, const struct path *path)
{
    uint32_t found = NO_LESSON;
    double least = 0;

    for (uint32_t i = 0; i < path->count; i++) {
        const uint32_t v = path->order->nodes[i];
        const bool ready = path->states[v] == LESSON_READY;
        double rank;

        if ((!ready && path->states[v] != LESSON_PRACTISING) || learner->lessons[v].done_today)
            continue;
        if (learner->world->way == WAY_ORDER)
            return v;
        rank = ready + draw(learner, v, PURPOSE_RANK);
        if (found == NO_LESSON || rank < least) {
            found = v;
            least = rank;
        }
    }
    return found;
}

/* One lesson or review; false when nothing is left for today. */
static bool take_next(struct learner *learner)
{
    const struct world *world = learner->world;
    struct error err;
    struct path *path = path_create(
        &(struct path_request){
            .lessons = learner->shown,
            .count = world->count,
            .edges = world->edges,
            .edge_count = world->edge_count,
            .goal = learner->goal,
            .now = learner->now,
        },
        &err);
    uint32_t lesson, review = NO_LESSON;

    if (!path) {
        fprintf(stderr, "simulation_driver: %s\n", err.text);
        exit(1);
    }
    lesson = world->way == WAY_TUTOR ? next_of_tutor(learner, path) : next_of_all(learner, path);
    if (path->next_count > 0 && path->next[0].reason == PATH_REVIEW)
        review = path->next[0].lesson;
    path_destroy(path);
    if (review != NO_LESSON && (lesson == NO_LESSON || learner->since_review >= 2)) {
        learner->since_review = 0;
        review_lesson(learner, review);
    } else if (lesson != NO_LESSON) {
        learner->since_review++;
        study(learner, lesson);
    } else {
        return false;
    }
    return true;
}

static void begin_day(struct learner *learner)
{
    learner->now = FIRST_DAY + learner->figures.days++ * SECONDS_A_DAY;
    learner->today = 0;
    for (uint32_t v = 0; v < learner->world->count; v++) {
        struct lesson *lesson = &learner->lessons[v];

        lesson->done_today = false;
        memset(lesson->tries, 0, sizeof lesson->tries);
        memset(lesson->right_today, 0, sizeof lesson->right_today);
    }
}

static json_t *simulate(const struct world *world, uint64_t number, uint32_t goal)
{
    struct learner learner = {.world = world, .number = number, .goal = goal};
    const struct knowledge none = knowledge_fold(NULL, 0, (size_t)world->items);

    learner.lessons = calloc(world->count, sizeof *learner.lessons);
    learner.shown = calloc(world->count, sizeof *learner.shown);
    if (!learner.lessons || !learner.shown)
        abort();
    for (uint32_t v = 0; v < world->count; v++)
        learner.shown[v].knowledge = none;
    while (!learner.figures.reached && learner.figures.days < DAYS_MAX) {
        begin_day(&learner);
        while (!learner.figures.reached && learner.today < ITEMS_A_DAY && take_next(&learner))
            learner.figures.reached = learner.shown[goal].knowledge.mastered;
    }
    for (uint32_t v = 0; v < world->count; v++)
        free(learner.lessons[v].log);
    free(learner.lessons);
    free(learner.shown);
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:b}", "items", learner.figures.items, "reviews",
                     learner.figures.reviews, "days", learner.figures.days, "mastered",
                     learner.figures.mastered, "known", learner.figures.known, "reached",
                     learner.figures.reached);
}

/* ---- the groups ---- */

static double number_at(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}

static enum way way_named(const char *name)
{
    for (int way = 0; ways[way]; way++)
        if (strcmp(ways[way], name) == 0)
            return (enum way)way;
    fprintf(stderr, "simulation_driver: no way '%s'\n", name);
    exit(1);
}

/* NULL if the number of items is wrong. */
static json_t *simulate_group(const json_t *group)
{
    const enum way way = way_named(json_get_string(group, "way"));
    const json_t *pairs = json_object_get(group, "edges"), *item;
    cleanup_free struct path_edge *edges = calloc(json_array_size(pairs) + 1, sizeof *edges);
    const struct world world = {
        .count = (uint32_t)number_at(group, "count"),
        .edges = edges,
        .edge_count = json_array_size(pairs),
        .items = (int)number_at(group, "items"),
        .known = number_at(group, "known"),
        .learn = number_at(group, "learn"),
        .guess = number_at(group, "guess"),
        .slip = number_at(group, "slip"),
        .seed = (uint64_t)json_integer_value(json_object_get(group, "seed")),
        .way = way,
    };
    json_t *rows;
    size_t i;

    if (!edges || world.items < 1 || world.items > ITEMS_MAX)
        return NULL;
    rows = json_array();
    json_array_foreach(pairs, i, item) edges[i] = (struct path_edge){
        .before = (uint32_t)json_integer_value(json_array_get(item, 0)),
        .after = (uint32_t)json_integer_value(json_array_get(item, 1)),
    };
    json_array_foreach(json_object_get(group, "goals"), i, item)
        json_array_append_new(rows, simulate(&world, (uint64_t)number_at(group, "first") + i,
                                             (uint32_t)json_integer_value(item)));
    return rows;
}

int main(void)
{
    struct error err = {0};
    char *text = NULL;
    size_t size = 0;
    ssize_t len;

    while ((len = getline(&text, &size, stdin)) > 0) {
        json_t *group = json_read(text, (size_t)len, "the line", &err);

        if (!group) {
            fprintf(stderr, "simulation_driver: %s\n", err.text);
            exit(1);
        }
        json_t *rows = simulate_group(group);
        struct buf BUF_AUTO out = {0};
        if (!rows) {
            fprintf(stderr, "simulation_driver: items must be 1 to %d\n", ITEMS_MAX);
            exit(1);
        }
        json_write(&out, rows);
        puts(out.data);
        json_decref(rows);
        json_decref(group);
    }
    free(text);
    return 0;
}
