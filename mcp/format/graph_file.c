/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Nodes and edges of other tools by the roles of their fields. For each role the names of fields
 * that mean it are found once in a file, best first; each entry has the first of them that it has.
 */
#include "mcp/format/graph_file.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/component_type.h"
#include "mcp/format/column_role.h"

#define NAMES_CAP 100u /* of one role in a file; fields with more are left as they are */
#define NAME_SIZE 512  /* bytes of a field's name with a number after it; longer ones are cut */
#define ID_SIZE   32   /* of an id that is made */
#define MADE_ID   "N%03zu"

#define FROM "from_node_id"
#define TO   "to_node_id"
#define TYPE "relationship_type"

void graph_file_begin(struct graph_file *graph, const char *place, struct format_report *report)
{
    *graph = (struct graph_file){.node_place = place,
                                 .edge_place = place,
                                 .report = report,
                                 .nodes = json_array(),
                                 .edges = json_array(),
                                 .node_lines = json_array(),
                                 .edge_lines = json_array(),
                                 .parents = json_array(),
                                 .node_ids = json_array()};
}

void graph_file_finish(struct graph_file *graph)
{
    json_decref(graph->nodes);
    json_decref(graph->edges);
    json_decref(graph->node_lines);
    json_decref(graph->edge_lines);
    json_decref(graph->parents);
    json_decref(graph->node_ids);
}

void graph_file_add_node(struct graph_file *graph, json_t *entry, size_t line, const json_t *parent)
{
    json_array_append_new(graph->nodes, entry);
    json_array_append_new(graph->node_lines, json_integer((json_int_t)line));
    json_array_append_new(graph->parents, parent ? json_incref((json_t *)parent) : json_null());
}

void graph_file_add_edge(struct graph_file *graph, json_t *entry, size_t line, bool directed)
{
    json_array_append_new(graph->edges, entry);
    json_array_append_new(graph->edge_lines, json_integer((json_int_t)line));
    graph->undirected += !directed;
}

static size_t line_of(const json_t *lines, size_t i)
{
    return (size_t)json_integer_value(json_array_get(lines, i));
}

/* ---- values ---- */

void graph_file_set(struct graph_file *graph, json_t *entry, const char *key, json_t *value,
                    const char *place, size_t line)
{
    char name[NAME_SIZE];
    const json_t *there = json_object_get(entry, key);

    snprintf(name, sizeof name, "%s", key);
    for (unsigned n = 2; value && there && !json_equal((json_t *)there, value); n++) {
        if (n > GRAPH_FILE_SAME_CAP) {
            findings_add(&graph->report->lines, FINDING_LEFT_OUT, PLACE(place, line, key),
                         "more than %u fields of one entry have the same name",
                         GRAPH_FILE_SAME_CAP);
            json_decref(value);
            return;
        }
        snprintf(name, sizeof name, "%.*s (%u)", NAME_SIZE - 16, key, n);
        there = json_object_get(entry, name);
    }
    if (!value)
        return;
    if (strcmp(name, key) != 0 && !there)
        findings_add(&graph->report->lines, FINDING_CHANGED, PLACE(place, line, key),
                     "a name of a field that is taken has a number after it, as in 'title (2)'");
    if (strcmp(name, key) == 0)
        json_object_set_new(entry, key, value); /* whole, if it was cut */
    else
        json_object_set_new(entry, name, value);
}

int graph_file_set_defaults(struct graph_file *graph, json_t *entry, const json_t *defaults,
                            struct error *err)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)defaults, key, value)
    {
        if (json_object_get(entry, key))
            continue;
        if (++graph->defaults > GRAPH_FILE_DEFAULTS_CAP)
            return error_set(err, ERROR_TOO_LARGE,
                             "%s: the defaults of attributes give more than %u values: write "
                             "them in each node, or without defaults",
                             graph->node_place, GRAPH_FILE_DEFAULTS_CAP);
        json_object_set(entry, key, value);
    }
    return 0;
}

static const char blanks[] = " \t\r\n";

static size_t trim(const char **text, size_t len)
{
    while (len > 0 && strchr(blanks, **text)) {
        (*text)++;
        len--;
    }
    while (len > 0 && strchr(blanks, (*text)[len - 1]))
        len--;
    return len;
}

static json_t *read_whole(const char *text, size_t len)
{
    char *end;
    long long number;

    errno = 0;
    number = strtoll(text, &end, 10);
    return errno == 0 && end == text + len && isdigit((unsigned char)end[-1]) ? json_integer(number)
                                                                              : NULL;
}

static json_t *read_real(const char *text, size_t len)
{
    char *end;
    double number;

    if (len == 0 || strspn(text, "+-.0123456789eE") != len) /* neither "nan" nor hexadecimal */
        return NULL;
    number = strtod(text, &end);
    return end == text + len && isfinite(number) ? json_real(number) : NULL;
}

static json_t *read_boolean(const char *text)
{
    bool yes = strcasecmp(text, "true") == 0 || strcmp(text, "1") == 0;

    return yes || strcasecmp(text, "false") == 0 || strcmp(text, "0") == 0 ? json_boolean(yes)
                                                                           : NULL;
}

static json_t *read_scalar(const char *type, const char *text, size_t len);

/* One element, which may stand in quotes; *at is moved behind it. NULL if a quote is not closed. */
static json_t *read_element(const char **at, const char *end, const char *separators,
                            const char *type)
{
    char quote = '\0';
    struct buf BUF_AUTO text = {0};
    const char *from;
    size_t len;

    while (*at < end && strchr(blanks, **at))
        (*at)++;
    if (*at < end && (**at == '"' || **at == '\''))
        quote = *(*at)++;
    for (; *at < end && (quote ? **at != quote : !strchr(separators, **at)); (*at)++) {
        if (quote && **at == '\\' && *at + 1 < end)
            (*at)++;
        buf_addc(&text, **at);
    }
    if (quote && *at == end)
        return NULL;
    *at += quote != '\0';
    while (*at < end && strchr(blanks, **at))
        (*at)++;
    from = text.data ? text.data : "";
    len = quote ? text.len : trim(&from, text.len);
    {
        json_auto_t *element = json_stringn(from, len);

        return element ? read_scalar(type, json_string_value(element), len) : NULL;
    }
}

/* As Gephi writes it, "[a, b]", or as GEXF's examples, "a|b". */
static json_t *read_list(const char *type, const char *text, size_t len)
{
    bool bracketed = len >= 2 && ((text[0] == '[' && text[len - 1] == ']') ||
                                  (text[0] == '(' && text[len - 1] == ')'));
    const char *end = text + len - bracketed, *separators = bracketed           ? ","
                                                            : strchr(text, '|') ? "|"
                                                            : strchr(text, ';') ? ";"
                                                                                : ",";
    json_auto_t *list = json_array();

    if (!bracketed && strchr("[(", *text))
        return NULL; /* one that is not closed */
    text += bracketed;
    len = (size_t)(end - text);
    if (trim(&text, len) == 0)
        return json_incref(list);
    while (text <= end) {
        json_t *element = read_element(&text, end, separators, type);

        if (!element || (text < end && !strchr(separators, *text))) {
            json_decref(element);
            return NULL;
        }
        json_array_append_new(list, element);
        text++;
    }
    return json_incref(list);
}

/* The value of a text without blanks around it; NULL if it does not fit the type. */
static json_t *read_scalar(const char *type, const char *text, size_t len)
{
    static const char *const wholes[] = {"int", "integer", "long", "short", "byte", "biginteger"};
    static const char *const reals[] = {"float", "double", "bigdecimal"};

    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++)
        if (strcasecmp(type, wholes[i]) == 0)
            return read_whole(text, len);
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        if (strcasecmp(type, reals[i]) == 0)
            return read_real(text, len);
    if (strcasecmp(type, "boolean") == 0)
        return read_boolean(text);
    return json_stringn(text, len);
}

json_t *graph_file_value(struct graph_file *graph, const char *type, const json_t *given,
                         const char *key, size_t line)
{
    const char *text = json_string_value(given);
    size_t len = trim(&text, json_string_length(given));
    bool is_list = strncasecmp(type, "list", 4) == 0, fits;
    json_auto_t *trimmed = json_stringn(text, len);
    json_t *value;

    text = json_string_value(trimmed);
    value = is_list ? read_list(type + 4, text, len) : read_scalar(type, text, len);
    if (value && (is_list || !json_is_string(value)))
        return value;
    fits = value;
    json_decref(value);
    if (!fits)
        findings_add(&graph->report->lines, FINDING_CHANGED, PLACE(graph->node_place, line, text),
                     "a value of '%s' is not of its type, %s: it is kept as text", key, type);
    return json_incref((json_t *)given);
}

/* ---- roles ---- */

/* The names of the fields of all entries. */
static json_t *names_of(const json_t *entries)
{
    json_t *names = json_object();
    const json_t *entry;
    size_t i;

    json_array_foreach((json_t *)entries, i, entry)
    {
        const char *key;
        json_t *value;

        json_object_foreach((json_t *)entry, key, value)
            json_object_set_new(names, key, json_true());
    }
    return names;
}

static int compare_rank(const void *left, const void *right)
{
    const json_t *a = *(json_t *const *)left, *b = *(json_t *const *)right;
    json_int_t one = json_integer_value(json_array_get(a, 0)),
               other = json_integer_value(json_array_get(b, 0));

    return one < other ? -1 : one > other;
}

/* Those of the names that mean the role, best first. words: also those that a person writes, and
 * that may mean something else. */
static json_t *names_of_role(const struct graph_file *graph, const json_t *names,
                             enum column_role role, bool words)
{
    json_t *found[NAMES_CAP], *list = json_array(), *value;
    const char *key;
    size_t count = 0;

    json_object_foreach((json_t *)names, key, value)
    {
        enum column_fit fit = COLUMN_BY_TOOL;
        enum column_role mapped = column_role_mapped(graph->report->map, key, strlen(key));
        size_t rank = column_role_rank(role, key, strlen(key), &fit);

        if (mapped != COLUMN_ROLES)
            rank = mapped == role;
        else if (fit == COLUMN_BY_WORD && !words)
            rank = 0;
        if (rank > 0 && count < NAMES_CAP)
            found[count++] = json_pack("[I, s]", (json_int_t)(mapped == role ? 0 : rank), key);
    }
    qsort(found, count, sizeof *found, compare_rank);
    for (size_t i = 0; i < count; i++) {
        json_array_append(list, json_array_get(found[i], 1));
        json_decref(found[i]);
    }
    return list;
}

/* Text, or a number as text; NULL: another kind of value, or a blank. */
static json_t *text_of(const json_t *value)
{
    const char *text = json_string_value(value);

    if (json_is_integer(value))
        return json_sprintf("%lld", json_integer_value(value));
    if (json_is_real(value)) {
        struct buf BUF_AUTO number = {0};

        json_write(&number, value);
        return json_stringn(number.data, number.len);
    }
    return text && trim(&text, json_string_length(value)) > 0 ? json_incref((json_t *)value) : NULL;
}

/* Takes the first of the names that the entry has out of it, as text. */
static json_t *take(json_t *entry, const json_t *names)
{
    const json_t *name;
    size_t i;

    json_array_foreach((json_t *)names, i, name)
    {
        json_t *text = text_of(json_object_get(entry, json_string_value(name)));

        if (text) {
            json_object_del(entry, json_string_value(name));
            return text;
        }
    }
    return NULL;
}

/* Gives the entry the field key, by role, as text. False: it has none. */
static bool name_field(json_t *entry, const char *key, const json_t *names)
{
    json_t *there = json_object_get(entry, key), *text = there ? text_of(there) : NULL;

    if (there && !text && !json_is_null(there) && !json_is_string(there))
        return true; /* the rules of the contract are checked later */
    if (!text)
        text = take(entry, names);
    if (text)
        json_object_set_new(entry, key, text);
    return text;
}

static void leave_out(struct graph_file *graph, const json_t *entry, const char *place, size_t line,
                      const char *why)
{
    struct buf BUF_AUTO text = {0};

    json_write(&text, entry);
    buf_addc(&text, '\0');
    findings_add(&graph->report->lines, FINDING_LEFT_OUT, PLACE(place, line, text.data), "%s", why);
}

/* ---- nodes ---- */

struct node_counts {
    size_t ids, titles;
};

static void complete_node(struct graph_file *graph, json_t *entry, size_t i, bool has_id,
                          bool has_title, json_t *taken, struct node_counts *made)
{
    char id[ID_SIZE];

    if (!has_id) {
        size_t n = i + 1;

        do
            snprintf(id, sizeof id, MADE_ID, n++);
        while (json_object_get(taken, id));
        json_object_set_new(entry, "node_id", json_string(id));
        made->ids++;
    }
    if (!has_title) {
        json_object_set(entry, "title", json_object_get(entry, "node_id"));
        made->titles++;
    }
    if (json_object_get(entry, "components") &&
        !json_is_array(json_object_get(entry, "components"))) {
        json_t *components = json_incref(json_object_get(entry, "components"));

        json_object_del(entry, "components");
        graph_file_set(graph, entry, "components (text)", components, graph->node_place,
                       line_of(graph->node_lines, i));
        findings_add(&graph->report->lines, FINDING_CHANGED,
                     PLACE(graph->node_place, line_of(graph->node_lines, i), NULL),
                     "a value of 'components' is not a list of them: it is kept in 'components "
                     "(text)'");
    }
    id[0] = '\0';
    if (json_object_get(taken,
                        json_get_string(entry, "node_id") ? json_get_string(entry, "node_id") : id))
        findings_add(&graph->report->lines, FINDING_READ,
                     PLACE(graph->node_place, line_of(graph->node_lines, i),
                           json_get_string(entry, "node_id")),
                     "another node has the same id; both are kept");
    if (json_get_string(entry, "node_id"))
        json_object_set_new(taken, json_get_string(entry, "node_id"), json_true());
}

static int name_nodes(struct graph_file *graph, struct error *err)
{
    json_auto_t *names = names_of(graph->nodes), *nodes = json_array(), *lines = json_array(),
                *parents = json_array(), *taken = json_object();
    json_auto_t *ids = names_of_role(graph, names, COLUMN_ID, false),
                *titles = names_of_role(graph, names, COLUMN_TITLE, false);
    struct node_counts made = {0};
    size_t count = json_array_size(graph->nodes);

    for (size_t i = 0; i < count; i++) {
        json_t *entry = json_array_get(graph->nodes, i);
        bool has_id = name_field(entry, "node_id", ids),
             has_title = name_field(entry, "title", titles);

        if (!has_id && !has_title) {
            leave_out(graph, entry, graph->node_place, line_of(graph->node_lines, i),
                      "a node without an id and a title");
            json_array_append_new(graph->node_ids, json_null());
            continue;
        }
        complete_node(graph, entry, i, has_id, has_title, taken, &made);
        json_array_append(graph->node_ids, json_object_get(entry, "node_id"));
        json_array_append(nodes, entry);
        json_array_append(lines, json_array_get(graph->node_lines, i));
        json_array_append(parents, json_array_get(graph->parents, i));
    }
    if (count > 0 && json_array_size(nodes) == 0)
        return error_set(err, ERROR_INVALID,
                         "%s[0]: it has no node_id: send {\"nodes\": [{\"node_id\": \"N1\", "
                         "\"title\": \"Counting\"}], \"relationships\": [{\"from_node_id\": "
                         "\"N1\", \"to_node_id\": \"N2\", \"relationship_type\": "
                         "\"PREREQUISITE\"}]}, or nodes with id and links with source and target",
                         graph->node_place);
    json_decref(graph->nodes);
    graph->nodes = json_incref(nodes);
    json_decref(graph->node_lines);
    graph->node_lines = json_incref(lines);
    json_decref(graph->parents);
    graph->parents = json_incref(parents);
    if (made.ids > 0)
        format_note(graph->report, "%s: %zu node%s no id, and get%s one: N001 and so on",
                    graph->node_place, made.ids, made.ids == 1 ? " has" : "s have",
                    made.ids == 1 ? "s" : "");
    if (made.titles > 0)
        format_note(graph->report, "%s: %zu node%s no title: the id stands for it",
                    graph->node_place, made.titles, made.titles == 1 ? " has" : "s have");
    return 0;
}

/* ---- edges ---- */

/* D3 replaces the ends by the nodes themselves. */
static void take_end(struct graph_file *graph, json_t *entry, const char *key, const json_t *names,
                     const json_t *ids)
{
    const json_t *name;
    size_t i;

    json_array_foreach((json_t *)names, i, name)
    {
        json_t *node = json_object_get(entry, json_string_value(name));
        json_t *id = json_is_object(node) ? json_object_get(node, "node_id") : NULL;
        size_t n;
        const json_t *at;

        if (!json_is_object(node))
            continue;
        json_array_foreach((json_t *)ids, n, at)
        {
            if (!id)
                id = json_object_get(node, json_string_value(at));
        }
        if (!id)
            id = json_object_get(node, "index");
        if (!id)
            continue;
        json_incref(id);
        json_object_del(entry, json_string_value(name));
        json_object_set_new(entry, key, id);
        break;
    }
    graph->numbers += json_is_integer(json_object_get(entry, key));
    if (json_object_get(entry, key))
        return;
    json_array_foreach((json_t *)names, i, name)
    {
        const json_t *there = json_object_get(entry, json_string_value(name));

        if (there && (json_is_integer(there) || json_is_string(there))) {
            graph->numbers += json_is_integer(there);
            return;
        }
    }
}

/* A label may be a number, as of a weight. */
static bool is_number(const json_t *text)
{
    json_auto_t *number = read_real(json_string_value(text), json_string_length(text));

    return number;
}

/* The type: from the first of the names with a text that is no direction. */
static bool take_type(struct graph_file *graph, json_t *entry, size_t i, const json_t *names)
{
    const json_t *name;
    size_t n;

    json_array_foreach((json_t *)names, n, name)
    {
        const char *key = json_string_value(name), *type = json_get_string(entry, key),
                   *contract = type ? relationship_type_spelled(type) : NULL;
        json_t *text = type ? text_of(json_object_get(entry, key)) : NULL;

        if (!text || is_number(text)) {
            json_decref(text);
            continue;
        }
        json_object_del(entry, key);
        if (strcasecmp(json_string_value(text), "directed") == 0 ||
            strcasecmp(json_string_value(text), "undirected") == 0 ||
            strcasecmp(json_string_value(text), "mutual") == 0) { /* Gephi's Type */
            graph->undirected += strcasecmp(json_string_value(text), "directed") != 0;
            json_decref(text);
            continue;
        }
        if (contract && strcmp(contract, json_string_value(text)) != 0) {
            findings_add(
                &graph->report->lines, FINDING_CHANGED,
                PLACE(graph->edge_place, line_of(graph->edge_lines, i), json_string_value(text)),
                "a type of relationships in other letters is written as %s", contract);
            json_decref(text);
            text = json_string(contract);
        }
        json_object_set_new(entry, TYPE, text);
        return true;
    }
    return false;
}

/* The names of fields that may have the type: those of a type, then those of a label. */
static json_t *type_names(const struct graph_file *graph, const json_t *names)
{
    static const char *const labels[] = {"label", "edge label", "edgelabel"}; /* Gephi's, too */
    json_t *list = json_array();
    json_auto_t *types = names_of_role(graph, names, COLUMN_TYPE, true);
    const char *key;
    json_t *value;

    if (json_object_get(names, TYPE))
        json_array_append_new(list, json_string(TYPE));
    json_array_extend(list, types);
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        json_object_foreach((json_t *)names, key, value)
        {
            if (strcasecmp(key, labels[i]) == 0 && json_array_size(list) < NAMES_CAP)
                json_array_append_new(list, json_string(key));
        }
    return list;
}

static void name_edges(struct graph_file *graph, size_t *unread)
{
    json_auto_t *names = names_of(graph->edges), *edges = json_array(), *lines = json_array();
    json_auto_t *sources = names_of_role(graph, names, COLUMN_SOURCE, true),
                *targets = names_of_role(graph, names, COLUMN_TARGET, true),
                *types = type_names(graph, names),
                *ids = json_pack("[s, s, s]", "id", "node_id", "key");
    size_t untyped = 0, count = json_array_size(graph->edges);

    for (size_t i = 0; i < count; i++) {
        json_t *entry = json_array_get(graph->edges, i);
        bool from, to;

        take_end(graph, entry, FROM, sources, ids);
        take_end(graph, entry, TO, targets, ids);
        from = name_field(entry, FROM, sources);
        to = name_field(entry, TO, targets);
        if (!from || !to)
            continue;
        if (!take_type(graph, entry, i, types)) {
            json_object_set_new(entry, TYPE, json_string(format_untyped(graph->report)));
            untyped++;
        }
        json_array_append(edges, entry);
        json_array_append(lines, json_array_get(graph->edge_lines, i));
    }
    *unread = json_array_size(edges) == 0 ? count : 0;
    for (size_t i = 0; i < count && *unread == 0; i++) {
        const json_t *entry = json_array_get(graph->edges, i);

        if (!json_object_get(entry, FROM) || !json_object_get(entry, TO))
            leave_out(graph, entry, graph->edge_place, line_of(graph->edge_lines, i),
                      json_object_get(entry, FROM) ? "a relationship without a target"
                                                   : "a relationship without a source");
    }
    json_decref(graph->edges);
    graph->edges = json_incref(edges);
    json_decref(graph->edge_lines);
    graph->edge_lines = json_incref(lines);
    if (untyped > 0)
        format_note_untyped(graph->report, graph->edge_place, untyped, "relationships");
    if (graph->undirected > 0 && *unread == 0)
        findings_add_count(&graph->report->lines, FINDING_CHANGED, graph->undirected,
                           PLACE(graph->edge_place, 0, NULL),
                           "relationships without a direction: read as from source to target");
}

static json_t *ids_of(const json_t *nodes)
{
    json_t *ids = json_object();
    const json_t *entry;
    size_t i;

    json_array_foreach((json_t *)nodes, i, entry)
    {
        const char *id = json_get_string(entry, "node_id");

        if (id && !json_object_get(ids, id))
            json_object_set_new(ids, id, json_integer((json_int_t)i));
    }
    return ids;
}

/* Ends that are all numbers, and not all ids, are places of nodes. */
static void replace_places(struct graph_file *graph)
{
    static const char *const ends[] = {FROM, TO};
    size_t count = json_array_size(graph->edges), places = json_array_size(graph->node_ids);
    json_auto_t *ids = ids_of(graph->nodes);
    bool all_ids = true;

    if (!graph->by_place || count == 0 || graph->numbers != 2 * count)
        return;
    for (size_t i = 0; i < 2 * count; i++) {
        const char *end = json_get_string(json_array_get(graph->edges, i / 2), ends[i % 2]);
        const json_t *place = end ? json_array_get(graph->node_ids, strtoul(end, NULL, 10)) : NULL;

        if (!end || *end == '-' || strtoul(end, NULL, 10) >= places || !json_is_string(place))
            return;
        all_ids = all_ids && json_object_get(ids, end);
    }
    if (all_ids)
        return;
    for (size_t i = 0; i < 2 * count; i++) {
        json_t *edge = json_array_get(graph->edges, i / 2);
        const char *end = json_get_string(edge, ends[i % 2]);

        json_object_set(edge, ends[i % 2], json_array_get(graph->node_ids, strtoul(end, NULL, 10)));
    }
    format_note(graph->report,
                "%s: the ends of the relationships are numbers of nodes, counted from 0",
                graph->edge_place);
}

/* ---- groups, chapters, order, prerequisites ---- */

/* "Outer: Inner" of the group with that id. */
static json_t *chapter_of(const struct graph_file *graph, const json_t *ids, const char *group)
{
    json_t *chapter = NULL;

    for (int deep = 0; group && deep < GRAPH_FILE_GROUPS_DEEP; deep++) {
        const json_t *place = json_object_get(ids, group);
        size_t i = (size_t)json_integer_value(place);
        const char *title =
            place ? json_get_string(json_array_get(graph->nodes, i), "title") : NULL;
        json_t *inner = chapter;

        if (!title)
            break;
        chapter =
            inner ? json_sprintf("%s: %s", title, json_string_value(inner)) : json_string(title);
        json_decref(inner);
        group = json_string_value(json_array_get(graph->parents, i));
    }
    return chapter;
}

/* Whether a group says no more than the name of a chapter. */
static bool is_bare(const struct graph_file *graph, const json_t *entry)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)entry, key, value)
    {
        const json_t *usual = json_object_get(graph->node_defaults, key);

        if (strcmp(key, "node_id") != 0 && strcmp(key, "title") != 0 &&
            strcmp(key, "chapter") != 0 && !(usual && json_equal((json_t *)usual, value)))
            return false;
    }
    return true;
}

static void make_chapters(struct graph_file *graph)
{
    json_auto_t *ids = ids_of(graph->nodes), *groups = json_object(), *ends = json_object(),
                *nodes = json_array(), *lines = json_array();
    size_t count = json_array_size(graph->nodes), i, made = 0;
    const json_t *edge;

    json_array_foreach(graph->edges, i, edge)
    {
        if (json_get_string(edge, FROM))
            json_object_set_new(ends, json_get_string(edge, FROM), json_true());
        if (json_get_string(edge, TO))
            json_object_set_new(ends, json_get_string(edge, TO), json_true());
    }
    for (i = 0; i < count; i++) {
        const char *group = json_string_value(json_array_get(graph->parents, i));
        json_t *node = json_array_get(graph->nodes, i), *chapter;

        if (!group)
            continue;
        if (!json_object_get(ids, group))
            findings_add(&graph->report->lines, FINDING_LEFT_OUT,
                         PLACE(graph->node_place, line_of(graph->node_lines, i), group),
                         "the group of a node does not exist");
        else
            json_object_set_new(groups, group, json_true());
        chapter = chapter_of(graph, ids, group);
        if (chapter)
            graph_file_set(graph, node, "chapter", chapter, graph->node_place,
                           line_of(graph->node_lines, i));
    }
    if (json_object_size(groups) == 0)
        return;
    for (i = 0; i < count; i++) {
        json_t *node = json_array_get(graph->nodes, i);
        const char *id = json_get_string(node, "node_id");

        if (id && json_object_get(groups, id) && !json_object_get(ends, id) &&
            is_bare(graph, node)) {
            made++;
            continue;
        }
        json_array_append(nodes, node);
        json_array_append(lines, json_array_get(graph->node_lines, i));
    }
    json_decref(graph->nodes);
    graph->nodes = json_incref(nodes);
    json_decref(graph->node_lines);
    graph->node_lines = json_incref(lines);
    if (made > 0)
        format_note(graph->report, "%s: %zu group%s the chapter of the nodes in %s",
                    graph->node_place, made, made == 1 ? " is" : "s are each",
                    made == 1 ? "it" : "them");
}

/* The best field of a role in the file, or NULL. */
static json_t *best_name(const struct graph_file *graph, enum column_role role)
{
    json_auto_t *names = names_of(graph->nodes), *list = names_of_role(graph, names, role, true);

    return json_incref(json_array_get(list, 0));
}

static void name_chapters(struct graph_file *graph)
{
    json_auto_t *name = best_name(graph, COLUMN_CHAPTER);
    const char *key = json_string_value(name);
    json_t *entry;
    size_t i;

    if (!key || strcmp(key, "chapter") == 0)
        return;
    json_array_foreach(graph->nodes, i, entry)
    {
        json_t *value = json_incref(json_object_get(entry, key));

        if (!value)
            continue;
        json_object_del(entry, key);
        findings_add(&graph->report->lines, FINDING_CHANGED,
                     PLACE(graph->node_place, line_of(graph->node_lines, i), key),
                     "a field is kept as 'chapter'");
        graph_file_set(graph, entry, "chapter", value, graph->node_place,
                       line_of(graph->node_lines, i));
    }
}

static int put_in_order(struct graph_file *graph, struct error *err)
{
    json_auto_t *name = best_name(graph, COLUMN_ORDER), *orders = json_array();
    const json_t *entry;
    size_t i;

    if (!name)
        return 0;
    json_array_foreach(graph->nodes, i, entry)
    {
        const json_t *value = json_object_get(entry, json_string_value(name));
        const char *text = json_string_value(value);
        char *end = NULL;
        double number = text ? strtod(text, &end) : json_number_value(value);
        bool is_number = text ? end > text && isfinite(number) : json_is_number(value);

        json_array_append_new(orders, is_number ? json_real(number) : json_null());
    }
    return csv_put_in_order(graph->nodes, orders, graph->node_place, graph->report, err);
}

static void add_cell(json_t *cells, const json_t *node, size_t line, const json_t *value)
{
    json_t *text = text_of(value);

    if (text)
        json_array_append_new(cells,
                              json_pack("{s:O, s:I, s:o}", "to", json_object_get(node, "node_id"),
                                        "line", (json_int_t)line, "text", text));
}

static void add_prerequisites(struct graph_file *graph)
{
    json_auto_t *name = best_name(graph, COLUMN_PREREQUISITES), *cells = json_array();
    const json_t *entry, *element;
    size_t i, n;

    json_array_foreach(graph->nodes, i, entry)
    {
        const json_t *value = name ? json_object_get(entry, json_string_value(name)) : NULL;
        size_t line = line_of(graph->node_lines, i);

        if (!json_get_string(entry, "node_id"))
            continue;
        add_cell(cells, entry, line, value);
        json_array_foreach((json_t *)value, n, element) add_cell(cells, entry, line, element);
    }
    if (json_array_size(cells) > 0)
        prerequisites_add(graph->nodes, cells, graph->node_place, json_string_value(name),
                          graph->edges, graph->report);
}

static void drop_ignored(const struct graph_file *graph, json_t *entries)
{
    json_auto_t *names = names_of(entries),
                *ignored = names_of_role(graph, names, COLUMN_IGNORE, false);
    json_t *entry;
    const json_t *name;
    size_t i, n;

    json_array_foreach(entries, i, entry)
    {
        json_array_foreach(ignored, n, name) json_object_del(entry, json_string_value(name));
    }
}

int graph_file_complete(struct graph_file *graph, size_t *unread, struct error *err)
{
    *unread = 0;
    if (column_role_check_map(graph->report->map, err) < 0)
        return -1;
    drop_ignored(graph, graph->nodes);
    drop_ignored(graph, graph->edges);
    name_edges(graph, unread);
    if (*unread > 0 && graph->by_place)
        return 0; /* they are no edges */
    if (name_nodes(graph, err) < 0)
        return -1;
    replace_places(graph);
    prerequisites_resolve(graph->nodes, graph->edges, graph->edge_place, graph->report);
    make_chapters(graph);
    name_chapters(graph);
    add_prerequisites(graph);
    return put_in_order(graph, err);
}

json_t *graph_file_curriculum(const struct graph_file *graph, const json_t *meta)
{
    json_t *curriculum =
        json_pack("{s:O, s:O}", "nodes", graph->nodes, "relationships", graph->edges);

    if (json_object_size(meta) > 0)
        json_object_set(curriculum, "meta", (json_t *)meta);
    return curriculum;
}
