/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tool/history_words.h"

#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/entity.h"
#include "mcp/session/text.h"

#define SHOWN_CAP 90 /* bytes of a title or of the beginning of a text */

struct saying {
    struct buf *to;
    struct store *store;
    const char *sid;
    const json_t *differences;
};

static const char *sign(const json_t *before, const json_t *after)
{
    return json_is_null(before) ? "+" : json_is_null(after) ? "-" : "~";
}

/* As it is now; of a node that is gone as it was. */
static void add_node(const struct saying *saying, const char *node_id)
{
    char title[SHOWN_CAP] = "", id[SHOWN_CAP];
    const json_t *entry;
    size_t i;

    buf_adds(saying->to, text_cut_line(id, sizeof id, node_id));
    json_array_foreach((json_t *)saying->differences, i, entry)
    {
        const json_t *node = json_object_get(entry, "after");

        if (strcmp(json_get_string(entry, "entity"), "node") != 0 ||
            !json_get_string(entry, "entity_id") ||
            strcmp(json_get_string(entry, "entity_id"), node_id) != 0)
            continue;
        if (json_is_null(node))
            node = json_object_get(entry, "before");
        text_cut_line(title, sizeof title, json_get_string(node, "title"));
    }
    if (*title ||
        store_node_title(saying->store, saying->sid, node_id, title, sizeof title, NULL) == 0)
        buf_addf(saying->to, " \"%s\"", title);
}

/* The members that are otherwise. */
static void add_members(struct buf *to, const json_t *before, const json_t *after)
{
    const char *comma = ": ";
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)after, key, value)
    {
        char shown[SHOWN_CAP];

        if (json_equal(value, json_object_get(before, key)))
            continue;
        buf_addf(to, "%s%s", comma, text_cut_line(shown, sizeof shown, key));
        comma = ", ";
    }
    json_object_foreach((json_t *)before, key, value)
    {
        char shown[SHOWN_CAP];

        if (json_object_get(after, key))
            continue;
        buf_addf(to, "%s%s taken away", comma, text_cut_line(shown, sizeof shown, key));
        comma = ", ";
    }
}

static void say_node(const struct saying *saying, const json_t *entry, const json_t *before,
                     const json_t *after)
{
    buf_adds(saying->to, "node ");
    add_node(saying, json_get_string(entry, "entity_id"));
    if (!json_is_null(before) && !json_is_null(after))
        add_members(saying->to, before, after);
}

static void add_component(struct buf *to, const json_t *component)
{
    char summary[SHOWN_CAP], type[SHOWN_CAP];

    entity_component_summary(component, summary, sizeof summary);
    text_cut_line(type, sizeof type, entity_component_type(component));
    buf_addf(to, "%s \"%s\"", type, summary);
}

static void say_component(const struct saying *saying, const json_t *entry, const json_t *before,
                          const json_t *after)
{
    bool both = !json_is_null(before) && !json_is_null(after);

    buf_adds(saying->to, "component of ");
    add_node(saying, json_get_string(entry, "node_id"));
    buf_adds(saying->to, ": ");
    add_component(saying->to, json_is_null(before) ? after : before);
    if (both) {
        buf_adds(saying->to, " -> ");
        add_component(saying->to, after);
        add_members(saying->to, before, after);
    }
    buf_addf(saying->to, " (component_id %s)", json_get_string(entry, "entity_id"));
}

static void say_relationship(const struct saying *saying, const json_t *entry, const json_t *before,
                             const json_t *after)
{
    const json_t *relationship = json_is_null(after) ? before : after;
    static const char *const ends[] = {"from_node_id", "to_node_id"};
    const char *type = json_get_string(relationship, "relationship_type");

    buf_addf(saying->to, "%.64s", type ? type : "relationship");
    for (size_t i = 0; i < 2; i++) {
        const char *node_id = json_get_string(relationship, ends[i]);

        buf_adds(saying->to, i == 0 ? " from " : " to ");
        add_node(saying, node_id ? node_id : "nowhere");
    }
    buf_addf(saying->to, " (id %s)", json_get_string(entry, "entity_id"));
    if (!json_is_null(before) && !json_is_null(after))
        add_members(saying->to, before, after);
}

static void say_position(const struct saying *saying, const json_t *entry, const json_t *before,
                         const json_t *after)
{
    (void)before;
    (void)after;
    buf_adds(saying->to, "position of ");
    add_node(saying, json_get_string(entry, "entity_id"));
}

static void say_session(const struct saying *saying, const json_t *entry, const json_t *before,
                        const json_t *after)
{
    (void)entry;
    buf_adds(saying->to, "the curriculum's own fields");
    add_members(saying->to, before, after);
}

static const struct {
    const char *entity;
    void (*say)(const struct saying *saying, const json_t *entry, const json_t *before,
                const json_t *after);
} sayings[] = {
    {"node", say_node},         {"component", say_component}, {"relationship", say_relationship},
    {"position", say_position}, {"session", say_session},
};

static void say(const struct saying *saying, const json_t *entry)
{
    const json_t *before = json_object_get(entry, "before");
    const json_t *after = json_object_get(entry, "after");

    buf_addf(saying->to, "\n%s ", sign(before, after));
    for (size_t i = 0; i < sizeof sayings / sizeof sayings[0]; i++)
        if (strcmp(sayings[i].entity, json_get_string(entry, "entity")) == 0)
            sayings[i].say(saying, entry, before, after);
}

int history_say_difference(struct buf *to, struct store *store, const char *sid,
                           const json_t *difference, struct error *err)
{
    const struct saying saying = {to, store, sid, json_object_get(difference, "differences")};
    size_t total = json_array_size(saying.differences), i;
    const json_t *entry;

    buf_addf(to, "From version %" JSON_INTEGER_FORMAT " to %" JSON_INTEGER_FORMAT ": ",
             json_integer_value(json_object_get(difference, "from")),
             json_integer_value(json_object_get(difference, "to")));
    if (total == 0)
        buf_adds(to, "no difference.");
    else
        buf_addf(to, "%zu thing%s (+ came, - went, ~ changed)", total, total == 1 ? "" : "s");
    json_array_foreach((json_t *)saying.differences, i, entry)
    {
        if (i == DIFFERENCE_LINES_CAP) {
            buf_addf(to, "\n%zu more: compare closer versions.", total - i);
            break;
        }
        say(&saying, entry);
    }
    return buf_check(to, "the answer", err);
}
