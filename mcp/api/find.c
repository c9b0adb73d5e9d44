/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Route of the session API: lessons by their words, and one lesson as a reader sees it.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/api/rest_internal.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/search/find.h"

#define LIMIT_DEFAULT 20

static const char *const sorts[] = {"best", "order", "words", "changed", NULL};

static int find(struct rest_call *call, struct error *err)
{
    struct find_request request = {
        .text = json_get_string(call->asked, "text"),
        .in = json_get_string(call->asked, "in"),
        .without = json_get_string(call->asked, "without"),
        .only = call->writer.only,
        .node_id = json_get_string(call->asked, "node_id"),
        .limit = (size_t)rest_asked_whole(call, "limit", LIMIT_DEFAULT),
        .offset = (size_t)rest_asked_whole(call, "offset", 0),
    };
    const char *sort = json_get_string(call->asked, "sort");
    struct buf BUF_AUTO found = {0};

    for (size_t i = 0; sort && sorts[i]; i++)
        if (strcmp(sort, sorts[i]) == 0)
            request.sort = FIND_BEST + (enum find_sort)i;
    if (request.node_id && store_node_id(call->store, call->session, request.node_id, "node_id",
                                         &found, &request.node_id, err) < 0)
        return -1;
    return store_find(call->store, call->session, &request, &call->response->body, err);
}

/* clang-format off */
/* ---- shapes ---- */

static const struct fields find_query = {
    .name = "the query", .flags = FIELDS_AS_TEXT, .noun = "parameter",
    .rows = (const struct field[]){
        FIELD("text", FIELD_TEXT, .least = 1, .most = FIND_TEXT_MAX, .documentation = "Words in any form; \"a phrase\" in double quotes"),
        FIELD("in", FIELD_TEXT, .documentation = "titles, a component type, a parameter or a field of lessons; with node_id and no text: all, or the type that is answered whole"),
        FIELD("without", FIELD_TEXT, .documentation = "What a lesson must lack: a component type, relationships, a relationship type or a field"),
        FIELD("node_id", FIELD_TEXT, .documentation = "The lesson to look in, or without text to read: id or title"),
        FIELD("sort", FIELD_TEXT, .choices = sorts, .documentation = "Default: best with text, else order"),
        FIELD("limit", FIELD_WHOLE, .least = 1, .most = FIND_LIMIT_MAX, .documentation = "Hits at most; default: 20"),
        FIELD("offset", FIELD_WHOLE, .most = FIND_OFFSET_MAX, .documentation = "Hits that are left out first"), {0}},
};
static const struct fields answer = {
    .flags = FIELDS_ANSWER, .schema = "Found",
    .documentation = "{hits, total, more}; of a lesson to read {node_id, title, chapter, revision, words, components, fields}",
};

const struct rest_route rest_find_routes[] = {
    {"GET", "/session/{sid}/find", find, ROUTE_BROKER, REST_STATE_SESSION, NULL,
     "find", "find", "Lessons by their words or by what they lack, or one lesson", &find_query, NULL, &answer},
    {0},
};
/* clang-format on */
