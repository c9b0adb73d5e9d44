/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A change set: a list of operations that are applied in one transaction, or as a dry run. The
 * operations are rows of one const table; their members have the same names as in the tools:
 *
 * {"op": "create_node", "node_id", "title", additional fields}
 * {"op": "rename_node", "node_id", "title", "expected_revision"}
 * {"op": "edit_node", "node_id", fields, "expected_revision"}
 * {"op": "delete_node", "node_id", "expected_revision"}
 * {"op": "merge_nodes", "node_id", "into_node_id", "expected_revision"}
 * {"op": "split_node", "node_id", "new_node_id", "title", "components": [2, "id"],
 *  "relationships": [17, "N005"]}
 * {"op": "copy_node", "node_id", "new_node_id", "title"}
 * {"op": "create_component", "node_id", "component_type", "parameters", "position"}
 * {"op": "edit_component", "node_id", "component_id" or "component_order", "new_parameters",
 *  "expected_revision"}
 * {"op": "delete_component", "node_id", "component_id" or "component_order", "expected_revision"}
 * {"op": "reorder_components", "node_id", "order": [3, 1, 2]}
 * {"op": "move_components", "node_id", "components": [2, "id"], "into_node_id", "position"}
 * {"op": "replace_text", "find", "replace", "whole_words" (true), "match_case" (false), "plurals"
 *  (true), "in" ("titles", a component type or a field), "node_ids", "expected_places"}
 * {"op": "create_relationship", "from_node_id", "to_node_id", "relationship_type", "explanation"}
 * {"op": "edit_relationship", "id", or both ends and "relationship_type"; "new_type",
 *  "explanation", "confidence_score"}
 * {"op": "delete_relationship", "id", or both ends and "relationship_type"}
 *
 * The fields of a node may stand in an object "fields" too. A member that is null counts as not
 * sent, but for a node's own fields, which it takes away.
 *
 * Operations are applied in order, each to the result of those before it. "$2" as a component_id,
 * in components, in relationships or as an id is the one that operations.2 of the same set has
 * created.
 */
#ifndef LECTERN_CHANGE_CHANGE_SET_H
#define LECTERN_CHANGE_CHANGE_SET_H

#include <stdbool.h>

#include "helpers/base/fields.h"
#include "mcp/store/entities/outline.h"
#include "mcp/store/store.h"

#define CHANGE_SET_OPERATIONS_MAX 500

struct change_set {
    const json_t *operations; /* borrowed */
    bool dry_run;
    bool keep_going; /* skip and report a bad operation; otherwise a bad operation fails the whole
                        set */
};

/* The outcome of a change set, and the input for computing its effect on the graph. */
struct change_set_outcome {
    char change_set[80]; /* "" if nothing was changed */
    int64_t version;     /* of the session, afterwards */
    size_t done, bad;
    struct buf results; /* JSON array with one element per operation: {"op", "ok", "message", ids};
                           owned */
    struct buf lines;   /* the same as text, one line each, capped; owned */
    struct outline before, after; /* the graph; empty if no operation touches it */
    bool touches_graph;
};

/* The store must be open for writing. writer->expected_cursor is the session's; its change_set is
 * ignored. Returns -1 if an operation is bad and keep_going is not set: err names it
 * ("operations.3: ...") and all other bad ones that can be reported, and nothing is changed.
 * Otherwise the caller frees *outcome with change_set_outcome_finish. */
int change_set_apply(struct store *store, const struct writer *writer, const char *sid,
                     const struct change_set *set, struct change_set_outcome *outcome,
                     struct error *err);
void change_set_outcome_finish(struct change_set_outcome *outcome);

/* One operation: for the schemas of the API, and a shorter form for that of the tool. */
extern const struct fields change_set_operation, change_set_operation_brief;
/* The operation that is called so, or most nearly; NULL if none is near. */
const struct fields *change_set_operation_like(const char *name);
/* Whether an operation has a member of that name. */
bool change_set_has_member(const char *name);

/* ---- change_effect.c, on the graph work queue ---- */

struct cancel;
struct graph_cache;

/* Appends the effect of a change set on the graph (helpers/graph/difference.h): {"new_cycles":
 * [[{"node_id", "title"}, ...]], "new_cycles_total", "cut_off": [{"node_id", "title", "why":
 * "alone", "nothing_leads_to_it" or "behind_cut_off"}], "cut_off_total", "longest_chain":
 * {"before", "after"} (steps), "downstream": [{"node_id", "title"}], "downstream_total"}; and the
 * same as text, one line each, "" if nothing changed; with all, including what did not change.
 * Lists are capped, their totals are not. Either of json and words may be NULL. graphs limits the
 * time, cancel aborts; both may be NULL. */
int change_effect(const struct outline *before, const struct outline *after, bool all,
                  const struct graph_cache *graphs, const struct cancel *cancel, struct buf *json,
                  struct buf *words, struct error *err);

/* In a model's schema one more name: the operations of a dry run (mcp/tool/dry_run.h). */
#define CHANGE_SET_DRY_RUN "apply_dry_run"

#endif
