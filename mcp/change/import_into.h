/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An import into a session that is there, as one change that can be undone. Nodes are found by
 * their id, relationships by both ends and the type. Members that the file does not have stay, but
 * the components of a node are replaced as a whole where the file has some. Nothing is deleted
 * unless it is asked for.
 */
#ifndef LECTERN_CHANGE_IMPORT_INTO_H
#define LECTERN_CHANGE_IMPORT_INTO_H

#include <stdbool.h>
#include <stddef.h>

#include "mcp/change/change_set.h"
#include "mcp/curriculum/findings.h"

/* Nodes and relationships that one import adds, updates or deletes. */
#define IMPORT_INTO_CHANGES_MAX CHANGE_SET_OPERATIONS_MAX
#define IMPORT_INTO_FIRST_CAP   10u /* nodes listed of each kind */

enum into_kind {
    INTO_ADDED,
    INTO_UPDATED,
    INTO_UNCHANGED,
    INTO_MISSING, /* only in the session: deleted if that is asked for */
    INTO_KINDS
};

struct import_into {
    const char *sid;
    bool delete_missing;
    bool dry_run; /* count only; a store for reading is enough */
};

struct into_report {
    char change_set[80]; /* "" if nothing was written */
    size_t nodes[INTO_KINDS], relationships[INTO_KINDS];
    size_t components;         /* nodes whose components are replaced */
    json_t *first[INTO_KINDS]; /* of the nodes: [{"node_id", "title"}]; owned */
};

/* root: the value of a curriculum file. lines gets its FINDING_RULE, and the members that an
 * import into a session leaves out. ERROR_TOO_LARGE above the cap, with nothing changed. The caller
 * frees *report in any case. */
int curriculum_import_into(struct store *store, const struct writer *writer, const json_t *root,
                           const struct import_into *into, struct into_report *report,
                           struct findings *lines, struct error *err);
void into_report_finish(struct into_report *report);

/* The number of changes that it makes, or would make. */
size_t into_report_changes(const struct into_report *report, bool delete_missing);
/* {"added": {"nodes": count, "relationships": count, "first": [{"node_id", "title"}]}, "updated",
 * "unchanged", "missing", "components": count}. A new reference. */
json_t *into_report_json(const struct into_report *report);
/* Appends one line of counts, and "nothing to change" if there are none. */
void into_report_counts(const struct into_report *report, const struct import_into *into,
                        struct buf *to);
/* Appends a line for each kind of nodes with the first ones. */
void into_report_nodes(const struct into_report *report, const struct import_into *into,
                       struct buf *to);

#endif
