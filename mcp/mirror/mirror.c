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

#define SERVICE_SECONDS_DEFAULT 8 /* for one request to the service */
#define SERVICE_SECONDS_MAX     600

static bool is_service_url(const char *url)
{
    return strncmp(url, "http://", 7) == 0 || strncmp(url, "https://", 8) == 0;
}

static void close_service(struct mirror *mirror)
{
    struct service *service = service_of(mirror);

    store_close(service->before);
    http_client_destroy(service->client);
    if (mirror->shared >= 0)
        close(mirror->shared);
    json_decref(service->owned);
    json_decref(service->fresh);
    json_decref(service->states);
    if (service->authorization)
        explicit_bzero(service->authorization, strlen(service->authorization));
    free(service->authorization);
    free(service->mirror_path);
    free(service->url);
    free(service);
}

/* Parses "#PATH?seconds=N&one_session=1" after the address. */
static int read_url(struct service *service, const char *url, struct error *err)
{
    const char *mark = strchr(url, '#'), *query;
    size_t len = mark ? (size_t)(mark - url) : strlen(url);
    long seconds = SERVICE_SECONDS_DEFAULT;

    if (!mark || !mark[1] || mark[1] == '?')
        return error_set(err, ERROR_INVALID,
                         "the service's store needs the path of its mirror: http://HOST:PORT#PATH");
    if (memchr(url, '@', len))
        return error_set(
            err, ERROR_INVALID,
            "--store takes no user and password: give the service's token as " TOKEN_NAME
            " in the environment");
    query = strstr(mark, "?seconds=");
    if (query)
        seconds = strtol(query + 9, NULL, 10);
    service->one_session = query && strstr(query, "&one_session=1");
    if (seconds < 1 || seconds > SERVICE_SECONDS_MAX)
        return error_set(err, ERROR_INVALID, "the service's time is 1 to %d seconds",
                         SERVICE_SECONDS_MAX);
    service->total_ms = (unsigned)seconds * 1000;
    while (len > 0 && url[len - 1] == '/')
        len--;
    service->url = strndup(url, len);
    service->mirror_path = query ? strndup(mark + 1, (size_t)(query - mark - 1)) : strdup(mark + 1);
    if (!service->url || !service->mirror_path)
        return error_set(err, ERROR_MEMORY, "out of memory for a store");
    return 0;
}

static int read_token(struct service *service, struct error *err)
{
    const char *token = getenv(TOKEN_NAME); /* NOLINT(concurrency-mt-unsafe): set before threads */
    static const char head[] = "Authorization: Bearer ";
    size_t len = token ? strlen(token) : 0;

    if (len == 0)
        return 0;
    if (len > TOKEN_CAP || strpbrk(token, "\r\n"))
        return error_set(err, ERROR_INVALID, TOKEN_NAME " is one line of at most %d bytes",
                         TOKEN_CAP);
    service->authorization = malloc(sizeof head + len);
    if (!service->authorization)
        return error_set(err, ERROR_MEMORY, "out of memory for a store");
    memcpy(service->authorization, head, sizeof head - 1);
    memcpy(service->authorization + sizeof head - 1, token, len + 1);
    return 0;
}

/* In the folder that opening the mirror has made. */
static int open_shared(struct service *service, struct error *err)
{
    struct buf BUF_AUTO path = {0};

    buf_addf(&path, "%s-locks", service->mirror_path);
    if (buf_check(&path, "a path", err) < 0)
        return -1;
    service->base.shared = open(path.data, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return service->base.shared >= 0 ? 0 : error_errno(err, errno, "cannot open %s", path.data);
}

static struct service *create_service(const char *url, struct error *err)
{
    struct service *service = calloc(1, sizeof *service);

    if (!service) {
        error_set(err, ERROR_MEMORY, "out of memory for a store");
        return NULL;
    }
    service->base = (struct mirror){.shared = -1,
                                    .refresh = service_refresh,
                                    .own = service_own,
                                    .push = service_push,
                                    .ended = service_ended,
                                    .create = service_create,
                                    .remove = service_remove,
                                    .close = close_service};
    service->fresh = json_object();
    service->states = json_object();
    service->owned = json_object();
    if (read_url(service, url, err) == 0 && read_token(service, err) == 0)
        service->client = http_client_create(err);
    if (service->client)
        return service;
    close_service(&service->base);
    return NULL;
}

static struct store *open_url(const char *url, enum store_access access, struct error *err)
{
    struct service *service = create_service(url, err);
    struct store *store;

    if (!service)
        return NULL;
    store = store_open_path(&sqlite_backend, service->mirror_path,
                            access == STORE_LOOK ? STORE_LOOK : STORE_WRITE, err);
    if (store && access != STORE_LOOK && open_shared(service, err) != 0) {
        store_close(store);
        store = NULL;
    }
    if (store && access != STORE_LOOK)
        store->mirror = &service->base;
    else
        close_service(&service->base);
    return store;
}

static int describe_url(const char *url, struct buf *words, struct error *err)
{
    struct service *service = create_service(url, err);
    int rc;

    if (!service)
        return -1;
    service_begin(service, 2);
    rc = service_know(service, NULL, err);
    if (rc == 0) {
        buf_addf(words, "the service %s answers; ", service->url);
        service_describe(service, words);
        rc = buf_check(words, "the description", err);
    }
    close_service(&service->base);
    return rc;
}

const struct mirror_opener service_mirror = {
    .is = is_service_url, .open = open_url, .describe = describe_url};
