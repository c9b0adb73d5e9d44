/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds the cookie of PEP 263 as CPython's tokenizer does, so that no program is run as UTF-8 which
 * Python would read as something else.
 */
#include "validator/encoding_cookie.h"

#include <string.h>

#define COOKIE_LINES 2

static size_t skip(const char *text, size_t len, const char *set)
{
    size_t at = 0;

    while (at < len && text[at] && strchr(set, text[at]))
        at++;
    return at;
}

/* The name in the cookie of one line, which must begin with a comment. NULL if there is none. */
static const char *find_name(const char *line, size_t len, size_t *name_len)
{
    static const char word[] = "coding";
    const size_t word_len = sizeof word - 1;

    for (size_t at = 0; at + word_len < len; at++) {
        size_t start = at + word_len + 1;

        if (memcmp(line + at, word, word_len) != 0 ||
            (line[start - 1] != ':' && line[start - 1] != '='))
            continue;
        start += skip(line + start, len - start, " \t");
        *name_len = skip(line + start, len - start,
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.");
        if (*name_len > 0)
            return line + start;
    }
    return NULL;
}

const char *encoding_cookie(const char *text, size_t len, size_t *name_len)
{
    for (size_t line = 0; line < COOKIE_LINES; line++) {
        size_t size = 0, blanks;
        const char *name;

        while (size < len && text[size] != '\n' && text[size] != '\r')
            size++;
        blanks = skip(text, size, " \t\f");
        if (blanks < size && text[blanks] != '#')
            return NULL;
        name = find_name(text + blanks, size - blanks, name_len);
        if (name)
            return name;
        size += size < len;
        if (size < len && text[size - 1] == '\r' && text[size] == '\n')
            size++;
        text += size;
        len -= size;
    }
    return NULL;
}
