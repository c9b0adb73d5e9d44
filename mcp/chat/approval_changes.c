/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Differences as a person reads them: what goes first, for that is what cannot be seen afterwards.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/chat/approval.h"
#include "mcp/chat/approval_preview.h"
#include "mcp/session/entity.h"
#include "mcp/session/text.h"

#define TITLE_SAID     120 /* bytes */
#define NODES_SAID_MAX 2u  /* that go, each with a line of its own */

/* ---- a thing as text ---- */

/* Members that say where a thing is, not what it is. */
static const char *const plumbing[] = {"id",         "node_id",         "component_id",
                                       "order",      "revision",        "created_at",
                                       "updated_at", "component_order", "confidence"};

static bool is_plumbing(const char *name)
{
    for (size_t i = 0; i < sizeof plumbing / sizeof plumbing[0]; i++) {
        if (strcmp(plumbing[i], name) == 0)
            return true;
    }
    return false;
}

static void write_value(const json_t *value, struct buf *to)
{
    const json_t *item;
    size_t i;

    if (json_is_string(value)) {
        buf_add(to, json_string_value(value), json_string_length(value));
    } else if (json_is_array(value) && json_is_string(json_array_get(value, 0))) {
        json_array_foreach((json_t *)value, i, item)
        {
            buf_addf(to, "%s%zu. ", i > 0 ? "\n" : "", i + 1);
            write_value(item, to);
        }
    } else {
        json_write(to, value);
    }
}

static void write_members(const json_t *members, struct buf *to)
{
    size_t count = json_object_size(members);
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)members, name, value)
    {
        if (is_plumbing(name) || json_is_null(value))
            continue;
        if (to->len > 0)
            buf_addc(to, '\n');
        if (count > 1)
            buf_addf(to, "%s:%s", name, json_is_array(value) ? "\n" : " ");
        write_value(value, to);
    }
}

/* A component's parameters, or a node's fields, as a person reads them; a new reference. */
static json_t *text_of(const json_t *thing)
{
    const json_t *parameters = json_object_get(thing, "parameters");
    struct buf BUF_AUTO text = {0};
    size_t len;

    if (!thing || json_is_null(thing))
        return json_null();
    write_members(json_is_object(parameters) ? parameters : thing, &text);
    if (text.failed)
        return NULL;
    len = utf8_offset(text.data ? text.data : "", text.len, APPROVAL_TEXT_MAX);
    if (len < text.len) {
        text.len = len;
        buf_adds(&text, "…");
    }
    return json_stringn(text.data ? text.data : "", text.len);
}

/* ---- what happens to it ---- */

enum fate { GOES, CHANGES, COMES };

static const char *const fates[] = {
    [GOES] = "is deleted", [CHANGES] = "is changed", [COMES] = "is new"};

static enum fate fate_of(const json_t *difference)
{
    if (json_is_null(json_object_get(difference, "after")))
        return GOES;
    return json_is_null(json_object_get(difference, "before")) ? COMES : CHANGES;
}

static const json_t *thing_of(const json_t *difference)
{
    return json_object_get(difference, fate_of(difference) == GOES ? "before" : "after");
}

static bool is_entity(const json_t *difference, const char *entity)
{
    return json_string_is(difference, "entity", entity);
}

/* The title of a node, of those that go too; "" where it has none. */
static void find_title(const struct approval_preview *preview, struct store *store,
                       const char *node_id, char title[TITLE_SAID])
{
    const json_t *difference;
    size_t i;

    *title = '\0';
    if (!node_id)
        return;
    json_array_foreach(preview->differences, i, difference)
    {
        if (!is_entity(difference, "node") || !json_string_is(difference, "entity_id", node_id))
            continue;
        text_cut_line(title, TITLE_SAID, json_get_string(thing_of(difference), "title"));
        return;
    }
    if (store_node_title(store, preview->sid, node_id, title, TITLE_SAID, NULL) < 0)
        *title = '\0';
}

static json_int_t place_of(const json_t *places, const char *component_id)
{
    return component_id ? json_integer_value(json_object_get(places, component_id)) : 0;
}

/* Some stores keep the place in the component too. */
static bool is_same_content(const json_t *difference)
{
    const json_t *before = json_object_get(difference, "before");
    const json_t *after = json_object_get(difference, "after");
    const char *one = entity_component_type(before), *other = entity_component_type(after);

    return one && other && strcmp(one, other) == 0 &&
           json_equal(json_object_get(before, "parameters"), json_object_get(after, "parameters"));
}

static void say_component(const struct approval_preview *preview, struct store *store,
                          const json_t *difference, struct buf *to)
{
    const char *id = json_get_string(difference, "entity_id");
    const char *type = entity_component_type(thing_of(difference));
    json_int_t was = place_of(preview->was, id), is = place_of(preview->is, id);
    json_int_t place = fate_of(difference) == COMES ? is : was;

    (void)store;
    buf_adds(to, "component");
    if (place > 0)
        buf_addf(to, " %" JSON_INTEGER_FORMAT, place);
    buf_addf(to, " (%.*s) ", type ? utf8_shown(type, TITLE_SAID) : 0, type ? type : "");
    if (fate_of(difference) == CHANGES && was != is && is_same_content(difference))
        buf_addf(to, "is moved to place %" JSON_INTEGER_FORMAT, is);
    else
        buf_adds(to, fates[fate_of(difference)]);
}

static void say_node(const struct approval_preview *preview, struct store *store,
                     const json_t *difference, struct buf *to)
{
    (void)preview;
    (void)store;
    buf_addf(to, "node %s", fates[fate_of(difference)]);
}

static void say_relationship(const struct approval_preview *preview, struct store *store,
                             const json_t *difference, struct buf *to)
{
    const json_t *thing = thing_of(difference);
    const char *type = json_get_string(thing, "relationship_type");
    const char *target = json_get_string(thing, "to_node_id");
    char title[TITLE_SAID], id[TITLE_SAID];

    find_title(preview, store, target, title);
    buf_addf(to, "relationship %.*s to %s", type ? utf8_shown(type, TITLE_SAID) : 0,
             type ? type : "", text_cut_line(id, sizeof id, target));
    if (*title)
        buf_addf(to, " \"%s\"", title);
    buf_addf(to, " %s", fates[fate_of(difference)]);
}

static void say_session(const struct approval_preview *preview, struct store *store,
                        const json_t *difference, struct buf *to)
{
    (void)preview;
    (void)store;
    (void)difference;
    buf_adds(to, "the curriculum's own fields are changed");
}

/* Positions are no content. */
static const struct entity {
    const char *name, *node; /* the member of the thing that names its node; or NULL */
    size_t count;            /* offset of its count */
    void (*say)(const struct approval_preview *preview, struct store *store,
                const json_t *difference, struct buf *to);
} entities[] = {
    {"node", NULL, offsetof(struct approval_count, nodes), say_node},
    {"component", NULL, offsetof(struct approval_count, components), say_component},
    {"relationship", "from_node_id", offsetof(struct approval_count, relationships),
     say_relationship},
    {"session", NULL, SIZE_MAX, say_session},
};

static const struct entity *find_entity(const json_t *difference)
{
    for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++) {
        if (is_entity(difference, entities[i].name))
            return &entities[i];
    }
    return NULL;
}

static int add_change(struct approval_preview *preview, struct store *store,
                      const struct entity *entity, const json_t *difference, struct error *err)
{
    const char *node_id = entity->node ? json_get_string(thing_of(difference), entity->node)
                                       : json_get_string(difference, "node_id");
    struct buf BUF_AUTO what = {0};
    char title[TITLE_SAID];
    json_t *change;

    find_title(preview, store, node_id, title);
    entity->say(preview, store, difference, &what);
    change =
        json_pack("{s:s?, s:s, s:s%, s:o, s:o}", "node_id", node_id, "title", title, "what",
                  what.data, what.len, "before", text_of(json_object_get(difference, "before")),
                  "after", text_of(json_object_get(difference, "after")));
    if (!change || json_array_append_new(preview->changes, change) < 0)
        return error_set(err, ERROR_MEMORY, "out of memory for what would change");
    return 0;
}

static void count_one(struct approval_preview *preview, const struct entity *entity, enum fate fate)
{
    struct approval_count *counts[] = {
        [GOES] = &preview->gone, [CHANGES] = &preview->changed, [COMES] = &preview->made};

    if (entity->count != SIZE_MAX)
        ++*(size_t *)((char *)counts[fate] + entity->count);
}

static int add_all(struct approval_preview *preview, struct store *store, bool going,
                   struct error *err)
{
    const json_t *difference;
    size_t i;

    json_array_foreach(preview->differences, i, difference)
    {
        const struct entity *entity = find_entity(difference);

        if (!entity || (fate_of(difference) == GOES) != going)
            continue;
        count_one(preview, entity, fate_of(difference));
        if (json_array_size(preview->changes) >= APPROVAL_SHOWN_MAX)
            preview->more++;
        else if (add_change(preview, store, entity, difference, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- nodes that go, with what goes with them ---- */

static bool is_at(const json_t *difference, const char *member, const char *node_id)
{
    return json_string_is(json_object_get(difference, "before"), member, node_id);
}

static void say_lost(struct approval_preview *preview, const json_t *node)
{
    const char *node_id = json_get_string(node, "entity_id");
    size_t components = 0, relationships = 0, i;
    char id[TITLE_SAID], title[TITLE_SAID];
    const json_t *difference;

    json_array_foreach(preview->differences, i, difference)
    {
        if (fate_of(difference) != GOES)
            continue;
        if (is_entity(difference, "component"))
            components += json_string_is(difference, "node_id", node_id);
        else if (is_entity(difference, "relationship"))
            relationships += is_at(difference, "from_node_id", node_id) ||
                             is_at(difference, "to_node_id", node_id);
    }
    text_cut_line(title, sizeof title, json_get_string(json_object_get(node, "before"), "title"));
    buf_addf(&preview->lost, "Node %s \"%s\" goes, with %zu component%s and %zu relationship%s.\n",
             text_cut_line(id, sizeof id, node_id), title, components, components == 1 ? "" : "s",
             relationships, relationships == 1 ? "" : "s");
}

int approval_changes(struct approval_preview *preview, struct store *store, struct error *err)
{
    const json_t *difference;
    size_t said = 0, i;

    preview->changes = json_array();
    if (!preview->changes)
        return error_set(err, ERROR_MEMORY, "out of memory for what would change");
    if (add_all(preview, store, true, err) < 0 || add_all(preview, store, false, err) < 0)
        return -1;
    json_array_foreach(preview->differences, i, difference)
    {
        if (is_entity(difference, "node") && fate_of(difference) == GOES && said < NODES_SAID_MAX) {
            say_lost(preview, difference);
            said++;
        }
    }
    return buf_check(&preview->lost, "what would be lost", err);
}
