/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/base/utf8.h"

#include <stdbool.h>
#include <string.h>

#define MARK "..."

size_t utf8_cut(const char *text, size_t len, size_t cap)
{
    if (len <= cap)
        return len;
    while (cap > 0 && ((unsigned char)text[cap] & 0xC0) == 0x80)
        cap--;
    return cap;
}

int utf8_shown(const char *text, size_t cap)
{
    return (int)utf8_cut(text, strnlen(text, cap + 1), cap);
}

static bool begins_character(char byte)
{
    return ((unsigned char)byte & 0xC0) != 0x80;
}

size_t utf8_count(const char *text, size_t len)
{
    size_t count = 0;

    for (size_t i = 0; i < len; i++)
        count += begins_character(text[i]);
    return count;
}

size_t utf8_offset(const char *text, size_t len, size_t character)
{
    for (size_t i = 0; i < len; i++) {
        if (begins_character(text[i]) && character-- == 0)
            return i;
    }
    return len;
}

size_t utf8_skip(const char *text, size_t len, size_t at)
{
    while (at < len && !begins_character(text[at]))
        at++;
    return at;
}

void utf8_mark_cut(char *text, size_t size)
{
    memcpy(text + utf8_cut(text, size, size - sizeof MARK), MARK, sizeof MARK);
}
