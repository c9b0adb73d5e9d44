/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of component types and the one validator over it. Parameters that a type does not have
 * are stored, like all additional fields; only a likely misspelling of a known name is refused.
 * Pure, any thread.
 */
#include "mcp/curriculum/component_type.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/fields.h"
#include "helpers/base/json.h"
#include "helpers/base/nearest.h"
#include "helpers/base/validation.h"
#include "mcp/curriculum/limits.h"
#include "mcp/curriculum/text.h"
#include "mcp/exercise/exercise.h"
#include "mcp/exercise/python_value.h"

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
#define NOT_PROSE(member)      FIELD(member, FIELD_TEXT, .most = (double)TEXT_MAX, .flags = FIELD_NUL | FIELD_NOT_PROSE)
#define CHOICE(member, of, ...) FIELD(member, FIELD_TEXT, .choices = (of), __VA_ARGS__)
#define HINTS                   FIELD("hints", FIELD_ARRAY, .of = &exercise_hints)
/* most is their number. */
#define PICTURES(count) FIELD("pictures", FIELD_OBJECT, .required = true, .most = (count), .of = &pictures)

#define TYPE(type, words, when, ...) {.name = (type), .label = (words), .use = (when), .parameters = {__VA_ARGS__}}
static const struct component_type built_in[] = {
    TYPE("heading", "Heading", "the beginning of a section", FIELD("text", FIELD_TEXT, .required = true, .most = (double)TEXT_MAX, .flags = FIELD_NUL | FIELD_HEADING)),
    TYPE("paragraph", "Paragraph", "plain explanation, a few sentences", NEEDED("text")),
    TYPE("memory-trick", "Memory trick", "a mnemonic or image that helps to recall", NEEDED("text")),
    TYPE("definition", "Definition", "one term, where it first matters", FIELD("term", FIELD_TEXT, .required = true, .most = (double)TEXT_MAX, .flags = FIELD_NUL | FIELD_TERM), NEEDED("definition")),
    TYPE("step-sequence", "Steps", "a procedure, one action a step",
         FIELD("steps", FIELD_ARRAY, .item = FIELD_TEXT, .required = true, .most = (double)TEXT_MAX,
     .flags = FIELD_NUL)),
    TYPE("worked-example", "Worked example", "one task solved with its reasoning", NEEDED("problem"), NEEDED("solution"), NEEDED("answer")),
    TYPE("callout-box", "Callout", "a warning, tip or key fact that must stand out",
         NEEDED("text"), CHOICE("style", callout_styles)),
    TYPE("two-pictures", "Two pictures", "two things side by side, such as before and after", PICTURES(2)),
    TYPE("three-pictures", "Three pictures", "three cases or stages in pictures", PICTURES(3)),
    TYPE("four-pictures", "Four pictures", "four cases or stages in pictures", PICTURES(4)),
    TYPE("hero-number", "Big number", "one figure, chart or drawing that carries the lesson",
         CHOICE("visual_type", visual_types, .required = true), NEEDED("visual_content"), TEXT("caption"),
         CHOICE("background_style", background_styles), FIELD("chart_data", FIELD_OBJECT, .of = &chart_data)),
    TYPE("three-svgs", "Three drawings", "three ideas, each a drawing with title and description",
         NEEDED("title1"), NEEDED("title2"), NEEDED("title3"),
         NEEDED("description1"), NEEDED("description2"), NEEDED("description3"), NOT_PROSE("svg1"), NOT_PROSE("svg2"), NOT_PROSE("svg3")),
    TYPE(EXERCISE_CODE, "Code exercise", "a task that the learner solves with a Python program, tested by cases",
         NEEDED("prompt"), FIELD("cases", FIELD_ARRAY, .required = true, .of = &exercise_cases, .flags = FIELD_NOT_PROSE),
         NOT_PROSE("starter"), HINTS, NOT_PROSE("solution"), CHOICE("compare", comparisons),
         FIELD("time_s", FIELD_NUMBER, .least = EXERCISE_SECONDS_LEAST, .most = EXERCISE_SECONDS_MAX)),
    {.name = EXERCISE_QUESTION, .label = "Question", .use = "a task that the learner answers with a choice, a number or words",
     .parameters = {NEEDED("prompt"), CHOICE("kind", question_kinds, .required = true),
         FIELD("answer", FIELD_ANY, .of = &question_answers), FIELD("options", FIELD_ARRAY, .of = &exercise_list),
         FIELD("tolerance", FIELD_NUMBER, .least = 0, .most = INFINITY),
         FIELD("criteria", FIELD_ARRAY, .of = &exercise_list), HINTS},
     .check = question_check},
};

/* The members of one picture; additional ones are stored, even misspelt ones. */
const struct field component_picture_rows[] = {TEXT("title"), TEXT("body"), NOT_PROSE("svgCode"), NOT_PROSE("imagePath"), NOT_PROSE("imageUrl"), {0}};
/* clang-format on */
static const struct fields picture = {
    .name = "a picture", .rows = component_picture_rows, .flags = FIELDS_OPEN};
static const char *const picture_families[] = {"svg", "image", NULL};

#define BUILT_IN_COUNT (sizeof built_in / sizeof built_in[0])

/* Those of a file (component_types_load): read before any thread is started, then only looked at,
 * until the process ends. The rows' texts are those of the JSON. */
static struct {
    json_t *file;
    struct component_type *rows;
    struct added_type *more;
    size_t count;
} added;

const char *const relationship_types[] = {"LEADS_TO", "PREREQUISITE_FOR", "PREREQUISITE",
                                          "ENRICHMENT", NULL};
const char *const link_types[] = {"isRelatedTo",   "exactMatchOf",    "isChildOf",  "isPeerOf",
                                  "isPartOf",      "precedes",        "replacedBy", "exemplar",
                                  "hasSkillLevel", "isTranslationOf", NULL};

size_t component_type_count(void)
{
    return BUILT_IN_COUNT + added.count;
}

const struct component_type *component_type_at(size_t row)
{
    return row < BUILT_IN_COUNT ? &built_in[row] : &added.rows[row - BUILT_IN_COUNT];
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
            buf_addf(to, " (same, %.0f)", p->most);
        } else if (p->required && (p->type != FIELD_TEXT || p->choices)) {
            buf_adds(to, " (");
            describe(p, to);
            buf_addc(to, ')');
        }
    }
}

static struct fields parameters_of(const struct component_type *type, unsigned flags)
{
    return (struct fields){type->name, type->parameters, flags, .noun = "parameter"};
}

static void schema_type(struct buf *to, const struct component_type *type)
{
    const struct fields parameters = parameters_of(type, FIELDS_OPEN);

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

static int end_check(struct validation_errors *problems, const struct component_type *type,
                     struct error *err)
{
    struct buf BUF_AUTO advice = {0};

    if (problems->count == 0)
        return 0;
    buf_init(&advice, ADVICE_CAP);
    buf_adds(&advice, "The parameters of ");
    component_type_describe(type, &advice);
    return validation_end(problems, advice.data, err);
}

int component_type_check(const char *type, const json_t *parameters, const json_t *sent,
                         const json_t *kept, const char *loc, struct error *err)
{
    const struct component_type *row = component_type_find(type);
    char where[ERROR_LOC_CAP];
    struct validation_errors problems;
    struct fields fields;

    if (!row)
        return unknown_type(type, loc, err);
    snprintf(where, sizeof where, "%s%sparameters", loc, *loc ? "." : "");
    validation_begin(&problems, where);
    fields = parameters_of(row, FIELDS_OPEN);
    if (!parameters) {
        validation_add(&problems, "", "is missing, send an object");
    } else if (!json_is_object(parameters)) {
        validation_add(&problems, "", "must be an object, not %s", json_kind(parameters));
    } else {
        fields_check_rows(&fields, parameters, &problems);
        fields_check_names(&fields, sent ? sent : parameters, kept, &problems);
        if (row->check && problems.count == 0)
            row->check(parameters, &problems);
    }
    return end_check(&problems, row, err);
}

static bool is_empty(const json_t *value)
{
    const char *text = json_string_value(value);

    return text ? text[strspn(text, " \t\r\n")] == '\0'
                : json_is_null(value) || (json_array_size(value) == 0 && json_is_array(value)) ||
                      (json_object_size(value) == 0 && json_is_object(value));
}

int component_type_check_sent(const char *type, const json_t *sent, const json_t *kept,
                              const char *loc, struct error *err)
{
    const struct component_type *row = component_type_find(type);
    struct validation_errors problems;
    char where[ERROR_LOC_CAP];
    struct fields fields;

    if (!row || !json_is_object(sent))
        return 0;
    snprintf(where, sizeof where, "%s%sparameters", loc, *loc ? "." : "");
    validation_begin(&problems, where);
    fields = parameters_of(row, 0);
    fields_check_names(&fields, sent, kept, &problems);
    for (const struct field *p = row->parameters; p->name; p++) {
        const json_t *was = json_object_get(kept, p->name);

        if (p->required && was && !is_empty(was) && is_empty(json_object_get(sent, p->name)))
            validation_add(&problems, p->name, "is required and cannot be emptied");
    }
    return end_check(&problems, row, err);
}

bool relationship_is_structure(const char *type)
{
    return type && (strcmp(type, "isChildOf") == 0 || strcmp(type, "isPartOf") == 0);
}

const char *relationship_type_spelled(const char *type)
{
    for (size_t i = 0; relationship_types[i]; i++) {
        const char *name = relationship_types[i], *at = type;

        for (; *name && *at; name++, at++)
            if (toupper((unsigned char)*at) != *name && !(*name == '_' && strchr(" -", *at)))
                break;
        if (!*name && !*at)
            return relationship_types[i];
    }
    return NULL;
}

int relationship_type_check(const char *type, const char *const *types, const char *loc,
                            struct error *err)
{
    char shown[NAME_SHOWN];
    struct nearest search;
    struct buf BUF_AUTO list = {0};

    for (size_t i = 0; types[i]; i++)
        if (type && strcmp(type, types[i]) == 0)
            return 0;
    buf_init(&list, 0);
    nearest_begin(&search, type ? type : "");
    for (size_t i = 0; types[i]; i++) {
        nearest_feed(&search, types[i]);
        buf_addf(&list, "%s%s", i > 0 ? ", " : "", types[i]);
    }
    return error_set_at(err, loc, "'%s' is not a relationship type%s, %s%s%ssend one of %s",
                        text_cut_line(shown, sizeof shown, type),
                        types == link_types ? " of a link to another curriculum" : "",
                        search.best ? "did you mean " : "", search.best ? search.best : "",
                        search.best ? "? If not, " : "", list.data);
}

/* ---- component types of a JSON file (--component-types), for a CMS that has more than the
 * built-in ones ---- */

#define FILE_CAP    ((size_t)256 << 10)
#define ADDED_CAP   64 /* types of a file */
#define CHOICES_CAP 32 /* of a parameter */
#define NAME_MAX    64 /* bytes of a name or a choice */
#define USE_MAX     200
#define LOC_CAP     64

struct added_type {
    const char *choices[COMPONENT_PARAMETERS_CAP][CHOICES_CAP + 1];
};

static const struct field kinds[] = {
    FIELD("text", FIELD_TEXT, .most = (double)TEXT_MAX, .flags = FIELD_NUL),
    FIELD("text-list", FIELD_ARRAY, .item = FIELD_TEXT, .most = (double)TEXT_MAX,
          .flags = FIELD_NUL),
    FIELD("choice", FIELD_TEXT),
    FIELD("number", FIELD_NUMBER),
    FIELD("boolean", FIELD_FLAG),
    FIELD("object", FIELD_OBJECT),
};
#define KIND_COUNT (sizeof kinds / sizeof kinds[0])
static const char *const kind_names[] = {"text",    "text-list", "choice", "number",
                                         "boolean", "object",    NULL};
_Static_assert(sizeof kind_names / sizeof kind_names[0] == KIND_COUNT + 1, "a name for each kind");

#define A_NAME                                                                                     \
    FIELD("name", FIELD_TEXT, .required = true, .least = 1, .most = NAME_MAX, .flags = FIELD_LINE)

static const struct field type_rows[] = {
    A_NAME,
    FIELD("use", FIELD_TEXT, .required = true, .least = 1, .most = USE_MAX,
          .documentation = "when an author picks it, a few words", .flags = FIELD_LINE),
    FIELD("parameters", FIELD_ARRAY, .required = true),
    {0},
};
static const struct fields type_fields = {.name = "a component type", .rows = type_rows};

static const struct field parameter_rows[] = {
    A_NAME,
    FIELD("type", FIELD_TEXT, .required = true, .choices = kind_names),
    FIELD("required", FIELD_FLAG),
    FIELD("choices", FIELD_ARRAY),
    {0},
};
static const struct fields parameter_fields = {.name = "a parameter", .rows = parameter_rows};

/* Names appear in schemas and prompts: letters, digits, - and _, beginning with a letter. */
static void check_name(const json_t *object, const char *loc, struct validation_errors *problems)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const char *name = json_get_string(object, "name");
    char field[LOC_CAP];
    size_t len;

    if (!name)
        return;
    len = strspn(name, letters) > 0 ? strcspn(name, " ") : 0;
    for (size_t i = 0; i < len; i++) {
        if (!strchr(letters, name[i]) && !strchr("0123456789-_", name[i]))
            len = 0;
    }
    if (len > 0 && !name[len])
        return;
    snprintf(field, sizeof field, "%s%sname", loc, *loc ? "." : "");
    validation_add(problems, field, "must be letters, digits, '-' and '_', a letter first");
}

/* Checks the object's members; false if it is not an object. */
static bool check_object(const json_t *object, const struct fields *fields, const char *loc,
                         struct validation_errors *problems)
{
    struct validation_errors found;
    struct error err = {0};

    if (!json_is_object(object)) {
        validation_add(problems, loc, "must be an object, not %s", json_kind(object));
        return false;
    }
    validation_begin(&found, loc);
    fields_check(fields, object, NULL, &found);
    check_name(object, "", &found);
    if (validation_end(&found, NULL, &err) < 0)
        validation_take(problems, &err);
    return found.count == 0;
}

static void take_choices(const json_t *choices, const char *loc, const char **to,
                         struct validation_errors *problems)
{
    size_t count = json_array_size(choices);
    char field[LOC_CAP];

    snprintf(field, sizeof field, "%s.choices", loc);
    if (count < 1 || count > CHOICES_CAP) {
        validation_add(problems, field, "must be an array of 1 to %d texts", CHOICES_CAP);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *choice = json_array_get(choices, i);
        size_t len = json_string_length(choice);

        to[i] = json_string_value(choice);
        snprintf(field, sizeof field, "%s.choices.%zu", loc, i);
        if (!to[i] || len < 1 || len > NAME_MAX || strlen(to[i]) != len)
            validation_add(problems, field, "must be text of 1 to %d bytes", NAME_MAX);
        for (size_t j = 0; to[i] && j < i; j++) {
            if (to[j] && strcmp(to[i], to[j]) == 0)
                validation_add(problems, field, "is there twice");
        }
    }
}

static void take_parameter(const json_t *object, size_t at, struct component_type *type,
                           const char **choices, struct validation_errors *problems)
{
    struct field *parameter = &type->parameters[at];
    const char *kind = json_get_string(object, "type");
    char loc[LOC_CAP / 2], field[LOC_CAP];

    snprintf(loc, sizeof loc, "parameters.%zu", at);
    if (!check_object(object, &parameter_fields, loc, problems))
        return;
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (strcmp(kinds[i].name, kind) == 0)
            *parameter = kinds[i];
    }
    parameter->name = json_get_string(object, "name");
    parameter->required = json_is_true(json_object_get(object, "required"));
    snprintf(field, sizeof field, "%s.name", loc);
    for (size_t i = 0; i < at; i++) {
        if (type->parameters[i].name && strcmp(type->parameters[i].name, parameter->name) == 0)
            validation_add(problems, field, "is there twice");
    }
    if (strcmp(kind, "choice") == 0) {
        parameter->choices = choices;
        take_choices(json_object_get(object, "choices"), loc, choices, problems);
    } else if (json_object_get(object, "choices")) {
        validation_add(problems, loc, "only a parameter of type choice has choices");
    }
}

/* A row whose name an earlier one or a built-in type has. */
static void check_unique(const struct component_type *rows, size_t at,
                         struct validation_errors *problems)
{
    const char *name = rows[at].name;

    if (component_type_find(name))
        validation_add(problems, "name", "'%s' is a built-in component type", name);
    for (size_t i = 0; i < at; i++) {
        if (rows[i].name && strcmp(rows[i].name, name) == 0)
            validation_add(problems, "name", "row %zu has the name '%s' already", i + 1, name);
    }
}

static void take_type(const json_t *object, size_t at, struct validation_errors *problems)
{
    const json_t *parameters = json_object_get(object, "parameters");
    struct component_type *type = &added.rows[at];
    size_t count = json_array_size(parameters);

    if (!check_object(object, &type_fields, "", problems))
        return;
    type->name = json_get_string(object, "name");
    type->use = json_get_string(object, "use");
    check_unique(added.rows, at, problems);
    if (count < 1 || count > COMPONENT_PARAMETERS_CAP) {
        validation_add(problems, "parameters", "must be an array of 1 to %d parameters",
                       COMPONENT_PARAMETERS_CAP);
        return;
    }
    for (size_t i = 0; i < count; i++)
        take_parameter(json_array_get(parameters, i), i, type, added.more[at].choices[i], problems);
}

static int take_types(struct error *err)
{
    size_t count = json_array_size(added.file);

    if (!json_is_array(added.file))
        return error_set(err, ERROR_INVALID,
                         "must be an array of {\"name\", \"use\", \"parameters\"}, not %s",
                         json_kind(added.file));
    if (count > ADDED_CAP)
        return error_set(err, ERROR_INVALID, "has %zu component types, %d at most can be added",
                         count, ADDED_CAP);
    added.rows = calloc(count + 1, sizeof *added.rows);
    added.more = calloc(count + 1, sizeof *added.more);
    if (!added.rows || !added.more)
        return error_set(err, ERROR_MEMORY, "out of memory for its component types");
    for (size_t i = 0; i < count; i++) {
        const json_t *object = json_array_get(added.file, i);
        struct validation_errors problems;
        char name[NAME_MAX];

        validation_begin(&problems, "");
        take_type(object, i, &problems);
        if (validation_end(&problems, NULL, err) < 0)
            return error_wrap(err, "row %zu%s%s%s", i + 1,
                              json_get_string(object, "name") ? " (" : "",
                              text_cut_line(name, sizeof name, json_get_string(object, "name")),
                              json_get_string(object, "name") ? ")" : "");
    }
    added.count = count;
    return 0;
}

static json_t *read_file(const char *path, struct error *err)
{
    FILE *file = fopen(path, "re");
    json_t *value = NULL;
    char *text;
    size_t len;

    if (!file) {
        error_errno(err, errno, "cannot open it");
        return NULL;
    }
    text = malloc(FILE_CAP);
    len = text ? fread(text, 1, FILE_CAP, file) : 0;
    if (!text)
        error_set(err, ERROR_MEMORY, "out of memory for the file");
    else if (ferror(file))
        error_errno(err, errno, "cannot read it");
    else if (len == FILE_CAP)
        error_set(err, ERROR_TOO_LARGE, "is larger than %zu bytes", FILE_CAP - 1);
    else
        value = json_read(text, len, "the file", err);
    free(text);
    fclose(file);
    return value;
}

static void unload_types(void)
{
    free(added.rows);
    free(added.more);
    json_decref(added.file);
    memset(&added, 0, sizeof added);
}

int component_types_load(const char *path, struct error *err)
{
    unload_types();
    added.file = read_file(path, err);
    if (added.file && take_types(err) == 0)
        return 0;
    unload_types();
    return error_wrap(err, "%s", path);
}
