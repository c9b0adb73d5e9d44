/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the pool does next (executor/pool/plan.h), in virtual time and without a sandbox.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "executor/pool/plan.h"

enum { BARE, DATA, PLOT };

static struct pool_state pool;
static uint64_t now;
static struct slot *slots[64];
static size_t slot_count;

static void enter(struct slot *slot, enum slot_state to)
{
    pool.kinds[slot->kind].counts[slot->state]--;
    pool.counts[slot->state]--;
    slot->state = to;
    slot->since = now;
    pool.kinds[slot->kind].counts[to]++;
    pool.counts[to]++;
}

static struct slot *start(int kind)
{
    struct slot *slot = calloc(1, sizeof *slot);

    slot->kind = kind;
    slot->generation = pool.generation;
    TAILQ_INSERT_TAIL(&pool.slots, slot, link);
    pool.kinds[kind].counts[SLOT_STARTING]++;
    pool.counts[SLOT_STARTING]++;
    pool.total++;
    slots[slot_count++] = slot;
    return slot;
}

static struct slot *ready(struct slot *slot)
{
    enter(slot, SLOT_READY);
    slot->ready_at = now;
    return slot;
}

static struct slot *idle(int kind, const char *session)
{
    struct slot *slot = ready(start(kind));

    slot->bound = true;
    slot->session = (char *)session;
    slot->bound_at = now;
    enter(slot, SLOT_IDLE);
    return slot;
}

static void gone(struct slot *slot)
{
    TAILQ_REMOVE(&pool.slots, slot, link);
    pool.kinds[slot->kind].counts[slot->state]--;
    pool.counts[slot->state]--;
    pool.total--;
}

static void on_placed(struct pool_wait *wait, unsigned place)
{
    (void)wait, (void)place;
}

static void ask(struct pool_wait *wait, int kind, const char *session)
{
    memset(wait, 0, sizeof *wait);
    wait->kind = kind;
    wait->session = session;
    wait->since = now;
    wait->placed = on_placed;
    admission_add(&pool.kinds[kind].queue, wait);
}

static struct slot *idle_for(int kind, const char *session)
{
    const struct pool_wait wait = {.kind = kind, .session = session};

    return plan_find_idle(&pool, &wait, now);
}

/* The next step; a start or an end is carried out. */
static struct plan_step step(void)
{
    struct plan_step next = plan_next(&pool, now);

    if (next.action == PLAN_START)
        start(next.kind);
    else if (next.action == PLAN_END)
        enter(next.slot, SLOT_ENDING);
    return next;
}

static void assert_starts(int kind)
{
    struct plan_step next = step();

    assert_int_equal(next.action, PLAN_START);
    assert_int_equal(next.kind, kind);
}

static void assert_ends(const struct slot *slot)
{
    struct plan_step next = step();

    assert_int_equal(next.action, PLAN_END);
    assert_ptr_equal(next.slot, slot);
}

static void assert_rests_until(uint64_t at)
{
    struct plan_step next = step();

    assert_int_equal(next.action, PLAN_REST);
    assert_true(next.at == at);
}

static int set_up(void **state)
{
    (void)state;
    now = 1000000;
    memset(&pool, 0, sizeof pool);
    TAILQ_INIT(&pool.slots);
    for (int kind = 0; kind < KINDS_COUNT; kind++) {
        admission_init(&pool.kinds[kind].queue);
        pool.kinds[kind].demand.slot_ms = 30000;
        pool.warm[kind] = true;
    }
    pool.isolation = ISOLATION_EXECUTION;
    pool.room = plan_room(2, (uint64_t)8 << 30);
    pool.pace = (struct pool_pace){
        .renew = 1800000, .idle = 60000, .hold = 500, .jobs = 3, .patience = 200, .surplus = 2000};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    while (slot_count > 0)
        free(slots[--slot_count]);
    return 0;
}

static void test_refills_come_one_at_a_time_and_in_calm(void **state)
{
    struct slot *busy;

    (void)state;
    assert_rests_until(PLAN_NEVER);
    pool.waiting[BARE] = 2;
    busy = ready(start(PLOT));
    pool.waiting[PLOT] = 1;
    enter(busy, SLOT_BUSY);
    assert_rests_until(now + POOL_REFILL_PUT_OFF_MS); /* a run is under way */
    now += 200;
    enter(busy, SLOT_READY);
    pool.idle_since = now;
    assert_rests_until(now + POOL_REFILL_PAUSE_MS);
    now += POOL_REFILL_PAUSE_MS;
    assert_starts(BARE);
    assert_rests_until(PLAN_NEVER); /* the start says when it has ended */
    ready(slots[1]);
    enter(busy, SLOT_BUSY);
    assert_rests_until(now - 230 + POOL_REFILL_PUT_OFF_MS);
    now += POOL_REFILL_PUT_OFF_MS;
    assert_starts(BARE); /* put off for long enough */
    ready(slots[2]);
    pool.kinds[PLOT].retry_at = now + 5000;
    assert_rests_until(now + 5000);
}

static void test_demand_is_met_and_forgotten(void **state)
{
    struct slot *waiting[POOL_SANDBOXES_CAP];

    (void)state;
    for (int i = 0; i < 6; i++)
        demand_note(&pool.kinds[PLOT].demand, now);
    assert_int_equal(plan_wanted(&pool, PLOT, now), pool.room.by_demand);
    for (unsigned i = 0; i < pool.room.by_demand; i++) {
        assert_starts(PLOT);
        waiting[i] = ready(slots[slot_count - 1]);
    }
    now += 270000;
    assert_rests_until(PLAN_NEVER);
    now += 30000;
    for (unsigned i = 0; i < pool.room.by_demand; i++)
        assert_ends(waiting[i]);
    assert_rests_until(PLAN_NEVER);
    pool.warm[PLOT] = false;
    demand_note(&pool.kinds[PLOT].demand, now);
    assert_int_equal(plan_wanted(&pool, PLOT, now), 0);
}

static void test_the_old_go_as_others_come(void **state)
{
    struct slot *old[2];

    (void)state;
    pool.waiting[BARE] = 2;
    for (int i = 0; i < 2; i++)
        old[i] = ready(start(BARE));
    assert_rests_until(PLAN_NEVER);
    now += pool.pace.renew;
    assert_starts(BARE);
    assert_rests_until(PLAN_NEVER); /* both wait until another has come */
    ready(slots[2]);
    assert_starts(BARE);
    assert_ends(old[0]);
    ready(slots[3]);
    assert_ends(old[1]);
    pool.generation++; /* another image */
    assert_starts(BARE);
}

static void test_jobs_get_starts_at_once_and_in_turn(void **state)
{
    struct pool_wait waits[5], other;
    struct plan_step next;

    (void)state;
    for (int i = 0; i < 5; i++)
        ask(&waits[i], BARE, NULL);
    ask(&other, DATA, "s");
    assert_starts(BARE);
    assert_starts(DATA);
    assert_starts(BARE);
    assert_rests_until(PLAN_NEVER); /* no more at once */
    ready(slots[0]);
    next = plan_next(&pool, now);
    assert_int_equal(next.action, PLAN_GIVE);
    assert_ptr_equal(next.slot, slots[0]);
    assert_ptr_equal(next.wait, &waits[0]);
    admission_serve(&pool.kinds[BARE].queue, &waits[0]);
    enter(slots[0], SLOT_BUSY);
    pool.kinds[BARE].retry_at = now + 250; /* starts fail */
    assert_rests_until(now + 250);
    now += 250;
    assert_starts(BARE);
}

static void test_a_session_has_its_share(void **state)
{
    struct pool_wait waits[3];
    struct slot *slot;

    (void)state;
    pool.isolation = ISOLATION_SESSION;
    slot = idle(BARE, "s");
    assert_ptr_equal(idle_for(BARE, "s"), slot);
    assert_null(idle_for(BARE, "other"));
    assert_null(idle_for(DATA, "s"));
    assert_null(idle_for(BARE, NULL));
    enter(slot, SLOT_RECYCLING);
    ask(&waits[0], BARE, "s");
    ask(&waits[1], BARE, "s");
    assert_false(plan_takes_new(&pool, &waits[0])); /* gets that one */
    assert_true(plan_takes_new(&pool, &waits[1]));
    assert_rests_until(now + pool.pace.patience);
    for (unsigned i = 1; i < pool.room.of_session; i++)
        enter(idle(BARE, "s"), SLOT_BUSY);
    assert_false(plan_takes_new(&pool, &waits[1]));
    assert_rests_until(PLAN_NEVER);
    ask(&waits[2], BARE, "other");
    assert_starts(BARE);
}

static void test_room_is_made_at_the_cap(void **state)
{
    struct slot *first, *second;
    struct pool_wait wait;

    (void)state;
    pool.isolation = ISOLATION_SESSION;
    first = idle(BARE, "a");
    now += 100;
    second = idle(BARE, "b");
    while (pool.total < pool.room.sandboxes)
        enter(ready(start(DATA)), SLOT_BUSY);
    assert_true(plan_may_recycle(&pool, first, now + 1000)); /* nobody waits */
    ask(&wait, PLOT, "c");
    assert_rests_until(now + 400); /* each is kept for a while */
    assert_true(plan_may_recycle(&pool, second, now));
    now += 500;
    assert_false(plan_may_recycle(&pool, second, now));
    assert_ends(first); /* idle for the longest; its end is room enough */
    assert_rests_until(PLAN_NEVER);
    gone(first);
    assert_starts(PLOT);
}

static void test_what_waits_for_its_session_expires(void **state)
{
    struct slot *slot;

    (void)state;
    slot = idle(BARE, "s");
    assert_null(plan_expired(&pool, now + pool.pace.idle - 1));
    assert_ptr_equal(plan_expired(&pool, now + pool.pace.idle), slot);
    pool.generation++;
    assert_ptr_equal(plan_expired(&pool, now), slot);
    slot->ping_at = now + 10;
    assert_null(plan_ping(&pool, now));
    assert_ptr_equal(plan_ping(&pool, now + 10), slot);
    enter(ready(start(DATA)), SLOT_BUSY);
    assert_null(plan_ping(&pool, now + 10)); /* an answer is due */
    pool.isolation = ISOLATION_SESSION;
    slot->generation = pool.generation;
    slot->jobs = 3;
    assert_false(plan_may_recycle(&pool, slot, now)); /* all that one takes */
}

static void test_auto_prefers_a_new_sandbox(void **state)
{
    struct pool_wait first, second;
    struct slot *own, *fresh;
    struct plan_step next;

    (void)state;
    pool.isolation = ISOLATION_AUTO;
    own = idle(DATA, "s");
    pool.waiting[DATA] = 1;
    fresh = ready(start(DATA));
    assert_null(idle_for(DATA, "s"));
    ask(&first, DATA, "s");
    next = step();
    assert_int_equal(next.action, PLAN_GIVE);
    assert_ptr_equal(next.slot, fresh);
    admission_serve(&pool.kinds[DATA].queue, &first);
    fresh->bound = true;
    fresh->session = (char *)"s";
    enter(fresh, SLOT_BUSY);
    assert_ptr_equal(idle_for(DATA, "s"), own);
    enter(own, SLOT_BUSY);
    ask(&second, DATA, "s");
    assert_rests_until(now + pool.pace.patience); /* one of the two is likely to be faster */
    now += pool.pace.patience;
    assert_starts(DATA);
}

static void test_auto_keeps_one_for_a_session(void **state)
{
    struct slot *own, *second, *other;

    (void)state;
    pool.isolation = ISOLATION_AUTO;
    own = idle(DATA, "s");
    other = idle(DATA, "other");
    second = ready(start(DATA));
    second->bound = true;
    second->session = (char *)"s";
    enter(second, SLOT_BUSY);
    assert_true(plan_may_recycle(&pool, second, now)); /* a burst may need it */
    now += pool.pace.surplus;
    assert_null(plan_expired(&pool, now)); /* an answer is due */
    enter(second, SLOT_IDLE);
    assert_ptr_equal(plan_expired(&pool, now), own);
    enter(own, SLOT_ENDING);
    now += pool.pace.surplus;
    assert_null(plan_expired(&pool, now));
    enter(other, SLOT_ENDING);
    assert_null(plan_expired(&pool, now));
}

static void test_auto_puts_refills_off_while_sessions_have_their_own(void **state)
{
    struct slot *own;

    (void)state;
    pool.isolation = ISOLATION_AUTO;
    pool.waiting[DATA] = 1;
    own = idle(DATA, "s");
    enter(own, SLOT_BUSY);
    assert_rests_until(now + POOL_REFILL_PUT_OFF_AUTO_MS);
    enter(own, SLOT_IDLE);
    pool.idle_since = now;
    now += POOL_REFILL_PAUSE_MS;
    assert_starts(DATA);
}

static void test_the_room_follows_the_machine(void **state)
{
    const uint64_t gigabyte = (uint64_t)1 << 30;
    struct pool_room small = plan_room(1, gigabyte / 2), usual = plan_room(2, 8 * gigabyte),
                     large = plan_room(64, 256 * gigabyte);

    (void)state;
    assert_int_equal(small.sandboxes, 4);
    assert_int_equal(small.starts, 2);
    assert_int_equal(small.by_demand, 1);
    assert_int_equal(usual.sandboxes, 16);
    assert_int_equal(usual.of_session, 12);
    assert_int_equal(usual.by_demand, 4);
    assert_int_equal(usual.starts, 3);
    assert_int_equal(plan_room(8, 4 * gigabyte).sandboxes, 16); /* memory decides */
    assert_int_equal(large.sandboxes, POOL_SANDBOXES_CAP);
    assert_int_equal(large.starts, POOL_STARTS_CAP);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(test_refills_come_one_at_a_time_and_in_calm),
        WITH(test_demand_is_met_and_forgotten),
        WITH(test_the_old_go_as_others_come),
        WITH(test_jobs_get_starts_at_once_and_in_turn),
        WITH(test_a_session_has_its_share),
        WITH(test_room_is_made_at_the_cap),
        WITH(test_what_waits_for_its_session_expires),
        WITH(test_auto_prefers_a_new_sandbox),
        WITH(test_auto_keeps_one_for_a_session),
        WITH(test_auto_puts_refills_off_while_sessions_have_their_own),
        WITH(test_the_room_follows_the_machine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
