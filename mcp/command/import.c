/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern import: a curriculum file into a new session. The session's id is the last line of
 * standard output; what the file holds that breaks the rules goes to standard error, with a
 * progress bar where that is a terminal.
 */
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mcp/command/command.h"
#include "mcp/session/curriculum_file.h"

#define BAR_WIDTH 40

static void draw_bar(void *user, const char *what, size_t done, size_t total)
{
    int filled = total > 0 ? (int)(done * BAR_WIDTH / total) : BAR_WIDTH;

    (void)user;
    fprintf(stderr, "\r%-14s [%.*s%*s] %zu/%zu", what, filled,
            "########################################", BAR_WIDTH - filled, "", done, total);
    if (done >= total)
        fputs("\n", stderr);
    fflush(stderr);
}

static void print_report(const struct config *config, const struct import_report *report)
{
    fprintf(stderr, "%s: %zu nodes, %zu components, %zu relationships\n", config->arguments[0],
            report->nodes, report->components, report->relationships);
    if (report->findings > 0)
        fprintf(stderr, "%zu things break the contract's rules and are kept as they are:\n%s",
                report->findings, report->text.data ? report->text.data : "");
}

static int run(const struct config *config)
{
    const struct writer writer = {.who = "import"};
    const struct import_progress bar = {.fn = draw_bar};
    struct import_report report = {0};
    struct buf BUF_AUTO text = {0};
    struct error err = {0};
    struct store *store;
    char name[NAME_MAX + 1];
    int rc;

    if (config->argument_count != 1) {
        error_set(&err, ERROR_INVALID, "one FILE, or - for standard input");
        return command_fail("import", EXIT_USAGE, &err);
    }
    if (command_read_file(config->arguments[0], CURRICULUM_FILE_CAP, &text, &err) < 0)
        return command_fail("import", EXIT_FAILED, &err);
    store = store_open(config->store, STORE_WRITE, &err);
    if (!store)
        return command_fail("import", EXIT_FAILED, &err);
    snprintf(name, sizeof name, "%s", basename((char *)config->arguments[0]));
    rc =
        curriculum_import(store, &writer, text.data, text.len, config->title ? config->title : NULL,
                          config->dry_run, isatty(STDERR_FILENO) ? &bar : NULL, &report, &err);
    if (rc == 0) {
        print_report(config, &report);
        if (!config->dry_run)
            puts(report.session_id);
    } else {
        error_wrap(&err, "%s", name);
        command_fail("import", EXIT_FAILED, &err);
    }
    import_report_finish(&report);
    store_close(store);
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command command_import = {
    .name = "import",
    .usage = "FILE [--title TEXT] [--dry-run] [--store URL]",
    .summary = "take a curriculum file into a new session and print its id",
    .options = CONFIG_IMPORT,
    .takes_words = true,
    .run = run,
};
