/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image/runner/job.h"

#include <string.h>

#include <jansson.h>

#include "executor/frame.h"
#include "image/runner/log_error.h"

static json_t *read_object(const unsigned char *text, size_t len, const char *what)
{
    json_error_t error;
    json_t *object = json_loadb((const char *)text, len, JSON_ALLOW_NUL, &error);

    if (object && json_is_object(object))
        return object;
    log_error("%s is no JSON object: %s", what, object ? "another value" : error.text);
    json_decref(object);
    return NULL;
}

static int read_number(const json_t *object, const char *key, int64_t min, int64_t max,
                       int64_t *number)
{
    const json_t *value = json_object_get(object, key);

    *number = json_integer_value(value);
    if (!json_is_integer(value) || *number < min || *number > max)
        return log_error("the job's %s wants a whole number from %lld to %lld", key, (long long)min,
                         (long long)max);
    return 0;
}

static int check_names(const json_t *object, const char *key)
{
    const json_t *names = json_object_get(object, key);
    const json_t *name;
    size_t i;

    if (!json_is_array(names))
        return log_error("the job's %s wants an array of module names", key);
    json_array_foreach(names, i, name)
    {
        if (!json_is_string(name))
            return log_error("the job's %s has something that is no module name", key);
    }
    return 0;
}

static int read_fields(struct job *job, const json_t *object)
{
    const json_t *session = json_object_get(object, "session_id");
    int64_t timeout, out, err, tail, limit;

    if (!json_is_string(json_object_get(object, "code")))
        return log_error("the job's code wants text");
    if (!json_is_string(json_object_get(object, "profile")))
        return log_error("the job's profile wants text");
    if (session && !json_is_string(session) && !json_is_null(session))
        return log_error("the job's session_id wants text or null");
    if (!json_is_boolean(json_object_get(object, "warnings")))
        return log_error("the job's warnings wants true or false");
    if ((json_object_get(object, "allowed") && check_names(object, "allowed") < 0) ||
        check_names(object, "preload") < 0 ||
        read_number(object, "timeout_ms", 1, JOB_TIMEOUT_MS_MAX, &timeout) < 0 ||
        read_number(object, "stdout_cap", 0, JOB_OUTPUT_MAX, &out) < 0 ||
        read_number(object, "stderr_cap", 0, JOB_OUTPUT_MAX, &err) < 0 ||
        read_number(object, "tail_cap", 0, FRAME_TAIL_CAP, &tail) < 0 ||
        read_number(object, "output_limit", 1, JOB_OUTPUT_MAX, &limit) < 0)
        return -1;
    job->timeout_ms = (unsigned)timeout;
    job->stdout_cap = (uint64_t)out;
    job->stderr_cap = (uint64_t)err;
    job->tail_cap = (size_t)tail;
    job->output_limit = (uint64_t)limit;
    return 0;
}

int job_read(struct job *job, const unsigned char *text, size_t len)
{
    json_t *object = read_object(text, len, "the job");
    int done = object ? read_fields(job, object) : -1;

    json_decref(object);
    return done;
}

static char *write_and_free(json_t *object, size_t cap)
{
    char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;

    json_decref(object);
    if (!text)
        log_error("no memory for a frame");
    if (text && strlen(text) > cap) {
        log_error("a frame would have %zu bytes, more than %zu", strlen(text), cap);
        free(text);
        text = NULL;
    }
    return text;
}

char *ready_write(const unsigned char *said, size_t len, int landlock_abi, bool exec_once)
{
    json_t *object = read_object(said, len, "the interpreter's ready");
    json_t *python = object ? json_object_get(object, "python") : NULL;
    json_t *ready = NULL;

    if (json_is_string(python))
        ready = json_pack("{s:O, s:i, s:b, s:b}", "python", python, "landlock_abi", landlock_abi,
                          "seccomp", 1, "exec_once", exec_once);
    else if (object)
        log_error("the interpreter's ready does not name its python");
    json_decref(object);
    return ready ? write_and_free(ready, FRAME_STATUS_CAP) : NULL;
}

/* The member where it is of that type, else null. A new reference. */
static json_t *member(const json_t *object, const char *key, json_type type)
{
    json_t *value = json_object_get(object, key);

    return value && json_typeof(value) == type ? json_incref(value) : json_null();
}

static bool is_word(const json_t *value)
{
    const char *word = json_string_value(value);
    size_t len = json_string_length(value);

    return word && len > 0 && len <= FRAME_WORD_CAP &&
           strspn(word, "abcdefghijklmnopqrstuvwxyz-") == len;
}

/* {"code", "line"} where it is just that, else null. A new reference. */
static json_t *disagreement(const json_t *object)
{
    json_t *said = json_object_get(object, "disagreement");
    json_t *code = json_object_get(said, "code"), *line = json_object_get(said, "line");

    if (!is_word(code) || !json_is_integer(line) || json_integer_value(line) < 0 ||
        json_integer_value(line) > FRAME_LINE_MAX)
        return json_null();
    return json_pack("{s:O, s:O}", "code", code, "line", line);
}

char *result_write(const unsigned char *said, size_t len, struct result_facts *facts)
{
    json_t *object = read_object(said, len, "the interpreter's result");
    const char *type;
    json_t *result;

    if (!object)
        return NULL;
    type = json_string_value(json_object_get(object, "error_type"));
    facts->failed = json_is_string(json_object_get(object, "error"));
    facts->memory = facts->failed && type && strcmp(type, "MemoryError") == 0;
    facts->exit_code = (int)(json_integer_value(json_object_get(object, "exit_code")) & 0xff);
    result = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o}", "value", member(object, "value", JSON_STRING), "bound",
        member(object, "bound", JSON_TRUE), "error", member(object, "error", JSON_STRING),
        "error_type", member(object, "error_type", JSON_STRING), "line",
        member(object, "line", JSON_INTEGER), "disagreement", disagreement(object));
    json_decref(object);
    return write_and_free(result, FRAME_RESULT_CAP);
}

char *ending_write(const struct ending *ending)
{
    static const char *const words[] = {
        [VERDICT_NONE] = "crash",          [VERDICT_OK] = "ok",
        [VERDICT_ERROR] = "error",         [VERDICT_TIMEOUT] = "timeout",
        [VERDICT_MEMORY] = "memory",       [VERDICT_OUTPUT] = "output",
        [VERDICT_CRASH] = "crash",         [VERDICT_IMPORT] = "import",
        [VERDICT_CANCELLED] = "cancelled",
    };

    return write_and_free(
        json_pack("{s:s, s:i, s:i, s:f, s:I, s:I, s:I, s:I}", "status", words[ending->verdict],
                  "exit_code", ending->exit_code, "signal", ending->signal, "seconds",
                  ending->seconds, "stdout_bytes", (json_int_t)ending->stdout_bytes, "stderr_bytes",
                  (json_int_t)ending->stderr_bytes, "stdout_cut", (json_int_t)ending->stdout_cut,
                  "stderr_cut", (json_int_t)ending->stderr_cut),
        FRAME_STATUS_CAP);
}
