/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * JSON-RPC 2.0 messages as text. Results come from their owners as text already, so only ids and
 * error texts go through jansson here.
 */
#include "mcp/protocol/message.h"

#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"

#define SHOWN_CAP 100

bool message_id_valid(const json_t *id)
{
    return json_is_integer(id) || (json_is_string(id) && json_string_length(id) <= MESSAGE_ID_CAP);
}

bool message_id_equal(const json_t *a, const json_t *b)
{
    return json_equal(a, b) == 1;
}

static void add_id(struct buf *to, const json_t *id)
{
    if (id)
        json_write(to, id);
    else
        buf_adds(to, "null");
}

void message_begin_result(struct buf *to, const json_t *id)
{
    buf_adds(to, "{\"jsonrpc\":\"2.0\",\"id\":");
    add_id(to, id);
    buf_adds(to, ",\"result\":");
}

void message_begin_notification(struct buf *to, const char *method)
{
    buf_addf(to, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":", method);
}

void message_end(struct buf *to)
{
    buf_addc(to, '}');
}

void message_error(struct buf *to, const json_t *id, enum message_error code, const char *text)
{
    buf_adds(to, "{\"jsonrpc\":\"2.0\",\"id\":");
    add_id(to, id);
    buf_addf(to, ",\"error\":{\"code\":%d,\"message\":", (int)code);
    json_write_string(to, text, strlen(text));
    buf_adds(to, "}}");
}

int message_show(const char *text)
{
    return utf8_shown(text, SHOWN_CAP);
}
