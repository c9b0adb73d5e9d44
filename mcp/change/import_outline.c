/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/change/import_outline.h"

#include <string.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/text.h"

#define TITLE_SHOWN 100 /* bytes of a title or an id */

/* The ids that a node needs, by its id: {id: [id, ...]}. A new reference. */
static json_t *collect_needs(const json_t *curriculum)
{
    const json_t *relationships = json_object_get(curriculum, "relationships"), *entry;
    json_t *needs = json_object();
    size_t i;

    json_array_foreach((json_t *)relationships, i, entry)
    {
        const char *to = json_get_string(entry, "to_node_id");
        const char *type = json_get_string(entry, "relationship_type");
        json_t *from = json_object_get(entry, "from_node_id");

        if (!to || !json_is_string(from) || !type || !strstr(type, "PREREQUISITE"))
            continue;
        if (!json_object_get(needs, to))
            json_object_set_new(needs, to, json_array());
        json_array_append(json_object_get(needs, to), from);
    }
    return needs;
}

json_t *import_outline(const json_t *curriculum)
{
    json_auto_t *needs = collect_needs(curriculum);
    const json_t *nodes = json_object_get(curriculum, "nodes");
    json_t *outline = json_array();

    for (size_t i = 0; outline && i < json_array_size(nodes) && i < IMPORT_OUTLINE_CAP; i++) {
        const json_t *node = json_array_get(nodes, i);
        const char *id = json_get_string(node, "node_id");
        json_t *needed = id ? json_object_get(needs, id) : NULL;

        json_array_append_new(
            outline, json_pack("{s:s?, s:s?, s:I, s:o}", "node_id", id, "title",
                               json_get_string(node, "title"), "components",
                               (json_int_t)json_array_size(json_object_get(node, "components")),
                               "needs", needed ? json_incref(needed) : json_array()));
    }
    return outline;
}

static void write_needs(const json_t *ids, struct buf *to)
{
    size_t count = json_array_size(ids), i;
    char shown[TITLE_SHOWN];

    for (i = 0; i < count && i < IMPORT_PREREQUISITES_CAP; i++)
        buf_addf(to, "%s%s", i > 0 ? ", " : ", needs ",
                 text_cut_line(shown, sizeof shown, json_string_value(json_array_get(ids, i))));
    if (i < count)
        buf_addf(to, " and %zu more", count - i);
}

void import_outline_write(const json_t *outline, size_t nodes, struct buf *to)
{
    const json_t *lesson;
    size_t i;

    json_array_foreach((json_t *)outline, i, lesson)
    {
        json_int_t components = json_integer_value(json_object_get(lesson, "components"));
        char id[TITLE_SHOWN], title[TITLE_SHOWN];

        text_cut_line(id, sizeof id, json_get_string(lesson, "node_id"));
        buf_addf(to, "%s \"%s\": %lld component%s", *id ? id : "(no id)",
                 text_cut_line(title, sizeof title, json_get_string(lesson, "title")),
                 (long long)components, components == 1 ? "" : "s");
        write_needs(json_object_get(lesson, "needs"), to);
        buf_addc(to, '\n');
    }
    if (i < nodes)
        buf_addf(to, "and %zu more\n", nodes - i);
}
