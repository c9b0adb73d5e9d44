/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/docker_api.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOST_CAP    512
#define PATH_CAP    1024
#define DEFAULT_API "1.41" /* of a daemon that does not say */

struct docker_api {
    char host[HOST_CAP];
    char unix_socket[HOST_CAP]; /* "" for TCP */
    char base[HOST_CAP];        /* "http://localhost" */
    char version[16];
    char server[96];
    char ca[PATH_CAP], cert[PATH_CAP], key[PATH_CAP];
    struct http_tls tls;
    bool secure;
    pthread_mutex_t lock;
    struct http_client *idle[DOCKER_CLIENTS_CAP];
    size_t idle_count;
};

const char *docker_api_host(const struct docker_api *api)
{
    return api->host;
}

const char *docker_api_version(const struct docker_api *api)
{
    return api->version;
}

const char *docker_api_server(const struct docker_api *api)
{
    return api->server;
}

/* ---- where the daemon is ---- */

static bool is_socket(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISSOCK(status.st_mode);
}

static const char *environment(const char *name)
{
    const char *value =
        getenv(name); // NOLINT(concurrency-mt-unsafe): nothing here changes the environment

    return value && value[0] ? value : NULL;
}

/* The system's daemon, else one of the user's own: rootless, Docker Desktop, Podman. */
static void find_default(char host[HOST_CAP])
{
    static const struct {
        const char *variable, *behind;
    } places[] = {
        {"XDG_RUNTIME_DIR", "/docker.sock"},
        {"HOME", "/.docker/run/docker.sock"},
        {"HOME", "/.docker/desktop/docker.sock"},
        {"XDG_RUNTIME_DIR", "/podman/podman.sock"},
    };
    char path[HOST_CAP];

    snprintf(host, HOST_CAP, "unix:///var/run/docker.sock");
    for (size_t i = 0; i < sizeof places / sizeof *places && !is_socket(host + strlen("unix://"));
         i++) {
        const char *folder = environment(places[i].variable);

        if (!folder)
            continue;
        snprintf(path, sizeof path, "%.400s%s", folder, places[i].behind);
        if (is_socket(path))
            snprintf(host, HOST_CAP, "unix://%.500s", path);
    }
}

static void set_tls(struct docker_api *api)
{
    const char *folder = environment("DOCKER_CERT_PATH");

    api->secure = environment("DOCKER_TLS_VERIFY") != NULL;
    if (api->secure && folder) {
        snprintf(api->ca, sizeof api->ca, "%.1000s/ca.pem", folder);
        snprintf(api->cert, sizeof api->cert, "%.1000s/cert.pem", folder);
        snprintf(api->key, sizeof api->key, "%.1000s/key.pem", folder);
        api->tls = (struct http_tls){.ca = api->ca, .cert = api->cert, .key = api->key};
    }
}

static int set_host(struct docker_api *api, const char *host, struct error *err)
{
    char found[HOST_CAP];

    if (!host)
        host = environment("DOCKER_HOST");
    if (!host) {
        find_default(found);
        host = found;
    }
    if (strlen(host) >= HOST_CAP)
        return error_set(err, ERROR_INVALID, "the Docker daemon's address is too long");
    memcpy(api->host, host, strlen(host) + 1);
    if (strncmp(host, "unix://", 7) == 0 || host[0] == '/') {
        snprintf(api->unix_socket, sizeof api->unix_socket, "%s", host[0] == '/' ? host : host + 7);
        snprintf(api->base, sizeof api->base, "http://localhost");
        return 0;
    }
    if (strncmp(host, "tcp://", 6) == 0) {
        set_tls(api);
        snprintf(api->base, sizeof api->base, "%s://%.500s", api->secure ? "https" : "http",
                 host + 6);
        return 0;
    }
    if (strncmp(host, "http://", 7) == 0 || strncmp(host, "https://", 8) == 0) {
        set_tls(api);
        snprintf(api->base, sizeof api->base, "%s", host);
        return 0;
    }
    return error_set(err, ERROR_INVALID,
                     "'%s' is no address of a Docker daemon that can be reached: unix:///PATH or "
                     "tcp://HOST:PORT",
                     host);
}

/* ---- calls ---- */

static struct http_client *take_client(struct docker_api *api, struct error *err)
{
    struct http_client *client = NULL;

    pthread_mutex_lock(&api->lock);
    if (api->idle_count > 0)
        client = api->idle[--api->idle_count];
    pthread_mutex_unlock(&api->lock);
    return client ? client : http_client_create(err);
}

static void put_client(struct docker_api *api, struct http_client *client)
{
    pthread_mutex_lock(&api->lock);
    if (api->idle_count < DOCKER_CLIENTS_CAP) {
        api->idle[api->idle_count++] = client;
        client = NULL;
    }
    pthread_mutex_unlock(&api->lock);
    http_client_destroy(client);
}

static struct http_request base_request(const struct docker_api *api, const char *method,
                                        const char *url)
{
    return (struct http_request){
        .method = method,
        .url = url,
        .unix_socket = api->unix_socket[0] ? api->unix_socket : NULL,
        .connect_ms = DOCKER_PING_MS,
        .total_ms = DOCKER_CALL_MS,
        .direct = true,
        .tls = api->secure ? &api->tls : NULL,
        .response_cap = DOCKER_ANSWER_CAP,
    };
}

static long send_call(struct docker_api *api, const struct http_request *request, json_t **answer,
                      struct error *err)
{
    struct http_client *client = take_client(api, err);
    struct http_response response = {0};
    long status = -1;

    if (!client)
        return -1;
    if (http_send(client, request, &response, err) == 0) {
        status = response.status;
        if (answer && response.body.len > 0)
            *answer = json_read(response.body.data, response.body.len, "the daemon's answer", NULL);
    }
    http_response_finish(&response);
    put_client(api, client);
    return status;
}

long docker_call(struct docker_api *api, const char *method, const char *path, const json_t *body,
                 const struct cancel *cancel, json_t **answer, struct error *err)
{
    static const char *const headers[] = {"Content-Type: application/json", NULL};
    BUF_AUTO struct buf url;
    BUF_AUTO struct buf text;
    struct http_request request;

    if (answer)
        *answer = NULL;
    buf_init(&url, (size_t)4 * PATH_CAP);
    buf_init(&text, DOCKER_ANSWER_CAP);
    buf_addf(&url, "%s/v%s%s", api->base, api->version, path);
    if (body)
        json_write(&text, body);
    if (buf_check(&url, "the daemon's address", err) < 0 ||
        buf_check(&text, "the request", err) < 0)
        return -1;
    request = base_request(api, method, url.data);
    request.cancel = cancel;
    if (body) {
        request.headers = headers;
        request.body = text.data;
        request.body_len = text.len;
    }
    return send_call(api, &request, answer, err);
}

int docker_refused(long status, const json_t *answer, const char *what, struct error *err)
{
    const char *message = json_get_string(answer, "message");

    return error_set(err, ERROR_UNAVAILABLE, "%s: the Docker daemon answered %ld: %s", what, status,
                     message ? message : "(no message)");
}

int docker_check_image(struct docker_api *api, const char *image, struct error *err)
{
    BUF_AUTO struct buf path = {0};
    json_t *answer = NULL;
    long status;
    int rc = 0;

    buf_init(&path, PATH_CAP);
    buf_adds(&path, "/images/");
    http_add_escaped(&path, image);
    buf_adds(&path, "/json");
    if (buf_check(&path, "the image's name", err) < 0)
        return -1;
    status = docker_call(api, "GET", path.data, NULL, NULL, &answer, err);
    if (status < 0)
        rc = -1;
    else if (status == 404)
        rc = error_set(err, ERROR_UNAVAILABLE,
                       "the Docker daemon at %s has no image %s: make image", api->host, image);
    else if (status != 200)
        rc = docker_refused(status, answer, "look for the image", err);
    json_decref(answer);
    return rc;
}

struct http_tunnel *docker_attach(struct docker_api *api, const char *container,
                                  const struct cancel *cancel, struct error *err)
{
    struct http_request request;
    char url[PATH_CAP];

    snprintf(url, sizeof url, "%s/v%s/containers/%.128s/attach?stream=1&stdin=1&stdout=1&stderr=1",
             api->base, api->version, container);
    request = base_request(api, "POST", url);
    request.cancel = cancel;
    return http_tunnel_open(&request, err);
}

/* ---- life ---- */

static int ping(struct docker_api *api, struct error *err)
{
    struct http_client *client = take_client(api, err);
    struct http_response response = {0};
    struct http_request request;
    char url[HOST_CAP + 16];
    const char *header;
    int rc;

    if (!client)
        return -1;
    snprintf(url, sizeof url, "%s/_ping", api->base);
    request = base_request(api, "GET", url);
    request.total_ms = DOCKER_PING_MS;
    rc = http_send(client, &request, &response, err);
    if (rc == 0 && response.status != 200)
        rc = error_set(err, ERROR_UNAVAILABLE, "answer %ld to /_ping", response.status);
    if (rc == 0) {
        header = http_client_header(client, "Api-Version");
        if (!header || strspn(header, "0123456789.") != strlen(header) ||
            strlen(header) >= sizeof api->version)
            header = DEFAULT_API;
        memcpy(api->version, header, strlen(header) + 1);
        header = http_client_header(client, "Server");
        snprintf(api->server, sizeof api->server, "%s", header ? header : "");
    } else {
        error_wrap(err, "no Docker daemon answers at %s", api->host);
        if (err)
            err->kind = ERROR_UNAVAILABLE;
    }
    http_response_finish(&response);
    put_client(api, client);
    return rc;
}

struct docker_api *docker_api_create(const char *host, struct error *err)
{
    struct docker_api *api = calloc(1, sizeof *api);

    if (!api) {
        error_set(err, ERROR_MEMORY, "out of memory for the Docker engine");
        return NULL;
    }
    pthread_mutex_init(&api->lock, NULL);
    if (set_host(api, host, err) < 0 || ping(api, err) < 0) {
        docker_api_destroy(api);
        return NULL;
    }
    return api;
}

void docker_api_destroy(struct docker_api *api)
{
    if (!api)
        return;
    for (size_t i = 0; i < api->idle_count; i++)
        http_client_destroy(api->idle[i]);
    pthread_mutex_destroy(&api->lock);
    free(api);
}
