/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A day of 10,000 edits on a curriculum of 909 nodes and 12 MB: what it adds to the file.
 */
#include <sqlite3.h>
#include <sys/stat.h>

#include "mcp/store/entities/component.h"
#include "mcp/store/entities/read.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/history/history.h"
#include "tests/unit/session_fixture.h"

#define EDITS      10000
#define NODES      909
#define COMPONENTS 19   /* a node has */
#define GROUP      2500 /* edits a commit: what is kept is looked at here, not the time */
#define ADDED_MAX  (20L << 20)

static long file_size(struct fixture *fixture)
{
    const char *path = fixture->url + strlen("sqlite:");
    struct stat info;
    sqlite3 *db;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    assert_int_equal(stat(path, &info), 0);
    return (long)info.st_size;
}

/* What the free text course has on the average: 17,000 components of 650 bytes. */
static json_t *make_text(unsigned seed, size_t words)
{
    static const char *const vocabulary[] = {"fraction", "whole", "number", "the",
                                             "add",      "of",    "equal",  "denominator"};
    struct buf text BUF_AUTO = {0};

    for (size_t i = 0; i < words; i++)
        buf_addf(&text, "%s%s%u", i > 0 ? " " : "", vocabulary[(seed + i * 5) % 8],
                 (seed * 31 + (unsigned)i) % 977);
    return json_stringn(text.data, text.len);
}

static void import_course(struct fixture *fixture)
{
    json_auto_t *nodes = json_array(), *file = NULL;
    struct buf text BUF_AUTO = {0};

    for (unsigned i = 0; i < NODES; i++) {
        json_t *components = json_array();
        char id[16];

        for (unsigned j = 0; j < COMPONENTS; j++) {
            json_t *words = make_text(i * COMPONENTS + j, 24);

            json_array_append_new(components,
                                  json_pack("{s:s, s:O, s:{s:o}, s:i}", "component_type",
                                            "paragraph", "content", words, "parameters", "text",
                                            words, "order", j + 1));
        }
        snprintf(id, sizeof id, "N%04u", i);
        json_array_append_new(nodes, json_pack("{s:s, s:s, s:o}", "node_id", id, "title", id,
                                               "components", components));
    }
    file = json_pack("{s:O, s:[]}", "nodes", nodes, "relationships");
    json_write(&text, file);
    import_text(fixture, text.data, text.len);
}

/* Mostly texts, and what else an editor does, all over the course. */
static void edit(struct fixture *fixture, unsigned i)
{
    json_auto_t *text = make_text(i * 7, 26);
    json_auto_t *changes = json_pack("{s:{s:O}}", "parameters", "text", text);
    json_auto_t *component =
        json_pack("{s:s, s:{s:O}}", "type", "paragraph", "parameters", "text", text);
    struct component_ref ref;
    char id[16];

    snprintf(id, sizeof id, "N%04u", (i * 37) % NODES);
    ref = (struct component_ref){.node_id = id, .order = 1 + (long)(i * 11 % 15)};
    if (i % 20 == 0)
        must(fixture, store_component_delete(fixture->store, &test_writer, fixture->sid, &ref, 0,
                                             NULL, &fixture->err));
    else if (i % 20 == 1)
        must(fixture, store_component_insert(fixture->store, &test_writer, fixture->sid, id, 1,
                                             component, NULL, &fixture->err));
    else if (i % 20 == 2) {
        json_auto_t *order = json_array();
        struct buf json BUF_AUTO = {0};
        json_auto_t *read = NULL;
        json_int_t total;

        must(fixture,
             store_read_components(fixture->store, fixture->sid, id, &json, &fixture->err));
        read = parse(json.data);
        total = json_integer_value(json_object_get(read, "total_components"));
        for (json_int_t at = 1; at <= total; at++)
            json_array_append_new(order, json_integer(at % total + 1));
        must(fixture, store_components_reorder(fixture->store, &test_writer, fixture->sid, id,
                                               order, &fixture->err));
    } else
        must(fixture, store_component_update(fixture->store, &test_writer, fixture->sid, &ref,
                                             changes, true, 0, NULL, &fixture->err));
}

static void edit_for_a_day(struct fixture *fixture)
{
    for (unsigned i = 0; i < EDITS; i++) {
        if (i % GROUP == 0)
            must(fixture, store_begin(fixture->store, &fixture->err));
        edit(fixture, i);
        if (i % GROUP == GROUP - 1)
            must(fixture, store_end(fixture->store, true, &fixture->err));
    }
}

static void test_a_day_of_edits(void **state)
{
    struct fixture *fixture = *state;
    const struct history_page page = {.limit = 1};
    struct buf json BUF_AUTO = {0};
    json_auto_t *read = NULL, *before = NULL, *after = NULL;
    struct undo_state undone;
    long first, last;
    int64_t version;

    import_course(fixture);
    before = export_json(fixture, fixture->sid);
    first = file_size(fixture);
    must(fixture, store_session(fixture->store, fixture->sid, NULL, 0, &version, &fixture->err));
    edit_for_a_day(fixture);
    last = file_size(fixture);
    print_message("%d edits on %ld bytes added %.2f MB\n", EDITS, first,
                  (double)(last - first) / (1 << 20));
    assert_true(first > 10L << 20);
    assert_true(last - first < ADDED_MAX);
    must(fixture, store_read_history(fixture->store, fixture->sid, &page, &json, &fixture->err));
    read = parse(json.data);
    assert_int_equal(json_integer_value(json_object_get(read, "total")), EDITS + 1);
    /* And it is all there. */
    must(fixture, store_restore(fixture->store, &test_writer, fixture->sid, version, &undone,
                                &fixture->err));
    after = export_json(fixture, fixture->sid);
    assert_true(same_json(before, after));
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_open, fixture_close)
    const struct CMUnitTest tests[] = {
        TEST(test_a_day_of_edits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
