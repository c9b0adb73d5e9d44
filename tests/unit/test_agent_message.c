/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The messages between the roles: each reader accepts a correct message and names the fault of a
 * wrong one; the schema by which a model sends one has only its own part, and is closed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "helpers/base/json.h"
#include "mcp/agent/message.h"

static json_t *parse(const char *text)
{
    struct error err = {0};
    json_t *value = json_read(text, strlen(text), "a test", &err);

    if (!value)
        fail_msg("%s: %s", text, err.text);
    return value;
}

static void test_plans(void **state)
{
    json_auto_t *code =
        parse("{\"approach\":\"code\",\"steps\":[{\"name\":\"a\",\"compute\":\"nodes\",\"type\":"
              "\"number\"},{\"name\":\"b\",\"compute\":\"titles\",\"type\":\"list\"}]}");
    json_auto_t *query = parse("{\"approach\":\"query\",\"query\":{\"query\":\"needs\",\"node_id\":"
                               "\"N1\",\"types\":[\"all\"],\"limit\":3}}");
    json_auto_t *edit = parse("{\"approach\":\"edit\",\"operations\":\"[{\\\"op\\\":1}]\"}");
    struct error err = {0};
    struct plan plan = {0};

    (void)state;
    assert_int_equal(plan_read(code, &plan, &err), 0);
    assert_int_equal(plan.approach, PLAN_CODE);
    assert_int_equal(plan.step_count, 2);
    assert_string_equal(plan.steps[1].compute, "titles");
    assert_int_equal(plan.steps[1].type, VALUE_LIST);
    plan_finish(&plan);
    assert_null(plan.value);
    assert_int_equal(plan_read(query, &plan, &err), 0);
    assert_string_equal(plan.query.name, "needs");
    assert_int_equal(plan.query.limit, 3);
    assert_int_equal(json_array_size(plan.query.types), 1);
    plan_finish(&plan);
    assert_int_equal(plan_read(edit, &plan, &err), 0);
    assert_int_equal(json_array_size(plan.operations), 1);
    plan_finish(&plan);
}

static void test_wrong_plans(void **state)
{
    static const struct {
        const char *text, *fault;
    } rows[] = {
        {"[]", "must be an object"},
        {"{\"steps\":[]}", "approach"},
        {"{\"approach\":\"cod\"}", "approach"},
        {"{\"approach\":\"code\",\"steps\":[]}", "needs steps, such as"},
        {"{\"approach\":\"query\"}", "needs query, such as"},
        {"{\"approach\":\"ask\"}", "needs text"},
        {"{\"approach\":\"refuse\",\"text\":\"\"}", "needs text"},
        {"{\"approach\":\"edit\",\"operations\":\"{}\"}", "JSON array"},
        {"{\"approach\":\"edit\",\"operations\":\"[\"}", "JSON array"},
        {"{\"approach\":\"code\",\"stepps\":[]}", "steps"},
        {"{\"approach\":\"code\",\"steps\":[{\"name\":\"a\",\"compute\":\"b\",\"type\":\"int\"}]}",
         "plan.steps.0.type"},
        {"{\"approach\":\"code\",\"steps\":[{\"name\":\"a\",\"type\":\"any\"}]}",
         "plan.steps.0.compute"},
        {"{\"approach\":\"code\",\"steps\":[1]}", "must be an object"},
        {"{\"approach\":\"code\",\"steps\":[{\"name\":\"a\",\"compute\":\"b\",\"type\":\"any\"},"
         "{\"name\":\"a\",\"compute\":\"c\",\"type\":\"any\"}]}",
         "taken by an earlier step"},
        {"{\"approach\":\"query\",\"query\":{\"node_id\":\"N1\"}}", "plan.query.query"},
        {"{\"approach\":\"query\",\"query\":\"needs\"}", "plan.query"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_auto_t *value = parse(rows[i].text);
        struct error err = {0};
        struct plan plan = {0};

        assert_int_equal(plan_read(value, &plan, &err), -1);
        if (!strstr(err.text, rows[i].fault))
            fail_msg("%s: '%s' is not in: %s", rows[i].text, rows[i].fault, err.text);
        assert_null(plan.value);
    }
}

static void test_others(void **state)
{
    json_auto_t *code = parse("{\"source\":\"print(1)\",\"attempt\":2,\"hash\":\"ab\"}");
    json_auto_t *blank = parse("{\"source\":\"\"}");
    json_auto_t *run =
        parse("{\"ok\":false,\"stdout\":\"\",\"result\":null,\"artifacts\":[],\"error\":"
              "{\"errorCategory\":\"runtime\"},\"seconds\":0.25,\"attempt\":1}");
    json_auto_t *found =
        parse("{\"cause\":\"a\",\"change\":\"b\",\"source\":\"c\",\"by\":\"rule\"}");
    json_auto_t *text = parse("{\"text\":\"49 nodes\",\"open\":[\"words\"]}");
    struct error err = {0};
    struct code program = {0};
    struct execution execution = {0};
    struct diagnosis diagnosis = {0};
    struct answer answer = {0};

    (void)state;
    assert_int_equal(code_read(code, &program, &err), 0);
    assert_int_equal(program.source_len, 8);
    assert_int_equal(program.attempt, 2);
    code_finish(&program);
    assert_int_equal(code_read(blank, &program, &err), -1);
    assert_int_equal(execution_read(run, &execution, &err), 0);
    assert_false(execution.ok);
    assert_true(execution.seconds == 0.25);
    assert_true(json_string_is(execution.error, "errorCategory", "runtime"));
    execution_finish(&execution);
    assert_int_equal(diagnosis_read(found, &diagnosis, &err), 0);
    assert_int_equal(diagnosis.by, DIAGNOSIS_BY_RULE);
    diagnosis_finish(&diagnosis);
    assert_int_equal(answer_read(text, &answer, &err), 0);
    assert_int_equal(answer.status, ANSWER_SOLVED);
    assert_int_equal(json_array_size(answer.open), 1);
    answer_finish(&answer);
}

static void test_values(void **state)
{
    json_auto_t *values = parse("[1, 2.5, \"a\", true, [], {}, null]");
    static const bool fits[][7] = {
        [VALUE_NUMBER] = {true, true}, [VALUE_TEXT] = {[2] = true}, [VALUE_TRUTH] = {[3] = true},
        [VALUE_LIST] = {[4] = true},   [VALUE_MAP] = {[5] = true},
    };

    (void)state;
    for (unsigned type = VALUE_NUMBER; type <= VALUE_MAP; type++) {
        for (size_t i = 0; i < 7; i++)
            assert_int_equal(value_fits(type, json_array_get(values, i)), fits[type][i]);
    }
    assert_true(value_fits(VALUE_ANY, json_array_get(values, 6)));
    assert_false(value_fits(VALUE_ANY, NULL));
}

/* Members that the server sets are not in the schemas for models, and each of their objects is
 * closed. */
static void test_schemas(void **state)
{
    static const char *const hidden[] = {"\"attempt\"", "\"hash\"",  "\"by\"",
                                         "\"status\"",  "\"usage\"", "\"pick\""};

    (void)state;
    for (unsigned kind = MESSAGE_PLAN; kind < MESSAGE_KINDS; kind++) {
        struct buf BUF_AUTO text = {0};
        size_t objects = 0, closed = 0;

        if (kind == MESSAGE_EXECUTION) /* no model sends one */
            continue;
        fields_schema(message_fields(kind), NULL, NULL, &text);
        for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++)
            assert_null(strstr(text.data, hidden[i]));
        for (const char *at = text.data; (at = strstr(at, "\"object\"")); at++)
            objects++;
        for (const char *at = text.data; (at = strstr(at, "\"additionalProperties\":false")); at++)
            closed++;
        assert_int_equal(objects, closed);
        assert_int_not_equal(objects, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans),   cmocka_unit_test(test_wrong_plans),
        cmocka_unit_test(test_others),  cmocka_unit_test(test_values),
        cmocka_unit_test(test_schemas),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
