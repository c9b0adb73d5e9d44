/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A cancel token: fired once by anyone, asked by whoever does the work. Reference-counted, any
 * thread.
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

/* A file descriptor that becomes readable when it fires, for poll(); borrowed, closed with the last
 * reference. */
int cancel_fd(const struct cancel *cancel);

/* -1 with ERROR_CANCELLED once fired. */
int cancel_check(const struct cancel *cancel, struct error *err);

#endif
