/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How well one learner knows one lesson, computed from the log of evidence. The whole log is folded
 * each time and no result is stored, so edits of a curriculum lose no evidence.
 *
 * The model is Bayesian knowledge tracing (A. T. Corbett, J. R. Anderson: Knowledge tracing:
 * Modeling the acquisition of procedural knowledge. User Modeling and User-Adapted Interaction 4,
 * 1995, 253-278). A learner knows the lesson or does not, and p is the probability that they do:
 *
 *   before all attempts        p = P(L0)
 *   after a right answer       q = p (1 - P(S)) / (p (1 - P(S)) + (1 - p) P(G))
 *   after a wrong answer       q = p P(S) / (p P(S) + (1 - p) (1 - P(G)))
 *   and, after either of them  p = q + (1 - q) P(T)
 *
 * P(G) is the probability of a right answer of a learner who does not know the lesson (guess), P(S)
 * that of a wrong answer of one who does (slip), and P(T) that of learning it at an attempt. All
 * four are 0.1, the values of OATutor (github.com/CAHLR/OATutor, src/config/bktParams), as long as
 * there are no data to estimate them from. Right answers to three different items give 0.55, 0.925
 * and 0.992. A verdict by a model changes p as a grade of the server does.
 *
 * Help lowers the weight of a right answer. With k of HELP_MAX = 3 hints,
 *
 *   P(G) = 0.1 + (0.9 - 0.1) k / 3
 *
 * because a hint does part of the work for a learner who does not know the lesson. After the last
 * one both answer alike, P(G) = 1 - P(S), so q = p: only P(T) remains. P(G) increases with k, and
 * the next p with the last one, so more hints never give a higher p, then or later. A wrong answer
 * counts the same with hints as without.
 *
 * An item is one exercise or question. Answers to one item within SITTING_SECONDS of each other are
 * not independent, as the model assumes. So an attempt is compared with the attempts at the same
 * item in the 12 hours before it:
 *
 *   after a right answer  it changes nothing: the learner has seen the solution
 *   after a wrong answer  a wrong one changes nothing: it shows the same gap
 *                         a right one counts as with one more hint: the result is a hint
 *
 * Corbett and Anderson, and OATutor, count only the first attempt at an item. Here many items are
 * programs, and a program that is corrected after a failed test shows some knowledge. 12 hours
 * separate two days without a time zone. A right answer on a later day counts in full, but an item
 * is solved only once, however often it is answered.
 *
 * A lesson is mastered at a right answer that changes p, if
 *
 *   the server grades two or more of its items:  p >= 0.95 and two items are solved
 *   it grades one item:                          p >= 0.8
 *
 * and the server itself has graded a right answer to at least one item. So a lesson of one or two
 * items, with those that a model grades, is mastered no earlier than 12 hours after the first right
 * answer. A solved item counts after its deletion.
 *
 * From mastery on, each attempt that changes p is a review (review.h), early or late. A wrong
 * answer ends mastery, whatever p is. The next right one that fulfils the rule restores it and is a
 * review again; wrong answers in between are not reviews.
 *
 * Pure, any thread.
 */
#ifndef LECTERN_LEARNER_KNOWLEDGE_H
#define LECTERN_LEARNER_KNOWLEDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mcp/learner/review.h"

#define HELP_MAX        3
#define SITTING_SECONDS 43200 /* 12 hours */

enum evidence_kind {
    EVIDENCE_GRADED_RIGHT, /* by the server */
    EVIDENCE_GRADED_WRONG,
    EVIDENCE_VERDICT_RIGHT, /* by a model */
    EVIDENCE_VERDICT_WRONG,
    EVIDENCE_READ, /* this and the next two are about the position, and never change p */
    EVIDENCE_EXPLAINED,
    EVIDENCE_SKIPPED,
    EVIDENCE_KIND_COUNT,
};
/* Their names: "graded_right"; NULL-terminated. */
extern const char *const evidence_kinds[EVIDENCE_KIND_COUNT + 1];

struct evidence {
    enum evidence_kind kind;
    const char *item; /* of an attempt: its id; borrowed */
    int hints;        /* seen before the attempt, 0 to HELP_MAX */
    int64_t time;     /* seconds since 1970 */
};

struct knowledge {
    double p;
    size_t items;         /* of the lesson as it is now, that the server grades */
    size_t solved;        /* items with a right answer */
    size_t solved_graded; /* those of them with one that the server has graded */
    bool read;            /* read or explained */
    bool skipped;         /* the latest evidence is that it was skipped */
    bool attempted;
    bool mastered;
    struct review review; /* all zero before the first mastery */
};

/* The evidence of one learner and lesson in the order of time. items: the items of the lesson as it
 * is now that the server grades. The time that it takes grows with the square of count. */
struct knowledge knowledge_fold(const struct evidence *list, size_t count, size_t items);

enum lesson_state {
    LESSON_LOCKED,     /* not begun, and a prerequisite is missing */
    LESSON_READY,      /* not begun */
    LESSON_LEARNING,   /* read or explained, without an attempt */
    LESSON_PRACTISING, /* attempted and not mastered, or not any more */
    LESSON_MASTERED,   /* and no review is due */
    LESSON_REVIEW,     /* mastered, and a review is due */
    LESSON_READ,       /* has no graded items, and was read, explained or solved */
    LESSON_STATE_COUNT,
};
/* Their names: "locked"; NULL-terminated. */
extern const char *const lesson_states[LESSON_STATE_COUNT + 1];

/* ready: all prerequisites are fulfilled. It matters only for a lesson that was not begun, so an
 * edit of the graph does not lock one that was. Skipping a lesson does not begin it. now: as in
 * struct evidence. */
enum lesson_state lesson_state(const struct knowledge *knowledge, bool ready, int64_t now);

/* Whether a lesson in this state fulfils the prerequisites of others: mastered, due for a review,
 * or read. */
bool lesson_state_unlocks(enum lesson_state state);

#endif
