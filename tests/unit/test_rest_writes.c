/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The session API's later routes and the rules of all of them: conditions, keys, lists of faults,
 * node ids of any characters, and the description of it all.
 */
#include "tests/unit/session_fixture.h"

#include "mcp/api/rest.h"

static struct rest_request next; /* headers of the next request */

struct answer {
    struct rest_response response;
    json_t *json; /* NULL with 304 */
};

static struct answer ask(struct fixture *fixture, const char *method, const char *path,
                         const char *body)
{
    struct rest_request request = next;
    struct answer answer;
    char text[1024];
    char *query;

    snprintf(text, sizeof text, "%s%s%s", *path == '.' ? "/session/" : "",
             *path == '.' ? fixture->sid : "", path + (*path == '.'));
    query = strchr(text, '?');
    if (query)
        *query = '\0';
    request.method = method;
    request.path = text;
    request.query = query ? query + 1 : "";
    request.who = "test";
    request.body = body ? body : "";
    request.body_len = body ? strlen(body) : 0;
    rest_handle(fixture->store, &request, &answer.response);
    memset(&next, 0, sizeof next);
    answer.json = answer.response.body.len > 0 ? parse(answer.response.body.data) : NULL;
    return answer;
}

static void drop(struct answer *answer)
{
    json_decref(answer->json);
    rest_response_finish(&answer->response);
}

static void expect(struct fixture *fixture, const char *method, const char *path, const char *body,
                   int status, const char *says)
{
    struct answer answer = ask(fixture, method, path, body);
    const char *text = answer.response.body.data ? answer.response.body.data : "";

    if (answer.response.status != status || (says && !strstr(text, says)))
        fail_msg("%s %s %s: %d %s (wanted %d, '%s')", method, path, body ? body : "",
                 answer.response.status, text, status, says ? says : "");
    drop(&answer);
}

#define PARAGRAPH(text) "{\"type\":\"paragraph\",\"parameters\":{\"text\":\"" text "\"}}"

static void test_nodes_and_positions(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "PUT", "./nodes/N001", "{\"title\":\"New\",\"level\":2}", 200,
           "\"revision\":2");
    expect(fixture, "PUT", "./nodes/N001", "{\"title\":\"Newer\",\"expected_revision\":1}", 409,
           NULL);
    expect(fixture, "PUT", "./nodes/N001", "{\"title\":\"x\",\"node_id\":\"N002\"}", 422,
           "[\"body\",\"node_id\"]");
    expect(fixture, "PUT", "./nodes/N009", "{\"title\":\"x\"}", 404, NULL);
    expect(fixture, "GET", "./nodes", NULL, 200, "\"title\":\"New\"");
    expect(fixture, "PUT", "./positions", "{\"positions\":{\"N001\":{\"x\":1.5,\"y\":2}}}", 200,
           NULL);
    expect(fixture, "PUT", "./positions", "{\"positions\":{\"N002\":{\"x\":3,\"y\":4}}}", 200,
           NULL);
    expect(fixture, "GET", "./positions", NULL, 200,
           "\"positions\":{\"N001\":{\"x\":1.5,\"y\":2},\"N002\":{\"x\":3,\"y\":4}}");
    expect(fixture, "PUT", "./positions", "[]", 422, "{\"loc\":[\"body\"],");
    expect(fixture, "PUT", "./positions", "{}", 422,
           "{\"loc\":[\"body\",\"positions\"],\"msg\":\"is needed, send an object: {");
    expect(fixture, "PUT", "./positions", "{\"positions\":{\"N001\":{\"x\":\"1\",\"y\":2}}}", 422,
           "[\"body\",\"positions\",\"N001\",\"x\"]");
}

static void test_sequences(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "PUT", "./nodes/N001/auto-save",
           "{\"components\":[" PARAGRAPH("a") "," PARAGRAPH("b") "," PARAGRAPH("c") "]}", 200,
           "\"total_components\":3}");
    expect(fixture, "POST", "./nodes/N001/components/reorder", "{\"order\":[3,1,2]}", 200,
           "\"components\":[");
    expect(fixture, "POST", "/nodes/N001/components/reorder", "[2,3,1]", 200, NULL);
    expect(fixture, "POST", "./nodes/N001/components/reorder", "{}", 422, "[\"body\",\"order\"]");
    expect(fixture, "POST", "./nodes/N001/components/reorder", "5", 422, "{\"loc\":[\"body\"],");
    expect(fixture, "POST", "./nodes/N001/components/reorder", "[1,2]", 422, NULL);
    expect(fixture, "POST", "./nodes/N001/components/insert",
           "{\"position\":\"1\",\"type\":\"heading\",\"parameters\":{\"text\":\"x\"}}", 422,
           "[\"body\",\"position\"]");
}

static void test_relationships(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "POST", "./relationships/bulk",
           "{\"relationships\":[{\"from\":\"N001\",\"to\":\"N002\",\"type\":\"LEADS_TO\"}]}", 200,
           "\"created\":1");
    expect(fixture, "POST", "./relationships/bulk",
           "[{\"from\":\"N001\",\"to\":\"N9\"},{\"from\":\"N002\",\"to\":\"N002\"}]", 422,
           "[\"body\",\"relationships\",0,\"to\"]");
    expect(fixture, "POST", "./relationships/bulk", "{}", 422, "[\"body\",\"relationships\"]");
    expect(fixture, "PUT", "./relationships/1", "{\"explanation\":\"why\"}", 200, "\"id\":1");
    expect(fixture, "GET", "./relationships", NULL, 200, "\"explanation\":\"why\"");
    expect(fixture, "PUT", "./relationships/x", "{\"explanation\":\"why\"}", 422,
           "\"loc\":[\"path\",\"id\"]");
    expect(fixture, "DELETE", "./relationships/1", NULL, 200, "\"success\":true");
    expect(fixture, "DELETE", "./relationships/1", NULL, 404, NULL);
}

static void test_history(void **state)
{
    struct fixture *fixture = *state;
    struct answer history;
    char path[128];

    expect(fixture, "PUT", "./nodes/N001", "{\"title\":\"New\"}", 200, NULL);
    expect(fixture, "GET", "./history?limit=1", NULL, 200, "\"what\":\"");
    expect(fixture, "GET", "./history?limit=0", NULL, 422, "\"loc\":[\"query\",\"limit\"]");
    expect(fixture, "GET", "./history?limit=501", NULL, 422, "from 1 to 500");
    expect(fixture, "GET", "./history?since=x", NULL, 422, "\"loc\":[\"query\",\"since\"]");
    expect(fixture, "GET", "./history?texts=no", NULL, 422, "\"loc\":[\"query\",\"texts\"]");
    history = ask(fixture, "GET", "./history?texts=false", NULL);
    snprintf(path, sizeof path, "./difference?from=%lld",
             (long long)json_integer_value(json_object_get(history.json, "version")) - 1);
    drop(&history);
    expect(fixture, "GET", path, NULL, 200, "\"title\":\"New\"");
    expect(fixture, "GET", "./difference", NULL, 422, "\"loc\":[\"query\",\"from\"]");
    expect(fixture, "GET", "./difference?from=1&to=99", NULL, 422, "\"loc\":[\"query\",\"to\"]");
    expect(fixture, "POST", "./undo", NULL, 200, "\"by_set\":\"");
    expect(fixture, "GET", "./nodes", NULL, 200, "First node");
    expect(fixture, "POST", "./undo", "{\"change_set\":5}", 422, "[\"body\",\"change_set\"]");
    expect(fixture, "POST", "./undo", "{\"change_set\":\"none\"}", 404, NULL);
    expect(fixture, "POST", "./restore", "{\"version\":1}", 200, "\"success\":true");
    expect(fixture, "POST", "./restore", "{\"version\":\"1\"}", 422, "[\"body\",\"version\"]");
    expect(fixture, "POST", "./restore", "{}", 422, "\"type\":\"missing\"");
}

/* One entry for each fault, with its own place; what is not there at all is missing. */
static void test_each_fault(void **state)
{
    struct fixture *fixture = *state;
    struct answer answer =
        ask(fixture, "POST", "./nodes",
            "{\"title\":5,\"chapter_id\":\"2\",\"raw_content\":7,\"content_category\":\"no\"}");
    static const char *const fields[] = {"node_id", "title", "raw_content", "chapter_id",
                                         "content_category"};
    const json_t *detail = json_object_get(answer.json, "detail");

    assert_int_equal(answer.response.status, 422);
    assert_int_equal(json_array_size(detail), 5);
    for (size_t i = 0; i < 5; i++) {
        const json_t *fault = json_array_get(detail, i), *loc = json_object_get(fault, "loc");

        assert_int_equal(json_array_size(loc), 2);
        assert_string_equal(json_string_value(json_array_get(loc, 1)), fields[i]);
        assert_string_equal(json_string_value(json_object_get(fault, "type")),
                            i == 0 ? "missing" : "value_error");
        assert_true(json_string_length(json_object_get(fault, "msg")) > 0);
    }
    drop(&answer);
    answer = ask(fixture, "POST", "./nodes/N001/components",
                 "{\"components\":[{\"type\":\"definition\",\"parameters\":{\"term\":1}},5,"
                 "{\"type\":\"headin\",\"confidence\":2}]}");
    detail = json_object_get(answer.json, "detail");
    assert_int_equal(answer.response.status, 422);
    assert_int_equal(json_array_size(detail), 5);
    assert_non_null(strstr(answer.response.body.data,
                           "{\"loc\":[\"body\",\"components\",0,\"parameters\",\"definition\"]"));
    assert_non_null(strstr(answer.response.body.data, "{\"loc\":[\"body\",\"components\",1]"));
    assert_non_null(
        strstr(answer.response.body.data, "{\"loc\":[\"body\",\"components\",2,\"confidence\"]"));
    drop(&answer);
    expect(fixture, "POST", "./nodes", "{\"node_id\":NaN}", 400, "{\"detail\":\"");
    expect(fixture, "POST", "./nodes", "{\"node_id\":\"X\",\"title\":\"t\",\"chapter_id\":1e999}",
           400, "{\"detail\":\"");
    expect(fixture, "POST", "./nodes", "\"text\"", 422, "{\"loc\":[\"body\"],");
    expect(fixture, "POST", "./nodes", NULL, 422, "\"type\":\"missing\"");
}

static void test_conditions(void **state)
{
    struct fixture *fixture = *state;
    struct answer nodes = ask(fixture, "GET", "./nodes", NULL);
    char many[128];

    next.if_none_match = nodes.response.etag;
    expect(fixture, "GET", "./nodes", NULL, 304, NULL);
    snprintf(many, sizeof many, "\"c99\", W/%s", nodes.response.etag);
    next.if_none_match = many;
    expect(fixture, "GET", "./nodes", NULL, 304, NULL);
    next.if_match = many; /* a weak one never holds for a write */
    expect(fixture, "PUT", "./nodes/N001", "{\"title\":\"x\"}", 412, "\"current\":{\"session_id\"");
    snprintf(many, sizeof many, "\"v999\", %s", nodes.response.etag);
    next.if_match = many;
    expect(fixture, "PUT", "./nodes/N001", "{\"title\":\"x\"}", 200, NULL);
    next.if_match = many;
    expect(fixture, "PUT", "./positions", "{\"positions\":{}}", 412, "\"current\":{\"session_id\"");
    next.if_none_match = nodes.response.etag;
    expect(fixture, "GET", "./nodes", NULL, 200, "\"title\":\"x\"");
    next.if_none_match = "*";
    expect(fixture, "GET", "./nodes", NULL, 304, NULL);
    next.if_match = "garbage";
    expect(fixture, "POST", "./undo", NULL, 412, NULL);
    expect(fixture, "GET", "./nodes", NULL, 200, "\"title\":\"x\"");
    drop(&nodes);
    /* The ETag that a write leaves is the one of the next read. */
    nodes = ask(fixture, "POST", "./nodes/N001/components/insert", PARAGRAPH("a"));
    next.if_none_match = nodes.response.etag;
    expect(fixture, "GET", "./nodes/N001/components", NULL, 304, NULL);
    drop(&nodes);
}

static void test_keys(void **state)
{
    struct fixture *fixture = *state;
    struct answer first, again;
    char large[300];

    next.idempotency_key = "k1";
    first = ask(fixture, "POST", "./nodes/N001/components/insert", PARAGRAPH("a"));
    assert_int_equal(first.response.status, 200);
    assert_false(first.response.replayed);
    next.idempotency_key = "k1";
    again = ask(fixture, "POST", "./nodes/N001/components/insert", PARAGRAPH("a"));
    assert_int_equal(again.response.status, 200);
    assert_true(again.response.replayed);
    assert_string_equal(first.response.body.data, again.response.body.data);
    drop(&first);
    drop(&again);
    expect(fixture, "GET", "./nodes/N001/components", NULL, 200, "\"total_components\":1");
    next.idempotency_key = "k1";
    expect(fixture, "POST", "./nodes/N001/components/insert", PARAGRAPH("b"), 409, "k1");
    next.idempotency_key = "k1";
    expect(fixture, "DELETE", "./nodes/N001", NULL, 409, "k1");
    /* What was refused has done nothing, and its key is free. */
    next.idempotency_key = "k2";
    expect(fixture, "POST", "./nodes", "{\"node_id\":\"N001\",\"title\":\"t\"}", 409, "in use");
    next.idempotency_key = "k2";
    expect(fixture, "POST", "./nodes", "{\"node_id\":\"N003\",\"title\":\"t\"}", 200, NULL);
    next.idempotency_key = "";
    expect(fixture, "POST", "./undo", NULL, 422, "\"loc\":[\"header\",\"Idempotency-Key\"]");
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    next.idempotency_key = large;
    expect(fixture, "POST", "./undo", NULL, 422, "200 characters");
}

static void test_odd_ids(void **state)
{
    static const struct {
        const char *json, *path;
    } ids[] = {{"a/b", "a%2Fb"},
               {"x y+z", "x%20y+z"},
               {"..", ".."},
               {"50%", "50%25"},
               {"\\u00fc", "%C3%BC"},
               {"a/../b", "a%2f..%2Fb"},
               {"?q=1&r;s#t", "%3Fq=1%26r%3Bs%23t"}};
    struct fixture *fixture = *state;

    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        char body[128], path[128];

        snprintf(body, sizeof body, "{\"node_id\":\"%s\",\"title\":\"t\"}", ids[i].json);
        expect(fixture, "POST", "./nodes", body, 200, NULL);
        snprintf(path, sizeof path, "./nodes/%s/components/insert", ids[i].path);
        expect(fixture, "POST", path, PARAGRAPH("a"), 200, "\"order\":1");
        snprintf(path, sizeof path, "/nodes/%s/components", ids[i].path);
        expect(fixture, "GET", path, NULL, 200, "\"total_components\":1");
        snprintf(path, sizeof path, "./nodes/%s", ids[i].path);
        expect(fixture, "DELETE", path, NULL, 200, NULL);
    }
    expect(fixture, "GET", "./nodes/%zz/components", NULL, 404, NULL);
    expect(fixture, "GET", "./nodes/a%2/components", NULL, 404, NULL);
    expect(fixture, "GET", "./nodes/%00/components", NULL, 404, NULL);
}

/* Every reference of the description leads somewhere, and every operation has its own id. */
static void check_references(const json_t *whole, const json_t *value)
{
    const char *key;
    json_t *inner;
    size_t i;

    json_array_foreach((json_t *)value, i, inner) check_references(whole, inner);
    json_object_foreach((json_t *)value, key, inner)
    {
        const char *text = json_string_value(inner);
        char kind[32] = "", name[64] = "";

        if (strcmp(key, "$ref") != 0 || !text) {
            check_references(whole, inner);
            continue;
        }
        assert_int_equal(sscanf(text, "#/components/%31[^/]/%63s", kind, name), 2);
        if (!json_object_get(json_object_get(json_object_get(whole, "components"), kind), name))
            fail_msg("%s leads nowhere", text);
    }
}

static void test_description(void **state)
{
    struct fixture *fixture = *state;
    struct answer answer = ask(fixture, "GET", "/openapi.json", NULL);
    json_auto_t *seen = json_object();
    size_t operations = 0;
    const char *path, *method;
    json_t *methods, *operation;

    assert_int_equal(answer.response.status, 200);
    check_references(answer.json, answer.json);
    json_object_foreach(json_object_get(answer.json, "paths"), path, methods)
    {
        json_object_foreach(methods, method, operation)
        {
            const char *id = json_get_string(operation, "operationId");

            assert_non_null(id);
            assert_null(json_object_get(seen, id));
            json_object_set_new(seen, id, json_true());
            assert_non_null(json_object_get(json_object_get(operation, "responses"), "200"));
            operations++;
        }
        if (strcmp(path, "/execute") != 0 && strcmp(path, "/metrics") != 0 &&
            strncmp(path, "/learners/", 10) != 0) {
            char allow[64];

            assert_null(rest_find("PATCH", path, allow, sizeof allow));
            assert_string_not_equal(allow, "");
        }
    }
    assert_true(operations > 40);
    drop(&answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_nodes_and_positions, fixture_open_session,
                                        fixture_close),
        cmocka_unit_test_setup_teardown(test_sequences, fixture_open_session, fixture_close),
        cmocka_unit_test_setup_teardown(test_relationships, fixture_open_session, fixture_close),
        cmocka_unit_test_setup_teardown(test_history, fixture_open_session, fixture_close),
        cmocka_unit_test_setup_teardown(test_each_fault, fixture_open_session, fixture_close),
        cmocka_unit_test_setup_teardown(test_conditions, fixture_open_session, fixture_close),
        cmocka_unit_test_setup_teardown(test_keys, fixture_open_session, fixture_close),
        cmocka_unit_test_setup_teardown(test_odd_ids, fixture_open_session, fixture_close),
        cmocka_unit_test_setup_teardown(test_description, fixture_open_session, fixture_close),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
