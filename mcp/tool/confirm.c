/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tool/confirm.h"

#include <stdio.h>
#include <string.h>

#include "helpers/base/encode.h"
#include "helpers/base/json.h"
#include "mcp/curriculum/text.h"
#include "mcp/store/idempotency.h"
#include "mcp/tool/idempotency.h"
#include "mcp/tool/trial.h"

#define ANSWER     "confirm" /* the question's key */
#define LINE_SHOWN 100       /* bytes of a text that goes */

/* What the state of a question contains: a digest of the changes, and an id, by which the answer is
 * good once. */
struct agreed {
    char hex[2 * sizeof(struct digest) + 1];
    char id[UUID_TEXT_SIZE];
};

static int take_digest(const struct tool_trial *trial, struct agreed *agreed, struct error *err)
{
    struct buf BUF_AUTO text = {0};
    struct digest digest;

    json_write(&text, trial->changes);
    buf_addf(&text, " %zu", trial->more);
    if (buf_check(&text, "what would change", err) < 0)
        return -1;
    digest_of(text.data, text.len, &digest);
    hex_write(agreed->hex, digest.bytes, sizeof digest.bytes);
    return 0;
}

/* NULL if the person has not been asked. What a client says without the state is no answer. */
static const json_t *find_answer(const struct tool_call *call)
{
    return call->kept_before ? json_object_get(call->answers, ANSWER) : NULL;
}

bool confirm_may_ask(const struct tool_call *call)
{
    struct tool_impact impact;

    if (!(call->can_ask & TOOL_ASKS_FORM) || find_answer(call))
        return false;
    impact = tool_call_impact(call->tool, call->arguments);
    return impact.loss == TOOL_LOSS_DELETED || impact.replaces > CONFIRM_PLACES;
}

static size_t count_of(const struct trial_counts *counts)
{
    return counts->nodes + counts->components + counts->relationships;
}

static void write_message(const struct tool_trial *trial, struct buf *to)
{
    const json_t *change;
    size_t i;

    tool_trial_write(trial, to);
    json_array_foreach(trial->changes, i, change)
    {
        const char *title = json_get_string(change, "title");
        char shown[LINE_SHOWN];

        if (i == CONFIRM_SHOWN)
            break;
        buf_addf(to, "\n- %s", json_get_string(change, "what"));
        if (title && *title)
            buf_addf(to, ", in \"%s\"", title);
        text_cut_line(shown, sizeof shown, json_get_string(change, "before"));
        if (*shown)
            buf_addf(to, ": %s", shown);
    }
    if (json_array_size(trial->changes) + trial->more > CONFIRM_SHOWN)
        buf_addf(to, "\n- and %zu more",
                 json_array_size(trial->changes) + trial->more - CONFIRM_SHOWN);
}

static int set_question(struct tool_call *call, const struct tool_trial *trial, struct error *err)
{
    struct buf BUF_AUTO message = {0};
    struct agreed agreed;

    write_message(trial, &message);
    if (take_digest(trial, &agreed, err) < 0 || text_uuid(agreed.id, err) < 0 ||
        buf_check(&message, "the question", err) < 0)
        return -1;
    buf_addf(&call->kept, "%s %s", agreed.hex, agreed.id);
    call->asks = json_pack("{s:{s:s, s:{s:s%, s:{s:s, s:{}}}}}", ANSWER, "method",
                           "elicitation/create", "params", "message", message.data, message.len,
                           "requestedSchema", "type", "object", "properties");
    return call->asks ? 0 : error_set(err, ERROR_MEMORY, "out of memory for a question");
}

/* Runs the trial on the store, which is not changed. */
static int try_call(struct tool_trial *trial, struct tool_call *call, struct store *store,
                    struct error *err)
{
    char sid[SESSION_ID_SIZE];

    if (tool_session(call, store, sid, err) < 0 || tool_trial_begin(trial, call, sid, err) < 0)
        return -1;
    return tool_trial_run(trial, store, err);
}

static int try_on_copy(struct tool_trial *trial, struct tool_call *call, struct store *store,
                       struct error *err)
{
    char sid[SESSION_ID_SIZE];
    struct store *copy;
    int rc;

    if (tool_session(call, store, sid, err) < 0)
        return -1;
    copy = store_trial_open(store, sid, true, err);
    rc = copy ? try_call(trial, call, copy, err) : -1;
    store_close(copy);
    return rc;
}

int confirm_ask(struct tool_call *call, struct store *store, struct error *err)
{
    struct tool_trial trial = {0};
    int rc = try_on_copy(&trial, call, store, err);

    if (rc == 0 &&
        (trial.deletes || count_of(&trial.gone) > 0 || count_of(&trial.changed) > CONFIRM_PLACES))
        rc = set_question(call, &trial, err);
    tool_trial_finish(&trial);
    return rc;
}

/* Otherwise an answer would do again, without a question, what has been undone since. What is
 * written here belongs to the transaction of the call: if it fails, the answer is still good. */
static int use_answer(struct store *store, const char *sid, const char *id, struct error *err)
{
    struct idempotency_record earlier = {0};
    char key[IDEMPOTENCY_KEY_MAX + 1];
    int used;

    snprintf(key, sizeof key, "answer/%s/%s", sid, id);
    used = store_idempotency_find(store, key, ANSWER, &earlier, err);
    if (used == 0)
        return store_idempotency_keep(store, sid, key, ANSWER, 0, "", 0, err);
    buf_finish(&earlier.body);
    return used < 0 ? -1
                    : error_set(err, ERROR_CONFLICT,
                                "Not done: the person has agreed to this once, and it was done. "
                                "Send the call again without requestState, so that they are asked "
                                "again.");
}

/* In the transaction of the call, before it. */
static int check_answer(struct tool_call *call, struct store *store, struct error *err)
{
    const char *id = strchr(call->kept_before, ' ');
    char sid[SESSION_ID_SIZE];
    struct tool_trial trial = {0};
    struct agreed agreed;
    int rc;

    if (!id || tool_session(call, store, sid, err) < 0 || use_answer(store, sid, id + 1, err) < 0)
        return -1;
    rc = try_call(&trial, call, store, err);
    if (rc == 0)
        rc = take_digest(&trial, &agreed, err);
    if (rc == 0 && strncmp(agreed.hex, call->kept_before, (size_t)(id - call->kept_before)) != 0)
        rc = error_set(err, ERROR_CONFLICT,
                       "Not done: the curriculum has changed since the person agreed. Read it "
                       "again, and send the call again if it is still wanted.");
    tool_trial_finish(&trial);
    return rc;
}

int confirm_take_answer(struct tool_call *call, struct error *err)
{
    const json_t *answer = find_answer(call);

    if (!answer)
        return 0;
    if (!json_string_is(answer, "action", "accept"))
        return error_set(err, ERROR_FORBIDDEN,
                         "Nothing was changed: the person at the client did not agree. Do not send "
                         "the same call again; ask them what they want instead.");
    call->before = check_answer;
    return 0;
}

int confirm_run(struct tool_call *call, struct store *store, struct error *err)
{
    int rc;

    if (!call->before)
        return idempotency_run(call, store, err);
    if (store_begin(store, err) < 0)
        return -1;
    rc = idempotency_run(call, store, err);
    if (store_end(store, rc == 0, rc == 0 ? err : NULL) < 0)
        rc = -1;
    return rc;
}
