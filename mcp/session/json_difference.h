/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How two JSON values differ: whether they say the same, where they came by different ways, and the
 * merge patch (RFC 7386) that makes one of the other in as few words; the change log keeps patches
 * in place of whole texts. Pure, any thread.
 */
#ifndef LECTERN_SESSION_JSON_DIFFERENCE_H
#define LECTERN_SESSION_JSON_DIFFERENCE_H

#include <stdbool.h>

#include <jansson.h>

/* 1 is 1.0, and a member that is null is one that is not there. NULL is null. */
bool json_equivalent(const json_t *one, const json_t *other);

/* What makes to of from, as a new reference. NULL where a merge patch cannot say it (a member that
 * is null in to: there it means that the member goes), or without memory. */
json_t *patch_make(const json_t *from, const json_t *to);

/* value with the patch applied, as a new reference; what the patch does not name is shared with
 * value. NULL without memory. */
json_t *patch_apply(const json_t *value, const json_t *patch);

#endif
