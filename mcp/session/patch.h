/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * JSON merge patches (RFC 7386): how one value becomes another, in as few words. The change log
 * keeps them in place of whole texts. Pure, any thread.
 */
#ifndef LECTERN_SESSION_PATCH_H
#define LECTERN_SESSION_PATCH_H

#include <jansson.h>

/* What makes to of from, as a new reference. NULL where a merge patch cannot say it (a member that
 * is null in to: there it means that the member goes), or without memory. */
json_t *patch_make(const json_t *from, const json_t *to);

/* value with the patch applied, as a new reference; what the patch does not name is shared with
 * value. NULL without memory. */
json_t *patch_apply(const json_t *value, const json_t *patch);

#endif
