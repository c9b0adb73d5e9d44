/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tool/idempotency.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/hash.h"
#include "helpers/base/json.h"
#include "mcp/store/idempotency.h"
#include "mcp/tool/arguments.h"
#include "mcp/tool/run.h"

#define TOOL_KEY_MAX 128 /* bytes of a client's key */
#define KEY_ARGUMENT "idempotency_key"
#define ANSWER_GOOD  200 /* only answers of successful calls are stored */

struct kept_call {
    char sid[SESSION_ID_SIZE];
    char key[IDEMPOTENCY_KEY_MAX + 1];
    char fingerprint[40];
};

static int read_key(const struct tool_call *call, const char **key, struct error *err)
{
    *key = argument_text(call, KEY_ARGUMENT);
    if (!*key)
        *key = json_string_value(call->idempotency_key);
    if (!*key || (**key && strlen(*key) <= TOOL_KEY_MAX))
        return 0;
    return error_set_at(err, KEY_ARGUMENT,
                        KEY_ARGUMENT " must be a text of 1 to %u bytes, a new one for each call.",
                        TOOL_KEY_MAX);
}

/* Tells calls apart that were sent with one key by mistake. */
static int feed_hashes(const char *text, size_t len, void *data)
{
    uint64_t *hashes = data;

    hashes[0] = hash_bytes(hashes[0], text, len);
    hashes[1] = hash_bytes(hashes[1], text, len);
    return 0;
}

static int take_fingerprint(const struct tool_call *call, struct kept_call *kept, struct error *err)
{
    uint64_t hashes[] = {HASH_START, HASH_OTHER_START};
    json_auto_t *arguments = json_copy(call->arguments);

    if (!arguments)
        return error_set(err, ERROR_MEMORY, "out of memory for the call's fingerprint");
    json_object_del(arguments, KEY_ARGUMENT);
    json_object_del(arguments, "session_id"); /* the key has it */
    feed_hashes(call->tool->name, strlen(call->tool->name) + 1, hashes);
    if (json_dump_callback(arguments, feed_hashes, hashes, JSON_COMPACT | JSON_SORT_KEYS) < 0)
        return error_set(err, ERROR_MEMORY, "out of memory for the call's fingerprint");
    snprintf(kept->fingerprint, sizeof kept->fingerprint, "%016" PRIx64 "%016" PRIx64, hashes[0],
             hashes[1]);
    return 0;
}

/* 1 with *kept; 0: the call has no key. */
static int identify(const struct tool_call *call, struct store *store, struct kept_call *kept,
                    struct error *err)
{
    const char *key = NULL;

    *kept->sid = '\0';
    if (read_key(call, &key, err) < 0)
        return -1;
    if (!key)
        return 0;
    if ((!call->tool->makes_session && tool_session(call, store, kept->sid, err) < 0) ||
        take_fingerprint(call, kept, err) < 0)
        return -1;
    snprintf(kept->key, sizeof kept->key, "tool/%s/%s", kept->sid, key);
    return 1;
}

bool idempotency_is_repeat(struct tool_call *call, struct store *store)
{
    struct idempotency_record answer = {0};
    struct kept_call kept;
    bool found = identify(call, store, &kept, NULL) > 0 &&
                 store_idempotency_find(store, kept.key, kept.fingerprint, &answer, NULL) != 0;

    buf_finish(&answer.body);
    return found;
}

static int run_and_keep(struct tool_call *call, struct store *store, const struct kept_call *kept,
                        struct error *err)
{
    if (tool_call_run(call, store, err) < 0 || buf_check(&call->text, "the answer", err) < 0)
        return -1;
    if (store_idempotency_keep(store, kept->sid, kept->key, kept->fingerprint, ANSWER_GOOD,
                               call->text.data, call->text.len, err) < 0)
        return -1;
    memcpy(call->kept_key, kept->key, sizeof call->kept_key);
    call->staged.key = call->kept_key;
    return 0;
}

static int find_or_run(struct tool_call *call, struct store *store, const struct kept_call *kept,
                       struct error *err)
{
    struct idempotency_record answer = {0};
    int found = store_idempotency_find(store, kept->key, kept->fingerprint, &answer, err);

    if (found <= 0)
        return found < 0 ? -1 : run_and_keep(call, store, kept, err);
    buf_add(&call->text, answer.body.data, answer.body.len);
    buf_finish(&answer.body);
    return 0;
}

/* A dry run writes nothing and may be repeated, so only its key is checked. */
int idempotency_run(struct tool_call *call, struct store *store, struct error *err)
{
    struct kept_call kept;
    int rc = tool_call_writes(call) ? identify(call, store, &kept, err) : 0;

    if (rc < 0)
        return -1;
    if (rc == 0 || tool_call_tries(call))
        return tool_call_run(call, store, err);
    if (store_begin(store, err) < 0)
        return -1;
    rc = find_or_run(call, store, &kept, err);
    if (store_end(store, rc == 0, rc == 0 ? err : NULL) < 0)
        rc = -1;
    return rc;
}
