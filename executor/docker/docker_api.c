/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/docker/docker_api.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- where it is ---- */

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

/* The system's daemon, else one of the user's own: rootless, Docker Desktop, Podman; else Podman's
 * for the system. */
static void find_default(char address[DOCKER_HOST_CAP])
{
    static const struct {
        const char *variable, *behind;
    } places[] = {
        {"XDG_RUNTIME_DIR", "/docker.sock"},      {"HOME", "/.docker/run/docker.sock"},
        {"HOME", "/.docker/desktop/docker.sock"}, {"XDG_RUNTIME_DIR", "/podman/podman.sock"},
        {NULL, "/run/podman/podman.sock"},
    };
    char path[DOCKER_HOST_CAP];

    snprintf(address, DOCKER_HOST_CAP, "unix:///var/run/docker.sock");
    for (size_t i = 0;
         i < sizeof places / sizeof *places && !is_socket(address + strlen("unix://")); i++) {
        const char *folder = places[i].variable ? environment(places[i].variable) : "";

        if (!folder)
            continue;
        snprintf(path, sizeof path, "%.400s%s", folder, places[i].behind);
        if (is_socket(path))
            snprintf(address, DOCKER_HOST_CAP, "unix://%.500s", path);
    }
}

/* Those files of the folder that are there: without a certificate of our own, one that asks for
 * none can still be spoken to. */
static void use_certificates(struct docker_host *host, const char *folder, const char *below)
{
    const struct {
        const char *name;
        char *path;
        const char **used;
    } files[] = {
        {"ca.pem", host->ca, &host->tls.ca},
        {"cert.pem", host->cert, &host->tls.cert},
        {"key.pem", host->key, &host->tls.key},
    };

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(files[i].path, DOCKER_PATH_CAP, "%.900s%s/%s", folder, below, files[i].name);
        *files[i].used = files[i].path;
    }
}

/* As the docker command: DOCKER_CERT_PATH, else ~/.docker where it holds an authority. */
static void set_tls(struct docker_host *host, bool secure)
{
    const char *folder = environment("DOCKER_CERT_PATH"), *home = environment("HOME");

    host->secure = secure || environment("DOCKER_TLS_VERIFY") != NULL;
    if (!host->secure)
        return;
    if (folder) {
        use_certificates(host, folder, "");
    } else if (home) {
        use_certificates(host, home, "/.docker");
        if (access(host->ca, R_OK) < 0)
            memset(&host->tls, 0, sizeof host->tls); /* the system's authorities */
    }
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* given may be NULL. ERROR_INVALID for what is no address. */
static int find_host(struct docker_host *host, const char *given, struct error *err)
{
    char found[DOCKER_HOST_CAP];

    memset(host, 0, sizeof *host);
    if (!given)
        given = environment("DOCKER_HOST");
    if (!given) {
        find_default(found);
        given = found;
    }
    if (strlen(given) >= DOCKER_HOST_CAP - 16)
        return error_set(err, ERROR_INVALID, "the Docker daemon's address is too long");
    snprintf(host->address, sizeof host->address, "%s", given);
    if (begins(given, "unix://") || given[0] == '/') {
        snprintf(host->unix_socket, sizeof host->unix_socket, "%s",
                 given[0] == '/' ? given : given + strlen("unix://"));
        snprintf(host->base, sizeof host->base, "http://localhost");
    } else if (begins(given, "tcp://")) {
        set_tls(host, false);
        snprintf(host->base, sizeof host->base, "%s://%.490s", host->secure ? "https" : "http",
                 given + strlen("tcp://"));
    } else if (begins(given, "http://") || begins(given, "https://")) {
        set_tls(host, begins(given, "https://"));
        snprintf(host->base, sizeof host->base, "%s", given);
    } else {
        return error_set(err, ERROR_INVALID,
                         "'%s' is not the address of a Docker daemon: unix:///PATH "
                         "or tcp://HOST:PORT",
                         given);
    }
    return 0;
}

/* What to do where that host does not answer: "start it: systemctl start docker"; static. */
static const char *host_advice(const struct docker_host *host)
{
    if (host->unix_socket[0] && access(host->unix_socket, F_OK) == 0 &&
        access(host->unix_socket, R_OK | W_OK) < 0)
        return "this user may not use it: usermod -aG docker USER, and log in again";
    if (strstr(host->unix_socket, "podman"))
        return "start it: systemctl start podman.socket";
    if (host->unix_socket[0])
        return "start it: systemctl start docker, or point DOCKER_HOST to one";
    if (host->secure)
        return "start it, or see whether DOCKER_CERT_PATH holds the ca.pem, cert.pem and key.pem "
               "it was set up with";
    return "start it, and where it wants TLS set DOCKER_TLS_VERIFY=1 and DOCKER_CERT_PATH";
}

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
                  api->host.address, why.text, host_advice(&api->host));
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
    if (find_host(&api->host, host, err) < 0) {
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
