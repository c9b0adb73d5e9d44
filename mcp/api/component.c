/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Routes of the session API: components, of a session's node and in the bare spelling without a
 * session.
 */
#include <math.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/api/rest_internal.h"
#include "mcp/curriculum/entity.h"
#include "mcp/curriculum/text.h"
#include "mcp/store/entities/component.h"
#include "mcp/store/entities/read.h"

static int components(struct rest_call *call, struct error *err)
{
    return store_read_components(call->store, call->session, call->node, &call->response->body,
                                 err);
}

static int all_components(struct rest_call *call, struct error *err)
{
    return store_read_all_components(
        call->store, call->session, (size_t)rest_asked_whole(call, "offset", 0),
        (size_t)rest_asked_whole(call, "limit", 0), &call->response->body, err);
}

/* ---- whole sequences ---- */

static int replace(struct rest_call *call, struct error *err)
{
    if (rest_take_path_id(call, "node_id", call->node, err) < 0)
        return -1;
    return store_components_replace(call->store, &call->writer, call->session, call->node,
                                    call->body, err);
}

static int replace_all(struct rest_call *call, struct error *err)
{
    return replace(call, err) != 0 ? -1 : components(call, err);
}

static int save(struct rest_call *call, struct error *err)
{
    const json_t *given = json_object_get(call->body, "components");
    char now[TIME_TEXT_SIZE];

    if (replace(call, err) != 0)
        return -1;
    text_now(now);
    buf_addf(&call->response->body,
             "{\"success\":true,\"saved_at\":\"%s\",\"total_components\":%zu}", now,
             json_array_size(given));
    return 0;
}

static int reorder(struct rest_call *call, struct error *err)
{
    if (store_components_reorder(call->store, &call->writer, call->session, call->node,
                                 json_object_get(call->body, "order"), err) != 0)
        return -1;
    return components(call, err);
}

/* ---- one component ---- */

static void answer_state(struct rest_call *call, const char *done,
                         const struct component_state *state)
{
    rest_answer_success(call, "Component %ld (%s) of node %s %s", state->order, state->type,
                        call->node, done);
    buf_addf(&call->response->body,
             ",\"component_id\":\"%s\",\"revision\":%ld,\"order\":%ld,\"order_index\":%ld,"
             "\"total_components\":%ld",
             state->component_id, state->revision, state->order, state->order, state->total);
    rest_answer_end(call);
}

static int insert(struct rest_call *call, struct error *err)
{
    struct component_state state;
    int64_t place = 0;

    if (rest_take_number(call, "position", &place, err) < 0)
        return -1;
    if (store_component_insert(call->store, &call->writer, call->session, call->node, (long)place,
                               call->body, &state, err) != 0)
        return -1;
    answer_state(call, "inserted", &state);
    return 0;
}

/* Reads the members that name the component and its state, not a change. */
static int read_reference(struct rest_call *call, struct component_ref *ref,
                          char id[COMPONENT_ID_SIZE], int64_t *expected, struct error *err)
{
    const json_t *order = json_object_get(call->body, "order");
    const char *given = json_get_string(call->body, "component_id");

    if (order && !json_is_null(order) &&
        (!json_is_integer(order) || json_integer_value(order) != ref->order))
        return error_set_at(err, "order",
                            "order must be the one of the path, %ld: an update moves no component",
                            ref->order);
    if (given &&
        strlen(given) < COMPONENT_ID_SIZE) { /* outlasts an order that has moved meanwhile */
        memcpy(id, given, strlen(given) + 1);
        ref->component_id = id;
    }
    return rest_take_number(call, "expected_revision", expected, err);
}

static int update(struct rest_call *call, struct error *err)
{
    struct component_ref ref = {.node_id = call->node};
    struct component_state state;
    char id[COMPONENT_ID_SIZE];
    int64_t order, expected = 0;

    if (rest_path_number(call, "order", &order, err) < 0)
        return -1;
    ref.order = (long)order;
    if (read_reference(call, &ref, id, &expected, err) < 0)
        return -1;
    if (store_component_update(call->store, &call->writer, call->session, &ref, call->body, false,
                               (long)expected, &state, err) != 0)
        return -1;
    answer_state(call, "updated", &state);
    return 0;
}

static int delete_component(struct rest_call *call, struct error *err)
{
    struct component_ref ref = {.node_id = call->node};
    struct component_state state;
    int64_t order;

    if (rest_path_number(call, "order", &order, err) < 0)
        return -1;
    ref.order = (long)order;
    if (store_component_delete(call->store, &call->writer, call->session, &ref, 0, &state, err) !=
        0)
        return -1;
    buf_addf(&call->response->body, "{\"success\":true,\"remaining_components\":%ld}", state.total);
    return 0;
}

/* clang-format off */
/* ---- shapes ---- */

static const struct fields component = {
    .schema = "Component", .flags = FIELDS_ANSWER,
    .documentation = "An import keeps what breaks the rules, so types here are wider than in writes. Further fields "
                     "are kept and given back",
    .rows = (const struct field[]){
        FIELD("component_id", FIELD_TEXT, .required = true, .documentation = "Stable"),
        REST_WHOLE("revision"), REST_TEXT_OR_NULL("type"),
        FIELD("component_type", FIELD_TEXT, .required = true, .flags = FIELD_NULL, .documentation = "The same as type"),
        {.name = "order", .required = true, .documentation = "From 1 on, dense"},
        {.name = "order_index", .required = true, .documentation = "The same as order"},
        {.name = "parameters", .required = true, .documentation = "An object, shaped by type"},
        REST_NUMBER_OR_NULL("confidence"), {0}},
};
static const struct fields sequence =
    REST_ANSWER("Components", REST_TEXT("node_id"), REST_TEXT_OR_NULL("title"), REST_LIST("components", &component),
                REST_WHOLE("total_components"), REST_TEXT_OR_NULL("suggested_template"),
                REST_NUMBER_OR_NULL("overall_confidence"));
static const struct fields of_node =
    REST_ANSWER(NULL, REST_TEXT_OR_NULL("node_id"), REST_TEXT_OR_NULL("title"), REST_LIST("components", &component));
static const struct fields all =
    REST_ANSWER("AllComponents", REST_TEXT("session_id"), REST_LIST("nodes", &of_node), REST_WHOLE("total"), REST_WHOLE("offset"));
static const struct fields saved =
    REST_ANSWER("Saved", REST_FLAG("success"), REST_TEXT("saved_at"), REST_WHOLE("total_components"));
static const struct fields done =
    REST_ANSWER("ComponentDone", REST_FLAG("success"), REST_TEXT("message"), REST_TEXT("component_id"), REST_WHOLE("revision"),
                REST_WHOLE("order"), REST_WHOLE("order_index"), REST_WHOLE("total_components"));
static const struct fields deleted =
    REST_ANSWER("ComponentDeleted", REST_FLAG("success"), REST_WHOLE("remaining_components"));

static const struct fields sequence_body = {
    .name = "a sequence of components", .schema = "ComponentsNew",
    .rows = (const struct field[]){
        FIELD("components", FIELD_ARRAY, .required = true, .flags = FIELD_ALONE, .of = &entity_component_fields,
         .documentation = "[{type, order, parameters, confidence}, ...], the node's whole sequence"),
        FIELD("suggested_template", FIELD_TEXT, .most = TITLE_MAX, .flags = FIELD_NULL),
        FIELD("overall_confidence", FIELD_NUMBER, .most = 1, .flags = FIELD_NULL),
        FIELD("node_id", FIELD_TEXT),
        REST_GIVEN_BACK("session_id"), REST_GIVEN_BACK("title"), REST_GIVEN_BACK("total_components"), {0}},
};
static const struct fields order_body = {
    .name = "a new order", .schema = "Order",
    .rows = (const struct field[]){
        FIELD("order", FIELD_ARRAY, .required = true, .flags = FIELD_ALONE, .item = FIELD_WHOLE,
         .documentation = "[3, 1, 2], the old places in their new sequence"), {0}},
};
static const struct fields all_query = {
    .name = "the query", .flags = FIELDS_AS_TEXT, .noun = "parameter",
    .rows = (const struct field[]){
        FIELD("offset", FIELD_WHOLE, .most = INFINITY, .documentation = "Nodes to leave out at the beginning"),
        FIELD("limit", FIELD_WHOLE, .most = INFINITY, .documentation = "Nodes at most; 0: all"), {0}},
};
static const struct fields bare_query = {
    .name = "the query", .noun = "parameter",
    .rows = (const struct field[]){
        FIELD("session_id", FIELD_TEXT, .documentation = "Names the session of a bare path"), {0}},
};

#define SEQUENCE "/session/{sid}/nodes/{nid}/components"
#define BARE     "/nodes/{nid}/components"
#define WRITE    (ROUTE_WRITE | ROUTE_BODY)
#define STORED   (ROUTE_WRITE | ROUTE_BODY | ROUTE_STORED)
#define NODE     REST_STATE_NODE
#define AS_BARE  "components", "As with a session, which a header or the query names", &bare_query

const struct rest_route rest_component_routes[] = {
    {"GET", "/session/{sid}/components", all_components, ROUTE_BROKER, REST_STATE_SESSION, NULL,
     "listComponents", "components", "The components of many nodes at once", &all_query, NULL, &all},
    {"GET", SEQUENCE, components, ROUTE_BROKER, NODE, NULL,
     "readComponents", "components", "A node's components in their order", NULL, NULL, &sequence},
    {"POST", SEQUENCE, replace_all, WRITE, NODE, components,
     "replaceComponents", "components", "Replaces the whole sequence, all or none", NULL, &sequence_body, &sequence},
    {"PUT", "/session/{sid}/nodes/{nid}/auto-save", save, WRITE, NODE, components,
     "saveComponents", "components", "The whole sequence from an editor", NULL, &sequence_body, &saved},
    {"POST", SEQUENCE "/insert", insert, STORED, NODE, components,
     "insertComponent", "components", "One more component", NULL, &entity_component_fields, &done},
    {"POST", SEQUENCE "/reorder", reorder, WRITE, NODE, components,
     "reorderComponents", "components", "The old places in their new sequence", NULL, &order_body, &sequence},
    {"PUT", SEQUENCE "/{order}", update, STORED, NODE, components,
     "updateComponent", "components", "Changes one component", NULL, &entity_component_change_fields, &done},
    {"DELETE", SEQUENCE "/{order}", delete_component, ROUTE_WRITE, NODE, components,
     "deleteComponent", "components", "Deletes one component", NULL, NULL, &deleted},

    {"GET", BARE, components, 0, NODE, NULL, "readComponentsBare", AS_BARE, NULL, &sequence},
    {"POST", BARE, replace_all, WRITE, NODE, components, "replaceComponentsBare", AS_BARE, &sequence_body, &sequence},
    {"POST", BARE "/insert", insert, STORED, NODE, components, "insertComponentBare", AS_BARE, &entity_component_fields, &done},
    {"POST", BARE "/reorder", reorder, WRITE, NODE, components, "reorderComponentsBare", AS_BARE, &order_body, &sequence},
    {"PUT", BARE "/{order}", update, STORED, NODE, components,
     "updateComponentBare", AS_BARE, &entity_component_change_fields, &done},
    {"DELETE", BARE "/{order}", delete_component, ROUTE_WRITE, NODE, components, "deleteComponentBare", AS_BARE, NULL, &deleted},
    {0},
};
/* clang-format on */
