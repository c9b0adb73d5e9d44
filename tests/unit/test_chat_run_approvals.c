/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Approvals in a run, over the real tools that edit: nothing is done before the answer, an answer
 * is good once, and what is done is what was shown.
 */
#include "mcp/store/entities/component.h"
#include "tests/unit/run_fixture.h"

#include "mcp/store/store.h"

#define SAYS(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define CALLS(id, name, input)                                                                     \
    "{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"" name "\",\"input\":" input "}"
#define USES(content) "{\"content\":[" content "],\"stop\":\"tool_use\"}"
#define ENDS(text)    "{\"content\":[" SAYS(text) "]}"
#define DELETES(id, node, order)                                                                   \
    CALLS(id, "delete_component",                                                                  \
          "{\"node_id\":\"" node "\",\"component_order\":" order ",\"confirm\":true}")
#define EDITS(id, text)                                                                            \
    CALLS(id, "edit_component",                                                                    \
          "{\"node_id\":\"N1\",\"component_order\":2,\"new_parameters\":{\"text\":\"" text "\"}}")
#define ADDS(id, text)                                                                             \
    CALLS(id, "add_component",                                                                     \
          "{\"node_id\":\"N1\",\"component_type\":\"paragraph\",\"parameters\":{\"text\":\"" text  \
          "\"}}")

static json_t *interrupt_at(struct run_fixture *fixture, size_t i)
{
    return json_array_get(fixture->interrupts, i);
}

static json_t *metadata_at(struct run_fixture *fixture, size_t i)
{
    return json_object_get(interrupt_at(fixture, i), "metadata");
}

static void expect_interrupted(struct run_fixture *fixture, size_t count)
{
    expect_outcome(fixture, RUN_INTERRUPTED);
    assert_int_equal(json_array_size(fixture->interrupts), count);
    assert_int_equal(count_events(fixture, "started"), 0);
    assert_int_equal(count_events(fixture, "result"), 0);
    load_thread(fixture); /* it is the store that has them */
    assert_true(json_equal(fixture->thread->interrupts, fixture->interrupts));
}

static void test_given(void **state)
{
    struct run_fixture *fixture = *state;
    const char *message;
    json_t *change;

    /* Nothing of the turn is done, what reads neither. */
    ask(fixture, "q1", "Delete it",
        "[" USES(SAYS("Sure") "," CALLS("c1", "history", "{}") "," DELETES("c2", "N1", "2")) "]");
    expect_interrupted(fixture, 1);
    assert_int_equal(component_count(fixture, "N1"), 3);
    message = json_get_string(interrupt_at(fixture, 0), "message");
    if (!strstr(message, "component 2 (paragraph) is deleted, in N1 \"Halves\"; 2 remain there"))
        fail_msg("%s", message);
    assert_string_equal(json_get_string(interrupt_at(fixture, 0), "toolCallId"), "c2");
    assert_int_equal(json_integer_value(json_object_get(metadata_at(fixture, 0), "attempt")), 1);
    change = json_array_get(json_object_get(metadata_at(fixture, 0), "changes"), 0);
    assert_string_equal(json_get_string(change, "before"), "Two halves make one.");
    assert_true(json_is_null(json_object_get(change, "after")));

    answer(fixture, true, NULL, "[" ENDS("Done") "]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_int_equal(component_count(fixture, "N1"), 2);
    assert_int_equal(count_events(fixture, "started"), 2);
    assert_non_null(strstr(result_text(fixture, 0, "c2"), "Deleted component 2"));
    assert_int_equal(
        json_array_size(json_object_get(json_array_get(sent(fixture, 0), 2), "content")), 2);
    expect_replayable(fixture);
    assert_int_equal(json_array_size(fixture->thread->interrupts), 0);
}

static void test_declined(void **state)
{
    struct run_fixture *fixture = *state;

    ask(fixture, "q1", "Delete both",
        "[" USES(DELETES("c1", "N1", "1") "," DELETES("c2", "N1", "2")) "]");
    expect_interrupted(fixture, 2);
    answer(fixture, false, "Keep \xe2\x80\x9cthem\xe2\x80\x9d",
           "[" USES(DELETES("c3", "N1", "3")) "]");
    expect_outcome(fixture, RUN_INTERRUPTED);
    assert_int_equal(component_count(fixture, "N1"), 3);
    assert_true(json_is_true(json_object_get(result_sent(fixture, 0, "c2"), "is_error")));
    assert_string_equal(result_text(fixture, 0, "c2"),
                        "The editor declined this: Keep \xe2\x80\x9cthem\xe2\x80\x9d");
    assert_string_equal(json_get_string(event_of(fixture, "result", "c2"), "category"), "declined");
    /* The second turn that asks for it, and nothing was done. */
    assert_int_equal(json_integer_value(json_object_get(metadata_at(fixture, 0), "attempt")), 2);
    assert_non_null(strstr(json_get_string(interrupt_at(fixture, 0), "message"), "attempt 2"));
    answer(fixture, true, NULL, "[" USES(DELETES("c4", "N1", "1")) "]");
    assert_int_equal(component_count(fixture, "N1"), 2);
    assert_int_equal(json_integer_value(json_object_get(metadata_at(fixture, 0), "attempt")), 1);
}

/* One is approved, the other not; what is behind them runs too, in order. */
static void test_each_by_itself(void **state)
{
    struct run_fixture *fixture = *state;
    struct run_answer answers[3];
    struct run_request request;
    json_auto_t *held = NULL, *components = NULL;
    struct error err = {0};

    ask(fixture, "q1", "Both",
        "[" USES(DELETES("c1", "N1", "1") "," DELETES("c2", "N2", "1") "," EDITS("c3", "New")) "]");
    expect_interrupted(fixture, 3);
    held = json_incref(fixture->interrupts);
    for (size_t i = 0; i < 3; i++)
        answers[i] =
            (struct run_answer){json_get_string(json_array_get(held, i), "id"), i > 0, NULL};
    request = question(fixture, NULL);
    request.answers = answers;
    /* Every open one, each once, and none that is not. */
    request.answer_count = 1;
    assert_null(
        run_start(&fixture->chat->server, fixture->model, &request, &fixture->listener, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    answers[0].interrupt_id = answers[1].interrupt_id;
    request.answer_count = 3;
    assert_null(
        run_start(&fixture->chat->server, fixture->model, &request, &fixture->listener, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    answers[0].interrupt_id = "made-up";
    assert_null(
        run_start(&fixture->chat->server, fixture->model, &request, &fixture->listener, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_int_equal(json_array_size(fixture->thread->interrupts), 3);
    assert_false(fixture->thread->in_use);

    answers[0].interrupt_id = json_get_string(json_array_get(held, 0), "id");
    fake_model_set(fixture->model, parse("[" ENDS("Done") "]"));
    begin(fixture, &request);
    finish(fixture);
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_int_equal(component_count(fixture, "N1"), 3);
    assert_int_equal(component_count(fixture, "N2"), 0);
    components = components_of(fixture, "N1");
    assert_string_equal(
        json_get_string(json_object_get(json_array_get(components, 1), "parameters"), "text"),
        "New");
    expect_replayable(fixture);
    /* And once alone. */
    request.thread = fixture->thread;
    assert_null(
        run_start(&fixture->chat->server, fixture->model, &request, &fixture->listener, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
}

/* The answer is used up in the store before anything is done. */
static void test_used_up_first(void **state)
{
    struct run_fixture *fixture = *state;

    ask(fixture, "q1", "Delete", "[" USES(DELETES("c1", "N1", "1")) "]");
    expect_interrupted(fixture, 1);
    fixture->cancels = true;
    fixture->cancel_on = RUN_BEGAN;
    answer(fixture, true, NULL, "[]");
    expect_outcome(fixture, RUN_CANCELLED);
    fixture->cancels = false;
    assert_int_equal(component_count(fixture, "N1"), 3);
    expect_replayable(fixture);
    assert_int_equal(json_array_size(fixture->thread->interrupts), 0);
    ask(fixture, "q2", "Again", "[" USES(DELETES("c2", "N1", "1")) "]");
    expect_interrupted(fixture, 1);
    fixture->cancels = true;
    fixture->cancel_on = RUN_CALL_STARTED;
    answer(fixture, true, NULL, "[]");
    fixture->cancels = false;
    expect_outcome(fixture, RUN_CANCELLED);
    assert_int_equal(component_count(fixture, "N1"), 3);
    expect_replayable(fixture);
    assert_int_equal(json_array_size(fixture->thread->interrupts), 0);
}

static void test_question_instead(void **state)
{
    struct run_fixture *fixture = *state;
    json_t *content;

    ask(fixture, "q1", "Delete",
        "[" USES(CALLS("c0", "history", "{}") "," DELETES("c1", "N1", "1")) "]");
    expect_interrupted(fixture, 1);
    ask(fixture, "q2", "No, wait", "[" ENDS("Yes?") "]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_int_equal(component_count(fixture, "N1"), 3);
    assert_int_equal(json_array_size(sent(fixture, 0)), 3);
    content = json_object_get(json_array_get(sent(fixture, 0), 2), "content");
    assert_int_equal(json_array_size(content), 3);
    assert_string_equal(json_get_string(json_array_get(content, 0), "tool_use_id"), "c0");
    assert_string_equal(json_get_string(json_array_get(content, 1), "tool_use_id"), "c1");
    expect_text(json_array_get(content, 2), "No, wait");
    assert_int_equal(count_events(fixture, "result"), 2);
    expect_replayable(fixture);
    assert_int_equal(json_array_size(fixture->thread->interrupts), 0);
}

/* What is approved is what was shown: somebody else's edit in between is seen. */
static void test_changed_meanwhile(void **state)
{
    struct run_fixture *fixture = *state;
    struct fixture *session = &fixture->chat->session;
    const struct component_ref first = {.node_id = "N1", .order = 1};
    struct component_state gone;

    ask(fixture, "q1", "Delete", "[" USES(DELETES("c1", "N1", "1")) "]");
    expect_interrupted(fixture, 1);
    must(session, store_component_delete(session->store, &test_writer, session->sid, &first, 0,
                                         &gone, &session->err));
    answer(fixture, true, NULL, "[" ENDS("Oh") "]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_int_equal(component_count(fixture, "N1"), 2);
    assert_non_null(strstr(result_text(fixture, 0, "c1"), "not the same any more"));
    /* An edit of another node is none of its business. */
    ask(fixture, "q2", "Delete", "[" USES(DELETES("c2", "N1", "1")) "]");
    must(session, store_component_delete(session->store, &test_writer, session->sid,
                                         &(struct component_ref){.node_id = "N2", .order = 1}, 0,
                                         &gone, &session->err));
    load_thread(fixture);
    answer(fixture, true, NULL, "[" ENDS("Done") "]");
    assert_int_equal(component_count(fixture, "N1"), 1);
}

static bool edited;

/* Somebody else is quicker, by a moment: as the run says that the call begins. */
static void edit_first(struct run_listener *listener, const struct run_event *event)
{
    struct run_fixture *fixture =
        (struct run_fixture *)((char *)listener - offsetof(struct run_fixture, listener));
    struct fixture *session = &fixture->chat->session;
    const struct component_ref first = {.node_id = "N1", .order = 1};
    struct component_state gone;

    if (event->kind == RUN_CALL_STARTED && !edited) {
        edited = true;
        must(session, store_component_delete(session->store, &test_writer, session->sid, &first, 0,
                                             &gone, &session->err));
    }
    on_event(listener, event);
}

static void test_changed_at_the_last_moment(void **state)
{
    struct run_fixture *fixture = *state;

    ask(fixture, "q1", "Delete", "[" USES(DELETES("c1", "N1", "1")) "]");
    expect_interrupted(fixture, 1);
    edited = false;
    fixture->listener.on_event = edit_first;
    answer(fixture, true, NULL, "[" ENDS("Oh") "]");
    fixture->listener.on_event = on_event;
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_true(edited);
    assert_int_equal(component_count(fixture, "N1"), 2);
    assert_non_null(strstr(result_text(fixture, 0, "c1"), "not the same any more"));
    assert_true(json_is_true(json_object_get(result_sent(fixture, 0, "c1"), "is_error")));
    expect_replayable(fixture);
}

/* The first moves what the second is about: the second would lose what nobody was shown. */
static void test_one_moves_the_other(void **state)
{
    struct run_fixture *fixture = *state;
    json_auto_t *components = NULL;

    ask(fixture, "q1", "Both", "[" USES(DELETES("c1", "N1", "1") "," DELETES("c2", "N1", "2")) "]");
    expect_interrupted(fixture, 2);
    answer(fixture, true, NULL, "[" ENDS("Oh") "]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_null(json_object_get(result_sent(fixture, 0, "c1"), "is_error"));
    assert_non_null(strstr(result_text(fixture, 0, "c2"), "not the same any more"));
    components = components_of(fixture, "N1");
    assert_int_equal(json_array_size(components), 2);
    assert_string_equal(json_get_string(json_array_get(components, 0), "type"), "paragraph");
    assert_string_equal(json_get_string(json_array_get(components, 1), "type"), "definition");
    expect_replayable(fixture);
}

/* What would fail is not asked about: the model hears why. */
static void test_bad_call(void **state)
{
    struct run_fixture *fixture = *state;

    ask(fixture, "q1", "Delete",
        "[" USES(DELETES("c1", "N9", "1") "," DELETES("c2", "N1", "7")) "," ENDS("Hm") "]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_true(json_is_true(json_object_get(result_sent(fixture, 1, "c1"), "is_error")));
    assert_non_null(strstr(result_text(fixture, 1, "c1"), "N9"));
    assert_true(json_is_true(json_object_get(result_sent(fixture, 1, "c2"), "is_error")));
    assert_int_equal(component_count(fixture, "N1"), 3);
    /* Beside one that is asked about, it is answered with it. */
    ask(fixture, "q2", "Delete",
        "[" USES(DELETES("c3", "N9", "1") "," DELETES("c4", "N1", "1")) "]");
    expect_interrupted(fixture, 1);
    answer(fixture, true, NULL, "[" ENDS("Done") "]");
    assert_true(json_is_true(json_object_get(result_sent(fixture, 0, "c3"), "is_error")));
    assert_int_equal(component_count(fixture, "N1"), 2);
    expect_replayable(fixture);
}

static const json_t *before_of(struct run_fixture *fixture)
{
    return json_object_get(json_array_get(json_object_get(metadata_at(fixture, 0), "changes"), 0),
                           "before");
}

/* What replaces asks as what deletes does; what only adds where every edit is to be asked about. */
static void test_every(void **state)
{
    struct run_fixture *fixture = *state;

    ask(fixture, "q1", "Edit", "[" USES(EDITS("c1", "Changed")) "]");
    expect_interrupted(fixture, 1);
    assert_string_equal(json_string_value(before_of(fixture)), "Two halves make one.");
    answer(fixture, true, NULL, "[" ENDS("Done") "]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_null(json_object_get(result_sent(fixture, 0, "c1"), "is_error"));
    ask(fixture, "q2", "Add", "[" USES(ADDS("c2", "More")) "," ENDS("Done") "]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_int_equal(component_count(fixture, "N1"), 4);
    ask_as(fixture, "q3", "Add", "[" USES(ADDS("c3", "Anew")) "]", APPROVALS_EVERY);
    expect_interrupted(fixture, 1);
    assert_true(json_is_null(before_of(fixture)));
    answer(fixture, true, NULL, "[" ENDS("Done") "]");
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_null(json_object_get(result_sent(fixture, 0, "c3"), "is_error"));
    assert_int_equal(component_count(fixture, "N1"), 5);
}

static void test_none_asked(void **state)
{
    struct run_fixture *fixture = *state;

    ask_as(fixture, "q1", "Do it",
           "[" USES(DELETES("c1", "N1", "1") "," EDITS("c2", "Changed")) "," ENDS("Half") "]",
           APPROVALS_NONE_ASKED);
    expect_outcome(fixture, RUN_SUCCEEDED);
    assert_int_equal(component_count(fixture, "N1"), 3);
    assert_non_null(strstr(result_text(fixture, 1, "c1"), "chat page"));
    assert_null(json_object_get(result_sent(fixture, 1, "c2"), "is_error"));
}

#define RENAMES(title) "{\"op\":\"rename_node\",\"node_id\":\"N2\",\"title\":\"" title "\"}"
#define FAILS(id)                                                                                  \
    CALLS(id, "edit_component",                                                                    \
          "{\"node_id\":\"N9\",\"component_order\":1,\"new_parameters\":{\"text\":\"x\"}}")
#define CHANGES(id, operations) CALLS(id, "change_curriculum", "{\"operations\":[" operations "]}")

static bool was_refused(struct run_fixture *fixture, const char *id)
{
    const json_t *result = event_of(fixture, "result", id);

    return json_is_true(json_object_get(result, "is_error")) &&
           strstr(text_of(result), "at most 3 components or titles");
}

/* Where nobody can be asked, a question replaces three things, however they are put into calls. */
static void test_none_asked_for_many_replacements(void **state)
{
    struct run_fixture *fixture = *state;

    ask_as(
        fixture, "q1", "One by one",
        "[" USES(EDITS("c1", "A")) "," USES(EDITS("c2", "B")) "," USES(EDITS("c3", "C")) "," USES(
            EDITS("c4", "D") "," ADDS("c5", "More")) "," USES(EDITS("c6", "E")) "," ENDS("So") "]",
        APPROVALS_NONE_ASKED);
    assert_false(was_refused(fixture, "c3"));
    assert_true(was_refused(fixture, "c4"));
    assert_true(was_refused(fixture, "c6"));
    assert_false(json_is_true(json_object_get(event_of(fixture, "result", "c5"), "is_error")));
    assert_int_equal(count_events(fixture, "limit"), 1); /* the editor is told, once */
    assert_string_equal(json_get_string(event_at(fixture, "limit", 0), "name"), "replacements");
    ask_as(
        fixture, "q2", "All at once",
        "[" USES(CHANGES(
            "d1",
            RENAMES("A") "," RENAMES("B") "," RENAMES("C") "," RENAMES(
                "D"))) "," USES(CHANGES("d2",
                                        RENAMES("A") "," RENAMES(
                                            "B")) "," EDITS("d3",
                                                            "F") "," EDITS("d4",
                                                                           "G")) "," ENDS("So") "]",
        APPROVALS_NONE_ASKED);
    assert_true(was_refused(fixture, "d1"));
    assert_false(was_refused(fixture, "d2"));
    assert_false(was_refused(fixture, "d3"));
    assert_true(was_refused(fixture, "d4"));
    /* What failed has replaced nothing, and what adds does not count. */
    ask_as(fixture, "q3", "Badly",
           "[" USES(FAILS("e1")) "," USES(EDITS("e2", "H") "," EDITS("e3", "I") "," CHANGES(
               "e4", RENAMES("E"))) "," ENDS("So") "]",
           APPROVALS_NONE_ASKED);
    assert_false(was_refused(fixture, "e3"));
    assert_false(was_refused(fixture, "e4"));
}

/* Before, while and after it is looked at what would change, and while that is saved. */
static void test_stopped_at_any_time(void **state)
{
    struct run_fixture *fixture = *state;
    bool ran_through = false;

    for (unsigned turns = 1; !ran_through && turns < 500; turns++) {
        ran_through =
            ask_and_stop(fixture, turns, "Delete", "[" USES(DELETES("c1", "N1", "1")) "]");
        expect_outcome(fixture, ran_through ? RUN_INTERRUPTED : RUN_CANCELLED);
        assert_int_equal(component_count(fixture, "N1"), 3);
        if (!ran_through)
            expect_replayable(fixture);
        assert_int_equal(json_array_size(fixture->thread->interrupts), ran_through ? 1 : 0);
    }
    assert_true(ran_through);
}

#define test(name) cmocka_unit_test_setup_teardown(test_##name, run_fixture_open, run_fixture_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(given),
        test(declined),
        test(each_by_itself),
        test(used_up_first),
        test(question_instead),
        test(changed_meanwhile),
        test(changed_at_the_last_moment),
        test(one_moves_the_other),
        test(bad_call),
        test(every),
        test(none_asked),
        test(none_asked_for_many_replacements),
        test(stopped_at_any_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
