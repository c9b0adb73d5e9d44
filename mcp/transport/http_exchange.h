/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What an exchange is for the three files that are it: http_exchange.c (its life, and answering as
 * the handlers see it), http_receive.c (the request) and http_write.c (the answer's bytes).
 */
#ifndef LECTERN_TRANSPORT_HTTP_EXCHANGE_H
#define LECTERN_TRANSPORT_HTTP_EXCHANGE_H

#include "mcp/transport/http_server.h"

enum exchange_state {
    EXCHANGE_RECEIVING, /* the body */
    EXCHANGE_WORKING,   /* the handler has it */
    EXCHANGE_ANSWERING,
    EXCHANGE_LINGERING, /* answered; the client gets time to read it before the connection closes */
    EXCHANGE_DONE,
};

struct exchange {
    struct http_server *http;
    struct lws *wsi;
    const struct http_route *route;
    const struct rest_route *rest_route; /* or NULL */
    struct server_request request;
    struct gate_verdict gate;
    enum exchange_state state;
    struct buf body;
    uint64_t body_deadline_ms;
    void (*on_gone)(void *user);
    void *on_gone_user;

    /* the answer */
    int status; /* 0: none yet */
    const char *content_type;
    struct buf out; /* the body, or the events not yet written */
    size_t written;
    size_t counted;      /* of out in http->answers */
    bool continue_waits; /* "100 Continue" goes first */
    bool headers_sent;
    bool streaming, stream_ended;
    bool closes;
    bool lingers; /* first, for a client that still sends */
    char etag[REST_ETAG_SIZE];
    bool replayed;
    char allow[96];
    char mcp_session[64];
    unsigned retry_after_s;            /* 0: the usual */
    const struct http_header *headers; /* or NULL */
};

/* http_exchange.c */
void exchange_release_body(struct exchange *exchange);
void exchange_begin_answer(struct exchange *exchange); /* once the request is in */

/* http_write.c */
/* The next piece of the answer: the headers first, then as much of the body as one write takes. */
int exchange_write_piece(struct exchange *exchange);

#endif
