/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The connections of a server: how many there may be and which ones are closed for new ones
 * (http_connections.c), and the bytes between each client and libwebsockets
 * (http_front.c). On the loop's thread.
 */
#ifndef LECTERN_TRANSPORT_HTTP_CONNECTIONS_H
#define LECTERN_TRANSPORT_HTTP_CONNECTIONS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/queue.h>

#include <libwebsockets.h>
#include <uv.h>

#include "helpers/base/buf.h"
#include "mcp/transport/http/http_head.h"

struct ssl_st;
struct tls;

#define HTTP_READ_SIZE  32768                  /* bytes that are read of a client at once */
#define HTTP_PIECE_SIZE (HTTP_READ_SIZE + 256) /* and of libwebsockets, which writes a few more */
/* Bytes under way from one socket of a pair to the other: more than a piece of an answer. The
 * kernel doubles it for its own needs. */
#define HTTP_PAIR_CAP 98304

enum input_state {
    INPUT_HEAD,
    INPUT_BODY,
    INPUT_WORKING,    /* the request is complete */
    INPUT_ANSWERING,  /* and so is the answer */
    INPUT_DISCARDING, /* until the connection closes */
    INPUT_LINGERING,  /* libwebsockets is done with it; discarding until the client has closed */
    INPUT_WEB_SOCKET,
};

TAILQ_HEAD(idle_list, http_connection);

struct http_connection {
    struct http_connections *all;
    struct lws *wsi; /* NULL: libwebsockets closes it, or has */
    int client_fd;
    struct ssl_st *ssl;   /* NULL: plain HTTP */
    int front_fd, lws_fd; /* a pair of sockets: our end, and that of libwebsockets, its owner */
    uv_poll_t client, front;
    int client_events, front_events; /* those that are watched */
    unsigned open_handles;
    bool ended; /* these are closing */

    unsigned char address[sizeof(struct in6_addr)];
    enum input_state state;
    struct http_head head;
    struct buf in; /* the head of the current request, then bytes that the client has sent early; at
                      most HTTP_HEAD_CAP bytes */
    size_t head_len; /* the first part of it; 0: between two requests */
    uint64_t body_left;
    struct buf to_lws, to_client; /* bytes that the other side does not take now */
    bool has_served;              /* at least one complete request */
    bool streams;                 /* the length of its answer is unknown */
    bool client_ended, lws_ended; /* nothing more comes from there */
    bool is_leaving;              /* the client has ended before it is answered */
    uint64_t ends_ms;             /* it is ended at that time; 0: it is not */
    uint64_t unsent_ms;           /* and at that time, unless to_client becomes shorter */

    LIST_ENTRY(http_connection) every;
    struct idle_list *idle; /* the list it is in, or NULL */
    TAILQ_ENTRY(http_connection) in_idle;
    bool in_turn; /* it is in the list */
    bool writes;  /* libwebsockets has something to write */
    bool wrote;   /* and has written something that is not sent yet */
    TAILQ_ENTRY(http_connection) in_turns;
};

struct http_connections {
    LIST_HEAD(, http_connection) every;
    struct idle_list done;               /* lingering, first the one that does so for longest */
    struct idle_list fresh;              /* without a complete request yet, longest idle first */
    struct idle_list kept;               /* between two requests */
    TAILQ_HEAD(, http_connection) turns; /* continue at the end of this turn of the loop */
    size_t dropped;
    uv_timer_t *timer;       /* runs while one of them has an ends_ms */
    uv_check_t *end_of_turn; /* and these while `turns` is not empty */
    uv_idle_t *no_wait;
    char piece[HTTP_PIECE_SIZE];
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
    if (connection->state == INPUT_LINGERING)
        connection->idle = &connection->all->done;
    else
        connection->idle =
            connection->has_served ? &connection->all->kept : &connection->all->fresh;
    TAILQ_INSERT_TAIL(connection->idle, connection, in_idle);
}

/* The handles are initialized, and borrowed until destroy. NULL without memory. */
struct http_connections *http_connections_create(uv_timer_t *timer, uv_check_t *end_of_turn,
                                                 uv_idle_t *no_wait);
void http_connections_destroy(struct http_connections *connections); /* takes NULL */

/* Takes an accepted socket, with TLS or with NULL. At HTTP_CONNECTIONS_CAP, and at
 * HTTP_ADDRESS_CONNECTIONS_CAP for one address, first closes the longest idle connection: one
 * that is answered and lingers, else one without a complete request, else one between two requests.
 * If none is idle, closes the new one and returns -1. */
int http_connections_add(struct http_connections *connections, struct lws_vhost *vhost,
                         struct tls *tls, int fd);
size_t http_connections_count(const struct http_connections *connections);
/* Whether a client has not yet been sent all that libwebsockets has written for it. */
bool http_connections_unsent(const struct http_connections *connections);
/* The number of idle connections closed since the last call, without those that lingered. */
size_t http_connections_take_dropped(struct http_connections *connections);

#endif
