/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tutor/grading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include <uv.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "mcp/exercise/answer.h"
#include "mcp/exercise/exercise.h"
#include "mcp/exercise/grade.h"
#include "mcp/tutor/course.h"

/* Bytes of a character in JSON, and of the rest of a row of the result. */
#define ESCAPED_MAX 6u
#define ROW_MAX     500u
_Static_assert(LEARNER_RESULT_MAX >=
                   EXERCISE_CASES_CAP *
                       (ESCAPED_MAX * (GRADE_MESSAGE_CAP + GRADE_OUTPUT_CAP) + ROW_MAX),
               "every result can be stored");

/* One submission under way. */
struct graded {
    LIST_ENTRY(graded) link;
    struct workq_job job; /* stores the result */
    struct loop_task task;
    struct gradings *gradings;
    int64_t submission;
    char learner[LEARNER_ID_SIZE];
    json_t *result; /* owned; NULL: err */
    struct error err;
    void (*on_done)(void *user, const json_t *result, const struct error *err);
    void *user;
};

/* A submission without a result, as the queue has found it. */
struct waiting {
    int64_t submission;
    char learner[LEARNER_ID_SIZE], session[SESSION_ID_SIZE], item[COMPONENT_ID_SIZE];
    char *text;       /* owned */
    json_t *exercise; /* of a program that can be graded; owned, or NULL */
};

struct gradings {
    struct tutor *tutor;
    LIST_HEAD(, graded) all;
    uv_timer_t *timer; /* freed by its close callback */
    bool stopped;
    /* The search for submissions without a result. */
    struct workq_job search;
    bool searching;
    struct waiting
        found[GRADING_LATER]; /* while searching is set, the queue's, like the next two */
    size_t found_count;
    int64_t passed; /* the search begins after this submission, so that none holds up the others */
    unsigned later; /* of all: those that a search has started */
};

static void search(struct gradings *gradings);
static void retry_later(struct gradings *gradings);

/* ---- one grading ---- */

static void finish(struct graded *grading)
{
    struct gradings *gradings = grading->gradings;
    const bool graded = grading->result != NULL;

    LIST_REMOVE(grading, link);
    if (grading->on_done)
        grading->on_done(grading->user, grading->result, graded ? NULL : &grading->err);
    else
        gradings->later--;
    if (grading->submission == 0) {
        /* nothing is kept of it */
    } else if (!graded && grading->err.kind != ERROR_NOT_FOUND) {
        log_warning("tutor", "a submission is graded later: %s", grading->err.text);
        retry_later(gradings);
    } else if (!grading->on_done && gradings->later == 0) {
        search(gradings); /* there may be more */
    }
    json_decref(grading->result);
    free(grading);
}

static void on_store(struct workq_job *job, void *context)
{
    struct graded *grading = container_of(job, struct graded, job);
    const struct tutor_thread *thread = context;
    enum evidence_kind kind = json_string_is(grading->result, "status", "pass")
                                  ? EVIDENCE_GRADED_RIGHT
                                  : EVIDENCE_GRADED_WRONG;

    int rc = learners_graded(thread->learners, grading->submission, grading->result, kind, NULL,
                             &grading->err);

    if (rc > 0)
        return;
    json_decref(grading->result);
    grading->result = NULL;
    if (rc == 0) /* another server was first: its result is the one that counts */
        learners_result(thread->learners, grading->submission, &grading->result, &grading->err);
}

static void on_stored(struct workq_job *job)
{
    finish(container_of(job, struct graded, job));
}

static void on_graded(void *arg)
{
    struct graded *grading = arg;

    if (grading->submission == 0) {
        finish(grading);
        return;
    }
    grading->job.work = on_store;
    grading->job.done = on_stored;
    grading->job.key = workq_key(grading->learner);
    if (grading->result &&
        workq_submit(grading->gradings->tutor->queue, &grading->job, &grading->err) == 0)
        return;
    json_decref(grading->result);
    grading->result = NULL;
    finish(grading);
}

/* On the executor's thread. */
static void on_grade(void *user, const json_t *result, const struct error *err)
{
    struct graded *grading = user;

    if (err)
        grading->err = *err;
    else if (!(grading->result = json_deep_copy(result)))
        error_set(&grading->err, ERROR_MEMORY, "out of memory for a result");
    grading->task.run = on_graded;
    grading->task.arg = grading;
    loop_queue_post(grading->gradings->tutor->server->loop_queue, &grading->task);
}

static int start_grading(struct gradings *gradings, const struct grading_request *request,
                         struct error *err)
{
    struct executor *executor = gradings->tutor->server->analyses.executor;
    struct grade_request grade = {
        .exercise = request->exercise,
        .input = request->input,
        .code = request->code,
        .code_len = strlen(request->code),
        .on_done = on_grade,
    };
    struct graded *grading;

    LIST_FOREACH(grading, &gradings->all, link)
    if (request->submission != 0 && grading->submission == request->submission)
        return error_set(err, ERROR_BUSY, "this submission is being graded");
    if (!executor || gradings->stopped)
        return error_set(err, ERROR_UNAVAILABLE, "no sandbox can grade a program now");
    grading = calloc(1, sizeof *grading);
    if (!grading)
        return error_set(err, ERROR_MEMORY, "out of memory for grading");
    grading->gradings = gradings;
    grading->submission = request->submission;
    grading->on_done = request->on_done;
    grading->user = request->user;
    snprintf(grading->learner, sizeof grading->learner, "%s", request->learner);
    LIST_INSERT_HEAD(&gradings->all, grading, link);
    grade.user = grading;
    if (grade_start(executor, &grade, err) == 0)
        return 0;
    LIST_REMOVE(grading, link);
    free(grading);
    return -1;
}

int grading_start(struct gradings *gradings, const struct grading_request *request,
                  struct error *err)
{
    const int rc = start_grading(gradings, request, err);

    if (rc < 0 && request->submission != 0)
        retry_later(gradings);
    return rc;
}

/* ---- submissions without a result ---- */

static void on_pending(void *user, int64_t id, const struct learner_submission *submission)
{
    struct gradings *gradings = user;
    struct waiting *row = &gradings->found[gradings->found_count];

    if (gradings->found_count == GRADING_LATER || id <= gradings->passed)
        return;
    *row = (struct waiting){.submission = id, .text = strdup(submission->text)};
    if (!row->text)
        return;
    snprintf(row->learner, sizeof row->learner, "%s", submission->learner);
    snprintf(row->session, sizeof row->session, "%s", submission->session);
    snprintf(row->item, sizeof row->item, "%s", submission->item);
    gradings->found_count++;
}

/* Grades an answer, or withdraws it: an open one needs a model, and was sent without its verdict.
 */
static int settle_answer(const struct tutor_thread *thread, const struct waiting *row,
                         const json_t *question, struct error *err)
{
    const struct answer_grade *grade = answer_grade(question, row->text, err);
    json_auto_t *result = NULL;

    if (!grade)
        return -1;
    if (grade->result == ANSWER_NONE || grade->result == ANSWER_OPEN)
        return learners_withdraw(thread->learners, row->submission, err);
    result = answer_result(grade);
    return learners_graded(
        thread->learners, row->submission, result,
        grade->result == ANSWER_RIGHT ? EVIDENCE_GRADED_RIGHT : EVIDENCE_GRADED_WRONG, NULL, err);
}

/* Sets row->exercise for a program. Everything else is settled here. */
static int prepare(const struct tutor_thread *thread, struct waiting *row, struct error *err)
{
    const struct course *course =
        course_get(thread->tutor->courses, thread->store, row->session, err);
    const struct course_item *item = NULL;
    struct verdict verdict;
    uint32_t at;
    int rc;

    if (!course && err->kind != ERROR_NOT_FOUND && err->kind != ERROR_UNAUTHORIZED)
        return -1; /* the store may answer later */
    at = course ? course_item_find(course, row->item) : COURSE_NONE;
    if (at != COURSE_NONE)
        item = &course->items[at];
    if (!item || (item->code && grade_check(row->text, strlen(row->text), &verdict, err) < 0)) {
        rc = learners_withdraw(thread->learners, row->submission, err);
    } else if (item->code) {
        row->exercise = json_deep_copy(item->parameters);
        rc = row->exercise ? 0 : error_set(err, ERROR_MEMORY, "out of memory for an exercise");
    } else {
        rc = settle_answer(thread, row, item->parameters, err);
    }
    course_release(thread->tutor->courses, course);
    return rc;
}

static void on_search(struct workq_job *job, void *context)
{
    struct gradings *gradings = container_of(job, struct gradings, search);
    const struct tutor_thread *thread = context;
    struct error err = {0};

    if (learners_pending(thread->learners, on_pending, gradings, &err) < 0)
        log_warning("tutor", "submissions cannot be read: %s", err.text);
    for (size_t i = 0; i < gradings->found_count; i++) {
        struct error of_row = {0};

        if (prepare(thread, &gradings->found[i], &of_row) < 0)
            log_warning("tutor", "a submission cannot be graded now: %s", of_row.text);
    }
}

static void on_searched(struct workq_job *job)
{
    struct gradings *gradings = container_of(job, struct gradings, search);
    const bool from_first = gradings->passed == 0;
    size_t started = 0;

    gradings->searching = false;
    gradings->passed =
        gradings->found_count == GRADING_LATER ? gradings->found[GRADING_LATER - 1].submission : 0;
    for (size_t i = 0; i < gradings->found_count; i++) {
        struct waiting *row = &gradings->found[i];
        const struct grading_request request = {.submission = row->submission,
                                                .learner = row->learner,
                                                .exercise = row->exercise,
                                                .code = row->text};
        struct error err = {0};

        if (row->exercise && grading_start(gradings, &request, &err) == 0)
            started++;
        json_decref(row->exercise);
        free(row->text);
    }
    gradings->later += (unsigned)started;
    if ((gradings->found_count > 0 || !from_first) && started == 0)
        retry_later(gradings);
    gradings->found_count = 0;
}

static void search(struct gradings *gradings)
{
    struct error err = {0};

    if (gradings->searching || gradings->stopped || gradings->later > 0)
        return;
    gradings->search.work = on_search;
    gradings->search.done = on_searched;
    gradings->searching = workq_submit(gradings->tutor->queue, &gradings->search, &err) == 0;
    if (!gradings->searching)
        retry_later(gradings);
}

static void on_timer(uv_timer_t *timer)
{
    search(timer->data);
}

/* A timer that runs is left alone, so that constant failures do not put it off. */
static void retry_later(struct gradings *gradings)
{
    if (!gradings->stopped && !uv_is_active((uv_handle_t *)gradings->timer))
        uv_timer_start(gradings->timer, on_timer, GRADING_RETRY_S * 1000, 0);
}

/* ---- all of them ---- */

static void on_timer_closed(uv_handle_t *timer)
{
    free(timer);
}

struct gradings *gradings_create(struct tutor *tutor, struct error *err)
{
    struct gradings *gradings = calloc(1, sizeof *gradings);

    if (gradings)
        gradings->timer = calloc(1, sizeof *gradings->timer);
    if (!gradings || !gradings->timer) {
        free(gradings);
        error_set(err, ERROR_MEMORY, "out of memory for gradings");
        return NULL;
    }
    gradings->tutor = tutor;
    LIST_INIT(&gradings->all);
    uv_timer_init(tutor->server->loop, gradings->timer);
    gradings->timer->data = gradings;
    search(gradings);
    return gradings;
}

void gradings_stop(struct gradings *gradings)
{
    if (gradings->stopped)
        return;
    gradings->stopped = true;
    uv_close((uv_handle_t *)gradings->timer, on_timer_closed);
}

void gradings_destroy(struct gradings *gradings)
{
    free(gradings);
}
