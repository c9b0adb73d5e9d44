/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The frames between the server (executor/) and the runner (image/runner/runner.c), and between the
 * runner and the interpreter. Code on both sides of the sandbox includes this and wire/, so it is
 * header-only and has no dependencies.
 *
 * A frame is an 8 byte head and a payload:
 *
 *      0        1              4                 8
 *      | type   | reserved: 0  | payload length  | payload ...
 *      | u8     | 3 bytes      | u32, big-endian |
 *
 * Data from the sandbox is untrusted: a reader checks that the type is valid in its direction, and
 * the length against the type's cap, before it uses either. It ends the sandbox on a violation.
 */
#ifndef LECTERN_EXECUTOR_FRAME_H
#define LECTERN_EXECUTOR_FRAME_H

#include <stdint.h>

#define FRAME_HEAD_SIZE 8u

enum frame_type {
    /* server -> runner */
    FRAME_JOB = 'J',    /* numbers and JSON, see below. At most one after each FRAME_READY. */
    FRAME_ANSWER = 'A', /* answers one FRAME_REQUEST or FRAME_CASE: u32 request id, u16 HTTP status,
                           then the body's bytes */
    FRAME_PING = 'p',   /* no payload: the runner answers with FRAME_PONG while its interpreter is
                           alive; only between FRAME_READY and FRAME_JOB */

    /* runner -> server */
    FRAME_READY =
        'R', /* JSON: the interpreter is warm and waits for a job: {"python", "landlock_abi",
                "seccomp"}. In a session's sandbox also after each FRAME_EXIT */
    FRAME_PONG = 'P',        /* no payload */
    FRAME_STARTED = 'S',     /* no payload: imports are done, the job's time limit begins */
    FRAME_STDOUT = 'o',      /* bytes of the code's standard output, as they come */
    FRAME_STDERR = 'e',      /* bytes of its standard error */
    FRAME_STDOUT_TAIL = 'O', /* before FRAME_EXIT, if standard output exceeded its cap: its last
                                bytes, at most tail_cap */
    FRAME_STDERR_TAIL = 'E', /* the same for standard error */
    FRAME_ARTIFACT = 'g',    /* base64 of one PNG image; the runner checks the alphabet and the
                                beginning; at most FRAME_ARTIFACTS_MAX per job */
    FRAME_REQUEST =
        'q', /* u32 request id, then "GET /path?query" as in the session API, without a line end */
    FRAME_CASE = 'c', /* in a job that tests a program: u32 request id, then JSON: the result of the
                         case before, null before the first. It is answered by a FRAME_ANSWER: 200
                         with the next case, 204 after the last. image/python/grading.py has both
                         forms */
    FRAME_RESULT =
        'v', /* JSON from the interpreter; untrusted, the runner does not read it: {"value": text or
                null, "bound": true if the value is that of the variable result, not of the last
                expression, "error": text or null, "error_type": text or null, "line": int or null,
                "exit_code": int, "disagreement": {"code": word, "line": int} or null: the code did
                not run because the policy in the sandbox refused it after the validator had
                accepted it; believed only if the FRAME_EXIT that follows says that none ran} */
    FRAME_EXIT = 'x', /* JSON from the runner, the last frame of a job: {"status": "ok" (details are
                         in a FRAME_RESULT), "timeout", "memory", "output", "crash", "cancelled" or
                         "import", "exit_code" of the process, "signal", "seconds", "stdout_bytes",
                         "stderr_bytes", "stdout_cut", "stderr_cut", "ran": false if none of the
                         code has run} */

    /* interpreter -> runner; the others of this direction are passed on to the server */
    FRAME_CHECKED = 'C', /* no payload: the policy accepts the code, which runs now. All that
                            follows may be the code's own word */
};

/* The payload of FRAME_JOB is five u32 with the limits that the runner enforces, then a JSON object
 * for the interpreter, which the runner passes on without reading it. The limits: timeout_ms, the
 * running time of the code, counted from FRAME_STARTED; stdout_cap and stderr_cap, bytes of each
 * stream that are sent as they come; tail_cap, bytes from the end of a stream over its cap that are
 * sent afterwards (what is in between is counted and dropped); output_limit, bytes of both streams
 * together after which the job is ended with status "output". */
#define FRAME_JOB_HEAD 20u

struct frame_job {
    uint32_t timeout_ms, stdout_cap, stderr_cap, tail_cap, output_limit;
};

/* The JSON object:
 *
 * - code: text, UTF-8, the same bytes that the validator accepted
 * - profile: text, the profile that accepted it; the policy in the sandbox applies it again
 * - added: array of text, modules that the code may import beside those of that profile
 * - session_id: text or null; SESSION_ID in the code's environment and its global session_id
 * - timeout_ms: as above, for the report of a run that took too long
 * - preload: array of text, modules the code imports, imported before the time limit begins
 * - warnings: bool, whether Python's warnings go to standard error
 * - grading: true, if cases test the program (FRAME_CASE) */

/* Caps on payloads, in bytes. */
#define FRAME_JOB_CAP       (1u << 20)
#define FRAME_ANSWER_CAP    (64u << 20)
#define FRAME_OUTPUT_CAP    (64u << 10) /* one FRAME_STDOUT or FRAME_STDERR */
#define FRAME_TAIL_CAP      (16u << 10) /* one FRAME_STDOUT_TAIL or FRAME_STDERR_TAIL */
#define FRAME_ARTIFACT_CAP  (2u << 20)
#define FRAME_ARTIFACTS_MAX 8u
#define FRAME_REQUEST_CAP   4096u
#define FRAME_RESULT_CAP    (256u << 10)
#define FRAME_CASE_CAP      (1u << 20)
#define FRAME_WORD_CAP      32u     /* a code in FRAME_RESULT: letters a to z and '-' */
#define FRAME_LINE_MAX      1000000 /* a line in FRAME_RESULT */
#define FRAME_STATUS_CAP    4096u   /* FRAME_READY, FRAME_EXIT */

static inline void frame_put_u32(unsigned char *to, uint32_t number)
{
    to[0] = (unsigned char)(number >> 24);
    to[1] = (unsigned char)(number >> 16);
    to[2] = (unsigned char)(number >> 8);
    to[3] = (unsigned char)number;
}

static inline uint32_t frame_get_u32(const void *from)
{
    const unsigned char *bytes = (const unsigned char *)from;

    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
           (uint32_t)bytes[3];
}

static inline void frame_pack(unsigned char head[FRAME_HEAD_SIZE], enum frame_type type,
                              uint32_t len)
{
    head[0] = (unsigned char)type;
    head[1] = head[2] = head[3] = 0;
    frame_put_u32(head + 4, len);
}

/* Returns the payload's length, and its type in *type. The caller must check both. */
static inline uint32_t frame_unpack(const unsigned char head[FRAME_HEAD_SIZE], unsigned char *type)
{
    *type = head[0];
    return frame_get_u32(head + 4);
}

static inline void frame_job_pack(unsigned char head[FRAME_JOB_HEAD], const struct frame_job *job)
{
    frame_put_u32(head, job->timeout_ms);
    frame_put_u32(head + 4, job->stdout_cap);
    frame_put_u32(head + 8, job->stderr_cap);
    frame_put_u32(head + 12, job->tail_cap);
    frame_put_u32(head + 16, job->output_limit);
}

static inline struct frame_job frame_job_unpack(const void *head)
{
    const unsigned char *at = (const unsigned char *)head;

    return (struct frame_job){frame_get_u32(at), frame_get_u32(at + 4), frame_get_u32(at + 8),
                              frame_get_u32(at + 12), frame_get_u32(at + 16)};
}

#endif
