/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/agent/budget.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/fields.h"
#include "helpers/base/json.h"
#include "mcp/format/file.h"

#define MILLION        1e6
#define CURRENCY_MAX   8
#define MODEL_NAME_CAP 127
#define BOUND_MAX      1e12

#define EXAMPLE                                                                                    \
    "{\"currency\": \"USD\", \"models\": {\"claude-sonnet-4-5\": {\"input\": 3, \"output\": 15, "  \
    "\"cache_read\": 0.3, \"cache_write\": 3.75}}}"

/* ---- prices ---- */

struct prices {
    char currency[CURRENCY_MAX + 1];
    size_t count;
    struct {
        char model[MODEL_NAME_CAP + 1];
        struct price price;
    } rows[PRICES_MODELS_CAP];
};

#define AMOUNT(name) FIELD(name, FIELD_NUMBER, .required = true, .least = 0, .most = INFINITY)
static const struct fields price_fields = {
    .name = "a price",
    .rows =
        (const struct field[]){
            AMOUNT("input"), AMOUNT("output"), AMOUNT("cache_read"), AMOUNT("cache_write"), {0}},
};
static const struct fields file_fields = {
    .name = "the file",
    .rows = (const struct field[]){FIELD("currency", FIELD_TEXT, .required = true, .least = 1,
                                         .most = CURRENCY_MAX, .flags = FIELD_LINE),
                                   FIELD("models", FIELD_OBJECT, .required = true),
                                   {0}},
};

static double amount(const json_t *price, const char *name)
{
    return json_number_value(json_object_get(price, name));
}

static void take_price(struct prices *prices, const char *model, const json_t *value,
                       struct validation_errors *problems)
{
    struct validation_errors found;
    struct error err = {0};

    validation_begin(&found, model);
    if (json_is_object(value))
        fields_check(&price_fields, value, NULL, &found);
    else
        validation_add(&found, "", "must be an object, not %s", json_kind(value));
    if (strlen(model) > MODEL_NAME_CAP || prices->count == PRICES_MODELS_CAP)
        validation_add(&found, "", "at most %u models, with names of at most %u bytes",
                       PRICES_MODELS_CAP, MODEL_NAME_CAP);
    if (validation_end(&found, NULL, &err) < 0) {
        validation_take(problems, &err);
        return;
    }
    memcpy(prices->rows[prices->count].model, model, strlen(model) + 1);
    prices->rows[prices->count++].price = (struct price){
        .input = amount(value, "input"),
        .output = amount(value, "output"),
        .cache_read = amount(value, "cache_read"),
        .cache_write = amount(value, "cache_write"),
    };
}

static int take_file(struct prices *prices, const json_t *file, struct error *err)
{
    struct validation_errors problems;
    const char *model;
    json_t *value;

    validation_begin(&problems, "");
    if (json_is_object(file))
        fields_check(&file_fields, file, NULL, &problems);
    else
        validation_add(&problems, "", "must be an object, not %s", json_kind(file));
    if (problems.count == 0) {
        const char *currency = json_get_string(file, "currency");

        memcpy(prices->currency, currency, strlen(currency) + 1);
        json_object_foreach(json_object_get(file, "models"), model, value)
            take_price(prices, model, value, &problems);
    }
    return validation_end(&problems, NULL, err);
}

struct prices *prices_read(const char *path, struct error *err)
{
    struct prices *prices;
    struct buf BUF_AUTO text = {0};
    json_auto_t *file = NULL;
    struct error wrong = {0};

    if (!path)
        return NULL;
    prices = calloc(1, sizeof *prices);
    if (!prices)
        error_set(&wrong, ERROR_MEMORY, "out of memory for the prices");
    else if (file_read(path, PRICES_FILE_CAP, &text, &wrong) == 0)
        file = json_read(text.data ? text.data : "", text.len, path, &wrong);
    if (file && take_file(prices, file, &wrong) < 0)
        error_wrap(&wrong, "%s", path);
    if (wrong.kind == ERROR_NONE)
        return prices;
    prices_free(prices);
    error_set(err, wrong.kind, "%s%s", wrong.text,
              wrong.kind == ERROR_INVALID || wrong.kind == ERROR_MALFORMED
                  ? "\nA correct file: " EXAMPLE
                  : "");
    return NULL;
}

void prices_free(struct prices *prices)
{
    free(prices);
}

const struct price *prices_find(const struct prices *prices, const char *model)
{
    for (size_t i = 0; prices && i < prices->count; i++) {
        if (strcmp(prices->rows[i].model, model) == 0)
            return &prices->rows[i].price;
    }
    return NULL;
}

const char *prices_currency(const struct prices *prices)
{
    return prices ? prices->currency : "";
}

double price_of(const struct price *price, const struct model_usage *usage)
{
    return ((double)usage->input * price->input + (double)usage->output * price->output +
            (double)usage->cache_read * price->cache_read +
            (double)usage->cache_write * price->cache_write) /
           MILLION;
}

/* ---- bounds ---- */

const char *const bound_names[BOUND_COUNT] = {
    [BOUND_NONE] = "",         [BOUND_REQUESTS] = "requests", [BOUND_INPUT] = "input",
    [BOUND_OUTPUT] = "output", [BOUND_SECONDS] = "seconds",   [BOUND_COST] = "cost",
};

const struct budget_bounds bounds_default = {
    .most =
        {
            [BOUND_REQUESTS] = 12,
            [BOUND_INPUT] = 100000,
            [BOUND_OUTPUT] = 16000,
            [BOUND_SECONDS] = 120,
        },
};

static int parse_bound(const char *word, struct budget_bounds *bounds, struct error *err)
{
    const char *sign = strchr(word, '=');
    char *end = NULL;
    double most = sign ? strtod(sign + 1, &end) : 0;

    for (unsigned i = BOUND_REQUESTS; sign && i < BOUND_COUNT; i++) {
        if (strlen(bound_names[i]) != (size_t)(sign - word) ||
            strncmp(bound_names[i], word, (size_t)(sign - word)) != 0)
            continue;
        if (end == sign + 1 || *end || !(most > 0) || most > BOUND_MAX)
            return error_set(err, ERROR_INVALID,
                             "--budget %s: must be a number above 0, such as %s=%g", word,
                             bound_names[i], i == BOUND_COST ? 0.5 : bounds_default.most[i]);
        bounds->most[i] = most;
        return 0;
    }
    return error_set(err, ERROR_INVALID,
                     "--budget %s: is NAME=NUMBER, such as requests=12; the names are requests, "
                     "input, output, seconds and cost",
                     word);
}

int bounds_parse(const char *const *words, struct budget_bounds *bounds, struct error *err)
{
    for (; *words; words++) {
        if (parse_bound(*words, bounds, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- the budget ---- */

void budget_init(struct budget *budget, const struct budget_bounds *bounds, int64_t now_ms)
{
    *budget = (struct budget){.bounds = *bounds, .started_ms = now_ms};
}

int64_t budget_left_ms(const struct budget *budget, int64_t now_ms)
{
    int64_t most = (int64_t)(budget->bounds.most[BOUND_SECONDS] * 1000);
    int64_t spent = now_ms - budget->started_ms;

    return spent < most ? most - spent : 0;
}

enum bound budget_check(const struct budget *budget, const struct price *price, size_t bytes,
                        int64_t now_ms, unsigned *max_tokens)
{
    const double *most = budget->bounds.most;
    const struct model_usage asked = {.input = (int64_t)(bytes / BUDGET_BYTES_PER_TOKEN) + 1};
    double output = most[BOUND_OUTPUT] - (double)budget->usage.output;

    if (budget_left_ms(budget, now_ms) == 0)
        return BOUND_SECONDS;
    if (budget->requests + 1.0 > most[BOUND_REQUESTS])
        return BOUND_REQUESTS;
    if ((double)(model_usage_input(&budget->usage) + asked.input) > most[BOUND_INPUT])
        return BOUND_INPUT;
    if (output < BUDGET_OUTPUT_LEAST)
        return BOUND_OUTPUT;
    if (output < *max_tokens)
        *max_tokens = (unsigned)output;
    if (!price || most[BOUND_COST] == 0)
        return BOUND_NONE;
    output = most[BOUND_COST] - budget->cost - price_of(price, &asked);
    if (output < BUDGET_OUTPUT_LEAST * price->output / MILLION)
        return BOUND_COST;
    if (price->output > 0 && output / price->output * MILLION < *max_tokens)
        *max_tokens = (unsigned)(output / price->output * MILLION);
    return BOUND_NONE;
}

void budget_spend(struct budget *budget, const struct price *price, const struct model_usage *usage)
{
    budget->requests++;
    model_usage_add(&budget->usage, usage);
    budget->unpriced |= !price;
    budget->cost += price ? price_of(price, usage) : 0;
}

void budget_write_usage(const struct budget *budget, struct buf *to)
{
    const struct model_usage *usage = &budget->usage;

    buf_addf(to,
             "{\"requests\":%u,\"input\":%" PRId64 ",\"output\":%" PRId64 ",\"cache_read\":%" PRId64
             ",\"cache_write\":%" PRId64 "}",
             budget->requests, usage->input, usage->output, usage->cache_read, usage->cache_write);
}

struct model_usage budget_read_usage(const json_t *usage)
{
    return (struct model_usage){
        .input = json_integer_value(json_object_get(usage, "input")),
        .output = json_integer_value(json_object_get(usage, "output")),
        .cache_read = json_integer_value(json_object_get(usage, "cache_read")),
        .cache_write = json_integer_value(json_object_get(usage, "cache_write")),
    };
}
