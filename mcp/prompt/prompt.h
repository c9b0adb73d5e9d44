/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The prompts that a person can choose in a client: one const table.
 */
#ifndef LECTERN_PROMPT_H
#define LECTERN_PROMPT_H

#include "mcp/tool/tool.h"

struct prompt {
    /* Makes it: a tool whose name, title, description and arguments are the prompt's. The prompt is
     * its text as one message of the user, or `parts`, messages in the protocol's form. */
    const struct tool *get;
    const struct tool *complete; /* as of a resource, for its arguments; or NULL */
    const char *template;        /* for prompt_fill, if the prompt is only that; or NULL */
};

/* In the order of prompts/list; NULL-terminated: prompts.c. */
extern const struct prompt *const prompts[];

const struct prompt *prompt_find(const char *name); /* NULL if there is none */

/* Appends a template: $name is the argument with that name, and [[...]] is left out unless all
 * arguments named in it are there. */
void prompt_fill(const char *template, const json_t *arguments, struct buf *to);

#endif
