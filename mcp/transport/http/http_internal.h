/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The shared part of the HTTP server. One exchange is one request and its answer. The handlers of
 * the paths (http_mcp.c, http_rest.c, http_learners.c, http_execute.c, http_page.c,
 * http_metrics.c) see only
 * exchanges; the files below them (http_server.h) use libwebsockets. Everything runs on the loop's
 * thread.
 */
#ifndef LECTERN_TRANSPORT_HTTP_INTERNAL_H
#define LECTERN_TRANSPORT_HTTP_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "helpers/base/buf.h"
#include "mcp/api/rest.h"
#include "mcp/auth/identity.h"
#include "mcp/transport/transport.h"

#define HTTP_HEADERS_TIMEOUT_S   10      /* to receive the headers of a request */
#define HTTP_BODY_STALL_S        20      /* without receiving a byte of the body */
#define HTTP_BODY_TIMEOUT_S      120     /* to receive the whole body */
#define HTTP_WRITE_STALL_S       30      /* without the client receiving a byte of the answer */
#define HTTP_KEEPALIVE_TIMEOUT_S 60      /* between two requests */
#define HTTP_EDITOR_MAX          64      /* bytes of an editor's name */
#define HTTP_PAGE_PREFIX         "page:" /* before the name of an author who edits on our page */
#define HTTP_LINGER_S            2       /* for the client to close after the last answer */
#define HTTP_RETRY_AFTER_S       1u
#define HTTP_ANSWERS_CAP         ((size_t)256 << 20) /* bytes of all pending answers to reads */
#define HTTP_BODIES_CAP          ((size_t)256 << 20) /* bytes of all request bodies in memory */
#define HTTP_BODY_SMALL          ((size_t)64 << 10)  /* bytes of a body that is taken even then */
#define HTTP_STREAM_MARK                                                                           \
    ((size_t)1 << 20) /* unread bytes of a stream, above which progress is dropped */

#define MCP_SESSION_ID_SIZE 400 /* with the NUL (session_id.h) */

struct auth_result;
struct auth_wait;
struct http_server;
struct exchange;
struct mcp_sessions;
struct chat;
struct lws;

/* What the handlers use. */
struct http_services {
    struct server *server;
    struct mcp_sessions *sessions;
    struct chat *chat;
    struct rest_cache *rest_answers; /* used by jobs on the work queues until these have ended */
};

struct server_request {
    const char *method; /* static: "GET" */
    bool opens_page;    /* according to Sec-Fetch-Mode and -Dest: a browser displays the answer as a
                           page */
    bool has_key;       /* Idempotency-Key is present, perhaps empty */
    uint64_t length;    /* of the body */
    bool chunked, expects_continue, preflight;
    bool unreadable;          /* nothing after it on the connection can be parsed */
    const char *wrong;        /* why its headers are invalid, or NULL */
    int wrong_status;         /* the status for that: 400 or another */
    const char *wrong_editor; /* why X-Editor is invalid, or NULL */

    /* Texts; "" if absent. */
    char path[REST_PATH_MAX];   /* decoded */
    char target[REST_PATH_MAX]; /* the path as sent, still encoded */
    char query[REST_PATH_MAX];  /* encoded */
    char host[256];
    char origin[512];
    char site[32]; /* Sec-Fetch-Site */
    char content_type[128];
    char accept[512];
    char accept_encoding[256];
    char mcp_session[MCP_SESSION_ID_SIZE];
    char mcp_version[64];
    char last_event_id[64];
    char mcp_method[64];
    char mcp_name[1024];
    char session[128]; /* X-Session-ID */
    char if_match[256];
    char if_none_match[256];
    char idempotency_key[256];
    char editor[HTTP_EDITOR_MAX + sizeof HTTP_PAGE_PREFIX]; /* X-Editor, decoded */
};

/* One path, perhaps with all paths below it, or the fallback. */
struct http_route {
    const char *path;       /* NULL: all other paths */
    bool below;             /* "/ui" also matches "/ui/..." */
    const char *error_form; /* format of the errors of this path: "rpc" or "detail" */
    bool open;              /* to all; else a request needs one of the scopes before its check */
    unsigned scopes;        /* of enum identity_scope */
    size_t body_cap;        /* 0: the configured one */
    /* Called with only the headers. May answer already; the body is then read and discarded. */
    void (*check)(struct exchange *exchange);
    /* Called with the whole body. Answers now or later. */
    void (*handle)(struct exchange *exchange);
    bool of_editors; /* as the fallback: not on a server that has only the tools of a tutor */
};
extern const struct http_route http_route_mcp, http_route_page, http_route_page_files,
    http_route_metrics, http_route_execute, http_route_rest, http_route_learners, http_route_health,
    http_route_sign_in, http_route_sign_in_link, http_route_resource;

struct http_header {
    const char *name,
        *value; /* "content-encoding:"; the last row is followed by one without a name */
};

enum exchange_state {
    EXCHANGE_RECEIVING, /* the body */
    EXCHANGE_WORKING,   /* the handler has it */
    EXCHANGE_ANSWERING,
    EXCHANGE_DONE,
};

struct exchange {
    const struct http_services *services;
    struct server_request *request;      /* owned; NULL once the headers of a stream are out */
    const struct identity *identity;     /* who sends it: never NULL in a check or a handler. Static
                                            or in this struct: copy what is kept for longer */
    struct buf body;                     /* of the request */
    const struct rest_route *rest_route; /* set by the check of the session API for its handler */

    /* Called once if the client disconnects before the answer; the exchange no longer exists
     * afterwards. Set by a handler that answers later; answering resets it. */
    void (*on_gone)(void *user);
    /* Of a stream that was ended: called once when its last byte was written, instead of on_gone.
     * Or NULL. */
    void (*on_written)(void *user);
    void *on_gone_user; /* of both */

    /* Additional headers of the answer, set before it. Empty ones are not sent. */
    char etag[REST_ETAG_SIZE];
    char allow[96];
    char mcp_session[MCP_SESSION_ID_SIZE];
    bool replayed;                   /* repeats an earlier answer to the same key */
    unsigned retry_after_s;          /* for 503 and 429; 0: HTTP_RETRY_AFTER_S */
    char *authenticate, *set_cookie; /* WWW-Authenticate, Set-Cookie; owned, or NULL */
    /* Static headers instead of "Cache-Control: no-store", which every other answer has; or NULL.
     * Not sent with an error. */
    const struct http_header *headers;

    int status;     /* of the answer; 0: none yet */
    bool streaming; /* it is a stream of events */

    /* The rest is private to http_exchange.c, http_answer.c and http_sign_in.c. */
    struct http_server *http;
    struct lws *wsi;
    const struct http_route *route;
    enum exchange_state state;
    uint64_t body_deadline_ms;
    bool cross_origin;            /* the answer has CORS headers */
    struct auth_wait *signing_in; /* or NULL */
    void (*admit)(struct exchange *exchange);
    struct identity signed_in;
    const char *content_type;
    struct buf out; /* the body, or the events not yet written */
    size_t written;
    size_t counted;      /* the part of out that http->answers includes */
    bool continue_waits; /* "100 Continue" must be sent first */
    bool headers_sent;
    bool stream_ended;
    bool closes;
};

struct buf exchange_take_body(struct exchange *exchange); /* the caller becomes the owner */

/* Sends the complete answer; takes ownership of the bytes of body (NULL for none). 503 and 429
 * carry Retry-After. */
void exchange_answer(struct exchange *exchange, int status, const char *content_type,
                     struct buf *body);
/* Sends an error in the format of its path. */
void exchange_error(struct exchange *exchange, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* That the server has open, the one of this request among them. */
size_t exchange_connections(const struct exchange *exchange);

/* For the check of a handler. If false, it was answered: with 405 and Allow (or the answer to
 * OPTIONS), or with 415. GET includes HEAD. */
bool exchange_takes(struct exchange *exchange, const char *method, const char *refusal);
bool exchange_takes_json(struct exchange *exchange);

/* For a check or a handler: whether its identity has one of the scopes (enum identity_scope). If
 * false, it was answered: with 403 and insufficient_scope. */
bool exchange_needs(struct exchange *exchange, unsigned scopes);

/* The value of a header of the request, trimmed; false if it is absent, too long or not printable
 * ASCII. name: in lower case, with its colon. */
bool exchange_header(const struct exchange *exchange, const char *name, char *value, size_t size);

/* An answer as server-sent events: begins with the first one, ends with exchange_end_stream. Each
 * is one message without line ends, with its id or NULL. droppable: discarded if the client is far
 * behind. */
void exchange_send_event(struct exchange *exchange, const char *id, const char *json, size_t len,
                         bool droppable);
/* Other parts of such a stream, complete lines. len 0: only begins it, with its headers. */
void exchange_send_text(struct exchange *exchange, const char *text, size_t len);
void exchange_end_stream(struct exchange *exchange);

/* http_sign_in.c: finds out who sends the request, and calls admit, now or later, also after
 * having answered. */
void sign_in_begin(struct exchange *exchange, void (*admit)(struct exchange *exchange));
void sign_in_end(struct exchange *exchange); /* the exchange goes */
/* Whether who sent the request is still known; a stream may outlast a token. */
bool sign_in_lasts(struct exchange *exchange);
/* For an answer 403 that says that the identity lacks the scope: its header. */
void sign_in_ask_scope(struct exchange *exchange, unsigned scope);

/* mcp_sessions.c: what is under way for MCP clients. */
struct mcp_sessions *mcp_sessions_create(struct server *server, struct error *err);
void mcp_sessions_destroy(struct mcp_sessions *sessions); /* ends all. Takes NULL */
void mcp_sessions_expire(struct mcp_sessions *sessions);  /* now and then: frees what is over */
void mcp_sessions_drain(struct mcp_sessions *sessions);   /* ends the streams without a call */
void mcp_sessions_renew(struct mcp_sessions *sessions); /* those whose token is not good any more */

#endif
