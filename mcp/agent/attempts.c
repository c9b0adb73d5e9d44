/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/agent/attempts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "validator/validator.h"

void attempts_init(struct attempts *attempts, unsigned most)
{
    attempts->most = most;
}

/* ---- the programs ---- */

void attempts_digest(const char *code, size_t len, const char *with, char digest[SHA256_TEXT_SIZE])
{
    cleanup_free struct verdict *verdict = malloc(sizeof *verdict);
    bool is_tree = verdict && validator_digest(code, len, verdict, digest);
    struct sha256 *state;

    if (is_tree && !with)
        return;
    state = sha256_create();
    if (is_tree)
        sha256_add(state, digest, strlen(digest));
    else
        sha256_add(state, code, len);
    if (with)
        sha256_add(state, with, strlen(with));
    sha256_end(state, digest);
    sha256_destroy(state);
}

/* Those in the ring. */
static size_t stored(const struct attempts *attempts)
{
    return attempts->count < ATTEMPTS_PROGRAMS_CAP ? attempts->count : ATTEMPTS_PROGRAMS_CAP;
}

static struct attempts_program *find(const struct attempts *attempts, const char *digest)
{
    for (size_t i = 0; i < stored(attempts); i++) {
        if (strcmp(attempts->programs[i].digest, digest) == 0)
            return (struct attempts_program *)&attempts->programs[i];
    }
    return NULL;
}

const struct attempts_program *attempts_find(const struct attempts *attempts, const char *digest)
{
    const struct attempts_program *found = find(attempts, digest);

    return found && !found->may_run ? found : NULL;
}

void attempts_forget(struct attempts *attempts)
{
    for (size_t i = 0; i < stored(attempts); i++)
        attempts->programs[i].may_run = true;
}

/* In one line, which begins with the line of the program where that is known. */
static void set_error(struct attempts_program *program, const struct failure *failure)
{
    struct buf BUF_AUTO line = {0}, clean = {0};

    if (failure->line > 0)
        buf_addf(&line, "line %lu: ", failure->line);
    buf_add(&line, failure->message, strcspn(failure->message, "\n"));
    utf8_clean(line.data ? line.data : "", line.len, sizeof program->error - 1, &clean);
    snprintf(program->error, sizeof program->error, "%s", clean.data ? clean.data : "");
}

void attempts_take(struct attempts *attempts, const char *digest, const struct failure *failure)
{
    struct attempts_program *program = digest ? find(attempts, digest) : NULL;

    attempts->has_success |= failure->category == FAILURE_NONE;
    if (!failure_is_repairable(failure->category))
        return;
    attempts->has_failed = true;
    if (!digest)
        return;
    if (!program)
        program = &attempts->programs[attempts->count++ % ATTEMPTS_PROGRAMS_CAP];
    *program =
        (struct attempts_program){.attempt = attempts->failed + 1, .category = failure->category};
    snprintf(program->digest, sizeof program->digest, "%s", digest);
    set_error(program, failure);
}

void attempts_take_repeat(struct attempts *attempts)
{
    attempts->has_failed = true;
}

/* ---- how many ---- */

void attempts_close(struct attempts *attempts)
{
    if (attempts->has_failed) {
        attempts->failed++;
    } else if (attempts->has_success) {
        attempts->failed = 0;
        for (size_t i = 0; i < stored(attempts); i++)
            attempts->programs[i].attempt = 0;
    }
    attempts->has_failed = attempts->has_success = false;
}

unsigned attempts_failed(const struct attempts *attempts)
{
    return attempts->failed + attempts->has_failed;
}

bool attempts_left(const struct attempts *attempts)
{
    return attempts_failed(attempts) < attempts->most;
}

enum attempts_advice attempts_advise(const struct attempts *attempts)
{
    if (!attempts_left(attempts))
        return ATTEMPTS_NONE_LEFT;
    return attempts_failed(attempts) > 1 ? ATTEMPTS_OTHER_WAY : ATTEMPTS_REPAIR;
}

/* ---- in words ---- */

void attempts_write_advice(const struct attempts *attempts, struct buf *to)
{
    static const char *const advice[] = {
        [ATTEMPTS_REPAIR] = "Correct the cause of the error, then run the whole program again.",
        [ATTEMPTS_OTHER_WAY] = "The next attempt must take another approach: use other data, "
                               "another helper or another method, or a query instead of code. Do "
                               "not correct the same program again.",
        [ATTEMPTS_NONE_LEFT] = "Run no more code. Give the best answer there is from the results "
                               "so far. Begin it with \"Partial answer:\", and end it with a list "
                               "of the open points: each part of the question without a result, "
                               "and the reason.",
    };

    if (attempts_left(attempts))
        buf_addf(to, "Attempt %u of %u is next. ", attempts_failed(attempts) + 1, attempts->most);
    else
        buf_addf(to, "Attempt %u of %u was the last. ", attempts_failed(attempts), attempts->most);
    buf_adds(to, advice[attempts_advise(attempts)]);
}

void attempts_write_repeat(const struct attempts_program *program, struct buf *to)
{
    buf_addf(to,
             "Not run: but for comments and layout it is the same program as one that failed "
             "before, with: %s",
             program->error);
}

void attempts_write_errors(const struct attempts *attempts, struct buf *to)
{
    for (size_t i = attempts->count - stored(attempts); i < attempts->count; i++) {
        const struct attempts_program *program = &attempts->programs[i % ATTEMPTS_PROGRAMS_CAP];

        if (program->attempt > 0)
            buf_addf(to, "- attempt %u: %s\n", program->attempt, program->error);
    }
}

void attempts_write_log(const struct attempts *attempts, struct buf *to)
{
    buf_addf(to, "attempt=%u/%u", attempts->failed + 1, attempts->most);
}

/* ---- kept ---- */

json_t *attempts_json(const struct attempts *attempts)
{
    json_t *programs = json_array();

    for (size_t i = attempts->count - stored(attempts); i < attempts->count; i++) {
        const struct attempts_program *program = &attempts->programs[i % ATTEMPTS_PROGRAMS_CAP];

        json_array_append_new(
            programs, json_pack("{s:s, s:i, s:b, s:s, s:s}", "digest", program->digest, "attempt",
                                (int)program->attempt, "mayRun", program->may_run, "category",
                                failure_category_name(program->category), "error", program->error));
    }
    return json_pack("{s:i, s:o}", "failed", (int)attempts->failed, "programs", programs);
}

static void read_program(struct attempts_program *program, const json_t *from)
{
    const char *digest = json_get_string(from, "digest"), *error = json_get_string(from, "error");

    program->attempt = (unsigned)json_integer_value(json_object_get(from, "attempt"));
    program->may_run = json_is_true(json_object_get(from, "mayRun"));
    for (int i = FAILURE_NONE; i <= FAILURE_INTERNAL; i++) {
        if (json_string_is(from, "category", failure_category_name((enum failure_category)i)))
            program->category = (enum failure_category)i;
    }
    snprintf(program->digest, sizeof program->digest, "%s", digest ? digest : "");
    snprintf(program->error, sizeof program->error, "%s", error ? error : "");
}

void attempts_read(struct attempts *attempts, const json_t *kept)
{
    const json_t *programs = json_object_get(kept, "programs"), *program;
    size_t i;

    attempts->failed = (unsigned)json_integer_value(json_object_get(kept, "failed"));
    json_array_foreach((json_t *)programs, i, program)
    {
        if (i < ATTEMPTS_PROGRAMS_CAP)
            read_program(&attempts->programs[attempts->count++], program);
    }
}
