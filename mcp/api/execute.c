/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The body of POST /execute, which the transport serves: one program, or several.
 */
#include <stdio.h>

#include "helpers/base/json.h"
#include "mcp/api/rest.h"

#define BATCH_EXAMPLE                                                                              \
    "[{\"name\": \"a\", \"code\": \"print(1)\"}, {\"name\": \"b\", \"code\": \"print(2)\"}]"

static const struct field part_rows[] = {
    FIELD("name", FIELD_TEXT, .required = true, .least = 1, .most = REST_BATCH_NAME_MAX,
          .flags = FIELD_LINE),
    FIELD("code", FIELD_TEXT, .required = true, .flags = FIELD_NUL),
    {0},
};
static const struct fields part_fields = {.name = "a program of batch", .rows = part_rows};

static void check_part(const json_t *part, const json_t *names, const char *field,
                       struct validation_errors *problems)
{
    const char *name = json_get_string(part, "name");
    struct validation_errors found;
    struct error err = {0};
    char where[ERROR_LOC_CAP];

    if (!json_is_object(part)) {
        validation_add(problems, field, "must be an object, not %s", json_kind(part));
        return;
    }
    snprintf(where, sizeof where, "%s%s%s", problems->loc, *problems->loc ? "." : "", field);
    validation_begin(&found, where);
    fields_check(&part_fields, part, NULL, &found);
    if (name && json_object_get(names, name))
        validation_add(&found, "name", "'%s' is the name of an earlier program too", name);
    if (validation_end(&found, NULL, &err) < 0)
        validation_take(problems, &err);
}

void rest_batch_check(const struct field *row, const json_t *value, const json_t *object,
                      const char *name, struct validation_errors *problems)
{
    const size_t count = json_array_size(value);
    json_auto_t *names = json_object();

    (void)row;
    (void)object;
    if (count < REST_BATCH_LEAST || count > REST_BATCH_MOST) {
        validation_add(problems, name,
                       "must be an array of %d to %d programs, such as " BATCH_EXAMPLE,
                       REST_BATCH_LEAST, REST_BATCH_MOST);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *part = json_array_get(value, i);
        char field[ERROR_LOC_CAP];

        snprintf(field, sizeof field, "%s.%zu", name, i);
        check_part(part, names, field, problems);
        if (json_get_string(part, "name"))
            json_object_set_new(names, json_get_string(part, "name"), json_true());
    }
}

const struct fields rest_batch_part = {
    .name = "a program of batch", .rows = part_rows, .check = rest_batch_check};

static const struct field execute_rows[] = {
    FIELD("code", FIELD_TEXT, .required = true, .instead = "batch",
          .documentation = "{\"code\": \"print(1)\"}",
          .flags = FIELD_NUL), /* of any bytes: the validator says what is wrong */
    FIELD("batch", FIELD_ARRAY, .of = &rest_batch_part,
          .documentation = "Instead of code: programs that run side by side"),
    FIELD("profile", FIELD_TEXT),
    FIELD("session_id", FIELD_TEXT),
    FIELD("timeout_seconds", FIELD_WHOLE, .least = 1, .most = REST_EXECUTE_TIMEOUT_MAX),
    FIELD("warnings", FIELD_FLAG),
    {0},
};
const struct fields rest_execute_fields = {
    .name = "/execute", .schema = "Execute", .rows = execute_rows};
