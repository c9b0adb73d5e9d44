/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * WebSockets on libwebsockets: their paths, the assembly of frames to messages up to a cap, one
 * message per WRITEABLE callback, close frames. The protocols of the paths are in the last two
 * parts of this file. On the loop's thread.
 */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/json.h"
#include "mcp/auth/auth.h"
#include "mcp/chat/chat.h"
#include "mcp/chat/legacy_chat.h"
#include "mcp/chat/prompt.h"
#include "mcp/chat/run_input.h"
#include "mcp/transport/http/http_server.h"
#include "mcp/transport/websocket/sync.h"

#define PATH_SIZE     64
#define ARGUMENT_SIZE 4096 /* name and value */
#define CLOSE_S       2    /* for the client's answer to a close frame */
#define REASON_MAX    32   /* bytes, of a close frame */

struct web_socket;

struct web_socket_kind {
    const char *path;
    size_t message_cap; /* bytes; a longer message is cut one byte after it */
    bool long_closes;   /* and ends the connection once it was heard */
    /* A message that is longer than the cap may grow up to this one, by its beginning; or NULL. */
    size_t (*cap_for)(const char *beginning, size_t len);
    /* Before the upgrade, Host, Origin and path being right: 0, or the status of a refusal and why.
     */
    int (*check)(struct http_server *http, struct lws *wsi, const struct identity *identity,
                 struct error *err);
    /* Sets what the kind has in the socket; -1 without memory. */
    int (*open)(struct web_socket *socket);
    /* Handles a complete message; -1: close the client. */
    int (*receive)(struct web_socket *socket, const char *text, size_t len);
    /* Appends the next message for the client; false if none waits. */
    bool (*next)(struct web_socket *socket, struct buf *to);
    /* Whether to close it, now that nothing waits; or NULL. */
    bool (*ended)(const struct web_socket *socket);
    void (*closed)(struct web_socket *socket); /* frees what the kind has in it */
};

struct web_socket {
    const struct web_socket_kind *kind;
    struct http_server *http;
    struct lws *wsi;
    struct buf message;           /* received so far */
    size_t cap;                   /* of it */
    bool too_long;                /* the rest of it is discarded */
    enum lws_close_status closes; /* 0: stays */
    bool close_sent;
    struct identity identity;
    bool ousted; /* its token is not good any more: nothing more is said to it */

    struct sync_client *client; /* of /mcp-sync */
    struct legacy_chat *legacy; /* created with its first question; else NULL */
    struct chat_page *page;     /* of /chat */
};

static const struct web_socket_kind sync_kind, chat_kind;
static const struct web_socket_kind *const kinds[] = {&sync_kind, &chat_kind};

static const struct web_socket_kind *find_kind(const char *path)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i]->path, path) == 0)
            return kinds[i];
    }
    return NULL;
}

/* ---- before the upgrade ---- */

/* One line of UTF-8. */
static bool is_line(const char *text)
{
    json_t *as_text = json_string(text);
    bool good = as_text != NULL;

    for (const char *at = text; *at; at++)
        good = good && (unsigned char)*at >= 0x20 && *at != 0x7F;
    json_decref(as_text);
    return good;
}

/* The value of a query argument ("session_id"), decoded: 1; 0 if missing or empty; -1 if it does
 * not fit or is not one line of UTF-8. */
static int read_argument(struct lws *wsi, const char *name, char *value, size_t size)
{
    char part[ARGUMENT_SIZE];
    size_t name_len = strlen(name);
    int total = lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_URI_ARGS), len;

    if (total >= (int)sizeof part)
        return -1;
    for (int i = 0;
         (len = lws_hdr_copy_fragment(wsi, part, sizeof part, WSI_TOKEN_HTTP_URI_ARGS, i)) >= 0;
         i++) {
        const char *found = part + name_len + 1;

        if (strncmp(part, name, name_len) != 0 || part[name_len] != '=')
            continue;
        if ((size_t)len != strlen(part) || strlen(found) >= size || !is_line(found))
            return -1;
        memcpy(value, found, strlen(found) + 1);
        return *value ? 1 : 0;
    }
    return 0;
}

/* Without these libwebsockets closes the connection and says nothing. */
static bool has_handshake(struct lws *wsi)
{
    char version[8] = "";

    return lws_hdr_total_length(wsi, WSI_TOKEN_KEY) == 24 &&
           lws_hdr_copy(wsi, version, sizeof version, WSI_TOKEN_VERSION) == 2 &&
           strcmp(version, "13") == 0;
}

/* Host and Origin being right: 0, or the status of a refusal, perhaps with headers. */
static int check(struct http_server *http, struct lws *wsi, const struct server_request *request,
                 bool cross_origin, struct buf *headers, struct error *err)
{
    const struct web_socket_kind *kind = find_kind(request->path);
    struct identity identity;
    int status;

    if (!http_serves_editors(http)) {
        error_set(err, ERROR_NOT_FOUND, "%s", HTTP_NO_EDITORS);
        return 404;
    }
    if (!kind) {
        error_set(err, ERROR_NOT_FOUND,
                  "this path has no WebSocket: use %s or %s; MCP is at POST /mcp", kinds[0]->path,
                  kinds[1]->path);
        return 404;
    }
    if (lws_hdr_total_length(wsi, WSI_TOKEN_PROTOCOL) > 0) {
        error_set(err, ERROR_INVALID, "%s supports no subprotocols: request none", kind->path);
        return 400;
    }
    if (!has_handshake(wsi)) {
        error_set(
            err, ERROR_INVALID,
            "a WebSocket upgrade must have Sec-WebSocket-Version: 13 and a Sec-WebSocket-Key of 24 "
            "characters");
        return 400;
    }
    if (http->draining) {
        error_set(err, ERROR_BUSY, "the server is stopping");
        return 503;
    }
    status = sign_in_of_upgrade(http, wsi, request, cross_origin, &identity, headers, err);
    return status ? status : kind->check(http, wsi, &identity, err);
}

int web_socket_on_upgrade(struct http_server *http, struct lws *wsi)
{
    cleanup_free struct server_request *request = NULL;
    bool cross_origin;
    struct buf BUF_AUTO headers = {0};
    struct error err = {0};
    int status;

    if (lws_hdr_total_length(wsi, WSI_TOKEN_UPGRADE) == 0)
        return -1; /* libwebsockets has answered it already */
    request = calloc(1, sizeof *request);
    if (!request)
        return -1;
    server_request_read(wsi, request);
    if (request->wrong) {
        status = 400;
        error_set(&err, ERROR_INVALID, "%s", request->wrong);
    } else {
        status = server_request_check(&http->config, request, &cross_origin, &err);
    }
    if (status == 0)
        status = check(http, wsi, request, cross_origin, &headers, &err);
    if (status == 0)
        return 0;
    http_refuse_upgrade(wsi, status, headers.data ? headers.data : "", err.text);
    return -1;
}

/* ---- a connection ---- */

/* Who it is, once more: what was shown before the upgrade is still among the headers. */
static bool identify(struct web_socket *socket)
{
    cleanup_free struct server_request *request = calloc(1, sizeof *request);
    bool cross_origin;

    if (!request)
        return false;
    server_request_read(socket->wsi, request);
    return server_request_check(&socket->http->config, request, &cross_origin, NULL) == 0 &&
           sign_in_after_upgrade(socket->http, socket->wsi, cross_origin, &socket->identity);
}

static int on_open(struct http_server *http, struct lws *wsi, struct connection *connection)
{
    cleanup_free struct web_socket *socket = calloc(1, sizeof *socket);
    char path[PATH_SIZE];

    if (!socket || lws_hdr_copy(wsi, path, sizeof path, WSI_TOKEN_GET_URI) <= 0)
        return -1;
    socket->kind = find_kind(path);
    socket->http = http;
    socket->wsi = wsi;
    if (!socket->kind || !identify(socket) || socket->kind->open(socket) < 0)
        return -1;
    connection->socket = steal_pointer(&socket);
    return 0;
}

void web_socket_wake(void *user)
{
    http_connection_writes(((struct web_socket *)user)->wsi);
}

/* Closes it once it has what waits. */
static void close_socket(struct web_socket *socket, enum lws_close_status status)
{
    socket->closes = status;
    web_socket_wake(socket);
}

void web_socket_go_away(void *user)
{
    close_socket(user, LWS_CLOSE_STATUS_GOINGAWAY);
}

static bool is_ousted(struct web_socket *socket)
{
    if (!socket->ousted && (!auth_renew(socket->http->config.auth, &socket->identity) ||
                            !(socket->identity.scopes & IDENTITY_READ))) {
        socket->ousted = true;
        close_socket(socket, LWS_CLOSE_STATUS_POLICY_VIOLATION);
    }
    return socket->ousted;
}

void web_socket_renew(void *user)
{
    is_ousted(user);
}

/* ---- in ---- */

static void begin_message(struct web_socket *socket)
{
    buf_finish(&socket->message);
    socket->cap = socket->kind->message_cap;
    buf_init(&socket->message, socket->cap + 1);
    socket->too_long = false;
}

static void add_up_to(struct web_socket *socket, size_t cap, const char **bytes, size_t *len)
{
    size_t room = cap > socket->message.len ? cap - socket->message.len : 0;
    size_t part = *len < room ? *len : room;

    buf_add(&socket->message, *bytes, part);
    *bytes += part;
    *len -= part;
}

/* One byte more than the cap says that it is over it, and is enough to answer. */
static void add_bytes(struct web_socket *socket, const char *bytes, size_t len)
{
    const struct web_socket_kind *kind = socket->kind;

    add_up_to(socket, socket->cap, &bytes, &len);
    if (len > 0 && kind->cap_for && socket->cap == kind->message_cap) {
        socket->cap = kind->cap_for(socket->message.data, socket->message.len);
        socket->message.cap = socket->cap + 1;
    }
    add_up_to(socket, socket->cap + 1, &bytes, &len);
    socket->too_long = socket->too_long || len > 0;
}

static int on_bytes(struct web_socket *socket, const char *bytes, size_t len)
{
    int rc;

    if (socket->closes)
        return 0;
    if (lws_is_first_fragment(socket->wsi))
        begin_message(socket);
    add_bytes(socket, bytes, len);
    if (socket->message.failed)
        return -1;
    if (!lws_is_final_fragment(socket->wsi) || lws_remaining_packet_payload(socket->wsi) > 0)
        return 0;
    if (is_ousted(socket))
        return 0;
    rc = socket->kind->receive(socket, socket->message.data ? socket->message.data : "",
                               socket->message.len);
    buf_finish(&socket->message);
    if (rc != 0)
        close_socket(socket, LWS_CLOSE_STATUS_POLICY_VIOLATION);
    else if (socket->too_long && socket->kind->long_closes)
        close_socket(socket, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE);
    return 0;
}

/* ---- out ---- */

/* The client's own close frame then ends the connection, or the timeout. */
static int write_close(struct web_socket *socket)
{
    const char *reason = socket->ousted ? "sign in again" : "connect again later";
    unsigned char out[LWS_PRE + 2 + REASON_MAX];
    size_t len = strlen(reason);

    if (socket->close_sent)
        return 0;
    socket->close_sent = true;
    out[LWS_PRE] = (unsigned char)(socket->closes >> 8);
    out[LWS_PRE + 1] = (unsigned char)(socket->closes & 0xFF);
    memcpy(out + LWS_PRE + 2, reason, len);
    if (lws_write(socket->wsi, out + LWS_PRE, 2 + len, HTTP_WRITE_CLOSE_FRAME) < 0)
        return -1;
    lws_set_timeout(socket->wsi, PENDING_TIMEOUT_CLOSE_ACK, CLOSE_S);
    return 0;
}

static int nothing_waits(struct web_socket *socket)
{
    if (!socket->closes && socket->kind->ended && socket->kind->ended(socket))
        socket->closes = LWS_CLOSE_STATUS_POLICY_VIOLATION;
    return socket->closes ? write_close(socket) : 0;
}

static int on_writable(struct web_socket *socket)
{
    static const char room[LWS_PRE];
    struct buf BUF_AUTO out = {0};

    if (socket->close_sent)
        return 0;
    if (is_ousted(socket))
        return write_close(socket);
    buf_add(&out, room, sizeof room);
    if (!socket->kind->next(socket, &out))
        return nothing_waits(socket);
    http_connection_writes(socket->wsi);
    return out.failed || lws_write(socket->wsi, (unsigned char *)out.data + LWS_PRE,
                                   out.len - LWS_PRE, LWS_WRITE_TEXT) < 0
               ? -1
               : 0;
}

int web_socket_on_event(struct http_server *http, struct lws *wsi, enum lws_callback_reasons reason,
                        struct connection *connection, const void *in, size_t len)
{
    struct web_socket *socket = connection ? connection->socket : NULL;

    if (reason == LWS_CALLBACK_ESTABLISHED) {
        http_connection_upgraded(wsi);
        return connection ? on_open(http, wsi, connection) : -1;
    }
    if (!socket)
        return reason == LWS_CALLBACK_SERVER_WRITEABLE ? -1 : 0;
    switch (reason) {
    case LWS_CALLBACK_RECEIVE:
        return on_bytes(socket, in, len);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return on_writable(socket);
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        return socket->close_sent ? -1
                                  : 0; /* libwebsockets answers a close frame that arrives first */
    default:                           /* CLOSED */
        connection->socket = NULL;
        buf_finish(&socket->message);
        socket->kind->closed(socket);
        free(socket);
        return 0;
    }
}

/* ---- "/mcp-sync": those who look on (sync.h), and the chat of the original CMS ---- */

/* 403 for another session than the one that a token is for. sid: or "". */
static int check_bound(const struct identity *identity, const char *sid, struct error *err)
{
    if (!*identity->curriculum || !*sid || strcmp(identity->curriculum, sid) == 0)
        return 0;
    error_set(err, ERROR_FORBIDDEN, "this token may use the session %s only", identity->curriculum);
    return 403;
}

static int sync_check(struct http_server *http, struct lws *wsi, const struct identity *identity,
                      struct error *err)
{
    char sid[SESSION_ID_SIZE] = "";
    int status;

    if (read_argument(wsi, "session_id", sid, sizeof sid) < 0) {
        error_set(err, ERROR_INVALID, "session_id must be the id of a session");
        return 422;
    }
    status = check_bound(identity, sid, err);
    if (status != 0)
        return status;
    if (sync_clients(http->sync) < SYNC_CLIENTS_CAP)
        return 0;
    error_set(err, ERROR_BUSY, "%d clients are connected already: try again later",
              SYNC_CLIENTS_CAP);
    return 503;
}

static void on_said(void *user, const char *text, size_t len)
{
    struct web_socket *socket = user;

    if (sync_client_say(socket->client, text, len) != 0)
        close_socket(socket, LWS_CLOSE_STATUS_POLICY_VIOLATION);
}

static const char *of(const json_t *context, const char *name, const char *instead)
{
    const char *given = json_get_string(context, name);

    return given && *given ? given : instead;
}

/* The position of the editor comes from the message, else from the last context in the session. A
 * client that asks a question joins its session: it receives the changes of the answer. */
static void on_chat(void *user, const json_t *message)
{
    struct web_socket *socket = user;
    const struct sync_context *own = sync_client_context(socket->client), *last;
    const json_t *context = json_object_get(message, "context");
    const char *sid = of(context, "session_id", own->session_id);
    static const struct sync_context nowhere;
    struct buf BUF_AUTO where = {0};

    if (strlen(sid) < SESSION_ID_SIZE)
        sync_client_join(socket->client, sid);
    last = *own->session_id && strcmp(own->session_id, sid) == 0 && *own->node_id
               ? own
               : sync_last_context(socket->http->sync, sid);
    if (!last)
        last = &nowhere;
    if (!socket->legacy)
        socket->legacy = legacy_chat_create(socket->http->services.chat, on_said, socket);
    if (!socket->legacy) {
        close_socket(socket, LWS_CLOSE_STATUS_UNEXPECTED_CONDITION);
        return;
    }
    prompt_where(of(context, "node_id", last->node_id), NULL, of(context, "screen", last->screen),
                 of(context, "action", last->action), &where);
    legacy_chat_receive(socket->legacy, sid, where.len > 0 && !where.failed ? where.data : NULL,
                        &socket->identity, message);
}

static int sync_open(struct web_socket *socket)
{
    char sid[SESSION_ID_SIZE];

    socket->client = sync_client_create(socket->http->sync, socket);
    if (!socket->client)
        return -1;
    if (*socket->identity.curriculum)
        sync_client_bind(socket->client, socket->identity.curriculum);
    else if (read_argument(socket->wsi, "session_id", sid, sizeof sid) > 0)
        sync_client_join(socket->client, sid);
    return 0;
}

static void sync_closed(struct web_socket *socket)
{
    legacy_chat_destroy(socket->legacy);
    sync_client_destroy(socket->client);
}

static int sync_receive(struct web_socket *socket, const char *text, size_t len)
{
    return sync_client_receive(socket->client, text, len, on_chat, socket);
}

static bool sync_next(struct web_socket *socket, struct buf *to)
{
    return sync_client_next(socket->client, to);
}

static const struct web_socket_kind sync_kind = {
    .path = "/mcp-sync",
    .message_cap = SYNC_MESSAGE_CAP,
    .long_closes = true,
    .cap_for = sync_message_cap,
    .check = sync_check,
    .open = sync_open,
    .receive = sync_receive,
    .next = sync_next,
    .closed = sync_closed,
};

/* ---- "/chat?session_id=SID&thread_id=TID&editor=NAME", over chat.h ----
 *
 * The session is looked up on a work queue, after the upgrade: a page of an unknown session gets a
 * RUN_ERROR and is closed. */

struct chat_arguments {
    char session_id[SESSION_ID_SIZE];
    char thread_id[THREAD_ID_MAX + 1];
    char editor[CHAT_EDITOR_MAX + 1];
};

/* 0, or the status of a refusal. */
static int read_chat_arguments(struct lws *wsi, struct chat_arguments *arguments, struct error *err)
{
    int found =
        read_argument(wsi, "session_id", arguments->session_id, sizeof arguments->session_id);

    if (found <= 0)
        error_set(err, ERROR_INVALID,
                  found < 0 ? "session_id must be the id of a session; GET /sessions lists them"
                            : "session_id is missing: connect to /chat?session_id=ID; GET "
                              "/sessions lists the ids");
    else if (read_argument(wsi, "thread_id", arguments->thread_id, sizeof arguments->thread_id) < 0)
        error_set(err, ERROR_INVALID, "thread_id must be a text of at most %u bytes in one line",
                  THREAD_ID_MAX);
    else if (read_argument(wsi, "editor", arguments->editor, sizeof arguments->editor) < 0)
        error_set(err, ERROR_INVALID, "editor must be a name of at most %u bytes in one line",
                  CHAT_EDITOR_MAX);
    else
        return 0;
    return 422;
}

static int chat_check(struct http_server *http, struct lws *wsi, const struct identity *identity,
                      struct error *err)
{
    struct chat_arguments arguments = {0};
    int status = read_chat_arguments(wsi, &arguments, err);

    if (status == 0)
        status = check_bound(identity, arguments.session_id, err);
    if (status != 0)
        return status;
    if (chat_pages(http->services.chat) < CHAT_PAGES_CAP)
        return 0;
    error_set(err, ERROR_BUSY, "%u pages are open already: try again later", CHAT_PAGES_CAP);
    return 503;
}

static int chat_open(struct web_socket *socket)
{
    struct chat_arguments arguments = {0};

    if (read_chat_arguments(socket->wsi, &arguments, NULL) == 0)
        socket->page = chat_page_create(socket->http->services.chat, arguments.session_id,
                                        arguments.thread_id, arguments.editor, socket);
    if (socket->page)
        chat_page_identify(socket->page, &socket->identity);
    return socket->page ? 0 : -1;
}

static void chat_closed(struct web_socket *socket)
{
    chat_page_destroy(socket->page);
}

static int chat_receive(struct web_socket *socket, const char *text, size_t len)
{
    return chat_page_receive(socket->page, text, len);
}

static bool chat_next(struct web_socket *socket, struct buf *to)
{
    return chat_page_next(socket->page, to);
}

static bool chat_ended(const struct web_socket *socket)
{
    return chat_page_ended(socket->page);
}

static const struct web_socket_kind chat_kind = {
    .path = "/chat",
    .message_cap = RUN_INPUT_CAP,
    .check = chat_check,
    .open = chat_open,
    .receive = chat_receive,
    .next = chat_next,
    .ended = chat_ended,
    .closed = chat_closed,
};
