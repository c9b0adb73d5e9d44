/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tools that a model can call: one file for each tool, and one const table of all. A tool is
 * either sequential code on a work queue, with the store connection of that work queue (run), or
 * starts something on the loop and completes later (start).
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
#include "mcp/auth/identity.h"
#include "mcp/change/staged_write.h"
#include "mcp/store/idempotency.h"
#include "mcp/store/store.h"
#include "mcp/tool/failure.h"

/* Bytes of the text of one answer. The default limit is far lower: a model's client accepts 25,000
 * tokens. */
#define TOOL_ANSWER_CAP     ((size_t)160 << 10)
#define TOOL_IMAGES_CAP     8u                /* in one answer */
#define TOOL_IMAGE_BYTES    ((size_t)8 << 20) /* base64, all images of one answer together */
#define TOOL_IMAGE_MIME_CAP 32u
#define CHANGE_SET_ID_SIZE  80u
#define TOOL_OPERATIONS_MAX 10u               /* in one call; more count as destructive */
#define TOOL_STATE_CAP      ((size_t)8 << 10) /* bytes of what a call keeps while it asks */
#define TOOL_ASKS_CAP       8u                /* questions at once */

struct server; /* mcp/server.h */
struct analyses;
struct solution_check; /* mcp/tool/solution_check.h */
struct tool;

struct tool_image {
    char mime[TOOL_IMAGE_MIME_CAP];
    char *base64; /* owned, NUL-terminated */
    size_t len;
};

/* What a call sends its client while it runs (tool_call_notify). Levels are those of syslog, "info"
 * and so on. */
struct tool_note {
    enum {
        TOOL_NOTE_PROGRESS,  /* progress, total, message */
        TOOL_NOTE_LOG,       /* level, logger, data */
        TOOL_NOTE_TOOLS,     /* the list of tools has changed */
        TOOL_NOTE_PROMPTS,   /* and of prompts */
        TOOL_NOTE_RESOURCES, /* and of resources */
        TOOL_NOTE_RESOURCE,  /* the resource with this uri has changed */
        TOOL_NOTE_PAUSE,     /* nothing comes for a while: the client may come back for the rest */
    } kind;
    double progress, total;     /* total 0: unknown */
    const char *message;        /* or NULL */
    const char *level, *logger; /* logger: or NULL */
    const json_t *data;
    const char *uri;
};

/* What the client of a call can be asked (tool_call.can_ask), a set. */
enum tool_ask {
    TOOL_ASKS_FORM = 1,  /* elicitation/create, its default mode */
    TOOL_ASKS_URL = 2,   /* elicitation/create with mode "url" */
    TOOL_ASKS_MODEL = 4, /* sampling/createMessage */
    TOOL_ASKS_ROOTS = 8, /* roots/list */
};

struct tool_call;

/* Callbacks for each program that a call runs; all on the loop. */
struct tool_programs {
    /* Before it is checked. false: it does not run, and why has the reason for its author. */
    bool (*may_run)(struct tool_call *call, const char *code, size_t len, struct buf *why);
    /* It has ended, or could not or may not run. */
    void (*ended)(struct tool_call *call, const char *code, size_t len,
                  const struct failure *failure);
};

/* One tools/call. Created and freed by protocol/ on the loop's thread; used on a work queue while
 * run executes. */
struct tool_call {
    struct staged_write staged; /* its job, and the stages of a call that writes */
    const struct tool *tool;
    struct server *server;     /* borrowed */
    json_t *arguments;         /* owned reference, an object */
    const char *bound_session; /* the connection's, or NULL; borrowed until the call is freed */
    const char *bound_learner; /* likewise: the only learner that the call may concern */
    bool applies_dry_runs; /* by their numbers: the caller does not look at the arguments before */
    const char *who;       /* for the change log: "mcp:claude-code"; borrowed likewise */
    /* Who calls; borrowed likewise. NULL: everyone (stdio). tool_call_start refuses what it may not
     * do. */
    const struct identity *identity;
    struct cancel *cancel; /* owned reference */

    json_t *idempotency_key; /* from the request's _meta, a string; owned reference, or NULL */
    bool wants_progress;     /* the tool's progress will be called */
    const struct tool_programs *programs; /* or NULL */
    const char *log_members; /* ends the log lines of its programs: " attempt=2/3"; or NULL */
    bool at_once;            /* on_done may be called before tool_call_start returns */
    bool briefly;            /* for run: see brief in struct tool */
    bool followup;           /* set by run if the tool's `then` must be called */
    char kept_key[IDEMPOTENCY_KEY_MAX + 1]; /* of the stored answer: staged.key, if set */
    /* For a call that writes on a work queue: called there before run, in the same transaction. If
     * it returns -1 with err, run is not called. Neither is called for a repeat that gets the
     * stored answer. May be NULL. */
    int (*before)(struct tool_call *call, struct store *store, struct error *err);
    /* The call is finished. Called on the loop's thread; the receiver may free the call with
     * tool_call_finish. */
    void (*on_done)(struct tool_call *call);
    void *user; /* the receiver's */

    /* Sends the client something meanwhile; on the loop's thread. May be NULL. */
    void (*notify)(struct tool_call *call, const struct tool_note *note);

    /* Asking. A call that cannot go on without its client or a person ends with `asks`, an object
     * {key: {"method", "params"}} of at most TOOL_ASKS_CAP, and is started again from its beginning
     * when they are answered, with the results by key in `answers`. It may keep a text until then
     * in `kept`, which the client cannot change (but may read), and gets it back in `kept_before`.
     * Answers that were not asked for may be among them, and a client may send answers or `kept`
     * without the other: a tool that misses an answer asks again. */
    unsigned can_ask;        /* enum tool_ask: whom the client can be asked for */
    json_t *answers;         /* an object, or NULL; owned reference */
    const char *kept_before; /* or NULL; owned by who made the call */
    json_t *asks;            /* owned */
    struct buf kept;         /* owned; "": nothing is kept */

    /* The result. */
    struct failure failure; /* isError if the category is not FAILURE_NONE */
    struct buf text;        /* the first text content; owned */
    struct tool_image images[TOOL_IMAGES_CAP];
    size_t image_count;
    json_t *parts; /* an array of further content blocks, as the protocol writes them; or NULL;
                      owned. With images or parts an empty text is left out. */
    /* The change set of the call's writes in the log, set before run for a call that writes. "" if
     * nothing was written, as far as the tool knows, or if the answer of an earlier call is
     * returned. */
    char change_set[CHANGE_SET_ID_SIZE];
    bool timed;             /* the tool sets the next two itself */
    double seconds, waited; /* duration of the work alone, and of the wait before it */

    void *state;                      /* the tool's own */
    struct solution_check *solutions; /* of the exercises that it saves, or NULL; owned */
};

/* What a call removes from the curriculum, in increasing order. A call that changes very much
 * counts as if it deletes. */
enum tool_loss {
    TOOL_LOSS_NO_EDIT, /* reads only */
    TOOL_LOSS_NOTHING, /* adds or reorders */
    TOOL_LOSS_REPLACED,
    TOOL_LOSS_DELETED, /* or emptied */
};

struct tool_impact {
    enum tool_loss loss;
    size_t replaces; /* operations that replace something, if loss is TOOL_LOSS_REPLACED */
};

/* What a call would do. Zeroed by the caller, then set by tool_call_preview. The texts are borrowed
 * from the arguments. */
struct tool_preview {
    enum { TOOL_CHANGES, TOOL_UNDOES, TOOL_RESTORES } action;
    json_t *operations; /* of a change set, or NULL; owned */
    bool keep_going;
    long version;           /* expected by a change set; to restore; of what is undone, or 0 */
    const char *change_set; /* to undo, or NULL */
};

/* An argument whose value the client repeats in the HTTP header Mcp-Param-HEADER (revision
 * 2026-07-28, x-mcp-header in the schema). */
struct tool_param_header {
    const char *argument, *header;
};

/* The sets of tools, one of which each tool belongs to. A connection has some of them, as a set of
 * TOOLSET_BIT. */
enum toolset {
    TOOLSET_EDITOR, /* for the authors of curricula */
    TOOLSET_TUTOR,  /* for a model that teaches a learner */
    TOOLSET_SOLVE,  /* for a model that wants answers from the roles of mcp/agent/ */
    TOOLSET_COUNT,
};
#define TOOLSET_BIT(set) (1u << (set))
#define TOOLSETS_ALL     (TOOLSET_BIT(TOOLSET_COUNT) - 1u)

/* The sets of a choice in an option or a request, which may be several names with commas; false if
 * it is none of these. */
#define TOOLSET_CHOICES "editor, tutor, solve, several of these with commas, or all"
bool toolsets_find(const char *choice, unsigned *toolsets);

/* The tools of a connection or of the chat. */
struct tool_reach {
    unsigned toolsets;           /* a set of TOOLSET_BIT */
    bool of_session, of_learner; /* it is bound to one: without the tools that make another */
};

struct tool {
    const char *name;
    enum toolset toolset;
    const char *title;
    const char *description;
    /* The title of one call on the page while its arguments arrive: alternatives separated by "|".
     * The first one whose arguments are present is used.
     *   {name}        the argument, a text or a number
     *   {name:words}  the same with spaces for underscores; {name:a}: and with an article
     *   {name:THING}  how many things an array has: "2 components"
     *   {name=value}  writes nothing; the argument must have this value ("": any)
     *   [...]         is omitted if its arguments are missing */
    const char *call_title;
    const char *icon; /* on the page: "code", "ask", "edit" or "history" */
    const char *use;  /* when to use it, in the chat's prompt */
    /* Appends to the description what depends on the server's configuration. May be NULL. */
    void (*describe_here)(const struct analyses *analyses, struct buf *to);
    /* Checked before the tool receives the call (arguments.h). write_schema receives the analyses
     * as its context. */
    struct fields arguments;
    const char *input_schema; /* JSON text that tools/list shows instead; or NULL */
    const struct tool_param_header *param_headers; /* ends with a row of NULL; or NULL */
    bool read_only, destructive, idempotent;       /* annotations */
    bool makes_session; /* works on no session that there is: not for bound connections */
    bool makes_learner; /* likewise, of connections that are bound to a learner */

    /* Executed on a work queue. `writes` selects sql (one thread, read-write) or trial, else
     * `graphs` selects graph, else read. large, if not NULL: whether the call may take long: on
     * graph, or as a write that makes a session (large_write.h). Returns 0 with the answer in
     * call->text, or -1 with err, which becomes an isError result. */
    int (*run)(struct tool_call *call, struct store *store, struct error *err);
    bool writes, graphs;
    bool (*large)(const struct tool_call *call);
    /* A call that reads may be run on the loop's thread, with the store of an idle thread of its
     * work queue and call->briefly set: run then returns 1, with nothing done, unless it knows that
     * it takes less than a millisecond. Then, or if that work queue is busy, it is run as usual. */
    bool brief;
    /* For a tool that writes: true if this call is a dry run. It is executed on the trial work
     * queue with a store for reading, and applies the changes to a copy (store_trial_open). May be
     * NULL. */
    bool (*tries)(const struct tool_call *call);
    /* For a tool that edits, for the approval by a person (preview.c): either the operation of a
     * change set that does the same with the same arguments, or preview, with the contract of
     * tool_call_preview. */
    const char *operation;
    int (*preview)(const struct tool_call *call, struct tool_preview *preview, struct error *err);
    /* See tool_call_impact. NULL: according to the annotations. */
    struct tool_impact (*impact)(const struct tool_call *call);
    /* Called on the graph work queue if run has set call->followup, after the writes are committed;
     * appends to call->text. Its errors become part of the answer, and do not fail the call. May be
     * NULL. */
    int (*then)(struct tool_call *call, struct error *err);
    /* Frees call->state with the call. May be NULL. */
    void (*forget)(struct tool_call *call);
    /* The alternative to run. Called on the loop: returns 0 and calls tool_call_complete later, or
     * returns -1 with err. */
    int (*start)(struct tool_call *call, struct error *err);
    /* Called on the loop after call->cancel fired. May be NULL. */
    void (*stop)(struct tool_call *call);
    /* Called on the loop from time to time while a call that wants progress is running. Returns
     * what is new since the last call, or false if nothing is. words: a line of progress. printed:
     * the whole output; if NULL, words includes the newest output instead. May be NULL. */
    bool (*progress)(struct tool_call *call, struct buf *words, struct buf *printed);
};

extern const struct tool *const tools[]; /* NULL-terminated, in the order of tools/list */
/* Whether the tables of tools, resources and prompts change while a server runs; the product's do
 * not (tool_call_notify). */
extern const bool tables_change;

const struct tool *tool_find(const char *name); /* NULL if there is none */
/* Likewise, but only among the tools that can be called. A tool that makes a session says itself
 * why it does not work in a bound connection. */
const struct tool *tool_find_reached(const char *name, const struct tool_reach *reach);
/* Whether the tool is shown: a tool that makes a session is not shown to a bound connection. */
bool tool_is_listed(const struct tool *tool, const struct tool_reach *reach);
/* Appends the tools to call instead of one that is not reached: "unknown tool 'search'; did you
 * mean 'find'? The tools: ...". */
void tool_write_unknown(const char *name, const struct tool_reach *reach, struct buf *to);

/* Appends the tools/list entry: {"name","title","description","inputSchema","annotations"}. */
void tool_describe(const struct tool *tool, const struct analyses *analyses, struct buf *to);
/* The same for a connection that is bound to a learner: without that argument. */
void tool_describe_bound(const struct tool *tool, const struct analyses *analyses, struct buf *to);

/* Called on the loop with a zeroed call whose tool, server, arguments, cancel, on_done and others
 * are set. Always ends in on_done; before it returns only if at_once is set, and then as the last
 * thing. Invalid arguments are also reported as a result. */
void tool_call_start(struct tool_call *call);
/* Called on the loop by protocol when the client cancels. The call still ends in on_done, soon. */
void tool_call_cancel(struct tool_call *call);
/* Called on the loop by a tool with start, with failure and text set. */
void tool_call_complete(struct tool_call *call);
/* Frees what the call owns, not the call. */
void tool_call_finish(struct tool_call *call);

/* Whether somebody with these scopes (enum identity_scope) may call the tool: what tools/list shows
 * them. */
bool tool_allows(const struct tool *tool, unsigned scopes);
/* For a call with its tool, arguments and identity: -1 with ERROR_FORBIDDEN if they may not make
 * it. tool_call_start asks too. */
int tool_call_check_scope(const struct tool_call *call, struct error *err);
/* Whether this call may write. */
bool tool_call_writes(const struct tool_call *call);
/* Whether it is a dry run, which runs on the trial work queue. */
bool tool_call_tries(const struct tool_call *call);

/* What the call would remove. */
struct tool_impact tool_call_impact(const struct tool *tool, const json_t *arguments);
/* What the call would do. Checks the arguments first, as tool_call_start does; the texts of
 * *preview are borrowed from them. Returns -1 if the arguments are invalid or the tool has no
 * preview. */
int tool_call_preview(struct tool_call *call, struct tool_preview *preview, struct error *err);

/* FAILURE_NONE on success. An answer that exceeds its cap counts as failed. */
enum failure_category tool_call_category(const struct tool_call *call);

/* Sends the client of the call something, if it has asked for that. On the loop's thread. */
void tool_call_notify(struct tool_call *call, const struct tool_note *note);
/* Starts a call that has ended with `asks` again, with its answers. On the loop's thread. */
void tool_call_again(struct tool_call *call);

/* Appends the members of the CallToolResult: "content":[{"type":"text","text"},{"type":"image",
 * "data","mimeType"}...],"isError" and, where there is something in it,
 * "_meta":{"lectern/error":{...}}. meta: further members of _meta, or "". */
void tool_call_result(const struct tool_call *call, const char *meta, struct buf *to);

/* ---- for the files of the tools ---- */

/* Appends an image to the answer; base64 is copied. Returns -1 if the answer has no room for it.
 * Any thread. */
int tool_call_add_image(struct tool_call *call, const char *mime, const char *base64, size_t len);

/* The session of a call: its session_id argument (an id or a title), the bound session (which
 * allows no other), or the only session in the store. */
int tool_session(const struct tool_call *call, struct store *store, char sid[SESSION_ID_SIZE],
                 struct error *err);
/* The session that an argument (`what`) names by id or title (store_session_named). To a bound
 * connection no other exists: only the bound one can be named. */
int tool_session_named(const struct tool_call *call, struct store *store, const char *name,
                       const char *what, char sid[SESSION_ID_SIZE], struct error *err);

/* For an edit of a component with these parameters (may be NULL): setting a parameter to an empty
 * value counts as deletion. */
enum tool_loss tool_loss_of_edit(const json_t *parameters);
/* For the operations of a change set. An unknown operation counts as the worst. */
struct tool_impact tool_impact_of(const json_t *operations);

/* The id of the change set whose last version is `version`. */
int tool_set_of_version(struct store *store, const char *sid, long version,
                        char set[CHANGE_SET_ID_SIZE], struct error *err);

#endif
