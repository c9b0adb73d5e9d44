/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "/chat" as a kind of WebSocket. On the loop's thread.
 */
#include <stdlib.h>

#include "mcp/chat/chat.h"
#include "mcp/chat/run_input.h"
#include "mcp/transport/web_socket.h"

#define CHAT_PATH "/chat"

struct chat_socket {
    struct web_socket socket; /* first */
    struct chat_page *page;
};

struct arguments {
    char session_id[SESSION_ID_SIZE];
    char thread_id[THREAD_ID_MAX + 1];
    char editor[CHAT_EDITOR_MAX + 1];
};

/* 0, or the status of a refusal. */
static int read_arguments(struct lws *wsi, struct arguments *arguments, struct error *err)
{
    int found =
        web_socket_argument(wsi, "session_id", arguments->session_id, sizeof arguments->session_id);

    if (found <= 0)
        error_set(err, ERROR_INVALID,
                  found < 0 ? "session_id must be the id of a session; GET /sessions lists them"
                            : "session_id is missing: connect to " CHAT_PATH
                              "?session_id=ID; GET /sessions lists the ids");
    else if (web_socket_argument(wsi, "thread_id", arguments->thread_id,
                                 sizeof arguments->thread_id) < 0)
        error_set(err, ERROR_INVALID, "thread_id must be a text of at most %u bytes in one line",
                  THREAD_ID_MAX);
    else if (web_socket_argument(wsi, "editor", arguments->editor, sizeof arguments->editor) < 0)
        error_set(err, ERROR_INVALID, "editor must be a name of at most %u bytes in one line",
                  CHAT_EDITOR_MAX);
    else
        return 0;
    return 422;
}

static int check(struct http_server *http, struct lws *wsi, struct error *err)
{
    struct arguments arguments = {0};
    int status = read_arguments(wsi, &arguments, err);

    if (status != 0)
        return status;
    if (chat_pages(http->chat) < CHAT_PAGES_CAP)
        return 0;
    error_set(err, ERROR_BUSY, "%u pages are open already: try again later", CHAT_PAGES_CAP);
    return 503;
}

static struct web_socket *open_socket(struct http_server *http, struct lws *wsi)
{
    struct chat_socket *socket = calloc(1, sizeof *socket);
    struct arguments arguments = {0};

    if (!socket)
        return NULL;
    socket->socket.wsi = wsi; /* it may be woken at once */
    if (read_arguments(wsi, &arguments, NULL) == 0)
        socket->page = chat_page_create(http->chat, arguments.session_id, arguments.thread_id,
                                        arguments.editor, socket);
    if (socket->page)
        return &socket->socket;
    free(socket);
    return NULL;
}

static void on_closed(struct web_socket *web_socket)
{
    struct chat_socket *socket = (struct chat_socket *)web_socket;

    chat_page_destroy(socket->page);
    free(socket);
}

static int receive(struct web_socket *socket, const char *text, size_t len)
{
    return chat_page_receive(((struct chat_socket *)socket)->page, text, len);
}

static bool next(struct web_socket *socket, struct buf *to)
{
    return chat_page_next(((struct chat_socket *)socket)->page, to);
}

static bool ended(const struct web_socket *socket)
{
    return chat_page_ended(((const struct chat_socket *)socket)->page);
}

const struct web_socket_kind chat_socket_kind = {
    .path = CHAT_PATH,
    .message_cap = RUN_INPUT_CAP,
    .check = check,
    .open = open_socket,
    .receive = receive,
    .next = next,
    .ended = ended,
    .closed = on_closed,
};

void chat_socket_wake(void *user)
{
    web_socket_wake(user); /* its first member */
}

static void close_one(void *user)
{
    web_socket_close(user, LWS_CLOSE_STATUS_GOINGAWAY);
}

void chat_socket_close_all(struct http_server *http)
{
    chat_each(http->chat, close_one);
}
