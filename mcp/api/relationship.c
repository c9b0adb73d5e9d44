/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Routes of the session API: relationships.
 */
#include <inttypes.h>

#include "helpers/base/json.h"
#include "mcp/api/rest_internal.h"
#include "mcp/curriculum/entity.h"
#include "mcp/store/entities/read.h"
#include "mcp/store/entities/relationship.h"

static int list_all(struct rest_call *call, struct error *err)
{
    return store_read_relationships(call->store, call->session, &call->response->body, err);
}

/* Takes the state's cycle over. */
static void answer_state(struct rest_call *call, const char *done,
                         const struct relationship_state *state)
{
    rest_answer_success(call, "%s from '%s' to '%s' %s%s", state->type, state->from_title,
                        state->to_title, done,
                        state->cycle ? "; it closes a cycle of prerequisites" : "");
    buf_addf(&call->response->body, ",\"id\":%" PRId64, state->id);
    if (state->cycle) {
        buf_adds(&call->response->body, ",\"cycle\":");
        json_write(&call->response->body, state->cycle);
        json_decref(state->cycle);
    }
    rest_answer_end(call);
}

static int create(struct rest_call *call, struct error *err)
{
    struct relationship_state state = {0};

    if (store_relationship_create(call->store, &call->writer, call->session, call->body, &state,
                                  err) != 0)
        return -1;
    answer_state(call, "created", &state);
    return 0;
}

static int create_many(struct rest_call *call, struct error *err)
{
    const json_t *given = json_object_get(call->body, "relationships");
    size_t created = 0;

    if (store_relationships_create(call->store, &call->writer, call->session, given, &created,
                                   err) != 0)
        return -1;
    rest_answer_success(call, "%zu relationships created", created);
    buf_addf(&call->response->body, ",\"created\":%zu", created);
    rest_answer_end(call);
    return 0;
}

static int update(struct rest_call *call, struct error *err)
{
    struct relationship_state state = {0};
    int64_t id;

    if (rest_path_number(call, "id", &id, err) < 0)
        return -1;
    if (store_relationship_update(call->store, &call->writer, call->session, id, call->body, &state,
                                  err) < 0)
        return -1;
    answer_state(call, "updated", &state);
    return 0;
}

static int delete_relationship(struct rest_call *call, struct error *err)
{
    struct relationship_state state = {0};
    int64_t id;

    if (rest_path_number(call, "id", &id, err) < 0)
        return -1;
    if (store_relationship_delete(call->store, &call->writer, call->session, id, &state, err) != 0)
        return -1;
    answer_state(call, "deleted", &state);
    return 0;
}

/* clang-format off */
/* ---- shapes ---- */

static const struct fields relationship = {
    .schema = "Relationship", .flags = FIELDS_ANSWER, .documentation = "Further fields are kept and given back",
    .rows = (const struct field[]){
        REST_WHOLE("id"), REST_TEXT("session_id"), REST_TEXT_OR_NULL("from_node_id"), REST_TEXT_OR_NULL("to_node_id"),
        REST_TEXT_OR_NULL("relationship_type"), REST_TEXT_OR_NULL("explanation"), REST_TEXT_OR_NULL("created_by"),
        REST_NUMBER_OR_NULL("confidence_score"), REST_TEXT_OR_NULL("created_at"), {0}},
};
static const struct fields all =
    REST_ANSWER("Relationships", REST_TEXT("session_id"), REST_LIST("relationships", &relationship), REST_WHOLE("total"));
static const struct fields end = REST_ANSWER(NULL, REST_TEXT("node_id"), REST_TEXT_OR_NULL("title"));
static const struct fields done =
    REST_ANSWER("RelationshipDone", REST_FLAG("success"), REST_TEXT("message"), REST_WHOLE("id"),
                FIELD("cycle", FIELD_ARRAY, .of = &end,
                 .documentation = "The cycle of prerequisites that it closes"));
static const struct fields many_done =
    REST_ANSWER("RelationshipsDone", REST_FLAG("success"), REST_TEXT("message"), REST_WHOLE("created"));

static const struct fields many_body = {
    .name = "a list of relationships", .schema = "RelationshipsNew",
    .rows = (const struct field[]){
        FIELD("relationships", FIELD_ARRAY, .required = true, .flags = FIELD_ALONE,
         .of = &entity_relationship_brief_fields,
         .documentation = "[{\"from\", \"to\", \"type\", \"explanation\"}, ...]"),
        REST_GIVEN_BACK("session_id"), REST_GIVEN_BACK("total"), {0}},
};

#define RELATIONSHIPS "/session/{sid}/relationships"

const struct rest_route rest_relationship_routes[] = {
    {"GET", RELATIONSHIPS, list_all, ROUTE_BROKER, REST_STATE_SESSION, NULL,
     "listRelationships", "relationships", "The session's relationships", NULL, NULL, &all},
    {"POST", RELATIONSHIPS, create, ROUTE_WRITE | ROUTE_BODY | ROUTE_STORED, REST_STATE_SESSION, list_all,
     "createRelationship", "relationships", "A new relationship", NULL, &entity_relationship_fields, &done},
    {"POST", RELATIONSHIPS "/bulk", create_many, ROUTE_WRITE | ROUTE_BODY, REST_STATE_SESSION, list_all,
     "createRelationships", "relationships", "Many new relationships, all or none", NULL, &many_body, &many_done},
    {"PUT", RELATIONSHIPS "/{id}", update, ROUTE_WRITE | ROUTE_BODY | ROUTE_STORED, REST_STATE_SESSION, list_all,
     "updateRelationship", "relationships", "Changes a relationship", NULL, &entity_relationship_change_fields, &done},
    {"DELETE", RELATIONSHIPS "/{id}", delete_relationship, ROUTE_WRITE, REST_STATE_SESSION, list_all,
     "deleteRelationship", "relationships", "Deletes a relationship", NULL, NULL, &done},
    {0},
};
/* clang-format on */
