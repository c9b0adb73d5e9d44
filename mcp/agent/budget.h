/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The budget of one task, which all its roles share: checked before each request to a model, and
 * never reset. Prices turn tokens into cost. Pure but for prices_read; one thread at a time for one
 * budget.
 */
#ifndef LECTERN_AGENT_BUDGET_H
#define LECTERN_AGENT_BUDGET_H

#include "helpers/base/buf.h"
#include "helpers/base/error.h"
#include "mcp/model/model_message.h"

/* The input of a request is estimated as a token for so many of its bytes: more than services
 * count for English, so that a task ends within its bound. */
#define BUDGET_BYTES_PER_TOKEN 3u
#define BUDGET_OUTPUT_LEAST    64u /* tokens that an answer must have room for */
#define PRICES_FILE_CAP        ((size_t)1 << 20)
#define PRICES_MODELS_CAP      64u

/* ---- prices: a JSON file {"currency": "USD", "models": {NAME: {"input": 3, "output": 15,
 * "cache_read": 0.3, "cache_write": 3.75}}}, each for a million tokens ---- */

struct price {
    double input, output, cache_read, cache_write; /* of a million tokens */
};
struct prices;
/* path NULL: no prices, returns NULL without an error. ERROR_INVALID shows a correct file. */
struct prices *prices_read(const char *path, struct error *err);
void prices_free(struct prices *prices); /* takes NULL */
/* NULL: the model has no price, or prices is NULL. Borrowed. */
const struct price *prices_find(const struct prices *prices, const char *model);
const char *prices_currency(const struct prices *prices); /* "" for NULL */
double price_of(const struct price *price, const struct model_usage *usage);

/* ---- bounds ---- */

enum bound {
    BOUND_NONE,
    BOUND_REQUESTS, /* to models, retries of a busy service not counted */
    BOUND_INPUT,    /* tokens, with those of the cache */
    BOUND_OUTPUT,   /* tokens */
    BOUND_SECONDS,
    BOUND_COST, /* only of models with a price */
    BOUND_COUNT,
};
extern const char *const bound_names[BOUND_COUNT]; /* "requests", ...; "" for BOUND_NONE */

struct budget_bounds {
    double most[BOUND_COUNT]; /* cost 0: any */
};
extern const struct budget_bounds bounds_default;
/* Sets the bounds that words such as "requests=12" name; NULL-terminated. ERROR_INVALID names the
 * bounds and shows a correct word. */
int bounds_parse(const char *const *words, struct budget_bounds *bounds, struct error *err);

struct budget {
    struct budget_bounds bounds;
    unsigned requests;
    struct model_usage usage;
    double cost;        /* of the requests whose model has a price */
    bool unpriced;      /* a request was sent to a model without one */
    int64_t started_ms; /* of the monotonic clock; earlier for a task that is continued */
};
/* now_ms: of clock_ms (helpers/base/clock.h), as everywhere here. */
void budget_init(struct budget *budget, const struct budget_bounds *bounds, int64_t now_ms);
/* Milliseconds until BOUND_SECONDS is reached, at least 0. */
int64_t budget_left_ms(const struct budget *budget, int64_t now_ms);

/* Whether a request of so many bytes may be sent: BOUND_NONE, with the tokens that its answer may
 * have in *max_tokens (at most as many as before); or the bound that forbids it. */
enum bound budget_check(const struct budget *budget, const struct price *price, size_t bytes,
                        int64_t now_ms, unsigned *max_tokens);
/* After it: usage is the count of the service. */
void budget_spend(struct budget *budget, const struct price *price,
                  const struct model_usage *usage);

/* Appends {"requests", "input", "output", "cache_read", "cache_write"}; input is without the two.
 */
void budget_write_usage(const struct budget *budget, struct buf *to);
/* The tokens of such an object, as it is in a trace; 0 for a missing member. */
struct model_usage budget_read_usage(const json_t *usage);

#endif
