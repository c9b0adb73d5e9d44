/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is new of a run while it runs, from the executor's thread to whoever asks for it on the loop
 * now and then. Nothing wakes the loop and nothing grows: one small buffer keeps the newest output.
 */
#ifndef LECTERN_TOOL_RUN_NEWS_H
#define LECTERN_TOOL_RUN_NEWS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "helpers/base/buf.h"

#define RUN_NEWS_CHARACTERS 1000u              /* of output in words */
#define RUN_NEWS_SIZE       ((size_t)32 << 10) /* bytes of output kept between two */

struct run_news {
    pthread_mutex_t lock;
    bool started;
    unsigned place; /* in the queue, from 1; 0: not told yet */
    bool moved;     /* place or started since the last message */
    bool cut;       /* output before what is kept was thrown away */
    size_t len;
    char recent[RUN_NEWS_SIZE]; /* whole characters */
};

void run_news_init(struct run_news *news);
void run_news_finish(struct run_news *news);

/* On the executor's thread. */
void run_news_queued(struct run_news *news, unsigned place);
void run_news_started(struct run_news *news);
void run_news_output(struct run_news *news, const char *text, size_t len); /* valid UTF-8 */

/* On the loop: appends what came since the last time. words: where the run is; printed: the output,
 * or, where more came than is kept, a mark and the newest lines of it. printed NULL: the last lines
 * of the output stand in words, in place of where the run is. false: nothing new. */
bool run_news_take(struct run_news *news, struct buf *words, struct buf *printed);

#endif
