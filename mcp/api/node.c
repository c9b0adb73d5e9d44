/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Routes of the session API: nodes, their category texts, their places on the canvas.
 */
#include "helpers/base/json.h"
#include "mcp/api/rest_internal.h"
#include "mcp/curriculum/entity.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/entities/read.h"

int rest_nodes(struct rest_call *call, struct error *err)
{
    return store_read_nodes(call->store, call->session, &call->response->body, err);
}

static int create(struct rest_call *call, struct error *err)
{
    if (store_node_create(call->store, &call->writer, call->session, call->body, NULL, err) != 0)
        return -1;
    rest_answer_success(call, "Node %s created", json_get_string(call->body, "node_id"));
    rest_answer_end(call);
    return 0;
}

static int update(struct rest_call *call, struct error *err)
{
    struct node_state state = {0};
    int64_t expected = 0;

    if (rest_take_path_id(call, "node_id", call->node, err) < 0 ||
        rest_take_number(call, "expected_revision", &expected, err) < 0)
        return -1;
    if (store_node_update(call->store, &call->writer, call->session, call->node, call->body,
                          (long)expected, &state, err) != 0)
        return -1;
    rest_answer_success(call, "Node %s updated", call->node);
    buf_adds(&call->response->body, ",\"node_id\":");
    rest_answer_string(&call->response->body, call->node);
    buf_addf(&call->response->body, ",\"revision\":%ld", state.revision);
    rest_answer_end(call);
    return 0;
}

static int delete_node(struct rest_call *call, struct error *err)
{
    if (store_node_delete(call->store, &call->writer, call->session, call->node, err) != 0)
        return -1;
    rest_answer_success(call, "Node %s, its components and its relationships deleted", call->node);
    rest_answer_end(call);
    return 0;
}

static int texts(struct rest_call *call, struct error *err)
{
    return store_read_node_texts(call->store, call->session, call->node, &call->response->body,
                                 err);
}

static int write_texts(struct rest_call *call, struct error *err)
{
    if (store_node_texts(call->store, &call->writer, call->session, call->node, call->body, err) !=
        0)
        return -1;
    rest_answer_success(call, "Texts of node %s written", call->node);
    rest_answer_end(call);
    return 0;
}

static int positions(struct rest_call *call, struct error *err)
{
    return store_read_node_map(call->store, call->session, &call->response->body, err);
}

static int write_positions(struct rest_call *call, struct error *err)
{
    const json_t *given = json_object_get(call->body, "positions");

    if (store_node_map_write(call->store, &call->writer, call->session, given, err) != 0)
        return -1;
    rest_answer_success(call, "Positions of %zu nodes written", json_object_size(given));
    rest_answer_end(call);
    return 0;
}

/* clang-format off */
/* ---- shapes ---- */

static const struct fields node = {
    .schema = "Node", .flags = FIELDS_ANSWER, .documentation = "Further fields are kept and given back",
    .rows = (const struct field[]){
        REST_TEXT("session_id"), REST_TEXT_OR_NULL("node_id"), REST_TEXT_OR_NULL("title"),
        {.name = "content_category", .required = true, .documentation = "One of the four categories, or null"},
        REST_TEXT_OR_NULL("raw_content"),
        {.name = "chapter_id", .required = true, .documentation = "A whole number, or null"},
        REST_TEXT_OR_NULL("created_at"), REST_TEXT_OR_NULL("last_modified"), {0}},
};
static const struct fields all =
    REST_ANSWER("Nodes", REST_TEXT("session_id"), REST_LIST("nodes", &node), REST_WHOLE("total"));
static const struct fields changed =
    REST_ANSWER("NodeChanged", REST_FLAG("success"), REST_TEXT("message"), REST_TEXT("node_id"), REST_WHOLE("revision"));
static const struct fields node_texts =
    REST_ANSWER("NodeTexts", REST_TEXT("node_id"), REST_TEXT("explanation"), REST_TEXT("real_world_example"),
                REST_TEXT("textbook_content"), REST_TEXT("memory_trick"));

static const struct fields position = {
    .rows = (const struct field[]){REST_NUMBER("x"), REST_NUMBER("y"), {0}}, .flags = FIELDS_OPEN,
    .schema = "Position",
};
static const struct fields node_positions =
    REST_ANSWER("Positions", REST_TEXT("session_id"),
                FIELD("positions", FIELD_MAP, .required = true, .of = &position));
static const struct fields positions_body = {
    .name = "a body of positions", .schema = "PositionsChange",
    .rows = (const struct field[]){
        FIELD("positions", FIELD_MAP, .required = true, .of = &position, .flags = FIELD_NULLS,
         .documentation = "{\"N001\": {\"x\": 100.5, \"y\": 200.3}}"),
        REST_GIVEN_BACK("session_id"), {0}},
};

#define NODES "/session/{sid}/nodes"

const struct rest_route rest_node_routes[] = {
    {"GET", NODES, rest_nodes, ROUTE_BROKER, REST_STATE_SESSION, NULL,
     "listNodes", "nodes", "The session's nodes", NULL, NULL, &all},
    {"POST", NODES, create, ROUTE_WRITE | ROUTE_BODY | ROUTE_STORED, REST_STATE_SESSION, rest_nodes,
     "createNode", "nodes", "A new node", NULL, &entity_node_fields, &rest_success},
    {"PUT", NODES "/{nid}", update, ROUTE_WRITE | ROUTE_BODY | ROUTE_STORED, REST_STATE_SESSION, rest_nodes,
     "updateNode", "nodes", "Changes fields of a node; null takes one away", NULL, &entity_node_change_fields, &changed},
    {"DELETE", NODES "/{nid}", delete_node, ROUTE_WRITE, REST_STATE_SESSION, rest_nodes,
     "deleteNode", "nodes", "Deletes a node, its components and its relationships", NULL, NULL, &rest_success},
    {"GET", NODES "/{nid}/content", texts, ROUTE_BROKER, REST_STATE_NODE, NULL,
     "readContent", "nodes", "The four category texts of a node", NULL, NULL, &node_texts},
    {"POST", NODES "/{nid}/content", write_texts, ROUTE_WRITE | ROUTE_BODY | ROUTE_STORED, REST_STATE_NODE, texts,
     "writeContent", "nodes", "Writes some of the four category texts", NULL, &entity_texts_fields, &rest_success},
    {"GET", "/session/{sid}/positions", positions, 0, REST_STATE_SESSION, NULL,
     "readPositions", "nodes", "The positions of the nodes on the canvas", NULL, NULL, &node_positions},
    {"PUT", "/session/{sid}/positions", write_positions, ROUTE_WRITE | ROUTE_BODY, REST_STATE_SESSION, positions,
     "writePositions", "nodes", "Writes positions; those of nodes not named stay", NULL, &positions_body, &rest_success},
    {0},
};
/* clang-format on */
