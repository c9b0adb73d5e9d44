/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An error: its kind, and a text that says what is wrong and what to do. A function that can fail
 * returns 0 or -1 and takes `struct error *err` as its last parameter; it does not change *err on
 * success. The text is inside the struct, so failing never allocates. Each layer adds its context
 * once with error_wrap. err may be NULL if the caller does not need it.
 */
#ifndef LECTERN_BASE_ERROR_H
#define LECTERN_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#define ERROR_TEXT_CAP                                                                             \
    2048 /* bytes with the final NUL; longer texts are cut at a UTF-8 boundary and end in "..." */
#define ERROR_LOC_CAP 128

/* What a caller can do about the error. A protocol derives its answer from the kind alone. */
enum error_kind {
    ERROR_NONE = 0,
    ERROR_MALFORMED,    /* cannot be parsed: 400 */
    ERROR_INVALID,      /* parsed, but a field is wrong: 422 */
    ERROR_UNAUTHORIZED, /* the session or the login of the caller is unknown: 401 */
    ERROR_NOT_FOUND,    /* 404 */
    ERROR_CONFLICT,     /* already exists, or is ambiguous: 409 */
    ERROR_STALE,        /* expected_revision is outdated: 409, 412 for If-Match */
    ERROR_TOO_LARGE,    /* 413 */
    ERROR_BUSY,         /* a queue is full; the same call may succeed later: 503 */
    ERROR_TIMEOUT,
    ERROR_CANCELLED,
    ERROR_UNAVAILABLE, /* something needed is missing (a daemon, a program): 503 */
    ERROR_IO,
    ERROR_MEMORY,
    ERROR_INTERNAL,        /* a bug */
    ERROR_ATTEMPTS_FAILED, /* all attempts of the caller have failed */
    ERROR_NO_ANSWER,       /* a question ended without an answer; it can be asked again */
    ERROR_FORBIDDEN,       /* the login of the caller does not allow it: 403 */
};

struct validation_errors;

struct error {
    enum error_kind kind;
    bool listed;                    /* list has each problem separately */
    char loc[ERROR_LOC_CAP];        /* path of the wrong field for ERROR_INVALID, dotted:
                                       "components.2.parameters.text"; or "" */
    struct validation_errors *list; /* provided by a caller that wants each problem of an
                                       ERROR_INVALID separately; otherwise NULL */
    char text[ERROR_TEXT_CAP];
};

/* Both return -1, for `return error_set(...)`. */
int error_set(struct error *err, enum error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int error_set_at(struct error *err, const char *loc, const char *format, ...)
    __attribute__((format(printf, 3, 4))); /* kind is ERROR_INVALID */

/* Changes the text to "context: text". Keeps kind and loc. */
int error_wrap(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets ERROR_IO, with strerror(errno_value) after the text. */
int error_errno(struct error *err, int errno_value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

const char *error_kind_name(
    enum error_kind kind); /* "invalid", "not_found", ...: part of the interface; static */

#endif
