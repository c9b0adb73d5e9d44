/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What went wrong, in words that say what to do. A fallible function returns 0 or -1 and takes
 * `struct error *err` last; it leaves *err untouched on success. The text lives inside the struct,
 * so failing never allocates. Each layer adds its context once with error_wrap. err may be NULL
 * where the caller does not care.
 */
#ifndef LECTERN_BASE_ERROR_H
#define LECTERN_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#define ERROR_TEXT_CAP                                                                             \
    2048 /* bytes with the final NUL; longer texts are cut at a UTF-8 boundary and end in "..." */
#define ERROR_LOC_CAP 128

/* What a caller can do about it. How a protocol answers follows from this alone. */
enum error_kind {
    ERROR_NONE = 0,
    ERROR_MALFORMED,    /* not readable as what it should be: 400 */
    ERROR_INVALID,      /* readable, a field is wrong: 422 */
    ERROR_UNAUTHORIZED, /* what the caller works in or logs in as is not known: 401 */
    ERROR_NOT_FOUND,    /* 404 */
    ERROR_CONFLICT,     /* exists already, or ambiguous: 409 */
    ERROR_STALE,        /* expected_revision no longer holds: 409, 412 for If-Match */
    ERROR_TOO_LARGE,    /* 413 */
    ERROR_BUSY,         /* a queue is full; the same call may go through later: 503 */
    ERROR_TIMEOUT,
    ERROR_CANCELLED,
    ERROR_UNAVAILABLE, /* a part that is needed is not there (a daemon, a program): 503 */
    ERROR_IO,
    ERROR_MEMORY,
    ERROR_INTERNAL,        /* a bug of ours */
    ERROR_ATTEMPTS_FAILED, /* every attempt failed that the caller could make */
};

struct validation_errors;

struct error {
    enum error_kind kind;
    bool listed;                    /* list has each fault by itself */
    char loc[ERROR_LOC_CAP];        /* path of the wrong field for ERROR_INVALID, dotted:
                                       "components.2.parameters.text"; or "" */
    struct validation_errors *list; /* lent by a caller who wants each fault of an ERROR_INVALID by
                                       itself; otherwise NULL */
    char text[ERROR_TEXT_CAP];
};

/* Both return -1, so that `return error_set(...)` reads well. */
int error_set(struct error *err, enum error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int error_set_at(struct error *err, const char *loc, const char *format, ...)
    __attribute__((format(printf, 3, 4))); /* kind is ERROR_INVALID */

/* "context: text so far". Keeps kind and loc. */
int error_wrap(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ERROR_IO with strerror(errno_value) behind the text. */
int error_errno(struct error *err, int errno_value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

const char *error_kind_name(
    enum error_kind kind); /* "invalid", "not_found", ...: a part of the interface. Static */

#endif
