/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a tools/call to its work queue and back. The tools themselves are one file each; this file
 * knows none of them.
 */
#include "mcp/tool/tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/hash.h"
#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "helpers/base/nearest.h"
#include "helpers/base/utf8.h"
#include "mcp/change/change_set.h"
#include "mcp/curriculum/text.h"
#include "mcp/server.h"
#include "mcp/store/entities/relationship.h"
#include "mcp/store/idempotency.h"
#include "mcp/tool/arguments.h"
#include "mcp/tool/dry_run.h"
#include "mcp/tool/solution_check.h"
#include "mcp/tool/trial.h"

#define WORKQ_RETRY_AFTER_S 1   /* a work queue works its queue off in less */
#define TOOL_KEY_MAX        128 /* bytes of a client's key */
#define KEY_ARGUMENT        "idempotency_key"
#define NAME_SHOWN          60  /* bytes of a name that no tool has */
#define ANSWER_GOOD         200 /* only answers of successful calls are stored */

const struct tool *tool_find(const char *name)
{
    for (size_t i = 0; tools[i]; i++) {
        if (strcmp(tools[i]->name, name) == 0)
            return tools[i];
    }
    return NULL;
}

bool toolsets_find(const char *choice, unsigned *toolsets)
{
    static const struct {
        const char *name;
        unsigned toolsets;
    } choices[] = {{"editor", TOOLSET_BIT(TOOLSET_EDITOR)},
                   {"tutor", TOOLSET_BIT(TOOLSET_TUTOR)},
                   {"solve", TOOLSET_BIT(TOOLSET_SOLVE)},
                   {"all", TOOLSETS_ALL}};
    unsigned found = 0;

    for (const char *name = choice;; name++) {
        const size_t len = strcspn(name, ",");
        unsigned before = found;

        for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
            if (strlen(choices[i].name) == len && strncmp(choices[i].name, name, len) == 0)
                found |= choices[i].toolsets;
        }
        if (found == before)
            return false;
        name += len;
        if (!*name)
            break;
    }
    *toolsets = found;
    return true;
}

static bool is_reached(const struct tool *tool, const struct tool_reach *reach)
{
    return (reach->toolsets & TOOLSET_BIT(tool->toolset)) &&
           !(reach->of_learner && tool->makes_learner);
}

const struct tool *tool_find_reached(const char *name, const struct tool_reach *reach)
{
    const struct tool *tool = tool_find(name);

    return tool && is_reached(tool, reach) ? tool : NULL;
}

bool tool_is_listed(const struct tool *tool, const struct tool_reach *reach)
{
    return is_reached(tool, reach) && !(reach->of_session && tool->makes_session);
}

void tool_write_unknown(const char *name, const struct tool_reach *reach, struct buf *to)
{
    const bool edits = reach->toolsets & TOOLSET_BIT(TOOLSET_EDITOR);
    const struct fields *operation = edits ? change_set_operation_like(name) : NULL;
    const char *comma = " The tools: ";
    struct nearest search;

    nearest_begin_action(&search, name);
    for (size_t i = 0; tools[i]; i++)
        if (tool_is_listed(tools[i], reach))
            nearest_feed(&search, tools[i]->name);
    buf_addf(to, "unknown tool '%.*s'", utf8_shown(name, NAME_SHOWN), name);
    if (search.best && (!operation || strcmp(operation->name, name) != 0)) {
        buf_addf(to, "; did you mean '%s'?", search.best);
    } else if (operation) {
        buf_addf(
            to,
            "; call change_curriculum with {\"operations\": [{\"op\": \"%s\", ...}]}, which takes ",
            operation->name);
        fields_list(operation, to);
        buf_addc(to, '.');
    } else {
        buf_addc(to, '.');
    }
    for (size_t i = 0; tools[i]; i++) {
        if (!tool_is_listed(tools[i], reach))
            continue;
        buf_addf(to, "%s%s", comma, tools[i]->name);
        comma = ", ";
    }
    if (*comma == ',')
        buf_addc(to, '.');
}

static void describe(const struct tool *tool, const struct fields *arguments,
                     const struct analyses *analyses, struct buf *to)
{
    struct buf BUF_AUTO description = {0};

    buf_adds(&description, tool->description);
    if (tool->describe_here)
        tool->describe_here(analyses, &description);
    buf_adds(to, "{\"name\":");
    json_write_string(to, tool->name, strlen(tool->name));
    buf_adds(to, ",\"description\":");
    json_write_string(to, description.data, description.len);
    buf_adds(to, ",\"inputSchema\":");
    if (tool->input_schema)
        buf_adds(to, tool->input_schema);
    else
        fields_schema(arguments, NULL, analyses, to);
    /* For people and programs; a model does not see them. */
    buf_addf(to,
             ",\"annotations\":{\"readOnlyHint\":%s,\"destructiveHint\":%s,"
             "\"idempotentHint\":%s,\"openWorldHint\":false",
             tool->read_only ? "true" : "false", tool->destructive ? "true" : "false",
             tool->read_only || tool->idempotent ? "true" : "false");
    json_write_member(to, "title", tool->title);
    buf_addc(to, '}');
    buf_addc(to, '}');
}

void tool_describe(const struct tool *tool, const struct analyses *analyses, struct buf *to)
{
    describe(tool, &tool->arguments, analyses, to);
}

void tool_describe_bound(const struct tool *tool, const struct analyses *analyses, struct buf *to)
{
    struct bound_arguments bound;

    describe(tool, arguments_without_learner(tool, &bound), analyses, to);
}

/* ---- the life of a call ---- */

/* What a tool has said of its failure itself says more than err. */
static void fail(struct tool_call *call, const struct error *err)
{
    if (call->failure.category == FAILURE_NONE)
        failure_of_error(&call->failure, err);
    if (call->failure.category == FAILURE_BUSY && call->failure.retry_after_s == 0)
        call->failure.retry_after_s = WORKQ_RETRY_AFTER_S;
    buf_clear(&call->text);
    buf_adds(&call->text, err->text);
}

static int run_tool(struct tool_call *call, struct store *store, struct error *err)
{
    char id[UUID_TEXT_SIZE];

    if (call->before && call->before(call, store, err) < 0)
        return -1;
    if (tool_call_writes(call)) {
        if (text_uuid(id, err) < 0)
            return -1;
        memcpy(call->change_set, id, sizeof id);
    }
    if (call->tool->run(call, store, err) < 0)
        return -1;
    solution_check_write(call->solutions, &call->text);
    return 0;
}

/* ---- calls with a key ---- */

/* A call with a key is applied once: a repeat gets the first answer. The key is the argument
 * idempotency_key, or is in the request's _meta; it is valid within its session. */
typedef int tool_run(struct tool_call *call, struct store *store, struct error *err);

struct kept_call {
    char sid[SESSION_ID_SIZE];
    char key[IDEMPOTENCY_KEY_MAX + 1];
    char fingerprint[40];
};

static int read_key(const struct tool_call *call, const char **key, struct error *err)
{
    *key = argument_text(call, KEY_ARGUMENT);
    if (!*key)
        *key = json_string_value(call->idempotency_key);
    if (!*key || (**key && strlen(*key) <= TOOL_KEY_MAX))
        return 0;
    return error_set_at(err, KEY_ARGUMENT,
                        KEY_ARGUMENT " must be a text of 1 to %u bytes, a new one for each call.",
                        TOOL_KEY_MAX);
}

/* Tells calls apart that were sent with one key by mistake. */
static int feed_hashes(const char *text, size_t len, void *data)
{
    uint64_t *hashes = data;

    hashes[0] = hash_bytes(hashes[0], text, len);
    hashes[1] = hash_bytes(hashes[1], text, len);
    return 0;
}

static int take_fingerprint(const struct tool_call *call, struct kept_call *kept, struct error *err)
{
    uint64_t hashes[] = {HASH_START, HASH_OTHER_START};
    json_auto_t *arguments = json_copy(call->arguments);

    if (!arguments)
        return error_set(err, ERROR_MEMORY, "out of memory for the call's fingerprint");
    json_object_del(arguments, KEY_ARGUMENT);
    json_object_del(arguments, "session_id"); /* the key has it */
    feed_hashes(call->tool->name, strlen(call->tool->name) + 1, hashes);
    if (json_dump_callback(arguments, feed_hashes, hashes, JSON_COMPACT | JSON_SORT_KEYS) < 0)
        return error_set(err, ERROR_MEMORY, "out of memory for the call's fingerprint");
    snprintf(kept->fingerprint, sizeof kept->fingerprint, "%016" PRIx64 "%016" PRIx64, hashes[0],
             hashes[1]);
    return 0;
}

/* 1 with *kept; 0: the call has no key. */
static int identify(const struct tool_call *call, struct store *store, struct kept_call *kept,
                    struct error *err)
{
    const char *key = NULL;

    *kept->sid = '\0';
    if (read_key(call, &key, err) < 0)
        return -1;
    if (!key)
        return 0;
    if ((!call->tool->makes_session && tool_session(call, store, kept->sid, err) < 0) ||
        take_fingerprint(call, kept, err) < 0)
        return -1;
    snprintf(kept->key, sizeof kept->key, "tool/%s/%s", kept->sid, key);
    return 1;
}

/* Whether the call is a repeat, which gets the kept answer or is refused. */
static bool is_answered(struct tool_call *call, struct store *store)
{
    struct idempotency_record answer = {0};
    struct kept_call kept;
    bool found = identify(call, store, &kept, NULL) > 0 &&
                 store_idempotency_find(store, kept.key, kept.fingerprint, &answer, NULL) != 0;

    buf_finish(&answer.body);
    return found;
}

static int run_and_keep(struct tool_call *call, struct store *store, tool_run *run,
                        const struct kept_call *kept, struct error *err)
{
    if (run(call, store, err) < 0 || buf_check(&call->text, "the answer", err) < 0)
        return -1;
    if (store_idempotency_keep(store, kept->sid, kept->key, kept->fingerprint, ANSWER_GOOD,
                               call->text.data, call->text.len, err) < 0)
        return -1;
    memcpy(call->kept_key, kept->key, sizeof call->kept_key);
    return 0;
}

/* After `then` has appended to a stored answer: stores the complete answer. */
static int amend_idempotent(const struct tool_call *call, struct store *store, struct error *err)
{
    if (buf_check(&call->text, "the answer", err) < 0)
        return -1;
    return store_idempotency_amend(store, call->kept_key, call->text.data, call->text.len, err);
}

static int find_or_run(struct tool_call *call, struct store *store, tool_run *run,
                       const struct kept_call *kept, struct error *err)
{
    struct idempotency_record answer = {0};
    int found = store_idempotency_find(store, kept->key, kept->fingerprint, &answer, err);

    if (found <= 0)
        return found < 0 ? -1 : run_and_keep(call, store, run, kept, err);
    buf_add(&call->text, answer.body.data, answer.body.len);
    buf_finish(&answer.body);
    return 0;
}

/* Runs a call that may write. With a key its writes and its answer are kept together, or none of
 * them; keeps false: its key is checked, but what writes nothing may be repeated. A call that fails
 * may be sent again with the same key. */
static int run_with_key(struct tool_call *call, struct store *store, tool_run *run, bool keeps,
                        struct error *err)
{
    struct kept_call kept;
    int rc = identify(call, store, &kept, err);

    if (rc < 0)
        return -1;
    if (rc == 0 || !keeps)
        return run(call, store, err);
    if (store_begin(store, err) < 0)
        return -1;
    rc = find_or_run(call, store, run, &kept, err);
    if (store_end(store, rc == 0, rc == 0 ? err : NULL) < 0)
        rc = -1;
    return rc;
}

/* ---- calls ---- */

/* Whether the call runs on the trial work queue. */
static bool tries(const struct tool_call *call)
{
    return call->tool->tries && call->tool->tries(call);
}

static int run_idempotent(struct tool_call *call, struct store *store, struct error *err)
{
    if (!tool_call_writes(call))
        return run_tool(call, store, err);
    return run_with_key(call, store, run_tool, !tries(call), err);
}

/* In one transaction: nobody writes between `before` and the tool. */
static int run_behind(struct tool_call *call, struct store *store, struct error *err)
{
    int rc;

    if (store_begin(store, err) < 0)
        return -1;
    rc = run_idempotent(call, store, err);
    if (store_end(store, rc == 0, rc == 0 ? err : NULL) < 0)
        rc = -1;
    return rc;
}

static int run_call(void *user, struct store *store, struct error *err)
{
    struct tool_call *call = user;

    return (call->before ? run_behind : run_idempotent)(call, store, err);
}

/* What the service behind the store keeps without an id cannot be taken back here. Only the end of
 * the transaction shows it, which may be after the answer was kept. */
static void say_nameless(struct tool_call *call, struct store *store, size_t count)
{
    struct error err = {0};

    buf_addf(&call->text,
             "\nThe service that stores this curriculum gives %s no id, so it cannot be undone, "
             "changed or deleted here: use the service's own editor for that.",
             count == 1 ? "the new relationship" : "each new relationship");
    if (*call->kept_key && amend_idempotent(call, store, &err) < 0)
        log_warning("tool", "an answer is kept without its end: %s", err.text);
}

static void on_work(struct workq_job *job, void *context)
{
    struct tool_call *call = (struct tool_call *)job;
    bool writes = tool_call_writes(call);
    size_t nameless = store_relationships_nameless(context);
    struct error err = {0};
    int rc = 0;

    store_bound(context, call->cancel);
    if (!writes)
        store_call_begin(context);
    if (call->writing.stage != LARGE_APPLY) /* the step looks at the token itself, and cleans up */
        rc = cancel_check(call->cancel, &err);
    if (rc == 0 && writes && !tries(call))
        rc = store_write_step(&call->writing, context, run_call, call, &err);
    else if (rc == 0)
        rc = run_call(call, context, &err);
    nameless = store_relationships_nameless(context) - nameless;
    if (rc < 0)
        fail(call, &err);
    else if (nameless > 0)
        say_nameless(call, context, nameless);
    store_call_end(context);
    store_unbound(context);
}

static void on_undone(struct workq_job *job, const struct error *err)
{
    struct tool_call *call = (struct tool_call *)job;

    call->writing.unfinished = false;
    fail(call, err);
}

/* ---- the second step ---- */

static void write_left_out(struct tool_call *call, const struct error *err)
{
    buf_addf(&call->text, "\n(The rest of this answer is left out: %s)", err->text);
}

static void on_then(struct workq_job *job, void *context)
{
    struct tool_call *call = (struct tool_call *)job;
    struct error err = {0};

    (void)context;
    if (cancel_check(call->cancel, &err) < 0 || call->tool->then(call, &err) < 0)
        write_left_out(call, &err);
}

static void on_whole(struct workq_job *job)
{
    struct tool_call *call = (struct tool_call *)job;

    call->on_done(call);
}

/* The call is done, even if its complete answer could not be stored for a repeat. */
static void on_not_whole(struct workq_job *job, const struct error *err)
{
    (void)job;
    log_warning("tool", "an answer is kept without its end: %s", err->text);
}

static void on_keep_whole(struct workq_job *job, void *context)
{
    struct error err = {0};

    if (amend_idempotent((struct tool_call *)job, context, &err) < 0)
        on_not_whole(job, &err);
}

static void on_then_done(struct workq_job *job)
{
    struct tool_call *call = (struct tool_call *)job;
    struct error err = {0};

    job->work = on_keep_whole;
    job->done = on_whole;
    job->undone = on_not_whole;
    if (*call->kept_key && workq_submit(call->server->store.sql, job, &err) == 0)
        return;
    call->on_done(call);
}

static void drop_result(struct tool_call *call)
{
    for (size_t i = 0; i < call->image_count; i++)
        free(call->images[i].base64);
    call->image_count = 0;
    json_decref(call->parts);
    json_decref(call->asks);
    call->parts = call->asks = NULL;
}

/* Drops all results of the call. */
static void start_over(struct tool_call *call)
{
    if (call->tool->forget)
        call->tool->forget(call);
    call->state = NULL;
    call->followup = false;
    call->kept_key[0] = '\0';
    call->failure = (struct failure){0};
    drop_result(call);
    buf_clear(&call->text);
    buf_clear(&call->kept);
}

/* The next step of a large write, on the work queue of its stage. */
static int continue_write(struct tool_call *call, struct error *err)
{
    const struct store_queues *store = &call->server->store;

    if (call->writing.stage != LARGE_APPLY)
        start_over(call);
    return workq_submit(call->writing.stage == LARGE_ON_COPY ? store->trial : store->sql,
                        &call->job, err);
}

static void on_workq_done(struct workq_job *job)
{
    struct tool_call *call = (struct tool_call *)job;
    struct error err = {0};

    if (call->writing.unfinished) {
        if (continue_write(call, &err) == 0)
            return;
        fail(call, &err);
    }
    if (call->followup && call->failure.category == FAILURE_NONE) {
        job->work = on_then;
        job->done = on_then_done;
        if (workq_submit(call->server->store.graph, job, &err) == 0)
            return;
        write_left_out(call, &err);
    }
    call->on_done(call);
}

/* on_done never runs before tool_call_start has returned: what ends at once ends in a task of the
 * loop. */
static void run_completed(void *arg)
{
    struct tool_call *call = arg;

    call->on_done(call);
}

void tool_call_complete(struct tool_call *call)
{
    call->job.task.run = run_completed;
    call->job.task.arg = call;
    loop_queue_post(call->server->loop_queue, &call->job.task);
}

bool tool_call_writes(const struct tool_call *call)
{
    return call->tool->writes;
}

bool tool_allows(const struct tool *tool, unsigned scopes)
{
    if (tool->toolset == TOOLSET_TUTOR)
        return scopes & (IDENTITY_LEARN | IDENTITY_EDIT);
    return (scopes & IDENTITY_EDIT) || ((scopes & IDENTITY_READ) && !tool->writes);
}

int tool_call_check_scope(const struct tool_call *call, struct error *err)
{
    const unsigned needed = call->tool->toolset == TOOLSET_TUTOR ? IDENTITY_LEARN
                            : tool_call_writes(call)             ? IDENTITY_EDIT
                                                                 : IDENTITY_READ;

    if (!call->identity || tool_allows(call->tool, call->identity->scopes))
        return 0;
    return error_set(
        err, ERROR_FORBIDDEN,
        "this token may not call %s like this: that needs the scope '%s'. Sign in with "
        "a token that has it",
        call->tool->name, identity_scope_names(needed));
}

static struct workq *workq_for(const struct tool_call *call)
{
    if (tries(call))
        return call->server->store.trial;
    if (tool_call_writes(call))
        return call->server->store.sql;
    return call->tool->graphs ? call->server->store.graph : call->server->store.read;
}

/* Those that name no session mean the only one. */
static uint64_t key_of(const struct tool_call *call)
{
    const char *given = json_get_string(call->arguments, "session_id");

    return workq_key(given ? given : call->bound_session ? call->bound_session : "");
}

/* 1: it is done; 0: it must go to its work queue. */
static int run_briefly(struct tool_call *call, struct error *err)
{
    struct workq_thread *lender;
    struct store *store;
    void *context;
    int rc = 0, snapshot;

    if (!call->at_once || !call->tool->brief || call->before || tool_call_writes(call))
        return 0;
    lender = workq_borrow(workq_for(call), key_of(call), &context);
    if (!lender)
        return 0;
    store = context;
    call->briefly = true;
    snapshot = store_snapshot_begin(store, err); /* one for all that it reads */
    if (snapshot > 0) {
        rc = call->tool->run(call, store, err);
        store_snapshot_end(store);
    }
    call->briefly = false;
    workq_give_back(lender);
    if (rc < 0)
        fail(call, err);
    return snapshot > 0 && rc <= 0;
}

static int submit(struct tool_call *call, struct error *err)
{
    call->job.work = on_work;
    call->job.done = on_workq_done;
    call->job.undone = on_undone;
    call->job.key = key_of(call);
    call->job.large = call->tool->large && call->tool->large(call);
    call->writing.makes_session = call->job.large && call->tool->makes_session;
    return workq_submit(workq_for(call), &call->job, err);
}

static void on_checked(struct tool_call *call)
{
    struct error err = {0};

    if (submit(call, &err) < 0) {
        fail(call, &err);
        call->on_done(call);
    }
}

static int check_and_submit(struct tool_call *call, struct error *err)
{
    call->job.key = key_of(call);
    if (solution_check_concerns(call))
        return solution_check_start(call, is_answered, on_checked, err);
    return submit(call, err);
}

/* A call that cannot be tried cannot be done either: it is submitted, and reports why. */
static void on_trial(struct workq_job *job, void *context)
{
    struct error unused = {0};

    confirm_ask((struct tool_call *)job, context, &unused);
}

static void on_trial_done(struct workq_job *job)
{
    struct tool_call *call = (struct tool_call *)job;
    struct error err = {0};

    if (call->asks) {
        call->on_done(call);
    } else if (check_and_submit(call, &err) < 0) {
        fail(call, &err);
        call->on_done(call);
    }
}

static int submit_trial(struct tool_call *call, struct error *err)
{
    call->job.work = on_trial;
    call->job.done = on_trial_done;
    call->job.undone = on_undone;
    call->job.key = key_of(call);
    return workq_submit(call->server->store.trial, &call->job, err);
}

static void dispatch(struct tool_call *call)
{
    struct error err = {0};
    int rc;

    if (confirm_take_answer(call, &err) < 0)
        rc = -1;
    else if (call->tool->start)
        rc = call->tool->start(call, &err);
    else
        rc = (tool_call_writes(call) && confirm_may_ask(call) ? submit_trial
                                                              : check_and_submit)(call, &err);
    if (rc < 0) {
        fail(call, &err);
        tool_call_complete(call);
    }
}

void tool_call_start(struct tool_call *call)
{
    struct error err = {0};

    buf_init(&call->text, TOOL_ANSWER_CAP);
    buf_init(&call->kept, TOOL_STATE_CAP);
    if (tool_call_check_scope(call, &err) < 0 || dry_run_take(call, &err) < 0 ||
        arguments_take(call, &err) < 0) {
        fail(call, &err);
        tool_call_complete(call);
        return;
    }
    if (run_briefly(call, &err))
        call->on_done(call);
    else
        dispatch(call);
}

void tool_call_again(struct tool_call *call)
{
    start_over(call);
    dispatch(call);
}

void tool_call_notify(struct tool_call *call, const struct tool_note *note)
{
    if (call->notify)
        call->notify(call, note);
}

void tool_call_cancel(struct tool_call *call)
{
    cancel_fire(call->cancel);
    solution_check_cancel(call);
    if (call->tool->stop)
        call->tool->stop(call);
}

void tool_call_finish(struct tool_call *call)
{
    if (call->tool && call->tool->forget)
        call->tool->forget(call);
    solution_check_free(call->solutions);
    json_decref(call->arguments);
    json_decref(call->idempotency_key);
    json_decref(call->answers);
    cancel_unref(call->cancel);
    buf_finish(&call->text);
    buf_finish(&call->kept);
    large_write_finish(&call->writing);
    drop_result(call);
}

/* ---- the result: a text, the images after it, and why it failed ---- */

int tool_call_add_image(struct tool_call *call, const char *mime, const char *base64, size_t len)
{
    struct tool_image *image = &call->images[call->image_count];
    size_t used = 0;

    for (size_t i = 0; i < call->image_count; i++)
        used += call->images[i].len;
    if (call->image_count == TOOL_IMAGES_CAP || len > TOOL_IMAGE_BYTES - used ||
        strlen(mime) >= sizeof image->mime)
        return -1;
    image->base64 = malloc(len + 1);
    if (!image->base64)
        return -1;
    memcpy(image->base64, base64, len);
    image->base64[len] = '\0';
    image->len = len;
    snprintf(image->mime, sizeof image->mime, "%s", mime);
    call->image_count++;
    return 0;
}

enum failure_category tool_call_category(const struct tool_call *call)
{
    if (call->failure.category == FAILURE_NONE && call->text.failed)
        return FAILURE_OUTPUT;
    return call->failure.category;
}

static void add_failure(const struct tool_call *call, struct buf *to)
{
    struct failure too_large;
    const struct failure *failure = &call->failure;

    if (failure->category == FAILURE_NONE) {
        failure_of_size(&too_large, call->text.cap);
        failure = &too_large;
    }
    buf_adds(to, "\"lectern/error\":");
    failure_write(failure, call->tool->name, to);
}

/* Begins the next object of an array. */
static void next_part(struct buf *to, bool *some)
{
    if (*some)
        buf_addc(to, ',');
    *some = true;
}

static void write_text(const struct buf *text, struct buf *to)
{
    buf_adds(to, "{\"type\":\"text\",\"text\":");
    if (text->failed)
        buf_addf(to, "\"The answer is larger than its cap of %zu bytes; request less at once.\"",
                 text->cap);
    else
        json_write_string(to, text->data ? text->data : "", text->len);
    buf_addc(to, '}');
}

static void write_image(const struct tool_image *image, struct buf *to)
{
    buf_adds(to, "{\"type\":\"image\",\"data\":");
    json_write_string(to, image->base64, image->len);
    buf_adds(to, ",\"mimeType\":");
    json_write_string(to, image->mime, strlen(image->mime));
    buf_addc(to, '}');
}

void tool_call_result(const struct tool_call *call, const char *meta, struct buf *to)
{
    bool failed = tool_call_category(call) != FAILURE_NONE, some = false;
    const size_t parts = json_array_size(call->parts);

    buf_adds(to, "\"content\":[");
    if (failed || call->text.len > 0 || call->image_count + parts == 0) {
        next_part(to, &some);
        write_text(&call->text, to);
    }
    for (size_t i = 0; i < call->image_count; i++) {
        next_part(to, &some);
        write_image(&call->images[i], to);
    }
    for (size_t i = 0; i < parts; i++) {
        next_part(to, &some);
        json_write(to, json_array_get(call->parts, i));
    }
    buf_addf(to, "],\"isError\":%s", failed ? "true" : "false");
    if (!failed && !*meta)
        return;
    buf_addf(to, ",\"_meta\":{%s%s", meta, failed && *meta ? "," : "");
    if (failed)
        add_failure(call, to);
    buf_addc(to, '}');
}
