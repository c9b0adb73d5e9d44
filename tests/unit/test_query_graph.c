/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tool query_graph and the graphs it keeps, over a real store: arguments as models send them,
 * the answer after a write, and the schema within its budget.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "helpers/base/json.h"
#include "helpers/graph/graph.h"
#include "mcp/change/curriculum_file.h"
#include "mcp/change/graph_cache.h"
#include "mcp/server.h"
#include "mcp/store/entities/component.h"
#include "mcp/store/entities/relationship.h"
#include "mcp/tool/arguments.h"

/* The description and schema are paid for in every client's context: about 450 tokens. */
#define DESCRIBED_CAP 1700u

static const char curriculum[] =
    "{\"nodes\": [{\"node_id\": \"N1\", \"title\": \"One\", \"components\": []},"
    "{\"node_id\": \"N2\", \"title\": \"Two\", \"components\": []},"
    "{\"node_id\": \"N3\", \"title\": \"Three\", \"components\": []}],"
    "\"relationships\": [{\"from_node_id\": \"N1\", \"to_node_id\": \"N2\", \"relationship_type\": "
    "\"PREREQUISITE\"},"
    "{\"from_node_id\": \"N2\", \"to_node_id\": \"GONE\", \"relationship_type\": "
    "\"PREREQUISITE\"}]}";

struct fixture {
    char folder[64], url[96];
    struct store *store;
    struct server server;
    char sid[SESSION_ID_SIZE];
};

static const struct writer writer = {.who = "test"};

static void load(struct fixture *fixture, char sid[SESSION_ID_SIZE])
{
    struct import_report report = {0};
    struct error err = {0};

    if (curriculum_import(fixture->store, &writer, curriculum, strlen(curriculum), "Test", false,
                          NULL, &report, NULL, &err) < 0)
        fail_msg("%s", err.text);
    snprintf(sid, SESSION_ID_SIZE, "%s", report.session_id);
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct error err = {0};

    snprintf(fixture->folder, sizeof fixture->folder, "/tmp/lectern-graph-XXXXXX");
    if (!mkdtemp(fixture->folder))
        return -1;
    snprintf(fixture->url, sizeof fixture->url, "sqlite:%s/store.db", fixture->folder);
    fixture->store = store_open(fixture->url, STORE_WRITE, &err);
    fixture->server.store.graphs = graph_cache_create(0, &err);
    if (!fixture->store || !fixture->server.store.graphs)
        return -1;
    load(fixture, fixture->sid);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    static const char *const files[] = {"store.db", "store.db-wal", "store.db-shm"};
    struct fixture *fixture = *state;
    char path[128];

    graph_cache_destroy(fixture->server.store.graphs);
    store_close(fixture->store);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", fixture->folder, files[i]);
        unlink(path);
    }
    rmdir(fixture->folder);
    free(fixture);
    return 0;
}

/* Runs the tool with these arguments; what it says is in text. */
static int call_tool(struct fixture *fixture, const char *arguments, char *text, size_t size)
{
    struct tool_call call = {.tool = &tool_query_graph, .server = &fixture->server, .who = "test"};
    struct error err = {0};
    int rc;

    call.arguments = json_read(arguments, strlen(arguments), "arguments", &err);
    assert_non_null(call.arguments);
    buf_init(&call.text, TOOL_ANSWER_CAP);
    rc = arguments_take(&call, &err);
    if (rc == 0)
        rc = tool_query_graph.run(&call, fixture->store, &err);
    snprintf(text, size, "%s", rc < 0 ? err.text : call.text.data);
    buf_finish(&call.text);
    json_decref(call.arguments);
    return rc;
}

static void expect(struct fixture *fixture, const char *arguments, int rc, const char *wanted)
{
    char text[4096];

    assert_int_equal(call_tool(fixture, arguments, text, sizeof text), rc);
    if (!strstr(text, wanted))
        fail_msg("%s: '%s' is not in: %s", arguments, wanted, text);
}

static void test_answers(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "{\"query\": \"needs\", \"node_id\": \"Two\"}", 0, "N2 \"Two\" needs 1 node");
    expect(fixture, "{\"query\": \"needs\", \"node_id\": \"N2\"}", 0,
           "Left out: 1 with a missing end.");
    expect(fixture, "{\"query\": \"path\", \"from_node_id\": \"N1\", \"to_node_id\": \"N2\"}", 0,
           "1 step");
    expect(fixture, "{\"query\": \"order\", \"limit\": \"1\", \"node_id\": \"\", \"types\": null}",
           0, "… and 2 more (limit 3 shows all)");
    expect(fixture, "{\"query\": \"order\", \"types\": [\"ENRICHMENT\"]}", 0,
           "Over ENRICHMENT (none here): 0 edges");
    expect(fixture, "{\"query\": \"order\", \"types\": \"all\"}", 0, "Over PREREQUISITE: 1 edge");
    expect(fixture, "{\"query\": \"order\", \"types\": \"[\\\"all\\\"]\"}", 0,
           "Over PREREQUISITE: 1 edge");
}

static void test_wrong_arguments(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "{}", -1, "query: is needed, send one of outline, ");
    expect(fixture, "{\"query\": \"need\", \"node_id\": \"N2\"}", -1, "did you mean 'needs'?");
    expect(fixture, "{\"query\": \"needs\"}", -1, "needs takes node_id: ");
    expect(fixture, "{\"query\": \"path\", \"node_id\": \"N1\"}", -1,
           "path takes from_node_id and to_node_id: ");
    expect(fixture, "{\"query\": 3}", -1, "query: must be one of outline, ");
    expect(fixture, "{\"query\": \"needs\", \"node_id\": \"N4\"}", -1, "the nearest is N1");
    expect(fixture, "{\"query\": \"order\", \"limit\": 501}", -1,
           "limit: must be a whole number from 1 to 500");
    expect(fixture, "{\"query\": \"order\", \"limit\": 0}", -1,
           "limit: must be a whole number from 1 to 500");
    expect(fixture, "{\"query\": \"order\", \"types\": [1]}", -1,
           "types.0: must be text, not a number");
    expect(fixture, "{\"query\": \"order\", \"types\": {}}", -1,
           "types: must be an array of text, not an object");
    expect(fixture,
           "{\"query\": \"order\", \"types\": "
           "[\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\","
           "\"a\",\"a\",\"a\",\"a\",\"a\",\"a\"]}",
           -1, "types takes up to 16");
    expect(fixture,
           "{\"query\": \"order\", \"session_id\": \"00000000-0000-0000-0000-000000000000\"}", -1,
           "session");
}

static void relate(struct fixture *fixture, const char *from, const char *to)
{
    struct relationship_state state = {0};
    struct error err = {0};
    json_t *relationship = json_pack("{s:s, s:s, s:s}", "from_node_id", from, "to_node_id", to,
                                     "relationship_type", "PREREQUISITE");

    if (store_relationship_create(fixture->store, &writer, fixture->sid, relationship, &state,
                                  &err) < 0)
        fail_msg("%s", err.text);
    json_decref(state.cycle);
    json_decref(relationship);
}

static void test_sees_every_write(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "{\"query\": \"longest_chain\"}", 0, "The longest chain: 1 step");
    relate(fixture, "N2", "N3");
    expect(fixture, "{\"query\": \"longest_chain\"}", 0, "The longest chain: 2 steps");
    relate(fixture, "N3", "N1");
    expect(fixture, "{\"query\": \"cycles\"}", 0, "a shortest cycle of 3");
    expect(fixture, "{\"query\": \"cycles\"}", 0, "\n  N1 -> N2 PREREQUISITE (id ");
    expect(fixture, "{\"query\": \"cycles\"}", 0, "(then no cycle is left here)");
}

static void add_paragraph(struct fixture *fixture, const char *node_id, const char *text)
{
    json_auto_t *component =
        json_pack("{s:s, s:{s:s}}", "type", "paragraph", "parameters", "text", text);
    struct error err = {0};

    if (store_component_insert(fixture->store, &writer, fixture->sid, node_id, 0, component, NULL,
                               &err) < 0)
        fail_msg("%s", err.text);
}

/* Words that a reader sees: no markup. */
static void test_words(void **state)
{
    struct fixture *fixture = *state;

    add_paragraph(fixture, "N1", "three plain words");
    add_paragraph(fixture, "N2", "<b>two</b> <i>words</i>");
    expect(fixture, "{\"query\": \"order\", \"words\": true}", 0,
           "N1 \"One\", 3 words\nN2 \"Two\", 2 words\nN3 \"Three\", 0 words\n");
    expect(fixture, "{\"query\": \"pace\", \"parts\": \"2\"}", 0,
           "part 1, 1 node, 3 words: N1 \"One\"\npart 2, 2 nodes, 2 words: N2 ");
    expect(fixture, "{\"query\": \"pace\"}", -1, "takes parts");
    expect(fixture, "{\"query\": \"order\", \"parts\": 2}", -1, "send pace with parts");
}

static void test_keeps_a_graph_for_each_version(void **state)
{
    struct fixture *fixture = *state;
    struct graph_cache *cache = fixture->server.store.graphs;
    char others[GRAPH_CACHE_ENTRIES][SESSION_ID_SIZE];
    struct error err = {0};
    struct graph *first = graph_cache_get(cache, fixture->store, fixture->sid, &err);

    assert_non_null(first);
    assert_ptr_equal(graph_cache_get(cache, fixture->store, fixture->sid, &err), first);
    /* One less than there is room for: the first stays, and stays the same. */
    for (size_t i = 0; i + 1 < GRAPH_CACHE_ENTRIES; i++) {
        load(fixture, others[i]);
        assert_non_null(graph_cache_get(cache, fixture->store, others[i], &err));
    }
    assert_ptr_equal(graph_cache_get(cache, fixture->store, fixture->sid, &err), first);
    /* With one more the least recently asked goes; all can still be had. */
    load(fixture, others[GRAPH_CACHE_ENTRIES - 1]);
    for (size_t i = 0; i < (size_t)3 * GRAPH_CACHE_ENTRIES; i++)
        assert_non_null(
            graph_cache_get(cache, fixture->store, others[i % GRAPH_CACHE_ENTRIES], &err));
    assert_non_null(graph_cache_get(cache, fixture->store, fixture->sid, &err));
    assert_null(graph_cache_get(cache, fixture->store, "no such session", &err));
    assert_int_equal(err.kind, ERROR_UNAUTHORIZED);
    expect(fixture, "{\"query\": \"order\"}", -1, "Test");
}

static void test_schema(void **state)
{
    struct buf BUF_AUTO text = {0};
    struct error err = {0};
    size_t count;
    json_t *schema, *names;

    (void)state;
    graph_queries(&count);
    buf_init(&text, 0);
    fields_schema(&tool_query_graph.arguments, NULL, NULL, &text);
    schema = json_read(text.data, text.len, "the schema", &err);
    assert_non_null(schema);
    names =
        json_object_get(json_object_get(json_object_get(schema, "properties"), "query"), "enum");
    assert_int_equal(json_array_size(names), count);
    assert_true(text.len + strlen(tool_query_graph.description) < DESCRIBED_CAP);
    json_decref(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_answers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wrong_arguments, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sees_every_write, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_words, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_keeps_a_graph_for_each_version, set_up, tear_down),
        cmocka_unit_test(test_schema),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
