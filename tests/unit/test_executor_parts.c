/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The executor's parts that need no sandbox: the fair queue, demand, output with its tail, the form
 * of figures, how many are to wait, and what is counted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "executor/wire/frame_decoder.h"
#include "executor/pool/plan.h"
#include "executor/engine.h"
#include "executor/output.h"

/* ---- the queue ---- */

static unsigned tellings;

static void on_placed(struct pool_wait *wait, unsigned place)
{
    assert_int_equal(wait->place, place);
    tellings++;
}

static struct pool_wait *add(struct admission *queue, struct pool_wait *wait, const char *session)
{
    memset(wait, 0, sizeof *wait);
    wait->session = session;
    wait->placed = on_placed;
    admission_add(queue, wait);
    return wait;
}

/* Serves all and writes whose turn it was, a letter each; '-' is nobody's. */
static void serve_all(struct admission *queue, char *order)
{
    struct pool_wait *wait;

    while ((wait = TAILQ_FIRST(&queue->waits))) {
        *order++ = *(wait->session ? wait->session : "-");
        admission_serve(queue, wait);
    }
    *order = '\0';
    assert_int_equal(queue->count, 0);
}

static void test_sessions_take_turns(void **state)
{
    struct pool_wait waits[16];
    struct admission queue;
    char order[17];

    (void)state;
    admission_init(&queue);
    for (int i = 0; i < 5; i++)
        add(&queue, &waits[i], "a");
    add(&queue, &waits[5], "b");
    add(&queue, &waits[6], NULL);
    add(&queue, &waits[7], "b");
    add(&queue, &waits[8], NULL);
    serve_all(&queue, order);
    assert_string_equal(order, "ab-ab-aaa");
}

/* One that comes again as soon as it was served takes turns with those that wait, and does not get
 * before them each time. */
static void test_quick_sessions_do_not_jump_the_queue(void **state)
{
    struct pool_wait waits[3], quick;
    struct admission queue;
    char order[7] = "";

    (void)state;
    admission_init(&queue);
    for (int i = 0; i < 3; i++)
        add(&queue, &waits[i], "a");
    add(&queue, &quick, "q");
    for (int i = 0; i < 6; i++) {
        struct pool_wait *wait = TAILQ_FIRST(&queue.waits);

        order[i] = wait->session[0];
        admission_serve(&queue, wait);
        if (wait == &quick)
            add(&queue, &quick, "q");
    }
    assert_string_equal(order, "aqaqaq");
}

static void test_places(void **state)
{
    struct pool_wait waits[5];
    struct admission queue;

    (void)state;
    admission_init(&queue);
    for (int i = 0; i < 3; i++)
        add(&queue, &waits[i], "a");
    tellings = 0;
    admission_tell(&queue);
    admission_tell(&queue);
    assert_int_equal(tellings, 3); /* once each */
    add(&queue, &waits[3], "b");   /* behind the first of a: two of a move back */
    admission_tell(&queue);
    assert_int_equal(tellings, 6);
    assert_int_equal(waits[3].place, 2);
    assert_int_equal(waits[2].place, 4);
    admission_remove(&queue, &waits[0]);
    admission_tell(&queue);
    assert_int_equal(waits[3].place, 1);
    memset(&waits[4], 0, sizeof waits[4]);
    waits[4].again = true; /* its sandbox broke: it is the next */
    waits[4].placed = on_placed;
    admission_add(&queue, &waits[4]);
    assert_ptr_equal(TAILQ_FIRST(&queue.waits), &waits[4]);
    assert_ptr_equal(admission_first_of(&queue, "a"), &waits[1]);
    assert_ptr_equal(admission_first_of(&queue, NULL), &waits[4]);
    assert_null(admission_first_of(&queue, "c"));
}

/* ---- demand ---- */

static void test_demand(void **state)
{
    struct demand demand = {.slot_ms = 1000};
    uint64_t now = 5000000;

    (void)state;
    assert_int_equal(demand_peak(&demand, now), 0);
    for (int i = 0; i < 3; i++)
        demand_note(&demand, now + (uint64_t)i * 100);
    assert_int_equal(demand_peak(&demand, now + 300), 3);
    demand_note(&demand, now + 1500); /* on its own */
    assert_int_equal(demand_peak(&demand, now + 1500), 3);
    assert_int_equal(demand_peak(&demand, now + 8000), 3);
    assert_int_equal(demand_peak(&demand, now + 10500), 1); /* the three are forgotten */
    assert_int_equal(demand_peak(&demand, now + 12000), 0);
    demand_note(&demand, now + 1000000); /* after a long time */
    assert_int_equal(demand_peak(&demand, now + 1000000), 1);
}

/* ---- output ---- */

static void check_output(size_t cap, const char *bytes, const char *tail, uint64_t cut,
                         const char *text, size_t head, uint64_t missing)
{
    struct output output = {.cap = 0};
    struct error err = {0};

    output_init(&output, cap);
    output_take(&output, bytes, strlen(bytes));
    if (tail)
        assert_int_equal(output_take_tail(&output, tail, strlen(tail), &err), 0);
    output_end(&output, cut);
    assert_string_equal(output.text.data, text);
    assert_int_equal(output.head, head);
    assert_int_equal(output.cut, missing);
    output_finish(&output);
}

#define EURO "\xe2\x82\xac"
#define GONE "\xef\xbf\xbd"

static void test_output_without_tail(void **state)
{
    (void)state;
    check_output(100, "", NULL, 0, "", 0, 0);
    check_output(100, "abc", NULL, 0, "abc", 3, 0);
    check_output(100, "a\xe2\x82", NULL, 0, "a" GONE, 4, 0); /* ends within a character */
    check_output(100, "a\xe2\x82", NULL, 7, "a", 1, 9);      /* what cuts it is a cap */
    check_output(4, "a" EURO EURO, NULL, 0, "a" EURO, 4, 3);
    check_output(5, "a" EURO EURO, NULL, 0, "a" EURO, 4, 3);
    check_output(4, "abc\xff", NULL, 0, "abc", 3, 3); /* grows over its cap */
}

static void test_output_with_tail(void **state)
{
    struct output output = {.cap = 0};
    struct error err = {0};
    char *long_tail = calloc(1, EXECUTION_TAIL_CAP + 1);

    (void)state;
    /* nothing is missing: one text, also through a character */
    check_output(3, "abc", "def", 0, "abcdef", 6, 0);
    check_output(3, "ab\xe2", "\x82\xac!", 0, "ab" EURO "!", 6, 0);
    /* some is: the halves of characters at both borders go with it */
    check_output(3, "abc", "xyz", 10, "abcxyz", 3, 10);
    check_output(3, "ab\xe2", "\x82\xacxyz", 10, "abxyz", 2, 13);
    check_output(3, "abc", "x\xffz\xe2", 10, "abcx" GONE "z" GONE, 3, 10);
    check_output(3, "abcd", "xyz", 0, "abcxyz", 3, 1); /* cut here alone */
    /* a tail that is no text at all has bounds too */
    memset(long_tail, 0xff, EXECUTION_TAIL_CAP);
    output_init(&output, 3);
    assert_int_equal(output_take_tail(&output, long_tail, EXECUTION_TAIL_CAP, &err), 0);
    assert_int_equal(output_take_tail(&output, "x", 1, &err), -1);
    output_end(&output, 1);
    assert_true(output.text.len <= EXECUTION_TAIL_CAP);
    assert_int_equal(output.text.len % 3, 0);
    output_finish(&output);
    output_init(&output, 3);
    assert_int_equal(output_take_tail(&output, long_tail, EXECUTION_TAIL_CAP + 1, &err), -1);
    output_break_off(&output);
    assert_int_equal(output.text.len, 0);
    output_finish(&output);
    free(long_tail);
}

static void test_artifacts(void **state)
{
    static const struct {
        const char *text;
        bool good;
    } rows[] = {
        {"iVBORw0KGgoA", true},
        {"iVBORw0KGgoAAAAN", true},
        {"iVBORw0KGgoAAA==", true},
        {"iVBORw0KGgoAAAA=", true},
        {"iVBORw0KGgoAAB==", false},
        {"iVBORw0KGgoAAAB=", false},
        {"iVBORw0KGgoAAAAN\n", false},
        {"iVBORw0KGgoAA AN", false},
        {"iVBORw0KGgoAA===", false},
        {"iVBORw0KGgo", false},
        {"", false},
        {"R0lGODlhAAAA", false},
        {"iVBORw0KGgoA=AAA", false},
        {"iVBORw0KGgoA-_AA", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (artifact_is_png(rows[i].text, strlen(rows[i].text)) != rows[i].good)
            fail_msg("%s", rows[i].text);
    }
}

/* ---- how many wait ---- */

static void test_waiting(void **state)
{
    static const char *const bad[] = {
        "bare",    "bare=",          "bare=x", "huge=1",   "bare=1,", ",bare=1",        "bare=-1",
        "bare=1;", "bare=1 ,data=2", "=1",     "bare=100", "bar=1",   "bare=10,data=3", ","};
    unsigned waiting[KINDS_COUNT];
    struct error err = {0};

    (void)state;
    assert_int_equal(kinds_read_waiting(NULL, 12, waiting, &err), 0);
    assert_int_equal(waiting[0], 2);
    assert_int_equal(waiting[1], 1);
    assert_int_equal(waiting[2], 0);
    assert_int_equal(kinds_read_waiting("bare=4,plot=1", 12, waiting, &err), 0);
    assert_int_equal(waiting[0], 4);
    assert_int_equal(waiting[1], 1);
    assert_int_equal(waiting[2], 1);
    assert_int_equal(kinds_read_waiting("bare=0,data=0", 12, waiting, &err), 0);
    assert_int_equal(waiting[0] + waiting[1] + waiting[2], 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        memset(&err, 0, sizeof err);
        if (kinds_read_waiting(bad[i], 12, waiting, &err) == 0)
            fail_msg("%s", bad[i]);
        assert_int_equal(err.kind, ERROR_INVALID);
        assert_non_null(strstr(err.text, "write "));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sessions_take_turns),
        cmocka_unit_test(test_quick_sessions_do_not_jump_the_queue),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_demand),
        cmocka_unit_test(test_output_without_tail),
        cmocka_unit_test(test_output_with_tail),
        cmocka_unit_test(test_artifacts),
        cmocka_unit_test(test_waiting),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
