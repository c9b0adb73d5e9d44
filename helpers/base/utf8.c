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

size_t utf8_decode(const char *text, size_t len, uint32_t *character)
{
    static const struct {
        unsigned char mask, lead;
        size_t size;
        uint32_t least; /* what is less has a shorter form */
    } forms[] = {
        {0x80, 0x00, 1, 0},
        {0xE0, 0xC0, 2, 0x80},
        {0xF0, 0xE0, 3, 0x800},
        {0xF8, 0xF0, 4, 0x10000},
    };
    size_t form = 0;
    unsigned char first;
    uint32_t value;

    if (len == 0)
        return 0;
    first = (unsigned char)text[0];
    while (form < sizeof forms / sizeof forms[0] && (first & forms[form].mask) != forms[form].lead)
        form++;
    if (form == sizeof forms / sizeof forms[0] || forms[form].size > len)
        return 0;
    value = first & (unsigned char)~forms[form].mask;
    for (size_t i = 1; i < forms[form].size; i++) {
        if (begins_character(text[i]))
            return 0;
        value = value << 6 | ((unsigned char)text[i] & 0x3F);
    }
    if (value < forms[form].least || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    *character = value;
    return forms[form].size;
}

void utf8_mark_cut(char *text, size_t size)
{
    memcpy(text + utf8_cut(text, size, size - sizeof MARK), MARK, sizeof MARK);
}
