/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Real code in real sandboxes, the same for each engine: which one is the first argument, "local",
 * "process" or "docker" (where DOCKER_HOST says). The image's name is LECTERN_IMAGE.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <uv.h>

#include "helpers/base/log.h"
#include "tests/parts/job_waiter.h"

#define WARM_MS 60000

static struct executor_config config;
static struct executor *executor;
static struct holdings before;

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void check(const char *kind, const char *code, enum execution_status status, const char *out)
{
    struct job_waiter waiter;

    job_waiter_do(&waiter, executor, kind, code);
    if (waiter.status != status || (out && strcmp(waiter.out, out) != 0))
        print_message("%s\n-> %s, out: %s, err: %s, error: %s\n", code,
                      execution_status_name(waiter.status), waiter.out, waiter.err, waiter.error);
    assert_string_equal(execution_status_name(waiter.status), execution_status_name(status));
    if (out)
        assert_string_equal(waiter.out, out);
    job_waiter_finish(&waiter);
}

/* What the code raised: its error line holds text. */
static void check_error(const char *kind, const char *code, const char *text)
{
    struct job_waiter waiter;

    job_waiter_do(&waiter, executor, kind, code);
    if (waiter.status != EXECUTION_RUNTIME || !strstr(waiter.error, text))
        print_message("%s\n-> %s, out: %s, error: %s\n", code, execution_status_name(waiter.status),
                      waiter.out, waiter.error);
    assert_int_equal(waiter.status, EXECUTION_RUNTIME);
    assert_non_null(strstr(waiter.error, text));
    job_waiter_finish(&waiter);
}

static void test_print(void **state)
{
    (void)state;
    check("bare", "print(1)", EXECUTION_OK, "1\n");
    check("bare", "print('größer 😀')", EXECUTION_OK, "größer 😀\n");
}

static void test_value(void **state)
{
    struct job_waiter waiter;

    (void)state;
    job_waiter_do(&waiter, executor, "bare", "x = 20\nx * 2 + 2");
    assert_int_equal(waiter.status, EXECUTION_OK);
    assert_string_equal(waiter.value, "42");
    job_waiter_finish(&waiter);
}

static void test_pandas(void **state)
{
    (void)state;
    check("data",
          "import pandas as pd\nimport numpy as np\nimport networkx as nx\n"
          "print(pd.DataFrame({'a': [1, 2, 3]})['a'].sum(), int(np.arange(4).max()),"
          " nx.path_graph(3).number_of_edges())",
          EXECUTION_OK, "6 3 2\n");
}

static void test_warm_run_is_quick(void **state)
{
    struct error err = {0};
    double warm = 1e9, refill, slowest = 0;

    (void)state;
    for (int i = 0; i < 3; i++) {
        double begin, took;

        assert_int_equal(executor_wait_warm(executor, "data", WARM_MS, &err), 0);
        begin = now();
        check("data", "import pandas as pd\nprint(pd.Series([1, 2]).sum())", EXECUTION_OK, "3\n");
        took = now() - begin;
        assert_int_equal(executor_wait_warm(executor, "data", WARM_MS, &err), 0);
        warm = took < warm ? took : warm;
        refill = now() - begin - took;
        slowest = refill > slowest ? refill : slowest;
    }
    print_message("warm: %.4f s, starting one: %.4f s\n", warm, slowest);
    assert_true(warm < slowest / 2);
}

static void test_runtime_error(void **state)
{
    (void)state;
    check_error("bare", "d = {}\nd['title']", "KeyError");
    check_error("bare", "1/0", "ZeroDivisionError");
}

static void test_timeout(void **state)
{
    struct execution_job job = {.code = "print('x', flush=True)\nwhile True: pass",
                                .code_len = 38,
                                .kind = "bare",
                                .timeout_ms = 600};
    struct job_waiter waiter;
    struct error err = {0};

    (void)state;
    job.code_len = strlen(job.code);
    job_waiter_init(&waiter);
    assert_true(job_waiter_run(&waiter, executor, &job, &err) > 0);
    assert_true(job_waiter_wait_started(&waiter, WARM_MS));
    assert_true(job_waiter_wait(&waiter, WARM_MS));
    assert_int_equal(waiter.status, EXECUTION_TIMEOUT);
    assert_int_equal(waiter.exit_code, 124);
    assert_string_equal(waiter.out, "x\n");
    /* Where it was: only the runner's deadline can say so, not ours behind it. */
    assert_non_null(strstr(waiter.error, "line 2"));
    assert_true(waiter.seconds > 0.5);
    job_waiter_finish(&waiter);
}

static void test_memory(void **state)
{
    (void)state;
    check("bare", "x = bytearray(600 * 1024 * 1024)\nprint(len(x))", EXECUTION_MEMORY, "");
    check("bare", "x = []\nwhile True: x.append(bytearray(1 << 20))", EXECUTION_MEMORY, "");
    check("data", "import numpy as np\nx = np.ones((1 << 27,))\nprint(x.sum())", EXECUTION_MEMORY,
          "");
    check("bare", "x = bytearray(100 * 1024 * 1024)\nprint(len(x))", EXECUTION_OK, "104857600\n");
}

static void test_output_flood(void **state)
{
    struct job_waiter waiter;

    (void)state;
    job_waiter_do(&waiter, executor, "bare", "while True: print('x' * 10000)");
    assert_int_equal(waiter.status, EXECUTION_OUTPUT);
    assert_true(waiter.out_len <= EXECUTION_STDOUT_CAP + EXECUTION_TAIL_CAP);
    assert_true(waiter.out_len > EXECUTION_STDOUT_CAP + EXECUTION_TAIL_CAP - 16);
    assert_true(waiter.out_cut > 1 << 20);
    job_waiter_finish(&waiter);
}

static void test_cancel(void **state)
{
    struct execution_job job = {
        .code = "while True: pass", .kind = "bare", .timeout_ms = EXECUTION_TIMEOUT_MS_MAX};
    struct job_waiter waiter;
    struct error err = {0};
    uint64_t id;

    (void)state;
    job.code_len = strlen(job.code);
    job_waiter_init(&waiter);
    id = job_waiter_run(&waiter, executor, &job, &err);
    assert_true(job_waiter_wait_started(&waiter, WARM_MS));
    executor_cancel(executor, id);
    assert_true(job_waiter_wait(&waiter, WARM_MS));
    assert_int_equal(waiter.status, EXECUTION_CANCELLED); /* long before its time limit */
    job_waiter_finish(&waiter);
}

/* A crash by what the standard library itself offers: recursion in C that no limit stops. */
static void test_crash(void **state)
{
    struct job_waiter waiter;

    (void)state;
    job_waiter_do(&waiter, executor, "bare",
                  "it = iter(())\nfor _ in range(300000):\n    it = filter(None, it)\nnext(it, 0)");
    assert_int_equal(waiter.status, EXECUTION_CRASH);
    assert_true(waiter.exit_code != 0);
    job_waiter_finish(&waiter);
    check("bare", "print('well')", EXECUTION_OK, "well\n");
}

static void answer_nodes(struct job_waiter *waiter, struct broker_request *request)
{
    static const char nodes[] = "{\"nodes\": [{\"node_id\": \"n1\", \"title\": \"Fractions\"}]}";

    (void)waiter;
    assert_string_equal(broker_request_session(request), "s1");
    executor_answer(request, 200, nodes, sizeof nodes - 1);
}

static void test_requests(void **state)
{
    struct execution_job job = {.code = "import code_helpers\n"
                                        "for n in code_helpers.get_nodes(): print(n['title'])\n"
                                        "print(session_id)",
                                .kind = "bare",
                                .session_id = "s1"};
    struct job_waiter waiter;
    struct error err = {0};

    (void)state;
    job.code_len = strlen(job.code);
    job_waiter_init(&waiter);
    waiter.answer = answer_nodes;
    assert_true(job_waiter_run(&waiter, executor, &job, &err) > 0);
    assert_true(job_waiter_wait(&waiter, WARM_MS));
    if (waiter.status != EXECUTION_OK)
        print_message("%s\n", waiter.error);
    assert_int_equal(waiter.status, EXECUTION_OK);
    assert_string_equal(waiter.out, "Fractions\ns1\n");
    assert_true(waiter.requests >= 1);
    job_waiter_finish(&waiter);
}

static uint64_t count_disagreements(void)
{
    struct executor_stats stats;

    executor_stats(executor, &stats);
    return stats.ended[EXECUTION_DISAGREEMENT];
}

/* Code that the validator would refuse, and that comes here without it. */
static void test_refused_inside(void **state)
{
    static const struct {
        const char *code, *text;
    } cases[] = {
        {"print('ran')\nprint(().__class__)", "line 2: "},
        {"import os\nprint('ran')", "(import-not-allowed)"},
        {"print('ran')\nx = (", "SyntaxError"},
    };
    uint64_t disagreements = count_disagreements();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct job_waiter waiter;

        job_waiter_do(&waiter, executor, "bare", cases[i].code);
        assert_string_equal(execution_status_name(waiter.status), "disagreement");
        assert_string_equal(waiter.out, "");
        assert_non_null(strstr(waiter.error, cases[i].text));
        assert_int_equal(count_disagreements(), disagreements + i + 1);
        job_waiter_finish(&waiter);
    }
}

/* 100 runs that each would see what another left: none does. */
static void test_nothing_is_shared(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        check("bare",
              "from decimal import getcontext\nprint(getcontext().prec)\n"
              "getcontext().prec = 3",
              EXECUTION_OK, "28\n");
}

static void test_many(void **state)
{
    enum { COUNT = 12 };
    static struct job_waiter waiters[COUNT];
    struct error err = {0};

    (void)state;
    for (int i = 0; i < COUNT; i++) {
        struct execution_job job = {.code = "print(6 * 7)", .code_len = 12, .kind = "bare"};

        job_waiter_init(&waiters[i]);
        assert_true(job_waiter_run(&waiters[i], executor, &job, &err) > 0);
    }
    for (int i = 0; i < COUNT; i++) {
        assert_true(job_waiter_wait(&waiters[i], 60000));
        assert_int_equal(waiters[i].status, EXECUTION_OK);
        assert_string_equal(waiters[i].out, "42\n");
        job_waiter_finish(&waiters[i]);
    }
}

static int create(void **state)
{
    struct error err = {0};

    (void)state;
    executor = executor_create(&config, &err);
    if (!executor) {
        print_message("%s\n", err.text);
        return -1;
    }
    print_message("%s\n", executor_describe(executor));
    return 0;
}

static int destroy(void **state)
{
    (void)state;
    executor_destroy(executor);
    assert_true(holdings_are(&before));
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_print),         cmocka_unit_test(test_value),
        cmocka_unit_test(test_pandas),        cmocka_unit_test(test_warm_run_is_quick),
        cmocka_unit_test(test_runtime_error), cmocka_unit_test(test_timeout),
        cmocka_unit_test(test_memory),        cmocka_unit_test(test_output_flood),
        cmocka_unit_test(test_cancel),        cmocka_unit_test(test_crash),
        cmocka_unit_test(test_requests),      cmocka_unit_test(test_nothing_is_shared),
        cmocka_unit_test(test_many),          cmocka_unit_test(test_refused_inside),
    };
    static const struct {
        const char *name;
        enum executor_engine engine;
    } engines[] = {
        {"local", EXECUTOR_LOCAL}, {"process", EXECUTOR_PROCESS}, {"docker", EXECUTOR_DOCKER}};
    const char *build = getenv("LECTERN_BUILD"); // NOLINT(concurrency-mt-unsafe)
    static char share[4096];
    struct error err = {0};
    uv_loop_t first;

    for (size_t i = 0; argc == 2 && i < sizeof engines / sizeof *engines; i++) {
        if (strcmp(argv[1], engines[i].name) == 0)
            config.engine = engines[i].engine;
    }
    if (config.engine == EXECUTOR_AUTO) {
        fprintf(stderr, "usage: test_sandbox local|process|docker\n");
        return 2;
    }
    if (getenv("LECTERN_TEST_DEBUG")) // NOLINT(concurrency-mt-unsafe)
        log_set_level(LOG_DEBUG);
    snprintf(share, sizeof share, "%s/share", build ? build : "build/dev");
    config.share_dir = share;
    config.docker_image = getenv("LECTERN_IMAGE"); // NOLINT(concurrency-mt-unsafe)
    /* libuv and libcurl keep a few descriptors from their first use on: before any are counted. */
    uv_loop_init(&first);
    uv_loop_close(&first);
    executor = executor_create(&config, &err);
    if (!executor) {
        print_message("SKIPPED: %s\n", err.text);
        return 77;
    }
    executor_destroy(executor);
    before = holdings_count();
    return cmocka_run_group_tests(tests, create, destroy);
}
