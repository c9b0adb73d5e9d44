/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A node's components as the service has them, into the copy. The service may know no ids, so which
 * is which is told by matching: first what is equal, then what stands at the same place with the
 * same type. Who finds a partner keeps id and revisions.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/entity.h"
#include "mcp/session/json_equivalent.h"
#include "mcp/store/copy.h"
#include "mcp/store/store_internal.h"

#define NOBODY ((size_t)-1)

static json_t *bare(const json_t *component)
{
    static const char *const keys[] = {"order", "order_index", "component_id", "revision"};
    json_t *copy = json_copy((json_t *)component);

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        json_object_del(copy, keys[i]);
    return copy;
}

/* Theirs with what ours has beside it; a new reference. */
static json_t *beside(const json_t *theirs, const json_t *ours)
{
    json_t *whole = json_copy((json_t *)theirs);
    json_auto_t *rest = bare(ours);

    json_object_del(rest, "parameters");
    json_object_update_missing(whole, rest);
    return whole;
}

static bool equal(const json_t *theirs, const json_t *ours)
{
    json_auto_t *whole = beside(theirs, ours);
    json_auto_t *old = bare(ours);

    return json_equivalent(whole, old);
}

static bool same_type(const json_t *theirs, const json_t *ours)
{
    const char *one = entity_component_type(theirs), *other = entity_component_type(ours);

    return one && other && !strcmp(one, other);
}

/* count: of theirs. partner[i]: the index in ours of theirs' i-th. taken: by index in ours. */
static void match(const json_t *theirs, size_t count, const struct sequence *ours, size_t *partner,
                  bool *taken)
{
    for (size_t i = 0; i < count; i++) {
        /* Where nothing moved the partner stands at the same place: no search. */
        for (size_t n = 0; partner[i] == NOBODY && n < ours->count; n++) {
            size_t at = (i + n) % ours->count;

            if (!taken[at] && ours->items[at].component &&
                equal(json_array_get(theirs, i), ours->items[at].component)) {
                partner[i] = at;
                taken[at] = true;
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (partner[i] == NOBODY && i < ours->count && !taken[i] && ours->items[i].component &&
            same_type(json_array_get(theirs, i), ours->items[i].component)) {
            partner[i] = i;
            taken[i] = true;
        }
    }
}

/* What the replacing is to write; *news: anything at all; *changed: more than keys that the service
 * added. */
static int fill_given(const json_t *theirs, const struct sequence *ours, struct given *given,
                      bool *news, bool *changed, struct error *err)
{
    size_t count = json_array_size(theirs);
    size_t *partner = malloc((count + 1) * sizeof *partner);
    bool *taken = calloc(ours->count + 1, sizeof *taken);

    if (!partner || !taken) {
        free(partner);
        free(taken);
        return error_set(err, ERROR_MEMORY, "out of memory for a node's components");
    }
    for (size_t i = 0; i < count; i++)
        partner[i] = NOBODY;
    match(theirs, count, ours, partner, taken);
    *changed = count != ours->components;
    *news = *changed;
    for (size_t i = 0; i < count; i++) {
        const struct sequence_item *item = partner[i] == NOBODY ? NULL : &ours->items[partner[i]];
        const json_t *one = json_array_get(theirs, i);

        given[i].order = (double)i + 1;
        given[i].place = i;
        given[i].component_id = item ? item->component_id : NULL;
        if (!item || partner[i] != i)
            *news = *changed = true;
        if (item && equal(one, item->component)) {
            given[i].component = bare(item->component);
            continue;
        }
        *news = true;
        if (!item) {
            given[i].component = json_copy((json_t *)one);
            continue;
        }
        given[i].component = beside(one, item->component);
        *changed = *changed || !json_equivalent(json_object_get(one, "parameters"),
                                                json_object_get(item->component, "parameters"));
    }
    free(partner);
    free(taken);
    return 0;
}

/* Theirs is put in order: the list may not be sorted. */
static int by_order(const void *a, const void *b)
{
    const json_t *one = *(json_t *const *)a, *other = *(json_t *const *)b;
    double left = json_number_value(json_object_get(one, "order"));
    double right = json_number_value(json_object_get(other, "order"));

    return left < right ? -1 : left > right;
}

static json_t *sorted(const json_t *theirs)
{
    size_t count = json_array_size(theirs);
    json_t **list = calloc(count + 1, sizeof(json_t *));
    json_t *result = json_array();

    for (size_t i = 0; list && i < count; i++)
        list[i] = json_array_get(theirs, i);
    if (list)
        qsort(list, count, sizeof(json_t *), by_order);
    for (size_t i = 0; list && i < count; i++)
        json_array_append_new(result, bare(list[i]));
    free(list);
    return result;
}

struct taking {
    const json_t *list;
    struct given *given;
    bool fill, adopt, news;
};

static int take(struct store *store, struct component_write *work, struct taking *taking,
                struct error *err)
{
    bool changed = false;

    if (fill_given(taking->list, &work->sequence, taking->given, &taking->news, &changed, err) != 0)
        return -1;
    work->write.silent = taking->fill || (taking->adopt && !changed);
    if (!taking->news)
        return 0;
    return sequence_replace(store, work, taking->given, json_array_size(taking->list), err);
}

/* A node that is not known here is passed over. */
static int take_into(struct store *store, const struct copy_source *source, const char *node_id,
                     struct taking *taking, struct error *err)
{
    const struct writer writer = {.who = COPY_WHO, .change_set = source->change_set};
    struct component_write work;
    struct error why = {0};
    int rc;

    if (store_component_write_begin(store, &writer, source->sid, node_id, &work, &why) != 0) {
        if (why.kind == ERROR_NOT_FOUND)
            return 0;
        if (err)
            *err = why;
        return -1;
    }
    rc = take(store, &work, taking, err);
    if (rc != 0 || taking->news)
        return store_component_write_end(store, &work, rc, err);
    sequence_finish(&work.sequence);
    return store_end(store, true, err); /* the session's version stays */
}

int copy_components(struct store *store, const struct copy_source *source, const char *node_id,
                    const json_t *theirs, struct error *err)
{
    json_auto_t *list = sorted(theirs);
    struct taking taking = {.list = list, .fill = source->fill};
    struct buf adopt BUF_AUTO = {0};
    int rc = -1, adopted;

    taking.given = calloc(json_array_size(list) + 1, sizeof *taking.given);
    if (!taking.given)
        return error_set(err, ERROR_MEMORY, "out of memory for a node's components");
    buf_init(&adopt, 0);
    buf_addf(&adopt, "sequence:%s", node_id);
    adopted = copy_name(store, source->sid, COPY_ADOPT, adopt.data, NULL, err);
    taking.adopt = adopted > 0;
    if (adopted >= 0)
        rc = take_into(store, source, node_id, &taking, err);
    if (rc == 0 && adopted > 0)
        rc = copy_set_name(store, source->sid, COPY_ADOPT, adopt.data, NULL, err);
    for (size_t i = 0; i < json_array_size(list); i++)
        json_decref(taking.given[i].component);
    free(taking.given);
    return rc;
}
