/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Idempotency-Key: the answer to a write that was done is kept in its own transaction, and a repeat
 * under the same key gets it again. What was refused has done nothing and is checked again.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/hash.h"
#include "mcp/api/rest_internal.h"

static int check_key(const char *key, struct error *err)
{
    if (*key && strlen(key) <= IDEMPOTENCY_KEY_MAX)
        return 0;
    return error_set_at(err, "header.Idempotency-Key",
                        "send 1 to %d characters, such as a UUID, another for each new call",
                        IDEMPOTENCY_KEY_MAX);
}

/* Method, path, query and session as they are, the body by its hashes and length. The one who could
 * make two requests meet is the one who chose the key. */
static void write_fingerprint(const struct rest_call *call, struct buf *to)
{
    const struct rest_request *request = call->request;

    buf_addf(to, "%s %s?%s %s %zu %016" PRIx64 "%016" PRIx64, request->method, request->path,
             request->query, request->session_header ? request->session_header : "",
             request->body_len, hash_bytes(HASH_START, request->body, request->body_len),
             hash_bytes(HASH_OTHER_START, request->body, request->body_len));
}

int rest_idempotency_find(struct rest_call *call, struct error *err)
{
    struct buf BUF_AUTO fingerprint = {0};
    struct idempotency_record answer = {0};
    int found;

    if (!call->request->idempotency_key)
        return 0;
    write_fingerprint(call, &fingerprint);
    if (check_key(call->request->idempotency_key, err) < 0 ||
        buf_check(&fingerprint, "the request", err) < 0)
        return -1;
    found = store_idempotency_find(call->store, call->request->idempotency_key, fingerprint.data,
                                   &answer, err);
    if (found > 0) {
        buf_finish(&call->response->body);
        call->response->body = answer.body;
        call->response->status = answer.status;
        call->response->replayed = true;
    }
    return found;
}

int rest_idempotency_keep(struct rest_call *call, struct error *err)
{
    struct buf BUF_AUTO fingerprint = {0};

    if (!call->request->idempotency_key)
        return 0;
    write_fingerprint(call, &fingerprint);
    if (check_key(call->request->idempotency_key, err) < 0 ||
        buf_check(&fingerprint, "the request", err) < 0)
        return -1;
    return store_idempotency_keep(call->store, call->session, call->request->idempotency_key,
                                  fingerprint.data, call->response->status,
                                  call->response->body.data, call->response->body.len, err);
}

int rest_keep_whole(struct store *store, const char *key, const struct rest_response *response,
                    struct error *err)
{
    if (buf_check(&response->body, "the answer", err) < 0)
        return -1;
    return store_idempotency_amend(store, key, response->body.data, response->body.len, err);
}
