/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tool execute_code while the server is taken down: its call waits on the read lane, and when
 * it comes back the executor is gone.
 */
#include "tests/unit/session_fixture.h"

#include <semaphore.h>

#include "executor/engine.h"
#include "mcp/server_parts.h"
#include "mcp/tool/table.h"
#include "tests/parts/fake_engine.h"

static const char curriculum[] =
    "{\"nodes\": [{\"node_id\": \"N1\", \"title\": \"One\", \"components\": []}], "
    "\"relationships\": []}";

struct waiting {
    struct lane_job job;
    sem_t go;
};

static void wait_for_go(struct lane_job *job, void *context)
{
    (void)context;
    sem_wait(&((struct waiting *)job)->go);
}

static void ignore(struct lane_job *job)
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

static void make_parts(struct server_parts *parts, struct fixture *fixture)
{
    const struct lane_config lane = {.name = "read",
                                     .threads = 1,
                                     .capacity = 8,
                                     .open = open_reader,
                                     .close = close_reader,
                                     .arg = fixture->url};
    const struct executor_config config = {0};

    parts->mailbox = mailbox_create(parts->loop, &fixture->err);
    parts->read = lane_create(&lane, parts->mailbox, &fixture->err);
    parts->executor =
        executor_create_with(&engine_fake, &config, &executor_limits_default, &fixture->err);
    if (!parts->executor)
        fail_msg("%s", fixture->err.text);
    parts->profile = validator_profile_find("data-science");
    parts->timeout_seconds = 5;
}

static void test_the_executor_goes_first(void **state)
{
    struct fixture *fixture = *state;
    struct server_parts parts = {0};
    struct waiting waiting = {.job = {.work = wait_for_go, .done = ignore}};
    unsigned done = 0;
    struct tool_call call = {.tool = &tool_execute_code,
                             .parts = &parts,
                             .who = "test",
                             .on_done = count_done,
                             .user = &done};
    uv_loop_t loop;

    import_text(fixture, curriculum, strlen(curriculum));
    uv_loop_init(&loop);
    parts.loop = &loop;
    make_parts(&parts, fixture);
    sem_init(&waiting.go, 0, 0);
    must(fixture, lane_submit(parts.read, &waiting.job, &fixture->err));
    call.arguments = parse("{\"code\": \"print(1)\"}");
    call.cancel = cancel_create(&fixture->err);
    tool_call_start(&call);
    tool_call_cancel(&call);
    executor_destroy(parts.executor);
    sem_post(&waiting.go);
    lane_destroy(parts.read);
    mailbox_destroy(parts.mailbox);
    assert_int_equal(done, 1);
    assert_int_equal(call.category, TOOL_ERROR_CANCELLED);
    tool_call_finish(&call);
    sem_destroy(&waiting.go);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_executor_goes_first, fixture_open, fixture_close),
    };

    fake_runner_main(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
