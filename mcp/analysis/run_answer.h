/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The result of a run: as text for a model, as JSON in the parts that POST /execute and `lectern
 * exec --json` share, and its complete output as text.
 */
#ifndef LECTERN_ANALYSIS_RUN_ANSWER_H
#define LECTERN_ANALYSIS_RUN_ANSWER_H

#include "executor/executor.h"
#include "helpers/base/buf.h"
#include "mcp/tool/failure.h"

struct tool_call;

struct run_answer_limits {
    size_t stdout_characters, stderr_characters; /* maximum shown; the middle is omitted */
    long timeout_cut_to;                         /* seconds, if the caller requested more; else 0 */
    unsigned retry_after_s;                      /* for a run that got no sandbox in time */
};

/* Whether the text includes the value: always for the last expression; for the name `result` only
 * if nothing was printed, because a program that prints has chosen what to show. */
bool run_answer_shows_value(const struct execution_result *result);

/* Sets the text and the images of the call: standard output; then the value of the last expression
 * or, if nothing was printed, of the name `result`; standard error if it is not empty; one trailer
 * line. Any thread. */
void run_answer_write(const struct execution_result *result, const struct run_answer_limits *limits,
                      struct tool_call *call);

/* Cap in bytes for the buffer of one result with all its figures. */
#define RUN_JSON_CAP ((size_t)24 << 20)

/* The stored part of an output; if it was cut, a line says how much is missing. */
void run_add_stdout(const struct execution_result *result, struct buf *to);
void run_add_stderr(const struct execution_result *result, struct buf *to);

/* "stdout":"...","stderr":"...","result":"..." or null,"error":"..." or null */
void run_json_texts(const struct execution_result *result, struct buf *to);
/* The same for refused code. */
void run_json_refused(const char *why, size_t len, struct buf *to);
/* ,"error_info": the object of failure_write, or null */
void run_json_failure(const struct failure *failure, struct buf *to);
/* [{"mime":"image/png","base64":"..."}] */
void run_json_artifacts(const struct execution_result *result, struct buf *to);

#endif
