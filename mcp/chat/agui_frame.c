/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/chat/agui_frame.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "helpers/base/json.h"

#define PROTOCOL_VERSION "1.0"

/* ---- the pieces ---- */

void agui_begin(struct buf *to, const char *type)
{
    buf_addf(to, "{\"type\":\"%s\"", type);
}

void agui_begin_now(struct buf *to, const char *type)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    agui_begin(to, type);
    buf_addf(to, ",\"timestamp\":%" PRId64,
             (int64_t)now.tv_sec * 1000 + (int64_t)now.tv_nsec / 1000000);
}

void agui_member(struct buf *to, const char *name, const char *text)
{
    if (!text) /* absent, never null */
        return;
    buf_addf(to, ",\"%s\":", name);
    json_write_string(to, text, strlen(text));
}

void agui_begin_custom(struct buf *to, const char *name)
{
    agui_begin_now(to, "CUSTOM");
    agui_member(to, "name", name);
    buf_adds(to, ",\"value\":{");
}

static void value_name(struct buf *to, const char *name)
{
    bool first = to->len > 0 && to->data[to->len - 1] == '{'; /* a failed buf may be empty */

    buf_addf(to, "%s\"%s\":", first ? "" : ",", name);
}

void agui_value_text(struct buf *to, const char *name, const char *text, size_t len)
{
    value_name(to, name);
    json_write_string(to, text ? text : "", text ? len : 0);
}

void agui_value_string(struct buf *to, const char *name, const char *text)
{
    agui_value_text(to, name, text, text ? strlen(text) : 0);
}

void agui_value_number(struct buf *to, const char *name, int64_t number)
{
    value_name(to, name);
    buf_addi(to, number);
}

void agui_end_custom(struct buf *to)
{
    buf_adds(to, "}}");
}

/* ---- whole frames ---- */

void agui_run_started(const struct agui_run *run, struct buf *to)
{
    agui_begin_now(to, "RUN_STARTED");
    agui_member(to, "threadId", run->thread_id);
    agui_member(to, "runId", run->run_id);
    agui_member(to, "protocolVersion", PROTOCOL_VERSION);
    buf_addc(to, '}');
}

void agui_begin_finished(const struct agui_run *run, const char *outcome, const json_t *interrupts,
                         struct buf *to)
{
    agui_begin_now(to, "RUN_FINISHED");
    agui_member(to, "threadId", run->thread_id);
    agui_member(to, "runId", run->run_id);
    buf_addf(to, ",\"outcome\":{\"type\":\"%s\"", outcome);
    if (interrupts) {
        buf_adds(to, ",\"interrupts\":");
        json_write(to, interrupts);
    }
    buf_addc(to, '}');
}

void agui_run_finished(const struct agui_run *run, const json_t *interrupts, struct buf *to)
{
    bool open = json_array_size(interrupts) > 0;

    agui_begin_finished(run, open ? "interrupt" : "success", open ? interrupts : NULL, to);
    buf_addc(to, '}');
}

void agui_run_cancelled(const struct agui_run *run, struct buf *to)
{
    agui_begin_finished(run, "cancelled", NULL, to);
    buf_addc(to, '}');
}

void agui_run_error(const char *message, const char *code, struct buf *to)
{
    agui_begin_now(to, "RUN_ERROR");
    agui_member(to, "message", message);
    agui_member(to, "code", code);
    buf_addc(to, '}');
}

void agui_change(const struct store_change *change, struct buf *to)
{
    static const char *const targets[] = {
        [STORE_SESSION] = "session",       [STORE_NODES] = "nodes",
        [STORE_COMPONENTS] = "components", [STORE_RELATIONSHIPS] = "relationships",
        [STORE_POSITIONS] = "positions",
    };

    agui_begin_custom(to, "lectern.change");
    agui_value_string(to, "target", targets[change->target]);
    if (change->node_id)
        agui_value_string(to, "node_id", change->node_id);
    else
        buf_adds(to, ",\"node_id\":null");
    agui_value_string(to, "who", change->who);
    agui_end_custom(to);
}

void agui_state(const json_t *state, struct buf *to)
{
    agui_begin_now(to, "STATE_SNAPSHOT");
    buf_adds(to, ",\"snapshot\":");
    json_write(to, state);
    buf_addc(to, '}');
}
