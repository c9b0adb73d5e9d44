/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What subcommands share.
 */
#include "mcp/command/command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "helpers/base/terminal.h"
#include "mcp/curriculum/text.h"
#include "mcp/store/entities/session.h"

void command_fail(const char *name, const struct error *err)
{
    terminal_printf(stderr, "lectern %s: %s\n", name, err->text);
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

void command_report(const struct findings *report, const char *how)
{
    struct buf BUF_AUTO text = {0};

    findings_write(&text, report, how, FINDINGS_REASONS_CAP + 1);
    if (text.len == 0)
        return;
    buf_addc(&text, '\n');
    terminal_write(stderr, text.data + 1, text.len - 1); /* the line before has ended */
}

int command_session(struct store *store, const char *named, char sid[SESSION_ID_SIZE],
                    struct error *err)
{
    char text[ERROR_TEXT_CAP];

    if (named)
        return store_session_named(store, named, "session", sid, err);
    if (store_only_session(store, sid, err) == 0)
        return 0;
    text_cut(text, sizeof text, err->text);
    return error_set(err, err->kind, "--session SID: %s", text);
}

int command_option_session(const struct config *config, char sid[SESSION_ID_SIZE],
                           struct error *err)
{
    cleanup_store struct store *store = NULL;

    *sid = '\0';
    if (!config->session)
        return 0;
    store = store_open(config->store, STORE_READ, err);
    return store ? command_session(store, config->session, sid, err) : -1;
}

int command_confirm(const struct config *config, const char *what, const char *name,
                    const char *noun, struct error *err)
{
    char typed[TITLE_MAX + 2];

    if (config->yes)
        return 0;
    if (!isatty(STDIN_FILENO))
        return error_set(err, ERROR_INVALID,
                         "this deletes %s and cannot be undone: add --yes to confirm. Nothing was "
                         "deleted",
                         what);
    terminal_printf(
        stderr, "This deletes %s and cannot be undone.\nType the %s to delete it: ", what, noun);
    if (!fgets(typed, sizeof typed, stdin))
        *typed = '\0';
    typed[strcspn(typed, "\n")] = '\0';
    if (strcmp(typed, name) == 0)
        return 0;
    return error_set(err, ERROR_INVALID, "that is not its %s; nothing was deleted", noun);
}
