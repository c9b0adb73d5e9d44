/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sealed bytes: a text that a client keeps for the server and that only the server can have made.
 * It is base64url without padding (RFC 4648, section 5) of the bytes and their HMAC-SHA256, so it
 * is visible ASCII. Sealed bytes are not secret: whoever has the text can read them.
 */
#ifndef LECTERN_BASE_SEAL_H
#define LECTERN_BASE_SEAL_H

#include <stdbool.h>
#include <stddef.h>

#include "helpers/base/buf.h"

#define SEAL_KEY_SIZE 32u
#define SEAL_MAC_SIZE 32u

/* The length of the text for len bytes. */
#define SEAL_TEXT_LEN(len) (((len) + SEAL_MAC_SIZE) * 4 / 3 + (((len) + SEAL_MAC_SIZE) % 3 != 0))

/* Appends the text. purpose says what the bytes are: what was sealed for one purpose opens for no
 * other. */
void seal(struct buf *to, const unsigned char key[SEAL_KEY_SIZE], const char *purpose,
          const void *bytes, size_t len);

/* Appends the bytes of a text and returns 0; -1 if seal() with this key and purpose does not make
 * exactly this text, or *to is too small. */
int seal_open(struct buf *to, const unsigned char key[SEAL_KEY_SIZE], const char *purpose,
              const char *text, size_t len);

/* Whether two texts of this length are the same, in a time that does not tell where they differ. */
bool seal_same(const char *a, const char *b, size_t len);

#endif
