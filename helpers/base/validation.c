/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/base/validation.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/utf8.h"

struct validation_errors *validation_begin(struct validation_errors *errors, const char *loc)
{
    errors->loc = loc;
    errors->count = errors->listed = errors->left_out = errors->used = 0;
    errors->first[0] = errors->text[0] = '\0';
    return errors;
}

/* ---- one by one ---- */

static void list(struct validation_errors *errors, const char *loc, const char *text)
{
    size_t loc_size = strlen(loc) + 1, text_size = strlen(text) + 1;

    if (errors->left_out > 0 || errors->used + loc_size + text_size > sizeof errors->packed) {
        errors->left_out++;
        return;
    }
    memcpy(errors->packed + errors->used, loc, loc_size);
    memcpy(errors->packed + errors->used + loc_size, text, text_size);
    errors->used += loc_size + text_size;
    errors->listed++;
}

static void list_all(struct validation_errors *errors, const struct validation_errors *others)
{
    const char *loc, *text;
    size_t at = 0;

    while (validation_next(others, &at, &loc, &text))
        list(errors, loc, text);
    errors->left_out += others->left_out;
}

/* Puts more behind the text of the last one. */
static void extend_last(struct validation_errors *errors, const char *more)
{
    size_t len = strlen(more);

    if (errors->listed == 0 || errors->used + len > sizeof errors->packed)
        return;
    memcpy(errors->packed + errors->used - 1, more, len + 1);
    errors->used += len;
}

bool validation_next(const struct validation_errors *errors, size_t *at, const char **loc,
                     const char **text)
{
    if (*at >= errors->used)
        return false;
    *loc = errors->packed + *at;
    *text = *loc + strlen(*loc) + 1;
    *at = (size_t)(*text - errors->packed) + strlen(*text) + 1;
    return true;
}

const char *validation_message(const struct error *err)
{
    size_t len = strlen(err->loc);

    if (len > 0 && strncmp(err->text, err->loc, len) == 0 && strncmp(err->text + len, ": ", 2) == 0)
        return err->text + len + 2;
    return err->text;
}

/* ---- as one text ---- */

static void append(struct validation_errors *errors, const char *loc, const char *text)
{
    size_t len = strlen(errors->text), room;

    if (errors->count++ == 0)
        snprintf(errors->first, sizeof errors->first, "%s", loc);
    if (errors->count > VALIDATION_SHOWN_CAP || len + sizeof "; ..." + 8 > sizeof errors->text)
        return;
    if (len > 0) {
        memcpy(errors->text + len, "; ", sizeof "; ");
        len += 2;
    }
    room = sizeof errors->text - len;
    if ((size_t)snprintf(errors->text + len, room, "%s", text) >= room)
        utf8_mark_cut(errors->text + len, room);
}

void validation_add(struct validation_errors *errors, const char *field, const char *format, ...)
{
    char loc[ERROR_LOC_CAP], text[ERROR_TEXT_CAP];
    va_list args;
    int len;

    snprintf(loc, sizeof loc, "%s%s%s", errors->loc, *errors->loc && *field ? "." : "", field);
    len = snprintf(text, sizeof text, "%s%s", loc, *loc ? ": " : "");
    va_start(args, format);
    vsnprintf(text + len, sizeof text - (size_t)len, format, args);
    va_end(args);
    list(errors, loc, text + len);
    append(errors, loc, text);
}

void validation_take(struct validation_errors *errors, const struct error *found)
{
    if (found->listed)
        list_all(errors, found->list);
    else
        list(errors, found->loc, validation_message(found));
    append(errors, found->loc, found->text);
}

/* What stands between a text and the sentence behind it. */
static const char *stop_after(const char *text)
{
    size_t len = strlen(text);

    return len > 0 && strchr(".?!", text[len - 1]) ? " " : ". ";
}

/* In the list each text stands beside its place, and does not name it again. */
static void lend_each(const struct validation_errors *errors, const char *advice, struct error *err)
{
    struct validation_errors *to = validation_begin(err->list, "");
    const char *loc, *last = "";
    char more[64];

    list_all(to, errors);
    if (to->left_out > 0) {
        snprintf(more, sizeof more, "; and %zu more are wrong", to->left_out);
        extend_last(to, more);
    }
    for (size_t at = 0; validation_next(to, &at, &loc, &last);)
        continue;
    if (advice) {
        extend_last(to, stop_after(last));
        extend_last(to, advice);
    }
    err->listed = true;
}

int validation_end(const struct validation_errors *errors, const char *advice, struct error *err)
{
    char more[64] = "";

    if (errors->count == 0)
        return 0;
    if (errors->count > VALIDATION_SHOWN_CAP)
        snprintf(more, sizeof more, "; and %zu more", errors->count - VALIDATION_SHOWN_CAP);
    error_set_at(err, errors->first, "%s%s%s%s", errors->text, more,
                 advice ? stop_after(*more ? more : errors->text) : "", advice ? advice : "");
    if (err && err->list)
        lend_each(errors, advice, err);
    return -1;
}
