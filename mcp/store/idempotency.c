/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stores the answers to calls with a key, so that a repeat gets the first answer. They are stored
 * in the transaction of the call's writes; each later one deletes a few expired ones.
 */
#include <string.h>
#include <time.h>

#include "mcp/store/idempotency.h"
#include "mcp/store/store_internal.h"

static int check_key(const char *key, struct error *err)
{
    size_t len = strlen(key);

    if (len > 0 && len <= IDEMPOTENCY_KEY_MAX)
        return 0;
    return error_set_at(err, "idempotency_key",
                        "idempotency_key: send a text of 1 to %d bytes, one for each call",
                        IDEMPOTENCY_KEY_MAX);
}

int store_idempotency_find(struct store *store, const char *key, const char *fingerprint,
                           struct idempotency_record *answer, struct error *err)
{
    struct rows *rows;
    struct row_text body;
    char shown[80];
    int row;

    if (check_key(key, err) < 0)
        return -1;
    rows = db_query(store_whole(store)->db, err, SQL_ANSWER_FIND, "s", key);
    row = rows_next(rows, err);
    if (row <= 0)
        return row;
    if (strcmp(rows_text(rows, 0), fingerprint) != 0) {
        rows_end(rows);
        return error_set(err, ERROR_CONFLICT,
                         "the idempotency key '%s' was used for another call, choose a new one",
                         text_cut_line(shown, sizeof shown, key));
    }
    answer->status = rows_int(rows, 1);
    body = rows_string(rows, 2);
    buf_init(&answer->body, 0);
    buf_add(&answer->body, body.text, body.len);
    rows_end(rows);
    if (buf_check(&answer->body, "the kept answer", err) == 0)
        return 1;
    buf_finish(&answer->body);
    return -1;
}

int store_idempotency_keep(struct store *store, const char *sid, const char *key,
                           const char *fingerprint, int status, const char *body, size_t len,
                           struct error *err)
{
    struct row_text kept = {body, len};
    struct buf BUF_AUTO instead = {0};
    int64_t now = (int64_t)time(NULL);

    if (check_key(key, err) < 0)
        return -1;
    if (len > ANSWER_BODY_CAP) {
        buf_addf(&instead,
                 "{\"detail\":\"this call was done before; its answer of %zu bytes was too long to "
                 "be kept, read again what it changed\"}",
                 len);
        if (buf_check(&instead, "the kept answer", err) < 0)
            return -1;
        kept = (struct row_text){instead.data, instead.len};
    }
    if (db_run(store->db, err, SQL_ANSWER_DROP_OLD, "i", now - ANSWERS_KEPT_S) != 0)
        return -1;
    return db_run(store->db, err, SQL_ANSWER_KEEP, "ssitis", key, fingerprint, (int64_t)status,
                  &kept, now, sid);
}

int store_idempotency_amend(struct store *store, const char *key, const char *body, size_t len,
                            struct error *err)
{
    struct row_text amended = {body, len};

    if (len > ANSWER_BODY_CAP) /* the stored answer stays, without what was added later */
        return 0;
    return db_run(store->db, err, SQL_ANSWER_AMEND, "st", key, &amended);
}
