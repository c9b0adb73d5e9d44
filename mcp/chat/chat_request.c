/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Conversations in use, and the asks that wait for them: one run at a time in each, in the order of
 * their coming. A thread is loaded when it is first wanted, kept while somebody uses it, and loaded
 * anew where the store has other than what is in memory.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "mcp/chat/chat_internal.h"

/* ---- conversations ---- */

static void free_unused(struct conversation *conversation)
{
    if (conversation->users > 0 || conversation->loading || conversation->posted ||
        conversation->keeping)
        return;
    if (conversation->chat)
        LIST_REMOVE(conversation, link);
    thread_destroy(conversation->thread);
    json_decref(conversation->cancelled_requests);
    free(conversation);
}

struct conversation *conversation_get(struct chat *chat, const char *session_id,
                                      const char *thread_id)
{
    struct conversation *conversation;

    LIST_FOREACH(conversation, &chat->conversations, link)
    {
        if (!strcmp(conversation->session_id, session_id) &&
            !strcmp(conversation->thread_id, thread_id))
            break;
    }
    if (!conversation) {
        conversation = calloc(1, sizeof *conversation);
        if (!conversation)
            return NULL;
        conversation->chat = chat;
        memcpy(conversation->session_id, session_id, strlen(session_id) + 1);
        memcpy(conversation->thread_id, thread_id, strlen(thread_id) + 1);
        STAILQ_INIT(&conversation->requests);
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

void conversation_go_on(struct conversation *conversation)
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
    conversation_go_on(conversation);
}

void conversation_load(struct conversation *conversation)
{
    if (conversation->thread || conversation->loading)
        return;
    conversation->error = (struct error){0};
    conversation->loading = true;
    if (thread_load(conversation->chat->server, conversation->session_id, conversation->thread_id,
                    on_loaded, conversation, &conversation->error) == 0)
        return;
    conversation->loading = false;
    post(conversation);
}

/* ---- asks ---- */

void request_free(struct queued_request *request)
{
    run_input_finish(&request->input);
    free(request);
}

static void finish(struct queued_request *request)
{
    struct conversation *conversation = request->conversation;

    request_free(request);
    conversation_release(conversation);
}

static void refuse(struct queued_request *request, const struct error *err, const char *code)
{
    request->on_refused(request, err, code);
    finish(request);
}

/* One that was cancelled before its run began. */
static void take_back(struct queued_request *request)
{
    if (request->cancelled && request->stopped_by == RUN_STOP_EDITOR)
        cancelled_requests_add(request->conversation, request->input.messages);
    refuse(request, NULL, NULL);
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
    struct queued_request *request = (struct queued_request *)listener; /* its first member */
    struct conversation *conversation = request->conversation;
    bool ended = event->kind == RUN_ENDED;

    if (ended) {
        count_end(request->chat, event);
        request->run = NULL;
        request->chat->runs--;
        conversation->running = NULL;
        conversation->ended = true;
        conversation->stale = event->unsaved || conversation->thread->saved !=
                                                    json_array_size(conversation->thread->messages);
        conversation->ended_user = request->user;
        post(conversation);
    }
    request->on_event(request, event);
    if (ended || (event->kind == RUN_TURN_BEGAN && event->number == 1)) /* it is in the store */
        chat_state_read(request->chat, conversation->session_id);
    if (ended)
        finish(request);
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

/* The user's messages that the thread has not: a page sends its whole history. Where it has all of
 * them, and nothing asked is answered, the newest: it may be meant to be asked again. */
static json_t *new_messages(const struct queued_request *request)
{
    size_t count = json_array_size(request->input.messages), i;
    json_auto_t *known = ids_of(request->conversation->thread);
    json_t *fresh = json_array(), *message;

    json_array_foreach(request->input.messages, i, message)
    {
        if (!json_object_get(known, json_get_string(message, "id")))
            json_array_append(fresh, message);
    }
    if (json_array_size(fresh) == 0 && count > 0 && !request->input.resume)
        json_array_append(fresh, json_array_get(request->input.messages, count - 1));
    return fresh;
}

static int start_run(struct queued_request *request, struct error *err)
{
    struct run_answer answers[RUN_INPUT_ANSWERS_MAX];
    json_auto_t *messages = new_messages(request);
    const struct run_request run_request = {
        .thread = request->conversation->thread,
        .run_id = request->input.run_id,
        .who = request->who,
        .approvals = request->input.approvals,
        .messages = messages,
        .where = request->input.where.data,
        .answers = answers,
        .answer_count = run_input_answers(&request->input, answers),
    };

    request->listener.on_event = on_event;
    request->run = run_start(request->chat->server, request->chat->model, &run_request,
                             &request->listener, err);
    return request->run ? 0 : -1;
}

static void begin(struct conversation *conversation, struct queued_request *request)
{
    struct chat *chat = request->chat;
    char advice[ERROR_TEXT_CAP] = "This server has no model: start it with lectern serve.";
    struct error err = {0};

    if (request->cancelled) {
        take_back(request);
    } else if (chat->closing) {
        error_set(&err, ERROR_UNAVAILABLE, "the server is stopping: ask again when it is back");
        refuse(request, &err, "stopping");
    } else if (!chat->model || !model_ready(chat->model, advice, sizeof advice)) {
        error_set(&err, ERROR_UNAVAILABLE, "%s", advice);
        refuse(request, &err, "no_model");
    } else if (!conversation->thread) {
        err = conversation->error;
        refuse(request, &err, error_kind_name(err.kind));
    } else if (start_run(request, &err) != 0) {
        refuse(request, &err, error_kind_name(err.kind));
    } else {
        chat->runs++;
        chat->totals.questions++;
        conversation->running = request;
    }
}

/* Those whose turn it is. One that cannot begin leaves it to the next. */
static void begin_next(struct conversation *conversation)
{
    struct queued_request *request;

    while (!conversation->running && !conversation->loading) {
        request = STAILQ_FIRST(&conversation->requests);
        if (!request && !cancelled_requests_waits(conversation))
            break;
        if (!conversation->thread && conversation->error.kind == ERROR_NONE) {
            conversation_load(conversation);
            return;
        }
        if (cancelled_requests_keep(conversation))
            return;
        if (!request)
            break;
        STAILQ_REMOVE_HEAD(&conversation->requests, link);
        begin(conversation, request);
    }
    /* The next who wants it tries again. */
    if (!conversation->thread && !conversation->loading)
        conversation->error = (struct error){0};
}

static void do_cancels(struct conversation *conversation)
{
    struct queued_request *request = STAILQ_FIRST(&conversation->requests), *next;

    for (; request; request = next) {
        next = STAILQ_NEXT(request, link);
        if (!request->cancelled)
            continue;
        STAILQ_REMOVE(&conversation->requests, request, queued_request, link);
        take_back(request);
    }
    request = conversation->running;
    if (!request || !request->cancelled || request->notified)
        return;
    request->notified = true;
    run_cancel(request->run, request->stopped_by);
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
        conversation->ended_user = NULL; /* who asked is told as well what is there */
        conversation_load(conversation);
        return; /* its pages are told when it is there */
    }
    conversation->users++; /* until all this is done */
    conversation->posted = false;
    if (chat) {
        if (conversation->ended) {
            conversation->ended = false;
            chat_ended(chat, conversation, conversation->ended_user);
        }
        chat_loaded(chat, conversation);
        do_cancels(conversation);
        begin_next(conversation);
    }
    conversation_release(conversation);
}

int request_start(struct chat *chat, const char *session_id, struct queued_request *request)
{
    request->chat = chat;
    request->conversation = conversation_get(chat, session_id, request->input.thread_id);
    if (!request->conversation) {
        request_free(request);
        return -1;
    }
    STAILQ_INSERT_TAIL(&request->conversation->requests, request, link);
    post(request->conversation);
    return 0;
}

/* In a task of the loop: who cancels may stand in the middle of the run's own event. */
void request_cancel(struct queued_request *request, enum run_stop by)
{
    if (!request->cancelled)
        request->stopped_by = by;
    request->cancelled = true;
    post(request->conversation);
}

void conversations_abandon(struct chat *chat)
{
    struct conversation *conversation;
    struct queued_request *request;

    while ((conversation = LIST_FIRST(&chat->conversations)) != NULL) {
        LIST_REMOVE(conversation, link);
        conversation->chat = NULL;
        conversation->users++;
        while ((request = STAILQ_FIRST(&conversation->requests)) != NULL) {
            STAILQ_REMOVE_HEAD(&conversation->requests, link);
            finish(request);
        }
        conversation_release(conversation);
    }
}
