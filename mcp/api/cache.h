/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers to reads, kept by what was asked for as long as their ETag is the one that is: a list
 * that nobody has written to is made once. Any thread. What was used last goes last.
 */
#ifndef LECTERN_API_CACHE_H
#define LECTERN_API_CACHE_H

#include <stdbool.h>

#include "helpers/base/buf.h"

#define REST_CACHE_BYTES       ((size_t)64 << 20) /* keys and answers */
#define REST_CACHE_ANSWER_MAX  ((size_t)8 << 20)  /* a longer one is not kept */
#define REST_CACHE_ANSWERS_CAP 16384u

struct rest_cache;

struct rest_cache *rest_cache_create(struct error *err);
void rest_cache_destroy(struct rest_cache *cache); /* takes NULL */

/* Appends the answer; false where none of this state is kept. key: any bytes. */
bool rest_cache_find(struct rest_cache *cache, const struct buf *key, const char *etag,
                     struct buf *answer);
/* In place of the one of another state. Without memory it is not kept. */
void rest_cache_keep(struct rest_cache *cache, const struct buf *key, const char *etag,
                     const struct buf *answer);

#endif
