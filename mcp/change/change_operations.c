/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The operations of a change set: a function for each, and the table with their members. Those that
 * move between nodes and the one on all texts have files of their own (change_run.h).
 */
#include <math.h>

#include "mcp/change/change_run.h"
#include "mcp/store/entities/component.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/entities/relationship.h"

/* What an edit changed, in words. */
static void write_change(struct run *run, const char *change)
{
    buf_addf(&run->message, ": %s", *change ? change : "it was so already");
}

/* ---- operations on nodes; each says what is lost with it ---- */

static int create_node(struct run *run, struct error *err)
{
    const char *node_id = get_text(run, "node_id");
    json_auto_t *given = json_copy((json_t *)run->given);
    struct named node;

    json_object_del(given, "after");
    if (store_node_create(run->store, run->writer, run->sid, given, get_text(run, "after"), err) <
        0)
        return -1;
    buf_addf(&run->message, "Created node %s", name_node(&node, node_id, get_text(run, "title")));
    add_result(run, json_pack("{s:s}", "node_id", node_id));
    return 0;
}

static int delete_node(struct run *run, struct error *err)
{
    const char *node_id = get_text(run, "node_id");
    struct node_state state = {0};
    struct named node;

    if (store_node_state(run->store, run->sid, node_id, get_whole(run, "expected_revision"), &state,
                         err) < 0 ||
        store_node_delete(run->store, run->writer, run->sid, node_id, err) < 0)
        return -1;
    buf_addf(&run->message, "Deleted node %s with its %zu component%s and %zu relationship%s",
             name_node(&node, node_id, state.title), state.components, plural(state.components),
             state.relationships, plural(state.relationships));
    add_result(run, json_pack("{s:s, s:I, s:I}", "node_id", node_id, "components",
                              (json_int_t)state.components, "relationships",
                              (json_int_t)state.relationships));
    return 0;
}

static int update_node(struct run *run, const json_t *changes, struct node_state *state,
                       struct error *err)
{
    const char *node_id = get_text(run, "node_id");

    if (!changes)
        return error_set(err, ERROR_MEMORY, "out of memory for a change");
    if (store_node_update(run->store, run->writer, run->sid, node_id, changes,
                          get_whole(run, "expected_revision"), state, err) < 0)
        return -1;
    add_result(
        run, json_pack("{s:s, s:I}", "node_id", node_id, "revision", (json_int_t)state->revision));
    return 0;
}

static int rename_node(struct run *run, struct error *err)
{
    const char *node_id = get_text(run, "node_id");
    json_auto_t *changes = json_pack("{s:O}", "title", get(run, "title"));
    struct node_state state = {0};
    char before[256];
    struct named node;

    if (store_node_title(run->store, run->sid, node_id, before, sizeof before, err) < 0 ||
        update_node(run, changes, &state, err) < 0)
        return -1;
    buf_addf(&run->message, "Renamed node %s to \"%s\" (revision %ld)",
             name_node(&node, node_id, before), state.title, state.revision);
    return 0;
}

static int edit_node(struct run *run, struct error *err)
{
    json_auto_t *changes = json_copy((json_t *)run->given);
    struct node_state state = {0};
    struct named node;

    json_object_del(changes, "node_id");
    json_object_del(changes, "expected_revision");
    if (changes && json_object_size(changes) == 0)
        return error_set_at(err, "",
                            "edit_node needs a field to change, such as title or raw_content");
    if (update_node(run, changes, &state, err) < 0)
        return -1;
    buf_addf(&run->message, "Changed node %s (revision %ld)",
             name_node(&node, get_text(run, "node_id"), state.title), state.revision);
    write_change(run, state.change);
    return 0;
}

static int merge_nodes(struct run *run, struct error *err)
{
    const char *node_id = get_text(run, "node_id"), *into = get_text(run, "into_node_id");
    struct node_state state = {0};
    struct named from, to;
    char gone[256];

    if (store_node_title(run->store, run->sid, node_id, gone, sizeof gone, err) < 0 ||
        store_node_merge(run->store, run->writer, run->sid, node_id, into,
                         get_whole(run, "expected_revision"), &state, err) < 0)
        return -1;
    buf_addf(&run->message,
             "Merged node %s into %s: %zu component%s and %zu relationship%s came over",
             name_node(&from, node_id, gone), name_node(&to, into, state.title), state.components,
             plural(state.components), state.relationships, plural(state.relationships));
    if (state.left_out > 0)
        buf_addf(&run->message,
                 ", %zu relationship%s did not (a repeat, or from the node to itself)",
                 state.left_out, plural(state.left_out));
    if (state.first)
        buf_addf(&run->message, "; its components are first, because %s comes before %s", node_id,
                 into);
    add_result(run, json_pack("{s:s, s:s, s:I, s:I, s:I}", "node_id", node_id, "into_node_id", into,
                              "components", (json_int_t)state.components, "relationships",
                              (json_int_t)state.relationships, "relationships_left_out",
                              (json_int_t)state.left_out));
    return 0;
}

/* ---- on components ---- */

static int find_component(const struct run *run, struct component_ref *ref, struct error *err)
{
    *ref = (struct component_ref){.node_id = get_text(run, "node_id"),
                                  .component_id = get_text(run, "component_id"),
                                  .order = get_whole(run, "component_order")};
    if (ref->component_id || ref->order > 0)
        return 0;
    return error_set_at(err, "component_order",
                        "component_order (1 for the node's first component) or component_id is "
                        "needed");
}

static void add_component_result(struct run *run, const struct component_state *state)
{
    add_result(run, json_pack("{s:O, s:s, s:I, s:I}", "node_id", get(run, "node_id"),
                              "component_id", state->component_id, "order",
                              (json_int_t)state->order, "revision", (json_int_t)state->revision));
}

static int create_component(struct run *run, struct error *err)
{
    const char *node_id = get_text(run, "node_id");
    json_auto_t *component =
        json_pack("{s:O, s:O, s:O*}", "type", get(run, "component_type"), "parameters",
                  get(run, "parameters"), "confidence", get(run, "confidence"));
    struct component_state state;
    struct named node;

    if (!component)
        return error_set(err, ERROR_MEMORY, "out of memory for a component");
    if (store_component_insert(run->store, run->writer, run->sid, node_id,
                               get_whole(run, "position"), component, &state, err) < 0)
        return -1;
    buf_addf(&run->message, "Added %s as component %ld of %ld in %s (revision %ld)", state.type,
             state.order, state.total, name_node(&node, node_id, state.node_title), state.revision);
    add_component_result(run, &state);
    return 0;
}

static int edit_component(struct run *run, struct error *err)
{
    json_auto_t *changes = json_pack("{s:O}", "parameters", get(run, "new_parameters"));
    struct component_state state;
    struct component_ref ref;
    struct named node;

    if (!changes)
        return error_set(err, ERROR_MEMORY, "out of memory for a change");
    if (find_component(run, &ref, err) < 0 ||
        store_component_update(run->store, run->writer, run->sid, &ref, changes, true,
                               get_whole(run, "expected_revision"), &state, err) < 0)
        return -1;
    buf_addf(&run->message, "Changed component %ld (%s) of %s (revision %ld)", state.order,
             state.type, name_node(&node, ref.node_id, state.node_title), state.revision);
    write_change(run, state.change);
    add_component_result(run, &state);
    return 0;
}

static int delete_component(struct run *run, struct error *err)
{
    struct component_state state;
    struct component_ref ref;
    struct named node;

    if (find_component(run, &ref, err) < 0 ||
        store_component_delete(run->store, run->writer, run->sid, &ref,
                               get_whole(run, "expected_revision"), &state, err) < 0)
        return -1;
    buf_addf(&run->message, "Deleted component %ld (%s: %s) of %s, %ld remain", state.order,
             state.type, state.summary, name_node(&node, ref.node_id, state.node_title),
             state.total);
    add_component_result(run, &state);
    return 0;
}

static int reorder_components(struct run *run, struct error *err)
{
    const char *node_id = get_text(run, "node_id");
    const json_t *order = get(run, "order");
    size_t count = json_array_size(order);
    struct named node;
    char title[256];

    if (store_components_reorder(run->store, run->writer, run->sid, node_id, order, err) < 0 ||
        store_node_title(run->store, run->sid, node_id, title, sizeof title, err) < 0)
        return -1;
    buf_addf(&run->message, "Reordered the %zu component%s of %s", count, plural(count),
             name_node(&node, node_id, title));
    add_result(run, json_pack("{s:s}", "node_id", node_id));
    return 0;
}

/* ---- on relationships: one is named by its id, or by its ends and its type. Cycles are reported
 * once, for the whole set (change_effect.c) ---- */

/* N001 "Title"; nothing if the operation named the relationship by its id. */
static void write_end(struct run *run, const char *name, const char *title)
{
    const char *node_id = get_text(run, name);
    char shown[TITLE_SAID];
    struct named node;

    if (!node_id) {
        buf_addf(&run->message, "\"%s\"", text_cut_line(shown, sizeof shown, title));
        return;
    }
    buf_adds(&run->message, name_node(&node, node_id, title));
    add_result(run, json_pack("{s:s}", name, node_id));
}

static void write_relationship(struct run *run, const char *done,
                               const struct relationship_state *state)
{
    buf_addf(&run->message, "%s %s from ", done, state->type);
    write_end(run, "from_node_id", state->from_title);
    buf_adds(&run->message, " to ");
    write_end(run, "to_node_id", state->to_title);
    add_result(run, json_pack("{s:I}", "id", (json_int_t)state->id));
    json_decref(state->cycle);
}

static int create_relationship(struct run *run, struct error *err)
{
    struct relationship_state state = {0};

    if (store_relationship_create(run->store, run->writer, run->sid, run->given, &state, err) < 0)
        return -1;
    write_relationship(run, "Created", &state);
    return 0;
}

static int find_relationship(const struct run *run, int64_t *id, struct error *err)
{
    const char *from = get_text(run, "from_node_id"), *to = get_text(run, "to_node_id");
    const char *type = get_text(run, "relationship_type"), *session = get_text(run, "to_session");
    struct buf BUF_AUTO uri = {0};

    *id = json_integer_value(get(run, "id"));
    if (*id > 0)
        return 0;
    if (!from || !to)
        return error_set_at(err, "id",
                            "id is needed, or from_node_id, to_node_id and relationship_type "
                            "together");
    if (session) { /* a link */
        if (store_link_uri(run->store, run->writer, session, to, &uri, err) < 0)
            return -1;
        to = uri.data;
    }
    return store_relationship_find(run->store, run->sid, from, to, type, id, err);
}

static int edit_relationship(struct run *run, struct error *err)
{
    json_auto_t *changes =
        json_pack("{s:O*, s:O*, s:O*}", "relationship_type", get(run, "new_type"), "explanation",
                  get(run, "explanation"), "confidence_score", get(run, "confidence_score"));
    struct relationship_state state = {0};
    int64_t id;

    if (json_object_size(changes) == 0)
        return error_set_at(err, "new_type", "new_type, explanation or confidence_score is needed");
    if (find_relationship(run, &id, err) < 0 ||
        store_relationship_update(run->store, run->writer, run->sid, id, changes, &state, err) < 0)
        return -1;
    write_relationship(run, "Changed", &state);
    write_change(run, state.change);
    return 0;
}

static int delete_relationship(struct run *run, struct error *err)
{
    struct relationship_state state = {0};
    int64_t id;

    if (find_relationship(run, &id, err) < 0 ||
        store_relationship_delete(run->store, run->writer, run->sid, id, &state, err) < 0)
        return -1;
    write_relationship(run, "Deleted", &state);
    return 0;
}

/* ---- the table ---- */

/* Rows of members. A number may arrive as a string, because models send it so. */
#define NEEDED(member, kind, ...)   FIELD(member, kind, .required = true, __VA_ARGS__)
#define MAY_HAVE(member, kind, ...) FIELD(member, kind, __VA_ARGS__)
#define PLACE                       FIELD_WHOLE, .least = 1, .most = INFINITY, .flags = FIELD_AS_TEXT

/* clang-format off */
#define MEMBERS(operation, ...) \
    {.name = (operation), .rows = (const struct field[]){__VA_ARGS__, {0}}, .flags = FIELDS_ALSO | FIELDS_NAMED}
/* clang-format on */

#define NODE       NEEDED("node_id", FIELD_TEXT, .flags = FIELD_NAME)
#define INTO(...)  NEEDED("into_node_id", FIELD_TEXT, .flags = FIELD_NAME, __VA_ARGS__)
#define NEW_NODE   NEEDED("new_node_id", FIELD_TEXT), NEEDED("title", FIELD_TEXT)
#define COMPONENTS NEEDED("components", FIELD_ARRAY, .flags = FIELD_AS_TEXT | FIELD_ONE)
#define REVISION                                                                                   \
    MAY_HAVE("expected_revision", FIELD_WHOLE, .least = 1, .most = INFINITY,                       \
             .flags = FIELD_AS_TEXT | FIELD_UNLISTED)
#define AFTER              MAY_HAVE("after", FIELD_TEXT, .flags = FIELD_NAME)
#define COMPONENT_ID       MAY_HAVE("component_id", FIELD_TEXT)
#define COMPONENT_ORDER    MAY_HAVE("component_order", PLACE, .also = "order")
#define FIELDS             MAY_HAVE("fields", FIELD_OBJECT, .flags = FIELD_AS_TEXT)
#define EXPLANATION        MAY_HAVE("explanation", FIELD_TEXT)
#define FLAG(member)       MAY_HAVE(member, FIELD_FLAG, .flags = FIELD_AS_TEXT)
#define CONFIDENCE(member) MAY_HAVE(member, FIELD_NUMBER, .flags = FIELD_UNLISTED)
#define FROM(macro)        macro("from_node_id", FIELD_TEXT, .flags = FIELD_NAME, .also = "from")
#define TO(macro)          macro("to_node_id", FIELD_TEXT, .flags = FIELD_NAME, .also = "to")
#define TYPE               MAY_HAVE("relationship_type", FIELD_TEXT, .also = "type")
#define RELATIONSHIP                                                                               \
    MAY_HAVE("id", PLACE), FROM(MAY_HAVE), TO(MAY_HAVE), TYPE, MAY_HAVE("to_session", FIELD_TEXT)

const struct operation change_operations[] = {
    {MEMBERS("create_node", NEEDED("node_id", FIELD_TEXT), NEEDED("title", FIELD_TEXT), AFTER,
             FIELDS),
     .apply = create_node},
    {MEMBERS("rename_node", NODE, NEEDED("title", FIELD_TEXT, .also = "new_title"), REVISION),
     .reads = STORE_TEXTS_PART, .apply = rename_node},
    {MEMBERS("edit_node", NODE, MAY_HAVE("title", FIELD_TEXT), FIELDS, REVISION),
     .reads = STORE_TEXTS_PART, .apply = edit_node},
    {MEMBERS("delete_node", NODE, REVISION), .reads = STORE_COMPONENTS_PART | STORE_TEXTS_PART,
     .apply = delete_node},
    {MEMBERS("merge_nodes", NODE, INTO(.also = "into"), REVISION),
     .reads = STORE_COMPONENTS_PART | STORE_TEXTS_PART, .apply = merge_nodes},
    {MEMBERS("split_node", NODE, NEW_NODE, AFTER, COMPONENTS,
             MAY_HAVE("relationships", FIELD_ARRAY)),
     .reads = STORE_COMPONENTS_PART | STORE_TEXTS_PART, .apply = change_split_node},
    {MEMBERS("copy_node", NODE, NEW_NODE, AFTER), .reads = STORE_COMPONENTS_PART | STORE_TEXTS_PART,
     .apply = change_copy_node},
    {MEMBERS("create_component", NODE, NEEDED("component_type", FIELD_TEXT, .also = "type"),
             NEEDED("parameters", FIELD_OBJECT, .flags = FIELD_AS_TEXT),
             MAY_HAVE("position", PLACE), CONFIDENCE("confidence")),
     .leaves_graph = true, .reads = STORE_COMPONENTS_PART, .apply = create_component},
    {MEMBERS("edit_component", NODE, COMPONENT_ID, COMPONENT_ORDER,
             NEEDED("new_parameters", FIELD_OBJECT, .flags = FIELD_AS_TEXT, .also = "parameters"),
             REVISION),
     .leaves_graph = true, .reads = STORE_COMPONENTS_PART, .apply = edit_component},
    {MEMBERS("delete_component", NODE, COMPONENT_ID, COMPONENT_ORDER, REVISION),
     .leaves_graph = true, .reads = STORE_COMPONENTS_PART, .apply = delete_component},
    {MEMBERS("reorder_components", NODE, NEEDED("order", FIELD_ARRAY, .item = FIELD_WHOLE)),
     .leaves_graph = true, .reads = STORE_COMPONENTS_PART, .apply = reorder_components},
    {MEMBERS("move_components", NODE, COMPONENTS, INTO(.also = "to_node_id"),
             MAY_HAVE("position", PLACE)),
     .leaves_graph = true, .reads = STORE_COMPONENTS_PART, .apply = change_move_components},
    {MEMBERS("replace_text", NEEDED("find", FIELD_TEXT), NEEDED("replace", FIELD_TEXT),
             FLAG("whole_words"), FLAG("match_case"), FLAG("plurals"), MAY_HAVE("in", FIELD_TEXT),
             MAY_HAVE("node_ids", FIELD_ARRAY, .item = FIELD_TEXT),
             MAY_HAVE("expected_places", FIELD_WHOLE, .least = 0, .most = INFINITY,
                      .flags = FIELD_AS_TEXT)),
     .leaves_graph = true, .apply = change_replace_text},
    {MEMBERS("create_relationship", FROM(NEEDED), TO(NEEDED), TYPE, EXPLANATION,
             CONFIDENCE("confidence_score"), MAY_HAVE("to_session", FIELD_TEXT)),
     .apply = create_relationship},
    {MEMBERS("edit_relationship", RELATIONSHIP, MAY_HAVE("new_type", FIELD_TEXT), EXPLANATION,
             CONFIDENCE("confidence_score")),
     .apply = edit_relationship},
    {MEMBERS("delete_relationship", RELATIONSHIP), .apply = delete_relationship},
};
const size_t change_operation_count = sizeof change_operations / sizeof change_operations[0];
