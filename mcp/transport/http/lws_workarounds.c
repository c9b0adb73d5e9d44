/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Workarounds for libwebsockets 4.1.6 (Debian 12). Each part names the symptom; remove the part
 * when the version no longer shows it. Two others are constants in the header. Runs on the loop's
 * thread.
 */
#include "mcp/transport/http/lws_workarounds.h"

#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"

/* Version 4.1.6. Symptom: in LWS_CALLBACK_HTTP_CONFIRM_UPGRADE libwebsockets does not know the
 * version of the request yet; its own functions would answer with HTTP/1.0, which WebSocket clients
 * do not accept. So the refusal is one write of our own, headers and body. */
void http_refuse_upgrade(struct lws *wsi, int status, const char *headers, const char *text)
{
    static const char room[LWS_PRE];
    struct buf BUF_AUTO body = {0}, BUF_AUTO whole = {0};

    buf_adds(&body, "{\"detail\":");
    json_write_string(&body, text, strlen(text));
    buf_addc(&body, '}');
    buf_add(&whole, room, sizeof room);
    buf_addf(&whole,
             "HTTP/1.1 %d Refused\r\nserver: lectern\r\ncontent-type: application/json\r\n"
             "content-length: %zu\r\nx-content-type-options: nosniff\r\n"
             "cross-origin-resource-policy: same-origin\r\nconnection: close\r\n%s%s\r\n",
             status, body.len, headers, status == 503 && !*headers ? "retry-after: 1\r\n" : "");
    buf_add(&whole, body.data, body.len);
    if (!body.failed && !whole.failed &&
        lws_write(wsi, (unsigned char *)whole.data + LWS_PRE, whole.len - LWS_PRE,
                  LWS_WRITE_HTTP_HEADERS) < 0)
        log_debug("http", "the refusal of an upgrade could not be sent");
}
