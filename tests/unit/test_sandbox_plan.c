/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plans of sandboxes as data, who owns a container, and a runner's last words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "executor/docker/docker_plan.h"
#include "executor/engine.h"
#include "executor/local/local_plan.h"
#include "executor/local/process_host.h"
#include "executor/owner.h"

/* The place of the words `first second...` in a row, or -1. */
static int find(const struct local_plan *plan, const char *const *words)
{
    for (size_t i = 0; i < plan->argc; i++) {
        size_t n = 0;

        while (words[n] && i + n < plan->argc && strcmp(plan->argv[i + n], words[n]) == 0)
            n++;
        if (!words[n])
            return (int)i;
    }
    return -1;
}

#define FIND(plan, ...) find(plan, (const char *const[]){__VA_ARGS__, NULL})

static struct local_setup setup(void)
{
    struct local_setup setup = {
        .bwrap = "/usr/bin/bwrap", .python = "/cache/python-1", .user = 70001};

    setup.files[0] = (struct local_file){.name = "runner", .mode = "0555", .fd = 17};
    setup.files[1] = (struct local_file){.name = "interpreter.py", .mode = "0444", .fd = 18};
    setup.file_count = 2;
    strcpy(setup.owner, "the/owner");
    return setup;
}

static void test_local_plan(void **state)
{
    struct local_setup machine = setup();
    const char *const command[] = {"/lectern/runner", "--kind", "bare", NULL};
    struct error err = {0};
    struct local_plan plan;
    int last;

    (void)state;
    assert_int_equal(local_plan_build(&plan, &machine, command, &err), 0);
    assert_string_equal(plan.argv[0], "/usr/bin/bwrap");
    assert_true(FIND(&plan, "--unshare-all") > 0);
    assert_true(FIND(&plan, "--unshare-user") > 0);
    assert_true(FIND(&plan, "--cap-drop", "ALL") > 0);
    assert_true(FIND(&plan, "--uid", "65534") > 0);
    assert_true(FIND(&plan, "--gid", "65534") > 0);
    /* For all to see outside, and not inside. */
    assert_true(FIND(&plan, "--setenv", "LECTERN_OWNER", "the/owner", "--unsetenv",
                     "LECTERN_OWNER") > FIND(&plan, "--clearenv"));
    assert_true(FIND(&plan, "--new-session") > 0);
    assert_true(FIND(&plan, "--die-with-parent") > 0);
    assert_true(FIND(&plan, "--clearenv") > 0);
    assert_true(FIND(&plan, "--as-pid-1") > 0);
    assert_true(FIND(&plan, "--ro-bind", "/cache/python-1/usr", "/usr") > 0);
    assert_true(FIND(&plan, "--ro-bind", "/cache/python-1/etc", "/etc") > 0);
    assert_true(FIND(&plan, "--symlink", "usr/lib", "/lib") > 0);
    assert_true(FIND(&plan, "--perms", "0555", "--file", "17", "/lectern/runner") > 0);
    assert_true(FIND(&plan, "--perms", "0444", "--file", "18", "/lectern/interpreter.py") > 0);
    assert_true(FIND(&plan, "--size", "16777216", "--tmpfs", "/tmp") > 0);
    /* Nothing that is writable but /tmp, no network, and no mount behind the last that makes it so.
     */
    assert_int_equal(FIND(&plan, "--bind"), -1);
    assert_int_equal(FIND(&plan, "--dev-bind"), -1);
    assert_int_equal(FIND(&plan, "--share-net"), -1);
    last = FIND(&plan, "--remount-ro", "/", "--chdir", "/tmp", "--", "/lectern/runner", "--kind",
                "bare");
    assert_true(last > 0);
    assert_int_equal((size_t)last + 8, plan.argc);
    assert_null(plan.argv[plan.argc]);
    assert_int_equal(plan.user, 70001);
}

static void test_local_plan_is_capped(void **state)
{
    const char *command[LOCAL_WORDS_CAP + 1];
    struct local_setup machine = setup();
    struct error err = {0};
    struct local_plan plan;

    (void)state;
    for (size_t i = 0; i < LOCAL_WORDS_CAP; i++)
        command[i] = "x";
    command[LOCAL_WORDS_CAP] = NULL;
    assert_int_equal(local_plan_build(&plan, &machine, command, &err), -1);
    assert_int_equal(err.kind, ERROR_INTERNAL);
}

/* The runner alone: no bubblewrap, none of its files, its own environment, a folder of its own. */
static void test_process_plan(void **state)
{
    const char *const command[] = {"/lectern/runner", "--kind", "bare", NULL};
    struct local_setup machine = {.runner = "/opt/share/runner", .user = 70001};
    struct process_host host = process_host_look();
    struct local_plan plan, next;
    struct error err = {0};

    (void)state;
    if (process_host_check(&host, &err) < 0) {
        print_message("SKIPPED: this kernel cannot hold the engine process: %s\n", err.text);
        skip();
    }
    assert_int_equal(local_way_process.plan(&plan, &machine, command, &err), 0);
    assert_int_equal(FIND(&plan, "/opt/share/runner", "--kind", "bare"), 0);
    assert_int_equal(plan.argc, 3);
    assert_null(plan.argv[3]);
    assert_int_equal(plan.user, 70001);
    assert_false(plan.files);
    assert_ptr_equal(plan.environment, runner_environment);
    assert_non_null(strstr(plan.folder, "/lectern-"));
    assert_int_equal(local_way_process.plan(&next, &machine, command, &err), 0);
    assert_string_not_equal(plan.folder, next.folder);
}

static struct docker_plan docker_plan(void)
{
    struct docker_info info;
    struct docker_plan plan = {.kind = &execution_kinds[kind_index("data")],
                               .image = "image:1",
                               .owner = "owner",
                               .user = 70001,
                               .started = 7};

    docker_info_read(&info, NULL);
    plan.limits = info.limits;
    plan.own_seccomp = info.own_seccomp;
    return plan;
}

static json_t *host_of(json_t *json)
{
    assert_non_null(json);
    return json_object_get(json, "HostConfig");
}

/* The words of the option, with the profile itself behind "seccomp=". unit.system_calls has its
 * calls. */
static void assert_profile(const json_t *host)
{
    const json_t *options = json_object_get(host, "SecurityOpt");
    const char *text = json_string_value(json_array_get(options, 1));
    json_t *profile;

    assert_string_equal(json_string_value(json_array_get(options, 0)), "no-new-privileges");
    assert_non_null(text);
    assert_memory_equal(text, "seccomp=", strlen("seccomp="));
    profile = json_loads(text + strlen("seccomp="), 0, NULL);
    assert_string_equal(json_get_string(profile, "defaultAction"), "SCMP_ACT_ERRNO");
    for (size_t i = 0; i < 2; i++)
        assert_string_equal(
            json_get_string(json_array_get(json_object_get(profile, "archMap"), i), "architecture"),
            i == 0 ? "SCMP_ARCH_X86_64" : "SCMP_ARCH_AARCH64");
    assert_true(json_array_size(json_object_get(profile, "syscalls")) > 0);
    json_decref(profile);
}

static void test_docker_plan(void **state)
{
    struct docker_plan plan = docker_plan();
    struct error err = {0};
    json_t *json = docker_plan_create(&plan, &err);
    json_t *host = host_of(json);
    static const char *const words[] = {"--kind", "data",      "--memory-mb",
                                        "256",    "--preload", "numpy,pandas,networkx"};

    (void)state;
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(json_string_value(json_array_get(json_object_get(json, "Cmd"), i)),
                            words[i]);
    assert_string_equal(json_get_string(json, "Image"), "image:1");
    assert_string_equal(json_get_string(json, "User"), "70001:70001");
    assert_true(json_is_true(json_object_get(json, "StdinOnce")));
    assert_true(json_is_true(json_object_get(json, "NetworkDisabled")));
    assert_string_equal(json_get_string(json_object_get(json, "Labels"), "lectern.owner"), "owner");
    assert_string_equal(json_get_string(json_object_get(json, "Labels"), "lectern.started"), "7");
    assert_string_equal(json_get_string(host, "NetworkMode"), "none");
    assert_int_equal(json_integer_value(json_object_get(host, "Memory")), 256 << 20);
    assert_int_equal(json_integer_value(json_object_get(host, "MemorySwap")), 256 << 20);
    assert_int_equal(json_integer_value(json_object_get(host, "PidsLimit")), SANDBOX_PIDS);
    assert_int_equal(json_integer_value(json_object_get(host, "CpuShares")),
                     SANDBOX_SHARES_WARMING);
    assert_int_equal(json_integer_value(json_object_get(host, "BlkioWeight")),
                     DOCKER_BLOCK_IO_WEIGHT);
    assert_profile(host);
    assert_null(json_object_get(host, "NanoCpus")); /* only once it is warm */
    assert_null(json_object_get(host, "Runtime"));
    assert_null(json_object_get(host, "Mounts"));
    assert_non_null(strstr(json_get_string(json_object_get(host, "Tmpfs"), "/tmp"), "noexec"));
    json_decref(json);
    assert_true(docker_plan_settles(&plan));
    json = docker_plan_settle(&plan.limits, &err);
    assert_int_equal(json_integer_value(json_object_get(json, "NanoCpus")), 500000000);
    assert_int_equal(json_integer_value(json_object_get(json, "CpuShares")), 1024);
    json_decref(json);
}

/* What a daemon cannot hold it is not asked for; what it cannot change later, it is asked at once.
 */
static void test_docker_plan_by_daemon(void **state)
{
    struct docker_plan plan = docker_plan();
    const json_t *mount, *words;
    struct error err = {0};
    json_t *json;

    (void)state;
    plan.runtime = "runsc";
    plan.cpu_at_once = true;
    plan.channel = "/tmp/channels/1";
    json = docker_plan_create(&plan, &err);
    mount = json_array_get(json_object_get(host_of(json), "Mounts"), 0);
    assert_string_equal(json_get_string(mount, "Source"), "/tmp/channels/1");
    assert_true(json_is_true(json_object_get(mount, "ReadOnly")));
    words = json_object_get(json, "Cmd");
    assert_string_equal(json_string_value(json_array_get(words, json_array_size(words) - 4)),
                        "--channel");
    assert_string_equal(json_get_string(host_of(json), "Runtime"), "runsc");
    assert_int_equal(json_integer_value(json_object_get(host_of(json), "NanoCpus")), 500000000);
    assert_int_equal(json_integer_value(json_object_get(host_of(json), "CpuShares")), 1024);
    assert_false(docker_plan_settles(&plan));
    json_decref(json);
    plan.limits = (struct docker_limits){.memory = true};
    plan.runtime = "";
    plan.own_seccomp = false;
    json = docker_plan_create(&plan, &err);
    assert_int_equal(json_integer_value(json_object_get(host_of(json), "Memory")), 256 << 20);
    assert_null(json_object_get(host_of(json), "MemorySwap"));
    assert_null(json_object_get(host_of(json), "NanoCpus"));
    assert_null(json_object_get(host_of(json), "CpuShares"));
    assert_null(json_object_get(host_of(json), "PidsLimit"));
    assert_null(json_object_get(host_of(json), "BlkioWeight"));
    assert_int_equal(json_array_size(json_object_get(host_of(json), "SecurityOpt")), 1);
    assert_null(json_object_get(host_of(json), "Runtime"));
    json_decref(json);
    plan.cpu_at_once = false;
    assert_false(docker_plan_settles(&plan));
}

static void test_runner_command(void **state)
{
    struct execution_kind kind = execution_kinds[kind_index("data")];
    struct runner_command command;
    struct error err = {0};

    (void)state;
    assert_int_equal(runner_command_build(&command, &kind, NULL, "", &err), 0);
    assert_string_equal(command.argv[6], "numpy,pandas,networkx");
    assert_string_equal(command.argv[7], "--python-root");
    assert_string_equal(command.argv[8], "");
    assert_null(command.argv[9]);
    kind.isolation = ISOLATION_SESSION;
    assert_int_equal(runner_command_build(&command, &kind, NULL, "/root", &err), 0);
    assert_string_equal(command.argv[7], "--isolation");
    assert_string_equal(command.argv[8], "session");
    assert_string_equal(command.argv[9], "--python-root");
    assert_string_equal(command.argv[10], "/root");
    assert_null(command.argv[11]);
}

static void test_kinds(void **state)
{
    (void)state;
    assert_int_equal(kind_index("bare"), 0);
    assert_int_equal(kind_index("data"), 1);
    assert_int_equal(kind_index("plot"), 2);
    assert_int_equal(kind_index("huge"), -1);
    assert_int_equal(kind_index(NULL), -1);
}

/* A label made in a process that has ended since, and one of this. */
static void test_owner(void **state)
{
    char mine[OWNER_CAP], again[OWNER_CAP], theirs[OWNER_CAP] = "";
    int ends[2];
    pid_t pid;

    (void)state;
    assert_int_equal(owner_label(mine, NULL), 0);
    assert_int_equal(owner_label(again, NULL), 0);
    assert_string_not_equal(mine, again);
    assert_false(owner_is_dead(mine));
    assert_int_equal(pipe(ends), 0);
    pid = fork();
    if (pid == 0) {
        char label[OWNER_CAP] = "";

        owner_label(label, NULL);
        _exit(write(ends[1], label, sizeof label) == sizeof label ? 0 : 1);
    }
    assert_int_equal(read(ends[0], theirs, sizeof theirs), sizeof theirs);
    /* Dead already as a zombie, and for good after that. */
    while (waitpid(pid, NULL, WNOHANG) == 0 && !owner_is_dead(theirs))
        usleep(10000);
    assert_true(owner_is_dead(theirs));
    close(ends[0]);
    close(ends[1]);
}

static void test_foreign_owners(void **state)
{
    (void)state;
    assert_false(owner_is_dead(""));
    assert_false(owner_is_dead("another-host/1/2/3/4"));
    assert_false(owner_is_dead("/////"));
}

static void test_words(void **state)
{
    struct runner_stderr tail = {.len = 0};
    const char *line;

    (void)state;
    assert_string_equal(runner_stderr_line(&tail), "");
    runner_stderr_add(&tail, "one\ntwo\x1b[m\n\n", 12);
    assert_string_equal(runner_stderr_line(&tail), "one / two?[m");
    for (int i = 0; i < 1000; i++)
        runner_stderr_add(&tail, "abcdefghij", 10);
    runner_stderr_add(&tail, "the end\n", 8);
    line = runner_stderr_line(&tail);
    assert_string_equal(line + strlen(line) - 7, "the end");
    assert_int_equal(tail.len, RUNNER_STDERR_KEPT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local_plan),     cmocka_unit_test(test_local_plan_is_capped),
        cmocka_unit_test(test_process_plan),   cmocka_unit_test(test_runner_command),
        cmocka_unit_test(test_docker_plan),    cmocka_unit_test(test_docker_plan_by_daemon),
        cmocka_unit_test(test_kinds),          cmocka_unit_test(test_owner),
        cmocka_unit_test(test_foreign_owners), cmocka_unit_test(test_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
