/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sessions of a store: their names and versions, and the writes to a session as a whole.
 */
#ifndef LECTERN_STORE_ENTITIES_SESSION_H
#define LECTERN_STORE_ENTITIES_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include "mcp/store/store.h"

/* Returns 0 if the session exists. title (may be NULL) gets at most size bytes. *version (may be
 * NULL) gets the cursor, which increases with each write. */
int store_session(struct store *store, const char *sid, char *title, size_t size, int64_t *version,
                  struct error *err);
/* *version increases with each write to the node and its components (sid and node_id given), to the
 * session (node_id NULL), or to any session (both NULL). */
int store_cursor(struct store *store, const char *sid, const char *node_id, int64_t *version,
                 struct error *err);
/* The id of the only session. Otherwise ERROR_INVALID, with the titles and ids of all sessions. */
int store_only_session(struct store *store, char sid[SESSION_ID_SIZE], struct error *err);
/* The id of the session that a name means: its id, or a title that only one session has, with the
 * rules of store_node_id. what: the argument that has the name, for errors: ERROR_NOT_FOUND with
 * the nearest title or a list, ERROR_CONFLICT, ERROR_UNAUTHORIZED for a UUID that no session has.
 */
int store_session_named(struct store *store, const char *name, const char *what,
                        char sid[SESSION_ID_SIZE], struct error *err);
/* The only session with this node id, for component paths without a session. ERROR_NOT_FOUND, or
 * ERROR_CONFLICT if several sessions have it. */
int store_session_of_node(struct store *store, const char *node_id, char sid[SESSION_ID_SIZE],
                          struct error *err);

int store_session_create(struct store *store, const struct writer *writer, const char *title,
                         char sid[SESSION_ID_SIZE],
                         struct error *err); /* creates nodes N001 and N002 */

/* The caller checks the title (entity_session_check). An export contains it too. */
int store_session_rename(struct store *store, const struct writer *writer, const char *sid,
                         const char *title, struct error *err);
/* Deletes everything that belongs to the session: nodes and their map, relationships, history,
 * conversations and stored answers. Cannot be undone. Nobody sees the session after this; its rows
 * are left to store_drop_step. */
int store_session_delete(struct store *store, const struct writer *writer, const char *sid,
                         struct error *err);
/* Deletes some rows of deleted sessions in a transaction of its own, which takes a few
 * milliseconds. Returns 1 if there may be more, 0 if there are none, -1 with err. Sessions that
 * were deleted by another connection meanwhile are not looked for. Must not be called between
 * store_begin and store_end. */
int store_drop_step(struct store *store, struct error *err);

#endif
