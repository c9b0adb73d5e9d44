/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Images of things as they were (rewind.h): the rows of the change log, which image each row is
 * about, and how it is inverted.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/array.h"
#include "helpers/base/json.h"
#include "mcp/curriculum/json_difference.h"
#include "mcp/store/history/rewind.h"

static const char *const entities[] = {
    [REWIND_SESSION] = "session",        [REWIND_NODE] = "node",
    [REWIND_COMPONENT] = "component",    [REWIND_RELATIONSHIP] = "relationship",
    [REWIND_NODE_MAP] = NODE_MAP_ENTITY,
};

const char *rewind_entity_name(enum rewind_entity entity)
{
    return entities[entity];
}

static const struct {
    const char *name;
    enum rewind_op op;
} ops[] = {
    {"create", REWIND_BEGIN},  {"import", REWIND_BEGIN},  {"insert", REWIND_INSERT},
    {"update", REWIND_UPDATE}, {"delete", REWIND_DELETE}, {"renumber", REWIND_RENUMBER},
    {"touch", REWIND_TOUCH},
};

static int read_kind(struct rewind_row *row, struct error *err)
{
    size_t entity = 0, op = 0;

    while (entity < sizeof entities / sizeof entities[0] &&
           strcmp(entities[entity], row->entity_name) != 0)
        entity++;
    while (op < sizeof ops / sizeof ops[0] && strcmp(ops[op].name, row->op_name) != 0)
        op++;
    if (entity == sizeof entities / sizeof entities[0] || op == sizeof ops / sizeof ops[0])
        return error_set(err, ERROR_INTERNAL, "the change log has an unknown row: %s %s",
                         row->entity_name, row->op_name);
    row->entity = (enum rewind_entity)entity;
    row->op = ops[op].op;
    return 0;
}

static int read_text(struct rows *rows, int column, json_t **value, struct error *err)
{
    struct row_text text = rows_string(rows, column);

    if (!text.text)
        return 0;
    *value = json_read(text.text, text.len, "a row of the change log", err);
    return *value ? 0 : -1;
}

static int read_row(struct rows *rows, struct rewind_row *row, struct error *err)
{
    memset(row, 0, sizeof *row);
    row->key = rows_int(rows, 0);
    row->version = rows_int(rows, 1);
    row->change_set = rows_text(rows, 2);
    row->at = rows_text(rows, 3);
    row->who = rows_text(rows, 4);
    row->entity_name = rows_text(rows, 5);
    row->entity_id = rows_text(rows, 6);
    row->node_id = rows_text(rows, 7);
    row->op_name = rows_text(rows, 8);
    if (read_kind(row, err) < 0 || read_text(rows, 9, &row->before, err) != 0)
        return -1;
    if (read_text(rows, 10, &row->after, err) != 0)
        return -1;
    if (!row->node_id && row->entity == REWIND_NODE)
        row->node_id = row->entity_id;
    if (!row->node_id && row->entity == REWIND_COMPONENT)
        row->node_id = json_get_string(row->before ? row->before : row->after, "node_id");
    return 0;
}

int rewind_each(struct rows *rows, rewind_visit_fn *visit, void *user, struct error *err)
{
    int found = rows_next(rows, err), rc = found < 0 ? -1 : 0;

    while (rc == 0 && found > 0) {
        struct rewind_row row = {0};

        rc = read_row(rows, &row, err);
        if (rc == 0)
            rc = visit(user, &row, err);
        json_decref(row.before);
        json_decref(row.after);
        if (rc == 0)
            found = rows_next(rows, err);
        if (found < 0)
            rc = -1;
    }
    rows_end(rows);
    return rc;
}

/* ---- the places of nodes and entries ---- */

#define PLACE_KEY_CAP (NODE_ID_MAX + 32u) /* a longer id, which may be imported, has no place */

static bool write_place_key(char text[PLACE_KEY_CAP], enum rewind_entity entity, const char *id)
{
    return (size_t)snprintf(text, PLACE_KEY_CAP, "%d/%s", (int)entity, id) < PLACE_KEY_CAP;
}

static int64_t place_of(const struct rewind *rewind, const char *text)
{
    const json_t *place = json_object_get(rewind->places, text);

    return place ? json_integer_value(place) : -1;
}

static struct rewind_node *find_node(const struct rewind *rewind, int64_t key)
{
    char text[PLACE_KEY_CAP];
    int64_t place;

    snprintf(text, sizeof text, "%d/%" PRId64, (int)REWIND_NODE, key);
    place = place_of(rewind, text);
    return place < 0 ? NULL : rewind->nodes[place];
}

/* 0 if the log is too old to have it. */
static int64_t node_key(const struct rewind_row *row)
{
    const json_t *image = row->before ? row->before : row->after;

    return json_integer_value(json_object_get(image, row->entity == REWIND_NODE ? "key" : "node"));
}

struct rewind_node *rewind_row_node(const struct rewind *rewind, const struct rewind_row *row)
{
    int64_t key = node_key(row);
    /* Of several that had the id in turn, a deletion is of one that is not there afterwards. */
    bool there = row->entity != REWIND_NODE || row->op != REWIND_DELETE;
    struct rewind_node *found = NULL;

    if (key != 0)
        return find_node(rewind, key);
    for (size_t i = rewind->node_count; i-- > 0;) {
        struct rewind_node *node = rewind->nodes[i];

        if (node->node_id && row->node_id && strcmp(node->node_id, row->node_id) == 0 &&
            (!found || (node->node != NULL) == there))
            found = node;
    }
    return found;
}

static int64_t entry_key(enum rewind_entity entity, const char *id)
{
    return entity == REWIND_RELATIONSHIP ? strtoll(id, NULL, 10) : 0;
}

static struct rewind_entry *find_entry(const struct rewind *rewind, enum rewind_entity entity,
                                       const char *id)
{
    int64_t key = entry_key(entity, id), place;
    char text[PLACE_KEY_CAP];

    if (write_place_key(text, entity, id)) {
        place = place_of(rewind, text);
        return place < 0 ? NULL : rewind->entries[place];
    }
    for (size_t i = rewind->entry_count; i-- > 0;) {
        struct rewind_entry *entry = rewind->entries[i];

        if (entry->entity == entity && entry->key == key && strcmp(entry->id, id) == 0)
            return entry;
    }
    return NULL;
}

struct rewind_entry *rewind_row_entry(const struct rewind *rewind, const struct rewind_row *row)
{
    return find_entry(rewind, row->entity, row->entity_id);
}

struct rewind_entry *rewind_relationship(const struct rewind *rewind, int64_t key)
{
    char id[24];

    snprintf(id, sizeof id, "%" PRId64, key);
    return find_entry(rewind, REWIND_RELATIONSHIP, id);
}

bool rewind_has(const struct rewind *rewind, const struct rewind_row *row)
{
    switch (row->entity) {
    case REWIND_NODE:
    case REWIND_COMPONENT:
        return rewind_row_node(rewind, row) != NULL;
    case REWIND_RELATIONSHIP:
    case REWIND_NODE_MAP:
        return rewind_row_entry(rewind, row) != NULL;
    case REWIND_SESSION:
        break;
    }
    return rewind->further != NULL;
}

static int want_old_node(struct rewind *rewind, const struct rewind_row *row, struct error *err)
{
    struct rows *rows =
        db_query(rewind->store->db, err, SQL_NODE_FIND, "is", rewind->session, row->node_id);
    struct rewind_node *node;
    int64_t key = -1 - (int64_t)rewind->node_count;
    int found;

    found = rows_next(rows, err);
    if (found < 0)
        return -1;
    if (found > 0)
        key = rows_int(rows, 0);
    rows_end(rows);
    return rewind_include_node(rewind, key, row->node_id, &node, err);
}

int rewind_include(struct rewind *rewind, const struct rewind_row *row, struct error *err)
{
    struct rewind_node *node;

    if (store_time_left(rewind->store, err) < 0)
        return -1;
    switch (row->entity) {
    case REWIND_NODE:
    case REWIND_COMPONENT:
        if (rewind_row_node(rewind, row))
            return 0;
        if (node_key(row) == 0)
            return want_old_node(rewind, row, err);
        return rewind_include_node(rewind, node_key(row), row->node_id, &node, err);
    case REWIND_RELATIONSHIP:
    case REWIND_NODE_MAP:
        return rewind_include_entry(rewind, row->entity, row->entity_id, err);
    case REWIND_SESSION:
        break;
    }
    return rewind_include_session(rewind, err);
}

/* ---- images of things, read from the database as it is now ---- */

void rewind_init(struct rewind *rewind, struct store *store, int64_t session)
{
    memset(rewind, 0, sizeof *rewind);
    rewind->store = store;
    rewind->session = session;
}

static void free_node(struct rewind_node *node)
{
    free(node->node_id);
    json_decref(node->node);
    sequence_finish(&node->sequence);
    free(node);
}

void rewind_finish(struct rewind *rewind)
{
    for (size_t i = 0; i < rewind->node_count; i++)
        free_node(rewind->nodes[i]);
    for (size_t i = 0; i < rewind->entry_count; i++) {
        free(rewind->entries[i]->id);
        json_decref(rewind->entries[i]->value);
        free(rewind->entries[i]);
    }
    free(rewind->nodes);
    free(rewind->entries);
    json_decref(rewind->places);
    json_decref(rewind->further);
    json_decref(rewind->title);
    memset(rewind, 0, sizeof *rewind);
}

/* A zeroed new element for one of the arrays of pointers. */
static void *create_element(size_t size, bool has_room, struct error *err)
{
    void *element = has_room ? calloc(1, size) : NULL;

    if (!element)
        error_set(err, ERROR_MEMORY, "out of memory for a past state");
    return element;
}

static int note_place(struct rewind *rewind, const char *text, size_t place, struct error *err)
{
    if (!rewind->places)
        rewind->places = json_object();
    if (json_object_set_new(rewind->places, text, json_integer((json_int_t)place)) < 0)
        return error_set(err, ERROR_MEMORY, "out of memory for a past state");
    return 0;
}

static int read_node(struct rewind *rewind, struct rewind_node *node, struct error *err)
{
    struct rows *rows = db_query(rewind->store->db, err, SQL_NODE_BY_KEY, "i", node->key);
    const char *created_at, *node_id;
    struct kept kept;
    int row;

    row = rows_next(rows, err);
    if (row <= 0)
        return row;
    node->found = true;
    kept = rows_kept(rows, 0);
    node->place = rows_int(rows, 3);
    node->rank = rows_int(rows, 8);
    node->revision = rows_int(rows, 4);
    node->flags = kept.flags & (ROW_NODE_COMPONENTS | ROW_NODE_TIMES);
    created_at = rows_text(rows, 5);
    text_cut(node->created_at, sizeof node->created_at, created_at);
    node_id = rows_text(rows, 7);
    if (node_id && !node->node_id)
        node->node_id = strdup(node_id);
    node->node = json_read(kept.body, kept.len, "a kept node", err);
    rows_end(rows);
    if (!node->node)
        return -1;
    return sequence_read(rewind->store, node->key, true, &node->sequence, err);
}

int rewind_include_node(struct rewind *rewind, int64_t key, const char *node_id,
                        struct rewind_node **node, struct error *err)
{
    char text[PLACE_KEY_CAP];

    *node = find_node(rewind, key);
    if (*node)
        return 0;
    *node = create_element(sizeof **node, ARRAY_ROOM(rewind->nodes, rewind->node_count), err);
    if (!*node)
        return -1;
    rewind->nodes[rewind->node_count++] = *node;
    snprintf(text, sizeof text, "%d/%" PRId64, (int)REWIND_NODE, key);
    if (note_place(rewind, text, rewind->node_count - 1, err) < 0)
        return -1;
    (*node)->key = key;
    (*node)->node_id = node_id ? strdup(node_id) : NULL;
    return key < 0 ? 0 : read_node(rewind, *node, err);
}

int rewind_include_entry(struct rewind *rewind, enum rewind_entity entity, const char *id,
                         struct error *err)
{
    struct db *db = rewind->store->db;
    struct rewind_entry *entry;
    struct rows *rows;
    struct row_text body;
    char text[PLACE_KEY_CAP];
    int row;

    if (find_entry(rewind, entity, id))
        return 0;
    entry = create_element(sizeof *entry, ARRAY_ROOM(rewind->entries, rewind->entry_count), err);
    if (!entry)
        return -1;
    rewind->entries[rewind->entry_count++] = entry;
    entry->entity = entity;
    entry->key = entry_key(entity, id);
    entry->id = strdup(id);
    if (!entry->id) {
        rewind->entry_count--;
        free(entry);
        return error_set(err, ERROR_MEMORY, "out of memory for a past state");
    }
    if (write_place_key(text, entity, id) &&
        note_place(rewind, text, rewind->entry_count - 1, err) < 0)
        return -1;
    rows = entity == REWIND_RELATIONSHIP
               ? db_query(db, err, SQL_RELATIONSHIP_BY_KEY, "ii", entry->key, rewind->session)
               : db_query(db, err, SQL_NODE_MAP_FIND, "is", rewind->session, id);
    row = rows_next(rows, err);
    if (row <= 0)
        return row;
    body = rows_string(rows, 0);
    entry->place = rows_int(rows, 1);
    entry->value = json_read(body.text, body.len, "a kept relationship or map entry", err);
    rows_end(rows);
    return entry->value ? 0 : -1;
}

int rewind_include_session(struct rewind *rewind, struct error *err)
{
    struct rows *rows;
    struct row_text text;

    if (rewind->further)
        return 0;
    rows = db_query(rewind->store->db, err, SQL_SESSION_BY_KEY, "i", rewind->session);
    if (rows_next(rows, err) <= 0)
        return -1;
    rewind->session_flags = (unsigned)rows_int(rows, 0);
    text = rows_string(rows, 1);
    rewind->further = json_read(text.text, text.len, "a kept session", err);
    rewind->title = json_string(rows_text(rows, 2));
    rows_end(rows);
    if (rewind->further && !rewind->title)
        return error_set(err, ERROR_MEMORY, "out of memory for a past state");
    return rewind->further ? 0 : -1;
}

/* ---- what each kind of row did, inverted: one function a kind, one table of all ---- */

/* The log and the database do not belong together: somebody wrote past the log. */
static int astray(const struct rewind_row *row, struct error *err)
{
    return error_set(err, ERROR_INTERNAL,
                     "the change log does not fit what is there: version %" PRId64 ", %s %s %s",
                     row->version, row->op_name, row->entity_name,
                     row->entity_id ? row->entity_id : "");
}

/* value as it was before the row, as a new reference. */
static json_t *led_back(const struct rewind_row *row, const json_t *value, struct error *err)
{
    const json_t *patch = json_object_get(row->before, "patch");
    json_t *whole = json_object_get(row->before, row->entity_name), *result;

    if (!patch && !whole) {
        astray(row, err);
        return NULL;
    }
    result = patch ? patch_apply(value, patch) : json_copy(whole);
    if (!result)
        error_set(err, ERROR_MEMORY, "out of memory for a past state");
    return result;
}

static int64_t number_of(const json_t *image, const char *key, int64_t otherwise)
{
    const json_t *value = json_object_get(image, key);

    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

/* ---- components ---- */

/* A row of the log's first form does not say it: all moves that do not follow from it had rows. */
static int read_shift(struct rewind *rewind, const struct rewind_row *row, bool *shift,
                      struct error *err)
{
    const json_t *image = row->before ? row->before : row->after;
    struct rows *rows;

    *shift = json_is_true(json_object_get(image, "shift"));
    if (json_object_get(image, "node"))
        return 0;
    rows =
        db_query(rewind->store->db, err, SQL_CHANGE_UNSHIFTED, "ii", rewind->session, row->version);
    if (rows_next(rows, err) <= 0)
        return -1;
    *shift = rows_int(rows, 0) == 0;
    rows_end(rows);
    return 0;
}

static struct sequence_item *item_of(const struct rewind *rewind, const struct rewind_row *row,
                                     struct error *err)
{
    struct rewind_node *node = rewind_row_node(rewind, row);
    struct sequence_item *item = node ? sequence_by_id(&node->sequence, row->entity_id) : NULL;

    if (!item)
        astray(row, err);
    return item;
}

static int component_inserted(struct rewind *rewind, const struct rewind_row *row,
                              struct error *err)
{
    struct sequence_item *item = item_of(rewind, row, err);
    bool shift;

    if (!item || read_shift(rewind, row, &shift, err) < 0)
        return -1;
    sequence_take_out(&rewind_row_node(rewind, row)->sequence, item, shift);
    return 0;
}

static void read_position(const json_t *image, struct row_order *order)
{
    const json_t *position = json_object_get(image, "position");

    if (!position) /* the log's first form */
        position = json_object_get(image, "order");
    if (json_is_integer(position))
        *order = (struct row_order){ORDER_INTEGER, json_integer_value(position), 0};
    else if (json_is_real(position))
        *order = (struct row_order){ORDER_REAL, 0, json_real_value(position)};
}

static int component_deleted(struct rewind *rewind, const struct rewind_row *row, struct error *err)
{
    json_t *content = json_object_get(row->before, "component");
    struct rewind_node *node = rewind_row_node(rewind, row);
    struct sequence_item item = {0};
    bool shift;

    if (!content || !node || sequence_by_id(&node->sequence, row->entity_id))
        return astray(row, err);
    if (read_shift(rewind, row, &shift, err) < 0)
        return -1;
    item.place = number_of(row->before, "place", 0);
    item.revision = number_of(row->before, "revision", 1);
    read_position(row->before, &item.order);
    if (item.order.kind == ORDER_UNKNOWN && !json_object_get(row->before, "position"))
        read_position(content, &item.order);
    text_cut(item.component_id, sizeof item.component_id, row->entity_id);
    item.flags = json_is_object(content) ? 0 : ROW_RAW;
    item.content = json_copy(content);
    if (sequence_put_in(&node->sequence, &item, shift, err) == 0)
        return 0;
    json_decref(item.content);
    return -1;
}

static int component_updated(struct rewind *rewind, const struct rewind_row *row, struct error *err)
{
    struct sequence_item *item = item_of(rewind, row, err);
    json_t *component = item ? led_back(row, item->content, err) : NULL;

    if (!component)
        return -1;
    json_decref(item->content);
    item->content = component;
    item_settle_order(item);
    return 0;
}

static int component_renumbered(struct rewind *rewind, const struct rewind_row *row,
                                struct error *err)
{
    struct sequence_item *item = item_of(rewind, row, err);
    json_t *component = json_object_get(row->before, "component");

    if (!item)
        return -1;
    item->place = number_of(row->before, "place", item->place);
    item->order.kind = ORDER_UNKNOWN;
    read_position(row->before, &item->order);
    if (component) {
        json_decref(item->content);
        item->content = json_copy(component);
    } else if (item->order.kind == ORDER_INTEGER) {
        item_set_orders(item->content, item->order.integer);
    }
    return 0;
}

/* ---- nodes ---- */

static int node_inserted(struct rewind *rewind, const struct rewind_row *row, struct error *err)
{
    struct rewind_node *node = rewind_row_node(rewind, row);

    if (!node || !node->node || node->sequence.count > 0)
        return astray(row, err);
    json_decref(node->node);
    node->node = NULL;
    return 0;
}

static int node_deleted(struct rewind *rewind, const struct rewind_row *row, struct error *err)
{
    struct rewind_node *node = rewind_row_node(rewind, row);
    const char *created_at = json_get_string(row->before, "created_at");

    if (!node || node->node)
        return astray(row, err);
    node->node = led_back(row, NULL, err);
    node->place = number_of(row->before, "place", 0);
    node->rank = number_of(row->before, "rank", 0);
    node->revision = number_of(row->before, "revision", 1);
    node->flags = (unsigned)number_of(row->before, "flags", ROW_NODE_COMPONENTS);
    text_cut(node->created_at, sizeof node->created_at, created_at);
    return node->node ? 0 : -1;
}

static int node_updated(struct rewind *rewind, const struct rewind_row *row, struct error *err)
{
    struct rewind_node *node = rewind_row_node(rewind, row);
    json_t *object;

    if (!node || !node->node)
        return astray(row, err);
    object = led_back(row, node->node, err);
    if (!object)
        return -1;
    json_decref(node->node);
    node->node = object;
    node->flags = (unsigned)number_of(row->before, "flags", node->flags);
    return 0;
}

static int node_touched(struct rewind *rewind, const struct rewind_row *row, struct error *err)
{
    struct rewind_node *node = rewind_row_node(rewind, row);

    if (!node || !node->node)
        return astray(row, err);
    node->flags = (unsigned)number_of(row->before, "flags", node->flags);
    return 0;
}

/* ---- the others ---- */

static int entry_changed(struct rewind *rewind, const struct rewind_row *row, struct error *err)
{
    struct rewind_entry *entry = rewind_row_entry(rewind, row);
    json_t *before = NULL;

    if (!entry || (entry->value == NULL) != (row->op == REWIND_DELETE))
        return astray(row, err);
    if (row->op != REWIND_INSERT) {
        before = led_back(row, entry->value, err);
        if (!before)
            return -1;
        entry->place = number_of(row->before, "place", entry->place);
    }
    json_decref(entry->value);
    entry->value = before;
    return 0;
}

static int session_updated(struct rewind *rewind, const struct rewind_row *row, struct error *err)
{
    json_t *title = json_object_get(row->before, "title"), *further;

    if (!json_object_get(row->before, "flags")) { /* the log's first form: the bare fields */
        further = json_incref(row->before);
        rewind->session_flags &= ~(unsigned)SESSION_RELATIONSHIPS;
    } else {
        further = led_back(row, rewind->further, err);
        rewind->session_flags &= ~(unsigned)SESSION_RELATIONSHIPS;
        rewind->session_flags |=
            (unsigned)number_of(row->before, "flags", 0) & SESSION_RELATIONSHIPS;
        if (further && title) {
            json_decref(rewind->title);
            rewind->title = json_incref(title);
        }
    }
    if (!further)
        return -1;
    json_decref(rewind->further);
    rewind->further = further;
    return 0;
}

static const struct {
    enum rewind_entity entity;
    enum rewind_op op;
    int (*invert)(struct rewind *rewind, const struct rewind_row *row, struct error *err);
} inverses[] = {
    {REWIND_COMPONENT, REWIND_INSERT, component_inserted},
    {REWIND_COMPONENT, REWIND_UPDATE, component_updated},
    {REWIND_COMPONENT, REWIND_DELETE, component_deleted},
    {REWIND_COMPONENT, REWIND_RENUMBER, component_renumbered},
    {REWIND_NODE, REWIND_INSERT, node_inserted},
    {REWIND_NODE, REWIND_UPDATE, node_updated},
    {REWIND_NODE, REWIND_DELETE, node_deleted},
    {REWIND_NODE, REWIND_TOUCH, node_touched},
    {REWIND_RELATIONSHIP, REWIND_INSERT, entry_changed},
    {REWIND_RELATIONSHIP, REWIND_UPDATE, entry_changed},
    {REWIND_RELATIONSHIP, REWIND_DELETE, entry_changed},
    {REWIND_NODE_MAP, REWIND_INSERT, entry_changed},
    {REWIND_NODE_MAP, REWIND_UPDATE, entry_changed},
    {REWIND_NODE_MAP, REWIND_DELETE, entry_changed},
    {REWIND_SESSION, REWIND_UPDATE, session_updated},
};

int rewind_invert(struct rewind *rewind, const struct rewind_row *row, struct error *err)
{
    for (size_t i = 0; i < sizeof inverses / sizeof inverses[0]; i++)
        if (inverses[i].entity == row->entity && inverses[i].op == row->op)
            return inverses[i].invert(rewind, row, err);
    return astray(row, err);
}

/* ---- what is there ---- */

json_t *rewind_component_value(const struct sequence_item *item)
{
    json_t *value = json_copy(item->content);

    json_object_set_new(value, "component_id", json_string(item->component_id));
    return value;
}

json_t *rewind_value(const struct rewind *rewind, const struct rewind_row *row)
{
    const struct rewind_entry *entry;
    const struct sequence_item *item;
    struct rewind_node *node;

    switch (row->entity) {
    case REWIND_NODE:
        node = rewind_row_node(rewind, row);
        return node ? json_incref(node->node) : NULL;
    case REWIND_COMPONENT:
        node = rewind_row_node(rewind, row);
        item = node ? sequence_by_id(&node->sequence, row->entity_id) : NULL;
        return item ? rewind_component_value(item) : NULL;
    case REWIND_RELATIONSHIP:
    case REWIND_NODE_MAP:
        entry = rewind_row_entry(rewind, row);
        return entry ? json_incref(entry->value) : NULL;
    case REWIND_SESSION:
        break;
    }
    return json_incref(rewind->further);
}
