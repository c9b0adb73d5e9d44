/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * validator_facts [OPTIONS] [FILE...]: prints what the parser sees in Python programs, before any
 * policy, as one line of JSON for each file (facts_line.h). Without a file, and for "-", it reads
 * standard input. Status 0 whatever the programs contain, 2 if a file could not be read, 1 if the
 * output could not be written. It stands apart from `lectern validate`, whose options it takes,
 * because it decodes all encodings of Python, which only a comparison with CPython needs.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/terminal.h"
#include "mcp/format/file.h"
#include "tests/oracle/facts_line.h"
#include "validator/limits.h"

#define FILES_CAP 4096 /* as `lectern validate` takes */

enum status { STATUS_OK, STATUS_NOT_WRITTEN, STATUS_USAGE };

static const char usage[] =
    "Usage: validator_facts [OPTIONS] [FILE...]\n\n"
    "Print what the parser sees in Python programs, before any policy, as one line of JSON for\n"
    "each file.\n\n"
    "  --facts          without effect, as are --json, --log LEVEL, --profile P and\n"
    "                   --profiles DIR: `lectern validate --facts` took them\n"
    "  --help           show this help\n";

static const struct option options[] = {
    {"facts", no_argument, NULL, 'f'},
    {"json", no_argument, NULL, 'f'},
    {"log", required_argument, NULL, 'f'},
    {"profile", required_argument, NULL, 'f'},
    {"profiles", required_argument, NULL, 'f'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static int print_facts(const char *path, struct error *err)
{
    struct buf BUF_AUTO source = {0}, BUF_AUTO line = {0};
    bool too_large = file_read(path, VALIDATOR_PARSE_CAP, &source, err) < 0;

    if (too_large && err->kind != ERROR_TOO_LARGE)
        return -1;
    if (facts_line(path, source.data, too_large ? SIZE_MAX : source.len, &line, err) < 0)
        return -1;
    terminal_write(stdout, line.data, line.len);
    return 0;
}

static enum status print_files(char *const *paths)
{
    static char *const standard_input[] = {"-", NULL};
    enum status status = STATUS_OK;

    for (paths = *paths ? paths : standard_input; *paths; paths++) {
        struct error err = {0};

        if (print_facts(*paths, &err) == 0)
            continue;
        terminal_printf(stderr, "validator_facts: %s\n", err.text);
        status = STATUS_USAGE; /* the other files are still read */
    }
    return status;
}

/* A full disk or a closed pipe is only reported by the last write. */
static enum status close_output(enum status status)
{
    bool failed = ferror(stdout) != 0;

    if (failed) { /* why is no longer known: one more byte fails for the same reason */
        clearerr(stdout);
        fputc('\n', stdout);
    }
    errno = 0;
    if (fclose(stdout) == 0 && !failed)
        return status;
    fprintf(stderr, "validator_facts: standard output: %s\n",
            errno ? strerrordesc_np(errno) : "could not be written");
    return status == STATUS_OK ? STATUS_NOT_WRITTEN : status;
}

int main(int argc, char **argv)
{
    int found;

    opterr = 0;
    while ((found = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
        if (found == 'f')
            continue;
        if (found == 'h') {
            fputs(usage, stdout);
            return close_output(STATUS_OK);
        }
        if (found == ':')
            terminal_printf(stderr, "validator_facts: %s needs a value", argv[optind - 1]);
        else
            terminal_printf(stderr, "validator_facts: unknown option '%s'", argv[optind - 1]);
        fputs("; see validator_facts --help\n", stderr);
        return STATUS_USAGE;
    }
    if (argc - optind > FILES_CAP) {
        fprintf(stderr, "validator_facts: more than %d files; see validator_facts --help\n",
                FILES_CAP);
        return STATUS_USAGE;
    }
    return close_output(print_files(argv + optind));
}
