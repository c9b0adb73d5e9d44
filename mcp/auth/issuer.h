/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The issuer of --issuer: its metadata (RFC 8414, or OpenID Connect Discovery), its keys, and the
 * tokens of it that were good. Keys are kept by their id, and fetched again for an id that is
 * unknown, at most once in ISSUER_REFETCH_MS. Fetching does not block: a token that has to wait for
 * it waits at most ISSUER_WAIT_MS. Everything runs on the loop's thread.
 */
#ifndef LECTERN_AUTH_ISSUER_H
#define LECTERN_AUTH_ISSUER_H

#include <sys/queue.h>

#include <uv.h>

#include "helpers/base/error.h"
#include "mcp/auth/identity.h"

#define ISSUER_METADATA_CAP   ((size_t)64 << 10) /* bytes */
#define ISSUER_REFETCH_MS     60000u
#define ISSUER_RETRY_MS       5000u    /* after a failed fetch, while no keys are known */
#define ISSUER_RENEW_MS       3600000u /* keys that are older are fetched again when they are used */
#define ISSUER_REQUEST_MS     4000u    /* for one request to the issuer */
#define ISSUER_WAIT_MS        5000u
#define ISSUER_WAITING_CAP    256u  /* tokens that wait for keys */
#define ISSUER_REMEMBERED_CAP 4096u /* good tokens; a power of two */

struct issuer;

struct issuer_config { /* borrowed for the life of the issuer */
    const char *url, *audience;
};

enum issuer_answer {
    ISSUER_GOOD,
    ISSUER_REFUSED,
    ISSUER_WAITS, /* issuer_wait calls back when to ask again */
    ISSUER_AWAY,  /* its keys cannot be fetched now */
};

/* NULL with ERROR_INVALID if the address is not an issuer's. Begins to fetch. */
struct issuer *issuer_create(const struct issuer_config *config, uv_loop_t *loop,
                             struct error *err);
/* The memory is freed after the loop has run its close callbacks. Those that wait are not called.
 * Takes NULL. */
void issuer_destroy(struct issuer *issuer);

/* A token that was good and has not ended; else NULL. */
const struct identity *issuer_remembered(struct issuer *issuer, const struct digest *digest);

/* Checks a token that is not remembered. err says why it is refused, or why the issuer is away. */
enum issuer_answer issuer_check(struct issuer *issuer, const char *token, size_t len,
                                const struct digest *digest, struct identity *identity,
                                struct error *err);

/* Who waits for a fetch. on_fetched is called once: with the new keys, without them, or after
 * ISSUER_WAIT_MS, when the fetch is still under way. */
struct issuer_wait {
    TAILQ_ENTRY(issuer_wait) link;
    uint64_t until_ms;
    unsigned fetch; /* the number of the one that it waits for */
    void (*on_fetched)(struct issuer_wait *wait);
};
int issuer_wait(struct issuer *issuer, struct issuer_wait *wait, struct error *err); /* -1: full */
void issuer_leave(struct issuer *issuer, struct issuer_wait *wait);

/* Seconds until the keys may be fetched again; at least 1. */
unsigned issuer_retry_after_s(const struct issuer *issuer);

/* The address of the keys, from the metadata of the issuer at url: to be freed. NULL with err if it
 * is not this issuer's metadata. Pure. */
char *issuer_read_metadata(const char *url, const char *text, size_t len, struct error *err);

#endif
