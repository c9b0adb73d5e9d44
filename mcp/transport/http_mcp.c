/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "/mcp": MCP's Streamable HTTP. POST carries one message to the server; its answer is JSON, or a
 * stream of server-sent events if progress is sent before it. In the revisions with sessions,
 * DELETE ends one, and a lost connection cancels nothing. In those without, each POST has a peer of
 * its own, which ends with its connection. Runs on the loop's thread.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <time.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/log.h"
#include "mcp/protocol/peer.h"
#include "mcp/transport/http_internal.h"

#define JSON_TYPE            "application/json"
#define EVENTS_TYPE          "text/event-stream"
#define PARAM_HEADER         "mcp-param-"
#define PARAM_NAME_MAX       64
#define PARAM_HEADER_SIZE    1024         /* bytes of a value; a longer one counts as missing */
#define VERSION_CHECKED_FROM "2025-06-18" /* the first revision with MCP-Protocol-Version */

/* ---- the clients: a list in the order of use, as there are few (HTTP_PEERS_CAP) ---- */

struct mcp_session {
    TAILQ_ENTRY(mcp_session) link; /* least recently used first */
    char id[MCP_SESSION_ID_SIZE];  /* "" while it is not in the table */
    struct peer *peer;             /* NULL once it has ended */
    size_t users;                  /* exchanges that refer to it */
    uint64_t last_used;            /* seconds, monotonic */
};

struct mcp_sessions {
    struct host *host;
    TAILQ_HEAD(session_list, mcp_session) list;
    size_t count;
};

static uint64_t now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec;
}

/* One user less. What never got an id ends with its last. */
static void leave_session(struct mcp_session *session)
{
    session->last_used = now_s();
    if (--session->users > 0 || (session->peer && session->id[0]))
        return;
    peer_destroy(session->peer);
    free(session);
}

/* Ends the session: cancels its calls, notifies their exchanges, and forgets its id. */
static void end_session(struct mcp_sessions *sessions, struct mcp_session *session)
{
    struct peer *peer = session->peer;

    TAILQ_REMOVE(&sessions->list, session, link);
    sessions->count--;
    session->peer = NULL;
    session->users++; /* its exchanges are removed while they are notified */
    peer_destroy(peer);
    leave_session(session);
}

static bool is_idle(const struct mcp_session *session)
{
    return session->users == 0 && peer_calls(session->peer) == 0;
}

/* A client that has no id yet, with one user; NULL without memory. */
static struct mcp_session *create_session(struct mcp_sessions *sessions, struct error *err)
{
    struct mcp_session *session = calloc(1, sizeof *session);

    if (!session) {
        error_set(err, ERROR_MEMORY, "out of memory for an MCP session");
        return NULL;
    }
    session->peer = peer_create(sessions->host, "http", NULL, err);
    if (!session->peer) {
        free(session);
        return NULL;
    }
    session->users = 1;
    return session;
}

static int make_room(struct mcp_sessions *sessions, struct error *err)
{
    struct mcp_session *session;

    if (sessions->count < HTTP_PEERS_CAP)
        return 0;
    TAILQ_FOREACH(session, &sessions->list, link)
    {
        if (is_idle(session)) {
            log_info("http", "the table of %d MCP sessions is full: the one idle longest ends",
                     HTTP_PEERS_CAP);
            end_session(sessions, session);
            return 0;
        }
    }
    return error_set(err, ERROR_BUSY,
                     "%d MCP sessions have calls under way: send initialize again in a moment",
                     HTTP_PEERS_CAP);
}

/* Gives it its id. In a full table the one that was idle longest ends for it; -1 with ERROR_BUSY
 * where all have calls under way. */
static int register_session(struct mcp_sessions *sessions, struct mcp_session *session,
                            struct error *err)
{
    unsigned char random[(MCP_SESSION_ID_SIZE - 1) / 2];

    if (make_room(sessions, err) < 0)
        return -1;
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return error_errno(err, errno, "getrandom for a session id");
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(session->id + 2 * i, 3, "%02x", random[i]);
    session->last_used = now_s();
    TAILQ_INSERT_TAIL(&sessions->list, session, link);
    sessions->count++;
    return 0;
}

/* NULL when there is none. One more user. */
static struct mcp_session *use_session(struct mcp_sessions *sessions, const char *id)
{
    struct mcp_session *session;

    TAILQ_FOREACH(session, &sessions->list, link)
    {
        if (strcmp(session->id, id) != 0)
            continue;
        TAILQ_REMOVE(&sessions->list, session, link);
        TAILQ_INSERT_TAIL(&sessions->list, session, link);
        session->last_used = now_s();
        session->users++;
        return session;
    }
    return NULL;
}

struct mcp_sessions *mcp_sessions_create(struct server *server, struct error *err)
{
    struct mcp_sessions *sessions = calloc(1, sizeof *sessions);

    if (!sessions) {
        error_set(err, ERROR_MEMORY, "out of memory for the table of MCP sessions");
        return NULL;
    }
    sessions->host = host_create(server, NULL, err);
    if (!sessions->host) {
        free(sessions);
        return NULL;
    }
    TAILQ_INIT(&sessions->list);
    return sessions;
}

void mcp_sessions_destroy(struct mcp_sessions *sessions)
{
    struct mcp_session *session, *next;

    if (!sessions)
        return;
    for (session = TAILQ_FIRST(&sessions->list); session; session = next) {
        next = TAILQ_NEXT(session, link);
        end_session(sessions, session);
    }
    host_destroy(sessions->host);
    free(sessions);
}

void mcp_sessions_expire(struct mcp_sessions *sessions)
{
    struct mcp_session *session, *next;
    uint64_t now = now_s();

    for (session = TAILQ_FIRST(&sessions->list); session; session = next) {
        next = TAILQ_NEXT(session, link);
        if (now - session->last_used > HTTP_PEER_IDLE_S && is_idle(session))
            end_session(sessions, session);
    }
}

/* ---- one POST ---- */

/* One POST while its message is worked on. */
struct post {
    struct peer_reply reply;
    struct exchange *exchange;
    struct peer *peer;
    struct mcp_session *session; /* NULL: the peer is this POST's own */
    bool takes_json;
    struct buf response;
    int response_status;
    bool ended, accepted;
    bool receiving; /* inside peer_receive: the end is dealt with after it */
};

static bool accepts(const char *accept, const char *type, const char *any_of_kind)
{
    return !*accept || strcasestr(accept, type) || strcasestr(accept, any_of_kind) ||
           strstr(accept, "*/*");
}

static void free_post(struct post *post)
{
    if (post->session)
        leave_session(post->session);
    else
        peer_destroy(post->peer);
    buf_finish(&post->response);
    free(post);
}

/* The client disconnected. The call of a session continues; one of a peer of its own is
 * cancelled. */
static void on_gone(void *user)
{
    struct post *post = user;

    if (!post->session || post->session->peer)
        peer_forget(post->peer, &post->reply);
    free_post(post);
}

static void on_send(struct peer_reply *reply, const char *json, size_t len, enum peer_output kind)
{
    struct post *post = container_of(reply, struct post, reply);

    if (kind != PEER_RESPONSE) {
        if (post->reply.streams)
            exchange_send_event(post->exchange, json, len, kind == PEER_NOTIFICATION);
        return;
    }
    if (post->exchange->streaming) {
        exchange_send_event(post->exchange, json, len, false);
        return;
    }
    post->response_status = reply->http_status;
    buf_init(&post->response, 0);
    buf_add(&post->response, json, len);
}

static void finish_post(struct post *post)
{
    struct exchange *exchange = post->exchange;
    const struct buf *response = &post->response;

    if (response->len > 0 && !post->takes_json && post->response_status < 400 &&
        exchange->status == 0)
        exchange_send_event(exchange, response->data, response->len, false);
    if (post->response_status == 403)
        sign_in_ask_scope(exchange, IDENTITY_EDIT);
    if (exchange->streaming)
        exchange_end_stream(exchange);
    else if (response->len > 0)
        exchange_answer(exchange, post->response_status, JSON_TYPE, &post->response);
    else if (post->accepted)
        exchange_answer(exchange, 202, NULL, NULL);
    else
        exchange_error(exchange, 404, "the MCP session has ended: send initialize again");
    free_post(post);
}

static void on_end(struct peer_reply *reply, bool accepted)
{
    struct post *post = container_of(reply, struct post, reply);

    post->ended = true;
    post->accepted = accepted;
    if (!post->receiving)
        finish_post(post);
}

/* After a client's first message: only initialize creates a session. Any other message is answered
 * at once, so the post has ended. */
static void admit(struct post *post)
{
    struct exchange *exchange = post->exchange;
    struct error err = {0};

    if (!peer_client(post->session->peer)->version) {
        if (post->response_status < 400) {
            buf_clear(&post->response);
            exchange_error(exchange, 400,
                           "the Mcp-Session-Id header is missing: send initialize first, then each "
                           "message with the id that its answer carries");
        }
    } else if (register_session(exchange->services->sessions, post->session, &err) < 0) {
        exchange_error(exchange, 503, "%s", err.text);
    } else {
        snprintf(exchange->mcp_session, sizeof exchange->mcp_session, "%s", post->session->id);
    }
}

static void receive(struct post *post, const struct message *message,
                    const struct peer_headers *headers)
{
    bool is_new = post->session && !post->session->id[0];

    post->exchange->on_gone = on_gone;
    post->exchange->on_gone_user = post;
    post->receiving = true;
    peer_receive(post->peer, message, headers, &post->reply);
    post->receiving = false;
    if (is_new)
        admit(post);
    if (post->ended)
        finish_post(post);
}

/* ---- the three methods ---- */

static void check_post(struct exchange *exchange)
{
    const struct server_request *request = &exchange->request;
    size_t type_len = strcspn(request->content_type, "; \t");

    if (type_len != strlen(JSON_TYPE) ||
        strncasecmp(request->content_type, JSON_TYPE, type_len) != 0)
        exchange_error(exchange, 415,
                       "the body must be JSON: send it with Content-Type: application/json");
    else if (!accepts(request->accept, JSON_TYPE, "application/*") &&
             !accepts(request->accept, EVENTS_TYPE, "text/*"))
        exchange_error(exchange, 406,
                       "the answer is JSON or server-sent events: send Accept: application/json, "
                       "text/event-stream");
}

/* The session that the header names, with one more user; NULL: answered. */
static struct mcp_session *find_session(struct exchange *exchange)
{
    const struct server_request *request = &exchange->request;
    struct mcp_session *session = use_session(exchange->services->sessions, request->mcp_session);

    if (session && strcmp(peer_client(session->peer)->identity.id, exchange->identity->id) != 0) {
        leave_session(session); /* of another token */
        session = NULL;
    }
    if (!session) {
        exchange_error(exchange, 404,
                       "unknown Mcp-Session-Id (the session may have ended): send "
                       "initialize again");
        return NULL;
    }
    if (strcmp(peer_client(session->peer)->version, VERSION_CHECKED_FROM) >= 0 &&
        *request->mcp_version && !protocol_version_known(request->mcp_version)) {
        exchange_error(exchange, 400, "MCP-Protocol-Version must be the agreed one, %s",
                       peer_client(session->peer)->version);
        leave_session(session);
        return NULL;
    }
    return session;
}

/* The headers of a POST that repeat its body. */
struct post_headers {
    struct peer_headers headers; /* first */
    const struct exchange *exchange;
    char value[PARAM_HEADER_SIZE];
};

static const char *read_param(const struct peer_headers *headers, const char *name)
{
    struct post_headers *of_post = (struct post_headers *)headers;
    char header[sizeof PARAM_HEADER + PARAM_NAME_MAX + 1];
    int len = snprintf(header, sizeof header, PARAM_HEADER "%s:", name);

    if (len >= (int)sizeof header)
        return NULL;
    for (char *c = header; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return exchange_header(of_post->exchange, header, of_post->value, sizeof of_post->value)
               ? of_post->value
               : NULL;
}

/* The client of this POST: of its session, with one more user, or for itself. -1: answered. */
static int find_peer(struct post *post, bool modern)
{
    struct exchange *exchange = post->exchange;
    struct mcp_sessions *sessions = exchange->services->sessions;
    struct error err = {0};

    if (modern)
        post->peer = peer_create(sessions->host, "http", NULL, &err);
    else if (*exchange->request.mcp_session)
        post->session = find_session(exchange);
    else
        post->session = create_session(sessions, &err);
    if (post->session)
        post->peer = post->session->peer;
    if (post->peer) {
        peer_identify(post->peer, exchange->identity);
        return 0;
    }
    exchange_error(exchange, 503, "%s", err.text); /* find_session has answered already */
    return -1;
}

static void handle_post(struct exchange *exchange)
{
    const struct server_request *request = &exchange->request;
    const struct buf *body = &exchange->body;
    struct post_headers headers = {
        {request->mcp_version, request->mcp_method, request->mcp_name, read_param}, exchange, ""};
    struct post *post = calloc(1, sizeof *post);
    struct message message;

    if (!post) {
        exchange_error(exchange, 503, "out of memory: send it again in a moment");
        return;
    }
    post->reply.send = on_send;
    post->reply.end = on_end;
    post->exchange = exchange;
    post->takes_json = accepts(request->accept, JSON_TYPE, "application/*");
    post->reply.streams = accepts(request->accept, EVENTS_TYPE, "text/*");
    message_read(&message, body->data ? body->data : "", body->len);
    if (find_peer(post, peer_message_is_modern(&message, &headers.headers)) < 0)
        free_post(post);
    else
        receive(post, &message, &headers.headers);
    message_finish(&message);
}

static void handle_delete(struct exchange *exchange)
{
    struct mcp_session *session;

    if (!*exchange->request.mcp_session) {
        exchange_error(exchange, 400, "the Mcp-Session-Id header of the session to end is missing");
        return;
    }
    session = find_session(exchange);
    if (!session)
        return;
    end_session(exchange->services->sessions, session);
    leave_session(session);
    exchange_answer(exchange, 204, NULL, NULL);
}

static void check(struct exchange *exchange)
{
    const char *method = exchange->request.method;
    bool modern;

    if (strcmp(method, "POST") == 0) {
        check_post(exchange);
        return;
    }
    modern = peer_version_is_modern(exchange->request.mcp_version);
    if (strcmp(method, "DELETE") == 0 && !modern)
        return;
    snprintf(exchange->allow, sizeof exchange->allow, "POST, %sOPTIONS", modern ? "" : "DELETE, ");
    if (strcmp(method, "OPTIONS") == 0)
        exchange_answer(exchange, 204, NULL, NULL);
    else if (modern)
        exchange_error(exchange, 405, "%s has no sessions: send messages with POST",
                       exchange->request.mcp_version);
    else
        exchange_error(exchange, 405, "GET /mcp is not supported: send messages with POST");
}

static void handle(struct exchange *exchange)
{
    if (strcmp(exchange->request.method, "POST") == 0)
        handle_post(exchange);
    else
        handle_delete(exchange);
}

const struct http_route http_route_mcp = {
    .path = "/mcp",
    .error_form = "rpc",
    .scope = IDENTITY_READ,
    .body_cap = MESSAGE_IN_CAP,
    .check = check,
    .handle = handle,
};
