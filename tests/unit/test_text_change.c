/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is said to be different between two texts and two values: the words, in their surroundings,
 * within their cap.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/json_difference.h"

static void the_words_are_named(void **state)
{
    static const struct {
        const char *before, *after, *said;
    } rows[] = {
        {"a scale", "a scale", ""},
        {NULL, "new text", "[+new text]"},
        {"old text", "", "[-old text]"},
        {"A scale measures.", "A balance measures.", "A [scale -> balance] measures."},
        {"one two", "one very two", "one [+very] two"},
        {"one very two", "one two", "one [-very] two"},
        {"one two", "one two three", "one two [+three]"},
        {"say ratio, please", "say rate, please", "say [ratio -> rate], please"},
        {"<b>ratio</b>", "<b>Ratio</b>", "<b>[ratio -> Ratio]</b>"},
        {"a  b", "a b", "white space"},
        {"The beginning of a text in which a word is to change, and then its end comes.",
         "The beginning of a text in which a thing is to change, and then its end comes.",
         "... of a text in which a [word -> thing] is to change, and ..."},
        {"one b c d e f g h i j k l m n o p q r s t u v w x y z two",
         "1 b c d e f g h i j k l m n o p q r s t u v w x y z 2",
         "[one -> 1] ... p q r s t u v w x y z [two -> 2]"},
        {"das Verhältnis zweier Größen", "das Verhältnis dreier Größen",
         "das Verhältnis [zweier -> dreier] Größen"},
        {"比率是两个数的商", "比例是两个数的商", "比[率 -> 例]是两个数的商"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct buf BUF_AUTO said = {0};

        buf_adds(&said, "x: ");
        text_change(rows[i].before, rows[i].after, &said);
        assert_string_equal(said.data + 3, rows[i].said);
    }
}

/* `count` words; each `every`-th of them is the other word. */
static void write_words(struct buf *to, size_t count, size_t every, const char *other)
{
    buf_clear(to);
    for (size_t i = 0; i < count; i++) {
        if (every > 0 && i % every == every - 1)
            buf_addf(to, "%s ", other);
        else
            buf_addf(to, "w%zu ", i % 97);
    }
}

static void what_is_long_is_cut_and_counted(void **state)
{
    struct buf BUF_AUTO before = {0}, BUF_AUTO after = {0}, BUF_AUTO said = {0};

    (void)state;
    write_words(&before, 60, 20, "old");
    write_words(&after, 60, 20, "new");
    text_change(before.data, after.data, &said);
    assert_non_null(strstr(said.data, "w17 w18 [old -> new]"));
    assert_in_range(said.len, 20, TEXT_CHANGE_MAX);

    for (size_t every = 1; every < 130; every++) {
        write_words(&before, 20000, every, "ein-altes-längeres-Wort-ohne-Ende-und-Ziel");
        write_words(&after, 20000, every, "ein anderes");
        buf_clear(&said);
        text_change(before.data, after.data, &said);
        assert_in_range(said.len, 20, TEXT_CHANGE_MAX);
        assert_non_null(strchr(said.data, ']'));
        buf_clear(&after);
        utf8_clean(said.data, said.len, said.len, &after);
        assert_string_equal(after.data, said.data);
    }
    assert_non_null(strstr(said.data, " more)"));
}

static void the_members_are_named(void **state)
{
    static const struct {
        const char *before, *after, *said;
    } rows[] = {
        {"{\"a\":1}", "{\"a\":1}", ""},
        {"{\"term\":\"scale\",\"n\":1}", "{\"term\":\"balance\",\"n\":2}",
         "term: [scale -> balance]; n: [1 -> 2]"},
        {"{\"a\":\"x\"}", "{\"b\":true}", "b: [+true]; a: [-x]"},
        {"{\"steps\":[\"one\",\"three\"]}", "{\"steps\":[\"one\",\"two\",\"three\"]}",
         "steps.1: [+two]"},
        {"{\"p\":{\"svg1\":{\"title\":\"a b\"}}}", "{\"p\":{\"svg1\":{\"title\":\"a c\"}}}",
         "p.svg1.title: a [b -> c]"},
        {"{\"a\":3}", "{\"a\":\"3\"}", "a: a text for a value"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_auto_t *before = json_loads(rows[i].before, 0, NULL);
        json_auto_t *after = json_loads(rows[i].after, 0, NULL);
        struct buf BUF_AUTO said = {0};

        value_change(before, after, &said);
        assert_string_equal(said.data ? said.data : "", rows[i].said);
    }
}

static void many_members_are_counted(void **state)
{
    json_auto_t *before = json_object(), *after = json_object();
    struct buf BUF_AUTO said = {0};

    (void)state;
    for (size_t i = 0; i < 100; i++) {
        char name[16];

        snprintf(name, sizeof name, "member%zu", i);
        json_object_set_new(before, name, json_string("what was there before"));
        json_object_set_new(after, name, json_string("what is there afterwards"));
    }
    value_change(before, after, &said);
    assert_in_range(said.len, 100, VALUE_CHANGE_MAX);
    assert_non_null(strstr(said.data, "member0: what [was there before -> is there afterwards]"));
    assert_string_equal(said.data + said.len - 5, " more");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_words_are_named),
        cmocka_unit_test(what_is_long_is_cut_and_counted),
        cmocka_unit_test(the_members_are_named),
        cmocka_unit_test(many_members_are_counted),
    };

    return cmocka_run_group_tests_name("text_change", tests, NULL, NULL);
}
