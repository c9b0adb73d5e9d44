/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tiers of learners: the file, which lessons a tier has, the link of a tier.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "mcp/learner/tiers.h"

static struct tiers *read_text(const char *text, struct error *err)
{
    char path[] = "/tmp/lectern-test-XXXXXX";
    struct tiers *tiers;
    int fd = mkstemp(path);

    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    tiers = tiers_read(path, err);
    unlink(path);
    return tiers;
}

static void test_lessons(void **state)
{
    struct error err = {0};
    struct tiers *tiers = read_text(
        "{\"tiers\": [{\"name\": \"free\", \"chapters\": [\"Numbers\"], \"lessons\": [\"N9\"],"
        " \"attempts_a_day\": 5}, {\"name\": \"none\", \"lessons\": [], \"attempts_a_day\": 0},"
        " {\"name\": \"all\", \"chapters\": null}]}",
        &err);
    const struct tier *free_tier, *none, *all;

    (void)state;
    assert_non_null(tiers);
    free_tier = tier_find(tiers, NULL);
    none = tier_next(tiers, free_tier);
    all = tier_next(tiers, none);
    assert_ptr_equal(free_tier, tier_find(tiers, "free"));
    assert_ptr_equal(none, tier_find(tiers, "none"));
    assert_ptr_equal(all, tier_find(tiers, "all"));
    assert_null(tier_next(tiers, all));
    assert_ptr_equal(free_tier, tier_find(tiers, "gone"));
    assert_true(tier_allows(free_tier, "Numbers", "N1"));
    assert_true(tier_allows(free_tier, "Shapes", "N9"));
    assert_true(tier_allows(free_tier, NULL, "N9"));
    assert_false(tier_allows(free_tier, "Shapes", "N1"));
    assert_false(tier_allows(free_tier, NULL, "Numbers"));
    assert_false(tier_allows(none, "Numbers", "N9"));
    assert_true(tier_allows(all, NULL, "N1"));
    assert_int_equal(free_tier->attempts_a_day, 5);
    assert_int_equal(none->attempts_a_day, 0);
    assert_int_equal(all->attempts_a_day, TIER_ATTEMPTS_ANY);
    assert_int_equal(tier_name_check(tiers, "all", &err), 0);
    assert_int_equal(tier_name_check(tiers, "al", &err), -1);
    assert_non_null(strstr(err.text, "free, none, all"));
    tiers_unref(tiers_ref(tiers));
    assert_string_equal(all->name, "all");
    tiers_unref(tiers);
    tiers_unref(NULL);
}

static void test_without_a_file(void **state)
{
    struct tiers *tiers = tiers_read(NULL, NULL);
    const struct tier *tier = tier_find(tiers, "gold");
    struct buf BUF_AUTO url = {0};

    (void)state;
    assert_string_equal(tier->name, TIER_WITHOUT_TIERS);
    assert_true(tier_allows(tier, NULL, "N1"));
    assert_int_equal(tier->attempts_a_day, TIER_ATTEMPTS_ANY);
    assert_null(tier_next(tiers, tier));
    assert_false(tier_write_url(tier, "a", &url));
    tiers_unref(tiers);
}

static void test_urls(void **state)
{
    static const struct {
        const char *url, *written; /* NULL: refused */
    } cases[] = {
        {"https://example.org/{learner}?l={learner}", "https://example.org/a%26b%20c?l=a%26b%20c"},
        {"https://example.org", "https://example.org"},
        {"http://127.0.0.1:8000/{learner}", "http://127.0.0.1:8000/a%26b%20c"},
        {"http://[::1]/", "http://[::1]/"},
        {"http://example.org/", NULL},
        {"http://localhost@example.org/", NULL},
        {"http://localhost.example.org/", NULL},
        {"https://", NULL},
        {"https:///x", NULL},
        {"https://example.org/{name}", NULL},
        {"https://example.org/{learner", NULL},
        {"https://example.org/a b", NULL},
        {"javascript:alert(1)", NULL},
        {"", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct buf BUF_AUTO text = {0}, url = {0};
        struct error err = {0};
        struct tiers *tiers;

        buf_addf(&text, "{\"tiers\": [{\"name\": \"paid\", \"url\": \"%s\"}]}", cases[i].url);
        tiers = read_text(text.data, &err);
        assert_int_equal(tiers != NULL, cases[i].written != NULL);
        if (tiers) {
            assert_true(tier_write_url(tier_find(tiers, NULL), "a&b c", &url));
            assert_string_equal(url.data, cases[i].written);
        } else {
            assert_non_null(strstr(err.text, "tier 1 ('paid'): url: "));
        }
        tiers_unref(tiers);
    }
}

static void test_wrong_files(void **state)
{
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"", "not JSON"},
        {"[]", "must be an object, not an array"},
        {"{}", "tiers: is needed"},
        {"{\"tiers\": []}", "tiers: must have 1 to 32 tiers"},
        {"{\"tiers\": [3]}", "tier 1: it must be an object, not a number"},
        {"{\"tiers\": [{\"name\": \"\"}]}", "tier 1 (''): name: must not be empty"},
        {"{\"tiers\": [{\"name\": \"12345678901234567890123456789012345678901\"}]}", "name: "},
        {"{\"tiers\": [{\"name\": \"a\\nb\"}]}", "name: "},
        {"{\"tiers\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}", "tier 2 ('a'): name: must be diff"},
        {"{\"tiers\": [{\"name\": \"a\", \"attempts_a_day\": -1}]}",
         "attempts_a_day: must be a who"},
        {"{\"tiers\": [{\"name\": \"a\", \"attempts_a_day\": 0.5}]}",
         "attempts_a_day: must be a w"},
        {"{\"tiers\": [{\"name\": \"a\", \"chapters\": \"b\"}]}", "chapters: must be an array"},
        {"{\"tiers\": [{\"name\": \"a\", \"lessons\": [3]}]}", "lessons.0: must be text"},
        {"{\"tiers\": [{\"name\": \"a\", \"chapter\": [\"b\"]}]}", "did you mean 'chapters'?"},
        {"{\"tiers\": [{\"name\": \"a\"}], \"tier\": 1}", "tier: unknown member 'tier'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct error err = {0};

        assert_null(read_text(cases[i].text, &err));
        assert_int_equal(strncmp(err.text, "--tiers /tmp/lectern-test-", 26), 0);
        if (!strstr(err.text, cases[i].said))
            fail_msg("%s: %s", cases[i].text, err.text);
        if (i > 0)
            assert_non_null(strstr(err.text, "A correct file: {"));
    }
}

static void test_caps(void **state)
{
    struct buf BUF_AUTO text = {0};
    struct error err = {0};

    (void)state;
    buf_adds(&text, "{\"tiers\": [{\"name\": \"a\", \"lessons\": [\"\"");
    for (unsigned i = 0; i < TIER_LESSONS_CAP; i++)
        buf_addf(&text, ",\"%u\"", i);
    buf_adds(&text, "]}]}");
    assert_null(read_text(text.data, &err));
    assert_non_null(strstr(err.text, "lessons: must have at most 20000 entries, not 20001"));
    buf_clear(&text);
    while (text.len <= TIERS_FILE_CAP)
        buf_addc(&text, ' ');
    assert_null(read_text(text.data, &err));
    assert_non_null(strstr(err.text, "larger than 1048576 bytes"));
    assert_null(tiers_read("/tmp/no-such-file-of-tiers", &err));
    assert_non_null(strstr(err.text, "--tiers /tmp/no-such-file-of-tiers: cannot open it"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lessons), cmocka_unit_test(test_without_a_file),
        cmocka_unit_test(test_urls),    cmocka_unit_test(test_wrong_files),
        cmocka_unit_test(test_caps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
