/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tool/run_progress.h"

#include <string.h>

#include "helpers/base/utf8.h"

#define CUT_MARK "... "

void run_progress_init(struct run_progress *progress)
{
    memset(progress, 0, sizeof *progress);
    pthread_mutex_init(&progress->lock, NULL);
}

void run_progress_finish(struct run_progress *progress)
{
    pthread_mutex_destroy(&progress->lock);
}

void run_progress_queued(struct run_progress *progress, unsigned place)
{
    pthread_mutex_lock(&progress->lock);
    progress->moved |= place != progress->place;
    progress->place = place;
    pthread_mutex_unlock(&progress->lock);
}

void run_progress_started(struct run_progress *progress)
{
    pthread_mutex_lock(&progress->lock);
    progress->moved = true;
    progress->started = true;
    pthread_mutex_unlock(&progress->lock);
}

void run_progress_output(struct run_progress *progress, const char *text, size_t len)
{
    size_t over;

    pthread_mutex_lock(&progress->lock);
    if (len > RUN_PROGRESS_SIZE) {
        over = utf8_skip(text, len, len - RUN_PROGRESS_SIZE);
        text += over;
        len -= over;
        progress->cut = true;
        progress->len = 0;
    }
    if (progress->len + len > RUN_PROGRESS_SIZE) { /* the oldest makes room */
        over = utf8_skip(progress->recent, progress->len, progress->len + len - RUN_PROGRESS_SIZE);
        progress->len -= over;
        memmove(progress->recent, progress->recent + over, progress->len);
        progress->cut = true;
    }
    memcpy(progress->recent + progress->len, text, len);
    progress->len += len;
    pthread_mutex_unlock(&progress->lock);
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

bool run_progress_take(struct run_progress *progress, struct buf *words, struct buf *printed)
{
    char recent[RUN_PROGRESS_SIZE];
    bool moved, cut, started;
    unsigned place;
    size_t len;

    pthread_mutex_lock(&progress->lock);
    len = progress->len;
    memcpy(recent, progress->recent, len);
    cut = progress->cut;
    moved = progress->moved;
    started = progress->started;
    place = progress->place;
    progress->len = 0;
    progress->cut = progress->moved = false;
    pthread_mutex_unlock(&progress->lock);
    if (len > 0 && printed)
        add_output(printed, recent, len, RUN_PROGRESS_SIZE, cut);
    else if (len > 0)
        add_output(words, recent, len, RUN_PROGRESS_CHARACTERS, cut);
    if (moved && (len == 0 || printed)) {
        if (started)
            buf_adds(words, "running");
        else
            buf_addf(words, "waiting for a sandbox: place %u", place);
    }
    return len > 0 || moved;
}
