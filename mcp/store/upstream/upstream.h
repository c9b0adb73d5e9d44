/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A store whose truth is a service that speaks the session API (http://HOST:8000), with a copy in a
 * file of ours. The copy holds what the service cannot keep: history, component ids, revisions.
 * Each read and write first brings the copy up to date in what it is about; each write is passed on
 * before it is committed here.
 */
#ifndef LECTERN_STORE_UPSTREAM_H
#define LECTERN_STORE_UPSTREAM_H

#include <stdbool.h>

#include "mcp/store/store.h"

#define UPSTREAM_SECONDS_DEFAULT 10 /* of one request to the service */
#define UPSTREAM_SECONDS_MAX     600

/* Whether the store's URL names a service. */
bool upstream_is(const char *url);

/* url: "http://HOST:PORT#COPY?seconds=N", COPY the path of the copy's file. The service is not
 * asked yet: it may be away. Reading and writing both write the copy; STORE_LOOK opens the copy
 * alone. SESSION_API_TOKEN in the environment is sent as a bearer token. */
struct store *upstream_open(const char *url, enum store_access access, struct error *err);

/* Whether the service answers, and what it can do, in words. The copy is not opened. */
int upstream_describe(const char *url, struct buf *words, struct error *err);

#endif
