/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pages without sockets and without a model: the greeting, questions in their order, what is wrong
 * with them told in its turn, changes by anybody, two pages on one thread, and pages that go. The
 * run is a double that does what the test says. Each frame that is read is held against the order
 * that AG-UI asks for.
 */
#include "mcp/store/entities/node.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/thread.h"
#include "tests/unit/fake_run.h"

#include "mcp/chat/chat.h"
#include "mcp/store/store.h"

#define NOWHERE "11111111-2222-4333-8444-555555555555"

/* ---- pages ---- */

struct test_page {
    struct chat_page *page;
    unsigned woken;
    bool in_run, began;
};

static void wake(void *user)
{
    ((struct test_page *)user)->woken++;
}

static int set_up(void **state)
{
    struct chat_config config = {.model = (struct model *)&model_is_ready};
    struct chat_fixture *base;

    chat_fixture_open(state);
    base = *state;
    fake_run_reset();
    base->user = chat_create(&base->server, &config, wake, &base->session.err);
    assert_non_null(base->user);
    return 0;
}

static struct chat *chat_of(void **state)
{
    return ((struct chat_fixture *)*state)->user;
}

static int tear_down(void **state)
{
    struct chat *chat = chat_of(state);

    assert_int_equal(chat_pages(chat), 0);
    assert_int_equal(chat_runs(chat), 0);
    assert_null(current);
    chat_destroy(chat);
    return chat_fixture_close(state);
}

struct marker {
    struct workq_job job;
    bool done;
};

static void no_work(struct workq_job *job, void *context)
{
    (void)job;
    (void)context;
}

static void no_undoing(struct workq_job *job, const struct error *err)
{
    (void)job;
    (void)err;
}

static void mark_done(struct workq_job *job)
{
    ((struct marker *)job)->done = true;
}

static void pass_through(struct chat_fixture *base, struct workq *workq)
{
    struct marker marker = {
        .job = {.work = no_work, .done = mark_done, .undone = no_undoing},
    };

    while (workq_submit(workq, &marker.job, NULL) != 0)
        usleep(1000);
    chat_run_until(base, &marker.done);
}

/* Until all that was asked of the work queues is done, and what followed from it. */
static void turn(void **state)
{
    struct chat_fixture *base = *state;

    for (int i = 0; i < 3; i++) {
        pass_through(base, base->server.store.read);
        pass_through(base, base->server.store.sql);
    }
    for (int i = 0; i < 5; i++)
        uv_run(&base->loop, UV_RUN_NOWAIT);
}

/* The run under way begins and ends well, and its page goes. */
static void answer_and_leave(void **state, struct test_page *page)
{
    assert_non_null(current);
    TELL(.kind = RUN_BEGAN);
    end_run(RUN_SUCCEEDED);
    chat_page_destroy(page->page);
    turn(state);
}

/* The next frame, by what AG-UI's verifier asks; NULL where none waits. */
static json_t *take(struct test_page *page)
{
    struct buf text BUF_AUTO = {0};
    json_t *frame;
    const char *type;

    if (!chat_page_next(page->page, &text))
        return NULL;
    frame = parse(text.data);
    type = json_get_string(frame, "type");
    if (!strcmp(type, "RUN_STARTED")) {
        assert_false(page->in_run);
        page->in_run = true;
    } else if (!strcmp(type, "RUN_ERROR")) {
        page->in_run = false;
    } else {
        if (!page->in_run)
            fail_msg("outside a run: %s", text.data);
        page->in_run = strcmp(type, "RUN_FINISHED") != 0;
    }
    return frame;
}

/* What waits, as words: types; CUSTOM and ends with what they are about. */
static char *taken(struct test_page *page)
{
    static char words[4096];
    json_t *frame;

    *words = '\0';
    while ((frame = take(page)) != NULL) {
        const char *type = json_get_string(frame, "type");
        const char *more = json_get_string(frame, "runId");
        const json_t *value = json_object_get(frame, "value");
        char line[256];

        if (!strcmp(type, "RUN_FINISHED"))
            more = json_get_string(json_object_get(frame, "outcome"), "type");
        else if (!strcmp(type, "RUN_ERROR"))
            more = json_get_string(frame, "code");
        else if (value)
            more = json_get_string(value, "target");
        else if (json_object_get(frame, "delta"))
            more = json_get_string(frame, "delta");
        snprintf(line, sizeof line, "%s%s%s%s", *words ? " " : "", type, more ? ":" : "",
                 more ? more : "");
        assert_true(strlen(words) + strlen(line) < sizeof words);
        strcat(words, line);
        json_decref(frame);
    }
    return words;
}

#define GREETED "RUN_STARTED:live-1 STATE_SNAPSHOT RUN_FINISHED:success"

static void open_page(void **state, struct test_page *page, const char *thread)
{
    struct chat_fixture *base = *state;

    *page = (struct test_page){0};
    page->page = chat_page_create(chat_of(state), base->session.sid, thread, "Anna/ab12", page);
    assert_non_null(page->page);
}

static void greet(void **state, struct test_page *page, const char *thread)
{
    open_page(state, page, thread);
    turn(state);
    assert_true(page->woken > 0);
    assert_string_equal(taken(page), GREETED);
}

static void ask(struct test_page *page, const char *thread, const char *run, const char *id)
{
    char text[512];

    snprintf(text, sizeof text,
             "{\"threadId\":\"%s\",\"runId\":\"%s\",\"messages\":[{\"id\":\"%s\",\"role\":"
             "\"user\",\"content\":\"Why?\"}]}",
             thread, run, id);
    assert_int_equal(chat_page_receive(page->page, text, strlen(text)), 0);
}

static void send_text(struct test_page *page, const char *text)
{
    assert_int_equal(chat_page_receive(page->page, text, strlen(text)), 0);
}

static void keep_thread(void **state, const char *thread, const char *messages,
                        const char *interrupts)
{
    struct chat_fixture *base = *state;
    json_auto_t *added = parse(messages), *open = parse(interrupts);

    must(&base->session, store_thread_append(base->session.store, base->session.sid, thread, "T", 0,
                                             added, open, &base->session.err));
}

#define KEPT                                                                                       \
    "[{\"id\":\"k1\",\"role\":\"user\",\"content\":\"old\",\"shown\":{}},"                         \
    "{\"id\":\"k2\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"said\"}]}]"

/* ---- the greeting ---- */

static void test_greeting(void **state)
{
    struct test_page page;
    json_t *frame;
    const json_t *snapshot;

    model_is_ready = false;
    keep_thread(state, "t1", KEPT, "[]");
    open_page(state, &page, NULL);
    turn(state);
    json_decref(take(&page));
    frame = take(&page);
    snapshot = json_object_get(frame, "snapshot");
    assert_string_equal(json_get_string(json_object_get(snapshot, "session"), "title"), "A course");
    assert_string_equal(json_get_string(json_object_get(snapshot, "model"), "name"), "a-model");
    assert_true(json_is_false(json_object_get(json_object_get(snapshot, "model"), "ready")));
    assert_string_equal(json_get_string(json_object_get(snapshot, "model"), "advice"),
                        "Set ANTHROPIC_API_KEY");
    assert_int_equal(json_integer_value(json_object_get(snapshot, "repairs")), 2);
    assert_string_equal(
        json_get_string(json_array_get(json_object_get(snapshot, "threads"), 0), "thread_id"),
        "t1");
    json_decref(frame);
    assert_string_equal(taken(&page), "RUN_FINISHED:success");
    assert_false(chat_page_ended(page.page));
    chat_page_destroy(page.page);
}

static void test_greeting_with_a_thread(void **state)
{
    struct test_page page, none;

    keep_thread(state, "t1", KEPT, "[{\"id\":\"i1\",\"reason\":\"lectern.approval\"}]");
    open_page(state, &page, "t1");
    turn(state);
    assert_string_equal(taken(&page), "RUN_STARTED:live-1 STATE_SNAPSHOT MESSAGES_SNAPSHOT "
                                      "RUN_FINISHED:interrupt");
    greet(state, &none, "not-there");
    chat_page_destroy(page.page);
    chat_page_destroy(none.page);
}

static void test_no_such_session(void **state)
{
    struct test_page page = {0};

    page.page = chat_page_create(chat_of(state), NOWHERE, NULL, NULL, &page);
    assert_non_null(page.page);
    turn(state);
    assert_string_equal(taken(&page), "RUN_ERROR:unknown_session");
    assert_true(chat_page_ended(page.page));
    chat_page_destroy(page.page);
}

static void test_gone_before_it_was_greeted(void **state)
{
    struct test_page page;

    open_page(state, &page, "t1");
    ask(&page, "t1", "r1", "m1");
    chat_page_destroy(page.page);
    turn(state);
}

/* ---- questions ---- */

static void test_questions_wait_for_their_turn(void **state)
{
    struct test_page page;

    open_page(state, &page, "t1");
    ask(&page, "t1", "r1", "m1"); /* before it was greeted */
    turn(state);
    assert_string_equal(taken(&page), GREETED);
    assert_non_null(current);
    assert_string_equal(current->run_id, "r1");
    assert_string_equal(current->who, "chat:Anna/ab12");
    assert_int_equal(json_array_size(current->messages), 1);
    assert_int_equal(chat_runs(chat_of(state)), 1);
    ask(&page, "t1", "r2", "m2");
    send_text(&page, "{nonsense");
    ask(&page, "t1", "r3", "m3");
    TELL(.kind = RUN_BEGAN);
    TELL(.kind = RUN_TEXT_BEGAN, .id = "a");
    TELL(.kind = RUN_TEXT, .id = "a", SAY("x"));
    turn(state);
    assert_string_equal(taken(&page), "RUN_STARTED:r1 TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT:x");
    TELL(.kind = RUN_TEXT_ENDED, .id = "a");
    end_run(RUN_SUCCEEDED);
    turn(state);
    assert_string_equal(current->run_id, "r2");
    TELL(.kind = RUN_BEGAN);
    end_run(RUN_FAILED);
    turn(state);
    assert_string_equal(current->run_id, "r3");
    TELL(.kind = RUN_BEGAN);
    assert_string_equal(taken(&page), "TEXT_MESSAGE_END RUN_FINISHED:success RUN_STARTED:r2 "
                                      "RUN_ERROR:io RUN_ERROR:malformed RUN_STARTED:r3");
    end_run(RUN_INTERRUPTED);
    turn(state);
    assert_string_equal(taken(&page), "RUN_FINISHED:interrupt");
    assert_int_equal(chat_totals(chat_of(state))->questions, 3);
    assert_int_equal(chat_totals(chat_of(state))->ended[RUN_FAILED], 1);
    chat_page_destroy(page.page);
}

static void test_what_a_run_is_given(void **state)
{
    struct test_page page;

    keep_thread(state, "t1", KEPT, "[{\"id\":\"i1\"}]");
    open_page(state, &page, NULL);
    send_text(&page, "{\"threadId\":\"t1\",\"runId\":\"r1\",\"messages\":[{\"id\":\"k1\",\"role\":"
                     "\"user\",\"content\":\"old\"}],\"resume\":[{\"interruptId\":\"i1\","
                     "\"status\":\"resolved\",\"payload\":{\"approved\":true}}],\"context\":[{"
                     "\"description\":\"node_id\",\"value\":\"N001\"}],\"forwardedProps\":{"
                     "\"lectern\":{\"approvals\":\"every\"}}}");
    turn(state);
    assert_non_null(current);
    assert_int_equal(json_array_size(current->messages), 0); /* the thread has it */
    assert_int_equal(current->answers, 1);
    assert_int_equal(current->approvals, APPROVALS_EVERY);
    assert_non_null(strstr(current->where, "N001"));
    assert_int_equal(json_array_size(current->thread->messages), 2);
    TELL(.kind = RUN_BEGAN);
    end_run(RUN_SUCCEEDED);
    error_set(&refusal, ERROR_NOT_FOUND, "no such interrupt");
    ask(&page, "t1", "r2", "m1");
    turn(state);
    assert_string_equal(taken(&page), GREETED " RUN_STARTED:r1 RUN_FINISHED:success "
                                              "RUN_ERROR:not_found");
    chat_page_destroy(page.page);
}

static void test_without_a_model(void **state)
{
    struct test_page page;

    model_is_ready = false;
    greet(state, &page, NULL);
    ask(&page, "t1", "r1", "m1");
    turn(state);
    assert_null(current);
    assert_string_equal(taken(&page), "RUN_ERROR:no_model");
    model_is_ready = true;
    ask(&page, "t1", "r2", "m1");
    turn(state);
    answer_and_leave(state, &page);
}

static void test_same_id_in_another_session(void **state)
{
    struct chat_fixture *base = *state;
    json_auto_t *added = parse(KEPT), *open = json_array();
    char other[SESSION_ID_SIZE];
    struct test_page page;

    must(&base->session, store_session_create(base->session.store, &test_writer, "Another", other,
                                              &base->session.err));
    must(&base->session, store_thread_append(base->session.store, other, "t9", "T", 0, added, open,
                                             &base->session.err));
    greet(state, &page, "t9"); /* with nothing of the other's */
    ask(&page, "t9", "r1", "m1");
    turn(state);
    answer_and_leave(state, &page);
}

static void test_stop(void **state)
{
    struct test_page page;

    greet(state, &page, "t1");
    ask(&page, "t1", "r1", "m1");
    ask(&page, "t1", "r2", "m2");
    turn(state);
    send_text(&page, "{\"type\":\"lectern.stop\",\"runId\":\"r2\"}");
    send_text(&page, "{\"type\":\"lectern.stop\",\"runId\":\"unknown\"}");
    turn(state);
    assert_false(current->cancelled);
    TELL(.kind = RUN_BEGAN);
    send_text(&page, "{\"type\":\"lectern.stop\",\"runId\":\"r1\"}");
    send_text(&page, "{\"type\":\"lectern.stop\",\"runId\":\"r1\"}");
    turn(state);
    assert_true(current->cancelled);
    end_run(RUN_CANCELLED);
    turn(state);
    assert_null(current);
    /* The note of what was not asked has begun a conversation, so it is in the list then. */
    assert_string_equal(taken(&page), "RUN_STARTED:r1 RUN_FINISHED:cancelled RUN_STARTED:r2 "
                                      "RUN_FINISHED:cancelled RUN_STARTED:live-2 STATE_SNAPSHOT "
                                      "RUN_FINISHED:success");
    chat_page_destroy(page.page);
}

static const char *kind_of(const struct thread *thread, const char *id)
{
    const json_t *message;
    size_t i;

    json_array_foreach(thread->messages, i, message)
    {
        if (!strcmp(json_get_string(message, "id"), id))
            return json_get_string(json_object_get(message, "shown"), "kind");
    }
    return "none";
}

/* A page stops its question while another's is answered: it hears so at once; the thread knows it
 * before the next begins, and keeps it. */
static void test_what_was_stopped_is_not_asked_later(void **state)
{
    struct test_page one, two;

    greet(state, &one, "t1");
    greet(state, &two, "t1");
    ask(&one, "t1", "r1", "m1");
    turn(state);
    ask(&two, "t1", "r2", "m2");
    send_text(&two, "{\"type\":\"lectern.stop\",\"runId\":\"r2\"}");
    turn(state);
    assert_string_equal(taken(&two), "RUN_STARTED:r2 RUN_FINISHED:cancelled");
    send_text(&two, "{\"threadId\":\"t1\",\"runId\":\"r3\",\"messages\":["
                    "{\"id\":\"m2\",\"role\":\"user\",\"content\":\"Why?\"},"
                    "{\"id\":\"m3\",\"role\":\"user\",\"content\":\"And how?\"}]}");
    TELL(.kind = RUN_BEGAN);
    assert_string_equal(kind_of(current->thread, "m2"), "none"); /* a run uses it */
    end_run(RUN_SUCCEEDED);
    turn(state);
    assert_string_equal(current->run_id, "r3");
    assert_string_equal(kind_of(current->thread, "m2"), THREAD_NOT_ASKED);
    assert_int_equal(current->thread->saved, 1);
    assert_int_equal(json_array_size(current->messages), 1);
    assert_string_equal(json_get_string(json_array_get(current->messages, 0), "id"), "m3");
    TELL(.kind = RUN_BEGAN);
    end_run(RUN_SUCCEEDED);
    turn(state);
    /* A page that goes has stopped nothing. */
    ask(&one, "t1", "r4", "m4");
    turn(state);
    ask(&two, "t1", "r5", "m5");
    TELL(.kind = RUN_BEGAN);
    chat_page_destroy(two.page);
    turn(state);
    assert_string_equal(kind_of(current->thread, "m5"), "none");
    end_run(RUN_SUCCEEDED);
    turn(state);
    /* The end, while it is being kept. */
    ask(&one, "t1", "r6", "m6");
    send_text(&one, "{\"type\":\"lectern.stop\",\"runId\":\"r6\"}");
    for (int i = 0; i < 5; i++)
        uv_run(&((struct chat_fixture *)*state)->loop, UV_RUN_NOWAIT);
    chat_page_destroy(one.page);
    assert_null(current);
}

/* The answer under way goes on; what there was no place for is told so, in its turn. */
static void test_too_many_questions(void **state)
{
    struct test_page page;

    greet(state, &page, "t");
    for (unsigned i = 0; i < CHAT_INPUTS_CAP + 3; i++) {
        char run[8], id[8];

        snprintf(run, sizeof run, "r%u", i);
        snprintf(id, sizeof id, "m%u", i);
        ask(&page, "t", run, id);
        if (i == 0)
            turn(state);
    }
    TELL(.kind = RUN_BEGAN);
    assert_string_equal(taken(&page), "RUN_STARTED:r0");
    for (unsigned i = 0; i < CHAT_INPUTS_CAP; i++) {
        end_run(RUN_SUCCEEDED);
        turn(state);
        assert_int_equal(current->run_id[1], '1' + (int)i);
        TELL(.kind = RUN_BEGAN);
        taken(&page);
    }
    ask(&page, "t", "later", "m9"); /* there is place again */
    end_run(RUN_SUCCEEDED);
    turn(state);
    assert_string_equal(taken(&page), "RUN_FINISHED:success RUN_STARTED:r5 RUN_ERROR:busy "
                                      "RUN_STARTED:r6 RUN_ERROR:busy");
    assert_string_equal(current->run_id, "later");
    answer_and_leave(state, &page);
}

/* What is remembered of them has a bound. */
static void test_a_flood_of_questions(void **state)
{
    struct test_page page;
    const char one[] = "{\"threadId\":\"t\",\"runId\":\"r\",\"messages\":[{\"id\":\"m\",\"role\":"
                       "\"user\",\"content\":\"x\"}]}";

    greet(state, &page, "t");
    ask(&page, "t", "r1", "m1");
    turn(state);
    for (unsigned i = 0; i < CHAT_INPUTS_CAP + CHAT_REFUSED_CAP; i++)
        send_text(&page, i % 8 < 4 ? one : "{nonsense");
    assert_int_equal(chat_page_receive(page.page, one, strlen(one)), -1);
    assert_int_equal(chat_page_receive(page.page, "{", 1), -1);
    TELL(.kind = RUN_BEGAN);
    chat_page_destroy(page.page);
    turn(state);
    assert_true(current->cancelled);
    end_run(RUN_CANCELLED);
    turn(state);
    assert_null(current);
}

/* ---- changes ---- */

static void change(void **state, enum store_target target, const char *sid, const char *node,
                   const char *who)
{
    /* As the feed tells it. */
    struct chat_fixture *base = *state;
    const struct store_change made = {target, sid ? sid : base->session.sid, node, who};
    struct change_listener *listener = (struct change_listener *)chat_of(state);

    listener->on_change(listener, &made);
}

static void test_changes(void **state)
{
    struct test_page page;
    json_t *frame;

    greet(state, &page, "t1");
    page.woken = 0;
    change(state, STORE_NODES, NULL, "N001", "page:Ben/1");
    change(state, STORE_COMPONENTS, NOWHERE, "N001", "page:Ben/1");
    change(state, STORE_COMPONENTS, NULL, "N002", "rest");
    change(state, STORE_NODES, NULL, "N001", "page:Ben/1");
    change(state, STORE_NODES, NULL, "N001", "mcp");
    assert_true(page.woken > 0);
    json_decref(take(&page));
    frame = take(&page);
    assert_string_equal(json_get_string(json_object_get(frame, "value"), "who"), "page:Ben/1");
    assert_string_equal(json_get_string(json_object_get(frame, "value"), "node_id"), "N001");
    json_decref(frame);
    assert_string_equal(taken(&page), "CUSTOM:components CUSTOM:nodes RUN_FINISHED:success");
    /* Inside a run, and behind it. */
    ask(&page, "t1", "r1", "m1");
    turn(state);
    TELL(.kind = RUN_BEGAN);
    TELL(.kind = RUN_TEXT_BEGAN, .id = "a");
    change(state, STORE_RELATIONSHIPS, NULL, NULL, "x");
    assert_string_equal(taken(&page), "RUN_STARTED:r1 TEXT_MESSAGE_START CUSTOM:relationships");
    change(state, STORE_NODE_MAP, NULL, "N001", "x");
    TELL(.kind = RUN_TEXT_ENDED, .id = "a");
    end_run(RUN_SUCCEEDED);
    turn(state);
    assert_string_equal(taken(&page), "TEXT_MESSAGE_END RUN_FINISHED:success RUN_STARTED:live-3 "
                                      "CUSTOM:positions RUN_FINISHED:success");
    /* Too far behind. */
    for (unsigned i = 0; i < CHAT_CHANGES_CAP + 20; i++) {
        char node[16];

        snprintf(node, sizeof node, "N%u", i);
        change(state, STORE_NODES, NULL, node, "x");
    }
    assert_string_equal(taken(&page), "RUN_STARTED:live-4 CUSTOM:session RUN_FINISHED:success");
    change(state, STORE_NODES, NULL, "N001", "x");
    change(state, STORE_SESSION, NULL, NULL, "import");
    change(state, STORE_NODES, NULL, "N002", "x");
    assert_string_equal(taken(&page), "RUN_STARTED:live-5 CUSTOM:session RUN_FINISHED:success");
    chat_page_destroy(page.page);
}

static void test_changes_come_from_the_store(void **state)
{
    struct chat_fixture *base = *state;
    struct test_page page;
    json_auto_t *node = parse("{\"node_id\":\"N009\",\"title\":\"New\"}");
    struct writer ben = {.who = "page:Ben/1"};

    greet(state, &page, NULL);
    change_feed_attach(base->server.store.feed, base->session.store);
    must(&base->session, store_node_create(base->session.store, &ben, base->session.sid, node, NULL,
                                           &base->session.err));
    turn(state);
    assert_string_equal(taken(&page), "RUN_STARTED:live-2 CUSTOM:nodes RUN_FINISHED:success");
    chat_page_destroy(page.page);
    store_observe(base->session.store, NULL, NULL);
}

static void test_changes_while_approvals_are_open(void **state)
{
    struct test_page page;

    keep_thread(state, "t1", KEPT, "[{\"id\":\"i1\",\"reason\":\"r\"}]");
    open_page(state, &page, "t1");
    turn(state);
    taken(&page);
    change(state, STORE_NODES, NULL, "N001", "x");
    /* They stay open in the page's eyes. */
    assert_string_equal(taken(&page), "RUN_STARTED:live-2 CUSTOM:nodes RUN_FINISHED:interrupt");
    chat_page_destroy(page.page);
}

/* ---- two pages ---- */

static void test_two_pages_on_one_thread(void **state)
{
    struct test_page one, two, other;
    struct error err = {0};

    greet(state, &one, "t1");
    greet(state, &two, "t1");
    greet(state, &other, "t2");
    ask(&one, "t1", "r1", "m1");
    ask(&two, "t1", "r2", "m2");
    turn(state);
    assert_string_equal(current->run_id, "r1");
    TELL(.kind = RUN_BEGAN);
    assert_int_equal(
        thread_add(current->thread,
                   parse("{\"id\":\"m1\",\"role\":\"user\",\"content\":\"Why?\",\"shown\":{}}"),
                   &err),
        0);
    current->thread->saved = 1;
    change(state, STORE_NODES, NULL, "N001", "chat:Anna/ab12");
    assert_string_equal(taken(&one), "RUN_STARTED:r1 CUSTOM:nodes");
    assert_string_equal(taken(&two), "RUN_STARTED:live-2 CUSTOM:nodes RUN_FINISHED:success");
    end_run(RUN_SUCCEEDED);
    turn(state);
    /* The second's run is its own; what the first has said comes before it. */
    assert_string_equal(current->run_id, "r2");
    TELL(.kind = RUN_BEGAN);
    assert_string_equal(taken(&one), "RUN_FINISHED:success");
    assert_string_equal(taken(&two), "RUN_STARTED:live-3 MESSAGES_SNAPSHOT RUN_FINISHED:success "
                                     "RUN_STARTED:r2");
    end_run(RUN_SUCCEEDED);
    turn(state);
    assert_string_equal(taken(&one), "RUN_STARTED:live-2 MESSAGES_SNAPSHOT RUN_FINISHED:success");
    assert_string_equal(taken(&other), "RUN_STARTED:live-2 CUSTOM:nodes RUN_FINISHED:success");
    chat_page_destroy(one.page);
    chat_page_destroy(two.page);
    chat_page_destroy(other.page);
}

static void test_two_threads_side_by_side(void **state)
{
    struct test_page one, two;
    struct chat_run *first;

    greet(state, &one, "t1");
    greet(state, &two, "t2");
    ask(&one, "t1", "r1", "m1");
    turn(state);
    first = current;
    current = NULL;
    ask(&two, "t2", "r2", "m2");
    turn(state);
    assert_string_equal(current->run_id, "r2");
    assert_int_equal(chat_runs(chat_of(state)), 2);
    TELL(.kind = RUN_BEGAN);
    end_run(RUN_SUCCEEDED);
    current = first;
    TELL(.kind = RUN_BEGAN);
    end_run(RUN_SUCCEEDED);
    turn(state);
    assert_string_equal(taken(&one), "RUN_STARTED:r1 RUN_FINISHED:success");
    assert_string_equal(taken(&two), "RUN_STARTED:r2 RUN_FINISHED:success");
    chat_page_destroy(one.page);
    chat_page_destroy(two.page);
}

/* Where a page does not read, its model has to wait. */
static void test_a_slow_page_holds_its_model(void **state)
{
    static char text[60000];
    struct test_page page;

    memset(text, 'x', sizeof text - 1);
    greet(state, &page, "t1");
    ask(&page, "t1", "r1", "m1");
    turn(state);
    TELL(.kind = RUN_BEGAN);
    TELL(.kind = RUN_TEXT_BEGAN, .id = "a");
    while (!current->held) {
        assert_false(chat_page_ended(page.page));
        TELL(.kind = RUN_TEXT, .id = "a", SAY(text));
    }
    while (current->held) {
        json_t *frame = take(&page);

        assert_non_null(frame);
        json_decref(frame);
    }
    TELL(.kind = RUN_TEXT_ENDED, .id = "a");
    end_run(RUN_SUCCEEDED);
    turn(state);
    chat_page_destroy(page.page);
}

static void test_a_thread_that_was_not_kept_is_read_again(void **state)
{
    struct test_page page;
    struct error err = {0};

    keep_thread(state, "t1", KEPT, "[]");
    open_page(state, &page, "t1");
    ask(&page, "t1", "r1", "m1");
    turn(state);
    TELL(.kind = RUN_BEGAN);
    assert_int_equal(thread_add(current->thread, parse("{\"id\":\"lost\"}"), &err), 0);
    end_run(RUN_FAILED);
    turn(state);
    assert_string_equal(taken(&page),
                        "RUN_STARTED:live-1 STATE_SNAPSHOT MESSAGES_SNAPSHOT RUN_FINISHED:success "
                        "RUN_STARTED:r1 RUN_ERROR:io RUN_STARTED:live-2 MESSAGES_SNAPSHOT "
                        "RUN_FINISHED:success");
    ask(&page, "t1", "r2", "m2");
    turn(state);
    assert_int_equal(json_array_size(current->thread->messages), 2);
    assert_false(thread_has_message(current->thread, "lost"));
    answer_and_leave(state, &page);
}

/* ---- pages that go, or do not read ---- */

static void test_who_goes_takes_the_run_along(void **state)
{
    struct test_page one, two;

    greet(state, &one, "t1");
    greet(state, &two, "t1");
    ask(&one, "t1", "r1", "m1");
    ask(&two, "t1", "r2", "m2");
    turn(state);
    TELL(.kind = RUN_BEGAN);
    chat_page_destroy(two.page); /* which waits */
    chat_page_destroy(one.page);
    turn(state);
    assert_true(current->cancelled);
    assert_int_equal(chat_runs(chat_of(state)), 1);
    TELL(.kind = RUN_TEXT_BEGAN, .id = "a");
    end_run(RUN_CANCELLED);
    turn(state);
    assert_null(current);
    assert_int_equal(chat_runs(chat_of(state)), 0);
}

static void test_all_are_cancelled_at_the_end(void **state)
{
    struct test_page one, two;

    greet(state, &one, "t1");
    greet(state, &two, "t1");
    ask(&one, "t1", "r1", "m1");
    ask(&two, "t1", "r2", "m2");
    turn(state);
    TELL(.kind = RUN_BEGAN);
    chat_cancel_all(chat_of(state));
    turn(state);
    assert_true(current->cancelled);
    assert_int_equal(current->stopped_by, RUN_STOP_SERVER);
    ask(&one, "t1", "r3", "m3");
    end_run(RUN_CANCELLED);
    turn(state);
    assert_null(current);
    assert_string_equal(taken(&one), "RUN_STARTED:r1 RUN_FINISHED:cancelled RUN_ERROR:stopping");
    chat_page_destroy(one.page);
    chat_page_destroy(two.page);
}

static void test_pieces_that_wait_are_joined(void **state)
{
    struct test_page page;
    char words[4096];

    greet(state, &page, "t1");
    ask(&page, "t1", "r1", "m1");
    turn(state);
    TELL(.kind = RUN_BEGAN);
    TELL(.kind = RUN_TEXT_BEGAN, .id = "a");
    TELL(.kind = RUN_TEXT_BEGAN, .id = "b");
    TELL(.kind = RUN_TEXT, .id = "a", SAY("one \""));
    TELL(.kind = RUN_TEXT, .id = "a", SAY("\\two\n"));
    TELL(.kind = RUN_TEXT, .id = "b", SAY("other"));
    TELL(.kind = RUN_TEXT, .id = "a", SAY("three"));
    TELL(.kind = RUN_TEXT, .id = "a", SAY("\xf0\x9f\xa6\x93"));
    snprintf(words, sizeof words, "%s", taken(&page));
    assert_string_equal(words, "RUN_STARTED:r1 TEXT_MESSAGE_START TEXT_MESSAGE_START "
                               "TEXT_MESSAGE_CONTENT:one \"\\two\n TEXT_MESSAGE_CONTENT:other "
                               "TEXT_MESSAGE_CONTENT:three\xf0\x9f\xa6\x93");
    end_run(RUN_SUCCEEDED);
    chat_page_destroy(page.page);
    turn(state);
}

static void test_a_page_that_does_not_read(void **state)
{
    struct test_page page;
    char *text = malloc((1 << 20) + 1);

    assert_non_null(text);
    memset(text, 'x', 1 << 20);
    text[1 << 20] = '\0';
    greet(state, &page, "t1");
    ask(&page, "t1", "r1", "m1");
    turn(state);
    TELL(.kind = RUN_BEGAN);
    for (int i = 0; i < 40 && !chat_page_ended(page.page); i++)
        TELL(.kind = RUN_CALL_RESULT, .id = "c", .message_id = "m", SAY(text));
    assert_true(chat_page_ended(page.page));
    turn(state);
    assert_true(current->cancelled);
    assert_null(take(&page));
    end_run(RUN_CANCELLED);
    chat_page_destroy(page.page);
    turn(state);
    free(text);
}

static void test_cap_of_pages(void **state)
{
    static struct test_page pages[CHAT_PAGES_CAP];
    struct chat_fixture *base = *state;
    struct test_page one_more = {0};

    /* More than the work queue takes at once: those are told so. */
    for (unsigned i = 0; i < CHAT_PAGES_CAP; i++)
        open_page(state, &pages[i], NULL);
    assert_null(chat_page_create(chat_of(state), base->session.sid, NULL, NULL, &one_more));
    assert_int_equal(chat_pages(chat_of(state)), CHAT_PAGES_CAP);
    turn(state);
    assert_string_equal(taken(&pages[0]), GREETED);
    for (unsigned i = 1; i < CHAT_PAGES_CAP; i++) {
        bool ended = chat_page_ended(pages[i].page);

        assert_string_equal(taken(&pages[i]), ended ? "RUN_ERROR:busy" : GREETED);
    }
    for (unsigned i = 0; i < CHAT_PAGES_CAP; i++)
        chat_page_destroy(pages[i].page);
    turn(state);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_greeting),
        TEST(test_greeting_with_a_thread),
        TEST(test_no_such_session),
        TEST(test_gone_before_it_was_greeted),
        TEST(test_questions_wait_for_their_turn),
        TEST(test_what_a_run_is_given),
        TEST(test_without_a_model),
        TEST(test_same_id_in_another_session),
        TEST(test_stop),
        TEST(test_what_was_stopped_is_not_asked_later),
        TEST(test_too_many_questions),
        TEST(test_a_flood_of_questions),
        TEST(test_changes),
        TEST(test_changes_come_from_the_store),
        TEST(test_changes_while_approvals_are_open),
        TEST(test_two_pages_on_one_thread),
        TEST(test_two_threads_side_by_side),
        TEST(test_a_slow_page_holds_its_model),
        TEST(test_a_thread_that_was_not_kept_is_read_again),
        TEST(test_who_goes_takes_the_run_along),
        TEST(test_all_are_cancelled_at_the_end),
        TEST(test_pieces_that_wait_are_joined),
        TEST(test_a_page_that_does_not_read),
        TEST(test_cap_of_pages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
