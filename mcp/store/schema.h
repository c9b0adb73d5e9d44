/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tables of the embedded store, as a list of migrations that is only ever added to.
 */
#ifndef LECTERN_SESSION_SQLITE_SCHEMA_H
#define LECTERN_SESSION_SQLITE_SCHEMA_H

#include <stdbool.h>

#include <sqlite3.h>

#include "helpers/base/error.h"

/* Brings the file to the newest form, in one transaction; refuses a file that is no store or is
 * newer than this program. */
int schema_migrate(sqlite3 *db, const char *path, struct error *err);
/* 0 when the file has the newest form, or with older an older one. */
int schema_check(sqlite3 *db, const char *path, bool older, struct error *err);

#endif
