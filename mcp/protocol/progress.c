/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A client that sent a token receives progress. What is new with the tool (a run's output, its
 * place in the queue) is sent at most every 250 ms, and not before that, so that a quick call has a
 * plain answer. If a tool has nothing new, the client is notified after 1 s, then at least every 5
 * s, of how long the call has been running, so that it does not time out. The progress value is
 * that time in seconds: it always increases. One timer serves all clients.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/protocol/peer_internal.h"

#define PROGRESS_TICK_MS      250
#define PROGRESS_FIRST_MS     1000
#define PROGRESS_HEARTBEAT_MS 5000
#define PROGRESS_STEP         0.01              /* the least rise, as many digits as are sent */
#define PROGRESS_TEXT_CAP     ((size_t)8 << 10) /* bytes of one message */

/* The levels of a log message, the least first (RFC 5424). */
static const char *const levels[] = {"debug", "info",     "notice", "warning",
                                     "error", "critical", "alert",  "emergency"};

int progress_level(const char *name)
{
    for (size_t i = 0; name && i < sizeof levels / sizeof levels[0]; i++) {
        if (strcmp(levels[i], name) == 0)
            return (int)i;
    }
    return -1;
}

static void send_text(struct peer_call *call, const struct buf *text)
{
    if (!text->failed && call->reply)
        call->reply->send(call->reply, text->data, text->len, PEER_NOTIFICATION);
}

/* total 0: unknown; message may be NULL. */
static void send_progress(struct peer_call *call, double value, double total, const char *message)
{
    struct buf BUF_AUTO text = {0};

    buf_init(&text, MESSAGE_OUT_CAP);
    message_begin_notification(&text, "notifications/progress");
    buf_adds(&text, "{\"progressToken\":");
    json_write(&text, call->token);
    buf_addf(&text, ",\"progress\":%.*f", call->counts ? 6 : 2, value);
    if (total > 0)
        buf_addf(&text, ",\"total\":%.6f", total);
    json_write_member(&text, "message", message);
    buf_adds(&text, "}}");
    call->notified = value;
    call->notified_ms = uv_now(call->peer->host->server->loop);
    send_text(call, &text);
}

static void send_status(struct peer_call *call, uint64_t now, const struct buf *progress)
{
    double value = (double)(now - call->started_ms) / 1000;

    if (value < call->notified + PROGRESS_STEP)
        value = call->notified + PROGRESS_STEP;
    send_progress(call, value, 0, progress->data);
}

/* Of a tool that counts itself. Values only rise. */
static void note_progress(struct peer_call *call, const struct tool_note *note)
{
    if (!call->token || call->cancelled || (call->counts && note->progress <= call->notified))
        return;
    call->counts = true;
    send_progress(call, note->progress, note->total, note->message);
}

/* Log messages are of the legacy era: the modern one has replaced them. */
static void note_log(struct peer_call *call, const struct tool_note *note)
{
    struct buf BUF_AUTO text = {0};

    if (era_client_is_modern(&call->client) || call->cancelled ||
        progress_level(note->level) < call->peer->log_level)
        return;
    buf_init(&text, MESSAGE_OUT_CAP);
    message_begin_notification(&text, "notifications/message");
    buf_addf(&text, "{\"level\":\"%s\"", note->level);
    json_write_member(&text, "logger", note->logger);
    buf_adds(&text, ",\"data\":");
    json_write(&text, note->data);
    buf_adds(&text, "}}");
    send_text(call, &text);
}

void progress_note(struct tool_call *tool_call, const struct tool_note *note)
{
    struct peer_call *call = tool_call->user;
    struct host *host = call->peer->host;

    switch (note->kind) {
    case TOOL_NOTE_PROGRESS:
        note_progress(call, note);
        break;
    case TOOL_NOTE_LOG:
        note_log(call, note);
        break;
    case TOOL_NOTE_TOOLS:
        stream_list_changed(host, LIST_TOOLS);
        break;
    case TOOL_NOTE_PROMPTS:
        stream_list_changed(host, LIST_PROMPTS);
        break;
    case TOOL_NOTE_RESOURCES:
        stream_list_changed(host, LIST_RESOURCES);
        break;
    case TOOL_NOTE_RESOURCE:
        stream_resource_changed(host, note->uri);
        break;
    case TOOL_NOTE_PAUSE:
        if (call->reply && call->reply->pause)
            call->reply->pause(call->reply);
        break;
    }
}

static void notify_progress(struct peer_call *call, uint64_t now)
{
    const struct tool *tool = call->call.tool;
    const uint64_t due = call->notified_ms ? call->notified_ms + PROGRESS_HEARTBEAT_MS
                                           : call->started_ms + PROGRESS_FIRST_MS;
    struct buf BUF_AUTO progress = {0};

    buf_init(&progress, PROGRESS_TEXT_CAP);
    if (!call->waiting && tool->progress && tool->progress(&call->call, &progress, NULL) &&
        progress.len > 0) {
        send_status(call, now, &progress);
    } else if (now >= due) {
        buf_addf(&progress, "%s has been under way for %.0f s", tool->name,
                 (double)(now - call->started_ms) / 1000);
        send_status(call, now, &progress);
    }
}

static void on_timer(uv_timer_t *timer)
{
    struct host *host = timer->data;
    uint64_t now = uv_now(timer->loop);
    struct peer_call *call, *next;

    LIST_FOREACH(call, &host->progress, progress_link)
    {
        if (call->reply && !call->counts && now - call->started_ms >= PROGRESS_TICK_MS)
            notify_progress(call, now);
    }
    for (call = LIST_FIRST(&host->asking); call; call = next) {
        next = LIST_NEXT(call, asking_link);
        if (now >= call->asked_until_ms)
            call->on_no_answer(call);
    }
}

void progress_time(struct host *host)
{
    uv_handle_t *timer = (uv_handle_t *)&host->progress_timer;

    if (LIST_EMPTY(&host->progress) && LIST_EMPTY(&host->asking))
        uv_timer_stop(&host->progress_timer);
    else if (!uv_is_active(timer) && !uv_is_closing(timer))
        uv_timer_start(&host->progress_timer, on_timer, PROGRESS_TICK_MS, PROGRESS_TICK_MS);
}

void progress_start(struct peer_call *call)
{
    struct host *host = call->peer->host;

    if (!call->token)
        return;
    uv_update_time(host->server->loop);
    call->started_ms = uv_now(host->server->loop);
    LIST_INSERT_HEAD(&host->progress, call, progress_link);
    progress_time(host);
}

void progress_stop(struct peer_call *call)
{
    if (!call->token)
        return;
    LIST_REMOVE(call, progress_link);
    json_decref(call->token);
    call->token = NULL;
    progress_time(call->peer->host);
}
