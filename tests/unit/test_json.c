/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "helpers/base/json.h"

/* In and out again, as text. */
static void assert_writes(const char *in, const char *out)
{
    struct buf BUF_AUTO text = {0};
    struct error err = {0};
    json_t *value = json_read(in, strlen(in), "the text", &err);

    if (!value)
        fail_msg("%s: %s", in, err.text);
    buf_init(&text, 0);
    json_write(&text, value);
    assert_string_equal(text.data, out);
    json_decref(value);
}

static void prints_numbers_shortest(void **state)
{
    (void)state;
    assert_writes("0.95", "0.95");
    assert_writes("[0.1,0.30000000000000004,1.0,1,-0.0,1e300,1.5e-7,123456789012345678]",
                  "[0.1,0.30000000000000004,1.0,1,-0.0,1e+300,1.5e-07,123456789012345678]");
    assert_writes("2.2250738585072014e-308", "2.2250738585072014e-308");
    assert_writes("1e2", "100.0");
    assert_writes("9223372036854775807", "9223372036854775807");
}

/* Digits inside of strings and keys are no numbers, whatever stands around them. */
static void leaves_strings_alone(void **state)
{
    (void)state;
    assert_writes("{\"0.10000000000000000555\":\"a \\\" 0.10000000000000000555 "
                  "\\\\\",\"b\":0.10000000000000000555}",
                  "{\"0.10000000000000000555\":\"a \\\" 0.10000000000000000555 \\\\\",\"b\":0.1}");
    assert_writes("[\"\\\\\",0.5,\"\\u0000\\n\",0.25]", "[\"\\\\\",0.5,\"\\u0000\\n\",0.25]");
    assert_writes("[true,false,null,\"e\",{}]", "[true,false,null,\"e\",{}]");
}

/* A text of ours beside jansson's own. */
static void assert_string(const char *text, size_t len)
{
    struct buf BUF_AUTO ours = {0};
    json_t *string = json_stringn(text, len);
    char *theirs = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;

    json_write_string(&ours, text, len);
    if (theirs)
        assert_string_equal(ours.data, theirs);
    assert_int_equal(ours.failed, theirs == NULL);
    free(theirs);
    json_decref(string);
}

static void writes_strings_as_jansson_does(void **state)
{
    static const char *const texts[] = {"",
                                        "plain",
                                        "two\nlines\r\n\n",
                                        "\"quoted\" and \\ back",
                                        "\xC3\xA4\xF0\x9F\x98\x80 at both ends \xE2\x80\xA6",
                                        "\xC3\xA4\"\xC3\xA4\n\xC3\xA4",
                                        "cut \xC3",
                                        "\xC3\n\xA4",
                                        "\xED\xA0\x80",
                                        "\x80"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_string(texts[i], strlen(texts[i]));
    for (int first = 0; first < 256; first++) {
        const char text[] = {'a', (char)first, 'b', (char)first};

        assert_string(text, sizeof text);
    }
}

static void keeps_order_and_text(void **state)
{
    (void)state;
    assert_writes("{\"z\":1,\"a\":{\"y\":\"\xC3\xA4\",\"b\":[]}}",
                  "{\"z\":1,\"a\":{\"y\":\"\xC3\xA4\",\"b\":[]}}");
}

static void refuses_what_json_cannot_carry(void **state)
{
    static const char *const bad[] = {
        "",
        "{",
        "[1,]",
        "\"\\ud800\"",
        "{\"a\\u0000\":1}",
        "1e999",
        "18446744073709551616",
        "\"\xFF\"",
        "[1] x",
        "nul",
        "{'a':1}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct error err = {0};
        json_t *value = json_read(bad[i], strlen(bad[i]), "the body", &err);

        if (value)
            fail_msg("taken: %s", bad[i]);
        assert_int_equal(err.kind, ERROR_MALFORMED);
        assert_non_null(strstr(err.text, "line 1"));
    }
}

/* Whatever stands where it ends, the reason is one that can be told. */
static void tells_reasons_that_can_be_told(void **state)
{
    static const char *const bad[] = {
        "\"\\\xc3\xa9\"",           "{\"a\": \" \\\xf0\x9f\xa6\x84n\"}", "\xf0\x9f\xa6\x84",
        "[\"\xc3\xa9\", \xc3\xa9]", "{\"\xf0\x9f\xa6\x84\" 1}",          "\"\xf0\x9f\""};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct buf to BUF_AUTO = {0};
        struct error err = {0};

        assert_null(json_read(bad[i], strlen(bad[i]), "the body", &err));
        json_write_string(&to, err.text, strlen(err.text));
        if (to.failed)
            fail_msg("not to be told: %s", err.text);
    }
}

static void compares_a_string(void **state)
{
    json_auto_t *value = json_pack("{s:s, s:i, s:n}", "type", "text", "number", 1, "nothing");

    (void)state;
    assert_true(json_string_is(value, "type", "text"));
    assert_false(json_string_is(value, "type", "tex"));
    assert_false(json_string_is(value, "number", "1"));
    assert_false(json_string_is(value, "nothing", ""));
    assert_false(json_string_is(value, "absent", ""));
    assert_false(json_string_is(NULL, "type", "text"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_numbers_shortest),
        cmocka_unit_test(leaves_strings_alone),
        cmocka_unit_test(writes_strings_as_jansson_does),
        cmocka_unit_test(keeps_order_and_text),
        cmocka_unit_test(compares_a_string),
        cmocka_unit_test(refuses_what_json_cannot_carry),
        cmocka_unit_test(tells_reasons_that_can_be_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
