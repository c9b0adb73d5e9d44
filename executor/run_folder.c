/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/run_folder.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Others may write to the folder above, so the name may be theirs. */
static bool make_own(const char *path)
{
    struct stat status;

    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        return false;
    if (lstat(path, &status) < 0)
        return false;
    if (S_ISDIR(status.st_mode) && status.st_uid == geteuid() && (status.st_mode & 077) == 0)
        return true;
    errno = EPERM;
    return false;
}

int run_folder(char path[RUN_FOLDER_CAP], struct error *err)
{
    const char *of_user = getenv("XDG_RUNTIME_DIR"); // NOLINT(concurrency-mt-unsafe): never changed
    const char *temporary = getenv("TMPDIR");        // NOLINT(concurrency-mt-unsafe): never changed
    const char *above = geteuid() == 0 ? "/run" : of_user;
    int len;

    if (above && above[0] == '/') {
        len = snprintf(path, RUN_FOLDER_CAP, "%s/lectern", above);
        if (len < RUN_FOLDER_CAP && make_own(path))
            return 0;
    }
    len = snprintf(path, RUN_FOLDER_CAP, "%s/lectern-%u",
                   temporary && temporary[0] == '/' ? temporary : "/tmp", (unsigned)geteuid());
    if (len < RUN_FOLDER_CAP && make_own(path))
        return 0;
    return error_set(err, ERROR_UNAVAILABLE, "%s cannot be the run folder of this server: %s", path,
                     strerrordesc_np(len < RUN_FOLDER_CAP ? errno : ENAMETOOLONG));
}
