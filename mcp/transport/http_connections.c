/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libwebsockets 4.1.6 misreads a request with a body that comes before the last answer is out, and
 * has no call back before it parses a head. It receives with the C library's recv(), so this
 * program has a recv() of its own, as the linker lets it. On the thread of a server that one looks
 * at what has come before it takes it: a head until it is whole and checked (http_head.h), then its
 * body, and then nothing until the answer is out.
 *
 * Bytes that wait in the kernel would wake the loop again and again. So a connection is not watched
 * for reading while its request is worked on, unless that takes less than READ_ON_MS, which saves
 * the calls of the kernel; meanwhile a timer looks whether its client has left. While the answer is
 * written, which needs the watch, the kernel is asked to be quiet up to EARLY_BYTES.
 */
#include "mcp/transport/http_connections.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include "helpers/base/log.h"
#include "mcp/transport/http_internal.h"

#define READ_ON_MS      5          /* of work on a request, before reading is stopped */
#define LEFT_MS         100        /* between two looks at who is not read from */
#define EARLY_BYTES     (64 << 10) /* of next requests, while an answer is written */
#define EARLY_WAKES_CAP 20000      /* for more than these, during one answer */
#define DISCARD_SIZE    65536      /* bytes thrown away at once */

enum state {
    HEAD,
    BODY,
    WORKING,    /* the request is whole */
    ANSWERING,  /* and so is the answer */
    DISCARDING, /* until the connection closes */
    WEB_SOCKET,
};

TAILQ_HEAD(idle_list, http_connection);

struct http_connection {
    struct http_connections *all;
    struct lws *wsi;
    int fd;
    unsigned char address[sizeof(struct in6_addr)];
    enum state state;
    struct http_head head;
    uint64_t body_left;
    bool has_served; /* a whole request */
    bool streams;    /* its answer has no known end */
    bool reading_stopped, quiet;
    unsigned wakes;
    uint64_t working_since_ms;
    TAILQ_ENTRY(http_connection) in_working;
    LIST_ENTRY(http_connection) every;
    struct idle_list *idle; /* the list it is in, or NULL */
    TAILQ_ENTRY(http_connection) in_idle;
    size_t len;
    char *text; /* HTTP_HEAD_CAP bytes of the head; NULL before the first */
};

struct http_connections {
    struct http_connection **by_fd;
    size_t size; /* of by_fd */
    LIST_HEAD(, http_connection) every;
    struct idle_list fresh;                /* without a whole request yet, the longest idle first */
    struct idle_list kept;                 /* between two requests */
    TAILQ_HEAD(, http_connection) working; /* those in that state, the oldest request first */
    size_t dropped;
    uv_timer_t *timer; /* runs while any is worked on */
};

static __thread struct http_connections *receiving; /* this thread's server's, or NULL */

/* ---- which give way ---- */

static void leave_idle(struct http_connection *connection)
{
    if (connection->idle)
        TAILQ_REMOVE(connection->idle, connection, in_idle);
    connection->idle = NULL;
}

/* It has sent something, or waits from now on: the last one to give way. */
static void note_idle(struct http_connection *connection)
{
    leave_idle(connection);
    connection->idle = connection->has_served ? &connection->all->kept : &connection->all->fresh;
    TAILQ_INSERT_TAIL(connection->idle, connection, in_idle);
}

static bool is_of(const struct http_connection *connection, const unsigned char *address)
{
    return !address || memcmp(connection->address, address, sizeof connection->address) == 0;
}

/* address NULL: any. */
static size_t count(const struct http_connections *connections, const unsigned char *address)
{
    const struct http_connection *connection;
    size_t found = 0;

    LIST_FOREACH(connection, &connections->every, every)
    found += is_of(connection, address);
    return found;
}

static struct http_connection *find_idle(struct idle_list *list, const unsigned char *address)
{
    struct http_connection *connection;

    TAILQ_FOREACH(connection, list, in_idle)
    {
        if (is_of(connection, address))
            break;
    }
    return connection;
}

/* ---- a request is worked on ---- */

static void stop_reading(struct http_connection *connection)
{
    if (!connection->reading_stopped)
        lws_rx_flow_control(connection->wsi, 0);
    connection->reading_stopped = true;
}

static bool has_left(const struct http_connection *connection)
{
    struct pollfd socket = {.fd = connection->fd, .events = POLLRDHUP};

    return poll(&socket, 1, 0) > 0;
}

static void on_working_timer(uv_timer_t *timer)
{
    struct http_connections *connections = timer->data;
    uint64_t now = uv_now(timer->loop), next_ms = LEFT_MS;
    struct http_connection *connection = TAILQ_FIRST(&connections->working), *next;

    for (; connection; connection = next) {
        next = TAILQ_NEXT(connection, in_working);
        if (connection->working_since_ms + READ_ON_MS > now) {
            next_ms = connection->working_since_ms + READ_ON_MS - now;
            break; /* and so are all behind it */
        }
        stop_reading(connection);
        if (has_left(connection)) /* which libwebsockets finds by reading */
            lws_set_timeout(connection->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC);
    }
    if (!TAILQ_EMPTY(&connections->working))
        uv_timer_start(timer, on_working_timer, next_ms, 0);
}

static void begin_work(struct http_connection *connection)
{
    struct http_connections *all = connection->all;
    bool first = TAILQ_EMPTY(&all->working);

    connection->state = WORKING;
    connection->working_since_ms = uv_now(all->timer->loop);
    TAILQ_INSERT_TAIL(&all->working, connection, in_working);
    if (first || uv_timer_get_due_in(all->timer) > READ_ON_MS)
        uv_timer_start(all->timer, on_working_timer, READ_ON_MS, 0);
}

static void set_state(struct http_connection *connection, enum state state)
{
    if (connection->state == WORKING)
        TAILQ_REMOVE(&connection->all->working, connection, in_working);
    connection->state = state;
}

/* From our side it is gone; libwebsockets may take another turn of the loop. */
static void forget(struct http_connection *connection)
{
    leave_idle(connection);
    set_state(connection, DISCARDING);
    LIST_REMOVE(connection, every);
    connection->all->by_fd[connection->fd] = NULL;
    lws_set_opaque_user_data(connection->wsi, NULL);
    free(connection->text);
    free(connection);
}

static bool make_room(struct http_connections *connections, const unsigned char *address)
{
    struct http_connection *idle = find_idle(&connections->fresh, address);
    struct lws *wsi;

    if (!idle)
        idle = find_idle(&connections->kept, address);
    if (!idle)
        return false;
    connections->dropped++;
    wsi = idle->wsi;
    forget(idle);
    lws_set_timeout(wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_SYNC);
    return true;
}

/* ---- receiving ---- */

static ssize_t nothing_yet(void)
{
    errno = EAGAIN;
    return -1;
}

static void request_is_whole(struct http_connection *connection)
{
    begin_work(connection);
    connection->has_served = true;
    leave_idle(connection);
}

/* The head is libwebsockets' now, with as much of the body as has come. */
static ssize_t hand_over(struct http_connection *connection, const struct buf *head, char *bytes,
                         size_t len)
{
    ssize_t more = 0;

    if (head->failed || head->len > len) {
        errno = ENOMEM;
        return -1;
    }
    memcpy(bytes, head->data, head->len);
    connection->state =
        connection->head.status != 0 || connection->head.chunked ? DISCARDING : BODY;
    connection->body_left = connection->head.length;
    if (connection->state == BODY && connection->body_left > 0) {
        len -= head->len;
        if (len > connection->body_left)
            len = connection->body_left;
        more = recvfrom(connection->fd, bytes + head->len, len, 0, NULL, NULL);
        if (more > 0)
            connection->body_left -= (uint64_t)more;
    }
    if (connection->state == BODY && connection->body_left == 0)
        request_is_whole(connection);
    return (ssize_t)head->len + (more > 0 ? more : 0);
}

static ssize_t receive_head(struct http_connection *connection, char *bytes, size_t len)
{
    struct buf BUF_AUTO head = {0};
    ssize_t come;
    size_t end;
    char *to;

    if (!connection->text)
        connection->text = malloc(HTTP_HEAD_CAP);
    if (!connection->text)
        return -1;
    to = connection->text + connection->len;
    come = recvfrom(connection->fd, to, HTTP_HEAD_CAP - connection->len, MSG_PEEK, NULL, NULL);
    if (come <= 0)
        return come;
    end = http_head_end(connection->text, connection->len + (size_t)come);
    come =
        recvfrom(connection->fd, to, end > 0 ? end - connection->len : (size_t)come, 0, NULL, NULL);
    if (come <= 0)
        return come;
    connection->len += (size_t)come;
    note_idle(connection);
    if (end > 0)
        http_head_read(connection->text, end, &connection->head, &head);
    else if (!http_head_plausible(connection->text, connection->len))
        http_head_refuse(&connection->head, 400,
                         "this is no HTTP request: the address begins with http:// here", &head);
    else if (connection->len == HTTP_HEAD_CAP)
        http_head_refuse(&connection->head, 431,
                         "the first line and the headers are too long: send at most 16384 bytes",
                         &head);
    else
        return nothing_yet();
    return hand_over(connection, &head, bytes, len);
}

static ssize_t receive_body(struct http_connection *connection, char *bytes, size_t len)
{
    ssize_t come;

    if (len > connection->body_left)
        len = connection->body_left;
    come = recvfrom(connection->fd, bytes, len, 0, NULL, NULL);
    if (come > 0) {
        note_idle(connection);
        connection->body_left -= (uint64_t)come;
        if (connection->body_left == 0)
            request_is_whole(connection);
    }
    return come;
}

/* What comes now is of the next request, or the end of the connection. The end does not matter
 * while an answer is written: who has ended its own side may still read. */
static ssize_t leave_early(struct http_connection *connection)
{
    const int quiet = EARLY_BYTES;
    char byte;
    ssize_t come = recvfrom(connection->fd, &byte, 1, MSG_PEEK, NULL, NULL);

    if (come < 0 || (come == 0 && (connection->state == WORKING || connection->streams)))
        return come;
    if (connection->state == WORKING) {
        stop_reading(connection);
    } else if (!connection->quiet) {
        connection->quiet = true;
        setsockopt(connection->fd, SOL_SOCKET, SO_RCVLOWAT, &quiet, sizeof quiet);
    } else if (++connection->wakes > EARLY_WAKES_CAP) {
        log_debug("http", "a client that sends on takes no answer: closed");
        return 0;
    }
    return nothing_yet();
}

static ssize_t discard(struct http_connection *connection)
{
    /* For TCP, MSG_TRUNC throws the bytes away in the kernel: tcp(7). */
    ssize_t come = recvfrom(connection->fd, NULL, DISCARD_SIZE, MSG_TRUNC, NULL, NULL);

    return come > 0 ? nothing_yet() : come;
}

static ssize_t receive(struct http_connection *connection, char *bytes, size_t len)
{
    switch (connection->state) {
    case HEAD:
        return receive_head(connection, bytes, len);
    case BODY:
        return receive_body(connection, bytes, len);
    case WORKING:
    case ANSWERING:
        return leave_early(connection);
    case DISCARDING:
        return discard(connection);
    case WEB_SOCKET:
        break;
    }
    return recvfrom(connection->fd, bytes, len, 0, NULL, NULL);
}

ssize_t recv(int fd, void *bytes, size_t len, int flags)
{
    if (receiving && fd >= 0 && (size_t)fd < receiving->size && receiving->by_fd[fd] &&
        !(flags & MSG_PEEK))
        return receive(receiving->by_fd[fd], bytes, len);
    return recvfrom(fd, bytes, len, flags, NULL, NULL);
}

/* ---- a request and its answer ---- */

static struct http_connection *connection_of(struct lws *wsi)
{
    return lws_get_opaque_user_data(wsi);
}

const struct http_head *http_connection_head(struct lws *wsi)
{
    return &connection_of(wsi)->head;
}

void http_connection_answers(struct lws *wsi, bool streams)
{
    struct http_connection *connection = connection_of(wsi);

    if (!connection)
        return;
    if (connection->state == WORKING)
        set_state(connection, ANSWERING);
    connection->streams = streams;
    if (connection->reading_stopped)
        lws_rx_flow_control(wsi, 1);
    connection->reading_stopped = false;
}

void http_connection_expects(struct lws *wsi)
{
    struct http_connection *connection = connection_of(wsi);
    const int loud = 1;

    if (!connection || connection->state != ANSWERING)
        return;
    connection->state = HEAD;
    connection->len = 0;
    connection->wakes = 0;
    if (connection->quiet)
        setsockopt(connection->fd, SOL_SOCKET, SO_RCVLOWAT, &loud, sizeof loud);
    connection->quiet = false;
    note_idle(connection);
}

void http_connection_discards(struct lws *wsi)
{
    struct http_connection *connection = connection_of(wsi);

    if (connection)
        set_state(connection, DISCARDING);
}

void http_connection_upgraded(struct lws *wsi)
{
    struct http_connection *connection = connection_of(wsi);

    if (!connection)
        return;
    set_state(connection, WEB_SOCKET);
    free(connection->text);
    connection->text = NULL;
}

void http_connection_closed(struct lws *wsi)
{
    if (connection_of(wsi))
        forget(connection_of(wsi));
}

/* ---- life ---- */

struct http_connections *http_connections_create(uv_timer_t *timer)
{
    struct http_connections *connections = calloc(1, sizeof *connections);

    if (!connections)
        return NULL;
    connections->timer = timer;
    timer->data = connections;
    TAILQ_INIT(&connections->working);
    LIST_INIT(&connections->every);
    TAILQ_INIT(&connections->fresh);
    TAILQ_INIT(&connections->kept);
    return connections;
}

void http_connections_destroy(struct http_connections *connections)
{
    if (!connections)
        return;
    if (receiving == connections)
        receiving = NULL;
    uv_timer_stop(connections->timer);
    free(connections->by_fd);
    free(connections);
}

static bool has_slot(struct http_connections *connections, size_t count_wanted)
{
    struct http_connection **more;

    if (count_wanted <= connections->size)
        return true;
    count_wanted += count_wanted / 2;
    more = realloc(connections->by_fd, count_wanted * sizeof *more);
    if (!more)
        return false;
    memset(more + connections->size, 0, (count_wanted - connections->size) * sizeof *more);
    connections->by_fd = more;
    connections->size = count_wanted;
    return true;
}

/* Who is at the other end: of IPv6 the network, as one machine has all addresses of it. */
static void read_address(int fd, unsigned char *address)
{
    struct sockaddr_storage peer = {0};
    socklen_t len = sizeof peer;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&peer;
    bool is_four;

    memset(address, 0, sizeof(struct in6_addr));
    if (getpeername(fd, (struct sockaddr *)&peer, &len) < 0)
        return;
    if (peer.ss_family == AF_INET) {
        memcpy(address, &((const struct sockaddr_in *)&peer)->sin_addr, 4);
        return;
    }
    is_four = IN6_IS_ADDR_V4MAPPED(&six->sin6_addr);
    memcpy(address, six->sin6_addr.s6_addr + (is_four ? 12 : 0), is_four ? 4 : 8);
}

static int refuse(int fd, const char *why)
{
    log_warning("http", "%s: one more was closed", why);
    close(fd);
    return -1;
}

int http_connections_add(struct http_connections *connections, struct lws_vhost *vhost, int fd)
{
    struct http_connection *connection;
    unsigned char address[sizeof(struct in6_addr)];

    read_address(fd, address);
    if (count(connections, address) >= HTTP_ADDRESS_CONNECTIONS_CAP &&
        !make_room(connections, address))
        return refuse(fd, "an address has all connections that one may have");
    if (count(connections, NULL) >= HTTP_CONNECTIONS_CAP && !make_room(connections, NULL))
        return refuse(fd, "all connections are in use");
    connection = has_slot(connections, (size_t)fd + 1) ? calloc(1, sizeof *connection) : NULL;
    if (!connection)
        return refuse(fd, "out of memory for connections");
    connection->all = connections;
    connection->fd = fd;
    memcpy(connection->address, address, sizeof address);
    connection->wsi = lws_adopt_socket_vhost(vhost, fd);
    if (!connection->wsi) { /* which has closed it then */
        log_warning("http", "a connection could not be taken");
        free(connection);
        return -1;
    }
    receiving = connections;
    connections->by_fd[fd] = connection;
    LIST_INSERT_HEAD(&connections->every, connection, every);
    note_idle(connection);
    lws_set_opaque_user_data(connection->wsi, connection);
    lws_set_timeout(connection->wsi, PENDING_TIMEOUT_HOLDING_AH, HTTP_HEADERS_TIMEOUT_S);
    return 0;
}

size_t http_connections_take_dropped(struct http_connections *connections)
{
    size_t dropped = connections->dropped;

    connections->dropped = 0;
    return dropped;
}
