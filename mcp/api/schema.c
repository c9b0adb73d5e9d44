/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What bodies and answers of the session API look like, for /openapi.json: one table. What other
 * tables say is written from them. Pure.
 */
#include "mcp/session/change_set.h"
#include "mcp/session/component_type.h"
#include "mcp/api/schema.h"

static void write_names(struct buf *to, const char *const *names)
{
    buf_adds(to, "{\"type\":\"string\",\"enum\":[");
    for (size_t i = 0; names[i]; i++)
        buf_addf(to, "%s\"%s\"", i > 0 ? "," : "", names[i]);
    buf_adds(to, "]}");
}

static void write_component_types(struct buf *to)
{
    buf_adds(to, "{\"type\":\"string\",\"enum\":");
    component_type_names_json(to);
    buf_addc(to, '}');
}

static void write_relationship_types(struct buf *to)
{
    write_names(to, relationship_types);
}

static const struct {
    const char *name;
    const char *text;              /* JSON Schema */
    void (*write)(struct buf *to); /* where text is NULL */
} schemas[] = {
    {"Health",
     "{\"type\":\"object\",\"required\":[\"status\",\"service\",\"version\"],\"properties\":{"
     "\"status\":{"
     "\"type\":\"string\"},\"service\":{\"type\":\"string\"},\"version\":{\"type\":\"string\"}}}",
     NULL},
    {"OpenApi",
     "{\"type\":\"object\",\"required\":[\"openapi\",\"info\",\"paths\"],\"properties\":{"
     "\"openapi\":{"
     "\"type\":\"string\"},\"info\":{\"type\":\"object\"},\"paths\":{\"type\":\"object\"}}}",
     NULL},
    {"Sessions",
     "{\"type\":\"object\",\"required\":[\"sessions\",\"total\"],\"properties\":{\"sessions\":{"
     "\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"session_id\",\"title\","
     "\"nodes\","
     "\"relationships\",\"last_modified\"],\"properties\":{\"session_id\":{\"type\":\"string\"},"
     "\"title\":{\"type\":[\"string\",\"null\"]},\"nodes\":{\"type\":\"integer\"},"
     "\"relationships\":{"
     "\"type\":\"integer\"},\"last_modified\":{\"type\":[\"string\",\"null\"]}}}},\"total\":{"
     "\"type\":\"integer\"}}}",
     NULL},
    {"SessionNew",
     "{\"type\":\"object\",\"properties\":{\"title\":{\"type\":[\"string\",\"null\"]}}}", NULL},
    {"SessionChange",
     "{\"type\":\"object\",\"required\":[\"title\"],\"properties\":{\"title\":{"
     "\"type\":\"string\",\"minLength\":1,\"maxLength\":2000}}}",
     NULL},
    {"SessionCreated",
     "{\"type\":\"object\",\"required\":[\"session_id\",\"expires_in_hours\",\"message\"],"
     "\"properties\":{\"session_id\":{\"type\":\"string\"},\"expires_in_hours\":{\"type\":\"null\","
     "\"description\":\"Sessions are permanent\"},\"message\":{\"type\":\"string\"}}}",
     NULL},
    {"SessionValid",
     "{\"type\":\"object\",\"required\":[\"session_id\",\"valid\",\"message\"],\"properties\":{"
     "\"session_id\":{\"type\":\"string\"},\"valid\":{\"type\":\"boolean\"},\"message\":{"
     "\"type\":\"string\"}}}",
     NULL},
    {"Success",
     "{\"type\":\"object\",\"required\":[\"success\",\"message\"],\"properties\":{\"success\":{"
     "\"type\":\"boolean\"},\"message\":{\"type\":\"string\"}}}",
     NULL},
    {"Node",
     "{\"type\":\"object\",\"required\":[\"session_id\",\"node_id\",\"title\",\"content_category\","
     "\"raw_content\",\"chapter_id\",\"created_at\",\"last_modified\"],\"properties\":{"
     "\"session_id\":{\"type\":\"string\"},\"node_id\":{\"type\":[\"string\",\"null\"]},\"title\":{"
     "\"type\":[\"string\",\"null\"]},\"content_category\":{"
     "\"description\":\"One of the four categories, or null\"},\"raw_content\":{\"type\":["
     "\"string\",\"null\"]},\"chapter_id\":{\"description\":\"A whole number, or null\"},"
     "\"created_at\":{\"type\":[\"string\",\"null\"],"
     "\"description\":\"RFC 3339; an import keeps what it found\"},\"last_modified\":{\"type\":["
     "\"string\",\"null\"],\"description\":\"RFC 3339; an import keeps what it found\"}},"
     "\"description\":\"Further fields are kept and given back\"}",
     NULL},
    {"Nodes",
     "{\"type\":\"object\",\"required\":[\"session_id\",\"nodes\",\"total\"],\"properties\":{"
     "\"session_id\":{\"type\":\"string\"},\"nodes\":{\"type\":\"array\",\"items\":{"
     "\"$ref\":\"#/components/schemas/Node\"}},\"total\":{\"type\":\"integer\"}}}",
     NULL},
    {"NodeNew",
     "{\"type\":\"object\",\"required\":[\"node_id\",\"title\"],\"properties\":{\"node_id\":{"
     "\"type\":\"string\",\"minLength\":1,\"maxLength\":128},\"title\":{\"type\":\"string\","
     "\"minLength\":1,\"maxLength\":2000},\"raw_content\":{\"type\":[\"string\",\"null\"]},"
     "\"chapter_id\":{\"type\":[\"integer\",\"null\"]},\"content_category\":{\"type\":[\"string\","
     "\"null\"],\"enum\":[\"explanation\",\"real_world_example\",\"textbook_content\","
     "\"memory_trick\",null]},\"explanation\":{\"type\":[\"string\",\"null\"]},"
     "\"real_world_example\":{\"type\":[\"string\",\"null\"]},\"textbook_content\":{\"type\":["
     "\"string\",\"null\"]},\"memory_trick\":{\"type\":[\"string\",\"null\"]}},"
     "\"description\":\"Further fields are kept\"}",
     NULL},
    {"NodeChange",
     "{\"type\":\"object\",\"properties\":{\"title\":{\"type\":\"string\",\"minLength\":1,"
     "\"maxLength\":2000},\"raw_content\":{\"type\":[\"string\",\"null\"]},\"chapter_id\":{"
     "\"type\":["
     "\"integer\",\"null\"]},\"content_category\":{\"type\":[\"string\",\"null\"],\"enum\":["
     "\"explanation\",\"real_world_example\",\"textbook_content\",\"memory_trick\",null]},"
     "\"explanation\":{\"type\":[\"string\",\"null\"]},\"real_world_example\":{\"type\":["
     "\"string\","
     "\"null\"]},\"textbook_content\":{\"type\":[\"string\",\"null\"]},\"memory_trick\":{\"type\":["
     "\"string\",\"null\"]},\"expected_revision\":{\"type\":[\"integer\",\"null\"],\"minimum\":1,"
     "\"description\":\"A stale one is refused with 409\"}},\"description\":\"Fields as given,"
     " further ones too; null takes one away\"}",
     NULL},
    {"NodeChanged",
     "{\"type\":\"object\",\"required\":[\"success\",\"message\",\"node_id\",\"revision\"],"
     "\"properties\":{\"success\":{\"type\":\"boolean\"},\"message\":{\"type\":\"string\"},\"node_"
     "id\":{"
     "\"type\":\"string\"},\"revision\":{\"type\":\"integer\"}}}",
     NULL},
    {"NodeTexts",
     "{\"type\":\"object\",\"required\":[\"node_id\",\"explanation\",\"real_world_example\","
     "\"textbook_content\",\"memory_trick\"],\"properties\":{\"node_id\":{\"type\":\"string\"},"
     "\"explanation\":{\"type\":\"string\"},\"real_world_example\":{\"type\":\"string\"},"
     "\"textbook_content\":{\"type\":\"string\"},\"memory_trick\":{\"type\":\"string\"}}}",
     NULL},
    {"NodeTextsChange",
     "{\"type\":\"object\",\"properties\":{\"explanation\":{\"type\":[\"string\",\"null\"]},"
     "\"real_world_example\":{\"type\":[\"string\",\"null\"]},\"textbook_content\":{\"type\":["
     "\"string\",\"null\"]},\"memory_trick\":{\"type\":[\"string\",\"null\"]}},\"minProperties\":"
     "1}",
     NULL},
    {"Positions",
     "{\"type\":\"object\",\"required\":[\"session_id\",\"positions\"],\"properties\":{\"session_"
     "id\":{"
     "\"type\":\"string\"},\"positions\":{\"type\":\"object\",\"additionalProperties\":{"
     "\"type\":\"object\",\"required\":[\"x\",\"y\"],\"properties\":{\"x\":{\"type\":\"number\"},"
     "\"y\":{"
     "\"type\":\"number\"}}}}}}",
     NULL},
    {"PositionsChange",
     "{\"type\":\"object\",\"required\":[\"positions\"],\"properties\":{\"positions\":{"
     "\"type\":\"object\",\"additionalProperties\":{\"oneOf\":[{\"type\":\"object\",\"required\":["
     "\"x\","
     "\"y\"],\"properties\":{\"x\":{\"type\":\"number\"},\"y\":{\"type\":\"number\"}}},{\"type\":"
     "\"null\","
     "\"description\":\"Takes it away\"}]}}}}",
     NULL},
    {"Relationship",
     "{\"type\":\"object\",\"required\":[\"id\",\"session_id\",\"from_node_id\",\"to_node_id\","
     "\"relationship_type\",\"explanation\",\"created_by\",\"confidence_score\",\"created_at\"],"
     "\"properties\":{\"id\":{\"type\":\"integer\"},\"session_id\":{\"type\":\"string\"},"
     "\"from_node_id\":{\"type\":[\"string\",\"null\"]},\"to_node_id\":{\"type\":[\"string\","
     "\"null\"]},"
     "\"relationship_type\":{\"type\":[\"string\",\"null\"],"
     "\"description\":\"An import keeps types that are not among the four\"},\"explanation\":{"
     "\"type\":[\"string\",\"null\"]},\"created_by\":{\"type\":[\"string\",\"null\"]},"
     "\"confidence_score\":{\"type\":[\"number\",\"null\"]},\"created_at\":{\"type\":[\"string\","
     "\"null\"],\"description\":\"RFC 3339; an import keeps what it found\"}},"
     "\"description\":\"Further fields are kept and given back\"}",
     NULL},
    {"Relationships",
     "{\"type\":\"object\",\"required\":[\"session_id\",\"relationships\",\"total\"],"
     "\"properties\":{"
     "\"session_id\":{\"type\":\"string\"},\"relationships\":{\"type\":\"array\",\"items\":{"
     "\"$ref\":\"#/components/schemas/Relationship\"}},\"total\":{\"type\":\"integer\"}}}",
     NULL},
    {"RelationshipType", NULL, write_relationship_types},
    {"RelationshipNew",
     "{\"type\":\"object\",\"required\":[\"from_node_id\",\"to_node_id\"],\"properties\":{"
     "\"from_node_id\":{\"type\":\"string\"},\"to_node_id\":{\"type\":\"string\"},"
     "\"relationship_type\":{\"oneOf\":[{\"$ref\":\"#/components/schemas/RelationshipType\"},{"
     "\"type\":\"null\"}],\"description\":\"LEADS_TO where none is "
     "said\"},\"explanation\":{\"type\":["
     "\"string\",\"null\"]},\"created_by\":{\"type\":[\"string\",\"null\"]},\"confidence_score\":{"
     "\"type\":[\"number\",\"null\"],\"minimum\":0,\"maximum\":1}}}",
     NULL},
    {"RelationshipDone",
     "{\"type\":\"object\",\"required\":[\"success\",\"message\",\"id\"],\"properties\":{"
     "\"success\":{"
     "\"type\":\"boolean\"},\"message\":{\"type\":\"string\"},\"id\":{\"type\":\"integer\"},"
     "\"cycle\":{"
     "\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"node_id\",\"title\"],"
     "\"properties\":{\"node_id\":{\"type\":\"string\"},\"title\":{\"type\":[\"string\",\"null\"]}}"
     "},"
     "\"description\":\"The cycle of prerequisites that it closes\"}}}",
     NULL},
    {"RelationshipBrief",
     "{\"type\":\"object\",\"properties\":{\"from\":{\"type\":\"string\"},\"from_node_id\":{"
     "\"type\":\"string\"},\"to\":{\"type\":\"string\"},\"to_node_id\":{\"type\":\"string\"},"
     "\"type\":{"
     "\"oneOf\":[{\"$ref\":\"#/components/schemas/RelationshipType\"},{\"type\":\"null\"}]},"
     "\"relationship_type\":{\"oneOf\":[{\"$ref\":\"#/components/schemas/RelationshipType\"},{"
     "\"type\":\"null\"}]},\"explanation\":{\"type\":[\"string\",\"null\"]},\"created_by\":{"
     "\"type\":["
     "\"string\",\"null\"]},\"confidence_score\":{\"type\":[\"number\",\"null\"],\"minimum\":0,"
     "\"maximum\":1}}}",
     NULL},
    {"RelationshipsNew",
     "{\"oneOf\":[{\"type\":\"object\",\"required\":[\"relationships\"],\"properties\":{"
     "\"relationships\":{\"type\":\"array\",\"items\":{"
     "\"$ref\":\"#/components/schemas/RelationshipBrief\"}}}},{\"type\":\"array\",\"items\":{"
     "\"$ref\":\"#/components/schemas/RelationshipBrief\"}}]}",
     NULL},
    {"RelationshipsDone",
     "{\"type\":\"object\",\"required\":[\"success\",\"message\",\"created\"],\"properties\":{"
     "\"success\":{\"type\":\"boolean\"},\"message\":{\"type\":\"string\"},\"created\":{"
     "\"type\":\"integer\"}}}",
     NULL},
    {"RelationshipChange",
     "{\"type\":\"object\",\"properties\":{\"relationship_type\":{"
     "\"$ref\":\"#/components/schemas/RelationshipType\"},\"explanation\":{\"type\":[\"string\","
     "\"null\"]},\"confidence_score\":{\"type\":[\"number\",\"null\"],\"minimum\":0,\"maximum\":1}}"
     "}",
     NULL},
    {"Component",
     "{\"type\":\"object\",\"required\":[\"component_id\",\"revision\",\"type\",\"component_type\","
     "\"order\",\"order_index\",\"parameters\",\"confidence\"],\"properties\":{\"component_id\":{"
     "\"type\":\"string\",\"description\":\"Stable\"},\"revision\":{\"type\":\"integer\"},\"type\":"
     "{"
     "\"type\":[\"string\",\"null\"]},\"component_type\":{\"type\":[\"string\",\"null\"],"
     "\"description\":\"The same as type\"},\"order\":{\"description\":\"From 1 on, dense\"},"
     "\"order_index\":{\"description\":\"The same as order\"},\"parameters\":{"
     "\"description\":\"An object, shaped by "
     "type\"},\"confidence\":{\"type\":[\"number\",\"null\"]}},"
     "\"description\":\"An import keeps what breaks the rules,"
     " so types here are wider than in writes. Further fields are kept and given back\"}",
     NULL},
    {"Components",
     "{\"type\":\"object\",\"required\":[\"node_id\",\"title\",\"components\",\"total_components\","
     "\"suggested_template\",\"overall_confidence\"],\"properties\":{\"node_id\":{"
     "\"type\":\"string\"},\"title\":{\"type\":[\"string\",\"null\"]},\"components\":{\"type\":"
     "\"array\","
     "\"items\":{\"$ref\":\"#/components/schemas/Component\"}},\"total_components\":{"
     "\"type\":\"integer\"},\"suggested_template\":{\"type\":[\"string\",\"null\"]},"
     "\"overall_confidence\":{\"type\":[\"number\",\"null\"]}}}",
     NULL},
    {"AllComponents",
     "{\"type\":\"object\",\"required\":[\"session_id\",\"nodes\",\"total\",\"offset\"],"
     "\"properties\":{"
     "\"session_id\":{\"type\":\"string\"},\"nodes\":{\"type\":\"array\",\"items\":{\"type\":"
     "\"object\","
     "\"required\":[\"node_id\",\"title\",\"components\"],\"properties\":{\"node_id\":{\"type\":["
     "\"string\",\"null\"]},\"title\":{\"type\":[\"string\",\"null\"]},\"components\":{\"type\":"
     "\"array\","
     "\"items\":{\"$ref\":\"#/components/schemas/Component\"}}}}},\"total\":{\"type\":\"integer\"},"
     "\"offset\":{\"type\":\"integer\"}}}",
     NULL},
    {"ComponentNew", NULL, component_type_schema},
    {"ComponentsNew",
     "{\"oneOf\":[{\"type\":\"object\",\"required\":[\"components\"],\"properties\":{\"node_id\":{"
     "\"type\":\"string\"},\"components\":{\"type\":\"array\",\"items\":{"
     "\"$ref\":\"#/components/schemas/"
     "ComponentNew\"}},\"suggested_template\":{\"type\":[\"string\","
     "\"null\"]},\"overall_confidence\":{\"type\":[\"number\",\"null\"],\"minimum\":0,\"maximum\":"
     "1}}},{"
     "\"type\":\"array\",\"items\":{\"$ref\":\"#/components/schemas/ComponentNew\"}}]}",
     NULL},
    {"ComponentInsert",
     "{\"allOf\":[{\"$ref\":\"#/components/schemas/ComponentNew\"},{\"type\":\"object\","
     "\"properties\":{\"position\":{\"type\":[\"integer\",\"null\"],\"minimum\":1,"
     "\"description\":\"The end where none is said\"}}}]}",
     NULL},
    {"ComponentChange",
     "{\"type\":\"object\",\"properties\":{\"type\":{\"$ref\":\"#/components/schemas/"
     "ComponentType\"},"
     "\"component_type\":{\"$ref\":\"#/components/schemas/ComponentType\"},\"parameters\":{"
     "\"type\":\"object\"},\"confidence\":{\"type\":[\"number\",\"null\"],\"minimum\":0,"
     "\"maximum\":1},"
     "\"order\":{\"type\":[\"integer\",\"null\"]},\"component_id\":{\"type\":\"string\","
     "\"description\":\"Outlasts an order that has moved meanwhile\"},\"expected_revision\":{"
     "\"type\":[\"integer\",\"null\"],\"minimum\":1,"
     "\"description\":\"A stale one is refused with 409\"}}}",
     NULL},
    {"ComponentType", NULL, write_component_types},
    {"ComponentDone",
     "{\"type\":\"object\",\"required\":[\"success\",\"message\",\"component_id\",\"revision\","
     "\"order\","
     "\"order_index\",\"total_components\"],\"properties\":{\"success\":{\"type\":\"boolean\"},"
     "\"message\":{\"type\":\"string\"},\"component_id\":{\"type\":\"string\"},\"revision\":{"
     "\"type\":\"integer\"},\"order\":{\"type\":\"integer\"},\"order_index\":{\"type\":\"integer\"}"
     ","
     "\"total_components\":{\"type\":\"integer\"}}}",
     NULL},
    {"ComponentDeleted",
     "{\"type\":\"object\",\"required\":[\"success\",\"remaining_components\"],\"properties\":{"
     "\"success\":{\"type\":\"boolean\"},\"remaining_components\":{\"type\":\"integer\"}}}",
     NULL},
    {"Saved",
     "{\"type\":\"object\",\"required\":[\"success\",\"saved_at\",\"total_components\"],"
     "\"properties\":{"
     "\"success\":{\"type\":\"boolean\"},\"saved_at\":{\"type\":\"string\",\"format\":\"date-"
     "time\"},"
     "\"total_components\":{\"type\":\"integer\"}}}",
     NULL},
    {"Order",
     "{\"oneOf\":[{\"type\":\"object\",\"required\":[\"order\"],\"properties\":{\"order\":{"
     "\"type\":\"array\",\"items\":{\"type\":\"integer\",\"minimum\":1}}}},{\"type\":\"array\","
     "\"items\":{"
     "\"type\":\"integer\",\"minimum\":1}}]}",
     NULL},
    {"GraphQueries",
     "{\"type\":\"object\",\"required\":[\"queries\",\"total\"],\"properties\":{\"queries\":{"
     "\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"query\",\"takes\","
     "\"summary\"],"
     "\"properties\":{\"query\":{\"type\":\"string\"},\"takes\":{\"type\":\"array\",\"items\":{"
     "\"type\":\"string\"}},\"summary\":{\"type\":\"string\"}}}},\"total\":{\"type\":\"integer\"}}"
     "}",
     NULL},
    {"GraphAnswer",
     "{\"type\":\"object\",\"properties\":{},"
     "\"description\":\"Of another form for each query; nodes by their ids\"}",
     NULL},
    {"History",
     "{\"type\":\"object\",\"required\":[\"session_id\",\"version\",\"changes\",\"total\"],"
     "\"properties\":{\"session_id\":{\"type\":\"string\"},\"version\":{\"type\":\"integer\"},"
     "\"total\":{"
     "\"type\":\"integer\"},\"changes\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
     "\"required\":["
     "\"change_set\",\"version\",\"at\",\"who\",\"undone_by\",\"what\",\"entries\"],\"properties\":"
     "{"
     "\"change_set\":{\"type\":\"string\"},\"version\":{\"type\":\"integer\"},\"at\":{\"type\":"
     "\"string\"},"
     "\"who\":{\"type\":[\"string\",\"null\"]},\"undone_by\":{\"type\":[\"string\",\"null\"]},"
     "\"what\":{"
     "\"type\":\"string\"},\"entries_left_out\":{\"type\":\"integer\"},\"entries\":{\"type\":"
     "\"array\","
     "\"items\":{\"type\":\"object\",\"required\":[\"version\",\"entity\",\"entity_id\",\"node_"
     "id\",\"op\"],"
     "\"properties\":{\"version\":{\"type\":\"integer\"},\"entity\":{\"type\":\"string\"},\"entity_"
     "id\":{"
     "\"type\":[\"string\",\"null\"]},\"node_id\":{\"type\":[\"string\",\"null\"]},\"op\":{"
     "\"type\":\"string\"},\"before\":{},\"after\":{}}}}}}}}}",
     NULL},
    {"Difference",
     "{\"type\":\"object\",\"required\":[\"session_id\",\"from\",\"to\",\"differences\",\"total\"],"
     "\"properties\":{\"session_id\":{\"type\":\"string\"},\"from\":{\"type\":\"integer\"},\"to\":{"
     "\"type\":\"integer\"},\"total\":{\"type\":\"integer\"},\"differences\":{\"type\":\"array\","
     "\"items\":{"
     "\"type\":\"object\",\"required\":[\"entity\",\"entity_id\",\"node_id\",\"before\",\"after\"],"
     "\"properties\":{\"entity\":{\"type\":\"string\"},\"entity_id\":{\"type\":[\"string\","
     "\"null\"]},"
     "\"node_id\":{\"type\":[\"string\",\"null\"]},\"before\":{},\"after\":{}}}}}}",
     NULL},
    {"Undo",
     "{\"type\":\"object\",\"properties\":{\"change_set\":{\"type\":[\"string\",\"null\"],"
     "\"description\":\"Left out: the newest change, if you made it (the same X-Editor; those who "
     "send "
     "none are one writer); else 409 names it\"}}}",
     NULL},
    {"Restore",
     "{\"type\":\"object\",\"required\":[\"version\"],\"properties\":{\"version\":{\"type\":"
     "\"integer\","
     "\"minimum\":0}}}",
     NULL},
    {"Undone",
     "{\"type\":\"object\",\"required\":[\"success\",\"message\",\"change_set\",\"by_set\","
     "\"entries\","
     "\"version\"],\"properties\":{\"success\":{\"type\":\"boolean\"},\"message\":{\"type\":"
     "\"string\"},"
     "\"change_set\":{\"type\":\"string\"},\"by_set\":{\"type\":\"string\","
     "\"description\":\"Undoing this one does it again\"},\"entries\":{\"type\":\"integer\"},"
     "\"version\":{\"type\":\"integer\"}}}",
     NULL},
    {"Operation", NULL, change_set_operation_schema},
    {"ChangeSet",
     "{\"type\":\"object\",\"required\":[\"operations\"],\"properties\":{\"operations\":{"
     "\"type\":\"array\",\"maxItems\":500,\"items\":{\"$ref\":\"#/components/schemas/Operation\"}},"
     "\"dry_run\":{\"type\":[\"boolean\",\"null\"]},\"keep_going\":{\"type\":[\"boolean\",\"null\"]"
     "},\"expected_version\":{\"type\":[\"integer\",\"null\"],\"minimum\":1,\"description\":\"A "
     "stale one is refused with 409, and nothing is done\"}}}",
     NULL},
    {"ChangeSetDone",
     "{\"type\":\"object\",\"required\":[\"session_id\",\"dry_run\",\"change_set\",\"version\","
     "\"done\","
     "\"bad\",\"results\",\"effect\"],\"properties\":{\"session_id\":{\"type\":\"string\"},\"dry_"
     "run\":{"
     "\"type\":\"boolean\"},\"change_set\":{\"type\":[\"string\",\"null\"]},\"version\":{"
     "\"type\":\"integer\"},\"done\":{\"type\":\"integer\"},\"bad\":{\"type\":\"integer\"},"
     "\"results\":{"
     "\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"ok\",\"message\"],"
     "\"properties\":{"
     "\"op\":{\"type\":\"string\"},\"ok\":{\"type\":\"boolean\"},\"message\":{\"type\":\"string\"}}"
     "}},"
     "\"effect\":{\"type\":[\"object\",\"null\"],\"description\":\"On the graph: new cycles,"
     " nodes cut off, the longest chain, what stands downstream\"},\"effect_error\":{"
     "\"type\":\"string\"}}}",
     NULL},
    {"Execute",
     "{\"type\":\"object\",\"required\":[\"code\"],\"properties\":{\"code\":{\"type\":\"string\"},"
     "\"profile\":{\"type\":[\"string\",\"null\"]},\"session_id\":{\"type\":[\"string\",\"null\"]},"
     "\"timeout_seconds\":{\"type\":[\"integer\",\"null\"],\"minimum\":1},\"warnings\":{\"type\":["
     "\"boolean\",\"null\"]}},\"additionalProperties\":false}",
     NULL},
    {"Executed",
     "{\"type\":\"object\",\"required\":[\"stdout\",\"stderr\",\"result\",\"error\",\"exit_code\","
     "\"execution_time\",\"artifacts\"],\"properties\":{\"stdout\":{\"type\":\"string\"},"
     "\"stderr\":{"
     "\"type\":\"string\"},\"result\":{\"type\":[\"string\",\"null\"]},\"error\":{\"type\":["
     "\"string\","
     "\"null\"]},\"exit_code\":{\"type\":\"integer\"},\"execution_time\":{\"type\":\"number\"},"
     "\"artifacts\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"mime\","
     "\"base64\"],"
     "\"properties\":{\"mime\":{\"type\":\"string\"},\"base64\":{\"type\":\"string\"}}}}}}",
     NULL},
    {"Error",
     "{\"type\":\"object\",\"required\":[\"detail\"],\"properties\":{\"detail\":{\"type\":"
     "\"string\"}}}",
     NULL},
    {"Faults",
     "{\"type\":\"object\",\"required\":[\"detail\"],\"properties\":{\"detail\":{\"oneOf\":[{"
     "\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"loc\",\"msg\",\"type\"],"
     "\"properties\":{\"loc\":{\"type\":\"array\",\"items\":{\"type\":[\"string\",\"integer\"]}},"
     "\"msg\":{"
     "\"type\":\"string\"},\"type\":{\"type\":\"string\"}}}},{\"type\":\"string\"}]}}}",
     NULL},
    {"Stale",
     "{\"type\":\"object\",\"required\":[\"detail\",\"current\"],\"properties\":{\"detail\":{"
     "\"type\":\"string\"},\"current\":{\"type\":[\"object\",\"null\"],"
     "\"description\":\"What is there now, as a GET gives it\"}}}",
     NULL},
};

void rest_schemas(struct buf *to)
{
    buf_addc(to, '{');
    for (size_t i = 0; i < sizeof schemas / sizeof schemas[0]; i++) {
        buf_addf(to, "%s\"%s\":", i > 0 ? "," : "", schemas[i].name);
        if (schemas[i].text)
            buf_adds(to, schemas[i].text);
        else
            schemas[i].write(to);
    }
    buf_addc(to, '}');
}
