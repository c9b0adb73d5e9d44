/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes of every kind at random over a small curriculum, and all that can be seen of it.
 */
#ifndef LECTERN_TEST_RANDOM_WRITES_H
#define LECTERN_TEST_RANDOM_WRITES_H

#include "mcp/store/entities/component.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/entities/read.h"
#include "mcp/store/entities/relationship.h"
#include "tests/unit/session_fixture.h"

static unsigned random_state;

static inline unsigned below(unsigned most)
{
    random_state = random_state * 1103515245u + 12345u;
    return (random_state >> 16) % most;
}

/* Ill-formed as files are: orders that repeat or are fractions, what is no object, a node id twice,
 * a relationship that dangles, times and lists that are there or not. */
static const char odd_file[] =
    "{\"meta\":{\"title\":\"Odd\",\"n\":1.5},\"nodes\":["
    "{\"node_id\":\"A\",\"title\":\"Alpha\",\"chapter\":3,\"components\":["
    "{\"type\":\"paragraph\",\"order\":2,\"parameters\":{\"text\":\"a2\"},\"content\":\"a2\"},"
    "{\"type\":\"paragraph\",\"order\":1,\"parameters\":{\"text\":\"a1\"},\"x\":null},"
    "{\"type\":\"paragraph\",\"order\":2,\"parameters\":{\"text\":\"again\"}}]},"
    "{\"node_id\":\"B\",\"title\":\"Beta\",\"last_modified\":\"2020-01-01T00:00:00Z\","
    "\"created_at\":\"2019-01-01T00:00:00Z\",\"components\":["
    "{\"component_type\":\"paragraph\",\"parameters\":{\"text\":\"b1\"}},7,"
    "{\"type\":\"paragraph\",\"order\":2.5,\"parameters\":{\"text\":\"b2\"}},"
    "{\"type\":\"heading\",\"order\":3,\"order_index\":4,\"parameters\":{\"text\":\"b3\"}}]},"
    "{\"node_id\":\"C\",\"title\":\"Gamma\",\"raw_content\":\"long\"},"
    "{\"node_id\":\"D\",\"title\":\"Delta\",\"components\":{\"not\":\"a list\"}},"
    "{\"node_id\":\"A\",\"title\":\"Alpha's twin\",\"components\":[{\"type\":\"paragraph\","
    "\"order\":1,\"parameters\":{\"text\":\"t\"}},\"text\",{\"type\":\"heading\",\"order\":2,"
    "\"parameters\":{\"text\":\"u\"}}]},"
    "{\"node_id\":\"E\",\"title\":\"Epsilon\",\"components\":["
    "{\"type\":\"paragraph\",\"order\":1,\"order_index\":1,\"parameters\":{\"text\":\"e1\"}},"
    "{\"type\":\"paragraph\",\"order\":2,\"order_index\":2,\"parameters\":{\"text\":\"e2\"}},"
    "{\"type\":\"paragraph\",\"order\":3,\"order_index\":3,\"parameters\":{\"text\":\"e3\"}}]}],"
    "\"relationships\":["
    "{\"from_node_id\":\"A\",\"to_node_id\":\"B\",\"relationship_type\":\"LEADS_TO\"},"
    "{\"from_node_id\":\"A\",\"to_node_id\":\"B\",\"relationship_type\":\"LEADS_TO\"},"
    "{\"from_node_id\":\"C\",\"to_node_id\":\"gone\",\"relationship_type\":\"PREREQUISITE\"},"
    "{\"from_node_id\":\"E\",\"to_node_id\":\"A\",\"relationship_type\":\"PREREQUISITE\","
    "\"explanation\":\"why\",\"id\":77}]}";

static inline json_t *read_all(struct fixture *fixture, int (*read)(struct store *, const char *,
                                                                    struct buf *, struct error *))
{
    struct buf text BUF_AUTO = {0};

    must(fixture, read(fixture->store, fixture->sid, &text, &fixture->err));
    return parse(text.data);
}

static inline int read_components(struct store *store, const char *sid, struct buf *json,
                                  struct error *err)
{
    return store_read_all_components(store, sid, 0, 0, json, err);
}

static inline void strip(json_t *list, const char *key)
{
    json_t *entry;
    size_t i;

    json_array_foreach(list, i, entry) json_object_del(entry, key);
}

/* Everything but revisions and times of the last write. */
static inline json_t *look(struct fixture *fixture)
{
    json_t *all = json_pack("{s:o, s:o, s:o, s:o, s:o}", "file", export_json(fixture, fixture->sid),
                            "nodes", read_all(fixture, store_read_nodes), "components",
                            read_all(fixture, read_components), "relationships",
                            read_all(fixture, store_read_relationships), "positions",
                            read_all(fixture, store_read_node_map));
    json_t *node;
    size_t i;

    strip(json_object_get(json_object_get(all, "file"), "nodes"), "last_modified");
    strip(json_object_get(json_object_get(all, "nodes"), "nodes"), "last_modified");
    json_array_foreach(json_object_get(json_object_get(all, "components"), "nodes"), i, node)
        strip(json_object_get(node, "components"), "revision");
    return all;
}

static inline void same_look(struct fixture *fixture, const json_t *wanted, const char *when)
{
    json_auto_t *is = look(fixture);
    const char *key;
    json_t *part;

    json_object_foreach((json_t *)wanted, key, part)
    {
        if (same_json(part, json_object_get(is, key)))
            continue;
        fail_msg("%s: %s are otherwise:\n%s\n---\n%s", when, key, json_dumps(part, JSON_SORT_KEYS),
                 json_dumps(json_object_get(is, key), JSON_SORT_KEYS));
    }
}

/* ---- one write at random; 0 where the store took it ---- */

struct random_call {
    struct fixture *fixture;
    struct writer writer;
    char node[NODE_ID_MAX + 1], other[NODE_ID_MAX + 1];
    struct component_ref ref;
    char component_id[COMPONENT_ID_SIZE];
    long components; /* of node */
    struct error err;
};

static inline void pick_node(struct random_call *call, char id[NODE_ID_MAX + 1])
{
    json_auto_t *all = read_all(call->fixture, store_read_nodes);
    const json_t *nodes = json_object_get(all, "nodes");
    const char *node_id = "none";

    if (json_array_size(nodes) > 0)
        node_id = json_get_string(json_array_get(nodes, below((unsigned)json_array_size(nodes))),
                                  "node_id");
    snprintf(id, NODE_ID_MAX + 1, "%s", node_id);
}

static inline void pick_component(struct random_call *call)
{
    struct buf text BUF_AUTO = {0};
    json_auto_t *all = NULL;
    const json_t *list;

    call->components = 0;
    call->ref = (struct component_ref){.node_id = call->node, .order = 1};
    if (store_read_components(call->fixture->store, call->fixture->sid, call->node, &text,
                              &call->err) != 0)
        return;
    all = parse(text.data);
    list = json_object_get(all, "components");
    call->components = (long)json_array_size(list);
    if (call->components == 0)
        return;
    snprintf(
        call->component_id, sizeof call->component_id, "%s",
        json_get_string(json_array_get(list, below((unsigned)call->components)), "component_id"));
    call->ref.component_id = call->component_id;
}

static inline json_t *some_component(void)
{
    return json_pack("{s:s, s:{s:s}, s:[i]}", "type", below(2) ? "paragraph" : "heading",
                     "parameters", "text", below(2) ? "new text" : "other", "tags", below(9));
}

#define RANDOM_ARGS call->fixture->store, &call->writer, call->fixture->sid

static inline int do_insert(struct random_call *call)
{
    json_auto_t *component = some_component();

    return store_component_insert(RANDOM_ARGS, call->node,
                                  (long)below((unsigned)call->components + 2), component, NULL,
                                  &call->err);
}

static inline int do_append(struct random_call *call)
{
    json_auto_t *components = json_pack("[o, o]", some_component(), some_component());

    return store_components_append(RANDOM_ARGS, call->node, components, NULL, &call->err);
}

static inline int do_update(struct random_call *call)
{
    json_auto_t *changes =
        json_pack("{s:{s:s}, s:f}", "parameters", "text", below(2) ? "changed" : "\xC3\xA4nderung",
                  "confidence", below(4) / 4.0);

    return store_component_update(RANDOM_ARGS, &call->ref, changes, below(2), 0, NULL, &call->err);
}

static inline int do_delete(struct random_call *call)
{
    return store_component_delete(RANDOM_ARGS, &call->ref, 0, NULL, &call->err);
}

/* Some of the old ones in another order, changed or not, and a new one or two. */
static inline int do_replace(struct random_call *call)
{
    struct buf text BUF_AUTO = {0};
    json_auto_t *all = NULL, *body = json_array();
    json_t *component;
    size_t i;

    if (store_read_components(call->fixture->store, call->fixture->sid, call->node, &text,
                              &call->err) != 0)
        return -1;
    all = parse(text.data);
    json_array_foreach(json_object_get(all, "components"), i, component)
    {
        if (below(5) == 0)
            continue;
        if (below(4) == 0)
            json_object_set_new(component, "order", json_integer(below(9)));
        if (below(4) == 0)
            json_object_set_new(component, "note", json_null());
        json_array_append(body, component);
    }
    while (below(2))
        json_array_insert_new(body, below((unsigned)json_array_size(body) + 1), some_component());
    return store_components_replace(RANDOM_ARGS, call->node, body, &call->err);
}

static inline int do_reorder(struct random_call *call)
{
    json_auto_t *order = json_array();

    for (long i = 1; i <= call->components; i++)
        json_array_insert_new(order, below((unsigned)i), json_integer(i));
    return store_components_reorder(RANDOM_ARGS, call->node, order, &call->err);
}

static inline int do_node_create(struct random_call *call)
{
    json_auto_t *node = NULL;
    char id[16];

    snprintf(id, sizeof id, "N%u", below(6));
    node = json_pack("{s:s, s:s, s:i}", "node_id", id, "title", "made", "chapter_id", below(4));
    return store_node_create(RANDOM_ARGS, node, NULL, &call->err);
}

static inline int do_node_update(struct random_call *call)
{
    json_auto_t *changes = json_pack("{s:s, s:n, s:{s:n}}", "title", below(2) ? "renamed" : "again",
                                     "raw_content", "extra", "deep");

    return store_node_update(RANDOM_ARGS, call->node, changes, 0, NULL, &call->err);
}

static inline int do_node_delete(struct random_call *call)
{
    return store_node_delete(RANDOM_ARGS, call->node, &call->err);
}

static inline int do_merge(struct random_call *call)
{
    struct node_state state;

    return store_node_merge(RANDOM_ARGS, call->node, call->other, 0, &state, &call->err);
}

/* One component or two, which may not be there, to a place that may be none. */
static inline json_t *some_places(const struct random_call *call)
{
    json_t *places = json_pack("[i]", 1 + below((unsigned)call->components + 1));

    if (below(2))
        json_array_append_new(places, json_integer(1 + below((unsigned)call->components + 1)));
    return places;
}

static inline int do_move(struct random_call *call)
{
    json_auto_t *places = some_places(call);
    struct move_state state;

    return store_components_move(RANDOM_ARGS, call->node, places, call->other, (long)below(4),
                                 &state, &call->err);
}

static inline json_t *some_new_node(void)
{
    char id[16];

    snprintf(id, sizeof id, "N%u", below(6));
    return json_pack("{s:s, s:s}", "node_id", id, "title", "part");
}

static inline int do_split(struct random_call *call)
{
    json_auto_t *places = some_places(call), *node = some_new_node();
    json_auto_t *ends = json_pack("[s]", call->other);
    struct move_state state;

    return store_node_split(RANDOM_ARGS, call->node, node, NULL, places, below(2) ? ends : NULL,
                            &state, &call->err);
}

static inline int do_copy(struct random_call *call)
{
    json_auto_t *node = some_new_node();
    struct move_state state;

    return store_node_copy(RANDOM_ARGS, call->node, node, NULL, &state, &call->err);
}

static inline int do_texts(struct random_call *call)
{
    json_auto_t *texts = below(3) ? json_pack("{s:s}", "explanation", below(2) ? "so" : "thus")
                                  : json_pack("{s:n}", "explanation");

    return store_node_texts(RANDOM_ARGS, call->node, texts, &call->err);
}

static inline int do_positions(struct random_call *call)
{
    json_auto_t *positions =
        below(4) ? json_pack("{s:{s:f, s:i}}", call->node, "x", below(99) / 2.0, "y", below(9))
                 : json_pack("{s:n}", call->node);

    return store_node_map_write(RANDOM_ARGS, positions, &call->err);
}

static inline int do_relate(struct random_call *call)
{
    json_auto_t *relationship =
        json_pack("{s:s, s:s, s:s}", "from_node_id", call->node, "to_node_id", call->other,
                  "relationship_type", below(2) ? "LEADS_TO" : "PREREQUISITE");

    return store_relationship_create(RANDOM_ARGS, relationship, NULL, &call->err);
}

static inline int do_relate_many(struct random_call *call)
{
    json_auto_t *many =
        json_pack("[{s:s, s:s, s:s}]", "from", call->node, "to", call->other, "type", "ENRICHMENT");
    size_t created;

    return store_relationships_create(RANDOM_ARGS, many, &created, &call->err);
}

static inline int64_t pick_relationship(struct random_call *call)
{
    json_auto_t *all = read_all(call->fixture, store_read_relationships);
    const json_t *list = json_object_get(all, "relationships");

    if (json_array_size(list) == 0)
        return 0;
    return json_integer_value(
        json_object_get(json_array_get(list, below((unsigned)json_array_size(list))), "id"));
}

static inline int do_relationship_update(struct random_call *call)
{
    json_auto_t *changes =
        json_pack("{s:s, s:s}", "explanation", below(2) ? "because" : "since", "relationship_type",
                  below(2) ? "LEADS_TO" : "PREREQUISITE_FOR");
    struct relationship_state state = {0};
    int rc = store_relationship_update(RANDOM_ARGS, pick_relationship(call), changes, &state,
                                       &call->err);

    if (rc == 0)
        json_decref(state.cycle);
    return rc;
}

static inline int do_relationship_delete(struct random_call *call)
{
    return store_relationship_delete(RANDOM_ARGS, pick_relationship(call), NULL, &call->err);
}

static inline int random_write(struct fixture *fixture, const char *change_set)
{
    static int (*const writes[])(struct random_call *) = {
        do_insert,
        do_insert,
        do_append,
        do_update,
        do_update,
        do_delete,
        do_delete,
        do_replace,
        do_replace,
        do_reorder,
        do_reorder,
        do_node_create,
        do_node_create,
        do_node_update,
        do_node_delete,
        do_merge,
        do_move,
        do_move,
        do_split,
        do_copy,
        do_texts,
        do_positions,
        do_positions,
        do_relate,
        do_relate,
        do_relate_many,
        do_relationship_update,
        do_relationship_delete,
    };
    struct random_call call = {.fixture = fixture, .writer = {"random", change_set, 0}};

    pick_node(&call, call.node);
    pick_node(&call, call.other);
    pick_component(&call);
    return writes[below(sizeof writes / sizeof writes[0])](&call);
}

#endif
