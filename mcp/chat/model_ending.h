/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How an attempt to ask the model has ended, for model.c: whether it is made anew, what went wrong
 * in words for an editor, and the line of the log. On the loop's thread, when the attempt is over.
 */
#ifndef LECTERN_CHAT_MODEL_ENDING_H
#define LECTERN_CHAT_MODEL_ENDING_H

#include "mcp/chat/model_service.h"

/* Whether another attempt may fare better; then *wait_ms is how long to wait before it. */
bool model_ending_may_pass(const struct model_transfer *transfer, unsigned *wait_ms);

/* Why it has no whole message; never with a key in it. */
void model_ending_tell(const struct model_transfer *transfer, const struct model_service *service,
                       struct error *err);

void model_ending_log(const struct model_transfer *transfer, const struct model_service *service);

#endif
