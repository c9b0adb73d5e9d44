/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the chat's tests share: a store with a session, a loop, and the work queues and the feed
 * over it.
 */
#ifndef LECTERN_TEST_CHAT_FIXTURE_H
#define LECTERN_TEST_CHAT_FIXTURE_H

#include "tests/unit/session_fixture.h"

#include "mcp/agent/attempts.h"
#include "mcp/change/change_feed.h"
#include "mcp/server.h"

struct chat_fixture {
    struct fixture session; /* its store belongs to the test's thread */
    uv_loop_t loop;
    struct server server;
    void *user; /* the test's */
};

static inline void *chat_open_writer(void *arg, struct error *err)
{
    struct chat_fixture *fixture = arg;
    struct store *store = store_open(fixture->session.url, STORE_WRITE, err);

    if (store)
        change_feed_attach(fixture->server.store.feed, store);
    return store;
}

static inline void *chat_open_reader(void *arg, struct error *err)
{
    return store_open(((struct chat_fixture *)arg)->session.url, STORE_READ, err);
}

static inline void chat_close_store(void *context)
{
    store_close(context);
}

static inline int chat_group_begin(void *context, struct error *err)
{
    return store_begin(context, err);
}

static inline int chat_group_end(void *context, struct error *err)
{
    return store_end(context, true, err);
}

static inline struct workq *chat_workq(struct chat_fixture *fixture, const char *name, bool writes)
{
    static const struct workq_groups groups = {chat_group_begin, chat_group_end, 16};
    const struct workq_config config = {
        .name = name,
        .threads = 1,
        .capacity = 64,
        .open = writes ? chat_open_writer : chat_open_reader,
        .close = chat_close_store,
        .arg = fixture,
        .groups = writes ? &groups : NULL,
    };
    struct workq *workq = workq_create(&config, fixture->server.loop_queue, &fixture->session.err);

    if (!workq)
        fail_msg("%s", fixture->session.err.text);
    return workq;
}

static inline int chat_fixture_open(void **state)
{
    struct chat_fixture *fixture = calloc(1, sizeof *fixture);
    struct fixture *session;

    assert_non_null(fixture);
    fixture_open_session(state);
    session = *state;
    fixture->session = *session;
    free(session);
    uv_loop_init(&fixture->loop);
    fixture->server.loop = &fixture->loop;
    fixture->server.analyses.attempts = ATTEMPTS_DEFAULT;
    fixture->server.store.url = fixture->session.url;
    fixture->server.loop_queue = loop_queue_create(&fixture->loop, &fixture->session.err);
    fixture->server.store.feed =
        change_feed_create(fixture->server.loop_queue, &fixture->session.err);
    fixture->server.store.sql = chat_workq(fixture, "sql", true);
    fixture->server.store.read = chat_workq(fixture, "read", false);
    fixture->server.store.trial = chat_workq(fixture, "trial", false);
    *state = fixture;
    return 0;
}

static inline int chat_fixture_close(void **state)
{
    struct chat_fixture *fixture = *state;

    workq_destroy(fixture->server.store.sql);
    workq_destroy(fixture->server.store.read);
    workq_destroy(fixture->server.store.trial);
    loop_queue_destroy(fixture->server.loop_queue);
    change_feed_destroy(fixture->server.store.feed);
    uv_run(&fixture->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&fixture->loop), 0);
    store_close(fixture->session.store);
    remove_folder(fixture->session.folder);
    free(fixture);
    return 0;
}

/* Turns the loop until *done, which something that the loop waits for must bring about. */
static inline void chat_run_until(struct chat_fixture *fixture, const bool *done)
{
    while (!*done)
        uv_run(&fixture->loop, UV_RUN_ONCE);
}

#endif
