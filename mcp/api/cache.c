/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "helpers/base/hash.h"
#include "mcp/api/rest_internal.h"

#define CACHE_BYTES       ((size_t)64 << 20) /* keys and answers */
#define CACHE_ANSWER_MAX  ((size_t)8 << 20)  /* a longer one is not kept */
#define CACHE_ANSWERS_CAP 16384u
#define BUCKETS           4096u

struct answer_entry {
    TAILQ_ENTRY(answer_entry) used; /* the last used first */
    LIST_ENTRY(answer_entry) bucket;
    char etag[REST_ETAG_SIZE];
    size_t key_len, len;
    char bytes[]; /* key, answer */
};

struct rest_cache {
    pthread_mutex_t lock;
    TAILQ_HEAD(entries, answer_entry) entries;
    LIST_HEAD(, answer_entry) buckets[BUCKETS];
    size_t count, bytes;
};

struct rest_cache *rest_cache_create(struct error *err)
{
    struct rest_cache *cache = calloc(1, sizeof *cache);

    if (!cache) {
        error_set(err, ERROR_MEMORY, "out of memory for answers");
        return NULL;
    }
    pthread_mutex_init(&cache->lock, NULL);
    TAILQ_INIT(&cache->entries);
    return cache;
}

static size_t size_of(const struct answer_entry *entry)
{
    return sizeof *entry + entry->key_len + entry->len;
}

static void drop(struct rest_cache *cache, struct answer_entry *entry)
{
    TAILQ_REMOVE(&cache->entries, entry, used);
    LIST_REMOVE(entry, bucket);
    cache->count--;
    cache->bytes -= size_of(entry);
    free(entry);
}

void rest_cache_destroy(struct rest_cache *cache)
{
    struct answer_entry *entry;

    if (!cache)
        return;
    while ((entry = TAILQ_FIRST(&cache->entries)))
        drop(cache, entry);
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

static size_t bucket_of(const struct buf *key)
{
    return (size_t)(hash_bytes(HASH_START, key->data, key->len) % BUCKETS);
}

static struct answer_entry *find(struct rest_cache *cache, const struct buf *key, size_t bucket)
{
    struct answer_entry *entry;

    LIST_FOREACH(entry, &cache->buckets[bucket], bucket)
    if (entry->key_len == key->len && memcmp(entry->bytes, key->data, key->len) == 0)
        return entry;
    return NULL;
}

bool rest_cache_find(struct rest_cache *cache, const struct buf *key, const char *etag,
                     struct buf *answer)
{
    size_t bucket = bucket_of(key);
    struct answer_entry *entry;
    bool found;

    pthread_mutex_lock(&cache->lock);
    entry = find(cache, key, bucket);
    found = entry && strcmp(entry->etag, etag) == 0;
    if (found) {
        buf_add(answer, entry->bytes + entry->key_len, entry->len);
        TAILQ_REMOVE(&cache->entries, entry, used);
        TAILQ_INSERT_HEAD(&cache->entries, entry, used);
    }
    pthread_mutex_unlock(&cache->lock);
    return found;
}

void rest_cache_keep(struct rest_cache *cache, const struct buf *key, const char *etag,
                     const struct buf *answer)
{
    size_t bucket = bucket_of(key);
    struct answer_entry *entry, *old;

    if (answer->failed || answer->len > CACHE_ANSWER_MAX || strlen(etag) >= REST_ETAG_SIZE)
        return;
    entry = malloc(sizeof *entry + key->len + answer->len);
    if (!entry)
        return;
    memcpy(entry->etag, etag, strlen(etag) + 1);
    entry->key_len = key->len;
    entry->len = answer->len;
    memcpy(entry->bytes, key->data, key->len);
    memcpy(entry->bytes + key->len, answer->data, answer->len);
    pthread_mutex_lock(&cache->lock);
    old = find(cache, key, bucket);
    if (old)
        drop(cache, old);
    TAILQ_INSERT_HEAD(&cache->entries, entry, used);
    LIST_INSERT_HEAD(&cache->buckets[bucket], entry, bucket);
    cache->count++;
    cache->bytes += size_of(entry);
    while ((cache->bytes > CACHE_BYTES || cache->count > CACHE_ANSWERS_CAP) &&
           (old = TAILQ_LAST(&cache->entries, entries)))
        drop(cache, old); /* NOLINT(clang-analyzer-unix.Malloc): the list's end is not the one just
                             freed */
    pthread_mutex_unlock(&cache->lock);
}
