/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A way into the executor's loop for tasks that may come late, when the loop is gone. Any thread.
 */
#ifndef LECTERN_EXECUTOR_GATE_H
#define LECTERN_EXECUTOR_GATE_H

#include <stdbool.h>

#include "helpers/base/loop_queue.h"

struct gate;

struct gate *gate_create(struct loop_queue *loop_queue,
                         struct error *err); /* one reference, the caller's */
void gate_close(struct gate *gate);          /* nothing is posted any more */
void gate_ref(struct gate *gate);
void gate_unref(struct gate *gate); /* takes NULL */

/* false once it is closed: the task is still the caller's. */
bool gate_post(struct gate *gate, struct loop_task *task);

#endif
