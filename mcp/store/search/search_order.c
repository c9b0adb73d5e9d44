/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lessons of a session as answers are sorted: in teaching order (helpers/graph/order.h), by
 * their words, by their last change.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/array.h"
#include "helpers/base/cleanup.h"
#include "helpers/graph/order.h"
#include "mcp/store/search/find.h"
#include "mcp/store/search/search_internal.h"

#define NO_PLACE UINT32_MAX

struct edge {
    uint32_t from, to; /* places of lessons; `to` needs `from` */
    bool leads;        /* LEADS_TO, which counts where a curriculum has no prerequisite */
};

struct ordering {
    struct search_lessons *lessons;
    uint32_t *by_id; /* places of the lessons, sorted by their ids */
    struct edge *edges;
    size_t edge_count;
    bool has_prerequisites;
};

static int compare_ids(const void *a, const void *b, void *user)
{
    const struct search_lesson *rows = user;
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    int order = strcmp(rows[one].node_id, rows[other].node_id);

    return order != 0 ? order : one < other ? -1 : one > other;
}

static uint32_t find_id(const struct ordering *ordering, const char *id)
{
    size_t from = 0, to = ordering->lessons->count;

    while (id && from < to) {
        size_t middle = (from + to) / 2;
        uint32_t place = ordering->by_id[middle];
        int order = strcmp(ordering->lessons->rows[place].node_id, id);

        if (order == 0)
            return place;
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return NO_PLACE;
}

static int read_edges(struct ordering *ordering, struct store *store, int64_t session,
                      struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_RELATIONSHIP_LIST, "i", session);
    int row;

    while ((row = rows_next(rows, err)) > 0) {
        const char *type = rows_text(rows, 5);
        struct edge edge = {find_id(ordering, rows_text(rows, 3)),
                            find_id(ordering, rows_text(rows, 4)),
                            type && strcmp(type, "LEADS_TO") == 0};
        bool needs = type && strstr(type, "PREREQUISITE");

        if (needs)
            ordering->has_prerequisites = true;
        if ((unsigned)rows_int(rows, 1) & ROW_RAW || (!needs && !edge.leads) ||
            edge.from == NO_PLACE || edge.to == NO_PLACE || edge.from == edge.to)
            continue;
        if (!ARRAY_ROOM(ordering->edges, ordering->edge_count)) {
            rows_end(rows);
            return error_set(err, ERROR_MEMORY, "out of memory for the teaching order");
        }
        ordering->edges[ordering->edge_count++] = edge;
    }
    return row;
}

static int compare_edges(const void *a, const void *b)
{
    const struct edge *one = a, *other = b;

    if (one->to != other->to)
        return one->to < other->to ? -1 : 1;
    return one->from < other->from ? -1 : one->from > other->from;
}

static void drop_other_edges(struct ordering *ordering)
{
    size_t kept = 0;

    for (size_t i = 0; i < ordering->edge_count; i++) {
        if (ordering->edges[i].leads != ordering->has_prerequisites)
            ordering->edges[kept++] = ordering->edges[i];
    }
    ordering->edge_count = kept;
}

static int rank_all(struct ordering *ordering, struct error *err)
{
    size_t n = ordering->lessons->count;
    cleanup_free size_t *start = calloc(n + 1, sizeof *start);
    cleanup_free uint32_t *needs = calloc(ordering->edge_count + 1, sizeof *needs);
    struct graph_order *order;

    if (!start || !needs)
        return error_set(err, ERROR_MEMORY, "out of memory for the teaching order");
    drop_other_edges(ordering);
    if (ordering->edge_count > 0)
        qsort(ordering->edges, ordering->edge_count, sizeof *ordering->edges, compare_edges);
    for (size_t i = 0; i < ordering->edge_count; i++) {
        needs[i] = ordering->edges[i].from;
        start[ordering->edges[i].to + 1]++;
    }
    for (size_t i = 0; i < n; i++)
        start[i + 1] += start[i];
    order = graph_order_create((uint32_t)n, start, needs, NULL, err);
    if (!order)
        return -1;
    for (size_t i = 0; i < n; i++)
        ordering->lessons->rows[order->nodes[i]].rank = i;
    graph_order_destroy(order);
    return 0;
}

static int put_in_order(struct search_lessons *lessons, struct store *store, int64_t session,
                        struct error *err)
{
    struct ordering ordering = {.lessons = lessons};
    int rc = -1;

    ordering.by_id = malloc((lessons->count + 1) * sizeof *ordering.by_id);
    if (ordering.by_id) {
        for (size_t i = 0; i < lessons->count; i++)
            ordering.by_id[i] = (uint32_t)i;
        qsort_r(ordering.by_id, lessons->count, sizeof *ordering.by_id, compare_ids, lessons->rows);
        rc = read_edges(&ordering, store, session, err) < 0 ? -1 : rank_all(&ordering, err);
    } else {
        error_set(err, ERROR_MEMORY, "out of memory for the teaching order");
    }
    free(ordering.by_id);
    free(ordering.edges);
    return rc;
}

/* ---- the lessons ---- */

static int read_rows(struct search_lessons *lessons, struct store *store, int64_t session,
                     struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_SEARCH_LESSONS, "i", session);
    size_t at = 0;
    int row;

    while ((row = rows_next(rows, err)) > 0) {
        const char *id = rows_text(rows, 1);

        if (!ARRAY_ROOM(lessons->rows, lessons->count)) {
            rows_end(rows);
            return error_set(err, ERROR_MEMORY, "out of memory for the lessons");
        }
        lessons->rows[lessons->count++] = (struct search_lesson){.key = rows_int(rows, 0)};
        buf_add(&lessons->strings, id ? id : "", id ? strlen(id) + 1 : 1);
        buf_add(&lessons->strings, rows_text(rows, 2), strlen(rows_text(rows, 2)) + 1);
    }
    if (row < 0 || buf_check(&lessons->strings, "the lessons", err) < 0)
        return -1;
    for (size_t i = 0; i < lessons->count; i++) {
        lessons->rows[i].rank = i;
        lessons->rows[i].node_id = lessons->strings.data + at;
        at += strlen(lessons->rows[i].node_id) + 1;
        lessons->rows[i].changed = lessons->strings.data + at;
        at += strlen(lessons->rows[i].changed) + 1;
    }
    return 0;
}

static int count_words(struct search_lessons *lessons, struct store *store, struct error *err)
{
    for (size_t i = 0; i < lessons->count; i++) {
        int64_t first = lessons->rows[i].key << 31;

        if (db_number(store->db, &lessons->rows[i].words, err, SQL_SEARCH_LESSON_WORDS, "ii", first,
                      search_row_last(first)) < 0)
            return -1;
    }
    return 0;
}

static int compare_keys(const void *a, const void *b)
{
    const struct search_lesson *one = a, *other = b;

    return one->key < other->key ? -1 : one->key > other->key;
}

int search_lessons_read(struct search_lessons *lessons, struct store *store, int64_t session,
                        enum find_sort sort, struct error *err)
{
    *lessons = (struct search_lessons){0};
    if (read_rows(lessons, store, session, err) < 0 ||
        (sort == FIND_ORDER && put_in_order(lessons, store, session, err) < 0) ||
        (sort == FIND_WORDS && count_words(lessons, store, err) < 0)) {
        search_lessons_finish(lessons);
        return -1;
    }
    if (lessons->count > 1)
        qsort(lessons->rows, lessons->count, sizeof *lessons->rows, compare_keys);
    return 0;
}

void search_lessons_finish(struct search_lessons *lessons)
{
    free(lessons->rows);
    buf_finish(&lessons->strings);
    *lessons = (struct search_lessons){0};
}

const struct search_lesson *search_lesson(const struct search_lessons *lessons, int64_t key)
{
    const struct search_lesson wanted = {.key = key};

    return lessons->count == 0 ? NULL
                               : bsearch(&wanted, lessons->rows, lessons->count,
                                         sizeof *lessons->rows, compare_keys);
}
