/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/wire/checks.h"

#include <string.h>

/* The eight bytes of PNG's signature, and the first of a chunk's length, which is 0. */
#define PNG_BEGINS "iVBORw0KGgoA"

static int sextet(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool artifact_is_png(const char *base64, size_t len)
{
    size_t padding = 0;
    int last = 0;

    if (len % 4 != 0 || len < sizeof PNG_BEGINS - 1 ||
        memcmp(base64, PNG_BEGINS, sizeof PNG_BEGINS - 1) != 0)
        return false;
    while (padding < 2 && base64[len - 1 - padding] == '=')
        padding++;
    for (size_t i = 0; i < len - padding; i++) {
        last = sextet(base64[i]);
        if (last < 0)
            return false;
    }
    /* The bits that padding leaves over are 0, or two texts would mean the same bytes. */
    return padding == 0 || (last & (padding == 1 ? 0x03 : 0x0f)) == 0;
}

bool request_is_get(const char *text, size_t len)
{
    if (len < 5 || memcmp(text, "GET /", 5) != 0)
        return false;
    for (size_t i = 4; i < len; i++) {
        if (text[i] <= ' ' || text[i] > '~')
            return false;
    }
    return true;
}
