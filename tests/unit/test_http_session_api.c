/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The HTTP server: the session API with a store, a full queue, and clients that do not read.
 */
#include "tests/unit/http_fixture.h"

#define SLOW_READERS 45 /* of 7 MB each: more than HTTP_ANSWERS_CAP */

/* More than may be held for readers that do not read: told, and well again once they have left. */
static void check_slow_readers(const struct fixture *fixture, const char *get)
{
    struct client readers[SLOW_READERS];
    struct answer answer;
    int busy = 0;

    for (int i = 0; i < SLOW_READERS; i++) {
        client_open(&readers[i], fixture->port);
        client_write(&readers[i], get, strlen(get));
        assert_true(read_head(&readers[i], &answer));
        assert_true(answer.status == 200 || answer.status == 503);
        if (answer.status == 503) {
            read_body(&readers[i], &answer, false);
            assert_non_null(strstr(answer.body, "send it again"));
            assert_string_equal(header(&answer, "retry-after"), "1");
            free(answer.body);
            busy++;
        }
    }
    assert_true(busy > 0 && busy < SLOW_READERS / 2);
    for (int i = 0; i < SLOW_READERS; i++)
        client_close(&readers[i]);
    for (int status = 503; status == 503;) {
        client_open(&readers[0], fixture->port);
        client_write(&readers[0], get, strlen(get));
        read_answer(&readers[0], &answer);
        status = answer.status;
        free(answer.body);
        client_close(&readers[0]);
    }
}

static void test_session_api(void **state)
{
    const struct fixture *fixture = *state;
    char sid[SESSION_ID_SIZE], path[128], *body = malloc(2 << 20);
    struct client client;
    struct answer answer;
    size_t len;

    create_session(fixture, sid);
    snprintf(path, sizeof path, "/session/%s/nodes", sid);
    expect(fixture, "GET", path, "", NULL, 200, "N002");
    expect(fixture, "POST", path, JSON, "{\"node_id\":\"N100\",\"title\":\"A title\"}", 200,
           "true");
    expect(fixture, "POST", path, JSON, "{\"node_id\":\"N100\",\"title\":\"Again\"}", 409, "N100");
    /* An answer of some megabytes, to a client that takes its time. */
    for (int i = 0; i < 8; i++) {
        len = (size_t)sprintf(body, "{\"node_id\":\"B%d\",\"title\":\"Big\",\"raw_content\":\"", i);
        memset(body + len, 'x', 900000);
        memcpy(body + len + 900000, "\"}", 3);
        expect(fixture, "POST", path, JSON, body, 200, NULL);
    }
    snprintf(body, 512, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
    check_slow_readers(fixture, body);
    client_open(&client, fixture->port);
    client_write(&client, body, strlen(body));
    usleep(50000);
    read_answer(&client, &answer);
    assert_int_equal(answer.status, 200);
    assert_true(answer.len > 7200000);
    assert_int_equal(answer.body[answer.len - 1], '}');
    free(answer.body);
    request(&client, &answer, "GET", "/health", "", NULL);
    assert_int_equal(answer.status, 200);
    free(answer.body);
    client_close(&client);
    free(body);
}

/* What libwebsockets decodes and tidies up before it is seen, and the headers of REST. */
static void test_targets_and_headers(void **state)
{
    static const struct {
        const char *json, *path, *shown;
    } ids[] = {{"a/b", "a%2Fb", "a/b"},
               {"..", "..", ".."},
               {"a/../b", "a%2F..%2Fb", "a/../b"},
               {"x+y", "x+y", "x+y"},
               {"x//y", "x%2f%2Fy", "x//y"},
               {"\\u00fc z", "%C3%BC%20z", "\xC3\xBC z"},
               {"50%", "50%25", "50%"},
               {"a&b;c", "a&b;c", "a&b;c"}};
    const struct fixture *fixture = *state;
    char sid[SESSION_ID_SIZE], path[256], body[256], headers[256];
    struct client client;
    struct answer answer;

    create_session(fixture, sid);
    client_open(&client, fixture->port); /* one connection: each request begins where one ended */
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        snprintf(path, sizeof path, "/session/%s/nodes", sid);
        snprintf(body, sizeof body, "{\"node_id\":\"%s\",\"title\":\"t\"}", ids[i].json);
        request(&client, &answer, "POST", path, JSON, body);
        assert_int_equal(answer.status, 200);
        free(answer.body);
        snprintf(path, sizeof path, "/session/%s/nodes/%s/components", sid, ids[i].path);
        snprintf(body, sizeof body, "{\"node_id\":\"%s\"", ids[i].shown);
        request(&client, &answer, "GET", path, "", NULL);
        if (answer.status != 200 || !strstr(answer.body, body))
            fail_msg("%s: %d %s", path, answer.status, answer.body);
        snprintf(headers, sizeof headers, "If-None-Match: %.40s\r\n",
                 header(&answer, "etag") ? answer.value : "");
        free(answer.body);
    }
    request(&client, &answer, "GET", path, headers, NULL);
    assert_int_equal(answer.status, 304);
    free(answer.body);
    snprintf(path, sizeof path, "/session/%s/nodes/N001/components/insert", sid);
    for (int i = 0; i < 2; i++) {
        request(&client, &answer, "POST", path, JSON "Idempotency-Key: k1\r\n",
                "{\"type\":\"heading\",\"parameters\":{\"text\":\"x\"}}");
        assert_int_equal(answer.status, 200);
        assert_non_null(strstr(answer.body, "\"total_components\":1"));
        if (i == 0)
            assert_null(header(&answer, "idempotency-replayed"));
        else
            assert_string_equal(header(&answer, "idempotency-replayed"), "true");
        free(answer.body);
    }
    client_close(&client);
    expect(fixture, "POST", path, JSON "If-Match: \"c1\"\r\n",
           "{\"type\":\"heading\",\"parameters\":{\"text\":\"x\"}}", 412, "\"current\"");
}

/* Fills the read lane, whose answer then is to come again later. */
static void test_full_workq(void **state)
{
    const struct fixture *fixture = *state;
    struct client clients[READ_CAPACITY + 2];
    struct answer answer;
    char headers[512], call[256];

    initialize(fixture, headers);
    for (int i = 0; i < READ_CAPACITY + 2; i++) {
        client_open(&clients[i], fixture->port);
        snprintf(call, sizeof call, CALL("%d", "wait", "{\"ms\":-1}"), i);
        write_call(&clients[i], headers, call);
        if (i < 2)
            wait_running(i + 1);
        snprintf(call, sizeof call, CALL("%d", "echo", "{}"), i);
        expect(fixture, "POST", "/mcp", headers, call, 400, "under way"); /* it has come */
    }
    request_once(fixture, &answer, "GET", "/sessions", "", NULL);
    assert_int_equal(answer.status, 429);
    assert_string_equal(header(&answer, "retry-after"), "1");
    free(answer.body);
    atomic_store(&fake_released, true);
    for (int i = 0; i < READ_CAPACITY + 2; i++) {
        read_answer(&clients[i], &answer);
        assert_int_equal(answer.status, 200);
        free(answer.body);
        client_close(&clients[i]);
    }
    expect(fixture, "GET", "/sessions", "", NULL, 200, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HTTP_TEST(test_session_api),
        HTTP_TEST(test_targets_and_headers),
        HTTP_TEST(test_full_workq),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
