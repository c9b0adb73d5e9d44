/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Converts the answers of any service to one form: without what it adds itself (session_id, ids of
 * components), times as RFC 3339, type and order under both names. Pure. Each returns a new
 * reference; entries of lists that are not objects, or have no name, are omitted.
 */
#ifndef LECTERN_MIRROR_NORMAL_H
#define LECTERN_MIRROR_NORMAL_H

#include <jansson.h>

/* NULL if the answer has no such list, and so violates the contract. */
json_t *normal_nodes(const json_t *answer);         /* {"nodes": [...]} or the bare list */
json_t *normal_relationships(const json_t *answer); /* "id" becomes a string, if present */
json_t *normal_components(const json_t *answer);    /* {"components": [...]} or the bare list */
/* {"suggested_template", "overall_confidence"} from the answer of a sequence, if present. */
json_t *normal_fields(const json_t *answer);
json_t *normal_node_map(const json_t *answer); /* the object by node ids */
json_t *normal_texts(const json_t *answer);    /* the four, unchanged */
/* {node_id: [components]} of the bulk read. */
json_t *normal_bulk(const json_t *answer);

/* The form in which a component is sent: without ids and duplicate names. order is 1-based. */
json_t *normal_component_out(const json_t *component, size_t order);

#endif
