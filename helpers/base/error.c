/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/utf8.h"

static void set_text(struct error *err, const char *format, va_list args)
{
    if (vsnprintf(err->text, sizeof err->text, format, args) >= (int)sizeof err->text)
        utf8_mark_cut(err->text, sizeof err->text);
}

int error_set(struct error *err, enum error_kind kind, const char *format, ...)
{
    va_list args;

    if (!err)
        return -1;
    err->kind = kind;
    err->listed = false;
    err->loc[0] = '\0';
    va_start(args, format);
    set_text(err, format, args);
    va_end(args);
    return -1;
}

int error_set_at(struct error *err, const char *loc, const char *format, ...)
{
    va_list args;

    if (!err)
        return -1;
    err->kind = ERROR_INVALID;
    err->listed = false;
    snprintf(err->loc, sizeof err->loc, "%s", loc);
    va_start(args, format);
    set_text(err, format, args);
    va_end(args);
    return -1;
}

int error_wrap(struct error *err, const char *format, ...)
{
    char context[ERROR_TEXT_CAP];
    char old[ERROR_TEXT_CAP];
    va_list args;

    if (!err)
        return -1;
    va_start(args, format);
    vsnprintf(context, sizeof context, format, args);
    va_end(args);
    memcpy(old, err->text, sizeof old);
    if (snprintf(err->text, sizeof err->text, "%s: %s", context, old) >= (int)sizeof err->text)
        utf8_mark_cut(err->text, sizeof err->text);
    return -1;
}

int error_errno(struct error *err, int errno_value, const char *format, ...)
{
    char what[ERROR_TEXT_CAP];
    char reason[128];
    va_list args;

    if (!err)
        return -1;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    /* The GNU strerror_r: thread-safe, and returns the text it chose. */
    return error_set(err, ERROR_IO, "%s: %s", what, strerror_r(errno_value, reason, sizeof reason));
}

const char *error_kind_name(enum error_kind kind)
{
    static const char *const names[] = {
        [ERROR_NONE] = "none",
        [ERROR_MALFORMED] = "malformed",
        [ERROR_INVALID] = "invalid",
        [ERROR_UNAUTHORIZED] = "unknown_session",
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
    };

    return (size_t)kind < sizeof names / sizeof names[0] ? names[kind] : "unknown";
}
