/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/prompt/prompt.h"

#include <string.h>

const struct prompt *prompt_find(const char *name)
{
    for (size_t i = 0; prompts[i]; i++) {
        if (strcmp(prompts[i]->get->name, name) == 0)
            return prompts[i];
    }
    return NULL;
}
