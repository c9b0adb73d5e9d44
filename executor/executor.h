/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs analysis code that the validator accepted in sandboxes: a Docker container, or the same
 * runner under bubblewrap, or that runner alone. Sandboxes of each kind wait warm, and a job takes
 * one. Depending on the isolation, the sandbox is destroyed after one job and replaced, or it stays
 * with the session of that job, and further jobs of the session run in it, each in a process
 * forked from the same clean interpreter.
 *
 * Threads: the executor has one libuv loop on its own thread, and a small work queue for what
 * blocks (Docker's API, process starts). Any thread may call these functions. Callbacks run on the
 * executor's thread and must not block.
 */
#ifndef LECTERN_EXECUTOR_H
#define LECTERN_EXECUTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "helpers/base/cancel.h"
#include "helpers/base/error.h"

#define EXECUTION_TIMEOUT_MS_DEFAULT 5000u
#define EXECUTION_TIMEOUT_MS_MAX     60000u      /* upper limit of the server's setting */
#define EXECUTION_STDOUT_CAP         (64u << 10) /* bytes kept from the start of standard output */
#define EXECUTION_STDERR_CAP         (16u << 10)
#define EXECUTION_TAIL_CAP           (8u << 10) /* bytes kept from the end of each stream, if cut */
#define EXECUTION_ARTIFACTS_CAP      8u         /* figures of one run */
#define EXECUTION_OUTPUT_LIMIT                                                                     \
    (16u << 20)                        /* total bytes of output after which the run is ended       \
                                        */
#define EXECUTION_IMPORT_MS_MAX 20000u /* time for imports, before the run's time limit begins */
#define EXECUTION_PROFILE_CAP   32u    /* bytes of a profile's name with its NUL */
#define EXECUTION_WAIT_MS_MAX   30000u /* time that a job waits for a sandbox */
#define EXECUTION_WAITING_CAP   64u /* jobs that may wait for a sandbox; the next gets ERROR_BUSY */
#define EXECUTION_SESSION_WAITING_CAP                                                              \
    48u /* of these, jobs of one session or without one, so that others have room */
#define EXECUTION_REQUEST_MS_MAX 10000u              /* time for one helper request, then 504 */
#define EXECUTION_REQUESTS_CAP   20000u              /* helper requests of one run */
#define EXECUTION_ANSWERS_CAP    ((size_t)256 << 20) /* bytes of all helper answers of one run */

/* What separates two jobs of one session. Two sessions never share a sandbox. */
enum execution_isolation {
    ISOLATION_EXECUTION, /* each job has a new sandbox */
    ISOLATION_SESSION,   /* the session has a sandbox, and each job a forked process in it */
    ISOLATION_AUTO,      /* a new sandbox if one waits, otherwise that of the session */
    ISOLATION_COUNT,
};
extern const char *const execution_isolations[ISOLATION_COUNT]; /* their names */

/* A kind of sandbox. */
struct execution_kind {
    const char *name;           /* "bare", "data", "plot" */
    const char *const *preload; /* modules imported while warming, NULL-terminated */
    unsigned memory_mb;
    unsigned waiting;
    enum execution_isolation isolation; /* the executor's, in what it passes to its engine */
};
extern const struct execution_kind execution_kinds[]; /* ends with a NULL name */

enum execution_status {
    EXECUTION_OK,
    EXECUTION_RUNTIME, /* the code raised, or exited with a status other than 0 */
    EXECUTION_TIMEOUT,
    EXECUTION_MEMORY,
    EXECUTION_OUTPUT, /* ended because it wrote too much */
    EXECUTION_CANCELLED,
    EXECUTION_CRASH,        /* the interpreter died: signal, abort */
    EXECUTION_BUSY,         /* waited too long for a sandbox */
    EXECUTION_ENGINE,       /* no sandbox could be started, or it failed */
    EXECUTION_DISAGREEMENT, /* did not run: the policy in the sandbox refused it */
};
const char *execution_status_name(enum execution_status status); /* "ok", "runtime", ...; static */

struct execution_artifact {
    const char *mime;   /* "image/png" */
    const char *base64; /* NUL-terminated; produced by the code, only its form is checked */
    size_t len;         /* of base64 */
};

struct execution_result {
    enum execution_status status;
    const char *kind;   /* kind of sandbox that was requested */
    unsigned memory_mb; /* the limit of its memory */
    const char
        *stdout_text; /* valid UTF-8 (invalid bytes are replaced), NUL-terminated; borrowed during
                         the callback. If output was cut: the part before the cut, then the end */
    size_t stdout_len;
    size_t stdout_head; /* offset where stdout_cut bytes are missing; stdout_len if none are */
    const char *stderr_text;
    size_t stderr_len;
    size_t stderr_head;
    const char *value; /* repr of the last expression's value, or else of the variable named result;
                          or NULL */
    bool value_bound;  /* value is that of the variable result */
    const char *error; /* the traceback lines of the user's code and the error line; if the engine
                          failed, what failed and how to fix it; NULL on success */
    const char *error_type; /* "KeyError", or NULL */
    long error_line;        /* line of the code where it failed; 0: unknown */
    uint64_t stdout_cut;    /* bytes dropped over the cap */
    uint64_t stderr_cut;
    const struct execution_artifact *artifacts; /* figures, in the order they were made */
    size_t artifact_count;
    int exit_code;  /* the code's own; 124 after a timeout, 137 when out of memory, 127 without an
                       engine */
    double seconds; /* running time of the code */
    double waited;  /* seconds before it ran: waiting for a sandbox, and importing */
};

/* One request of a run: to the session API, or for the next case. The owner of the job must answer
 * it exactly once with executor_answer, from any thread, even if the run has ended in the meantime.
 */
struct broker_request;
const char *
broker_request_session(const struct broker_request
                           *request); /* the session of the job, not the one that is asked for */
const char *broker_request_target(
    const struct broker_request *request); /* "/session/SID/nodes?limit=5"; GET only */
/* The result of the case before, as JSON; NULL for a request to the session API. Untrusted. */
const char *broker_request_body(const struct broker_request *request, size_t *len);
/* Fires when the answer is no longer needed: the run has ended, or the request took too long. The
 * caller owns the reference; NULL if out of memory. Call it only within on_request. */
struct cancel *broker_request_cancel(struct broker_request *request);
void executor_answer(struct broker_request *request, int status, const char *body, size_t len);

struct execution_job {
    const char *code; /* copied, as all texts here */
    size_t code_len;
    const char *session_id; /* NULL: helpers are answered that there is no session */
    const json_t *also;  /* {name: session id}: further sessions that the helpers ask for, which the
                            owner allows or refuses; or NULL */
    const char *kind;    /* a name of execution_kinds */
    const char *profile; /* profile of the policy that accepted the code; NULL: the narrowest */
    const char *const *added;   /* modules that it may import besides, NULL-terminated, or NULL */
    const char *const *preload; /* modules that it imports, NULL-terminated, or NULL */
    unsigned timeout_ms;        /* 0: the default; values over the maximum are reduced to it */
    bool warnings;              /* whether Python's warnings go to standard error */

    void (*on_queued)(void *user, unsigned place); /* the job waits; place starts at 1; called
                                                      whenever it changes; may be NULL */
    void (*on_started)(void *user);                /* may be NULL */
    void (*on_output)(void *user, int fd, const char *bytes,
                      size_t len);                                  /* fd 1 or 2; may be NULL */
    void (*on_request)(void *user, struct broker_request *request); /* NULL if session_id is NULL */
    /* The program is tested by cases (image/python/grading.py): the request has the result of the
     * case before, and is answered with 200 and the next case, or with 204. NULL: it just runs. */
    void (*on_case)(void *user, struct broker_request *request);
    void (*on_done)(void *user, const struct execution_result *result); /* exactly once, last */
    void *user;
};

enum executor_engine { EXECUTOR_AUTO, EXECUTOR_DOCKER, EXECUTOR_LOCAL, EXECUTOR_PROCESS };

struct docker_times; /* executor/docker/docker_daemon.h */

struct executor_config {
    enum executor_engine engine;
    const char *docker_host;    /* "unix:///var/run/docker.sock", "tcp://127.0.0.1:2375"; NULL:
                                   DOCKER_HOST, or else the default */
    const char *docker_image;   /* "lectern-sandbox:0.2.0" */
    const char *docker_runtime; /* HostConfig.Runtime, "kata"; NULL: the daemon's default */
    const struct docker_times *docker_times; /* NULL: the defaults; tests use shorter ones */
    const char *share_dir;   /* has runner, interpreter.py, code_helpers: for the engines
                                without Docker */
    const char *cache;       /* folder with the pinned Python, or NULL: executor/pinned/pinned.h */
    const char *added_lock;  /* lock file of packages beside those of the pinned Python, or NULL */
    unsigned memory_mb;      /* of each sandbox; 0: as in the table of kinds */
    const char *const *warm; /* kinds to keep waiting, NULL-terminated; NULL: all */
    const char *waiting; /* how many of a kind wait, "bare=4,data=2"; the others, and NULL: as in
                            the table of kinds */
    enum execution_isolation isolation;
    const char *sandbox_uids; /* user ids for sandboxes, "70000-99999"; NULL: the default
                                 (sandbox_user.h) */
    const char *open_host;    /* the address, if others than this machine reach the server; or NULL.
                                 EXECUTOR_AUTO leaves out the engine process then */
};

struct executor;

/* Chooses the engine, removes containers that a dead owner left, and starts warming in the
 * background. Fails if the configuration is wrong. If no engine works (no daemon, no image, no
 * bubblewrap), jobs end with EXECUTION_ENGINE and how to fix it; the executor keeps checking until
 * an engine works. */
struct executor *executor_create(const struct executor_config *config, struct error *err);

const char *
executor_engine_name(const struct executor *executor); /* "docker", "local", "process" */
/* Describes in one sentence what runs the code and which layers protect it, for the start message
 * and doctor. As of its creation; valid for the executor's life. */
const char *executor_describe(const struct executor *executor);

/* Accepts the job and returns its id (never 0), or returns 0 with ERROR_BUSY if too many wait.
 * Sessions whose jobs wait for the same kind take turns. */
uint64_t executor_run(struct executor *executor, const struct execution_job *job,
                      struct error *err);

/* Seconds, at least 1, after which a job that was refused as busy is likely to be accepted. Any
 * thread. */
unsigned executor_retry_after(struct executor *executor);

/* Ends that run soon with EXECUTION_CANCELLED. An unknown id is ignored. */
void executor_cancel(struct executor *executor, uint64_t id);

/* Counts since its creation, and current numbers. Any thread. */
#define EXECUTION_STATUS_COUNT (EXECUTION_DISAGREEMENT + 1)
#define EXECUTOR_KINDS_CAP     8u
#define EXECUTOR_BUCKETS       12u
extern const double executor_buckets[EXECUTOR_BUCKETS]; /* upper bounds in seconds, ascending */

struct executor_histogram {
    uint64_t counts[EXECUTOR_BUCKETS + 1]; /* of each bucket alone; the last is above every bound */
    double sum;
};

struct executor_stats {
    uint64_t attempts;                         /* jobs accepted */
    uint64_t turned_away;                      /* jobs refused with ERROR_BUSY */
    uint64_t ended[EXECUTION_STATUS_COUNT];    /* by execution_status; a disagreement is a bug */
    struct executor_histogram seconds, waited; /* of runs whose code started */
    unsigned queued, running;                  /* current numbers of jobs */
    size_t kind_count;
    struct executor_kind_stats {
        const char *name;
        unsigned ready, starting, busy; /* sandboxes, now; ready: also those of a session */
        unsigned wanted;                /* target number of waiting sandboxes */
        uint64_t started, failed, lost; /* totals; lost: ended while they waited */
    } kinds[EXECUTOR_KINDS_CAP];
};
void executor_stats(struct executor *executor, struct executor_stats *stats);

/* Blocks until at least one sandbox of that kind is ready. Returns -1 after timeout_ms. For tests
 * and benchmarks. */
int executor_wait_warm(struct executor *executor, const char *kind, unsigned timeout_ms,
                       struct error *err);

/* Ends every run (each on_done is called), removes all sandboxes, joins the threads. Takes NULL. */
void executor_destroy(struct executor *executor);

/* One row of `lectern doctor`. executor_doctor blocks. */
struct executor_check {
    const char *name; /* "docker daemon", "sandbox image", "bubblewrap", "landlock", "python" */
    bool ok;
    bool needed; /* false: another engine works without it */
    char text[512];
    char fix[256]; /* the command that fixes it, or "" */
};
size_t executor_doctor(const struct executor_config *config, struct executor_check *checks,
                       size_t cap);

#endif
