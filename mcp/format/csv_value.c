/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What headings and cells mean: the tables of names and types, as tools in the field write them.
 */
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "helpers/base/json.h"
#include "mcp/format/csv.h"

static const struct {
    const char *name;
    enum csv_kind kind;
} types[] = {
    {"string", CSV_TEXT},  {"int", CSV_NUMBER},   {"integer", CSV_NUMBER}, {"long", CSV_NUMBER},
    {"short", CSV_NUMBER}, {"float", CSV_NUMBER}, {"double", CSV_NUMBER},  {"boolean", CSV_BOOLEAN},
    {"bool", CSV_BOOLEAN}, {"json", CSV_JSON},
};

/* Numbers by the contract, or by Gephi, whatever the heading says of them. */
static const char *const numbers[] = {"chapter_id", "confidence_score", "weight", NULL};

/* Best first. A name that begins with ":" is Neo4j's type of a column: "personId:ID(Person)". */
static const char *const role_names[][12] = {
    [CSV_ID] = {":ID", "id", "node_id", "nodeid", "node", "key"},
    [CSV_TITLE] = {"label", "title", "name", "shared name"},
    [CSV_SOURCE] = {":START_ID", "source", "from_node_id", "from", "source_id", "from_id",
                    "start_id", "start", "source_node"},
    [CSV_TARGET] = {":END_ID", "target", "to_node_id", "to", "target_id", "to_id", "end_id", "end",
                    "target_node"},
    [CSV_TYPE] = {"relationship_type", ":TYPE", "type", "relationship", "relation", "interaction",
                  "kind"},
    [CSV_FIELD] = {NULL},
};

size_t csv_heading(const char *heading, enum csv_kind *kind)
{
    const char *colon = strrchr(heading, ':');

    *kind = CSV_TEXT;
    for (size_t i = 0; numbers[i]; i++)
        if (!strcasecmp(numbers[i], heading))
            *kind = CSV_NUMBER;
    for (size_t i = 0; colon && colon > heading && i < sizeof types / sizeof types[0]; i++) {
        if (!strcasecmp(types[i].name, colon + 1)) {
            *kind = types[i].kind;
            return (size_t)(colon - heading);
        }
    }
    return strlen(heading);
}

static json_t *number_of(const char *cell, size_t len)
{
    /* JSON text may have blanks around it; a cell with them is left as it is. */
    if (len == 0 || strchr(" \t\r\n\"{[tfn", cell[0]) || strchr(" \t\r\n", cell[len - 1]))
        return NULL;
    return json_read(cell, len, "", NULL);
}

json_t *csv_value(const char *cell, size_t len, enum csv_kind kind)
{
    switch (kind) {
    case CSV_TEXT:
        return json_stringn(cell, len);
    case CSV_NUMBER:
        return number_of(cell, len);
    case CSV_BOOLEAN:
        return !strcasecmp(cell, "true")    ? json_true()
               : !strcasecmp(cell, "false") ? json_false()
                                            : NULL;
    case CSV_JSON:
        return json_read(cell, len, "", NULL);
    }
    return NULL;
}

static bool is_of_type(const char *heading, const char *type)
{
    const char *colon = strrchr(heading, ':');
    size_t len = strlen(type);

    return colon && !strncasecmp(colon, type, len) && (colon[len] == '\0' || colon[len] == '(');
}

int csv_role_rank(enum csv_role role, const char *heading)
{
    enum csv_kind kind;
    size_t len = csv_heading(heading, &kind);

    while (len > 0 && heading[0] == ' ') {
        heading++;
        len--;
    }
    while (len > 0 && heading[len - 1] == ' ')
        len--;
    for (int i = 0; role_names[role][i]; i++) {
        const char *name = role_names[role][i];

        if (name[0] == ':' ? is_of_type(heading, name)
                           : strlen(name) == len && !strncasecmp(name, heading, len))
            return i;
    }
    return -1;
}
