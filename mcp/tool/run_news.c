/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tool/run_news.h"

#include <string.h>

#include "helpers/base/utf8.h"

#define CUT_MARK "... "

void run_news_init(struct run_news *news)
{
    memset(news, 0, sizeof *news);
    pthread_mutex_init(&news->lock, NULL);
}

void run_news_finish(struct run_news *news)
{
    pthread_mutex_destroy(&news->lock);
}

void run_news_queued(struct run_news *news, unsigned place)
{
    pthread_mutex_lock(&news->lock);
    news->moved |= place != news->place;
    news->place = place;
    pthread_mutex_unlock(&news->lock);
}

void run_news_started(struct run_news *news)
{
    pthread_mutex_lock(&news->lock);
    news->moved = true;
    news->started = true;
    pthread_mutex_unlock(&news->lock);
}

void run_news_output(struct run_news *news, const char *text, size_t len)
{
    size_t over;

    pthread_mutex_lock(&news->lock);
    if (len > RUN_NEWS_SIZE) {
        over = utf8_skip(text, len, len - RUN_NEWS_SIZE);
        text += over;
        len -= over;
        news->cut = true;
        news->len = 0;
    }
    if (news->len + len > RUN_NEWS_SIZE) { /* the oldest makes room */
        over = utf8_skip(news->recent, news->len, news->len + len - RUN_NEWS_SIZE);
        news->len -= over;
        memmove(news->recent, news->recent + over, news->len);
        news->cut = true;
    }
    memcpy(news->recent + news->len, text, len);
    news->len += len;
    pthread_mutex_unlock(&news->lock);
}

/* The last lines of at most that many characters, or of one long line its end. */
static void add_output(struct buf *to, const char *text, size_t len, size_t most, bool cut)
{
    size_t count = utf8_count(text, len), from = 0;
    const char *line_end;

    if (count > most)
        from = utf8_offset(text, len, count - most);
    if (from > 0 || cut) {
        line_end = memchr(text + from, '\n', len - from);
        if (line_end && (size_t)(line_end + 1 - text) < len)
            from = (size_t)(line_end + 1 - text);
        buf_adds(to, CUT_MARK);
    }
    buf_add(to, text + from, len - from);
}

bool run_news_take(struct run_news *news, struct buf *words, struct buf *printed)
{
    char recent[RUN_NEWS_SIZE];
    bool moved, cut, started;
    unsigned place;
    size_t len;

    pthread_mutex_lock(&news->lock);
    len = news->len;
    memcpy(recent, news->recent, len);
    cut = news->cut;
    moved = news->moved;
    started = news->started;
    place = news->place;
    news->len = 0;
    news->cut = news->moved = false;
    pthread_mutex_unlock(&news->lock);
    if (len > 0 && printed)
        add_output(printed, recent, len, RUN_NEWS_SIZE, cut);
    else if (len > 0)
        add_output(words, recent, len, RUN_NEWS_CHARACTERS, cut);
    if (moved && (len == 0 || printed)) {
        if (started)
            buf_adds(words, "running");
        else
            buf_addf(words, "waiting for a sandbox: place %u", place);
    }
    return len > 0 || moved;
}
