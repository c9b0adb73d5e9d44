/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A connection to a SQLite file: opening and closing it, and its errors. WAL lets readers go on
 * while one connection writes, and synchronous=FULL makes a commit durable before it returns.
 */
#include "mcp/store/sqlite/sqlite_internal.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helpers/base/log.h"

#define WAL_ATTEMPTS                                                                               \
    50 /* the switch to WAL does not wait by itself for others that are opening too */
#define WAL_PAUSE_MS     20
#define WRITER_CACHE_KIB "32768"

int sqlite_fail(struct sqlite_db *db, struct error *err, const char *what)
{
    static const struct {
        int code;
        enum error_kind kind;
    } kinds[] = {{SQLITE_BUSY, ERROR_BUSY},    {SQLITE_LOCKED, ERROR_BUSY},
                 {SQLITE_NOMEM, ERROR_MEMORY}, {SQLITE_TOOBIG, ERROR_TOO_LARGE},
                 {SQLITE_FULL, ERROR_IO},      {SQLITE_IOERR, ERROR_IO},
                 {SQLITE_CORRUPT, ERROR_IO},   {SQLITE_NOTADB, ERROR_IO},
                 {SQLITE_READONLY, ERROR_IO},  {SQLITE_CANTOPEN, ERROR_IO}};
    int code = sqlite3_extended_errcode(db->handle) & 0xFF;
    enum error_kind kind = ERROR_INTERNAL;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].code == code)
            kind = kinds[i].kind;
    return error_set(err, kind, "%s: %s", what, sqlite3_errmsg(db->handle));
}

/* Makes the folder of a file, with those above it. */
static int make_folder(const char *path, struct error *err)
{
    char folder[PATH_MAX];

    if (strlen(path) >= sizeof folder)
        return error_set(err, ERROR_INVALID, "the store's path is longer than %zu bytes",
                         sizeof folder - 1);
    memcpy(folder, path, strlen(path) + 1);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(folder, 0700) != 0 && errno != EEXIST)
            return error_errno(err, errno, "cannot make the folder %s for the store", folder);
        *slash = '/';
    }
    return 0;
}

/* Whether a write could use the file, or create it. */
static int look_for(const char *path, struct error *err)
{
    char at[PATH_MAX];
    size_t up = 0; /* how far above the file what is there lies */

    if (snprintf(at, sizeof at, "%s", path) >= (int)sizeof at)
        return error_set(err, ERROR_INVALID, "the store's path is longer than %zu bytes",
                         sizeof at - 1);
    while (access(at, F_OK) != 0 && errno == ENOENT && strcmp(at, ".") != 0) {
        char *slash = strrchr(at, '/');

        if (slash)
            slash[slash == at] = '\0';
        else
            memcpy(at, ".", 2);
        up++;
    }
    if (access(at, up > 0 ? W_OK | X_OK : R_OK | W_OK) != 0)
        return error_errno(err, errno, "%s cannot be written", at);
    if (up == 0)
        return 0;
    return error_set(err, ERROR_NOT_FOUND, "no %s yet; lectern serve creates it",
                     up > 1 ? "data folder" : "database");
}

static int set_wal(sqlite3 *handle)
{
    for (int i = 0; i < WAL_ATTEMPTS; i++) {
        int rc = sqlite3_exec(handle, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);

        if (rc != SQLITE_BUSY)
            return rc;
        sqlite3_sleep(WAL_PAUSE_MS);
    }
    return SQLITE_BUSY;
}

/* Looks every millisecond. SQLite's own handler sleeps for up to 100 ms, and misses the moment
 * between two slices of an import by another process. */
static int on_busy(void *user, int count)
{
    (void)user;
    if (count >= SQLITE_BUSY_TIMEOUT_MS)
        return 0;
    sqlite3_sleep(1);
    return 1;
}

void sqlite_wait_when_busy(sqlite3 *handle)
{
    sqlite3_busy_handler(handle, on_busy, NULL);
}

static int prepare(struct sqlite_db *db, const char *path, struct error *err)
{
    bool write = db->access == STORE_WRITE;

    sqlite_wait_when_busy(db->handle);
    if (sqlite_search_open(db, err) < 0)
        return error_wrap(err, "%s", path);
    if ((write && set_wal(db->handle) != SQLITE_OK) ||
        sqlite3_exec(db->handle,
                     "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; "
                     "PRAGMA wal_autocheckpoint = 1000; PRAGMA journal_size_limit = 16777216",
                     NULL, NULL, NULL) != SQLITE_OK ||
        (db->schema->secure_delete &&
         sqlite3_exec(db->handle, "PRAGMA secure_delete = ON", NULL, NULL, NULL) != SQLITE_OK)) {
        sqlite_fail(db, err, "cannot use the store");
        return error_wrap(err, "%s", path);
    }
    /* So that a large write goes to the log once, not page by page as the cache overflows. */
    if (write && sqlite3_exec(db->handle, "PRAGMA cache_size = -" WRITER_CACHE_KIB, NULL, NULL,
                              NULL) != SQLITE_OK)
        return sqlite_fail(db, err, "cannot use the store");
    if (write)
        return sqlite_migrate(db, path, err);
    /* Still opened for writing, so that it can recover the write-ahead log of a server that was
     * killed. */
    if (sqlite3_exec(db->handle, "PRAGMA query_only = ON", NULL, NULL, NULL) != SQLITE_OK)
        return sqlite_fail(db, err, "cannot use the store");
    return sqlite_check_schema(db, path, db->access == STORE_LOOK, err);
}

/* The parameter with which SQLite opens the file read-only, or NULL if it must be able to write. In
 * a read-only folder, without a write-ahead log, nobody writes to the file, so SQLite need not
 * create the files that it shares with writers. STORE_LOOK creates none either: if there are none,
 * nobody writes. */
static const char *reading_alone(const char *path, enum store_access mode)
{
    char beside[PATH_MAX];
    struct stat found;
    bool logged;
    char *slash;

    if (snprintf(beside, sizeof beside, "%s-wal", path) >= (int)sizeof beside)
        return NULL;
    logged = stat(beside, &found) == 0 && found.st_size > 0;
    if (mode == STORE_LOOK) {
        memcpy(beside + strlen(path), "-shm", sizeof "-shm");
        return logged || stat(beside, &found) == 0 ? "readonly_shm=1" : "immutable=1";
    }
    slash = strrchr(beside, '/');
    if (slash)
        slash[slash == beside] = '\0';
    return logged || access(slash ? beside : ".", W_OK) == 0 ? NULL : "immutable=1";
}

/* "file:PATH?PARAMETER", with the special characters of the path encoded. */
static void write_uri(struct buf *to, const char *path, const char *parameter)
{
    buf_adds(to, "file:");
    for (; *path; path++) {
        unsigned char c = (unsigned char)*path;

        if (c < 0x80 && (isalnum(c) || strchr("/._-~", c)))
            buf_addc(to, *path);
        else
            buf_addf(to, "%%%02X", c);
    }
    buf_addf(to, "?%s", parameter);
}

/* An empty file that its owner alone can reach, for SQLite to fill. It gets its name only when it
 * is closed: closing it under that name would release the locks that another thread's connection to
 * it holds. Where that does not work SQLite makes the file, and check_private warns. */
static void make_private(const char *path)
{
    char beside[PATH_MAX];
    struct stat there;
    int fd;

    if (strcmp(path, ":memory:") == 0 || stat(path, &there) == 0 ||
        snprintf(beside, sizeof beside, "%s.XXXXXX", path) >= (int)sizeof beside)
        return;
    fd = mkostemp(beside, O_CLOEXEC); /* of mode 0600; SQLite gives its companions the same */
    if (fd < 0)
        return;
    close(fd);
    if (renameat2(AT_FDCWD, beside, AT_FDCWD, path, RENAME_NOREPLACE) != 0)
        unlink(beside);
}

/* An existing file keeps its permissions: they may be intentional. */
static void check_private(const char *path)
{
    struct stat there;

    if (stat(path, &there) == 0 && S_ISREG(there.st_mode) && (there.st_mode & (S_IRWXG | S_IRWXO)))
        log_warning("store", "%s has mode %04o, so other users may reach it: chmod 600 %s", path,
                    (unsigned)there.st_mode & 07777u, path);
}

static int open_database(struct sqlite_db *db, const char *path)
{
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    struct buf BUF_AUTO uri = {0};
    const char *parameter;

    if (db->access == STORE_WRITE)
        return sqlite3_open_v2(path, &db->handle,
                               flags | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    parameter = reading_alone(path, db->access);
    if (!parameter)
        return sqlite3_open_v2(path, &db->handle, flags | SQLITE_OPEN_READWRITE, NULL);
    write_uri(&uri, path, parameter);
    if (uri.failed)
        return SQLITE_NOMEM;
    return sqlite3_open_v2(uri.data, &db->handle, flags | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
                           NULL);
}

/* SQLite opens files that must not exist only for temporary data, and removes their names just
 * after; a kill between the two would leave a file. So they never get a name, where the file system
 * can do that (O_TMPFILE of open(2)). */
static int open_nameless(const char *path, int flags, int mode)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    int fd = -1;

    if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL) && slash &&
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path) < (int)sizeof folder)
        fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return fd < 0 ? open(path, flags | O_CLOEXEC, mode) : fd;
}

/* Before SQLite is used. */
static void configure(void)
{
    sqlite3_vfs *files;

    if (sqlite_statement_journal_begin() < 0)
        log_warning("store", "SQLite keeps statement journals in files, so large writes are slow");
    files = sqlite3_vfs_find("unix");
    if (files && files->iVersion >= 3 && files->xSetSystemCall)
        files->xSetSystemCall(files, "open", (sqlite3_syscall_ptr)open_nameless);
}

struct sqlite_db *sqlite_new(enum db_schema schema, enum store_access access, struct error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct sqlite_db *db = calloc(1, sizeof *db);

    pthread_once(&once, configure);
    if (!db) {
        error_set(err, ERROR_MEMORY, "out of memory for a store");
        return NULL;
    }
    db->base.backend = &sqlite_backend;
    db->schema = &sqlite_schemas[schema];
    db->access = access;
    return db;
}

void sqlite_close(struct db *base)
{
    struct sqlite_db *db = sqlite_of(base);

    for (size_t i = 0; i < STATEMENT_COUNT; i++)
        sqlite3_finalize(db->rows[i].statement);
    for (size_t i = 0; i < CONTROL_COUNT; i++)
        sqlite3_finalize(db->controls[i]);
    sqlite3_close(db->handle);
    free(db);
}

struct db *sqlite_open(const char *path, enum db_schema schema, enum store_access access,
                       struct error *err)
{
    struct sqlite_db *db;
    struct stat there;

    if (!*path) {
        error_set(err, ERROR_INVALID, "the store needs a path: sqlite:PATH");
        return NULL;
    }
    if (access == STORE_WRITE) {
        if (make_folder(path, err) < 0)
            return NULL;
        make_private(path);
    } else if (access == STORE_LOOK) {
        if (look_for(path, err) < 0)
            return NULL;
    } else if (stat(path, &there) != 0) {
        error_set(err, ERROR_NOT_FOUND, "there is no store at %s: %s makes one", path,
                  sqlite_schemas[schema].made_by);
        return NULL;
    }
    db = sqlite_new(schema, access, err);
    if (!db)
        return NULL;
    if (open_database(db, path) != SQLITE_OK) {
        sqlite_fail(db, err, "cannot open the store");
        error_wrap(err, "%s", path);
    } else if (prepare(db, path, err) == 0) {
        if (access == STORE_WRITE)
            check_private(path);
        return &db->base;
    }
    sqlite_close(&db->base);
    return NULL;
}
