/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of routes: what is dispatched, and what /openapi.json describes.
 */
#include "mcp/api/rest_internal.h"

#define WRITE      ROUTE_WRITE
#define WRITE_BODY (ROUTE_WRITE | ROUTE_BODY)
#define ALL        REST_STATE_ALL
#define SESSION    REST_STATE_SESSION
#define NODE       REST_STATE_NODE
#define NODES      "/session/{sid}/nodes"
#define SEQUENCE   "/session/{sid}/nodes/{nid}/components"
#define BARE       "/nodes/{nid}/components"

/* clang-format off */
const struct rest_route rest_routes[] = {
    {"GET", "/health", rest_health, 0, REST_STATE_NONE, NULL,
     "health", "service", "Whether the service works", NULL, NULL, "Health"},
    {"GET", "/openapi.json", rest_openapi, 0, REST_STATE_NONE, NULL,
     "openapi", "service", "This description", NULL, NULL, "OpenApi"},

    {"GET", "/sessions", rest_sessions, 0, ALL, NULL,
     "listSessions", "sessions", "The sessions there are", NULL, NULL, "Sessions"},
    {"POST", "/session/create", rest_session_create, WRITE, REST_STATE_NONE, NULL,
     "createSession", "sessions", "A new session with nodes N001 and N002", NULL, "?SessionNew", "SessionCreated"},
    {"PUT", "/session/{sid}", rest_session_rename, WRITE_BODY, SESSION, rest_nodes,
     "renameSession", "sessions", "Renames a session", NULL, "SessionChange", "Success"},
    {"DELETE", "/session/{sid}", rest_session_delete, WRITE | ROUTE_ENDS, SESSION, rest_nodes,
     "deleteSession", "sessions", "Deletes a session with all that belongs to it; this cannot be undone", NULL, NULL, "Success"},
    {"GET", "/session/validate/{sid}", rest_session_validate, 0, REST_STATE_NONE, NULL,
     "validateSession", "sessions", "Whether a session exists", NULL, NULL, "SessionValid"},

    {"GET", NODES, rest_nodes, ROUTE_BROKER, SESSION, NULL,
     "listNodes", "nodes", "The session's nodes", NULL, NULL, "Nodes"},
    {"POST", NODES, rest_node_create, WRITE_BODY, SESSION, rest_nodes,
     "createNode", "nodes", "A new node", NULL, "NodeNew", "Success"},
    {"PUT", NODES "/{nid}", rest_node_update, WRITE_BODY, SESSION, rest_nodes,
     "updateNode", "nodes", "Changes fields of a node; null takes one away", NULL, "NodeChange", "NodeChanged"},
    {"DELETE", NODES "/{nid}", rest_node_delete, WRITE, SESSION, rest_nodes,
     "deleteNode", "nodes", "Deletes a node, its components and its relationships", NULL, NULL, "Success"},
    {"GET", NODES "/{nid}/content", rest_node_texts, ROUTE_BROKER, NODE, NULL,
     "readContent", "nodes", "The four category texts of a node", NULL, NULL, "NodeTexts"},
    {"POST", NODES "/{nid}/content", rest_node_texts_write, WRITE_BODY, NODE, rest_node_texts,
     "writeContent", "nodes", "Writes some of the four category texts", NULL, "NodeTextsChange", "Success"},
    {"GET", "/session/{sid}/positions", rest_positions, 0, SESSION, NULL,
     "readPositions", "nodes", "Where the nodes stand on the canvas", NULL, NULL, "Positions"},
    {"PUT", "/session/{sid}/positions", rest_positions_write, WRITE_BODY, SESSION, rest_positions,
     "writePositions", "nodes", "Writes positions; those of nodes not named stay", NULL, "PositionsChange", "Success"},

    {"GET", "/session/{sid}/relationships", rest_relationships, ROUTE_BROKER, SESSION, NULL,
     "listRelationships", "relationships", "The session's relationships", NULL, NULL, "Relationships"},
    {"POST", "/session/{sid}/relationships", rest_relationship_create, WRITE_BODY, SESSION, rest_relationships,
     "createRelationship", "relationships", "A new relationship", NULL, "RelationshipNew", "RelationshipDone"},
    {"POST", "/session/{sid}/relationships/bulk", rest_relationships_create, WRITE_BODY, SESSION, rest_relationships,
     "createRelationships", "relationships", "Many new relationships, all or none", NULL, "RelationshipsNew", "RelationshipsDone"},
    {"PUT", "/session/{sid}/relationships/{id}", rest_relationship_update, WRITE_BODY, SESSION, rest_relationships,
     "updateRelationship", "relationships", "Changes a relationship", NULL, "RelationshipChange", "RelationshipDone"},
    {"DELETE", "/session/{sid}/relationships/{id}", rest_relationship_delete, WRITE, SESSION, rest_relationships,
     "deleteRelationship", "relationships", "Deletes a relationship", NULL, NULL, "RelationshipDone"},

    {"GET", "/session/{sid}/components", rest_all_components, ROUTE_BROKER, SESSION, NULL,
     "listComponents", "components", "The components of many nodes at once", "offset limit", NULL, "AllComponents"},
    {"GET", SEQUENCE, rest_components, ROUTE_BROKER, NODE, NULL,
     "readComponents", "components", "A node's components in their order", NULL, NULL, "Components"},
    {"POST", SEQUENCE, rest_components_replace, WRITE_BODY, NODE, rest_components,
     "replaceComponents", "components", "The whole sequence anew, all or none", NULL, "ComponentsNew", "Components"},
    {"PUT", NODES "/{nid}/auto-save", rest_components_save, WRITE_BODY, NODE, rest_components,
     "saveComponents", "components", "The whole sequence from an editor", NULL, "ComponentsNew", "Saved"},
    {"POST", SEQUENCE "/insert", rest_component_insert, WRITE_BODY, NODE, rest_components,
     "insertComponent", "components", "One more component", NULL, "ComponentInsert", "ComponentDone"},
    {"POST", SEQUENCE "/reorder", rest_components_reorder, WRITE_BODY, NODE, rest_components,
     "reorderComponents", "components", "The old places in their new sequence", NULL, "Order", "Components"},
    {"PUT", SEQUENCE "/{order}", rest_component_update, WRITE_BODY, NODE, rest_components,
     "updateComponent", "components", "Changes one component", NULL, "ComponentChange", "ComponentDone"},
    {"DELETE", SEQUENCE "/{order}", rest_component_delete, WRITE, NODE, rest_components,
     "deleteComponent", "components", "Deletes one component", NULL, NULL, "ComponentDeleted"},

    {"GET", BARE, rest_components, 0, NODE, NULL,
     "readComponentsBare", "components", "As with a session, which a header or the query names", "session_id", NULL, "Components"},
    {"POST", BARE, rest_components_replace, WRITE_BODY, NODE, rest_components,
     "replaceComponentsBare", "components", "As with a session, which a header or the query names", "session_id", "ComponentsNew", "Components"},
    {"POST", BARE "/insert", rest_component_insert, WRITE_BODY, NODE, rest_components,
     "insertComponentBare", "components", "As with a session, which a header or the query names", "session_id", "ComponentInsert", "ComponentDone"},
    {"POST", BARE "/reorder", rest_components_reorder, WRITE_BODY, NODE, rest_components,
     "reorderComponentsBare", "components", "As with a session, which a header or the query names", "session_id", "Order", "Components"},
    {"PUT", BARE "/{order}", rest_component_update, WRITE_BODY, NODE, rest_components,
     "updateComponentBare", "components", "As with a session, which a header or the query names", "session_id", "ComponentChange", "ComponentDone"},
    {"DELETE", BARE "/{order}", rest_component_delete, WRITE, NODE, rest_components,
     "deleteComponentBare", "components", "As with a session, which a header or the query names", "session_id", NULL, "ComponentDeleted"},

    {"POST", "/session/{sid}/changes", rest_changes, WRITE_BODY | ROUTE_TRIES, SESSION, rest_nodes,
     "changeCurriculum", "changes", "Several operations as one, or what they would do", NULL, "ChangeSet", "ChangeSetDone"},

    {"GET", "/session/{sid}/graph", rest_graph_queries, ROUTE_BROKER, SESSION, NULL,
     "listGraphQueries", "graph", "The questions that the graph answers", NULL, NULL, "GraphQueries"},
    {"GET", "/session/{sid}/graph/{query}", rest_graph, ROUTE_BROKER | ROUTE_GRAPH, SESSION, NULL,
     "askGraph", "graph", "One of them, answered as data", "node_id from_node_id to_node_id types limit_rows", NULL, "GraphAnswer"},

    {"GET", "/session/{sid}/history", rest_history, 0, SESSION, NULL,
     "readHistory", "history", "What was changed, newest first", "since before limit_history node_id texts", NULL, "History"},
    {"GET", "/session/{sid}/difference", rest_difference, 0, SESSION, NULL,
     "readDifference", "history", "What is otherwise at one version than at another", "from to", NULL, "Difference"},
    {"POST", "/session/{sid}/undo", rest_undo, WRITE, SESSION, rest_nodes,
     "undo", "history", "Undoes a change set, or your own newest change", NULL, "?Undo", "Undone"},
    {"POST", "/session/{sid}/restore", rest_restore, WRITE_BODY, SESSION, rest_nodes,
     "restore", "history", "Brings back the content of a version", NULL, "Restore", "Undone"},
};
/* clang-format on */

const size_t rest_route_count = sizeof rest_routes / sizeof rest_routes[0];
