/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lectern listens itself and passes only accepted sockets to libwebsockets. So it can name the
 * process that uses a port, resolve port 0, and stop listening while answers still drain. A name
 * such as localhost may have several addresses; all that belong to this machine are bound. Runs on
 * the loop's thread.
 */
#include "mcp/transport/http/http_port.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/log.h"

#define LISTENERS_CAP   8
#define LISTEN_BACKLOG  128
#define ACCEPTS_A_TURN  16  /* so that a flood of connections leaves room for the others */
#define ACCEPT_PAUSE_MS 200 /* after running out of descriptors */

#define TCP_LISTEN_STATE 0x0A /* in /proc/net/tcp */

struct listener {
    int fd;
    uv_poll_t poll;
    struct http_port *port;
};

struct http_port {
    struct listener listeners[LISTENERS_CAP];
    size_t count;
    size_t open_handles;
    int number;
    uv_timer_t pause;
    void (*on_connection)(void *user, int fd);
    void *user;
};

static void on_readable(uv_poll_t *poll, int status, int events);

static void watch_all(struct http_port *port, bool wanted)
{
    for (size_t i = 0; i < port->count; i++) {
        if (wanted)
            uv_poll_start(&port->listeners[i].poll, UV_READABLE, on_readable);
        else
            uv_poll_stop(&port->listeners[i].poll);
    }
}

static void on_pause_over(uv_timer_t *timer)
{
    watch_all(timer->data, true);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct listener *listener = poll->data;
    struct http_port *port = listener->port;
    const int on = 1;
    int fd;

    (void)events;
    for (int i = 0; status == 0 && i < ACCEPTS_A_TURN; i++) {
        fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            port->on_connection(port->user, fd);
            continue;
        }
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            /* The connection stays in the backlog, so watching on would spin. */
            log_warning("http", "accept: %s; the next try is in %d ms", strerrordesc_np(errno),
                        ACCEPT_PAUSE_MS);
            watch_all(port, false);
            uv_timer_start(&port->pause, on_pause_over, ACCEPT_PAUSE_MS, 0);
        }
        return;
    }
}

/* ---- who has a port ---- */

/* The inode of the socket that listens on the port in one of the tables; 0 for none. */
static unsigned long find_inode(const char *table, int port)
{
    char line[512];
    cleanup_file FILE *file = fopen(table, "re");
    unsigned long inode = 0, found = 0;
    unsigned local_port, state;

    if (!file)
        return 0;
    while (found == 0 && fgets(line, sizeof line, file)) {
        if (sscanf(line, " %*d: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*s %*s %*s %*u %*u %lu",
                   &local_port, &state, &inode) == 3 &&
            state == TCP_LISTEN_STATE && (int)local_port == port)
            found = inode;
    }
    return found;
}

static bool process_has(const char *pid, const char *wanted)
{
    char folder[64], path[512], target[64];
    cleanup_dir DIR *fds = NULL;
    const struct dirent *entry;
    ssize_t len;

    snprintf(folder, sizeof folder, "/proc/%.16s/fd", pid);
    fds = opendir(folder);
    while (fds && (entry = readdir(fds))) { // NOLINT(concurrency-mt-unsafe): the stream is ours
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        len = readlink(path, target, sizeof target - 1);
        target[len > 0 ? len : 0] = '\0';
        if (strcmp(target, wanted) == 0)
            return true;
    }
    return false;
}

static void read_name(const char *pid, char *name, size_t size)
{
    cleanup_file FILE *file = NULL;
    char path[64];

    name[0] = '\0';
    snprintf(path, sizeof path, "/proc/%.16s/comm", pid);
    file = fopen(path, "re");
    if (file && fgets(name, (int)size, file))
        name[strcspn(name, "\n")] = '\0';
}

/* "python3 (process 4711)" for the process that listens on a TCP port; false where /proc does not
 * show it. /proc/net/tcp and tcp6 have the inode of the socket, the descriptors of the processes
 * name the one that holds it. Another user's process is visible only to root. */
static bool port_holder(int port, char *text, size_t size)
{
    unsigned long inode = find_inode("/proc/net/tcp", port);
    cleanup_dir DIR *processes = NULL;
    const struct dirent *entry;
    char wanted[64], name[64];

    if (inode == 0)
        inode = find_inode("/proc/net/tcp6", port);
    if (inode == 0)
        return false;
    snprintf(wanted, sizeof wanted, "socket:[%lu]", inode);
    processes = opendir("/proc");
    while (processes && (entry = readdir(processes))) { // NOLINT(concurrency-mt-unsafe): as above
        if (!isdigit((unsigned char)entry->d_name[0]) || !process_has(entry->d_name, wanted))
            continue;
        read_name(entry->d_name, name, sizeof name);
        snprintf(text, size, "%s (process %.16s)", *name ? name : "a program", entry->d_name);
        return true;
    }
    return false;
}

/* ---- listening ---- */

static int port_taken(int number, const char *host, struct error *err)
{
    char holder[128] = "another program";

    port_holder(number, holder, sizeof holder);
    return error_set(err, ERROR_CONFLICT,
                     "port %d on %s is in use by %s. Choose another with --port N, LECTERN_PORT=N "
                     "or make run PORT=N (0: any free one), or stop that program",
                     number, host, holder);
}

/* 1: bound; 0: this machine has no such address; -1: failed. */
static int bind_one(struct http_port *port, uv_loop_t *loop, const struct addrinfo *address,
                    const char *host, struct error *err)
{
    struct listener *listener = &port->listeners[port->count];
    struct sockaddr_storage where = {0};
    socklen_t len = sizeof where;
    const int on = 1;
    int rc;

    memcpy(&where, address->ai_addr, address->ai_addrlen);
    if (port->number != 0) { /* the first one has chosen */
        if (where.ss_family == AF_INET6)
            ((struct sockaddr_in6 *)&where)->sin6_port = htons((uint16_t)port->number);
        else
            ((struct sockaddr_in *)&where)->sin_port = htons((uint16_t)port->number);
    }
    listener->fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener->fd < 0)
        return errno == EAFNOSUPPORT ? 0 : error_errno(err, errno, "socket for %s", host);
    setsockopt(listener->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener->fd, (struct sockaddr *)&where, address->ai_addrlen) < 0 ||
        listen(listener->fd, LISTEN_BACKLOG) < 0) {
        rc = errno;
        close(listener->fd);
        if (rc == EADDRNOTAVAIL)
            return 0;
        if (rc == EACCES)
            return error_set(err, ERROR_INVALID,
                             "port %d is for root only: choose one from 1024 on with --port N",
                             port->number);
        return rc == EADDRINUSE ? port_taken(port->number, host, err)
                                : error_errno(err, rc, "listen on %s port %d", host, port->number);
    }
    getsockname(listener->fd, (struct sockaddr *)&where, &len);
    port->number = ntohs(where.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&where)->sin6_port
                                                     : ((struct sockaddr_in *)&where)->sin_port);
    uv_poll_init(loop, &listener->poll, listener->fd);
    listener->poll.data = listener;
    listener->port = port;
    port->count++;
    port->open_handles++;
    return 1;
}

static int bind_all(struct http_port *port, uv_loop_t *loop, const char *host, struct error *err)
{
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *addresses;
    char number[16];
    int rc;

    snprintf(number, sizeof number, "%d", port->number);
    rc = getaddrinfo(host, number, &hints, &addresses);
    if (rc != 0)
        return error_set(err, ERROR_INVALID,
                         "--host '%s' is not a name or address of this machine: %s", host,
                         gai_strerror(rc));
    rc = 0;
    for (const struct addrinfo *a = addresses; a && rc >= 0 && port->count < LISTENERS_CAP;
         a = a->ai_next)
        rc = bind_one(port, loop, a, host, err);
    freeaddrinfo(addresses);
    if (rc >= 0 && port->count == 0)
        rc = error_set(err, ERROR_INVALID, "--host '%s' is not an address of this machine", host);
    return rc < 0 ? -1 : 0;
}

static void on_listener_closed(uv_handle_t *handle)
{
    struct http_port *port = ((struct listener *)handle->data)->port;

    if (--port->open_handles == 0)
        free(port);
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct http_port *port = handle->data;

    if (--port->open_handles == 0)
        free(port);
}

void http_port_close(struct http_port *port)
{
    if (!port)
        return;
    for (size_t i = 0; i < port->count; i++) {
        uv_poll_stop(&port->listeners[i].poll);
        close(port->listeners[i].fd);
        uv_close((uv_handle_t *)&port->listeners[i].poll, on_listener_closed);
    }
    uv_close((uv_handle_t *)&port->pause, on_timer_closed);
}

struct http_port *http_port_open(uv_loop_t *loop, const char *host, int number,
                                 void (*on_connection)(void *user, int fd), void *user,
                                 struct error *err)
{
    struct http_port *port = calloc(1, sizeof *port);

    if (!port) {
        error_set(err, ERROR_MEMORY, "out of memory for the listening sockets");
        return NULL;
    }
    port->number = number;
    port->on_connection = on_connection;
    port->user = user;
    uv_timer_init(loop, &port->pause);
    port->pause.data = port;
    port->open_handles = 1;
    if (bind_all(port, loop, host, err) < 0) {
        http_port_close(port);
        return NULL;
    }
    watch_all(port, true);
    return port;
}

int http_port_number(const struct http_port *port)
{
    return port->number;
}
