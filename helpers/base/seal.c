/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/base/seal.h"

#include <string.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "helpers/base/encode.h"

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
        base64url_write(to, whole.data, whole.len);
}

int seal_open(struct buf *to, const unsigned char key[SEAL_KEY_SIZE], const char *purpose,
              const char *text, size_t len)
{
    struct buf BUF_AUTO bytes = {0};
    unsigned char mac[SEAL_MAC_SIZE];

    if (base64url_read(&bytes, text, len) < 0 || bytes.len < SEAL_MAC_SIZE)
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
