/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What keeps a store: answers to calls with a key, copies while others write, the check of the
 * file, and files of older and newer forms.
 */
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "mcp/store/entities/component.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/idempotency.h"
#include "tests/unit/session_fixture.h"

#define WHO (&test_writer)

static const char *path_of(const struct fixture *fixture)
{
    return fixture->url + strlen("sqlite:");
}

static sqlite3 *open_file(const char *path)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    return db;
}

/* Runs the SQL on the file, past the store. */
static void run_sql(const char *path, const char *sql)
{
    sqlite3 *db = open_file(path);
    char *message = NULL;

    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", message, sql);
    sqlite3_close(db);
}

/* Everything a query gives, a line a row. Owned by the caller's buffer. */
static void ask(const char *path, const char *sql, struct buf *to)
{
    sqlite3 *db = open_file(path);
    sqlite3_stmt *statement;

    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const char *text = (const char *)sqlite3_column_text(statement, i);

            buf_addf(to, "%s%s", i > 0 ? "|" : "", text ? text : "NULL");
        }
        buf_addc(to, '\n');
    }
    buf_add(to, "", 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
}

static long ask_number(const char *path, const char *sql)
{
    struct buf text BUF_AUTO = {0};

    ask(path, sql, &text);
    return strtol(text.data, NULL, 10);
}

static size_t files_in(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    size_t count = 0;

    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) /* NOLINT(concurrency-mt-unsafe): own DIR */
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static int open_with_session(void **state)
{
    struct fixture *fixture;

    fixture_open(state);
    fixture = *state;
    must(fixture,
         store_session_create(fixture->store, WHO, "A course", fixture->sid, &fixture->err));
    return 0;
}

/* ---- answers ---- */

static int keep(struct fixture *fixture, const char *key, const char *print, const char *body,
                size_t len)
{
    return store_idempotency_keep(fixture->store, NULL, key, print, 200, body, len, &fixture->err);
}

static void assert_kept(struct fixture *fixture, const char *key, const char *print,
                        const char *body)
{
    struct idempotency_record answer;
    int rc = store_idempotency_find(fixture->store, key, print, &answer, &fixture->err);

    assert_int_equal(rc, body != NULL);
    if (!body)
        return;
    assert_int_equal(answer.status, 200);
    assert_string_equal(answer.body.data, body);
    buf_finish(&answer.body);
}

static void test_answers(void **state)
{
    struct fixture *fixture = *state;
    struct idempotency_record answer;
    char longest[IDEMPOTENCY_KEY_MAX + 2];

    memset(longest, 'k', sizeof longest);
    longest[IDEMPOTENCY_KEY_MAX + 1] = '\0';
    must(fixture, store_begin(fixture->store, &fixture->err));
    assert_kept(fixture, "key", "call", NULL);
    must(fixture, keep(fixture, "key", "call", "{\"ok\":1}", 8));
    assert_kept(fixture, "key", "call", "{\"ok\":1}");
    must_fail(fixture, ERROR_CONFLICT,
              store_idempotency_find(fixture->store, "key", "other", &answer, &fixture->err));
    must_fail(fixture, ERROR_INVALID, keep(fixture, "", "call", "", 0));
    must_fail(fixture, ERROR_INVALID, keep(fixture, longest, "call", "", 0));
    must_fail(fixture, ERROR_INVALID,
              store_idempotency_find(fixture->store, longest, "call", &answer, &fixture->err));
    longest[IDEMPOTENCY_KEY_MAX] = '\0';
    must(fixture, keep(fixture, longest, "call", "", 0));
    assert_kept(fixture, longest, "call", "");
    must(fixture, store_end(fixture->store, true, &fixture->err));
    must(fixture, store_begin(fixture->store, &fixture->err));
    must(fixture, keep(fixture, "lost", "call", "x", 1));
    must(fixture, store_end(fixture->store, false, &fixture->err));
    must(fixture, store_begin(fixture->store, &fixture->err));
    assert_kept(fixture, "key", "call", "{\"ok\":1}");
    assert_kept(fixture, "lost", "call", NULL);
    must(fixture, store_end(fixture->store, true, &fixture->err));
}

static void test_long_answer(void **state)
{
    struct fixture *fixture = *state;
    struct idempotency_record answer;
    char *body = malloc(ANSWER_BODY_CAP + 1);
    json_auto_t *said = NULL;

    assert_non_null(body);
    memset(body, 'x', ANSWER_BODY_CAP + 1);
    must(fixture, keep(fixture, "most", "call", body, ANSWER_BODY_CAP));
    must(fixture, keep(fixture, "more", "call", body, ANSWER_BODY_CAP + 1));
    assert_int_equal(store_idempotency_find(fixture->store, "most", "call", &answer, &fixture->err),
                     1);
    assert_int_equal(answer.body.len, ANSWER_BODY_CAP);
    buf_finish(&answer.body);
    assert_int_equal(store_idempotency_find(fixture->store, "more", "call", &answer, &fixture->err),
                     1);
    assert_int_equal(answer.status, 200);
    said = parse(answer.body.data);
    assert_non_null(strstr(json_get_string(said, "detail"), "1048577 bytes"));
    buf_finish(&answer.body);
    free(body);
}

static void test_old_answers_go(void **state)
{
    struct fixture *fixture = *state;
    char key[32];

    for (int i = 0; i < 50; i++) {
        snprintf(key, sizeof key, "old-%d", i);
        must(fixture, keep(fixture, key, "call", "x", 1));
    }
    must(fixture, keep(fixture, "young", "call", "x", 1));
    run_sql(path_of(fixture), "UPDATE answer SET at = at - 86401 WHERE call_key LIKE 'old-%'");
    must(fixture, keep(fixture, "new-1", "call", "x", 1));
    assert_int_equal(ask_number(path_of(fixture), "SELECT count(*) FROM answer"), 32);
    must(fixture, keep(fixture, "new-2", "call", "x", 1));
    must(fixture, keep(fixture, "new-3", "call", "x", 1));
    assert_int_equal(ask_number(path_of(fixture), "SELECT count(*) FROM answer"), 4);
    assert_kept(fixture, "young", "call", "x");
}

/* ---- backup ---- */

struct steps {
    struct fixture *fixture;
    size_t count, done, written;
};

/* Another connection writes while the copy is made. */
static void write_meanwhile(void *user, size_t done, size_t total)
{
    struct steps *steps = user;
    char id[32];
    json_auto_t *node = NULL;

    assert_true(done >= steps->done && done <= total);
    steps->done = done;
    steps->count++;
    snprintf(id, sizeof id, "W%zu", steps->count);
    node = json_pack("{s:s, s:s}", "node_id", id, "title", "written meanwhile");
    must(steps->fixture, store_node_create(steps->fixture->store, WHO, steps->fixture->sid, node,
                                           NULL, &steps->fixture->err));
    steps->written++;
}

static void add_texts(struct fixture *fixture, size_t count)
{
    char *text = malloc(TEXT_MAX), id[32];

    assert_non_null(text);
    memset(text, 'x', TEXT_MAX);
    for (size_t i = 0; i < count; i++) {
        json_auto_t *node = NULL;

        snprintf(id, sizeof id, "T%zu", i);
        node = json_pack("{s:s, s:s, s:s%}", "node_id", id, "title", "t", "raw_content", text,
                         TEXT_MAX);
        must(fixture,
             store_node_create(fixture->store, WHO, fixture->sid, node, NULL, &fixture->err));
    }
    free(text);
}

static void test_backup_while_others_write(void **state)
{
    struct fixture *fixture = *state;
    struct steps steps = {.fixture = fixture};
    struct fixture copy = {.folder = ""};
    json_auto_t *before = NULL, *after = NULL, *now = NULL;
    struct store *reader;
    char path[96];

    add_texts(fixture, 8);
    before = export_json(fixture, fixture->sid);
    reader = store_open(fixture->url, STORE_READ, &fixture->err);
    assert_non_null(reader);
    snprintf(path, sizeof path, "%s/copy.db", fixture->folder);
    must(fixture, store_backup(reader, path, write_meanwhile, &steps, &fixture->err));
    assert_true(steps.count > 2);
    assert_true(steps.done > 2000);
    /* One file, of the moment it began; what is there is never overwritten. */
    assert_int_equal(files_in(fixture->folder), 2);
    must_fail(fixture, ERROR_CONFLICT, store_backup(reader, path, NULL, NULL, &fixture->err));
    must_fail(fixture, ERROR_CONFLICT,
              store_backup(reader, path_of(fixture), NULL, NULL, &fixture->err));
    store_close(reader);
    snprintf(copy.url, sizeof copy.url, "sqlite:%s", path);
    copy.store = store_open(copy.url, STORE_WRITE, &copy.err);
    assert_non_null(copy.store);
    must(&copy, store_check(copy.store, &copy.err));
    after = export_json(&copy, fixture->sid);
    assert_true(same_json(before, after));
    store_close(copy.store);
    now = export_json(fixture, fixture->sid);
    assert_int_equal(json_array_size(json_object_get(now, "nodes")), 10 + steps.written);
}

static void test_backup_that_fails_leaves_nothing(void **state)
{
    struct fixture *fixture = *state;
    struct rlimit limit, little;
    char path[128];
    size_t files = files_in(fixture->folder);

    add_texts(fixture, 2);
    snprintf(path, sizeof path, "%s/nowhere/copy.db", fixture->folder);
    must_fail(fixture, ERROR_IO, store_backup(fixture->store, path, NULL, NULL, &fixture->err));
    snprintf(path, sizeof path, "%s/copy.db", fixture->folder);
    must(fixture, store_begin(fixture->store, &fixture->err));
    must_fail(fixture, ERROR_INTERNAL,
              store_backup(fixture->store, path, NULL, NULL, &fixture->err));
    must(fixture, store_end(fixture->store, false, &fixture->err));
    /* The disk is full after a million bytes. */
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    little = limit;
    little.rlim_cur = 1000000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    fixture->err = (struct error){0};
    assert_int_equal(store_backup(fixture->store, path, NULL, NULL, &fixture->err), -1);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(fixture->err.kind, ERROR_IO);
    assert_int_equal(files_in(fixture->folder), files);
    must(fixture, store_backup(fixture->store, path, NULL, NULL, &fixture->err));
}

/* ---- the check ---- */

static void test_check(void **state)
{
    struct fixture *fixture = *state;

    must(fixture, store_check(fixture->store, &fixture->err));
    run_sql(path_of(fixture), "PRAGMA foreign_keys = OFF;"
                              "INSERT INTO component (node, place, component_id, revision, body, "
                              "flags) VALUES (12345, 0, 'c', 1, '{}', 0)");
    must_fail(fixture, ERROR_IO, store_check(fixture->store, &fixture->err));
    assert_non_null(strstr(fixture->err.text, "component 1 without its node"));
}

static void test_check_of_damaged_pages(void **state)
{
    struct fixture *fixture = *state;
    char noise[3 * 4096];
    FILE *file;

    add_texts(fixture, 1);
    store_close(fixture->store);
    memset(noise, 0xA5, sizeof noise);
    file = fopen(path_of(fixture), "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, 5 * 4096, SEEK_SET), 0);
    assert_int_equal(fwrite(noise, 1, sizeof noise, file), sizeof noise);
    fclose(file);
    fixture->store = store_open(fixture->url, STORE_READ, &fixture->err);
    assert_non_null(fixture->store);
    must_fail(fixture, ERROR_IO, store_check(fixture->store, &fixture->err));
}

static void test_the_file_is_kept_by_rules(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *component = parse("{\"type\":\"paragraph\",\"parameters\":{\"text\":\"t\"}}");
    struct buf mode BUF_AUTO = {0};

    ask(path_of(fixture), "PRAGMA journal_mode", &mode);
    assert_string_equal(mode.data, "wal\n");
    must(fixture, store_component_insert(fixture->store, WHO, fixture->sid, "N001", 0, component,
                                         NULL, &fixture->err));
    assert_int_equal(ask_number(path_of(fixture), "SELECT count(*) FROM component"), 1);
    /* A component goes with its node: references are kept by the database. */
    must(fixture, store_node_delete(fixture->store, WHO, fixture->sid, "N001", &fixture->err));
    assert_int_equal(ask_number(path_of(fixture), "SELECT count(*) FROM component"), 0);
}

/* ---- older and newer forms ---- */

/* A store as version 1 of the form wrote it, by its own text. */
static const char version_1[] =
    "PRAGMA application_id = 1281713012; PRAGMA user_version = 1;"
    "CREATE TABLE session (key INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL UNIQUE,"
    " title TEXT NOT NULL, version INTEGER NOT NULL, flags INTEGER NOT NULL, further TEXT NOT NULL,"
    " created_at TEXT NOT NULL, last_modified TEXT NOT NULL) STRICT;"
    "CREATE TABLE node (key INTEGER PRIMARY KEY AUTOINCREMENT,"
    " session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE, place INTEGER NOT NULL,"
    " node_id TEXT, title TEXT, grouping ANY, revision INTEGER NOT NULL, cursor INTEGER NOT NULL,"
    " created_at TEXT, last_modified TEXT, body TEXT NOT NULL, flags INTEGER NOT NULL) STRICT;"
    "CREATE INDEX node_by_place ON node (session, place);"
    "CREATE INDEX node_by_id ON node (node_id, session, place);"
    "CREATE TABLE component (key INTEGER PRIMARY KEY AUTOINCREMENT,"
    " node INTEGER NOT NULL REFERENCES node ON DELETE CASCADE, place INTEGER NOT NULL,"
    " position ANY, component_id TEXT NOT NULL UNIQUE, revision INTEGER NOT NULL, type TEXT,"
    " body TEXT NOT NULL, flags INTEGER NOT NULL) STRICT;"
    "CREATE INDEX component_by_place ON component (node, place);"
    "CREATE TABLE relationship (key INTEGER PRIMARY KEY AUTOINCREMENT,"
    " session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE, place INTEGER NOT NULL,"
    " from_id TEXT, to_id TEXT, type TEXT, revision INTEGER NOT NULL, body TEXT NOT NULL,"
    " flags INTEGER NOT NULL) STRICT;"
    "CREATE INDEX relationship_by_place ON relationship (session, place);"
    "CREATE INDEX relationship_by_from ON relationship (session, from_id);"
    "CREATE INDEX relationship_by_to ON relationship (session, to_id);"
    "CREATE TABLE change (key INTEGER PRIMARY KEY AUTOINCREMENT,"
    " session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE, version INTEGER NOT NULL,"
    " change_set TEXT NOT NULL, at TEXT NOT NULL, who TEXT NOT NULL, entity TEXT NOT NULL,"
    " entity_id TEXT, op TEXT NOT NULL, before TEXT, after TEXT) STRICT;"
    "CREATE INDEX change_by_version ON change (session, version);"
    "CREATE INDEX change_by_set ON change (session, change_set);"
    "INSERT INTO session VALUES (7, '11111111-2222-4333-8444-555555555555', 'Old course', 2, 1,"
    " '{\"meta\":{\"title\":\"Old course\"}}', '2025-01-01T00:00:00.000Z',"
    " '2025-01-02T00:00:00.000Z');"
    "INSERT INTO node VALUES (3, 7, 0, 'N001', 'First', NULL, 2, 2, '2025-01-01T00:00:00.000Z',"
    " '2025-01-02T00:00:00.000Z', '{\"node_id\":\"N001\",\"title\":\"First\"}', 6192);"
    "INSERT INTO node VALUES (4, 7, 1, 'N002', 'Second', NULL, 1, 1, NULL, NULL,"
    " '{\"node_id\":\"N002\",\"title\":\"Second\",\"odd\":1.0}', 2096);"
    "INSERT INTO component VALUES (9, 3, 0, 1, 'aaaaaaaa-2222-4333-8444-555555555555', 3,"
    " 'paragraph', '{\"type\":\"paragraph\",\"parameters\":{\"text\":\"old\"}}', 336);"
    "INSERT INTO relationship VALUES (5, 7, 0, 'N001', 'N002', 'LEADS_TO', 1,"
    " '{\"from_node_id\":\"N001\",\"to_node_id\":\"N002\",\"relationship_type\":\"LEADS_TO\"}', "
    "112);"
    "INSERT INTO change VALUES (1, 7, 2, 'set', '2025-01-02T00:00:00.000Z', 'mcp', 'component',"
    " 'aaaaaaaa-2222-4333-8444-555555555555', 'update',"
    " '{\"node_id\":\"N001\",\"place\":0,\"component\":{\"type\":\"paragraph\",\"order\":1,"
    "\"parameters\":{\"text\":\"older\"}}}',"
    " '{\"node_id\":\"N001\",\"place\":0,\"component\":{\"type\":\"paragraph\",\"order\":1,"
    "\"parameters\":{\"text\":\"old\"}}}');";

/* What version 2 made of it. */
static const char version_2[] =
    "DROP INDEX node_by_place; CREATE INDEX node_by_place ON node (session, place, flags);"
    "DROP INDEX component_by_place;"
    "CREATE INDEX component_by_place ON component (node, place, flags);"
    "DROP INDEX relationship_by_place;"
    "CREATE INDEX relationship_by_place ON relationship (session, place, flags);"
    "ALTER TABLE change ADD COLUMN node_id TEXT;"
    "CREATE INDEX change_by_entity ON change (session, entity, entity_id);"
    "CREATE TABLE undone (session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,"
    " change_set TEXT NOT NULL, by_set TEXT NOT NULL, PRIMARY KEY (session, change_set))"
    " STRICT, WITHOUT ROWID;"
    "CREATE TABLE position (session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,"
    " node_id TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (session, node_id))"
    " STRICT, WITHOUT ROWID;"
    "CREATE TABLE answer (call_key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL,"
    " status INTEGER NOT NULL, body TEXT NOT NULL, at INTEGER NOT NULL) STRICT;"
    "CREATE INDEX answer_by_time ON answer (at);"
    "CREATE TABLE upstream_name (session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,"
    " kind TEXT NOT NULL, ours TEXT NOT NULL, theirs TEXT NOT NULL,"
    " PRIMARY KEY (session, kind, ours)) STRICT, WITHOUT ROWID;"
    "PRAGMA user_version = 2;";

static const char version_1_export[] =
    "{\"meta\":{\"title\":\"Old course\"},\"nodes\":["
    "{\"node_id\":\"N001\",\"title\":\"First\",\"created_at\":\"2025-01-01T00:00:00.000Z\","
    "\"last_modified\":\"2025-01-02T00:00:00.000Z\",\"components\":["
    "{\"type\":\"paragraph\",\"parameters\":{\"text\":\"old\"},\"order\":1}]},"
    "{\"node_id\":\"N002\",\"title\":\"Second\",\"odd\":1.0,\"components\":[]}],"
    "\"relationships\":[{\"from_node_id\":\"N001\",\"to_node_id\":\"N002\","
    "\"relationship_type\":\"LEADS_TO\"}]}";

static const struct {
    int version;
    const char *sql, *further, *export;
} olds[] = {{1, version_1, "", version_1_export}, {2, version_1, version_2, version_1_export}};

static const char everything[] = "SELECT type, name, tbl_name FROM sqlite_master ORDER BY name";
static const char columns[] =
    "SELECT m.name, c.name, c.type, c.\"notnull\", c.pk FROM sqlite_master m, "
    "pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.name";

static void test_older_forms(void **state)
{
    struct fixture *fixture = *state;
    struct fixture old = {.sid = "11111111-2222-4333-8444-555555555555"};
    char path[96];

    for (size_t i = 0; i < sizeof olds / sizeof olds[0]; i++) {
        json_auto_t *wanted = parse(olds[i].export), *found = NULL, *components = NULL;
        struct buf theirs BUF_AUTO = {0}, ours BUF_AUTO = {0}, change BUF_AUTO = {0};
        struct component_ref ref = {.node_id = "N001",
                                    .component_id = "aaaaaaaa-2222-4333-8444-555555555555"};
        json_auto_t *edit = parse("{\"parameters\":{\"text\":\"new\"}}");
        struct component_state done;
        int64_t version;

        snprintf(path, sizeof path, "%s/old-%zu.db", fixture->folder, i);
        snprintf(old.url, sizeof old.url, "sqlite:%s", path);
        run_sql(path, olds[i].sql);
        run_sql(path, olds[i].further);
        /* Who may only read leaves it as it is. */
        assert_null(store_open(old.url, STORE_READ, &old.err));
        assert_int_equal(old.err.kind, ERROR_UNAVAILABLE);
        assert_int_equal(ask_number(path, "PRAGMA user_version"), olds[i].version);
        old.store = store_open(old.url, STORE_WRITE, &old.err);
        if (!old.store)
            fail_msg("%s", old.err.text);
        must(&old, store_check(old.store, &old.err));
        found = export_json(&old, old.sid);
        assert_true(same_json(wanted, found));
        must(&old, store_session(old.store, old.sid, NULL, 0, &version, &old.err));
        assert_int_equal(version, 2);
        must(&old,
             store_component_update(old.store, WHO, old.sid, &ref, edit, true, 3, &done, &old.err));
        assert_int_equal(done.revision, 4);
        ask(path, "SELECT version, who, op, entity_id FROM change ORDER BY key LIMIT 1", &change);
        assert_string_equal(change.data, "2|mcp|update|aaaaaaaa-2222-4333-8444-555555555555\n");
        store_close(old.store);
        /* The form is that of a new file. */
        assert_int_equal(ask_number(path, "PRAGMA user_version"),
                         ask_number(path_of(fixture), "PRAGMA user_version"));
        ask(path, everything, &theirs);
        ask(path, columns, &theirs);
        ask(path_of(fixture), everything, &ours);
        ask(path_of(fixture), columns, &ours);
        assert_string_equal(theirs.data, ours.data);
    }
}

static void test_a_failed_migration_changes_nothing(void **state)
{
    struct fixture *fixture = *state;
    struct buf before BUF_AUTO = {0}, after BUF_AUTO = {0};
    char path[128], url[160];
    struct store *store;

    snprintf(path, sizeof path, "%s/old.db", fixture->folder);
    snprintf(url, sizeof url, "sqlite:%s", path);
    run_sql(path, version_1);
    /* The last thing that a migration makes is there already. */
    run_sql(path, "CREATE TABLE chat_message (other TEXT)");
    ask(path, everything, &before);
    ask(path, columns, &before);
    fixture->err = (struct error){0};
    assert_null(store_open(url, STORE_WRITE, &fixture->err));
    assert_int_equal(fixture->err.kind, ERROR_IO);
    assert_non_null(strstr(fixture->err.text, path));
    ask(path, everything, &after);
    ask(path, columns, &after);
    assert_string_equal(before.data, after.data);
    assert_int_equal(ask_number(path, "PRAGMA user_version"), 1);
    assert_int_equal(ask_number(path, "SELECT count(*) FROM component"), 1);
    run_sql(path, "DROP TABLE chat_message");
    store = store_open(url, STORE_WRITE, &fixture->err);
    assert_non_null(store);
    store_close(store);
}

static void test_a_newer_form_is_refused(void **state)
{
    struct fixture *fixture = *state;
    size_t len = 0, now_len = 0;
    char *bytes, *now;

    store_close(fixture->store);
    run_sql(path_of(fixture), "PRAGMA user_version = 1000");
    bytes = read_file(path_of(fixture), &len);
    for (int access = STORE_READ; access <= STORE_WRITE; access++) {
        fixture->err = (struct error){0};
        assert_null(store_open(fixture->url, (enum store_access)access, &fixture->err));
        assert_int_equal(fixture->err.kind, ERROR_UNAVAILABLE);
        assert_non_null(strstr(fixture->err.text, "newer"));
    }
    now = read_file(path_of(fixture), &now_len);
    assert_int_equal(len, now_len);
    assert_memory_equal(bytes, now, len);
    free(bytes);
    free(now);
    fixture->store = NULL;
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_with_session, fixture_close)
    const struct CMUnitTest tests[] = {
        TEST(test_answers),
        TEST(test_long_answer),
        TEST(test_old_answers_go),
        TEST(test_backup_while_others_write),
        TEST(test_backup_that_fails_leaves_nothing),
        TEST(test_check),
        TEST(test_check_of_damaged_pages),
        TEST(test_the_file_is_kept_by_rules),
        TEST(test_older_forms),
        TEST(test_a_failed_migration_changes_nothing),
        TEST(test_a_newer_form_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
