/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The subcommands of the binary: one file for each, and one const table of all (commands.c).
 */
#ifndef LECTERN_COMMAND_H
#define LECTERN_COMMAND_H

#include <stdbool.h>

#include "mcp/command/config.h"
#include "mcp/format/format.h"
#include "mcp/store/store.h"

/* Exit statuses. The last five are of exec, grade and solve: refused, a question back, timeout, no
 * engine or model, a signal. */
enum {
    EXIT_OK = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_REFUSED = 3,
    EXIT_ASK = 4,
    EXIT_TIMEOUT = 124,
    EXIT_NO_ENGINE = 127,
    EXIT_SIGNAL = 128 /* and the signal's number, as shells have it */
};

struct command {
    const char *name;
    const char *usage;   /* "[--profile P] [--json] [FILE...]" */
    const char *summary; /* one line */
    enum config_command options;
    size_t least_words, most_words; /* number of arguments: a FILE, a query, ... */
    const char *words_needed;       /* the error for too few or too many; NULL if it takes none */
    void (*help)(struct buf *to);   /* writes the text of --help before the options; may be NULL */
    /* Returns the exit status. An error in err is printed to stderr; a command may also print it
     * itself. */
    int (*run)(const struct config *config, struct error *err);
};

extern const struct command command_serve, command_stdio, command_validate, command_exec,
    command_graph, command_import, command_export, command_demo, command_doctor, command_image,
    command_backup, command_sessions, command_rename, command_delete, command_token,
    command_sandbox, command_grade, command_learner, command_solve, command_trace;

extern const struct command *const commands[]; /* all of them, then NULL */

/* Prints "lectern exec: text" to stderr. */
void command_fail(const char *name, const struct error *err);

/* The format named by --format, else by the path. NULL with an error that lists the names. */
const struct format *command_format(const struct config *config, const char *path,
                                    struct error *err);
/* Prints it to stderr; how: "read" or "written". */
void command_report(const struct findings *report, const char *how);

/* The id of the session that the user has named, by its id or its title; NULL: of the only one. */
int command_session(struct store *store, const char *named, char sid[SESSION_ID_SIZE],
                    struct error *err);
/* The same for --session; "" without it. */
int command_option_session(const struct config *config, char sid[SESSION_ID_SIZE],
                           struct error *err);

/* Before a deletion: a person at a terminal types the name of what is deleted; elsewhere it takes
 * --yes. what: "\"Ratios\" with its history"; noun: "title". */
int command_confirm(const struct config *config, const char *what, const char *name,
                    const char *noun, struct error *err);

static inline void command_close_store(struct store **store)
{
    store_close(*store);
}
#define cleanup_store __attribute__((cleanup(command_close_store))) /* ignores NULL */

/* The folder of the pinned Python, which is brought if it is not there: executor/pinned/pinned.h.
 * An error names its cure. */
int command_fetch_python(const struct config *config, char *path, size_t size, struct error *err);

/* Imports the demo if the store has no session. sid (may be NULL) gets the id of the demo's
 * session, or "" if the store has only other curricula. */
int demo_load(const struct config *config, char sid[SESSION_ID_SIZE], struct error *err);

#endif
