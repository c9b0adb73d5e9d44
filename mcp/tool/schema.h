/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pieces of JSON Schema that several tools share. Every word here is paid for in each client's
 * context: keep them few.
 */
#ifndef LECTERN_TOOL_SCHEMA_H
#define LECTERN_TOOL_SCHEMA_H

#include "helpers/base/buf.h"

#define SCHEMA_SESSION "\"session_id\":{\"type\":\"string\"}"
#define SCHEMA_NODE    "\"node_id\":{\"type\":\"string\"}"
#define SCHEMA_COMPONENT                                                                           \
    "\"component_order\":{\"type\":\"integer\",\"minimum\":1},\"component_id\":{\"type\":"         \
    "\"string\"}"
#define SCHEMA_REVISION "\"expected_revision\":{\"type\":\"integer\"}"
/* The same call sent again with the same key is done once. */
#define SCHEMA_KEY "\"idempotency_key\":{\"type\":\"string\"}"

/* {"type":"string","enum":[...]} of the component types, and of the relationship types. */
void schema_component_types(struct buf *to);
void schema_relationship_types(struct buf *to);

/* "heading: text; definition: term, definition; ..." as the inside of a JSON string. */
void schema_component_parameters(struct buf *to);

#endif
