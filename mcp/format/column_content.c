/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A column is the id if its cells are codes ("L1", "12", "adding"), each another one; the title if
 * its cells are short texts, nearly each another one; prerequisites if nearly all of its cells name
 * other rows, by id or title, without a circle and mostly rows above. Columns of numbers that
 * happen to be ids, of chapters and of parents pass some of these tests, so that they are told
 * apart by how often their values repeat. The first two columns are the ends of relationships if
 * all rows have both, no pair stands twice, and many names stand in both columns.
 */
#include "mcp/format/column_content.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unictype.h>
#include <unistr.h>

#include "helpers/base/json.h"
#include "mcp/format/format.h"

#define CODE_CAP      40u       /* bytes of an id */
#define CAPITALS_CAP  12u       /* bytes of an id without digits in capital letters */
#define TITLE_CAP     100u      /* characters of a title */
#define NEARLY        20u       /* one of so many cells may be unlike the others */
#define NAMED_LEAST   2u        /* rows that a column of prerequisites names */
#define NUMBERS_LEAST 3u        /* that it names where ids are numbers */
#define NEARLY_NAMED  10u       /* one of so many names may be that of no row */
#define NO_ID         "\x01%zu" /* of a row without one: no cell names it */
#define TRIED_FIRST   20u       /* cells by which most columns are found to be no prerequisites */

struct survey {
    const json_t *rows;
    size_t first; /* row below the headings */
    size_t count, columns;
    const struct column_known *known;
};

static const char *cell_at(const struct survey *survey, size_t row, size_t column)
{
    const char *text = json_string_value(json_array_get(json_array_get(survey->rows, row), column));

    return text ? text : "";
}

/* The text without the blanks around it; a new string. */
static json_t *trimmed(const char *text)
{
    size_t len;

    text += strspn(text, " \t\r\n");
    len = strlen(text);
    while (len > 0 && strchr(" \t\r\n", text[len - 1]))
        len--;
    return json_stringn(text, len);
}

static bool is_empty(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

/* ---- ids and titles ---- */

static bool is_number(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

/* "2026-03-31", "31.03.2026", "3/31/2026" */
static bool is_date(const char *text)
{
    size_t digits = 0, marks = 0, longest = 0;

    for (; *text; text++) {
        digits = isdigit((unsigned char)*text) ? digits + 1 : 0;
        longest = digits > longest ? digits : longest;
        if (digits == 0 && !strchr("-./", *text))
            return false;
        marks += digits == 0;
    }
    return marks == 2 && longest == 4;
}

/* A short text without blanks that no title looks like: with a digit, or in ASCII letters of one
 * case. */
static bool is_code(const char *text)
{
    size_t len = strlen(text), digits = 0, upper = 0, lower = 0, other = 0;

    if (len == 0 || len > CODE_CAP || is_date(text))
        return false;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c <= ' ' || strchr("@,;|", c))
            return false;
        digits += isdigit(c) != 0;
        upper += isupper(c) != 0;
        lower += islower(c) != 0;
        other += c >= 0x80;
    }
    return digits > 0 || (other == 0 && upper == 0) ||
           (other == 0 && lower == 0 && len <= CAPITALS_CAP);
}

static bool is_title(const char *text)
{
    size_t len = strlen(text), letters = 0;

    if (u8_mbsnlen((const uint8_t *)text, len) > TITLE_CAP || strstr(text, "://") ||
        strpbrk(text, "@\r\n"))
        return false;
    for (size_t at = 0; at < len;) {
        ucs4_t letter;

        at += (size_t)u8_mbtouc(&letter, (const uint8_t *)text + at, len - at);
        letters += uc_is_property_alphabetic(letter);
        letters += uc_is_property_ideographic(letter); /* one is a word */
    }
    return letters > 1;
}

/* Whether nearly all rows of a column have a text that is one, and each another. */
static bool is_column_of(const struct survey *survey, size_t column, bool (*is_one)(const char *),
                         bool strictly)
{
    json_auto_t *seen = json_object();
    size_t twice = 0, none = 0, filled = 0, unlike = 0;

    for (size_t row = survey->first; row < survey->count; row++) {
        json_auto_t *text = trimmed(cell_at(survey, row, column));
        const char *cell = text ? json_string_value(text) : "";

        if (!*cell) {
            none++;
            continue;
        }
        filled++;
        unlike += !is_one(cell);
        twice += json_object_get(seen, cell) != NULL;
        json_object_set_new(seen, cell, json_true());
    }
    return filled >= 2 && none * NEARLY <= filled &&
           (strictly ? twice + unlike == 0 : (twice + unlike) * NEARLY <= filled);
}

static bool is_known(const struct survey *survey, size_t column)
{
    const struct column_known *known = survey->known;

    return known->has_role[column] || known->id == column + 1 || known->title == column + 1 ||
           known->needs == column + 1;
}

/* ---- prerequisites ---- */

struct named_rows {
    json_t *nodes;  /* as the sheet would have them */
    json_t *row_of; /* id -> row */
    bool numbers;   /* all ids are numbers */
};

static void add_rows(const struct survey *survey, size_t id, size_t title, struct named_rows *named)
{
    named->nodes = json_array();
    named->row_of = json_object();
    named->numbers = id > 0;
    for (size_t row = survey->first; row < survey->count; row++) {
        json_auto_t *text = trimmed(title > 0 ? cell_at(survey, row, title - 1) : "");
        json_auto_t *key =
            id > 0 ? trimmed(cell_at(survey, row, id - 1)) : json_sprintf(NO_ID, row);
        const char *name = json_string_value(key);

        if (!name || !*name)
            continue;
        named->numbers = named->numbers && is_number(name);
        json_object_set_new(named->row_of, name, json_integer((json_int_t)row));
        json_array_append_new(named->nodes, json_pack("{s:O, s:O*}", "node_id", key, "title",
                                                      json_string_length(text) > 0 ? text : NULL));
    }
}

/* The cells of rows that a column names in, as many as that. */
static json_t *cells_of(const struct survey *survey, size_t id, size_t column, size_t most)
{
    json_t *cells = json_array();

    for (size_t row = survey->first; row < survey->count && json_array_size(cells) < most; row++) {
        const char *text = cell_at(survey, row, column);
        json_auto_t *key =
            id > 0 ? trimmed(cell_at(survey, row, id - 1)) : json_sprintf(NO_ID, row);

        if (!is_empty(text) && json_string_length(key) > 0)
            json_array_append_new(cells,
                                  json_pack("{s:O, s:i, s:s}", "to", key, "line", 0, "text", text));
    }
    return cells;
}

/* The relationships that a column would give; *missed: its names of no other row. */
static json_t *edges_of(const struct named_rows *named, const json_t *cells, size_t *missed)
{
    struct format_report report = {0};
    json_t *edges = json_array();

    prerequisites_add(named->nodes, cells, "", "", edges, &report);
    *missed = findings_count(&report.lines, FINDING_LEFT_OUT);
    findings_finish(&report.lines);
    return edges;
}

static json_int_t end_row(const struct named_rows *named, const json_t *edge, const char *end)
{
    const char *id = json_get_string(edge, end);

    return json_integer_value(id ? json_object_get(named->row_of, id) : NULL);
}

/* Whether no row needs itself by way of others: rows that need none are taken away, with what they
 * are needed for, until none is left. */
static bool is_free_of_circles(const struct survey *survey, const struct named_rows *named,
                               const json_t *edges)
{
    size_t count = json_array_size(edges), rows = survey->count, taken = 0, i;
    size_t *needed = calloc(rows + 1, sizeof *needed), *first = calloc(rows + 1, sizeof *first),
           *next = calloc(count + 1, sizeof *next), *free_rows = calloc(rows + 1, sizeof *first);
    size_t free_count = 0;
    const json_t *edge;

    if (!needed || !first || !next || !free_rows)
        abort();
    json_array_foreach((json_t *)edges, i, edge)
    {
        size_t from = (size_t)end_row(named, edge, "from_node_id");

        needed[end_row(named, edge, "to_node_id")]++;
        next[i] = first[from];
        first[from] = i + 1;
    }
    for (size_t row = 0; row < rows; row++)
        if (needed[row] == 0)
            free_rows[free_count++] = row;
    while (taken < free_count) {
        for (i = first[free_rows[taken++]]; i > 0; i = next[i - 1]) {
            json_int_t to = end_row(named, json_array_get(edges, i - 1), "to_node_id");

            if (--needed[to] == 0)
                free_rows[free_count++] = (size_t)to;
        }
    }
    free(needed);
    free(first);
    free(next);
    free(free_rows);
    return taken == rows;
}

/* Whether the values of the relationships leave little doubt that they are prerequisites. */
static bool are_prerequisites(const struct survey *survey, const struct named_rows *named,
                              const json_t *edges, const json_t *cells)
{
    size_t count = json_array_size(edges), above = 0, i;
    bool several = count > json_array_size(cells);
    json_auto_t *from = json_object();
    const json_t *edge;

    json_array_foreach((json_t *)edges, i, edge)
    {
        const char *id = json_get_string(edge, "from_node_id");

        if (id)
            json_object_set_new(from, id, json_true());
        above += end_row(named, edge, "from_node_id") < end_row(named, edge, "to_node_id");
    }
    if (above * 3 < count * 2)
        return false;
    /* One name a cell, and few names: chapters, parents, a mark. */
    if (!several && json_object_size(from) * 2 < count)
        return false;
    if (named->numbers &&
        (count < NUMBERS_LEAST || above < count || json_object_size(from) * 2 < count))
        return false;
    return above == count || is_free_of_circles(survey, named, edges);
}

static bool names_rows(const struct survey *survey, const struct named_rows *named, size_t id,
                       size_t column)
{
    json_auto_t *few = cells_of(survey, id, column, TRIED_FIRST), *cells = NULL, *edges = NULL;
    size_t missed;

    edges = edges_of(named, few, &missed);
    if (missed > json_array_size(edges))
        return false;
    json_decref(edges);
    cells = cells_of(survey, id, column, survey->count);
    edges = edges_of(named, cells, &missed);
    return json_array_size(edges) >= NAMED_LEAST &&
           missed * NEARLY_NAMED <= json_array_size(edges) &&
           are_prerequisites(survey, named, edges, cells);
}

/* A heading without the number by which several columns are told apart. */
static size_t stem_of(const char *heading)
{
    size_t len = strlen(heading);

    while (len > 0 && strchr("0123456789 _#.-()", heading[len - 1]))
        len--;
    return len;
}

/* The columns of prerequisites, where the title and the id are these. Of several, none is certain,
 * unless they have one heading with numbers. */
static void find_needs(const struct survey *survey, size_t id, size_t title,
                       struct column_content *found)
{
    struct named_rows named;
    const char *first = NULL;

    found->needs_count = 0;
    if (survey->known->without_needs || survey->known->needs > 0 || id + title == 0)
        return;
    add_rows(survey, id, title, &named);
    for (size_t column = 0; column < survey->columns; column++) {
        const char *heading = survey->first > 0 ? cell_at(survey, 0, column) : "";

        if (is_known(survey, column) || column + 1 == id || column + 1 == title ||
            !names_rows(survey, &named, id, column))
            continue;
        if (first && (stem_of(heading) == 0 || stem_of(heading) != stem_of(first) ||
                      strncmp(heading, first, stem_of(first)) != 0)) {
            found->needs_count = 0;
            break;
        }
        first = heading;
        if (found->needs_count < CONTENT_NEEDS_CAP)
            found->needs[found->needs_count++] = column + 1;
    }
    json_decref(named.nodes);
    json_decref(named.row_of);
}

/* ---- the ends of relationships ---- */

/* Neither a date nor a time. */
static bool is_end(const char *text)
{
    bool has_letter = strspn(text, "0123456789.,:;/- ") < strlen(text);

    return is_number(text) || (has_letter && (is_code(text) || is_title(text)));
}

/* The number of the names that stand in both. */
static size_t common(const json_t *names, const json_t *others)
{
    size_t count = 0;
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)names, name, value) count +=
        json_object_get(others, name) != NULL;
    return count;
}

/* Whether the heading of a column says nothing else. */
static bool may_be_end(const struct survey *survey, size_t column)
{
    const struct column_known *known = survey->known;

    return column < survey->columns &&
           (!known->has_role[column] || known->source == column + 1 || known->target == column + 1);
}

static bool are_ends(const struct survey *survey)
{
    json_auto_t *from = json_object(), *to = json_object(), *pairs = json_object();
    size_t fewer;
    bool numbers = survey->columns > 2; /* of these, two columns may have some by chance */

    for (size_t row = survey->first; row < survey->count; row++) {
        json_auto_t *source = trimmed(cell_at(survey, row, 0)),
                    *target = trimmed(cell_at(survey, row, 1)), *pair = NULL;
        const char *one = source ? json_string_value(source) : "",
                   *other = target ? json_string_value(target) : "";

        pair = json_sprintf("%s\n%s", one, other);
        if (!pair || !is_end(one) || !is_end(other) || strcmp(one, other) == 0 ||
            json_object_get(pairs, json_string_value(pair)))
            return false;
        json_object_set_new(pairs, json_string_value(pair), json_true());
        json_object_set_new(from, one, json_true());
        json_object_set_new(to, other, json_true());
        numbers = numbers && is_number(one) && is_number(other);
    }
    for (size_t column = 2; column < survey->columns; column++)
        if (is_column_of(survey, column, is_title, false))
            return false;
    fewer = json_object_size(from) < json_object_size(to) ? json_object_size(from)
                                                          : json_object_size(to);
    return !numbers && json_object_size(pairs) > 1 && common(from, to) * 2 >= fewer;
}

/* Whether an end of the first row stands in another. */
static bool is_first_end(const struct survey *whole)
{
    for (size_t row = 1; row < whole->count; row++)
        for (size_t end = 0; end < 4; end++)
            if (strcmp(cell_at(whole, row, end % 2), cell_at(whole, 0, end / 2)) == 0)
                return true;
    return false;
}

/* ---- the whole sheet ---- */

static size_t find_title(const struct survey *survey, size_t id)
{
    for (size_t column = 0; column < survey->columns; column++)
        if (!is_known(survey, column) && column + 1 != id &&
            is_column_of(survey, column, is_title, false))
            return column + 1;
    return 0;
}

/* Whether the known column of prerequisites names rows by the ids of this column. */
static bool is_named(const struct survey *survey, size_t id, size_t title)
{
    struct named_rows named;
    bool is;

    if (survey->known->needs == 0)
        return false;
    add_rows(survey, id, title, &named);
    is = names_rows(survey, &named, id, survey->known->needs - 1);
    json_decref(named.nodes);
    json_decref(named.row_of);
    return is;
}

/* The roles, by the rows from the first on. */
static struct column_content find_roles(const struct survey *survey)
{
    const struct column_known *known = survey->known;
    struct column_content found = {0};
    size_t title;

    for (size_t column = 0; known->id == 0 && found.id == 0 && column < survey->columns; column++) {
        if (is_known(survey, column) || !is_column_of(survey, column, is_code, true))
            continue;
        title = known->title > 0 ? known->title : find_title(survey, column + 1);
        find_needs(survey, column + 1, title, &found);
        if ((column == 0 && title > 0) || found.needs_count > 0 ||
            is_named(survey, column + 1, title))
            found.id = column + 1;
    }
    if (known->title == 0)
        found.title = find_title(survey, known->id + found.id);
    find_needs(survey, known->id + found.id, known->title + found.title, &found);
    return found;
}

/* Whether a column of prerequisites names the first row. */
static bool is_first_needed(const struct survey *whole, const struct column_content *found)
{
    struct named_rows named;
    bool is = false;

    add_rows(whole, found->id, found->title, &named);
    for (size_t i = 0; i < found->needs_count && !is; i++) {
        json_auto_t *cells = cells_of(whole, found->id, found->needs[i] - 1, whole->count);
        size_t missed, e;
        json_auto_t *edges = edges_of(&named, cells, &missed);
        const json_t *edge;

        json_array_foreach(edges, e, edge)
        {
            is = is || end_row(&named, edge, "from_node_id") == 0;
        }
    }
    json_decref(named.nodes);
    json_decref(named.row_of);
    return is;
}

/* The number of the letters of "L1"; SIZE_MAX where no number follows them. */
static size_t letters_of(const char *code)
{
    size_t len = strcspn(code, "0123456789");

    return is_number(code + len) ? len : SIZE_MAX;
}

/* Whether the ids count on from that of the first row: L1, L2, L3. */
static bool is_counted(const struct survey *whole, size_t id)
{
    const char *first = cell_at(whole, 0, id - 1);
    size_t letters = letters_of(first);

    if (letters == SIZE_MAX || whole->count < 3)
        return false;
    for (size_t row = 1; row < whole->count; row++) {
        const char *code = cell_at(whole, row, id - 1);

        if (letters_of(code) != letters || strncmp(code, first, letters) != 0 ||
            strtoul(code + letters, NULL, 10) != strtoul(first + letters, NULL, 10) + row)
            return false;
    }
    return true;
}

struct column_content column_content_find(const json_t *rows, const struct column_known *known)
{
    struct survey survey = {
        .rows = rows, .first = 1, .count = json_array_size(rows), .known = known};
    struct column_content found;
    bool has_role = false;
    const json_t *row;
    size_t i;

    json_array_foreach((json_t *)rows, i, row)
    {
        if (json_array_size(row) > survey.columns)
            survey.columns = json_array_size(row);
    }
    if (survey.columns > CONTENT_COLUMNS_CAP)
        survey.columns = CONTENT_COLUMNS_CAP;
    for (i = 0; i < survey.columns; i++)
        has_role = has_role || is_known(&survey, i);
    if (!known->without_ends && known->id + known->title + known->needs == 0 &&
        may_be_end(&survey, 0) && may_be_end(&survey, 1)) {
        bool other_way = known->source == 2 || known->target == 1;
        struct survey whole = survey;

        whole.first = 0;
        found = (struct column_content){.source = other_way ? 2 : 1,
                                        .target = other_way ? 1 : 2,
                                        .columns = survey.columns,
                                        .no_heading =
                                            !has_role && is_first_end(&whole) && are_ends(&whole)};
        if (found.no_heading || are_ends(&survey))
            return found;
    }
    found = find_roles(&survey);
    if (!has_role) {
        struct survey whole = survey;
        struct column_content all;

        whole.first = 0;
        all = find_roles(&whole);
        if (is_first_needed(&whole, &all) || (all.id > 0 && is_counted(&whole, all.id))) {
            found = all;
            found.no_heading = true;
        }
    }
    found.columns = survey.columns;
    return found;
}
