/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern export: a session as a curriculum file, or in another of the forms there are. A file or
 * folder is written beside its place and renamed over it, so that a failure leaves what was there.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/change/curriculum_file.h"
#include "mcp/command/command.h"
#include "mcp/format/file.h"
#include "mcp/store/entities/import.h"
#include "mcp/store/store.h"

static int read_session(const struct config *config, struct buf *text, struct error *err)
{
    cleanup_store struct store *store = store_open(config->store, STORE_READ, err);
    char sid[SESSION_ID_SIZE];

    if (!store || command_session(store, config->argument_count > 0 ? config->arguments[0] : NULL,
                                  sid, err) < 0)
        return -1;
    return store_export(store, sid, text, err);
}

/* The path of a folder does not say whether to write CSV or Markdown. */
static int refuse_folder(const struct config *config, const char *path, struct error *err)
{
    size_t len = strlen(path);

    if (config->format || (!file_is_folder(path) && (len == 0 || path[len - 1] != '/')))
        return 0;
    return error_set(err, ERROR_INVALID, "%s is a folder: add --format csv or --format markdown",
                     path);
}

static int write_path(const struct config *config, const char *path, const struct buf *text,
                      struct error *err)
{
    const struct format *format = command_format(config, path, err);
    struct format_report report = {0};
    json_auto_t *curriculum = NULL;
    int rc = -1;

    if (format && !format->write)
        return error_set(err, ERROR_INVALID,
                         "%s is a format of imports only: add --format json, csv, case or markdown",
                         format->name);
    if (!format || (format == &format_json && refuse_folder(config, path, err) < 0) ||
        file_replaceable(path, config->force, err) < 0)
        return -1;
    curriculum = json_read(text->data, text->len, "the session", err);
    if (curriculum)
        rc = format->write(curriculum, path, &report, err);
    if (rc == 0)
        command_report(&report.lines, "written");
    findings_finish(&report.lines);
    return rc;
}

#define WORDS_NEEDED "one session id and one path at a time"

static int run(const struct config *config, struct error *err)
{
    const char *path = config->output;
    struct buf BUF_AUTO text = {0};
    int rc;

    if (config->argument_count == 2 && path) {
        error_set(err, ERROR_INVALID, WORDS_NEEDED);
        return EXIT_USAGE;
    }
    if (config->argument_count == 2)
        path = config->arguments[1];
    rc = read_session(config, &text, err);
    if (rc == 0 && !path && (!config->format || strcmp(config->format, "json") == 0))
        rc = file_write("-", &text, err); /* exactly as stored */
    else if (rc == 0)
        rc = write_path(config, path ? path : "-", &text, err);
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command command_export = {
    .name = "export",
    .usage = "[OPTIONS] [SID [PATH]]",
    .summary = "Write a session as JSON, CSV, CASE or Markdown",
    .options = CONFIG_EXPORT,
    .most_words = 2,
    .words_needed = WORDS_NEEDED,
    .run = run,
};
