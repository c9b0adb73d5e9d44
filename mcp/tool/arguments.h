/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reading a tool's arguments. Each function returns 0, or -1 with ERROR_INVALID that names the
 * argument and says what to send. Values are borrowed from the call.
 */
#ifndef LECTERN_TOOL_ARGUMENTS_H
#define LECTERN_TOOL_ARGUMENTS_H

#include "mcp/tool/tool.h"

int argument_text(const struct tool_call *call, const char *name, const char **value,
                  struct error *err);
int argument_text_or(const struct tool_call *call, const char *name, const char **value,
                     const char *otherwise, struct error *err);
/* A whole number from least to most; text that is one ("3") is taken too, as models send it. */
int argument_number_or(const struct tool_call *call, const char *name, long *value, long least,
                       long most, long otherwise, struct error *err);
/* true or false; the same as text is taken too. */
int argument_flag(const struct tool_call *call, const char *name, bool *value, struct error *err);
/* An object or array, also where it comes as JSON text, as some clients send it. A new reference.
 */
int argument_json(const struct tool_call *call, const char *name, json_type type, json_t **value,
                  struct error *err);

/* The id of the node that the argument names by id or title (store_node_id); borrowed from the call
 * or from found, which the caller finishes. */
int argument_node(const struct tool_call *call, struct store *store, const char *sid,
                  const char *name, struct buf *found, const char **node_id, struct error *err);
/* node_id with component_id or component_order. The texts are borrowed as above. */
int argument_component(const struct tool_call *call, struct store *store, const char *sid,
                       struct buf *found, struct component_ref *ref, struct error *err);

#endif
