/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sign-in without sockets: tables of tokens, lines of the file, limits of a holder, links and
 * cookies, and what fuzzing has found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "mcp/auth/auth.h"
#include "mcp/auth/limits.h"
#include "mcp/auth/page_sign_in.h"
#include "tests/fuzz/play_issuer.h"
#include "tests/fuzz/play_token.h"
#include "tests/unit/regression_inputs.h"

#define DIGEST  "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881" /* of "x" */
#define SESSION "11111111-1111-4111-8111-111111111111"
#define LEARNER "0123456789abcdef0123456789abcdef"

static struct digest digest_of_number(unsigned number)
{
    struct digest digest;

    digest_of(&number, sizeof number, &digest);
    return digest;
}

/* ---- tables ---- */

static void test_table(void **state)
{
    struct identity_table *table = identity_table_create(8, NULL);
    struct identity identity = identity_everyone;
    struct digest digest;

    (void)state;
    for (unsigned i = 0; i < 20; i++) {
        digest = digest_of_number(i);
        snprintf(identity.name, sizeof identity.name, "%u", i);
        assert_int_equal(identity_table_add(table, &digest, &identity, i == 19 ? 100 : 0, NULL), 0);
        assert_int_equal(identity_table_count(table), i < 8 ? i + 1 : 8);
    }
    for (unsigned i = 0; i < 20; i++) { /* the oldest have gone */
        const struct identity *found;

        digest = digest_of_number(i);
        found = identity_table_find(table, &digest, 99);
        assert_int_equal(found != NULL, i >= 12);
        if (found)
            assert_int_equal(atoi(found->name), i);
    }
    assert_null(identity_table_find(table, &digest, 100)); /* its time is over, and it is gone */
    assert_int_equal(identity_table_count(table), 7);
    digest = digest_of_number(18);
    identity_table_remove(table, &digest);
    identity_table_remove(table, &digest);
    assert_int_equal(identity_table_count(table), 6);
    identity_table_destroy(table);
    identity_table_destroy(NULL);
}

/* ---- the file ---- */

static void test_lines(void **state)
{
    static const struct {
        const char *line;
        unsigned scopes; /* 0: refused */
        const char *name, *curriculum;
        int64_t end;
        const char *learner;
    } cases[] = {
        {DIGEST " read anna", IDENTITY_READ, "anna", "", 0, ""},
        {"  " DIGEST "\tedit  ben \r", IDENTITY_READ | IDENTITY_EDIT | IDENTITY_LEARN, "ben", "", 0,
         ""},
        {DIGEST " learn tutor", IDENTITY_LEARN, "tutor", "", 0, ""},
        {DIGEST " learn t learner=" LEARNER " curriculum=" SESSION " end=2033-05-18",
         IDENTITY_LEARN, "t", SESSION, 1999987200, LEARNER},
        {DIGEST " operate pay end=2033-05-18", IDENTITY_OPERATE, "pay", "", 1999987200, ""},
        {DIGEST " operate pay curriculum=" SESSION, 0, "", "", 0, ""},
        {DIGEST " operate pay learner=" LEARNER, 0, "", "", 0, ""},
        {DIGEST " edit ben learner=" LEARNER, 0, "", "", 0, ""},
        {DIGEST " learn t learner=" LEARNER "0", 0, "", "", 0, ""},
        {DIGEST " learn t learner=ABCDEFABCDEFABCDEFABCDEFABCDEFAB", 0, "", "", 0, ""},
        {DIGEST " learn t learner=", 0, "", "", 0, ""},
        {DIGEST " learning t", 0, "", "", 0, ""},
        {DIGEST " read c curriculum=" SESSION " end=2000000000", 0, "", "", 0, ""},
        {DIGEST " read c curriculum=" SESSION " end=2033-05-18", IDENTITY_READ, "c", SESSION,
         1999987200, ""},
        {DIGEST " read c end=2033-05-18T03:33:20Z", IDENTITY_READ, "c", "", 2000000000, ""},
        {DIGEST " read", 0, "", "", 0, ""},
        {DIGEST " write anna", 0, "", "", 0, ""},
        {DIGEST "0 read anna", 0, "", "", 0, ""},
        {"g" DIGEST " read anna", 0, "", "", 0, ""},
        {DIGEST " read anna end=1969-01-01", 0, "", "", 0, ""},
        {DIGEST " read anna end=2033-05-18x", 0, "", "", 0, ""},
        {DIGEST " read anna curriculum=" SESSION "1", 0, "", "", 0, ""},
        {DIGEST " read a b", 0, "", "", 0, ""},
        {DIGEST " read a end=2033-05-18 curriculum=" SESSION " end=2033-05-18 end=2033-05-18", 0,
         "", "", 0, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct identity_table *table = identity_table_create(16, NULL);
        const struct identity *found;
        struct error err = {0};
        struct digest digest;
        int rc = token_file_parse(cases[i].line, strlen(cases[i].line), table, &err);

        digest_of("x", 1, &digest);
        found = identity_table_find(table, &digest, 0);
        assert_int_equal(rc, cases[i].scopes ? 0 : -1);
        assert_int_equal(found != NULL, cases[i].scopes != 0);
        if (found) {
            assert_int_equal(found->scopes, cases[i].scopes);
            assert_string_equal(found->name, cases[i].name);
            assert_string_equal(found->curriculum, cases[i].curriculum);
            assert_string_equal(found->learner, cases[i].learner);
            assert_int_equal(found->end, cases[i].end);
            assert_int_equal(strlen(found->id), IDENTITY_ID_SIZE - 1);
        } else {
            assert_int_equal(strncmp(err.text, "line 1: ", 8), 0);
        }
        identity_table_destroy(table);
    }
}

static void test_scope_names(void **state)
{
    (void)state;
    assert_string_equal(identity_scope_names(0), "");
    assert_string_equal(identity_scope_names(identity_everyone.scopes), "read edit learn operate");
    assert_string_equal(identity_scope_names(IDENTITY_LEARN | IDENTITY_READ), "read learn");
    assert_int_equal(identity_scopes_named("read edit", 4), IDENTITY_READ);
    assert_int_equal(identity_scopes_named("edit", 3), 0);
    assert_int_equal(identity_scopes_named("", 0), 0);
}

/* ---- limits ---- */

static void test_requests(void **state)
{
    struct limits *limits = limits_create(60, 2, NULL);
    struct identity anna = {.source = IDENTITY_OF_FILE, .id = "a"};
    struct identity ben = {.source = IDENTITY_OF_FILE, .id = "b"};
    unsigned seconds = 0, good = 0;

    (void)state;
    for (int i = 0; i < 100; i++)
        good += limits_request(limits, &anna, 1000000, &seconds);
    assert_int_equal(good, 60);
    assert_in_range(seconds, 1, 2);
    assert_true(limits_request(limits, &ben, 1000000, &seconds));
    assert_false(limits_request(limits, &anna, 1000500, &seconds));
    assert_true(limits_request(limits, &anna, 1001500, &seconds)); /* one a second */
    assert_false(limits_request(limits, &anna, 1001500, &seconds));
    good = 0;
    for (int i = 0; i < 100; i++)
        good += limits_request(limits, &anna, 9000000, &seconds);
    assert_int_equal(good, 60);
    for (int i = 0; i < 1000; i++) /* without sign-in */
        assert_true(limits_request(limits, &identity_everyone, 0, &seconds));
    assert_true(limits_request(NULL, &anna, 0, &seconds));
    limits_destroy(limits);
    limits_destroy(NULL);
}

static void test_analyses(void **state)
{
    struct limits *limits = limits_create(0, 2, NULL);
    struct identity identity = {.source = IDENTITY_OF_ISSUER, .id = "a"};
    unsigned seconds;

    (void)state;
    assert_true(limits_begin_analysis(limits, &identity));
    assert_true(limits_begin_analysis(limits, &identity));
    assert_false(limits_begin_analysis(limits, &identity));
    /* Others do not push out one that has analyses under way. */
    for (unsigned i = 0; i < 2 * LIMITS_HOLDERS_CAP; i++) {
        struct identity other = {.source = IDENTITY_OF_ISSUER};

        snprintf(other.id, sizeof other.id, "other-%u", i);
        assert_true(limits_begin_analysis(limits, &other));
        limits_end_analysis(limits, &other);
        assert_true(limits_request(limits, &other, 0, &seconds));
    }
    assert_false(limits_begin_analysis(limits, &identity));
    limits_end_analysis(limits, &identity);
    assert_true(limits_begin_analysis(limits, &identity));
    assert_true(limits_begin_analysis(NULL, &identity));
    assert_true(limits_begin_analysis(limits, NULL));
    limits_destroy(limits);
}

/* ---- the page ---- */

static void test_page(void **state)
{
    struct page_sign_in *pages = page_sign_in_create(NULL);
    struct identity identity = {.source = IDENTITY_OF_ISSUER, .name = "anna", .end = 1}, taken;
    char code[TOKEN_TEXT_SIZE], cookie[TOKEN_TEXT_SIZE];
    const struct identity *found;
    int64_t end;

    (void)state;
    assert_int_equal(page_make_code(pages, &identity, code, NULL), 0);
    assert_false(page_take_code(pages, "", &taken));
    assert_true(page_take_code(pages, code, &taken));
    assert_false(page_take_code(pages, code, &taken)); /* once */
    assert_int_equal(page_make_cookie(pages, &taken, cookie, NULL), 0);
    assert_string_not_equal(code, cookie);
    assert_null(page_find_cookie(pages, cookie, strlen(cookie))); /* the token has ended */
    identity.end = 0;
    assert_int_equal(page_make_cookie(pages, &identity, cookie, NULL), 0);
    found = page_find_cookie(pages, cookie, strlen(cookie));
    assert_string_equal(found->name, "anna");
    end = found->cookie_end;
    assert_in_range(end - time(NULL), PAGE_COOKIE_S - 60, PAGE_COOKIE_S);
    /* A link that the page makes gives no more time than the page has left. */
    identity = *found;
    identity.cookie_end = end - 3600;
    assert_int_equal(page_make_code(pages, &identity, code, NULL), 0);
    assert_true(page_take_code(pages, code, &taken));
    assert_int_equal(page_make_cookie(pages, &taken, cookie, NULL), 0);
    assert_int_equal(page_find_cookie(pages, cookie, strlen(cookie))->cookie_end, end - 3600);
    assert_null(page_find_cookie(pages, cookie, strlen(cookie) - 1));
    assert_null(page_find_cookie(pages, code, strlen(code)));
    for (unsigned i = 0; i < 2 * PAGE_LINKS_CAP; i++)
        assert_int_equal(page_make_code(pages, &identity, code, NULL), 0);
    assert_true(page_take_code(pages, code, &taken));
    page_sign_in_destroy(pages);
}

/* ---- all of it ---- */

static void test_check(void **state)
{
    char path[] = "/tmp/lectern-test-tokens-XXXXXX";
    int fd = mkstemp(path);
    const struct auth_config config = {.token_file = path, .requests_a_minute = 0};
    static const char *const refused[] = {"Bearer y", "Bearer", "Bearer ", "Bearer x ",
                                          "Basic x",  "x",      "Bearerx", "Bearer x,y"};
    struct auth_result result;
    struct error err = {0};
    struct auth *auth;
    uv_loop_t loop;

    (void)state;
    assert_int_equal(write(fd, DIGEST " edit anna\n", sizeof DIGEST + 10), sizeof DIGEST + 10);
    uv_loop_init(&loop);
    auth = auth_create(&config, &loop, NULL, &err);
    assert_non_null(auth);
    auth_check(auth, "bearer  x", "", &result);
    assert_int_equal(result.outcome, AUTH_GOOD);
    assert_string_equal(result.identity.name, "anna");
    assert_true(auth_renew(auth, &result.identity));
    auth_check(auth, "", "", &result);
    assert_int_equal(result.outcome, AUTH_MISSING);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        auth_check(auth, refused[i], "", &result);
        assert_int_equal(result.outcome, AUTH_REFUSED);
        assert_null(strstr(result.why.text, "x,y"));
    }
    auth_check(NULL, "", "", &result);
    assert_int_equal(result.outcome, AUTH_GOOD);
    auth_destroy(auth);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    close(fd);
    unlink(path);
}

static void test_regression(void **state)
{
    (void)state;
    replay_inputs("tests/fuzz/regression/token", play_token);
    replay_inputs("tests/fuzz/regression/issuer", play_issuer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),       cmocka_unit_test(test_lines),
        cmocka_unit_test(test_scope_names), cmocka_unit_test(test_requests),
        cmocka_unit_test(test_analyses),    cmocka_unit_test(test_page),
        cmocka_unit_test(test_check),       cmocka_unit_test(test_regression),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
