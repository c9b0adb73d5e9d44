/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One page: what comes up is worked off one after the other, what goes down stands in the order
 * that AG-UI asks for. A RUN_ERROR would end the run that it comes into, so what is wrong with an
 * input is told in its turn.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/utf8.h"
#include "mcp/chat/chat_internal.h"

struct page_input {
    STAILQ_ENTRY(page_input) link;
    struct run_input input;
    struct error error; /* kind ERROR_NONE: it can be taken; else of input the ids alone */
    bool surplus;       /* there was no place for it */
    bool cancelled;
};

static void free_input(struct page_input *input)
{
    run_input_finish(&input->input);
    free(input);
}

/* ---- what goes down ---- */

void page_end(struct chat_page *page)
{
    if (page->ended)
        return;
    page->ended = true;
    if (page->request)
        request_cancel(page->request, RUN_STOP_PAGE_LEFT);
    page->chat->wake(page->user);
}

static void add(struct chat_page *page, const char *frame, size_t len, bool grows)
{
    if (page->ended)
        return;
    if (chat_queue_add(&page->queue, frame, len, grows) == 0) {
        page->chat->wake(page->user);
        return;
    }
    chat_queue_finish(&page->queue); /* it reads no more: the memory is of better use */
    page_end(page);
}

void page_add_buf(struct chat_page *page, struct buf *frame)
{
    if (frame->failed)
        page_end(page);
    else
        add(page, frame->data, frame->len, false);
    buf_clear(frame);
}

bool chat_page_next(struct chat_page *page, struct buf *to)
{
    if (chat_queue_next(&page->queue, to))
        return true;
    page_tell_changes(page);
    return chat_queue_next(&page->queue, to);
}

bool chat_page_ended(const struct chat_page *page)
{
    return page->ended;
}

static void tell_error(struct chat_page *page, const char *message, const char *code)
{
    struct buf frame BUF_AUTO = {0};

    agui_run_error(message, code, &frame);
    page_add_buf(page, &frame);
}

const char *page_thread_id(const struct chat_page *page)
{
    return page->conversation ? page->conversation->thread_id : "";
}

/* ---- a run ---- */

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

static void run_over(struct chat_page *page)
{
    page->in_run = false;
    page->request = NULL;
    agui_run_close(&page->run);
}

static void on_event(struct queued_request *request, const struct run_event *event)
{
    struct chat_page *page = request->user;
    struct adding adding = {page, grows(event->kind)};

    if (!page)
        return;
    page->in_run = true;
    agui_write(&page->run, event, on_frame, &adding);
    if (event->kind != RUN_ENDED)
        return;
    run_over(page);
    page_go_on(page);
}

static void tell_cancelled(struct chat_page *page, const struct run_input *input)
{
    const struct agui_run run = {.thread_id = input->thread_id, .run_id = input->run_id};
    struct buf frame BUF_AUTO = {0};

    agui_run_started(&run, &frame);
    page_add_buf(page, &frame);
    agui_run_cancelled(&run, &frame);
    page_add_buf(page, &frame);
}

/* Its run is named: who sent it waits for that one. */
static void tell_surplus(struct chat_page *page, const struct page_input *input)
{
    const struct agui_run run = {.thread_id = input->input.thread_id,
                                 .run_id = input->input.run_id};
    struct buf frame BUF_AUTO = {0};

    agui_run_started(&run, &frame);
    page_add_buf(page, &frame);
    tell_error(page, input->error.text, error_kind_name(input->error.kind));
}

static void on_refused(struct queued_request *request, const struct error *err, const char *code)
{
    struct chat_page *page = request->user;

    if (!page)
        return;
    if (err)
        tell_error(page, err->text, code);
    else
        tell_cancelled(page, &request->input);
    run_over(page);
    page_go_on(page);
}

/* The page shows this thread from now on. */
static int show(struct chat_page *page, const char *thread_id)
{
    struct conversation *conversation = conversation_get(page->chat, page->session_id, thread_id);

    if (!conversation)
        return -1;
    conversation_release(page->conversation);
    page->conversation = conversation;
    return 0;
}

static void start(struct chat_page *page, struct page_input *input)
{
    struct queued_request *request = calloc(1, sizeof *request);

    if (!request || show(page, input->input.thread_id) != 0) {
        free(request);
        tell_error(page, "out of memory for the question: try again in a moment", "memory");
        return;
    }
    request->input = input->input;
    memset(&input->input, 0, sizeof input->input);
    snprintf(request->who, sizeof request->who, "%s", page->who);
    request->on_event = on_event;
    request->on_refused = on_refused;
    request->user = page;
    request->cancelled = input->cancelled; /* by the editor */
    page->run =
        (struct agui_run){.thread_id = request->input.thread_id, .run_id = request->input.run_id};
    page->request = request;
    if (request_start(page->chat, page->session_id, request) == 0)
        return;
    page->request = NULL;
    tell_error(page, "out of memory for the question: try again in a moment", "memory");
}

void page_go_on(struct chat_page *page)
{
    while (page->greeted && !page->request && !page->ended && !STAILQ_EMPTY(&page->inputs)) {
        struct page_input *input = STAILQ_FIRST(&page->inputs);

        STAILQ_REMOVE_HEAD(&page->inputs, link);
        if (input->error.kind != ERROR_NONE)
            page->refused_count--;
        else
            page->input_count--;
        if (input->surplus)
            tell_surplus(page, input);
        else if (input->error.kind != ERROR_NONE)
            tell_error(page, input->error.text, error_kind_name(input->error.kind));
        else
            start(page, input);
        free_input(input);
    }
}

/* ---- what comes up ---- */

/* One that has ended meanwhile is no mistake. */
static void stop(struct chat_page *page, const char *run_id)
{
    struct page_input *input;

    if (page->request && !strcmp(page->request->input.run_id, run_id))
        request_cancel(page->request, RUN_STOP_EDITOR);
    STAILQ_FOREACH(input, &page->inputs, link)
    {
        if (!strcmp(input->input.run_id, run_id))
            input->cancelled = true;
    }
}

/* Of one that is not taken stays what its answer needs. */
static void keep_ids(struct run_input *input)
{
    struct run_input ids = {0};

    memcpy(ids.thread_id, input->thread_id, sizeof ids.thread_id);
    memcpy(ids.run_id, input->run_id, sizeof ids.run_id);
    run_input_finish(input);
    *input = ids;
}

/* One too many is told in its turn that it was not taken. -1: too many of those wait as well. */
static int put_in_line(struct chat_page *page, struct page_input *input)
{
    if (input->error.kind == ERROR_NONE && page->input_count >= CHAT_INPUTS_CAP) {
        error_set(&input->error, ERROR_BUSY,
                  "%u questions wait for their answers already, so this one was not taken: ask it "
                  "again when there are fewer",
                  CHAT_INPUTS_CAP);
        input->surplus = true;
    }
    if (input->error.kind == ERROR_NONE) {
        page->input_count++;
    } else if (page->refused_count < CHAT_REFUSED_CAP) {
        keep_ids(&input->input);
        page->refused_count++;
    } else {
        return -1;
    }
    STAILQ_INSERT_TAIL(&page->inputs, input, link);
    return 0;
}

int chat_page_receive(struct chat_page *page, const char *text, size_t len)
{
    struct page_input *input;

    if (page->ended)
        return 0;
    input = calloc(1, sizeof *input);
    if (!input)
        return -1;
    if (run_input_read(text, len, &input->input, &input->error) == 0 && input->input.stop) {
        stop(page, input->input.run_id);
        free_input(input);
        return 0;
    }
    if (put_in_line(page, input) != 0) {
        free_input(input);
        return -1;
    }
    page_go_on(page);
    return 0;
}

/* ---- life ---- */

static struct chat_page *make_page(struct chat *chat, const char *session_id, const char *editor,
                                   void *user)
{
    struct chat_page *page = calloc(1, sizeof *page);

    if (!page)
        return NULL;
    page->chat = chat;
    page->user = user;
    snprintf(page->session_id, sizeof page->session_id, "%s", session_id);
    if (editor && *editor)
        snprintf(page->who, sizeof page->who, "chat:%.*s", utf8_shown(editor, CHAT_EDITOR_MAX),
                 editor);
    else
        snprintf(page->who, sizeof page->who, "chat");
    chat_queue_init(&page->queue);
    STAILQ_INIT(&page->changes);
    STAILQ_INIT(&page->inputs);
    LIST_INSERT_HEAD(&chat->pages, page, link);
    chat->page_count++;
    return page;
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
    page_begin(page);
    return page;
}

void chat_page_destroy(struct chat_page *page)
{
    struct page_input *input;

    if (!page)
        return;
    LIST_REMOVE(page, link);
    page->chat->page_count--;
    page_forget_greeting(page);
    page_forget_changes(page);
    while ((input = STAILQ_FIRST(&page->inputs)) != NULL) {
        STAILQ_REMOVE_HEAD(&page->inputs, link);
        free_input(input);
    }
    if (page->request) {
        page->request->user = NULL;
        request_cancel(page->request, RUN_STOP_PAGE_LEFT);
    }
    agui_run_close(&page->run);
    chat_queue_finish(&page->queue);
    conversation_release(page->conversation);
    free(page);
}
