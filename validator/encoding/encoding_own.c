/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validator/encoding/encoding_own.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "validator/syntax/literal.h"
#include "validator/syntax/unicode.h"

struct shift {
    bool open;
    uint32_t bits, value; /* read, and not yet given as a UTF-16 unit */
    uint32_t high;        /* half of a pair, or 0 */
};

static int base64_value(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *place = c ? strchr(digits, c) : NULL;

    return place ? (int)(place - digits) : -1;
}

static void add_unit(struct shift *shift, uint32_t unit, struct buf *to)
{
    bool low = unit >= 0xDC00 && unit < 0xE000;

    if (shift->high && low) {
        unicode_encode(to, 0x10000 + ((shift->high - 0xD800) << 10) + (unit - 0xDC00));
        shift->high = 0;
        return;
    }
    if (shift->high)
        unicode_encode(to, shift->high);
    shift->high = unit >= 0xD800 && unit < 0xDC00 ? unit : 0;
    if (!shift->high)
        unicode_encode(to, unit);
}

static void add_digit(struct shift *shift, int digit, struct buf *to)
{
    shift->value = shift->value << 6 | (uint32_t)digit;
    shift->bits += 6;
    if (shift->bits < 16)
        return;
    shift->bits -= 16;
    add_unit(shift, shift->value >> shift->bits, to);
    shift->value &= (1U << shift->bits) - 1;
}

/* NULL, or what is wrong with the end of a shifted part. */
static const char *close_shift(struct shift *shift, struct buf *to)
{
    shift->open = false;
    if (shift->bits >= 6 || shift->value != 0)
        return "UTF-7 that breaks off within a character";
    if (shift->high)
        unicode_encode(to, shift->high);
    return NULL;
}

const char *encoding_utf7(const char *bytes, size_t len, struct buf *to)
{
    struct shift shift = {0};
    const char *error = NULL;

    for (size_t i = 0; i < len && !error; i++) {
        char c = bytes[i];

        if (shift.open && base64_value(c) >= 0) {
            add_digit(&shift, base64_value(c), to);
            continue;
        }
        if (shift.open) {
            error = close_shift(&shift, to);
            if (c == '-')
                continue;
        }
        if ((unsigned char)c >= 0x80) {
            error = "a byte above 0x7F in UTF-7";
        } else if (c != '+') {
            buf_addc(to, c);
        } else if (i + 1 < len && bytes[i + 1] == '-') {
            buf_addc(to, '+');
            i++;
        } else if (i + 1 < len && base64_value(bytes[i + 1]) < 0) {
            error = "a '+' in UTF-7 with nothing behind it";
        } else {
            shift = (struct shift){.open = true};
        }
    }
    if (!error && shift.open)
        error = close_shift(&shift, to);
    return error;
}

const char *encoding_escape(const char *bytes, size_t len, struct buf *to)
{
    struct buf BUF_AUTO latin1 = {0};
    const char *error = NULL;
    size_t error_at = 0, backslashes = 0;

    for (size_t i = 0; i < len; i++)
        unicode_encode(&latin1, (unsigned char)bytes[i]);
    while (backslashes < len && bytes[len - 1 - backslashes] == '\\')
        backslashes++;
    if (backslashes % 2 == 1)
        return "a backslash at the end of the program";
    if (latin1.failed)
        to->failed = true;
    else
        literal_decode(to, latin1.data, 0, latin1.len, 0, &error, &error_at);
    return error;
}

/* The number that so many hexadecimal digits stand for; UINT32_MAX where they are none. */
static uint32_t hex_number(const char *digits, size_t count)
{
    static const char values[] = "0123456789abcdef";
    uint32_t number = 0;

    for (size_t i = 0; i < count; i++) {
        char digit = (char)(digits[i] >= 'A' && digits[i] <= 'F' ? digits[i] | 0x20 : digits[i]);
        const char *place = digit ? strchr(values, digit) : NULL;

        if (!place)
            return UINT32_MAX;
        number = number << 4 | (uint32_t)(place - values);
    }
    return number;
}

const char *encoding_raw_escape(const char *bytes, size_t len, struct buf *to)
{
    for (size_t i = 0; i < len; i++) {
        size_t digits = 0;
        uint32_t character;

        if (bytes[i] == '\\' && i + 1 < len) {
            digits = bytes[i + 1] == 'u' ? 4 : bytes[i + 1] == 'U' ? 8 : 0;
            if (digits == 0)
                unicode_encode(to, (unsigned char)bytes[i++]);
        }
        if (digits == 0) {
            unicode_encode(to, (unsigned char)bytes[i]);
            continue;
        }
        character = len - i - 2 < digits ? UINT32_MAX : hex_number(bytes + i + 2, digits);
        if (character > 0x10FFFF)
            return "\\u and \\U want four and eight hexadecimal digits";
        unicode_encode(to, character);
        i += 1 + digits;
    }
    return NULL;
}

/* Two bytes from a '~' on: a sign that switches, or stands for a '~' or nothing. False for none. */
static bool take_sign(char sign, bool *chinese, struct buf *to)
{
    if (!*chinese && sign == '~')
        buf_addc(to, '~');
    else if (!*chinese && sign == '{')
        *chinese = true;
    else if (*chinese && sign == '}')
        *chinese = false;
    else
        return !*chinese && sign == '\n';
    return true;
}

const char *encoding_hz(const char *bytes, size_t len, struct buf *to)
{
    static const char error[] = "these bytes do not stand for text in it";
    bool chinese = false;

    for (size_t i = 0; i < len; i++) {
        bool sign = bytes[i] == '~', pair = sign || chinese;

        if ((unsigned char)bytes[i] >= 0x80 || (pair && i + 1 == len))
            return error;
        if (sign) {
            if (!take_sign(bytes[++i], &chinese, to))
                return error;
        } else if (chinese) {
            if ((unsigned char)bytes[i + 1] >= 0x80)
                return error;
            buf_addc(to, (char)(bytes[i++] | 0x80));
            buf_addc(to, (char)(bytes[i] | 0x80));
        } else {
            buf_addc(to, bytes[i]);
        }
    }
    return NULL;
}
