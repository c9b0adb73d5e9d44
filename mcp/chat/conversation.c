/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Conversations in use and their questions, which run one at a time in the order of arrival; and
 * the list of a session's conversations that its pages receive. A thread is loaded when it is first
 * needed, kept in memory while it is used, and loaded again if the store differs from memory.
 *
 * A client that sends its whole history repeats the questions that an editor stopped before their
 * turn. So the thread records them as notes with their ids, and they are not answered. A run may be
 * using the thread: the notes wait until none does, and no run begins before they are durable.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "mcp/chat/chat_internal.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/store.h"
#include "mcp/store/thread.h"

/* ---- conversations ---- */

static void free_unused(struct conversation *conversation)
{
    if (conversation->users > 0 || conversation->loading || conversation->posted ||
        conversation->keeping)
        return;
    if (conversation->chat)
        LIST_REMOVE(conversation, link);
    thread_destroy(conversation->thread);
    json_decref(conversation->cancelled);
    free(conversation);
}

struct conversation *conversation_get(struct chat *chat, const char *session_id,
                                      const char *thread_id)
{
    struct conversation *conversation;

    LIST_FOREACH(conversation, &chat->conversations, link)
    {
        if (strcmp(conversation->session_id, session_id) == 0 &&
            strcmp(conversation->thread_id, thread_id) == 0)
            break;
    }
    if (!conversation) {
        conversation = calloc(1, sizeof *conversation);
        if (!conversation)
            return NULL;
        conversation->chat = chat;
        memcpy(conversation->session_id, session_id, strlen(session_id) + 1);
        memcpy(conversation->thread_id, thread_id, strlen(thread_id) + 1);
        STAILQ_INIT(&conversation->questions);
        LIST_INIT(&conversation->viewers);
        LIST_INSERT_HEAD(&chat->conversations, conversation, link);
    }
    conversation->users++;
    return conversation;
}

void conversation_release(struct conversation *conversation)
{
    if (!conversation)
        return;
    conversation->users--;
    free_unused(conversation);
}

static void on_task(void *arg);

/* What is next happens in a task of the loop: nothing here calls its caller back, nor frees a run
 * under its feet.
 */
static void post(struct conversation *conversation)
{
    if (conversation->posted)
        return;
    conversation->posted = true;
    conversation->task.run = on_task;
    conversation->task.arg = conversation;
    loop_queue_post(conversation->chat->server->loop_queue, &conversation->task);
}

static void go_on(struct conversation *conversation)
{
    if (conversation->chat)
        post(conversation);
    else
        free_unused(conversation);
}

static void on_loaded(void *user, struct thread *thread, const struct error *err)
{
    struct conversation *conversation = user;

    conversation->loading = false;
    conversation->thread = thread;
    if (err)
        conversation->error = *err;
    go_on(conversation);
}

void conversation_load(struct conversation *conversation)
{
    if (conversation->thread || conversation->loading)
        return;
    conversation->error = (struct error){0};
    conversation->loading = true;
    if (thread_load(&conversation->chat->server->store, conversation->session_id,
                    conversation->thread_id, on_loaded, conversation, &conversation->error) == 0)
        return;
    conversation->loading = false;
    post(conversation);
}

/* ---- questions that were stopped before their turn ---- */

static bool is_kept(const struct conversation *conversation, const char *id)
{
    const json_t *message;
    size_t i;

    json_array_foreach(conversation->cancelled, i, message)
    {
        const char *own = json_get_string(message, "id");

        if (own && strcmp(own, id) == 0)
            return true;
    }
    return false;
}

static void keep_cancelled(struct conversation *conversation, const json_t *messages)
{
    if (!conversation->cancelled)
        conversation->cancelled = json_array();
    for (size_t i = json_array_size(messages); i-- > 0;) { /* the newest is the one that counts */
        json_t *message = json_array_get(messages, i);
        const char *id = json_get_string(message, "id");

        if (is_kept(conversation, id) ||
            (conversation->thread && thread_has_message(conversation->thread, id)))
            continue;
        if (json_array_size(conversation->cancelled) >= CHAT_CANCELLED_CAP ||
            json_array_append(conversation->cancelled, message) != 0) {
            log_warning("chat", "a stopped question is forgotten: too many wait to be kept");
            return;
        }
    }
}

static void on_kept(void *user, const struct error *err)
{
    struct conversation *conversation = user;

    conversation->keeping = false;
    if (err)
        log_warning("chat", "a stopped question is not kept: %s", err->text);
    else if (conversation->chat) /* the conversation may be new */
        session_state_read(conversation->chat, conversation->session_id);
    conversation->stale = conversation->stale || err;
    go_on(conversation);
}

static void add_notes(struct conversation *conversation)
{
    struct error err = {0};

    for (size_t i = json_array_size(conversation->cancelled);
         i-- > 0;) { /* in the order in which they were asked */
        json_t *message = json_array_get(conversation->cancelled, i);
        const char *id = json_get_string(message, "id");

        if (thread_has_message(conversation->thread, id))
            continue;
        if (thread_put(conversation->thread, id, "note", json_array(),
                       json_pack("{s:s, s:O}", "kind", THREAD_NOT_ASKED, "text",
                                 json_object_get(message, "content")),
                       NULL, &err) < 0) {
            log_warning("chat", "a stopped question is not kept: %s", err.text);
            break; /* the thread is full, or out of memory */
        }
    }
    json_array_clear(conversation->cancelled);
}

/* No run uses the thread: saves what waits. True: until conversation_go_on, no run may begin. */
static bool save_cancelled(struct conversation *conversation)
{
    struct error err = {0};

    if (conversation->keeping)
        return true;
    if (!conversation->thread || json_array_size(conversation->cancelled) == 0)
        return false;
    add_notes(conversation);
    if (conversation->thread->saved == json_array_size(conversation->thread->messages))
        return false;
    conversation->keeping = true;
    if (thread_save(&conversation->chat->server->store, conversation->thread, on_kept, conversation,
                    &err) < 0)
        on_kept(conversation, &err);
    return true;
}

/* ---- the state of a session ----
 *
 * It is read when a page connects, and again when a conversation of its session is created or gets
 * another title, from any page. */

struct state_reading {
    struct workq_job job; /* first */
    LIST_ENTRY(state_reading) link;
    struct chat *chat; /* NULL: destroyed */
    bool again;        /* requested again while it was being read */
    char session_id[SESSION_ID_SIZE];
    char title[TITLE_MAX + 1];
    struct buf threads;
    struct error err; /* ERROR_NONE: it was read */
};

static void read_state(struct workq_job *job, void *context)
{
    struct state_reading *reading = (struct state_reading *)job;

    buf_clear(&reading->threads);
    reading->err = (struct error){0};
    if (store_session(context, reading->session_id, reading->title, sizeof reading->title, NULL,
                      &reading->err) == 0)
        store_threads_read(context, reading->session_id, CHAT_THREADS_LISTED, &reading->threads,
                           &reading->err);
}

static json_t *make_state(const struct state_reading *reading)
{
    const struct model *model = reading->chat->model;
    char advice[ERROR_TEXT_CAP] = "This server has no model: start it with lectern serve.";
    bool ready = model && model_ready(model, advice, sizeof advice);
    json_t *threads = json_read(reading->threads.data, reading->threads.len, "the threads", NULL);

    return json_pack(
        "{s:s, s:{s:s, s:s}, s:{s:s, s:b, s:s*}, s:o, s:i, s:b}", "version", LECTERN_VERSION,
        "session", "session_id", reading->session_id, "title", reading->title, "model", "name",
        model ? model_name(model) : "", "ready", ready, "advice", ready ? NULL : advice, "threads",
        threads ? threads : json_array(), "repairs",
        (int)reading->chat->server->analyses.attempts - 1, "solve", reading->chat->solve);
}

static void free_reading(struct state_reading *reading)
{
    if (reading->chat)
        LIST_REMOVE(reading, link);
    buf_finish(&reading->threads);
    free(reading);
}

static void submit_reading(struct state_reading *reading)
{
    struct error err = {0};

    reading->job.key = workq_key(reading->session_id);
    if (workq_submit(reading->chat->server->store.read, &reading->job, &err) == 0)
        return;
    reading->chat->on_state(reading->chat, reading->session_id, NULL, &err);
    free_reading(reading);
}

static void on_state_read(struct workq_job *job)
{
    struct state_reading *reading = (struct state_reading *)job;
    json_auto_t *state = NULL;

    if (reading->chat && reading->err.kind == ERROR_NONE) {
        state = make_state(reading);
        if (!state)
            error_set(&reading->err, ERROR_MEMORY, "out of memory: connect again in a moment");
    }
    if (reading->chat)
        reading->chat->on_state(reading->chat, reading->session_id, state, &reading->err);
    if (reading->chat && reading->again) {
        reading->again = false;
        submit_reading(reading);
    } else {
        free_reading(reading);
    }
}

void session_state_read(struct chat *chat, const char *session_id)
{
    struct state_reading *reading;

    LIST_FOREACH(reading, &chat->readings, link)
    {
        if (strcmp(reading->session_id, session_id) == 0) {
            reading->again = true;
            return;
        }
    }
    reading = calloc(1, sizeof *reading);
    if (!reading) {
        struct error err = {.kind = ERROR_MEMORY,
                            .text = "out of memory: connect again in a moment"};

        chat->on_state(chat, session_id, NULL, &err);
        return;
    }
    reading->job.work = read_state;
    reading->job.done = on_state_read;
    memcpy(reading->session_id, session_id, strlen(session_id) + 1);
    reading->chat = chat;
    LIST_INSERT_HEAD(&chat->readings, reading, link);
    submit_reading(reading);
}

/* ---- questions ---- */

void question_free(struct question *question)
{
    run_input_finish(&question->input);
    free(question);
}

static void finish(struct question *question)
{
    struct conversation *conversation = question->conversation;

    question_free(question);
    conversation_release(conversation);
}

static void refuse(struct question *question, const struct error *err, const char *code)
{
    question->on_refused(question, err, code);
    finish(question);
}

/* One that was cancelled before its run began. */
static void take_back(struct question *question)
{
    if (question->cancelled && question->stopped_by == RUN_STOP_EDITOR)
        keep_cancelled(question->conversation, question->input.messages);
    refuse(question, NULL, NULL);
}

static void count_end(struct chat *chat, const struct run_event *event)
{
    chat->totals.ended[event->outcome]++;
    if (!event->usage)
        return;
    chat->totals.requests += event->usage->requests;
    model_usage_add(&chat->totals.tokens, &event->usage->tokens);
}

static void on_event(struct run_listener *listener, const struct run_event *event)
{
    struct question *question = (struct question *)listener; /* its first member */
    struct conversation *conversation = question->conversation;
    bool ended = event->kind == RUN_ENDED;

    if (ended) {
        count_end(question->chat, event);
        question->run = NULL;
        question->chat->runs--;
        conversation->running = NULL;
        conversation->ended = true;
        conversation->stale = event->unsaved || conversation->thread->saved !=
                                                    json_array_size(conversation->thread->messages);
        conversation->ended_user = question->user;
        post(conversation);
    }
    question->on_event(question, event);
    if (ended || (event->kind == RUN_TURN_BEGAN && event->number == 1)) /* it is in the store */
        session_state_read(question->chat, conversation->session_id);
    if (ended)
        finish(question);
}

static json_t *ids_of(const struct thread *thread)
{
    json_t *ids = json_object();
    const json_t *message;
    size_t i;

    json_array_foreach(thread->messages, i, message)
    {
        const char *id = json_get_string(message, "id");

        if (id)
            json_object_set_new(ids, id, json_true());
    }
    return ids;
}

/* The user's messages that the thread does not have: a page sends its whole history. If it has all
 * of them and no approval is answered, the newest one, which may have to be asked again. */
static json_t *new_messages(const struct question *question)
{
    size_t count = json_array_size(question->input.messages), i;
    json_auto_t *known = ids_of(question->conversation->thread);
    json_t *fresh = json_array(), *message;

    json_array_foreach(question->input.messages, i, message)
    {
        if (!json_object_get(known, json_get_string(message, "id")))
            json_array_append(fresh, message);
    }
    if (json_array_size(fresh) == 0 && count > 0 && !question->input.resume)
        json_array_append(fresh, json_array_get(question->input.messages, count - 1));
    return fresh;
}

static int start_run(struct question *question, struct error *err)
{
    json_auto_t *messages = new_messages(question);
    const struct run_request run_request = {
        .thread = question->conversation->thread,
        .run_id = question->input.run_id,
        .who = question->who,
        .identity = &question->identity,
        .approvals = question->input.approvals,
        .solve = question->input.solve < 0 ? question->chat->solve : question->input.solve > 0,
        .messages = messages,
        .where = question->input.where.data,
        .answers = question->input.answers,
        .answer_count = question->input.answer_count,
    };

    question->listener.on_event = on_event;
    question->run = run_start(question->chat->server, question->chat->model, &run_request,
                              &question->listener, err);
    return question->run ? 0 : -1;
}

static void begin(struct conversation *conversation, struct question *question)
{
    struct chat *chat = question->chat;
    char advice[ERROR_TEXT_CAP] = "This server has no model: start it with lectern serve.";
    struct error err = {0};

    if (question->cancelled) {
        take_back(question);
    } else if (chat->closing) {
        error_set(&err, ERROR_UNAVAILABLE, "the server is stopping: ask again when it is back");
        refuse(question, &err, "stopping");
    } else if (!chat->model || !model_ready(chat->model, advice, sizeof advice)) {
        error_set(&err, ERROR_UNAVAILABLE, "%s", advice);
        refuse(question, &err, "no_model");
    } else if (!conversation->thread) {
        err = conversation->error;
        refuse(question, &err, error_kind_name(err.kind));
    } else if (start_run(question, &err) != 0) {
        refuse(question, &err, error_kind_name(err.kind));
    } else {
        chat->runs++;
        chat->totals.questions++;
        conversation->running = question;
    }
}

/* Those whose turn it is. One that cannot begin leaves it to the next. */
static void begin_next(struct conversation *conversation)
{
    struct question *question;

    while (!conversation->running && !conversation->loading) {
        question = STAILQ_FIRST(&conversation->questions);
        if (!question && json_array_size(conversation->cancelled) == 0)
            break;
        if (!conversation->thread && conversation->error.kind == ERROR_NONE) {
            conversation_load(conversation);
            return;
        }
        if (save_cancelled(conversation))
            return;
        if (!question)
            break;
        STAILQ_REMOVE_HEAD(&conversation->questions, link);
        begin(conversation, question);
    }
    /* The next user tries again. */
    if (!conversation->thread && !conversation->loading)
        conversation->error = (struct error){0};
}

static void do_cancels(struct conversation *conversation)
{
    struct question *question = STAILQ_FIRST(&conversation->questions), *next;

    for (; question; question = next) {
        next = STAILQ_NEXT(question, link);
        if (!question->cancelled)
            continue;
        STAILQ_REMOVE(&conversation->questions, question, question, link);
        take_back(question);
    }
    question = conversation->running;
    if (!question || !question->cancelled || question->notified)
        return;
    question->notified = true;
    run_cancel(question->run, question->stopped_by);
}

/* ended: a run, else: loading. A viewer may turn to another conversation meanwhile. */
static void notify_viewers(struct conversation *conversation, bool ended)
{
    struct viewer *viewer = LIST_FIRST(&conversation->viewers), *next;

    for (; viewer; viewer = next) {
        next = LIST_NEXT(viewer, link);
        if (!ended)
            viewer->on_loaded(viewer);
        else if (viewer->user != conversation->ended_user)
            viewer->on_ended(viewer);
    }
}

static void on_task(void *arg)
{
    struct conversation *conversation = arg;
    struct chat *chat = conversation->chat;

    if (chat && conversation->stale) {
        log_warning("chat", "a conversation was not kept to its end, it is read again");
        thread_destroy(conversation->thread);
        conversation->thread = NULL;
        conversation->stale = false;
        conversation->posted = false;
        conversation->ended_user = NULL; /* the author receives the current state, too */
        conversation_load(conversation);
        return; /* its pages are notified when it is there */
    }
    conversation->users++; /* until all this is done */
    conversation->posted = false;
    if (chat) {
        if (conversation->ended) {
            conversation->ended = false;
            notify_viewers(conversation, true);
        }
        if (!conversation->loading)
            notify_viewers(conversation, false);
        do_cancels(conversation);
        begin_next(conversation);
    }
    conversation_release(conversation);
}

void question_start(struct conversation *conversation, struct question *question)
{
    question->chat = conversation->chat;
    question->conversation = conversation;
    conversation->users++;
    STAILQ_INSERT_TAIL(&conversation->questions, question, link);
    post(conversation);
}

void question_hold(struct question *question, bool hold)
{
    if (question->run)
        run_hold(question->run, hold);
}

/* In a task of the loop, because the caller may be handling an event of the run. */
void question_cancel(struct question *question, enum run_stop by)
{
    if (!question->cancelled)
        question->stopped_by = by;
    question->cancelled = true;
    post(question->conversation);
}

void conversations_cancel(struct chat *chat)
{
    struct conversation *conversation;
    struct question *question;

    LIST_FOREACH(conversation, &chat->conversations, link)
    {
        if (conversation->running)
            question_cancel(conversation->running, RUN_STOP_SERVER);
        STAILQ_FOREACH(question, &conversation->questions, link)
        question_cancel(question, RUN_STOP_SERVER);
    }
}

void conversations_abandon(struct chat *chat)
{
    struct state_reading *reading;
    struct conversation *conversation;
    struct question *question;

    while ((reading = LIST_FIRST(&chat->readings)) != NULL) {
        LIST_REMOVE(reading, link);
        reading->chat = NULL;
    }
    while ((conversation = LIST_FIRST(&chat->conversations)) != NULL) {
        LIST_REMOVE(conversation, link);
        conversation->chat = NULL;
        conversation->users++;
        while ((question = STAILQ_FIRST(&conversation->questions)) != NULL) {
            STAILQ_REMOVE_HEAD(&conversation->questions, link);
            finish(question);
        }
        conversation_release(conversation);
    }
}
