/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The resources that a client can read: one const table. How they are asked for, listed and paged
 * is the protocol's.
 */
#ifndef LECTERN_RESOURCE_H
#define LECTERN_RESOURCE_H

#include <stdbool.h>

#include "helpers/base/buf.h"
#include "mcp/tool/tool.h"

#define RESOURCE_URI_MAX 1024u /* bytes of a URI */

struct resource {
    /* "lectern://curriculum/{session_id}": with names in braces it is a template (RFC 6570, level
     * 1): each stands for at least one character without '/'. */
    const char *uri;
    const char *name, *title, *description, *mime;
    /* Reads it: a tool whose arguments are the names in the URI, as text. The content is its text,
     * or its first image as a blob of that type, or `parts` in the protocol's form. What it cannot
     * find is ERROR_NOT_FOUND. */
    const struct tool *read;
    /* For a template: what a name in its URI may be. A tool with the arguments of a completion
     * (COMPLETION_ARGUMENTS), whose `parts` are texts, the best first. May be NULL. */
    const struct tool *complete;
    /* Whether a change of a curriculum changes this resource: appends its URI, or, with '/' at the
     * end, how the URIs of all that it may have changed begin. May be NULL. */
    bool (*changes)(const struct store_change *change, struct buf *uri);
};

/* In the order of the lists; NULL-terminated. A new one is its file and a row in table.c. */
extern const struct resource *const resources[];
extern const struct resource resource_curriculum, resource_node, resource_component,
    resource_chapter, resource_history;
extern const struct tool tool_complete_curriculum; /* completes session_id, node_id and chapter */

/* Lists the resources that templates stand for: `parts` are objects as in resources/list. NULL:
 * none are listed. */
extern const struct tool *const resource_lister;
/* Whether a change of a curriculum changes the list. NULL: none does. */
extern bool (*const resource_list_changes)(const struct store_change *change);

bool resource_is_template(const struct resource *resource);

/* The resource that a URI names. *names gets a new object of the names in its template and their
 * values, decoded. NULL: there is none. */
const struct resource *resource_find(const char *uri, json_t **names);
/* Whether a client that is bound to a session ("": to none) may know of this URI: one that names
 * another session_id is not its own. */
bool resource_is_open(const char *uri, const char *bound_session);
/* The row of a template, as it is written. */
const struct resource *resource_find_template(const char *uri);

/* The arguments of a completion: the name of what is completed, what has been typed so far, and the
 * other values that are known, by name. */
#define COMPLETION_ARGUMENTS                                                                       \
    ARGUMENTS("completion/complete", FIELD("name", FIELD_TEXT, .required = true),                  \
              FIELD("value", FIELD_TEXT, .required = true), FIELD("given", FIELD_OBJECT))

#endif
