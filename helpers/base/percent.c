/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See percent.h.
 */
#include "helpers/base/percent.h"

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

size_t percent_decode(char *text, bool plus, bool *valid)
{
    bool all = true;
    size_t used = 0;

    for (const char *at = text; *at; at++) {
        int high = *at == '%' ? hex_digit(at[1]) : -1;
        int low = high >= 0 ? hex_digit(at[2]) : -1;

        if (low >= 0) {
            text[used++] = (char)(unsigned char)(high * 16 + low);
            all = all && high + low > 0;
            at += 2;
        } else {
            text[used++] = plus && *at == '+' ? ' ' : *at;
            all = all && *at != '%';
        }
    }
    text[used] = '\0';
    if (valid)
        *valid = all;
    return used;
}
