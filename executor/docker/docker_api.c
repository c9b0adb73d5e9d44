/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/docker/docker_api.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_API "1.41" /* of a daemon that does not say */
#define WORDS_SHOWN 300    /* of an answer that is no JSON */

const struct docker_times docker_times_usual = {.call = 15000, .ping = 2000, .look = 4000};

struct docker_api {
    struct docker_host host;
    struct docker_times times;
    pthread_mutex_t lock; /* of all below */
    char version[16];
    char server[96];
    struct http_client *idle[DOCKER_CLIENTS_CAP];
    size_t idle_count;
};

const struct docker_host *docker_api_host(const struct docker_api *api)
{
    return &api->host;
}

const struct docker_times *docker_api_times(const struct docker_api *api)
{
    return &api->times;
}

void docker_api_server(struct docker_api *api, char *text, size_t size)
{
    pthread_mutex_lock(&api->lock);
    snprintf(text, size, "%s, API %s", api->server[0] ? api->server : "a Docker daemon",
             api->version);
    pthread_mutex_unlock(&api->lock);
}

/* ---- calls ---- */

/* What fixes it, where the daemon's words tell; "" where they do not. */
static const char *advice(const char *message)
{
    static const struct {
        const char *words, *advice;
    } known[] = {
        {"no space left on device",
         ". The disk of Docker's data folder is full: docker system prune, or make room"},
        {"runtime specified", ". Install that runtime and name it under \"runtimes\" in "
                              "/etc/docker/daemon.json, or leave out --runtime"},
        {"runtime name", ". Install that runtime and name it under \"runtimes\" in "
                         "/etc/docker/daemon.json, or leave out --runtime"},
        {"no such image", ": make image"},
        {"HTTP request to an HTTPS server", ". Set DOCKER_TLS_VERIFY=1 and DOCKER_CERT_PATH"},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcasestr(message, known[i].words))
            return known[i].advice;
    }
    return "";
}

int docker_refused(long status, const json_t *answer, const char *what, struct error *err)
{
    const char *message = json_get_string(answer, "message");

    return error_set(err, ERROR_UNAVAILABLE, "%s: the Docker daemon answered %ld: %.1000s%s", what,
                     status, message ? message : "(no message)", message ? advice(message) : "");
}

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
        .unix_socket = api->host.unix_socket[0] ? api->host.unix_socket : NULL,
        .connect_ms = api->times.ping,
        .total_ms = api->times.call,
        .direct = true,
        .tls = api->host.secure ? &api->host.tls : NULL,
        .response_cap = DOCKER_ANSWER_CAP,
    };
}

/* A proxy's or a web server's own words, where the daemon's JSON should be. */
static json_t *plain_message(const struct buf *body)
{
    size_t len = body->len < WORDS_SHOWN ? body->len : WORDS_SHOWN;
    json_t *text;

    while (len > 0 && (body->data[len - 1] == '\n' || body->data[len - 1] == '\r'))
        len--;
    text = json_stringn(body->data, len);
    return text ? json_pack("{s:o}", "message", text) : NULL;
}

static long read_answer(const struct http_response *response, json_t **answer, struct error *err)
{
    if (!answer || response->body.len == 0)
        return response->status;
    *answer = json_read(response->body.data, response->body.len, "the Docker daemon's answer",
                        response->status < 300 ? err : NULL);
    if (!*answer && response->status < 300)
        return -1;
    if (!*answer)
        *answer = plain_message(&response->body);
    return response->status;
}

static long send_call(struct docker_api *api, const struct http_request *request, json_t **answer,
                      struct error *err)
{
    struct http_client *client = take_client(api, err);
    struct http_response response = {0};
    long status = -1;

    if (!client)
        return -1;
    if (http_send(client, request, &response, err) == 0)
        status = read_answer(&response, answer, err);
    http_response_finish(&response);
    put_client(api, client);
    return status;
}

static void add_url(struct docker_api *api, struct buf *url, const char *path)
{
    pthread_mutex_lock(&api->lock);
    buf_addf(url, "%s/v%s%s", api->host.base, api->version, path);
    pthread_mutex_unlock(&api->lock);
}

long docker_call(struct docker_api *api, const struct docker_request *call, json_t **answer,
                 struct error *err)
{
    static const char *const headers[] = {"Content-Type: application/json", NULL};
    BUF_AUTO struct buf url;
    BUF_AUTO struct buf text;
    struct http_request request;

    if (answer)
        *answer = NULL;
    buf_init(&url, (size_t)4 * DOCKER_PATH_CAP);
    buf_init(&text, DOCKER_ANSWER_CAP);
    add_url(api, &url, call->path);
    if (call->body)
        json_write(&text, call->body);
    if (buf_check(&url, "the daemon's address", err) < 0 ||
        buf_check(&text, "the request", err) < 0)
        return -1;
    request = base_request(api, call->method, url.data);
    request.cancel = call->cancel;
    if (call->look)
        request.total_ms = api->times.look;
    if (call->ms)
        request.total_ms = call->ms;
    if (call->body) {
        request.headers = headers;
        request.body = text.data;
        request.body_len = text.len;
    }
    return send_call(api, &request, answer, err);
}

struct http_tunnel *docker_attach(struct docker_api *api, const char *container,
                                  const struct cancel *cancel, struct error *err)
{
    struct http_request request;
    BUF_AUTO struct buf url;
    char path[256];

    snprintf(path, sizeof path, "/containers/%.128s/attach?stream=1&stdin=1&stdout=1&stderr=1",
             container);
    buf_init(&url, (size_t)4 * DOCKER_PATH_CAP);
    add_url(api, &url, path);
    if (buf_check(&url, "the daemon's address", err) < 0)
        return NULL;
    request = base_request(api, "POST", url.data);
    request.cancel = cancel;
    return http_tunnel_open(&request, err);
}

/* ---- images ---- */

static int read_image(const json_t *answer, const char *name, struct docker_image *image,
                      struct error *err)
{
    const char *id = json_get_string(answer, "Id");
    const char *created = json_get_string(answer, "Created");

    if (!id || strlen(id) >= sizeof image->id)
        return error_set(err, ERROR_IO, "the Docker daemon does not say what image %s is", name);
    snprintf(image->id, sizeof image->id, "%s", id);
    snprintf(image->created, sizeof image->created, "%s", created ? created : "");
    return 0;
}

int docker_find_image(struct docker_api *api, const char *name, struct docker_image *image,
                      struct error *err)
{
    struct docker_request request = {.method = "GET", .look = true};
    BUF_AUTO struct buf path = {0};
    json_t *answer = NULL;
    long status;
    int rc;

    buf_init(&path, DOCKER_PATH_CAP);
    buf_adds(&path, "/images/");
    http_add_escaped(&path, name);
    buf_adds(&path, "/json");
    if (buf_check(&path, "the image's name", err) < 0)
        return -1;
    request.path = path.data;
    status = docker_call(api, &request, &answer, err);
    if (status < 0)
        rc = error_wrap(err, "look for the image");
    else if (status == 404)
        rc =
            error_set(err, ERROR_UNAVAILABLE, "the Docker daemon at %s has no image %s: make image",
                      docker_api_host(api)->address, name);
    else if (status != 200)
        rc = docker_refused(status, answer, "look for the image", err);
    else
        rc = read_image(answer, name, image, err);
    json_decref(answer);
    return rc;
}

/* ---- life ---- */

static void take_hello(struct docker_api *api, struct http_client *client)
{
    const char *header = http_client_header(client, "Api-Version");

    pthread_mutex_lock(&api->lock);
    if (!header || strspn(header, "0123456789.") != strlen(header) ||
        strlen(header) >= sizeof api->version)
        header = DEFAULT_API;
    snprintf(api->version, sizeof api->version, "%s", header);
    header = http_client_header(client, "Server");
    snprintf(api->server, sizeof api->server, "%s", header ? header : "");
    pthread_mutex_unlock(&api->lock);
}

int docker_api_hello(struct docker_api *api, struct error *err)
{
    struct http_client *client = take_client(api, err);
    struct http_response response = {0};
    struct http_request request;
    struct error why = {0};
    char url[DOCKER_HOST_CAP + 16];
    json_t *said;
    int rc;

    if (!client)
        return -1;
    snprintf(url, sizeof url, "%s/_ping", api->host.base);
    request = base_request(api, "GET", url);
    request.total_ms = api->times.ping;
    rc = http_send(client, &request, &response, &why);
    if (rc == 0 && response.status == 200) {
        take_hello(api, client);
    } else if (rc == 0) {
        said = response.body.len > 0 ? plain_message(&response.body) : NULL;
        docker_refused(response.status, said, "/_ping", &why);
        json_decref(said);
        rc = error_set(err, ERROR_UNAVAILABLE, "no Docker daemon is at %s: %s", api->host.address,
                       why.text);
    } else {
        error_set(err, ERROR_UNAVAILABLE, "no Docker daemon answers at %s (%s); %s",
                  api->host.address, why.text, docker_host_advice(&api->host));
    }
    http_response_finish(&response);
    put_client(api, client);
    return rc;
}

struct docker_api *docker_api_create(const char *host, const struct docker_times *times,
                                     struct error *err)
{
    struct docker_api *api = calloc(1, sizeof *api);

    if (!api) {
        error_set(err, ERROR_MEMORY, "out of memory for the Docker engine");
        return NULL;
    }
    api->times = times ? *times : docker_times_usual;
    pthread_mutex_init(&api->lock, NULL);
    snprintf(api->version, sizeof api->version, DEFAULT_API);
    if (docker_host_find(&api->host, host, err) < 0) {
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
