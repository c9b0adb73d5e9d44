/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tool execute_code on a fake engine: its progress, its end by a cancel, what it says when
 * there is no place, and the server taken down around it. The programs are Python to the validator
 * and commands to the fake.
 */
#include "tests/unit/session_fixture.h"

#include <semaphore.h>

#include "executor/engine.h"
#include "mcp/server.h"
#include "mcp/tool/arguments.h"
#include "tests/parts/fake_engine.h"

static const char curriculum[] =
    "{\"nodes\": [{\"node_id\": \"N1\", \"title\": \"One\", \"components\": []}], "
    "\"relationships\": []}";

struct waiting {
    struct workq_job job;
    sem_t go;
};

static void wait_for_go(struct workq_job *job, void *context)
{
    (void)context;
    sem_wait(&((struct waiting *)job)->go);
}

static void ignore(struct workq_job *job)
{
    (void)job;
}

static void *open_reader(void *arg, struct error *err)
{
    return store_open(arg, STORE_READ, err);
}

static void close_reader(void *context)
{
    store_close(context);
}

static void count_done(struct tool_call *call)
{
    ++*(unsigned *)call->user;
}

static void make_server(struct server *server, struct fixture *fixture, size_t capacity)
{
    const struct workq_config workq = {.name = "read",
                                       .threads = 1,
                                       .capacity = capacity,
                                       .open = open_reader,
                                       .close = close_reader,
                                       .arg = fixture->url};
    const struct executor_config config = {0};

    server->loop_queue = loop_queue_create(server->loop, &fixture->err);
    server->store.read = workq_create(&workq, server->loop_queue, &fixture->err);
    server->analyses.executor =
        executor_create_with(&engine_fake, &config, &executor_limits_default, &fixture->err);
    if (!server->analyses.executor)
        fail_msg("%s", fixture->err.text);
    server->analyses.profile = validator_profile_find("data-science");
    server->analyses.timeout_seconds = 60;
    server->analyses.stdout_characters = server->analyses.stderr_characters = 1000;
}

static void test_the_executor_goes_first(void **state)
{
    struct fixture *fixture = *state;
    struct server server = {0};
    struct waiting waiting = {.job = {.work = wait_for_go, .done = ignore}};
    unsigned done = 0;
    struct tool_call call = {.tool = &tool_execute_code,
                             .server = &server,
                             .who = "test",
                             .on_done = count_done,
                             .user = &done};
    uv_loop_t loop;

    import_text(fixture, curriculum, strlen(curriculum));
    uv_loop_init(&loop);
    server.loop = &loop;
    make_server(&server, fixture, 8);
    sem_init(&waiting.go, 0, 0);
    must(fixture, workq_submit(server.store.read, &waiting.job, &fixture->err));
    call.arguments = parse("{\"code\": \"print(1)\"}");
    call.cancel = cancel_create(&fixture->err);
    tool_call_start(&call);
    tool_call_cancel(&call);
    executor_destroy(server.analyses.executor);
    sem_post(&waiting.go);
    workq_destroy(server.store.read);
    loop_queue_destroy(server.loop_queue);
    assert_int_equal(done, 1);
    assert_int_equal(call.failure.category, FAILURE_CANCELLED);
    tool_call_finish(&call);
    sem_destroy(&waiting.go);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
}

enum { TOO_MANY = 2 * (int)EXECUTION_WAITING_CAP };
#define PATIENCE 20000 /* ms */

struct many {
    uv_loop_t loop;
    struct server server;
    struct tool_call calls[TOO_MANY];
    unsigned done;
};

static void many_begin(struct many *many, struct fixture *fixture)
{
    import_text(fixture, curriculum, strlen(curriculum));
    uv_loop_init(&many->loop);
    many->server.loop = &many->loop;
    make_server(&many->server, fixture, TOO_MANY);
}

static struct tool_call *many_call(struct many *many, int i, const char *arguments)
{
    struct tool_call *call = &many->calls[i];
    struct error err = {0};

    *call = (struct tool_call){.tool = &tool_execute_code,
                               .server = &many->server,
                               .who = "test",
                               .wants_progress = true,
                               .on_done = count_done,
                               .user = &many->done};
    call->arguments = parse(arguments);
    call->cancel = cancel_create(&err);
    tool_call_start(call);
    return call;
}

static void turn(struct many *many)
{
    uv_run(&many->loop, UV_RUN_NOWAIT);
    uv_sleep(1);
}

static void many_end(struct many *many, unsigned calls)
{
    for (int i = 0; many->done < calls && i < PATIENCE; i++)
        turn(many);
    assert_int_equal(many->done, calls);
    executor_destroy(many->server.analyses.executor);
    workq_destroy(many->server.store.read);
    loop_queue_destroy(many->server.loop_queue);
    for (unsigned i = 0; i < calls; i++)
        tool_call_finish(&many->calls[i]);
    uv_run(&many->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&many->loop), 0);
    assert_int_equal(atomic_load(&fake_boxes), 0);
    free(many);
}

/* What has come so far is told while it runs; then a cancel ends it long before its time. */
static void test_news_and_cancel(void **state)
{
    struct many *many = calloc(1, sizeof *many);
    struct buf BUF_AUTO told = {0};
    struct tool_call *call;

    many_begin(many, *state);
    call = many_call(many, 0, "{\"code\": \"print = 0\\nprint +5\\nsleep = 0\\nsleep +60000\"}");
    for (int i = 0; i < PATIENCE && !(told.data && strstr(told.data, "+5")); i++) {
        turn(many);
        call->tool->progress(call, &told, NULL);
    }
    assert_non_null(told.data);
    assert_non_null(strstr(told.data, "+5"));
    assert_false(call->tool->progress(call, &told, NULL));
    tool_call_cancel(call);
    for (int i = 0; i < PATIENCE && many->done == 0; i++)
        turn(many);
    assert_int_equal(call->failure.category, FAILURE_CANCELLED);
    assert_false(call->tool->progress(call, &told, NULL)); /* it has ended */
    many_end(many, 1);
}

static unsigned count_busy(const struct many *many)
{
    unsigned count = 0;

    for (int i = 0; i < TOO_MANY; i++) {
        if (many->calls[i].failure.category != FAILURE_BUSY)
            continue;
        assert_true(many->calls[i].failure.retry_after_s >= 1);
        assert_true(many->calls[i].text.len > 0);
        count++;
    }
    return count;
}

/* Who finds no place is told so at once, and after how long to come again. */
static void test_too_many(void **state)
{
    struct many *many = calloc(1, sizeof *many);

    many_begin(many, *state);
    for (int i = 0; i < TOO_MANY; i++)
        many_call(many, i, "{\"code\": \"sleep = 0\\nsleep +60000\"}");
    for (int i = 0; i < PATIENCE && many->done == 0; i++)
        turn(many);
    assert_true(many->done > 0);
    assert_int_equal(count_busy(many), many->done);
    for (int i = 0; i < TOO_MANY; i++) {
        if (many->calls[i].state)
            tool_call_cancel(&many->calls[i]);
    }
    many_end(many, TOO_MANY);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_executor_goes_first, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(test_news_and_cancel, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(test_too_many, fixture_open, fixture_close),
    };

    fake_runner_main(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
