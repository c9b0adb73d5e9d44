/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Work queues, loop queues and cancel tokens together, on a real loop.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "helpers/base/cancel.h"
#include "helpers/base/workq.h"

#define JOBS 1000

struct fixture {
    uv_loop_t loop;
    struct loop_queue *loop_queue;
    size_t done;
    size_t expected;
    atomic_size_t worked;
    atomic_int open_contexts;
};

struct number_job {
    struct workq_job job;
    struct fixture *fixture;
    size_t value, result;
};

static void work(struct workq_job *job, void *context)
{
    struct number_job *number = (struct number_job *)job;

    assert_ptr_equal(context, number->fixture);
    number->result = number->value * 2;
    atomic_fetch_add(&number->fixture->worked, 1);
}

static void done(struct workq_job *job)
{
    struct number_job *number = (struct number_job *)job;

    assert_int_equal(number->result, number->value * 2);
    if (++number->fixture->done == number->fixture->expected)
        uv_stop(&number->fixture->loop);
    free(number);
}

static void *open_context(void *arg, struct error *err)
{
    struct fixture *fixture = arg;

    (void)err;
    atomic_fetch_add(&fixture->open_contexts, 1);
    return fixture;
}

static void close_context(void *context)
{
    struct fixture *fixture = context;

    atomic_fetch_sub(&fixture->open_contexts, 1);
}

static struct number_job *new_job(struct fixture *fixture, size_t value)
{
    struct number_job *number = calloc(1, sizeof *number);

    assert_non_null(number);
    number->job.work = work;
    number->job.done = done;
    number->fixture = fixture;
    number->value = value;
    return number;
}

static void finish(struct fixture *fixture)
{
    loop_queue_destroy(fixture->loop_queue);
    uv_run(&fixture->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&fixture->loop), 0);
}

static void every_job_comes_back_once(void **state)
{
    struct fixture fixture = {.expected = JOBS};
    struct workq_config config = {.name = "test",
                                  .threads = 3,
                                  .capacity = JOBS,
                                  .open = open_context,
                                  .close = close_context,
                                  .arg = &fixture};
    struct error err = {0};
    struct workq *workq;

    (void)state;
    uv_loop_init(&fixture.loop);
    fixture.loop_queue = loop_queue_create(&fixture.loop, &err);
    workq = workq_create(&config, fixture.loop_queue, &err);
    assert_non_null(workq);
    assert_int_equal(atomic_load(&fixture.open_contexts), 3);
    for (size_t i = 0; i < JOBS; i++)
        assert_int_equal(workq_submit(workq, &new_job(&fixture, i)->job, &err), 0);
    uv_run(&fixture.loop, UV_RUN_DEFAULT);
    assert_int_equal(fixture.done, JOBS);
    workq_destroy(workq);
    assert_int_equal(atomic_load(&fixture.open_contexts), 0);
    finish(&fixture);
}

/* Destroying a work queue works off what waits, and the loop's queue runs it all. */
static void destroy_drains(void **state)
{
    struct fixture fixture = {.expected = JOBS + 1};
    struct workq_config config = {.name = "test",
                                  .threads = 1,
                                  .capacity = JOBS,
                                  .open = open_context,
                                  .close = close_context,
                                  .arg = &fixture};
    struct workq *workq;

    (void)state;
    uv_loop_init(&fixture.loop);
    fixture.loop_queue = loop_queue_create(&fixture.loop, NULL);
    workq = workq_create(&config, fixture.loop_queue, NULL);
    for (size_t i = 0; i < JOBS / 2; i++)
        assert_int_equal(workq_submit(workq, &new_job(&fixture, i)->job, NULL), 0);
    workq_destroy(workq);
    assert_int_equal(atomic_load(&fixture.worked), JOBS / 2);
    finish(&fixture);
    assert_int_equal(fixture.done, JOBS / 2);
}

static void block_until_fired(struct workq_job *job, void *context)
{
    struct number_job *number = (struct number_job *)job;
    struct pollfd pollfd = {.fd = cancel_fd(context), .events = POLLIN};

    assert_int_equal(poll(&pollfd, 1, 10000), 1);
    number->result = number->value * 2;
}

static void *lend_cancel(void *arg, struct error *err)
{
    (void)err;
    return arg;
}

static void a_full_workq_says_busy(void **state)
{
    struct fixture fixture = {.expected = JOBS}; /* never: finish() runs the loop to its end */
    struct cancel *cancel = cancel_create(NULL);
    struct workq_config config = {
        .name = "narrow", .threads = 1, .capacity = 2, .open = lend_cancel, .arg = cancel};
    struct number_job *refused;
    struct error err = {0};
    struct workq *workq;
    size_t taken = 0;

    (void)state;
    uv_loop_init(&fixture.loop);
    fixture.loop_queue = loop_queue_create(&fixture.loop, &err);
    workq = workq_create(&config, fixture.loop_queue, &err);
    for (;;) {
        refused = new_job(&fixture, taken);
        refused->job.work = block_until_fired;
        if (workq_submit(workq, &refused->job, &err) < 0)
            break;
        taken++;
    }
    /* Two wait; a third is under work, or was not yet taken up when the queue filled. */
    assert_in_range(taken, 2, 3);
    assert_int_equal(err.kind, ERROR_BUSY);
    free(refused);
    assert_false(cancel_fired(cancel));
    assert_int_equal(cancel_check(cancel, &err), 0);
    cancel_fire(cancel);
    cancel_fire(cancel);
    assert_int_equal(cancel_check(cancel, &err), -1);
    assert_int_equal(err.kind, ERROR_CANCELLED);
    workq_destroy(workq);
    finish(&fixture);
    assert_int_equal(fixture.done, taken);
    cancel_unref(cancel);
}

/* ---- idle work ---- */

static atomic_int idle_calls;

static bool three_times(void *context)
{
    (void)context;
    return atomic_fetch_add(&idle_calls, 1) < 2;
}

/* Until it says that there is no more; and again after a job. */
static void an_idle_thread_works_for_nobody(void **state)
{
    struct fixture fixture = {.expected = JOBS}; /* never */
    struct workq_config config = {.name = "test",
                                  .threads = 1,
                                  .capacity = JOBS,
                                  .idle = three_times,
                                  .open = open_context,
                                  .close = close_context,
                                  .arg = &fixture};
    struct workq *workq;

    (void)state;
    atomic_store(&idle_calls, 0);
    uv_loop_init(&fixture.loop);
    fixture.loop_queue = loop_queue_create(&fixture.loop, NULL);
    workq = workq_create(&config, fixture.loop_queue, NULL);
    while (atomic_load(&idle_calls) < 3)
        sched_yield();
    assert_int_equal(workq_submit(workq, &new_job(&fixture, 1)->job, NULL), 0);
    while (atomic_load(&idle_calls) < 4)
        sched_yield();
    assert_int_equal(atomic_load(&fixture.worked), 1);
    workq_destroy(workq);
    finish(&fixture);
    assert_int_equal(fixture.done, 1);
    assert_int_equal(atomic_load(&idle_calls), 4);
}

static void *fail_to_open(void *arg, struct error *err)
{
    (void)arg;
    error_set(err, ERROR_IO, "no disk");
    return NULL;
}

static void a_context_that_fails_is_told(void **state)
{
    struct workq_config config = {.name = "sql", .threads = 2, .capacity = 1, .open = fail_to_open};
    struct error err = {0};

    (void)state;
    assert_null(workq_create(&config, NULL, &err));
    assert_string_equal(err.text, "work queue sql: no disk");
}

/* Of one key one job at a time and in their order; what others wait for keeps no other key back. */
struct keyed_job {
    struct number_job number;
    struct cancel *until; /* or NULL */
    char *order;          /* of the jobs that have begun */
};

static void work_keyed(struct workq_job *job, void *context)
{
    struct keyed_job *keyed = (struct keyed_job *)job;
    size_t len = strlen(keyed->order);

    keyed->order[len] = (char)('a' + keyed->number.value);
    if (keyed->until)
        block_until_fired(job, keyed->until);
    else
        work(job, context);
}

static void one_key_waits_for_itself_alone(void **state)
{
    struct fixture fixture = {.expected = JOBS}; /* never */
    struct cancel *cancel = cancel_create(NULL);
    struct workq_config config = {.name = "test",
                                  .threads = 2,
                                  .capacity = JOBS,
                                  .per_key = 1,
                                  .open = open_context,
                                  .close = close_context,
                                  .arg = &fixture};
    char held[8] = "", others[8] = "";
    struct workq *workq;

    (void)state;
    uv_loop_init(&fixture.loop);
    fixture.loop_queue = loop_queue_create(&fixture.loop, NULL);
    workq = workq_create(&config, fixture.loop_queue, NULL);
    for (size_t i = 0; i < 8; i++) {
        struct keyed_job *keyed = calloc(1, sizeof *keyed);

        assert_non_null(keyed);
        keyed->number = (struct number_job){
            .job = {.work = work_keyed, .done = done}, .fixture = &fixture, .value = i};
        keyed->number.job.key = workq_key(i < 4 ? "held" : "other");
        keyed->until = i == 0 ? cancel : NULL;
        keyed->order = i < 4 ? held : others;
        assert_int_equal(workq_submit(workq, &keyed->number.job, NULL), 0);
    }
    while (atomic_load(&fixture.worked) < 4) /* the others' */
        sched_yield();
    assert_string_equal(others, "efgh");
    cancel_fire(cancel);
    workq_destroy(workq);
    assert_string_equal(held, "abcd");
    finish(&fixture);
    assert_int_equal(fixture.done, 8);
    cancel_unref(cancel);
}

/* The borrower is the only one that uses the context, and what comes meanwhile is worked on after
 * it is given back. The second thread asks as often as it can, for the thread sanitizer. */
struct borrower {
    struct workq *workq;
    size_t *unguarded; /* the context */
    size_t times;
};

static void add_one(struct workq_job *job, void *context)
{
    struct number_job *number = (struct number_job *)job;

    ++*(size_t *)context;
    number->result = number->value * 2;
    atomic_fetch_add(&number->fixture->worked, 1);
}

static void *borrow_often(void *arg)
{
    struct borrower *borrower = arg;

    while (borrower->times < JOBS) {
        void *context;
        struct workq_thread *lender = workq_borrow(borrower->workq, 0, &context);

        if (!lender)
            continue;
        assert_ptr_equal(context, borrower->unguarded);
        ++*borrower->unguarded;
        borrower->times++;
        workq_give_back(lender);
    }
    return NULL;
}

static void an_idle_thread_lends_its_context(void **state)
{
    struct fixture fixture = {.expected = 2 * JOBS}; /* never */
    size_t context = 0;
    struct workq_config config = {.name = "lender",
                                  .threads = 1,
                                  .capacity = JOBS,
                                  .open = lend_cancel,
                                  .arg = &context,
                                  .lends = true};
    struct borrower borrower = {.unguarded = &context};
    struct workq_thread *lender;
    void *lent, *other;
    pthread_t thread;

    (void)state;
    uv_loop_init(&fixture.loop);
    fixture.loop_queue = loop_queue_create(&fixture.loop, NULL);
    borrower.workq = workq_create(&config, fixture.loop_queue, NULL);
    while (!(lender = workq_borrow(borrower.workq, 0, &lent))) /* the thread may still start */
        sched_yield();
    assert_ptr_equal(lent, &context);
    assert_null(workq_borrow(borrower.workq, 0, &other)); /* there is one thread */
    for (size_t i = 0; i < JOBS; i++) {
        struct number_job *number = new_job(&fixture, i);

        number->job.work = add_one;
        assert_int_equal(workq_submit(borrower.workq, &number->job, NULL), 0);
        if (i == 0) {
            assert_int_equal(atomic_load(&fixture.worked), 0);
            workq_give_back(lender);
            pthread_create(&thread, NULL, borrow_often, &borrower);
        }
    }
    pthread_join(thread, NULL);
    workq_destroy(borrower.workq);
    assert_int_equal(context, 2 * JOBS);
    finish(&fixture);
    assert_int_equal(fixture.done, JOBS);
}

static void a_workq_lends_only_if_it_is_said(void **state)
{
    struct fixture fixture = {.expected = JOBS}; /* never */
    struct workq_config config = {.name = "own", .threads = 1, .capacity = 1};
    struct workq *workq;
    void *context;

    (void)state;
    uv_loop_init(&fixture.loop);
    fixture.loop_queue = loop_queue_create(&fixture.loop, NULL);
    workq = workq_create(&config, fixture.loop_queue, NULL);
    for (size_t i = 0; i < JOBS; i++)
        assert_null(workq_borrow(workq, 0, &context));
    workq_destroy(workq);
    finish(&fixture);
}

/* Whether it is asked for before or after, and by how many. */
static void a_fired_token_is_readable(void **state)
{
    (void)state;
    for (int early = 0; early < 2; early++) {
        struct cancel *cancel = cancel_create(NULL);
        struct pollfd waits = {.events = POLLIN};

        if (early) {
            waits.fd = cancel_fd(cancel);
            assert_int_equal(poll(&waits, 1, 0), 0);
        }
        cancel_fire(cancel);
        waits.fd = cancel_fd(cancel);
        assert_int_equal(cancel_fd(cancel), waits.fd);
        assert_int_equal(poll(&waits, 1, 0), 1);
        cancel_unref(cancel);
        assert_int_equal(fcntl(waits.fd, F_GETFD), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_idle_thread_lends_its_context),
        cmocka_unit_test(a_workq_lends_only_if_it_is_said),
        cmocka_unit_test(a_fired_token_is_readable),
        cmocka_unit_test(every_job_comes_back_once),
        cmocka_unit_test(destroy_drains),
        cmocka_unit_test(an_idle_thread_works_for_nobody),
        cmocka_unit_test(a_full_workq_says_busy),
        cmocka_unit_test(a_context_that_fails_is_told),
        cmocka_unit_test(one_key_waits_for_itself_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
