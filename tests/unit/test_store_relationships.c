/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Making, changing and deleting relationships: what is done, what is refused and changes nothing,
 * and what is logged.
 */
#include "mcp/store/entities/read.h"
#include "mcp/store/entities/relationship.h"
#include "mcp/store/entities/session.h"
#include "tests/unit/store_writes_fixture.h"

static size_t count_relationships(struct fixture *fixture)
{
    json_auto_t *list = read_list(fixture, store_read_relationships);

    return (size_t)json_integer_value(json_object_get(list, "total"));
}

static void test_bulk(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *rows = NULL, *list = NULL;
    size_t created = 99, before = count_relationships(fixture);
    const json_t *made;

    must(fixture, bulk(fixture,
                       "[{\"from\":\"N002\",\"to\":\"N001\",\"type\":\"ENRICHMENT\","
                       "\"explanation\":\"why\",\"weight\":0.1},"
                       "{\"from_node_id\":\"N003\",\"to_node_id\":\"N001\"}]",
                       &created));
    assert_int_equal(created, 2);
    assert_int_equal(count_relationships(fixture), before + 2);
    list = read_list(fixture, store_read_relationships);
    made = find(json_object_get(list, "relationships"), "relationship_type", "ENRICHMENT");
    assert_string_equal(json_get_string(made, "from_node_id"), "N002");
    assert_string_equal(json_get_string(made, "explanation"), "why");
    assert_null(json_object_get(made, "from"));
    assert_null(json_object_get(made, "type"));
    assert_non_null(json_object_get(made, "weight"));
    id_of(fixture, "N003", "N001", "LEADS_TO");
    rows = last_rows(fixture);
    assert_rows(rows, "relationship insert, relationship insert");
    must(fixture, bulk(fixture, "[]", &created));
    assert_int_equal(created, 0);
}

static void test_bulk_refusals(void **state)
{
    struct fixture *fixture = *state;
    size_t before = count_relationships(fixture);
    json_auto_t *many = json_array();

    must_fail(fixture, ERROR_INVALID,
              bulk(fixture,
                   "[{\"from\":\"N003\",\"to\":\"N001\"},{\"from\":\"N001\",\"to\":\"N001\"},5,"
                   "{\"from\":\"N001\",\"to\":\"N7\"},{\"from\":\"N003\",\"to\":\"N001\"},"
                   "{\"from\":\"N001\",\"to\":\"N003\",\"type\":\"LOVES\"},"
                   "{\"from\":\"N001\",\"to\":\"N002\"},{\"to\":\"N001\"},"
                   "{\"from\":\"N001\",\"from_node_id\":\"N002\",\"to\":\"N003\"}]",
                   NULL));
    assert_string_equal(fixture->err.loc, "relationships.1.to");
    for (size_t i = 0; i < 8; i++) {
        static const char *const named[] = {
            "relationships.2: ",
            "relationships.3.to: there is no node 'N7'",
            "relationships.4: repeats relationships.0",
            "relationships.5.type: ",
            "relationships.6: there is already a LEADS_TO from N001 to N002",
            "relationships.7.from_node_id: ",
            "relationships.8.from: ",
            "Nothing was written"};

        if (!strstr(fixture->err.text, named[i]))
            fail_msg("no '%s' in %s", named[i], fixture->err.text);
    }
    must_fail(fixture, ERROR_CONFLICT,
              bulk(fixture,
                   "[{\"from\":\"N003\",\"to\":\"N001\"},{\"from\":\"N001\",\"to\":"
                   "\"N002\"}]",
                   NULL));
    must_fail(fixture, ERROR_INVALID, bulk(fixture, "{}", NULL));
    for (int i = 0; i <= RELATIONSHIPS_BATCH_MAX; i++)
        json_array_append_new(many, json_null());
    must_fail(
        fixture, ERROR_INVALID,
        store_relationships_create(fixture->store, WHO, fixture->sid, many, NULL, &fixture->err));
    assert_int_equal(count_relationships(fixture), before);
}

static int update_relationship(struct fixture *fixture, int64_t id, const char *changes,
                               struct relationship_state *state)
{
    json_auto_t *given = parse(changes);

    return store_relationship_update(fixture->store, WHO, fixture->sid, id, given, state,
                                     &fixture->err);
}

static void test_relationship_update(void **state)
{
    struct fixture *fixture = *state;
    int64_t id = id_of(fixture, "N001", "N003", "LEADS_TO"), found;
    struct relationship_state done = {0};
    json_auto_t *rows = NULL, *list = NULL, *before = NULL;
    const json_t *changed;

    must(fixture, update_relationship(fixture, id,
                                      "{\"relationship_type\":\"ENRICHMENT\",\"explanation\":\"e\","
                                      "\"confidence_score\":0.25,\"from_node_id\":\"N001\"}",
                                      &done));
    assert_int_equal(done.id, id);
    assert_string_equal(done.type, "ENRICHMENT");
    assert_string_equal(done.from_title, "One");
    assert_string_equal(done.to_title, "Three");
    assert_null(done.cycle);
    rows = last_rows(fixture);
    assert_rows(rows, "relationship update");
    before = parse(cell(rows, 0, 4));
    assert_string_equal(
        json_get_string(json_object_get(before, "relationship"), "relationship_type"), "LEADS_TO");
    list = read_list(fixture, store_read_relationships);
    changed = find(json_object_get(list, "relationships"), "explanation", "e");
    assert_int_equal(json_integer_value(json_object_get(changed, "id")), id);
    assert_int_equal(json_integer_value(json_object_get(changed, "note")), 7);
    must(fixture, update_relationship(fixture, id, "{\"explanation\":null}", NULL));
    must_fail(fixture, ERROR_CONFLICT,
              update_relationship(fixture, id, "{\"relationship_type\":\"PREREQUISITE\"}", NULL));
    must_fail(fixture, ERROR_INVALID,
              update_relationship(fixture, id, "{\"relationship_type\":\"LOVES\"}", NULL));
    must_fail(fixture, ERROR_INVALID,
              update_relationship(fixture, id, "{\"confidence_score\":1.01}", NULL));
    assert_string_equal(fixture->err.loc, "confidence_score");
    must_fail(fixture, ERROR_INVALID,
              update_relationship(fixture, id, "{\"to_node_id\":\"N002\"}", NULL));
    must_fail(fixture, ERROR_INVALID, update_relationship(fixture, id, "7", NULL));
    must_fail(fixture, ERROR_NOT_FOUND, update_relationship(fixture, 999, "{}", NULL));
    must_fail(fixture, ERROR_NOT_FOUND, update_relationship(fixture, -1, "{}", NULL));
    must_fail(fixture, ERROR_NOT_FOUND,
              store_relationship_find(fixture->store, fixture->sid, "N001", "N003", "LEADS_TO",
                                      &found, &fixture->err));
    assert_non_null(strstr(fixture->err.text, "ENRICHMENT"));
}

static void test_relationship_update_closes_a_cycle(void **state)
{
    struct fixture *fixture = *state;
    struct relationship_state done = {0};

    must(fixture, bulk(fixture, "[{\"from\":\"N003\",\"to\":\"N001\"}]", NULL));
    must(fixture, update_relationship(fixture, id_of(fixture, "N003", "N001", "LEADS_TO"),
                                      "{\"relationship_type\":\"PREREQUISITE_FOR\"}", &done));
    assert_int_equal(json_array_size(done.cycle), 2);
    assert_string_equal(json_get_string(json_array_get(done.cycle, 0), "title"), "One");
    json_decref(done.cycle);
}

static void test_relationship_delete(void **state)
{
    struct fixture *fixture = *state;
    int64_t dangling = id_of(fixture, "gone", "N001", "ODD"), other;
    struct relationship_state done = {0};
    json_auto_t *rows = NULL;
    char sid[SESSION_ID_SIZE];

    must(fixture, update_relationship(fixture, dangling, "{\"explanation\":\"kept\"}", &done));
    assert_string_equal(done.from_title, "");
    must(fixture, store_session_create(fixture->store, WHO, "Another", sid, &fixture->err));
    must_fail(fixture, ERROR_NOT_FOUND,
              store_relationship_delete(fixture->store, WHO, sid, dangling, NULL, &fixture->err));
    must(fixture, store_relationship_delete(fixture->store, WHO, fixture->sid, dangling, &done,
                                            &fixture->err));
    assert_string_equal(done.type, "ODD");
    assert_string_equal(done.to_title, "One");
    rows = last_rows(fixture);
    assert_rows(rows, "relationship delete");
    assert_non_null(strstr(cell(rows, 0, 4), "\"kept\""));
    must_fail(fixture, ERROR_NOT_FOUND,
              store_relationship_delete(fixture->store, WHO, fixture->sid, dangling, NULL,
                                        &fixture->err));
    must_fail(fixture, ERROR_NOT_FOUND,
              store_relationship_find(fixture->store, fixture->sid, "gone", "N001", "ODD", &other,
                                      &fixture->err));
    must_fail(fixture, ERROR_UNAUTHORIZED,
              store_relationship_find(fixture->store, "no", "gone", "N001", "ODD", &other,
                                      &fixture->err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        COURSE_TEST(test_bulk),
        COURSE_TEST(test_bulk_refusals),
        COURSE_TEST(test_relationship_update),
        COURSE_TEST(test_relationship_update_closes_a_cycle),
        COURSE_TEST(test_relationship_delete),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
