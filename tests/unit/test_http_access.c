/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The HTTP server: who is let in. Hosts, origins, upgrades, sites, CORS.
 */
#include "tests/unit/http_fixture.h"

static void test_host_and_origin(void **state)
{
    const struct fixture *fixture = *state;
    static const char *const paths[] = {"/", "/mcp", "/health", "/session/create", "/no/such"};
    static const struct {
        const char *host, *origin; /* %d: the port */
        bool allowed;
    } matrix[] = {
        {"localhost", NULL, true},
        {"LOCALHOST:%d", NULL, true},
        {"127.0.0.1:%d", NULL, true},
        {"[::1]:%d", NULL, true},
        {"[::1]", NULL, true},
        {"lectern.example", NULL, true},
        {"lectern.example:9", NULL, true},
        {"proxy.example:444", NULL, true},
        {"proxy.example", NULL, false},
        {"localhost:1", NULL, false},
        {"localhost.", NULL, false},
        {"localhost.evil.example", NULL, false},
        {"evil.example:%d", NULL, false},
        {"0.0.0.0:%d", NULL, false},
        {"127.0.0.1.evil.example", NULL, false},
        {"localhost:%d, evil.example", NULL, false},
        {"evil.example\r\nHost: localhost", NULL, false},
        {"localhost:%d", "http://localhost:%d", true},
        {"localhost:%d", "http://127.0.0.1:%d", true},
        {"127.0.0.1:%d", "http://[::1]:%d", true},
        {"lectern.example", "https://lectern.example", true},
        {"localhost:%d", ALLOWED_ORIGIN, true},
        {"localhost:%d", "https://cms.example.evil.example", false},
        {"localhost:%d", "https://cms.example:8443", false},
        {"localhost:%d", "http://cms.example", false},
        {"localhost:%d", "http://localhost", false},
        {"localhost:%d", "http://localhost:3000", false},
        {"localhost:%d", "https://evil.example", false},
        {"localhost:%d", "null", false},
        {"localhost:%d", "file://", false},
        {"localhost:%d", "http://localhost:%d@evil.example", false},
        {"evil.example:%d", "http://evil.example:%d", false},
        {"evil.example", ALLOWED_ORIGIN, false},
    };
    char host[128], origin[128], headers[512];
    struct answer answer;

    for (size_t p = 0; p < sizeof paths / sizeof paths[0]; p++) {
        for (size_t i = 0; i < sizeof matrix / sizeof matrix[0]; i++) {
            /* clang-format off */
            _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wformat-nonliteral\"")
            snprintf(host, sizeof host, matrix[i].host, fixture->port);
            snprintf(origin, sizeof origin, matrix[i].origin ? matrix[i].origin : "", fixture->port);
            _Pragma("GCC diagnostic pop")
                /* clang-format on */
                snprintf(headers, sizeof headers, "Host: %s\r\n%s%s%s", host,
                         *origin ? "Origin: " : "", origin, *origin ? "\r\n" : "");
            request_once(fixture, &answer, "GET", paths[p], headers, NULL);
            if ((answer.status != 403) != matrix[i].allowed)
                fail_msg("%s %s: %d %s", paths[p], headers, answer.status, answer.body);
            if (!matrix[i].allowed)
                assert_non_null(strstr(answer.body, "--allow-"));
            free(answer.body);
        }
    }
    expect(fixture, "GET", "/health", "X-Nothing: host:\r\n", NULL, 400, "Host");
    /* A message cannot show what is no UTF-8. */
    expect(fixture, "GET", "/health", "Host: localhost\xff\r\n", NULL, 400, "printable ASCII");
    expect(fixture, "GET", "/health", "Origin: http://\xff\r\n", NULL, 400, "printable ASCII");
}

/* Upgrades are for the paths that speak WebSocket; h2c falls back to HTTP/1.1, as its offer allows.
 */
static void test_upgrades(void **state)
{
    static const char ws[] = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: "
                             "13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    static const char *const protocols[] = {"", "Sec-WebSocket-Protocol: mcp\r\n",
                                            "Sec-WebSocket-Protocol: http\r\n"};
    static const char *const paths[] = {"/mcp", "/chats", "/health"};
    const struct fixture *fixture = *state;
    char headers[1024];

    for (size_t i = 0; i < 9; i++) {
        snprintf(headers, sizeof headers, "%s%s", ws, protocols[i / 3]);
        expect(fixture, "GET", paths[i % 3], headers, NULL, 404, "WebSocket");
        snprintf(headers, sizeof headers, "Host: evil.example\r\n%s%s", ws, protocols[i / 3]);
        expect(fixture, "GET", paths[i % 3], headers, NULL, 403, "--allow-host");
        snprintf(headers, sizeof headers, "Origin: http://evil.example\r\n%s%s", ws,
                 protocols[i / 3]);
        expect(fixture, "GET", paths[i % 3], headers, NULL, 403, "--allow-origin");
    }
    expect(fixture, "GET", "/chat",
           "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n", NULL, 400,
           "Sec-WebSocket-Key");
    expect(fixture, "GET", "/chat",
           "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\n"
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
           NULL, 400, "Sec-WebSocket-Version: 13");
    snprintf(headers, sizeof headers, "Sec-Fetch-Site: cross-site\r\n%s", ws);
    expect(fixture, "GET", "/chat", headers, NULL, 403, "Sec-Fetch-Site");
    expect(fixture, "GET", "/health", "Connection: Upgrade\r\nUpgrade: tls/1.0\r\n", NULL, 200,
           "status");
    expect(fixture, "GET", "/health",
           "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: "
           "AAMAAABkAARAAAAAAAIAAAAA\r\n",
           NULL, 200, "status");
    expect(fixture, "GET", "/health",
           "Host: evil.example\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: "
           "h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n",
           NULL, 403, NULL);
}

/* Pictures, scripts and frames of another site come without Origin. */
static void test_cross_site(void **state)
{
    static const char *const paths[] = {"/",         "/mcp",     "/health",
                                        "/sessions", "/metrics", "/ui/a.js"};
    static const char *const sites[] = {"cross-site", "same-site"};
    const struct fixture *fixture = *state;
    struct answer answer;
    char headers[256];

    for (size_t i = 0; i < 2 * sizeof paths / sizeof paths[0]; i++) {
        const char *path = paths[i / 2], *site = sites[i % 2];
        bool is_page = strcmp(path, "/") == 0;

        snprintf(headers, sizeof headers,
                 "Sec-Fetch-Site: %s\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n",
                 site);
        expect(fixture, "GET", path, headers, NULL, 403, "--allow-origin");
        snprintf(headers, sizeof headers,
                 "Sec-Fetch-Site: %s\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n",
                 site);
        expect(fixture, "GET", path, headers, NULL, 403, "--allow-origin");
        snprintf(headers, sizeof headers,
                 "Sec-Fetch-Site: %s\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n",
                 site);
        expect(fixture, "GET", path, headers, NULL, is_page ? 200 : 403,
               is_page ? "Lectern" : "--allow-origin");
        expect(fixture, "POST", path, headers, "", 403, "--allow-origin");
    }
    expect(fixture, "GET", "/health", "Sec-Fetch-Site: same-origin\r\n", NULL, 200, NULL);
    expect(fixture, "GET", "/health", "Sec-Fetch-Site: none\r\n", NULL, 200, NULL);
    expect(fixture, "GET", "/health",
           "Sec-Fetch-Site: cross-site\r\nOrigin: " ALLOWED_ORIGIN "\r\n", NULL, 200, NULL);
    request_once(fixture, &answer, "GET", "/no/such", "", NULL);
    assert_string_equal(header(&answer, "cross-origin-resource-policy"), "same-origin");
    free(answer.body);
    request_once(fixture, &answer, "GET", "/", "", NULL);
    assert_string_equal(header(&answer, "cross-origin-resource-policy"), "same-origin");
    free(answer.body);
}

static void test_cors(void **state)
{
    const struct fixture *fixture = *state;
    struct answer answer;

    request_once(fixture, &answer, "OPTIONS", "/mcp",
                 "Origin: " ALLOWED_ORIGIN "\r\nAccess-Control-Request-Method: POST\r\n"
                 "Access-Control-Request-Headers: mcp-session-id\r\n",
                 NULL);
    assert_int_equal(answer.status, 204);
    assert_string_equal(header(&answer, "access-control-allow-origin"), ALLOWED_ORIGIN);
    assert_non_null(strstr(header(&answer, "access-control-allow-headers"), "Mcp-Session-Id"));
    assert_non_null(strstr(header(&answer, "access-control-allow-methods"), "DELETE"));
    free(answer.body);
    request_once(fixture, &answer, "GET", "/health", "Origin: " ALLOWED_ORIGIN "\r\n", NULL);
    assert_string_equal(header(&answer, "access-control-allow-origin"), ALLOWED_ORIGIN);
    assert_non_null(strstr(header(&answer, "access-control-expose-headers"), "ETag"));
    free(answer.body);
    request_once(fixture, &answer, "OPTIONS", "/mcp",
                 "Origin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\n", NULL);
    assert_int_equal(answer.status, 403);
    assert_null(header(&answer, "access-control-allow-origin"));
    free(answer.body);
    request_once(fixture, &answer, "GET", "/health", "", NULL);
    assert_null(header(&answer, "access-control-allow-origin"));
    assert_string_equal(header(&answer, "x-content-type-options"), "nosniff");
    assert_string_equal(header(&answer, "cache-control"), "no-store");
    free(answer.body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HTTP_TEST(test_host_and_origin),
        HTTP_TEST(test_upgrades),
        HTTP_TEST(test_cross_site),
        HTTP_TEST(test_cors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
