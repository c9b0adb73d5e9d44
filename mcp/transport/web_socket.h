/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * WebSockets on libwebsockets: which paths speak it, frames put together to messages up to a cap,
 * one message written a WRITEABLE, close frames. What a path says and hears is its kind's. On the
 * loop's thread.
 */
#ifndef LECTERN_TRANSPORT_WEB_SOCKET_H
#define LECTERN_TRANSPORT_WEB_SOCKET_H

#include "mcp/transport/http_server.h"

#define WEB_SOCKET_PING_S   30 /* without a sign of life, a client is asked for one */
#define WEB_SOCKET_HANGUP_S 50 /* and without one by then it is closed */
#define WEB_SOCKET_CLOSE_S  2  /* for the client's answer to a close frame */

struct web_socket;

struct web_socket_kind {
    const char *path;
    size_t message_cap; /* bytes; a longer message is cut one byte behind it */
    bool long_closes;   /* and ends the connection once it was heard */
    /* A message that is longer than the cap may grow up to this one, by its beginning; or NULL. */
    size_t (*cap_for)(const char *beginning, size_t len);
    /* Before the upgrade, Host, Origin and path being right: 0, or the status of a refusal and why.
     */
    int (*check)(struct http_server *http, struct lws *wsi, struct error *err);
    /* A zeroed socket of its own, which begins with struct web_socket; NULL without memory. */
    struct web_socket *(*open)(struct http_server *http, struct lws *wsi);
    /* A whole message; -1: the client is to be closed. */
    int (*receive)(struct web_socket *socket, const char *text, size_t len);
    /* The next message for the client, appended; false where none waits. */
    bool (*next)(struct web_socket *socket, struct buf *to);
    /* Whether it is to be closed now that nothing waits; or NULL. */
    bool (*ended)(const struct web_socket *socket);
    void (*closed)(struct web_socket *socket); /* frees it */
};
/* sync_socket.c: "/mcp-sync", over sync.h and, for the chat of the original CMS, legacy_chat.h.
 * chat_socket.c: "/chat?session_id=SID&thread_id=TID&editor=NAME", over chat.h. Whether there is
 * such a session is asked on a work queue, after the upgrade: a page of an unknown session gets a
 * RUN_ERROR and is closed. */
extern const struct web_socket_kind sync_socket_kind, chat_socket_kind;
void sync_socket_wake(void *user); /* sync_create's */
void chat_socket_wake(void *user); /* chat_create's */
/* Notifies all clients that the server goes away, and closes. */
void sync_socket_close_all(struct http_server *http);
void chat_socket_close_all(struct http_server *http);

struct web_socket {
    const struct web_socket_kind *kind;
    struct http_server *http;
    struct lws *wsi;
    struct buf message;           /* as far as it has come */
    size_t cap;                   /* of it */
    bool too_long;                /* the rest of it is thrown away */
    enum lws_close_status closes; /* 0: stays */
    bool close_sent;
};

/* Something waits for the client. */
void web_socket_wake(struct web_socket *socket);
/* Closes it once it has what waits. */
void web_socket_close(struct web_socket *socket, enum lws_close_status status);

/* The value of a query's argument ("session_id"), decoded: 1, 0 where there is none or it is empty,
 * -1 where it is longer than size allows or no UTF-8 text in one line. */
int web_socket_argument(struct lws *wsi, const char *name, char *value, size_t size);

/* For http.c. Before the upgrade, Host and Origin being right: 0, or a refusal's status. */
int web_socket_check(struct http_server *http, struct lws *wsi,
                     const struct server_request *request, struct error *err);
/* libwebsockets' callbacks. -1 closes the connection. */
int web_socket_on_open(struct http_server *http, struct lws *wsi, struct connection *connection);
int web_socket_on_bytes(struct connection *connection, const char *bytes, size_t len);
int web_socket_on_writable(struct connection *connection);
int web_socket_on_close_frame(struct connection *connection);
void web_socket_on_closed(struct connection *connection);

#endif
