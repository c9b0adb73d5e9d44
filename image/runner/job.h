/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The JSON of the frames, read and written: the job, what the interpreter says, and the runner's
 * last word. Pure. The runner passes the job's bytes on as they are and keeps only what it watches
 * over; of what the interpreter says it passes on nothing that it has not taken apart.
 */
#ifndef LECTERN_IMAGE_JOB_H
#define LECTERN_IMAGE_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOB_TIMEOUT_MS_MAX 600000
#define JOB_OUTPUT_MAX     ((int64_t)1 << 30)

struct job {
    unsigned timeout_ms;
    uint64_t stdout_cap;
    uint64_t stderr_cap;
    size_t tail_cap; /* at most FRAME_TAIL_CAP */
    uint64_t output_limit;
};

/* -1 with a message logged that names the field. */
int job_read(struct job *job, const unsigned char *text, size_t len);

/* How a job ended. */
enum verdict {
    VERDICT_NONE, /* not decided yet */
    VERDICT_OK,
    VERDICT_ERROR,
    VERDICT_TIMEOUT,
    VERDICT_MEMORY,
    VERDICT_OUTPUT,
    VERDICT_CRASH,
    VERDICT_CANCELLED,
    VERDICT_IMPORT,
};

struct ending {
    enum verdict verdict;
    int exit_code; /* -1 where a signal ended the process */
    int signal;    /* or 0 */
    double seconds;
    uint64_t stdout_bytes, stderr_bytes; /* written in all */
    uint64_t stdout_cut, stderr_cut;     /* of these, thrown away: what left
                                        neither as it came nor as the tail */
};

/* Each returns JSON text to be freed, or NULL with a message logged where the input is not what it
 * should be. */
char *ready_write(const unsigned char *said, size_t len, int landlock_abi, bool exec_once);
struct result_facts {
    bool failed; /* "error" is not null */
    bool memory; /* "error_type" is "MemoryError" */
    int exit_code;
};
char *result_write(const unsigned char *said, size_t len, struct result_facts *facts);
char *ending_write(const struct ending *ending);

#endif
