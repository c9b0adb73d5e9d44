/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A store whose system of record is a service with the session API (http://HOST:8000), with a copy
 * in a local file. The copy also stores what the service cannot: history, component ids, revisions.
 * Each read and write first updates the parts of the copy that it uses; each write is sent to the
 * service before it is committed here.
 */
#ifndef LECTERN_STORE_UPSTREAM_H
#define LECTERN_STORE_UPSTREAM_H

#include <stdbool.h>

#include "mcp/store/store.h"

#define UPSTREAM_SECONDS_DEFAULT 8 /* for one request to the service */
#define UPSTREAM_SECONDS_MAX     600

/* Whether the URL of the store names a service. */
bool upstream_is(const char *url);

/* url is "http://HOST:PORT#COPY?seconds=N&one_session=1", where COPY is the path of the copy's
 * file. Sends nothing yet, so the service may be down. Reading and writing both write the copy;
 * STORE_LOOK only opens the copy. SESSION_API_TOKEN in the environment is sent as a bearer token.
 */
struct store *upstream_open(const char *url, enum store_access access, struct error *err);

/* Says in words whether the service answers, and what it can do. Does not open the copy. */
int upstream_describe(const char *url, struct buf *words, struct error *err);

#endif
