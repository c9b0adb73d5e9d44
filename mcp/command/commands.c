/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of the subcommands, in the order of `lectern --help` and the manual page.
 */
#include "mcp/command/command.h"

const struct command *const commands[] = {
    &command_serve,    &command_stdio,   &command_validate,
    &command_exec,     &command_solve,   &command_trace,
    &command_graph,    &command_import,  &command_export,
    &command_sessions, &command_rename,  &command_delete,
    &command_token,    &command_backup,  &command_demo,
    &command_doctor,   &command_image,   &command_sandbox,
    &command_grade,    &command_learner, NULL,
};
