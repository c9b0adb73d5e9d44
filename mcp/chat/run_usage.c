/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a run has cost, as it is told and kept. Pure.
 */
#include "mcp/chat/run.h"

json_t *run_usage_json(const struct run_usage *usage)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:i, s:I}", "inputTokens",
                     (json_int_t)model_usage_input(&usage->tokens), "cachedInputTokens",
                     (json_int_t)usage->tokens.cache_read, "cacheWriteInputTokens",
                     (json_int_t)usage->tokens.cache_write, "outputTokens",
                     (json_int_t)usage->tokens.output, "requests", (int)usage->requests,
                     "wholeCurriculumTokens", (json_int_t)usage->whole_curriculum);
}
