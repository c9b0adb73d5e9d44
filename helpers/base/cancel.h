/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A cancel token: any code may fire it once, and the code that does the work checks it.
 * Reference-counted; callable from any thread.
 */
#ifndef LECTERN_BASE_CANCEL_H
#define LECTERN_BASE_CANCEL_H

#include <stdbool.h>

#include "helpers/base/error.h"

struct cancel;

struct cancel *cancel_create(struct error *err); /* one reference, the caller's */
struct cancel *cancel_ref(struct cancel *cancel);
void cancel_unref(struct cancel *cancel); /* takes NULL */

void cancel_fire(struct cancel *cancel);
bool cancel_fired(const struct cancel *cancel); /* false for NULL */

/* A file descriptor that becomes readable when the token fires, for poll(). Made by the first call;
 * borrowed, and closed with the last reference. -1, which poll() ignores, if the process has no
 * descriptor left: then the token must be checked from time to time. */
int cancel_fd(const struct cancel *cancel);

/* Returns -1 with ERROR_CANCELLED if the token has fired. */
int cancel_check(const struct cancel *cancel, struct error *err);

#endif
