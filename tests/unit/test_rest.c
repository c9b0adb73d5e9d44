/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The session API over a real store: every route, the errors' shapes, the two spellings, ETags, the
 * broker.
 */
#include "mcp/store/entities/session.h"
#include "tests/unit/session_fixture.h"

#include "mcp/api/rest.h"
#include "mcp/change/graph_cache.h"

struct answer {
    int status;
    char etag[72];
    char *text;
    json_t *json;
};

static const char *header_session, *if_match; /* of the next request */
static struct graph_cache *graphs;            /* what the graph work queue lends; or NULL */

static struct answer take(struct rest_response *response)
{
    struct answer answer = {.status = response->status};

    memcpy(answer.etag, response->etag, sizeof answer.etag);
    answer.text = strdup(response->body.data ? response->body.data : "");
    answer.json = parse(answer.text);
    rest_response_finish(response);
    return answer;
}

static struct answer ask(struct fixture *fixture, const char *method, const char *path,
                         const char *body)
{
    struct rest_request request = {.method = method,
                                   .query = "",
                                   .session_header = header_session,
                                   .if_match = if_match,
                                   .who = "test",
                                   .body = body,
                                   .body_len = body ? strlen(body) : 0};
    struct rest_response response;
    char text[REST_PATH_MAX * 2];
    char *query;

    snprintf(text, sizeof text, "%s", path);
    query = strchr(text, '?');
    if (query) {
        *query = '\0';
        request.query = query + 1;
    }
    request.path = text;
    request.graphs = graphs;
    rest_handle(fixture->store, &request, &response);
    header_session = if_match = NULL;
    return take(&response);
}

static void drop(struct answer *answer)
{
    json_decref(answer->json);
    free(answer->text);
    memset(answer, 0, sizeof *answer);
}

/* Asks, checks the status and that all of says is in the answer. */
static void expect(struct fixture *fixture, const char *method, const char *path, const char *body,
                   int status, const char *says)
{
    struct answer answer = ask(fixture, method, path, body);

    if (answer.status != status || (says && !strstr(answer.text, says)))
        fail_msg("%s %s: %d %s (wanted %d, '%s')", method, path, answer.status, answer.text, status,
                 says ? says : "");
    drop(&answer);
}

static const char *in_session(struct fixture *fixture, const char *rest)
{
    static char paths[4][512];
    static size_t next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof paths[0], "/session/%s%s", fixture->sid, rest);
    return path;
}

static void test_service_and_sessions(void **state)
{
    struct fixture *fixture = *state;
    struct answer made;
    char path[128];

    expect(fixture, "GET", "/health", NULL, 200,
           "{\"status\":\"healthy\",\"service\":\"lectern\",\"version\":\"");
    made = ask(fixture, "POST", "/session/create", NULL);
    assert_int_equal(made.status, 200);
    assert_true(json_is_null(json_object_get(made.json, "expires_in_hours")));
    snprintf(path, sizeof path, "/session/validate/%s", json_get_string(made.json, "session_id"));
    expect(fixture, "GET", path, NULL, 200, "\"valid\":true");
    expect(fixture, "GET", "/session/validate/nobody", NULL, 200, "\"valid\":false");
    expect(fixture, "GET", "/sessions", NULL, 200, "\"total\":2");
    expect(fixture, "GET", "/sessions", NULL, 200,
           "\"title\":\"A course\",\"nodes\":2,\"relationships\":0");
    snprintf(path, sizeof path, "/session/%s/nodes", json_get_string(made.json, "session_id"));
    expect(fixture, "GET", path, NULL, 200, "\"total\":2");
    expect(fixture, "POST", "/session/create", "{\"title\":\"Named\"}", 200, "session_id");
    expect(fixture, "GET", "/sessions", NULL, 200, "\"title\":\"Named\"");
    expect(fixture, "POST", "/session/create", "[]", 422, "\"loc\":[\"body\"]");
    drop(&made);
}

static void test_nodes(void **state)
{
    struct fixture *fixture = *state;
    struct answer list;
    const json_t *node;

    expect(fixture, "POST", in_session(fixture, "/nodes"),
           "{\"node_id\":\"N003\",\"title\":\"Third\",\"raw_content\":\"text\",\"chapter_id\":2,"
           "\"level\":1.0}",
           200, "\"success\":true");
    expect(fixture, "POST", in_session(fixture, "/nodes"),
           "{\"node_id\":\"N003\",\"title\":\"Again\"}", 409,
           "{\"detail\":\"the node id 'N003' is in use");
    expect(fixture, "POST", in_session(fixture, "/nodes"),
           "{\"node_id\":\"\",\"chapter_id\":\"2\"}", 422,
           "{\"detail\":[{\"loc\":[\"body\",\"node_id\"],\"msg\":");
    expect(fixture, "POST", in_session(fixture, "/nodes"),
           "{\"node_id\":\"a\\nb\",\"title\":\"t\"}", 422, "control character");
    expect(fixture, "POST", in_session(fixture, "/nodes"), "{", 400, "line 1, column");
    expect(fixture, "POST", in_session(fixture, "/nodes"), NULL, 422,
           "{\"detail\":[{\"loc\":[\"body\"],\"msg\":\"POST /session/{sid}/nodes needs a JSON "
           "body\",\"type\":"
           "\"missing\"}]}");
    list = ask(fixture, "GET", in_session(fixture, "/nodes"), NULL);
    node = json_array_get(json_object_get(list.json, "nodes"), 2);
    assert_string_equal(json_get_string(node, "title"), "Third");
    assert_int_equal(json_integer_value(json_object_get(node, "chapter_id")), 2);
    assert_true(json_is_real(json_object_get(node, "level")));
    assert_true(json_is_null(json_object_get(node, "content_category")));
    assert_string_equal(json_get_string(node, "session_id"), fixture->sid);
    assert_int_equal(strlen(json_get_string(node, "created_at")), 24);
    assert_int_equal(strlen(json_get_string(node, "last_modified")), 24);
    drop(&list);
    expect(fixture, "DELETE", in_session(fixture, "/nodes/N003"), NULL, 200, "\"success\":true");
    expect(fixture, "DELETE", in_session(fixture, "/nodes/N003"), NULL, 404, "did you mean N00");
    expect(fixture, "GET", "/session/nobody/nodes", NULL, 401,
           "{\"detail\":\"there is no session 'nobody'");
}

static void test_texts(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "GET", in_session(fixture, "/nodes/N001/content"), NULL, 200,
           "{\"node_id\":\"N001\",\"explanation\":\"\",\"real_world_example\":\"\",\"textbook_"
           "content\":\"\","
           "\"memory_trick\":\"\"}");
    expect(fixture, "POST", in_session(fixture, "/nodes/N001/content"),
           "{\"explanation\":\"why\",\"memory_trick\":\"how\"}", 200, "\"success\":true");
    expect(fixture, "POST", in_session(fixture, "/nodes/N001/content"), "{\"memory_trick\":null}",
           200, NULL);
    expect(fixture, "GET", in_session(fixture, "/nodes/N001/content"), NULL, 200,
           "\"explanation\":\"why\"");
    expect(fixture, "GET", in_session(fixture, "/nodes/N001/content"), NULL, 200,
           "\"memory_trick\":\"\"");
    expect(fixture, "POST", in_session(fixture, "/nodes/N001/content"), "{\"explanation\":5}", 422,
           "[\"body\",\"explanation\"]");
    expect(fixture, "POST", in_session(fixture, "/nodes/N001/content"), "{\"explaination\":\"x\"}",
           422, "did you mean 'explanation'?");
    expect(fixture, "GET", in_session(fixture, "/nodes/N009/content"), NULL, 404, "no node 'N009'");
}

static void test_relationships(void **state)
{
    struct fixture *fixture = *state;
    const char *path = in_session(fixture, "/relationships");
    struct answer list;
    const json_t *edge;

    expect(fixture, "POST", path,
           "{\"from_node_id\":\"N001\",\"to_node_id\":\"N002\",\"relationship_type\":"
           "\"PREREQUISITE\"}",
           200, "\"id\":");
    expect(fixture, "POST", path,
           "{\"from_node_id\":\"N001\",\"to_node_id\":\"N002\",\"relationship_type\":"
           "\"PREREQUISITE\"}",
           409, "already");
    expect(fixture, "POST", path, "{\"from_node_id\":\"N001\",\"to_node_id\":\"N001\"}", 422,
           "[\"body\",\"to_node_id\"]");
    expect(fixture, "POST", path, "{\"from_node_id\":\"N001\",\"to_node_id\":\"N02\"}", 404,
           "N002");
    expect(fixture, "POST", path,
           "{\"from_node_id\":\"N001\",\"to_node_id\":\"N002\",\"relationship_type\":\"LEADS\","
           "\"confidence_score\":1.5}",
           422,
           "{\"loc\":[\"body\",\"confidence_score\"],\"msg\":\"must be a number from 0 to "
           "1\",\"type\":\"value_error\"}");
    expect(fixture, "POST", path,
           "{\"from_node_id\":\"N002\",\"to_node_id\":\"N001\",\"relationship_type\":"
           "\"PREREQUISITE_FOR\"}",
           200,
           "\"cycle\":[{\"node_id\":\"N001\",\"title\":\"First "
           "node\"},{\"node_id\":\"N002\",\"title\":"
           "\"Second node\"}]");
    list = ask(fixture, "GET", path, NULL);
    assert_int_equal(json_integer_value(json_object_get(list.json, "total")), 2);
    edge = json_array_get(json_object_get(list.json, "relationships"), 0);
    assert_true(json_is_integer(json_object_get(edge, "id")));
    assert_string_equal(json_get_string(edge, "session_id"), fixture->sid);
    assert_string_equal(json_get_string(edge, "created_by"), "test");
    assert_string_equal(json_get_string(edge, "explanation"), "");
    assert_true(json_real_value(json_object_get(edge, "confidence_score")) == 1.0);
    drop(&list);
}

#define SEQUENCE "/nodes/N001/components"

static void test_components(void **state)
{
    struct fixture *fixture = *state;
    struct answer list;
    const json_t *component;
    char body[256];

    expect(
        fixture, "POST", in_session(fixture, SEQUENCE),
        "{\"components\":[{\"type\":\"paragraph\",\"order\":9,\"parameters\":{\"text\":\"last\"}},"
        "{\"component_type\":\"heading\",\"order\":2,\"parameters\":{\"text\":\"first\"},"
        "\"confidence\":0.95}],\"suggested_template\":\"plain\"}",
        200, "\"total_components\":2");
    expect(fixture, "POST", in_session(fixture, SEQUENCE "/insert"),
           "{\"position\":2,\"type\":\"paragraph\",\"parameters\":{\"text\":\"middle\"}}", 200,
           "\"order\":2,\"order_index\":2,\"total_components\":3");
    list = ask(fixture, "GET", in_session(fixture, SEQUENCE), NULL);
    assert_non_null(strstr(list.text, "\"confidence\":0.95"));
    assert_non_null(strstr(list.text, "\"suggested_template\":\"plain\""));
    for (size_t i = 0; i < 3; i++) {
        static const char *const texts[] = {"first", "middle", "last"};

        component = json_array_get(json_object_get(list.json, "components"), i);
        assert_int_equal(json_integer_value(json_object_get(component, "order")), i + 1);
        assert_int_equal(json_integer_value(json_object_get(component, "order_index")), i + 1);
        assert_string_equal(json_get_string(component, "type"),
                            json_get_string(component, "component_type"));
        assert_string_equal(json_get_string(json_object_get(component, "parameters"), "text"),
                            texts[i]);
        assert_int_equal(strlen(json_get_string(component, "component_id")), 36);
    }
    /* The order in the path has moved meanwhile: the id tells. */
    snprintf(body, sizeof body,
             "{\"component_id\":\"%s\",\"parameters\":{\"text\":\"end\"},\"confidence\":0.5}",
             json_get_string(component, "component_id"));
    drop(&list);
    expect(fixture, "PUT", in_session(fixture, SEQUENCE "/1"), body, 200,
           "\"revision\":2,\"order\":3");
    expect(fixture, "PUT", in_session(fixture, SEQUENCE "/3"),
           "{\"order\":3,\"expected_revision\":1,\"confidence\":1}", 409, "revision 2, not 1");
    expect(fixture, "PUT", in_session(fixture, SEQUENCE "/3"), "{\"order\":2,\"confidence\":1}",
           422, "[\"body\",\"order\"]");
    expect(fixture, "PUT", in_session(fixture, SEQUENCE "/3"), "{\"type\":\"definition\"}", 422,
           "{\"loc\":[\"body\",\"parameters\",\"term\"],\"msg\":\"is needed, send "
           "text\",\"type\":\"missing\"}");
    expect(fixture, "PUT", in_session(fixture, SEQUENCE "/7"), "{\"confidence\":1}", 404,
           "it has 3");
    expect(fixture, "PUT", in_session(fixture, SEQUENCE "/x"), "{\"confidence\":1}", 422,
           "\"loc\":[\"path\",\"order\"]");
    expect(fixture, "DELETE", in_session(fixture, SEQUENCE "/1"), NULL, 200,
           "{\"success\":true,\"remaining_components\":2}");
    expect(fixture, "POST", in_session(fixture, SEQUENCE "/insert"),
           "{\"position\":9,\"type\":\"paragraph\",\"parameters\":{\"text\":\"x\"}}", 422,
           "send 1 to 3");
    expect(fixture, "POST", in_session(fixture, SEQUENCE),
           "{\"components\":[{\"type\":\"paragraph\"},{\"type\":\"heading\",\"parameters\":{"
           "\"text\":\"ok\"}},"
           "{\"type\":\"headin\",\"parameters\":{}}]}",
           422, "[\"body\",\"components\",2,\"type\"],\"msg\":\"'headin'");
    expect(fixture, "GET", in_session(fixture, SEQUENCE), NULL, 200, "\"total_components\":2");
}

static void test_bare_paths(void **state)
{
    struct fixture *fixture = *state;
    char other[SESSION_ID_SIZE], path[128];

    expect(fixture, "POST", "/nodes/N001/components/insert",
           "{\"type\":\"paragraph\",\"parameters\":{\"text\":\"x\"}}", 200, "\"order\":1");
    must(fixture,
         store_session_create(fixture->store, &test_writer, "Other", other, &fixture->err));
    expect(fixture, "GET", "/nodes/N001/components", NULL, 409, "X-Session-ID");
    expect(fixture, "GET", "/nodes/N009/components", NULL, 404, "in any session");
    header_session = fixture->sid;
    expect(fixture, "GET", "/nodes/N001/components", NULL, 200, "\"total_components\":1");
    snprintf(path, sizeof path, "/nodes/N001/components?session_id=%s", other);
    expect(fixture, "GET", path, NULL, 200, "\"total_components\":0");
    expect(fixture, "GET", "/nodes/N001/components?sesion_id=x", NULL, 422, "'session_id'");
    expect(fixture, "GET", "/sessions?a=%26&b", NULL, 422, "\"loc\":[\"query\",\"a\"]");
    header_session = "nobody";
    expect(fixture, "GET", "/nodes/N001/components", NULL, 401, "nobody");
    header_session = other;
    expect(fixture, "DELETE", "/nodes/N001/components/1", NULL, 404, "has no components");
}

static void test_bulk_read(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "POST", in_session(fixture, SEQUENCE "/insert"),
           "{\"type\":\"paragraph\",\"parameters\":{\"text\":\"x\"}}", 200, NULL);
    expect(fixture, "GET", in_session(fixture, "/components"), NULL, 200,
           "\"total\":2,\"offset\":0}");
    expect(fixture, "GET", in_session(fixture, "/components?offset=1&limit=5"), NULL, 200,
           "\"nodes\":[{\"node_id\":\"N002\",\"title\":\"Second "
           "node\",\"components\":[]}],\"total\":2,"
           "\"offset\":1}");
    expect(fixture, "GET", in_session(fixture, "/components?limit=1"), NULL, 200, "\"text\":\"x\"");
    expect(fixture, "GET", in_session(fixture, "/components?limit=-1"), NULL, 422,
           "\"loc\":[\"query\",\"limit\"]");
    expect(fixture, "GET", in_session(fixture, "/components?offset=99999"), NULL, 200,
           "\"nodes\":[]");
}

static void test_etags(void **state)
{
    const char *insert = "{\"type\":\"paragraph\",\"parameters\":{\"text\":\"x\"}}";
    struct fixture *fixture = *state;
    struct answer first = ask(fixture, "GET", in_session(fixture, SEQUENCE), NULL);
    struct answer nodes = ask(fixture, "GET", in_session(fixture, "/nodes"), NULL);
    struct answer stale, again;

    assert_int_equal(first.etag[0], '"');
    assert_string_not_equal(first.etag, nodes.etag);
    again = ask(fixture, "GET", in_session(fixture, SEQUENCE), NULL);
    assert_string_equal(first.etag, again.etag);
    drop(&again);
    /* A write to another node is none to this sequence. */
    expect(fixture, "POST", in_session(fixture, "/nodes/N002/components/insert"), insert, 200,
           NULL);
    if_match = first.etag;
    expect(fixture, "POST", in_session(fixture, SEQUENCE "/insert"), insert, 200, NULL);
    if_match = first.etag;
    stale = ask(fixture, "POST", in_session(fixture, SEQUENCE "/insert"), insert);
    assert_int_equal(stale.status, 412);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(stale.json, "current"),
                                                        "total_components")),
                     1);
    assert_true(json_is_string(json_object_get(stale.json, "detail")));
    if_match = stale.etag;
    expect(fixture, "DELETE", in_session(fixture, SEQUENCE "/1"), NULL, 200, NULL);
    if_match = stale.etag;
    expect(fixture, "POST", in_session(fixture, SEQUENCE), "{\"components\":[]}", 412,
           "\"current\":");
    if_match = nodes.etag;
    expect(fixture, "POST", in_session(fixture, "/nodes"), "{\"node_id\":\"X\",\"title\":\"t\"}",
           412, "\"current\":{\"session_id\"");
    if_match = "W/\"c1\"";
    expect(fixture, "DELETE", in_session(fixture, "/nodes/N001"), NULL, 412, "\"current\"");
    if_match = "*";
    expect(fixture, "DELETE", in_session(fixture, "/nodes/N001"), NULL, 200, NULL);
    drop(&first);
    drop(&nodes);
    drop(&stale);
}

static void test_unknown_paths_and_methods(void **state)
{
    struct fixture *fixture = *state;
    struct buf deep BUF_AUTO = {0};
    char allow[64];

    expect(fixture, "GET", "/", NULL, 404, "{\"detail\":\"Not Found\"}");
    expect(fixture, "GET", "/nowhere", NULL, 404, NULL);
    expect(fixture, "GET", "no/slash", NULL, 404, NULL);
    expect(fixture, "GET", "/a/b/c/d/e/f/g/h/i/j", NULL, 404, NULL);
    expect(fixture, "GET", "/session//nodes", NULL, 404, NULL);
    expect(fixture, "PATCH", "/health", NULL, 405, "{\"detail\":\"Method Not Allowed\"}");
    assert_null(rest_find("PATCH", "/session/x/nodes", allow, sizeof allow));
    assert_string_equal(allow, "GET, POST");
    assert_null(rest_find("PATCH", "/nodes/x/components/3", allow, sizeof allow));
    assert_string_equal(allow, "PUT, DELETE");
    assert_null(rest_find("GET", "/sessions/", allow, sizeof allow));
    assert_string_equal(allow, "");
    assert_int_equal(rest_workq(rest_find("POST", "/nodes/x/components", allow, sizeof allow)),
                     REST_WRITE);
    assert_int_equal(rest_workq(rest_find("DELETE", "/session/s/nodes/x", allow, sizeof allow)),
                     REST_WRITE);
    assert_int_equal(rest_workq(rest_find("GET", "/session/s/nodes", allow, sizeof allow)),
                     REST_READ);
    assert_int_equal(rest_workq(rest_find("GET", "/session/s/graph", allow, sizeof allow)),
                     REST_READ);
    assert_int_equal(rest_workq(rest_find("GET", "/session/s/graph/order", allow, sizeof allow)),
                     REST_GRAPH);
    assert_int_equal(rest_workq(rest_find("POST", "/nowhere", allow, sizeof allow)), REST_READ);
    assert_int_equal(rest_workq(rest_broker_find("/session/s/graph/order?limit=1")), REST_GRAPH);
    assert_int_equal(rest_workq(rest_broker_find("/session/s/graph?limit=1")), REST_READ);
    assert_int_equal(rest_workq(rest_broker_find("/session/s/gr%61ph/order")), REST_GRAPH);
    buf_init(&deep, 0);
    buf_adds(&deep, "{\"node_id\":\"X\",\"title\":\"t\",\"deep\":");
    for (int i = 0; i < 200; i++)
        buf_addc(&deep, '[');
    for (int i = 0; i < 200; i++)
        buf_addc(&deep, ']');
    buf_addc(&deep, '}');
    expect(fixture, "POST", in_session(fixture, "/nodes"), deep.data, 422, "levels deep");
    expect(fixture, "DELETE", in_session(fixture, "/nodes/\xFF\xFEx"), NULL, 404, "??x");
}

static void broker(struct fixture *fixture, const char *target, int status, const char *says)
{
    struct rest_response response;
    struct answer answer;

    rest_broker(fixture->store,
                &(struct rest_broker_request){.route = rest_broker_find(target),
                                              .sid = fixture->sid,
                                              .target = target,
                                              .graphs = graphs},
                &response);
    answer = take(&response);
    if (answer.status != status || !strstr(answer.text, says))
        fail_msg("%s: %d %s", target, answer.status, answer.text);
    drop(&answer);
}

static void test_broker(void **state)
{
    struct fixture *fixture = *state;
    char other[SESSION_ID_SIZE], path[256];

    must(fixture,
         store_session_create(fixture->store, &test_writer, "Other", other, &fixture->err));
    expect(fixture, "POST", in_session(fixture, "/nodes"),
           "{\"node_id\":\"a/b c%\",\"title\":\"Odd\"}", 200, NULL);
    broker(fixture, in_session(fixture, "/nodes"), 200, "\"total\":3");
    broker(fixture, in_session(fixture, "/relationships"), 200, "\"total\":0");
    broker(fixture, in_session(fixture, "/components?limit=1"), 200, "\"total\":3");
    broker(fixture, in_session(fixture, "/nodes/a%2Fb%20c%25/components"), 200,
           "\"title\":\"Odd\"");
    broker(fixture, in_session(fixture, "/nodes/N001/content"), 200, "\"explanation\"");
    broker(fixture, in_session(fixture, "/nodes/N9/components"), 404, "no node");
    snprintf(path, sizeof path, "/session/%s/nodes", other);
    broker(fixture, path, 403, "its own session only");
    broker(fixture, "/sessions", 403, "its own");
    broker(fixture, "/nodes/N001/components", 403, "its own");
    broker(fixture, "/health", 403, "its own");
    broker(fixture, in_session(fixture, "/nodes/%00/components"), 403, "its own");
    broker(fixture, in_session(fixture, "/nodes/%zz/components"), 403, "its own");
    broker(fixture, "", 403, "its own");
    broker(fixture, in_session(fixture, "/nodes/N001"), 403, "its own");
}

static void test_graph(void **state)
{
    struct fixture *fixture = *state;
    struct answer answer;

    expect(fixture, "POST", in_session(fixture, "/relationships"),
           "{\"from_node_id\":\"N001\",\"to_node_id\":\"N002\",\"relationship_type\":"
           "\"PREREQUISITE\"}",
           200, NULL);
    expect(fixture, "GET", in_session(fixture, "/graph/order"), NULL, 503, "not answered here");
    graphs = graph_cache_create(0, &fixture->err);
    assert_non_null(graphs);
    expect(fixture, "GET", in_session(fixture, "/graph"), NULL, 200,
           "{\"query\":\"path\",\"takes\":[\"from_node_id\",\"to_node_id\"]");
    expect(fixture, "GET", in_session(fixture, "/graph/needs?node_id=N002"), NULL, 200,
           "\"nodes\":[{\"node_id\":\"N001\",\"steps\":1}]");
    expect(fixture, "GET",
           in_session(fixture, "/graph/path?from_node_id=N001&to_node_id=N002&types=LEADS_TO&"
                               "types=PREREQUISITE"),
           NULL, 200, "\"types\":[\"PREREQUISITE\"]");
    expect(fixture, "GET", in_session(fixture, "/graph/order?types=all&limit=1"), NULL, 200,
           "\"cut\":1");
    /* What is wrong is said by the names of the path, with what there is. */
    expect(fixture, "GET", in_session(fixture, "/graph/ordr"), NULL, 404,
           "did you mean 'order'? The queries: outline, counts");
    expect(fixture, "GET", in_session(fixture, "/graph/needs"), NULL, 422,
           "\"loc\":[\"query\",\"node_id\"],\"msg\":\"the graph query needs takes node_id");
    expect(fixture, "GET", in_session(fixture, "/graph/order?node_id=N001"), NULL, 422,
           "takes none of node_id");
    expect(fixture, "GET", in_session(fixture, "/graph/path?from_node_id=N001"), NULL, 422,
           "\"loc\":[\"query\",\"from_node_id\"]");
    expect(fixture, "GET", in_session(fixture, "/graph/needs?node_id=N02"), NULL, 404,
           "node_id: no node has the id or title 'N02'; the nearest is N00");
    expect(fixture, "GET", in_session(fixture, "/graph/needs?node=N002"), NULL, 422,
           "unknown parameter 'node'; did you mean 'node_id'?");
    expect(fixture, "GET", in_session(fixture, "/graph/order?limit=0"), NULL, 422, "from 1 to");
    expect(fixture, "GET", in_session(fixture, "/graph/order?limit=-1"), NULL, 422, "from 1 to");
    expect(fixture, "GET", in_session(fixture, "/graph/order?limit=9999999999"), NULL, 422,
           "from 1 to");
    expect(fixture, "GET", in_session(fixture, "/graph/order?types=SEE"), NULL, 404,
           "There are: PREREQUISITE");
    expect(fixture, "GET", in_session(fixture, "/graph/order?limit=%zz"), NULL, 422,
           "badly encoded");
    expect(fixture, "POST", in_session(fixture, "/graph/order"), "{}", 405, NULL);
    expect(fixture, "GET", "/session/11111111-1111-1111-1111-111111111111/graph", NULL, 401, NULL);
    expect(fixture, "GET", "/session/11111111-1111-1111-1111-111111111111/graph/order", NULL, 401,
           NULL);
    /* An ETag is that of the state: it changes with a write, and so does the answer. */
    answer = ask(fixture, "GET", in_session(fixture, "/graph/order"), NULL);
    assert_int_equal(answer.etag[1], 'v');
    drop(&answer);
    expect(fixture, "POST", in_session(fixture, "/nodes"),
           "{\"node_id\":\"N003\",\"title\":\"New one\"}", 200, NULL);
    expect(fixture, "GET", in_session(fixture, "/graph/order"), NULL, 200, "N003");
    broker(fixture, in_session(fixture, "/graph/needs?node_id=New+on%65"), 200,
           "\"node_id\":\"N003\"");
    broker(fixture, in_session(fixture, "/graph"), 200, "\"total\":");
    broker(fixture, in_session(fixture, "/graph/coverage?framework=Other"), 422,
           "may be read here");
    broker(fixture, in_session(fixture, "/graph/nothing"), 404, "The queries: ");
    broker(fixture, "/session/11111111-1111-1111-1111-111111111111/graph/order", 403, "its own");
    graph_cache_destroy(graphs);
    graphs = NULL;
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_open_session, fixture_close)
    const struct CMUnitTest tests[] = {
        TEST(test_service_and_sessions),
        TEST(test_nodes),
        TEST(test_texts),
        TEST(test_relationships),
        TEST(test_components),
        TEST(test_bare_paths),
        TEST(test_bulk_read),
        TEST(test_etags),
        TEST(test_unknown_paths_and_methods),
        TEST(test_broker),
        TEST(test_graph),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
