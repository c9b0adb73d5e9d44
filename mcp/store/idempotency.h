/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answers of completed calls by their idempotency keys, for calls that are sent again.
 */
#ifndef LECTERN_STORE_IDEMPOTENCY_H
#define LECTERN_STORE_IDEMPOTENCY_H

#include <stddef.h>

#include "helpers/base/buf.h"
#include "mcp/store/store.h"

#define IDEMPOTENCY_KEY_MAX 200   /* bytes */
#define ANSWERS_KEPT_S      86400 /* at least; later answers replace expired ones */
#define ANSWER_BODY_CAP                                                                            \
    ((size_t)1 << 20) /* a longer answer is not stored, only that the call was completed; a        \
                         repeated call gets a message that says so */

struct idempotency_record {
    int status;
    struct buf body; /* owned */
};
/* Called between store_begin and store_end, before the writes of the call. Returns 1 if the call
 * was completed (*answer gets its answer), 0 if not, and -1 with ERROR_CONFLICT if the key was used
 * for a different call. fingerprint is a text that represents the whole call. */
int store_idempotency_find(struct store *store, const char *key, const char *fingerprint,
                           struct idempotency_record *answer, struct error *err);
/* Called after the writes, in the same transaction: both are committed, or neither. sid: the
 * session with which the answer is deleted, or NULL. */
int store_idempotency_keep(struct store *store, const char *sid, const char *key,
                           const char *fingerprint, int status, const char *body, size_t len,
                           struct error *err);
/* Replaces the body of a stored answer, to add what was computed after its transaction. */
int store_idempotency_amend(struct store *store, const char *key, const char *body, size_t len,
                            struct error *err);

#endif
