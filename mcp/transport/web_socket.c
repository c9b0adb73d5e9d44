/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/transport/web_socket.h"

#include <string.h>

#include <jansson.h>

#define PATH_SIZE     64
#define ARGUMENT_SIZE 4096 /* name and value */

static const struct web_socket_kind *const kinds[] = {&sync_socket_kind, &chat_socket_kind};

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

int web_socket_argument(struct lws *wsi, const char *name, char *value, size_t size)
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

int web_socket_check(struct http_server *http, struct lws *wsi,
                     const struct server_request *request, struct error *err)
{
    const struct web_socket_kind *kind = find_kind(request->path);

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
    return kind->check(http, wsi, err);
}

/* ---- a connection ---- */

int web_socket_on_open(struct http_server *http, struct lws *wsi, struct connection *connection)
{
    char path[PATH_SIZE];
    const struct web_socket_kind *kind;
    struct web_socket *socket = NULL;

    /* What was checked before the upgrade is still among the headers. */
    kind = lws_hdr_copy(wsi, path, sizeof path, WSI_TOKEN_GET_URI) > 0 ? find_kind(path) : NULL;
    if (kind)
        socket = kind->open(http, wsi);
    if (!socket)
        return -1;
    socket->kind = kind;
    socket->http = http;
    socket->wsi = wsi;
    connection->socket = socket;
    return 0;
}

void web_socket_on_closed(struct connection *connection)
{
    struct web_socket *socket = connection->socket;

    connection->socket = NULL;
    if (!socket)
        return;
    buf_finish(&socket->message);
    socket->kind->closed(socket);
}

void web_socket_wake(struct web_socket *socket)
{
    if (socket->wsi)
        lws_callback_on_writable(socket->wsi);
}

void web_socket_close(struct web_socket *socket, enum lws_close_status status)
{
    socket->closes = status;
    web_socket_wake(socket);
}

int web_socket_on_close_frame(struct connection *connection)
{
    struct web_socket *socket = connection->socket;

    return socket && socket->close_sent ? -1 : 0; /* libwebsockets answers one that comes first */
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

int web_socket_on_bytes(struct connection *connection, const char *bytes, size_t len)
{
    struct web_socket *socket = connection->socket;
    int rc;

    if (!socket || socket->closes)
        return 0;
    if (lws_is_first_fragment(socket->wsi))
        begin_message(socket);
    add_bytes(socket, bytes, len);
    if (socket->message.failed)
        return -1;
    if (!lws_is_final_fragment(socket->wsi) || lws_remaining_packet_payload(socket->wsi) > 0)
        return 0;
    rc = socket->kind->receive(socket, socket->message.data ? socket->message.data : "",
                               socket->message.len);
    buf_finish(&socket->message);
    if (rc != 0)
        web_socket_close(socket, LWS_CLOSE_STATUS_POLICY_VIOLATION);
    else if (socket->too_long && socket->kind->long_closes)
        web_socket_close(socket, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE);
    return 0;
}

/* ---- out ---- */

/* The client's own close frame then ends the connection, or the timeout. */
static int write_close(struct web_socket *socket)
{
    static const char reason[] = "connect again later";
    unsigned char out[LWS_PRE + 2 + sizeof reason];

    if (socket->close_sent)
        return 0;
    socket->close_sent = true;
    out[LWS_PRE] = (unsigned char)(socket->closes >> 8);
    out[LWS_PRE + 1] = (unsigned char)(socket->closes & 0xFF);
    memcpy(out + LWS_PRE + 2, reason, sizeof reason - 1);
    if (lws_write(socket->wsi, out + LWS_PRE, 2 + sizeof reason - 1, HTTP_WRITE_CLOSE_FRAME) < 0)
        return -1;
    lws_set_timeout(socket->wsi, PENDING_TIMEOUT_CLOSE_ACK, WEB_SOCKET_CLOSE_S);
    return 0;
}

static int nothing_waits(struct web_socket *socket)
{
    if (!socket->closes && socket->kind->ended && socket->kind->ended(socket))
        socket->closes = LWS_CLOSE_STATUS_POLICY_VIOLATION;
    return socket->closes ? write_close(socket) : 0;
}

int web_socket_on_writable(struct connection *connection)
{
    static const char room[LWS_PRE];
    struct web_socket *socket = connection->socket;
    struct buf BUF_AUTO out = {0};

    if (!socket)
        return -1;
    if (socket->close_sent)
        return 0;
    buf_add(&out, room, sizeof room);
    if (!socket->kind->next(socket, &out))
        return nothing_waits(socket);
    lws_callback_on_writable(socket->wsi);
    return out.failed || lws_write(socket->wsi, (unsigned char *)out.data + LWS_PRE,
                                   out.len - LWS_PRE, LWS_WRITE_TEXT) < 0
               ? -1
               : 0;
}
