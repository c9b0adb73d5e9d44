/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The calls of a turn that a person is asked about. Nothing of the turn is done before the answer;
 * and what is done after it is what was shown: the call is looked at once more in the transaction
 * that does it, and where it would change something else by then, it is not made.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/chat/approval.h"
#include "mcp/chat/run_internal.h"

#define REASON_SAID 2000 /* bytes of an editor's reason */

static const char cannot_approve[] =
    "Not done: this needs the editor's approval, and where they write now it cannot be given. Tell "
    "them what you would change, and that it can be approved in Lectern's chat page, at the "
    "server's own address.";
static const char too_many_replaced[] =
    "Not done: nobody can be asked for approval where the editor writes now, so at most %u "
    "components or titles are replaced for one question, and this call would exceed that. Replace "
    "nothing more. Tell the editor what you would change; they can approve it in Lectern's chat "
    "page, at the server's own address, or ask for the rest in another question.";
static const char unlooked[] =
    "Not done: this needs the editor's approval, and it was not asked for. Send it again if it is "
    "still wanted.";

bool run_approval_needed(const struct run_call *call)
{
    return call->state == RUN_CALL_WAITS && call->refusal.len == 0 &&
           approval_needed(call->tool, run_call_input(call), call->run->approvals);
}

/* ---- which attempt ---- */

/* Notes the calls that were asked about, and looks for their results: 1 where one went well, -1
 * where all there are failed, 0 where there is none. */
static int look_back(const struct run_call *call, const json_t *message, json_t *asked)
{
    const json_t *content = json_object_get(message, "content"), *block;
    int found = 0;
    size_t i;

    json_array_foreach((json_t *)content, i, block)
    {
        const char *id = json_get_string(block, "id"), *of = json_get_string(block, "tool_use_id");

        if (json_string_is(block, "type", "tool_use") &&
            json_string_is(block, "name", call->name) && id &&
            approval_needed(call->tool, json_object_get(block, "input"), call->run->approvals))
            json_object_set_new(asked, id, json_true());
        else if (of && json_object_get(asked, of) && found != 1)
            found = json_is_true(json_object_get(block, "is_error")) ? -1 : 1;
    }
    return found;
}

unsigned run_approval_attempt(const struct run_call *call)
{
    json_auto_t *asked = json_object();
    const json_t *message;
    unsigned failed = 0;
    size_t i;

    json_array_foreach(call->run->thread->messages, i, message)
    {
        int found = look_back(call, message, asked);

        failed = found > 0 ? 0 : failed + (found < 0);
    }
    return failed + 1;
}

/* ---- where nobody can be asked ---- */

/* A model may be misled by a text that it reads. What it replaces without anybody's approval has a
 * limit, over all calls of the question. */
void run_approvals_refuse(struct chat_run *run)
{
    size_t total = run->replaced;

    for (size_t i = 0; i < run->call_count; i++) {
        struct run_call *call = &run->calls[i];

        if (run_approval_needed(call))
            buf_adds(&call->refusal, cannot_approve);
        if (call->state != RUN_CALL_WAITS || call->refusal.len > 0)
            continue;
        call->replaces = approval_replacements(call->tool, run_call_input(call));
        if (call->replaces == 0 || total + call->replaces <= LEGACY_REPLACEMENTS_MAX) {
            total += call->replaces;
            continue;
        }
        buf_addf(&call->refusal, too_many_replaced, LEGACY_REPLACEMENTS_MAX);
        run->refused_replacements = true;
    }
}

/* ---- the answers ---- */

static struct run_call *find_call(struct chat_run *run, const char *id)
{
    for (size_t i = 0; id && i < run->call_count; i++) {
        if (strcmp(run->calls[i].id, id) == 0)
            return &run->calls[i];
    }
    return NULL;
}

static void decline(struct run_call *call, const char *reason)
{
    struct buf *to = &call->refusal;

    if (to->len > 0)
        return;
    call->refused = "declined";
    buf_adds(to, "The editor declined this");
    if (reason && *reason) {
        buf_adds(to, ": ");
        if (!utf8_clean(reason, strlen(reason), REASON_SAID, to))
            buf_adds(to, "...");
    } else {
        buf_adds(to, ", and gave no reason. Ask what they want instead.");
    }
}

void run_approvals_match(struct chat_run *run)
{
    json_t *interrupt;
    size_t i;

    json_array_foreach(run->thread->interrupts, i, interrupt)
    {
        struct run_call *call = find_call(run, json_get_string(interrupt, "toolCallId"));
        const char *id = json_get_string(interrupt, "id");
        const json_t *answer = id ? json_object_get(run->answers, id) : NULL;

        if (!call)
            continue;
        json_decref(call->interrupt);
        call->interrupt = json_incref(interrupt);
        if (!run->answers)
            decline(call, "they wrote something else instead of an answer. Read it below.");
        else if (!json_is_true(json_object_get(answer, "approved")))
            decline(call, json_get_string(answer, "reason"));
    }
}

void run_approvals_resume(struct chat_run *run)
{
    for (size_t i = 0; i < run->call_count; i++) {
        struct run_call *call = &run->calls[i];

        if (!call->interrupt && run_approval_needed(call))
            buf_adds(&call->refusal, unlooked);
    }
}

int run_approval_check(struct tool_call *made, struct store *store, struct error *err)
{
    const struct run_call *call = made->user;

    return approval_check(made->tool, made->arguments, made->bound_session, made->who,
                          call->interrupt, store, err);
}
