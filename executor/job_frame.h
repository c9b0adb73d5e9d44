/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes and reads the JSON in the frames to and from a runner (frame.h). Pure.
 */
#ifndef LECTERN_EXECUTOR_JOB_FRAME_H
#define LECTERN_EXECUTOR_JOB_FRAME_H

#include "executor/executor.h"
#include "executor/wire/frame_decoder.h"
#include "helpers/base/json.h"

/* Returns a complete FRAME_JOB, owned by the caller, or NULL with ERROR_INVALID (not UTF-8) or
 * ERROR_TOO_LARGE. */
char *job_frame_pack(const struct execution_job *job, unsigned timeout_ms, size_t *len,
                     struct error *err);

/* The content of FRAME_EXIT. */
struct job_exit {
    enum execution_status status;
    int exit_code;
    int signal;
    double seconds; /* negative if missing */
    uint64_t stdout_cut, stderr_cut;
    bool ran; /* the code, or some of it */
};
int job_exit_read(const struct frame *frame, struct job_exit *ended, struct error *err);

/* The content of FRAME_RESULT; texts are NUL-terminated and owned, or NULL. */
struct job_result {
    char *value, *error, *error_type;
    long error_line;                  /* 0: unknown */
    int exit_code;                    /* the code's own */
    bool value_bound;                 /* value is that of the variable result */
    char refused[FRAME_WORD_CAP + 1]; /* code of a disagreement, or "" */
    long refused_line;                /* 0: the whole program */
};
int job_result_read(const struct frame *frame, struct job_result *result, struct error *err);
void job_result_finish(struct job_result *result);

#endif
