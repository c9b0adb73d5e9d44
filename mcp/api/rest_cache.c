/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers to reads, by request, valid while their ETag is the current one: a list that was not
 * written to is created once. The answer that was not used for longest is dropped first.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/table.h"
#include "mcp/api/rest_internal.h"

#define CACHE_BYTES       ((size_t)64 << 20) /* keys and answers */
#define CACHE_ANSWER_MAX  ((size_t)8 << 20)  /* longer ones are not cached */
#define CACHE_ANSWERS_CAP 16384u

struct cached_answer {
    UT_hash_handle hh;
    char etag[REST_ETAG_SIZE];
    size_t key_len, len;
    char bytes[]; /* key, answer */
};

struct rest_cache {
    pthread_mutex_t lock;
    struct cached_answer *answers; /* by key; the least recently used first */
    size_t bytes;
};

struct rest_cache *rest_cache_create(struct error *err)
{
    struct rest_cache *cache = calloc(1, sizeof *cache);

    if (cache)
        pthread_mutex_init(&cache->lock, NULL);
    else
        error_set(err, ERROR_MEMORY, "out of memory for answers");
    return cache;
}

static size_t size_of(const struct cached_answer *answer)
{
    return sizeof *answer + answer->key_len + answer->len;
}

static void drop(struct rest_cache *cache, struct cached_answer *answer)
{
    HASH_DEL(cache->answers, answer);
    cache->bytes -= size_of(answer);
    free(answer);
}

void rest_cache_destroy(struct rest_cache *cache)
{
    if (!cache)
        return;
    while (cache->answers)
        drop(cache, cache->answers);
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

static struct cached_answer *find(const struct rest_cache *cache, const struct buf *key)
{
    struct cached_answer *answer;

    HASH_FIND(hh, cache->answers, key->data, key->len, answer);
    return answer;
}

bool rest_cache_find(struct rest_cache *cache, const struct buf *key, const char *etag,
                     struct buf *to)
{
    struct cached_answer *answer;
    bool found;

    pthread_mutex_lock(&cache->lock);
    answer = find(cache, key);
    found = answer && strcmp(answer->etag, etag) == 0;
    if (found) {
        buf_add(to, answer->bytes + answer->key_len, answer->len);
        HASH_DEL(cache->answers, answer);
        HASH_ADD_KEYPTR(hh, cache->answers, answer->bytes, answer->key_len, answer);
    }
    pthread_mutex_unlock(&cache->lock);
    return found;
}

void rest_cache_add(struct rest_cache *cache, const struct buf *key, const char *etag,
                    const struct buf *body)
{
    struct cached_answer *answer, *old;

    if (body->failed || body->len > CACHE_ANSWER_MAX || strlen(etag) >= REST_ETAG_SIZE)
        return;
    answer = malloc(sizeof *answer + key->len + body->len);
    if (!answer)
        return;
    memcpy(answer->etag, etag, strlen(etag) + 1);
    answer->key_len = key->len;
    answer->len = body->len;
    memcpy(answer->bytes, key->data, key->len);
    memcpy(answer->bytes + key->len, body->data, body->len);
    pthread_mutex_lock(&cache->lock);
    old = find(cache, key);
    if (old)
        drop(cache, old);
    HASH_ADD_KEYPTR(hh, cache->answers, answer->bytes, answer->key_len, answer);
    cache->bytes += size_of(answer);
    while (cache->bytes > CACHE_BYTES || HASH_COUNT(cache->answers) > CACHE_ANSWERS_CAP)
        drop(cache, cache->answers);
    pthread_mutex_unlock(&cache->lock);
}
