/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/base/seal.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

int seal_make_key(unsigned char key[SEAL_KEY_SIZE], struct error *err)
{
    if (getrandom(key, SEAL_KEY_SIZE, 0) != SEAL_KEY_SIZE)
        return error_errno(err, errno, "getrandom for a key");
    return 0;
}

/* 6 bits of the input a digit. */
static void encode(struct buf *to, const unsigned char *bytes, size_t len)
{
    size_t text_len = len * 4 / 3 + (len % 3 != 0);
    char *text = buf_reserve(to, text_len);
    unsigned bits = 0, held = 0;

    if (!text)
        return;
    for (size_t i = 0; i < len; i++) {
        held = held << 8 | bytes[i];
        for (bits += 8; bits >= 6; bits -= 6)
            *text++ = digits[held >> (bits - 6) & 63];
    }
    if (bits > 0)
        *text = digits[held << (6 - bits) & 63];
    to->len += text_len;
    to->data[to->len] = '\0';
}

static int value_of(char digit)
{
    if (digit >= 'A' && digit <= 'Z')
        return digit - 'A';
    if (digit >= 'a' && digit <= 'z')
        return digit - 'a' + 26;
    if (digit >= '0' && digit <= '9')
        return digit - '0' + 52;
    return digit == '-' ? 62 : digit == '_' ? 63 : -1;
}

/* -1 for what encode does not write, so no two texts have the same bytes. */
static int decode(struct buf *to, const char *text, size_t len)
{
    char *bytes = buf_reserve(to, len);
    unsigned bits = 0, held = 0;

    if (!bytes)
        return -1;
    for (size_t i = 0; i < len; i++) {
        int value = value_of(text[i]);

        if (value < 0)
            return -1;
        held = held << 6 | (unsigned)value;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes[to->len++] = (char)(held >> bits);
        }
    }
    return bits >= 6 || (held & ((1u << bits) - 1)) != 0 ? -1 : 0;
}

/* Of the purpose with its NUL, which ends it, and of the bytes. */
static bool authenticate(const unsigned char key[SEAL_KEY_SIZE], const char *purpose,
                         const void *bytes, size_t len, unsigned char mac[SEAL_MAC_SIZE])
{
    struct buf BUF_AUTO message = {0};

    buf_add(&message, purpose, strlen(purpose) + 1);
    buf_add(&message, bytes, len);
    return !message.failed && HMAC(EVP_sha256(), key, SEAL_KEY_SIZE,
                                   (const unsigned char *)message.data, message.len, mac, NULL);
}

void seal(struct buf *to, const unsigned char key[SEAL_KEY_SIZE], const char *purpose,
          const void *bytes, size_t len)
{
    struct buf BUF_AUTO whole = {0};
    unsigned char mac[SEAL_MAC_SIZE];

    buf_add(&whole, bytes, len);
    if (authenticate(key, purpose, bytes, len, mac))
        buf_add(&whole, mac, sizeof mac);
    else
        whole.failed = true;
    if (whole.failed)
        to->failed = true;
    else
        encode(to, (const unsigned char *)whole.data, whole.len);
}

int seal_open(struct buf *to, const unsigned char key[SEAL_KEY_SIZE], const char *purpose,
              const char *text, size_t len)
{
    struct buf BUF_AUTO bytes = {0};
    unsigned char mac[SEAL_MAC_SIZE];

    if (decode(&bytes, text, len) < 0 || bytes.len < SEAL_MAC_SIZE)
        return -1;
    bytes.len -= SEAL_MAC_SIZE;
    if (!authenticate(key, purpose, bytes.data, bytes.len, mac) ||
        CRYPTO_memcmp(bytes.data + bytes.len, mac, sizeof mac) != 0)
        return -1;
    buf_add(to, bytes.data, bytes.len);
    return to->failed ? -1 : 0;
}

bool seal_same(const char *a, const char *b, size_t len)
{
    return CRYPTO_memcmp(a, b, len) == 0;
}
