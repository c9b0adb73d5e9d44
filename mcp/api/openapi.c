/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * GET /openapi.json: the API described from the table that dispatches it, and from the fields that
 * its queries and bodies are checked by. What a route's flags and captures mean for its parameters
 * and answers is said once, here. Pure but for the handler.
 */
#include <math.h>
#include <string.h>

#include "mcp/api/rest_internal.h"
#include "mcp/store/idempotency.h"

static const char head[] =
    "{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"Lectern\",\"version\":\"" LECTERN_VERSION "\","
    "\"summary\":\"Sessions of curricula: nodes, components, relationships, their history\","
    "\"description\":\"Every list and component sequence carries a strong ETag; a write with "
    "If-Match that no longer matches is 412 with the current state. A write with Idempotency-Key "
    "is "
    "done once. Changes are sent over WebSocket at /mcp-sync; MCP is at POST /mcp.\","
    "\"license\":{\"name\":\"GPL-3.0-or-later\",\"identifier\":\"GPL-3.0-or-later\"}},"
    "\"servers\":[{\"url\":\"/\",\"description\":\"This server\"}],\"security\":[],\"tags\":["
    "{\"name\":\"service\",\"description\":\"The service itself\"},"
    "{\"name\":\"sessions\",\"description\":\"Curricula, one a session\"},"
    "{\"name\":\"nodes\",\"description\":\"What a curriculum consists of\"},"
    "{\"name\":\"relationships\",\"description\":\"What leads to what\"},"
    "{\"name\":\"components\",\"description\":\"What a node shows, in its order\"},"
    "{\"name\":\"changes\",\"description\":\"Several changes as one\"},"
    "{\"name\":\"graph\",\"description\":\"Questions over the whole\"},"
    "{\"name\":\"history\",\"description\":\"Who changed what, and taking it back\"},"
    "{\"name\":\"learners\",\"description\":\"Learners of a server with a tutor, for its "
    "operator\"},"
    "{\"name\":\"analyses\",\"description\":\"Python over a curriculum, in a sandbox\"}],";

/* ---- parameters ---- */

#define TEXT "{\"type\":\"string\"}"
#define REFS "#/components/schemas/"

/* clang-format off */
static const struct fields path_parameters = {
    .rows = (const struct field[]){
        FIELD("sid", FIELD_TEXT, .required = true, .documentation = "The session's id"),
        FIELD("nid", FIELD_TEXT, .required = true, .documentation = "The node's id, percent-encoded"),
        FIELD("order", FIELD_WHOLE, .required = true, .least = 1, .most = INFINITY,
              .documentation = "The component's place, from 1 on"),
        FIELD("id", FIELD_WHOLE, .required = true, .least = 1, .most = INFINITY, .documentation = "The relationship's id"),
        FIELD("query", FIELD_TEXT, .required = true, .documentation = "A name of the list of queries"),
        FIELD("learner_id", FIELD_TEXT, .required = true, .documentation = "The learner's id"), {0}},
};
static const struct fields header_parameters = {
    .rows = (const struct field[]){
        FIELD("X-Session-ID", FIELD_TEXT, .documentation = "Names the session of a bare path"),
        FIELD("If-Match", FIELD_TEXT, .documentation = "An ETag: write only if it still holds"),
        FIELD("If-None-Match", FIELD_TEXT, .documentation = "An ETag: 304 if it still holds"),
        FIELD("Idempotency-Key", FIELD_TEXT, .least = 1, .most = IDEMPOTENCY_KEY_MAX,
              .documentation = "A repeat with the same key gets the first answer"),
        FIELD("X-Editor", FIELD_TEXT,
              .documentation = "Who writes, for the history and for those who look on: at most 64 bytes of UTF-8, as they "
                               "are or as %XX"), {0}},
};
/* clang-format on */

static void write_parameter(struct buf *to, const char *in, const struct field *row)
{
    buf_addf(to, "{\"name\":\"%s\",\"in\":\"%s\",\"required\":%s,\"schema\":", row->name, in,
             row->required ? "true" : "false");
    field_schema(row, REFS, to);
    buf_addc(to, '}');
}

/* Those of paths and headers, to which the routes refer. */
static void write_parameters(struct buf *to)
{
    const char *comma = "";

    buf_adds(to, "\"parameters\":{");
    for (const struct field *row = path_parameters.rows; row->name; row++) {
        buf_addf(to, "%s\"%s\":", comma, row->name);
        write_parameter(to, "path", row);
        comma = ",";
    }
    for (const struct field *row = header_parameters.rows; row->name; row++) {
        buf_addf(to, ",\"%s\":", row->name);
        write_parameter(to, "header", row);
    }
    buf_addc(to, '}');
}

static void write_query(struct buf *to, const struct fields *query, const char **comma)
{
    for (const struct field *row = query ? query->rows : NULL; row && row->name; row++) {
        buf_adds(to, *comma);
        write_parameter(to, "query", row);
        *comma = ",";
    }
}

static void refer(struct buf *to, const char *kind, const char *name, size_t len,
                  const char **comma)
{
    buf_addf(to, "%s{\"$ref\":\"#/components/%s/%.*s\"}", *comma, kind, (int)len, name);
    *comma = ",";
}

static bool is_bare(const struct rest_route *route)
{
    return !strstr(route->pattern, "{sid}") && strstr(route->pattern, "{nid}");
}

static void write_route_parameters(struct buf *to, const struct rest_route *route)
{
    static const struct {
        const char *name;
        bool write, of_state; /* only if there is a state to name */
    } headers[] = {{"If-Match", true, true},
                   {"Idempotency-Key", true, false},
                   {"X-Editor", true, false},
                   {"If-None-Match", false, true}};
    bool write = route->flags & ROUTE_WRITE;
    const char *comma = "";

    buf_adds(to, ",\"parameters\":[");
    for (const char *at = strchr(route->pattern, '{'); at; at = strchr(at + 1, '{'))
        refer(to, "parameters", at + 1, strcspn(at + 1, "}"), &comma);
    write_query(to, route->query, &comma);
    if (is_bare(route))
        refer(to, "parameters", "X-Session-ID", strlen("X-Session-ID"), &comma);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        bool wanted =
            headers[i].write == write && (route->state != REST_STATE_NONE || !headers[i].of_state);

        if (wanted)
            refer(to, "parameters", headers[i].name, strlen(headers[i].name), &comma);
    }
    buf_addc(to, ']');
}

/* ---- answers ---- */

enum occasion { ALWAYS, OF_SESSION, OF_THING, OF_BARE, OF_WRITE, OF_STATE_WRITE, OF_BODY };

static const struct fields error_answer = REST_ANSWER("Error", REST_TEXT("detail"));
static const struct fields stale_answer =
    REST_ANSWER("Stale", REST_TEXT("detail"),
                {.name = "current",
                 .required = true,
                 .documentation = "What is there now, as a GET gives it; or null"});

static const struct fields fault = REST_ANSWER(NULL, FIELD("loc", FIELD_ARRAY, .required = true),
                                               REST_TEXT("msg"), REST_TEXT("type"));
static const struct fields fault_list = REST_ANSWER(NULL, REST_LIST("detail", &fault));

static void write_faults(const struct field *row, const void *context, struct buf *to)
{
    (void)row;
    (void)context;
    buf_adds(to, "{\"oneOf\":[");
    fields_schema(&fault_list, REFS, NULL, to);
    buf_adds(to, ",{\"$ref\":\"" REFS "Error\"}]}");
}
static const struct fields faults_answer = {.schema = "Faults", .write_schema = write_faults};

static const struct {
    int status;
    enum occasion occasion;
    const struct fields *answer;
    const char *description;
} refusals[] = {
    {400, ALWAYS, &error_answer, "The request cannot be read"},
    {401, OF_SESSION, &error_answer, "There is no such session"},
    {403, ALWAYS, &error_answer, "Host or Origin is not let in"},
    {404, OF_THING, &error_answer,
     "There is no such node, component, relationship, query or version"},
    {409, OF_WRITE, &error_answer, "It is there already, or was changed since"},
    {409, OF_BARE, &error_answer, "The node id is in several sessions: name one"},
    {411, OF_BODY, &error_answer, "A body in chunks is not taken"},
    {412, OF_STATE_WRITE, &stale_answer, "What If-Match names has changed since"},
    {413, OF_BODY, &error_answer, "The body is too large"},
    {415, OF_BODY, &error_answer, "The body is not JSON by its Content-Type"},
    {422, ALWAYS, &faults_answer, "Each field that is wrong"},
    {429, ALWAYS, &error_answer, "Too many requests wait: try again after Retry-After"},
    {500, ALWAYS, &error_answer, "A fault of the server"},
    {503, ALWAYS, &error_answer, "Not now: try again after Retry-After"},
};

static bool applies(const struct rest_route *route, enum occasion occasion)
{
    bool session = strstr(route->pattern, "{sid}") && strcmp(route->id, "validateSession") != 0;
    bool write = route->flags & ROUTE_WRITE;

    switch (occasion) {
    case ALWAYS:
        return true;
    case OF_SESSION:
    case OF_THING:
        return session || is_bare(route);
    case OF_BARE:
        return is_bare(route) && !write;
    case OF_WRITE:
        return write;
    case OF_STATE_WRITE:
        return write && route->state != REST_STATE_NONE;
    case OF_BODY:
        return write;
    }
    return false;
}

static void write_refusals(struct buf *to, bool (*wanted)(const struct rest_route *, enum occasion),
                           const struct rest_route *route)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (wanted(route, refusals[i].occasion))
            buf_addf(to, ",\"%d\":{\"$ref\":\"#/components/responses/%s%d\"}", refusals[i].status,
                     refusals[i].occasion == OF_BARE ? "Bare" : "Refused", refusals[i].status);
}

static void write_responses(struct buf *to)
{
    buf_adds(to, "\"responses\":{\"Same\":{\"description\":\"What If-None-Match names still "
                 "holds\",\"headers\":{\"ETag\":{\"$ref\":\"#/components/headers/ETag\"}}}");
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        buf_addf(to,
                 ",\"%s%d\":{\"description\":\"%s\",\"content\":{\"application/json\":{"
                 "\"schema\":{\"$ref\":\"#/components/schemas/%s\"}}}}",
                 refusals[i].occasion == OF_BARE ? "Bare" : "Refused", refusals[i].status,
                 refusals[i].description, refusals[i].answer->schema);
    buf_adds(to,
             "},\"headers\":{\"ETag\":{\"description\":\"Of the state that is shown, or is left "
             "by a write\",\"schema\":" TEXT "},\"Idempotency-Replayed\":{\"description\":"
             "\"true: the answer to an earlier request with the same key\",\"schema\":" TEXT "}}");
}

static void write_answer(struct buf *to, const struct rest_route *route)
{
    bool write = route->flags & ROUTE_WRITE;
    bool state = route->state != REST_STATE_NONE && !(route->flags & ROUTE_ENDS);

    buf_adds(to, ",\"responses\":{\"200\":{\"description\":\"Done\"");
    if (state || write)
        buf_addf(to, ",\"headers\":{%s%s%s}",
                 state ? "\"ETag\":{\"$ref\":\"#/components/headers/ETag\"}" : "",
                 state && write ? "," : "",
                 write ? "\"Idempotency-Replayed\":{\"$ref\":\"#/components/headers/"
                         "Idempotency-Replayed\"}"
                       : "");
    buf_addf(to,
             ",\"content\":{\"application/json\":{\"schema\":{\"$ref\":\"#/components/schemas/"
             "%s\"}}}}",
             route->answer->schema);
    if (state && !write)
        buf_adds(to, ",\"304\":{\"$ref\":\"#/components/responses/Same\"}");
    write_refusals(to, applies, route);
    buf_addc(to, '}');
}

/* ---- paths ---- */

static void write_body(struct buf *to, const struct fields *body, bool required)
{
    buf_addf(to,
             ",\"requestBody\":{\"required\":%s,\"content\":{\"application/json\":{\"schema\":{"
             "\"$ref\":\"#/components/schemas/%s\"}}}}",
             required ? "true" : "false", body->schema);
}

static void write_operation(struct buf *to, const struct rest_route *route)
{
    char method[8];
    size_t i = 0;

    for (; route->method[i] && i < sizeof method - 1; i++)
        method[i] = (char)(route->method[i] | 0x20);
    method[i] = '\0';
    buf_addf(to, "\"%s\":{\"operationId\":\"%s\",\"tags\":[\"%s\"],\"summary\":\"%s\"", method,
             route->id, route->tag, route->summary);
    write_route_parameters(to, route);
    if (route->body)
        write_body(to, route->body, route->flags & ROUTE_BODY);
    write_answer(to, route);
    buf_addc(to, '}');
}

static bool applies_always(const struct rest_route *route, enum occasion occasion)
{
    (void)route;
    return occasion == ALWAYS || occasion == OF_BODY || occasion == OF_THING;
}

/* ---- POST /execute, which the transport serves ---- */

/* clang-format off */
static const struct fields artifact = REST_ANSWER(NULL, REST_TEXT("mime"), REST_TEXT("base64"));
static const struct fields executed_part =
    REST_ANSWER(NULL, REST_TEXT("name"), REST_TEXT("stdout"), REST_TEXT("stderr"), REST_TEXT_OR_NULL("result"), REST_TEXT_OR_NULL("error"),
                REST_WHOLE("exit_code"), REST_NUMBER("execution_time"), REST_LIST("artifacts", &artifact));
static const struct fields execute_answer =
    REST_ANSWER("Executed", REST_TEXT("stdout"), REST_TEXT("stderr"), REST_TEXT_OR_NULL("result"), REST_TEXT_OR_NULL("error"),
                REST_WHOLE("exit_code"), REST_NUMBER("execution_time"), REST_LIST("artifacts", &artifact));
static const struct fields batch_answer = REST_ANSWER("ExecutedBatch", REST_LIST("batch", &executed_part));
/* clang-format on */

/* ---- /learners, which the transport serves where the server has a tutor ---- */

/* clang-format off */
const struct fields rest_learner_tier_fields = {
    .name = "the body", .schema = "LearnerTier",
    .rows = (const struct field[]){
        FIELD("tier", FIELD_TEXT, .required = true, .least = 1, .most = REST_TIER_NAME_MAX,
              .documentation = "A name of the file of tiers"), {0}},
};
static const struct fields learner_answer =
    REST_ANSWER("LearnerData", FIELD("learner", FIELD_OBJECT, .required = true), FIELD("evidence", FIELD_ARRAY, .required = true),
                FIELD("submissions", FIELD_ARRAY, .required = true), FIELD("hints", FIELD_ARRAY, .required = true));
static const struct fields deleted_answer =
    REST_ANSWER("LearnerDeleted", REST_TEXT("deleted"), FIELD("backups", FIELD_ARRAY, .required = true, .item = FIELD_TEXT),
                REST_TEXT("other_copies"));
static const struct fields tier_answer = REST_ANSWER("LearnerTierSet", REST_TEXT("learner_id"), REST_TEXT("tier"));
/* clang-format on */

static const struct learner_operation {
    const char *path, *method, *id, *summary;
    const struct fields *body, *answer;
} learner_operations[] = {
    {"/learners/{learner_id}", "get", "readLearner", "Everything that is stored about a learner",
     NULL, &learner_answer},
    {"/learners/{learner_id}", "delete", "deleteLearner",
     "Deletes a learner, and names older backups", NULL, &deleted_answer},
    {"/learners/{learner_id}/tier", "post", "setLearnerTier",
     "Gives a learner a tier; the same again changes nothing", &rest_learner_tier_fields,
     &tier_answer},
};
#define LEARNER_OPERATIONS_COUNT (sizeof learner_operations / sizeof learner_operations[0])

static void write_learner_operations(struct buf *to)
{
    const char *path = "";

    for (size_t i = 0; i < LEARNER_OPERATIONS_COUNT; i++) {
        const struct learner_operation *row = &learner_operations[i];
        const char *comma = "";

        if (strcmp(path, row->path) == 0)
            buf_addc(to, ',');
        else
            buf_addf(to, "%s\"%s\":{", *path ? "}," : "", row->path);
        path = row->path;
        buf_addf(to,
                 "\"%s\":{\"operationId\":\"%s\",\"tags\":[\"learners\"],\"summary\":\"%s\","
                 "\"parameters\":[",
                 row->method, row->id, row->summary);
        refer(to, "parameters", "learner_id", strlen("learner_id"), &comma);
        buf_addc(to, ']');
        if (row->body)
            write_body(to, row->body, true);
        buf_addf(to,
                 ",\"responses\":{\"200\":{\"description\":\"Done\",\"content\":{"
                 "\"application/json\":{\"schema\":{\"$ref\":\"" REFS "%s\"}}}}",
                 row->answer->schema);
        write_refusals(to, applies_always, NULL);
        buf_adds(to, "}}");
    }
    buf_adds(to, "},");
}

/* What the transport serves beside the table. */
static void write_others(struct buf *to)
{
    write_learner_operations(to);
    buf_adds(to, "\"/execute\":{\"post\":{\"operationId\":\"execute\",\"tags\":[\"analyses\"],"
                 "\"summary\":\"Runs Python over a session's curriculum\"");
    write_body(to, &rest_execute_fields, true);
    buf_adds(to, ",\"responses\":{\"200\":{\"description\":\"It ran, or its code was refused\","
                 "\"content\":{\"application/json\":{\"schema\":{\"oneOf\":[{\"$ref\":"
                 "\"#/components/schemas/Executed\"},{\"$ref\":\"#/components/schemas/"
                 "ExecutedBatch\"}]}}}}");
    write_refusals(to, applies_always, NULL);
    buf_adds(to, "}}},\"/metrics\":{\"get\":{\"operationId\":\"metrics\",\"tags\":[\"service\"],"
                 "\"summary\":\"What is counted, as Prometheus reads it\",\"responses\":{\"200\":{"
                 "\"description\":\"The figures\",\"content\":{\"text/plain\":{\"schema\":" TEXT
                 "}}},\"400\":{\"$ref\":\"#/components/responses/Refused400\"},\"403\":{\"$ref\":"
                 "\"#/components/responses/Refused403\"}}}}");
}

/* The routes of a path are adjacent; the first one writes them all. */
static void write_path(struct buf *to, const struct rest_route *first)
{
    const struct rest_route *route;
    struct rest_routes at = {0};
    const char *comma = "";

    while ((route = rest_routes_next(&at))) {
        if (strcmp(route->pattern, first->pattern) != 0)
            continue;
        if (!*comma && route != first)
            return;
        if (!*comma)
            buf_addf(to, "\"%s\":{", first->pattern);
        buf_adds(to, comma);
        comma = ",";
        write_operation(to, route);
    }
    buf_adds(to, "},");
}

/* ---- schemas ---- */

#define SCHEMAS_CAP 128 /* named ones */

struct schemas {
    struct buf *to;
    const struct fields *written[SCHEMAS_CAP];
    size_t count;
};

static bool is_written(const struct schemas *schemas, const struct fields *fields)
{
    for (size_t i = 0; i < schemas->count; i++) {
        if (strcmp(schemas->written[i]->schema, fields->schema) == 0)
            return true;
    }
    return false;
}

/* Writes the schema, if it has a name and is not written yet, and those that it refers to. */
static void write_schema(struct schemas *schemas, const struct fields *fields)
{
    if (!fields || (fields->schema && is_written(schemas, fields)))
        return;
    if (fields->schema && schemas->count < SCHEMAS_CAP) {
        buf_addf(schemas->to, "%s\"%s\":", schemas->count > 0 ? "," : "", fields->schema);
        schemas->written[schemas->count++] = fields;
        fields_schema(fields, REFS, NULL, schemas->to);
    }
    for (const struct field *row = fields->rows; row && row->name; row++)
        write_schema(schemas, row->of);
}

static void write_schemas(struct buf *to)
{
    struct schemas schemas = {.to = to};
    const struct rest_route *route;
    struct rest_routes at = {0};

    buf_adds(to, "\"schemas\":{");
    while ((route = rest_routes_next(&at))) {
        write_schema(&schemas, route->body);
        write_schema(&schemas, route->answer);
    }
    write_schema(&schemas, &rest_execute_fields);
    write_schema(&schemas, &execute_answer);
    write_schema(&schemas, &batch_answer);
    for (size_t i = 0; i < LEARNER_OPERATIONS_COUNT; i++) {
        write_schema(&schemas, learner_operations[i].body);
        write_schema(&schemas, learner_operations[i].answer);
    }
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        write_schema(&schemas, refusals[i].answer);
    buf_addc(to, '}');
}

int rest_openapi(struct rest_call *call, struct error *err)
{
    struct buf *to = &call->response->body;
    const struct rest_route *route;
    struct rest_routes at = {0};

    (void)err;
    buf_adds(to, head);
    buf_adds(to, "\"paths\":{");
    while ((route = rest_routes_next(&at)))
        write_path(to, route);
    write_others(to);
    buf_adds(to, "},\"components\":{");
    write_parameters(to);
    buf_addc(to, ',');
    write_responses(to);
    buf_addc(to, ',');
    write_schemas(to);
    buf_adds(to, "}}");
    return 0;
}
