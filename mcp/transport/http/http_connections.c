/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How many connections there may be, in all and of one address, and which are closed for new ones.
 * What a connection has sent of its request is lws_workarounds.c's.
 */
#include "mcp/transport/http/http_connections.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "helpers/base/log.h"
#include "mcp/transport/http/http_internal.h"
#include "mcp/transport/http/lws_workarounds.h"

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
        if (is_of(connection, address))
            break;
    }
    return connection;
}

/* Closed on our side; libwebsockets may take another turn of the loop. */
static void forget(struct http_connection *connection)
{
    http_connection_leave_idle(connection);
    http_connection_discards(connection->wsi);
    if (connection->writes)
        TAILQ_REMOVE(&connection->all->writing, connection, in_writing);
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

void http_connection_closed(struct lws *wsi)
{
    if (lws_get_opaque_user_data(wsi))
        forget(lws_get_opaque_user_data(wsi));
}

/* ---- life ---- */

struct http_connections *http_connections_create(uv_timer_t *timer, uv_check_t *end_of_turn)
{
    struct http_connections *connections = calloc(1, sizeof *connections);

    if (!connections)
        return NULL;
    connections->timer = timer;
    timer->data = connections;
    connections->end_of_turn = end_of_turn;
    end_of_turn->data = connections;
    TAILQ_INIT(&connections->working);
    TAILQ_INIT(&connections->writing);
    LIST_INIT(&connections->every);
    TAILQ_INIT(&connections->fresh);
    TAILQ_INIT(&connections->kept);
    return connections;
}

void http_connections_destroy(struct http_connections *connections)
{
    if (!connections)
        return;
    http_receive_end(connections);
    uv_timer_stop(connections->timer);
    uv_check_stop(connections->end_of_turn);
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

int http_connections_add(struct http_connections *connections, struct lws_vhost *vhost, int fd,
                         int client_fd)
{
    struct http_connection *connection;
    unsigned char address[sizeof(struct in6_addr)];

    read_address(client_fd, address);
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
    http_receive_begin(connections);
    connections->by_fd[fd] = connection;
    LIST_INSERT_HEAD(&connections->every, connection, every);
    http_connection_note_idle(connection);
    lws_set_opaque_user_data(connection->wsi, connection);
    lws_set_timeout(connection->wsi, PENDING_TIMEOUT_HOLDING_AH, HTTP_HEADERS_TIMEOUT_S);
    return 0;
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
