/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lessons of a session as answers are sorted: in teaching order (what must be known before
 * comes before, otherwise in the order of the nodes), by their words, by their last change.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/cleanup.h"
#include "mcp/store/search_internal.h"

#define NO_RANK SIZE_MAX

struct edge {
    size_t from, to;
};

struct ordering {
    struct search_lessons *lessons;
    size_t *by_id; /* places of the lessons, sorted by their ids */
    struct edge *edges;
    size_t edge_count;
};

static int compare_ids(const void *a, const void *b, void *user)
{
    const struct search_lesson *rows = user;
    size_t one = *(const size_t *)a, other = *(const size_t *)b;
    int order = strcmp(rows[one].node_id, rows[other].node_id);

    return order != 0 ? order : one < other ? -1 : one > other;
}

static size_t find_id(const struct ordering *ordering, const char *id)
{
    size_t from = 0, to = ordering->lessons->count;

    while (id && from < to) {
        size_t middle = (from + to) / 2, place = ordering->by_id[middle];
        int order = strcmp(ordering->lessons->rows[place].node_id, id);

        if (order == 0)
            return place;
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return NO_RANK;
}

static int read_edges(struct ordering *ordering, struct store *store, int64_t session,
                      struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_RELATIONSHIP_LIST, "i", session);
    size_t room = 0;
    int row;

    while ((row = rows_next(rows, err)) > 0) {
        const char *type = rows_text(rows, 5);
        struct edge edge = {find_id(ordering, rows_text(rows, 3)),
                            find_id(ordering, rows_text(rows, 4))};

        if ((unsigned)rows_int(rows, 1) & ROW_RAW || !type || !strstr(type, "PREREQUISITE") ||
            edge.from == NO_RANK || edge.to == NO_RANK || edge.from == edge.to)
            continue;
        if (ordering->edge_count == room) {
            struct edge *more;

            room = room > 0 ? room * 2 : 256;
            more = realloc(ordering->edges, room * sizeof *more);
            if (!more) {
                rows_end(rows);
                return error_set(err, ERROR_MEMORY, "out of memory for the teaching order");
            }
            ordering->edges = more;
        }
        ordering->edges[ordering->edge_count++] = edge;
    }
    return row;
}

static int compare_from(const void *a, const void *b)
{
    const struct edge *one = a, *other = b;

    return one->from < other->from ? -1 : one->from > other->from;
}

/* A heap of places, the least on top. */
static void heap_push(size_t *heap, size_t *count, size_t place)
{
    size_t at = (*count)++;

    for (; at > 0 && heap[(at - 1) / 2] > place; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = place;
}

static size_t heap_pop(size_t *heap, size_t *count)
{
    size_t top = heap[0], last = heap[--*count], at = 0;

    for (size_t next = 1; next < *count; next = at * 2 + 1) {
        if (next + 1 < *count && heap[next + 1] < heap[next])
            next++;
        if (last <= heap[next])
            break;
        heap[at] = heap[next];
        at = next;
    }
    heap[at] = last;
    return top;
}

/* The first lesson of what is left in a cycle goes as if it needed nothing more. */
static int rank_all(struct ordering *ordering, struct error *err)
{
    size_t n = ordering->lessons->count, waiting = 0, ranked = 0, stuck = 0;
    struct search_lesson *rows = ordering->lessons->rows;
    cleanup_free size_t *memory = calloc(3 * n + 1, sizeof *memory);
    size_t *needs, *first, *heap;

    if (!memory)
        return error_set(err, ERROR_MEMORY, "out of memory for the teaching order");
    needs = memory;
    first = needs + n; /* n + 1 of them */
    heap = first + n + 1;
    qsort(ordering->edges, ordering->edge_count, sizeof *ordering->edges, compare_from);
    for (size_t i = 0, edge = 0; i <= n; i++) {
        while (edge < ordering->edge_count && ordering->edges[edge].from < i)
            edge++;
        first[i] = edge;
    }
    for (size_t i = 0; i < ordering->edge_count; i++)
        needs[ordering->edges[i].to]++;
    for (size_t i = 0; i < n; i++) {
        rows[i].rank = NO_RANK;
        if (needs[i] == 0)
            heap_push(heap, &waiting, i);
    }
    while (ranked < n) {
        size_t at;

        while (waiting == 0 && rows[stuck].rank != NO_RANK)
            stuck++;
        at = waiting > 0 ? heap_pop(heap, &waiting) : stuck;
        if (rows[at].rank != NO_RANK)
            continue;
        rows[at].rank = ranked++;
        for (size_t edge = first[at]; edge < first[at + 1]; edge++) {
            size_t to = ordering->edges[edge].to;

            if (needs[to] > 0 && --needs[to] == 0 && rows[to].rank == NO_RANK)
                heap_push(heap, &waiting, to);
        }
    }
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
            ordering.by_id[i] = i;
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
    size_t room = 0, at = 0;
    int row;

    while ((row = rows_next(rows, err)) > 0) {
        const char *id = rows_text(rows, 1);

        if (lessons->count == room) {
            struct search_lesson *more;

            room = room > 0 ? room * 2 : 64;
            more = realloc(lessons->rows, room * sizeof *more);
            if (!more) {
                rows_end(rows);
                return error_set(err, ERROR_MEMORY, "out of memory for the lessons");
            }
            lessons->rows = more;
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
