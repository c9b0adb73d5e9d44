/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * IMS/1EdTech CASE 1.0, a CFPackage as JSON: nodes are its CFItems, relationships its
 * CFAssociations. What both directions share.
 *
 * A node's title is fullStatement; its id, where that is no UUID, is humanCodingScheme, and the
 * identifier is made from it, the same each time. Fields that CASE has stand where CASE has them,
 * under their names there, in both. LEADS_TO and the prerequisites are `precedes`, ENRICHMENT is
 * `isRelatedTo`; CASE's other types are kept as types of relationships. What CASE has no place for
 * (components, further fields, the exact type) stands in `extensions`, the place CASE 1.1 made for
 * such, as {"lectern": {"generated": [fields that were made up], "fields": {the node's own}}}. Of a
 * framework that came from elsewhere, CFDocument, definitions, rubrics, and associations that end
 * outside its items are kept in meta.case.
 */
#ifndef LECTERN_SESSION_FORMAT_CASE_H
#define LECTERN_SESSION_FORMAT_CASE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "helpers/base/error.h"
#include "mcp/format/format.h"

#define CASE_EXTENSION "lectern"

enum case_shape { CASE_TEXT, CASE_TEXTS, CASE_LINK, CASE_INTEGER };
struct case_field {
    const char *name;
    enum case_shape shape;
};
/* The optional fields, and those that are made up where they are missing; end with a NULL name. */
extern const struct case_field case_item_fields[], case_association_fields[];
const struct case_field *case_field_find(const struct case_field *fields, const char *name);
bool case_fits(const struct case_field *field, const json_t *value);

/* The type of association for one of relationship, and back; borrowed or static. */
const char *case_association_type(const char *relationship_type);
const char *case_relationship_type(const char *association_type);
bool case_knows_association(const char *association_type);

json_t *case_package(const json_t *curriculum, struct format_report *report, struct error *err);
json_t *case_curriculum(const json_t *package, struct format_report *report, struct error *err);

#endif
