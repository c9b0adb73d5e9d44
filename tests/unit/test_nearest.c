/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "helpers/base/nearest.h"

static void counts_edits(void **state)
{
    (void)state;
    assert_int_equal(nearest_distance("", ""), 0);
    assert_int_equal(nearest_distance("abc", ""), 3);
    assert_int_equal(nearest_distance("paragraph", "paragrpah"), 1);
    assert_int_equal(nearest_distance("kitten", "sitting"), 3);
    assert_int_equal(nearest_distance("N001", "n001"), 0);
}

static const char *nearest_of(const char *word, const char *const *candidates)
{
    struct nearest search;

    nearest_begin(&search, word);
    for (size_t i = 0; candidates[i]; i++)
        nearest_feed(&search, candidates[i]);
    if (search.best)
        assert_ptr_equal(search.best, candidates[search.best_index]);
    return search.best;
}

static void finds_the_nearest(void **state)
{
    static const char *const names[] = {
        "heading", "paragraph", "definition", "Adding unlike fractions", "", NULL};

    (void)state;
    assert_string_equal(nearest_of("headin", names), "heading");
    assert_string_equal(nearest_of("unlike fractions", names), "Adding unlike fractions");
    assert_null(nearest_of("zzz", names));
    assert_null(nearest_of("", names));
}

static const char *nearest_action(const char *word, const char *const *candidates)
{
    struct nearest search;

    nearest_begin_action(&search, word);
    for (size_t i = 0; candidates[i]; i++)
        nearest_feed(&search, candidates[i]);
    return search.best;
}

static void finds_actions_by_other_verbs(void **state)
{
    static const char *const names[] = {"create_node", "delete_node", "edit_node", "find", NULL};

    (void)state;
    assert_string_equal(nearest_action("update_node", names), "edit_node");
    assert_string_equal(nearest_action("remove_node", names), "delete_node");
    assert_string_equal(nearest_action("search", names), "find");
    assert_string_equal(nearest_action("get_lessons", names), "find");
    assert_null(nearest_action("getaway", names));
    assert_null(nearest_of("search", names));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_edits),
        cmocka_unit_test(finds_the_nearest),
        cmocka_unit_test(finds_actions_by_other_verbs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
