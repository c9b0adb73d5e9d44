/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image/run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "image/complain.h"
#include "image/run_state.h"

int64_t run_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void run_enter(struct run *run, enum phase phase, int64_t ms)
{
    run->phase = phase;
    run->until = ms ? run_now() + ms : 0;
}

static void kill_child(struct run *run)
{
    if (!run->reaped) {
        run->killed = true;
        kill(run->child->pid, SIGKILL);
    }
}

void run_stop_clock(struct run *run)
{
    if (run->started && !run->stopped)
        run->stopped = run_now();
}

void run_end(struct run *run, enum verdict verdict)
{
    if (run->verdict == VERDICT_NONE)
        run->verdict = verdict;
    run_stop_clock(run);
    kill_child(run);
    if (run->phase < ENDING)
        run_enter(run, ENDING, ENDING_MS_MAX);
}

int run_send(struct run *run, enum frame_type type, const void *payload, size_t len)
{
    if (queue_add_frame(&run->to_server, type, payload, len) < 0)
        return complain("the queue to the server is full");
    return 0;
}

int run_send_text(struct run *run, enum frame_type type, char *text)
{
    int done = text ? run_send(run, type, text, strlen(text)) : -1;

    free(text);
    return done;
}

int run_hand_job_over(struct run *run)
{
    run_enter(run, IMPORTING, IMPORT_MS_MAX);
    return 0;
}

/* ---- descriptors ---- */

/* One read, all its frames. 1: more may come, 0: the end, -1: breach. */
static int read_frames(struct run *run, int fd, struct inlet *inlet,
                       int (*take)(struct run *run, const struct inlet_piece *piece))
{
    ssize_t got = read(fd, run->chunk, sizeof run->chunk);
    const unsigned char *data = run->chunk;
    size_t len = got > 0 ? (size_t)got : 0;
    struct inlet_piece piece;

    if (got <= 0)
        return got < 0 && (errno == EAGAIN || errno == EINTR) ? 1 : 0;
    for (;;) {
        switch (inlet_take(inlet, &data, &len, &piece)) {
        case INLET_BREACH:
            return -1;
        case INLET_MORE:
            return 1;
        case INLET_PIECE:
            if (take(run, &piece) < 0)
                return -1;
        }
    }
}

/* What Python says while it warms goes where the runner's own complaints go. */
static void pass_on_warm(struct run *run, struct output *output, size_t len)
{
    size_t room = output->bytes < WARM_STDERR_CAP ? WARM_STDERR_CAP - output->bytes : 0;

    output->bytes += len;
    if (output == &run->err && room > 0)
        (void)!write(STDERR_FILENO, run->chunk, len < room ? len : room);
}

static int pass_on(struct run *run, struct output *output, size_t len)
{
    uint64_t room = output->cap - output->sent;
    size_t kept = len < room ? len : (size_t)room;

    output->bytes += len;
    output->sent += kept;
    if (kept > 0 && run_send(run, output->type, run->chunk, kept) < 0)
        return -1;
    if (run->out.bytes + run->err.bytes > run->job.output_limit)
        run_end(run, VERDICT_OUTPUT);
    return 0;
}

static int read_output(struct run *run, struct output *output)
{
    ssize_t got = read(output->fd, run->chunk, sizeof run->chunk);

    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        output->drained = errno == EAGAIN;
        return 0;
    }
    if (got <= 0) {
        close(output->fd);
        output->fd = -1;
        output->drained = true;
        return 0;
    }
    run->rest = run_now() + OUTPUT_REST_MS;
    if (!run->started && !run->result) {
        pass_on_warm(run, output, (size_t)got);
        return 0;
    }
    return pass_on(run, output, (size_t)got);
}

/* Reads on until nothing is left in the pipe, or the server must read first. */
static int drain(struct run *run, struct output *output)
{
    while (output->fd >= 0 && !output->drained && run->to_server.len < OUTSIDE_HIGH_WATER) {
        if (read_output(run, output) < 0)
            return -1;
    }
    return 0;
}

/* What was said before the clock started is no output of the code. */
static void forget_warm_output(struct run *run)
{
    run->out.bytes = run->err.bytes = 0;
}

/* As PID 1 of a container every orphan is ours. */
static void reap(struct run *run)
{
    struct signalfd_siginfo info;
    int status;
    pid_t pid;

    while (read(run->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo != SIGCHLD)
            run_end(run, VERDICT_CANCELLED);
    }
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid != run->child->pid)
            continue;
        run->reaped = true;
        run->status = status;
        run_stop_clock(run);
        if (run->phase < ENDING)
            run_enter(run, ENDING, ENDING_MS_MAX);
    }
}

/* ---- time ---- */

static int on_deadline(struct run *run)
{
    switch (run->phase) {
    case WARMING:
        return complain("Python was not ready after %d s", WARM_MS_MAX / 1000);
    case IMPORTING:
        run_end(run, VERDICT_IMPORT);
        return 0;
    case RUNNING:
        run->verdict = VERDICT_TIMEOUT;
        run_stop_clock(run);
        kill(run->child->pid, SIGALRM);
        run_enter(run, ASKED, ASKED_MS);
        return 0;
    case ASKED:
        run_end(run, VERDICT_TIMEOUT);
        return 0;
    case ENDING:
        if (run->reaped)
            return complain("the server does not read");
        if (run->killed)
            return complain("the interpreter does not end");
        kill_child(run);
        run_enter(run, ENDING, ENDING_MS_MAX);
        return 0;
    case IDLE:
    case ENDED:
        break;
    }
    return complain("the server does not read");
}

static void watch_memory(struct run *run)
{
    if (run->phase >= IMPORTING && run->phase <= ASKED &&
        child_resident(run->child) > (unsigned long long)run->options->memory_mb << 20)
        run_end(run, VERDICT_MEMORY);
}

static int poll_timeout(const struct run *run)
{
    int64_t now = run_now(), wait = -1;

    if (run->until)
        wait = run->until - now;
    if (run->phase >= IMPORTING && run->phase <= ASKED && (wait < 0 || wait > WATCH_MS))
        wait = WATCH_MS;
    if (run->rest > now && (wait < 0 || wait > run->rest - now))
        wait = run->rest - now;
    if (run->until && wait < 0)
        wait = 0;
    return (int)wait;
}

/* ---- the end ---- */

static enum verdict judge(const struct run *run, int signal)
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

/* The last frames. */
static int finish(struct run *run)
{
    struct ending ending = {.exit_code = -1};

    if (!run->has_job && run->verdict != VERDICT_CANCELLED)
        return complain("Python ended before there was a job (status 0x%x)", (unsigned)run->status);
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
    ending.stdout_cut = run->out.bytes - run->out.sent;
    ending.stderr_cut = run->err.bytes - run->err.sent;
    if (run->result && run_send(run, FRAME_RESULT, run->result, strlen(run->result)) < 0)
        return -1;
    run_enter(run, ENDED, FLUSH_MS_MAX);
    return run_send_text(run, FRAME_EXIT, ending_write(&ending));
}

/* With a result all output has been written before it: what is in the pipes is all there is, and
 * nobody waits for a process of many pages to be taken down. Without one, its end tells. */
static bool is_over(struct run *run)
{
    if (run->phase != ENDING || run->to_server.len >= OUTSIDE_HIGH_WATER)
        return false;
    if (run->result)
        return run->out.drained && run->err.drained;
    return run->reaped && run->child->control < 0 && run->out.fd < 0 && run->err.fd < 0;
}

/* A breach by the interpreter ends the job, one before the job ends the runner. */
static int on_child_breach(struct run *run)
{
    if (!run->has_job)
        return -1;
    run_end(run, VERDICT_CRASH);
    return 0;
}

enum { SERVER_IN, SERVER_OUT, CONTROL, OUT, ERR, SIGNALS, DESCRIPTORS };

static void choose_descriptors(const struct run *run, struct pollfd fds[DESCRIPTORS])
{
    bool ended = run->phase == ENDED;
    bool room_outside = run->to_server.len < OUTSIDE_HIGH_WATER;
    bool room_inside = run->to_child.len < INSIDE_HIGH_WATER;
    bool output = !ended && room_outside && (run->rest <= run_now() || run->reaped);
    short control = (short)((room_outside ? POLLIN : 0) | (run->to_child.len ? POLLOUT : 0));

    /* With no event asked, the end of the other side is still told. */
    fds[SERVER_IN] = (struct pollfd){STDIN_FILENO, room_inside ? POLLIN : 0, 0};
    fds[SERVER_OUT] = (struct pollfd){STDOUT_FILENO, run->to_server.len ? POLLOUT : 0, 0};
    fds[CONTROL] = (struct pollfd){ended ? -1 : run->child->control, control, 0};
    fds[OUT] = (struct pollfd){output ? run->out.fd : -1, POLLIN, 0};
    fds[ERR] = (struct pollfd){output ? run->err.fd : -1, POLLIN, 0};
    fds[SIGNALS] = (struct pollfd){run->signals, POLLIN, 0};
}

static void close_control(struct run *run)
{
    close(run->child->control);
    run->child->control = -1;
    run->to_child.len = 0;
}

static int serve_child(struct run *run, const struct pollfd *control)
{
    int got = 1;

    if ((control->revents & POLLOUT) && queue_flush(&run->to_child, control->fd) < 0)
        run->to_child.len = 0; /* its end is told by reading */
    if (control->revents & (POLLIN | POLLHUP | POLLERR))
        got = read_frames(run, control->fd, &run->from_child, run_take_from_child);
    if (got < 0 && on_child_breach(run) < 0)
        return -1;
    if (got <= 0) {
        close_control(run);
        /* It has closed its only way to speak. A dead one is about to be reaped. */
        if (run->phase < ENDING && !run->reaped && run->verdict == VERDICT_NONE)
            run_enter(run, ENDING, ASKED_MS);
    }
    return 0;
}

enum step { STEP_ON, STEP_DONE, STEP_FAILED };

static enum step serve(struct run *run, const struct pollfd fds[DESCRIPTORS])
{
    bool was_started = run->started != 0;

    if (fds[SERVER_OUT].revents & (POLLERR | POLLHUP | POLLNVAL))
        return STEP_DONE;
    if ((fds[SERVER_OUT].revents & POLLOUT) && queue_flush(&run->to_server, STDOUT_FILENO) < 0)
        return STEP_DONE;
    /* A server that hung up wants nothing of what it sent before. */
    if (fds[SERVER_IN].revents & (POLLHUP | POLLERR | POLLNVAL))
        return STEP_DONE;
    if (fds[SERVER_IN].revents & POLLIN) {
        int got = read_frames(run, STDIN_FILENO, &run->from_server, run_take_from_server);

        if (got <= 0)
            return got < 0 ? STEP_FAILED : STEP_DONE;
    }
    if (fds[CONTROL].revents && serve_child(run, &fds[CONTROL]) < 0)
        return STEP_FAILED;
    if (!was_started && run->started)
        forget_warm_output(run);
    if ((fds[OUT].revents && read_output(run, &run->out) < 0) ||
        (fds[ERR].revents && read_output(run, &run->err) < 0))
        return STEP_FAILED;
    if (fds[SIGNALS].revents)
        reap(run);
    watch_memory(run);
    if (run->until && run_now() >= run->until && on_deadline(run) < 0)
        return STEP_FAILED;
    if (run->result && run->phase == ENDING &&
        (drain(run, &run->out) < 0 || drain(run, &run->err) < 0))
        return STEP_FAILED;
    if (is_over(run) && finish(run) < 0)
        return STEP_FAILED;
    return run->phase == ENDED && run->to_server.len == 0 ? STEP_DONE : STEP_ON;
}

static int loop(struct run *run)
{
    struct pollfd fds[DESCRIPTORS];

    for (;;) {
        enum step step;

        choose_descriptors(run, fds);
        if (poll(fds, DESCRIPTORS, poll_timeout(run)) < 0 && errno != EINTR)
            return complain_errno("poll");
        step = serve(run, fds);
        if (step != STEP_ON)
            return step == STEP_DONE ? 0 : -1;
    }
}

int run_loop(struct child *child, const struct options *options, int signals)
{
    struct run *run = calloc(1, sizeof *run);
    int done;

    if (!run) {
        complain("no memory");
        return 1;
    }
    run->child = child;
    run->options = options;
    run->signals = signals;
    run->out = (struct output){.fd = child->out, .type = FRAME_STDOUT};
    run->err = (struct output){.fd = child->err, .type = FRAME_STDERR};
    inlet_init(&run->from_server, server_frames);
    inlet_init(&run->from_child, child_frames);
    queue_init(&run->to_server, OUTSIDE_HIGH_WATER + FRAME_ARTIFACT_CAP + (1u << 20));
    queue_init(&run->to_child, INSIDE_HIGH_WATER + 2 * FRAME_JOB_CAP);
    run_enter(run, WARMING, WARM_MS_MAX);
    done = loop(run);
    kill_child(run);
    inlet_finish(&run->from_server);
    inlet_finish(&run->from_child);
    queue_finish(&run->to_server);
    queue_finish(&run->to_child);
    free(run->result);
    free(run);
    return done < 0 ? 1 : 0;
}
