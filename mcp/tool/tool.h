/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tools a model sees: one file a tool, one const table of all. A tool either works straight
 * through on a work queue, with that work queue's store connection (run), or starts something on
 * the loop and finishes later (start).
 */
#ifndef LECTERN_TOOL_H
#define LECTERN_TOOL_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/cancel.h"
#include "helpers/base/error.h"
#include "helpers/base/fields.h"
#include "helpers/base/workq.h"
#include "mcp/store/store.h"
#include "mcp/tool/failure.h"

/* Bytes of one answer's text. By default far less: a model's client takes 25,000 tokens. */
#define TOOL_ANSWER_CAP     ((size_t)160 << 10)
#define TOOL_IMAGES_CAP     8u                /* images of one answer */
#define TOOL_IMAGE_BYTES    ((size_t)8 << 20) /* of base64, in all images of one answer */
#define TOOL_IMAGE_MIME_CAP 32u
#define CHANGE_SET_ID_SIZE  80u
#define TOOL_OPERATIONS_MAX 10u /* of one call; what does more counts as if it deleted */

struct server; /* mcp/server.h */
struct analyses;
struct tool;

struct tool_image {
    char mime[TOOL_IMAGE_MIME_CAP];
    char *base64; /* owned, NUL-terminated */
    size_t len;
};

/* One tools/call on its way. Made and freed by protocol/ on the loop's thread; on a work queue
 * while run works on it. */
struct tool_call {
    struct workq_job job;
    const struct tool *tool;
    struct server *server; /* borrowed */
    json_t *arguments;     /* owned reference, an object */
    const char
        *bound_session;    /* the connection's own session, or NULL; borrowed for the call's life */
    const char *who;       /* for the change log: "mcp:claude-code"; borrowed for the call's life */
    struct cancel *cancel; /* owned reference */

    json_t *idempotency_key; /* from the request's _meta: owned reference, a text; or NULL */
    bool wants_progress;     /* the tool's progress will be asked for */
    bool followup;           /* set by run: the tool's `then` has something to do */
    char kept_key[IDEMPOTENCY_KEY_MAX +
                  1]; /* under which the answer is kept; or "" (mcp/store/store.h) */
    /* Of a call that runs on a work queue and writes, there, in the transaction of run and in front
     * of it; -1 with err: it is not run. May be NULL. */
    int (*before)(struct tool_call *call, struct store *store, struct error *err);
    /* The call is finished, on the loop's thread; the receiver may free it with tool_call_finish.
     */
    void (*on_done)(struct tool_call *call);
    void *user; /* the receiver's */

    /* The result. */
    struct failure failure; /* of a category other than FAILURE_NONE: isError */
    struct buf text;        /* the first text content; owned */
    struct tool_image images[TOOL_IMAGES_CAP];
    size_t image_count;
    /* What it wrote is in the log by this change set; made before run, of a call that writes. ""
     * where it wrote nothing, as far as the tool knows, or an earlier call's answer is told again.
     */
    char change_set[CHANGE_SET_ID_SIZE];
    bool timed;             /* the tool knows these two itself */
    double seconds, waited; /* of the work alone, and before it began */

    void *state; /* the tool's own */
};

/* What a call takes from the curriculum, in rising order. What does very much counts as if it
 * deleted. */
enum tool_loss {
    TOOL_LOSS_NO_EDIT, /* it only looks */
    TOOL_LOSS_NOTHING, /* it adds, or puts in another order */
    TOOL_LOSS_REPLACED,
    TOOL_LOSS_DELETED, /* or emptied */
};

struct tool_impact {
    enum tool_loss loss;
    size_t replaces; /* operations that replace something, where loss is TOOL_LOSS_REPLACED */
};

/* What a call would do. Zeroed, then set by tool_call_preview; texts borrowed from arguments. */
struct tool_preview {
    enum { TOOL_CHANGES, TOOL_UNDOES, TOOL_RESTORES } action;
    json_t *operations; /* owned: of a change set; or NULL */
    bool keep_going;
    long version;           /* expected by a change set; to restore; of what is undone, or 0 */
    const char *change_set; /* that is undone, or NULL */
};

struct tool {
    const char *name;
    const char *title;
    const char *description;
    /* What the page calls one call while its arguments arrive: alternatives separated by "|", of
     * which the first counts whose arguments are there.
     *   {name}        the argument, a text or a number
     *   {name:words}  the same with spaces for underscores; {name:a}: and with an article
     *   {name:THING}  how many things an array has: "2 components"
     *   {name=value}  writes nothing; the argument must have this value ("": any)
     *   [...]         is left out where its arguments are not there */
    const char *call_title;
    const char *icon; /* of the page: "code", "ask", "edit" or "history" */
    const char *use;  /* when to use it, in the chat's prompt */
    /* Appends to the description what depends on the server's configuration; may be NULL. */
    void (*describe_here)(const struct analyses *analyses, struct buf *to);
    /* Checked before the tool gets the call (arguments.h). write_schema gets the analyses as its
     * context. */
    struct fields arguments;
    bool read_only, destructive, idempotent; /* annotations */

    /* On a work queue: `writes` picks sql (one thread, read-write) or trial, else graph where
     * `graphs`, else read. Returns 0 with the answer in call->text, or -1 with err, which becomes
     * an isError result. */
    int (*run)(struct tool_call *call, struct store *store, struct error *err);
    bool writes, graphs;
    /* Of a tool that writes: this call only reads, and goes where reads go. May be NULL. */
    bool (*only_reads)(const struct tool_call *call);
    /* Of a tool that writes: this call only says what it would do. It is run on the trial work
     * queue with a store for reading, and tries it on a copy (store_trial_open). May be NULL. */
    bool (*tries)(const struct tool_call *call);
    /* Of a tool that edits, for a person's approval (preview.c): the operation of a change set that
     * does the same with the same arguments; or preview, as tool_call_preview. */
    const char *operation;
    int (*preview)(const struct tool_call *call, struct tool_preview *preview, struct error *err);
    /* As tool_call_impact. NULL: what the annotations say. */
    struct tool_impact (*impact)(const struct tool_call *call);
    /* Where run has set call->followup, once what it did is kept: on the graph work queue, adds to
     * call->text. What it cannot tell fails no call, the answer says so. May be NULL. */
    int (*then)(struct tool_call *call, struct error *err);
    /* Frees call->state with the call; may be NULL. */
    void (*forget)(struct tool_call *call);
    /* Or on the loop: returns 0 and calls tool_call_complete later, or -1 with err. */
    int (*start)(struct tool_call *call, struct error *err);
    /* On the loop, after call->cancel fired; may be NULL. */
    void (*stop)(struct tool_call *call);
    /* On the loop, now and then while a call that wants progress is under way: what is new since
     * the last time, false where nothing is. words: where it stands, for a line of progress.
     * printed: all that it printed; NULL: the newest of it stands in words instead. May be NULL. */
    bool (*progress)(struct tool_call *call, struct buf *words, struct buf *printed);
};

extern const struct tool *const tools[]; /* NULL-terminated, in the order of tools/list */

const struct tool *tool_find(const char *name); /* NULL when there is none */
void tool_names(struct buf *to); /* "add_component, edit_component, ..." for errors */

/* Appends the tools/list entry: {"name","title","description","inputSchema","annotations"}. */
void tool_describe(const struct tool *tool, const struct analyses *analyses, struct buf *to);

/* On the loop. Takes a zeroed call whose tool, server, arguments, cancel, on_done and others are
 * set; ends in on_done, never before it returns. Wrong arguments too are a result. */
void tool_call_start(struct tool_call *call);
/* On the loop, by protocol, when the client cancels: the call still ends in on_done, soon. */
void tool_call_cancel(struct tool_call *call);
/* On the loop, by a tool with start: failure and text are set. */
void tool_call_complete(struct tool_call *call);
/* Frees what the call owns, not the call. */
void tool_call_finish(struct tool_call *call);

/* Whether this call may write. */
bool tool_call_writes(const struct tool_call *call);
/* Whether it is run on the trial work queue. */
bool tool_call_tries(const struct tool_call *call);

/* What a call would take away. */
struct tool_impact tool_call_impact(const struct tool *tool, const json_t *arguments);
/* What it would do. Checks the arguments first, as tool_call_start does; the texts of *preview are
 * borrowed from them. -1: what is wrong with them, or a tool that has no preview. */
int tool_call_preview(struct tool_call *call, struct tool_preview *preview, struct error *err);

/* FAILURE_NONE where it went well; an answer that outgrew its cap has failed too. */
enum failure_category tool_call_category(const struct tool_call *call);

/* Appends the CallToolResult: {"content":[{"type":"text","text"},{"type":"image","data",
 * "mimeType"}...],"isError","_meta":{"lectern/error":{...}}}. */
void tool_call_result(const struct tool_call *call, struct buf *to);

/* ---- for the tools' own files ---- */

/* Puts an image behind the text; base64 is copied. -1: no room for it in the answer. Any thread. */
int tool_call_add_image(struct tool_call *call, const char *mime, const char *base64, size_t len);

/* The session a call means: its session_id argument, the bound one (which allows no other), or the
 * only one there is. */
int tool_session(const struct tool_call *call, struct store *store, char sid[SESSION_ID_SIZE],
                 struct error *err);

/* Of an edit of a component with these parameters, which may be NULL: what is set to nothing is
 * gone, though its place stays. */
enum tool_loss tool_loss_of_edit(const json_t *parameters);
/* Of the operations of a change set; an unknown one counts as the worst. */
struct tool_impact tool_impact_of(const json_t *operations);

/* The id of the change set that ended with that version. */
int tool_set_of_version(struct store *store, const char *sid, long version,
                        char set[CHANGE_SET_ID_SIZE], struct error *err);

#endif
