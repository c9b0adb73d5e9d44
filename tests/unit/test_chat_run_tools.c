/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tool calls of a run, with tools made for it: which run beside which, what goes back, what is
 * told while they work, repairs, and stopping them.
 */
#include <poll.h>
#include <stdatomic.h>

#include "mcp/tool/arguments.h"
#include "tests/unit/run_fixture.h"

#define SAYS(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define CALLS(id, name, input)                                                                     \
    "{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"" name "\",\"input\":" input "}"
#define USES(content) "{\"content\":[" content "],\"stop\":\"tool_use\"}"
#define ENDS(text)    "{\"content\":[" SAYS(text) "]}"
#define CODE(id, how) CALLS(id, "execute_code", "{\"code\":\"" how "\"}")

/* ---- the tools ---- */

static atomic_int reading, most_reading, beside_an_edit, cancelled;
static atomic_int editing;
static unsigned ran; /* programs */

/* On the loop, so that many can be under way: ends after ms, or when it is stopped. */
struct work {
    uv_timer_t timer; /* first */
    struct tool_call *call;
    bool stopped, progress;
};

static void end_work(uv_handle_t *handle)
{
    struct work *work = (struct work *)handle;
    struct tool_call *call = work->call;
    bool edits = !call->tool->read_only;

    atomic_fetch_sub(edits ? &editing : &reading, 1);
    if (work->stopped) {
        call->failure.category = FAILURE_CANCELLED;
        atomic_fetch_add(&cancelled, 1);
    }
    if (edits)
        snprintf(call->change_set, sizeof call->change_set, "set");
    buf_addf(&call->text, "%s by %s in %s", work->stopped ? "stopped" : "done", call->who,
             call->bound_session);
    call->state = NULL;
    free(work);
    tool_call_complete(call);
}

/* One that is to be the last waits for those beside it. */
static void on_time(uv_timer_t *timer)
{
    const struct work *work = (struct work *)timer;

    if (json_is_true(json_object_get(work->call->arguments, "last")) && atomic_load(&reading) > 1)
        uv_timer_start(timer, on_time, 1, 0);
    else
        uv_close((uv_handle_t *)timer, end_work);
}

static int start_work(struct tool_call *call, struct error *err)
{
    struct work *work = calloc(1, sizeof *work);
    bool edits = !call->tool->read_only;
    int now;

    (void)err;
    now = atomic_fetch_add(edits ? &editing : &reading, 1) + 1;
    if (!edits && now > atomic_load(&most_reading))
        atomic_store(&most_reading, now);
    if (atomic_load(&editing) > 0 && atomic_load(&editing) + atomic_load(&reading) > 1)
        atomic_fetch_add(&beside_an_edit, 1);
    work->call = call;
    uv_timer_init(call->server->loop, &work->timer);
    uv_timer_start(&work->timer, on_time,
                   (uint64_t)json_integer_value(json_object_get(call->arguments, "ms")), 0);
    call->state = work;
    return 0;
}

static void stop_work(struct tool_call *call)
{
    struct work *work = call->state;

    if (!work || uv_is_closing((uv_handle_t *)&work->timer))
        return;
    work->stopped = true;
    uv_close((uv_handle_t *)&work->timer, end_work);
}

static bool work_progress(struct tool_call *call, struct buf *words, struct buf *printed)
{
    assert_true(call->wants_progress);
    buf_adds(words, "half way");
    buf_add(printed, "so far \xf0\x9f\xa6\x8a \xff", 13);
    return true;
}

#define TAKES                                                                                      \
    ARGUMENTS("work", FIELD("ms", FIELD_WHOLE), FIELD("last", FIELD_FLAG),                         \
              FIELD("code", FIELD_TEXT))

static const struct tool tool_read = {
    .name = "read",
    .title = "Read",
    .description = "Reads",
    .arguments = TAKES,
    .read_only = true,
    .start = start_work,
    .stop = stop_work,
    .progress = work_progress,
};

static const struct tool tool_edit = {
    .name = "edit",
    .title = "Edit",
    .description = "Edits",
    .arguments = TAKES,
    .start = start_work,
    .stop = stop_work,
    .writes = true,
};

/* One program; what it does is the text of its code. */
static int run_code(struct tool_call *call, const char *how, struct error *err)
{
    char *large;

    ran++;
    if (strncmp(how, "fails", 5) == 0)
        return error_set_at(err, "code", "NameError: name 'x' is not defined");
    if (strcmp(how, "busy") == 0)
        return error_set(err, ERROR_BUSY, "no sandbox is free");
    if (strcmp(how, "hostile") == 0) {
        large = malloc((size_t)100 << 10);
        assert_non_null(large);
        memset(large, 0xff, (size_t)100 << 10);
        buf_add(&call->text, "a\0b\xed\xa0\x80\xc3", 7);
        buf_add(&call->text, large, (size_t)100 << 10);
        free(large);
    } else if (strcmp(how, "flood") == 0) {
        for (int i = 0; i < 40000; i++)
            buf_adds(&call->text, "\xf0\x9f\xa6\x8a");
    } else if (strcmp(how, "overflow") == 0) {
        for (size_t i = 0; i <= TOOL_ANSWER_CAP; i++)
            buf_addc(&call->text, 'x');
    } else if (strcmp(how, "plots") == 0) {
        large = malloc((size_t)1 << 20);
        assert_non_null(large);
        memset(large, 'A', (size_t)1 << 20);
        tool_call_add_image(call, "image/png", "AAAA", 4);
        tool_call_add_image(call, "image/svg+xml", "BBBB", 4);
        tool_call_add_image(call, "image/png", large, (size_t)1 << 20);
        free(large);
    } else {
        buf_adds(&call->text, how);
    }
    return 0;
}

/* On the loop, as execute_code does it. */
static int start_code(struct tool_call *call, struct error *err)
{
    const char *code = json_get_string(call->arguments, "code");
    struct buf BUF_AUTO why = {0};
    size_t len = strlen(code ? code : "");
    int rc;

    if (!code) {
        tool_call_complete(call);
        return 0;
    }
    if (call->programs->may_run(call, code, len, &why))
        rc = run_code(call, code, err);
    else
        rc = error_set(err, ERROR_INVALID, "%s", why.data);
    if (rc < 0)
        failure_of_error(&call->failure, err);
    call->programs->ended(call, code, len, &call->failure);
    if (rc == 0)
        tool_call_complete(call);
    return rc;
}

static const struct tool tool_code = {
    .name = "execute_code",
    .title = "Run",
    .description = "Runs",
    .arguments = TAKES,
    .read_only = true,
    .start = start_code,
};

const bool tables_change = false;
const struct tool *const tools[] = {&tool_read, &tool_edit, &tool_code, NULL};

static int setup(void **state)
{
    atomic_store(&most_reading, 0);
    atomic_store(&beside_an_edit, 0);
    atomic_store(&cancelled, 0);
    ran = 0;
    return run_fixture_open(state);
}

/* ---- which runs beside which ---- */

#define TWO_READ                                                                                   \
    CALLS("r1", "read", "{\"ms\":30,\"last\":true}") "," CALLS("r2", "read", "{\"ms\":5}")
#define TWO_MORE CALLS("r3", "read", "{\"ms\":5}") "," CALLS("r4", "read", "{\"ms\":5}")

static void test_order(void **state)
{
    struct run_fixture *fixture = *state;
    json_t *content;

    ask(fixture, "q1", "All",
        "[" USES(TWO_READ "," CALLS("e1", "edit", "{\"ms\":20}") "," CALLS(
            "e2", "edit", "{\"ms\":1}") "," TWO_MORE) "," ENDS("So") "]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_int_equal(atomic_load(&most_reading), 2);
    assert_int_equal(atomic_load(&beside_an_edit), 0);
    assert_true(place_of(fixture, "result", "r2") < place_of(fixture, "result", "r1"));
    assert_true(place_of(fixture, "result", "r1") < place_of(fixture, "started", "e1"));
    assert_true(place_of(fixture, "result", "e1") < place_of(fixture, "started", "e2"));
    assert_true(place_of(fixture, "result", "e2") < place_of(fixture, "started", "r3"));
    assert_true(place_of(fixture, "started", "r4") < place_of(fixture, "result", "r3"));
    /* All results in one message, in the order of the calls, though they came otherwise. */
    assert_int_equal(json_array_size(sent(fixture, 1)), 3);
    content = json_object_get(json_array_get(sent(fixture, 1), 2), "content");
    assert_int_equal(json_array_size(content), 6);
    assert_string_equal(json_get_string(json_array_get(content, 0), "tool_use_id"), "r1");
    assert_string_equal(json_get_string(json_array_get(content, 5), "tool_use_id"), "r4");
    expect_text(event_of(fixture, "result", "e1"), "done by chat:Anna in ");
    expect_text(event_of(fixture, "result", "e1"), fixture->thread->session_id);
    assert_in_range(
        json_integer_value(json_object_get(event_of(fixture, "result", "r1"), "milliseconds")), 25,
        5000);
}

static void test_too_many(void **state)
{
    struct run_fixture *fixture = *state;
    struct buf BUF_AUTO script = {0};
    char last[16];

    buf_adds(&script, "[{\"stop\":\"tool_use\",\"content\":[");
    for (unsigned i = 0; i < RUN_CALLS_MAX + 2; i++)
        buf_addf(&script,
                 "%s{\"type\":\"tool_use\",\"id\":\"c%u\",\"name\":\"read\",\"input\":{\"ms\":1}}",
                 i > 0 ? "," : "", i);
    buf_adds(&script, "]}," ENDS("So") "]");
    ask(fixture, "q1", "All", script.data);
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_int_equal(count_events(fixture, "started"), RUN_CALLS_MAX);
    assert_int_equal(count_events(fixture, "result"), RUN_CALLS_MAX + 2);
    assert_string_equal(json_get_string(event_at(fixture, "limit", 0), "name"), "calls");
    snprintf(last, sizeof last, "c%u", RUN_CALLS_MAX + 1);
    assert_true(json_is_true(json_object_get(result_sent(fixture, 1, last), "is_error")));
    expect_replayable(fixture);
}

static void test_broken_arguments(void **state)
{
    struct run_fixture *fixture = *state;

    ask(fixture, "q1", "All",
        "[" USES("{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"edit\",\"raw\":\"{\\\"ms\\\": "
                 "1\"}," CALLS("c2", "read", "{\"ms\":1}")) "," ENDS("So") "]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_int_equal(count_events(fixture, "started"), 1);
    assert_true(json_is_true(json_object_get(result_sent(fixture, 1, "c1"), "is_error")));
    assert_non_null(strstr(result_text(fixture, 1, "c1"), "not a complete JSON object"));
    assert_null(json_object_get(result_sent(fixture, 1, "c2"), "is_error"));
}

/* ---- what goes back ---- */

static void test_hostile_output(void **state)
{
    struct run_fixture *fixture = *state;
    const char *text;
    size_t len;

    ask(fixture, "q1", "All",
        "[" USES(CODE("c1", "hostile") "," CODE("c2", "flood") "," CODE("c3", "overflow") "," CODE(
            "c4", "")) "," ENDS("So") "]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    text = result_text(fixture, 1, "c1");
    assert_memory_equal(text,
                        "a\xef\xbf\xbd"
                        "b\xef\xbf\xbd",
                        8);
    assert_in_range(strlen(text), RUN_CALL_TEXT_MAX - 3, RUN_CALL_TEXT_MAX + 200);
    assert_non_null(strstr(text, "[Cut here"));
    text = result_text(fixture, 1, "c2");
    len = (size_t)(strstr(text, "\n[Cut here") - text);
    assert_int_equal(len, RUN_CALL_TEXT_MAX); /* a multiple of four: no character is cut */
    assert_true(json_is_true(json_object_get(result_sent(fixture, 1, "c3"), "is_error")));
    assert_non_null(strstr(result_text(fixture, 1, "c3"), "larger than its cap"));
    assert_string_equal(result_text(fixture, 1, "c4"), "(no output)");
    expect_replayable(fixture);
}

static void test_images(void **state)
{
    struct run_fixture *fixture = *state;
    json_t *content, *image;

    ask(fixture, "q1", "Plot", "[" USES(CODE("c1", "plots")) "," ENDS("So") "]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    content = json_object_get(result_sent(fixture, 1, "c1"), "content");
    assert_int_equal(json_array_size(content), 2); /* those that a model reads, small ones */
    image = json_object_get(json_array_get(content, 1), "source");
    assert_string_equal(json_get_string(image, "media_type"), "image/png");
    assert_string_equal(json_get_string(image, "data"), "AAAA");
    assert_non_null(strstr(result_text(fixture, 1, "c1"), "2 pictures are shown to the editor"));
    assert_int_equal(
        json_integer_value(json_object_get(event_of(fixture, "result", "c1"), "images")), 3);
}

static void test_progress(void **state)
{
    struct run_fixture *fixture = *state;

    ask(fixture, "q1", "Long",
        "[" USES(CALLS("c1", "read", "{\"ms\":700}") "," CALLS("c2", "edit",
                                                               "{\"ms\":300}")) "," ENDS("So") "]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_in_range(count_events(fixture, "printed"), 1, 3);
    assert_int_equal(count_events(fixture, "stands"), count_events(fixture, "printed"));
    assert_string_equal(text_of(event_at(fixture, "stands", 0)), "half way");
    assert_string_equal(text_of(event_at(fixture, "printed", 0)),
                        "so far \xf0\x9f\xa6\x8a \xef\xbf\xbd");
    assert_true(place_of(fixture, "printed", "c1") < place_of(fixture, "result", "c1"));
}

/* ---- repairs ---- */

static int64_t repair_of(struct run_fixture *fixture, const char *id)
{
    return json_integer_value(json_object_get(event_of(fixture, "result", id), "repair"));
}

static void test_repaired(void **state)
{
    struct run_fixture *fixture = *state;

    ask(fixture, "q1", "Run",
        "[" USES(CODE("c1", "fails(1)")) "," USES(CODE("c2", "busy")) "," USES(CODE(
            "c3", "fails(2)")) "," USES(CODE("c4",
                                             "5")) "," USES(CODE("c5",
                                                                 "fails(3)")) "," ENDS("So") "]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_int_equal(repair_of(fixture, "c1"), 0);
    assert_non_null(strstr(result_text(fixture, 1, "c1"), "Attempt 2 of 3 is next"));
    assert_null(strstr(result_text(fixture, 2, "c2"), "Attempt")); /* no fault of the code */
    assert_int_equal(repair_of(fixture, "c3"), 1);
    assert_non_null(strstr(result_text(fixture, 3, "c3"), "Attempt 3 of 3 is next"));
    assert_non_null(strstr(result_text(fixture, 3, "c3"), "another approach"));
    assert_int_equal(repair_of(fixture, "c4"), 2);
    assert_string_equal(result_text(fixture, 4, "c4"), "5");
    assert_int_equal(repair_of(fixture, "c5"), 0);
    assert_non_null(strstr(result_text(fixture, 5, "c5"), "Attempt 2 of 3 is next"));
    assert_int_equal(count_events(fixture, "limit"), 0);
}

/* Three attempts in all; then the model has no more tools, and the question has failed. */
static void test_not_repaired(void **state)
{
    struct run_fixture *fixture = *state;
    const json_t *choice;

    ask(fixture, "q1", "Run",
        "[" USES(CODE("c1", "fails(1)")) "," USES(CODE("c2", "fails(2)")) "," USES(
            CODE("c3", "fails(3)")) "," ENDS("I could not") "]");
    expect_outcome(fixture, RUN_FAILED);
    assert_int_equal(request_count(fixture), 4);
    assert_int_equal(repair_of(fixture, "c3"), 2);
    assert_non_null(strstr(result_text(fixture, 3, "c3"), "Attempt 3 of 3 was the last"));
    assert_string_equal(json_get_string(event_at(fixture, "limit", 0), "name"), "attempts");
    for (size_t i = 0; i < 4; i++) {
        choice = json_object_get(json_array_get(fixture->model->requests, i), "tool_choice");
        assert_true((choice && strcmp(json_get_string(choice, "type"), "none") == 0) == (i == 3));
    }
    load_thread(fixture);
    assert_string_equal(json_get_string(newest_note(fixture), "kind"), "error");
    expect_text(newest_note(fixture), "every attempt at code");
}

/* A call that is not made, because too many had failed, is no attempt. */
static void test_not_repaired_for_want_of_tools(void **state)
{
    struct run_fixture *fixture = *state;

    ask(fixture, "q1", "Run",
        "[" USES(CODE("c1", "fails(1)")) "," USES(CODE("c2", "fails(2)")) "," USES(
            CODE("c3", "fails(3)")) "," USES(CODE("c4", "fails(4)")) "]");
    expect_outcome(fixture, RUN_FAILED);
    assert_int_equal(repair_of(fixture, "c3"), 2);
    assert_int_equal(repair_of(fixture, "c4"), 0);
    assert_true(json_is_true(json_object_get(event_of(fixture, "result", "c4"), "is_error")));
    expect_replayable(fixture);
    assert_string_equal(json_get_string(newest_note(fixture), "kind"), "error");
}

/* The same program again does not run, however it is laid out, until the question has edited. */
static void test_same_program(void **state)
{
    struct run_fixture *fixture = *state;

    ask(fixture, "q1", "Run",
        "[" USES(CODE("c1", "fails(1)")) "," USES(CODE("c2", "fails( 1 ) # again")) "," USES(
            CALLS("c3", "edit", "{\"ms\":1}")) "," USES(CODE("c4", "fails(1)")) "," ENDS("No") "]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_true(fixture->partial);
    assert_int_equal(ran, 2);
    assert_non_null(strstr(result_text(fixture, 2, "c2"), "Not run"));
    assert_non_null(strstr(result_text(fixture, 2, "c2"), "NameError: name 'x' is not defined"));
    assert_non_null(strstr(result_text(fixture, 2, "c2"), "Attempt 3 of 3 is next"));
    assert_null(strstr(result_text(fixture, 4, "c4"), "Not run"));
    assert_non_null(strstr(result_text(fixture, 4, "c4"), "was the last"));
}

/* Side by side they are one attempt, and each that failed is known. */
static void test_programs_of_a_turn(void **state)
{
    struct run_fixture *fixture = *state;

    ask(fixture, "q1", "Run",
        "[" USES(CODE("c1", "fails(1)") "," CODE("c2", "fails(2)") "," CODE("c3", "5")) "," USES(
            CODE("c4", "fails(2)")) "," ENDS("So") "]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_false(fixture->partial);
    assert_int_equal(ran, 3);
    assert_int_equal(repair_of(fixture, "c4"), 1);
    assert_non_null(strstr(result_text(fixture, 2, "c4"), "Attempt 3 of 3 is next"));
}

/* After the last attempt, with something that was computed before. */
static void test_partial(void **state)
{
    struct run_fixture *fixture = *state;

    fixture->chat->server.analyses.attempts = 1;
    ask(fixture, "q1", "Run",
        "[" USES(CODE("c1", "5")) "," USES(CODE("c2", "fails(2)")) "," ENDS(
            "Partial answer: 5") "]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_true(fixture->partial);
    assert_int_equal(request_count(fixture), 3);
    assert_non_null(strstr(result_text(fixture, 2, "c2"), "open points"));
    assert_string_equal(json_get_string(event_at(fixture, "limit", 0), "name"), "attempts");
    assert_string_equal(json_get_string(event_at(fixture, "limit", 1), "name"), "partial");
    load_thread(fixture);
    assert_string_equal(json_get_string(newest_note(fixture), "kind"), "partial");
    expect_text(newest_note(fixture), "- attempt 1: NameError");
}

/* How a question ends whose code failed: by what else was tried, and when. */
static void test_ends_of_failing_code(void **state)
{
#define FAILS USES(CODE("c1", "fails"))
#define READS USES(CALLS("c2", "read", "{\"ms\":1}"))
#define WORKS USES(CODE("c3", "5"))
#define EDITS USES(CALLS("c4", "edit", "{\"ms\":1}"))
    static const struct {
        const char *plays;
        enum run_outcome outcome;
        bool partial;
    } cases[] = {
        {"[" FAILS "," ENDS("As the lesson says") "]", RUN_SUCCEEDED, false},
        {"[" USES(CODE("c5", "busy")) "," ENDS("Later") "]", RUN_SUCCEEDED, false},
        {"[" READS "," FAILS "," ENDS("From the tool") "]", RUN_SUCCEEDED, false},
        {"[" FAILS "," READS "," ENDS("From the tool") "]", RUN_SUCCEEDED, false},
        {"[" FAILS "," FAILS "," ENDS("From the page") "]", RUN_SUCCEEDED, false},
        {"[" FAILS "," FAILS "," FAILS "," ENDS("No") "]", RUN_FAILED, false},
        {"[" FAILS "," READS "," FAILS "," FAILS "," ENDS("No") "]", RUN_FAILED, false},
        {"[" WORKS "," FAILS "," FAILS "," FAILS "," ENDS("From the first") "]", RUN_SUCCEEDED,
         true},
        {"[" EDITS "," FAILS "," FAILS "," FAILS "," ENDS("Changed") "]", RUN_SUCCEEDED, true},
        {"[" READS ",{\"content\":[]}]", RUN_FAILED, false},
        {"[" WORKS "," FAILS "," ENDS("From the first") "]", RUN_SUCCEEDED, false},
        {"[" FAILS "," WORKS "," ENDS("5") "]", RUN_SUCCEEDED, false},
        {"[" EDITS "," FAILS "," ENDS("Changed") "]", RUN_SUCCEEDED, false},
        {"[" ENDS("Words") "]", RUN_SUCCEEDED, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run_fixture *fixture = *state;

        ask(fixture, "q1", "Run", cases[i].plays);
        expect_outcome(fixture, cases[i].outcome);
        assert_int_equal(fixture->partial, cases[i].partial);
        run_fixture_close(state);
        setup(state);
    }
}

/* ---- stopping ---- */

static void test_stopped(void **state)
{
    struct run_fixture *fixture = *state;
    json_t *results;

    fixture->cancels = true;
    fixture->cancel_on = RUN_CALL_PRINTED;
    ask(fixture, "q1", "Long",
        "[" USES(CALLS("c1", "read", "{\"ms\":60000}") "," CALLS(
            "c2", "read", "{\"ms\":1}") "," CALLS("c3", "edit", "{\"ms\":1}")) "]");
    fixture->cancels = false;
    expect_outcome(fixture, RUN_CANCELLED);
    assert_int_equal(atomic_load(&cancelled), 1);
    assert_int_equal(count_events(fixture, "started"), 2);
    assert_int_equal(count_events(fixture, "result"), 3);
    expect_replayable(fixture);
    results = json_object_get(
        json_object_get(json_array_get(fixture->thread->messages, 2), "shown"), "results");
    assert_false(json_is_true(json_object_get(json_array_get(results, 1), "is_error")));
    assert_string_equal(json_get_string(json_array_get(results, 0), "category"), "cancelled");
    expect_text(json_array_get(results, 2), "the editor stopped");
    /* At the start of a call, and in its result. */
    fixture->cancels = true;
    fixture->cancel_on = RUN_CALL_STARTED;
    ask(fixture, "q2", "Long", "[" USES(CALLS("c4", "edit", "{\"ms\":60000}")) "]");
    expect_outcome(fixture, RUN_CANCELLED);
    fixture->cancel_on = RUN_CALL_RESULT;
    ask(fixture, "q3", "Long",
        "[" USES(CALLS("c5", "read", "{\"ms\":1}") "," CALLS("c6", "read", "{\"ms\":60000}")) "]");
    expect_outcome(fixture, RUN_CANCELLED);
    fixture->cancels = false;
    expect_replayable(fixture);
}

#define test(name) cmocka_unit_test_setup_teardown(test_##name, setup, run_fixture_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(order),
        test(too_many),
        test(broken_arguments),
        test(hostile_output),
        test(images),
        test(progress),
        test(repaired),
        test(not_repaired),
        test(not_repaired_for_want_of_tools),
        test(same_program),
        test(programs_of_a_turn),
        test(partial),
        test(ends_of_failing_code),
        test(stopped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
