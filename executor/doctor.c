/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What works on this machine to run code, and the command that fixes what does not: a row a check.
 * Blocks; runs on the thread that asks.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "executor/doctor_rows.h"

struct executor_check *doctor_add(struct doctor_rows *rows, const char *name, bool ok,
                                  const char *fix, const char *format, ...)
{
    struct executor_check *row = &rows->rows[rows->count++];
    va_list args;

    *row = (struct executor_check){.name = name, .ok = ok};
    va_start(args, format);
    vsnprintf(row->text, sizeof row->text, format, args);
    va_end(args);
    snprintf(row->fix, sizeof row->fix, "%s", ok ? "" : fix);
    return row;
}

/* One engine of the two is enough; one that was asked for by name is needed. */
static bool is_needed(const struct executor_config *config, enum executor_engine engine,
                      bool other_works)
{
    return config->engine == engine || (config->engine == EXECUTOR_AUTO && !other_works);
}

/* Rows whose lack leaves a layer out, but runs code all the same. */
static bool is_a_must(const char *name)
{
    static const char *const musts[] = {"docker daemon", "sandbox image", "docker runtime",
                                        "bubblewrap", "python modules"};

    for (size_t i = 0; i < sizeof musts / sizeof *musts; i++) {
        if (strcmp(name, musts[i]) == 0)
            return true;
    }
    return false;
}

size_t executor_doctor(const struct executor_config *config, struct executor_check *checks,
                       size_t cap)
{
    struct doctor_rows all = {.count = 0};
    bool docker = doctor_docker(&all, config), local;
    size_t of_docker = all.count, of_local, count;

    local = doctor_local(&all, config);
    of_local = all.count;
    doctor_machine(&all);
    for (size_t i = 0; i < of_local; i++)
        all.rows[i].needed = is_a_must(all.rows[i].name) &&
                             (i < of_docker ? is_needed(config, EXECUTOR_DOCKER, local)
                                            : is_needed(config, EXECUTOR_LOCAL, docker));
    count = all.count < cap ? all.count : cap;
    memcpy(checks, all.rows, count * sizeof *checks);
    return count;
}
