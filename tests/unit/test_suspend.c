/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Transactions that are set aside, as in front of a service: wherever it happens, what the
 * transaction had done is the same afterwards, while others write to other sessions and take keys.
 */
#include <fcntl.h>

#include "mcp/change/change_set.h"
#include "mcp/store/entities/component.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/history/history.h"
#include "mcp/store/idempotency.h"
#include "mcp/store/sqlite/sqlite_internal.h"
#include "mcp/store/store_internal.h"
#include "tests/unit/session_fixture.h"

#define EACH "SELECT * FROM "

struct other { /* a service that does nothing but wait */
    struct mirror base;
    struct fixture *fixture;
    struct store *beside; /* another connection */
    char beside_sid[SESSION_ID_SIZE];
    unsigned suspended, writes;
    bool quiet;
};

/* Every row of the session as the transaction sees it. */
static const char *const rows[] = {
    EACH "session WHERE key = ?1",
    EACH "node WHERE session = ?1 ORDER BY key",
    EACH "component WHERE node IN (SELECT key FROM node WHERE session = ?1) ORDER BY key",
    EACH "relationship WHERE session = ?1 ORDER BY key",
    EACH "position WHERE session = ?1 ORDER BY node_id",
    EACH "change WHERE session = ?1 ORDER BY key",
    EACH "undone WHERE session = ?1 ORDER BY change_set",
    EACH "upstream_name WHERE session = ?1 ORDER BY kind, ours",
    EACH "graph_version WHERE session = ?1",
    EACH "answer WHERE session = ?1 ORDER BY call_key",
};

static void dump(struct store *store, const char *sid, struct buf *to)
{
    sqlite3 *handle = sqlite_of(store->db)->handle;
    struct session_found found;

    assert_int_equal(store_session_find(store, sid, &found, NULL), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sqlite3_stmt *statement;

        assert_int_equal(sqlite3_prepare_v2(handle, rows[i], -1, &statement, NULL), SQLITE_OK);
        sqlite3_bind_int64(statement, 1, found.key);
        while (sqlite3_step(statement) == SQLITE_ROW) {
            for (int k = 0; k < sqlite3_column_count(statement); k++)
                buf_addf(to, "%d:%s|", sqlite3_column_type(statement, k),
                         sqlite3_column_text(statement, k)
                             ? (const char *)sqlite3_column_text(statement, k)
                             : "");
            buf_addc(to, '\n');
        }
        sqlite3_finalize(statement);
        buf_addf(to, "-- %zu\n", i);
    }
    buf_addc(to, '\0');
    assert_false(to->failed);
}

/* New keys of every table. */
static void write_beside(struct other *other)
{
    struct fixture *fixture = other->fixture;
    char id[32];
    json_auto_t *node = NULL, *component = NULL;

    snprintf(id, sizeof id, "B%u", other->writes++);
    node = json_pack("{s:s, s:s}", "node_id", id, "title", id);
    component = json_pack("{s:s, s:{s:s}}", "type", "paragraph", "parameters", "text", id);
    must(fixture, store_node_create(other->beside, &test_writer, other->beside_sid, node, NULL,
                                    &fixture->err));
    must(fixture, store_component_insert(other->beside, &test_writer, other->beside_sid, id, 0,
                                         component, &(struct component_state){0}, &fixture->err));
}

static void set_aside(struct other *other, struct store *store, const char *sid)
{
    struct buf before BUF_AUTO = {0}, after BUF_AUTO = {0};
    struct error err = {0};
    unsigned depth = store->open.depth;
    int suspended;

    buf_init(&before, 0);
    buf_init(&after, 0);
    dump(store, sid, &before);
    suspended = store_suspend(store, &err);
    if (suspended != 1)
        fail_msg("%s", err.text);
    assert_int_equal(store->open.depth, 0);
    assert_true(store_is_suspended(store));
    write_beside(other);
    if (store_resume(store, suspended, 0, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(store->open.depth, depth);
    dump(store, sid, &after);
    assert_string_equal(before.data, after.data);
    other->suspended++;
}

static int refresh(struct mirror *mirror, struct store *store, unsigned scope, const char *sid,
                   const char *node_id, struct error *err)
{
    struct other *other = (struct other *)mirror;

    (void)scope;
    (void)node_id;
    (void)err;
    if (sid && !other->quiet && store->open.depth > 0)
        set_aside(other, store, sid);
    return 0;
}

static int push(struct mirror *mirror, struct store *store, struct error *err)
{
    struct other *other = (struct other *)mirror;

    (void)err;
    if (!other->quiet)
        set_aside(other, store, other->fixture->sid);
    return 0;
}

static int own(struct mirror *mirror, struct store *store, const char *sid, struct error *err)
{
    (void)mirror;
    (void)store;
    (void)sid;
    (void)err;
    return 0;
}

static void ended(struct mirror *mirror, struct store *store)
{
    (void)mirror;
    (void)store;
}

static void do_not_close(struct mirror *mirror)
{
    (void)mirror;
}

static struct mirror in_front(int shared)
{
    return (struct mirror){.shared = shared,
                           .refresh = refresh,
                           .own = own,
                           .push = push,
                           .ended = ended,
                           .close = do_not_close};
}

static struct other quiet;

static struct other *begin(struct fixture *fixture)
{
    struct other *other = calloc(1, sizeof *other);
    char path[128];
    int shared;

    assert_non_null(other);
    snprintf(path, sizeof path, "%s/locks", fixture->folder);
    shared = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(shared >= 0);
    other->base = in_front(shared);
    other->fixture = fixture;
    other->beside = store_open(fixture->url, STORE_WRITE, &fixture->err);
    assert_non_null(other->beside);
    must(fixture, store_session_create(other->beside, &test_writer, "Beside", other->beside_sid,
                                       &fixture->err));
    quiet = (struct other){.base = in_front(shared), .quiet = true};
    other->beside->mirror = &quiet.base; /* so that it leaves out the keys of what is suspended */
    fixture->store->mirror = &other->base;
    return other;
}

static void end(struct other *other)
{
    struct fixture *fixture = other->fixture;

    assert_true(other->suspended > 0);
    must(fixture, store_check(fixture->store, &fixture->err));
    fixture->store->mirror = NULL;
    store_close(other->beside);
    close(other->base.shared);
    free(other);
}

static void apply(struct fixture *fixture, const char *operations, bool keep_going, size_t bad)
{
    json_auto_t *list = json_read(operations, strlen(operations), "a test", &fixture->err);
    const struct change_set set = {.operations = list, .keep_going = keep_going};
    struct change_set_outcome outcome;
    int rc =
        change_set_apply(fixture->store, &test_writer, fixture->sid, &set, &outcome, &fixture->err);

    if (bad > 0 && !keep_going) {
        assert_int_equal(rc, -1);
        return;
    }
    if (rc != 0)
        fail_msg("%s", fixture->err.text);
    assert_int_equal(outcome.bad, bad);
    change_set_outcome_finish(&outcome);
}

#define PARAGRAPH(node, text)                                                                      \
    "{\"op\":\"create_component\",\"node_id\":\"" node                                             \
    "\",\"component_type\":\"paragraph\",\"parameters\":{\"text\":\"" text "\"}},"

static const char first[] =
    "[{\"op\":\"create_node\",\"node_id\":\"A\",\"title\":\"A\"},"
    "{\"op\":\"create_node\",\"node_id\":\"B\",\"title\":\"B\"}," PARAGRAPH("A", "a1")
        PARAGRAPH("A", "a2") PARAGRAPH(
            "B",
            "b1") "{\"op\":\"create_relationship\",\"from_node_id\":\"A\",\"to_node_id\":\"B\"}]";
/* Changes, deletions with what hangs on them, one node into the other, some that fail. */
static const char second[] = "[" PARAGRAPH("A", "a3") PARAGRAPH(
    "none", "fails") "{\"op\":\"create_node\",\"node_id\":\"C\",\"title\":\"C\"}"
                     "," PARAGRAPH("C",
                                   "c1") "{\"op\":\"edit_component\",\"node_id\":\"A\",\"component_"
                                         "order\":2,\"new_parameters\":{\"text\":\"A2\"}},"
                                         "{\"op\":\"create_relationship\",\"from_node_id\":\"A\","
                                         "\"to_node_id\":\"none\"},"
                                         "{\"op\":\"create_relationship\",\"from_node_id\":\"C\","
                                         "\"to_node_id\":\"B\"},"
                                         "{\"op\":\"merge_nodes\",\"node_id\":\"A\",\"into_node_"
                                         "id\":\"B\"},"
                                         "{\"op\":\"delete_node\",\"node_id\":\"C\"}," PARAGRAPH(
                                             "B", "b2") "{\"op\":\"delete_component\",\"node_id\":"
                                                        "\"B\",\"component_order\":1}]";

static void test_a_change_set(void **state)
{
    struct fixture *fixture = *state;
    struct other *other = begin(fixture);
    struct buf before BUF_AUTO = {0}, after BUF_AUTO = {0};
    struct undo_state undone;

    apply(fixture, first, false, 0);
    dump(fixture->store, fixture->sid, &before);
    apply(fixture, second, false, 2); /* nothing of it is kept */
    dump(fixture->store, fixture->sid, &after);
    assert_string_equal(before.data, after.data);
    apply(fixture, second, true, 2);
    must(fixture,
         store_undo(fixture->store, &test_writer, fixture->sid, NULL, &undone, &fixture->err));
    must(fixture,
         store_restore(fixture->store, &test_writer, fixture->sid, 2, &undone, &fixture->err));
    end(other);
}

static void test_savepoints(void **state)
{
    struct fixture *fixture = *state;
    struct other *other = begin(fixture);
    struct store *store = fixture->store;
    struct buf kept BUF_AUTO = {0}, now BUF_AUTO = {0};
    json_auto_t *node = json_pack("{s:s, s:s}", "node_id", "N1", "title", "One");
    json_auto_t *title = json_pack("{s:s}", "title", "Changed");

    must(fixture, store_begin(store, &fixture->err));
    must(fixture, store_node_create(store, &test_writer, fixture->sid, node, NULL, &fixture->err));
    dump(store, fixture->sid, &kept);
    must(fixture, store_begin(store, &fixture->err));
    must(fixture, store_begin(store, &fixture->err));
    must(fixture, store_node_update(store, &test_writer, fixture->sid, "N1", title, 0,
                                    &(struct node_state){0}, &fixture->err));
    must(fixture, store_node_delete(store, &test_writer, fixture->sid, "N1", &fixture->err));
    set_aside(other, store, fixture->sid);
    set_aside(other, store, fixture->sid);
    must(fixture, store_end(store, true, &fixture->err));
    must(fixture, store_end(store, false, &fixture->err)); /* as it was before it was set aside */
    dump(store, fixture->sid, &now);
    assert_string_equal(kept.data, now.data);
    must(fixture,
         store_idempotency_keep(store, fixture->sid, "key", "print", 200, "{}", 2, &fixture->err));
    must(fixture, store_end(store, true, &fixture->err));
    must(fixture, store_begin(store, &fixture->err));
    must(fixture, store_node_delete(store, &test_writer, fixture->sid, "N1", &fixture->err));
    set_aside(other, store, fixture->sid);
    must(fixture, store_end(store, false, &fixture->err));
    assert_int_equal(store_node_title(store, fixture->sid, "N1", (char[80]){0}, 80, NULL), 0);
    end(other);
}

/* Who comes back to rows that another has changed meanwhile keeps nothing. */
static void test_a_conflict_loses_all(void **state)
{
    struct fixture *fixture = *state;
    struct other *other = begin(fixture);
    struct store *store = fixture->store;
    json_auto_t *node = json_pack("{s:s, s:s}", "node_id", "N1", "title", "One");
    int suspended;

    must(fixture, store_begin(store, &fixture->err));
    must(fixture, store_node_create(store, &test_writer, fixture->sid, node, NULL, &fixture->err));
    suspended = store_suspend(store, &fixture->err);
    assert_int_equal(suspended, 1);
    must(fixture, store_session_rename(other->beside, &test_writer, fixture->sid, "Theirs",
                                       &fixture->err)); /* without the session's lock */
    must_fail(fixture, ERROR_BUSY, store_resume(store, suspended, 0, &fixture->err));
    must_fail(fixture, ERROR_IO, store_begin(store, &fixture->err));
    must_fail(fixture, ERROR_IO, store_end(store, true, &fixture->err));
    assert_int_equal(store_node_title(store, fixture->sid, "N1", (char[80]){0}, 80, NULL), -1);
    other->suspended++;
    must(fixture, store_node_create(store, &test_writer, fixture->sid, node, NULL, &fixture->err));
    end(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_change_set, fixture_open_session, fixture_close),
        cmocka_unit_test_setup_teardown(test_savepoints, fixture_open_session, fixture_close),
        cmocka_unit_test_setup_teardown(test_a_conflict_loses_all, fixture_open_session,
                                        fixture_close),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
