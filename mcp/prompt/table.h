/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The prompts, in the order of prompts/list. A new one is its file and a row in table.c.
 */
#ifndef LECTERN_PROMPT_TABLE_H
#define LECTERN_PROMPT_TABLE_H

#include "mcp/prompt/prompt.h"

extern const struct prompt prompt_review_prerequisites;

#endif
