/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which of many nodes a name means, for a name that is nobody's exact id: the node whose id is the
 * same but for letter case, else the only one that has it as its title. Pure.
 */
#ifndef LECTERN_GRAPH_NAME_H
#define LECTERN_GRAPH_NAME_H

#include <stdbool.h>
#include <stddef.h>

#define GRAPH_NAME_SHOWN 8u /* nodes that an error lists where several have the title */

/* A running search: begin, feed every node, then found. */
struct graph_name {
    const char *name; /* borrowed */
    size_t fed, same_ids, same_titles;
    size_t by_id, by_title; /* places of the first of them among the nodes fed */
};

void graph_name_begin(struct graph_name *search, const char *name);
/* title: or NULL. */
void graph_name_feed(struct graph_name *search, const char *id, const char *title);
/* *place: of the one that is meant. false: none is, or several have the title (same_titles > 1). */
bool graph_name_found(const struct graph_name *search, size_t *place);

#endif
