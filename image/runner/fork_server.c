/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image/runner/fork_server.h"

#include <errno.h>

#include "image/runner/log_error.h"
#include "image/runner/run.h"
#include "image/runner/run_state.h"
#include "image/runner/zygote.h"

static int ask(struct runner_run *run)
{
    const unsigned char word = ZYGOTE_ASK;
    struct ends its;
    int fds[ZYGOTE_ENDS];
    int done;

    run->copy = (struct child){.pidfd = -1,
                               .statm = -1,
                               .landlock_abi = run->zygote->landlock_abi,
                               .exec_once = run->zygote->exec_once};
    if (ends_make(&run->copy.ends, &its) < 0)
        return -1;
    fds[ZYGOTE_OUT] = its.out;
    fds[ZYGOTE_ERR] = its.err;
    fds[ZYGOTE_CONTROL] = its.control;
    done = descriptors_send(run->zygote->ends.control, &word, sizeof word, fds, ZYGOTE_ENDS);
    ends_close(&its);
    run_attach(run, &run->copy);
    run_enter(run, PHASE_COPYING, COPY_MS_MAX);
    return done;
}

int fork_server_begin(struct runner_run *run)
{
    struct child *zygote = run->child;
    int control = zygote->ends.control;

    /* Of all that was between it and the runner the socket remains. */
    zygote->ends.control = -1;
    run_detach(run);
    zygote->ends.control = control;
    run->zygote = zygote;
    return ask(run);
}

int fork_server_take(struct runner_run *run)
{
    struct zygote_answer said = {0};
    int proofs[ZYGOTE_PROOFS];
    int count =
        descriptors_receive(run->zygote->ends.control, &said, sizeof said, proofs, ZYGOTE_PROOFS);

    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (run->phase != PHASE_COPYING || count < 0)
        return log_error("the warm interpreter has ended");
    if (said.pid < 0) {
        errno = -said.pid;
        return log_errno("the warm interpreter could not be copied");
    }
    run->copy.pid = said.pid;
    run->copy.pidfd = proofs[ZYGOTE_PIDFD];
    run->copy.statm = proofs[ZYGOTE_STATM];
    if (said.pid < 2 || run->copy.pidfd < 0)
        return log_error("the warm interpreter did not say what its copy is");
    run->phase = PHASE_WARMING;
    run_reap(run); /* it may have ended before it was known */
    return 0;
}

/* What is named here belongs to the runner. All else belongs to one run, and is zero again. */
static void forget(struct runner_run *run)
{
    const struct runner_run kept = {.options = run->options,
                                    .signals = run->signals,
                                    .zygote = run->zygote,
                                    .unanswered = run->waiting_for_answer ? run->last_request
                                                                          : run->unanswered,
                                    .from_server = run->from_server,
                                    .to_server = run->to_server};

    run_detach(run);
    *run = kept;
}

int fork_server_next(struct runner_run *run)
{
    forget(run);
    return ask(run);
}
