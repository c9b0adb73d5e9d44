/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Streams of MCP that wait for their clients, at their caps: which give way, that a client that
 * comes back for one of those finds none, and that nothing of them is left. The exchanges below
 * stand in for those of the HTTP server.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "mcp/transport/mcp/http_mcp.h"
#include "tests/unit/failing_allocations.h"
#include "tests/unit/fake_tools.h"

#define MEBIBYTE ((size_t)1 << 20)
#define NOTICE   "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/made_up\",\"params\":{}}"

/* ---- exchanges ---- */

struct line {
    struct exchange exchange; /* first */
    char id[64];              /* of its first event */
    size_t events, bytes;
    unsigned first; /* the number of the first event with data */
    bool ended;
};

void exchange_send_text(struct exchange *exchange, const char *text, size_t len)
{
    struct line *line = (struct line *)exchange;

    if (len > 0)
        assert_int_equal(sscanf(text, "id: %63s", line->id), 1);
}

void exchange_send_event(struct exchange *exchange, const char *id, const char *json, size_t len,
                         bool droppable)
{
    struct line *line = (struct line *)exchange;

    (void)json;
    (void)droppable;
    if (line->events++ == 0)
        line->first = (unsigned)strtoul(strchr(id, '-') + 1, NULL, 10);
    line->bytes += len;
}

void exchange_end_stream(struct exchange *exchange)
{
    ((struct line *)exchange)->ended = true;
}

void exchange_answer(struct exchange *exchange, int status, const char *type, struct buf *body)
{
    (void)exchange;
    (void)type;
    buf_finish(body);
    fail_msg("an answer with status %d", status);
}

void exchange_error(struct exchange *exchange, int status, const char *format, ...)
{
    (void)exchange;
    fail_msg("an error with status %d: %s", status, format);
}

void sign_in_ask_scope(struct exchange *exchange, unsigned scope)
{
    (void)exchange;
    (void)scope;
}

bool sign_in_lasts(struct exchange *exchange)
{
    (void)exchange;
    return true;
}

/* ---- sessions ---- */

struct fixture {
    uv_loop_t loop;
    struct server server;
    struct mcp_sessions all;
};

static int setup(void **state)
{
    static struct fixture only;
    struct fixture *fixture = memset(&only, 0, sizeof only);
    struct error err = {0};

    uv_loop_init(&fixture->loop);
    fake_server_open(&fixture->server, &fixture->loop, 1);
    fixture->all.host = host_create(&fixture->server, false, &err);
    assert_non_null(fixture->all.host);
    mcp_streams_init(&fixture->all);
    *state = fixture;
#ifdef COUNTS_ALLOCATIONS
    live = 0;
    watching = true;
#endif
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    mcp_streams_remove(&fixture->all, NULL);
    mcp_clients_collect(&fixture->all);
#ifdef COUNTS_ALLOCATIONS
    watching = false;
    assert_int_equal(live, 0);
#endif
    assert_true(TAILQ_EMPTY(&fixture->all.active));
    assert_true(TAILQ_EMPTY(&fixture->all.waiting));
    assert_true(LIST_EMPTY(&fixture->all.idle));
    assert_int_equal(fixture->all.waiting_count, 0);
    assert_int_equal(fixture->all.waiting_bytes, 0);
    host_destroy(fixture->all.host);
    fake_server_close(&fixture->server);
    uv_run(&fixture->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&fixture->loop), 0);
    return 0;
}

static struct session_id session_of(unsigned number)
{
    struct session_id id = {0};

    client_init(&id.client, TOOLSETS_ALL, NULL, NULL);
    id.client.version = protocol_version_find("2025-11-25");
    memcpy(id.name, &number, sizeof number);
    return id;
}

static void begin_line(struct line *line)
{
    static struct server_request request; /* without headers */

    memset(line, 0, sizeof *line);
    line->exchange.request = &request;
    line->exchange.identity = &identity_everyone;
}

/* The stream of a GET in the session of that number. */
static struct mcp_stream *open_get(struct fixture *fixture, struct line *line, unsigned number)
{
    const struct session_id id = session_of(number);
    struct error err = {0};
    struct mcp_stream *stream;

    begin_line(line);
    stream = mcp_stream_open_get(mcp_client_use(&fixture->all, &id, &err), &line->exchange, &err);
    assert_non_null(stream);
    assert_int_equal(line->id[0], 'g');
    return stream;
}

/* The answer to a POST, which has become a stream. */
static struct mcp_stream *open_post(struct fixture *fixture, struct line *line, unsigned number)
{
    const struct session_id id = session_of(number);
    struct error err = {0};
    struct mcp_stream *stream;

    begin_line(line);
    stream = mcp_stream_open(mcp_client_use(&fixture->all, &id, &err), &line->exchange, &err);
    assert_non_null(stream);
    stream->reply.send(&stream->reply, NOTICE, strlen(NOTICE), PEER_NOTIFICATION);
    assert_int_equal(line->id[0], 'p');
    return stream;
}

static void send_bytes(struct mcp_stream *stream, size_t len)
{
    char *bytes = malloc(len);

    memset(bytes, ' ', len);
    stream->reply.send(&stream->reply, bytes, len, PEER_RESPONSE);
    free(bytes);
}

static void lose(struct line *line)
{
    line->exchange.on_gone(line->exchange.on_gone_user);
}

/* Whether the stream is still there for a client that comes back, which has *line then. */
static bool comes_back(struct fixture *fixture, const struct line *lost, unsigned number,
                       struct line *line)
{
    const struct session_id id = session_of(number);

    begin_line(line);
    return mcp_stream_resume(&fixture->all, &id, lost->id, &line->exchange);
}

/* ---- tests ---- */

/* One that was written completely gives way first, then the oldest. */
static void test_streams(void **state)
{
    static struct line lines[MCP_STREAMS_WAITING_CAP + 2];
    const unsigned written = MCP_STREAMS_WAITING_CAP / 2, last = MCP_STREAMS_WAITING_CAP + 1;
    struct fixture *fixture = *state;
    struct mcp_stream *stream;
    struct line line;

    for (unsigned i = 0; i <= last; i++) {
        if (i == written) {
            stream = open_post(fixture, &lines[i], i);
            send_bytes(stream, 100);
            stream->reply.end(&stream->reply, false);
            assert_true(lines[i].ended);
            lines[i].exchange.on_written(lines[i].exchange.on_gone_user);
        } else {
            open_get(fixture, &lines[i], i);
            lose(&lines[i]);
        }
        assert_int_equal(fixture->all.waiting_count,
                         i < MCP_STREAMS_WAITING_CAP ? i + 1 : MCP_STREAMS_WAITING_CAP);
        assert_int_equal(fixture->all.waiting_bytes,
                         i >= written && i < MCP_STREAMS_WAITING_CAP ? 100 : 0);
    }
    for (unsigned i = 0; i <= last; i++) {
        assert_int_equal(comes_back(fixture, &lines[i], i, &line), i != written && i != 0);
        if (i != written && i != 0) {
            lose(&line);
            assert_int_equal(fixture->all.waiting_count, MCP_STREAMS_WAITING_CAP);
        }
    }
}

/* The oldest answers give way to newer ones, also to one that comes while its client is away. */
static void test_bytes(void **state)
{
    enum { COUNT = 33 }; /* one more than there is room for */
    static struct line lines[COUNT];
    struct mcp_stream *streams[COUNT];
    struct fixture *fixture = *state;
    struct line line;

    assert_int_equal(MCP_STREAMS_BYTES_CAP, (COUNT - 1) * MEBIBYTE);
    for (unsigned i = 0; i < COUNT; i++) {
        streams[i] = open_post(fixture, &lines[i], i);
        lose(&lines[i]);
    }
    assert_int_equal(fixture->all.waiting_count, COUNT);
    assert_int_equal(fixture->all.waiting_bytes, 0);
    for (unsigned i = 0; i < COUNT; i++) {
        send_bytes(streams[i], MEBIBYTE);
        streams[i]->reply.end(&streams[i]->reply, false);
    }
    assert_int_equal(fixture->all.waiting_count, COUNT - 1);
    assert_int_equal(fixture->all.waiting_bytes, MCP_STREAMS_BYTES_CAP);
    assert_false(comes_back(fixture, &lines[0], 0, &line));
    for (unsigned i = 1; i < COUNT; i++) {
        assert_true(comes_back(fixture, &lines[i], i, &line));
        assert_int_equal(line.bytes, MEBIBYTE);
        assert_true(line.ended);
        assert_int_equal(fixture->all.waiting_bytes, MCP_STREAMS_BYTES_CAP - MEBIBYTE);
        lose(&line); /* before it has everything */
        assert_int_equal(fixture->all.waiting_bytes, MCP_STREAMS_BYTES_CAP);
    }
}

/* One that is larger than the cap is kept while no other waits. */
static void test_one_above_the_cap(void **state)
{
    static struct line large, small;
    struct fixture *fixture = *state;
    struct mcp_stream *stream = open_post(fixture, &large, 1);
    struct line line;

    for (size_t i = 0; i <= MCP_STREAMS_BYTES_CAP / MEBIBYTE; i++)
        send_bytes(stream, MEBIBYTE);
    lose(&large);
    assert_int_equal(fixture->all.waiting_count, 1);
    assert_true(fixture->all.waiting_bytes > MCP_STREAMS_BYTES_CAP);
    open_get(fixture, &small, 2);
    lose(&small);
    assert_int_equal(fixture->all.waiting_count, 1);
    assert_int_equal(fixture->all.waiting_bytes, 0);
    assert_false(comes_back(fixture, &large, 1, &line));
    assert_true(comes_back(fixture, &small, 2, &line));
    lose(&line);
}

/* Of the notifications on the stream of a GET the newest are kept, by number and by bytes. */
static void test_notifications(void **state)
{
    const size_t lengths[] = {strlen(NOTICE), 3000}, kept[] = {MCP_GET_EVENTS_CAP, 2};
    struct fixture *fixture = *state;
    static struct line lost, line;
    char text[3000];

    memset(text, ' ', sizeof text);
    for (unsigned i = 0; i < 2; i++) {
        struct mcp_stream *stream = open_get(fixture, &lost, i);

        lose(&lost);
        for (unsigned sent = 0; sent < 100; sent++)
            stream->reply.send(&stream->reply, text, lengths[i], PEER_NOTIFICATION);
        assert_int_equal(fixture->all.waiting_bytes, kept[i] * lengths[i]);
        assert_true(comes_back(fixture, &lost, i, &line));
        assert_int_equal(line.events, kept[i]);
        assert_int_equal(line.first, 100 - kept[i] + 1);
        mcp_streams_remove(&fixture->all, session_of(i).name);
        assert_true(line.ended);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_streams, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_above_the_cap, setup, teardown),
        cmocka_unit_test_setup_teardown(test_notifications, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
