/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The budget of a task: each bound is reached before it is exceeded, prices turn tokens into cost,
 * and wrong files and words are explained.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "mcp/agent/budget.h"

static struct prices *read_text(const char *text, struct error *err)
{
    char path[] = "/tmp/lectern-test-XXXXXX";
    struct prices *prices;
    int fd = mkstemp(path);

    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    prices = prices_read(path, err);
    unlink(path);
    return prices;
}

#define FILE_TEXT                                                                                  \
    "{\"currency\":\"EUR\",\"models\":{\"small\":{\"input\":1,\"output\":5,\"cache_read\":0.1,"    \
    "\"cache_write\":1.25}}}"

static void test_prices(void **state)
{
    const struct model_usage usage = {
        .input = 1000000, .cache_write = 2000000, .cache_read = 10000000, .output = 400000};
    struct error err = {0};
    struct prices *prices = read_text(FILE_TEXT, &err);

    (void)state;
    assert_non_null(prices);
    assert_string_equal(prices_currency(prices), "EUR");
    assert_null(prices_find(prices, "large"));
    assert_float_equal(price_of(prices_find(prices, "small"), &usage), 1 + 2.5 + 1 + 2, 1e-9);
    prices_free(prices);
    assert_null(prices_read(NULL, &err));
    assert_int_equal(err.kind, ERROR_NONE);
    assert_null(prices_find(NULL, "small"));
}

static void test_wrong_prices(void **state)
{
    static const char *const texts[] = {
        "[]",
        "{\"currency\":\"EUR\"}",
        "{\"currency\":\"EUR\",\"models\":{\"small\":3}}",
        "{\"currency\":\"EUR\",\"models\":{\"small\":{\"input\":1,\"output\":5}}}",
        "{\"currency\":\"EUR\",\"models\":{\"small\":{\"input\":-1,\"output\":5,\"cache_read\":0,"
        "\"cache_write\":0}}}",
        "{",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct error err = {0};

        assert_null(read_text(texts[i], &err));
        if (!strstr(err.text, "A correct file: {\"currency\""))
            fail_msg("%s: %s", texts[i], err.text);
    }
}

static void test_words(void **state)
{
    static const char *const good[] = {"requests=3", "cost=0.25", NULL};
    static const char *const wrong[] = {"requests", "requests=", "requests=0", "request=3",
                                        "cost=1x",  "input=-1",  "input=inf"};
    struct budget_bounds bounds = bounds_default;
    struct error err = {0};

    (void)state;
    assert_int_equal(bounds_parse(good, &bounds, &err), 0);
    assert_float_equal(bounds.most[BOUND_REQUESTS], 3, 0);
    assert_float_equal(bounds.most[BOUND_COST], 0.25, 0);
    assert_float_equal(bounds.most[BOUND_INPUT], bounds_default.most[BOUND_INPUT], 0);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *const words[] = {wrong[i], NULL};

        assert_int_equal(bounds_parse(words, &bounds, &err), -1);
        assert_non_null(strstr(err.text, "such as"));
    }
}

/* Each bound alone; the others are wide. */
static void test_bounds(void **state)
{
    struct budget_bounds bounds = {.most = {0, 3, 1000, 500, 10, 0}};
    const struct price price = {.input = 1000, .output = 10000}; /* 0.001 and 0.01 a token */
    const struct model_usage usage = {.input = 100, .cache_read = 200, .output = 300};
    struct budget budget;
    unsigned max_tokens = 400;

    (void)state;
    budget_init(&budget, &bounds, 5000);
    assert_int_equal(budget_check(&budget, NULL, 300, 5000, &max_tokens), BOUND_NONE);
    assert_int_equal(max_tokens, 400);
    assert_int_equal(budget_check(&budget, NULL, 3000, 5000, &max_tokens), BOUND_INPUT);
    budget_spend(&budget, NULL, &usage);
    assert_int_equal(budget_check(&budget, NULL, 300, 5000, &max_tokens), BOUND_NONE);
    assert_int_equal(max_tokens, 200); /* left of 500 */
    assert_int_equal(budget_check(&budget, NULL, 2200, 5000, &max_tokens), BOUND_INPUT);
    budget_spend(&budget, NULL, &(struct model_usage){.output = 150});
    assert_int_equal(budget_check(&budget, NULL, 30, 5000, &max_tokens), BOUND_OUTPUT);
    budget.usage.output = 0;
    assert_int_equal(budget_check(&budget, NULL, 30, 14999, &max_tokens), BOUND_NONE);
    assert_int_equal(budget_check(&budget, NULL, 30, 15000, &max_tokens), BOUND_SECONDS);
    assert_int_equal(budget_left_ms(&budget, 15000), 0);
    budget_spend(&budget, NULL, &(struct model_usage){0});
    assert_int_equal(budget_check(&budget, NULL, 30, 5000, &max_tokens), BOUND_REQUESTS);

    bounds.most[BOUND_COST] = 2;
    budget_init(&budget, &bounds, 0);
    max_tokens = 400;
    assert_int_equal(budget_check(&budget, &price, 297, 0, &max_tokens), BOUND_NONE);
    assert_in_range(max_tokens, 189, 190); /* 2 less 0.1 for 100 tokens of input, at 0.01 */
    budget_spend(&budget, &price, &(struct model_usage){.output = 140});
    assert_float_equal(budget.cost, 1.4, 1e-9);
    assert_int_equal(budget_check(&budget, &price, 30, 0, &max_tokens), BOUND_COST);
    assert_int_equal(budget_check(&budget, NULL, 30, 0, &max_tokens), BOUND_NONE);
    assert_false(budget.unpriced);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prices),
        cmocka_unit_test(test_wrong_prices),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
