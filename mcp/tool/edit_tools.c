/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tools of one edit each: of a node's components, and a new relationship. What else an edit can
 * be is an operation of change_curriculum.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/component_type.h"
#include "mcp/curriculum/text.h"
#include "mcp/store/entities/component.h"
#include "mcp/store/entities/relationship.h"
#include "mcp/tool/arguments.h"

#define CYCLE_NODES_SHOWN 12
#define TITLE_SAID        120 /* bytes */

static int add_component(struct tool_call *call, struct store *store, struct error *err);
static void document_parameters(const void *context, struct buf *to);
static int edit_component(struct tool_call *call, struct store *store, struct error *err);
static struct tool_impact impact_of_edit(const struct tool_call *call);
static int delete_component(struct tool_call *call, struct store *store, struct error *err);
static int add_batch(struct tool_call *call, struct store *store, struct error *err);
static struct tool_impact impact_of_batch(const struct tool_call *call);
static int preview_batch(const struct tool_call *call, struct tool_preview *preview,
                         struct error *err);
static int create_relationship(struct tool_call *call, struct store *store, struct error *err);

static const struct fields parameters = {.name = "parameters", .document = document_parameters};

static const struct fields component_fields = {
    .name = "a component",
    .flags = FIELDS_AS_TEXT,
    .rows = (const struct field[]){FIELD("type", FIELD_TEXT, .required = true),
                                   FIELD("parameters", FIELD_OBJECT, .required = true),
                                   {0}},
};

const struct tool tool_add_component = {
    .name = "add_component",
    .title = "Add a component",
    .description = "Insert a component into a node (id or title).",
    .call_title = "Add {component_type:a}[ to {node_id}]|Add a component[ to {node_id}]",
    .icon = "edit",
    .use = "one component",
    .arguments = ARGUMENTS("add_component", ARGUMENT_SESSION, ARGUMENT_KEY, ARGUMENT_NODE,
                           FIELD("component_type", FIELD_TEXT, .required = true, .least = 1,
                                 .of = &component_type_names),
                           FIELD("parameters", FIELD_OBJECT, .required = true, .of = &parameters),
                           FIELD("position", FIELD_WHOLE, .least = 1, .most = INFINITY)),
    .run = add_component,
    .operation = "create_component",
    .writes = true,
};

const struct tool tool_edit_component = {
    .name = "edit_component",
    .title = "Edit a component",
    .description = "Change parameters of a component.",
    .call_title = "Edit component {component_order}[ of {node_id}]|Edit a component[ of {node_id}]",
    .icon = "edit",
    .use = "one component; send only the parameters that change",
    .arguments = ARGUMENTS(
        "edit_component", ARGUMENT_SESSION, ARGUMENT_KEY, ARGUMENT_NODE, ARGUMENT_COMPONENT,
        FIELD("new_parameters", FIELD_OBJECT, .required = true), ARGUMENT_REVISION),
    .destructive = true,
    .idempotent = true,
    .run = edit_component,
    .impact = impact_of_edit,
    .operation = "edit_component",
    .writes = true,
};

const struct tool tool_delete_component = {
    .name = "delete_component",
    .title = "Delete a component",
    .description = "Delete a component.",
    .call_title =
        "Delete component {component_order}[ of {node_id}]|Delete a component[ of {node_id}]",
    .icon = "edit",
    .use = "one component",
    .arguments = ARGUMENTS(
        "delete_component", ARGUMENT_SESSION, ARGUMENT_KEY, ARGUMENT_NODE, ARGUMENT_COMPONENT,
        FIELD("confirm", FIELD_FLAG, .flags = FIELD_UNLISTED), ARGUMENT_REVISION),
    .destructive = true,
    .run = delete_component,
    .operation = "delete_component",
    .writes = true,
};

const struct tool tool_batch_add_components = {
    .name = "batch_add_components",
    .title = "Add several components",
    .description = "Append components to a node, all or none.",
    .call_title = "Add {components:component}[ to {node_id}]",
    .icon = "edit",
    .use = "several components to one node",
    .arguments =
        ARGUMENTS("batch_add_components", ARGUMENT_SESSION, ARGUMENT_KEY, ARGUMENT_NODE,
                  FIELD("components", FIELD_ARRAY, .required = true, .of = &component_fields)),
    .run = add_batch,
    .impact = impact_of_batch,
    .preview = preview_batch,
    .writes = true,
};

const struct tool tool_create_relationship = {
    .name = "create_relationship",
    .title = "Create a relationship",
    .description = "Join two nodes, the earlier first.",
    .call_title = "Join {from_node_id}[ to {to_node_id}]|Join two nodes[ to {to_node_id}]",
    .icon = "edit",
    .use = "one edge",
    .arguments = ARGUMENTS(
        "create_relationship", ARGUMENT_SESSION, ARGUMENT_KEY,
        FIELD("from_node_id", FIELD_TEXT, .required = true, .least = 1, .flags = FIELD_NAME),
        FIELD("to_node_id", FIELD_TEXT, .required = true, .least = 1, .flags = FIELD_NAME),
        FIELD("relationship_type", FIELD_TEXT,
              .documentation = "LEADS_TO (default), PREREQUISITE_FOR, PREREQUISITE, ENRICHMENT; "
                               "to_session (other curriculum): CASE's, as exactMatchOf"),
        FIELD("to_session", FIELD_TEXT), FIELD("explanation", FIELD_TEXT)),
    .run = create_relationship,
    .operation = "create_relationship",
    .writes = true,
};

/* One edit under way. Texts are borrowed from the call. */
struct edit {
    struct writer writer;
    char sid[SESSION_ID_SIZE];
    struct component_ref component; /* node_id is set even if no component is edited */
    long expected_revision;
    struct component_state state; /* afterwards */
};

static int begin_edit(struct edit *edit, struct tool_call *call, struct store *store,
                      struct error *err)
{
    *edit = (struct edit){.writer = {.who = call->who,
                                     .change_set = call->change_set,
                                     .only = call->bound_session,
                                     .strict = true},
                          .expected_revision = argument_whole(call, "expected_revision", 0)};
    if (tool_session(call, store, edit->sid, err) < 0 ||
        arguments_resolve(call, store, edit->sid, err) < 0)
        return -1;
    edit->component = (struct component_ref){.node_id = argument_text(call, "node_id"),
                                             .component_id = argument_text(call, "component_id"),
                                             .order = argument_whole(call, "component_order", 0)};
    return 0;
}

/* For an existing component. */
static int begin_component(struct edit *edit, struct tool_call *call, struct store *store,
                           struct error *err)
{
    if (begin_edit(edit, call, store, err) < 0)
        return -1;
    if (edit->component.component_id || edit->component.order > 0)
        return 0;
    return error_set_at(
        err, "component_order",
        "%s needs component_order (1 for the node's first component) or component_id.",
        call->tool->name);
}

/* ---- add_component ---- */

static int add_component(struct tool_call *call, struct store *store, struct error *err)
{
    json_auto_t *component =
        json_pack("{s:O, s:O}", "type", json_object_get(call->arguments, "component_type"),
                  "parameters", json_object_get(call->arguments, "parameters"));
    struct edit edit;

    if (begin_edit(&edit, call, store, err) < 0)
        return -1;
    if (!component)
        return error_set(err, ERROR_MEMORY, "out of memory for the component");
    if (store_component_insert(store, &edit.writer, edit.sid, edit.component.node_id,
                               argument_whole(call, "position", 0), component, &edit.state,
                               err) < 0)
        return -1;
    buf_addf(&call->text,
             "Added %s as component %ld of %ld in %s \"%s\" (component_id %s, revision %ld).",
             edit.state.type, edit.state.order, edit.state.total, edit.component.node_id,
             edit.state.node_title, edit.state.component_id, edit.state.revision);
    return 0;
}

/* "NAME: PARAMETERS"; the text of the type before it, to which the name is added, if those are the
 * same. */
static void document_parameters(const void *context, struct buf *to)
{
    struct buf BUF_AUTO before = {0}, BUF_AUTO type = {0};

    (void)context;
    buf_adds(to, "By type: ");
    for (size_t i = 0; i < component_type_count(); i++) {
        size_t name = strlen(component_type_name(component_type_at(i)));

        buf_clear(&type);
        component_type_outline(component_type_at(i), &type);
        to->failed = to->failed || type.failed;
        if (type.failed)
            return;
        if (i > 0 && strcmp(type.data + name, before.data) == 0) {
            to->len -= before.len;
            buf_adds(to, ", ");
        } else {
            buf_adds(to, i > 0 ? "; " : "");
        }
        buf_adds(to, type.data);
        buf_clear(&before);
        buf_adds(&before, type.data + name);
        to->failed = to->failed || before.failed;
        if (before.failed)
            return;
    }
}

/* ---- edit_component: new parameters merged into the old ones ---- */

static int edit_component(struct tool_call *call, struct store *store, struct error *err)
{
    json_auto_t *changes =
        json_pack("{s:O}", "parameters", json_object_get(call->arguments, "new_parameters"));
    struct edit edit;

    if (begin_component(&edit, call, store, err) < 0)
        return -1;
    if (!changes)
        return error_set(err, ERROR_MEMORY, "out of memory for the change");
    if (store_component_update(store, &edit.writer, edit.sid, &edit.component, changes, true,
                               edit.expected_revision, &edit.state, err) < 0)
        return -1;
    buf_addf(&call->text,
             "Changed component %ld (%s) of %s \"%s\" (component_id %s, now revision %ld): %s",
             edit.state.order, edit.state.type, edit.component.node_id, edit.state.node_title,
             edit.state.component_id, edit.state.revision,
             *edit.state.change ? edit.state.change : "it was so already.");
    return 0;
}

static struct tool_impact impact_of_edit(const struct tool_call *call)
{
    return (struct tool_impact){
        tool_loss_of_edit(json_object_get(call->arguments, "new_parameters")), 1};
}

/* ---- delete_component: `confirm` is the model's word, not a person's: it is taken for the
 * contract's sake and decides nothing ---- */

static int delete_component(struct tool_call *call, struct store *store, struct error *err)
{
    struct edit edit;

    if (begin_component(&edit, call, store, err) < 0 ||
        store_component_delete(store, &edit.writer, edit.sid, &edit.component,
                               edit.expected_revision, &edit.state, err) < 0)
        return -1;
    buf_addf(&call->text,
             "Deleted component %ld (%s: %s) of %s \"%s\"; %ld remain, renumbered from 1.",
             edit.state.order, edit.state.type, edit.state.summary, edit.component.node_id,
             edit.state.node_title, edit.state.total);
    return 0;
}

/* ---- batch_add_components: at the end of a node, all or none ---- */

static int add_batch(struct tool_call *call, struct store *store, struct error *err)
{
    const json_t *components = json_object_get(call->arguments, "components");
    size_t count = json_array_size(components);
    struct edit edit;

    if (begin_edit(&edit, call, store, err) < 0 ||
        store_components_append(store, &edit.writer, edit.sid, edit.component.node_id, components,
                                &edit.state, err) < 0)
        return -1;
    buf_addf(&call->text, "Added %zu components to %s \"%s\", now components %ld to %ld of %ld.",
             count, edit.component.node_id, edit.state.node_title, edit.state.order,
             edit.state.order + (long)count - 1, edit.state.total);
    return 0;
}

static struct tool_impact impact_of_batch(const struct tool_call *call)
{
    size_t components = json_array_size(json_object_get(call->arguments, "components"));

    return (struct tool_impact){.loss = components > TOOL_OPERATIONS_MAX ? TOOL_LOSS_DELETED
                                                                         : TOOL_LOSS_NOTHING};
}

static int preview_batch(const struct tool_call *call, struct tool_preview *preview,
                         struct error *err)
{
    json_t *added;
    size_t i;

    (void)err;
    preview->operations = json_array();
    json_array_foreach(json_object_get(call->arguments, "components"), i, added)
    {
        json_t *operation = json_copy(added);

        json_object_set_new(operation, "op", json_string("create_component"));
        json_object_set(operation, "node_id", json_object_get(call->arguments, "node_id"));
        json_array_append_new(preview->operations, operation);
    }
    return 0;
}

/* ---- create_relationship: a repeat is refused; an edge that closes a cycle of prerequisites is
 * made, and the cycle is said by titles ---- */

static void write_cycle(struct buf *to, const json_t *cycle)
{
    char title[TITLE_SAID];
    json_t *node;
    size_t i;

    buf_adds(to, "\nThis closes a cycle of prerequisites: ");
    json_array_foreach(cycle, i, node)
    {
        if (i == CYCLE_NODES_SHOWN) {
            buf_addf(to, "... %zu more -> ", json_array_size(cycle) - i);
            break;
        }
        buf_addf(to, "%s \"%s\" -> ", json_get_string(node, "node_id"),
                 text_cut_line(title, sizeof title, json_get_string(node, "title")));
    }
    node = json_array_get(cycle, 0);
    buf_addf(to, "%s. No teaching order can satisfy it; remove one of these edges.",
             json_get_string(node, "node_id"));
}

static int create_relationship(struct tool_call *call, struct store *store, struct error *err)
{
    const char *explanation = argument_text(call, "explanation");
    const char *session = argument_text(call, "to_session");
    char shown[TITLE_SAID], from_title[TITLE_SAID], to_title[TITLE_SAID];
    struct relationship_state state = {0};
    json_auto_t *relationship = NULL;
    const char *from, *to;
    struct edit edit;

    if (begin_edit(&edit, call, store, err) < 0)
        return -1;
    from = argument_text(call, "from_node_id");
    to = argument_text(call, "to_node_id");
    relationship = json_pack("{s:s, s:s, s:s*, s:s*, s:s, s:s}", "from_node_id", from, "to_node_id",
                             to, "to_session", session, "relationship_type",
                             argument_text(call, "relationship_type"), "explanation",
                             explanation ? explanation : "", "created_by", call->who);
    if (!relationship)
        return error_set(err, ERROR_MEMORY, "out of memory for the relationship");
    if (store_relationship_create(store, &edit.writer, edit.sid, relationship, &state, err) < 0)
        return -1;
    buf_addf(&call->text, "Created %s from %s \"%s\" to %s \"%s\"%s%s (id %lld).", state.type, from,
             text_cut_line(from_title, sizeof from_title, state.from_title), to,
             text_cut_line(to_title, sizeof to_title, state.to_title), session ? " of " : "",
             text_cut_line(shown, sizeof shown, session), (long long)state.id);
    if (state.cycle)
        write_cycle(&call->text, state.cycle);
    json_decref(state.cycle);
    return 0;
}
