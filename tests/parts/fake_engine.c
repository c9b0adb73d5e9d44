/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/parts/fake_engine.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "executor/wire/frame_decoder.h"
#include "helpers/base/json.h"

#define WORD "--fake-runner"

atomic_int fake_faulty = -1;
atomic_int fake_fault, fake_boxes, fake_started, fake_made_of;

/* ---- the runner's side: standard input and output are the stream ---- */

struct fake {
    struct frame_decoder decoder;
    char bytes[4096];
    const char *at;
    size_t have;
    bool slow, serves_session, keeps_silent;
    const char *status;
    uint32_t requests;
    unsigned long cut;
    char *session; /* of its first job */
    int jobs, fault;
};

static const struct frame_rule to_runner[] = {
    {FRAME_JOB, FRAME_JOB_HEAD, FRAME_JOB_CAP, 0},
    {FRAME_ANSWER, 6, FRAME_ANSWER_CAP, 0},
    {FRAME_PING, 0, 0, 0},
    {0},
};

static void put(const void *bytes, size_t len)
{
    const char *at = bytes;

    while (len > 0) {
        ssize_t wrote = write(STDOUT_FILENO, at, len);

        if (wrote <= 0)
            _exit(3);
        at += wrote;
        len -= (size_t)wrote;
    }
}

static void put_frame(enum frame_type type, const void *payload, size_t len)
{
    unsigned char head[FRAME_HEAD_SIZE];

    frame_pack(head, type, (uint32_t)len);
    put(head, sizeof head);
    put(payload, len);
}

static void nap(long ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    nanosleep(&time, NULL);
}

/* The next frame; ends the process where the stream does. With ms >= 0 false when none came so
 * soon. */
static bool get_frame(struct fake *fake, struct frame *frame, int ms)
{
    for (;;) {
        struct pollfd poll_fd = {.fd = STDIN_FILENO, .events = POLLIN};
        ssize_t got;

        switch (frame_decode(&fake->decoder, &fake->at, &fake->have, frame)) {
        case FRAME_BREACH:
            _exit(4);
        case FRAME_COMPLETE:
            return true;
        case FRAME_MORE:
            break;
        }
        if (poll(&poll_fd, 1, ms) == 0)
            return false;
        if (fake->slow)
            nap(1);
        got = read(STDIN_FILENO, fake->bytes, fake->slow ? 64 : sizeof fake->bytes);
        if (got <= 0)
            _exit(0);
        fake->at = fake->bytes;
        fake->have = (size_t)got;
    }
}

static void request(struct fake *fake, const char *path, bool print)
{
    struct frame frame = {0};
    char payload[FRAME_REQUEST_CAP];
    uint32_t id = htonl(++fake->requests);
    int len;

    memcpy(payload, &id, sizeof id);
    len = snprintf(payload + sizeof id, sizeof payload - sizeof id, "%s%s",
                   strncmp(path, "POST", 4) ? "GET " : "", path);
    put_frame(FRAME_REQUEST, payload, sizeof id + (size_t)len);
    while (get_frame(fake, &frame, -1) && frame.type != FRAME_ANSWER)
        ;
    if (print && frame.len >= 6) {
        char text[32];
        uint16_t status;

        memcpy(&status, frame.payload + 4, sizeof status);
        len = snprintf(text, sizeof text, "%u ", ntohs(status));
        put_frame(FRAME_STDOUT, text, (size_t)len);
        put_frame(FRAME_STDOUT, frame.payload + 6, frame.len - 6 < 4096 ? frame.len - 6 : 4096);
    }
}

static void flood(size_t len)
{
    static char bytes[FRAME_OUTPUT_CAP];

    memset(bytes, 'x', sizeof bytes);
    while (len > 0) {
        size_t some = len < sizeof bytes ? len : sizeof bytes;

        put_frame(FRAME_STDOUT, bytes, some);
        len -= some;
    }
}

static void put_hex(enum frame_type type, const char *hex)
{
    unsigned char bytes[256];
    size_t len = 0;
    unsigned byte;

    while (len < sizeof bytes && sscanf(hex + 2 * len, "%2x", &byte) == 1)
        bytes[len++] = (unsigned char)byte;
    put_frame(type, bytes, len);
}

/* Which job of its process this is, and of which session the first was. */
static void print_whose(const struct fake *fake)
{
    char text[256];
    int len = snprintf(text, sizeof text, "%d %s", fake->jobs, fake->session ? fake->session : "-");

    put_frame(FRAME_STDOUT, text, (size_t)len);
}

static void put_result(const char *value, const char *type, const char *error)
{
    json_t *json = json_pack("{s:s?, s:s?, s:s?, s:n, s:i}", "value", value, "error", error,
                             "error_type", type, "line", "exit_code", type ? 1 : 0);
    char *text = json_dumps(json, JSON_COMPACT);

    put_frame(FRAME_RESULT, text, strlen(text));
    free(text);
    json_decref(json);
}

static void do_line(struct fake *fake, char *line)
{
    char *rest = strchr(line, ' ');
    char type[64];

    if (rest)
        *rest++ = '\0';
    else
        rest = line + strlen(line);
    if (strcmp(line, "print") == 0)
        put_frame(FRAME_STDOUT, rest, strlen(rest));
    else if (strcmp(line, "err") == 0)
        put_frame(FRAME_STDERR, rest, strlen(rest));
    else if (strcmp(line, "hex") == 0)
        put_hex(FRAME_STDOUT, rest);
    else if (strcmp(line, "tail") == 0)
        put_hex(FRAME_STDOUT_TAIL, rest);
    else if (strcmp(line, "longtail") == 0) {
        static char bytes[FRAME_TAIL_CAP];

        put_frame(FRAME_STDOUT_TAIL, bytes, strtoul(rest, NULL, 10));
    } else if (strcmp(line, "cut") == 0)
        fake->cut = strtoul(rest, NULL, 10);
    else if (strcmp(line, "figure") == 0)
        put_frame(FRAME_ARTIFACT, rest, strlen(rest));
    else if (strcmp(line, "whose") == 0)
        print_whose(fake);
    else if (strcmp(line, "unready") == 0)
        fake->keeps_silent = true;
    else if (strcmp(line, "flood") == 0)
        flood(strtoul(rest, NULL, 10));
    else if (strcmp(line, "get") == 0)
        request(fake, rest, true);
    else if (strcmp(line, "gets") == 0)
        for (unsigned long i = strtoul(rest, NULL, 10); i > 0; i--)
            request(fake, "/session/s/nodes", i == 1);
    else if (strcmp(line, "value") == 0)
        put_result(rest, NULL, NULL);
    else if (strcmp(line, "raise") == 0 && sscanf(rest, "%63s", type) == 1) {
        put_result(NULL, type, rest);
    } else if (strcmp(line, "sleep") == 0)
        get_frame(fake, &(struct frame){0}, atoi(rest));
    else if (strcmp(line, "deaf") == 0)
        nap(atoi(rest));
    else if (strcmp(line, "slow") == 0)
        fake->slow = true;
    else if (strcmp(line, "die") == 0)
        _exit(1);
    else if (strcmp(line, "garbage") == 0)
        put("HTTP/1.1 200 OK\r\n\r\n", 19);
    else if (strcmp(line, "oversize") == 0)
        put("o\0\0\0\xff\xff\xff\xff", 8);
    else if (strcmp(line, "twice") == 0)
        put_frame(FRAME_STARTED, "", 0);
    else if (strcmp(line, "exit") == 0)
        fake->status = rest;
    else
        _exit(5);
}

static void run_job(struct fake *fake, const struct frame *frame)
{
    json_t *job = json_loadb(frame->payload + FRAME_JOB_HEAD, frame->len - FRAME_JOB_HEAD, 0, NULL);
    const char *session = json_get_string(job, "session_id");
    char *code = strdup(json_get_string(job, "code"));
    char text[256], *line, *save = NULL;
    int len;

    put_frame(FRAME_STARTED, "", 0);
    if (fake->jobs++ == 0)
        fake->session = session ? strdup(session) : NULL;
    else if (!fake->session || !session || strcmp(fake->session, session) != 0)
        put_frame(FRAME_STDOUT, "FOREIGN", 7);
    fake->status = "ok";
    fake->cut = 0;
    for (line = strtok_r(code, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        do_line(fake, line);
    len = snprintf(text, sizeof text,
                   "{\"status\":\"%s\",\"exit_code\":%d,\"signal\":0,\"seconds\":0.25,"
                   "\"stdout_cut\":%lu}",
                   fake->status, strcmp(fake->status, "ok") == 0 ? 0 : 1, fake->cut);
    put_frame(FRAME_EXIT, text, (size_t)len);
    free(code);
    json_decref(job);
}

static void misbehave(int fault)
{
    switch (fault) {
    case FAKE_DIES_WARMING:
        fputs("fake: this is why\n", stderr);
        _exit(1);
    case FAKE_NEVER_READY:
        nap(60000);
        _exit(1);
    case FAKE_GARBAGE_READY:
        put("garbage!garbage!", 16);
        nap(60000);
        _exit(1);
    default:
        break;
    }
}

/* The next job; answers pings until it comes. */
static void get_job(struct fake *fake, struct frame *frame)
{
    while (get_frame(fake, frame, -1) && frame->type != FRAME_JOB) {
        if (frame->type == FRAME_PING && fake->fault != FAKE_NO_PONG)
            put_frame(FRAME_PONG, "", 0);
    }
}

static void put_ready(int fault)
{
    char text[100];
    int len = snprintf(text, sizeof text, "{\"python\":\"%s\",\"landlock_abi\":%d,\"seccomp\":%d}",
                       fault == FAKE_OTHER_PYTHON ? "3.13.5" : "3.11.2",
                       fault == FAKE_NO_LANDLOCK ? 0 : 7, fault != FAKE_NO_SECCOMP);

    put_frame(FRAME_READY, text, (size_t)len);
}

void fake_runner_main(int argc, char **argv)
{
    struct fake fake = {0};
    struct frame frame = {0};

    if (argc != 4 || strcmp(argv[1], WORD) != 0)
        return;
    signal(SIGPIPE, SIG_IGN);
    fake.fault = atoi(argv[2]);
    fake.serves_session = atoi(argv[3]) != ISOLATION_EXECUTION;
    misbehave(fake.fault);
    frame_decoder_init(&fake.decoder, to_runner);
    fake.at = fake.bytes;
    do {
        put_ready(fake.fault);
        get_job(&fake, &frame);
        if (fake.fault == FAKE_DIES_WITH_JOB)
            _exit(1);
        if (fake.fault == FAKE_MUTE)
            nap(60000);
        run_job(&fake, &frame);
    } while (fake.serves_session && !fake.keeps_silent);
    while (get_frame(&fake, &frame, -1)) /* to the end of input */
        ;
    _exit(0);
}

/* ---- the executor's side ---- */

struct engine_box {
    pid_t pid;
    int stream, errors;
    char words[256];
};

static void *fake_open(const struct executor_config *config, struct error *err)
{
    (void)config;
    if (atomic_load(&fake_fault) == FAKE_NO_START) {
        error_set(err, ERROR_UNAVAILABLE, "the fake engine is away");
        return NULL;
    }
    return &fake_boxes;
}

static void fake_close(void *state)
{
    (void)state;
}

static void fake_describe(void *state, char *text, size_t size)
{
    (void)state;
    snprintf(text, size, "code does not run at all");
}

static int fake_what_it_is_made_of(void *state, char text[ENGINE_MADE_OF_CAP], struct error *err)
{
    int version = atomic_load(&fake_made_of);

    (void)state;
    if (version < 0)
        return error_set(err, ERROR_UNAVAILABLE, "the fake engine is away");
    snprintf(text, ENGINE_MADE_OF_CAP, "v%d", version);
    return 0;
}

static int spawn_fake(struct engine_box *box, int stream, int errors, int fault,
                      enum execution_isolation isolation)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    char number[16], serves[16];
    char *argv[] = {"/proc/self/exe", WORD, number, serves, NULL};
    sigset_t none;
    int rc;

    snprintf(number, sizeof number, "%d", fault);
    snprintf(serves, sizeof serves, "%d", (int)isolation);
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, stream, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, stream, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    rc = posix_spawn(&box->pid, argv[0], &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return rc;
}

static struct engine_box *fake_start(void *state, const struct execution_kind *kind,
                                     struct error *err)
{
    struct engine_box *box = calloc(1, sizeof *box);
    int fault = atomic_load(&fake_faulty) != 0 ? atomic_load(&fake_fault) : FAKE_WELL;
    int stream[2], errors[2], rc;

    (void)state;
    atomic_fetch_add(&fake_started, 1);
    if (atomic_load(&fake_faulty) > 0)
        atomic_fetch_sub(&fake_faulty, 1);
    if (!box || fault == FAKE_NO_START ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, stream) < 0 ||
        pipe2(errors, O_CLOEXEC | O_NONBLOCK) < 0) {
        error_set(err, ERROR_UNAVAILABLE, "the fake engine is away");
        free(box);
        return NULL;
    }
    rc = spawn_fake(box, stream[1], errors[1], fault, kind->isolation);
    close(stream[1]);
    close(errors[1]);
    box->stream = stream[0];
    box->errors = errors[0];
    if (rc != 0) {
        error_errno(err, rc, "posix_spawn");
        close(box->stream);
        close(box->errors);
        free(box);
        return NULL;
    }
    atomic_fetch_add(&fake_boxes, 1);
    return box;
}

static int fake_settle(void *state, struct engine_box *box, struct error *err)
{
    (void)state, (void)box;
    if (atomic_load(&fake_fault) == FAKE_NO_SETTLE)
        return error_set(err, ERROR_UNAVAILABLE, "the fake engine does not settle");
    return 0;
}

static void fake_destroy(void *state, struct engine_box *box)
{
    (void)state;
    close(box->stream);
    close(box->errors);
    kill(box->pid, SIGKILL);
    waitpid(box->pid, NULL, 0);
    free(box);
    atomic_fetch_sub(&fake_boxes, 1);
}

static int fake_fd(const struct engine_box *box)
{
    return box->stream;
}

static ssize_t fake_send(struct engine_box *box, const void *bytes, size_t len)
{
    return send(box->stream, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static ssize_t fake_receive(struct engine_box *box, void *bytes, size_t size)
{
    return recv(box->stream, bytes, size, MSG_DONTWAIT);
}

static const char *fake_stderr_tail(struct engine_box *box)
{
    ssize_t got = read(box->errors, box->words, sizeof box->words - 1);

    if (got > 0)
        box->words[strcspn(box->words, "\n")] = '\0';
    return box->words;
}

const struct engine engine_fake = {
    .name = "fake",
    .open = fake_open,
    .close = fake_close,
    .describe = fake_describe,
    .interrupt = fake_close,
    .made_of = fake_what_it_is_made_of,
    .start = fake_start,
    .settle = fake_settle,
    .destroy = fake_destroy,
    .fd = fake_fd,
    .send = fake_send,
    .receive = fake_receive,
    .stderr_tail = fake_stderr_tail,
};
