/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The questions of a conversation, which run one at a time in the order of arrival. After each wait
 * the task of the conversation begins the next one. If the store differs from memory, the task
 * loads the thread again first.
 */
#include <stdlib.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "mcp/chat/chat_internal.h"

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
        stopped_questions_keep(question->conversation, question->input.messages);
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
        conversation_post(conversation);
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
        if (stopped_questions_save(conversation))
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

void questions_go_on(void *arg)
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
    conversation_post(conversation);
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
    conversation_post(question->conversation);
}

void questions_cancel(struct chat *chat)
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

void questions_abandon(struct chat *chat)
{
    struct conversation *conversation;
    struct question *question;

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
