/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/session/problems.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mcp/session/text.h"

void problems_begin(struct problems *problems, const char *loc)
{
    memset(problems, 0, sizeof *problems);
    problems->loc = loc;
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
    size_t len = strlen(problems->text);

    if (len + sizeof "; ..." + 8 > sizeof problems->text)
        return;
    if (len > 0) {
        memcpy(problems->text + len, "; ", sizeof "; ");
        len += 2;
    }
    text_cut(problems->text + len, sizeof problems->text - len, text);
}

void problems_add(struct problems *problems, const char *field, const char *format, ...)
{
    char loc[ERROR_LOC_CAP], text[ERROR_TEXT_CAP];
    va_list args;
    int len;

    snprintf(loc, sizeof loc, "%s%s%s", problems->loc, *problems->loc && *field ? "." : "", field);
    if (!next(problems, loc))
        return;
    len = snprintf(text, sizeof text, "%s%s", loc, *loc ? ": " : "");
    va_start(args, format);
    vsnprintf(text + len, sizeof text - (size_t)len, format, args);
    va_end(args);
    append(problems, text);
}

void problems_take(struct problems *problems, const struct error *found)
{
    if (next(problems, found->loc))
        append(problems, found->text);
}

int problems_end(const struct problems *problems, const char *advice, struct error *err)
{
    char more[64] = "";

    if (problems->count == 0)
        return 0;
    if (problems->count > PROBLEMS_LISTED_CAP)
        snprintf(more, sizeof more, "; and %zu more", problems->count - PROBLEMS_LISTED_CAP);
    return error_set_at(err, problems->first, "%s%s%s%s", problems->text, more, advice ? ". " : "",
                        advice ? advice : "");
}
