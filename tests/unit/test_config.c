/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "mcp/command/config.h"

static char folder[] = "/tmp/lectern-config-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    setenv("HOME", folder, 1);
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("XDG_DATA_HOME");
    return 0;
}

static int remove_folder(void **state)
{
    char path[PATH_MAX];

    (void)state;
    snprintf(path, sizeof path, "%s/.config/lectern/config.json", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/.config/lectern", folder);
    rmdir(path);
    snprintf(path, sizeof path, "%s/.config", folder);
    rmdir(path);
    return rmdir(folder);
}

static void write_file(const char *text)
{
    char path[PATH_MAX];
    FILE *file;

    snprintf(path, sizeof path, "%s/.config", folder);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/.config/lectern", folder);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/.config/lectern/config.json", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int read_words(struct config *config, enum config_command command, char **words,
                      struct error *err)
{
    int count = 0;

    while (words[count])
        count++;
    return config_read(config, command, count, words, err);
}

static void has_defaults(void **state)
{
    char *words[] = {NULL};
    char store[PATH_MAX];
    struct config config;

    (void)state;
    assert_int_equal(read_words(&config, CONFIG_SERVE, words, NULL), 0);
    assert_int_equal(config.port, 8001);
    assert_string_equal(config.host, "127.0.0.1");
    assert_string_equal(config.sandbox, "auto");
    assert_int_equal(config.attempts, ATTEMPTS_DEFAULT);
    assert_null(config.allow_origin[0]);
    snprintf(store, sizeof store, "sqlite:%s/.local/share/lectern/lectern.db", folder);
    assert_string_equal(config.store, store);
    config_finish(&config);
}

/* Default, file, environment, command line: each over the one before. */
static void later_ones_win(void **state)
{
    char *none[] = {NULL}, *words[] = {"--port",
                                       "9003",
                                       "--allow-origin=https://a.example",
                                       "--allow-origin",
                                       "https://b.example",
                                       "file",
                                       "-",
                                       NULL};
    struct config config;
    struct error err = {0};

    (void)state;
    write_file("{\"port\": 9001, \"json\": true, \"allow-host\": [\"x\", \"y\"]}");
    assert_int_equal(read_words(&config, CONFIG_SERVE, none, &err), 0);
    assert_int_equal(config.port, 9001);
    assert_string_equal(config.allow_host[1], "y");
    config_finish(&config);
    setenv("LECTERN_PORT", "9002", 1);
    assert_int_equal(read_words(&config, CONFIG_SERVE, none, &err), 0);
    assert_int_equal(config.port, 9002);
    config_finish(&config);
    assert_int_equal(read_words(&config, CONFIG_SERVE, words, &err), 0);
    assert_int_equal(config.port, 9003);
    assert_string_equal(config.allow_origin[0], "https://a.example");
    assert_string_equal(config.allow_origin[1], "https://b.example");
    assert_null(config.allow_origin[2]);
    assert_int_equal(config.argument_count, 2);
    assert_string_equal(config.arguments[1], "-");
    config_finish(&config);
    unsetenv("LECTERN_PORT");
    write_file("{}");
}

/* A former name of an option is still accepted, wherever an option can be set. */
static void takes_former_names(void **state)
{
    char *none[] = {NULL}, *words[] = {"--waiting", "bare=3", NULL},
         *now[] = {"--warm=bare=4", NULL};
    struct config config;
    struct error err = {0};

    (void)state;
    write_file("{\"waiting\": \"bare=1\"}");
    assert_int_equal(read_words(&config, CONFIG_SERVE, none, &err), 0);
    assert_string_equal(config.warm, "bare=1");
    config_finish(&config);
    setenv("LECTERN_WAITING", "bare=2", 1);
    assert_int_equal(read_words(&config, CONFIG_SERVE, none, &err), 0);
    assert_string_equal(config.warm, "bare=2");
    config_finish(&config);
    assert_int_equal(read_words(&config, CONFIG_SERVE, words, &err), 0);
    assert_string_equal(config.warm, "bare=3");
    config_finish(&config);
    assert_int_equal(read_words(&config, CONFIG_SERVE, now, &err), 0);
    assert_string_equal(config.warm, "bare=4");
    config_finish(&config);
    unsetenv("LECTERN_WAITING");
    write_file("{}");
}

static void refuses_with_words(void **state)
{
    static const struct {
        char *words[3];
        const char *says;
    } cases[] = {
        {{"--prot", "1", NULL}, "did you mean --port"},
        {{"--port", "eleven", NULL}, "--port must be a number from 0 to 65535, not 'eleven'"},
        {{"--port", "70000", NULL}, "from 0 to 65535"},
        {{"--port", NULL}, "--port needs a value"},
        {{"--dry-run", NULL}, "unknown option '--dry-run'"}, /* another command's */
        {{"-z", NULL}, "unknown option '-z'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct config config;
        struct error err = {0};

        assert_int_equal(read_words(&config, CONFIG_SERVE, (char **)cases[i].words, &err), -1);
        if (!strstr(err.text, cases[i].says))
            fail_msg("'%s' does not say '%s'", err.text, cases[i].says);
        config_finish(&config);
    }
}

static void names_the_file_that_is_wrong(void **state)
{
    static const char *const bad[] = {"[1]", "{\"prot\": 1}", "{\"port\": 1.5}", "{\"port\"",
                                      "{\"port\": [\"1\"]}"};
    char *none[] = {NULL};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct config config;
        struct error err = {0};

        write_file(bad[i]);
        assert_int_equal(read_words(&config, CONFIG_SERVE, none, &err), -1);
        assert_non_null(strstr(err.text, "config.json"));
        config_finish(&config);
    }
    write_file("{}");
}

static void names_the_option_that_was_meant(void **state)
{
    char *none[] = {NULL};
    struct config config;
    struct error err = {0};

    (void)state;
    write_file("{\"prot\": 8001}");
    assert_int_equal(read_words(&config, CONFIG_SERVE, none, &err), -1);
    assert_non_null(strstr(err.text, "unknown member 'prot'; did you mean 'port'?"));
    config_finish(&config);
    write_file("{}");
}

static void help_names_every_option(void **state)
{
    struct buf BUF_AUTO text = {0};

    (void)state;
    buf_init(&text, 0);
    config_help(CONFIG_SERVE, &text);
    assert_non_null(strstr(text.data, "--port N"));
    assert_non_null(strstr(text.data, "(default: 8001)"));
    assert_non_null(strstr(text.data, "--allow-origin"));
    assert_null(strstr(text.data, "--dry-run"));
    assert_ptr_equal(strstr(text.data, "Server:\n  --host"), text.data);
    assert_null(strstr(strstr(text.data, "Server:") + 1, "Server:"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_defaults),
        cmocka_unit_test(later_ones_win),
        cmocka_unit_test(takes_former_names),
        cmocka_unit_test(refuses_with_words),
        cmocka_unit_test(names_the_file_that_is_wrong),
        cmocka_unit_test(names_the_option_that_was_meant),
        cmocka_unit_test(help_names_every_option),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
