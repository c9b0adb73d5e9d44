/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a service answers, rich or poor, in one form: what it gives by itself (session_id, ids of
 * components) taken out, times as RFC 3339, type and order under both their names. Pure. Each
 * returns a new reference; entries of lists that are no objects, or have no name, are left out.
 */
#ifndef LECTERN_SESSION_UPSTREAM_NORMAL_H
#define LECTERN_SESSION_UPSTREAM_NORMAL_H

#include <jansson.h>

/* NULL where the answer holds no such list: it is then no answer of the contract. */
json_t *normal_nodes(const json_t *answer);         /* {"nodes": [...]} or the bare list */
json_t *normal_relationships(const json_t *answer); /* "id" becomes text, where there is one */
json_t *normal_components(const json_t *answer);    /* {"components": [...]} or the bare list */
/* {"suggested_template", "overall_confidence"} of a sequence's answer, as far as they are there. */
json_t *normal_fields(const json_t *answer);
json_t *normal_node_map(const json_t *answer); /* the object by node ids */
json_t *normal_texts(const json_t *answer);    /* the four, as given */
/* {node_id: [components]} of the bulk read. */
json_t *normal_bulk(const json_t *answer);

/* What is sent of a component: without ids and doubled names. order: 1-based. */
json_t *normal_component_out(const json_t *component, size_t order);

#endif
