/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "/metrics": what this server counts, in Prometheus' text format 0.0.4. One table of families, one
 * writer of samples each. Runs on the loop's thread.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "executor/executor.h"
#include "helpers/base/json.h"
#include "mcp/agent/solver.h"
#include "mcp/agent/totals.h"
#include "mcp/change/graph_cache.h"
#include "mcp/chat/chat.h"
#include "mcp/protocol/peer.h"
#include "mcp/server.h"
#include "mcp/transport/mcp/http_mcp.h"

#define FORMAT "text/plain; version=0.0.4; charset=utf-8"

/* What the samples are read from, at one moment. */
struct counts {
    const struct server *server;
    const struct totals *totals; /* all 0 without the toolset solve */
    const struct chat *chat;
    struct executor_stats stats; /* all 0 without an executor */
    uint64_t connections, calls, streams;
    uint64_t queued, running, disagreements, pages, runs, requests;
};

struct family {
    const char *name, *type, *help;
    void (*write)(const struct family *family, const struct counts *counts, struct buf *to);
    size_t offset; /* of what it is about, where its writer serves several */
};

#define IN_COUNTS(member) offsetof(struct counts, member)
#define IN_KIND(member)   offsetof(struct executor_kind_stats, member)

/* One sample without a label. */
static void write_number(const struct family *family, const struct counts *counts, struct buf *to)
{
    uint64_t value;

    memcpy(&value, (const char *)counts + family->offset, sizeof value);
    buf_addf(to, "%s %" PRIu64 "\n", family->name, value);
}

static void write_ended(const struct family *family, const struct counts *counts, struct buf *to)
{
    for (int status = 0; status < EXECUTION_STATUS_COUNT; status++)
        buf_addf(to, "%s{ended=\"%s\"} %" PRIu64 "\n", family->name, execution_status_name(status),
                 counts->stats.ended[status]);
}

/* NaN if none has ended yet. */
static void write_success(const struct family *family, const struct counts *counts, struct buf *to)
{
    uint64_t ended = 0;

    for (int status = 0; status < EXECUTION_STATUS_COUNT; status++)
        ended += counts->stats.ended[status];
    if (ended == 0)
        buf_addf(to, "%s NaN\n", family->name);
    else
        buf_addf(to, "%s %.9g\n", family->name,
                 (double)counts->stats.ended[EXECUTION_OK] / (double)ended);
}

/* counts has one number more than bounds: those above every bound. role: a label, or NULL. */
static void write_buckets(const char *name, const char *role, const double *bounds, size_t buckets,
                          const uint64_t *counts, double sum, struct buf *to)
{
    char first[64] = "", only[64] = "";
    uint64_t below = 0;

    if (role) {
        snprintf(first, sizeof first, "role=\"%s\",", role);
        snprintf(only, sizeof only, "{role=\"%s\"}", role);
    }
    for (size_t i = 0; i < buckets; i++) {
        below += counts[i];
        buf_addf(to, "%s_bucket{%sle=\"%g\"} %" PRIu64 "\n", name, first, bounds[i], below);
    }
    below += counts[buckets];
    buf_addf(to, "%s_bucket{%sle=\"+Inf\"} %" PRIu64 "\n", name, first, below);
    buf_addf(to, "%s_sum%s %.9g\n%s_count%s %" PRIu64 "\n", name, only, sum, name, only, below);
}

static void write_histogram(const struct family *family, const struct counts *counts,
                            struct buf *to)
{
    struct executor_histogram histogram;

    memcpy(&histogram, (const char *)counts + family->offset, sizeof histogram);
    write_buckets(family->name, NULL, executor_buckets, EXECUTOR_BUCKETS, histogram.counts,
                  histogram.sum, to);
}

static void write_depth(const struct family *family, const struct counts *counts, struct buf *to)
{
    for (size_t i = 0; i < counts->stats.kind_count; i++) {
        const struct executor_kind_stats *kind = &counts->stats.kinds[i];
        const struct {
            const char *name;
            unsigned count;
        } states[] = {{"ready", kind->ready},
                      {"starting", kind->starting},
                      {"busy", kind->busy},
                      {"wanted", kind->wanted}};

        for (size_t k = 0; k < sizeof states / sizeof states[0]; k++)
            buf_addf(to, "%s{kind=\"%s\",state=\"%s\"} %u\n", family->name, kind->name,
                     states[k].name, states[k].count);
    }
}

static void write_by_kind(const struct family *family, const struct counts *counts, struct buf *to)
{
    uint64_t value;

    for (size_t i = 0; i < counts->stats.kind_count; i++) {
        const struct executor_kind_stats *kind = &counts->stats.kinds[i];

        memcpy(&value, (const char *)kind + family->offset, sizeof value);
        buf_addf(to, "%s{kind=\"%s\"} %" PRIu64 "\n", family->name, kind->name, value);
    }
}

static void write_refusals(const struct family *family, const struct counts *counts, struct buf *to)
{
    const struct refused_rule *rows = counts->server->analyses.refused;

    for (size_t i = 0; i < REFUSED_RULES_CAP && rows[i].rule; i++)
        buf_addf(to, "%s{rule=\"%s\"} %" PRIu64 "\n", family->name, rows[i].rule, rows[i].programs);
}

static void write_answers(const struct family *family, const struct counts *counts, struct buf *to)
{
    for (size_t i = 0; i < CHAT_OUTCOMES; i++)
        buf_addf(to, "%s{ended=\"%s\"} %" PRIu64 "\n", family->name, chat_outcome_name(i),
                 chat_totals(counts->chat)->ended[i]);
}

static void write_tokens(const struct family *family, const struct counts *counts, struct buf *to)
{
    const struct model_usage *tokens = &chat_totals(counts->chat)->tokens;
    const struct {
        const char *name;
        int64_t count;
    } kinds[] = {{"input", tokens->input},
                 {"cache_write", tokens->cache_write},
                 {"cache_read", tokens->cache_read},
                 {"output", tokens->output}};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        buf_addf(to, "%s{kind=\"%s\"} %" PRId64 "\n", family->name, kinds[i].name, kinds[i].count);
}

static void write_graphs(const struct family *family, const struct counts *counts, struct buf *to)
{
    struct graph_cache_counts graphs = graph_cache_counts(counts->server->store.graphs);

    buf_addf(to, "%s{graph=\"kept\"} %" PRIu64 "\n%s{graph=\"built\"} %" PRIu64 "\n", family->name,
             graphs.kept, family->name, graphs.built);
}

/* ---- tasks of solve ---- */

static void write_tasks(const struct family *family, const struct counts *counts, struct buf *to)
{
    for (size_t i = 0; i < ANSWER_STATUSES; i++)
        buf_addf(to, "%s{status=\"%s\"} %" PRIu64 "\n", family->name, answer_statuses[i],
                 counts->totals->ended[i]);
}

static void write_attempts(const struct family *family, const struct counts *counts, struct buf *to)
{
    uint64_t tasks[ATTEMPTS_MOST + 2] = {0}, sum = 0;
    double bounds[ATTEMPTS_MOST + 1];

    for (unsigned i = 0; i <= ATTEMPTS_MOST; i++) {
        bounds[i] = i;
        tasks[i] = counts->totals->attempts[i];
        sum += i * tasks[i];
    }
    write_buckets(family->name, NULL, bounds, ATTEMPTS_MOST + 1, tasks, (double)sum, to);
}

static void write_task_seconds(const struct family *family, const struct counts *counts,
                               struct buf *to)
{
    const struct totals_histogram *seconds = &counts->totals->seconds;

    write_buckets(family->name, NULL, totals_buckets, TOTALS_BUCKETS, seconds->counts, seconds->sum,
                  to);
}

static void write_role_seconds(const struct family *family, const struct counts *counts,
                               struct buf *to)
{
    for (unsigned i = 0; i < TOTALS_ROLES; i++) {
        const struct totals_histogram *seconds = &counts->totals->by_role[i];

        write_buckets(family->name, totals_role(i), totals_buckets, TOTALS_BUCKETS, seconds->counts,
                      seconds->sum, to);
    }
}

/* NaN without a task that ran code. */
static void write_first_try(const struct family *family, const struct counts *counts,
                            struct buf *to)
{
    const struct totals *totals = counts->totals;

    if (totals->with_code == 0)
        buf_addf(to, "%s NaN\n", family->name);
    else
        buf_addf(to, "%s %.9g\n", family->name,
                 (double)totals->first_try / (double)totals->with_code);
}

static void write_errors(const struct family *family, const struct counts *counts, struct buf *to)
{
    for (unsigned i = FAILURE_NONE + 1; i < TOTALS_CATEGORIES; i++)
        buf_addf(to, "%s{category=\"%s\"} %" PRIu64 "\n", family->name,
                 failure_category_name((enum failure_category)i), counts->totals->errors[i]);
}

static void write_repairs(const struct family *family, const struct counts *counts, struct buf *to)
{
    static const char *const by[] = {[DIAGNOSIS_BY_RULE] = "rule", [DIAGNOSIS_BY_MODEL] = "model"};

    for (unsigned i = 0; i < 2; i++) {
        for (unsigned worked = 0; worked < 2; worked++)
            buf_addf(to, "%s{by=\"%s\",worked=\"%s\"} %" PRIu64 "\n", family->name, by[i],
                     worked ? "true" : "false", counts->totals->repairs[i][worked]);
    }
}

static void write_model(const char *name, const struct totals_model *row, const char *label,
                        double value, struct buf *to)
{
    buf_addf(to, "%s{role=\"%s\",model=", name, totals_role(row->role));
    json_write_string(to, row->model, strlen(row->model));
    buf_addf(to, "%s} %.15g\n", label, value);
}

static void write_role_requests(const struct family *family, const struct counts *counts,
                                struct buf *to)
{
    const struct totals_model *row = counts->totals->models;

    for (; row < counts->totals->models + TOTALS_MODELS_CAP && row->requests > 0; row++)
        write_model(family->name, row, "", (double)row->requests, to);
}

static void write_role_tokens(const struct family *family, const struct counts *counts,
                              struct buf *to)
{
    const struct totals_model *row = counts->totals->models;

    for (; row < counts->totals->models + TOTALS_MODELS_CAP && row->requests > 0; row++) {
        write_model(family->name, row, ",kind=\"input\"", (double)row->usage.input, to);
        write_model(family->name, row, ",kind=\"cache_write\"", (double)row->usage.cache_write, to);
        write_model(family->name, row, ",kind=\"cache_read\"", (double)row->usage.cache_read, to);
        write_model(family->name, row, ",kind=\"output\"", (double)row->usage.output, to);
    }
}

static void write_cost(const struct family *family, const struct counts *counts, struct buf *to)
{
    const struct totals_model *row = counts->totals->models;
    const struct prices *prices = counts->server->solver ? counts->server->solver->prices : NULL;
    char label[64];

    snprintf(label, sizeof label, ",currency=\"%s\"", prices_currency(prices));
    for (; prices && row < counts->totals->models + TOTALS_MODELS_CAP && row->requests > 0; row++)
        write_model(family->name, row, label, row->cost, to);
}

static const struct family families[] = {
    {"lectern_connections", "gauge", "Connections that are open, the one of this answer included.",
     write_number, IN_COUNTS(connections)},
    {"lectern_mcp_calls", "gauge", "Requests of MCP clients that a tool is answering.",
     write_number, IN_COUNTS(calls)},
    {"lectern_mcp_streams", "gauge",
     "Streams on which MCP clients are sent what changes, those kept for one that has lost it "
     "included.",
     write_number, IN_COUNTS(streams)},
    {"lectern_run_attempts_total", "counter", "Analyses that the executor has taken.", write_number,
     IN_COUNTS(stats.attempts)},
    {"lectern_runs_turned_away_total", "counter", "Analyses refused because too many waited.",
     write_number, IN_COUNTS(stats.turned_away)},
    {"lectern_runs_total", "counter", "Analyses that have ended, by how.", write_ended, 0},
    {"lectern_runs_success_ratio", "gauge",
     "Of the analyses that have ended, those that ended well.", write_success, 0},
    {"lectern_run_seconds", "histogram", "Running time of the code itself.", write_histogram,
     IN_COUNTS(stats.seconds)},
    {"lectern_run_waiting_seconds", "histogram",
     "Time before the code ran: for a sandbox, and importing.", write_histogram,
     IN_COUNTS(stats.waited)},
    {"lectern_runs_queued", "gauge", "Analyses that wait for a sandbox.", write_number,
     IN_COUNTS(queued)},
    {"lectern_runs_running", "gauge", "Analyses that have a sandbox.", write_number,
     IN_COUNTS(running)},
    {"lectern_sandboxes", "gauge",
     "Sandboxes by kind and state; wanted: as many as are to wait ready.", write_depth, 0},
    {"lectern_sandboxes_started_total", "counter", "Sandboxes that were started.", write_by_kind,
     IN_KIND(started)},
    {"lectern_sandboxes_failed_total", "counter", "Sandboxes that could not be started.",
     write_by_kind, IN_KIND(failed)},
    {"lectern_sandboxes_lost_total", "counter", "Sandboxes that ended while they waited.",
     write_by_kind, IN_KIND(lost)},
    {"lectern_validator_refusals_total", "counter",
     "Programs that the validator refused, by the first rule they broke.", write_refusals, 0},
    {"lectern_validator_disagreements_total", "counter",
     "Programs that the validator accepted and the policy check inside the sandbox refused; each "
     "is a "
     "bug.",
     write_number, IN_COUNTS(disagreements)},
    {"lectern_graph_questions_total", "counter",
     "Questions that wanted a session's graph: it was kept from an earlier one, or built.",
     write_graphs, 0},
    {"lectern_chat_pages", "gauge", "Pages that are connected to the chat.", write_number,
     IN_COUNTS(pages)},
    {"lectern_chat_runs", "gauge", "Questions to the chat that are being answered.", write_number,
     IN_COUNTS(runs)},
    {"lectern_chat_answers_total", "counter", "Questions to the chat that have ended, by how.",
     write_answers, 0},
    {"lectern_model_requests_total", "counter",
     "Requests to the model's service of the questions that have ended.", write_number,
     IN_COUNTS(requests)},
    {"lectern_model_tokens_total", "counter",
     "Tokens of the questions that have ended: read uncached, written to the service's cache, read "
     "from "
     "it, and written.",
     write_tokens, 0},
    {"lectern_tasks_total", "counter", "Tasks of solve that have ended, by status.", write_tasks,
     0},
    {"lectern_task_attempts", "histogram", "Attempts at the code of a task of solve.",
     write_attempts, 0},
    {"lectern_task_seconds", "histogram", "Time of a task of solve.", write_task_seconds, 0},
    {"lectern_task_role_seconds", "histogram",
     "Time of a request of a role, or of a program for the executor.", write_role_seconds, 0},
    {"lectern_task_first_try_ratio", "gauge",
     "Of the tasks of solve that ran code, those solved by the first attempt.", write_first_try, 0},
    {"lectern_task_errors_total", "counter", "Failed executions of tasks of solve, by category.",
     write_errors, 0},
    {"lectern_task_repairs_total", "counter",
     "Repairs whose program ended: by a rule or a model, and whether it succeeded.", write_repairs,
     0},
    {"lectern_task_requests_total", "counter", "Requests of tasks of solve, by role and model.",
     write_role_requests, 0},
    {"lectern_task_tokens_total", "counter", "Tokens of tasks of solve, by role and model.",
     write_role_tokens, 0},
    {"lectern_task_cost_total", "counter",
     "Cost of tasks of solve, by role and model; nothing without prices.", write_cost, 0},
};

static void check(struct exchange *exchange)
{
    if (exchange_takes(exchange, "GET", "/metrics takes GET") && *exchange->identity->curriculum)
        exchange_error(exchange, 403,
                       "/metrics counts the work on all curricula: send a token that is not bound "
                       "to one");
}

static void handle(struct exchange *exchange)
{
    static const struct totals no_tasks;
    struct counts counts = {.server = exchange->services->server, .chat = exchange->services->chat};
    size_t calls, streams;
    struct buf body;

    counts.totals = counts.server->solver ? counts.server->solver->totals : &no_tasks;
    host_count(exchange->services->sessions->host, &calls, &streams);
    counts.connections = exchange_connections(exchange);
    counts.calls = calls;
    counts.streams = streams;
    if (counts.server->analyses.executor)
        executor_stats(counts.server->analyses.executor, &counts.stats);
    counts.queued = counts.stats.queued;
    counts.running = counts.stats.running;
    counts.disagreements = counts.stats.ended[EXECUTION_DISAGREEMENT];
    counts.pages = chat_pages(counts.chat);
    counts.runs = chat_runs(counts.chat);
    counts.requests = chat_totals(counts.chat)->requests;
    buf_init(&body, 0);
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        buf_addf(&body, "# HELP %s %s\n# TYPE %s %s\n", families[i].name, families[i].help,
                 families[i].name, families[i].type);
        families[i].write(&families[i], &counts, &body);
    }
    exchange_answer(exchange, 200, FORMAT, &body);
}

const struct http_route http_route_metrics = {
    .path = "/metrics",
    .scopes = IDENTITY_READ,
    .error_form = "detail",
    .body_cap = 4096,
    .check = check,
    .handle = handle,
};
