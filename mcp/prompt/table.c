/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/prompt/table.h"

const struct prompt *const prompts[] = {&prompt_review_prerequisites, NULL};
