/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/runner_command.h"

#include <stdio.h>
#include <string.h>

/* The runner's own; the interpreter's is made by the runner. */
const char *const runner_environment[] = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=/tmp", NULL};

int runner_command_build(struct runner_command *command, const struct execution_kind *kind,
                         struct error *err)
{
    size_t used = 0, argc = 0;

    memset(command, 0, sizeof *command);
    for (const char *const *name = kind->preload; *name; name++) {
        int len = snprintf(command->preload + used, sizeof command->preload - used, "%s%s",
                           used ? "," : "", *name);

        if (len < 0 || (size_t)len >= sizeof command->preload - used)
            return error_set(err, ERROR_INTERNAL, "kind %s names more modules than fit",
                             kind->name);
        used += (size_t)len;
    }
    snprintf(command->memory, sizeof command->memory, "%u", kind->memory_mb);
    command->argv[argc++] = RUNNER_FOLDER "/runner";
    command->argv[argc++] = "--kind";
    command->argv[argc++] = kind->name;
    command->argv[argc++] = "--memory-mb";
    command->argv[argc++] = command->memory;
    command->argv[argc++] = "--preload";
    command->argv[argc++] = command->preload;
    if (kind->isolation == ISOLATION_SESSION) {
        command->argv[argc++] = "--isolation";
        command->argv[argc++] = "session";
    }
    return 0;
}
