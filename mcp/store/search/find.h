/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds lessons by their words, and reads one lesson as a reader sees it.
 */
#ifndef LECTERN_STORE_SEARCH_FIND_H
#define LECTERN_STORE_SEARCH_FIND_H

#include <stddef.h>

#include "helpers/base/buf.h"
#include "mcp/store/store.h"

#define FIND_TEXT_MAX   1000 /* bytes */
#define FIND_LIMIT_MAX  200
#define FIND_OFFSET_MAX 100000
enum find_sort { FIND_ANY, FIND_BEST, FIND_ORDER, FIND_WORDS, FIND_CHANGED };
/* Texts are NULL if not asked for. */
struct find_request {
    const char *text;    /* words, "phrases in quotes" */
    const char *in;      /* "titles", "links", a component type, a parameter; with node_id "all" */
    const char *without; /* a component type, a relationship type, "links", a field: which the
                            lessons must lack */
    const char *only;    /* the one session that the reader may know of, or NULL */
    const char *node_id; /* of a lesson: to read it, or to look only there */
    enum find_sort sort; /* FIND_ANY: best with text, else in teaching order */
    size_t limit;        /* 1 to FIND_LIMIT_MAX */
    size_t offset;       /* hits that are left out first, up to FIND_OFFSET_MAX */
};
/* Appends {"session_id", "total", "more", "hits": [{"node_id", "title", "component_order",
 * "component_type", "component_id", "field", "text" (the words around, those of the request in
 * brackets), "places" (of the lesson that have words), "words", "last_modified"}]}. more: total is
 * a lower bound. Without text and with node_id: {"session_id", "node_id", "title", "chapter" (if
 * the lesson has the field), "words", "components": [{"component_order", "component_type",
 * "component_id", "revision", "words", and "text" (its beginning) or "parameters" (drawings as
 * "svg, 2.1 kB")}], and if it has some "links" as store_links describes them}. */
int store_find(struct store *store, const char *sid, const struct find_request *request,
               struct buf *json, struct error *err);

/* From now on most words of a large write enter the index of the search after its commit, in calls
 * of store_index_step. No effect if a service is the system of record. */
void store_index_later(struct store *store);
/* Puts some of them into the index, in a transaction of its own. Returns 1 if there may be more, 0
 * if there are none, -1 with err. Must not be called between store_begin and store_end. */
int store_index_step(struct store *store, struct error *err);

#endif
