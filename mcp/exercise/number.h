/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads a number as a person writes it:
 *
 *   12, -3, +3, .5, 1e-3    a decimal, with an exponent or without
 *   0.75, 0,75              the decimal mark is a point or a comma
 *   1,234.5, 1.234,5        groups of three digits, with one separator throughout,
 *   1 234, 1'234            which may also be a space or an apostrophe
 *   3/4, 1.5/2              a fraction
 *   1 1/2, -1 1/2, 1 234/5  a mixed number: one and a half, ...
 *
 * Some texts have more than one reading, and each is returned: "1,234" is 1.234 and 1234. A single
 * point is always a decimal mark.
 *
 * A unit is one word after the number, which does not change it: "5 km", "20 m/s^2", "5€". It
 * begins with a letter, %, a degree sign or the sign of a currency. Words that change the number
 * are not units: unknowns (5x), factors (5 million, 5k, 2pi), parts (3 quarters). With % or percent
 * the hundredth part is a further reading: "75%" is 75 and 0.75.
 *
 * Pure, any thread.
 */
#ifndef LECTERN_EXERCISE_NUMBER_H
#define LECTERN_EXERCISE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#define NUMBER_READINGS_MAX 8u
#define NUMBER_DIGITS_CAP   64u /* bytes of one decimal; a longer one is not read */

/* The number of readings of the whole text, which are finite; 0 if it is not a number. has_unit:
 * whether a unit may follow. */
size_t number_read(const char *text, bool has_unit, double readings[NUMBER_READINGS_MAX]);

#endif
