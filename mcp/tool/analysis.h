/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One analysis, the same for everyone who asks for one (execute_code, POST /execute, lectern exec):
 * checked on the loop, its session found, run by the executor, its result handed over in the
 * asker's own form, a line in the log.
 *
 * Threads: everything runs on the loop but find_session, on the read work queue, and take, on the
 * executor's thread.
 */
#ifndef LECTERN_TOOL_ANALYSIS_H
#define LECTERN_TOOL_ANALYSIS_H

#include <pthread.h>

#include "mcp/server.h"
#include "mcp/store/store.h"
#include "mcp/tool/failure.h"

#define ANALYSIS_TIMEOUT_ASKED_MAX 3600 /* seconds; the server's own limit is far below */
#define ANALYSIS_EXIT_REFUSED      3    /* the exit code of what was checked and did not run */
#define ANALYSIS_BLOCKED           "Code analysis blocked"
#define ANALYSIS_PROGRESS_SHOWN    1000u /* characters of output in words of progress */
#define ANALYSIS_PROGRESS_SIZE     ((size_t)32 << 10) /* bytes of output kept between two */

/* What is new of a run, from the executor's thread to the loop. Nothing wakes the loop and nothing
 * grows: one small buffer keeps the newest output. */
struct run_progress {
    pthread_mutex_t lock;
    bool started;
    unsigned place; /* in the queue, from 1; 0: not told yet */
    bool moved;     /* place or started since the last message */
    bool cut;       /* output before what is kept was thrown away */
    size_t len;
    char recent[ANALYSIS_PROGRESS_SIZE]; /* whole characters */
};

/* Large: on the heap. Zeroed first; then what is asked for is set, analysis_init called. */
struct analysis {
    /* What is asked for. Texts are borrowed until on_done. */
    struct server *server;
    const char *code;
    size_t code_len;
    const struct validator_profile *profile;
    const char *session_id; /* NULL: none, and the helpers say so */
    long timeout_asked;     /* seconds; 0: the server's limit. More than that is cut to it */
    bool warnings;          /* Python's own go to standard error */
    bool wants_progress;    /* analysis_progress will be asked */

    /* On the read work queue: sets session_id, or fails. NULL: a session_id that is set must exist.
     */
    int (*find_session)(struct analysis *analysis, struct store *store, struct error *err);
    /* On the executor's thread: the result in the asker's form; result is borrowed. */
    void (*take)(struct analysis *analysis, const struct execution_result *result);
    /* On the loop, after analysis_start returned 0 exactly one of the two, last; they may free the
     * analysis. on_failed: nothing ran; ERROR_BUSY and ERROR_UNAVAILABLE as of analysis_start. */
    void (*on_done)(struct analysis *analysis);
    void (*on_failed)(struct analysis *analysis, const struct error *err);

    struct failure failure; /* why it was refused, did not run or ended badly; set before take,
                               on_failed, and before analysis_check and analysis_start return */

    /* Its own. */
    struct workq_job job; /* finds the session */
    struct error err;
    bool cancelled;
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
void analysis_finish(struct analysis *analysis); /* what it owns, not itself */

/* The profile of that name (NULL: the server's own). ERROR_INVALID for a name there is not, and for
 * one that may import what the server's may not. */
int analysis_find_profile(const struct analyses *analyses, const char *name,
                          const struct validator_profile **profile, struct error *err);

/* Checks the code. false: why has what is wrong, for the one who wrote it. Counts refusals. */
bool analysis_check(struct analysis *analysis, struct buf *why);

/* Runs what was checked and accepted. -1: it will not, and nothing more comes: ERROR_UNAVAILABLE
 * where there is no executor, ERROR_BUSY where a queue is full. */
int analysis_start(struct analysis *analysis, struct error *err);

/* Ends it soon; on_done or on_failed comes all the same. */
void analysis_cancel(struct analysis *analysis);

/* Whether it may run shorter than was asked for. */
bool analysis_timeout_was_cut(const struct analysis *analysis);

/* As a tool's progress (tool.h): appends what came since the last time. words: where the run is;
 * printed: the output, or, where more came than is kept, a mark and the newest lines of it. printed
 * NULL: the last lines of the output stand in words, in place of where the run is. */
bool analysis_progress(struct analysis *analysis, struct buf *words, struct buf *printed);

/* On the executor's thread, which has these with the job; user: the analysis. bytes: valid UTF-8.
 */
void analysis_on_queued(void *user, unsigned place);
void analysis_on_started(void *user);
void analysis_on_output(void *user, int fd, const char *bytes, size_t len);

#endif
