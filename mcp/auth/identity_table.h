/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Identities by the digest of a secret: the tokens of a file, those of an issuer that were good,
 * the cookies and links of the page. Not thread-safe.
 */
#ifndef LECTERN_AUTH_IDENTITY_TABLE_H
#define LECTERN_AUTH_IDENTITY_TABLE_H

#include "helpers/base/error.h"
#include "mcp/auth/identity.h"

struct identity_table;

/* Holds at most cap identities. */
struct identity_table *identity_table_create(size_t cap, struct error *err);
void identity_table_destroy(struct identity_table *table); /* takes NULL */

/* Adds or replaces, until a time (seconds since 1970; 0: for good). In a full table the oldest one
 * goes. -1 without memory. */
int identity_table_add(struct identity_table *table, const struct digest *digest,
                       const struct identity *identity, int64_t until, struct error *err);
/* NULL if there is none or its time is over. Valid until the table is changed. */
const struct identity *identity_table_find(struct identity_table *table,
                                           const struct digest *digest, int64_t now);
void identity_table_remove(struct identity_table *table, const struct digest *digest);
size_t identity_table_count(const struct identity_table *table);

#endif
