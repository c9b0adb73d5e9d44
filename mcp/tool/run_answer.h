/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The result of a run in words for a model: standard output first; then the last expression's
 * value; standard error only when the run failed or it holds something; one trailer line.
 */
#ifndef LECTERN_TOOL_RUN_ANSWER_H
#define LECTERN_TOOL_RUN_ANSWER_H

#include "executor/executor.h"
#include "mcp/tool/tool.h"

/* Appends the answer; returns the category. Any thread. */
enum tool_category run_answer_write(const struct execution_result *result, struct buf *to);

#endif
