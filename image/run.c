/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image/run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "image/complain.h"
#include "image/inlet.h"
#include "image/job.h"
#include "image/queue.h"

#define CHUNK       (64u << 10)
#define ANSWER_HEAD 6u /* request id and status, in front of an answer's body */
#define REQUEST_HEAD 4u

_Static_assert(CHUNK <= FRAME_OUTPUT_CAP, "one read of output fits one frame");

enum phase { WARMING, IDLE, IMPORTING, RUNNING, ASKED, ENDING, ENDED };

/* One of the interpreter's two output pipes. */
struct output {
    int fd; /* -1 after its end */
    enum frame_type type;
    uint64_t cap, bytes, sent;
};

struct run {
    struct child *child;
    const struct options *options;
    int signals;
    enum phase phase;
    int64_t until; /* of the phase, on the monotonic clock in ms; 0: no end */
    int64_t rest;  /* output is not read before */
    int64_t started, stopped;
    bool reaped;
    int status; /* of wait */
    bool killed;
    bool has_job;
    struct job job;
    enum verdict verdict;
    uint32_t last_request;
    bool waiting_for_answer;
    bool answering; /* the answer that is coming in goes on to the interpreter */
    char *result;   /* the interpreter's, rewritten; owned */
    struct result_facts facts;
    struct output out, err;
    struct inlet from_server, from_child;
    struct queue to_server, to_child;
    unsigned char chunk[CHUNK];
};

static const struct inlet_rule server_frames[] = {
    {FRAME_JOB, 2, FRAME_JOB_CAP, 0},
    {FRAME_ANSWER, ANSWER_HEAD, FRAME_ANSWER_CAP, ANSWER_HEAD},
    {FRAME_CANCEL, 0, 0, 0},
    {0},
};

static const struct inlet_rule child_frames[] = {
    {FRAME_READY, 2, FRAME_STATUS_CAP, 0},
    {FRAME_STARTED, 0, 0, 0},
    {FRAME_REQUEST, REQUEST_HEAD + sizeof "GET /" - 1, FRAME_REQUEST_CAP, 0},
    {FRAME_RESULT, 2, FRAME_RESULT_CAP, 0},
    {0},
};

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void enter(struct run *run, enum phase phase, int64_t ms)
{
    run->phase = phase;
    run->until = ms ? now_ms() + ms : 0;
}

static void kill_child(struct run *run)
{
    if (!run->reaped) {
        run->killed = true;
        kill(run->child->pid, SIGKILL);
    }
}

static void stop_clock(struct run *run)
{
    if (run->started && !run->stopped)
        run->stopped = now_ms();
}

/* Decides how the run ended, unless that is decided, and ends it. */
static void end(struct run *run, enum verdict verdict)
{
    if (run->verdict == VERDICT_NONE)
        run->verdict = verdict;
    stop_clock(run);
    kill_child(run);
    if (run->phase < ENDING)
        enter(run, ENDING, ENDING_MS_MAX);
}

static int send_frame(struct run *run, enum frame_type type, const void *payload, size_t len)
{
    if (queue_add_frame(&run->to_server, type, payload, len) < 0)
        return complain("the queue to the server is full");
    return 0;
}

static int send_text(struct run *run, enum frame_type type, char *text)
{
    int done = text ? send_frame(run, type, text, strlen(text)) : -1;

    free(text);
    return done;
}

/* ---- from the interpreter: untrusted ---- */

static int hand_job_over(struct run *run)
{
    enter(run, IMPORTING, IMPORT_MS_MAX);
    return 0;
}

static int take_ready(struct run *run, const struct inlet_piece *piece)
{
    if (run->phase != WARMING)
        return complain("the interpreter is ready twice");
    if (send_text(run, FRAME_READY,
                  ready_write(piece->data, piece->data_len, run->child->landlock_abi,
                              run->child->exec_once)) < 0)
        return -1;
    if (run->has_job)
        return hand_job_over(run);
    enter(run, IDLE, 0);
    return 0;
}

static int take_started(struct run *run, const struct inlet_piece *piece)
{
    (void)piece;
    if (run->phase != IMPORTING)
        return complain("the interpreter started what it was not given");
    run->started = now_ms();
    enter(run, RUNNING, run->job.timeout_ms);
    return send_frame(run, FRAME_STARTED, "", 0);
}

static bool is_target(const unsigned char *text, size_t len)
{
    if (len < 5 || memcmp(text, "GET /", 5) != 0)
        return false;
    for (size_t i = 4; i < len; i++) {
        if (text[i] <= ' ' || text[i] > '~')
            return false;
    }
    return true;
}

static int take_request(struct run *run, const struct inlet_piece *piece)
{
    const unsigned char *data = piece->data;
    uint32_t id = (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 | (uint32_t)data[2] << 8 |
                  (uint32_t)data[3];

    if (run->phase == ASKED || run->phase == ENDING)
        return 0;
    if (run->phase != RUNNING)
        return complain("a request outside a run");
    if (run->waiting_for_answer || id <= run->last_request)
        return complain("request %u before the answer to %u", id, run->last_request);
    if (!is_target(data + REQUEST_HEAD, piece->data_len - REQUEST_HEAD))
        return complain("request %u is no GET of a path in plain ASCII", id);
    run->last_request = id;
    run->waiting_for_answer = true;
    return send_frame(run, FRAME_REQUEST, data, piece->data_len);
}

static int take_result(struct run *run, const struct inlet_piece *piece)
{
    if (run->result)
        return complain("a second result");
    if (run->phase != IMPORTING && run->phase != RUNNING && run->phase != ASKED)
        return run->phase == ENDING ? 0 : complain("a result without a job");
    run->result = result_write(piece->data, piece->data_len, &run->facts);
    if (!run->result)
        return -1;
    stop_clock(run);
    if (run->phase == IMPORTING && run->verdict == VERDICT_NONE)
        run->verdict = VERDICT_IMPORT;
    enter(run, ENDING, ENDING_MS_MAX);
    return 0;
}

static int take_from_child(struct run *run, const struct inlet_piece *piece)
{
    static const struct {
        unsigned char type;
        int (*take)(struct run *run, const struct inlet_piece *piece);
    } takers[] = {{FRAME_READY, take_ready},
                  {FRAME_STARTED, take_started},
                  {FRAME_REQUEST, take_request},
                  {FRAME_RESULT, take_result}};

    for (size_t i = 0; i < sizeof takers / sizeof *takers; i++) {
        if (takers[i].type == piece->type)
            return takers[i].take(run, piece);
    }
    return -1;
}

/* ---- from the server ---- */

static int take_job(struct run *run, const struct inlet_piece *piece)
{
    if (run->has_job)
        return complain("a second job");
    if (job_read(&run->job, piece->data, piece->data_len) < 0)
        return -1;
    run->has_job = true;
    run->out.cap = run->job.stdout_cap;
    run->err.cap = run->job.stderr_cap;
    if (queue_add_frame(&run->to_child, FRAME_JOB, piece->data, piece->data_len) < 0)
        return complain("no room for the job");
    return run->phase == IDLE ? hand_job_over(run) : 0;
}

static int take_answer(struct run *run, const struct inlet_piece *piece)
{
    unsigned char head[FRAME_HEAD_SIZE];

    if (piece->first) {
        const unsigned char *data = piece->data;
        uint32_t id = (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 |
                      (uint32_t)data[2] << 8 | (uint32_t)data[3];

        if (!run->waiting_for_answer || id != run->last_request)
            return complain("an answer to request %u, which nobody waits for", id);
        run->waiting_for_answer = false;
        run->answering = run->phase == RUNNING;
        if (!run->answering)
            return 0;
        frame_pack(head, FRAME_ANSWER, piece->len);
        if (queue_add(&run->to_child, head, sizeof head) < 0)
            return complain("no room for an answer");
    }
    if (run->answering && queue_add(&run->to_child, piece->data, piece->data_len) < 0)
        return complain("no room for an answer");
    return 0;
}

static int take_cancel(struct run *run, const struct inlet_piece *piece)
{
    (void)piece;
    end(run, VERDICT_CANCELLED);
    return 0;
}

static int take_from_server(struct run *run, const struct inlet_piece *piece)
{
    static const struct {
        unsigned char type;
        int (*take)(struct run *run, const struct inlet_piece *piece);
    } takers[] = {
        {FRAME_JOB, take_job}, {FRAME_ANSWER, take_answer}, {FRAME_CANCEL, take_cancel}};

    for (size_t i = 0; i < sizeof takers / sizeof *takers; i++) {
        if (takers[i].type == piece->type)
            return takers[i].take(run, piece);
    }
    return -1;
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
    if (kept > 0 && send_frame(run, output->type, run->chunk, kept) < 0)
        return -1;
    if (run->out.bytes + run->err.bytes > run->job.output_limit)
        end(run, VERDICT_OUTPUT);
    return 0;
}

static int read_output(struct run *run, struct output *output)
{
    ssize_t got = read(output->fd, run->chunk, sizeof run->chunk);

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (got <= 0) {
        close(output->fd);
        output->fd = -1;
        return 0;
    }
    run->rest = now_ms() + OUTPUT_REST_MS;
    if (!run->started && !run->result) {
        pass_on_warm(run, output, (size_t)got);
        return 0;
    }
    return pass_on(run, output, (size_t)got);
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
            end(run, VERDICT_CANCELLED);
    }
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid != run->child->pid)
            continue;
        run->reaped = true;
        run->status = status;
        stop_clock(run);
        if (run->phase < ENDING)
            enter(run, ENDING, ENDING_MS_MAX);
    }
}

/* ---- time ---- */

static int on_deadline(struct run *run)
{
    switch (run->phase) {
    case WARMING:
        return complain("Python was not ready after %d s", WARM_MS_MAX / 1000);
    case IMPORTING:
        end(run, VERDICT_IMPORT);
        return 0;
    case RUNNING:
        run->verdict = VERDICT_TIMEOUT;
        stop_clock(run);
        kill(run->child->pid, SIGALRM);
        enter(run, ASKED, ASKED_MS);
        return 0;
    case ASKED:
        end(run, VERDICT_TIMEOUT);
        return 0;
    case ENDING:
        if (run->reaped)
            return complain("the server does not read");
        if (run->killed)
            return complain("the interpreter does not end");
        kill_child(run);
        enter(run, ENDING, ENDING_MS_MAX);
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
        end(run, VERDICT_MEMORY);
}

static int poll_timeout(const struct run *run)
{
    int64_t now = now_ms(), wait = -1;

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

static enum verdict judge(const struct run *run, int exit_code, int signal)
{
    if (run->verdict != VERDICT_NONE)
        return run->verdict;
    if (run->result) {
        if (run->facts.memory)
            return VERDICT_MEMORY;
        return run->facts.failed || exit_code > 0 ? VERDICT_ERROR : VERDICT_OK;
    }
    if (signal == SIGXCPU)
        return VERDICT_TIMEOUT;
    return signal == SIGKILL && !run->killed ? VERDICT_MEMORY : VERDICT_CRASH;
}

static int finish(struct run *run)
{
    struct ending ending = {.exit_code = -1};

    if (!run->has_job && run->verdict != VERDICT_CANCELLED)
        return complain("Python ended before there was a job (status 0x%x)", (unsigned)run->status);
    if (WIFEXITED(run->status))
        ending.exit_code = WEXITSTATUS(run->status);
    else if (WIFSIGNALED(run->status))
        ending.signal = WTERMSIG(run->status);
    ending.verdict = judge(run, ending.exit_code, ending.signal);
    if (run->started)
        ending.seconds = (double)(run->stopped - run->started) / 1000;
    ending.stdout_bytes = run->out.bytes;
    ending.stderr_bytes = run->err.bytes;
    ending.stdout_cut = run->out.bytes - run->out.sent;
    ending.stderr_cut = run->err.bytes - run->err.sent;
    if (run->result && send_frame(run, FRAME_RESULT, run->result, strlen(run->result)) < 0)
        return -1;
    enter(run, ENDED, FLUSH_MS_MAX);
    return send_text(run, FRAME_EXIT, ending_write(&ending));
}

/* A breach by the interpreter ends the job, one before the job ends the runner. */
static int on_child_breach(struct run *run)
{
    if (!run->has_job)
        return -1;
    end(run, VERDICT_CRASH);
    return 0;
}

enum { SERVER_IN, SERVER_OUT, CONTROL, OUT, ERR, SIGNALS, DESCRIPTORS };

static void choose_descriptors(const struct run *run, struct pollfd fds[DESCRIPTORS])
{
    bool ended = run->phase == ENDED;
    bool room_outside = run->to_server.len < OUTSIDE_HIGH_WATER;
    bool room_inside = run->to_child.len < INSIDE_HIGH_WATER;
    bool output = !ended && room_outside && (run->rest <= now_ms() || run->reaped);
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
        got = read_frames(run, control->fd, &run->from_child, take_from_child);
    if (got < 0 && on_child_breach(run) < 0)
        return -1;
    if (got <= 0) {
        close_control(run);
        /* It has closed its only way to speak. A dead one is about to be reaped. */
        if (run->phase < ENDING && !run->reaped && run->verdict == VERDICT_NONE)
            enter(run, ENDING, ASKED_MS);
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
        int got = read_frames(run, STDIN_FILENO, &run->from_server, take_from_server);

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
    if (run->until && now_ms() >= run->until && on_deadline(run) < 0)
        return STEP_FAILED;
    if (run->reaped && run->phase == ENDING && run->child->control < 0 && run->out.fd < 0 &&
        run->err.fd < 0 && finish(run) < 0)
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

    if (!run)
        return complain("no memory") ? 1 : 1;
    run->child = child;
    run->options = options;
    run->signals = signals;
    run->out = (struct output){.fd = child->out, .type = FRAME_STDOUT};
    run->err = (struct output){.fd = child->err, .type = FRAME_STDERR};
    inlet_init(&run->from_server, server_frames);
    inlet_init(&run->from_child, child_frames);
    queue_init(&run->to_server, OUTSIDE_HIGH_WATER + (1u << 20));
    queue_init(&run->to_child, INSIDE_HIGH_WATER + 2 * FRAME_JOB_CAP);
    enter(run, WARMING, WARM_MS_MAX);
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
