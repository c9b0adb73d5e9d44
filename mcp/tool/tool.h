/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tools a model sees: one file a tool, one const table of all. A tool either works straight
 * through on a lane, with that lane's store connection (run), or starts something on the loop and
 * finishes later (start).
 */
#ifndef LECTERN_TOOL_H
#define LECTERN_TOOL_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/cancel.h"
#include "helpers/base/error.h"
#include "helpers/base/lane.h"
#include "mcp/session/store.h"

#define TOOL_ANSWER_CAP                                                                            \
    ((size_t)96 << 10) /* bytes of one answer's text; a model's client takes 25,000 tokens */

struct server_parts; /* what tools stand on: lanes, executor, profile; mcp/server_parts.h */
struct tool;

enum tool_category { /* tools.md: "errorCategory" */
                     TOOL_ERROR_NONE,
                     TOOL_ERROR_VALIDATION,
                     TOOL_ERROR_RUNTIME,
                     TOOL_ERROR_TIMEOUT,
                     TOOL_ERROR_MEMORY,
                     TOOL_ERROR_OUTPUT,
                     TOOL_ERROR_CANCELLED,
                     TOOL_ERROR_BUSY,
                     TOOL_ERROR_ENGINE,
};
const char *tool_category_name(enum tool_category category);
bool tool_category_retryable(enum tool_category category);

/* One tools/call on its way. Made and freed by protocol/ on the loop's thread; on a lane while run
 * works on it. */
struct tool_call {
    struct lane_job job;
    const struct tool *tool;
    struct server_parts *parts; /* borrowed */
    json_t *arguments;          /* owned reference, an object */
    const char
        *bound_session;    /* the connection's own session, or NULL; borrowed for the call's life */
    const char *who;       /* for the change log: "mcp:claude-code"; borrowed for the call's life */
    struct cancel *cancel; /* owned reference */

    /* Progress from 1 s on and output as it comes; loop's thread only; may be NULL. progress only
     * rises. */
    void (*on_progress)(struct tool_call *call, double progress, const char *message);
    /* The call is finished, on the loop's thread; the receiver may free it with tool_call_finish.
     */
    void (*on_done)(struct tool_call *call);
    void *user; /* the receiver's */

    /* The result. */
    enum tool_category category; /* other than NONE: isError */
    struct buf text;             /* the first text content; owned */

    /* start's own state, and the id of its run for cancelling. */
    void *state;
    uint64_t run_id;
};

struct tool {
    const char *name;
    const char *title;
    const char *description;
    /* JSON Schema of the arguments. NULL: schema_write appends it (where an enum comes from a
     * table). */
    const char *schema;
    void (*schema_write)(struct buf *to);
    bool read_only, destructive, idempotent; /* annotations */

    /* On a lane: `writes` picks sql (one thread, read-write), else graph where `graphs`, else read.
     * Returns 0 with the answer in call->text, or -1 with err, which becomes an isError result. */
    int (*run)(struct tool_call *call, struct store *store, struct error *err);
    bool writes, graphs;
    /* Or on the loop: returns 0 and calls tool_call_complete later, or -1 with err. */
    int (*start)(struct tool_call *call, struct error *err);
    /* On the loop, after call->cancel fired; may be NULL. */
    void (*stop)(struct tool_call *call);
};

extern const struct tool *const tools[]; /* NULL-terminated, in the order of tools/list */

const struct tool *tool_find(const char *name); /* NULL when there is none */
void tool_names(struct buf *to); /* "add_component, edit_component, ..." for errors */

/* Appends the tools/list entry: {"name","title","description","inputSchema","annotations"}. */
void tool_describe(const struct tool *tool, struct buf *to);

/* On the loop. Takes a zeroed call whose tool, parts, arguments, cancel, on_done and others are
 * set; ends in on_done, never before it returns. Wrong arguments too are a result. */
void tool_call_start(struct tool_call *call);
/* On the loop, by protocol, when the client cancels: the call still ends in on_done, soon. */
void tool_call_cancel(struct tool_call *call);
/* On the loop, by a tool with start: category and text are set. */
void tool_call_complete(struct tool_call *call);
/* Frees what the call owns, not the call. */
void tool_call_finish(struct tool_call *call);

/* Appends the CallToolResult:
 * {"content":[{"type":"text","text"}],"isError","_meta":{"lectern/error":{...}}}. */
void tool_call_result(const struct tool_call *call, struct buf *to);

/* ---- for the tools' own files ---- */

/* The session a call means: its session_id argument, the bound one (which allows no other), or the
 * only one there is. */
int tool_session(const struct tool_call *call, struct store *store, char sid[SESSION_ID_SIZE],
                 struct error *err);

#endif
