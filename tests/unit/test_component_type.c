/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of component types: what each takes, what is refused and with which words.
 */
#include "tests/unit/session_fixture.h"

#include "mcp/curriculum/component_type.h"

static const struct {
    const char *type, *parameters;
} good[] = {
    {"heading", "{\"text\":\"a\"}"},
    {"paragraph", "{\"text\":\"\"}"},
    {"memory-trick", "{\"text\":\"a\\u0000b\",\"further\":[1,2]}"},
    {"definition", "{\"term\":\"a\",\"definition\":\"b\"}"},
    {"step-sequence", "{\"steps\":[\"a\",\"b\"]}"},
    {"worked-example", "{\"problem\":\"a\",\"solution\":\"b\",\"answer\":\"\"}"},
    {"callout-box", "{\"text\":\"a\"}"},
    {"callout-box", "{\"text\":\"a\",\"style\":\"warning\"}"},
    {"callout-box", "{\"text\":\"a\",\"style\":null}"},
    {"two-pictures",
     "{\"pictures\":{\"svg1\":{\"title\":\"a\",\"svgCode\":\"<svg/>\"},\"svg2\":{}}}"},
    {"three-pictures",
     "{\"pictures\":{\"image1\":{\"imagePath\":\"p\"},\"svg2\":{\"imagePath\":\"q\"},"
     "\"image3\":{\"imageUrl\":null,\"alt\":7}}}"},
    {"four-pictures", "{\"pictures\":{\"svg1\":{},\"svg2\":{},\"svg3\":{},\"svg4\":{}}}"},
    {"hero-number", "{\"visual_type\":\"text\",\"visual_content\":\"42\"}"},
    {"hero-number",
     "{\"visual_type\":\"bar-chart\",\"visual_content\":\"\",\"caption\":\"c\","
     "\"background_style\":\"dark\",\"chart_data\":{\"current\":1,\"maximum\":2.5}}"},
    {"hero-number", "{\"visual_type\":\"pie-chart\",\"visual_content\":\"\",\"chart_data\":"
                    "{\"numerator\":1,\"denominator\":4}}"},
    {"three-svgs", "{\"title1\":\"a\",\"title2\":\"b\",\"title3\":\"c\",\"description1\":\"d\","
                   "\"description2\":\"e\",\"description3\":\"f\",\"svg2\":\"<svg/>\"}"},
    {"exercise-code",
     "{\"prompt\":\"p\",\"cases\":[{\"call\":\"area\",\"args\":[2,3],\"expect\":6}]}"},
    {"exercise-code",
     "{\"prompt\":\"p\",\"cases\":[{\"name\":\"a\",\"call\":\"Stack.push\",\"kwargs\":{\"by\":1},"
     "\"expect\":null,\"hidden\":true},{\"call\":\"f\",\"raises\":\"ValueError\"},{\"stdin\":\"1\","
     "\"stdout\":\"2\"},{\"call\":\"f\",\"args\":[{\"py\":\"(1, "
     "{2})\"}],\"expect\":{\"py\":\"b'x'\"}}],"
     "\"starter\":\"\",\"hints\":[\"a\",\"b\",\"c\"],\"solution\":\"s\",\"compare\":\"unordered\","
     "\"time_s\":2.5}"},
    {"question",
     "{\"prompt\":\"p\",\"kind\":\"choice\",\"options\":[\"a\",\"b\"],\"answer\":\"a\"}"},
    {"question",
     "{\"prompt\":\"p\",\"kind\":\"choice\",\"options\":[\"a\",\"b\"],\"answer\":[\"a\",\"b\"]}"},
    {"question", "{\"prompt\":\"p\",\"kind\":\"number\",\"answer\":\"3/4\",\"tolerance\":0.01}"},
    {"question",
     "{\"prompt\":\"p\",\"kind\":\"text\",\"answer\":[\"grey\",\"gray\"],\"options\":[]}"},
    {"question", "{\"prompt\":\"p\",\"kind\":\"open\",\"criteria\":[\"says why\"],\"hints\":[]}"},
};

/* says: every one of these is in the message, NULL-terminated. */
static const struct {
    const char *type, *parameters, *loc, *says[4];
} bad[] = {
    {"paragraph", "{}", "c.parameters.text", {"parameters.text: is needed", "text (text, needed)"}},
    {"paragraph", "{\"text\":5}", "c.parameters.text", {"must be text, not a number"}},
    {"paragraph", "{\"text\":null}", "c.parameters.text", {"must be text, not null"}},
    {"paragraph", "{\"txet\":\"a\"}", "c.parameters.text", {"is needed", "did you mean 'text'"}},
    {"paragraph", "[]", "c.parameters", {"must be an object, not an array"}},
    {"paragraph", NULL, "c.parameters", {"is missing, send an object"}},
    {"definition",
     "{}",
     "c.parameters.term",
     {"parameters.term", "parameters.definition: is needed"}},
    {"step-sequence", "{\"steps\":\"a\"}", "c.parameters.steps", {"array of text, not text"}},
    {"step-sequence", "{\"steps\":[\"a\",1,{}]}", "c.parameters.steps.1", {"steps.1", "steps.2"}},
    {"callout-box",
     "{\"text\":\"a\",\"style\":\"warnin\"}",
     "c.parameters.style",
     {"must be one of tip, warning, important, info, not 'warnin'", "did you mean 'warning'?"}},
    {"callout-box",
     "{\"text\":\"a\",\"stile\":\"tip\"}",
     "c.parameters.stile",
     {"did you mean 'style'"}},
    {"two-pictures", "{\"pictures\":{\"svg1\":{}}}", "c.parameters.pictures", {"svg2 (or image2)"}},
    {"two-pictures", "{\"pictures\":[]}", "c.parameters.pictures", {"svg1..svg2"}},
    {"two-pictures",
     "{\"pictures\":{\"svg1\":{\"title\":1},\"svg2\":\"x\"}}",
     "c.parameters.pictures.svg1.title",
     {"svg1.title: must be text", "svg2: must be an object"}},
    {"hero-number",
     "{\"visual_content\":\"a\"}",
     "c.parameters.visual_type",
     {"one of text, image"}},
    {"hero-number",
     "{\"visual_type\":\"bar-chart\",\"visual_content\":\"a\",\"chart_data\":{\"numerator\":1}}",
     "c.parameters.chart_data.current",
     {"current: is missing", "maximum: is missing"}},
    {"hero-number",
     "{\"visual_type\":\"svg\",\"visual_content\":\"a\",\"chart_data\":{\"numerator\":\"1\","
     "\"denominator\":2}}",
     "c.parameters.chart_data.numerator",
     {"must be a number, not text"}},
    {"three-svgs", "{\"title1\":\"a\"}", "c.parameters.title2", {"title3", "description3"}},
    {"exercise-code",
     "{\"prompt\":\"p\"}",
     "c.parameters.cases",
     {"cases: is needed", "call, args, expect or raises"}},
    {"exercise-code", "{\"prompt\":\"p\",\"cases\":[]}", "c.parameters.cases", {"1 to 200 cases"}},
    {"exercise-code",
     "{\"prompt\":\"p\",\"cases\":[{\"call\":\"f\",\"expct\":1}]}",
     "c.parameters.cases.0.expct",
     {"did you mean 'expect'"}},
    {"exercise-code",
     "{\"prompt\":\"p\",\"cases\":[{\"call\":\"f\",\"expect\":1},{\"call\":\"f\"}]}",
     "c.parameters.cases.1",
     {"one of expect and raises", "\"expect\": null"}},
    {"exercise-code",
     "{\"prompt\":\"p\",\"cases\":[{\"call\":\"f(1)\",\"expect\":1}]}",
     "c.parameters.cases.0.call",
     {"the name of a function"}},
    {"exercise-code",
     "{\"prompt\":\"p\",\"cases\":[{\"stdin\":\"1\",\"expect\":1}]}",
     "c.parameters.cases.0",
     {"either call with expect"}},
    {"exercise-code",
     "{\"prompt\":\"p\",\"cases\":[{\"call\":\"f\",\"expect\":{\"py\":\"open('x')\"}}]}",
     "c.parameters.cases.0.expect",
     {"only a literal"}},
    {"exercise-code",
     "{\"prompt\":\"p\",\"cases\":[{\"call\":\"f\",\"expect\":1}],\"hints\":[\"1\",\"2\",\"3\","
     "\"4\"],"
     "\"time_s\":6,\"compare\":\"exactly\"}",
     "c.parameters.hints",
     {"at most 3 texts", "from 0.1 to 5", "did you mean 'exact'"}},
    {"question",
     "{\"prompt\":\"p\",\"kind\":\"choice\",\"options\":[\"a\"],\"answer\":\"c\"}",
     "c.parameters.options",
     {"at least two", "one of the options"}},
    {"question",
     "{\"prompt\":\"p\",\"kind\":\"number\",\"answer\":\"three\"}",
     "c.parameters.answer",
     {"must be a number"}},
    {"question", "{\"prompt\":\"p\",\"kind\":\"text\"}", "c.parameters.answer", {"is needed"}},
    {"question",
     "{\"prompt\":\"p\",\"kind\":\"text\",\"answer\":null}",
     "c.parameters.answer",
     {"is needed"}},
    {"question",
     "{\"prompt\":\"p\",\"kind\":\"choice\",\"options\":null,\"answer\":\"a\"}",
     "c.parameters.options",
     {"at least two"}},
    {"question",
     "{\"prompt\":\"p\",\"kind\":\"open\",\"tolerance\":1}",
     "c.parameters.criteria",
     {"an open question", "only a question of kind number"}},
    {"paragraf", "{}", "c.type", {"did you mean 'paragraph'", "hero-number"}},
    {"", "{}", "c.type", {"'' is not a component type"}},
    {NULL, "{}", "c.type", {"is missing"}},
    {"zzzzzzzzzz", "{}", "c.type", {"'zzzzzzzzzz' is not a component type, there are heading"}},
};

static void test_good_parameters(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        json_auto_t *parameters = parse(good[i].parameters);
        struct error err = {0};

        if (component_type_check(good[i].type, parameters, NULL, NULL, "c", &err) != 0)
            fail_msg("%s %s: %s", good[i].type, good[i].parameters, err.text);
    }
}

static void test_bad_parameters(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        json_auto_t *parameters = bad[i].parameters ? parse(bad[i].parameters) : NULL;
        struct error err = {0};

        if (component_type_check(bad[i].type, parameters, NULL, NULL, "c", &err) == 0)
            fail_msg("%s %s was taken", bad[i].type, bad[i].parameters);
        assert_int_equal(err.kind, ERROR_INVALID);
        assert_string_equal(err.loc, bad[i].loc);
        for (size_t j = 0; j < 4 && bad[i].says[j]; j++)
            if (!strstr(err.text, bad[i].says[j]))
                fail_msg("'%s' is not in: %s", bad[i].says[j], err.text);
    }
}

static void test_every_type_is_there_and_described(void **state)
{
    (void)state;
    for (size_t row = 0; row < component_type_count(); row++) {
        const struct component_type *type = component_type_at(row);
        const char *name = component_type_name(type);
        struct buf text BUF_AUTO = {0};
        bool tested = false;

        buf_init(&text, 0);
        assert_ptr_equal(component_type_find(name), type);
        component_type_describe(type, &text);
        assert_memory_equal(text.data, name, strlen(name));
        assert_non_null(strstr(text.data, "needed"));
        assert_null(strchr(text.data, '\n'));
        for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
            tested = tested || !strcmp(good[i].type, name);
        assert_true(tested);
    }
    assert_int_equal(component_type_count(), 14);
    assert_null(component_type_find("Heading"));
    assert_null(component_type_find(NULL));
}

static void test_description_text(void **state)
{
    struct buf text BUF_AUTO = {0};

    (void)state;
    buf_init(&text, 0);
    component_type_describe(component_type_find("definition"), &text);
    assert_string_equal(text.data, "definition: term (text, needed), definition (text, needed)");
}

static void test_too_long_text_is_refused(void **state)
{
    json_auto_t *parameters = json_object();
    char *text = malloc(TEXT_MAX + 1);
    struct error err = {0};

    (void)state;
    assert_non_null(text);
    memset(text, 'a', TEXT_MAX + 1);
    json_object_set_new(parameters, "text", json_stringn(text, TEXT_MAX));
    assert_int_equal(component_type_check("paragraph", parameters, NULL, NULL, "", &err), 0);
    json_object_set_new(parameters, "text", json_stringn(text, TEXT_MAX + 1));
    assert_int_equal(component_type_check("paragraph", parameters, NULL, NULL, "", &err), -1);
    assert_non_null(strstr(err.text, "longer than"));
    free(text);
}

static void test_messages_stay_utf8(void **state)
{
    struct error err = {0};
    json_t *text;
    char name[400];

    (void)state;
    for (size_t shift = 0; shift < 3; shift++) {
        memset(name, 'a', shift);
        for (size_t i = shift; i + 3 < sizeof name; i += 3)
            memcpy(name + i, "\xE2\x82\xAC", 4);
        assert_int_equal(component_type_check(name, NULL, NULL, NULL, "", &err), -1);
        text = json_string(err.text);
        assert_non_null(text);
        json_decref(text);
    }
}

static void test_relationship_types(void **state)
{
    struct error err = {0};

    (void)state;
    assert_string_equal(relationship_types[0], "LEADS_TO");
    for (size_t i = 0; relationship_types[i]; i++)
        assert_int_equal(
            relationship_type_check(relationship_types[i], relationship_types, "t", &err), 0);
    assert_int_equal(relationship_type_check("PREREQUISIT", relationship_types, "t", &err), -1);
    assert_string_equal(err.loc, "t");
    assert_non_null(strstr(err.text, "did you mean PREREQUISITE?"));
    assert_int_equal(relationship_type_check(NULL, relationship_types, "t", &err), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_parameters),
        cmocka_unit_test(test_bad_parameters),
        cmocka_unit_test(test_every_type_is_there_and_described),
        cmocka_unit_test(test_description_text),
        cmocka_unit_test(test_too_long_text_is_refused),
        cmocka_unit_test(test_messages_stay_utf8),
        cmocka_unit_test(test_relationship_types),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
