/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The packages that others need, from an index and a lock that are made up, and the order of
 * versions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "executor/pinned/resolve.h"
#include "executor/pinned/version.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void test_versions(void **state)
{
    static const char *const ascending[] = {
        "0~~",     "0~~a",   "0~",    "0",          "0a",      "0+",        "1.0~rc1-1",
        "1.0",     "1.0-1~", "1.0-1", "1.0-1+deb1", "1.0-2",   "1.0-10",    "1.0a-1",
        "1.0.1-1", "1.2",    "1.10",  "1:0.9",      "2:0.1~a", "2:0.1~a-1",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(ascending); i++)
        for (size_t j = 0; j < COUNT(ascending); j++) {
            int order = version_compare(ascending[i], ascending[j]);

            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
    assert_int_equal(version_compare("1.0", "1.00"), 0);
    assert_int_equal(version_compare("0:1.0-0", "1.0"), 0);
}

/* Sorted by name, as an index is. */
static struct index_entry entries[] = {
    {"alone", "1", "s", "1", "p", "", "", "", false},
    {"atlas", "3", "s", "1", "p", "", "", "blas (= 3), algebra", false},
    {"base", "2-1", "s", "1", "p", "never-asked", "", "base-abi9", false},
    {"circle-a", "1", "s", "1", "p", "circle-b", "", "", false},
    {"circle-b", "1", "s", "1", "p", "circle-a", "", "", false},
    {"essential", "1", "s", "1", "p", "", "", "", true},
    {"lost", "1", "s", "1", "p", "alone, nowhere (>= 1) | nowhere2", "", "", false},
    {"newer-base", "1", "s", "1", "p", "base (>= 3)", "", "", false},
    {"science", "1", "s", "1", "p",
     "base:any (>= 2~), base-abi9, nowhere | alone (= 1), essential, blas (<< 4)", "circle-a", "",
     false},
    {"settled", "1", "s", "1", "p", "alone | base", "", "", false},
    {"strict", "1", "s", "1", "p", "alone (>> 1)", "", "", false},
};

static void test_closures(void **state)
{
    static const struct {
        const char *const names[3];
        const char *chosen; /* or what the error says */
        bool fails;
    } cases[] = {
        {{"alone"}, "alone ", false},
        {{"alone", "alone"}, "alone ", false},
        {{"base"}, "", false},
        {{"circle-a"}, "circle-a circle-b ", false},
        {{"settled"}, "settled ", false},
        {{"science"}, "science circle-a alone atlas circle-b ", false},
        {{"lost"}, "lost needs nowhere (>= 1) | nowhere2", true},
        {{"newer-base"}, "newer-base needs base (>= 3)", true},
        {{"strict"}, "strict needs alone (>> 1)", true},
        {{"unknown"}, "the release test has no package unknown", true},
    };
    const struct package_index index = {.entries = entries, .count = COUNT(entries)};
    struct pinned_package had = {.name = "base", .version = "2-1"};
    const struct pinned_lock lock = {.release = "test", .packages = &had, .count = 1};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct index_entry *chosen[PINNED_PACKAGES_CAP];
        struct error err = {0};
        char text[256] = "";
        size_t count;
        int rc = packages_resolve(&index, &lock, cases[i].names, chosen, &count, &err);

        assert_int_equal(rc, cases[i].fails ? -1 : 0);
        for (size_t j = 0; j < count; j++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s ", chosen[j]->name);
        if (cases[i].fails)
            assert_non_null(strstr(err.text, cases[i].chosen));
        else
            assert_string_equal(text, cases[i].chosen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_closures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
