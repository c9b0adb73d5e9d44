/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Allocations of an approval and of its answer fail in turn (run_memory.h).
 */
#include "tests/unit/run_memory.h"

#ifdef COUNTS_ALLOCATIONS

#define STRIDE 9 /* of what test_chat_run_memory.c goes through one by one */

/* An edit that is asked about, and the answer. */
static void test_each_allocation_of_an_approval(void **state)
{
    struct run_fixture *fixture = *state;
    json_auto_t *messages = parse("[{\"id\":\"q\",\"content\":\"Edit it.\"}]");
    bool failed = true;
    long n = 0;

    while (failed) {
        struct run_request request;
        struct run_answer answer = {.approved = true};
        json_auto_t *held = NULL;
        char id[64];

        n += STRIDE;
        assert_true(n < RUNS_CAP);
        snprintf(id, sizeof id, "approval-%ld", n);
        load_named(fixture, id);
        request = question(fixture, messages);
        request.approvals = APPROVALS_EVERY;
        failed = play(fixture, &request, "[" USES(EDITS) "," ENDS(SAYS("Not done")) "]", n);
        if (fixture->outcome == RUN_INTERRUPTED && !failed) {
            held = json_incref(fixture->interrupts);
            answer.interrupt_id = json_get_string(json_array_get(held, 0), "id");
            request = question(fixture, NULL);
            request.answers = &answer;
            request.answer_count = 1;
            for (long k = 1; play(fixture, &request, "[" ENDS(SAYS("Done")) "]", k); k++) {
                /* It was used up, or it is open still; never half. */
                assert_true(k < RUNS_CAP);
                load_named(fixture, id);
                if (json_array_size(fixture->thread->interrupts) == 0) {
                    snprintf(id, sizeof id, "approval-%ld-%ld", n, k);
                    load_named(fixture, id);
                    request = question(fixture, messages);
                    request.approvals = APPROVALS_EVERY;
                    play(fixture, &request, "[" USES(EDITS) "]", 0);
                    expect_outcome(fixture, RUN_INTERRUPTED);
                    json_decref(held);
                    held = json_incref(fixture->interrupts);
                    answer.interrupt_id = json_get_string(json_array_get(held, 0), "id");
                }
                request = question(fixture, NULL);
                request.answers = &answer;
                request.answer_count = 1;
            }
            expect_outcome(fixture, RUN_SUCCEEDED);
        } else if (n % 2 == 0) {
            expect_goes_on(fixture, id);
        }
    }
    assert_true(n > 200);
}

#endif

int main(void)
{
#ifdef COUNTS_ALLOCATIONS
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each_allocation_of_an_approval, set_up,
                                        run_fixture_close),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
#else
    return 0; /* the sanitizer has the allocations */
#endif
}
