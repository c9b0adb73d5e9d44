/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/runner.h"

#include <stdio.h>
#include <string.h>

#include "helpers/base/log.h"

/* Of the runner; it sets the interpreter's environment itself. */
const char *const runner_environment[] = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=/tmp", NULL};

int runner_command_build(struct runner_command *command, const struct execution_kind *kind,
                         const char *channel, const char *python_root, struct error *err)
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
    if (kind->isolation != ISOLATION_EXECUTION) {
        command->argv[argc++] = "--isolation";
        command->argv[argc++] = "session";
    }
    if (channel) {
        command->argv[argc++] = "--channel";
        command->argv[argc++] = channel;
    }
    command->argv[argc++] = "--python-root";
    command->argv[argc++] = python_root;
    return 0;
}

/* ---- its standard error ---- */

void runner_stderr_add(struct runner_stderr *tail, const char *bytes, size_t len)
{
    log_debug("executor", "runner: %.*s", (int)(len < LOG_LINE_CAP ? len : LOG_LINE_CAP), bytes);
    if (len > RUNNER_STDERR_KEPT) {
        bytes += len - RUNNER_STDERR_KEPT;
        len = RUNNER_STDERR_KEPT;
    }
    if (tail->len + len > RUNNER_STDERR_KEPT) {
        size_t gone = tail->len + len - RUNNER_STDERR_KEPT;

        memmove(tail->kept, tail->kept + gone, tail->len - gone);
        tail->len -= gone;
    }
    memcpy(tail->kept + tail->len, bytes, len);
    tail->len += len;
}

const char *runner_stderr_line(struct runner_stderr *tail)
{
    char *line = tail->line;
    size_t len = tail->len, to = 0;

    while (len > 0 && tail->kept[len - 1] == '\n')
        len--;
    for (size_t i = 0; i < len; i++) {
        char c = tail->kept[i];

        if (c == '\n') {
            memcpy(line + to, " / ", 3);
            to += 3;
        } else {
            if (c < ' ' || c > '~')
                c = '?';
            line[to++] = c;
        }
    }
    line[to] = '\0';
    return line;
}
