/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Creating relationships: one, with the cycle that it closes, or many, all or none.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/entity.h"
#include "helpers/base/validation.h"
#include "mcp/store/sqlite_store.h"

static int create(struct sqlite_store *store, const struct write *write, const json_t *relationship,
                  struct relationship_state *state, struct error *err)
{
    const char *from = json_get_string(relationship, "from_node_id");
    const char *to = json_get_string(relationship, "to_node_id");
    const char *type = json_get_string(relationship, "relationship_type");
    struct node_found from_node, to_node;
    int64_t same;
    int there;

    if (sqlite_node_find(store, write->session, from, &from_node, err) != 0)
        return error_wrap(err, "from_node_id");
    if (sqlite_node_find(store, write->session, to, &to_node, err) != 0)
        return error_wrap(err, "to_node_id");
    there = sqlite_relationship_same(store, write->session, from, to, type, 0, &same, err);
    if (there > 0)
        return sqlite_relationship_repeat(store, write->session, same, err);
    if (there != 0 ||
        (strstr(type, "PREREQUISITE") &&
         sqlite_prerequisite_path(store, write->session, to, from, &state->cycle, err) != 0) ||
        sqlite_relationship_insert(store, write, relationship, &state->id, err) != 0)
        return -1;
    text_cut(state->type, sizeof state->type, type);
    text_cut(state->from_title, sizeof state->from_title, from_node.title);
    text_cut(state->to_title, sizeof state->to_title, to_node.title);
    return 0;
}

int sqlite_relationship_create(struct store *base, const struct writer *writer, const char *sid,
                               const json_t *input, struct relationship_state *state,
                               struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    struct relationship_state made = {0};
    json_auto_t *relationship = NULL;
    struct write write;
    int rc = -1;

    if (sqlite_write_begin_session(store, writer, sid, &write, err) != 0)
        return -1;
    relationship = entity_relationship(input, "", false, write.who, write.now, err);
    if (relationship)
        rc = create(store, &write, relationship, &made, err);
    rc = sqlite_write_end(store, &write, rc, err);
    if (rc == 0 && state)
        *state = made;
    else
        json_decref(made.cycle);
    return rc;
}

/* ---- many at once ---- */

struct bulk {
    struct validation_errors problems;
    size_t wrong;     /* those of problems that are no repeats */
    json_t *checked;  /* owned; array */
    json_t *seen;     /* owned; what was checked so far by ends and type, as its number */
    size_t looked_up; /* unknown nodes that got the nearest named: it takes a while */
};

static int check_end(struct sqlite_store *store, int64_t session, const json_t *input, size_t index,
                     const char *name, const char *brief, const char *node_id, struct bulk *bulk,
                     struct error *err)
{
    const char *spelled = json_object_get(input, name) ? name : brief;
    struct error found = {0};
    struct node_found node;
    char field[ERROR_LOC_CAP];
    int64_t twins;

    if (sqlite_number(store, SQL_NODE_TWINS, session, node_id, &twins, err) != 0)
        return -1;
    if (twins > 0)
        return 0;
    snprintf(field, sizeof field, "relationships.%zu.%s", index, spelled);
    bulk->wrong++;
    if (bulk->looked_up++ < VALIDATION_SHOWN_CAP)
        sqlite_node_find(store, session, node_id, &node, &found);
    validation_add(&bulk->problems, field, "%s", *found.text ? found.text : "is no node");
    return 0;
}

/* A repeat of one that is there, or of one of the same call. */
static int check_repeat(struct sqlite_store *store, int64_t session, const json_t *relationship,
                        size_t index, struct bulk *bulk, struct error *err)
{
    const char *from = json_get_string(relationship, "from_node_id");
    const char *to = json_get_string(relationship, "to_node_id");
    const char *type = json_get_string(relationship, "relationship_type");
    struct buf key BUF_AUTO = {0};
    char field[ERROR_LOC_CAP];
    const json_t *earlier;
    int64_t same;
    int there = sqlite_relationship_same(store, session, from, to, type, 0, &same, err);

    if (there < 0)
        return -1;
    snprintf(field, sizeof field, "relationships.%zu", index);
    buf_addf(&key, "%s\n%s\n%s", from, to, type); /* ids hold no control characters */
    if (buf_check(&key, "a relationship", err) != 0)
        return -1;
    earlier = json_object_get(bulk->seen, key.data);
    if (there > 0)
        validation_add(&bulk->problems, field,
                       "there is already a %s from %s to %s (relationship %" PRId64 ")", type, from,
                       to, same);
    else if (earlier)
        validation_add(&bulk->problems, field,
                       "repeats relationships.%" JSON_INTEGER_FORMAT ", a %s from %s to %s",
                       json_integer_value(earlier), type, from, to);
    else if (json_object_set_new(bulk->seen, key.data, json_integer((json_int_t)index)) != 0)
        return error_set(err, ERROR_MEMORY, "out of memory for relationships");
    return 0;
}

static int check_item(struct sqlite_store *store, const struct write *write, const json_t *input,
                      size_t index, struct bulk *bulk, struct error *err)
{
    struct validation_errors each;
    struct error found = {.list = validation_begin(&each, "")};
    size_t wrong = bulk->wrong;
    json_t *relationship;
    char loc[64];

    snprintf(loc, sizeof loc, "relationships.%zu", index);
    relationship = entity_relationship(input, loc, true, write->who, write->now, &found);
    if (!relationship) {
        validation_take(&bulk->problems, &found);
        bulk->wrong++;
        return 0;
    }
    if (json_array_append_new(bulk->checked, relationship) != 0)
        return error_set(err, ERROR_MEMORY, "out of memory for relationships");
    if (check_end(store, write->session, input, index, "from_node_id", "from",
                  json_get_string(relationship, "from_node_id"), bulk, err) != 0 ||
        check_end(store, write->session, input, index, "to_node_id", "to",
                  json_get_string(relationship, "to_node_id"), bulk, err) != 0)
        return -1;
    return wrong < bulk->wrong
               ? 0
               : check_repeat(store, write->session, relationship, index, bulk, err);
}

static int create_all(struct sqlite_store *store, const struct write *write, const json_t *input,
                      struct bulk *bulk, struct error *err)
{
    size_t count = json_array_size(input);
    int64_t key;

    if (!json_is_array(input))
        return error_set_at(err, "relationships",
                            "relationships: send an array of {from, to, type, explanation}");
    if (count > RELATIONSHIPS_BATCH_MAX)
        return error_set_at(err, "relationships",
                            "relationships: %zu are too many at once, send %d at most", count,
                            RELATIONSHIPS_BATCH_MAX);
    if (!bulk->checked || !bulk->seen)
        return error_set(err, ERROR_MEMORY, "out of memory for relationships");
    for (size_t i = 0; i < count; i++)
        if (check_item(store, write, json_array_get(input, i), i, bulk, err) != 0)
            return -1;
    if (validation_end(&bulk->problems, "Nothing was written", err) != 0) {
        if (err && bulk->wrong == 0)
            err->kind = ERROR_CONFLICT;
        return -1;
    }
    for (size_t i = 0; i < count; i++)
        if (sqlite_relationship_insert(store, write, json_array_get(bulk->checked, i), &key, err) !=
            0)
            return -1;
    return 0;
}

int sqlite_relationships_create(struct store *base, const struct writer *writer, const char *sid,
                                const json_t *input, size_t *created, struct error *err)
{
    struct sqlite_store *store = sqlite_of(base);
    struct bulk bulk = {.wrong = 0};
    struct write write;
    int rc;

    if (sqlite_write_begin_session(store, writer, sid, &write, err) != 0)
        return -1;
    validation_begin(&bulk.problems, "");
    bulk.checked = json_array();
    bulk.seen = json_object();
    rc = create_all(store, &write, input, &bulk, err);
    json_decref(bulk.checked);
    json_decref(bulk.seen);
    rc = sqlite_write_end(store, &write, rc, err);
    if (rc == 0 && created)
        *created = json_array_size(input);
    return rc;
}
