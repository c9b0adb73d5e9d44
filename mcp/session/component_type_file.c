/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Component types of a JSON file (--component-types), for a CMS that has more than the built-in
 * ones. Read once, before any thread is started.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/fields.h"
#include "helpers/base/json.h"
#include "mcp/session/component_type.h"
#include "mcp/session/component_type_row.h"
#include "mcp/session/text.h"
#include "mcp/store/store.h"

#define FILE_CAP    ((size_t)256 << 10)
#define ADDED_CAP   64 /* types of a file */
#define CHOICES_CAP 32 /* of a parameter */
#define NAME_MAX    64 /* bytes of a name or a choice */
#define USE_MAX     200
#define LOC_CAP     64

struct added_type {
    const char *choices[COMPONENT_PARAMETERS_CAP][CHOICES_CAP + 1];
};

/* What was read, until the process ends: the rows' texts are those of the JSON. */
static struct {
    json_t *file;
    struct component_type *rows;
    struct added_type *more;
} loaded;

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

/* Names stand in schemas and prompts: letters, digits, - and _, a letter first. */
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

/* The object's members, checked; false where it is none. */
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
    struct component_type *type = &loaded.rows[at];
    size_t count = json_array_size(parameters);

    if (!check_object(object, &type_fields, "", problems))
        return;
    type->name = json_get_string(object, "name");
    type->use = json_get_string(object, "use");
    check_unique(loaded.rows, at, problems);
    if (count < 1 || count > COMPONENT_PARAMETERS_CAP) {
        validation_add(problems, "parameters", "must be an array of 1 to %d parameters",
                       COMPONENT_PARAMETERS_CAP);
        return;
    }
    for (size_t i = 0; i < count; i++)
        take_parameter(json_array_get(parameters, i), i, type, loaded.more[at].choices[i],
                       problems);
}

static int take_types(struct error *err)
{
    size_t count = json_array_size(loaded.file);

    if (!json_is_array(loaded.file))
        return error_set(err, ERROR_INVALID,
                         "must be an array of {\"name\", \"use\", \"parameters\"}, not %s",
                         json_kind(loaded.file));
    if (count > ADDED_CAP)
        return error_set(err, ERROR_INVALID, "has %zu component types, %d at most can be added",
                         count, ADDED_CAP);
    loaded.rows = calloc(count + 1, sizeof *loaded.rows);
    loaded.more = calloc(count + 1, sizeof *loaded.more);
    if (!loaded.rows || !loaded.more)
        return error_set(err, ERROR_MEMORY, "out of memory for its component types");
    for (size_t i = 0; i < count; i++) {
        const json_t *object = json_array_get(loaded.file, i);
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
    component_types_set_added(loaded.rows, count);
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

int component_types_load(const char *path, struct error *err)
{
    component_types_unload();
    loaded.file = read_file(path, err);
    if (loaded.file && take_types(err) == 0)
        return 0;
    component_types_unload();
    return error_wrap(err, "%s", path);
}

void component_types_unload(void)
{
    component_types_set_added(NULL, 0);
    free(loaded.rows);
    free(loaded.more);
    json_decref(loaded.file);
    memset(&loaded, 0, sizeof loaded);
}
