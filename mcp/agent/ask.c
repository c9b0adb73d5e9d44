/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/agent/ask.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/clock.h"
#include "helpers/base/json.h"
#include "helpers/base/utf8.h"

#define FAULT_SHOWN 2000u /* bytes of a fault that a model or a person reads */

struct role_request {
    struct ask_config config;
    struct loop_queue *loop_queue;
    struct loop_task task; /* its first request, or its end */
    struct model *model;
    struct model_call *call; /* under way, or NULL */
    json_t *messages;        /* the conversation; owned */
    int64_t sent_ms;
    unsigned retries;
    bool again, replaced; /* it was asked once more; the model was replaced */
    bool cancelled;
    unsigned max_tokens;
    enum ask_end end;
    enum bound bound;
    json_t *message; /* owned */
    struct error err;
};

/* ---- the end ---- */

static void free_request(struct role_request *ask)
{
    if (ask->call) {
        model_call_finish(ask->call);
        free(ask->call);
    }
    json_decref(ask->messages);
    json_decref(ask->message);
    free(ask);
}

static void on_ended(void *arg)
{
    struct role_request *ask = arg;

    ask->config.on_end(ask->config.user, ask->end, ask->message, ask->bound, &ask->err);
    free_request(ask);
}

static void finish(struct role_request *ask, enum ask_end end)
{
    ask->end = ask->cancelled ? ASK_CANCELLED : end;
    ask->task.run = on_ended;
    ask->task.arg = ask;
    loop_queue_post(ask->loop_queue, &ask->task);
}

/* ---- a request ---- */

static const struct price *price(const struct role_request *ask)
{
    return prices_find(team_prices(ask->config.team), model_name(ask->model));
}

static void on_answered(struct model_call *call);

static void on_wait(struct model_call *call, unsigned attempt, unsigned wait_ms, const char *why)
{
    (void)attempt;
    (void)wait_ms;
    (void)why;
    ((struct role_request *)call->user)->retries++;
}

static void send_request(struct role_request *ask)
{
    const struct ask_config *config = &ask->config;
    unsigned max_tokens = ask->max_tokens;
    struct model_call *call = calloc(1, sizeof *call);
    size_t bytes;

    if (!call) {
        error_set(&ask->err, ERROR_MEMORY, "out of memory for a request to the model");
        finish(ask, ASK_FAILED);
        return;
    }
    ask->call = call;
    buf_init(&call->body, MODEL_BODY_CAP);
    role_write_request(config->role, config->analyses, model_name(ask->model), max_tokens,
                       ask->messages, &call->body);
    bytes = call->body.len;
    ask->bound = budget_check(config->budget, price(ask), bytes, clock_ms(), &max_tokens);
    if (ask->bound != BOUND_NONE) {
        finish(ask, ASK_OVER_BUDGET);
        return;
    }
    if (max_tokens < ask->max_tokens) {
        buf_clear(&call->body);
        role_write_request(config->role, config->analyses, model_name(ask->model), max_tokens,
                           ask->messages, &call->body);
    }
    call->on_wait = on_wait;
    call->on_done = on_answered;
    call->user = ask;
    ask->sent_ms = clock_ms();
    ask->retries = 0;
    if (buf_check(&call->body, "the request", &ask->err) < 0 ||
        model_call_start(ask->model, call, &ask->err) < 0)
        finish(ask, ASK_FAILED);
}

static void report(struct role_request *ask, const char *outcome, const char *fault)
{
    const struct model_usage *usage = &ask->call->message.usage;
    const struct price *own = price(ask);

    budget_spend(ask->config.budget, own, usage);
    ask->config.on_report(ask->config.user,
                          &(struct ask_report){
                              .role = ask->config.role,
                              .model = model_name(ask->model),
                              .outcome = outcome,
                              .fault = fault && *fault ? fault : NULL,
                              .usage = usage,
                              .cost = own ? price_of(own, usage) : 0,
                              .seconds = (double)(clock_ms() - ask->sent_ms) / 1000,
                              .retries = ask->retries,
                          });
}

static void drop_call(struct role_request *ask)
{
    model_call_finish(ask->call);
    free(ask->call);
    ask->call = NULL;
}

/* ---- its answer ---- */

/* The input of the first call of the role's tool in an answer's content; its id in *id. */
static json_t *find_message(const struct role_request *ask, const json_t *content, const char **id)
{
    const json_t *block;
    size_t i;

    json_array_foreach((json_t *)content, i, block)
    {
        if (json_string_is(block, "type", "tool_use") &&
            json_string_is(block, "name", roles[ask->config.role].tool)) {
            *id = json_get_string(block, "id");
            return json_object_get(block, "input");
        }
    }
    return NULL;
}

/* Appends the answer and its fault to the conversation. Each call in an answer needs a result. An
 * answer without a block, or NULL, is not sent back: then its fault stands below the request. */
static void add_fault(struct role_request *ask, json_t *content, const char *fault)
{
    json_t *request = json_array_get(ask->messages, json_array_size(ask->messages) - 1);
    json_t *reply = json_array();
    const json_t *block;
    size_t i;

    json_array_foreach(content, i, block)
    {
        if (json_string_is(block, "type", "tool_use"))
            json_array_append_new(reply, json_pack("{s:s, s:O, s:b, s:s}", "type", "tool_result",
                                                   "tool_use_id", json_object_get(block, "id"),
                                                   "is_error", 1, "content", fault));
    }
    if (json_array_size(reply) == 0)
        json_array_append_new(reply, json_pack("{s:s, s:s}", "type", "text", "text", fault));
    if (json_array_size(content) == 0) {
        json_array_extend(json_object_get(request, "content"), reply);
        json_decref(reply);
        return;
    }
    json_array_append_new(ask->messages,
                          json_pack("{s:s, s:O}", "role", "assistant", "content", content));
    json_array_append_new(ask->messages, json_pack("{s:s, s:o}", "role", "user", "content", reply));
}

/* Asks once more after a fault; content: the faulty answer as it is sent back, or NULL. */
static void ask_again(struct role_request *ask, json_t *content, const char *outcome,
                      const struct error *fault)
{
    char words[FAULT_SHOWN + 1];

    report(ask, outcome, fault->text);
    if (ask->again) {
        ask->err = *fault;
        finish(ask, ASK_NO_MESSAGE);
        return;
    }
    ask->again = true;
    snprintf(words, sizeof words, "%.*s. Send it again with the tool %s.",
             utf8_shown(fault->text, FAULT_SHOWN - 100), fault->text, roles[ask->config.role].tool);
    add_fault(ask, content, words);
    drop_call(ask);
    send_request(ask);
}

/* The same request to another model, once; else the ask ends. */
static void ask_other(struct role_request *ask, enum ask_end end, const char *outcome)
{
    struct model *other = team_other(ask->config.team, ask->model);

    report(ask, outcome, ask->err.text);
    if (ask->replaced || !other) {
        finish(ask, end);
        return;
    }
    ask->replaced = true;
    ask->model = other;
    memset(&ask->err, 0, sizeof ask->err);
    drop_call(ask);
    send_request(ask);
}

static void take_refusal(struct role_request *ask)
{
    const char *why = json_get_string(ask->call->message.stop_details, "explanation");

    error_set(&ask->err, ERROR_FORBIDDEN, "The model %s declined this%s%.*s",
              model_name(ask->model), why && *why ? ": " : "",
              why ? utf8_shown(why, FAULT_SHOWN / 2) : 0, why ? why : "");
    ask_other(ask, ASK_REFUSED, "refusal");
}

static void take_cut(struct role_request *ask)
{
    struct error fault = {0};

    error_set(&fault, ERROR_TOO_LARGE,
              "The message of the %s was cut at its limit of %u tokens (max_tokens)",
              roles[ask->config.role].name, ask->max_tokens);
    ask_again(ask, NULL, "cut", &fault);
}

static void take_content(struct role_request *ask, json_t *content)
{
    const char *id = NULL;
    json_t *message = find_message(ask, content, &id);
    struct error fault = {0};

    if (!message)
        error_set(&fault, ERROR_INVALID, "The %s sent no call of the tool %s",
                  roles[ask->config.role].name, roles[ask->config.role].tool);
    else if (ask->config.check(ask->config.user, message, &fault) == 0) {
        report(ask, "message", NULL);
        ask->message = json_incref(message);
        finish(ask, ASK_MESSAGE);
        return;
    }
    ask_again(ask, content, "fault", &fault);
}

static void on_answered(struct model_call *call)
{
    struct role_request *ask = call->user;
    const struct error *err = &call->err;
    json_auto_t *broken = json_array();
    json_auto_t *content = NULL;

    if (ask->cancelled || err->kind == ERROR_CANCELLED) {
        report(ask, "cancelled", NULL);
        finish(ask, ASK_CANCELLED);
        return;
    }
    if (err->kind != ERROR_NONE) {
        ask->err = *err;
        if (call->message.began && err->kind != ERROR_BUSY)
            ask_again(ask, NULL, error_kind_name(err->kind), err);
        else if (err->kind == ERROR_BUSY)
            ask_other(ask, ASK_FAILED, error_kind_name(err->kind));
        else {
            report(ask, error_kind_name(err->kind), err->text);
            finish(ask, ASK_FAILED);
        }
        return;
    }
    if (call->message.stop == MODEL_STOP_REFUSAL) {
        take_refusal(ask);
        return;
    }
    if (call->message.stop == MODEL_STOP_MAX_TOKENS ||
        call->message.stop == MODEL_STOP_CONTEXT_WINDOW) {
        take_cut(ask);
        return;
    }
    content = model_message_content(&call->message, false, broken);
    take_content(ask, content);
}

/* ---- its life ---- */

static void on_begin(void *arg)
{
    struct role_request *ask = arg;

    if (ask->cancelled)
        finish(ask, ASK_CANCELLED);
    else
        send_request(ask);
}

int ask_start(const struct ask_config *config, struct loop_queue *loop_queue,
              struct role_request **ask, struct error *err)
{
    struct role_request *made = calloc(1, sizeof *made);

    if (made) {
        made->config = *config;
        made->messages = json_pack("[{s:s, s:[{s:s, s:s}]}]", "role", "user", "content", "type",
                                   "text", "text", config->prompt);
    }
    if (!made || !made->messages) {
        if (made)
            free_request(made);
        return error_set(err, ERROR_MEMORY, "out of memory for a request to the model");
    }
    made->loop_queue = loop_queue;
    made->max_tokens = roles[config->role].max_tokens;
    made->model = config->escalate ? team_escalation(config->team) : NULL;
    if (!made->model)
        made->model = team_model(config->team, config->role);
    made->task.run = on_begin;
    made->task.arg = made;
    loop_queue_post(loop_queue, &made->task);
    *ask = made;
    return 0;
}

void ask_cancel(struct role_request *ask)
{
    ask->cancelled = true;
    if (ask->call)
        model_call_cancel(ask->call);
}
