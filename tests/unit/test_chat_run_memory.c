/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each allocation of a question fails in turn (run_memory.h).
 */
#include "tests/unit/run_memory.h"

#ifdef COUNTS_ALLOCATIONS

/* Thinking, text, a tool that reads, one that edits, and the answer. */
static void test_each_allocation_of_a_question(void **state)
{
    struct run_fixture *fixture = *state;
    json_auto_t *messages = parse("[{\"id\":\"q\",\"content\":\"Why?\"}]");
    bool failed = true;
    long n = 0;

    while (failed) {
        struct run_request request;
        char id[64];

        assert_true(++n < RUNS_CAP);
        snprintf(id, sizeof id, "question-%ld", n);
        load_named(fixture, id);
        request = question(fixture, messages);
        request.where = "The editor is at N1";
        failed = play(
            fixture, &request,
            "[" USES(THINKS "," SAYS("I look") "," LOOKS "," EDITS) "," ENDS(SAYS("So it is")) "]",
            n);
        if (n % 10 == 0 || !failed)
            expect_goes_on(fixture, id);
    }
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_true(n > 500);
}

#endif

int main(void)
{
#ifdef COUNTS_ALLOCATIONS
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each_allocation_of_a_question, set_up,
                                        run_fixture_close),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
#else
    return 0; /* the sanitizer has the allocations */
#endif
}
