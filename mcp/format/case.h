/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of reading a CFPackage (case.c): repair of what other tools write differently, and the
 * order and chapters that its tree gives. Source: IMS/1EdTech CASE 1.0, information model. Pure.
 */
#ifndef LECTERN_FORMAT_CASE_H
#define LECTERN_FORMAT_CASE_H

#include <stdbool.h>

#include <jansson.h>

#include "helpers/base/error.h"
#include "mcp/format/format.h"

/* The structure of a framework: from a child to its parent. */
#define CASE_CHILD "isChildOf"

/* A CFPackage in the form of the specification, from one as other tools write it: a new reference,
 * or NULL with err if it holds neither CFDocument nor CFItems. Keys get their letters, numbers and
 * texts their kind, items an identifier and a fullStatement; each kind of fault is one line of the
 * report. An entry that cannot be read stays as it is; the caller leaves it out. A package without
 * faults comes back unchanged. */
json_t *case_repair(const json_t *given, struct format_report *report, struct error *err);

/* Whether an end of an association can be read: {"identifier": "text", ...}. */
bool case_is_end(const json_t *association, const char *end);

/* Sorts nodes, of which node i is item i of the package, along isChildOf: depth first, siblings by
 * sequenceNumber, then by humanCodingScheme in natural order, then as they are in the file. A node
 * below another gets its title as `chapter`, and a number as `chapter_id`; one that has nodes
 * below it and none above is in the chapter of its own title. Nodes that have one of these fields
 * keep it. Circles, and items with several parents, are visited once. Without isChildOf between
 * items and the document nothing changes. */
int case_arrange(json_t *nodes, const json_t *package, struct error *err);

#endif
