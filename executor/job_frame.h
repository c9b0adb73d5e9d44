/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The JSON that goes to a runner and comes from it (frame.h), written and read. Pure.
 */
#ifndef LECTERN_EXECUTOR_JOB_FRAME_H
#define LECTERN_EXECUTOR_JOB_FRAME_H

#include "executor/executor.h"
#include "executor/wire/frame_decoder.h"
#include "helpers/base/json.h"

/* A whole FRAME_JOB, owned. NULL with ERROR_INVALID (not UTF-8) or ERROR_TOO_LARGE. */
char *job_frame_pack(const struct execution_job *job, unsigned timeout_ms, size_t *len,
                     struct error *err);

/* What FRAME_EXIT says. */
struct job_exit {
    enum execution_status status;
    int exit_code;
    int signal;
    double seconds; /* negative where it does not say */
    uint64_t stdout_cut, stderr_cut;
};
int job_exit_read(const struct frame *frame, struct job_exit *ended, struct error *err);

/* What FRAME_RESULT says: texts are NUL-terminated and owned, or NULL. */
struct job_result {
    char *value, *error, *error_type;
    long error_line;                  /* 0: it does not say */
    int exit_code;                    /* the code's own */
    bool value_bound;                 /* the value is what the code bound to the name result */
    char refused[FRAME_WORD_CAP + 1]; /* code of a disagreement, or "" */
    long refused_line;                /* 0: the whole program */
};
int job_result_read(const struct frame *frame, struct job_result *result, struct error *err);
void job_result_finish(struct job_result *result);

#endif
