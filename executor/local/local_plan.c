/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/local/local_plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct local_limit local_limits[] = {
    {RLIMIT_CPU, LOCAL_CPU_SECONDS},
    {RLIMIT_CORE, 0},
    {RLIMIT_FSIZE, LOCAL_TMP_BYTES},
    {RLIMIT_NOFILE, LOCAL_FILES_OPEN},
};
const size_t local_limit_count = sizeof local_limits / sizeof *local_limits;

static void add(struct local_plan *plan, const char *word)
{
    if (plan->argc + 1 >= LOCAL_WORDS_CAP) {
        plan->full = true;
        return;
    }
    plan->argv[plan->argc++] = word;
    plan->argv[plan->argc] = NULL;
}

__attribute__((format(printf, 2, 3))) static void addf(struct local_plan *plan, const char *format,
                                                       ...)
{
    size_t room = LOCAL_TEXT_CAP - plan->text_len;
    char *word = plan->text + plan->text_len;
    va_list args;
    int len;

    va_start(args, format);
    len = vsnprintf(word, room, format, args);
    va_end(args);
    if (len < 0 || (size_t)len >= room) {
        plan->full = true;
        return;
    }
    plan->text_len += (size_t)len + 1;
    add(plan, word);
}

static void add_all(struct local_plan *plan, const char *const *words)
{
    for (; *words; words++)
        add(plan, *words);
}

/* The pinned Python is the root. The links are for programs that the kernel starts: they name their
 * loader by these paths. */
static void add_python(struct local_plan *plan, const struct local_setup *setup)
{
    add(plan, "--ro-bind");
    addf(plan, "%s/usr", setup->python);
    add_all(plan, (const char *const[]){"/usr", "--ro-bind", NULL});
    addf(plan, "%s/etc", setup->python);
    add_all(plan, (const char *const[]){"/etc", "--symlink", "usr/lib", "/lib", "--symlink",
                                        "usr/lib64", "/lib64", NULL});
}

/* The files are copied from open descriptors, so the user of the sandbox need not be able to read
 * their folder, and it is not visible inside. */
static void add_runner(struct local_plan *plan, const struct local_setup *setup)
{
    add_all(plan, (const char *const[]){"--perms", "0555", "--dir", RUNNER_FOLDER, NULL});
    for (size_t i = 0; i < setup->file_count; i++) {
        add_all(plan, (const char *const[]){"--perms", setup->files[i].mode, "--file", NULL});
        addf(plan, "%d", setup->files[i].fd);
        addf(plan, "%s/%s", RUNNER_FOLDER, setup->files[i].name);
    }
}

static void add_environment(struct local_plan *plan)
{
    for (const char *const *entry = runner_environment; *entry; entry++) {
        const char *equals = strchr(*entry, '=');

        add(plan, "--setenv");
        addf(plan, "%.*s", (int)(equals - *entry), *entry);
        add(plan, equals + 1);
    }
}

/* Puts the owner into bubblewrap's command line, visible to all. The variable is set and unset
 * again, so the sandbox does not contain it. */
static void add_owner(struct local_plan *plan, const struct local_setup *setup)
{
    if (setup->owner[0])
        add_all(plan, (const char *const[]){"--setenv", LOCAL_OWNER, setup->owner, "--unsetenv",
                                            LOCAL_OWNER, NULL});
}

int local_plan_build(struct local_plan *plan, const struct local_setup *setup,
                     const char *const *command, struct error *err)
{
    static const char *const no_environment[] = {NULL};

    memset(plan, 0, sizeof *plan);
    plan->user = setup->user;
    plan->files = plan->contained = true;
    plan->environment = no_environment;
    add(plan, setup->bwrap);
    add_all(plan, (const char *const[]){"--unshare-all", "--unshare-user", "--cap-drop", "ALL",
                                        "--new-session", "--die-with-parent", "--as-pid-1",
                                        "--clearenv", "--hostname", "sandbox", NULL});
    add_owner(plan, setup);
    add(plan, "--uid");
    addf(plan, "%u", RUNNER_USER);
    add(plan, "--gid");
    addf(plan, "%u", RUNNER_USER);
    add_python(plan, setup);
    add_all(plan, (const char *const[]){"--proc", "/proc", "--dev", "/dev", "--size", NULL});
    addf(plan, "%u", LOCAL_TMP_BYTES);
    add_all(plan, (const char *const[]){"--tmpfs", "/tmp", NULL});
    if (setup->file_count > 0)
        add_runner(plan, setup);
    add_environment(plan);
    /* The last mounts: bubblewrap's root and /dev are writable until here. */
    add_all(plan, (const char *const[]){"--remount-ro", "/dev", "--remount-ro", "/", "--chdir",
                                        "/tmp", "--", NULL});
    add_all(plan, command);
    if (plan->full)
        return error_set(err, ERROR_INTERNAL, "the plan of a local sandbox is longer than its cap");
    return 0;
}
