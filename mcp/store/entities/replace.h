/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Replaces a term in all texts of a curriculum.
 */
#ifndef LECTERN_STORE_ENTITIES_REPLACE_H
#define LECTERN_STORE_ENTITIES_REPLACE_H

#include <stddef.h>

#include <jansson.h>

#include "mcp/curriculum/replace_text.h"
#include "mcp/store/store.h"

#define REPLACE_PLACES_MAX 20000u /* in one call */

/* A text that was changed. The texts are borrowed for the call. */
struct replaced_text {
    const char *node_id, *title; /* of the node; NULL for a relationship */
    const char *component_id;    /* NULL: a text of the node itself, or of a relationship */
    const char *type;            /* of the component, or of the relationship */
    long order;                  /* of the component */
    const char *from, *to;       /* the ends of the relationship */
    const char *path;            /* in it: "title", "steps.2" */
    const char *before, *after;
};
typedef int store_replaced_fn(void *user, const struct replaced_text *text, struct error *err);

struct replacing {
    const struct replacement *replacement;
    /* NULL: everywhere. "titles" of nodes, a component type, or a field such as "definition". */
    const char *in;
    const json_t *node_ids;   /* [id, ...], only these nodes and no relationships; or NULL */
    long expected;            /* places, else ERROR_STALE; -1: not checked */
    store_replaced_fn *visit; /* called for each text; may be NULL */
    void *user;
};
struct replaced {
    struct replacement_counts counts;
    size_t components, node_texts, relationships; /* that were changed */
    size_t nodes;                                 /* that these are in */
};
/* Replaces a term in the titles, texts and components of the nodes and in the explanations of the
 * relationships. ERROR_INVALID if a result breaks the rules that its text kept before, with the
 * place. */
int store_replace(struct store *store, const struct writer *writer, const char *sid,
                  const struct replacing *replacing, struct replaced *replaced, struct error *err);

#endif
