/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How a job gets from any thread to the executor's loop, and a cancel after it: as a ticket, whose
 * tasks are embedded, so that posting cannot fail. It lives until the run has ended and no cancel
 * for it is still queued.
 */
#include <stdlib.h>

#include "executor/executor_parts.h"

struct ticket {
    LIST_ENTRY(ticket) link;
    struct executor *executor;
    uint64_t id;
    struct run *run; /* the loop's, but for its session */
    struct loop_task intake, cancel;
    bool waiting; /* under the executor's lock, as the next */
    bool cancel_posted;
    bool ended;
};

/* ---- on the loop ---- */

void ticket_on_taken(void *user)
{
    struct ticket *ticket = user;
    struct executor *executor = ticket->executor;

    pthread_mutex_lock(&executor->lock);
    ticket->waiting = false;
    executor->waiting--;
    pthread_mutex_unlock(&executor->lock);
}

void ticket_on_end(void *user)
{
    struct ticket *ticket = user;
    struct executor *executor = ticket->executor;
    bool cancel_posted;

    pthread_mutex_lock(&executor->lock);
    LIST_REMOVE(ticket, link);
    cancel_posted = ticket->cancel_posted;
    pthread_mutex_unlock(&executor->lock);
    ticket->ended = true;
    if (!cancel_posted)
        free(ticket);
}

static void run_intake(void *arg)
{
    struct ticket *ticket = arg;

    run_begin(ticket->run, &ticket->executor->run_host, ticket);
}

static void run_cancel(void *arg)
{
    struct ticket *ticket = arg;
    struct executor *executor = ticket->executor;

    if (ticket->ended) {
        free(ticket);
        return;
    }
    pthread_mutex_lock(&executor->lock);
    ticket->cancel_posted = false; /* opened: the end of the run frees the ticket again */
    pthread_mutex_unlock(&executor->lock);
    run_cancel_now(ticket->run);
}

static struct ticket *first_ticket(struct executor *executor)
{
    struct ticket *ticket;

    pthread_mutex_lock(&executor->lock);
    ticket = LIST_FIRST(&executor->tickets);
    pthread_mutex_unlock(&executor->lock);
    return ticket;
}

void tickets_abort(struct executor *executor, const char *why)
{
    struct ticket *ticket;

    while ((ticket = first_ticket(executor)))
        run_abort(ticket->run, why); /* takes it off the list */
}

/* ---- from outside ---- */

static unsigned count_waiting(const struct executor *executor, const char *session)
{
    const struct ticket *ticket;
    unsigned count = 0;

    LIST_FOREACH(ticket, &executor->tickets, link)
    count += ticket->waiting && admission_same(run_session(ticket->run), session);
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

/* Takes the ticket's job into the queue, or refuses. */
static uint64_t post(struct executor *executor, struct ticket *ticket, struct error *err)
{
    uint64_t id = 0;

    pthread_mutex_lock(&executor->lock);
    if (check_room(executor, run_session(ticket->run), err) == 0) {
        id = ticket->id = ++executor->last_id;
        ticket->waiting = true;
        executor->waiting++;
        LIST_INSERT_HEAD(&executor->tickets, ticket, link);
        stats_taken(&executor->stats);
        loop_queue_post(executor->loop_queue, &ticket->intake);
    }
    pthread_mutex_unlock(&executor->lock);
    return id;
}

uint64_t executor_run(struct executor *executor, const struct execution_job *job, struct error *err)
{
    struct ticket *ticket = calloc(1, sizeof *ticket);
    uint64_t id;

    if (!ticket) {
        error_set(err, ERROR_MEMORY, "out of memory for a run");
        return 0;
    }
    ticket->executor = executor;
    ticket->intake.run = run_intake;
    ticket->intake.arg = ticket;
    ticket->cancel.run = run_cancel;
    ticket->cancel.arg = ticket;
    ticket->run = run_create(job, err);
    id = ticket->run ? post(executor, ticket, err) : 0;
    if (id == 0) {
        run_discard(ticket->run);
        free(ticket);
    }
    return id;
}

void executor_cancel(struct executor *executor, uint64_t id)
{
    struct ticket *ticket;

    pthread_mutex_lock(&executor->lock);
    LIST_FOREACH(ticket, &executor->tickets, link)
    {
        if (ticket->id != id)
            continue;
        if (!ticket->cancel_posted)
            loop_queue_post(executor->loop_queue, &ticket->cancel);
        ticket->cancel_posted = true;
        break;
    }
    pthread_mutex_unlock(&executor->lock);
}
