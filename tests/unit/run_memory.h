/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each allocation of a run fails in turn, on the loop's thread: the run does not begin and says
 * why, or it ends, once; what it leaves in the store can be asked on. Included once in a test's
 * only file.
 */
#ifndef LECTERN_TESTS_RUN_MEMORY_H
#define LECTERN_TESTS_RUN_MEMORY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/failing_allocations.h"

#ifdef COUNTS_ALLOCATIONS

#include <dlfcn.h>

#include "tests/unit/run_fixture.h"

#define RUNS_CAP   4000
#define SAYS(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define THINKS     "{\"type\":\"thinking\",\"thinking\":\"Well\",\"signature\":\"s\"}"
#define CALLS(id, name, input)                                                                     \
    "{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"" name "\",\"input\":" input "}"
#define USES(content) "{\"content\":[" content "],\"stop\":\"tool_use\"}"
#define ENDS(content) "{\"content\":[" content "],\"usage\":{\"input_tokens\":7}}"
#define LOOKS         CALLS("c1", "history", "{\"action\":\"list\"}")
#define EDITS                                                                                      \
    CALLS("c2", "edit_component",                                                                  \
          "{\"node_id\":\"N1\",\"component_order\":2,\"new_parameters\":{\"text\":\"Other\"}}")

/* Stands in for the C library's: thousands of runs are saved here, and no machine stops. */
int fdatasync(int fd)
{
    (void)fd;
    return 0;
}

static unsigned ends;

static inline void on_quiet(bool quiet)
{
    watching = !quiet;
}

/* Stands in for jansson's, which does not look whether the text of a string that it reads has
 * grown, and reads on behind its end: nothing that we could do better. */
json_t *json_loadb(const char *buffer, size_t len, size_t flags, json_error_t *error)
{
    bool was = watching;
    json_t *(*load)(const char *, size_t, size_t, json_error_t *);
    json_t *value;

    watching = false;
    *(void **)&load = dlsym(RTLD_NEXT, "json_loadb");
    assert_non_null(load);
    value = load(buffer, len, flags, error);
    watching = was;
    return value;
}

/* Writes down the end alone: the rest is for other tests. */
static inline void on_end(struct run_listener *listener, const struct run_event *event)
{
    struct run_fixture *fixture =
        (struct run_fixture *)((char *)listener - offsetof(struct run_fixture, listener));

    on_quiet(true);
    if (event->kind == RUN_ENDED) {
        ends++;
        fixture->ended = true;
        fixture->outcome = event->outcome;
        fixture->unsaved = event->unsaved;
        assert_true((event->outcome == RUN_FAILED) == (event->err != NULL));
        assert_true(!event->err || (event->err->kind != ERROR_NONE && *event->err->text));
        json_decref(fixture->interrupts);
        fixture->interrupts = json_deep_copy(event->interrupts);
    }
    on_quiet(false);
}

static inline void load_named(struct run_fixture *fixture, const char *id)
{
    struct chat_fixture *chat = fixture->chat;

    thread_destroy(fixture->thread);
    fixture->thread = NULL;
    fixture->thread_done = false;
    must(&chat->session, thread_load(&chat->server.store, chat->session.sid, id, on_thread, fixture,
                                     &chat->session.err));
    chat_run_until(chat, &fixture->thread_done);
}

/* Whether an allocation failed in it. */
static inline bool play(struct run_fixture *fixture, const struct run_request *request,
                        const char *script, long fails_at)
{
    struct error err = {0};
    bool failed;

    fake_model_set(fixture->model, parse(script));
    fixture->ended = fixture->unsaved = false;
    ends = 0;
    fail_at = fails_at;
    watching = true;
    fixture->run =
        run_start(&fixture->chat->server, fixture->model, request, &fixture->listener, &err);
    while (fixture->run && !fixture->ended)
        uv_run(&fixture->chat->loop, UV_RUN_ONCE);
    watching = false;
    failed = fails_at > 0 && fail_at == 0;
    fail_at = 0;
    for (int i = 0; i < 4; i++)
        uv_run(&fixture->chat->loop, UV_RUN_NOWAIT);
    assert_int_equal(ends, fixture->run ? 1 : 0);
    assert_true(fixture->run || err.kind == ERROR_MEMORY);
    assert_false(fixture->thread->in_use);
    fixture->run = NULL;
    return failed;
}

/* What is in the store is a thread that can be asked on. */
static inline void expect_goes_on(struct run_fixture *fixture, const char *id)
{
    json_auto_t *messages = parse("[{\"id\":\"next\",\"content\":\"And now?\"}]");
    struct run_request request;

    load_named(fixture, id);
    request = question(fixture, messages);
    play(fixture, &request, "[" ENDS(SAYS("Here")) "]", 0);
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_int_equal(fixture->thread->saved, json_array_size(fixture->thread->messages));
}

static inline int set_up(void **state)
{
    struct run_fixture *fixture;

    run_fixture_open(state);
    fixture = *state;
    fixture->listener.on_event = on_end;
    fake_quiet = on_quiet;
    return 0;
}

#endif
#endif
