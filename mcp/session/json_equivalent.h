/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether two JSON values say the same, where they came by different ways: 1 is 1.0, and a member
 * that is null is one that is not there. Pure.
 */
#ifndef LECTERN_SESSION_JSON_EQUIVALENT_H
#define LECTERN_SESSION_JSON_EQUIVALENT_H

#include <stdbool.h>

#include <jansson.h>

bool json_equivalent(const json_t *one, const json_t *other); /* NULL is null */

#endif
