/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A write in three stages: its rows on the work queue that writes, in one step or in those of a
 * large write (large_write.h); its effect on the graph on the graph work queue; and its complete
 * answer, stored for a repeat with the same key, on the work queue that writes. The rows are
 * committed before the second stage, and their answer is stored with them, still without the
 * effect: so the only writer does not wait for a graph, and a later stage that fails leaves the
 * answer without its end but does not fail the write.
 *
 * Used on the loop's thread but where a function says otherwise.
 */
#ifndef LECTERN_CHANGE_STAGED_WRITE_H
#define LECTERN_CHANGE_STAGED_WRITE_H

#include <stdbool.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"
#include "helpers/base/workq.h"
#include "mcp/store/large_write.h"
#include "mcp/store/store.h"

struct staged_write;

/* The parts in which a tool call and a request of the session API differ. */
struct staged_write_ops {
    const char *area; /* of its lines in the log */
    /* Appends the effect to the answer, on the graph work queue; or, on the loop, the error of that
     * work queue if it is full. */
    void (*add_effect)(struct staged_write *write, const struct error *refused);
    /* After the effect: whether the complete answer is stored. NULL: always. */
    bool (*is_wanted)(const struct staged_write *write);
    /* The end. It may free the write. */
    void (*done)(struct staged_write *write);
};

/* The first member of the caller's own struct, which its callbacks get from the pointer to it. */
struct staged_write {
    struct workq_job job; /* of each stage; its functions of the first one are set by the caller */
    const struct staged_write_ops *ops;
    struct write_queues {
        struct workq *sql, *trial, *graph;
    } queues;
    struct large_write rows;  /* the steps of the first stage */
    const char *key;          /* of the stored answer; NULL: none is stored. Borrowed */
    const struct buf *answer; /* borrowed */
};

/* Submits the next step of the rows, if rows.unfinished, to the work queue of that step. */
int staged_write_next_step(struct staged_write *write, struct error *err);
/* After the rows are committed: the second stage and the third one, then ops->done. */
void staged_write_add_effect(struct staged_write *write);
/* Stores the complete answer under the key. The write is done, even if that fails, which is logged.
 * On the thread of a work queue that writes. */
void staged_write_store_answer(const struct staged_write *write, struct store *store);

#endif
