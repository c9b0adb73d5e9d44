/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What must hold of dates of reviews whatever the parameters are. contract.reviews compares the
 * numbers with ts-fsrs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mcp/learner/review.h"

#define DAY   86400
#define START (20000LL * DAY)

static struct review reviewed(struct review review, enum review_grade grade, int64_t now)
{
    review_update(&review, grade, now);
    return review;
}

static void test_first_review(void **state)
{
    static const struct {
        double stability, difficulty;
        int days;
    } wanted[] = {
        [REVIEW_AGAIN] = {0.212, 6.4133, 1},
        [REVIEW_HARD] = {1.2931, 5.11217071, 2},
        [REVIEW_GOOD] = {2.3065, 2.11810397, 3},
        [REVIEW_EASY] = {8.2956, 1, 8},
    };

    (void)state;
    for (int grade = REVIEW_AGAIN; grade <= REVIEW_EASY; grade++) {
        struct review first = reviewed((struct review){0}, (enum review_grade)grade, START + 7);

        assert_float_equal(first.stability, wanted[grade].stability, 1e-9);
        assert_float_equal(first.difficulty, wanted[grade].difficulty, 1e-9);
        assert_int_equal(first.days, wanted[grade].days);
        assert_int_equal(first.last, START + 7);
        assert_int_equal(first.due, START + 7 + first.days * DAY);
    }
}

static void test_better_grades_and_longer_waits(void **state)
{
    struct review learnt = reviewed((struct review){0}, REVIEW_GOOD, START);

    (void)state;
    for (int round = 0; round < 8; round++) {
        struct review early = reviewed(learnt, REVIEW_GOOD, learnt.due - DAY);
        struct review late = reviewed(learnt, REVIEW_GOOD, learnt.due + 30 * DAY);
        struct review better = reviewed(learnt, REVIEW_AGAIN, learnt.due);

        assert_true(better.stability < learnt.stability && better.difficulty > learnt.difficulty);
        for (int grade = REVIEW_HARD; grade <= REVIEW_EASY; grade++) {
            struct review next = reviewed(learnt, (enum review_grade)grade, learnt.due);

            assert_true(next.stability > better.stability && next.days > better.days);
            assert_true(next.difficulty <= better.difficulty);
            better = next;
        }
        assert_true(early.stability < late.stability);
        learnt = reviewed(learnt, REVIEW_GOOD, learnt.due);
    }
}

static void test_the_same_day_and_the_past(void **state)
{
    struct review learnt = reviewed((struct review){0}, REVIEW_GOOD, START);
    struct review again = reviewed(learnt, REVIEW_GOOD, START + DAY - 1);
    struct review before = reviewed(learnt, REVIEW_GOOD, START - 3 * DAY);

    (void)state;
    assert_float_equal(again.stability, learnt.stability, 1e-9);
    assert_float_equal(before.stability, learnt.stability, 1e-9);
    assert_true(reviewed(learnt, REVIEW_GOOD, START + DAY).stability > learnt.stability);
}

static void test_limits(void **state)
{
    struct review worst = {0}, best = {0};

    (void)state;
    for (int i = 0; i < 200; i++) {
        review_update(&worst, REVIEW_AGAIN, START + i * DAY);
        review_update(&best, REVIEW_EASY, best.due);
        assert_true(worst.difficulty <= 10 && worst.stability >= 0.001 && worst.days == 1);
        assert_true(best.difficulty >= 1 && best.stability <= 36500 && best.days <= 36500 + 3);
    }
    assert_true(best.stability == 36500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_review),
        cmocka_unit_test(test_better_grades_and_longer_waits),
        cmocka_unit_test(test_the_same_day_and_the_past),
        cmocka_unit_test(test_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
