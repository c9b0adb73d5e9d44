/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern: finds the subcommand, reads its options, runs it.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/log.h"
#include "helpers/base/nearest.h"
#include "helpers/base/terminal.h"
#include "mcp/command/command.h"
#include "mcp/curriculum/component_type.h"

#define KEPT_BYTES (4 << 20)

static void print_overview(FILE *to)
{
    fputs("Usage: lectern COMMAND [OPTIONS] [ARGUMENTS]\n\n"
          "Lectern " LECTERN_VERSION " is a server for curricula.\n\nCommands:\n",
          to);
    for (size_t i = 0; commands[i]; i++)
        fprintf(to, "  %-9s  %s\n", commands[i]->name, commands[i]->summary);
    fputs("\nRun 'lectern COMMAND --help' for the options of a command.\n", to);
}

static const struct command *find(const char *name)
{
    struct nearest search;

    nearest_begin(&search, name);
    for (size_t i = 0; commands[i]; i++) {
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
        nearest_feed(&search, commands[i]->name);
    }
    terminal_printf(stderr, "lectern: unknown command '%s'%s%s%s; see lectern --help\n", name,
                    search.best ? "; did you mean '" : "", search.best ? search.best : "",
                    search.best ? "'?" : "");
    return NULL;
}

static int print_help(const struct command *command)
{
    struct buf BUF_AUTO text = {0};

    buf_init(&text, 0);
    if (command->help) {
        command->help(&text);
        buf_addc(&text, '\n');
    }
    config_help(command->options, &text);
    printf("Usage: lectern %s %s\n\n%s.\n\n%s", command->name, command->usage, command->summary,
           text.data);
    return EXIT_OK;
}

static int set_log_level(const struct command *command, const struct config *config,
                         struct error *err)
{
    static const char *const levels[] = {"error", "warning", "info", "debug"};

    if (!config->log) {
        log_set_level(command->options & CONFIG_SERVE ? LOG_INFO : LOG_WARNING);
        return 0;
    }
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        if (strcmp(config->log, levels[i]) == 0) {
            log_set_level((enum log_level)i);
            return 0;
        }
    }
    return error_set(err, ERROR_INVALID, "--log must be error, warning, info or debug, not '%s'",
                     config->log);
}

static int read_options(const struct command *command, struct config *config, int argc, char **argv,
                        struct error *err)
{
    if (config_read(config, command->options, argc, argv, err) < 0 ||
        set_log_level(command, config, err) < 0)
        return -1;
    if (command->most_words == 0 && config->argument_count > 0)
        return error_set(err, ERROR_INVALID, "unexpected argument '%s'", config->arguments[0]);
    return 0;
}

static int check_words(const struct command *command, const struct config *config,
                       struct error *err)
{
    return config->argument_count >= command->least_words &&
                   config->argument_count <= command->most_words
               ? 0
               : error_set(err, ERROR_INVALID, "%s", command->words_needed);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct config config;
    struct error err = {0};
    int status = EXIT_USAGE;

    bool read = read_options(command, &config, argc, argv, &err) == 0;

    if (read && config.help)
        status = print_help(command);
    else if (read &&
             (!config.component_types || component_types_load(config.component_types, &err) == 0) &&
             check_words(command, &config, &err) == 0)
        status = command->run(&config, &err);
    if (!read)
        terminal_printf(stderr, "lectern %s: %s; see lectern %s --help\n", command->name, err.text,
                        command->name);
    else if (err.kind != ERROR_NONE)
        command_fail(command->name, &err);
    config_finish(&config);
    return status;
}

/* Descriptors 0 to 2 that the shell has closed (">&-") would be reused for the next opened files,
 * which would then receive the output. Occupies them with descriptors that fail when used in the
 * usual direction. */
static void hold_standard_descriptors(void)
{
    static const int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY};

    for (int fd = 0; fd < 3; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", modes[fd]) < 0)
            abort();
    }
}

/* A full disk or a closed pipe is only reported by the last write. */
static int close_output(int status)
{
    bool failed = ferror(stdout) != 0;

    if (failed) { /* why is no longer known: one more byte fails for the same reason */
        clearerr(stdout);
        fputc('\n', stdout);
    }
    errno = 0;
    if (fclose(stdout) == 0 && !failed)
        return status;
    fprintf(stderr, "lectern: standard output: %s\n",
            errno ? strerrordesc_np(errno) : "could not be written");
    return status == EXIT_OK ? EXIT_FAILED : status;
}

static int dispatch(int argc, char **argv)
{
    const struct command *command;

    if (argc < 2) {
        print_overview(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_overview(stdout);
        return EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("lectern " LECTERN_VERSION);
        return EXIT_OK;
    }
    command = find(argv[1]);
    return command ? run(command, argc - 2, argv + 2) : EXIT_USAGE;
}

/* Judging a program takes up to a megabyte for a moment. Giving that back to the kernel each time
 * costs more than the check. */
static void keep_freed_memory(void)
{
    mallopt(M_TRIM_THRESHOLD, KEPT_BYTES); /* NOLINT(concurrency-mt-unsafe): before any thread */
    mallopt(M_MMAP_THRESHOLD, KEPT_BYTES); /* NOLINT(concurrency-mt-unsafe): likewise */
}

int main(int argc, char **argv)
{
    keep_freed_memory();
    hold_standard_descriptors();
    return close_output(dispatch(argc, argv));
}
