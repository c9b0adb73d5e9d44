/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of component types and the one validator over it. Parameters that a type does not name
 * are kept, as all further fields are; only one that looks like a slip of a known name is refused.
 * Pure, any thread.
 */
#include "mcp/session/component_type.h"

#include <stdio.h>
#include <string.h>

#include "helpers/base/fields.h"
#include "helpers/base/json.h"
#include "helpers/base/nearest.h"
#include "helpers/base/validation.h"
#include "mcp/session/component_type_row.h"
#include "mcp/store/store.h"
#include "mcp/session/text.h"

#define NAME_SHOWN         64 /* bytes of a client's own word in an error */
#define ADVICE_CAP         1024
#define PICTURES_DESCRIBED 2.0 /* the first type of pictures in the table says their form */

static const char *const callout_styles[] = {"tip", "warning", "important", "info", NULL};
static const char *const visual_types[] = {
    "text", "image", "pie-chart", "bar-chart", "fraction-circle", "svg", NULL};
static const char *const background_styles[] = {"purple", "blue", "green", "orange",
                                                "red",    "dark", "light", NULL};

static const struct fields pictures, chart_data;

/* clang-format off */
#define TEXT(member, ...)      FIELD(member, FIELD_TEXT, .most = (double)TEXT_MAX, .flags = FIELD_NUL, __VA_ARGS__)
#define NEEDED(member)         TEXT(member, .required = true)
#define CHOICE(member, of, ...) FIELD(member, FIELD_TEXT, .choices = (of), __VA_ARGS__)
/* Their count stands in most. */
#define PICTURES(count) FIELD("pictures", FIELD_OBJECT, .required = true, .most = (count), .of = &pictures)

static const struct component_type built_in[] = {
    {"heading", "Heading", "the beginning of a section", {NEEDED("text")}},
    {"paragraph", "Paragraph", "plain explanation, a few sentences", {NEEDED("text")}},
    {"memory-trick", "Memory trick", "a mnemonic or image that helps to recall", {NEEDED("text")}},
    {"definition", "Definition", "one term, where it first matters", {NEEDED("term"), NEEDED("definition")}},
    {"step-sequence", "Steps", "a procedure, one action a step",
     {FIELD("steps", FIELD_ARRAY, .item = FIELD_TEXT, .required = true, .most = (double)TEXT_MAX,
       .flags = FIELD_NUL)}},
    {"worked-example", "Worked example", "one task solved with its reasoning", {NEEDED("problem"), NEEDED("solution"), NEEDED("answer")}},
    {"callout-box", "Callout", "a warning, tip or key fact that must stand out",
     {NEEDED("text"), CHOICE("style", callout_styles)}},
    {"two-pictures", "Two pictures", "two things side by side, such as before and after", {PICTURES(2)}},
    {"three-pictures", "Three pictures", "three cases or stages in pictures", {PICTURES(3)}},
    {"four-pictures", "Four pictures", "four cases or stages in pictures", {PICTURES(4)}},
    {"hero-number", "Big number", "one figure, chart or drawing that carries the lesson",
     {CHOICE("visual_type", visual_types, .required = true), NEEDED("visual_content"), TEXT("caption"),
      CHOICE("background_style", background_styles), FIELD("chart_data", FIELD_OBJECT, .of = &chart_data)}},
    {"three-svgs", "Three drawings", "three ideas, each a drawing with title and description",
     {NEEDED("title1"), NEEDED("title2"), NEEDED("title3"),
      NEEDED("description1"), NEEDED("description2"), NEEDED("description3"), TEXT("svg1"), TEXT("svg2"), TEXT("svg3")}},
};

/* Of one picture; further members are kept, also misspelt ones. */
const struct field component_picture_rows[] = {TEXT("title"), TEXT("body"), TEXT("svgCode"), TEXT("imagePath"), TEXT("imageUrl"), {0}};
/* clang-format on */
static const struct fields picture = {
    .name = "a picture", .rows = component_picture_rows, .flags = FIELDS_OPEN};
static const char *const picture_families[] = {"svg", "image", NULL};

#define BUILT_IN_COUNT (sizeof built_in / sizeof built_in[0])

/* Those of a file (component_type_file.c): set before any thread is started, then only read. */
static const struct component_type *added;
static size_t added_count;

const char *const relationship_types[] = {"LEADS_TO", "PREREQUISITE_FOR", "PREREQUISITE",
                                          "ENRICHMENT", NULL};

void component_types_set_added(const struct component_type *rows, size_t count)
{
    added = rows;
    added_count = count;
}

size_t component_type_count(void)
{
    return BUILT_IN_COUNT + added_count;
}

const struct component_type *component_type_at(size_t row)
{
    return row < BUILT_IN_COUNT ? &built_in[row] : &added[row - BUILT_IN_COUNT];
}

const struct component_type *component_type_find(const char *name)
{
    for (size_t i = 0; name && i < component_type_count(); i++)
        if (strcmp(component_type_at(i)->name, name) == 0)
            return component_type_at(i);
    return NULL;
}

const char *component_type_name(const struct component_type *type)
{
    return type->name;
}

static const char *type_name(size_t i)
{
    return i < component_type_count() ? component_type_at(i)->name : NULL;
}

const struct fields component_type_names = {"a component type", .schema = "ComponentType",
                                            .choice = type_name};

/* ---- pictures ---- */

static void describe_pictures(const struct field *row, struct buf *to)
{
    buf_addf(to,
             "object svg1..svg%.0f of {title, body, svgCode} or image1..image%.0f of {title, body, "
             "imagePath, imageUrl}",
             row->most, row->most);
}

static void schema_picture(struct buf *to, const char *family, unsigned number)
{
    buf_addf(to, "{\"required\":[\"%s%u\"],\"properties\":{\"%s%u\":", family, number, family,
             number);
    fields_schema(&picture, "", NULL, to);
    buf_adds(to, "}}");
}

static void schema_pictures(const struct field *row, const void *context, struct buf *to)
{
    unsigned count = (unsigned)row->most;

    (void)context;
    buf_adds(to, "{\"type\":\"object\",\"allOf\":[");
    for (unsigned i = 1; i <= count; i++) {
        buf_adds(to, i > 1 ? ",{\"anyOf\":[" : "{\"anyOf\":[");
        schema_picture(to, "svg", i);
        buf_addc(to, ',');
        schema_picture(to, "image", i);
        buf_adds(to, "]}");
    }
    buf_addf(to,
             "],\"propertyNames\":{\"anyOf\":[{\"pattern\":\"^(svg|image)[1-%u]$\"},{\"not\":"
             "{\"pattern\":\"^(svg|image)[0-9]+$\"}}]}}",
             count);
}

/* "svg3", "image03": a picture by its name. *family: of picture_families. */
static bool is_picture(const char *name, const char **family)
{
    for (size_t f = 0; picture_families[f]; f++) {
        size_t len = strlen(picture_families[f]);

        *family = picture_families[f];
        if (strncmp(name, *family, len) == 0 && name[len] &&
            strspn(name + len, "0123456789") == strlen(name + len))
            return true;
    }
    return false;
}

/* A picture that the type has no place for. */
static void check_picture_names(struct validation_errors *problems, const char *field,
                                const json_t *value, unsigned count)
{
    const char *name, *family;
    json_t *one;

    json_object_foreach((json_t *)value, name, one)
    {
        char shown[NAME_SHOWN], inner[NAME_SHOWN * 2];
        const char *number;

        if (!is_picture(name, &family))
            continue;
        number = name + strlen(family);
        if (number[0] >= '1' && number[0] <= (char)('0' + count) && !number[1])
            continue;
        snprintf(inner, sizeof inner, "%s.%s", field, text_cut_line(shown, sizeof shown, name));
        validation_add(problems, inner, "is one picture too many; send %s1 to %s%u", family, family,
                       count);
    }
}

static void check_picture(struct validation_errors *problems, const char *field,
                          const json_t *value)
{
    char where[ERROR_LOC_CAP];
    struct validation_errors found;
    struct error err = {0};

    if (!json_is_object(value)) {
        validation_add(problems, field,
                       "must be an object {title, body, svgCode or imagePath}, not %s",
                       json_kind(value));
        return;
    }
    snprintf(where, sizeof where, "%s%s%s", problems->loc, *problems->loc ? "." : "", field);
    validation_begin(&found, where);
    fields_check_rows(&picture, value, &found);
    if (validation_end(&found, NULL, &err) < 0)
        validation_take(problems, &err);
}

static void check_pictures(const struct field *row, const json_t *value, const json_t *object,
                           const char *field, struct validation_errors *problems)
{
    unsigned count = (unsigned)row->most;

    (void)object;
    if (!json_is_object(value)) {
        validation_add(problems, field,
                       "must be an object with svg1..svg%u or image1..image%u, not %s", count,
                       count, json_kind(value));
        return;
    }
    check_picture_names(problems, field, value, count);
    for (unsigned i = 1; i <= count; i++) {
        bool found = false;

        for (size_t f = 0; picture_families[f]; f++) {
            char key[16], inner[NAME_SHOWN * 2];
            const json_t *one;

            snprintf(key, sizeof key, "%s%u", picture_families[f], i);
            snprintf(inner, sizeof inner, "%s.%s", field, key);
            one = json_object_get(value, key);
            found = found || one;
            if (one)
                check_picture(problems, inner, one);
        }
        if (!found)
            validation_add(problems, field, "svg%u (or image%u) is missing", i, i);
    }
}

static const struct fields pictures = {"pictures", .describe = describe_pictures,
                                       .write_schema = schema_pictures, .check = check_pictures};

/* ---- data of a chart ---- */

static void describe_chart(const struct field *row, struct buf *to)
{
    (void)row;
    buf_adds(to, "{numerator, denominator}, for a bar-chart {current, maximum}, numbers");
}

static void check_chart(const struct field *row, const json_t *value, const json_t *parameters,
                        const char *field, struct validation_errors *problems)
{
    static const char *const fraction[] = {"numerator", "denominator"};
    static const char *const bar[] = {"current", "maximum"};
    const char *visual_type = json_get_string(parameters, "visual_type");
    const char *const *names =
        visual_type && strcmp(visual_type, "bar-chart") == 0 ? bar : fraction;

    (void)row;
    if (!json_is_object(value)) {
        validation_add(problems, field, "must be an object {%s, %s}, not %s", names[0], names[1],
                       json_kind(value));
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        char inner[NAME_SHOWN * 2];
        const json_t *number = json_object_get(value, names[i]);

        snprintf(inner, sizeof inner, "%s.%s", field, names[i]);
        if (!number)
            validation_add(problems, inner, "is missing, send a number");
        else if (!json_is_number(number))
            validation_add(problems, inner, "must be a number, not %s", json_kind(number));
    }
}

static const struct fields chart_data = {"chart_data", .flags = FIELDS_OPEN,
                                         .describe = describe_chart, .check = check_chart};

/* ---- describing ---- */

const char *component_type_use(const struct component_type *type)
{
    return type->use;
}

/* What the value must be, without "a". */
static void describe(const struct field *row, struct buf *to)
{
    struct buf BUF_AUTO words = {0};
    const char *text;

    buf_init(&words, 0);
    field_describe(row, &words);
    text = words.data ? words.data : "";
    text += strncmp(text, "an ", 3) == 0 ? 3 : strncmp(text, "a ", 2) == 0 ? 2 : 0;
    buf_adds(to, text);
}

void component_type_describe(const struct component_type *type, struct buf *to)
{
    buf_addf(to, "%s: ", type->name);
    for (const struct field *p = type->parameters; p->name; p++) {
        buf_addf(to, "%s%s (", p > type->parameters ? ", " : "", p->name);
        describe(p, to);
        buf_addf(to, ", %s)", p->required ? "needed" : "optional");
    }
}

/* The last of title1, title2, title3; a parameter without a number is the last of itself. */
static const struct field *last_of_run(const struct field *first)
{
    size_t stem = strcspn(first->name, "123456789");
    const struct field *last = first;

    while (first->name[stem] && last[1].name && strncmp(last[1].name, first->name, stem) == 0 &&
           last[1].name[stem] == last->name[stem] + 1)
        last++;
    return last;
}

void component_type_outline(const struct component_type *type, struct buf *to)
{
    buf_addf(to, "%s: ", type->name);
    for (const struct field *p = type->parameters; p->name; p++) {
        const struct field *last = last_of_run(p);

        buf_addf(to, "%s%s", p > type->parameters ? ", " : "", p->name);
        if (last > p)
            buf_addf(to, "..%s", last->name);
        p = last;
        buf_adds(to, p->required ? "" : "?");
        if (p->of == &pictures && p->most > PICTURES_DESCRIBED) {
            buf_addf(to, " (as above, %.0f)", p->most);
        } else if (p->type != FIELD_TEXT || p->choices) {
            buf_adds(to, " (");
            describe(p, to);
            buf_addc(to, ')');
        }
    }
}

static struct fields parameters_of(const struct component_type *type)
{
    return (struct fields){type->name, type->parameters, FIELDS_OPEN, .noun = "parameter"};
}

static void schema_type(struct buf *to, const struct component_type *type)
{
    const struct fields parameters = parameters_of(type);

    buf_addf(to,
             "{\"type\":\"object\",\"title\":\"%s\",\"properties\":{\"type\":{\"const\":\"%s\"},"
             "\"component_type\":{\"const\":\"%s\"},\"parameters\":",
             type->name, type->name, type->name);
    fields_schema(&parameters, "", NULL, to);
    buf_adds(to, "}}");
}

void component_type_schema(const struct field *row, const void *context, struct buf *to)
{
    (void)row;
    (void)context;
    buf_adds(to, "{\"type\":\"object\",\"required\":[\"parameters\"],\"properties\":{"
                 "\"confidence\":{\"type\":[\"number\",\"null\"],\"minimum\":0,\"maximum\":1},"
                 "\"position\":{\"type\":[\"integer\",\"null\"],\"minimum\":1,\"description\":"
                 "\"where it is inserted; left out: at the end\"},"
                 "\"order\":{\"type\":[\"number\",\"null\"]},\"order_index\":{\"type\":[\"number\","
                 "\"null\"]}},\"anyOf\":["
                 "{\"required\":[\"type\"],\"properties\":{\"type\":{\"type\":\"string\"}}},"
                 "{\"required\":[\"component_type\"],\"properties\":{\"component_type\":{\"type\":"
                 "\"string\"}}}],"
                 "\"allOf\":[{\"anyOf\":[");
    for (size_t i = 0; i < component_type_count(); i++) {
        buf_adds(to, i > 0 ? "," : "");
        schema_type(to, component_type_at(i));
    }
    buf_adds(to, "]}]}");
}

/* ---- checking ---- */

static int unknown_type(const char *type, const char *loc, struct error *err)
{
    char where[ERROR_LOC_CAP], shown[NAME_SHOWN];
    struct nearest search;
    struct buf BUF_AUTO list = {0};

    buf_init(&list, ERROR_TEXT_CAP / 2);
    nearest_begin(&search, type ? type : "");
    for (size_t i = 0; i < component_type_count(); i++) {
        nearest_feed(&search, component_type_at(i)->name);
        buf_addf(&list, "%s%s", i > 0 ? ", " : "", component_type_at(i)->name);
    }
    snprintf(where, sizeof where, "%s%stype", loc, *loc ? "." : "");
    if (!type)
        return error_set_at(err, where, "%s: is missing, send one of %s", where, list.data);
    text_cut_line(shown, sizeof shown, type);
    if (search.best)
        return error_set_at(err, where,
                            "%s: '%s' is not a component type, did you mean '%s'? There are %s",
                            where, shown, search.best, list.data);
    return error_set_at(err, where, "%s: '%s' is not a component type, there are %s", where, shown,
                        list.data);
}

int component_type_check(const char *type, const json_t *parameters, const json_t *sent,
                         const json_t *kept, const char *loc, struct error *err)
{
    const struct component_type *row = component_type_find(type);
    char where[ERROR_LOC_CAP];
    struct validation_errors problems;
    struct buf BUF_AUTO advice = {0};
    struct fields fields;

    if (!row)
        return unknown_type(type, loc, err);
    snprintf(where, sizeof where, "%s%sparameters", loc, *loc ? "." : "");
    validation_begin(&problems, where);
    fields = parameters_of(row);
    if (!parameters) {
        validation_add(&problems, "", "is missing, send an object");
    } else if (!json_is_object(parameters)) {
        validation_add(&problems, "", "must be an object, not %s", json_kind(parameters));
    } else {
        fields_check_rows(&fields, parameters, &problems);
        fields_check_names(&fields, sent ? sent : parameters, kept, &problems);
    }
    if (problems.count == 0)
        return 0;
    buf_init(&advice, ADVICE_CAP);
    buf_adds(&advice, "The parameters of ");
    component_type_describe(row, &advice);
    return validation_end(&problems, advice.data, err);
}

int relationship_type_check(const char *type, const char *loc, struct error *err)
{
    char shown[NAME_SHOWN];
    struct nearest search;
    struct buf BUF_AUTO list = {0};

    for (size_t i = 0; relationship_types[i]; i++)
        if (type && strcmp(type, relationship_types[i]) == 0)
            return 0;
    buf_init(&list, 0);
    nearest_begin(&search, type ? type : "");
    for (size_t i = 0; relationship_types[i]; i++) {
        nearest_feed(&search, relationship_types[i]);
        buf_addf(&list, "%s%s", i > 0 ? ", " : "", relationship_types[i]);
    }
    return error_set_at(err, loc, "'%s' is not a relationship type, %s%s%ssend one of %s",
                        text_cut_line(shown, sizeof shown, type),
                        search.best ? "did you mean " : "", search.best ? search.best : "",
                        search.best ? "? If not, " : "", list.data);
}
