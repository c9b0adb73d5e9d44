/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The form in which a backend stores a node, component or relationship, and the conversion back. It
 * stores the JSON object as it was sent, as text (the body), and a few columns for look-up. A
 * component's plain order keys and a node's list of components are removed from the body, and put
 * back as text, so a list is read by joining texts, without a tree. flags say which of the API's
 * keys the body already has. Pure, any thread.
 */
#ifndef LECTERN_CURRICULUM_ROW_H
#define LECTERN_CURRICULUM_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"

/* Stored in databases: never change a number's meaning. */
enum row_flags {
    ROW_RAW = 1 << 0, /* not a JSON object: stored for the export, not in the API's lists */
    ROW_ODD = 1 << 1, /* has keys that collide with the API's own: converted with a tree */

    ROW_COMPONENT_TYPE = 1 << 4, /* has "type" */
    ROW_COMPONENT_COMPONENT_TYPE = 1 << 5,
    ROW_COMPONENT_PARAMETERS = 1 << 6,
    ROW_COMPONENT_CONFIDENCE = 1 << 7,
    ROW_COMPONENT_ORDER = 1 << 8, /* had this key, which was removed: the column has the value */
    ROW_COMPONENT_ORDER_INDEX = 1 << 9,

    ROW_NODE_ID = 1 << 4,
    ROW_NODE_TITLE = 1 << 5,
    ROW_NODE_CATEGORY = 1 << 6,
    ROW_NODE_RAW_CONTENT = 1 << 7,
    ROW_NODE_CHAPTER_ID = 1 << 8,
    ROW_NODE_CREATED_AT = 1 << 9,
    ROW_NODE_LAST_MODIFIED = 1 << 10,
    ROW_NODE_COMPONENTS = 1 << 11,      /* had a list of components, which was removed */
    ROW_NODE_TIMES = 1 << 12,           /* the export contains the times of the columns */
    ROW_NODE_SEQUENCE_FIELDS = 1 << 13, /* has suggested_template or overall_confidence */
    ROW_NODE_COMPONENTS_ODD = 1 << 14,  /* the body has "components" that is not a list */

    ROW_RELATIONSHIP_FROM = 1 << 4,
    ROW_RELATIONSHIP_TO = 1 << 5,
    ROW_RELATIONSHIP_TYPE = 1 << 6,
    ROW_RELATIONSHIP_EXPLANATION = 1 << 7,
    ROW_RELATIONSHIP_CREATED_BY = 1 << 8,
    ROW_RELATIONSHIP_CONFIDENCE = 1 << 9,
    ROW_RELATIONSHIP_CREATED_AT = 1 << 10,
};

/* A text column: NULL if the entity has none. Borrowed from the JSON value. */
struct row_text {
    const char *text;
    size_t len;
};

/* A component's position in its sequence, as its own keys say. */
struct row_order {
    enum { ORDER_UNKNOWN, ORDER_INTEGER, ORDER_REAL } kind;
    int64_t integer;
    double real;
};

struct component_row {
    unsigned flags;
    struct row_text type;
    struct row_order order;
};

struct node_row {
    unsigned flags;
    struct row_text node_id, title, grouping;
    bool chapter_number; /* grouping is chapter, a number */
    int64_t chapter;
};

struct relationship_row {
    unsigned flags;
    struct row_text from, to, type;
};

/* Each clears body and writes the text to store into it. The entry may be anything, and is
 * unchanged on return. */
void component_row(json_t *entry, struct buf *body, struct component_row *row);
void node_row(json_t *entry, struct buf *body, struct node_row *row);
void relationship_row(const json_t *entry, struct buf *body, struct relationship_row *row);

/* A stored entity, as read from the database. */
struct kept {
    const char *body;
    size_t len;
    unsigned flags;
};

/* The component as in a file. order is the value of the column, used if the flags say so. */
void component_export(struct buf *to, const struct kept *kept, int64_t order);
/* The component in the form of the API. type is the column, of which a JSON string is made; order
 * is the current one. */
int component_view(struct buf *to, const struct kept *kept, int64_t order, const char *component_id,
                   int64_t revision, const struct row_text *type, struct error *err);

/* Times are NULL if unknown. The export leaves the object open: "{..., " or "{", for the components
 * to follow; *empty says whether the next key needs no comma. */
void node_export_begin(struct buf *to, const struct kept *kept, const char *created_at,
                       const char *last_modified, bool *empty);
int node_view(struct buf *to, const struct kept *kept, const char *sid, const char *created_at,
              const char *last_modified, struct error *err);

int relationship_view(struct buf *to, const struct kept *kept, const char *sid, int64_t id,
                      struct error *err);

#endif
