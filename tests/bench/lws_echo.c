/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The limit of a server on libwebsockets, for bench_mcp.py: its own event loop, no checks of
 * requests, and each JSON-RPC request is answered with its own parameters. Prints its port.
 */
#include <stdio.h>
#include <string.h>

#include <jansson.h>
#include <libwebsockets.h>

#define MESSAGE_CAP 4096

struct request {
    char body[MESSAGE_CAP];
    size_t len;
};

static int answer(struct lws *wsi, struct request *request)
{
    unsigned char room[LWS_PRE + 2 * MESSAGE_CAP], *start = room + LWS_PRE, *p = start;
    unsigned char *end = room + sizeof room;
    json_auto_t *message = json_loadb(request->body, request->len, 0, NULL);
    json_auto_t *reply =
        json_pack("{s:s, s:O, s:O}", "jsonrpc", "2.0", "id", json_object_get(message, "id"),
                  "result", json_object_get(message, "params"));
    char text[MESSAGE_CAP];
    size_t len = reply ? json_dumpb(reply, text, sizeof text, JSON_COMPACT) : 0;

    if (len == 0 || len > sizeof text ||
        lws_add_http_common_headers(wsi, 200, "application/json", len, &p, end) ||
        lws_finalize_http_header(wsi, &p, end))
        return -1;
    memcpy(p, text, len);
    p += len;
    if (lws_write(wsi, start, (size_t)(p - start), LWS_WRITE_HTTP_HEADERS) < 0)
        return -1;
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t len)
{
    struct request *request = user;

    switch (reason) {
    case LWS_CALLBACK_HTTP:
        request->len = 0;
        return 0;
    case LWS_CALLBACK_HTTP_BODY:
        if (len > sizeof request->body - request->len)
            return -1;
        memcpy(request->body + request->len, in, len);
        request->len += len;
        return 0;
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        lws_callback_on_writable(wsi);
        return 0;
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return answer(wsi, request);
    default:
        return 0;
    }
}

int main(void)
{
    static const struct lws_protocols protocols[] = {
        {.name = "http", .callback = on_event, .per_session_data_size = sizeof(struct request)},
        {.name = NULL},
    };
    struct lws_context_creation_info info = {
        .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS, .iface = "127.0.0.1", .protocols = protocols};
    struct lws_context *context;
    struct lws_vhost *vhost;

    lws_set_log_level(LLL_ERR, NULL);
    context = lws_create_context(&info);
    vhost = context ? lws_create_vhost(context, &info) : NULL;
    if (!vhost)
        return 1;
    printf("%d\n", lws_get_vhost_listen_port(vhost));
    fflush(stdout);
    while (lws_service(context, 0) >= 0)
        continue;
    lws_context_destroy(context);
    return 0;
}
