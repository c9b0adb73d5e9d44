/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How a run ends: by its own result, a deadline, the memory, a signal, the process's end; what is
 * said of it, and when.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "image/runner/log_error.h"
#include "image/runner/fork_server.h"
#include "image/runner/run.h"
#include "image/runner/run_state.h"

void run_kill(struct runner_run *run)
{
    if (!run->reaped) {
        run->killed = true;
        child_signal(run->child, SIGKILL);
    }
}

void run_stop_clock(struct runner_run *run)
{
    if (run->started && !run->stopped)
        run->stopped = run_now();
}

void run_end(struct runner_run *run, enum verdict verdict)
{
    if (run->verdict == VERDICT_NONE)
        run->verdict = verdict;
    run_stop_clock(run);
    run_kill(run);
    if (run->phase < PHASE_ENDING)
        run_enter(run, PHASE_ENDING, ENDING_MS_MAX);
}

static void has_ended(struct runner_run *run, int status)
{
    run->reaped = true;
    run->status = status;
    run_stop_clock(run);
    if (run->phase < PHASE_ENDING)
        run_enter(run, PHASE_ENDING, ENDING_MS_MAX);
}

/* As PID 1 of a container every orphan is ours. A session has none, and a copy may end before its
 * pid is known: that one is left until it is. The zygote's end is told by its socket. */
void run_reap(struct runner_run *run)
{
    struct signalfd_siginfo info;
    int status;
    pid_t pid;

    while (read(run->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo != SIGCHLD) {
            run->leaving = true;
            run_end(run, VERDICT_CANCELLED);
        }
    }
    if (run->zygote && (run->reaped || run->child->pid == 0))
        return;
    while ((pid = waitpid(run->zygote ? run->child->pid : -1, &status, WNOHANG)) > 0) {
        if (pid == run->child->pid)
            has_ended(run, status);
    }
}

int run_on_deadline(struct runner_run *run)
{
    switch (run->phase) {
    case PHASE_WARMING:
    case PHASE_WARMED:
    case PHASE_COPYING:
        return log_error("Python was not ready after %d s",
                         (run->zygote ? COPY_MS_MAX : WARM_MS_MAX) / 1000);
    case PHASE_IMPORTING:
        run_end(run, VERDICT_IMPORT);
        return 0;
    case PHASE_RUNNING:
        run->verdict = VERDICT_TIMEOUT;
        run_stop_clock(run);
        child_signal(run->child, SIGALRM);
        run_enter(run, PHASE_ASKED, ASKED_MS);
        return 0;
    case PHASE_ASKED:
        run_end(run, VERDICT_TIMEOUT);
        return 0;
    case PHASE_ENDING:
        if (run->reaped)
            return log_error("the server does not read");
        if (run->killed)
            return log_error("the interpreter does not end");
        run_kill(run);
        run_enter(run, PHASE_ENDING, ENDING_MS_MAX);
        return 0;
    case PHASE_LINGERING:
        return 0;
    case PHASE_IDLE:
    case PHASE_ENDED:
        break;
    }
    return log_error("the server does not read");
}

void run_watch_memory(struct runner_run *run)
{
    if (run->phase >= PHASE_IMPORTING && run->phase <= PHASE_ASKED &&
        child_resident(run->child) > (unsigned long long)run->options->memory_mb << 20)
        run_end(run, VERDICT_MEMORY);
}

static enum verdict judge(const struct runner_run *run, int signal)
{
    if (run->verdict != VERDICT_NONE)
        return run->verdict;
    if (run->result) {
        if (run->facts.memory)
            return VERDICT_MEMORY;
        return run->facts.failed || run->facts.exit_code ? VERDICT_ERROR : VERDICT_OK;
    }
    if (signal == SIGXCPU)
        return VERDICT_TIMEOUT;
    return signal == SIGKILL && !run->killed ? VERDICT_MEMORY : VERDICT_CRASH;
}

int run_finish(struct runner_run *run)
{
    struct ending ending = {.exit_code = -1};

    if (!run->has_job && run->verdict != VERDICT_CANCELLED)
        return log_error("Python ended before there was a job (status 0x%x)",
                         (unsigned)run->status);
    if (run->result)
        ending.exit_code = run->facts.exit_code;
    else if (WIFEXITED(run->status))
        ending.exit_code = WEXITSTATUS(run->status);
    else if (WIFSIGNALED(run->status))
        ending.signal = WTERMSIG(run->status);
    ending.verdict = judge(run, ending.signal);
    if (run->started)
        ending.seconds = (double)(run->stopped - run->started) / 1000;
    ending.stdout_bytes = run->out.bytes;
    ending.stderr_bytes = run->err.bytes;
    ending.stdout_cut = output_cut(&run->out);
    ending.stderr_cut = output_cut(&run->err);
    if (run->result && run_send(run, FRAME_RESULT, run->result, strlen(run->result)) < 0)
        return -1;
    if (output_send_tail(run, &run->out) < 0 || output_send_tail(run, &run->err) < 0)
        return -1;
    run_enter(run, PHASE_ENDED, FLUSH_MS_MAX);
    if (run->zygote)
        run_kill(run); /* the next run begins when it is gone */
    return run_send_text(run, FRAME_EXIT, ending_write(&ending));
}

bool run_is_over(const struct runner_run *run)
{
    if (run->phase != PHASE_ENDING || run->to_server.len >= OUTSIDE_HIGH_WATER)
        return false;
    if (run->result)
        return run->out.drained && run->err.drained;
    return run->reaped && run->child->ends.control < 0 && run->out.fd < 0 && run->err.fd < 0;
}
