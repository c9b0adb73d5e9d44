/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One event of a model's answer while it is taken in: between model_message.c, which knows the
 * events, and model_block.c, which knows content blocks.
 */
#ifndef LECTERN_CHAT_MODEL_EVENT_H
#define LECTERN_CHAT_MODEL_EVENT_H

#include "mcp/chat/json_mend.h"
#include "mcp/chat/model_message.h"

/* Everything is borrowed. */
struct model_event {
    struct model_message *message;
    const struct model_listener *listener;
    void *user;
    const json_t *data;
    size_t len; /* bytes of the data */
    struct json_halves halves;
};

int model_block_start(struct model_event *event, struct error *err);
int model_block_delta(struct model_event *event, struct error *err);
int model_block_stop(struct model_event *event, struct error *err);

/* Return -1. */
int model_malformed(struct error *err, const char *why);
int model_no_memory(struct error *err);

#endif
