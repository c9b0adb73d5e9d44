/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file that comes with a question on the legacy chat protocol: base64 of text. Pure, any thread.
 */
#ifndef LECTERN_CHAT_LEGACY_ATTACHMENT_H
#define LECTERN_CHAT_LEGACY_ATTACHMENT_H

#include <jansson.h>

#include "helpers/base/error.h"

#define LEGACY_ATTACHMENT_NAME_MAX 200u /* bytes of its name that are shown */

/* A content block for the model that says what it is: a new reference; NULL with ERROR_INVALID or
 * ERROR_TOO_LARGE that says what to send. name: or NULL. */
json_t *legacy_attachment_block(const json_t *base64, const char *name, struct error *err);

#endif
