/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The 64-bit FNV-1a hash, for hash tables and for detecting accidental differences. Collisions are
 * easy to construct, so do not use it where an attacker could profit from one.
 */
#ifndef LECTERN_BASE_HASH_H
#define LECTERN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START       UINT64_C(0xcbf29ce484222325)
#define HASH_OTHER_START UINT64_C(0x9e3779b97f4a7c15) /* for a second, different hash */

/* Continues from hash. Hashing pieces in sequence gives the hash of the whole. */
static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < len; i++) /* NOLINTNEXTLINE: clang 14 forgets bytes that strlen() saw */
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
