/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Values of Python as JSON: the arguments and expected results of an exercise's cases, and the
 * results of learners' code. An author writes plain JSON, and {"py": "a literal"} where JSON has no
 * form. Everything else uses one normal form, in which each type differs from the others:
 *
 *   None, bool, str, list     null, true or false, a text, an array
 *   int                       an integer; of more than 63 bits {"int": "digits"}
 *   float                     a real number; {"float": "nan"}, "inf" or "-inf"
 *   complex                   {"complex": [real, imaginary]}, two floats
 *   bytes                     {"bytes": "hexadecimal"}
 *   str with lone surrogates  {"str": [code points]}
 *   tuple, set, frozenset     {"tuple": [items]}, {"set": [items]}, {"frozenset": [items]}
 *   dict                      {"dict": [[key, value], ...]}
 *   an object of another type {"other": "name of its type"}; equals nothing
 *
 * Pure, any thread.
 */
#ifndef LECTERN_EXERCISE_PYTHON_VALUE_H
#define LECTERN_EXERCISE_PYTHON_VALUE_H

#include <stdbool.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"

enum comparison {
    COMPARE_EXACT,       /* as == in Python, but a bool equals only a bool */
    COMPARE_UNORDERED,   /* also a list or tuple with the same items in another order */
    COMPARE_APPROXIMATE, /* numbers may differ by 1e-6 of the larger one, or by 1e-9 */
    COMPARE_COUNT,
};
extern const char *const comparisons[COMPARE_COUNT + 1]; /* their names; NULL-terminated */

/* Converts an author's JSON to the normal form. A new reference, or NULL with ERROR_INVALID and the
 * reason: a literal that is none. */
json_t *python_value_read(const json_t *authored, struct error *err);

/* Whether a value from a sandbox has the normal form. */
bool python_value_is_valid(const json_t *value);

/* Both in normal form. */
bool python_value_equal(const json_t *expected, const json_t *given, enum comparison comparison);

/* Appends the value as Python writes it: "[1, (2.0, 'a')]". cap: bytes of it, then "...". */
void python_value_show(const json_t *value, size_t cap, struct buf *to);

/* The name of the value's type in Python: "int", "NoneType". */
const char *python_value_type(const json_t *value);

#endif
