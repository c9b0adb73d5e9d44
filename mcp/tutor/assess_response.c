/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An answer of the learner to a question. The server grades choices, numbers and texts. An open
 * answer is compared with the author's criteria by the model: the first call returns the criteria,
 * the second has the model's verdict, which is recorded as a verdict and is no grade.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/exercise/answer.h"
#include "mcp/exercise/digest.h"
#include "mcp/exercise/exercise.h"
#include "mcp/tutor/attempt.h"

#define RESPONSE_MAX 8000u /* bytes */

static int start(struct tool_call *call, struct error *err);

const struct tool tool_assess_response = {
    .name = "assess_response",
    .toolset = TOOLSET_TUTOR,
    .title = "Assess an answer",
    .description =
        "Grade the learner's answer to a question, in the learner's words. Open questions: the "
        "first call returns criteria, the second has scores (true or false for each).",
    .call_title = "Assess an answer to {exercise_id}",
    .icon = "edit",
    .use = "when the learner has answered a question",
    .arguments =
        ARGUMENTS("assess_response", ARGUMENT_LEARNER,
                  FIELD("exercise_id", FIELD_TEXT, .required = true, .least = 1),
                  FIELD("response", FIELD_TEXT, .required = true, .least = 1, .most = RESPONSE_MAX),
                  FIELD("scores", FIELD_ARRAY, .item = FIELD_FLAG)),
    .start = start,
    .stop = tutor_call_stop,
};

static int write_result(struct tutor_call *teaching, const struct course_item *item,
                        const json_t *result, bool repeated)
{
    struct buf *to = &teaching->call->text;

    buf_addf(to, "%s%s\n", json_get_string(result, "message"),
             repeated ? " The same answer was given before; it counts once." : "");
    tutor_add_lesson(teaching, item->lesson, to);
    buf_adds(to, ": ");
    tutor_add_state(teaching, item->lesson, to);
    buf_addc(to, '\n');
    attempt_add_next(teaching, item, json_string_is(result, "status", "pass"), to);
    buf_addc(to, '\n');
    return 0;
}

/* Reads the standing again, which has the new evidence. */
static int show_result(struct tutor_call *teaching, struct error *err)
{
    const struct course_item *item = tutor_item(teaching, err);

    return item ? write_result(teaching, item, teaching->result, false) : -1;
}

/* On the loop. */
static int show_again(struct tutor_call *teaching, struct error *err)
{
    (void)err;
    tutor_call_resume(teaching, show_result);
    return 0;
}

/* Stores the response and its result, which it takes over. */
static int record(struct tutor_call *teaching, const struct course_item *item, json_t *result,
                  enum evidence_kind kind, struct error *err)
{
    const char *response = argument_text(teaching->call, "response");
    struct submitted submitted = {0};
    char digest[SHA256_TEXT_SIZE];
    int rc = -1;

    if (!result)
        error_set(err, ERROR_MEMORY, "out of memory for a result");
    else if (digest_answer(response, digest, err) == 0)
        rc = attempt_submit(teaching, item, response, digest, &submitted, err);
    if (rc == 0 && submitted.result) {
        rc = write_result(teaching, item, submitted.result, true);
    } else if (rc == 0 && (rc = learners_graded(teaching->learners, submitted.submission, result,
                                                kind, NULL, err)) >= 0) {
        teaching->result = json_incref(result);
        teaching->then = show_again;
        rc = 0;
    }
    json_decref(submitted.result);
    json_decref(result);
    return rc;
}

/* ---- open answers ---- */

static int ask_for_scores(struct tutor_call *teaching, const json_t *criteria)
{
    struct buf *to = &teaching->call->text;
    const json_t *criterion;
    size_t i;

    buf_adds(to, "Nothing is recorded yet. Compare the answer with each criterion of the author, "
                 "strictly, and do not show them to the learner:\n");
    json_array_foreach((json_t *)criteria, i, criterion)
        buf_addf(to, "%zu. %s\n", i + 1, json_string_value(criterion));
    buf_addf(to,
             "Next call: assess_response with the same response and scores, %zu of true or false "
             "in this order.\n",
             json_array_size(criteria));
    return 0;
}

static int take_scores(struct tutor_call *teaching, const struct course_item *item,
                       const json_t *criteria, struct error *err)
{
    const json_t *scores = json_object_get(teaching->call->arguments, "scores"), *score;
    const size_t count = json_array_size(criteria);
    size_t met = 0, i;

    if (!scores)
        return ask_for_scores(teaching, criteria);
    if (json_array_size(scores) != count)
        return error_set_at(err, "scores",
                            "scores must have %zu values, true or false for each criterion. Call "
                            "assess_response without scores to read them.",
                            count);
    json_array_foreach((json_t *)scores, i, score)
    {
        if (!json_is_boolean(score))
            return error_set_at(err, "scores",
                                "scores must be true or false, such as [true, "
                                "false]");
        met += json_is_true(score);
    }
    return record(
        teaching, item,
        json_pack("{s:s, s:O, s:o}", "status", met == count ? "pass" : "fail", "scores", scores,
                  "message",
                  json_sprintf("By your verdict %zu of %zu criteria are met; it is recorded as a "
                               "model's verdict, not as a grade.",
                               met, count)),
        met == count ? EVIDENCE_VERDICT_RIGHT : EVIDENCE_VERDICT_WRONG, err);
}

/* ---- the call ---- */

static int run(struct tutor_call *teaching, struct error *err)
{
    const char *response = argument_text(teaching->call, "response");
    const struct course_item *item = tutor_item(teaching, err);
    const struct answer_grade *grade;

    if (!item)
        return -1;
    if (item->code)
        return error_set(err, ERROR_INVALID,
                         "%s is a programming exercise: hand the code in with submit_code.",
                         item->id);
    grade = answer_grade(item->parameters, response, err);
    if (!grade)
        return -1;
    if (grade->result == ANSWER_OPEN)
        return take_scores(teaching, item, json_object_get(item->parameters, "criteria"), err);
    if (grade->result == ANSWER_NONE)
        return error_set(err, ERROR_INVALID,
                         "No attempt: %s Ask the learner again, and call assess_response with the "
                         "learner's own words.",
                         grade->text);
    return record(teaching, item, answer_result(grade),
                  grade->result == ANSWER_RIGHT ? EVIDENCE_GRADED_RIGHT : EVIDENCE_GRADED_WRONG,
                  err);
}

static int start(struct tool_call *call, struct error *err)
{
    return tutor_call_start(call, run, err);
}
