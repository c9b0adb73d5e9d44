/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The result of a run as JSON, in the pieces that POST /execute and `lectern exec --json` share,
 * and its output as text, whole.
 */
#ifndef LECTERN_TOOL_RUN_JSON_H
#define LECTERN_TOOL_RUN_JSON_H

#include "executor/executor.h"
#include "helpers/base/buf.h"
#include "mcp/tool/failure.h"

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
