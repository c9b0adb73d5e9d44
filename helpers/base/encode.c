/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/base/encode.h"

#include <limits.h>
#include <string.h>

#include <openssl/evp.h>

void base64_write(struct buf *to, const void *bytes, size_t len)
{
    /* The library adds a NUL, which is not counted. */
    char *room = len < INT_MAX ? buf_reserve(to, (len + 2) / 3 * 4 + 1) : NULL;

    if (room)
        to->len += (size_t)EVP_EncodeBlock((unsigned char *)room, bytes, (int)len);
    else
        to->failed = true;
}

/* 6 bits of the input a digit; without '+' and '/', which have others in base64url. */
static int value_of(char digit)
{
    if (digit >= 'A' && digit <= 'Z')
        return digit - 'A';
    if (digit >= 'a' && digit <= 'z')
        return digit - 'a' + 26;
    return digit >= '0' && digit <= '9' ? digit - '0' + 52 : -1;
}

int base64_read(struct buf *to, const char *text, size_t len)
{
    unsigned held = 0, bits = 0;
    size_t i = 0;

    for (; i < len && text[i] != '='; i++) {
        int value = text[i] == '+' ? 62 : text[i] == '/' ? 63 : value_of(text[i]);

        if (text[i] == '\n' || text[i] == '\r')
            continue;
        if (value < 0)
            return -1;
        held = (held << 6 | (unsigned)value) & 0xFFFF;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            buf_addc(to, (char)(held >> bits & 0xFF));
        }
    }
    while (i < len && text[i] && strchr("=\r\n", text[i]))
        i++;
    return i == len && bits < 6 ? 0 : -1;
}

/* 6 bits of the input a digit. */
void base64url_write(struct buf *to, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    size_t text_len = len * 4 / 3 + (len % 3 != 0);
    char *text = buf_reserve(to, text_len);
    unsigned bits = 0, held = 0;

    if (!text)
        return;
    for (size_t i = 0; i < len; i++) {
        held = held << 8 | at[i];
        for (bits += 8; bits >= 6; bits -= 6)
            *text++ = BASE64URL_DIGITS[held >> (bits - 6) & 63];
    }
    if (bits > 0)
        *text = BASE64URL_DIGITS[held << (6 - bits) & 63];
    to->len += text_len;
    to->data[to->len] = '\0';
}

int base64url_read(struct buf *to, const char *text, size_t len)
{
    char *bytes = buf_reserve(to, len);
    unsigned bits = 0, held = 0;
    size_t used = 0;

    if (!bytes)
        return -1;
    for (size_t i = 0; i < len; i++) {
        int value = text[i] == '-' ? 62 : text[i] == '_' ? 63 : value_of(text[i]);

        if (value < 0)
            return -1;
        held = held << 6 | (unsigned)value;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes[used++] = (char)(held >> bits);
        }
    }
    if (bits >= 6 || (held & ((1u << bits) - 1)) != 0)
        return -1;
    to->len += used;
    to->data[to->len] = '\0';
    return 0;
}

void hex_write(char *to, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < len; i++) {
        *to++ = "0123456789abcdef"[at[i] >> 4];
        *to++ = "0123456789abcdef"[at[i] & 15];
    }
    *to = '\0';
}

bool hex_read(const char *text, size_t text_len, void *bytes, size_t len)
{
    unsigned char *to = bytes;

    if (text_len != 2 * len)
        return false;
    for (size_t i = 0; i < len; i++) {
        int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        to[i] = (unsigned char)(high << 4 | low);
    }
    return true;
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
            text[used++] = (char)(plus && *at == '+' ? ' ' : *at);
            all = all && *at != '%';
        }
    }
    text[used] = '\0';
    if (valid)
        *valid = all;
    return used;
}
