/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/base/problems.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/utf8.h"

void problems_begin(struct problems *problems, const char *loc)
{
    problems->loc = loc;
    problems->count = 0;
    problems->first[0] = problems->text[0] = '\0';
    faults_clear(&problems->each);
}

/* Counts one more; true when it is to be listed. */
static bool next(struct problems *problems, const char *loc)
{
    if (problems->count++ == 0)
        snprintf(problems->first, sizeof problems->first, "%s", loc);
    return problems->count <= PROBLEMS_LISTED_CAP;
}

static void append(struct problems *problems, const char *text)
{
    size_t len = strlen(problems->text), room;

    if (len + sizeof "; ..." + 8 > sizeof problems->text)
        return;
    if (len > 0) {
        memcpy(problems->text + len, "; ", sizeof "; ");
        len += 2;
    }
    room = sizeof problems->text - len;
    if ((size_t)snprintf(problems->text + len, room, "%s", text) >= room)
        utf8_mark_cut(problems->text + len, room);
}

/* What stands between a text and the sentence behind it. */
static const char *stop_after(const char *text)
{
    size_t len = strlen(text);

    return len > 0 && strchr(".?!", text[len - 1]) ? " " : ". ";
}

void problems_add(struct problems *problems, const char *field, const char *format, ...)
{
    char loc[ERROR_LOC_CAP], text[ERROR_TEXT_CAP];
    va_list args;
    int len;

    snprintf(loc, sizeof loc, "%s%s%s", problems->loc, *problems->loc && *field ? "." : "", field);
    len = snprintf(text, sizeof text, "%s%s", loc, *loc ? ": " : "");
    va_start(args, format);
    vsnprintf(text + len, sizeof text - (size_t)len, format, args);
    va_end(args);
    faults_add(&problems->each, loc, text + len);
    if (next(problems, loc))
        append(problems, text);
}

void problems_take(struct problems *problems, const struct error *found)
{
    if (found->listed)
        faults_add_all(&problems->each, found->faults);
    else
        faults_add(&problems->each, found->loc, faults_message(found));
    if (next(problems, found->loc))
        append(problems, found->text);
}

/* In the list each text stands beside its place, and does not name it again. */
static void list_each(const struct problems *problems, const char *advice, struct error *err)
{
    struct faults *faults = err->faults;
    char more[64];

    faults_add_all(faults_clear(faults), &problems->each);
    if (faults->left_out > 0) {
        snprintf(more, sizeof more, "; and %zu more are wrong", faults->left_out);
        faults_append(faults, more);
    }
    if (advice) {
        faults_append(faults, stop_after(faults_last(faults)));
        faults_append(faults, advice);
    }
    err->listed = true;
}

int problems_end(const struct problems *problems, const char *advice, struct error *err)
{
    char more[64] = "";

    if (problems->count == 0)
        return 0;
    if (problems->count > PROBLEMS_LISTED_CAP)
        snprintf(more, sizeof more, "; and %zu more", problems->count - PROBLEMS_LISTED_CAP);
    error_set_at(err, problems->first, "%s%s%s%s", problems->text, more,
                 advice ? stop_after(*more ? more : problems->text) : "", advice ? advice : "");
    if (err && err->faults)
        list_each(problems, advice, err);
    return -1;
}
