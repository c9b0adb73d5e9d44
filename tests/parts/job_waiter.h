/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For tests and benchmarks of the executor: gives it a job and waits for the result, as
 * straight-line code. And what a process holds (descriptors, threads, children), to see that
 * nothing is left.
 */
#ifndef LECTERN_TESTS_JOB_WAITER_H
#define LECTERN_TESTS_JOB_WAITER_H

#include <pthread.h>

#include "executor/executor.h"

struct job_waiter {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool started, asked, finished; /* asked: a request has come */
    int done_calls;
    enum execution_status status;
    char *out, *err, *value, *error,
        *error_type; /* owned copies; out and err never NULL when finished */
    size_t out_len, out_head;
    uint64_t out_cut;
    size_t artifacts;   /* figures, and ... */
    char *figure;       /* the last of them, base64 */
    unsigned place;     /* the last that on_queued told; 0: none */
    unsigned told;      /* times that it did */
    unsigned end_order; /* of all waiters of the process, from 1: when it ended */
    int exit_code;
    double seconds, waited;
    char *streamed; /* what on_output brought of standard output */
    size_t streamed_len;
    /* answers to requests: where NULL, 200 with {"target": ...}; called on the executor's thread */
    void (*answer)(struct job_waiter *waiter, struct broker_request *request);
    struct broker_request *kept; /* for an answer that keeps it back */
    int requests;
};

void job_waiter_init(struct job_waiter *waiter);
void job_waiter_finish(struct job_waiter *waiter);

/* The job's texts are set by the caller; callbacks and user are the waiter's. 0 with *err when it
 * was not taken. */
uint64_t job_waiter_run(struct job_waiter *waiter, struct executor *executor,
                        struct execution_job *job, struct error *err);

/* False when it did not come within ms. */
bool job_waiter_wait_started(struct job_waiter *waiter, unsigned ms);
bool job_waiter_wait_asked(struct job_waiter *waiter, unsigned ms);
bool job_waiter_wait(struct job_waiter *waiter, unsigned ms);

/* Runs the code in a sandbox of that kind, for session "s", with every module of the data kind
 * allowed, and waits. */
enum execution_status job_waiter_do(struct job_waiter *waiter, struct executor *executor,
                                    const char *kind, const char *code);

struct holdings {
    int descriptors, threads, children;
};
struct holdings holdings_count(void);
/* Waits a little for what ends by itself (threads, reaped processes); true when no more is held
 * than before. */
bool holdings_are(const struct holdings *before);

#endif
