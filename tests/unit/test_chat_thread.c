/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads of the chat: kept and read again by way of the work queues, their caps, and histories put
 * right for the model whatever a stop has left behind.
 */
#include "mcp/store/entities/session.h"
#include "tests/unit/chat_fixture.h"

#include "mcp/chat/thread.h"
#include "mcp/store/store.h"

struct answer {
    bool done;
    struct thread *thread;
    struct error err;
};

static void on_loaded(void *user, struct thread *thread, const struct error *err)
{
    struct answer *answer = user;

    answer->thread = thread;
    if (err)
        answer->err = *err;
    answer->done = true;
}

static void on_saved(void *user, const struct error *err)
{
    struct answer *answer = user;

    if (err)
        answer->err = *err;
    answer->done = true;
}

static struct thread *load(struct chat_fixture *fixture, const char *sid, const char *id,
                           struct answer *answer)
{
    *answer = (struct answer){0};
    must(&fixture->session,
         thread_load(&fixture->server.store, sid, id, on_loaded, answer, &fixture->session.err));
    chat_run_until(fixture, &answer->done);
    return answer->thread;
}

static void save(struct chat_fixture *fixture, struct thread *thread, struct answer *answer)
{
    *answer = (struct answer){0};
    must(&fixture->session,
         thread_save(&fixture->server.store, thread, on_saved, answer, &fixture->session.err));
    chat_run_until(fixture, &answer->done);
}

static void add(struct thread *thread, const char *message)
{
    struct error err = {0};

    if (thread_add(thread, parse(message), &err) != 0)
        fail_msg("%s", err.text);
}

static void test_kept_and_read_again(void **state)
{
    struct chat_fixture *fixture = *state;
    struct answer answer;
    struct thread *thread = load(fixture, fixture->session.sid, "t", &answer), *again;
    char title[THREAD_TITLE_MAX + 1];

    assert_non_null(thread);
    thread_title(thread, title);
    assert_string_equal(title, "");
    add(thread, "{\"id\":\"1\",\"role\":\"user\",\"content\":\"Which  nodes\\nare alone?\"}");
    save(fixture, thread, &answer);
    assert_int_equal(answer.err.kind, ERROR_NONE);
    assert_int_equal(thread->saved, 1);
    add(thread,
        "{\"id\":\"2\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"Two\"}]}");
    thread_set_interrupts(thread, parse("[{\"id\":\"i1\",\"reason\":\"r\"}]"));
    save(fixture, thread, &answer);
    assert_int_equal(thread->saved, 2);
    again = load(fixture, fixture->session.sid, "t", &answer);
    assert_non_null(again);
    assert_true(same_json(thread->messages, again->messages));
    assert_true(same_json(thread->interrupts, again->interrupts));
    assert_int_equal(again->saved, 2);
    assert_true(thread_has_message(again, "2"));
    assert_false(thread_has_message(again, "3"));
    thread_title(again, title);
    assert_string_equal(title, "Which nodes are alone?");
    /* Another has written in between: this one's words are not put behind those. */
    add(again, "{\"id\":\"3\",\"role\":\"user\",\"content\":\"x\"}");
    add(thread, "{\"id\":\"4\",\"role\":\"user\",\"content\":\"y\"}");
    save(fixture, again, &answer);
    assert_int_equal(answer.err.kind, ERROR_NONE);
    save(fixture, thread, &answer);
    assert_int_equal(answer.err.kind, ERROR_STALE);
    assert_int_equal(thread->saved, 2);
    thread_destroy(thread);
    thread_destroy(again);
}

static void test_loading_what_is_not_there(void **state)
{
    struct chat_fixture *fixture = *state;
    char long_id[THREAD_ID_MAX + 2];
    struct answer answer;
    struct thread *thread;

    memset(long_id, 'x', sizeof long_id - 1);
    long_id[sizeof long_id - 1] = '\0';
    assert_null(load(fixture, "11111111-2222-4333-8444-555555555555", "t", &answer));
    assert_int_equal(answer.err.kind, ERROR_UNAUTHORIZED);
    must_fail(&fixture->session, ERROR_INVALID,
              thread_load(&fixture->server.store, fixture->session.sid, "", on_loaded, &answer,
                          &fixture->session.err));
    must_fail(&fixture->session, ERROR_INVALID,
              thread_load(&fixture->server.store, fixture->session.sid, long_id, on_loaded, &answer,
                          &fixture->session.err));
    long_id[THREAD_ID_MAX] = '\0';
    thread = load(fixture, fixture->session.sid, long_id, &answer);
    assert_non_null(thread);
    assert_int_equal(json_array_size(thread->messages), 0);
    thread_destroy(thread);
}

static void test_same_id_in_another_session(void **state)
{
    struct chat_fixture *fixture = *state;
    char other[SESSION_ID_SIZE];
    struct answer answer;
    struct thread *thread = load(fixture, fixture->session.sid, "t", &answer), *twin;

    must(&fixture->session, store_session_create(fixture->session.store, &test_writer, "Another",
                                                 other, &fixture->session.err));
    add(thread, "{\"id\":\"1\",\"role\":\"user\",\"content\":\"x\"}");
    add(thread,
        "{\"id\":\"3\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"X\"}]}");
    save(fixture, thread, &answer);
    twin = load(fixture, other, "t", &answer);
    assert_non_null(twin);
    assert_int_equal(json_array_size(twin->messages), 0);
    add(twin, "{\"id\":\"3\",\"role\":\"user\",\"content\":\"z\"}");
    save(fixture, twin, &answer);
    thread_destroy(twin);
    thread_destroy(thread);
    thread = load(fixture, fixture->session.sid, "t", &answer);
    assert_non_null(thread);
    assert_int_equal(json_array_size(thread->messages), 2);
    assert_string_equal(json_get_string(json_array_get(thread->messages, 0), "id"), "1");
    thread_destroy(thread);
}

static void test_caps(void **state)
{
    struct chat_fixture *fixture = *state;
    struct answer answer;
    struct thread *thread = load(fixture, fixture->session.sid, "t", &answer);
    struct error err = {0};
    char *long_text = malloc(((size_t)4 << 20) + 1);

    assert_non_null(long_text);
    memset(long_text, 'x', (size_t)4 << 20);
    long_text[(size_t)4 << 20] = '\0';
    for (int i = 0; i < 3; i++)
        assert_int_equal(
            thread_add(thread, json_pack("{s:s, s:s}", "role", "user", "content", long_text), &err),
            0);
    assert_int_equal(
        thread_add(thread, json_pack("{s:s, s:s}", "role", "user", "content", long_text), &err),
        -1);
    assert_int_equal(err.kind, ERROR_TOO_LARGE);
    assert_int_equal(json_array_size(thread->messages), 3);
    free(long_text);
    thread_destroy(thread);
    thread = load(fixture, fixture->session.sid, "u", &answer);
    for (unsigned i = 0; i < THREAD_MESSAGES_MAX; i++)
        add(thread, "{\"role\":\"user\",\"content\":\"x\"}");
    assert_int_equal(thread_add(thread, json_object(), &err), -1);
    assert_int_equal(json_array_size(thread->messages), THREAD_MESSAGES_MAX);
    thread_destroy(thread);
}

/* ---- for the model ---- */

#define TEXT(text) "[{\"type\":\"text\",\"text\":\"" text "\"}]"
#define CALL(id)   "{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"n\",\"input\":{}}"
#define RESULT(id) "{\"type\":\"tool_result\",\"tool_use_id\":\"" id "\",\"content\":\"ok\"}"
#define STOPPED(id)                                                                                \
    "{\"type\":\"tool_result\",\"tool_use_id\":\"" id "\",\"content\":\"*\",\"is_error\":true}"
#define USER(content)      "{\"role\":\"user\",\"content\":" content "}"
#define ASSISTANT(content) "{\"role\":\"assistant\",\"content\":" content "}"
#define NOTE               "{\"role\":\"note\",\"shown\":{\"text\":\"stopped\"}}"
#define NOTED(kind)                                                                                \
    "{\"role\":\"note\",\"content\":[],\"shown\":{\"kind\":\"" kind "\",\"text\":\"x\"}}"
#define AGAIN NOTED(THREAD_AGAIN)
#define TOLD                                                                                       \
    "{\"type\":\"text\",\"text\":\"The answer broke off or failed here, and the editor asks the "  \
    "same "                                                                                        \
    "question again. Answer it again. Edits that were made above still stand: do not make them "   \
    "twice.\"}"

static struct thread made_of(const char *messages)
{
    return (struct thread){.messages = parse(messages)};
}

/* "*" stands for what a stopped call is answered. */
static void hide_words(json_t *history)
{
    json_t *message, *block;
    size_t i, k;

    json_array_foreach(history, i, message)
        json_array_foreach(json_object_get(message, "content"), k,
                           block) if (json_is_true(json_object_get(block, "is_error")))
            json_object_set_new(block, "content", json_string("*"));
}

static const struct {
    const char *kept, *sent;
    size_t skip;
} histories[] = {
    {"[]", "[]", 0},
    {"[" USER("\"a\"") "," ASSISTANT(TEXT("b")) "]", "[" USER("\"a\"") "," ASSISTANT(TEXT("b")) "]",
     0},
    /* Whole: as it was. */
    {"[" USER(TEXT("a")) "," ASSISTANT("[" CALL("1") "," CALL("2") "]") "," USER(
         "[" RESULT("1") "," RESULT("2") "]") "]",
     "[" USER(TEXT("a")) "," ASSISTANT("[" CALL("1") "," CALL("2") "]") "," USER(
         "[" RESULT("1") "," RESULT("2") "]") "]",
     0},
    /* Stopped at the end, in the middle, and with one of two answered. */
    {"[" USER("\"a\"") "," ASSISTANT("[" CALL("1") "]") "]",
     "[" USER("\"a\"") "," ASSISTANT("[" CALL("1") "]") "," USER("[" STOPPED("1") "]") "]", 0},
    {"[" USER("\"a\"") "," ASSISTANT("[" CALL("1") "]") "," NOTE "," USER("\"b\"") "]",
     "[" USER("\"a\"") "," ASSISTANT("[" CALL("1") "]") "," USER("[" STOPPED("1") "]") "," USER(
         "\"b\"") "]",
     0},
    {"[" USER("\"a\"") "," ASSISTANT("[" CALL("1") "," CALL("2") "]") "," USER(
         "[" RESULT("2") "]") "," ASSISTANT(TEXT("c")) "]",
     "[" USER("\"a\"") "," ASSISTANT("[" CALL("1") "," CALL("2") "]") "," USER(
         "[" RESULT("2") "," STOPPED("1") "]") "," ASSISTANT(TEXT("c")) "]",
     0},
    {"[" USER("\"a\"") "," ASSISTANT("[" CALL("1") "]") "," ASSISTANT(TEXT("c")) "]",
     "[" USER("\"a\"") "," ASSISTANT("[" CALL("1") "]") "," USER(
         "[" STOPPED("1") "]") "," ASSISTANT(TEXT("c")) "]",
     0},
    /* A result without its call, or told twice. */
    {"[" USER("\"a\"") "," ASSISTANT("[" CALL("1") "]") "," USER(
         "[" RESULT("1") "," RESULT("1") "," RESULT("9") "]") "," USER("[" RESULT("1") "]") "]",
     "[" USER("\"a\"") "," ASSISTANT("[" CALL("1") "]") "," USER("[" RESULT("1") "]") "]", 0},
    /* What is empty, and what comes before the user. */
    {"[" ASSISTANT(TEXT("hello")) "," USER(
         "[" RESULT("1") "]") "," NOTE
                              "," USER("\"a\"") "," ASSISTANT("[]") "," ASSISTANT(
                                  TEXT("")) "," USER("\"b\"") "," USER("\"\"") "]",
     "[" USER("\"a\"") "," USER("\"b\"") "]", 0},
    /* Two questions where the first was never answered: one message. */
    {"[" USER(TEXT("a")) "," NOTE "," USER(TEXT("b")) "," ASSISTANT(TEXT("c")) "]",
     "[" USER("[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}]") "," ASSISTANT(
         TEXT("c")) "]",
     0},
    /* Results first. */
    {"[" USER("\"a\"") "," ASSISTANT("[" CALL("1") "," CALL("2") "]") "," USER(
         "[" RESULT("1") ",{\"type\":\"text\",\"text\":\"and\"}]") "]",
     "[" USER("\"a\"") "," ASSISTANT("[" CALL("1") "," CALL("2") "]") "," USER(
         "[" RESULT("1") "," STOPPED("2") ",{\"type\":\"text\",\"text\":\"and\"}]") "]",
     0},
    /* A question instead of an answer: it stands behind the declined results. */
    {"[" USER("\"a\"") "," ASSISTANT("[" CALL("1") "]") "," USER(
         "[" RESULT("1") ",{\"type\":\"text\",\"text\":\"b\"}]") "," ASSISTANT(TEXT("d")) "]",
     "[" USER(TEXT("b")) "," ASSISTANT(TEXT("d")) "]", 1},
    /* Without the first question and what belongs to it. */
    {"[" USER("\"a\"") "," ASSISTANT("[" CALL("1") "]") "," USER("[" RESULT("1") "]") "," ASSISTANT(
         TEXT("c")) "," USER("\"b\"") "," ASSISTANT(TEXT("d")) "]",
     "[" USER("\"b\"") "," ASSISTANT(TEXT("d")) "]", 1},
    {"[" USER("\"a\"") "]", "[]", 1},
    /* Asked again: as if for the first time where nothing had been said, else told so. */
    {"[" USER(TEXT("a")) "," NOTE "," AGAIN "," ASSISTANT(TEXT("b")) "]",
     "[" USER(TEXT("a")) "," ASSISTANT(TEXT("b")) "]", 0},
    {"[" USER("\"a\"") "," ASSISTANT(TEXT("b")) "," NOTE "," AGAIN "," NOTE "," AGAIN "]",
     "[" USER("\"a\"") "," ASSISTANT(TEXT("b")) "," USER("[" TOLD "]") "]", 0},
    {"[" USER("\"a\"") "," ASSISTANT("[" CALL("1") "]") "," NOTE "," AGAIN "]",
     "[" USER("\"a\"") "," ASSISTANT("[" CALL("1") "]") "," USER("[" STOPPED("1") "," TOLD "]") "]",
     0},
    {"[" USER("\"a\"") "," ASSISTANT("[" CALL("1") "]") "," USER(
         "[" RESULT("1") ",{\"type\":\"text\",\"text\":\"b\"}]") "," AGAIN "]",
     "[" USER("\"a\"") "," ASSISTANT("[" CALL("1") "]") "," USER(
         "[" RESULT("1") ",{\"type\":\"text\",\"text\":\"b\"}]") "]",
     0},
    {"[" USER(TEXT("a")) "," ASSISTANT(TEXT("b")) "," USER(TEXT("c")) "," NOTE "," AGAIN "]",
     "[" USER(TEXT("c")) "]", 1},
    /* Thinking goes back as it came. */
    {"[" USER("\"a\"") "," ASSISTANT(
         "[{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"s\"}," CALL("1") "]") "]",
     "[" USER("\"a\"") "," ASSISTANT(
         "[{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"s\"}," CALL(
             "1") "]") "," USER("[" STOPPED("1") "]") "]",
     0},
};

/* A note that says so. */
static void leave_out(struct thread *thread, size_t questions)
{
    if (questions > 0)
        json_array_append_new(thread->messages,
                              json_pack("{s:s, s:[], s:{s:s, s:I}}", "role", "note", "content",
                                        "shown", "kind", "context", "skip", (json_int_t)questions));
}

static void test_histories_are_put_right(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof histories / sizeof histories[0]; i++) {
        struct thread thread = made_of(histories[i].kept);
        json_auto_t *wanted = parse(histories[i].sent);
        json_auto_t *untouched = NULL, *sent = NULL;

        leave_out(&thread, histories[i].skip);
        untouched = json_deep_copy(thread.messages);
        sent = thread_for_model(&thread);
        assert_true(same_json(thread.messages, untouched));
        hide_words(sent);
        if (!same_json(sent, wanted)) {
            struct buf text BUF_AUTO = {0};

            json_write(&text, sent);
            fail_msg("%zu: %s", i, text.data);
        }
        json_decref(thread.messages);
    }
}

/* What the service asks of a history: one result for each call, in the next message, and no other;
 * the user first; nothing empty. */
static void check_rules(const json_t *history)
{
    json_auto_t *open = json_array();
    const json_t *message, *block;
    size_t i, k;

    json_array_foreach((json_t *)history, i, message)
    {
        bool user = !strcmp(json_get_string(message, "role"), "user");
        const json_t *content = json_object_get(message, "content");
        json_auto_t *answered = json_object();

        if (i == 0)
            assert_true(user);
        if (json_is_string(content))
            assert_true(json_string_length(content) > 0);
        else
            assert_true(json_array_size(content) > 0);
        json_array_foreach((json_t *)content, k, block)
        {
            const char *id = json_get_string(block, "tool_use_id");

            if (id) {
                assert_true(user);
                assert_null(json_object_get(answered, id));
                json_object_set_new(answered, id, json_true());
            }
        }
        assert_int_equal(json_object_size(answered), json_array_size(open));
        json_array_foreach(open, k, block)
            assert_non_null(json_object_get(answered, json_string_value(block)));
        json_array_clear(open);
        json_array_foreach((json_t *)content, k, block) if (json_object_get(block, "input"))
            json_array_append(open, json_object_get(block, "id"));
    }
    assert_int_equal(json_array_size(open), 0);
}

/* Each cut leaves out more, until one question is left, or none was sent. */
static void check_halving(struct thread *thread)
{
    size_t before = 0, skip;

    for (int i = 0; (skip = thread_shorter(thread)) > 0; i++) {
        json_t *sent;

        assert_true(skip > before && i < 16);
        before = skip;
        leave_out(thread, skip);
        sent = thread_for_model(thread);
        check_rules(sent);
        json_decref(sent);
    }
}

/* Histories cut and torn anywhere. */
static void test_any_history_can_be_replayed(void **state)
{
    static const char *const pieces[] = {
        USER("\"a\""),
        ASSISTANT(TEXT("b")),
        ASSISTANT("[]"),
        ASSISTANT("[" CALL("1") "," CALL("2") "]"),
        ASSISTANT("[{\"type\":\"text\",\"text\":\"\"}," CALL("3") "]"),
        USER("[" RESULT("1") "]"),
        USER("[" RESULT("2") "," RESULT("3") "]"),
        USER("[]"),
        NOTE,
        AGAIN,
        "{\"id\":\"q\",\"role\":\"user\",\"content\":[" RESULT(
            "1") ",{\"type\":\"text\",\"text\":\"q\"}]}",
        "{\"role\":\"note\",\"shown\":{\"kind\":\"refusal\",\"from\":\"q\"}}",
    };
    unsigned chance = 7;

    (void)state;
    for (int round = 0; round < 4000; round++) {
        struct thread thread = {.messages = json_array()};
        json_t *sent;

        for (unsigned n = round % 9; n > 0; n--) {
            chance = chance * 1103515245u + 12345u;
            json_array_append_new(
                thread.messages,
                parse(pieces[chance / 65536u % (sizeof pieces / sizeof pieces[0])]));
        }
        leave_out(&thread, round % 3 == 0 ? 1 : 0);
        sent = thread_for_model(&thread);
        check_rules(sent);
        json_decref(sent);
        check_halving(&thread);
        json_decref(thread.messages);
    }
}

#define ASKED(id) "{\"id\":\"" id "\",\"role\":\"user\",\"content\":\"a\"}"

static void test_what_may_be_asked_again(void **state)
{
    static const struct {
        const char *kept;
        bool open, may;
    } cases[] = {
        {"[]", false, false},
        {"[" ASKED("q") "]", false, true}, /* the server ended before it was answered */
        {"[" ASKED("q") "," NOTED("error") "]", false, true},
        {"[" ASKED("q") "," NOTED("stopped") "," NOTED("usage") "]", false, true},
        {"[" ASKED("q") "," ASSISTANT(TEXT("b")) "]", false, false},
        {"[" ASKED("q") "," ASSISTANT(TEXT("b")) "," NOTED("output") "]", false, false},
        {"[" ASKED("q") "," ASSISTANT(TEXT("b")) "," NOTED("stopped") "]", false, true},
        {"[" ASKED("q") "," ASSISTANT("[" CALL("1") "]") "]", false, true},
        {"[" ASKED("q") "," ASSISTANT("[" CALL("1") "]") "]", true, false},
        {"[" ASKED("q") "," ASSISTANT("[" CALL("1") "]") "," USER("[" RESULT("1") "]") "]", false,
         true},
        {"[" ASKED("q") "," NOTED("error") "," AGAIN "," ASSISTANT(TEXT("b")) "]", false, false},
        {"[" ASKED("q") "," NOTED("error") "," ASKED("r") "]", false, false}, /* not the newest */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct thread thread = made_of(cases[i].kept);

        thread.interrupts = parse(cases[i].open ? "[{\"id\":\"i\"}]" : "[]");
        if (thread_may_ask_again(&thread, "q") != cases[i].may)
            fail_msg("%s: %d", cases[i].kept, !cases[i].may);
        json_decref(thread.messages);
        json_decref(thread.interrupts);
    }
}

static void test_old_results_are_shortened(void **state)
{
    struct thread thread = {.messages = json_array()};
    char text[3 * THREAD_OLD_BYTES + 1];
    size_t shortened = 0, whole = 0, i;
    json_auto_t *sent = NULL;
    const json_t *message;

    (void)state;
    for (i = 0; i < THREAD_OLD_BYTES; i++)
        memcpy(text + 3 * i, "\xe2\x82\xac", 3); /* cut within one by a count of bytes */
    text[sizeof text - 1] = '\0';
    for (i = 0; i < THREAD_FRESH + THREAD_FRESH_BY; i++) {
        char id[16];

        snprintf(id, sizeof id, "c%zu", i);
        json_array_append_new(thread.messages,
                              json_pack("{s:s, s:s}", "role", "user", "content", "q"));
        json_array_append_new(thread.messages, json_pack("{s:s, s:[{s:s, s:s, s:s, s:{}}]}", "role",
                                                         "assistant", "content", "type", "tool_use",
                                                         "id", id, "name", "n", "input"));
        json_array_append_new(thread.messages,
                              json_pack("{s:s, s:[{s:s, s:s, s:[{s:s, s:s}, {s:s, s:{s:s}}]}]}",
                                        "role", "user", "content", "type", "tool_result",
                                        "tool_use_id", id, "content", "type", "text", "text", text,
                                        "type", "image", "source", "data", "AAAA"));
    }
    sent = thread_for_model(&thread);
    check_rules(sent);
    json_array_foreach(sent, i, message)
    {
        const json_t *parts =
            json_object_get(json_array_get(json_object_get(message, "content"), 0), "content");
        const json_t *first = json_array_get(parts, 0), *second = json_array_get(parts, 1);
        const char *type;

        if (!parts)
            continue;
        type = json_get_string(second, "type");
        if (!strcmp(type, "image")) {
            whole++;
            assert_string_equal(json_get_string(first, "text"), text);
        } else {
            shortened++;
            assert_int_equal(whole, 0); /* old ones are before */
            assert_in_range(json_string_length(json_object_get(first, "text")), 1000,
                            THREAD_OLD_BYTES + 100);
        }
    }
    assert_int_equal(whole, THREAD_FRESH);
    assert_int_equal(shortened, THREAD_FRESH_BY);
    json_decref(thread.messages);
}

#define LEFT_QUESTION                                                                              \
    "{\"id\":\"q\",\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Why?\"}]}"
#define LEFT_ANSWER                                                                                \
    ",{\"id\":\"a\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"So.\"}]}"
#define LEFT_CALLS                                                                                 \
    ",{\"id\":\"c\",\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"c1\","     \
    "\"name\":"                                                                                    \
    "\"history\",\"input\":{}},{\"type\":\"tool_use\",\"id\":\"c2\",\"name\":\"history\","         \
    "\"input\":{}}]}"
#define LEFT_RESULTS                                                                               \
    ",{\"id\":\"r\",\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":"     \
    "\"c1\"},{"                                                                                    \
    "\"type\":\"tool_result\",\"tool_use_id\":\"c2\"}]}"
#define LEFT_NOTE(kind)                                                                            \
    ",{\"id\":\"n-" kind "\",\"role\":\"note\",\"content\":[],\"shown\":{\"kind\":\"" kind         \
    "\",\"text\":\"t\"}}"

/* Where a run was cut off, its calls are answered and a note says so; once. */
static void test_what_was_cut_off(void **state)
{
    static const struct {
        const char *messages;
        size_t results;
        bool cut;
    } kept[] = {
        {"", 0, false},
        {LEFT_QUESTION, 0, true},
        {LEFT_QUESTION LEFT_ANSWER, 0, false},
        {LEFT_QUESTION LEFT_ANSWER LEFT_NOTE("usage"), 0, false},
        {LEFT_QUESTION LEFT_NOTE("error"), 0, false},
        {LEFT_QUESTION LEFT_NOTE("stopped") LEFT_NOTE("usage"), 0, false},
        {LEFT_QUESTION LEFT_NOTE("refusal"), 0, false},
        {LEFT_QUESTION LEFT_NOTE("usage"), 0, false}, /* the model said nothing at all */
        {LEFT_QUESTION LEFT_NOTE("context"), 0, true},
        {LEFT_QUESTION LEFT_NOTE("error") LEFT_NOTE("usage") LEFT_NOTE("again"), 0, true},
        {LEFT_QUESTION LEFT_NOTE("error") LEFT_NOTE("again") LEFT_NOTE("error"), 0, false},
        {LEFT_QUESTION LEFT_CALLS, 2, true},
        {LEFT_QUESTION LEFT_CALLS LEFT_NOTE("usage"), 2, true}, /* approved, and then cut off */
        {LEFT_QUESTION LEFT_CALLS LEFT_RESULTS, 0, true},
        {LEFT_QUESTION LEFT_CALLS LEFT_RESULTS LEFT_NOTE("turns"), 0, true},
        {LEFT_QUESTION LEFT_CALLS LEFT_RESULTS LEFT_NOTE("stopped"), 0, false},
        {LEFT_QUESTION LEFT_CALLS LEFT_RESULTS LEFT_ANSWER LEFT_NOTE("usage"), 0, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        struct thread thread = {.interrupts = json_array()};
        struct buf text BUF_AUTO = {0};
        json_auto_t *sent = NULL;
        size_t before, added = kept[i].cut + (kept[i].results > 0);
        const json_t *note, *results;
        struct error err = {0};

        buf_addf(&text, "[%s]", kept[i].messages);
        thread.messages = parse(text.data);
        before = json_array_size(thread.messages);
        for (int times = 0; times < 2; times++) /* the second time there is nothing left to do */
            assert_int_equal(thread_close_cut(&thread, &err), 0);
        if (json_array_size(thread.messages) != before + added)
            fail_msg("%s: %zu added", kept[i].messages, json_array_size(thread.messages) - before);
        note = json_array_get(thread.messages, before + added - 1);
        results = json_array_get(thread.messages, before);
        if (kept[i].cut)
            assert_string_equal(json_get_string(json_object_get(note, "shown"), "kind"), "error");
        if (kept[i].results > 0)
            assert_int_equal(json_array_size(json_object_get(results, "content")), kept[i].results);
        if (kept[i].cut)
            assert_true(thread_may_ask_again(&thread, "q"));
        sent = thread_for_model(&thread);
        assert_non_null(sent);
        json_decref(thread.messages);
        json_decref(thread.interrupts);
    }
}

/* What a person has still to answer is not cut off. */
static void test_what_waits_is_not_cut_off(void **state)
{
    struct thread thread = {.messages = parse("[" LEFT_QUESTION LEFT_CALLS LEFT_NOTE("usage") "]"),
                            .interrupts = parse("[{\"id\":\"i\",\"toolCallId\":\"c1\"}]")};
    struct error err = {0};

    (void)state;
    assert_int_equal(thread_close_cut(&thread, &err), 0);
    assert_int_equal(json_array_size(thread.messages), 3);
    json_decref(thread.messages);
    json_decref(thread.interrupts);
}

int main(void)
{
#define KEPT(fn) cmocka_unit_test_setup_teardown(fn, chat_fixture_open, chat_fixture_close)
    const struct CMUnitTest tests[] = {
        KEPT(test_kept_and_read_again),
        KEPT(test_loading_what_is_not_there),
        KEPT(test_same_id_in_another_session),
        KEPT(test_caps),
        cmocka_unit_test(test_histories_are_put_right),
        cmocka_unit_test(test_what_may_be_asked_again),
        cmocka_unit_test(test_what_was_cut_off),
        cmocka_unit_test(test_what_waits_is_not_cut_off),
        cmocka_unit_test(test_any_history_can_be_replayed),
        cmocka_unit_test(test_old_results_are_shortened),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
