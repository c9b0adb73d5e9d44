/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which calls a person must approve, and what they are told: by the real tools' names, over a real
 * curriculum, which is the same afterwards.
 */
#include "mcp/store/entities/component.h"
#include "mcp/store/entities/session.h"
#include "tests/unit/chat_fixture.h"

#include "mcp/chat/approval.h"
#include "mcp/tool/arguments.h"
#include "mcp/tool/trial.h"

static const char curriculum[] =
    "{\"nodes\": ["
    "{\"node_id\": \"N1\", \"title\": \"Halves\", \"components\": ["
    "{\"type\": \"heading\", \"parameters\": {\"text\": \"Half of it\"}},"
    "{\"type\": \"paragraph\", \"parameters\": {\"text\": \"Two halves make one.\"}},"
    "{\"type\": \"definition\", \"parameters\": {\"term\": \"Half\", \"definition\": \"1 of 2\"}},"
    "{\"type\": \"step-sequence\", \"parameters\": {\"steps\": [\"Cut\", \"Share\"]}}]},"
    "{\"node_id\": \"N2\", \"title\": \"Thirds \\\"3\\\"\", \"components\": ["
    "{\"type\": \"paragraph\", \"parameters\": {\"text\": \"Three of them.\"}}]},"
    "{\"node_id\": \"N3\", \"title\": \"Quarters\", \"components\": []}], "
    "\"relationships\": [{\"from_node_id\": \"N1\", \"to_node_id\": \"N2\", "
    "\"relationship_type\": \"PREREQUISITE_FOR\", \"explanation\": \"first\"},"
    "{\"from_node_id\": \"N2\", \"to_node_id\": \"N3\", \"relationship_type\": \"LEADS_TO\", "
    "\"explanation\": \"\"}]}";

static int setup(void **state)
{
    struct chat_fixture *fixture;

    chat_fixture_open(state);
    fixture = *state;
    import_text(&fixture->session, curriculum, strlen(curriculum));
    fixture->server.store.graph = chat_workq(fixture, "graph", false);
    return 0;
}

static int teardown(void **state)
{
    struct chat_fixture *fixture = *state;

    workq_destroy(fixture->server.store.graph);
    return chat_fixture_close(state);
}

/* ---- which ---- */

#define OP                "{\"op\":\"create_node\",\"title\":\"T\"}"
#define FIVE(item)        item "," item "," item "," item "," item
#define TEN(item)         FIVE(item) "," FIVE(item)
#define PLACES(count)     ",\"expected_places\":" count
#define REPLACE(by, more) "{\"op\":\"replace_text\",\"find\":\"f\",\"replace\":\"" by "\"" more "}"
#define NEW               "{\"type\":\"heading\",\"parameters\":{\"text\":\"T\"}}"

static void test_which(void **state)
{
    static const struct {
        const char *tool, *arguments;
        bool destructive, every, none_asked;
    } cases[] = {
        {"delete_component", "{}", true, true, true},
        {"delete_component", "{\"confirm\":true}", true, true, true},
        {"change_curriculum", "{\"operations\":[" OP "]}", false, true, false},
        {"change_curriculum", "{\"operations\":[" TEN(OP) "]}", false, true, false},
        {"change_curriculum", "{\"operations\":[" TEN(OP) "," OP "]}", true, true, true},
        {"change_curriculum", "{\"operations\":[" OP ",{\"op\":\"delete_node\"}]}", true, true,
         true},
        {"change_curriculum", "{\"operations\":[{\"op\":\"merge_nodes\"}]}", true, true, true},
        {"change_curriculum", "{\"operations\":[{\"op\":\"delete_component\"}]}", true, true, true},
        {"change_curriculum", "{\"operations\":[{\"op\":\"delete_relationship\"}]}", true, true,
         true},
        {"change_curriculum", "{\"operations\":\"[{\\\"op\\\":\\\"delete_node\\\"}]\"}", true, true,
         true},
        {"change_curriculum", "{\"operations\":[{\"op\":\"delete_node\"}],\"dry_run\":true}", false,
         false, false},
        {"change_curriculum", "{\"operations\":[{\"op\":\"delete_node\"}],\"dry_run\":\"true\"}",
         false, false, false},
        {"change_curriculum", "{\"operations\":[{\"op\":\"delete_node\"}],\"dry_run\":\"yes\"}",
         true, true, true},
        {"change_curriculum", "{}", false, true, false},
        {"batch_add_components", "{\"components\":[" TEN(NEW) "]}", false, true, false},
        {"batch_add_components", "{\"components\":[" TEN(NEW) "," NEW "]}", true, true, true},
        {"history", "{}", false, false, false},
        {"history", "{\"action\":\"list\"}", false, false, false},
        {"history", "{\"action\":\"difference\"}", false, false, false},
        {"undo", "{}", true, true, true},
        {"undo", "{\"restore\":1}", true, true, true},
        {"edit_component", "{}", true, true, false},
        {"edit_component", "{\"new_parameters\":{\"text\":\"T\"}}", true, true, false},
        {"edit_component", "{\"new_parameters\":{\"text\":\" \\n\"}}", true, true, true},
        {"edit_component", "{\"new_parameters\":\"{\\\"text\\\":null}\"}", true, true, true},
        {"edit_component", "{\"new_parameters\":{\"steps\":[\"\",{}]}}", true, true, true},
        {"change_curriculum",
         "{\"operations\":[{\"op\":\"edit_component\",\"parameters\":{\"text\":\"\"}}]}", true,
         true, true},
        {"change_curriculum", "{\"operations\":[{\"op\":\"edit_node\",\"goal\":null}]}", true, true,
         true},
        {"change_curriculum",
         "{\"operations\":[{\"op\":\"edit_node\",\"goal\":\"G\",\"title\":null}]}", true, true,
         false},
        {"change_curriculum", "{\"operations\":[{\"op\":\"rename_node\",\"title\":\"T\"}]}", true,
         true, false},
        {"change_curriculum", "{\"operations\":[{\"op\":\"reorder_components\"}]}", false, true,
         false},
        {"change_curriculum", "{\"operations\":[{\"op\":\"move_components\"}]}", false, true,
         false},
        {"change_curriculum", "{\"operations\":[{\"op\":\"split_node\"}]}", false, true, false},
        {"change_curriculum", "{\"operations\":[{\"op\":\"copy_node\"}]}", false, true, false},
        /* How many places it replaces is known if it says so. */
        {"change_curriculum", "{\"operations\":[" REPLACE("x", "") "]}", true, true, true},
        {"change_curriculum", "{\"operations\":[" REPLACE("x", PLACES("10")) "]}", true, true,
         false},
        {"change_curriculum", "{\"operations\":[" REPLACE("x", PLACES("11")) "]}", true, true,
         true},
        {"change_curriculum", "{\"operations\":[" REPLACE("", PLACES("1")) "]}", true, true, true},
        {"change_curriculum",
         "{\"operations\":[" REPLACE("x", PLACES("6")) "," REPLACE("x", PLACES("5")) "]}", true,
         true, true},
        {"change_curriculum", "{\"operations\":[" REPLACE("x", "") "],\"dry_run\":true}", false,
         false, false},
        {"change_curriculum", "{\"operations\":[{\"op\":\"shred_node\"}]}", true, true, true},
        {"change_curriculum", "{\"operations\":[" OP ",{\"op\":\"edit_node\"}]}", true, true,
         false},
        {"change_curriculum", "{\"operations\":[{\"op\":\"edit_node\"},{\"op\":\"delete_node\"}]}",
         true, true, true},
        {"change_curriculum", "{\"operations\":[{\"op\":\"edit_node\"}],\"dry_run\":true}", false,
         false, false},
        {"add_component", "{}", false, true, false},
        {"create_relationship", "{}", false, true, false},
        {"query_graph", "{}", false, false, false},
        {"execute_code", "{}", false, false, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct tool *tool = tool_find(cases[i].tool);
        json_auto_t *arguments = parse(cases[i].arguments);

        if (approval_needed(tool, arguments, APPROVALS_DESTRUCTIVE) != cases[i].destructive ||
            approval_needed(tool, arguments, APPROVALS_NONE_ASKED) != cases[i].none_asked ||
            approval_needed(tool, arguments, APPROVALS_EVERY) != cases[i].every)
            fail_msg("%s %s", cases[i].tool, cases[i].arguments);
    }
}

/* Each tool that writes has a preview, so that it can be approved; but for what a chat has not. */
static void test_a_new_tool_asks(void **state)
{
    const struct tool fresh = {.name = "shred", .writes = true, .destructive = true};

    (void)state;
    assert_true(approval_needed(&fresh, NULL, APPROVALS_DESTRUCTIVE));
    for (size_t i = 0; tools[i]; i++) {
        json_auto_t *undo = parse("{\"action\":\"undo\"}");

        if (tools[i]->toolset != TOOLSET_EDITOR)
            continue;
        assert_true(tools[i]->read_only || approval_needed(tools[i], undo, APPROVALS_EVERY));
        assert_true(tools[i]->read_only || !tools[i]->writes || tools[i]->makes_session ||
                    tools[i]->operation || tools[i]->preview);
    }
}

/* ---- what is told ---- */

struct described {
    bool done;
    json_t *interrupt;
    struct error err;
};

static void on_described(void *user, json_t *interrupt, const struct error *err)
{
    struct described *described = user;

    described->interrupt = interrupt;
    if (err)
        described->err = *err;
    described->done = true;
}

static int64_t version_of(struct chat_fixture *fixture)
{
    int64_t version;

    must(&fixture->session, store_session(fixture->session.store, fixture->session.sid, NULL, 0,
                                          &version, &fixture->session.err));
    return version;
}

/* The interrupt; the curriculum is as it was. */
static json_t *describe(struct chat_fixture *fixture, const char *tool, const char *arguments,
                        struct error *err)
{
    json_auto_t *given = parse(arguments), *before = NULL, *after = NULL;
    struct described described = {0};
    int64_t version = version_of(fixture);

    before = export_json(&fixture->session, fixture->session.sid);
    if (approval_describe(&fixture->server.store, fixture->session.sid, test_writer.who, "call-1",
                          tool_find(tool), given, 1, on_described, &described, &described.err) == 0)
        chat_run_until(fixture, &described.done);
    after = export_json(&fixture->session, fixture->session.sid);
    assert_true(same_json(before, after));
    assert_true(version == version_of(fixture));
    *err = described.err;
    return described.interrupt;
}

static json_t *must_describe(struct chat_fixture *fixture, const char *tool, const char *arguments)
{
    struct error err;
    json_t *interrupt = describe(fixture, tool, arguments, &err);

    if (!interrupt)
        fail_msg("%s", err.text);
    return interrupt;
}

static json_t *change_at(const json_t *interrupt, size_t i)
{
    return json_array_get(json_object_get(json_object_get(interrupt, "metadata"), "changes"), i);
}

static size_t change_count(const json_t *interrupt)
{
    return json_array_size(json_object_get(json_object_get(interrupt, "metadata"), "changes"));
}

static void expect_member(const json_t *object, const char *name, const char *wanted)
{
    const char *has = json_get_string(object, name);

    if (!has || strcmp(has, wanted) != 0)
        fail_msg("%s is '%s', not '%s'", name, has ? has : "(none)", wanted);
}

static void expect_part(const char *text, const char *part)
{
    if (!text || !strstr(text, part))
        fail_msg("'%s' is not in: %s", part, text ? text : "(none)");
}

static void test_delete_component(void **state)
{
    struct chat_fixture *fixture = *state;
    json_auto_t *interrupt = must_describe(fixture, "delete_component",
                                           "{\"node_id\":\"N1\",\"component_order\":4,"
                                           "\"confirm\":true,\"idempotency_key\":\"k\"}");
    json_auto_t *schema =
        parse("{\"type\":\"object\",\"properties\":{\"approved\":{\"type\":\"boolean\"},\"reason\":"
              "{\"type\":\"string\"}},\"required\":[\"approved\"]}");

    expect_member(interrupt, "reason", "lectern.approval");
    expect_member(interrupt, "toolCallId", "call-1");
    expect_member(interrupt, "message",
                  "Delete a component: component 4 (step-sequence) is deleted, in N1 \"Halves\"; "
                  "3 remain there.");
    assert_true(same_json(json_object_get(interrupt, "responseSchema"), schema));
    expect_member(json_object_get(interrupt, "metadata"), "tool", "delete_component");
    assert_int_equal(change_count(interrupt), 1);
    expect_member(change_at(interrupt, 0), "node_id", "N1");
    expect_member(change_at(interrupt, 0), "title", "Halves");
    expect_member(change_at(interrupt, 0), "before", "1. Cut\n2. Share");
    expect_part(json_get_string(json_object_get(interrupt, "metadata"), "effect"),
                "Deleted component 4");
}

static void test_delete_node(void **state)
{
    struct chat_fixture *fixture = *state;
    json_auto_t *interrupt =
        must_describe(fixture, "change_curriculum",
                      "{\"operations\":[{\"op\":\"delete_node\",\"node_id\":\"N2\"}]}");

    expect_part(json_get_string(interrupt, "message"),
                "Node N2 \"Thirds \"3\"\" goes, with 1 component and 2 relationships.");
    expect_part(json_get_string(interrupt, "message"),
                "Lost: 1 node, 1 component, 2 relationships.");
    assert_int_equal(change_count(interrupt), 4);
    for (size_t i = 0; i < 4; i++) {
        assert_true(json_is_null(json_object_get(change_at(interrupt, i), "after")));
        assert_true(json_is_string(json_object_get(change_at(interrupt, i), "before")));
    }
    expect_part(json_get_string(change_at(interrupt, 3), "what"), "relationship");
    /* What it does to the graph, reckoned on the graph work queue. */
    expect_part(json_get_string(json_object_get(interrupt, "metadata"), "effect"), "N3");
}

static void test_operations_build_on_each_other(void **state)
{
    struct chat_fixture *fixture = *state;
    /* The second deletes what was at place 3 before; the third moves; the last is a new one's. */
    json_auto_t *interrupt = must_describe(
        fixture, "change_curriculum",
        "{\"operations\":["
        "{\"op\":\"delete_component\",\"node_id\":\"N1\",\"component_order\":1},"
        "{\"op\":\"delete_component\",\"node_id\":\"N1\",\"component_order\":2},"
        "{\"op\":\"reorder_components\",\"node_id\":\"N1\",\"order\":[2,1]},"
        "{\"op\":\"create_component\",\"node_id\":\"N2\",\"component_type\":\"heading\","
        "\"parameters\":{\"text\":\"New\"}},"
        "{\"op\":\"edit_component\",\"node_id\":\"N2\",\"component_id\":\"$3\","
        "\"new_parameters\":{\"text\":\"Newer\"}}]}");
    size_t moved = 0;

    expect_part(json_get_string(interrupt, "message"), "5 operations.");
    expect_part(json_get_string(interrupt, "message"), "Lost: 2 components.");
    expect_part(json_get_string(interrupt, "message"), "New: 1 component.");
    expect_member(change_at(interrupt, 0), "what", "component 1 (heading) is deleted");
    expect_member(change_at(interrupt, 0), "before", "Half of it");
    expect_member(change_at(interrupt, 1), "what", "component 3 (definition) is deleted");
    expect_member(change_at(interrupt, 1), "before", "term: Half\ndefinition: 1 of 2");
    for (size_t i = 2; i < change_count(interrupt); i++) {
        const char *what = json_get_string(change_at(interrupt, i), "what");

        moved += strstr(what, "is moved to place") != NULL;
        if (strstr(what, "is new"))
            expect_member(change_at(interrupt, i), "after", "Newer");
    }
    assert_int_equal(moved, 1); /* what was second is second again */
}

/* Node by node, however the store tells them. */
static void test_order(void **state)
{
    struct chat_fixture *fixture = *state;
    json_auto_t *interrupt =
        must_describe(fixture, "change_curriculum",
                      "{\"operations\":["
                      "{\"op\":\"rename_node\",\"node_id\":\"N2\",\"title\":\"B\"},"
                      "{\"op\":\"rename_node\",\"node_id\":\"N3\",\"title\":\"C\"},"
                      "{\"op\":\"rename_node\",\"node_id\":\"N1\",\"title\":\"A\"}]}");

    expect_member(change_at(interrupt, 0), "node_id", "N1");
    expect_member(change_at(interrupt, 1), "node_id", "N2");
    expect_member(change_at(interrupt, 2), "node_id", "N3");
}

static void test_edits(void **state)
{
    struct chat_fixture *fixture = *state;
    json_auto_t *edit = must_describe(fixture, "edit_component",
                                      "{\"node_id\":\"N1\",\"component_order\":\"3\","
                                      "\"new_parameters\":\"{\\\"term\\\":\\\"A half\\\"}\"}");
    json_auto_t *add =
        must_describe(fixture, "add_component",
                      "{\"node_id\":\"N3\",\"component_type\":\"heading\",\"parameters\":{"
                      "\"text\":\"Q\"}}");
    json_auto_t *join = must_describe(fixture, "create_relationship",
                                      "{\"from_node_id\":\"N1\",\"to_node_id\":\"N3\"}");
    json_auto_t *batch = must_describe(fixture, "batch_add_components",
                                       "{\"node_id\":\"N3\",\"components\":[" NEW "," NEW "]}");

    expect_member(change_at(edit, 0), "before", "term: Half\ndefinition: 1 of 2");
    expect_member(change_at(edit, 0), "after", "term: A half\ndefinition: 1 of 2");
    expect_member(change_at(add, 0), "what", "component 1 (heading) is new");
    expect_member(change_at(add, 0), "after", "Q");
    expect_member(change_at(join, 0), "what", "relationship LEADS_TO to N3 \"Quarters\" is new");
    assert_int_equal(change_count(batch), 2);
    expect_part(json_get_string(batch, "message"), "New: 2 components.");
}

static void test_undo(void **state)
{
    struct chat_fixture *fixture = *state;
    struct fixture *session = &fixture->session;
    const struct component_ref ref = {.node_id = "N1", .order = 2};
    struct component_state gone;
    int64_t before = version_of(fixture);
    json_auto_t *undo = NULL, *restore = NULL, *by_version = NULL;
    char arguments[128];

    must(session, store_component_delete(session->store, &test_writer, session->sid, &ref, 0, &gone,
                                         &session->err));
    undo = must_describe(fixture, "undo", "{}");
    expect_part(json_get_string(undo, "message"), "Undo:");
    expect_member(change_at(undo, 0), "what", "component 2 (paragraph) is new");
    expect_member(change_at(undo, 0), "after", "Two halves make one.");
    snprintf(arguments, sizeof arguments, "{\"version\":%lld}", (long long)version_of(fixture));
    by_version = must_describe(fixture, "undo", arguments);
    assert_true(same_json(change_at(undo, 0), change_at(by_version, 0)));
    snprintf(arguments, sizeof arguments, "{\"restore\":\"%lld\"}", (long long)before);
    restore = must_describe(fixture, "undo", arguments);
    expect_part(json_get_string(restore, "message"), "Restore version");
    assert_int_equal(change_count(restore), 1);
}

static void test_many(void **state)
{
    struct chat_fixture *fixture = *state;
    struct buf BUF_AUTO arguments = {0};
    json_t *interrupt, *again, *metadata;

    buf_adds(&arguments, "{\"node_id\":\"N3\",\"components\":[");
    for (unsigned i = 0; i < TRIAL_SHOWN_MAX + 7; i++)
        buf_addf(&arguments, "%s{\"type\":\"paragraph\",\"parameters\":{\"text\":\"%u %06000d\"}}",
                 i > 0 ? "," : "", i, 0);
    buf_adds(&arguments, "]}");
    interrupt = must_describe(fixture, "batch_add_components", arguments.data);
    metadata = json_object_get(interrupt, "metadata");
    assert_int_equal(change_count(interrupt), TRIAL_SHOWN_MAX);
    assert_int_equal(json_integer_value(json_object_get(metadata, "more")), 7);
    assert_in_range(strlen(json_get_string(change_at(interrupt, 0), "after")), TRIAL_TEXT_MAX,
                    TRIAL_TEXT_MAX + 8);
    again = must_describe(fixture, "batch_add_components", arguments.data);
    assert_true(same_json(json_object_get(metadata, "changes"),
                          json_object_get(json_object_get(again, "metadata"), "changes")));
    json_decref(again);
    json_decref(interrupt);
}

static void test_what_would_fail(void **state)
{
    struct chat_fixture *fixture = *state;
    static const struct {
        const char *tool, *arguments, *why;
    } cases[] = {
        {"delete_component", "{\"node_id\":\"N9\",\"component_order\":1}", "N9"},
        {"delete_component", "{\"node_id\":\"N1\"}", "component_order"},
        {"delete_component", "{\"node_id\":\"N1\",\"component_order\":1,\"expected_revision\":77}",
         "revision"},
        {"delete_component",
         "{\"node_id\":\"N1\",\"component_order\":1,\"session_id\":\"another\"}", "bound"},
        {"change_curriculum", "{\"operations\":[{\"op\":\"delete_everything\"}]}", "delete_node"},
        {"change_curriculum",
         "{\"operations\":[{\"op\":\"delete_node\",\"node_id\":\"N2\"}],\"expected_version\":77}",
         "version"},
        {"change_curriculum", "{\"operations\":{}}", "operations: must be an array"},
        {"undo", "{\"restore\":1,\"version\":1}", "not both"},
        {"undo", "{\"version\":123456}", "no change ended"},
        {"batch_add_components", "{\"node_id\":\"N3\",\"components\":[7]}", "op"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct error err;
        json_t *interrupt = describe(fixture, cases[i].tool, cases[i].arguments, &err);

        if (interrupt)
            fail_msg("%s %s is asked about", cases[i].tool, cases[i].arguments);
        expect_part(err.text, cases[i].why);
    }
}

#define told(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which),
        cmocka_unit_test(test_a_new_tool_asks),
        told(delete_component),
        told(delete_node),
        told(operations_build_on_each_other),
        told(order),
        told(edits),
        told(undo),
        told(many),
        told(what_would_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
