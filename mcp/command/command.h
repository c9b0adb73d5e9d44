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
    size_t least_words, most_words; /* behind its options: a FILE, a query, ... */
    const char *words_needed;       /* what is said to fewer or more; NULL where it takes none */
    void (*help)(struct buf *to);   /* what --help says before the options; may be NULL */
    /* The exit status. What is in err is then said on stderr; a command may also say it itself. */
    int (*run)(const struct config *config, struct error *err);
};

extern const struct command command_serve, command_stdio, command_validate, command_exec,
    command_graph, command_import, command_export, command_demo, command_doctor, command_image,
    command_backup, command_sessions, command_rename, command_delete;

/* "lectern exec: text" on stderr. */
void command_fail(const char *name, const struct error *err);

/* The form that --format names, else the one the path looks like; NULL with the names there are. */
const struct format *command_format(const struct config *config, const char *path,
                                    struct error *err);
/* What a form has to say, on stderr; losses: what happened to those things it counts. */
void command_format_report(const struct format_report *report, const char *losses);

/* 0 where --session was not given, or names a session that exists. */
int command_check_session(const struct config *config, struct error *err);

static inline void command_close_store(struct store **store)
{
    store_close(*store);
}
#define cleanup_store __attribute__((cleanup(command_close_store))) /* NULL: nothing */

/* Imports the demo where the store has no session at all. sid (may be NULL) gets the id of the
 * demo's session, "" where the store holds other curricula only. */
int demo_load(const struct config *config, char sid[SESSION_ID_SIZE], struct error *err);

#endif
