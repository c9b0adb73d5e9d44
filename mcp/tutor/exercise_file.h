/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The file of --exercises: exercises of lessons that are in a service which does not store the two
 * component types (docs/exercises.md):
 *
 *   {"exercises": [{"session_id": "s1", "node_id": "N001", "component_id": "area-1",
 *                   "type": "question",
 *                   "parameters": {"prompt": "...", "kind": "number", "answer": 6}}]}
 *
 * Without session_id an exercise belongs to the lesson node_id of each session. component_id is
 * different for each exercise, and stays: the submissions of learners are stored under it.
 *
 * Read on one thread; the content does not change, so any thread may list it.
 */
#ifndef LECTERN_TUTOR_EXERCISE_FILE_H
#define LECTERN_TUTOR_EXERCISE_FILE_H

#include <jansson.h>

#include "helpers/base/error.h"

#define EXERCISE_FILE_CAP       ((size_t)16 << 20) /* bytes */
#define EXERCISE_FILE_COUNT_MAX 5000
#define EXERCISE_FILE_ID_MAX    128 /* bytes of the id of a session or node */
#define EXERCISE_FILE_ITEM_MAX  36  /* bytes of a component id, as in the store */

struct exercise_file;

/* NULL with an error that names the file, the exercise by its index from 0, the member, and a
 * correct example: ERROR_INVALID, or ERROR_MALFORMED if it is not JSON. An exercise is checked as a
 * component is (component_type_check). */
struct exercise_file *exercise_file_read(const char *path, struct error *err);
void exercise_file_free(struct exercise_file *file); /* takes NULL */

/* The exercises of a session in the order of the file: {"node_id", "component_id", "type",
 * "parameters", ...}. A new array of the file's own objects, which must not be changed; empty if
 * there are none, NULL if out of memory. */
json_t *exercise_file_list(const struct exercise_file *file, const char *session_id);

#endif
