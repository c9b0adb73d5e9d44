/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What graph queries say of a session beside its graph (struct graph_facts): the relationships with
 * their ids and explanations, and the words of the nodes. One thread.
 */
#ifndef LECTERN_SESSION_SESSION_FACTS_H
#define LECTERN_SESSION_SESSION_FACTS_H

#include <jansson.h>

#include "helpers/graph/graph.h"
#include "mcp/store/store.h"

struct session_facts {
    struct graph_facts facts;                /* for graph_question.facts */
    json_t *relationships, *by_ends, *words; /* owned; NULL: not read */
};

/* Reads what the question needs, before the graph is asked for: a store in front of a service may
 * wait. Sets question->facts, which is valid until facts is finished. facts is zeroed before. */
int session_facts_read(struct session_facts *facts, struct store *store, const char *sid,
                       struct graph_question *question, struct error *err);
void session_facts_finish(struct session_facts *facts);

#define FACTS_AUTO __attribute__((cleanup(session_facts_finish)))

#endif
