/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image/runner/run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "image/runner/log_error.h"
#include "image/runner/fork_server.h"
#include "image/runner/run_state.h"

int64_t run_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void run_enter(struct runner_run *run, enum phase phase, int64_t ms)
{
    run->phase = phase;
    run->until = ms ? run_now() + ms : 0;
}

/* Each message wakes the server, on a CPU that the code may be using. */
static void choose_hold(struct runner_run *run, enum frame_type type)
{
    if (type != FRAME_STARTED && type != FRAME_STDOUT && type != FRAME_STDERR)
        run->hold = 0;
    else if (run->to_server.len == 0)
        run->hold = run_now() + HOLD_MS;
}

int run_send(struct runner_run *run, enum frame_type type, const void *payload, size_t len)
{
    choose_hold(run, type);
    if (queue_add_frame(&run->to_server, type, payload, len) < 0)
        return log_error("the queue to the server is full");
    return 0;
}

int run_send_text(struct runner_run *run, enum frame_type type, char *text)
{
    int done = text ? run_send(run, type, text, strlen(text)) : -1;

    free(text);
    return done;
}

static struct output output_of(int *fd, enum frame_type type, enum frame_type tail_type)
{
    struct output output = {.fd = *fd, .type = type, .tail_type = tail_type};

    *fd = -1; /* the run's own from now on */
    return output;
}

void run_attach(struct runner_run *run, struct child *child)
{
    run->child = child;
    run->out = output_of(&child->ends.out, FRAME_STDOUT, FRAME_STDOUT_TAIL);
    run->err = output_of(&child->ends.err, FRAME_STDERR, FRAME_STDERR_TAIL);
    frame_reader_init(&run->from_child, child_frames);
    queue_init(&run->to_child, INSIDE_HIGH_WATER + 2 * FRAME_JOB_CAP);
}

void run_detach(struct runner_run *run)
{
    output_close(&run->out);
    output_close(&run->err);
    child_finish(run->child);
    frame_reader_finish(&run->from_child);
    queue_finish(&run->to_child);
    free(run->result);
    run->result = NULL;
}

int run_hand_job_over(struct runner_run *run)
{
    run_enter(run, PHASE_IMPORTING, IMPORT_MS_MAX);
    return 0;
}

/* One read, all its frames. 1: more may come, 0: the end, -1: breach. */
static int read_frames(struct runner_run *run, int fd, struct frame_reader *reader,
                       int (*take)(struct runner_run *run, const struct frame_reader_piece *piece))
{
    ssize_t got = read(fd, run->chunk, sizeof run->chunk);
    const unsigned char *data = run->chunk;
    size_t len = got > 0 ? (size_t)got : 0;
    struct frame_reader_piece piece;

    if (got <= 0)
        return got < 0 && (errno == EAGAIN || errno == EINTR) ? 1 : 0;
    for (;;) {
        switch (frame_reader_take(reader, &data, &len, &piece)) {
        case FRAME_READER_BREACH:
            return -1;
        case FRAME_READER_MORE:
            return 1;
        case FRAME_READER_PIECE:
            if (take(run, &piece) < 0)
                return -1;
        }
    }
}

static int poll_timeout(const struct runner_run *run)
{
    int64_t now = run_now(), wait = -1;

    if (run->until)
        wait = run->until - now;
    if (run->phase >= PHASE_IMPORTING && run->phase <= PHASE_ASKED && (wait < 0 || wait > WATCH_MS))
        wait = WATCH_MS;
    if (run->rest > now && (wait < 0 || wait > run->rest - now))
        wait = run->rest - now;
    if (run->hold > now && run->to_server.len > 0 && (wait < 0 || wait > run->hold - now))
        wait = run->hold - now;
    if (run->until && wait < 0)
        wait = 0;
    return (int)wait;
}

/* A breach by the interpreter ends the job, one before the job ends the runner. */
static int on_child_breach(struct runner_run *run)
{
    if (!run->has_job)
        return -1;
    run_end(run, VERDICT_CRASH);
    return 0;
}

enum { SERVER_IN, SERVER_OUT, CONTROL, OUT, ERR, SIGNALS, ZYGOTE, DESCRIPTORS };

static void choose_descriptors(const struct runner_run *run, struct pollfd fds[DESCRIPTORS])
{
    bool ended = run->phase >= PHASE_ENDED || run->phase == PHASE_COPYING; /* or not begun */
    bool room_outside = run->to_server.len < OUTSIDE_HIGH_WATER;
    bool room_inside = run->to_child.len < INSIDE_HIGH_WATER;
    bool output = !ended && room_outside && (run->rest <= run_now() || run->reaped);
    bool send = run->to_server.len > 0 && (run->hold <= run_now() || !room_outside);
    short control = (short)((room_outside ? POLLIN : 0) | (run->to_child.len ? POLLOUT : 0));

    /* With no event asked, the end of the other side is still told. */
    fds[SERVER_IN] = (struct pollfd){STDIN_FILENO, room_inside ? POLLIN : 0, 0};
    fds[SERVER_OUT] = (struct pollfd){STDOUT_FILENO, send ? POLLOUT : 0, 0};
    fds[CONTROL] = (struct pollfd){ended ? -1 : run->child->ends.control, control, 0};
    fds[OUT] = (struct pollfd){output ? run->out.fd : -1, POLLIN, 0};
    fds[ERR] = (struct pollfd){output ? run->err.fd : -1, POLLIN, 0};
    fds[SIGNALS] = (struct pollfd){run->signals, POLLIN, 0};
    fds[ZYGOTE] = (struct pollfd){run->zygote ? run->zygote->ends.control : -1, POLLIN, 0};
}

static void close_control(struct runner_run *run)
{
    close(run->child->ends.control);
    run->child->ends.control = -1;
    run->to_child.len = 0;
}

static int serve_child(struct runner_run *run, const struct pollfd *control)
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
        if (run->phase < PHASE_ENDING && !run->reaped && run->verdict == VERDICT_NONE)
            run_enter(run, PHASE_ENDING, ASKED_MS);
    }
    return 0;
}

enum step { STEP_ON, STEP_DONE, STEP_FAILED };

/* From one run to the next, or to the end. */
static enum step go_on(struct runner_run *run)
{
    if (run->phase == PHASE_WARMED)
        return fork_server_begin(run) < 0 ? STEP_FAILED : STEP_ON;
    if (run->phase == PHASE_LINGERING)
        return run_now() < run->until ? STEP_ON : STEP_DONE;
    if (run->phase != PHASE_ENDED || run->to_server.len > 0)
        return STEP_ON;
    if (run->leaving)
        return STEP_DONE;
    if (!run->zygote) {
        run_enter(run, PHASE_LINGERING, LINGER_MS);
        return STEP_ON;
    }
    if (!run->reaped)
        return STEP_ON;
    return fork_server_next(run) < 0 ? STEP_FAILED : STEP_ON;
}

static enum step serve(struct runner_run *run, const struct pollfd fds[DESCRIPTORS])
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
    if (fds[ZYGOTE].revents && fork_server_take(run) < 0)
        return STEP_FAILED;
    if (!was_started && run->started)
        output_forget_warm(run);
    if ((fds[OUT].revents && output_read(run, &run->out) < 0) ||
        (fds[ERR].revents && output_read(run, &run->err) < 0))
        return STEP_FAILED;
    if (fds[SIGNALS].revents)
        run_reap(run);
    run_watch_memory(run);
    if (run->until && run_now() >= run->until && run_on_deadline(run) < 0)
        return STEP_FAILED;
    if (run->result && run->phase == PHASE_ENDING &&
        (output_drain(run, &run->out) < 0 || output_drain(run, &run->err) < 0))
        return STEP_FAILED;
    if (run_is_over(run) && run_finish(run) < 0)
        return STEP_FAILED;
    return go_on(run);
}

static int loop(struct runner_run *run)
{
    struct pollfd fds[DESCRIPTORS];

    for (;;) {
        enum step step;

        choose_descriptors(run, fds);
        if (poll(fds, DESCRIPTORS, poll_timeout(run)) < 0 && errno != EINTR)
            return log_errno("poll");
        step = serve(run, fds);
        if (step != STEP_ON)
            return step == STEP_DONE ? 0 : -1;
    }
}

int run_loop(struct child *child, const struct options *options, int signals)
{
    struct runner_run *run = calloc(1, sizeof *run);
    int done;

    if (!run) {
        log_error("no memory");
        return 1;
    }
    run->options = options;
    run->signals = signals;
    frame_reader_init(&run->from_server, server_frames);
    queue_init(&run->to_server, OUTSIDE_HIGH_WATER + FRAME_ARTIFACT_CAP + (1u << 20));
    run_attach(run, child);
    run_enter(run, PHASE_WARMING, WARM_MS_MAX);
    done = loop(run);
    run_kill(run);
    if (run->zygote)
        child_signal(run->zygote, SIGKILL);
    run_detach(run);
    frame_reader_finish(&run->from_server);
    queue_finish(&run->to_server);
    free(run);
    return done < 0 ? 1 : 0;
}
