/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The characters that Python's \N{...} knows by name: those of Unicode 14 with their aliases. Pure.
 */
#ifndef LECTERN_VALIDATOR_CHARACTER_NAME_H
#define LECTERN_VALIDATOR_CHARACTER_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False where there is no character of that name. */
bool character_by_name(const char *name, size_t len, uint32_t *character);

#endif
