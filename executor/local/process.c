/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The runner as an ordinary process, for machines where neither Docker nor bubblewrap can work. No
 * privilege is needed. seccomp and Landlock are the only walls, so a machine without them is
 * refused (process_host.h).
 *
 * The interpreter sees this machine's files: Landlock lets it read what Python needs and nothing
 * else, also where its user may read more. Its working folder is empty and already removed, so
 * nothing can be created in it and nothing is left of it. If the server is root, the runner has a
 * user of its own (sandbox_user.h), which must be able to read the runner's files. If it cannot, as
 * below root's home, it uses a copy of them beside the pinned Python.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "executor/cache.h"
#include "executor/local/spawn.h"
#include "helpers/base/cleanup.h"
#include "helpers/base/sha256.h"

#define COPY_BYTES 65536

/* The setup's runner takes the place of command[0]. */
static int plan_build(struct local_plan *plan, const struct local_setup *setup,
                      const char *const *command, struct error *err)
{
    const char *folder = getenv("TMPDIR");          // NOLINT(concurrency-mt-unsafe): never changed
    struct process_host host = process_host_look(); /* a network may have come up */
    uint64_t number;
    int len;

    if (process_host_check(&host, err) < 0)
        return -1;
    memset(plan, 0, sizeof *plan);
    plan->user = setup->user;
    plan->environment = runner_environment;
    plan->argv[plan->argc++] = setup->runner;
    while (command[plan->argc] && plan->argc + 1 < LOCAL_WORDS_CAP) {
        plan->argv[plan->argc] = command[plan->argc];
        plan->argc++;
    }
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        return error_errno(err, errno, "getrandom");
    len = snprintf(plan->folder, sizeof plan->folder, "%s/lectern-%016" PRIx64,
                   folder && folder[0] ? folder : "/tmp", number);
    if (command[plan->argc] || len < 0 || (size_t)len >= sizeof plan->folder)
        return error_set(err, ERROR_INTERNAL, "the plan of a sandbox is longer than its cap");
    return 0;
}

/* Whether the runner starts. */
static int try_out(const struct local_setup *setup, struct error *err)
{
    static const char *const command[] = {"runner", "--version", NULL};
    struct local_plan plan;

    return plan_build(&plan, setup, command, err) < 0 ? -1 : spawn_trial(&plan, setup, err);
}

/* ---- a copy of the runner's files ---- */

/* Whether any user can enter the folders of that path. */
static bool can_enter(const char *whole)
{
    struct stat status;
    char path[PATH_MAX];

    for (const char *slash = strchr(whole + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(path, sizeof path, "%.*s", (int)(slash - whole), whole);
        if (stat(path, &status) < 0 || !(status.st_mode & S_IXOTH))
            return false;
    }
    return true;
}

/* Whether any user can read the setup's files. Files that any user can change are refused. Returns
 * -1 with an error. */
static int can_read(const struct local_setup *setup, const char *share_dir, struct error *err)
{
    struct stat status;
    int readable = 1;

    for (size_t i = 0; i < setup->file_count; i++) {
        if (fstat(setup->files[i].fd, &status) < 0)
            return error_errno(err, errno, "%s/%s", share_dir, setup->files[i].name);
        if (status.st_mode & S_IWOTH)
            return error_set(err, ERROR_UNAVAILABLE,
                             "the server is root, and the user of a sandbox can write to %s/%s: "
                             "chmod o-w %s/%s",
                             share_dir, setup->files[i].name, share_dir, setup->files[i].name);
        if (!(status.st_mode & S_IROTH))
            readable = 0;
    }
    return readable;
}

/* Reads a whole file: into the hash, or to a new file in the folder if one is given. */
static int read_file(const struct local_file *file, struct sha256 *hash, const char *folder,
                     struct error *err)
{
    char path[LOCAL_SHARE_CAP + sizeof file->name], bytes[COPY_BYTES];
    const mode_t mode = (mode_t)strtoul(file->mode, NULL, 8);
    cleanup_fd int to = -1;
    ssize_t got;

    snprintf(path, sizeof path, "%s/%s", folder ? folder : "", file->name);
    if (folder)
        to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (folder && (to < 0 || fchmod(to, mode) < 0)) /* whatever the umask */
        return error_errno(err, errno, "%s", path);
    for (off_t at = 0; (got = pread(file->fd, bytes, sizeof bytes, at)) > 0; at += got) {
        sha256_add(hash, bytes, (size_t)got);
        if (folder && write(to, bytes, (size_t)got) != got)
            return error_errno(err, errno, "%s", path);
    }
    return got == 0 ? 0 : error_errno(err, errno, "%s", file->name);
}

/* Reads the setup's files, in the order of their names. */
static int read_files(const struct local_setup *setup, const char *folder,
                      char text[SHA256_TEXT_SIZE], struct error *err)
{
    struct sha256 *hash = sha256_create();
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < setup->file_count; i++) {
        sha256_add(hash, setup->files[i].name, strlen(setup->files[i].name) + 1);
        rc = read_file(&setup->files[i], hash, folder, err);
    }
    sha256_end(hash, text);
    sha256_destroy(hash);
    return rc;
}

static int make_copy(const struct local_setup *setup, const char *cache, const char *path,
                     struct error *err)
{
    cleanup_fd int turn = cache_take_turn(cache, err);
    char unfinished[LOCAL_SHARE_CAP + sizeof CACHE_UNFINISHED + 16], text[SHA256_TEXT_SIZE];

    if (turn < 0)
        return -1;
    if (access(path, F_OK) == 0)
        return 0;
    snprintf(unfinished, sizeof unfinished, "%s" CACHE_UNFINISHED "%d", path, (int)getpid());
    if (mkdir(unfinished, 0755) < 0 || chmod(unfinished, 0755) < 0)
        return error_errno(err, errno, "%s", unfinished);
    if (read_files(setup, unfinished, text, err) == 0 &&
        cache_finish(unfinished, path, cache, err) == 0)
        return 0;
    cache_remove(unfinished);
    return -1;
}

/* Makes a copy, if there is none, in the cache that has the pinned Python, and sets the runner to
 * that of the copy. */
static int use_copy(struct local_setup *setup, struct error *err)
{
    char cache[LOCAL_PYTHON_CAP], path[LOCAL_PYTHON_CAP + 32], text[SHA256_TEXT_SIZE];

    snprintf(cache, sizeof cache, "%s", setup->python);
    *strrchr(cache, '/') = '\0';
    if (read_files(setup, NULL, text, err) < 0)
        return -1;
    snprintf(path, sizeof path, "%s/share-%.*s", cache, CACHE_HASH_DIGITS, text);
    if (access(path, F_OK) < 0 && make_copy(setup, cache, path, err) < 0)
        return error_wrap(err, "the user of a sandbox cannot read the runner's files, and they "
                               "could not be copied");
    snprintf(setup->runner, sizeof setup->runner, "%s/runner", path);
    setup->copied = true;
    return 0;
}

static int look(struct local_setup *setup, const char *share_dir, struct error *err)
{
    char path[LOCAL_SHARE_CAP + 64], real[PATH_MAX];
    int readable = 1;

    setup->host = process_host_look();
    if (process_host_check(&setup->host, err) < 0)
        return -1;
    snprintf(path, sizeof path, "%s/runner", share_dir);
    if (!realpath(path, real) || strlen(real) >= sizeof setup->runner)
        return error_set(err, ERROR_UNAVAILABLE, "%s: %s", path, strerrordesc_np(errno));
    memcpy(setup->runner, real, strlen(real) + 1);
    setup->copied = false;
    if (setup->user != 0) {
        if (!can_enter(setup->python))
            return error_set(err, ERROR_UNAVAILABLE,
                             "the server is root, and the user of a sandbox cannot enter the "
                             "folder of %s: --cache DIR with another",
                             setup->python);
        readable = can_read(setup, share_dir, err);
        if (readable < 0 || (!(readable && can_enter(real)) && use_copy(setup, err) < 0))
            return -1;
    }
    return try_out(setup, err);
}

static void describe(const struct local_setup *setup, char *text, size_t size)
{
    const char *user = geteuid() == 0 ? "a separate user" : "the user of the server";
    int len = snprintf(text, size, "code runs as a process of this machine, as %s: ", user);

    process_host_describe(&setup->host, text + len, size - (size_t)len);
}

const struct local_way local_way_process = {NULL, look, plan_build, describe};
