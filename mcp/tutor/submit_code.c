/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A program that the learner hands in. It is stored before it is graded, so that its result is kept
 * in any case. A program that cannot be run, or was handed in before, is no attempt.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/exercise/digest.h"
#include "mcp/exercise/grade.h"
#include "mcp/tutor/attempt.h"
#include "mcp/tutor/grading.h"
#include "mcp/tutor/tutor_call.h"

#define STDIN_MAX    10000u /* bytes */
#define DETAILED_MAX 5u     /* tests with a message or output in an answer */

static int start(struct tool_call *call, struct error *err);

const struct tool tool_submit_code = {
    .name = "submit_code",
    .toolset = TOOLSET_TUTOR,
    .title = "Hand in code",
    .description =
        "For code that the learner hands in, not for questions about code: tests it "
        "against the exercise. Without exercise_id it only runs, with stdin for input().",
    .call_title = "Hand in code for {exercise_id}|Run the learner's code",
    .icon = "code",
    .use = "when the learner hands in a program",
    .arguments =
        ARGUMENTS("submit_code", ARGUMENT_LEARNER, FIELD("exercise_id", FIELD_TEXT),
                  FIELD("code", FIELD_TEXT, .required = true, .least = 1, .most = GRADE_CODE_CAP),
                  FIELD("stdin", FIELD_TEXT, .most = STDIN_MAX)),
    .start = start,
    .stop = tutor_call_stop,
};

/* ---- the answer ---- */

/* A copy of the result, without most messages and outputs of a long one; those of tests that did
 * not pass stay first. */
static json_t *shorten(const json_t *result)
{
    json_t *shown = json_deep_copy(result), *test;
    size_t detailed = 0, i;

    for (int passed = 0; passed <= 1; passed++)
        json_array_foreach(json_object_get(shown, "tests"), i, test)
        {
            if (json_string_is(test, "status", "pass") != (passed == 1) ||
                (!json_get_string(test, "message") && !json_get_string(test, "output")) ||
                detailed++ < DETAILED_MAX)
                continue;
            json_object_set_new(test, "message", json_null());
            json_object_set_new(test, "output", json_null());
        }
    return shown;
}

/* The result in the form of grade.h, with "attempt", "lesson" and "next". */
static int answer(struct tutor_call *teaching, const json_t *result, bool repeated,
                  struct error *err)
{
    const struct course_item *item = tutor_item(teaching, err);
    json_auto_t *shown = shorten(result);
    struct buf BUF_AUTO lesson = {0}, next = {0};

    if (!item)
        return -1;
    tutor_add_lesson(teaching, item->lesson, &lesson);
    buf_adds(&lesson, ": ");
    tutor_add_state(teaching, item->lesson, &lesson);
    if (repeated)
        buf_adds(&next, "This is the same program as before, which counts once. ");
    attempt_add_next(teaching, item, json_string_is(result, "status", "pass"), &next);
    json_object_set_new(shown, "attempt", json_boolean(!repeated));
    json_object_set_new(shown, "lesson", json_string(lesson.data));
    json_object_set_new(shown, "next", json_string(next.data));
    json_write(&teaching->call->text, shown);
    return 0;
}

static int after_grading(struct tutor_call *teaching, struct error *err)
{
    return answer(teaching, teaching->result, false, err);
}

/* ---- running ---- */

static void on_ran(void *user, const json_t *result, const struct error *err)
{
    struct tutor_call *teaching = user;
    json_auto_t *shown = json_copy((json_t *)result);

    json_object_set_new(shown, "next",
                        json_string("Talk about the output. A program for an exercise is tested by "
                                    "submit_code with its exercise_id."));
    if (shown && teaching->call)
        json_write(&teaching->call->text, shown);
    tutor_call_end(teaching, err);
}

/* On the loop: without an exercise. */
static int begin_run(struct tutor_call *teaching, struct error *err)
{
    const struct grading_request request = {
        .learner = teaching->learner,
        .code = argument_text(teaching->call, "code"),
        .input = argument_text(teaching->call, "stdin"),
        .on_done = on_ran,
        .user = teaching,
    };

    return grading_start(teaching->tutor->gradings, &request, err);
}

/* ---- grading ---- */

static void on_graded(void *user, const json_t *result, const struct error *err)
{
    struct tutor_call *teaching = user;
    struct error later = {0};

    if (result) {
        teaching->result = json_incref((json_t *)result);
        tutor_call_resume(teaching, after_grading);
        return;
    }
    error_set(&later, err->kind,
              "The program is stored, and is graded as soon as a sandbox works (%s). Say so to the "
              "learner; it need not be handed in again. Next call: get_learner_state in a minute.",
              err->text);
    tutor_call_end(teaching, &later);
}

/* On the loop. */
static int begin_grading(struct tutor_call *teaching, struct error *err)
{
    uint32_t at = course_item_find(teaching->course, argument_text(teaching->call, "exercise_id"));
    const struct grading_request request = {
        .submission = teaching->submission,
        .learner = teaching->learner,
        .exercise = teaching->course->items[at].parameters,
        .code = argument_text(teaching->call, "code"),
        .on_done = on_graded,
        .user = teaching,
    };

    if (grading_start(teaching->tutor->gradings, &request, err) == 0)
        return 0;
    on_graded(teaching, NULL, err);
    return 0;
}

/* ---- handing in ---- */

static int hand_in(struct tutor_call *teaching, const char *code, struct error *err)
{
    const struct course_item *item = tutor_item(teaching, err);
    char digest[SHA256_TEXT_SIZE];
    struct submitted submitted;
    int rc = 0;

    if (!item)
        return -1;
    if (!item->code)
        return error_set(err, ERROR_INVALID,
                         "%s is a question: send the answer with assess_response.", item->id);
    if (digest_code(code, strlen(code), digest, err) < 0 ||
        attempt_submit(teaching, item, code, digest, &submitted, err) < 0)
        return -1;
    teaching->submission = submitted.submission;
    if (submitted.result)
        rc = answer(teaching, submitted.result, true, err);
    else
        teaching->then = begin_grading;
    json_decref(submitted.result);
    return rc;
}

static int run(struct tutor_call *teaching, struct error *err)
{
    const char *code = argument_text(teaching->call, "code");
    struct verdict verdict;

    if (grade_check(code, strlen(code), &verdict, err) < 0)
        return error_wrap(err, "No attempt: the program was refused before it ran. Say why, let "
                               "the learner correct it, and call submit_code again");
    if (argument_text(teaching->call, "exercise_id"))
        return hand_in(teaching, code, err);
    teaching->then = begin_run;
    return 0;
}

static int start(struct tool_call *call, struct error *err)
{
    return tutor_call_start(call, run, err);
}
