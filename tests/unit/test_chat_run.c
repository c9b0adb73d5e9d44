/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run with the model played by a script, real threads and the real tools that read: what is told,
 * what is sent, what is kept, by each reason to stop, and wherever it is stopped.
 */
#include "mcp/store/thread.h"
#include "tests/unit/run_fixture.h"

#include "mcp/store/store.h"

#define SAYS(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define THINKS(text)                                                                               \
    "{\"type\":\"thinking\",\"thinking\":\"" text "\",\"signature\":\"sig-" text "\"}"
#define CALLS(id, name, input)                                                                     \
    "{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"" name "\",\"input\":" input "}"
#define USES(content) "{\"content\":[" content "],\"stop\":\"tool_use\"}"
#define ENDS(content) "{\"content\":[" content "]}"
#define LIST(id)      CALLS(id, "history", "{\"action\":\"list\"}")

static size_t questions(const struct thread *thread)
{
    const json_t *message;
    size_t i, count = 0;

    json_array_foreach(thread->messages, i, message) count += thread_is_question(message);
    return count;
}

static void test_plain_text(void **state)
{
    struct run_fixture *fixture = *state;
    json_auto_t *expected =
        parse("[\"began\",\"turn\",\"thinking began\",\"thinking\",\"thinking\",\"thinking ended\","
              "\"text began\",\"text\",\"text\",\"text ended\",\"turn ended\",\"ended\"]");
    json_auto_t *expected_cost = NULL;
    json_t *event;
    const char *id;
    size_t i;

    ask(fixture, "q1", "Hello?",
        "[{\"content\":[" THINKS("Well") "," SAYS(
            "Hello, Anna") "],\"usage\":{\"input_tokens\":7,"
                           "\"cache_read_input_tokens\":20,\"cache_creation_input_tokens\":3,"
                           "\"output_tokens\":5}}]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    json_array_foreach(fixture->events, i, event) assert_string_equal(
        json_get_string(event, "kind"), json_string_value(json_array_get(expected, i)));
    assert_int_equal(i, json_array_size(expected));
    id = json_get_string(event_at(fixture, "text began", 0), "id");
    assert_string_not_equal(id, json_get_string(event_at(fixture, "thinking began", 0), "id"));
    assert_string_equal(id, json_get_string(event_at(fixture, "text ended", 0), "id"));
    assert_int_equal(fixture->usage.requests, 1);
    assert_int_equal(model_usage_input(&fixture->usage.tokens), 30);
    assert_int_equal(fixture->usage.tokens.output, 5);
    assert_in_range(fixture->usage.whole_curriculum, 50, 1000);
    expected_cost = run_usage_json(&fixture->usage);
    assert_true(json_equal(json_object_get(newest_with(fixture, "usage"), "usage"), expected_cost));
    /* What is kept is what came, signatures and all, under the id that was told. */
    expect_replayable(fixture);
    assert_int_equal(json_array_size(fixture->thread->messages), 3); /* and what it cost */
    event = json_array_get(fixture->thread->messages, 1);
    assert_string_equal(json_get_string(event, "id"), id);
    json_auto_t *content = parse("[" THINKS("Well") "," SAYS("Hello, Anna") "]");
    assert_true(same_json(json_object_get(event, "content"), content));
}

static void test_where_and_memory(void **state)
{
    struct run_fixture *fixture = *state;
    json_auto_t *messages = parse("[{\"id\":\"q2\",\"content\":\"And now?\"}]");
    struct run_request request = question(fixture, messages);
    json_t *content;

    ask(fixture, "q1", "Hello?", "[" ENDS(THINKS("Hm") "," SAYS("Hi")) "]");
    fake_model_set(fixture->model, parse("[" ENDS(SAYS("Now")) "]"));
    request.where = "The editor is at N1";
    request.thread = fixture->thread;
    begin(fixture, &request);
    finish(fixture);
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_int_equal(json_array_size(sent(fixture, 0)), 3);
    /* The thinking of before goes back as it came. */
    content = json_object_get(json_array_get(sent(fixture, 0), 1), "content");
    assert_string_equal(json_get_string(json_array_get(content, 0), "signature"), "sig-Hm");
    content = json_object_get(json_array_get(sent(fixture, 0), 2), "content");
    assert_int_equal(json_array_size(content), 2);
    expect_text(json_array_get(content, 0), "The editor is at N1");
    expect_text(json_array_get(content, 1), "And now?");
    content = json_array_get(fixture->thread->messages, 3); /* behind what the first one cost */
    assert_string_equal(text_of(json_object_get(content, "shown")), "And now?");
}

static void test_what_cannot_begin(void **state)
{
    struct run_fixture *fixture = *state;
    static const struct {
        const char *messages;
        enum error_kind kind;
    } bad[] = {{"[]", ERROR_INVALID},
               {"[{\"id\":\"q1\",\"content\":\"\"}]", ERROR_INVALID},
               {"[{\"id\":\"q1\",\"content\":[]}]", ERROR_INVALID},
               {"[{\"content\":\"no id\"}]", ERROR_INVALID}};
    json_auto_t *good = parse("[{\"id\":\"q1\",\"content\":\"Hello\"}]");
    struct run_request request = question(fixture, good);
    const struct run_answer stray = {"nobody", true, NULL};
    struct error err = {0};

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        json_auto_t *messages = parse(bad[i].messages);

        request.messages = messages;
        err = (struct error){0};
        assert_null(
            run_start(&fixture->chat->server, fixture->model, &request, &fixture->listener, &err));
        assert_int_equal(err.kind, bad[i].kind);
    }
    request.messages = good;
    fixture->model->unready = true;
    assert_null(
        run_start(&fixture->chat->server, fixture->model, &request, &fixture->listener, &err));
    assert_int_equal(err.kind, ERROR_UNAVAILABLE);
    assert_string_equal(err.text, "Set ANTHROPIC_API_KEY");
    fixture->model->unready = false;
    request.solve = true; /* a server without roles */
    assert_null(
        run_start(&fixture->chat->server, fixture->model, &request, &fixture->listener, &err));
    assert_int_equal(err.kind, ERROR_UNAVAILABLE);
    request.solve = false;
    request.answers = &stray;
    request.answer_count = 1;
    assert_null(
        run_start(&fixture->chat->server, fixture->model, &request, &fixture->listener, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    request.messages = NULL;
    assert_null(
        run_start(&fixture->chat->server, fixture->model, &request, &fixture->listener, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_false(fixture->thread->in_use);
    assert_int_equal(json_array_size(fixture->thread->messages), 0);
    /* One thread, one run. */
    request = question(fixture, good);
    fake_model_set(fixture->model, parse("[" ENDS(SAYS("Hi")) "]"));
    begin(fixture, &request);
    assert_null(
        run_start(&fixture->chat->server, fixture->model, &request, &fixture->listener, &err));
    assert_int_equal(err.kind, ERROR_BUSY);
    finish(fixture);
    /* Sent again, it is nothing new. */
    assert_null(
        run_start(&fixture->chat->server, fixture->model, &request, &fixture->listener, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
}

static void test_two_calls(void **state)
{
    struct run_fixture *fixture = *state;
    json_t *messages, *content;
    const char *message_id;

    ask(fixture, "q1", "What changed?",
        "[" USES(SAYS("I look") "," LIST("c1") "," CALLS("c2", "nothing", "{}") "," CALLS(
            "c3", "history", "{\"acton\":1}")) "," ENDS(SAYS("That")) "]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_int_equal(request_count(fixture), 2);
    messages = sent(fixture, 1);
    assert_int_equal(json_array_size(messages), 3);
    content = json_object_get(json_array_get(messages, 2), "content");
    assert_int_equal(json_array_size(content), 3);
    assert_null(json_object_get(result_sent(fixture, 1, "c1"), "is_error"));
    assert_non_null(strstr(result_text(fixture, 1, "c1"), "The curriculum is at version"));
    assert_true(json_is_true(json_object_get(result_sent(fixture, 1, "c2"), "is_error")));
    assert_non_null(strstr(result_text(fixture, 1, "c2"), "execute_code"));
    assert_true(json_is_true(json_object_get(result_sent(fixture, 1, "c3"), "is_error")));
    assert_non_null(strstr(result_text(fixture, 1, "c3"), "did you mean 'action'"));
    /* Calls belong to the message that the text has begun. */
    message_id = json_get_string(event_at(fixture, "text began", 0), "id");
    assert_string_equal(json_get_string(event_of(fixture, "call began", "c1"), "message_id"),
                        message_id);
    assert_true(place_of(fixture, "call ended", "c1") < place_of(fixture, "started", "c1"));
    assert_true(place_of(fixture, "started", "c1") < place_of(fixture, "result", "c1"));
    assert_false(json_is_true(json_object_get(event_of(fixture, "result", "c2"), "made")));
    expect_replayable(fixture);
    content = json_object_get(
        json_object_get(json_array_get(fixture->thread->messages, 2), "shown"), "results");
    assert_int_equal(json_array_size(content), 3);
    assert_string_equal(json_get_string(json_array_get(content, 0), "id"),
                        json_get_string(event_of(fixture, "result", "c1"), "message_id"));
}

/* ---- by stop reason ---- */

static void test_max_tokens(void **state)
{
    struct run_fixture *fixture = *state;

    ask(fixture, "q1", "Much?",
        "[{\"content\":[" SAYS("A long") "," LIST(
            "c1") ",{\"type\":\"tool_use\",\"id\":\"c2\","
                  "\"name\":\"history\",\"raw\":\"{\\\"action\"}],\"stop\":\"max_tokens\"}]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_string_equal(json_get_string(event_at(fixture, "limit", 0), "name"), "output");
    assert_int_equal(count_events(fixture, "started"), 0);
    /* Each call that was shown ends visibly. */
    assert_true(json_is_true(json_object_get(event_of(fixture, "result", "c1"), "is_error")));
    assert_true(json_is_true(json_object_get(event_of(fixture, "result", "c2"), "is_error")));
    expect_replayable(fixture);
    assert_int_equal(
        json_array_size(json_object_get(json_array_get(fixture->thread->messages, 1), "content")),
        1);
    assert_string_equal(json_get_string(newest_note(fixture), "kind"), "output");
}

static void test_pause_turn(void **state)
{
    struct run_fixture *fixture = *state;

    ask(fixture, "q1", "Go on",
        "[{\"content\":[" SAYS("First") "],\"stop\":\"pause_turn\"}," ENDS(SAYS("Then")) "]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_int_equal(request_count(fixture), 2);
    assert_int_equal(json_array_size(sent(fixture, 1)), 2);
    assert_string_equal(json_get_string(json_array_get(sent(fixture, 1), 1), "role"), "assistant");
}

static void test_refusal(void **state)
{
    struct run_fixture *fixture = *state;

    ask(fixture, "q1", "Bad",
        "[{\"content\":[" SAYS("I") "],\"stop\":\"refusal\",\"details\":{\"category\":\"bio\","
                                    "\"explanation\":\"That is dangerous.\"}}]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_int_equal(request_count(fixture), 1);
    expect_replayable(fixture);
    expect_text(newest_note(fixture), "That is dangerous.");
    expect_text(event_at(fixture, "text", 1), "(bio)");
}

static void test_unknown_stop(void **state)
{
    struct run_fixture *fixture = *state;

    ask(fixture, "q1", "Well",
        "[{\"content\":[" SAYS("So") "," LIST("c1") "],\"stop\":\"new_reason\"}]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    expect_replayable(fixture);
    expect_text(newest_note(fixture), "unknown reason");
    assert_int_equal(count_events(fixture, "result"), 1);
}

/* Local services may say end_turn where calls are to be answered. */
static void test_calls_with_another_stop(void **state)
{
    struct run_fixture *fixture = *state;

    ask(fixture, "q1", "Well", "[" ENDS(LIST("c1")) "," ENDS(SAYS("So")) "]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_int_equal(request_count(fixture), 2);
    expect_replayable(fixture);
}

static void test_context_window(void **state)
{
    struct run_fixture *fixture = *state;

    /* Alone, there is nothing to leave out: it is cut, and said. */
    ask(fixture, "q1", "One",
        "[{\"content\":[" SAYS("Cut") "],\"stop\":\"model_context_window_exceeded\"}]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_string_equal(json_get_string(event_at(fixture, "limit", 0), "name"), "context");
    ask(fixture, "q2", "Two", "[" ENDS(SAYS("Second")) "]");
    ask(fixture, "q3", "Three",
        "[{\"content\":[" SAYS("Cut") "," LIST("c9") "],\"stop\":"
                                                     "\"model_context_window_exceeded\"}," ENDS(
                                                         SAYS("Third")) "]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_int_equal(request_count(fixture), 2);
    assert_int_equal(json_array_size(sent(fixture, 0)), 5);
    assert_int_equal(json_array_size(sent(fixture, 1)), 3);
    assert_int_equal(count_events(fixture, "result"), 1);
    expect_replayable(fixture);
}

static void test_request_too_large(void **state)
{
    struct run_fixture *fixture = *state;

    ask(fixture, "q1", "One", "[" ENDS(SAYS("First")) "]");
    ask(fixture, "q2", "Two",
        "[{\"error\":{\"kind\":7,\"text\":\"too long\"}}," ENDS(SAYS("Second")) "]");
    assert_int_equal(ERROR_TOO_LARGE, 7);
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_int_equal(json_array_size(sent(fixture, 0)), 3);
    assert_int_equal(json_array_size(sent(fixture, 1)), 1);
    assert_string_equal(json_get_string(event_at(fixture, "limit", 0), "name"), "context");
    /* Once a run. */
    ask(fixture, "q3", "Three",
        "[{\"error\":{\"kind\":7,\"text\":\"too long\"}},{\"error\":{\"kind\":7,"
        "\"text\":\"still too long\"}}]");
    expect_outcome(fixture, RUN_FAILED);
    assert_int_equal(fixture->err.kind, ERROR_TOO_LARGE);
    assert_string_equal(fixture->err.text, "still too long");
    assert_false(fixture->unsaved);
}

/* ---- failures ---- */

static void test_model_fails(void **state)
{
    struct run_fixture *fixture = *state;

    ask(fixture, "q1", "Hello",
        "[{\"waits\":true,\"content\":[" SAYS("Some") "," LIST("c1") "," SAYS(
            "half a wor") "],\"cut\":true,\"error\":{\"kind\":12,\"text\":\"the connection was "
                          "lost\"}}]");
    assert_int_equal(ERROR_IO, 12);
    expect_outcome(fixture, RUN_FAILED);
    assert_string_equal(fixture->err.text, "the connection was lost");
    assert_false(fixture->unsaved);
    assert_int_equal(count_events(fixture, "waiting"), 1);
    assert_int_equal(count_events(fixture, "text began"), count_events(fixture, "text ended"));
    assert_int_equal(count_events(fixture, "started"), 0);
    assert_int_equal(count_events(fixture, "result"), 1);
    expect_replayable(fixture);
    expect_text(newest_note(fixture), "the connection was lost");
    expect_text(
        json_array_get(json_object_get(json_array_get(fixture->thread->messages, 1), "content"), 2),
        "half a wor");
    /* And it goes on from there. */
    ask(fixture, "q2", "Again?", "[" ENDS(SAYS("Yes")) "]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_true(json_is_true(json_object_get(result_sent(fixture, 0, "c1"), "is_error")));
}

static void test_unsaved(void **state)
{
    struct run_fixture *fixture = *state;
    struct fixture *session = &fixture->chat->session;
    json_auto_t *message =
        parse("[{\"id\":\"x\",\"role\":\"user\",\"content\":[" SAYS("Elsewhere") "]}]");
    json_auto_t *nothing = json_array();

    must(session, store_thread_append(session->store, session->sid, "thread-1", "t", 0, message,
                                      nothing, &session->err));
    ask(fixture, "q1", "Hello", "[]");
    expect_outcome(fixture, RUN_FAILED);
    assert_int_equal(fixture->err.kind, ERROR_STALE);
    assert_true(fixture->unsaved);
    assert_int_equal(request_count(fixture), 0);
}

static void test_no_session(void **state)
{
    struct run_fixture *fixture = *state;

    snprintf(fixture->thread->session_id, SESSION_ID_SIZE, "%s",
             "00000000-0000-4000-8000-000000000000");
    ask(fixture, "q1", "Hello", "[]");
    expect_outcome(fixture, RUN_FAILED);
    assert_int_equal(fixture->err.kind, ERROR_UNAUTHORIZED);
}

/* ---- asked again ---- */

static void test_again_without_an_answer(void **state)
{
    struct run_fixture *fixture = *state;

    ask(fixture, "q1", "Hello?", "[{\"error\":{\"kind\":11,\"text\":\"overloaded\"}}]");
    expect_outcome(fixture, RUN_FAILED);
    ask(fixture, "q1", "Hello?", "[" ENDS(SAYS("Hi")) "]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_int_equal(questions(fixture->thread), 1);
    /* The model sees the question, and nothing else. */
    assert_int_equal(json_array_size(sent(fixture, 0)), 1);
    expect_text(json_array_get(json_object_get(json_array_get(sent(fixture, 0), 0), "content"), 0),
                "Hello?");
    assert_int_equal(count_events(fixture, "again"), 1);
    assert_string_equal(json_get_string(json_array_get(fixture->events, 1), "kind"), "again");
    assert_true(
        thread_has_message(fixture->thread, json_get_string(event_at(fixture, "again", 0), "id")));
    expect_replayable(fixture);
}

/* Stopped in the middle, with a call answered before: what was said stays, and the model is told.
 */
static void test_again_after_a_part(void **state)
{
    struct run_fixture *fixture = *state;
    const json_t *content;

    fixture->cancels = true;
    fixture->cancel_on = RUN_TEXT;
    ask(fixture, "q1", "What changed?",
        "[" USES(LIST("c1")) ",{\"hangs\":true,\"content\":[" SAYS("Half") "]}]");
    expect_outcome(fixture, RUN_CANCELLED);
    fixture->cancels = false;
    ask(fixture, "q1", "What changed?", "[" ENDS(SAYS("Whole")) "]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_int_equal(questions(fixture->thread), 1);
    assert_int_equal(json_array_size(sent(fixture, 0)), 5);
    content = json_object_get(json_array_get(sent(fixture, 0), 3), "content");
    expect_text(json_array_get(content, 0), "Half");
    content = json_object_get(json_array_get(sent(fixture, 0), 4), "content");
    assert_int_equal(json_array_size(content), 1);
    assert_non_null(strstr(text_of(json_array_get(content, 0)), "asks the same question again"));
    expect_replayable(fixture);
}

/* ---- bounds ---- */

#define TURN USES(LIST("c")) ","

static void test_turns(void **state)
{
    struct run_fixture *fixture = *state;
    struct buf BUF_AUTO script = {0};

    buf_addc(&script, '[');
    for (unsigned i = 1; i < RUN_TURNS_MAX; i++)
        buf_addf(&script, "%s",
                 "{\"stop\":\"tool_use\",\"content\":[{\"type\":\"tool_use\",\"id\":\"c\","
                 "\"name\":\"history\",\"input\":{}}]},");
    buf_adds(&script, ENDS(SAYS("So far")) "]");
    ask(fixture, "q1", "Dig", script.data);
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_int_equal(request_count(fixture), RUN_TURNS_MAX);
    for (unsigned i = 0; i < RUN_TURNS_MAX; i++) {
        const json_t *choice =
            json_object_get(json_array_get(fixture->model->requests, i), "tool_choice");
        bool none = choice && strcmp(json_get_string(choice, "type"), "none") == 0;

        assert_int_equal(none, i + 1 == RUN_TURNS_MAX);
    }
    assert_string_equal(json_get_string(event_at(fixture, "limit", 0), "name"), "turns");
    assert_int_equal(count_events(fixture, "limit"), 1);
}

static void test_tokens(void **state)
{
    struct run_fixture *fixture = *state;

    /* The calls of a model that does not sum up are answered, and the question has no answer. */
    ask(fixture, "q1", "Dig",
        "[{\"stop\":\"tool_use\",\"content\":[" LIST(
            "c1") "],\"usage\":{\"input_tokens\":500000,"
                  "\"cache_read_input_tokens\":700000,\"output_tokens\":1}}," USES(LIST("c2")) "]");
    expect_outcome(fixture, RUN_FAILED);
    assert_int_equal(request_count(fixture), 2);
    assert_string_equal(json_get_string(event_at(fixture, "limit", 0), "name"), "tokens");
    expect_text(event_at(fixture, "limit", 0), "has read 1200000 tokens");
    assert_int_equal(count_events(fixture, "started"), 1);
    assert_true(json_is_true(json_object_get(event_of(fixture, "result", "c2"), "is_error")));
    expect_replayable(fixture);
    load_thread(fixture);
    assert_string_equal(json_get_string(newest_note(fixture), "kind"), "error");
    expect_text(newest_note(fixture), "instead of summing up");
}

/* The same call in each turn, also in the one without tools. */
static void test_circle(void **state)
{
    static const struct {
        const char *words, *last; /* before each call, and in the last turn */
        enum run_outcome outcome;
    } cases[] = {
        {"", "", RUN_FAILED},
        {SAYS("I look again.") ",", SAYS("I look again.") ",", RUN_FAILED},
        {SAYS("I look again.") ",", "", RUN_FAILED},
        {SAYS("I look again.") ",", SAYS("There are four.") ",", RUN_SUCCEEDED},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run_fixture *fixture = *state;
        struct buf BUF_AUTO script = {0};

        buf_addc(&script, '[');
        for (unsigned turn = 1; turn < RUN_TURNS_MAX; turn++)
            buf_addf(&script, "{\"stop\":\"tool_use\",\"content\":[%s" LIST("c") "]},",
                     cases[i].words);
        buf_addf(&script, "{\"stop\":\"tool_use\",\"content\":[%s" LIST("c") "]}]", cases[i].last);
        ask(fixture, "q1", "Dig", script.data);
        assert_int_equal(request_count(fixture), RUN_TURNS_MAX);
        expect_outcome(fixture, cases[i].outcome);
        expect_replayable(fixture);
        run_fixture_close(state);
        run_fixture_open(state);
    }
}

/* ---- stopping, wherever it is ---- */

static void test_stop(void **state)
{
    struct run_fixture *fixture = *state;
    static const struct {
        enum run_event_kind on;
        const char *script;
        size_t messages; /* kept, notes not counted */
    } cases[] = {
        {RUN_BEGAN, "[]", 1},
        {RUN_TURN_BEGAN, "[]", 1},
        {RUN_TEXT, "[" ENDS(SAYS("Hello there")) "]", 2},
        {RUN_TEXT, "[{\"hangs\":true,\"content\":[" SAYS("Hello there") "]}]", 2},
        {RUN_THINKING, "[{\"hangs\":true,\"content\":[" THINKS("Hm") "]}]", 1},
        {RUN_TURN_ENDED, "[" USES(LIST("c1")) "]", 3},
        {RUN_CALL_ARGUMENTS, "[" USES(LIST("c1")) "]", 3},
        {RUN_CALL_ENDED, "[{\"hangs\":true,\"content\":[" LIST("c1") "," SAYS("and") "]}]", 3},
        {RUN_CALL_STARTED, "[" USES(LIST("c1") "," LIST("c2")) "]", 3},
        {RUN_CALL_RESULT, "[" USES(LIST("c1") "," LIST("c2")) "]", 3},
        {RUN_LIMIT, "[{\"content\":[" SAYS("cut") "],\"stop\":\"max_tokens\"}]", 2},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t before = json_array_size(fixture->thread->messages), kept = 0;
        char id[32];

        snprintf(id, sizeof id, "stop-%zu", i);
        fixture->cancels = true;
        fixture->cancel_on = cases[i].on;
        ask(fixture, id, "Go", cases[i].script);
        /* What had come to its end is not undone by a stop that came too late. */
        if (cases[i].on != RUN_LIMIT)
            expect_outcome(fixture, RUN_CANCELLED);
        fixture->cancels = false;
        expect_replayable(fixture);
        for (size_t k = before; k < json_array_size(fixture->thread->messages); k++) {
            const json_t *message = json_array_get(fixture->thread->messages, k);

            kept += strcmp(json_get_string(message, "role"), "note") != 0;
        }
        if (kept != cases[i].messages)
            fail_msg("stop %zu: %zu messages are kept", i, kept);
        assert_string_equal(json_get_string(newest_note(fixture), "kind"),
                            cases[i].on == RUN_LIMIT ? "output" : "stopped");
        assert_int_equal(count_events(fixture, "call began"), count_events(fixture, "result"));
        assert_int_equal(count_events(fixture, "text began"), count_events(fixture, "text ended"));
    }
    ask(fixture, "last", "Still there?", "[" ENDS(SAYS("Yes")) "]");
    expect_outcome(fixture, RUN_SUCCEEDED);
}

/* From outside, between one turn of the loop and the next. */
static void test_stop_at_any_time(void **state)
{
    struct run_fixture *fixture = *state;
    bool ran_through = false;

    for (unsigned turns = 0; !ran_through && turns < 500; turns++) {
        ran_through = ask_and_stop(fixture, turns, "Go",
                                   "[" USES(LIST("c1") "," LIST("c2")) "," ENDS(SAYS("So")) "]");
        if (!ran_through && fixture->outcome != RUN_SUCCEEDED)
            expect_outcome(fixture, RUN_CANCELLED);
        expect_replayable(fixture);
    }
    assert_true(ran_through);
}

#define test(name) cmocka_unit_test_setup_teardown(test_##name, run_fixture_open, run_fixture_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(plain_text),
        test(where_and_memory),
        test(what_cannot_begin),
        test(two_calls),
        test(max_tokens),
        test(pause_turn),
        test(refusal),
        test(unknown_stop),
        test(calls_with_another_stop),
        test(context_window),
        test(request_too_large),
        test(model_fails),
        test(unsaved),
        test(no_session),
        test(again_without_an_answer),
        test(again_after_a_part),
        test(turns),
        test(tokens),
        test(circle),
        test(stop),
        test(stop_at_any_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
