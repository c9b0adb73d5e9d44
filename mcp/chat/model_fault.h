/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why an attempt to ask the model failed, in words for an editor: of the connection, or of what the
 * service answered. Pure, any thread.
 */
#ifndef LECTERN_CHAT_MODEL_FAULT_H
#define LECTERN_CHAT_MODEL_FAULT_H

#include "mcp/chat/model_service.h"

/* An answer that is an error, or none at all; not a stream that could not be read. Returns -1. */
int model_fault_tell(const struct model_transfer *transfer, const struct model_service *service,
                     struct error *err);

/* Stars in the place of a secret, or of so much of it as tells it; secret may be NULL. */
void model_fault_hide(char *text, const char *secret);

#endif
