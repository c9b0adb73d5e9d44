/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store by its own functions: edits of what was imported, refusals that change nothing, the
 * change log, two writers at once, and what is there after kill -9.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "mcp/store/entities/component.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/entities/outline.h"
#include "mcp/store/entities/read.h"
#include "mcp/store/entities/relationship.h"
#include "mcp/store/entities/session.h"
#include "tests/unit/killed_writer.h"

static json_t *read_components(struct fixture *fixture, const char *node_id)
{
    struct buf text BUF_AUTO = {0};

    buf_init(&text, 0);
    must(fixture,
         store_read_components(fixture->store, fixture->sid, node_id, &text, &fixture->err));
    return parse(text.data);
}

static void insert(struct fixture *fixture, const char *node_id, long position, const char *text,
                   struct component_state *state)
{
    json_auto_t *component =
        json_pack("{s:s, s:{s:s}}", "type", "paragraph", "parameters", "text", text);

    must(fixture, store_component_insert(fixture->store, &test_writer, fixture->sid, node_id,
                                         position, component, state, &fixture->err));
}

static const char *text_at(const json_t *sequence, size_t index)
{
    const json_t *component = json_array_get(json_object_get(sequence, "components"), index);

    return json_get_string(json_object_get(component, "parameters"), "text");
}

/* ---- components of a clean session ---- */

static void test_insert_update_delete(void **state)
{
    struct fixture *fixture = *state;
    struct component_ref ref = {.node_id = "N001", .order = 2};
    struct component_state done;
    json_auto_t *changes =
        parse("{\"parameters\":{\"text\":\"two  \\n words\"},\"confidence\":0.1}");
    json_auto_t *sequence = NULL;

    insert(fixture, "N001", 0, "one", &done);
    assert_int_equal(done.order, 1);
    insert(fixture, "N001", 0, "three", &done);
    insert(fixture, "N001", 2, "two", &done);
    assert_int_equal(done.order, 2);
    assert_int_equal(done.total, 3);
    assert_int_equal(done.revision, 1);
    assert_string_equal(done.type, "paragraph");
    assert_string_equal(done.node_title, "First node");
    must(fixture, store_component_update(fixture->store, &test_writer, fixture->sid, &ref, changes,
                                         false, 1, &done, &fixture->err));
    assert_int_equal(done.revision, 2);
    assert_string_equal(done.summary, "two words");
    ref = (struct component_ref){.node_id = "N001", .component_id = done.component_id};
    must_fail(fixture, ERROR_STALE,
              store_component_update(fixture->store, &test_writer, fixture->sid, &ref, changes,
                                     false, 1, NULL, &fixture->err));
    assert_non_null(strstr(fixture->err.text, "revision 2, not 1"));
    assert_non_null(strstr(fixture->err.text, "\"text\":\"two  \\n words\""));
    ref = (struct component_ref){.node_id = "N001", .order = 1};
    must(fixture, store_component_delete(fixture->store, &test_writer, fixture->sid, &ref, 0, &done,
                                         &fixture->err));
    assert_string_equal(done.summary, "one");
    assert_int_equal(done.order, 1);
    assert_int_equal(done.total, 2);
    sequence = read_components(fixture, "N001");
    assert_string_equal(text_at(sequence, 0), "two  \n words");
    assert_string_equal(text_at(sequence, 1), "three");
}

static void test_merge_and_type(void **state)
{
    struct fixture *fixture = *state;
    struct component_ref ref = {.node_id = "N001", .order = 1};
    json_auto_t *component = parse(
        "{\"component_type\":\"callout-box\",\"parameters\":{\"text\":\"t\",\"style\":\"tip\"},"
        "\"content\":\"t\",\"note\":[1.0]}");
    json_auto_t *merge = parse("{\"parameters\":{\"text\":\"new\"}}");
    json_auto_t *type = parse("{\"type\":\"paragraph\",\"parameters\":{\"text\":\"p\"}}");
    json_auto_t *worse = parse("{\"parameters\":{\"style\":\"loud\"}}");
    json_auto_t *after = NULL, *last = NULL;
    const json_t *first;

    must(fixture, store_component_insert(fixture->store, &test_writer, fixture->sid, "N001", 0,
                                         component, NULL, &fixture->err));
    must(fixture, store_component_update(fixture->store, &test_writer, fixture->sid, &ref, merge,
                                         true, 0, NULL, &fixture->err));
    must_fail(fixture, ERROR_INVALID,
              store_component_update(fixture->store, &test_writer, fixture->sid, &ref, worse, true,
                                     0, NULL, &fixture->err));
    assert_string_equal(fixture->err.loc, "parameters.style");
    after = read_components(fixture, "N001");
    first = json_array_get(json_object_get(after, "components"), 0);
    assert_string_equal(json_get_string(first, "content"), "new");
    assert_string_equal(json_get_string(json_object_get(first, "parameters"), "style"), "tip");
    assert_true(json_is_real(json_array_get(json_object_get(first, "note"), 0)));
    assert_true(json_number_value(json_object_get(first, "confidence")) == 1.0);
    must(fixture, store_component_update(fixture->store, &test_writer, fixture->sid, &ref, type,
                                         false, 0, NULL, &fixture->err));
    last = read_components(fixture, "N001");
    first = json_array_get(json_object_get(last, "components"), 0);
    assert_string_equal(json_get_string(first, "type"), "paragraph");
    assert_string_equal(json_get_string(first, "component_type"), "paragraph");
    assert_null(json_object_get(json_object_get(first, "parameters"), "style"));
}

static void test_batch_is_all_or_nothing(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *before = export_json(fixture, fixture->sid), *after = NULL, *sequence = NULL;
    json_auto_t *bad = parse("[{\"type\":\"paragraph\",\"parameters\":{\"text\":\"ok\"}},"
                             "{\"type\":\"paragraph\",\"parameters\":{}},{\"type\":\"no\"},7]");
    json_auto_t *good = parse("[{\"type\":\"paragraph\",\"parameters\":{\"text\":\"a\"}},"
                              "{\"type\":\"paragraph\",\"parameters\":{\"text\":\"b\"}}]");
    json_auto_t *empty = json_array();
    struct component_state first;

    must_fail(fixture, ERROR_INVALID,
              store_components_append(fixture->store, &test_writer, fixture->sid, "N001", bad,
                                      &first, &fixture->err));
    assert_string_equal(fixture->err.loc, "components.1.parameters.text");
    assert_non_null(strstr(fixture->err.text, "components.2.type"));
    assert_non_null(strstr(fixture->err.text, "components.3"));
    must_fail(fixture, ERROR_INVALID,
              store_components_append(fixture->store, &test_writer, fixture->sid, "N001", empty,
                                      &first, &fixture->err));
    after = export_json(fixture, fixture->sid);
    assert_true(same_json(before, after));
    must(fixture, store_components_append(fixture->store, &test_writer, fixture->sid, "N001", good,
                                          &first, &fixture->err));
    assert_int_equal(first.order, 1);
    assert_int_equal(first.total, 2);
    sequence = read_components(fixture, "N001");
    assert_string_equal(text_at(sequence, 1), "b");
    for (size_t i = json_array_size(good); i <= BATCH_MAX; i++)
        json_array_append(good, json_array_get(good, 0));
    must_fail(fixture, ERROR_INVALID,
              store_components_append(fixture->store, &test_writer, fixture->sid, "N001", good,
                                      &first, &fixture->err));
}

static void test_replace_keeps_ids(void **state)
{
    struct fixture *fixture = *state;
    struct component_state one, two;
    json_auto_t *body = NULL, *twice = NULL, *after = NULL;
    const json_t *list;

    insert(fixture, "N001", 0, "one", &one);
    insert(fixture, "N001", 0, "two", &two);
    insert(fixture, "N001", 0, "gone", NULL);
    body =
        json_pack("{s:[{s:s, s:i, s:s, s:{s:s}}, {s:s, s:i, s:s, s:{s:s}, s:f}, {s:s, s:{s:s}}]}",
                  "components", "component_id", one.component_id, "order", 2, "type", "paragraph",
                  "parameters", "text", "one, changed", "component_id", two.component_id, "order",
                  1, "type", "paragraph", "parameters", "text", "two", "confidence", 1.0, "type",
                  "heading", "parameters", "text", "new");
    assert_non_null(body);
    must(fixture, store_components_replace(fixture->store, &test_writer, fixture->sid, "N001", body,
                                           &fixture->err));
    after = read_components(fixture, "N001");
    list = json_object_get(after, "components");
    assert_int_equal(json_array_size(list), 3);
    assert_string_equal(json_get_string(json_array_get(list, 0), "component_id"), two.component_id);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 0), "revision")), 1);
    assert_string_equal(json_get_string(json_array_get(list, 1), "component_id"), one.component_id);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 1), "revision")), 2);
    assert_string_equal(text_at(after, 2), "new");
    twice =
        json_pack("{s:[{s:s, s:s, s:{s:s}}, {s:s, s:s, s:{s:s}}]}", "components", "component_id",
                  one.component_id, "type", "heading", "parameters", "text", "a", "component_id",
                  one.component_id, "type", "heading", "parameters", "text", "b");
    must_fail(fixture, ERROR_INVALID,
              store_components_replace(fixture->store, &test_writer, fixture->sid, "N001", twice,
                                       &fixture->err));
    assert_string_equal(fixture->err.loc, "components.1.component_id");
}

/* ---- editing what breaks the rules ---- */

static void test_shared_orders_ask_for_an_id(void **state)
{
    struct fixture *fixture = *state;
    struct component_ref ref = {.node_id = "T1", .order = 2};
    json_auto_t *before = export_json(fixture, fixture->sid), *after = NULL;
    json_auto_t *sequence = read_components(fixture, "T1");
    json_auto_t *changes = parse("{\"parameters\":{\"text\":\"changed\"}}");
    const char *id = NULL;
    const json_t *component;
    json_t *wanted;
    size_t i;

    must_fail(fixture, ERROR_CONFLICT,
              store_component_update(fixture->store, &test_writer, fixture->sid, &ref, changes,
                                     false, 0, NULL, &fixture->err));
    json_array_foreach(json_object_get(sequence, "components"), i, component)
    {
        if (json_integer_value(json_object_get(component, "order")) != 2)
            continue;
        id = json_get_string(component, "component_id");
        assert_non_null(strstr(fixture->err.text, id));
    }
    assert_non_null(id);
    ref = (struct component_ref){.node_id = "T1", .component_id = id};
    must(fixture, store_component_update(fixture->store, &test_writer, fixture->sid, &ref, changes,
                                         false, 0, NULL, &fixture->err));
    /* Exactly this changed: the text, what repeats it, and the time that the file had. */
    wanted = json_array_get(json_object_get(before, "nodes"), 0);
    component = json_array_get(json_object_get(wanted, "components"), 2);
    json_object_set_new(json_object_get(component, "parameters"), "text", json_string("changed"));
    json_object_set_new((json_t *)component, "content", json_string("changed"));
    after = export_json(fixture, fixture->sid);
    assert_string_not_equal(
        json_get_string(json_array_get(json_object_get(after, "nodes"), 0), "last_modified"),
        json_get_string(wanted, "last_modified"));
    json_object_set(
        wanted, "last_modified",
        json_object_get(json_array_get(json_object_get(after, "nodes"), 0), "last_modified"));
    assert_true(same_json(before, after));
}

static void test_insert_makes_orders_dense(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *sequence = NULL, *exported = NULL;
    const json_t *component, *list;
    struct component_state done;
    size_t i, nulls = 0, numbers = 0;

    insert(fixture, "T1", 2, "put in", &done);
    assert_int_equal(done.order, 2);
    assert_int_equal(done.total, 9);
    sequence = read_components(fixture, "T1");
    assert_int_equal(json_array_size(json_object_get(sequence, "components")), 9);
    json_array_foreach(json_object_get(sequence, "components"), i, component)
    {
        assert_int_equal(json_integer_value(json_object_get(component, "order")), i + 1);
        assert_int_equal(json_integer_value(json_object_get(component, "order_index")), i + 1);
    }
    assert_string_equal(text_at(sequence, 1), "put in");
    assert_string_equal(text_at(sequence, 2), "same");
    assert_string_equal(text_at(sequence, 3), "twin");
    assert_string_equal(text_at(sequence, 4), "between");
    /* What is no object is still in the file, and hidden keys are what they were. */
    exported = export_json(fixture, fixture->sid);
    list = json_object_get(json_array_get(json_object_get(exported, "nodes"), 0), "components");
    assert_int_equal(json_array_size(list), 11);
    json_array_foreach((json_t *)list, i, component)
    {
        const char *theirs = json_get_string(component, "component_id");

        nulls += json_is_null(component);
        numbers += json_is_integer(component);
        assert_true(!theirs || !strcmp(theirs, "theirs"));
    }
    assert_int_equal(nulls, 1);
    assert_int_equal(numbers, 1);
}

static void test_views_of_defects(void **state)
{
    struct fixture *fixture = *state;
    struct buf nodes BUF_AUTO = {0}, edges BUF_AUTO = {0};
    json_auto_t *node_list = NULL, *edge_list = NULL, *sequence = read_components(fixture, "T1");
    const json_t *node, *edge, *component;
    size_t i;

    buf_init(&nodes, 0);
    buf_init(&edges, 0);
    must(fixture, store_read_nodes(fixture->store, fixture->sid, &nodes, &fixture->err));
    must(fixture, store_read_relationships(fixture->store, fixture->sid, &edges, &fixture->err));
    node_list = parse(nodes.data);
    edge_list = parse(edges.data);
    assert_int_equal(json_integer_value(json_object_get(node_list, "total")), 7);
    json_array_foreach(json_object_get(node_list, "nodes"), i, node)
    {
        static const char *const keys[] = {"node_id",      "title",      "content_category",
                                           "raw_content",  "chapter_id", "created_at",
                                           "last_modified"};

        assert_string_equal(json_get_string(node, "session_id"), fixture->sid);
        for (size_t k = 0; k < 7; k++)
            assert_non_null(json_object_get(node, keys[k]));
    }
    assert_string_equal(
        json_get_string(json_array_get(json_object_get(node_list, "nodes"), 0), "created_at"),
        "2020-01-01 00:00:00");
    assert_int_equal(json_integer_value(json_object_get(edge_list, "total")), 6);
    json_array_foreach(json_object_get(edge_list, "relationships"), i, edge)
    {
        assert_true(json_is_integer(json_object_get(edge, "id")));
        assert_string_equal(json_get_string(edge, "session_id"), fixture->sid);
        assert_non_null(json_object_get(edge, "explanation"));
        assert_non_null(json_object_get(edge, "to_node_id"));
    }
    json_array_foreach(json_object_get(sequence, "components"), i, component)
    {
        assert_int_equal(strlen(json_get_string(component, "component_id")), 36);
        assert_int_equal(json_integer_value(json_object_get(component, "revision")), 1);
        assert_true(json_equal(json_object_get(component, "type"),
                               json_object_get(component, "component_type")));
        assert_non_null(json_object_get(component, "order"));
        assert_non_null(json_object_get(component, "order_index"));
        assert_non_null(json_object_get(component, "confidence"));
        assert_non_null(json_object_get(component, "parameters"));
    }
}

static void test_delete_node_with_a_twin(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *after = NULL, *last = NULL;

    must(fixture,
         store_node_delete(fixture->store, &test_writer, fixture->sid, "T1", &fixture->err));
    after = export_json(fixture, fixture->sid);
    assert_int_equal(json_array_size(json_object_get(after, "nodes")), 8);
    assert_int_equal(json_array_size(json_object_get(after, "relationships")), 7);
    must(fixture,
         store_node_delete(fixture->store, &test_writer, fixture->sid, "T1", &fixture->err));
    last = export_json(fixture, fixture->sid);
    assert_int_equal(json_array_size(json_object_get(last, "relationships")), 4);
    must_fail(fixture, ERROR_NOT_FOUND,
              store_node_delete(fixture->store, &test_writer, fixture->sid, "T1", &fixture->err));
}

static void test_component_into_a_node_without_a_list(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *exported = NULL;
    const json_t *node;

    insert(fixture, "T2", 0, "first", NULL);
    exported = export_json(fixture, fixture->sid);
    node = json_array_get(json_object_get(exported, "nodes"), 3);
    assert_string_equal(json_get_string(node, "node_id"), "T2");
    assert_int_equal(json_array_size(json_object_get(node, "components")), 1);
    assert_int_equal(json_object_size(node), 2);
}

static void test_relationship_where_the_file_had_no_list(void **state)
{
    const char *file =
        "{\"nodes\":[{\"node_id\":\"A\"},{\"node_id\":\"B\"}],\"relationships\":null,\"x\":1}";
    json_auto_t *edge = parse("{\"from_node_id\":\"A\",\"to_node_id\":\"B\"}");
    struct fixture *fixture = *state;
    json_auto_t *exported = NULL;

    import_text(fixture, file, strlen(file));
    must(fixture, store_relationship_create(fixture->store, &test_writer, fixture->sid, edge, NULL,
                                            &fixture->err));
    exported = export_json(fixture, fixture->sid);
    assert_int_equal(json_array_size(json_object_get(exported, "relationships")), 1);
    assert_int_equal(json_object_size(exported), 3);
}

/* ---- refusals ---- */

static void test_refused_writes_change_nothing(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *before = NULL, *after = NULL;
    json_auto_t *object = json_object(), *number = json_integer(3);
    json_auto_t *edge = parse("{\"from_node_id\":\"N001\",\"to_node_id\":\"N002\"}");
    json_auto_t *lost = parse("{\"from_node_id\":\"N001\",\"to_node_id\":\"N009\"}");
    json_auto_t *twin = parse("{\"node_id\":\"N001\",\"title\":\"t\"}");
    json_auto_t *some = parse("[{\"type\":\"paragraph\",\"parameters\":{\"text\":\"x\"}},{}]");
    struct component_ref none = {.node_id = "N001", .order = 5};
    struct component_ref lost_id = {.node_id = "N001", .component_id = "no-such-id"};
    struct store *s = fixture->store;
    const char *sid = fixture->sid;
    struct error *err = &fixture->err;
    int64_t version, version_after;

    insert(fixture, "N001", 0, "kept", NULL);
    must(fixture, store_relationship_create(s, &test_writer, sid, edge, NULL, err));
    must(fixture, store_session(s, sid, NULL, 0, &version, err));
    before = export_json(fixture, sid);
    must_fail(fixture, ERROR_INVALID, store_node_create(s, &test_writer, sid, object, NULL, err));
    must_fail(fixture, ERROR_INVALID, store_node_create(s, &test_writer, sid, number, NULL, err));
    must_fail(fixture, ERROR_CONFLICT, store_node_create(s, &test_writer, sid, twin, NULL, err));
    must_fail(fixture, ERROR_NOT_FOUND, store_node_delete(s, &test_writer, sid, "N01", err));
    assert_non_null(strstr(err->text, "did you mean N001 'First node'?"));
    must_fail(fixture, ERROR_UNAUTHORIZED, store_node_delete(s, &test_writer, "x", "N001", err));
    must_fail(fixture, ERROR_INVALID, store_node_texts(s, &test_writer, sid, "N001", object, err));
    must_fail(fixture, ERROR_CONFLICT,
              store_relationship_create(s, &test_writer, sid, edge, NULL, err));
    must_fail(fixture, ERROR_NOT_FOUND,
              store_relationship_create(s, &test_writer, sid, lost, NULL, err));
    must_fail(fixture, ERROR_INVALID,
              store_relationship_create(s, &test_writer, sid, object, NULL, err));
    must_fail(fixture, ERROR_INVALID,
              store_component_insert(s, &test_writer, sid, "N001", 0, object, NULL, err));
    must_fail(fixture, ERROR_INVALID,
              store_component_insert(s, &test_writer, sid, "N001", 3, json_array_get(some, 0), NULL,
                                     err));
    must_fail(fixture, ERROR_INVALID,
              store_components_append(s, &test_writer, sid, "N001", some, NULL, err));
    must_fail(fixture, ERROR_INVALID,
              store_components_replace(s, &test_writer, sid, "N001", some, err));
    must_fail(fixture, ERROR_INVALID,
              store_components_replace(s, &test_writer, sid, "N001", object, err));
    must_fail(fixture, ERROR_NOT_FOUND,
              store_component_update(s, &test_writer, sid, &none, object, true, 0, NULL, err));
    must_fail(fixture, ERROR_NOT_FOUND,
              store_component_delete(s, &test_writer, sid, &lost_id, 0, NULL, err));
    after = export_json(fixture, sid);
    assert_true(same_json(before, after));
    must(fixture, store_session(s, sid, NULL, 0, &version_after, err));
    assert_int_equal(version, version_after);
}

static void test_nearest_by_title(void **state)
{
    struct fixture *fixture = *state;
    char title[64];

    must_fail(fixture, ERROR_NOT_FOUND,
              store_node_title(fixture->store, fixture->sid, "Secnd node", title, sizeof title,
                               &fixture->err));
    assert_non_null(strstr(fixture->err.text, "did you mean N002 'Second node'?"));
    must(fixture, store_node_title(fixture->store, fixture->sid, "N002", title, sizeof title,
                                   &fixture->err));
    assert_string_equal(title, "Second node");
}

static void test_only_session(void **state)
{
    struct fixture *fixture = *state;
    char sid[SESSION_ID_SIZE], other[SESSION_ID_SIZE];

    must(fixture, store_only_session(fixture->store, sid, &fixture->err));
    assert_string_equal(sid, fixture->sid);
    must(fixture, store_session_create(fixture->store, &test_writer, NULL, other, &fixture->err));
    must_fail(fixture, ERROR_INVALID, store_only_session(fixture->store, sid, &fixture->err));
    assert_non_null(strstr(fixture->err.text, "'A course'"));
    assert_non_null(strstr(fixture->err.text, other));
    must_fail(fixture, ERROR_CONFLICT,
              store_session_of_node(fixture->store, "N001", sid, &fixture->err));
}

static void test_session_by_name(void **state)
{
    struct fixture *fixture = *state;
    char sid[SESSION_ID_SIZE], other[SESSION_ID_SIZE], twin[SESSION_ID_SIZE];

    must(fixture,
         store_session_create(fixture->store, &test_writer, "Levers", other, &fixture->err));
    must(fixture, store_session_named(fixture->store, fixture->sid, "also", sid, &fixture->err));
    assert_string_equal(sid, fixture->sid);
    must(fixture, store_session_named(fixture->store, " levers", "also", sid, &fixture->err));
    assert_string_equal(sid, other);
    must_fail(fixture, ERROR_NOT_FOUND,
              store_session_named(fixture->store, "Levels", "also", sid, &fixture->err));
    assert_non_null(strstr(fixture->err.text, "also: there is no curriculum 'Levels'; did you "
                                              "mean 'Levers' ("));
    must_fail(fixture, ERROR_NOT_FOUND,
              store_session_named(fixture->store, "", "also", sid, &fixture->err));
    must_fail(fixture, ERROR_UNAUTHORIZED,
              store_session_named(fixture->store, "00000000-0000-4000-8000-000000000000", "also",
                                  sid, &fixture->err));
    must(fixture,
         store_session_create(fixture->store, &test_writer, "Levers", twin, &fixture->err));
    must_fail(fixture, ERROR_CONFLICT,
              store_session_named(fixture->store, "Levers", "also", sid, &fixture->err));
    assert_non_null(strstr(fixture->err.text, other));
    assert_non_null(strstr(fixture->err.text, twin));
}

static void test_prerequisite_cycle_is_told(void **state)
{
    static const char *const edges[] = {
        "{\"from_node_id\":\"N001\",\"to_node_id\":\"N002\",\"relationship_type\":"
        "\"PREREQUISITE\"}",
        "{\"from_node_id\":\"N002\",\"to_node_id\":\"N003\",\"relationship_type\":\"PREREQUISITE_"
        "FOR\"}",
        "{\"from_node_id\":\"N003\",\"to_node_id\":\"N001\",\"relationship_type\":\"LEADS_TO\"}",
        "{\"from_node_id\":\"N003\",\"to_node_id\":\"N001\",\"relationship_type\":"
        "\"PREREQUISITE\"}",
    };
    json_auto_t *node = parse("{\"node_id\":\"N003\",\"title\":\"Third\"}");
    struct fixture *fixture = *state;

    must(fixture,
         store_node_create(fixture->store, &test_writer, fixture->sid, node, NULL, &fixture->err));
    for (size_t i = 0; i < 4; i++) {
        json_auto_t *edge = parse(edges[i]);
        struct relationship_state made = {0};

        must(fixture, store_relationship_create(fixture->store, &test_writer, fixture->sid, edge,
                                                &made, &fixture->err));
        assert_int_equal(json_array_size(made.cycle), i == 3 ? 3 : 0);
        if (i == 3) {
            assert_string_equal(json_get_string(json_array_get(made.cycle, 0), "node_id"), "N001");
            assert_string_equal(json_get_string(json_array_get(made.cycle, 2), "title"), "Third");
            assert_string_equal(made.from_title, "Third");
        }
        json_decref(made.cycle);
    }
}

/* ---- outline, change log, the file itself ---- */

static void test_outline(void **state)
{
    struct fixture *fixture = *state;
    struct outline outline;
    int64_t version;

    must(fixture, store_read_outline(fixture->store, fixture->sid, &outline, &fixture->err));
    must(fixture, store_session(fixture->store, fixture->sid, NULL, 0, &version, &fixture->err));
    assert_int_equal(outline.version, version);
    assert_int_equal(outline.node_count, 4);
    assert_string_equal(outline.nodes[0].id, "T1");
    assert_string_equal(outline.nodes[0].group, "1");
    assert_int_equal(outline.nodes[0].components, 8);
    assert_string_equal(outline.nodes[2].title, "");
    assert_null(outline.nodes[2].group);
    assert_int_equal(outline.edge_count, 6);
    assert_string_equal(outline.edges[2].to, "nowhere");
    assert_string_equal(outline.edges[3].type, "SEE_ALSO");
    assert_string_equal(outline.edges[5].from, "");
    outline_finish(&outline);
    outline_finish(&outline);
    must_fail(fixture, ERROR_UNAUTHORIZED,
              store_read_outline(fixture->store, "x", &outline, &fixture->err));
    outline_finish(&outline);
}

static void test_second_connection_reads_and_refuses_writes(void **state)
{
    struct fixture *fixture = *state;
    struct store *reader = store_open(fixture->url, STORE_READ, &fixture->err);
    json_auto_t *texts = parse("{\"explanation\":\"x\"}");
    struct buf json BUF_AUTO = {0};

    buf_init(&json, 0);
    assert_non_null(reader);
    insert(fixture, "N001", 0, "seen", NULL);
    must(fixture, store_read_components(reader, fixture->sid, "N001", &json, &fixture->err));
    assert_non_null(strstr(json.data, "seen"));
    must_fail(fixture, ERROR_INTERNAL,
              store_node_texts(reader, &test_writer, fixture->sid, "N001", texts, &fixture->err));
    store_close(reader);
}

static void test_opening(void **state)
{
    struct fixture *fixture = *state;
    char url[512], path[256];
    FILE *file;

    snprintf(url, sizeof url, "sqlite:%s/none.db", fixture->folder);
    assert_null(store_open(url, STORE_READ, &fixture->err));
    assert_non_null(strstr(fixture->err.text, "there is no store at"));
    assert_null(store_open("oracle:x", STORE_WRITE, &fixture->err));
    assert_non_null(strstr(fixture->err.text, "sqlite:PATH"));
    assert_null(store_open("sqlite:", STORE_WRITE, &fixture->err));
    snprintf(path, sizeof path, "%s/text.db", fixture->folder);
    file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 200; i++)
        fputs("this is no database at all\n", file);
    fclose(file);
    snprintf(url, sizeof url, "sqlite:%s", path);
    assert_null(store_open(url, STORE_WRITE, &fixture->err));
    assert_int_equal(fixture->err.kind, ERROR_IO);
    snprintf(url, sizeof url, "sqlite:%s/folder", fixture->folder);
    snprintf(path, sizeof path, "%s/folder", fixture->folder);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_null(store_open(url, STORE_WRITE, &fixture->err));
    store_close(NULL);
}

/* ---- a full disk, two at once, and the plug pulled ---- */

#define SMALL_DISK ((rlim_t)256 << 10) /* bytes a file may have */

static mode_t mode_of(const char *path)
{
    struct stat found;

    if (stat(path, &found) != 0)
        fail_msg("%s: %s", path, strerror(errno));
    return found.st_mode & 07777;
}

static void test_new_files_are_their_owners_alone(void **state)
{
    static const char *const companions[] = {"", "-wal", "-shm"};
    struct fixture *fixture = *state;
    char path[2 * PATH_MAX], url[PATH_MAX];
    mode_t mask = umask(022);
    struct store *store;

    assert_int_equal(chmod(fixture->folder, 0755), 0);
    snprintf(url, sizeof url, "sqlite:%s/open.db", fixture->folder);
    store = store_open(url, STORE_WRITE, &fixture->err);
    assert_non_null(store);
    for (size_t i = 0; i < sizeof companions / sizeof companions[0]; i++) {
        snprintf(path, sizeof path, "%s%s", url + strlen("sqlite:"), companions[i]);
        assert_int_equal(mode_of(path), 0600);
    }
    snprintf(path, sizeof path, "%s/backup.db", fixture->folder);
    must(fixture, store_backup(store, path, NULL, NULL, &fixture->err));
    assert_int_equal(mode_of(path), 0600);
    store_close(store);
    /* One that is there keeps what it has. */
    assert_int_equal(chmod(path, 0640), 0);
    snprintf(url, sizeof url, "sqlite:%s/backup.db", fixture->folder);
    store = store_open(url, STORE_WRITE, &fixture->err);
    assert_non_null(store);
    store_close(store);
    assert_int_equal(mode_of(path), 0640);
    umask(mask);
}

static void test_full_disk_changes_nothing(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *before = export_json(fixture, fixture->sid), *after = NULL, *last = NULL;
    char *text = malloc(SMALL_DISK * 3);
    json_auto_t *large = NULL;
    struct rlimit all, small;
    int rc;

    assert_non_null(text);
    memset(text, 'a', SMALL_DISK * 3);
    large = json_pack("{s:s, s:{s:s#}}", "type", "paragraph", "parameters", "text", text,
                      (int)(SMALL_DISK * 3));
    free(text);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &all), 0);
    small = (struct rlimit){SMALL_DISK, all.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    fixture->err = (struct error){0};
    rc = store_component_insert(fixture->store, &test_writer, fixture->sid, "N001", 0, large, NULL,
                                &fixture->err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
    assert_int_equal(rc, -1);
    assert_int_equal(fixture->err.kind, ERROR_IO);
    after = export_json(fixture, fixture->sid);
    assert_true(same_json(before, after));
    /* With room again the same connection goes on. */
    must(fixture, store_component_insert(fixture->store, &test_writer, fixture->sid, "N001", 0,
                                         large, NULL, &fixture->err));
    last = export_json(fixture, fixture->sid);
    assert_false(same_json(before, last));
}

#define WRITES_EACH 40

struct crew {
    const char *url;
    const char *sid;
    int number;
    int failures;
    struct error err;
};

static void *write_many(void *arg)
{
    struct crew *crew = arg;
    struct store *store = store_open(crew->url, STORE_WRITE, &crew->err);

    for (int i = 0; store && i < WRITES_EACH; i++) {
        json_auto_t *component = NULL;
        char text[32];

        snprintf(text, sizeof text, "writer %d text %d", crew->number, i);
        component = json_pack("{s:s, s:{s:s}}", "type", "paragraph", "parameters", "text", text);
        if (store_component_insert(store, &test_writer, crew->sid, "N001", i % 2, component, NULL,
                                   &crew->err) != 0)
            crew->failures++;
    }
    crew->failures += !store;
    store_close(store);
    return NULL;
}

static void test_two_writers_lose_nothing(void **state)
{
    struct fixture *fixture = *state;
    struct crew crews[2];
    pthread_t threads[2];
    json_auto_t *sequence = NULL;
    const json_t *component;
    bool seen[2][WRITES_EACH] = {{false}};
    size_t i;

    for (int n = 0; n < 2; n++) {
        crews[n] = (struct crew){.url = fixture->url, .sid = fixture->sid, .number = n};
        assert_int_equal(pthread_create(&threads[n], NULL, write_many, &crews[n]), 0);
    }
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], NULL);
    for (int n = 0; n < 2; n++)
        if (crews[n].failures)
            fail_msg("%d failures: %s", crews[n].failures, crews[n].err.text);
    sequence = read_components(fixture, "N001");
    json_array_foreach(json_object_get(sequence, "components"), i, component)
    {
        int n = -1, k = -1;

        assert_int_equal(json_integer_value(json_object_get(component, "order")), i + 1);
        assert_int_equal(sscanf(text_at(sequence, i), "writer %d text %d", &n, &k),
                         2); /* NOLINT(cert-err34-c) */
        assert_false(seen[n][k]);
        seen[n][k] = true;
    }
    assert_int_equal(i, 2 * WRITES_EACH);
}

static void *open_only(void *arg)
{
    struct crew *crew = arg;
    struct store *store = store_open(crew->url, STORE_WRITE, &crew->err);

    crew->failures = !store;
    store_close(store);
    return NULL;
}

static void test_first_opening_by_many(void **state)
{
    struct fixture *fixture = *state;
    struct crew crews[4];
    pthread_t threads[4];
    char url[512];

    for (int round = 0; round < 5; round++) {
        snprintf(url, sizeof url, "sqlite:%s/new/%d/store.db", fixture->folder, round);
        for (int n = 0; n < 4; n++) {
            crews[n] = (struct crew){.url = url};
            assert_int_equal(pthread_create(&threads[n], NULL, open_only, &crews[n]), 0);
        }
        for (int n = 0; n < 4; n++)
            pthread_join(threads[n], NULL);
        for (int n = 0; n < 4; n++)
            if (crews[n].failures)
                fail_msg("%s", crews[n].err.text);
    }
}

static void insert_until_killed(struct store *store, const char *sid, int out)
{
    for (int i = 0; i < 100000; i++) {
        json_auto_t *component =
            json_pack("{s:s, s:{s:s}}", "type", "paragraph", "parameters", "text", "x");
        struct component_state done;

        if (store_component_insert(store, &test_writer, sid, "N001", 1, component, &done, NULL) !=
                0 ||
            write(out, done.component_id, SESSION_ID_SIZE) != SESSION_ID_SIZE)
            break;
    }
}

static void test_acknowledged_writes_survive_kill(void **state)
{
    struct fixture *fixture = *state;

    for (int round = 0; round < 3; round++) {
        char ids[64][SESSION_ID_SIZE];
        json_auto_t *sequence = NULL;
        struct buf json BUF_AUTO = {0};
        size_t got = kill_writer(fixture, insert_until_killed, 5 + 9 * (size_t)round, 64, ids,
                                 SESSION_ID_SIZE);

        /* A reader that comes first must cope with the log that was left behind. */
        fixture_open_store(fixture, round == 1 ? STORE_READ : STORE_WRITE);
        buf_init(&json, 0);
        must(fixture,
             store_read_components(fixture->store, fixture->sid, "N001", &json, &fixture->err));
        for (size_t i = 0; i < got; i++)
            assert_non_null(strstr(json.data, ids[i]));
        sequence = parse(json.data);
        for (size_t i = 0; i < json_array_size(json_object_get(sequence, "components")); i++)
            assert_int_equal(
                json_integer_value(json_object_get(
                    json_array_get(json_object_get(sequence, "components"), i), "order")),
                i + 1);
    }
}

int main(void)
{
#define CLEAN(fn)     cmocka_unit_test_setup_teardown(fn, fixture_open_session, fixture_close)
#define DEFECTIVE(fn) cmocka_unit_test_setup_teardown(fn, fixture_open_defects, fixture_close)
    const struct CMUnitTest tests[] = {
        CLEAN(test_insert_update_delete),
        CLEAN(test_merge_and_type),
        CLEAN(test_batch_is_all_or_nothing),
        CLEAN(test_replace_keeps_ids),
        DEFECTIVE(test_shared_orders_ask_for_an_id),
        DEFECTIVE(test_insert_makes_orders_dense),
        DEFECTIVE(test_views_of_defects),
        DEFECTIVE(test_delete_node_with_a_twin),
        DEFECTIVE(test_component_into_a_node_without_a_list),
        CLEAN(test_relationship_where_the_file_had_no_list),
        CLEAN(test_refused_writes_change_nothing),
        CLEAN(test_nearest_by_title),
        CLEAN(test_only_session),
        CLEAN(test_session_by_name),
        CLEAN(test_prerequisite_cycle_is_told),
        DEFECTIVE(test_outline),
        CLEAN(test_second_connection_reads_and_refuses_writes),
        CLEAN(test_opening),
        CLEAN(test_new_files_are_their_owners_alone),
        CLEAN(test_full_disk_changes_nothing),
        CLEAN(test_two_writers_lose_nothing),
        CLEAN(test_first_opening_by_many),
        CLEAN(test_acknowledged_writes_survive_kill),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
