/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern import: imports a curriculum of any format into a new session, or into one that is there.
 * The last line of standard output is the id of the session. Violations of the rules, and what was
 * read differently from how it was written, go to standard error, with a progress bar on a
 * terminal. A dry run lists the first lessons on standard output.
 */
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "helpers/base/json.h"
#include "helpers/base/terminal.h"
#include "mcp/change/curriculum_file.h"
#include "mcp/change/import_into.h"
#include "mcp/change/import_outline.h"
#include "mcp/command/command.h"
#include "mcp/format/file.h"
#include "mcp/store/large_write.h"

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

/* The path's curriculum, as the value of a curriculum file. A new reference, or NULL. */
static json_t *read_path(const struct config *config, struct format_report *report,
                         struct error *err)
{
    const char *path = config->arguments[0];
    const struct format *format = NULL;

    if (config->format && !(format = command_format(config, path, err)))
        return NULL;
    return format_read_path(path, format, report, err);
}

static void print_outline(const json_t *curriculum)
{
    json_auto_t *outline = import_outline(curriculum);
    struct buf BUF_AUTO lines = {0};

    import_outline_write(outline, json_array_size(json_object_get(curriculum, "nodes")), &lines);
    terminal_write(stdout, lines.data ? lines.data : "", lines.len);
}

/* ---- into a new session ---- */

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

/* The error names the file. Returns -1. */
static int name_file(const struct config *config, struct error *err)
{
    char name[PATH_MAX];

    snprintf(name, sizeof name, "%s", config->arguments[0]);
    return error_wrap(err, "%s", basename(name));
}

static int import_new(const struct config *config, const json_t *curriculum, struct findings *lines,
                      struct error *err)
{
    struct buf BUF_AUTO text = {0};
    struct importing importing = {.config = config, .text = &text, .lines = lines};
    /* A dry run makes no store; a service is asked for one, and refuses. */
    const char *url = config->dry_run && store_url_capabilities(config->store).imports
                          ? "sqlite::memory:"
                          : config->store;
    cleanup_store struct store *store = NULL;
    int rc;

    buf_init(&text, 2 * CURRICULUM_FILE_CAP); /* the importer reports its own cap */
    json_write(&text, curriculum);
    if (buf_check(&text, "the curriculum", err) < 0)
        return -1;
    store = store_open(url, STORE_WRITE, err);
    if (!store)
        return -1;
    rc = config->dry_run ? write_curriculum(&importing, store, err)
                         : store_write_slices(store, count_objects(&text), write_curriculum,
                                              &importing, draw_slice, err);
    if (rc < 0)
        return name_file(config, err);
    print_report(config, &importing.report, lines);
    if (config->dry_run)
        print_outline(curriculum);
    else
        puts(importing.report.session_id);
    return 0;
}

/* ---- into a session that is there ---- */

static void print_into(const struct config *config, const struct import_into *into,
                       const struct into_report *report, const struct findings *lines)
{
    struct buf BUF_AUTO counts = {0}, nodes BUF_AUTO = {0};

    into_report_counts(report, into, &counts);
    terminal_printf(stderr, "%s: %s\n", config->arguments[0], counts.data ? counts.data : "");
    if (into->dry_run)
        terminal_printf(stderr, "A dry run: nothing was written\n");
    else if (*report->change_set)
        terminal_printf(stderr, "One change, which can be undone: %s\n", report->change_set);
    command_report(lines, "read");
    if (into->dry_run) {
        into_report_nodes(report, into, &nodes);
        terminal_write(stdout, nodes.data ? nodes.data : "", nodes.len);
    } else {
        puts(into->sid);
    }
}

static int import_into(const struct config *config, const json_t *curriculum,
                       struct findings *lines, struct error *err)
{
    const struct writer writer = {.who = "import"};
    char sid[SESSION_ID_SIZE];
    const struct import_into into = {
        .sid = sid, .delete_missing = config->delete_missing, .dry_run = config->dry_run};
    struct into_report report = {0};
    cleanup_store struct store *store =
        store_open(config->store, config->dry_run ? STORE_READ : STORE_WRITE, err);
    int rc;

    if (!store || command_session(store, config->into, sid, err) < 0)
        return -1;
    rc = curriculum_import_into(store, &writer, curriculum, &into, &report, lines, err);
    if (rc == 0)
        print_into(config, &into, &report, lines);
    else
        name_file(config, err);
    into_report_finish(&report);
    return rc;
}

/* ---- the command ---- */

/* Options that do not fit together. */
static int check_options(const struct config *config, struct error *err)
{
    if (config->delete_missing && !config->into)
        return error_set(err, ERROR_INVALID,
                         "--delete-missing needs the session to update: --into SESSION");
    if (config->title && config->into)
        return error_set(err, ERROR_INVALID,
                         "--title is for a new session; lectern rename changes the title of one "
                         "that is there");
    return 0;
}

static int run(const struct config *config, struct error *err)
{
    struct format_report read = {.untyped = config->untyped, .map = config->map};
    json_auto_t *curriculum = NULL;
    int rc = -1;

    if (check_options(config, err) < 0)
        return EXIT_USAGE;
    curriculum = read_path(config, &read, err);
    if (curriculum)
        rc = config->into ? import_into(config, curriculum, &read.lines, err)
                          : import_new(config, curriculum, &read.lines, err);
    findings_finish(&read.lines);
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command command_import = {
    .name = "import",
    .usage = "[OPTIONS] PATH",
    .summary = "Read a curriculum into a session and print its id",
    .options = CONFIG_IMPORT,
    .least_words = 1,
    .most_words = 1,
    .words_needed = "one PATH, or - for standard input",
    .run = run,
};
