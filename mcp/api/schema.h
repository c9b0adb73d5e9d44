/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The schemas of /openapi.json, and its parameters.
 */
#ifndef LECTERN_API_SCHEMA_H
#define LECTERN_API_SCHEMA_H

#include "helpers/base/buf.h"

/* Appends {"Node": {...}, ...}: every schema that a route names. */
void rest_schemas(struct buf *to);

#endif
