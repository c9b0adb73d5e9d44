/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Conversations in the store, as the chat keeps them (mcp/chat/thread.h): JSON that the store does
 * not look into, beside the curriculum and no part of it: no change log, no version, no export. In
 * front of a service they are in the copy alone. Errors as in store.h.
 */
#ifndef LECTERN_STORE_THREAD_H
#define LECTERN_STORE_THREAD_H

#include "mcp/store/store.h"

/* {"thread_id", "title", "updated_at"} of the newest, most of them, appended as a JSON array. */
int store_threads_read(struct store *store, const char *sid, size_t most, struct buf *json,
                       struct error *err);

/* {"thread_id", "title", "interrupts": [...], "messages": [...]}; ERROR_NOT_FOUND where the
 * session has none of that id. */
int store_thread_read(struct store *store, const char *sid, const char *thread_id, struct buf *json,
                      struct error *err);

/* Adds messages behind the `there` ones it has already (0: it is made, with that title) and puts
 * interrupts in place of those before; durable when it returns 0. ERROR_STALE where it has another
 * number: somebody else wrote to it. */
int store_thread_append(struct store *store, const char *sid, const char *thread_id,
                        const char *title, size_t there, const json_t *messages,
                        const json_t *interrupts, struct error *err);

/* Bytes of the session's curriculum as a model would have to read it: nodes, components and
 * relationships as JSON. */
int store_content_bytes(struct store *store, const char *sid, int64_t *bytes, struct error *err);

#endif
