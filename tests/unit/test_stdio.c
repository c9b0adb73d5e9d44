/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * MCP over two file descriptors: pipes, files, /dev/null; lines of every length; a client that does
 * not read and one that leaves. The server's loop runs on a thread of its own.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "mcp/protocol/peer.h"
#include "mcp/transport/transport.h"
#include "tests/unit/fake_tools.h"

#define LINE_CAP (8 << 20)

struct fixture {
    int in, out;   /* the server's */
    int to, from;  /* the client's; -1 where there is none */
    FILE *answers; /* over from */
    char *line;    /* of LINE_CAP bytes */
    pthread_t thread;
    int loop_closed; /* what uv_loop_close said */

    uv_loop_t loop;
    struct server server;
    struct stdio_server *stdio;
};

static void on_end(void *user)
{
    struct fixture *fixture = user;

    stdio_server_destroy(fixture->stdio);
    fake_server_close(&fixture->server);
}

static void *serve(void *arg)
{
    struct fixture *fixture = arg;

    uv_run(&fixture->loop, UV_RUN_DEFAULT);
    fixture->loop_closed = uv_loop_close(&fixture->loop);
    return NULL;
}

static void start(struct fixture *fixture)
{
    struct error err = {0};

    uv_loop_init(&fixture->loop);
    fake_server_open(&fixture->server, &fixture->loop, 4);
    fixture->stdio = stdio_server_create(&fixture->server, fixture->in, fixture->out, NULL, NULL,
                                         on_end, fixture, &err);
    if (!fixture->stdio)
        fail_msg("%s", err.text);
    close(fixture->in);
    if (fixture->out != fixture->in)
        close(fixture->out);
    assert_int_equal(pthread_create(&fixture->thread, NULL, serve, fixture), 0);
}

/* Waits for the server's own end. */
static void finish(struct fixture *fixture)
{
    if (fixture->to >= 0 && fixture->to != fixture->from)
        close(fixture->to);
    fixture->to = -1;
    pthread_join(fixture->thread, NULL);
    assert_int_equal(fixture->loop_closed, 0);
}

static void with_pipes(struct fixture *fixture)
{
    int in[2], out[2];

    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    fixture->in = in[0];
    fixture->to = in[1];
    fixture->from = out[0];
    fixture->out = out[1];
    fixture->answers = fdopen(out[0], "r");
    fixture->line = malloc(LINE_CAP);
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    fixture->to = fixture->from = -1;
    atomic_store(&fake_cancelled, 0);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    if (fixture->answers)
        fclose(fixture->answers);
    free(fixture->line);
    free(fixture);
    return 0;
}

static void say(struct fixture *fixture, const char *text)
{
    size_t len = strlen(text), done = 0;
    ssize_t n;

    while (done < len) {
        n = write(fixture->to, text + done, len - done);
        assert_true(n > 0);
        done += (size_t)n;
    }
}

/* The next line as JSON, owned; NULL at the end. */
static json_t *hear(struct fixture *fixture)
{
    struct error err = {0};
    json_t *message;
    size_t len;

    if (!fgets(fixture->line, LINE_CAP, fixture->answers))
        return NULL;
    len = strlen(fixture->line);
    assert_int_equal(fixture->line[len - 1], '\n');
    message = json_read(fixture->line, len, "a line", &err);
    assert_non_null(message);
    return message;
}

static void hear_id(struct fixture *fixture, long id)
{
    json_t *message = hear(fixture);

    assert_non_null(message);
    assert_int_equal(json_integer_value(json_object_get(message, "id")), id);
    json_decref(message);
}

#define INITIALIZE                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"     \
    "\"2025-11-25\"}}\n"
#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"
#define CALL(id, tool, arguments)                                                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool    \
    "\",\"arguments\":" arguments "}}"

static void test_lines(void **state)
{
    struct fixture *fixture = *state;
    json_t *message;

    with_pipes(fixture);
    start(fixture);
    say(fixture, INITIALIZE);
    hear_id(fixture, 1);
    say(fixture, "\n \t\r\n" PING("2") "\r\n" PING("3") "\n{\"jsonrpc\":\"2.0\",");
    hear_id(fixture, 2);
    hear_id(fixture, 3);
    say(fixture, "\"id\":4,\"method\":\"ping\"}\n");
    hear_id(fixture, 4);
    say(fixture, "what?\n");
    message = hear(fixture);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(message, "error"), "code")),
                     -32700);
    assert_true(json_is_null(json_object_get(message, "id")));
    json_decref(message);
    say(fixture, PING("5")); /* the last one without a line end */
    close(fixture->to);
    fixture->to = -1;
    hear_id(fixture, 5);
    assert_null(hear(fixture));
    finish(fixture);
}

/* An answer of some megabytes is one line, and what follows is not lost behind it. */
static void test_large_images(void **state)
{
    struct fixture *fixture = *state;
    const json_t *content;
    json_t *message;

    with_pipes(fixture);
    start(fixture);
    say(fixture, INITIALIZE);
    hear_id(fixture, 1);
    for (int i = 0; i < 3; i++) {
        say(fixture, CALL("2", "echo", "{\"image_bytes\":7000000}") "\n" PING("3") "\n");
        for (int answers = 0; answers < 2; answers++) {
            message = hear(fixture);
            content = json_object_get(json_object_get(message, "result"), "content");
            if (json_integer_value(json_object_get(message, "id")) == 2)
                assert_int_equal(
                    json_string_length(json_object_get(json_array_get(content, 1), "data")),
                    7000000);
            json_decref(message);
        }
    }
    close(fixture->to);
    fixture->to = -1;
    assert_null(hear(fixture));
    finish(fixture);
}

/* The end of input is no cancel: the answer still comes. */
static void test_end_waits_for_calls(void **state)
{
    struct fixture *fixture = *state;

    with_pipes(fixture);
    start(fixture);
    say(fixture, INITIALIZE CALL("2", "wait", "{\"ms\":300}") "\n");
    close(fixture->to);
    fixture->to = -1;
    hear_id(fixture, 1);
    hear_id(fixture, 2);
    assert_null(hear(fixture));
    finish(fixture);
    assert_int_equal(atomic_load(&fake_cancelled), 0);
}

/* A cancelled call gives no answer, and the end does not wait for it for ever. */
static void test_cancel_then_end(void **state)
{
    struct fixture *fixture = *state;

    with_pipes(fixture);
    start(fixture);
    say(fixture, INITIALIZE CALL("2", "wait", "{\"ms\":60000}") "\n");
    hear_id(fixture, 1);
    say(fixture, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
                 "\"requestId\":2}}\n");
    close(fixture->to);
    fixture->to = -1;
    assert_null(hear(fixture));
    finish(fixture);
}

static void test_line_over_the_cap(void **state)
{
    struct fixture *fixture = *state;
    char *big = malloc(MESSAGE_IN_CAP + 100);
    json_t *message;

    with_pipes(fixture);
    start(fixture);
    memset(big, 'x', MESSAGE_IN_CAP + 99);
    big[MESSAGE_IN_CAP + 99] = '\0';
    say(fixture, INITIALIZE);
    hear_id(fixture, 1);
    say(fixture, big);
    say(fixture, "\n" PING("2") "\n");
    message = hear(fixture);
    assert_non_null(strstr(json_get_string(json_object_get(message, "error"), "message"),
                           "at most 4194304 bytes"));
    json_decref(message);
    hear_id(fixture, 2);
    finish(fixture);
    free(big);
}

/* The client writes on without reading: the server takes no more than it can answer, and every
 * message is answered in the end. */
static void *write_pings(void *arg)
{
    struct fixture *fixture = arg;

    for (int i = 0; i < 20000; i++)
        say(fixture, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\"}\n");
    close(fixture->to);
    fixture->to = -1;
    return NULL;
}

static void test_client_that_does_not_read(void **state)
{
    struct fixture *fixture = *state;
    pthread_t writer;

    with_pipes(fixture);
    start(fixture);
    say(fixture, INITIALIZE);
    assert_int_equal(pthread_create(&writer, NULL, write_pings, fixture), 0);
    usleep(300000);
    hear_id(fixture, 1);
    for (int i = 0; i < 20000; i++)
        hear_id(fixture, 7);
    pthread_join(writer, NULL);
    assert_null(hear(fixture));
    finish(fixture);
}

/* Its pipe breaks while a call runs: the server ends, and the call is cancelled. */
static void test_client_that_leaves(void **state)
{
    struct fixture *fixture = *state;

    with_pipes(fixture);
    start(fixture);
    say(fixture, INITIALIZE CALL("2", "wait", "{\"ms\":60000}") "\n");
    hear_id(fixture, 1);
    while (atomic_load(&fake_running) == 0)
        usleep(1000);
    fclose(fixture->answers);
    fixture->answers = NULL;
    say(fixture, PING("3") "\n");
    pthread_join(fixture->thread, NULL);
    assert_int_equal(fixture->loop_closed, 0);
    assert_int_equal(atomic_load(&fake_cancelled), 1);
    close(fixture->to);
}

static void test_files(void **state)
{
    struct fixture *fixture = *state;
    FILE *in = tmpfile(), *out = tmpfile();
    int lines = 0;

    fputs(INITIALIZE, in);
    for (int i = 0; i < 3000; i++)
        fputs(PING("2") "\n", in);
    fputs(CALL("3", "wait", "{\"ms\":100}"), in);
    fflush(in);
    rewind(in);
    fixture->in = dup(fileno(in));
    fixture->out = dup(fileno(out));
    start(fixture);
    finish(fixture);
    rewind(out);
    for (int c; (c = fgetc(out)) != EOF;)
        lines += c == '\n';
    assert_int_equal(lines, 3002);
    fclose(in);
    fclose(out);
}

static void test_dev_null(void **state)
{
    struct fixture *fixture = *state;

    fixture->in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    fixture->out = open("/dev/null", O_WRONLY | O_CLOEXEC);
    start(fixture);
    finish(fixture);
}

static void test_one_socket_for_both(void **state)
{
    struct fixture *fixture = *state;
    int pair[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    fixture->in = fixture->out = pair[0];
    fixture->to = fixture->from = pair[1];
    fixture->answers = fdopen(pair[1], "r");
    fixture->line = malloc(LINE_CAP);
    start(fixture);
    say(fixture, INITIALIZE);
    hear_id(fixture, 1);
    shutdown(pair[1], SHUT_WR);
    assert_null(hear(fixture));
    finish(fixture);
}

/* The description is shared with whoever started us, who expects it as it was. */
static void test_flags_are_restored(void **state)
{
    struct fixture *fixture = *state;
    int kept;

    with_pipes(fixture);
    kept = fcntl(fixture->out, F_DUPFD_CLOEXEC, 0);
    start(fixture);
    say(fixture, INITIALIZE);
    hear_id(fixture, 1);
    assert_true(fcntl(kept, F_GETFL) & O_NONBLOCK);
    finish(fixture);
    assert_false(fcntl(kept, F_GETFL) & O_NONBLOCK);
    close(kept);
}

int main(void)
{
#define STDIO_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        STDIO_TEST(test_lines),
        STDIO_TEST(test_large_images),
        STDIO_TEST(test_end_waits_for_calls),
        STDIO_TEST(test_cancel_then_end),
        STDIO_TEST(test_line_over_the_cap),
        STDIO_TEST(test_client_that_does_not_read),
        STDIO_TEST(test_client_that_leaves),
        STDIO_TEST(test_files),
        STDIO_TEST(test_dev_null),
        STDIO_TEST(test_one_socket_for_both),
        STDIO_TEST(test_flags_are_restored),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
