/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The connections of a server: how many there may be and which ones are closed for new ones
 * (http_connections.c), and which bytes of each are passed to libwebsockets (lws_workarounds.c). On
 * the loop's thread.
 */
#ifndef LECTERN_TRANSPORT_HTTP_CONNECTIONS_H
#define LECTERN_TRANSPORT_HTTP_CONNECTIONS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/queue.h>

#include <libwebsockets.h>
#include <uv.h>

#include "mcp/transport/http/http_head.h"

enum input_state {
    INPUT_HEAD,
    INPUT_BODY,
    INPUT_WORKING,    /* the request is complete */
    INPUT_ANSWERING,  /* and so is the answer */
    INPUT_DISCARDING, /* until the connection closes */
    INPUT_LINGERING,  /* answered, discarding until the client has closed */
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
    bool has_served; /* at least one complete request */
    bool streams;    /* the length of its answer is unknown */
    bool reading_stopped, quiet;
    unsigned wakes;
    uint64_t working_since_ms;
    TAILQ_ENTRY(http_connection) in_working;
    LIST_ENTRY(http_connection) every;
    struct idle_list *idle; /* the list it is in, or NULL */
    TAILQ_ENTRY(http_connection) in_idle;
    size_t len;  /* of text */
    char *text;  /* the beginning of a head that comes in pieces: HTTP_HEAD_CAP bytes, or NULL */
    bool writes; /* it is in the list */
    TAILQ_ENTRY(http_connection) in_writing;
};

struct http_connections {
    struct http_connection **by_fd;
    size_t size; /* of by_fd */
    LIST_HEAD(, http_connection) every;
    struct idle_list fresh;                /* without a complete request yet, longest idle first */
    struct idle_list kept;                 /* between two requests */
    TAILQ_HEAD(, http_connection) working; /* and those that linger, oldest first */
    TAILQ_HEAD(, http_connection) writing; /* they write at the end of this turn of the loop */
    bool in_callback; /* libwebsockets is in a callback of one of them, because of its socket */
    size_t dropped;
    uv_timer_t *timer;        /* runs while `working` is not empty */
    uv_check_t *end_of_turn;  /* and this while `writing` is not */
    char text[HTTP_HEAD_CAP]; /* for a head that comes in one piece */
};

static inline void http_connection_leave_idle(struct http_connection *connection)
{
    if (connection->idle)
        TAILQ_REMOVE(connection->idle, connection, in_idle);
    connection->idle = NULL;
}

/* It has sent something, or becomes idle now: the last one to be closed for a new one. */
static inline void http_connection_note_idle(struct http_connection *connection)
{
    http_connection_leave_idle(connection);
    connection->idle = connection->has_served ? &connection->all->kept : &connection->all->fresh;
    TAILQ_INSERT_TAIL(connection->idle, connection, in_idle);
}

/* The handles are initialized, and borrowed until destroy. NULL without memory. */
struct http_connections *http_connections_create(uv_timer_t *timer, uv_check_t *end_of_turn);
void http_connections_destroy(struct http_connections *connections); /* takes NULL */

/* Adopts an accepted socket into libwebsockets. client_fd: whose address counts, the same or that
 * of the client behind it. At HTTP_CONNECTIONS_CAP, and at
 * HTTP_ADDRESS_CONNECTIONS_CAP for one address, first closes the longest idle connection: one
 * without a complete request, else one between two requests. If none is idle, closes the new one
 * and returns -1. */
int http_connections_add(struct http_connections *connections, struct lws_vhost *vhost, int fd,
                         int client_fd);
size_t http_connections_count(const struct http_connections *connections);
/* The number of idle connections closed since the last call. */
size_t http_connections_take_dropped(struct http_connections *connections);

/* libwebsockets has closed the connection. */
void http_connection_closed(struct lws *wsi);

#endif
