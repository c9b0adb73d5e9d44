/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opens the mirror of a service and the connection to the service. SESSION_API_TOKEN in the
 * environment is sent as a bearer token.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mcp/mirror/service.h"
#include "mcp/store/store_internal.h"

#define TOKEN_NAME "SESSION_API_TOKEN"
#define TOKEN_CAP  4096

#define UPSTREAM_SECONDS_DEFAULT 8 /* for one request to the service */
#define UPSTREAM_SECONDS_MAX     600

static bool upstream_is(const char *url)
{
    return strncmp(url, "http://", 7) == 0 || strncmp(url, "https://", 8) == 0;
}

static void close_remote(struct upstream *upstream)
{
    struct remote *remote = remote_of(upstream);

    store_close(remote->before);
    http_client_destroy(remote->client);
    if (upstream->shared >= 0)
        close(upstream->shared);
    json_decref(remote->owned);
    json_decref(remote->fresh);
    json_decref(remote->states);
    if (remote->authorization)
        explicit_bzero(remote->authorization, strlen(remote->authorization));
    free(remote->authorization);
    free(remote->copy);
    free(remote->url);
    free(remote);
}

/* Parses "#PATH?seconds=N&one_session=1" after the address. */
static int read_url(struct remote *remote, const char *url, struct error *err)
{
    const char *mark = strchr(url, '#'), *query;
    size_t len = mark ? (size_t)(mark - url) : strlen(url);
    long seconds = UPSTREAM_SECONDS_DEFAULT;

    if (!mark || !mark[1] || mark[1] == '?')
        return error_set(err, ERROR_INVALID,
                         "the service's store needs the path of its copy: http://HOST:PORT#PATH");
    if (memchr(url, '@', len))
        return error_set(
            err, ERROR_INVALID,
            "--store takes no user and password: give the service's token as " TOKEN_NAME
            " in the environment");
    query = strstr(mark, "?seconds=");
    if (query)
        seconds = strtol(query + 9, NULL, 10);
    remote->one_session = query && strstr(query, "&one_session=1");
    if (seconds < 1 || seconds > UPSTREAM_SECONDS_MAX)
        return error_set(err, ERROR_INVALID, "the service's time is 1 to %d seconds",
                         UPSTREAM_SECONDS_MAX);
    remote->total_ms = (unsigned)seconds * 1000;
    while (len > 0 && url[len - 1] == '/')
        len--;
    remote->url = strndup(url, len);
    remote->copy = query ? strndup(mark + 1, (size_t)(query - mark - 1)) : strdup(mark + 1);
    if (!remote->url || !remote->copy)
        return error_set(err, ERROR_MEMORY, "out of memory for a store");
    return 0;
}

static int read_token(struct remote *remote, struct error *err)
{
    const char *token = getenv(TOKEN_NAME); /* NOLINT(concurrency-mt-unsafe): set before threads */
    static const char head[] = "Authorization: Bearer ";
    size_t len = token ? strlen(token) : 0;

    if (len == 0)
        return 0;
    if (len > TOKEN_CAP || strpbrk(token, "\r\n"))
        return error_set(err, ERROR_INVALID, TOKEN_NAME " is one line of at most %d bytes",
                         TOKEN_CAP);
    remote->authorization = malloc(sizeof head + len);
    if (!remote->authorization)
        return error_set(err, ERROR_MEMORY, "out of memory for a store");
    memcpy(remote->authorization, head, sizeof head - 1);
    memcpy(remote->authorization + sizeof head - 1, token, len + 1);
    return 0;
}

/* In the folder that opening the copy has made. */
static int open_shared(struct remote *remote, struct error *err)
{
    struct buf BUF_AUTO path = {0};

    buf_addf(&path, "%s-locks", remote->copy);
    if (buf_check(&path, "a path", err) < 0)
        return -1;
    remote->base.shared = open(path.data, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return remote->base.shared >= 0 ? 0 : error_errno(err, errno, "cannot open %s", path.data);
}

static struct remote *create_remote(const char *url, struct error *err)
{
    struct remote *remote = calloc(1, sizeof *remote);

    if (!remote) {
        error_set(err, ERROR_MEMORY, "out of memory for a store");
        return NULL;
    }
    remote->base = (struct upstream){.shared = -1,
                                     .refresh = remote_refresh,
                                     .own = remote_own,
                                     .push = remote_push,
                                     .ended = remote_ended,
                                     .create = remote_create,
                                     .remove = remote_remove,
                                     .close = close_remote};
    remote->fresh = json_object();
    remote->states = json_object();
    remote->owned = json_object();
    if (read_url(remote, url, err) == 0 && read_token(remote, err) == 0)
        remote->client = http_client_create(err);
    if (remote->client)
        return remote;
    close_remote(&remote->base);
    return NULL;
}

static struct store *upstream_open(const char *url, enum store_access access, struct error *err)
{
    struct remote *remote = create_remote(url, err);
    struct store *store;

    if (!remote)
        return NULL;
    store = store_open_path(&sqlite_backend, remote->copy,
                            access == STORE_LOOK ? STORE_LOOK : STORE_WRITE, err);
    if (store && access != STORE_LOOK && open_shared(remote, err) != 0) {
        store_close(store);
        store = NULL;
    }
    if (store && access != STORE_LOOK)
        store->upstream = &remote->base;
    else
        close_remote(&remote->base);
    return store;
}

static int upstream_describe(const char *url, struct buf *words, struct error *err)
{
    struct remote *remote = create_remote(url, err);
    int rc;

    if (!remote)
        return -1;
    remote_begin(remote, 2);
    rc = remote_know(remote, NULL, err);
    if (rc == 0) {
        buf_addf(words, "the service %s answers; ", remote->url);
        remote_describe(remote, words);
        rc = buf_check(words, "the description", err);
    }
    close_remote(&remote->base);
    return rc;
}

const struct mirror_opener service_mirror = {
    .is = upstream_is, .open = upstream_open, .describe = upstream_describe};
