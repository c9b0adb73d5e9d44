/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/learner/learners.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unictype.h>
#include <unistd.h>

#include "helpers/base/encode.h"
#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/store/db.h"

#define LEARNER_ID_BYTES 16
#define NUMBER_DIGITS    7 /* a name with as many digits may be a telephone number */
#define DIGITS_ALONE     3 /* the same for a name without a letter */

struct learners {
    struct db *db; /* owned */
};

struct learners *learners_open(const char *url, enum store_access access, struct error *err)
{
    struct learners *learners = calloc(1, sizeof *learners);

    if (!learners) {
        error_set(err, ERROR_MEMORY, "out of memory for learners");
        return NULL;
    }
    learners->db = db_open(url, DB_LEARNERS, access, err);
    if (learners->db)
        return learners;
    free(learners);
    return NULL;
}

struct learners *learners_open_existing(const char *url, struct error *err)
{
    struct learners *found = learners_open(url, STORE_READ, err);

    learners_close(found);
    return found ? learners_open(url, STORE_WRITE, err) : NULL;
}

void learners_close(struct learners *learners)
{
    if (!learners)
        return;
    learners->db->backend->close(learners->db);
    free(learners);
}

/* ---- transactions ---- */

static int begin(struct learners *learners, bool write, struct error *err)
{
    return learners->db->backend->begin(learners->db, write, err);
}

/* Commits unless rc is negative. Returns rc, or -1. */
static int end(struct learners *learners, int rc, struct error *err)
{
    const struct db_backend *backend = learners->db->backend;

    backend->end_reads(learners->db);
    if (rc >= 0 && backend->commit(learners->db, err) == 0)
        return rc;
    backend->rollback(learners->db);
    return -1;
}

static int find(struct learners *learners, const char *id, int64_t *key, struct error *err)
{
    if (db_number(learners->db, key, err, SQL_LEARNER_FIND, "s", id) < 0)
        return -1;
    if (*key > 0)
        return 0;
    return error_set(err, ERROR_NOT_FOUND,
                     "no learner has this id: lectern learner list shows the ids");
}

/* ---- checks ---- */

/* A text of at most cap bytes. may_be_absent: NULL is fine. */
static int check_text(const char *what, const char *text, size_t cap, bool may_be_absent,
                      struct error *err)
{
    size_t len = text ? strlen(text) : 0, step;
    uint32_t character;

    if (!text)
        return may_be_absent ? 0 : error_set(err, ERROR_INVALID, "%s is missing", what);
    if (len == 0)
        return error_set(err, ERROR_INVALID, "%s must not be empty", what);
    if (len > cap)
        return error_set(err, ERROR_TOO_LARGE, "%s has %zu bytes: send at most %zu", what, len,
                         cap);
    for (size_t i = 0; i < len; i += step) {
        step = utf8_decode(text + i, len - i, &character);
        if (step == 0)
            return error_set(err, ERROR_INVALID, "%s must be UTF-8 text", what);
    }
    return 0;
}

int learner_name_check(const char *name, struct error *err)
{
    static const char contact[] = "a name must not be %s, because the server stores no contact "
                                  "data: send a first name or a nickname, such as \"Ada\" or "
                                  "\"learner 7\"";
    size_t digits = 0, letters = 0, len;
    bool has_at = false, visible = false, control = false;
    uint32_t character;

    if (check_text("the name", name, LEARNER_NAME_MAX, false, err) < 0)
        return -1;
    has_at = strcasestr(name, "(at)") || strcasestr(name, "[at]");
    len = strlen(name);
    for (size_t i = 0; i < len;) {
        i += utf8_decode(name + i, len - i, &character);
        digits += uc_decimal_value(character) >= 0;
        letters += uc_is_alpha(character);
        has_at |= character == '@' || character == 0xFF20 || character == 0xFE6B;
        visible |= uc_is_graph(character);
        control |= uc_is_cntrl(character);
    }
    if (has_at)
        return error_set(err, ERROR_INVALID, contact, "an e-mail address");
    if (digits >= NUMBER_DIGITS || (letters == 0 && digits >= DIGITS_ALONE))
        return error_set(err, ERROR_INVALID, contact, "a telephone number");
    if (!visible || control)
        return error_set(err, ERROR_INVALID,
                         "a name must be visible text on one line, such as \"Ada\"");
    return 0;
}

static int check_ids(const char *session, const char *node, const char *item, bool item_absent,
                     struct error *err)
{
    if (check_text("the session id", session, SESSION_ID_SIZE - 1, false, err) < 0 ||
        check_text("the node id", node, NODE_ID_MAX, false, err) < 0)
        return -1;
    return check_text("the item", item, COMPONENT_ID_SIZE - 1, item_absent, err);
}

static int check_goal(const char *session, const char *node, struct error *err)
{
    if (!session != !node)
        return error_set(err, ERROR_INVALID, "a goal has a session id and a node id: send both");
    return session ? check_ids(session, node, NULL, true, err) : 0;
}

static int check_hints(int hints, struct error *err)
{
    if (hints >= 0 && hints <= HELP_MAX)
        return 0;
    return error_set(err, ERROR_INVALID, "hints must be from 0 to %d, not %d", HELP_MAX, hints);
}

static bool is_attempt(enum evidence_kind kind)
{
    return kind <= EVIDENCE_VERDICT_WRONG;
}

/* ---- rows as JSON ---- */

struct row_column {
    const char *name;
    enum { COLUMN_TEXT, COLUMN_NUMBER, COLUMN_JSON /* as it is, or null */ } type;
};

static const struct row_column learner_columns[] = {
    {"learner_id", COLUMN_TEXT},   {"name", COLUMN_TEXT},          {"goal_session_id", COLUMN_TEXT},
    {"goal_node_id", COLUMN_TEXT}, {"tier", COLUMN_TEXT},          {"created", COLUMN_NUMBER},
    {"evidence", COLUMN_NUMBER},   {"submissions", COLUMN_NUMBER}, {"pending", COLUMN_NUMBER},
    {NULL, COLUMN_TEXT},
};
/* The parts of an export besides the learner. */
static const struct export_part {
    const char *name;
    enum statement statement;
    const char
        *format; /* of its parameters: the learner's key, and NULL for the rest that would select */
    struct row_column columns[10];
} parts[] = {
    {"evidence",
     SQL_EVIDENCE_READ,
     "iss",
     {{"session_id", COLUMN_TEXT},
      {"node_id", COLUMN_TEXT},
      {"kind", COLUMN_TEXT},
      {"item", COLUMN_TEXT},
      {"hints", COLUMN_NUMBER},
      {"note", COLUMN_TEXT},
      {"time", COLUMN_NUMBER},
      {"submission", COLUMN_JSON}}},
    {"submissions",
     SQL_SUBMISSION_READ,
     "i",
     {{"submission", COLUMN_NUMBER},
      {"session_id", COLUMN_TEXT},
      {"node_id", COLUMN_TEXT},
      {"item", COLUMN_TEXT},
      {"text", COLUMN_TEXT},
      {"digest", COLUMN_TEXT},
      {"hints", COLUMN_NUMBER},
      {"time", COLUMN_NUMBER},
      {"result", COLUMN_JSON}}},
    {"hints",
     SQL_HINT_READ,
     "i",
     {{"session_id", COLUMN_TEXT},
      {"item", COLUMN_TEXT},
      {"level", COLUMN_NUMBER},
      {"time", COLUMN_NUMBER}}},
};

static void write_row(struct rows *rows, const struct row_column *columns, struct buf *json)
{
    for (int i = 0; columns[i].name; i++) {
        buf_addf(json, "%c\"%s\":", i == 0 ? '{' : ',', columns[i].name);
        if (columns[i].type == COLUMN_NUMBER)
            buf_addi(json, rows_int(rows, i));
        else if (columns[i].type == COLUMN_TEXT)
            rows_write_text(rows, i, json);
        else
            buf_adds(json, rows_text(rows, i) ? rows_text(rows, i) : "null");
    }
    buf_addc(json, '}');
}

/* All rows, with commas between them. Returns their number, or -1. */
static int write_rows(struct rows *rows, const struct row_column *columns, struct buf *json,
                      struct error *err)
{
    int row, count = 0;

    while ((row = rows_next(rows, err)) > 0) {
        if (count++ > 0)
            buf_addc(json, ',');
        write_row(rows, columns, json);
    }
    return row < 0 ? -1 : count;
}

/* ---- learners ---- */

int learners_add(struct learners *learners, const struct learner *learner, char id[LEARNER_ID_SIZE],
                 struct error *err)
{
    unsigned char bytes[LEARNER_ID_BYTES];

    if (learner_name_check(learner->name, err) < 0 ||
        check_text("the tier", learner->tier, LEARNER_TIER_MAX, true, err) < 0)
        return -1;
    if (check_goal(learner->goal_session, learner->goal_node, err) < 0)
        return -1;
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return error_errno(err, errno, "cannot get random bytes for an id");
    hex_write(id, bytes, sizeof bytes);
    return db_run(learners->db, err, SQL_LEARNER_INSERT, "sssssi", id, learner->name,
                  learner->goal_session, learner->goal_node, learner->tier, (int64_t)time(NULL));
}

int learners_set_tier(struct learners *learners, const char *id, const char *tier,
                      struct error *err)
{
    int64_t key;
    int rc;

    if (check_text("the tier", tier, LEARNER_TIER_MAX, true, err) < 0 ||
        begin(learners, true, err) < 0)
        return -1;
    rc = find(learners, id, &key, err);
    if (rc == 0)
        rc = db_run(learners->db, err, SQL_LEARNER_SET_TIER, "is", key, tier);
    return end(learners, rc, err);
}

int learners_set_goal(struct learners *learners, const char *id, const char *session,
                      const char *node, struct error *err)
{
    int64_t key;
    int rc;

    if (check_goal(session, node, err) < 0 || begin(learners, true, err) < 0)
        return -1;
    rc = find(learners, id, &key, err);
    if (rc == 0)
        rc = db_run(learners->db, err, SQL_LEARNER_SET_GOAL, "iss", key, session, node);
    return end(learners, rc, err);
}

int learners_read(struct learners *learners, const char *id, struct buf *json, struct error *err)
{
    struct rows *rows = db_query(learners->db, err, SQL_LEARNER_READ, "s", id);
    int64_t key;
    int count;

    if (!id)
        buf_addc(json, '[');
    count = write_rows(rows, learner_columns, json, err);
    if (!id)
        buf_addc(json, ']');
    if (count < 0)
        return -1;
    return id && count == 0 ? find(learners, id, &key, err) : buf_check(json, "the learners", err);
}

static int export_parts(struct learners *learners, const char *id, struct buf *json,
                        struct error *err)
{
    int64_t key;

    buf_adds(json, "{\"learner\":");
    if (find(learners, id, &key, err) < 0 || learners_read(learners, id, json, err) < 0)
        return -1;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        struct rows *rows =
            db_query(learners->db, err, parts[i].statement, parts[i].format, key, NULL, NULL);

        buf_addf(json, ",\"%s\":[", parts[i].name);
        if (write_rows(rows, parts[i].columns, json, err) < 0)
            return -1;
        buf_addc(json, ']');
    }
    buf_addc(json, '}');
    return buf_check(json, "the learner's data", err);
}

int learners_export(struct learners *learners, const char *id, struct buf *json, struct error *err)
{
    if (begin(learners, false, err) < 0)
        return -1;
    return end(learners, export_parts(learners, id, json, err), err);
}

/* Deletes the rows, unless an earlier call has done so and its bytes are left. */
static int delete_rows(struct learners *learners, const char *id, struct error *err)
{
    int64_t key, erased;

    if (db_number(learners->db, &erased, err, SQL_LEARNER_ERASED_FIND, "s", id) < 0)
        return -1;
    if (erased > 0)
        return 0;
    if (find(learners, id, &key, err) < 0 ||
        db_run(learners->db, err, SQL_LEARNER_DELETE, "i", key) < 0)
        return -1;
    return db_run(learners->db, err, SQL_LEARNER_ERASED_NOTE, "s", id);
}

static json_t *read_backups(struct learners *learners, struct error *err)
{
    struct rows *rows = db_query(learners->db, err, SQL_LEARNER_BACKUPS, "");
    json_t *paths = json_array();
    int row;

    while ((row = rows_next(rows, err)) > 0)
        if (access(rows_text(rows, 0), F_OK) == 0 || errno != ENOENT)
            json_array_append_new(paths, json_string(rows_text(rows, 0)));
    if (row == 0)
        return paths;
    json_decref(paths);
    return NULL;
}

int learners_delete(struct learners *learners, const char *id, json_t **backups, struct error *err)
{
    if (begin(learners, true, err) < 0 || end(learners, delete_rows(learners, id, err), err) < 0)
        return -1;
    if (learners->db->backend->erase(learners->db, err) < 0)
        return error_wrap(err, "the learner is deleted, but the database's files may still contain "
                               "the bytes: remove the cause and delete the same id again");
    if (db_run(learners->db, err, SQL_LEARNER_ERASED_DROP, "s", id) < 0)
        return -1;
    *backups = read_backups(learners, err);
    return *backups ? 0 : -1;
}

const char learners_other_copies[] =
    "Copies made in another way, such as snapshots of a disk or copies of backups, are not known "
    "here: look for copies of the file learners.db";

void learners_write_deleted(const char *id, const json_t *backups, struct buf *json)
{
    json_auto_t *answer = json_pack("{s:s, s:O, s:s}", "deleted", id, "backups", backups,
                                    "other_copies", learners_other_copies);

    json_write(json, answer);
}

int learners_backup(struct learners *learners, const char *path,
                    void (*on_step)(void *user, size_t done, size_t total), void *user,
                    struct error *err)
{
    char whole[PATH_MAX];

    if (learners->db->backend->backup(learners->db, path, on_step, user, err) < 0)
        return -1;
    if (!realpath(path, whole))
        return error_errno(err, errno, "%s", path);
    if (db_run(learners->db, err, SQL_LEARNER_BACKUP_NOTE, "si", whole, (int64_t)time(NULL)) < 0)
        return error_wrap(err, "%s is written, but a deletion will not name it", path);
    return 0;
}

/* ---- evidence ---- */

int learners_log(struct learners *learners, const char *id, const char *session, const char *node,
                 const struct evidence *evidence, const char *note, struct error *err)
{
    int64_t key;
    int rc;

    if (evidence->kind <= EVIDENCE_GRADED_WRONG)
        return error_set(err, ERROR_INTERNAL, "the server grades submissions only");
    if (check_ids(session, node, evidence->item, !is_attempt(evidence->kind), err) < 0 ||
        check_text("the note", note, LEARNER_NOTE_MAX, true, err) < 0 ||
        check_hints(evidence->hints, err) < 0 || begin(learners, true, err) < 0)
        return -1;
    rc = find(learners, id, &key, err);
    if (rc == 0)
        rc = db_run(learners->db, err, SQL_EVIDENCE_INSERT, "issssisi", key, session, node,
                    evidence_kinds[evidence->kind], evidence->item, (int64_t)evidence->hints, note,
                    evidence->time);
    return end(learners, rc, err);
}

/* -1 for a name that this program does not know. */
static int kind_of(const char *name)
{
    for (int kind = 0; evidence_kinds[kind]; kind++)
        if (strcmp(evidence_kinds[kind], name) == 0)
            return kind;
    return -1;
}

int learners_evidence(struct learners *learners, const char *id, const char *session,
                      const char *node, learners_evidence_fn *on_evidence, void *user,
                      struct error *err)
{
    struct rows *rows;
    int64_t key;
    int row;

    if (find(learners, id, &key, err) < 0)
        return -1;
    rows = db_query(learners->db, err, SQL_EVIDENCE_READ, "iss", key, session, node);
    while ((row = rows_next(rows, err)) > 0) {
        const int kind = kind_of(rows_text(rows, 2));
        const struct evidence evidence = {.kind = (enum evidence_kind)kind,
                                          .item = rows_text(rows, 3),
                                          .hints = (int)rows_int(rows, 4),
                                          .time = rows_int(rows, 6)};

        if (kind < 0) {
            rows_end(rows);
            return error_set(err, ERROR_IO,
                             "the log has evidence of an unknown kind: it was "
                             "written by a newer version of this program");
        }
        on_evidence(user, rows_text(rows, 0), rows_text(rows, 1), &evidence);
    }
    return row;
}

/* ---- submissions ---- */

/* Returns 1 if there is an earlier one. */
static int find_same(struct learners *learners, int64_t key,
                     const struct learner_submission *submission, int64_t since,
                     struct submitted *submitted, struct error *err)
{
    struct rows *rows ROWS_AUTO =
        db_query(learners->db, err, SQL_SUBMISSION_SAME, "isssi", key, submission->session,
                 submission->item, submission->digest, since);
    int row = rows_next(rows, err);
    struct row_text result;

    if (row <= 0)
        return row;
    submitted->submission = rows_int(rows, 0);
    submitted->repeated = true;
    result = rows_string(rows, 1);
    if (!result.text)
        return 1;
    submitted->result = json_read(result.text, result.len, "the stored result", err);
    return submitted->result ? 1 : -1;
}

/* 1: it is reached. */
static int check_limit(struct learners *learners, int64_t key, const struct submission_limit *limit,
                       struct error *err)
{
    int64_t count;

    if (db_number(learners->db, &count, err, SQL_SUBMISSION_COUNT, "ii", key, limit->since) < 0)
        return -1;
    return count >= limit->most;
}

int learners_submit(struct learners *learners, const struct learner_submission *submission,
                    int64_t since, struct submitted *submitted, struct error *err)
{
    int64_t key;
    int rc;

    memset(submitted, 0, sizeof *submitted);
    if (check_ids(submission->session, submission->node, submission->item, false, err) < 0 ||
        check_text("the submission", submission->text, LEARNER_TEXT_MAX, false, err) < 0 ||
        check_text("the digest", submission->digest, LEARNER_DIGEST_MAX, false, err) < 0 ||
        check_hints(submission->hints, err) < 0 || begin(learners, true, err) < 0)
        return -1;
    rc = find(learners, submission->learner, &key, err);
    if (rc == 0)
        rc = find_same(learners, key, submission, since, submitted, err);
    if (rc == 0 && submission->limit)
        rc = check_limit(learners, key, submission->limit, err);
    if (rc == 0)
        rc = db_insert(learners->db, &submitted->submission, err, SQL_SUBMISSION_INSERT, "isssssii",
                       key, submission->session, submission->node, submission->item,
                       submission->text, submission->digest, (int64_t)submission->hints,
                       submission->time);
    if (end(learners, rc, err) >= 0)
        return 0;
    json_decref(submitted->result);
    submitted->result = NULL;
    return -1;
}

static int store_result(struct learners *learners, int64_t submission, const struct buf *result,
                        const char *kind, const char *note, struct error *err)
{
    struct rows *rows = db_query(learners->db, err, SQL_SUBMISSION_GRADE, "ib", submission, result);
    int row = rows_next(rows, err), rc = row;
    int64_t found;

    while (rc > 0) /* the statement takes effect when it ends */
        rc = rows_next(rows, err);
    if (rc < 0)
        return -1;
    if (row > 0)
        return db_run(learners->db, err, SQL_EVIDENCE_INSERT_GRADED, "iss", submission, kind,
                      note) < 0
                   ? -1
                   : 1;
    if (db_number(learners->db, &found, err, SQL_SUBMISSION_FIND, "i", submission) < 0)
        return -1;
    return found > 0 ? 0
                     : error_set(err, ERROR_NOT_FOUND,
                                 "submission %" PRId64 " was deleted with its learner", submission);
}

int learners_graded(struct learners *learners, int64_t submission, const json_t *result,
                    enum evidence_kind kind, const char *note, struct error *err)
{
    struct buf BUF_AUTO text = {0};

    if (!is_attempt(kind))
        return error_set(err, ERROR_INTERNAL, "'%s' is not the kind of a result",
                         evidence_kinds[kind]);
    buf_init(&text, LEARNER_RESULT_MAX);
    json_write(&text, result);
    if (buf_check(&text, "the result", err) < 0 ||
        check_text("the note", note, LEARNER_NOTE_MAX, true, err) < 0 ||
        begin(learners, true, err) < 0)
        return -1;
    return end(learners, store_result(learners, submission, &text, evidence_kinds[kind], note, err),
               err);
}

int learners_pending(struct learners *learners, learners_pending_fn *on_pending, void *user,
                     struct error *err)
{
    struct rows *rows = db_query(learners->db, err, SQL_SUBMISSION_PENDING, "");
    int row;

    while ((row = rows_next(rows, err)) > 0) {
        const struct learner_submission submission = {.learner = rows_text(rows, 1),
                                                      .session = rows_text(rows, 2),
                                                      .node = rows_text(rows, 3),
                                                      .item = rows_text(rows, 4),
                                                      .text = rows_text(rows, 5),
                                                      .digest = rows_text(rows, 6),
                                                      .hints = (int)rows_int(rows, 7),
                                                      .time = rows_int(rows, 8)};

        on_pending(user, rows_int(rows, 0), &submission);
    }
    return row;
}

int learners_withdraw(struct learners *learners, int64_t submission, struct error *err)
{
    return db_run(learners->db, err, SQL_SUBMISSION_WITHDRAW, "i", submission);
}

/* Takes the first row, if there is one. */
static int read_result(struct rows *rows, json_t **result, struct error *err)
{
    int row = rows_next(rows, err);
    struct row_text text;

    if (row <= 0)
        return row;
    text = rows_string(rows, 0);
    *result = json_read(text.text, text.len, "the stored result", err);
    return *result ? 0 : -1;
}

int learners_result(struct learners *learners, int64_t submission, json_t **result,
                    struct error *err)
{
    struct rows *rows ROWS_AUTO =
        db_query(learners->db, err, SQL_SUBMISSION_RESULT, "i", submission);

    *result = NULL;
    if (read_result(rows, result, err) < 0)
        return -1;
    return *result ? 0
                   : error_set(err, ERROR_NOT_FOUND, "submission %" PRId64 " has no result",
                               submission);
}

static int read_latest(struct learners *learners, int64_t key, const char *session,
                       const char *item, json_t **result, struct error *err)
{
    struct rows *rows ROWS_AUTO =
        db_query(learners->db, err, SQL_SUBMISSION_LATEST, "iss", key, session, item);

    return read_result(rows, result, err);
}

int learners_latest(struct learners *learners, const char *id, const char *session,
                    const char *item, json_t **result, struct error *err)
{
    int64_t key;

    *result = NULL;
    return find(learners, id, &key, err) < 0
               ? -1
               : read_latest(learners, key, session, item, result, err);
}

/* ---- hints ---- */

int learners_hint(struct learners *learners, const char *id, const char *session, const char *item,
                  int level, int64_t time, struct error *err)
{
    int64_t key;
    int rc;

    if (level < 1 || level > HELP_MAX)
        return error_set(err, ERROR_INVALID, "the level of a hint must be from 1 to %d, not %d",
                         HELP_MAX, level);
    if (check_text("the session id", session, SESSION_ID_SIZE - 1, false, err) < 0 ||
        check_text("the item", item, COMPONENT_ID_SIZE - 1, false, err) < 0 ||
        begin(learners, true, err) < 0)
        return -1;
    rc = find(learners, id, &key, err);
    if (rc == 0)
        rc = db_run(learners->db, err, SQL_HINT_INSERT, "issii", key, session, item, (int64_t)level,
                    time);
    return end(learners, rc, err);
}

int learners_hints(struct learners *learners, const char *id, const char *session, const char *item,
                   int64_t since, int *count, struct error *err)
{
    int64_t key, found;

    if (find(learners, id, &key, err) < 0 ||
        db_number(learners->db, &found, err, SQL_HINT_COUNT, "issi", key, session, item, since) < 0)
        return -1;
    *count = (int)found;
    return 0;
}
