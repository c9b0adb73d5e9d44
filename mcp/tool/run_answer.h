/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The result of a run in words for a model: standard output first; then the last expression's
 * value, or where nothing was printed what the code bound to result; standard error only when the
 * run failed or it holds something; one trailer line. Figures go behind it as images.
 */
#ifndef LECTERN_TOOL_RUN_ANSWER_H
#define LECTERN_TOOL_RUN_ANSWER_H

#include "executor/executor.h"
#include "mcp/tool/tool.h"

struct run_answer_limits {
    size_t stdout_characters, stderr_characters; /* shown at most; the middle is left out */
    long timeout_cut_to;    /* seconds, where the caller had wished for more; else 0 */
    unsigned retry_after_s; /* of a run that found no sandbox in time */
};

/* Whether the value belongs in words: an expression's always; what the code only bound to the name
 * result where nothing was printed, for who prints has chosen what to show. */
bool run_answer_shows_value(const struct execution_result *result);

/* Fills the call's text and images. Any thread. */
void run_answer_write(const struct execution_result *result, const struct run_answer_limits *limits,
                      struct tool_call *call);

#endif
