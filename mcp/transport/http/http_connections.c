/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How many connections there may be, in all and of one address, and which are closed for new ones.
 * What passes on a connection is http_front.c's.
 */
#include "mcp/transport/http/http_connections.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "helpers/base/log.h"
#include "mcp/transport/http/http_front.h"
#include "mcp/transport/http/http_internal.h"
#include "mcp/transport/http/tls.h"

/* ---- which give way ---- */

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
        if (is_of(connection, address) && connection->to_client.len == 0)
            break;
    }
    return connection;
}

static bool make_room(struct http_connections *connections, const unsigned char *address)
{
    struct http_connection *idle = find_idle(&connections->done, address);

    if (!idle)
        idle = find_idle(&connections->fresh, address);
    if (!idle)
        idle = find_idle(&connections->kept, address);
    if (!idle)
        return false;
    if (idle->state != INPUT_LINGERING)
        connections->dropped++;
    http_front_end(idle);
    return true;
}

/* ---- life ---- */

struct http_connections *http_connections_create(uv_timer_t *timer, uv_check_t *end_of_turn,
                                                 uv_idle_t *no_wait)
{
    struct http_connections *connections = calloc(1, sizeof *connections);

    if (!connections)
        return NULL;
    connections->timer = timer;
    timer->data = connections;
    connections->end_of_turn = end_of_turn;
    end_of_turn->data = connections;
    connections->no_wait = no_wait;
    TAILQ_INIT(&connections->turns);
    LIST_INIT(&connections->every);
    TAILQ_INIT(&connections->done);
    TAILQ_INIT(&connections->fresh);
    TAILQ_INIT(&connections->kept);
    return connections;
}

void http_connections_destroy(struct http_connections *connections)
{
    if (!connections)
        return;
    while (!LIST_EMPTY(&connections->every))
        http_front_end(LIST_FIRST(&connections->every));
    uv_timer_stop(connections->timer);
    uv_check_stop(connections->end_of_turn);
    uv_idle_stop(connections->no_wait);
    free(connections);
}

/* The address of the client; of IPv6 its network, as one machine has all addresses of it. */
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

static bool open_pair(int pair[2])
{
    const int cap = HTTP_PAIR_CAP;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) < 0)
        return false;
    for (size_t i = 0; i < 2; i++)
        if (setsockopt(pair[i], SOL_SOCKET, SO_SNDBUF, &cap, sizeof cap) < 0)
            log_debug("http", "SO_SNDBUF: %s", strerrordesc_np(errno));
    return true;
}

/* The socket becomes the connection's, with its TLS and its pair. -1: the caller still has it. */
static int open_connection(struct http_connection *connection, struct lws_vhost *vhost,
                           struct tls *tls, int fd)
{
    int pair[2];

    if (tls && !(connection->ssl = tls_client_create(tls, fd)))
        return -1;
    if (!open_pair(pair))
        return -1;
    connection->wsi = lws_adopt_socket_vhost(vhost, pair[1]); /* closes it if it fails */
    if (!connection->wsi) {
        close(pair[0]);
        return -1;
    }
    connection->client_fd = fd;
    connection->front_fd = pair[0];
    connection->lws_fd = pair[1];
    return 0;
}

int http_connections_add(struct http_connections *connections, struct lws_vhost *vhost,
                         struct tls *tls, int fd)
{
    struct http_connection *connection;
    unsigned char address[sizeof(struct in6_addr)];

    read_address(fd, address);
    if (count(connections, address) >= HTTP_ADDRESS_CONNECTIONS_CAP &&
        !make_room(connections, address))
        return refuse(fd, "an address has all connections that one may have");
    if (count(connections, NULL) >= HTTP_CONNECTIONS_CAP && !make_room(connections, NULL))
        return refuse(fd, "all connections are in use");
    connection = calloc(1, sizeof *connection);
    if (!connection)
        return refuse(fd, "out of memory for connections");
    connection->all = connections;
    memcpy(connection->address, address, sizeof address);
    if (open_connection(connection, vhost, tls, fd) < 0) {
        tls_client_destroy(connection->ssl);
        free(connection);
        return refuse(fd, "a connection could not be taken");
    }
    LIST_INSERT_HEAD(&connections->every, connection, every);
    http_connection_note_idle(connection);
    lws_set_opaque_user_data(connection->wsi, connection);
    lws_set_timeout(connection->wsi, PENDING_TIMEOUT_HOLDING_AH, HTTP_HEADERS_TIMEOUT_S);
    if (http_front_begin(connection) == 0)
        return 0;
    log_warning("http", "the loop cannot watch one more connection: it was closed");
    return -1;
}

bool http_connections_unsent(const struct http_connections *connections)
{
    const struct http_connection *connection;
    bool found = false;

    LIST_FOREACH(connection, &connections->every, every)
    found |= connection->to_client.len > 0 || connection->in_turn;
    return found;
}

size_t http_connections_count(const struct http_connections *connections)
{
    return count(connections, NULL);
}

size_t http_connections_take_dropped(struct http_connections *connections)
{
    size_t dropped = connections->dropped;

    connections->dropped = 0;
    return dropped;
}
