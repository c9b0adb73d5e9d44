/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A client that sent a token receives progress. What is new with the tool (a run's output, its
 * place in the queue) is sent at most every 250 ms, and not before that, so that a quick call has a
 * plain answer. If a tool has nothing new, the client is notified after 1 s, then at least every 5
 * s, of how long the call has been running, so that it does not time out. The progress value is
 * that time in seconds: it always increases. One timer serves all clients.
 */
#include "helpers/base/json.h"
#include "mcp/protocol/peer_internal.h"

#define PROGRESS_TICK_MS      250
#define PROGRESS_FIRST_MS     1000
#define PROGRESS_HEARTBEAT_MS 5000
#define PROGRESS_STEP         0.01              /* the least rise, as many digits as are sent */
#define PROGRESS_TEXT_CAP     ((size_t)8 << 10) /* bytes of one message */

static void tell(struct peer_call *call, uint64_t now, const struct buf *progress)
{
    struct buf BUF_AUTO text = {0};
    double value = (double)(now - call->started_ms) / 1000;

    if (value < call->notified + PROGRESS_STEP)
        value = call->notified + PROGRESS_STEP;
    buf_init(&text, MESSAGE_OUT_CAP);
    message_begin_notification(&text, "notifications/progress");
    buf_adds(&text, "{\"progressToken\":");
    json_write(&text, call->token);
    buf_addf(&text, ",\"progress\":%.2f,\"message\":", value);
    json_write_string(&text, progress->data, progress->len);
    buf_adds(&text, "}}");
    call->notified = value;
    call->notified_ms = now;
    if (!text.failed)
        call->reply->send(call->reply, text.data, text.len, PEER_NOTIFICATION);
}

static bool is_due(const struct peer_call *call, uint64_t now)
{
    uint64_t since = call->notified_ms ? call->notified_ms : call->started_ms;

    return now - since >= (call->notified_ms ? PROGRESS_HEARTBEAT_MS : PROGRESS_FIRST_MS);
}

static void look_at(struct peer_call *call, uint64_t now)
{
    const struct tool *tool = call->call.tool;
    struct buf BUF_AUTO progress = {0};

    buf_init(&progress, PROGRESS_TEXT_CAP);
    if (tool->progress && tool->progress(&call->call, &progress, NULL) && progress.len > 0) {
        tell(call, now, &progress);
    } else if (is_due(call, now)) {
        buf_addf(&progress, "%s has been under way for %.0f s", tool->name,
                 (double)(now - call->started_ms) / 1000);
        tell(call, now, &progress);
    }
}

static void on_timer(uv_timer_t *timer)
{
    struct host *host = timer->data;
    uint64_t now = uv_now(timer->loop);
    struct peer_call *call;

    LIST_FOREACH(call, &host->progress, progress_link)
    {
        if (call->reply && now - call->started_ms >= PROGRESS_TICK_MS)
            look_at(call, now);
    }
}

void progress_start(struct peer_call *call)
{
    struct host *host = call->peer->host;

    if (!call->token)
        return;
    uv_update_time(host->server->loop);
    call->started_ms = uv_now(host->server->loop);
    if (LIST_EMPTY(&host->progress))
        uv_timer_start(&host->progress_timer, on_timer, PROGRESS_TICK_MS, PROGRESS_TICK_MS);
    LIST_INSERT_HEAD(&host->progress, call, progress_link);
}

void progress_stop(struct peer_call *call)
{
    struct host *host = call->peer->host;

    if (!call->token)
        return;
    LIST_REMOVE(call, progress_link);
    json_decref(call->token);
    call->token = NULL;
    if (LIST_EMPTY(&host->progress))
        uv_timer_stop(&host->progress_timer);
}
