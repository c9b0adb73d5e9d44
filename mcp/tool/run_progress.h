/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is new of a run while it runs, from the executor's thread to whoever asks for it on the loop
 * now and then. Nothing wakes the loop and nothing grows: one small buffer keeps the newest output.
 */
#ifndef LECTERN_TOOL_RUN_PROGRESS_H
#define LECTERN_TOOL_RUN_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "helpers/base/buf.h"

#define RUN_PROGRESS_CHARACTERS 1000u              /* of output in words */
#define RUN_PROGRESS_SIZE       ((size_t)32 << 10) /* bytes of output kept between two */

struct run_progress {
    pthread_mutex_t lock;
    bool started;
    unsigned place; /* in the queue, from 1; 0: not told yet */
    bool moved;     /* place or started since the last message */
    bool cut;       /* output before what is kept was thrown away */
    size_t len;
    char recent[RUN_PROGRESS_SIZE]; /* whole characters */
};

void run_progress_init(struct run_progress *progress);
void run_progress_finish(struct run_progress *progress);

/* On the executor's thread. */
void run_progress_queued(struct run_progress *progress, unsigned place);
void run_progress_started(struct run_progress *progress);
void run_progress_output(struct run_progress *progress, const char *text,
                         size_t len); /* valid UTF-8 */

/* On the loop: appends what came since the last time. words: where the run is; printed: the output,
 * or, where more came than is kept, a mark and the newest lines of it. printed NULL: the last lines
 * of the output stand in words, in place of where the run is. false: nothing new. */
bool run_progress_take(struct run_progress *progress, struct buf *words, struct buf *printed);

#endif
