/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Data that all servers on one database share: keys, and ids that were ended early. They are no
 * part of a curriculum: no change log, no export. A backup contains them, as it contains the whole
 * database. With a service behind the store, only its mirror contains them.
 */
#ifndef LECTERN_STORE_SHARED_H
#define LECTERN_STORE_SHARED_H

#include <stdint.h>

#include "mcp/store/store.h"

#define SECRET_SIZE 32u /* bytes */
/* The key with this name: random bytes, made by the first call of any process. STORE_WRITE. */
int store_secret(struct store *store, const char *name, unsigned char secret[SECRET_SIZE],
                 struct error *err);

#define ENDED_ID_MAX  64    /* bytes of an id, visible ASCII */
#define ENDED_IDS_CAP 65536 /* rows */
/* Records that the id is over, although it would be good until `ends` (Unix time in seconds); later
 * calls delete the row then. Durable when it returns 0. ERROR_BUSY at ENDED_IDS_CAP. */
int store_end_id(struct store *store, const char *id, int64_t ends, struct error *err);

/* How far a reader has seen the ended ids; all zero at first. */
struct ended_ids_seen {
    int64_t data_version, key;
};
/* Calls on_id for each id that was ended since *seen and would still be good, in order. Cheap if no
 * connection has written since. */
int store_ended_ids(struct store *store, struct ended_ids_seen *seen,
                    void (*on_id)(void *user, const char *id, int64_t ends), void *user,
                    struct error *err);

#endif
