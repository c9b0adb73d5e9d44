/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a change set did, in words.
 */
#include <inttypes.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/store/rewind.h"

#define PARTS_SHOWN 3
#define TITLE_SHOWN 80 /* bytes */

int store_old_title(struct store *store, int64_t session, const char *node_id, char *title,
                    size_t size, struct error *err)
{
    static const struct {
        enum statement id;
        int column;
        const char *format;
    } sources[] = {{SQL_NODE_FIND, 4, "is"}, {SQL_CHANGE_OLD_TITLE, 0, "is"}};

    text_cut_line(title, size, node_id);
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        struct rows *rows;
        int row;

        rows = db_query(store->db, err, sources[i].id, sources[i].format, session, node_id);
        row = rows_next(rows, err);
        if (row < 0)
            return -1;
        if (row == 0)
            continue;
        if (rows_text(rows, sources[i].column))
            text_cut_line(title, size, rows_text(rows, sources[i].column));
        rows_end(rows);
        return 0;
    }
    return 0;
}

static int add_node(struct store *store, int64_t session, const char *node_id, struct buf *words,
                    struct error *err)
{
    char title[TITLE_SHOWN], id[TITLE_SHOWN];

    if (store_old_title(store, session, node_id, title, sizeof title, err) != 0)
        return -1;
    buf_addf(words, "%s \"%s\"", text_cut_line(id, sizeof id, node_id), title);
    return 0;
}

struct group {
    const char *entity, *op, *node_id; /* borrowed */
    int64_t count;
    const char *image; /* of one of them */
};

static const char *verb(const char *op)
{
    static const char *const verbs[][2] = {{"insert", "created"}, {"update", "changed"},
                                           {"delete", "deleted"}, {"renumber", "reordered"},
                                           {"create", "created"}, {"import", "imported"}};

    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (!strcmp(verbs[i][0], op))
            return verbs[i][1];
    return op;
}

static int add_relationship(struct store *store, int64_t session, const struct group *group,
                            struct buf *words, struct error *err)
{
    json_auto_t *image = json_read(group->image, strlen(group->image), "a change", err);
    const json_t *relationship = json_object_get(image, "relationship");
    const char *from = json_get_string(relationship, "from_node_id");
    const char *to = json_get_string(relationship, "to_node_id");
    const char *type = json_get_string(relationship, "relationship_type");

    if (!image)
        return -1;
    if (!from || !to || !type) { /* an import keeps such */
        buf_addf(words, "1 relationship %s", verb(group->op));
        return 0;
    }
    buf_addf(words, "%.64s from ", type);
    if (add_node(store, session, from, words, err) != 0)
        return -1;
    buf_adds(words, " to ");
    if (add_node(store, session, to, words, err) != 0)
        return -1;
    buf_addf(words, " %s", verb(group->op));
    return 0;
}

/* Whether it is one. */
static bool add_renaming(const struct group *group, struct buf *words)
{
    json_auto_t *image =
        group->image ? json_read(group->image, strlen(group->image), "a change", NULL) : NULL;
    const char *old = json_get_string(image, "title");
    char shown[TITLE_SHOWN];

    if (strcmp(group->op, "update") != 0 || !old)
        return false;
    buf_addf(words, "curriculum renamed from \"%s\"", text_cut_line(shown, sizeof shown, old));
    return true;
}

static int add_group(struct store *store, int64_t session, const struct group *group,
                     struct buf *words, struct error *err)
{
    bool one = group->count == 1;

    if (!strcmp(group->entity, "session") && add_renaming(group, words)) {
        return 0;
    } else if (!strcmp(group->entity, "session")) {
        buf_addf(words, "%s %s", strcmp(group->op, "update") ? "curriculum" : "own fields",
                 verb(group->op));
    } else if (!strcmp(group->entity, "position")) {
        buf_addf(words, "%" PRId64 " position%s %s", group->count, one ? "" : "s", verb(group->op));
    } else if (!strcmp(group->entity, "relationship")) {
        if (one && group->image)
            return add_relationship(store, session, group, words, err);
        buf_addf(words, "%" PRId64 " relationships %s", group->count, verb(group->op));
    } else {
        if (!strcmp(group->entity, "component"))
            buf_addf(words, "%" PRId64 " component%s of ", group->count, one ? "" : "s");
        if (add_node(store, session, group->node_id ? group->node_id : "", words, err) != 0)
            return -1;
        buf_addf(words, " %s", verb(group->op));
    }
    return 0;
}

int store_change_words(struct store *store, int64_t session, const char *change_set,
                       struct buf *words, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_CHANGE_GROUPS, "is", session, change_set);
    size_t shown = 0, more = 0;
    int row;

    while ((row = rows_next(rows, err)) > 0) {
        const struct group group = {
            .entity = rows_text(rows, 0),
            .op = rows_text(rows, 1),
            .node_id = rows_text(rows, 2),
            .count = rows_int(rows, 3),
            .image = rows_text(rows, 4),
        };

        if (shown == PARTS_SHOWN) {
            more++;
            continue;
        }
        buf_adds(words, shown++ > 0 ? "; " : "");
        if (add_group(store, session, &group, words, err) != 0) {
            rows_end(rows);
            return -1;
        }
    }
    if (row < 0)
        return -1;
    if (shown == 0) /* a list of components that is there now, and empty */
        buf_adds(words, "nothing but times");
    if (more > 0)
        buf_addf(words, "; and %zu more", more);
    return 0;
}
