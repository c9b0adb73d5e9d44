/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What tools under way have to tell, asked for now and then.
 */
#include <stdlib.h>

#include "helpers/base/utf8.h"
#include "mcp/chat/run_internal.h"

#define WORDS_CAP   ((size_t)1 << 10)  /* bytes of one RUN_CALL_STANDS */
#define PRINTED_CAP ((size_t)64 << 10) /* of one RUN_CALL_PRINTED */

struct run_progress_timer {
    uv_timer_t timer; /* first */
    struct chat_run *run;
};

static void tell(struct run_call *call, enum run_event_kind kind, const struct buf *given,
                 size_t cap)
{
    struct buf BUF_AUTO text = {0};

    if (given->len == 0)
        return;
    utf8_clean(given->data, given->len, cap, &text);
    if (!text.failed)
        run_tell(call->run, &(struct run_event){.kind = kind,
                                                .id = call->id,
                                                .name = call->name,
                                                .text = text.data,
                                                .len = text.len});
}

static void tell_progress(struct run_call *call)
{
    struct buf BUF_AUTO words = {0}, printed = {0};

    buf_init(&words, WORDS_CAP);
    buf_init(&printed, PRINTED_CAP);
    if (!call->tool->progress(&call->call, &words, &printed))
        return;
    tell(call, RUN_CALL_STANDS, &words, WORDS_CAP);
    if (!call->run->cancelled) /* by who was told */
        tell(call, RUN_CALL_PRINTED, &printed, PRINTED_CAP);
}

static void on_progress_timer(uv_timer_t *timer)
{
    struct chat_run *run = ((struct run_progress_timer *)timer)->run;

    for (size_t i = 0; i < run->call_count; i++) {
        struct run_call *call = &run->calls[i];

        if (call->state == CALL_RUNS && call->tool->progress && !run->cancelled)
            tell_progress(call);
    }
}

void run_watch_begin(struct chat_run *run)
{
    if (run->progress)
        return;
    run->progress = calloc(1, sizeof *run->progress);
    if (!run->progress) /* the results come all the same */
        return;
    run->progress->run = run;
    uv_timer_init(run->server->loop, &run->progress->timer);
    uv_timer_start(&run->progress->timer, on_progress_timer, RUN_PROGRESS_MS, RUN_PROGRESS_MS);
}

static void on_progress_closed(uv_handle_t *handle)
{
    free(handle);
}

void run_watch_end(struct chat_run *run)
{
    if (run->progress)
        uv_close((uv_handle_t *)&run->progress->timer, on_progress_closed);
    run->progress = NULL;
}
