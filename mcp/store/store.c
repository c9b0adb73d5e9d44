/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opening a store by its URL, and bringing it up to date where a service is the truth: each public
 * function says with store_refresh what it is about before it begins.
 */
#include "mcp/store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/store/store_import.h"
#include "mcp/store/store_internal.h"
#include "mcp/store/upstream/upstream.h"

static const struct db_backend *const backends[] = {&sqlite_backend};

/* The backend of the URL, with the path that it opens; NULL where it is no database's. */
static const struct db_backend *backend_of(const char *url, const char **path)
{
    for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++) {
        size_t len = strlen(backends[i]->scheme);

        *path = url + len;
        if (strncmp(url, backends[i]->scheme, len) == 0)
            return backends[i];
    }
    return NULL;
}

static struct store_capabilities capabilities_of(const struct db_backend *backend, bool service)
{
    return (struct store_capabilities){
        .imports = !service,
        /* A write that the service refuses takes no other with it. */
        .group_commit = backend->group_commit && !service,
        .known_before_read = !service,
        .waits_for_network = service};
}

struct store_capabilities store_url_capabilities(const char *url)
{
    const char *path;
    const struct db_backend *backend = backend_of(url, &path);

    return capabilities_of(backend ? backend : &sqlite_backend, upstream_is(url));
}

struct store_capabilities store_capabilities(const struct store *store)
{
    return capabilities_of(store->db->backend, store->upstream != NULL);
}

bool store_check_backing(const char *url, struct store_backing *backing)
{
    struct buf BUF_AUTO shown = {0};
    struct error err = {0};

    memset(backing, 0, sizeof *backing);
    if (!upstream_is(url))
        return false;
    store_show_url(url, &shown);
    backing->name = "session service";
    backing->ok = upstream_describe(url, &backing->text, &err) == 0;
    if (!backing->ok) {
        buf_clear(&backing->text);
        buf_adds(&backing->text, err.text);
    }
    snprintf(backing->fix, sizeof backing->fix, "start it; curl -i %s/health must answer",
             shown.data);
    return true;
}

void store_show_url(const char *url, struct buf *to)
{
    const char *host = strstr(url, "://"), *at, *path;

    if (!host || backend_of(url, &path)) {
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

/* Takes the database over, which may be NULL. */
static struct store *create_store(struct db *db, enum store_access access, struct error *err)
{
    struct store *store = db ? calloc(1, sizeof *store) : NULL;

    if (store)
        store->dirty = dirty_set_create();
    if (store && store->dirty) {
        store->db = db;
        store->access = access;
        buf_init(&store->import.body, 0);
        return store;
    }
    if (db) {
        error_set(err, ERROR_MEMORY, "out of memory for a store");
        db->backend->close(db);
    }
    free(store);
    return NULL;
}

struct store *store_open_file(const char *path, enum store_access access, struct error *err)
{
    return create_store(sqlite_backend.open(path, access, err), access, err);
}

struct store *store_open(const char *url, enum store_access access, struct error *err)
{
    const char *path;
    const struct db_backend *backend = backend_of(url, &path);
    struct buf BUF_AUTO shown = {0};

    if (backend)
        return create_store(backend->open(path, access, err), access, err);
    if (upstream_is(url))
        return upstream_open(url, access, err);
    store_show_url(url, &shown);
    error_set(err, ERROR_INVALID,
              "cannot open the store '%s': send sqlite:PATH, the embedded store in a file, or "
              "http://HOST:PORT, a service that speaks the session API",
              shown.data);
    return NULL;
}

struct store *store_trial_open(struct store *store, const char *sid, bool history,
                               struct error *err)
{
    if (store_catch_up(store, sid, err) != 0)
        return NULL;
    if (store->depth > 0) { /* what is not committed yet would be missing */
        error_set(err, ERROR_INTERNAL, "a trial within a transaction");
        return NULL;
    }
    return create_store(store->db->backend->open_copy(store->db, sid, history, err), STORE_WRITE,
                        err);
}

void store_close(struct store *store)
{
    if (!store)
        return;
    if (store->import.active)
        store_import_end(store, false, NULL);
    buf_finish(&store->import.body);
    if (store->upstream)
        store->upstream->close(store->upstream);
    dirty_set_destroy(store->dirty);
    store->db->backend->close(store->db);
    free(store);
}

int store_backup(struct store *store, const char *path, db_step_fn *on_step, void *user,
                 struct error *err)
{
    if (store->depth > 0 || store->snapshot)
        return error_set(err, ERROR_INTERNAL, "a backup within a transaction");
    return store->db->backend->backup(store->db, path, on_step, user, err);
}

int store_check(struct store *store, struct error *err)
{
    return store->db->backend->check(store->db, err);
}

int store_refresh(struct store *store, unsigned scope, const char *sid, const char *node_id,
                  struct error *err)
{
    struct upstream *upstream = store->upstream;
    int rc;

    if (!upstream)
        return 0;
    if (store->waiter)
        store->waiter(store->waiter_user, true);
    rc = upstream->refresh(upstream, store, scope, sid, node_id, err);
    if (store->waiter)
        store->waiter(store->waiter_user, false);
    return rc;
}

int store_catch_up(struct store *store, const char *sid, struct error *err)
{
    return store_refresh(store, UPSTREAM_ALL | UPSTREAM_PASS_OVER, sid, NULL, err);
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
    store->db->observer = observer;
    store->db->observer_user = user;
}

void store_on_wait(struct store *store, store_waiter *waiter, void *user)
{
    store->waiter = waiter;
    store->waiter_user = user;
}
