/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What follows from the rows of the options. getopt_long does the parsing, jansson reads the
 * configuration file.
 */
#include "mcp/command/config.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/json.h"
#include "helpers/base/nearest.h"

#define ENV_NAME_CAP 64
#define HELP_WIDTH   80
#define HELP_COLUMN  27 /* column of the descriptions of options */

#ifndef LECTERN_SHARE_DIR
#define LECTERN_SHARE_DIR "/usr/local/share/lectern"
#endif

/* Where curricula are stored: struct config only has what is derived from these, its store. */
#define PLACE_OPTIONS(ROW)                                                                         \
    ROW(STORE, "store", store, TEXT, "URL", NULL, 0, 0, CONFIG_ANY_STORE,                          \
        "where curricula are kept: sqlite:PATH, or http://HOST:PORT for a service with the "       \
        "session API (default: sqlite:lectern.db in the data folder)")                             \
    ROW(STORE, "store-timeout", store_timeout, NUMBER, "SECONDS", "8", 1, 600, CONFIG_ANY_STORE,   \
        "time limit for one request to that service")                                              \
    ROW(STORE, "store-one-session", store_one_session, FLAG, NULL, NULL, 0, 0, CONFIG_ANY_STORE,   \
        "no two sessions of that service have the same node id: use component paths that name no " \
        "session")                                                                                 \
    ROW(STORE, "data", data, TEXT, "DIR", NULL, 0, 0, CONFIG_ANY_STORE,                            \
        "data folder (default: $XDG_DATA_HOME/lectern)")

enum option_type { OPTION_TEXT, OPTION_NUMBER, OPTION_FLAG, OPTION_LIST };

/* The groups of --help, in its order. */
enum option_group {
    GROUP_COMMAND,
    GROUP_SERVER,
    GROUP_SIGN_IN,
    GROUP_STORE,
    GROUP_TUTOR,
    GROUP_ANALYSES,
    GROUP_CHAT,
    GROUP_SOLVE,
    GROUP_GENERAL
};
static const char *const group_titles[] = {"Options",  "Server", "Sign-in", "Curricula", "Tutor",
                                           "Analyses", "Chat",   "Roles",   "General"};

struct option_row {
    enum option_group group;
    const char *name;
    enum option_type type;
    bool of_place; /* in struct places, not in struct config */
    size_t offset;
    const char *metavar; /* NULL for a flag */
    const char *initial; /* default as text; NULL: none, or said by help */
    long least, most;    /* of a number */
    int commands;
    const char *help;
};

struct places {
    PLACE_OPTIONS(CONFIG_MEMBER)
};

struct config_private {
    struct places given;
    size_t count;
    char *texts[256];
    size_t kept_count;
    struct {
        void *kept;
        void (*release)(void *);
    } kept[4];
};

#define ROW_IN(of_place, owner, group, name, member, type, metavar, initial, least, most,          \
               commands, help)                                                                     \
    {                                                                                              \
        GROUP_##group, name,    OPTION_##type, of_place, offsetof(struct owner, member),           \
        metavar,       initial, least,         most,     commands,                                 \
        help},
#define PLACE_ROW(...)  ROW_IN(true, places, __VA_ARGS__)
#define CONFIG_ROW(...) ROW_IN(false, config, __VA_ARGS__)
static const struct option_row rows[] = {PLACE_OPTIONS(PLACE_ROW) CONFIG_OPTIONS(CONFIG_ROW)};
#define ROW_COUNT (sizeof rows / sizeof rows[0])

/* Former names of options, still accepted. */
static const struct option_alias {
    const char *alias, *name;
} aliases[] = {{"waiting", "warm"}};
#define ALIAS_COUNT (sizeof aliases / sizeof aliases[0])

/* Options are read before the first thread starts, so what is not thread-safe is safe here. */
static const char *environment(const char *name)
{
    const char *value = getenv(name); /* NOLINT(concurrency-mt-unsafe) */

    return value && *value ? value : NULL;
}

/* A text that the config owns; NULL: err. */
static const char *keep(struct config *config, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static const char *keep(struct config *config, struct error *err, const char *format, ...)
{
    struct config_private *private = config->private;
    va_list args;
    char *text;
    int len;

    if (private->count == sizeof private->texts / sizeof private->texts[0]) {
        error_set(err, ERROR_TOO_LARGE, "too many option values");
        return NULL;
    }
    va_start(args, format);
    len = vasprintf(&text, format, args);
    va_end(args);
    if (len < 0) {
        error_set(err, ERROR_MEMORY, "out of memory for an option");
        return NULL;
    }
    private->texts[private->count++] = text;
    return text;
}

static int set_number(long *to, const struct option_row *row, const char *text, struct error *err)
{
    char *end;
    long value;

    errno = 0;
    value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < row->least || value > row->most)
        return error_set(err, ERROR_INVALID, "--%s must be a number from %ld to %ld, not '%s'",
                         row->name, row->least, row->most, text);
    *to = value;
    return 0;
}

static int set_flag(bool *to, const struct option_row *row, const char *text, struct error *err)
{
    static const char *const yes[] = {"1", "true", "yes", NULL}, *const no[] = {"0", "false", "no",
                                                                                NULL};

    for (size_t i = 0; yes[i]; i++) {
        if (strcmp(text, yes[i]) == 0 || strcmp(text, no[i]) == 0) {
            *to = strcmp(text, yes[i]) == 0;
            return 0;
        }
    }
    return error_set(err, ERROR_INVALID, "--%s must be true or false, not '%s'", row->name, text);
}

static int add_to_list(const char **list, const struct option_row *row, const char *text,
                       struct error *err)
{
    size_t count = 0;

    while (list[count])
        count++;
    if (count == CONFIG_LIST_CAP)
        return error_set(err, ERROR_INVALID, "--%s can be given at most %d times", row->name,
                         CONFIG_LIST_CAP);
    list[count] = text;
    return 0;
}

static int set_row(struct config *config, const struct option_row *row, const char *text,
                   struct error *err)
{
    char *field = (row->of_place ? (char *)&config->private->given : (char *)config) + row->offset;
    const char *kept;

    switch (row->type) {
    case OPTION_NUMBER:
        return set_number((long *)field, row, text, err);
    case OPTION_FLAG:
        return set_flag((bool *)field, row, text, err);
    case OPTION_TEXT:
    case OPTION_LIST:
        break;
    }
    kept = keep(config, err, "%s", text);
    if (!kept)
        return -1;
    if (row->type == OPTION_LIST)
        return add_to_list((const char **)field, row, kept, err);
    *(const char **)field = kept;
    return 0;
}

static void env_name(const char *option, char name[ENV_NAME_CAP])
{
    size_t len = (size_t)snprintf(name, ENV_NAME_CAP, "LECTERN_%s", option);

    for (size_t i = 0; i < len; i++)
        name[i] = (char)(name[i] == '-'                       ? '_'
                         : (name[i] >= 'a' && name[i] <= 'z') ? name[i] - 32
                                                              : name[i]);
}

/* NULL: it has none. */
static const char *alias_of(const struct option_row *row)
{
    for (size_t i = 0; i < ALIAS_COUNT; i++) {
        if (strcmp(aliases[i].name, row->name) == 0)
            return aliases[i].alias;
    }
    return NULL;
}

static const struct option_row *find_row(const char *name)
{
    for (size_t i = 0; i < ALIAS_COUNT; i++) {
        if (strcmp(aliases[i].alias, name) == 0)
            name = aliases[i].name;
    }
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    }
    return NULL;
}

static int refuse_member(const char *name, struct error *err)
{
    struct nearest search;

    nearest_begin(&search, name);
    for (size_t i = 0; i < ROW_COUNT; i++)
        nearest_feed(&search, rows[i].name);
    return error_set(err, ERROR_INVALID,
                     "unknown member '%s'%s%s%s lectern COMMAND --help lists the options", name,
                     search.best ? "; did you mean '" : ";", search.best ? search.best : "",
                     search.best ? "'?" : "");
}

/* One member of the configuration file. A row of another command is taken and not used: the file
 * serves them all. */
static int set_from_json(struct config *config, enum config_command command, const char *name,
                         const json_t *value, struct error *err)
{
    const struct option_row *row = find_row(name);
    char number[32];
    size_t i;
    json_t *item;

    if (!row)
        return refuse_member(name, err);
    if (!(row->commands & (int)command))
        return 0;
    if (json_is_string(value))
        return set_row(config, row, json_string_value(value), err);
    if (json_is_boolean(value))
        return set_row(config, row, json_is_true(value) ? "true" : "false", err);
    if (json_is_integer(value)) {
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return set_row(config, row, number, err);
    }
    if (row->type != OPTION_LIST || !json_is_array(value))
        return error_set(err, ERROR_INVALID,
                         "'%s' must be a string, a number, true, false or a list of strings", name);
    json_array_foreach(value, i, item)
    {
        if (!json_is_string(item))
            return error_set(err, ERROR_INVALID, "'%s' must be a list of strings", name);
        if (set_row(config, row, json_string_value(item), err) < 0)
            return -1;
    }
    return 0;
}

static int read_file(struct config *config, enum config_command command, struct error *err)
{
    const char *base = environment("XDG_CONFIG_HOME"), *home = environment("HOME");
    char path[PATH_MAX], text[CONFIG_FILE_CAP];
    const char *name;
    json_auto_t *object = NULL;
    json_t *value;
    cleanup_file FILE *file = NULL;
    size_t len;
    int rc = 0;

    if (base)
        snprintf(path, sizeof path, "%s/lectern/config.json", base);
    else if (home)
        snprintf(path, sizeof path, "%s/.config/lectern/config.json", home);
    else
        return 0;
    file = fopen(path, "re");
    if (!file)
        return errno == ENOENT || errno == ENOTDIR ? 0 : error_errno(err, errno, "%s", path);
    len = fread(text, 1, sizeof text, file);
    if (len == sizeof text)
        return error_set(err, ERROR_TOO_LARGE, "%s is larger than %zu bytes", path,
                         CONFIG_FILE_CAP - 1);
    object = json_read(text, len, path, err);
    if (!object)
        return -1;
    if (!json_is_object(object))
        rc = error_set(err, ERROR_INVALID, "must contain a JSON object, such as {\"port\": 8001}");
    json_object_foreach(object, name, value)
    {
        if (rc == 0)
            rc = set_from_json(config, command, name, value, err);
    }
    return rc < 0 ? error_wrap(err, "%s", path) : 0;
}

static int read_environment(struct config *config, enum config_command command, struct error *err)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        char name[ENV_NAME_CAP];
        const char *value, *alias = alias_of(&rows[i]);

        if (!(rows[i].commands & (int)command) || &rows[i] == find_row("help"))
            continue;
        env_name(rows[i].name, name);
        value = environment(name);
        if (!value && alias) {
            env_name(alias, name);
            value = environment(name);
        }
        if (value && set_row(config, &rows[i], value, err) < 0)
            return error_wrap(err, "environment %s", name);
    }
    return 0;
}

static int refuse(const char *word, enum config_command command, struct error *err)
{
    struct nearest search;
    char name[ENV_NAME_CAP];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    nearest_begin(&search, name + strspn(name, "-"));
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (rows[i].commands & (int)command)
            nearest_feed(&search, rows[i].name);
    }
    if (search.best)
        return error_set(err, ERROR_INVALID, "unknown option '%s' (did you mean --%s?)", name,
                         search.best);
    return error_set(err, ERROR_INVALID, "unknown option '%s'", name);
}

static struct option long_option(const char *name, size_t row)
{
    return (struct option){
        .name = name,
        .has_arg = rows[row].type == OPTION_FLAG ? no_argument : required_argument,
        .val = 256 + (int)row,
    };
}

static int read_words(struct config *config, enum config_command command, int argc, char **argv,
                      struct error *err)
{
    struct option longs[ROW_COUNT + ALIAS_COUNT + 1] = {0};
    cleanup_free char **words = calloc((size_t)argc + 2, sizeof *words);
    size_t count = 0;
    int found, rc = 0;

    if (!words)
        return error_set(err, ERROR_MEMORY, "out of memory for options");
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (!(rows[i].commands & (int)command))
            continue;
        longs[count++] = long_option(rows[i].name, i);
        if (alias_of(&rows[i]))
            longs[count++] = long_option(alias_of(&rows[i]), i);
    }
    words[0] = "lectern"; /* getopt skips the first word */
    memcpy(words + 1, argv, (size_t)argc * sizeof *words);
    opterr = 0;
    optind = 0;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe) */
    while (rc == 0 && (found = getopt_long(argc + 1, words, ":ho:", longs, NULL)) != -1) {
        if (found >= 256)
            rc = set_row(config, &rows[found - 256], optarg ? optarg : "true", err);
        else if (found == 'h')
            config->help = true;
        else if (found == 'o' && (command & CONFIG_EXPORT))
            rc = set_row(config, find_row("output"), optarg, err);
        else if (found == ':')
            rc = error_set(err, ERROR_INVALID, "%s needs a value", words[optind - 1]);
        else
            rc = refuse(words[optind - 1], command, err);
    }
    for (int i = optind; rc == 0 && i <= argc; i++) {
        if (config->argument_count == CONFIG_ARGUMENTS_CAP)
            rc = error_set(err, ERROR_INVALID, "more than %d arguments", CONFIG_ARGUMENTS_CAP);
        else
            config->arguments[config->argument_count++] = words[i];
    }
    return rc;
}

/* The copy of a service's curricula is a file named by the service's address. Its path is in the
 * fragment of the URL, which is not sent to a server. */
static const char *service_with_copy(struct config *config, const char *data, struct error *err)
{
    const char *from = config->private->given.store, *fragment = strchr(from, '#');
    long seconds = config->private->given.store_timeout;
    const char *one = config->private->given.store_one_session ? "&one_session=1" : "";
    size_t len = strcspn(from, "#"), used = 0;
    char name[256];

    if (fragment)
        return keep(config, err, "%s?seconds=%ld%s", from, seconds, one);
    while (len > 0 && from[len - 1] == '/')
        len--;
    for (size_t i = 0; i < len && used < sizeof name - 1; i++) {
        bool plain = strchr("abcdefghijklmnopqrstuvwxyz0123456789.-", from[i]) != NULL;

        if (plain || (used > 0 && name[used - 1] != '_'))
            name[used++] = *(plain ? &from[i] : "_");
    }
    name[used] = '\0';
    return keep(config, err, "%.*s#%s/%s.copy.db?seconds=%ld%s", (int)len, from, data, name,
                seconds, one);
}

/* The data folder by the XDG rules, and the databases in it. */
static int find_store(struct config *config, struct error *err)
{
    const char *base = environment("XDG_DATA_HOME"), *home = environment("HOME");
    const char *data = config->private->given.data, *store = config->private->given.store;

    if (!data && !base && !home)
        return error_set(err, ERROR_INVALID, "HOME is not set; give --data DIR");
    if (!data)
        data = keep(config, err, "%s%s/lectern", base ? base : home, base ? "" : "/.local/share");
    if (!data)
        return -1;
    if (!store)
        config->store = keep(config, err, "sqlite:%s/lectern.db", data);
    else if (strncmp(store, "http", 4) == 0)
        config->store = service_with_copy(config, data, err);
    else
        config->store = store;
    config->learners = keep(config, err, "sqlite:%s/learners.db", data);
    return config->store && config->learners ? 0 : -1;
}

int config_read(struct config *config, enum config_command command, int argc, char **argv,
                struct error *err)
{
    memset(config, 0, sizeof *config);
    config->private = calloc(1, sizeof *config->private);
    if (!config->private)
        return error_set(err, ERROR_MEMORY, "out of memory for options");
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (rows[i].initial && set_row(config, &rows[i], rows[i].initial, err) < 0)
            return -1;
    }
    if (read_file(config, command, err) < 0 || read_environment(config, command, err) < 0 ||
        read_words(config, command, argc, argv, err) < 0)
        return -1;
    return config->help ? 0 : find_store(config, err);
}

void config_keep(const struct config *config, void *kept, void (*release)(void *))
{
    struct config_private *private = config->private;

    if (private->kept_count == sizeof private->kept / sizeof private->kept[0])
        abort();
    private->kept[private->kept_count].kept = kept;
    private->kept[private->kept_count++].release = release;
}

void config_finish(struct config *config)
{
    for (size_t i = 0; config->private && i < config->private->kept_count; i++)
        config->private->kept[i].release(config->private->kept[i].kept);
    for (size_t i = 0; config->private && i < config->private->count; i++)
        free(config->private->texts[i]);
    free(config->private);
    memset(config, 0, sizeof *config);
}

/* Appends words to a line of `column` columns; wrapped lines begin at HELP_COLUMN. */
static void add_wrapped(struct buf *to, const char *words, size_t column)
{
    while (*words) {
        size_t glued = strncmp(words, "(default: ", 10) == 0 ? 10 : 0,
               len = glued + strcspn(words + glued, " ");

        if (column + 1 + len > HELP_WIDTH) {
            buf_addf(to, "\n%*s", HELP_COLUMN - 1, "");
            column = HELP_COLUMN - 1;
        }
        buf_addf(to, " %.*s", (int)len, words);
        column += 1 + len;
        words += len + strspn(words + len, " ");
    }
}

static void add_row(struct buf *to, const struct option_row *row)
{
    char text[1024];
    int len = snprintf(text, sizeof text, "  --%s%s%s", row->name, row->metavar ? " " : "",
                       row->metavar ? row->metavar : "");

    buf_addf(to, "%-*s", HELP_COLUMN - 1, text);
    snprintf(text, sizeof text, "%s%s%s%s", row->help, row->initial ? " (default: " : "",
             row->initial ? row->initial : "", row->initial ? ")" : "");
    add_wrapped(to, text, (size_t)(len > HELP_COLUMN - 1 ? len : HELP_COLUMN - 1));
    buf_addc(to, '\n');
}

void config_help(enum config_command command, struct buf *to)
{
    for (size_t group = 0; group < sizeof group_titles / sizeof group_titles[0]; group++) {
        bool titled = false;

        for (size_t i = 0; i < ROW_COUNT; i++) {
            if (rows[i].group != group || !(rows[i].commands & (int)command))
                continue;
            if (!titled)
                buf_addf(to, "%s:\n", group_titles[group]);
            titled = true;
            add_row(to, &rows[i]);
        }
        if (titled)
            buf_addc(to, '\n');
    }
    buf_adds(to, "Each option can also be set in the environment (LECTERN_PORT for --port) or in\n"
                 "~/.config/lectern/config.json ({\"port\": 8002}). The command line takes\n"
                 "precedence, then the environment, then the file.\n");
}

bool config_next_option(size_t *next, struct config_option *option)
{
    for (; *next < ROW_COUNT * (sizeof group_titles / sizeof group_titles[0]); ++*next) {
        const struct option_row *row = &rows[*next % ROW_COUNT];

        if (row->group != *next / ROW_COUNT)
            continue;
        *option = (struct config_option){group_titles[row->group],
                                         row->name,
                                         row->metavar,
                                         row->initial,
                                         row->help,
                                         row->commands};
        ++*next;
        return true;
    }
    return false;
}

int config_share_file(const struct config *config, const char *name, char *path, size_t size,
                      struct error *err)
{
    /* The build folder's share/, then the place `make install` uses, then the place set at build
     * time. */
    static const char *const beside_binary[] = {"share", "../share/lectern"};
    char binary[PATH_MAX] = "";
    ssize_t len = readlink("/proc/self/exe", binary, sizeof binary - 1);
    char *slash = len > 0 ? strrchr(binary, '/') : NULL;
    const char *tail = *name ? "/" : "";

    if (config->share) {
        if (snprintf(path, size, "%s%s%s", config->share, tail, name) < (int)size &&
            access(path, R_OK) == 0)
            return 0;
        return *name ? error_set(err, ERROR_UNAVAILABLE, "%s is not in %s", name, config->share)
                     : error_errno(err, errno, "--share %s", config->share);
    }
    for (size_t i = 0; slash && i < sizeof beside_binary / sizeof beside_binary[0]; i++) {
        if (snprintf(path, size, "%.*s/%s%s%s", (int)(slash - binary), binary, beside_binary[i],
                     tail, name) < (int)size &&
            access(path, R_OK) == 0)
            return 0;
    }
    if (snprintf(path, size, "%s%s%s", LECTERN_SHARE_DIR, tail, name) < (int)size &&
        access(path, R_OK) == 0)
        return 0;
    return error_set(
        err, ERROR_UNAVAILABLE,
        "%s is neither beside the binary nor in %s; run `make build` or give --share DIR",
        *name ? name : "the share folder", LECTERN_SHARE_DIR);
}

void config_model(const struct config *config, struct model_config *model)
{
    *model = (struct model_config){
        .url = config->llm_url ? config->llm_url : environment("ANTHROPIC_BASE_URL"),
        .name = config->llm_model,
        .key = environment("ANTHROPIC_API_KEY"),
        .auth_token = environment("ANTHROPIC_AUTH_TOKEN"),
    };
}
