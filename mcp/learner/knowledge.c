/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/learner/knowledge.h"

#include <string.h>

#define P_KNOWN_FIRST    0.1
#define P_LEARN          0.1
#define P_SLIP           0.1
#define P_GUESS          0.1
#define MASTERY          0.95
#define MASTERY_ONE_ITEM 0.8

const char *const evidence_kinds[] = {
    "graded_right", "graded_wrong", "verdict_right", "verdict_wrong",
    "read",         "explained",    "skipped",       NULL,
};
const char *const lesson_states[] = {
    "locked", "ready", "learning", "practising", "mastered", "review", "read", NULL,
};

static const struct {
    bool attempt, right, graded;
} kinds[EVIDENCE_KIND_COUNT] = {
    [EVIDENCE_GRADED_RIGHT] = {.attempt = true, .right = true, .graded = true},
    [EVIDENCE_GRADED_WRONG] = {.attempt = true, .graded = true},
    [EVIDENCE_VERDICT_RIGHT] = {.attempt = true, .right = true},
    [EVIDENCE_VERDICT_WRONG] = {.attempt = true},
};

/* The attempts at the item of one attempt that came before it. */
struct earlier {
    bool solved, solved_graded, solved_in_sitting, failed_in_sitting;
};

static struct earlier look_back(const struct evidence *list, size_t at)
{
    struct earlier earlier = {0};

    for (size_t i = 0; i < at; i++) {
        const enum evidence_kind kind = list[i].kind;
        const bool in_sitting = list[at].time - list[i].time < SITTING_SECONDS;

        if (!kinds[kind].attempt || strcmp(list[i].item, list[at].item) != 0)
            continue;
        earlier.solved |= kinds[kind].right;
        earlier.solved_graded |= kinds[kind].right && kinds[kind].graded;
        earlier.solved_in_sitting |= in_sitting && kinds[kind].right;
        earlier.failed_in_sitting |= in_sitting && !kinds[kind].right;
    }
    return earlier;
}

/* Of 1 - p, which remains accurate where p is nearly 1; p itself is never below P(T). */
static double update_unknown(double unknown, bool right, int help)
{
    const double guess = P_GUESS + (1 - P_SLIP - P_GUESS) * help / HELP_MAX;
    const double if_known = right ? 1 - P_SLIP : P_SLIP;
    const double if_unknown = right ? guess : 1 - P_GUESS;
    const double posterior =
        unknown * if_unknown / ((1 - unknown) * if_known + unknown * if_unknown);

    return posterior * (1 - P_LEARN);
}

static bool fulfils_mastery(const struct knowledge *knowledge)
{
    if (knowledge->items == 0 || knowledge->solved_graded == 0)
        return false;
    if (knowledge->items == 1)
        return knowledge->p >= MASTERY_ONE_ITEM;
    return knowledge->p >= MASTERY && knowledge->solved >= 2;
}

struct knowledge knowledge_fold(const struct evidence *list, size_t count, size_t items)
{
    struct knowledge knowledge = {.items = items};
    double unknown = 1 - P_KNOWN_FIRST;

    for (size_t i = 0; i < count; i++) {
        const enum evidence_kind kind = list[i].kind;
        const bool right = kinds[kind].right;

        knowledge.skipped = kind == EVIDENCE_SKIPPED;
        if (!kinds[kind].attempt) {
            knowledge.read |= kind != EVIDENCE_SKIPPED;
            continue;
        }
        const struct earlier earlier = look_back(list, i);
        knowledge.attempted = true;
        knowledge.solved += right && !earlier.solved;
        knowledge.solved_graded += right && kinds[kind].graded && !earlier.solved_graded;
        if (earlier.solved_in_sitting || (earlier.failed_in_sitting && !right))
            continue;

        const bool was_mastered = knowledge.mastered;
        int help = list[i].hints + earlier.failed_in_sitting;
        if (help > HELP_MAX)
            help = HELP_MAX;
        unknown = update_unknown(unknown, right, help);
        knowledge.p = 1 - unknown;
        knowledge.mastered = right && fulfils_mastery(&knowledge);
        if (knowledge.mastered)
            review_update(&knowledge.review, help ? REVIEW_HARD : REVIEW_GOOD, list[i].time);
        else if (was_mastered)
            review_update(&knowledge.review, REVIEW_AGAIN, list[i].time);
    }
    knowledge.p = 1 - unknown;
    return knowledge;
}

enum lesson_state lesson_state(const struct knowledge *knowledge, bool ready, int64_t now)
{
    if (!knowledge->read && !knowledge->attempted)
        return ready ? LESSON_READY : LESSON_LOCKED;
    if (knowledge->items == 0 && (knowledge->read || knowledge->solved))
        return LESSON_READ;
    if (!knowledge->attempted)
        return LESSON_LEARNING;
    if (!knowledge->mastered)
        return LESSON_PRACTISING;
    return now >= knowledge->review.due ? LESSON_REVIEW : LESSON_MASTERED;
}

bool lesson_state_unlocks(enum lesson_state state)
{
    return state == LESSON_MASTERED || state == LESSON_REVIEW || state == LESSON_READ;
}
