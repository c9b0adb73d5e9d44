/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A change set: the table of operations with their functions; checking one against its row (known
 * members, required members, types); and applying a list of them in one transaction. Each operation
 * has its own savepoint, so that a bad one leaves nothing behind and the others are still
 * checked.
 */
#include "mcp/session/change_set.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/nearest.h"
#include "helpers/base/validation.h"
#include "mcp/session/curriculum_uri.h"
#include "mcp/session/text.h"

#define MEMBERS_CAP    8   /* of an operation */
#define TITLE_SAID     120 /* bytes */
#define WORD_SHOWN     64  /* bytes of a client's own word in an error */
#define LINES_SAID_CAP 30  /* operations listed one by one in words */
#define LINE_CAP       600

/* A change set under way, and the operation that it is at. */
struct run {
    struct store *store;
    const char *sid;
    const struct change_set *set;
    struct change_set_outcome *outcome;
    const struct writer *writer;
    json_t *results; /* owned */
    int64_t version; /* of the session before it */
    struct validation_errors bad;
    enum error_kind bad_kind; /* of all bad ones, if it is the same */

    /* One operation: its input, then its results. */
    json_t *given;      /* its members, checked and by their own names; without op */
    json_t *result;     /* ids and counts go here */
    struct buf message; /* one line, past tense, without a line end */
};

static json_t *get(const struct run *run, const char *name)
{
    return json_object_get(run->given, name);
}

/* The member as text, or NULL; as a whole number, or 0. */
static const char *get_text(const struct run *run, const char *name)
{
    return json_get_string(run->given, name);
}

static long get_whole(const struct run *run, const char *name)
{
    return (long)json_integer_value(get(run, name));
}

static void add_result(struct run *run, json_t *members)
{
    json_object_update_new(run->result, members);
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* N003 "Comparing fractions": an id and a title of the curriculum, in one line. */
struct named {
    char text[NODE_ID_MAX + TITLE_SAID + 8];
};

static const char *name_node(struct named *named, const char *node_id, const char *title)
{
    char id[NODE_ID_MAX + 1], shown[TITLE_SAID];

    snprintf(named->text, sizeof named->text, "%s \"%s\"", text_cut_line(id, sizeof id, node_id),
             text_cut_line(shown, sizeof shown, title));
    return named->text;
}

/* ---- operations on nodes; each says what is lost with it ---- */

static int create_node(struct run *run, struct error *err)
{
    const char *node_id = get_text(run, "node_id");
    struct named node;

    if (store_node_create(run->store, run->writer, run->sid, run->given, err) < 0)
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
    buf_addf(&run->message, "Changed component %ld (%s) of %s (revision %ld): %s", state.order,
             state.type, name_node(&node, ref.node_id, state.node_title), state.revision,
             state.summary);
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

static int write_relationship(struct run *run, const char *done, struct relationship_state *state)
{
    buf_addf(&run->message, "%s %s from ", done, state->type);
    write_end(run, "from_node_id", state->from_title);
    buf_adds(&run->message, " to ");
    write_end(run, "to_node_id", state->to_title);
    add_result(run, json_pack("{s:I}", "id", (json_int_t)state->id));
    json_decref(state->cycle);
    return 0;
}

static int create_relationship(struct run *run, struct error *err)
{
    struct relationship_state state = {0};

    if (store_relationship_create(run->store, run->writer, run->sid, run->given, &state, err) < 0)
        return -1;
    return write_relationship(run, "Created", &state);
}

static int find_relationship(const struct run *run, int64_t *id, struct error *err)
{
    const char *from = get_text(run, "from_node_id"), *to = get_text(run, "to_node_id");
    const char *type = get_text(run, "relationship_type");

    *id = json_integer_value(get(run, "id"));
    if (*id > 0)
        return 0;
    if (!from || !to || !type)
        return error_set_at(err, "id",
                            "id is needed, or from_node_id, to_node_id and relationship_type "
                            "together");
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
    return write_relationship(run, "Changed", &state);
}

static int delete_relationship(struct run *run, struct error *err)
{
    struct relationship_state state = {0};
    int64_t id;

    if (find_relationship(run, &id, err) < 0 ||
        store_relationship_delete(run->store, run->writer, run->sid, id, &state, err) < 0)
        return -1;
    return write_relationship(run, "Deleted", &state);
}

/* ---- the table ---- */

struct operation {
    struct fields members; /* FIELDS_OPEN: others are the node's own fields */
    bool leaves_graph;     /* as it is */
    unsigned reads;        /* enum store_part, of the nodes that it names */
    int (*apply)(struct run *run, struct error *err);
};

/* Rows of members. A number may arrive as a string, because models send it so. */
#define NEEDED(member, kind, ...)   FIELD(member, kind, .required = true, __VA_ARGS__)
#define MAY_HAVE(member, kind, ...) FIELD(member, kind, __VA_ARGS__)
#define PLACE                       FIELD_WHOLE, .least = 1, .most = INFINITY, .flags = FIELD_AS_TEXT

/* clang-format off */
#define MEMBERS(operation, open, ...) \
    {.name = (operation), .rows = (const struct field[]){__VA_ARGS__, {0}}, .flags = FIELDS_ALSO | (open)}
/* clang-format on */

#define NODE               NEEDED("node_id", FIELD_TEXT, .flags = FIELD_NAME)
#define REVISION           MAY_HAVE("expected_revision", PLACE)
#define COMPONENT_ID       MAY_HAVE("component_id", FIELD_TEXT)
#define COMPONENT_ORDER    MAY_HAVE("component_order", PLACE, .also = "order")
#define EXPLANATION        MAY_HAVE("explanation", FIELD_TEXT)
#define CONFIDENCE(member) MAY_HAVE(member, FIELD_NUMBER)
#define FROM(macro)        macro("from_node_id", FIELD_TEXT, .flags = FIELD_NAME, .also = "from")
#define TO(macro)          macro("to_node_id", FIELD_TEXT, .flags = FIELD_NAME, .also = "to")
#define TYPE               MAY_HAVE("relationship_type", FIELD_TEXT, .also = "type")
#define RELATIONSHIP       MAY_HAVE("id", PLACE), FROM(MAY_HAVE), TO(MAY_HAVE), TYPE

static const struct operation operations[] = {
    {MEMBERS("create_node", FIELDS_OPEN, NEEDED("node_id", FIELD_TEXT),
             NEEDED("title", FIELD_TEXT)),
     .apply = create_node},
    {MEMBERS("rename_node", 0, NODE, NEEDED("title", FIELD_TEXT, .also = "new_title"), REVISION),
     .reads = STORE_TEXTS_PART, .apply = rename_node},
    {MEMBERS("edit_node", FIELDS_OPEN, NODE, MAY_HAVE("title", FIELD_TEXT), REVISION),
     .reads = STORE_TEXTS_PART, .apply = edit_node},
    {MEMBERS("delete_node", 0, NODE, REVISION), .reads = STORE_COMPONENTS_PART | STORE_TEXTS_PART,
     .apply = delete_node},
    {MEMBERS("merge_nodes", 0, NODE,
             NEEDED("into_node_id", FIELD_TEXT, .flags = FIELD_NAME, .also = "into"), REVISION),
     .reads = STORE_COMPONENTS_PART | STORE_TEXTS_PART, .apply = merge_nodes},
    {MEMBERS("create_component", 0, NODE, NEEDED("component_type", FIELD_TEXT, .also = "type"),
             NEEDED("parameters", FIELD_OBJECT), MAY_HAVE("position", PLACE),
             CONFIDENCE("confidence")),
     .leaves_graph = true, .reads = STORE_COMPONENTS_PART, .apply = create_component},
    {MEMBERS("edit_component", 0, NODE, COMPONENT_ID, COMPONENT_ORDER,
             NEEDED("new_parameters", FIELD_OBJECT, .also = "parameters"), REVISION),
     .leaves_graph = true, .reads = STORE_COMPONENTS_PART, .apply = edit_component},
    {MEMBERS("delete_component", 0, NODE, COMPONENT_ID, COMPONENT_ORDER, REVISION),
     .leaves_graph = true, .reads = STORE_COMPONENTS_PART, .apply = delete_component},
    {MEMBERS("reorder_components", 0, NODE, NEEDED("order", FIELD_ARRAY)), .leaves_graph = true,
     .reads = STORE_COMPONENTS_PART, .apply = reorder_components},
    {MEMBERS("create_relationship", 0, FROM(NEEDED), TO(NEEDED), TYPE, EXPLANATION,
             CONFIDENCE("confidence_score"), MAY_HAVE("to_session", FIELD_TEXT)),
     .apply = create_relationship},
    {MEMBERS("edit_relationship", 0, RELATIONSHIP, MAY_HAVE("new_type", FIELD_TEXT), EXPLANATION,
             CONFIDENCE("confidence_score")),
     .apply = edit_relationship},
    {MEMBERS("delete_relationship", 0, RELATIONSHIP), .apply = delete_relationship},
};
#define OPERATION_COUNT (sizeof operations / sizeof operations[0])

/* "rename_node takes node_id, title, expected_revision?" */
static void list_members(const struct operation *operation, struct buf *to)
{
    const struct fields *members = &operation->members;

    buf_addf(to, "%s takes ", members->name);
    for (const struct field *row = members->rows; row->name; row++)
        buf_addf(to, "%s%s%s", row > members->rows ? ", " : "", row->name,
                 row->required ? "" : "?");
    buf_adds(to, members->flags & FIELDS_OPEN ? ", fields?" : "");
}

/* ---- schemas ---- */

static void write_operation(const struct operation *operation, struct buf *to)
{
    const char *const name[] = {operation->members.name, NULL};
    struct field rows[MEMBERS_CAP + 2] = {NEEDED("op", FIELD_TEXT, .choices = name)};
    struct fields fields = operation->members;

    for (size_t i = 0; i < MEMBERS_CAP && fields.rows[i].name; i++)
        rows[i + 1] = fields.rows[i];
    fields.rows = rows;
    fields_schema(&fields, "", NULL, to);
}

static void write_operations(const struct field *row, const void *context, struct buf *to)
{
    (void)row;
    (void)context;
    buf_adds(to, "{\"type\":\"object\",\"anyOf\":[");
    for (size_t i = 0; i < OPERATION_COUNT; i++) {
        buf_adds(to, i > 0 ? "," : "");
        write_operation(&operations[i], to);
    }
    buf_adds(to, "]}");
}

static const char *operation_name(size_t i)
{
    return i < OPERATION_COUNT ? operations[i].members.name : NULL;
}

static const struct fields operation_names = {.name = "op", .choice = operation_name};
static const struct field brief_rows[] = {
    FIELD("op", FIELD_TEXT, .required = true, .of = &operation_names),
    {0},
};

const struct fields change_set_operation = {"an operation", .schema = "Operation",
                                            .write_schema = write_operations};
const struct fields change_set_operation_brief = {
    "an operation", brief_rows,
    .documentation = "Members as in the tools. create_node: node_id, title, fields?; rename_node: "
                     "title; edit_node: fields; merge_nodes: into_node_id; reorder_components: "
                     "order ([3,1,2], old places); edit_relationship, delete_relationship: id, or "
                     "ends and type; new_type?"};

/* ---- reading one ---- */

static const struct operation *find(const char *name)
{
    for (size_t i = 0; name && i < OPERATION_COUNT; i++) {
        if (strcmp(operations[i].members.name, name) == 0)
            return &operations[i];
    }
    return NULL;
}

static int write_unknown(const json_t *op, struct error *err)
{
    struct buf BUF_AUTO names = {0};
    struct nearest search;
    char shown[WORD_SHOWN];

    buf_init(&names, ERROR_TEXT_CAP / 2);
    nearest_begin(&search, json_is_string(op) ? json_string_value(op) : "");
    for (size_t i = 0; i < OPERATION_COUNT; i++) {
        nearest_feed(&search, operations[i].members.name);
        buf_addf(&names, "%s%s", i > 0 ? ", " : "", operations[i].members.name);
    }
    if (!op)
        return error_set_at(err, "op", "op is needed, one of %s", names.data);
    if (!json_is_string(op))
        return error_set_at(err, "op", "op must be text, not %s: one of %s", json_kind(op),
                            names.data);
    text_cut_line(shown, sizeof shown, json_string_value(op));
    if (search.best)
        return error_set_at(err, "op", "there is no op '%s'; did you mean '%s'? There are %s",
                            shown, search.best, names.data);
    return error_set_at(err, "op", "there is no op '%s'. There are %s", shown, names.data);
}

/* What an earlier operation made, where value is "$2"; borrowed, or NULL. */
static json_t *made_by(const char *value, const json_t *results, const char *member)
{
    unsigned long at;
    char *end;

    if (!value || value[0] != '$' || value[1] < '0' || value[1] > '9')
        return NULL;
    at = strtoul(value + 1, &end, 10);
    return *end ? NULL : json_object_get(json_array_get(results, at), member);
}

/* The members that were sent, with "$2" replaced; a new reference, or NULL. */
static json_t *sent_members(const struct operation *operation, const json_t *item,
                            const json_t *results)
{
    static const char *const made[] = {"component_id", "id"};
    json_t *members = json_copy((json_t *)item);

    json_object_del(members, "op");
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        json_t *id = made_by(json_get_string(members, made[i]), results, made[i]);

        if (id && fields_find(&operation->members, made[i]))
            json_object_set(members, made[i], id);
    }
    return members;
}

/* The row that item's op names, and its members checked, as the run's. NULL: ERROR_INVALID. */
static const struct operation *read_operation(struct run *run, const json_t *item,
                                              struct error *err)
{
    const struct operation *operation = find(json_get_string(item, "op"));
    json_auto_t *sent = NULL;
    struct validation_errors problems;
    struct buf BUF_AUTO advice = {0};

    run->given = NULL;
    if (!json_is_object(item)) {
        error_set_at(err, "",
                     "an operation must be an object such as {\"op\": \"delete_node\", "
                     "\"node_id\": \"N003\"}, not %s",
                     json_kind(item));
        return NULL;
    }
    if (!operation) {
        write_unknown(json_object_get(item, "op"), err);
        return NULL;
    }
    validation_begin(&problems, "");
    sent = sent_members(operation, item, run->results);
    if (sent)
        run->given = fields_take(&operation->members, sent, NULL, &problems);
    if (!run->given) {
        error_set(err, ERROR_MEMORY, "out of memory for an operation");
        return NULL;
    }
    if (problems.count > 0) {
        buf_init(&advice, ERROR_TEXT_CAP / 2);
        list_members(operation, &advice);
    }
    return validation_end(&problems, advice.data, err) == 0 ? operation : NULL;
}

/* Whether it is the end of a link, which is in another curriculum. */
static bool names_elsewhere(const json_t *given, const char *member, const char *name)
{
    return strcmp(member, "to_node_id") == 0 &&
           (json_object_get(given, "to_session") || curriculum_uri_is_node(name));
}

/* Puts ids in place of titles, in the transaction of the operation. */
static int resolve_names(struct run *run, const struct operation *operation, struct error *err)
{
    for (const struct field *row = operation->members.rows; row->name; row++) {
        const char *name = get_text(run, row->name), *id;
        struct buf BUF_AUTO found = {0};

        if (!(row->flags & FIELD_NAME) || !name || names_elsewhere(run->given, row->name, name))
            continue;
        if (store_node_id(run->store, run->sid, name, row->name, &found, &id, err) < 0)
            return -1;
        if (id != name && json_object_set_new(run->given, row->name, json_string(id)) != 0)
            return error_set(err, ERROR_MEMORY, "out of memory for an operation");
    }
    return 0;
}

/* ---- doing a list ---- */

/* What became of one operation. */
static int end_operation(struct run *run, const char *op, bool ok, const char *text,
                         struct error *err)
{
    json_auto_t *whole = json_pack("{s:s*, s:b, s:s}", "op", op, "ok", ok, "message", text);
    char line[LINE_CAP];

    if (!whole || json_object_update(whole, run->result) != 0 ||
        json_array_append(run->results, whole) != 0)
        return error_set(err, ERROR_MEMORY, "out of memory for a change set");
    if (json_array_size(run->results) <= LINES_SAID_CAP)
        buf_addf(&run->outcome->lines, "- %s\n", text_cut_line(line, sizeof line, text));
    return 0;
}

/* Errors that all other operations would have too: they end the whole set. */
static bool is_grave(enum error_kind kind)
{
    return kind != ERROR_MALFORMED && kind != ERROR_INVALID && kind != ERROR_NOT_FOUND &&
           kind != ERROR_CONFLICT && kind != ERROR_STALE && kind != ERROR_TOO_LARGE;
}

static int take_bad(struct run *run, size_t index, const char *op, struct error *found,
                    struct error *err)
{
    char loc[ERROR_LOC_CAP + 32];

    if (is_grave(found->kind))
        return error_set(err, found->kind, "%s", found->text);
    snprintf(loc, sizeof loc, "operations.%zu%s%s", index, *found->loc ? "." : "", found->loc);
    error_wrap(found, "operations.%zu%s%s%s", index, op ? " (" : "", op ? op : "", op ? ")" : "");
    text_cut(found->loc, sizeof found->loc, loc);
    validation_take(&run->bad, found);
    run->bad_kind =
        run->outcome->bad == 0 || run->bad_kind == found->kind ? found->kind : ERROR_INVALID;
    run->outcome->bad++;
    json_object_clear(run->result);
    return end_operation(run, op, false, found->text, err);
}

/* ---- doing ---- */

/* In its own savepoint. */
static int apply_one(struct run *run, const json_t *item, struct error *err)
{
    const struct operation *operation = read_operation(run, item, err);
    int rc;

    if (!operation || store_begin(run->store, err) < 0)
        return -1;
    rc = resolve_names(run, operation, err);
    if (rc == 0)
        rc = operation->apply(run, err);
    if (store_end(run->store, rc == 0, rc == 0 ? err : NULL) < 0)
        rc = -1;
    return rc;
}

static int apply_at(struct run *run, size_t index, struct error *err)
{
    const json_t *item = json_array_get(run->set->operations, index);
    const char *op = json_get_string(item, "op");
    struct error found = {0};
    int rc;

    run->result = json_object();
    if (!run->result)
        return error_set(err, ERROR_MEMORY, "out of memory for a change set");
    if (apply_one(run, item, &found) < 0) {
        rc = take_bad(run, index, op, &found, err);
    } else {
        run->outcome->done++;
        rc = end_operation(run, op, true, run->message.data ? run->message.data : "", err);
    }
    json_decref(run->given);
    json_decref(run->result);
    buf_clear(&run->message);
    return rc;
}

static int apply_all(struct run *run, struct error *err)
{
    size_t count = json_array_size(run->set->operations);

    for (size_t i = 0; i < count; i++) {
        if (apply_at(run, i, err) < 0)
            return -1;
    }
    if (run->outcome->bad == 0 || run->set->keep_going)
        return 0;
    validation_end(&run->bad,
                   count > 1 ? "Nothing was done; keep_going does those that are good" : NULL, err);
    if (err)
        err->kind = run->bad_kind;
    return -1;
}

/* What a dry run makes is made again, with other ids, when it is applied. */
static void write_results(struct run *run)
{
    size_t count = json_array_size(run->results), i;
    json_t *result;

    json_array_foreach(run->results, i, result)
    {
        if (!run->set->dry_run || !json_get_string(result, "op") ||
            strncmp(json_get_string(result, "op"), "create_", 7) != 0)
            continue;
        json_object_del(result, "component_id");
        json_object_del(result, "id");
    }
    json_write(&run->outcome->results, run->results);
    if (count > LINES_SAID_CAP)
        buf_addf(&run->outcome->lines, "… and %zu operations more\n", count - LINES_SAID_CAP);
}

/* ---- the whole ---- */

static int check_expected(struct store *store, const char *sid, int64_t expected, int64_t *version,
                          struct error *err)
{
    if (store_session(store, sid, NULL, 0, version, err) < 0)
        return -1;
    if (expected == 0 || expected == *version)
        return 0;
    return error_set(err, ERROR_STALE,
                     "the session is at version %lld now: another write came between. Read it "
                     "again, then send what is still right",
                     (long long)*version);
}

/* Adds what the operation will read of the nodes that it names, as store_read_ahead takes it. */
static void add_parts(const struct operation *operation, const json_t *item, json_t *parts)
{
    for (const struct field *row = operation->members.rows; row->name; row++) {
        const char *id = json_get_string(item, row->name);
        json_int_t before;

        if (!id && row->also)
            id = json_get_string(item, row->also);
        if (!id || !(row->flags & FIELD_NAME))
            continue;
        before = json_integer_value(json_object_get(parts, id));
        json_object_set_new(parts, id, json_integer(before | operation->reads));
    }
}

/* With a service behind the store each node is a request: requests all named nodes at once. */
static int read_ahead(struct run *run, struct error *err)
{
    json_auto_t *parts = NULL;
    const json_t *item;
    size_t i;

    if (!store_capabilities(run->store).waits_for_network)
        return 0;
    parts = json_object();
    json_array_foreach((json_t *)run->set->operations, i, item)
    {
        const struct operation *operation = find(json_get_string(item, "op"));

        if (operation && operation->reads)
            add_parts(operation, item, parts);
    }
    return store_read_ahead(run->store, run->sid, parts, err);
}

static int apply_set(struct run *run, int64_t expected, struct error *err)
{
    struct change_set_outcome *outcome = run->outcome;
    const json_t *item;
    size_t i;

    if (check_expected(run->store, run->sid, expected, &run->version, err) < 0 ||
        read_ahead(run, err) < 0)
        return -1;
    outcome->version = run->version;
    json_array_foreach((json_t *)run->set->operations, i, item)
    {
        const struct operation *operation = find(json_get_string(item, "op"));

        outcome->touches_graph |= operation && !operation->leaves_graph;
    }
    if (outcome->touches_graph &&
        store_read_outline(run->store, run->sid, &outcome->before, err) < 0)
        return -1;
    if (apply_all(run, err) < 0 ||
        (outcome->touches_graph &&
         store_read_outline(run->store, run->sid, &outcome->after, err) < 0))
        return -1;
    write_results(run);
    if (buf_check(&outcome->results, "the results", err) < 0 ||
        buf_check(&outcome->lines, "the results", err) < 0)
        return -1;
    if (run->set->dry_run)
        return 0;
    return store_session(run->store, run->sid, NULL, 0, &outcome->version, err);
}

static int check_list(const json_t *list, struct error *err)
{
    size_t count = json_array_size(list);

    if (!json_is_array(list) || count == 0)
        return error_set_at(err, "operations",
                            "operations: send an array of operations such as {\"op\": "
                            "\"delete_node\", \"node_id\": \"N003\"}, one at least");
    if (count > CHANGE_SET_OPERATIONS_MAX)
        return error_set_at(err, "operations",
                            "operations: %zu are too many at once, send %d at most", count,
                            CHANGE_SET_OPERATIONS_MAX);
    return 0;
}

int change_set_apply(struct store *store, const struct writer *writer, const char *sid,
                     const struct change_set *set, struct change_set_outcome *outcome,
                     struct error *err)
{
    const struct writer own = {
        .who = writer->who, .change_set = outcome->change_set, .only = writer->only};
    struct run run = {.store = store,
                      .sid = sid,
                      .set = set,
                      .outcome = outcome,
                      .writer = &own,
                      .results = json_array()};
    int rc = -1;

    memset(outcome, 0, sizeof *outcome);
    validation_begin(&run.bad, "");
    if (!run.results)
        return error_set(err, ERROR_MEMORY, "out of memory for a change set");
    if (check_list(set->operations, err) == 0 && text_uuid(outcome->change_set, err) == 0 &&
        store_begin(store, err) == 0) {
        rc = apply_set(&run, writer->expected_cursor, err);
        if (store_end(store, rc == 0 && !set->dry_run, rc == 0 ? err : NULL) < 0)
            rc = -1;
    }
    if (outcome->version == run.version) /* a dry run, or nothing that was not so already */
        outcome->change_set[0] = '\0';
    if (rc < 0)
        change_set_outcome_finish(outcome);
    json_decref(run.results);
    buf_finish(&run.message);
    return rc;
}

void change_set_outcome_finish(struct change_set_outcome *outcome)
{
    buf_finish(&outcome->results);
    buf_finish(&outcome->lines);
    outline_finish(&outcome->before);
    outline_finish(&outcome->after);
    memset(outcome, 0, sizeof *outcome);
}
