/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One message from a role: the request to its model, and its repetitions. A message that does
 * not fit its schema, prose instead of the call, a cut answer and a stream that broke off are asked
 * for once more, with the fault named. A model that refuses or stays overloaded is replaced once.
 * Each request is checked against the budget, counted in it, and reported.
 *
 * Everything runs on the loop's thread.
 */
#ifndef LECTERN_AGENT_ASK_H
#define LECTERN_AGENT_ASK_H

#include "mcp/agent/budget.h"
#include "mcp/agent/team.h"

enum ask_end {
    ASK_MESSAGE,     /* `message` is correct JSON for the reader of the role's kind, and was read */
    ASK_REFUSED,     /* err: in the model's words */
    ASK_NO_MESSAGE,  /* twice; err: the fault */
    ASK_OVER_BUDGET, /* `bound` */
    ASK_CANCELLED,
    ASK_FAILED, /* err: the service's error */
};

/* One request that has ended, for the trace. Texts are borrowed for the callback. */
struct ask_report {
    enum role role;
    const char *model;
    const char *outcome; /* "message", "fault", "refusal", "cut", or a name of an error kind */
    const char *fault;   /* in words; or NULL */
    const struct model_usage *usage;
    double cost; /* 0 without a price */
    double seconds;
    unsigned retries; /* of a busy service, by the client */
};

struct role_request;
struct ask_config {
    const struct analyses *analyses;
    const struct team *team;
    struct budget *budget; /* borrowed, as all here */
    enum role role;
    bool escalate;      /* begins with the model of `escalate`, if there is one */
    const char *prompt; /* the user message; copied */
    /* Whether a message fits beyond its schema. May be NULL; else -1 with the fault in err. */
    int (*check)(void *user, json_t *message, struct error *err);
    void (*on_report)(void *user, const struct ask_report *report);
    /* The last callback, after which the ask is gone. message: borrowed. */
    void (*on_end)(void *user, enum ask_end end, json_t *message, enum bound bound,
                   const struct error *err);
    void *user;
};

/* on_end is called, never before this returns. On -1 it is not called. */
int ask_start(const struct ask_config *config, struct loop_queue *loop_queue,
              struct role_request **ask, struct error *err);
void ask_cancel(struct role_request *ask); /* ends it soon, with ASK_CANCELLED */

#endif
