/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The URI of a curriculum, "lectern://curriculum/SESSION", and of one of its nodes,
 * "lectern://curriculum/SESSION/node/NODE", percent-encoded. Resources have these URIs. A link is a
 * relationship whose to_node_id is the URI of a node of another curriculum: no node of its own
 * curriculum has such an id, so whoever does not know links sees an end that does not exist. Pure.
 */
#ifndef LECTERN_CURRICULUM_CURRICULUM_URI_H
#define LECTERN_CURRICULUM_CURRICULUM_URI_H

#include <stdbool.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"

#define CURRICULUM_URI      "lectern://curriculum/"
#define CURRICULUM_URI_NODE "/node/"
#define CURRICULUM_URI_MAX  512 /* bytes of one that is the end of a new link */

/* node_id: NULL for the curriculum itself. */
void curriculum_uri_write(struct buf *to, const char *sid, const char *node_id);

/* Whether the text, which may be NULL, is the URI of a node; so, whether a relationship to it is a
 * link. */
bool curriculum_uri_is_node(const char *text);

/* sid gets size bytes at most, node_id is appended to. ERROR_INVALID if the text is not the URI of
 * a node. */
int curriculum_uri_read(const char *text, char *sid, size_t size, struct buf *node_id,
                        struct error *err);

#endif
