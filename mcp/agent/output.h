/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The values in the output of a program that was written for a plan: for one step the JSON on its
 * last line, for several a line {"STEP": VALUE} each. Pure, any thread.
 */
#ifndef LECTERN_AGENT_OUTPUT_H
#define LECTERN_AGENT_OUTPUT_H

#include "helpers/base/buf.h"
#include "mcp/agent/message.h"
#include "mcp/store/entities/outline.h"
#include "mcp/store/store.h"

#define OUTPUT_NODE_IDS_MAX 500u
#define OUTPUT_VALUE_SHOWN  2000u /* bytes of a value in an answer that no model writes */

/* The steps that have a value of their type, {step: value}, a new reference; NULL without memory. A
 * later line replaces an earlier one. Appends to faults (may be NULL) why each other step has
 * none. */
json_t *output_values(const struct plan *plan, const char *text, size_t len, struct buf *faults);

/* A new array of the texts for the steps that values lacks. */
json_t *output_open(const struct plan *plan, const json_t *values);

/* A new array of the node ids that are texts, or keys, in a value, each once, in their order there;
 * at most OUTPUT_NODE_IDS_MAX. */
json_t *output_node_ids(const json_t *value, const struct outline *outline);

/* Appends the values as lines "STEP: VALUE", for an answer that no model writes: lists with commas,
 * objects as "key: value", node ids with their titles. A long value is cut, with the number of its
 * items. */
void output_write(const json_t *values, const struct outline *outline, struct buf *to);

/* -1 with ERROR_INVALID, which names them, if an answer's text has numbers that occur neither in
 * the values, as the number of items of a list or an object in them, nor in the steps. */
int output_check_numbers(const char *text, const struct plan *plan, const json_t *values,
                         struct error *err);

#endif
