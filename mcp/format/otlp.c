/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/format/otlp.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/text.h"

#define SCHEMA_URL    "https://opentelemetry.io/schemas/1.41.0"
#define PROVIDER      "anthropic" /* whose Messages API every model speaks */
#define TRACE_ID_SIZE 33          /* 16 bytes in hex */
#define SPAN_ID_SIZE  17          /* 8 bytes in hex */

enum span_kind { SPAN_INTERNAL = 1, SPAN_CLIENT = 3 };

/* ---- attributes ---- */

static void add(json_t *attributes, const char *key, json_t *value)
{
    json_array_append_new(attributes, json_pack("{s:s, s:o}", "key", key, "value", value));
}

/* Nothing for NULL. */
static void add_text(json_t *attributes, const char *key, const char *text)
{
    if (text)
        add(attributes, key, json_pack("{s:s}", "stringValue", text));
}

/* A 64-bit number is a text in OTLP JSON. */
static void add_whole(json_t *attributes, const char *key, json_int_t number)
{
    char text[24];

    snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, number);
    add(attributes, key, json_pack("{s:s}", "intValue", text));
}

static json_int_t whole(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* usage: of a request or of an answer. input has the tokens of the cache too. */
static void add_usage(json_t *attributes, const json_t *usage)
{
    json_int_t read = whole(usage, "cache_read"), written = whole(usage, "cache_write");

    add_whole(attributes, "gen_ai.usage.input_tokens", whole(usage, "input") + read + written);
    add_whole(attributes, "gen_ai.usage.output_tokens", whole(usage, "output"));
    add_whole(attributes, "gen_ai.usage.cache_read.input_tokens", read);
    add_whole(attributes, "gen_ai.usage.cache_creation.input_tokens", written);
}

/* ---- spans ---- */

struct tracing {
    char trace_id[TRACE_ID_SIZE];
    unsigned count;     /* of spans */
    int64_t begin, end; /* of all steps, in ms */
    json_t *spans;      /* borrowed */
};

/* A span's id is the end of the task's, and its number. */
static void write_id(const struct tracing *tracing, unsigned number, char id[SPAN_ID_SIZE])
{
    snprintf(id, SPAN_ID_SIZE, "%.12s%04x", tracing->trace_id + 20, number & 0xffff);
}

/* Takes over attributes. error: its type, or NULL. The first span is the root of the others, but
 * is added last, because it ends with them. */
static void add_span(struct tracing *tracing, unsigned number, const char *name,
                     enum span_kind kind, int64_t begin_ms, int64_t end_ms, json_t *attributes,
                     const char *error)
{
    char id[SPAN_ID_SIZE], root[SPAN_ID_SIZE], begin[32], end[32];
    json_t *span;

    write_id(tracing, number, id);
    write_id(tracing, 0, root);
    snprintf(begin, sizeof begin, "%" PRId64 "000000", begin_ms);
    snprintf(end, sizeof end, "%" PRId64 "000000", end_ms);
    add_text(attributes, "error.type", error);
    span = json_pack("{s:s, s:s, s:s, s:i, s:s, s:s, s:o, s:{s:i}}", "traceId", tracing->trace_id,
                     "spanId", id, "name", name, "kind", (int)kind, "startTimeUnixNano", begin,
                     "endTimeUnixNano", end, "attributes", attributes, "status", "code",
                     error ? 2 : 1);
    if (number > 0)
        json_object_set_new(span, "parentSpanId", json_string(root));
    json_array_append_new(tracing->spans, span);
}

static void take_step(struct tracing *tracing, const json_t *entry)
{
    const json_t *message = json_object_get(entry, "message"), *cost;
    bool request = json_string_is(entry, "kind", "request");
    double seconds = json_number_value(json_object_get(request ? entry : message, "seconds"));
    int64_t end = text_time_ms(json_get_string(entry, "at")),
            begin = end - (int64_t)(seconds * 1e3);
    json_t *attributes;
    char name[160];

    if (tracing->begin == 0 || begin < tracing->begin)
        tracing->begin = begin;
    tracing->end = end;
    if (!request && !json_string_is(entry, "kind", "execution"))
        return;
    attributes = json_array();
    if (request) {
        const char *model = json_get_string(entry, "model");
        const char *outcome = json_get_string(entry, "outcome");

        add_text(attributes, "gen_ai.operation.name", "chat");
        add_text(attributes, "gen_ai.provider.name", PROVIDER);
        add_text(attributes, "gen_ai.request.model", model);
        add_text(attributes, "gen_ai.agent.name", json_get_string(entry, "role"));
        add_usage(attributes, json_object_get(entry, "usage"));
        cost = json_object_get(entry, "cost");
        if (cost)
            add(attributes, "lectern.cost", json_pack("{s:O}", "doubleValue", cost));
        snprintf(name, sizeof name, "chat %s", model ? model : "");
        add_span(tracing, ++tracing->count, name, SPAN_CLIENT, begin, end, attributes,
                 outcome && strcmp(outcome, "message") != 0 ? outcome : NULL);
    } else {
        const char *tool = whole(message, "attempt") > 0 ? "execute_code" : "query_graph";

        add_text(attributes, "gen_ai.operation.name", "execute_tool");
        add_text(attributes, "gen_ai.tool.name", tool);
        add_text(attributes, "gen_ai.tool.type", "function");
        add_whole(attributes, "lectern.attempt", whole(message, "attempt"));
        snprintf(name, sizeof name, "execute_tool %s", tool);
        add_span(tracing, ++tracing->count, name, SPAN_INTERNAL, begin, end, attributes,
                 json_get_string(json_object_get(message, "error"), "errorCategory"));
    }
}

static void add_root(struct tracing *tracing, const json_t *task, const json_t *answer)
{
    const char *status = json_get_string(task, "status");
    json_t *attributes = json_array();

    add_text(attributes, "gen_ai.operation.name", "invoke_agent");
    add_text(attributes, "gen_ai.provider.name", PROVIDER);
    add_text(attributes, "gen_ai.agent.name", "solve");
    add_text(attributes, "lectern.task.id", json_get_string(task, "id"));
    add_text(attributes, "lectern.session", json_get_string(task, "session_id"));
    add_text(attributes, "lectern.task.status", status);
    add_whole(attributes, "lectern.task.attempts", whole(task, "attempts"));
    if (answer)
        add_usage(attributes, json_object_get(answer, "usage"));
    add_span(tracing, 0, "invoke_agent solve", SPAN_INTERNAL, tracing->begin, tracing->end,
             attributes, status && strcmp(status, "solved") == 0 ? NULL : status);
}

void otlp_write(const json_t *task, struct buf *to)
{
    const json_t *entries = json_object_get(task, "entries"), *entry, *answer = NULL;
    const char *id = json_get_string(task, "id");
    json_t *resource = json_array();
    json_auto_t *spans = json_array(), *whole_trace = NULL;
    struct tracing tracing = {.spans = spans};
    size_t i, len = 0;

    for (; id && *id && len + 1 < sizeof tracing.trace_id; id++) {
        if (*id != '-')
            tracing.trace_id[len++] = *id;
    }
    json_array_foreach((json_t *)entries, i, entry)
    {
        take_step(&tracing, entry);
        if (json_string_is(entry, "kind", "answer"))
            answer = json_object_get(entry, "message");
    }
    add_root(&tracing, task, answer);
    add_text(resource, "service.name", "lectern");
    whole_trace = json_pack("{s:[{s:{s:o}, s:[{s:{s:s}, s:O, s:s}]}]}", "resourceSpans", "resource",
                            "attributes", resource, "scopeSpans", "scope", "name", "lectern.solve",
                            "spans", spans, "schemaUrl", SCHEMA_URL);
    json_write(to, whole_trace);
}
