/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern import: imports a curriculum of any format into a new session. The last line of standard
 * output is the id of the session. Violations of the rules, and what was read differently from how
 * it was written, go to standard error, with a progress bar on a terminal.
 */
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "helpers/base/json.h"
#include "helpers/base/terminal.h"
#include "mcp/command/command.h"
#include "mcp/session/curriculum_file.h"
#include "mcp/store/large_write.h"
#include "mcp/format/file.h"

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

static void print_report(const struct config *config, const struct import_report *report,
                         const struct findings *lines)
{
    terminal_printf(stderr, "%s: %zu nodes, %zu components, %zu relationships\n",
                    config->arguments[0], report->nodes, report->components, report->relationships);
    command_report(lines, "read");
}

/* The path's curriculum, as the text of a curriculum file. */
static int read_path(const struct config *config, struct buf *text, struct format_report *report,
                     struct error *err)
{
    const char *path = config->arguments[0];
    const struct format *format = NULL;
    json_auto_t *curriculum = NULL;

    if (config->format && !(format = command_format(config, path, err)))
        return -1;
    curriculum = format_read_path(path, format, report, err);
    if (!curriculum)
        return -1;
    buf_init(text, 2 * CURRICULUM_FILE_CAP); /* its own cap is the importer's to tell */
    json_write(text, curriculum);
    return buf_check(text, "the curriculum", err);
}

struct importing {
    const struct config *config;
    const struct buf *text;
    struct import_report report;
    struct findings *lines; /* borrowed */
};

static int write_curriculum(void *user, struct store *store, struct error *err)
{
    const struct writer writer = {.who = "import"};
    const struct import_progress bar = {.fn = draw_bar};
    struct importing *importing = user;

    return curriculum_import(store, &writer, importing->text->data, importing->text->len,
                             importing->config->title, importing->config->dry_run,
                             isatty(STDERR_FILENO) ? &bar : NULL, &importing->report,
                             importing->lines, err);
}

static void draw_slice(void *user, size_t done, size_t total)
{
    if (isatty(STDERR_FILENO))
        draw_bar(user, "writing", done, total);
}

/* Each node, component and relationship is an object. */
static size_t count_objects(const struct buf *text)
{
    size_t count = 0;

    for (size_t i = 0; i < text->len; i++)
        count += text->data[i] == '{';
    return count;
}

static int import(const struct config *config, const struct buf *text, struct findings *lines,
                  struct error *err)
{
    struct importing importing = {.config = config, .text = text, .lines = lines};
    /* A dry run makes no store; a service is asked for one, and refuses. */
    const char *url = config->dry_run && store_url_capabilities(config->store).imports
                          ? "sqlite::memory:"
                          : config->store;
    cleanup_store struct store *store = store_open(url, STORE_WRITE, err);
    char name[PATH_MAX];
    int rc;

    if (!store)
        return -1;
    rc = config->dry_run ? write_curriculum(&importing, store, err)
                         : store_write_slices(store, count_objects(text), write_curriculum,
                                              &importing, draw_slice, err);
    if (rc == 0) {
        print_report(config, &importing.report, lines);
        if (!config->dry_run)
            puts(importing.report.session_id);
    } else {
        snprintf(name, sizeof name, "%s", config->arguments[0]);
        error_wrap(err, "%s", basename(name));
    }
    return rc;
}

static int run(const struct config *config, struct error *err)
{
    struct format_report read = {.untyped = config->untyped, .map = config->map};
    struct buf BUF_AUTO text = {0};
    int rc = read_path(config, &text, &read, err);

    if (rc == 0)
        rc = import(config, &text, &read.lines, err);
    findings_finish(&read.lines);
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command command_import = {
    .name = "import",
    .usage = "[OPTIONS] PATH",
    .summary = "Read a curriculum into a new session and print its id",
    .options = CONFIG_IMPORT,
    .least_words = 1,
    .most_words = 1,
    .words_needed = "one PATH, or - for standard input",
    .run = run,
};
