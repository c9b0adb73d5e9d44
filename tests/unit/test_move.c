/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Operations that move between nodes: where things are afterwards, that ids and history stay, what
 * history says, that each is undone in one step, and what is refused.
 */
#include "mcp/store/entities/read.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/history/history.h"
#include "tests/unit/change_set_fixture.h"

/* The components of a node, in one line of their texts; their places must be dense. */
static void expect_texts(struct fixture *fixture, const char *node_id, const char *wanted)
{
    struct buf BUF_AUTO text = {0}, said BUF_AUTO = {0};
    json_auto_t *all = NULL;
    json_t *component;
    size_t i;

    must(fixture,
         store_read_components(fixture->store, fixture->sid, node_id, &text, &fixture->err));
    all = parse(text.data);
    json_array_foreach(json_object_get(all, "components"), i, component)
    {
        assert_int_equal(json_integer_value(json_object_get(component, "order")), i + 1);
        buf_addf(&said, "%s%s", i > 0 ? " " : "",
                 json_get_string(json_object_get(component, "parameters"), "text"));
    }
    buf_add(&said, "", 0);
    assert_string_equal(said.data, wanted);
}

static json_t *component_at(struct fixture *fixture, const char *node_id, size_t index)
{
    struct buf BUF_AUTO text = {0};
    json_auto_t *all = NULL;

    must(fixture,
         store_read_components(fixture->store, fixture->sid, node_id, &text, &fixture->err));
    all = parse(text.data);
    return json_incref(json_array_get(json_object_get(all, "components"), index));
}

/* The words and the entries of the newest change set. */
static json_t *newest(struct fixture *fixture)
{
    const struct history_page page = {.limit = 1};
    struct buf BUF_AUTO text = {0};
    json_auto_t *history = NULL;

    must(fixture, store_read_history(fixture->store, fixture->sid, &page, &text, &fixture->err));
    history = parse(text.data);
    return json_incref(json_array_get(json_object_get(history, "changes"), 0));
}

static void undo(struct fixture *fixture)
{
    struct undo_state undone;

    must(fixture,
         store_undo(fixture->store, &test_writer, fixture->sid, NULL, &undone, &fixture->err));
}

/* The time of the last write goes forward. */
static json_t *content(struct fixture *fixture)
{
    json_t *all = export_json(fixture, fixture->sid), *node;
    size_t i;

    json_array_foreach(json_object_get(all, "nodes"), i, node)
    {
        json_object_del(node, "last_modified");
    }
    return all;
}

/* The operations, and that one undo leaves what was there before them, and restore what they did.
 */
static void do_and_return(struct fixture *fixture, const char *text)
{
    json_auto_t *before = content(fixture), *done = NULL, *after = NULL;
    json_auto_t *again = NULL;
    struct undo_state state;
    int64_t version;

    do_it(fixture, text);
    done = content(fixture);
    assert_false(same_json(before, done));
    must(fixture, store_session(fixture->store, fixture->sid, NULL, 0, &version, &fixture->err));
    undo(fixture);
    after = content(fixture);
    if (!same_json(before, after))
        fail_msg("%s is not undone: %s", text, json_dumps(after, 0));
    must(fixture,
         store_restore(fixture->store, &test_writer, fixture->sid, version, &state, &fixture->err));
    again = content(fixture);
    if (!same_json(done, again))
        fail_msg("%s is not restored: %s", text, json_dumps(again, 0));
}

static void components_go_to_their_place(void **state)
{
    struct fixture *fixture = *state;

    do_and_return(fixture, "[{'op':'move_components','node_id':'A','components':[2],"
                           "'into_node_id':'B','position':1}]");
    expect_texts(fixture, "A", "one");
    expect_texts(fixture, "B", "two three");
    /* The order of the list is that in the other node; a title names it. */
    do_and_return(fixture, "[{'op':'move_components','node_id':'beta','components':['2',1],"
                           "'into_node_id':'Alpha'}]");
    expect_texts(fixture, "A", "one three two");
    expect_texts(fixture, "B", "");
}

static void a_range_names_several(void **state)
{
    struct fixture *fixture = *state;

    do_it(fixture, "[{'op':'create_node','node_id':'L','title':'Long'}]");
    do_it(fixture, "[{'op':'split_node','node_id':'A','new_node_id':'M','title':'M',"
                   "'components':'1'}]");
    expect_texts(fixture, "M", "one");
    for (int i = 1; i <= 9; i++) {
        char text[256];

        snprintf(text, sizeof text,
                 "[{'op':'create_component','node_id':'L','component_type':'heading',"
                 "'parameters':{'text':'%d'}}]",
                 i);
        do_it(fixture, text);
    }
    do_and_return(fixture, "[{'op':'move_components','node_id':'L','components':['7-9, 1',3],"
                           "'into_node_id':'C'}]");
    expect_texts(fixture, "C", "7 8 9 1 3");
    expect_texts(fixture, "L", "2 4 5 6");
    do_and_return(fixture, "[{'op':'move_components','node_id':'L','components':'3 - 4,1',"
                           "'into_node_id':'M'}]");
    expect_texts(fixture, "M", "one 5 6 2");
    do_and_return(fixture,
                  "[{'op':'move_components','node_id':'L','components':1,'into_node_id':'M'}]");
    expect_texts(fixture, "M", "one 5 6 2 4");
}

/* One with a line on the order, as its message has it. */
static void expect_merge(struct fixture *fixture, const char *from, const char *into,
                         const char *wanted, const char *says)
{
    char text[128];

    snprintf(text, sizeof text, "[{'op':'merge_nodes','node_id':'%s','into_node_id':'%s'}]", from,
             into);
    if (says)
        expect_line(fixture, text, says);
    do_and_return(fixture, text);
    expect_texts(fixture, into, wanted);
    undo(fixture);
}

static void a_merge_keeps_what_is_needed_first(void **state)
{
    struct fixture *fixture = *state;

    do_it(fixture, "[{'op':'create_component','node_id':'C','component_type':'heading',"
                   "'parameters':{'text':'four'}}]");
    expect_merge(fixture, "A", "B", "one two three",
                 "its components are first, because A comes before B");
    expect_merge(fixture, "B", "A", "one two three", NULL);
    /* Along the chain A, B, C; an edge against it that is no prerequisite does not count. */
    do_it(fixture, "[{'op':'create_relationship','from':'C','to':'A','type':'LEADS_TO'}]");
    expect_merge(fixture, "A", "C", "one two four", "because A comes before C");
    expect_merge(fixture, "C", "A", "one two four", NULL);
    /* Without prerequisites LEADS_TO counts; where each leads to the other, neither is first. */
    do_it(fixture, "[{'op':'delete_relationship','from':'A','to':'B','type':'PREREQUISITE'},"
                   "{'op':'delete_relationship','from':'B','to':'C','type':'PREREQUISITE'}]");
    expect_merge(fixture, "A", "C", "four one two", NULL);
    do_it(fixture, "[{'op':'delete_relationship','from':'C','to':'A','type':'LEADS_TO'}]");
    expect_merge(fixture, "A", "C", "one two four", "because A comes before C");
    expect_merge(fixture, "A", "B", "three one two", NULL);
}

static void ids_revisions_and_history_stay(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *before = NULL, *after = NULL, *change = NULL, *back = NULL;
    const char *id;
    char text[256];

    do_it(fixture, "[{'op':'edit_component','node_id':'A','component_order':2,"
                   "'new_parameters':{'text':'zwei'}}]");
    before = component_at(fixture, "A", 1);
    id = json_get_string(before, "component_id");
    snprintf(text, sizeof text,
             "[{'op':'move_components','node_id':'A','components':['%s'],'into_node_id':'C'}]", id);
    do_it(fixture, text);
    after = component_at(fixture, "C", 0);
    assert_string_equal(json_get_string(after, "component_id"), id);
    assert_int_equal(json_integer_value(json_object_get(after, "revision")), 3);
    change = newest(fixture);
    assert_string_equal(
        json_get_string(change, "what"),
        "1 component of A \"Alpha\" moved away; 1 component of C \"Gamma\" moved in");
    assert_int_equal(json_array_size(json_object_get(change, "entries")), 2);
    for (size_t i = 0; i < 2; i++)
        assert_string_equal(
            text_at(json_array_get(json_object_get(change, "entries"), i), "entity_id"), id);
    assert_string_equal(text_at(change, "entries.0.before.parameters.text"), "zwei");
    assert_string_equal(text_at(change, "entries.1.after.parameters.text"), "zwei");
    /* Its place there is where an earlier change to it is taken back to. */
    undo(fixture);
    undo(fixture);
    back = component_at(fixture, "A", 1);
    assert_string_equal(json_get_string(back, "component_id"), id);
    assert_string_equal(text_at(back, "parameters.text"), "two");
}

static void a_move_that_was_built_on_is_not_undone(void **state)
{
    struct fixture *fixture = *state;
    struct change_set_outcome outcome;
    struct undo_state undone;

    must(fixture, apply(fixture,
                        "[{'op':'move_components','node_id':'A','components':[1],"
                        "'into_node_id':'C'}]",
                        false, false, &outcome));
    do_it(fixture, "[{'op':'edit_component','node_id':'C','component_order':1,"
                   "'new_parameters':{'text':'new'}}]");
    must_fail(fixture, ERROR_CONFLICT,
              store_undo(fixture->store, &test_writer, fixture->sid, outcome.change_set, &undone,
                         &fixture->err));
    assert_non_null(strstr(fixture->err.text, "was changed since"));
    expect_texts(fixture, "C", "new");
    change_set_outcome_finish(&outcome);
}

static void the_difference_has_both_nodes(void **state)
{
    struct fixture *fixture = *state;
    struct buf BUF_AUTO text = {0};
    json_auto_t *difference = NULL;
    int64_t before, after;

    must(fixture, store_session(fixture->store, fixture->sid, NULL, 0, &before, &fixture->err));
    do_it(fixture, "[{'op':'move_components','node_id':'A','components':[1],'into_node_id':'B'}]");
    must(fixture, store_session(fixture->store, fixture->sid, NULL, 0, &after, &fixture->err));
    must(fixture,
         store_read_difference(fixture->store, fixture->sid, before, after, &text, &fixture->err));
    difference = parse(text.data);
    assert_int_equal(json_integer_value(json_object_get(difference, "total")), 2);
    assert_string_equal(text_at(difference, "differences.0.node_id"), "B");
    assert_string_equal(text_at(difference, "differences.0.after.parameters.text"), "one");
    assert_string_equal(text_at(difference, "differences.1.node_id"), "A");
    assert_string_equal(text_at(difference, "differences.1.before.parameters.text"), "one");
}

static void a_split_takes_what_is_named(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *made = NULL;

    do_it(fixture, "[{'op':'edit_node','node_id':'A','fields':{'chapter':7},'raw_content':'raw'}]");
    do_and_return(fixture, "[{'op':'split_node','node_id':'A','new_node_id':'A2','title':'Second',"
                           "'components':[2],'relationships':['Gamma']}]");
    do_it(fixture, "[{'op':'create_relationship','from':'A','to':'Second'}]");
    expect_texts(fixture, "A", "one");
    expect_texts(fixture, "A2", "two");
    made = export_json(fixture, fixture->sid);
    assert_true(has_edge(made, "A", "B", "PREREQUISITE"));
    assert_true(has_edge(made, "A2", "C", "LEADS_TO"));
    assert_false(has_edge(made, "A", "C", "LEADS_TO"));
    assert_true(has_edge(made, "A", "A2", "LEADS_TO"));
    assert_int_equal(json_integer_value(json_object_get(node_of(made, "A2"), "chapter")), 7);
    assert_null(json_object_get(node_of(made, "A2"), "raw_content"));
    assert_string_equal(text_at(node_of(made, "A"), "raw_content"), "raw");
}

static void a_relationship_of_the_same_set_goes_with_a_split(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *made = NULL;

    do_and_return(fixture, "[{'op':'create_relationship','from':'C','to':'A','type':'ENRICHMENT'},"
                           "{'op':'create_component','node_id':'A','type':'heading','parameters':"
                           "{'text':'new'}},"
                           "{'op':'split_node','node_id':'A','new_node_id':'A2','title':'Second',"
                           "'components':['$1',1],'relationships':['$0']}]");
    expect_texts(fixture, "A", "two");
    expect_texts(fixture, "A2", "new one");
    made = export_json(fixture, fixture->sid);
    assert_true(has_edge(made, "C", "A2", "ENRICHMENT"));
    assert_true(has_edge(made, "A", "C", "LEADS_TO"));
}

static void a_copy_is_another(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *one = NULL, *other = NULL, *made = NULL;

    do_it(fixture, "[{'op':'edit_node','node_id':'A','raw_content':'raw','explanation':'why'}]");
    do_and_return(fixture,
                  "[{'op':'copy_node','node_id':'A','new_node_id':'D','title':'Alpha for few'}]");
    expect_texts(fixture, "A", "one two");
    expect_texts(fixture, "D", "one two");
    made = export_json(fixture, fixture->sid);
    assert_string_equal(text_at(node_of(made, "D"), "raw_content"), "raw");
    assert_string_equal(text_at(node_of(made, "D"), "explanation"), "why");
    assert_string_equal(text_at(node_of(made, "D"), "title"), "Alpha for few");
    assert_int_equal(json_array_size(json_object_get(made, "relationships")), 3);
    one = component_at(fixture, "A", 0);
    other = component_at(fixture, "D", 0);
    assert_string_not_equal(json_get_string(one, "component_id"),
                            json_get_string(other, "component_id"));
    do_it(fixture, "[{'op':'edit_component','node_id':'D','component_order':1,"
                   "'new_parameters':{'text':'uno'}}]");
    expect_texts(fixture, "A", "one two");
}

static void what_cannot_be_moved_is_said(void **state)
{
#define MOVE(components, rest)                                                                     \
    "[{'op':'move_components','node_id':'A','components':" components "," rest "}]"
#define SPLIT(components, rest)                                                                    \
    "[{'op':'split_node','node_id':'A','title':'T','components':" components "," rest "}]"
    static const struct {
        const char *operations, *says[3];
        enum error_kind kind;
    } wrong[] = {
        {MOVE("[1]", "'into_node_id':'A'"), {"in A already", "reorder_components"}, ERROR_INVALID},
        {MOVE("[1]", "'into_node_id':'Alpha'"), {"in A already"}, ERROR_INVALID},
        {MOVE("[1]", "'into_node_id':'X'"),
         {"into_node_id: there is no node 'X'"},
         ERROR_NOT_FOUND},
        {MOVE("[1]", "'into_node_id':'B','position':3"), {"send 1 to 2"}, ERROR_INVALID},
        {MOVE("[]", "'into_node_id':'B'"), {"send the places of 1 to 500"}, ERROR_INVALID},
        {MOVE("[3,0,'no',1,1]", "'into_node_id':'B'"),
         {"components.0", "has no component 3: it has 2", "Nothing was moved"},
         ERROR_INVALID},
        {MOVE("[3,0,'no',1,1]", "'into_node_id':'B'"),
         {"components.1", "components.2", "components.4"},
         ERROR_INVALID},
        {MOVE("true", "'into_node_id':'B'"), {"components: must be an array"}, ERROR_INVALID},
        {MOVE("7", "'into_node_id':'B'"), {"has no component 7: it has 2"}, ERROR_INVALID},
        {MOVE("'2-1'", "'into_node_id':'B'"),
         {"2-1 is not a range of components: node A has 2, so send 1-2"},
         ERROR_INVALID},
        {MOVE("['0-2','2-9','8-9','1..2']", "'into_node_id':'B'"),
         {"components.0: 0-2 is not a range", "components.1: 2-9 is not a range",
          "components.3: node A"},
         ERROR_INVALID},
        {MOVE("['12345678-1234-4234-8234-123456789012']", "'into_node_id':'B'"),
         {"node A has no component '12345678-1234-"},
         ERROR_INVALID},
        {MOVE("['1-2,2']", "'into_node_id':'B'"), {"there before it"}, ERROR_INVALID},
        {MOVE("['1-99999999999999999999']", "'into_node_id':'B'"), {"send 1-2"}, ERROR_INVALID},
        {SPLIT("[1,2]", "'new_node_id':'D'"), {"all 2 would go", "rename_node"}, ERROR_INVALID},
        {SPLIT("[1]", "'new_node_id':'B'"), {"'B' is in use", "choose another"}, ERROR_CONFLICT},
        {SPLIT("[1]", "'new_node_id':'D','relationships':[99,'B',7.5]"),
         {"relationships.0: is not a relationship of A", "relationships.2"},
         ERROR_INVALID},
        {SPLIT("[1]", "'new_node_id':'D','relationships':['99']"),
         {"relationships.0: is not a relationship of A"},
         ERROR_INVALID},
        {SPLIT("[1]", "'new_node_id':'D','relationships':['nobody']"),
         {"relationships.0: there is no node 'nobody'"},
         ERROR_NOT_FOUND},
        {"[{'op':'split_node','node_id':'C','title':'T','components':[1],'new_node_id':'D'}]",
         {"node C has no components"},
         ERROR_INVALID},
        {"[{'op':'copy_node','node_id':'A','new_node_id':'A','title':'T'}]",
         {"'A' is in use"},
         ERROR_CONFLICT},
        {"[{'op':'copy_node','node_id':'A','new_node_id':'D','title':''}]",
         {"title"},
         ERROR_INVALID},
    };
    struct fixture *fixture = *state;
    json_auto_t *before = export_json(fixture, fixture->sid), *after = NULL;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct change_set_outcome outcome;

        if (apply(fixture, wrong[i].operations, false, false, &outcome) == 0)
            fail_msg("taken: %s", wrong[i].operations);
        for (size_t k = 0; k < 3 && wrong[i].says[k]; k++)
            if (!strstr(fixture->err.text, wrong[i].says[k]))
                fail_msg("'%s' is not in: %s", wrong[i].says[k], fixture->err.text);
        assert_int_equal(fixture->err.kind, wrong[i].kind);
    }
    after = export_json(fixture, fixture->sid);
    assert_true(same_json(before, after));
}

/* A whole curriculum through one node and back, in one set. */
static void many_moves_are_one_change(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *list = json_array(), *before = export_json(fixture, fixture->sid), *after = NULL;
    struct change_set set = {.operations = list};
    struct change_set_outcome outcome;

    for (int i = 0; i < CHANGE_SET_OPERATIONS_MAX; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:[i], s:s, s:i}", "op", "move_components",
                                        "node_id", i % 2 ? "B" : "A", "components", 1,
                                        "into_node_id", i % 2 ? "A" : "B", "position", 1));
    must(fixture, change_set_apply(fixture->store, &test_writer, fixture->sid, &set, &outcome,
                                   &fixture->err));
    change_set_outcome_finish(&outcome);
    expect_texts(fixture, "A", "one two");
    undo(fixture);
    after = export_json(fixture, fixture->sid);
    assert_true(same_json(before, after));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_with_curriculum, fixture_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(components_go_to_their_place),
        TEST(a_range_names_several),
        TEST(a_merge_keeps_what_is_needed_first),
        TEST(ids_revisions_and_history_stay),
        TEST(a_move_that_was_built_on_is_not_undone),
        TEST(the_difference_has_both_nodes),
        TEST(a_split_takes_what_is_named),
        TEST(a_relationship_of_the_same_set_goes_with_a_split),
        TEST(a_copy_is_another),
        TEST(what_cannot_be_moved_is_said),
        TEST(many_moves_are_one_change),
    };

    return cmocka_run_group_tests_name("operations that move", tests, NULL, NULL);
}
