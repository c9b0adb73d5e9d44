/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Checks what this machine can use to run code: one row for each check, with the command that fixes
 * it. A sandbox of each engine that works, or of the one in the configuration, reports which layers
 * hold inside it. Blocks; runs on the calling thread.
 */
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "executor/docker/docker_daemon.h"
#include "executor/docker/docker_seccomp.h"
#include "executor/engine.h"
#include "executor/local/cgroup.h"
#include "executor/local/local_machine.h"
#include "executor/local/process_host.h"
#include "executor/pinned/pinned.h"
#include "executor/trial.h"

#define LANDLOCK_USED 6 /* the newest ABI that the runner uses: image/runner/landlock.c */
#define LANDLOCK_WHOLE                                                                             \
    3 /* the oldest ABI that covers all accesses to files, including truncation */

#define DOCTOR_ROWS_CAP 24u

struct doctor_rows {
    struct executor_check rows[DOCTOR_ROWS_CAP];
    size_t count;
};

/* Adds a row with needed = false; fix is used only if it is not ok. */
__attribute__((format(printf, 5, 6))) static void add_row(struct doctor_rows *rows,
                                                          const char *name, bool ok,
                                                          const char *fix, const char *format, ...)
{
    struct executor_check *row = &rows->rows[rows->count++];
    va_list args;

    *row = (struct executor_check){.name = name, .ok = ok};
    va_start(args, format);
    vsnprintf(row->text, sizeof row->text, format, args);
    va_end(args);
    snprintf(row->fix, sizeof row->fix, "%s", ok ? "" : fix);
}

/* ---- rows that are needed ---- */

enum { DOCKER, BUBBLEWRAP, PROCESS, ENGINES };

/* Rows without which an engine cannot run code. The failure of any other row only disables a layer.
 */
static const struct must {
    const char *name;
    bool of[ENGINES];
} musts[] = {
    {"docker daemon", {[DOCKER] = true}},
    {"sandbox image", {[DOCKER] = true}},
    {"docker runtime", {[DOCKER] = true}},
    {"docker trial", {[DOCKER] = true}},
    {"bubblewrap", {[BUBBLEWRAP] = true}},
    {"bubblewrap trial", {[BUBBLEWRAP] = true}},
    {"process", {[PROCESS] = true}},
    {"process trial", {[PROCESS] = true}},
    {"python", {[BUBBLEWRAP] = true, [PROCESS] = true}},
};

static const struct must *find_must(const char *name)
{
    for (size_t i = 0; i < sizeof musts / sizeof *musts; i++) {
        if (strcmp(musts[i].name, name) == 0)
            return &musts[i];
    }
    return NULL;
}

/* Whether all of that engine's rows are ok. */
static bool engine_works(const struct doctor_rows *rows, int engine)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct must *must = find_must(rows->rows[i].name);

        if (must && must->of[engine] && !rows->rows[i].ok)
            return false;
    }
    return true;
}

/* ---- from inside a sandbox ---- */

/* The names of the rows of one engine. */
struct inside_names {
    const char *trial, *landlock, *execve;
};
static const struct inside_names inside_docker = {"docker trial", "docker landlock",
                                                  "docker execve"};
static const struct inside_names inside_local = {"bubblewrap trial", "bwrap landlock",
                                                 "bwrap execve"};
static const struct inside_names inside_process = {"process trial", "process landlock",
                                                   "process execve"};

/* The accesses that an older ABI of Landlock does not cover, and the Linux whose ABI does. */
static const struct lack {
    int below;
    const char *text, *fix;
} lacks[] = {
    {LANDLOCK_WHOLE, "truncating files, TCP, devices and signals are left to the other layers",
     "Linux 6.12 or newer (TCP: 6.7, truncating files: 6.2)"},
    {4, "TCP, devices and signals are left to the other layers", "Linux 6.12 or newer (TCP: 6.7)"},
    {LANDLOCK_USED, "signals and abstract sockets are left to the other layers",
     "Linux 6.12 or newer"},
};

static void check_inside(struct doctor_rows *rows, const struct inside_names *names,
                         const struct engine *engine, void *state)
{
    struct error err = {0};
    struct trial trial;
    size_t row = 0;

    if (trial_run(engine, state, &trial, &err) < 0) {
        add_row(rows, names->trial, false, "", "%s", err.text);
        return;
    }
    add_row(rows, names->trial, true, "", "a sandbox was ready after %u.%02u s: Python %s, seccomp",
            trial.ms / 1000, trial.ms % 1000 / 10, trial.python);
    while (row < sizeof lacks / sizeof *lacks && trial.landlock_abi >= lacks[row].below)
        row++;
    if (row < sizeof lacks / sizeof *lacks)
        add_row(rows, names->landlock, false, lacks[row].fix, "inside, ABI %d: %s",
                trial.landlock_abi, lacks[row].text);
    else
        add_row(rows, names->landlock, true, "",
                "inside, ABI %d: files, TCP, devices and signals are covered", trial.landlock_abi);
    add_row(rows, names->execve, trial.exec_once,
            "Linux 5.5 or newer, and no other filter that asks a process",
            trial.exec_once ? "inside, the runner lets one execve through, that of Python"
                            : "inside, Python can call execve until it is warm; Landlock decides "
                              "which programs");
}

/* Whether the configuration can select this engine, so that its layers matter. */
static bool is_candidate(const struct executor_config *config, enum executor_engine engine)
{
    return config->engine == EXECUTOR_AUTO || config->engine == engine;
}

/* ---- Docker ---- */

/* When an image was built, in seconds since 1970; 0 if unreadable. */
static time_t image_time(const char *created)
{
    struct tm time = {0};

    return strptime(created, "%Y-%m-%dT%H:%M:%S", &time) ? timegm(&time) : 0;
}

/* Finds a file beside the runner that is newer than that; false if there is none. */
static bool find_newer(const char *share_dir, time_t than, char *name, size_t size)
{
    DIR *folder = share_dir ? opendir(share_dir) : NULL;
    struct dirent *entry;
    struct stat status;
    char path[4096];
    bool found = false;

    while (folder && !found &&
           (entry = readdir(folder))) { // NOLINT(concurrency-mt-unsafe): this thread's own folder
        snprintf(path, sizeof path, "%s/%s", share_dir, entry->d_name);
        found = entry->d_name[0] != '.' && stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
                status.st_mtime > than;
        if (found)
            snprintf(name, size, "%s", entry->d_name);
    }
    if (folder)
        closedir(folder);
    return found;
}

static void check_image(struct doctor_rows *rows, const struct executor_config *config,
                        struct docker_daemon *daemon)
{
    const char *name = config->docker_image ? config->docker_image : "";
    struct docker_image image;
    struct error err = {0};
    char newer[256];
    time_t made;

    if (!name[0] || docker_find_image(daemon, &image, &err) < 0) {
        add_row(rows, "sandbox image", false, "make image", "%s",
                name[0] ? err.text : "none is named: --image");
        return;
    }
    made = image_time(image.created);
    if (made > 0 && find_newer(config->share_dir, made, newer, sizeof newer))
        add_row(rows, "sandbox image", true, "",
                "%s of %.19s is there, but older than %s/%.64s: make image (where nothing has "
                "changed it keeps the image)",
                name, image.created, config->share_dir, newer);
    else
        add_row(rows, "sandbox image", true, "", "%s of %.19s is there", name, image.created);
}

static void check_runtime(struct doctor_rows *rows, const char *asked,
                          const struct docker_info *info)
{
    /* A shim of containerd need not be registered: its name is that of its binary, with dots. */
    bool ok = !asked || !asked[0] || !info->runtimes[0] || strchr(asked, '.') ||
              docker_info_has_runtime(info, asked);

    if (ok)
        add_row(rows, "docker runtime", true, "", "%s; the daemon has %s",
                asked && asked[0]          ? asked
                : info->default_runtime[0] ? info->default_runtime
                                           : "the default",
                info->runtimes[0] ? info->runtimes : "one that it does not name");
    else
        add_row(rows, "docker runtime", false,
                "install it and name it under \"runtimes\" in /etc/docker/daemon.json, or leave "
                "out --runtime",
                "the daemon has no runtime %s, only %s", asked, info->runtimes);
}

static void check_limits(struct doctor_rows *rows, const struct docker_info *info)
{
    char missing[64], groups[128];

    docker_info_missing(info, missing, sizeof missing);
    snprintf(groups, sizeof groups, "control groups version %s by %s%s",
             info->cgroup_version[0] ? info->cgroup_version : "unknown",
             info->cgroup_driver[0] ? info->cgroup_driver : "an unknown driver",
             info->rootless ? ", rootless" : "");
    if (missing[0])
        add_row(rows, "docker limits", false,
                info->rootless ? "control groups version 2, delegated to the user: "
                                 "https://rootlesscontaine.rs/getting-started/common/cgroup2/"
                               : "a kernel with these control groups, mounted",
                "%s: the daemon holds no limit of %s; the runner's own limits and deadlines "
                "stand in",
                groups, missing);
    else
        add_row(rows, "docker limits", true, "",
                "%s: memory, CPU and number of processes are held; %s weight of block I/O", groups,
                info->limits.block_io ? "a low" : "no");
}

static void check_seccomp(struct doctor_rows *rows, const struct docker_info *info)
{
    const char *users = info->userns ? "; containers have a user namespace" : "";
    const char *armor = info->apparmor ? ", and AppArmor" : "";

    if (info->own_seccomp)
        add_row(rows, "docker seccomp", true, "",
                "Lectern's profile of %zu system calls around the runner's own filter%s%s",
                docker_seccomp_count(), armor, users);
    else if (info->seccomp[0] && strcmp(info->seccomp, "unconfined") != 0)
        add_row(rows, "docker seccomp", true, "",
                "the daemon's profile %s around the runner's own filter%s%s; Podman takes none "
                "with a request",
                info->seccomp, armor, users);
    else
        add_row(rows, "docker seccomp", false,
                "a kernel and a daemon with seccomp (docker info names it)",
                "the daemon sets no seccomp profile; the runner's own filter holds alone%s", users);
}

static void check_info(struct doctor_rows *rows, const struct executor_config *config,
                       struct docker_daemon *daemon)
{
    struct docker_info info;
    struct error err = {0};

    if (docker_ask_info(daemon, &info, &err) < 0) {
        add_row(rows, "docker limits", false, "", "the daemon does not say: %s", err.text);
    } else {
        check_runtime(rows, config->docker_runtime, &info);
        check_limits(rows, &info);
        check_seccomp(rows, &info);
    }
}

static void check_docker_inside(struct doctor_rows *rows, const struct executor_config *config)
{
    struct error err = {0};
    void *state = engine_docker.open(config, &err);

    if (state && engine_docker.works(state, &err) == 0)
        check_inside(rows, &inside_docker, &engine_docker, state);
    else
        add_row(rows, inside_docker.trial, false, "", "%s", err.text);
    if (state)
        engine_docker.close(state);
}

static void check_docker(struct doctor_rows *rows, const struct executor_config *config)
{
    struct error err = {0};
    struct docker_daemon *daemon =
        docker_daemon_create(config->docker_host, config->docker_image, NULL, &err);
    char server[160];

    if (!daemon || docker_hello(daemon, &err) < 0) {
        add_row(rows, "docker daemon", false,
                "apt-get install docker.io, or point DOCKER_HOST to a daemon", "%s", err.text);
        add_row(rows, "sandbox image", false, "make image", "%s: no daemon to ask",
                config->docker_image ? config->docker_image : "none is named");
    } else {
        docker_daemon_server(daemon, server, sizeof server);
        add_row(rows, "docker daemon", true, "", "%s at %s", server, docker_daemon_address(daemon));
        check_image(rows, config, daemon);
        check_info(rows, config, daemon);
        if (is_candidate(config, EXECUTOR_DOCKER) && engine_works(rows, DOCKER))
            check_docker_inside(rows, config);
    }
    docker_daemon_destroy(daemon);
}

/* ---- bubblewrap, and the runner alone ---- */

static void check_engine(struct doctor_rows *rows, const char *name, const struct engine *engine,
                         const struct inside_names *inside, const char *fix,
                         const struct executor_config *config)
{
    char text[ENGINE_DESCRIPTION_CAP];
    struct error err = {0};
    void *state = engine->open(config, &err);
    bool works = state && engine->works(state, &err) == 0;

    if (works && config->engine == EXECUTOR_AUTO &&
        engine_may_be_chosen(engine, config, &err) < 0) {
        add_row(rows, name, false, "--sandbox process", "%s", err.text);
    } else if (works) {
        engine->describe(state, text, sizeof text);
        add_row(rows, name, true, "", "%s", text);
        if (is_candidate(config, engine == &engine_local ? EXECUTOR_LOCAL : EXECUTOR_PROCESS))
            check_inside(rows, inside, engine, state);
    } else {
        add_row(rows, name, false, fix, "%s", err.text);
    }
    if (state)
        engine->close(state);
}

static void check_userns(struct doctor_rows *rows)
{
    struct local_userns userns = local_userns_look("/proc/sys");

    add_row(rows, "user namespaces", !userns.fix, userns.fix ? userns.fix : "", "%s", userns.text);
}

/* ---- Python ---- */

static void check_python(struct doctor_rows *rows, const struct executor_config *config)
{
    char lock[4096], path[4096], command[256];
    struct pinned_options options = {
        .lock = lock, .cache = config->cache, .added = config->added_lock};
    struct error err = {0};

    pinned_fetch_command(&options, command, sizeof command);
    snprintf(lock, sizeof lock, "%s/python.lock", config->share_dir ? config->share_dir : "");
    if (pinned_folder(&options, path, sizeof path, &err) < 0)
        add_row(rows, "python", false, "make build", "%s", err.text);
    else if (access(path, F_OK) < 0)
        add_row(rows, "python", false, command, "the Python of local sandboxes is not in %.200s",
                path);
    else
        add_row(rows, "python", true, "", "that of local sandboxes is in %.200s", path);
}

/* ---- the kernel ---- */

static void check_landlock(struct doctor_rows *rows)
{
    int abi = process_host_look().landlock_abi;
    int used = abi < LANDLOCK_USED ? abi : LANDLOCK_USED;

    if (abi == 0)
        add_row(rows, "landlock", false, "a kernel with lsm=landlock (5.13 or newer)",
                "this kernel has no Landlock: code can read every file of its sandbox, which is "
                "only the system's");
    else
        add_row(rows, "landlock", true, "",
                "this kernel has ABI %d, of which %d is used: what code may read is limited by "
                "it%s",
                abi, used, abi < LANDLOCK_WHOLE ? "; truncating files is not (6.2 or newer)" : "");
}

static enum cgroup_kind mounted(void)
{
    char mounts[CGROUP_MOUNTS_CAP];

    cgroup_mounts(mounts);
    return cgroup_kind(mounts);
}

static void check_cgroup(struct doctor_rows *rows)
{
    enum cgroup_kind kind = mounted();

    add_row(rows, "control groups", kind != CGROUP_NONE, "mount -t cgroup2 none /sys/fs/cgroup",
            "of this machine: %s%s", cgroup_kind_text(kind),
            access("/sys/fs/cgroup/cgroup.controllers", R_OK) == 0 ? ", at /sys/fs/cgroup" : "");
}

/* The bounds of sandboxes without Docker; the row "docker limits" has those of containers. */
static void check_bounds(struct doctor_rows *rows)
{
    struct error why = {0};
    const struct cgroup_home *home = cgroup_home(&why);

    if (home)
        add_row(rows, "local limits", true, "",
                "of bubblewrap and process: control groups in %s bound memory and processes%s",
                home->path, home->cpu ? ", and CPU time to half a CPU" : "; deadlines bound time");
    else
        add_row(rows, "local limits", false,
                mounted() == CGROUP_V2
                    ? "systemd-run --scope -p Delegate=yes lectern serve, or Delegate=yes in the "
                      "server's unit"
                    : "a kernel with control groups of version 2 only "
                      "(systemd.unified_cgroup_hierarchy=1)",
                "of bubblewrap and process: memory, processes and time are bounded by limits of "
                "each process, the runner's watch of memory, and deadlines, not by control "
                "groups: %s",
                why.text);
}

static void check_machine(struct doctor_rows *rows)
{
    check_landlock(rows);
    check_cgroup(rows);
    check_bounds(rows);
}

/* ---- all ---- */

/* One engine is enough, but an engine selected by name is needed. */
static bool is_needed(const struct doctor_rows *rows, const struct executor_config *config,
                      const char *name)
{
    static const enum executor_engine asked[ENGINES] = {EXECUTOR_DOCKER, EXECUTOR_LOCAL,
                                                        EXECUTOR_PROCESS};
    const struct must *must = find_must(name);
    bool is_asked = false, other_works = false;

    for (int engine = 0; must && engine < ENGINES; engine++) {
        is_asked = is_asked || (must->of[engine] && config->engine == asked[engine]);
        other_works = other_works || (!must->of[engine] && engine_works(rows, engine));
    }
    return must && (is_asked || (config->engine == EXECUTOR_AUTO && !other_works));
}

size_t executor_doctor(const struct executor_config *config, struct executor_check *checks,
                       size_t cap)
{
    struct doctor_rows all = {.count = 0};
    size_t count;

    check_docker(&all, config);
    check_engine(&all, "bubblewrap", &engine_local, &inside_local, "make deps && make build",
                 config);
    check_userns(&all);
    check_engine(&all, "process", &engine_process, &inside_process, "Docker or bubblewrap", config);
    check_python(&all, config);
    check_machine(&all);
    for (size_t i = 0; i < all.count; i++)
        all.rows[i].needed = is_needed(&all, config, all.rows[i].name);
    count = all.count < cap ? all.count : cap;
    memcpy(checks, all.rows, count * sizeof *checks);
    return count;
}
