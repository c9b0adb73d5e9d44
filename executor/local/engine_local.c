/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sandboxes without Docker: the same runner with the pinned Python, in two engines. `local`
 * puts it under bubblewrap (bubblewrap.c), `process` runs it as it is (process.c).
 *
 * A control group of version 2 bounds each sandbox where the server may make one (cgroup.h). In any
 * case there are, for memory, the runner's RLIMIT_AS and its check of the interpreter's actual use;
 * for CPU, RLIMIT_CPU (60 s for each process), the deadlines, niceness 5 and the lowest best-effort
 * I/O priority, so without a control group a run may use a whole CPU for its 5 s, but yields to
 * others; for the number of processes, the runner's seccomp filter.
 *
 * If the machine lacks something, each start checks again, so that a fix takes effect at once.
 *
 * A sandbox dies with the server: the kernel kills its first process with the thread that started
 * it and with it the PID namespace of a sandbox under bubblewrap (spawn.h), bubblewrap asks for the
 * same inside (--die-with-parent), and the runner ends when its standard input closes. Where the
 * server may make no PID namespace, bubblewrap's inner process can be left if the server is killed
 * in a certain 100 microseconds of a start; the next server ends it (local_orphans_end).
 */
#include "executor/engine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "executor/cache.h"
#include "executor/local/local_machine.h"
#include "executor/local/spawn.h"
#include "executor/pinned/pinned.h"
#include "helpers/base/cleanup.h"
#include "helpers/base/hash.h"
#include "helpers/base/log.h"

struct local {
    const struct local_way *way;
    char share_dir[LOCAL_SHARE_CAP];
    char cache[LOCAL_PYTHON_CAP]; /* "": the default */
    char added[LOCAL_SHARE_CAP];  /* lock file of further packages; "": none */
    struct sandbox_users users;
    pthread_mutex_t lock;     /* protects all members below; held while the machine is checked */
    struct local_setup setup; /* without files and user */
    uint64_t files_state;     /* of the files with which the setup was tried */
    int uses[2];              /* keep the folders of the setup in the cache, or -1 */
    bool ready;               /* setup works with these files */
    bool logged;              /* it has been logged that it does not work */
    atomic_bool stopping;     /* not protected by lock */
};

/* Only root can become another user. */
static int take_user(const struct local *local, struct sandbox_user *user, struct error *err)
{
    *user = (struct sandbox_user){.lock = -1};
    return geteuid() == 0 ? sandbox_user_take(user, &local->users, err) : 0;
}

/* Tries the setup with a user as a sandbox has it. */
static int look(const struct local *local, struct local_setup *setup, struct error *err)
{
    struct sandbox_user user;
    int rc;

    if (geteuid() == 0 && sandbox_users_check(&local->users, err) < 0)
        return -1;
    rc = take_user(local, &user, err);
    setup->user = user.id;
    if (rc == 0)
        rc = local->way->look(setup, local->share_dir, err);
    sandbox_user_give_back(&user);
    return rc;
}

/* ---- the runner's files ---- */

static void close_files(struct local_setup *setup)
{
    for (size_t i = 0; i < setup->file_count; i++)
        close(setup->files[i].fd);
    setup->file_count = 0;
}

static int open_file(struct local_setup *setup, const char *share_dir, const char *name,
                     const char *mode, struct error *err)
{
    struct local_file *file = &setup->files[setup->file_count];
    char path[LOCAL_SHARE_CAP + 64];

    if (setup->file_count == LOCAL_FILES_CAP || strlen(name) >= sizeof file->name)
        return error_set(err, ERROR_UNAVAILABLE, "%s holds more than it should: make build",
                         share_dir);
    snprintf(path, sizeof path, "%s/%s", share_dir, name);
    file->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (file->fd < 0)
        return error_set(err, ERROR_UNAVAILABLE, "%s: %s: make build", path,
                         strerrordesc_np(errno));
    memcpy(file->name, name, strlen(name) + 1);
    file->mode = mode;
    setup->file_count++;
    return 0;
}

static bool is_wanted(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot && (strcmp(dot, ".py") == 0 || strcmp(dot, ".so") == 0);
}

static void name_lock(char *path, size_t size, const char *share_dir)
{
    snprintf(path, size, "%s/python.lock", share_dir);
}

static int compare_names(const void *one, const void *other)
{
    return strcmp(((const struct local_file *)one)->name, ((const struct local_file *)other)->name);
}

/* Opens the runner, the Python modules beside it, and the tables of the policy, in the order of
 * their names. */
static int open_files(struct local_setup *setup, const char *share_dir, struct error *err)
{
    cleanup_dir DIR *folder = opendir(share_dir);
    struct dirent *entry;
    int rc;

    if (!folder)
        return error_set(err, ERROR_UNAVAILABLE, "%s: %s: make build", share_dir,
                         strerrordesc_np(errno));
    setup->file_count = 0;
    rc = open_file(setup, share_dir, "runner", "0555", err);
    if (rc == 0)
        rc = open_file(setup, share_dir, "policy.json", "0444", err);
    while (rc == 0 &&
           (entry = readdir(folder))) { // NOLINT(concurrency-mt-unsafe): this thread's own folder
        if (is_wanted(entry->d_name))
            rc = open_file(setup, share_dir, entry->d_name, "0444", err);
    }
    if (rc < 0)
        close_files(setup);
    qsort(setup->files, setup->file_count, sizeof *setup->files, compare_names);
    return rc;
}

static uint64_t add_state(uint64_t state, const char *name, const struct stat *status)
{
    const uint64_t numbers[] = {(uint64_t)status->st_size, (uint64_t)status->st_mtim.tv_sec,
                                (uint64_t)status->st_mtim.tv_nsec, status->st_ino, status->st_dev};

    return hash_bytes(hash_bytes(state, name, strlen(name) + 1), numbers, sizeof numbers);
}

/* Identifies the open files, and the lock files that name the Python, by their names, inodes, sizes
 * and times. 0 with an error. */
static uint64_t state_of_files(const struct local_setup *setup, const struct local *local,
                               struct error *err)
{
    char path[LOCAL_SHARE_CAP + 64];
    uint64_t state = HASH_START;
    struct stat status;

    for (size_t i = 0; i < setup->file_count; i++) {
        if (fstat(setup->files[i].fd, &status) < 0) {
            error_errno(err, errno, "%s", setup->files[i].name);
            return 0;
        }
        state = add_state(state, setup->files[i].name, &status);
    }
    name_lock(path, sizeof path, local->share_dir);
    if (stat(path, &status) == 0) /* if there is none, find_python says it */
        state = add_state(state, path, &status);
    if (stat(local->added, &status) == 0)
        state = add_state(state, local->added, &status);
    return state;
}

/* ---- Python ---- */

static int find_python(struct local_setup *setup, const struct local *local, struct error *err)
{
    char lock[LOCAL_SHARE_CAP + 64], command[2 * LOCAL_SHARE_CAP];
    struct pinned_options options = {.lock = lock,
                                     .cache = local->cache[0] ? local->cache : NULL,
                                     .added = local->added[0] ? local->added : NULL};

    name_lock(lock, sizeof lock, local->share_dir);
    if (pinned_folder(&options, setup->python, sizeof setup->python, err) < 0)
        return -1;
    if (access(setup->python, F_OK) < 0) {
        pinned_fetch_command(&options, command, sizeof command);
        return error_set(err, ERROR_UNAVAILABLE, "the sandbox's Python is not in %s: %s",
                         setup->python, command);
    }
    return 0;
}

/* The folders of the cache that the setup needs are kept while the engine is open. */
static void use_folders(struct local *local)
{
    struct error ignored = {0};
    char copy[LOCAL_SHARE_CAP];

    cleanup_close_fd(&local->uses[0]);
    cleanup_close_fd(&local->uses[1]);
    local->uses[0] = cache_use(local->setup.python, &ignored);
    local->uses[1] = -1;
    if (local->setup.copied) {
        snprintf(copy, sizeof copy, "%s", local->setup.runner);
        *strrchr(copy, '/') = '\0';
        local->uses[1] = cache_use(copy, &ignored);
    }
}

/* ---- starting ---- */

/* Returns 0 if sandboxes work here; checks again if they did not. *setup gets the files opened now
 * (close_files); it may be NULL. */
static int prepare(struct local *local, bool quiet, struct local_setup *setup, struct error *err)
{
    struct local_setup found;
    struct error why = {0};
    uint64_t files_state = 0;
    int rc = 0;

    pthread_mutex_lock(&local->lock);
    if (atomic_load(&local->stopping))
        rc = error_set(&why, ERROR_CANCELLED, "the server is stopping");
    found = local->setup;
    if (rc == 0)
        rc = open_files(&found, local->share_dir, &why);
    if (rc == 0 && (files_state = state_of_files(&found, local, &why)) == 0)
        rc = -1;
    if (files_state != local->files_state || access(local->setup.python, F_OK) < 0)
        local->ready = false;
    if (rc == 0 && !local->ready) {
        rc = find_python(&found, local, &why);
        if (rc == 0)
            rc = look(local, &found, &why);
        local->ready = rc == 0;
        local->files_state = files_state;
        if (rc == 0) {
            local->setup = found;
            use_folders(local);
        }
        local->setup.file_count = 0;
    }
    if (rc == 0 && local->logged)
        log_info("executor", "sandboxes can be made again");
    if (rc < 0 && why.kind != ERROR_CANCELLED && !local->logged && !quiet)
        log_warning("executor", "%s. Analyses wait for it; it is looked for again", why.text);
    if (rc == 0 || !quiet)
        local->logged = rc < 0;
    pthread_mutex_unlock(&local->lock);
    if (rc == 0 && setup)
        *setup = found;
    else
        close_files(&found);
    return rc == 0 ? 0 : error_set(err, why.kind, "%s", why.text);
}

static struct engine_box *local_start(void *state, const struct execution_kind *kind,
                                      struct error *err)
{
    struct local *local = state;
    struct runner_command command;
    struct local_setup setup = {0};
    struct sandbox_user user;
    struct cgroup group = {.folder = -1, .procs = -1};
    struct local_plan plan;
    struct engine_box *box;
    bool started = false;

    if (take_user(local, &user, err) < 0)
        return NULL;
    box = calloc(1, sizeof *box);
    if (!box) {
        error_set(err, ERROR_MEMORY, "out of memory for a sandbox");
    } else if (prepare(local, false, &setup, err) == 0) {
        const char *root = local->way->python_root;

        setup.user = user.id;
        started =
            runner_command_build(&command, kind, NULL, root ? root : setup.python, err) == 0 &&
            local->way->plan(&plan, &setup, command.argv, err) == 0 &&
            cgroup_make(&group, setup.owner, kind->memory_mb, err) == 0 &&
            spawn(box, &plan, &setup, &group, err) == 0;
        close_files(&setup);
    }
    if (started) {
        box->user = user;
        box->group = group;
        return box;
    }
    cgroup_end(&group);
    sandbox_user_give_back(&user);
    free(box);
    return NULL;
}

static int local_settle(void *state, struct engine_box *box, struct error *err)
{
    (void)state;
    return cgroup_settle(&box->group, err);
}

static void local_destroy(void *state, struct engine_box *box)
{
    (void)state;
    spawn_end(box);
    cgroup_end(&box->group);
    sandbox_user_give_back(&box->user);
    free(box);
}

/* ---- the stream ---- */

static int local_fd(const struct engine_box *box)
{
    return box->stream;
}

static ssize_t local_send(struct engine_box *box, const void *bytes, size_t len)
{
    return send(box->stream, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static ssize_t local_receive(struct engine_box *box, void *bytes, size_t size)
{
    ssize_t got = recv(box->stream, bytes, size, MSG_DONTWAIT);

    if (got >= 0)
        spawn_last_words(box);
    return got;
}

/* ---- opening ---- */

static void local_close(void *state)
{
    struct local *local = state;

    for (size_t i = 0; i < sizeof local->uses / sizeof *local->uses; i++)
        cleanup_close_fd(&local->uses[i]);
    pthread_mutex_destroy(&local->lock);
    free(local);
}

static void *open_way(const struct local_way *way, const struct executor_config *config,
                      struct error *err)
{
    struct local *local = calloc(1, sizeof *local);
    struct error why = {0};
    size_t ended;

    if (!local) {
        error_set(err, ERROR_MEMORY, "out of memory for the local engine");
        return NULL;
    }
    local->way = way;
    local->uses[0] = local->uses[1] = -1;
    pthread_mutex_init(&local->lock, NULL);
    if (!config->share_dir || strlen(config->share_dir) >= sizeof local->share_dir) {
        error_set(err, ERROR_INVALID, "the folder with the runner is not known: --share");
        goto fail;
    }
    memcpy(local->share_dir, config->share_dir, strlen(config->share_dir) + 1);
    if (config->cache && strlen(config->cache) >= sizeof local->cache) {
        error_set(err, ERROR_INVALID, "the path of --cache is too long");
        goto fail;
    }
    if (config->cache)
        memcpy(local->cache, config->cache, strlen(config->cache) + 1);
    if (config->added_lock && strlen(config->added_lock) >= sizeof local->added) {
        error_set(err, ERROR_INVALID, "the path of --profiles is too long");
        goto fail;
    }
    if (config->added_lock)
        memcpy(local->added, config->added_lock, strlen(config->added_lock) + 1);
    if (sandbox_users_read(&local->users, config->sandbox_uids, err) < 0 ||
        owner_label(local->setup.owner, err) < 0)
        goto fail;
    ended = local_orphans_end() + cgroup_orphans_end();
    if (ended > 0)
        log_info("executor", "%zu remainders of sandboxes of a killed server were removed", ended);
    prepare(local, true, NULL, &why); /* what is missing now may be installed later */
    return local;
fail:
    local_close(local);
    return NULL;
}

static void *local_open(const struct executor_config *config, struct error *err)
{
    return open_way(&local_way_bubblewrap, config, err);
}

static void *process_open(const struct executor_config *config, struct error *err)
{
    return open_way(&local_way_process, config, err);
}

static int local_works(void *state, struct error *err)
{
    return prepare(state, true, NULL, err);
}

static int local_made_of(void *state, char text[ENGINE_MADE_OF_CAP], struct error *err)
{
    const struct local *local = state;
    struct local_setup setup = {.file_count = 0};
    uint64_t files;

    if (open_files(&setup, local->share_dir, err) < 0)
        return -1;
    files = state_of_files(&setup, local, err);
    close_files(&setup);
    snprintf(text, ENGINE_MADE_OF_CAP, "%016" PRIx64, files);
    return files ? 0 : error_wrap(err, "%s", local->share_dir);
}

static void local_describe(void *state, char *text, size_t size)
{
    struct local *local = state;
    struct local_setup setup = {.file_count = 0};
    struct error err = {0};
    size_t len;

    if (prepare(local, true, &setup, &err) < 0) {
        snprintf(text, size, "no code can run yet, and that is tried again: %.400s", err.text);
        return;
    }
    close_files(&setup);
    local->way->describe(&setup, text, size);
    len = strlen(text);
    snprintf(text + len, size - len, "; bounds by %slimits of processes and deadlines",
             cgroup_home(NULL) ? "a control group, " : "");
}

static void local_interrupt(void *state)
{
    struct local *local = state;

    atomic_store(&local->stopping, true);
}

/* They differ in what open() takes as the way to confine a runner. */
#define LOCAL_ENGINE(NAME, OPEN)                                                                   \
    {                                                                                              \
        .name = (NAME), .open = (OPEN), .close = local_close, .works = local_works,                \
        .describe = local_describe, .interrupt = local_interrupt, .made_of = local_made_of,        \
        .start = local_start, .settle = local_settle, .destroy = local_destroy, .fd = local_fd,    \
        .send = local_send, .receive = local_receive, .stderr_tail = spawn_last_words              \
    }

const struct engine engine_local = LOCAL_ENGINE("local", local_open);
const struct engine engine_process = LOCAL_ENGINE("process", process_open);
