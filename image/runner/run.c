/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The runner's loop: it passes frames between the server and the interpreter, enforces the
 * deadline, the caps and the memory limit, and reports how the job ended. One poll loop, one
 * thread, nothing blocks: a server that does not read delays the code, but never a deadline.
 *
 * The phases of a run are WARMING, IDLE, IMPORTING, RUNNING, (ASKED), ENDING, ENDED. ASKED is the
 * short time between the deadline and the kill, in which the interpreter may report where the code
 * was. In a session the first WARMING is that of the zygote, followed by WARMED. Each run then
 * begins with COPYING, in which the runner asks for its interpreter, and a short WARMING
 * (zygote.h). After the run the interpreter is killed and reaped, and its state is reset.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "executor/wire/frame_decoder.h"
#include "image/runner/child.h"
#include "image/runner/kills.h"
#include "image/runner/log_error.h"
#include "image/runner/output.h"
#include "image/runner/runner.h"

#define WARM_MS_MAX   120000 /* from start to ready */
#define COPY_MS_MAX   10000  /* from requesting a copy until it is ready */
#define IMPORT_MS_MAX 20000  /* imports before the job's time limit begins */
#define ASKED_MS      200    /* for the interpreter's report after the deadline */
#define ENDING_MS_MAX 1000   /* from the result to the end of the process */
#define FLUSH_MS_MAX  2000   /* for the server to read the last frames */
/* For the server to hang up: ending processes uses CPU time that its answer needs. */
#define LINGER_MS      50
#define WATCH_MS       50 /* between two checks of the memory */
#define OUTPUT_REST_MS 2  /* between two reads of output, so that small writes are sent together */
#define HOLD_MS        2  /* FRAME_STARTED and output wait, so that a short run is one message */

#define OUTSIDE_HIGH_WATER (1u << 20) /* bytes for the server before reading stops */
#define INSIDE_HIGH_WATER  (1u << 20) /* bytes for the interpreter, likewise */
#define WARM_STDERR_CAP    (8u << 10) /* of what Python writes before the first job */

#define REQUEST_HEAD       4u  /* request id */
#define ANSWER_HEAD        6u  /* request id and status, before an answer's body */
#define PYTHON_CAP         32u /* bytes of the Python version in the interpreter's FRAME_READY */
#define JOB_TIMEOUT_MS_MAX 600000u
#define JOB_OUTPUT_MAX     (1u << 30)
#define CHUNK              (64u << 10)

_Static_assert(CHUNK <= FRAME_OUTPUT_CAP, "one read of output fits one frame");

enum phase {
    PHASE_WARMING,
    PHASE_WARMED,
    PHASE_COPYING,
    PHASE_IDLE,
    PHASE_IMPORTING,
    PHASE_RUNNING,
    PHASE_ASKED,
    PHASE_ENDING,
    PHASE_ENDED,
    PHASE_LINGERING
};

/* How a job ended. */
enum verdict {
    VERDICT_NONE, /* not decided yet */
    VERDICT_OK,   /* the interpreter has sent its result */
    VERDICT_TIMEOUT,
    VERDICT_MEMORY,
    VERDICT_OUTPUT,
    VERDICT_CRASH,
    VERDICT_CANCELLED,
    VERDICT_IMPORT,
};

struct runner_run {
    const struct options *options;
    int signals;
    struct child *zygote; /* in a session, once it is warm; else NULL */
    struct child copy;
    struct child *child; /* of the current run: the only one, or &copy */
    bool leaving;        /* no further run follows */
    enum phase phase;
    int64_t until; /* end of the phase, on the monotonic clock in ms; 0: none */
    int64_t rest;  /* output is not read before this time */
    int64_t hold;  /* nothing is sent to the server before this time */
    int64_t started, stopped;
    bool reaped;
    int status; /* from waitpid */
    bool killed;
    bool has_job;
    bool ran; /* its code runs, or has run: the process is no longer trusted */
    struct frame_job job;
    bool has_result; /* from the interpreter */
    enum verdict verdict;
    uint32_t last_request;
    uint32_t unanswered; /* the open request of the previous run when it ended; 0: none */
    bool waiting_for_answer;
    bool waiting_for_pong;
    unsigned artifacts; /* of this job so far */
    bool answering;     /* the current answer is passed on to the interpreter */
    struct runner_output out, err;
    struct frame_decoder from_server, from_child;
    struct queue to_server, to_child;
    unsigned char chunk[CHUNK];
};

static const struct frame_rule server_frames[] = {
    {FRAME_JOB, FRAME_JOB_HEAD + 2, FRAME_JOB_CAP, 0},
    {FRAME_ANSWER, ANSWER_HEAD, FRAME_ANSWER_CAP, ANSWER_HEAD},
    {FRAME_PING, 0, 0, 0},
    {0},
};

static const struct frame_rule child_frames[] = {
    {FRAME_READY, 1, PYTHON_CAP, 0},
    {FRAME_PONG, 0, 0, 0},
    {FRAME_STARTED, 0, 0, 0},
    {FRAME_CHECKED, 0, 0, 0},
    {FRAME_REQUEST, REQUEST_HEAD + sizeof "GET /" - 1, FRAME_REQUEST_CAP, 0},
    {FRAME_CASE, REQUEST_HEAD + 1, FRAME_CASE_CAP, 0},
    {FRAME_ARTIFACT, 1, FRAME_ARTIFACT_CAP, 0},
    {FRAME_RESULT, 2, FRAME_RESULT_CAP, 0},
    {0},
};

/* A frame, or a piece of one, of a type that the decoder's rules allow. */
typedef int take_frame(struct runner_run *run, const struct frame *piece);
#define FRAME_TYPES (UCHAR_MAX + 1)

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void enter(struct runner_run *run, enum phase phase, int64_t ms)
{
    run->phase = phase;
    run->until = ms ? now_ms() + ms : 0;
}

/* Each message wakes the server, possibly on the CPU that the code is using. */
static void choose_hold(struct runner_run *run, enum frame_type type)
{
    if (type != FRAME_STARTED && type != FRAME_STDOUT && type != FRAME_STDERR &&
        type != FRAME_RESULT)
        run->hold = 0;
    else if (run->to_server.len == 0)
        run->hold = now_ms() + HOLD_MS;
}

static int send_frame(struct runner_run *run, enum frame_type type, const void *payload, size_t len)
{
    choose_hold(run, type);
    if (queue_add_frame(&run->to_server, type, payload, len) < 0)
        return log_error("the queue to the server is full");
    return 0;
}

static void open_output(struct runner_output *output, int *fd, enum frame_type type,
                        enum frame_type tail_type)
{
    memset(output, 0, offsetof(struct runner_output, ring));
    output->fd = *fd;
    output->type = type;
    output->tail_type = tail_type;
    *fd = -1; /* the run owns it from now on */
}

static void close_output(struct runner_output *output)
{
    if (output->fd >= 0)
        close(output->fd);
    output->fd = -1;
    output->drained = true;
}

static void attach(struct runner_run *run, struct child *child)
{
    run->child = child;
    open_output(&run->out, &child->ends.out, FRAME_STDOUT, FRAME_STDOUT_TAIL);
    open_output(&run->err, &child->ends.err, FRAME_STDERR, FRAME_STDERR_TAIL);
    frame_decoder_init(&run->from_child, child_frames);
    queue_init(&run->to_child, INSIDE_HIGH_WATER + 2 * FRAME_JOB_CAP);
}

static void detach(struct runner_run *run)
{
    close_output(&run->out);
    close_output(&run->err);
    child_finish(run->child);
    frame_decoder_finish(&run->from_child);
    queue_finish(&run->to_child);
}

/* ---- the end ---- */

static void kill_child(struct runner_run *run)
{
    if (!run->reaped) {
        run->killed = true;
        child_signal(run->child, SIGKILL);
    }
}

static void stop_clock(struct runner_run *run)
{
    if (run->started && !run->stopped)
        run->stopped = now_ms();
}

static void end_run(struct runner_run *run, enum verdict verdict)
{
    if (run->verdict == VERDICT_NONE)
        run->verdict = verdict;
    stop_clock(run);
    kill_child(run);
    if (run->phase < PHASE_ENDING)
        enter(run, PHASE_ENDING, ENDING_MS_MAX);
}

static void has_ended(struct runner_run *run, int status)
{
    run->reaped = true;
    run->status = status;
    stop_clock(run);
    if (run->phase < PHASE_ENDING)
        enter(run, PHASE_ENDING, ENDING_MS_MAX);
}

/* The first process of a sandbox must reap all orphans. A session has none, and a copy may end
 * before its pid is known, so it is left until then. The zygote's socket reports its end. */
static void reap(struct runner_run *run)
{
    struct signalfd_siginfo info;
    int status;
    pid_t pid;

    while (read(run->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo != SIGCHLD) {
            run->leaving = true;
            end_run(run, VERDICT_CANCELLED);
        }
    }
    if (run->zygote && (run->reaped || run->child->pid == 0))
        return;
    while ((pid = child_wait(run->child, &status)) > 0) {
        if (pid == run->child->pid)
            has_ended(run, status);
    }
}

static int on_deadline(struct runner_run *run)
{
    switch (run->phase) {
    case PHASE_WARMING:
    case PHASE_WARMED:
    case PHASE_COPYING:
        return log_error("Python was not ready after %d s",
                         (run->zygote ? COPY_MS_MAX : WARM_MS_MAX) / 1000);
    case PHASE_IMPORTING:
        end_run(run, VERDICT_IMPORT);
        return 0;
    case PHASE_RUNNING:
        run->verdict = VERDICT_TIMEOUT;
        stop_clock(run);
        child_signal(run->child, SIGALRM);
        enter(run, PHASE_ASKED, ASKED_MS);
        return 0;
    case PHASE_ASKED:
        end_run(run, VERDICT_TIMEOUT);
        return 0;
    case PHASE_ENDING:
        if (run->reaped)
            return log_error("the server does not read");
        if (run->killed)
            return log_error("the interpreter does not end");
        kill_child(run);
        enter(run, PHASE_ENDING, ENDING_MS_MAX);
        return 0;
    case PHASE_LINGERING:
        return 0;
    case PHASE_IDLE:
    case PHASE_ENDED:
        break;
    }
    return log_error("the server does not read");
}

static void watch_memory(struct runner_run *run)
{
    if (run->phase >= PHASE_IMPORTING && run->phase <= PHASE_ASKED &&
        child_resident(run->child) > (unsigned long long)run->options->memory_mb << 20)
        end_run(run, VERDICT_MEMORY);
}

/* Whether the kernel has killed a process for lack of memory since the last call; `unknown` if that
 * is not counted. */
static bool was_oom_killed(const struct runner_run *run, bool unknown)
{
    struct child *first = run->zygote ? run->zygote : run->child;
    unsigned long long before = first->kills;

    return kills_read(first->kills_fd, &first->kills) ? first->kills > before : unknown;
}

static enum verdict judge(const struct runner_run *run, int signal)
{
    if (run->verdict != VERDICT_NONE)
        return run->verdict;
    if (run->has_result)
        return VERDICT_OK;
    if (signal == SIGXCPU)
        return VERDICT_TIMEOUT;
    /* The code cannot send SIGKILL (seccomp.c). */
    return signal == SIGKILL && !run->killed && was_oom_killed(run, true) ? VERDICT_MEMORY
                                                                          : VERDICT_CRASH;
}

static int send_tail(struct runner_run *run, const struct runner_output *output)
{
    size_t len = output_tail_len(output);

    output_tail_copy(output, run->chunk);
    return len > 0 ? send_frame(run, output->tail_type, run->chunk, len) : 0;
}

/* Queues the last frames. */
static int finish_run(struct runner_run *run)
{
    static const char *const words[] = {
        [VERDICT_OK] = "ok",         [VERDICT_TIMEOUT] = "timeout",
        [VERDICT_MEMORY] = "memory", [VERDICT_OUTPUT] = "output",
        [VERDICT_CRASH] = "crash",   [VERDICT_CANCELLED] = "cancelled",
        [VERDICT_IMPORT] = "import",
    };
    int exit_code = !run->has_result && WIFEXITED(run->status) ? WEXITSTATUS(run->status) : -1;
    int signal = !run->has_result && WIFSIGNALED(run->status) ? WTERMSIG(run->status) : 0;
    char text[FRAME_STATUS_CAP];
    int len;

    if (!run->has_job && run->verdict != VERDICT_CANCELLED)
        return log_error("Python ended before there was a job (status 0x%x)",
                         (unsigned)run->status);
    if (send_tail(run, &run->out) < 0 || send_tail(run, &run->err) < 0)
        return -1;
    enter(run, PHASE_ENDED, FLUSH_MS_MAX);
    if (run->zygote)
        kill_child(run); /* the next run must not begin before it is gone */
    len = snprintf(text, sizeof text,
                   "{\"status\":\"%s\",\"exit_code\":%d,\"signal\":%d,\"seconds\":%.3f,"
                   "\"stdout_bytes\":%llu,\"stderr_bytes\":%llu,\"stdout_cut\":%llu,"
                   "\"stderr_cut\":%llu,\"ran\":%s}",
                   words[judge(run, signal)], exit_code, signal,
                   run->started ? (double)(run->stopped - run->started) / 1000 : 0.0,
                   (unsigned long long)run->out.bytes, (unsigned long long)run->err.bytes,
                   (unsigned long long)output_cut(&run->out),
                   (unsigned long long)output_cut(&run->err), run->ran ? "true" : "false");
    return send_frame(run, FRAME_EXIT, text, (size_t)len);
}

/* After a result the pipes contain all output, so the end of a large process need not be awaited.
 * Without a result, the run is over when the process has ended. */
static bool is_over(const struct runner_run *run)
{
    if (run->phase != PHASE_ENDING || run->to_server.len >= OUTSIDE_HIGH_WATER)
        return false;
    if (run->has_result)
        return run->out.drained && run->err.drained;
    return run->reaped && run->child->ends.control < 0 && run->out.fd < 0 && run->err.fd < 0;
}

/* ---- output ---- */

/* What Python writes while it warms up goes to the runner's standard error. */
static void pass_on_warm(struct runner_run *run, struct runner_output *output, size_t len)
{
    size_t room = output->bytes < WARM_STDERR_CAP ? WARM_STDERR_CAP - output->bytes : 0;

    output->bytes += len;
    if (output == &run->err && room > 0)
        (void)!write(STDERR_FILENO, run->chunk, len < room ? len : room);
}

/* Reads once. Returns -1 if the frame could not be queued. */
static int read_output(struct runner_run *run, struct runner_output *output)
{
    ssize_t got = read(output->fd, run->chunk, sizeof run->chunk);
    size_t passed;

    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        output->drained = errno == EAGAIN;
        return 0;
    }
    if (got <= 0) {
        close_output(output);
        return 0;
    }
    run->rest = now_ms() + OUTPUT_REST_MS;
    if (!run->started && !run->has_result) {
        pass_on_warm(run, output, (size_t)got);
        return 0;
    }
    passed = output_take(output, run->chunk, (size_t)got);
    if (passed > 0 && send_frame(run, output->type, run->chunk, passed) < 0)
        return -1;
    if (run->out.bytes + run->err.bytes > run->job.output_limit)
        end_run(run, VERDICT_OUTPUT);
    return 0;
}

/* Reads until the pipe is empty, or until the server must read first. */
static int drain(struct runner_run *run, struct runner_output *output)
{
    while (output->fd >= 0 && !output->drained && run->to_server.len < OUTSIDE_HIGH_WATER) {
        if (read_output(run, output) < 0)
            return -1;
    }
    return 0;
}

/* ---- frames from the server. An invalid one is a bug of the server and ends the runner. ---- */

static int take_job(struct runner_run *run, const struct frame *piece)
{
    if (run->has_job)
        return log_error("a second job");
    if (run->options->session && run->phase != PHASE_IDLE)
        return log_error("a job before the interpreter is ready");
    run->job = frame_job_unpack(piece->payload);
    if (run->job.timeout_ms < 1 || run->job.timeout_ms > JOB_TIMEOUT_MS_MAX ||
        run->job.stdout_cap > JOB_OUTPUT_MAX || run->job.stderr_cap > JOB_OUTPUT_MAX ||
        run->job.tail_cap > FRAME_TAIL_CAP || run->job.output_limit < 1 ||
        run->job.output_limit > JOB_OUTPUT_MAX)
        return log_error("a job whose limits are out of bounds");
    run->has_job = true;
    run->unanswered = 0;
    run->out.cap = run->job.stdout_cap;
    run->err.cap = run->job.stderr_cap;
    run->out.tail_cap = run->err.tail_cap = run->job.tail_cap;
    if (queue_add_frame(&run->to_child, FRAME_JOB, piece->payload + FRAME_JOB_HEAD,
                        piece->len - FRAME_JOB_HEAD) < 0)
        return log_error("no room for the job");
    if (run->phase == PHASE_IDLE)
        enter(run, PHASE_IMPORTING, IMPORT_MS_MAX);
    return 0;
}

static int take_answer(struct runner_run *run, const struct frame *piece)
{
    unsigned char head[FRAME_HEAD_SIZE];

    if (piece->is_first) {
        uint32_t id = frame_get_u32(piece->payload);

        /* The answer was on its way when its run ended. */
        if (!run->has_job && id == run->unanswered) {
            run->unanswered = 0;
            return 0;
        }
        if (!run->waiting_for_answer || id != run->last_request)
            return log_error("an answer to request %u, which nobody waits for", id);
        run->waiting_for_answer = false;
        run->answering = run->phase == PHASE_RUNNING;
        if (!run->answering)
            return 0;
        frame_pack(head, FRAME_ANSWER, piece->total);
        if (queue_add(&run->to_child, head, sizeof head) < 0)
            return log_error("no room for an answer");
    }
    if (run->answering && queue_add(&run->to_child, piece->payload, piece->len) < 0)
        return log_error("no room for an answer");
    return 0;
}

/* Passed on to the interpreter, because the server asks whether that is alive. */
static int take_ping(struct runner_run *run, const struct frame *piece)
{
    (void)piece;
    if (run->phase != PHASE_IDLE)
        return log_error("a ping where none waits for a job");
    if (run->waiting_for_pong)
        return log_error("a ping before the answer to the last");
    if (queue_add_frame(&run->to_child, FRAME_PING, "", 0) < 0)
        return log_error("no room for a ping");
    run->waiting_for_pong = true;
    return 0;
}

static take_frame *const from_server[FRAME_TYPES] = {
    [FRAME_JOB] = take_job, [FRAME_ANSWER] = take_answer, [FRAME_PING] = take_ping};

/* ---- frames from the interpreter, untrusted: type, length, order and form are checked ---- */

static int take_ready(struct runner_run *run, const struct frame *piece)
{
    char text[FRAME_STATUS_CAP];
    int len;

    if (run->phase != PHASE_WARMING)
        return log_error("the interpreter is ready twice");
    if (run->options->session &&
        !run->zygote) { /* this is the zygote; the server gets the FRAME_READY of its copies */
        run->phase = PHASE_WARMED;
        return 0;
    }
    if (strspn(piece->payload, "0123456789abcr.+") != piece->len)
        return log_error("the interpreter's ready does not name its version");
    len = snprintf(
        text, sizeof text, "{\"python\":\"%s\",\"landlock_abi\":%d,\"seccomp\":1,\"exec_once\":%s}",
        piece->payload, run->child->landlock_abi, run->child->exec_once ? "true" : "false");
    if (send_frame(run, FRAME_READY, text, (size_t)len) < 0)
        return -1;
    if (run->has_job)
        enter(run, PHASE_IMPORTING, IMPORT_MS_MAX);
    else
        enter(run, PHASE_IDLE, 0);
    return 0;
}

/* A job may have followed the ping. */
static int take_pong(struct runner_run *run, const struct frame *piece)
{
    (void)piece;
    if (!run->waiting_for_pong)
        return log_error("an answer to no ping");
    run->waiting_for_pong = false;
    return send_frame(run, FRAME_PONG, "", 0);
}

static int take_started(struct runner_run *run, const struct frame *piece)
{
    (void)piece;
    if (run->phase != PHASE_IMPORTING)
        return log_error("the interpreter started what it was not given");
    run->started = now_ms();
    run->rest = run->started + OUTPUT_REST_MS;
    run->artifacts = 0;
    enter(run, PHASE_RUNNING, run->job.timeout_ms);
    return send_frame(run, FRAME_STARTED, "", 0);
}

static int take_checked(struct runner_run *run, const struct frame *piece)
{
    (void)piece;
    if (!run->started || run->ran)
        return log_error("the interpreter runs code that it has not started");
    run->ran = true;
    return 0;
}

/* A frame that the server answers: one at a time, in ascending order. */
static int take_asked(struct runner_run *run, const struct frame *piece, enum frame_type type)
{
    uint32_t id = frame_get_u32(piece->payload);

    if (run->phase == PHASE_ASKED || run->phase == PHASE_ENDING)
        return 0;
    if (run->phase != PHASE_RUNNING)
        return log_error("a request outside a run");
    if (run->waiting_for_answer || id <= run->last_request)
        return log_error("request %u before the answer to %u", id, run->last_request);
    if (type == FRAME_REQUEST &&
        !request_is_get(piece->payload + REQUEST_HEAD, piece->len - REQUEST_HEAD))
        return log_error("request %u is not a GET of a path in ASCII", id);
    run->last_request = id;
    run->waiting_for_answer = true;
    return send_frame(run, type, piece->payload, piece->len);
}

static int take_request(struct runner_run *run, const struct frame *piece)
{
    return take_asked(run, piece, FRAME_REQUEST);
}

static int take_case(struct runner_run *run, const struct frame *piece)
{
    return take_asked(run, piece, FRAME_CASE);
}

static int take_artifact(struct runner_run *run, const struct frame *piece)
{
    if (run->phase == PHASE_ASKED || run->phase == PHASE_ENDING)
        return 0;
    if (run->phase != PHASE_RUNNING || run->has_result)
        return log_error("a figure outside a run");
    if (run->artifacts == FRAME_ARTIFACTS_MAX)
        return log_error("more than %u figures", FRAME_ARTIFACTS_MAX);
    if (!artifact_is_png(piece->payload, piece->len))
        return log_error("a figure that is not a PNG in base64");
    run->artifacts++;
    return send_frame(run, FRAME_ARTIFACT, piece->payload, piece->len);
}

static int take_result(struct runner_run *run, const struct frame *piece)
{
    if (run->has_result)
        return log_error("a second result");
    if (run->phase != PHASE_IMPORTING && run->phase != PHASE_RUNNING && run->phase != PHASE_ASKED)
        return run->phase == PHASE_ENDING ? 0 : log_error("a result without a job");
    run->has_result = true;
    stop_clock(run);
    run->out.drained = run->out.fd < 0;
    run->err.drained = run->err.fd < 0;
    if (run->phase == PHASE_IMPORTING && run->verdict == VERDICT_NONE)
        run->verdict = VERDICT_IMPORT;
    enter(run, PHASE_ENDING, ENDING_MS_MAX);
    return send_frame(run, FRAME_RESULT, piece->payload, piece->len);
}

static take_frame *const from_child[FRAME_TYPES] = {
    [FRAME_READY] = take_ready,     [FRAME_PONG] = take_pong,
    [FRAME_STARTED] = take_started, [FRAME_CHECKED] = take_checked,
    [FRAME_REQUEST] = take_request, [FRAME_ARTIFACT] = take_artifact,
    [FRAME_CASE] = take_case,       [FRAME_RESULT] = take_result};

/* ---- sessions: one copy of the zygote after the other ---- */

/* Requested before the next job arrives, so that no job waits for a clone. */
static int ask_copy(struct runner_run *run)
{
    int done = child_ask_copy(run->zygote, &run->copy);

    attach(run, &run->copy);
    enter(run, PHASE_COPYING, COPY_MS_MAX);
    return done;
}

/* Makes the warm child the zygote. */
static int become_session(struct runner_run *run)
{
    struct child *zygote = run->child;
    int control = zygote->ends.control;

    /* Only the socket remains of its connections to the runner. */
    zygote->ends.control = -1;
    detach(run);
    zygote->ends.control = control;
    run->zygote = zygote;
    return ask_copy(run);
}

/* Handles the zygote's answer. Its end is also the end of the runner. If the kernel killed it
 * because the code took the container's memory, the server must hear that first. */
static int take_copy(struct runner_run *run)
{
    int done = child_take_copy(run->zygote, &run->copy);

    if (done < 0 && run->has_job && was_oom_killed(run, false)) {
        close(run->zygote->ends.control);
        run->zygote->ends.control = -1;
        run->leaving = true;
        end_run(run, VERDICT_MEMORY);
        return 0;
    }
    if (done <= 0)
        return done;
    run->phase = PHASE_WARMING;
    reap(run); /* it may have ended before its pid was known */
    return 0;
}

/* Called when the child is gone and its last frame is sent. The members named here belong to the
 * runner; all others belong to one run and become zero. */
static int next_run(struct runner_run *run)
{
    const struct runner_run kept = {.options = run->options,
                                    .signals = run->signals,
                                    .zygote = run->zygote,
                                    .unanswered = run->waiting_for_answer ? run->last_request
                                                                          : run->unanswered,
                                    .from_server = run->from_server,
                                    .to_server = run->to_server};

    detach(run);
    *run = kept;
    return ask_copy(run);
}

/* ---- the loop ---- */

/* Reads once and handles all frames. Returns 1 if more may come, 0 at the end, -1 on a breach. */
static int read_frames(struct runner_run *run, int fd, struct frame_decoder *decoder,
                       take_frame *const take[FRAME_TYPES])
{
    ssize_t got = read(fd, run->chunk, sizeof run->chunk);
    const char *data = (const char *)run->chunk;
    size_t len = got > 0 ? (size_t)got : 0;
    enum frame_decoded rc;
    struct frame piece;

    if (got <= 0)
        return got < 0 && (errno == EAGAIN || errno == EINTR) ? 1 : 0;
    while ((rc = frame_decode(decoder, &data, &len, &piece)) == FRAME_COMPLETE) {
        if (take[piece.type](run, &piece) < 0)
            return -1;
    }
    return rc == FRAME_MORE ? 1 : log_error("%s", decoder->fault);
}

static int poll_timeout(const struct runner_run *run)
{
    int64_t now = now_ms(), wait = -1;

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

/* A breach by the interpreter ends the job; before the first job it ends the runner. */
static int on_child_breach(struct runner_run *run)
{
    if (!run->has_job)
        return -1;
    end_run(run, VERDICT_CRASH);
    return 0;
}

enum { SERVER_IN, SERVER_OUT, HANG_UP, CONTROL, OUT, ERR, SIGNALS, ZYGOTE, DESCRIPTORS };

static void choose_descriptors(const struct runner_run *run, struct pollfd fds[DESCRIPTORS])
{
    bool ended = run->phase >= PHASE_ENDED || run->phase == PHASE_COPYING; /* or it has not begun */
    bool room_outside = run->to_server.len < OUTSIDE_HIGH_WATER;
    bool room_inside = run->to_child.len < INSIDE_HIGH_WATER;
    bool output = !ended && room_outside && (run->rest <= now_ms() || run->reaped);
    bool send = run->to_server.len > 0 && (run->hold <= now_ms() || !room_outside);
    short control = (short)((room_outside ? POLLIN : 0) | (run->to_child.len ? POLLOUT : 0));

    /* poll reports a closed peer even if no event is requested. */
    fds[SERVER_IN] = (struct pollfd){STDIN_FILENO, room_inside ? POLLIN : 0, 0};
    fds[SERVER_OUT] = (struct pollfd){STDOUT_FILENO, send ? POLLOUT : 0, 0};
    fds[HANG_UP] = (struct pollfd){run->options->hang_up, 0, 0};
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

    if (control->revents & (POLLIN | POLLHUP | POLLERR))
        got = read_frames(run, control->fd, &run->from_child, from_child);
    if (got < 0 && on_child_breach(run) < 0)
        return -1;
    if (got <= 0) {
        close_control(run);
        /* It closed its only connection. If it is dead, it is about to be reaped. */
        if (run->phase < PHASE_ENDING && !run->reaped && run->verdict == VERDICT_NONE)
            enter(run, PHASE_ENDING, ASKED_MS);
    }
    return 0;
}

/* Sends what is queued at once; poll is asked for room only if some of it stays. Returns -1 if the
 * server is gone. */
static int pass_on(struct runner_run *run)
{
    if (run->to_child.len > 0 && queue_flush(&run->to_child, run->child->ends.control) < 0)
        run->to_child.len = 0; /* reading reports the end */
    return run->hold <= now_ms() || run->to_server.len >= OUTSIDE_HIGH_WATER
               ? queue_flush(&run->to_server, STDOUT_FILENO)
               : 0;
}

enum step { STEP_ON, STEP_DONE, STEP_FAILED };

/* Continues with the next run, or ends. */
static enum step go_on(struct runner_run *run)
{
    if (run->phase == PHASE_WARMED)
        return become_session(run) < 0 ? STEP_FAILED : STEP_ON;
    if (run->phase == PHASE_LINGERING)
        return now_ms() < run->until ? STEP_ON : STEP_DONE;
    if (run->phase != PHASE_ENDED || run->to_server.len > 0)
        return STEP_ON;
    if (run->leaving)
        return STEP_DONE;
    if (!run->zygote) {
        enter(run, PHASE_LINGERING, LINGER_MS);
        return STEP_ON;
    }
    if (!run->reaped)
        return STEP_ON;
    return next_run(run) < 0 ? STEP_FAILED : STEP_ON;
}

static enum step serve(struct runner_run *run, const struct pollfd fds[DESCRIPTORS])
{
    bool was_started = run->started != 0;

    if ((fds[SERVER_OUT].revents | fds[HANG_UP].revents) & (POLLERR | POLLHUP | POLLNVAL))
        return STEP_DONE;
    /* A server that hung up does not need what it sent before. */
    if (fds[SERVER_IN].revents & (POLLHUP | POLLERR | POLLNVAL))
        return STEP_DONE;
    if (fds[SERVER_IN].revents & POLLIN) {
        int got = read_frames(run, STDIN_FILENO, &run->from_server, from_server);

        if (got <= 0)
            return got < 0 ? STEP_FAILED : STEP_DONE;
    }
    if (fds[CONTROL].revents && serve_child(run, &fds[CONTROL]) < 0)
        return STEP_FAILED;
    if (fds[ZYGOTE].revents && take_copy(run) < 0)
        return STEP_FAILED;
    if (!was_started && run->started)
        run->out.bytes = run->err.bytes = 0; /* earlier output is not that of the code */
    if ((fds[OUT].revents && read_output(run, &run->out) < 0) ||
        (fds[ERR].revents && read_output(run, &run->err) < 0))
        return STEP_FAILED;
    if (fds[SIGNALS].revents)
        reap(run);
    if (run->until && now_ms() >= run->until && on_deadline(run) < 0)
        return STEP_FAILED;
    if (run->has_result && run->phase == PHASE_ENDING &&
        (drain(run, &run->out) < 0 || drain(run, &run->err) < 0))
        return STEP_FAILED;
    if (is_over(run) && finish_run(run) < 0)
        return STEP_FAILED;
    if (pass_on(run) < 0)
        return STEP_DONE;
    watch_memory(run); /* last, because what is passed on is waited for */
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
    frame_decoder_init(&run->from_server, server_frames);
    queue_init(&run->to_server, OUTSIDE_HIGH_WATER + FRAME_ARTIFACT_CAP + (1u << 20));
    attach(run, child);
    enter(run, PHASE_WARMING, WARM_MS_MAX);
    done = loop(run);
    kill_child(run);
    if (run->zygote)
        child_signal(run->zygote, SIGKILL);
    detach(run);
    frame_decoder_finish(&run->from_server);
    queue_finish(&run->to_server);
    free(run);
    return done < 0 ? 1 : 0;
}
