/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Idempotency-Key: the answer to a write that was done is kept in its own transaction, and a repeat
 * under the same key gets it again. What was refused has done nothing and is judged anew.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mcp/session/rest_call.h"

#define KEY_SCOPE "rest:" /* the tools' keys are others' */
#define KEY_MAX   (ANSWER_KEY_MAX - (sizeof KEY_SCOPE - 1))

/* FNV-1a. The one who could make two requests meet is the one who chose the key. */
static uint64_t digest(uint64_t hash, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static int write_key(const struct rest_call *call, char key[ANSWER_KEY_MAX + 1], struct error *err)
{
    const char *given = call->request->idempotency_key;

    if (!*given || strlen(given) > KEY_MAX)
        return error_set_at(err, "header.Idempotency-Key",
                            "send 1 to %zu characters, such as a UUID, another for each new call",
                            KEY_MAX);
    snprintf(key, ANSWER_KEY_MAX + 1, KEY_SCOPE "%s", given);
    return 0;
}

/* Method, path, query and session as they are, the body by its digest and length. */
static void write_fingerprint(const struct rest_call *call, struct buf *to)
{
    const struct rest_request *request = call->request;

    buf_addf(to, "%s %s?%s %s %zu %016" PRIx64 "%016" PRIx64, request->method, request->path,
             request->query, request->session_header ? request->session_header : "",
             request->body_len,
             digest(UINT64_C(0xcbf29ce484222325), request->body, request->body_len),
             digest(UINT64_C(0x9e3779b97f4a7c15), request->body, request->body_len));
}

int rest_once_find(struct rest_call *call, struct error *err)
{
    struct buf fingerprint BUF_AUTO = {0};
    struct store_answer answer = {0};
    char key[ANSWER_KEY_MAX + 1];
    int found;

    if (!call->request->idempotency_key)
        return 0;
    write_fingerprint(call, &fingerprint);
    if (write_key(call, key, err) != 0 || buf_check(&fingerprint, "the request", err) != 0)
        return -1;
    found = store_answer_find(call->store, key, fingerprint.data, &answer, err);
    if (found > 0) {
        buf_finish(&call->response->body);
        call->response->body = answer.body;
        call->response->status = answer.status;
        call->response->replayed = true;
    }
    return found;
}

int rest_once_keep(struct rest_call *call, struct error *err)
{
    struct buf fingerprint BUF_AUTO = {0};
    char key[ANSWER_KEY_MAX + 1];

    if (!call->request->idempotency_key)
        return 0;
    write_fingerprint(call, &fingerprint);
    if (write_key(call, key, err) != 0 || buf_check(&fingerprint, "the request", err) != 0)
        return -1;
    return store_answer_keep(call->store, key, fingerprint.data, call->response->status,
                             call->response->body.data, call->response->body.len, err);
}
