/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a page is told without having asked: the greeting, changes by anybody, and what was said in
 * its thread from another page. Between runs that is a small run of the server's own, told in one
 * go. It ends as the page's own last run did: with the approvals that are open, as a page takes a
 * run that ends without them as word that there are none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/chat/chat_internal.h"
#include "mcp/session/text.h"

#define LIVE_ID_SIZE 32

/* ---- runs of the server's own ---- */

struct live {
    struct agui_run run;
    char id[LIVE_ID_SIZE];
};

static void live_begin(struct chat_page *page, struct live *live)
{
    struct buf frame BUF_AUTO = {0};

    snprintf(live->id, sizeof live->id, "live-%u", ++page->live);
    live->run = (struct agui_run){.thread_id = page_thread_id(page), .run_id = live->id};
    agui_run_started(&live->run, &frame);
    page_add_buf(page, &frame);
}

static struct thread *thread_of(const struct chat_page *page)
{
    return page->conversation ? page->conversation->thread : NULL;
}

static void live_end(struct chat_page *page, const struct live *live)
{
    const struct thread *thread = thread_of(page);
    struct buf frame BUF_AUTO = {0};

    agui_run_finished(&live->run, thread && !thread->in_use ? thread->interrupts : NULL, &frame);
    page_add_buf(page, &frame);
}

static void add_messages(struct chat_page *page)
{
    const struct thread *thread = thread_of(page);
    struct buf frame BUF_AUTO = {0};

    if (!thread || json_array_size(thread->messages) == 0)
        return;
    agui_messages(thread, &frame);
    page_add_buf(page, &frame);
}

void page_show_thread(struct chat_page *page)
{
    struct live live;

    if (!page->greeted || page->in_run)
        return;
    live_begin(page, &live);
    add_messages(page);
    live_end(page, &live);
}

/* ---- changes ---- */

void page_forget_changes(struct chat_page *page)
{
    struct page_change *change;

    while ((change = STAILQ_FIRST(&page->changes)) != NULL) {
        STAILQ_REMOVE_HEAD(&page->changes, link);
        free(change);
    }
    page->change_count = 0;
}

/* It is told already, or waits already. */
static bool is_waiting(const struct chat_page *page, const struct store_change *change)
{
    const struct page_change *waits;

    STAILQ_FOREACH(waits, &page->changes, link)
    {
        if (waits->target == STORE_SESSION)
            return true;
        if (waits->target == change->target &&
            !strcmp(waits->node_id, change->node_id ? change->node_id : "") &&
            !strncmp(waits->who, change->who ? change->who : "", sizeof waits->who - 1))
            return true;
    }
    return false;
}

static void keep_change(struct chat_page *page, const struct store_change *change)
{
    struct page_change *kept = calloc(1, sizeof *kept);

    if (!kept) { /* better to connect anew than to miss one */
        page_end(page);
        return;
    }
    kept->target = change->target;
    text_cut(kept->node_id, sizeof kept->node_id, change->node_id);
    text_cut(kept->who, sizeof kept->who, change->who);
    STAILQ_INSERT_TAIL(&page->changes, kept, link);
    page->change_count++;
}

void page_hear(struct chat_page *page, const struct store_change *change)
{
    static const struct store_change all = {.target = STORE_SESSION};

    if (page->ended || is_waiting(page, change))
        return;
    if (change->target == STORE_SESSION || page->change_count >= CHAT_CHANGES_CAP ||
        (change->node_id && strlen(change->node_id) > NODE_ID_MAX)) {
        page_forget_changes(page);
        if (change->target != STORE_SESSION)
            change = &all;
    }
    keep_change(page, change);
    page->chat->wake(page->user);
}

static void tell_change(struct chat_page *page, const struct page_change *kept)
{
    const struct store_change change = {
        .target = kept->target,
        .sid = page->session_id,
        .node_id = *kept->node_id ? kept->node_id : NULL,
        .who = kept->who,
    };
    struct buf frame BUF_AUTO = {0};

    agui_change(&change, &frame);
    page_add_buf(page, &frame);
}

static void tell_state(struct chat_page *page, const json_t *state)
{
    struct buf frame BUF_AUTO = {0};

    agui_state(state, &frame);
    page_add_buf(page, &frame);
    json_decref(page->sent_threads);
    page->sent_threads = json_incref(json_object_get(state, "threads"));
}

void page_tell_changes(struct chat_page *page)
{
    const struct page_change *change;
    struct live live;
    bool alone = !page->in_run;

    if (!page->greeted || (page->change_count == 0 && !page->news))
        return;
    if (alone)
        live_begin(page, &live);
    STAILQ_FOREACH(change, &page->changes, link)
    tell_change(page, change);
    page_forget_changes(page);
    if (page->news) {
        tell_state(page, page->news);
        json_decref(page->news);
        page->news = NULL;
    }
    if (alone)
        live_end(page, &live);
}

/* ---- the greeting ---- */

struct greeting {
    struct chat_state state; /* first */
    struct chat_page *page;  /* NULL: gone */
};

static void add_error(struct chat_page *page, const struct error *err)
{
    struct buf frame BUF_AUTO = {0};

    agui_run_error(err->text, error_kind_name(err->kind), &frame);
    page_add_buf(page, &frame);
}

static void refuse_page(struct chat_page *page, const struct error *err)
{
    add_error(page, err);
    page_end(page);
}

static void on_greeting_read(struct workq_job *job)
{
    struct greeting *greeting = (struct greeting *)job;
    struct chat_page *page = greeting->page;

    if (page) {
        page->greeting = NULL;
        if (greeting->state.rc == 0)
            page->state = chat_state_make(page->chat, &greeting->state);
        if (page->state)
            page_greet(page);
        else
            refuse_page(page, &greeting->state.err);
    }
    chat_state_finish(&greeting->state);
    free(greeting);
}

void page_begin(struct chat_page *page)
{
    struct greeting *greeting = calloc(1, sizeof *greeting);
    struct error err = {.kind = ERROR_MEMORY, .text = "out of memory: connect again in a moment"};

    if (greeting) {
        greeting->state.job.work = chat_state_work;
        greeting->state.job.done = on_greeting_read;
        greeting->page = page;
        memcpy(greeting->state.session_id, page->session_id, sizeof greeting->state.session_id);
        greeting->state.job.key = workq_key(page->session_id);
        if (workq_submit(page->chat->server->read, &greeting->state.job, &err) == 0) {
            page->greeting = greeting;
            return;
        }
    }
    free(greeting);
    refuse_page(page, &err);
}

void page_forget_greeting(struct chat_page *page)
{
    if (page->greeting)
        page->greeting->page = NULL;
    page->greeting = NULL;
    json_decref(page->state);
    json_decref(page->news);
    json_decref(page->sent_threads);
    page->state = page->news = page->sent_threads = NULL;
}

/* The thread is asked for once the session is known to be there. */
void page_greet(struct chat_page *page)
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
    tell_state(page, page->news ? page->news : page->state);
    json_decref(page->news);
    json_decref(page->state);
    page->news = page->state = NULL;
    add_messages(page);
    if (conversation && conversation->error.kind != ERROR_NONE)
        add_error(page, &conversation->error);
    else
        live_end(page, &live);
    page->greeted = true;
    page_go_on(page);
}
