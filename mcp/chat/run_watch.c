/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What tools under way have to tell, asked for now and then.
 */
#include <stdlib.h>

#include "helpers/base/utf8.h"
#include "mcp/chat/run_private.h"

#define NEWS_CAP ((size_t)8 << 10) /* bytes of one RUN_CALL_NEWS */

struct run_news_timer {
    uv_timer_t timer; /* first */
    struct run *run;
};

static void tell_news(struct run_call *call)
{
    struct buf BUF_AUTO news = {0}, text = {0};

    buf_init(&news, NEWS_CAP);
    if (!call->tool->news(&call->call, &news) || news.len == 0)
        return;
    utf8_clean(news.data, news.len, NEWS_CAP, &text);
    if (!text.failed)
        run_tell(call->run, &(struct run_event){.kind = RUN_CALL_NEWS,
                                                .id = call->id,
                                                .name = call->name,
                                                .text = text.data,
                                                .len = text.len});
}

static void on_news(uv_timer_t *timer)
{
    struct run *run = ((struct run_news_timer *)timer)->run;

    for (size_t i = 0; i < run->call_count; i++) {
        struct run_call *call = &run->calls[i];

        if (call->state == CALL_RUNS && call->tool->news && !run->cancelled)
            tell_news(call);
    }
}

void run_watch_begin(struct run *run)
{
    if (run->news)
        return;
    run->news = calloc(1, sizeof *run->news);
    if (!run->news) /* the results come all the same */
        return;
    run->news->run = run;
    uv_timer_init(run->parts->loop, &run->news->timer);
    uv_timer_start(&run->news->timer, on_news, RUN_NEWS_MS, RUN_NEWS_MS);
}

static void on_news_closed(uv_handle_t *handle)
{
    free(handle);
}

void run_watch_end(struct run *run)
{
    if (run->news)
        uv_close((uv_handle_t *)&run->news->timer, on_news_closed);
    run->news = NULL;
}
