/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Saying of a relationship that it is there already: between which nodes by their titles, and what
 * the one that is there says.
 */
#include <inttypes.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/store/store_internal.h"

#define TITLE_SAID       120 /* bytes */
#define EXPLANATION_SAID 400

/* The title in one line; an imported relationship may end where no node is. */
static const char *title_of(struct store *store, int64_t session, const char *node_id,
                            char title[TITLE_SAID])
{
    struct node_found node;
    bool found = store_node_find(store, session, node_id, &node, NULL) == 0;

    return text_cut_line(title, TITLE_SAID, found ? node.title : "");
}

int store_relationship_repeat(struct store *store, int64_t session, int64_t key, struct error *err)
{
    char from[TITLE_SAID], to[TITLE_SAID], said[EXPLANATION_SAID];
    json_auto_t *there = NULL;
    const char *from_id, *to_id;
    int64_t place;

    there = store_relationship_load(store, session, key, &place, err);
    if (!there)
        return -1;
    from_id = json_get_string(there, "from_node_id");
    to_id = json_get_string(there, "to_node_id");
    text_cut_line(said, sizeof said, json_get_string(there, "explanation"));
    return error_set(
        err, ERROR_CONFLICT,
        "there is already a %s from %s \"%s\" to %s \"%s\" (relationship %" PRId64 "%s%s%s)",
        json_get_string(there, "relationship_type"), from_id,
        title_of(store, session, from_id, from), to_id, title_of(store, session, to_id, to), key,
        *said ? "; its explanation: \"" : ", without an explanation", said, *said ? "\"" : "");
}
