/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/local/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "executor/runner.h"
#include "helpers/base/cleanup.h"
#include "helpers/base/log.h"

#define SERVER_NAME    "server"
#define SANDBOX_PREFIX "sandbox-"
#define TRIAL_MB       64
#define LIST_CAP       4096 /* bytes of a file of the kernel that are read */
#define REMOVE_TRIES   200
#define REMOVE_PAUSE   10000000 /* ns between two of them */

/* ---- files ---- */

static int read_in(int folder, const char *name, char *text, size_t size)
{
    cleanup_fd int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
    size_t len = 0;
    ssize_t got = fd < 0 ? -1 : 0;

    while (fd >= 0 && len < size - 1 && (got = read(fd, text + len, size - 1 - len)) > 0)
        len += (size_t)got;
    text[len] = '\0';
    return got < 0 ? -1 : 0;
}

static int write_in(int folder, const char *name, const char *text)
{
    cleanup_fd int fd = openat(folder, name, O_WRONLY | O_CLOEXEC);
    size_t len = strlen(text);

    return fd < 0 || write(fd, text, len) != (ssize_t)len ? -1 : 0;
}

static int open_folder(int above, const char *name)
{
    return openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* ---- the mounted ones ---- */

void cgroup_mounts(char text[CGROUP_MOUNTS_CAP])
{
    if (read_in(AT_FDCWD, "/proc/self/mountinfo", text, CGROUP_MOUNTS_CAP) < 0)
        text[0] = '\0';
}

/* proc(5): the type follows " - ", after any number of optional fields. */
static bool is_type(const char *line, size_t len, const char *type)
{
    const char *dash = memmem(line, len, " - ", 3);
    size_t type_len = strlen(type);

    return dash && (size_t)(line + len - dash) > 3 + type_len &&
           memcmp(dash + 3, type, type_len) == 0 && dash[3 + type_len] == ' ';
}

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

enum cgroup_kind cgroup_kind(const char *mounts)
{
    bool one = false, two = false;

    for (const char *line = mounts; *line; line = next_line(line)) {
        size_t len = strcspn(line, "\n");

        one = one || is_type(line, len, "cgroup");
        two = two || is_type(line, len, "cgroup2");
    }
    if (one)
        return two ? CGROUP_HYBRID : CGROUP_V1;
    return two ? CGROUP_V2 : CGROUP_NONE;
}

const char *cgroup_kind_text(enum cgroup_kind kind)
{
    static const char *const texts[] = {
        [CGROUP_NONE] = "none mounted",
        [CGROUP_V1] = "version 1",
        [CGROUP_V2] = "version 2",
        [CGROUP_HYBRID] = "hybrid: controllers in version 1, version 2 beside them",
    };

    return texts[kind];
}

/* A field of mountinfo up to its space, where a space is written \040. Returns -1 if it is cut. */
static int read_field(char text[CGROUP_PATH_CAP], const char **at)
{
    size_t len = 0;

    while (**at && **at != ' ' && **at != '\n') {
        unsigned byte;

        if (len + 1 >= CGROUP_PATH_CAP)
            return -1;
        if (sscanf(*at, "\\%3o", &byte) == 1) {
            text[len++] = (char)byte;
            *at += 4;
        } else {
            text[len++] = *(*at)++;
        }
    }
    text[len] = '\0';
    *at += **at == ' ';
    return 0;
}

/* The part of the group's path below the mount's root; NULL if the mount does not show it. */
static const char *below(const char *group, const char *root)
{
    size_t len = strcmp(root, "/") == 0 ? 0 : strlen(root);

    return strncmp(group, root, len) == 0 && (group[len] == '/' || group[len] == '\0') ? group + len
                                                                                       : NULL;
}

/* The path after "0::", of version 2. One outside of this process's view begins with "/..". */
static int own_group(char group[CGROUP_PATH_CAP], const char *groups)
{
    for (const char *line = groups; *line; line = next_line(line)) {
        size_t len = strcspn(line, "\n");

        if (strncmp(line, "0::/", 4) == 0 && len - 3 < CGROUP_PATH_CAP) {
            memcpy(group, line + 3, len - 3);
            group[len - 3] = '\0';
            return strncmp(group, "/..", 3) == 0 ? -1 : 0;
        }
    }
    return -1;
}

int cgroup_path(char path[CGROUP_PATH_CAP], const char *groups, const char *mounts)
{
    char group[CGROUP_PATH_CAP], root[CGROUP_PATH_CAP], point[CGROUP_PATH_CAP];

    if (own_group(group, groups) < 0)
        return -1;
    for (const char *line = mounts; *line; line = next_line(line)) {
        const char *at = line, *rest;

        if (!is_type(line, strcspn(line, "\n"), "cgroup2"))
            continue;
        for (int field = 0; field < 3; field++)
            at += strcspn(at, " ") + 1;
        if (read_field(root, &at) < 0 || read_field(point, &at) < 0)
            continue;
        rest = below(group, root);
        if (rest && snprintf(path, CGROUP_PATH_CAP, "%s%s", point,
                             strcmp(rest, "/") == 0 ? "" : rest) < CGROUP_PATH_CAP)
            return 0;
    }
    return -1;
}

/* ---- bounds ---- */

/* The weight that the runtimes of containers give a group for these shares. */
static unsigned weight_of(unsigned shares)
{
    return 1 + (shares - 2) * 9999 / 262142;
}

static int write_number(int folder, const char *name, unsigned long long number)
{
    char text[32];

    snprintf(text, sizeof text, "%llu", number);
    return write_in(folder, name, text);
}

/* A kernel that does not account swap has no bound for it. */
static int set_bounds(int folder, const struct cgroup_home *home, unsigned memory_mb)
{
    if (write_number(folder, "memory.max", (unsigned long long)memory_mb << 20) < 0 ||
        (write_number(folder, "memory.swap.max", 0) < 0 && errno != ENOENT) ||
        write_number(folder, "pids.max", SANDBOX_PIDS) < 0 ||
        faccessat(folder, "cgroup.kill", W_OK, AT_EACCESS) < 0) /* since Linux 5.14 */
        return -1;
    return home->cpu ? write_number(folder, "cpu.weight", weight_of(SANDBOX_SHARES_WARMING)) : 0;
}

/* ---- OWN ---- */

static struct {
    pthread_mutex_t lock; /* protects all */
    bool asked;
    int folder; /* of OWN, -1: none */
    struct cgroup_home home;
    struct error why;
} own = {.lock = PTHREAD_MUTEX_INITIALIZER, .folder = -1};

static bool has_word(const char *list, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = list; *at; at += strcspn(at, " \n"), at += strspn(at, " \n")) {
        if (strncmp(at, word, len) == 0 && strchr(" \n", at[len]))
            return true;
    }
    return false;
}

static int open_own(struct cgroup_home *home, struct error *err)
{
    char groups[LIST_CAP], mounts[CGROUP_MOUNTS_CAP];
    int folder;

    cgroup_mounts(mounts);
    if (read_in(AT_FDCWD, "/proc/self/cgroup", groups, sizeof groups) < 0 ||
        cgroup_path(home->path, groups, mounts) < 0)
        return error_set(err, ERROR_UNAVAILABLE,
                         "this process has no control group of version 2 (here: %s)",
                         cgroup_kind_text(cgroup_kind(mounts)));
    folder = open(home->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return error_set(err, ERROR_UNAVAILABLE, "%s: %s", home->path, strerrordesc_np(errno));
    return folder;
}

static int check_controllers(int folder, struct cgroup_home *home, struct error *err)
{
    char list[LIST_CAP];

    if (read_in(folder, "cgroup.controllers", list, sizeof list) < 0)
        return error_set(err, ERROR_UNAVAILABLE, "%s/cgroup.controllers: %s", home->path,
                         strerrordesc_np(errno));
    if (!has_word(list, "memory") || !has_word(list, "pids"))
        return error_set(err, ERROR_UNAVAILABLE, "%s has no controllers memory and pids",
                         home->path);
    home->cpu = has_word(list, "cpu");
    return 0;
}

/* Processes of another PID namespace have the number 0. */
static bool is_sole_process(int folder)
{
    char list[LIST_CAP], mine[32];

    snprintf(mine, sizeof mine, "%ld\n", (long)getpid());
    return read_in(folder, "cgroup.procs", list, sizeof list) == 0 && strcmp(list, mine) == 0;
}

static int move_to(int folder)
{
    return write_in(folder, "cgroup.procs", "0");
}

/* Moves this process to OWN/server. */
static int move_down(int folder, const char *path, struct error *err)
{
    if (!is_sole_process(folder))
        return error_set(err, ERROR_UNAVAILABLE,
                         "other processes share the control group %s, which must be the server's "
                         "alone",
                         path);
    if (mkdirat(folder, SERVER_NAME, 0755) < 0 && errno != EEXIST)
        return error_set(err, ERROR_UNAVAILABLE,
                         "this server may not make control groups in %s: %s", path,
                         strerrordesc_np(errno));
    cleanup_fd int server = open_folder(folder, SERVER_NAME);
    if (server >= 0 && move_to(server) == 0)
        return 0;
    error_set(err, ERROR_UNAVAILABLE, "this server cannot move to %s/" SERVER_NAME ": %s", path,
              strerrordesc_np(errno));
    unlinkat(folder, SERVER_NAME, AT_REMOVEDIR);
    return -1;
}

static int enable_controllers(int folder, struct cgroup_home *home, struct error *err)
{
    if (write_in(folder, "cgroup.subtree_control", "+memory +pids") < 0)
        return error_set(err, ERROR_UNAVAILABLE,
                         "this server may not bound control groups in %s: %s", home->path,
                         strerrordesc_np(errno));
    home->cpu = home->cpu && write_in(folder, "cgroup.subtree_control", "+cpu") == 0;
    return 0;
}

/* Whether a group with bounds can be made. */
static int try_out(int folder, const struct cgroup_home *home, struct error *err)
{
    char name[32];
    int rc, why;

    snprintf(name, sizeof name, "trial-%ld", (long)getpid());
    rc = mkdirat(folder, name, 0755);
    cleanup_fd int group = rc < 0 ? -1 : open_folder(folder, name);
    if (rc == 0)
        rc = set_bounds(group, home, TRIAL_MB);
    why = errno;
    unlinkat(folder, name, AT_REMOVEDIR);
    return rc == 0 ? 0
                   : error_set(err, ERROR_UNAVAILABLE,
                               "control groups in %s cannot be bounded, which needs Linux 5.14: %s",
                               home->path, strerrordesc_np(why));
}

/* systemd takes the controllers away again from a group that it has not delegated, and marks those
 * that it has (https://systemd.io/CGROUP_DELEGATION/). */
static int check_delegation(int folder, const struct cgroup_home *home, struct error *err)
{
    char mark[8];

    if (access("/run/systemd/system", F_OK) < 0 ||
        fgetxattr(folder, "user.delegate", mark, sizeof mark) > 0 ||
        fgetxattr(folder, "trusted.delegate", mark, sizeof mark) > 0)
        return 0;
    return error_set(err, ERROR_UNAVAILABLE,
                     "systemd has not delegated the control group %s to this server", home->path);
}

static void move_back(int folder)
{
    write_in(folder, "cgroup.subtree_control", "-memory -pids");
    write_in(folder, "cgroup.subtree_control", "-cpu");
    if (move_to(folder) == 0)
        unlinkat(folder, SERVER_NAME, AT_REMOVEDIR);
}

static int prepare_own(int folder, struct cgroup_home *home, struct error *err)
{
    bool is_root = faccessat(folder, "cgroup.type", F_OK, 0) < 0;

    if (check_controllers(folder, home, err) < 0 || check_delegation(folder, home, err) < 0 ||
        (!is_root && move_down(folder, home->path, err) < 0))
        return -1;
    if (enable_controllers(folder, home, err) == 0 && try_out(folder, home, err) == 0)
        return 0;
    if (!is_root)
        move_back(folder);
    return -1;
}

const struct cgroup_home *cgroup_home(struct error *err)
{
    pthread_mutex_lock(&own.lock);
    if (!own.asked) {
        cleanup_fd int folder = open_own(&own.home, &own.why);

        own.asked = true;
        if (folder >= 0 && prepare_own(folder, &own.home, &own.why) == 0)
            own.folder = steal_fd(&folder);
    }
    pthread_mutex_unlock(&own.lock);
    if (own.folder >= 0)
        return &own.home;
    error_set(err, own.why.kind, "%s", own.why.text);
    return NULL;
}

/* ---- those of the sandboxes ---- */

int cgroup_make(struct cgroup *made, const char *owner, unsigned memory_mb, struct error *err)
{
    static atomic_ulong count;

    *made = (struct cgroup){.folder = -1, .procs = -1};
    if (!cgroup_home(NULL))
        return 0;
    snprintf(made->name, sizeof made->name, SANDBOX_PREFIX "%s-%lu", owner,
             atomic_fetch_add(&count, 1));
    for (char *at = made->name; *at; at++)
        *at = (char)(*at == '/' ? '_' : *at);
    if (mkdirat(own.folder, made->name, 0755) < 0) {
        error_set(err, ERROR_UNAVAILABLE, "%s/%s: %s", own.home.path, made->name,
                  strerrordesc_np(errno));
        made->name[0] = '\0';
        return -1;
    }
    made->folder = open_folder(own.folder, made->name);
    if (made->folder >= 0 && set_bounds(made->folder, &own.home, memory_mb) == 0)
        made->procs = openat(made->folder, "cgroup.procs", O_WRONLY | O_CLOEXEC);
    if (made->procs >= 0)
        return 0;
    error_set(err, ERROR_UNAVAILABLE, "the bounds of %s/%s cannot be set: %s", own.home.path,
              made->name, strerrordesc_np(errno));
    cgroup_end(made);
    return -1;
}

int cgroup_settle(const struct cgroup *group, struct error *err)
{
    char text[64];

    if (group->folder < 0 || !own.home.cpu)
        return 0;
    snprintf(text, sizeof text, "%d 100000", SANDBOX_NANO_CPUS / 10000);
    if (write_in(group->folder, "cpu.max", text) < 0 ||
        write_number(group->folder, "cpu.weight", weight_of(SANDBOX_SHARES_RUNNING)) < 0)
        return error_set(err, ERROR_UNAVAILABLE, "%s/%s: %s", own.home.path, group->name,
                         strerrordesc_np(errno));
    return 0;
}

/* The folder cannot be removed before the last process is gone. */
static int remove_folder(const char *name)
{
    const struct timespec pause = {.tv_nsec = REMOVE_PAUSE};

    for (int try = 0; try < REMOVE_TRIES; try++) {
        if (unlinkat(own.folder, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
            return 0;
        if (errno != EBUSY)
            break;
        nanosleep(&pause, NULL);
    }
    log_warning("executor", "%s/%s is left to the next start: %s", own.home.path, name,
                strerrordesc_np(errno));
    return -1;
}

void cgroup_end(struct cgroup *group)
{
    if (group->name[0]) {
        if (group->folder >= 0)
            write_in(group->folder, "cgroup.kill", "1");
        remove_folder(group->name);
    }
    if (group->folder >= 0)
        close(group->folder);
    if (group->procs >= 0)
        close(group->procs);
    *group = (struct cgroup){.folder = -1, .procs = -1};
}

/* Whether the name is that of a sandbox of a dead owner. */
static bool is_orphan(const char *name)
{
    char label[CGROUP_NAME_CAP];
    const char *number = strrchr(name, '-');
    size_t prefix = strlen(SANDBOX_PREFIX);

    if (strncmp(name, SANDBOX_PREFIX, prefix) != 0 || number < name + prefix ||
        (size_t)(number - name) >= sizeof label)
        return false;
    snprintf(label, sizeof label, "%.*s", (int)(number - name - (ptrdiff_t)prefix), name + prefix);
    for (char *at = label; *at; at++)
        *at = (char)(*at == '_' ? '/' : *at);
    return owner_is_dead(label);
}

size_t cgroup_orphans_end(void)
{
    int folder = cgroup_home(NULL) ? open_folder(own.folder, ".") : -1;
    cleanup_dir DIR *groups = folder < 0 ? NULL : fdopendir(folder);
    struct dirent *entry;
    size_t ended = 0;

    /* The stream is local. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    while (groups && (entry = readdir(groups))) {
        if (is_orphan(entry->d_name)) {
            cleanup_fd int group = open_folder(own.folder, entry->d_name);

            write_in(group, "cgroup.kill", "1");
            ended += remove_folder(entry->d_name) == 0;
        }
    }
    return ended;
}
