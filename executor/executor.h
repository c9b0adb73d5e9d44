/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs judged analysis code in sandboxes: a Docker container, or the same runner under bubblewrap
 * where no Docker daemon answers. Sandboxes of each kind wait warm, and a job takes one. By the
 * setting of the isolation it is destroyed after that one job and another is started, or it stays
 * with the session whose job it ran, and each further job of that session runs in it in a process
 * forked from the same clean interpreter.
 *
 * Threads: the executor has one libuv loop on a thread of its own, and a small work queue for what
 * blocks (Docker's API, process starts). Functions here may be called from any thread; callbacks
 * run on the executor's thread and must not block.
 */
#ifndef LECTERN_EXECUTOR_H
#define LECTERN_EXECUTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "helpers/base/cancel.h"
#include "helpers/base/error.h"

#define EXECUTION_TIMEOUT_MS_DEFAULT 5000u
#define EXECUTION_TIMEOUT_MS_MAX     60000u      /* most that a server may be set to */
#define EXECUTION_STDOUT_CAP         (64u << 10) /* bytes kept of standard output's beginning */
#define EXECUTION_STDERR_CAP         (16u << 10)
#define EXECUTION_TAIL_CAP           (8u << 10) /* and of the end of each, where it was cut */
#define EXECUTION_ARTIFACTS_CAP      8u         /* figures of one run */
#define EXECUTION_OUTPUT_LIMIT                                                                     \
    (16u << 20)                        /* bytes written in all, after which the run is ended       \
                                        */
#define EXECUTION_IMPORT_MS_MAX 20000u /* importing before the clock starts */
#define EXECUTION_PROFILE_CAP   32u    /* bytes of a profile's name with its NUL */
#define EXECUTION_WAIT_MS_MAX   30000u /* waiting for a sandbox */
#define EXECUTION_WAITING_CAP   64u /* jobs that may wait for a sandbox; one more is ERROR_BUSY */
#define EXECUTION_SESSION_WAITING_CAP                                                              \
    48u /* of them of one session, or without one: a flood leaves room for others */
#define EXECUTION_REQUEST_MS_MAX 10000u /* one helper request; then it is answered 504 */
#define EXECUTION_REQUESTS_CAP   20000u /* helper requests of one run */
#define EXECUTION_ANSWERS_CAP    ((size_t)256 << 20) /* bytes of all helper answers of one run */

/* Whom a sandbox serves. */
enum execution_isolation {
    ISOLATION_EXECUTION, /* one job, then it is destroyed */
    ISOLATION_SESSION,   /* the jobs of one session, each in a process forked for it */
};

/* A kind of sandbox: what it has imported before a job comes, how much memory it has, how many of
 * it wait. */
struct execution_kind {
    const char *name;           /* "bare", "data", "plot" */
    const char *const *preload; /* modules imported while warming, NULL-terminated */
    unsigned memory_mb;
    unsigned waiting;
    enum execution_isolation isolation; /* as the executor is set, in what it gives its engine */
};
extern const struct execution_kind execution_kinds[]; /* ends with a NULL name */

enum execution_status {
    EXECUTION_OK,
    EXECUTION_RUNTIME, /* the code raised, or exited with a status other than 0 */
    EXECUTION_TIMEOUT,
    EXECUTION_MEMORY,
    EXECUTION_OUTPUT, /* ended for writing too much */
    EXECUTION_CANCELLED,
    EXECUTION_CRASH,        /* the interpreter died: signal, abort */
    EXECUTION_BUSY,         /* waited too long for a sandbox */
    EXECUTION_ENGINE,       /* the sandbox could not be had, or broke */
    EXECUTION_DISAGREEMENT, /* did not run: the judgement inside refuses what was judged outside */
};
const char *execution_status_name(enum execution_status status); /* "ok", "runtime", ...; static */

struct execution_artifact {
    const char *mime;   /* "image/png" */
    const char *base64; /* NUL-terminated; of the code's making, its form alone is checked */
    size_t len;         /* of base64 */
};

struct execution_result {
    enum execution_status status;
    const char *kind;        /* of the sandbox that was asked for */
    const char *stdout_text; /* valid UTF-8 (what was not is replaced), NUL-terminated; borrowed
                                during the callback. Where something was cut, what came before the
                                cut, and then what came last */
    size_t stdout_len;
    size_t stdout_head; /* where stdout_cut bytes are missing; stdout_len when none are */
    const char *stderr_text;
    size_t stderr_len;
    size_t stderr_head;
    const char *value; /* repr of the last expression's value; where it has none, of what the code
                          bound to the name result; or NULL */
    bool value_bound;  /* the latter: the code has named it, and not asked for it to be shown */
    const char *error; /* the user's own traceback lines and the error line; or, where the engine
                          failed, what failed and what fixes it; NULL when all is well */
    const char *error_type; /* "KeyError", or NULL */
    long error_line;        /* of the code, where it failed; 0: not known */
    uint64_t stdout_cut;    /* bytes thrown away beyond the cap */
    uint64_t stderr_cut;
    const struct execution_artifact *artifacts; /* figures, in the order they were made */
    size_t artifact_count;
    int exit_code;  /* the code's own; 124 after a timeout, 137 after memory, 127 without an engine
                     */
    double seconds; /* the code's own running time */
    double waited;  /* seconds before it ran: for a sandbox, and importing */
};

/* One request of the session API from inside a run. The broker answers exactly once, from any
 * thread, with executor_answer, also when the run has ended meanwhile. */
struct broker_request;
const char *
broker_request_session(const struct broker_request *request); /* the job's, never the code's word */
const char *broker_request_target(
    const struct broker_request *request); /* "/session/SID/nodes?limit=5"; GET only */
/* Fires when nobody waits for the answer any more: the run has ended, or the request took longer
 * than it may. A reference of the caller's, NULL without memory. Within on_request only. */
struct cancel *broker_request_cancel(struct broker_request *request);
void executor_answer(struct broker_request *request, int status, const char *body, size_t len);

struct execution_job {
    const char *code; /* copied, as all texts here */
    size_t code_len;
    const char *session_id;     /* or NULL: helpers answer that there is no session */
    const char *kind;           /* a name of execution_kinds */
    const char *profile;        /* the policy's, that the code was judged by; NULL: the narrowest */
    const char *const *preload; /* modules it does import, NULL-terminated, or NULL */
    unsigned timeout_ms;        /* 0: the default; more than the maximum is cut to it */
    bool warnings;              /* Python's warnings go to standard error; else they are silent */

    void (*on_queued)(void *user, unsigned place); /* waits for a sandbox, from 1; each time that
                                                      it changes; may be NULL */
    void (*on_started)(void *user);                /* may be NULL */
    void (*on_output)(void *user, int fd, const char *bytes,
                      size_t len);                                  /* fd 1 or 2; may be NULL */
    void (*on_request)(void *user, struct broker_request *request); /* NULL where session_id is */
    void (*on_done)(void *user, const struct execution_result *result); /* exactly once, last */
    void *user;
};

enum executor_engine { EXECUTOR_AUTO, EXECUTOR_DOCKER, EXECUTOR_LOCAL };

struct docker_times; /* executor/docker/docker_daemon.h */

struct executor_config {
    enum executor_engine engine;
    const char *docker_host;    /* "unix:///var/run/docker.sock", "tcp://127.0.0.1:2375"; NULL:
                                   DOCKER_HOST, else the default */
    const char *docker_image;   /* "lectern-sandbox:0.2.0" */
    const char *docker_runtime; /* HostConfig.Runtime, "runsc"; NULL: the daemon's default */
    const struct docker_times *docker_times; /* NULL: the usual; shorter ones are for tests */
    const char *share_dir;   /* holds runner, interpreter.py, code_helpers: for the local engine */
    const char *const *warm; /* kinds to keep waiting, NULL-terminated; NULL: all */
    const char *waiting;     /* how many of a kind wait, "bare=4,data=2"; what is not named, and
                                NULL: as the table of kinds says */
    enum execution_isolation isolation;
};

struct executor;

/* Chooses the engine, removes containers a dead owner left, starts warming in the background. Fails
 * where the configuration is wrong. Where no engine works (no daemon, no image, no bubblewrap),
 * jobs end with EXECUTION_ENGINE and what fixes it, until one does: it is looked for again and
 * again. */
struct executor *executor_create(const struct executor_config *config, struct error *err);

const char *executor_engine_name(const struct executor *executor); /* "docker", "local" */
/* One sentence on what runs the code and which layers hold here; for the start message and doctor.
 * As things stood when it was created; static for its life. */
const char *executor_describe(const struct executor *executor);

/* Takes the job; returns its id (never 0), or 0 with ERROR_BUSY when too many wait. Jobs that wait
 * for the same kind are served in turn, a session after the other. */
uint64_t executor_run(struct executor *executor, const struct execution_job *job,
                      struct error *err);

/* Seconds, at least 1, after which a job that was refused as busy will likely find a place. Any
 * thread. */
unsigned executor_retry_after(struct executor *executor);

/* Ends that run soon with EXECUTION_CANCELLED; an id that is not (or no longer) known is ignored.
 */
void executor_cancel(struct executor *executor, uint64_t id);

/* What has happened since it was created, and what is now. Any thread. */
#define EXECUTION_STATUS_COUNT (EXECUTION_DISAGREEMENT + 1)
#define EXECUTOR_KINDS_CAP     8u
#define EXECUTOR_BUCKETS       12u
extern const double executor_buckets[EXECUTOR_BUCKETS]; /* upper bounds in seconds, rising */

struct executor_histogram {
    uint64_t counts[EXECUTOR_BUCKETS + 1]; /* each bucket's own; the last is above every bound */
    double sum;
};

struct executor_stats {
    uint64_t attempts;    /* jobs taken */
    uint64_t turned_away; /* ERROR_BUSY of executor_run */
    uint64_t
        ended[EXECUTION_STATUS_COUNT]; /* by execution_status; a disagreement is a bug of ours */
    struct executor_histogram seconds, waited; /* of those whose code started */
    unsigned queued, running;                  /* jobs, now */
    size_t kind_count;
    struct executor_kind_stats {
        const char *name;
        unsigned ready, starting, busy; /* sandboxes, now; ready: a session's own too */
        unsigned wanted;                /* to wait for whoever comes, by demand too */
        uint64_t started, failed, lost; /* sandboxes, ever; lost: ended while they waited */
    } kinds[EXECUTOR_KINDS_CAP];
};
void executor_stats(struct executor *executor, struct executor_stats *stats);

/* Blocks until at least one sandbox of that kind waits, or timeout_ms passed (-1). For tests and
 * benchmarks. */
int executor_wait_warm(struct executor *executor, const char *kind, unsigned timeout_ms,
                       struct error *err);

/* Ends every run (each on_done is called), removes every sandbox, joins the threads. Takes NULL. */
void executor_destroy(struct executor *executor);

/* What works here and what does not, for `lectern doctor`: one row a check. Blocking. */
struct executor_check {
    const char
        *name; /* "docker daemon", "sandbox image", "bubblewrap", "landlock", "python modules" */
    bool ok;
    bool needed; /* false: only one engine of the two needs it */
    char text[512];
    char fix[256]; /* the command that fixes it, or "" */
};
size_t executor_doctor(const struct executor_config *config, struct executor_check *checks,
                       size_t cap);

#endif
