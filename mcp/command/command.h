/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The subcommands of the binary: one file each, one const table of all (command.c).
 */
#ifndef LECTERN_COMMAND_H
#define LECTERN_COMMAND_H

#include <stdbool.h>

#include "mcp/command/config.h"
#include "mcp/format/format.h"
#include "mcp/store/store.h"

/* Exit statuses. exec has its own beside these: 3 refused, 124 timeout, 127 no engine. */
enum {
    EXIT_OK = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_REFUSED = 3,
    EXIT_TIMEOUT = 124,
    EXIT_NO_ENGINE = 127
};

struct command {
    const char *name;
    const char *usage;   /* "[--profile P] [--json] [FILE...]" */
    const char *summary; /* one line */
    enum config_command options;
    bool takes_words;             /* behind its options: a FILE, a query, ... */
    void (*help)(struct buf *to); /* what --help says before the options; may be NULL */
    int (*run)(
        const struct config *config); /* the exit status; it has said what was wrong on stderr */
};

extern const struct command *const commands[]; /* NULL-terminated */

extern const struct command command_serve, command_stdio, command_validate, command_exec,
    command_graph, command_import, command_export, command_demo, command_doctor, command_image,
    command_backup, command_sessions, command_rename, command_delete;

/* "lectern exec: text" on stderr; returns status. */
int command_fail(const char *name, int status, const struct error *err);

/* The form that --format names, else the one the path looks like; NULL with the names there are. */
const struct format *command_format(const struct config *config, const char *path,
                                    struct error *err);
/* What a form has to say, on stderr; losses: what happened to those things it counts. */
void command_format_report(const struct format_report *report, const char *losses);

/* Reads a whole file, or stdin for "-", up to cap bytes. */
int command_read_file(const char *path, size_t cap, struct buf *to, struct error *err);

/* Imports the demo where the store has no session at all. sid (may be NULL) gets the id of the
 * demo's session, "" where the store holds other curricula only. */
int demo_load(const struct config *config, char sid[SESSION_ID_SIZE], struct error *err);

#endif
