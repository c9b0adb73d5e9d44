/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/learner/review.h"

#include <math.h>

#define DAY_SECONDS         86400
#define STABILITY_MIN       0.001
#define STABILITY_MAX       36500.0
#define FIRST_STABILITY_MIN 0.1
#define DAYS_MAX            36500

static const double w[] = {0.212,  1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194,
                           0.001,  1.8722, 0.1666, 0.796,  1.4835, 0.0614, 0.2629,
                           1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542};

static double round8(double value)
{
    return floor(value * 1e8 + 0.5) / 1e8;
}

static double within(double value, double least, double most)
{
    return fmin(fmax(value, least), most);
}

static double recall(double stability, int64_t days)
{
    double factor = round8(exp(log(0.9) / -w[20]) - 1);

    return round8(pow(1 + factor * (double)days / stability, -w[20]));
}

static double first_difficulty(enum review_grade grade)
{
    return round8(w[4] - exp(((int)grade - 1) * w[5]) + 1);
}

static double next_difficulty(double difficulty, enum review_grade grade)
{
    double step = round8(-w[6] * ((int)grade - 3) * (10 - difficulty) / 9);
    double next = w[7] * first_difficulty(REVIEW_EASY) + (1 - w[7]) * (difficulty + step);

    return within(round8(next), 1, 10);
}

static double next_stability(const struct review *review, double recalled, enum review_grade grade)
{
    const double s = review->stability, d = review->difficulty;
    const double help = grade == REVIEW_HARD ? w[15] : grade == REVIEW_EASY ? w[16] : 1;
    double next;

    if (grade == REVIEW_AGAIN)
        next = w[11] * pow(d, -w[12]) * (pow(s + 1, w[13]) - 1) * exp((1 - recalled) * w[14]);
    else
        next = s * (1 + exp(w[8]) * (11 - d) * pow(s, -w[9]) * (exp((1 - recalled) * w[10]) - 1) *
                            help);
    next = round8(within(next, STABILITY_MIN, STABILITY_MAX));
    return grade == REVIEW_AGAIN ? fmin(s, next) : next;
}

void review_update(struct review *review, enum review_grade grade, int64_t now)
{
    const bool first = review->stability == 0;
    const int64_t days = now / DAY_SECONDS - review->last / DAY_SECONDS;
    const double recalled = first ? 1 : recall(review->stability, days > 0 ? days : 0);
    double stability[REVIEW_EASY + 1];
    int interval[REVIEW_EASY + 1];

    for (int g = REVIEW_AGAIN; g <= REVIEW_EASY; g++) {
        stability[g] = first ? fmax(FIRST_STABILITY_MIN, w[g - 1])
                             : next_stability(review, recalled, (enum review_grade)g);
        interval[g] = (int)within(round(stability[g]), 1, DAYS_MAX);
    }
    for (int g = REVIEW_HARD; g <= REVIEW_EASY; g++)
        if (interval[g] <= interval[g - 1])
            interval[g] = interval[g - 1] + 1;

    *review = (struct review){
        .stability = stability[grade],
        .difficulty = first ? within(first_difficulty(grade), 1, 10)
                            : next_difficulty(review->difficulty, grade),
        .days = interval[grade],
        .last = now,
        .due = now + (int64_t)interval[grade] * DAY_SECONDS,
    };
}
