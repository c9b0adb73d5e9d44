/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of component types and the one validator over it. Parameters that a type does not name
 * are kept, as all further fields are; only one that looks like a slip of a known name is refused.
 * Pure, any thread.
 */
#include "mcp/session/component_type.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/fields.h"
#include "helpers/base/json.h"
#include "helpers/base/nearest.h"
#include "helpers/base/validation.h"
#include "mcp/session/component_type_row.h"
#include "mcp/store/store.h"
#include "mcp/session/text.h"

#define FIELD_CAP          64 /* bytes of a parameter's name that a message shows */
#define ADVICE_CAP         1024
#define PICTURES_DESCRIBED 2u /* the first type of pictures in the table says their form */

static const char *const callout_styles[] = {"tip", "warning", "important", "info", NULL};
static const char *const visual_types[] = {
    "text", "image", "pie-chart", "bar-chart", "fraction-circle", "svg", NULL};
static const char *const background_styles[] = {"purple", "blue", "green", "orange",
                                                "red",    "dark", "light", NULL};

#define NEEDED_TEXT(name)                                                                          \
    {                                                                                              \
        name, SHAPE_TEXT, true, NULL, 0                                                            \
    }
#define TEXT_IF_ANY(name)                                                                          \
    {                                                                                              \
        name, SHAPE_TEXT, false, NULL, 0                                                           \
    }

static const struct component_type built_in[] = {
    {"heading", "the beginning of a section", {NEEDED_TEXT("text")}},
    {"paragraph", "plain explanation, a few sentences", {NEEDED_TEXT("text")}},
    {"memory-trick", "a mnemonic or image that helps to recall", {NEEDED_TEXT("text")}},
    {"definition",
     "one term, where it first matters",
     {NEEDED_TEXT("term"), NEEDED_TEXT("definition")}},
    {"step-sequence",
     "a procedure, one action a step",
     {{"steps", SHAPE_TEXT_LIST, true, NULL, 0}}},
    {"worked-example",
     "one task solved with its reasoning",
     {NEEDED_TEXT("problem"), NEEDED_TEXT("solution"), NEEDED_TEXT("answer")}},
    {"callout-box",
     "a warning, tip or key fact that must stand out",
     {NEEDED_TEXT("text"), {"style", SHAPE_CHOICE, false, callout_styles, 0}}},
    {"two-pictures",
     "two things side by side, such as before and after",
     {{"pictures", SHAPE_PICTURES, true, NULL, 2}}},
    {"three-pictures",
     "three cases or stages in pictures",
     {{"pictures", SHAPE_PICTURES, true, NULL, 3}}},
    {"four-pictures",
     "four cases or stages in pictures",
     {{"pictures", SHAPE_PICTURES, true, NULL, 4}}},
    {"hero-number",
     "one figure, chart or drawing that carries the lesson",
     {{"visual_type", SHAPE_CHOICE, true, visual_types, 0},
      NEEDED_TEXT("visual_content"),
      TEXT_IF_ANY("caption"),
      {"background_style", SHAPE_CHOICE, false, background_styles, 0},
      {"chart_data", SHAPE_CHART_DATA, false, NULL, 0}}},
    {"three-svgs",
     "three ideas, each a drawing with title and description",
     {NEEDED_TEXT("title1"), NEEDED_TEXT("title2"), NEEDED_TEXT("title3"),
      NEEDED_TEXT("description1"), NEEDED_TEXT("description2"), NEEDED_TEXT("description3"),
      TEXT_IF_ANY("svg1"), TEXT_IF_ANY("svg2"), TEXT_IF_ANY("svg3")}},
};

#define BUILT_IN_COUNT (sizeof built_in / sizeof built_in[0])

/* Those of a file (component_type_file.c): set before any thread is started, then only read. */
static const struct component_type *added;
static size_t added_count;

static const char *const picture_families[] = {"svg", "image", NULL};
static const char *const picture_fields[] = {"title",     "body",     "svgCode",
                                             "imagePath", "imageUrl", NULL};

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
        if (!strcmp(component_type_at(i)->name, name))
            return component_type_at(i);
    return NULL;
}

const char *component_type_name(const struct component_type *type)
{
    return type->name;
}

void component_type_names_json(struct buf *to)
{
    buf_addc(to, '[');
    for (size_t i = 0; i < component_type_count(); i++) {
        buf_adds(to, i > 0 ? "," : "");
        json_write_string(to, component_type_at(i)->name, strlen(component_type_at(i)->name));
    }
    buf_addc(to, ']');
}

/* ---- describing ---- */

const char *component_type_use(const struct component_type *type)
{
    return type->use;
}

static void describe_choices(const char *const *choices, struct buf *to)
{
    for (size_t i = 0; choices[i]; i++)
        buf_addf(to, "%s%s", i > 0 ? ", " : "", choices[i]);
}

static void describe_shape(const struct parameter *parameter, struct buf *to)
{
    switch (parameter->shape) {
    case SHAPE_TEXT:
        buf_adds(to, "text");
        break;
    case SHAPE_TEXT_LIST:
        buf_adds(to, "array of text");
        break;
    case SHAPE_CHOICE:
        buf_adds(to, "one of ");
        describe_choices(parameter->choices, to);
        break;
    case SHAPE_NUMBER:
        buf_adds(to, "number");
        break;
    case SHAPE_FLAG:
        buf_adds(to, "true or false");
        break;
    case SHAPE_OBJECT:
        buf_adds(to, "object");
        break;
    case SHAPE_PICTURES:
        buf_addf(to,
                 "object svg1..svg%u of {title, body, svgCode} or image1..image%u of {title, body, "
                 "imagePath, imageUrl}",
                 parameter->pictures, parameter->pictures);
        break;
    case SHAPE_CHART_DATA:
        buf_adds(to, "{numerator, denominator}, for a bar-chart {current, maximum}, numbers");
        break;
    }
}

void component_type_describe(const struct component_type *type, struct buf *to)
{
    buf_addf(to, "%s: ", type->name);
    for (const struct parameter *p = type->parameters; p->name; p++) {
        buf_addf(to, "%s%s (", p > type->parameters ? ", " : "", p->name);
        describe_shape(p, to);
        buf_addf(to, ", %s)", p->needed ? "needed" : "optional");
    }
}

/* The last of title1, title2, title3; a parameter without a number is the last of itself. */
static const struct parameter *last_of_run(const struct parameter *first)
{
    size_t stem = strcspn(first->name, "123456789");
    const struct parameter *last = first;

    while (first->name[stem] && last[1].name && !strncmp(last[1].name, first->name, stem) &&
           last[1].name[stem] == last->name[stem] + 1)
        last++;
    return last;
}

void component_type_outline(const struct component_type *type, struct buf *to)
{
    buf_addf(to, "%s: ", type->name);
    for (const struct parameter *p = type->parameters; p->name; p++) {
        const struct parameter *last = last_of_run(p);

        buf_addf(to, "%s%s", p > type->parameters ? ", " : "", p->name);
        if (last > p)
            buf_addf(to, "..%s", last->name);
        p = last;
        buf_adds(to, p->needed ? "" : "?");
        if (p->shape == SHAPE_PICTURES && p->pictures > PICTURES_DESCRIBED) {
            buf_addf(to, " (as above, %u)", p->pictures);
        } else if (p->shape != SHAPE_TEXT) {
            buf_adds(to, " (");
            describe_shape(p, to);
            buf_addc(to, ')');
        }
    }
}

static void schema_picture(struct buf *to, const char *family, unsigned number)
{
    buf_addf(
        to,
        "{\"required\":[\"%s%u\"],\"properties\":{\"%s%u\":{\"type\":\"object\",\"properties\":{",
        family, number, family, number);
    for (size_t i = 0; picture_fields[i]; i++)
        buf_addf(to, "%s\"%s\":{\"type\":[\"string\",\"null\"]}", i > 0 ? "," : "",
                 picture_fields[i]);
    buf_adds(to, "}}}}");
}

static void schema_pictures(struct buf *to, unsigned count)
{
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

static void schema_type_of(struct buf *to, const char *type, bool needed)
{
    buf_addf(to, needed ? "{\"type\":\"%s\"}" : "{\"type\":[\"%s\",\"null\"]}", type);
}

static void schema_shape(struct buf *to, const struct parameter *parameter)
{
    switch (parameter->shape) {
    case SHAPE_TEXT:
        schema_type_of(to, "string", parameter->needed);
        break;
    case SHAPE_TEXT_LIST:
        buf_addf(to, "{\"type\":%s,\"items\":{\"type\":\"string\"}}",
                 parameter->needed ? "\"array\"" : "[\"array\",\"null\"]");
        break;
    case SHAPE_CHOICE:
        buf_adds(to, "{\"enum\":[");
        for (size_t i = 0; parameter->choices[i]; i++) {
            buf_adds(to, i > 0 ? "," : "");
            json_write_string(to, parameter->choices[i], strlen(parameter->choices[i]));
        }
        buf_adds(to, parameter->needed ? "]}" : ",null]}");
        break;
    case SHAPE_NUMBER:
        schema_type_of(to, "number", parameter->needed);
        break;
    case SHAPE_FLAG:
        schema_type_of(to, "boolean", parameter->needed);
        break;
    case SHAPE_OBJECT:
        schema_type_of(to, "object", parameter->needed);
        break;
    case SHAPE_PICTURES:
        schema_pictures(to, parameter->pictures);
        break;
    case SHAPE_CHART_DATA:
        buf_adds(to, "{\"type\":[\"object\",\"null\"],\"additionalProperties\":true}");
        break;
    }
}

static void schema_type(struct buf *to, const struct component_type *type)
{
    const char *comma = "";

    buf_addf(
        to,
        "{\"type\":\"object\",\"title\":\"%s\",\"properties\":{\"type\":{\"const\":\"%s\"},"
        "\"component_type\":{\"const\":\"%s\"},\"parameters\":{\"type\":\"object\",\"required\":[",
        type->name, type->name, type->name);
    for (const struct parameter *p = type->parameters; p->name; p++) {
        if (!p->needed)
            continue;
        buf_addf(to, "%s\"%s\"", comma, p->name);
        comma = ",";
    }
    buf_adds(to, "],\"properties\":{");
    for (const struct parameter *p = type->parameters; p->name; p++) {
        buf_addf(to, "%s\"%s\":", p > type->parameters ? "," : "", p->name);
        schema_shape(to, p);
    }
    buf_adds(to, "}}}}");
}

void component_type_schema(struct buf *to)
{
    buf_adds(to, "{\"type\":\"object\",\"required\":[\"parameters\"],\"properties\":{"
                 "\"confidence\":{\"type\":[\"number\",\"null\"],\"minimum\":0,\"maximum\":1},"
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

static void check_text(struct validation_errors *problems, const char *field, const json_t *value)
{
    if (!json_is_string(value))
        validation_add(problems, field, "must be text, not %s", json_kind(value));
    else if (json_string_length(value) > TEXT_MAX)
        validation_add(problems, field, "is longer than %zu bytes", TEXT_MAX);
}

static void check_text_list(struct validation_errors *problems, const char *field,
                            const json_t *value)
{
    char item[FIELD_CAP * 2];
    const json_t *entry;
    size_t i;

    if (!json_is_array(value)) {
        validation_add(problems, field, "must be an array of text, not %s", json_kind(value));
        return;
    }
    json_array_foreach((json_t *)value, i, entry)
    {
        snprintf(item, sizeof item, "%s.%zu", field, i);
        check_text(problems, item, entry);
    }
}

static void check_choice(struct validation_errors *problems, const char *field, const json_t *value,
                         const char *const *choices)
{
    const char *text = json_string_value(value);
    char shown[FIELD_CAP];
    struct nearest search;
    struct buf list BUF_AUTO = {0};

    for (size_t i = 0; text && choices[i]; i++)
        if (!strcmp(text, choices[i]))
            return;
    buf_init(&list, 0);
    describe_choices(choices, &list);
    nearest_begin(&search, text ? text : "");
    for (size_t i = 0; choices[i]; i++)
        nearest_feed(&search, choices[i]);
    validation_add(problems, field, "%s%s%s is none of %s%s%s%s", text ? "'" : "",
                   text_cut_line(shown, sizeof shown, text ? text : json_kind(value)),
                   text ? "'" : "", list.data ? list.data : "", search.best ? " (nearest: " : "",
                   search.best ? search.best : "", search.best ? ")" : "");
}

static void check_picture(struct validation_errors *problems, const char *field,
                          const json_t *picture)
{
    char inner[FIELD_CAP * 3];

    if (!json_is_object(picture)) {
        validation_add(problems, field,
                       "must be an object {title, body, svgCode or imagePath}, not %s",
                       json_kind(picture));
        return;
    }
    for (size_t i = 0; picture_fields[i]; i++) {
        const json_t *value = json_object_get(picture, picture_fields[i]);

        snprintf(inner, sizeof inner, "%s.%s", field, picture_fields[i]);
        if (value && !json_is_null(value))
            check_text(problems, inner, value);
    }
}

/* "svg3", "image03": a picture by its name. *family: of picture_families. */
static bool is_picture(const char *name, const char **family)
{
    for (size_t f = 0; picture_families[f]; f++) {
        size_t len = strlen(picture_families[f]);

        *family = picture_families[f];
        if (!strncmp(name, *family, len) && name[len] &&
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
    json_t *picture;

    json_object_foreach((json_t *)value, name, picture)
    {
        char shown[FIELD_CAP], inner[FIELD_CAP * 2];
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

static void check_pictures(struct validation_errors *problems, const char *field,
                           const json_t *value, unsigned count)
{
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
            char key[16], inner[FIELD_CAP * 2];
            const json_t *picture;

            snprintf(key, sizeof key, "%s%u", picture_families[f], i);
            snprintf(inner, sizeof inner, "%s.%s", field, key);
            picture = json_object_get(value, key);
            if (!picture)
                continue;
            found = true;
            check_picture(problems, inner, picture);
        }
        if (!found)
            validation_add(problems, field, "svg%u (or image%u) is missing", i, i);
    }
}

static void check_chart_data(struct validation_errors *problems, const char *field,
                             const json_t *value, const json_t *parameters)
{
    static const char *const fraction[] = {"numerator", "denominator"};
    static const char *const bar[] = {"current", "maximum"};
    const char *visual_type = json_string_value(json_object_get(parameters, "visual_type"));
    const char *const *names = visual_type && !strcmp(visual_type, "bar-chart") ? bar : fraction;

    if (!json_is_object(value)) {
        validation_add(problems, field, "must be an object {%s, %s}, not %s", names[0], names[1],
                       json_kind(value));
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        char inner[FIELD_CAP * 2];
        const json_t *number = json_object_get(value, names[i]);

        snprintf(inner, sizeof inner, "%s.%s", field, names[i]);
        if (!number)
            validation_add(problems, inner, "is missing, send a number");
        else if (!json_is_number(number))
            validation_add(problems, inner, "must be a number, not %s", json_kind(number));
    }
}

static void check_parameter(struct validation_errors *problems, const struct parameter *parameter,
                            const json_t *parameters)
{
    const json_t *value = json_object_get(parameters, parameter->name);
    char field[FIELD_CAP];

    snprintf(field, sizeof field, "parameters.%s", parameter->name);
    if (!value || (json_is_null(value) && !parameter->needed)) {
        if (parameter->needed)
            validation_add(problems, field, "is missing");
        return;
    }
    switch (parameter->shape) {
    case SHAPE_TEXT:
        check_text(problems, field, value);
        break;
    case SHAPE_TEXT_LIST:
        check_text_list(problems, field, value);
        break;
    case SHAPE_CHOICE:
        check_choice(problems, field, value, parameter->choices);
        break;
    case SHAPE_NUMBER:
        if (!json_is_number(value))
            validation_add(problems, field, "must be a number, not %s", json_kind(value));
        break;
    case SHAPE_FLAG:
        if (!json_is_boolean(value))
            validation_add(problems, field, "must be true or false, not %s", json_kind(value));
        break;
    case SHAPE_OBJECT:
        if (!json_is_object(value))
            validation_add(problems, field, "must be an object, not %s", json_kind(value));
        break;
    case SHAPE_PICTURES:
        check_pictures(problems, field, value, parameter->pictures);
        break;
    case SHAPE_CHART_DATA:
        check_chart_data(problems, field, value, parameters);
        break;
    }
}

/* The type's parameter of that name; NULL where there is none. */
static const struct parameter *find_parameter(const struct component_type *type, const char *name)
{
    for (const struct parameter *p = type->parameters; p->name; p++)
        if (!strcmp(p->name, name))
            return p;
    return NULL;
}

/* What was sent and is no parameter, while one much like it was not: a misspelt name. */
static void check_names(struct validation_errors *problems, const struct component_type *type,
                        const json_t *sent, const json_t *kept)
{
    const char *names[COMPONENT_PARAMETERS_CAP + 1] = {NULL};
    const char *name;
    json_t *value;

    for (size_t i = 0; type->parameters[i].name; i++)
        names[i] = type->parameters[i].name;
    json_object_foreach((json_t *)sent, name, value)
    {
        char shown[FIELD_CAP], field[FIELD_CAP * 2];
        const char *meant;

        if (find_parameter(type, name) || json_object_get(kept, name))
            continue;
        meant = fields_misspelt(name, names, sent);
        text_cut_line(shown, sizeof shown, name);
        snprintf(field, sizeof field, "parameters.%s", shown);
        if (meant)
            validation_add(problems, field, "unknown parameter '%s'; did you mean '%s'?", shown,
                           meant);
    }
}

static int unknown_type(const char *type, const char *loc, struct error *err)
{
    char where[ERROR_LOC_CAP], shown[FIELD_CAP];
    struct nearest search;
    struct buf list BUF_AUTO = {0};

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
                            "%s: '%s' is no component type, did you mean '%s'? There are %s", where,
                            shown, search.best, list.data);
    return error_set_at(err, where, "%s: '%s' is no component type, there are %s", where, shown,
                        list.data);
}

int component_type_check(const char *type, const json_t *parameters, const json_t *sent,
                         const json_t *kept, const char *loc, struct error *err)
{
    const struct component_type *row = component_type_find(type);
    struct validation_errors problems;
    struct buf advice BUF_AUTO = {0};

    if (!row)
        return unknown_type(type, loc, err);
    validation_begin(&problems, loc);
    if (!parameters) {
        validation_add(&problems, "parameters", "is missing, send an object");
    } else if (!json_is_object(parameters)) {
        validation_add(&problems, "parameters", "must be an object, not %s", json_kind(parameters));
    } else {
        for (const struct parameter *p = row->parameters; p->name; p++)
            check_parameter(&problems, p, parameters);
        check_names(&problems, row, sent ? sent : parameters, kept);
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
    char shown[FIELD_CAP];
    struct nearest search;
    struct buf list BUF_AUTO = {0};

    for (size_t i = 0; relationship_types[i]; i++)
        if (type && !strcmp(type, relationship_types[i]))
            return 0;
    buf_init(&list, 0);
    describe_choices(relationship_types, &list);
    nearest_begin(&search, type ? type : "");
    for (size_t i = 0; relationship_types[i]; i++)
        nearest_feed(&search, relationship_types[i]);
    return error_set_at(err, loc, "'%s' is no relationship type, %s%s%ssend one of %s",
                        text_cut_line(shown, sizeof shown, type),
                        search.best ? "did you mean " : "", search.best ? search.best : "",
                        search.best ? "? If not, " : "", list.data);
}
