/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is otherwise at one version than at another: two images of all that was changed in between,
 * rewound to the one and to the other, and compared thing by thing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/store/rewind.h"

struct comparing {
    struct rewind early, late; /* the same things in both */
    bool backwards;            /* from is the later one */
    struct buf *json;
    size_t total;
};

static int want(struct comparing *work, const struct rewind_row *row, struct error *err)
{
    return rewind_want(&work->early, row, err) != 0 || rewind_want(&work->late, row, err) != 0 ? -1
                                                                                               : 0;
}

static int rewind_by(struct comparing *work, int64_t early, int64_t late, struct error *err)
{
    struct store *store = work->early.store;
    struct rows *rows;
    int found, rc = 0;

    rows = db_query(store->db, err, SQL_CHANGE_WALK, "ii", work->early.session, early);
    while (rc == 0 && (found = rows_next(rows, err)) != 0) {
        struct rewind_row row = {0};

        rc = found < 0 ? -1 : rewind_row_read(rows, &row, err);
        if (rc == 0)
            rc = want(work, &row, err);
        if (rc == 0 && row.version > late)
            rc = rewind_invert(&work->late, &row, err);
        if (rc == 0)
            rc = rewind_invert(&work->early, &row, err);
        rewind_row_finish(&row);
    }
    rows_end(rows);
    return rc;
}

static void add_text(struct buf *json, const char *key, const char *text)
{
    buf_addf(json, "\"%s\":", key);
    if (text)
        json_write_string(json, text, strlen(text));
    else
        buf_adds(json, "null");
}

static void add(struct comparing *work, const char *entity, const char *entity_id,
                const char *node_id, const json_t *early, const json_t *late)
{
    const json_t *sides[] = {work->backwards ? late : early, work->backwards ? early : late};
    static const char *const keys[] = {",\"before\":", ",\"after\":"};
    struct buf *json = work->json;

    buf_adds(json, work->total++ > 0 ? ",\n{" : "{");
    add_text(json, "entity", entity);
    buf_addc(json, ',');
    add_text(json, "entity_id", entity_id);
    buf_addc(json, ',');
    add_text(json, "node_id", node_id);
    for (size_t i = 0; i < 2; i++) {
        buf_adds(json, keys[i]);
        if (sides[i])
            json_write(json, sides[i]);
        else
            buf_adds(json, "null");
    }
    buf_addc(json, '}');
}

static bool same(const json_t *one, const json_t *other)
{
    return one == other || (one && other && json_equal((json_t *)one, (json_t *)other));
}

static void add_item(struct comparing *work, const struct rewind_node *node,
                     const struct sequence_item *early, const struct sequence_item *late)
{
    json_auto_t *before = early ? rewind_component_value(early) : NULL;
    json_auto_t *after = late ? rewind_component_value(late) : NULL;

    add(work, "component", (early ? early : late)->component_id, node->node_id, before, after);
}

/* An order that follows from what comes and goes is no difference; one that was chosen is. */
static void compare_components(struct comparing *work, struct rewind_node *early,
                               struct rewind_node *late)
{
    bool same_order = rewind_same_order(&early->sequence, &late->sequence); /* sorts both */

    for (size_t i = 0; i < early->sequence.count; i++) {
        const struct sequence_item *was = &early->sequence.items[i];
        const struct sequence_item *is = rewind_item(&late->sequence, was->component_id);

        if (!is || !rewind_same_component(was, is) ||
            (!same_order && item_order(was) != item_order(is)))
            add_item(work, early, was, is);
    }
    for (size_t i = 0; i < late->sequence.count; i++)
        if (!rewind_item(&early->sequence, late->sequence.items[i].component_id))
            add_item(work, late, NULL, &late->sequence.items[i]);
}

static void compare(struct comparing *work)
{
    const struct rewind *early = &work->early, *late = &work->late;

    for (size_t i = 0; i < early->node_count; i++) {
        struct rewind_node *was = early->nodes[i], *is = late->nodes[i];

        if (!same(was->node, is->node))
            add(work, "node", was->node_id, was->node_id, was->node, is->node);
        compare_components(work, was, is);
    }
    for (size_t i = 0; i < early->relationship_count; i++) {
        const json_t *was = early->relationships[i]->relationship;
        const json_t *is = late->relationships[i]->relationship;
        char id[32];

        snprintf(id, sizeof id, "%" PRId64, early->relationships[i]->key);
        if (!same(was, is))
            add(work, "relationship", id, NULL, was, is);
    }
    for (size_t i = 0; i < early->position_count; i++) {
        const struct rewind_position *was = early->positions[i], *is = late->positions[i];

        if (!same(was->position, is->position))
            add(work, "position", was->node_id, was->node_id, was->position, is->position);
    }
    if (!same(early->further, late->further))
        add(work, "session", NULL, NULL, early->further, late->further);
}

static int check_version(const char *name, int64_t version, int64_t first, int64_t last,
                         struct error *err)
{
    if (version >= first && version <= last)
        return 0;
    return error_set_at(err, name,
                        "%s: version %" PRId64 " is not kept; send %" PRId64
                        " (where this session's history begins) to %" PRId64 " (now)",
                        name, version, first, last);
}

static int read_difference(struct store *store, const char *sid, int64_t from, int64_t to,
                           struct buf *json, struct error *err)
{
    struct comparing work = {.backwards = from > to, .json = json};
    struct session_found session;
    int64_t first;
    int rc;

    if (store_session_find(store, sid, &session, err) != 0 ||
        store_first_version(store, session.key, &first, err) != 0 ||
        check_version("from", from, first, session.version, err) != 0 ||
        check_version("to", to, first, session.version, err) != 0)
        return -1;
    rewind_init(&work.early, store, session.key);
    rewind_init(&work.late, store, session.key);
    buf_addf(json,
             "{\"session_id\":\"%s\",\"from\":%" PRId64 ",\"to\":%" PRId64 ",\"differences\":[",
             session.sid, from, to);
    rc = rewind_by(&work, work.backwards ? to : from, work.backwards ? from : to, err);
    if (rc == 0)
        compare(&work);
    rewind_finish(&work.early);
    rewind_finish(&work.late);
    buf_addf(json, "],\"total\":%zu}", work.total);
    return rc == 0 ? buf_check(json, "the difference", err) : -1;
}

int store_read_difference(struct store *store, const char *sid, int64_t from, int64_t to,
                          struct buf *json, struct error *err)
{
    if (store_refresh(store, UPSTREAM_ALL | UPSTREAM_PASS_OVER, sid, NULL, err) != 0)
        return -1;
    if (store_read_begin(store, err) != 0)
        return -1;
    return store_read_end(store, read_difference(store, sid, from, to, json, err));
}
