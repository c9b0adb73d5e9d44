/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/transport/sync_socket.h"

#include <stdlib.h>
#include <string.h>

#include "mcp/transport/sync.h"

#define SESSION_ARG "session_id="
/* A close frame: libwebsockets 4.1 has the number to itself, its header says only that it is left
 * out there. */
#define WRITE_CLOSE ((enum lws_write_protocol)4)

struct sync_socket {
    struct http_server *server;
    struct lws *wsi;
    struct sync_client *client;
    struct buf message;           /* as far as it has come */
    bool too_long;                /* the rest of it is thrown away */
    enum lws_close_status closes; /* 0: stays */
    bool close_sent;
};

/* The session named at connecting: 1, 0 where there is none, -1 where that is no id. */
static int read_session(struct lws *wsi, char sid[SESSION_ID_SIZE])
{
    char part[sizeof SESSION_ARG + 128]; /* takes name and value */
    const char *given = lws_get_urlarg_by_name(wsi, SESSION_ARG, part, sizeof part);
    int len = lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_URI_ARGS);

    if (!given || !*given)
        return len > (int)sizeof part ? -1 : 0;
    if (strlen(given) >= SESSION_ID_SIZE)
        return -1;
    memcpy(sid, given, strlen(given) + 1);
    return 1;
}

int sync_socket_check(struct http_server *server, struct lws *wsi,
                      const struct http_request *request, struct error *err)
{
    char sid[SESSION_ID_SIZE];

    if (strcmp(request->path, SYNC_PATH) != 0) {
        error_set(err, ERROR_NOT_FOUND,
                  "no such path speaks WebSocket: " SYNC_PATH " does; MCP is at POST /mcp");
        return 404;
    }
    if (lws_hdr_total_length(wsi, WSI_TOKEN_PROTOCOL) > 0) {
        error_set(err, ERROR_INVALID, SYNC_PATH " has no subprotocols: ask for none");
        return 400;
    }
    if (read_session(wsi, sid) < 0) {
        error_set(err, ERROR_INVALID, "session_id must be a session's id");
        return 422;
    }
    if (server->draining || sync_clients(server->sync) >= SYNC_CLIENTS_CAP) {
        error_set(err, ERROR_BUSY,
                  server->draining ? "the server is stopping"
                                   : "%d clients look on already: try again later",
                  SYNC_CLIENTS_CAP);
        return 503;
    }
    return 0;
}

int sync_socket_on_open(struct http_server *server, struct lws *wsi, struct connection *connection)
{
    struct sync_socket *socket = calloc(1, sizeof *socket);
    char sid[SESSION_ID_SIZE];

    if (!socket)
        return -1;
    socket->server = server;
    socket->wsi = wsi;
    buf_init(&socket->message, SYNC_MESSAGE_CAP + 1);
    socket->client = sync_client_create(server->sync, socket);
    if (!socket->client) {
        free(socket);
        return -1;
    }
    connection->sync = socket;
    if (read_session(wsi, sid) > 0)
        sync_client_join(socket->client, sid);
    return 0;
}

void sync_socket_on_closed(struct connection *connection)
{
    struct sync_socket *socket = connection->sync;

    connection->sync = NULL;
    if (!socket)
        return;
    sync_client_destroy(socket->client);
    buf_finish(&socket->message);
    free(socket);
}

static void close_later(struct sync_socket *socket, enum lws_close_status status)
{
    socket->closes = status;
    lws_callback_on_writable(socket->wsi);
}

int sync_socket_on_close_frame(struct connection *connection)
{
    struct sync_socket *socket = connection->sync;

    return socket && socket->close_sent ? -1 : 0; /* libwebsockets answers one that comes first */
}

int sync_socket_on_bytes(struct connection *connection, const char *bytes, size_t len)
{
    struct sync_socket *socket = connection->sync;
    int rc;

    if (!socket || socket->closes)
        return 0;
    if (lws_is_first_fragment(socket->wsi)) {
        buf_clear(&socket->message);
        socket->too_long = false;
    }
    /* One byte more than the cap says that it is over it, and is enough to answer. */
    if (socket->message.len + len > SYNC_MESSAGE_CAP + 1) {
        len = SYNC_MESSAGE_CAP + 1 - socket->message.len;
        socket->too_long = true;
    }
    buf_add(&socket->message, bytes, len);
    if (!lws_is_final_fragment(socket->wsi) || lws_remaining_packet_payload(socket->wsi) > 0)
        return 0;
    rc = sync_client_receive(socket->client, socket->message.data ? socket->message.data : "",
                             socket->message.len);
    buf_finish(&socket->message);
    buf_init(&socket->message, SYNC_MESSAGE_CAP + 1);
    if (rc != 0)
        close_later(socket, LWS_CLOSE_STATUS_POLICY_VIOLATION);
    else if (socket->too_long)
        close_later(socket, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE);
    return 0;
}

/* libwebsockets' own way (lws_close_reason, and -1) ends the connection without a close frame here,
 * so the frame is written as any other; the client's own then ends it, or the timeout. */
static int write_close(struct sync_socket *socket)
{
    static const char reason[] = "connect again later";
    unsigned char out[LWS_PRE + 2 + sizeof reason];

    if (socket->close_sent)
        return 0;
    socket->close_sent = true;
    out[LWS_PRE] = (unsigned char)(socket->closes >> 8);
    out[LWS_PRE + 1] = (unsigned char)(socket->closes & 0xFF);
    memcpy(out + LWS_PRE + 2, reason, sizeof reason - 1);
    if (lws_write(socket->wsi, out + LWS_PRE, 2 + sizeof reason - 1, WRITE_CLOSE) < 0)
        return -1;
    lws_set_timeout(socket->wsi, PENDING_TIMEOUT_CLOSE_ACK, SYNC_CLOSE_S);
    return 0;
}

int sync_socket_on_writable(struct connection *connection)
{
    static const char room[LWS_PRE];
    struct sync_socket *socket = connection->sync;
    struct buf out BUF_AUTO = {0};

    if (!socket)
        return -1;
    if (socket->close_sent)
        return 0;
    buf_add(&out, room, sizeof room);
    if (!sync_client_next(socket->client, &out))
        return socket->closes ? write_close(socket) : 0;
    lws_callback_on_writable(socket->wsi);
    return out.failed || lws_write(socket->wsi, (unsigned char *)out.data + LWS_PRE,
                                   out.len - LWS_PRE, LWS_WRITE_TEXT) < 0
               ? -1
               : 0;
}

void sync_socket_wake(void *user)
{
    struct sync_socket *socket = user;

    lws_callback_on_writable(socket->wsi);
}

static void close_one(void *user)
{
    close_later(user, LWS_CLOSE_STATUS_GOINGAWAY);
}

void sync_socket_close_all(struct http_server *server)
{
    sync_each(server->sync, close_one);
}
