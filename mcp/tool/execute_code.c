/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * execute_code: judged on the loop, run by the executor, answered in words.
 *
 * Threads: start and stop run on the loop. The executor's callbacks run on its own thread and only
 * hand over: what a run asks of its session goes by the loop to the read lane, its result by mail
 * back to the loop.
 */
#include <stdlib.h>
#include <string.h>

#include "mcp/server_parts.h"
#include "mcp/tool/arguments.h"
#include "mcp/tool/run_answer.h"
#include "mcp/tool/schema.h"
#include "mcp/tool/session_broker.h"
#include "mcp/tool/table.h"

#define TIMEOUT_ASKED_MAX 3600 /* seconds; the server's own limit is far below */

/* One run. Owned by the loop; the executor's thread writes answer and category, then posts done and
 * touches it no more. */
struct run {
    struct lane_job job; /* finds the session, on the read lane */
    struct tool_call *call;
    const char *code;
    struct verdict verdict;
    const char *preload[VALIDATOR_MODULES_CAP + 1];
    char session_id[SESSION_ID_SIZE]; /* "" where there is no curriculum at all */
    long timeout_seconds;
    struct error err;
    int rc;
    struct mail done;
};

static void finish(struct run *run)
{
    struct tool_call *call = run->call;

    call->state = NULL;
    free(run);
    call->on_done(call);
}

static void fail(struct run *run, enum tool_category category)
{
    run->call->category = category;
    buf_clear(&run->call->text);
    buf_adds(&run->call->text, run->err.text);
    finish(run);
}

/* ---- on the executor's thread ---- */

static void on_request(void *user, struct broker_request *request)
{
    struct run *run = user;

    session_broker_take(run->call->parts, request);
}

static void on_done(void *user, const struct execution_result *result)
{
    struct run *run = user;

    run->call->category = run_answer_write(result, &run->call->text);
    mailbox_post(run->call->parts->mailbox, &run->done);
}

/* ---- on the loop ---- */

static void open_done(void *arg)
{
    finish(arg);
}

/* The session is known: hand the job over. */
static void submit(struct run *run)
{
    struct tool_call *call = run->call;
    const struct validator_profile *profile = call->parts->profile;
    struct execution_job job = {
        .code = run->code,
        .code_len = strlen(run->code),
        .session_id = run->session_id[0] ? run->session_id : NULL,
        .kind = run->verdict.kind,
        .profile = validator_profile_name(profile),
        .allowed = validator_profile_modules(profile),
        .preload = run->preload,
        .timeout_ms = (unsigned)run->timeout_seconds * 1000,
        .on_request = on_request,
        .on_done = on_done,
        .user = run,
    };

    run->done.open = open_done;
    run->done.arg = run;
    call->run_id = executor_run(call->parts->executor, &job, &run->err);
    if (call->run_id == 0)
        fail(run, TOOL_ERROR_BUSY);
}

static void find_session(struct lane_job *job, void *context)
{
    struct run *run = (struct run *)job;

    run->rc = tool_session(run->call, context, run->session_id, &run->err);
}

static void on_session(struct lane_job *job)
{
    struct run *run = (struct run *)job;

    if (run->rc < 0)
        fail(run, TOOL_ERROR_VALIDATION);
    else if (cancel_check(run->call->cancel, &run->err) < 0)
        fail(run, TOOL_ERROR_CANCELLED); /* the executor may be gone, as when the server ends */
    else
        submit(run);
}

static int judge(struct run *run, struct error *err)
{
    const struct server_parts *parts = run->call->parts;
    struct buf BUF_AUTO why = {0};

    validator_check(run->code, strlen(run->code), parts->profile, &run->verdict);
    if (!run->verdict.accepted) {
        buf_init(&why, ERROR_TEXT_CAP);
        buf_adds(&why, "Code analysis blocked. Nothing ran. Mend this and send it again:\n");
        validator_explain(&run->verdict, run->code, strlen(run->code), &why);
        return error_set(err, ERROR_INVALID, "%s", why.data);
    }
    for (size_t i = 0; i < run->verdict.module_count; i++)
        run->preload[i] = run->verdict.modules[i];
    return 0;
}

static int start(struct tool_call *call, struct error *err)
{
    struct run *run = calloc(1, sizeof *run);

    if (!run)
        return error_set(err, ERROR_MEMORY, "out of memory for a run");
    run->call = call;
    if (argument_text(call, "code", &run->code, err) < 0 ||
        argument_number_or(call, "timeout_seconds", &run->timeout_seconds, 1, TIMEOUT_ASKED_MAX,
                           call->parts->timeout_seconds, err) < 0 ||
        judge(run, err) < 0)
        goto failed;
    if (run->timeout_seconds > call->parts->timeout_seconds) /* a wish, not an error */
        run->timeout_seconds = call->parts->timeout_seconds;
    if (!call->parts->executor) {
        error_set(err, ERROR_UNAVAILABLE, "%s", call->parts->executor_error);
        goto failed;
    }
    run->job.work = find_session;
    run->job.done = on_session;
    call->state = run;
    if (lane_submit(call->parts->read, &run->job, err) == 0)
        return 0;
failed:
    call->state = NULL;
    free(run);
    return -1;
}

static void stop(struct tool_call *call)
{
    if (call->run_id)
        executor_cancel(call->parts->executor, call->run_id);
}

static const char schema[] =
    "{\"type\":\"object\",\"properties\":{" SCHEMA_SESSION ",\"code\":{\"type\":\"string\"},"
    "\"timeout_seconds\":{\"type\":\"integer\",\"minimum\":1,\"default\":5}},\"required\":["
    "\"code\"]}";

const struct tool tool_execute_code = {
    .name = "execute_code",
    .title = "Run a Python analysis",
    .description =
        "Run Python 3.11 over the curriculum in a sandbox: no files, no network, 5 s. "
        "`from code_helpers import get_nodes, "
        "get_relationships, get_node_content, get_all_content, analyze_graph, query_graph`: "
        "get_nodes() -> node dicts (node_id, title, ...); "
        "get_relationships() -> dicts (from_node_id, to_node_id, relationship_type, "
        "explanation, ...), from earlier to later; "
        "get_node_content(node_id) -> {node_id, title, components: [{component_type, "
        "parameters, order, ...}]}; "
        "analyze_graph() -> networkx.DiGraph; "
        "query_graph(query, node_id=None, ...) -> dict, as the tool of that name. pandas, numpy, "
        "networkx, scipy and plain "
        "stdlib modules (json, re, statistics, "
        "collections, ...) import. print() what you need, short; the last expression's "
        "value is shown too.",
    .schema = schema,
    .read_only = true,
    .start = start,
    .stop = stop,
};
