/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `lectern validate`: checks programs as execute_code would, and runs nothing.
 */
#include "mcp/command/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/terminal.h"
#include "validator/limits.h"
#include "validator/validator.h"

/* Far above what is accepted, so that a program that is too long gets the validator's own answer.
 */
#define READ_CAP ((size_t)16 << 20)

/* The verdict of one program, as text or as a line of JSON with the file's name. */
static int answer(const struct config *config, const char *path, const struct buf *source,
                  const struct verdict *verdict, struct buf *to, struct error *err)
{
    struct buf BUF_AUTO object = {0};
    json_auto_t *value = NULL;

    if (!config->json) {
        if (config->argument_count > 1)
            buf_addf(to, "%s: %s", path, verdict->accepted ? "" : "refused\n");
        if (verdict->accepted && validator_is_blank(source->data, source->len))
            buf_adds(to, "accepted, but there is no code to run\n");
        else
            validator_explain(verdict, source->data, source->len, to);
        return buf_check(to, "the answer", err);
    }
    buf_init(&object, 0);
    validator_explain_json(verdict, &object);
    if (buf_check(&object, "the answer", err) < 0)
        return -1;
    value = json_read(object.data, object.len, "the verdict", err);
    if (!value)
        return -1;
    json_object_set_new(value, "file", json_string(path));
    json_write(to, value);
    buf_addc(to, '\n');
    return buf_check(to, "the answer", err);
}

static int check_file(const struct config *config, const char *path,
                      const struct validator_profile *profile, struct verdict *verdict)
{
    struct buf BUF_AUTO source = {0};
    struct buf BUF_AUTO text = {0};
    struct error err = {0};

    buf_init(&text, 0);
    if (command_read_file(path, READ_CAP, &source, &err) < 0)
        return command_fail("validate", EXIT_USAGE, &err);
    validator_check(source.data, source.len, profile, verdict);
    if (answer(config, path, &source, verdict, &text, &err) < 0)
        return command_fail("validate", EXIT_USAGE, &err);
    terminal_write(stdout, text.data, text.len);
    return verdict->accepted ? EXIT_OK : EXIT_FAILED;
}

static int dump_policy(void)
{
    struct buf BUF_AUTO text = {0};
    struct error err = {0};

    buf_init(&text, 0);
    validator_dump_policy(&text);
    if (buf_check(&text, "the policy", &err) < 0)
        return command_fail("validate", EXIT_USAGE, &err);
    printf("%s\n", text.data);
    return EXIT_OK;
}

static int print_file_facts(const char *path)
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

/* --facts: what the parser sees in programs, before any policy and without the cap on their size.
 * EXIT_OK whatever the programs are, EXIT_USAGE when one could not be read. */
static int print_facts(const struct config *config)
{
    static const char *const standard_input[] = {"-", NULL};
    const char *const *paths = config->argument_count ? config->arguments : standard_input;
    int status = EXIT_OK, of_file;

    for (; *paths; paths++) {
        of_file = print_file_facts(*paths);
        status = of_file > status ? of_file : status;
    }
    return status;
}

static int run(const struct config *config)
{
    const struct validator_profile *profile = validator_profile_find(config->profile);
    const char *const *paths = config->arguments;
    static const char *const standard_input[] = {"-", NULL};
    struct verdict *verdict;
    struct error err = {0};
    int status = EXIT_OK, of_file;

    if (config->dump_policy)
        return dump_policy();
    if (config->facts)
        return print_facts(config);
    if (!profile) {
        error_set(&err, ERROR_INVALID, "unknown profile '%s'; the profiles are %s", config->profile,
                  validator_profile_names());
        return command_fail("validate", EXIT_USAGE, &err);
    }
    verdict = calloc(1, sizeof *verdict);
    if (!verdict) {
        error_set(&err, ERROR_MEMORY, "out of memory");
        return command_fail("validate", EXIT_USAGE, &err);
    }
    if (config->argument_count == 0)
        paths = standard_input;
    for (; *paths; paths++) {
        of_file = check_file(config, *paths, profile, verdict);
        status = of_file > status ? of_file : status;
    }
    free(verdict);
    return status;
}

const struct command command_validate = {
    .name = "validate",
    .usage = "[OPTIONS] [FILE...]",
    .summary = "Check Python programs against the policy without running them",
    .options = CONFIG_VALIDATE,
    .takes_words = true,
    .run = run,
};
