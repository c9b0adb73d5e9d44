/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "/metrics": what this server counts, in Prometheus' text format 0.0.4. One table of families, one
 * writer of samples each. Runs on the loop's thread.
 */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "executor/executor.h"
#include "mcp/chat/chat.h"
#include "mcp/protocol/peer.h"
#include "mcp/server.h"
#include "mcp/session/graph_cache.h"
#include "mcp/transport/http_mcp.h"

#define FORMAT "text/plain; version=0.0.4; charset=utf-8"

/* What the samples are read from, at one moment. */
struct counts {
    const struct server *server;
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

static void write_histogram(const struct family *family, const struct counts *counts,
                            struct buf *to)
{
    struct executor_histogram histogram;
    uint64_t below = 0;

    memcpy(&histogram, (const char *)counts + family->offset, sizeof histogram);
    for (size_t i = 0; i < EXECUTOR_BUCKETS; i++) {
        below += histogram.counts[i];
        buf_addf(to, "%s_bucket{le=\"%g\"} %" PRIu64 "\n", family->name, executor_buckets[i],
                 below);
    }
    below += histogram.counts[EXECUTOR_BUCKETS];
    buf_addf(to, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n%s_sum %.9g\n%s_count %" PRIu64 "\n",
             family->name, below, family->name, histogram.sum, family->name, below);
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
    struct counts counts = {.server = exchange->services->server, .chat = exchange->services->chat};
    size_t calls, streams;
    struct buf body;

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
