/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A change set: a list of operations done as one, or looked at without being done. Operations are
 * the rows of one const table; their members have the names that the tools have for the same thing:
 *
 * {"op": "create_node", "node_id", "title", further fields}
 * {"op": "rename_node", "node_id", "title", "expected_revision"}
 * {"op": "edit_node", "node_id", fields, "expected_revision"}
 * {"op": "delete_node", "node_id", "expected_revision"}
 * {"op": "merge_nodes", "node_id", "into_node_id", "expected_revision"}
 * {"op": "create_component", "node_id", "component_type", "parameters", "position"}
 * {"op": "edit_component", "node_id", "component_id" or "component_order", "new_parameters",
 *  "expected_revision"}
 * {"op": "delete_component", "node_id", "component_id" or "component_order", "expected_revision"}
 * {"op": "reorder_components", "node_id", "order": [3, 1, 2]}
 * {"op": "create_relationship", "from_node_id", "to_node_id", "relationship_type", "explanation"}
 * {"op": "edit_relationship", "id", or both ends and "relationship_type"; "new_type",
 *  "explanation", "confidence_score"}
 * {"op": "delete_relationship", "id", or both ends and "relationship_type"}
 *
 * Operations are done in their order, each on what those before it have made. "$2" for a
 * component_id or an id is the one that operations.2 of the same set has made.
 */
#ifndef LECTERN_SESSION_CHANGE_SET_H
#define LECTERN_SESSION_CHANGE_SET_H

#include <stdbool.h>

#include "helpers/base/fields.h"
#include "mcp/store/store.h"

#define CHANGE_SET_OPERATIONS_MAX 500

struct change_set {
    const json_t *operations; /* borrowed */
    bool dry_run;
    bool keep_going; /* a bad operation is left out and named; else nothing is done */
};

/* What became of it, and what the effect on the graph is reckoned from. */
struct change_set_outcome {
    char change_set[80]; /* "" where nothing was changed */
    int64_t version;     /* the session's afterwards */
    size_t done, bad;
    struct buf results; /* JSON array, one an operation: {"op", "ok", "message", ids}; owned */
    struct buf lines;   /* the same in words, a line each, capped; owned */
    struct outline before, after; /* the graph; empty where no operation touches it */
    bool touches_graph;
};

/* On a store opened for writing. writer->expected_cursor is the session's, its change_set is not
 * looked at. -1 where an operation is bad and keep_going is not set: err names
 * it ("operations.3: ..."), and all the bad ones that can be reported; nothing is done. Otherwise
 * *outcome wants change_set_outcome_finish. */
int change_set_apply(struct store *store, const struct writer *writer, const char *sid,
                     const struct change_set *set, struct change_set_outcome *outcome,
                     struct error *err);
void change_set_outcome_finish(struct change_set_outcome *outcome);

/* One operation, for the schemas of the API; and, in fewer words, for the tool's. */
extern const struct fields change_set_operation, change_set_operation_brief;

/* ---- change_effect.c, on the graph work queue ---- */

struct cancel;
struct graph_cache;

/* What a change set does to the graph, as helpers/graph/difference.h gives it: {"new_cycles":
 * [[{"node_id", "title"}, ...]], "new_cycles_total", "cut_off": [{"node_id", "title", "why":
 * "alone", "nothing_leads_to_it" or "behind_cut_off"}], "cut_off_total", "longest_chain":
 * {"before", "after"} (steps), "downstream": [{"node_id", "title"}], "downstream_total"}; and in
 * words, a line each, "" where there is no news; with all, also what is no news. Lists are capped,
 * their totals given. Either may be NULL. graphs bounds the time, cancel gives it up; both may be
 * NULL. */
int change_effect(const struct outline *before, const struct outline *after, bool all,
                  const struct graph_cache *graphs, const struct cancel *cancel, struct buf *json,
                  struct buf *words, struct error *err);

#endif
