/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One page: its inputs are processed one after the other, and its frames are in the order that
 * AG-UI requires. A RUN_ERROR would end the run in which it is sent, so errors of an input are
 * reported in its turn.
 *
 * Some frames are sent without a request: the greeting, changes by anybody, and messages in its
 * thread from another page. Between runs they are sent at once, in a small run by the server. It
 * ends as the page's last run did, with the open approvals, because a page concludes from a run
 * that ends without them that there are none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/chat/chat_internal.h"
#include "mcp/curriculum/text.h"

#define LIVE_ID_SIZE 32

/* ---- what goes down ---- */

static void end_page(struct chat_page *page)
{
    if (page->ended)
        return;
    page->ended = true;
    if (page->question)
        question_cancel(page->question, RUN_STOP_PAGE_LEFT);
    page->chat->wake(page->user);
}

static void add(struct chat_page *page, const char *frame, size_t len, bool grows)
{
    if (page->ended)
        return;
    if (chat_queue_add(&page->queue, frame, len, grows) == 0) {
        if (page->question && page->queue.bytes > CHAT_HOLD_BYTES)
            question_hold(page->question, true);
        page->chat->wake(page->user);
        return;
    }
    chat_queue_finish(&page->queue); /* it reads no more: the memory is of better use */
    end_page(page);
}

static void add_buf(struct chat_page *page, struct buf *frame)
{
    if (frame->failed)
        end_page(page);
    else
        add(page, frame->data, frame->len, false);
    buf_clear(frame);
}

static void send_error(struct chat_page *page, const char *message, const char *code)
{
    struct buf BUF_AUTO frame = {0};

    agui_run_error(message, code, &frame);
    add_buf(page, &frame);
}

bool chat_page_ended(const struct chat_page *page)
{
    return page->ended;
}

struct adding {
    struct chat_page *page;
    bool grows;
};

static void on_frame(void *user, const char *frame, size_t len)
{
    const struct adding *adding = user;

    add(adding->page, frame, len, adding->grows);
}

static bool grows(enum run_event_kind kind)
{
    return kind == RUN_TEXT || kind == RUN_THINKING || kind == RUN_CALL_ARGUMENTS;
}

static void send_event(struct chat_page *page, struct agui_run *run, const struct run_event *event)
{
    struct adding adding = {page, grows(event->kind)};

    if (agui_write(run, event, on_frame, &adding) < 0)
        end_page(page);
}

/* ---- runs of the server's own ---- */

struct live {
    struct agui_run run;
    char id[LIVE_ID_SIZE];
};

static void live_begin(struct chat_page *page, struct live *live)
{
    snprintf(live->id, sizeof live->id, "live-%u", ++page->live);
    live->run = (struct agui_run){
        .thread_id = page->conversation ? page->conversation->thread_id : "", .run_id = live->id};
    send_event(page, &live->run, &(struct run_event){.kind = RUN_BEGAN});
}

static struct thread *thread_of(const struct chat_page *page)
{
    return page->conversation ? page->conversation->thread : NULL;
}

static void live_end(struct chat_page *page, struct live *live)
{
    const struct thread *thread = thread_of(page);
    const json_t *interrupts = thread && !thread->in_use ? thread->interrupts : NULL;
    bool open = json_array_size(interrupts) > 0;

    send_event(page, &live->run,
               &(struct run_event){.kind = RUN_ENDED,
                                   .outcome = open ? RUN_INTERRUPTED : RUN_SUCCEEDED,
                                   .interrupts = interrupts});
}

static void add_messages(struct chat_page *page)
{
    const struct thread *thread = thread_of(page);
    struct buf BUF_AUTO frame = {0};

    if (!thread || json_array_size(thread->messages) == 0)
        return;
    agui_messages(thread, &frame);
    add_buf(page, &frame);
}

static void show_thread(struct chat_page *page)
{
    struct live live;

    if (!page->greeted || page->in_run)
        return;
    live_begin(page, &live);
    add_messages(page);
    live_end(page, &live);
}

/* ---- changes ---- */

/* The same change, or the request to read everything again, is already waiting. */
static bool is_waiting(const struct chat_page *page, const json_t *change)
{
    const json_t *waits;
    size_t i;

    json_array_foreach(page->changes, i, waits)
    {
        if (json_string_is(waits, "target", "session") || json_equal((json_t *)waits, change))
            return true;
    }
    return false;
}

void page_hear(struct chat_page *page, const struct store_change *change)
{
    bool all = change->target == STORE_SESSION ||
               json_array_size(page->changes) >= CHAT_CHANGES_CAP ||
               (change->node_id && strlen(change->node_id) > NODE_ID_MAX);
    char who[CHAT_CHANGE_WHO_SIZE];
    struct store_change kept = {.target = change->target, .node_id = change->node_id, .who = who};
    json_auto_t *value = NULL;

    text_cut(who, sizeof who, change->who);
    value = agui_change_value(&kept);
    if (page->ended || is_waiting(page, value))
        return;
    if (all) {
        json_array_clear(page->changes);
        if (change->target != STORE_SESSION) {
            json_decref(value);
            value = agui_change_value(&(struct store_change){.target = STORE_SESSION});
        }
    }
    if (json_array_append(page->changes, value) < 0) /* better to connect again than to miss one */
        end_page(page);
    page->chat->wake(page->user);
}

static void send_state(struct chat_page *page)
{
    struct buf BUF_AUTO frame = {0};

    agui_state(page->state, &frame);
    add_buf(page, &frame);
    json_decref(page->sent_threads);
    page->sent_threads = json_incref(json_object_get(page->state, "threads"));
    json_decref(page->state);
    page->state = NULL;
}

static void send_changes(struct chat_page *page)
{
    json_t *change;
    struct live live;
    bool alone = !page->in_run;
    size_t i;

    if (!page->greeted || (json_array_size(page->changes) == 0 && !page->state))
        return;
    if (alone)
        live_begin(page, &live);
    json_array_foreach(page->changes, i, change)
    {
        struct buf BUF_AUTO frame = {0};

        agui_change(change, &frame);
        add_buf(page, &frame);
    }
    json_array_clear(page->changes);
    if (page->state)
        send_state(page);
    if (alone)
        live_end(page, &live);
}

/* ---- questions ---- */

static void go_on(struct chat_page *page);
static void greet(struct chat_page *page);

static void run_over(struct chat_page *page)
{
    page->in_run = false;
    page->question = NULL;
    agui_run_close(&page->run);
}

static void on_event(struct question *question, const struct run_event *event)
{
    struct chat_page *page = question->user;

    if (!page)
        return;
    page->in_run = true;
    send_event(page, &page->run, event);
    if (event->kind != RUN_ENDED)
        return;
    run_over(page);
    go_on(page);
}

/* A run that ends before it did anything, under the id that its page waits for. */
static void send_unbegun(struct chat_page *page, const struct run_input *input,
                         const struct run_event *end)
{
    struct agui_run run = {.thread_id = input->thread_id, .run_id = input->run_id};

    send_event(page, &run, &(struct run_event){.kind = RUN_BEGAN});
    send_event(page, &run, end);
}

static void on_refused(struct question *question, const struct error *err, const char *code)
{
    struct chat_page *page = question->user;

    if (!page)
        return;
    if (err)
        send_error(page, err->text, code);
    else
        send_unbegun(page, &question->input,
                     &(struct run_event){.kind = RUN_ENDED, .outcome = RUN_CANCELLED});
    run_over(page);
    go_on(page);
}

/* The page shows this thread from now on. */
static int show(struct chat_page *page, const char *thread_id)
{
    struct conversation *conversation = conversation_get(page->chat, page->session_id, thread_id);

    if (!conversation)
        return -1;
    if (page->conversation)
        LIST_REMOVE(&page->viewer, link);
    conversation_release(page->conversation);
    page->conversation = conversation;
    LIST_INSERT_HEAD(&conversation->viewers, &page->viewer, link);
    return 0;
}

static void start(struct chat_page *page, struct question *question)
{
    if (show(page, question->input.thread_id) != 0) {
        question_free(question);
        send_error(page, "out of memory for the question: try again in a moment", "memory");
        return;
    }
    page->run =
        (struct agui_run){.thread_id = question->input.thread_id, .run_id = question->input.run_id};
    page->question = question;
    question_start(page->conversation, question);
}

static void go_on(struct chat_page *page)
{
    while (page->greeted && !page->question && !page->ended && !STAILQ_EMPTY(&page->waiting)) {
        struct question *question = STAILQ_FIRST(&page->waiting);

        STAILQ_REMOVE_HEAD(&page->waiting, link);
        if (question->error.kind == ERROR_NONE) {
            page->input_count--;
            start(page, question);
            continue;
        }
        page->refused_count--;
        if (question->surplus)
            send_unbegun(page, &question->input,
                         &(struct run_event){
                             .kind = RUN_ENDED, .outcome = RUN_FAILED, .err = &question->error});
        else
            send_error(page, question->error.text, error_kind_name(question->error.kind));
        question_free(question);
    }
}

/* ---- the greeting ---- */

/* The thread is loaded after the session was found. */
static void greet(struct chat_page *page)
{
    struct conversation *conversation = page->conversation;
    struct live live;

    if (page->greeted || page->ended || !page->state)
        return;
    if (conversation && !conversation->thread && conversation->error.kind == ERROR_NONE) {
        conversation_load(conversation);
        return;
    }
    live_begin(page, &live);
    send_state(page);
    add_messages(page);
    if (conversation && conversation->error.kind != ERROR_NONE)
        send_error(page, conversation->error.text, error_kind_name(conversation->error.kind));
    else
        live_end(page, &live);
    page->greeted = true;
    go_on(page);
}

static const json_t *find_thread(const json_t *threads, const char *id)
{
    const json_t *thread;
    size_t i;

    json_array_foreach((json_t *)threads, i, thread)
    {
        if (id && json_string_is(thread, "thread_id", id))
            return thread;
    }
    return NULL;
}

/* When each was used last is not worth a frame to everybody. */
static bool were_sent(const json_t *sent, const json_t *threads)
{
    const json_t *thread;
    size_t i;

    json_array_foreach((json_t *)threads, i, thread)
    {
        const json_t *known = find_thread(sent, json_get_string(thread, "thread_id"));

        if (!known ||
            !json_equal(json_object_get(known, "title"), json_object_get(thread, "title")))
            return false;
    }
    return true;
}

void page_take_state(struct chat_page *page, json_t *state, const struct error *err)
{
    if (page->ended || (page->greeted && !state))
        return;
    if (!state) {
        send_error(page, err->text, error_kind_name(err->kind));
        end_page(page);
    } else if (!page->greeted ||
               !were_sent(page->sent_threads, json_object_get(state, "threads"))) {
        json_decref(page->state);
        page->state = json_incref(state);
        if (page->greeted)
            page->chat->wake(page->user);
        else
            greet(page);
    }
}

/* ---- its conversation ---- */

static void on_loaded(struct viewer *viewer)
{
    greet(viewer->user);
}

static void on_ended(struct viewer *viewer)
{
    show_thread(viewer->user);
}

/* ---- input ---- */

/* It is not an error if the run has ended in the meantime. */
static void stop(struct chat_page *page, const char *run_id)
{
    struct question *question;

    if (page->question && strcmp(page->question->input.run_id, run_id) == 0)
        question_cancel(page->question, RUN_STOP_EDITOR);
    STAILQ_FOREACH(question, &page->waiting, link)
    {
        if (strcmp(question->input.run_id, run_id) == 0)
            question->cancelled = true; /* by the editor */
    }
}

/* Of a refused input, keeps only what its answer needs. */
static void keep_ids(struct run_input *input)
{
    struct run_input ids = {0};

    memcpy(ids.thread_id, input->thread_id, sizeof ids.thread_id);
    memcpy(ids.run_id, input->run_id, sizeof ids.run_id);
    run_input_finish(input);
    *input = ids;
}

/* One too many is refused in its turn. -1: too many of those wait as well. */
static int put_in_line(struct chat_page *page, struct question *question)
{
    if (question->error.kind == ERROR_NONE && page->input_count >= CHAT_INPUTS_CAP) {
        error_set(&question->error, ERROR_BUSY,
                  "%u questions are waiting for their answers, so this one was rejected: ask it "
                  "again when there are fewer",
                  CHAT_INPUTS_CAP);
        question->surplus = true;
    }
    if (question->error.kind == ERROR_NONE) {
        page->input_count++;
    } else if (page->refused_count < CHAT_REFUSED_CAP) {
        keep_ids(&question->input);
        page->refused_count++;
    } else {
        return -1;
    }
    STAILQ_INSERT_TAIL(&page->waiting, question, link);
    return 0;
}

int chat_page_receive(struct chat_page *page, const char *text, size_t len)
{
    struct question *question;

    if (page->ended)
        return 0;
    question = calloc(1, sizeof *question);
    if (!question)
        return -1;
    snprintf(question->who, sizeof question->who, "%s", page->who);
    question->identity = *page->identity;
    question->on_event = on_event;
    question->on_refused = on_refused;
    question->user = page;
    if (run_input_read(text, len, &question->input, &question->error) == 0 &&
        question->input.stop) {
        stop(page, question->input.run_id);
        question_free(question);
        return 0;
    }
    if (put_in_line(page, question) != 0) {
        question_free(question);
        return -1;
    }
    go_on(page);
    return 0;
}

bool chat_page_next(struct chat_page *page, struct buf *to)
{
    if (TAILQ_EMPTY(&page->queue.frames))
        send_changes(page);
    if (!chat_queue_next(&page->queue, to))
        return false;
    if (page->question && page->queue.bytes <= CHAT_HOLD_BYTES)
        question_hold(page->question, false);
    return true;
}

/* ---- life ---- */

static struct chat_page *make_page(struct chat *chat, const char *session_id, const char *editor,
                                   void *user)
{
    struct chat_page *page = calloc(1, sizeof *page);

    if (!page)
        return NULL;
    page->changes = json_array(); /* without it the first change ends the page */
    page->chat = chat;
    page->user = user;
    page->identity = &identity_everyone;
    snprintf(page->session_id, sizeof page->session_id, "%s", session_id);
    if (editor && *editor)
        snprintf(page->who, sizeof page->who, "chat:%.*s", utf8_shown(editor, CHAT_EDITOR_MAX),
                 editor);
    else
        snprintf(page->who, sizeof page->who, "chat");
    chat_queue_init(&page->queue);
    STAILQ_INIT(&page->waiting);
    page->viewer = (struct viewer){.on_loaded = on_loaded, .on_ended = on_ended, .user = page};
    LIST_INSERT_HEAD(&chat->pages, page, link);
    chat->page_count++;
    return page;
}

void chat_page_identify(struct chat_page *page, const struct identity *identity)
{
    page->identity = identity;
    if (*identity->name)
        snprintf(page->who, sizeof page->who, "chat:%s", identity->name);
}

struct chat_page *chat_page_create(struct chat *chat, const char *session_id, const char *thread_id,
                                   const char *editor, void *user)
{
    struct chat_page *page = NULL;

    if (chat->page_count < CHAT_PAGES_CAP && strlen(session_id) < SESSION_ID_SIZE)
        page = make_page(chat, session_id, editor, user);
    if (!page)
        return NULL;
    if (thread_id && *thread_id && show(page, thread_id) != 0) {
        chat_page_destroy(page);
        return NULL;
    }
    session_state_read(chat, page->session_id);
    return page;
}

void chat_page_destroy(struct chat_page *page)
{
    struct question *question;

    if (!page)
        return;
    LIST_REMOVE(page, link);
    page->chat->page_count--;
    json_decref(page->state);
    json_decref(page->sent_threads);
    json_decref(page->changes);
    while ((question = STAILQ_FIRST(&page->waiting)) != NULL) {
        STAILQ_REMOVE_HEAD(&page->waiting, link);
        question_free(question);
    }
    if (page->question) {
        page->question->user = NULL;
        question_cancel(page->question, RUN_STOP_PAGE_LEFT);
    }
    agui_run_close(&page->run);
    chat_queue_finish(&page->queue);
    if (page->conversation)
        LIST_REMOVE(&page->viewer, link);
    conversation_release(page->conversation);
    free(page);
}
