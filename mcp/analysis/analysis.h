/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One analysis, for every caller (execute_code, POST /execute, lectern exec): its code is checked
 * on the loop, its session is found, the executor runs it, its result is passed on in the format of
 * the caller, and it is logged.
 *
 * Threads: everything runs on the loop, except find_session (on the read work queue) and take (on
 * the executor's thread).
 */
#ifndef LECTERN_ANALYSIS_ANALYSIS_H
#define LECTERN_ANALYSIS_ANALYSIS_H

#include <pthread.h>

#include "mcp/auth/identity.h"
#include "mcp/server.h"
#include "mcp/store/store.h"
#include "mcp/tool/failure.h"

#define ANALYSIS_TIMEOUT_ASKED_MAX 3600 /* seconds; the server's own limit is far lower */
#define ANALYSIS_ALSO_CAP          4u   /* further sessions that one run may read */
#define ANALYSIS_EXIT_REFUSED      3    /* exit code of a refused program */
#define ANALYSIS_BLOCKED           "Code analysis blocked"
#define ANALYSIS_PROGRESS_SHOWN    1000u              /* characters of output in a progress text */
#define ANALYSIS_PROGRESS_SIZE     ((size_t)32 << 10) /* bytes of output stored between two reports */

/* Progress of a run, from the executor's thread to the loop. It does not wake the loop and does not
 * grow: one small buffer has the newest output. */
struct run_progress {
    pthread_mutex_t lock;
    bool started;
    unsigned place; /* in the queue, from 1; 0: unknown */
    bool moved;     /* place or started changed since the last report */
    bool cut;       /* output before `recent` was discarded */
    size_t len;
    char recent[ANALYSIS_PROGRESS_SIZE]; /* complete characters */
};

/* Large: allocate it on the heap. Zero it, set the first part, then call analysis_init. */
struct analysis {
    /* Set by the caller. Texts are borrowed until on_done. */
    struct server *server;
    const char *code;
    size_t code_len;
    const struct validator_profile *profile;
    const char *session_id;          /* NULL: none, and the helpers say so */
    long timeout_asked;              /* seconds; 0: the server's limit, which is also the maximum */
    bool warnings;                   /* print Python's warnings to standard error */
    bool wants_progress;             /* analysis_progress will be called */
    const char *log_members;         /* ends its log lines: " attempt=2/3"; or NULL */
    const struct identity *identity; /* whose limit of analyses counts; NULL: nobody's */

    /* Called on the read work queue: sets session_id, and also, or fails. NULL: session_id must
     * exist if it is set. */
    int (*find_session)(struct analysis *analysis, struct store *store, struct error *err);
    /* The further sessions that it may read, set by find_session; none without a session_id. */
    char also[ANALYSIS_ALSO_CAP][SESSION_ID_SIZE];
    size_t also_count;
    json_t *also_names; /* {name: session id}, what the code may call them; or NULL; borrowed */
    /* Called on the executor's thread: converts the result to the caller's format; result is
     * borrowed. */
    void (*take)(struct analysis *analysis, const struct execution_result *result);
    /* After analysis_start returned 0, exactly one of these is called on the loop, as the last
     * callback; it may free the analysis. on_failed: nothing was run; ERROR_BUSY and
     * ERROR_UNAVAILABLE as for analysis_start. */
    void (*on_done)(struct analysis *analysis);
    void (*on_failed)(struct analysis *analysis, const struct error *err);

    bool over_limit;        /* analysis_start returned -1 because of the identity's limit */
    struct failure failure; /* why it was refused, did not run or failed; set before take and
                               on_failed, and before analysis_check and analysis_start return */

    /* Private. */
    struct workq_job job; /* finds the session */
    struct error err;
    struct identity counted;       /* who it counts for until its end */
    bool cancelled;                /* protected by the lock of progress, like run_id */
    bool handed_over, ended_early; /* whether the loop knows that it runs, and that it has ended */
    struct verdict verdict;
    const char *preload[VALIDATOR_MODULES_CAP + 1];
    struct run_progress progress;
    struct loop_task done;
    uint64_t run_id; /* 0: not running */
    struct {         /* for the log */
        enum execution_status status;
        int exit_code;
        double waited, seconds;
        size_t out, err, artifacts;
        uint64_t cut;
    } ended;
};

void analysis_init(struct analysis *analysis);
void analysis_finish(struct analysis *analysis); /* frees what it owns, not the analysis */

/* Finds a profile by name (NULL: the server's own). ERROR_INVALID for an unknown name, and for a
 * profile that allows imports which the server's does not. */
int analysis_find_profile(const struct analyses *analyses, const char *name,
                          const struct validator_profile **profile, struct error *err);

/* Checks the code. If false, why has the reasons, for its author. Counts refusals. */
bool analysis_check(struct analysis *analysis, struct buf *why);

/* Runs code that analysis_check accepted. On -1 no callback follows: ERROR_UNAVAILABLE if there is
 * no executor, ERROR_BUSY if a queue is full or the identity has as many as it may. */
int analysis_start(struct analysis *analysis, struct error *err);

/* Ends it soon; on_done or on_failed is still called. */
void analysis_cancel(struct analysis *analysis);

/* Whether its time limit is lower than requested. */
bool analysis_timeout_was_cut(const struct analysis *analysis);

/* Has the contract of a tool's progress (tool.h): appends what is new since the last call. words:
 * the state of the run. printed: the output; if more arrived than is stored, a mark and its newest
 * lines. If printed is NULL, words gets the last lines of the output instead of the state. */
bool analysis_progress(struct analysis *analysis, struct buf *words, struct buf *printed);

/* Called on the executor's thread, which received them with the job; user is the analysis. bytes is
 * valid UTF-8. */
void analysis_on_queued(void *user, unsigned place);
void analysis_on_started(void *user);
void analysis_on_output(void *user, int fd, const char *bytes, size_t len);

#endif
