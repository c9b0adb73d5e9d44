/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern token: makes a token, and its line for --token-file. Only the digest is ever in a file:
 * the token itself is shown once, here.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helpers/base/buf.h"
#include "helpers/base/cleanup.h"
#include "helpers/base/encode.h"
#include "mcp/auth/token_file.h"
#include "mcp/command/command.h"

static void write_line(const struct config *config, const struct digest *digest, struct buf *to)
{
    char hex[2 * DIGEST_SIZE + 1];

    hex_write(hex, digest->bytes, DIGEST_SIZE);
    buf_addf(to, "%s %s %s", hex, config->scope, config->arguments[0]);
    if (config->session)
        buf_addf(to, " curriculum=%s", config->session);
    if (config->learner)
        buf_addf(to, " learner=%s", config->learner);
    if (config->end)
        buf_addf(to, " end=%s", config->end);
    buf_addc(to, '\n');
}

/* As the server will read it, so that what is wrong is said now. */
static int check_line(const struct buf *line, struct error *err)
{
    struct identity_table *table = identity_table_create(TOKEN_FILE_LINES_CAP, err);
    int rc = table ? token_file_parse(line->data, line->len, table, err) : -1;

    if (rc == 0 && identity_table_count(table) != 1)
        rc = error_set(err, ERROR_INVALID, "the name may not contain blanks or begin with #");
    identity_table_destroy(table);
    return rc;
}

/* A new file is for its owner alone. One write, so that a server never reads half a line. */
static int append(const char *path, const struct buf *line, struct error *err)
{
    cleanup_fd int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);

    if (fd < 0)
        return error_errno(err, errno, "--token-file %s", path);
    if (write(fd, line->data, line->len) != (ssize_t)line->len)
        return error_errno(err, errno, "--token-file %s", path);
    return 0;
}

static int run(const struct config *config, struct error *err)
{
    char token[TOKEN_TEXT_SIZE];
    struct buf BUF_AUTO line = {0};
    struct digest digest;

    if (token_make(token, err) < 0)
        return EXIT_FAILED;
    digest_of(token, strlen(token), &digest);
    write_line(config, &digest, &line);
    if (buf_check(&line, "the line", err) < 0 || check_line(&line, err) < 0)
        return EXIT_USAGE;
    if (config->token_file && append(config->token_file, &line, err) < 0)
        return EXIT_FAILED;
    puts(token);
    if (!config->token_file)
        fputs(line.data, stdout);
    return EXIT_OK;
}

static void help(struct buf *to)
{
    buf_adds(to, "Prints a new token and, below it, its line for the file of --token-file. With\n"
                 "--token-file the line is added to that file instead, and only the token is\n"
                 "printed. NAME is who has it, for the change log.\n\n");
}

const struct command command_token = {
    .name = "token",
    .usage = "[OPTIONS] NAME",
    .summary = "Make a token for signing in, and its line for --token-file",
    .options = CONFIG_TOKEN,
    .least_words = 1,
    .most_words = 1,
    .words_needed = "the name is missing: lectern token NAME (who has the token)",
    .help = help,
    .run = run,
};
