/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of subcommands, and what they share.
 */
#include "mcp/command/command.h"

#include <stdio.h>

#include "helpers/base/terminal.h"
#include "mcp/format/file.h"

const struct command *const commands[] = {
    &command_serve,  &command_stdio,  &command_validate, &command_exec,   &command_graph,
    &command_import, &command_export, &command_sessions, &command_rename, &command_delete,
    &command_backup, &command_demo,   &command_doctor,   &command_image,  NULL,
};

int command_fail(const char *name, int status, const struct error *err)
{
    terminal_printf(stderr, "lectern %s: %s\n", name, err->text);
    return status;
}

const struct format *command_format(const struct config *config, const char *path,
                                    struct error *err)
{
    const struct format *format;

    if (!config->format)
        return format_of_path(path);
    format = format_find(config->format);
    if (!format)
        error_set(err, ERROR_INVALID, "--format must be one of %s, not '%s'", format_names(),
                  config->format);
    return format;
}

void command_format_report(const struct format_report *report, const char *losses)
{
    if (report->losses > 0)
        fprintf(stderr, "%zu things are %s:\n", report->losses, losses);
    terminal_write(stderr, report->text.data, report->text.len);
}

int command_read_file(const char *path, size_t cap, struct buf *to, struct error *err)
{
    return file_read(path, cap, to, err);
}
