/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/base/utf8.h"

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

void utf8_mark_cut(char *text, size_t size)
{
    memcpy(text + utf8_cut(text, size, size - sizeof MARK), MARK, sizeof MARK);
}
