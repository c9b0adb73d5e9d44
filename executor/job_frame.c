/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/job_frame.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/utf8.h"

#define SECONDS_MAX 3600.0 /* upper limit of a run; larger values are ignored */

static json_t *name_array(const char *const *names)
{
    json_t *array = json_array();

    for (const char *const *name = names; array && name && *name; name++) {
        if (json_array_append_new(array, json_string(*name)) < 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *job_json(const struct execution_job *job, unsigned timeout_ms, struct error *err)
{
    json_auto_t *preload = name_array(job->preload);
    json_auto_t *added = name_array(job->added);
    json_t *json = NULL;

    if (preload && added)
        json = json_pack("{s:s%, s:s, s:O, s:s?, s:O*, s:I, s:O, s:b, s:b}", "code", job->code,
                         job->code_len, "profile", job->profile ? job->profile : "minimal", "added",
                         added, "session_id", job->session_id, "also", job->also, "timeout_ms",
                         (json_int_t)timeout_ms, "preload", preload, "warnings", job->warnings,
                         "grading", job->on_case != NULL);
    if (!json)
        error_set(err, ERROR_INVALID,
                  "the code, the session and the names of modules must be UTF-8");
    return json;
}

char *job_frame_pack(const struct execution_job *job, unsigned timeout_ms, size_t *len,
                     struct error *err)
{
    json_t *json = job_json(job, timeout_ms, err);
    const struct frame_job limits = {.timeout_ms = timeout_ms,
                                     .stdout_cap = EXECUTION_STDOUT_CAP,
                                     .stderr_cap = EXECUTION_STDERR_CAP,
                                     .tail_cap = EXECUTION_TAIL_CAP,
                                     .output_limit = EXECUTION_OUTPUT_LIMIT};
    unsigned char heads[FRAME_HEAD_SIZE + FRAME_JOB_HEAD] = {0};
    BUF_AUTO struct buf frame = {0};
    char *bytes;

    if (!json)
        return NULL;
    frame_job_pack(heads + FRAME_HEAD_SIZE, &limits);
    buf_init(&frame, FRAME_HEAD_SIZE + FRAME_JOB_CAP);
    buf_add(&frame, heads, sizeof heads);
    json_write(&frame, json);
    json_decref(json);
    if (buf_check(&frame, "the code with its job", err) < 0)
        return NULL;
    frame_pack((unsigned char *)frame.data, FRAME_JOB, (uint32_t)(frame.len - FRAME_HEAD_SIZE));
    bytes = buf_steal(&frame, len);
    if (!bytes)
        error_set(err, ERROR_MEMORY, "out of memory for a job");
    return bytes;
}

static json_t *read_object(const struct frame *frame, const char *what, struct error *err)
{
    json_t *json = json_read(frame->payload ? frame->payload : "", frame->len, what, err);

    if (json && !json_is_object(json)) {
        error_set(err, ERROR_MALFORMED, "%s is not a JSON object", what);
        json_decref(json);
        json = NULL;
    }
    return json;
}

static uint64_t count_at(const json_t *object, const char *key)
{
    json_int_t count = json_integer_value(json_object_get(object, key));

    return count > 0 ? (uint64_t)count : 0;
}

int job_exit_read(const struct frame *frame, struct job_exit *ended, struct error *err)
{
    static const struct {
        const char *word;
        enum execution_status status;
    } words[] = {
        {"ok", EXECUTION_OK},
        {"import", EXECUTION_RUNTIME},
        {"timeout", EXECUTION_TIMEOUT},
        {"memory", EXECUTION_MEMORY},
        {"output", EXECUTION_OUTPUT},
        {"crash", EXECUTION_CRASH},
        {"cancelled", EXECUTION_CANCELLED},
    };
    json_t *json = read_object(frame, "the runner's last frame", err);
    const char *word;
    bool known = false;

    if (!json)
        return -1;
    word = json_get_string(json, "status");
    for (size_t i = 0; word && i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i].word, word) == 0) {
            ended->status = words[i].status;
            known = true;
        }
    }
    ended->exit_code = (int)json_integer_value(json_object_get(json, "exit_code")) & 0xff;
    ended->signal = (int)json_integer_value(json_object_get(json, "signal")) & 0x7f;
    ended->seconds = -1;
    if (json_is_number(json_object_get(json, "seconds")))
        ended->seconds = json_number_value(json_object_get(json, "seconds"));
    if (!(ended->seconds >= 0 && ended->seconds < SECONDS_MAX))
        ended->seconds = -1;
    ended->stdout_cut = count_at(json, "stdout_cut");
    ended->stderr_cut = count_at(json, "stderr_cut");
    ended->ran = !json_is_false(json_object_get(json, "ran"));
    if (!known)
        error_set(err, ERROR_MALFORMED, "the runner's last frame has no status that is known");
    json_decref(json);
    return known ? 0 : -1;
}

/* A copy of the text at key with NULs replaced, because it becomes a C string; NULL if absent. */
static char *text_at(const json_t *object, const char *key)
{
    const json_t *string = json_object_get(object, key);
    const char *text = json_string_value(string);
    size_t len = json_string_length(string);
    BUF_AUTO struct buf copy = {0};

    if (!text)
        return NULL;
    utf8_clean(text, len, (size_t)UTF8_LEN_MAX * FRAME_RESULT_CAP, &copy);
    return buf_steal(&copy, NULL);
}

/* 0 if absent, or not a line of a program. */
static long line_at(const json_t *object)
{
    const json_t *line = json_object_get(object, "line");
    json_int_t number = json_integer_value(line);

    return number > 0 && number <= FRAME_LINE_MAX ? (long)number : 0;
}

/* Reads a word of a-z and '-' and a line, which go into the log; ignores anything else. */
static void read_disagreement(const json_t *object, struct job_result *result)
{
    const json_t *said = json_object_get(object, "disagreement");
    const json_t *code = json_object_get(said, "code"), *line = json_object_get(said, "line");
    const char *word = json_string_value(code);
    size_t len = json_string_length(code);

    if (!word || len == 0 || len > FRAME_WORD_CAP || !json_is_integer(line) ||
        strspn(word, "abcdefghijklmnopqrstuvwxyz-") != len || json_integer_value(line) < 0 ||
        json_integer_value(line) > FRAME_LINE_MAX)
        return;
    memcpy(result->refused, word, len + 1);
    result->refused_line = (long)json_integer_value(line);
}

int job_result_read(const struct frame *frame, struct job_result *result, struct error *err)
{
    json_t *json = read_object(frame, "the interpreter's result", err);

    if (!json)
        return -1;
    result->value = text_at(json, "value");
    result->value_bound = json_is_true(json_object_get(json, "bound"));
    result->error = text_at(json, "error");
    result->error_type = text_at(json, "error_type");
    result->error_line = line_at(json);
    result->exit_code = (int)json_integer_value(json_object_get(json, "exit_code")) & 0xff;
    read_disagreement(json, result);
    json_decref(json);
    return 0;
}

void job_result_finish(struct job_result *result)
{
    free(result->value);
    free(result->error);
    free(result->error_type);
    memset(result, 0, sizeof *result);
}
