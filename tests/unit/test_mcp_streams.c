/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The streams of MCP's revisions with sessions, over real sockets: events with ids, a lost
 * connection and the way back, what a GET opens, and what ends it.
 */
#include "tests/unit/http_fixture.h"

#define EVENTS "Accept: text/event-stream\r\n"

/* The headers of the session with others instead of Accept. */
static void with_headers(const struct fixture *fixture, const char *more, char headers[2000])
{
    snprintf(headers, 2000, "%s%s", more, strstr(fixture->mcp, "MCP-Protocol-Version"));
}

static void write_get(struct client *client, const struct fixture *fixture, const char *headers)
{
    char text[2100];
    int len =
        snprintf(text, sizeof text, "GET /mcp HTTP/1.1\r\nHost: localhost\r\n%s\r\n", headers);

    client_open(client, fixture->port);
    client_write(client, text, (size_t)len);
}

/* A GET with this Last-Event-ID ("": none), whose head has come. */
static void open_stream(const struct fixture *fixture, struct client *client, const char *last)
{
    char more[128], headers[2000];
    struct answer answer;

    snprintf(more, sizeof more, EVENTS "%s%s%s", *last ? "Last-Event-ID: " : "", last,
             *last ? "\r\n" : "");
    with_headers(fixture, more, headers);
    write_get(client, fixture, headers);
    assert_true(read_head(client, &answer));
    assert_int_equal(answer.status, 200);
    assert_string_equal(header(&answer, "content-type"), "text/event-stream");
}

struct event {
    char id[64];
    char data[2048];
    bool retries;
};

/* The next event; false at the end of the stream. */
static bool read_event(struct client *client, struct event *event)
{
    char *end, *at;

    memset(event, 0, sizeof *event);
    while (client->len == 0 || !(end = strstr(client->data, "\n\n"))) {
        if (!client_fill(client))
            return false;
    }
    *end = '\0';
    at = strstr(client->data, "id: ");
    if (at)
        sscanf(at, "id: %63s", event->id);
    at = strstr(client->data, "data: ");
    if (at)
        snprintf(event->data, sizeof event->data, "%.2000s", at + strlen("data: "));
    event->retries = strstr(client->data, "retry: ") != NULL;
    client_take(client, (size_t)(end - client->data) + 2);
    return true;
}

static void refuse(const struct fixture *fixture, const char *more, int status, const char *says)
{
    char headers[2000];

    with_headers(fixture, more, headers);
    expect(fixture, "GET", "/mcp", headers, NULL, status, says);
}

/* A call that has become a stream, and waits; *event is its last. */
static void begin_stream(const struct fixture *fixture, struct client *client, struct event *event)
{
    struct answer answer;

    atomic_store(&fake_released, false);
    client_open(client, fixture->port);
    write_call(client, fixture->mcp, CALL_WITH_TOKEN("5", "report", "{\"ms\":-1}"));
    assert_true(read_head(client, &answer));
    assert_int_equal(answer.status, 200);
    assert_true(read_event(client, event));
    assert_string_equal(event->data, "");
    assert_true(event->retries);
    assert_true(read_event(client, event));
    assert_non_null(strstr(event->data, "notifications/progress"));
}

static void assert_is_answer(const struct event *event)
{
    assert_non_null(strstr(event->data, "\"id\":5,\"result\""));
    assert_non_null(strstr(event->data, "reported"));
}

static void release(void)
{
    atomic_store(&fake_released, true);
    usleep(1500 * FAKE_REPORT_MS);
}

/* ---- events of a POST ---- */

static void test_events_have_ids(void **state)
{
    const struct fixture *fixture = *state;
    struct client client;
    struct event first, next;
    unsigned sequence = 1;

    begin_stream(fixture, &client, &first);
    assert_int_equal(first.id[0], 'p');
    assert_string_equal(strchr(first.id, '-'), "-1");
    release();
    do {
        char wanted[32];

        assert_true(read_event(&client, &next));
        snprintf(wanted, sizeof wanted, "-%u", ++sequence);
        assert_string_equal(strchr(next.id, '-'), wanted);
        assert_memory_equal(first.id, next.id, (size_t)(strchr(first.id, '-') - first.id));
    } while (!strstr(next.data, "\"result\""));
    assert_is_answer(&next);
    assert_false(read_event(&client, &next));
    client_close(&client);
}

/* An event without data breaks clients of the older revisions, which parse each. */
static void test_older_clients_get_no_empty_event(void **state)
{
    const struct fixture *fixture = *state;
    char headers[512];
    struct client client;
    struct answer answer;
    struct event event;

    request_once(fixture, &answer, "POST", "/mcp", MCP_HEADERS,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
                 "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{"
                 "\"name\":\"t\",\"version\":\"1\"}}}");
    snprintf(headers, sizeof headers, MCP_HEADERS "Mcp-Session-Id: %.300s\r\n",
             header(&answer, "mcp-session-id"));
    free(answer.body);
    client_open(&client, fixture->port);
    write_call(&client, headers, CALL_WITH_TOKEN("5", "report", "{\"ms\":300}"));
    assert_true(read_head(&client, &answer));
    assert_true(read_event(&client, &event));
    assert_non_null(strstr(event.data, "notifications/progress"));
    assert_string_equal(strchr(event.id, '-'), "-1");
    client_close(&client);
}

/* A client that names events first gets them for an answer too. */
static void test_events_first(void **state)
{
    static const char *const accepts[] = {"Accept: text/event-stream, application/json\r\n",
                                          "Accept: application/json, text/event-stream\r\n",
                                          "Accept: text/event-stream, */*\r\n"};
    const struct fixture *fixture = *state;
    struct answer answer;
    char headers[2000], more[256];

    for (size_t i = 0; i < sizeof accepts / sizeof accepts[0]; i++) {
        snprintf(more, sizeof more, JSON "%s", accepts[i]);
        with_headers(fixture, more, headers);
        request_once(fixture, &answer, "POST", "/mcp", headers, PING);
        assert_string_equal(header(&answer, "content-type"),
                            i == 0 ? "text/event-stream" : "application/json");
        assert_non_null(strstr(answer.body, "\"id\":2"));
        free(answer.body);
    }
}

/* ---- the way back ---- */

static void test_the_answer_waits(void **state)
{
    const struct fixture *fixture = *state;
    struct client client;
    struct event event;
    char last[64];

    begin_stream(fixture, &client, &event);
    memcpy(last, event.id, sizeof last);
    client_close(&client);
    expect(fixture, "GET", "/health", "", NULL, 200, NULL);
    release();
    expect(fixture, "GET", "/health", "", NULL, 200, NULL);
    open_stream(fixture, &client, last);
    assert_true(read_event(&client, &event));
    assert_is_answer(&event);
    assert_false(read_event(&client, &event));
    client_close(&client);
    assert_int_equal(atomic_load(&fake_cancelled), 0);
    /* Once more, as this connection may have been lost too; but not what it has received. */
    open_stream(fixture, &client, last);
    assert_true(read_event(&client, &event));
    assert_is_answer(&event);
    memcpy(last, event.id, sizeof last);
    client_close(&client);
    open_stream(fixture, &client, last);
    assert_false(read_event(&client, &event));
    client_close(&client);
}

static void test_back_before_the_answer(void **state)
{
    const struct fixture *fixture = *state;
    struct client client, again;
    struct event event;
    char last[64];

    begin_stream(fixture, &client, &event);
    memcpy(last, event.id, sizeof last);
    open_stream(fixture, &again, last); /* while the server still has the old connection */
    assert_false(read_event(&client, &event));
    client_close(&client);
    assert_true(read_event(&again, &event));
    assert_non_null(strstr(event.data, "notifications/progress"));
    release();
    while (read_event(&again, &event) && !strstr(event.data, "\"result\""))
        continue;
    assert_is_answer(&event);
    assert_false(read_event(&again, &event));
    client_close(&again);
}

/* The server ends the connection in the middle of the call (SEP-1699). */
static void test_a_pause(void **state)
{
    const struct fixture *fixture = *state;
    struct client client;
    struct answer answer;
    struct event event;
    char headers[2000], last[64];

    client_open(&client, fixture->port);
    write_call(&client, fixture->mcp, CALL("5", "report", "{\"ms\":200,\"pause\":true}"));
    assert_true(read_head(&client, &answer));
    assert_true(read_event(&client, &event));
    assert_string_equal(event.data, "");
    assert_true(event.retries);
    assert_int_equal(event.id[0], 'p');
    memcpy(last, event.id, sizeof last);
    assert_false(read_event(&client, &event));
    client_close(&client);
    open_stream(fixture, &client, last);
    assert_true(read_event(&client, &event));
    assert_is_answer(&event);
    client_close(&client);
    /* A client that takes no events gets its answer as ever. */
    with_headers(fixture, JSON "Accept: application/json\r\n", headers);
    expect(fixture, "POST", "/mcp", headers, CALL("6", "report", "{\"ms\":100,\"pause\":true}"),
           200, "reported");
}

/* Cancelled by another POST while nobody listens. */
static void test_cancelled_while_lost(void **state)
{
    const struct fixture *fixture = *state;
    struct client client;
    struct event event;
    char more[256];

    begin_stream(fixture, &client, &event);
    client_close(&client);
    expect(fixture, "GET", "/health", "", NULL, 200, NULL);
    expect(fixture, "POST", "/mcp", fixture->mcp, CANCEL("5"), 202, NULL);
    assert_int_equal(atomic_load(&fake_cancelled), 1);
    expect(fixture, "GET", "/health", "", NULL, 200, NULL);
    snprintf(more, sizeof more, EVENTS "Last-Event-ID: %s\r\n", event.id);
    refuse(fixture, more, 400, "Last-Event-ID");
}

static void test_whose_stream_it_is(void **state)
{
    const struct fixture *fixture = *state;
    char other[512], text[1200];
    static const char *const unknown[] = {"p0-0", "p", "pp-p", "p1-",
                                          "pffffffffffffffff-4294967295"};
    struct client client;
    struct event event;

    begin_stream(fixture, &client, &event);
    initialize(fixture, other);
    snprintf(text, sizeof text, "Last-Event-ID: %s\r\n%s", event.id, other);
    expect(fixture, "GET", "/mcp", text, NULL, 400, "Last-Event-ID");
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        snprintf(text, sizeof text, EVENTS "Last-Event-ID: %s\r\n", unknown[i]);
        refuse(fixture, text, 400, "Last-Event-ID");
    }
    *strchr(event.id, '-') = '\0'; /* an event that has not been yet */
    snprintf(text, sizeof text, EVENTS "Last-Event-ID: %s-100\r\n", event.id);
    refuse(fixture, text, 400, "Last-Event-ID");
    release();
    client_close(&client);
}

static void test_deleted_while_lost(void **state)
{
    const struct fixture *fixture = *state;
    struct client client;
    struct event event;
    char more[256];

    begin_stream(fixture, &client, &event);
    client_close(&client);
    expect(fixture, "DELETE", "/mcp", fixture->mcp, NULL, 204, NULL);
    assert_int_equal(atomic_load(&fake_cancelled), 1);
    snprintf(more, sizeof more, EVENTS "Last-Event-ID: %s\r\n", event.id);
    refuse(fixture, more, 404, "initialize");
}

/* ---- GET ---- */

static void test_get_opens_a_stream(void **state)
{
    const struct fixture *fixture = *state;
    struct client client, second;
    struct event event;

    open_stream(fixture, &client, "");
    assert_true(read_event(&client, &event));
    assert_int_equal(event.id[0], 'g');
    assert_string_equal(event.data, "");
    assert_true(event.retries);
    expect(fixture, "POST", "/mcp", fixture->mcp, CALL("3", "echo", "{\"text\":\"hello\"}"), 200,
           "hello");
    open_stream(fixture, &second, ""); /* takes its place */
    assert_false(read_event(&client, &event));
    client_close(&client);
    assert_true(read_event(&second, &event));
    expect(fixture, "DELETE", "/mcp", fixture->mcp, NULL, 204, NULL);
    assert_false(read_event(&second, &event));
    client_close(&second);
}

/* After a restart of the server its streams are unknown: the client gets another one. */
static void test_get_comes_back(void **state)
{
    const struct fixture *fixture = *state;
    struct client client;
    struct event event, other;

    open_stream(fixture, &client, "");
    assert_true(read_event(&client, &event));
    client_close(&client);
    open_stream(fixture, &client, event.id); /* the same one */
    expect(fixture, "GET", "/health", "", NULL, 200, NULL);
    client_close(&client);
    open_stream(fixture, &client, "g123-7");
    assert_true(read_event(&client, &other));
    assert_string_not_equal(event.id, other.id);
    client_close(&client);
}

static void test_what_get_refuses(void **state)
{
    const struct fixture *fixture = *state;

    expect(fixture, "GET", "/mcp", EVENTS, NULL, 400, "Mcp-Session-Id");
    expect(fixture, "GET", "/mcp", EVENTS "Mcp-Session-Id: 0123\r\n", NULL, 404, "initialize");
    refuse(fixture, "Accept: application/json\r\n", 406, "text/event-stream");
    expect(fixture, "PUT", "/mcp", fixture->mcp, "{}", 405, "GET, POST and DELETE");
    expect(fixture, "HEAD", "/mcp", fixture->mcp, NULL, 405, NULL);
}

/* Bytes that come on a stream are no request; the stream goes on. */
static void test_a_client_that_sends_on(void **state)
{
    const struct fixture *fixture = *state;
    struct client client;
    struct event event;

    open_stream(fixture, &client, "");
    assert_true(read_event(&client, &event));
    for (int i = 0; i < 100; i++)
        client_write(&client, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", 42);
    expect(fixture, "GET", "/health", "", NULL, 200, NULL);
    expect(fixture, "DELETE", "/mcp", fixture->mcp, NULL, 204, NULL);
    assert_false(read_event(&client, &event));
    client_close(&client);
}

/* An open stream does not keep the server from stopping, nor does one that waits. */
static void test_stopping(void **state)
{
    struct fixture *fixture = *state;
    struct client client, lost;
    struct event event;

    begin_stream(fixture, &lost, &event);
    client_close(&lost);
    expect(fixture, "GET", "/health", "", NULL, 200, NULL);
    open_stream(fixture, &client, "");
    assert_true(read_event(&client, &event));
    release();
    fixture->drain_ms = 20000;
    alarm(15);
    stop(fixture);
    assert_false(read_event(&client, &event));
    pthread_join(fixture->thread, NULL);
    alarm(0);
    fixture->thread = 0;
    client_close(&client);
}

/* What was written may not have been received. */
static void test_a_written_answer_is_kept(void **state)
{
    const struct fixture *fixture = *state;
    struct client client;
    struct event event;
    struct answer answer;
    char first[64] = "";

    client_open(&client, fixture->port);
    write_call(&client, fixture->mcp, CALL_WITH_TOKEN("5", "report", "{\"ms\":300}"));
    assert_true(read_head(&client, &answer));
    while (read_event(&client, &event)) {
        if (!*first)
            memcpy(first, event.id, sizeof first);
    }
    client_close(&client);
    for (int i = 0; i < 3; i++) {
        open_stream(fixture, &client, first);
        assert_true(read_event(&client, &event)); /* without the progress */
        assert_non_null(strstr(event.data, "\"result\""));
        assert_false(read_event(&client, &event));
        client_close(&client);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MCP_TEST(test_events_have_ids),
        HTTP_TEST(test_older_clients_get_no_empty_event),
        MCP_TEST(test_events_first),
        MCP_TEST(test_the_answer_waits),
        MCP_TEST(test_back_before_the_answer),
        MCP_TEST(test_a_pause),
        MCP_TEST(test_cancelled_while_lost),
        MCP_TEST(test_whose_stream_it_is),
        MCP_TEST(test_deleted_while_lost),
        MCP_TEST(test_get_opens_a_stream),
        MCP_TEST(test_get_comes_back),
        MCP_TEST(test_what_get_refuses),
        MCP_TEST(test_a_client_that_sends_on),
        MCP_TEST(test_stopping),
        MCP_TEST(test_a_written_answer_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
