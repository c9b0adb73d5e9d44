/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/docker/docker_daemon.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "executor/frame.h"
#include "helpers/base/clock.h"
#include "helpers/base/log.h"

#define HOST_CAP    512
#define PATH_CAP    1024
#define CLIENTS_CAP 8u                 /* connections kept open */
#define ANSWER_CAP  ((size_t)16 << 20) /* enough for a list of very many containers */
#define DEFAULT_API "1.41"             /* of a daemon that does not report one */
#define WORDS_SHOWN 300                /* of an answer that is not JSON */

/* Where the daemon listens, and the certificates to use. */
struct docker_host {
    char address[HOST_CAP];     /* as configured */
    char unix_socket[HOST_CAP]; /* its path; "" for TCP */
    char base[HOST_CAP];        /* prefix of URLs: "http://localhost" */
    bool secure;                /* TLS */
    char ca[PATH_CAP], cert[PATH_CAP], key[PATH_CAP];
    struct http_tls tls; /* points to those of the three that exist: must not be copied */
};

enum state { AWAY, CHECKING, HERE };
enum lack { NOTHING, DAEMON, IMAGE }; /* what was last missing */

struct docker_daemon {
    struct docker_host host;
    struct docker_times times;
    const char *image;      /* borrowed, or NULL */
    pthread_mutex_t lock;   /* protects all members below */
    pthread_cond_t checked; /* signalled when CHECKING is over */
    char version[16];
    char server[96];
    struct http_client *idle[CLIENTS_CAP];
    size_t idle_count;
    enum state state;
    enum lack logged; /* what is missing according to the log */
    struct docker_info info;
    struct error why;  /* the error while it is AWAY */
    uint64_t retry_at; /* ms: until then, calls fail with why */
};

/* ---- the address ---- */

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

/* The system's daemon, or else one of the user: rootless, Docker Desktop, Podman; or else the
 * system's Podman. */
static void find_default(char address[HOST_CAP])
{
    static const struct {
        const char *variable, *behind;
    } places[] = {
        {"XDG_RUNTIME_DIR", "/docker.sock"},      {"HOME", "/.docker/run/docker.sock"},
        {"HOME", "/.docker/desktop/docker.sock"}, {"XDG_RUNTIME_DIR", "/podman/podman.sock"},
        {NULL, "/run/podman/podman.sock"},
    };
    char path[HOST_CAP];

    snprintf(address, HOST_CAP, "unix:///var/run/docker.sock");
    for (size_t i = 0;
         i < sizeof places / sizeof *places && !is_socket(address + strlen("unix://")); i++) {
        const char *folder = places[i].variable ? environment(places[i].variable) : "";

        if (!folder)
            continue;
        snprintf(path, sizeof path, "%.400s%s", folder, places[i].behind);
        if (is_socket(path))
            snprintf(address, HOST_CAP, "unix://%.500s", path);
    }
}

/* Uses those files of the folder that exist: a daemon that does not ask for a client certificate
 * works without one. */
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
        snprintf(files[i].path, PATH_CAP, "%.900s%s/%s", folder, below, files[i].name);
        *files[i].used = files[i].path;
    }
}

/* Like the docker command: DOCKER_CERT_PATH, or else ~/.docker if it contains an authority. */
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
            memset(&host->tls, 0, sizeof host->tls); /* use the system's authorities */
    }
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* given may be NULL. Sets ERROR_INVALID if it is not a valid address. */
static int find_host(struct docker_host *host, const char *given, struct error *err)
{
    char found[HOST_CAP];

    memset(host, 0, sizeof *host);
    if (!given)
        given = environment("DOCKER_HOST");
    if (!given) {
        find_default(found);
        given = found;
    }
    if (strlen(given) >= HOST_CAP - 16)
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

/* How to start a daemon at that address: "start it: systemctl start docker"; static. */
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

const char *docker_daemon_address(const struct docker_daemon *daemon)
{
    return daemon->host.address;
}

/* Called with the lock held. */
static void write_server(const struct docker_daemon *daemon, char *text, size_t size)
{
    snprintf(text, size, "%s, API %s", daemon->server[0] ? daemon->server : "a Docker daemon",
             daemon->version);
}

void docker_daemon_server(struct docker_daemon *daemon, char *text, size_t size)
{
    pthread_mutex_lock(&daemon->lock);
    write_server(daemon, text, size);
    pthread_mutex_unlock(&daemon->lock);
}

/* ---- calls ---- */

/* How to fix a failure, if the daemon's message tells; "" otherwise. */
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

static struct http_client *take_client(struct docker_daemon *daemon, struct error *err)
{
    struct http_client *client = NULL;

    pthread_mutex_lock(&daemon->lock);
    if (daemon->idle_count > 0)
        client = daemon->idle[--daemon->idle_count];
    pthread_mutex_unlock(&daemon->lock);
    return client ? client : http_client_create(err);
}

static void put_client(struct docker_daemon *daemon, struct http_client *client)
{
    pthread_mutex_lock(&daemon->lock);
    if (daemon->idle_count < CLIENTS_CAP) {
        daemon->idle[daemon->idle_count++] = client;
        client = NULL;
    }
    pthread_mutex_unlock(&daemon->lock);
    http_client_destroy(client);
}

static struct http_request base_request(const struct docker_daemon *daemon, const char *method,
                                        const char *url)
{
    return (struct http_request){
        .method = method,
        .url = url,
        .unix_socket = daemon->host.unix_socket[0] ? daemon->host.unix_socket : NULL,
        .connect_ms = daemon->times.ping,
        .total_ms = daemon->times.call,
        .direct = true,
        .tls = daemon->host.secure ? &daemon->host.tls : NULL,
        .response_cap = ANSWER_CAP,
    };
}

/* The message of a proxy or web server that answered instead of the daemon. */
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

static long send_call(struct docker_daemon *daemon, const struct http_request *request,
                      json_t **answer, struct error *err)
{
    struct http_client *client = take_client(daemon, err);
    struct http_response response = {0};
    long status = -1;

    if (!client)
        return -1;
    if (http_send(client, request, &response, err) == 0)
        status = read_answer(&response, answer, err);
    http_response_finish(&response);
    put_client(daemon, client);
    return status;
}

static void add_url(struct docker_daemon *daemon, struct buf *url, const char *path)
{
    pthread_mutex_lock(&daemon->lock);
    buf_addf(url, "%s/v%s%s", daemon->host.base, daemon->version, path);
    pthread_mutex_unlock(&daemon->lock);
}

static long ask(struct docker_daemon *daemon, const struct docker_request *call, json_t **answer,
                struct error *err)
{
    static const char *const headers[] = {"Content-Type: application/json", NULL};
    BUF_AUTO struct buf url;
    BUF_AUTO struct buf text;
    struct http_request request;

    if (answer)
        *answer = NULL;
    buf_init(&url, (size_t)4 * PATH_CAP);
    buf_init(&text, ANSWER_CAP);
    add_url(daemon, &url, call->path);
    if (call->body)
        json_write(&text, call->body);
    if (buf_check(&url, "the daemon's address", err) < 0 ||
        buf_check(&text, "the request", err) < 0)
        return -1;
    request = base_request(daemon, call->method, url.data);
    request.cancel = call->cancel;
    if (call->look)
        request.total_ms = daemon->times.look;
    if (call->ms)
        request.total_ms = call->ms;
    if (call->body) {
        request.headers = headers;
        request.body = text.data;
        request.body_len = text.len;
    }
    return send_call(daemon, &request, answer, err);
}

/* ---- properties ---- */

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

int docker_find_image(struct docker_daemon *daemon, struct docker_image *image, struct error *err)
{
    struct docker_request request = {.method = "GET", .look = true};
    BUF_AUTO struct buf path = {0};
    json_auto_t *answer = NULL;
    long status;

    buf_init(&path, PATH_CAP);
    buf_adds(&path, "/images/");
    http_add_escaped(&path, daemon->image);
    buf_adds(&path, "/json");
    if (buf_check(&path, "the image's name", err) < 0)
        return -1;
    request.path = path.data;
    status = ask(daemon, &request, &answer, err);
    if (status < 0)
        return error_wrap(err, "look for the image");
    if (status == 404)
        return error_set(err, ERROR_UNAVAILABLE,
                         "the Docker daemon at %s has no image %s: make image",
                         daemon->host.address, daemon->image);
    if (status != 200)
        return docker_refused(status, answer, "look for the image", err);
    return read_image(answer, daemon->image, image, err);
}

int docker_ask_info(struct docker_daemon *daemon, struct docker_info *info, struct error *err)
{
    const struct docker_request request = {.method = "GET", .path = "/info", .look = true};
    json_auto_t *answer = NULL;
    long status = ask(daemon, &request, &answer, err);

    docker_info_read(info, status == 200 ? answer : NULL);
    if (status == 200)
        return 0;
    return status < 0 ? -1 : docker_refused(status, answer, "/info", err);
}

/* ---- checking ---- */

static void take_hello(struct docker_daemon *daemon, struct http_client *client)
{
    const char *header = http_client_header(client, "Api-Version");

    pthread_mutex_lock(&daemon->lock);
    if (!header || strspn(header, "0123456789.") != strlen(header) ||
        strlen(header) >= sizeof daemon->version)
        header = DEFAULT_API;
    snprintf(daemon->version, sizeof daemon->version, "%s", header);
    header = http_client_header(client, "Server");
    snprintf(daemon->server, sizeof daemon->server, "%s", header ? header : "");
    pthread_mutex_unlock(&daemon->lock);
}

int docker_hello(struct docker_daemon *daemon, struct error *err)
{
    struct http_client *client = take_client(daemon, err);
    struct http_response response = {0};
    struct http_request request;
    struct error why = {0};
    json_auto_t *said = NULL;
    char url[HOST_CAP + 16];
    int rc;

    if (!client)
        return -1;
    snprintf(url, sizeof url, "%s/_ping", daemon->host.base);
    request = base_request(daemon, "GET", url);
    request.total_ms = daemon->times.ping;
    rc = http_send(client, &request, &response, &why);
    if (rc == 0 && response.status == 200) {
        take_hello(daemon, client);
    } else if (rc == 0) {
        said = response.body.len > 0 ? plain_message(&response.body) : NULL;
        docker_refused(response.status, said, "/_ping", &why);
        rc = error_set(err, ERROR_UNAVAILABLE, "no Docker daemon is at %s: %s",
                       daemon->host.address, why.text);
    } else {
        error_set(err, ERROR_UNAVAILABLE, "no Docker daemon answers at %s (%s); %s",
                  daemon->host.address, why.text, host_advice(&daemon->host));
    }
    http_response_finish(&response);
    put_client(daemon, client);
    return rc;
}

static enum lack look(struct docker_daemon *daemon, struct docker_info *info, struct error *err)
{
    struct docker_image image;
    struct error why = {0};

    if (docker_hello(daemon, err) < 0)
        return DAEMON;
    if (docker_find_image(daemon, &image, err) < 0) {
        err->kind = ERROR_UNAVAILABLE;
        return IMAGE;
    }
    /* If it does not report its limits, all are requested, and refusals are handled then. */
    if (docker_ask_info(daemon, info, &why) < 0)
        log_debug("executor", "the Docker daemon does not say what it can: %s", why.text);
    return NOTHING;
}

/* Called with the lock held; releases it in between. */
static void check_daemon(struct docker_daemon *daemon, bool quiet)
{
    uint64_t began = (uint64_t)clock_ms(), ended;
    struct docker_info info;
    struct error why = {0};
    enum lack lack;
    char server[160];

    daemon->state = CHECKING;
    pthread_mutex_unlock(&daemon->lock);
    lack = look(daemon, &info, &why);
    pthread_mutex_lock(&daemon->lock);
    ended = (uint64_t)clock_ms();
    daemon->retry_at =
        ended + (ended - began < daemon->times.ping ? ended - began : daemon->times.ping);
    daemon->state = lack == NOTHING ? HERE : AWAY;
    pthread_cond_broadcast(&daemon->checked);
    if (lack == NOTHING) {
        daemon->info = info;
        write_server(daemon, server, sizeof server);
        if (daemon->logged != NOTHING)
            log_info("executor", "the Docker daemon at %s answers again: %s, image %s",
                     daemon->host.address, server, daemon->image);
        daemon->logged = NOTHING;
        return;
    }
    daemon->why = why;
    if (quiet)
        return;
    if (daemon->logged != lack)
        log_warning("executor", "%s. Analyses wait for it; it is looked for again", why.text);
    daemon->logged = lack;
}

int docker_daemon_check(struct docker_daemon *daemon, bool quiet, bool *again, struct error *err)
{
    int rc = 0;

    *again = false;
    pthread_mutex_lock(&daemon->lock);
    while (daemon->state == CHECKING)
        pthread_cond_wait(&daemon->checked, &daemon->lock);
    if (daemon->state == AWAY && (uint64_t)clock_ms() >= daemon->retry_at) {
        check_daemon(daemon, quiet);
        *again = daemon->state == HERE;
    }
    if (daemon->state != HERE)
        rc = error_set(err, daemon->why.kind, "%s", daemon->why.text);
    pthread_mutex_unlock(&daemon->lock);
    return rc;
}

bool docker_daemon_is_here(struct docker_daemon *daemon)
{
    bool here;

    pthread_mutex_lock(&daemon->lock);
    here = daemon->state == HERE;
    pthread_mutex_unlock(&daemon->lock);
    return here;
}

void docker_daemon_info(struct docker_daemon *daemon, struct docker_info *info)
{
    pthread_mutex_lock(&daemon->lock);
    *info = daemon->info;
    pthread_mutex_unlock(&daemon->lock);
}

/* ---- calls that detect a lost daemon ---- */

static void lose(struct docker_daemon *daemon, const char *why)
{
    pthread_mutex_lock(&daemon->lock);
    if (daemon->state == HERE) {
        log_debug("executor", "the Docker daemon is lost: %s", why);
        daemon->state = AWAY;
        daemon->retry_at = 0;
    }
    pthread_mutex_unlock(&daemon->lock);
}

/* Whether the answer shows that another daemon took over: "client version 1.41 is too new". */
static bool is_another(long status, const json_t *answer)
{
    const char *message = json_get_string(answer, "message");

    return status == 400 && message && strcasestr(message, "client version");
}

long docker_call(struct docker_daemon *daemon, const struct docker_request *request,
                 json_t **answer, struct error *err)
{
    struct error why = {0};
    long status = ask(daemon, request, answer, &why);

    if (status < 0) {
        if (why.kind != ERROR_CANCELLED && why.kind != ERROR_MEMORY)
            lose(daemon, why.text);
        error_set(err, why.kind, "the Docker daemon does not answer: %s", why.text);
    } else if (answer && is_another(status, *answer)) {
        lose(daemon, "no answer");
    }
    return status;
}

struct http_tunnel *docker_attach(struct docker_daemon *daemon, const char *container,
                                  const struct cancel *cancel, struct error *err)
{
    struct http_tunnel *tunnel = NULL;
    struct http_request request;
    BUF_AUTO struct buf url;
    struct error why = {0};
    char path[256];

    snprintf(path, sizeof path, "/containers/%.128s/attach?stream=1&stdin=1&stdout=1&stderr=1",
             container);
    buf_init(&url, (size_t)4 * PATH_CAP);
    add_url(daemon, &url, path);
    if (buf_check(&url, "the daemon's address", &why) == 0) {
        request = base_request(daemon, "POST", url.data);
        request.cancel = cancel;
        tunnel = http_tunnel_open(&request, &why);
    }
    /* ERROR_UNAVAILABLE may come from an answer; the next start will find out. */
    if (!tunnel && (why.kind == ERROR_TIMEOUT || why.kind == ERROR_IO))
        lose(daemon, why.text);
    if (!tunnel)
        error_set(err, why.kind, "attach to a container: %s", why.text);
    return tunnel;
}

/* ---- an attached stream ---- */

enum { STREAM_STDIN, STREAM_STDOUT, STREAM_STDERR, STREAM_SYSTEM };

ssize_t docker_demux(struct docker_demux *demux, char *bytes, size_t len)
{
    size_t at = 0, kept = 0;

    while (at < len) {
        size_t some = len - at;

        if (demux->left == 0) {
            some = some < sizeof demux->head - demux->head_len
                       ? some
                       : sizeof demux->head - demux->head_len;
            memcpy(demux->head + demux->head_len, bytes + at, some);
            demux->head_len += some;
            at += some;
            if (demux->head_len < sizeof demux->head)
                break;
            if (demux->head[0] > STREAM_SYSTEM)
                return -1;
            demux->head_len = 0;
            demux->left = frame_get_u32(demux->head + 4);
            continue;
        }
        some = some < demux->left ? some : demux->left;
        if (demux->head[0] == STREAM_STDOUT) {
            memmove(bytes + kept, bytes + at, some);
            kept += some;
        } else {
            runner_stderr_add(demux->errors, bytes + at, some);
        }
        demux->left -= (uint32_t)some;
        at += some;
    }
    return (ssize_t)kept;
}

/* ---- life ---- */

struct docker_daemon *docker_daemon_create(const char *host, const char *image,
                                           const struct docker_times *times, struct error *err)
{
    static const struct docker_times usual = {.call = 15000, .ping = 2000, .look = 4000};
    struct docker_daemon *daemon = calloc(1, sizeof *daemon);

    if (!daemon) {
        error_set(err, ERROR_MEMORY, "out of memory for the Docker engine");
        return NULL;
    }
    pthread_mutex_init(&daemon->lock, NULL);
    pthread_cond_init(&daemon->checked, NULL);
    daemon->image = image;
    daemon->times = times ? *times : usual;
    snprintf(daemon->version, sizeof daemon->version, DEFAULT_API);
    docker_info_read(&daemon->info, NULL);
    if (find_host(&daemon->host, host, err) < 0) {
        docker_daemon_destroy(daemon);
        return NULL;
    }
    return daemon;
}

void docker_daemon_destroy(struct docker_daemon *daemon)
{
    if (!daemon)
        return;
    for (size_t i = 0; i < daemon->idle_count; i++)
        http_client_destroy(daemon->idle[i]);
    pthread_cond_destroy(&daemon->checked);
    pthread_mutex_destroy(&daemon->lock);
    free(daemon);
}
