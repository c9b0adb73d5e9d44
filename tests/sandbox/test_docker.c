/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What only the Docker engine has: limits of the container, nothing left behind, and a daemon that
 * goes and comes back. Needs root, DOCKER_HOST of a daemon of the tests' own (dockerd.sh), its
 * folder in LECTERN_DOCKERD, and its image in LECTERN_IMAGE (with_docker.sh). A test of the
 * machine's own daemon would kill it.
 */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <uv.h>

#include "executor/docker/docker_daemon.h"
#include "executor/engine.h"
#include "executor/owner.h"
#include "executor/run_folder.h"
#include "helpers/base/log.h"
#include "tests/parts/job_waiter.h"

#define WARM_MS 60000

static struct executor_config config = {.engine = EXECUTOR_DOCKER};
static const char *folder;

static void nap(long ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    nanosleep(&time, NULL);
}

static struct executor *create(void)
{
    struct error err = {0};
    struct executor *executor = executor_create(&config, &err);

    if (!executor)
        fail_msg("%s", err.text);
    return executor;
}

/* Asks the daemon and wants that status of it; the answer is owned. */
static json_t *ask(const char *method, const char *path, const json_t *body, long status)
{
    const struct docker_request request = {.method = method, .path = path, .body = body};
    struct error err = {0};
    struct docker_daemon *daemon = docker_daemon_create(NULL, NULL, NULL, &err);
    json_t *answer = NULL;

    if (!daemon || docker_hello(daemon, &err) < 0 ||
        docker_call(daemon, &request, &answer, &err) != status)
        fail_msg("%s %s: %s", method, path, err.text);
    docker_daemon_destroy(daemon);
    return answer;
}

/* The daemon's list of our containers; owned. */
static json_t *list(void)
{
    return ask("GET", "/containers/json?all=1", NULL, 200);
}

static size_t count_containers(void)
{
    json_t *containers = list();
    size_t count = json_array_size(containers);

    json_decref(containers);
    return count;
}

/* What is being removed needs a moment. */
static void assert_none_left(void)
{
    for (int i = 0; i < 600 && count_containers() > 0; i++)
        nap(100);
    assert_int_equal(count_containers(), 0);
}

static json_t *inspect(const char *id)
{
    char path[256];

    snprintf(path, sizeof path, "/containers/%s/json", id);
    return ask("GET", path, NULL, 200);
}

static json_int_t host_integer(const json_t *container, const char *key)
{
    return json_integer_value(json_object_get(json_object_get(container, "HostConfig"), key));
}

static void run_ok(struct executor *executor, const char *kind)
{
    struct job_waiter waiter;

    job_waiter_do(&waiter, executor, kind, "print(1)");
    if (waiter.status != EXECUTION_OK)
        print_message("%s\n", waiter.error);
    assert_int_equal(waiter.status, EXECUTION_OK);
    assert_string_equal(waiter.out, "1\n");
    job_waiter_finish(&waiter);
}

/* The limits as the daemon itself sees them on a waiting container. */
static void test_limits(void **state)
{
    struct executor *executor = create();
    struct error err = {0};
    json_t *containers, *container, *host;
    unsigned users[3], group;

    (void)state;
    assert_int_equal(executor_wait_warm(executor, "bare", WARM_MS, &err), 0);
    assert_int_equal(executor_wait_warm(executor, "data", WARM_MS, &err), 0);
    containers = list();
    assert_in_range(json_array_size(containers), 2, 3);
    for (size_t i = 0; i < json_array_size(containers); i++) {
        container = inspect(json_get_string(json_array_get(containers, i), "Id"));
        host = json_object_get(container, "HostConfig");
        assert_string_equal(json_get_string(host, "NetworkMode"), "none");
        assert_true(json_is_true(json_object_get(host, "ReadonlyRootfs")));
        assert_true(json_is_true(json_object_get(host, "AutoRemove")));
        assert_string_equal(json_string_value(json_array_get(json_object_get(host, "CapDrop"), 0)),
                            "ALL");
        assert_string_equal(
            json_string_value(json_array_get(json_object_get(host, "SecurityOpt"), 0)),
            "no-new-privileges");
        assert_non_null(
            strstr(json_string_value(json_array_get(json_object_get(host, "SecurityOpt"), 1)),
                   "seccomp="));
        assert_int_equal(host_integer(container, "Memory"), 256 << 20);
        assert_int_equal(host_integer(container, "MemorySwap"), 256 << 20);
        assert_int_equal(host_integer(container, "PidsLimit"), SANDBOX_PIDS);
        assert_false(json_is_true(json_object_get(host, "Privileged")));
        assert_int_equal(sscanf(json_get_string(json_object_get(container, "Config"), "User"),
                                "%u:%u", &users[i], &group),
                         2);
        assert_in_range(users[i], 70000, 99999);
        assert_int_equal(group, users[i]);
        for (size_t j = 0; j < i; j++)
            assert_int_not_equal(users[j], users[i]);
        /* Half a CPU once it is warm; the last of them may still be warming. */
        if (i > 0)
            assert_int_equal(host_integer(container, "NanoCpus"), SANDBOX_NANO_CPUS);
        json_decref(container);
    }
    json_decref(containers);
    executor_destroy(executor);
    assert_none_left();
}

static void test_always_removed(void **state)
{
    static const char *const codes[] = {
        "print(1)",
        "1/0",
        "while True: pass",
        "x = bytearray(1 << 30)",
        "while True: print('x' * 9999)",
    };
    struct executor *executor = create();

    (void)state;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        struct job_waiter waiter;

        job_waiter_do(&waiter, executor, "bare", codes[i]);
        job_waiter_finish(&waiter);
    }
    /* None but those that wait, and one at most that is being started. */
    for (int i = 0; i < 600 && count_containers() > 4; i++)
        nap(100);
    assert_true(count_containers() <= 4);
    executor_destroy(executor);
    assert_none_left();
}

/* A server in a process of its own, that is killed when its sandboxes wait and one runs. */
static pid_t start_server(int *ready)
{
    int ends[2];
    pid_t pid;

    assert_int_equal(pipe(ends), 0);
    pid = fork();
    if (pid == 0) {
        struct error err = {0};
        struct executor *executor = executor_create(&config, &err);
        struct job_waiter waiter;
        struct execution_job job = {.code = "while True: pass", .code_len = 16, .kind = "bare"};

        job_waiter_init(&waiter);
        if (!executor || executor_wait_warm(executor, "bare", WARM_MS, &err) < 0 ||
            executor_wait_warm(executor, "data", WARM_MS, &err) < 0 ||
            job_waiter_run(&waiter, executor, &job, &err) == 0 ||
            !job_waiter_wait_started(&waiter, WARM_MS))
            _exit(1);
        if (write(ends[1], "r", 1) != 1)
            _exit(1);
        pause();
        _exit(0);
    }
    close(ends[1]);
    *ready = ends[0];
    return pid;
}

static void test_killed_server(void **state)
{
    struct executor *executor;
    struct error err = {0};
    int ready, status;
    char byte;
    pid_t pid = start_server(&ready);

    (void)state;
    assert_int_equal(read(ready, &byte, 1), 1);
    close(ready);
    assert_true(count_containers() >= 2);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    executor = create();
    assert_int_equal(executor_wait_warm(executor, "bare", WARM_MS, &err), 0);
    executor_destroy(executor);
    assert_none_left();
}

/* In a process whose run folder is only its own: a daemon elsewhere does not see it either.
 */
static int run_unseen(void)
{
    struct error err = {0};
    struct executor *executor;
    struct job_waiter waiter;
    char path[RUN_FOLDER_CAP];

    if (run_folder(path, &err) < 0 || unshare(CLONE_NEWNS) < 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount("none", path, "tmpfs", 0, "mode=0700") < 0 ||
        !(executor = executor_create(&config, &err)))
        return EXIT_FAILURE;
    job_waiter_do(&waiter, executor, "bare", "print(1)");
    executor_destroy(executor);
    return waiter.status == EXECUTION_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Where the daemon cannot mount the channel's folder, frames go over its stream. */
static void test_no_channel(void **state)
{
    int status;
    pid_t pid = fork();

    (void)state;
    if (pid == 0)
        _exit(run_unseen());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_none_left();
}

/* Frames go straight to the container's first process, and nobody else can connect any more. */
static void test_channel(void **state)
{
    struct error err = {0};
    void *engine = engine_docker.open(&config, &err);
    struct engine_box *box =
        engine_docker.start(engine, &execution_kinds[kind_index("bare")], &err);
    json_t *containers = list(), *container;
    struct ucred peer = {0};
    socklen_t len = sizeof peer;
    const json_t *mount;

    (void)state;
    assert_non_null(box);
    assert_int_equal(json_array_size(containers), 1);
    container = inspect(json_get_string(json_array_get(containers, 0), "Id"));
    assert_int_equal(getsockopt(engine_docker.fd(box), SOL_SOCKET, SO_PEERCRED, &peer, &len), 0);
    assert_int_equal(
        peer.pid, json_integer_value(json_object_get(json_object_get(container, "State"), "Pid")));
    assert_in_range(peer.uid, 70000, 99999);
    assert_int_equal(peer.gid, peer.uid);
    mount = json_array_get(json_object_get(json_object_get(container, "HostConfig"), "Mounts"), 0);
    assert_true(json_is_true(json_object_get(mount, "ReadOnly")));
    assert_int_equal(access(json_get_string(mount, "Source"), F_OK), -1);
    json_decref(container);
    json_decref(containers);
    engine_docker.destroy(engine, box);
    engine_docker.close(engine);
    assert_none_left();
}

/* One that was created and never started, by a process that is gone: nothing but the sweep removes
 * it. */
static void test_sweep(void **state)
{
    struct error err = {0};
    char dead[OWNER_CAP], foreign[OWNER_CAP + 8], label[OWNER_CAP];
    const char *owners[] = {dead, foreign};
    json_t *containers;

    (void)state;
    assert_int_equal(owner_label(label, &err), 0);
    /* Our host and namespace, but a process that started at another time. */
    snprintf(dead, sizeof dead, "%s", label);
    *strrchr(dead, '/') = '\0';
    strcpy(strrchr(dead, '/'), "/1/0");
    snprintf(foreign, sizeof foreign, "another%s", label);
    for (int i = 0; i < 2; i++) {
        const struct docker_plan plan = {
            .kind = &execution_kinds[0], .image = config.docker_image, .owner = owners[i]};
        json_t *json = docker_plan_create(&plan, &err);
        char path[64];

        snprintf(path, sizeof path, "/containers/create?name=lectern-test-%d", i);
        json_decref(ask("POST", path, json, 201));
        json_decref(json);
    }
    assert_int_equal(count_containers(), 2);
    executor_destroy(create());
    /* Ours is gone; the foreign one is young, and its owner may live. */
    for (int i = 0; i < 600 && count_containers() > 1; i++)
        nap(100);
    containers = list();
    assert_int_equal(json_array_size(containers), 1);
    assert_string_equal(json_get_string(json_object_get(json_array_get(containers, 0), "Labels"),
                                        DOCKER_LABEL_OWNER),
                        foreign);
    json_decref(containers);
    json_decref(ask("DELETE", "/containers/lectern-test-1?force=1", NULL, 204));
}

static void daemon_do(const char *what)
{
    char command[512];

    snprintf(command, sizeof command, "tests/sandbox/dockerd.sh %s %s >/dev/null", what, folder);
    assert_int_equal(system(command), 0); // NOLINT(concurrency-mt-unsafe)
}

/* Killed in the middle of a run, away for a while, back. */
static void check_daemon_lost(const char *how)
{
    struct execution_job job = {.code = "while True: pass", .code_len = 16, .kind = "bare"};
    struct executor *executor = create();
    struct job_waiter waiter;
    struct error err = {0};

    run_ok(executor, "bare");
    job_waiter_init(&waiter);
    assert_true(job_waiter_run(&waiter, executor, &job, &err) > 0);
    assert_true(job_waiter_wait_started(&waiter, WARM_MS));
    daemon_do(how);
    assert_true(job_waiter_wait(&waiter, WARM_MS));
    /* A daemon that stops in order kills what runs first, and the runner may still say so. */
    print_message("the run: %s, %s\n", execution_status_name(waiter.status), waiter.error);
    assert_true(waiter.status == EXECUTION_ENGINE || waiter.status == EXECUTION_CRASH ||
                waiter.status == EXECUTION_CANCELLED || waiter.status == EXECUTION_TIMEOUT);
    job_waiter_finish(&waiter);
    job_waiter_do(&waiter, executor, "bare", "print(1)");
    assert_int_equal(waiter.status, EXECUTION_ENGINE);
    assert_int_equal(waiter.exit_code, 127);
    print_message("while it is away: %s\n", waiter.error);
    job_waiter_finish(&waiter);
    daemon_do("start");
    nap(300);
    run_ok(executor, "bare");
    run_ok(executor, "data");
    executor_destroy(executor);
    assert_none_left();
}

static void test_daemon_killed(void **state)
{
    (void)state;
    check_daemon_lost("kill");
}

static void test_daemon_stopped(void **state)
{
    (void)state;
    check_daemon_lost("stop");
}

/* An executor that is there, but whose jobs end with that in their error until something is mended.
 */
static struct executor *create_lame(const struct executor_config *lame, const char *words)
{
    struct error err = {0};
    struct executor *executor = executor_create(lame, &err);
    struct job_waiter waiter;

    if (!executor)
        fail_msg("%s", err.text);
    job_waiter_do(&waiter, executor, "bare", "print(1)");
    assert_int_equal(waiter.status, EXECUTION_ENGINE);
    assert_int_equal(waiter.exit_code, 127);
    assert_true(waiter.waited < 3);
    if (!strstr(waiter.error, words))
        fail_msg("'%s' is not in: %s", words, waiter.error);
    job_waiter_finish(&waiter);
    return executor;
}

/* What `make image` does while the server runs. */
static void test_no_image(void **state)
{
    struct executor_config other = config;
    struct executor *executor;
    char path[256];

    (void)state;
    other.docker_image = "lectern-late:0";
    executor = create_lame(&other, "make image");
    snprintf(path, sizeof path, "/images/%s/tag?repo=lectern-late&tag=0", config.docker_image);
    json_decref(ask("POST", path, NULL, 201));
    nap(300);
    run_ok(executor, "bare");
    executor_destroy(executor);
    json_decref(ask("DELETE", "/images/lectern-late:0", NULL, 200));
    assert_none_left();
}

static void test_no_daemon(void **state)
{
    struct executor_config other = config;
    struct error err = {0};

    (void)state;
    other.docker_host = "unix:///nowhere/docker.sock";
    executor_destroy(create_lame(&other, "/nowhere/docker.sock"));
    other.docker_host = "ssh://elsewhere";
    assert_null(executor_create(&other, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    assert_non_null(strstr(err.text, "tcp://"));
}

/* The runtime by its name, and one that nobody has. */
static void test_runtime(void **state)
{
    struct executor_config other = config;
    json_t *containers, *container;
    struct executor *executor;
    struct error err = {0};

    (void)state;
    other.docker_runtime = "runc";
    executor = executor_create(&other, &err);
    run_ok(executor, "bare");
    assert_int_equal(executor_wait_warm(executor, "bare", WARM_MS, &err), 0);
    containers = list();
    container = inspect(json_get_string(json_array_get(containers, 0), "Id"));
    assert_string_equal(json_get_string(json_object_get(container, "HostConfig"), "Runtime"),
                        "runc");
    json_decref(container);
    json_decref(containers);
    executor_destroy(executor);
    other.docker_runtime = "lectern-none";
    executor_destroy(create_lame(&other, "lectern-none"));
    executor_destroy(create_lame(&other, "/etc/docker/daemon.json"));
    assert_none_left();
}

/* A server that starts before its daemon does. */
static void test_daemon_late(void **state)
{
    struct executor *executor;

    (void)state;
    daemon_do("stop");
    executor = create_lame(&config, "no Docker daemon answers at");
    daemon_do("start");
    nap(300);
    run_ok(executor, "bare");
    executor_destroy(executor);
    assert_none_left();
}

/* What a sandbox is made of is the image's own id. */
static void test_made_of(void **state)
{
    char first[ENGINE_MADE_OF_CAP], again[ENGINE_MADE_OF_CAP], path[256];
    struct error err = {0};
    void *engine = engine_docker.open(&config, &err);
    json_t *image;

    (void)state;
    assert_non_null(engine);
    assert_int_equal(engine_docker.made_of(engine, first, &err), 0);
    assert_int_equal(engine_docker.made_of(engine, again, &err), 0);
    assert_string_equal(first, again);
    snprintf(path, sizeof path, "/images/%s/json", config.docker_image);
    image = ask("GET", path, NULL, 200);
    assert_string_equal(first, json_get_string(image, "Id"));
    json_decref(image);
    engine_docker.close(engine);
}

/* The whole round leaves no descriptor, thread or process behind. */
static void test_nothing_held(void **state)
{
    struct holdings before;
    struct executor *executor;

    (void)state;
    executor_destroy(create());
    before = holdings_count();
    executor = create();
    run_ok(executor, "bare");
    executor_destroy(executor);
    assert_true(holdings_are(&before));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_killed_server), /* first: they fork, and there is no thread yet */
        cmocka_unit_test(test_no_channel),    cmocka_unit_test(test_channel),
        cmocka_unit_test(test_limits),        cmocka_unit_test(test_always_removed),
        cmocka_unit_test(test_sweep),         cmocka_unit_test(test_no_image),
        cmocka_unit_test(test_no_daemon),     cmocka_unit_test(test_nothing_held),
        cmocka_unit_test(test_runtime),       cmocka_unit_test(test_made_of),
        cmocka_unit_test(test_daemon_killed), cmocka_unit_test(test_daemon_stopped),
        cmocka_unit_test(test_daemon_late),
    };

    folder = getenv("LECTERN_DOCKERD");            // NOLINT(concurrency-mt-unsafe)
    config.docker_image = getenv("LECTERN_IMAGE"); // NOLINT(concurrency-mt-unsafe)
    if (!folder || !config.docker_image) {
        fprintf(stderr, "usage: tests/sandbox/with_docker.sh test_docker\n");
        return 2;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
