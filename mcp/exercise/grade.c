/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One grading, from the program to the result. A run asks for case after case; if it ends before it
 * has answered one, that case is marked and another run goes on with the next. A program without an
 * exercise has one case, whose output is not compared.
 */
#include "mcp/exercise/grade.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "helpers/base/utf8.h"
#include "mcp/exercise/case.h"
#include "mcp/exercise/exercise.h"
#include "mcp/exercise/python_value.h"
#include "validator/validator.h"

#define TYPES_MAX       4 /* classes of an exception: a program could list all there are */
#define EXPLANATION_CAP ((size_t)4 << 10) /* bytes of the validator's */

_Static_assert(GRADE_CODE_CAP == VALIDATOR_SOURCE_CAP, "the validator reads a whole program");

enum outcome { NOT_RUN, PASSED, FAILED, BROKEN };

struct case_row {
    struct exercise_case test; /* its authored is of grade->exercise */
    enum outcome outcome;
    char *message, *output; /* owned, or NULL */
};

struct grade {
    struct executor *executor;
    json_t *exercise; /* a copy, which only the executor's thread uses from now on */
    struct grade_request request;
    struct verdict verdict;
    const char *preload[VALIDATOR_MODULES_CAP + 1];
    enum comparison comparison;
    unsigned limit_ms; /* of this run */
    int64_t left_ms;   /* for the runs after the first */
    unsigned runs;
    bool loading,
        loaded; /* of this run: the program itself is running, or has run, for the calls */
    struct case_row rows[EXERCISE_CASES_CAP];
    size_t order[EXERCISE_CASES_CAP]; /* rows by their turn */
    size_t count, next;
    struct case_row *outstanding; /* in the sandbox, without a result */
    char *error;                  /* of the program as a whole */
};

static void free_grade(struct grade *grade)
{
    for (size_t i = 0; i < grade->count; i++) {
        exercise_case_finish(&grade->rows[i].test);
        free(grade->rows[i].message);
        free(grade->rows[i].output);
    }
    json_decref(grade->exercise);
    free((char *)grade->request.code);
    free(grade->error);
    free(grade);
}

/* ---- the result ---- */

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *test_of(const struct case_row *row, size_t place, size_t hidden)
{
    static const char *const words[] = {
        [NOT_RUN] = "error", [PASSED] = "pass", [FAILED] = "fail", [BROKEN] = "error"};
    const char *name = json_get_string(row->test.authored, "name");
    char numbered[40];

    snprintf(numbered, sizeof numbered, row->test.hidden ? "hidden %zu" : "case %zu",
             row->test.hidden ? hidden : place);
    return json_pack("{s:s, s:s, s:o, s:o}", "name", row->test.hidden || !name ? numbered : name,
                     "status", words[row->outcome], "message",
                     text_or_null(row->test.hidden ? NULL : row->message), "output",
                     text_or_null(row->test.hidden ? NULL : row->output));
}

/* Of a program that only runs, which is its single case. */
static json_t *run_result(const struct grade *grade)
{
    const struct case_row *row = &grade->rows[0];

    return json_pack("{s:s, s:o, s:o}", "status",
                     !grade->error && row->outcome == PASSED ? "ran" : "error", "message",
                     text_or_null(grade->error ? grade->error : row->message), "output",
                     text_or_null(row->output));
}

static json_t *result_of(const struct grade *grade)
{
    json_t *tests;
    size_t passed = 0, hidden = 0;

    if (!grade->request.exercise)
        return run_result(grade);
    tests = json_array();
    for (size_t i = 0; i < grade->count; i++) {
        hidden += grade->rows[i].test.hidden;
        passed += grade->rows[i].outcome == PASSED;
        json_array_append_new(tests, test_of(&grade->rows[i], i + 1, hidden));
    }
    return json_pack("{s:i, s:s, s:o, s:o}", "version", 2, "status",
                     grade->error             ? "error"
                     : passed == grade->count ? "pass"
                                              : "fail",
                     "message", text_or_null(grade->error), "tests", tests);
}

static void finish(struct grade *grade, const struct error *err)
{
    json_auto_t *result = err ? NULL : result_of(grade);
    const struct error memory = {.kind = ERROR_BUSY, .text = "out of memory for the result"};

    grade->request.on_done(grade->request.user, result, err ? err : result ? NULL : &memory);
    free_grade(grade);
}

/* ---- one case ---- */

__attribute__((format(printf, 3, 4))) static void mark(struct case_row *row, enum outcome outcome,
                                                       const char *format, ...)
{
    struct buf BUF_AUTO text = {0};
    char message[GRADE_MESSAGE_CAP];
    va_list arguments;

    row->outcome = outcome;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    utf8_mark_cut(message, sizeof message);
    utf8_clean(message, strlen(message), sizeof message, &text);
    free(row->message);
    row->message = *message ? buf_steal(&text, NULL) : NULL;
}

static void show_call(const struct case_row *row, struct buf *to)
{
    exercise_case_show(&row->test, GRADE_SHOWN_CAP, to);
}

static void mark_value(struct case_row *row, const json_t *value)
{
    const char *raises = json_get_string(row->test.authored, "raises");
    const char *type = python_value_type(value);
    struct buf BUF_AUTO call = {0}, given = {0}, wanted = {0};
    bool types;

    show_call(row, &call);
    python_value_show(value, GRADE_SHOWN_CAP, &given);
    if (raises) {
        mark(row, FAILED, "%s returned %s; it must raise %s", call.data, given.data, raises);
        return;
    }
    python_value_show(row->test.expect, GRADE_SHOWN_CAP, &wanted);
    types = strcmp(type, python_value_type(row->test.expect)) != 0;
    mark(row, FAILED, "%s returned %s%s%s%s; expected %s%s%s%s", call.data, given.data,
         types ? " (" : "", types ? type : "", types ? ")" : "", wanted.data, types ? " (" : "",
         types ? python_value_type(row->test.expect) : "", types ? ")" : "");
}

/* Compares without spaces at the ends of lines, and without empty lines at the end. */
static bool same_output(const char *a, const char *b)
{
    while (*a || *b) {
        size_t a_len = strcspn(a, "\n"), b_len = strcspn(b, "\n");
        size_t a_used = a_len, b_used = b_len;

        while (a_used > 0 && isspace((unsigned char)a[a_used - 1]))
            a_used--;
        while (b_used > 0 && isspace((unsigned char)b[b_used - 1]))
            b_used--;
        if (a_used != b_used || memcmp(a, b, a_used) != 0)
            return false;
        a += a_len + (a[a_len] == '\n');
        b += b_len + (b[b_len] == '\n');
    }
    return true;
}

static void mark_returned(struct grade *grade, struct case_row *row, const json_t *result,
                          const char *output)
{
    const char *wanted = json_get_string(row->test.authored, "stdout");
    const json_t *value = json_object_get(result, "value");

    if (wanted) {
        if (!grade->request.exercise || same_output(output, wanted))
            mark(row, PASSED, "%s", "");
        else
            mark(row, FAILED, "the program printed:\n%.*s\nexpected:\n%.*s",
                 utf8_shown(output, GRADE_OUTPUT_CAP), output, utf8_shown(wanted, GRADE_OUTPUT_CAP),
                 wanted);
    } else if (!python_value_is_valid(value)) {
        mark(row, BROKEN, "the program spoiled its result");
    } else if (row->test.expect && python_value_equal(row->test.expect, value, grade->comparison)) {
        mark(row, PASSED, "%s", "");
    } else {
        mark_value(row, value);
    }
}

/* Whether the exception has the class that the case names, or inherits from it. */
static bool is_raised(const json_t *types, const char *name)
{
    const char *dot = strrchr(name, '.');

    name = dot ? dot + 1 : name;
    for (size_t i = 0; i < json_array_size(types) && i < TYPES_MAX; i++) {
        const char *type = json_string_value(json_array_get(types, i));

        if (type && strcmp(type, name) == 0)
            return true;
    }
    return false;
}

static void mark_raised(struct case_row *row, const json_t *result)
{
    const char *raises = json_get_string(row->test.authored, "raises");
    const char *error = json_get_string(result, "error");
    struct buf BUF_AUTO call = {0};

    show_call(row, &call);
    error = error && *error ? error : "an exception without a text";
    if (raises && is_raised(json_object_get(result, "types"), raises))
        mark(row, PASSED, "%s", "");
    else if (raises)
        mark(row, FAILED, "%s raised another exception; it must raise %s\n%s", call.data, raises,
             error);
    else
        mark(row, BROKEN, "%s failed:\n%s", call.data, error);
}

/* Adds to the output of the case. */
static void keep_output(struct case_row *row, const char *output, size_t cap)
{
    struct buf BUF_AUTO all = {0}, text = {0};
    size_t shown;

    if (!*output || row->test.hidden)
        return;
    buf_adds(&all, row->output ? row->output : "");
    buf_adds(&all, output);
    if (all.failed)
        return;
    shown = utf8_offset(all.data, all.len, cap);
    buf_add(&text, all.data, shown);
    if (shown < all.len)
        buf_addf(&text, "\n... (%zu characters more)", utf8_count(all.data, all.len) - cap);
    free(row->output);
    row->output = buf_steal(&text, NULL);
}

/* Reads the result of the outstanding case, which is the program's own word. */
static void take_result(struct grade *grade, const json_t *result)
{
    const char *status = json_get_string(result, "status");
    const char *output = json_get_string(result, "output");
    struct case_row *row = grade->outstanding;
    struct buf BUF_AUTO call = {0};

    grade->outstanding = NULL;
    output = output ? output : "";
    keep_output(row, output, grade->request.exercise ? GRADE_OUTPUT_CAP : GRADE_RUN_CAP);
    if (!status) {
        mark(row, BROKEN, "the program spoiled its result");
    } else if (strcmp(status, "returned") == 0) {
        mark_returned(grade, row, result, output);
    } else if (strcmp(status, "raised") == 0) {
        mark_raised(row, result);
    } else if (strcmp(status, "missing") == 0) {
        mark(row, BROKEN, "the program has no function named %s",
             json_get_string(row->test.authored, "call"));
    } else {
        show_call(row, &call);
        mark(row, BROKEN, "%s returned a value that is too large", call.data);
    }
}

/* Reads how the program itself ran, before the first case that calls it. */
static void take_load(struct grade *grade, const json_t *result)
{
    struct case_row *row = &grade->rows[grade->order[grade->next]];
    const char *error = row->test.hidden ? NULL : json_get_string(result, "error");
    const char *output = json_get_string(result, "output");

    grade->loading = false;
    grade->loaded = json_string_is(result, "status", "loaded");
    if (output && grade->runs == 1)
        keep_output(row, output, GRADE_OUTPUT_CAP);
    if (grade->loaded)
        return;
    grade->error = strdup(error && *error ? error : "the program fails before its first case");
    grade->next = grade->count;
}

/* ---- runs ---- */

static void on_case(void *user, struct broker_request *request)
{
    struct grade *grade = user;
    struct buf BUF_AUTO text = {0};
    struct case_row *row;
    size_t len;
    const char *body = broker_request_body(request, &len);

    if (grade->outstanding || grade->loading) {
        json_auto_t *result = json_read(body, len, "a result", NULL);

        (grade->loading ? take_load : take_result)(grade, result);
    }
    if (grade->next == grade->count) {
        executor_answer(request, 204, "", 0);
        return;
    }
    row = &grade->rows[grade->order[grade->next]];
    if (json_get_string(row->test.authored, "call") && !grade->loaded) {
        grade->loading = true;
        buf_adds(&text, "{\"load\":true}");
    } else {
        grade->outstanding = row;
        grade->next++;
        json_write(&text, row->test.sent);
    }
    executor_answer(request, 200, text.data, text.len);
}

static int start_run(struct grade *grade, struct error *err);

/* How the run ended before the program had answered. */
static void write_end(const struct grade *grade, const struct execution_result *result,
                      struct buf *to)
{
    switch (result->status) {
    case EXECUTION_TIMEOUT:
        buf_addf(to, "the program was stopped: it ran for more than %g s",
                 grade->limit_ms / 1000.0);
        break;
    case EXECUTION_MEMORY:
        buf_adds(to, "the program needed too much memory and was stopped");
        break;
    case EXECUTION_OUTPUT:
        buf_adds(to, "the program printed too much and was stopped");
        break;
    default:
        buf_adds(to, "the program ended before it had a result");
        break;
    }
}

/* After a run that did not answer a case: the time for another one, in which the rest shares the
 * remainder of a second time_s. */
static bool has_time(struct grade *grade, double seconds)
{
    if (grade->runs > 1)
        grade->left_ms -= (int64_t)(seconds * 1000.0);
    grade->limit_ms = (unsigned)(grade->left_ms > 0 ? grade->left_ms : 0);
    return grade->runs < GRADE_RUNS_MAX &&
           grade->limit_ms >= (unsigned)(EXERCISE_SECONDS_LEAST * 1000.0);
}

static void on_run_done(void *user, const struct execution_result *result)
{
    struct grade *grade = user;
    struct buf BUF_AUTO end = {0};
    struct error err = {0};

    if (result->status == EXECUTION_ENGINE || result->status == EXECUTION_BUSY ||
        result->status == EXECUTION_CANCELLED || result->status == EXECUTION_DISAGREEMENT) {
        error_set(&err, result->status == EXECUTION_BUSY ? ERROR_BUSY : ERROR_UNAVAILABLE, "%s",
                  result->error ? result->error : "no sandbox could grade the program");
        finish(grade, &err);
        return;
    }
    write_end(grade, result, &end);
    if (grade->outstanding) {
        mark(grade->outstanding, BROKEN, "%s", end.data);
        grade->outstanding = NULL;
    } else if (grade->loading) { /* so would each further run */
        grade->error = strdup(end.data);
    } else if (grade->next == 0) {
        grade->error = strdup(result->error ? result->error : "the program could not be run");
    }
    if (grade->error || grade->next == grade->count) {
        finish(grade, NULL);
        return;
    }
    if (!has_time(grade, result->seconds)) {
        for (; grade->next < grade->count; grade->next++)
            mark(&grade->rows[grade->order[grade->next]], NOT_RUN,
                 "not run: the program was stopped %u times before this case", grade->runs);
        finish(grade, NULL);
        return;
    }
    if (start_run(grade, &err) < 0)
        finish(grade, &err);
}

static int start_run(struct grade *grade, struct error *err)
{
    const struct execution_job job = {
        .code = grade->request.code,
        .code_len = grade->request.code_len,
        .kind = grade->verdict.kind,
        .profile = validator_profile_name(validator_profile_learner()),
        .preload = grade->preload,
        .timeout_ms = grade->limit_ms,
        .on_case = on_case,
        .on_done = on_run_done,
        .user = grade,
    };
    const struct grade_request request = grade->request; /* the run may be over at once */
    uint64_t run_id;

    grade->runs++;
    grade->loaded = grade->loading = false;
    run_id = executor_run(grade->executor, &job, err);
    if (run_id != 0 && request.on_run)
        request.on_run(request.user, run_id);
    return run_id != 0 ? 0 : -1;
}

/* ---- the beginning ---- */

static int read_exercise(struct grade *grade, struct error *err)
{
    const json_t *cases = json_object_get(grade->exercise, "cases");
    const json_t *seconds = json_object_get(grade->exercise, "time_s");
    const char *compare = json_get_string(grade->exercise, "compare");
    size_t turn = 0;

    grade->limit_ms =
        (unsigned)((json_is_number(seconds) ? json_number_value(seconds) : EXERCISE_SECONDS_MAX) *
                   1000.0);
    grade->left_ms = grade->limit_ms;
    for (int i = 0; comparisons[i]; i++)
        if (compare && strcmp(comparisons[i], compare) == 0)
            grade->comparison = (enum comparison)i;
    for (size_t i = 0; i < json_array_size(cases) && i < EXERCISE_CASES_CAP; i++) {
        struct case_row *row = &grade->rows[grade->count++];

        if (exercise_case_read(&row->test, json_array_get(cases, i), err) < 0)
            return error_wrap(err, "cases.%zu", i);
    }
    for (int hidden = 0; hidden <= 1; hidden++)
        for (size_t i = 0; i < grade->count; i++)
            if (grade->rows[i].test.hidden == hidden)
                grade->order[turn++] = i;
    return 0;
}

int grade_check(const char *code, size_t len, struct verdict *verdict, struct error *err)
{
    struct buf BUF_AUTO why = {0};

    if (validator_is_blank(code, len))
        return error_set(err, ERROR_INVALID, "there is no program, only white space");
    validator_check(code, len, validator_profile_learner(), verdict);
    if (verdict->accepted)
        return 0;
    buf_init(&why, EXPLANATION_CAP);
    validator_explain(verdict, code, len, &why);
    return error_set(err, ERROR_INVALID, "%s", why.data ? why.data : "the program is refused");
}

static int check_program(struct grade *grade, struct error *err)
{
    struct verdict *verdict = &grade->verdict;

    if (grade_check(grade->request.code, grade->request.code_len, verdict, err) < 0)
        return -1;
    for (size_t i = 0; i < verdict->module_count; i++)
        grade->preload[i] = verdict->modules[i];
    return 0;
}

int grade_start(struct executor *executor, const struct grade_request *request, struct error *err)
{
    struct grade *grade = calloc(1, sizeof *grade);

    if (!grade)
        return error_set(err, ERROR_MEMORY, "out of memory for grading");
    grade->executor = executor;
    grade->request = *request;
    grade->request.code = strndup(request->code, request->code_len);
    grade->exercise = request->exercise
                          ? json_deep_copy(request->exercise)
                          : json_pack("{s:[{s:s, s:s}]}", "cases", "stdin",
                                      request->input ? request->input : "", "stdout", "");
    if (!grade->request.code || !grade->exercise)
        error_set(err, ERROR_MEMORY, "out of memory for grading");
    else if (check_program(grade, err) == 0 && read_exercise(grade, err) == 0 &&
             start_run(grade, err) == 0)
        return 0;
    free_grade(grade);
    return -1;
}
