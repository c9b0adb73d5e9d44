/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sealed ids that were ended before their time, such as the id of an MCP session after DELETE. They
 * are rows of the store, and a set in memory that is compared with the store before each answer, so
 * that what another process on the same store has ended is over here too. On the loop's thread.
 */
#ifndef LECTERN_TRANSPORT_ENDED_IDS_H
#define LECTERN_TRANSPORT_ENDED_IDS_H

#include <stdint.h>

#include "helpers/base/error.h"

#define ENDED_ID_SIZE 16u /* bytes of an id, which are random */
#define ENDED_LOOK_MS 1   /* between two looks at the store */

struct ended_ids;
struct loop_queue;
struct workq;

/* url: the store that is read; sql: the work queue that writes it. Both NULL: only in memory, for a
 * server without a store. The queues are borrowed. */
struct ended_ids *ended_ids_create(const char *url, struct workq *sql,
                                   struct loop_queue *loop_queue, struct error *err);
/* After the work queue has ended and the tasks of its jobs have run. Takes NULL. */
void ended_ids_destroy(struct ended_ids *ended);

/* 1: the id is over. 0: it is not. -1: the store cannot be read. */
int ended_ids_has(struct ended_ids *ended, const unsigned char id[ENDED_ID_SIZE],
                  struct error *err);

struct ended_id; /* one on its way into the store */
typedef void ended_id_done(void *user, const struct error *err);

/* Ends the id, which would be good until `ends` (Unix time, seconds). on_done is called later, with
 * err NULL when the store has it. Until then the result is borrowed, for ended_id_forget. NULL: not
 * begun, and on_done is not called. */
struct ended_id *ended_ids_end(struct ended_ids *ended, const unsigned char id[ENDED_ID_SIZE],
                               int64_t ends, ended_id_done *on_done, void *user, struct error *err);
/* on_done is not called; the id ends all the same. */
void ended_id_forget(struct ended_id *job);

#endif
