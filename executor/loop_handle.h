/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A way into the executor's loop for tasks that may come late, when the loop is gone. Any thread.
 */
#ifndef LECTERN_EXECUTOR_LOOP_HANDLE_H
#define LECTERN_EXECUTOR_LOOP_HANDLE_H

#include <stdbool.h>

#include "helpers/base/loop_queue.h"

struct loop_handle;

struct loop_handle *loop_handle_create(struct loop_queue *loop_queue,
                                       struct error *err); /* one reference, the caller's */
void loop_handle_close(struct loop_handle *loop_handle);   /* nothing is posted any more */
void loop_handle_ref(struct loop_handle *loop_handle);
void loop_handle_unref(struct loop_handle *loop_handle); /* takes NULL */

/* false once it is closed: the task is still the caller's. */
bool loop_handle_post(struct loop_handle *loop_handle, struct loop_task *task);

#endif
