/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tutor/attempt.h"

#include "mcp/learner/tiers.h"

#define SECONDS_A_DAY 86400

static int refuse(const struct tutor_call *teaching, struct error *err)
{
    struct buf BUF_AUTO text = {0};

    buf_init(&text, ERROR_TEXT_CAP - 1);
    buf_addf(&text,
             "The learner's tier \"%s\" has %lld graded attempts a day, and they are used; the "
             "next day begins at 00:00 UTC. Say so, and go on with get_chapter_content. ",
             teaching->tier->name, (long long)teaching->tier->attempts_a_day);
    tutor_add_upgrade(teaching, &text);
    return error_set(err, ERROR_FORBIDDEN, "%s", text.data ? text.data : "");
}

int attempt_hints(struct tutor_call *teaching, const struct course_item *item, int *hints,
                  struct error *err)
{
    const struct item_standing standing = standing_of_item(teaching->standing, item);

    return learners_hints(teaching->learners, teaching->learner, teaching->sid, item->id,
                          standing.solved ? standing.last_right + 1 : 0, hints, err);
}

int attempt_submit(struct tutor_call *teaching, const struct course_item *item, const char *text,
                   const char *digest, struct submitted *submitted, struct error *err)
{
    const struct item_standing standing = standing_of_item(teaching->standing, item);
    const bool again = standing.solved && teaching->now - standing.last_right >= SITTING_SECONDS;
    const struct submission_limit limit = {.most = teaching->tier->attempts_a_day,
                                           .since = teaching->now - teaching->now % SECONDS_A_DAY};
    struct learner_submission submission = {
        .learner = teaching->learner,
        .session = teaching->sid,
        .node = teaching->course->lessons[item->lesson].id,
        .item = item->id,
        .text = text,
        .digest = digest,
        .time = teaching->now,
        .limit = limit.most == TIER_ATTEMPTS_ANY ? NULL : &limit,
    };

    if (attempt_hints(teaching, item, &submission.hints, err) < 0 ||
        learners_submit(teaching->learners, &submission, again ? standing.last_right + 1 : 0,
                        submitted, err) < 0)
        return -1;
    return submitted->submission > 0 ? 0 : refuse(teaching, err);
}

void attempt_add_next(struct tutor_call *teaching, const struct course_item *item, bool right,
                      struct buf *to)
{
    const struct course_lesson *lesson = &teaching->course->lessons[item->lesson];

    if (!right) {
        buf_addf(to,
                 "Let the learner find the mistake: do not show a solution. For a hint call "
                 "generate_guidance with exercise_id \"%s\".",
                 item->id);
        return;
    }
    for (uint32_t i = 0; i < lesson->items; i++) {
        const struct course_item *other = &teaching->course->items[lesson->first_item + i];

        if (other == item || standing_of_item(teaching->standing, other).solved)
            continue;
        buf_addf(to,
                 "Say what was right about it. %s has more: call get_exercises with node_id "
                 "\"%s\".",
                 lesson->id, lesson->id);
        return;
    }
    buf_addf(to,
             "Say what was right about it. All exercises of %s are solved: call "
             "get_learner_state for the next lesson.",
             lesson->id);
}
