/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opening a store by its URL, and bringing it up to date where a service is the truth: each public
 * function says with store_refresh what it is about before it begins.
 */
#include "mcp/store/store.h"

#include <string.h>

#include "mcp/store/store_internal.h"
#include "mcp/store/upstream/upstream.h"

static const char scheme[] = "sqlite:";

bool store_is_service(const char *url)
{
    return upstream_is(url);
}

int store_describe_service(const char *url, struct buf *words, struct error *err)
{
    return upstream_describe(url, words, err);
}

void store_show_url(const char *url, struct buf *to)
{
    const char *host = strstr(url, "://"), *at;

    if (!host || !strncmp(url, scheme, sizeof scheme - 1)) {
        buf_adds(to, url);
        return;
    }
    host += 3;
    at = memrchr(host, '@', strcspn(host, "/?#"));
    buf_add(to, url, (size_t)(host - url));
    if (at)
        host = at + 1;
    buf_add(to, host, strcspn(host, "#"));
}

struct store *store_open(const char *url, enum store_access access, struct error *err)
{
    struct buf BUF_AUTO shown = {0};

    if (!strncmp(url, scheme, sizeof scheme - 1))
        return store_open_file(url + sizeof scheme - 1, access, err);
    if (upstream_is(url))
        return upstream_open(url, access, err);
    store_show_url(url, &shown);
    error_set(err, ERROR_INVALID,
              "cannot open the store '%s': send sqlite:PATH, the embedded store in a file, or "
              "http://HOST:PORT, a service that speaks the session API",
              shown.data);
    return NULL;
}

int store_refresh(struct store *store, unsigned scope, const char *sid, const char *node_id,
                  struct error *err)
{
    struct upstream *upstream = store->upstream;

    return upstream ? upstream->refresh(upstream, store, scope, sid, node_id, err) : 0;
}

int store_refresh_unknown(struct store *store, const char *sid, struct error *err)
{
    struct session_found found;

    if (!store->upstream || store_session_find(store, sid, &found, NULL) == 0)
        return 0;
    return store_refresh(store, UPSTREAM_SESSION, sid, NULL, err);
}

void store_observe(struct store *store, store_observer *observer, void *user)
{
    store->observer = observer;
    store->observer_user = user;
}

bool store_is_copy(const struct store *store)
{
    return store->upstream != NULL;
}
