/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every option of every command, from one table (config.c): parsing, defaults, --help, the names in
 * the environment (LECTERN_STORE for --store) and in the configuration file all come from it. Later
 * ones win: default, file, environment, command line.
 */
#ifndef LECTERN_BASE_CONFIG_H
#define LECTERN_BASE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"

#define CONFIG_LIST_CAP      32   /* values of an option that may be given several times */
#define CONFIG_ARGUMENTS_CAP 4096 /* words on the command line that are no option */
#define CONFIG_FILE_CAP      ((size_t)64 << 10)
#define CONFIG_LLM_URL       "https://api.anthropic.com" /* defaults of --llm-url and --llm-model */
#define CONFIG_LLM_MODEL     "claude-sonnet-4-5"

/* The commands an option belongs to. */
enum config_command {
    CONFIG_SERVE = 1 << 0,
    CONFIG_STDIO = 1 << 1,
    CONFIG_VALIDATE = 1 << 2,
    CONFIG_EXEC = 1 << 3,
    CONFIG_GRAPH = 1 << 4,
    CONFIG_IMPORT = 1 << 5,
    CONFIG_EXPORT = 1 << 6,
    CONFIG_DOCTOR = 1 << 7,
    CONFIG_IMAGE = 1 << 8,
    CONFIG_DEMO = 1 << 9,
    CONFIG_BACKUP = 1 << 10,
    CONFIG_SESSIONS = 1 << 11,
    CONFIG_RENAME = 1 << 12,
    CONFIG_DELETE = 1 << 13,
};

struct config {
    const char *store; /* "sqlite:PATH", or "http://HOST:PORT#COPY?seconds=N": COPY is the path of
                          the copy */
    long store_timeout;
    const char *data;            /* folder */
    const char *component_types; /* path of a file; or NULL */
    const char *host;
    const char *sandbox;     /* "auto", "docker", "local" */
    const char *docker_host; /* or NULL */
    const char *image;
    const char *isolation; /* "execution", "session" */
    const char *warm;      /* "bare=2,data=1", or NULL */
    const char *runtime;   /* Docker\'s, or NULL */
    const char *profile;
    const char *session; /* or NULL */
    const char *title;   /* or NULL */
    const char *output;  /* or NULL */
    const char *format;  /* of a curriculum's file; NULL: guessed from its path */
    const char *log;
    const char *share; /* folder with the runner and what it needs; NULL: found beside the binary */
    const char *llm_url; /* or NULL: ANTHROPIC_BASE_URL, else CONFIG_LLM_URL */
    const char *llm_model;
    const char *node, *from, *to; /* of a graph query, or NULL */
    long port;
    long timeout;                /* seconds of an analysis */
    long query_timeout;          /* seconds of a graph question */
    long stdout_cap, stderr_cap; /* characters shown to a model */
    long body_cap;               /* MiB of a request to the session API */
    long limit;
    bool json;
    bool warnings;
    bool dry_run;
    bool force;
    bool yes;
    bool dump_policy;
    bool facts;
    bool no_demo;
    const char *allow_origin[CONFIG_LIST_CAP + 1]; /* NULL-terminated */
    const char *allow_host[CONFIG_LIST_CAP + 1];
    const char *types[CONFIG_LIST_CAP + 1];
    const char *arguments[CONFIG_ARGUMENTS_CAP + 1]; /* NULL-terminated; borrowed from argv */
    size_t argument_count;
    bool help;
    struct config_texts *texts; /* owns what the struct points to */
};

/* argv[0] is the first word behind the command's name. 0, or -1 with ERROR_INVALID that names the
 * option and the nearest one. *config is filled in any case and wants config_finish. */
int config_read(struct config *config, enum config_command command, int argc, char **argv,
                struct error *err);
void config_finish(struct config *config);

/* The options of one command in groups, with their defaults, wrapped at 80 columns. */
void config_help(enum config_command command, struct buf *to);

/* PATH of a file beside the binary when run from the build folder, else under share/lectern:
 * "runner", "interpreter.py". */
int config_share_file(const struct config *config, const char *name, char *path, size_t size,
                      struct error *err);

#endif
