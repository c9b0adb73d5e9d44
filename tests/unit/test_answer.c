/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The grading of answers to questions, and the reading of numbers, as tables of cases.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "helpers/base/json.h"
#include "mcp/exercise/answer.h"
#include "mcp/exercise/exercise.h"
#include "mcp/exercise/number.h"
#include "tests/unit/failing_allocations.h"

#define ITEMS(list) (sizeof(list) / sizeof *(list))

#define R ANSWER_RIGHT
#define W ANSWER_WRONG
#define N ANSWER_NONE

struct grade_case {
    const char *question; /* JSON with ' for " */
    const char *given;
    enum answer_result result;
};

static json_t *read_question(const char *text)
{
    struct error err = {0};
    struct buf BUF_AUTO json = {0};
    struct validation_errors problems;
    json_t *question;

    buf_adds(&json, text);
    for (char *at = json.data; *at; at++)
        if (*at == '\'')
            *at = '"';
    question = json_read(json.data, json.len, text, &err);
    if (!question)
        fail_msg("%s", err.text);
    validation_begin(&problems, "");
    question_check(question, &problems);
    if (validation_end(&problems, NULL, &err) < 0)
        fail_msg("%s", err.text);
    return question;
}

static void check_cases(const struct grade_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct error err;
        json_auto_t *question = read_question(cases[i].question);
        const struct answer_grade *grade = answer_grade(question, cases[i].given, &err);
        const json_t *answer = json_object_get(question, "answer");

        assert_non_null(grade);
        if (grade->result != cases[i].result)
            fail_msg("%s: '%s' gives %d: %s", cases[i].question, cases[i].given, grade->result,
                     grade->text);
        assert_true(json_string_length(answer) < 2 ||
                    !strstr(grade->text, json_string_value(answer)));
        assert_int_equal(grade->result == N,
                         strstr(grade->text, "does not count as an attempt") != NULL);
    }
}

#define CHOICE   "{'kind':'choice','options':['Red','Green','Dark blue'],'answer':'Green'}"
#define NUMBERS  "{'kind':'choice','options':['2','4','6','8'],'answer':'4'}"
#define LETTERS  "{'kind':'choice','options':['c','b','a'],'answer':'a'}"
#define UNKNOWNS "{'kind':'choice','options':['x','y','x and y'],'answer':'y'}"
#define CASES    "{'kind':'choice','options':['Na','NA','n/a'],'answer':'NA'}"
#define LISTS    "{'kind':'choice','options':['2, 3','2','3','bread and butter'],'answer':'2, 3'}"
#define SEVERAL                                                                                    \
    "{'kind':'choice','options':['Red','Green','salt, pepper','bread and butter'],"                \
    "'answer':['Red','bread and butter']}"
#define SEVERAL_OF_LISTS                                                                           \
    "{'kind':'choice','options':['2, 3','two','three'],'answer':['2, 3','three']}"
#define ONE_OF_SEVERAL "{'kind':'choice','options':['Red','Green'],'answer':['Green']}"

static void test_choice(void **state)
{
    static const struct grade_case cases[] = {
        {CHOICE, "Green", R},
        {CHOICE, " green\n", R},
        {CHOICE, "GREEN.", R},
        {CHOICE, "2", R},
        {CHOICE, "2.", R},
        {CHOICE, "b", R},
        {CHOICE, "B", R},
        {CHOICE, "b)", R},
        {CHOICE, "(b)", R},
        {CHOICE, "Red", W},
        {CHOICE, "dark   Blue", W},
        {CHOICE, "c", W},
        {CHOICE, "1", W},
        {CHOICE, "", N},
        {CHOICE, " \t\n", N},
        {CHOICE, ",", N},
        {CHOICE, "blue", N},
        {CHOICE, "4", N},
        {CHOICE, "0", N},
        {CHOICE, "d", N},
        {CHOICE, "-2", N},
        {CHOICE, "(b", R},
        {CHOICE, "bb", N},
        {CHOICE, "b) Green", N},
        {CHOICE, "Green or Red", N},
        /* A list where one is asked for, whatever it contains. */
        {CHOICE, "Green, Red", N},
        {CHOICE, "Green, green", R},
        {NUMBERS, "4", R},
        {NUMBERS, "2", W},
        {NUMBERS, "1", N},
        {NUMBERS, "b", R},
        {LETTERS, "a", R},
        {LETTERS, "c", W},
        {LETTERS, "d", N},
        {UNKNOWNS, "b", N},
        {UNKNOWNS, "2", R},
        {LETTERS, "3", R},
        {CASES, "NA", R},
        {CASES, "Na", W},
        {CASES, "na", N},
        {CASES, "2", R},
        {CASES, "N/A", W},
        {LISTS, "2, 3", R},
        {LISTS, "a", R},
        {LISTS, "Bread and butter", W},
    };

    (void)state;
    check_cases(cases, ITEMS(cases));
}

static void test_choice_of_several(void **state)
{
    static const struct grade_case cases[] = {
        {SEVERAL, "Red, bread and butter", R},
        {SEVERAL, "bread and butter and red", R},
        {SEVERAL, "a, and d", R},
        {SEVERAL, "d;a", R},
        {SEVERAL, "d & 1", R},
        {SEVERAL, "1\n4\n", R},
        {SEVERAL, "a, d, A", R},
        {SEVERAL, "Red", W},
        {SEVERAL, "Red, Green", W},
        {SEVERAL, "a, b, d", W},
        {SEVERAL, "salt, pepper, red and bread and butter", W},
        {SEVERAL, "red, bread", N},
        {SEVERAL, "a d", N},
        {SEVERAL, "all", N},
        {SEVERAL, "", N},
        {SEVERAL_OF_LISTS, "2, 3, three", R},
        {SEVERAL_OF_LISTS, "three and 2, 3", R},
        {SEVERAL_OF_LISTS, "1 and 3", R},
        {SEVERAL_OF_LISTS, "2, 3", W},
        {ONE_OF_SEVERAL, "Green", R},
        {ONE_OF_SEVERAL, "Red and Green", W},
        {ONE_OF_SEVERAL,
         "a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,b", W},
        {ONE_OF_SEVERAL,
         "b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b", N},
    };

    (void)state;
    check_cases(cases, ITEMS(cases));
}

#define NUMBER(answer) "{'kind':'number','answer':" answer "}"
#define NEAR           "{'kind':'number','answer':0.3,'tolerance':0.1}"

static void test_number(void **state)
{
    static const struct grade_case cases[] = {
        {NUMBER("0.75"), "0.75", R},
        {NUMBER("0.75"), "0,75", R},
        {NUMBER("0.75"), "3/4", R},
        {NUMBER("0.75"), "\xC2\xBE", R}, /* U+00BE */
        {NUMBER("0.75"), "75 %", R},
        {NUMBER("75"), "75%", R},
        {NUMBER("0.75"), "0.7500001", W},
        {NUMBER("0.75"), "0.7", W},
        {NUMBER("'3/4'"), "0.75", R},
        {NUMBER("'1/3'"), "2/6", R},
        {NUMBER("'1/3'"), "0.333", W},
        {NUMBER("1.5"), "1 1/2", R},
        {NUMBER("1.5"), "1\xC2\xBD", R}, /* U+00BD, not 11/2 */
        {NUMBER("1.5"),
         "1 1\xE2\x81\x84"
         "2 cups",
         R},
        {NUMBER("-1.5"),
         "\xE2\x88\x92"
         "1 1/2",
         R}, /* the minus sign */
        {NUMBER("-1.5"), "- 1,5", R},
        {NUMBER("1234"), "1,234", R},
        {NUMBER("1.234"), "1,234", R},
        {NUMBER("'1,234'"), "1234", R},
        {NUMBER("1234"), "1 234", R},
        {NUMBER("1234"),
         "1\xC2\xA0"
         "234 km",
         R},
        {NUMBER("1234"), "1.234", W},
        {NUMBER("1234.5"), "1.234,5", R},
        {NUMBER("48"), "48 km/h.", R},
        {NUMBER("48"), "48.", R},
        {NUMBER("20"), "20 m/s\xC2\xB2", R},
        {NUMBER("20"), "20 \xE2\x84\x83", R}, /* U+2103 */
        {NUMBER("20"), "20\xE2\x82\xAC", R},
        {NUMBER("140"), "one hundred", N},
        {NUMBER("140"), "x = 140", N},
        {NUMBER("140"), "140x", N},
        {NUMBER("140"), "140 because", R},
        {NUMBER("140"), "140 or 150", N},
        {NUMBER("140"), "140-150", N},
        {NUMBER("5"), "5!", N},
        {NUMBER("100"), "10\xC2\xB2", N}, /* not 102 */
        {NUMBER("102"), "10\xC2\xB2", N},
        {NUMBER("0"), "0", R},
        {NUMBER("0"), "-0.0", R},
        {NUMBER("0"), "1e-12", W},
        {NUMBER("0"), "", N},
        {NUMBER("[2, '-2']"), "-2", R},
        {NUMBER("[2, '-2']"), "2.0", R},
        {NUMBER("[2, '-2']"), "0", W},
        {NUMBER("3e8"), "300,000,000", R},
        {NUMBER("3e8"), "3E8 m/s", R},
        {NEAR, "0.4", R},
        {NEAR, "0.2", R},
        {NEAR, "1/3", R},
        {NEAR, "0.4001", W},
        {NEAR, "a third", N},
    };

    (void)state;
    check_cases(cases, ITEMS(cases));
}

#define TEXT(answer) "{'kind':'text','answer':" answer "}"

static void test_text(void **state)
{
    static const struct grade_case cases[] = {
        {TEXT("'Prime number'"), "  prime\t NUMBER. ", R},
        {TEXT("'Prime number.'"), "prime number", R},
        {TEXT("'Prime number'"), "prime", W},
        {TEXT("'Prime number'"), "  ", N},
        {TEXT("['grey', 'gray']"), "Gray!", R},
        {TEXT("['grey', 'gray']"), "green", W},
        {TEXT("'stra\\u00dfe'"), "STRASSE", R},
        {TEXT("'\\u03a3\\u03af\\u03c3\\u03c5\\u03c6\\u03bf\\u03c2'"),
         "\xCE\xA3\xCE\x8A\xCE\xA3\xCE\xA5\xCE\xA6\xCE\x9F\xCE\xA3", R}, /* a final sigma */
        {TEXT("'caf\\u00e9'"), "cafe\xCC\x81", R},
        {TEXT("'caf\\u00e9'"), "cafe", W},
        {TEXT("'h'"), "\xE2\x84\x8C", R},              /* U+210C, whose NFKC is H */
        {TEXT("'12'"), "\xEF\xBC\x91\xEF\xBC\x92", R}, /* of full width */
        {TEXT("12"), "12", R},
        {TEXT("0.5"), "0.5", R},
        {TEXT("'don\\u0027t know'"), "don\xE2\x80\x99t  know", R},
        {TEXT("'x^2'"), "x\xC2\xB2", R},
        {TEXT("'x\\u00b2'"), "x^2", R},
        {TEXT("'x\\u00b2'"), "x2", W},
        {TEXT("'10\\u207b\\u00b2'"), "10^-2", R},
        {TEXT("'n!'"), "n", W},
        {TEXT("'n'"), "n!", W},
        {TEXT("'yes'"), "Yes!", R},
        {TEXT("'?'"), "?", R},
        {TEXT("'?'"), ".", W},
        {TEXT("'a b'"), "ab", W},
        {TEXT("'a'"), "\xFF", W},
    };

    (void)state;
    check_cases(cases, ITEMS(cases));
}

static void test_open_and_long(void **state)
{
    static const char open[] = "{'kind':'open','criteria':['says why']}";
    static const struct grade_case cases[] = {
        {open, "Because it is.", ANSWER_OPEN},
        {open, " ", N},
    };
    char text[ANSWER_CAP + 2];
    const struct grade_case too_long[] = {{TEXT("'a'"), text, N}, {open, text, ANSWER_OPEN}};
    const struct grade_case longest[] = {{TEXT("'a'"), text, W}};

    (void)state;
    check_cases(cases, ITEMS(cases));
    memset(text, 'a', sizeof text - 1);
    text[ANSWER_CAP + 1] = '\0';
    check_cases(too_long, ITEMS(too_long));
    text[ANSWER_CAP] = '\0';
    check_cases(longest, ITEMS(longest));
}

#ifdef COUNTS_ALLOCATIONS
/* Each allocation of a grading fails once: a grade that is the same as without, or none with
 * ERROR_MEMORY, and no leak. */
static void test_failing_allocations(void **state)
{
    static const struct grade_case cases[] = {
        {SEVERAL, "Red, bread and butter", R},
        {NUMBER("[2, '1 1/2']"), "1,5 km", R},
        {TEXT("['grey', 'gray']"), "Gray", R},
    };

    (void)state;
    for (size_t i = 0; i < ITEMS(cases); i++) {
        json_auto_t *question = read_question(cases[i].question);
        const struct answer_grade *grade = NULL;
        long at = 0;

        for (fail_at = 0; fail_at == 0;) {
            struct error err = {0};

            fail_at = ++at;
            live = 0;
            watching = true;
            grade = answer_grade(question, cases[i].given, &err);
            watching = false;
            assert_int_equal(live, 0);
            assert_int_equal(grade ? grade->result : R, R);
            assert_int_equal(err.kind, grade ? ERROR_NONE : ERROR_MEMORY);
        }
        fail_at = 0;
        assert_non_null(grade);
        assert_true(at > 5);
    }
}
#endif

static void test_readings(void **state)
{
    static const struct {
        const char *text;
        bool has_unit;
        const char *readings; /* with a space between two */
    } cases[] = {
        {"12", false, "12"},
        {" +.5 ", false, "0.5"},
        {"5.", false, "5"},
        {"1e-3", false, "0.001"},
        {"1,5e1", false, "15"},
        {"1,234", false, "1234 1.234"},
        {"-1,234", false, "-1234 -1.234"},
        {"1.234", false, "1.234"},
        {"0,234", false, "0.234"},
        {"1,2345", false, "1.2345"},
        {"1234,567", false, "1234.567"},
        {"1,234,567", false, "1234567"},
        {"1.234.567", false, "1234567"},
        {"1,234.5", false, "1234.5"},
        {"1.234,5", false, "1234.5"},
        {"1 234 567,8", false, "1234567.8"},
        {"1'234.5", false, "1234.5"},
        {"1 234/5", false, "47.8"},
        {"2 3 / 4", false, "2.75"},
        {"1,234/2", false, "617 0.617"},
        {"1.5/2", false, "0.75"},
        {"1 234 567/2", false, "617283.5"},
        {"-3/4", false, "-0.75"},
        {"5 / 8", false, "0.625"},
        {"50 %", true, "50 0.5"},
        {"1/2 percent", true, "0.5 0.005"},
        {"5 cm^2", true, "5"},
        {"5 m2", true, "5"},
        {"5 \xC2\xB0", true, "5"},
        {"5e", true, ""},
        {"5 \xCF\x80", true, ""},
        {"5 Million", true, ""},
        {"3 quarters", true, ""},
        {"5 km", false, ""},
        {"5 6", true, ""},
        {"5 2m", true, ""},
        {"5 +", true, ""},
        {"5/s", true, ""},
        {"", true, ""},
        {"-", true, ""},
        {".", false, ""},
        {",", false, ""},
        {"1,23,456", false, ""},
        {"1,234 567", false, ""},
        {"12,34.5", false, ""},
        {"1..2", false, ""},
        {"1,,234", false, ""},
        {"1.5,234", false, ""},
        {"1234,567,890", false, ""},
        {"--5", false, ""},
        {"3/0", false, ""},
        {"3/-4", false, ""},
        {"1/2/3", true, ""},
        {"1e999", false, ""},
        {"1e300/1e-300", false, ""},
        {"0x10", false, ""},
        {"inf", true, ""},
        {"nan", true, ""},
        {"12345678901234567890123456789012345678901234567890123456789012345", false, ""},
    };

    (void)state;
    for (size_t i = 0; i < ITEMS(cases); i++) {
        double readings[NUMBER_READINGS_MAX];
        size_t count = number_read(cases[i].text, cases[i].has_unit, readings);
        struct buf BUF_AUTO found = {0};

        for (size_t j = 0; j < count; j++)
            buf_addf(&found, "%s%.10g", j > 0 ? " " : "", readings[j]);
        buf_adds(&found, "");
        if (strcmp(found.data, cases[i].readings) != 0)
            fail_msg("'%s' gives '%s'", cases[i].text, found.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_choice_of_several),
        cmocka_unit_test(test_number),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_open_and_long),
        cmocka_unit_test(test_readings),
#ifdef COUNTS_ALLOCATIONS
        cmocka_unit_test(test_failing_allocations),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
