/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What machines and daemons say about themselves: user namespaces, GET /info, the
 * files of a local sandbox, the folder of the channels. Texts as real ones print them.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "executor/local/local_machine.h"
#include "executor/docker/docker_channel.h"
#include "executor/docker/docker_plan.h"
#include "executor/engine.h"
#include "executor/owner.h"
#include "executor/run_folder.h"

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[640];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    fclose(file);
}

static void remove_file(const char *folder, const char *name)
{
    char path[640];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(remove(path), 0);
}

/* Each switch by its own remedy. */
static void test_user_namespaces(void **state)
{
    static const struct {
        const char *name, *off, *on, *fix;
    } rows[] = {
        {"kernel/unprivileged_userns_clone", "0\n", "1\n", "kernel.unprivileged_userns_clone=1"},
        {"kernel/apparmor_restrict_unprivileged_userns", "1\n", "0\n",
         "kernel.apparmor_restrict_unprivileged_userns=0"},
        {"user/max_user_namespaces", "0\n", "15000\n", "user.max_user_namespaces="},
    };
    char root[] = "/tmp/lectern-machine-XXXXXX";

    (void)state;
    assert_non_null(mkdtemp(root));
    assert_null(local_userns_look(root).fix); /* a kernel without any of them */
    for (size_t i = 0; i < 2; i++) {
        char path[64];

        snprintf(path, sizeof path, "%s/%s", root, i ? "user" : "kernel");
        assert_int_equal(mkdir(path, 0700), 0);
    }
    for (size_t i = 0; i < 3; i++) {
        write_file(root, rows[i].name, rows[i].off);
        assert_non_null(strstr(local_userns_look(root).fix, rows[i].fix));
        write_file(root, rows[i].name, rows[i].on);
        assert_null(local_userns_look(root).fix);
    }
    for (size_t i = 0; i < 3; i++)
        remove_file(root, rows[i].name);
    remove_file(root, "kernel");
    remove_file(root, "user");
    assert_int_equal(rmdir(root), 0);
}

static void read_info(struct docker_info *info, const char *text)
{
    json_t *json = json_loads(text, 0, NULL);

    assert_non_null(json);
    docker_info_read(info, json);
    json_decref(json);
}

static void test_docker_says_all(void **state)
{
    struct docker_info info;
    char missing[64];

    (void)state;
    read_info(&info, "{\"MemoryLimit\":true,\"SwapLimit\":true,\"CpuCfsPeriod\":true,"
                     "\"CpuCfsQuota\":true,\"CPUShares\":true,\"PidsLimit\":true,"
                     "\"CgroupDriver\":\"cgroupfs\",\"CgroupVersion\":\"1\","
                     "\"SecurityOptions\":[\"name=apparmor\",\"name=seccomp,profile=default\"],"
                     "\"Runtimes\":{\"io.containerd.runc.v2\":{\"path\":\"runc\"},\"runc\":{}},"
                     "\"DefaultRuntime\":\"runc\",\"Warnings\":null}");
    docker_info_missing(&info, missing, sizeof missing);
    assert_string_equal(missing, "");
    assert_string_equal(info.cgroup_version, "1");
    assert_string_equal(info.seccomp, "default");
    assert_true(info.own_seccomp);
    assert_true(info.limits.block_io);
    assert_true(info.apparmor);
    assert_false(info.rootless);
    assert_string_equal(info.default_runtime, "runc");
    assert_true(docker_info_has_runtime(&info, "runc"));
    assert_true(docker_info_has_runtime(&info, "io.containerd.runc.v2"));
    assert_false(docker_info_has_runtime(&info, "run"));
    assert_false(docker_info_has_runtime(&info, "runsc"));
}

/* Rootless with version 1 ignores every limit; one without a profile says so in two ways. */
static void test_docker_without_limits(void **state)
{
    struct docker_info info;
    char missing[64];

    (void)state;
    read_info(&info, "{\"CgroupDriver\":\"none\",\"CgroupVersion\":\"1\",\"SecurityOptions\":"
                     "[\"name=seccomp,profile=unconfined\",\"name=rootless\"]}");
    docker_info_missing(&info, missing, sizeof missing);
    assert_string_equal(missing, "memory, swap, CPU, number of processes");
    assert_true(info.rootless);
    assert_true(info.own_seccomp); /* it can, although it does not by itself */
    assert_false(info.limits.block_io);
    read_info(&info, "{\"CpuCfsQuota\":false,\"SecurityOptions\":[],"
                     "\"Warnings\":[1,\"WARNING: No io.weight support\"]}");
    docker_info_missing(&info, missing, sizeof missing);
    assert_string_equal(missing, "CPU");
    assert_string_equal(info.seccomp, "");
    assert_false(info.own_seccomp);
    assert_false(info.limits.block_io);
    /* Podman, which looks for a file of that name. */
    read_info(&info, "{\"BuildahVersion\":\"1.28.2\",\"Warnings\":[],"
                     "\"SecurityOptions\":[\"name=seccomp,profile=default\"]}");
    assert_string_equal(info.seccomp, "default");
    assert_false(info.own_seccomp);
    /* One that says nothing is asked for everything. */
    docker_info_read(&info, NULL);
    docker_info_missing(&info, missing, sizeof missing);
    assert_string_equal(missing, "");
    assert_true(info.own_seccomp);
    /* Of the wrong types, too. */
    read_info(&info, "{\"CgroupVersion\":2,\"SecurityOptions\":{\"a\":1},\"Runtimes\":[1],"
                     "\"MemoryLimit\":\"no\"}");
    docker_info_missing(&info, missing, sizeof missing);
    assert_string_equal(missing, "");
    read_info(&info, "[]");
    assert_string_equal(info.runtimes, "");
}

static bool is_leftover(const char *label, const char *state, long created)
{
    json_t *container = json_pack("{s:{s:s}, s:s, s:i}", "Labels", "lectern.owner", label, "State",
                                  state, "Created", (int)created);
    bool leftover = docker_is_leftover(container, 10000);

    assert_non_null(container);
    json_decref(container);
    return leftover;
}

static void test_leftovers(void **state)
{
    char mine[OWNER_CAP];
    json_t *bare = json_object();

    (void)state;
    assert_int_equal(owner_label(mine, NULL), 0);
    assert_false(is_leftover(mine, "running", 1));
    assert_false(is_leftover(mine, "created", 9500));
    assert_true(is_leftover(mine, "created", 1)); /* so old a one was never started */
    assert_false(is_leftover("elsewhere/1/2/3/4", "running", 1));
    assert_false(is_leftover("elsewhere/1/2/3/4", "created", 9500));
    assert_true(is_leftover("elsewhere/1/2/3/4", "exited", 9000));
    assert_false(docker_is_leftover(bare, 10000));
    json_decref(bare);
}

static void made_of(void *engine, char text[ENGINE_MADE_OF_CAP])
{
    struct error err = {0};

    if (engine_local.made_of(engine, text, &err) < 0)
        fail_msg("%s", err.text);
}

/* A lock file with one package of that version, for each architecture. */
#define SHA256_OF_NONE "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define ROW_OF(version, architecture)                                                              \
    "python3 " version " " architecture " " SHA256_OF_NONE " 1 pool/python3.deb\n"
#define LOCK_OF(version) "format 1\n" ROW_OF(version, "amd64") ROW_OF(version, "arm64")

/* The state of the files beside the runner: another one when any of them changes, or comes. */
static void test_made_of_files(void **state)
{
    char share[] = "/tmp/lectern-share-XXXXXX", first[ENGINE_MADE_OF_CAP], next[ENGINE_MADE_OF_CAP];
    struct executor_config config = {.share_dir = share};
    struct error err = {0};
    void *engine;

    (void)state;
    assert_non_null(mkdtemp(share));
    engine = engine_local.open(&config, &err);
    assert_non_null(engine); /* the runner may come later */
    assert_int_equal(engine_local.works(engine, &err), -1);
    assert_int_equal(engine_local.made_of(engine, first, &err), -1);
    write_file(share, "runner", "1");
    write_file(share, "policy.json", "{}");
    write_file(share, "python.lock", LOCK_OF("1"));
    made_of(engine, first);
    made_of(engine, next);
    assert_string_equal(first, next);
    write_file(share, "fork.so", "");
    made_of(engine, next);
    assert_string_not_equal(first, next);
    write_file(share, "notes.txt", "none of it");
    made_of(engine, first);
    assert_string_equal(first, next);
    write_file(share, "runner", "22");
    made_of(engine, first);
    assert_string_not_equal(first, next);
    write_file(share, "python.lock", LOCK_OF("2"));
    made_of(engine, next);
    assert_string_not_equal(first, next);
    engine_local.close(engine);
    for (size_t i = 0; i < 5; i++)
        remove_file(share, (const char *[]){"runner", "policy.json", "fork.so", "notes.txt",
                                            "python.lock"}[i]);
    assert_int_equal(rmdir(share), 0);
}

/* ---- the folder of the channels ---- */

/* The label of a process that is gone, as a name. */
static void dead_name(char name[OWNER_CAP])
{
    int ends[2];
    pid_t pid;

    assert_int_equal(pipe(ends), 0);
    pid = fork();
    if (pid == 0) {
        owner_label(name, NULL);
        _exit(write(ends[1], name, OWNER_CAP) == OWNER_CAP ? 0 : 1);
    }
    assert_int_equal(read(ends[0], name, OWNER_CAP), OWNER_CAP);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    close(ends[0]);
    close(ends[1]);
    for (char *at = name; *at; at++)
        *at = (char)(*at == '/' ? '_' : *at);
}

/* What a dead server left is removed, but nothing behind a link, and nothing that others can write
 * to. */
static void test_sweep_of_channels(void **state)
{
    char above[RUN_FOLDER_CAP], name[OWNER_CAP], dead[384], path[512],
        outside[] = "/tmp/lectern-test-XXXXXX";
    struct docker_channels channels;
    struct error err = {0};
    char mine[OWNER_CAP];
    mode_t old;

    (void)state;
    assert_int_equal(run_folder(above, &err), 0);
    assert_non_null(mkdtemp(outside));
    write_file(outside, "runner", "");
    dead_name(name);
    assert_int_equal(owner_label(mine, &err), 0);
    snprintf(dead, sizeof dead, "%s/channels-%s", above, name);
    old = umask(0);
    assert_int_equal(mkdir(dead, 0770), 0);
    umask(old);
    snprintf(path, sizeof path, "%s/1", dead);
    assert_int_equal(mkdir(path, 0711), 0);
    write_file(path, "runner", "");
    snprintf(path, sizeof path, "%s/2", dead);
    assert_int_equal(symlink(outside, path), 0);
    docker_channels_open(&channels, mine);
    docker_channels_close(&channels);
    assert_int_equal(chmod(dead, 0700), 0);
    snprintf(path, sizeof path, "%s/1/runner", dead);
    assert_int_equal(access(path, F_OK), 0);
    docker_channels_open(&channels, mine);
    docker_channels_close(&channels);
    assert_int_equal(access(path, F_OK), -1);
    remove_file(outside, "runner");
    snprintf(path, sizeof path, "%s/2", dead);
    assert_int_equal(unlink(path), 0);
    docker_channels_open(&channels, mine);
    docker_channels_close(&channels);
    assert_int_equal(access(dead, F_OK), -1);
    assert_int_equal(rmdir(outside), 0);
}

/* Only the runner's user may connect. */
static void test_user_of_a_channel(void **state)
{
    struct docker_channels channels;
    struct docker_channel channel;
    char mine[OWNER_CAP], path[CHANNEL_PATH_CAP + 8];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct error err = {0};
    struct stat status;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0), folder;

    (void)state;
    assert_int_equal(owner_label(mine, &err), 0);
    docker_channels_open(&channels, mine);
    assert_int_equal(docker_channel_open(&channel, &channels, 1, 70001, &err), 0);
    snprintf(path, sizeof path, "%s/" CHANNEL_SOCKET, channel.folder);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, geteuid() == 0 ? 0600 : 0666);
    assert_int_equal(status.st_uid, geteuid() == 0 ? 70001 : geteuid());
    folder = open(channel.folder, O_PATH | O_DIRECTORY);
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/" CHANNEL_SOCKET, folder);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    if (geteuid() == 0) {
        assert_int_equal(docker_channel_accept(&channel, fd, 1000, &err), -1);
        assert_non_null(strstr(err.text, "another user than the runner has connected"));
    }
    close(fd);
    close(folder);
    docker_channel_close(&channel);
    docker_channels_close(&channels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_user_namespaces),       cmocka_unit_test(test_docker_says_all),
        cmocka_unit_test(test_docker_without_limits), cmocka_unit_test(test_leftovers),
        cmocka_unit_test(test_made_of_files),         cmocka_unit_test(test_sweep_of_channels),
        cmocka_unit_test(test_user_of_a_channel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
