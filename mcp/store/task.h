/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tasks of solve (mcp/agent/solve.h): their entries are JSON that the store does not interpret,
 * stored as conversations are. Each new task deletes a few of the oldest.
 */
#ifndef LECTERN_STORE_TASK_H
#define LECTERN_STORE_TASK_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "mcp/store/store.h"

#define TASKS_KEPT_DAYS 30
#define TASKS_MAX       10000
#define TASKS_DROPPED   20 /* at most, with each new task */
#define TASKS_LIMIT_MAX 500

/* Appends {"session_id", "tasks": [{"id", "question", "status", "created", "updated", "attempts"}]}
 * of the newest tasks, at most `most`; the newest first. status is null without an answer. */
int store_tasks_read(struct store *store, const char *sid, size_t most, struct buf *json,
                     struct error *err);
/* {"id", "session_id", "question", "status", "attempts", "created", "updated", "entries": [...]}.
 * ERROR_NOT_FOUND if the session has no such task. */
int store_task_read(struct store *store, const char *sid, const char *task_id, struct buf *json,
                    struct error *err);
/* The session of a task, or ERROR_NOT_FOUND. */
int store_task_session(struct store *store, const char *task_id, char sid[SESSION_ID_SIZE],
                       struct error *err);

struct task_row {
    const char *task_id, *question;
    const char *status; /* NULL: it has no answer */
    unsigned attempts;
};
/* Appends entries to a task that has `there` entries (0: creates it). Durable when it returns 0.
 * ERROR_STALE if it has another number of entries, because another process continues it. */
int store_task_append(struct store *store, const char *sid, const struct task_row *task,
                      size_t there, const json_t *entries, struct error *err);
/* In a write transaction: deletes the oldest tasks that were created before a time, or of which
 * there are more than most; at most TASKS_DROPPED. */
int store_tasks_drop_old(struct store *store, const char *before, int64_t most, struct error *err);

#endif
