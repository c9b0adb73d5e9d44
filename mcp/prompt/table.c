/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/prompt/prompt.h"

const struct prompt *const prompts[] = {&prompt_review_prerequisites, NULL};
