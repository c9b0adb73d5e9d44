/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The conversations of the chat (mcp/chat/thread.h): JSON that the store does not interpret. They
 * are no part of the curriculum: no change log, no version, no export. With a service behind the
 * store, only its mirror contains them.
 */
#ifndef LECTERN_STORE_THREAD_H
#define LECTERN_STORE_THREAD_H

#include <stddef.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "mcp/store/store.h"

/* Appends {"thread_id", "title", "updated_at"} of the newest threads, at most `most`, as a JSON
 * array. */
int store_threads_read(struct store *store, const char *sid, size_t most, struct buf *json,
                       struct error *err);

/* {"thread_id", "title", "interrupts": [...], "messages": [...]}. ERROR_NOT_FOUND if the session
 * has no such thread. */
int store_thread_read(struct store *store, const char *sid, const char *thread_id, struct buf *json,
                      struct error *err);

/* Appends messages to a thread that has `there` messages (0: creates it, with this title), and
 * replaces its interrupts. Durable when it returns 0. ERROR_STALE if it has another number of
 * messages, because somebody else wrote to it. */
int store_thread_append(struct store *store, const char *sid, const char *thread_id,
                        const char *title, size_t there, const json_t *messages,
                        const json_t *interrupts, struct error *err);

#endif
