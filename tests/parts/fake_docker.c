/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/parts/fake_docker.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "executor/engine.h"
#include "tests/parts/fake_engine.h"

#define CONTAINERS_CAP  64
#define CONNECTIONS_CAP 64
#define REQUEST_CAP     16384
#define STEP_MS         10

struct container {
    char name[128];
    bool used;
    struct engine_box *box; /* once it is started */
};

struct fake_docker {
    char folder[64], path[96], away[96], host[128];
    int listener;
    pthread_t thread;
    pthread_mutex_t lock; /* of all below */
    bool stopping;
    enum fake_docker_fault fault;
    char where[128];
    const char *info;
    char asked[REQUEST_CAP];
    struct container containers[CONTAINERS_CAP];
    int connections;
};

struct connection {
    struct fake_docker *docker;
    int fd;
    char request[REQUEST_CAP];
    size_t len;
    char *line, *body; /* of the request that was read */
};

static void nap(long ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    nanosleep(&time, NULL);
}

static enum fake_docker_fault fault_for(struct fake_docker *docker, const char *line)
{
    enum fake_docker_fault fault = DOCKER_WELL;

    pthread_mutex_lock(&docker->lock);
    if (!docker->stopping && strstr(line, docker->where))
        fault = docker->fault;
    pthread_mutex_unlock(&docker->lock);
    return fault;
}

/* ---- containers, with the lock held ---- */

static struct container *find(struct fake_docker *docker, const char *name)
{
    for (size_t i = 0; i < CONTAINERS_CAP; i++) {
        struct container *container = &docker->containers[i];

        if (container->used && strncmp(name, container->name, strlen(container->name)) == 0 &&
            strchr("/? ", name[strlen(container->name)]))
            return container;
    }
    return NULL;
}

static bool create(struct fake_docker *docker, const char *name)
{
    for (size_t i = 0; i < CONTAINERS_CAP; i++) {
        struct container *container = &docker->containers[i];

        if (container->used)
            continue;
        container->used = true;
        snprintf(container->name, sizeof container->name, "%.*s", (int)strcspn(name, " &"), name);
        return true;
    }
    return false;
}

static void take_away(struct container *container)
{
    if (container->box)
        engine_fake.destroy(NULL, container->box);
    memset(container, 0, sizeof *container);
}

/* ---- answers ---- */

__attribute__((format(printf, 2, 3))) static void say(int fd, const char *format, ...)
{
    char text[4096];
    va_list args;
    int len;

    va_start(args, format);
    len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    send(fd, text, (size_t)len, MSG_NOSIGNAL);
}

static void answer(int fd, int status, const char *body)
{
    say(fd,
        "HTTP/1.1 %d Status\r\nApi-Version: 1.41\r\nServer: Fake/1\r\nContent-Length: "
        "%zu\r\n\r\n%s",
        status, strlen(body), body);
}

/* True while nobody has left. */
static bool is_open(int fd)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLRDHUP};

    return poll(&poll_fd, 1, STEP_MS) == 0;
}

static bool mutter(struct connection *connection, enum fake_docker_fault fault)
{
    static const struct {
        enum fake_docker_fault fault;
        int status;
        const char *body;
    } answers[] = {
        {DOCKER_500, 500, "{\"message\":\"it is broken\"}"},
        {DOCKER_409, 409, "{\"message\":\"it is taken\"}"},
        {DOCKER_409_BEGUN, 409, "{\"message\":\"removal of container x is already in progress\"}"},
        {DOCKER_404_PAGE, 404, "page not found\n"},
        {DOCKER_NO_SPACE, 500, "{\"message\":\"mkdir /var/lib: no space left on device\"}"},
        {DOCKER_NO_QUOTA, 400,
         "{\"message\":\"NanoCPUs can not be set, as your kernel does not support it\"}"},
        {DOCKER_NO_SECCOMP, 400,
         "{\"message\":\"seccomp is not enabled in your kernel, cannot run a custom seccomp "
         "profile\"}"},
        {DOCKER_NO_JSON, 200, "]not json["},
    };

    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        if (answers[i].fault == fault) {
            answer(connection->fd, answers[i].status, answers[i].body);
            return true;
        }
    }
    if (fault == DOCKER_NO_HTTP)
        say(connection->fd, "220 mail.example.org ESMTP\r\n");
    else if (fault == DOCKER_CLOSES)
        say(connection->fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"Id\":");
    else
        return false;
    connection->len = 0;
    shutdown(connection->fd, SHUT_RDWR);
    return true;
}

/* Until the client leaves or the daemon is well again; then it closes. */
static void stay_mute(struct connection *connection)
{
    while (fault_for(connection->docker, connection->line) != DOCKER_WELL &&
           is_open(connection->fd))
        ;
    shutdown(connection->fd, SHUT_RDWR);
}

/* ---- the stream ---- */

/* The started box of that name, or NULL when the client left first. */
static struct engine_box *wait_started(struct connection *connection, const char *name)
{
    struct fake_docker *docker = connection->docker;

    for (;;) {
        struct container *container;
        struct engine_box *box;
        bool stopping;

        pthread_mutex_lock(&docker->lock);
        container = find(docker, name);
        box = container ? container->box : NULL;
        stopping = docker->stopping || !container;
        pthread_mutex_unlock(&docker->lock);
        if (box || stopping || !is_open(connection->fd))
            return box;
    }
}

/* One round between the two ends; false at the end of either. */
static bool pump(int client, int runner, bool bad_heads)
{
    struct pollfd ends[2] = {{.fd = client, .events = POLLIN}, {.fd = runner, .events = POLLIN}};
    unsigned char bytes[8 + 4096];
    ssize_t got;

    poll(ends, 2, STEP_MS);
    if (ends[0].revents) {
        got = recv(client, bytes, sizeof bytes, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN))
            return false;
        if (got > 0 && send(runner, bytes, (size_t)got, MSG_NOSIGNAL) != got)
            return false;
    }
    if (ends[1].revents) {
        got = recv(runner, bytes + 8, sizeof bytes - 8, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN))
            return false;
        if (got <= 0)
            return true;
        memcpy(bytes, (unsigned char[]){bad_heads ? 99 : 1, 0, 0, 0, 0, 0, 0, 0}, 8);
        bytes[6] = (unsigned char)(got >> 8);
        bytes[7] = (unsigned char)got;
        return send(client, bytes, (size_t)got + 8, MSG_NOSIGNAL) == got + 8;
    }
    return true;
}

static void attach(struct connection *connection, const char *name, enum fake_docker_fault fault)
{
    struct fake_docker *docker = connection->docker;
    struct container *container;
    struct engine_box *box;
    int runner;

    say(connection->fd, "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n");
    box = wait_started(connection, name);
    runner = box ? dup(engine_fake.fd(box)) : -1;
    while (runner >= 0 && fault != DOCKER_STREAM_ENDS &&
           pump(connection->fd, runner, fault == DOCKER_BAD_HEADS))
        ;
    if (runner >= 0)
        close(runner);
    pthread_mutex_lock(&docker->lock);
    container = find(docker, name);
    if (container && container->box)
        take_away(container); /* AutoRemove: its standard input has ended */
    pthread_mutex_unlock(&docker->lock);
    shutdown(connection->fd, SHUT_RDWR);
}

/* ---- requests ---- */

static int start(struct container *container)
{
    struct error err = {0};

    if (!container->box)
        container->box = engine_fake.start(NULL, &execution_kinds[0], &err);
    return container->box ? 204 : 500;
}

/* Does it, and returns the status. */
static int obey(struct connection *connection, const char **body)
{
    struct fake_docker *docker = connection->docker;
    const char *line = connection->line;
    const char *rest = strstr(line, "/containers/");
    struct container *container;
    int status = 200;

    *body = "{}";
    pthread_mutex_lock(&docker->lock);
    container = rest ? find(docker, rest + strlen("/containers/")) : NULL;
    if (strstr(line, "/_ping")) {
        *body = "OK";
    } else if (strstr(line, "/info")) {
        *body = docker->info;
    } else if (strstr(line, "/images/")) {
        *body = "{\"Id\":\"sha256:1\",\"Created\":\"2026-01-01T00:00:00Z\"}";
    } else if (strstr(line, "/containers/json")) {
        *body = "[]";
    } else if (strstr(line, "/containers/create?name=")) {
        snprintf(docker->asked, sizeof docker->asked, "%s", connection->body);
        status = create(docker, strchr(line, '=') + 1) ? 201 : 500;
    } else if (!container) {
        status = 404;
        *body = "{\"message\":\"No such container\"}";
    } else if (strstr(line, "/start")) {
        status = start(container);
    } else if (strncmp(line, "DELETE", 6) == 0) {
        take_away(container);
        status = 204;
    }
    pthread_mutex_unlock(&docker->lock);
    return status;
}

static void serve_one(struct connection *connection)
{
    enum fake_docker_fault fault = fault_for(connection->docker, connection->line);
    const char *body, *rest;
    int status;

    if (fault == DOCKER_SLOW)
        nap(FAKE_DOCKER_SLOW_MS);
    if (fault == DOCKER_MUTE) {
        stay_mute(connection);
        return;
    }
    if (mutter(connection, fault))
        return;
    rest = strstr(connection->line, "/containers/");
    if (rest && strstr(connection->line, "/attach?")) {
        attach(connection, rest + strlen("/containers/"), fault);
        return;
    }
    status = obey(connection, &body);
    if (fault == DOCKER_DOES_SILENT)
        stay_mute(connection);
    else if (status == 204)
        say(connection->fd, "HTTP/1.1 204 No Content\r\n\r\n");
    else
        answer(connection->fd, status, body);
}

/* One request into connection->request, its parts NUL-terminated; false at the end. */
static bool read_request(struct connection *connection)
{
    char *head_end, *length;
    size_t want = 0;

    memset(connection->request, 0, sizeof connection->request);
    connection->len = 0;
    for (;;) {
        ssize_t got = recv(connection->fd, connection->request + connection->len,
                           sizeof connection->request - 1 - connection->len, 0);

        if (got <= 0)
            return false;
        connection->len += (size_t)got;
        head_end = strstr(connection->request, "\r\n\r\n");
        if (!head_end)
            continue;
        length = strcasestr(connection->request, "\r\nContent-Length:");
        want = (size_t)(head_end + 4 - connection->request) +
               (length && length < head_end ? strtoul(length + 17, NULL, 10) : 0);
        if (connection->len >= want || want >= sizeof connection->request)
            break;
    }
    connection->line = connection->request;
    connection->body = head_end + 4;
    connection->line[strcspn(connection->line, "\r")] = '\0';
    return true;
}

static void *serve(void *arg)
{
    struct connection *connection = arg;
    struct fake_docker *docker = connection->docker;

    while (read_request(connection))
        serve_one(connection);
    close(connection->fd);
    free(connection);
    pthread_mutex_lock(&docker->lock);
    docker->connections--;
    pthread_mutex_unlock(&docker->lock);
    return NULL;
}

static void take(struct fake_docker *docker, int fd)
{
    struct connection *connection = calloc(1, sizeof *connection);
    pthread_t thread;
    bool refuses;

    pthread_mutex_lock(&docker->lock);
    refuses = docker->fault == DOCKER_REFUSES || docker->connections >= CONNECTIONS_CAP ||
              docker->stopping || !connection;
    docker->connections += !refuses;
    pthread_mutex_unlock(&docker->lock);
    if (refuses) {
        close(fd);
        free(connection);
        return;
    }
    connection->docker = docker;
    connection->fd = fd;
    pthread_create(&thread, NULL, serve, connection);
    pthread_detach(thread);
}

static void *listen_on(void *arg)
{
    struct fake_docker *docker = arg;
    int fd;

    while ((fd = accept4(docker->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0)
        take(docker, fd);
    return NULL;
}

/* ---- for the test ---- */

struct fake_docker *fake_docker_start(void)
{
    struct fake_docker *docker = calloc(1, sizeof *docker);
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    if (!docker)
        abort();
    pthread_mutex_init(&docker->lock, NULL);
    docker->info = "{}";
    strcpy(docker->folder, "/tmp/lectern-docker-XXXXXX");
    if (!mkdtemp(docker->folder))
        abort();
    snprintf(docker->path, sizeof docker->path, "%s/socket", docker->folder);
    snprintf(docker->away, sizeof docker->away, "%s/away", docker->folder);
    snprintf(docker->host, sizeof docker->host, "unix://%s", docker->path);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", docker->path);
    docker->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(docker->listener, (struct sockaddr *)&address, sizeof address) < 0 ||
        listen(docker->listener, CONNECTIONS_CAP) < 0)
        abort();
    pthread_create(&docker->thread, NULL, listen_on, docker);
    return docker;
}

void fake_docker_stop(struct fake_docker *docker)
{
    int connections;

    pthread_mutex_lock(&docker->lock);
    docker->stopping = true;
    pthread_mutex_unlock(&docker->lock);
    shutdown(docker->listener, SHUT_RDWR);
    pthread_join(docker->thread, NULL);
    close(docker->listener);
    do { /* its clients have left: each connection ends */
        nap(STEP_MS);
        pthread_mutex_lock(&docker->lock);
        connections = docker->connections;
        pthread_mutex_unlock(&docker->lock);
    } while (connections > 0);
    for (size_t i = 0; i < CONTAINERS_CAP; i++)
        take_away(&docker->containers[i]);
    unlink(docker->path);
    rmdir(docker->folder);
    pthread_mutex_destroy(&docker->lock);
    free(docker);
}

const char *fake_docker_host(const struct fake_docker *docker)
{
    return docker->host;
}

void fake_docker_set(struct fake_docker *docker, enum fake_docker_fault fault, const char *where)
{
    pthread_mutex_lock(&docker->lock);
    docker->fault = fault;
    snprintf(docker->where, sizeof docker->where, "%s", where);
    pthread_mutex_unlock(&docker->lock);
    /* Nobody listens: not even the socket's file is there. */
    if (fault == DOCKER_REFUSES)
        rename(docker->path, docker->away);
    else if (access(docker->path, F_OK) < 0)
        rename(docker->away, docker->path);
}

void fake_docker_set_info(struct fake_docker *docker, const char *json)
{
    pthread_mutex_lock(&docker->lock);
    docker->info = json;
    pthread_mutex_unlock(&docker->lock);
}

size_t fake_docker_containers(struct fake_docker *docker)
{
    size_t count = 0;

    pthread_mutex_lock(&docker->lock);
    for (size_t i = 0; i < CONTAINERS_CAP; i++)
        count += docker->containers[i].used;
    pthread_mutex_unlock(&docker->lock);
    return count;
}

int fake_docker_was_asked(struct fake_docker *docker, const char *text)
{
    int was;

    pthread_mutex_lock(&docker->lock);
    was = strstr(docker->asked, text) != NULL;
    pthread_mutex_unlock(&docker->lock);
    return was;
}
