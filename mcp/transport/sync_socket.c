/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "/mcp-sync" as a kind of WebSocket. On the loop's thread.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/chat/legacy_chat.h"
#include "mcp/chat/prompt.h"
#include "mcp/transport/sync.h"
#include "mcp/transport/web_socket.h"

#define SYNC_PATH "/mcp-sync"

struct sync_socket {
    struct web_socket socket; /* first */
    struct sync_client *client;
    struct legacy_chat *wire; /* once it has asked something; else NULL */
};

static int check(struct http_server *http, struct lws *wsi, struct error *err)
{
    char sid[SESSION_ID_SIZE];

    if (web_socket_argument(wsi, "session_id", sid, sizeof sid) < 0) {
        error_set(err, ERROR_INVALID, "session_id must be the id of a session");
        return 422;
    }
    if (sync_clients(http->sync) < SYNC_CLIENTS_CAP)
        return 0;
    error_set(err, ERROR_BUSY, "%d clients are connected already: try again later",
              SYNC_CLIENTS_CAP);
    return 503;
}

/* ---- the chat of the original CMS ---- */

static void on_said(void *user, const char *text, size_t len)
{
    struct sync_socket *socket = user;

    if (sync_client_say(socket->client, text, len) != 0)
        web_socket_close(&socket->socket, LWS_CLOSE_STATUS_POLICY_VIOLATION);
}

static const char *of(const json_t *context, const char *name, const char *instead)
{
    const char *given = json_get_string(context, name);

    return given && *given ? given : instead;
}

/* Where the editor is: what the message says of it, else what was said last in the session. Who
 * asks in a session looks on in it: what the answer changes is told. */
static void on_chat(void *user, const json_t *message)
{
    struct sync_socket *socket = user;
    struct http_server *http = socket->socket.http;
    const struct sync_context *own = sync_client_context(socket->client), *last;
    const json_t *context = json_object_get(message, "context");
    const char *sid = of(context, "session_id", own->session_id);
    static const struct sync_context nowhere;
    struct buf BUF_AUTO where = {0};

    if (strlen(sid) < SESSION_ID_SIZE)
        sync_client_join(socket->client, sid);
    last = *own->session_id && strcmp(own->session_id, sid) == 0 && *own->node_id
               ? own
               : sync_last_context(http->sync, sid);
    if (!last)
        last = &nowhere;
    if (!socket->wire)
        socket->wire = legacy_chat_create(http->chat, on_said, socket);
    if (!socket->wire) {
        web_socket_close(&socket->socket, LWS_CLOSE_STATUS_UNEXPECTED_CONDITION);
        return;
    }
    prompt_where(of(context, "node_id", last->node_id), NULL, of(context, "screen", last->screen),
                 of(context, "action", last->action), &where);
    legacy_chat_receive(socket->wire, sid, where.len > 0 && !where.failed ? where.data : NULL,
                        message);
}

/* ---- a connection ---- */

static struct web_socket *open_socket(struct http_server *http, struct lws *wsi)
{
    struct sync_socket *socket = calloc(1, sizeof *socket);
    char sid[SESSION_ID_SIZE];

    if (!socket)
        return NULL;
    socket->client = sync_client_create(http->sync, socket);
    if (!socket->client) {
        free(socket);
        return NULL;
    }
    if (web_socket_argument(wsi, "session_id", sid, sizeof sid) > 0)
        sync_client_join(socket->client, sid);
    return &socket->socket;
}

static void on_closed(struct web_socket *web_socket)
{
    struct sync_socket *socket = (struct sync_socket *)web_socket;

    legacy_chat_destroy(socket->wire);
    sync_client_destroy(socket->client);
    free(socket);
}

static int receive(struct web_socket *web_socket, const char *text, size_t len)
{
    struct sync_socket *socket = (struct sync_socket *)web_socket;

    return sync_client_receive(socket->client, text, len, on_chat, socket);
}

static bool next(struct web_socket *web_socket, struct buf *to)
{
    return sync_client_next(((struct sync_socket *)web_socket)->client, to);
}

const struct web_socket_kind sync_socket_kind = {
    .path = SYNC_PATH,
    .message_cap = SYNC_MESSAGE_CAP,
    .long_closes = true,
    .cap_for = sync_message_cap,
    .check = check,
    .open = open_socket,
    .receive = receive,
    .next = next,
    .closed = on_closed,
};

void sync_socket_wake(void *user)
{
    web_socket_wake(user); /* its first member */
}

static void close_one(void *user)
{
    web_socket_close(user, LWS_CLOSE_STATUS_GOINGAWAY);
}

void sync_socket_close_all(struct http_server *http)
{
    sync_each(http->sync, close_one);
}
