/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Conversations of the chat: one row per thread and one per message. They are not part of the
 * curriculum, so the session's version and the change log do not change.
 */
#include <inttypes.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/store/entities/read.h"
#include "mcp/store/store_internal.h"
#include "mcp/store/thread.h"

#define THREAD_ID_SHOWN 80

struct thread_found {
    int64_t key, session, messages;
};

int store_threads_read(struct store *store, const char *sid, size_t most, struct buf *json,
                       struct error *err)
{
    static const char *const keys[] = {"\"thread_id\":", ",\"title\":", ",\"updated_at\":"};
    struct session_found session;
    struct rows *rows;
    const char *comma = "{";
    int row;

    if (store_refresh(store, MIRROR_UNKNOWN, sid, NULL, err) != 0 ||
        store_session_find(store, sid, &session, err) != 0)
        return -1;
    rows = db_query(store->db, err, SQL_THREAD_LIST, "ii", session.key, (int64_t)most);
    buf_addc(json, '[');
    while ((row = rows_next(rows, err)) > 0) {
        buf_adds(json, comma);
        comma = ",{";
        for (int i = 0; i < 3; i++) {
            buf_adds(json, keys[i]);
            rows_write_text(rows, i, json);
        }
        buf_addc(json, '}');
    }
    buf_addc(json, ']');
    return row < 0 ? -1 : buf_check(json, "the list of threads", err);
}

/* Returns 1 if it exists, with the statement on its row; 0 if not, with only found->session set. */
static int find_thread(struct store *store, int64_t session, const char *thread_id,
                       struct thread_found *found, struct rows **rows, struct error *err)
{
    int row;

    *found = (struct thread_found){.session = session};
    *rows = db_query(store->db, err, SQL_THREAD_FIND, "is", session, thread_id);
    row = rows_next(*rows, err);
    if (row <= 0)
        return row;
    found->key = rows_int(*rows, 0);
    found->messages = rows_int(*rows, 2);
    return 1;
}

static int read_messages(struct store *store, int64_t thread, struct buf *json, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_THREAD_MESSAGES, "i", thread);
    bool first = true;
    int row;

    while ((row = rows_next(rows, err)) > 0) {
        struct row_text body = rows_string(rows, 0);

        if (!first)
            buf_addc(json, ',');
        buf_add(json, body.text, body.len);
        first = false;
    }
    return row;
}

static int read_thread(struct store *store, int64_t session, const char *thread_id,
                       struct buf *json, struct error *err)
{
    struct thread_found found;
    struct row_text interrupts;
    struct rows *rows;
    char shown[THREAD_ID_SHOWN];
    int row;

    row = find_thread(store, session, thread_id, &found, &rows, err);
    if (row < 0)
        return -1;
    if (row == 0)
        return error_set(err, ERROR_NOT_FOUND, "there is no thread '%s' in this session",
                         text_cut_line(shown, sizeof shown, thread_id));
    buf_adds(json, "{\"thread_id\":");
    json_write_string(json, thread_id, strlen(thread_id));
    buf_adds(json, ",\"title\":");
    rows_write_text(rows, 1, json);
    interrupts = rows_string(rows, 3);
    buf_adds(json, ",\"interrupts\":");
    buf_add(json, interrupts.text, interrupts.len);
    rows_end(rows);
    buf_adds(json, ",\"messages\":[");
    if (read_messages(store, found.key, json, err) != 0)
        return -1;
    buf_adds(json, "]}");
    return buf_check(json, "the thread", err);
}

int store_thread_read(struct store *store, const char *sid, const char *thread_id, struct buf *json,
                      struct error *err)
{
    struct session_found session;

    if (store_read_begin(store, MIRROR_UNKNOWN, sid, NULL, &session, err) < 0)
        return -1;
    return store_read_end(store, read_thread(store, session.key, thread_id, json, err));
}

/* ---- writing ---- */

static int insert_messages(struct store *store, int64_t thread, int64_t there,
                           const json_t *messages, struct error *err)
{
    struct buf BUF_AUTO body = {0};
    const json_t *message;
    size_t i;

    json_array_foreach((json_t *)messages, i, message)
    {
        buf_clear(&body);
        json_write(&body, message);
        if (buf_check(&body, "a message of the thread", err) < 0 ||
            db_run(store->db, err, SQL_THREAD_MESSAGE_INSERT, "iib", thread, there + (int64_t)i,
                   &body) != 0)
            return -1;
    }
    return 0;
}

/* What the thread's row says after this; key 0: it is made, and gets one. */
static int write_row(struct store *store, struct thread_found *found, const char *thread_id,
                     const char *title, int64_t messages, const json_t *interrupts,
                     struct error *err)
{
    struct buf BUF_AUTO open = {0};
    char now[TIME_TEXT_SIZE];

    text_now(now);
    json_write(&open, interrupts);
    if (buf_check(&open, "the open approvals", err) < 0)
        return -1;
    if (found->key == 0)
        return db_insert(store->db, &found->key, err, SQL_THREAD_INSERT, "issibs", found->session,
                         thread_id, title, messages, &open, now);
    return db_run(store->db, err, SQL_THREAD_UPDATE, "iibs", found->key, messages, &open, now);
}

static int append(struct store *store, const char *sid, const char *thread_id, const char *title,
                  size_t there, const json_t *messages, const json_t *interrupts, struct error *err)
{
    struct session_found session;
    struct thread_found found;
    struct rows *rows;

    if (store_session_find(store, sid, &session, err) != 0 ||
        find_thread(store, session.key, thread_id, &found, &rows, err) < 0)
        return -1;
    rows_end(rows);
    if (found.messages != (int64_t)there)
        return error_set(err, ERROR_STALE,
                         "the thread has %" PRId64 " messages, not %zu: somebody else has written "
                         "to it; load it again",
                         found.messages, there);
    if (write_row(store, &found, thread_id, title,
                  found.messages + (int64_t)json_array_size(messages), interrupts, err) != 0)
        return -1;
    return insert_messages(store, found.key, found.messages, messages, err);
}

int store_thread_append(struct store *store, const char *sid, const char *thread_id,
                        const char *title, size_t there, const json_t *messages,
                        const json_t *interrupts, struct error *err)
{
    int rc;

    if (!json_is_array(messages) || !json_is_array(interrupts))
        return error_set(err, ERROR_INTERNAL, "a thread's messages and approvals are lists");
    if (store_refresh(store, MIRROR_UNKNOWN, sid, NULL, err) != 0 || store_begin(store, err) < 0)
        return -1;
    rc = append(store, sid, thread_id, title, there, messages, interrupts, err);
    if (store_end(store, rc == 0, rc == 0 ? err : NULL) != 0)
        rc = -1;
    return rc;
}

int store_content_bytes(struct store *store, const char *sid, int64_t *bytes, struct error *err)
{
    struct session_found session;

    /* Of what was read from a service so far: the figure is a measure, and no reason to read it
     * all. */
    if (store_refresh(store, MIRROR_UNKNOWN, sid, NULL, err) != 0 ||
        store_session_find(store, sid, &session, err) != 0)
        return -1;
    return db_number(store->db, bytes, err, SQL_CONTENT_BYTES, "i", session.key);
}
