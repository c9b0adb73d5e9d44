/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `lectern validate`: checks programs as execute_code would, and runs nothing.
 */
#include "mcp/command/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/json.h"
#include "helpers/base/terminal.h"
#include "mcp/command/server.h"
#include "mcp/format/file.h"
#include "validator/validator.h"

/* Far above what is accepted, so that a program that is too long gets the validator's own answer.
 */
#define READ_CAP ((size_t)16 << 20)

/* The verdict of one program, as text or as a line of JSON with the file's name. */
static int answer(const struct config *config, const char *path, const struct buf *source,
                  const struct verdict *verdict, struct buf *to, struct error *err)
{
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
    value = validator_explain_json(verdict);
    if (!value)
        return error_set(err, ERROR_MEMORY, "out of memory");
    json_object_set_new(value, "file", json_string(path));
    json_write(to, value);
    buf_addc(to, '\n');
    return buf_check(to, "the answer", err);
}

static int check_file(const struct config *config, const char *path,
                      const struct validator_profile *profile, struct verdict *verdict,
                      struct error *err)
{
    struct buf BUF_AUTO source = {0}, BUF_AUTO text = {0};

    if (file_read(path, READ_CAP, &source, err) < 0)
        return EXIT_USAGE;
    validator_check(source.data, source.len, profile, verdict);
    if (answer(config, path, &source, verdict, &text, err) < 0)
        return EXIT_USAGE;
    terminal_write(stdout, text.data, text.len);
    return verdict->accepted ? EXIT_OK : EXIT_FAILED;
}

static int dump_policy(struct error *err)
{
    struct buf BUF_AUTO text = {0};

    validator_dump_policy(&text);
    if (buf_check(&text, "the policy", err) < 0)
        return EXIT_USAGE;
    printf("%s\n", text.data);
    return EXIT_OK;
}

static int run(const struct config *config, struct error *err)
{
    static const char *const standard_input[] = {"-", NULL};
    const char *const *paths = config->argument_count > 0 ? config->arguments : standard_input;
    const struct validator_profile *profile;
    cleanup_free struct verdict *verdict = NULL;
    int status = EXIT_OK;

    if (config->dump_policy)
        return dump_policy(err);
    profile = server_profile(config, err);
    if (!profile)
        return EXIT_USAGE;
    verdict = calloc(1, sizeof *verdict);
    if (!verdict) {
        error_set(err, ERROR_MEMORY, "out of memory");
        return EXIT_USAGE;
    }
    for (; *paths; paths++) {
        struct error wrong = {0};
        int of_file = check_file(config, *paths, profile, verdict, &wrong);

        if (of_file == EXIT_USAGE) /* the other files are still checked */
            command_fail("validate", &wrong);
        status = of_file > status ? of_file : status;
    }
    return status;
}

const struct command command_validate = {
    .name = "validate",
    .usage = "[OPTIONS] [FILE...]",
    .summary = "Check Python programs against the policy without running them",
    .options = CONFIG_VALIDATE,
    .most_words = CONFIG_ARGUMENTS_CAP,
    .run = run,
};
