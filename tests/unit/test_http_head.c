/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What libwebsockets gets of a request's head. What is refused is in test_http_requests.c,
 * over a connection.
 */
#include "tests/fuzz/play_http_head.h"
#include "tests/unit/regression_inputs.h"

static void read_head(const char *text, struct http_head *head, struct buf *to)
{
    assert_int_equal(http_head_end(text, strlen(text)), strlen(text));
    http_head_read(text, strlen(text), head, to);
    buf_addc(to, '\0');
    assert_false(to->failed);
}

static void expect_out(const char *text, const char *out)
{
    struct buf BUF_AUTO to = {0};
    struct http_head head;

    read_head(text, &head, &to);
    assert_int_equal(head.status, 0);
    assert_string_equal(to.data, out);
}

static void test_one_reading(void **state)
{
    (void)state;
    /* The path is for the handlers alone. */
    expect_out("\r\n\r\nGET /a%2Fb?c=d HTTP/1.1\r\nHost: h\r\n\r\n",
               "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    expect_out("POST /a HTTP/1.0\r\nHost: h\r\n\r\n",
               "POST / HTTP/1.0\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
    expect_out("PUT /a HTTP/1.1\r\ncontent-length:007\r\nmcp-param-A: b\r\n\r\n",
               "PUT / HTTP/1.1\r\nmcp-param-A: b\r\nContent-Length: 7\r\n\r\n");
    expect_out("GET http://a.example/b HTTP/1.1\r\nHost: h\r\n\r\n",
               "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n");
    /* An Upgrade to what is not spoken here means nothing. */
    expect_out("GET /a HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
               "GET / HTTP/1.1\r\nConnection: Upgrade\r\n\r\n");
    expect_out("GET /a HTTP/1.1\r\nUpgrade: websocket\r\n\r\n", "GET / HTTP/1.1\r\n\r\n");
    expect_out("GET /a?b HTTP/1.1\r\nConnection: x, upgrade\r\nUpgrade: WebSocket\r\n\r\n",
               "GET /a?b HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
}

static void test_parts(void **state)
{
    struct buf BUF_AUTO to = {0};
    struct http_head head;

    (void)state;
    read_head("PATCH /a%2Fb/..?c=d&e HTTP/1.1\r\nContent-Length: 12\r\n\r\n", &head, &to);
    assert_string_equal(head.method, "PATCH");
    assert_int_equal(head.path_len, strlen("/a%2Fb/.."));
    assert_memory_equal(head.path, "/a%2Fb/..", head.path_len);
    assert_int_equal(head.query_len, strlen("c=d&e"));
    assert_memory_equal(head.query, "c=d&e", head.query_len);
    assert_int_equal(head.length, 12);
    assert_false(head.chunked || head.websocket);
}

/* They are kept back where each comes once, for what reads them beside libwebsockets. */
static void test_own_fields(void **state)
{
    struct buf BUF_AUTO to = {0};
    struct http_head head;

    (void)state;
    read_head("POST /mcp HTTP/1.1\r\nHost: h\r\nMcp-Session-Id:  abc \r\nCONTENT-TYPE: a/b\r\n"
              "X: y\r\n\r\n",
              &head, &to);
    assert_string_equal(to.data, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
    assert_int_equal(head.own[HTTP_OWN_MCP_SESSION].len, 3);
    assert_memory_equal(head.own[HTTP_OWN_MCP_SESSION].at, "abc", 3);
    assert_int_equal(head.own[HTTP_OWN_CONTENT_TYPE].len, 3);
    assert_null(head.own[HTTP_OWN_ACCEPT].at);
    expect_out("GET /a HTTP/1.1\r\nAccept: a/b\r\nMcp-Name: n\r\naccept: c/d\r\n\r\n",
               "GET / HTTP/1.1\r\nAccept: a/b\r\nMcp-Name: n\r\naccept: c/d\r\n\r\n");
    read_head("GET /a HTTP/1.1\r\nMcp-Name: n\r\nmcp-name: n\r\n\r\n", &head, &to);
    assert_int_equal(head.status, 400);
    expect_out("GET /a HTTP/1.1\r\nAccept: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
               "GET /a HTTP/1.1\r\nAccept: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
}

static void test_beginnings(void **state)
{
    static const char text[] = "\r\nGET / HTTP/1.1\r\n\r\n";

    (void)state;
    for (size_t len = 0; len < sizeof text - 1; len++) {
        assert_int_equal(http_head_end(text, len), 0);
        assert_true(http_head_plausible(text, len));
    }
    assert_int_equal(http_head_end(text, sizeof text - 1), sizeof text - 1);
    assert_false(http_head_plausible("\x16\x03", 2));
}

static void test_regression(void **state)
{
    (void)state;
    replay_inputs("tests/fuzz/regression/http_head", play_http_head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_reading), cmocka_unit_test(test_parts),
        cmocka_unit_test(test_own_fields),  cmocka_unit_test(test_beginnings),
        cmocka_unit_test(test_regression),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
