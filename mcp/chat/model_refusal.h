/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a model's service says when it does not do what it is asked, told to an editor: what it
 * means and what to do. By an HTTP status, or by the type of an error event within a stream; one
 * row of a table each. Pure, any thread.
 */
#ifndef LECTERN_CHAT_MODEL_REFUSAL_H
#define LECTERN_CHAT_MODEL_REFUSAL_H

#include "helpers/base/buf.h"
#include "helpers/base/error.h"

#define MODEL_QUOTE_MAX 300u /* bytes shown of a service's own words */

/* Everything is borrowed; NULL where it is not known. */
struct model_refusal {
    long status;            /* of HTTP; 0: an error event */
    const char *type;       /* the API's: "overloaded_error" */
    const char *message;    /* its words */
    unsigned asked_ms;      /* it wants to be left alone for so long; 0: it does not say */
    const char *model;      /* that was asked for */
    const char *address;    /* of the service */
    const char *credential; /* the variable the key came from; NULL: none was sent */
};

/* ERROR_TOO_LARGE, ERROR_INVALID, ERROR_UNAVAILABLE, ERROR_BUSY or ERROR_TIMEOUT. Returns -1. */
int model_refusal_tell(const struct model_refusal *refusal, struct error *err);

/* Appends a service's words in quotation marks: cut, control characters escaped. */
void model_refusal_quote(const char *text, struct buf *to);

#endif
