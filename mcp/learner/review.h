/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * When a mastered lesson is due for a review: the Free Spaced Repetition Scheduler, FSRS-6
 * (J. Ye and others, github.com/open-spaced-repetition/fsrs4anki/wiki/The-Algorithm), with its
 * published default parameters w0 to w20, for a probability of recall of 0.9 at each review. It has
 * neither learning steps nor random shifts of the dates: knowledge.h covers the time before
 * mastery. The results are those of ts-fsrs 5.4.2 (enable_short_term: false, enable_fuzz: false),
 * which contract.reviews compares.
 *
 * Memory has two numbers. The stability S is the number of days in which the probability of recall
 * falls from 1 to 0.9. The difficulty D, from 1 to 10, says how little a review adds to S. After t
 * days the probability of recall is
 *
 *   R = (1 + F t / S)^-w20,   F = 0.9^(-1 / w20) - 1
 *
 * A review has a grade g: again 1, hard 2, good 3, easy 4. The first one gives
 *
 *   S = max(0.1, w[g-1])
 *   D = D0(g) within 1..10,   D0(g) = w4 - e^((g - 1) w5) + 1
 *
 * and each later one, t days after the one before,
 *
 *   hard, good, easy:  S' = S (1 + e^w8 (11 - D) S^-w9 (e^((1 - R) w10) - 1) h)
 *                      h = w15 for hard, 1 for good, w16 for easy
 *   again:             S' = min(S, w11 D^-w12 ((S + 1)^w13 - 1) e^((1 - R) w14))
 *   all:               D' = w7 D0(4) + (1 - w7) (D - w6 (g - 3) (10 - D) / 9) within 1..10
 *
 * S remains within 0.001..36,500 days. Times are days of the calendar in UTC, so a second review on
 * the same day has R = 1. The next interval is S in whole days, at least 1, because R is 0.9 after
 * S days. So that a better grade always gives a later date, the intervals of all grades are
 * computed, and hard, good and easy are each at least one day longer than the grade before. S, D
 * and R are rounded to eight decimals, as in ts-fsrs, so that they are equal on machines whose e^x
 * differs in the last bit.
 *
 * Pure, any thread.
 */
#ifndef LECTERN_LEARNER_REVIEW_H
#define LECTERN_LEARNER_REVIEW_H

#include <stdbool.h>
#include <stdint.h>

enum review_grade {
    REVIEW_AGAIN = 1, /* a wrong answer */
    REVIEW_HARD,      /* a right answer after help */
    REVIEW_GOOD,      /* a right answer */
    REVIEW_EASY,      /* for a learner who says so; no answer gives it */
};

/* All zero before the first review. */
struct review {
    double stability, difficulty;
    int days;          /* from the last review to the next */
    int64_t last, due; /* seconds since 1970; due is last and that many times 24 hours */
};

/* Adds a review. A time before that of the last review counts as the same day. */
void review_update(struct review *review, enum review_grade grade, int64_t now);

#endif
