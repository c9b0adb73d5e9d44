/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The result of a run: in words for a model, as JSON in the pieces that POST /execute and `lectern
 * exec --json` share, and its output as text, whole.
 */
#ifndef LECTERN_TOOL_RUN_ANSWER_H
#define LECTERN_TOOL_RUN_ANSWER_H

#include "executor/executor.h"
#include "helpers/base/buf.h"
#include "mcp/tool/failure.h"

struct tool_call;

struct run_answer_limits {
    size_t stdout_characters, stderr_characters; /* shown at most; the middle is left out */
    long timeout_cut_to;    /* seconds, where the caller had wished for more; else 0 */
    unsigned retry_after_s; /* of a run that found no sandbox in time */
};

/* Whether the value belongs in words: an expression's always; what the code only bound to the name
 * result where nothing was printed, for who prints has chosen what to show. */
bool run_answer_shows_value(const struct execution_result *result);

/* Fills the call's text and images: standard output first; then the last expression's value, or
 * where nothing was printed what the code bound to result; standard error only when it holds
 * something; one trailer line. Any thread. */
void run_answer_write(const struct execution_result *result, const struct run_answer_limits *limits,
                      struct tool_call *call);

/* Bytes of one result with all its figures: what it is written into is given this cap. */
#define RUN_JSON_CAP ((size_t)24 << 20)

/* What is kept of an output, with a line that counts what is missing where it was cut. */
void run_add_stdout(const struct execution_result *result, struct buf *to);
void run_add_stderr(const struct execution_result *result, struct buf *to);

/* "stdout":"...","stderr":"...","result":"..." or null,"error":"..." or null */
void run_json_texts(const struct execution_result *result, struct buf *to);
/* The same of code that was refused. */
void run_json_refused(const char *why, size_t len, struct buf *to);
/* ,"error_info":{...} as failure_write has it, or null */
void run_json_failure(const struct failure *failure, struct buf *to);
/* [{"mime":"image/png","base64":"..."}] */
void run_json_artifacts(const struct execution_result *result, struct buf *to);

#endif
