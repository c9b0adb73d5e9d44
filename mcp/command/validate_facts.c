/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/command/validate_facts.h"

#include <stdio.h>

#include "helpers/base/terminal.h"
#include "mcp/command/command.h"
#include "validator/facts_line.h"
#include "validator/limits.h"

static int read_file(const char *path)
{
    struct buf BUF_AUTO source = {0};
    struct buf BUF_AUTO line = {0};
    struct error err = {0};
    int rc;

    rc = command_read_file(path, VALIDATOR_PARSE_CAP, &source, &err);
    if (rc < 0 && err.kind == ERROR_TOO_LARGE)
        rc = facts_line_too_long(path, &line, &err);
    else if (rc == 0)
        rc = facts_line(path, source.data, source.len, &line, &err);
    if (rc < 0)
        return command_fail("validate", EXIT_USAGE, &err);
    terminal_write(stdout, line.data, line.len);
    return EXIT_OK;
}

int validate_facts(const struct config *config)
{
    static const char *const standard_input[] = {"-", NULL};
    const char *const *paths = config->argument_count ? config->arguments : standard_input;
    int status = EXIT_OK, of_file;

    for (; *paths; paths++) {
        of_file = read_file(*paths);
        status = of_file > status ? of_file : status;
    }
    return status;
}
