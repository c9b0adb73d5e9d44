/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * SHA-256 of bytes that arrive in pieces.
 */
#ifndef LECTERN_BASE_SHA256_H
#define LECTERN_BASE_SHA256_H

#include <stddef.h>

#define SHA256_TEXT_SIZE 65 /* 64 digits in lower case, and a NUL */

struct sha256;
struct sha256 *sha256_create(void);        /* aborts if memory runs out */
void sha256_destroy(struct sha256 *state); /* takes NULL */
void sha256_add(struct sha256 *state, const void *bytes, size_t len);
/* The digest of all that was added. The state begins anew. */
void sha256_end(struct sha256 *state, char text[SHA256_TEXT_SIZE]);

#endif
