/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * FNV-1a of 64 bits, for tables and for telling things apart that differ by accident. Whoever wants
 * two inputs to meet can make them; where that would matter, this is not for it.
 */
#ifndef LECTERN_BASE_HASH_H
#define LECTERN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START       UINT64_C(0xcbf29ce484222325)
#define HASH_OTHER_START UINT64_C(0x9e3779b97f4a7c15) /* for a second one beside it */

/* Goes on from hash; of pieces in a row it is the hash of them all. */
static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
