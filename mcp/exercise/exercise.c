/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/exercise/exercise.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/exercise/number.h"
#include "mcp/exercise/python_value.h"

#define NAME_MAX_BYTES 200.0
#define STREAM_MAX     65536.0 /* bytes of a case's stdin or stdout */
#define FIELD_CAP      160     /* bytes of a place in an error */
#define OPTION_SHOWN   80      /* bytes of an option in an error */

const char *const question_kinds[] = {"choice", "number", "text", "open", NULL};

/* ---- cases ---- */

static const struct field case_rows[] = {
    FIELD("name", FIELD_TEXT, .most = NAME_MAX_BYTES, .flags = FIELD_LINE),
    FIELD("call", FIELD_TEXT, .least = 1, .most = NAME_MAX_BYTES, .flags = FIELD_LINE),
    FIELD("args", FIELD_ARRAY),
    FIELD("kwargs", FIELD_MAP),
    FIELD("expect", FIELD_ANY, .flags = FIELD_NULL),
    FIELD("raises", FIELD_TEXT, .least = 1, .most = NAME_MAX_BYTES, .flags = FIELD_LINE),
    FIELD("stdin", FIELD_TEXT, .most = STREAM_MAX),
    FIELD("stdout", FIELD_TEXT, .most = STREAM_MAX),
    FIELD("hidden", FIELD_FLAG),
    {0},
};
static const struct fields a_case = {.name = "a case", .rows = case_rows, .flags = FIELDS_OPEN};

/* "area", "Stack.push". */
static bool is_dotted_name(const char *name)
{
    bool first = true;

    for (; *name; name++) {
        unsigned char byte = (unsigned char)*name;

        if (byte == '.' && !first)
            first = true;
        else if (isalpha(byte) || byte == '_' || byte >= 0x80 || (!first && isdigit(byte)))
            first = false;
        else
            return false;
    }
    return !first;
}

/* A member that is a value of Python. */
static void check_value(const json_t *value, const char *name, struct validation_errors *problems)
{
    struct error err = {0};
    json_t *read = value ? python_value_read(value, &err) : NULL;

    if (value && !read)
        validation_add(problems, name, "%s", err.text);
    json_decref(read);
}

/* The rules between the members of a case. */
static void check_members(const json_t *one, struct validation_errors *problems)
{
    const char *call = json_get_string(one, "call"), *raises = json_get_string(one, "raises");
    bool expects = json_object_get(one, "expect") != NULL;
    bool stream = json_object_get(one, "stdin") || json_object_get(one, "stdout");
    const json_t *kwargs = json_object_get(one, "kwargs");
    const char *name;
    json_t *value;

    if (!call && !json_get_string(one, "stdout")) {
        validation_add(problems, "",
                       "needs either call with expect or raises, or stdin with stdout: {\"call\": "
                       "\"area\", \"args\": [2, 3], \"expect\": 6}");
        return;
    }
    if (call && stream)
        validation_add(problems, "", "has both call and stdin or stdout; write two cases");
    else if (call && expects == (raises != NULL))
        validation_add(problems, "", "needs one of expect and raises, %s",
                       expects ? "and has both"
                               : "for a function without a result \"expect\": null");
    else if (!call && (expects || raises))
        validation_add(problems, "", "has expect or raises without call");
    if (call && !is_dotted_name(call))
        validation_add(problems, "call",
                       "must be the name of a function, such as area; args has its arguments");
    if (raises && !is_dotted_name(raises))
        validation_add(problems, "raises", "must be the name of an exception, such as ValueError");
    check_value(json_object_get(one, "args"), "args", problems);
    check_value(json_object_get(one, "expect"), "expect", problems);
    json_object_foreach((json_t *)kwargs, name, value)
    {
        if (!is_dotted_name(name) || strchr(name, '.'))
            validation_add(problems, "kwargs",
                           "the names of keyword arguments are names of Python");
        check_value(value, "kwargs", problems);
    }
}

static void check_case(const json_t *one, const char *field, struct validation_errors *problems)
{
    struct validation_errors found;
    struct error err = {0};
    char where[ERROR_LOC_CAP];

    if (!json_is_object(one)) {
        validation_add(problems, field, "must be an object, not %s", json_kind(one));
        return;
    }
    snprintf(where, sizeof where, "%s%s%s", problems->loc, *problems->loc ? "." : "", field);
    validation_begin(&found, where);
    fields_check(&a_case, one, NULL, &found);
    if (found.count == 0)
        check_members(one, &found);
    if (validation_end(&found, NULL, &err) < 0)
        validation_take(problems, &err);
}

static void check_cases(const struct field *row, const json_t *value, const json_t *object,
                        const char *name, struct validation_errors *problems)
{
    size_t count = json_array_size(value);
    struct buf BUF_AUTO text = {0};

    (void)row;
    (void)object;
    if (!json_is_array(value) || count < 1 || count > EXERCISE_CASES_CAP) {
        validation_add(problems, name, "must be an array of 1 to %d cases", EXERCISE_CASES_CAP);
        return;
    }
    buf_init(&text, EXERCISE_CASES_SIZE);
    json_write(&text, value);
    if (text.failed) {
        validation_add(problems, name, "is larger than %zu KB", EXERCISE_CASES_SIZE >> 10);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        char field[FIELD_CAP];

        snprintf(field, sizeof field, "%s.%zu", name, i);
        check_case(json_array_get(value, i), field, problems);
    }
}

static void describe_cases(const struct field *row, struct buf *to)
{
    (void)row;
    buf_adds(to, "array of {call, args, expect or raises} or {stdin, stdout}, hidden optional");
}

const struct fields exercise_cases = {.name = "a case",
                                      .rows = case_rows,
                                      .flags = FIELDS_OPEN,
                                      .describe = describe_cases,
                                      .check = check_cases};

/* ---- lists of texts ---- */

static void check_texts(const json_t *value, const char *name, size_t cap,
                        struct validation_errors *problems)
{
    json_t *item;
    size_t i;

    if (!json_is_array(value) || json_array_size(value) > cap) {
        validation_add(problems, name, "must be an array of at most %zu texts", cap);
        return;
    }
    json_array_foreach((json_t *)value, i, item)
    {
        char field[FIELD_CAP];

        snprintf(field, sizeof field, "%s.%zu", name, i);
        if (json_string_length(item) == 0)
            validation_add(problems, field, "must be text that is not empty");
    }
}

static void check_hints(const struct field *row, const json_t *value, const json_t *object,
                        const char *name, struct validation_errors *problems)
{
    (void)row;
    (void)object;
    check_texts(value, name, EXERCISE_HINTS_CAP, problems);
}

static void check_list(const struct field *row, const json_t *value, const json_t *object,
                       const char *name, struct validation_errors *problems)
{
    (void)row;
    (void)object;
    check_texts(value, name, EXERCISE_LIST_CAP, problems);
}

static void describe_hints(const struct field *row, struct buf *to)
{
    (void)row;
    buf_addf(to, "array of text, %d at most, from a nudge to a similar example",
             EXERCISE_HINTS_CAP);
}

static void describe_list(const struct field *row, struct buf *to)
{
    (void)row;
    buf_adds(to, "array of text");
}

static void schema_texts(const struct field *row, const void *context, struct buf *to)
{
    (void)row;
    (void)context;
    buf_adds(to, "{\"type\":\"string\"}");
}

const struct fields exercise_hints = {.name = "hints",
                                      .describe = describe_hints,
                                      .write_schema = schema_texts,
                                      .check = check_hints};
const struct fields exercise_list = {
    .name = "a list", .describe = describe_list, .write_schema = schema_texts, .check = check_list};

/* ---- questions ---- */

static bool is_answer(const json_t *value)
{
    return json_is_number(value) || json_string_length(value) > 0;
}

static void check_answers(const struct field *row, const json_t *value, const json_t *object,
                          const char *name, struct validation_errors *problems)
{
    bool good = is_answer(value) || (json_is_array(value) && json_array_size(value) > 0 &&
                                     json_array_size(value) <= EXERCISE_LIST_CAP);

    (void)row;
    (void)object;
    for (size_t i = 0; good && i < json_array_size(value); i++)
        good = is_answer(json_array_get(value, i));
    if (!good)
        validation_add(problems, name, "must be a text, a number, or an array of 1 to %d of them",
                       EXERCISE_LIST_CAP);
}

static void describe_answers(const struct field *row, struct buf *to)
{
    (void)row;
    buf_adds(to, "text or number, or an array of all that are right");
}

static void schema_answers(const struct field *row, const void *context, struct buf *to)
{
    (void)row;
    (void)context;
    buf_adds(to, "{\"type\":[\"string\",\"number\",\"array\"],\"items\":{\"type\":[\"string\","
                 "\"number\"]}}");
}

const struct fields question_answers = {.name = "answers",
                                        .describe = describe_answers,
                                        .write_schema = schema_answers,
                                        .check = check_answers};

static bool is_option(const json_t *options, const json_t *answer)
{
    for (size_t i = 0; i < json_array_size(options); i++)
        if (json_equal(json_array_get(options, i), (json_t *)answer))
            return true;
    return false;
}

static bool is_number(const json_t *answer)
{
    double readings[NUMBER_READINGS_MAX];

    return json_is_number(answer) ||
           (json_is_string(answer) && number_read(json_string_value(answer), false, readings) > 0);
}

/* Each answer of a number, or of a choice, which has options. */
static void check_each(const json_t *parameters, bool choice, struct validation_errors *problems)
{
    json_t *answer = json_object_get(parameters, "answer");
    json_auto_t *answers = json_is_array(answer) ? json_incref(answer) : json_pack("[O]", answer);
    const json_t *options = json_object_get(parameters, "options");
    const char *option = json_string_value(json_array_get(options, 0));

    for (size_t i = 0; i < json_array_size(answers); i++) {
        const json_t *one = json_array_get(answers, i);

        if (choice && !is_option(options, one))
            validation_add(problems, "answer",
                           "must be one of the options, word for word, such as \"%.*s\"",
                           (int)utf8_cut(option, strlen(option), OPTION_SHOWN), option);
        else if (!choice && !is_number(one))
            validation_add(problems, "answer", "must be a number, such as 0.75 or \"3/4\"");
        else
            continue;
        return;
    }
}

static bool is_given(const json_t *parameters, const char *name)
{
    const json_t *value = json_object_get(parameters, name);

    return value && !json_is_null(value);
}

void question_check(const json_t *parameters, struct validation_errors *problems)
{
    const char *kind = json_get_string(parameters, "kind");
    bool choice = strcmp(kind, "choice") == 0, open = strcmp(kind, "open") == 0;
    bool number = strcmp(kind, "number") == 0;
    size_t options = json_array_size(json_object_get(parameters, "options"));

    if (choice && options < 2)
        validation_add(problems, "options",
                       "a choice needs at least two of them, such as [\"yes\", \"no\"]");
    else if (!choice && options > 0)
        validation_add(problems, "options", "only a question of kind choice has options");
    if (open && json_array_size(json_object_get(parameters, "criteria")) < 1)
        validation_add(problems, "criteria",
                       "an open question needs them, the points of a good answer: [\"says why\"]");
    if (!open && !is_given(parameters, "answer"))
        validation_add(problems, "answer", "is needed, send the right answer");
    else if (number || (choice && options > 0))
        check_each(parameters, choice, problems);
    if (!number && is_given(parameters, "tolerance"))
        validation_add(problems, "tolerance", "only a question of kind number has a tolerance");
}
