/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tutor/exercise_file.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/buf.h"
#include "helpers/base/fields.h"
#include "helpers/base/json.h"
#include "mcp/curriculum/component_type.h"
#include "mcp/exercise/exercise.h"
#include "mcp/format/file.h"

#define EXAMPLE                                                                                    \
    "{\"exercises\": [{\"node_id\": \"N001\", \"component_id\": \"area-1\", \"type\": "            \
    "\"question\", \"parameters\": {\"prompt\": \"What is 2 * 3?\", \"kind\": \"number\", "        \
    "\"answer\": 6}}]}"

struct exercise_file {
    json_t *exercises; /* the array; owned */
};

static const char *const types[] = {EXERCISE_CODE, EXERCISE_QUESTION, NULL};

static const struct field exercise_rows[] = {
    FIELD("session_id", FIELD_TEXT, .least = 1, .most = EXERCISE_FILE_ID_MAX, .flags = FIELD_LINE),
    FIELD("node_id", FIELD_TEXT, .required = true, .least = 1, .most = EXERCISE_FILE_ID_MAX,
          .flags = FIELD_LINE),
    FIELD("component_id", FIELD_TEXT, .required = true, .least = 1, .most = EXERCISE_FILE_ITEM_MAX,
          .flags = FIELD_LINE),
    FIELD("type", FIELD_TEXT, .required = true, .choices = types),
    FIELD("parameters", FIELD_OBJECT, .required = true),
    {0},
};
static const struct fields exercise_fields = {.name = "an exercise", .rows = exercise_rows};

static int check_exercise(const json_t *exercise, json_t *ids, struct error *err)
{
    struct validation_errors problems;
    const char *id = json_get_string(exercise, "component_id");

    validation_begin(&problems, "");
    if (json_is_object(exercise))
        fields_check(&exercise_fields, exercise, NULL, &problems);
    else
        validation_add(&problems, "", "must be an object, not %s", json_kind(exercise));
    if (problems.count == 0 && json_object_get(ids, id))
        validation_add(&problems, "component_id",
                       "'%s' is also the id of an exercise before it; each has its own", id);
    if (validation_end(&problems, NULL, err) < 0 ||
        component_type_check(json_get_string(exercise, "type"),
                             json_object_get(exercise, "parameters"), NULL, NULL, "", err) < 0)
        return -1;
    return json_object_set_new(ids, id, json_true()) < 0
               ? error_set(err, ERROR_MEMORY, "out of memory for its exercises")
               : 0;
}

static int check_file(const json_t *value, struct error *err)
{
    const json_t *exercises = json_object_get(value, "exercises");
    json_auto_t *ids = json_object();
    json_t *exercise;
    size_t i;

    if (!json_is_array(exercises))
        return error_set(err, ERROR_INVALID, "must be an object with the array exercises");
    if (json_array_size(exercises) > EXERCISE_FILE_COUNT_MAX)
        return error_set(err, ERROR_INVALID, "has %zu exercises; at most %d are read",
                         json_array_size(exercises), EXERCISE_FILE_COUNT_MAX);
    json_array_foreach((json_t *)exercises, i, exercise)
    {
        if (check_exercise(exercise, ids, err) < 0)
            return error_wrap(err, "exercises.%zu", i);
    }
    return 0;
}

struct exercise_file *exercise_file_read(const char *path, struct error *err)
{
    struct exercise_file *file = calloc(1, sizeof *file);
    struct buf BUF_AUTO text = {0};
    json_auto_t *value = NULL;
    struct error wrong = {0};

    if (!file)
        error_set(&wrong, ERROR_MEMORY, "out of memory for %s", path);
    else if (file_read(path, EXERCISE_FILE_CAP, &text, &wrong) == 0)
        value = json_read(text.data ? text.data : "", text.len, path, &wrong);
    if (value && check_file(value, &wrong) < 0)
        error_wrap(&wrong, "%s", path);
    if (wrong.kind == ERROR_NONE) {
        file->exercises = json_incref(json_object_get(value, "exercises"));
        return file;
    }
    free(file);
    if (wrong.kind == ERROR_INVALID || wrong.kind == ERROR_MALFORMED)
        error_set(err, wrong.kind, "%s\nA correct file: " EXAMPLE, wrong.text);
    else
        error_set(err, wrong.kind, "%s", wrong.text);
    return NULL;
}

void exercise_file_free(struct exercise_file *file)
{
    if (file)
        json_decref(file->exercises);
    free(file);
}

json_t *exercise_file_list(const struct exercise_file *file, const char *session_id)
{
    json_t *list = json_array(), *exercise;
    size_t i;

    json_array_foreach(file->exercises, i, exercise)
    {
        bool any = !json_get_string(exercise, "session_id");

        if ((any || json_string_is(exercise, "session_id", session_id)) &&
            json_array_append(list, exercise) < 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}
