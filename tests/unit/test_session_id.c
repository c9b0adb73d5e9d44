/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The ids of MCP sessions: what is in one comes back, and a changed, foreign, cut or ended one is
 * none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fuzz/play_session_id.h"
#include "tests/unit/regression_inputs.h"

#define NOW INT64_C(1800000000)

static const unsigned char key[SEAL_KEY_SIZE] = {1, 2, 3};
static struct error err;

static struct client a_client(void)
{
    struct client client;

    client_init(&client, TOOLSETS_ALL, NULL, NULL);
    client.version = "2025-06-18";
    snprintf(client.who, sizeof client.who, "mcp:claude-code");
    client.capabilities = 5; /* a set */
    return client;
}

static void make(const struct client *client, const char *holder, struct session_id *id,
                 char text[SESSION_ID_TEXT_SIZE])
{
    assert_int_equal(session_id_make(id, client, holder, NOW, &err), 0);
    assert_int_equal(session_id_write(id, key, text, &err), 0);
}

static void assert_same(const struct session_id *a, const struct session_id *b)
{
    assert_memory_equal(a->name, b->name, sizeof a->name);
    assert_int_equal(a->ends, b->ends);
    assert_string_equal(a->holder, b->holder);
    assert_string_equal(a->client.version, b->client.version);
    assert_string_equal(a->client.who, b->client.who);
    assert_string_equal(a->client.bound_session, b->client.bound_session);
    assert_int_equal(a->client.capabilities, b->client.capabilities);
    assert_int_equal(a->client.toolsets, b->client.toolsets);
}

static void test_all_of_it_comes_back(void **state)
{
    struct client client = a_client();
    struct session_id id, again;
    char text[SESSION_ID_TEXT_SIZE];

    (void)state;
    make(&client, "", &id, text);
    assert_int_equal(session_id_read(&again, key, text, NOW), 0);
    assert_same(&id, &again);
    /* Everything as long as it can be. */
    memset(client.who, 'w', sizeof client.who - 1);
    memset(client.bound_session, 'b', sizeof client.bound_session - 1);
    client.capabilities = client.toolsets = UINT32_MAX;
    make(&client, "0123456789abcdef0123456789abcdef", &id, text);
    assert_int_equal(session_id_read(&again, key, text, NOW), 0);
    assert_same(&id, &again);
    for (const char *c = text; *c; c++)
        assert_true(*c > ' ' && *c < 0x7f);
}

/* Two sessions of one client are two. */
static void test_each_is_another(void **state)
{
    const struct client client = a_client();
    struct session_id one, other;
    char text[SESSION_ID_TEXT_SIZE], other_text[SESSION_ID_TEXT_SIZE];

    (void)state;
    make(&client, "", &one, text);
    make(&client, "", &other, other_text);
    assert_memory_not_equal(one.name, other.name, sizeof one.name);
    assert_string_not_equal(text, other_text);
}

static void test_each_bit_counts(void **state)
{
    const struct client client = a_client();
    struct session_id id;
    char text[SESSION_ID_TEXT_SIZE];

    (void)state;
    make(&client, "", &id, text);
    for (size_t at = 0; text[at]; at++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            text[at] = (char)(text[at] ^ 1 << bit);
            assert_int_equal(session_id_read(&id, key, text, NOW), -1);
            text[at] = (char)(text[at] ^ 1 << bit);
        }
    }
    assert_int_equal(session_id_read(&id, key, text, NOW), 0);
}

static void test_other_texts(void **state)
{
    const struct client client = a_client();
    static char long_text[100000];
    struct session_id id;
    char text[SESSION_ID_TEXT_SIZE];
    size_t len;

    (void)state;
    make(&client, "", &id, text);
    for (len = strlen(text); len-- > 0;) {
        text[len] = '\0';
        assert_int_equal(session_id_read(&id, key, text, NOW), -1);
    }
    memset(long_text, 'A', sizeof long_text - 1);
    assert_int_equal(session_id_read(&id, key, long_text, NOW), -1);
    assert_int_equal(session_id_read(&id, key, "0123456789abcdef0123456789abcdef", NOW), -1);
}

/* Sealed with our key, but not as an id: for something else, or of another form. */
static void test_other_seals(void **state)
{
    static const char *const payloads[] = {
        "", "1", "9999999999\n0\n1\n2025-06-18\n\nmcp\n",
        "9999999999\n0\n1\n2025-06-18\n\nmcp\n\n0123456789abcde",
        "9999999999\n0\n1\n2025-06-18\n\nmcp\n\n0123456789abcdef0",
        "9999999999\n0\n1\n2099-01-01\n\nmcp\n\n0123456789abcdef",
        /* without the toolsets */
        "9999999999\n0\n2025-06-18\n\nmcp\n\n0123456789abcdef"};
    static const char good[] = "9999999999\n0\n1\n2025-06-18\n\nmcp\n\n0123456789abcdef";
    struct session_id id;

    (void)state;
    for (size_t i = 0; i < sizeof payloads / sizeof payloads[0]; i++) {
        struct buf BUF_AUTO text = {0};

        seal(&text, key, "mcp session", payloads[i], strlen(payloads[i]));
        assert_int_equal(session_id_read(&id, key, text.data, NOW), -1);
    }
    for (size_t i = 0; i < 2; i++) {
        struct buf BUF_AUTO text = {0};

        seal(&text, key, i ? "mcp session" : "another purpose", good, strlen(good));
        assert_int_equal(session_id_read(&id, key, text.data, NOW), i ? 0 : -1);
    }
}

static void test_a_foreign_key(void **state)
{
    const struct client client = a_client();
    static const unsigned char other[SEAL_KEY_SIZE] = {1, 2, 4};
    struct session_id id;
    char text[SESSION_ID_TEXT_SIZE];

    (void)state;
    make(&client, "", &id, text);
    assert_int_equal(session_id_read(&id, other, text, NOW), -1);
}

static void test_the_end(void **state)
{
    const struct client client = a_client();
    struct session_id id;
    char text[SESSION_ID_TEXT_SIZE];

    (void)state;
    make(&client, "", &id, text);
    assert_int_equal(session_id_read(&id, key, text, NOW + SESSION_ID_GOOD_S - 1), 0);
    assert_int_equal(session_id_read(&id, key, text, NOW + SESSION_ID_GOOD_S), -1);
    assert_int_equal(session_id_read(&id, key, text, NOW + 10 * SESSION_ID_GOOD_S), -1);
}

static void test_what_the_fuzzer_found(void **state)
{
    (void)state;
    replay_inputs("tests/fuzz/regression/session_id", play_session_id);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_of_it_comes_back),
        cmocka_unit_test(test_each_is_another),
        cmocka_unit_test(test_each_bit_counts),
        cmocka_unit_test(test_other_texts),
        cmocka_unit_test(test_other_seals),
        cmocka_unit_test(test_a_foreign_key),
        cmocka_unit_test(test_the_end),
        cmocka_unit_test(test_what_the_fuzzer_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
