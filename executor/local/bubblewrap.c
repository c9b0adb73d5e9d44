/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The runner under bubblewrap: its own namespaces (no network, no other processes, its own
 * session), an empty read-only root with the pinned Python mounted read-only, 16 MB of /tmp, and no
 * capabilities; its user is nobody. For the kernel that is the user of the server, or, if the
 * server is root, a user of the sandbox's own (sandbox_user.h), which calls bubblewrap.
 */
#include <stdio.h>
#include <unistd.h>

#include "executor/local/local_machine.h"
#include "executor/local/spawn.h"

static int find_bwrap(struct local_setup *setup, struct error *err)
{
    static const char *const folders[] = {"/usr/bin", "/usr/local/bin", "/bin"};

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(setup->bwrap, sizeof setup->bwrap, "%s/bwrap", folders[i]);
        if (access(setup->bwrap, X_OK) == 0)
            return 0;
    }
    return error_set(err, ERROR_UNAVAILABLE,
                     "bubblewrap is not installed: apt-get install bubblewrap");
}

/* Whether a sandbox with only Python starts. */
static int try_out(const struct local_setup *setup, struct error *err)
{
    static const char *const command[] = {"/usr/bin/python3.11", "--version", NULL};
    struct local_setup empty = *setup;
    struct local_plan plan;

    empty.file_count = 0;
    return local_plan_build(&plan, &empty, command, err) < 0 ? -1 : spawn_trial(&plan, &empty, err);
}

static int look(struct local_setup *setup, const char *share_dir, struct error *err)
{
    struct local_userns userns = local_userns_look("/proc/sys");
    struct error why = {0};

    (void)share_dir;
    if (find_bwrap(setup, err) < 0)
        return -1;
    if (try_out(setup, &why) == 0)
        return 0;
    if (userns.fix)
        return error_set(err, ERROR_UNAVAILABLE, "%s; %s: %s", why.text, userns.text, userns.fix);
    return error_set(err, ERROR_UNAVAILABLE,
                     "%s; %s, so where this is a container its seccomp profile may: run it with "
                     "--security-opt seccomp=unconfined, or use Docker from it",
                     why.text, userns.text);
}

static void describe(const struct local_setup *setup, char *text, size_t size)
{
    const char *user = geteuid() == 0 ? "a separate user" : "the user of the server";

    (void)setup;
    snprintf(text, size,
             "code runs under bubblewrap on this machine as nobody (outside, %s): separate "
             "namespaces, no network, "
             "read-only root, no capability, seccomp and Landlock by the runner",
             user);
}

const struct local_way local_way_bubblewrap = {"", look, local_plan_build, describe};
