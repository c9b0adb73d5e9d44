/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Prints what the page is compiled with: the tables of component and relationship types as
 * TypeScript constants, and the schemas of the session API and of the chat's run input
 * as TypeScript types (JSON text is valid as either). The build runs it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/api/rest_internal.h"
#include "mcp/chat/run_input.h"
#include "mcp/curriculum/component_type.h"
#include "mcp/exercise/exercise.h"

static json_t *names(const char *const *list)
{
    json_t *array = json_array();

    for (size_t i = 0; list && list[i]; i++)
        json_array_append_new(array, json_string(list[i]));
    return array;
}

/* How the page enters a value that the `of` of its row describes, by the name of that `of`. most:
 * the items of it; 0: as many as the row says. */
static const struct entry_form {
    const char *of, *kind;
    int most;
} forms[] = {
    {"pictures", "pictures", 0},
    {"chart_data", "chart", 0},
    {"a case", "cases", EXERCISE_CASES_CAP},
    {"hints", "list", EXERCISE_HINTS_CAP},
    {"a list", "list", EXERCISE_LIST_CAP},
    {"answers", "answers", EXERCISE_LIST_CAP},
};

static const struct entry_form *form_of(const struct field *row)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (strcmp(row->of->name, forms[i].of) == 0)
            return &forms[i];
    fprintf(stderr, "The page has no form for %s, which is %s\n", row->name, row->of->name);
    exit(1);
}

/* The same for a row without an `of`. */
static const char *kind_of(const struct field *row)
{
    return row->type == FIELD_ARRAY    ? "list"
           : row->type == FIELD_NUMBER ? "number"
           : row->choices              ? "choice"
                                       : "text";
}

static json_t *parameter(const struct field *row)
{
    const struct entry_form *form = row->of ? form_of(row) : NULL;
    double most = row->type == FIELD_NUMBER ? row->most : 0; /* of a number, or items */
    json_t *made = json_pack("{s:s, s:s, s:b}", "name", row->name, "kind",
                             form ? form->kind : kind_of(row), "required", (int)row->required);

    if (form)
        most = form->most > 0 ? form->most : row->most;
    if (row->choices)
        json_object_set_new(made, "choices", names(row->choices));
    if (row->type == FIELD_NUMBER)
        json_object_set_new(made, "least", json_real(row->least));
    if (most > 0 && isfinite(most))
        json_object_set_new(made, "most", json_real(most));
    return made;
}

static json_t *component_types(void)
{
    json_t *types = json_array();

    for (size_t i = 0; i < component_type_count(); i++) {
        const struct component_type *type = component_type_at(i);
        json_t *parameters = json_array();

        for (const struct field *row = type->parameters; row->name; row++)
            json_array_append_new(parameters, parameter(row));
        json_array_append_new(types,
                              json_pack("{s:s, s:s, s:s, s:o}", "name", type->name, "label",
                                        type->label, "use", type->use, "parameters", parameters));
    }
    return types;
}

static json_t *picture_fields(void)
{
    json_t *fields = json_array();

    for (const struct field *row = component_picture_rows; row->name; row++)
        json_array_append_new(fields, json_string(row->name));
    return fields;
}

/* Of /openapi.json, by name. */
static json_t *schemas(void)
{
    struct rest_response response = {0};
    struct rest_call call = {.response = &response};
    struct error err = {0};
    json_t *document, *found = NULL;

    rest_openapi(&call, &err);
    document = json_read(response.body.data, response.body.len, "/openapi.json", &err);
    if (!document)
        fprintf(stderr, "%s\n", err.text);
    else
        found = json_incref(json_object_get(json_object_get(document, "components"), "schemas"));
    json_decref(document);
    buf_finish(&response.body);
    return found;
}

static void write_part(struct buf *to, const char *before, json_t *value, const char *after)
{
    buf_adds(to, before);
    json_write(to, value);
    buf_adds(to, after);
    json_decref(value);
}

int main(void)
{
    struct buf BUF_AUTO text = {0};

    buf_adds(&text, "// Written by mcp/ui/contract.c from the server's tables while building.\n");
    write_part(&text, "export const componentTypes = ", component_types(), " as const;\n");
    write_part(&text, "export const pictureFields = ", picture_fields(), " as const;\n");
    write_part(&text, "export const relationshipTypes = ", names(relationship_types),
               " as const;\n");
    write_part(&text, "export type Schemas = ", schemas(), ";\n");
    buf_adds(&text, "export type RunInputSchema = ");
    fields_schema(&run_input_fields, NULL, NULL, &text);
    buf_adds(&text, ";\n");
    return text.failed || fwrite(text.data, 1, text.len, stdout) != text.len || fflush(stdout) != 0;
}
