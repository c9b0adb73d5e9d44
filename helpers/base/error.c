/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/utf8.h"

/* behind: appended after the text and a colon; or NULL. */
static void set_text(struct error *err, const char *format, va_list args, const char *behind)
{
    size_t size = sizeof err->text, len = (size_t)vsnprintf(err->text, size, format, args);

    if (behind && len < size)
        len += (size_t)snprintf(err->text + len, size - len, ": %s", behind);
    if (len >= size)
        utf8_mark_cut(err->text, size);
}

static void set_kind(struct error *err, enum error_kind kind, const char *loc)
{
    err->kind = kind;
    err->listed = false;
    snprintf(err->loc, sizeof err->loc, "%s", loc);
}

int error_set(struct error *err, enum error_kind kind, const char *format, ...)
{
    va_list args;

    if (!err)
        return -1;
    set_kind(err, kind, "");
    va_start(args, format);
    set_text(err, format, args, NULL);
    va_end(args);
    return -1;
}

int error_set_at(struct error *err, const char *loc, const char *format, ...)
{
    va_list args;

    if (!err)
        return -1;
    set_kind(err, ERROR_INVALID, loc);
    va_start(args, format);
    set_text(err, format, args, NULL);
    va_end(args);
    return -1;
}

int error_wrap(struct error *err, const char *format, ...)
{
    char old[ERROR_TEXT_CAP];
    va_list args;

    if (!err)
        return -1;
    memcpy(old, err->text, sizeof old);
    va_start(args, format);
    set_text(err, format, args, old);
    va_end(args);
    return -1;
}

int error_errno(struct error *err, int errno_value, const char *format, ...)
{
    char reason[128];
    va_list args;

    if (!err)
        return -1;
    set_kind(err, ERROR_IO, "");
    va_start(args, format);
    /* The GNU strerror_r: thread-safe, and returns the text. */
    set_text(err, format, args, strerror_r(errno_value, reason, sizeof reason));
    va_end(args);
    return -1;
}

const char *error_kind_name(enum error_kind kind)
{
    static const char *const names[] = {
        [ERROR_NONE] = "none",
        [ERROR_MALFORMED] = "malformed",
        [ERROR_INVALID] = "invalid",
        [ERROR_UNAUTHORIZED] = "unknown_session",
        [ERROR_FORBIDDEN] = "forbidden",
        [ERROR_NOT_FOUND] = "not_found",
        [ERROR_CONFLICT] = "conflict",
        [ERROR_STALE] = "stale",
        [ERROR_TOO_LARGE] = "too_large",
        [ERROR_BUSY] = "busy",
        [ERROR_TIMEOUT] = "timeout",
        [ERROR_CANCELLED] = "cancelled",
        [ERROR_UNAVAILABLE] = "unavailable",
        [ERROR_IO] = "io",
        [ERROR_MEMORY] = "memory",
        [ERROR_INTERNAL] = "internal",
        [ERROR_ATTEMPTS_FAILED] = "code_failed",
        [ERROR_NO_ANSWER] = "no_answer",
    };

    return (size_t)kind < sizeof names / sizeof names[0] ? names[kind] : "unknown";
}
