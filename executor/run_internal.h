/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of a run share: run.c has its way to a sandbox and the deadlines, run_frames.c
 * what the sandbox sends, run_end.c its end.
 */
#ifndef LECTERN_EXECUTOR_RUN_INTERNAL_H
#define LECTERN_EXECUTOR_RUN_INTERNAL_H

#include "executor/job_frame.h"
#include "executor/output.h"
#include "executor/run.h"

#define RUN_TEXT_CAP 256u /* a sentence on how it ended */

enum run_phase {
    RUN_PHASE_CREATED,
    RUN_PHASE_QUEUED,
    RUN_PHASE_SENT,
    RUN_PHASE_RUNNING,
    RUN_PHASE_ENDED
};

struct executor_run {
    struct execution_job job; /* callbacks and numbers; its texts are not valid any more */
    char *session_id;
    char profile[EXECUTION_PROFILE_CAP];
    char *frame; /* the job, kept for a second attempt */
    size_t frame_len;
    unsigned timeout_ms;

    const struct run_host *host;
    void *user;
    enum run_phase phase;
    unsigned attempts;
    struct pool_wait wait;
    struct slot *slot;       /* NULL while it has none */
    struct sandbox *sandbox; /* the slot's */
    uv_timer_t timer;
    struct broker broker;
    struct output output[2];
    uint64_t output_bytes;
    struct job_result result;
    struct execution_artifact artifacts[EXECUTION_ARTIFACTS_CAP]; /* base64 is owned */
    size_t artifact_count;
    bool has_result, started;
    bool ended_by_itself;          /* its sandbox said how it ended, and that it did */
    uint64_t begun_at, started_at; /* uv_hrtime */
};

/* run.c */
void run_set_deadline(struct executor_run *run, uint64_t ms);
void run_broken(struct sandbox *sandbox, const struct error *why, void *user);

/* run_frames.c */
void run_take_frame(struct sandbox *sandbox, const struct frame *frame, void *user);

/* run_end.c */
void run_end(struct executor_run *run, struct execution_result *result);
void run_end_with(struct executor_run *run, enum execution_status status, const char *error);
void run_end_disagreeing(struct executor_run *run, struct execution_result *result);
const char *run_overran(const struct executor_run *run, char text[RUN_TEXT_CAP]); /* its time */

#endif
