/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * execute_code: an analysis (analysis.h) of the call's session, answered in words and figures; or
 * several that run side by side, answered in their order, of which none loses another.
 *
 * Threads: all on the loop, but find_session (the read work queue) and take (the executor's
 * thread).
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/cleanup.h"
#include "mcp/analysis/analysis.h"
#include "mcp/analysis/run_answer.h"
#include "mcp/api/rest.h"
#include "mcp/tool/arguments.h"

static int start(struct tool_call *call, struct error *err);
static void stop(struct tool_call *call);
static bool progress(struct tool_call *call, struct buf *words, struct buf *printed);
static void describe_here(const struct analyses *analyses, struct buf *to);

static const struct fields batch_part = {
    .name = "a program",
    .rows = (const struct field[]){FIELD("name", FIELD_TEXT), FIELD("code", FIELD_TEXT), {0}},
    .check = rest_batch_check,
};

const struct tool tool_execute_code = {
    .name = "execute_code",
    .title = "Run a Python analysis",
    .description =
        "Run Python 3.11 over the curriculum, without files or network. Import from "
        "code_helpers: get_nodes() -> [{node_id, title, ...}]; get_relationships() -> "
        "[{from_node_id, to_node_id, relationship_type}]; get_node_content(node_id) -> "
        "{components: [{component_type, parameters}]}; get_all_content() -> of all nodes; "
        "analyze_graph() -> networkx.DiGraph; query_graph, find: the tools, as data. batch: 2 to 8 "
        "programs side by side.",
    .describe_here = describe_here,
    .call_title = "Analysis",
    .icon = "code",
    .use = "for what has to be read, counted, compared or searched and no query answers, node "
           "texts included. The curriculum is too large to read whole: write one short program "
           "that answers the whole question and prints only what the answer needs. Do not dump "
           "texts or lists to look through them yourself.",
    .arguments =
        ARGUMENTS("execute_code", ARGUMENT_SESSION,
                  FIELD("code", FIELD_TEXT, .required = true, .least = 1, .instead = "batch"),
                  FIELD("batch", FIELD_ARRAY, .of = &batch_part),
                  FIELD("also", FIELD_ARRAY, .item = FIELD_TEXT),
                  FIELD("timeout_seconds", FIELD_WHOLE, .least = 1,
                        .most = ANALYSIS_TIMEOUT_ASKED_MAX, .flags = FIELD_UNLISTED)),
    .read_only = true,
    .start = start,
    .stop = stop,
    .progress = progress,
};

struct analysis_batch;

/* One run. Owned by the loop; the executor's thread fills the call's answer while it has it. */
struct analysis_call {
    struct tool_call *call;       /* of a batch: its own copy, which gets the answer of the run */
    struct analysis_batch *batch; /* or NULL */
    struct analysis analysis;
    char session_id[SESSION_ID_SIZE];
    json_t *names; /* of the curricula in also; owned */
};

/* Several runs of one call. */
struct analysis_batch {
    struct tool_call *call;
    struct batch_part {
        struct analysis_call run;
        struct tool_call call;
        const char *name; /* in the call's arguments */
    } * parts[REST_BATCH_MOST];
    size_t count, left; /* left: those that have not ended */
    bool reported;      /* the progress has been reported since the last one ended */
};

static struct analysis_call *run_of(struct analysis *analysis)
{
    return container_of(analysis, struct analysis_call, analysis);
}

/* The call that the client knows. */
static struct tool_call *whole_call(const struct analysis_call *run)
{
    return run->batch ? run->batch->call : run->call;
}

static void report_end(const struct analysis_call *run)
{
    struct tool_call *call = whole_call(run);
    const struct analysis *analysis = &run->analysis;

    if (call->programs)
        call->programs->ended(call, analysis->code, analysis->code_len, &analysis->failure);
}

static void discard(struct analysis_call *run)
{
    run->call->failure = run->analysis.failure;
    run->call->state = NULL;
    analysis_finish(&run->analysis);
    json_decref(run->names);
    free(run);
}

/* One of also. The code may call it as the call does, and by its id. */
static int add_also(struct analysis_call *run, struct store *store, const char *name,
                    struct error *err)
{
    struct analysis *analysis = &run->analysis;
    char *sid = analysis->also[analysis->also_count];

    if (tool_session_named(run->call, store, name, "also", sid, err) < 0)
        return -1;
    if (json_object_set_new(run->names, name, json_string(sid)) < 0 ||
        json_object_set_new(run->names, sid, json_string(sid)) < 0)
        return error_set(err, ERROR_MEMORY, "out of memory for the names of curricula");
    analysis->also_count++;
    return 0;
}

static int find_also(struct analysis_call *run, struct store *store, struct error *err)
{
    const json_t *also = json_object_get(run->call->arguments, "also"), *name;
    size_t i;

    if (json_array_size(also) > ANALYSIS_ALSO_CAP)
        return error_set_at(err, "also", "also: name at most %u curricula", ANALYSIS_ALSO_CAP);
    if (json_array_size(also) == 0)
        return 0;
    run->names = json_object();
    json_array_foreach((json_t *)also, i, name)
    {
        if (add_also(run, store, json_string_value(name), err) < 0)
            return -1;
    }
    run->analysis.also_names = run->names;
    return 0;
}

static int find_session(struct analysis *analysis, struct store *store, struct error *err)
{
    struct analysis_call *run = run_of(analysis);

    if (tool_session(run->call, store, run->session_id, err) < 0)
        return -1;
    analysis->session_id = run->session_id[0] ? run->session_id : NULL; /* no curriculum at all */
    return find_also(run, store, err);
}

static void take(struct analysis *analysis, const struct execution_result *result)
{
    const struct analyses *analyses = &analysis->server->analyses;
    const struct run_answer_limits limits = {
        .stdout_characters = (size_t)analyses->stdout_characters,
        .stderr_characters = (size_t)analyses->stderr_characters,
        .timeout_cut_to = analysis_timeout_was_cut(analysis) ? analyses->timeout_seconds : 0,
        .retry_after_s = analysis->failure.retry_after_s,
    };

    run_answer_write(result, &limits, run_of(analysis)->call);
    run_of(analysis)->call->timed = true;
}

/* ---- several at once ---- */

static void free_batch(struct analysis_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        struct batch_part *part = batch->parts[i];

        analysis_finish(&part->run.analysis);
        json_decref(part->run.names);
        buf_finish(&part->call.text);
        for (size_t k = 0; k < part->call.image_count; k++)
            free(part->call.images[k].base64);
        free(part);
    }
    free(batch);
}

/* The texts and figures of the runs, in their order. */
static void write_batch(const struct analysis_batch *batch)
{
    struct tool_call *call = batch->call;
    size_t left_out = 0;

    for (size_t i = 0; i < batch->count; i++) {
        const struct batch_part *part = batch->parts[i];
        const struct buf *text = &part->call.text;

        buf_addf(&call->text, "%s== %s ==\n", i > 0 ? "\n" : "", part->name);
        buf_add(&call->text, text->data ? text->data : "", text->len);
        if (call->text.len > 0 && call->text.data[call->text.len - 1] != '\n')
            buf_addc(&call->text, '\n');
        for (size_t k = 0; k < part->call.image_count; k++) {
            const struct tool_image *image = &part->call.images[k];

            left_out += tool_call_add_image(call, image->mime, image->base64, image->len) < 0;
        }
    }
    if (left_out > 0)
        buf_addf(&call->text, "%zu figures of all programs left out: make fewer or smaller ones\n",
                 left_out);
}

/* The call fails only if all its programs have. */
static void end_part(struct analysis_batch *batch)
{
    struct tool_call *call = batch->call;
    bool failed = batch->count > 0;

    batch->reported = false;
    if (--batch->left > 0)
        return;
    for (size_t i = 0; i < batch->count; i++)
        failed &= batch->parts[i]->run.analysis.failure.category != FAILURE_NONE;
    if (failed)
        call->failure = batch->parts[0]->run.analysis.failure;
    write_batch(batch);
    call->state = NULL;
    free_batch(batch);
    tool_call_complete(call);
}

/* ---- the end of a run ---- */

static void on_done(struct analysis *analysis)
{
    struct analysis_call *run = run_of(analysis);
    struct tool_call *call = run->call;

    report_end(run);
    if (run->batch) {
        end_part(run->batch);
        return;
    }
    call->seconds = analysis->ended.seconds;
    call->waited = analysis->ended.waited;
    discard(run);
    call->on_done(call);
}

static void on_failed(struct analysis *analysis, const struct error *err)
{
    struct tool_call *call = run_of(analysis)->call;

    buf_clear(&call->text);
    buf_adds(&call->text, err->text);
    on_done(analysis);
}

static int check(struct analysis_call *run, struct error *err)
{
    struct tool_call *call = whole_call(run);
    struct buf BUF_AUTO why = {0};

    buf_init(&why, ERROR_TEXT_CAP);
    if (call->programs &&
        !call->programs->may_run(call, run->analysis.code, run->analysis.code_len, &why))
        return error_set(err, ERROR_INVALID, "%s", why.data);
    buf_adds(&why, ANALYSIS_BLOCKED ". Nothing ran. Fix this and send it again:\n");
    return analysis_check(&run->analysis, &why) ? 0 : error_set(err, ERROR_INVALID, "%s", why.data);
}

static void prepare(struct analysis_call *run, struct tool_call *call, const json_t *source)
{
    const json_t *code = json_object_get(source, "code");

    run->call = call;
    run->analysis.server = call->server;
    run->analysis.profile = call->server->analyses.profile;
    run->analysis.wants_progress = call->wants_progress;
    run->analysis.identity = call->identity;
    run->analysis.log_members = whole_call(run)->log_members;
    run->analysis.find_session = find_session;
    run->analysis.take = take;
    run->analysis.on_done = on_done;
    run->analysis.on_failed = on_failed;
    analysis_init(&run->analysis);
    run->analysis.code = json_string_value(code);
    run->analysis.code_len = json_string_length(code);
    run->analysis.timeout_asked = argument_whole(call, "timeout_seconds", 0);
}

/* Where it fails, analysis.failure has the reason too, and on_done is not called. */
static int check_and_start(struct analysis_call *run, struct error *err)
{
    if (check(run, err) == 0 && analysis_start(&run->analysis, err) == 0)
        return 0;
    if (run->analysis.failure.category == FAILURE_NONE)
        failure_of_error(&run->analysis.failure, err);
    return -1;
}

static int add_part(struct analysis_batch *batch, const json_t *program, struct error *err)
{
    struct batch_part *part = calloc(1, sizeof *part);

    if (!part)
        return error_set(err, ERROR_MEMORY, "out of memory for a run");
    part->name = json_string_value(json_object_get(program, "name"));
    part->call = (struct tool_call){.tool = batch->call->tool,
                                    .server = batch->call->server,
                                    .arguments = batch->call->arguments,
                                    .bound_session = batch->call->bound_session,
                                    .identity = batch->call->identity};
    buf_init(&part->call.text, TOOL_ANSWER_CAP);
    part->run.batch = batch;
    prepare(&part->run, &part->call, program);
    batch->parts[batch->count++] = part;
    return 0;
}

static int start_batch(struct tool_call *call, const json_t *programs, struct error *err)
{
    struct analysis_batch *batch = calloc(1, sizeof *batch);
    const json_t *program;
    size_t i;

    if (!batch)
        return error_set(err, ERROR_MEMORY, "out of memory for a batch");
    batch->call = call;
    json_array_foreach((json_t *)programs, i, program)
    {
        if (add_part(batch, program, err) < 0) {
            free_batch(batch);
            return -1;
        }
    }
    call->state = batch;
    batch->left = batch->count + 1; /* so that the first that ends does not end the batch */
    for (i = 0; i < batch->count; i++) {
        struct analysis_call *run = &batch->parts[i]->run;
        struct error why = {0};

        if (check_and_start(run, &why) < 0)
            on_failed(&run->analysis, &why);
    }
    end_part(batch);
    return 0;
}

static int start(struct tool_call *call, struct error *err)
{
    const json_t *programs = json_object_get(call->arguments, "batch");
    struct analysis_call *run;

    if (programs)
        return start_batch(call, programs, err);
    run = calloc(1, sizeof *run);
    if (!run)
        return error_set(err, ERROR_MEMORY, "out of memory for a run");
    prepare(run, call, call->arguments);
    call->state = run;
    if (check_and_start(run, err) == 0)
        return 0;
    report_end(run);
    discard(run);
    return -1;
}

static bool has_batch(const struct tool_call *call)
{
    return json_object_get(call->arguments, "batch") != NULL;
}

static void stop(struct tool_call *call)
{
    struct analysis_batch *batch = call->state;
    struct analysis_call *run = call->state;

    if (batch && has_batch(call)) {
        for (size_t i = 0; i < batch->count; i++)
            analysis_cancel(&batch->parts[i]->run.analysis);
    } else if (run) {
        analysis_cancel(&run->analysis);
    }
}

static bool progress(struct tool_call *call, struct buf *words, struct buf *printed)
{
    struct analysis_batch *batch = call->state;
    struct analysis_call *run = call->state;

    if (!run || !has_batch(call))
        return run && analysis_progress(&run->analysis, words, printed);
    if (batch->reported)
        return false;
    batch->reported = true;
    buf_addf(words, "%zu of %zu programs have ended", batch->count - batch->left, batch->count);
    return true;
}

/* The time limit, and what the server's profile lets code import. */
static void describe_here(const struct analyses *analyses, struct buf *to)
{
    const struct validator_profile *minimal = validator_profile_find("minimal");
    const char *module, *last = "-", *join = " ";

    for (size_t i = 0; (module = validator_profile_module(analyses->profile, i)); i++) {
        size_t len = strlen(last);

        if (validator_profile_allows(minimal, module) ||
            (strncmp(module, last, len) == 0 && module[len] == '.'))
            continue;
        buf_addf(to, "%s%s", join, module);
        last = module;
        join = ", ";
    }
    buf_addf(to, "%s stdlib modules import%s. At most %ld s.",
             *join == ',' ? " and plain" : " Plain",
             validator_profile_allows(analyses->profile, "matplotlib.pyplot")
                 ? "; figures come back as images"
                 : "",
             analyses->timeout_seconds);
}
