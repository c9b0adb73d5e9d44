/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the tests of the writes to a session share: a course with all that writes may meet, reading
 * it back, and the rows of the change log.
 */
#ifndef LECTERN_TEST_STORE_WRITES_FIXTURE_H
#define LECTERN_TEST_STORE_WRITES_FIXTURE_H

#include <sqlite3.h>

#include "mcp/store/entities/node.h"
#include "mcp/store/entities/read.h"
#include "mcp/store/entities/relationship.h"
#include "tests/unit/session_fixture.h"

#define WHO (&test_writer)

/* Three nodes, five components of which one is no object, relationships that will repeat or be a
 * node's own when N001 becomes part of N002. No times, so that exports compare. */
static const char course[] =
    "{\"meta\":{\"title\":\"Course\"},\"nodes\":["
    "{\"node_id\":\"N001\",\"title\":\"One\",\"raw_content\":\"r\",\"chapter_id\":1,\"note\":[1.0],"
    "\"components\":["
    "{\"type\":\"paragraph\",\"order\":1,\"parameters\":{\"text\":\"1a\"},\"confidence\":0.95},"
    "42,"
    "{\"type\":\"paragraph\",\"order\":2,\"order_index\":2,\"parameters\":{\"text\":\"1b\"}},"
    "{\"component_id\":\"theirs\",\"type\":\"heading\",\"order\":3,\"parameters\":{\"text\":\"1c\"}"
    "}]},"
    "{\"node_id\":\"N002\",\"title\":\"Two\",\"components\":["
    "{\"type\":\"paragraph\",\"parameters\":{\"text\":\"2a\"}}]},"
    "{\"node_id\":\"N003\",\"title\":\"Three\",\"components\":[]}],"
    "\"relationships\":["
    "{\"from_node_id\":\"N001\",\"to_node_id\":\"N002\",\"relationship_type\":\"LEADS_TO\"},"
    "{\"from_node_id\":\"N001\",\"to_node_id\":\"N003\",\"relationship_type\":\"LEADS_TO\","
    "\"note\":7},"
    "{\"from_node_id\":\"N002\",\"to_node_id\":\"N003\",\"relationship_type\":\"PREREQUISITE\"},"
    "{\"from_node_id\":\"N001\",\"to_node_id\":\"N003\",\"relationship_type\":\"PREREQUISITE\"},"
    "{\"from_node_id\":\"gone\",\"to_node_id\":\"N001\",\"relationship_type\":\"ODD\"}]}";

static inline int open_course(void **state)
{
    fixture_open(state);
    import_text(*state, course, sizeof course - 1);
    return 0;
}

typedef int read_fn(struct store *store, const char *sid, struct buf *json, struct error *err);

static inline json_t *read_list(struct fixture *fixture, read_fn *read)
{
    struct buf text BUF_AUTO = {0};

    must(fixture, read(fixture->store, fixture->sid, &text, &fixture->err));
    return parse(text.data);
}

static inline json_t *read_components(struct fixture *fixture, const char *node_id)
{
    struct buf text BUF_AUTO = {0};

    must(fixture,
         store_read_components(fixture->store, fixture->sid, node_id, &text, &fixture->err));
    return parse(text.data);
}

/* "1a 1b 1c": texts in their order, which must be dense. */
static inline void assert_texts(struct fixture *fixture, const char *node_id, const char *wanted)
{
    json_auto_t *sequence = read_components(fixture, node_id);
    const json_t *components = json_object_get(sequence, "components"), *component;
    struct buf texts BUF_AUTO = {0};
    size_t i;

    json_array_foreach((json_t *)components, i, component)
    {
        assert_int_equal(json_integer_value(json_object_get(component, "order")), i + 1);
        assert_int_equal(json_integer_value(json_object_get(component, "order_index")), i + 1);
        buf_addf(&texts, "%s%s", i > 0 ? " " : "",
                 json_get_string(json_object_get(component, "parameters"), "text"));
    }
    buf_add(&texts, "", 0);
    assert_string_equal(texts.data, wanted);
}

static inline const json_t *find(const json_t *array, const char *key, const char *value)
{
    const json_t *item;
    size_t i;

    json_array_foreach((json_t *)array, i, item)
    {
        const char *text = json_get_string(item, key);

        if (text && !strcmp(text, value))
            return item;
    }
    return NULL;
}

static inline int64_t id_of(struct fixture *fixture, const char *from, const char *to,
                            const char *type)
{
    int64_t id;

    must(fixture,
         store_relationship_find(fixture->store, fixture->sid, from, to, type, &id, &fixture->err));
    return id;
}

/* The rows of the session's last version: [[entity, op, entity_id, node_id, before, after]]. */
static inline json_t *last_rows(struct fixture *fixture)
{
    json_t *rows = json_array();
    sqlite3_stmt *statement;
    sqlite3 *db;

    assert_int_equal(sqlite3_open(fixture->url + strlen("sqlite:"), &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(db,
                           "SELECT entity, op, entity_id, node_id, before, after FROM change WHERE "
                           "version = (SELECT version FROM session WHERE session_id = ?1) AND "
                           "session = (SELECT key FROM session WHERE session_id = ?1) ORDER BY key",
                           -1, &statement, NULL),
        SQLITE_OK);
    sqlite3_bind_text(statement, 1, fixture->sid, -1, SQLITE_STATIC);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        json_t *row = json_array();

        for (int i = 0; i < 6; i++) {
            const char *text = (const char *)sqlite3_column_text(statement, i);

            json_array_append_new(row, text ? json_string(text) : json_null());
        }
        json_array_append_new(rows, row);
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return rows;
}

static inline const char *cell(const json_t *rows, size_t row, size_t column)
{
    return json_string_value(json_array_get(json_array_get(rows, row), column));
}

/* "component delete, node delete". */
static inline void assert_rows(const json_t *rows, const char *wanted)
{
    struct buf text BUF_AUTO = {0};

    for (size_t i = 0; i < json_array_size(rows); i++)
        buf_addf(&text, "%s%s %s", i > 0 ? ", " : "", cell(rows, i, 0), cell(rows, i, 1));
    buf_add(&text, "", 0);
    assert_string_equal(text.data, wanted);
}

static inline int place(struct fixture *fixture, const char *positions)
{
    json_auto_t *given = parse(positions);

    return store_node_map_write(fixture->store, WHO, fixture->sid, given, &fixture->err);
}

static inline int bulk(struct fixture *fixture, const char *relationships, size_t *created)
{
    json_auto_t *given = parse(relationships);

    return store_relationships_create(fixture->store, WHO, fixture->sid, given, created,
                                      &fixture->err);
}

#define COURSE_TEST(test) cmocka_unit_test_setup_teardown(test, open_course, fixture_close)
#define DEFECTS_TEST(test)                                                                         \
    cmocka_unit_test_setup_teardown(test, fixture_open_defects, fixture_close)

#endif
