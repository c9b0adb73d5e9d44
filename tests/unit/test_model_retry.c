/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * When a request to a model is sent anew: one row a case.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "mcp/model/model_errors.h"

#define NOW 784111777 /* Sun, 06 Nov 1994 08:49:37 GMT */
#define NO  -1

static const struct {
    struct model_attempt attempt;
    double chance;
    int wait_ms; /* NO: not again */
} cases[] = {
    /* by status */
    {{.number = 1, .status = 0}, 0, 500},
    {{.number = 1, .status = 200}, 0, NO},
    {{.number = 1, .status = 301}, 0, NO},
    {{.number = 1, .status = 400}, 0, NO},
    {{.number = 1, .status = 401}, 0, NO},
    {{.number = 1, .status = 404}, 0, NO},
    {{.number = 1, .status = 408}, 0, 500},
    {{.number = 1, .status = 409}, 0, 500},
    {{.number = 1, .status = 413}, 0, NO},
    {{.number = 1, .status = 429}, 0, 500},
    {{.number = 1, .status = 500}, 0, 500},
    {{.number = 1, .status = 501}, 0, 500},
    {{.number = 1, .status = 529}, 0, 500},
    /* twice, doubling, less up to a quarter */
    {{.number = 2, .status = 529}, 0, 1000},
    {{.number = 3, .status = 529}, 0, NO},
    {{.number = 1, .status = 529}, 1, 375},
    {{.number = 2, .status = 529}, 1, 750},
    {{.number = 2, .status = 529}, 0.5, 875},
    /* the service decides */
    {{.number = 1, .status = 529, .should_retry = "false"}, 0, NO},
    {{.number = 1, .status = 400, .should_retry = "true"}, 0, 500},
    {{.number = 1, .status = 400, .should_retry = "perhaps"}, 0, NO},
    {{.number = 3, .status = 529, .should_retry = "true"}, 0, NO},
    {{.number = 1, .status = 400, .retry_after = "1"}, 0, NO},
    /* how long */
    {{.number = 1, .status = 429, .retry_after_ms = "30"}, 1, 30},
    {{.number = 1, .status = 429, .retry_after_ms = "30", .retry_after = "9"}, 0, 30},
    {{.number = 1, .status = 429, .retry_after_ms = "x", .retry_after = "9"}, 0, 9000},
    {{.number = 1, .status = 429, .retry_after = "0"}, 1, 0},
    {{.number = 1, .status = 429, .retry_after = "1.5"}, 1, 1500},
    {{.number = 2, .status = 429, .retry_after = "7 "}, 1, 7000},
    {{.number = 1, .status = 429, .retry_after = "60"}, 1, 60000},
    {{.number = 1, .status = 429, .retry_after = "61"}, 1, NO},
    {{.number = 1, .status = 429, .retry_after = "1e300"}, 1, NO},
    {{.number = 1, .status = 429, .retry_after = "99999999999999999999"}, 1, NO},
    {{.number = 1, .status = 429, .retry_after = ""}, 0, 500},
    {{.number = 1, .status = 429, .retry_after = "-5"}, 0, 500},
    {{.number = 1, .status = 429, .retry_after = "nan"}, 0, 500},
    {{.number = 1, .status = 429, .retry_after = "soon"}, 0, 500},
    {{.number = 1, .status = 429, .retry_after = "."}, 0, 500},
    {{.number = 1, .status = 429, .retry_after = "5 minutes"}, 0, 500},
    {{.number = 1, .status = 503, .retry_after = "Sun, 06 Nov 1994 08:49:40 GMT"}, 1, 3000},
    {{.number = 1, .status = 503, .retry_after = "Sunday, 06-Nov-94 08:49:40 GMT"}, 1, 3000},
    {{.number = 1, .status = 503, .retry_after = "Sun Nov  6 08:49:40 1994"}, 1, 3000},
    {{.number = 1, .status = 503, .retry_after = "Sun, 06 Nov 1994 08:49:30 GMT"}, 1, 0},
    {{.number = 1, .status = 503, .retry_after = "Sun, 06 Nov 1994 08:51:40 GMT"}, 1, NO},
    {{.number = 1, .status = 503, .retry_after = "Sun, 06 Nov 1994 08:49:40 GMT+1"}, 0, 500},
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned wait_ms = 0;
        bool again = model_retry(&cases[i].attempt, NOW, cases[i].chance, &wait_ms);
        int got = again ? (int)wait_ms : NO;

        if (got != cases[i].wait_ms)
            print_error("case %zu: status %ld, retry-after %s\n", i, cases[i].attempt.status,
                        cases[i].attempt.retry_after ? cases[i].attempt.retry_after : "none");
        assert_int_equal(got, cases[i].wait_ms);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
