/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image/runner/options.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/runner/log_error.h"

#define PYTHON_DEFAULT "/usr/bin/python3"

static const struct {
    const char *name;
    size_t offset; /* of a const char * in struct options */
} texts[] = {
    {"--kind", offsetof(struct options, kind)},
    {"--preload", offsetof(struct options, preload)},
    {"--python", offsetof(struct options, python)},
    {"--interpreter", offsetof(struct options, interpreter)},
    {"--helpers", offsetof(struct options, helpers)},
};

static int read_memory(struct options *options, const char *text)
{
    char *end;
    unsigned long number;

    errno = 0;
    number = strtoul(text, &end, 10);
    if (errno || *end || end == text || number < MEMORY_MB_MIN || number > MEMORY_MB_MAX)
        return log_error("--memory-mb wants a number from %d to %d, not \"%s\"", MEMORY_MB_MIN,
                         MEMORY_MB_MAX, text);
    options->memory_mb = (unsigned)number;
    return 0;
}

static int read_isolation(struct options *options, const char *text)
{
    options->session = strcmp(text, "session") == 0;
    if (!options->session && strcmp(text, "execution") != 0)
        return log_error("--isolation wants execution or session, not \"%s\"", text);
    return 0;
}

static int read_one(struct options *options, const char *name, const char *value)
{
    if (strcmp(name, "--memory-mb") == 0)
        return read_memory(options, value);
    if (strcmp(name, "--isolation") == 0)
        return read_isolation(options, value);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strcmp(name, texts[i].name) == 0) {
            *(const char **)((char *)options + texts[i].offset) = value;
            return 0;
        }
    }
    return log_error("unknown option %s", name);
}

/* The folder part of path, "." where it has none. */
static void folder_of(char *folder, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/');

    snprintf(folder, size, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
}

static int find_files(struct options *options)
{
    char binary[PATH_MAX] = "";

    if (readlink("/proc/self/exe", binary, sizeof binary - 1) > 0)
        folder_of(options->beside, sizeof options->beside, binary);
    if (!options->interpreter) {
        if (!options->beside[0] ||
            snprintf(options->interpreter_path, sizeof options->interpreter_path,
                     "%s/interpreter.py", options->beside) >= (int)sizeof options->interpreter_path)
            return log_error("cannot find interpreter.py beside the runner: give --interpreter");
        options->interpreter = options->interpreter_path;
    }
    if (!options->helpers) {
        folder_of(options->helpers_path, sizeof options->helpers_path, options->interpreter);
        options->helpers = options->helpers_path;
    }
    return 0;
}

int options_read(struct options *options, int argc, char **argv)
{
    memset(options, 0, sizeof *options);
    options->kind = "bare";
    options->preload = "";
    options->python = PYTHON_DEFAULT;
    options->memory_mb = MEMORY_MB_DEFAULT;
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts(LECTERN_VERSION);
        exit(EXIT_SUCCESS); // NOLINT(concurrency-mt-unsafe): there is one thread
    }
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc)
            return log_error("%s wants a value; usage: runner [--kind NAME] [--preload MOD,MOD] "
                             "[--memory-mb N] [--isolation execution|session] [--python PATH] "
                             "[--interpreter PATH] [--helpers DIR]",
                             argv[i]);
        if (read_one(options, argv[i], argv[i + 1]) < 0)
            return -1;
    }
    return find_files(options);
}
