/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Plans by rule: a question that names a graph query and its lessons becomes a plan without a
 * model. One const table of patterns over the words of the question. A question is planned only if
 * a pattern explains each of its words; a word that no pattern knows, such as a further condition,
 * leaves it to a model. Pure, any thread.
 */
#ifndef LECTERN_AGENT_PLAN_RULES_H
#define LECTERN_AGENT_PLAN_RULES_H

#include "mcp/agent/message.h"
#include "mcp/store/entities/outline.h"
#include "mcp/store/store.h"

/* Returns a plan as a new message: approach query, with the query, its arguments, and the part of
 * its data that answers the question. outline has the ids and titles of the lessons. NULL without
 * an error if no pattern fits; NULL with *err set if out of memory. */
json_t *plan_by_rule(const char *question, const struct outline *outline, struct error *err);

/* Returns the part of a query's data that the plan asks for, as a new value: `pick`, then `first`,
 * `fields` and `count` (struct plan_query). NULL with ERROR_INVALID if the data has no such part.
 */
json_t *query_pick(const json_t *data, const struct plan_query *query, struct error *err);

#endif
