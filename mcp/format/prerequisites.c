/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Relationships from cells that name the prerequisites of a node, as sheets of people have them:
 * "L1; L2" or "Counting, Adding". A title may contain a separator, so that the longest text that
 * names a node counts: the whole cell, then what stands between ";" or "|" or line ends, then
 * between commas.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <uninorm.h>

#include "helpers/base/json.h"
#include "mcp/format/column_role.h"
#include "mcp/format/format.h"

#define TYPE "PREREQUISITE"

static const char *const separators[] = {"", ";|\r\n", ",", NULL};

struct naming {
    const char *name, *column; /* for the report */
    struct format_report *report;
    json_t *ids;    /* id -> true */
    json_t *plain;  /* id as it is compared -> id */
    json_t *titles; /* title as it is compared -> [ids] */
    json_t *pairs;  /* "from\nto" -> true, of relationships */
    json_t *relationships;
    size_t made;
    const json_t *to; /* of the cell that is read */
    json_int_t line;
};

json_t *prerequisites_plain_id(const char *id, size_t len)
{
    const char *dot = memchr(id, '.', len), *at = id;
    size_t size = 0;
    uint8_t *composed;
    json_t *plain;

    for (; len > 0 && strchr(" \t\r\n", *id); len--)
        at = ++id;
    while (len > 0 && strchr(" \t\r\n", id[len - 1]))
        len--;
    at += len > 0 && *at == '-';
    while (dot && at < dot && isdigit((unsigned char)*at))
        at++;
    if (dot && dot > id && at == dot && isdigit((unsigned char)dot[-1]) && dot + 1 < id + len &&
        strspn(dot + 1, "0") >= (size_t)(id + len - dot - 1))
        len = (size_t)(dot - id);
    composed = u8_normalize(UNINORM_NFC, (const uint8_t *)id, len, NULL, &size);
    plain = composed ? json_stringn((const char *)composed, size) : NULL;
    free(composed);
    return plain;
}

static bool is_new(struct naming *naming, const char *from, const char *to)
{
    struct buf BUF_AUTO pair = {0};

    buf_addf(&pair, "%s\n%s", from, to);
    if (!pair.data || json_object_get(naming->pairs, pair.data))
        return false;
    json_object_set_new(naming->pairs, pair.data, json_true());
    return true;
}

static void see_all(struct naming *naming, const json_t *nodes)
{
    const json_t *entry;
    size_t i;

    json_array_foreach((json_t *)nodes, i, entry)
    {
        const char *id = json_get_string(entry, "node_id"),
                   *title = json_get_string(entry, "title");
        json_auto_t *key = title ? column_same(title, strlen(title)) : NULL;
        json_auto_t *plain = id ? prerequisites_plain_id(id, strlen(id)) : NULL;
        json_t *same = json_object_get(naming->titles, key ? json_string_value(key) : "");

        if (id)
            json_object_set_new(naming->ids, id, json_true());
        if (plain && !json_object_get(naming->plain, json_string_value(plain)))
            json_object_set_new(naming->plain, json_string_value(plain), json_string(id));
        if (id && key && same)
            json_array_append_new(same, json_string(id));
        else if (id && key)
            json_object_set_new(naming->titles, json_string_value(key), json_pack("[s]", id));
    }
    json_array_foreach(naming->relationships, i, entry)
    {
        const char *from = json_get_string(entry, "from_node_id");
        const char *to = json_get_string(entry, "to_node_id");

        if (from && to)
            is_new(naming, from, to);
    }
}

static void report_value(struct naming *naming, const char *text, const char *why)
{
    findings_add(&naming->report->lines, FINDING_LEFT_OUT,
                 PLACE(naming->name, (size_t)naming->line, text), "'%s' names %s", naming->column,
                 why);
}

static void add(struct naming *naming, const char *from, const char *text)
{
    const char *to = json_string_value(naming->to);

    if (to && strcmp(from, to) == 0) {
        report_value(naming, text, "the row itself");
    } else if (to && is_new(naming, from, to)) {
        json_array_append_new(naming->relationships,
                              json_pack("{s:s, s:s, s:s}", "from_node_id", from, "to_node_id", to,
                                        "relationship_type", TYPE));
        naming->made++;
    }
}

/* Whether the text is an id, or a title. */
static bool names_node(struct naming *naming, const char *text, size_t len, bool last)
{
    json_auto_t *whole = json_stringn(text, len), *title = column_same(text, len),
                *plain = prerequisites_plain_id(text, len);
    const char *id = json_string_value(whole);
    const json_t *same = json_object_get(naming->titles, json_string_value(title)),
                 *written = json_object_get(naming->plain, json_string_value(plain));

    if (json_object_get(naming->ids, id))
        add(naming, id, id);
    else if (written)
        add(naming, json_string_value(written), id);
    else if (json_array_size(same) == 1)
        add(naming, json_string_value(json_array_get(same, 0)), id);
    else if (same)
        report_value(naming, id, "a title of several rows: write an id");
    else if (last)
        report_value(naming, id, "neither the id nor the title of another row");
    else
        return false;
    return true;
}

/* The parts of a text between separators[level]. */
static void read_parts(struct naming *naming, const char *text, size_t len, size_t level)
{
    const char *end = text + len;

    while (text <= end) {
        const char *from = text, *stop = text;

        while (stop < end && !(*separators[level] && strchr(separators[level], *stop)))
            stop++;
        text = stop + 1;
        while (from < stop && (*from == ' ' || *from == '\t'))
            from++;
        while (stop > from && strchr(" \t\r\n", stop[-1]))
            stop--;
        if (stop > from &&
            !names_node(naming, from, (size_t)(stop - from), !separators[level + 1]) &&
            separators[level + 1])
            read_parts(naming, from, (size_t)(stop - from), level + 1);
    }
}

static void finish(struct naming *naming)
{
    json_decref(naming->ids);
    json_decref(naming->plain);
    json_decref(naming->titles);
    json_decref(naming->pairs);
}

void prerequisites_add(const json_t *nodes, const json_t *cells, const char *name,
                       const char *column, json_t *relationships, struct format_report *report)
{
    struct naming naming = {.name = name,
                            .column = column,
                            .report = report,
                            .ids = json_object(),
                            .plain = json_object(),
                            .titles = json_object(),
                            .pairs = json_object(),
                            .relationships = relationships};
    const json_t *cell;
    size_t i;

    see_all(&naming, nodes);
    json_array_foreach((json_t *)cells, i, cell)
    {
        const json_t *text = json_object_get(cell, "text");

        naming.to = json_object_get(cell, "to");
        naming.line = json_integer_value(json_object_get(cell, "line"));
        read_parts(&naming, json_string_value(text), json_string_length(text), 0);
    }
    findings_add_count(&report->lines, FINDING_READ, naming.made, PLACE(name, 0, NULL),
                       "relationships " TYPE " from the column '%s'", column);
    finish(&naming);
}

void prerequisites_resolve(const json_t *nodes, json_t *relationships, const char *name,
                           struct format_report *report)
{
    static const char *const ends[] = {"from_node_id", "to_node_id"};
    struct naming naming = {.ids = json_object(),
                            .plain = json_object(),
                            .titles = json_object(),
                            .pairs = json_object(),
                            .relationships = relationships};
    size_t i, replaced = 0;
    json_t *edge;

    see_all(&naming, nodes);
    json_array_foreach(relationships, i, edge)
    {
        for (size_t end = 0; end < 2; end++) {
            const char *id = json_get_string(edge, ends[end]);
            size_t len = id ? strlen(id) : 0;
            json_auto_t *plain = id ? prerequisites_plain_id(id, len) : NULL;
            json_auto_t *title = id ? column_same(id, len) : NULL;
            json_t *found = plain ? json_object_get(naming.plain, json_string_value(plain)) : NULL;
            const json_t *same =
                title ? json_object_get(naming.titles, json_string_value(title)) : NULL;

            if (!id || json_object_get(naming.ids, id))
                continue;
            if (!found && json_array_size(same) == 1)
                found = json_array_get(same, 0);
            if (found) {
                json_object_set(edge, ends[end], found);
                replaced++;
            }
        }
    }
    findings_add_count(&report->lines, FINDING_CHANGED, replaced, PLACE(name, 0, NULL),
                       "ends of relationships that are titles, or ids in another form, are "
                       "replaced by the ids of their nodes");
    finish(&naming);
}
