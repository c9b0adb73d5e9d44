/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Change sets: each operation, all or none, dry runs, what is said of bad ones, and that one bad
 * operation leaves nothing half done.
 */
#include "mcp/store/entities/node.h"
#include "mcp/store/entities/outline.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/history/history.h"
#include "tests/unit/change_set_fixture.h"

/* Each operation once, at least. */
static const char all_kinds[] =
    "[{'op':'create_node','node_id':'D','title':'Delta','fields':{'node_type':'lesson'}},"
    "{'op':'rename_node','node_id':'A','title':'First'},"
    "{'op':'edit_node','node_id':'B','raw_content':'raw','chapter_id':3,"
    "'expected_revision':1},"
    "{'op':'create_component','node_id':'D','component_type':'heading',"
    "'parameters':{'text':'x'}},"
    "{'op':'create_component','node_id':'D','type':'heading','parameters':{'text':'y'},"
    "'position':1},"
    "{'op':'edit_component','node_id':'D','component_id':'$3',"
    "'new_parameters':{'text':'z'},'expected_revision':1},"
    "{'op':'reorder_components','node_id':'D','order':[2,1]},"
    "{'op':'delete_component','node_id':'A','component_order':'1'},"
    "{'op':'create_relationship','from':'C','to':'D','type':'PREREQUISITE'},"
    "{'op':'edit_relationship','id':'$8','new_type':'ENRICHMENT','explanation':'why'},"
    "{'op':'edit_relationship','from_node_id':'A','to_node_id':'C',"
    "'relationship_type':'LEADS_TO','new_type':'PREREQUISITE_FOR'},"
    "{'op':'delete_relationship','from_node_id':'A','to_node_id':'B',"
    "'relationship_type':'PREREQUISITE'},"
    "{'op':'merge_nodes','node_id':'B','into_node_id':'C'},"
    "{'op':'split_node','node_id':'D','new_node_id':'E','title':'Part','components':['$4'],"
    "'relationships':['Gamma']},"
    "{'op':'copy_node','node_id':'C','new_node_id':'F','title':'Again'},"
    "{'op':'move_components','node_id':'F','components':[1],'to_node_id':'A'},"
    "{'op':'replace_text','find':'two','replace':'deux','in':'heading'}]";

static void each_operation_does_its_work(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *made = NULL;
    json_t *node;

    do_it(fixture, all_kinds);
    made = export_json(fixture, fixture->sid);
    node = node_of(made, "D");
    assert_string_equal(text_at(node, "node_type"), "lesson");
    assert_string_equal(text_at(node, "components.0.parameters.text"), "z");
    assert_int_equal(json_array_size(json_object_get(node, "components")), 1);
    assert_string_equal(text_at(node_of(made, "E"), "components.0.parameters.text"), "y");
    assert_string_equal(text_at(node_of(made, "A"), "components.1.parameters.text"), "three");
    assert_string_equal(text_at(node_of(made, "A"), "title"), "First");
    assert_string_equal(text_at(node_of(made, "A"), "components.0.parameters.text"), "deux");
    assert_null(node_of(made, "B"));
    assert_string_equal(text_at(node_of(made, "C"), "components.0.parameters.text"), "three");
    assert_true(has_edge(made, "C", "E", "ENRICHMENT"));
    assert_true(has_edge(made, "A", "C", "PREREQUISITE_FOR"));
    assert_false(has_edge(made, "A", "B", "PREREQUISITE"));
}

static void a_dry_run_tells_the_same_and_changes_nothing(void **state)
{
    struct fixture *fixture = *state;
    static const char text[] = "[{'op':'delete_node','node_id':'B'},"
                               "{'op':'create_component','node_id':'C','component_type':'heading',"
                               "'parameters':{'text':'x'}}]";
    json_auto_t *before = export_json(fixture, fixture->sid), *after = NULL;
    struct change_set_outcome dry, done;
    json_auto_t *results = NULL;
    int64_t version, now;

    must(fixture, store_session(fixture->store, fixture->sid, NULL, 0, &version, &fixture->err));
    must(fixture, apply(fixture, text, true, false, &dry));
    after = export_json(fixture, fixture->sid);
    assert_true(same_json(before, after));
    must(fixture, store_session(fixture->store, fixture->sid, NULL, 0, &now, &fixture->err));
    assert_int_equal(now, version);
    assert_int_equal(dry.version, version);
    assert_string_equal(dry.change_set, "");
    assert_true(dry.touches_graph);
    assert_int_equal(dry.before.node_count, 3);
    assert_int_equal(dry.after.node_count, 2);
    results = parse(dry.results.data);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(results, 0), "components")),
                     1);
    assert_int_equal(
        json_integer_value(json_object_get(json_array_get(results, 0), "relationships")), 2);
    assert_null(json_object_get(json_array_get(results, 1), "component_id"));
    assert_non_null(strstr(dry.lines.data, "Deleted node B \"Beta\" with its 1 component and 2 "
                                           "relationships"));
    must(fixture, apply(fixture, text, false, false, &done));
    assert_string_equal(done.lines.data, dry.lines.data);
    assert_true(done.version > version);
    assert_int_equal(strlen(done.change_set), 36);
    change_set_outcome_finish(&dry);
    change_set_outcome_finish(&done);
}

static void one_bad_operation_undoes_all(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *before = export_json(fixture, fixture->sid), *after = NULL;
    struct change_set_outcome outcome;

    assert_int_equal(apply(fixture,
                           "[{'op':'rename_node','node_id':'A','title':'Other'},"
                           "{'op':'delete_node','node_id':'Bx'},"
                           "{'op':'delete_node','node_id':'C'}]",
                           false, false, &outcome),
                     -1);
    assert_int_equal(fixture->err.kind, ERROR_NOT_FOUND);
    assert_string_equal(fixture->err.loc, "operations.1");
    assert_non_null(
        strstr(fixture->err.text, "operations.1 (delete_node): node_id: there is no node 'Bx'"));
    assert_non_null(strstr(fixture->err.text, "B 'Beta'"));
    assert_null(strstr(fixture->err.text, "operations.2"));
    after = export_json(fixture, fixture->sid);
    assert_true(same_json(before, after));
}

static void keep_going_does_the_good_ones(void **state)
{
    struct fixture *fixture = *state;
    struct change_set_outcome outcome;
    json_auto_t *results = NULL, *made = NULL;

    must(fixture, apply(fixture,
                        "[{'op':'rename_node','node_id':'A','title':'Other'},"
                        "{'op':'delete_node','node_id':'Bx'},7,"
                        "{'op':'create_node','node_id':'A','title':'Again'},"
                        "{'op':'delete_node','node_id':'C'}]",
                        false, true, &outcome));
    assert_int_equal(outcome.done, 2);
    assert_int_equal(outcome.bad, 3);
    results = parse(outcome.results.data);
    assert_int_equal(json_array_size(results), 5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(json_is_true(json_object_get(json_array_get(results, i), "ok")),
                         i == 0 || i == 4);
    made = export_json(fixture, fixture->sid);
    assert_string_equal(text_at(node_of(made, "A"), "title"), "Other");
    assert_null(node_of(made, "C"));
    assert_non_null(node_of(made, "B"));
    change_set_outcome_finish(&outcome);
}

static void what_is_wrong_is_said(void **state)
{
    static const struct {
        const char *operations, *says[4];
        enum error_kind kind;
    } wrong[] = {
        {"{}", {"operations: send an array"}, ERROR_INVALID},
        {"[]", {"one at least"}, ERROR_INVALID},
        {"[[]]", {"operations.0: an operation must be an object"}, ERROR_INVALID},
        {"[{'node_id':'A'}]", {"op is needed, one of create_node"}, ERROR_INVALID},
        {"[{'op':'remove_node','node_id':'A'}]",
         {"no op 'remove_node'", "delete_node"},
         ERROR_INVALID},
        {"[{'op':'creat_node','node_id':'A'}]", {"did you mean 'create_node'?"}, ERROR_INVALID},
        {"[{'op':'rename_node','node_id':'A','titel':'x'}]",
         {"titel", "did you mean 'title'?", "title: is needed"},
         ERROR_INVALID},
        {"[{'op':'rename_node','node':'A','title':7}]",
         {"unknown member 'node'; did you mean 'node_id'?", "node_id: is needed",
          "title: must be text, not a"},
         ERROR_INVALID},
        {"[{'op':'edit_node','node_id':'A'}]", {"needs a field to change"}, ERROR_INVALID},
        {"[{'op':'edit_node','node_id':'A','expected_revison':1}]",
         {"did you mean 'expected_revision'?"},
         ERROR_INVALID},
        {"[{'op':'rename_node','node_id':'A','title':'x','expected_revision':9}]",
         {"is at revision 1, not 9", "Alpha"},
         ERROR_STALE},
        {"[{'op':'delete_node','node_id':'A','expected_revision':9}]",
         {"is at revision 1, not 9", "Alpha"},
         ERROR_STALE},
        {"[{'op':'edit_component','node_id':'A','component_order':1,'new_parameters':{'text':'x'},"
         "'expected_revision':9}]",
         {"is at revision 1, not 9", "one"},
         ERROR_STALE},
        {"[{'op':'edit_component','node_id':'A','new_parameters':{}}]",
         {"component_order (1 for the node's first component) or component_id"},
         ERROR_INVALID},
        {"[{'op':'create_component','node_id':'A','component_type':'headin','parameters':{}}]",
         {"heading"},
         ERROR_INVALID},
        {"[{'op':'create_relationship','from':'A','to':'B','type':'PREREQUISITE'}]",
         {"already a PREREQUISITE from A \"Alpha\" to B \"Beta\""},
         ERROR_CONFLICT},
        {"[{'op':'create_relationship','from':'A','to':'A'}]", {"itself"}, ERROR_INVALID},
        {"[{'op':'delete_relationship','from':'A','to':'B'}]",
         {"relationship_type is needed, or id: from A to B there is PREREQUISITE (id 1)"},
         ERROR_INVALID},
        {"[{'op':'delete_relationship','from':'C','to':'A','type':'LEADS_TO'}]",
         {"LEADS_TO"},
         ERROR_NOT_FOUND},
        {"[{'op':'delete_component','node_id':'A','component_id':'$0'}]", {"$0"}, ERROR_NOT_FOUND},
        {"[{'op':'merge_nodes','node_id':'A','into':'A'}]", {"itself"}, ERROR_INVALID},
        {"[{'op':'reorder_components','node_id':'A','order':[1]}]", {"order"}, ERROR_INVALID},
        /* All that are bad, each with its place. */
        {"[{'op':'delete_node','node_id':'X'},{'op':'nothing'},{'op':'delete_node','node_id':'B'},"
         "{'op':'delete_node','node_id':'B'}]",
         {"operations.0", "operations.1", "operations.3", "Nothing was done"},
         ERROR_INVALID},
    };
    struct fixture *fixture = *state;
    json_auto_t *before = export_json(fixture, fixture->sid), *after = NULL;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct change_set_outcome outcome;

        if (apply(fixture, wrong[i].operations, false, false, &outcome) == 0)
            fail_msg("taken: %s", wrong[i].operations);
        if (fixture->err.kind != wrong[i].kind)
            fail_msg("%s: kind %d: %s", wrong[i].operations, fixture->err.kind, fixture->err.text);
        for (size_t k = 0; k < 4 && wrong[i].says[k]; k++) {
            if (!strstr(fixture->err.text, wrong[i].says[k]))
                fail_msg("'%s' is not in: %s", wrong[i].says[k], fixture->err.text);
        }
    }
    after = export_json(fixture, fixture->sid);
    assert_true(same_json(before, after));
}

/* The operations, as their schema has them. */
static json_t *schemas(void)
{
    struct buf BUF_AUTO text = {0};
    json_auto_t *schema = NULL;

    fields_schema(&change_set_operation, "", NULL, &text);
    schema = parse(text.data);
    return json_incref(json_object_get(schema, "anyOf"));
}

static const char *name_of(const json_t *schema)
{
    const json_t *op = json_object_get(json_object_get(schema, "properties"), "op");

    return json_string_value(json_array_get(json_object_get(op, "enum"), 0));
}

/* Each operation of the table says of each member that it needs that it is not there. */
static void every_row_knows_what_it_needs(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *each = schemas();
    json_t *schema, *needed;
    size_t i, k;

    assert_int_equal(json_array_size(each), 16);
    json_array_foreach(each, i, schema)
    {
        json_auto_t *list = json_pack("[{s:s}]", "op", name_of(schema));
        struct change_set set = {.operations = list};
        struct change_set_outcome outcome;
        const struct writer writer = {.who = "test"};
        struct error err = {0};

        assert_int_equal(
            change_set_apply(fixture->store, &writer, fixture->sid, &set, &outcome, &err), -1);
        json_array_foreach(json_object_get(schema, "required"), k, needed)
        {
            if (strcmp(json_string_value(needed), "op") != 0 &&
                !strstr(err.text, json_string_value(needed)))
                fail_msg("%s: %s", name_of(schema), err.text);
        }
    }
}

static void the_version_that_was_read_is_looked_at(void **state)
{
    struct fixture *fixture = *state;
    struct writer writer = {.who = "test", .expected_cursor = 1};
    json_auto_t *list = operations("[{'op':'rename_node','node_id':'A','title':'x'},"
                                   "{'op':'rename_node','node_id':'B','title':'y'}]");
    struct change_set set = {.operations = list};
    struct change_set_outcome outcome;
    int64_t version;

    must(fixture, store_session(fixture->store, fixture->sid, NULL, 0, &version, &fixture->err));
    writer.expected_cursor = version + 1;
    must_fail(
        fixture, ERROR_STALE,
        change_set_apply(fixture->store, &writer, fixture->sid, &set, &outcome, &fixture->err));
    writer.expected_cursor = version;
    must(fixture,
         change_set_apply(fixture->store, &writer, fixture->sid, &set, &outcome, &fixture->err));
    assert_int_equal(outcome.version, version + 1); /* of the whole set */
    writer.expected_cursor = 0;
    change_set_outcome_finish(&outcome);
    must_fail(fixture, ERROR_UNAUTHORIZED,
              change_set_apply(fixture->store, &writer, "nobody", &set, &outcome, &fixture->err));
}

static void a_set_is_undone_as_one(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *before = export_json(fixture, fixture->sid), *after = NULL, *history = NULL;
    const struct history_page page = {.limit = 10, .without_texts = true};
    struct change_set_outcome outcome;
    struct buf BUF_AUTO text = {0};
    struct undo_state undone;
    json_t *last;

    must(fixture, apply(fixture, all_kinds, false, false, &outcome));
    must(fixture, store_read_history(fixture->store, fixture->sid, &page, &text, &fixture->err));
    history = parse(text.data);
    last = json_array_get(json_object_get(history, "changes"), 0);
    assert_string_equal(json_get_string(last, "change_set"), outcome.change_set);
    assert_int_equal(json_integer_value(json_object_get(last, "version")), outcome.version);
    must(fixture,
         store_undo(fixture->store, &test_writer, fixture->sid, NULL, &undone, &fixture->err));
    assert_string_equal(undone.change_set, outcome.change_set);
    after = export_json(fixture, fixture->sid);
    if (!same_json(before, after))
        fail_msg("%s\n%s", json_dumps(before, 0), json_dumps(after, 0));
    change_set_outcome_finish(&outcome);
}

static void too_many_are_refused_and_many_are_told_in_few_words(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *list = json_array();
    struct change_set set = {.operations = list};
    struct change_set_outcome outcome;

    for (int i = 0; i < CHANGE_SET_OPERATIONS_MAX; i++) {
        char id[16];

        snprintf(id, sizeof id, "M%03d", i);
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "op", "create_node", "node_id", id,
                                              "title", "Many"));
    }
    must(fixture, change_set_apply(fixture->store, &test_writer, fixture->sid, &set, &outcome,
                                   &fixture->err));
    assert_int_equal(outcome.done, CHANGE_SET_OPERATIONS_MAX);
    assert_int_equal(outcome.after.node_count, 3 + CHANGE_SET_OPERATIONS_MAX);
    assert_non_null(strstr(outcome.lines.data, "and 470 operations more"));
    change_set_outcome_finish(&outcome);
    json_array_append_new(list, json_object());
    must_fail(fixture, ERROR_INVALID,
              change_set_apply(fixture->store, &test_writer, fixture->sid, &set, &outcome,
                               &fixture->err));
    assert_non_null(strstr(fixture->err.text, "send 500 at most"));
}

static void a_title_names_a_node(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *made = NULL;

    expect_line(fixture, "[{'op':'rename_node','node_id':'alpha','title':'X'}]",
                "Renamed node A \"Alpha\"");
    expect_line(fixture, "[{'op':'create_relationship','from':' GAMMA','to':'Alpha'}]",
                "Created LEADS_TO from C \"Gamma\" to A \"Alpha\"");
    expect_line(fixture, "[{'op':'merge_nodes','node_id':'Beta','into_node_id':'gamma'}]",
                "Merged node B \"Beta\" into C \"Gamma\"");
    expect_line(fixture,
                "[{'op':'delete_relationship','from':'Alpha','to':'Beta','type':'PREREQUISITE'}]",
                "Deleted PREREQUISITE from A \"Alpha\" to B \"Beta\"");
    expect_line(fixture, "[{'op':'delete_component','node_id':'Alpha','component_order':1}]",
                "of A \"Alpha\", 1 remain");
    /* Of a node that was created, or renamed, earlier in the same set. */
    do_it(fixture, "[{'op':'create_node','node_id':'D','title':'Delta'},"
                   "{'op':'create_component','node_id':'delta','component_type':'heading',"
                   "'parameters':{'text':'x'}},"
                   "{'op':'rename_node','node_id':'A','title':'First'},"
                   "{'op':'create_relationship','from':'First','to':'Delta'}]");
    made = export_json(fixture, fixture->sid);
    assert_string_equal(text_at(node_of(made, "D"), "components.0.parameters.text"), "x");
    assert_true(has_edge(made, "A", "D", "LEADS_TO"));
}

static void an_id_wins_and_a_shared_title_is_refused(void **state)
{
    struct fixture *fixture = *state;
    struct change_set_outcome outcome;

    /* The title of C is the id of B: the id wins. */
    do_it(fixture, "[{'op':'rename_node','node_id':'C','title':'B'}]");
    expect_line(fixture, "[{'op':'delete_node','node_id':'B'}]", "Deleted node B \"Beta\"");
    do_it(fixture, "[{'op':'rename_node','node_id':'C','title':'alpha'}]");
    must_fail(fixture, ERROR_CONFLICT,
              apply(fixture, "[{'op':'delete_node','node_id':'ALPHA'}]", false, false, &outcome));
    assert_non_null(strstr(fixture->err.text, "node_id: \"ALPHA\" is the title of 2 nodes: A, C"));
    must_fail(
        fixture, ERROR_NOT_FOUND,
        apply(fixture, "[{'op':'delete_node','node_id':'Alphabet'}]", false, false, &outcome));
    /* A new node's id is no name of another. */
    do_it(fixture, "[{'op':'create_node','node_id':'Beta','title':'New'}]");
    expect_line(fixture, "[{'op':'delete_node','node_id':'Beta'}]", "Deleted node Beta \"New\"");
}

/* Each member of each operation stands in it, for programs that forbid others; other names of
 * members, and those that only a careful program needs, do not. */
static void the_brief_schema_names_each_member(void **state)
{
    static const char *const other_names[] = {"from",
                                              "to",
                                              "into",
                                              "type",
                                              "new_title",
                                              "new_parameters",
                                              "confidence",
                                              "confidence_score",
                                              "expected_revision",
                                              NULL};
    struct buf BUF_AUTO few = {0};
    json_auto_t *each = schemas(), *brief = NULL;
    json_t *schema, *member, *properties;
    const char *name;
    size_t i;

    (void)state;
    fields_schema(&change_set_operation_brief, NULL, NULL, &few);
    brief = parse(few.data);
    properties = json_object_get(brief, "properties");
    json_array_foreach(each, i, schema)
    {
        assert_non_null(strstr(few.data, name_of(schema)));
        json_object_foreach(json_object_get(schema, "properties"), name, member)
        {
            bool other = false;

            for (size_t k = 0; other_names[k]; k++)
                other = other || strcmp(other_names[k], name) == 0;
            if (!other && !json_object_get(properties, name))
                fail_msg("%s of %s is not in %s", name, name_of(schema), few.data);
        }
    }
}

/* All that the brief schema has, null but for what is used. */
static json_t *with_nulls(const char *operation)
{
    struct buf BUF_AUTO few = {0};
    json_auto_t *brief = NULL;
    json_t *whole = parse(operation), *member;
    const char *name;

    fields_schema(&change_set_operation_brief, NULL, NULL, &few);
    brief = parse(few.data);
    json_object_foreach(json_object_get(brief, "properties"), name, member)
    {
        if (!json_object_get(whole, name))
            json_object_set_new(whole, name, json_null());
    }
    return whole;
}

static void nulls_are_members_not_used(void **state)
{
    static const char *const sent[] = {
        "{\"op\":\"create_node\",\"node_id\":\"X\",\"title\":\"New\",\"fields\":\"{\\\"goal\\\":1}"
        "\"}",
        "{\"op\":\"edit_node\",\"node_id\":\"X\",\"fields\":{\"goal\":null,\"aim\":\"A\"}}",
        "{\"op\":\"create_component\",\"node_id\":\"X\",\"component_type\":\"heading\","
        "\"parameters\":\"{\\\"text\\\":\\\"H\\\"}\"}",
        "{\"op\":\"edit_component\",\"node_id\":\"X\",\"component_order\":1,"
        "\"parameters\":\"{\\\"text\\\":\\\"I\\\"}\"}",
        "{\"op\":\"create_relationship\",\"from_node_id\":\"A\",\"to_node_id\":\"X\"}",
        "{\"op\":\"delete_component\",\"node_id\":\"X\",\"component_order\":1}",
        "{\"op\":\"delete_node\",\"node_id\":\"X\"}",
    };
    static const char *const lines[] = {
        "Created node X",
        "Changed node X \"New\" (revision 2): aim: [+A]; goal: [-1]",
        "Added heading",
        "text: [H -> I]",
        "Created LEADS_TO from A ",
        "Deleted component 1",
        "Deleted node X"};
    struct fixture *fixture = *state;
    json_auto_t *list = json_array();
    struct change_set set = {list, false, false};
    struct change_set_outcome outcome;

    for (size_t i = 0; i < sizeof sent / sizeof sent[0]; i++)
        json_array_append_new(list, with_nulls(sent[i]));
    must(fixture, change_set_apply(fixture->store, &test_writer, fixture->sid, &set, &outcome,
                                   &fixture->err));
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (!strstr(outcome.lines.data, lines[i]))
            fail_msg("%s is not in %s", lines[i], outcome.lines.data);
    change_set_outcome_finish(&outcome);
    must_fail(fixture, ERROR_INVALID,
              apply(fixture, "[{'op':'edit_node','node_id':'A','fields':{'node_id':'B'}}]", false,
                    false, &outcome));
    assert_non_null(strstr(fixture->err.text, "node_id stands beside fields"));
}

/* ---- on a copy ---- */

static int apply_to(struct store *store, struct fixture *fixture, bool dry_run,
                    struct change_set_outcome *outcome)
{
    json_auto_t *list = operations(all_kinds);
    struct change_set set = {list, dry_run, false};

    return change_set_apply(store, &test_writer, fixture->sid, &set, outcome, &fixture->err);
}

static void assert_same_text(const struct buf *one, const struct buf *other)
{
    assert_int_equal(one->len, other->len);
    assert_memory_equal(one->data, other->data, one->len);
}

/* Components that are made get another id each time. */
static void assert_same_results(const struct buf *one, const struct buf *other)
{
    json_auto_t *there = parse(one->data), *here = parse(other->data);
    json_t *lists[] = {there, here}, *result;
    size_t k;

    for (size_t i = 0; i < 2; i++)
        json_array_foreach(lists[i], k, result) json_object_del(result, "component_id");
    assert_true(json_equal(there, here));
}

static void assert_same_outline(const struct outline *one, const struct outline *other)
{
    assert_int_equal(one->node_count, other->node_count);
    assert_int_equal(one->edge_count, other->edge_count);
    assert_same_text(&one->strings, &other->strings);
}

/* The copy is of what is committed, and another's transaction is open all the while. */
static void a_trial_says_what_the_store_would(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *before = export_json(fixture, fixture->sid), *after = NULL;
    struct change_set_outcome there, here;
    struct store *reader = store_open(fixture->url, STORE_READ, &fixture->err), *copy;

    assert_non_null(reader);
    must(fixture, apply_to(fixture->store, fixture, true, &there));
    must(fixture, store_begin(fixture->store, &fixture->err));
    must(fixture,
         store_node_delete(fixture->store, &test_writer, fixture->sid, "A", &fixture->err));
    copy = store_trial_open(reader, fixture->sid, false, &fixture->err);
    if (!copy)
        fail_msg("%s", fixture->err.text);
    must(fixture, apply_to(copy, fixture, true, &here));
    must(fixture, store_end(fixture->store, false, &fixture->err));
    assert_same_results(&there.results, &here.results);
    assert_same_text(&there.lines, &here.lines);
    assert_int_equal(there.version, here.version);
    assert_same_outline(&there.before, &here.before);
    assert_same_outline(&there.after, &here.after);
    change_set_outcome_finish(&there);
    change_set_outcome_finish(&here);
    /* What is done there for good, new ids of relationships among it, is as it would be here. */
    must(fixture, apply_to(copy, fixture, false, &there));
    store_close(copy);
    store_close(reader);
    after = export_json(fixture, fixture->sid);
    assert_true(same_json(before, after));
    must(fixture, apply_to(fixture->store, fixture, false, &here));
    assert_same_results(&there.results, &here.results);
    assert_same_text(&there.lines, &here.lines);
    assert_same_outline(&there.after, &here.after);
    assert_int_equal(there.version, here.version);
    change_set_outcome_finish(&there);
    change_set_outcome_finish(&here);
}

static void a_trial_has_the_history_where_it_is_asked_for(void **state)
{
    struct fixture *fixture = *state;
    struct undo_state there, here;
    struct store *copy;

    do_it(fixture, all_kinds);
    copy = store_trial_open(fixture->store, fixture->sid, true, &fixture->err);
    assert_non_null(copy);
    must(fixture, store_undo(copy, &test_writer, fixture->sid, NULL, &there, &fixture->err));
    store_close(copy);
    must(fixture,
         store_undo(fixture->store, &test_writer, fixture->sid, NULL, &here, &fixture->err));
    assert_string_equal(there.what, here.what);
    assert_string_equal(there.change_set, here.change_set);
    assert_int_equal(there.entries, here.entries);
    assert_int_equal(there.version, here.version);
}

static void a_trial_of_no_session_says_so(void **state)
{
    struct fixture *fixture = *state;
    struct store *copy = store_trial_open(fixture->store, "none", false, &fixture->err);

    assert_non_null(copy);
    assert_int_equal(store_session(copy, "none", NULL, 0, NULL, &fixture->err), -1);
    assert_int_equal(fixture->err.kind, ERROR_UNAUTHORIZED);
    store_close(copy);
    must(fixture, store_begin(fixture->store, &fixture->err));
    assert_null(store_trial_open(fixture->store, fixture->sid, false, &fixture->err));
    must(fixture, store_end(fixture->store, false, &fixture->err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_operation_does_its_work, open_with_curriculum,
                                        fixture_close),
        cmocka_unit_test_setup_teardown(a_trial_says_what_the_store_would, open_with_curriculum,
                                        fixture_close),
        cmocka_unit_test_setup_teardown(a_trial_has_the_history_where_it_is_asked_for,
                                        open_with_curriculum, fixture_close),
        cmocka_unit_test_setup_teardown(a_trial_of_no_session_says_so, open_with_curriculum,
                                        fixture_close),
        cmocka_unit_test_setup_teardown(a_dry_run_tells_the_same_and_changes_nothing,
                                        open_with_curriculum, fixture_close),
        cmocka_unit_test_setup_teardown(one_bad_operation_undoes_all, open_with_curriculum,
                                        fixture_close),
        cmocka_unit_test_setup_teardown(keep_going_does_the_good_ones, open_with_curriculum,
                                        fixture_close),
        cmocka_unit_test_setup_teardown(what_is_wrong_is_said, open_with_curriculum, fixture_close),
        cmocka_unit_test_setup_teardown(every_row_knows_what_it_needs, open_with_curriculum,
                                        fixture_close),
        cmocka_unit_test_setup_teardown(the_version_that_was_read_is_looked_at,
                                        open_with_curriculum, fixture_close),
        cmocka_unit_test_setup_teardown(a_set_is_undone_as_one, open_with_curriculum,
                                        fixture_close),
        cmocka_unit_test_setup_teardown(too_many_are_refused_and_many_are_told_in_few_words,
                                        open_with_curriculum, fixture_close),
        cmocka_unit_test_setup_teardown(a_title_names_a_node, open_with_curriculum, fixture_close),
        cmocka_unit_test_setup_teardown(an_id_wins_and_a_shared_title_is_refused,
                                        open_with_curriculum, fixture_close),
        cmocka_unit_test(the_brief_schema_names_each_member),
        cmocka_unit_test_setup_teardown(nulls_are_members_not_used, open_with_curriculum,
                                        fixture_close),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
