/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Grades a learner's answer to a question. Texts are compared without letter case and compatibility
 * forms (Unicode case folding, NFKC), with each run of white space as one space, and without
 * punctuation at the end, unless it is the whole text. An exclamation mark after anything but a
 * word is a factorial, and counts. Quotation marks, dashes and minus signs have one form each. A
 * raised digit is written after ^: "x²" equals "x^2", and not "x2".
 *
 *   choice  An option's text, its number from 1, or its letter from a, as "b", "(b)" or "2.". A
 *           text that is exactly an option wins over one that is an option without letter case, and
 *           this over numbers and letters. Where an option is a whole number itself, "2" is not the
 *           number of an option; letters likewise. One option must be chosen if the question's
 *           answer is a text. If it is an array, all of it must be chosen and no other option, in
 *           any order, as a list with commas, semicolons, new lines, & or "and"; an option may
 *           contain these.
 *   number  One of the readings of number.h, with or without a unit, that is within the tolerance
 * of a right answer, or within 1e-9 of its size. An author's answer has no unit (question_check).
 *   text    Equal to one of the right answers.
 *   open    Not graded here: a model compares the answer with the criteria.
 *
 * An answer that is none (empty, too long, not a number, not an option, two options where one is
 * asked for) is no attempt of the learner.
 *
 * Pure, any thread.
 */
#ifndef LECTERN_EXERCISE_ANSWER_H
#define LECTERN_EXERCISE_ANSWER_H

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"

#define ANSWER_CAP        2000u /* bytes of an answer that is graded */
#define ANSWER_PIECES_CAP 40u   /* pieces of a list of options */

enum answer_result {
    ANSWER_RIGHT,
    ANSWER_WRONG,
    ANSWER_NONE, /* no attempt */
    ANSWER_OPEN, /* not graded */
};

/* text: a sentence for a model. It is one of a few that are the same for all questions, so it never
 * contains a right answer. */
struct answer_grade {
    enum answer_result result;
    const char *text;
};

/* question: parameters of a question that component_type_check accepts. given: UTF-8. Static; NULL
 * with ERROR_MEMORY. */
const struct answer_grade *answer_grade(const json_t *question, const char *given,
                                        struct error *err);
/* The grade as the result of a submission: {"status": "pass" | "fail", "message": text}. A new
 * reference, or NULL. */
json_t *answer_result(const struct answer_grade *grade);

/* Fills *to, which is empty, with the text as it is compared. text: UTF-8, NUL-terminated. Fails
 * with ERROR_MEMORY. */
int answer_fold(const char *text, struct buf *to, struct error *err);

#endif
