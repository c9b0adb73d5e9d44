/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The demo curriculum, loaded into an empty store.
 */
#ifndef LECTERN_COMMAND_DEMO_H
#define LECTERN_COMMAND_DEMO_H

#include "helpers/base/config.h"
#include "mcp/store/store.h"

/* Imports the demo where the store has no session at all. sid (may be NULL) gets the id of the
 * demo's session, "" where the store holds other curricula only. */
int demo_load(const struct config *config, char sid[SESSION_ID_SIZE], struct error *err);

#endif
