/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From evidence to a state: which attempts count, when a lesson is mastered, and what reviews do.
 * contract.knowledge compares the numbers with exact ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mcp/learner/knowledge.h"

#define HOUR        3600
#define DAY         (24 * HOUR)
#define ITEMS(list) (sizeof(list) / sizeof *(list))

#define RIGHT         EVIDENCE_GRADED_RIGHT
#define WRONG         EVIDENCE_GRADED_WRONG
#define VERDICT_RIGHT EVIDENCE_VERDICT_RIGHT

static void assert_p(double found, double wanted)
{
    assert_float_equal(found, wanted, 1e-6);
}

static double p_of(const struct evidence *list, size_t count)
{
    return knowledge_fold(list, count, 2).p;
}

static void test_position_alone(void **state)
{
    static const struct evidence list[] = {{EVIDENCE_SKIPPED, NULL, 0, 1},
                                           {EVIDENCE_EXPLAINED, NULL, 0, 2},
                                           {EVIDENCE_READ, NULL, 0, 3}};
    struct knowledge none = knowledge_fold(NULL, 0, 2);
    struct knowledge skipped = knowledge_fold(list, 1, 2);
    struct knowledge read = knowledge_fold(list, 2, 2);
    struct knowledge without_items = knowledge_fold(list, 3, 0);

    (void)state;
    assert_p(none.p, 0.1);
    assert_p(without_items.p, 0.1);
    assert_int_equal(lesson_state(&none, false, 9), LESSON_LOCKED);
    assert_int_equal(lesson_state(&none, true, 9), LESSON_READY);
    assert_int_equal(lesson_state(&skipped, false, 9), LESSON_LOCKED);
    assert_int_equal(lesson_state(&skipped, true, 9), LESSON_READY);
    assert_int_equal(lesson_state(&read, false, 9), LESSON_LEARNING);
    assert_int_equal(lesson_state(&without_items, false, 9), LESSON_READ);
    assert_true(lesson_state_unlocks(LESSON_READ));
    assert_false(lesson_state_unlocks(LESSON_LEARNING));
    assert_false(lesson_state_unlocks(LESSON_PRACTISING));
}

static void test_hints_and_results_are_help(void **state)
{
    static const struct evidence hinted[][1] = {
        {{RIGHT, "a", 0, 1}}, {{RIGHT, "a", 1, 1}}, {{RIGHT, "a", 2, 1}}, {{RIGHT, "a", 3, 1}}};
    static const double wanted[] = {0.55, 0.2928571, 0.2227273, 0.19};
    static const struct evidence corrected[] = {{WRONG, "a", 0, 1}, {RIGHT, "a", 0, 2}};
    static const struct evidence later[] = {{WRONG, "a", 0, 1}, {RIGHT, "a", 0, 2 * DAY}};
    static const struct evidence elsewhere[] = {{WRONG, "b", 0, 1}, {RIGHT, "a", 0, 2}};

    (void)state;
    for (size_t i = 0; i < ITEMS(hinted); i++)
        assert_p(p_of(hinted[i], 1), wanted[i]);
    assert_p(p_of(corrected, 1), 0.1109756);
    assert_p(p_of(corrected, 2), 0.3110825);
    assert_p(p_of(later, 2), 0.5761628);
    assert_p(p_of(elsewhere, 2), 0.5761628);
}

static void test_repeats(void **state)
{
    static const struct evidence list[] = {{WRONG, "a", 0, 1},
                                           {WRONG, "a", 0, 2},
                                           {RIGHT, "a", 0, 3},
                                           {RIGHT, "a", 0, 4},
                                           {WRONG, "a", 0, 5},
                                           {RIGHT, "a", 0, 3 + 12 * HOUR},
                                           {RIGHT, "a", 0, 3 + 24 * HOUR}};
    double p[ITEMS(list) + 1];
    struct knowledge last = knowledge_fold(list, ITEMS(list), 2);

    (void)state;
    for (size_t i = 0; i <= ITEMS(list); i++)
        p[i] = p_of(list, i);
    assert_true(p[1] > p[0]); /* P(T) is more than a wrong answer takes from a p of 0.1 */
    assert_true(p[2] == p[1]);
    assert_true(p[3] > p[2]);
    assert_true(p[4] == p[3] && p[5] == p[4]);
    assert_true(p[6] == p[5]); /* less than 12 hours after the fourth */
    assert_true(p[7] > p[6]);
    assert_int_equal(last.solved, 1);
    assert_false(last.mastered);
}

static void test_mastery_of_items(void **state)
{
    static const struct evidence three[] = {
        {RIGHT, "a", 0, 1}, {RIGHT, "b", 0, 2}, {RIGHT, "c", 0, 3}};
    static const struct evidence one_item[] = {
        {RIGHT, "a", 0, 1}, {RIGHT, "a", 0, 1 + DAY}, {RIGHT, "a", 0, 1 + 2 * DAY}};
    static const struct evidence verdicts[] = {{VERDICT_RIGHT, "a", 0, 1},
                                               {VERDICT_RIGHT, "b", 0, 2},
                                               {VERDICT_RIGHT, "c", 0, 3},
                                               {RIGHT, "d", 0, 4}};
    struct knowledge found;

    (void)state;
    assert_false(knowledge_fold(three, 2, 2).mastered); /* p is 0.925 */
    found = knowledge_fold(three, 3, 3);
    assert_true(found.mastered);
    assert_int_equal(found.solved, 3);
    assert_int_equal(lesson_state(&found, false, 4), LESSON_MASTERED);
    assert_true(lesson_state_unlocks(LESSON_MASTERED) && lesson_state_unlocks(LESSON_REVIEW));

    assert_false(knowledge_fold(one_item, 1, 1).mastered);
    assert_true(knowledge_fold(one_item, 2, 1).mastered); /* p is 0.925 */
    found = knowledge_fold(one_item, 3, 2);
    assert_true(found.p > 0.95);
    assert_false(found.mastered); /* the same item three times */

    assert_false(knowledge_fold(verdicts, 3, 2).mastered);
    assert_true(knowledge_fold(verdicts, 4, 2).mastered);

    found = knowledge_fold(three, 3, 0); /* its exercises were deleted */
    assert_false(found.mastered);
    assert_int_equal(lesson_state(&found, true, 4), LESSON_READ);
}

static void test_reviews(void **state)
{
    static const struct evidence list[] = {{RIGHT, "a", 0, 0},        {RIGHT, "b", 0, 1},
                                           {RIGHT, "c", 0, 2},        {RIGHT, "a", 1, 2 * DAY},
                                           {RIGHT, "b", 0, 9 * DAY},  {WRONG, "c", 0, 40 * DAY},
                                           {WRONG, "c", 0, 41 * DAY}, {RIGHT, "a", 0, 42 * DAY}};
    struct review reviews = {0};
    struct knowledge found = knowledge_fold(list, 3, 3);

    (void)state;
    review_update(&reviews, REVIEW_GOOD, 2);
    assert_memory_equal(&found.review, &reviews, sizeof reviews);
    assert_int_equal(lesson_state(&found, true, found.review.due - 1), LESSON_MASTERED);
    assert_int_equal(lesson_state(&found, true, found.review.due), LESSON_REVIEW);

    found = knowledge_fold(list, 6, 3);
    review_update(&reviews, REVIEW_HARD, 2 * DAY);
    review_update(&reviews, REVIEW_GOOD, 9 * DAY);
    review_update(&reviews, REVIEW_AGAIN, 40 * DAY);
    assert_memory_equal(&found.review, &reviews, sizeof reviews);
    assert_true(found.p > 0.95); /* and not mastered all the same */
    assert_int_equal(lesson_state(&found, true, 41 * DAY), LESSON_PRACTISING);

    found = knowledge_fold(list, 7, 3);
    assert_memory_equal(&found.review, &reviews, sizeof reviews);
    found = knowledge_fold(list, 8, 3);
    review_update(&reviews, REVIEW_GOOD, 42 * DAY);
    assert_memory_equal(&found.review, &reviews, sizeof reviews);
    assert_int_equal(lesson_state(&found, true, 42 * DAY), LESSON_MASTERED);
}

/* 1 - p does not vanish, so a learner who has forgotten the lesson can be seen to have. */
static void test_long_success_can_be_forgotten(void **state)
{
    struct evidence list[200];
    struct knowledge found;

    (void)state;
    for (size_t i = 0; i < ITEMS(list); i++)
        list[i] = (struct evidence){i < 50 ? EVIDENCE_GRADED_RIGHT : EVIDENCE_GRADED_WRONG, "a", 0,
                                    (int64_t)i * DAY};
    found = knowledge_fold(list, ITEMS(list), 1);
    assert_true(found.p < 0.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_position_alone), cmocka_unit_test(test_hints_and_results_are_help),
        cmocka_unit_test(test_repeats),        cmocka_unit_test(test_mastery_of_items),
        cmocka_unit_test(test_reviews),        cmocka_unit_test(test_long_success_can_be_forgotten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
