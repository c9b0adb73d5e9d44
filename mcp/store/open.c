/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opening a store by its URL: a database, or a service with its copy. Nothing else of the store
 * knows which there are.
 */
#include <stdio.h>
#include <string.h>

#include "mcp/store/store_internal.h"

static const struct db_backend *const backends[] = {&sqlite_backend};

/* The backend of the URL, and the path that it opens; NULL if the URL is not a database's. */
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

    return capabilities_of(backend ? backend : &sqlite_backend, service_mirror.is(url));
}

struct store_capabilities store_capabilities(const struct store *store)
{
    return capabilities_of(store->db->backend, store->mirror != NULL);
}

bool store_check_backing(const char *url, struct store_backing *backing)
{
    struct buf BUF_AUTO shown = {0};
    struct error err = {0};

    memset(backing, 0, sizeof *backing);
    if (!service_mirror.is(url))
        return false;
    store_show_url(url, &shown);
    backing->name = "session service";
    backing->ok = service_mirror.describe(url, &backing->text, &err) == 0;
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

struct db *db_open(const char *url, enum db_schema schema, enum store_access access,
                   struct error *err)
{
    const char *path;
    const struct db_backend *backend = backend_of(url, &path);

    if (backend)
        return backend->open(path, schema, access, err);
    error_set(err, ERROR_INVALID, "the database must be sqlite:PATH");
    return NULL;
}

struct store *store_open(const char *url, enum store_access access, struct error *err)
{
    const char *path;
    const struct db_backend *backend = backend_of(url, &path);
    struct buf BUF_AUTO shown = {0};

    if (backend)
        return store_open_path(backend, path, access, err);
    if (service_mirror.is(url))
        return service_mirror.open(url, access, err);
    store_show_url(url, &shown);
    error_set(err, ERROR_INVALID,
              "cannot open the store '%s': send sqlite:PATH, the embedded store in a file, or "
              "http://HOST:PORT, a service that speaks the session API",
              shown.data);
    return NULL;
}
