/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The connections of a server: how many there may be and which are closed for new ones
 * (http_connections.c), and what of the bytes of each libwebsockets gets (lws_workarounds.c). On
 * the loop's thread.
 */
#ifndef LECTERN_TRANSPORT_HTTP_CONNECTIONS_H
#define LECTERN_TRANSPORT_HTTP_CONNECTIONS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/queue.h>

#include <libwebsockets.h>
#include <uv.h>

#include "mcp/transport/http_head.h"

enum input_state {
    INPUT_HEAD,
    INPUT_BODY,
    INPUT_WORKING,    /* the request is whole */
    INPUT_ANSWERING,  /* and so is the answer */
    INPUT_DISCARDING, /* until the connection closes */
    INPUT_LINGERING,  /* answered, and discarding until the client has left */
    INPUT_WEB_SOCKET,
};

TAILQ_HEAD(idle_list, http_connection);

struct http_connection {
    struct http_connections *all;
    struct lws *wsi;
    int fd;
    unsigned char address[sizeof(struct in6_addr)];
    enum input_state state;
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
    TAILQ_HEAD(, http_connection) working; /* and those that linger, the oldest first */
    size_t dropped;
    uv_timer_t *timer; /* runs while any is worked on */
};

static inline void http_connection_leave_idle(struct http_connection *connection)
{
    if (connection->idle)
        TAILQ_REMOVE(connection->idle, connection, in_idle);
    connection->idle = NULL;
}

/* It has sent something, or waits from now on: the last one to give way. */
static inline void http_connection_note_idle(struct http_connection *connection)
{
    http_connection_leave_idle(connection);
    connection->idle = connection->has_served ? &connection->all->kept : &connection->all->fresh;
    TAILQ_INSERT_TAIL(connection->idle, connection, in_idle);
}

/* timer: initialized, and borrowed for as long. NULL without memory. */
struct http_connections *http_connections_create(uv_timer_t *timer);
void http_connections_destroy(struct http_connections *connections); /* takes NULL */

/* Takes an accepted socket into libwebsockets. At HTTP_CONNECTIONS_CAP, and for one address at
 * HTTP_ADDRESS_CONNECTIONS_CAP, the connection that has been idle longest is closed for it: one
 * without a whole request first, then one between two requests. Where none is idle the new one is
 * closed, and -1 returned. */
int http_connections_add(struct http_connections *connections, struct lws_vhost *vhost, int fd);
/* How many idle ones were closed since this was last asked. */
size_t http_connections_take_dropped(struct http_connections *connections);

/* libwebsockets is done with it. */
void http_connection_closed(struct lws *wsi);

#endif
