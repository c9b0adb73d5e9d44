/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A change set under way, for the files with its operations (change_set.h): what an operation gets,
 * and what it leaves. An operation is a function of a run, called in a savepoint of its own; the
 * table in change_operations.c names it.
 */
#ifndef LECTERN_CHANGE_CHANGE_RUN_H
#define LECTERN_CHANGE_CHANGE_RUN_H

#include <stdio.h>

#include "helpers/base/fields.h"
#include "helpers/base/json.h"
#include "helpers/base/validation.h"
#include "mcp/change/change_set.h"
#include "mcp/curriculum/text.h"

#define TITLE_SAID 120 /* bytes */

/* A change set under way, and the operation that it is at. */
struct run {
    struct store *store;
    const char *sid;
    const struct change_set *set;
    struct change_set_outcome *outcome;
    const struct writer *writer;
    json_t *results; /* owned */
    int64_t version; /* of the session before it */
    struct validation_errors bad;
    enum error_kind bad_kind; /* of all bad ones, if it is the same */

    /* One operation: its input, then its results. */
    json_t *given;      /* its members, checked and by their own names; without op */
    json_t *result;     /* ids and counts go here */
    struct buf message; /* one line, past tense, without a line end */
    struct buf details; /* further lines, which only a dry run has */
};

static inline json_t *get(const struct run *run, const char *name)
{
    return json_object_get(run->given, name);
}

/* The member as text, or NULL; as a whole number, or 0. */
static inline const char *get_text(const struct run *run, const char *name)
{
    return json_get_string(run->given, name);
}

static inline long get_whole(const struct run *run, const char *name)
{
    return (long)json_integer_value(get(run, name));
}

static inline void add_result(struct run *run, json_t *members)
{
    json_object_update_new(run->result, members);
}

static inline const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* N003 "Comparing fractions": an id and a title of the curriculum, in one line. */
struct named {
    char text[NODE_ID_MAX + TITLE_SAID + 8];
};

static inline const char *name_node(struct named *named, const char *node_id, const char *title)
{
    char id[NODE_ID_MAX + 1], shown[TITLE_SAID];

    snprintf(named->text, sizeof named->text, "%s \"%s\"", text_cut_line(id, sizeof id, node_id),
             text_cut_line(shown, sizeof shown, title));
    return named->text;
}

/* ---- change_operations.c ---- */

struct operation {
    struct fields members; /* FIELDS_OPEN: others are the node's own fields */
    bool leaves_graph;     /* as it is */
    unsigned reads;        /* enum store_part, of the nodes that it names */
    int (*apply)(struct run *run, struct error *err);
};

extern const struct operation change_operations[];
extern const size_t change_operation_count;

/* ---- change_move.c ---- */

int change_move_components(struct run *run, struct error *err);
int change_split_node(struct run *run, struct error *err);
int change_copy_node(struct run *run, struct error *err);
/* The member, an array, with ids in place of the titles of nodes; what is not text stays. numbers:
 * a number that was sent as text, and names no node, becomes one. A new reference, or NULL with
 * err. */
json_t *change_node_names(const struct run *run, const char *member, bool numbers,
                          struct error *err);

/* ---- change_replace.c ---- */

int change_replace_text(struct run *run, struct error *err);

#endif
