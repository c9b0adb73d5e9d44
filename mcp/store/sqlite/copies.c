/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Copies. Of the whole store while others read and write (a backup), and whether its file is whole:
 * a read transaction holds one snapshot for as long as the copying takes, which lets writers go on
 * (WAL) and saves it from starting again with each of their commits. The backup is made beside its
 * place and gets its name when it is complete and on the disk.
 *
 * And of one session, to try a write without holding the writer: a temporary database of the same
 * form with the session's rows as of one snapshot, keys included. SQLite keeps it in memory up to
 * TRIAL_CACHE_KIB and puts the rest into a file that nobody else sees.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mcp/store/sqlite/sqlite_internal.h"

#define STEP_PAGES      1024 /* of a backup: 4 MiB */
#define FINDINGS_CAP    10   /* that a check names */
#define TRIAL_CACHE_KIB "65536"
#define TRIAL_NAME      "a copy to try a change on"

/* ---- the file ---- */

static int refuse_existing(const char *path, struct error *err)
{
    return error_set(err, ERROR_CONFLICT,
                     "%s exists already and is not overwritten: choose another name, or remove it",
                     path);
}

static int sync_path(const char *path, int flags, struct error *err)
{
    int fd = open(path, flags | O_CLOEXEC);
    int rc = 0;

    if (fd < 0)
        return error_errno(err, errno, "%s", path);
    if (fsync(fd) != 0)
        rc = error_errno(err, errno, "%s", path);
    close(fd);
    return rc;
}

static void folder_of(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) : 0;

    if (!slash)
        memcpy(folder, ".", 2);
    else if (len == 0)
        memcpy(folder, "/", 2);
    else
        snprintf(folder, PATH_MAX, "%.*s", (int)len, path);
}

/* Gives the finished copy its name, unless another file has got it meanwhile. */
static int name_file(const char *beside, const char *path, struct error *err)
{
    char folder[PATH_MAX];
    struct stat there;
    int rc = renameat2(AT_FDCWD, beside, AT_FDCWD, path, RENAME_NOREPLACE);

    if (rc != 0 && (errno == EINVAL || errno == ENOSYS)) { /* a file system that has it not */
        if (lstat(path, &there) == 0)
            return refuse_existing(path, err);
        rc = rename(beside, path);
    }
    if (rc != 0)
        return errno == EEXIST ? refuse_existing(path, err) : error_errno(err, errno, "%s", path);
    folder_of(path, folder);
    return sync_path(folder, O_RDONLY | O_DIRECTORY, err);
}

static void remove_beside(const char *beside)
{
    static const char *const behind[] = {"", "-journal", "-wal", "-shm"};
    char path[PATH_MAX + 16];

    for (size_t i = 0; i < sizeof behind / sizeof behind[0]; i++) {
        snprintf(path, sizeof path, "%s%s", beside, behind[i]);
        unlink(path);
    }
}

/* ---- the copying ---- */

static int fail_copy(sqlite3 *to, struct error *err)
{
    return error_set(err, ERROR_IO, "cannot write the copy: %s", sqlite3_errmsg(to));
}

static int copy_pages(struct sqlite_db *db, sqlite3 *to, db_step_fn *on_step, void *user,
                      struct error *err)
{
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", db->handle, "main");
    int rc = SQLITE_OK;

    if (!backup)
        return fail_copy(to, err);
    while (rc == SQLITE_OK) {
        rc = sqlite3_backup_step(backup, STEP_PAGES);
        if (on_step && (rc == SQLITE_OK || rc == SQLITE_DONE)) {
            size_t total = (size_t)sqlite3_backup_pagecount(backup);

            on_step(user, total - (size_t)sqlite3_backup_remaining(backup), total);
        }
    }
    sqlite3_backup_finish(backup);
    return rc == SQLITE_DONE ? 0 : fail_copy(to, err);
}

/* As a single file without a write-ahead log, because it may be stored where nothing can be
 * written. */
static int copy_into(struct sqlite_db *db, const char *beside, db_step_fn *on_step, void *user,
                     struct error *err)
{
    sqlite3 *to = NULL;
    int rc = -1;

    if (sqlite3_open_v2(beside, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK)
        fail_copy(to, err);
    else if (copy_pages(db, to, on_step, user, err) == 0)
        rc = sqlite3_exec(to, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL) == SQLITE_OK
                 ? 0
                 : fail_copy(to, err);
    sqlite3_close(to);
    return rc;
}

/* The snapshot begins with the first thing read. */
static int copy(struct sqlite_db *db, const char *beside, db_step_fn *on_step, void *user,
                struct error *err)
{
    int rc;

    if (sqlite3_exec(db->handle, "BEGIN; SELECT count(*) FROM sqlite_master", NULL, NULL, NULL) !=
        SQLITE_OK)
        rc = sqlite_fail(db, err, "cannot read the store");
    else
        rc = copy_into(db, beside, on_step, user, err);
    sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
    return rc;
}

int sqlite_backup(struct db *db, const char *path, db_step_fn *on_step, void *user,
                  struct error *err)
{
    char beside[PATH_MAX];
    struct stat there;
    int fd, rc;

    if (snprintf(beside, sizeof beside, "%s.XXXXXX", path) >= (int)sizeof beside)
        return error_set(err, ERROR_INVALID, "%s is too long a path", path);
    if (lstat(path, &there) == 0)
        return refuse_existing(path, err);
    fd = mkostemp(beside, O_CLOEXEC);
    if (fd < 0)
        return error_errno(err, errno, "%s", beside);
    close(fd);
    rc = copy(sqlite_of(db), beside, on_step, user, err);
    if (rc == 0)
        rc = sync_path(beside, O_RDONLY, err);
    if (rc == 0)
        rc = name_file(beside, path, err);
    if (rc != 0)
        remove_beside(beside);
    return rc;
}

/* ---- checking ---- */

/* Columns 0 and, if it has one, 2 of each row: a finding, or a table and its parent. */
static int find_faults(struct sqlite_db *db, const char *pragma, struct buf *findings,
                       size_t *count, struct error *err)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(db->handle, pragma, -1, &statement, NULL);

    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        const char *text;

        rc = sqlite3_step(statement);
        if (rc != SQLITE_ROW)
            break;
        text = (const char *)sqlite3_column_text(statement, 0);
        if ((text && strcmp(text, "ok") == 0) || (*count)++ >= FINDINGS_CAP)
            continue;
        buf_addf(findings, "%s%s", findings->len > 0 ? "; " : "", text ? text : "");
        if (sqlite3_column_count(statement) > 2)
            buf_addf(findings, " %lld without its %s",
                     (long long)sqlite3_column_int64(statement, 1),
                     (const char *)sqlite3_column_text(statement, 2));
    }
    if (rc != SQLITE_DONE)
        sqlite_fail(db, err, "the store cannot do it");
    sqlite3_finalize(statement);
    return rc == SQLITE_DONE ? 0 : -1;
}

int sqlite_check(struct db *base, struct error *err)
{
    struct sqlite_db *db = sqlite_of(base);
    struct buf BUF_AUTO findings = {0};
    size_t count = 0;

    if (find_faults(db, "PRAGMA integrity_check(10)", &findings, &count, err) != 0 ||
        find_faults(db, "PRAGMA foreign_key_check", &findings, &count, err) != 0 ||
        buf_check(&findings, "the hits", err) < 0)
        return -1;
    if (count == 0)
        return 0;
    return error_set(err, ERROR_IO, "the store is damaged: %s%s", findings.data,
                     count > FINDINGS_CAP ? "; and more" : "");
}

/* ---- a session, to try a write on ---- */

#define ROWS(table) "INSERT INTO main." table " SELECT * FROM source." table " WHERE session = ?1"

static const char key_of_session[] = "SELECT key FROM source.session WHERE session_id = ?1";
static const char *const rows[] = {
    "INSERT INTO main.session SELECT * FROM source.session WHERE key = ?1",
    ROWS("graph_version"),
    ROWS("node"),
    "INSERT INTO main.component SELECT component.* FROM source.node CROSS JOIN source.component"
    " ON component.node = node.key WHERE node.session = ?1",
    ROWS("relationship"),
    ROWS(NODE_MAP_ENTITY),
    ROWS("undone"),
};
/* New rows get the keys that they would get in the store. */
static const char *const keys[] = {
    "DELETE FROM main.sqlite_sequence",
    "INSERT INTO main.sqlite_sequence SELECT * FROM source.sqlite_sequence",
};

static int run(struct sqlite_db *copy, const char *sql, int64_t session, struct error *err)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(copy->handle, sql, -1, &statement, NULL);

    if (rc == SQLITE_OK && sqlite3_bind_parameter_count(statement) > 0)
        sqlite3_bind_int64(statement, 1, session);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(statement);
    sqlite3_finalize(statement);
    return rc == SQLITE_DONE ? 0 : sqlite_fail(copy, err, "cannot copy the session");
}

/* If there is no such session, the copy has none, and its reads report that. */
static int find_session(struct sqlite_db *copy, const char *sid, int64_t *session,
                        struct error *err)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(copy->handle, key_of_session, -1, &statement, NULL);

    if (rc == SQLITE_OK)
        sqlite3_bind_text(statement, 1, sid, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(statement);
    *session = rc == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return rc == SQLITE_ROW || rc == SQLITE_DONE
               ? 0
               : sqlite_fail(copy, err, "cannot copy the session");
}

/* In one transaction, which is one snapshot of the source. */
static int copy_rows(struct sqlite_db *copy, const char *sid, bool history, struct error *err)
{
    int64_t session = 0;
    int rc = find_session(copy, sid, &session, err);

    for (size_t i = 0; rc == 0 && i < sizeof rows / sizeof *rows; i++)
        rc = run(copy, rows[i], session, err);
    if (rc == 0 && history)
        rc = run(copy, ROWS("change"), session, err);
    for (size_t i = 0; rc == 0 && i < sizeof keys / sizeof *keys; i++)
        rc = run(copy, keys[i], session, err);
    return rc;
}

static int execute(struct sqlite_db *copy, const char *sql, struct error *err)
{
    return sqlite3_exec(copy->handle, sql, NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : sqlite_fail(copy, err, "cannot make a copy of the session");
}

static int attach(struct sqlite_db *copy, struct sqlite_db *source, struct error *err)
{
    char *sql = sqlite3_mprintf("ATTACH %Q AS source", sqlite3_db_filename(source->handle, "main"));
    int rc = sql ? execute(copy, sql, err)
                 : error_set(err, ERROR_MEMORY, "out of memory for a copy of the session");

    sqlite3_free(sql);
    return rc;
}

/* Nothing of it outlives the process, so nothing of it is synced. Foreign keys hold in the source,
 * and the triggers have done their part there. */
static int fill(struct sqlite_db *copy, struct sqlite_db *source, const char *sid, bool history,
                struct error *err)
{
    sqlite_wait_when_busy(copy->handle);
    if (execute(copy,
                "PRAGMA synchronous = OFF;"
                "PRAGMA cache_size = -" TRIAL_CACHE_KIB,
                err) != 0 ||
        sqlite_migrate(copy, TRIAL_NAME, err) < 0 || attach(copy, source, err) != 0)
        return -1;
    sqlite3_db_config(copy->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    if (execute(copy, "BEGIN", err) != 0 || copy_rows(copy, sid, history, err) != 0 ||
        execute(copy, "COMMIT", err) != 0)
        return -1;
    sqlite3_db_config(copy->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1, NULL);
    return execute(copy, "DETACH source; PRAGMA foreign_keys = ON", err);
}

struct db *sqlite_open_copy(struct db *source, const char *sid, bool history, struct error *err)
{
    struct sqlite_db *copy = sqlite_new(DB_CURRICULA, STORE_WRITE, err);

    if (!copy)
        return NULL;
    if (sqlite3_open_v2("", &copy->handle,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
                            SQLITE_OPEN_EXRESCODE,
                        NULL) != SQLITE_OK)
        sqlite_fail(copy, err, "cannot make a copy of the session");
    else if (fill(copy, sqlite_of(source), sid, history, err) == 0)
        return &copy->base;
    sqlite_close(&copy->base);
    return NULL;
}
