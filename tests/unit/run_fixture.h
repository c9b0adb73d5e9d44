/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the tests of the run share: a curriculum, a thread, a model by script, and a listener that
 * writes down what it is told. Included once in a test's only file.
 */
#ifndef LECTERN_TESTS_RUN_FIXTURE_H
#define LECTERN_TESTS_RUN_FIXTURE_H

#include "mcp/store/entities/read.h"
#include "tests/unit/chat_fixture.h"

#include "mcp/change/graph_cache.h"
#include "mcp/chat/run.h"
#include "tests/unit/fake_model.h"

struct run_fixture {
    struct chat_fixture *chat;
    struct run_listener listener;
    struct model *model;
    struct thread *thread;
    struct chat_run *run;
    json_t *events; /* owned array: {"kind", "id", "name", "message_id", "text", ...} */
    json_t *interrupts;
    bool ended, partial, unsaved;
    enum run_outcome outcome;
    struct error err;
    struct run_usage usage;
    int cancel_at; /* the event at which the run is cancelled; -1: none */
    enum run_event_kind cancel_on;
    bool cancels;
    bool thread_done;
};

static const char *const event_names[] = {
    [RUN_BEGAN] = "began",           [RUN_AGAIN] = "again",
    [RUN_TURN_BEGAN] = "turn",       [RUN_TURN_ENDED] = "turn ended",
    [RUN_TEXT_BEGAN] = "text began", [RUN_TEXT] = "text",
    [RUN_TEXT_ENDED] = "text ended", [RUN_THINKING_BEGAN] = "thinking began",
    [RUN_THINKING] = "thinking",     [RUN_THINKING_ENDED] = "thinking ended",
    [RUN_CALL_BEGAN] = "call began", [RUN_CALL_ARGUMENTS] = "arguments",
    [RUN_CALL_ENDED] = "call ended", [RUN_CALL_STARTED] = "started",
    [RUN_CALL_STANDS] = "stands",    [RUN_CALL_PRINTED] = "printed",
    [RUN_CALL_RESULT] = "result",    [RUN_WAITING] = "waiting",
    [RUN_LIMIT] = "limit",           [RUN_ENDED] = "ended",
};

static inline void write_event(struct run_fixture *fixture, const struct run_event *event)
{
    json_t *kept = json_pack("{s:s, s:s*, s:s*, s:s*, s:s*, s:I, s:I, s:b, s:b, s:I, s:I}", "kind",
                             event_names[event->kind], "id", event->id, "name", event->name,
                             "message_id", event->message_id, "category", event->category, "number",
                             (json_int_t)event->number, "repair", (json_int_t)event->repair,
                             "is_error", event->is_error, "made", event->call != NULL, "images",
                             (json_int_t)(event->call ? event->call->image_count : 0),
                             "milliseconds", (json_int_t)event->milliseconds);

    if (event->text) {
        assert_int_equal(event->text[event->len], '\0');
        assert_int_equal(json_object_set_new(kept, "text", json_stringn(event->text, event->len)),
                         0);
    }
    json_array_append_new(fixture->events, kept);
}

static inline void on_event(struct run_listener *listener, const struct run_event *event)
{
    struct run_fixture *fixture =
        (struct run_fixture *)((char *)listener - offsetof(struct run_fixture, listener));

    assert_false(fixture->ended);
    assert_non_null(fixture->run); /* never before run_start returns */
    write_event(fixture, event);
    if (event->kind == RUN_ENDED) {
        fixture->ended = true;
        fixture->outcome = event->outcome;
        fixture->partial = event->status && strcmp(event->status, "partial") == 0;
        fixture->unsaved = event->unsaved;
        fixture->err = event->err ? *event->err : (struct error){0};
        fixture->usage = *event->usage;
        json_decref(fixture->interrupts);
        fixture->interrupts = json_deep_copy(event->interrupts);
        assert_true((event->outcome == RUN_INTERRUPTED) == (event->interrupts != NULL));
        assert_true((event->outcome == RUN_FAILED) == (event->err != NULL));
    } else if (fixture->cancels && event->kind == fixture->cancel_on) {
        run_cancel(fixture->run, RUN_STOP_EDITOR);
        run_cancel(fixture->run, RUN_STOP_EDITOR);
    }
}

static inline void on_thread(void *user, struct thread *thread, const struct error *err)
{
    struct run_fixture *fixture = user;

    if (!thread)
        fail_msg("%s", err->text);
    fixture->thread = thread;
    fixture->thread_done = true;
}

/* What the store has of it. */
static inline void load_thread(struct run_fixture *fixture)
{
    struct chat_fixture *chat = fixture->chat;

    thread_destroy(fixture->thread);
    fixture->thread = NULL;
    fixture->thread_done = false;
    must(&chat->session, thread_load(&chat->server.store, chat->session.sid, "thread-1", on_thread,
                                     fixture, &chat->session.err));
    chat_run_until(chat, &fixture->thread_done);
}

static const char curriculum[] =
    "{\"nodes\": ["
    "{\"node_id\": \"N1\", \"title\": \"Halves\", \"components\": ["
    "{\"type\": \"heading\", \"parameters\": {\"text\": \"Half of it\"}},"
    "{\"type\": \"paragraph\", \"parameters\": {\"text\": \"Two halves make one.\"}},"
    "{\"type\": \"definition\", \"parameters\": {\"term\": \"Half\", \"definition\": \"1 of "
    "2\"}}]},"
    "{\"node_id\": \"N2\", \"title\": \"Thirds\", \"components\": ["
    "{\"type\": \"paragraph\", \"parameters\": {\"text\": \"Three of them.\"}}]},"
    "{\"node_id\": \"N3\", \"title\": \"Quarters\", \"components\": []}], "
    "\"relationships\": [{\"from_node_id\": \"N1\", \"to_node_id\": \"N2\", "
    "\"relationship_type\": \"PREREQUISITE_FOR\", \"explanation\": \"first\"},"
    "{\"from_node_id\": \"N2\", \"to_node_id\": \"N3\", \"relationship_type\": \"LEADS_TO\", "
    "\"explanation\": \"\"}]}";

static inline int run_fixture_open(void **state)
{
    struct run_fixture *fixture = calloc(1, sizeof *fixture);
    struct chat_fixture *chat;

    assert_non_null(fixture);
    chat_fixture_open(state);
    chat = *state;
    import_text(&chat->session, curriculum, strlen(curriculum));
    chat->server.store.graph = chat_workq(chat, "graph", false);
    chat->server.store.graphs = graph_cache_create(0, &chat->session.err);
    chat->server.analyses.profile = validator_profile_find("data-science");
    chat->server.analyses.timeout_seconds = 30;
    chat->server.analyses.stdout_characters = chat->server.analyses.stderr_characters = 1000;
    snprintf(chat->server.analyses.executor_error, sizeof chat->server.analyses.executor_error,
             "no sandbox here");
    fixture->chat = chat;
    fixture->listener.on_event = on_event;
    fixture->events = json_array();
    fixture->model = model_create(NULL, chat->server.loop_queue, &chat->session.err);
    load_thread(fixture);
    *state = fixture;
    return 0;
}

static inline int run_fixture_close(void **state)
{
    struct run_fixture *fixture = *state;
    void *chat = fixture->chat;

    thread_destroy(fixture->thread);
    model_destroy(fixture->model);
    workq_destroy(fixture->chat->server.store.graph);
    graph_cache_destroy(fixture->chat->server.store.graphs);
    json_decref(fixture->events);
    json_decref(fixture->interrupts);
    free(fixture);
    return chat_fixture_close(&chat);
}

/* ---- running ---- */

static inline struct run_request question(struct run_fixture *fixture, const json_t *messages)
{
    return (struct run_request){
        .thread = fixture->thread, .run_id = "run-1", .who = "chat:Anna", .messages = messages};
}

static inline void begin(struct run_fixture *fixture, const struct run_request *request)
{
    struct error err = {0};

    json_array_clear(fixture->events);
    fixture->ended = false;
    fixture->run =
        run_start(&fixture->chat->server, fixture->model, request, &fixture->listener, &err);
    if (!fixture->run)
        fail_msg("%s", err.text);
    assert_true(fixture->thread->in_use);
    assert_int_equal(json_array_size(fixture->events), 0);
}

static inline void finish(struct run_fixture *fixture)
{
    chat_run_until(fixture->chat, &fixture->ended);
    assert_false(fixture->thread->in_use);
    fixture->run = NULL;
}

/* Asks, with the model's answers, and waits for the end. */
static inline void ask_as(struct run_fixture *fixture, const char *id, const char *text,
                          const char *script, enum approvals approvals)
{
    json_auto_t *messages = json_pack("[{s:s, s:s}]", "id", id, "content", text);
    struct run_request request = question(fixture, messages);

    request.approvals = approvals;
    fake_model_set(fixture->model, parse(script));
    begin(fixture, &request);
    finish(fixture);
}

static inline void ask(struct run_fixture *fixture, const char *id, const char *text,
                       const char *script)
{
    ask_as(fixture, id, text, script, APPROVALS_DESTRUCTIVE);
}

static inline void answer(struct run_fixture *fixture, bool approved, const char *reason,
                          const char *script)
{
    struct run_answer answers[RUN_CALLS_MAX] = {{0}};
    size_t count = json_array_size(fixture->interrupts);
    json_auto_t *held = json_incref(fixture->interrupts);
    struct run_request request = question(fixture, NULL);

    for (size_t i = 0; i < count; i++)
        answers[i] =
            (struct run_answer){json_get_string(json_array_get(held, i), "id"), approved, reason};
    request.answers = answers;
    request.answer_count = count;
    fake_model_set(fixture->model, parse(script));
    begin(fixture, &request);
    finish(fixture);
}

/* Asks, and stops it after so many turns of the loop. Whether it had ended before that. */
static inline bool ask_and_stop(struct run_fixture *fixture, unsigned turns, const char *text,
                                const char *script)
{
    char id[32];
    json_auto_t *messages = NULL;
    struct run_request request;
    bool ended;

    snprintf(id, sizeof id, "q-%u", turns);
    messages = json_pack("[{s:s, s:s}]", "id", id, "content", text);
    request = question(fixture, messages);
    fake_model_set(fixture->model, parse(script));
    begin(fixture, &request);
    for (unsigned i = 0; i < turns && !fixture->ended; i++) {
        uv_run(&fixture->chat->loop, UV_RUN_NOWAIT);
        usleep(200);
    }
    ended = fixture->ended;
    if (!ended)
        run_cancel(fixture->run, RUN_STOP_EDITOR);
    finish(fixture);
    return ended;
}

/* ---- looking ---- */

#define expect_outcome(fixture, wanted)                                                            \
    do {                                                                                           \
        if ((fixture)->outcome != (wanted))                                                        \
            fail_msg("outcome %d: %s", (fixture)->outcome, (fixture)->err.text);                   \
    } while (0)

/* The n-th event of that kind, from 0; NULL where there are fewer. */
static inline json_t *event_at(struct run_fixture *fixture, const char *kind, size_t n)
{
    json_t *event;
    size_t i;

    json_array_foreach(fixture->events, i, event)
    {
        if (strcmp(json_get_string(event, "kind"), kind) == 0 && n-- == 0)
            return event;
    }
    return NULL;
}

static inline size_t count_events(struct run_fixture *fixture, const char *kind)
{
    size_t count = 0;

    while (event_at(fixture, kind, count))
        count++;
    return count;
}

/* The place of an event of that kind about that id, among all. */
static inline size_t place_of(struct run_fixture *fixture, const char *kind, const char *id)
{
    json_t *event;
    size_t i;

    json_array_foreach(fixture->events, i, event)
    {
        const char *own = json_get_string(event, "id");

        if (strcmp(json_get_string(event, "kind"), kind) == 0 && own && strcmp(own, id) == 0)
            return i;
    }
    fail_msg("no event '%s' of %s", kind, id);
    return 0;
}

static inline json_t *event_of(struct run_fixture *fixture, const char *kind, const char *id)
{
    return json_array_get(fixture->events, place_of(fixture, kind, id));
}

static inline const char *text_of(const json_t *event)
{
    const char *text = json_get_string(event, "text");

    return text ? text : "";
}

static inline void expect_text(const json_t *event, const char *part)
{
    if (!event || !strstr(text_of(event), part))
        fail_msg("'%s' is not in: %s", part, text_of(event));
}

/* The messages of the n-th request to the model. */
static inline json_t *sent(struct run_fixture *fixture, size_t n)
{
    json_t *messages = json_object_get(json_array_get(fixture->model->requests, n), "messages");

    assert_non_null(messages);
    return messages;
}

static inline size_t request_count(struct run_fixture *fixture)
{
    return json_array_size(fixture->model->requests);
}

/* The tool_result for a call, in the newest message of the n-th request. */
static inline json_t *result_sent(struct run_fixture *fixture, size_t n, const char *call)
{
    json_t *messages = sent(fixture, n), *message, *block;
    size_t i, k;

    json_array_foreach(messages, i, message)
    {
        json_t *content = json_object_get(message, "content");

        json_array_foreach(content, k, block)
        {
            const char *id = json_get_string(block, "tool_use_id");

            if (id && strcmp(id, call) == 0)
                return block;
        }
    }
    fail_msg("no result of %s", call);
    return NULL;
}

static inline const char *result_text(struct run_fixture *fixture, size_t n, const char *call)
{
    return text_of(json_array_get(json_object_get(result_sent(fixture, n, call), "content"), 0));
}

/* Each call in what the store has is answered once, in the message behind it, results first. */
static inline void expect_replayable(struct run_fixture *fixture)
{
    json_t *messages, *message, *block;
    size_t i, k;

    load_thread(fixture);
    messages = fixture->thread->messages;
    json_array_foreach(messages, i, message)
    {
        json_t *content = json_object_get(message, "content");
        json_t *behind = NULL;

        for (size_t n = i + 1; n < json_array_size(messages) && !behind; n++) {
            json_t *next = json_array_get(messages, n);

            if (strcmp(json_get_string(next, "role"), "note") != 0)
                behind = json_object_get(next, "content");
        }
        if (strcmp(json_get_string(message, "role"), "assistant") != 0)
            continue;
        assert_true(json_array_size(content) > 0);
        size_t calls = 0;
        json_array_foreach(content, k, block)
        {
            const char *id = json_get_string(block, "id");

            if (strcmp(json_get_string(block, "type"), "tool_use") != 0)
                continue;
            const char *of = json_get_string(json_array_get(behind, calls++), "tool_use_id");

            if (!of || strcmp(of, id) != 0)
                fail_msg("the call %s has no result in its place", id);
        }
    }
}

/* What the newest note says that has that member: "text" of those in words, "usage" of a cost. */
static inline json_t *newest_with(struct run_fixture *fixture, const char *member)
{
    json_t *messages = fixture->thread->messages;

    for (size_t i = json_array_size(messages); i > 0; i--) {
        json_t *message = json_array_get(messages, i - 1);
        json_t *shown = json_object_get(message, "shown");

        if (strcmp(json_get_string(message, "role"), "note") == 0 && json_object_get(shown, member))
            return shown;
    }
    return NULL;
}

static inline json_t *newest_note(struct run_fixture *fixture)
{
    return newest_with(fixture, "text");
}

static inline json_t *components_of(struct run_fixture *fixture, const char *node_id)
{
    struct fixture *session = &fixture->chat->session;
    struct buf BUF_AUTO text = {0};
    json_t *read, *components;

    must(session,
         store_read_components(session->store, session->sid, node_id, &text, &session->err));
    read = parse(text.data);
    components = json_incref(json_object_get(read, "components"));
    json_decref(read);
    return components;
}

static inline size_t component_count(struct run_fixture *fixture, const char *node_id)
{
    json_auto_t *components = components_of(fixture, node_id);

    return json_array_size(components);
}

#endif
