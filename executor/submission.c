/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How a job gets from any thread to the executor's loop, and a cancel after it: as a submission,
 * whose tasks are embedded, so that posting cannot fail. It lives until the run has ended and no
 * cancel for it is still queued.
 */
#include <stdlib.h>

#include "executor/executor_internal.h"

struct submission {
    LIST_ENTRY(submission) link;
    struct executor *executor;
    uint64_t id;
    struct executor_run *run; /* the loop's, but for its session */
    struct loop_task intake, cancel;
    bool waiting; /* under the executor's lock, as the next */
    bool cancel_posted;
    bool ended;
};

/* ---- on the loop ---- */

void submission_on_taken(void *user)
{
    struct submission *submission = user;
    struct executor *executor = submission->executor;

    pthread_mutex_lock(&executor->lock);
    submission->waiting = false;
    executor->waiting--;
    pthread_mutex_unlock(&executor->lock);
}

void submission_on_end(void *user)
{
    struct submission *submission = user;
    struct executor *executor = submission->executor;
    bool cancel_posted;

    pthread_mutex_lock(&executor->lock);
    LIST_REMOVE(submission, link);
    cancel_posted = submission->cancel_posted;
    pthread_mutex_unlock(&executor->lock);
    submission->ended = true;
    if (!cancel_posted)
        free(submission);
}

static void run_intake(void *arg)
{
    struct submission *submission = arg;

    run_begin(submission->run, &submission->executor->run_host, submission);
}

static void run_cancel(void *arg)
{
    struct submission *submission = arg;
    struct executor *executor = submission->executor;

    if (submission->ended) {
        free(submission);
        return;
    }
    pthread_mutex_lock(&executor->lock);
    submission->cancel_posted = false; /* opened: the end of the run frees the submission again */
    pthread_mutex_unlock(&executor->lock);
    run_cancel_now(submission->run);
}

static struct submission *first_submission(struct executor *executor)
{
    struct submission *submission;

    pthread_mutex_lock(&executor->lock);
    submission = LIST_FIRST(&executor->submissions);
    pthread_mutex_unlock(&executor->lock);
    return submission;
}

void submissions_abort(struct executor *executor, const char *why)
{
    struct submission *submission;

    while ((submission = first_submission(executor)))
        run_abort(submission->run, why); /* takes it off the list */
}

/* ---- from outside ---- */

static unsigned count_waiting(const struct executor *executor, const char *session)
{
    const struct submission *submission;
    unsigned count = 0;

    LIST_FOREACH(submission, &executor->submissions, link)
    count += submission->waiting && admission_same(run_session(submission->run), session);
    return count;
}

/* Room in the queue is kept for others than the one that has most of it. Under the lock. */
static int check_room(struct executor *executor, const char *session, struct error *err)
{
    unsigned seconds;

    if (executor->waiting < EXECUTION_WAITING_CAP &&
        (executor->waiting < EXECUTION_SESSION_WAITING_CAP ||
         count_waiting(executor, session) < EXECUTION_SESSION_WAITING_CAP))
        return 0;
    stats_turned_away(&executor->stats);
    seconds = stats_retry_after(&executor->stats);
    if (executor->waiting >= EXECUTION_WAITING_CAP)
        return error_set(err, ERROR_BUSY,
                         "%u runs already wait for a sandbox; send it again in %u s",
                         executor->waiting, seconds);
    return error_set(err, ERROR_BUSY,
                     "%u runs %s already wait for a sandbox, the most that may; send it again in "
                     "%u s",
                     EXECUTION_SESSION_WAITING_CAP,
                     session ? "of this session" : "without a session", seconds);
}

/* Takes the submission's job into the queue, or refuses. */
static uint64_t post(struct executor *executor, struct submission *submission, struct error *err)
{
    uint64_t id = 0;

    pthread_mutex_lock(&executor->lock);
    if (check_room(executor, run_session(submission->run), err) == 0) {
        id = submission->id = ++executor->last_id;
        submission->waiting = true;
        executor->waiting++;
        LIST_INSERT_HEAD(&executor->submissions, submission, link);
        stats_taken(&executor->stats);
        loop_queue_post(executor->loop_queue, &submission->intake);
    }
    pthread_mutex_unlock(&executor->lock);
    return id;
}

uint64_t executor_run(struct executor *executor, const struct execution_job *job, struct error *err)
{
    struct submission *submission = calloc(1, sizeof *submission);
    uint64_t id;

    if (!submission) {
        error_set(err, ERROR_MEMORY, "out of memory for a run");
        return 0;
    }
    submission->executor = executor;
    submission->intake.run = run_intake;
    submission->intake.arg = submission;
    submission->cancel.run = run_cancel;
    submission->cancel.arg = submission;
    submission->run = run_create(job, err);
    id = submission->run ? post(executor, submission, err) : 0;
    if (id == 0) {
        run_discard(submission->run);
        free(submission);
    }
    return id;
}

void executor_cancel(struct executor *executor, uint64_t id)
{
    struct submission *submission;

    pthread_mutex_lock(&executor->lock);
    LIST_FOREACH(submission, &executor->submissions, link)
    {
        if (submission->id != id)
            continue;
        if (!submission->cancel_posted)
            loop_queue_post(executor->loop_queue, &submission->cancel);
        submission->cancel_posted = true;
        break;
    }
    pthread_mutex_unlock(&executor->lock);
}
